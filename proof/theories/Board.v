(** * Boards that compute fast

    A board is eight rows of primitive integers, a1 in the lowest four bits of the first.  A square is
    a number from 0 (a1) to 63 (h8): the paper's square i is i + 1 here.  A man has a code of four
    bits: 0 nothing, K Q R B N P = 1 .. 6, and 8 more for Black's, so that the exchange of colours is
    one bit; the paper's codes are 7 .. 12 for Black ([Vector.v] converts).

    Rows of 32 bits in machine words were chosen for three reasons: the colours of a whole row are
    exchanged in six operations, so that Black's moves can be White's seen in a mirror; a position
    takes 17 words of memory, so that a million of them fit; and two boards are compared in eight
    steps. *)

From Coq Require Import Uint63 ZArith List Bool Lia.
Import ListNotations.
Open Scope uint63_scope.

Record board := Board { r0 : int; r1 : int; r2 : int; r3 : int;
                        r4 : int; r5 : int; r6 : int; r7 : int }.

Definition row (b : board) (k : int) : int :=
  if k <? 4
  then if k <? 2 then if k <? 1 then r0 b else r1 b else if k <? 3 then r2 b else r3 b
  else if k <? 6 then if k <? 5 then r4 b else r5 b else if k <? 7 then r6 b else r7 b.

Definition with_row (b : board) (k w : int) : board :=
  let (a0, a1, a2, a3, a4, a5, a6, a7) := b in
  if k <? 4
  then if k <? 2
       then if k <? 1 then Board w a1 a2 a3 a4 a5 a6 a7 else Board a0 w a2 a3 a4 a5 a6 a7
       else if k <? 3 then Board a0 a1 w a3 a4 a5 a6 a7 else Board a0 a1 a2 w a4 a5 a6 a7
  else if k <? 6
       then if k <? 5 then Board a0 a1 a2 a3 w a5 a6 a7 else Board a0 a1 a2 a3 a4 w a6 a7
       else if k <? 7 then Board a0 a1 a2 a3 a4 a5 w a7 else Board a0 a1 a2 a3 a4 a5 a6 w.

(** What stands in a file of a row. *)
Definition cell (w f : int) : int := (w >> (f << 2)) land 15.

Definition with_cell (w f v : int) : int := w lxor (((cell w f) lxor v) << (f << 2)).

(** What stands on a square. *)
Definition get (b : board) (i : int) : int := cell (row b (i >> 3)) (i land 7).

(** The board with this man on a square. *)
Definition put (b : board) (i v : int) : board :=
  let k := i >> 3 in with_row b k (with_cell (row b k) (i land 7) v).

