//! What is wrong with a specification of several conjuncts: those that contradict one another, and
//! those that say nothing beyond the others. And what is right with it: a small model.
//!
//! A *part* is a conjunct. Everything said of parts is decided by [`tableau`], in models of the reading that
//! its options ask for; a limit of the budget leaves a part undecided, and never says more than was
//! decided.
//!
//! # References
//! R. R. Bakker et al., *Diagnosing and solving over-determined constraint satisfaction problems*
//! (1993), for cores by deletion. O. Kupferman, M. Y. Vardi, *Vacuity detection in temporal model
//! checking* (2003); D. Fisman et al., *A framework for inherent vacuity* (2008), for subformulas
//! that do not matter.

mod redundant;
mod smallest;

pub use redundant::{Lint, Remark, redundant};
pub use smallest::{Small, smallest};

use crate::ctl::{Arena, Id, Node};
use crate::limits::{Budget, StopReason};
use crate::tableau::{self, Answer, Options};

/// From so many parts on, a refutation first tells which of them are needed at all.
const MANY: usize = 8;

/// Parts that have no model together.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Core {
    /// Their places, ascending.
    pub parts: Vec<usize>,
    /// None of them can be left out: without any one of them there is a model. Otherwise a limit
    /// was reached before that was known of all.
    pub minimal: bool,
}

/// The conjuncts of a formula: those of nested conjunctions too, and of a negation what it denies.
/// Together they are equivalent to it. O(conjuncts).
///
/// ```
/// use theta_chess::ctl::{Arena, Syntax, parse, to_text};
/// use theta_chess::specification::conjuncts;
/// let mut arena = Arena::new();
/// let formula = parse(&mut arena, "(AG p & q) & ~(r -> AF s | t)")?;
/// let parts = conjuncts(&mut arena, formula);
/// let texts: Vec<_> = parts.iter().map(|&id| to_text(&arena, id, Syntax::Ascii)).collect();
/// assert_eq!(texts, ["AG p", "q", "r", "~AF s", "~t"]);
/// # Ok::<(), theta_chess::ctl::ParseError>(())
/// ```
pub fn conjuncts(arena: &mut Arena, formula: Id) -> Vec<Id> {
    let mut found = Vec::new();
    let mut pending = vec![(formula, false)];
    while let Some((id, negated)) = pending.pop() {
        match (arena.get(id), negated) {
            (Node::And(parts), false) | (Node::Or(parts), true) => {
                pending.extend(parts.iter().rev().map(|&part| (part, negated)));
            }
            (Node::Not(a), _) => pending.push((a, !negated)),
            (Node::Implies(a, b), true) => pending.extend([(b, true), (a, false)]),
            (_, false) => found.push(id),
            (_, true) => found.push(arena.not(id)),
        }
    }
    found
}

/// A smallest set of parts, none of which can be left out, that has no model; `None` if all of them
/// have one. Parts are left out one after the other, so that of several such sets the one of late
/// parts is found; with many parts a refutation tells first which of them matter.
///
/// Asks as many questions as there are parts (that matter).
///
/// # Errors
/// The limit that was reached before it was known whether all parts have a model.
///
/// ```
/// use theta_chess::ctl::{Arena, parse};
/// use theta_chess::limits::Budget;
/// use theta_chess::specification::core;
/// use theta_chess::tableau::Options;
/// let mut arena = Arena::new();
/// let parts = ["AG p", "EF q", "EF ~p", "r"].map(|text| parse(&mut arena, text).unwrap());
/// let core = core(&mut arena, &parts, &Options::default(), &Budget::default())?.unwrap();
/// assert_eq!((core.parts, core.minimal), (vec![0, 2], true));
/// # Ok::<(), theta_chess::limits::StopReason>(())
/// ```
pub fn core(
    arena: &mut Arena,
    parts: &[Id],
    options: &Options,
    budget: &Budget,
) -> Result<Option<Core>, StopReason> {
    let all: Vec<usize> = (0..parts.len()).collect();
    let mut left = match holds_none(arena, parts, &all, options, budget)? {
        Some(left) => left,
        None => return Ok(None),
    };
    let mut minimal = true;
    let mut at = 0;
    while at < left.len() && left.len() > 1 {
        let mut fewer = left.clone();
        fewer.remove(at);
        match holds_none(arena, parts, &fewer, options, budget) {
            // What a refutation of the rest does not need goes too. The parts before `at` stay:
            // each of them was needed by more.
            Ok(Some(fewer)) => {
                at = fewer.iter().filter(|&&part| left[..at].contains(&part)).count();
                left = fewer;
            }
            Ok(None) => at += 1,
            Err(_) => (minimal, at) = (false, at + 1),
        }
    }
    Ok(Some(Core { parts: left, minimal }))
}

/// Of parts that have no model together those that are needed for that, as far as is known; `None`
/// if they have one.
fn holds_none(
    arena: &mut Arena,
    parts: &[Id],
    places: &[usize],
    options: &Options,
    budget: &Budget,
) -> Result<Option<Vec<usize>>, StopReason> {
    let mut formulas: Vec<Id> = places.iter().map(|&place| parts[place]).collect();
    formulas.dedup();
    let all = arena.and(&formulas);
    if !unsatisfiable(arena, all, options, budget)? {
        return Ok(None);
    }
    if places.len() < MANY || formulas.len() < places.len() {
        return Ok(Some(places.to_vec()));
    }
    Ok(Some(match tableau::refute(arena, all, options, budget) {
        Ok((_, Some(refutation))) => {
            refutation.conjuncts().into_iter().map(|k| places[k]).collect()
        }
        _ => places.to_vec(),
    }))
}

/// Whether a formula has no model.
fn unsatisfiable(
    arena: &mut Arena,
    formula: Id,
    options: &Options,
    budget: &Budget,
) -> Result<bool, StopReason> {
    match tableau::satisfiable(arena, formula, options, budget).answer {
        Answer::Satisfiable(_) => Ok(false),
        Answer::Unsatisfiable => Ok(true),
        Answer::Unknown(stop) => Err(stop),
    }
}

#[cfg(test)]
mod tests;
