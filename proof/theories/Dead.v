(** * Dead material: who has nothing but its king mates nobody

    A hold may end where the opponent has no man but its king, or beside it one knight or bishop while
    the owner's king is bare.  That such a position cannot become a mate of the owner is proved here
    from the rules: nobody gets a man back; a king gives no check, since it may not step beside the
    other one; and where a knight or bishop gives check, the king can step to a square of the other
    colour (which a computation finds for every placing of the three men). *)

From Coq Require Import Uint63 ZArith List Bool Lia.
From Theta Require Import Games Board Rules Cells Bare Escape.
Import ListNotations.
Open Scope uint63_scope.

(** The owner cannot be mated any more; it is not mated now. *)
Definition dead (o : side) (p : position) : bool :=
  (bare (theirs o p) || few (theirs o p)) &&
  negb (side_eqb (to_move p) o && in_check p &&
        match successors p with [] => true | _ => false end).

(** ** Dead material stays dead *)

Lemma bare_after o p z : In z (successors p) -> bare (theirs o p) = true ->
  bare (theirs o z) = true /\ (to_move p <> o -> in_check z = false).
Proof.
  intros I B. rewrite bare_lone in *. unfold successors in I. unfold to_move, in_check, theirs in *.
  destruct (black p) eqn:T; apply in_map_iff in I; destruct I as [c [<- I]];
    pose proof (after_black _ _ I) as A; destruct o; simpl in *; rewrite ?A; simpl;
    rewrite ?mirror_board_twice in *.
  - destruct (lone_kept _ _ I B) as [L S]. split; [exact L |].
    intros _. now rewrite S.
  - split; [| congruence]. pose proof (lone_black_kept _ _ I) as L. simpl in L.
    rewrite mirror_board_twice in L. now apply L.
  - split; [| congruence]. now apply (lone_black_kept _ _ I).
  - destruct (lone_kept _ _ I B) as [L S]. split; [exact L |]. intros _. now rewrite S.
Qed.

Lemma to_move_after p z : In z (successors p) -> to_move z = other (to_move p).
Proof. intro I. unfold to_move. rewrite (turns_alternate p z I). now destruct (black p). Qed.

Lemma mirror_twice p : mirror (mirror p) = p.
Proof. destruct p. unfold mirror. simpl. now rewrite mirror_board_twice, negb_involutive. Qed.

(** The mirror changes nothing of what matters. *)
Lemma in_check_mirror p : in_check (mirror p) = in_check p.
Proof. unfold in_check. simpl. destruct (black p); simpl; now rewrite ?mirror_board_twice. Qed.

Lemma successors_mirror p : successors (mirror p) = map mirror (successors p).
Proof.
  unfold successors. simpl. destruct (black p); simpl.
  - rewrite map_map. apply map_ext. intro c. now rewrite mirror_twice.
  - rewrite mirror_twice, map_map. reflexivity.
Qed.

Lemma no_successors_mirror p : successors (mirror p) = [] -> successors p = [].
Proof. rewrite successors_mirror. apply map_eq_nil. Qed.

Lemma few_white p c : In c (white_moves p) -> kings_and_minor (men p) ->
  kings_and_minor (men (after_of c)) /\
  (in_check (after_of c) = true -> successors (after_of c) <> []).
