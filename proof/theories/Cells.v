(** * What stands where after a man is put on a square

    The laws of [get], [put] and the mirror: the square that is written holds what was written, all
    others hold what they held, and the mirror exchanges ranks and colours. *)

From Coq Require Import Uint63 ZArith List Bool Lia.
From Theta Require Import Board.
Import ListNotations.

(** ** Rows as numbers *)
Open Scope Z_scope.

Definition cellZ (w s : Z) : Z := Z.land (Z.shiftr w s) 15.
Definition withZ (w s v : Z) : Z := Z.lxor w (Z.shiftl (Z.lxor (cellZ w s) v) s).

Lemma bit_15 n : 0 <= n -> Z.testbit 15 n = (n <? 4).
Proof.
  intro N. destruct (Z.ltb_spec n 4).
  - assert (n = 0 \/ n = 1 \/ n = 2 \/ n = 3) as [-> | [-> | [-> | ->]]] by lia; reflexivity.
  - change 15 with (Z.ones 4). apply Z.ones_spec_high. lia.
Qed.

Lemma cellZ_bit w s n : 0 <= s -> 0 <= n ->
  Z.testbit (cellZ w s) n = Z.testbit w (n + s) && (n <? 4).
Proof. intros. unfold cellZ. now rewrite Z.land_spec, Z.shiftr_spec, bit_15 by lia. Qed.

Lemma small_bit v n : 0 <= v < 16 -> 4 <= n -> Z.testbit v n = false.
Proof.
  intros V N. destruct (Z.eq_dec v 0) as [-> | Z]; [apply Z.bits_0 |].
  apply Z.bits_above_log2; [lia |]. apply Z.log2_lt_pow2; [lia |].
  apply Z.lt_le_trans with (2 ^ 4); [lia | apply Z.pow_le_mono_r; lia].
Qed.

Lemma cellZ_same w s v : 0 <= s -> 0 <= v < 16 -> cellZ (withZ w s v) s = v.
Proof.
  intros S V. apply Z.bits_inj'. intros n N. rewrite cellZ_bit by lia.
  unfold withZ. rewrite Z.lxor_spec, Z.shiftl_spec by lia.
  replace (n + s - s) with n by lia. rewrite Z.lxor_spec, cellZ_bit by lia.
  destruct (Z.ltb_spec n 4).
  - rewrite !andb_true_r. now destruct (Z.testbit w (n + s)), (Z.testbit v n).
  - rewrite (small_bit v) by lia. now rewrite andb_false_r.
Qed.

Lemma cellZ_other w s t v : 0 <= s -> 0 <= t -> (s + 4 <= t \/ t + 4 <= s) -> 0 <= v < 16 ->
  cellZ (withZ w s v) t = cellZ w t.
Proof.
  intros S T D V. apply Z.bits_inj'. intros n N. rewrite !cellZ_bit by lia.
  destruct (Z.ltb_spec n 4); [| now rewrite !andb_false_r]. f_equal.
  unfold withZ. rewrite Z.lxor_spec, Z.shiftl_spec by lia.
  destruct D.
  - rewrite Z.lxor_spec, cellZ_bit by lia. rewrite (small_bit v) by lia.
    replace (n + t - s <? 4) with false by (symmetry; apply Z.ltb_ge; lia).
    rewrite andb_false_r. now destruct (Z.testbit w (n + t)).
  - rewrite (Z.testbit_neg_r _ (n + t - s)) by lia. now destruct (Z.testbit w (n + t)).
Qed.

Definition spots (w : Z) : Z :=
  Z.land (Z.lor (Z.lor w (Z.shiftr w 1)) (Z.shiftr w 2)) 286331153.
Definition swapZ (w : Z) : Z := Z.lxor w (Z.shiftl (spots w) 3).

Lemma mask_bit n : 0 <= n ->
  Z.testbit 286331153 n = (n <? 32) && (n mod 4 =? 0).
