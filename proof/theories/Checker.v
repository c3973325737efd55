(** * The checker of certificates, proved

    [check c = true] implies [meaning c], which speaks of strategies and infinite plays only
    ([Games.v]) in the game of chess ([Rules.v]).  Of an entry nothing is believed: that its position
    is legal, that none stands there twice, and what ranks the file states, is of no importance. *)

From Coq Require Import Uint63 ZArith List Bool Lia.
From Theta Require Import Games Board Rules Aims Dead.
Import ListNotations.
Open Scope uint63_scope.

(** ** A table of positions

    What is found in it was put there: nothing else is needed of it. *)
Inductive trie :=
| Empty
| Item (p : position) (r : int) (t : trie)
| Node (a b c d : trie).

Fixpoint mem (t : trie) (p : position) (r : int) : Prop :=
  match t with
  | Empty => False
  | Item q s t => (q = p /\ s = r) \/ mem t p r
  | Node a b c d => mem a p r \/ mem b p r \/ mem c p r \/ mem d p r
  end.

Definition mix (h w : int) : int := (h lxor w) * 2862933555777941757.

Definition hash (p : position) : int :=
  let b := men p in
  let h := mix (mix (mix (mix (mix (mix (mix (mix 1 (r0 b)) (r1 b)) (r2 b)) (r3 b))
    (r4 b)) (r5 b)) (r6 b)) (r7 b) in
  let h := mix h (if black p then wmark p else bmark p + 16) in
  let h := mix h (wrights p + (brights p << 2)) in
  h lxor (h >> 31).

Fixpoint find_in (t : trie) (h : int) (p : position) : option int :=
  match t with
  | Empty => None
  | Item q r t => if position_eqb p q then Some r else find_in t h p
  | Node a b c d =>
      if h land 2 =? 0
      then if h land 1 =? 0 then find_in a (h >> 2) p else find_in b (h >> 2) p
      else if h land 1 =? 0 then find_in c (h >> 2) p else find_in d (h >> 2) p
  end.

Fixpoint put_in (depth : nat) (t : trie) (h : int) (p : position) (r : int) : trie :=
  match depth with
  | O => Item p r t
  | S n =>
      match t with
      | Node a b c d =>
          if h land 2 =? 0
          then if h land 1 =? 0 then Node (put_in n a (h >> 2) p r) b c d
               else Node a (put_in n b (h >> 2) p r) c d
          else if h land 1 =? 0 then Node a b (put_in n c (h >> 2) p r) d
               else Node a b c (put_in n d (h >> 2) p r)
      | Empty =>
          if h land 2 =? 0
          then if h land 1 =? 0 then Node (put_in n Empty (h >> 2) p r) Empty Empty Empty
               else Node Empty (put_in n Empty (h >> 2) p r) Empty Empty
          else if h land 1 =? 0 then Node Empty Empty (put_in n Empty (h >> 2) p r) Empty
               else Node Empty Empty Empty (put_in n Empty (h >> 2) p r)
      | Item _ _ _ => Item p r t
      end
  end.

Lemma find_in_mem t : forall h p r, find_in t h p = Some r -> mem t p r.
Proof.
  induction t; simpl; intros h q s F.
  - discriminate.
  - destruct (position_eqb q p) eqn:E.
    + injection F as <-. apply position_eqb_eq in E. subst; auto.
    + right. eauto.
  - destruct (h land 2 =? 0), (h land 1 =? 0); eauto.
Qed.

Lemma put_in_mem n : forall t h p r q s,
  mem (put_in n t h p r) q s -> mem t q s \/ (p = q /\ r = s).
Proof.
  induction n; simpl; intros t h p r q s M.
  - tauto.
  - destruct t.
    + destruct (h land 2 =? 0), (h land 1 =? 0); simpl in M;
        repeat (destruct M as [M | M]; try contradiction); try contradiction;
        apply IHn in M; simpl in M; tauto.
    + simpl in *. tauto.
    + destruct (h land 2 =? 0), (h land 1 =? 0); simpl in *;
        repeat (destruct M as [M | M]; auto); apply IHn in M; tauto.
Qed.

Definition found (t : trie) (p : position) : option int := find_in t (hash p) p.

(** The depth that suits a number of entries; nothing depends on it. *)
Fixpoint depth_for (fuel : nat) (n : int) : nat :=
  match fuel with O => O | S f => if n <=? 1 then O else S (depth_for f (n >> 2)) end.

Record entry := Entry { place : position; answer : int }.

Definition number_of (l : list entry) : int := fold_left (fun n _ => n + 1) l 0.

