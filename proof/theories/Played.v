(** * The game of the paper's relations

    Plays, strategies, wins and holds once more, now of vectors and the relations of [Paper.v] alone.
    [paper_wins_are_wins], [paper_holds_are_holds]: they are those of the computed rules, so that what
    a certificate proves is said of the paper's rules.  Excluded middle and a choice of what is known
    to exist are assumed, to pass from a vector to its position. *)

From Coq Require Import Uint63 ZArith List Bool Lia Arith ClassicalEpsilon.
From Theta Require Import Games Board Rules Cells Bare Dead Checker Vector Paper Squares Men Refined Kept.
Import ListNotations.
Open Scope nat_scope.

(** ** Roots are sound *)

Lemma of_Z_succ a : (of_Z a + 1)%uint63 = of_Z (a + 1)%Z.
Proof.
  apply to_Z_inj. rewrite add_spec, !of_Z_spec. change (to_Z 1%uint63) with 1%Z.
  now rewrite Zplus_mod_idemp_l.
Qed.

Lemma counted (P : int -> bool) l : forall a,
  fold_left (fun n i => if P i then (n + 1)%uint63 else n) l (of_Z (Z.of_nat a)) =
  of_Z (Z.of_nat (a + length (filter P l))).
Proof.
  induction l as [| i l IH]; intro a; simpl; [now rewrite Nat.add_0_r |].
  destruct (P i); simpl; [| apply IH].
  rewrite of_Z_succ. replace (Z.of_nat a + 1)%Z with (Z.of_nat (S a)) by lia. rewrite IH.
  do 2 f_equal. lia.
Qed.

Lemma count_one b c : Uint63.eqb (count_of b c) 1 = true ->
  exists k, filter (fun i => Uint63.eqb (get b i) c) squares = [k].