(** Colours exchanged in a row: every man's highest bit is turned over. *)
Definition swap_row (w : int) : int :=
  w lxor (((w lor (w >> 1) lor (w >> 2)) land 286331153) << 3).

(** Colours exchanged and ranks reflected. *)
Definition mirror_board (b : board) : board :=
  let (a0, a1, a2, a3, a4, a5, a6, a7) := b in
  Board (swap_row a7) (swap_row a6) (swap_row a5) (swap_row a4)
        (swap_row a3) (swap_row a2) (swap_row a1) (swap_row a0).

Definition board_eqb (a b : board) : bool :=
  (r0 a =? r0 b) && (r1 a =? r1 b) && (r2 a =? r2 b) && (r3 a =? r3 b) &&
  (r4 a =? r4 b) && (r5 a =? r5 b) && (r6 a =? r6 b) && (r7 a =? r7 b).

Lemma board_eqb_eq a b : board_eqb a b = true -> a = b.
Proof.
  unfold board_eqb. rewrite !andb_true_iff. rewrite !Uint63.eqb_spec.
  destruct a, b; simpl. intuition congruence.
Qed.

Definition empty_board : board := Board 0 0 0 0 0 0 0 0.

(** A table with one value for each of the 64 squares. *)
Inductive tree (A : Type) := Leaf (a : A) | Fork (l r : tree A).
Arguments Leaf {A}. Arguments Fork {A}.

Fixpoint look {A} (t : tree A) (i : int) : A :=
  match t with
  | Leaf a => a
  | Fork l r => if i land 1 =? 0 then look l (i >> 1) else look r (i >> 1)
  end.

Arguments look : simpl never.

(** The table of a function; [step] is the place value of the next bit, [at] what is known of the
    square. *)
Fixpoint tabulate {A} (depth : nat) (step at_ : int) (f : int -> A) : tree A :=
  match depth with
  | O => Leaf (f at_)
  | S d => Fork (tabulate d (step << 1) at_ f) (tabulate d (step << 1) (at_ + step) f)
  end.

Definition table {A} (f : int -> A) : tree A := tabulate 6 1 0 f.

Definition squares : list int :=
  [0;1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;17;18;19;20;21;22;23;24;25;26;27;28;29;30;31;
   32;33;34;35;36;37;38;39;40;41;42;43;44;45;46;47;48;49;50;51;52;53;54;55;56;57;58;59;60;61;62;63].

Definition row_squares (k : int) : list int :=
  let a := k << 3 in [a; a + 1; a + 2; a + 3; a + 4; a + 5; a + 6; a + 7].

(** ** Squares as numbers *)

Lemma squares_are : squares = map (fun n => of_Z (Z.of_nat n)) (seq 0 64).
Proof. vm_compute. reflexivity. Qed.

Lemma in_squares i : (i <? 64) = true <-> In i squares.
Proof.
  rewrite ltb_spec, squares_are, in_map_iff. change (to_Z 64) with 64%Z. split.
  - intro L. exists (Z.to_nat (to_Z i)). pose proof (to_Z_bounded i). split.
    + rewrite Z2Nat.id by lia. apply of_to_Z.
    + apply in_seq. lia.
  - intros [n [<- N]]. apply in_seq in N. rewrite of_Z_spec, Z.mod_small; [lia |].
    change wB with 9223372036854775808%Z. lia.
Qed.

(** What a computation finds true of every square is true of every square. *)
Lemma all_squares (P : int -> bool) :
  forallb P squares = true -> forall i, (i <? 64) = true -> P i = true.
Proof. intros A i L. rewrite forallb_forall in A. now apply A, in_squares. Qed.

Lemma land_63 m : (m land 63 <? 64) = true.
Proof.
  apply ltb_spec. rewrite land_spec'. change (to_Z 63) with (Z.ones 6).
  rewrite Z.land_ones by lia. apply Z.mod_pos_bound. reflexivity.
Qed.

Definition rows : list int := [0; 1; 2; 3; 4; 5; 6; 7].

Definition int_in (i : int) (l : list int) : bool := existsb (fun j => i =? j) l.

Lemma int_in_spec i l : int_in i l = true <-> In i l.
Proof.
  unfold int_in. rewrite existsb_exists. split.
  - intros [j [I E]]. apply Uint63.eqb_spec in E. now subst.
  - intro I. exists i. split; [assumption | now apply Uint63.eqb_spec].
Qed.

Lemma in_rows i : (i <? 64) = true -> In (i >> 3) rows /\ In i (row_squares (i >> 3)).
Proof.
  intro L. rewrite <- !int_in_spec, <- andb_true_iff.
  revert i L. apply (all_squares (fun i => int_in (i >> 3) rows && int_in i (row_squares (i >> 3)))).
  vm_compute. reflexivity.
Qed.

(** Nothing stands in an empty row. *)
Lemma get_empty_row b i : row b (i >> 3) = 0 -> get b i = 0.
Proof.
  intro R. unfold get, cell. rewrite R.
  apply to_Z_inj. rewrite land_spec', lsr_spec.
  change (to_Z 0) with 0%Z. rewrite Z.div_0_l; [reflexivity |].
  apply Z.pow_nonzero; [lia | apply to_Z_bounded].
Qed.
