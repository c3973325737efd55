(** * Squares, lines and attacks: the paper's numbers are those of the boards

    What [Paper.v] says of directions in formulas, [Rules.v] has in tables: they agree, which is
    computed for every square.  From it: SafeWKing is [safe]. *)

From Coq Require Import Uint63 ZArith List Bool Lia Arith.
From Theta Require Import Games Board Rules Cells Bare Dead Checker Vector Paper.
Import ListNotations.
Open Scope nat_scope.

(** ** Squares *)

(** The paper's square i as one of the board's. *)
Definition sq (i : nat) : int := square_number (i - 1).

Definition all := seq 1 64.

Lemma in_all i : square i <-> In i all.
Proof. unfold all, square. rewrite in_seq. lia. Qed.

(** What is computed of every square is true of every square. *)
Lemma for_all (P : nat -> bool) : forallb P all = true -> forall i, square i -> P i = true.
Proof. intros A i S. rewrite forallb_forall in A. now apply A, in_all. Qed.

Lemma sq_64 i : square i -> Uint63.ltb (sq i) 64 = true.
Proof. revert i. apply (for_all (fun i => Uint63.ltb (sq i) 64)). vm_compute. reflexivity. Qed.

Lemma sq_onto j : Uint63.ltb j 64 = true -> exists n, square n /\ j = sq n.
Proof.
  intro L. apply in_squares in L. rewrite squares_are in L. apply in_map_iff in L.
  destruct L as [n [<- N]]. apply in_seq in N. exists (S n). split; [unfold square; lia |].
  unfold sq, square_number. now replace (S n - 1) with n by lia.
Qed.

Lemma sq_eqb i n : square i -> square n -> Uint63.eqb (sq i) (sq n) = (i =? n).
Proof.
  intros I N.
  assert (A : forallb (fun i => forallb (fun n => Bool.eqb (Uint63.eqb (sq i) (sq n)) (i =? n)) all)
    all = true) by (vm_compute; reflexivity).
  pose proof (for_all _ A i I) as B. cbv beta in B. pose proof (for_all _ B n N) as C.
  now apply Bool.eqb_prop in C.
Qed.

Lemma sq_inj i n : square i -> square n -> sq i = sq n -> i = n.
Proof.
  intros I N E. apply Nat.eqb_eq. rewrite <- sq_eqb by assumption. now apply Uint63.eqb_spec.
Qed.

Lemma get_put_sq b i j v : square i -> square j -> Uint63.ltb v 16 = true ->
  get (put b (sq i) v) (sq j) = if i =? j then v else get b (sq j).
Proof.
  intros I J V. rewrite get_put_cases by (try apply sq_64; assumption). now rewrite sq_eqb.
Qed.

Lemma xg_range i : square i -> 1 <= xg i <= 8.
Proof.
  intro S. assert (A : (1 <=? xg i) && (xg i <=? 8) = true).
  { revert i S. apply (for_all (fun i => (1 <=? xg i) && (xg i <=? 8))). reflexivity. }
  rewrite andb_true_iff, !Nat.leb_le in A. exact A.
Qed.

Lemma xv_range i : square i -> 1 <= xv i <= 8.
Proof.
  intro S. assert (A : (1 <=? xv i) && (xv i <=? 8) = true).
  { revert i S. apply (for_all (fun i => (1 <=? xv i) && (xv i <=? 8))). reflexivity. }
  rewrite andb_true_iff, !Nat.leb_le in A. exact A.
Qed.

(** ** Tables *)

Fixpoint ints_eqb (l m : list int) : bool :=
  match l, m with
  | [], [] => true
  | a :: l, b :: m => Uint63.eqb a b && ints_eqb l m
  | _, _ => false
  end.

Lemma ints_eqb_eq l : forall m, ints_eqb l m = true -> l = m.
Proof.
  induction l as [| a l IH]; intros [| b m]; simpl; try discriminate; [reflexivity |].
  rewrite andb_true_iff. intros [A B]. apply Uint63.eqb_spec in A. now rewrite A, (IH m B).
Qed.

Lemma knight_table i : square i ->
  look knight_steps (sq i) = map (fun l => sq (fN i l)) (filter (PN i) (seq 1 8)).
