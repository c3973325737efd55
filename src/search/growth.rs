//! A region grown from the root, one move for each position.
//!
//! A position that is reached gets a move by the temper of the attempt; a position in which the
//! holder is lost takes back the moves that led to it (a least fixpoint, run on the fly). When no
//! position waits for a move any more, the set is closed.
//!
//! # References
//! * X. Liu, S. A. Smolka, *Simple linear-time algorithms for minimal fixed points*, 1998 (local
//!   fixpoints).

use super::meter::{Halt, Meter};
use super::region::{Judge, Region};
use crate::chess::board::{Board, ChessMove, Position, move_of, side_of};
use crate::chess::{Interner, Move};
use crate::strategy::{SetUps, Sight, Strategy};

/// How the holder chooses among the moves that are not refuted; the rest decides where that is the
/// same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Temper {
    /// The move that brings the fewest new positions: exchanges, then shuffling.
    Frugal,
    /// No capture and no pawn move while there are others: a blockade stays as it is.
    Calm,
    /// The set-up of its men that it has used most and that fails least: a fortress.
    Homely,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Waits for a move.
    Open,
    /// Has its move.
    Chosen,
    /// Holds without a move of the set: stalemate, a probe, or a bare king against it.
    Safe,
    /// Lost or given up.
    Lost,
}

/// A position with the holder to move. With its packed position about 100 bytes, and 4 for each
/// reply to its move.
#[derive(Debug)]
struct Cell {
    state: State,
    play: Option<Move>,
    /// The positions after the opponent's replies to `play`.
    next: Box<[u32]>,
    /// Positions whose move leads here (some may have chosen again since).
    from: Vec<u32>,
}

/// How an attempt to hold ended.
#[derive(Debug)]
pub(super) enum Attempt {
    /// The set is closed.
    Closed(Box<Region>),
    /// Every choice allowed has failed.
    Failed,
}

/// A set that grows.
pub(super) struct Growth<'a> {
    judge: Judge<'a>,
    temper: Temper,
    positions: Interner,
    cells: Vec<Cell>,
    /// The positions that must all hold.
    roots: Vec<u32>,
    /// Positions that may wait for a move.
    agenda: Vec<u32>,
    /// Lost positions whose predecessors have not chosen again.
    lost: Vec<u32>,
    set_ups: SetUps,
}

/// A move that is not refuted, and the positions after the replies to it.
struct Choice {
    play: ChessMove,
    set_up: u64,
    replies: Vec<Board>,
    /// How many of them are new.
    fresh: usize,
}

impl<'a> Growth<'a> {
    pub(super) fn new(root: &Board, judge: Judge<'a>, temper: Temper) -> Self {
        let positions = Interner::new(root.chess().board().occupied().count());
        let mut growth = Self {
            judge,
            temper,
            positions,
            cells: Vec::new(),
            roots: Vec::new(),
            agenda: Vec::new(),
            lost: Vec::new(),
            set_ups: SetUps::new(side_of(judge.holder)),
        };
        growth.roots = judge.starts(root).iter().map(|board| growth.intern(board)).collect();
        growth
    }

    /// About the bytes held.
    fn bytes(&self) -> u64 {
        self.positions.memory() + self.set_ups.bytes() + (self.cells.len() * 160) as u64
    }

    /// Grows the set until it is closed, the attempt has failed, or `positions` have been looked
    /// at.
    ///
    /// # Errors
    /// [`Halt::Slice`] when the set has grown too large, or the end of the budget.
    pub(super) fn grow(
        mut self,
        root: &Board,
        meter: &mut Meter,
        positions: usize,
    ) -> Result<Attempt, Halt> {
        loop {
            self.take_back(meter, positions)?;
            if self.roots.iter().any(|&id| self.cell(id).state == State::Lost) {
                return Ok(Attempt::Failed);
            }
            let Some(id) = self.agenda.pop().or_else(|| self.next_open()) else {
                return Ok(Attempt::Closed(Box::new(self.region(root))));
            };
            if self.cell(id).state != State::Open || !self.is_wanted(id) {
                continue;
            }
            if self.cells.len() > positions {
                return Err(Halt::Slice);
            }
            meter.growing(self.bytes());
            self.choose(id, meter)?;
        }
    }

    fn cell(&self, id: u32) -> &Cell {
        &self.cells[id as usize]
    }

    /// Whether some move that still stands leads to a position.
    fn is_wanted(&self, id: u32) -> bool {
        let leads_here =
            |&p: &u32| self.cell(p).state == State::Chosen && self.cell(p).next.contains(&id);
        self.roots.contains(&id) || self.cell(id).from.iter().any(leads_here)
    }

