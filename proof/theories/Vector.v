(** * The position vector y and the variables p0 .. p268

    The vector of the paper's section 2, the bits that write it, and that different positions have
    different bits.  Moves keep positions well formed. *)

From Coq Require Import Uint63 ZArith List Bool Lia.
From Theta Require Import Games Board Rules Cells Bare Dead Checker.
Import ListNotations.

(** ** Well-formed positions *)
Open Scope uint63_scope.

Definition known_code (c : int) : bool := (c <=? 6) || ((9 <=? c) && (c <=? 14)).

Definition small_row (w : int) : Prop := forall n, (32 <= n)%Z -> Z.testbit (to_Z w) n = false.

(** Rows of 32 bits, known men, marks and rights in their ranges. *)
Record well_formed (p : position) : Prop := WellFormed {
  wf_rows : forall k, (to_Z k < 8)%Z -> small_row (row (men p) k);
  wf_codes : forall i, (i <? 64) = true -> known_code (get (men p) i) = true;
  wf_marks : (wmark p <=? 8) && (bmark p <=? 8) = true;
  wf_rights : (wrights p <=? 3) && (brights p <=? 3) = true
}.

Definition good_board (b : board) : Prop :=
  (forall k, (to_Z k < 8)%Z -> small_row (row b k)) /\
  (forall i, (i <? 64) = true -> known_code (get b i) = true).

Lemma small_bit_32 w n : (0 <= w < 2 ^ 32)%Z -> (32 <= n)%Z -> Z.testbit w n = false.
Proof.
  intros W N. destruct (Z.eq_dec w 0) as [-> | Z]; [apply Z.bits_0 |].
  apply Z.bits_above_log2; [lia |]. apply Z.log2_lt_pow2; [lia |].
  apply Z.lt_le_trans with (2 ^ 32)%Z; [lia | apply Z.pow_le_mono_r; lia].
Qed.

Lemma small_with_cell w f v : (to_Z f < 8)%Z -> (v <? 16) = true -> small_row w ->
  small_row (with_cell w f v).
Proof.
  intros F V S n N. apply ltb_spec in V. change (to_Z 16) with 16%Z in V.
  pose proof (to_Z_bounded f). pose proof (to_Z_bounded v).
  rewrite with_cell_Z by assumption. unfold withZ.
  rewrite Z.lxor_spec, Z.shiftl_spec, (S n N) by lia.
  rewrite small_bit; [reflexivity | | lia]. apply lxor_small; [apply cellZ_range | lia].
Qed.

Lemma small_swap w : small_row w -> small_row (swap_row w).
Proof.
  intros S n N. rewrite swap_row_Z, swapZ_bit, (S n N), spots_bit by lia.
  replace ((n - 3 <? 32)%Z && ((n - 3) mod 4 =? 0)%Z) with false; [now rewrite !andb_false_r |].
  symmetry. destruct (Z.ltb_spec (n - 3) 32); [simpl | reflexivity].
  assert (n = 32 \/ n = 33 \/ n = 34)%Z as [-> | [-> | ->]] by lia; reflexivity.
Qed.

Lemma small_code v : (v <? 8) = true -> (v <? 16) = true.
Proof.
  intro V. apply ltb_spec in V. apply ltb_spec. change (to_Z 8) with 8%Z in V.
  change (to_Z 16) with 16%Z. lia.
Qed.

Lemma good_put b i v : (i <? 64) = true -> (v <=? 6) = true -> good_board b -> good_board (put b i v).
Proof.
  intros I V [R C].
  assert (V16 : (v <? 16) = true).
  { apply leb_spec in V. apply ltb_spec. change (to_Z 6) with 6%Z in V.
    change (to_Z 16) with 16%Z. lia. }
  destruct (square_parts i I) as [K F]. split.
  - intros k L. unfold put. destruct (i >> 3 =? k) eqn:E.
    + apply Uint63.eqb_spec in E. rewrite <- E in *. rewrite row_with_same by assumption.
      apply small_with_cell; auto.
    + rewrite row_with_other; auto. intro Q. apply Uint63.eqb_spec in Q. congruence.
  - intros j J. rewrite get_put_cases by auto. destruct (i =? j); [| auto].
    unfold known_code. now rewrite V.
