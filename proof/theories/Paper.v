(** * The paper's rules, as relations

    Section 3 of the paper word for word: vectors y = (y0, ..., y68) of numbers, squares 1 .. 64, and
    the sets WhiteMoves(y), BlackMoves(y) of the vectors z after each legal move, as the relations
    "z is in the set".  Names, cases, numbers of directions and conditions are the paper's.

    Where the printed text errs or is mended, the line says so and names the erratum of
    docs/theory.md, section 9:
    - E1: a king's move also ends White's castling rights (printed: z67 is not changed);
    - E2: the capture in passing to the right looks at y[i+1] (printed: y[i-1]);
    - E3: the opponent's mark z66 is cleared, and a double step leaves its mark only where a capture in
      passing is then legal (printed: z66 is not changed, and the mark is always set).

    [Refined.v] proves that these are the moves that [Rules.v] computes. *)

From Coq Require Import List Arith Bool.
Import ListNotations.

Coercion is_true : bool >-> Sortclass.

(** y0: the side to move, 1 for Black; y1 .. y64: the squares, K Q R B N P = 1 .. 6 for White and
    7 .. 12 for Black; y65, y66: the marks of White and Black; y67, y68: their rights. *)
Definition vector := nat -> nat.

(** The vector that has these values, and else those of y. *)
Definition upd (y : vector) (l : list (nat * nat)) : vector := fun t =>
  match find (fun x => fst x =? t) l with Some x => snd x | None => y t end.

(** Two vectors are one when their 69 components are. *)
Definition same (y z : vector) : Prop := forall t, t <= 68 -> y t = z t.

(** z is y but for these values: "for all t not among i, j, ...: z_t = y_t; z_i = ...". *)
Definition becomes (y : vector) (l : list (nat * nat)) (z : vector) : Prop := same z (upd y l).

(** Rank and file of square i. *)
Definition xg (i : nat) : nat := (i - 1) / 8 + 1.
Definition xv (i : nat) : nat := i - 8 * (xg i - 1).

Definition square (i : nat) : Prop := 1 <= i <= 64.

(** ** Directions *)

Definition PN (i l : nat) : bool :=
  match l with
  | 1 => (xv i <=? 6) && (xg i <=? 7)
  | 2 => (xv i <=? 7) && (xg i <=? 6)
  | 3 => (2 <=? xv i) && (xg i <=? 6)
  | 4 => (3 <=? xv i) && (xg i <=? 7)
  | 5 => (3 <=? xv i) && (2 <=? xg i)
  | 6 => (2 <=? xv i) && (3 <=? xg i)
  | 7 => (xv i <=? 7) && (3 <=? xg i)
  | 8 => (xv i <=? 6) && (2 <=? xg i)
  | _ => false
  end.

Definition fN (i l : nat) : nat :=
  match l with
  | 1 => i + 10 | 2 => i + 17 | 3 => i + 15 | 4 => i + 6
  | 5 => i - 10 | 6 => i - 17 | 7 => i - 15 | _ => i - 6
  end.

Definition PK (i l : nat) : bool :=
  match l with
  | 1 => (xv i <=? 7) && (xg i <=? 7)
  | 2 => (2 <=? xv i) && (xg i <=? 7)
  | 3 => (2 <=? xv i) && (2 <=? xg i)
  | 4 => (xv i <=? 7) && (2 <=? xg i)
  | 5 => xv i <=? 7
  | 6 => xg i <=? 7
  | 7 => 2 <=? xv i
  | 8 => 2 <=? xg i
  | _ => false
  end.

Definition fK (i l : nat) : nat :=
  match l with
  | 1 => i + 9 | 2 => i + 7 | 3 => i - 9 | 4 => i - 7
  | 5 => i + 1 | 6 => i + 8 | 7 => i - 1 | _ => i - 8
  end.

(** Rook and queen: how far the line goes, its squares, and that those between are empty. *)
Definition PRl (i l k : nat) : bool :=
  match l with
  | 1 => k <=? 8 - xv i
  | 2 => k + 1 <=? xg i
  | 3 => xg i + k <=? 8
  | 4 => k + 1 <=? xv i
  | _ => false
  end.

Definition fR (i l k : nat) : nat :=
  match l with 1 => i + k | 2 => i - 8 * k | 3 => i + 8 * k | _ => i - k end.

Definition PR (y : vector) (i l k : nat) : Prop := forall h, 1 <= h < k -> y (fR i l h) = 0.

