//! Slices as an engine: pawn endings of any size. The certificate is made at once, from what is proved
//! ([`super::slice_proof`]).

use super::super::evidence::kept;
use super::super::question::Question;
use super::super::{Bound, CertificateError, Engine, Evidence, Rated, SolveError, Verdict};
use super::leaves;
use super::slice_proof::{ALONE, Proof, opened, ranks};
use crate::certificate::{Claim, Strategy};
use crate::chess::board::{Board, Position as _, move_of};
use crate::chess::worth::balance;
use crate::chess::{Move, Outcome, Side, UNMEASURED, Value};
use crate::limits::{Budget, Limits, StopReason};
use crate::search::Solved;
use crate::slices::{Analysis, Key, Plan, Unfit, Witness, plan, plan_still};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What is told when slices begin.
const WORD: &str = "kings and pawns: solving slices";
const SEVERAL: &str = "few other men beside kings and pawns: solving slices";

/// What is told when a proof has taken what its certificate needs of time, and of memory.
const NO_TIME: &str = "proved by slices; no time was left to write the strategy down";
const NO_MEMORY: &str = "proved by slices; no memory was left to write the strategy down";

/// A draw's strategies are tried at once for one of so many parts of the time that the proof took.
const DRAW_SHARE: u32 = 4;

/// Slices of a position that are asked in turns; what was found before stays.
pub(super) struct Asked {
    proof: Arc<Mutex<Proof>>,
    /// How much of the time slices and the search in turns have.
    pub(super) part: f64,
}

impl Asked {
    fn new(question: &Question) -> Self {
        Self::by(Analysis::new(), 0.8, question)
    }

    fn by(analysis: Analysis, part: f64, question: &Question) -> Self {
        let (syzygy, analysis) = (question.syzygy(), analysis.reading(question.tables()));
        let analysis = match &syzygy {
            Some(tables) => analysis.citing(&(Arc::new(tables.clone()) as Arc<dyn Witness>)),
            None => analysis,
        };
        let proof = Proof { board: question.board(), analysis, syzygy };
        Self { proof: Arc::new(Mutex::new(proof)), part }
    }

    /// For `auto`: only where slices fit, and unless positions are counted, which slices do in
    /// another way than a search. With three officers a slice takes seconds: only where all that may
    /// be needed can be solved in half of the time, or else those questions alone that can.
    pub(super) fn of(question: &Question) -> Option<Self> {
        if !fits(question) {
            return None;
        }
        if !is_several(question) {
            return Some(Self::new(question));
        }
        let by = |analysis, part| Some(Self::by(analysis, part, question));
        if is_feasible(question) {
            return by(Analysis::new(), 0.75);
        } else if !is_vast(question) {
            return by(Analysis::new(), 0.6);
        }
        let asked = feasible(question);
        if asked != [[false; 2]; 2] {
            return by(Analysis::new().only(asked), 0.6);
        } else if Analysis::has_rest(&question.board()) {
            // Seldom won.
            return by(Analysis::new().without_vast(), 0.4);
        }
        None
    }

    /// Goes on for a part of the question's time. The certificate of what is decided may take the
    /// rest of it.
    pub(super) fn turn(&mut self, question: &Question, part: &Budget) -> Verdict {
        let budget = question.budget;
        let Some(limits) = room(&question.board(), part) else { return self.unfit(question) };
        let part = part.limited(limits);
        let mut proof = opened(&self.proof);
        let Proof { board, analysis, .. } = &mut *proof;
        let stop = analysis.pursue(board, &part);
        let positions = analysis.work().positions;
        let undecided = Verdict::undecided(*question.root, Engine::Slices, budget);
        let verdict = Verdict { stop, positions, ..undecided };
        if proof.analysis.known(&proof.board).is_none() {
            return verdict;
        }
        drop(proof);
        self.proved(verdict, budget)
    }

    /// What is said where a slice alone takes more than half of the memory.
    fn unfit(&self, question: &Question) -> Verdict {
        let undecided = Verdict::undecided(*question.root, Engine::Slices, question.budget);
        Verdict { stop: Some(StopReason::Memory), ..undecided }
    }

    /// What is decided by now of any position.
    pub(super) fn solved(&self) -> Arc<dyn Solved> {
        Arc::clone(&self.proof) as Arc<dyn Solved>
    }

    /// A side that slices have proved to hold, where the value is not known.
    pub(super) fn held(&self) -> Option<Side> {
        opened(&self.proof).holder()
    }

