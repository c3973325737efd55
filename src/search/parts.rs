//! Parts: positions after captures and promotions, held by closed sets of their own.
//!
//! A capture changes what a hold is about: who has given a pawn for the queen has to keep other things
//! now, and another order of moves holds. So where men have gone or a pawn has become another, sets are
//! grown at once by the same attempts as from a root, measured by what the holder has now; lines of
//! the set around them end there. What is closed once ends all later lines. What does not close within
//! its share of moves is left to the set around it, or given up by it.
//!
//! Soundness: from each position of a part its move leads to where every reply is in a part again, or
//! ended by what ends all lines; so the union of parts is closed.
//!
//! # References
//! * E. Bleicher, *Freezer*, 2003 (what leaves a fortress is decided for itself).

use super::meter::{Halt, Meter};
use super::region::Judge;
use crate::certificate::Strategy;
use crate::chess::board::{Board, BySide as _, ChessMove, Men};
use crate::chess::worth::in_pawns;
use crate::chess::{Move, Packed, Side, code};
use crate::hold::{Grown, Order, Outpost, Stay, Terms, grow_rows};
use hashbrown::HashMap;

/// Rows of a part at most.
const ROWS: usize = 1 << 13;
/// Parts within parts.
const DEPTH: usize = 6;
/// Positions of closed sets that are kept at most, some 60 bytes each.
const MOST: usize = 1 << 20;
/// The part of what is left of its moves that an attempt may make.
const SHARE: u64 = 3;
/// With fewer moves a part is not begun.
const LEAST: u64 = 1 << 10;
/// A part that has not closed is begun again with so many times the moves.
const AGAIN: u64 = 4;

/// What is known of parts in which one side holds.
#[derive(Debug, Default)]
pub(super) struct Parts {
    /// The moves of those that close: each leads to where others, or none, are needed.
    plays: HashMap<Packed, Move>,
    /// The moves that were granted to those that did not, each by its men
    /// and the squares of the attacker's king.
    open: HashMap<(Packed, u64), u64>,
}

impl Parts {
    /// About the bytes held.
    pub(super) fn bytes(&self) -> u64 {
        let each = size_of::<(Packed, Move)>() + 1;
        (each * self.plays.capacity() * 8 / 7 + 64 * self.open.len()) as u64
    }

    /// All that is held, if anything is.
    pub(super) fn strategy(&self, root: &Board, holder: Side) -> Option<Strategy> {
        let plays = self.plays.iter().map(|(p, play)| (*p, *play));
        (!self.plays.is_empty()).then(|| Strategy::holding(root, holder, plays))
    }

    /// Where a set's lines end, of what is asked. What is granted for parts becomes less: one costs a
    /// fourth of it at most, or half of it where it is asked for by another.
    pub(super) fn ends(
        &mut self,
        entry: &Entry,
        judge: Judge,
        meter: &mut Meter,
        left: &mut u64,
        depth: usize,
    ) -> Result<u64, Halt> {
        if !entry.is_new {
            return Ok(self.known(entry));
        }
        let (before, share) = (meter.visited(), if depth == 0 { 4 } else { 2 });
        let held = self.held(entry, judge, meter, *left / share, depth)?;
        *left = left.saturating_sub(meter.visited() - before);
        Ok(held)
    }

    /// Those of these squares for which a part has a move.
    fn known(&self, entry: &Entry) -> u64 {
        if self.plays.is_empty() {
            return 0;
        }
        let known = entry.squares().filter(|&at| self.plays.contains_key(&entry.at(at)));
        known.fold(0, |all, at| all | 1 << at)
    }

