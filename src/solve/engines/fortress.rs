//! A fortress of one side and the search for the other's hold, side by side.
//!
//! Three officers of which a side has one: slices are too large, and the search finds few holds of that side.
//! So one thread looks for a fortress ([`Fortress`]), and the others search for the other side's win and hold. If both
//! hold, the position is a draw; if no fortress is found, the search goes on as it would have. It has the same
//! answer every time with one thread, or where positions are counted: then no fortress is looked for.

use super::super::question::Question;
use super::super::{Bound, Engine, Evidence, Verdict};
use super::beside::Outcome;
use super::search::Searcher;
use super::{slices, subgoals};
use crate::limits::{Budget, StopReason};
use crate::search::{Fortress, told_hold};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What is told when one is looked for.
const WORD: &str = "three officers: looking for a fortress beside the search";

/// The search alone first: what it decides in a moment it decides with all threads.
const FIRST: Duration = Duration::from_secs(1);
/// One of so many parts of the time at most.
const FIRST_SHARE: u32 = 20;
/// The part of the time in which a fortress is looked for.
const SHARE: f64 = 0.75;
/// What counts as the time, where none is set.
const UNLIMITED: Duration = Duration::from_secs(600);

/// A fortress, or none; or the end of the budget.
type Found = Result<Option<Fortress>, StopReason>;

/// What both find; none where no fortress is looked for.
pub(super) fn decide(search: &mut Searcher, question: &Question) -> Option<Outcome> {
    let (board, budget) = (question.board(), question.budget);
    let holder = Fortress::holder_of(&board)?;
    if !subgoals::races(budget) || !slices::are_too_large(question) {
        return None;
    }
    let left = budget.remaining().unwrap_or(UNLIMITED);
    let first = search.solve_within(&budget.part(FIRST.min(left / FIRST_SHARE)), budget);
    let is_over = || budget.check(0, 0) == Err(StopReason::Interrupted);
    if first.value.is_some() || is_over() {
        return Some(Outcome::Done(Box::new(first)));
    }
    budget.progress().note(WORD);
    let part = budget.part(left.mul_f64(SHARE)).memory_of(2);
    let find = |part: &Budget| Fortress::find(&board, holder, question.tables(), part);
    search.only(holder.other());
    let (found, searched) = both(find, search, &part, budget);
    search.spare_nobody();
    let searched = Verdict { positions: searched.positions + first.positions, ..searched };
    if searched.value.is_some() {
        return Some(Outcome::Done(Box::new(searched)));
    }
    if let Ok(Some(fortress)) = found {
        return Some(joined(fortress, searched, search, question));
    }
    if is_over() {
        return Some(Outcome::Done(Box::new(searched)));
    }
    searched.bounds.iter().for_each(|bound| search.spare(bound.side()));
    Some(Outcome::Open(Box::new(searched)))
}

/// A fortress looked for on one thread, and the search on the others: until either has decided, no fortress
/// is found, or both sides hold. What the search does not need any more slices use.
fn both(
    find: impl FnOnce(&Budget) -> Found + Send,
    search: &mut Searcher,
    part: &Budget,
    budget: &Budget,
) -> (Found, Verdict) {
    let [in_vain, decided] = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));
    let (threads, all) = (search.threads(), budget.limits().threads);
    // Who is not in a pool itself waits for its threads to wake.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(all).build();
    threads.set(all - 1);
    let both = std::thread::scope(|scope| {
        let looking = scope.spawn(|| {
            let part = part.cancelled_by(Arc::clone(&decided));
            let found = match &pool {
                Ok(pool) => pool.install(|| find(&part)),
                Err(_) => find(&part),
            };
            in_vain.store(!matches!(found, Ok(Some(_))), Ordering::Relaxed);
            found
        });
        let searched = search.solve_within(&part.cancelled_by(Arc::clone(&in_vain)), budget);
        decided.store(searched.value.is_some(), Ordering::Relaxed);
        let found = looking.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        (found, searched)
    });
    threads.set(all);
    both
}

/// A fortress, and what the search knows of the other side's hold; if it knows none, it looks for one.
fn joined(
    fortress: Fortress,
    searched: Verdict,
    search: &mut Searcher,
    question: &Question,
) -> Outcome {
    let (budget, holder) = (question.budget, fortress.holder());
    budget.progress().proved(&told_hold(holder));
    let half = Verdict {
        bounds: vec![Bound::of(holder)],
        positions: fortress.positions(),
        evidence: Evidence::Fortress(Box::new(Mutex::new(fortress))),
        ..Verdict::undecided(*question.root, Engine::Search, budget)
    };
    let other = Bound::of(holder.other());
    let searched = if searched.bounds.contains(&other) {
        searched
    } else {
        search.spare(holder);
        // As much is left to write the strategies down.
        let part = budget.part(budget.remaining().unwrap_or(UNLIMITED) / 2);
        search.solve_within(&part, budget)
    };
    if searched.value.is_some() {
        return Outcome::Done(Box::new(searched));
    }
    let all = subgoals::joined(searched, half, question);
    let all = Box::new(Verdict { seconds: budget.elapsed().as_secs_f64(), ..all });
    if all.value.is_some() { Outcome::Done(all) } else { Outcome::Open(all) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certificate::{Certificate, Claim};
    use crate::chess::Side;
    use crate::chess::board::Board;
    use crate::tables::Tables;
    use crate::verify;

    /// The positions of Black's certificate, which is accepted; none where no fortress is found.
    fn written(fen: &str) -> Option<u64> {
        let root = Board::from_fen(fen).unwrap();
        let (tables, budget) = (Arc::new(Tables::in_memory()), Budget::default());
        assert_eq!(Fortress::holder_of(&root), Some(Side::Black), "{fen}");
        let fortress = Fortress::find(&root, Side::Black, &tables, &budget).unwrap()?;
        let strategy = fortress.strategy(&budget).unwrap().expect("slices still know how");
        let accepted = verify(&Certificate::of_hold(strategy)).expect("accepted");
        assert_eq!(accepted.claim, Claim::Holds(Side::Black));
        Some(accepted.positions)
    }

    #[test]
    fn what_is_found_is_written_down() {
        // The bishop takes the rook or the pawn, and comes back.
        assert!(written("8/k7/P7/8/2b5/2B5/R7/6K1 b - -").is_some_and(|positions| positions > 20));
        // The king has no move, and the bishop stands.
        assert_eq!(written("k7/P1b5/8/8/8/8/R7/2B3K1 b - -"), None);
    }

    #[test]
    fn one_is_looked_for_where_the_side_with_one_officer_of_three_may_hold() {
        for fen in [
            "8/8/8/8/2B4p/5kbP/5pP1/7K b - -",
            "8/8/2r2k2/8/2B4p/5RbP/5pP1/7K b - -",
            "8/pp3ppp/5k2/8/2B4p/5RbP/5pP1/7K b - -",
        ] {
            assert_eq!(Fortress::holder_of(&Board::from_fen(fen).unwrap()), None, "{fen}");
        }
    }

    /// The bishop stands, the king goes about, and whatever is sacrificed is taken.
    #[test]
    #[ignore = "hundreds of slices of two officers, three minutes in release"]
    fn a_bishop_holds_against_a_rook_and_a_bishop() {
        let positions = written("8/8/5k2/8/2B4p/5RbP/5pP1/7K b - -");
        assert!(positions.is_some_and(|positions| positions > 1_000_000), "{positions:?}");
    }
}