Qed.

Lemma good_mirror b : good_board b -> good_board (mirror_board b).
Proof.
  intros [R C]. split.
  - intros k L. rewrite row_mirror by assumption. apply small_swap, R.
    destruct (small_number k 8 L) as [m [M ->]].
    do 8 (destruct m as [| m]; [vm_compute; reflexivity |]). lia.
  - intros i I. rewrite get_mirror by assumption. pose proof (flip_square i I) as FI.
    specialize (C (flip i) FI). revert C. pose proof (get_code b (flip i) FI) as G. revert G.
    generalize (get b (flip i)). intros c G C.
    pose proof (in_codes (fun c => implb (known_code c) (known_code (swap_code c))) eq_refl c G) as Q.
    cbv beta in Q. now rewrite C in Q.
Qed.

Lemma wf_mirror p : well_formed p -> well_formed (mirror p).
Proof.
  intros [R C M T]. destruct (good_mirror (men p)) as [R' C']; [split; assumption |].
  constructor; simpl; auto; rewrite andb_comm; assumption.
Qed.

(** What a candidate leaves of the other components. *)
Definition fields (p : position) : bool :=
  (wmark p <=? 8) && (bmark p =? 0) && (wrights p <=? 3) && (brights p <=? 3).

Lemma rights_cases v : (v <=? 3) = true -> v = 0 \/ v = 1 \/ v = 2 \/ v = 3.
Proof.
  intro V. apply leb_spec in V. change (to_Z 3) with 3%Z in V.
  destruct (small_number v 4 ltac:(lia)) as [m [M ->]].
  destruct m as [| [| [| [| m]]]]; [left | right; left | right; right; left | right; right; right |];
    try reflexivity. lia.
Qed.

Lemma fKBO_range j v : (v <=? 3) = true -> (fKBO j v <=? 3) = true.
Proof.
  intro V. unfold fKBO. destruct (rights_cases v V) as [-> | [-> | [-> | ->]]];
    destruct (j =? 56), (j =? 63); reflexivity.
Qed.

Lemma fWRK_range i v : (v <=? 3) = true -> (fWRK i v <=? 3) = true.
Proof.
  intro V. unfold fWRK. destruct (rights_cases v V) as [-> | [-> | [-> | ->]]];
    destruct (i =? 0), (i =? 7); reflexivity.
Qed.

Lemma file_range i : (i <? 64) = true -> ((i land 7) + 1 <=? 8) = true.
Proof. revert i. apply (all_squares (fun i => (i land 7) + 1 <=? 8)). vm_compute. reflexivity. Qed.

Lemma candidate_fields p k i c : (i <? 64) = true ->
  (wrights p <=? 3) = true -> (brights p <=? 3) = true ->
  In c (candidates_of p k i) -> fields (after_of c) = true.
Proof.
  intros I W B C. unfold candidates_of in C.
  assert (Go : forall j d r m, (r <=? 3) = true -> fields (after_of (go p k i j d r m)) = true).
  { intros j d r m R. unfold go, moved, fields. simpl. now rewrite R, fKBO_range. }
  assert (Mk : forall z f, fields z = true -> (f <=? 8) = true -> fields (with_mark z f) = true).
  { intros z f Z F. unfold with_mark. simpl. destruct (can_take_passing _ _); [| exact Z].
    unfold fields in *. simpl. rewrite !andb_true_iff in *. tauto. }
  assert (Mv : forall b r, (r <=? 3) = true -> fields (moved b 0 r (brights p)) = true).
  { intros b r R. unfold moved, fields. simpl. now rewrite R, B. }
  pose proof (fWRK_range i _ W) as FW.
  repeat (match type of C with In _ (if ?t then _ else _) => destruct t end); try contradiction;
    unfold leaps, slides, castle_long, castle_short, pawn_one, pawn_two, pawn_passing,
      pawn_promotes in C;
    repeat (rewrite in_app_iff in C || (destruct C as [C | C]));
    repeat (match type of C with In _ (if ?t then _ else _) => destruct t end); try contradiction;
    try (destruct C as [<- | []]; simpl;
         first [apply Mv; first [assumption | reflexivity]
               | apply Mk; [apply Mv; assumption | now apply file_range]]);
    try (apply in_flat_map in C; destruct C as [? [_ C]]);
    try (apply in_map_iff in C; destruct C as [? [<- _]]; apply Go; first [assumption | reflexivity]).