Proof.
  intro S. apply ints_eqb_eq. revert i S. apply (for_all (fun i => ints_eqb (look knight_steps (sq i))
    (map (fun l => sq (fN i l)) (filter (PN i) (seq 1 8))))). vm_compute. reflexivity.
Qed.

Lemma king_table i : square i ->
  look king_steps (sq i) = map (fun l => sq (fK i l)) (filter (PK i) (seq 1 8)).
Proof.
  intro S. apply ints_eqb_eq. revert i S. apply (for_all (fun i => ints_eqb (look king_steps (sq i))
    (map (fun l => sq (fK i l)) (filter (PK i) (seq 1 8))))). vm_compute. reflexivity.
Qed.

Definition pawn_may (i l : nat) : bool :=
  match l with 1 => (2 <=? xv i) && (xg i <=? 7) | _ => (xv i <=? 7) && (xg i <=? 7) end.

Lemma pawn_table i : square i ->
  look pawn_steps (sq i) = map (fun l => sq (fWP i l)) (filter (pawn_may i) (seq 1 2)).
Proof.
  intro S. apply ints_eqb_eq. revert i S. apply (for_all (fun i => ints_eqb (look pawn_steps (sq i))
    (map (fun l => sq (fWP i l)) (filter (pawn_may i) (seq 1 2))))). vm_compute. reflexivity.
Qed.

(** How far a line goes. *)
Definition far (P : nat -> nat -> nat -> bool) (i l : nat) : nat := length (filter (P i l) (seq 1 7)).

Definition lines (P : nat -> nat -> nat -> bool) (f : nat -> nat -> nat -> nat) (i : nat) :=
  map (fun l => map (fun k => sq (f i l k)) (seq 1 (far P i l))) (seq 1 4).

Fixpoint lists_eqb (l m : list (list int)) : bool :=
  match l, m with
  | [], [] => true
  | a :: l, b :: m => ints_eqb a b && lists_eqb l m
  | _, _ => false
  end.

Lemma lists_eqb_eq l : forall m, lists_eqb l m = true -> l = m.
Proof.
  induction l as [| a l IH]; intros [| b m]; simpl; try discriminate; [reflexivity |].
  rewrite andb_true_iff. intros [A B]. apply ints_eqb_eq in A. now rewrite A, (IH m B).
Qed.

Lemma rook_table i : square i -> look rook_lines (sq i) = lines PRl fR i.
Proof.
  intro S. apply lists_eqb_eq. revert i S.
  apply (for_all (fun i => lists_eqb (look rook_lines (sq i)) (lines PRl fR i))).
  vm_compute. reflexivity.
Qed.

Lemma bishop_table i : square i -> look bishop_lines (sq i) = lines PBl fB i.
Proof.
  intro S. apply lists_eqb_eq. revert i S.
  apply (for_all (fun i => lists_eqb (look bishop_lines (sq i)) (lines PBl fB i))).
  vm_compute. reflexivity.
Qed.

(** A step goes to another square. *)
Definition lands (P : nat -> nat -> bool) (f : nat -> nat -> nat) (n : nat) : Prop :=
  forall i l, square i -> 1 <= l <= n -> P i l = true -> square (f i l) /\ f i l <> i.

Definition landsb (P : nat -> nat -> bool) (f : nat -> nat -> nat) (n : nat) : bool :=
  forallb (fun i => forallb (fun l => implb (P i l)
    ((1 <=? f i l) && (f i l <=? 64) && negb (f i l =? i))) (seq 1 n)) all.

Lemma landsb_lands P f n : landsb P f n = true -> lands P f n.
Proof.
  intros A i l I L W. pose proof (for_all _ A i I) as B. cbv beta in B.
  rewrite forallb_forall in B. specialize (B l). rewrite in_seq, W in B. cbv beta in B.
  specialize (B ltac:(lia)). unfold implb in B.
  rewrite !andb_true_iff, negb_true_iff, !Nat.leb_le, Nat.eqb_neq in B. unfold square. lia.
Qed.

