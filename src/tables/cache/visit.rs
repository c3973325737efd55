//! Walking through all positions of a table.

use rayon::prelude::*;

use crate::chess::board::{Bitboard, Board, Piece, Position, Rank, Role, Square, code_of};
use crate::chess::{Packed as PackedPosition, Side, Value};
use crate::limits::Budget;

use super::tables::Tables;
use crate::tables::TableError;
use crate::tables::file::packed::Packed;
use crate::tables::index::layout::{Layout, Squares};
use crate::tables::index::material::{MAX_MEN, Material};
use crate::tables::index::raw::RawSlice;
use crate::tables::index::symmetry::{KingSquares, above_diagonal};
use crate::tables::index::value::Code;

/// A position of a table by its men.
#[derive(Debug, Clone, Copy)]
pub(in crate::tables) struct Stand<'a> {
    pub(in crate::tables) layout: &'a Layout,
    pub(in crate::tables) to_move: Side,
    pub(in crate::tables) king: Square,
    pub(in crate::tables) other: Square,
    pub(in crate::tables) squares: Squares,
}

impl Stand<'_> {
    /// The board; with `mark`, the file (0..8) of a pawn that has just made a double step. The
    /// position must be legal, the mark possible.
    pub(in crate::tables) fn board(&self, mark: Option<u8>) -> Board {
        let man = |side, role, square: Square| (square, code_of(Piece { side, role }));
        let men =
            self.layout.men.iter().zip(self.squares).map(|(m, square)| man(m.side, m.role, square));
        let kings =
            [man(Side::White, Role::King, self.king), man(Side::Black, Role::King, self.other)];
        let mut codes = [0u8; 64];
        let mut occupied = Bitboard::EMPTY;
        for (square, code) in men.chain(kings) {
            codes[square as usize] = code;
            occupied.add(square);
        }
        let packed_men =
            occupied.into_iter().rev().fold(0, |men, s| men << 4 | u128::from(codes[s as usize]));
        let mark = mark.map_or(0, |file| file + 1);
        let (white, black) = self.to_move.pick((0, mark), (mark, 0));
        let state = PackedPosition::state(self.to_move.pick(0, 1), white, black, 0, 0);
        Board::of_legal(&PackedPosition { occupied: occupied.0, men: packed_men, state })
    }

    /// The files of the pawns that may just have made a double step beside a pawn that could
    /// capture them.
    fn marks(&self) -> impl Iterator<Item = u8> + '_ {
        let men = || self.layout.men.iter().zip(self.squares);
        let pawns = |side: Side| -> Bitboard {
            men()
                .filter(|(man, _)| man.role == Role::Pawn && man.side == side)
                .map(|(_, square)| square)
                .collect()
        };
        let (mine, theirs) = (pawns(self.to_move), pawns(self.to_move.other()));
        let occupied: Bitboard =
            men().map(|(_, square)| square).chain([self.king, self.other]).collect();
        let back = self.to_move.pick(8, -8);
        let landed = theirs & Bitboard::from_rank(self.to_move.pick(Rank::Fifth, Rank::Fourth));
        landed.into_iter().filter_map(move |pawn| {
            let set = Bitboard::from_square(pawn);
            let behind = set.shift(back) | set.shift(2 * back);
            let file = pawn.file() as u8;
            let beside = mine
                .into_iter()
                .any(|m| m.rank() == pawn.rank() && (m.file() as u8).abs_diff(file) == 1);
            (behind.is_disjoint(occupied) && beside).then_some(file)
        })
    }

    /// The boards with each mark that allows a legal capture, and the mark's file.
    pub(in crate::tables) fn marked_boards(&self) -> impl Iterator<Item = (u8, Board)> + '_ {
        let legal = |board: &Board| {
            board.chess().maybe_ep_square().is_some()
                && board.legal_moves().iter().any(|m| m.is_en_passant())
        };
        self.marks()
            .map(|file| (file, self.board(Some(file))))
            .filter(move |(_, board)| legal(board))
    }
}

impl Tables {
    /// Calls `each` with every legal position of a signature and its value, one position per class
    /// of symmetric ones, with and without each legal mark for en passant; in parallel, neighbours
    /// of the index together. Solves what is missing.
    ///
    /// # Errors
    /// As [`Tables::ensure`].
    pub fn visit(
        &self,
        material: Material,
        budget: &Budget,
        each: impl Fn(&Board, Value) + Sync,
    ) -> Result<(), TableError> {
        self.ensure(material, budget)?;
        let packed = self.packed(material)?;
        let layout = &packed.layout;
        if material.men() > MAX_MEN && layout.pieces > 0 {
            return (0..layout.blocks()).into_par_iter().with_min_len(64).try_for_each(|block| {
                budget.check(0, 0)?;
                self.visit_block(&packed, block, &each)
            });
        }
        (0..layout.slices()).into_par_iter().try_for_each(|slice| {
            let raw =
                packed.unpack_slice(slice).map_err(|damage| self.damaged(material, damage))?;
            (0..layout.kings.count()).into_par_iter().try_for_each(|king| {
                budget.check(0, 0)?;
                self.visit_king(layout, slice, king, &raw, &each)
            })
        })
    }