Proof.
  unfold count_of. intro C. apply Uint63.eqb_spec in C.
  change 0%uint63 with (of_Z (Z.of_nat 0)) in C.
  rewrite (counted (fun i => Uint63.eqb (get b i) c)) in C.
  set (l := filter _ squares) in *.
  assert (B : length l <= 64).
  { unfold l. generalize (fun i => Uint63.eqb (get b i) c). intro P.
    change 64 with (length squares). generalize squares. intro s. induction s as [| i s IH]; simpl; [lia |].
    destruct (P i); simpl; lia. }
  apply (f_equal to_Z) in C. rewrite of_Z_spec, Z.mod_small in C.
  - change (to_Z 1%uint63) with 1%Z in C. destruct l as [| k [| k' l]]; simpl in C; try lia. eauto.
  - change wB with 9223372036854775808%Z. lia.
Qed.

Lemma count_is_one p c : Uint63.ltb c 16 = true -> known_code c = true -> well_formed p ->
  Uint63.eqb (count_of (men p) c) 1 = true -> one (component p) (paper_code c).
Proof.
  intros C K W N. apply count_one in N. destruct N as [k N].
  assert (In1 : forall i, square i -> component p i = paper_code c <-> sq i = k).
  { intros i I. pose proof (shows_men (component p) p W (fun i _ => eq_refl)) as Sh.
    rewrite <- (stands _ _ Sh c i I C K). split.
    - intro G. assert (A : In (sq i) [k]).
      { rewrite <- N. apply filter_In. split; [apply in_squares, sq_64; exact I | exact G]. }
      destruct A as [A | []]. now symmetry.
    - intros Q. rewrite Q. assert (A : In k [k]) by now left. rewrite <- N in A.
      apply filter_In in A. exact (proj2 A). }
  assert (A : In k [k]) by now left. rewrite <- N in A. apply filter_In in A. destruct A as [A _].
  apply in_squares in A. destruct (sq_onto k A) as [i [I ->]].
  exists i. split; [exact I |]. split; [now apply In1 |].
  intros j J Q. apply In1 in Q; [| exact J]. now apply sq_inj.
Qed.

(** *** The root of a certificate is a sound position. *)
Theorem legal_root_sound p : legal_root p = true -> sound p.
Proof.
  intro R. pose proof (legal_root_well_formed p R) as W. split; [exact W |].
  unfold legal_root in R. rewrite !andb_true_iff in R.
  destruct R as [[[[[[[_ E] K] K'] _] _] _] _].
  split; [exact (count_is_one p 1 eq_refl eq_refl W K) |].
  split; [exact (count_is_one p 9 eq_refl eq_refl W K') |].
  intros i I X. rewrite component_square by assumption.
  unfold no_edge_pawn in E. rewrite forallb_forall in E. specialize (E (sq i)).
  assert (A : implb ((xg i =? 1) || (xg i =? 8)) (int_in (sq i) (row_squares 0 ++ row_squares 7)) = true).
  { clear - I. revert i I. apply (for_all (fun i => implb ((xg i =? 1) || (xg i =? 8))
      (int_in (sq i) (row_squares 0 ++ row_squares 7)))). vm_compute. reflexivity. }
  replace ((xg i =? 1) || (xg i =? 8)) with true in A
    by (symmetry; rewrite orb_true_iff, !Nat.eqb_eq; exact X).
  apply int_in_spec in A. specialize (E A). apply andb_true_iff in E.
  rewrite !negb_true_iff, <- !not_true_iff_false in E.
  pose proof (shows_men (component p) p W (fun i _ => eq_refl)) as Sh.
  rewrite (stands _ _ Sh 6 i I eq_refl eq_refl), (stands _ _ Sh 14 i I eq_refl eq_refl) in E.
  rewrite component_square in E by assumption. exact E.
Qed.

(** ** Games of vectors *)

Definition over (y : vector) : Prop := forall z, ~ Moves y z.
Definition to_play (s : side) (y : vector) : Prop := y 0 = match s with White => 0 | Black => 1 end.

(** This side is mated: it is to move, has no move, and its king is attacked. *)
Definition paper_mated (s : side) (y : vector) : Prop := to_play s y /\ over y /\ Checked y.

Definition paper_strategy := list vector -> vector.

Definition paper_lawful (o : side) (s : paper_strategy) : Prop :=
  forall y h, to_play o y -> ~ over y -> Moves y (s (y :: h)).

(** Plays are infinite; what is over stands still. *)
Definition paper_play (y : vector) (f : nat -> vector) : Prop :=
  same (f 0) y /\ forall n, over (f n) /\ same (f (S n)) (f n) \/ Moves (f n) (f (S n)).

Fixpoint vectors (f : nat -> vector) (n : nat) : list vector :=
  match n with 0 => [f 0] | S m => f (S m) :: vectors f m end.

Definition paper_follows (o : side) (s : paper_strategy) (f : nat -> vector) : Prop :=
  forall n, to_play o (f n) -> ~ over (f n) -> same (f (S n)) (s (vectors f n)).

(** The side mates, whatever the other one does. *)
Definition paper_wins (o : side) (y : vector) : Prop :=
  exists s, paper_lawful o s /\ forall f, paper_play y f -> paper_follows o s f ->
    exists k, paper_mated (other o) (f k).

(** The side is never mated, whatever the other one does. *)
Definition paper_holds (o : side) (y : vector) : Prop :=
  exists s, paper_lawful o s /\ forall f, paper_play y f -> paper_follows o s f ->
    forall k, ~ paper_mated o (f k).

(** ** From vectors to positions and back *)

Definition of_position (v : vector) (p : position) : Prop := sound p /\ same v (component p).

Lemma one_position v p q : of_position v p -> of_position v q -> p = q.
Proof.
  intros [Sp P] [Sq Q]. apply bits_differ; [apply Sp | apply Sq |]. intros n N.
  assert (E : forall j, j <= 68 -> component p j = component q j).
  { intros j J. rewrite <- (P j J). now apply Q. }
  unfold bits. destruct (Nat.eqb_spec n 0).
  - specialize (E 0 ltac:(lia)). rewrite !component_0 in E. destruct (black p), (black q); congruence.
  - destruct (Nat.leb_spec n 264); f_equal; apply E.
    + pose proof (Nat.div_lt_upper_bound (n - 1) 4 66 ltac:(lia) ltac:(lia)). lia.
    + pose proof (Nat.div_lt_upper_bound (n - 265) 2 2 ltac:(lia) ltac:(lia)). lia.
Qed.

Lemma over_is v p : of_position v p -> over v <-> successors p = [].
Proof.
  intros [So E]. unfold over. split.
  - intro N. destruct (successors p) as [| q l] eqn:Q; [reflexivity | exfalso].
    apply (N (component q)). apply (rules_refined p); auto. exists q. rewrite Q.
    split; [now left | apply same_refl].
  - intros Q z Z. apply (rules_refined p) in Z; auto. destruct Z as [q [I _]].
    rewrite Q in I. contradiction.
Qed.

Lemma turn_is v p o : of_position v p -> to_play o v <-> to_move p = o.
Proof.
  intros [So E]. unfold to_play, to_move. rewrite (E 0), component_0 by lia.
  destruct (black p), o; split; congruence.
Qed.

Lemma mated_is v p o : of_position v p -> paper_mated o v <-> @mated chess o p.
Proof.
  intro P. pose proof P as [So E]. unfold paper_mated, mated.
  rewrite (turn_is v p o P), (over_is v p P), <- (check_refined p v So E). reflexivity.
Qed.

(** The position of a vector, if there is one. *)
Definition position_of (v : vector) : position :=
  match excluded_middle_informative (exists p, of_position v p) with
  | left E => proj1_sig (constructive_indefinite_description _ E)
  | right _ => Position empty_board false 0 0 0 0
  end.

Lemma position_of_is v p : of_position v p -> position_of v = p.
Proof.
  intro P. unfold position_of. destruct (excluded_middle_informative _) as [E | N].
  - destruct (constructive_indefinite_description _ E) as [q Q]. simpl. now apply (one_position v).
  - contradiction N. eauto.
Qed.

Lemma history_vectors f n : map component (@history chess f n) = vectors (fun k => component (f k)) n.
Proof. induction n; simpl; [reflexivity | f_equal; exact IHn]. Qed.

Lemma vectors_history (g : nat -> vector) (f : nat -> position) n :
  (forall k, position_of (g k) = f k) -> map position_of (vectors g n) = @history chess f n.
Proof.
  intro E. induction n; simpl; [f_equal; apply E | f_equal; [apply E | exact IHn]].
Qed.

Section Same.
  Variables (o : side) (y : vector) (p : position).
  Hypothesis P : of_position y p.

  (** A play of positions is one of vectors. *)
  Lemma down f : @play_from chess p f ->
    (forall n, of_position (component (f n)) (f n)) /\ paper_play y (fun n => component (f n)).
  Proof.
    intros [F0 FS].
    assert (So : forall n, sound (f n)).
    { induction n; [rewrite F0; apply P |]. destruct (FS n) as [[_ ->] | I]; [exact IHn |].
      eapply moves_keep_sound; eauto. }
    assert (Q : forall n, of_position (component (f n)) (f n)) by (split; [apply So | apply same_refl]).
    split; [exact Q |]. split.
    - simpl. rewrite F0. apply same_sym, P.
    - intro n. destruct (FS n) as [[N E] | I].
      + left. split; [now apply (over_is _ (f n) (Q n)) |]. rewrite E. apply same_refl.
      + right. apply (rules_refined (f n)); [apply So | apply same_refl |].
        exists (f (S n)). split; [exact I | apply same_refl].
  Qed.

  (** A play of vectors is one of positions. *)
  Lemma up g : paper_play y g ->
    (forall n, of_position (g n) (position_of (g n))) /\
    @play_from chess p (fun n => position_of (g n)).
  Proof.
    intros [G0 GS].
    assert (P0 : of_position (g 0) p)
      by (split; [apply P | eapply same_trans; [exact G0 | apply P]]).
    assert (St : forall n q, of_position (g n) q ->
      exists r, of_position (g (S n)) r /\ (successors q = [] /\ r = q \/ In r (successors q))).
    { intros n q Q. destruct (GS n) as [[N E] | M].
      - exists q. split; [split; [apply Q | eapply same_trans; [exact E | apply Q]] |].
        left. split; [now apply (over_is _ _ Q) | reflexivity].
      - apply (rules_refined q) in M; [| apply Q | apply Q]. destruct M as [r [R Z]].
        exists r. split; [split; [eapply moves_keep_sound; [apply Q | exact R] | exact Z] | now right]. }
    assert (All : forall n, of_position (g n) (position_of (g n))).
    { induction n.
      - now rewrite (position_of_is _ p P0).
      - destruct (St n _ IHn) as [r [R _]]. now rewrite (position_of_is _ r R). }
    split; [exact All |]. split; [now apply position_of_is |].
    intro n. destruct (St n _ (All n)) as [r [R H]]. rewrite (position_of_is _ r R).
    destruct H as [[N ->] | I]; [left; auto | right; exact I].
  Qed.

  (** Every strategy of positions is one of vectors, and the other way round. *)
  Lemma strategy_down (s : @strategy chess) : @lawful chess o s ->
    paper_lawful o (fun h => match h with
      | v :: _ => if excluded_middle_informative (exists q, of_position v q)
                  then component (s (map position_of h))
                  else epsilon (inhabits v) (Moves v)
      | [] => y
      end).
  Proof.
    intros Ls v h T N. destruct (excluded_middle_informative _) as [[q Q] | _].
    - cbn [map]. rewrite (position_of_is v q Q). apply (rules_refined q); [apply Q | apply Q |].
      eexists. split; [| apply same_refl]. apply (Ls q).
      + now apply (turn_is v q o Q).
      + intro E. apply N. now apply (over_is v q Q).
    - apply epsilon_spec. apply NNPP. intro E. apply N. intros z Z. apply E. eauto.
  Qed.

  Lemma strategy_up (s : paper_strategy) : paper_lawful o s ->
    @lawful chess o (fun h => match h with
      | q :: _ => if excluded_middle_informative (sound q)
                  then position_of (s (map component h)) else hd q (successors q)
      | [] => p
      end).
  Proof.
    intros Ls q h T N. destruct (excluded_middle_informative _) as [So | _].
    - assert (Q : of_position (component q) q) by (split; [exact So | apply same_refl]).
      assert (M : Moves (component q) (s (map component (q :: h)))).
      { apply Ls; [now apply (turn_is _ q o Q) |]. intro E. apply N. now apply (over_is _ q Q). }
      apply (rules_refined q) in M; [| apply Q | apply Q]. destruct M as [r [R Z]].
      rewrite (position_of_is _ r); [exact R |]. split; [eapply moves_keep_sound; eauto | exact Z].
    - simpl in N |- *. destruct (successors q); [congruence | now left].
  Qed.

  Lemma follows_up (s : @strategy chess) g : @lawful chess o s -> paper_play y g ->
    paper_follows o (fun h => match h with
      | v :: _ => if excluded_middle_informative (exists q, of_position v q)
                  then component (s (map position_of h)) else epsilon (inhabits v) (Moves v)
      | [] => y end) g ->
    @follows chess o s (fun n => position_of (g n)).
  Proof.
    intros Ls G Fo n T N. destruct (up g G) as [A _].
    assert (Fn : same (g (S n)) (component (s (@history chess (fun n => position_of (g n)) n)))).
    { eapply same_trans; [apply Fo |].
      - now apply (turn_is _ _ o (A n)).
      - intro E. apply N. now apply (over_is _ _ (A n)).
      - rewrite <- (vectors_history g (fun n => position_of (g n)) n (fun k => eq_refl)).
        destruct (vectors g n) as [| v h] eqn:V; [destruct n; discriminate |].
        assert (v = g n) by (destruct n; simpl in V; congruence). subst v.
        destruct (excluded_middle_informative _) as [_ | E]; [apply same_refl |].
        contradiction E. exists (position_of (g n)). apply A. }
    apply position_of_is. split; [| exact Fn].
    destruct (@history_cons chess (fun n => position_of (g n)) n) as [h H].
    eapply moves_keep_sound; [apply (A n) |]. rewrite H. now apply Ls.
  Qed.

  Lemma follows_down (s : paper_strategy) f : paper_lawful o s -> @play_from chess p f ->
    @follows chess o (fun h => match h with
      | q :: _ => if excluded_middle_informative (sound q)
                  then position_of (s (map component h)) else hd q (successors q)
      | [] => p end) f ->
    paper_follows o s (fun n => component (f n)).
  Proof.
    intros Ls F Fo n T N. destruct (down f F) as [A _].
    rewrite Fo.
    - rewrite <- history_vectors.
      destruct (@history_cons chess f n) as [h H]. rewrite H.
      destruct (excluded_middle_informative (sound (f n))) as [So | E];
        [| contradiction E; apply A].
      assert (M : Moves (component (f n)) (s (map component (f n :: h)))) by now apply Ls.
      apply (rules_refined (f n)) in M; [| exact So | apply same_refl]. destruct M as [r [R Z]].
      rewrite (position_of_is _ r); [now apply same_sym |].
      split; [eapply moves_keep_sound; eauto | exact Z].
    - now apply (turn_is _ _ o (A n)).
    - intro E. apply N. now apply (over_is _ _ (A n)).
  Qed.

  (** *** Who wins by the paper's rules wins by the computed ones, and the other way round. *)
  Theorem paper_wins_are_wins : paper_wins o y <-> @wins chess o p.
  Proof.
    split.
    - intros [s [Ls W]]. eexists. split; [now apply (strategy_up s) |].
      intros f F Fo. destruct (down f F) as [A G].
      destruct (W _ G (follows_down s f Ls F Fo)) as [k M]. exists k.
      now apply (mated_is _ _ _ (A k)).
    - intros [s [Ls W]]. eexists. split; [now apply (strategy_down s) |].
      intros g G Fo. destruct (up g G) as [A F].
      destruct (W _ F (follows_up s g Ls G Fo)) as [k M]. exists k.
      now apply (mated_is _ _ _ (A k)).
  Qed.

  (** *** And so for holds. *)
  Theorem paper_holds_are_holds : paper_holds o y <-> @holds chess o p.
  Proof.
    split.
    - intros [s [Ls W]]. eexists. split; [now apply (strategy_up s) |].
      intros f F Fo k M. destruct (down f F) as [A G].
      apply (W _ G (follows_down s f Ls F Fo) k). now apply (mated_is _ _ _ (A k)).
    - intros [s [Ls W]]. eexists. split; [now apply (strategy_down s) |].
      intros g G Fo k M. destruct (up g G) as [A F].
      apply (W _ F (follows_up s g Ls G Fo) k). now apply (mated_is _ _ _ (A k)).
  Qed.
End Same.

Corollary root_of_position p : legal_root p = true -> of_position (component p) p.
Proof. intro R. split; [now apply legal_root_sound | apply same_refl]. Qed.
