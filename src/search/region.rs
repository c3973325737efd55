//! Holding beyond tables: a closed set of positions in which the holder is never mated.
//!
//! The holder has one move in each position of the set, the opponent all; every line stays inside. The set is grown from
//! the root: a position that is reached gets the move that brings the fewest new positions; a position in which the
//! holder is lost takes back the moves that led to it (a least fixpoint, run on the fly). When no position waits for a
//! move any more, the set is closed: the holder holds, by perpetual check, fortress, blockade or stalemate.
//!
//! To keep the set small, positions where the holder has lost material are given up as if they were lost. That only
//! restricts the holder's own choice: a closed set is a proof, an attempt that fails proves nothing.
//!
//! # References
//! * X. Liu, S. A. Smolka, *Simple linear-time algorithms for minimal fixed points*, 1998 (local fixpoints).
//! * M. Guid, I. Bratko, *Detecting fortresses in chess*, 2012.

use super::meter::{Halt, Meter};
use super::task::Probe;
use crate::chess::board::{Board, ChessMove, Color, Position, Role, move_of, side_of};
use crate::chess::{Interner, Move, Packed};
use crate::strategy::Rules;
use crate::tables::Value;
use std::sync::Arc;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Waits for a move.
    Open,
    /// Has its move.
    Chosen,
    /// Holds without a move of the set: stalemate, a probe, a rule, or a bare king against it.
    Safe,
    /// Lost or given up.
    Lost,
}

/// A position with the holder to move. With its packed position about 100 bytes, and 4 for each reply to its move.
#[derive(Debug)]
struct Cell {
    state: State,
    play: Option<Move>,
    /// The positions after the opponent's replies to `play`.
    next: Box<[u32]>,
    /// Positions whose move leads here (some may have chosen again since).
    from: Vec<u32>,
}

/// A closed set, with the holder's move in each position.
#[derive(Debug)]
pub struct Region {
    holder: Color,
    /// What ended lines beside the probe.
    rules: Option<Arc<dyn Rules>>,
    positions: Interner,
    cells: Vec<Cell>,
}

impl Region {
    /// The rules that it was grown with.
    pub(super) fn rules(&self) -> Option<&dyn Rules> {
        self.rules.as_deref()
    }

    /// Whether a rule says that the holder holds, or (false) that it loses.
    fn ruled(&self, board: &Board) -> Option<bool> {
        let (rules, p) = (self.rules()?, board.packed());
        if rules.end(&p, side_of(self.holder), false).is_some() {
            return Some(true);
        }
        rules.end(&p, side_of(self.holder.other()), true).map(|_| false)
    }

    /// The side that holds.
    pub fn holder(&self) -> Color {
        self.holder
    }

    /// The number of positions that have been looked at, those outside the closed set included.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether no position was looked at (the root itself is decided).
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// The holder's moves in a position with the holder to move: the one of the set, or all that a probe calls
    /// safe. Empty outside the region.
    pub fn plays(&self, board: &Board, probe: &Probe) -> Vec<Move> {
        let cell = self.positions.get(&board.packed()).map(|id| &self.cells[id as usize]);
        if let Some(Cell { state: State::Chosen, play: Some(play), .. }) = cell {
            return vec![*play];
        }
        let safe = |m: &ChessMove| {
            let next = board.after(*m);
            match probe(&next) {
                Some(value) => !matches!(value, Value::Win(_)),
                None => {
                    is_bare(&next, self.holder.other())
                        || next.legal_moves().is_empty()
                        || self.ruled(&next) == Some(true)
                }
            }
        };
        board.legal_moves().iter().filter(|m| safe(m)).map(move_of).collect()
    }
}

/// Whether a side has nothing but its king.
fn is_bare(board: &Board, side: Color) -> bool {
    board.chess().board().by_color(side).count() == 1
}

const WORTH: [(Role, i32); 5] =
    [(Role::Pawn, 1), (Role::Knight, 3), (Role::Bishop, 3), (Role::Rook, 5), (Role::Queen, 9)];

fn material(board: &Board, side: Color) -> i32 {
    let men = board.chess().board();
    let count = |role| (men.by_role(role) & men.by_color(side)).count() as i32;
    WORTH.iter().map(|&(role, worth)| worth * count(role)).sum()
}

