(** * One knight or bishop against a bare king gives no mate

    Where a knight or bishop gives check, the king can step to a square of the other colour, which a
    computation finds for every placing of the three men ([few_no_mate]).  [Dead.v] draws the
    conclusion. *)

From Coq Require Import Uint63 ZArith List Bool Lia.
From Theta Require Import Games Board Rules Cells Bare.
Import ListNotations.
Open Scope uint63_scope.

(** ** One knight or bishop against a bare king *)

Definition kings_and_minor (b : board) : Prop :=
  exists k m k', forall i, (i <? 64) = true ->
    get b i = 0 \/ (get b i = 1 /\ i = k) \/ (minor (get b i) = true /\ i = m) \/
    (get b i = 9 /\ i = k').

Lemma few_kings_and_minor b : few b = true -> kings_and_minor b.
Proof.
  unfold few. set (k := king_square b). set (m := first _). set (k' := first _).
  rewrite forallb_forall. intro A. exists k, m, k'. intros i I.
  specialize (A i (proj1 (in_squares i) I)). simpl in A.
  rewrite !orb_true_iff, !andb_true_iff, !Uint63.eqb_spec in A. tauto.
Qed.

Lemma minor_codes c : minor c = true -> c = 4 \/ c = 5.
Proof. unfold minor. rewrite orb_true_iff, !Uint63.eqb_spec. tauto. Qed.

(** Two different numbers. *)
Ltac clash :=
  match goal with
  | A : get ?b ?i = ?c, B : get ?b ?i = ?d |- _ =>
      exfalso; rewrite A in B; apply Uint63.eqb_spec in B; vm_compute in B; discriminate B
  end.

Lemma first_unique P k : (k <? 64) = true -> P k = true ->
  (forall i, (i <? 64) = true -> P i = true -> i = k) -> first P = k.
Proof.
  intros K Q U. unfold first. destruct (find P squares) as [i |] eqn:F.
  - apply find_some in F. destruct F as [I F]. apply U; [now apply in_squares | assumption].
  - eapply find_none in F; [| apply in_squares; exact K]. congruence.
Qed.

Lemma few_of b : kings_and_minor b -> few b = true.
Proof.
  intros [k [m [k' A]]]. unfold few. apply forallb_forall. intros i I. apply in_squares in I.
  rewrite !orb_true_iff, !andb_true_iff, !Uint63.eqb_spec.
  destruct (A i I) as [G | [[G E] | [[G E] | [G E]]]]; [tauto | | |]; subst i.
  - left. left. right. split; [assumption |]. symmetry.
    apply (first_unique (fun i => get b i =? 1)); [exact I | now apply Uint63.eqb_spec |].
    intros i J Q. apply Uint63.eqb_spec in Q.
    destruct (A i J) as [H | [[H E] | [[H E] | [H E]]]]; auto; try clash.
    apply minor_codes in H. destruct H; clash.
  - left. right. split; [assumption |]. symmetry. apply first_unique; [exact I | exact G |].
    intros i J Q. apply minor_codes in Q.
    destruct (A i J) as [H | [[H E] | [[H E] | [H E]]]]; auto; destruct Q; clash.
  - right. split; [assumption |]. symmetry.
    apply first_unique; [exact I | now apply Uint63.eqb_spec |].
    intros i J Q. apply Uint63.eqb_spec in Q.
    destruct (A i J) as [H | [[H E] | [[H E] | [H E]]]]; auto; try clash.
    apply minor_codes in H. destruct H; clash.
Qed.

Lemma eqb_refl_int i : (i =? i) = true.
Proof. now apply Uint63.eqb_spec. Qed.

(** A king or minor piece of White's that goes elsewhere leaves one of each. *)
Lemma go_few b i j d : (i <? 64) = true -> (j <? 64) = true -> get b i = d ->
  d = 1 \/ minor d = true -> kings_and_minor b ->
  kings_and_minor (put (put b i 0) j d).
Proof.
  intros I J G D [k [m [k' A]]].
  assert (D16 : (d <? 16) = true) by (rewrite <- G; now apply get_code).
  exists (if d =? 1 then j else k), (if d =? 1 then m else j), k'.
  intros x X. rewrite !get_put_cases by auto.
  destruct (j =? x) eqn:JX.
  - apply Uint63.eqb_spec in JX. subst x. destruct D as [-> | D].
    + right. left. auto.
    + right. right. left. split; [assumption |].
      destruct (d =? 1) eqn:D1; [| reflexivity].
      apply Uint63.eqb_spec in D1. rewrite D1 in D. discriminate.
  - destruct (i =? x) eqn:IX; [now left |].
    assert (N : i <> x) by (intro; subst x; rewrite eqb_refl_int in IX; discriminate).
    destruct (A x X) as [H | [[H E] | [[H E] | [H E]]]]; auto.
    + right. left. split; [assumption |]. destruct (d =? 1) eqn:D1; [| assumption].
      apply Uint63.eqb_spec in D1. exfalso. apply N.
      destruct (A i I) as [Q | [[Q R] | [[Q R] | [Q R]]]]; rewrite G, D1 in Q.
      * absurd_int Q.
      * congruence.
      * discriminate.
      * absurd_int Q.
    + right. right. left. split; [assumption |]. destruct (d =? 1) eqn:D1; [assumption |].
      destruct D as [-> | D]; [discriminate |]. exfalso. apply N.
      destruct (A i I) as [Q | [[Q R] | [[Q R] | [Q R]]]]; rewrite G in Q;
        try (rewrite Q in D; discriminate). congruence.
Qed.

(** A candidate in such a position moves the king or the minor piece. *)
Lemma few_candidates p k i c : (i <? 64) = true -> kings_and_minor (men p) ->
  In c (candidates_of p k i) ->
  exists j, (j <? 64) = true /\ men (after_of c) = put (put (men p) i 0) j (get (men p) i) /\
    ((get (men p) i = 1 /\ king_of c = j) \/ (minor (get (men p) i) = true /\ king_of c = k)).
Proof.
  intros I F C. destruct F as [k1 [m [k' A]]].
  pose proof (tables_within i I) as W. rewrite !andb_true_iff in W.
  destruct W as [[[[WK WN] WP] WR] WB].
  assert (Rook : forall s, (s <? 64) = true -> get (men p) s = 3 -> False).
  { intros s S G. destruct (A s S) as [H | [[H _] | [[H _] | [H _]]]]; try clash.
    apply minor_codes in H. destruct H; clash. }
  assert (Leap : forall l d r, within l = true -> get (men p) i = d ->
    (d = 1 \/ minor d = true) -> In c (leaps p k i l d r) ->
    exists j, (j <? 64) = true /\ men (after_of c) = put (put (men p) i 0) j (get (men p) i) /\
    ((get (men p) i = 1 /\ king_of c = j) \/ (minor (get (men p) i) = true /\ king_of c = k))).
  { intros l d r Wl G D L. unfold leaps in L. apply in_map_iff in L. destruct L as [j [<- J]].
    apply filter_In in J. destruct J as [J _]. unfold within in Wl. rewrite forallb_forall in Wl.
    exists j. split; [now apply Wl |]. rewrite G. split; [reflexivity |]. simpl.
    destruct D as [-> | D]; [left; auto |]. right. split; [assumption |].
    destruct (d =? 1) eqn:E; [| reflexivity].
    apply Uint63.eqb_spec in E. rewrite E in D. discriminate. }
  destruct (A i I) as [H | [[H E] | [[H E] | [H E]]]].
  - unfold candidates_of in C. rewrite H in C. contradiction.
  - unfold candidates_of in C. rewrite H in C. simpl in C. rewrite !in_app_iff in C.
    destruct C as [C | [C | C]].
    + eapply Leap; [exact WK | exact H | now left | exact C].
    + exfalso. unfold castle_long in C. destruct (_ && _) eqn:Q in C; [| contradiction].
      rewrite !andb_true_iff in Q. destruct Q as [[[[[[_ Q] _] _] _] _] _].
      apply Uint63.eqb_spec in Q. eapply (Rook 0); [reflexivity | exact Q].
    + exfalso. unfold castle_short in C. destruct (_ && _) eqn:Q in C; [| contradiction].
      rewrite !andb_true_iff in Q. destruct Q as [[[[[_ Q] _] _] _] _].
      apply Uint63.eqb_spec in Q. eapply (Rook 7); [reflexivity | exact Q].
  - apply minor_codes in H. unfold candidates_of in C. destruct H as [H | H].
    + rewrite H in C. simpl in C. unfold slides in C. apply in_map_iff in C.
      destruct C as [j [<- C]]. apply in_flat_map in C. destruct C as [l [L C]].
      apply reach_in in C. rewrite forallb_forall in WB. specialize (WB l L).
      unfold within in WB. rewrite forallb_forall in WB.
      exists j. split; [now apply WB |]. rewrite H. split; [reflexivity |]. right. auto.
    + rewrite H in C. simpl in C. eapply Leap; [exact WN | exact H | now right | exact C].
  - unfold candidates_of in C. rewrite H in C. contradiction.
Qed.

(** ** The escape

    Own king on x, the other king on y (none: 64), a bishop or knight d that checks from m: there is
    a step to a safe square. *)
Definition three (x y m d : int) : board :=
  let b := put (put empty_board x 1) m d in if y <? 64 then put b y 9 else b.

Definition escape (b : board) (x j : int) : bool :=
  may_enter b j && safe (put (put b x 0) j 1) j.

Definition escapes (x m d : int) : bool :=
  forallb (fun y => int_in y (look king_steps x) || (y =? x) || (y =? m) ||
    existsb (escape (three x y m d) x) (look king_steps x)) (squares ++ [64]).

Lemma always_escapes x : (x <? 64) = true ->
  forallb (fun m => escapes x m 13) (look knight_steps x) &&
  forallb (forallb (fun m => escapes x m 12)) (look bishop_lines x) = true.
Proof.
  revert x. apply (all_squares (fun x =>
    forallb (fun m => escapes x m 13) (look knight_steps x) &&
    forallb (forallb (fun m => escapes x m 12)) (look bishop_lines x))).
  vm_compute. reflexivity.
Qed.

(** Safety depends on what stands on the squares only. *)
Definition same_men (b b' : board) : Prop := forall i, (i <? 64) = true -> get b i = get b' i.

Lemma same_put b b' i v : (i <? 64) = true -> (v <? 16) = true ->
  same_men b b' -> same_men (put b i v) (put b' i v).
Proof.
  intros I V S x X. rewrite !get_put_cases by auto. destruct (i =? x); auto.
Qed.

Lemma existsb_same {A} (f g : A -> bool) l :
  (forall x, In x l -> f x = g x) -> existsb f l = existsb g l.
Proof.
  induction l as [| a l IH]; simpl; intro E; [reflexivity |].
  rewrite E by auto. rewrite IH; auto.
Qed.

Lemma seen_same b b' c d l : same_men b b' -> within l = true -> seen b c d l = seen b' c d l.
Proof.
  intros S. unfold within. induction l as [| a l IH]; simpl; [reflexivity |].
  rewrite andb_true_iff. intros [A W]. rewrite (S a A), (IH W). reflexivity.
Qed.

Lemma safe_same b b' i : (i <? 64) = true -> same_men b b' -> safe b i = safe b' i.
Proof.
  intros I S. pose proof (tables_within i I) as W. rewrite !andb_true_iff in W.
  destruct W as [[[[WK WN] WP] WR] WB].
  assert (On : forall c l, within l = true -> on b c l = on b' c l).
  { intros c l Wl. unfold on. apply existsb_same. intros x X.
    unfold within in Wl. rewrite forallb_forall in Wl. now rewrite (S x (Wl x X)). }
  assert (Seen : forall c d l, forallb within l = true ->
    existsb (seen b c d) l = existsb (seen b' c d) l).
  { intros c d l Wl. apply existsb_same. intros x X. rewrite forallb_forall in Wl.
    apply seen_same; auto. }
  unfold safe. rewrite !On, !Seen by assumption. reflexivity.
Qed.

Lemma get_empty i : (i <? 64) = true -> get empty_board i = 0.
Proof.
  intro I. apply Uint63.eqb_spec. revert i I.
  apply (all_squares (fun i => get empty_board i =? 0)). vm_compute. reflexivity.
Qed.

(** After a move of the side with the minor piece the bare king is not mated. *)
Lemma few_no_mate z : kings_and_minor (men z) -> black z = true ->
  (forall y, (y <? 64) = true -> get (men z) y = 1 -> on (men z) 9 (look king_steps y) = false) ->
  in_check z = true -> successors z <> [].
Proof.
  intros [k [m [k' A]]] T Apart Chk.
  unfold in_check, safe_king in Chk. rewrite T in Chk.
  set (b := mirror_board (men z)) in *.
  destruct (king_square b <? 64) eqn:XS; [| discriminate].
  set (x := king_square b) in *. apply negb_true_iff in Chk.
  pose proof (king_square_found b XS) as GX. fold x in GX.
  assert (XE : king_square b = x) by reflexivity. clearbody x.
  (* What stands on b. *)
  assert (B : forall i, (i <? 64) = true -> get b i = 0 \/ (get b i = 9 /\ i = flip k) \/
    ((get b i = 12 \/ get b i = 13) /\ i = flip m) \/ (get b i = 1 /\ i = x)).
  { assert (B0 : forall i, (i <? 64) = true -> get b i = 0 \/ (get b i = 9 /\ i = flip k) \/
      ((get b i = 12 \/ get b i = 13) /\ i = flip m) \/ (get b i = 1 /\ i = flip k')).
    { intros i I. unfold b. rewrite get_mirror by exact I.
      destruct (A (flip i) (flip_square i I)) as [H | [[H E] | [[H E] | [H E]]]].
      - rewrite H. now left.
      - rewrite H, <- E, flip_flip. right. left. auto.
      - apply minor_codes in H. rewrite <- E, flip_flip.
        right. right. left. split; [| reflexivity]. destruct H as [-> | ->]; [left | right]; reflexivity.
      - rewrite H, <- E, flip_flip. right. right. right. auto. }
    assert (x = flip k') as ->.
    { destruct (B0 x XS) as [H | [[H E] | [[[H | H] E] | [H E]]]]; try clash. exact E. }
    exact B0. }
  pose proof (tables_within x XS) as W. rewrite !andb_true_iff in W.
  destruct W as [[[[WK WN] WP] WR] WB].
  assert (NotAt : forall i d, (i <? 64) = true -> get b i = d -> (d =? 10) || (d =? 11) || (d =? 14) = true -> False).
  { intros i d I G D. rewrite !orb_true_iff, !Uint63.eqb_spec in D.
    destruct (B i I) as [H | [[H _] | [[[H | H] _] | [H _]]]]; destruct D as [[D | D] | D];
      subst d; clash. }
  (* The kings are apart. *)
  assert (Kings : forall y, (y <? 64) = true -> get b y = 9 -> int_in y (look king_steps x) = false).
  { intros y Y G. destruct (int_in y _) eqn:J; [| reflexivity]. exfalso. apply int_in_spec in J.
    pose proof (king_steps_mirror x XS) as KM. rewrite forallb_forall in KM. specialize (KM y J).
    apply int_in_spec in KM.
    assert (G1 : get (men z) (flip y) = 1).
    { unfold b in G. rewrite get_mirror in G by exact Y.
      pose proof (swap_code_man _ (get_code (men z) _ (flip_square y Y))) as S. rewrite G in S.
      rewrite !andb_true_iff in S. destruct S as [[_ S] _]. now apply Uint63.eqb_spec. }
    assert (G9 : get (men z) (flip x) = 9).
    { unfold b in GX. rewrite get_mirror in GX by exact XS.
      pose proof (swap_code_man _ (get_code (men z) _ (flip_square x XS))) as S. rewrite GX in S.
      rewrite !andb_true_iff in S. destruct S as [[[_ S] _] _]. now apply Uint63.eqb_spec. }
    specialize (Apart (flip y) (flip_square y Y) G1). unfold on in Apart.
    assert (existsb (fun j => get (men z) j =? 9) (look king_steps (flip y)) = true); [| congruence].
    apply existsb_exists. exists (flip x). split; [assumption | now apply Uint63.eqb_spec]. }
  (* The king is attacked by the minor piece, so it has an escape. *)
  assert (Esc : exists j, In j (look king_steps x) /\ escape b x j = true).
  { assert (Use : forall mm d, (mm <? 64) = true -> get b mm = d -> (d = 12 \/ d = 13) ->
      escapes x mm d = true -> exists j, In j (look king_steps x) /\ escape b x j = true).
    { intros mm d M G D E. unfold escapes in E. rewrite forallb_forall in E.
      set (y := first (fun i => get b i =? 9)).
      assert (Y : (y = 64 /\ (forall i, (i <? 64) = true -> get b i <> 9)) \/
                  ((y <? 64) = true /\ get b y = 9)).
      { unfold y, first. destruct (find _ squares) as [i |] eqn:F.
        - right. apply find_some in F. destruct F as [I F]. split; [now apply in_squares |].
          now apply Uint63.eqb_spec.
        - left. split; [reflexivity |]. intros i I H. apply in_squares in I.
          eapply find_none in F; [| exact I]. apply Uint63.eqb_spec in H. congruence. }
      clearbody y.
      assert (YI : In y (squares ++ [64])).
      { apply in_app_iff. destruct Y as [[-> _] | [Y _]]; [right; now left | left].
        now apply in_squares. }
      specialize (E y YI). rewrite !orb_true_iff in E.
      assert (Eb : existsb (escape (three x y mm d) x) (look king_steps x) = true).
      { destruct E as [[[E | E] | E] | E]; [| | | exact E]; exfalso.
        - destruct Y as [[Y _] | [Y G9]].
          + rewrite Y in E. apply int_in_spec in E. unfold within in WK.
            rewrite forallb_forall in WK. specialize (WK _ E). discriminate.
          + rewrite (Kings y Y G9) in E. discriminate.
        - apply Uint63.eqb_spec in E. destruct Y as [[Y _] | [Y G9]].
          + rewrite Y in E. rewrite <- E in XS. discriminate.
          + rewrite E in G9. clash.
        - apply Uint63.eqb_spec in E. destruct Y as [[Y _] | [Y G9]].
          + rewrite Y in E. rewrite <- E in M. discriminate.
          + rewrite E in G9. destruct D; subst d; clash. }
      assert (D16 : (d <? 16) = true) by (destruct D as [-> | ->]; reflexivity).
      assert (Same : same_men (three x y mm d) b).
      { intros i I. unfold three.
        assert (Base : get (put (put empty_board x 1) mm d) i =
                       if mm =? i then d else if x =? i then 1 else 0).
        { rewrite !get_put_cases by auto. now rewrite (get_empty i I). }
        assert (Val : get b i = if mm =? i then d else if x =? i then 1 else
                                if y =? i then 9 else 0).
        { destruct (mm =? i) eqn:Q1; [apply Uint63.eqb_spec in Q1; now subst i |].
          destruct (x =? i) eqn:Q2; [apply Uint63.eqb_spec in Q2; now subst i |].
          destruct (y =? i) eqn:Q3.
          - apply Uint63.eqb_spec in Q3. subst i. destruct Y as [[Y _] | [_ G9]]; [| exact G9].
            rewrite Y in I. discriminate.
          - destruct (B i I) as [H | [[H E9] | [[H Em] | [H Ex]]]]; [exact H | | |]; exfalso.
            + destruct Y as [[_ N] | [Y G9]]; [now apply (N i I) |].
              destruct (B y Y) as [H' | [[H' E'] | [[[H' | H'] E'] | [H' E']]]]; try clash.
              rewrite E9, <- E', eqb_refl_int in Q3. discriminate.
            + destruct (B mm M) as [H' | [[H' E'] | [[H' E'] | [H' E']]]].
              * destruct D; subst d; clash.
              * destruct D; subst d; clash.
              * rewrite Em, <- E', eqb_refl_int in Q1. discriminate.
              * destruct D; subst d; clash.
            + rewrite Ex, eqb_refl_int in Q2. discriminate. }
        rewrite Val. destruct (y <? 64) eqn:YS.
        - rewrite get_put_cases by auto. rewrite Base.
          destruct (y =? i) eqn:Q3; [| now destruct (mm =? i), (x =? i)].
          apply Uint63.eqb_spec in Q3. subst i.
          destruct Y as [[Y _] | [_ G9]]; [rewrite Y in YS; discriminate |].
          rewrite <- Val. now symmetry.
        - rewrite Base. destruct (y =? i) eqn:Q3; [| reflexivity].
          apply Uint63.eqb_spec in Q3. subst i. congruence. }
      apply existsb_exists in Eb. destruct Eb as [j [J Q]]. exists j. split; [exact J |].
      assert (J64 : (j <? 64) = true)
        by (unfold within in WK; rewrite forallb_forall in WK; now apply WK).
      unfold escape in *. apply andb_true_iff in Q. destruct Q as [Q1 Q2]. apply andb_true_iff. split.
      - unfold may_enter in *. now rewrite <- (Same j J64).
      - rewrite <- (safe_same (put (put (three x y mm d) x 0) j 1)); auto.
        apply same_put; auto. now apply same_put. }
    pose proof (always_escapes x XS) as Al. apply andb_true_iff in Al. destruct Al as [AlN AlB].
    rewrite forallb_forall in AlN, AlB.
    assert (Within : forall l j, within l = true -> In j l -> (j <? 64) = true)
      by (intros l j Wl J; unfold within in Wl; rewrite forallb_forall in Wl; now apply Wl).
    unfold safe in Chk.
    destruct (on b 13 (look knight_steps x)) eqn:Q1.
    { unfold on in Q1. apply existsb_exists in Q1. destruct Q1 as [mm [M Q]].
      apply Uint63.eqb_spec in Q. apply (Use mm 13); eauto. }
    destruct (on b 14 (look pawn_steps x)) eqn:Q2.
    { exfalso. unfold on in Q2. apply existsb_exists in Q2. destruct Q2 as [mm [M Q]].
      apply Uint63.eqb_spec in Q. eapply (NotAt mm 14); eauto. }
    destruct (on b 9 (look king_steps x)) eqn:Q3.
    { exfalso. unfold on in Q3. apply existsb_exists in Q3. destruct Q3 as [y [Y Q]].
      apply Uint63.eqb_spec in Q. pose proof (Kings y (Within _ _ WK Y) Q) as N.
      apply int_in_spec in Y. congruence. }
    destruct (existsb (seen b 11 10) (look rook_lines x)) eqn:Q4.
    { exfalso. apply existsb_exists in Q4. destruct Q4 as [l [L Q]]. apply seen_in in Q.
      destruct Q as [mm [M Q]]. rewrite forallb_forall in WR.
      destruct Q as [Q | Q]; eapply (NotAt mm); eauto. }
    destruct (existsb (seen b 12 10) (look bishop_lines x)) eqn:Q5; [| discriminate].
    apply existsb_exists in Q5. destruct Q5 as [l [L Q]]. apply seen_in in Q.
    destruct Q as [mm [M Q]]. rewrite forallb_forall in WB. pose proof (Within _ _ (WB l L) M) as MM.
    specialize (AlB l L). rewrite forallb_forall in AlB.
    destruct Q as [Q | Q]; [apply (Use mm 12); auto | exfalso; eapply (NotAt mm); eauto]. }
  destruct Esc as [j [J E]]. unfold escape in E. apply andb_true_iff in E. destruct E as [E1 E2].
  intro Empty. unfold successors in Empty. rewrite T in Empty.
  assert (C : In (go (mirror z) x x j 1 0 0) (white_moves (mirror z))).
  { unfold white_moves. apply filter_In. split.
    - change (men (mirror z)) with b. rewrite XE.
      apply candidates_in with (i := x); [exact XS |]. unfold candidates_of.
      change (men (mirror z)) with b. rewrite GX. simpl.
      apply in_app_iff. left. unfold leaps.
      apply (in_map (fun j => go (mirror z) x x j 1 0 0)). apply filter_In. auto.
    - unfold is_move. simpl. change (men z) with (men z). fold b.
      destruct (j <? 64); [exact E2 | reflexivity]. }
  apply (in_map (fun c => mirror (after_of c))) in C. rewrite Empty in C. contradiction.
Qed.