Proof.
  intro N. destruct (Z.ltb_spec n 32).
  - assert (I : In n (map Z.of_nat (seq 0 32))).
    { apply in_map_iff. exists (Z.to_nat n). split; [lia | apply in_seq; lia]. }
    assert (A : forallb (fun n => Bool.eqb (Z.testbit 286331153 n) (n mod 4 =? 0))
      (map Z.of_nat (seq 0 32)) = true) by reflexivity.
    rewrite forallb_forall in A. apply A in I. apply Bool.eqb_prop in I. exact I.
  - apply Z.bits_above_log2; [lia |]. change (Z.log2 286331153) with 28. lia.
Qed.

Lemma spots_bit w n : 0 <= n -> Z.testbit (spots w) n =
  (Z.testbit w n || Z.testbit w (n + 1) || Z.testbit w (n + 2)) && ((n <? 32) && (n mod 4 =? 0)).
Proof.
  intro N. unfold spots.
  rewrite Z.land_spec, !Z.lor_spec, !Z.shiftr_spec, mask_bit by lia. reflexivity.
Qed.

Lemma swapZ_bit w n : 0 <= n -> Z.testbit (swapZ w) n =
  xorb (Z.testbit w n) ((3 <=? n) && Z.testbit (spots w) (n - 3)).
Proof.
  intro N. unfold swapZ. rewrite Z.lxor_spec, Z.shiftl_spec by lia.
  destruct (Z.leb_spec 3 n); [reflexivity |].
  rewrite (Z.testbit_neg_r _ (n - 3)) by lia. reflexivity.
Qed.

Lemma spots_swap w : spots (swapZ w) = spots w.
Proof.
  apply Z.bits_inj'. intros n N. rewrite !spots_bit by lia.
  destruct (Z.ltb_spec n 32); [| now rewrite !andb_false_r].
  destruct (Z.eqb_spec (n mod 4) 0); [| now rewrite !andb_false_r].
  rewrite !andb_true_r.
  assert (E : forall i, 0 <= i <= 2 -> Z.testbit (swapZ w) (n + i) = Z.testbit w (n + i)).
  { intros i I. rewrite swapZ_bit by lia.
    destruct (Z.leb_spec 3 (n + i)); [| now destruct (Z.testbit w (n + i))].
    rewrite spots_bit by lia.
    replace ((n + i - 3) mod 4 =? 0) with false.
    - rewrite !andb_false_r. now destruct (Z.testbit w (n + i)).
    - symmetry. apply Z.eqb_neq. intro M.
      pose proof (Z.div_mod (n + i - 3) 4 ltac:(lia)).
      pose proof (Z.div_mod n 4 ltac:(lia)). lia. }
  pose proof (E 0 ltac:(lia)) as E0. rewrite Z.add_0_r in E0.
  now rewrite E0, !E by lia.
Qed.

Lemma swapZ_twice w : swapZ (swapZ w) = w.
Proof.
  unfold swapZ at 1. rewrite spots_swap. unfold swapZ.
  now rewrite Z.lxor_assoc, Z.lxor_nilpotent, Z.lxor_0_r.
Qed.

Definition swap_codeZ (c : Z) : Z := if Z.land c 7 =? 0 then c else Z.lxor c 8.

Lemma land_7_zero c : Z.land c 7 = 0 <->
  Z.testbit c 0 = false /\ Z.testbit c 1 = false /\ Z.testbit c 2 = false.
Proof.
  split.
  - intro E. assert (B : forall n, 0 <= n < 3 -> Z.testbit c n = false).
    { intros n N. assert (F : Z.testbit (Z.land c 7) n = false) by (rewrite E; apply Z.bits_0).
      rewrite Z.land_spec in F. assert (n = 0 \/ n = 1 \/ n = 2) as [-> | [-> | ->]] by lia;
        now rewrite andb_true_r in F. }
    repeat split; apply B; lia.
  - intros [A [B C]]. apply Z.bits_inj'. intros n N. rewrite Z.land_spec, Z.bits_0.
    destruct (Z.ltb_spec n 3).
    + assert (n = 0 \/ n = 1 \/ n = 2) as [-> | [-> | ->]] by lia; now rewrite ?A, ?B, ?C.
    + change 7 with (Z.ones 3). rewrite Z.ones_spec_high by lia. apply andb_false_r.
