//! The greatest set of vertices that uphold one another's claims.
//!
//! From all vertices that satisfy the axioms those are taken away, again and again, that claim an
//! `EX φ`, or not to be a dead end, without a fitting successor left, or claim an until whose
//! promise cannot be kept among those left. What remains is the set of vertices of some model each.
//!
//! * `EX E[φ U ψ]`: some successor is in the least set of vertices with ψ, or with φ and a
//!   successor in the set.
//! * `AX A[φ U ψ]`: for every successor needed one can be chosen in the least set of vertices with
//!   ψ, or with φ, a successor, and for every successor needed one in the set.
//!
//! # References
//! E. A. Emerson, *Temporal and modal logic* (1990), for the elimination of types; W. Marrero,
//! *Using BDDs to decide CTL* (2005), for doing it with decision diagrams.

use super::bdd::{Bdd, Bdds};
use super::lean::{Atom, Lean};
use super::transition::Transition;
use crate::ctl::{Id, Node, Path};
use crate::limits::StopReason;
use std::cmp::Reverse;

/// An until that atoms claim.
#[derive(Debug, Clone, Copy)]
pub(super) struct Until {
    pub(super) formula: Id,
    pub(super) path: Path,
    /// The atom `AX` or `EX` of it.
    atom: Atom,
    /// Where it is true.
    pub(super) truth: Bdd,
    /// Where its second operand is true.
    pub(super) promise: Bdd,
    /// Where its first operand and its atom are true.
    waits: Bdd,
}

/// Why vertices were taken away.
#[derive(Debug, Clone, Copy)]
pub(super) enum Why {
    /// They claim a successor at which this is true (or any, if `None`), and none is left.
    Successor(Option<Id>),
    /// They claim the until of this number at their successors, but these cannot keep its promise:
    /// those left that can are known.
    Promise(usize, Bdd),
}

/// What was taken away at one time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Removal {
    /// The vertices left before.
    pub(super) before: Bdd,
    pub(super) why: Why,
}

/// See the module.
pub(super) struct Fixpoint<'a> {
    pub(super) lean: &'a Lean<'a>,
    pub(super) bdds: Bdds,
    pub(super) transition: Transition,
    /// φ for every `EX φ` of the lean.
    pub(super) somes: Vec<Id>,
    pub(super) untils: Vec<Until>,
    /// The vertices not taken away so far.
    pub(super) left: Bdd,
    /// The vertices at which the root's formulas hold.
    start: Bdd,
    /// Whether any was taken away in this pass.
    changed: bool,
    /// Sets to keep through collections.
    pinned: Vec<Bdd>,
    /// For every until the sets of vertices left that can keep its promise within 0, 1, 2, … steps,
    /// as they were when it was last looked at.
    pub(super) layers: Vec<Vec<Bdd>>,
    /// Rounds of elimination.
    pub(super) rounds: u64,
    /// What was taken away, in order, if that is to be kept.
    pub(super) log: Option<Vec<Removal>>,
}

type Result<T> = std::result::Result<T, StopReason>;

/// Where all these are true: conjoined from the bottom up, so that no diagram on the way is much
/// larger than the last one.
fn conjunction(bdds: &mut Bdds, lean: &Lean<'_>, formulas: &[Id]) -> Result<Bdd> {
    let mut truths: Vec<Bdd> = formulas.iter().map(|&formula| lean.truth(formula)).collect();
    truths.sort_by_key(|&truth| Reverse(bdds.split(truth).map(|(level, ..)| level)));
    truths.into_iter().try_fold(Bdd::TRUE, |all, truth| bdds.and(truth, all))
}

impl<'a> Fixpoint<'a> {
    pub(super) fn new(
        arena: &'a crate::ctl::Arena,
        lean: &'a Lean<'a>,
        mut bdds: Bdds,
    ) -> Result<Self> {
        let transition = Transition::new(lean, &mut bdds)?;
        let mut somes = Vec::new();
        let mut untils = Vec::new();
        for &atom in &lean.atoms {
            let Atom::Next(path, operand) = atom else { continue };
            if path == Path::Some {
                somes.push(operand);
            }
            if let Node::Until(quantifier, first, second) = arena.get(operand)
                && quantifier == path
            {
                let claim = lean.atom(&mut bdds, atom);
                let waits = bdds.and(claim, lean.truth(first))?;
                let (truth, promise) = (lean.truth(operand), lean.truth(second));
                untils.push(Until { formula: operand, path, atom, truth, promise, waits });
            }
        }
        let left = conjunction(&mut bdds, lean, &lean.axioms)?;
        let start = conjunction(&mut bdds, lean, &lean.start)?;
        let pinned = Vec::new();
        let layers = vec![Vec::new(); untils.len()];
        let mut fixpoint = Self {
            lean,
            bdds,
            transition,
            somes,
            untils,
            left,
            start,
            changed: false,
            pinned,
            layers,
            rounds: 0,
            log: None,
        };
        let alive = fixpoint.alive();
        for at in 0..fixpoint.somes.len() {
            let claim = fixpoint.some(fixpoint.somes[at]);
            fixpoint.leave(claim, alive, Why::Successor(None))?;
        }
        Ok(fixpoint)
    }

    pub(super) fn alive(&mut self) -> Bdd {
        self.lean.atom(&mut self.bdds, Atom::Alive)
    }

    /// Where `EX operand` is claimed.
    fn some(&mut self, operand: Id) -> Bdd {
        self.lean.atom(&mut self.bdds, Atom::Next(Path::Some, operand))
    }

