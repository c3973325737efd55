//! Working backwards through one slice: algorithm B of docs/theory.md §11, on 64
//! positions at a time.
//!
//! For each side to move and king number a [`Part`] keeps one word per row, a bit per square of
//! Black's king. A level is a list of rows with their new bits. One step back:
//!
//! * *won in n*: the un-moves of the men of the side to move carry the bits of level n − 1 (the
//!   opponent lost) to other rows; a slider's line must not be cut by Black's king, which is one
//!   mask; Black's own king moves by shifting the word, White's by turning rows of the neighbouring
//!   parts.
//! * *lost in n*: the same un-moves find candidates; a candidate is lost if no move leads to a
//!   position that the opponent has not won. That is checked for the bits of a row together and
//!   ends at the first row that refutes them all, so no move counters are needed.
//!
//! Moves that leave the slice have known outcomes ([`Exits`]): wins wait for their ply, losses hold
//! a verified position back until their ply, anything else shows that the position is never lost.
//!
//! The steps themselves are [`Moves`]; where a level has many rows that differ in one piece alone,
//! that piece steps from all of them at once ([`super::sweep`]).
//!
//! Memory: 4 words of bits and 64 bytes of codes per row and side, that is 1.5 bytes a position,
//! and about an eighth of it for the levels ([`work_bytes`]).
//!
//! # References
//! * *Computer generation of complete strategies for chess end-games* (docs/theory.md §11): the
//!   levels.
//! * K. Thompson, *Retrograde analysis of certain endgames*, ICCA Journal 9(3), 1986: un-moves over
//!   bit sets.

use rayon::prelude::*;

use crate::chess::board::Bitboard;
use crate::limits::{Budget, StopReason};

use super::back::{Level, Marks, Moves};
use super::exits::{Best, Exits};
use super::sweep::{Line, Lines};
use crate::chess::Side;
use crate::tables::TableError;
use crate::tables::file::source::Ahead;
use crate::tables::index::geometry::Masks;
use crate::tables::index::layout::Layout;
use crate::tables::index::raw::RawSlice;
use crate::tables::index::symmetry::bytes;
use crate::tables::index::value::{
    Code, ILLEGAL, MATED, Scale, loss, squares_from, squares_with, win,
};

/// Rows below which handing work to another thread costs more than it saves.
const ROWS_AT_ONCE: usize = 512;

/// Rows of a line that the moves of the last piece are looked up for together; fewer one by one.
const REFUTED_TOGETHER: usize = 3;

/// Rows between two looks at the clock: a few milliseconds.
const ROWS_A_CHECK: usize = 512;

/// The positions of one side to move and one king number.
struct Part {
    scale: Scale,
    /// Positions with a winning move whose plies the scale cannot say: another has to win sooner.
    late: Level,
    /// Positions with a losing move whose plies the scale cannot say: they must not be lost.
    slow: Level,
    /// Legal and without a value yet.
    open: Vec<Bitboard>,
    /// Open, and no move that leaves the slice saves it from losing, and not verified as lost yet.
    losable: Vec<Bitboard>,
    /// Legal and not won: where the opponent escapes to.
    escape: Vec<Bitboard>,
    /// Codes, 64 per row: final where decided, else the best outcome of leaving the slice.
    codes: Vec<Code>,
    /// Rows in which some move loses by leaving the slice (one bit per row).
    delayed: Vec<u64>,
    /// By ply: the rows where a code waits for this ply (one bit per row).
    waiting: Vec<Option<Vec<u64>>>,
    won: Level,
    lost: Level,
    /// Work space, all zero between uses: bits that arrived in each row, and which rows have any.
    arrived: Vec<Bitboard>,
    touched: Vec<u64>,
}

impl Part {
    fn new(rows: usize, scale: Scale) -> Self {
        let empty = || vec![Bitboard::EMPTY; rows];
        Self {
            scale,
            late: Level::new(),
            slow: Level::new(),
            open: empty(),
            losable: empty(),
            escape: empty(),
            codes: vec![ILLEGAL; rows * 64],
            delayed: vec![0; rows.div_ceil(64)],
            waiting: Vec::new(),
            won: Level::new(),
            lost: Level::new(),
            arrived: empty(),
            touched: vec![0; rows.div_ceil(64)],
        }
    }

