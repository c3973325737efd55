//! Aims with one obligation at a time, decided by fixpoints over the positions.
//!
//! A model of `Init ∧ Rules ∧ AG EX T ∧ aim` for one side, its owner, is a tree of positions: at
//! the owner's turn all children are copies of one position, at the other side's turn every legal
//! position is among the children. Where no position ever has to satisfy two temporal formulas at
//! once, what is satisfiable at a position is a fixpoint of what is satisfiable at its successors:
//! of one of them where the owner chooses or the formula says `E`, of all of them where the other
//! side chooses and the formula says `A`. In negation normal form these aims are
//!
//! ```text
//! φ ::= s | φ ∨ φ | s ∧ AG s ∧ φ | AX φ | EX φ | A[s U φ] | E[s U φ] | A[φ R s] | E[φ R s]        (s without X, U, R)
//! ```
//!
//! Reaching, avoiding, holding something until something else, and chains of such aims are all of
//! this form. A safety condition `AG s` narrows every fixpoint below it to the positions from which
//! its owner can keep s.
//!
//! # References
//! R. Alur, T. Henzinger, O. Kupferman, *Alternating-time temporal logic* (2002), for the fixpoints
//! of one coalition; R. V. Khelemendik, *On the solution of chess positions using computational
//! tree logic*, §6, for reduced aims.

use super::leg::Leg;
use crate::chess::Side;
use crate::ctl::{Arena, Id, Node, Path};
use crate::kripke::VertexSet;
use crate::limits::{Budget, StopReason};
use crate::modelcheck::satisfying;

/// Steps between two looks at the budget.
const STEPS: usize = 1 << 14;

/// Temporal operators may be nested so deep: the evaluation is recursive.
const DEPTH: u32 = 1000;

/// Whose choice a step is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Some successor will do.
    Some,
    /// All successors are needed.
    All,
    /// The owner picks one, the other side any.
    Owner,
    /// The other side picks one, the owner any: the dual of `Owner`.
    Other,
}

impl Step {
    fn dual(self) -> Self {
        match self {
            Self::Some => Self::All,
            Self::All => Self::Some,
            Self::Owner => Self::Other,
            Self::Other => Self::Owner,
        }
    }

    /// What a path quantifier asks of a step in a model of the owner's rules.
    pub(super) fn of(path: Path) -> Self {
        match path {
            Path::All => Self::Owner,
            Path::Some => Self::Some,
        }
    }

    /// Whether one successor is enough where this side is to move, or all are needed.
    pub(super) fn is_some_successor(self, to_move: Side, owner: Side) -> bool {
        match self {
            Self::Some => true,
            Self::All => false,
            Self::Owner => to_move == owner,
            Self::Other => to_move != owner,
        }
    }
}

/// Which subformulas of a formula in negation normal form are temporal, and whether the form above
/// is kept.
pub(super) struct Shape {
    /// By id: the greatest number of temporal operators above one another.
    depth: Vec<u32>,
}

impl Shape {
    pub(super) fn of(arena: &Arena, formula: Id) -> Self {
        let mut depth = vec![0_u32; formula.index() + 1];
        let mut order: Vec<Id> = arena.subformulas(formula).collect();
        order.reverse();
        for id in order {
            let own = u32::from(matches!(
                arena.get(id),
                Node::Next(..) | Node::Until(..) | Node::Release(..)
            ));
            let below = arena.operands(id).iter().map(|a| depth[a.index()]).max();
            depth[id.index()] = below.unwrap_or(0_u32).saturating_add(own);
        }
        Self { depth }
    }

    fn is_static(&self, id: Id) -> bool {
        self.depth[id.index()] == 0
    }

    /// Whether the formula has the form of this module. No recursion: each subformula is looked at
    /// once.
    pub(super) fn is_single(&self, arena: &Arena, formula: Id) -> bool {
        self.depth[formula.index()] <= DEPTH
            && arena.subformulas(formula).all(|id| match arena.get(id) {
                Node::And(operands) => {
                    let rest = |&&a: &&Id| !self.is_static(a) && self.invariant(arena, a).is_none();
                    operands.iter().filter(rest).count() <= 1
                }
                Node::Until(_, a, _) => self.is_static(a),
                Node::Release(_, _, b) => self.is_static(b),
                _ => true,
            })
    }

    /// The s of `AG s` with s static.
    fn invariant(&self, arena: &Arena, id: Id) -> Option<Id> {
        match arena.get(id) {
            Node::Release(Path::All, a, b) if arena.get(a) == Node::False && self.is_static(b) => {
                Some(b)
            }
            _ => None,
        }
    }
}

/// Evaluates formulas of the form of this module.
pub(super) struct Fixpoints<'a> {
    pub(super) arena: &'a Arena,
    pub(super) leg: &'a Leg<'a>,
    pub(super) shape: &'a Shape,
    pub(super) owner: Side,
    pub(super) budget: &'a Budget,
}

