(** * Aims: what a player may force instead of mate

    A formula speaks of one position, but for [Next]: "after every legal move", whoever is to move; a
    position without a move repeats itself. *)

From Coq Require Import Uint63 ZArith List Bool Lia.
From Theta Require Import Games Board Rules.
Import ListNotations.
Open Scope uint63_scope.

Inductive term :=
| Number (n : Z)
| Count (c : int)
| Material (s : side)
| Flights (s : side)
| Moves (s : side).

Inductive comparison_sign := Less | LessEqual | Equal | GreaterEqual | Greater.

Inductive atom :=
| ToMove (s : side)
| Mate (s : side)
| Stalemate
| Check (s : side)
| On (c i : int)               (** this man (a code of [Board.v]) stands on this square *)
| Attacked (i : int) (s : side)
| CanCastle (s : side) (wing : int)
| Compare (l : list (bool * term)) (c : comparison_sign) (r : list (bool * term)).

Inductive formula :=
| Constant (v : bool)
| Atom (a : atom)
| Not (a : formula)
| And (a b : formula)
| Or (a b : formula)
| Iff (a b : formula)
| Next (a : formula).

Definition count (b : board) (c : int) : Z :=
  fold_left (fun n i => if get b i =? c then Z.succ n else n) squares 0%Z.

Definition worth (b : board) (s : side) : Z :=
  let first := match s with White => 0 | Black => 8 end in
  (9 * count b (first + 2) + 5 * count b (first + 3) + 3 * count b (first + 4)
   + 3 * count b (first + 5) + count b (first + 6))%Z.

(** The squares next to White's king that hold no man of White's and that no man of Black's attacks
    once the king has left. *)
Definition white_flights (b : board) : Z :=
  let k := king_square b in
  if k <? 64 then
    let left := put b k 0 in
    let open j := let c := get left j in (c =? 0) || (8 <? c) in
    fold_left (fun n j => if open j && safe left j then Z.succ n else n) (look king_steps k) 0%Z
  else 0%Z.

Definition flights (b : board) (s : side) : Z :=
  white_flights (match s with White => b | Black => mirror_board b end).

(** This side's moves, were it its turn. *)
Definition mobility (p : position) (s : side) : Z :=
  Z.of_nat (length (white_moves (match s with White => p | Black => mirror p end))).

Definition term_value (p : position) (t : term) : Z :=
  match t with
  | Number n => n
  | Count c => count (men p) c
  | Material s => worth (men p) s
  | Flights s => flights (men p) s
  | Moves s => mobility p s
  end.

Definition sum_value (p : position) (l : list (bool * term)) : Z :=
  fold_left (fun n t => let (minus, t) := (t : bool * term) in
    if minus then Z.sub n (term_value p t) else Z.add n (term_value p t)) l 0%Z.

Definition compare (c : comparison_sign) (l r : Z) : bool :=
  match c with
  | Less => Z.ltb l r | LessEqual => Z.leb l r | Equal => Z.eqb l r
  | GreaterEqual => Z.leb r l | Greater => Z.ltb r l
  end.

Definition none {A} (l : list A) : bool := match l with [] => true | _ => false end.

(** This side's king is attacked, whoever is to move. *)
Definition king_attacked (s : side) (p : position) : bool :=
  negb (safe_king (match s with White => men p | Black => mirror_board (men p) end)).

Definition atom_true (a : atom) (p : position) : bool :=
  match a with
  | ToMove s => side_eqb (to_move p) s
  | Mate s => side_eqb (to_move p) s && in_check p && none (successors p)
  | Stalemate => negb (in_check p) && none (successors p)
  | Check s => king_attacked s p
  | On c i => get (men p) i =? c
  | Attacked i Black => negb (safe (men p) i)
  | Attacked i White => negb (safe (mirror_board (men p)) (i lxor 56))
  | CanCastle s wing =>
      negb ((match s with White => wrights p | Black => brights p end) land wing =? 0)
  | Compare l c r => compare c (sum_value p l) (sum_value p r)
  end.

(** The truth of a formula, as it is meant. *)
Fixpoint true_at (f : formula) (p : position) : Prop :=
  match f with
  | Constant v => v = true
  | Atom a => atom_true a p = true
  | Not a => ~ true_at a p
  | And a b => true_at a p /\ true_at b p
  | Or a b => true_at a p \/ true_at b p
  | Iff a b => true_at a p <-> true_at b p
  | Next a => (successors p = [] /\ true_at a p) \/
              (successors p <> [] /\ forall q, In q (successors p) -> true_at a q)
  end.

(** The same, computed. *)
Fixpoint evaluate (f : formula) (p : position) : bool :=
  match f with
  | Constant v => v
  | Atom a => atom_true a p
  | Not a => negb (evaluate a p)
  | And a b => evaluate a p && evaluate b p
  | Or a b => evaluate a p || evaluate b p
  | Iff a b => Bool.eqb (evaluate a p) (evaluate b p)
  | Next a => match successors p with
              | [] => evaluate a p
              | l => forallb (evaluate a) l
              end
  end.

Lemma evaluate_spec f : forall p, evaluate f p = true <-> true_at f p.
Proof.
  induction f; intro p; simpl.
  - reflexivity.
  - reflexivity.
  - rewrite negb_true_iff, <- IHf. destruct (evaluate f p); intuition congruence.
  - rewrite andb_true_iff, IHf1, IHf2. reflexivity.
  - rewrite orb_true_iff, IHf1, IHf2. reflexivity.
  - rewrite Bool.eqb_true_iff, <- IHf1, <- IHf2.
    destruct (evaluate f1 p), (evaluate f2 p); intuition congruence.
  - destruct (successors p) as [| q l] eqn:S.
    + rewrite IHf. intuition congruence.
    + change (forallb (evaluate f) (q :: l) = true <->
        (q :: l = [] /\ true_at f p) \/
        (q :: l <> [] /\ forall r, In r (q :: l) -> true_at f r)).
      rewrite forallb_forall. split.
      * intro A. right. split; [congruence |]. intros r R. now apply IHf, A.
      * intros [[E _] | [_ A]]; [congruence |]. intros r R. now apply IHf, A.
Qed.

Lemma true_at_dec f p : {true_at f p} + {~ true_at f p}.
Proof.
  destruct (evaluate f p) eqn:E; [left; now apply evaluate_spec |].
  right. intro T. apply evaluate_spec in T. congruence.
Qed.
