//! Working backwards through a slice too large for [`super::slice`]: the same levels, with only two
//! bits a position in memory, distances of any length, and everything that is found in a log on
//! disk.
//!
//! In memory a part (side to move, king number) has the positions that are *open*, legal and
//! without a value, and those that are *losable*, open and without a move that leaves the slice and
//! saves them for now. The level before is kept as columns ([`Columns`]). One step reads the bits
//! of both sides as they were before it, and changes them when both sides' levels are known; so an
//! open position is one that its side has not lost, or the mover would have won by going there.
//!
//! Moves that leave the slice are looked up once and logged by ply: wins wait for theirs; a position
//! that loses by leaving is not losable before the ply of its longest such loss; and all in check
//! without such a move become losable in ply 0, when the mates are found. Stalemates are losable and
//! never looked at, since no move leads from them into a level.
//!
//! Memory: 16 bytes a row and side, [`RowSet`] for each thread, and two levels ([`work_bytes`]).
//! The log takes about a byte and a half a position of the index before the table is written.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::chess::Side;
use crate::chess::board::Bitboard;
use crate::limits::Budget;

use super::back::Moves;
use super::columns::{Columns, Kind, Log, Name, RANGE};
use super::exits::Exits;
use super::slice::squares_where;
use crate::tables::TableError;
use crate::tables::index::layout::Layout;
use crate::tables::index::raw::Ahead;
use crate::tables::index::value::ILLEGAL;

/// Rows between two looks at the clock.
const ROWS_A_CHECK: usize = 1 << 14;

/// The positions of one side to move and one king number.
struct Part {
    open: Vec<Bitboard>,
    losable: Vec<Bitboard>,
    /// The positions decided in the last ply.
    level: Columns,
}

impl Part {
    fn new(rows: usize) -> Self {
        let empty = || vec![Bitboard::EMPTY; rows];
        Self { open: empty(), losable: empty(), level: Columns::default() }
    }

    /// Takes these positions for decided.
    fn decide(&mut self, level: &Columns) {
        for (row, bits) in level.iter() {
            let row = row as usize;
            self.open[row] = self.open[row].without_const(bits);
            self.losable[row] = self.losable[row].without_const(bits);
        }
    }
}

/// Work space of a thread, all zero between uses: bits that arrived in each row, and which rows have
/// any. 8.1 bytes a row.
struct RowSet {
    arrived: Vec<Bitboard>,
    touched: Vec<u64>,
}

impl RowSet {
    fn new(rows: usize) -> Self {
        Self { arrived: vec![Bitboard::EMPTY; rows], touched: vec![0; rows.div_ceil(64)] }
    }

    #[inline]
    fn mark(&mut self, row: usize, bits: Bitboard) {
        self.arrived[row] |= bits;
        self.touched[row >> 6] |= 1 << (row & 63);
    }

    /// Empties the set: the rows in order, each with what `keep` leaves of it.
    fn drain(
        &mut self,
        budget: &Budget,
        keep: impl Fn(usize, Bitboard) -> Bitboard,
    ) -> Result<Columns, TableError> {
        let rows: u32 = self.touched.iter().map(|word| word.count_ones()).sum();
        let mut kept = Columns::with_capacity(rows as usize);
        for word in 0..self.touched.len() {
            if word % (ROWS_A_CHECK / 64) == 0 {
                budget.check(0, 0)?;
            }
            let mut rows = std::mem::take(&mut self.touched[word]);
            while rows != 0 {
                let row = word << 6 | rows.trailing_zeros() as usize;
                rows &= rows - 1;
                let bits = keep(row, std::mem::replace(&mut self.arrived[row], Bitboard::EMPTY));
                if bits.any() {
                    kept.push(row, bits);
                }
            }
        }
        kept.shrink();
        Ok(kept)
    }
}

/// Bytes of memory that solving takes at its peak, what it reads left out: two levels are taken to
/// have a quarter of the rows each.
pub(in crate::tables) fn work_bytes(layout: &Layout) -> u64 {
    let rows = layout.rows() as u64;
    let in_order = (0..layout.rows())
        .step_by(64)
        .map(|first| (first + 64).min(layout.rows()).saturating_sub(layout.first_in_order(first)))
        .sum::<usize>() as u64;
    let parts = 2 * layout.kings.count() as u64;
    parts * (rows * 16 + in_order * 6) + rayon::current_num_threads() as u64 * (rows * 9)
}

/// Bytes of memory that it takes while the exits are looked up, what they are looked up in left out.
pub(in crate::tables) fn first_bytes(layout: &Layout) -> u64 {
    2 * (layout.kings.count() * layout.rows()) as u64 * 16
}

/// A slice being solved. Parts are numbered: White's by king number, then Black's.
pub(super) struct Levels<'a> {
    moves: Moves<'a>,
    parts: Vec<Part>,
    spare: Mutex<Vec<RowSet>>,
    log: Log,
}