(** Bishop and queen. *)
Definition PBl (i l k : nat) : bool :=
  match l with
  | 1 => (k <=? 8 - xv i) && (xg i + k <=? 8)
  | 2 => (k <=? 8 - xv i) && (k + 1 <=? xg i)
  | 3 => (k + 1 <=? xv i) && (xg i + k <=? 8)
  | 4 => (k + 1 <=? xv i) && (k + 1 <=? xg i)
  | _ => false
  end.

Definition fB (i l k : nat) : nat :=
  match l with
  | 1 => i + k + 8 * k | 2 => i + k - 8 * k | 3 => i - k + 8 * k | _ => i - k - 8 * k
  end.

Definition PB (y : vector) (i l k : nat) : Prop := forall h, 1 <= h < k -> y (fB i l h) = 0.

(** ** SafeWKing: White's king stands somewhere and no man of Black's attacks its square *)

Definition SafeWKingN (y : vector) (i : nat) : Prop :=
  forall l, 1 <= l <= 8 -> ~ (PN i l /\ y (fN i l) = 11).

Definition SafeWKingP (y : vector) (i : nat) : Prop :=
  ~ (xg i <= 6 /\ 2 <= xv i /\ y (i + 7) = 12) /\
  ~ (xg i <= 6 /\ xv i <= 7 /\ y (i + 9) = 12).

Definition SafeWKingK (y : vector) (i : nat) : Prop :=
  forall l, 1 <= l <= 8 -> ~ (PK i l /\ y (fK i l) = 7).

Definition SafeWKingRQ (y : vector) (i : nat) : Prop :=
  forall l k, 1 <= l <= 4 -> 1 <= k <= 7 ->
    ~ (PRl i l k /\ PR y i l k /\ (y (fR i l k) = 8 \/ y (fR i l k) = 9)).

Definition SafeWKingBQ (y : vector) (i : nat) : Prop :=
  forall l k, 1 <= l <= 4 -> 1 <= k <= 7 ->
    ~ (PBl i l k /\ PB y i l k /\ (y (fB i l k) = 8 \/ y (fB i l k) = 10)).

Definition SafeWKing (y : vector) : Prop :=
  exists i, square i /\ y i = 1 /\ SafeWKingN y i /\ SafeWKingP y i /\ SafeWKingK y i /\
    SafeWKingRQ y i /\ SafeWKingBQ y i.

(** ** WhiteMoves *)

(** A square that a man may enter: empty, or a black man on it that is not the king. *)
Definition enter (y : vector) (j : nat) : Prop := y j = 0 \/ 8 <= y j <= 12.