Lemma knight_lands : lands PN fN 8. Proof. apply landsb_lands. vm_compute. reflexivity. Qed.
Lemma king_lands : lands PK fK 8. Proof. apply landsb_lands. vm_compute. reflexivity. Qed.
Lemma pawn_lands : lands (fun i _ => (xg i <=? 7)) (fun i _ => i + 8) 1.
Proof. apply landsb_lands. vm_compute. reflexivity. Qed.
Lemma capture_lands : lands pawn_may fWP 2. Proof. apply landsb_lands. vm_compute. reflexivity. Qed.

Lemma rook_lands l : 1 <= l <= 4 -> lands (fun i => PRl i l) (fun i => fR i l) 7.
Proof.
  intro L. apply landsb_lands. assert (l = 1 \/ l = 2 \/ l = 3 \/ l = 4) as C by lia.
  destruct C as [-> | [-> | [-> | ->]]]; vm_compute; reflexivity.
Qed.

Lemma bishop_lands l : 1 <= l <= 4 -> lands (fun i => PBl i l) (fun i => fB i l) 7.
Proof.
  intro L. apply landsb_lands. assert (l = 1 \/ l = 2 \/ l = 3 \/ l = 4) as C by lia.
  destruct C as [-> | [-> | [-> | ->]]]; vm_compute; reflexivity.
Qed.

Lemma PRl_7 i l k : square i -> PRl i l k = true -> k <= 7.
Proof.
  intros S. pose proof (xg_range i S). pose proof (xv_range i S).
  destruct l as [| [| [| [| [| l]]]]]; cbn [PRl]; try discriminate; rewrite Nat.leb_le; lia.
Qed.

Lemma PBl_7 i l k : square i -> PBl i l k = true -> k <= 7.
Proof.
  intros S. pose proof (xg_range i S). pose proof (xv_range i S).
  destruct l as [| [| [| [| [| l]]]]]; cbn [PBl]; try discriminate;
    rewrite andb_true_iff, !Nat.leb_le; lia.
Qed.

(** Before the edge is what comes before [far]. *)
Definition monotone (P : nat -> nat -> nat -> bool) : Prop :=
  forall i l k, square i -> 1 <= l <= 4 -> 1 <= k -> P i l k = true <-> k < 1 + far P i l.

Lemma far_monotone P : (forall i l k, square i -> P i l k = true -> k <= 7) ->
  forallb (fun i => forallb (fun l => forallb (fun k => Bool.eqb (P i l k) (k <? 1 + far P i l))
    (seq 1 7)) (seq 1 4)) all = true -> monotone P.
Proof.
  intros B A i l k I L K. destruct (le_lt_dec k 7).
  - pose proof (for_all _ A i I) as C. cbv beta in C.
    rewrite forallb_forall in C. specialize (C l). rewrite in_seq in C. specialize (C ltac:(lia)).
    rewrite forallb_forall in C. specialize (C k). rewrite in_seq in C. specialize (C ltac:(lia)).
    apply Bool.eqb_prop in C. rewrite C. apply Nat.ltb_lt.
  - split.
    + intro W. apply B in W; [lia | assumption].
    + intro F. unfold far in F. exfalso.
      assert (length (filter (P i l) (seq 1 7)) <= 7).
      { generalize (P i l). intro g. simpl. destruct (g 1), (g 2), (g 3), (g 4), (g 5), (g 6), (g 7);
          simpl; lia. }
      lia.
Qed.

Lemma PRl_far : monotone PRl.
Proof. apply far_monotone; [exact PRl_7 | vm_compute; reflexivity]. Qed.
Lemma PBl_far : monotone PBl.
Proof. apply far_monotone; [exact PBl_7 | vm_compute; reflexivity]. Qed.

(** ** A vector that shows a board *)

Definition shows (y : vector) (b : board) : Prop :=
  (forall i, square i -> y i = paper_code (get b (sq i))) /\
  (forall i, square i -> known_code (get b (sq i)) = true).

