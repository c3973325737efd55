//! Is a solved table right? Every value is compared with the best of those that its moves lead to.
//!
//! A table that passes is right, whoever made it, if the tables that its captures and promotions
//! lead to are: by induction over the plies, a position that is said to be lost in n is lost, since
//! each of its moves leads to a win of the opponent in at most n − 1; one that is said to be won in
//! n is won, since some move leads to a loss in n − 1; and no position is decided sooner than it is
//! said to be, or not at all though it is drawn by its byte: take one that is decided in the fewest
//! plies; the positions behind its moves would be decided in fewer, and are said to be.
//!
//! One pass, a row of 64 positions at a time: the codes behind each move are one row of bytes, the
//! best of them is a minimum of bytes, and the row as it should be is compared with the row as it
//! is; no position is looked at by itself unless something is wrong with its row.

use hashbrown::HashMap;
use std::sync::Arc;

use rayon::prelude::*;

use crate::chess::Packed as PackedPosition;
use crate::chess::board::{Bitboard, Role, Square, attacks, code_of};
use crate::chess::symmetry::Images;
use crate::chess::{Side, Turn};
use crate::limits::Budget;

use super::exits::{Best, Exits};
use super::memory::{MEN_IN_MEMORY, at_once, is_read_in_blocks};
use crate::chess::board::Piece;
use crate::tables::file::damage::Damage;
use crate::tables::file::packed::Packed;
use crate::tables::file::source::{Ahead, Next, Source};
use crate::tables::index::geometry::{Masks, attacks_of};
use crate::tables::index::layout::{Layout, MAX_OTHERS, Squares};
use crate::tables::index::material::Material;
use crate::tables::index::moves::Least;
use crate::tables::index::raw::RawSlice;
use crate::tables::index::symmetry::bytes;
use crate::tables::index::value::{Code, ILLEGAL, MATED, Scale};
use crate::tables::{Metric, TableError};

/// Rows between two looks at the clock.
const ROWS_A_CHECK: usize = 256;

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
        let all = slices.into_par_iter().map(read).collect::<Result<Vec<_>, TableError>>();
        all?.into_iter().collect()
    } else {
        HashMap::new()
    };
    let slices: Vec<usize> = (0..layout.slices()).filter(|&slice| packed.has(slice)).collect();
    let mut longest = 0;
    // Small slices side by side, large ones one by one: all threads work on each.
    for group in slices.chunks(at_once(layout)) {
        let find = |slice: usize| held.get(&slice).cloned().map_or_else(|| read(slice), Ok);
        let checked = group.par_iter().map(|&slice| {
            let ahead = layout.ahead(slice).into_iter();
            let in_blocks = is_read_in_blocks(layout);
            let next = |slice| -> Result<Next<'_>, TableError> {
                Ok(if in_blocks { Next::Packed(packed) } else { Next::Raw(find(slice)?) })
            };
            let ahead: Result<_, TableError> =
                ahead.map(|slice| Ok((slice, next(slice)?))).collect();
            let ahead = Ahead { layout, slices: ahead? };
            Checker { layout, exits: &exits, slice, raw: &*find(slice)?, ahead: &ahead, budget }
                .run()
        });
        longest = longest.max(checked.try_reduce(|| 0, |a, b| Ok(a.max(b)))?);
        children.values().for_each(Source::release);
    }
    if longest == packed.longest() { Ok(()) } else { Err(damaged(Damage::Longest)) }
}

/// What a row says, taken together.
struct Sums {
    /// The longest distance in plies.
    longest: u16,
    /// Some code may not be what it should be.
    suspicious: bool,
}

