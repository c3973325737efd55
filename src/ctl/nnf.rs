//! Negation normal form over a small basis.
//!
//! The basis is `T F p ~p & | AX EX A[U] E[U] A[R] E[R]`: negation stands at variables only, and
//! every other connective is expressed, truly at dead ends too (there `AX φ` is true, `EX φ` false,
//! `U` equals its second operand, and so does `R`):
//!
//! ```text
//! AF φ = A[T U φ]    AG φ = A[F R φ]    A[φ W ψ] = A[ψ R φ | ψ]      (the same with E)
//! ~AX φ = EX ~φ      ~A[φ U ψ] = E[~φ R ~ψ]      ~A[φ R ψ] = E[~φ U ~ψ]
//! ```
//!
//! Mind the unfoldings a tableau needs, which differ from those of total models:
//! `A[φ U ψ] = ψ | φ & EX T & AX A[φ U ψ]` and `E[φ R ψ] = ψ & (φ | AX F | EX E[φ R ψ])`.
//!
//! Constants are folded (`AX T`, `EX F`, `φ U F`, `T R ψ`, …; but `EX T` and `AX F` stay: they
//! speak of dead ends), conjunctions and disjunctions lose repeated operands and swallow operands
//! of their own kind that nothing else refers to, and complementary literals make them constant.
//! The result is at most a constant factor larger than the formula (as a shared graph).
//!
//! # References
//! E. A. Emerson, *Temporal and modal logic*, Handbook of Theoretical Computer Science B (1990), on
//! positive normal form; docs/theory.md §1 for the dead ends.

use super::arena::{Arena, Id, Node, Path};

/// A formula id with a polarity: what is to be normalised, the formula or its negation.
#[derive(Clone, Copy)]
struct Signed {
    id: Id,
    negated: bool,
}

impl Signed {
    fn index(self) -> usize {
        2 * self.id.index() + usize::from(self.negated)
    }
}

impl Arena {
    /// The negation normal form of a formula, in this arena; a formula in normal form is returned
    /// as it is.
    ///
    /// O(ids up to `id`) time and 12 bytes for each; no recursion, so any depth of nesting is fine.
    pub fn nnf(&mut self, id: Id) -> Id {
        Normaliser::new(self).run(Signed { id, negated: false })
    }

    /// The negation normal form of the negation of a formula; cost as [`Arena::nnf`].
    pub fn nnf_not(&mut self, id: Id) -> Id {
        Normaliser::new(self).run(Signed { id, negated: true })
    }

    /// The negation normal form of a formula, and what each temporal subformula (or its negation,
    /// where the flag says so) became in it, operands before what they stand in; cost as
    /// [`Arena::nnf`].
    pub(crate) fn nnf_with_parts(&mut self, id: Id) -> (Id, Vec<(Id, bool, Id)>) {
        let mut normaliser = Normaliser::new(self);
        let normal = normaliser.run(Signed { id, negated: false });
        let parts = normaliser.temporal_parts(id);
        (normal, parts)
    }

    /// Whether every node below `id` is of the basis of this module (constants need not be folded).
    pub fn is_nnf(&self, id: Id) -> bool {
        self.subformulas(id).all(|sub| match self.get(sub) {
            Node::Not(a) => matches!(self.get(a), Node::Var(_)),
            Node::True | Node::False | Node::Var(_) | Node::And(_) | Node::Or(_) => true,
            Node::Next(..) | Node::Until(..) | Node::Release(..) => true,
            Node::Implies(..)
            | Node::Iff(..)
            | Node::Globally(..)
            | Node::Finally(..)
            | Node::WeakUntil(..) => false,
        })
    }
}

/// No result yet.
const UNKNOWN: u32 = u32::MAX;

/// How a signed formula is referred to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    /// Not at all.
    None,
    /// Once, as an operand of a conjunction.
    Conjunct,
    /// Once, as an operand of a disjunction.
    Disjunct,
    /// Otherwise.
    Whole,
}

struct Normaliser<'a> {
    arena: &'a mut Arena,
    /// By [`Signed::index`].
    needs: Vec<Need>,
    /// By [`Signed::index`]: the index of the normal form.
    done: Vec<u32>,
    join: Join,
    /// Operands still to be joined, the next one last.
    pending: Vec<Signed>,
}

