(** * Determinacy, with excluded middle

    From every position White wins, or Black wins, or both can hold for ever.  The proof uses excluded
    middle and a choice of what is known to exist ([ClassicalEpsilon]); nothing of the checker rests
    on this file. *)

From Coq Require Import List Arith Lia Bool ClassicalEpsilon.
From Theta Require Import Games.
Import ListNotations.

Section Determined.
  Context {G : game}.

  (** The owner can force mate: the position has some rank. *)
  Definition won (o : side) (p : pos G) : Prop := exists n, rank o (mated (other o)) n p.

  Lemma won_wins o p : won o p -> wins o p.
  Proof.
    intros [n R]. apply forced_mate_wins with n. apply ranks_sound; [| exact R].
    apply mated_dec.
  Qed.

  (** If every move of the opponent's leads into the set, one rank is enough for all. *)
  Lemma all_won o (l : list (pos G)) : (forall q, In q l -> won o q) ->
    exists n, forall q, In q l -> rank o (mated (other o)) n q.
  Proof.
    induction l as [| a l IH]; intro A.
    - exists 0. intros q [].
    - destruct IH as [n N]; [intros q I; apply A; now right |].
      destruct (A a (or_introl eq_refl)) as [m M]. exists (max n m).
      intros q [<- | I]; eapply rank_mono; eauto; lia.
  Qed.

  Lemma not_won_own o p q : ~ won o p -> turn G p = o -> In q (next G p) -> ~ won o q.
  Proof. intros N T I [n R]. apply N. exists (S n). eapply ROwn; eauto. Qed.

  Lemma not_won_other o p : ~ won o p -> turn G p <> o -> next G p <> [] ->
    exists q, In q (next G p) /\ ~ won o q.
  Proof.
    intros N T E. apply NNPP. intro C. apply N.
    destruct (all_won o (next G p)) as [n A].
    - intros q I. apply NNPP. intro W. apply C. eauto.
    - exists (S n). now apply ROther.
  Qed.

  (** *** Who cannot be mated by force has a strategy that is never mated. *)
  Theorem not_won_holds o p : ~ won o p -> holds (other o) p.
  Proof.
    intro N.
    destruct (stay_exists (other o) (fun _ q => ~ won o q)) with (p := p) as [s [L W]]; auto.
    - intros _ q. apply excluded_middle_informative.
    - intros _ q Q T E. apply not_won_other; auto. rewrite T. destruct o; discriminate.
    - intros _ q Q T z I. eapply not_won_own; eauto. apply not_own in T. now rewrite other_other in T.
    - exists s. split; [assumption |]. intros f P F k M. apply (W f P F k).
      exists 0. now apply RGoal.
  Qed.

  Theorem wins_won o p : wins o p -> won o p.
  Proof.
    intro W. apply NNPP. intro N. apply (wins_against_holds o p W). now apply not_won_holds.
  Qed.

  (** *** Every position has exactly one value. *)
  Theorem determined (p : pos G) :
    (wins White p /\ ~ wins Black p /\ ~ holds Black p) \/
    (wins Black p /\ ~ wins White p /\ ~ holds White p) \/
    (holds White p /\ holds Black p /\ ~ wins White p /\ ~ wins Black p).
  Proof.
    destruct (classic (won White p)) as [W | W].
    - left. apply won_wins in W. split; [assumption |]. split.
      + intro B. now apply (not_both_win p).
      + now apply (wins_against_holds White).
    - apply not_won_holds in W. destruct (classic (won Black p)) as [B | B].
      + right. left. apply won_wins in B. split; [assumption |]. split.
        * intro V. now apply (not_both_win p).
        * now apply (wins_against_holds Black).
      + right. right. apply not_won_holds in B. simpl in *. repeat split; auto.
        * intro V. now apply (wins_against_holds White p V).
        * intro V. now apply (wins_against_holds Black p V).
  Qed.
End Determined.
