//! The bytes of a table file, on disk or in memory, and how they are put together.
//!
//! The perfect index: slice, side to move, king number, row (like pieces in order: C(64, k) rows
//! for k of them), and within a row one byte for each square of Black's king that
//! [`KingSquares::partners`] lists, so that without pawns a table has exactly 462 king pairs. 64
//! rows make a block (without other pieces, a slice does), compressed with LZ4; bytes of illegal
//! positions repeat their neighbour, and legality is worked out anew where it matters.
//!
//! ```text
//! header     64 bytes: magic, version, longest distance (from 253 on, Black's bytes are on the loser's scale), signature, block count, data length, checksums
//! directory  16 bytes a block: end of its data, its checksum (XXH3 of the compressed bytes)
//! data       the blocks
//! ```
//! All numbers are little-endian. Every byte of the file is covered by a checksum.
//!
//! A *part* has another magic and the same form: of slices that are not solved all blocks are
//! empty, and their checksums are 0, so that reading one is reported as damage.
//!
//! [`KingSquares::partners`]: crate::tables::index::symmetry::KingSquares::partners

use crate::chess::Side;
use std::ops::Range;

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::damage::Damage;
use crate::tables::index::layout::Layout;
use crate::tables::index::raw::RawSlice;
use crate::tables::index::value::{Code, ILLEGAL, Scale};

/// Raised whenever the meaning of the bytes changes.
pub(in crate::tables) const VERSION: u32 = 1;
pub(in crate::tables) const HEADER: usize = 64;
pub(in crate::tables) const ENTRY: usize = 16;

/// What a file holds of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::tables) enum Kind {
    Whole,
    /// Some slices.
    Part,
}

impl Kind {
    pub(in crate::tables) const ALL: [Self; 2] = [Self::Whole, Self::Part];

    /// The first bytes of the file.
    pub(in crate::tables) fn magic(self) -> [u8; 8] {
        match self {
            Self::Whole => *b"theta-tb",
            Self::Part => *b"theta-pt",
        }
    }

    /// How the file's name ends.
    pub(in crate::tables) fn extension(self) -> &'static str {
        match self {
            Self::Whole => "theta",
            Self::Part => "part",
        }
    }
}

/// The blocks of one slice, compressed.
#[derive(Debug, Clone)]
pub(in crate::tables) struct PackedSlice {
    pub(in crate::tables) data: Vec<u8>,
    /// Where each block ends in the data, and its checksum.
    pub(in crate::tables) blocks: Vec<(u64, u64)>,
}

/// The positions of a block.
#[derive(Debug, Clone)]
pub(in crate::tables) struct Block {
    to_move: Side,
    kings: Range<usize>,
    rows: Range<usize>,
}

impl Layout {
    /// Blocks of one slice, both sides to move.
    pub(in crate::tables) fn blocks_per_slice(&self) -> usize {
        2 * self.blocks_per_side()
    }

    fn blocks_per_side(&self) -> usize {
        if self.pieces == 0 { 1 } else { self.kings.count() * self.rows() / 64 }
    }

    pub(in crate::tables) fn blocks(&self) -> usize {
        self.slices() * self.blocks_per_slice()
    }

    pub(in crate::tables) fn block_of(
        &self,
        to_move: Side,
        slice: usize,
        king: usize,
        row: usize,
    ) -> usize {
        let within = if self.pieces == 0 { 0 } else { king * (self.rows() / 64) + row / 64 };
        (slice * 2 + to_move as usize) * self.blocks_per_side() + within
    }

    pub(in crate::tables) fn block(&self, number: usize) -> Block {
        let (part, within) = (number / self.blocks_per_side(), number % self.blocks_per_side());
        let to_move = if part.is_multiple_of(2) { Side::White } else { Side::Black };
        let (kings, rows) = if self.pieces == 0 {
            (0..self.kings.count(), 0..1)
        } else {
            let per_king = self.rows() / 64;
            let (king, first) = (within / per_king, within % per_king * 64);
            (king..king + 1, self.first_in_order(first)..first + 64)
        };
        Block { to_move, kings, rows }
    }

    /// The raw bytes of a block.
    pub(in crate::tables) fn block_len(&self, block: &Block) -> usize {
        block.kings.clone().map(|king| self.kings.partners(king).count() * block.rows.len()).sum()
    }
}

/// Blocks compressed together before they are put beside the others.
const AT_ONCE: usize = 4096;

impl PackedSlice {
    pub(in crate::tables) fn new(layout: &Layout, slice: usize, raw: &RawSlice) -> Self {
        let per_slice = layout.blocks_per_slice();
        let (mut data, mut blocks) = (Vec::new(), Vec::with_capacity(per_slice));
        let end = (slice + 1) * per_slice;
        for start in (slice * per_slice..end).step_by(AT_ONCE) {
            let packed: Vec<Vec<u8>> = (start..end.min(start + AT_ONCE))
                .into_par_iter()
                .with_min_len(16)
                .map(|number| compress(&gather(layout, &layout.block(number), raw)))
                .collect();
            for bytes in packed {
                data.extend_from_slice(&bytes);
                blocks.push((data.len() as u64, xxh3_64(&bytes)));
            }
        }
        data.shrink_to_fit();
        Self { data, blocks }
    }

    /// A slice that is not solved.
    pub(in crate::tables) fn absent(layout: &Layout) -> Self {
        Self { data: Vec::new(), blocks: vec![(0, 0); layout.blocks_per_slice()] }
    }

    /// Decompresses a block, by its number in the slice.
    pub(in crate::tables) fn read(
        &self,
        layout: &Layout,
        slice: usize,
        block: usize,
    ) -> Result<Vec<Code>, Damage> {
        let start = if block == 0 { 0 } else { self.blocks[block - 1].0 };
        let (end, sum) = self.blocks[block];
        let number = slice * layout.blocks_per_slice() + block;
        decompress(layout, number, &self.data[start as usize..end as usize], sum)
    }
}

/// The positions of a block, from its compressed bytes, which must have this checksum.
pub(in crate::tables) fn decompress(
    layout: &Layout,
    number: usize,
    packed: &[u8],
    sum: u64,
) -> Result<Vec<Code>, Damage> {
    if xxh3_64(packed) != sum {
        return Err(Damage::Block(number));
    }
    let length = layout.block_len(&layout.block(number));
    if packed.len() == length {
        return Ok(packed.to_vec());
    }
    let mut raw = vec![0; length];
    match lz4_flex::block::decompress_into(packed, &mut raw) {
        Ok(written) if written == length => Ok(raw),
        _ => Err(Damage::Block(number)),
    }
}

/// The stored bytes of a block, illegal positions taking the byte before them.
fn gather(layout: &Layout, block: &Block, raw: &RawSlice) -> Vec<Code> {
    let mut bytes = Vec::with_capacity(layout.block_len(block));
    let mut last = Scale::USUAL.draw;
    for king in block.kings.clone() {
        let partners = layout.kings.partners(king);
        let part = &raw.sides[block.to_move as usize][king];
        for row in block.rows.clone() {
            let codes = &part[row * 64..][..64];
            for square in partners {
                let code = codes[square as usize];
                if code != ILLEGAL {
                    last = code;
                }
                bytes.push(last);
            }
        }
    }
    bytes
}

/// LZ4, or the bytes as they are where that is no longer.
fn compress(raw: &[u8]) -> Vec<u8> {
    let packed = lz4_flex::block::compress(raw);
    if packed.len() < raw.len() { packed } else { raw.to_vec() }
}
