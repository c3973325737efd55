(** * The checker as Coq's own machine runs it

    Coq's virtual machine calls by value: of [a && b] it computes both, and [existsb] goes to the end
    of its list.  Extracted to OCaml the same text stops early.  Here each function of the checker
    stands once more with [andb], [orb], [existsb] and [forallb] written out, so that it stops early
    there too: about nine times as fast.  Nothing is stated twice: the functions are computed from
    those of [Checker.v] and convertible with them, which is all that [check_now_is] needs. *)

From Coq Require Import Uint63 List Bool.
From Theta Require Import Games Board Rules Aims Bare Dead Checker.

(** A term with the boolean functions written out. *)
Ltac written t := eval cbv beta delta [andb orb existsb forallb implb] in t.

(** A term with one function in another's place. *)
Ltac with_ t old new :=
  let t := eval pattern old in t in match t with ?f _ => eval cbv beta in (f new) end.

(** ** Rules *)
Definition seen_now := Eval cbv beta delta [seen orb] in seen.
Lemma seen_now_is : seen_now = seen.
Proof. unfold seen_now. reflexivity. Qed.

Definition safe_now := ltac:(
  let t := eval cbv beta delta [safe on] in safe in
  let t := with_ t seen seen_now in let t := written t in exact t).
Lemma safe_now_is : safe_now = safe.
Proof. unfold safe_now. rewrite ?seen_now_is. reflexivity. Qed.

Definition safe_king_now := ltac:(
  let t := eval cbv beta delta [safe_king] in safe_king in
  let t := with_ t safe safe_now in exact t).
Lemma safe_king_now_is : safe_king_now = safe_king.
Proof. unfold safe_king_now. rewrite ?safe_now_is. reflexivity. Qed.

Definition may_enter_now := Eval cbv beta delta [may_enter orb] in may_enter.
Lemma may_enter_now_is : may_enter_now = may_enter.
Proof. unfold may_enter_now. reflexivity. Qed.

Definition leaps_now := ltac:(
  let t := eval cbv beta delta [leaps] in leaps in
  let t := with_ t may_enter may_enter_now in exact t).
Lemma leaps_now_is : leaps_now = leaps.
Proof. unfold leaps_now. rewrite ?may_enter_now_is. reflexivity. Qed.

Definition passes_now := ltac:(
  let t := eval cbv beta delta [passes] in passes in
  let t := with_ t safe safe_now in let t := written t in exact t).
Lemma passes_now_is : passes_now = passes.
Proof. unfold passes_now. rewrite ?safe_now_is. reflexivity. Qed.

Definition castle_long_now := ltac:(
  let t := eval cbv beta delta [castle_long] in castle_long in
  let t := with_ t passes passes_now in let t := written t in exact t).
Lemma castle_long_now_is : castle_long_now = castle_long.
Proof. unfold castle_long_now. rewrite ?passes_now_is. reflexivity. Qed.

Definition castle_short_now := ltac:(
  let t := eval cbv beta delta [castle_short] in castle_short in
  let t := with_ t passes passes_now in let t := written t in exact t).
Lemma castle_short_now_is : castle_short_now = castle_short.
Proof. unfold castle_short_now. rewrite ?passes_now_is. reflexivity. Qed.

Definition pawn_passing_now := ltac:(
  let t := eval cbv beta delta [pawn_passing] in pawn_passing in let t := written t in exact t).
Lemma pawn_passing_now_is : pawn_passing_now = pawn_passing.
Proof. unfold pawn_passing_now. reflexivity. Qed.

Definition can_take_passing_now := ltac:(
  let t := eval cbv beta delta [can_take_passing] in can_take_passing in
  let t := with_ t pawn_passing pawn_passing_now in
  let t := with_ t safe safe_now in let t := written t in exact t).
Lemma can_take_passing_now_is : can_take_passing_now = can_take_passing.
Proof. unfold can_take_passing_now. rewrite ?safe_now_is, ?pawn_passing_now_is. reflexivity. Qed.

Definition with_mark_now := ltac:(
  let t := eval cbv beta delta [with_mark] in with_mark in
  let t := with_ t can_take_passing can_take_passing_now in exact t).
Lemma with_mark_now_is : with_mark_now = with_mark.
Proof. unfold with_mark_now. rewrite ?can_take_passing_now_is. reflexivity. Qed.

Definition pawn_two_now := ltac:(
  let t := eval cbv beta delta [pawn_two] in pawn_two in
  let t := with_ t with_mark with_mark_now in let t := written t in exact t).
Lemma pawn_two_now_is : pawn_two_now = pawn_two.
Proof. unfold pawn_two_now. rewrite ?with_mark_now_is. reflexivity. Qed.

Definition candidates_of_now := ltac:(
  let t := eval cbv beta delta [candidates_of] in candidates_of in
  let t := with_ t leaps leaps_now in
  let t := with_ t castle_long castle_long_now in
  let t := with_ t castle_short castle_short_now in
  let t := with_ t pawn_passing pawn_passing_now in
  let t := with_ t pawn_two pawn_two_now in let t := written t in exact t).
Lemma candidates_of_now_is : candidates_of_now = candidates_of.
Proof. unfold candidates_of_now. rewrite ?leaps_now_is, ?castle_long_now_is, ?castle_short_now_is, ?pawn_passing_now_is, ?pawn_two_now_is. reflexivity. Qed.

Definition is_move_now := ltac:(
  let t := eval cbv beta delta [is_move] in is_move in
  let t := with_ t safe safe_now in exact t).
Lemma is_move_now_is : is_move_now = is_move.
Proof. unfold is_move_now. rewrite ?safe_now_is. reflexivity. Qed.

Definition white_moves_now := ltac:(
  let t := eval cbv beta delta [white_moves candidates] in white_moves in
  let t := with_ t is_move is_move_now in
  let t := with_ t candidates_of candidates_of_now in exact t).
Lemma white_moves_now_is : white_moves_now = white_moves.
Proof. unfold white_moves_now. rewrite ?candidates_of_now_is, ?is_move_now_is. reflexivity. Qed.

Definition successors_now := ltac:(
  let t := eval cbv beta delta [successors] in successors in
  let t := with_ t white_moves white_moves_now in exact t).
Lemma successors_now_is : successors_now = successors.
Proof. unfold successors_now. rewrite ?white_moves_now_is. reflexivity. Qed.

Definition in_check_now := ltac:(
  let t := eval cbv beta delta [in_check] in in_check in
  let t := with_ t safe_king safe_king_now in exact t).
Lemma in_check_now_is : in_check_now = in_check.
Proof. unfold in_check_now. rewrite ?safe_king_now_is. reflexivity. Qed.

Definition play_now := ltac:(
  let t := eval cbv beta delta [play play_white] in play in
  let t := with_ t is_move is_move_now in
  let t := with_ t candidates_of candidates_of_now in exact t).
Lemma play_now_is : play_now = play.
Proof. unfold play_now. rewrite ?candidates_of_now_is, ?is_move_now_is. reflexivity. Qed.

(** ** Ends of lines *)
Definition bare_now := ltac:(
  let t := eval cbv beta delta [bare] in bare in let t := written t in exact t).
Lemma bare_now_is : bare_now = bare.
Proof. unfold bare_now. reflexivity. Qed.

Definition few_now := ltac:(
  let t := eval cbv beta delta [few minor] in few in let t := written t in exact t).
Lemma few_now_is : few_now = few.
Proof. unfold few_now. reflexivity. Qed.

Definition dead_now := ltac:(
  let t := eval cbv beta delta [dead] in dead in
  let t := with_ t bare bare_now in
  let t := with_ t few few_now in
  let t := with_ t in_check in_check_now in
  let t := with_ t successors successors_now in let t := written t in exact t).
Lemma dead_now_is : dead_now = dead.
Proof. unfold dead_now. rewrite ?successors_now_is, ?in_check_now_is, ?bare_now_is, ?few_now_is. reflexivity. Qed.

Definition mate_of_now := ltac:(
  let t := eval cbv beta delta [mate_of] in mate_of in
  let t := with_ t in_check in_check_now in
  let t := with_ t successors successors_now in let t := written t in exact t).
Lemma mate_of_now_is : mate_of_now = mate_of.
Proof. unfold mate_of_now. rewrite ?successors_now_is, ?in_check_now_is. reflexivity. Qed.

(** ** The table *)
Definition position_eqb_now := ltac:(
  let t := eval cbv beta delta [position_eqb board_eqb] in position_eqb in
  let t := written t in exact t).
Lemma position_eqb_now_is : position_eqb_now = position_eqb.
Proof. unfold position_eqb_now. reflexivity. Qed.

Definition find_in_now := ltac:(
  let t := eval cbv beta delta [find_in] in find_in in
  let t := with_ t position_eqb position_eqb_now in exact t).
Lemma find_in_now_is : find_in_now = find_in.
Proof. unfold find_in_now. rewrite ?position_eqb_now_is. reflexivity. Qed.

Definition found_now := ltac:(
  let t := eval cbv beta delta [found] in found in
  let t := with_ t find_in find_in_now in exact t).
Lemma found_now_is : found_now = found.
Proof. unfold found_now. rewrite ?find_in_now_is. reflexivity. Qed.

(** ** Wins and holds *)
Definition win_plies_now := ltac:(
  let t := eval cbv beta delta [win_plies win_table behind worst rank_in] in win_plies in
  let t := with_ t found found_now in
  let t := with_ t successors successors_now in
  let t := with_ t play play_now in exact t).
Lemma win_plies_now_is : win_plies_now = win_plies.
Proof. unfold win_plies_now. rewrite ?successors_now_is, ?play_now_is, ?found_now_is. reflexivity. Qed.

Definition hold_check_now := ltac:(
  let t := eval cbv beta delta [hold_check hold_entry held listed] in hold_check in
  let t := with_ t found found_now in
  let t := with_ t dead dead_now in
  let t := with_ t in_check in_check_now in
  let t := with_ t successors successors_now in
  let t := with_ t play play_now in let t := written t in exact t).
Lemma hold_check_now_is : hold_check_now = hold_check.
Proof. unfold hold_check_now. rewrite ?successors_now_is, ?in_check_now_is, ?play_now_is, ?dead_now_is, ?found_now_is. reflexivity. Qed.

Definition serves_now := ltac:(
  let t := eval cbv beta delta [serves] in serves in
  let t := with_ t win_plies win_plies_now in
  let t := with_ t hold_check hold_check_now in
  let t := with_ t mate_of mate_of_now in let t := written t in exact t).
Lemma serves_now_is : serves_now = serves.
Proof. unfold serves_now. rewrite ?mate_of_now_is, ?win_plies_now_is, ?hold_check_now_is. reflexivity. Qed.

Definition check_now (c : certificate) : bool :=
  if legal_root (root c) then serves_now (root c) (claimed c) (sections c) else false.

(** It is the checker. *)
Lemma check_now_is c : check_now c = check c.
Proof. unfold check_now. rewrite serves_now_is. reflexivity. Qed.
