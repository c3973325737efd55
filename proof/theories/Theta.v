(** * The paper's formulas, its theorem and its error

    The formulas of the paper's sections 3 and 4 over any game on a finite graph whose positions are
    told apart by 269 bits, the first of which says who is to move.  [Theorems.v] says it of chess. *)

From Coq Require Import List Arith Lia Bool ClassicalEpsilon.
From Theta Require Import Games Determined CTL.
Import ListNotations.

Lemma reaches_step (G : game) (p q r : pos G) : reaches p q -> In r (next G q) -> reaches p r.
Proof.
  intros R. revert r. induction R as [p | p q t I R IH]; intros r N.
  - eapply Step; [exact N | constructor].
  - eapply Step; [exact I | now apply IH].
Qed.

Section Formulas.
  Context {G : game}.
  Notation pos := (pos G).
  Notation next := (next G).
  Notation turn := (turn G).

  Variable bit : pos -> nat -> bool.   (** the variables p0 .. p268 *)
  Variable leg : list pos.             (** Leg(y0): the start and all that moves can lead to *)
  Variable y0 : pos.

  Hypothesis leg_is : forall y, In y leg <-> reaches y0 y.
  Hypothesis bit_0 : forall y, In y leg -> bit y 0 = side_eqb (turn y) Black.
  Hypothesis bits_differ : forall y z, In y leg -> In z leg ->
    (forall n, n < 269 -> bit y n = bit z n) -> y = z.

  (** P(y): the 269 literals that say exactly y. *)
  Definition P (y : pos) : ctl :=
    conj (map (fun n => if bit y n then Var n else Neg (Var n)) (seq 0 269)).

  Definition Init : ctl := P y0.

  (** p269, p270: White, Black has a legal move. *)
  Definition can_move (s : side) : ctl := match s with White => Var 269 | Black => Var 270 end.

  (** Who is to move, as a literal. *)
  Definition moves_now (s : side) : ctl := match s with White => Neg (Var 0) | Black => Var 0 end.

  (** WM1 and BM2: the side picks one move; a final position stands still. *)
  Definition one_move (y : pos) : ctl :=
    match next y with
    | [] => Conj (P y) (Conj (AX (P y)) (Neg (can_move (turn y))))
    | l => Conj (P y) (Conj (disj (map (fun z => AX (P z)) l)) (can_move (turn y)))
    end.

  (** WM2 and BM1: every move is there. *)
  Definition every_move (y : pos) : ctl :=
    match next y with
    | [] => Conj (P y) (Conj (AX (P y)) (Neg (can_move (turn y))))
    | l => Conj (P y) (Conj (conj (map (fun z => EX (P z)) l))
             (Conj (AX (disj (map P l))) (can_move (turn y))))
    end.

  Definition of_side (s : side) : list pos := filter (fun y => side_eqb (turn y) s) leg.

  Definition move_of (o : side) (y : pos) : ctl :=
    if side_eqb (turn y) o then one_move y else every_move y.

  Definition rule (o : side) : ctl :=
    Disj (Conj (moves_now White) (disj (map (move_of o) (of_side White))))
         (Conj (moves_now Black) (disj (map (move_of o) (of_side Black)))).

  (** Rules1 = Rules2 for White, Rules3 = Rules4 for Black: a model is a strategy of this side. *)
  Definition Rules (o : side) : ctl := AG (rule o).

  (** Aim1 for White, Aim3 for Black: the other side is mated on every path. *)
  Definition mate_formula (s : side) : ctl :=
    Conj (moves_now s)
      (Conj (disj (map P (filter (checked G) (of_side s)))) (Neg (can_move s))).
  Definition Aim (o : side) : ctl := AF (mate_formula (other o)).

  (** Hold_W, Hold_B: this side is never mated, and no path ends. *)
  Definition unmated (o : side) : ctl :=
    Disj (moves_now (other o))
      (Conj (moves_now o)
        (Disj (can_move o) (disj (map P (filter (fun y => negb (checked G y)) (of_side o)))))).
  Definition Never (o : side) : ctl := Conj (AG (unmated o)) (AG (EX Top)).

  (** Theta1 (White), Theta3 (Black). *)
  Definition Theta_win (o : side) : ctl := Conj Init (Conj (Rules o) (Aim o)).

  (** Theta2 (White), Theta4 (Black) as the paper prints them. *)
  Definition Theta_printed (o : side) : ctl :=
    Conj Init (Conj (Rules o) (Conj (Never o) (Neg (Aim o)))).

  (** Hold2 (White), Hold4 (Black), and the draw Theta2* = Theta4* that is made of them. *)
  Definition Theta_hold (o : side) : ctl := Conj Init (Conj (Rules o) (Never o)).
  Definition Theta_draw : ctl := Conj (EX (Theta_hold White)) (EX (Theta_hold Black)).

  (** ** What formulas say at a vertex *)

  Lemma sat_P M v y : sat M v (P y) <-> forall n, n < 269 -> (label M v n <-> bit y n = true).
  Proof.
    unfold P. rewrite sat_conj. split.
    - intros A n N. assert (I : In n (seq 0 269)) by (apply in_seq; lia).
      specialize (A _ (in_map (fun n => if bit y n then Var n else Neg (Var n)) _ _ I)).
      simpl in A. destruct (bit y n); simpl in A; split; intro; try tauto; discriminate.
    - intros A f F. apply in_map_iff in F. destruct F as [n [<- I]]. apply in_seq in I.
      specialize (A n ltac:(lia)). destruct (bit y n); simpl; [now apply A |].
      intro L. apply A in L. discriminate.
  Qed.

  Opaque P.

  Lemma P_unique M v y z : In y leg -> In z leg -> sat M v (P y) -> sat M v (P z) -> y = z.
  Proof.
    intros Y Z A B. apply bits_differ; auto. intros n N.
    rewrite sat_P in A, B. specialize (A n N). specialize (B n N).
    destruct (bit y n), (bit z n); try reflexivity; exfalso.
    - assert (label M v n) by (now apply A). apply B in H. discriminate.
    - assert (label M v n) by (now apply B). apply A in H. discriminate.
  Qed.

  Lemma sat_moves_now M v y s : In y leg -> sat M v (P y) -> (sat M v (moves_now s) <-> turn y = s).
  Proof.
    intros Y A. rewrite sat_P in A. specialize (A 0 ltac:(lia)). rewrite (bit_0 y Y) in A.
    destruct s; simpl; destruct (turn y); simpl in A.
    - split; [reflexivity |]. intros _ L. apply A in L. discriminate.
    - split; [intro N; exfalso; apply N, A; reflexivity | discriminate].
    - split; [intro L; apply A in L; discriminate | discriminate].
    - split; [reflexivity |]. intros _. now apply A.
  Qed.

  Lemma leg_next y z : In y leg -> In z (next y) -> In z leg.
  Proof.
    rewrite !leg_is. intros R I. exact (reaches_step _ _ _ _ R I).
  Qed.

  Lemma leg_start : In y0 leg.
  Proof. apply leg_is. constructor. Qed.

  Lemma in_of_side y s : In y (of_side s) <-> In y leg /\ turn y = s.
  Proof. unfold of_side. now rewrite filter_In, side_eqb_eq. Qed.

  Lemma move_of_P M v o y : sat M v (move_of o y) -> sat M v (P y).
  Proof.
    unfold move_of, one_move, every_move. destruct (side_eqb _ _), (next y); simpl; tauto.
  Qed.

  (** The rule at a vertex is the move of the position that it carries. *)
  Lemma rule_at M v o y : In y leg -> sat M v (P y) -> sat M v (rule o) -> sat M v (move_of o y).
  Proof.
    intros Y A R. unfold rule in R. simpl in R.
    assert (E : forall s, sat M v (disj (map (move_of o) (of_side s))) -> sat M v (move_of o y)).
    { intros s D. apply sat_disj in D. destruct D as [f [I S]]. apply in_map_iff in I.
      destruct I as [z [<- I]]. apply in_of_side in I. destruct I as [Z _].
      assert (y = z) as ->; [| assumption].
      eapply P_unique; eauto. eapply move_of_P; eauto. }
    destruct R as [[_ D] | [_ D]]; eapply E; exact D.
  Qed.

  Lemma mate_at M v o s y : In y leg -> sat M v (P y) -> sat M v (rule o) ->
    sat M v (mate_formula s) -> mated s y.
  Proof.
    intros Y A R [T [C N]]. apply (rule_at M v o y Y A) in R.
    apply (sat_moves_now M v y s Y A) in T.
    apply sat_disj in C. destruct C as [f [I S]]. apply in_map_iff in I.
    destruct I as [z [<- I]]. apply filter_In in I. destruct I as [I C].
    apply in_of_side in I. destruct I as [Z _].
    assert (y = z) by (eapply P_unique; eauto). subst z.
    split; [assumption |]. split; [| assumption].
    unfold move_of, one_move, every_move in R.
    destruct (next y); [reflexivity | exfalso]. simpl in N. apply N. subst s.
    destruct (side_eqb _ o) in R; simpl in R; tauto.
  Qed.

  (** ** From models to the game *)

  (** *** A model of Theta1 (Theta3) proves that the side wins. *)
  Theorem model_wins o : satisfiable (Theta_win o) -> wins o y0.
  Proof.
    intros [M [I [R A]]]. apply won_wins. apply NNPP. intro N.
    set (good := fun v : vertex M => exists y, In y leg /\ sat M v (P y) /\
      sat M v (AG (rule o)) /\ ~ won o y).
    assert (K : forall u, good u -> (exists w, edge M u w) -> exists w, edge M u w /\ good w).
    { intros u [y [Y [Py [Ru Ny]]]] [w W].
      assert (Rule := rule_at M u o y Y Py (AG_here M u _ Ru)).
      unfold move_of, one_move, every_move in Rule.
      destruct (next y) as [| z l] eqn:E.
      - exists w. split; [assumption |]. exists y.
        split; [exact Y |]. split; [| split; [eapply AG_next; eauto | exact Ny]].
        destruct (side_eqb (turn y) o); destruct Rule as [_ [Rule _]]; exact (Rule w W).
      - rewrite <- E in Rule. destruct (side_eqb (turn y) o) eqn:T.
        + apply side_eqb_eq in T. destruct Rule as [_ [D _]]. apply sat_disj in D.
          destruct D as [f [F S]]. apply in_map_iff in F. destruct F as [q [<- Q]].
          exists w. split; [assumption |]. exists q.
          split; [eapply leg_next; eauto |]. split; [exact (S w W) |].
          split; [eapply AG_next; eauto | eapply not_won_own; eauto].
        + apply side_eqb_neq in T. destruct Rule as [_ [C _]].
          destruct (not_won_other o y Ny T) as [q [Q Nq]]; [congruence |].
          assert (S : sat M u (EX (P q)))
            by (eapply sat_conj; [exact C |]; apply (in_map (fun z => EX (P z))); exact Q).
          destruct S as [x [X S]]. exists x. split; [assumption |]. exists q.
          split; [eapply leg_next; eauto |]. split; [exact S |].
          split; [eapply AG_next; eauto | exact Nq]. }
    destruct (A (walk M good (start M)) (walk_full M good (start M))) as [n [u [U F]]].
    assert (Gu : good u).
    { eapply (walk_keeps M good (start M)); [| exact K | exact U].
      exists y0. split; [apply leg_start |]. split; [exact I |]. split; [exact R | exact N]. }
    destruct Gu as [y [Y [Py [Ru Ny]]]]. apply Ny. exists 0. apply RGoal.
    eapply mate_at; eauto. eapply AG_here; eauto.
  Qed.

  (** *** A model of Hold2 (Hold4) proves that the side holds. *)
  Theorem model_holds o : satisfiable (Theta_hold o) -> holds o y0.
  Proof.
    intros [M [I [R [H E]]]]. rewrite <- (other_other o). apply not_won_holds. intros [n W].
    assert (A : forall n y, rank (other o) (mated (other (other o))) n y -> forall v, In y leg ->
      sat M v (P y) -> sat M v (AG (rule o)) -> sat M v (AG (unmated o)) ->
      sat M v (AG (EX Top)) -> False).
    { clear n W. intros n y W. rewrite other_other in W.
      induction W as [n y [T [Nx C]] | n y q T Q W IH | n y T Nx Q IH]; intros v Y Py Ry Uy Ey.
      - assert (Rule := rule_at M v o y Y Py (AG_here M v _ Ry)).
        apply AG_here in Uy. simpl in Uy. destruct Uy as [Uy | [_ Uy]].
        + apply (sat_moves_now M v y (other o) Y Py) in Uy. rewrite T in Uy. destruct o; discriminate.
        + destruct Uy as [Uy | Uy].
          * unfold move_of, one_move, every_move in Rule. rewrite Nx, T in Rule.
            destruct (side_eqb o o); simpl in Rule; tauto.
          * apply sat_disj in Uy. destruct Uy as [f [F S]]. apply in_map_iff in F.
            destruct F as [z [<- F]]. apply filter_In in F. destruct F as [F Cz].
            apply in_of_side in F. destruct F as [Z _].
            assert (y = z) by (eapply P_unique; eauto). subst z.
            rewrite C in Cz. discriminate.
      - assert (Rule := rule_at M v o y Y Py (AG_here M v _ Ry)).
        unfold move_of, every_move in Rule. rewrite T in Rule.
        replace (side_eqb (other o) o) with false in Rule by (destruct o; reflexivity).
        destruct (next y) as [| z l] eqn:Nx; [contradiction |]. rewrite <- Nx in *.
        destruct Rule as [_ [Cj _]].
        assert (S : sat M v (EX (P q)))
          by (eapply sat_conj; [exact Cj |]; apply (in_map (fun z => EX (P z))); exact Q).
        destruct S as [x [X S]].
        apply (IH x); [eapply leg_next; eauto | exact S | eapply AG_next; eauto ..].
      - assert (Rule := rule_at M v o y Y Py (AG_here M v _ Ry)).
        assert (Ty : turn y = o) by (destruct (turn y), o; simpl in T; congruence).
        unfold move_of, one_move in Rule. rewrite (proj2 (side_eqb_eq _ _) Ty) in Rule.
        destruct (next y) as [| z l] eqn:Nx'; [contradiction |]. rewrite <- Nx' in *.
        destruct Rule as [_ [D _]]. apply sat_disj in D. destruct D as [f [F S]].
        apply in_map_iff in F. destruct F as [q [<- F]].
        destruct (AG_here M v _ Ey) as [x [X _]].
        apply (IH q F x); [eapply leg_next; eauto | exact (S x X) | eapply AG_next; eauto ..]. }
    apply (A n y0 W (start M)); auto. apply leg_start.
  Qed.

  (** ** From strategies to models: the tree of what may happen *)
  Section Tree.
    Variables (o : side) (s : strategy (G := G)).
    Hypothesis L : lawful o s.

    Definition here (h : list pos) : pos := hd y0 h.

    Definition may_follow (h k : list pos) : Prop :=
      exists q, k = q :: h /\
        match next (here h) with
        | [] => q = here h
        | _ => if side_eqb (turn (here h)) o then q = s h else In q (next (here h))
        end.

    Definition tree : model :=
      Model (list pos) may_follow
        (fun h n => if n <? 269 then bit (here h) n = true else next (here h) <> [])
        [y0].

    Definition in_tree (h : list pos) : Prop := h <> [] /\ In (here h) leg.

    Lemma in_tree_next h k : in_tree h -> may_follow h k -> in_tree k.
    Proof.
      intros [N I] [q [-> Q]]. split; [discriminate |]. unfold here at 1. simpl.
      destruct (next (here h)) as [| z l] eqn:E; [now subst |].
      destruct (side_eqb (turn (here h)) o) eqn:T.
      - subst q. destruct h as [| p h]; [contradiction |]. unfold here in *. simpl in *.
        eapply leg_next; [exact I |]. apply L; [now apply side_eqb_eq | congruence].
      - eapply leg_next; [exact I | now rewrite E].
    Qed.

    Lemma tree_bit h n : n < 269 -> (label tree h n <-> bit (here h) n = true).
    Proof.
      intro N. unfold label, tree. now rewrite (proj2 (Nat.ltb_lt n 269) N).
    Qed.

    Lemma tree_P h y : here h = y -> sat tree h (P y).
    Proof. intros <-. apply sat_P. intros n N. now apply tree_bit. Qed.

    Lemma tree_can h t : sat tree h (can_move t) <-> next (here h) <> [].
    Proof. destruct t; reflexivity. Qed.

    Lemma tree_goes_on h : in_tree h -> exists k, may_follow h k.
    Proof.
      intros [N _]. unfold may_follow. destruct (next (here h)) as [| z l] eqn:E; [eauto |].
      destruct (side_eqb (turn (here h)) o) eqn:T; [eauto |]. exists (z :: h), z. simpl. auto.
    Qed.

    Lemma tree_rule h : in_tree h -> sat tree h (rule o).
    Proof.
      intros [N I]. set (y := here h).
      assert (Mv : sat tree h (move_of o y)).
      { unfold move_of, one_move, every_move. destruct (next y) as [| z l] eqn:E.
        - assert (S : sat tree h (Conj (P y) (Conj (AX (P y)) (Neg (can_move (turn y)))))).
          { split; [now apply tree_P |]. split.
            - intros k [q [-> Q]]. fold y in Q. rewrite E in Q. now apply tree_P.
            - simpl. rewrite tree_can. fold y. rewrite E. tauto. }
          destruct (side_eqb (turn y) o); exact S.
        - destruct (side_eqb (turn y) o) eqn:T.
          + split; [now apply tree_P |]. split.
            * apply sat_disj. exists (AX (P (s h))). split.
              -- apply (in_map (fun z => AX (P z))). rewrite <- E.
                 destruct h as [| p h]; [contradiction |].
                 apply L; [now apply side_eqb_eq |].
                 intro Z. assert (Z' : next y = []) by exact Z. rewrite E in Z'. discriminate.
              -- intros k [q [-> Q]]. fold y in Q. rewrite E, T in Q. subst q. now apply tree_P.
            * apply tree_can. fold y. congruence.
          + split; [now apply tree_P |]. split; [| split].
            * apply sat_conj. intros f F. apply in_map_iff in F. destruct F as [q [<- Q]].
              exists (q :: h). split; [| now apply tree_P].
              exists q. split; [reflexivity |]. fold y. now rewrite E, T.
            * intros k [q [-> Q]]. fold y in Q. rewrite E, T in Q. apply sat_disj.
              exists (P q). split; [now apply in_map | now apply tree_P].
            * apply tree_can. fold y. congruence. }
      assert (D : sat tree h (Conj (moves_now (turn y)) (disj (map (move_of o) (of_side (turn y)))))).
      { split.
        - apply (sat_moves_now tree h y); auto. now apply tree_P.
        - apply sat_disj. exists (move_of o y). split; [| exact Mv].
          apply in_map. apply in_of_side. auto. }
      unfold rule. destruct (turn y); [left | right]; exact D.
    Qed.

    Lemma tree_rules : sat tree [y0] (Rules o).
    Proof.
      apply (AG_invariant tree in_tree).
      - split; [discriminate | apply leg_start].
      - exact in_tree_next.
      - exact tree_rule.
    Qed.

    Lemma tree_no_end : sat tree [y0] (AG (EX Top)).
    Proof.
      apply (AG_invariant tree in_tree).
      - split; [discriminate | apply leg_start].
      - exact in_tree_next.
      - intros h I. destruct (tree_goes_on h I) as [k K]. exists k. simpl. auto.
    Qed.

    (** A path of the tree is a play that follows the strategy. *)
    Lemma path_play p : full_path tree [y0] p ->
      exists f, play_from y0 f /\ follows o s f /\ forall n, p n = Some (history f n).
    Proof.
      intros [P0 Pn].
      set (f := fun n => match p n with Some h => here h | None => y0 end).
      assert (H : forall n, in_tree (history f n) /\ p n = Some (history f n) /\
        may_follow (history f n) (history f (S n))).
      { assert (Go : forall n, in_tree (history f n) -> p n = Some (history f n) ->
          may_follow (history f n) (history f (S n)) /\ p (S n) = Some (history f (S n))).
        { intros n I E. specialize (Pn n). rewrite E in Pn.
          destruct (p (S n)) as [k |] eqn:K.
          - pose proof Pn as W. simpl in W. destruct W as [q [-> _]].
            assert (Q : q :: history f n = history f (S n)).
            { simpl. f_equal. unfold f at 1. now rewrite K. }
            rewrite <- Q. split; [exact Pn | reflexivity].
          - exfalso. destruct (tree_goes_on _ I) as [k W]. exact (Pn k W). }
        induction n.
        - assert (I0 : in_tree (history f 0)).
          { simpl. unfold f. rewrite P0. split; [discriminate | apply leg_start]. }
          assert (E0 : p 0 = Some (history f 0)) by (simpl; unfold f; now rewrite P0).
          split; [exact I0 |]. split; [exact E0 |]. now apply Go.
        - destruct IHn as [I [E W]]. destruct (Go n I E) as [_ E'].
          pose proof (in_tree_next _ _ I W) as I'. split; [exact I' |].
          split; [exact E' |]. now apply Go. }
      assert (Hd : forall n, here (history f n) = f n)
        by (intro n; destruct (history_cons f n) as [h Q]; rewrite Q; reflexivity).
      exists f. split; [| split].
      - split; [unfold f; now rewrite P0 |]. intro n.
        destruct (H n) as [I [E [q [Q W]]]]. simpl in Q. injection Q as Q. subst q.
        rewrite Hd in W. destruct (next (f n)) as [| z l] eqn:Nx; [now left | right].
        destruct (side_eqb (turn (f n)) o) eqn:T; [| exact W].
        rewrite W. destruct (history_cons f n) as [h R]. rewrite R. rewrite <- Nx.
        apply L; [now apply side_eqb_eq | congruence].
      - intros n T Nx. destruct (H n) as [I [E [q [Q W]]]]. simpl in Q. injection Q as Q. subst q.
        rewrite Hd in W. destruct (next (f n)); [contradiction |].
        now rewrite (proj2 (side_eqb_eq _ _) T) in W.
      - intro n. now destruct (H n) as [_ [E _]].
    Qed.

    Lemma tree_in_tree p n u : full_path tree [y0] p -> p n = Some u -> in_tree u.
    Proof.
      intros F E. refine (_ (tree_rules p F n u E)). intros _.
      assert (A : sat tree [y0] (AG Top)) by (intros ? ? ? ? ?; exact I). clear A.
      revert u E. destruct F as [P0 Pn]. induction n; intros u E.
      - rewrite P0 in E. injection E as <-. split; [discriminate | apply leg_start].
      - specialize (Pn n). destruct (p n) as [t |] eqn:T; [| congruence].
        rewrite E in Pn. eapply in_tree_next; [now apply IHn | exact Pn].
    Qed.

    Lemma tree_mate h t : in_tree h -> mated t (here h) -> sat tree h (mate_formula t).
    Proof.
      intros [_ I] [T [Nx C]]. split.
      - apply (sat_moves_now tree h (here h)); auto. now apply tree_P.
      - split.
        + apply sat_disj. exists (P (here h)). split; [| now apply tree_P].
          apply in_map. apply filter_In. split; [now apply in_of_side | exact C].
        + simpl. rewrite tree_can. tauto.
    Qed.

    Lemma tree_unmated h : in_tree h -> ~ mated o (here h) -> sat tree h (unmated o).
    Proof.
      intros [N I] M. unfold unmated. set (y := here h) in *.
      destruct (side_eqb (turn y) o) eqn:T.
      - apply side_eqb_eq in T. right. split.
        + apply (sat_moves_now tree h y); auto. now apply tree_P.
        + destruct (next y) as [| z l] eqn:E.
          * right. apply sat_disj. exists (P y). split; [| now apply tree_P].
            apply in_map. apply filter_In. split; [now apply in_of_side |].
            destruct (checked G y) eqn:C; [| reflexivity]. exfalso. apply M. split; [exact T |]. split; [exact E | exact C].
          * left. apply tree_can. fold y. congruence.
      - left. apply side_eqb_neq, not_own in T.
        apply (sat_moves_now tree h y); auto. now apply tree_P.
    Qed.
  End Tree.

  (** *** A winning strategy is a model of Theta1 (Theta3). *)
  Theorem wins_model o : wins o y0 -> satisfiable (Theta_win o).
  Proof.
    intros [s [L W]]. exists (tree o s). split; [now apply tree_P |].
    split; [now apply tree_rules |]. intros p F.
    destruct (path_play o s L p F) as [f [Pf [Ff E]]]. destruct (W f Pf Ff) as [k M].
    exists k, (history f k). split; [apply E |]. apply tree_mate.
    - eapply tree_in_tree; eauto.
    - destruct (history_cons f k) as [h Q]. rewrite Q. exact M.
  Qed.

  Lemma holds_tree o s : lawful o s ->
    (forall f, play_from y0 f -> follows o s f -> forall k, ~ mated o (f k)) ->
    sat (tree o s) [y0] (Theta_hold o).
  Proof.
    intros L W. split; [now apply tree_P |]. split; [now apply tree_rules |].
    split; [| now apply tree_no_end]. intros p F n u U.
    apply tree_unmated; [eapply tree_in_tree; eauto |].
    destruct (path_play o s L p F) as [f [Pf [Ff E]]]. rewrite E in U. injection U as <-.
    destruct (history_cons f n) as [h Q]. rewrite Q. exact (W f Pf Ff n).
  Qed.

  (** *** A strategy that is never mated is a model of Hold2 (Hold4). *)
  Theorem holds_model o : holds o y0 -> satisfiable (Theta_hold o).
  Proof. intros [s [L W]]. exists (tree o s). now apply holds_tree. Qed.

  (** ** The theorem *)

  Theorem Theta_win_says o : satisfiable (Theta_win o) <-> wins o y0.
  Proof. split; [apply model_wins | apply wins_model]. Qed.

  Theorem Theta_hold_says o : satisfiable (Theta_hold o) <-> holds o y0.
  Proof. split; [apply model_holds | apply holds_model]. Qed.

  Theorem Theta_draw_says : satisfiable Theta_draw <-> holds White y0 /\ holds Black y0.
  Proof. unfold Theta_draw. now rewrite joined_satisfiable, !Theta_hold_says. Qed.

  (** *** Exactly one of Theta1, Theta2*, Theta3 is satisfiable. *)
  Theorem exactly_one :
    (satisfiable (Theta_win White) /\ ~ satisfiable Theta_draw /\ ~ satisfiable (Theta_win Black)) \/
    (~ satisfiable (Theta_win White) /\ satisfiable Theta_draw /\ ~ satisfiable (Theta_win Black)) \/
    (~ satisfiable (Theta_win White) /\ ~ satisfiable Theta_draw /\ satisfiable (Theta_win Black)).
  Proof.
    rewrite !Theta_win_says, Theta_draw_says. destruct (determined y0); tauto.
  Qed.

  (** *** The printed Theta2 says less than it should: if White has a strategy under which neither
      side is ever mated, it is satisfiable, whether or not White could win. *)
  Theorem printed_too_weak o s :
    lawful o s ->
    (forall f, play_from y0 f -> follows o s f -> forall k, ~ mated White (f k) /\ ~ mated Black (f k)) ->
    satisfiable (Theta_printed o).
  Proof.
    intros L W. exists (tree o s).
    destruct (holds_tree o s L) as [I [R N]].
    { intros f Pf Ff k. destruct (W f Pf Ff k). now destruct o. }
    split; [exact I |]. split; [exact R |]. split; [exact N |]. intro A.
    pose proof (walk_full (tree o s) (fun _ => True) [y0]) as F.
    destruct (A _ F) as [n [u [U S]]].
    destruct (path_play o s L _ F) as [f [Pf [Ff E]]].
    assert (In_u : in_tree u) by (eapply tree_in_tree; eauto).
    assert (Mt : mated (other o) (here u)).
    { eapply mate_at; [apply In_u | apply tree_P; reflexivity | | exact S].
      apply tree_rule; auto. }
    rewrite E in U. injection U as <-. destruct (history_cons f n) as [h Q]. rewrite Q in Mt.
    destruct (W f Pf Ff n). destruct o; simpl in Mt; contradiction.
  Qed.
End Formulas.