impl<'a> Levels<'a> {
    /// Begins a slice, or goes on with one whose log is there: then `exits` is not asked for.
    ///
    /// # Errors
    /// The budget's end, a log that cannot be used, and what reading children says.
    pub(super) fn start(
        layout: &'a Layout,
        exits: impl FnOnce() -> Result<Exits, TableError>,
        log: Log,
        budget: &Budget,
    ) -> Result<Self, TableError> {
        let moves = Moves::new(layout, 0);
        let kings = layout.kings.count();
        let mut levels = Self { moves, parts: Vec::new(), spare: Mutex::default(), log };
        let fresh = levels.log.plies().is_none();
        let exits = if fresh { Some(exits()?) } else { None };
        let parts: Result<Vec<[Part; 2]>, TableError> = (0..kings)
            .into_par_iter()
            .with_max_len(1)
            .map(|king| match &exits {
                Some(exits) => levels.start_king(king, exits, budget),
                None => levels.restore_king(king),
            })
            .collect();
        let (white, black): (Vec<Part>, Vec<Part>) =
            parts?.into_iter().map(|[white, black]| (white, black)).unzip();
        levels.parts = white.into_iter().chain(black).collect();
        if fresh {
            levels.log.end(0)?;
        }
        Ok(levels)
    }

    fn layout(&self) -> &'a Layout {
        self.moves.layout
    }

    fn kings(&self) -> usize {
        self.layout().kings.count()
    }

    /// The side to move and the king number of a part.
    fn part(&self, number: usize) -> (Side, usize) {
        let side = if number < self.kings() { Side::White } else { Side::Black };
        (side, number % self.kings())
    }

    /// The parts with this side to move.
    fn of(&self, side: Side) -> &[Part] {
        let (white, black) = self.parts.split_at(self.kings());
        side.pick(white, black)
    }

    /// Legal positions, and the outcomes of leaving the slice: about a microsecond a row and side.
    fn start_king(
        &self,
        number: usize,
        exits: &Exits,
        budget: &Budget,
    ) -> Result<[Part; 2], TableError> {
        let layout = self.layout();
        let ahead = Ahead { layout, slices: Vec::new() };
        let king = layout.kings.square(number);
        let mut parts = [Part::new(layout.rows()), Part::new(layout.rows())];
        let mut lists: [Leaving; 2] = Default::default();
        for row in 0..layout.rows() {
            if row % ROWS_A_CHECK == 0 {
                budget.check(0, 0)?;
            }
            if layout.in_order(row)
                && let squares = layout.squares(0, row)
                && let Some(occupied) = layout.occupied(king, &squares)
            {
                let masks = layout.masks(king, &squares, occupied);
                for side in Side::ALL {
                    let legal = masks.legal(side);
                    if legal.is_empty() {
                        continue;
                    }
                    let best = exits.best(side, king, &squares, occupied, &ahead)?;
                    if (best.late & legal).any() {
                        return Err(TableError::TooDeep { material: layout.material });
                    }
                    let left = legal & squares_where(&best.codes, |code| code != ILLEGAL);
                    let checked = legal & masks.in_check(side) & !left;
                    let part = &mut parts[side as usize];
                    part.open[row] = legal;
                    part.losable[row] = legal & !left & !checked;
                    let scale = layout.scale(side);
                    lists[side as usize].take(row, left, checked, |square| {
                        let code = best.codes[square as usize];
                        (code >= scale.draw, (code != scale.draw).then(|| scale.plies(code)))
                    });
                }
            }
            if (row + 1) % RANGE == 0 || row + 1 == layout.rows() {
                for side in Side::ALL {
                    lists[side as usize].write(&self.log, number, side)?;
                }
            }
        }
        Ok(parts)
    }

    /// The bits of a king number as they were after the last ply of the log.
    fn restore_king(&self, number: usize) -> Result<[Part; 2], TableError> {
        let layout = self.layout();
        let king = layout.kings.square(number);
        let mut parts = [Part::new(layout.rows()), Part::new(layout.rows())];
        for row in (0..layout.rows()).filter(|&row| layout.in_order(row)) {
            let squares = layout.squares(0, row);
            let Some(occupied) = layout.occupied(king, &squares) else { continue };
            let masks = layout.masks(king, &squares, occupied);
            for side in Side::ALL {
                parts[side as usize].open[row] = masks.legal(side);
                parts[side as usize].losable[row] = masks.legal(side);
            }
        }
        let plies = self.log.plies().unwrap_or(0);
        for name in self.log.names(number) {
            let part = &mut parts[name.side as usize];
            let due = name.ply % 2 == 0 && name.ply < plies;
            if name.kind == Kind::Level || name.kind == Kind::Exit && due {
                continue;
            }
            for (row, bits) in self.log.read(number, name, None)?.iter() {
                let losable = &mut part.losable[row as usize];
                *losable = losable.without_const(bits);
            }
        }
        for name in self.log.names(number).into_iter().filter(|name| name.kind == Kind::Level) {
            let level = self.log.read(number, name, None)?;
            let part = &mut parts[name.side as usize];
            part.decide(&level);
            if name.ply + 1 == plies {
                part.level = level;
            }
        }
        Ok(parts)
    }

    /// Solves what is left. Returns the log, and the longest distance in plies.
    ///
    /// # Errors
    /// The budget's end: the log says how far this came. Or the disk's refusal.
    pub(super) fn solve(mut self, budget: &Budget) -> Result<(Log, u16), TableError> {
        let names: Vec<Name> = (0..self.kings()).flat_map(|king| self.log.names(king)).collect();
        let last = |kind: Kind| {
            names.iter().filter(|name| name.kind == kind).map(|name| name.ply).max().unwrap_or(0)
        };
        let (last_exit, mut longest) = (last(Kind::Exit), last(Kind::Level));
        let mut ply = self.log.plies().unwrap_or(0);
        loop {
            // A ply without any is followed by others only where some wait.
            if ply > longest + 1 && ply > last_exit {
                break;
            }
            budget.check(0, 0)?;
            let name = self.layout().material;
            budget.progress().stage(&format!("table {name}, ply {ply}"), None);
            let decided = self.step(ply, budget)?;
            self.log.end(ply + 1)?;
            budget.progress().advance(decided);
            if decided > 0 {
                longest = ply;
            }
            ply += 1;
        }
        Ok((self.log, longest))
    }

    /// Finds the positions decided in this ply; how many there are.
    fn step(&mut self, ply: u16, budget: &Budget) -> Result<u64, TableError> {
        let due = self.due(ply)?;
        let this = &*self;
        let found: Result<Vec<Columns>, TableError> = due
            .par_iter()
            .with_max_len(1)
            .enumerate()
            .map(|(number, due)| {
                let spare = this.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
                let mut set = spare.unwrap_or_else(|| RowSet::new(this.layout().rows()));
                let level = this.step_part(ply, number, due, &mut set, budget)?;
                this.spare.lock().unwrap_or_else(PoisonError::into_inner).push(set);
                let (side, king) = this.part(number);
                this.log.append(king, Name { kind: Kind::Level, side, ply }, &level)?;
                Ok(level)
            })
            .collect();
        let parts = self.parts.par_iter_mut().zip(found?);
        Ok(parts
            .map(|(part, level)| {
                part.decide(&level);
                part.level = level;
                part.level.positions()
            })
            .sum())
    }

    /// The positions that waited for this ply, by part. Those that may be lost from now on are made
    /// losable.
    fn due(&mut self, ply: u16) -> Result<Vec<Columns>, TableError> {
        let (log, kings) = (&self.log, self.kings());
        let parts = self.parts.par_iter_mut().enumerate();
        parts
            .map(|(number, part)| {
                let side = if number < kings { Side::White } else { Side::Black };
                let due = log.read(number % kings, Name { kind: Kind::Exit, side, ply }, None)?;
                if ply.is_multiple_of(2) {
                    for (row, bits) in due.iter() {
                        part.losable[row as usize] |= bits & part.open[row as usize];
                    }
                }
                Ok(due)
            })
            .collect()
    }

    /// The positions of a part that are decided in this ply.
    fn step_part(
        &self,
        ply: u16,
        number: usize,
        due: &Columns,
        set: &mut RowSet,
        budget: &Budget,
    ) -> Result<Columns, TableError> {
        let (mover, king) = self.part(number);
        let (part, others) = (&self.parts[number], self.of(mover.other()));
        let level = |king: usize| others[king].level.iter();
        self.moves.carry_back(mover, king, level, |row, bits| set.mark(row, bits));
        due.iter().for_each(|(row, bits)| set.mark(row as usize, bits));
        if ply % 2 == 1 {
            return set.drain(budget, |row, bits| bits & part.open[row]);
        }
        set.drain(budget, |row, bits| {
            let escape = |king: usize, row: usize| others[king].open[row];
            self.moves.refute(mover, king, row, bits & part.losable[row], escape)
        })
    }
}

