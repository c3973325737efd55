//! Steps from vertex to vertex, and induction: the rules of a refutation beside propositional ones.

use super::book::{ALIVE, Book, ClauseId, Lit, Node, TRUE, Why};
use super::prover::{Found, Prover};
use crate::limits::{Budget, StopReason};
use hashbrown::HashSet;

/// The clause that says that `T` is true.
const TRUTH: ClauseId = 1;

/// A clause used in a step from a vertex, *here*, to a successor, *there*.
#[derive(Debug, Clone, Copy)]
pub(super) enum Use {
    /// There.
    There(ClauseId),
    /// What the node `EX φ` here means for φ there.
    Link(Lit),
}

/// See the module.
pub(super) struct Scribe<'b> {
    pub(super) prover: Prover<'b>,
    /// Nodes before this one are known to need a successor, if they are an `EX`.
    supplied: usize,
}

impl<'b> Scribe<'b> {
    pub(super) fn new(total: bool, budget: &'b Budget) -> Self {
        Self { prover: Prover::new(Book::new(total), budget), supplied: 2 }
    }

    pub(super) fn book(&mut self) -> &mut Book {
        &mut self.prover.book
    }

    /// Whether these literals contradict each other at every vertex.
    pub(super) fn refute(&mut self, assumptions: &[Lit]) -> Result<Found, StopReason> {
        self.supply();
        self.prover.refute(assumptions)
    }

    /// The clause that refutes these literals, 0 if they contradict each other anyway; `None` if
    /// nothing does.
    fn premise(&mut self, assumptions: &[Lit]) -> Result<Option<i32>, StopReason> {
        Ok(match self.refute(assumptions)? {
            Found::Clause(clause) => Some(clause as i32),
            Found::Trivial => Some(0),
            Found::Nothing => None,
        })
    }

    /// Where an `EX` holds there is a successor.
    fn supply(&mut self) {
        while self.supplied < self.prover.book.nodes.len() {
            self.supplied += 1;
            let node = self.supplied as Lit;
            if let Node::Next(a) = self.prover.book.nodes[self.supplied - 1]
                && !self.prover.book.total
            {
                let plan = [Use::There(TRUTH), Use::Link(ALIVE)];
                let done = self.step(a, &[-node, ALIVE], &plan);
                debug_assert!(done.is_some(), "where EX φ holds EX T does");
            }
        }
    }

    /// Enters the clause `literals`, one of which says that `EX there` is false, if the plan shows
    /// that it holds: under its negation here, and `there` at a successor, each clause of the plan
    /// becomes unit, and one is false. Parts of the plan that are of no use are left out. A clause
    /// that holds a literal and its negation is not entered; the answer is then that of `T`.
    pub(super) fn step(&mut self, there: Lit, literals: &[Lit], plan: &[Use]) -> Option<ClauseId> {
        let book = &mut self.prover.book;
        let mut here: HashSet<Lit> = literals.iter().map(|&l| -l).collect();
        if literals.iter().any(|l| here.contains(l)) {
            return Some(TRUTH);
        }
        let mut after = HashSet::from([there]);
        let mut hints = Vec::with_capacity(plan.len());
        for &part in plan {
            let (hint, clause) = match part {
                Use::There(clause) => (-(clause as i32), clause),
                Use::Link(next) => (book.link(next) as i32, book.link(next)),
            };
            let clause = book.literals(clause);
            let last = clause.len().wrapping_sub(1);
            let is_there = |at: usize| match part {
                Use::There(_) => true,
                Use::Link(_) => at == last,
            };
            let mut open = None;
            let mut opens = 0;
            let mut is_true = false;
            for (at, &literal) in clause.iter().enumerate() {
                let known = if is_there(at) { &after } else { &here };
                is_true |= known.contains(&literal);
                if !known.contains(&-literal) {
                    opens += 1;
                    open = Some((literal, is_there(at)));
                }
            }
            match (is_true, opens, open) {
                (true, ..) => continue,
                (_, 0, _) => {
                    hints.push(hint);
                    return Some(book.clause(literals, &hints, Why::Step(there)));
                }
                (_, 1, Some((literal, is_there))) => {
                    if is_there {
                        after.insert(literal)
                    } else {
                        here.insert(literal)
                    };
                    hints.push(hint);
                }
                _ => continue,
            }
        }
        None
    }

