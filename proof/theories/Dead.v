From Theta Require Import Games Board Rules.
Definition dead (o : side) (p : position) : bool := false.
Lemma dead_owner o p : dead o p = true -> @turn chess p = o ->
  (@next chess p = nil /\ checked chess p = false) \/ exists z, List.In z (@next chess p) /\ dead o z = true.
Proof. discriminate. Qed.
Lemma dead_opponent o p : dead o p = true -> @turn chess p <> o ->
  forall z, List.In z (@next chess p) -> dead o z = true.
Proof. discriminate. Qed.