Section Shown.
  Variables (y : vector) (b : board).
  Hypothesis S : shows y b.

  (** A man's code is tested on the board as in the vector. *)
  Lemma stands (c : int) i : square i -> Uint63.ltb c 16 = true -> known_code c = true ->
    Uint63.eqb (get b (sq i)) c = true <-> y i = paper_code c.
  Proof.
    intros I C K. destruct S as [Y B]. rewrite (Y i I), Uint63.eqb_spec. split; [congruence |].
    apply paper_code_facts; auto. apply get_code. now apply sq_64.
  Qed.

  Lemma tested (f : int -> bool) (g : nat -> bool) :
    forallb (fun c => implb (known_code c) (Bool.eqb (f c) (g (paper_code c))))
      [0;1;2;3;4;5;6;7;8;9;10;11;12;13;14;15]%uint63 = true ->
    forall i, square i -> f (get b (sq i)) = g (y i).
  Proof.
    intros A i I. destruct S as [Y B]. rewrite (Y i I).
    pose proof (in_codes _ A _ (get_code b (sq i) (sq_64 i I))) as C. cbv beta in C.
    rewrite (B i I) in C. now apply Bool.eqb_prop in C.
  Qed.

  Lemma empty_shown i : square i -> Uint63.eqb (get b (sq i)) 0 = (y i =? 0).
  Proof. revert i. apply (tested (fun c => Uint63.eqb c 0) (fun n => n =? 0)). reflexivity. Qed.

  Lemma capturable_shown i : square i -> capturable (get b (sq i)) = (8 <=? y i) && (y i <=? 12).
  Proof.
    revert i. apply (tested capturable (fun n => (8 <=? n) && (n <=? 12))). vm_compute. reflexivity.
  Qed.

  Lemma may_enter_shown i : square i -> may_enter b (sq i) = true <-> enter y i.
  Proof.
    intro I. unfold may_enter, enter.
    rewrite empty_shown, capturable_shown, orb_true_iff, andb_true_iff, Nat.eqb_eq, !Nat.leb_le
      by assumption. reflexivity.
  Qed.

  (** A man stands where one of these steps leads. *)
  Lemma on_steps (P : nat -> nat -> bool) f n (c : int) i : lands P f n -> square i ->
    Uint63.ltb c 16 = true -> known_code c = true ->
    on b c (map (fun l => sq (f i l)) (filter (P i) (seq 1 n))) = true <->
    exists l, 1 <= l <= n /\ P i l = true /\ y (f i l) = paper_code c.
  Proof.
    intros A I C K. unfold on. rewrite existsb_exists. split.
    - intros [j [J E]]. apply in_map_iff in J. destruct J as [l [<- L]]. apply filter_In in L.
      destruct L as [L W]. apply in_seq in L. exists l. split; [lia |]. split; [exact W |].
      apply stands in E; auto. apply A; auto. lia.
    - intros [l [L [W E]]]. exists (sq (f i l)). split.
      + apply in_map_iff. exists l. split; [reflexivity |]. apply filter_In. rewrite in_seq.
        split; [lia | exact W].
      + apply stands; auto. apply A; auto.
  Qed.

  (** The first man on a line. *)
  Lemma seen_line (c d : int) (f : nat -> int) n : Uint63.eqb 0 c = false -> Uint63.eqb 0 d = false ->
    forall s, seen b c d (map f (seq s n)) = true <->
    exists k, s <= k < s + n /\ (forall h, s <= h < k -> Uint63.eqb (get b (f h)) 0 = true) /\
      (Uint63.eqb (get b (f k)) c || Uint63.eqb (get b (f k)) d) = true.
  Proof.
    intros C D. induction n as [| n IH]; intro s; simpl.
    - split; [discriminate | intros [k [K _]]; lia].
    - destruct (Uint63.eqb (get b (f s)) 0) eqn:E.
      + rewrite IH. split; intros [k [K [Bt W]]].
        * exists k. split; [lia |]. split; [| exact W]. intros h H.
          destruct (Nat.eq_dec h s) as [-> | N]; [exact E | apply Bt; lia].
        * assert (Ks : k <> s).
          { intros ->. apply Uint63.eqb_spec in E. rewrite E in W. rewrite C, D in W. discriminate. }
          exists k. split; [lia |]. split; [| exact W]. intros h H. apply Bt. lia.
      + split.
        * intro W. exists s. split; [lia |]. split; [intros h H; lia | exact W].
        * intros [k [K [Bt W]]]. destruct (Nat.eq_dec k s) as [-> | N]; [exact W |].
          rewrite (Bt s) in E by lia. discriminate.
  Qed.

  Definition ends (P : nat -> nat -> nat -> bool) (f : nat -> nat -> nat -> nat) : Prop :=
    monotone P /\ forall l, 1 <= l <= 4 -> lands (fun i => P i l) (fun i => f i l) 7.

  Lemma seen_lines P f (c d : int) i : ends P f -> (forall i l k, square i -> P i l k = true -> k <= 7) ->
    square i -> Uint63.eqb 0 c = false -> Uint63.eqb 0 d = false ->
    Uint63.ltb c 16 = true -> known_code c = true -> Uint63.ltb d 16 = true -> known_code d = true ->
    existsb (seen b c d) (lines P f i) = true <->
    exists l k, 1 <= l <= 4 /\ 1 <= k <= 7 /\ P i l k = true /\
      (forall h, 1 <= h < k -> y (f i l h) = 0) /\
      (y (f i l k) = paper_code d \/ y (f i l k) = paper_code c).
  Proof.
    intros [Mono Land] Seven I C D C1 C2 D1 D2. unfold lines. rewrite existsb_exists.
    assert (Sq : forall l h, 1 <= l <= 4 -> 1 <= h -> P i l h = true -> square (f i l h)).
    { intros l h L H W. apply (Land l L i h); auto. split; [lia |]. eapply Seven; eauto. }
    split.
    - intros [j [J E]]. apply in_map_iff in J. destruct J as [l [<- L]]. apply in_seq in L.
      apply seen_line in E; auto. destruct E as [k [K [Bt W]]].
      assert (L4 : 1 <= l <= 4) by lia.
      assert (Pk : P i l k = true) by (apply Mono; auto; lia).
      exists l, k. split; [lia |]. split; [split; [lia | eapply Seven; eauto] |].
      split; [exact Pk |]. split.
      + intros h H. specialize (Bt h ltac:(lia)). apply (stands 0%uint63) in Bt; auto.
        apply Sq; auto; [lia |]. apply Mono; auto; lia.
      + apply orb_true_iff in W. destruct W as [W | W]; [right | left];
          apply stands in W; auto; apply Sq; auto; lia.
    - intros [l [k [L [K [Pk [Bt W]]]]]]. pose proof (proj1 (Mono i l k I L (proj1 K)) Pk) as F.
      exists (map (fun k => sq (f i l k)) (seq 1 (far P i l))). split.
      + apply (in_map (fun l => map (fun k => sq (f i l k)) (seq 1 (far P i l)))). apply in_seq. lia.
      + apply seen_line; auto. exists k. split; [lia |]. split.
        * intros h H. rewrite empty_shown.
          -- apply Nat.eqb_eq. apply Bt. lia.
          -- apply Sq; auto; [lia |]. apply Mono; auto; lia.
        * apply orb_true_iff. destruct W as [W | W]; [right | left];
            apply stands; auto; apply Sq; auto; lia.
  Qed.

  (** *** SafeWKing's five parts are [safe], where no black pawn stands on the last rank. *)
  Lemma safe_shown i : square i -> (forall j, square j -> xg j = 8 -> y j <> 12) ->
    safe b (sq i) = true <->
    SafeWKingN y i /\ SafeWKingP y i /\ SafeWKingK y i /\ SafeWKingRQ y i /\ SafeWKingBQ y i.
  Proof.
    intros I E8. unfold safe. rewrite !andb_true_iff, !negb_true_iff, <- !not_true_iff_false.
    rewrite knight_table, pawn_table, king_table, rook_table, bishop_table by assumption.
    rewrite (on_steps PN fN 8 13%uint63 i knight_lands) by auto.
    rewrite (on_steps PK fK 8 9%uint63 i king_lands) by auto.
    rewrite (on_steps pawn_may fWP 2 14%uint63 i capture_lands) by auto.
    rewrite (seen_lines PRl fR 11 10 i) by (first [exact (conj PRl_far rook_lands) | exact PRl_7 | auto]).
    rewrite (seen_lines PBl fB 12 10 i) by (first [exact (conj PBl_far bishop_lands) | exact PBl_7 | auto]).
    change (paper_code 13) with 11. change (paper_code 9) with 7. change (paper_code 14) with 12.
    change (paper_code 11) with 9. change (paper_code 10) with 8. change (paper_code 12) with 10.
    unfold SafeWKingN, SafeWKingP, SafeWKingK, SafeWKingRQ, SafeWKingBQ, is_true.
    assert (Pawn : ~ (exists l, 1 <= l <= 2 /\ pawn_may i l = true /\ y (fWP i l) = 12) <->
      ~ (xg i <= 6 /\ 2 <= xv i /\ y (i + 7) = 12) /\ ~ (xg i <= 6 /\ xv i <= 7 /\ y (i + 9) = 12)).
    { assert (Six : forall l, 1 <= l <= 2 -> pawn_may i l = true -> y (fWP i l) = 12 -> xg i <= 6).
      { intros l L M Y. destruct (capture_lands i l I L M) as [Sq _].
        specialize (E8 _ Sq).
        assert (G : xg (fWP i l) = xg i + 1).
        { assert (A : forallb (fun i => forallb (fun l => implb (pawn_may i l)
            (xg (fWP i l) =? xg i + 1)) (seq 1 2)) all = true) by (vm_compute; reflexivity).
          pose proof (for_all _ A i I) as B. cbv beta in B. rewrite forallb_forall in B.
          specialize (B l). rewrite in_seq, M in B. apply Nat.eqb_eq. apply B. lia. }
        pose proof (xg_range _ Sq). destruct (Nat.eq_dec (xg (fWP i l)) 8); [| lia].
        exfalso. now apply E8. }
      split.
      - intro N. split; intros [A [B C]]; apply N.
        + exists 1. split; [lia |]. split; [| exact C]. cbn [pawn_may].
          rewrite andb_true_iff, !Nat.leb_le. lia.
        + exists 2. split; [lia |]. split; [| exact C]. cbn [pawn_may].
          rewrite andb_true_iff, !Nat.leb_le. lia.
      - intros [A B] [l [L [M Y]]]. pose proof (Six l L M Y).
        assert (l = 1 \/ l = 2) as [-> | ->] by lia; cbn [pawn_may fWP] in M, Y;
          rewrite andb_true_iff, !Nat.leb_le in M; [apply A | apply B]; intuition. }
    rewrite Pawn. split.
    - intros [[[[N P] K] R] B]. repeat split; try apply P.
      + intros l L [A C]. apply N. eauto.
      + intros l L [A C]. apply K. eauto.
      + intros l k L Q [A [C D]]. apply R. exists l, k. auto.
      + intros l k L Q [A [C D]]. apply B. exists l, k. auto.
    - intros [N [P [K [R B]]]]. repeat split; try apply P.
      + intros [l [L H]]. exact (N l L H).
      + intros [l [L H]]. exact (K l L H).
      + intros [l [k [L [Q [A [C D]]]]]]. apply (R l k L Q). auto.
      + intros [l [k [L [Q [A [C D]]]]]]. apply (B l k L Q). auto.
  Qed.
End Shown.

(** ** The king *)

Lemma king_shown y b i : shows y b -> square i -> y i = 1 -> (forall j, square j -> y j = 1 -> j = i) ->
  king_square b = sq i.
Proof.
  intros S I Y U. unfold king_square. destruct (find _ squares) as [k |] eqn:F.
  - apply find_some in F. destruct F as [F G]. apply in_squares in F.
    destruct (sq_onto k F) as [n [N ->]]. f_equal. apply U; [exact N |].
    now apply (stands y b S 1%uint63) in G.
  - eapply find_none in F; [| apply in_squares, sq_64; exact I]. cbv beta in F.
    assert (G : Uint63.eqb (get b (sq i)) 1 = true) by (apply (stands y b S 1%uint63); auto).
    congruence.
Qed.

Lemma safe_king_shown y b i : shows y b -> square i -> y i = 1 ->
  (forall j, square j -> y j = 1 -> j = i) -> (forall j, square j -> xg j = 8 -> y j <> 12) ->
  safe b (sq i) = true <-> SafeWKing y.
Proof.
  intros S I Y U E8. rewrite (safe_shown y b S i I E8). unfold SafeWKing. split.
  - intro H. exists i. auto.
  - intros [j [J [Yj H]]]. now rewrite <- (U j J Yj).
Qed.
