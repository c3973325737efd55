(* theta-proved FILE: reads a certificate, hands it to the proved checker, prints what was checked.

   Trusted here: that the root, the claim and the aim that are printed are those that were handed to
   [Proved.check]; they are printed from what was checked, not from the file.  What is read of the
   entries needs no trust: whatever stands in them, [Proved.check] accepts nothing false.

   Exit codes: 0 accepted, 1 rejected, 2 no certificate of version 4 or not readable, 3 not covered. *)

open Proved

exception Bad of string
exception Unreadable of string
exception Not_covered of string
let bad format = Printf.ksprintf (fun text -> raise (Bad text)) format

(* Bytes. *)

let data, at, limit = ref "", ref 0, ref 0
let byte () =
  if !at >= !limit then bad "the file is truncated";
  let value = Char.code (String.get !data !at) in
  incr at;
  value
let two () = let low = byte () in low lor (byte () lsl 8)
let four () = let low = two () in low lor (two () lsl 16)

(* The file's codes 1 .. 12 as those of the board: Black's are 8 more than White's. *)
let code value =
  if value < 1 || value > 12 then bad "damaged body: a man that is none";
  if value > 6 then value + 2 else value

let position () =
  let occupied = Array.init 8 (fun _ -> byte ()) in
  let rows, men, last = Array.make 8 0, ref 0, ref 0 in
  for k = 0 to 7 do
    for f = 0 to 7 do
      if occupied.(k) lsr f land 1 = 1 then begin
        if !men land 1 = 0 then last := byte () else last := !last lsr 4;
        incr men;
        rows.(k) <- rows.(k) lor (code (!last land 15) lsl (4 * f))
      end
    done
  done;
  if !men > 32 then bad "damaged body: more than 32 men";
  if !men land 1 = 1 && !last > 15 then bad "damaged body: bits that are not used";
  let state = two () in
  let bits shift mask = state lsr shift land mask in
  if state lsr 13 <> 0 || bits 5 15 > 8 || bits 9 15 > 8 then
    bad "damaged body: bits that are not used";
  { men = { r0 = rows.(0); r1 = rows.(1); r2 = rows.(2); r3 = rows.(3);
            r4 = rows.(4); r5 = rows.(5); r6 = rows.(6); r7 = rows.(7) };
    black = state land 1 = 1; wrights = bits 1 3; brights = bits 3 3;
    wmark = bits 5 15; bmark = bits 9 15 }

let move () =
  let bits = two () in
  if bits <> 0 && (bits lsr 15 <> 0 || List.mem (bits lsr 12) [ 1; 6; 7 ]
                   || bits land 63 = bits lsr 6 land 63) then bad "damaged body: a move";
  bits

(* Entries, the last one first. *)
let entries ranked =
  let rec block list last =
    let count = four () in
    let rank = four () in
    if count = 0 && rank = 0 then list
    else if count = 0 then bad "damaged body: an empty block"
    else if (ranked && rank <= last) || (not ranked && rank <> 0) then
      bad "damaged body: ranks do not rise"
    else begin
      let list = ref list in
      for _ = 1 to count do
        let place = position () in
        let answer = move () in
        list := { place; answer } :: !list
      done;
      block !list rank
    end
  in
  block [] 0

(* The head. *)

let line () =
  match String.index_from_opt !data !at '\n' with
  | Some stop when stop < !limit && stop - !at < 65536 && stop < 4 lsl 20 ->
    let text = String.sub !data !at (stop - !at) in
    at := stop + 1;
    text
  | _ -> bad "damaged header: a line without an end"

let number ?(least = 0) ?(most = 4294967295) text =
  match int_of_string_opt text with
  | Some n when string_of_int n = text && least <= n && n <= most -> n
  | _ -> bad "damaged header: a number `%s`" (String.escaped text)

let side = function
  | "White" | "white" -> White
  | "Black" | "black" -> Black
  | text -> bad "damaged header: a side `%s`" (String.escaped text)
let letter text =
  match String.index_opt "KQRBNP  kqrbnp" (if String.length text = 1 then text.[0] else '?') with
  | Some n -> n + 1
  | None -> bad "damaged header: a man `%s`" (String.escaped text)
let square_of text =
  if String.length text = 2 && 'a' <= text.[0] && text.[0] <= 'h' && '1' <= text.[1]
     && text.[1] <= '8'
  then Char.code text.[0] - 97 + (8 * (Char.code text.[1] - 49))
  else bad "damaged header: a square `%s`" (String.escaped text)

(* Integers of the aims, as Coq has them. *)
let rec positive n = if n = 1 then XH else if n land 1 = 0 then XO (positive (n / 2)) else XI (positive (n / 2))
let integer n = if n = 0 then Z0 else if n > 0 then Zpos (positive n) else Zneg (positive (-n))

let signs = [ "<", Less; "<=", LessEqual; "=", Equal; ">=", GreaterEqual; ">", Greater ]

let rec terms = function
  | [] -> []
  | sign :: rest ->
    let minus = match sign with "+" -> false | "-" -> true | _ -> bad "damaged header: a sum" in
    let term, rest = match rest with
      | "count" :: c :: rest -> Count (letter c), rest
      | "material" :: s :: rest -> Material (side s), rest
      | "flights" :: s :: rest -> Flights (side s), rest
      | "moves" :: s :: rest -> Moves (side s), rest
      | n :: rest -> Number (integer (number ~least:(-2147483648) ~most:2147483647 n)), rest
      | [] -> bad "damaged header: a sum" in
    (minus, term) :: terms rest

let comparison words =
  let rec split left = function
    | word :: right when List.mem_assoc word signs ->
      let l, r = terms (List.rev left), terms right in
      let few l = List.length l >= 1 && List.length l <= 64 in
      if not (few l && few r) then bad "damaged header: terms of a sum";
      Compare (l, List.assoc word signs, r)
    | word :: right -> split (word :: left) right
    | [] -> bad "damaged header: a comparison" in
  split [] words

(* A formula, how many nodes it has when it is written out, and how deep [Next] is nested. *)
let node known words =
  let get text =
    let n = number text in
    if n >= Array.length known then bad "damaged header: a node does not name earlier ones";
    known.(n) in
  let join make a b d =
    let (f, n, x), (g, m, y) = get a, get b in
    if d && max x y > 0 then bad "damaged header: next under a negation";
    make f g, n + m + 1, max x y in
  let atom a = Atom a, 1, 0 in
  match words with
  | [ "true" ] -> Constant true, 1, 0
  | [ "false" ] -> Constant false, 1, 0
  | [ "not"; a ] ->
    let f, n, x = get a in
    if x > 0 then bad "damaged header: next under a negation" else Not f, n + 1, 0
  | [ "next"; a ] -> let f, n, x = get a in Next f, n + 1, x + 1
  | [ "and"; a; b ] -> join (fun f g -> And (f, g)) a b false
  | [ "or"; a; b ] -> join (fun f g -> Or (f, g)) a b false
  | [ "iff"; a; b ] -> join (fun f g -> Iff (f, g)) a b true
  | [ "white_to_move" | "black_to_move" as s ] -> atom (ToMove (side (String.sub s 0 5)))
  | [ "mate"; ("white" | "black" as s) ] -> atom (Mate (side s))
  | [ "stalemate" ] -> atom Stalemate
  | [ "check"; ("white" | "black" as s) ] -> atom (Check (side s))
  | [ "on"; c; s ] -> atom (On (letter c, square_of s))
  | [ "attacked"; s; ("white" | "black" as c) ] -> atom (Attacked (square_of s, side c))
  | [ "can_castle"; ("K" | "Q" | "k" | "q" as r) ] ->
    atom (CanCastle ((if r = "K" || r = "Q" then White else Black),
                     if r = "K" || r = "k" then 2 else 1))
  | "compare" :: words -> atom (comparison words)
  | _ -> bad "damaged header: a node"

let formula lines =
  let add known words =
    let (_, size, depth) as one = node known words in
    if depth > 4 then bad "damaged header: next is nested too deep";
    if size > 1_000_000 then raise (Not_covered "the aim, written out without sharing, is too long");
    Array.append known [| one |] in
  let known = List.fold_left add [||] lines in
  (fun (f, _, _) -> f) known.(Array.length known - 1)

let read () =
  let magic = "theta-certificate " in
  let size = String.length magic in
  if String.length !data < size || String.sub !data 0 size <> magic then
    raise (Unreadable "not a theta certificate");
  if line () <> magic ^ "4" then
    raise (Unreadable "certificate of another version: only 4 is read here");
  let field name =
    let text = line () in
    let size = String.length name + 1 in
    if String.length text > size && String.sub text 0 size = name ^ " "
    then String.sub text size (String.length text - size)
    else bad "damaged header: no `%s` line" name in
  let text = field "root" in
  let root = match read_fen text with
    | Some p when print_fen p = text -> p
    | _ -> bad "the root is not four canonical fields of a FEN" in
  let words = String.split_on_char ' ' (field "claim") in
  let rest () = let rec go l = match line () with "" -> List.rev l | t -> go (t :: l) in go [] in
  let lines = List.map (String.split_on_char ' ') (rest ()) in
  let is name = function word :: _ :: _ -> word = name | _ -> false in
  let nodes = List.filter (is "node") lines in
  if List.exists (is "rule") lines then raise (Not_covered "it cites rules");
  let rec ordered notes = function
    | [] -> true
    | l :: rest -> if is "note" l then ordered true rest
      else is "node" l && not notes && ordered false rest in
  if not (ordered false lines) || List.length lines - List.length nodes > 1000
     || List.length nodes > 4096 then bad "damaged header: its lines";
  let claim = match words with
    | [ "draw" ] -> Draw
    | [ ("White" | "Black" as s); "holds" ] -> Holds (side s)
    | [ ("White" | "Black" as s); "wins"; "in"; n; "plies" ] -> Wins (side s, number n)
    | [ ("White" | "Black" as s); "forces"; "the"; "aim"; "in"; n; "plies" ] ->
      if nodes = [] then bad "damaged header: no `node` line";
      Forces (side s, number n, formula (List.map List.tl nodes))
    | [ ("White" | "Black" as s); "can"; "mate" ] -> CanMate (side s)
    | _ :: "can" :: _ -> raise (Not_covered "who can mate at all, beyond one side's line")
    | ("White's" | "Black's") :: "keys" :: _ -> raise (Not_covered "which first moves win")
    | _ -> bad "damaged header: unknown claim" in
  if nodes <> [] && (match claim with Forces _ -> false | _ -> true) then
    bad "damaged header: an aim that the claim does not speak of";
  let section () =
    let kind = Char.chr (byte ()) in
    let o = match Char.chr (byte ()) with
      | 'w' -> White | 'b' -> Black | _ -> bad "damaged body: unknown owner" in
    match kind with
    | 'W' -> Win (o, List.rev (entries true))
    | 'H' -> Hold (o, List.rev (entries false))
    | 'S' -> Hold (o, unfolded (List.rev (entries false)))
    | 'L' ->
      let count = four () in
      if count > 65536 then bad "damaged body: too many moves";
      Line (o, List.init count (fun _ -> move ()))
    | 'N' -> raise (Not_covered "a closed set")
    | 'w' | 'h' -> raise (Not_covered "a section by slices (theta verify FILE --convert NEW --form moves)")
    | _ -> bad "damaged body: unknown section" in
  let one = section () in
  let sections = if claim = Draw then let two = section () in [ one; two ] else [ one ] in
  if !at < !limit then bad "bytes follow the end of the certificate";
  { root; claimed = claim; sections }