impl Fixpoints<'_> {
    /// The positions at which some model of the owner's rules satisfies the formula.
    pub(super) fn satisfiable(&self, formula: Id) -> Result<VertexSet, StopReason> {
        self.within(formula, &VertexSet::full(self.leg.kripke.vertices()))
    }

    /// The same among models that never leave `safe`, a set that the owner can stay in.
    fn within(&self, id: Id, safe: &VertexSet) -> Result<VertexSet, StopReason> {
        if self.shape.is_static(id) {
            return self.static_within(id, safe);
        }
        match self.arena.get(id) {
            Node::And(operands) => self.conjunction(operands, safe),
            Node::Or(operands) => {
                let mut set = self.within(operands[0], safe)?;
                for &operand in &operands[1..] {
                    set.unite(&self.within(operand, safe)?);
                }
                Ok(set)
            }
            Node::Next(path, a) => {
                let mut set = self.next(&self.within(a, safe)?, Step::of(path))?;
                set.intersect(safe);
                Ok(set)
            }
            Node::Until(path, a, b) => {
                let hold = self.static_within(a, safe)?;
                self.until(&hold, self.within(b, safe)?, Step::of(path))
            }
            Node::Release(path, a, b) => {
                let release = self.within(a, safe)?;
                let hold = self.static_within(b, safe)?;
                self.release(release, hold, Step::of(path))
            }
            node => unreachable!("{node:?} is static or not in negation normal form"),
        }
    }

    fn static_within(&self, id: Id, safe: &VertexSet) -> Result<VertexSet, StopReason> {
        let mut set = satisfying(self.arena, id, &self.leg.kripke, self.budget)?;
        set.intersect(safe);
        Ok(set)
    }

    /// Static conjuncts and safety conditions, and at most one other.
    fn conjunction(&self, operands: &[Id], safe: &VertexSet) -> Result<VertexSet, StopReason> {
        let mut rest = None;
        let mut here = safe.clone();
        let mut keep = safe.clone();
        let mut narrowed = false;
        for &operand in operands {
            if self.shape.is_static(operand) {
                here = self.static_within(operand, &here)?;
            } else if let Some(invariant) = self.shape.invariant(self.arena, operand) {
                keep = self.static_within(invariant, &keep)?;
                narrowed = true;
            } else {
                rest = Some(operand);
            }
        }
        if narrowed {
            keep = self.release(VertexSet::empty(keep.universe()), keep, Step::Owner)?;
        }
        here.intersect(&keep);
        if let Some(rest) = rest {
            here.intersect(&self.within(rest, &keep)?);
        }
        Ok(here)
    }

    /// How many successors in a set bring a position into the step's predecessors.
    fn needed(&self, id: u32, step: Step) -> u32 {
        let one = step.is_some_successor(self.leg.side_to_move(id), self.owner);
        if one { 1 } else { self.leg.kripke.successors(id).len() as u32 }
    }

    /// The positions from which the step leads into `set`.
    fn next(&self, set: &VertexSet, step: Step) -> Result<VertexSet, StopReason> {
        let mut found = VertexSet::empty(set.universe());
        self.spread(set.iter().collect(), step, |before| {
            found.insert(before);
            false
        })?;
        Ok(found)
    }

    /// The least set that holds `goal` and the positions of `hold` from which the step leads into
    /// it.
    fn until(
        &self,
        hold: &VertexSet,
        goal: VertexSet,
        step: Step,
    ) -> Result<VertexSet, StopReason> {
        let mut found = goal;
        self.spread(found.iter().collect(), step, |before| {
            hold.contains(before) && found.insert(before)
        })?;
        Ok(found)
    }

    /// The greatest set of positions of `hold` that are in `release` or from which the step stays
    /// in the set.
    fn release(
        &self,
        mut release: VertexSet,
        mut hold: VertexSet,
        step: Step,
    ) -> Result<VertexSet, StopReason> {
        release.complement();
        hold.complement();
        let mut set = self.until(&release, hold, step.dual())?;
        set.complement();
        Ok(set)
    }

    /// Walks backwards from the positions of `worklist`: `reached` is told each position once
    /// enough of its successors were walked from, and says whether to walk on from it. O(V + E); 4
    /// bytes per position.
    fn spread(
        &self,
        mut worklist: Vec<u32>,
        step: Step,
        mut reached: impl FnMut(u32) -> bool,
    ) -> Result<(), StopReason> {
        let kripke = &self.leg.kripke;
        let mut needed: Vec<u32> = (0..kripke.vertices()).map(|id| self.needed(id, step)).collect();
        let mut steps = 0_usize;
        while let Some(id) = worklist.pop() {
            if steps.is_multiple_of(STEPS) {
                self.budget
                    .check(0, self.leg.bytes() + 4 * (needed.len() + worklist.capacity()) as u64)?;
            }
            steps += 1;
            for &before in kripke.predecessors(id) {
                let needed = &mut needed[before as usize];
                *needed = needed.wrapping_sub(1);
                if *needed == 0 && reached(before) {
                    worklist.push(before);
                }
            }
        }
        Ok(())
    }
}