    /// Asks no more whether a side holds: the search has proved it. What is known is kept where lines of the
    /// search end in it.
    pub(super) fn spare(&self, holder: Side, is_told: bool) {
        let Proof { board, analysis, .. } = &mut *opened(&self.proof);
        if is_told {
            analysis.rest(board, holder.other());
        } else {
            analysis.spare(board, holder.other());
        }
    }

    /// The draw that comes of a side's hold by slices and the other's by the search. Its strategies are
    /// written when they are asked for.
    pub(super) fn joined(&self, other: Verdict, question: &Question) -> Verdict {
        let both = [other.evidence, Evidence::Slices(Arc::clone(&self.proof))];
        let evidence = Evidence::Joined(Box::new(both));
        Verdict {
            value: Some(Value::Draw),
            best: evidence.holding_moves(&question.board(), question.budget),
            bounds: Vec::new(),
            stop: None,
            engine: Engine::Slices,
            seconds: question.budget.elapsed().as_secs_f64(),
            evidence,
            ..other
        }
    }

    /// A verdict with what is proved by now, the value or that a side holds, and its certificate;
    /// where no time is left for that, with what it can be made from later.
    pub(super) fn proved(&self, verdict: Verdict, budget: &Budget) -> Verdict {
        let proof = opened(&self.proof);
        let outcome = proof.analysis.known(&proof.board);
        // Where there are several officers strategies are large: who does not ask for one shall not
        // wait for it longer than for the proof. Of a win it tells the length; of a draw it tells nothing more,
        // and what takes longer is begun anew when it is asked for.
        let is_large = Analysis::officers(&proof.board) > 1;
        let taken = budget.elapsed().max(Duration::from_secs(1));
        // With three the first move alone takes as long as the proof, and cannot be interrupted.
        let is_vast = Analysis::officers(&proof.board) > 2;
        let late = is_vast && budget.remaining().is_some_and(|left| left < 2 * taken);
        let patience = if outcome == Some(Outcome::Draw) { taken / DRAW_SHARE } else { taken };
        let part = if is_large { budget.part(patience) } else { budget.clone() };
        let stopped = CertificateError::Stopped(StopReason::Time);
        let built = if late { Err(stopped) } else { proof.certificate(&part) };
        let verdict = Verdict { seconds: budget.elapsed().as_secs_f64(), ..verdict };
        let (evidence, plies) = match built {
            Ok(certificate) => {
                let plies = match certificate.claim {
                    Claim::Wins(_, plies) => plies,
                    _ => UNMEASURED,
                };
                (Evidence::Ready(Box::new(certificate)), plies)
            }
            Err(CertificateError::Undecided) => return verdict,
            // Half a draw is not worth the slices' memory, which other engines need now.
            Err(CertificateError::Stopped(_)) if outcome.is_none() => return verdict,
            Err(CertificateError::Stopped(reason)) => {
                let is_memory = reason == StopReason::Memory;
                budget.progress().note(if is_memory { NO_MEMORY } else { NO_TIME });
                (Evidence::Slices(Arc::clone(&self.proof)), UNMEASURED)
            }
            Err(error) => {
                let (stop, uncertified) = (Some(StopReason::Exhausted), Some(error.to_string()));
                return Verdict { stop, uncertified, ..verdict };
            }
        };
        let Some(outcome) = outcome else {
            let bounds = proof.holder().into_iter().map(Bound::of).collect();
            return Verdict { bounds, evidence, ..verdict };
        };
        let value = match outcome {
            Outcome::Draw => Value::Draw,
            Outcome::Wins(side) => Value::Wins(side, plies),
        };
        let best = proof.best(outcome);
        Verdict { value: Some(value), best, evidence, stop: None, ..verdict }
    }
}

/// Slices that are asked whether one side wins, position after position: what is solved for one serves the
/// next.
pub(super) struct Wins {
    owner: Side,
    proof: Option<Proof>,
    /// How long positions of a slice were asked in vain.
    vain: HashMap<Key, Duration>,
}

impl Wins {
    /// Slices of which nothing is solved yet.
    pub(super) fn new(owner: Side) -> Self {
        Self { owner, proof: None, vain: HashMap::new() }
    }

    /// Whether it is known that the side wins a position.
    pub(super) fn knows(&self, board: &Board) -> bool {
        let known = |proof: &Proof| {
            let analysis = &proof.analysis;
            analysis.has_met(board) && analysis.known(board) == Some(Outcome::Wins(self.owner))
        };
        self.proof.as_ref().is_some_and(known)
    }

