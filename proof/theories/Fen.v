(** * Positions as text: the first four fields of a FEN *)

From Coq Require Import Uint63 List Bool Ascii String.
From Theta Require Import Games Board Rules.
Import ListNotations.

Open Scope char_scope.
Open Scope uint63_scope.

Definition men_letters : list (ascii * int) :=
  [("K", 1); ("Q", 2); ("R", 3); ("B", 4); ("N", 5); ("P", 6);
   ("k", 9); ("q", 10); ("r", 11); ("b", 12); ("n", 13); ("p", 14)].

Definition digits : list (ascii * int) :=
  [("1", 1); ("2", 2); ("3", 3); ("4", 4); ("5", 5); ("6", 6); ("7", 7); ("8", 8)].

Definition files : list (ascii * int) :=
  [("a", 1); ("b", 2); ("c", 3); ("d", 4); ("e", 5); ("f", 6); ("g", 7); ("h", 8)].

Definition value_of (l : list (ascii * int)) (c : ascii) : option int :=
  match find (fun x => Ascii.eqb (fst x) c) l with Some x => Some (snd x) | None => None end.

Definition letter_of (l : list (ascii * int)) (v : int) : ascii :=
  match find (fun x => snd x =? v) l with Some x => fst x | None => "?" end.

(** Reads the board from rank k, file f on, up to the space. *)
Fixpoint read_board (l : list ascii) (k f : int) (b : board) : option (board * list ascii) :=
  match l with
  | [] => None
  | c :: l =>
      if Ascii.eqb c " " then if (k =? 0) && (f =? 8) then Some (b, l) else None
      else if Ascii.eqb c "/" then
        if (f =? 8) && (0 <? k) then read_board l (k - 1) 0 b else None
      else match value_of digits c with
      | Some d => if f + d <=? 8 then read_board l k (f + d) b else None
      | None =>
          match value_of men_letters c with
          | Some m => if f <? 8 then read_board l k (f + 1) (put b ((k << 3) + f) m) else None
          | None => None
          end
      end
  end.

(** Letters of KQkq, in this order, each at most once. *)
Definition read_rights (l : list ascii) : option ((int * int) * list ascii) :=
  let take c v (x : int * list ascii) :=
    match snd x with
    | d :: l => if Ascii.eqb c d then (fst x + v, l) else x
    | [] => x
    end in
  match l with
  | "-" :: " " :: l => Some ((0, 0), l)
  | _ =>
      let (w, l1) := take "Q" 1 (take "K" 2 (0, l)) in
      let (b, l2) := take "q" 1 (take "k" 2 (0, l1)) in
      match l2 with
      | " " :: l3 => if (w =? 0) && (b =? 0) then None else Some ((w, b), l3)
      | _ => None
      end
  end.

Definition read_fen (s : string) : option position :=
  match read_board (list_ascii_of_string s) 7 0 empty_board with
  | Some (b, side :: " " :: l) =>
      match (if Ascii.eqb side "w" then Some false
             else if Ascii.eqb side "b" then Some true else None), read_rights l with
      | Some black, Some ((w, k), l) =>
          match l with
          | ["-"] => Some (Position b black 0 0 w k)
          | [f; r] =>
              match value_of files f with
              | Some f =>
                  if Ascii.eqb r (if black then "3" else "6")
                  then Some (if black then Position b black f 0 w k else Position b black 0 f w k)
                  else None
              | None => None
              end
          | _ => None
          end
      | _, _ => None
      end
  | _ => None
  end.

Definition print_gap (n : int) : list ascii := if n =? 0 then [] else [letter_of digits n].

Fixpoint print_row (b : board) (l : list int) (gap : int) : list ascii :=
  match l with
  | [] => print_gap gap
  | i :: l =>
      let c := get b i in
      if c =? 0 then print_row b l (gap + 1)
      else print_gap gap ++ letter_of men_letters c :: print_row b l 0
  end.

Definition print_fen (p : position) : string :=
  let b := men p in
  let r k := print_row b (row_squares k) 0 in
  let right v bit c := if v land bit =? 0 then [] else [c] in
  let rights := right (wrights p) 2 "K" ++ right (wrights p) 1 "Q" ++
                right (brights p) 2 "k" ++ right (brights p) 1 "q" in
  let mark := if black p then wmark p else bmark p in
  string_of_list_ascii
    (r 7 ++ "/" :: r 6 ++ "/" :: r 5 ++ "/" :: r 4 ++ "/" :: r 3 ++ "/" :: r 2 ++ "/" :: r 1 ++
     "/" :: r 0 ++ " " :: (if black p then "b" else "w") :: " " ::
     (match rights with [] => ["-"] | _ => rights end) ++ " " ::
     (if mark =? 0 then ["-"]
      else [letter_of files mark; if black p then "3" else "6"])).
