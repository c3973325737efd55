//! Slices as an engine: pawn endings of any size, with the certificate made at once from the
//! slices' ranks.

use super::super::evidence::kept;
use super::super::question::Question;
use super::super::{Bound, CertificateError, Engine, Evidence, Rated, SolveError, Verdict};
use super::leaves;
use crate::certificate::{Certificate, Claim, Strategy};
use crate::chess::board::{Board, Position as _, move_of};
use crate::chess::worth::balance;
use crate::chess::{Move, Outcome, Side, UNMEASURED, Value};
use crate::hold::{hold, hold_small};
use crate::limits::{Budget, Limits, StopReason};
use crate::search::Solved;
use crate::slices::{
    Analysis, Known, NotClosed, NotWritten, Plan, Unfit, Witness, plan, plan_still,
};
use crate::strategy::{BuildError, Rules, SyzygyRules, win};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long `auto` leaves a position to slices when nothing limits the time.
pub(super) const ALONE: Duration = Duration::from_secs(600);

/// What is told when slices begin.
const WORD: &str = "kings and pawns: solving slices";
const SEVERAL: &str = "few other men beside kings and pawns: solving slices";

/// The most bytes of ranks that are kept while a strategy is read off.
pub(super) const RANKS: u64 = 1 << 31;

/// Positions of a win that are written down by lines, each with its move.
const BY_LINES: u64 = 1 << 15;

/// How long what rests on tables is written down at least before it is proved without them.
const SOON: Duration = Duration::from_secs(1);

/// What is told when a proof has taken what its certificate needs of time, and of memory.
const NO_TIME: &str = "proved by slices; no time was left to write the strategy down";
const NO_MEMORY: &str = "proved by slices; no memory was left to write the strategy down";

/// Slices of a position that are asked in turns; what was found before stays.
pub(super) struct Asked {
    proof: Arc<Mutex<Proof>>,
    /// How much of the time slices and the search in turns have.
    pub(super) part: f64,
}

/// What slices have proved of a position: enough for its certificate.
#[derive(Debug)]
pub(in crate::solve) struct Proof {
    board: Board,
    analysis: Analysis,
    /// The user's Syzygy tables, which small slices are read from and lines end in.
    syzygy: Option<SyzygyRules>,
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

