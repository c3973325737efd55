//! Is a solved table right? Every value is compared with the best of those that its moves lead to.
//!
//! A table that passes is right, whoever made it, if the tables that its captures and promotions
//! lead to are: by induction over the plies, a position that is said to be lost in n is lost, since
//! each of its moves leads to a win of the opponent in at most n − 1; one that is said to be won in
//! n is won, since some move leads to a loss in n − 1; and no position is decided sooner than it is
//! said to be, or not at all though it is drawn by its byte: take one that is decided in the fewest
//! plies; the positions behind its moves would be decided in fewer, and are said to be.
//!
//! One pass, a row of 64 positions at a time: the codes behind each move are one row of bytes, and
//! the best of them a maximum of bytes. About 15 to 30 ns a position and core.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use rayon::prelude::*;

use crate::chess::Packed as PackedPosition;
use crate::chess::Turn;
use crate::chess::board::{Bitboard, Color, Role, Square, attacks, code_of};
use crate::chess::symmetry::Images;
use crate::limits::Budget;

use super::build::MEN_IN_MEMORY;
use super::exits::{Best, Exits};
use super::geometry::attacks_of;
use crate::chess::board::Piece;
use crate::tables::file::damage::Damage;
use crate::tables::file::packed::Packed;
use crate::tables::file::source::Source;
use crate::tables::index::layout::{Layout, MAX_OTHERS, Squares};
use crate::tables::index::material::Material;
use crate::tables::index::raw::{Ahead, RawSlice};
use crate::tables::index::value::{Code, ILLEGAL, MATED};
use crate::tables::{Metric, TableError};

/// Rows between two looks at the clock.
const ROWS_A_CHECK: usize = 256;

/// Where a king steps from each square, by direction; 64: off the board.
static STEPS: LazyLock<[[u8; 64]; 8]> = LazyLock::new(|| {
    let ways = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)];
    ways.map(|(dx, dy): (i32, i32)| {
        std::array::from_fn(|from| {
            let (x, y) = (from as i32 % 8 + dx, from as i32 / 8 + dy);
            if (0..8).contains(&x) && (0..8).contains(&y) { (8 * y + x) as u8 } else { 64 }
        })
    })
});

/// Checks every value of a table, or of a part of one, whose children are right.
///
/// # Errors
/// [`TableError::Damaged`] with the first value that does not follow, or that cannot be read; or
/// the budget's end.
pub(in crate::tables) fn check(
    packed: &Packed,
    children: &HashMap<Material, Source>,
    budget: &Budget,
) -> Result<(), TableError> {
    let layout = &packed.layout;
    let exits = Exits::new(layout, Metric::Mate, children);
    let damaged = |damage| TableError::Damaged { material: layout.material, damage };
    let read = |slice: usize| packed.unpack_slice(slice).map(Arc::new).map_err(damaged);
    let held: HashMap<usize, Arc<RawSlice>> = if layout.material.men() <= MEN_IN_MEMORY {
        let slices: Vec<usize> = (0..layout.slices()).filter(|&slice| packed.has(slice)).collect();
        let read = |slice: usize| Ok((slice, read(slice)?));
        slices.into_par_iter().map(read).collect::<Result<_, TableError>>()?
    } else {
        HashMap::new()
    };
    // Small slices side by side, large ones one by one: all threads work on each.
    let at_once = super::build::at_once(layout);
    let slices: Vec<usize> = (0..layout.slices()).filter(|&slice| packed.has(slice)).collect();
    let mut longest = 0;
    for group in slices.chunks(at_once) {
        let find = |slice: usize| held.get(&slice).cloned().map_or_else(|| read(slice), Ok);
        let checked = group.par_iter().map(|&slice| {
            let ahead = layout.ahead(slice).into_iter();
            let ahead: Result<_, TableError> = ahead.map(|next| Ok((next, find(next)?))).collect();
            let ahead = Ahead { layout, slices: ahead? };
            Checker { layout, exits: &exits, slice, raw: &*find(slice)?, ahead: &ahead, budget }
                .run()
        });
        longest = longest.max(checked.try_reduce(|| 0, |a, b| Ok(a.max(b)))?);
        children.values().for_each(Source::release);
    }
    if longest == packed.longest() { Ok(()) } else { Err(damaged(Damage::Longest)) }
}

/// One slice being checked.
struct Checker<'a> {
    layout: &'a Layout,
    exits: &'a Exits,
    slice: usize,
    raw: &'a RawSlice,
    ahead: &'a Ahead<'a>,
    budget: &'a Budget,
}

