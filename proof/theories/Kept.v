(** * What moves keep

    [moves_keep_legal]: what the paper's moves lead to is legal; [moves_keep_sound]: and the computed
    ones lead from sound positions to sound ones, so that every position of a game is sound. *)

From Coq Require Import Uint63 ZArith List Bool Lia Arith.
From Theta Require Import Games Board Rules Cells Bare Dead Checker Vector Paper Squares Men Refined.
Import ListNotations.
Open Scope nat_scope.

(** One king each and no pawn on the edge. *)
Definition in_order (y : vector) : Prop := one y 1 /\ one y 7 /\ no_pawn_on_the_edge y.

Lemma in_order_same y z : same y z -> in_order y -> in_order z.
Proof.
  intros E [A [B C]]. split; [| split]; [now apply (one_same y) | now apply (one_same y) |].
  now apply (edge_same y).
Qed.

Lemma in_order_exchanged y : in_order y -> in_order (exchanged y).
Proof.
  intros [A [B C]]. split; [| split]; [now apply one_exchanged | now apply one_exchanged |].
  now apply edge_exchanged.
Qed.

(** The values written, one by one. *)
Ltac written :=
  let x := fresh "x" in let Q := fresh "Q" in let S := fresh "S" in
  intros x Q S; simpl in Q; unfold square in S;
  repeat (destruct Q as [<- | Q]; [cbn [fst snd] in *; try lia |]); try contradiction.

(** A man other than the king goes from i to j. *)
Lemma step_keeps y i j d L z : in_order y -> square i -> square j -> i <> j -> 2 <= y i <= 6 ->
  enter y j -> 2 <= d <= 6 -> (d = 6 -> 2 <= xg j <= 7) ->
  (forall x, In x L -> square (fst x) -> x = (i, 0) \/ x = (j, d)) ->
  becomes y L z -> in_order z.
Proof.
  intros [A [B C]] I J N Yi En D X Sq Z. apply (in_order_same (upd y L)); [now apply same_sym |].
  unfold enter in En. split; [| split].
  - apply one_kept; [exact A |]. intros x Q S. destruct (Sq x Q S) as [-> | ->]; cbn [fst snd]; lia.
  - apply one_kept; [exact B |]. intros x Q S. destruct (Sq x Q S) as [-> | ->]; cbn [fst snd]; lia.
  - apply edge_kept; [exact C |]. intros x Q S H.
    destruct (Sq x Q S) as [-> | ->]; cbn [fst snd] in *; [lia |]. split; [intros -> | lia].
    specialize (X eq_refl). lia.
Qed.

Lemma king_keeps y L K z : in_order y -> square K -> upd y L K = 1 ->
  (forall j, square j -> upd y L j = 1 -> j = K) ->
  (forall x, In x L -> square (fst x) -> y (fst x) <> 7 /\ snd x <> 7 /\ snd x <> 6 /\ snd x <> 12) ->
  becomes y L z -> in_order z.
Proof.
  intros [A [B C]] IK YK U V Z. apply (in_order_same (upd y L)); [now apply same_sym |].
  split; [| split].
  - exists K. auto.
  - apply one_kept; [exact B |]. intros x Q S. destruct (V x Q S) as [V1 [V2 _]]. auto.
  - apply edge_kept; [exact C |]. intros x Q S _. destruct (V x Q S) as [_ [_ [V3 V4]]]. auto.
Qed.

Lemma pawn_step_lands y i l : square i -> 1 <= l <= 3 -> (PWP1 y i l \/ PWP8 y i l) ->
  square (fWP i l) /\ xg (fWP i l) = xg i + 1 /\ i <> fWP i l /\ enter y (fWP i l).
Proof.
  intros I L H.
  assert (X : xg i <= 7) by (destruct l as [| [| [| l]]]; destruct H as [H | H]; cbn [PWP1 PWP8] in H; lia).
  assert (T : target y i l).
  { destruct l as [| [| [| l]]]; destruct H as [H | H]; cbn [PWP1 PWP8 target] in *; try lia. }
  now apply target_lands.
Qed.

Ltac on_squares :=
  let x := fresh "x" in let Q := fresh "Q" in let S := fresh "S" in
  intros x Q S; simpl in Q; unfold square in S;
  repeat (destruct Q as [<- | Q]; [cbn [fst snd] in *; first [lia | tauto] |]); try contradiction.