/// The holder's material balance after its best capture at once; the holder is to move.
fn balance(board: &Board, holder: Color) -> i32 {
    let taken = |m: &ChessMove| m.capture().map_or(0, |role| WORTH.iter().find(|w| w.0 == role).map_or(0, |w| w.1));
    let gain = board.legal_moves().iter().map(taken).max().unwrap_or(0);
    material(board, holder) - material(board, holder.other()) + gain
}

/// How an attempt to hold ended.
#[derive(Debug)]
pub(super) enum Attempt {
    /// The set is closed.
    Closed(Box<Region>),
    /// Every choice allowed has failed.
    Failed,
}

/// An attempt to hold that gives up positions where the balance falls under a floor.
pub(super) struct Holding<'a> {
    probe: &'a Probe<'a>,
    floor: i32,
    region: Region,
    /// The positions that must all hold.
    roots: Vec<u32>,
    /// Positions that may wait for a move.
    agenda: Vec<u32>,
    /// Lost positions whose predecessors have not chosen again.
    lost: Vec<u32>,
}

impl<'a> Holding<'a> {
    /// An attempt in which the holder may lose `allowance` pawns' worth of its balance at the root.
    pub(super) fn new(
        root: &Board,
        holder: Color,
        allowance: i32,
        probe: &'a Probe<'a>,
        rules: Option<Arc<dyn Rules>>,
    ) -> Self {
        let balance_now = material(root, holder) - material(root, holder.other());
        let men = root.chess().board().occupied().count();
        let mut holding = Self {
            probe,
            floor: balance_now.saturating_sub(allowance),
            region: Region { holder, rules, positions: Interner::new(men), cells: Vec::new() },
            roots: Vec::new(),
            agenda: Vec::new(),
            lost: Vec::new(),
        };
        let starts = if root.chess().turn() == holder {
            vec![root.packed()]
        } else if is_bare(root, holder.other()) {
            Vec::new()
        } else {
            replies(root)
        };
        holding.roots = starts.iter().map(|p| holding.intern(p)).collect();
        holding
    }

    /// About the bytes held.
    fn bytes(&self) -> u64 {
        self.region.positions.memory() + (self.region.cells.len() * 160) as u64
    }

    /// Grows the set until it is closed, the attempt has failed, or `positions` have been looked at.
    ///
    /// # Errors
    /// [`Halt::Slice`] when the set has grown too large, or the end of the budget.
    pub(super) fn grow(mut self, meter: &mut Meter, positions: usize) -> Result<Attempt, Halt> {
        loop {
            self.take_back(meter, positions)?;
            if self.roots.iter().any(|&id| self.cell(id).state == State::Lost) {
                return Ok(Attempt::Failed);
            }
            let Some(id) = self.agenda.pop().or_else(|| self.next_open()) else {
                return Ok(Attempt::Closed(Box::new(self.region)));
            };
            if self.cell(id).state != State::Open || !self.is_wanted(id) {
                continue;
            }
            if self.region.cells.len() > positions {
                return Err(Halt::Slice);
            }
            meter.growing(self.bytes());
            self.choose(id, meter)?;
        }
    }

    fn cell(&self, id: u32) -> &Cell {
        &self.region.cells[id as usize]
    }

    /// Whether some move that still stands leads to a position.
    fn is_wanted(&self, id: u32) -> bool {
        let leads_here = |&p: &u32| self.cell(p).state == State::Chosen && self.cell(p).next.contains(&id);
        self.roots.contains(&id) || self.cell(id).from.iter().any(leads_here)
    }

    /// An open position that can be reached from the roots by the moves chosen.
    fn next_open(&mut self) -> Option<u32> {
        let mut seen = vec![false; self.region.cells.len()];
        let mut stack = self.roots.clone();
        while let Some(id) = stack.pop() {
            if std::mem::replace(&mut seen[id as usize], true) {
                continue;
            }
            match self.cell(id).state {
                State::Open => self.agenda.push(id),
                State::Chosen => stack.extend_from_slice(&self.cell(id).next),
                State::Safe | State::Lost => {}
            }
        }
        self.agenda.pop()
    }

