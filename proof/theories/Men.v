(** * Each man of White's: its computed moves are the ones of the paper

    Man by man: the candidates of [Rules.v] that leave the king safe lead exactly to the vectors that
    the relations of [Paper.v] name. *)

From Coq Require Import Uint63 ZArith List Bool Lia Arith.
From Theta Require Import Games Board Rules Cells Bare Dead Checker Vector Paper Squares.
Import ListNotations.
Open Scope nat_scope.

(** ** Vectors *)

Lemma same_refl y : same y y. Proof. intros t _. reflexivity. Qed.
Lemma same_sym y z : same y z -> same z y. Proof. intros A t T. symmetry. now apply A. Qed.
Lemma same_trans x y z : same x y -> same y z -> same x z.
Proof. intros A B t T. rewrite A by assumption. now apply B. Qed.

Lemma same_cases (u v : vector) : u 0 = v 0 -> (forall t, square t -> u t = v t) ->
  u 65 = v 65 -> u 66 = v 66 -> u 67 = v 67 -> u 68 = v 68 -> same u v.
Proof.
  intros A B C D E F t T. destruct (Nat.eq_dec t 0) as [-> | N]; [exact A |].
  destruct (le_lt_dec t 64); [apply B; unfold square; lia |].
  assert (t = 65 \/ t = 66 \/ t = 67 \/ t = 68) as [-> | [-> | [-> | ->]]] by lia; assumption.
Qed.

Lemma same_square y z i : same y z -> square i -> y i = z i.
Proof. intros A I. apply A. unfold square in I. lia. Qed.

(** What is looked up among written values. *)
Ltac keys := unfold upd; cbn [find fst snd];
  repeat match goal with
  | |- context [?a =? ?b] =>
      let E := fresh in destruct (Nat.eqb_spec a b) as [E | E]; cbn [fst snd];
      try (exfalso; unfold square in *; lia)
  end.

Lemma component_square p i : square i -> component p i = paper_code (get (men p) (sq i)).
Proof.
  intro I. unfold component, sq. unfold square in I.
  destruct (Nat.eqb_spec i 0); [lia |]. destruct (Nat.leb_spec i 64); [reflexivity | lia].
Qed.

(** A position whose men are known, with one king each, no pawn on the edge, and marks and rights in
    their ranges. *)
Definition sound (p : position) : Prop :=
  well_formed p /\ one (component p) 1 /\ one (component p) 7 /\ no_pawn_on_the_edge (component p).

Lemma shows_men y p : well_formed p -> (forall i, square i -> y i = component p i) -> shows y (men p).
Proof.
  intros W E. split; intros i I.
  - rewrite E by assumption. now apply component_square.
  - apply wf_codes; [exact W | now apply sq_64].
Qed.

(** ** What moves keep, in vectors *)

(** Writing other values elsewhere keeps the squares of a man. *)
Lemma kept y L c : (forall x, In x L -> square (fst x) -> y (fst x) <> c /\ snd x <> c) ->
  forall j, square j -> upd y L j = c <-> y j = c.
Proof.
  intros A j J. unfold upd. destruct (find _ L) as [x |] eqn:F; [| reflexivity].
  apply find_some in F. destruct F as [F E]. apply Nat.eqb_eq in E.
  destruct (A x F) as [A1 A2]; [now rewrite E |]. rewrite E in A1.
  split; intro; contradiction.
Qed.

Lemma one_kept y L c : one y c ->
  (forall x, In x L -> square (fst x) -> y (fst x) <> c /\ snd x <> c) -> one (upd y L) c.
Proof.
  intros [i [I [Y U]]] A. pose proof (kept y L c A) as K.
  exists i. split; [exact I |]. split; [now apply K |].
  intros j J. rewrite K by assumption. now apply U.
Qed.

Lemma edge_kept y L : no_pawn_on_the_edge y ->
  (forall x, In x L -> square (fst x) -> (xg (fst x) = 1 \/ xg (fst x) = 8) ->
    snd x <> 6 /\ snd x <> 12) -> no_pawn_on_the_edge (upd y L).
Proof.
  intros N A i I E. unfold upd. destruct (find _ L) as [x |] eqn:F; [| now apply N].
  apply find_some in F. destruct F as [F K]. apply Nat.eqb_eq in K. subst i. now apply A.
Qed.

Lemma one_same y z c : same y z -> one y c -> one z c.
Proof.
  intros E [i [I [Y U]]]. exists i. split; [exact I |].
  rewrite <- (same_square y z) by assumption. split; [exact Y |].
  intros j J. rewrite <- (same_square y z) by assumption. now apply U.
Qed.

Lemma edge_same y z : same y z -> no_pawn_on_the_edge y -> no_pawn_on_the_edge z.
Proof. intros E N i I G. rewrite <- (same_square y z) by assumption. now apply N. Qed.