    /// `set & (claim -> grounds)`
    fn require(&mut self, set: Bdd, claim: Bdd, grounds: Bdd) -> Result<Bdd> {
        // The claim is a variable: its negation has two nodes.
        let unclaimed = match self.bdds.split(claim) {
            Some((level, ..)) => self.bdds.negated(level),
            None => return self.bdds.and(set, grounds),
        };
        let fine = self.bdds.or(unclaimed, grounds)?;
        self.bdds.and(set, fine)
    }

    /// Takes away what claims this without having grounds to.
    fn leave(&mut self, claim: Bdd, grounds: Bdd, why: Why) -> Result<()> {
        let left = self.require(self.left, claim, grounds)?;
        if left != self.left
            && let Some(log) = &mut self.log
        {
            log.push(Removal { before: self.left, why });
            self.pinned.push(self.left);
            if let Why::Promise(_, kept) = why {
                self.pinned.push(kept);
            }
        }
        self.changed |= left != self.left;
        self.left = left;
        Ok(())
    }

    /// Takes away until nothing more goes, or no root is left; whether one is left.
    pub(super) fn run(&mut self) -> Result<bool> {
        loop {
            self.supply()?;
            self.changed = false;
            if self.roots()? != Bdd::FALSE {
                self.keep_promises()?;
            }
            let roots = self.roots()?;
            if roots == Bdd::FALSE || !self.changed {
                return Ok(roots != Bdd::FALSE);
            }
        }
    }

    /// The vertices left that may be the root.
    pub(super) fn roots(&mut self) -> Result<Bdd> {
        self.bdds.and(self.left, self.start)
    }

    /// Ends a round: looks at the budget and gives back what is not in use.
    pub(super) fn end_round(&mut self, in_use: &[Bdd]) -> Result<()> {
        self.rounds += 1;
        self.bdds.look_at_budget()?;
        if self.bdds.is_due() {
            let untils = self.untils.iter().flat_map(|u| [u.promise, u.waits]);
            let roots = self.lean.truths().chain(self.transition.roots()).chain(untils);
            let layers = self.layers.iter().flatten();
            let kept = self.pinned.iter().chain(layers).chain(in_use).copied();
            self.bdds.collect(roots.chain([self.left, self.start]).chain(kept));
        }
        Ok(())
    }

    /// Leaves only vertices with a successor left for every claim of one.
    fn supply(&mut self) -> Result<()> {
        loop {
            self.changed = false;
            let alive = self.alive();
            let grounds = self.transition.before(&mut self.bdds, self.left)?;
            self.leave(alive, grounds, Why::Successor(None))?;
            for at in 0..self.somes.len() {
                let operand = self.somes[at];
                let claim = self.some(operand);
                let grounds = self.before_some(self.left, operand)?;
                self.leave(claim, grounds, Why::Successor(Some(operand)))?;
            }
            self.end_round(&[])?;
            if !self.changed || self.roots()? == Bdd::FALSE {
                return Ok(());
            }
        }
    }

    /// The vertices that may have a successor in `set` at which `operand` is true.
    fn before_some(&mut self, set: Bdd, operand: Id) -> Result<Bdd> {
        let target = self.bdds.and(set, self.lean.truth(operand))?;
        self.transition.before(&mut self.bdds, target)
    }

    /// The vertices that may have every successor they need in `set`.
    fn before_all(&mut self, set: Bdd) -> Result<Bdd> {
        let alive = self.alive();
        let mut fine = self.transition.before(&mut self.bdds, set)?;
        fine = self.bdds.and(fine, alive)?;
        for at in 0..self.somes.len() {
            let operand = self.somes[at];
            let claim = self.some(operand);
            let grounds = self.before_some(set, operand)?;
            fine = self.require(fine, claim, grounds)?;
        }
        Ok(fine)
    }

    /// Leaves only vertices that can keep the promises of their untils.
    fn keep_promises(&mut self) -> Result<()> {
        for at in 0..self.untils.len() {
            let until = self.untils[at];
            let kept = self.climb(at)?;
            let claim = self.lean.atom(&mut self.bdds, until.atom);
            match until.path {
                Path::Some => {
                    let grounds = self.transition.before(&mut self.bdds, kept)?;
                    self.leave(claim, grounds, Why::Promise(at, kept))?;
                }
                Path::All => {
                    let grounds = self.before_all(kept)?;
                    let alive = self.alive();
                    // At a dead end every `AX` is true.
                    let dead_end = match self.bdds.split(alive) {
                        Some((level, ..)) => self.bdds.negated(level),
                        None => Bdd::FALSE,
                    };
                    let grounds = self.bdds.or(grounds, dead_end)?;
                    self.leave(claim, grounds, Why::Promise(at, kept))?;
                }
            }
        }
        Ok(())
    }

    /// The vertices left that can keep an until's promise, in layers.
    fn climb(&mut self, at: usize) -> Result<Bdd> {
        let until = self.untils[at];
        let mut kept = self.bdds.and(self.left, until.promise)?;
        let waiting = self.bdds.and(self.left, until.waits)?;
        self.layers[at].clear();
        loop {
            self.layers[at].push(kept);
            let grounds = match until.path {
                Path::Some => self.transition.before(&mut self.bdds, kept)?,
                Path::All => self.before_all(kept)?,
            };
            let joining = self.bdds.and(waiting, grounds)?;
            let next = self.bdds.or(kept, joining)?;
            if next == kept {
                return Ok(kept);
            }
            kept = next;
            self.end_round(&[kept, waiting])?;
        }
    }
}