impl Sums {
    fn of(codes: &[Code; 64], best: &Best, scale: Scale, masks: &Masks, to_move: Side) -> Self {
        // A scale of its own is rare (KPPvKP): its rows are looked at position by position.
        let usual = scale == Scale::USUAL;
        let (legal, mated) = (bytes(masks.legal(to_move)), bytes(masks.in_check(to_move)));
        let mut wrong = [0u8; 64];
        for at in 0..64 {
            let without_move = if best.codes[at] == ILLEGAL { 0xff } else { 0 };
            let end = mated[at] & MATED | !mated[at] & scale.draw;
            wrong[at] = (codes[at] ^ (best.codes[at] | without_move & end)) & legal[at];
        }
        // Losses are the codes below the draw, 128, and the longest the largest of them; wins are
        // those above, and the longest the smallest: bytes whose first bit is clear, as they are
        // and with their sign turned.
        let (mut lost, mut won) = (0u8, 0u8);
        let clear = |code: u8| code & (code >> 7).wrapping_sub(1);
        for at in 0..64 {
            let code = codes[at] & legal[at];
            lost = lost.max(clear(code));
            won = won.max(clear(0u8.wrapping_sub(code)));
        }
        let of_code = |code: u8| if code == ILLEGAL { 0 } else { scale.plies(code) };
        let longest = if usual {
            of_code(lost).max(of_code(0u8.wrapping_sub(won)))
        } else {
            codes.iter().zip(legal).map(|(code, legal)| of_code(code & legal)).max().unwrap_or(0)
        };
        // Wins at the end of the scale have their own rules.
        let deep = !usual || longest + 2 >= scale.longest_win().min(scale.longest_loss());
        let wrong = wrong.iter().fold(0, |all, byte| all | byte) != 0;
        Self { longest, suspicious: wrong || deep || (best.late | best.slow).any() }
    }
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
            for to_move in Side::ALL {
                let legal = masks.legal(to_move);
                if legal.is_empty() {
                    continue;
                }
                let best = self.best(to_move, number, row, &squares, occupied)?;
                let codes = self.raw.stored(to_move, number, row);
                let sums = Sums::of(codes, &best, self.layout.scale(to_move), &masks, to_move);
                if sums.suspicious {
                    self.look_closely(to_move, king, &squares, codes, &best, &masks)?;
                }
                longest = longest.max(sums.longest);
            }
        }
        Ok(longest)
    }

    /// A row in which something may be wrong, position by position.
    fn look_closely(
        &self,
        to_move: Side,
        king: Square,
        squares: &Squares,
        codes: &[Code; 64],
        best: &Best,
        masks: &Masks,
    ) -> Result<(), TableError> {
        let (scale, next) = (self.layout.scale(to_move), self.layout.scale(to_move.other()));
        for square in masks.legal(to_move) {
            let at = square as usize;
            let expected = match best.codes[at] {
                ILLEGAL if masks.in_check(to_move).contains(square) => MATED,
                ILLEGAL => scale.draw,
                code => code,
            };
            // A win that the scale cannot say must not be needed, nor such a loss; nor may a value
            // be there that the positions before it cannot say, where scales are alike.
            let silent = best.late.contains(square) && expected <= scale.draw
                || best.slow.contains(square) && expected < scale.draw
                || scale == next && scale.unspeakable(codes[at], next);
            if codes[at] != expected || silent {
                let damage = Damage::Value(self.shown(to_move, king, square, squares));
                return Err(TableError::Damaged { material: self.layout.material, damage });
            }
        }
        Ok(())
    }

    /// The best of all moves for each square of Black's king.
    fn best(
        &self,
        mover: Side,
        number: usize,
        row: usize,
        squares: &Squares,
        occupied: Bitboard,
    ) -> Result<Best, TableError> {
        let king = self.layout.kings.square(number);
        let mut best = self.exits.best(mover, king, squares, occupied, self.ahead)?;
        let (next, of) = (mover.other(), self.layout.scale(mover.other()));
        let alike = of == self.layout.scale(mover);
        let mut least = Least::NONE;
        // Where scales differ, each move has to be looked at: it may be a win too deep to say.
        let mut offer = |reached: &[Code; 64], shut: Bitboard| {
            if alike {
                least.take(reached, shut);
            } else {
                best.offer(*reached, of, !shut);
            }
        };
        for (piece, man) in self.layout.men[..self.layout.pieces].iter().enumerate() {
            if man.side != mover {
                continue;
            }
            let from = squares[piece];
            for to in attacks_of(mover, man.role, from, occupied) & !occupied {
                let reached = self.raw.stored(next, number, self.layout.moved(row, piece, to));
                offer(reached, attacks::between(from, to));
            }
        }
        if mover == Side::Black {
            let here = self.raw.stored(Side::White, number, row);
            if alike {
                least.step(here);
            } else {
                for square in Square::ALL {
                    for to in attacks::king_attacks(square) {
                        let reached = [here[to as usize]; 64];
                        best.offer(reached, of, Bitboard::from_square(square));
                    }
                }
            }
        } else {
            for target in attacks::king_attacks(king) & !occupied {
                let (there, symmetry) = self.layout.kings.normalise(target);
                let stored = self.raw.stored(Side::Black, there, self.turned(squares, symmetry));
                offer(&symmetry.read(stored), Bitboard::EMPTY);
            }
        }
        if alike {
            best.offer(least.codes(), of, Bitboard::FULL);
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
        to_move: Side,
        king: Square,
        other: Square,
        squares: &Squares,
    ) -> PackedPosition {
        let kings = [(king, Side::White, Role::King), (other, Side::Black, Role::King)].into_iter();
        let men = self.layout.men.iter().zip(squares).map(|(m, &s)| (s, m.side, m.role));
        let empty = PackedPosition {
            occupied: 0,
            men: 0,
            state: PackedPosition::state(to_move.pick(0, 1), 0, 0, 0, 0),
        };
        kings.chain(men).fold(empty, |p, (square, side, role)| {
            p.with(square as u8, code_of(Piece { side, role }))
        })
    }
}
