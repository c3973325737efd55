(* The rest of theta-proved: the answer. *)

open Proved
open Theta_proved

let name = function White -> "White" | Black -> "Black"

let rec aim = function
  | Constant v -> string_of_bool v
  | Not a -> "not " ^ aim a
  | And (a, b) -> Printf.sprintf "(%s and %s)" (aim a) (aim b)
  | Or (a, b) -> Printf.sprintf "(%s or %s)" (aim a) (aim b)
  | Iff (a, b) -> Printf.sprintf "(%s iff %s)" (aim a) (aim b)
  | Next a -> "after every legal move " ^ aim a
  | Atom a -> atom a

and atom =
  let low s = String.lowercase_ascii (name s) in
  let letter c = String.make 1 "?KQRBNP??kqrbnp".[c land 15] in
  let place s = Printf.sprintf "%c%d" (Char.chr (97 + (s land 7))) ((s lsr 3) + 1) in
  let term = function
    | minus, Number n -> Printf.sprintf "%s %d" (if minus then "-" else "+") (of_integer n)
    | minus, Count c -> Printf.sprintf "%s count %s" (if minus then "-" else "+") (letter c)
    | minus, Material s -> Printf.sprintf "%s material %s" (if minus then "-" else "+") (low s) in
  let sum l = String.concat " " (List.map term l) in
  function
  | ToMove s -> low s ^ "_to_move"
  | Mate s -> "mate " ^ low s
  | Stalemate -> "stalemate"
  | Check s -> "check " ^ low s
  | On (c, s) -> Printf.sprintf "on %s %s" (letter c) (place s)
  | Attacked (i, s) -> Printf.sprintf "attacked %s %s" (place i) (low s)
  | CanCastle (s, w) ->
    let right = if w = 2 then "K" else "Q" in
    "can_castle " ^ (if s = White then right else String.lowercase_ascii right)
  | Compare (l, c, r) ->
    let sign = fst (List.find (fun (_, sign) -> sign = c) signs) in
    Printf.sprintf "compare %s %s %s" (sum l) sign (sum r)

let claim = function
  | Wins (o, n) -> Printf.sprintf "%s wins in %d plies" (name o) n
  | Holds o -> name o ^ " holds"
  | Draw -> "draw"
  | Forces (o, n, f) -> Printf.sprintf "%s forces the aim in %d plies\naim: %s" (name o) n (aim f)
  | CanMate o -> name o ^ " can mate"

let size = List.fold_left (fun n -> function
    | Win (_, l) | Hold (_, l) -> n + List.length l
    | Line (_, l) -> n + List.length l) 0

(* Why it was rejected: a help for readers, no part of the check. *)
let why c =
  if not (legal_root c.root) then "the root is not a legal position" else
    let slow o goal n l = match win_plies o goal c.root l with
      | Some m -> Printf.sprintf "the root needs %d plies, %d are claimed" m n
      | None -> "a move is not legal, a reply is not answered by an entry before, \
                 or the root is not covered" in
    let holds o l = if hold_check o c.root l then None else
        Some (name o ^ " is mated, a move is not legal, a reply is not answered, \
                        or the root is not covered") in
    match c.claimed, c.sections with
    | Wins (o, n), [ Win (s, l) ] when s = o ->
      slow o (mate_of (match o with White -> Black | Black -> White)) n l
    | Forces (o, n, f), [ Win (s, l) ] when s = o -> slow o (evaluate f) n l
    | Holds o, [ Hold (s, l) ] when s = o -> Option.value (holds o l) ~default:"?"
    | Draw, [ Hold (White, l); Hold (Black, m) ] ->
      (match holds White l with Some text -> text | None ->
         Option.value (holds Black m) ~default:"?")
    | CanMate _, [ Line _ ] -> "the line is not legal, or does not end in mate"
    | _ -> "the claim is not what the sections prove"

let load file =
  let channel = if file = "-" then stdin else open_in_bin file in
  set_binary_mode_in channel true;
  let buffer, piece = Buffer.create 65536, Bytes.create 65536 in
  let rec go () =
    match input channel piece 0 65536 with
    | 0 -> Buffer.contents buffer
    | n -> Buffer.add_subbytes buffer piece 0 n; go ()
  in
  go ()

let () =
  Gc.set { (Gc.get ()) with Gc.space_overhead = 100; minor_heap_size = 1048576 };
  let finish code text = (if code >= 2 then prerr_endline else print_endline) text; exit code in
  match Array.to_list Sys.argv with
  | [ _; file ] ->
    (match
       data := load file;
       (* The last eight bytes are a checksum, which finds damage and proves nothing. *)
       limit := max 0 (String.length !data - 8);
       read ()
     with
     | c ->
       if check c then
         finish 0 (Printf.sprintf "accepted: %s: %s\n(%d entries, proved checker)"
                     (print_fen c.root) (claim c.claimed) (size c.sections))
       else finish 1 ("rejected: " ^ why c)
     | exception Bad text -> finish 1 ("rejected: " ^ text)
     | exception Not_covered text -> finish 3 ("not covered: " ^ text)
     | exception Unreadable text -> finish 2 text
     | exception Sys_error text -> finish 2 text)
  | _ -> finish 2 "usage: theta-proved FILE (`-` is standard input)"
