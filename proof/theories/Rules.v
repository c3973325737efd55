(** * The rules of chess, executable

    The paper's WhiteMoves (section 3) with the errata of docs/theory.md mended (E1, E2, E3), which
    are the laws of chess without the fifty-move rule and without repetition.  Black's moves are
    White's seen in the mirror.  [Paper.v] states the same rules word for word after the paper, as
    relations, and [Refined.v] proves that they are these. *)

From Coq Require Import Uint63 List Bool.
From Theta Require Import Games Board.
Import ListNotations.
Open Scope uint63_scope.

(** A position.  A mark is the file (1 .. 8) of a pawn that has just advanced two squares and can be
    taken in passing, else 0; of the rights bit 0 is the long side, bit 1 the short one. *)
Record position := Position {
  men : board;
  black : bool;      (** Black is to move *)
  wmark : int; bmark : int;
  wrights : int; brights : int
}.

Definition mirror (p : position) : position :=
  Position (mirror_board (men p)) (negb (black p)) (bmark p) (wmark p) (brights p) (wrights p).

Definition position_eqb (p q : position) : bool :=
  board_eqb (men p) (men q) && Bool.eqb (black p) (black q) &&
  (wmark p =? wmark q) && (bmark p =? bmark q) &&
  (wrights p =? wrights q) && (brights p =? brights q).

Lemma position_eqb_eq p q : position_eqb p q = true -> p = q.
Proof.
  unfold position_eqb. rewrite !andb_true_iff, !Uint63.eqb_spec, Bool.eqb_true_iff.
  intros [[[[[B T] X] Y] U] V]. apply board_eqb_eq in B.
  destruct p, q; simpl in *. congruence.
Qed.

(** ** Steps and lines *)

(** The square dx files to the right of i and dy ranks above it, each counted from -7 as 0 to 7 as
    14; none beyond the edge. *)
Definition step (i dx dy : int) : list int :=
  let x := (i land 7) + dx in
  let y := (i >> 3) + dy in
  if (7 <=? x) && (x <=? 14) && (7 <=? y) && (y <=? 14)
  then [((y - 7) << 3) + (x - 7)] else [].

Definition steps (l : list (int * int)) (i : int) : list int :=
  flat_map (fun d => step i (fst d) (snd d)) l.

(** The squares of a line from i, up to the edge: a step of k squares for k = 1 .. 7. *)
Definition line (ux uy : int) (i : int) : list int :=
  flat_map (fun k => step i (7 + k * ux - k) (7 + k * uy - k)) [1; 2; 3; 4; 5; 6; 7].

(** fK, l = 1 .. 8: i+9, i+7, i-9, i-7, i+1, i+8, i-1, i-8. *)
Definition king_steps : tree (list int) := Eval vm_compute in
  table (steps [(8, 8); (6, 8); (6, 6); (8, 6); (8, 7); (7, 8); (6, 7); (7, 6)]).

(** fN, l = 1 .. 8: i+10, i+17, i+15, i+6, i-10, i-17, i-15, i-6. *)
Definition knight_steps : tree (list int) := Eval vm_compute in
  table (steps [(9, 8); (8, 9); (6, 9); (5, 8); (5, 6); (6, 5); (8, 5); (9, 6)]).

(** fR, l = 1 .. 4: i+k, i-8k, i+8k, i-k (0, 1, 2 stand for -1, 0, 1). *)
Definition rook_lines : tree (list (list int)) := Eval vm_compute in
  table (fun i => [line 2 1 i; line 1 0 i; line 1 2 i; line 0 1 i]).

(** fB, l = 1 .. 4: i+k+8k, i+k-8k, i-k+8k, i-k-8k. *)
Definition bishop_lines : tree (list (list int)) := Eval vm_compute in
  table (fun i => [line 2 2 i; line 2 0 i; line 0 2 i; line 0 0 i]).

(** Where a black pawn stands that attacks i: i+7, i+9. *)
Definition pawn_steps : tree (list int) := Eval vm_compute in table (steps [(6, 8); (8, 8)]).

Definition on (b : board) (c : int) (l : list int) : bool := existsb (fun j => get b j =? c) l.

(** The first man on a line is one of these two. *)
Fixpoint seen (b : board) (c d : int) (l : list int) : bool :=
  match l with
  | [] => false
  | j :: l =>
      let v := get b j in
      if v =? 0 then seen b c d l else (v =? c) || (v =? d)
  end.