    fn codes_of(&mut self, row: usize) -> &mut [Code; 64] {
        self.codes[row * 64..].first_chunk_mut().expect("rows are 64 codes")
    }

    fn wait(&mut self, ply: u16, row: usize) {
        let ply = usize::from(ply);
        if self.waiting.len() <= ply {
            self.waiting.resize(ply + 1, None);
        }
        let rows = self.waiting[ply].get_or_insert_with(|| vec![0; self.touched.len()]);
        rows[row >> 6] |= 1 << (row & 63);
    }

    /// Calls `found` with the rows whose codes wait for this ply, as far as they have open positions,
    /// and the squares that hold exactly `code`.
    fn due(&mut self, ply: u16, code: Code, mut found: impl FnMut(&mut Self, usize, Bitboard)) {
        let Some(rows) = self.waiting.get_mut(usize::from(ply)).and_then(Option::take) else {
            return;
        };
        for_each_bit(&rows, |row| {
            if self.open[row].is_empty() {
                return;
            }
            let equal = squares_with(self.codes_of(row), code);
            found(self, row, equal);
        });
    }

    /// Hands the arrived bits, row by row, to `receive` and clears the work space.
    fn drain(&mut self, mut receive: impl FnMut(&mut Self, usize, Bitboard)) {
        for word in 0..self.touched.len() {
            let mut rows = std::mem::take(&mut self.touched[word]);
            while rows != 0 {
                let row = word << 6 | rows.trailing_zeros() as usize;
                rows &= rows - 1;
                let bits = std::mem::replace(&mut self.arrived[row], Bitboard::EMPTY);
                receive(self, row, bits);
            }
        }
    }

    /// Takes these positions for decided.
    fn close(&mut self, row: usize, bits: Bitboard) {
        self.open[row] = self.open[row].without_const(bits);
        self.losable[row] = self.losable[row].without_const(bits);
    }

    fn write(&mut self, row: usize, bits: Bitboard, code: Code) {
        let codes = self.codes_of(row);
        for square in bits {
            codes[square as usize] = code;
        }
    }

    /// These positions are won if they are open; which of them are.
    fn decide_won(&mut self, row: usize, bits: Bitboard) -> Bitboard {
        let bits = bits & self.open[row];
        if bits.any() {
            self.close(row, bits);
            self.escape[row] = self.escape[row].without_const(bits);
            self.won.push((row as u32, bits));
        }
        bits
    }

    /// Whether some position that has a loss too deep to say may be lost: it is not won, and no
    /// move that leaves the slice draws.
    fn loses_late(&mut self) -> bool {
        let (slow, draw) = (std::mem::take(&mut self.slow), self.scale.draw);
        slow.into_iter().any(|(row, bits)| {
            let unsaved = !squares_from(self.codes_of(row as usize), draw);
            (bits & unsaved).any()
        })
    }

    /// Whether some position that has a win too deep to say has no other win: its value cannot be
    /// said.
    fn wins_late(&mut self) -> bool {
        let (late, draw) = (std::mem::take(&mut self.late), self.scale.draw);
        late.into_iter().any(|(row, bits)| {
            let won = squares_from(self.codes_of(row as usize), draw + 1);
            (bits & !(won & !self.open[row as usize])).any()
        })
    }

    fn decide_lost(&mut self, row: usize, bits: Bitboard, code: Code) {
        if bits.any() {
            self.close(row, bits);
            self.write(row, bits, code);
            self.lost.push((row as u32, bits));
        }
    }
}

/// Marks where a step back arrives, as far as that is in a set.
struct Arrivals<'p> {
    within: &'p [Bitboard],
    arrived: &'p mut [Bitboard],
    touched: &'p mut [u64],
}

