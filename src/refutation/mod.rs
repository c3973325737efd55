//! Checks that a refutation shows a CTL formula to have no model.
//!
//! The format, and why each rule is sound, is docs/refutation.md; nothing but that page is needed to
//! write another checker. This one shares no code with the engines: of the library it uses the
//! formula's text and tree (`ctl`) alone. It follows the steps one by one and searches for nothing.
//!
//! Time is linear in the file and in the clauses that its steps name; memory holds the formulas and
//! the clauses not yet deleted, about 4 bytes per literal and 16 per clause.
//!
//! # References
//! L. Cruz-Filipe, M. Heule, W. Hunt, M. Kaufmann, P. Schneider-Kamp, *Efficient certified RAT
//! verification* (2017), for proofs by unit propagation with hints; D. Kozen, *Results on the
//! propositional μ-calculus* (1983), for the rule of induction.

mod clauses;
mod nodes;
mod reader;
mod steps;

#[cfg(test)]
mod tests;

use crate::ctl::{Arena, Id};
use clauses::Clauses;
use nodes::Nodes;
use reader::Reader;
use std::io::BufRead;
use steps::Checker;

/// What a refutation that was accepted shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accepted {
    /// It shows that there is no total model; otherwise, that there is none at all.
    pub total: bool,
    /// Formulas that it names.
    pub nodes: u64,
    /// Steps that were followed.
    pub steps: u64,
}

/// Why a refutation is not accepted.
#[derive(Debug, thiserror::Error)]
#[error("line {line}{}: {fault}", step_of(*.step))]
pub struct Rejected {
    /// The line of the file, from 1.
    pub line: u64,
    /// The step that is wrong, from 1; `None` before the first.
    pub step: Option<u64>,
    /// What is wrong there.
    pub fault: Fault,
}

fn step_of(step: Option<u64>) -> String {
    step.map_or_else(String::new, |step| format!(", step {step}"))
}

/// What is wrong with a refutation.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The file cannot be read.
    #[error("the refutation cannot be read")]
    Input(#[from] std::io::Error),
    /// The first lines are not those of a refutation of this version.
    #[error("this is no refutation of version 1")]
    Header,
    /// The line does not have the form that its first letter asks for.
    #[error("the line is malformed")]
    Malformed,
    /// A number names no formula defined above.
    #[error("{0} names no formula")]
    NoNode(i64),
    /// A number names no clause, or one that was deleted.
    #[error("{0} names no clause")]
    NoClause(i64),
    /// A clause that speaks of an edge was named where one vertex is meant.
    #[error("clause {0} speaks of two vertices")]
    Edge(i64),
    /// A named clause does not become unit.
    #[error("clause {0} is not unit here")]
    NotUnit(i64),
    /// A named clause is false before the last one.
    #[error("clause {0} is false before the last clause named")]
    Early(i64),
    /// The clauses named do not contradict the negation of the new one.
    #[error("the clauses named do not derive the new one")]
    NoConflict,
    /// The new clause holds a literal and its negation.
    #[error("the new clause holds a literal and its negation")]
    Tautology,
    /// A step to a successor without `EX` of what holds there.
    #[error("the clause does not ask for this successor")]
    NoSuccessor,
    /// A premise of an induction, or of another rule, is not of the form it needs.
    #[error("clause {0} is no premise of this rule")]
    Premise(i64),
    /// Induction about something else than an until.
    #[error("{0} is no until")]
    NoUntil(i64),
    /// What is to hold everywhere is no `AG`.
    #[error("{0} is no AG")]
    NoGlobally(i64),
    /// The refuted formula is not named, or named twice.
    #[error("the refuted formula must be named once, before it is used")]
    Root,
    /// Another formula is refuted.
    #[error("the refutation is of another formula")]
    OtherFormula,
    /// The file ends before the last step.
    #[error("the refutation ends before its last step")]
    Cut,
    /// Something stands behind the last step.
    #[error("there is more behind the last step")]
    Behind,
    /// The caller ended the check.
    #[error("interrupted")]
    Interrupted,
}

/// Checks that a text refutes a formula. `goes_on` is asked now and then with the lines read so
/// far; if it answers false the check ends with [`Fault::Interrupted`].
///
/// # Errors
/// The first fault, with its line and step.
///
/// ```
/// use theta_chess::ctl::{Arena, parse};
/// let mut arena = Arena::new();
/// let formula = parse(&mut arena, "p & ~p")?;
/// // Node 3 is p, node 4 the conjunction; clause 4 says 4 -> 3, clause 5 says 4 -> ~3.
/// let text = "theta refutation 1\nreading any\np p\na 3 -3\nf 4\nc -4 0 4 5\nq 6\n";
/// let accepted = theta_chess::refutation::check(text.as_bytes(), &arena, formula, &mut |_| true)?;
/// assert_eq!(accepted.steps, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check(
    text: impl BufRead,
    arena: &Arena,
    formula: Id,
    goes_on: &mut dyn FnMut(u64) -> bool,
) -> Result<Accepted, Rejected> {
    let mut reader = Reader::new(text);
    let mut checker = None;
    match follow(&mut reader, &mut checker, arena, formula, goes_on) {
        Ok(accepted) => Ok(accepted),
        Err(fault) => {
            let step = checker.map(|c: Checker| c.steps).filter(|&steps| steps > 0);
            Err(Rejected { line: reader.line, step, fault })
        }
    }
}

/// Lines between two questions whether to go on.
const LINES: u64 = 1 << 10;

fn follow(
    reader: &mut Reader<impl BufRead>,
    place: &mut Option<Checker>,
    arena: &Arena,
    formula: Id,
    goes_on: &mut dyn FnMut(u64) -> bool,
) -> Result<Accepted, Fault> {
    let total = reader.header()?;
    let checker = place.insert(Checker::new(Nodes::new(), Clauses::default(), total));
    while let Some(kind) = reader.next()? {
        if reader.line.is_multiple_of(LINES) && !goes_on(reader.line) {
            return Err(Fault::Interrupted);
        }
        let numbers = &reader.numbers;
        match kind {
            b'p' => checker.atom(&reader.name)?,
            b'a' => checker.conjunction(numbers)?,
            b'x' => checker.next(numbers)?,
            b'e' | b'u' => checker.until(kind == b'u', numbers)?,
            b'f' => {
                let root = checker.root(numbers)?;
                if checker.nodes.literal_of(arena, formula) != Some(root) {
                    return Err(Fault::OtherFormula);
                }
            }
            b'c' => checker.propagation(numbers)?,
            b'n' => checker.step(numbers)?,
            b'g' => checker.everywhere(numbers)?,
            b'i' => checker.induction(numbers)?,
            b'd' => checker.delete(numbers)?,
            b'q' => {
                checker.conclude(numbers)?;
                return match reader.next()? {
                    None => {
                        let (nodes, steps) = (checker.nodes.len() as u64, checker.steps);
                        Ok(Accepted { total, nodes, steps })
                    }
                    Some(_) => Err(Fault::Behind),
                };
            }
            _ => return Err(Fault::Malformed),
        }
    }
    Err(Fault::Cut)
}
