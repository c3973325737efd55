(** 8/8/8/8/5p2/8/3k4/5K2 w - -: draw. *)

From Coq Require Import Uint63 List String.
From Theta Require Import Games Rules Checker Certified.
Import ListNotations.
Open Scope uint63_scope.

Definition part_0_0 : list entry := [
  q 22588367848419394;
  q 40884241334620234;
  q 59180114487699538;
  q 59180114488748114;
  q 59180114820813906;
  q 59180114820287052;
  q 59180114820287053;
  q 40884241334621258;
  q 59180114489796690;
  q 59180114820812882;
  q 59180114820814930;
  q 59180114820287054;
  q 40884241334613066;
  q 59180114820287044;
  q 59180114820287045;
  q 59180114820287046;
  q 40884241334086212;
  q 59180114820287043;
  q 40884241334086213;
  q 40884241326223434].

Definition entries_0 : list entry := List.concat [part_0_0].

Definition entries_1 : list entry := List.concat [].

Theorem proved : means (from_fen "8/8/8/8/5p2/8/3k4/5K2 w - -"%string) (Draw).
Proof.
  apply certified with (l := [Hold White (unfolded entries_0); Hold Black (unfolded entries_1)]).
  vm_cast_no_check (eq_refl true).
Qed.

Print Assumptions proved.
