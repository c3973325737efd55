//! Holding beyond tables: a closed set of positions in which the holder is never mated.
//!
//! The holder has one move in each position of the set, the opponent all; every line stays inside,
//! ends in stalemate, or goes to a position that a probe or the opponent's bare king decides. So
//! the holder holds, by perpetual check, fortress or blockade. Searches look for such sets in two
//! ways: [`Judge::circle`] weighs the holder's moves by what is left to be answered, and finds
//! perpetual checks and exchanges, and what leads to a wall of pawns that closes;
//! [`Judge::grow`] takes one move and the next only when the first has failed, and finds fortresses,
//! whose many positions all have some quiet move. It does so for one position after the other or on
//! rows ([`crate::hold::grow_rows`]).
//!
//! To keep the set small, positions where the holder has lost material are given up as if they were
//! lost. That only restricts the holder's own choice: a closed set is a proof, an attempt that
//! fails proves nothing.
//!
//! # References
//! * M. Guid, I. Bratko, *Detecting fortresses in chess*, 2012.

use super::known::Known;
use super::meter::{Halt, Meter};
use super::parts::{self, Entry, Grant};
use super::task::Probe;
use crate::certificate::Strategy;
use crate::chess::board::{Board, ChessMove, Men, Position, move_of};
use crate::chess::worth::{balance, in_pawns};
use crate::chess::{Move, Outcome, Side};
use crate::hold::{Defence, Grown, Order, Outpost, Sight, Terms, close, grow, grow_rows, has_rows};
use crate::strategy::Rules;
use std::sync::Arc;

/// A closed set, with the holder's move in each position.
#[derive(Debug)]
pub struct Region {
    set: Strategy,
    /// Where lines of the set end.
    walls: Vec<Strategy>,
    /// What ended lines beside the probe.
    rules: Option<Arc<dyn Rules>>,
}

impl Region {
    pub(super) fn new(set: Strategy, walls: Vec<Strategy>, rules: Option<Arc<dyn Rules>>) -> Self {
        Self { set, walls, rules }
    }

    /// The rules that it was grown with.
    pub(super) fn rules(&self) -> Option<&dyn Rules> {
        self.rules.as_deref()
    }

    /// The side that holds.
    pub fn holder(&self) -> Side {
        self.set.owner()
    }

    /// The number of positions with a move of their own.
    pub fn len(&self) -> usize {
        self.set.len() + self.walls.iter().map(Strategy::len).sum::<usize>()
    }

    /// Whether no move is needed before probes decide.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The holder's move in a position of the set or of a wall.
    pub(super) fn own_play(&self, board: &Board) -> Option<Move> {
        let p = board.packed();
        let mut sets = std::iter::once(&self.set).chain(&self.walls);
        sets.find_map(|set| set.answer(&p)?.play)
    }

    /// The holder's moves in a position with the holder to move: the one of the set, or all that a
    /// probe calls safe. Empty outside the region.
    pub fn plays(&self, board: &Board, probe: &Probe) -> Vec<Move> {
        if let Some(play) = self.own_play(board) {
            return vec![play];
        }
        let opponent = board.side_to_move().other();
        let safe = |m: &ChessMove| {
            let next = board.after(*m);
            match probe(&next) {
                Some(value) => value.outcome() != Outcome::Wins(self.holder().other()),
                None => {
                    next.has_bare_king(opponent)
                        || next.legal_moves().is_empty()
                        || ruled(self.rules(), &next, self.holder()) == Some(true)
                }
            }
        };
        board.legal_moves().iter().filter(|m| safe(m)).map(move_of).collect()
    }
}

/// Whether a rule says that the holder holds, or (false) that it loses.
fn ruled(rules: Option<&dyn Rules>, board: &Board, holder: Side) -> Option<bool> {
    let (rules, p) = (rules?, board.packed());
    if rules.end(&p, holder, false).is_some() {
        return Some(true);
    }
    rules.end(&p, holder.other(), true).map(|_| false)
}

/// The holder's material balance, the holder to move and taking the most at once.
pub(super) fn balance_then(board: &Board, holder: Side, moves: &[ChessMove]) -> i32 {
    let taken = |m: &ChessMove| m.capture().map_or(0, in_pawns);
    balance(board.chess().board(), holder) + moves.iter().map(taken).max().unwrap_or(0)
}

