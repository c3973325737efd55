//! Leg(y⁰) without its edges: moves that can be taken back are made anew each time they are asked
//! for.
//!
//! A move is *reversible* if it is no capture, pawn move or castling and takes no right away. What
//! precedes a position by such a move is found by un-moves: a man goes back to a free square, and
//! the position before, if it is in Leg(y⁰), is legal and has that move. A whole row of
//! [`KingRows`] is taken back at once: Black's king matters only as an obstacle on a slider's way,
//! which is one mask. Irreversible moves are few and are stored.
//!
//! # References
//! * K. Thompson, *Retrograde analysis of certain endgames*, ICCA Journal 9(3), 1986: un-moves over
//!   bit sets.
//! * docs/theory.md §5: Leg(y⁰).

use super::explore::Stopped;
use super::graph::Graph;
use super::king_rows::KingRows;
use crate::chess::board::{Bitboard, Board, ChessMove, Role, Square, attacks, piece_of};
use crate::chess::{Packed, Side, Vector};
use crate::kripke::{Rows, VertexSet};
use crate::limits::{Budget, StopReason};
use rayon::prelude::*;
use std::collections::VecDeque;
use std::ops::Range;

/// Leg(y⁰) under the laws of chess (profile `fide`) in about 10 bytes a position and 4 an
/// irreversible move, the positions themselves included (about one byte, since those that differ in
/// the square of Black's king alone share a row). While it is made, 8 bytes more. Positions are
/// numbered by rows.
#[derive(Debug)]
pub struct Compact {
    rows: KingRows,
    root: u32,
    /// Legal moves of each position.
    degrees: Vec<u16>,
    mated: VertexSet,
    /// By position: those before it by an irreversible move.
    arrivals: Rows,
}

/// Rows per parallel task, and tasks between two looks at the budget.
const TASK: usize = 16;
const TASKS: usize = 64;

/// Bits of [`Packed::state`] beside the side to move: rights and marks.
const RIGHTS_AND_MARKS: u16 = !1;
const MARKS: u16 = !31;

/// The position after a move, and whether the move is reversible.
fn after(board: &Board, p: &Packed, m: ChessMove) -> (Packed, bool) {
    let quiet = !m.is_capture() && !m.is_castle() && m.role() != Role::Pawn;
    if quiet && p.state & RIGHTS_AND_MARKS == 0 {
        let (from, to) = (m.from().expect("no drops in chess") as u8, m.to() as u8);
        let code = p.each_man().find(|&(square, _)| square == from).expect("a man moves").1;
        let next = p.without(from).with(to, code);
        return (Packed { state: p.state ^ 1, ..next }, true);
    }
    let next = board.after(m).packed();
    (next, quiet && next.state == p.state ^ 1)
}

/// All positions one move after those of a row with Black's king on these squares.
fn expand(reached: &mut KingRows, key: &Packed, kings: Bitboard) {
    for square in kings {
        let p = KingRows::position(key, square);
        let board = Board::of_legal(&p);
        board.legal_moves().into_iter().for_each(|m| reached.insert(&after(&board, &p, m).0));
    }
}

/// What is kept of the positions of some rows.
#[derive(Default)]
struct Facts {
    degrees: Vec<u16>,
    /// Numbers of mated positions.
    mated: Vec<u32>,
    /// For each position the number of its irreversible moves within the rows, and where they all
    /// lead.
    departures: (Vec<u16>, Vec<u32>),
}

impl Facts {
    fn of(rows: &KingRows, range: Range<u32>) -> Self {
        let mut facts = Self::default();
        for row in range {
            let key = rows.key(row);
            for square in rows.kings(row) {
                facts.add(rows, &KingRows::position(&key, square), || rows.id(row, square));
            }
        }
        facts
    }

