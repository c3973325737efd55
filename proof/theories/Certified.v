(** * Certificates as theorems

    [build/theorem FILE.cert] writes a file that ends in one theorem about one position, proved
    by computation: [certified] with the entries of the certificate. *)

From Coq Require Import Uint63 List Bool String.
From Theta Require Import Games Board Rules Aims Checker Fen.
Import ListNotations.
Open Scope uint63_scope.

(** The position of a FEN's first four fields (the empty board where they are none, which is no legal
    root). *)
Definition from_fen (s : string) : position :=
  match read_fen s with Some p => p | None => Position empty_board false 0 0 0 0 end.

(** An entry: the rows a1-h1, a2-h2, ..., Black to move, the marks, the rights, the move. *)
Definition e (r0 r1 r2 r3 r4 r5 r6 r7 : int) (b : bool) (w k u v m : int) : entry :=
  Entry (Position (Board r0 r1 r2 r3 r4 r5 r6 r7) b w k u v) m.

(** What the checker accepts is true of the position that the FEN names. *)
Theorem certified s c l :
  check (Certificate (from_fen s) c l) = true -> means (from_fen s) c.
Proof. intro C. apply check_sound in C. apply C. Qed.
