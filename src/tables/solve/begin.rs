//! How a large slice begins: legal positions and what leaving it gives, or what the log of an
//! unfinished one says.

use crate::chess::Side;
use crate::chess::board::{Bitboard, Square};
use crate::limits::Budget;

use super::columns::{Columns, RANGE};
use super::exits::Exits;
use super::frames::{Kind, Name};
use super::levels::Levels;
use super::log::Log;
use super::planes::Plane;
use crate::tables::TableError;
use crate::tables::file::source::Ahead;
use crate::tables::index::value::{ILLEGAL, squares_with};

/// Rows between two looks at the clock.
const ROWS_A_CHECK: usize = 1 << 14;

/// Which positions are open, and which are losable, by side to move.
pub(super) type Sets = [[Plane; 2]; 2];

/// Words of the rows of one range, as [`Sets`].
type Words = [[Vec<Bitboard>; 2]; 2];

fn clear(words: &mut Words) {
    words.iter_mut().flatten().for_each(|words| words.fill(Bitboard::EMPTY));
}

impl Levels<'_> {
    /// Room for the rows of a range; all ranges have as many.
    fn words(&self) -> Words {
        let rows = RANGE.min(self.layout().rows());
        std::array::from_fn(|_| std::array::from_fn(|_| vec![Bitboard::EMPTY; rows]))
    }

    fn fill(&self, sets: &mut Sets, first: usize, words: &Words) -> Result<(), TableError> {
        for (planes, words) in sets.iter_mut().zip(words) {
            for (plane, words) in planes.iter_mut().zip(words) {
                plane.fill(first, words).map_err(|error| self.log.failed(error))?;
            }
        }
        Ok(())
    }

    /// Legal positions, and the outcomes of leaving the slice: about a microsecond a row and side.
    pub(super) fn start_king(
        &self,
        king: usize,
        mut sets: Sets,
        exits: &Exits,
        budget: &Budget,
    ) -> Result<Sets, TableError> {
        let mut lists: [Leaving; 2] = Default::default();
        let mut words = self.words();
        for rows in self.ranges() {
            clear(&mut words);
            for row in rows.clone() {
                if row % ROWS_A_CHECK == 0 {
                    budget.check(0, 0)?;
                }
                self.start_row(king, row, exits, &mut lists, |side, open, losable| {
                    words[side as usize][0][row - rows.start] = open;
                    words[side as usize][1][row - rows.start] = losable;
                })?;
            }
            self.fill(&mut sets, rows.start, &words)?;
            for side in Side::ALL {
                lists[side as usize].write(&self.log, king, side)?;
            }
        }
        Ok(sets)
    }

    fn start_row(
        &self,
        number: usize,
        row: usize,
        exits: &Exits,
        lists: &mut [Leaving; 2],
        mut set: impl FnMut(Side, Bitboard, Bitboard),
    ) -> Result<(), TableError> {
        let layout = self.layout();
        let ahead = Ahead { layout, slices: Vec::new() };
        if !layout.in_order(row) {
            return Ok(());
        }
        let (king, squares) = (layout.kings.square(number), layout.squares(0, row));
        let Some(occupied) = layout.occupied(king, &squares) else { return Ok(()) };
        let masks = layout.masks(king, &squares, occupied);
        for side in Side::ALL {
            let legal = masks.legal(side);
            if legal.is_empty() {
                continue;
            }
            let best = exits.best(side, king, &squares, occupied, &ahead)?;
            if ((best.late | best.slow) & legal).any() {
                return Err(TableError::TooDeep { material: layout.material });
            }
            let left = legal & !squares_with(&best.codes, ILLEGAL);
            let checked = legal & masks.in_check(side) & !left;
            set(side, legal, legal & !left & !checked);
            let scale = layout.scale(side);
            lists[side as usize].take(row, left, checked, |square| {
                let code = best.codes[square as usize];
                (code >= scale.draw, (code != scale.draw).then(|| scale.plies(code)))
            });
        }
        Ok(())
    }

    /// The legal positions of a row, by side to move.
    fn legal(&self, king: usize, row: usize) -> Option<[Bitboard; 2]> {
        let layout = self.layout();
        let (king, squares) = (layout.kings.square(king), layout.squares(0, row));
        let occupied = layout.in_order(row).then(|| layout.occupied(king, &squares)).flatten()?;
        let masks = layout.masks(king, &squares, occupied);
        Some(Side::ALL.map(|side| masks.legal(side)))
    }

    /// The bits of a king number as they were after the last ply of the log.
    pub(super) fn restore_king(
        &self,
        king: usize,
        mut sets: Sets,
        budget: &Budget,
    ) -> Result<Sets, TableError> {
        let plies = self.log.plies().unwrap_or(0);
        let waits = |name: &Name| match name.kind {
            Kind::Saved => true,
            // What is due is losable.
            Kind::Exit => name.ply % 2 == 1 || name.ply >= plies,
            Kind::Level | Kind::End => false,
        };
        let mut words = self.words();
        for (range, rows) in self.ranges().enumerate() {
            budget.check(0, 0)?;
            clear(&mut words);
            for row in rows.clone() {
                for (side, legal) in self.legal(king, row).into_iter().flatten().enumerate() {
                    words[side].iter_mut().for_each(|words| words[row - rows.start] = legal);
                }
            }
            for name in self.log.names(king) {
                let set = if name.kind == Kind::Level { 0 } else { 1 };
                if name.kind == Kind::Level || waits(&name) {
                    for (row, bits) in self.log.read(king, name, Some(range))?.iter() {
                        let word = &mut words[name.side as usize][set][row as usize - rows.start];
                        *word = word.without_const(bits);
                    }
                }
            }
            self.fill(&mut sets, rows.start, &words)?;
        }
        Ok(sets)
    }

    /// The open positions with Black to move of a king number of another process.
    pub(super) fn start_border(&self, king: usize, plane: &mut Plane) -> Result<(), TableError> {
        for rows in self.ranges() {
            let black = |row| self.legal(king, row).map_or(Bitboard::EMPTY, |legal| legal[1]);
            let words: Vec<Bitboard> = rows.clone().map(black).collect();
            plane.fill(rows.start, &words).map_err(|error| self.log.failed(error))?;
        }
        if self.log.plies().is_some() {
            self.log.take_over(king, |level| self.decide(plane, level))?;
        }
        Ok(())
    }

    /// Takes these positions for decided.
    pub(super) fn decide(&self, open: &mut Plane, level: &Columns) -> Result<(), TableError> {
        let mut editor = open.editor();
        for (row, bits) in level.iter() {
            editor.change(row as usize, |word| word.without_const(bits));
        }
        editor.finish().map_err(|error| self.log.failed(error))
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
        outcome: impl Fn(Square) -> (bool, Option<u16>),
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
        log.append(king, Name { kind: Kind::Saved, side, ply: 0 }, &self.saved, drop)?;
        self.saved.clear();
        for (ply, columns) in self.exits.iter_mut().enumerate() {
            log.append(king, Name { kind: Kind::Exit, side, ply: ply as u16 }, columns, drop)?;
            columns.clear();
        }
        Ok(())
    }
}
