//! The bytes of a table file, on disk or in memory, and how they are put together.
//!
//! The perfect index: slice, side to move, king number, row (like pieces in order: C(64, k) rows for k of
//! them), and within a row one byte for each square of Black's king that [`KingSquares::partners`] lists, so
//! that without pawns a table has exactly 462 king pairs. 64 rows make a block (without other pieces, a
//! slice does), compressed with LZ4; bytes of illegal positions repeat their neighbour, and legality is
//! worked out anew where it matters.
//!
//! ```text
//! header     64 bytes: magic, version, longest distance, signature, block count, data length, checksums
//! directory  16 bytes a block: end of its data, its checksum (XXH3 of the compressed bytes)
//! data       the blocks
//! ```
//! All numbers are little-endian. Every byte of the file is covered by a checksum.
//!
//! [`KingSquares::partners`]: super::symmetry::KingSquares::partners

use std::io::{self, Write};
use std::ops::Range;

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use crate::chess::board::Color;

use super::layout::Layout;
use super::raw::{RawSlice, side};
use super::value::{Code, DRAW, ILLEGAL};

pub(super) const MAGIC: [u8; 8] = *b"theta-tb";
/// Raised whenever the meaning of the bytes changes.
pub(super) const VERSION: u32 = 1;
pub(super) const HEADER: usize = 64;
pub(super) const ENTRY: usize = 16;

/// The blocks of one slice, compressed.
pub(super) struct PackedSlice {
    data: Vec<u8>,
    /// Length and checksum of each block.
    blocks: Vec<(u64, u64)>,
}

/// The positions of a block.
#[derive(Debug, Clone)]
pub(super) struct Block {
    to_move: Color,
    kings: Range<usize>,
    rows: Range<usize>,
}

impl Layout {
    fn blocks_per_side(&self) -> usize {
        if self.pieces == 0 { 1 } else { self.kings.count() * self.rows() / 64 }
    }

    pub(super) fn blocks(&self) -> usize {
        self.slices() * 2 * self.blocks_per_side()
    }

    pub(super) fn block_of(&self, to_move: Color, slice: usize, king: usize, row: usize) -> usize {
        let within = if self.pieces == 0 { 0 } else { king * (self.rows() / 64) + row / 64 };
        (slice * 2 + side(to_move)) * self.blocks_per_side() + within
    }

    pub(super) fn block(&self, number: usize) -> Block {
        let (part, within) = (number / self.blocks_per_side(), number % self.blocks_per_side());
        let to_move = if part.is_multiple_of(2) { Color::White } else { Color::Black };
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
    pub(super) fn block_len(&self, block: &Block) -> usize {
        block.kings.clone().map(|king| self.kings.partners(king).count() * block.rows.len()).sum()
    }
}

/// Blocks compressed together before they are put beside the others.
const AT_ONCE: usize = 4096;

impl PackedSlice {
    pub(super) fn new(layout: &Layout, slice: usize, raw: &RawSlice) -> Self {
        let per_slice = 2 * layout.blocks_per_side();
        let (mut data, mut blocks) = (Vec::new(), Vec::with_capacity(per_slice));
        let end = (slice + 1) * per_slice;
        for start in (slice * per_slice..end).step_by(AT_ONCE) {
            let packed: Vec<Vec<u8>> = (start..end.min(start + AT_ONCE))
                .into_par_iter()
                .with_min_len(16)
                .map(|number| compress(&gather(layout, &layout.block(number), raw)))
                .collect();
            for bytes in packed {
                blocks.push((bytes.len() as u64, xxh3_64(&bytes)));
                data.extend_from_slice(&bytes);
            }
        }
        data.shrink_to_fit();
        Self { data, blocks }
    }
}

/// The stored bytes of a block, illegal positions taking the byte before them.
fn gather(layout: &Layout, block: &Block, raw: &RawSlice) -> Vec<Code> {
    let mut bytes = Vec::with_capacity(layout.block_len(block));
    let mut last = DRAW;
    for king in block.kings.clone() {
        let partners = layout.kings.partners(king);
        let part = &raw.sides[side(block.to_move)][king];
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

/// The bytes of a table file, in parts.
pub(super) struct File {
    /// Header and directory.
    head: Vec<u8>,
    slices: Vec<PackedSlice>,
}

impl File {
    /// The file of a whole table; `longest` is its longest distance.
    pub(super) fn new(layout: &Layout, longest: u16, slices: Vec<PackedSlice>) -> Self {
        let mut head = vec![0; HEADER];
        let mut end = 0;
        for &(length, sum) in slices.iter().flat_map(|slice| &slice.blocks) {
            end += length;
            head.extend_from_slice(&end.to_le_bytes());
            head.extend_from_slice(&sum.to_le_bytes());
        }
        let directory = xxh3_64(&head[HEADER..]);
        let name = layout.material.to_string();
        head[..8].copy_from_slice(&MAGIC);
        head[8..12].copy_from_slice(&VERSION.to_le_bytes());
        head[12..14].copy_from_slice(&longest.to_le_bytes());
        head[16..16 + name.len()].copy_from_slice(name.as_bytes());
        head[32..40].copy_from_slice(&(layout.blocks() as u64).to_le_bytes());
        head[40..48].copy_from_slice(&end.to_le_bytes());
        head[48..56].copy_from_slice(&directory.to_le_bytes());
        let header = xxh3_64(&head[..56]);
        head[56..64].copy_from_slice(&header.to_le_bytes());
        Self { head, slices }
    }

    /// Writes the file.
    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&self.head)?;
        self.slices.iter().try_for_each(|slice| out.write_all(&slice.data))
    }

    /// The bytes in one piece. Each slice is freed once it is copied.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        let mut bytes = self.head;
        bytes.reserve_exact(self.slices.iter().map(|slice| slice.data.len()).sum());
        self.slices.into_iter().for_each(|slice| bytes.extend_from_slice(&slice.data));
        bytes
    }
}