/// What an attempt to hold may count on, and where it gives up.
#[derive(Clone, Copy)]
pub(super) struct Judge<'a> {
    pub(super) holder: Side,
    probe: &'a Probe<'a>,
    rules: Option<&'a Arc<dyn Rules>>,
    /// Positions with a smaller balance are given up.
    pub(super) floor: i32,
}

impl<'a> Judge<'a> {
    /// The rules of an attempt in which the holder may lose `allowance` pawns' worth of its balance
    /// at the root.
    pub(super) fn new(
        root: &Board,
        holder: Side,
        allowance: i32,
        probe: &'a Probe<'a>,
        rules: Option<&'a Arc<dyn Rules>>,
    ) -> Self {
        let floor = balance(root.chess().board(), holder).saturating_sub(allowance);
        Self { holder, probe, rules, floor }
    }

    /// The same where so much may be lost of what the holder has in a position, with the holder to move.
    pub(super) fn keeping(self, board: &Board, allowance: i32) -> Self {
        let has = balance_then(board, self.holder, &board.legal_moves());
        Self { floor: has.saturating_sub(allowance), ..self }
    }

    /// The positions with the holder to move that have to be held.
    pub(super) fn starts(&self, root: &Board) -> Vec<Board> {
        if root.side_to_move() == self.holder {
            vec![root.clone()]
        } else if self.is_safe_after(root) {
            Vec::new()
        } else {
            root.successors().collect()
        }
    }

    /// What a position with the holder to move says at once.
    pub(super) fn at_sight(&self, board: &Board) -> Sight {
        let moves = board.legal_moves();
        if moves.is_empty() {
            return if board.in_check() { Sight::Lost } else { Sight::Held };
        }
        if board.has_bare_king(self.holder.other()) {
            return Sight::Held;
        }
        let probed = self.probed(board);
        match probed.or_else(|| self.ruled(board)) {
            Some(true) => Sight::Held,
            Some(false) => Sight::Lost,
            None if balance_then(board, self.holder, &moves) < self.floor => Sight::Lost,
            None => Sight::Open,
        }
    }

    /// Whether the probe says that the holder holds.
    fn probed(&self, board: &Board) -> Option<bool> {
        let lost = Outcome::Wins(self.holder.other());
        (self.probe)(board).map(|value| value.outcome() != lost)
    }

    fn ruled(&self, board: &Board) -> Option<bool> {
        ruled(self.rules.map(Arc::as_ref), board, self.holder)
    }

    /// What the probe, else a rule, says of a position with the opponent to move.
    pub(super) fn is_held_after(&self, next: &Board) -> Option<bool> {
        self.probed(next).or_else(|| self.ruled(next))
    }

    /// Whether the holder is safe without a move more; the opponent is to move.
    pub(super) fn is_safe_after(&self, next: &Board) -> bool {
        next.has_bare_king(self.holder.other()) || self.is_held_after(next) == Some(true)
    }

    /// Whether the holder is known to be lost; the opponent is to move.
    pub(super) fn is_lost_after(&self, next: &Board) -> bool {
        self.is_held_after(next) == Some(false)
    }

    /// A set found by weighing moves, unless more than `positions` have to be searched; its lines end in
    /// what is known. What it finds out of walls is kept for the next attempt.
    ///
    /// # Errors
    /// The end of the budget.
    pub(super) fn circle(
        self,
        root: &Board,
        meter: &mut Meter,
        positions: usize,
        known: &Known,
    ) -> Result<Option<Strategy>, Halt> {
        let mut metered = Metered { judge: self, meter, known, has_walls: true };
        close(root, self.holder, &self.starts(root), &mut metered, positions)
    }

    /// A set grown by an order of moves, the lines of which end in what is known; none if every choice
    /// has failed.
    ///
    /// # Errors
    /// [`Halt::Slice`] when the set has grown beyond `positions`, or the end of the budget.
    pub(super) fn grow(
        self,
        root: &Board,
        order: Order,
        meter: &mut Meter,
        positions: usize,
        known: &Known,
    ) -> Result<Option<Strategy>, Halt> {
        let starts = self.starts(root);
        let mut metered = Metered { judge: self, meter, known, has_walls: false };
        grown(grow(root, self.holder, &starts, &mut metered, order, positions)?)
    }

