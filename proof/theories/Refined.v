(** * The paper's rules are the computed ones

    [rules_refined]: from a sound position the moves of [Paper.v] lead exactly to the vectors of the
    positions that [successors] computes; [check_refined]: its king is attacked in the one reading when
    it is in the other. *)

From Coq Require Import Uint63 ZArith List Bool Lia Arith.
From Theta Require Import Games Board Rules Cells Bare Dead Checker Vector Paper Squares Men.
Import ListNotations.
Open Scope nat_scope.

(** ** The mirror *)

Definition flipped (t : nat) : nat := 8 * (8 - xg t) + xv t.

Lemma flipped_facts t : square t -> square (flipped t) /\ flipped (flipped t) = t /\
  xg (flipped t) = 9 - xg t /\ Board.look (table flip) (sq t) = sq (flipped t) /\ flip (sq t) = sq (flipped t).
Proof.
  intro T. assert (A : (1 <=? flipped t) && (flipped t <=? 64) && (flipped (flipped t) =? t) &&
    (xg (flipped t) =? 9 - xg t) && Uint63.eqb (Board.look (table flip) (sq t)) (sq (flipped t)) &&
    Uint63.eqb (flip (sq t)) (sq (flipped t)) = true).
  { revert t T. apply (for_all (fun t => (1 <=? flipped t) && (flipped t <=? 64) &&
      (flipped (flipped t) =? t) && (xg (flipped t) =? 9 - xg t) &&
      Uint63.eqb (Board.look (table flip) (sq t)) (sq (flipped t)) &&
      Uint63.eqb (flip (sq t)) (sq (flipped t)))). vm_compute. reflexivity. }
  rewrite !andb_true_iff, !Nat.leb_le, !Nat.eqb_eq, !Uint63.eqb_spec in A. unfold square. tauto.
Qed.

Lemma swapped_twice c : swapped (swapped c) = c.
Proof.
  unfold swapped. destruct (Nat.eqb_spec c 0) as [-> | A]; [reflexivity |].
  destruct (Nat.leb_spec c 6).
  - destruct (Nat.eqb_spec (c + 6) 0), (Nat.leb_spec (c + 6) 6), (Nat.leb_spec (c + 6) 12); lia.
  - destruct (Nat.leb_spec c 12).
    + destruct (Nat.eqb_spec (c - 6) 0), (Nat.leb_spec (c - 6) 6); lia.
    + destruct (Nat.eqb_spec c 0), (Nat.leb_spec c 6), (Nat.leb_spec c 12); lia.
Qed.

Lemma swapped_to c d : swapped c = d <-> c = swapped d.
Proof. split; [intros <- | intros ->]; now rewrite swapped_twice. Qed.

Lemma exchanged_square y t : square t -> exchanged y t = swapped (y (flipped t)).
Proof.
  intro T. unfold exchanged, square in *. destruct (Nat.eqb_spec t 0); [lia |].
  destruct (Nat.leb_spec t 64); [reflexivity | lia].
Qed.

Lemma exchanged_same y z : same y z -> same (exchanged y) (exchanged z).
Proof.
  intro E. apply same_cases.
  - unfold exchanged. cbn [Nat.eqb]. now rewrite (E 0) by lia.
  - intros t T. rewrite !exchanged_square by assumption. f_equal. apply same_square; [exact E |].
    now apply flipped_facts.
  - exact (E 66 ltac:(lia)).
  - exact (E 65 ltac:(lia)).
  - exact (E 68 ltac:(lia)).
  - exact (E 67 ltac:(lia)).
Qed.

Lemma exchanged_twice y : same (exchanged (exchanged y)) y.
Proof.
  apply same_cases; try reflexivity.
  - unfold exchanged. cbn [Nat.eqb]. destruct (y 0) as [| [| n]]; reflexivity.
  - intros t T. destruct (flipped_facts t T) as [F [FF _]].
    rewrite !exchanged_square by assumption. now rewrite swapped_twice, FF.
