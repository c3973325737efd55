//! The bytes of a table file, on disk or in memory, and how they are put together.
//!
//! The perfect index: slice, king number, row (like pieces in order: C(64, k) rows for k of them),
//! and within a row the squares of Black's king that [`KingSquares::partners`] lists, so that
//! without pawns a table has exactly 462 king pairs. 64 rows (without other pieces, a slice), both
//! sides to move, make a block: [`super::block`].
//!
//! ```text
//! header     64 bytes: magic, version, longest distance (from 253 on, Black's bytes are on the loser's scale, of six men the table is wide), signature, block count, data length, checksums
//! directory  16 bytes a block: end of its data, its checksum (XXH3 of the compressed bytes)
//! data       the blocks, each of several compressed parts
//! ```
//! All numbers are little-endian. Every byte of the file is covered by a checksum.
//!
//! A *part* has another magic and the same form: of slices that are not solved all blocks are
//! empty, and their checksums are 0, so that reading one is reported as damage. A *group* has a
//! third magic, the number of its first slice in the bytes 24 to 27 of the header, and blocks of its own
//! slices alone. A table of *one side to move* has a fourth magic, and of each block White's parts
//! alone: those of Black are empty. No table is both wide and of one side.
//!
//! [`KingSquares::partners`]: crate::tables::index::symmetry::KingSquares::partners

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::block::{Codes, compress, decompress};
use super::damage::Damage;
use crate::chess::Side;
use crate::tables::index::layout::Layout;
use crate::tables::index::raw::RawSlice;
use crate::tables::index::value::Code;

/// The version of the files' form: raised whenever the meaning of the bytes changes.
pub const VERSION: u32 = 3;
pub(in crate::tables) const HEADER: usize = 64;
pub(in crate::tables) const ENTRY: usize = 16;

/// What a file holds of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::tables) enum Kind {
    Whole,
    /// Some slices.
    Part,
    /// Some slices that follow each other, of a table that is not whole yet.
    Group,
    /// All positions with White to move, the first-named side: none with Black to move.
    OneSided,
}

impl Kind {
    /// Those of which a signature has one file at most.
    pub(in crate::tables) const SINGLE: [Self; 3] = [Self::Whole, Self::Part, Self::OneSided];

    /// The first bytes of the file.
    pub(in crate::tables) fn magic(self) -> [u8; 8] {
        match self {
            Self::Whole => *b"theta-tb",
            Self::Part => *b"theta-pt",
            Self::Group => *b"theta-gr",
            Self::OneSided => *b"theta-os",
        }
    }

    /// How the file's name ends.
    pub(in crate::tables) fn extension(self) -> &'static str {
        match self {
            Self::Whole => "theta",
            Self::Part => "part",
            Self::Group => "slices",
            Self::OneSided => "one-sided",
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
                .map(|number| {
                    let stored = |side, king, row| raw.stored(side, king, row);
                    let excess = |_, _, _| &[0; 64];
                    compress(layout, number, stored, excess)
                })
                .collect();
            for bytes in packed {
                data.extend_from_slice(&bytes);
                blocks.push((data.len() as u64, xxh3_64(&bytes)));
            }
        }
        data.shrink_to_fit();
        Self { data, blocks }
    }

    /// Some blocks of the only slice of a pawnless table, compressed by this thread. `stored` and
    /// `excess` give rows of theirs: see [`compress`].
    pub(in crate::tables) fn of_blocks<'r>(
        layout: &Layout,
        numbers: std::ops::Range<usize>,
        stored: impl Fn(Side, usize, usize) -> &'r [Code; 64],
        excess: impl Fn(Side, usize, usize) -> &'r [u8; 64],
    ) -> Self {
        let (mut data, mut blocks) = (Vec::new(), Vec::with_capacity(numbers.len()));
        for number in numbers {
            let bytes = compress(layout, number, &stored, &excess);
            data.extend_from_slice(&bytes);
            blocks.push((data.len() as u64, xxh3_64(&bytes)));
        }
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
    ) -> Result<Codes, Damage> {
        let start = if block == 0 { 0 } else { self.blocks[block - 1].0 };
        let (end, sum) = self.blocks[block];
        let number = slice * layout.blocks_per_slice() + block;
        decompress(layout, number, &self.data[start as usize..end as usize], sum)
    }
}
