(** * Games on graphs

    A game of two players without chance: positions, the positions that one move leads to, who is to
    move, and whether the king of the side to move is attacked.  Chess is one instance ([Rules.v]);
    nothing in this file knows it.

    A play is infinite: a position without a move stands still for ever, as in the paper.  A strategy
    sees the whole history.  What is proved here:

    - [ranks_sound], [ranks_complete]: a goal can be forced within n plies exactly when the position
      has a rank of at most n, and a rank is what a certificate of a win carries;
    - [closed_set_holds]: a set of positions that the owner need not leave, and in which it is never
      mated, gives a strategy that is never mated;
    - [wins_against_holds]: one side's win excludes the other side's hold. *)

From Coq Require Import List Arith Lia Bool.
Import ListNotations.

Inductive side := White | Black.

Definition other (s : side) : side := match s with White => Black | Black => White end.

Definition side_eqb (a b : side) : bool :=
  match a, b with White, White | Black, Black => true | _, _ => false end.

Lemma side_eqb_eq a b : side_eqb a b = true <-> a = b.
Proof. destruct a, b; simpl; split; congruence. Qed.

Lemma side_eqb_neq a b : side_eqb a b = false <-> a <> b.
Proof. destruct a, b; simpl; split; congruence. Qed.

Lemma other_other s : other (other s) = s.
Proof. destruct s; reflexivity. Qed.

Lemma not_own s t : t <> s <-> t = other s.
Proof. destruct s, t; simpl; split; congruence. Qed.

Record game := Game {
  pos : Type;
  next : pos -> list pos;    (** the positions after each legal move *)
  turn : pos -> side;        (** who is to move *)
  checked : pos -> bool      (** is the king of the side to move attacked? *)
}.