impl Checker<'_> {
    /// The longest distance of the slice.
    fn run(&self) -> Result<u16, TableError> {
        let kings = (0..self.layout.kings.count()).into_par_iter();
        kings.map(|king| self.king(king)).try_reduce(|| 0, |a, b| Ok(a.max(b)))
    }

    fn king(&self, number: usize) -> Result<u16, TableError> {
        let king = self.layout.kings.square(number);
        let mut longest = 0;
        for (done, row) in
            (0..self.layout.rows()).filter(|&row| self.layout.in_order(row)).enumerate()
        {
            if done % ROWS_A_CHECK == 0 {
                self.budget.check(0, 0)?;
            }
            let squares = self.layout.squares(self.slice, row);
            let Some(occupied) = self.layout.occupied(king, &squares) else { continue };
            let masks = self.layout.masks(king, &squares, occupied);
            for to_move in Color::ALL {
                let legal = masks.legal(to_move);
                if legal.is_empty() {
                    continue;
                }
                let best = self.best(to_move, number, row, &squares, occupied)?;
                let codes = self.raw.stored(to_move, number, row);
                let scale = self.layout.scale(to_move);
                let next = self.layout.scale(!to_move);
                for square in legal {
                    let at = square as usize;
                    let expected = match best.codes[at] {
                        ILLEGAL if masks.in_check(to_move).contains(square) => MATED,
                        ILLEGAL => scale.draw,
                        code => code,
                    };
                    // A win that the scale cannot say must not be needed; nor may a value be there
                    // that the positions before it cannot say, where scales are alike.
                    let silent = best.late.contains(square) && expected <= scale.draw
                        || scale == next && scale.unspeakable(codes[at], next);
                    if codes[at] != expected || silent {
                        let damage = Damage::Value(self.shown(to_move, king, square, &squares));
                        let material = self.layout.material;
                        return Err(TableError::Damaged { material, damage });
                    }
                    longest = longest.max(scale.plies(expected));
                }
            }
        }
        Ok(longest)
    }

    /// The best of all moves for each square of Black's king.
    fn best(
        &self,
        mover: Color,
        number: usize,
        row: usize,
        squares: &Squares,
        occupied: Bitboard,
    ) -> Result<Best, TableError> {
        let king = self.layout.kings.square(number);
        let mut best = self.exits.best(mover, king, squares, occupied, self.ahead)?;
        let (next, of) = (!mover, self.layout.scale(!mover));
        for (piece, man) in self.layout.men[..self.layout.pieces].iter().enumerate() {
            if man.color != mover {
                continue;
            }
            let from = squares[piece];
            for to in attacks_of(mover, man.role, from, occupied) & !occupied {
                let reached = self.raw.stored(next, number, self.layout.moved(row, piece, to));
                best.offer(*reached, of, !attacks::between(from, to));
            }
        }
        if mover == Color::Black {
            let here = self.raw.stored(Color::White, number, row);
            for way in STEPS.iter() {
                let reached: [Code; 64] = std::array::from_fn(|from| {
                    here.get(usize::from(way[from])).copied().unwrap_or(ILLEGAL)
                });
                best.offer(reached, of, Bitboard::FULL);
            }
        } else {
            for target in attacks::king_attacks(king) & !occupied {
                let (there, symmetry) = self.layout.kings.normalise(target);
                let stored = self.raw.stored(Color::Black, there, self.turned(squares, symmetry));
                best.offer(symmetry.read(stored), of, Bitboard::FULL);
            }
        }
        Ok(best)
    }

    fn turned(&self, squares: &Squares, symmetry: Turn) -> usize {
        let mut turned = [Square::A1; MAX_OTHERS];
        for (square, from) in turned[..self.layout.pieces].iter_mut().zip(squares) {
            *square = symmetry.of(*from);
        }
        self.layout.row(turned)
    }

    /// The position, for a message.
    fn shown(
        &self,
        to_move: Color,
        king: Square,
        other: Square,
        squares: &Squares,
    ) -> PackedPosition {
        let kings =
            [(king, Color::White, Role::King), (other, Color::Black, Role::King)].into_iter();
        let men = self.layout.men.iter().zip(squares).map(|(m, &s)| (s, m.color, m.role));
        let empty = PackedPosition {
            occupied: 0,
            men: 0,
            state: PackedPosition::state(to_move.fold_wb(0, 1), 0, 0, 0, 0),
        };
        kings.chain(men).fold(empty, |p, (square, color, role)| {
            p.with(square as u8, code_of(Piece { color, role }))
        })
    }
}