/// What leaving the slice gives in the rows of one range, one side to move.
#[derive(Default)]
struct Leaving {
    saved: Columns,
    /// By ply.
    exits: Vec<Columns>,
}

impl Leaving {
    /// A row: where Black's king stands so that there is a move that leaves the slice (`outcome`
    /// says whether the best of them saves from losing, and in how many plies it wins or loses), or
    /// none and the side is in check.
    fn take(
        &mut self,
        row: usize,
        left: Bitboard,
        checked: Bitboard,
        outcome: impl Fn(crate::chess::board::Square) -> (bool, Option<u16>),
    ) {
        if self.exits.is_empty() {
            self.exits.resize_with(256, Columns::default);
        }
        if checked.any() {
            self.exits[0].push(row, checked);
        }
        for square in left {
            let (saved, plies) = outcome(square);
            if saved {
                self.saved.add(row, square);
            }
            if let Some(plies) = plies {
                self.exits[usize::from(plies)].add(row, square);
            }
        }
    }

    fn write(&mut self, log: &Log, king: usize, side: Side) -> Result<(), TableError> {
        log.append(king, Name { kind: Kind::Saved, side, ply: 0 }, &self.saved)?;
        self.saved.clear();
        for (ply, columns) in self.exits.iter_mut().enumerate() {
            log.append(king, Name { kind: Kind::Exit, side, ply: ply as u16 }, columns)?;
            columns.clear();
        }
        Ok(())
    }
}