(** ** Wins and aims *)
Section Wins.
  Variable o : side.
  Variable goal : position -> bool.   (** where lines end *)
  Let reached (p : position) : Prop := goal p = true.

  Definition bound : int := 1099511627776.

  Definition rank_in (t : trie) (q : position) : option int :=
    if goal q then Some 0 else found t q.

  Fixpoint worst (t : trie) (l : list position) (m : int) : option int :=
    match l with
    | [] => Some m
    | q :: l =>
        match rank_in t q with
        | None => None
        | Some r => worst t l (if m <? r then r else m)
        end
    end.

  Definition more (m : option int) : option int :=
    match m with
    | Some m => if m <? bound then Some (m + 1) else None
    | None => None
    end.

  (** Plies to the goal at most, the opponent to move. *)
  Definition behind (t : trie) (z : position) : option int :=
    if goal z then Some 0
    else if side_eqb (to_move z) o then None
    else match successors z with
         | [] => None
         | l => more (worst t l 0)
         end.

  (** Each entry's move is legal, and every reply to it leads to an entry before. *)
  Fixpoint win_table (depth : nat) (t : trie) (l : list entry) : option trie :=
    match l with
    | [] => Some t
    | e :: l =>
        if side_eqb (to_move (place e)) o then
          match play (place e) (answer e) with
          | None => None
          | Some z =>
              match more (behind t z) with
              | None => None
              | Some r => win_table depth (put_in depth t (hash (place e)) (place e) r) l
              end
          end
        else None
    end.

  Definition win_plies (root : position) (l : list entry) : option int :=
    match win_table (depth_for 14 (number_of l)) Empty l with
    | None => None
    | Some t => if side_eqb (to_move root) o then rank_in t root else behind t root
    end.

  Definition plies (n : int) : nat := Z.to_nat (to_Z n).

  Definition ranked (t : trie) : Prop :=
    forall p r, mem t p r -> @rank chess o reached (plies r) p.

  Lemma rank_in_ranked t q r : ranked t -> rank_in t q = Some r -> @rank chess o reached (plies r) q.
  Proof.
    intros K. unfold rank_in. destruct (goal q) eqn:G.
    - intros [= <-]. now apply RGoal.
    - intro F. apply K. eapply find_in_mem; exact F.
  Qed.

  Lemma worst_ranked t l : ranked t -> forall m n, worst t l m = Some n ->
    (to_Z m <= to_Z n)%Z /\ forall q, In q l -> @rank chess o reached (plies n) q.
  Proof.
    intro K. induction l as [| a l IH]; simpl; intros m n W.
    - injection W as <-. split; [lia | contradiction].
    - destruct (rank_in t a) as [r |] eqn:R; [| discriminate].
      apply IH in W. destruct W as [L A].
      assert ((to_Z m <= to_Z n /\ to_Z r <= to_Z n)%Z) as [Lm Lr].
      { destruct (m <? r) eqn:E.
        - apply ltb_spec in E. lia.
        - assert (~ (to_Z m < to_Z r)%Z) by (rewrite <- ltb_spec; congruence). lia. }
      split; [assumption |]. intros q [<- | I]; [| now apply A].
      eapply rank_mono; [eapply rank_in_ranked; eauto |].
      unfold plies. apply Z2Nat.inj_le; try apply to_Z_bounded. assumption.
  Qed.

  Lemma more_plies m n : more m = Some n -> exists k, m = Some k /\ plies n = S (plies k).
  Proof.
    unfold more. destruct m as [k |]; [| discriminate].
    destruct (k <? bound) eqn:E; [| discriminate]. intros [= <-]. exists k. split; [reflexivity |].
    apply ltb_spec in E. change (to_Z bound) with 1099511627776%Z in E.
    pose proof (to_Z_bounded k). unfold plies. rewrite add_spec.
    change (to_Z 1) with 1%Z. rewrite Z.mod_small.
    - rewrite Z2Nat.inj_add by lia. change (Z.to_nat 1) with 1%nat. lia.
    - change wB with 9223372036854775808%Z. lia.
  Qed.

  Lemma behind_ranked t z r :
    ranked t -> behind t z = Some r -> @rank chess o reached (plies r) z.
  Proof.
    intros K. unfold behind. destruct (goal z) eqn:G.
    - intros [= <-]. now apply RGoal.
    - destruct (side_eqb (to_move z) o) eqn:T; [discriminate |].
      destruct (successors z) as [| q l] eqn:S; [discriminate |].
      intro M. apply more_plies in M. destruct M as [m [W ->]].
      apply ROther.
      + now apply side_eqb_neq.
      + simpl. rewrite S. discriminate.
      + simpl. rewrite S. now apply (worst_ranked t _ K 0 m W).
  Qed.

  Lemma win_table_ranked depth l : forall t u,
    ranked t -> win_table depth t l = Some u -> ranked u.
  Proof.
    induction l as [| e l IH]; simpl; intros t u K W; [injection W as <-; exact K |].
    destruct (side_eqb (to_move (place e)) o) eqn:T; [| discriminate].
    destruct (play _ _) as [z |] eqn:P; [| discriminate].
    destruct (more (behind t z)) as [r |] eqn:M; [| discriminate].
    eapply IH; [| exact W]. intros p s Q.
    apply put_in_mem in Q. destruct Q as [Q | [<- <-]]; [now apply K |].
    apply more_plies in M. destruct M as [k [B ->]].
    eapply ROwn; [now apply side_eqb_eq | eapply play_in; exact P | eapply behind_ranked; eauto].
  Qed.

  Lemma reached_dec p : {reached p} + {~ reached p}.
  Proof. unfold reached. destruct (goal p); [now left | right; discriminate]. Qed.

  (** The entries give a strategy that reaches the goal in so many plies. *)
  Theorem win_plies_sound root l n :
    win_plies root l = Some n -> @forces chess o reached (plies n) root.
  Proof.
    unfold win_plies. destruct (win_table _ _ _) as [t |] eqn:W; [| discriminate].
    intro R. apply ranks_sound; [exact reached_dec |].
    assert (K : ranked t) by (eapply win_table_ranked; [| exact W]; intros ? ? []).
    destruct (side_eqb (to_move root) o).
    - eapply rank_in_ranked; eauto.
    - eapply behind_ranked; eauto.
  Qed.
End Wins.

(** Black (White) is mated: where a win ends. *)
Definition mate_of (s : side) (p : position) : bool :=
  side_eqb (to_move p) s && in_check p && none (successors p).

Lemma mate_of_spec s p : mate_of s p = true <-> @mated chess s p.
Proof.
  rewrite <- matedb_spec. unfold mate_of, matedb, none. simpl.
  destruct (successors p); reflexivity.
Qed.

(** ** Holds *)
Section Holds.
  Variable o : side.

  Fixpoint hold_table (depth : nat) (t : trie) (l : list entry) : trie :=
    match l with
    | [] => t
    | e :: l => hold_table depth (put_in depth t (hash (place e)) (place e) 0) l
    end.

  Definition listed (t : trie) (p : position) : bool :=
    match found t p with Some _ => true | None => false end.

  (** A position of the set: the owner cannot be mated at all, or it is listed, or, the opponent to
      move, all replies are. *)
  Definition held (t : trie) (p : position) : bool :=
    dead o p ||
    (if side_eqb (to_move p) o then listed t p else forallb (listed t) (successors p)).

  (** The owner is to move; it has a move into the set, or is stalemated. *)
  Definition hold_entry (t : trie) (e : entry) : bool :=
    side_eqb (to_move (place e)) o &&
    match play (place e) (answer e) with
    | Some z => held t z
    | None => negb (in_check (place e)) && none (successors (place e))
    end.

  Definition hold_check (root : position) (l : list entry) : bool :=
    let t := hold_table (depth_for 14 (number_of l)) Empty l in
    forallb (hold_entry t) l && held t root.

  Lemma hold_table_mem depth l : forall t p r,
    mem (hold_table depth t l) p r -> mem t p r \/ exists e, In e l /\ place e = p.
  Proof.
    induction l as [| e l IH]; simpl; intros t p r M; [now left |].
    apply IH in M. destruct M as [M | [e' [I E]]]; [| right; eauto].
    apply put_in_mem in M. destruct M as [M | [<- _]]; [now left | right; eauto].
  Qed.

  (** The entries give a strategy that is never mated. *)
  Theorem hold_check_sound root l : hold_check root l = true -> @holds chess o root.
  Proof.
    unfold hold_check. set (t := hold_table _ _ _).
    rewrite andb_true_iff, forallb_forall. intros [E R].
    apply (@closed_set_holds chess o (held t)); [| | exact R].
    - intros q H T. unfold held in H. apply orb_true_iff in H. destruct H as [D | L].
      + destruct (dead_owner o q D T) as [S | [z [Z1 Z2]]]; [now left |].
        right. exists z. split; [exact Z1 |]. unfold held. now rewrite Z2.
      + simpl in T. rewrite (proj2 (side_eqb_eq _ _) T) in L.
        unfold listed in L. destruct (found t q) as [r |] eqn:F; [| discriminate].
        apply find_in_mem in F. apply hold_table_mem in F.
        destruct F as [[] | [e [I <-]]]. specialize (E e I).
        unfold hold_entry in E. apply andb_true_iff in E. destruct E as [_ E].
        destruct (play (place e) (answer e)) as [z |] eqn:P.
        * right. exists z. split; [now apply play_in in P | exact E].
        * left. apply andb_true_iff in E. destruct E as [E1 E2].
          unfold none in E2. simpl. destruct (successors (place e)); [| discriminate].
          split; [reflexivity | now apply negb_true_iff].
    - intros q H T z Z. unfold held in H. apply orb_true_iff in H. destruct H as [D | L].
      + unfold held. now rewrite (dead_opponent o q D T z Z).
      + apply side_eqb_neq in T. simpl in T. rewrite T in L. rewrite forallb_forall in L.
        specialize (L z Z). unfold held. apply orb_true_iff. right.
        assert (side_eqb (to_move z) o = true) as ->; [| exact L].
        unfold listed in L. destruct (found t z) as [r |] eqn:F; [| discriminate].
        apply find_in_mem in F. apply hold_table_mem in F.
        destruct F as [[] | [e [I <-]]]. specialize (E e I).
        unfold hold_entry in E. now apply andb_true_iff in E.
  Qed.
End Holds.

(** ** Lines *)

(** The position after these moves, if they are legal. *)
Fixpoint after_line (p : position) (l : list int) : option position :=
  match l with
  | [] => Some p
  | m :: l => match play p m with Some q => after_line q l | None => None end
  end.

Lemma after_line_reaches l : forall p q, after_line p l = Some q -> @reaches chess p q.
Proof.
  induction l as [| m l IH]; simpl; intros p q A.
  - injection A as <-. constructor.
  - destruct (play p m) as [z |] eqn:P; [| discriminate].
    eapply Step; [eapply play_in; exact P | now apply IH].
Qed.

(** ** Roots

    What is asked of the position that a certificate speaks of: one king each, the side that is not
    to move not in check, no pawn on the first or last rank, rights only with king and rook at home,
    known men, and a mark only where a capture in passing is legal. *)

Definition count_of (b : board) (c : int) : int :=
  fold_left (fun n i => if get b i =? c then n + 1 else n) squares 0.

Definition white_home (p : position) : bool :=
  let b := men p in
  (wrights p <=? 3) &&
  ((wrights p land 1 =? 0) || ((get b 4 =? 1) && (get b 0 =? 3))) &&
  ((wrights p land 2 =? 0) || ((get b 4 =? 1) && (get b 7 =? 3))).

(** The mark of the side that is not to move, seen by the side to move as White. *)
Definition mark_stands (p : position) : bool :=
  (wmark p =? 0) &&
  ((bmark p =? 0) ||
   ((bmark p <=? 8) && can_take_passing p (king_square (men p)) &&
    (get (men p) (bmark p + 47) =? 0))).

Definition known (b : board) : bool :=
  forallb (fun i => let c := get b i in (c <=? 6) || ((9 <=? c) && (c <=? 14))) squares &&
  forallb (fun k => row b k <? 4294967296) rows.

Definition no_edge_pawn (b : board) : bool :=
  forallb (fun i => negb (get b i =? 6) && negb (get b i =? 14))
    (row_squares 0 ++ row_squares 7).

Definition legal_root (p : position) : bool :=
  let q := if black p then mirror p else p in
  known (men p) && no_edge_pawn (men p) &&
  (count_of (men p) 1 =? 1) && (count_of (men p) 9 =? 1) &&
  safe_king (mirror_board (men q)) &&
  white_home p && white_home (mirror p) && mark_stands q.

(** ** Certificates *)

Inductive claim :=
| Wins (o : side) (n : int)                 (** mates within n plies *)
| Holds (o : side)                          (** is never mated *)
| Draw                                      (** both hold *)
| Forces (o : side) (n : int) (f : formula) (** reaches f within n plies *)
| CanMate (o : side).                       (** some legal moves of both sides end in its mating *)

Inductive section :=
| Win (o : side) (l : list entry)
| Hold (o : side) (l : list entry)
| Line (o : side) (l : list int).

Record certificate := Certificate { root : position; claimed : claim; sections : list section }.

(** What a claim says of the root. *)
Definition means (p : position) (c : claim) : Prop :=
  match c with
  | Wins o n => @forces chess o (@mated chess (other o)) (plies n) p
  | Holds o => @holds chess o p
  | Draw => @holds chess White p /\ @holds chess Black p
  | Forces o n f => @forces chess o (true_at f) (plies n) p
  | CanMate o => exists q, @reaches chess p q /\ @mated chess (other o) q
  end.

Definition at_most (m : option int) (n : int) : bool :=
  match m with Some m => m <=? n | None => false end.

Definition serves (p : position) (c : claim) (l : list section) : bool :=
  match c, l with
  | Wins o n, [Win s l] =>
      side_eqb s o && at_most (win_plies o (mate_of (other o)) p l) n
  | Holds o, [Hold s l] => side_eqb s o && hold_check o p l
  | Draw, [Hold White l; Hold Black m] => hold_check White p l && hold_check Black p m
  | Forces o n f, [Win s l] => side_eqb s o && at_most (win_plies o (evaluate f) p l) n
  | CanMate o, [Line s l] =>
      side_eqb s o &&
      match after_line p l with Some q => mate_of (other o) q | None => false end
  | _, _ => false
  end.

(** The checker. *)
Definition check (c : certificate) : bool :=
  legal_root (root c) && serves (root c) (claimed c) (sections c).

Definition meaning (c : certificate) : Prop :=
  legal_root (root c) = true /\ means (root c) (claimed c).

Lemma forces_more (G : game) o (g h : pos G -> Prop) n m p :
  (forall q, g q -> h q) -> (n <= m)%nat -> @forces G o g n p -> @forces G o h m p.
Proof.
  intros GH L [s [Ls W]]. exists s. split; [assumption |]. intros f P F.
  destruct (W f P F) as [k [K Q]]. exists k. split; [lia | auto].
Qed.

Lemma at_most_forces o goal p l n (h : position -> Prop) :
  (forall q, goal q = true -> h q) ->
  at_most (win_plies o goal p l) n = true -> @forces chess o h (plies n) p.
Proof.
  intro GH. unfold at_most. destruct (win_plies _ _ _ _) as [m |] eqn:W; [| discriminate].
  intro L. apply leb_spec in L. apply win_plies_sound in W.
  eapply forces_more; [exact GH | | exact W].
  unfold plies. apply Z2Nat.inj_le; try apply to_Z_bounded. exact L.
Qed.

(** ** What the checker accepts is true. *)
Theorem check_sound c : check c = true -> meaning c.
Proof.
  destruct c as [p c l]. unfold check, meaning. simpl.
  rewrite andb_true_iff. intros [R S]. split; [assumption |].
  destruct c as [o n | o | | o n f | o]; simpl in S |- *.
  - destruct l as [| [s l | s l | s l] [|]]; try discriminate.
    apply andb_true_iff in S. destruct S as [_ S].
    eapply at_most_forces; [| exact S]. intro q. apply mate_of_spec.
  - destruct l as [| [s l | s l | s l] [|]]; try discriminate.
    apply andb_true_iff in S. destruct S as [_ S]. now apply hold_check_sound in S.
  - destruct l as [| [s l | [|] l | s l] [| [s' m | [|] m | s' m] [|]]]; try discriminate.
    apply andb_true_iff in S. destruct S as [S T]. split; eapply hold_check_sound; eauto.
  - destruct l as [| [s l | s l | s l] [|]]; try discriminate.
    apply andb_true_iff in S. destruct S as [_ S].
    eapply at_most_forces; [| exact S]. intro q. apply evaluate_spec.
  - destruct l as [| [s l | s l | s l] [|]]; try discriminate.
    apply andb_true_iff in S. destruct S as [_ S].
    destruct (after_line p l) as [q |] eqn:A; [| discriminate].
    exists q. split; [now apply after_line_reaches in A | now apply mate_of_spec].
Qed.

(** In particular a certificate of a win proves that the side wins, and then the other side cannot
    hold; and one of a draw that neither side wins. *)
Corollary accepted_win_wins p o n l :
  check (Certificate p (Wins o n) l) = true -> @wins chess o p /\ ~ @holds chess (other o) p.
Proof.
  intro C. apply check_sound in C. destruct C as [_ C]. simpl in C.
  apply forced_mate_wins in C. split; [assumption | now apply wins_against_holds].
Qed.

Corollary accepted_draw_is_drawn p l :
  check (Certificate p Draw l) = true -> ~ @wins chess White p /\ ~ @wins chess Black p.
Proof.
  intro C. apply check_sound in C. destruct C as [_ [W B]].
  split; intro F; apply wins_against_holds in F; contradiction.
Qed.