Qed.

Lemma cellZ_swap w f : 0 <= f < 8 -> cellZ (swapZ w) (4 * f) = swap_codeZ (cellZ w (4 * f)).
Proof.
  intro F. apply Z.bits_inj'. intros n N. rewrite cellZ_bit by lia.
  assert (low : forall i, 0 <= i <= 2 -> Z.testbit (swapZ w) (i + 4 * f) = Z.testbit w (i + 4 * f)).
  { intros i I. rewrite swapZ_bit by lia.
    destruct (Z.leb_spec 3 (i + 4 * f)); [| now destruct (Z.testbit w (i + 4 * f))].
    rewrite spots_bit by lia.
    replace ((i + 4 * f - 3) mod 4 =? 0) with false;
      [rewrite !andb_false_r; now destruct (Z.testbit w (i + 4 * f)) |].
    symmetry. apply Z.eqb_neq. intro M.
    pose proof (Z.div_mod (i + 4 * f - 3) 4 ltac:(lia)). lia. }
  assert (high : Z.testbit (swapZ w) (3 + 4 * f) = xorb (Z.testbit w (3 + 4 * f))
    (Z.testbit w (0 + 4 * f) || Z.testbit w (1 + 4 * f) || Z.testbit w (2 + 4 * f))).
  { rewrite swapZ_bit by lia. destruct (Z.leb_spec 3 (3 + 4 * f)); [| lia].
    rewrite spots_bit by lia. replace (3 + 4 * f - 3) with (0 + 4 * f) by lia.
    replace (0 + 4 * f <? 32) with true by (symmetry; apply Z.ltb_lt; lia).
    replace ((0 + 4 * f) mod 4 =? 0) with true
      by (symmetry; apply Z.eqb_eq; rewrite Z.mul_comm, Z.mod_add by lia; reflexivity).
    rewrite andb_true_l, andb_true_r. f_equal. f_equal; [f_equal |]; f_equal; lia. }
  assert (Q : forall i, 0 <= i <= 3 -> Z.testbit (cellZ w (4 * f)) i = Z.testbit w (i + 4 * f)).
  { intros i I. rewrite cellZ_bit by lia.
    replace (i <? 4) with true by (symmetry; apply Z.ltb_lt; lia). apply andb_true_r. }
  unfold swap_codeZ. destruct (Z.ltb_spec n 4).
  - rewrite andb_true_r.
    assert (n = 0 \/ n = 1 \/ n = 2 \/ n = 3) as C by lia.
    destruct (Z.eqb_spec (Z.land (cellZ w (4 * f)) 7) 0) as [E | E].
    + apply land_7_zero in E. rewrite !Q in E by lia. destruct E as [A [B D]].
      destruct C as [-> | [-> | [-> | ->]]]; rewrite ?high, ?low, ?Q by lia; try reflexivity.
      rewrite A, B, D. now destruct (Z.testbit w (3 + 4 * f)).
    + rewrite land_7_zero in E. rewrite !Q in E by lia. rewrite Z.lxor_spec.
      destruct C as [-> | [-> | [-> | ->]]]; rewrite ?high, ?low, ?Q by lia;
        cbn [Z.testbit Pos.testbit Pos.pred_N]; rewrite ?xorb_false_r; try reflexivity.
      f_equal. destruct (Z.testbit w (0 + 4 * f)), (Z.testbit w (1 + 4 * f)),
        (Z.testbit w (2 + 4 * f)); try reflexivity. exfalso. apply E. auto.
  - rewrite andb_false_r.
    assert (H0 : Z.testbit (cellZ w (4 * f)) n = false).
    { rewrite cellZ_bit by lia. replace (n <? 4) with false by (symmetry; apply Z.ltb_ge; lia).
      apply andb_false_r. }
    destruct (Z.land _ 7 =? 0); [now rewrite H0 |].
    rewrite Z.lxor_spec, H0. symmetry. rewrite (small_bit 8) by lia. reflexivity.
Qed.