    /// The side's strategy in a position that slices suit, if they find a win within the question's
    /// budget. What was solved is given up where the memory does not hold it. Where a position of the same
    /// slice was asked in vain nothing is done in less than twice the time: what takes so long is the same.
    pub(super) fn ask(&mut self, question: &Question) -> Option<Strategy> {
        let (board, limits) = (question.board(), room(&question.board(), question.budget)?);
        let key = Key::of(&board, self.owner)?.0;
        let (time, is_known) = (question.budget.remaining(), self.knows(&board));
        let is_vain = |&vain: &Duration| time.is_some_and(|time| time < 2 * vain);
        if !is_known && self.vain.get(&key).is_some_and(is_vain) {
            return None;
        }
        let asked = Side::ALL.map(|side| [side == self.owner, false]);
        let proof = self.proof.get_or_insert_with(|| Proof {
            board: board.clone(),
            analysis: Analysis::new().reading(question.tables()).only(asked),
            syzygy: None,
        });
        proof.board = board;
        let stop = proof.analysis.pursue(&proof.board, &question.budget.limited(limits));
        let is_won = proof.analysis.known(&proof.board) == Some(Outcome::Wins(self.owner));
        // As much time again to write it down.
        let budget = question.budget.with_at_least(question.budget.elapsed());
        let certificate = if is_won { proof.certificate(&budget).ok() } else { None };
        if matches!(stop, Some(StopReason::Time | StopReason::Memory)) {
            self.vain.extend(time.map(|time| (key, time)));
        }
        if stop == Some(StopReason::Memory) {
            self.proof = None;
        }
        certificate?.strategies.into_iter().next()
    }
}

/// Tells that slices begin.
pub(super) fn tell(question: &Question) {
    question.budget.progress().note(if is_several(question) { SEVERAL } else { WORD });
}

/// Whether there are two officers or more, so that slices are large and few or a mate may be near.
pub(super) fn is_several(question: &Question) -> bool {
    let board = question.board();
    Analysis::officers(&board) > 1 || Analysis::has_rest(&board)
}

/// Whether there is an officer.
pub(super) fn has_officer(question: &Question) -> bool {
    Analysis::officers(&question.board()) > 0
}

/// Whether there are three.
fn is_vast(question: &Question) -> bool {
    Analysis::officers(&question.board()) > 2
}

/// Whether both sides' slices can be solved in half of the time and of the memory.
fn is_feasible(question: &Question) -> bool {
    let board = question.board();
    is_within(&Side::ALL.map(|side| plan(&board, side)), 1, question.budget)
}

/// Whether there are three officers, and no question that slices of them would answer in time.
pub(super) fn are_too_large(question: &Question) -> bool {
    is_vast(question) && !is_feasible(question) && feasible(question) == [[false; 2]; 2]
}

/// How many pawns' worth more a side has that may win against one of the officers.
const AHEAD: i32 = 4;

/// The questions of three officers that can be answered by all threads, one after the other, for each
/// attacker whether it wins, its pawns standing still, and whether it is held: first of the side that has
/// more, and first what is likely. Three officers alone are read from their table.
fn feasible(question: &Question) -> [[bool; 2]; 2] {
    let (budget, board) = (question.budget, question.board());
    let mut asked = [[false; 2]; 2];
    if !leaves::is_at_hand(question) {
        return asked;
    }
    let men = board.chess().board();
    let ahead = balance(men, Side::White);
    let first = if ahead >= 0 { Side::White } else { Side::Black };
    let order = if ahead.abs() < AHEAD { [1, 0] } else { [0, 1] };
    let mut plans = Vec::new();
    let other = [1, 0].map(|kind| (first.other(), kind));
    for (attacker, kind) in order.map(|kind| (first, kind)).into_iter().chain(other) {
        let plan = if kind == 0 { plan_still(&board, attacker) } else { plan(&board, attacker) };
        if plan.as_ref().is_ok_and(|plan| plan.vast > 0) {
            plans.push(plan);
            let fits = is_within(&plans, budget.limits().threads, budget);
            asked[usize::from(attacker == Side::Black)][kind] = fits;
            plans.truncate(plans.len() - usize::from(!fits));
        }
    }
    asked
}

/// Whether slices can be solved in half of the time and of the memory.
fn is_within(plans: &[Result<Plan, Unfit>], threads: usize, budget: &Budget) -> bool {
    let time = budget.remaining().unwrap_or(ALONE) / 2;
    let memory = budget.limits().memory.map_or(u64::MAX, |bytes| bytes / 2);
    let seconds: f64 = plans.iter().flatten().map(Plan::seconds).sum();
    plans.iter().all(|plan| plan.as_ref().is_ok_and(|plan| plan.whole))
        && seconds / threads.max(1) as f64 <= time.as_secs_f64()
        && plans.iter().flatten().map(Plan::bytes).sum::<u64>() <= memory
}

