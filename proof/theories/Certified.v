(** * Certificates as theorems

    [theta export --format coq FEN] writes a file that ends in one theorem about one position, proved
    by computation: [certified] with the entries of the certificate.  How the entries are written down
    needs no proof: whatever they are, the checker runs on them. *)

From Coq Require Import Uint63 List Bool String.
From Theta Require Import Games Board Rules Aims Checker Fen Machine.
From Theta Require Export Turns.
Import ListNotations.
Open Scope uint63_scope.

(** The position of a FEN's first four fields (the empty board where they are none, which is no legal
    root). *)
Definition from_fen (s : string) : position :=
  match read_fen s with Some p => p | None => Position empty_board false 0 0 0 0 end.

(** An entry: the rows a1-h1, a2-h2, ..., Black to move, the marks, the rights, the move. *)
Definition e (r0 r1 r2 r3 r4 r5 r6 r7 : int) (b : bool) (w k u v m : int) : entry :=
  Entry (Position (Board r0 r1 r2 r3 r4 r5 r6 r7) b w k u v) m.

(** An entry of at most four men without castling rights as one number: four times square (6 bits) and
    man (4 bits, 0 for none), Black to move (1 bit), the mark (4 bits), the move (15 bits). *)
Definition q (x : int) : entry :=
  let set b shift :=
    let c := (x >> (shift + 6)) land 15 in
    if c =? 0 then b else put b ((x >> shift) land 63) c in
  let mark := (x >> 41) land 15 in
  let black := (x >> 40) land 1 =? 1 in
  Entry (Position (set (set (set (set empty_board 0) 10) 20) 30) black
           (if black then mark else 0) (if black then 0 else mark) 0 0) (x >> 45).

(** What the checker accepts is true of the position that the FEN names. *)
Theorem certified s c l :
  check_now (Certificate (from_fen s) c l) = true -> means (from_fen s) c.
Proof. rewrite check_now_is. intro C. apply check_sound in C. apply C. Qed.