Section Play.
  Context {G : game}.
  Notation pos := (pos G).
  Notation next := (next G).
  Notation turn := (turn G).

  (** This side is mated: it is to move, has no move, and its king is attacked. *)
  Definition mated (s : side) (p : pos) : Prop :=
    turn p = s /\ next p = [] /\ checked G p = true.

  Definition matedb (s : side) (p : pos) : bool :=
    side_eqb (turn p) s && checked G p && match next p with [] => true | _ => false end.

  Lemma matedb_spec s p : matedb s p = true <-> mated s p.
  Proof.
    unfold matedb, mated. rewrite !andb_true_iff, side_eqb_eq.
    destruct (next p); intuition congruence.
  Qed.

  (** A strategy sees the positions so far, the latest first, and names the next one. *)
  Definition strategy := list pos -> pos.

  (** It always names a legal move of its side where there is one. *)
  Definition lawful (o : side) (s : strategy) : Prop :=
    forall p h, turn p = o -> next p <> [] -> In (s (p :: h)) (next p).

  (** An infinite play: each position follows from the one before it, and one without a move stands
      still. *)
  Definition play_from (p : pos) (f : nat -> pos) : Prop :=
    f 0 = p /\
    forall n, (next (f n) = [] /\ f (S n) = f n) \/ In (f (S n)) (next (f n)).

  Fixpoint history (f : nat -> pos) (n : nat) : list pos :=
    match n with 0 => [f 0] | S m => f (S m) :: history f m end.

  (** In this play the side does what its strategy says. *)
  Definition follows (o : side) (s : strategy) (f : nat -> pos) : Prop :=
    forall n, turn (f n) = o -> next (f n) <> [] -> f (S n) = s (history f n).

  (** The side reaches the goal within n plies, whatever the other one does. *)
  Definition forces (o : side) (goal : pos -> Prop) (n : nat) (p : pos) : Prop :=
    exists s, lawful o s /\
      forall f, play_from p f -> follows o s f -> exists k, k <= n /\ goal (f k).

  (** The side mates, whatever the other one does. *)
  Definition wins (o : side) (p : pos) : Prop :=
    exists s, lawful o s /\
      forall f, play_from p f -> follows o s f -> exists k, mated (other o) (f k).

  (** The side is never mated, whatever the other one does. *)
  Definition holds (o : side) (p : pos) : Prop :=
    exists s, lawful o s /\
      forall f, play_from p f -> follows o s f -> forall k, ~ mated o (f k).

  (** A line of legal moves of both sides from one position to another. *)
  Inductive reaches : pos -> pos -> Prop :=
  | Reached p : reaches p p
  | Step p q r : In q (next p) -> reaches q r -> reaches p r.

  Lemma history_cons f n : exists h, history f n = f n :: h.
  Proof. destruct n; simpl; eauto. Qed.

  Lemma history_length f n : length (history f n) = S n.
  Proof. induction n; simpl; congruence. Qed.

  (** ** Staying in a set

      [B k] is a set of positions for ply k.  If the side can always stay in it, it has a strategy
      that does. *)
  Section Stay.
    Variable o : side.
    Variable B : nat -> pos -> Prop.
    Variable dec : forall k p, {B k p} + {~ B k p}.
    Hypothesis still : forall k p, B k p -> next p = [] -> B (S k) p.
    Hypothesis own : forall k p, B k p -> turn p = o -> next p <> [] ->
      exists q, In q (next p) /\ B (S k) q.
    Hypothesis theirs : forall k p, B k p -> turn p <> o ->
      forall q, In q (next p) -> B (S k) q.

    Definition stay (p0 : pos) : strategy := fun h =>
      match h with
      | [] => p0
      | p :: _ =>
          match find (fun q => if dec (length h) q then true else false) (next p) with
          | Some q => q
          | None => hd p0 (next p)
          end
      end.

    Lemma stay_lawful p0 : lawful o (stay p0).
    Proof.
      intros p h _ N. unfold stay.
      destruct (find _ (next p)) eqn:F.
      - apply find_some in F. tauto.
      - destruct (next p); [congruence | now left].
    Qed.

    Lemma stay_stays p0 p f :
      B 0 p -> play_from p f -> follows o (stay p0) f -> forall k, B k (f k).
    Proof.
      intros B0 [F0 FS] W. induction k; [now rewrite F0 |].
      destruct (FS k) as [[N E] | I].
      - rewrite E. now apply still.
      - destruct (turn (f k)) eqn:T, o eqn:O; subst;
          try (eapply theirs; eauto; congruence).
        all: assert (N : next (f k) <> []) by (intro Z; rewrite Z in I; contradiction);
          rewrite (W k T N); destruct (history_cons f k) as [h H];
          unfold stay; rewrite H; rewrite <- H, history_length;
          destruct (own k (f k) IHk T N) as [q [Q1 Q2]];
          destruct (find _ (next (f k))) as [z |] eqn:F;
          [ apply find_some in F; destruct F as [_ F];
            destruct (dec (S k) z); [assumption | discriminate]
          | eapply find_none in F; [| exact Q1]; simpl in F;
            destruct (dec (S k) q); [discriminate | contradiction] ].
    Qed.

    Lemma stay_exists p : B 0 p -> exists s, lawful o s /\
      forall f, play_from p f -> follows o s f -> forall k, B k (f k).
    Proof.
      intro B0. exists (stay p). split; [apply stay_lawful |].
      intros; eapply stay_stays; eauto.
    Qed.
  End Stay.

  (** ** One strategy against another *)
  Section Duel.
    Variables (o : side) (s t : strategy).
    Hypothesis Ls : lawful o s.
    Hypothesis Lt : lawful (other o) t.
    Variable p0 : pos.

    Fixpoint duel (n : nat) : list pos :=
      match n with
      | 0 => [p0]
      | S m =>
          let h := duel m in
          match h with
          | [] => [p0]
          | p :: _ =>
              match next p with
              | [] => p :: h
              | _ => (if side_eqb (turn p) o then s h else t h) :: h
              end
          end
      end.

    Definition met (n : nat) : pos := hd p0 (duel n).

    Lemma duel_history n : duel n = history met n.
    Proof.
      induction n; [reflexivity |].
      simpl history. rewrite <- IHn. unfold met at 1. simpl duel.
      destruct (duel n) eqn:E.
      - exfalso. clear IHn. destruct n; simpl in E; [discriminate |].
        destruct (duel n); [discriminate |]. destruct (next p); discriminate.
      - destruct (next p); reflexivity.
    Qed.

    Lemma duel_play : play_from p0 met /\ follows o s met /\ follows (other o) t met.
    Proof.
      assert (Q : forall n, met (S n) =
        match next (met n) with
        | [] => met n
        | _ => if side_eqb (turn (met n)) o then s (history met n) else t (history met n)
        end).
      { intro n. unfold met at 1. simpl duel. rewrite duel_history.
        destruct (history_cons met n) as [h H]. rewrite H.
        destruct (next (met n)); reflexivity. }
      repeat split.
      - intro n. specialize (Q n). destruct (next (met n)) eqn:N; [now left |].
        right. rewrite <- N. destruct (history_cons met n) as [h H].
        destruct (side_eqb (turn (met n)) o) eqn:E; rewrite Q, H.
        + apply Ls; [now apply side_eqb_eq | congruence].
        + apply Lt; [apply not_own; now apply side_eqb_neq | congruence].
      - intros n T N. rewrite Q. rewrite (proj2 (side_eqb_eq _ _) T).
        destruct (next (met n)); congruence.
      - intros n T N. rewrite Q.
        assert (side_eqb (turn (met n)) o = false) as ->
          by (apply side_eqb_neq; rewrite T; destruct o; discriminate).
        destruct (next (met n)); congruence.
    Qed.
  End Duel.

  (** ** Ranks

      A position has rank n at most when the goal is reached, or one move of the owner's leads to
      rank n - 1, or the opponent has a move and every one of its moves does. *)
  Inductive rank (o : side) (goal : pos -> Prop) : nat -> pos -> Prop :=
  | RGoal n p : goal p -> rank o goal n p
  | ROwn n p q : turn p = o -> In q (next p) -> rank o goal n q -> rank o goal (S n) p
  | ROther n p : turn p <> o -> next p <> [] ->
      (forall q, In q (next p) -> rank o goal n q) -> rank o goal (S n) p.

  Lemma rank_mono o goal n p : rank o goal n p -> forall m, n <= m -> rank o goal m p.
  Proof.
    induction 1; intros m L.
    - now apply RGoal.
    - destruct m; [lia |]. eapply ROwn; eauto. apply IHrank. lia.
    - destruct m; [lia |]. apply ROther; auto. intros q Q. apply (H2 q Q). lia.
  Qed.

  Lemma exists_dec (P : pos -> Prop) (d : forall p, {P p} + {~ P p}) (l : list pos) :
    {exists q, In q l /\ P q} + {forall q, In q l -> ~ P q}.
  Proof.
    induction l as [| a l IH].
    - right. intros q [].
    - destruct (d a); [left; exists a; simpl; auto |].
      destruct IH as [E | A].
      + left. destruct E as [q [I Q]]. exists q. simpl; auto.
      + right. intros q [<- | I]; auto.
  Defined.

  (** Where the goal can be decided, so can ranks. *)
  Lemma rank_dec o goal (d : forall p, {goal p} + {~ goal p}) :
    forall n p, {rank o goal n p} + {~ rank o goal n p}.
  Proof.
    induction n as [| n IH]; intro p.
    - destruct (d p); [left; now apply RGoal | right; intro R; inversion R; auto].
    - destruct (d p); [left; now apply RGoal |].
      destruct (side_eqb (turn p) o) eqn:T.
      + apply side_eqb_eq in T.
        destruct (exists_dec (rank o goal n) (IH) (next p)) as [E | A].
        * left. destruct E as [q [I R]]. eapply ROwn; eauto.
        * right. intro R. inversion R; subst; auto. eapply A; eauto.
      + apply side_eqb_neq in T.
        destruct (next p) eqn:N.
        * right. intro R. inversion R; subst; auto; congruence.
        * destruct (exists_dec (fun q => ~ rank o goal n q)
            (fun q => match IH q with left a => right (fun c => c a) | right b => left b end)
            (next p)) as [E | A].
          -- right. intro R. destruct E as [q [I Q]]. inversion R; subst; auto.
          -- left. apply ROther; [auto | congruence |].
             intros q Q. destruct (IH q); [auto | exfalso; eapply A; eauto].
  Defined.

  (** *** A position of rank n can be forced within n plies. *)
  Theorem ranks_sound o goal (d : forall p, {goal p} + {~ goal p}) n p :
    rank o goal n p -> forces o goal n p.
  Proof.
    intro R.
    set (s := fun h : list pos => match h with
      | [] => p
      | q :: _ =>
          match find (fun z => if rank_dec o goal d (n - length h) z then true else false) (next q)
          with Some z => z | None => hd p (next q) end
      end).
    exists s. split.
    - intros q h _ N. unfold s. destruct (find _ (next q)) eqn:F.
      + apply find_some in F; tauto.
      + destruct (next q); [congruence | now left].
    - intros f [F0 FS] W.
      assert (A : forall m k, k + m = n -> rank o goal m (f k) -> exists j, j <= n /\ goal (f j)).
      { induction m; intros k E Q.
        - inversion Q; subst. exists k. split; [lia | auto].
        - inversion Q; subst.
          + exists k. split; [lia | auto].
          + apply (IHm (S k)); [lia |].
            assert (N : next (f k) <> []) by (intro Z; rewrite Z in *; contradiction).
            rewrite (W k eq_refl N).
            destruct (history_cons f k) as [h H]. unfold s. rewrite H. rewrite <- H, history_length.
            replace (k + S m - S k) with m by lia.
            destruct (find _ (next (f k))) as [z |] eqn:F.
            * apply find_some in F. destruct F as [_ F].
              destruct (rank_dec (turn (f k)) goal d m z); [assumption | discriminate].
            * eapply find_none in F; [| eassumption]. simpl in F.
              destruct (rank_dec (turn (f k)) goal d m q); [discriminate | contradiction].
          + apply (IHm (S k)); [lia |].
            destruct (FS k) as [[N _] | I]; [contradiction | auto]. }
      apply (A n 0); [lia | now rewrite F0].
  Qed.

  (** *** What can be forced within n plies has rank n. *)
  Theorem ranks_complete o goal (d : forall p, {goal p} + {~ goal p}) n p :
    forces o goal n p -> rank o goal n p.
  Proof.
    intros [s [Ls W]].
    destruct (rank_dec o goal d n p) as [R | NR]; [assumption | exfalso].
    destruct (stay_exists (other o) (fun k q => k <= n -> ~ rank o goal (n - k) q)) with (p := p)
      as [t [Lt T]].
    - intros k q. destruct (le_dec k n) as [L | L].
      + destruct (rank_dec o goal d (n - k) q); [right | left]; tauto.
      + left; tauto.
    - intros k q Bk _ L R. apply Bk; [lia |]. eapply rank_mono; eauto. lia.
    - intros k q Bk TQ N. destruct (le_dec (S k) n) as [L | L].
      + destruct (exists_dec (fun z => ~ rank o goal (n - S k) z)
          (fun z => match rank_dec o goal d (n - S k) z with
                    | left a => right (fun c => c a) | right b => left b end) (next q))
          as [[z [Z1 Z2]] | A].
        * exists z; tauto.
        * exfalso. apply Bk; [lia |]. replace (n - k) with (S (n - S k)) by lia.
          apply ROther; [rewrite TQ; destruct o; discriminate | assumption |].
          intros z Z. destruct (rank_dec o goal d (n - S k) z); [assumption | exfalso; eapply A; eauto].
      + destruct (next q) as [| z l]; [congruence |]. exists z. split; [now left | lia].
    - intros k q Bk TQ z Z L R. apply Bk; [lia |].
      replace (n - k) with (S (n - S k)) by lia. eapply ROwn; eauto.
      apply not_own in TQ. now rewrite other_other in TQ.
    - intros _. now rewrite Nat.sub_0_r.
    - destruct (duel_play o s t Ls Lt p) as [P [Fs Ft]].
      destruct (W _ P Fs) as [k [K Gk]].
      apply (T _ P Ft k K). now apply RGoal.
  Qed.

  Lemma mated_dec s p : {mated s p} + {~ mated s p}.
  Proof.
    destruct (matedb s p) eqn:E; [left; now apply matedb_spec |].
    right. intro M. apply matedb_spec in M. congruence.
  Defined.

  (** *** Who mates within n plies wins. *)
  Theorem forced_mate_wins o n p : forces o (mated (other o)) n p -> wins o p.
  Proof.
    intros [s [L W]]. exists s. split; [assumption |].
    intros f P F. destruct (W f P F) as [k [_ M]]. eauto.
  Qed.

  (** *** One side's win excludes the other side's hold. *)
  Theorem wins_against_holds o p : wins o p -> ~ holds (other o) p.
  Proof.
    intros [s [Ls W]] [t [Lt H]].
    destruct (duel_play o s t Ls Lt p) as [P [Fs Ft]].
    destruct (W _ P Fs) as [k M]. exact (H _ P Ft k M).
  Qed.

  (** *** Both sides cannot win. *)
  Theorem not_both_win p : wins White p -> wins Black p -> False.
  Proof.
    intros W B. apply (wins_against_holds White p W).
    destruct B as [t [Lt B]]. exists t. split; [assumption |].
    intros f P F k M. destruct (B f P F) as [j N].
    (* A mate stands still, so both would be the same position. *)
    assert (St : forall q i, next (f q) = [] -> f (q + i) = f q).
    { intros q i N0. induction i; [f_equal; lia |].
      rewrite Nat.add_succ_r. destruct P as [_ P].
      destruct (P (q + i)) as [[_ E] | I]; [congruence |].
      rewrite IHi, N0 in I. contradiction. }
    destruct M as [M1 [M2 _]], N as [N1 [N2 _]]. simpl in *.
    destruct (le_lt_dec k j).
    - specialize (St k (j - k) M2). replace (k + (j - k)) with j in St by lia. congruence.
    - specialize (St j (k - j) N2). replace (j + (k - j)) with k in St by lia. congruence.
  Qed.

  (** *** A closed set gives a hold.

      Where the owner is to move in the set, it is stalemated or has a move that stays in the set;
      no move of the opponent's leaves the set. *)
  Theorem closed_set_holds o (S : pos -> bool) p :
    (forall q, S q = true -> turn q = o ->
       (next q = [] /\ checked G q = false) \/ exists z, In z (next q) /\ S z = true) ->
    (forall q, S q = true -> turn q <> o -> forall z, In z (next q) -> S z = true) ->
    S p = true -> holds o p.
  Proof.
    intros Own Their Sp.
    destruct (stay_exists o (fun _ q => S q = true)) with (p := p) as [s [L W]]; auto.
    - intros _ q. destruct (S q); [now left | now right].
    - intros _ q Q T N. destruct (Own q Q T) as [[E _] | E]; [contradiction | exact E].
    - exists s. split; [assumption |]. intros f P F k [M1 [M2 M3]].
      destruct (Own (f k) (W f P F k) M1) as [[_ C] | [z [Z _]]]; [congruence |].
      rewrite M2 in Z. contradiction.
  Qed.
End Play.
