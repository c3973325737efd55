//! Several obligations at once, a fixed number of plies ahead.
//!
//! In a model of one side's rules the owner plays one move at each turn, and a vertex may have
//! several successors that carry the same position. So formulas that only look ahead are satisfied
//! together at a position exactly when, after a choice of one disjunct each, the literals hold
//! there, and
//!
//! * where the owner is to move, there is one move after which all φ of the `AX φ` can be satisfied
//!   together, and for each `EX ψ` together with ψ;
//! * where the other side is to move, they can after every move, and for each `EX ψ` together with
//!   ψ after some move.
//!
//! Exponential in the disjunctions at worst; a set of formulas is decided once at each position.

use super::{Local, Visit};
use crate::chess::Side;
use crate::ctl::{Id, Node, Path};
use crate::limits::StopReason;

/// Branches between two looks at the budget.
const STEPS: u64 = 1 << 10;

/// Formulas to be satisfied together at one position, as far as they are taken apart.
#[derive(Clone, Default)]
struct Branch {
    pending: Vec<Id>,
    literals: Vec<Id>,
    /// Disjunctions, left until the rest is known to hold.
    choices: Vec<Id>,
    /// φ of every `AX φ`.
    alls: Vec<Id>,
    /// ψ of every `EX ψ`.
    somes: Vec<Id>,
}

impl Local<'_> {
    /// Whether some model of the owner's rules satisfies all these formulas at a position.
    pub(super) fn together(
        &mut self,
        mut formulas: Vec<Id>,
        visit: &Visit,
    ) -> Result<bool, StopReason> {
        formulas.sort_unstable();
        formulas.dedup();
        let key = (formulas.into_boxed_slice(), visit.id);
        if let Some(&known) = self.sets.get(&key) {
            return Ok(known);
        }
        let branch = Branch { pending: key.0.to_vec(), ..Branch::default() };
        let truth = self.branch(branch, visit)?;
        self.sets.insert(key, truth);
        Ok(truth)
    }

    fn branch(&mut self, mut branch: Branch, visit: &Visit) -> Result<bool, StopReason> {
        self.branches += 1;
        if self.branches.is_multiple_of(STEPS) {
            self.look_at_budget()?;
        }
        while let Some(id) = branch.pending.pop() {
            match self.arena.get(id) {
                Node::And(parts) => branch.pending.extend(parts),
                Node::Or(_) => branch.choices.push(id),
                Node::Next(Path::All, a) => branch.alls.push(a),
                Node::Next(Path::Some, a) => branch.somes.push(a),
                _ => branch.literals.push(id),
            }
        }
        for literal in std::mem::take(&mut branch.literals) {
            if !self.truth(literal, visit)? {
                return Ok(false);
            }
        }
        let Some(choice) = branch.choices.pop() else {
            return self.successors_allow(branch, visit);
        };
        for k in 0..self.arena.operands(choice).len() {
            let mut chosen = branch.clone();
            chosen.pending.push(self.arena.operands(choice)[k]);
            if self.branch(chosen, visit)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the successors can satisfy what `AX` and `EX` ask of them.
    fn successors_allow(&mut self, branch: Branch, visit: &Visit) -> Result<bool, StopReason> {
        let Branch { alls, somes, .. } = branch;
        if alls.is_empty() && somes.is_empty() {
            return Ok(true);
        }
        let successors = self.successors(visit)?.to_vec();
        if Side::to_move(&visit.y) == self.owner() {
            for &z in &successors {
                if self.every(&alls, &somes, z)? {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        for &z in successors.iter().filter(|_| !alls.is_empty()) {
            if !self.every(&alls, &[], z)? {
                return Ok(false);
            }
        }
        for some in somes {
            let mut found = false;
            for &z in &successors {
                found = found || self.every(&alls, &[some], z)?;
            }
            if !found {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether copies of one position can satisfy `alls`, and for each of `somes` it too.
    fn every(&mut self, alls: &[Id], somes: &[Id], z: u32) -> Result<bool, StopReason> {
        let visit = self.visit(z);
        if somes.is_empty() {
            return self.together(alls.to_vec(), &visit);
        }
        for &some in somes {
            let formulas = alls.iter().copied().chain([some]).collect();
            if !self.together(formulas, &visit)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
