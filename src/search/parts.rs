//! Parts: positions after captures and promotions, held by closed sets of their own.
//!
//! A capture changes what a hold is about: who has given a pawn for the queen has to keep other things
//! now, and another order of moves holds. So where men have gone or a pawn has become another, sets are
//! grown by the same attempts as from a root, measured by what the holder has now; lines of the set
//! around them end there. What is closed once ends all later lines. What does not close within the moves
//! granted to it is left to the set around it, or given up by it; it is tried again when twice as many
//! are granted.
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
use crate::chess::{Move, Packed, Side, Turn, code};
use crate::hold::{Grown, Order, Outpost, Stay, Terms, grow_rows};
use hashbrown::HashMap;

/// Rows of a part at most.
const ROWS: usize = 1 << 13;
/// Parts within parts.
const DEPTH: usize = 6;
/// Positions of closed sets that are kept at most, some 60 bytes each.
const MOST: usize = 1 << 20;
/// With fewer moves a part is not begun.
const LEAST: u64 = 1 << 10;
/// A part that has not closed is begun again with so many times the moves.
const AGAIN: u64 = 2;
/// Of the moves that may be made for all parts of a root's set one of so many is granted to each.
pub(super) const EACH: u64 = 8;
/// Of the moves of a part an attempt makes one of so many itself, parts of its own left aside.
const OWN: u64 = 2;
/// And one of so many is granted to each part of its own.
const NESTED: u64 = 4;

/// The moves that parts may make.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grant {
    /// Each of them, with those within it.
    each: u64,
    /// What the meter may have counted when they end.
    until: u64,
}

impl Grant {
    /// So many moves for one part, and so many for all.
    pub(super) fn new(each: u64, all: u64, meter: &Meter) -> Self {
        Self { each, until: meter.visited() + all }
    }

    /// What one part may make.
    fn of_one(self, meter: &Meter) -> u64 {
        self.each.min(self.until.saturating_sub(meter.visited()))
    }
}

/// What is known of parts in which one side holds.
#[derive(Debug, Default)]
pub(super) struct Parts {
    /// The moves of those that close: each leads to where others, or none, are needed.
    plays: HashMap<Packed, Move>,
    /// What was granted to those that did not.
    pub(super) open: Granted,
}

/// Moves that were granted to parts in vain, by the men without the attacker's king and its squares.
pub(super) type Granted = HashMap<(Packed, u64), u64>;

impl Parts {
    /// About the bytes held.
    pub(super) fn bytes(&self) -> u64 {
        let each = size_of::<(Packed, Move)>() + 1;
        (each * self.plays.capacity() * 8 / 7 + 64 * self.open.len()) as u64
    }

    /// Whether no more is kept.
    pub(super) fn is_full(&self) -> bool {
        self.plays.len() >= MOST
    }

    /// Whether a position, with the holder to move, is held.
    pub(super) fn has(&self, board: &Board) -> bool {
        !self.plays.is_empty() && self.plays.contains_key(&board.packed())
    }

    /// One position more, with a move to where all replies are held.
    pub(super) fn add(&mut self, p: &Packed, play: Move) {
        self.plays.entry(*p).or_insert(play);
    }

    /// Takes in what another thread knows to be held.
    pub(super) fn join(&mut self, other: Self) {
        for (p, play) in other.plays {
            self.add(&p, play);
        }
    }

    /// All that is held, if anything is.
    pub(super) fn strategy(&self, root: &Board, holder: Side) -> Option<Strategy> {
        let plays = self.plays.iter().map(|(p, play)| (*p, *play));
        (!self.plays.is_empty()).then(|| Strategy::holding(root, holder, plays))
    }

    /// Those of these squares for which a part has a move.
    fn known(&self, entry: &Entry) -> u64 {
        if self.plays.is_empty() {
            return 0;
        }
        let known = entry.squares().filter(|&at| self.plays.contains_key(&entry.at(at)));
        known.fold(0, |all, at| all | 1 << at)
    }

    /// Where a set's lines end, of what is asked: in what is known, and where a part may begin, in sets
    /// grown for the rest.
    pub(super) fn ends(
        &mut self,
        entry: &Entry,
        judge: Judge,
        meter: &mut Meter,
        grant: Grant,
        depth: usize,
    ) -> Result<u64, Halt> {
        let held = self.known(entry);
        if !entry.is_new {
            return Ok(held);
        }
        let moves = grant.of_one(meter);
        let starts: Vec<Board> = (entry.squares().filter(|&at| held >> at & 1 == 0))
            .map(|at| Board::of_legal(&entry.at(at)))
            .collect();
        let Some(start) = starts.first() else { return Ok(held) };
        let before = self.open.get(&(entry.men, entry.kings)).copied().unwrap_or(0);
        if depth == DEPTH
            || moves < LEAST.max(AGAIN * before)
            || self.is_full()
            || starts.iter().any(Board::has_mark)
        {
            return Ok(held);
        }
        self.open.insert((entry.men, entry.kings), moves);
        let grant = Grant::new(moves / NESTED, moves, meter);
        for (allowance, order, stay) in attempts(&settled(start), judge.holder) {
            if meter.visited() >= grant.until {
                break;
            }
            let judge = judge.keeping(start, allowance);
            let terms = Terms { floor: judge.floor, order, stay, rows: ROWS, each: false };
            let left = moves / OWN;
            let mut inner = Inner { parts: self, judge, meter, left, grant, depth };
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

    /// A position that another part knows keeps its move, for that leads into a closed set too. Of a
    /// folded set all images are kept.
    pub(super) fn keep(&mut self, set: &Strategy) {
        for (p, answer) in set.iter() {
            let Some(play) = answer.play else { continue };
            let turns = Turn::allowed(&p).filter(|&turn| set.folded() || turn == Turn::NONE);
            for turn in turns {
                self.plays.entry(turn.position(&p)).or_insert(turn.play(play));
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
    /// Moves that it may still make itself.
    left: u64,
    /// What its own parts may make; it ends with them.
    grant: Grant,
    depth: usize,
}

impl Outpost for Inner<'_, '_, '_, '_> {
    type Error = Halt;

    fn spent(&mut self, moves: u64, _: u64) -> Result<(), Halt> {
        self.meter.steps(moves)?;
        self.left = self.left.saturating_sub(moves);
        let is_over = self.left == 0 || self.meter.visited() >= self.grant.until;
        if is_over { Err(Halt::Slice) } else { Ok(()) }
    }

    fn is_held(&self, board: &Board) -> Option<bool> {
        self.judge.is_held_after(board)
    }

    fn part(&mut self, men: &Men, kings: u64, is_entry: bool) -> Result<u64, Halt> {
        let entry = Entry::new(men, kings, self.judge.holder, is_entry);
        self.parts.ends(&entry, self.judge, self.meter, self.grant, self.depth + 1)
    }
}