Lemma white_keeps y z : in_order y -> WhiteMoves y z -> in_order z /\ z 0 = 1 /\ SafeWKing z.
Proof.
  intro O. pose proof O as [[K [IK [YK UK]]] _].
  assert (Zero : forall L, becomes y L z -> upd y L 0 = 1 -> z 0 = 1).
  { intros L Z E. rewrite (Z 0) by lia. exact E. }
  unfold WhiteMoves, WhiteKing, WhiteQueen, WhiteRook, WhiteBishop, WhiteKnight, WhitePawn.
  assert (Line : forall P f, ends P f -> (forall i l k, square i -> P i l k = true -> k <= 7) ->
    forall i l h, square i -> 1 <= l <= 4 -> 1 <= h -> P i l h = true ->
    square (f i l h) /\ i <> f i l h).
  { intros P f [_ Land] Seven i l h I L H Q.
    destruct (Land l L i h I ltac:(split; [lia | eapply Seven; eauto]) Q). auto. }
  pose proof (Line PRl fR (conj PRl_far rook_lands) PRl_7) as LR.
  pose proof (Line PBl fB (conj PBl_far bishop_lands) PBl_7) as LB.
  clear Line.
  intros [[i [I [E H]]] | [[i [I [E H]]] | [[i [I [E H]]] | [[i [I [E H]]] | [[i [I [E H]]] |
    [i [I [E H]]]]]]]].
  - assert (i = K) by auto. subst K. destruct H as [[l [L [Q [En [Z S]]]]] | [[P [Z S]] | [P [Z S]]]].
    + destruct (king_lands i l I L Q) as [J N]. set (j := fK i l) in *.
      unfold enter in En. split; [| split; [| exact S]].
      * apply (fun a b c d => king_keeps y _ j z O a b c d Z); [exact J | | |].
        -- keys; auto.
        -- intros t T. keys; intro R; try discriminate; auto. apply UK in R; [congruence | exact T].
        -- on_squares.
      * apply (Zero _ Z). keys. reflexivity.
    + unfold PWKROOO in P. assert (i = 5) by apply P. subst i. split; [| split; [| exact S]].
      * apply (fun a b c d => king_keeps y _ 3 z O a b c d Z); [now apply sq_in | reflexivity | |].
        -- intros t T. keys; intro R; try discriminate; auto. apply UK in R; [congruence | exact T].
        -- on_squares.
      * now apply (Zero _ Z).
    + unfold PWKROO in P. assert (i = 5) by apply P. subst i. split; [| split; [| exact S]].
      * apply (fun a b c d => king_keeps y _ 7 z O a b c d Z); [now apply sq_in | reflexivity | |].
        -- intros t T. keys; intro R; try discriminate; auto. apply UK in R; [congruence | exact T].
        -- on_squares.
      * now apply (Zero _ Z).
  - destruct H as [l [h [L [Hh [[Q [_ [En [Z S]]]] | [Q [_ [En [Z S]]]]]]]]].
    + destruct (LB i l h I L Hh Q) as [J N]. set (j := fB i l h) in *. split; [| split; [| exact S]].
      * eapply (step_keeps y i j 2); try exact Z; auto; try lia. on_squares.
      * apply (Zero _ Z). keys. reflexivity.
    + destruct (LR i l h I L Hh Q) as [J N]. set (j := fR i l h) in *. split; [| split; [| exact S]].
      * eapply (step_keeps y i j 2); try exact Z; auto; try lia. on_squares.
      * apply (Zero _ Z). keys. reflexivity.
  - destruct H as [l [h [L [Hh [Q [_ [En [Z S]]]]]]]].
    destruct (LR i l h I L Hh Q) as [J N]. set (j := fR i l h) in *. split; [| split; [| exact S]].
    + eapply (step_keeps y i j 3); try exact Z; auto; try lia. on_squares.
    + apply (Zero _ Z). keys. reflexivity.
  - destruct H as [l [h [L [Hh [Q [_ [En [Z S]]]]]]]].
    destruct (LB i l h I L Hh Q) as [J N]. set (j := fB i l h) in *. split; [| split; [| exact S]].
    + eapply (step_keeps y i j 4); try exact Z; auto; try lia. on_squares.
    + apply (Zero _ Z). keys. reflexivity.
  - destruct H as [l [L [Q [En [Z S]]]]]. destruct (knight_lands i l I L Q) as [J N].
    set (j := fN i l) in *. split; [| split; [| exact S]].
    + eapply (step_keeps y i j 5); try exact Z; auto; try lia. on_squares.
    + apply (Zero _ Z). keys. reflexivity.
  - pose proof (xg_range i I) as Xr.
    destruct H as [[l [L [P [Z S]]]] | [[P [Z S]] | [[l [L [P [Z S]]]] | [l [l2 [L [L2 [P [Z S]]]]]]]]].
    + destruct (pawn_step_lands y i l I L (or_introl P)) as [J [Xj [N En]]].
      assert (X6 : xg i <= 6) by (destruct l as [| [| [| l]]]; apply P).
      set (j := fWP i l) in *. split; [| split; [| exact S]].
      * eapply (step_keeps y i j 6); try exact Z; auto; try lia. on_squares.
      * apply (Zero _ Z). keys. reflexivity.
    + destruct P as [X [E8 E16]]. destruct (two_squares i I X) as [_ [_ [J [Xj _]]]].
      set (j := i + 16) in *. assert (N : i <> j) by (unfold j; lia).
      assert (Z' : exists m, becomes y [(i, 0); (j, 6); (65, m); (0, 1); (66, 0)] z).
      { destruct Z as [[_ Z] | [_ Z]].
        - exists (xv i). exact Z.
        - exists 0. unfold becomes in *. eapply same_trans; [exact Z |].
          apply same_cases; intros; keys; reflexivity. }
      destruct Z' as [m Z']. split; [| split; [| exact S]].
      * eapply (step_keeps y i j 6); try exact Z'; auto; try lia; [now left | on_squares].
      * apply (Zero _ Z'). keys. reflexivity.
    + assert (X : xg i = 5) by (destruct l as [| [| l]]; apply P).
      destruct (beside i I X) as [_ [_ [_ [_ [S1 [S2 [S7 [S9 _]]]]]]]].
      assert (Q : square (fWP i l) /\ square (fWP i l - 8) /\ i <> fWP i l /\ i <> fWP i l - 8 /\
        y (fWP i l) = 0 /\ y (fWP i l - 8) = 12 /\ xg (fWP i l) = 6).
      { assert (T : forall l, 1 <= l <= 2 -> pawn_may i l = true -> xg (fWP i l) = 6).
        { intros m M W. rewrite (captures_rank i m I M W). lia. }
        assert (l = 1 \/ l = 2) as [-> | ->] by lia; cbn [PWPEP fWP] in *;
          [replace (i + 7 - 8) with (i - 1) by lia | replace (i + 9 - 8) with (i + 1) by lia];
          [specialize (T 1) | specialize (T 2)]; cbn [pawn_may fWP] in T;
          rewrite andb_true_iff, !Nat.leb_le in T; unfold square in *; intuition lia. }
      destruct Q as [J [F [N1 [N2 [Yj [Yf Xj]]]]]].
      set (j := fWP i l) in *. set (f := j - 8) in *. split; [| split; [| exact S]].
      * apply (in_order_same (upd y [(i, 0); (f, 0); (j, 6); (65, 0); (0, 1); (66, 0)]));
          [now apply same_sym |]. destruct O as [A [B C]]. split; [| split].
        -- apply one_kept; [exact A |]. on_squares.
        -- apply one_kept; [exact B |]. on_squares.
        -- apply edge_kept; [exact C |]. intros x Q Sx H. simpl in Q. unfold square in Sx.
           repeat (destruct Q as [<- | Q]; [cbn [fst snd] in *; lia |]). contradiction.
      * apply (Zero _ Z). keys. reflexivity.
    + destruct (pawn_step_lands y i l I L (or_intror P)) as [J [Xj [N En]]].
      set (j := fWP i l) in *. split; [| split; [| exact S]].
      * eapply (step_keeps y i j (l2 + 1)); try exact Z; auto; try lia. on_squares.
      * apply (Zero _ Z). keys. reflexivity.
Qed.

(** *** What the paper's moves lead to is legal. *)
Theorem moves_keep_legal y z : Legal y -> Moves y z -> Legal z.
Proof.
  intros [A [B [C _]]] [[T M] | [T M]].
  - destruct (white_keeps y z (conj A (conj B C)) M) as [[A' [B' C']] [Z S]].
    refine (conj A' (conj B' (conj C' (conj _ (fun _ => S))))). intro Q. congruence.
  - destruct (white_keeps (exchanged y) (exchanged z)
      (in_order_exchanged y (conj A (conj B C))) M) as [O [Z S]].
    apply in_order_exchanged in O. apply (in_order_same _ _ (exchanged_twice z)) in O.
    destruct O as [A' [B' C']].
    refine (conj A' (conj B' (conj C' (conj (fun _ => S) _)))).
    intro Q. unfold exchanged in Z. cbn [Nat.eqb] in Z. rewrite Q in Z. discriminate.
Qed.

Lemma sound_in_order p : sound p <-> well_formed p /\ in_order (component p).
Proof. reflexivity. Qed.

(** *** Moves keep positions sound, and so every position of a game is. *)
Theorem moves_keep_sound p q : sound p -> In q (successors p) -> sound q.
Proof.
  intros So Q. pose proof So as [W O]. split; [eapply moves_keep_well_formed; eauto |].
  assert (M : Moves (component p) (component q)).
  { apply (rules_refined p); [exact So | apply same_refl |]. exists q.
    split; [exact Q | apply same_refl]. }
  change (in_order (component q)). destruct M as [[_ M] | [_ M]].
  - now apply (white_keeps (component p)).
  - apply (in_order_same _ _ (exchanged_twice (component q))). apply in_order_exchanged.
    apply (white_keeps (exchanged (component p))); [now apply in_order_exchanged | exact M].
Qed.

Theorem reached_sound p q : sound p -> @reaches chess p q -> sound q.
Proof. intros S R. induction R; [assumption |]. apply IHR. eapply moves_keep_sound; eauto. Qed.

(** *** The vector after a move of the paper's is that of one well-formed position. *)
Corollary moves_well_formed p z : sound p -> Moves (component p) z ->
  exists q, well_formed q /\ same z (component q).
Proof.
  intros So M. apply (rules_refined p) in M; [| exact So | apply same_refl]. destruct M as [q [Q Z]]. exists q.
  split; [eapply moves_keep_well_formed; [apply So | exact Q] | exact Z].
Qed.
