//! The clauses known so far, and values at the two ends of an edge.

use super::Fault;

/// A node's number, negative for its negation.
pub(super) type Lit = i32;

/// A clause: its literals, and whether the last of them is meant at the end of an edge.
#[derive(Debug)]
pub(super) struct Clause {
    pub(super) literals: Box<[Lit]>,
    pub(super) is_edge: bool,
}

/// See the module. Clauses are numbered from 1.
#[derive(Debug, Default)]
pub(super) struct Clauses {
    clauses: Vec<Option<Clause>>,
}

impl Clauses {
    pub(super) fn add(&mut self, literals: &[Lit], is_edge: bool) {
        self.clauses.push(Some(Clause { literals: literals.into(), is_edge }));
    }

    pub(super) fn get(&self, number: i64) -> Result<&Clause, Fault> {
        let at = usize::try_from(number.checked_sub(1).unwrap_or(-1)).ok();
        at.and_then(|at| self.clauses.get(at)?.as_ref()).ok_or(Fault::NoClause(number))
    }

    /// A clause that speaks of one vertex.
    pub(super) fn at_vertex(&self, number: i64) -> Result<&[Lit], Fault> {
        let clause = self.get(number)?;
        if clause.is_edge { Err(Fault::Edge(number)) } else { Ok(&clause.literals) }
    }

    pub(super) fn delete(&mut self, number: i64) -> Result<(), Fault> {
        self.get(number)?;
        self.clauses[number as usize - 1] = None;
        Ok(())
    }
}

/// The beginning of an edge, or its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Here,
    There,
}

/// Which literals are true at the two ends of an edge.
#[derive(Debug, Default)]
pub(super) struct Values {
    /// By node: 1 true, -1 false, 0 unknown.
    values: [Vec<i8>; 2],
    known: Vec<(End, Lit)>,
}

impl Values {
    /// Forgets everything; there are so many nodes.
    pub(super) fn clear(&mut self, nodes: usize) {
        for (end, literal) in self.known.drain(..) {
            self.values[end as usize][literal.unsigned_abs() as usize] = 0;
        }
        self.values.iter_mut().for_each(|values| values.resize(nodes + 1, 0));
    }

    fn value(&self, end: End, literal: Lit) -> i8 {
        let value = self.values[end as usize][literal.unsigned_abs() as usize];
        if literal > 0 { value } else { -value }
    }

    /// Makes a literal true; false if it is false.
    pub(super) fn assume(&mut self, end: End, literal: Lit) -> bool {
        match self.value(end, literal) {
            0 => {
                let value = if literal > 0 { 1 } else { -1 };
                self.values[end as usize][literal.unsigned_abs() as usize] = value;
                self.known.push((end, literal));
                true
            }
            value => value > 0,
        }
    }

    /// Looks at a clause all but one of whose literals must be false: that one becomes true. True
    /// if all are false.
    pub(super) fn is_false(
        &mut self,
        clause: &Clause,
        end: End,
        number: i64,
    ) -> Result<bool, Fault> {
        let mut unit = None;
        let last = clause.literals.len();
        for (at, &literal) in clause.literals.iter().enumerate() {
            let end = if clause.is_edge && at + 1 == last { End::There } else { end };
            match self.value(end, literal) {
                -1 => {}
                0 if unit.is_none_or(|u| u == (end, literal)) => unit = Some((end, literal)),
                _ => return Err(Fault::NotUnit(number)),
            }
        }
        Ok(unit.is_none_or(|(end, literal)| !self.assume(end, literal)))
    }
}