Proof.
  intros I F. pose proof (after_black _ _ I) as T. apply in_white_moves in I.
  destruct I as [M [i [I C]]].
  destruct (few_candidates p _ i c I F C) as [j [J [E K]]].
  assert (F' : kings_and_minor (men (after_of c))).
  { rewrite E. apply go_few; auto. destruct K as [[K _] | [K _]]; auto. }
  split; [exact F' |]. intro Chk. apply few_no_mate; auto.
  intros y Y G.
  assert (King : king_of c = y).
  { rewrite E in G. rewrite !get_put_cases in G by (auto; now apply get_code).
    destruct F as [k [m [k' A]]].
    destruct (j =? y) eqn:JY.
    - apply Uint63.eqb_spec in JY. destruct K as [[_ K] | [K _]]; [congruence |].
      rewrite G in K. discriminate.
    - destruct (i =? y) eqn:IY; [absurd_int G |].
      assert (U : forall s, (s <? 64) = true -> get (men p) s = 1 -> s = k).
      { intros s S Q. destruct (A s S) as [H | [[H R] | [[H R] | [H R]]]]; auto; try clash.
        apply minor_codes in H. destruct H; clash. }
      destruct K as [[K _] | [_ K]].
      + exfalso. assert (i = y) as -> by (rewrite (U i I K); symmetry; now apply U).
        rewrite eqb_refl_int in IY. discriminate.
      + rewrite K, (U y Y G).
        pose proof (king_square_none _ y Y G) as KS. apply U; [exact KS |].
        now apply king_square_found. }
  unfold is_move in M. rewrite King, Y in M. unfold safe in M. rewrite !andb_true_iff in M.
  destruct M as [[[_ M] _] _]. now apply negb_true_iff in M.
Qed.

Lemma few_lone b : kings_and_minor (mirror_board b) -> lone b.
Proof.
  intros [k [m [k' A]]]. exists (flip k'). intros i I W.
  pose proof (flip_square i I) as FI. specialize (A (flip i) FI).
  rewrite get_mirror, flip_flip in A by exact FI.
  pose proof (get_code b i I) as C16. revert W A. generalize (get b i) C16. clear C16.
  intros c C16 W A.
  pose proof (in_codes (fun c => implb (white_man c) (negb (swap_code c =? 0) &&
    negb (swap_code c =? 1) && negb (minor (swap_code c)) &&
    implb (swap_code c =? 9) (c =? 1))) eq_refl c C16) as Q.
  cbv beta in Q. rewrite W in Q. simpl in Q. rewrite !andb_true_iff, !negb_true_iff in Q.
  destruct Q as [[[Q0 Q1] Q2] Q3].
  destruct A as [H | [[H _] | [[H _] | [H E]]]].
  - apply Uint63.eqb_spec in H. congruence.
  - apply Uint63.eqb_spec in H. congruence.
  - congruence.
  - apply Uint63.eqb_spec in H. rewrite H in Q3. simpl in Q3. apply Uint63.eqb_spec in Q3.
    split; [| exact Q3]. rewrite <- E. now rewrite flip_flip.
Qed.

Lemma few_black p c : In c (white_moves p) -> kings_and_minor (mirror_board (men p)) ->
  kings_and_minor (mirror_board (men (after_of c))).
Proof.
  intros I F. destruct (lone_king_moves p c I (few_lone _ F)) as [i [j [Ii [J [G [_ [E _]]]]]]].
  rewrite E. destruct F as [k [m [k' A]]]. exists k, m, (flip j). intros x X.
  pose proof (flip_square x X) as FX. rewrite get_mirror by exact X.
  rewrite !get_put_cases by auto.
  destruct (j =? flip x) eqn:JX.
  - apply Uint63.eqb_spec in JX. right. right. right. split; [reflexivity |].
    rewrite JX. now rewrite flip_flip.
  - destruct (i =? flip x) eqn:IX; [now left |].
    pose proof A as Old. specialize (A x X). rewrite get_mirror in A by exact X.
    destruct A as [H | [H | [H | [H E9]]]]; auto. exfalso.
    (* Two kings of the side to move. *)
    assert (Q : get (mirror_board (men p)) (flip i) = 9)
      by (rewrite get_mirror, flip_flip, G by (now apply flip_square); reflexivity).
    assert (FI : flip i = x); [| rewrite <- FI, flip_flip, eqb_refl_int in IX; discriminate].
    rewrite E9. destruct (Old (flip i) (flip_square i Ii)) as [H' | [[H' _] | [[H' _] | [_ E']]]];
      [clash | clash | | exact E']. apply minor_codes in H'. destruct H'; clash.
Qed.

Lemma few_after o p z : In z (successors p) -> few (theirs o p) = true ->
  few (theirs o z) = true /\ (to_move p <> o -> in_check z = true -> successors z <> []).
Proof.
  intros I B. apply few_kings_and_minor in B. unfold successors in I. unfold to_move, theirs in *.
  destruct (black p) eqn:T; apply in_map_iff in I; destruct I as [c [<- I]]; destruct o; simpl in *.
  - destruct (few_white _ _ I B) as [F N]. split.
    + rewrite mirror_board_twice. now apply few_of.
    + intros _ Chk E. apply N.
      * rewrite in_check_mirror in Chk. exact Chk.
      * now apply no_successors_mirror.
  - split; [| congruence]. apply few_of. apply (few_black _ _ I).
    simpl. now rewrite mirror_board_twice.
  - split; [| congruence]. apply few_of. now apply (few_black _ _ I).
  - destruct (few_white _ _ I B) as [F N]. split; [now apply few_of | auto].
Qed.

(** The owner, to move, is stalemated or has a move to such a position. *)
Theorem dead_owner o p : dead o p = true -> @turn chess p = o ->
  (@next chess p = [] /\ checked chess p = false) \/
  exists z, In z (@next chess p) /\ dead o z = true.
Proof.
  unfold dead. intros D T. simpl in *. apply andb_true_iff in D. destruct D as [B C].
  rewrite (proj2 (side_eqb_eq _ _) T) in C. simpl in C. apply negb_true_iff in C.
  destruct (successors p) as [| z l] eqn:S.
  { left. split; [reflexivity |]. now rewrite andb_true_r in C. }
  right. assert (I : In z (successors p)) by (rewrite S; now left).
  exists z. split; [now left |]. apply andb_true_iff. split.
  - apply orb_true_iff in B. apply orb_true_iff. destruct B as [B | B].
    + left. now destruct (bare_after o p z I B).
    + right. now apply (few_after o p z I B).
  - apply to_move_after in I. rewrite I, T. now destruct o.
Qed.

(** No move of the opponent's leaves such positions. *)
Theorem dead_opponent o p : dead o p = true -> @turn chess p <> o ->
  forall z, In z (@next chess p) -> dead o z = true.
Proof.
  unfold dead. intros D T z I. simpl in *. apply andb_true_iff in D. destruct D as [B _].
  apply orb_true_iff in B. apply andb_true_iff. destruct B as [B | B].
  - destruct (bare_after o p z I B) as [B' C]. rewrite B', (C T). split; [reflexivity |].
    now rewrite andb_false_r.
  - destruct (few_after o p z I B) as [B' C]. rewrite B', orb_true_r. split; [reflexivity |].
    apply negb_true_iff. destruct (in_check z) eqn:Q; [| now rewrite andb_false_r].
    specialize (C T eq_refl). destruct (successors z); [contradiction | now rewrite andb_false_r].
Qed.