(** ** The candidates' positions as vectors *)

Lemma number_fKBO j v : square j -> Uint63.leb v 3 = true ->
  number (Rules.fKBO (sq j) v) = fKBO j (number v).
Proof.
  intros J V.
  assert (A : forall v, In v [0; 1; 2; 3]%uint63 ->
    forallb (fun j => number (Rules.fKBO (sq j) v) =? fKBO j (number v)) all = true).
  { intros w W. simpl in W. repeat (destruct W as [<- | W]; [vm_compute; reflexivity |]). contradiction. }
  apply Nat.eqb_eq. revert j J. apply for_all. apply A.
  destruct (rights_cases v V) as [-> | [-> | [-> | ->]]]; simpl; tauto.
Qed.

Lemma number_fWRK j v : square j -> Uint63.leb v 3 = true ->
  number (Rules.fWRK (sq j) v) = fWRK j (number v).
Proof.
  intros J V.
  assert (A : forall v, In v [0; 1; 2; 3]%uint63 ->
    forallb (fun j => number (Rules.fWRK (sq j) v) =? fWRK j (number v)) all = true).
  { intros w W. simpl in W. repeat (destruct W as [<- | W]; [vm_compute; reflexivity |]). contradiction. }
  apply Nat.eqb_eq. revert j J. apply for_all. apply A.
  destruct (rights_cases v V) as [-> | [-> | [-> | ->]]]; simpl; tauto.
Qed.

Section White.
  Variables (p : position) (y : vector).
  Hypothesis So : sound p.
  Hypothesis Y : same y (component p).

  Let W : well_formed p := proj1 So.

  Lemma y_shows : shows y (men p).
  Proof. apply shows_men; [exact W |]. intros i I. now apply same_square. Qed.

  Lemma y_66 : y 66 = number (bmark p). Proof. rewrite Y by lia. reflexivity. Qed.
  Lemma y_67 : y 67 = number (wrights p). Proof. rewrite Y by lia. reflexivity. Qed.
  Lemma y_68 : y 68 = number (brights p). Proof. rewrite Y by lia. reflexivity. Qed.

  Lemma rights_small : Uint63.leb (wrights p) 3 = true /\ Uint63.leb (brights p) 3 = true.
  Proof. pose proof (wf_rights p W) as A. now rewrite andb_true_iff in A. Qed.

  Lemma white_king : exists K, square K /\ y K = 1 /\ (forall j, square j -> y j = 1 -> j = K) /\
    king_square (men p) = sq K.
  Proof.
    pose proof So as [_ [[K [I [E U]]] _]]. exists K.
    assert (E' : y K = 1) by (rewrite (same_square y _ K Y I); exact E).
    assert (U' : forall j, square j -> y j = 1 -> j = K).
    { intros j J. rewrite (same_square y _ j Y J). now apply U. }
    repeat split; auto; try apply I. apply (king_shown y); auto. exact y_shows.
  Qed.

  Lemma edge : no_pawn_on_the_edge y.
  Proof. apply (edge_same (component p)); [now apply same_sym | apply So]. Qed.

  Lemma y_one c : one (component p) c -> one y c.
  Proof. apply one_same. now apply same_sym. Qed.

  (** A man goes from i to j and stands there as d. *)
  Lemma go_vector k i j d r m : square i -> square j -> i <> j -> Uint63.leb d 6 = true ->
    Uint63.leb r 3 = true ->
    same (component (after_of (go p k (sq i) (sq j) d r m)))
      (upd y [(i, 0); (j, number d); (65, 0); (67, number r); (68, fKBO j (y 68)); (0, 1); (66, 0)]).
  Proof.
    intros I J D L R. pose proof y_68 as E68. destruct rights_small as [_ B].
    assert (D16 : Uint63.ltb d 16 = true).
    { apply leb_spec in L. apply ltb_spec. change (to_Z 6) with 6%Z in L. change (to_Z 16) with 16%Z. lia. }
    assert (Dc : paper_code d = number d) by (unfold paper_code; now rewrite L).
    unfold go, moved. cbn [after_of]. apply same_cases.
    - keys. reflexivity.
    - intros t T. rewrite component_square by assumption. cbn [men].
      rewrite !get_put_sq by (try assumption; reflexivity).
      rewrite (same_square y _ t Y T) || idtac.
      keys; subst; try contradiction; try assumption; try reflexivity.
      rewrite (same_square y _ t Y T). symmetry. now apply component_square.
    - keys. reflexivity.
    - keys. reflexivity.
    - keys. reflexivity.
    - keys. rewrite E68. unfold component. cbn -[number Rules.fKBO sq fKBO]. now apply number_fKBO.
  Qed.

  Lemma moved_well_formed l mark r1 r2 :
    (forall x, In x l -> Uint63.ltb (fst x) 64 = true /\ Uint63.leb (snd x) 6 = true) ->
    Uint63.leb mark 8 = true -> Uint63.leb r1 3 = true -> Uint63.leb r2 3 = true ->
    well_formed (moved (puts (men p) l) mark r1 r2).
  Proof.
    intros A M R1 R2. destruct (good_puts l (men p) A) as [G1 G2].
    { split; apply W. }
    constructor; simpl; auto; [now rewrite M | now rewrite R1, R2].
  Qed.

  (** The king's safety is SafeWKing after the move. *)
  Lemma judged q z L K : well_formed q -> same z (upd y L) -> same z (component q) ->
    (forall x, In x L -> square (fst x) -> snd x <= 6) ->
    square K -> upd y L K = 1 -> (forall j, square j -> upd y L j = 1 -> j = K) ->
    safe (men q) (sq K) = true <-> SafeWKing z.
  Proof.
    intros Wq Zy Zq V IK YK U. apply safe_king_shown; auto.
    - apply shows_men; [exact Wq |]. intros i I. now apply same_square.
    - now rewrite (same_square z _ K Zy).
    - intros j J. rewrite (same_square z _ j Zy J). now apply U.
    - intros j J E. rewrite (same_square z _ j Zy J). unfold upd.
      destruct (find _ L) as [x |] eqn:F.
      + apply find_some in F. destruct F as [F Q]. apply Nat.eqb_eq in Q. subst j.
        specialize (V x F J). lia.
      + apply edge; auto.
  Qed.

  Notation k := (king_square (men p)).

  Lemma is_move_safe c K : king_of c = sq K -> square K -> is_move c = safe (men (after_of c)) (sq K).
  Proof. intros E I. unfold is_move. now rewrite E, sq_64. Qed.

  Lemma go_well_formed i j d r m : square i -> square j -> Uint63.leb d 6 = true ->
    Uint63.leb r 3 = true -> well_formed (after_of (go p k (sq i) (sq j) d r m)).
  Proof.
    intros I J D R. destruct rights_small as [_ B].
    apply (moved_well_formed [(sq i, 0%uint63); (sq j, d)]); auto.
    - intros x [<- | [<- | []]]; simpl; split; auto; now apply sq_64.
    - now apply fKBO_range.
  Qed.

  Lemma enter_not_1 j : enter y j -> y j <> 1. Proof. unfold enter. lia. Qed.

  (** A man other than the king. *)
  Lemma go_iff i j d r m L z : square i -> square j -> i <> j -> y i <> 1 -> enter y j ->
    Uint63.leb d 6 = true -> number d <> 1 -> Uint63.leb r 3 = true ->
    same (upd y [(i, 0); (j, number d); (65, 0); (67, number r); (68, fKBO j (y 68)); (0, 1); (66, 0)])
      (upd y L) ->
    is_move (go p k (sq i) (sq j) d r m) = true /\
    same z (component (after_of (go p k (sq i) (sq j) d r m))) <->
    becomes y L z /\ SafeWKing z.
  Proof.
    intros I J N Yi En D D1 R E. destruct white_king as [K [IK [YK [U EK]]]].
    assert (Dn : number d <= 6) by (apply (number_le d 6 D); reflexivity).
    set (F := [(i, 0); (j, number d); (65, 0); (67, number r); (68, fKBO j (y 68)); (0, 1); (66, 0)]) in *.
    pose proof (go_vector k i j d r m I J N D R) as G. fold F in G.
    assert (Kp : forall t, square t -> upd y F t = 1 <-> y t = 1).
    { apply kept. intros x X S. pose proof (enter_not_1 j En). unfold square in S. simpl in X.
      repeat (destruct X as [<- | X]; [cbn [fst snd] in *; first [lia | split; [assumption | first [assumption | lia]]] |]).
      contradiction. }
    assert (D2 : d <> 1%uint63) by (intros ->; now apply D1).
    assert (Kg : king_of (go p k (sq i) (sq j) d r m) = sq K).
    { unfold go. cbn [king_of]. destruct (Uint63.eqb d 1) eqn:Q; [| exact EK].
      apply Uint63.eqb_spec in Q. contradiction. }
    rewrite (is_move_safe _ K Kg IK).
    assert (Jd : same z (upd y F) -> same z (component (after_of (go p k (sq i) (sq j) d r m))) ->
      safe (men (after_of (go p k (sq i) (sq j) d r m))) (sq K) = true <-> SafeWKing z).
    { intros Z1 Z2. apply (judged _ z F); auto.
      - now apply go_well_formed.
      - intros x X S. unfold square in S. simpl in X.
        repeat (destruct X as [<- | X]; [cbn [fst snd] in *; lia |]). contradiction.
      - now apply Kp.
      - intros t T Q. apply U; [exact T | now apply Kp]. }
    unfold becomes. split.
    - intros [M Z]. assert (Z' : same z (upd y F)) by (eapply same_trans; eassumption).
      split; [eapply same_trans; eassumption | now apply Jd].
    - intros [Z M]. assert (Z' : same z (upd y F))
        by (eapply same_trans; [exact Z | now apply same_sym]).
      assert (Z'' : same z (component (after_of (go p k (sq i) (sq j) d r m))))
        by (eapply same_trans; [exact Z' | now apply same_sym]).
      split; [now apply Jd | exact Z''].
  Qed.

  (** The king. *)
  Lemma go_iff_king i j L z : square i -> square j -> i <> j -> y i = 1 ->
    same (upd y [(i, 0); (j, 1); (65, 0); (67, 0); (68, fKBO j (y 68)); (0, 1); (66, 0)]) (upd y L) ->
    is_move (go p k (sq i) (sq j) 1 0 0) = true /\
    same z (component (after_of (go p k (sq i) (sq j) 1 0 0))) <->
    becomes y L z /\ SafeWKing z.
  Proof.
    intros I J N Yi E. destruct white_king as [K [IK [YK [U EK]]]].
    assert (i = K) by auto. subst K.
    set (F := [(i, 0); (j, 1); (65, 0); (67, 0); (68, fKBO j (y 68)); (0, 1); (66, 0)]) in *.
    pose proof (go_vector k i j 1 0 0 I J N eq_refl eq_refl) as G.
    change (number 1) with 1 in G. change (number 0) with 0 in G. fold F in G.
    rewrite (is_move_safe (go p k (sq i) (sq j) 1 0 0) j eq_refl J).
    assert (Jd : same z (upd y F) -> same z (component (after_of (go p k (sq i) (sq j) 1 0 0))) ->
      safe (men (after_of (go p k (sq i) (sq j) 1 0 0))) (sq j) = true <-> SafeWKing z).
    { intros Z1 Z2. apply (judged _ z F); auto.
      - now apply go_well_formed.
      - intros x X S. unfold square in S. simpl in X.
        repeat (destruct X as [<- | X]; [cbn [fst snd] in *; lia |]). contradiction.
      - unfold F. keys; auto.
      - intros t T. unfold F. keys; intro Q; try discriminate; auto.
        apply U in Q; [congruence | exact T]. }
    unfold becomes. split.
    - intros [M Z]. assert (Z' : same z (upd y F)) by (eapply same_trans; eassumption).
      split; [eapply same_trans; eassumption | now apply Jd].
    - intros [Z M]. assert (Z' : same z (upd y F))
        by (eapply same_trans; [exact Z | now apply same_sym]).
      assert (Z'' : same z (component (after_of (go p k (sq i) (sq j) 1 0 0))))
        by (eapply same_trans; [exact Z' | now apply same_sym]).
      split; [now apply Jd | exact Z''].
  Qed.

  (** ** The moves of each man *)

  Definition goes (i : nat) (z : vector) : Prop :=
    exists c, In c (candidates_of p k (sq i)) /\ is_move c = true /\
      same z (component (after_of c)).

  Lemma leaps_in (P : nat -> nat -> bool) f n i d r c : lands P f n -> square i ->
    In c (leaps p k (sq i) (map (fun l => sq (f i l)) (filter (P i) (seq 1 n))) d r) <->
    exists l, 1 <= l <= n /\ P i l = true /\ enter y (f i l) /\
      c = go p k (sq i) (sq (f i l)) d r 0.
  Proof.
    intros A I. unfold leaps. rewrite in_map_iff. split.
    - intros [j [<- J]]. apply filter_In in J. destruct J as [J E]. apply in_map_iff in J.
      destruct J as [l [<- L]]. apply filter_In in L. destruct L as [L Q]. apply in_seq in L.
      exists l. split; [lia |]. split; [exact Q |]. split; [| reflexivity].
      apply (may_enter_shown y (men p) y_shows); [| exact E]. apply A; auto. lia.
    - intros [l [L [Q [E ->]]]]. exists (sq (f i l)). split; [reflexivity |].
      apply filter_In. split.
      + apply in_map_iff. exists l. split; [reflexivity |]. apply filter_In. rewrite in_seq.
        split; [lia | exact Q].
      + apply (may_enter_shown y (men p) y_shows); [| exact E]. now apply A.
  Qed.

  Lemma reach_in (f : nat -> int) n : forall s j, In j (reach p (map f (seq s n))) <->
    exists h, s <= h < s + n /\ j = f h /\
      (forall g, s <= g < h -> Uint63.eqb (get (men p) (f g)) 0 = true) /\
      may_enter (men p) (f h) = true.
  Proof.
    induction n as [| n IH]; intros s j; cbn [seq map reach].
    - split; [contradiction | intros [h [H _]]; lia].
    - unfold may_enter in *. destruct (Uint63.eqb (get (men p) (f s)) 0) eqn:E.
      + cbn [In]. rewrite IH. split.
        * intros [<- | [h [H [J [B C]]]]].
          -- exists s. split; [lia |]. split; [reflexivity |]. split; [intros; lia |]. now rewrite E.
          -- exists h. split; [lia |]. split; [exact J |]. split; [| exact C].
             intros g G. destruct (Nat.eq_dec g s) as [-> | Q]; [exact E | apply B; lia].
        * intros [h [H [J [B C]]]]. destruct (Nat.eq_dec h s) as [-> | Q]; [now left | right].
          exists h. split; [lia |]. split; [exact J |]. split; [| exact C]. intros g G. apply B. lia.
      + split.
        * intro I. exists s. destruct (capturable (get (men p) (f s))) eqn:C; [| contradiction].
          destruct I as [<- | []]. split; [lia |]. split; [reflexivity |]. split; [intros; lia |].
          now rewrite E.
        * intros [h [H [J [B C]]]]. destruct (Nat.eq_dec h s) as [-> | Q].
          -- rewrite E in C. cbn [orb] in C. rewrite C. now left.
          -- rewrite (B s) in E by lia. discriminate.
  Qed.

  Lemma slides_in P f i d r c : ends P f -> (forall i l k, square i -> P i l k = true -> k <= 7) ->
    square i ->
    In c (slides p k (sq i) (lines P f i) d r) <->
    exists l h, 1 <= l <= 4 /\ 1 <= h /\ P i l h = true /\ (forall g, 1 <= g < h -> y (f i l g) = 0) /\
      enter y (f i l h) /\ c = go p k (sq i) (sq (f i l h)) d r 0.
  Proof.
    intros [Mono Land] Seven I. unfold slides, lines. rewrite in_map_iff.
    assert (Sq : forall l h, 1 <= l <= 4 -> 1 <= h -> P i l h = true -> square (f i l h)).
    { intros l h L H Q. apply (Land l L i h); auto. split; [lia |]. eapply Seven; eauto. }
    split.
    - intros [j [<- J]]. apply in_flat_map in J. destruct J as [m [M J]]. apply in_map_iff in M.
      destruct M as [l [<- L]]. apply in_seq in L. assert (L4 : 1 <= l <= 4) by lia.
      apply (reach_in (fun h => sq (f i l h))) in J. destruct J as [h [H [-> [B C]]]].
      assert (Q : P i l h = true) by (apply Mono; auto; lia).
      exists l, h. split; [lia |]. split; [lia |]. split; [exact Q |]. split; [| split; [| reflexivity]].
      + intros g G. specialize (B g ltac:(lia)).
        assert (Sg : square (f i l g)) by (apply Sq; auto; [lia | apply Mono; auto; lia]).
        rewrite (empty_shown y (men p) y_shows) in B by exact Sg. now apply Nat.eqb_eq.
      + apply (may_enter_shown y (men p) y_shows); [| exact C]. apply Sq; auto. lia.
    - intros [l [h [L [H [Q [B [C ->]]]]]]]. exists (sq (f i l h)). split; [reflexivity |].
      apply in_flat_map. exists (map (fun h => sq (f i l h)) (seq 1 (far P i l))). split.
      + apply (in_map (fun l => map (fun h => sq (f i l h)) (seq 1 (far P i l)))). apply in_seq. lia.
      + apply (reach_in (fun h => sq (f i l h))). pose proof (proj1 (Mono i l h I L H) Q) as F.
        exists h. split; [lia |]. split; [reflexivity |]. split.
        * intros g G. assert (Sg : square (f i l g)) by (apply Sq; auto; [lia | apply Mono; auto; lia]).
          rewrite (empty_shown y (men p) y_shows) by exact Sg. apply Nat.eqb_eq. apply B. lia.
        * apply (may_enter_shown y (men p) y_shows); [| exact C]. now apply Sq.
  Qed.

  Lemma code_at i (d : int) : square i -> Uint63.ltb d 16 = true -> known_code d = true ->
    y i = paper_code d -> get (men p) (sq i) = d.
  Proof.
    intros I D K E. apply Uint63.eqb_spec. now apply (stands y (men p) y_shows).
  Qed.

  (** Rights that a move does not name. *)
  Lemma keeps_67 i j d : square i -> square j ->
    same (upd y [(i, 0); (j, d); (65, 0); (67, number (wrights p)); (68, fKBO j (y 68)); (0, 1); (66, 0)])
      (upd y [(i, 0); (j, d); (65, 0); (68, fKBO j (y 68)); (0, 1); (66, 0)]).
  Proof.
    intros I J. pose proof y_67. apply same_cases; intros; keys; try assumption; try reflexivity;
      try congruence.
  Qed.

  Lemma knight_goes i z : square i -> y i = 5 ->
    goes i z <-> exists l, 1 <= l <= 8 /\ WhiteKnightMove y i l z.
  Proof.
    intros I E. pose proof rights_small as [R _].
    assert (C : candidates_of p k (sq i) = leaps p k (sq i) (look knight_steps (sq i)) 5 (wrights p)).
    { unfold candidates_of. now rewrite (code_at i 5%uint63 I). }
    unfold goes. rewrite C, knight_table by assumption.
    assert (Iff : forall l, 1 <= l <= 8 -> PN i l = true -> enter y (fN i l) ->
      is_move (go p k (sq i) (sq (fN i l)) 5 (wrights p) 0) = true /\
      same z (component (after_of (go p k (sq i) (sq (fN i l)) 5 (wrights p) 0))) <->
      becomes y [(i, 0); (fN i l, 5); (65, 0); (68, fKBO (fN i l) (y 68)); (0, 1); (66, 0)] z /\
      SafeWKing z).
    { intros l L Q En. destruct (knight_lands i l I L Q) as [J N].
      apply go_iff; auto; first [lia | now apply keeps_67 | vm_compute; discriminate]. }
    split.
    - intros [c [A [M Z]]]. apply (leaps_in PN fN 8) in A; [| exact knight_lands | exact I].
      destruct A as [l [L [Q [En ->]]]]. exists l. split; [exact L |].
      destruct (proj1 (Iff l L Q En) (conj M Z)). repeat split; auto.
    - intros [l [L [Q [En [Z M]]]]]. destruct (proj2 (Iff l L Q En) (conj Z M)) as [A B].
      exists (go p k (sq i) (sq (fN i l)) 5 (wrights p) 0). split; [| auto].
      apply (leaps_in PN fN 8); [exact knight_lands | exact I |]. exists l. auto.
  Qed.

  (** Rook, bishop, queen along one kind of line. *)
  Lemma line_goes P f i d r L z : ends P f -> (forall i l k, square i -> P i l k = true -> k <= 7) ->
    square i -> y i <> 1 -> Uint63.leb d 6 = true -> number d <> 1 -> Uint63.leb r 3 = true ->
    (forall j, square j -> same
      (upd y [(i, 0); (j, number d); (65, 0); (67, number r); (68, fKBO j (y 68)); (0, 1); (66, 0)])
      (upd y (L j))) ->
    (exists c, In c (slides p k (sq i) (lines P f i) d r) /\ is_move c = true /\
      same z (component (after_of c))) <->
    exists l h, 1 <= l <= 4 /\ 1 <= h /\ P i l h = true /\ (forall g, 1 <= g < h -> y (f i l g) = 0) /\
      enter y (f i l h) /\ becomes y (L (f i l h)) z /\ SafeWKing z.
  Proof.
    intros En Seven I Yi D D1 R Same.
    assert (Iff : forall l h, 1 <= l <= 4 -> 1 <= h -> P i l h = true -> enter y (f i l h) ->
      is_move (go p k (sq i) (sq (f i l h)) d r 0) = true /\
      same z (component (after_of (go p k (sq i) (sq (f i l h)) d r 0))) <->
      becomes y (L (f i l h)) z /\ SafeWKing z).
    { intros l h A B Q E. destruct En as [_ Land].
      destruct (Land l A i h I ltac:(split; [lia | eapply Seven; eauto]) Q) as [J N].
      apply go_iff; auto. }
    split.
    - intros [c [A [M Z]]]. apply slides_in in A; auto.
      destruct A as [l [h [A [B [Q [Bt [E ->]]]]]]].
      destruct (proj1 (Iff l h A B Q E) (conj M Z)). exists l, h. auto 10.
    - intros [l [h [A [B [Q [Bt [E [Z M]]]]]]]].
      destruct (proj2 (Iff l h A B Q E) (conj Z M)).
      exists (go p k (sq i) (sq (f i l h)) d r 0). split; [| auto].
      apply slides_in; auto. exists l, h. auto 10.
  Qed.

  Lemma bishop_goes i z : square i -> y i = 4 ->
    goes i z <-> exists l h, 1 <= l <= 4 /\ 1 <= h /\ PBl i l h /\ WhiteBishopMove y i l h z.
  Proof.
    intros I E. pose proof rights_small as [R _].
    assert (C : candidates_of p k (sq i) = slides p k (sq i) (look bishop_lines (sq i)) 4 (wrights p)).
    { unfold candidates_of. now rewrite (code_at i 4%uint63 I). }
    unfold goes. rewrite C, bishop_table by assumption.
    apply (line_goes PBl fB i 4 (wrights p)
      (fun j => [(i, 0); (j, 4); (65, 0); (68, fKBO j (y 68)); (0, 1); (66, 0)])); auto.
    - exact (conj PBl_far bishop_lands).
    - exact PBl_7.
    - lia.
    - vm_compute. discriminate.
    - intros j J. now apply keeps_67.
  Qed.

  Lemma rook_goes i z : square i -> y i = 3 ->
    goes i z <-> exists l h, 1 <= l <= 4 /\ 1 <= h /\ PRl i l h /\ WhiteRookMove y i l h z.
  Proof.
    intros I E. pose proof rights_small as [R _].
    assert (C : candidates_of p k (sq i) =
      slides p k (sq i) (look rook_lines (sq i)) 3 (Rules.fWRK (sq i) (wrights p))).
    { unfold candidates_of. now rewrite (code_at i 3%uint63 I). }
    unfold goes. rewrite C, rook_table by assumption.
    apply (line_goes PRl fR i 3 (Rules.fWRK (sq i) (wrights p))
      (fun j => [(i, 0); (j, 3); (65, 0); (67, fWRK i (y 67)); (68, fKBO j (y 68)); (0, 1); (66, 0)])); auto.
    - exact (conj PRl_far rook_lands).
    - exact PRl_7.
    - lia.
    - vm_compute. discriminate.
    - now apply fWRK_range.
    - intros j J. rewrite y_67, number_fWRK by auto. apply same_refl.
  Qed.

  Lemma queen_goes i z : square i -> y i = 2 ->
    goes i z <-> exists l h, 1 <= l <= 4 /\ 1 <= h /\
      (PBl i l h /\ WhiteQBMove y i l h z \/ PRl i l h /\ WhiteQRMove y i l h z).
  Proof.
    intros I E. pose proof rights_small as [R _].
    assert (C : candidates_of p k (sq i) = slides p k (sq i) (look rook_lines (sq i)) 2 (wrights p) ++
      slides p k (sq i) (look bishop_lines (sq i)) 2 (wrights p)).
    { unfold candidates_of. now rewrite (code_at i 2%uint63 I). }
    unfold goes. rewrite C, bishop_table, rook_table by assumption.
    pose proof (line_goes PBl fB i 2 (wrights p)
      (fun j => [(i, 0); (j, 2); (65, 0); (68, fKBO j (y 68)); (0, 1); (66, 0)]) z
      (conj PBl_far bishop_lands) PBl_7 I ltac:(lia) eq_refl ltac:(vm_compute; discriminate) R
      (fun j J => keeps_67 i j _ I J)) as B.
    pose proof (line_goes PRl fR i 2 (wrights p)
      (fun j => [(i, 0); (j, 2); (65, 0); (68, fKBO j (y 68)); (0, 1); (66, 0)]) z
      (conj PRl_far rook_lands) PRl_7 I ltac:(lia) eq_refl ltac:(vm_compute; discriminate) R
      (fun j J => keeps_67 i j _ I J)) as Q.
    split.
    - intros [c [A H]]. apply in_app_iff in A. destruct A as [A | A].
      + destruct (proj1 Q (ex_intro _ c (conj A H))) as [l [h [L [K X]]]].
        exists l, h. split; [exact L |]. split; [exact K |]. right. exact X.
      + destruct (proj1 B (ex_intro _ c (conj A H))) as [l [h [L [K X]]]].
        exists l, h. split; [exact L |]. split; [exact K |]. left. exact X.
    - intros [l [h [L [K [X | X]]]]].
      + destruct (proj2 B (ex_intro _ l (ex_intro _ h (conj L (conj K X))))) as [c [A H]].
        exists c. rewrite in_app_iff. auto.
      + destruct (proj2 Q (ex_intro _ l (ex_intro _ h (conj L (conj K X))))) as [c [A H]].
        exists c. rewrite in_app_iff. auto.
  Qed.

  (** *** The king *)

  Lemma king_steps_go i z : square i -> y i = 1 ->
    (exists c, In c (leaps p k (sq i) (look king_steps (sq i)) 1 0) /\ is_move c = true /\
      same z (component (after_of c))) <-> exists l, 1 <= l <= 8 /\ WhiteKingMove y i l z.
  Proof.
    intros I E. rewrite king_table by assumption.
    assert (Iff : forall l, 1 <= l <= 8 -> PK i l = true ->
      is_move (go p k (sq i) (sq (fK i l)) 1 0 0) = true /\
      same z (component (after_of (go p k (sq i) (sq (fK i l)) 1 0 0))) <->
      becomes y [(i, 0); (fK i l, 1); (65, 0); (68, fKBO (fK i l) (y 68)); (0, 1); (67, 0); (66, 0)] z /\
      SafeWKing z).
    { intros l L Q. destruct (king_lands i l I L Q) as [J N]. apply go_iff_king; auto.
      apply same_cases; intros; keys; reflexivity. }
    split.
    - intros [c [A [M Z]]]. apply (leaps_in PK fK 8) in A; [| exact king_lands | exact I].
      destruct A as [l [L [Q [En ->]]]]. exists l. split; [exact L |].
      destruct (proj1 (Iff l L Q) (conj M Z)). repeat split; auto.
    - intros [l [L [Q [En [Z M]]]]]. destruct (proj2 (Iff l L Q) (conj Z M)) as [A B].
      exists (go p k (sq i) (sq (fK i l)) 1 0 0). split; [| auto].
      apply (leaps_in PK fK 8); [exact king_lands | exact I |]. exists l. auto.
  Qed.

  Lemma long_right : Uint63.eqb (wrights p land 1) 1 = true <-> y 67 - 2 * (y 67 / 2) = 1.
  Proof.
    rewrite y_67. destruct rights_small as [R _].
    destruct (rights_cases _ R) as [-> | [-> | [-> | ->]]]; vm_compute; split; congruence.
  Qed.

  Lemma short_right : Uint63.eqb (wrights p >> 1) 1 = true <-> y 67 / 2 = 1.
  Proof.
    rewrite y_67. destruct rights_small as [R _].
    destruct (rights_cases _ R) as [-> | [-> | [-> | ->]]]; vm_compute; split; congruence.
  Qed.

  Lemma stands_on (c : int) (n : nat) (j : int) : j = sq n -> square n -> Uint63.ltb c 16 = true ->
    known_code c = true -> Uint63.eqb (get (men p) j) c = true <-> y n = paper_code c.
  Proof. intros ->. now apply stands, y_shows. Qed.

  Lemma sq_in n : (1 <=? n) && (n <=? 64) = true -> square n.
  Proof. rewrite andb_true_iff, !Nat.leb_le. auto. Qed.

  (** The king is safe on e1, and on the square that it passes. *)
  Lemma passes_safe (o : int) (n : nat) : o = sq n -> square n -> n <> 5 -> y 5 = 1 -> y n = 0 ->
    passes p o = true <->
    SafeWKing (upd y [(0, 1)]) /\ SafeWKing (upd y [(n, 1); (5, 0); (65, 0); (0, 1)]).
  Proof.
    intros -> N N5 Y5 Yn. destruct white_king as [K [IK [YK [U EK]]]].
    assert (S5 : square 5) by now apply sq_in.
    assert (K = 5) by (symmetry; auto). subst K.
    unfold passes. rewrite andb_true_iff. change 4%uint63 with (sq 5).
    assert (A : safe (men p) (sq 5) = true <-> SafeWKing (upd y [(0, 1)])).
    { apply safe_king_shown.
      - apply shows_men; [exact W |]. intros i I. rewrite <- (same_square y (component p) i Y I).
        keys; reflexivity.
      - exact S5.
      - keys. exact Y5.
      - intros j J. keys. now apply U.
      - intros j J E8. keys. now apply edge; auto. }
    assert (B : safe (put (put (men p) (sq 5) 0) (sq n) 1) (sq n) = true <->
      SafeWKing (upd y [(n, 1); (5, 0); (65, 0); (0, 1)])).
    { assert (Sh : forall i, square i -> upd y [(n, 1); (5, 0); (65, 0); (0, 1)] i =
        paper_code (get (put (put (men p) (sq 5) 0) (sq n) 1) (sq i))).
      { intros i I. rewrite !get_put_sq by (try assumption; reflexivity).
        keys; subst; try contradiction; try reflexivity.
        rewrite (same_square y _ i Y I). now apply component_square. }
      apply safe_king_shown.
      - split; [exact Sh |]. intros i I.
        apply (good_puts [(sq 5, 0%uint63); (sq n, 1%uint63)] (men p)).
        + intros x [<- | [<- | []]]; simpl; split; try reflexivity; now apply sq_64.
        + split; apply W.
        + now apply sq_64.
      - exact N.
      - keys. reflexivity.
      - intros j J. keys; intro Q; try discriminate; auto. apply U in Q; [congruence | exact J].
      - intros j J E8. keys; try discriminate. now apply edge; auto. }
    now rewrite A, B.
  Qed.

  Lemma castle_long_iff i : square i -> y i = 1 ->
    ((get (men p) 4 =? 1) && (get (men p) 0 =? 3) && (wrights p land 1 =? 1) &&
       (get (men p) 1 =? 0) && (get (men p) 2 =? 0) && (get (men p) 3 =? 0) && passes p 3)%uint63
    = true <-> PWKROOO y i.
  Proof.
    intros I E. destruct white_king as [K [IK [YK [U EK]]]].
    assert (i = K) by auto. subst K.
    rewrite !andb_true_iff, long_right.
    rewrite (stands_on 1 5), (stands_on 3 1), (stands_on 0 2), (stands_on 0 3), (stands_on 0 4)
      by (first [reflexivity | now apply sq_in]).
    change (paper_code 1) with 1. change (paper_code 3) with 3. change (paper_code 0) with 0.
    unfold PWKROOO. split.
    - intros [[[[[[A B] C] D] F] G] P].
      assert (i = 5) by (symmetry; apply U; [now apply sq_in | exact A]).
      apply (passes_safe 3 4) in P; auto; try now apply sq_in. tauto.
    - intros [-> [B [C [D [F [G P]]]]]].
      repeat (split; [|]); auto. apply (passes_safe 3 4); auto. now apply sq_in.
  Qed.

  Lemma castle_short_iff i : square i -> y i = 1 ->
    ((get (men p) 4 =? 1) && (get (men p) 7 =? 3) && (wrights p >> 1 =? 1) &&
       (get (men p) 5 =? 0) && (get (men p) 6 =? 0) && passes p 5)%uint63
    = true <-> PWKROO y i.
  Proof.
    intros I E. destruct white_king as [K [IK [YK [U EK]]]].
    assert (i = K) by auto. subst K.
    rewrite !andb_true_iff, short_right.
    rewrite (stands_on 1 5), (stands_on 3 8), (stands_on 0 6), (stands_on 0 7)
      by (first [reflexivity | now apply sq_in]).
    change (paper_code 1) with 1. change (paper_code 3) with 3. change (paper_code 0) with 0.
    unfold PWKROO. split.
    - intros [[[[[A B] C] D] F] P].
      assert (i = 5) by (symmetry; apply U; [now apply sq_in | exact A]).
      apply (passes_safe 5 6) in P; auto; try now apply sq_in. tauto.
    - intros [-> [B [C [D [F P]]]]].
      repeat (split; [|]); auto. apply (passes_safe 5 6); auto. now apply sq_in.
  Qed.

  (** What is castled: four squares are written. *)
  Lemma castled m a va b vb c vc d vd K z : square a -> square b -> square c -> square d ->
    a <> b -> a <> c -> a <> d -> b <> c -> b <> d -> c <> d ->
    Uint63.leb va 6 = true -> Uint63.leb vb 6 = true -> Uint63.leb vc 6 = true ->
    Uint63.leb vd 6 = true ->
    let F := [(a, number va); (b, number vb); (c, number vc); (d, number vd); (65, 0); (67, 0); (0, 1);
      (66, 0)] in
    let q := moved (put (put (put (put (men p) (sq a) va) (sq b) vb) (sq c) vc) (sq d) vd) 0 0 (brights p) in
    square K -> upd y F K = 1 -> (forall j, square j -> upd y F j = 1 -> j = K) ->
    is_move (Candidate m (sq K) q) = true /\ same z (component q) <-> becomes y F z /\ SafeWKing z.
  Proof.
    intros A B C D AB AC AD BC BD CD VA VB VC VD F q IK YK U.
    assert (S16 : forall v, Uint63.leb v 6 = true -> Uint63.ltb v 16 = true).
    { intros v L. apply leb_spec in L. apply ltb_spec. change (to_Z 6) with 6%Z in L.
      change (to_Z 16) with 16%Z. lia. }
    assert (Pc : forall v, Uint63.leb v 6 = true -> paper_code v = number v).
    { intros v L. unfold paper_code. now rewrite L. }
    assert (N6 : forall v, Uint63.leb v 6 = true -> number v <= 6).
    { intros v L. apply (number_le v 6 L). reflexivity. }
    assert (G : same (component q) (upd y F)).
    { pose proof y_68 as E68. unfold q, F, moved. apply same_cases.
      - keys. reflexivity.
      - intros t T. rewrite component_square by assumption. cbn [men].
        rewrite !get_put_sq by auto. keys; subst; try contradiction; auto.
        rewrite (same_square y _ t Y T). symmetry. now apply component_square.
      - keys. reflexivity.
      - keys. reflexivity.
      - keys. reflexivity.
      - keys. symmetry. exact E68. }
    assert (Wq : well_formed q).
    { destruct rights_small as [_ R].
      apply (moved_well_formed [(sq a, va); (sq b, vb); (sq c, vc); (sq d, vd)]); auto.
      intros x [<- | [<- | [<- | [<- | []]]]]; simpl; split; auto; now apply sq_64. }
    rewrite (is_move_safe (Candidate m (sq K) q) K eq_refl IK). cbn [after_of].
    assert (Jd : same z (upd y F) -> same z (component q) ->
      safe (men q) (sq K) = true <-> SafeWKing z).
    { intros Z1 Z2. apply (judged q z F); auto. intros x X S. unfold F in X. simpl in X.
      repeat (destruct X as [<- | X]; [cbn [fst snd] in *; first [now apply N6 | unfold square in S; lia] |]).
      contradiction. }
    unfold becomes. split.
    - intros [M Z]. assert (Z' : same z (upd y F)) by (eapply same_trans; eassumption).
      split; [exact Z' | now apply Jd].
    - intros [Z M]. assert (Z' : same z (component q))
        by (eapply same_trans; [exact Z | now apply same_sym]).
      split; [now apply Jd | exact Z'].
  Qed.

  Lemma long_goes i z : square i -> y i = 1 ->
    (exists c, In c (castle_long p) /\ is_move c = true /\ same z (component (after_of c))) <->
    WhiteKROOO y i z.
  Proof.
    intros I E. pose proof (castle_long_iff i I E) as Q. unfold castle_long, WhiteKROOO.
    destruct white_king as [K [IK [YK [U EK]]]]. assert (i = K) by auto. subst K.
    set (t := (_ && _)%bool) in *. clearbody t. destruct t.
    - pose proof (proj1 Q eq_refl) as P. assert (i = 5) by apply P. subst i.
      assert (C : forall m, is_move (Candidate m 2 (moved (put (put (put (put (men p) 0 0) 2 1) 3 3) 4 0) 0 0
        (brights p))) = true /\ same z (component (moved (put (put (put (put (men p) 0 0) 2 1) 3 3) 4 0)
        0 0 (brights p))) <->
        becomes y [(1, 0); (3, 1); (4, 3); (5, 0); (65, 0); (67, 0); (0, 1); (66, 0)] z /\ SafeWKing z).
      { intro m. apply (castled m 1 0 3 1 4 3 5 0 3 z); try reflexivity; try lia;
          try (now apply sq_in).
        intros j J. change (number 0) with 0. change (number 1) with 1. change (number 3) with 3.
        keys; intro H'; try discriminate; auto. apply U in H'; [congruence | exact J]. }
      split.
      + intros [c [[<- | []] [M Z]]]. split; [exact P |]. apply (C (code_of 4 2 0)). auto.
      + intros [_ H]. apply (C (code_of 4 2 0)) in H. eexists. split; [left; reflexivity |]. exact H.
    - split; [intros [c [[] _]] | intros [P _]]. apply Q in P. discriminate.
  Qed.

  Lemma short_goes i z : square i -> y i = 1 ->
    (exists c, In c (castle_short p) /\ is_move c = true /\ same z (component (after_of c))) <->
    WhiteKROO y i z.
  Proof.
    intros I E. pose proof (castle_short_iff i I E) as Q. unfold castle_short, WhiteKROO.
    destruct white_king as [K [IK [YK [U EK]]]]. assert (i = K) by auto. subst K.
    set (t := (_ && _)%bool) in *. clearbody t. destruct t.
    - pose proof (proj1 Q eq_refl) as P. assert (i = 5) by apply P. subst i.
      assert (C : forall m, is_move (Candidate m 6 (moved (put (put (put (put (men p) 4 0) 5 3) 6 1) 7 0) 0 0
        (brights p))) = true /\ same z (component (moved (put (put (put (put (men p) 4 0) 5 3) 6 1) 7 0)
        0 0 (brights p))) <->
        becomes y [(5, 0); (6, 3); (7, 1); (8, 0); (65, 0); (67, 0); (0, 1); (66, 0)] z /\ SafeWKing z).
      { intro m. apply (castled m 5 0 6 3 7 1 8 0 7 z); try reflexivity; try lia;
          try (now apply sq_in).
        intros j J. change (number 0) with 0. change (number 1) with 1. change (number 3) with 3.
        keys; intro H'; try discriminate; auto. apply U in H'; [congruence | exact J]. }
      split.
      + intros [c [[<- | []] [M Z]]]. split; [exact P |]. apply (C (code_of 4 6 0)). auto.
      + intros [_ H]. apply (C (code_of 4 6 0)) in H. eexists. split; [left; reflexivity |]. exact H.
    - split; [intros [c [[] _]] | intros [P _]]. apply Q in P. discriminate.
  Qed.

  Lemma king_goes i z : square i -> y i = 1 ->
    goes i z <->
    (exists l, 1 <= l <= 8 /\ WhiteKingMove y i l z) \/ WhiteKROOO y i z \/ WhiteKROO y i z.
  Proof.
    intros I E.
    assert (C : candidates_of p k (sq i) =
      leaps p k (sq i) (look king_steps (sq i)) 1 0 ++ castle_long p ++ castle_short p).
    { unfold candidates_of. now rewrite (code_at i 1%uint63 I). }
    unfold goes. rewrite C, <- king_steps_go, <- long_goes, <- short_goes by assumption.
    split.
    - intros [c [A H]]. rewrite !in_app_iff in A. destruct A as [A | [A | A]]; eauto 6.
    - intros [[c [A H]] | [[c [A H]] | [c [A H]]]]; exists c; rewrite !in_app_iff; auto.
  Qed.

  (** *** Pawns *)

  Lemma ranks i : square i -> (sq i >> 3)%uint63 = of_Z (Z.of_nat (xg i - 1)).
  Proof.
    intro I. apply Uint63.eqb_spec. revert i I.
    apply (for_all (fun i => Uint63.eqb (sq i >> 3) (of_Z (Z.of_nat (xg i - 1))))).
    vm_compute. reflexivity.
  Qed.

  Lemma ahead i : square i -> xg i <= 7 -> (sq i + 8)%uint63 = sq (i + 8) /\ square (i + 8) /\
    xg (i + 8) = xg i + 1.
  Proof.
    intros I X. assert (A : implb (xg i <=? 7) (Uint63.eqb (sq i + 8) (sq (i + 8)) &&
      (1 <=? i + 8) && (i + 8 <=? 64) && (xg (i + 8) =? xg i + 1)) = true).
    { revert i I X. intros i I _. revert i I. apply (for_all (fun i => implb (xg i <=? 7)
        (Uint63.eqb (sq i + 8) (sq (i + 8)) && (1 <=? i + 8) && (i + 8 <=? 64) &&
         (xg (i + 8) =? xg i + 1)))). vm_compute. reflexivity. }
    rewrite (proj2 (Nat.leb_le _ _) X) in A. unfold implb in A.
    rewrite !andb_true_iff, Uint63.eqb_spec, !Nat.leb_le, Nat.eqb_eq in A. unfold square. tauto.
  Qed.

  Lemma captures_rank i l : square i -> 1 <= l <= 2 -> pawn_may i l = true ->
    xg (fWP i l) = xg i + 1.
  Proof.
    intros I L M. assert (A : forallb (fun i => forallb (fun l => implb (pawn_may i l)
      (xg (fWP i l) =? xg i + 1)) (seq 1 2)) all = true) by (vm_compute; reflexivity).
    pose proof (for_all _ A i I) as B. cbv beta in B. rewrite forallb_forall in B.
    specialize (B l). rewrite in_seq, M in B. apply Nat.eqb_eq. apply B. lia.
  Qed.

  (** Where a pawn may go by one step. *)
  Definition target (i l : nat) : Prop :=
    match l with
    | 1 => 2 <= xv i /\ 8 <= y (i + 7) <= 12
    | 2 => xv i <= 7 /\ 8 <= y (i + 9) <= 12
    | _ => y (i + 8) = 0
    end.

  Lemma target_lands i l : square i -> xg i <= 7 -> 1 <= l <= 3 -> target i l ->
    square (fWP i l) /\ xg (fWP i l) = xg i + 1 /\ i <> fWP i l /\ enter y (fWP i l).
  Proof.
    intros I X L T. assert (l = 1 \/ l = 2 \/ l = 3) as C by lia.
    destruct C as [-> | [-> | ->]]; cbn [target] in T.
    - assert (M : pawn_may i 1 = true) by (cbn [pawn_may]; rewrite andb_true_iff, !Nat.leb_le; lia).
      destruct (capture_lands i 1 I ltac:(lia) M). pose proof (captures_rank i 1 I ltac:(lia) M).
      cbn [fWP] in *. unfold enter. repeat split; auto; try lia; apply H.
    - assert (M : pawn_may i 2 = true) by (cbn [pawn_may]; rewrite andb_true_iff, !Nat.leb_le; lia).
      destruct (capture_lands i 2 I ltac:(lia) M). pose proof (captures_rank i 2 I ltac:(lia) M).
      cbn [fWP] in *. unfold enter. repeat split; auto; try lia; apply H.
    - destruct (ahead i I X) as [_ [A B]]. cbn [fWP]. unfold enter. repeat split; auto; try lia; apply A.
  Qed.

  Lemma targets_in i j : square i -> xg i <= 7 ->
    In j (pawn_targets p (sq i)) <-> exists l, 1 <= l <= 3 /\ j = sq (fWP i l) /\ target i l.
  Proof.
    intros I X. unfold pawn_targets. rewrite pawn_table, in_app_iff by assumption.
    destruct (ahead i I X) as [A8 [S8 _]]. rewrite A8, (empty_shown y (men p) y_shows) by exact S8.
    assert (May : forall l, 1 <= l <= 2 -> pawn_may i l = true ->
      capturable (get (men p) (sq (fWP i l))) = true <-> target i l).
    { intros l L M. destruct (capture_lands i l I L M) as [S _].
      rewrite (capturable_shown y (men p) y_shows), andb_true_iff, !Nat.leb_le by exact S.
      assert (l = 1 \/ l = 2) as [-> | ->] by lia; cbn [target fWP pawn_may] in *;
        rewrite andb_true_iff, !Nat.leb_le in M; intuition. }
    split.
    - intros [T | T].
      + apply filter_In in T. destruct T as [T C]. apply in_map_iff in T. destruct T as [l [<- L]].
        apply filter_In in L. destruct L as [L M]. apply in_seq in L.
        exists l. split; [lia |]. split; [reflexivity |]. apply May; auto. lia.
      + destruct (Nat.eqb_spec (y (i + 8)) 0); [| contradiction]. destruct T as [<- | []].
        exists 3. split; [lia |]. split; [reflexivity | assumption].
    - intros [l [L [-> T]]]. destruct (Nat.eq_dec l 3) as [-> | N].
      + right. cbn [target fWP] in *. rewrite T. now left.
      + left. assert (M : pawn_may i l = true).
        { assert (l = 1 \/ l = 2) as [-> | ->] by lia; cbn [target pawn_may] in *;
            rewrite andb_true_iff, !Nat.leb_le; lia. }
        apply filter_In. split; [| apply May; auto; lia].
        apply in_map_iff. exists l. split; [reflexivity |]. apply filter_In. rewrite in_seq.
        split; [lia | exact M].
  Qed.

  Lemma fKBO_low j v : square j -> xg j <= 7 -> fKBO j v = v.
  Proof.
    intros J X. unfold fKBO. destruct (Nat.eqb_spec j 57) as [-> | _].
    - vm_compute in X. lia.
    - destruct (Nat.eqb_spec j 64) as [-> | _]; [vm_compute in X; lia | reflexivity].
  Qed.

  Lemma one_goes i z : square i -> y i = 6 -> xg i <= 6 ->
    (exists c, In c (pawn_one p k (sq i)) /\ is_move c = true /\ same z (component (after_of c))) <->
    exists l, 1 <= l <= 3 /\ WhitePawnMove1 y i l z.
  Proof.
    intros I E X. pose proof rights_small as [R _].
    assert (Pw : forall l, 1 <= l <= 3 -> PWP1 y i l <-> target i l).
    { intros l L. assert (l = 1 \/ l = 2 \/ l = 3) as [-> | [-> | ->]] by lia;
        cbn [PWP1 target]; intuition. }
    assert (Iff : forall l, 1 <= l <= 3 -> target i l ->
      is_move (go p k (sq i) (sq (fWP i l)) 6 (wrights p) 0) = true /\
      same z (component (after_of (go p k (sq i) (sq (fWP i l)) 6 (wrights p) 0))) <->
      becomes y [(i, 0); (fWP i l, 6); (65, 0); (0, 1); (66, 0)] z /\ SafeWKing z).
    { intros l L T. destruct (target_lands i l I ltac:(lia) L T) as [J [Xj [N En]]].
      apply go_iff; auto; try lia; [vm_compute; discriminate |].
      rewrite fKBO_low by (auto; lia). pose proof y_67.
      apply same_cases; intros; keys; auto. }
    unfold pawn_one. split.
    - intros [c [A [M Z]]]. apply in_map_iff in A. destruct A as [j [<- J]].
      apply targets_in in J; [| exact I | lia]. destruct J as [l [L [-> T]]].
      exists l. split; [exact L |]. destruct (proj1 (Iff l L T) (conj M Z)).
      split; [now apply Pw | auto].
    - intros [l [L [P [Z M]]]]. apply Pw in P; [| exact L].
      destruct (proj2 (Iff l L P) (conj Z M)).
      exists (go p k (sq i) (sq (fWP i l)) 6 (wrights p) 0). split; [| auto].
      apply in_map_iff. exists (sq (fWP i l)). split; [reflexivity |].
      apply targets_in; [exact I | lia |]. eauto.
  Qed.

  Lemma promotes_goes i z : square i -> y i = 6 -> xg i = 7 ->
    (exists c, In c (pawn_promotes p k (sq i)) /\ is_move c = true /\
      same z (component (after_of c))) <->
    exists l l2, 1 <= l <= 3 /\ 1 <= l2 <= 4 /\ WhitePawnMove8 y i l l2 z.
  Proof.
    intros I E X. pose proof rights_small as [R _].
    assert (Pw : forall l, 1 <= l <= 3 -> PWP8 y i l <-> target i l).
    { assert (No : forall l, 1 <= l <= 3 -> target i l -> y (fWP i l) <> 12).
      { intros l L T. destruct (target_lands i l I ltac:(lia) L T) as [J [Xj _]].
        apply edge; [exact J | lia]. }
      intros l L. specialize (No l L).
      assert (l = 1 \/ l = 2 \/ l = 3) as [-> | [-> | ->]] by lia;
        cbn [PWP8 target fWP] in *; split; intro H; try tauto; try lia.
      all: destruct H as [H1 H2]; specialize (No (conj H1 H2)); lia. }
    assert (Iff : forall l d l2, 1 <= l <= 3 -> target i l -> In (d, l2) [(2%uint63, 1); (3%uint63, 2);
        (4%uint63, 3); (5%uint63, 4)] ->
      is_move (go p k (sq i) (sq (fWP i l)) d (wrights p) d) = true /\
      same z (component (after_of (go p k (sq i) (sq (fWP i l)) d (wrights p) d))) <->
      becomes y [(i, 0); (fWP i l, l2 + 1); (65, 0); (68, fKBO (fWP i l) (y 68)); (0, 1); (66, 0)] z /\
      SafeWKing z).
    { intros l d l2 L T D. destruct (target_lands i l I ltac:(lia) L T) as [J [Xj [N En]]].
      assert (Dd : Uint63.leb d 6 = true /\ number d = l2 + 1 /\ number d <> 1).
      { simpl in D. repeat (destruct D as [D | D]; [injection D as <- <-;
          repeat split; vm_compute; (reflexivity || discriminate) |]). contradiction. }
      destruct Dd as [D1 [D2 D3]].
      apply go_iff; auto; try lia. rewrite D2. now apply keeps_67. }
    unfold pawn_promotes. split.
    - intros [c [A [M Z]]]. apply in_flat_map in A. destruct A as [j [J A]].
      apply in_map_iff in A. destruct A as [d [<- D]].
      apply targets_in in J; [| exact I | lia]. destruct J as [l [L [-> T]]].
      assert (Q : exists l2, 1 <= l2 <= 4 /\ In (d, l2) [(2%uint63, 1); (3%uint63, 2);
        (4%uint63, 3); (5%uint63, 4)]).
      { simpl in D. destruct D as [<- | [<- | [<- | [<- | []]]]];
          [exists 1 | exists 2 | exists 3 | exists 4]; simpl; (split; [lia | tauto]). }
      destruct Q as [l2 [L2 Q]]. exists l, l2. split; [exact L |]. split; [exact L2 |].
      destruct (proj1 (Iff l d l2 L T Q) (conj M Z)). split; [now apply Pw | auto].
    - intros [l [l2 [L [L2 [P [Z M]]]]]]. apply Pw in P; [| exact L].
      assert (Q : exists d, In d [2; 3; 4; 5]%uint63 /\ In (d, l2) [(2%uint63, 1); (3%uint63, 2);
        (4%uint63, 3); (5%uint63, 4)]).
      { assert (l2 = 1 \/ l2 = 2 \/ l2 = 3 \/ l2 = 4) as [-> | [-> | [-> | ->]]] by lia;
          [exists 2%uint63 | exists 3%uint63 | exists 4%uint63 | exists 5%uint63]; simpl; tauto. }
      destruct Q as [d [D Q]]. destruct (proj2 (Iff l d l2 L P Q) (conj Z M)).
      exists (go p k (sq i) (sq (fWP i l)) d (wrights p) d). split; [| auto].
      apply in_flat_map. exists (sq (fWP i l)). split.
      + apply targets_in; [exact I | lia |]. eauto.
      + apply in_map_iff. eauto.
  Qed.

  (** **** In passing *)

  Definition passing (i l : nat) : candidate :=
    Candidate (code_of (sq i) (sq (fWP i l)) 0) k
      (moved (put (put (put (men p) (sq i) 0) (sq (fWP i l - 8)) 0) (sq (fWP i l)) 6) 0
        (wrights p) (brights p)).

  Lemma beside i : square i -> xg i = 5 ->
    (sq i - 1)%uint63 = sq (i - 1) /\ (sq i + 1)%uint63 = sq (i + 1) /\
    (sq i + 7)%uint63 = sq (i + 7) /\ (sq i + 9)%uint63 = sq (i + 9) /\
    square (i - 1) /\ square (i + 1) /\ square (i + 7) /\ square (i + 9) /\
    number (sq i land 7)%uint63 + 1 = xv i.
  Proof.
    intros I X. assert (A : implb (xg i =? 5) (Uint63.eqb (sq i - 1) (sq (i - 1)) &&
      Uint63.eqb (sq i + 1) (sq (i + 1)) && Uint63.eqb (sq i + 7) (sq (i + 7)) &&
      Uint63.eqb (sq i + 9) (sq (i + 9)) && (1 <=? i - 1) && (i + 9 <=? 64) &&
      (number (sq i land 7)%uint63 + 1 =? xv i)) = true).
    { clear X. revert i I. apply (for_all (fun i => implb (xg i =? 5) (Uint63.eqb (sq i - 1) (sq (i - 1)) &&
      Uint63.eqb (sq i + 1) (sq (i + 1)) && Uint63.eqb (sq i + 7) (sq (i + 7)) &&
      Uint63.eqb (sq i + 9) (sq (i + 9)) && (1 <=? i - 1) && (i + 9 <=? 64) &&
      (number (sq i land 7)%uint63 + 1 =? xv i)))). vm_compute. reflexivity. }
    rewrite X in A. cbn [Nat.eqb implb] in A.
    rewrite !andb_true_iff, !Uint63.eqb_spec, !Nat.leb_le, Nat.eqb_eq in A.
    unfold square in *. intuition; lia.
  Qed.

  Lemma mark_small : exists m, m <= 8 /\ bmark p = of_Z (Z.of_nat m) /\ y 66 = m.
  Proof.
    pose proof (wf_marks p W) as M. apply andb_true_iff in M. destruct M as [_ M].
    apply leb_spec in M. change (to_Z 8) with 8%Z in M.
    destruct (small_number (bmark p) 9 ltac:(lia)) as [m [L Q]].
    exists m. split; [lia |]. split; [exact Q |]. rewrite y_66, Q. unfold number.
    rewrite of_Z_spec, Z.mod_small; [lia |]. change wB with 9223372036854775808%Z. lia.
  Qed.

  Lemma mark_left i : square i ->
    (((2 <=? (sq i land 7) + 1) && (bmark p + 1 =? (sq i land 7) + 1) && (1 <=? bmark p))%uint63 = true)
    <-> (2 <= xv i /\ y 66 = xv i - 1).
  Proof.
    intro I. destruct mark_small as [m [L [-> ->]]].
    assert (A : forallb (fun m => forallb (fun i => Bool.eqb
      ((2 <=? (sq i land 7) + 1) && (of_Z (Z.of_nat m) + 1 =? (sq i land 7) + 1) &&
        (1 <=? of_Z (Z.of_nat m)))%uint63
      ((2 <=? xv i) && (m =? xv i - 1))) all) (seq 0 9) = true) by (vm_compute; reflexivity).
    rewrite forallb_forall in A. specialize (A m). rewrite in_seq in A. specialize (A ltac:(lia)).
    pose proof (for_all _ A i I) as B. apply Bool.eqb_prop in B. rewrite B.
    now rewrite andb_true_iff, Nat.leb_le, Nat.eqb_eq.
  Qed.

  Lemma mark_right i : square i ->
    ((((sq i land 7) + 1 <=? 7) && (bmark p =? (sq i land 7) + 1 + 1))%uint63 = true)
    <-> (xv i <= 7 /\ y 66 = xv i + 1).
  Proof.
    intro I. destruct mark_small as [m [L [-> ->]]].
    assert (A : forallb (fun m => forallb (fun i => Bool.eqb
      (((sq i land 7) + 1 <=? 7) && (of_Z (Z.of_nat m) =? (sq i land 7) + 1 + 1))%uint63
      ((xv i <=? 7) && (m =? xv i + 1))) all) (seq 0 9) = true) by (vm_compute; reflexivity).
    rewrite forallb_forall in A. specialize (A m). rewrite in_seq in A. specialize (A ltac:(lia)).
    pose proof (for_all _ A i I) as B. apply Bool.eqb_prop in B. rewrite B.
    now rewrite andb_true_iff, Nat.leb_le, Nat.eqb_eq.
  Qed.

  Lemma passing_in i c : square i -> xg i = 5 ->
    In c (pawn_passing p k (sq i)) <-> exists l, 1 <= l <= 2 /\ PWPEP y i l /\ c = passing i l.
  Proof.
    intros I X. destruct (beside i I X) as [A1 [A2 [A7 [A9 [S1 [S2 [S7 [S9 _]]]]]]]].
    pose proof (mark_left i I) as ML. pose proof (mark_right i I) as MR.
    assert (L1 : ((2 <=? (sq i land 7) + 1) && (get (men p) (sq i - 1) =? 14) &&
      (get (men p) (sq i + 7) =? 0) && (bmark p + 1 =? (sq i land 7) + 1) && (1 <=? bmark p))%uint63 = true
      <-> PWPEP y i 1).
    { cbn [PWPEP]. rewrite !andb_true_iff in *.
      rewrite (stands_on 14 (i - 1)), (stands_on 0 (i + 7)) by (first [assumption | reflexivity]).
      change (paper_code 14) with 12. change (paper_code 0) with 0. tauto. }
    assert (L2 : (((sq i land 7) + 1 <=? 7) && (get (men p) (sq i + 1) =? 14) &&
      (get (men p) (sq i + 9) =? 0) && (bmark p =? (sq i land 7) + 1 + 1))%uint63 = true
      <-> PWPEP y i 2).
    { cbn [PWPEP]. rewrite !andb_true_iff in *.
      rewrite (stands_on 14 (i + 1)), (stands_on 0 (i + 9)) by (first [assumption | reflexivity]).
      change (paper_code 14) with 12. change (paper_code 0) with 0. tauto. }
    assert (C1 : passing i 1 = Candidate (code_of (sq i) (sq i + 7) 0) k
      (moved (put (put (put (men p) (sq i) 0) (sq i - 1) 0) (sq i + 7) 6) 0 (wrights p) (brights p))).
    { unfold passing. cbn [fWP]. rewrite A1, A7. now replace (i + 7 - 8) with (i - 1) by lia. }
    assert (C2 : passing i 2 = Candidate (code_of (sq i) (sq i + 9) 0) k
      (moved (put (put (put (men p) (sq i) 0) (sq i + 1) 0) (sq i + 9) 6) 0 (wrights p) (brights p))).
    { unfold passing. cbn [fWP]. rewrite A2, A9. now replace (i + 9 - 8) with (i + 1) by lia. }
    unfold pawn_passing. cbv zeta. rewrite in_app_iff. split.
    - intros [C | C].
      + destruct (_ && _)%bool in L1, C; [| contradiction]. destruct C as [<- | []].
        exists 1. split; [lia |]. split; [now apply L1 | now rewrite C1].
      + destruct (_ && _)%bool in L2, C; [| contradiction]. destruct C as [<- | []].
        exists 2. split; [lia |]. split; [now apply L2 | now rewrite C2].
    - intros [l [L [P ->]]]. assert (l = 1 \/ l = 2) as [-> | ->] by lia.
      + left. rewrite (proj2 L1 P). left. symmetry. exact C1.
      + right. rewrite (proj2 L2 P). left. symmetry. exact C2.
  Qed.

  Lemma passing_iff i l z : square i -> y i = 6 -> 1 <= l <= 2 -> PWPEP y i l ->
    let L := [(i, 0); (fWP i l - 8, 0); (fWP i l, 6); (65, 0); (0, 1); (66, 0)] in
    same (component (after_of (passing i l))) (upd y L) /\
    (same z (component (after_of (passing i l))) ->
      safe (men (after_of (passing i l))) k = true <-> SafeWKing z).
  Proof.
    intros I E L P L'. destruct white_king as [K [IK [YK [U EK]]]].
    assert (X : xg i = 5) by (assert (l = 1 \/ l = 2) as [-> | ->] by lia; apply P).
    destruct (beside i I X) as [_ [_ [_ [_ [S1 [S2 [S7 [S9 _]]]]]]]].
    assert (Q : square (fWP i l) /\ square (fWP i l - 8) /\ i <> fWP i l /\ i <> fWP i l - 8 /\
      y (fWP i l) = 0 /\ y (fWP i l - 8) = 12).
    { assert (l = 1 \/ l = 2) as [-> | ->] by lia; cbn [PWPEP fWP] in *;
        [replace (i + 7 - 8) with (i - 1) by lia | replace (i + 9 - 8) with (i + 1) by lia];
        unfold square in *; intuition lia. }
    destruct Q as [J [F [N1 [N2 [Yj Yf]]]]].
    set (j := fWP i l) in *. set (f := j - 8) in *.
    assert (Nf : f <> j) by (unfold f, square in *; lia).
    assert (G : same (component (after_of (passing i l))) (upd y L')).
    { unfold passing, L'. fold j f. cbn [after_of]. unfold moved.
      pose proof y_67 as E67. pose proof y_68 as E68. apply same_cases.
      - keys. reflexivity.
      - intros t T. rewrite component_square by assumption. cbn [men].
        rewrite !get_put_sq by (try assumption; reflexivity).
        keys; subst; try contradiction; try congruence; try reflexivity.
        rewrite (same_square y _ t Y T). symmetry. now apply component_square.
      - keys. reflexivity.
      - keys. reflexivity.
      - keys. symmetry. exact E67.
      - keys. symmetry. exact E68. }
    split; [exact G |]. intro Z. rewrite EK.
    assert (Wq : well_formed (after_of (passing i l))).
    { destruct rights_small as [R1 R2]. unfold passing. fold j f. cbn [after_of].
      apply (moved_well_formed [(sq i, 0%uint63); (sq f, 0%uint63); (sq j, 6%uint63)]); auto.
      intros x [<- | [<- | [<- | []]]]; simpl; split; auto; now apply sq_64. }
    assert (Kp : forall t, square t -> upd y L' t = 1 <-> y t = 1).
    { apply kept. intros x Xx S. unfold square in S. simpl in Xx.
      repeat (destruct Xx as [<- | Xx]; [cbn [fst snd] in *; lia |]). contradiction. }
    apply (judged _ z L'); auto.
    - eapply same_trans; eassumption.
    - intros x Xx S. unfold square in S. simpl in Xx.
      repeat (destruct Xx as [<- | Xx]; [cbn [fst snd] in *; lia |]). contradiction.
    - now apply Kp.
    - intros t T H. apply U; [exact T | now apply Kp].
  Qed.

  Lemma passing_goes i z : square i -> y i = 6 -> xg i = 5 ->
    (exists c, In c (pawn_passing p k (sq i)) /\ is_move c = true /\
      same z (component (after_of c))) <->
    exists l, 1 <= l <= 2 /\ WhitePawnMoveEP y i l z.
  Proof.
    intros I E X. destruct white_king as [K [IK [YK [U EK]]]].
    assert (M : forall l, is_move (passing i l) = safe (men (after_of (passing i l))) k).
    { intro l. rewrite (is_move_safe (passing i l) K EK IK). now rewrite EK. }
    split.
    - intros [c [A [B Z]]]. apply passing_in in A; auto. destruct A as [l [L [P ->]]].
      exists l. split; [exact L |]. destruct (passing_iff i l z I E L P) as [G H].
      rewrite M in B. split; [exact P |]. split; [eapply same_trans; eassumption | now apply H].
    - intros [l [L [P [Z S]]]]. destruct (passing_iff i l z I E L P) as [G H].
      assert (Z' : same z (component (after_of (passing i l))))
        by (eapply same_trans; [exact Z | now apply same_sym]).
      exists (passing i l). split; [apply passing_in; eauto |]. rewrite M. split; [now apply H | exact Z'].
  Qed.

  (** A capture in passing is possible. *)
  Lemma takes_passing : can_take_passing p k = true <-> WhiteTakesPassing y.
  Proof.
    unfold can_take_passing, WhiteTakesPassing. split.
    - destruct (Uint63.eqb (bmark p) 0); [discriminate |]. intro A.
      apply existsb_exists in A. destruct A as [a [A B]]. apply andb_true_iff in B. destruct B as [B C].
      assert (H : (Uint63.ltb a 64 && Uint63.eqb (a >> 3) 4)%uint63 = true).
      { simpl in A. repeat (destruct A as [<- | A]; [reflexivity |]). contradiction. }
      apply andb_true_iff in H. destruct H as [H1 H2]. destruct (sq_onto a H1) as [i [I ->]].
      apply (stands_on 6 i) in B; auto.
      apply existsb_exists in C. destruct C as [c [C S]].
      assert (X : xg i = 5).
      { rewrite ranks in H2 by exact I. pose proof (xg_range i I).
        assert (T : forallb (fun n => implb (Uint63.eqb (of_Z (Z.of_nat (n - 1))) 4) (n =? 5)) (seq 1 8) = true)
          by reflexivity.
        rewrite forallb_forall in T. specialize (T (xg i)). rewrite in_seq, H2 in T.
        apply Nat.eqb_eq. apply T. lia. }
      apply passing_in in C; auto. destruct C as [l [L [P ->]]].
      destruct (passing_iff i l (component (after_of (passing i l))) I B L P) as [G H].
      exists i, l, (component (after_of (passing i l))).
      split; [exact I |]. split; [exact B |]. split; [exact L |]. split; [exact P |].
      split; [exact G |]. apply H; [apply same_refl |]. exact S.
    - intros [i [l [z [I [E [L [P [Z S]]]]]]]].
      assert (X : xg i = 5) by (assert (l = 1 \/ l = 2) as [-> | ->] by lia; apply P).
      destruct (Uint63.eqb (bmark p) 0) eqn:M0.
      + exfalso. apply Uint63.eqb_spec in M0. pose proof y_66 as Y66. rewrite M0 in Y66.
        change (number 0) with 0 in Y66.
        assert (l = 1 \/ l = 2) as [-> | ->] by lia; cbn [PWPEP] in P; lia.
      + apply existsb_exists. exists (sq i). split.
        * apply int_in_spec.
          assert (T : implb (xg i =? 5) (int_in (sq i) [32; 33; 34; 35; 36; 37; 38; 39]%uint63) = true).
          { clear - I. revert i I. apply (for_all (fun i => implb (xg i =? 5)
              (int_in (sq i) [32; 33; 34; 35; 36; 37; 38; 39]%uint63))). vm_compute. reflexivity. }
          rewrite X in T. exact T.
        * apply andb_true_iff. split; [now apply (stands_on 6 i) |].
          apply existsb_exists. exists (passing i l). split; [apply passing_in; eauto |].
          destruct (passing_iff i l z I E L P) as [G H]. apply H; [| exact S].
          eapply same_trans; [exact Z | now apply same_sym].
  Qed.
End White.
