//! Proof by subgoals as an engine: chains of aims that Botvinnik's zones propose, down to mate,
//! tables or a hold.
//!
//! # References
//! docs/theory.md §§7 and 13 and docs/architecture.md.

use super::super::question::Question;
use super::super::verdict::is_least;
use super::super::{Bound, Engine, Evidence, Secured, Verdict};
use super::search::Searcher;
use crate::aim::Goal;
use crate::chess::Side;
use crate::chess::Value;
use crate::limits::{Budget, Progress, StopReason};
use crate::prove::{Proof, Prover};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Positions searched before subgoals are tried, where no limit is set.
const SEARCH_FIRST: u64 = 40_000_000;

/// Decides by chains of aims, or by the searches that go with them. What is proved without a
/// certificate counts for nothing here: the two come together.
pub(super) fn solve(question: &Question) -> Verdict {
    question.budget.progress().stage("looking for chains of subgoals", None);
    let proof = prover(question, true).prove(&question.board());
    let positions = proof.positions;
    let secured = secured(question, &proof).map(Box::new);
    if proof.certificate.is_none() || proof.value.is_none() && !proof.holds {
        let stop = proof.stop.unwrap_or(StopReason::Exhausted);
        let stopped = Verdict::stopped(question, Engine::Subgoals, stop, positions);
        return Verdict { secured, ..stopped };
    }
    let verdict = Verdict { aim: None, ..verdict(question, proof) };
    if verdict.value.is_some() {
        return verdict;
    }
    // The links are those of the reduced aim.
    Verdict { links: Vec::new(), best: Vec::new(), secured, ..verdict }
}

/// The reduced aim of a proof that found no value.
fn secured(question: &Question, proof: &Proof) -> Option<Secured> {
    let link = proof.links.first().filter(|_| proof.value.is_none())?;
    Some(Secured {
        side: question.root.side_to_move(),
        claim: link.claim.clone(),
        aim: proof.aim.clone()?,
        plies: link.plies,
        first: proof.first,
        certificate: proof.of_aim.clone()?,
    })
}

/// Proves as much as it can for a side: the value, else the best reduced aim, or the aim that is
/// asked for. Certificates of draws and of wins by tables are made only where they are wanted: they
/// may take longer than the proof.
pub(in crate::solve) fn prove(
    question: &Question,
    side: Side,
    goal: Option<&Goal>,
    certify: bool,
) -> Verdict {
    let board = question.board();
    let mut prover = prover(question, certify);
    let proof = match goal {
        Some(goal) => prover.prove_aim(&board, side, goal),
        None if side == board.side_to_move() => prover.prove(&board),
        None => prover.prove_against(&board),
    };
    verdict(question, proof)
}

fn prover<'a>(question: &Question<'a>, certify: bool) -> Prover<'a> {
    let Question { kept, options, budget, .. } = *question;
    let mut prover = Prover::new(question.tables(), budget, options.of_proof(certify));
    if let Some(rules) = question.endings() {
        prover = prover.with_rules(rules);
    }
    if let Some(library) = &kept.library {
        prover = prover.striving(Arc::clone(library));
    }
    prover
}

/// The answer that a proof gives.
fn verdict(question: &Question, proof: Proof) -> Verdict {
    let own = [Bound::WhiteHolds, Bound::BlackHolds]
        [usize::from(question.root.side_to_move() == Side::Black)];
    let undecided = Verdict::undecided(*question.root, Engine::Subgoals, question.budget);
    Verdict {
        value: proof.value,
        shortest: proof.value.is_some_and(is_least),
        best: proof.first.into_iter().collect(),
        aim: proof.aim,
        refuted: proof.refuted,
        answered: proof.complete,
        links: proof.links,
        bounds: if proof.holds { vec![own] } else { Vec::new() },
        stop: proof.stop,
        positions: proof.positions,
        uncertified: proof.uncertified,
        evidence: proof
            .certificate
            .map_or(Evidence::None, |certificate| Evidence::Ready(Box::new(certificate))),
        ..undecided
    }
}

/// The general search's share of a budget: two thirds of it; where it is unlimited, positions for
/// about a minute.
fn share_of_search(budget: &Budget) -> Budget {
    let positions = budget.limits().positions.map(|n| n - n / 3);
    let share = budget.remaining().map(|left| budget.part(left * 2 / 3));
    match (share, positions) {
        (Some(share), Some(positions)) => share.with_positions(positions),
        (Some(share), None) => share,
        (None, positions) => budget.with_positions(positions.unwrap_or(SEARCH_FIRST)),
    }
}

/// The search's share of the time while a mate seems near: five sixths.
fn share_while_near(budget: &Budget) -> Option<Budget> {
    budget.remaining().map(|left| budget.part(left * 5 / 6))
}

