//! Blocks: 64 rows, both sides to move, read and written together.
//!
//! A block is four parts, each compressed by itself ([`super::frame`]): White to move and Black's
//! king on ranks 1 to 4, the same on ranks 5 to 8, then Black to move. One value of White's needs
//! one part; one of Black's its own and mostly one of White's.
//!
//! A part has one byte for each square of Black's king that [`KingSquares::partners`] lists, row
//! by row. White's are codes, and bytes of illegal positions repeat their neighbour. Black's are 0
//! where the code is the one that White's foretell ([`super::predict`]) or the position is illegal,
//! else the code.
//!
//! In a wide table ([`Layout::wide`]) a long code ([`is_long`]) is never foretold, and a fifth part
//! has one byte for each byte that is a long code, in their order: by how many double plies it is
//! exceeded.
//!
//! The block's bytes begin with the lengths of all parts but the last, compressed, two bytes each.
//!
//! [`KingSquares::partners`]: crate::tables::index::symmetry::KingSquares::partners

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::damage::Damage;
use super::frame;
use super::predict::Row;
use super::squares;
use crate::chess::Side;
use crate::chess::board::{Bitboard, Square};
use crate::tables::index::layout::Layout;
use crate::tables::index::symmetry::bytes as bytes_of;
use crate::tables::index::value::{Code, ILLEGAL, Scale, is_long};

/// Where Black's king stands in the two parts of a side to move.
pub(super) const HALVES: [Bitboard; 2] =
    [Bitboard(0x0000_0000_ffff_ffff), Bitboard(0xffff_ffff_0000_0000)];

/// Which of the two a square is in.
pub(super) fn half_of(square: Square) -> usize {
    square as usize / 32
}

/// A part by its side to move and the half of the board.
pub(super) type Part = (Side, usize);

/// The parts of one block by side to move and half of the board, as far as they are decompressed:
/// the others are empty.
pub(super) type Parts<'a> = [[&'a [Code]; 2]; 2];

/// A decompressed block.
#[derive(Debug)]
pub(in crate::tables) struct Codes {
    parts: [[Vec<Code>; 2]; 2],
    /// Of a wide table: by how many double plies long codes are exceeded.
    pub(super) excess: Vec<u8>,
}

impl Codes {
    pub(super) fn parts(&self) -> Parts<'_> {
        self.parts.each_ref().map(|halves| halves.each_ref().map(Vec::as_slice))
    }
}

/// Which block of its king a row is in.
pub(super) fn row_of_block(row: usize) -> usize {
    row / 64
}

/// The positions of a block.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub(super) slice: usize,
    pub(super) kings: Range<usize>,
    pub(super) rows: Range<usize>,
}

impl Block {
    /// Its kings and rows, in the order of its bytes.
    pub(super) fn places(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.kings.clone().flat_map(|king| self.rows.clone().map(move |row| (king, row)))
    }
}

impl Layout {
    /// Blocks of one slice.
    pub(in crate::tables) fn blocks_per_slice(&self) -> usize {
        if self.pieces == 0 { 1 } else { self.kings.count() * self.rows() / 64 }
    }

    pub(in crate::tables) fn blocks(&self) -> usize {
        self.slices() * self.blocks_per_slice()
    }

    pub(in crate::tables) fn block_of(&self, slice: usize, king: usize, row: usize) -> usize {
        let within =
            if self.pieces == 0 { 0 } else { king * (self.rows() / 64) + row_of_block(row) };
        slice * self.blocks_per_slice() + within
    }

    pub(super) fn block(&self, number: usize) -> Block {
        let (slice, within) = (number / self.blocks_per_slice(), number % self.blocks_per_slice());
        if self.pieces == 0 {
            return Block { slice, kings: 0..self.kings.count(), rows: 0..1 };
        }
        let per_king = self.rows() / 64;
        let (king, first) = (within / per_king, within % per_king * 64);
        Block { slice, kings: king..king + 1, rows: self.first_in_order(first)..first + 64 }
    }

    /// Bytes of one part of a block.
    fn part_len(&self, block: &Block, half: usize) -> usize {
        let kept = |king| (self.kings.partners(king) & HALVES[half]).count();
        block.kings.clone().map(|king| kept(king) * block.rows.len()).sum()
    }

