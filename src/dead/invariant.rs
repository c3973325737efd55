//! Patterns grown until no legal move leaves them: proofs that a side can never be mated.
//!
//! A pattern ([`theta_kernel::Pattern`]) names its men exactly, and for each the squares on which it
//! may stand. Every capture, promotion and, where pawns are frozen, every pawn's move leads to a
//! pattern of its own, unless one that is there already holds all of its positions. The kernel works
//! out what moves do; here patterns only grow, from the root's on, until that adds nothing.
//!
//! # References
//! * P. Cousot, R. Cousot, *Abstract interpretation: a unified lattice model*, POPL 1977: a set
//!   closed under an operator that errs on the safe side holds all that can be reached.
//! * M. Ambrona, *A practical algorithm for chess unwinnability*, FUN 2022: the squares that each man
//!   can ever reach, as a fixpoint.

use crate::limits::{Budget, StopReason};
use std::collections::HashMap;
use theta_kernel::{Pattern, Side, code};

/// Whether a pawn's step makes another pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pawns {
    /// It does: more patterns, each more exact.
    Frozen,
    /// It does not, but for promotions. Pawns that meet on a file do not pass each other.
    Mobile,
}

/// Lets a pattern grow until no move that keeps its men leaves it.
fn grow(pattern: &mut Pattern, pawns: Pawns) {
    loop {
        let mut more = false;
        for man in 0..pattern.men.len() {
            let kind = pattern.men[man].code;
            if pawns == Pawns::Frozen && (kind == code::PAWN || kind == code::PAWN + code::BLACK) {
                continue;
            }
            let arrivals = pattern.arrivals(man);
            more |= arrivals & !pattern.men[man].squares != 0;
            pattern.men[man].squares |= arrivals;
        }
        let kings = pattern.kings_after();
        more |= !kings.within(&pattern.kings);
        pattern.kings.add(&kings);
        if !more {
            return;
        }
    }
}

/// The root's pattern closed under all moves, by at most so many patterns; none if a mate cannot be
/// excluded or they are too few. And how many were grown: each takes 0.05 to 1 ms and some 2 KB.
///
/// # Errors
/// A limit of the budget.
pub(super) fn close(
    root: Pattern,
    loser: Side,
    pawns: Pawns,
    most: usize,
    budget: &Budget,
) -> (Result<Option<Vec<Pattern>>, StopReason>, u64) {
    let mut closed: Vec<Pattern> = Vec::new();
    let mut by_men: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
    let mut left = vec![root];
    while let Some(mut pattern) = left.pop() {
        let same = by_men.entry(pattern.material()).or_default();
        if same.iter().any(|&at| pattern.within(&closed[at])) {
            continue;
        }
        let grown = closed.len() as u64;
        if closed.len() >= most {
            return (Ok(None), grown);
        }
        if let Err(stop) = budget.check(grown, 2048 * (closed.len() + left.len()) as u64) {
            return (Err(stop), grown);
        }
        grow(&mut pattern, pawns);
        let mut mate = pattern.quiet_mate(loser);
        if !mate {
            pattern.events(loser, &mut |event| {
                mate |= event.mates;
                left.push(event.pattern);
                !mate
            });
        }
        if mate {
            return (Ok(None), grown + 1);
        }
        same.push(closed.len());
        closed.push(pattern);
    }
    let grown = closed.len() as u64;
    (Ok(Some(closed)), grown)
}