    fn add(&mut self, rows: &KingRows, p: &Packed, id: impl FnOnce() -> u32) {
        let board = Board::of_legal(p);
        let moves = board.legal_moves();
        let (counts, targets) = &mut self.departures;
        let before = targets.len();
        for &m in &moves {
            let (next, reversible) = after(&board, p, m);
            if !reversible {
                targets.extend(rows.find(&next));
            }
        }
        counts.push((targets.len() - before) as u16);
        self.degrees.push(moves.len() as u16);
        if moves.is_empty() && board.in_check() {
            self.mated.push(id());
        }
    }
}

impl Compact {
    /// Lists Leg(y⁰), profile `fide`. The numbering does not depend on the number of threads. About
    /// 1.5 µs a position and thread.
    ///
    /// # Errors
    /// When a limit of the budget is reached first.
    pub fn explore(root: &Vector, budget: &Budget) -> Result<Self, Stopped> {
        let mut rows = KingRows::new(root.men());
        let root = Packed::from(root);
        let positions = reach(&mut rows, &root, budget)?;
        rows.number();
        Self::numbered(rows, &root, budget).map_err(|reason| Stopped { reason, positions })
    }

    /// The graph of all positions in `rows`. A move out of them, which Leg(y⁰) has not, would count
    /// as one into a draw.
    pub(super) fn numbered(
        rows: KingRows,
        root: &Packed,
        budget: &Budget,
    ) -> Result<Self, StopReason> {
        let positions = rows.positions();
        budget.progress().stage("counting moves", Some(positions.into()));
        let root = rows.find(root).expect("y⁰ is in Leg(y⁰)");
        let mut degrees = Vec::with_capacity(positions as usize);
        let mut mated = VertexSet::empty(positions);
        let mut departures = Rows::default();
        let (task, step) = (TASK as u32, (TASK * TASKS) as u32);
        for start in (0..rows.len()).step_by(step as usize) {
            let bytes =
                rows.memory() + 2 * degrees.capacity() as u64 + mated.bytes() + departures.bytes();
            budget.check(0, bytes)?;
            budget.progress().advance(degrees.len() as u64);
            let end = rows.len().min(start + step);
            let tasks: Vec<Range<u32>> =
                (start..end).step_by(TASK).map(|s| s..end.min(s + task)).collect();
            for facts in in_tasks(&tasks, budget, |range| Facts::of(&rows, range.clone())) {
                degrees.extend_from_slice(&facts.degrees);
                facts.mated.iter().for_each(|&id| {
                    mated.insert(id);
                });
                let (counts, mut targets) = (facts.departures.0, facts.departures.1.into_iter());
                for count in counts {
                    targets.by_ref().take(count.into()).for_each(|to| departures.push(to));
                    departures.end_row();
                }
            }
        }
        budget.check(
            0,
            rows.memory() + 2 * u64::from(positions) + mated.bytes() + 3 * departures.bytes(),
        )?;
        Ok(Self { rows, root, degrees, mated, arrivals: departures.transpose() })
    }

    /// Calls `found` with the positions before those of a row by a reversible move.
    fn take_back(&self, row: u32, kings: Bitboard, found: &mut dyn FnMut(u32)) {
        let key = self.rows.key(row);
        if key.state & MARKS != 0 {
            return;
        }
        let mover = if key.white_to_move() { Side::Black } else { Side::White };
        let turned = Packed { state: key.state ^ 1, ..key };
        let occupied = Bitboard(key.occupied);
        for (to, code) in key.each_man() {
            let piece = piece_of(code).expect("a code of a man");
            if piece.side != mover || piece.role == Role::Pawn {
                continue;
            }
            let (rest, to) = (turned.without(to), Square::new(to.into()));
            for from in attacks::attacks(to, piece, occupied) & !occupied {
                let free = kings & !attacks::between(from, to) & !Bitboard::from_square(from);
                if free.any()
                    && let Some(before) = self.rows.row(&rest.with(from as u8, code))
                {
                    (free & self.rows.kings(before))
                        .into_iter()
                        .for_each(|s| found(self.rows.id(before, s)));
                }
            }
        }
        if mover == Side::Black
            && let Some(before) = self.rows.row(&turned)
        {
            let squares = self.rows.kings(before);
            for from in kings.into_iter().flat_map(|to| attacks::king_attacks(to) & squares) {
                found(self.rows.id(before, from));
            }
        }
    }
}