(** What a capture on a8, h8 leaves of Black's rights, and a rook's leaving a1, h1 of White's. *)
Definition fKBO (j v : nat) : nat :=
  if j =? 57 then 2 * (v / 2) else if j =? 64 then v - 2 * (v / 2) else v.
Definition fWRK (i v : nat) : nat :=
  if i =? 1 then 2 * (v / 2) else if i =? 8 then v - 2 * (v / 2) else v.

(** *** The king *)

Definition WhiteKingMove (y : vector) (i l : nat) (z : vector) : Prop :=
  let j := fK i l in
  PK i l /\ enter y j /\
  becomes y [(i, 0); (j, 1); (65, 0); (68, fKBO j (y 68)); (0, 1);
             (67, 0) (* E1 *); (66, 0) (* E3 *)] z /\
  SafeWKing z.

Definition PWKROOO (y : vector) (i : nat) : Prop :=
  i = 5 /\ y 1 = 3 /\ y 67 - 2 * (y 67 / 2) = 1 /\ y 2 = 0 /\ y 3 = 0 /\ y 4 = 0 /\
  SafeWKing (upd y [(0, 1)]) /\
  SafeWKing (upd y [(4, 1); (5, 0); (65, 0); (0, 1)]).

Definition WhiteKROOO (y : vector) (i : nat) (z : vector) : Prop :=
  PWKROOO y i /\
  becomes y [(1, 0); (3, 1); (4, 3); (5, 0); (65, 0); (67, 0); (0, 1); (66, 0) (* E3 *)] z /\
  SafeWKing z.

Definition PWKROO (y : vector) (i : nat) : Prop :=
  i = 5 /\ y 8 = 3 /\ y 67 / 2 = 1 /\ y 6 = 0 /\ y 7 = 0 /\
  SafeWKing (upd y [(0, 1)]) /\
  SafeWKing (upd y [(6, 1); (5, 0); (65, 0); (0, 1)]).

Definition WhiteKROO (y : vector) (i : nat) (z : vector) : Prop :=
  PWKROO y i /\
  becomes y [(5, 0); (6, 3); (7, 1); (8, 0); (65, 0); (67, 0); (0, 1); (66, 0) (* E3 *)] z /\
  SafeWKing z.

Definition WhiteKing (y z : vector) : Prop :=
  exists i, square i /\ y i = 1 /\
    ((exists l, 1 <= l <= 8 /\ WhiteKingMove y i l z) \/ WhiteKROOO y i z \/ WhiteKROO y i z).

(** *** Rook, bishop, queen, knight *)

Definition WhiteRookMove (y : vector) (i l k : nat) (z : vector) : Prop :=
  let j := fR i l k in
  PR y i l k /\ enter y j /\
  becomes y [(i, 0); (j, 3); (65, 0); (67, fWRK i (y 67)); (68, fKBO j (y 68)); (0, 1);
             (66, 0) (* E3 *)] z /\
  SafeWKing z.

Definition WhiteRook (y z : vector) : Prop :=
  exists i, square i /\ y i = 3 /\
    exists l k, 1 <= l <= 4 /\ 1 <= k /\ PRl i l k /\ WhiteRookMove y i l k z.

Definition WhiteBishopMove (y : vector) (i l k : nat) (z : vector) : Prop :=
  let j := fB i l k in
  PB y i l k /\ enter y j /\
  becomes y [(i, 0); (j, 4); (65, 0); (68, fKBO j (y 68)); (0, 1); (66, 0) (* E3 *)] z /\
  SafeWKing z.

Definition WhiteBishop (y z : vector) : Prop :=
  exists i, square i /\ y i = 4 /\
    exists l k, 1 <= l <= 4 /\ 1 <= k /\ PBl i l k /\ WhiteBishopMove y i l k z.

Definition WhiteQBMove (y : vector) (i l k : nat) (z : vector) : Prop :=
  let j := fB i l k in
  PB y i l k /\ enter y j /\
  becomes y [(i, 0); (j, 2); (65, 0); (68, fKBO j (y 68)); (0, 1); (66, 0) (* E3 *)] z /\
  SafeWKing z.

Definition WhiteQRMove (y : vector) (i l k : nat) (z : vector) : Prop :=
  let j := fR i l k in
  PR y i l k /\ enter y j /\
  becomes y [(i, 0); (j, 2); (65, 0); (68, fKBO j (y 68)); (0, 1); (66, 0) (* E3 *)] z /\
  SafeWKing z.

Definition WhiteQueen (y z : vector) : Prop :=
  exists i, square i /\ y i = 2 /\ exists l k, 1 <= l <= 4 /\ 1 <= k /\
    (PBl i l k /\ WhiteQBMove y i l k z \/ PRl i l k /\ WhiteQRMove y i l k z).

Definition WhiteKnightMove (y : vector) (i l : nat) (z : vector) : Prop :=
  let j := fN i l in
  PN i l /\ enter y j /\
  becomes y [(i, 0); (j, 5); (65, 0); (68, fKBO j (y 68)); (0, 1); (66, 0) (* E3 *)] z /\
  SafeWKing z.

Definition WhiteKnight (y z : vector) : Prop :=
  exists i, square i /\ y i = 5 /\ exists l, 1 <= l <= 8 /\ WhiteKnightMove y i l z.

(** *** The pawn *)

(** One square: captures to the left and to the right, and a push. *)
Definition fWP (i l : nat) : nat := match l with 1 => i + 7 | 2 => i + 9 | _ => i + 8 end.

Definition PWP1 (y : vector) (i l : nat) : Prop :=
  match l with
  | 1 => 2 <= xv i /\ xg i <= 6 /\ 8 <= y (i + 7) <= 12
  | 2 => xv i <= 7 /\ xg i <= 6 /\ 8 <= y (i + 9) <= 12
  | _ => xg i <= 6 /\ y (i + 8) = 0
  end.

Definition WhitePawnMove1 (y : vector) (i l : nat) (z : vector) : Prop :=
  let j := fWP i l in
  PWP1 y i l /\
  becomes y [(i, 0); (j, 6); (65, 0); (0, 1); (66, 0) (* E3 *)] z /\
  SafeWKing z.

(** In passing. *)
Definition PWPEP (y : vector) (i l : nat) : Prop :=
  match l with
  | 1 => 2 <= xv i /\ xg i = 5 /\ y (i - 1) = 12 /\ y (i + 7) = 0 /\ y 66 = xv i - 1
  | _ => xv i <= 7 /\ xg i = 5 /\ y (i + 1) (* E2 *) = 12 /\ y (i + 9) = 0 /\ y 66 = xv i + 1
  end.

Definition WhitePawnMoveEP (y : vector) (i l : nat) (z : vector) : Prop :=
  let j := fWP i l in
  PWPEP y i l /\
  becomes y [(i, 0); (j - 8, 0); (j, 6); (65, 0); (0, 1); (66, 0) (* E3 *)] z /\
  SafeWKing z.

(** Promotion in three directions, l2 = 1 .. 4 to queen, rook, bishop, knight. *)
Definition PWP8 (y : vector) (i l : nat) : Prop :=
  match l with
  | 1 => 2 <= xv i /\ xg i = 7 /\ 8 <= y (i + 7) <= 11
  | 2 => xv i <= 7 /\ xg i = 7 /\ 8 <= y (i + 9) <= 11
  | _ => xg i = 7 /\ y (i + 8) = 0
  end.

Definition WhitePawnMove8 (y : vector) (i l l2 : nat) (z : vector) : Prop :=
  let j := fWP i l in
  PWP8 y i l /\
  becomes y [(i, 0); (j, l2 + 1); (65, 0); (68, fKBO j (y 68)); (0, 1); (66, 0) (* E3 *)] z /\
  SafeWKing z.

(** The position with colours exchanged and ranks reflected, so that Black's men are White's. *)
Definition swapped (c : nat) : nat :=
  if c =? 0 then 0 else if c <=? 6 then c + 6 else if c <=? 12 then c - 6 else c.

Definition exchanged (y : vector) : vector := fun t =>
  if t =? 0 then match y 0 with 0 => 1 | 1 => 0 | n => n end
  else if t <=? 64 then swapped (y (8 * (8 - xg t) + xv t))
  else if t =? 65 then y 66 else if t =? 66 then y 65
  else if t =? 67 then y 68 else if t =? 68 then y 67 else y t.

(** White, Black has a legal capture in passing. *)
Definition WhiteTakesPassing (y : vector) : Prop :=
  exists i l z, square i /\ y i = 6 /\ 1 <= l <= 2 /\ WhitePawnMoveEP y i l z.
Definition BlackTakesPassing (y : vector) : Prop := WhiteTakesPassing (exchanged y).

(** Two squares. *)
Definition PWP2 (y : vector) (i : nat) : Prop := xg i = 2 /\ y (i + 8) = 0 /\ y (i + 16) = 0.

Definition WhitePawnMove2 (y : vector) (i : nat) (z : vector) : Prop :=
  let j := i + 16 in
  let marked := upd y [(i, 0); (j, 6); (65, xv i); (0, 1); (66, 0) (* E3 *)] in
  PWP2 y i /\
  (BlackTakesPassing marked /\ same z marked \/
   ~ BlackTakesPassing marked /\ becomes marked [(65, 0)] z (* E3 *)) /\
  SafeWKing z.

Definition WhitePawn (y z : vector) : Prop :=
  exists i, square i /\ y i = 6 /\
    ((exists l, 1 <= l <= 3 /\ WhitePawnMove1 y i l z) \/
     WhitePawnMove2 y i z \/
     (exists l, 1 <= l <= 2 /\ WhitePawnMoveEP y i l z) \/
     (exists l l2, 1 <= l <= 3 /\ 1 <= l2 <= 4 /\ WhitePawnMove8 y i l l2 z)).

Definition WhiteMoves (y z : vector) : Prop :=
  WhiteKing y z \/ WhiteQueen y z \/ WhiteRook y z \/ WhiteBishop y z \/ WhiteKnight y z \/
  WhitePawn y z.

(** BlackMoves "is built in the same way": White's, seen with the colours exchanged. *)
Definition BlackMoves (y z : vector) : Prop := WhiteMoves (exchanged y) (exchanged z).

(** The moves of the side to move. *)
Definition Moves (y z : vector) : Prop :=
  y 0 = 0 /\ WhiteMoves y z \/ y 0 = 1 /\ BlackMoves y z.

(** The king of the side to move is attacked. *)
Definition Checked (y : vector) : Prop :=
  y 0 = 0 /\ ~ SafeWKing y \/ y 0 = 1 /\ ~ SafeWKing (exchanged y).

(** Legal in the narrow sense: one king each, and the king of the side that is not to move is safe;
    and no pawn stands on the first or last rank. *)
Definition one (y : vector) (c : nat) : Prop :=
  exists i, square i /\ y i = c /\ forall j, square j -> y j = c -> j = i.

Definition no_pawn_on_the_edge (y : vector) : Prop :=
  forall i, square i -> xg i = 1 \/ xg i = 8 -> y i <> 6 /\ y i <> 12.

Definition Legal (y : vector) : Prop :=
  one y 1 /\ one y 7 /\ no_pawn_on_the_edge y /\
  (y 0 = 0 -> SafeWKing (exchanged y)) /\ (y 0 = 1 -> SafeWKing y).