    /// What a row is foretold from, `None` where two men stand on one square.
    pub(super) fn foretelling(&self, slice: usize, king: usize, row: usize) -> Option<Row<'_>> {
        let squares = self.squares(slice, row);
        let square = self.kings.square(king);
        let occupied = self.occupied(square, &squares)?;
        let masks = self.masks(square, &squares, occupied);
        Some(Row { layout: self, king, row, squares, occupied, masks })
    }
}

/// The parts of a block, in their order. `stored` gives the codes by side to move, king number and
/// row, `excess` likewise by how many double plies they are exceeded in a wide table.
fn gather<'r>(
    layout: &Layout,
    block: &Block,
    stored: &impl Fn(Side, usize, usize) -> &'r [Code; 64],
    excess: &impl Fn(Side, usize, usize) -> &'r [u8; 64],
) -> Codes {
    let white = in_table(layout, block, stored);
    let white = |king: usize, row: usize| {
        &white[(king - block.kings.start) * block.rows.len() + row - block.rows.start]
    };
    let mut parts =
        [0, 1].map(|_| [0, 1].map(|half| Vec::with_capacity(layout.part_len(block, half))));
    let mut push = |side: Side, king: usize, codes: &[Code; 64]| {
        let partners = layout.kings.partners(king);
        for (part, half) in parts[side as usize].iter_mut().zip(HALVES) {
            squares::push(codes, partners & half, part);
        }
    };
    let mut last = Scale::USUAL.draw;
    for (king, row) in block.places() {
        let mut codes = *white(king, row);
        for code in &mut codes {
            last = if *code == ILLEGAL { last } else { *code };
            *code = last;
        }
        push(Side::White, king, &codes);
    }
    for (king, row) in block.places() {
        let codes = stored(Side::Black, king, row);
        let codes = unforeseen(layout, block, (king, row), codes, |row| white(king, row));
        push(Side::Black, king, &codes);
    }
    let mut codes = Codes { parts, excess: Vec::new() };
    if layout.wide {
        codes.excess = gather_excess(layout, block, &codes.parts, excess);
    }
    codes
}

/// By how many double plies the long codes of a block are exceeded, in their order.
fn gather_excess<'r>(
    layout: &Layout,
    block: &Block,
    parts: &[[Vec<Code>; 2]; 2],
    excess: &impl Fn(Side, usize, usize) -> &'r [u8; 64],
) -> Vec<u8> {
    let mut long = Vec::new();
    for (side, half) in Side::ALL.into_iter().flat_map(|side| [(side, 0), (side, 1)]) {
        let excess = block.places().flat_map(|(king, row)| {
            let partners = layout.kings.partners(king) & HALVES[half];
            let excess = excess(side, king, row);
            partners.into_iter().map(|square| excess[square as usize])
        });
        let codes = parts[side as usize][half].iter().zip(excess);
        long.extend(codes.filter(|(code, _)| is_long(**code)).map(|(_, excess)| excess));
    }
    long
}

/// The compressed bytes of a block: `stored` and `excess` as for [`gather`].
pub(super) fn compress<'r>(
    layout: &Layout,
    number: usize,
    stored: impl Fn(Side, usize, usize) -> &'r [Code; 64],
    excess: impl Fn(Side, usize, usize) -> &'r [u8; 64],
) -> Vec<u8> {
    let Codes { parts, excess } = gather(layout, &layout.block(number), &stored, &excess);
    let mut parts: Vec<(Side, &Vec<u8>)> = Side::ALL
        .into_iter()
        .flat_map(|side| parts[side as usize].iter().map(move |p| (side, p)))
        .collect();
    if layout.wide {
        parts.push((Side::White, &excess));
    }
    let mut out = vec![0; lengths(layout)];
    for (number, (side, part)) in parts.into_iter().enumerate() {
        let start = out.len();
        frame::push(side, part, &mut out);
        let length = ((out.len() - start) as u16).to_le_bytes();
        // The last part ends where the block does.
        if let Some(place) = out[..lengths(layout)].as_chunks_mut().0.get_mut(number) {
            *place = length;
        }
    }
    out
}

/// Bytes of the lengths at the head of a block.
fn lengths(layout: &Layout) -> usize {
    if layout.wide { 8 } else { 6 }
}