Lemma cellZ_range w s : 0 <= cellZ w s < 16.
Proof.
  unfold cellZ. change 15 with (Z.ones 4). rewrite Z.land_ones by lia.
  apply Z.mod_pos_bound. reflexivity.
Qed.

(** ** Rows as machine words *)
Open Scope uint63_scope.

Lemma small_number (n : int) (k : Z) :
  (to_Z n < k)%Z -> exists m : nat, (Z.of_nat m < k)%Z /\ n = of_Z (Z.of_nat m).
Proof.
  intro L. pose proof (to_Z_bounded n). exists (Z.to_nat (to_Z n)).
  rewrite Z2Nat.id by lia. split; [assumption | symmetry; apply of_to_Z].
Qed.

Lemma shift_of f : (to_Z f < 8)%Z -> to_Z (f << 2) = (4 * to_Z f)%Z.
Proof.
  intro L. pose proof (to_Z_bounded f). rewrite lsl_spec. change (2 ^ to_Z 2)%Z with 4%Z.
  rewrite Z.mod_small; [lia |]. change wB with 9223372036854775808%Z. lia.
Qed.

Lemma cell_Z w f : (to_Z f < 8)%Z -> to_Z (cell w f) = cellZ (to_Z w) (4 * to_Z f).
Proof.
  intro L. pose proof (to_Z_bounded f). unfold cell, cellZ. rewrite land_spec', lsr_spec, shift_of by assumption.
  rewrite Z.shiftr_div_pow2 by lia. reflexivity.
Qed.

Lemma lxor_small a b : (0 <= a < 16 -> 0 <= b < 16 -> 0 <= Z.lxor a b < 16)%Z.
Proof.
  intros A B. split; [now apply Z.lxor_nonneg |].
  assert (E : Z.lxor a b = Z.land (Z.lxor a b) (Z.ones 4)).
  { apply Z.bits_inj'. intros n N. rewrite Z.land_spec.
    destruct (Z.ltb_spec n 4).
    - rewrite Z.ones_spec_low by lia. now rewrite andb_true_r.
    - rewrite Z.lxor_spec, !small_bit by lia. reflexivity. }
  rewrite E, Z.land_ones by lia. apply Z.mod_pos_bound. reflexivity.
Qed.

Lemma with_cell_Z w f v : (to_Z f < 8)%Z -> (to_Z v < 16)%Z ->
  to_Z (with_cell w f v) = withZ (to_Z w) (4 * to_Z f) (to_Z v).
Proof.
  intros L V. pose proof (to_Z_bounded f). pose proof (to_Z_bounded v).
  unfold with_cell, withZ. rewrite lxor_spec', lsl_spec, lxor_spec', cell_Z, shift_of by assumption.
  rewrite Z.shiftl_mul_pow2 by lia. f_equal. apply Z.mod_small.
  pose proof (lxor_small (cellZ (to_Z w) (4 * to_Z f)) (to_Z v) (cellZ_range _ _) ltac:(lia)) as X.
  split; [apply Z.mul_nonneg_nonneg; [lia | apply Z.pow_nonneg; lia] |].
  apply Z.lt_le_trans with (16 * 2 ^ (4 * to_Z f))%Z.
  - apply Z.mul_lt_mono_pos_r; [apply Z.pow_pos_nonneg; lia | lia].
  - change wB with (16 * 2 ^ 59)%Z. apply Z.mul_le_mono_nonneg_l; [lia |].
    apply Z.pow_le_mono_r; lia.
Qed.

Definition swap_code (c : int) : int := if c land 7 =? 0 then c else c lxor 8.