    /// Whether sets can be grown on rows from the root.
    pub(super) fn has_rows(&self, root: &Board) -> bool {
        has_rows(&self.starts(root))
    }

    /// The same as [`Judge::grow`] on rows, which the root must have; `moves` may be made for parts.
    ///
    /// # Errors
    /// [`Halt::Slice`] when the set has grown beyond its rows, or the end of the budget.
    pub(super) fn grow_on_rows(
        self,
        root: &Board,
        terms: Terms,
        meter: &mut Meter,
        known: &Known,
        moves: u64,
    ) -> Result<Option<Strategy>, Halt> {
        let (starts, holder) = (self.starts(root), self.holder);
        let each = moves / parts::EACH;
        let mut parting = Parting { judge: self, meter, known, each, left: moves };
        grown(grow_rows(root, holder, &starts, terms, &mut parting)?)
    }
}

/// What has been grown, if it is closed.
fn grown(end: Grown) -> Result<Option<Strategy>, Halt> {
    match end {
        Grown::Closed(set) => Ok(Some(*set)),
        Grown::Failed => Ok(None),
        Grown::TooLarge => Err(Halt::Slice),
    }
}

/// What a judge knows, with its steps counted.
struct Metered<'a, 'm, 'b> {
    judge: Judge<'a>,
    meter: &'m mut Meter<'b>,
    known: &'a Known,
    /// Whether lines end at walls.
    has_walls: bool,
}

impl Metered<'_, '_, '_> {
    fn is_wall(&self, board: &Board) -> bool {
        self.known.walls.borrow_mut().hold(board, &self.judge)
    }
}

impl Defence for Metered<'_, '_, '_> {
    type Error = Halt;
    const CERTAIN: bool = false;

    fn sight(&self, board: &Board) -> Sight {
        match self.judge.at_sight(board) {
            Sight::Open if self.known.parts.borrow().has(board) => Sight::Held,
            sight => sight,
        }
    }

    fn is_over(&self, board: &Board) -> bool {
        self.judge.is_safe_after(board) || self.has_walls && self.is_wall(board)
    }

    fn is_lost(&self, board: &Board) -> bool {
        self.judge.is_lost_after(board)
    }

    fn sight_after(&self, board: &Board) -> Sight {
        let is_bare = board.has_bare_king(self.judge.holder.other());
        let known = if is_bare { Some(true) } else { self.judge.is_held_after(board) };
        match known {
            Some(true) => Sight::Held,
            Some(false) => Sight::Lost,
            None if self.has_walls && self.is_wall(board) => Sight::Held,
            None => Sight::Open,
        }
    }

    fn options(&mut self, board: &Board, bytes: u64) -> Result<Vec<(ChessMove, bool)>, Halt> {
        self.meter.growing(bytes);
        let legal = board.legal_moves();
        let on_walls = std::mem::take(&mut self.known.walls.borrow_mut().made);
        self.meter.steps(on_walls + legal.len() as u64)?;
        Ok(legal.into_iter().map(|m| (m, true)).collect())
    }
}

/// A set on rows, with its steps counted and what is known of its parts.
struct Parting<'p, 'a, 'm, 'b> {
    judge: Judge<'a>,
    meter: &'m mut Meter<'b>,
    known: &'p Known,
    /// Moves that may be made for one part, and for all that are still to come.
    each: u64,
    left: u64,
}

impl Outpost for Parting<'_, '_, '_, '_> {
    type Error = Halt;

    fn spent(&mut self, moves: u64, bytes: u64) -> Result<(), Halt> {
        self.meter.growing(bytes + self.known.parts.borrow().bytes());
        self.meter.steps(moves)
    }

    fn is_held(&self, board: &Board) -> Option<bool> {
        self.judge.is_held_after(board)
    }

    fn part(&mut self, men: &Men, kings: u64, is_entry: bool) -> Result<u64, Halt> {
        let entry = Entry::new(men, kings, self.judge.holder, is_entry);
        let (before, grant) = (self.meter.visited(), Grant::new(self.each, self.left, self.meter));
        let parts = &mut self.known.parts.borrow_mut();
        let held = parts.ends(&entry, self.judge, self.meter, grant, 0)?;
        self.left = self.left.saturating_sub(self.meter.visited() - before);
        Ok(held)
    }
}