impl Marks for Arrivals<'_> {
    #[inline]
    fn mark(&mut self, row: usize, bits: Bitboard) {
        let bits = bits & self.within[row];
        if bits.any() {
            self.arrived[row] |= bits;
            self.touched[row >> 6] |= 1 << (row & 63);
        }
    }

    #[inline]
    fn line(&mut self, first: usize, line: &Line) {
        let rows = first..first + line.len();
        let mut touched = 0;
        let words = line.iter().zip(&self.within[rows.clone()]).zip(&mut self.arrived[rows]);
        for (at, ((&bits, &within), arrived)) in words.enumerate() {
            let bits = bits & within;
            *arrived |= bits;
            touched |= u64::from(bits.any()) << at;
        }
        self.touched[first >> 6] |= touched;
    }
}

fn for_each_bit(words: &[u64], mut found: impl FnMut(usize)) {
    for (at, &word) in words.iter().enumerate() {
        for square in Bitboard(word) {
            found(at << 6 | square as usize);
        }
    }
}

/// Bytes that solving one slice takes at its peak, what it reads left out. Rows out of order are
/// never touched, except their bits.
pub(in crate::tables) fn work_bytes(layout: &Layout) -> u64 {
    let (mut in_order, mut touched) = (0, 0);
    for first in (0..layout.rows()).step_by(64) {
        let rows = (first + 64).min(layout.rows()).saturating_sub(layout.first_in_order(first));
        in_order += rows;
        touched += if rows > 0 { 64.min(layout.rows()) } else { 0 };
    }
    2 * (layout.kings.count() * (layout.rows() * 33 + touched * 64 + in_order * 12)) as u64
}

/// One slice being solved.
pub(in crate::tables) struct SliceSolver<'a> {
    layout: &'a Layout,
    exits: &'a Exits,
    slice: usize,
    moves: Moves<'a>,
    /// King numbers that one thread takes at a time, so that it has some work.
    grain: usize,
}

impl<'a> SliceSolver<'a> {
    pub(in crate::tables) fn new(layout: &'a Layout, exits: &'a Exits, slice: usize) -> Self {
        let moves = Moves::new(layout, slice);
        Self { layout, exits, slice, moves, grain: (ROWS_AT_ONCE / layout.rows()).max(1) }
    }

    /// Solves the slice. Returns its codes and the longest distance in plies.
    ///
    /// # Errors
    /// When the budget ends, or a distance is too long for a code.
    pub(in crate::tables) fn solve(
        &self,
        ahead: Ahead<'_>,
        budget: &Budget,
    ) -> Result<(RawSlice, u16), TableError> {
        let mut parts = self.start(&ahead, budget)?;
        ahead.release();
        drop(ahead);
        let mut longest = 0;
        let mut ply = 0;
        loop {
            budget.check(0, 0).map_err(TableError::Stopped)?;
            let [white, black] = &mut parts;
            if ply % 2 == 1 {
                self.step_won(Side::White, ply, white, black);
                self.step_won(Side::Black, ply, black, white);
            } else if ply > 0 {
                self.step_lost(Side::White, ply, white, black);
                self.step_lost(Side::Black, ply, black, white);
            }
            let level = |part: &Part| if ply % 2 == 1 { part.won.len() } else { part.lost.len() };
            let deepest = |scale: Scale| {
                if ply % 2 == 1 { scale.longest_win() } else { scale.longest_loss() }
            };
            if parts.iter().flatten().any(|part| level(part) > 0 && ply > deepest(part.scale)) {
                return Err(self.too_deep());
            }
            let decided: usize = parts.iter().flatten().map(level).sum();
            if decided > 0 {
                longest = ply;
            }
            let waits = |part: &Part| part.waiting.iter().any(Option::is_some);
            if decided == 0 && ply > 0 && !parts.iter().flatten().any(waits) {
                break;
            }
            ply += 1;
        }
        if parts.iter_mut().flatten().any(|part| part.wins_late() || part.loses_late()) {
            return Err(self.too_deep());
        }
        Ok((RawSlice { sides: parts.map(|parts| finish(parts, self.grain)) }, longest))
    }

    fn too_deep(&self) -> TableError {
        TableError::TooDeep { material: self.layout.material }
    }

