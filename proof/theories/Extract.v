(** * Extraction to OCaml

    The directives are trusted: booleans, lists, options and pairs are OCaml's; primitive integers are
    OCaml's of 63 bits, with the operations of [driver/uint63.ml]; strings are OCaml's. *)

From Coq Require Import Uint63 Extraction ExtrOcamlBasic ExtrOcamlNativeString.
From Theta Require Import Games Board Rules Aims Dead Checker Fen Text Turns.

Extract Constant PrimInt63.int => "Uint63.t".
Extract Inlined Constant PrimInt63.eqb => "Int.equal".
Extract Inlined Constant PrimInt63.ltb => "Uint63.ltb".
Extract Inlined Constant PrimInt63.leb => "Uint63.leb".
Extract Inlined Constant PrimInt63.add => "(+)".
Extract Inlined Constant PrimInt63.sub => "(-)".
Extract Inlined Constant PrimInt63.mul => "( * )".
Extract Inlined Constant PrimInt63.land => "(land)".
Extract Inlined Constant PrimInt63.lor => "(lor)".
Extract Inlined Constant PrimInt63.lxor => "(lxor)".
Extract Inlined Constant PrimInt63.lsl => "Uint63.shift_left".
Extract Inlined Constant PrimInt63.lsr => "Uint63.shift_right".

Extraction Language OCaml.
Extraction "build/proved.ml" check legal_root unfolded read_fen print_fen claim_text moves successors.