    /// Positions whose move leads to a lost one choose again. That looks at new positions, lost ones above all: the
    /// attempt is given up when they outgrow the set.
    fn take_back(&mut self, meter: &mut Meter, positions: usize) -> Result<(), Halt> {
        while let Some(id) = self.lost.pop() {
            for p in std::mem::take(&mut self.region.cells[id as usize].from) {
                if self.cell(p).state == State::Chosen && self.cell(p).next.contains(&id) {
                    if self.region.cells.len() > 4 * positions {
                        return Err(Halt::Slice);
                    }
                    meter.growing(self.bytes());
                    self.choose(p, meter)?;
                }
            }
        }
        Ok(())
    }

    /// Gives a position the safest-looking move that brings the fewest new positions, or calls it lost.
    fn choose(&mut self, id: u32, meter: &mut Meter) -> Result<(), Halt> {
        let board = Board::of_legal(&self.region.positions.at(id));
        let mut best: Option<(usize, ChessMove, Vec<Packed>)> = None;
        for m in board.legal_moves() {
            meter.step()?;
            let next = board.after(m);
            let replies = if self.is_safe_after(&next) { Vec::new() } else { replies(&next) };
            if replies.is_empty() || !self.is_refuted(&next, &replies) {
                let fresh = replies.iter().filter(|p| self.region.positions.get(p).is_none()).count();
                let cost = 2 * fresh + usize::from(m.is_zeroing());
                if best.as_ref().is_none_or(|b| cost < b.0) {
                    best = Some((cost, m, replies));
                }
                if cost == 0 {
                    break;
                }
            }
        }
        match best {
            Some((_, play, replies)) => {
                let next: Box<[u32]> = replies.iter().map(|p| self.intern(p)).collect();
                for &reply in &next {
                    self.region.cells[reply as usize].from.push(id);
                    // New positions that turn out lost are seen here again.
                    if self.cell(reply).state == State::Lost && self.lost.last() != Some(&reply) {
                        self.lost.push(reply);
                    }
                }
                let cell = &mut self.region.cells[id as usize];
                (cell.state, cell.play, cell.next) = (State::Chosen, Some(move_of(&play)), next);
            }
            None => {
                let cell = &mut self.region.cells[id as usize];
                (cell.state, cell.play, cell.next) = (State::Lost, None, Box::default());
                self.lost.push(id);
            }
        }
        Ok(())
    }

    /// Whether the holder is safe without a move more; the opponent is to move.
    fn is_safe_after(&self, next: &Board) -> bool {
        is_bare(next, self.region.holder.other()) || self.is_held_after(next) == Some(true)
    }

    /// What the probe, else a rule, says of a position with the opponent to move.
    fn is_held_after(&self, next: &Board) -> Option<bool> {
        let probed = (self.probe)(next).map(|value| !matches!(value, Value::Win(_)));
        probed.or_else(|| self.region.ruled(next))
    }

    /// Whether a move is known to fail: it is lost by a probe, or a reply leads to a lost position.
    fn is_refuted(&self, next: &Board, replies: &[Packed]) -> bool {
        let lost = |p: &Packed| self.region.positions.get(p).is_some_and(|id| self.cell(id).state == State::Lost);
        self.is_held_after(next) == Some(false) || replies.iter().any(lost)
    }

    fn intern(&mut self, p: &Packed) -> u32 {
        let (id, new) = self.region.positions.insert(p);
        if new {
            let state = self.first_sight(&Board::of_legal(p));
            self.region.cells.push(Cell { state, play: None, next: Box::default(), from: Vec::new() });
            if state == State::Open {
                self.agenda.push(id);
            }
        }
        id
    }

    /// What a position with the holder to move says at once.
    fn first_sight(&self, board: &Board) -> State {
        if board.legal_moves().is_empty() {
            return if board.in_check() { State::Lost } else { State::Safe };
        }
        if is_bare(board, self.region.holder.other()) {
            return State::Safe;
        }
        let probed = (self.probe)(board).map(|value| !matches!(value, Value::Loss(_)));
        match probed.or_else(|| self.region.ruled(board)) {
            Some(true) => State::Safe,
            Some(false) => State::Lost,
            None if balance(board, self.region.holder) < self.floor => State::Lost,
            None => State::Open,
        }
    }
}

fn replies(board: &Board) -> Vec<Packed> {
    board.legal_moves().into_iter().map(|m| board.after(m).packed()).collect()
}
