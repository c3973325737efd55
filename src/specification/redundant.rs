//! Parts of a specification that say nothing beyond the others, and subformulas of them that do not
//! matter.
//!
//! A part is *implied* if the others with its negation have no model; a core of these tells by
//! which. A subformula *does not matter* in a part if the part could be sharpened there: a positive
//! occurrence replaced by `F`, a negative one by `T`, and what the whole specification says implies
//! the sharper part. `AG (p -> AF q)` where p never holds is the common case.

use super::{core, unsatisfiable};
use crate::ctl::{Arena, Id, Node};
use crate::limits::{Budget, StopReason};
use crate::tableau::Options;

/// Occurrences of subformulas that are tried in a part.
const TRIED: usize = 64;

/// What is to be said of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remark {
    /// It is true in every model.
    Valid,
    /// These other parts imply it, and none of them can be left out for that, as far as is known.
    Implied(Vec<usize>),
    /// A subformula of it does not matter.
    Vacuous {
        /// The subformula.
        subformula: Id,
        /// The part with `F` or `T` in its place, which the specification implies too.
        sharper: Id,
    },
}

/// What is to be said of the parts of a specification.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lint {
    /// Remarks with the places of their parts, in order.
    pub remarks: Vec<(usize, Remark)>,
    /// Parts of which not everything was decided.
    pub undecided: Vec<usize>,
}

/// Looks for parts that are implied by the others, and for subformulas that do not matter; `None`
/// if the parts have no model together, so that everything is implied.
///
/// Asks a question for each part, and in those that are not implied up to 64 more.
///
/// # Errors
/// The limit that was reached before it was known whether the parts have a model.
///
/// ```
/// use theta_chess::ctl::{Arena, parse};
/// use theta_chess::limits::Budget;
/// use theta_chess::specification::{Remark, redundant};
/// use theta_chess::tableau::Options;
/// let mut arena = Arena::new();
/// let parts = ["AG (p & q)", "EF r", "AX p"].map(|text| parse(&mut arena, text).unwrap());
/// let lint = redundant(&mut arena, &parts, &Options::default(), &Budget::default())?.unwrap();
/// assert_eq!(lint.remarks, [(2, Remark::Implied(vec![0]))]);
/// # Ok::<(), theta_chess::limits::StopReason>(())
/// ```
pub fn redundant(
    arena: &mut Arena,
    parts: &[Id],
    options: &Options,
    budget: &Budget,
) -> Result<Option<Lint>, StopReason> {
    let all = arena.and(parts);
    if unsatisfiable(arena, all, options, budget)? {
        return Ok(None);
    }
    let mut lint = Lint { remarks: Vec::new(), undecided: Vec::new() };
    for at in 0..parts.len() {
        match implied(arena, parts, at, options, budget) {
            Ok(Some(remark)) => lint.remarks.push((at, remark)),
            Ok(None) => match vacuous(arena, parts, at, options, budget) {
                Ok(found) => lint.remarks.extend(found.into_iter().map(|remark| (at, remark))),
                Err(_) => lint.undecided.push(at),
            },
            Err(_) => lint.undecided.push(at),
        }
    }
    Ok(Some(lint))
}

/// Whether the other parts imply one.
fn implied(
    arena: &mut Arena,
    parts: &[Id],
    at: usize,
    options: &Options,
    budget: &Budget,
) -> Result<Option<Remark>, StopReason> {
    let mut others: Vec<Id> = parts.to_vec();
    others[at] = arena.not(parts[at]);
    let found = core(arena, &others, options, budget)?;
    Ok(found.map(|core| {
        let by: Vec<usize> = core.parts.into_iter().filter(|&part| part != at).collect();
        if by.is_empty() { Remark::Valid } else { Remark::Implied(by) }
    }))
}

/// An occurrence of a subformula: which operand is taken at each step down.
type Way = Vec<u32>;

/// The subformulas of a part that do not matter, outer ones first; not those inside of one.
fn vacuous(
    arena: &mut Arena,
    parts: &[Id],
    at: usize,
    options: &Options,
    budget: &Budget,
) -> Result<Vec<Remark>, StopReason> {
    let mut remarks = Vec::new();
    let mut pending: Vec<(Way, Id, bool)> = vec![(Vec::new(), parts[at], true)];
    let (mut next, mut tried) = (0, 0);
    while next < pending.len() && tried < TRIED {
        let (way, id, positive) = pending[next].clone();
        next += 1;
        let constant = if positive { arena.falsity() } else { arena.truth() };
        if !way.is_empty() && id != constant {
            if matches!(arena.get(id), Node::True | Node::False) {
                continue;
            }
            tried += 1;
            let sharper = replaced(arena, parts[at], &way, constant);
            let fails = arena.not(sharper);
            let mut with: Vec<Id> = parts.to_vec();
            with.push(fails);
            let question = arena.and(&with);
            if unsatisfiable(arena, question, options, budget)? {
                remarks.push(Remark::Vacuous { subformula: id, sharper });
                continue;
            }
        }
        for (k, operand, positive) in occurrences(arena, id, positive) {
            let mut way = way.clone();
            way.push(k);
            pending.push((way, operand, positive));
        }
    }
    Ok(remarks)
}

/// The operands of a formula, each with whether it is positive; those of `<->`, which are both, are
/// left out.
fn occurrences(arena: &Arena, id: Id, positive: bool) -> Vec<(u32, Id, bool)> {
    let node = arena.get(id);
    if matches!(node, Node::Iff(..)) {
        return Vec::new();
    }
    let negates = |k: usize| match node {
        Node::Not(_) => true,
        Node::Implies(..) => k == 0,
        _ => false,
    };
    let operands = arena.operands(id).iter().enumerate();
    operands.map(|(k, &operand)| (k as u32, operand, positive != negates(k))).collect()
}

/// A formula with one occurrence of a subformula replaced.
fn replaced(arena: &mut Arena, formula: Id, way: &[u32], by: Id) -> Id {
    let mut above = vec![formula];
    for &k in &way[..way.len() - 1] {
        above.push(arena.operands(above[above.len() - 1])[k as usize]);
    }
    let mut new = by;
    for (&id, &k) in above.iter().zip(way).rev() {
        let mut operands = arena.operands(id).to_vec();
        operands[k as usize] = new;
        new = with_operands(arena, id, &operands);
    }
    new
}

/// The formula of the same kind with other operands.
fn with_operands(arena: &mut Arena, id: Id, operands: &[Id]) -> Id {
    let first = operands.first().copied().unwrap_or(id);
    let last = operands.last().copied().unwrap_or(id);
    let node = match arena.get(id) {
        Node::True | Node::False | Node::Var(_) => return id,
        Node::Not(_) => Node::Not(first),
        Node::And(_) => Node::And(operands),
        Node::Or(_) => Node::Or(operands),
        Node::Implies(..) => Node::Implies(first, last),
        Node::Iff(..) => Node::Iff(first, last),
        Node::Next(path, _) => Node::Next(path, first),
        Node::Globally(path, _) => Node::Globally(path, first),
        Node::Finally(path, _) => Node::Finally(path, first),
        Node::Until(path, ..) => Node::Until(path, first, last),
        Node::WeakUntil(path, ..) => Node::WeakUntil(path, first, last),
        Node::Release(path, ..) => Node::Release(path, first, last),
    };
    arena.add(node)
}