Lemma swap_row_Z w : to_Z (swap_row w) = swapZ (to_Z w).
Proof.
  unfold swap_row, swapZ, spots. rewrite lxor_spec', lsl_spec, land_spec', !lor_spec', !lsr_spec.
  change (to_Z 286331153) with 286331153%Z. change (to_Z 3) with 3%Z.
  change (to_Z 1) with 1%Z. change (to_Z 2) with 2%Z.
  rewrite <- !Z.shiftr_div_pow2 by lia. rewrite <- Z.shiftl_mul_pow2 by lia. f_equal.
  rewrite Z.shiftl_mul_pow2 by lia. apply Z.mod_small.
  pose proof (to_Z_bounded w) as W.
  set (a := Z.lor _ _). assert (0 <= Z.land a 286331153 < 2 ^ 29)%Z; [| change wB with 9223372036854775808%Z; lia].
  replace (Z.land a 286331153) with (Z.land (Z.land a 286331153) (Z.ones 29))
    by (now rewrite <- Z.land_assoc).
  rewrite Z.land_ones by lia. apply Z.mod_pos_bound. reflexivity.
Qed.

Lemma swap_row_twice w : swap_row (swap_row w) = w.
Proof. apply to_Z_inj. now rewrite !swap_row_Z, swapZ_twice. Qed.

Lemma mirror_board_twice b : mirror_board (mirror_board b) = b.
Proof. destruct b. simpl. now rewrite !swap_row_twice. Qed.

Lemma cell_swap w f : (to_Z f < 8)%Z -> cell (swap_row w) f = swap_code (cell w f).
Proof.
  intro L. pose proof (to_Z_bounded f). apply to_Z_inj.
  rewrite cell_Z, swap_row_Z, cellZ_swap by lia.
  unfold swap_codeZ, swap_code. rewrite <- cell_Z by assumption.
  change 7%Z with (to_Z 7). rewrite <- land_spec'.
  destruct (Z.eqb_spec (to_Z (cell w f land 7)) 0) as [E | E].
  - replace (cell w f land 7) with 0 by (apply to_Z_inj; now rewrite E). reflexivity.
  - destruct (cell w f land 7 =? 0) eqn:Q.
    + apply Uint63.eqb_spec in Q. rewrite Q in E. contradiction.
    + now rewrite lxor_spec'.
Qed.

(** ** Boards *)

Lemma row_with_same b k w : (to_Z k < 8)%Z -> row (with_row b k w) k = w.
Proof.
  intro L. destruct (small_number k 8 L) as [m [M ->]].
  do 8 (destruct m as [| m]; [destruct b; reflexivity |]). lia.
Qed.

Lemma row_with_other b k l w : (to_Z k < 8)%Z -> (to_Z l < 8)%Z -> k <> l ->
  row (with_row b k w) l = row b l.
Proof.
  intros K L D. destruct (small_number k 8 K) as [m [M ->]], (small_number l 8 L) as [n [N ->]].
  destruct b.
  do 8 (destruct m as [| m];
    [do 8 (destruct n as [| n]; [first [reflexivity | contradiction D; reflexivity] |]); lia |]).
  lia.
Qed.

Lemma square_parts i : (i <? 64) = true -> (to_Z (i >> 3) < 8)%Z /\ (to_Z (i land 7) < 8)%Z.
Proof.
  intro L. apply ltb_spec in L. change (to_Z 64) with 64%Z in L. pose proof (to_Z_bounded i).
  rewrite lsr_spec, land_spec'. change (2 ^ to_Z 3)%Z with 8%Z. change (to_Z 7) with (Z.ones 3).
  rewrite Z.land_ones by lia. change (2 ^ 3)%Z with 8%Z. split.
  - apply Z.div_lt_upper_bound; lia.
  - apply Z.mod_pos_bound; lia.
Qed.

Lemma square_from_parts i j : i >> 3 = j >> 3 -> i land 7 = j land 7 -> i = j.
Proof.
  intros A B. apply (f_equal to_Z) in A, B. apply to_Z_inj.
  rewrite !lsr_spec in A. rewrite !land_spec' in B.
  change (2 ^ to_Z 3)%Z with 8%Z in A. change (to_Z 7) with (Z.ones 3) in B.
  rewrite !Z.land_ones in B by lia. change (2 ^ 3)%Z with 8%Z in B.
  rewrite (Z.div_mod (to_Z i) 8), (Z.div_mod (to_Z j) 8) by lia. congruence.
Qed.

