//! The rules.

use super::Fault;
use super::clauses::{Clauses, End, Lit, Values};
use super::nodes::{ALIVE, Node, Nodes, TRUE};

/// See the module.
pub(super) struct Checker {
    pub(super) nodes: Nodes,
    clauses: Clauses,
    values: Values,
    root: Option<Lit>,
    /// Steps begun.
    pub(super) steps: u64,
}

impl Checker {
    /// The clauses that every refutation begins with.
    pub(super) fn new(nodes: Nodes, mut clauses: Clauses, total: bool) -> Self {
        clauses.add(&[TRUE], false);
        clauses.add(&[ALIVE, -TRUE], true);
        if total {
            clauses.add(&[ALIVE], false);
        }
        Self { nodes, clauses, values: Values::default(), root: None, steps: 0 }
    }

    fn literal(&self, number: i64) -> Result<Lit, Fault> {
        self.nodes.literal(number).ok_or(Fault::NoNode(number))
    }

    fn literals(&self, numbers: &[i64]) -> Result<Vec<Lit>, Fault> {
        numbers.iter().map(|&n| self.literal(n)).collect()
    }

    fn define(&mut self, node: Node) -> Result<Lit, Fault> {
        self.nodes.add(node).ok_or(Fault::Malformed)
    }

    /// `p NAME`
    pub(super) fn atom(&mut self, name: &str) -> Result<(), Fault> {
        self.define(Node::Atom(name.to_owned())).map(drop)
    }

    /// `a LITERAL LITERAL …`
    pub(super) fn conjunction(&mut self, numbers: &[i64]) -> Result<(), Fault> {
        let parts = self.literals(numbers)?;
        let n = self.define(Node::And(parts.clone()))?;
        let mut all = vec![n];
        all.extend(parts.iter().map(|&p| -p));
        self.clauses.add(&all, false);
        parts.iter().for_each(|&p| self.clauses.add(&[-n, p], false));
        Ok(())
    }

    /// `x LITERAL`
    pub(super) fn next(&mut self, numbers: &[i64]) -> Result<(), Fault> {
        let &[a] = numbers else { return Err(Fault::Malformed) };
        let a = self.literal(a)?;
        self.define_next(a)
    }

    fn define_next(&mut self, a: Lit) -> Result<(), Fault> {
        let n = self.define(Node::Next(a))?;
        self.clauses.add(&[n, -a], true);
        Ok(())
    }

    /// `e LITERAL LITERAL`, `u LITERAL LITERAL`: two nodes.
    pub(super) fn until(&mut self, all: bool, numbers: &[i64]) -> Result<(), Fault> {
        let &[a, b] = numbers else { return Err(Fault::Malformed) };
        let (a, b) = (self.literal(a)?, self.literal(b)?);
        let n = self.define(if all { Node::AllUntil(a, b) } else { Node::SomeUntil(a, b) })?;
        let next = n.checked_add(1).ok_or(Fault::Malformed)?;
        let mut add = |clause: &[Lit]| self.clauses.add(clause, false);
        add(&[-n, b, a]);
        if all {
            add(&[-n, b, ALIVE]);
            add(&[-n, b, -next]);
            add(&[n, -b]);
            add(&[n, -a, -ALIVE, next]);
            self.define_next(-n)
        } else {
            add(&[-n, b, next]);
            add(&[n, -b]);
            add(&[n, -a, -next]);
            self.define_next(n)
        }
    }

    /// `f LITERAL`: the refuted formula.
    pub(super) fn root(&mut self, numbers: &[i64]) -> Result<Lit, Fault> {
        let &[root] = numbers else { return Err(Fault::Malformed) };
        let root = self.literal(root)?;
        if self.root.replace(root).is_some() {
            return Err(Fault::Root);
        }
        Ok(root)
    }

    /// `c LITERAL … 0 CLAUSE …`
    pub(super) fn propagation(&mut self, numbers: &[i64]) -> Result<(), Fault> {
        self.steps += 1;
        let (literals, hints) = self.split(numbers)?;
        self.assume_negation(&literals)?;
        for (at, &hint) in hints.iter().enumerate() {
            self.clauses.at_vertex(hint)?;
            self.use_clause(hint, End::Here, at + 1 == hints.len())?;
        }
        self.conclude_conflict(&literals, hints)
    }

    /// `n LITERAL LITERAL … 0 CLAUSE …`: clauses with a minus are used at the successor.
    pub(super) fn step(&mut self, numbers: &[i64]) -> Result<(), Fault> {
        self.steps += 1;
        let [there, numbers @ ..] = numbers else { return Err(Fault::Malformed) };
        let there = self.literal(*there)?;
        let (literals, hints) = self.split(numbers)?;
        if !literals.iter().any(|&l| self.nodes.operand_of_next(-l) == Some(there)) {
            return Err(Fault::NoSuccessor);
        }
        self.assume_negation(&literals)?;
        self.values.assume(End::There, there);
        for (at, &hint) in hints.iter().enumerate() {
            let (number, end) = match hint {
                ..0 => (hint.checked_neg().ok_or(Fault::NoClause(hint))?, End::There),
                _ => (hint, End::Here),
            };
            if end == End::There {
                self.clauses.at_vertex(number)?;
            }
            self.use_clause(number, end, at + 1 == hints.len())?;
        }
        self.conclude_conflict(&literals, hints)
    }

