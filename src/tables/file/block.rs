//! Blocks: 64 rows, both sides to move, compressed together.
//!
//! White's codes come first, one byte for each square of Black's king that
//! [`KingSquares::partners`] lists, row by row; bytes of illegal positions repeat their neighbour.
//! Black's follow in the same order: 0 where the code is the one that White's foretell
//! ([`super::predict`]) or the position is illegal, else the code. Both are one frame of zstd, or
//! stand as they are where that is no longer.
//!
//! In a wide table ([`Layout::wide`]) a long code ([`is_long`]) is never foretold, and after these
//! bytes stands one for each of them that is a long code: by how many double plies it is exceeded.
//! Such a block is always a frame of zstd.
//!
//! [`KingSquares::partners`]: crate::tables::index::symmetry::KingSquares::partners

use std::cell::RefCell;
use std::io;
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::CParameter;

use super::damage::Damage;
use super::predict::Row;
use super::squares;
use crate::chess::Side;
use crate::tables::index::layout::Layout;
use crate::tables::index::symmetry::bytes as bytes_of;
use crate::tables::index::value::{Code, ILLEGAL, Scale, is_long};

/// zstd's own default: 1 gives files 2 % larger, 6 writes three times as slowly for 8 % less.
const LEVEL: i32 = 3;

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

    /// Positions of a block with one side to move.
    pub(super) fn block_len(&self, block: &Block) -> usize {
        block.kings.clone().map(|king| self.kings.partners(king).count() * block.rows.len()).sum()
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

/// The bytes of a block before they are compressed. `stored` gives the codes by side to move, king
/// number and row, `excess` likewise by how many double plies they are exceeded in a wide table.
pub(super) fn gather<'r>(
    layout: &Layout,
    block: &Block,
    stored: impl Fn(Side, usize, usize) -> &'r [Code; 64],
    excess: impl Fn(Side, usize, usize) -> &'r [u8; 64],
) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(2 * layout.block_len(block));
    let white = in_table(layout, block, &stored);
    let white = |king: usize, row: usize| {
        &white[(king - block.kings.start) * block.rows.len() + row - block.rows.start]
    };
    let mut last = Scale::USUAL.draw;
    for king in block.kings.clone() {
        let partners = layout.kings.partners(king);
        for row in block.rows.clone() {
            let mut codes = *white(king, row);
            for code in &mut codes {
                last = if *code == ILLEGAL { last } else { *code };
                *code = last;
            }
            squares::push(&codes, partners, &mut bytes);
        }
    }
    for king in block.kings.clone() {
        for row in block.rows.clone() {
            let codes = stored(Side::Black, king, row);
            push_unforeseen(layout, block, (king, row), codes, |row| white(king, row), &mut bytes);
        }
    }
    if layout.wide {
        let places = Side::ALL.into_iter().flat_map(|side| {
            let rows = move |king| block.rows.clone().map(move |row| (side, king, row));
            block.kings.clone().flat_map(rows)
        });
        let all = places.flat_map(|(side, king, row)| {
            let excess = excess(side, king, row);
            layout.kings.partners(king).into_iter().map(|square| excess[square as usize])
        });
        let long: Vec<u8> =
            bytes.iter().zip(all).filter(|(code, _)| is_long(**code)).map(|(_, e)| e).collect();
        bytes.extend(long);
    }
    bytes
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

/// Black's codes of a row that White's do not foretell.
fn push_unforeseen<'r>(
    layout: &Layout,
    block: &Block,
    (king, row): (usize, usize),
    codes: &[Code; 64],
    white: impl Fn(usize) -> &'r [Code; 64],
    out: &mut Vec<Code>,
) {
    let partners = layout.kings.partners(king);
    let Some(foretelling) = layout.foretelling(block.slice, king, row) else {
        out.extend(std::iter::repeat_n(ILLEGAL, partners.count()));
        return;
    };
    let mut codes = *codes;
    for (code, foretold) in codes.iter_mut().zip(foretelling.foretold(white)) {
        let told = *code == foretold && !(layout.wide && is_long(*code));
        *code = if told { ILLEGAL } else { *code };
    }
    squares::push(&codes, partners, out);
}

thread_local! {
    /// Making a context takes longer than a block.
    static WRITER: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static READER: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

fn writer() -> io::Result<Compressor<'static>> {
    let mut writer = Compressor::new(LEVEL)?;
    // The length is known, and the directory has a checksum.
    writer.set_parameter(CParameter::ContentSizeFlag(false))?;
    writer.set_parameter(CParameter::ChecksumFlag(false))?;
    Ok(writer)
}

/// One frame of zstd, or the bytes as they are where that is no longer (or cannot be had).
pub(super) fn compress(layout: &Layout, raw: &[u8]) -> Vec<u8> {
    let packed = WRITER.with_borrow_mut(|kept| {
        let mut context = kept.take().map_or_else(writer, Ok)?;
        let packed = context.compress(raw);
        *kept = Some(context);
        packed
    });
    packed
        .ok()
        .filter(|packed| layout.wide || packed.len() < raw.len())
        .unwrap_or_else(|| raw.to_vec())
}

/// The bytes of a block, as from [`gather`], from its compressed ones, which must have this
/// checksum.
pub(in crate::tables) fn decompress(
    layout: &Layout,
    number: usize,
    packed: &[u8],
    sum: u64,
) -> Result<Vec<Code>, Damage> {
    if xxh3_64(packed) != sum {
        return Err(Damage::Block(number));
    }
    let length = 2 * layout.block_len(&layout.block(number));
    if packed.len() == length && !layout.wide {
        return Ok(packed.to_vec());
    }
    // The long codes at most have a byte more.
    let most = if layout.wide { 2 * length } else { length };
    let raw = READER.with_borrow_mut(|kept| {
        let mut context = kept.take().map_or_else(Decompressor::new, Ok)?;
        let raw = context.decompress(packed, most);
        *kept = Some(context);
        raw
    });
    let is_whole = |raw: &Vec<u8>| match raw.get(..length) {
        Some(codes) if layout.wide => {
            raw.len() - length == codes.iter().filter(|&&code| is_long(code)).count()
        }
        Some(_) => raw.len() == length,
        None => false,
    };
    raw.ok().filter(is_whole).ok_or(Damage::Block(number))
}
