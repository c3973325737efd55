//! Conflicts: the clause learned from one, and the formulas of a query that are to blame for it.
//!
//! # References
//! J. P. Marques-Silva, K. A. Sakallah, *GRASP* (1996); L. Zhang et al., *Efficient conflict driven
//! learning in a Boolean satisfiability solver* (2001), for the first unique implication point.

use super::{Answer, Labeller, Reason, WATCHED};
use crate::tableau::clauses::Lit;
use crate::tableau::closure::NodeId;

/// Learned clauses longer than this are forgotten after the query.
const KEEP: usize = 24;

impl Labeller<'_> {
    /// The literals that are false in the reason of a true literal, passed to `each`; answers
    /// whether the reason is local to the query.
    pub(super) fn reason_of(&self, lit: Lit, mut each: impl FnMut(Lit)) -> bool {
        match self.reasons[lit.variable() as usize] {
            Reason::Given => false,
            Reason::Implied(because) => {
                each(!because);
                false
            }
            Reason::Kept(at) => {
                self.kept.get(at).iter().filter(|&&l| l != lit).for_each(|&l| each(l));
                false
            }
            Reason::Local(at) => {
                self.local.get(at).iter().filter(|&&l| l != lit).for_each(|&l| each(l));
                self.local.tainted(at)
            }
        }
    }

    pub(super) fn level_of(&self, lit: Lit) -> usize {
        self.levels[lit.variable() as usize] as usize
    }

    /// Learns from the conflict and goes back to where the learned clause is of use; false if the
    /// conflict needs no decision.
    pub(super) fn resolve(&mut self) -> bool {
        let level = self.conflict.iter().map(|&l| self.level_of(l)).max().unwrap_or(0);
        if level <= 1 {
            return false;
        }
        self.backtrack(level);
        let (clause, local) = self.learn(level);
        let back = clause[1..].iter().map(|&l| self.level_of(l)).max().unwrap_or(1).max(1);
        self.backtrack(back);
        let keep = !local && clause.len() <= KEEP && self.kept_count < WATCHED;
        let asserted = clause[0];
        let reason = match clause.len() {
            1 if !local => {
                self.units.push(asserted);
                Reason::Local(self.local.add_unwatched(&clause, false))
            }
            1 => Reason::Local(self.local.add_unwatched(&clause, true)),
            _ if keep => {
                self.kept_count += 1;
                let at = self.kept.add(&clause);
                self.watch(at, false, &clause);
                Reason::Kept(at)
            }
            _ => {
                let at = self.local.add_watched(&clause, local);
                self.watch(at, true, &clause);
                Reason::Local(at)
            }
        };
        self.assign(asserted, reason);
        true
    }

    /// The first-unique-implication-point clause, its asserted literal first and a literal of the
    /// highest other level second; and whether it is local.
    fn learn(&mut self, level: usize) -> (Vec<Lit>, bool) {
        let mut clause = vec![Lit::new(0, true)];
        let mut local = self.conflict_local;
        let mut pending = std::mem::take(&mut self.conflict);
        let mut open = 0;
        let mut at = self.trail.len();
        let mut touched = Vec::new();
        loop {
            for lit in pending.drain(..) {
                let variable = lit.variable() as usize;
                let of = self.level_of(lit);
                if of == 0 || std::mem::replace(&mut self.seen[variable], true) {
                    continue;
                }
                touched.push(variable);
                if of == level { open += 1 } else { clause.push(lit) }
            }
            let lit = loop {
                at -= 1;
                let lit = self.trail[at];
                if self.seen[lit.variable() as usize] && self.level_of(lit) == level {
                    break lit;
                }
            };
            open -= 1;
            if open == 0 {
                clause[0] = !lit;
                break;
            }
            local |= self.reason_of(lit, |l| pending.push(l));
        }
        touched.into_iter().for_each(|v| self.seen[v] = false);
        if clause.len() > 2 {
            let second = (1..clause.len()).max_by_key(|&i| self.level_of(clause[i])).unwrap_or(1);
            clause.swap(1, second);
        }
        self.conflict = pending;
        (clause, local)
    }

    /// Which of the query's formulas the conflict at level 1 (or 0) comes from.
    pub(super) fn core(&mut self, refused: Option<NodeId>, formulas: &[NodeId]) -> Answer {
        let mut local = self.conflict_local;
        let mut pending = std::mem::take(&mut self.conflict);
        let mut touched = Vec::new();
        let mut given = Vec::new();
        while let Some(lit) = pending.pop() {
            let variable = lit.variable() as usize;
            if self.levels[variable] == 0 || std::mem::replace(&mut self.seen[variable], true) {
                continue;
            }
            touched.push(variable);
            let truth = !lit;
            if matches!(self.reasons[variable], Reason::Given) {
                given.push(truth);
            }
            local |= self.reason_of(truth, |l| pending.push(l));
        }
        touched.into_iter().for_each(|v| self.seen[v] = false);
        let mut core: Vec<NodeId> =
            formulas.iter().copied().filter(|&f| given.contains(&self.lit(f))).collect();
        core.extend(refused);
        core.sort_unstable();
        core.dedup();
        self.end_query();
        Answer::Conflict { core, local }
    }
}