    /// The literals before the first 0, and the clauses after it.
    fn split<'n>(&self, numbers: &'n [i64]) -> Result<(Vec<Lit>, &'n [i64]), Fault> {
        let zero = numbers.iter().position(|&n| n == 0).ok_or(Fault::Malformed)?;
        Ok((self.literals(&numbers[..zero])?, &numbers[zero + 1..]))
    }

    fn assume_negation(&mut self, literals: &[Lit]) -> Result<(), Fault> {
        self.values.clear(self.nodes.len());
        let fine = literals.iter().all(|&l| self.values.assume(End::Here, -l));
        if fine { Ok(()) } else { Err(Fault::Tautology) }
    }

    fn use_clause(&mut self, number: i64, end: End, is_last: bool) -> Result<(), Fault> {
        let clause = self.clauses.get(number)?;
        match (self.values.is_false(clause, end, number)?, is_last) {
            (true, false) => Err(Fault::Early(number)),
            (false, true) => Err(Fault::NoConflict),
            _ => Ok(()),
        }
    }

    fn conclude_conflict(&mut self, literals: &[Lit], hints: &[i64]) -> Result<(), Fault> {
        if hints.is_empty() {
            return Err(Fault::NoConflict);
        }
        self.clauses.add(literals, false);
        Ok(())
    }

    /// `g LITERAL 0 CLAUSE`: an `AG` that holds where the refuted formula does holds everywhere.
    pub(super) fn everywhere(&mut self, numbers: &[i64]) -> Result<(), Fault> {
        self.steps += 1;
        let &[number, 0, hint] = numbers else { return Err(Fault::Malformed) };
        let always = self.literal(number)?;
        let root = self.root.ok_or(Fault::Root)?;
        if always > 0 || !matches!(self.nodes.get(always), Some(Node::SomeUntil(TRUE, _))) {
            return Err(Fault::NoGlobally(number));
        }
        self.premise(hint, &[-root, always], |_| false)?;
        self.clauses.add(&[always], false);
        Ok(())
    }

    /// `i LITERAL LITERAL CLAUSE CLAUSE`
    pub(super) fn induction(&mut self, numbers: &[i64]) -> Result<(), Fault> {
        self.steps += 1;
        let &[set, until, now, later] = numbers else { return Err(Fault::Malformed) };
        let set = self.literal(set)?;
        let node = self.literal(until)?;
        let found = self.nodes.get(node).filter(|_| node > 0).cloned();
        let nodes = &self.nodes;
        match found {
            Some(Node::SomeUntil(a, b)) => {
                self.premise(now, &[-set, -b], |_| false)?;
                let leaves = |l: Lit| nodes.operand_of_next(-l) == Some(-set);
                self.premise(later, &[-set, -a], leaves)?;
            }
            Some(Node::AllUntil(a, b)) => {
                self.premise(now, &[-set, -b], |_| false)?;
                let stays = |l: Lit| nodes.operand_of_next(l) == Some(set);
                self.premise(later, &[-set, -a, -ALIVE], stays)?;
            }
            _ => return Err(Fault::NoUntil(until)),
        }
        self.clauses.add(&[-set, -node], false);
        Ok(())
    }

    /// A clause whose literals are all among these, or others that are allowed. It may be left out
    /// (0) if those allowed include a literal and its negation.
    fn premise(
        &self,
        number: i64,
        literals: &[Lit],
        others: impl Fn(Lit) -> bool,
    ) -> Result<(), Fault> {
        let may = |l: Lit| literals.contains(&l) || others(l);
        let fine = match number {
            0 => literals.iter().any(|&l| may(-l)),
            _ => self.clauses.at_vertex(number)?.iter().all(|&l| may(l)),
        };
        if fine { Ok(()) } else { Err(Fault::Premise(number)) }
    }

    /// `d CLAUSE …`
    pub(super) fn delete(&mut self, numbers: &[i64]) -> Result<(), Fault> {
        numbers.iter().try_for_each(|&n| self.clauses.delete(n))
    }

    /// `q CLAUSE`: the last step.
    pub(super) fn conclude(&mut self, numbers: &[i64]) -> Result<(), Fault> {
        self.steps += 1;
        let &[last] = numbers else { return Err(Fault::Malformed) };
        let root = self.root.ok_or(Fault::Root)?;
        if last == 0 {
            return Err(Fault::NoClause(0));
        }
        self.premise(last, &[-root], |_| false)
    }
}
