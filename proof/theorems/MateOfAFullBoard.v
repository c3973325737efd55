(** q5nr/1ppknQpp/3p4/1P2p3/4P3/B1PP1b2/B5PP/5K2 w - -: White wins in 3 plies. *)

From Coq Require Import Uint63 List String.
From Theta Require Import Games Rules Checker Certified.
Import ListNotations.
Open Scope uint63_scope.

Definition part_0_0 : list entry := [
  e 1048576 1711276032 12609028 393216 917600 319488 3995930336 3170930698 false 0 0 0 0 3957;
  e 1048576 1711276036 12609028 393216 917600 57344 3995967200 3170893834 false 0 0 0 0 2824].

Definition entries_0 : list entry := List.concat [part_0_0].

Theorem proved : means (from_fen "q5nr/1ppknQpp/3p4/1P2p3/4P3/B1PP1b2/B5PP/5K2 w - -"%string) (Wins White 3).
Proof.
  apply certified with (l := [Win White entries_0]).
  vm_cast_no_check (eq_refl true).
Qed.

Print Assumptions proved.