(** The square that is written holds what was written. *)
Lemma get_put b i v : (i <? 64) = true -> (v <? 16) = true -> get (put b i v) i = v.
Proof.
  intros I V. destruct (square_parts i I) as [K F]. apply ltb_spec in V.
  change (to_Z 16) with 16%Z in V. pose proof (to_Z_bounded v). pose proof (to_Z_bounded (i land 7)).
  unfold get, put. rewrite row_with_same by assumption. apply to_Z_inj.
  rewrite cell_Z, with_cell_Z by assumption. apply cellZ_same; lia.
Qed.

(** All others hold what they held. *)
Lemma get_put_other b i j v :
  (i <? 64) = true -> (j <? 64) = true -> (v <? 16) = true -> i <> j ->
  get (put b i v) j = get b j.
Proof.
  intros I J V D. destruct (square_parts i I) as [K F], (square_parts j J) as [K' F'].
  apply ltb_spec in V. change (to_Z 16) with 16%Z in V. pose proof (to_Z_bounded v).
  pose proof (to_Z_bounded (i land 7)). pose proof (to_Z_bounded (j land 7)).
  unfold get, put.
  destruct (Uint63.eqb (i >> 3) (j >> 3)) eqn:E.
  - apply Uint63.eqb_spec in E. rewrite <- E. rewrite row_with_same by assumption.
    apply to_Z_inj. rewrite !cell_Z, with_cell_Z by assumption. apply cellZ_other; try lia.
    assert (to_Z (i land 7) <> to_Z (j land 7)); [| lia].
    intro C. apply to_Z_inj in C. now apply D, square_from_parts.
  - rewrite row_with_other; try assumption; [reflexivity |].
    intro C. apply Uint63.eqb_spec in C. congruence.
Qed.

Lemma get_put_cases b i j v : (i <? 64) = true -> (j <? 64) = true -> (v <? 16) = true ->
  get (put b i v) j = if i =? j then v else get b j.
Proof.
  intros I J V. destruct (i =? j) eqn:E.
  - apply Uint63.eqb_spec in E. subst. now apply get_put.
  - apply get_put_other; auto. intro C. apply Uint63.eqb_spec in C. congruence.
Qed.

Definition flip (i : int) : int := i lxor 56.

Lemma flip_square i : (i <? 64) = true -> (flip i <? 64) = true.
Proof. revert i. apply (all_squares (fun i => flip i <? 64)). vm_compute. reflexivity. Qed.

Lemma flip_flip i : flip (flip i) = i.
Proof.
  unfold flip. apply to_Z_inj. rewrite !lxor_spec'.
  now rewrite Z.lxor_assoc, Z.lxor_nilpotent, Z.lxor_0_r.
Qed.

Lemma flip_parts i : (i <? 64) = true ->
  (flip i >> 3 =? 7 - (i >> 3)) && (flip i land 7 =? i land 7) = true.
Proof.
  revert i. apply (all_squares (fun i => (flip i >> 3 =? 7 - (i >> 3)) && (flip i land 7 =? i land 7))).
  vm_compute. reflexivity.
Qed.

Lemma row_mirror b k : (to_Z k < 8)%Z -> row (mirror_board b) k = swap_row (row b (7 - k)).
Proof.
  intro L. destruct (small_number k 8 L) as [m [M ->]].
  do 8 (destruct m as [| m]; [destruct b; reflexivity |]). lia.
Qed.

(** The mirror exchanges ranks and colours. *)
Lemma get_mirror b i : (i <? 64) = true -> get (mirror_board b) i = swap_code (get b (flip i)).
Proof.
  intro I. destruct (square_parts i I) as [K F].
  pose proof (flip_parts i I) as P. apply andb_true_iff in P. destruct P as [P Q].
  apply Uint63.eqb_spec in P, Q. unfold get.
  rewrite row_mirror, cell_swap by assumption. now rewrite P, Q.
Qed.

Lemma get_code b i : (i <? 64) = true -> (get b i <? 16) = true.
Proof.
  intro I. destruct (square_parts i I) as [K F]. apply ltb_spec. unfold get.
  rewrite cell_Z by assumption. apply cellZ_range.
Qed.
