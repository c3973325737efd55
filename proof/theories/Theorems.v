(** * The paper's theorem and its error, for chess

    Here [Theta.v] meets the rules of chess.  What is assumed: excluded middle and a choice of what is
    known to exist, for the paths through any model; the checker itself needs neither. *)

From Coq Require Import Uint63 ZArith List Bool Lia ClassicalEpsilon String.
From Theta Require Import Games Determined CTL Theta Board Rules Dead Checker Vector Fen Paper Refined Kept
  Played.
Import ListNotations.

(** ** Positions are finitely many *)
Section Finite.
  Lemma int_bound : { n : nat | forall i, (Z.to_nat (to_Z i) < n)%nat }.
  Proof.
    exists (Z.to_nat wB). intro i. pose proof (to_Z_bounded i) as [A B].
    apply (proj1 (Z2Nat.inj_lt _ _ A (Z.le_trans _ _ _ A (Z.lt_le_incl _ _ B))) B).
  Qed.

  Definition all_ints : list int :=
    map (fun n => of_Z (Z.of_nat n)) (seq 0 (proj1_sig int_bound)).

  Lemma in_all_ints i : In i all_ints.
  Proof.
    unfold all_ints. destruct int_bound as [n N]. simpl. apply in_map_iff.
    exists (Z.to_nat (to_Z i)). pose proof (to_Z_bounded i). rewrite Z2Nat.id by lia.
    split; [apply of_to_Z |]. apply in_seq. split; [apply Nat.le_0_l | apply N].
  Qed.
  Opaque all_ints.

  Definition all_boards : list board :=
    flat_map (fun a0 => flat_map (fun a1 => flat_map (fun a2 => flat_map (fun a3 =>
    flat_map (fun a4 => flat_map (fun a5 => flat_map (fun a6 =>
      map (fun a7 => Board a0 a1 a2 a3 a4 a5 a6 a7) all_ints)
    all_ints) all_ints) all_ints) all_ints) all_ints) all_ints) all_ints.

  Lemma in_all_boards b : In b all_boards.
  Proof.
    destruct b as [a0 a1 a2 a3 a4 a5 a6 a7]. unfold all_boards.
    apply in_flat_map. exists a0. split; [apply in_all_ints |].
    apply in_flat_map. exists a1. split; [apply in_all_ints |].
    apply in_flat_map. exists a2. split; [apply in_all_ints |].
    apply in_flat_map. exists a3. split; [apply in_all_ints |].
    apply in_flat_map. exists a4. split; [apply in_all_ints |].
    apply in_flat_map. exists a5. split; [apply in_all_ints |].
    apply in_flat_map. exists a6. split; [apply in_all_ints |].
    apply (in_map (fun a7 => Board a0 a1 a2 a3 a4 a5 a6 a7)). apply in_all_ints.
  Qed.
  Opaque all_boards.

  Definition all_positions : list position :=
    flat_map (fun b => flat_map (fun t => flat_map (fun w => flat_map (fun k => flat_map (fun u =>
      map (fun v => Position b t w k u v) all_ints) all_ints) all_ints) all_ints) [true; false])
    all_boards.

  Lemma in_all_positions p : In p all_positions.
  Proof.
    destruct p as [b t w k u v]. unfold all_positions.
    apply in_flat_map. exists b. split; [apply in_all_boards |].
    apply in_flat_map. exists t. split; [destruct t; simpl; auto |].
    apply in_flat_map. exists w. split; [apply in_all_ints |].
    apply in_flat_map. exists k. split; [apply in_all_ints |].
    apply in_flat_map. exists u. split; [apply in_all_ints |].
    apply (in_map (fun v => Position b t w k u v)). apply in_all_ints.
  Qed.
  Opaque all_positions.

  (** Leg(y0): the positions that legal moves can lead to, as a list. *)
  Definition Leg (y0 : position) : list position :=
    filter (fun y => if excluded_middle_informative (@reaches chess y0 y) then true else false)
      all_positions.

  Lemma Leg_is y0 y : In y (Leg y0) <-> @reaches chess y0 y.
  Proof.
    unfold Leg. rewrite filter_In. destruct (excluded_middle_informative _) as [R | R].
    - split; [tauto |]. intros _. split; [apply in_all_positions | reflexivity].
    - split; [intros [_ D]; discriminate | contradiction].
  Qed.