impl<'a> Normaliser<'a> {
    fn new(arena: &'a mut Arena) -> Self {
        Self {
            arena,
            needs: Vec::new(),
            done: Vec::new(),
            join: Join::default(),
            pending: Vec::new(),
        }
    }

    /// Children have smaller ids than parents: needs flow down through the ids, results up.
    fn run(&mut self, root: Signed) -> Id {
        let ids = root.id.index() + 1;
        self.needs = vec![Need::None; 2 * ids];
        self.done = vec![UNKNOWN; 2 * ids];
        self.needs[root.index()] = Need::Whole;
        let both =
            |index| [false, true].map(|negated| Signed { id: Id::from_index(index), negated });
        for signed in (0..ids).rev().flat_map(both) {
            if self.needs[signed.index()] != Need::None {
                self.need_operands(signed);
            }
        }
        for signed in (0..ids).flat_map(both) {
            if self.needs[signed.index()] != Need::None && !self.dissolves(signed) {
                self.done[signed.index()] = self.normalise(signed).index() as u32;
            }
        }
        self.result(root.id, root.negated)
    }

    /// What the temporal formulas up to `id` became.
    fn temporal_parts(&self, id: Id) -> Vec<(Id, bool, Id)> {
        let mut parts = Vec::new();
        for id in (0..=id.index()).map(Id::from_index) {
            let is_temporal = !matches!(
                self.arena.get(id),
                Node::True | Node::False | Node::Var(_) | Node::Not(_) | Node::And(_) | Node::Or(_)
            ) && !matches!(self.arena.get(id), Node::Implies(..) | Node::Iff(..));
            for negated in [false, true].into_iter().filter(|_| is_temporal) {
                if self.done[Signed { id, negated }.index()] != UNKNOWN {
                    parts.push((id, negated, self.result(id, negated)));
                }
            }
        }
        parts
    }

    fn need_operands(&mut self, signed: Signed) {
        let as_operand = match (self.arena.get(signed.id), self.conjunction(signed)) {
            // A negation hands its own role on.
            (Node::Not(_), _) => self.needs[signed.index()],
            (_, Some(true)) => Need::Conjunct,
            (_, Some(false)) => Need::Disjunct,
            _ => Need::Whole,
        };
        let Self { arena, needs, .. } = self;
        let mut need = |id: Id, negated: bool| {
            let need = &mut needs[Signed { id, negated }.index()];
            *need = if *need == Need::None { as_operand } else { Need::Whole };
        };
        let negated = signed.negated;
        match arena.get(signed.id) {
            Node::Not(a) => need(a, !negated),
            Node::Implies(a, b) => {
                need(a, !negated);
                need(b, negated);
            }
            Node::Iff(a, b) => {
                for side in [false, true] {
                    need(a, side);
                    need(b, side);
                }
            }
            _ => arena.operands(signed.id).iter().for_each(|&a| need(a, negated)),
        }
    }

    /// Whether the signed formula is a conjunction (true) or a disjunction (false), if either.
    fn conjunction(&self, Signed { id, negated }: Signed) -> Option<bool> {
        match self.arena.get(id) {
            Node::And(_) => Some(!negated),
            Node::Or(_) | Node::Implies(..) => Some(negated),
            _ => None,
        }
    }

    /// Whether its operands join those of its only parent, so that it needs no normal form of its
    /// own (a chain of n nested conjunctions would otherwise leave n²/2 operands behind).
    fn dissolves(&self, signed: Signed) -> bool {
        let need = self.needs[signed.index()];
        match (self.arena.get(signed.id), self.conjunction(signed)) {
            (Node::Not(id), _) => {
                need != Need::Whole
                    && self.done[Signed { id, negated: !signed.negated }.index()] == UNKNOWN
            }
            (_, Some(true)) => need == Need::Conjunct,
            (_, Some(false)) => need == Need::Disjunct,
            _ => false,
        }
    }

    fn result(&self, id: Id, negated: bool) -> Id {
        Id::from_index(self.done[Signed { id, negated }.index()] as usize)
    }