    fn visit_king(
        &self,
        layout: &Layout,
        slice: usize,
        king: usize,
        raw: &RawSlice,
        each: &impl Fn(&Board, Value),
    ) -> Result<(), TableError> {
        (0..layout.rows()).filter(|&row| layout.in_order(row)).try_for_each(|row| {
            let codes = |to_move: Side| (raw.stored(to_move, king, row), &[0; 64]);
            self.visit_row(layout, (slice, king, row), codes, each)
        })
    }

    /// The positions of one block of a table too large to be unpacked by slices.
    fn visit_block(
        &self,
        packed: &Packed,
        number: usize,
        each: &impl Fn(&Board, Value),
    ) -> Result<(), TableError> {
        let layout = &packed.layout;
        let block =
            packed.block_rows(number).map_err(|damage| self.damaged(layout.material, damage))?;
        (0..block.rows[0].len()).try_for_each(|at| {
            let codes =
                |to_move: Side| (&block.rows[to_move as usize][at], block.excess(to_move, at));
            self.visit_row(layout, (block.slice, block.king, block.first + at), codes, each)
        })
    }

    /// The positions of a row; `codes` gives its codes by side to move, and by how many double
    /// plies they are exceeded.
    fn visit_row<'r>(
        &self,
        layout: &Layout,
        (slice, king, row): (usize, usize, usize),
        codes: impl Fn(Side) -> (&'r [Code; 64], &'r [u8; 64]),
        each: &impl Fn(&Board, Value),
    ) -> Result<(), TableError> {
        let squares = layout.squares(slice, row);
        let weights = orbit_weights(layout, slice, king, row, true);
        for to_move in [Side::White, Side::Black] {
            let (codes, excess) = codes(to_move);
            for other in
                layout.kings.partners(king).into_iter().filter(|&s| weights[s as usize] > 0)
            {
                let Some(value) = layout.scale(to_move).decode(codes[other as usize]) else {
                    continue;
                };
                let value = value.longer(excess[other as usize]);
                let stand =
                    Stand { layout, to_move, king: layout.kings.square(king), other, squares };
                each(&stand.board(None), value.of(to_move));
                if layout.material.has_pawns() {
                    self.visit_marked(&stand, each)?;
                }
            }
        }
        Ok(())
    }

    fn visit_marked(
        &self,
        stand: &Stand<'_>,
        each: &impl Fn(&Board, Value),
    ) -> Result<(), TableError> {
        for (_, board) in stand.marked_boards() {
            if let Some(value) = self.probe(&board)? {
                each(&board, value);
            }
        }
        Ok(())
    }

    /// Random legal positions of a signature.
    pub fn sample(material: Material, seed: u64) -> Sampler {
        Sampler { layout: Layout::new(material), state: seed }
    }
}

/// An endless stream of random legal positions of a signature; the same seed gives the same
/// positions. Every position of the index is equally likely; there are no marks for en passant.
#[derive(Debug)]
pub struct Sampler {
    layout: Layout,
    state: u64,
}

impl Sampler {
    /// The next number of the generator (S. Vigna's SplitMix64), below `bound`.
    fn below(&mut self, bound: usize) -> usize {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(z ^ z >> 31) * bound as u128) >> 64) as usize
    }
}

impl Iterator for Sampler {
    type Item = Board;

    fn next(&mut self) -> Option<Board> {
        loop {
            let slice = self.below(self.layout.slices());
            let king = self.below(self.layout.kings.count());
            let row = self.below(self.layout.rows());
            let other = Square::new(self.below(64) as u32);
            let to_move = if self.below(2) == 0 { Side::White } else { Side::Black };
            if !self.layout.in_order(row) {
                continue;
            }
            let square = self.layout.kings.square(king);
            let squares = self.layout.squares(slice, row);
            let legal = self.layout.occupied(square, &squares).is_some_and(|o| {
                self.layout.masks(square, &squares, o).legal(to_move).contains(other)
            });
            if legal {
                let stand = Stand { layout: &self.layout, to_move, king: square, other, squares };
                return Some(stand.board(None));
            }
        }
    }
}

/// For each square of Black's king: how many positions of the board this stored one stands for (0
/// where another stored position already does).
pub(super) fn orbit_weights(
    layout: &Layout,
    slice: usize,
    king: usize,
    row: usize,
    symmetry: bool,
) -> [u64; 64] {
    let mut weights = [0; 64];
    let full = if layout.kings == KingSquares::Triangle { 8 } else { 2 };
    let half = layout.is_mirror_of_itself(slice);
    let square = layout.kings.square(king);
    let on_diagonal =
        layout.kings == KingSquares::Triangle && square.file() as u8 == square.rank() as u8;
    let image = layout.transposed(row);
    let diagonal: Bitboard =
        Square::ALL.into_iter().filter(|s| s.file() as u8 == s.rank() as u8).collect();
    for other in layout.kings.partners(king) {
        let weight = &mut weights[other as usize];
        *weight = if on_diagonal && diagonal.contains(other) {
            // Both kings on the diagonal: the image is stored too, unless it is the position
            // itself.
            if row == image {
                full / 2
            } else if row < image {
                full
            } else {
                0
            }
        } else {
            full
        };
        if half && square.file() as u8 > 3 {
            *weight = 0;
        }
        if symmetry && *weight > 0 {
            *weight = 1;
        }
    }
    debug_assert!(!on_diagonal || above_diagonal().into_iter().all(|s| weights[s as usize] == 0));
    weights
}