    /// Asks no more whether a side holds: the search has proved it.
    pub(super) fn spare(&self, holder: Side) {
        let Proof { board, analysis, .. } = &mut *opened(&self.proof);
        analysis.spare(board, holder.other());
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
        // wait for it longer than for the proof.
        let is_large = Analysis::officers(&proof.board) > 1;
        let taken = budget.elapsed().max(Duration::from_secs(1));
        // With three the first move alone takes as long as the proof, and cannot be interrupted.
        let is_vast = Analysis::officers(&proof.board) > 2;
        let late = is_vast && budget.remaining().is_some_and(|left| left < 2 * taken);
        let part = if is_large { budget.part(taken) } else { budget.clone() };
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

/// Tells that slices begin.
pub(super) fn tell(question: &Question) {
    question.budget.progress().note(if is_several(question) { SEVERAL } else { WORD });
}

/// Whether there are two officers or more, so that slices are large and few or a mate may be near.
pub(super) fn is_several(question: &Question) -> bool {
    let board = question.board();
    Analysis::officers(&board) > 1 || Analysis::has_rest(&board)
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

/// Bytes of ranks within a budget: an eighth of its memory.
fn ranks(budget: &Budget) -> u64 {
    budget.limits().memory.map_or(RANKS, |bytes| RANKS.min(bytes / 8))
}

/// Nothing is left half done where a thread has panicked: a proof is only read then.
pub(in crate::solve) fn opened(proof: &Mutex<Proof>) -> MutexGuard<'_, Proof> {
    proof.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A certificate that rests on tables, or one that does not where that is soon written and the other
/// is not. With tables lines may lead through endings of queens against queens, or through the better
/// part of a table; slices alone give the opponent no new officer where they need not. So what is not
/// written in a second, or in as much time as was taken before, is proved once more.
///
/// # Errors
/// What `written` returns at the end of the budget.
pub(in crate::solve) fn plainly(
    board: &Board,
    proved: (Option<Outcome>, Option<Side>),
    budget: &Budget,
    written: impl Fn(&Budget) -> Result<Certificate, CertificateError>,
) -> Result<Certificate, CertificateError> {
    match written(&budget.part(budget.elapsed().max(SOON))) {
        Err(CertificateError::Stopped(StopReason::Time)) if budget.check(0, 0).is_ok() => {
            match plain(board, proved, budget) {
                Some(proof) => proof.written(budget),
                None => written(budget),
            }
        }
        written => written,
    }
}

/// The same proved by slices alone, if a part of the time does it. Wins with several officers have
/// strategies no smaller for it; with three the proof takes too long to be made twice.
fn plain(board: &Board, proved: (Option<Outcome>, Option<Side>), budget: &Budget) -> Option<Proof> {
    let most = if matches!(proved.0, Some(Outcome::Wins(_))) { 1 } else { 2 };
    if Analysis::suits(board).is_err() || Analysis::officers(board) > most {
        return None;
    }
    let part = budget.part(budget.remaining().unwrap_or(ALONE) / 2);
    let memory = budget.limits().memory.map(|bytes| bytes / 4);
    let part = part.limited(Limits { memory, ..*part.limits() });
    let mut analysis = Analysis::new();
    match proved {
        (Some(Outcome::Wins(side)), _) => {
            analysis = analysis.only(Side::ALL.map(|of| [of == side, false]));
        }
        (None, Some(holder)) => analysis.spare(board, holder),
        _ => {}
    }
    analysis.pursue(board, &part);
    let proof = Proof { board: board.clone(), analysis, syzygy: None };
    (proof.proved() == proved).then_some(proof)
}

impl Proof {
    /// What is known of any position.
    pub(super) fn analysis(&self) -> &Analysis {
        &self.analysis
    }

    /// The certificate of the value, or else of half a draw: by lines if they are few, else by
    /// rows: some 20 µs a position by lines, some 4 µs by rows of a win and 2 µs of a hold.
    ///
    /// # Errors
    /// The end of the budget; where nothing is proved.
    pub(in crate::solve) fn certificate(
        &self,
        budget: &Budget,
    ) -> Result<Certificate, CertificateError> {
        // The slices are kept while their strategy is written.
        let held = self.analysis.work().bytes;
        let left = budget.limits().memory.map(|all| all.saturating_sub(held).max(all / 4));
        let budget = &budget.limited(Limits { memory: left, ..*budget.limits() });
        if self.syzygy.is_none() && self.analysis.has_read() {
            plainly(&self.board, self.proved(), budget, |budget| self.written(budget))
        } else {
            self.written(budget)
        }
    }

    /// The value as far as it is known, and a side that holds.
    fn proved(&self) -> (Option<Outcome>, Option<Side>) {
        (self.analysis.known(&self.board), self.holder())
    }

    /// The certificate by what is proved.
    fn written(&self, budget: &Budget) -> Result<Certificate, CertificateError> {
        self.analysis.widen(kept(budget));
        Ok(match self.analysis.known(&self.board) {
            Some(Outcome::Wins(side)) => self.winning(side, budget)?,
            Some(Outcome::Draw) => {
                let white = self.holding(Side::White, budget)?;
                Certificate::of_draw(white, self.holding(Side::Black, budget)?)
            }
            None => {
                let holder = self.holder().ok_or(CertificateError::Undecided)?;
                Certificate::of_hold(self.holding(holder, budget)?)
            }
        })
    }

    /// A side's win: by lines if they have few positions or end in Syzygy tables, else as a set.
    fn winning(&self, side: Side, budget: &Budget) -> Result<Certificate, CertificateError> {
        if self.syzygy.is_some() {
            return self.by_lines(side, budget);
        }
        let few = budget.limited(Limits { positions: Some(BY_LINES), ..*budget.limits() });
        match self.by_lines(side, &few) {
            Err(CertificateError::Stopped(StopReason::Positions)) => {}
            done => return done,
        }
        match self.analysis.winning(&self.board, side, ranks(budget), budget) {
            Ok(set) => {
                let strategy = Strategy::winning_set(self.board.vector(), side, set.pieces());
                match strategy {
                    Some(strategy) => Ok(Certificate::of_win(strategy, set.plies)),
                    None => self.by_lines(side, budget),
                }
            }
            Err(NotWritten::Stopped(reason)) => Err(CertificateError::Stopped(reason)),
            Err(NotWritten::NotWon(_) | NotWritten::Endless(_)) => self.by_lines(side, budget),
        }
    }

    /// A side's win as slices play it, a position at a time.
    fn by_lines(&self, side: Side, budget: &Budget) -> Result<Certificate, CertificateError> {
        let mut winner = self.analysis.winner(side, ranks(budget));
        let (strategy, plies) =
            win::<BuildError>(self.rules(), &self.board, side, budget, &mut |position| {
                let gap = || BuildError::NoMate(crate::chess::fen(&position.vector()));
                winner.play(position).ok_or_else(gap)
            })?;
        Ok(Certificate::of_win(strategy, plies))
    }

    /// A side that holds.
    fn holder(&self) -> Option<Side> {
        Side::ALL.into_iter().find(|side| self.analysis.is_held(&self.board, *side))
    }

    /// A side's strategy that holds.
    ///
    /// # Errors
    /// The end of the budget; where it is not proved that the side holds.
    pub(in crate::solve) fn holding(
        &self,
        side: Side,
        budget: &Budget,
    ) -> Result<Strategy, CertificateError> {
        if !self.analysis.is_held(&self.board, side) {
            return Err(CertificateError::Undecided);
        }
        let mut policy = |position: &Board| Ok(self.analysis.holding(position, side));
        if self.syzygy.is_none() {
            let small = hold_small::<BuildError>(&self.board, side, budget, &mut policy)?;
            let strategy = match small {
                Some(strategy) => Some(strategy),
                None => self.closed(side, budget)?,
            };
            if let Some(strategy) = strategy {
                return Ok(strategy);
            }
        }
        Ok(hold::<BuildError>(self.rules(), &self.board, side, budget, &mut policy)?)
    }

    /// The same as a closed set; none where what holds is not known to slices.
    fn closed(&self, side: Side, budget: &Budget) -> Result<Option<Strategy>, CertificateError> {
        match self.analysis.closed(&self.board, side, budget) {
            Ok(set) => Ok(Strategy::holding_set(self.board.vector(), side, set.pieces())),
            Err(NotClosed::Stopped(reason)) => Err(CertificateError::Stopped(reason)),
            Err(NotClosed::NotHeld(_)) => Ok(None),
        }
    }

    /// Moves with which the side to move holds; none where that is not proved.
    pub(in crate::solve) fn holding_moves(&self) -> Vec<Move> {
        let mover = self.board.side_to_move();
        if self.analysis.is_held(&self.board, mover) {
            self.analysis.holding(&self.board, mover)
        } else {
            Vec::new()
        }
    }

    /// Moves that keep a value that is proved.
    fn best(&self, outcome: Outcome) -> Vec<Move> {
        let mover = self.board.side_to_move();
        match outcome {
            // With three officers the ranks take as long as the proof.
            Outcome::Wins(side) if side == mover && Analysis::officers(&self.board) > 2 => {
                let won = |m: &Move| {
                    let next = self.board.find(*m).map(|m| self.board.after(m));
                    next.is_some_and(|next| self.analysis.wins(&next, side) == Known::Wins)
                };
                self.board.legal_moves().iter().map(move_of).filter(won).collect()
            }
            Outcome::Wins(side) if side == mover => {
                self.analysis.winner(side, 0).play(&self.board).into_iter().collect()
            }
            Outcome::Wins(_) => Vec::new(),
            Outcome::Draw => self.holding_moves(),
        }
    }

    /// What ends lines.
    fn rules(&self) -> Option<&dyn Rules> {
        self.syzygy.as_ref().map(|tables| tables as &dyn Rules)
    }
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

#[cfg(test)]
mod tests;
