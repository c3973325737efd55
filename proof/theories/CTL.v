(** * CTL over structures that need not be total

    A full path is an infinite path, or a finite one whose last vertex has no successor (the paper's
    section 1).  A model is a graph with a distinguished vertex; that it be connected makes no
    difference, since a formula sees only what can be reached from that vertex. *)

From Coq Require Import List Arith Lia Bool ClassicalEpsilon.
Import ListNotations.

Inductive ctl :=
| Var (n : nat) | Top | Neg (f : ctl) | Conj (f g : ctl) | Disj (f g : ctl)
| AX (f : ctl) | EX (f : ctl) | AG (f : ctl) | EG (f : ctl) | AF (f : ctl) | EF (f : ctl)
| AU (f g : ctl) | EU (f g : ctl).

Record model := Model {
  vertex : Type;
  edge : vertex -> vertex -> Prop;
  label : vertex -> nat -> Prop;
  start : vertex
}.

Section Truth.
  Context (M : model).

  Definition full_path (v : vertex M) (f : nat -> option (vertex M)) : Prop :=
    f 0 = Some v /\
    forall n, match f n with
              | None => f (S n) = None
              | Some u => match f (S n) with
                          | Some w => edge M u w
                          | None => forall w, ~ edge M u w
                          end
              end.

  Fixpoint sat (v : vertex M) (f : ctl) : Prop :=
    match f with
    | Var n => label M v n
    | Top => True
    | Neg f => ~ sat v f
    | Conj f g => sat v f /\ sat v g
    | Disj f g => sat v f \/ sat v g
    | AX f => forall w, edge M v w -> sat w f
    | EX f => exists w, edge M v w /\ sat w f
    | AG f => forall p, full_path v p -> forall n u, p n = Some u -> sat u f
    | EG f => exists p, full_path v p /\ forall n u, p n = Some u -> sat u f
    | AF f => forall p, full_path v p -> exists n u, p n = Some u /\ sat u f
    | EF f => exists p, full_path v p /\ exists n u, p n = Some u /\ sat u f
    | AU f g => forall p, full_path v p -> exists n u, p n = Some u /\ sat u g /\
                  forall m w, m < n -> p m = Some w -> sat w f
    | EU f g => exists p, full_path v p /\ exists n u, p n = Some u /\ sat u g /\
                  forall m w, m < n -> p m = Some w -> sat w f
    end.

  (** A path that prefers successors with a property. *)
  Definition walk_step (Q : vertex M -> Prop) (v : vertex M) : option (vertex M) :=
    match excluded_middle_informative (exists w, edge M v w /\ Q w) with
    | left e => Some (proj1_sig (constructive_indefinite_description _ e))
    | right _ =>
        match excluded_middle_informative (exists w, edge M v w) with
        | left e => Some (proj1_sig (constructive_indefinite_description _ e))
        | right _ => None
        end
    end.

  Fixpoint walk (Q : vertex M -> Prop) (v : vertex M) (n : nat) : option (vertex M) :=
    match n with
    | 0 => Some v
    | S m => match walk Q v m with Some u => walk_step Q u | None => None end
    end.

  Lemma walk_full Q v : full_path v (walk Q v).
  Proof.
    split; [reflexivity |]. intro n. simpl. destruct (walk Q v n) as [u |]; [| reflexivity].
    unfold walk_step. destruct (excluded_middle_informative _) as [e | e].
    - destruct (constructive_indefinite_description _ e) as [w [W HQ]]. exact W.
    - destruct (excluded_middle_informative _) as [e' | e'].
      + destruct (constructive_indefinite_description _ e') as [w W]. exact W.
      + intros w W. eauto.
  Qed.

  (** If a vertex with the property that has a successor has one with the property, the path keeps
      it. *)
  Lemma walk_keeps (Q : vertex M -> Prop) v :
    Q v -> (forall u, Q u -> (exists w, edge M u w) -> exists w, edge M u w /\ Q w) ->
    forall n u, walk Q v n = Some u -> Q u.
  Proof.
    intros V K. induction n; simpl; intros u E; [congruence |].
    destruct (walk Q v n) as [t |] eqn:T; [| discriminate]. specialize (IHn t eq_refl).
    unfold walk_step in E. destruct (excluded_middle_informative _) as [e | e].
    - injection E as <-. destruct (constructive_indefinite_description _ e) as [w [HE W]]. exact W.
    - destruct (excluded_middle_informative _) as [e' | e']; [| discriminate].
      exfalso. apply e. now apply K.
  Qed.

  Lemma AG_here v f : sat v (AG f) -> sat v f.
  Proof. intro A. exact (A _ (walk_full (fun _ => True) v) 0 v eq_refl). Qed.

  Lemma AG_next v w f : sat v (AG f) -> edge M v w -> sat w (AG f).
  Proof.
    intros A E p [P0 P] n u U.
    apply (A (fun n => match n with 0 => Some v | S m => p m end)) with (n := S n); [| exact U].
    split; [reflexivity |]. intros [| m].
    - now rewrite P0.
    - exact (P m).
  Qed.

  (** What is true wherever one can go is true always. *)
  Lemma AG_invariant (I : vertex M -> Prop) v f :
    I v -> (forall u w, I u -> edge M u w -> I w) -> (forall u, I u -> sat u f) -> sat v (AG f).
  Proof.
    intros V K H p [P0 P].
    assert (A : forall n u, p n = Some u -> I u).
    { induction n; intros u E; [congruence |].
      specialize (P n). destruct (p n) as [t |] eqn:T.
      - rewrite E in P. eapply K; [now apply IHn | exact P].
      - congruence. }
    intros n u E. apply H. eapply A; eauto.
  Qed.
End Truth.

(** A formula is satisfiable when it is true in some model. *)
Definition satisfiable (f : ctl) : Prop := exists M, sat M (start M) f.

Definition conj (l : list ctl) : ctl := fold_right Conj Top l.
Definition disj (l : list ctl) : ctl := fold_right Disj (Neg Top) l.

Lemma sat_conj M v l : sat M v (conj l) <-> forall f, In f l -> sat M v f.
Proof.
  induction l as [| a l IH]; simpl; [tauto |]. rewrite IH. split.
  - intros [A B] f [<- | I]; auto.
  - intro H. split; auto.
Qed.

Lemma sat_disj M v l : sat M v (disj l) <-> exists f, In f l /\ sat M v f.
Proof.
  induction l as [| a l IH]; simpl.
  - split; [tauto | intros [f [[] _]]].
  - rewrite IH. split.
    + intros [A | [f [I S]]]; eauto.
    + intros [f [[<- | I] S]]; eauto.
Qed.

(** ** Parts of models

    If all that can be reached from the image of a vertex is images, with the same labels and edges,
    then the same formulas are true there. *)
Section Part.
  Variables (M N : model) (e : vertex M -> vertex N) (back : vertex N -> option (vertex M)).
  Hypothesis back_e : forall v, back (e v) = Some v.
  Hypothesis labels : forall v n, label N (e v) n <-> label M v n.
  Hypothesis edges : forall v u, edge N (e v) u <-> exists w, u = e w /\ edge M v w.

  Definition image (p : nat -> option (vertex M)) (n : nat) : option (vertex N) :=
    option_map e (p n).

  Lemma image_full v p : full_path M v p -> full_path N (e v) (image p).
  Proof.
    intros [P0 P]. split; [unfold image; now rewrite P0 |]. intro n. specialize (P n).
    unfold image. destruct (p n) as [u |]; simpl; [| now rewrite P].
    destruct (p (S n)) as [w |]; simpl; [apply edges; eauto |].
    intros w W. apply edges in W. destruct W as [x [_ W]]. exact (P x W).
  Qed.

  Lemma path_of_image v q : full_path N (e v) q -> exists p, full_path M v p /\ forall n, q n = image p n.
  Proof.
    intros [Q0 Q]. set (p := fun n => match q n with Some u => back u | None => None end).
    assert (E : forall n, q n = image p n).
    { induction n.
      - unfold image, p. rewrite Q0, back_e. reflexivity.
      - specialize (Q n). rewrite IHn in Q. unfold image in Q |- *.
        destruct (p n) as [u |]; simpl in Q.
        + unfold p. destruct (q (S n)) as [w |]; [| reflexivity].
          apply edges in Q. destruct Q as [x [-> _]]. now rewrite back_e.
        + unfold p. now rewrite Q. }
    exists p. split; [| exact E]. split; [unfold p; now rewrite Q0 |].
    intro n. specialize (Q n). rewrite (E n), (E (S n)) in Q. unfold image in Q.
    destruct (p n) as [u |]; simpl in Q; [| destruct (p (S n)); [discriminate | reflexivity]].
    destruct (p (S n)) as [w |]; simpl in Q.
    - apply edges in Q. destruct Q as [x [X R]]. apply (f_equal back) in X.
      rewrite !back_e in X. now injection X as ->.
    - intros w W. apply (Q (e w)). apply edges. eauto.
  Qed.

  Lemma at_image (p : nat -> option (vertex M)) n u :
    image p n = Some u <-> exists w, p n = Some w /\ u = e w.
  Proof.
    unfold image. destruct (p n) as [w |]; simpl; split.
    - intros [= <-]. eauto.
    - intros [x [[= <-] ->]]. reflexivity.
    - discriminate.
    - intros [x [E _]]. discriminate.
  Qed.

  Lemma part f : forall v, sat N (e v) f <-> sat M v f.
  Proof.
    induction f; intro v; simpl.
    - apply labels.
    - tauto.
    - now rewrite IHf.
    - now rewrite IHf1, IHf2.
    - now rewrite IHf1, IHf2.
    - split.
      + intros A w W. apply IHf, A, edges. eauto.
      + intros A u U. apply edges in U. destruct U as [w [-> W]]. now apply IHf, A.
    - split.
      + intros [u [U S]]. apply edges in U. destruct U as [w [-> W]]. exists w.
        split; [assumption | now apply IHf].
      + intros [w [W S]]. exists (e w). split; [apply edges; eauto | now apply IHf].
    - split.
      + intros A p P n w W. apply IHf. apply (A _ (image_full v p P) n). apply at_image. eauto.
      + intros A q Q n u U. destruct (path_of_image v q Q) as [p [P E]]. rewrite E in U.
        apply at_image in U. destruct U as [w [W ->]]. apply IHf. eapply A; eauto.
    - split.
      + intros [q [Q A]]. destruct (path_of_image v q Q) as [p [P E]]. exists p.
        split; [assumption |]. intros n w W. apply IHf. apply (A n). rewrite E. apply at_image. eauto.
      + intros [p [P A]]. exists (image p). split; [now apply image_full |].
        intros n u U. apply at_image in U. destruct U as [w [W ->]]. apply IHf. eauto.
    - split.
      + intros A p P. destruct (A _ (image_full v p P)) as [n [u [U S]]].
        apply at_image in U. destruct U as [w [W ->]]. exists n, w.
        split; [assumption | now apply IHf].
      + intros A q Q. destruct (path_of_image v q Q) as [p [P E]].
        destruct (A p P) as [n [w [W S]]]. exists n, (e w).
        split; [rewrite E; apply at_image; eauto | now apply IHf].
    - split.
      + intros [q [Q [n [u [U S]]]]]. destruct (path_of_image v q Q) as [p [P E]]. rewrite E in U.
        apply at_image in U. destruct U as [w [W ->]]. exists p. split; [assumption |].
        exists n, w. split; [assumption | now apply IHf].
      + intros [p [P [n [w [W S]]]]]. exists (image p). split; [now apply image_full |].
        exists n, (e w). split; [apply at_image; eauto | now apply IHf].
    - split.
      + intros A p P. destruct (A _ (image_full v p P)) as [n [u [U [S B]]]].
        apply at_image in U. destruct U as [w [W ->]]. exists n, w.
        split; [assumption |]. split; [now apply IHf2 |].
        intros m x L X. apply IHf1. apply (B m); [assumption |]. apply at_image. eauto.
      + intros A q Q. destruct (path_of_image v q Q) as [p [P E]].
        destruct (A p P) as [n [w [W [S B]]]]. exists n, (e w).
        split; [rewrite E; apply at_image; eauto |]. split; [now apply IHf2 |].
        intros m x L X. rewrite E in X. apply at_image in X. destruct X as [y [Y ->]].
        apply IHf1. eauto.
    - split.
      + intros [q [Q [n [u [U [S B]]]]]]. destruct (path_of_image v q Q) as [p [P E]]. rewrite E in U.
        apply at_image in U. destruct U as [w [W ->]]. exists p. split; [assumption |].
        exists n, w. split; [assumption |]. split; [now apply IHf2 |].
        intros m x L X. apply IHf1. apply (B m); [assumption |]. rewrite E. apply at_image. eauto.
      + intros [p [P [n [w [W [S B]]]]]]. exists (image p). split; [now apply image_full |].
        exists n, (e w). split; [apply at_image; eauto |]. split; [now apply IHf2 |].
        intros m x L X. apply at_image in X. destruct X as [y [Y ->]]. apply IHf1. eauto.
  Qed.
End Part.

(** Two models below a fresh root. *)
Definition joined (M N : model) : model :=
  Model (option (vertex M + vertex N))
    (fun u w => match u, w with
                | None, Some (inl v) => v = start M
                | None, Some (inr v) => v = start N
                | Some (inl a), Some (inl b) => edge M a b
                | Some (inr a), Some (inr b) => edge N a b
                | _, _ => False
                end)
    (fun u n => match u with
                | None => False
                | Some (inl v) => label M v n
                | Some (inr v) => label N v n
                end)
    None.

(** *** [EX f] and [EX g] together are satisfiable when both f and g are. *)
Theorem joined_satisfiable f g :
  satisfiable (Conj (EX f) (EX g)) <-> satisfiable f /\ satisfiable g.
Proof.
  split.
  - assert (From : forall M v h, sat M v h -> satisfiable h).
    { intros M v h S. exists (Model (vertex M) (edge M) (label M) v).
      apply (part (Model (vertex M) (edge M) (label M) v) M (fun x => x) Some);
        simpl; auto; try tauto.
      intros x u. split; [eauto | intros [w [-> E]]; exact E]. }
    intros [M [[v [_ F]] [w [_ G]]]]. split; eapply From; eauto.
  - intros [[M F] [N G]]. exists (joined M N). simpl. split.
    + exists (Some (inl (start M))). split; [reflexivity |].
      apply (part M (joined M N) (fun v => Some (inl v))
        (fun u => match u with Some (inl v) => Some v | _ => None end)); simpl; try tauto.
      intros v [[u | u] |]; split; try tauto; try (intros [w [E _]]; discriminate).
      * intro E. exists u. auto.
      * intros [w [[= ->] E]]. exact E.
    + exists (Some (inr (start N))). split; [reflexivity |].
      apply (part N (joined M N) (fun v => Some (inr v))
        (fun u => match u with Some (inr v) => Some v | _ => None end)); simpl; try tauto.
      intros v [[u | u] |]; split; try tauto; try (intros [w [E _]]; discriminate).
      * intro E. exists u. auto.
      * intros [w [[= ->] E]]. exact E.
Qed.