    /// Legal positions, the outcomes of leaving the slice, mates and stalemates.
    fn start(&self, ahead: &Ahead<'_>, budget: &Budget) -> Result<[Vec<Part>; 2], TableError> {
        let kings = 0..self.layout.kings.count();
        let parts: Result<Vec<(Part, Part)>, TableError> = kings
            .into_par_iter()
            .with_min_len(self.grain)
            .map(|king| self.start_king(king, ahead, budget))
            .collect();
        let (mut white, mut black): (Vec<Part>, Vec<Part>) = parts?.into_iter().unzip();
        let settle = |side, parts: &mut [Part], others: &[Part]| {
            let parts = parts.par_iter_mut().with_min_len(self.grain).enumerate();
            parts.for_each(|(king, part)| self.settle_stuck(side, king, part, others));
        };
        settle(Side::White, &mut white, &black);
        settle(Side::Black, &mut black, &white);
        Ok([white, black])
    }

    fn start_king(
        &self,
        number: usize,
        ahead: &Ahead<'_>,
        budget: &Budget,
    ) -> Result<(Part, Part), TableError> {
        let king = self.layout.kings.square(number);
        let mut parts =
            Side::ALL.map(|to_move| Part::new(self.layout.rows(), self.layout.scale(to_move)));
        for row in (0..self.layout.rows()).filter(|&row| self.layout.in_order(row)) {
            // The last row before a multiple: it is in order where any of them is.
            if row % ROWS_A_CHECK == ROWS_A_CHECK - 1 {
                budget.check(0, 0)?;
            }
            let squares = self.layout.squares(self.slice, row);
            let Some(occupied) = self.layout.occupied(king, &squares) else { continue };
            let masks = self.layout.masks(king, &squares, occupied);
            for to_move in Side::ALL {
                let part = &mut parts[to_move as usize];
                let legal = masks.legal(to_move);
                if legal.is_empty() {
                    continue;
                }
                let best = self.exits.best(to_move, king, &squares, occupied, ahead)?;
                self.start_row(part, row, legal, &best);
                if (best.late & legal).any() {
                    part.late.push((row as u32, best.late & legal));
                }
                if (best.slow & legal).any() {
                    part.slow.push((row as u32, best.slow & legal));
                }
            }
        }
        let [white, black] = parts;
        Ok((white, black))
    }

    fn start_row(&self, part: &mut Part, row: usize, legal: Bitboard, best: &Best) {
        part.open[row] = legal;
        part.escape[row] = legal;
        let draw = part.scale.draw;
        let codes = part.codes_of(row);
        let kept = codes.iter_mut().zip(best.codes).zip(bytes(legal));
        kept.for_each(|((code, best), legal)| *code = best & legal);
        let mut waiting = 0u128;
        for square in squares_from(codes, draw + 1) {
            waiting |= 1 << (255 - codes[square as usize]);
        }
        // What may be lost too late to say is not found lost here.
        let saved = best.slow | squares_from(codes, draw);
        let losing = squares_from(codes, ILLEGAL + 1) & !saved;
        part.losable[row] = legal & !saved;
        part.delayed[row >> 6] |= u64::from(losing.any()) << (row & 63);
        while waiting != 0 {
            let moves = waiting.trailing_zeros() as u16;
            waiting &= waiting - 1;
            part.wait(2 * moves + 1, row);
        }
    }

    /// Decides the positions with no move inside the slice: mated, stalemated, or forced to leave
    /// it.
    fn settle_stuck(&self, to_move: Side, number: usize, part: &mut Part, others: &[Part]) {
        let king = self.layout.kings.square(number);
        for row in 0..self.layout.rows() {
            let escape = |king: usize, row: usize| others[king].escape[row];
            let losable = part.losable[row];
            let pieces = self.layout.pieces;
            let stuck = self.moves.refute(to_move, number, row, losable, pieces, escape);
            if stuck.is_empty() {
                continue;
            }
            let squares = self.layout.squares(self.slice, row);
            let occupied =
                self.layout.occupied(king, &squares).expect("a row with legal positions");
            let masks: Masks = self.layout.masks(king, &squares, occupied);
            let unable = squares_with(part.codes_of(row), ILLEGAL) & stuck;
            let mated = unable & masks.in_check(to_move);
            part.losable[row] = part.losable[row].without_const(stuck);
            part.decide_lost(row, mated, MATED);
            self.hold_back(part, row, stuck & !unable);
        }
    }

