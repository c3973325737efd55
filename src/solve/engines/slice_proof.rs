//! What slices have proved of a position, and its certificates: by lines where these are few, else by the
//! slices' ranks.

use super::super::CertificateError;
use super::super::evidence::kept;
use crate::certificate::{Certificate, Strategy};
use crate::chess::board::{Board, move_of};
use crate::chess::{Move, Outcome, Side};
use crate::hold::{hold, hold_small};
use crate::limits::{Budget, Limits, StopReason};
use crate::slices::{Analysis, Known, NotClosed, NotWritten};
use crate::strategy::{BuildError, Rules, SyzygyRules, win};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long `auto` leaves a position to slices when nothing limits the time.
pub(super) const ALONE: Duration = Duration::from_secs(600);

/// The most bytes of ranks that are kept while a strategy is read off.
pub(super) const RANKS: u64 = 1 << 31;

/// Positions of a win that are written down by lines, each with its move.
const BY_LINES: u64 = 1 << 15;

/// How long what rests on tables is written down at least before it is proved without them.
const SOON: Duration = Duration::from_secs(1);

/// What slices have proved of a position: enough for its certificate.
#[derive(Debug)]
pub(in crate::solve) struct Proof {
    pub(super) board: Board,
    pub(super) analysis: Analysis,
    /// The user's Syzygy tables, which small slices are read from and lines end in.
    pub(super) syzygy: Option<SyzygyRules>,
}

/// Bytes of ranks within a budget: an eighth of its memory.
pub(super) fn ranks(budget: &Budget) -> u64 {
    budget.limits().memory.map_or(RANKS, |bytes| RANKS.min(bytes / 8))
}

/// Nothing is left half done where a thread has panicked: a proof is only read then.
pub(in crate::solve) fn opened<T>(proof: &Mutex<T>) -> MutexGuard<'_, T> {
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
    pub(super) fn holder(&self) -> Option<Side> {
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
        match self.analysis.closed(std::slice::from_ref(&self.board), side, budget) {
            Ok(set) => Ok(Some(Strategy::holding_set(self.board.vector(), side, set.pieces()))),
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
    pub(super) fn best(&self, outcome: Outcome) -> Vec<Move> {
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

#[cfg(test)]
mod tests;
