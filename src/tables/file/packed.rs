//! A table in compressed form: its header, directory and blocks, each checked as it is read. What a
//! position is worth is read in [`super::lookup`].

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::block::{Codes, Sealed, decompress};
use super::damage::Damage;
use super::format::{ENTRY, HEADER, Kind, PackedSlice, VERSION};
use super::held::Held;
use super::image::Image;
use crate::chess::Side;
use crate::tables::index::layout::Layout;
use crate::tables::index::material::Material;
use crate::tables::index::raw::{RawSlice, RawTable};

/// Bytes read of a mapped file after which its pages are given back: they count as the process's
/// while they are mapped.
const READ_AT_ONCE: usize = 8 << 20;

/// A compressed table or a part of one, ready for probing.
#[derive(Debug)]
pub(in crate::tables) struct Packed {
    pub(in crate::tables) layout: Arc<Layout>,
    kind: Kind,
    image: Image,
    /// The blocks that the directory lists: all of the table, or those of a group of slices.
    blocks: Range<usize>,
    pub(super) held: Held,
    /// Bytes read since the file's pages were given back.
    read: AtomicUsize,
}

/// The blocks that a file of this layout lists, by its header; `None` if they cannot be.
fn blocks_in(image: &[u8], kind: Kind, layout: &Layout) -> Option<Range<usize>> {
    let count = usize::try_from(number(image, 32)).ok()?;
    if kind != Kind::Group {
        return (count == layout.blocks()).then_some(0..count);
    }
    let first = number(image, 24) as u32 as usize * layout.blocks_per_slice();
    let end = first.checked_add(count).filter(|&end| end <= layout.blocks())?;
    count.is_multiple_of(layout.blocks_per_slice()).then_some(first..end)
}

fn number(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(*bytes[at..].first_chunk().expect("the length was checked"))
}

impl Packed {
    /// Reads the header and the directory of a table's bytes and checks them against their
    /// checksums, not the blocks: those are checked as they are read.
    pub(in crate::tables) fn new(
        material: Material,
        kind: Kind,
        image: Image,
    ) -> Result<Self, Damage> {
        if image.len() < HEADER {
            return Err(Damage::Length);
        }
        if image[..8] != kind.magic() {
            return Err(Damage::Magic);
        }
        if image[8..12] != VERSION.to_le_bytes() {
            return Err(Damage::Version);
        }
        if number(&image, 56) != xxh3_64(&image[..56]) {
            return Err(Damage::Directory);
        }
        let name = material.to_string();
        if image[16..16 + name.len()] != *name.as_bytes() || image[16 + name.len()] != 0 {
            return Err(Damage::Signature);
        }
        let longest = u16::from_le_bytes([image[12], image[13]]);
        let layout = Arc::new(Layout::of_longest(material, longest));
        let blocks = blocks_in(&image, kind, &layout).ok_or(Damage::Length)?;
        let data = HEADER + blocks.len() * ENTRY;
        let expected = (data as u64).checked_add(number(&image, 40));
        if expected != Some(image.len() as u64) {
            return Err(Damage::Length);
        }
        if number(&image, 48) != xxh3_64(&image[HEADER..data]) {
            return Err(Damage::Directory);
        }
        let held = Held::new(blocks.len());
        Ok(Self { layout, kind, image, blocks, held, read: AtomicUsize::new(0) })
    }

    /// Has up to so many bytes of decompressed blocks kept: for readers that jump about in the
    /// table, such as strategies, which would decompress a block for every position.
    pub(in crate::tables) fn widen(&self, bytes: u64) {
        self.held.widen(bytes, self.blocks.len());
    }

    /// The longest distance in the table, in plies.
    pub(in crate::tables) fn longest(&self) -> u16 {
        u16::from_le_bytes([self.image[12], self.image[13]])
    }

    /// Gives back the memory of what has been read: decompressed blocks and the file's pages.
    pub(in crate::tables) fn release(&self) {
        self.held.release();
        self.unmap();
    }

    /// Gives back the file's pages.
    fn unmap(&self) {
        self.read.store(0, Ordering::Relaxed);
        if let Image::File(mapped) = &self.image {
            mapped.release();
        }
    }

    /// Where a block lies in the data, and its checksum.
    fn entry(&self, block: usize) -> (Range<usize>, u64) {
        if !self.blocks.contains(&block) {
            return (0..0, 0);
        }
        let block = block - self.blocks.start;
        let end = |at: usize| number(&self.image, HEADER + at * ENTRY) as usize;
        let start = if block == 0 { 0 } else { end(block - 1) };
        (start..end(block), number(&self.image, HEADER + block * ENTRY + 8))
    }

    /// The compressed bytes of blocks.
    fn data(&self, range: Range<usize>) -> Option<&[u8]> {
        self.image[HEADER + self.blocks.len() * ENTRY..].get(range)
    }