(** ** SafeWKing: no man of Black's attacks square i. *)
Definition safe (b : board) (i : int) : bool :=
  negb (on b 13 (look knight_steps i)) &&
  negb (on b 14 (look pawn_steps i)) &&
  negb (on b 9 (look king_steps i)) &&
  negb (existsb (seen b 11 10) (look rook_lines i)) &&
  negb (existsb (seen b 12 10) (look bishop_lines i)).

(** White's king; 64 where there is none. *)
Definition king_square (b : board) : int :=
  match find (fun i => get b i =? 1) squares with Some i => i | None => 64 end.

Definition safe_king (b : board) : bool :=
  let k := king_square b in if k <? 64 then safe b k else true.

(** ** WhiteMoves

    A candidate is a move (6 bits from, 6 bits to, then the promotion: 0, or 2 .. 5 for Q R B N), the
    square of White's king after it, and the position after it.  It is a move if that king is safe. *)
Record candidate := Candidate { play_of : int; king_of : int; after_of : position }.

Definition code_of (i j promotion : int) : int := i lor (j << 6) lor (promotion << 12).

Definition capturable (c : int) : bool := 10 <=? c.

Definition may_enter (b : board) (j : int) : bool :=
  let c := get b j in (c =? 0) || capturable c.

(** fKBO and fWRK: a rook that is taken at home, or leaves it, ends its right. *)
Definition fKBO (j v : int) : int :=
  if j =? 56 then v land 2 else if j =? 63 then v land 1 else v.
Definition fWRK (i v : int) : int :=
  if i =? 0 then v land 2 else if i =? 7 then v land 1 else v.

Section White.
  Variable p : position.
  Variable k : int.   (** White's king *)
  Let b := men p.

  (** The position after the men have come to stand so (Black to move, marks spent: E3). *)
  Definition moved (b' : board) (mark rights1 rights2 : int) : position :=
    Position b' true mark 0 rights1 rights2.

  (** The man on i goes to j and stands there as c. *)
  Definition go (i j c rights promotion : int) : candidate :=
    Candidate (code_of i j promotion) (if c =? 1 then j else k)
      (moved (put (put b i 0) j c) 0 rights (fKBO j (brights p))).

  (** King and knight. *)
  Definition leaps (i : int) (l : list int) (c rights : int) : list candidate :=
    map (fun j => go i j c rights 0) (filter (may_enter b) l).

  (** Rook, bishop, queen: up to the first man, and onto it if it can be captured. *)
  Fixpoint reach (l : list int) : list int :=
    match l with
    | [] => []
    | j :: l =>
        let c := get b j in
        if c =? 0 then j :: reach l else if capturable c then [j] else []
    end.

  Definition slides (i : int) (lines : list (list int)) (c rights : int) : list candidate :=
    map (fun j => go i j c rights 0) (flat_map reach lines).

  (** The king is not in check, nor on the square that it passes. *)
  Definition passes (over : int) : bool :=
    safe b 4 && safe (put (put b 4 0) over 1) over.

  Definition castle_long : list candidate :=
    if (get b 4 =? 1) && (get b 0 =? 3) && (wrights p land 1 =? 1) &&
       (get b 1 =? 0) && (get b 2 =? 0) && (get b 3 =? 0) && passes 3
    then [Candidate (code_of 4 2 0) 2
           (moved (put (put (put (put b 0 0) 2 1) 3 3) 4 0) 0 0 (brights p))]
    else [].

  Definition castle_short : list candidate :=
    if (get b 4 =? 1) && (get b 7 =? 3) && (wrights p >> 1 =? 1) &&
       (get b 5 =? 0) && (get b 6 =? 0) && passes 5
    then [Candidate (code_of 4 6 0) 6
           (moved (put (put (put (put b 4 0) 5 3) 6 1) 7 0) 0 0 (brights p))]
    else [].

  (** Where a pawn may go by one step: two captures, and one square ahead. *)
  Definition pawn_targets (i : int) : list int :=
    filter (fun j => capturable (get b j)) (look pawn_steps i) ++
    (if get b (i + 8) =? 0 then [i + 8] else []).

  Definition pawn_one (i : int) : list candidate :=
    map (fun j => go i j 6 (wrights p) 0) (pawn_targets i).

  Definition pawn_promotes (i : int) : list candidate :=
    flat_map (fun j => map (fun c => go i j c (wrights p) c) [2; 3; 4; 5]) (pawn_targets i).

  (** En passant, to the left and to the right (E2 mended: the right one looks at i + 1). *)
  Definition pawn_passing (i : int) : list candidate :=
    let x := (i land 7) + 1 in
    let take from j :=
      Candidate (code_of i j 0) k
        (moved (put (put (put b i 0) from 0) j 6) 0 (wrights p) (brights p)) in
    (if (2 <=? x) && (get b (i - 1) =? 14) && (get b (i + 7) =? 0) && (bmark p + 1 =? x) &&
        (1 <=? bmark p)
     then [take (i - 1) (i + 7)] else []) ++
    (if (x <=? 7) && (get b (i + 1) =? 14) && (get b (i + 9) =? 0) && (bmark p =? x + 1)
     then [take (i + 1) (i + 9)] else []).

  (** Whether White has a capture in passing that is legal. *)
  Definition can_take_passing : bool :=
    if bmark p =? 0 then false
    else existsb
      (fun i => (get b i =? 6) &&
         existsb (fun c => safe (men (after_of c)) (king_of c)) (pawn_passing i))
      [32; 33; 34; 35; 36; 37; 38; 39].
End White.

(** The mark that White's double step leaves: only where Black can take in passing (E3). *)
Definition with_mark (z : position) (file : int) : position :=
  let marked := Position (men z) (black z) file (bmark z) (wrights z) (brights z) in
  let seen_by_black := mirror marked in
  if can_take_passing seen_by_black (king_square (men seen_by_black)) then marked else z.

(** Two squares. *)
Definition pawn_two (p : position) (k i : int) : list candidate :=
  let b := men p in
  if (get b (i + 8) =? 0) && (get b (i + 16) =? 0)
  then [Candidate (code_of i (i + 16) 0) k
         (with_mark (moved (put (put b i 0) (i + 16) 6) 0 (wrights p) (brights p))
            ((i land 7) + 1))]
  else [].

(** The candidates of the man on i. *)
Definition candidates_of (p : position) (k i : int) : list candidate :=
  let b := men p in
  let r := wrights p in
  let c := get b i in
  if c =? 0 then []
  else if 7 <=? c then []
  else if c =? 1 then
    leaps p k i (look king_steps i) 1 0 ++ castle_long p ++ castle_short p
  else if c =? 2 then
    slides p k i (look rook_lines i) 2 r ++ slides p k i (look bishop_lines i) 2 r
  else if c =? 3 then slides p k i (look rook_lines i) 3 (fWRK i r)
  else if c =? 4 then slides p k i (look bishop_lines i) 4 r
  else if c =? 5 then leaps p k i (look knight_steps i) 5 r
  else
    let y := i >> 3 in
    if y =? 6 then pawn_promotes p k i
    else if y =? 1 then pawn_one p k i ++ pawn_two p k i
    else if y =? 4 then pawn_one p k i ++ pawn_passing p k i
    else if (1 <? y) && (y <? 6) then pawn_one p k i
    else [].

Definition candidates (p : position) (k : int) : list candidate :=
  flat_map (fun y => if row (men p) y =? 0 then []
                     else flat_map (candidates_of p k) (row_squares y))
    rows.

Definition is_move (c : candidate) : bool :=
  if king_of c <? 64 then safe (men (after_of c)) (king_of c) else true.

Definition white_moves (p : position) : list candidate :=
  filter is_move (candidates p (king_square (men p))).

(** ** The moves of the side to move *)

Definition flip_play (m : int) : int := m lxor 3640.

(** Each move with the position after it. *)
Definition moves (p : position) : list (int * position) :=
  if black p
  then map (fun c => (flip_play (play_of c), mirror (after_of c))) (white_moves (mirror p))
  else map (fun c => (play_of c, after_of c)) (white_moves p).

(** The positions after each move. *)
Definition successors (p : position) : list position :=
  if black p then map (fun c => mirror (after_of c)) (white_moves (mirror p))
  else map after_of (white_moves p).

(** The king of the side to move is attacked. *)
Definition in_check (p : position) : bool :=
  negb (safe_king (if black p then mirror_board (men p) else men p)).

(** The position after one given move: only its own safety is looked at. *)
Definition play_white (p : position) (m : int) : option position :=
  match find (fun c => play_of c =? m)
          (candidates_of p (king_square (men p)) (m land 63)) with
  | Some c => if is_move c then Some (after_of c) else None
  | None => None
  end.

Definition play (p : position) (m : int) : option position :=
  if black p then
    match play_white (mirror p) (flip_play m) with Some z => Some (mirror z) | None => None end
  else play_white p m.

Definition to_move (p : position) : side := if black p then Black else White.

(** Chess is a game on a graph. *)
Definition chess : game := Game position successors to_move in_check.

(** ** The moves agree with one another *)

Lemma candidates_in p k i c :
  (i <? 64) = true -> In c (candidates_of p k i) -> In c (candidates p k).
Proof.
  intros L I. destruct (in_rows i L) as [R S].
  unfold candidates. apply in_flat_map. exists (i >> 3). split; [assumption |].
  destruct (row (men p) (i >> 3) =? 0) eqn:E.
  - apply Uint63.eqb_spec in E. apply get_empty_row in E.
    unfold candidates_of in I. rewrite E in I. contradiction.
  - apply in_flat_map. eauto.
Qed.

Lemma play_white_in p m z :
  play_white p m = Some z -> In z (map after_of (white_moves p)).
Proof.
  unfold play_white. destruct (find _ _) as [c |] eqn:F; [| discriminate].
  destruct (is_move c) eqn:M; [| discriminate]. intros [= <-].
  apply find_some in F. destruct F as [F _].
  apply in_map. apply filter_In. split; [| assumption].
  eapply candidates_in; [| exact F]. apply land_63.
Qed.

(** What [play] answers is a legal move. *)
Lemma play_in p m z : play p m = Some z -> In z (successors p).
Proof.
  unfold play, successors. destruct (black p).
  - destruct (play_white _ _) as [y |] eqn:E; [| discriminate]. intros [= <-].
    apply play_white_in in E. rewrite in_map_iff in *. destruct E as [c [<- I]]. eauto.
  - apply play_white_in.
Qed.