    fn normalise(&mut self, Signed { id, negated }: Signed) -> Id {
        let dual = |path: Path| if negated { path.dual() } else { path };
        match self.arena.get(id) {
            Node::True | Node::False => {
                let value = matches!(self.arena.get(id), Node::True) != negated;
                constant(self.arena, value)
            }
            Node::Var(_) if negated => self.arena.not(id),
            Node::Var(_) => id,
            Node::Not(a) => self.result(a, !negated),
            Node::And(_) | Node::Or(_) | Node::Implies(..) => self.nary(Signed { id, negated }),
            Node::Iff(a, b) => {
                let (b_with_a, b_without_a) = (self.result(b, negated), self.result(b, !negated));
                let both = self.join(true, &[self.result(a, false), b_with_a]);
                let neither = self.join(true, &[self.result(a, true), b_without_a]);
                self.join(false, &[both, neither])
            }
            Node::Next(path, a) => self.next(dual(path), self.result(a, negated)),
            Node::Globally(path, a) => {
                let first = constant(self.arena, negated);
                self.eventuality(dual(path), negated, first, self.result(a, negated))
            }
            Node::Finally(path, a) => {
                let first = constant(self.arena, !negated);
                self.eventuality(dual(path), !negated, first, self.result(a, negated))
            }
            Node::Until(path, a, b) => self.eventuality(
                dual(path),
                !negated,
                self.result(a, negated),
                self.result(b, negated),
            ),
            Node::Release(path, a, b) => self.eventuality(
                dual(path),
                negated,
                self.result(a, negated),
                self.result(b, negated),
            ),
            Node::WeakUntil(path, a, b) => {
                let (a, b) = (self.result(a, negated), self.result(b, negated));
                let hold = self.join(negated, &[a, b]);
                self.eventuality(dual(path), negated, b, hold)
            }
        }
    }

    /// The conjunction or disjunction of the operands and of the operands of those that dissolve in
    /// it.
    fn nary(&mut self, signed: Signed) -> Id {
        let conjunction = self.conjunction(signed).expect("a conjunction or disjunction");
        self.join.start(self.arena);
        self.pend(signed);
        while let Some(signed) = self.pending.pop() {
            match self.done[signed.index()] {
                UNKNOWN => self.pend(signed),
                done => self.join.take(self.arena, Id::from_index(done as usize), conjunction),
            }
        }
        self.join.finish(self.arena, conjunction)
    }

    /// Puts the operands of a dissolving formula on the stack, the first on top.
    fn pend(&mut self, Signed { id, negated }: Signed) {
        match self.arena.get(id) {
            Node::Not(a) => self.pending.push(Signed { id: a, negated: !negated }),
            Node::Implies(a, b) => {
                self.pending.push(Signed { id: b, negated });
                self.pending.push(Signed { id: a, negated: !negated });
            }
            _ => {
                let operands = self.arena.operands(id).iter().rev();
                self.pending.extend(operands.map(|&id| Signed { id, negated }));
            }
        }
    }

    fn join(&mut self, conjunction: bool, forms: &[Id]) -> Id {
        self.join.start(self.arena);
        for &form in forms {
            self.join.take(self.arena, form, conjunction);
        }
        self.join.finish(self.arena, conjunction)
    }

    fn next(&mut self, path: Path, a: Id) -> Id {
        match (path, self.arena.get(a)) {
            (Path::All, Node::True) | (Path::Some, Node::False) => a,
            _ => self.arena.add(Node::Next(path, a)),
        }
    }

    /// `φ U ψ` or `φ R ψ` with constants folded; alike for both quantifiers.
    fn eventuality(&mut self, path: Path, until: bool, a: Id, b: Id) -> Id {
        match (self.arena.get(a), self.arena.get(b)) {
            (_, Node::True | Node::False) => b,
            (Node::False, _) if until => b,
            (Node::True, _) if !until => b,
            _ if a == b => b,
            _ if until => self.arena.add(Node::Until(path, a, b)),
            _ => self.arena.add(Node::Release(path, a, b)),
        }
    }
}

fn constant(arena: &mut Arena, value: bool) -> Id {
    arena.add(if value { Node::True } else { Node::False })
}

