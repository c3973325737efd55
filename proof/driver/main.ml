(* The rest of theta-proved: the answer. *)

open Proved
open Theta_proved

let size = List.fold_left (fun n -> function
    | Win (_, l) | Hold (_, l) -> n + List.length l
    | Line (_, l) -> n + List.length l) 0

(* Why it was rejected: a help for readers, no part of the check. *)
let why c =
  if not (legal_root c.root) then "the root is not a legal position"
  else "the entries do not prove the claim: a move is not legal, a reply is not answered (in a win by an \
        entry before), the root is not covered, or the claim states fewer plies than it takes"

let load file =
  let channel = if file = "-" then stdin else open_in_bin file in
  set_binary_mode_in channel true;
  let buffer = Buffer.create 65536 in
  (try while true do Buffer.add_channel buffer channel 65536 done with End_of_file -> ());
  Buffer.contents buffer

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
                     (print_fen c.root) (claim_text c.claimed) (size c.sections))
       else finish 1 ("rejected: " ^ why c)
     | exception Bad text -> finish 1 ("rejected: " ^ text)
     | exception Not_covered text -> finish 3 ("not covered: " ^ text)
     | exception Unreadable text -> finish 2 text
     | exception Sys_error text -> finish 2 text)
  | _ -> finish 2 "usage: theta-proved FILE (`-` is standard input)"
