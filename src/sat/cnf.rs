//! Formulas in conjunctive normal form.

use std::io::{self, Write};

/// A formula in conjunctive normal form over the variables 1 to [`Cnf::variables`]; a literal is a
/// variable or its negative. 4 bytes a literal and 8 a clause.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cnf {
    variables: u32,
    literals: Vec<i32>,
    /// Where each clause ends in `literals`.
    ends: Vec<usize>,
}

impl Cnf {
    /// The formula without clauses over this many variables.
    ///
    /// # Panics
    /// With more than 2³⁰ variables.
    pub fn new(variables: u32) -> Self {
        assert!(variables <= 1 << 30, "{variables} variables");
        Self { variables, ..Self::default() }
    }

    /// Adds a clause; a literal that it has already is left out. Takes time quadratic in the
    /// clause's length.
    ///
    /// # Panics
    /// If a literal is 0 or speaks of a variable that the formula has not.
    pub fn add(&mut self, clause: impl IntoIterator<Item = i32>) {
        let from = self.literals.len();
        for literal in clause {
            assert!((1..=self.variables).contains(&literal.unsigned_abs()), "literal {literal}");
            if !self.literals[from..].contains(&literal) {
                self.literals.push(literal);
            }
        }
        self.ends.push(self.literals.len());
    }

    /// The number of variables.
    pub fn variables(&self) -> u32 {
        self.variables
    }

    /// The number of clauses.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no clause.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The clauses in the order in which they were added.
    pub fn clauses(&self) -> impl Iterator<Item = &[i32]> {
        let mut from = 0;
        self.ends.iter().map(move |&end| &self.literals[std::mem::replace(&mut from, end)..end])
    }

    /// Whether an assignment (`values[v - 1]` for variable v) makes every clause true.
    ///
    /// # Panics
    /// If it assigns fewer variables than the formula has.
    pub fn holds(&self, values: &[bool]) -> bool {
        let holds = |&literal: &i32| values[literal.unsigned_abs() as usize - 1] == (literal > 0);
        self.clauses().all(|clause| clause.iter().any(holds))
    }

    /// Writes the formula in DIMACS, each comment on a line before it.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_dimacs(&self, comments: &[String], out: &mut dyn Write) -> io::Result<()> {
        comments.iter().try_for_each(|comment| writeln!(out, "c {comment}"))?;
        writeln!(out, "p cnf {} {}", self.variables, self.len())?;
        self.write_clauses(out)
    }

    /// Writes the clauses alone, a line for each.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_clauses(&self, out: &mut dyn Write) -> io::Result<()> {
        for clause in self.clauses() {
            clause.iter().try_for_each(|literal| write!(out, "{literal} "))?;
            writeln!(out, "0")?;
        }
        Ok(())
    }
}