    /// Those of these squares of the attacker's king for which the holder, to move, holds with these
    /// men: sets are grown for what is not known, of at most so many moves.
    fn held(
        &mut self,
        entry: &Entry,
        judge: Judge,
        meter: &mut Meter,
        moves: u64,
        depth: usize,
    ) -> Result<u64, Halt> {
        let held = self.known(entry);
        let starts: Vec<Board> = (entry.squares().filter(|&at| held >> at & 1 == 0))
            .map(|at| Board::of_legal(&entry.at(at)))
            .collect();
        let Some(start) = starts.first() else { return Ok(held) };
        let before = self.open.get(&(entry.men, entry.kings)).copied().unwrap_or(0);
        if depth == DEPTH
            || moves < LEAST.max(AGAIN * before)
            || self.plays.len() >= MOST
            || starts.iter().any(Board::has_mark)
        {
            return Ok(held);
        }
        self.open.insert((entry.men, entry.kings), moves);
        let until = meter.visited() + moves;
        for (allowance, order, stay) in attempts(&settled(start), judge.holder) {
            let judge = judge.keeping(start, allowance);
            let terms = Terms { floor: judge.floor, order, stay, rows: ROWS };
            let left = until.saturating_sub(meter.visited()) / SHARE;
            let mut inner = Inner { parts: self, judge, meter, left, depth };
            match grow_rows(start, judge.holder, &starts, terms, &mut inner) {
                Ok(Grown::Closed(set)) => {
                    self.keep(&set);
                    return Ok(held | entry.kings);
                }
                Ok(Grown::Failed | Grown::TooLarge) | Err(Halt::Slice) => {}
                Err(stop) => return Err(stop),
            }
        }
        Ok(held)
    }

    /// A position that another part knows keeps its move, for that leads into a closed set too.
    fn keep(&mut self, set: &Strategy) {
        for (p, answer) in set.iter() {
            if let Some(play) = answer.play {
                self.plays.entry(p).or_insert(play);
            }
        }
    }
}

/// A position with what may be taken most taken: exchanges belong to what follows.
fn settled(start: &Board) -> Board {
    let worth = |m: &ChessMove| m.capture().map_or(0, in_pawns);
    let most = start.legal_moves().into_iter().max_by_key(worth);
    most.filter(|m| worth(m) > 0).map_or_else(|| start.clone(), |m| start.after(m))
}

/// What is tried of a part: what may be lost, in which order moves come, and which of them.
fn attempts(start: &Board, holder: Side) -> Vec<(i32, Order, Stay)> {
    let regions = Stay::regions(start, holder);
    let losing = |allowance| regions.iter().map(move |&stay| (allowance, Order::Quiet, stay));
    let free = [(0, Order::Quiet, Stay::ANYWHERE), (3, Order::KnownSetUps, Stay::ANYWHERE)];
    losing(0).chain(losing(3)).chain(free).collect()
}

/// Positions with the holder to move that lines may end in: the men without the attacker's king, and its
/// squares.
pub(super) struct Entry {
    men: Packed,
    kings: u64,
    holder: Side,
    /// Whether a part may begin here, or only one that is known may go on.
    is_new: bool,
}

impl Entry {
    pub(super) fn new(men: &Men, kings: u64, holder: Side, is_new: bool) -> Self {
        Self { men: men.packed(), kings, holder, is_new }
    }

    fn squares(&self) -> impl Iterator<Item = u8> + use<> {
        let kings = self.kings;
        (0..64).filter(move |at| kings >> at & 1 != 0)
    }

    fn at(&self, square: u8) -> Packed {
        let king = self.holder.pick(code::KING + code::BLACK, code::KING);
        let state = Packed::state(self.holder.pick(0, 1), 0, 0, 0, 0);
        Packed { state, ..self.men.with(square, king) }
    }
}

/// A part that is being grown.
struct Inner<'p, 'a, 'm, 'b> {
    parts: &'p mut Parts,
    judge: Judge<'a>,
    meter: &'m mut Meter<'b>,
    /// Moves that it may still make.
    left: u64,
    depth: usize,
}

impl Outpost for Inner<'_, '_, '_, '_> {
    type Error = Halt;

    fn spent(&mut self, moves: u64, _: u64) -> Result<(), Halt> {
        self.meter.steps(moves)?;
        self.left = self.left.saturating_sub(moves);
        if self.left == 0 { Err(Halt::Slice) } else { Ok(()) }
    }

    fn is_held(&self, board: &Board) -> Option<bool> {
        self.judge.is_held_after(board)
    }

    fn part(&mut self, men: &Men, kings: u64, is_entry: bool) -> Result<u64, Halt> {
        let entry = Entry::new(men, kings, self.judge.holder, is_entry);
        self.parts.ends(&entry, self.judge, self.meter, &mut self.left, self.depth + 1)
    }
}