End Finite.

(** ** The theorem *)
Section Chess.
  Variable y0 : position.
  Hypothesis legal : legal_root y0 = true.

  Let W := legal_root_well_formed y0 legal.

  Lemma Leg_bit_0 y : In y (Leg y0) -> bits y 0 = side_eqb (@turn chess y) Black.
  Proof. intros _. unfold bits. simpl. unfold to_move. now destruct (black y). Qed.

  Lemma Leg_bits y z : In y (Leg y0) -> In z (Leg y0) ->
    (forall n, (n < 269)%nat -> bits y n = bits z n) -> y = z.
  Proof.
    rewrite !Leg_is. intros Y Z. apply bits_differ; eapply reached_well_formed; eauto.
  Qed.

  Definition Theta1 : ctl := @Theta_win chess bits (Leg y0) y0 White.
  Definition Theta3 : ctl := @Theta_win chess bits (Leg y0) y0 Black.
  (** Theta2* = Theta4* of docs/theory.md. *)
  Definition Theta2_star : ctl := @Theta_draw chess bits (Leg y0) y0.
  (** Theta2 as the paper prints it. *)
  Definition Theta2 : ctl := @Theta_printed chess bits (Leg y0) y0 White.

  (** *** Theta1 is satisfiable exactly when White can force mate. *)
  Theorem Theta1_says : satisfiable Theta1 <-> @wins chess White y0.
  Proof. apply Theta_win_says; [apply Leg_is | apply Leg_bit_0 | apply Leg_bits]. Qed.

  (** *** Theta3 is satisfiable exactly when Black can force mate. *)
  Theorem Theta3_says : satisfiable Theta3 <-> @wins chess Black y0.
  Proof. apply Theta_win_says; [apply Leg_is | apply Leg_bit_0 | apply Leg_bits]. Qed.

  (** *** Theta2* is satisfiable exactly when both sides can hold for ever. *)
  Theorem Theta2_star_says :
    satisfiable Theta2_star <-> @holds chess White y0 /\ @holds chess Black y0.
  Proof. apply Theta_draw_says; [apply Leg_is | apply Leg_bit_0 | apply Leg_bits]. Qed.

  (** *** Of every legal position exactly one of Theta1, Theta2*, Theta3 is satisfiable. *)
  Theorem exactly_one_formula :
    (satisfiable Theta1 /\ ~ satisfiable Theta2_star /\ ~ satisfiable Theta3) \/
    (~ satisfiable Theta1 /\ satisfiable Theta2_star /\ ~ satisfiable Theta3) \/
    (~ satisfiable Theta1 /\ ~ satisfiable Theta2_star /\ satisfiable Theta3).
  Proof. apply exactly_one; [apply Leg_is | apply Leg_bit_0 | apply Leg_bits]. Qed.
End Chess.

(** ** The theorem, said of the paper's rules

    [paper_wins], [paper_holds] speak of vectors and the relations of section 3 only ([Paper.v],
    [Played.v]). *)