    /// These positions are lost, each as late as its code (the slowest loss by leaving the slice)
    /// says.
    fn hold_back(&self, part: &mut Part, row: usize, bits: Bitboard) {
        part.losable[row] = part.losable[row].without_const(bits);
        for square in bits {
            let code = part.codes_of(row)[square as usize];
            let ply = part.scale.plies(code);
            part.wait(ply, row);
        }
    }

    /// All positions with a move into the opponent's losses of ply − 1 are won.
    fn step_won(&self, to_move: Side, ply: u16, parts: &mut [Part], others: &[Part]) {
        let parts = parts.par_iter_mut().with_min_len(self.grain).enumerate();
        parts.for_each_init(Lines::default, |work, (king, part)| {
            part.won.clear();
            let lost = |king: usize| &others[king].lost;
            let Part { open, arrived, touched, .. } = &mut *part;
            let mut arrivals = Arrivals { within: open, arrived, touched };
            self.moves.carry_back(to_move, king, lost, work, &mut arrivals);
            let code = win(ply);
            // What is due has this code already.
            part.due(ply, code, |part, row, bits| {
                part.decide_won(row, bits);
            });
            part.drain(|part, row, bits| {
                let won = part.decide_won(row, bits);
                part.write(row, won, code);
            });
        });
    }

    /// All positions whose last refuge was won by the opponent at ply − 1 are lost.
    fn step_lost(&self, to_move: Side, ply: u16, parts: &mut [Part], others: &[Part]) {
        let parts = parts.par_iter_mut().with_min_len(self.grain).enumerate();
        parts.for_each_init(Lines::default, |work, (king, part)| {
            part.lost.clear();
            let won = |king: usize| &others[king].won;
            let Part { losable, arrived, touched, .. } = &mut *part;
            let mut arrivals = Arrivals { within: losable, arrived, touched };
            self.moves.carry_back(to_move, king, won, work, &mut arrivals);
            let code = loss(ply);
            part.due(ply, code, |part, row, bits| {
                let verified = bits & part.open[row] & !part.losable[row];
                part.decide_lost(row, verified, code);
            });
            self.lose(to_move, king, code, part, others);
        });
    }

    /// Decides which of the positions that arrived are lost.
    fn lose(&self, to_move: Side, king: usize, code: Code, part: &mut Part, others: &[Part]) {
        let escape = |king: usize, row: usize| others[king].escape[row];
        let has_last = self.moves.has_last(to_move);
        for line in 0..part.touched.len() {
            let rows = Bitboard(std::mem::take(&mut part.touched[line]));
            let first = line << 6;
            let mut pieces = self.layout.pieces;
            let mut saved = [Bitboard::EMPTY; 64];
            if has_last && rows.count() >= REFUTED_TOGETHER {
                let line = others[king].escape[first..].first_chunk().expect("a line is 64 rows");
                saved = self.moves.refute_by_last(king, first, line);
                pieces -= 1;
            }
            for at in rows {
                let row = first | at as usize;
                let arrived = std::mem::replace(&mut part.arrived[row], Bitboard::EMPTY);
                let bits = arrived & part.losable[row] & !saved[at as usize];
                let lost = self.moves.refute(to_move, king, row, bits, pieces, escape);
                if lost.any() {
                    // Where leaving the slice loses later than staying. (Nothing better than a loss
                    // is losable.)
                    let mut late = Bitboard::EMPTY;
                    if part.delayed[row >> 6] >> (row & 63) & 1 == 1 {
                        late = lost & squares_from(part.codes_of(row), code + 1);
                        self.hold_back(part, row, late);
                    }
                    part.decide_lost(row, lost & !late, code);
                }
            }
        }
    }
}

/// The final codes of one side: what is legal and undecided is drawn.
fn finish(parts: Vec<Part>, grain: usize) -> Vec<Vec<Code>> {
    parts
        .into_par_iter()
        .with_min_len(grain)
        .map(|mut part| {
            for row in 0..part.open.len() {
                let open = part.open[row];
                for square in open {
                    part.codes_of(row)[square as usize] = part.scale.draw;
                }
            }
            part.codes
        })
        .collect()
}

impl From<StopReason> for TableError {
    fn from(reason: StopReason) -> Self {
        Self::Stopped(reason)
    }
}