/// Decides by slices.
///
/// # Errors
/// When the position has men or rights that slices do not know.
pub(super) fn solve(question: &Question) -> Result<Verdict, SolveError> {
    Analysis::suits(&question.board()).map_err(SolveError::Slices)?;
    let budget = question.budget;
    let share = budget.remaining().map_or_else(|| budget.clone(), |left| budget.part(left / 5 * 4));
    let mut asked = Asked::new(question);
    let verdict = asked.turn(question, &share);
    if verdict.value.is_some() {
        return Ok(verdict);
    }
    Ok(asked.proved(verdict, budget))
}

/// As [`solve`] where slices suit `auto`, with four fifths of the time. Not with several officers: the
/// tables take no longer, and know the shortest mate.
pub(super) fn first(question: &Question) -> Option<Verdict> {
    let budget = question.budget;
    if is_several(question) {
        return None;
    }
    Asked::of(question)?;
    tell(question);
    let time = budget.remaining().map_or(ALONE, |left| left / 5 * 4);
    solve(&question.within(&budget.part(time))).ok()
}

/// Every legal move with the value after it, the best first: the root's slices are the moves' too.
/// Where the time is over before a win's length is known, the win alone is told.
pub(in crate::solve) fn rate(question: &Question) -> Vec<Rated> {
    let (board, budget) = (question.board(), question.budget);
    let mut analysis = Analysis::new().reading(question.tables());
    let share = budget.remaining().map_or(ALONE, |left| left / 3);
    analysis.pursue(&board, &budget.part(share));
    let moves: Vec<(Move, Board)> =
        board.legal_moves().iter().map(|m| (move_of(m), board.after(*m))).collect();
    let mut open: Vec<&Board> = moves.iter().map(|(_, next)| next).collect();
    let mut time = Duration::from_secs(1);
    // The rest of the time is for the distances.
    let deciding = budget.remaining().map(|left| budget.part(left / 4 * 3));
    let deciding = deciding.as_ref().unwrap_or(budget);
    while !open.is_empty() && deciding.check(0, 0).is_ok() {
        let mut left = open.len() as u32;
        open.retain(|next| {
            let share = deciding.remaining().map_or(time, |rest| time.min(rest / left));
            left -= 1;
            let reason = analysis.pursue(next, &deciding.part(share));
            reason == Some(StopReason::Time)
        });
        time *= 2;
    }
    analysis.widen(kept(budget));
    let mut winners = Side::ALL.map(|side| (side, analysis.winner(side, ranks(budget))));
    let rated = moves.iter().map(|(play, next)| {
        let value = match analysis.known(next) {
            None => None,
            Some(Outcome::Draw) => Some(Value::Draw),
            Some(Outcome::Wins(side)) => {
                let winner = winners.iter_mut().find(|(s, _)| *s == side);
                let plies = winner.and_then(|(_, w)| w.plies(next, budget).ok().flatten());
                Some(Value::Wins(side, plies.unwrap_or(UNMEASURED)))
            }
        };
        let shortest = matches!(value, Some(Value::Draw | Value::Wins(_, 0)));
        Rated { value, shortest, ..Rated::unknown(*play) }
    });
    let mut list: Vec<Rated> = rated.collect();
    let side = board.side_to_move();
    list.sort_by_key(|r| r.merit(side));
    list
}

/// Whether slices are asked about a position: it fits, the memory too, and positions are not counted.
pub(in crate::solve) fn fits(question: &Question) -> bool {
    question.budget.limits().positions.is_none()
        && Analysis::suits(&question.board()).is_ok()
        && room(&question.board(), question.budget).is_some()
}

/// What slices have of a budget: the threads that have the memory to solve them, in half of it, and what is
/// left to keep slices beside them and a search; nothing where one has not. With two officers each side's
/// questions are asked by one thread, with three all close one slice.
fn room(board: &Board, budget: &Budget) -> Option<Limits> {
    let limits = *budget.limits();
    let Some(memory) = limits.memory else { return Some(limits) };
    let work = Analysis::work_bytes(board);
    let apart = if Analysis::officers(board) == 2 { limits.threads.clamp(1, 2) as u64 } else { 1 };
    let at_once = (memory / 2).checked_div(work).unwrap_or(apart).min(apart);
    let threads = if at_once < apart { 1 } else { limits.threads };
    let kept = (memory / 4 * 3).min((memory / 8 * 7).saturating_sub(at_once * work));
    let limits = limits.with_memory(kept.max(memory / 4)).with_threads(threads);
    (at_once > 0).then_some(limits)
}
