//! Proof by subgoals as an engine: chains of aims that Botvinnik's zones propose, down to mate,
//! tables or a hold.
//!
//! # References
//! Specification pages 1.7, 3.1 and 5.

use super::prove::{Proof, ProveOptions, Prover};
use super::search::Searcher;
use super::{Bound, Engine, Evidence, Link, Verdict};
use crate::chess::board::Board;
use crate::chess::{Side, Vector};
use crate::limits::{Budget, Limits, Silent, StopReason};
use crate::tables::Tables;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Positions searched before subgoals are tried, where no limit is set.
const SEARCH_FIRST: u64 = 40_000_000;

/// Decides by chains of aims, or by the searches that go with them.
pub(super) fn solve(root: &Vector, tables: &Arc<Tables>, budget: &Budget) -> Verdict {
    let board = Board::from_vector(root).expect("an input position is legal");
    budget.progress().stage("looking for chains of subgoals", None);
    let proof = Prover::new(tables, budget, ProveOptions::default()).prove(&board);
    verdict(root, &board, proof, budget)
}

fn verdict(root: &Vector, board: &Board, proof: Proof, budget: &Budget) -> Verdict {
    let mut verdict = Verdict { engine: Engine::Subgoals, ..Verdict::undecided(root, budget) };
    verdict.positions = proof.positions;
    // What is proved without a certificate counts for nothing here: the two come together.
    let certificate = proof.certificate.filter(|_| proof.value.is_some() || proof.holds);
    let Some(certificate) = certificate else {
        verdict.stop = proof.stop.or(Some(StopReason::Exhausted));
        return verdict;
    };
    verdict.value = proof.value;
    if proof.value.is_some() {
        verdict.chain = proof.links.iter().map(Link::note).collect();
        verdict.best = proof.first.into_iter().collect();
        verdict.evidence = Evidence::Ready(Box::new(certificate));
    } else {
        let own = [Bound::WhiteHolds, Bound::BlackHolds]
            [usize::from(board.side_to_move() == Side::Black)];
        (verdict.bounds, verdict.stop) = (vec![own], proof.stop);
    }
    verdict
}

/// The general search's share of a budget: two thirds of it; where it is unlimited, positions for
/// about a minute.
fn share_of_search(budget: &Budget) -> Budget {
    let limits = budget.limits();
    let positions = limits.positions.map(|n| n - n / 3);
    match budget.remaining() {
        Some(left) => {
            let share = budget.part(left * 2 / 3);
            share.limited(Limits { positions, ..*share.limits() })
        }
        None => budget.limited(Limits { positions: positions.or(Some(SEARCH_FIRST)), ..*limits }),
    }
}

/// First the search, which has its share of the budget; proof by subgoals has the rest if that does
/// not decide.
pub(super) fn in_turn(
    mut search: Searcher,
    root: &Vector,
    tables: &Arc<Tables>,
    budget: &Budget,
) -> Verdict {
    let searched = search.solve(&share_of_search(budget));
    // Its memory is needed.
    drop(search);
    let interrupted = searched.stop == Some(StopReason::Interrupted);
    if searched.value.is_some() || interrupted || budget.check(searched.positions, 0).is_err() {
        return searched;
    }
    budget
        .progress()
        .note("not decided by the search's share of the budget: trying chains of subgoals");
    let limits = budget.limits();
    let positions = limits.positions.map(|n| n.saturating_sub(searched.positions));
    joined(searched, solve(root, tables, &budget.limited(Limits { positions, ..*limits })))
}

/// The search and proof by subgoals at the same time, each in a thread of its own. The search's
/// wins are shorter: what the other has proved counts when the search's share of the budget is
/// over.
pub(super) fn race(
    search: &mut Searcher,
    root: &Vector,
    tables: &Arc<Tables>,
    budget: &Budget,
) -> Verdict {
    let (decided, proved) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    // Each may have half of the memory.
    let memory = budget.limits().memory.map(|bytes| bytes / 2);
    let budget = budget.limited(Limits { memory, ..*budget.limits() });
    let quiet = budget.clone().with_progress(Arc::new(Silent));
    std::thread::scope(|scope| {
        let chains = scope.spawn(|| {
            let verdict = solve(root, tables, &quiet.cancelled_by(Arc::clone(&decided)));
            proved.store(verdict.value.is_some(), Ordering::Relaxed);
            verdict
        });
        let mut searched = search.solve(&share_of_search(&budget));
        if searched.value.is_none() && !proved.load(Ordering::Relaxed) && budget.check(0, 0).is_ok()
        {
            searched = search.solve(&budget.cancelled_by(Arc::clone(&proved)));
        }
        decided.store(searched.value.is_some(), Ordering::Relaxed);
        let chained = chains.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        if searched.value.is_some() { searched } else { joined(searched, chained) }
    })
}

/// The answer of proof by subgoals after a search that has not decided, with what the search knows.
fn joined(searched: Verdict, mut chained: Verdict) -> Verdict {
    chained.positions += searched.positions;
    if chained.value.is_none() {
        let known = searched.bounds.into_iter().chain(std::mem::take(&mut chained.bounds));
        chained.bounds = known.fold(Vec::new(), |mut all, bound| {
            if !all.contains(&bound) {
                all.push(bound);
            }
            all
        });
        // The search's closed region, if it found one, is what certifies its half.
        (chained.engine, chained.evidence) = (Engine::Search, searched.evidence);
    }
    chained
}