/// White's codes of a block, row by row; squares that the table leaves out are marked illegal.
fn in_table<'r>(
    layout: &Layout,
    block: &Block,
    stored: &impl Fn(Side, usize, usize) -> &'r [Code; 64],
) -> Vec<[Code; 64]> {
    let mut rows = Vec::with_capacity(block.kings.len() * block.rows.len());
    for king in block.kings.clone() {
        let in_table = bytes_of(layout.kings.partners(king));
        for row in block.rows.clone() {
            let mut codes = *stored(Side::White, king, row);
            codes.iter_mut().zip(in_table).for_each(|(code, in_table)| *code &= in_table);
            rows.push(codes);
        }
    }
    rows
}

/// Black's codes of a row that White's do not foretell, the others marked illegal.
fn unforeseen<'r>(
    layout: &Layout,
    block: &Block,
    (king, row): (usize, usize),
    codes: &[Code; 64],
    white: impl Fn(usize) -> &'r [Code; 64],
) -> [Code; 64] {
    let Some(foretelling) = layout.foretelling(block.slice, king, row) else {
        return [ILLEGAL; 64];
    };
    let mut codes = *codes;
    for (code, foretold) in codes.iter_mut().zip(foretelling.foretold(white)) {
        let told = *code == foretold && !(layout.wide && is_long(*code));
        *code = if told { ILLEGAL } else { *code };
    }
    codes
}

/// The compressed bytes of a block, taken apart.
pub(super) struct Sealed<'a> {
    layout: &'a Layout,
    number: usize,
    parts: [&'a [u8]; 5],
}

impl<'a> Sealed<'a> {
    /// Takes the bytes of a block apart, which must have this checksum.
    pub(super) fn open(
        layout: &'a Layout,
        number: usize,
        packed: &'a [u8],
        sum: u64,
    ) -> Result<Self, Damage> {
        let damaged = Damage::Block(number);
        if xxh3_64(packed) != sum {
            return Err(damaged);
        }
        let (head, mut rest) = packed.split_at_checked(lengths(layout)).ok_or(damaged)?;
        let mut parts = [&[][..]; 5];
        let mut left = parts.iter_mut();
        for (&length, part) in head.as_chunks().0.iter().zip(left.by_ref()) {
            (*part, rest) =
                rest.split_at_checked(u16::from_le_bytes(length).into()).ok_or(damaged)?;
        }
        *left.next().expect("there are at most four lengths") = rest;
        Ok(Self { layout, number, parts })
    }

    /// The bytes of a block with White's parts alone, of a table that is not wide.
    pub(super) fn of_white(&self) -> Vec<u8> {
        let [low, high, ..] = self.parts;
        let lengths = [low.len(), high.len(), 0].map(|length| (length as u16).to_le_bytes());
        [lengths.as_flattened(), low, high].concat()
    }

    /// Decompresses one part.
    pub(super) fn part(&self, (side, half): Part) -> Result<Vec<Code>, Damage> {
        let length = self.layout.part_len(&self.layout.block(self.number), half);
        frame::read(side, self.parts[2 * side as usize + half], length)
            .ok_or(Damage::Block(self.number))
    }

    /// By how many double plies the long codes are exceeded, of which there are so many.
    fn excess(&self, long: usize) -> Result<Vec<u8>, Damage> {
        frame::read(Side::White, self.parts[4], long).ok_or(Damage::Block(self.number))
    }

    /// Decompresses all of it.
    pub(super) fn codes(&self) -> Result<Codes, Damage> {
        let part = |side, half| self.part((side, half));
        let parts = [
            [part(Side::White, 0)?, part(Side::White, 1)?],
            [part(Side::Black, 0)?, part(Side::Black, 1)?],
        ];
        let excess = if self.layout.wide {
            let codes = parts.as_flattened().iter().flatten();
            self.excess(codes.filter(|&&code| is_long(code)).count())?
        } else {
            Vec::new()
        };
        Ok(Codes { parts, excess })
    }
}

/// The codes of a block from its compressed bytes, which must have this checksum.
pub(in crate::tables) fn decompress(
    layout: &Layout,
    number: usize,
    packed: &[u8],
    sum: u64,
) -> Result<Codes, Damage> {
    Sealed::open(layout, number, packed, sum)?.codes()
}