Qed.

(** Every candidate puts codes of White's men, or nothing. *)
Lemma good_puts l : forall b, (forall x, In x l -> (fst x <? 64) = true /\ (snd x <=? 6) = true) ->
  good_board b -> good_board (puts b l).
Proof.
  induction l as [| [i v] l IH]; simpl; intros b A G; [assumption |].
  destruct (A (i, v) (or_introl eq_refl)) as [I V]. apply IH; [auto | now apply good_put].
Qed.

Lemma candidate_well_formed p k i c : well_formed p -> (i <? 64) = true ->
  In c (candidates_of p k i) -> well_formed (after_of c).
Proof.
  intros [R C M T] I Q. apply andb_true_iff in T. destruct T as [TW TB].
  pose proof (candidate_fields p k i c I TW TB Q) as F. unfold fields in F.
  rewrite !andb_true_iff in F. destruct F as [[[F1 F2] F3] F4].
  destruct (candidate_puts _ _ _ _ I Q) as [l [E A]].
  destruct (good_puts l (men p)) as [R' C']; [exact A | now split |].
  rewrite <- E in R', C'. constructor; auto.
  - rewrite F1. apply Uint63.eqb_spec in F2. now rewrite F2.
  - now rewrite F3, F4.
Qed.

(** *** Moves keep positions well formed. *)
Theorem moves_keep_well_formed p z : well_formed p -> In z (successors p) -> well_formed z.
Proof.
  assert (White : forall q c, well_formed q -> In c (white_moves q) -> well_formed (after_of c)).
  { intros q c W I. apply in_white_moves in I. destruct I as [_ [i [I Q]]].
    eapply candidate_well_formed; eauto. }
  intros W I. unfold successors in I. destruct (black p); apply in_map_iff in I;
    destruct I as [c [<- I]].
  - apply wf_mirror. eapply White; [| exact I]. now apply wf_mirror.
  - eapply White; eauto.
Qed.

Theorem reached_well_formed p z : well_formed p -> @reaches chess p z -> well_formed z.
Proof.
  intros W R. induction R; [assumption |]. apply IHR. eapply moves_keep_well_formed; eauto.
Qed.

Lemma below_64 k : In k rows -> (to_Z k < 8)%Z.
Proof. simpl. intros H. repeat (destruct H as [<- | H]; [reflexivity |]). contradiction. Qed.

Lemma in_rows_8 k : (to_Z k < 8)%Z -> In k rows.
Proof.
  intro L. destruct (small_number k 8 L) as [m [M ->]].
  do 8 (destruct m as [| m]; [rewrite <- int_in_spec; vm_compute; reflexivity |]). lia.
Qed.

(** *** The root of a certificate is well formed. *)
Theorem legal_root_well_formed p : legal_root p = true -> well_formed p.
Proof.
  unfold legal_root. rewrite !andb_true_iff. intros [[[[[[[K _] _] _] _] HW] HB] MS].
  unfold known in K. rewrite andb_true_iff, !forallb_forall in K. destruct K as [K1 K2].
  unfold white_home in HW, HB. rewrite !andb_true_iff in HW, HB.
  destruct HW as [[HW _] _], HB as [[HB _] _]. simpl in HB.
  unfold mark_stands in MS. rewrite andb_true_iff, orb_true_iff, !andb_true_iff in MS.
  constructor.
  - intros k L n N. specialize (K2 k (in_rows_8 k L)). apply ltb_spec in K2.
    change (to_Z 4294967296) with (2 ^ 32)%Z in K2.
    apply small_bit_32; [| assumption]. pose proof (to_Z_bounded (row (men p) k)). lia.
  - intros i I. exact (K1 i (proj1 (in_squares i) I)).
  - destruct MS as [M1 M2]. apply Uint63.eqb_spec in M1.
    assert (M3 : (bmark (if black p then mirror p else p) <=? 8) = true).
    { destruct M2 as [M2 | [[M2 _] _]]; [apply Uint63.eqb_spec in M2; now rewrite M2 | exact M2]. }
    destruct (black p); simpl in *; rewrite M1, M3; reflexivity.
  - now rewrite HW, HB.
Qed.

(** ** The vector *)
Open Scope nat_scope.

Definition number (i : int) : nat := Z.to_nat (to_Z i).
Definition square_number (m : nat) : int := of_Z (Z.of_nat m).

(** The paper's code of a man: Black's are 7 .. 12. *)
Definition paper_code (c : int) : nat := if Uint63.leb c 6 then number c else number c - 2.

(** y0 .. y68. *)
Definition component (p : position) (j : nat) : nat :=
  if j =? 0 then (if black p then 1 else 0)
  else if j <=? 64 then paper_code (get (men p) (square_number (j - 1)))
  else if j =? 65 then number (wmark p)
  else if j =? 66 then number (bmark p)
  else if j =? 67 then number (wrights p)
  else number (brights p).

(** p0 .. p268: p[4(j-1)+k] is the k-th bit from the left of the four of y_j for j = 1 .. 66, and
    p[264+2(j-67)+k] the k-th from the left of the two of y_j for j = 67, 68. *)
Definition bits (p : position) (n : nat) : bool :=
  if n =? 0 then black p
  else if n <=? 264 then Nat.testbit (component p ((n - 1) / 4 + 1)) (3 - (n - 1) mod 4)
  else Nat.testbit (component p ((n - 265) / 2 + 67)) (1 - (n - 265) mod 2).

Lemma four_bits a b : a < 16 -> b < 16 ->
  (forall k, k < 4 -> Nat.testbit a k = Nat.testbit b k) -> a = b.
Proof.
  intros A B E.
  pose proof (E 0 ltac:(lia)) as E0. pose proof (E 1 ltac:(lia)) as E1.
  pose proof (E 2 ltac:(lia)) as E2. pose proof (E 3 ltac:(lia)) as E3. clear E.
  do 16 (destruct a as [| a];
    [do 16 (destruct b as [| b]; [try reflexivity; discriminate |]); lia |]). lia.
Qed.

Lemma two_bits a b : a < 4 -> b < 4 ->
  (forall k, k < 2 -> Nat.testbit a k = Nat.testbit b k) -> a = b.
Proof.
  intros A B E. pose proof (E 0 ltac:(lia)) as E0. pose proof (E 1 ltac:(lia)) as E1. clear E.
  do 4 (destruct a as [| a];
    [do 4 (destruct b as [| b]; [try reflexivity; discriminate |]); lia |]). lia.
Qed.

Lemma number_le i k : Uint63.leb i (of_Z (Z.of_nat k)) = true -> (Z.of_nat k < wB)%Z -> number i <= k.
Proof.
  intros L K. apply leb_spec in L. rewrite of_Z_spec, Z.mod_small in L by lia.
  unfold number. pose proof (to_Z_bounded i). lia.
Qed.

Lemma number_inj i j : number i = number j -> i = j.
Proof.
  unfold number. intro E. apply to_Z_inj. pose proof (to_Z_bounded i). pose proof (to_Z_bounded j). lia.
Qed.

Lemma codes_differ :
  forallb (fun c => forallb (fun d => implb (known_code c && known_code d &&
      (paper_code c =? paper_code d)) (Uint63.eqb c d) &&
      implb (known_code c) (paper_code c <? 16))
    [0;1;2;3;4;5;6;7;8;9;10;11;12;13;14;15]%uint63)
  [0;1;2;3;4;5;6;7;8;9;10;11;12;13;14;15]%uint63 = true.
Proof. vm_compute. reflexivity. Qed.

Lemma paper_code_facts c d : Uint63.ltb c 16 = true -> Uint63.ltb d 16 = true ->
  known_code c = true -> known_code d = true ->
  paper_code c < 16 /\ (paper_code c = paper_code d -> c = d).
Proof.
  intros C D KC KD.
  pose proof (in_codes _ codes_differ c C) as A. cbv beta in A.
  pose proof (in_codes _ A d D) as B. cbv beta in B.
  apply andb_true_iff in B. destruct B as [B1 B2]. rewrite KC in B2. simpl in B2.
  split; [now apply Nat.ltb_lt |]. intro E. rewrite KC, KD in B1.
  rewrite (proj2 (Nat.eqb_eq _ _) E) in B1. simpl in B1. now apply Uint63.eqb_spec.
Qed.

Lemma rows_equal w v : small_row w -> small_row v ->
  (forall f, (to_Z f < 8)%Z -> cell w f = cell v f) -> w = v.
Proof.
  intros W V E. apply to_Z_inj. apply Z.bits_inj'. intros n N.
  destruct (Z.ltb_spec n 32); [| now rewrite W, V by lia].
  set (f := of_Z (n / 4)). pose proof (Z.div_mod n 4 ltac:(lia)).
  pose proof (Z.mod_pos_bound n 4 ltac:(lia)).
  assert (F : to_Z f = (n / 4)%Z).
  { unfold f. rewrite of_Z_spec. apply Z.mod_small. change wB with 9223372036854775808%Z. lia. }
  assert (F8 : (to_Z f < 8)%Z) by lia.
  specialize (E f F8). apply (f_equal to_Z) in E. rewrite !cell_Z in E by assumption.
  apply (f_equal (fun z => Z.testbit z (n mod 4))) in E. rewrite F in E.
  rewrite !cellZ_bit in E by lia. replace (n mod 4 + 4 * (n / 4))%Z with n in E by lia.
  replace (n mod 4 <? 4)%Z with true in E by (symmetry; apply Z.ltb_lt; lia).
  now rewrite !andb_true_r in E.
Qed.

Lemma boards_equal b c : good_board b -> good_board c ->
  (forall i, Uint63.ltb i 64 = true -> get b i = get c i) -> b = c.
Proof.
  intros [R _] [S _] E.
  assert (Rows : forall k, In k rows -> row b k = row c k).
  { intros k K. pose proof (below_64 k K) as L. apply rows_equal; auto. intros f F.
    assert (Sq : forallb (fun k => forallb (fun f =>
      let i := ((k << 3) lor f)%uint63 in
      Uint63.ltb i 64 && Uint63.eqb (i >> 3)%uint63 k && Uint63.eqb (i land 7)%uint63 f) rows) rows = true)
      by (vm_compute; reflexivity).
    rewrite forallb_forall in Sq. specialize (Sq k K). rewrite forallb_forall in Sq.
    specialize (Sq f (in_rows_8 f F)). cbv zeta in Sq. rewrite !andb_true_iff in Sq.
    destruct Sq as [[S1 S2] S3]. apply Uint63.eqb_spec in S2, S3.
    specialize (E _ S1). unfold get in E. now rewrite S2, S3 in E. }
  destruct b, c. f_equal.
  - exact (Rows 0%uint63 ltac:(simpl; tauto)).
  - exact (Rows 1%uint63 ltac:(simpl; tauto)).
  - exact (Rows 2%uint63 ltac:(simpl; tauto)).
  - exact (Rows 3%uint63 ltac:(simpl; tauto)).
  - exact (Rows 4%uint63 ltac:(simpl; tauto)).
  - exact (Rows 5%uint63 ltac:(simpl; tauto)).
  - exact (Rows 6%uint63 ltac:(simpl; tauto)).
  - exact (Rows 7%uint63 ltac:(simpl; tauto)).
Qed.

(** *** Different positions have different bits. *)
Theorem bits_differ p q : well_formed p -> well_formed q ->
  (forall n, n < 269 -> bits p n = bits q n) -> p = q.
Proof.
  intros Wp Wq E. pose proof (wf_marks p Wp) as Mp. pose proof (wf_marks q Wq) as Mq.
  pose proof (wf_rights p Wp) as Rp. pose proof (wf_rights q Wq) as Rq.
  rewrite andb_true_iff in Mp, Mq, Rp, Rq.
  assert (Four : forall j, 1 <= j <= 66 -> component p j < 16 -> component q j < 16 ->
    component p j = component q j).
  { intros j J A B. apply four_bits; auto. intros k K.
    specialize (E (4 * (j - 1) + (4 - k)) ltac:(lia)). unfold bits in E.
    replace (4 * (j - 1) + (4 - k) =? 0) with false in E by (symmetry; apply Nat.eqb_neq; lia).
    replace (4 * (j - 1) + (4 - k) <=? 264) with true in E by (symmetry; apply Nat.leb_le; lia).
    replace ((4 * (j - 1) + (4 - k) - 1) / 4 + 1) with j in E.
    - replace ((4 * (j - 1) + (4 - k) - 1) mod 4) with (3 - k) in E.
      + replace (3 - (3 - k)) with k in E by lia. exact E.
      + apply Nat.mod_unique with (j - 1); lia.
    - assert (j - 1 = (4 * (j - 1) + (4 - k) - 1) / 4); [| lia].
      apply Nat.div_unique with (3 - k); lia. }
  assert (Two : forall j, 67 <= j <= 68 -> component p j < 4 -> component q j < 4 ->
    component p j = component q j).
  { intros j J A B. apply two_bits; auto. intros k K.
    specialize (E (264 + 2 * (j - 67) + (2 - k)) ltac:(lia)). unfold bits in E.
    assert (j = 67 \/ j = 68) as [-> | ->] by lia;
      destruct k as [| [| k]]; try lia; exact E. }
  assert (Marks : forall m, Uint63.leb m 8 = true -> number m < 16)
    by (intros m L; pose proof (number_le m 8 L ltac:(reflexivity)); lia).
  assert (Rights : forall m, Uint63.leb m 3 = true -> number m < 4)
    by (intros m L; pose proof (number_le m 3 L ltac:(reflexivity)); lia).
  pose proof (Four 65 ltac:(lia) (Marks _ (proj1 Mp)) (Marks _ (proj1 Mq))) as E65.
  pose proof (Four 66 ltac:(lia) (Marks _ (proj2 Mp)) (Marks _ (proj2 Mq))) as E66.
  pose proof (Two 67 ltac:(lia) (Rights _ (proj1 Rp)) (Rights _ (proj1 Rq))) as E67.
  pose proof (Two 68 ltac:(lia) (Rights _ (proj2 Rp)) (Rights _ (proj2 Rq))) as E68.
  apply number_inj in E65, E66, E67, E68.
  pose proof (E 0 ltac:(lia)) as E0. unfold bits in E0. simpl in E0.
  assert (Men : men p = men q).
  { apply boards_equal; [split; apply Wp | split; apply Wq |].
    intros i I. pose proof (proj1 (in_squares i) I) as S. rewrite squares_are in S.
    apply in_map_iff in S. destruct S as [m [Q M]]. apply in_seq in M.
    pose proof (get_code (men p) i I) as Cp. pose proof (get_code (men q) i I) as Cq.
    destruct (paper_code_facts _ _ Cp Cq (wf_codes p Wp i I) (wf_codes q Wq i I)) as [Lp D].
    destruct (paper_code_facts _ _ Cq Cp (wf_codes q Wq i I) (wf_codes p Wp i I)) as [Lq _].
    apply D.
    assert (Cm : forall r, component r (S m) = paper_code (get (men r) i)).
    { intro r. unfold component. replace (S m =? 0) with false by reflexivity.
      replace (S m <=? 64) with true by (symmetry; apply Nat.leb_le; lia).
      unfold square_number. replace (S m - 1) with m by lia. now rewrite Q. }
    rewrite <- !Cm in *. apply Four; try lia; assumption. }
  destruct p, q. simpl in *. congruence.
Qed.
