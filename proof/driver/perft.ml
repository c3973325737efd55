(* Perft of the proved rules, and their successors compared with those of another generator.

   perft FEN DEPTH; or perft < LINES, each `FEN<tab>FEN;FEN;...`: a position and what follows it. *)

open Proved

let rec perft p depth =
  if depth = 1 then List.length (successors p)
  else List.fold_left (fun n q -> n + perft q (depth - 1)) 0 (successors p)

let compare_lines () =
  let positions, faults = ref 0, ref 0 in
  (try
     while true do
       match String.split_on_char '\t' (input_line stdin) with
       | [ fen; list ] ->
         incr positions;
         let theirs = List.filter (( <> ) "") (String.split_on_char ';' list) in
         let ours = match read_fen fen with
           | Some p when print_fen p = fen && legal_root p -> List.map print_fen (successors p)
           | _ -> [ "not read" ] in
         if List.sort compare ours <> List.sort compare theirs then begin
           incr faults;
           if !faults < 10 then print_endline fen
         end
       | _ -> failwith "a line that is none"
     done
   with End_of_file -> ());
  Printf.printf "%d positions, %d differ\n" !positions !faults;
  exit (if !faults = 0 && !positions > 0 then 0 else 1)

let () =
  match Array.to_list Sys.argv with
  | [ _; fen; depth ] ->
    (match read_fen fen with
     | Some p -> Printf.printf "%d\n" (perft p (int_of_string depth))
     | None -> prerr_endline "not a FEN"; exit 2)
  | _ -> compare_lines ()
