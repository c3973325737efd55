(** * What a certificate claims, as text

    [theta-proved] prints these words of what it checked.  No theorem speaks of them. *)

From Coq Require Import Uint63 ZArith List Ascii String DecimalString.
From Theta Require Import Games Board Rules Aims Checker Fen.
Import ListNotations.
Open Scope string_scope.

Definition digits_of (n : Z) : string := NilZero.string_of_int (Z.to_int n).

Definition name (s : side) : string := match s with White => "White" | Black => "Black" end.
Definition low (s : side) : string := match s with White => "white" | Black => "black" end.

Definition man_text (c : int) : string := String (letter_of men_letters c) "".
Definition square_text (i : int) : string :=
  String (letter_of files ((i land 7) + 1)) (String (letter_of digits ((i >> 3) + 1)) "").

Definition sign_text (c : comparison_sign) : string :=
  match c with
  | Less => "<" | LessEqual => "<=" | Equal => "=" | GreaterEqual => ">=" | Greater => ">"
  end.

Definition term_text (x : bool * term) : string :=
  (if fst x then "- " else "+ ") ++
  match snd x with
  | Number n => digits_of n
  | Count c => "count " ++ man_text c
  | Material s => "material " ++ low s
  | Flights s => "flights " ++ low s
  | Moves s => "moves " ++ low s
  end.

Definition atom_text (a : atom) : string :=
  match a with
  | ToMove s => low s ++ "_to_move"
  | Mate s => "mate " ++ low s
  | Stalemate => "stalemate"
  | Check s => "check " ++ low s
  | On c i => "on " ++ man_text c ++ " " ++ square_text i
  | Attacked i s => "attacked " ++ square_text i ++ " " ++ low s
  | CanCastle s w =>
      "can_castle " ++ match s, (w =? 2)%uint63 with
                       | White, true => "K" | White, false => "Q"
                       | Black, true => "k" | Black, false => "q"
                       end
  | Compare l c r =>
      "compare " ++ concat " " (map term_text l) ++ " " ++ sign_text c ++ " " ++
      concat " " (map term_text r)
  end.

Fixpoint aim_text (f : formula) : string :=
  match f with
  | Constant v => if v then "true" else "false"
  | Atom a => atom_text a
  | Not a => "not " ++ aim_text a
  | And a b => "(" ++ aim_text a ++ " and " ++ aim_text b ++ ")"
  | Or a b => "(" ++ aim_text a ++ " or " ++ aim_text b ++ ")"
  | Iff a b => "(" ++ aim_text a ++ " iff " ++ aim_text b ++ ")"
  | Next a => "after every legal move " ++ aim_text a
  end.

Definition claim_text (c : claim) : string :=
  match c with
  | Wins o n => name o ++ " wins in " ++ digits_of (to_Z n) ++ " plies"
  | Holds o => name o ++ " holds"
  | Draw => "draw"
  | Forces o n f =>
      name o ++ " forces the aim in " ++ digits_of (to_Z n) ++ " plies; aim: " ++ aim_text f
  | CanMate o => name o ++ " can mate"
  end.
