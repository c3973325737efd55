//! What the prover learns from conflicts: clauses with the hints by which they follow, and which
//! assumptions a conflict comes from.

use super::super::book::{ClauseId, Lit, Why};
use super::{Found, NONE, Prover, Watch, at, var};
use hashbrown::HashSet;

impl Prover<'_> {
    /// Marks the other literals of a reason; those of level 0 become hints at once.
    fn mark(
        &mut self,
        clause: ClauseId,
        skip: Lit,
        hints: &mut Vec<i32>,
        mut each: impl FnMut(&mut Self, Lit),
    ) {
        for i in 0..self.book.literals(clause).len() {
            let lit = self.book.literals(clause)[i];
            let v = var(lit);
            if lit == skip || self.seen[v] {
                continue;
            }
            self.seen[v] = true;
            if self.levels[v] == 0 {
                hints.push(self.reasons[v] as i32);
            }
            each(self, lit);
        }
    }

    /// The clause of the assumptions that a conflict comes from, or that make one of them false.
    pub(super) fn core(&mut self, conflict: ClauseId, refused: Option<Lit>) -> Found {
        let mut hints = Vec::new();
        let mut touched = Vec::new();
        let mut literals = Vec::new();
        let mut reasons = Vec::new();
        match refused {
            None => self.mark(conflict, 0, &mut hints, |_, l| touched.push(l)),
            Some(lit) => {
                let v = var(lit);
                if self.levels[v] == 0 {
                    return Found::Clause(self.reasons[v]);
                }
                if self.reasons[v] == NONE {
                    return Found::Trivial;
                }
                literals.push(-lit);
                self.seen[v] = true;
                touched.push(lit);
            }
        }
        for place in (self.limits[0]..self.trail.len()).rev() {
            let lit = self.trail[place];
            if !self.seen[var(lit)] {
                continue;
            }
            match self.reasons[var(lit)] {
                NONE => literals.push(-lit),
                reason => {
                    reasons.push(reason as i32);
                    self.mark(reason, lit, &mut hints, |_, l| touched.push(l));
                }
            }
        }
        touched.into_iter().for_each(|l| self.seen[var(l)] = false);
        hints.extend(reasons.into_iter().rev());
        if refused.is_none() {
            hints.push(conflict as i32);
        }
        if let [only] = hints[..]
            && self.book.literals(only as ClauseId).len() == literals.len()
        {
            return Found::Clause(only as ClauseId);
        }
        Found::Clause(self.book.clause(&literals, &hints, Why::Propagation))
    }

    /// Learns from a conflict and goes back to where that is of use.
    pub(super) fn learn(&mut self, conflict: ClauseId) {
        let level = self.level() as u32;
        let (mut hints, mut touched, mut reasons) = (Vec::new(), Vec::new(), Vec::new());
        let mut clause = vec![0];
        let mut open = 0;
        let mut place = self.trail.len();
        let (mut reason, mut skip) = (conflict, 0);
        loop {
            self.mark(reason, skip, &mut hints, |prover, l| {
                touched.push(l);
                match prover.levels[var(l)] {
                    0 => {}
                    of if of == level => open += 1,
                    _ => clause.push(l),
                }
            });
            let lit = loop {
                place -= 1;
                let lit = self.trail[place];
                if self.seen[var(lit)] {
                    break lit;
                }
            };
            open -= 1;
            if open == 0 {
                clause[0] = -lit;
                break;
            }
            (reason, skip) = (self.reasons[var(lit)], lit);
            reasons.push((place as u32, reason as i32));
        }
        self.minimise(&mut clause, &mut hints, &mut touched, &mut reasons);
        // In the order of the trail each reason becomes unit after those before it.
        reasons.sort_unstable();
        hints.extend(reasons.into_iter().map(|(_, reason)| reason));
        hints.push(conflict as i32);
        for l in touched {
            self.seen[var(l)] = false;
            self.heap.bump(var(l) as u32);
        }
        self.heap.decay();
        self.enter(&mut clause, &hints);
    }

    /// Enters a learned clause into the book, goes back and draws its consequence.
    fn enter(&mut self, clause: &mut [Lit], hints: &[i32]) {
        let level_of = |prover: &Self, l: Lit| prover.levels[var(l)];
        let second = (1..clause.len()).max_by_key(|&i| level_of(self, clause[i]));
        let back = second.map_or(0, |i| {
            clause.swap(1, i);
            level_of(self, clause[1]) as usize
        });
        let mut spans: Vec<u32> = clause.iter().map(|&l| level_of(self, l)).collect();
        spans.sort_unstable();
        spans.dedup();
        self.backtrack(back);
        let id = self.book.clause(clause, hints, Why::Propagation);
        if let [first, second, ..] = *clause {
            self.watches[at(first)].push(Watch { clause: id, blocker: second });
            self.watches[at(second)].push(Watch { clause: id, blocker: first });
            self.watched.resize(id as usize + 1, false);
            self.watched[id as usize] = true;
            self.learned.push((spans.len() as u32, id));
        }
        self.assign(clause[0], id);
    }

    /// Drops literals that the others imply in one step; adds the reasons with their places.
    fn minimise(
        &mut self,
        clause: &mut Vec<Lit>,
        hints: &mut Vec<i32>,
        touched: &mut Vec<Lit>,
        reasons: &mut Vec<(u32, i32)>,
    ) {
        let members: HashSet<Lit> = clause.iter().copied().collect();
        let mut kept = vec![clause[0]];
        for &lit in &clause[1..] {
            let reason = self.reasons[var(lit)];
            let redundant = reason != NONE
                && self
                    .book
                    .literals(reason)
                    .iter()
                    .all(|&l| l == -lit || self.levels[var(l)] == 0 || members.contains(&l));
            if redundant {
                self.mark(reason, -lit, hints, |_, l| touched.push(l));
                reasons.push((self.places[var(lit)], reason as i32));
            } else {
                kept.push(lit);
            }
        }
        *clause = kept;
    }

    /// Forgets the worse half of the learned clauses where there are many; at level 0.
    pub(super) fn forget(&mut self) {
        if self.learned.len() < self.room {
            return;
        }
        self.room += self.room / 10;
        self.learned.sort_unstable();
        let from = self.learned.len() / 2;
        let gone: Vec<ClauseId> = self.learned.drain(from..).map(|(_, id)| id).collect();
        let gone: HashSet<ClauseId> = gone.into_iter().collect();
        for list in &mut self.watches {
            list.retain(|w| !gone.contains(&w.clause));
        }
    }
}
