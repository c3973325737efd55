(** * Entries up to symmetry, written out

    A section of a hold may have one entry for all the turns of a position: the eight of the board
    where no pawn stands, else the two that exchange left and right, and with castling rights none.
    Here the turned entries are written out.  No theorem is needed: whatever comes out, the checker
    runs on it. *)

From Coq Require Import Uint63 List Bool.
From Theta Require Import Games Board Rules Checker.
Import ListNotations.
Open Scope uint63_scope.

(** The square after a turn: bit 0 reflects files, bit 1 ranks, bit 2 the diagonal a1-h8. *)
Definition turned_square (g s : int) : int :=
  let s := if g land 1 =? 0 then s else s lxor 7 in
  let s := if g land 2 =? 0 then s else s lxor 56 in
  if g land 4 =? 0 then s else (s >> 3) lor ((s land 7) << 3).

(** The men of a board with their squares. *)
Definition standing (b : board) : list (int * int) :=
  flat_map (fun y => if row b y =? 0 then []
    else flat_map (fun i => let c := get b i in if c =? 0 then [] else [(i, c)]) (row_squares y)) rows.

Definition turned_move (g m : int) : int :=
  if m =? 0 then 0
  else turned_square g (m land 63) lor (turned_square g ((m >> 6) land 63) << 6) lor (m land 28672).

Definition turned (g : int) (l : list (int * int)) (e : entry) : entry :=
  let p := place e in
  let file f := if (f =? 0) || (g land 1 =? 0) then f else 9 - f in
  Entry (Position (fold_left (fun b x => put b (turned_square g (fst x)) (snd x)) l empty_board)
           (black p) (file (wmark p)) (file (bmark p)) (wrights p) (brights p))
    (turned_move g (answer e)).

Definition turns (p : position) (l : list (int * int)) : list int :=
  if negb ((wrights p =? 0) && (brights p =? 0)) then []
  else if existsb (fun x => snd x land 7 =? 6) l then [1] else [1; 2; 3; 4; 5; 6; 7].

Definition unfolded (l : list entry) : list entry :=
  let add all e :=
    let men := standing (men (place e)) in
    fold_left (fun all g =>
      let t := turned g men e in
      if position_eqb (place t) (place e) then all else t :: all)
      (turns (place e) men) (e :: all) in
  fold_left add l [].