Section Paper.
  Variable p : position.
  Hypothesis legal : legal_root p = true.
  Let y0 := component p.

  (** *** Of every legal position exactly one of Theta1, Theta2*, Theta3 is satisfiable: Theta1 when
      White can force mate by the paper's rules, Theta3 when Black can, Theta2* when both can hold. *)
  Theorem the_theorem_of_the_paper :
    (satisfiable (Theta1 p) <-> paper_wins White y0) /\
    (satisfiable (Theta2_star p) <-> paper_holds White y0 /\ paper_holds Black y0) /\
    (satisfiable (Theta3 p) <-> paper_wins Black y0) /\
    (satisfiable (Theta1 p) /\ ~ satisfiable (Theta2_star p) /\ ~ satisfiable (Theta3 p) \/
     ~ satisfiable (Theta1 p) /\ satisfiable (Theta2_star p) /\ ~ satisfiable (Theta3 p) \/
     ~ satisfiable (Theta1 p) /\ ~ satisfiable (Theta2_star p) /\ satisfiable (Theta3 p)).
  Proof.
    pose proof (root_of_position p legal) as P.
    split; [| split; [| split]].
    - rewrite (paper_wins_are_wins White y0 p P). now apply Theta1_says.
    - rewrite (paper_holds_are_holds White y0 p P), (paper_holds_are_holds Black y0 p P). now apply Theta2_star_says.
    - rewrite (paper_wins_are_wins Black y0 p P). now apply Theta3_says.
    - now apply exactly_one_formula.
  Qed.

  (** *** What a certificate proves is true by the paper's rules. *)
  Theorem accepted_by_the_paper o n l :
    (check (Certificate p (Wins o n) l) = true -> paper_wins o y0) /\
    (check (Certificate p (Holds o) l) = true -> paper_holds o y0) /\
    (check (Certificate p Draw l) = true -> paper_holds White y0 /\ paper_holds Black y0).
  Proof.
    pose proof (root_of_position p legal) as P.
    split; [| split]; intro C.
    - apply (paper_wins_are_wins o y0 p P). now apply accepted_win_wins in C.
    - apply (paper_holds_are_holds o y0 p P). apply check_sound in C. exact (proj2 C).
    - apply check_sound in C. destruct C as [_ [A B]].
      split; [apply (paper_holds_are_holds White y0 p P) | apply (paper_holds_are_holds Black y0 p P)];
        assumption.
  Qed.
End Paper.

(** ** The error *)

(** The counter-example of docs/theory.md, section 8: White mates by Qg7; but Qg6 stalemates. *)
Definition queen_ahead : position :=
  Eval vm_compute in
    match read_fen "7k/8/5K2/8/8/8/6Q1/8 w - -" with Some p => p | None => Position empty_board false 0 0 0 0 end.

Definition stalemated : position :=
  Eval vm_compute in
    match play queen_ahead (code_of 14 46 0) with Some z => z | None => queen_ahead end.

Lemma queen_wins : @wins chess White queen_ahead.
Proof.
  apply (accepted_win_wins queen_ahead White 1 [Win White [Entry queen_ahead (code_of 14 54 0)]]).
  vm_compute. reflexivity.
Qed.

(** *** The paper's error: its Theta2, which should say that White cannot win, is satisfiable in a
    position where White wins; and so it is satisfiable together with Theta1. *)
Theorem printed_Theta2_is_wrong :
  legal_root queen_ahead = true /\
  @wins chess White queen_ahead /\
  satisfiable (Theta1 queen_ahead) /\
  satisfiable (Theta2 queen_ahead).
Proof.
  assert (Lg : legal_root queen_ahead = true) by (vm_compute; reflexivity).
  split; [exact Lg |]. split; [exact queen_wins |].
  split; [apply Theta1_says; [exact Lg | exact queen_wins] |].
  assert (Nx : In stalemated (successors queen_ahead)).
  { apply (play_in _ (code_of 14 46 0)). vm_compute. reflexivity. }
  assert (End : successors stalemated = []) by (vm_compute; reflexivity).
  assert (Safe : in_check stalemated = false) by (vm_compute; reflexivity).
  assert (T0 : to_move queen_ahead = White) by (vm_compute; reflexivity).
  destruct (@stay_exists chess White (fun _ q => q = queen_ahead \/ q = stalemated))
    with (p := queen_ahead) as [s [L K]].
  - intros _ q. apply excluded_middle_informative.
  - auto.
  - intros _ q [-> | ->] T N; [| contradiction]. exists stalemated. split; [exact Nx | now right].
  - intros _ q [-> | ->] T z Z.
    + contradiction.
    + change (In z (successors stalemated)) in Z. rewrite End in Z. contradiction.
  - now left.
  - apply (@printed_too_weak chess bits (Leg queen_ahead) queen_ahead (Leg_is _) (Leg_bit_0 _)
             (Leg_bits _ Lg) White s L).
    intros f P F k. destruct (K f P F k) as [-> | ->]; split; intros [M1 [M2 M3]].
    + change (successors queen_ahead = []) in M2. rewrite M2 in Nx. contradiction.
    + change (successors queen_ahead = []) in M2. rewrite M2 in Nx. contradiction.
    + change (in_check stalemated = true) in M3. congruence.
    + change (in_check stalemated = true) in M3. congruence.
Qed.

(** ** What the theorems rest on *)
Print Assumptions check_sound.
Print Assumptions rules_refined.
Print Assumptions exactly_one_formula.
Print Assumptions the_theorem_of_the_paper.
Print Assumptions printed_Theta2_is_wrong.
