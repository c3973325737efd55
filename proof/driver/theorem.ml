(* theorem FILE: a certificate as a theorem of Coq, proved by computation.  Nothing of what is written
   is believed: Coq runs the proved checker on it, and the theorem speaks of the FEN and the claim
   that stand in its statement. *)

open Proved
open Theta_proved

let name = function White -> "White" | Black -> "Black"

let entry { place = p; answer } =
  let b = p.men in
  Printf.sprintf "  e %d %d %d %d %d %d %d %d %b %d %d %d %d %d" b.r0 b.r1 b.r2 b.r3 b.r4 b.r5 b.r6
    b.r7 p.black p.wmark p.bmark p.wrights p.brights answer

let () =
  let channel = open_in_bin Sys.argv.(1) in
  data := really_input_string channel (in_channel_length channel);
  limit := String.length !data - 8;
  let c = read () in
  let fen = print_fen c.root in
  let claim = match c.claimed with
    | Wins (o, n) -> Printf.sprintf "Wins %s %d" (name o) n
    | Holds o -> "Holds " ^ name o
    | Draw -> "Draw"
    | Forces _ | CanMate _ -> prerr_endline "only wins, holds and draws"; exit 3 in
  Printf.printf "(** %s: %s. *)\n\n" fen claim;
  print_string "From Coq Require Import Uint63 List String.\n\
                From Theta Require Import Games Rules Checker Certified.\n\
                Import ListNotations.\nOpen Scope uint63_scope.\n\n";
  let section n s =
    let kind, o, list = match s with
      | Win (o, l) -> "Win", o, l
      | Hold (o, l) -> "Hold", o, l
      | Line _ -> prerr_endline "only wins, holds and draws"; exit 3 in
    Printf.printf "Definition entries_%d : list entry := [\n%s].\n\n" n
      (String.concat ";\n" (List.map entry list));
    Printf.sprintf "%s %s entries_%d" kind (name o) n in
  let sections = List.mapi section c.sections in
  Printf.printf "Theorem proved : means (from_fen \"%s\"%%string) (%s).\n\
                 Proof.\n  apply certified with (l := [%s]).\n\
                 \  vm_cast_no_check (eq_refl true).\nQed.\n\nPrint Assumptions proved.\n"
    fen claim (String.concat "; " sections)
