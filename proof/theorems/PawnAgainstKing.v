(** 8/8/8/8/5p2/8/3k4/5K2 w - -: Draw. *)

From Coq Require Import Uint63 List String.
From Theta Require Import Games Rules Checker Certified.
Import ListNotations.
Open Scope uint63_scope.

Definition entries_0 : list entry := [
  e 1048576 36864 0 14680064 0 0 0 0 false 0 0 0 0 837;
  e 256 589824 0 3584 0 0 0 0 false 0 0 0 0 642;
  e 0 1048576 36864 14680064 0 0 0 0 false 0 0 0 0 1357;
  e 0 256 589824 3584 0 0 0 0 false 0 0 0 0 1162;
  e 0 0 1048576 14716928 0 0 0 0 false 0 0 0 0 1877;
  e 0 0 256 593408 0 0 0 0 false 0 0 0 0 1682;
  e 0 0 1048576 14682368 0 0 0 0 false 0 0 0 0 1877;
  e 0 0 256 9440768 0 0 0 0 false 0 0 0 0 1682;
  e 0 0 1050880 14680064 0 0 0 0 false 0 0 0 0 1877;
  e 0 0 9437440 3584 0 0 0 0 false 0 0 0 0 1682;
  e 0 36864 1048576 14680064 0 0 0 0 false 0 0 0 0 1877;
  e 0 589824 256 3584 0 0 0 0 false 0 0 0 0 1682;
  e 0 2304 1048576 14680064 0 0 0 0 false 0 0 0 0 1877;
  e 0 9437184 256 3584 0 0 0 0 false 0 0 0 0 1682;
  e 0 1048576 2304 14680064 0 0 0 0 false 0 0 0 0 1357;
  e 0 256 9437184 3584 0 0 0 0 false 0 0 0 0 1162;
  e 0 0 1048576 14680208 0 0 0 0 false 0 0 0 0 1877;
  e 0 0 256 150998528 0 0 0 0 false 0 0 0 0 1682;
  e 0 0 1085440 14680064 0 0 0 0 false 0 0 0 0 1877;
  e 0 0 590080 3584 0 0 0 0 false 0 0 0 0 1682;
  e 0 0 1048720 14680064 0 0 0 0 false 0 0 0 0 1877;
  e 0 0 150995200 3584 0 0 0 0 false 0 0 0 0 1682;
  e 0 144 1048576 14680064 0 0 0 0 false 0 0 0 0 1877;
  e 0 150994944 256 3584 0 0 0 0 false 0 0 0 0 1682;
  e 0 1050880 0 14680064 0 0 0 0 false 0 0 0 0 1357;
  e 0 9437440 0 3584 0 0 0 0 false 0 0 0 0 1162;
  e 36864 0 1048576 14680064 0 0 0 0 false 0 0 0 0 1877;
  e 589824 0 256 3584 0 0 0 0 false 0 0 0 0 1682;
  e 2304 0 1048576 14680064 0 0 0 0 false 0 0 0 0 1877;
  e 9437184 0 256 3584 0 0 0 0 false 0 0 0 0 1682;
  e 144 0 1048576 14680064 0 0 0 0 false 0 0 0 0 1877;
  e 150994944 0 256 3584 0 0 0 0 false 0 0 0 0 1682;
  e 36864 1048576 0 14680064 0 0 0 0 false 0 0 0 0 1357;
  e 589824 256 0 3584 0 0 0 0 false 0 0 0 0 1162;
  e 589824 0 1048576 14680064 0 0 0 0 false 0 0 0 0 1877;
  e 36864 0 256 3584 0 0 0 0 false 0 0 0 0 1682;
  e 2304 1048576 0 14680064 0 0 0 0 false 0 0 0 0 1357;
  e 9437184 256 0 3584 0 0 0 0 false 0 0 0 0 1162;
  e 0 1085440 14680064 0 0 0 0 0 false 0 0 0 0 1357;
  e 0 590080 3584 0 0 0 0 0 false 0 0 0 0 1162].

Definition entries_1 : list entry := [
].

Theorem proved : means (from_fen "8/8/8/8/5p2/8/3k4/5K2 w - -"%string) (Draw).
Proof.
  apply certified with (l := [Hold White entries_0; Hold Black entries_1]).
  vm_cast_no_check (eq_refl true).
Qed.

Print Assumptions proved.
