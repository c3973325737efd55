(** * Bare kings

    What a move can do to the men: it brings the other side none, and a side that has its king alone
    moves only that, and gives no check with it.  [Dead.v] draws the conclusion. *)

From Coq Require Import Uint63 ZArith List Bool Lia.
From Theta Require Import Games Board Rules Cells.
Import ListNotations.
Open Scope uint63_scope.

Ltac absurd_int H :=
  first [apply Uint63.eqb_spec in H | idtac]; vm_compute in H; discriminate H.

Definition white_man (c : int) : bool := (0 <? c) && (c <? 8).

(** White has no man but a king. *)
Definition bare (b : board) : bool :=
  let k := king_square b in
  forallb (fun i => (i =? k) || negb (white_man (get b i))) squares.

Definition first (P : int -> bool) : int :=
  match find P squares with Some i => i | None => 64 end.

Definition minor (c : int) : bool := (c =? 4) || (c =? 5).

(** White has one knight or bishop beside its king, Black its king alone. *)
Definition few (b : board) : bool :=
  let k := king_square b in
  let m := first (fun i => minor (get b i)) in
  let k' := first (fun i => get b i =? 9) in
  forallb (fun i => let c := get b i in
    (c =? 0) || ((c =? 1) && (i =? k)) || (minor c && (i =? m)) || ((c =? 9) && (i =? k')))
    squares.

(** The men of the owner's opponent, seen as White's. *)
Definition theirs (o : side) (p : position) : board :=
  match o with Black => men p | White => mirror_board (men p) end.

(** ** Codes *)

Lemma in_codes (P : int -> bool) :
  forallb P [0;1;2;3;4;5;6;7;8;9;10;11;12;13;14;15] = true ->
  forall c, (c <? 16) = true -> P c = true.
Proof.
  intros A c L. rewrite forallb_forall in A. apply A.
  apply ltb_spec in L. destruct (small_number c 16 L) as [m [M ->]].
  do 16 (destruct m as [| m]; [rewrite <- int_in_spec; vm_compute; reflexivity |]). lia.
Qed.

Lemma swap_code_man c : (c <? 16) = true ->
  implb (9 <=? swap_code c) (white_man c) &&
  implb (white_man (swap_code c)) (9 <=? c) && (swap_code c <? 16) &&
  implb (swap_code c =? 1) (c =? 9) && implb (swap_code c =? 9) (c =? 1) &&
  implb (white_man (swap_code c) && negb (swap_code c =? 1)) (negb (c =? 9)) = true.
Proof. revert c. apply in_codes. vm_compute. reflexivity. Qed.

(** ** Bare kings *)

Definition lone (b : board) : Prop :=
  exists k, forall i, (i <? 64) = true -> white_man (get b i) = true -> i = k /\ get b i = 1.

Lemma king_square_found b : (king_square b <? 64) = true -> get b (king_square b) = 1.
Proof.
  unfold king_square. destruct (find _ squares) as [k |] eqn:F.
  - intros _. apply find_some in F. now apply Uint63.eqb_spec.
  - discriminate.
Qed.

Lemma king_square_none b i : (i <? 64) = true -> get b i = 1 -> (king_square b <? 64) = true.
Proof.
  intros I G. unfold king_square. destruct (find _ squares) as [k |] eqn:F.
  - apply find_some in F. now apply in_squares.
  - eapply find_none in F; [| apply in_squares; exact I]. simpl in F.
    apply Uint63.eqb_spec in G. congruence.
Qed.

Lemma bare_lone b : bare b = true <-> lone b.
Proof.
  unfold bare. rewrite forallb_forall. split.
  - intro A. exists (king_square b). intros i I W.
    specialize (A i (proj1 (in_squares i) I)). rewrite W in A. rewrite orb_false_r in A.
    apply Uint63.eqb_spec in A. split; [assumption |]. subst i. now apply king_square_found.
  - intros [k A] i I. apply in_squares in I.
    destruct (white_man (get b i)) eqn:W; [| apply orb_true_r]. rewrite orb_false_r.
    destruct (A i I W) as [-> G]. apply Uint63.eqb_spec.
    pose proof (king_square_none b k I G) as K.
    pose proof (king_square_found b K) as F.
    destruct (A (king_square b) K) as [E _]; [now rewrite F | now symmetry].
Qed.

(** ** What a candidate does to the board *)

Definition puts (b : board) (l : list (int * int)) : board :=
  fold_left (fun b x => put b (fst x) (snd x)) l b.

Definition within (l : list int) : bool := forallb (fun j => j <? 64) l.

Lemma tables_within i : (i <? 64) = true ->
  within (look king_steps i) && within (look knight_steps i) && within (look pawn_steps i) &&
  forallb within (look rook_lines i) && forallb within (look bishop_lines i) = true.
Proof.
  revert i. apply (all_squares (fun i => within (look king_steps i) && within (look knight_steps i)
    && within (look pawn_steps i) && forallb within (look rook_lines i)
    && forallb within (look bishop_lines i))). vm_compute. reflexivity.
Qed.

Lemma ahead_within i : (i <? 64) = true ->
  implb (i >> 3 <? 7) (i + 8 <? 64) && implb (i >> 3 =? 1) (i + 16 <? 64) &&
  implb (i >> 3 =? 4)
    ((i + 7 <? 64) && (i + 9 <? 64) && (i - 1 <? 64) && (i + 1 <? 64)) = true.
Proof.
  revert i. apply (all_squares (fun i => implb (i >> 3 <? 7) (i + 8 <? 64) &&
    implb (i >> 3 =? 1) (i + 16 <? 64) &&
    implb (i >> 3 =? 4) ((i + 7 <? 64) && (i + 9 <? 64) && (i - 1 <? 64) && (i + 1 <? 64)))).
  vm_compute. reflexivity.
Qed.

Lemma reach_in p l j : In j (reach p l) -> In j l.
Proof.
  induction l as [| a l IH]; simpl; [tauto |].
  destruct (get (men p) a =? 0); [simpl; tauto |].
  destruct (capturable (get (men p) a)); simpl; tauto.
Qed.

Lemma men_with_mark z f : men (with_mark z f) = men z.
Proof. unfold with_mark. simpl. now destruct (can_take_passing _ _). Qed.

(** The man on i goes to j and stands there as d: one of the ways that a candidate changes the
    board. *)
Definition quiet (p : position) (i : int) (c : candidate) : Prop :=
  exists j d rights promotion k, (j <? 64) = true /\ (1 <=? d) = true /\ (d <=? 6) = true /\
    c = go p k i j d rights promotion.

Lemma leaps_quiet p k i l d r c : within l = true -> (1 <=? d) = true -> (d <=? 6) = true ->
  In c (leaps p k i l d r) -> quiet p i c.
Proof.
  intros W D E I. unfold leaps in I. apply in_map_iff in I. destruct I as [j [<- I]].
  apply filter_In in I. destruct I as [I _]. unfold within in W. rewrite forallb_forall in W.
  exists j, d, r, 0, k. auto.
Qed.

Lemma slides_quiet p k i l d r c : forallb within l = true -> (1 <=? d) = true ->
  (d <=? 6) = true -> In c (slides p k i l d r) -> quiet p i c.
Proof.
  intros W D E I. unfold slides in I. apply in_map_iff in I. destruct I as [j [<- I]].
  apply in_flat_map in I. destruct I as [m [M I]]. apply reach_in in I.
  rewrite forallb_forall in W. specialize (W m M). unfold within in W. rewrite forallb_forall in W.
  exists j, d, r, 0, k. auto.
Qed.

Lemma targets_within p i j : (i <? 64) = true -> (i >> 3 <? 7) = true ->
  In j (pawn_targets p i) -> (j <? 64) = true.
Proof.
  intros I Y T. pose proof (tables_within i I) as W. rewrite !andb_true_iff in W.
  pose proof (ahead_within i I) as A. rewrite Y, !andb_true_iff in A.
  unfold pawn_targets in T. apply in_app_iff in T. destruct T as [T | T].
  - apply filter_In in T. destruct W as [[[_ W] _] _]. unfold within in W.
    rewrite forallb_forall in W. now apply W.
  - destruct (get (men p) (i + 8) =? 0); [| contradiction].
    destruct T as [<- | []]. now destruct A as [[A _] _].
Qed.

(** Every candidate puts a man of White's, or nothing, on some squares. *)
Lemma candidate_puts p k i c : (i <? 64) = true -> In c (candidates_of p k i) ->
  exists l, men (after_of c) = puts (men p) l /\
    forall x, In x l -> (fst x <? 64) = true /\ (snd x <=? 6) = true.
Proof.
  intros I C.
  assert (Q : quiet p i c -> exists l, men (after_of c) = puts (men p) l /\
    forall x, In x l -> (fst x <? 64) = true /\ (snd x <=? 6) = true).
  { intros [j [d [r [m [k' [J [D [E ->]]]]]]]]. exists [(i, 0); (j, d)].
    split; [reflexivity |]. intros x [<- | [<- | []]]; simpl; split; auto. }
  pose proof (tables_within i I) as W. rewrite !andb_true_iff in W.
  destruct W as [[[[WK WN] WP] WR] WB].
  pose proof (ahead_within i I) as A. rewrite !andb_true_iff in A. destruct A as [[A8 A16] A4].
  unfold candidates_of in C.
  destruct (get (men p) i =? 0); [contradiction |].
  destruct (7 <=? get (men p) i); [contradiction |].
  destruct (get (men p) i =? 1).
  { rewrite !in_app_iff in C. destruct C as [C | [C | C]].
    - eapply Q, leaps_quiet; [| | | exact C]; first [assumption | reflexivity].
    - unfold castle_long in C. destruct (_ && _) in C; [| contradiction]. destruct C as [<- | []].
      exists [(0, 0); (2, 1); (3, 3); (4, 0)]. split; [reflexivity |].
      simpl. intros x X. repeat (destruct X as [<- | X]; [split; reflexivity |]). contradiction.
    - unfold castle_short in C. destruct (_ && _) in C; [| contradiction]. destruct C as [<- | []].
      exists [(4, 0); (5, 3); (6, 1); (7, 0)]. split; [reflexivity |].
      simpl. intros x X. repeat (destruct X as [<- | X]; [split; reflexivity |]). contradiction. }
  destruct (get (men p) i =? 2).
  { apply in_app_iff in C. destruct C as [C | C];
      (eapply Q, slides_quiet; [| | | exact C]; first [assumption | reflexivity]). }
  destruct (get (men p) i =? 3); [eapply Q, slides_quiet; [| | | exact C]; first [assumption | reflexivity] |].
  destruct (get (men p) i =? 4); [eapply Q, slides_quiet; [| | | exact C]; first [assumption | reflexivity] |].
  destruct (get (men p) i =? 5); [eapply Q, leaps_quiet; [| | | exact C]; first [assumption | reflexivity] |].
  assert (One : (i >> 3 <? 7) = true -> In c (pawn_one p k i) -> quiet p i c).
  { intros Y T. unfold pawn_one in T. apply in_map_iff in T. destruct T as [j [<- T]].
    exists j, 6, (wrights p), 0, k. repeat split. eapply targets_within; eauto. }
  destruct (i >> 3 =? 6) eqn:Y6.
  { apply Uint63.eqb_spec in Y6. unfold pawn_promotes in C. apply in_flat_map in C.
    destruct C as [j [J C]]. apply in_map_iff in C. destruct C as [d [<- D]]. apply Q.
    exists j, d, (wrights p), d, k. repeat split.
    - eapply targets_within; eauto. now rewrite Y6.
    - simpl in D. repeat (destruct D as [<- | D]; [reflexivity |]). contradiction.
    - simpl in D. repeat (destruct D as [<- | D]; [reflexivity |]). contradiction. }
  destruct (i >> 3 =? 1) eqn:Y1.
  { apply in_app_iff in C. destruct C as [C | C].
    - apply Q, One; [| assumption]. apply Uint63.eqb_spec in Y1. now rewrite Y1.
    - unfold pawn_two in C. destruct (_ && _) in C; [| contradiction]. destruct C as [<- | []].
      exists [(i, 0); (i + 16, 6)]. split; [simpl; now rewrite men_with_mark |].
      simpl in A16. intros x [<- | [<- | []]]; simpl; auto. }
  destruct (i >> 3 =? 4) eqn:Y4.
  { apply in_app_iff in C. destruct C as [C | C].
    - apply Q, One; [| assumption]. apply Uint63.eqb_spec in Y4. now rewrite Y4.
    - simpl in A4. rewrite !andb_true_iff in A4. destruct A4 as [[[A7 A9] Am] Ap].
      unfold pawn_passing in C. apply in_app_iff in C. destruct C as [C | C];
        destruct (_ && _) in C; try contradiction; destruct C as [<- | []];
        [exists [(i, 0); (i - 1, 0); (i + 7, 6)] | exists [(i, 0); (i + 1, 0); (i + 9, 6)]];
        (split; [reflexivity |]); intros x [<- | [<- | [<- | []]]]; simpl; auto. }
  destruct ((1 <? i >> 3) && (i >> 3 <? 6)) eqn:Y; [| contradiction].
  apply Q, One; [| assumption]. apply andb_true_iff in Y. destruct Y as [_ Y].
  apply ltb_spec in Y. apply ltb_spec. change (to_Z 6) with 6%Z in Y. change (to_Z 7) with 7%Z. lia.
Qed.

Lemma puts_black l : forall b x, (forall y, In y l -> (fst y <? 64) = true /\ (snd y <? 8) = true) ->
  (x <? 64) = true -> (8 <=? get (puts b l) x) = true -> get (puts b l) x = get b x.
Proof.
  induction l as [| [i v] l IH]; simpl; intros b x A X G; [reflexivity |].
  assert (A' : forall y, In y l -> (fst y <? 64) = true /\ (snd y <? 8) = true) by auto.
  destruct (A (i, v) (or_introl eq_refl)) as [I V]. simpl in I, V.
  rewrite (IH _ x A' X G) in G |- *.
  assert (V' : (v <? 16) = true).
  { apply ltb_spec in V. apply ltb_spec. change (to_Z 8) with 8%Z in V.
    change (to_Z 16) with 16%Z. lia. }
  rewrite get_put_cases in * by assumption. destruct (i =? x); [| reflexivity].
  exfalso. apply ltb_spec in V. apply leb_spec in G. lia.
Qed.

Lemma in_white_moves p c : In c (white_moves p) ->
  is_move c = true /\ exists i, (i <? 64) = true /\
    In c (candidates_of p (king_square (men p)) i).
Proof.
  unfold white_moves. intro I. apply filter_In in I. destruct I as [I M]. split; [assumption |].
  unfold candidates in I. apply in_flat_map in I. destruct I as [y [Y I]].
  destruct (row (men p) y =? 0); [contradiction |].
  apply in_flat_map in I. destruct I as [i [J I]]. exists i. split; [| assumption].
  assert (A : forallb (fun y => within (row_squares y)) rows = true) by (vm_compute; reflexivity).
  rewrite forallb_forall in A. specialize (A y Y). unfold within in A.
  rewrite forallb_forall in A. now apply A.
Qed.

(** ** A move of White's brings Black no man. *)
Lemma lone_black_kept p c : In c (white_moves p) ->
  lone (mirror_board (men p)) -> lone (mirror_board (men (after_of c))).
Proof.
  intros I [k L]. apply in_white_moves in I. destruct I as [_ [i [I C]]].
  destruct (candidate_puts _ _ _ _ I C) as [l [E A6]]. rewrite E.
  assert (A : forall x, In x l -> (fst x <? 64) = true /\ (snd x <? 8) = true).
  { intros x X. destruct (A6 x X) as [X1 X2]. split; [assumption |].
    apply leb_spec in X2. apply ltb_spec. change (to_Z 6) with 6%Z in X2.
    change (to_Z 8) with 8%Z. lia. }
  exists k. intros x X W. rewrite get_mirror in * by assumption.
  pose proof (flip_square x X) as FX.
  set (c' := get (puts (men p) l) (flip x)) in *.
  assert (B : (9 <=? c') = true).
  { pose proof (swap_code_man c' (get_code _ _ FX)) as S. rewrite !andb_true_iff in S.
    destruct S as [[[[[_ S] _] _] _] _]. rewrite W in S. exact S. }
  assert (B8 : (8 <=? c') = true).
  { apply leb_spec in B. apply leb_spec. change (to_Z 9) with 9%Z in B.
    change (to_Z 8) with 8%Z. lia. }
  assert (c' = get (men p) (flip x)) as -> by (apply puts_black; auto).
  specialize (L x X). rewrite get_mirror in L by assumption. auto.
Qed.

(** ** A bare king moves only, and gives no check. *)

Lemma king_steps_mirror i : (i <? 64) = true ->
  forallb (fun j => int_in (flip i) (look king_steps (flip j))) (look king_steps i) = true.
Proof.
  revert i. apply (all_squares (fun i =>
    forallb (fun j => int_in (flip i) (look king_steps (flip j))) (look king_steps i))).
  vm_compute. reflexivity.
Qed.

Lemma seen_in b c d l : seen b c d l = true -> exists j, In j l /\ (get b j = c \/ get b j = d).
Proof.
  induction l as [| a l IH]; simpl; [discriminate |].
  destruct (get b a =? 0).
  - intro S. destruct (IH S) as [j [J G]]. eauto.
  - rewrite orb_true_iff, !Uint63.eqb_spec. intros. exists a. auto.
Qed.

Lemma lone_king_moves p c : In c (white_moves p) -> lone (men p) ->
  exists i j, (i <? 64) = true /\ (j <? 64) = true /\ get (men p) i = 1 /\
    king_of c = j /\ men (after_of c) = put (put (men p) i 0) j 1 /\ is_move c = true.
Proof.
  intros I [k L]. apply in_white_moves in I. destruct I as [M [i [I C]]].
  pose proof (tables_within i I) as W. rewrite !andb_true_iff in W. destruct W as [[[[W _] _] _] _].
  unfold candidates_of in C.
  destruct (get (men p) i =? 0) eqn:E0; [contradiction |].
  destruct (7 <=? get (men p) i) eqn:E7; [contradiction |].
  assert (WM : white_man (get (men p) i) = true).
  { unfold white_man. apply andb_true_iff. rewrite !ltb_spec.
    change (to_Z 0) with 0%Z. change (to_Z 8) with 8%Z. pose proof (to_Z_bounded (get (men p) i)).
    assert (~ (7 <= to_Z (get (men p) i))%Z)
      by (intro Z; apply (proj2 (leb_spec 7 _)) in Z; congruence).
    assert (to_Z (get (men p) i) <> 0%Z); [| lia].
    intro Z. assert (get (men p) i = 0) as G by (apply to_Z_inj; exact Z).
    rewrite G in E0. discriminate. }
  destruct (L i I WM) as [Ek G]. rewrite G in C. simpl in C. rewrite !in_app_iff in C.
  destruct C as [C | [C | C]].
  - unfold leaps in C. apply in_map_iff in C. destruct C as [j [<- J]].
    apply filter_In in J. destruct J as [J _]. unfold within in W. rewrite forallb_forall in W.
    exists i, j. repeat split; auto.
  - exfalso. unfold castle_long in C. destruct (_ && _) eqn:Q in C; [| contradiction].
    rewrite !andb_true_iff in Q. destruct Q as [[[[[[_ Q] _] _] _] _] _].
    apply Uint63.eqb_spec in Q. destruct (L 0 eq_refl) as [_ B]; rewrite Q in *;
      [reflexivity | absurd_int B].
  - exfalso. unfold castle_short in C. destruct (_ && _) eqn:Q in C; [| contradiction].
    rewrite !andb_true_iff in Q. destruct Q as [[[[[_ Q] _] _] _] _].
    apply Uint63.eqb_spec in Q. destruct (L 7 eq_refl) as [_ B]; rewrite Q in *;
      [reflexivity | absurd_int B].
Qed.

Lemma lone_kept p c : In c (white_moves p) -> lone (men p) ->
  lone (men (after_of c)) /\ safe_king (mirror_board (men (after_of c))) = true.
Proof.
  intros I Lp. destruct (lone_king_moves p c I Lp) as [i [j [Ii [J [G [K [E M]]]]]]].
  destruct Lp as [k L]. set (b' := men (after_of c)) in *.
  assert (L' : forall x, (x <? 64) = true -> white_man (get b' x) = true -> x = j /\ get b' x = 1).
  { intros x X W. rewrite E in *. rewrite !get_put_cases in * by auto.
    destruct (j =? x) eqn:JX; [apply Uint63.eqb_spec in JX; auto |].
    destruct (i =? x) eqn:IX; [discriminate |]. exfalso.
    destruct (L x X W) as [-> _]. destruct (L i Ii) as [-> _]; [now rewrite G |].
    assert (k =? k = true) by now apply Uint63.eqb_spec. congruence. }
  split; [exists j; exact L' |].
  unfold safe_king. destruct (king_square (mirror_board b') <? 64) eqn:KS; [| reflexivity].
  set (k' := king_square (mirror_board b')) in *.
  pose proof (king_square_found _ KS) as GK. fold k' in GK. rewrite get_mirror in GK by exact KS.
  pose proof (flip_square _ KS) as FK.
  pose proof (swap_code_man _ (get_code b' _ FK)) as SK. rewrite GK in SK.
  rewrite !andb_true_iff in SK. destruct SK as [[[_ SK] _] _]. apply Uint63.eqb_spec in SK.
  pose proof (tables_within k' KS) as W. rewrite !andb_true_iff in W.
  destruct W as [[[[WK WN] WP] WR] WB].
  (* A man of White's seen in the mirror is the king on j. *)
  assert (Man : forall x, (x <? 64) = true -> (9 <=? get (mirror_board b') x) = true ->
    flip x = j /\ get (mirror_board b') x = 9).
  { intros x X N. rewrite get_mirror in * by exact X. pose proof (flip_square x X) as FX.
    pose proof (swap_code_man _ (get_code b' _ FX)) as S. rewrite N in S.
    rewrite !andb_true_iff in S. destruct S as [[[[[S _] _] _] _] _].
    destruct (L' _ FX S) as [-> G1]. rewrite G1. split; reflexivity. }
  assert (Off : forall x d, (x <? 64) = true -> (9 <? d) = true ->
    get (mirror_board b') x = d -> False).
  { intros x d X D Q. destruct (Man x X) as [_ N].
    - rewrite Q. apply ltb_spec in D. apply leb_spec. lia.
    - rewrite Q in N. rewrite N in D. apply ltb_spec in D. lia. }
  assert (OffOn : forall d l, within l = true -> (9 <? d) = true -> on (mirror_board b') d l = false).
  { intros d l Wl D. unfold on. destruct (existsb _ l) eqn:X; [| reflexivity].
    apply existsb_exists in X. destruct X as [x [X Q]]. apply Uint63.eqb_spec in Q.
    unfold within in Wl. rewrite forallb_forall in Wl. exfalso. apply (Off x d); auto. }
  assert (OffSeen : forall d e ls, forallb within ls = true -> (9 <? d) = true -> (9 <? e) = true ->
    existsb (seen (mirror_board b') d e) ls = false).
  { intros d e ls Wl D D'. destruct (existsb _ ls) eqn:X; [| reflexivity].
    apply existsb_exists in X. destruct X as [l [X Q]]. apply seen_in in Q.
    destruct Q as [x [Xl Q]]. rewrite forallb_forall in Wl. specialize (Wl l X).
    unfold within in Wl. rewrite forallb_forall in Wl. exfalso.
    destruct Q as [Q | Q]; [apply (Off x d) | apply (Off x e)]; auto. }
  unfold safe. rewrite !OffOn, !OffSeen by auto. simpl.
  rewrite andb_true_r, andb_true_r. apply negb_true_iff.
  destruct (on (mirror_board b') 9 (look king_steps k')) eqn:X; [| reflexivity]. exfalso.
  unfold on in X. apply existsb_exists in X. destruct X as [x [X Q]]. apply Uint63.eqb_spec in Q.
  pose proof WK as WK'. unfold within in WK'. rewrite forallb_forall in WK'.
  destruct (Man x (WK' x X)) as [FX _]; [now rewrite Q |].
  pose proof (king_steps_mirror k' KS) as KM. rewrite forallb_forall in KM.
  specialize (KM x X). rewrite FX in KM. apply int_in_spec in KM.
  (* So the owner's king stands beside j, where White's king would not have been safe. *)
  unfold is_move in M. rewrite K, J in M. fold b' in M. unfold safe in M.
  rewrite !andb_true_iff in M. destruct M as [[[_ M] _] _]. apply negb_true_iff in M.
  unfold on in M. assert (existsb (fun y => get b' y =? 9) (look king_steps j) = true); [| congruence].
  apply existsb_exists. exists (flip k'). split; [assumption | now apply Uint63.eqb_spec].
Qed.

(** ** Sides move in turn *)

Lemma candidate_black p k i c : In c (candidates_of p k i) -> black (after_of c) = true.
Proof.
  intro C. unfold candidates_of in C.
  assert (T : forall z f, black (with_mark z f) = black z).
  { intros z f. unfold with_mark. simpl. now destruct (can_take_passing _ _). }
  repeat (match type of C with In _ (if ?t then _ else _) => destruct t end); try contradiction;
    unfold leaps, slides, castle_long, castle_short, pawn_one, pawn_two, pawn_passing, pawn_promotes in C;
    repeat (rewrite in_app_iff in C || (destruct C as [C | C]));
    repeat (match type of C with In _ (if ?t then _ else _) => destruct t end); try contradiction;
    try (destruct C as [<- | []]; simpl; rewrite ?T; reflexivity);
    try (apply in_flat_map in C; destruct C as [? [_ C]]);
    try (apply in_map_iff in C; destruct C as [? [<- _]]; reflexivity).
Qed.

Lemma after_black p c : In c (white_moves p) -> black (after_of c) = true.
Proof. intro I. apply in_white_moves in I. destruct I as [_ [i [_ C]]]. eapply candidate_black; eauto. Qed.

Lemma turns_alternate p z : In z (successors p) -> black z = negb (black p).
Proof.
  unfold successors. destruct (black p).
  - intro I. apply in_map_iff in I. destruct I as [c [<- I]]. simpl.
    now rewrite (after_black _ _ I).
  - intro I. apply in_map_iff in I. destruct I as [c [<- I]]. now apply after_black in I.
Qed.