impl Graph for Compact {
    fn positions(&self) -> u32 {
        self.rows.positions()
    }

    fn root(&self) -> u32 {
        self.root
    }

    fn find(&self, p: &Packed) -> Option<u32> {
        self.rows.find(p)
    }

    fn degree(&self, id: u32) -> u16 {
        self.degrees[id as usize]
    }

    fn mates(&self, side: Side) -> Vec<u32> {
        let all: Vec<u32> = self.mated.iter().collect();
        let mut own = Vec::new();
        self.rows.by_row(&all, |row, kings| {
            if self.rows.key(row).white_to_move() == (side == Side::White) {
                own.extend(kings.into_iter().map(|square| self.rows.id(row, square)));
            }
        });
        own
    }

    fn for_each_predecessor(&self, targets: &[u32], found: &mut dyn FnMut(u32)) {
        for &id in targets {
            self.arrivals.row(id).iter().for_each(|&before| found(before));
        }
        self.rows.by_row(targets, |row, kings| self.take_back(row, kings, found));
    }

    fn memory(&self) -> u64 {
        self.rows.memory()
            + 2 * self.degrees.len() as u64
            + self.mated.bytes()
            + self.arrivals.bytes()
    }
}

/// Fills `rows` with Leg(y⁰) breadth first, row by row; the number of positions.
fn reach(rows: &mut KingRows, root: &Packed, budget: &Budget) -> Result<u64, Stopped> {
    budget.progress().stage("exploring positions", None);
    let men = root.len();
    // By row: the squares of Black's king that wait to be expanded.
    let mut pending: Vec<Bitboard> = Vec::new();
    let mut queue = VecDeque::new();
    let (mut positions, mut expanded) = (0_u64, 0_u64);
    let mut reached = vec![KingRows::new(men)];
    reached[0].insert(root);
    loop {
        for part in &reached {
            for at in 0..part.len() {
                let (row, fresh) = rows.unite(&part.key(at), part.kings(at));
                pending.resize(rows.len() as usize, Bitboard::EMPTY);
                let waiting = &mut pending[row as usize];
                if fresh.any() && waiting.is_empty() {
                    queue.push_back(row);
                }
                *waiting |= fresh;
                positions += fresh.count() as u64;
            }
        }
        if queue.is_empty() {
            return Ok(positions);
        }
        let bytes = rows.memory() + 8 * pending.capacity() as u64 + 4 * queue.capacity() as u64;
        budget.check(expanded, bytes).map_err(|reason| Stopped { reason, positions })?;
        budget.progress().advance(positions);
        let batch: Vec<(Packed, Bitboard)> = queue
            .drain(..queue.len().min(TASK * TASKS))
            .map(|row: u32| {
                (rows.key(row), std::mem::replace(&mut pending[row as usize], Bitboard::EMPTY))
            })
            .collect();
        expanded += batch.iter().map(|(_, kings)| kings.count() as u64).sum::<u64>();
        let tasks: Vec<&[(Packed, Bitboard)]> = batch.chunks(TASK).collect();
        reached = in_tasks(&tasks, budget, |task| {
            let mut reached = KingRows::new(men);
            task.iter().for_each(|(key, kings)| expand(&mut reached, key, *kings));
            reached
        });
    }
}

/// Does the tasks, in parallel where the budget allows, and returns what they find in their order.
fn in_tasks<T: Sync, R: Send>(
    tasks: &[T],
    budget: &Budget,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    if budget.limits().threads > 1 && tasks.len() > 1 {
        tasks.par_iter().map(&work).collect()
    } else {
        tasks.iter().map(work).collect()
    }
}
