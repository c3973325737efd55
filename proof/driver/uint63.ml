(* Coq's primitive integers: 63 bits without a sign, as OCaml's native integers. *)

type t = int

external of_int : int -> int = "%identity"

let[@inline] ltb (a : int) (b : int) = a + min_int < b + min_int
let[@inline] leb (a : int) (b : int) = a + min_int <= b + min_int
let[@inline] shift_left a b = if b >= 0 && b < 63 then a lsl b else 0
let[@inline] shift_right a b = if b >= 0 && b < 63 then a lsr b else 0