    /// The positions that can be reached from the roots by the moves chosen.
    fn reached(&self) -> Vec<u32> {
        let mut seen = vec![false; self.cells.len()];
        let mut stack = self.roots.clone();
        let mut list = Vec::new();
        while let Some(id) = stack.pop() {
            if !std::mem::replace(&mut seen[id as usize], true) {
                list.push(id);
                stack.extend_from_slice(&self.cell(id).next);
            }
        }
        list
    }

    /// An open position that can be reached.
    fn next_open(&mut self) -> Option<u32> {
        let reached = self.reached();
        self.agenda
            .extend(reached.into_iter().filter(|&id| self.cells[id as usize].state == State::Open));
        self.agenda.pop()
    }

    /// The closed set.
    fn region(&self, root: &Board) -> Region {
        let chosen = self
            .reached()
            .into_iter()
            .filter_map(|id| Some((self.positions.at(id), self.cell(id).play?)));
        Region::new(Strategy::holding(root, side_of(self.judge.holder), chosen), &self.judge)
    }

    /// Positions whose move leads to a lost one choose again. That looks at new positions, lost
    /// ones above all: the attempt is given up when they outgrow the set.
    fn take_back(&mut self, meter: &mut Meter, positions: usize) -> Result<(), Halt> {
        while let Some(id) = self.lost.pop() {
            for p in std::mem::take(&mut self.cells[id as usize].from) {
                if self.cell(p).state == State::Chosen && self.cell(p).next.contains(&id) {
                    if self.cells.len() > 4 * positions {
                        return Err(Halt::Slice);
                    }
                    meter.growing(self.bytes());
                    self.choose(p, meter)?;
                }
            }
        }
        Ok(())
    }

    /// Gives a position a move, or calls it lost.
    fn choose(&mut self, id: u32, meter: &mut Meter) -> Result<(), Halt> {
        let choice = self.best(&Board::of_legal(&self.positions.at(id)), meter)?;
        let (state, play, next) = match choice {
            Some(Choice { play, set_up, replies, .. }) => {
                self.set_ups.choose(set_up);
                let next: Box<[u32]> = replies.iter().map(|board| self.intern(board)).collect();
                for &reply in &next {
                    self.cells[reply as usize].from.push(id);
                    // New positions that turn out lost are seen here again.
                    if self.cell(reply).state == State::Lost && self.lost.last() != Some(&reply) {
                        self.lost.push(reply);
                    }
                }
                (State::Chosen, Some(move_of(&play)), next)
            }
            None => {
                self.lost.push(id);
                (State::Lost, None, Box::default())
            }
        };
        let cell = &mut self.cells[id as usize];
        (cell.state, cell.play, cell.next) = (state, play, next);
        Ok(())
    }

    /// The move that suits the temper best; none when all are refuted.
    fn best(&mut self, board: &Board, meter: &mut Meter) -> Result<Option<Choice>, Halt> {
        let mut best: Option<Choice> = None;
        for play in board.legal_moves() {
            meter.step()?;
            let next = board.after(play);
            let replies = if self.judge.is_safe_after(&next) {
                Vec::new()
            } else {
                next.successors().collect()
            };
            let known: Vec<Option<u32>> =
                replies.iter().map(|r| self.positions.get(&r.packed())).collect();
            let lost = |id: &u32| self.cell(*id).state == State::Lost;
            let refuted = !replies.is_empty()
                && (self.judge.is_lost_after(&next) || known.iter().flatten().any(lost));
            let set_up = if self.temper == Temper::Homely { self.set_ups.key(&next) } else { 0 };
            self.set_ups.see(set_up, !refuted);
            if !refuted {
                let fresh = known.iter().filter(|id| id.is_none()).count();
                let choice = Choice { play, set_up, replies, fresh };
                if best.as_ref().is_none_or(|b| self.is_better(&choice, b)) {
                    best = Some(choice);
                }
            }
        }
        Ok(best)
    }

    fn is_better(&self, one: &Choice, other: &Choice) -> bool {
        let frugal = |c: &Choice| (c.fresh, c.play.is_zeroing());
        match self.temper {
            Temper::Frugal => frugal(one) < frugal(other),
            Temper::Calm => {
                (one.play.is_zeroing(), one.fresh) < (other.play.is_zeroing(), other.fresh)
            }
            Temper::Homely => {
                let merit = |c: &Choice| {
                    if c.replies.is_empty() { f32::MAX } else { self.set_ups.merit(c.set_up) }
                };
                merit(one).total_cmp(&merit(other)).then(frugal(other).cmp(&frugal(one))).is_gt()
            }
        }
    }

    fn intern(&mut self, board: &Board) -> u32 {
        let (id, new) = self.positions.insert(&board.packed());
        if new {
            let state = match self.judge.at_sight(board) {
                Sight::Held => State::Safe,
                Sight::Lost => State::Lost,
                Sight::Open => State::Open,
            };
            self.cells.push(Cell { state, play: None, next: Box::default(), from: Vec::new() });
            if state == State::Open {
                self.agenda.push(id);
            }
        }
        id
    }
}