/// First the search, which has its share of the budget; proof by subgoals has the rest if that does
/// not decide.
pub(super) fn in_turn(mut search: Searcher, question: &Question) -> Verdict {
    let budget = question.budget;
    let (share, near) = (share_of_search(budget), share_while_near(budget));
    let searched = search.solve_while_near(&share, near, budget);
    // Its memory is needed.
    drop(search);
    let interrupted = searched.stop == Some(StopReason::Interrupted);
    if searched.value.is_some() || interrupted || budget.check(searched.positions, 0).is_err() {
        return searched;
    }
    budget
        .progress()
        .note("not decided by the search's share of the budget: trying chains of subgoals");
    let left = budget.after(searched.positions);
    joined(searched, solve(&question.within(&left)), question)
}

/// Whether the search and proof by subgoals run side by side: where there are threads, and the same
/// answer every time is not asked for by a limit on positions.
pub(super) fn races(budget: &Budget) -> bool {
    budget.limits().threads > 1 && budget.limits().positions.is_none()
}

/// What each of the two that race has of the memory: half.
pub(super) fn memory_share(budget: &Budget) -> Budget {
    budget.memory_of(2)
}

/// For how long the search has all threads, where no time is set.
const ALONE: Duration = Duration::from_secs(20);

/// The search by all threads, and after half of the time by all but one, which goes to proof by
/// subgoals: most of what the search decides at all it decides early, and twice as early with two
/// threads. The search's wins are shorter: what the other has proved counts when the search's share
/// of the budget is over.
pub(super) fn race(search: &mut Searcher, question: &Question) -> Verdict {
    let (decided, proved) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let budget = memory_share(question.budget);
    let quiet = budget.clone().with_progress(Arc::new(Remarks(budget.clone())));
    let (threads, won, searching) = (search.threads(), search.won(), AtomicBool::new(true));
    let all = threads.get();
    let alone = || searching.load(Ordering::Relaxed) && budget.check(0, 0).is_ok();
    let half = budget.remaining().map_or(ALONE, |left| left / 2);
    std::thread::scope(|scope| {
        let chains = scope.spawn(|| {
            let start = Instant::now();
            while alone() && (won.load(Ordering::Relaxed) || start.elapsed() < half) {
                std::thread::park_timeout(Duration::from_millis(20));
            }
            if decided.load(Ordering::Relaxed) {
                return Verdict::stopped(question, Engine::Subgoals, StopReason::Interrupted, 0);
            }
            threads.set(all - 1);
            let verdict = solve(&question.within(&quiet.cancelled_by(Arc::clone(&decided))));
            threads.set(all);
            proved.store(verdict.value.is_some(), Ordering::Relaxed);
            verdict
        });
        let (share, near) = (share_of_search(&budget), share_while_near(&budget));
        let mut searched = search.solve_while_near(&share, near, &budget);
        decided.store(searched.value.is_some(), Ordering::Relaxed);
        searching.store(false, Ordering::Relaxed);
        chains.thread().unpark();
        if searched.value.is_none() && !proved.load(Ordering::Relaxed) && budget.check(0, 0).is_ok()
        {
            let again = search.solve(&budget.cancelled_by(Arc::clone(&proved)));
            searched = Verdict { positions: searched.positions + again.positions, ..again };
        }
        decided.store(searched.value.is_some(), Ordering::Relaxed);
        let chained = chains.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        if searched.value.is_some() { searched } else { joined(searched, chained, question) }
    })
}

/// What runs beside: its remarks are told, its progress is not.
struct Remarks(Budget);

impl Progress for Remarks {
    fn stage(&self, _name: &str, _total: Option<u64>) {}
    fn advance(&self, _done: u64) {}
    fn note(&self, text: &str) {
        self.0.progress().note(text);
    }
    fn proved(&self, fact: &str) {
        self.0.progress().proved(fact);
    }
}

/// The answer of proof by subgoals after a search that has not decided, with what the search knows.
/// Where one has proved that White holds and the other that Black does, the position is a draw.
pub(super) fn joined(searched: Verdict, mut chained: Verdict, question: &Question) -> Verdict {
    chained.positions += searched.positions;
    if chained.value.is_some() {
        return chained;
    }
    for bound in searched.bounds {
        if !chained.bounds.contains(&bound) {
            chained.bounds.push(bound);
        }
    }
    chained.bounds.sort_by_key(|bound| bound.side() == Side::Black);
    chained.engine = Engine::Search;
    chained.evidence = Evidence::Joined(Box::new([searched.evidence, chained.evidence]));
    if chained.bounds.len() == 2 {
        (chained.value, chained.stop) = (Some(Value::Draw), None);
        chained.best = chained.evidence.holding_moves(&question.board(), question.budget);
        chained.bounds.clear();
    }
    chained
}
