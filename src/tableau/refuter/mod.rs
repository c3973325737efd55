//! Refutations: why a formula has no model, in steps that a small program can follow.
//!
//! * `book`: formulas as numbered nodes, clauses over them, and why each clause holds.
//! * `prover`, `heap`: clauses found by propositional reasoning.
//! * `scribe`: steps from vertex to vertex, induction.
//! * `formula`: formulas of the arena as nodes.
//! * `replay`: what the tableau found, as clauses.
//! * `guide`: what the symbolic fixpoint took away, as clauses.
//! * `write`: the file.

mod book;
mod formula;
mod guide;
mod heap;
mod prover;
mod replay;
mod scribe;
mod write;

use super::closure::Closure;
use super::search::Death;
use super::symbolic::Elimination;
use crate::ctl::{Arena, Id, Node, Path};
use crate::limits::{Budget, StopReason};
use book::{Book, ClauseId, Lit, TRUE, Why};
use formula::Names;
use guide::Guide;
use prover::Found;
use replay::Replay;
use scribe::Scribe;
use std::io::{self, Write};

pub use write::Size;

/// Why there is no refutation.
#[derive(Debug, thiserror::Error)]
pub enum RefuteError {
    /// A limit was reached.
    #[error(transparent)]
    Stopped(#[from] StopReason),
    /// What the engine found could not be followed; this is a fault of the program.
    #[error("no refutation was found that follows the engine's steps")]
    Lost,
}

/// What an engine knows of why a formula has no model.
pub(super) enum Evidence<'a> {
    /// Nothing beyond what propositional reasoning finds.
    Propositional,
    /// The deaths of a tableau.
    Tableau(&'a Closure, &'a [Death]),
    /// What the symbolic fixpoint took away.
    Symbolic(&'a Elimination<'a>),
}

/// Why a formula has no model, to be written to a file.
#[derive(Debug)]
pub struct Refutation {
    book: Book,
    root: Lit,
    last: ClauseId,
}

impl Refutation {
    /// Writes what of it is needed, as docs/refutation.md describes it. Linear in all that was
    /// found.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<Size> {
        write::write(&self.book, self.root, self.last, out)
    }

    /// The places of the operands of the refuted conjunction that the refutation uses: these alone
    /// have no model. `[0]` if the formula is no conjunction. Linear in all that was found.
    pub fn conjuncts(&self) -> Vec<usize> {
        write::conjuncts(&self.book, self.root, self.last)
    }
}

/// Finds a refutation of `original`, given its negation normal form and what its temporal parts
/// became in it.
pub(super) fn refute(
    arena: &Arena,
    original: Id,
    (normal, parts): (Id, &[(Id, bool, Id)]),
    total: bool,
    evidence: &Evidence<'_>,
    budget: &Budget,
) -> Result<Refutation, RefuteError> {
    let mut scribe = Scribe::new(total, budget);
    let mut names = Names::default();
    let root = names.literal(scribe.book(), arena, original);
    for &(id, negated, form) in parts {
        let from = names.literal(scribe.book(), arena, id);
        let to = names.literal(scribe.book(), arena, form);
        let done = scribe.equate(if negated { -from } else { from }, to)?;
        debug_assert!(done, "a formula and its normal form are equivalent");
    }
    spread(&mut scribe, &mut names, arena, root, normal)?;
    match evidence {
        Evidence::Propositional => {}
        Evidence::Tableau(closure, deaths) => {
            budget.progress().stage("steps of the refutation", Some(deaths.len() as u64));
            let mut replay = Replay::new(&mut scribe, &mut names, arena, closure, budget);
            replay.prepare()?;
            replay.follow(deaths)?;
        }
        Evidence::Symbolic(elimination) => {
            budget.progress().stage("steps of the refutation", None);
            let mut guide = Guide::new(&mut scribe, &mut names, arena, elimination, budget);
            guide.prepare(normal)?;
            guide.root(root)?;
        }
    }
    match scribe.refute(&[root])? {
        Found::Clause(last) => Ok(Refutation { book: scribe.prover.book, root, last }),
        Found::Trivial | Found::Nothing => Err(RefuteError::Lost),
    }
}

/// The root's conjuncts `AG φ` hold everywhere.
fn spread(
    scribe: &mut Scribe<'_>,
    names: &mut Names,
    arena: &Arena,
    root: Lit,
    normal: Id,
) -> Result<(), StopReason> {
    let mut pending = vec![normal];
    while let Some(id) = pending.pop() {
        match arena.get(id) {
            Node::And(parts) => pending.extend(parts),
            Node::Release(Path::All, never, _) if arena.get(never) == Node::False => {
                let always = names.literal(scribe.book(), arena, id);
                everywhere(scribe, root, always)?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn everywhere(scribe: &mut Scribe<'_>, root: Lit, always: Lit) -> Result<(), StopReason> {
    let found = scribe.refute(&[root, -always])?;
    debug_assert!(found != Found::Nothing, "the root has its conjuncts");
    let hint: ClauseId = match found {
        Found::Clause(clause) => clause,
        // The root is the conjunct itself.
        Found::Trivial => 0,
        Found::Nothing => return Ok(()),
    };
    debug_assert!(always != TRUE);
    scribe.book().clause(&[always], &[hint as i32], Why::Everywhere);
    Ok(())
}