    /// Induction: if no vertex of `set` has the promise of `until`, and each of them that waits has
    /// a successor in the set (or for `E`: only such), none of them satisfies `until`.
    pub(super) fn induction(
        &mut self,
        set: Lit,
        until: Lit,
    ) -> Result<Option<ClauseId>, StopReason> {
        let (is_all, a, b) = match self.prover.book.nodes[until as usize - 1] {
            Node::AllUntil(a, b) => (true, a, b),
            Node::SomeUntil(a, b) => (false, a, b),
            _ => unreachable!("induction is about untils"),
        };
        let Some(now) = self.premise(&[set, b])? else { return Ok(None) };
        let next = self.book().some_next(if is_all { set } else { -set });
        let later = if is_all { vec![set, a, ALIVE, -next] } else { vec![set, a, next] };
        let Some(later) = self.premise(&later)? else { return Ok(None) };
        let why = Why::Induction(set, until);
        Ok(Some(self.book().clause(&[-set, -until], &[now, later], why)))
    }

    /// Proves that two literals, the first of a temporal node, are true at the same vertices.
    /// Whether that could be done.
    pub(super) fn equate(&mut self, first: Lit, second: Lit) -> Result<bool, StopReason> {
        if first == second {
            return Ok(true);
        }
        let (t, s) = if first < 0 { (-first, -second) } else { (first, second) };
        let kind = |scribe: &Self, l: Lit| {
            let node = (l > 0).then(|| scribe.prover.book.nodes[l as usize - 1].clone());
            node.unwrap_or(Node::True)
        };
        match (kind(self, t), kind(self, s)) {
            (Node::Next(a), Node::Next(b)) => {
                Ok(self.monotone(t, a, s, b)? && self.monotone(s, b, t, a)?)
            }
            (Node::Next(a), _) if s == -TRUE => {
                let Found::Clause(clause) = self.refute(&[a])? else { return Ok(false) };
                Ok(self.step(a, &[-t], &[Use::There(clause)]).is_some())
            }
            (Node::SomeUntil(..) | Node::AllUntil(..), other) => {
                if s == -TRUE {
                    // No successor satisfies F.
                    let never = self.book().some_next(-TRUE);
                    self.step(-TRUE, &[-never], &[Use::There(TRUTH)]);
                }
                let back = matches!(other, Node::SomeUntil(..) | Node::AllUntil(..));
                Ok(self.induction(-s, t)?.is_some()
                    && (self.premise(&[s, -t])?.is_some()
                        || back && self.induction(-t, s)?.is_some()))
            }
            _ => Ok(false),
        }
    }

    /// `EX` of a disjunction is the disjunction of the `EX`: all of them nodes.
    pub(super) fn distribute(&mut self, whole: Lit, parts: &[Lit]) -> Result<(), StopReason> {
        for &part in parts {
            self.one_of(part, &[whole])?;
        }
        self.one_of(whole, parts)
    }

    /// Where the node `EX φ` holds, one of the others does, because φ implies one of their operands.
    fn one_of(&mut self, from: Lit, to: &[Lit]) -> Result<(), StopReason> {
        let operand = |book: &Book, next: Lit| match book.nodes.get(next as usize - 1) {
            Some(&Node::Next(a)) if next > 0 => Some(a),
            _ => None,
        };
        let book = &self.prover.book;
        let operands: Option<Vec<Lit>> = to.iter().map(|&next| operand(book, next)).collect();
        let (Some(there), Some(operands)) = (operand(book, from), operands) else { return Ok(()) };
        let mut assumed = vec![there];
        assumed.extend(operands.iter().map(|&o| -o));
        let mut plan: Vec<Use> = to.iter().map(|&next| Use::Link(next)).collect();
        if let Found::Clause(clause) = self.refute(&assumed)? {
            plan.push(Use::There(clause));
        }
        let mut literals = vec![-from];
        literals.extend(to);
        self.step(there, &literals, &plan);
        Ok(())
    }

    /// From `a -> b`: `EX a -> EX b`.
    fn monotone(&mut self, some_a: Lit, a: Lit, some_b: Lit, b: Lit) -> Result<bool, StopReason> {
        let plan = match self.refute(&[a, -b])? {
            Found::Clause(clause) => vec![Use::There(clause), Use::Link(some_b)],
            Found::Trivial => vec![Use::Link(some_b)],
            Found::Nothing => return Ok(false),
        };
        Ok(self.step(a, &[-some_a, some_b], &plan).is_some())
    }
}