    fn blocks_of(&self, slice: usize) -> Range<usize> {
        let per_slice = self.layout.blocks_per_slice();
        slice * per_slice..(slice + 1) * per_slice
    }

    /// Does the file hold this slice? Every one, unless it is a part.
    pub(in crate::tables) fn has(&self, slice: usize) -> bool {
        let blocks = self.blocks_of(slice);
        self.entry(blocks.start).0.start < self.entry(blocks.end - 1).0.end
    }

    /// How many slices the file holds.
    pub(in crate::tables) fn slices(&self) -> usize {
        (0..self.layout.slices()).filter(|&slice| self.has(slice)).count()
    }

    /// Checks every block.
    pub(in crate::tables) fn verify(&self) -> Result<(), Damage> {
        let held = (0..self.layout.slices()).into_par_iter().filter(|&slice| self.has(slice));
        held.flat_map(|slice| self.blocks_of(slice)).try_for_each(|block| {
            if self.kind != Kind::OneSided {
                return self.read(block).map(drop);
            }
            let sealed = self.sealed(block)?;
            [0, 1].into_iter().try_for_each(|half| sealed.part((Side::White, half)).map(drop))
        })
    }

    /// Checks every block against its checksum without decompressing it: about 10 GB a second.
    pub(in crate::tables) fn check(&self) -> Result<(), Damage> {
        (0..self.layout.slices())
            .filter(|&slice| self.has(slice))
            .flat_map(|slice| self.blocks_of(slice))
            .try_for_each(|block| {
                let (range, sum) = self.entry(block);
                let sound = self.data(range).is_some_and(|data| xxh3_64(data) == sum);
                if sound { Ok(()) } else { Err(Damage::Block(block)) }
            })
    }

    /// Decompresses a block.
    pub(super) fn read(&self, block: usize) -> Result<Codes, Damage> {
        let (packed, sum) = self.compressed(block)?;
        decompress(&self.layout, block, packed, sum)
    }

    /// The compressed bytes of a block, taken apart.
    pub(super) fn sealed(&self, block: usize) -> Result<Sealed<'_>, Damage> {
        let (packed, sum) = self.compressed(block)?;
        Sealed::open(&self.layout, block, packed, sum)
    }

    /// Some blocks as they are, checked but not decompressed, or of a table that is not wide White's
    /// parts of them alone.
    pub(in crate::tables) fn copied(
        &self,
        blocks: Range<usize>,
        one_sided: bool,
    ) -> Result<PackedSlice, Damage> {
        let mut copied = PackedSlice { data: Vec::new(), blocks: Vec::with_capacity(blocks.len()) };
        for block in blocks {
            let sealed = self.sealed(block)?;
            if one_sided {
                copied.data.extend_from_slice(&sealed.of_white());
            } else {
                copied.data.extend_from_slice(self.compressed(block)?.0);
            }
            let start = copied.blocks.last().map_or(0, |&(end, _)| end as usize);
            let sum = xxh3_64(&copied.data[start..]);
            copied.blocks.push((copied.data.len() as u64, sum));
        }
        Ok(copied)
    }

    /// Bytes of the file.
    pub(in crate::tables) fn bytes(&self) -> u64 {
        self.image.len() as u64
    }

    /// The compressed bytes of a block, and the checksum that they should have.
    pub(super) fn compressed(&self, block: usize) -> Result<(&[u8], u64), Damage> {
        let (range, sum) = self.entry(block);
        if self.read.fetch_add(range.len(), Ordering::Relaxed) > READ_AT_ONCE {
            self.unmap();
        }
        Ok((self.data(range).ok_or(Damage::Block(block))?, sum))
    }

    /// The compressed bytes of a slice that the file holds, their checksums not checked.
    pub(in crate::tables) fn packed_slice(&self, slice: usize) -> Result<PackedSlice, Damage> {
        let blocks = self.blocks_of(slice);
        let start = self.entry(blocks.start).0.start;
        let data = self
            .data(start..self.entry(blocks.end - 1).0.end)
            .ok_or(Damage::Block(blocks.start))?;
        let entry = |block| {
            let (range, sum) = self.entry(block);
            (range.end.wrapping_sub(start) as u64, sum)
        };
        Ok(PackedSlice { data: data.to_vec(), blocks: blocks.map(entry).collect() })
    }

    /// The whole table in memory, one byte a position.
    pub(in crate::tables) fn unpack(&self) -> Result<RawTable, Damage> {
        let slices = (0..self.layout.slices()).into_par_iter();
        let slices: Result<Vec<_>, Damage> = slices
            .map(|slice| self.unpack_slice(slice).map(|codes| Some(Arc::new(codes))))
            .collect();
        Ok(RawTable { layout: Arc::clone(&self.layout), slices: slices? })
    }

    /// One slice in memory.
    pub(in crate::tables) fn unpack_slice(&self, slice: usize) -> Result<RawSlice, Damage> {
        self.layout.unpack(slice, |block| self.read(block))
    }
}