Qed.

(** The mirror's vector is the vector exchanged. *)
Lemma mirror_vector p : well_formed p -> same (component (mirror p)) (exchanged (component p)).
Proof.
  intro W. apply same_cases; try reflexivity.
  - unfold exchanged, component. cbn. now destruct (black p).
  - intros t T. destruct (flipped_facts t T) as [F [_ [_ [_ L]]]].
    rewrite component_square, exchanged_square, component_square by assumption.
    cbn [men mirror]. rewrite get_mirror by now apply sq_64. rewrite L.
    pose proof (wf_codes p W _ (sq_64 _ F)) as K.
    pose proof (in_codes (fun c => implb (known_code c)
      (paper_code (swap_code c) =? swapped (paper_code c))) eq_refl _
      (get_code (men p) (sq (flipped t)) (sq_64 _ F))) as C. cbv beta in C.
    rewrite K in C. now apply Nat.eqb_eq.
Qed.

Lemma one_exchanged y c : one y (swapped c) -> one (exchanged y) c.
Proof.
  intros [i [I [E U]]]. destruct (flipped_facts i I) as [F [FF _]]. exists (flipped i).
  split; [exact F |]. rewrite exchanged_square, FF by assumption. split; [now apply swapped_to |].
  intros j J. rewrite exchanged_square by assumption. intro Q. apply swapped_to in Q.
  destruct (flipped_facts j J) as [G [GG _]]. rewrite <- GG. f_equal. now apply U.
Qed.

Lemma edge_exchanged y : no_pawn_on_the_edge y -> no_pawn_on_the_edge (exchanged y).
Proof.
  intros N i I E. rewrite exchanged_square by assumption.
  destruct (flipped_facts i I) as [F [_ [X _]]].
  destruct (N (flipped i) F ltac:(lia)) as [A B].
  split; intro Q; apply swapped_to in Q; contradiction.
Qed.

Lemma sound_mirror p : sound p -> sound (mirror p).
Proof.
  intros [W [A [B N]]]. pose proof (same_sym _ _ (mirror_vector p W)) as M.
  split; [now apply wf_mirror |]. split; [| split].
  - apply (one_same _ _ _ M). now apply one_exchanged.
  - apply (one_same _ _ _ M). now apply one_exchanged.
  - apply (edge_same _ _ M). now apply edge_exchanged.
Qed.

(** ** The double step *)
Section Two.
  Variables (p : position) (y : vector) (i : nat).
  Hypothesis So : sound p.
  Hypothesis Y : same y (component p).
  Hypothesis I : square i.
  Hypothesis Pawn : y i = 6.
  Hypothesis X : xg i = 2.

  Notation k := (king_square (men p)).
  Let j := i + 16.
  Let file := ((sq i land 7) + 1)%uint63.
  Let start := moved (put (put (men p) (sq i) 0) (sq j) 6) 0 (wrights p) (brights p).
  Let marked := moved (put (put (men p) (sq i) 0) (sq j) 6) file (wrights p) (brights p).
  Let L := [(i, 0); (j, 6); (65, xv i); (0, 1); (66, 0)].

  Lemma two_squares : (sq i + 8 = sq (i + 8) /\ sq i + 16 = sq j)%uint63 /\ square (i + 8) /\
    square j /\ xg j = 4 /\ number file = xv i /\ Uint63.leb file 8 = true.
  Proof.
    clear - I X file j.
    assert (A : implb (xg i =? 2) (Uint63.eqb (sq i + 8) (sq (i + 8)) &&
      Uint63.eqb (sq i + 16) (sq (i + 16)) && (1 <=? i + 8) && (i + 16 <=? 64) && (xg (i + 16) =? 4) &&
      (number ((sq i land 7) + 1)%uint63 =? xv i) && Uint63.leb ((sq i land 7) + 1) 8) = true).
    { clear - I. revert i I. apply (for_all (fun i => implb (xg i =? 2)
        (Uint63.eqb (sq i + 8) (sq (i + 8)) && Uint63.eqb (sq i + 16) (sq (i + 16)) && (1 <=? i + 8) &&
         (i + 16 <=? 64) && (xg (i + 16) =? 4) && (number ((sq i land 7) + 1)%uint63 =? xv i) &&
         Uint63.leb ((sq i land 7) + 1) 8))). vm_compute. reflexivity. }
    rewrite X in A. cbn [Nat.eqb implb] in A.
    rewrite !andb_true_iff, !Uint63.eqb_spec, !Nat.leb_le, !Nat.eqb_eq in A.
    unfold square, j, file in *. intuition; lia.
  Qed.

  Lemma wf_two mark : Uint63.leb mark 8 = true ->
    well_formed (moved (put (put (men p) (sq i) 0) (sq j) 6) mark (wrights p) (brights p)).
  Proof.
    intro M. destruct two_squares as [_ [_ [J _]]]. destruct (rights_small p So) as [R1 R2].
    apply (moved_well_formed p So [(sq i, 0%uint63); (sq j, 6%uint63)]); auto.
    intros x [<- | [<- | []]]; simpl; split; auto; now apply sq_64.
  Qed.

  Lemma two_vector mark n : number mark = n ->
    same (component (moved (put (put (men p) (sq i) 0) (sq j) 6) mark (wrights p) (brights p)))
      (upd y [(i, 0); (j, 6); (65, n); (0, 1); (66, 0)]).
  Proof.
    intro M. destruct two_squares as [_ [_ [J _]]].
    pose proof (y_67 p y Y) as E67. pose proof (y_68 p y Y) as E68.
    assert (N : i <> j) by (unfold j; lia). unfold moved. apply same_cases.
    - keys. reflexivity.
    - intros t T. rewrite component_square by assumption. cbn [men].
      rewrite !get_put_sq by (try assumption; reflexivity).
      keys; try subst t; try contradiction; try reflexivity.
      rewrite (same_square y _ t Y T). symmetry. now apply component_square.
    - keys. exact M.
    - keys. reflexivity.
    - keys. symmetry. exact E67.
    - keys. symmetry. exact E68.
  Qed.

  Lemma sound_marked : y j = 0 -> sound marked.
  Proof.
    intro E. destruct two_squares as [_ [_ [J [Xj [Nf F8]]]]].
    pose proof (same_sym _ _ (two_vector file (xv i) Nf)) as V.
    split; [now apply wf_two |].
    assert (Sq : forall x, In x L -> square (fst x) -> x = (i, 0) \/ x = (j, 6)).
    { intros x A S. unfold L in A. simpl in A. unfold square in S.
      repeat (destruct A as [<- | A]; [cbn [fst] in S; first [lia | tauto] |]). contradiction. }
    destruct So as [_ [A [B N]]]. split; [| split].
    - apply (one_same _ _ _ V). apply one_kept; [apply (y_one p y Y 1 A) |].
      intros x Q S. destruct (Sq x Q S) as [-> | ->]; cbn [fst snd]; lia.
    - apply (one_same _ _ _ V). apply one_kept; [apply (y_one p y Y 7 B) |].
      intros x Q S. destruct (Sq x Q S) as [-> | ->]; cbn [fst snd]; lia.
    - apply (edge_same _ _ V). apply edge_kept; [exact (edge p y So Y) |].
      intros x Q S H. destruct (Sq x Q S) as [-> | ->]; cbn [fst snd] in *; lia.
  Qed.

  Lemma two_goes z :
    (exists c, In c (pawn_two p k (sq i)) /\ is_move c = true /\ same z (component (after_of c))) <->
    WhitePawnMove2 y i z.
  Proof.
    destruct two_squares as [[A8 A16] [S8 [J [Xj [Nf F8]]]]].
    destruct (white_king p y So Y) as [K [IK [YK [U EK]]]].
    unfold pawn_two, WhitePawnMove2, PWP2. cbv zeta. fold file j.
    rewrite A8, A16, !(empty_shown y (men p) (y_shows p y So Y)) by assumption.
    destruct (Nat.eqb_spec (y (i + 8)) 0) as [E8 | E8]; cbn [andb];
      [| split; [intros [c [[] _]] | intros [[_ [Q _]] _]; contradiction]].
    destruct (Nat.eqb_spec (y j) 0) as [Ej | Ej];
      [| split; [intros [c [[] _]] | intros [[_ [_ Q]] _]; contradiction]].
    pose proof (two_vector file (xv i) Nf) as V1. fold marked L in V1.
    pose proof (two_vector 0 0 eq_refl) as V0. fold start in V0.
    pose proof (sound_marked Ej) as Sm.
    assert (Tk : can_take_passing (mirror marked) (king_square (men (mirror marked))) = true <->
      BlackTakesPassing (upd y L)).
    { unfold BlackTakesPassing. apply (takes_passing (mirror marked)); [now apply sound_mirror |].
      eapply same_trans; [apply exchanged_same, same_sym; exact V1 |].
      apply same_sym, mirror_vector, Sm. }
    assert (Mk : with_mark start file =
      if can_take_passing (mirror marked) (king_square (men (mirror marked))) then marked else start)
      by reflexivity.
    fold start. rewrite Mk.
    assert (Jd : forall q n, well_formed q -> men q = men start ->
      same (component q) (upd y [(i, 0); (j, 6); (65, n); (0, 1); (66, 0)]) ->
      same z (component q) ->
      is_move (Candidate (code_of (sq i) (sq j) 0) k q) = true <-> SafeWKing z).
    { intros q n Wq Mq Vq Zq. rewrite (is_move_safe (Candidate _ k q) K EK IK). cbn [after_of].
      assert (Kp : forall t, square t -> upd y [(i, 0); (j, 6); (65, n); (0, 1); (66, 0)] t = 1 <-> y t = 1).
      { apply kept. intros x Q S. unfold square in S. simpl in Q.
        repeat (destruct Q as [<- | Q]; [cbn [fst snd] in *; lia |]). contradiction. }
      apply (judged p y So Y q z [(i, 0); (j, 6); (65, n); (0, 1); (66, 0)] K); auto.
      - eapply same_trans; eassumption.
      - intros x Q S. unfold square in S. simpl in Q.
        repeat (destruct Q as [<- | Q]; [cbn [fst snd] in *; lia |]). contradiction.
      - now apply Kp.
      - intros t T H. apply U; [exact T | now apply Kp]. }
    assert (V0' : same (component start) (upd (upd y L) [(65, 0)])).
    { eapply same_trans; [exact V0 |]. unfold L. apply same_cases; intros; keys; reflexivity. }
    destruct (can_take_passing _ _).
    - assert (T : BlackTakesPassing (upd y L)) by now apply Tk. split.
      + intros [c [[<- | []] [M Z]]]. cbn [after_of] in Z. split; [tauto |]. split.
        * left. split; [exact T | eapply same_trans; eassumption].
        * revert M. apply (Jd marked (xv i)); auto. apply Sm.
      + intros [_ [[[_ Z] | [N _]] S]]; [| contradiction].
        assert (Zq : same z (component marked))
          by (eapply same_trans; [exact Z | now apply same_sym]).
        eexists. split; [left; reflexivity |]. split; [| exact Zq].
        apply (Jd marked (xv i)); auto. apply Sm.
    - assert (T : ~ BlackTakesPassing (upd y L)) by (intro T; apply Tk in T; discriminate). split.
      + intros [c [[<- | []] [M Z]]]. cbn [after_of] in Z. split; [tauto |]. split.
        * right. split; [exact T | unfold becomes; eapply same_trans; eassumption].
        * revert M. apply (Jd start 0); auto. now apply wf_two.
      + intros [_ [[[N _] | [_ Z]] S]]; [contradiction |].
        assert (Zq : same z (component start))
          by (eapply same_trans; [exact Z | now apply same_sym]).
        eexists. split; [left; reflexivity |]. split; [| exact Zq].
        apply (Jd start 0); auto. now apply wf_two.
  Qed.
End Two.

(** ** All of White's moves *)

Lemma pawn_goes p y i z : sound p -> same y (component p) -> square i -> y i = 6 ->
  goes p i z <->
  (exists l, 1 <= l <= 3 /\ WhitePawnMove1 y i l z) \/ WhitePawnMove2 y i z \/
  (exists l, 1 <= l <= 2 /\ WhitePawnMoveEP y i l z) \/
  (exists l l2, 1 <= l <= 3 /\ 1 <= l2 <= 4 /\ WhitePawnMove8 y i l l2 z).
Proof.
  intros So Y I E. pose proof (xg_range i I) as Xr.
  assert (X1 : xg i <> 1 /\ xg i <> 8).
  { split; intro Q; destruct (edge p y So Y i I) as [N _]; auto. }
  assert (P1 : forall l, WhitePawnMove1 y i l z -> xg i <= 6).
  { intros l [H _]. destruct l as [| [| [| l]]]; apply H. }
  assert (P2 : WhitePawnMove2 y i z -> xg i = 2) by (intros [[H _] _]; exact H).
  assert (P5 : forall l, WhitePawnMoveEP y i l z -> xg i = 5).
  { intros l [H _]. destruct l as [| [| l]]; apply H. }
  assert (P8 : forall l l2, WhitePawnMove8 y i l l2 z -> xg i = 7).
  { intros l l2 [H _]. destruct l as [| [| [| l]]]; apply H. }
  assert (G : get (men p) (sq i) = 6%uint63) by now apply (code_at p y So Y).
  assert (C : candidates_of p (king_square (men p)) (sq i) =
    let k := king_square (men p) in
    if xg i =? 7 then pawn_promotes p k (sq i)
    else if xg i =? 2 then pawn_one p k (sq i) ++ pawn_two p k (sq i)
    else if xg i =? 5 then pawn_one p k (sq i) ++ pawn_passing p k (sq i)
    else pawn_one p k (sq i)).
  { unfold candidates_of. rewrite G, ranks by assumption. cbv zeta.
    assert (H : xg i = 2 \/ xg i = 3 \/ xg i = 4 \/ xg i = 5 \/ xg i = 6 \/ xg i = 7) by lia.
    destruct H as [-> | [-> | [-> | [-> | [-> | ->]]]]]; reflexivity. }
  unfold goes. rewrite C. cbv zeta.
  pose proof (fun H => one_goes p y So Y i z I E H) as G1.
  destruct (Nat.eqb_spec (xg i) 7) as [E7 | E7].
  { rewrite (promotes_goes p y So Y i z I E E7). split; [auto |].
    intros [[l [_ H]] | [H | [[l [_ H]] | H]]]; auto;
      [apply P1 in H | apply P2 in H | apply P5 in H]; lia. }
  assert (G6 : xg i <= 6) by lia. specialize (G1 G6).
  destruct (Nat.eqb_spec (xg i) 2) as [E2 | E2].
  { rewrite <- G1, <- (two_goes p y i So Y I E E2 z). split.
    - intros [c [A H]]. apply in_app_iff in A. destruct A as [A | A]; eauto 6.
    - intros [[c [A H]] | [[c [A H]] | [[l [_ H]] | [l [l2 [_ [_ H]]]]]]].
      + exists c. rewrite in_app_iff. auto.
      + exists c. rewrite in_app_iff. auto.
      + apply P5 in H. lia.
      + apply P8 in H. lia. }
  destruct (Nat.eqb_spec (xg i) 5) as [E5 | E5].
  { rewrite <- G1, <- (passing_goes p y So Y i z I E E5). split.
    - intros [c [A H]]. apply in_app_iff in A. destruct A as [A | A]; eauto 7.
    - intros [[c [A H]] | [H | [[c [A H]] | [l [l2 [_ [_ H]]]]]]].
      + exists c. rewrite in_app_iff. auto.
      + apply P2 in H. lia.
      + exists c. rewrite in_app_iff. auto.
      + apply P8 in H. lia. }
  rewrite G1. split; [auto |].
  intros [H | [H | [[l [_ H]] | [l [l2 [_ [_ H]]]]]]]; auto;
    [apply P2 in H | apply P5 in H | apply P8 in H]; lia.
Qed.

Lemma white_refined p y z : sound p -> same y (component p) ->
  WhiteMoves y z <-> exists c, In c (white_moves p) /\ same z (component (after_of c)).
Proof.
  intros So Y.
  assert (Go : (exists c, In c (white_moves p) /\ same z (component (after_of c))) <->
    exists i, square i /\ goes p i z).
  { split.
    - intros [c [C Z]]. apply in_white_moves in C. destruct C as [M [i [I C]]].
      destruct (sq_onto i I) as [n [N ->]]. exists n. split; [exact N |]. exists c. auto.
    - intros [i [I [c [C [M Z]]]]]. exists c. split; [| exact Z]. unfold white_moves.
      apply filter_In. split; [| exact M]. eapply candidates_in; [| exact C]. now apply sq_64. }
  rewrite Go. unfold WhiteMoves, WhiteKing, WhiteQueen, WhiteRook, WhiteBishop, WhiteKnight, WhitePawn.
  split.
  - intros [[i [I [E H]]] | [[i [I [E H]]] | [[i [I [E H]]] | [[i [I [E H]]] | [[i [I [E H]]] |
      [i [I [E H]]]]]]]]; exists i; (split; [exact I |]).
    + now apply (king_goes p y So Y).
    + now apply (queen_goes p y So Y).
    + now apply (rook_goes p y So Y).
    + now apply (bishop_goes p y So Y).
    + now apply (knight_goes p y So Y).
    + now apply (pawn_goes p y).
  - intros [i [I H]].
    assert (V : y i <= 12).
    { rewrite (same_square y _ i Y I), component_square by assumption.
      destruct (y_shows p y So Y) as [_ Kn]. specialize (Kn i I).
      pose proof (in_codes (fun c => implb (known_code c) (paper_code c <=? 12)) eq_refl _
        (get_code (men p) (sq i) (sq_64 i I))) as Q. cbv beta in Q. rewrite Kn in Q.
      now apply Nat.leb_le. }
    assert (D : y i = 1 \/ y i = 2 \/ y i = 3 \/ y i = 4 \/ y i = 5 \/ y i = 6 \/ y i = 0 \/ 7 <= y i) by lia.
    destruct D as [E | [E | [E | [E | [E | [E | E]]]]]].
    + left. exists i. split; [exact I |]. split; [exact E |]. now apply (king_goes p y So Y).
    + right; left. exists i. split; [exact I |]. split; [exact E |]. now apply (queen_goes p y So Y).
    + do 2 right; left. exists i. split; [exact I |]. split; [exact E |]. now apply (rook_goes p y So Y).
    + do 3 right; left. exists i. split; [exact I |]. split; [exact E |]. now apply (bishop_goes p y So Y).
    + do 4 right; left. exists i. split; [exact I |]. split; [exact E |]. now apply (knight_goes p y So Y).
    + do 5 right. exists i. split; [exact I |]. split; [exact E |]. now apply (pawn_goes p y).
    + exfalso. destruct H as [c [C _]]. unfold candidates_of in C.
      pose proof (tested y (men p) (y_shows p y So Y)
        (fun c => Uint63.eqb c 0 || Uint63.leb 7 c) (fun n => (n =? 0) || (7 <=? n)) eq_refl i I) as T.
      cbv beta in T.
      assert (T' : (y i =? 0) || (7 <=? y i) = true).
      { apply orb_true_iff. rewrite Nat.eqb_eq, Nat.leb_le. lia. }
      rewrite T' in T. destruct (Uint63.eqb (get (men p) (sq i)) 0); [contradiction |].
      cbn [orb] in T. rewrite T in C. contradiction.
Qed.

Lemma component_0 p : component p 0 = if black p then 1 else 0.
Proof. reflexivity. Qed.

(** *** The paper's rules and the computed ones are the same.

    If y is the vector of a sound position p, then z is the vector after a legal move of the paper's
    rules exactly when it is the vector of one of the computed successors of p. *)
Theorem rules_refined p y z : sound p -> same y (component p) ->
  Moves y z <-> exists q, In q (successors p) /\ same z (component q).
Proof.
  intros So Y. pose proof So as [W _]. unfold Moves, BlackMoves.
  rewrite (Y 0), component_0 by lia. unfold successors. destruct (black p) eqn:T.
  - rewrite (white_refined (mirror p) (exchanged y));
      [| now apply sound_mirror
       | eapply same_trans; [apply exchanged_same; exact Y | now apply same_sym, mirror_vector]].
    assert (Wc : forall c, In c (white_moves (mirror p)) -> well_formed (after_of c)).
    { intros c C. apply in_white_moves in C. destruct C as [_ [i [I C]]].
      eapply candidate_well_formed; [| exact I | exact C]. now apply wf_mirror. }
    split.
    + intros [[Q _] | [_ [c [C Z]]]]; [discriminate |]. exists (mirror (after_of c)). split.
      * apply (in_map (fun c => mirror (after_of c))). exact C.
      * eapply same_trans; [apply same_sym, exchanged_twice |].
        eapply same_trans; [apply exchanged_same; exact Z |].
        apply same_sym, mirror_vector. now apply Wc.
    + intros [q [Q Z]]. apply in_map_iff in Q. destruct Q as [c [<- C]]. right.
      split; [reflexivity |]. exists c. split; [exact C |].
      eapply same_trans; [apply exchanged_same; exact Z |].
      eapply same_trans; [apply exchanged_same, mirror_vector; now apply Wc |].
      apply exchanged_twice.
  - rewrite (white_refined p y) by assumption. split.
    + intros [[_ [c [C Z]]] | [Q _]]; [| discriminate]. exists (after_of c). split; [| exact Z].
      now apply in_map.
    + intros [q [Q Z]]. apply in_map_iff in Q. destruct Q as [c [<- C]]. left. eauto.
Qed.

(** *** And so are their checks. *)
Theorem check_refined p y : sound p -> same y (component p) -> in_check p = true <-> Checked y.
Proof.
  assert (White : forall q y, sound q -> same y (component q) ->
    safe_king (men q) = true <-> SafeWKing y).
  { intros q u So Y. destruct (white_king q u So Y) as [K [IK [YK [U EK]]]].
    unfold safe_king. rewrite EK, sq_64 by assumption.
    apply safe_king_shown; auto; [now apply y_shows |].
    intros j J E8. now apply (edge q u So Y); auto. }
  intros So Y. pose proof So as [W _]. unfold in_check, Checked.
  rewrite (Y 0), component_0, negb_true_iff, <- not_true_iff_false by lia. destruct (black p).
  - change (mirror_board (men p)) with (men (mirror p)).
    rewrite (White (mirror p) (exchanged y));
      [| now apply sound_mirror
       | eapply same_trans; [apply exchanged_same; exact Y | now apply same_sym, mirror_vector]].
    split; [intro N; right; auto | intros [[Q _] | [_ N]]; [discriminate | exact N]].
  - rewrite (White p y) by assumption.
    split; [intro N; left; auto | intros [[_ N] | [Q _]]; [exact N | discriminate]].
Qed.