/// Collects the operands of one conjunction or disjunction: drops units and repetitions, notices
/// the absorbing constant and complementary literals. Linear, by marks that a round number keeps
/// valid.
#[derive(Default)]
struct Join {
    round: u32,
    /// By id: the round in which it was last taken.
    taken: Vec<u32>,
    /// By symbol: the rounds in which the positive and the negative literal were last taken.
    literals: Vec<[u32; 2]>,
    operands: Vec<Id>,
    absorbed: bool,
}

impl Join {
    fn start(&mut self, arena: &Arena) {
        self.round = self.round.checked_add(1).expect("fewer than 2^32 connectives");
        self.operands.clear();
        self.absorbed = false;
        self.literals.resize(arena.symbols(), [0; 2]);
        if self.taken.len() < arena.len() {
            self.taken.resize(arena.len().next_power_of_two(), 0);
        }
    }

    fn take(&mut self, arena: &Arena, form: Id, conjunction: bool) {
        if std::mem::replace(&mut self.taken[form.index()], self.round) == self.round {
            return;
        }
        match arena.get(form) {
            Node::True if conjunction => return,
            Node::False if !conjunction => return,
            Node::True | Node::False => self.absorbed = true,
            Node::Var(symbol) => self.take_literal(symbol.0, 0),
            Node::Not(a) => {
                if let Node::Var(symbol) = arena.get(a) {
                    self.take_literal(symbol.0, 1);
                }
            }
            _ => {}
        }
        self.operands.push(form);
    }

    fn take_literal(&mut self, symbol: u32, sign: usize) {
        let rounds = &mut self.literals[symbol as usize];
        rounds[sign] = self.round;
        self.absorbed |= rounds[1 - sign] == self.round;
    }

    fn finish(&self, arena: &mut Arena, conjunction: bool) -> Id {
        match (self.absorbed, conjunction) {
            (true, _) => constant(arena, !conjunction),
            (false, true) => arena.and(&self.operands),
            (false, false) => arena.or(&self.operands),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn negations_reach_the_variables() {
        let mut a = Arena::new();
        let (p, q) = (a.var("p"), a.var("q"));
        let until = a.add(Node::Until(Path::All, p, q));
        let (not_p, not_q) = (a.not(p), a.not(q));
        let release = a.add(Node::Release(Path::Some, not_p, not_q));
        assert_eq!(a.nnf_not(until), release);
        assert_eq!(a.nnf_not(release), until);
        assert_eq!(a.nnf(until), until);
    }

    #[test]
    fn constants_fold_but_dead_ends_stay() {
        let mut a = Arena::new();
        let (t, f, p) = (a.truth(), a.falsity(), a.var("p"));
        let ex_true = a.add(Node::Next(Path::Some, t));
        assert_eq!(a.nnf(ex_true), ex_true);
        let ax_true = a.add(Node::Next(Path::All, t));
        assert_eq!(a.nnf(ax_true), t);
        let not_p = a.not(p);
        let contradiction = a.and(&[p, ex_true, not_p]);
        assert_eq!(a.nnf(contradiction), f);
    }

    #[test]
    fn a_long_chain_becomes_one_conjunction_in_linear_space() {
        const LENGTH: usize = 100_000;
        let mut a = Arena::new();
        let parts: Vec<Id> = (0..LENGTH).map(|i| a.var(&format!("p{i}"))).collect();
        let chain = parts.iter().rev().copied().reduce(|rest, p| a.and(&[p, rest])).unwrap();
        let before = a.len();
        let flat = a.nnf(chain);
        assert_eq!(a.get(flat), Node::And(&parts));
        assert_eq!(a.len(), before + 1);
        let clause = a.nnf_not(chain);
        assert_eq!(a.operands(clause).len(), LENGTH);
        assert_eq!(a.len(), before + 2 + LENGTH);
    }

    #[test]
    fn nested_equivalences_stay_linear() {
        let mut a = Arena::new();
        let mut formula = a.var("p0");
        for i in 1..1000 {
            let p = a.var(&format!("p{i}"));
            formula = a.add(Node::Iff(formula, p));
        }
        let before = a.len();
        let normal = a.nnf(formula);
        assert!(a.is_nnf(normal));
        assert!(a.len() < before + 8 * 1000, "{} nodes", a.len() - before);
    }
}
