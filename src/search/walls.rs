//! Walls: positions in which all pawns are rammed and the holder waits behind them.
//!
//! Forcing moves that close a position are few, and the closed set behind them is large, though of
//! few rows: a search that weighs moves by what is left to be answered finds the former if it is told
//! that the latter holds. So where no pawn can step any more, a set is grown at once.
//!
//! # References
//! * W. Rudolph's study, La Stratégie 1912: two bishops are given for a wall.

use super::region::Judge;
use crate::certificate::Strategy;
use crate::chess::Packed;
use crate::chess::Side;
use crate::chess::board::{Board, BySide, Position, attacks};
use crate::hold::{Grown, Order, Outpost, Stay, Terms, grow_rows, has_rows};
use hashbrown::HashSet;

/// Rows of a wall at most.
const ROWS: usize = 1 << 14;
/// With fewer pawns on a side there is no wall.
const PAWNS: usize = 4;
/// Moves that are made for one at most: some 150 ms.
const MOVES: u64 = 1 << 20;

/// What is known of walls in which one side holds.
#[derive(Debug, Default)]
pub(super) struct Walls {
    /// Moves that may be made now.
    left: u64,
    /// Moves made that nobody has counted yet.
    pub(super) made: u64,
    /// Those that close.
    pub(super) closed: Vec<Strategy>,
    /// Positions that were tried, each with the balance below which it was given up.
    tried: HashSet<(Packed, i32)>,
}

impl Walls {
    /// So many moves more may be made.
    pub(super) fn grant(&mut self, moves: u64) {
        self.left = self.left.saturating_add(moves);
    }

    /// Whether the holder holds behind a wall; the attacker is to move.
    pub(super) fn hold(&mut self, board: &Board, judge: &Judge) -> bool {
        if !is_rammed(board) {
            return false;
        }
        let starts: Vec<Board> = board.successors().collect();
        let is_answered = |start: &Board| {
            let p = start.packed();
            self.closed.iter().any(|set| set.answer(&p).is_some())
        };
        if starts.iter().all(is_answered) {
            return true;
        }
        if self.left < MOVES
            || !has_rows(&starts)
            || !self.tried.insert((board.packed(), judge.floor))
        {
            return false;
        }
        let (holder, floor) = (judge.holder, judge.floor);
        let mut limited = Limited { judge, left: MOVES };
        let terms =
            Terms { floor, order: Order::Waiting, stay: Stay::ANYWHERE, rows: ROWS, each: false };
        let end = grow_rows(board, holder, &starts, terms, &mut limited);
        let made = MOVES - limited.left;
        (self.left, self.made) = (self.left - made, self.made + made);
        let Ok(Grown::Closed(set)) = end else { return false };
        self.closed.push(*set);
        true
    }
}

/// Whether every pawn has one of the other side in front of it and none to take, and there are some.
fn is_rammed(board: &Board) -> bool {
    let men = board.chess().board();
    let of = |side| men.pawns() & men.men_of(side);
    let (white, black) = (of(Side::White), of(Side::Black));
    let takes = |from| (attacks::pawn_attacks(Side::White, from) & black).any();
    white.0 << 8 == black.0 && white.count() >= PAWNS && !white.into_iter().any(takes)
}

/// No more moves may be made.
#[derive(Debug)]
struct Over;

struct Limited<'a, 'b> {
    judge: &'a Judge<'b>,
    left: u64,
}

impl Outpost for Limited<'_, '_> {
    type Error = Over;

    fn spent(&mut self, moves: u64, _: u64) -> Result<(), Over> {
        self.left = self.left.saturating_sub(moves);
        if self.left == 0 { Err(Over) } else { Ok(()) }
    }

    fn is_held(&self, board: &Board) -> Option<bool> {
        self.judge.is_held_after(board)
    }
}
