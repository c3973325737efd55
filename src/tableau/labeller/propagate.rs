//! Consequences: what a node that is true, or false, means for others, through the shapes of the
//! closure, the clauses that watch, and the guards.

use super::{Labeller, Reason};
use crate::ctl::Path;
use crate::tableau::clauses::{Lit, Watch};
use crate::tableau::closure::{Closure, Kind, NONE, Shape};

impl Labeller<'_> {
    pub(super) fn watch(&mut self, at: u32, local: bool, clause: &[Lit]) {
        let watch = |blocker| Watch { at, local, blocker };
        self.watches.add(clause[0], watch(clause[1]));
        self.watches.add(clause[1], watch(clause[0]));
    }

    pub(super) fn new_level(&mut self) {
        self.limits.push((self.trail.len(), self.frontier));
    }

    pub(super) fn assign(&mut self, lit: Lit, reason: Reason) {
        debug_assert_eq!(self.values[lit.index()], 0);
        self.values[lit.index()] = 1;
        self.values[(!lit).index()] = -1;
        let variable = lit.variable() as usize;
        self.levels[variable] = self.limits.len() as u32;
        self.reasons[variable] = reason;
        self.trail.push(lit);
    }

    pub(super) fn backtrack(&mut self, level: usize) {
        if self.limits.len() <= level {
            return;
        }
        let (start, frontier) = self.limits[level];
        self.limits.truncate(level);
        for lit in self.trail.drain(start..) {
            self.values[lit.index()] = 0;
            self.values[(!lit).index()] = 0;
        }
        self.head = start.min(self.head);
        self.frontier = frontier;
    }

    /// Makes `lit` true because `because` is; false on conflict.
    fn imply(&mut self, because: Lit, lit: Lit) -> bool {
        match self.values[lit.index()] {
            0 => self.assign(lit, Reason::Implied(because)),
            1 => {}
            _ => {
                self.conflict.clear();
                self.conflict.extend([!because, lit]);
                self.conflict_local = false;
                return false;
            }
        }
        true
    }

    /// All consequences of the trail but those of indexed disjunctions; false on conflict.
    pub(super) fn propagate(&mut self) -> bool {
        while self.head < self.trail.len() {
            let lit = self.trail[self.head];
            self.head += 1;
            if !self.unfold(lit) || !self.propagate_clauses(lit) || !self.pass_guards(lit) {
                return false;
            }
        }
        true
    }

    /// What the truth of a node means for its parts, and the falsity of a part for its
    /// conjunctions.
    fn unfold(&mut self, lit: Lit) -> bool {
        let closure = self.closure;
        if let Some(node) = self.node(lit) {
            if let Shape::All(parts) | Shape::Cube(parts) = closure.shape(node) {
                for &part in parts {
                    if !self.imply(lit, self.lit(part)) {
                        return false;
                    }
                }
            }
            if closure.kind(node) == Kind::Next(Path::Some)
                && !self.imply(lit, self.lit(Closure::ALIVE))
            {
                return false;
            }
            let dual = closure.dual(node);
            return dual == NONE || self.imply(lit, !self.lit(dual));
        }
        let part = if lit.variable() >= closure.variables() {
            lit.variable() - closure.variables()
        } else {
            closure.literal_node(lit.variable(), !lit.sign())
        };
        if part == NONE {
            return true;
        }
        for i in 0..self.parents[part as usize].len() {
            let parent = self.parents[part as usize][i];
            if !self.imply(lit, !self.lit(parent)) {
                return false;
            }
        }
        true
    }

    fn propagate_clauses(&mut self, lit: Lit) -> bool {
        let falsified = !lit;
        let mut list = self.watches.take(falsified);
        let (mut from, mut to) = (0, 0);
        let mut consistent = true;
        while from < list.len() {
            let watch = list[from];
            from += 1;
            if self.values[watch.blocker.index()] == 1 {
                list[to] = watch;
                to += 1;
                continue;
            }
            let clauses = if watch.local { &mut self.local } else { &mut self.kept };
            let clause = clauses.get_mut(watch.at);
            if clause[0] == falsified {
                clause.swap(0, 1);
            }
            let first = clause[0];
            let replacement = || (2..clause.len()).find(|&i| self.values[clause[i].index()] != -1);
            if self.values[first.index()] != 1
                && let Some(next) = replacement()
            {
                clause.swap(1, next);
                let other = clause[1];
                self.watches.add(other, Watch { blocker: first, ..watch });
                continue;
            }
            list[to] = Watch { blocker: first, ..watch };
            to += 1;
            match self.values[first.index()] {
                1 => {}
                0 => {
                    let reason =
                        if watch.local { Reason::Local(watch.at) } else { Reason::Kept(watch.at) };
                    self.assign(first, reason);
                }
                _ => {
                    self.conflict.clear();
                    self.conflict.extend_from_slice(clause);
                    self.conflict_local = watch.local && self.local.tainted(watch.at);
                    consistent = false;
                    break;
                }
            }
        }
        list.copy_within(from.., to);
        list.truncate(to + list.len() - from);
        self.watches.put_back(falsified, list);
        consistent
    }

    /// Moves the guards at a literal that has become true; false if one of them has no other place
    /// to stand.
    fn pass_guards(&mut self, lit: Lit) -> bool {
        let mut list = std::mem::take(&mut self.guards[lit.index()]);
        let mut consistent = true;
        list.retain(|&at| {
            let clause = self.kept.get(at);
            // In the clause the literals are negated: one that is not false has not become true.
            match clause.iter().find(|l| self.values[l.index()] != -1) {
                Some(&other) => {
                    self.guards[(!other).index()].push(at);
                    false
                }
                None => {
                    if consistent {
                        self.conflict.clear();
                        self.conflict.extend_from_slice(clause);
                        self.conflict_local = false;
                    }
                    consistent = false;
                    true
                }
            }
        });
        self.guards[lit.index()] = list;
        consistent
    }
}
