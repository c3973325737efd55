//! A solved table in compressed form, ready for probing: the reader of [`super::format`].

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use crate::chess::board::{Bitboard, Square};

use super::block::decompress;
use super::damage::Damage;
use super::format::{ENTRY, HEADER, Kind, PackedSlice, VERSION};
use super::mapped::Mapped;
use super::unpack::Rows;
use crate::chess::symmetry::Images;
use crate::chess::{Side, Turn};
use crate::tables::index::layout::{Layout, Squares};
use crate::tables::index::material::Material;
use crate::tables::index::raw::{RawSlice, RawTable};
use crate::tables::index::symmetry::above_diagonal;
use crate::tables::index::value::{Code, ILLEGAL, Relative, is_long};

/// Decompressed blocks kept per table.
const CACHED_BLOCKS: usize = 1024;
/// What they take at most, as they are and by rows: 64 rows, of at most 60 squares of Black's king,
/// both sides to move.
pub(in crate::tables) const CACHE_BYTES: u64 = CACHED_BLOCKS as u64 * BLOCK_BYTES;
const BLOCK_BYTES: u64 = 64 * (60 + 64) * 2;

/// Bytes read of a mapped file after which its pages are given back: they count as the process's
/// while they are mapped.
const READ_AT_ONCE: usize = 8 << 20;

/// Where the bytes are.
#[derive(Debug)]
pub(in crate::tables) enum Image {
    Heap(Vec<u8>),
    File(Mapped),
}

impl Image {
    /// The bytes of a file, mapped where the system can do that; `None` if there is no regular
    /// file (a link to one counts): opening a pipe would wait for ever.
    pub(in crate::tables) fn open(path: &Path) -> Option<Self> {
        if !is_regular(path) {
            return None;
        }
        Mapped::open(path).map(Self::File).or_else(|_| std::fs::read(path).map(Self::Heap)).ok()
    }
}

/// Whether there is a regular file (a link to one counts).
pub(in crate::tables) fn is_regular(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| data.is_file())
}

impl std::ops::Deref for Image {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Heap(bytes) => bytes,
            Self::File(mapped) => mapped,
        }
    }
}

/// The rows of a block of a table with other pieces, White's first, from row `first` on. Of a king on
/// the diagonal the squares above it are not told.
pub(in crate::tables) struct BlockRows {
    pub(in crate::tables) slice: usize,
    pub(in crate::tables) king: usize,
    pub(in crate::tables) first: usize,
    pub(in crate::tables) rows: Rows,
    exceeded: Option<[Vec<[u8; 64]>; 2]>,
}

impl BlockRows {
    /// By how many double plies the codes of a row, counted from the first, are exceeded.
    pub(in crate::tables) fn excess(&self, to_move: Side, row: usize) -> &[u8; 64] {
        self.exceeded.as_ref().map_or(&[0; 64], |sides| &sides[to_move as usize][row])
    }
}

type CacheSlot = Mutex<Option<Arc<Decompressed>>>;

/// A block as it was decompressed.
#[derive(Debug)]
struct Decompressed {
    number: usize,
    bytes: Vec<Code>,
    /// Of a wide table: what follows the codes.
    excess: Vec<u8>,
    /// How often a row was asked for.
    asked: AtomicUsize,
    /// All its rows, once some were asked for: then their neighbours will be.
    rows: OnceLock<Rows>,
}

/// Rows of a block that are worked out one by one before all are: what takes a man away from the
/// last place of an index asks for one row of each block.
const ROW_BY_ROW: usize = 2;

/// A compressed table or a part of one, ready for probing.
#[derive(Debug)]
pub(in crate::tables) struct Packed {
    pub(in crate::tables) layout: Arc<Layout>,
    image: Image,
    /// The blocks that the directory lists: all of the table, or those of a group of slices.
    blocks: Range<usize>,
    cache: Vec<CacheSlot>,
    /// More of them, which are used instead once a reader that jumps about has asked for them.
    wide: OnceLock<Vec<CacheSlot>>,
    /// Bytes read since the file's pages were given back.
    read: AtomicUsize,
}

fn slots(number: usize) -> Vec<CacheSlot> {
    std::iter::repeat_with(CacheSlot::default).take(number).collect()
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
        let (cache, wide) = (slots(CACHED_BLOCKS), OnceLock::new());
        Ok(Self { layout, image, blocks, cache, wide, read: AtomicUsize::new(0) })
    }

    /// Has up to so many bytes of decompressed blocks kept: for readers that jump about in the
    /// table, such as strategies, which would decompress a block for every position.
    pub(in crate::tables) fn widen(&self, bytes: u64) {
        let number = (bytes / BLOCK_BYTES).min(self.blocks.len() as u64) as usize;
        if number > CACHED_BLOCKS {
            self.wide.get_or_init(|| slots(number));
        }
    }

    fn slot(&self, block: usize) -> &CacheSlot {
        let slots = self.wide.get().unwrap_or(&self.cache);
        &slots[block % slots.len()]
    }

    /// The longest distance in the table, in plies.
    pub(in crate::tables) fn longest(&self) -> u16 {
        u16::from_le_bytes([self.image[12], self.image[13]])
    }

    /// Gives back the memory of what has been read: decompressed blocks and the file's pages.
    pub(in crate::tables) fn release(&self) {
        for slot in self.cache.iter().chain(self.wide.get().into_iter().flatten()) {
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
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
        held.flat_map(|slice| self.blocks_of(slice))
            .try_for_each(|block| self.read(block).map(drop))
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

    /// Decompresses the codes of a block.
    fn read(&self, block: usize) -> Result<Vec<Code>, Damage> {
        let mut bytes = self.read_whole(block)?;
        bytes.truncate(2 * self.layout.block_len(&self.layout.block(block)));
        Ok(bytes)
    }

    /// Decompresses a block, what a wide table keeps beside the codes included.
    fn read_whole(&self, block: usize) -> Result<Vec<u8>, Damage> {
        let (range, sum) = self.entry(block);
        if self.read.fetch_add(range.len(), Ordering::Relaxed) > READ_AT_ONCE {
            self.unmap();
        }
        decompress(&self.layout, block, self.data(range).ok_or(Damage::Block(block))?, sum)
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

    /// A block through the cache.
    fn cached(&self, block: usize) -> Result<Arc<Decompressed>, Damage> {
        let mut slot = self.slot(block).lock().unwrap_or_else(PoisonError::into_inner);
        match &*slot {
            Some(held) if held.number == block => Ok(Arc::clone(held)),
            _ => {
                let mut bytes = self.read_whole(block)?;
                let excess = bytes.split_off(2 * self.layout.block_len(&self.layout.block(block)));
                let (asked, rows) = (AtomicUsize::new(0), OnceLock::new());
                let found = Decompressed { number: block, bytes, excess, asked, rows };
                Ok(Arc::clone(slot.insert(Arc::new(found))))
            }
        }
    }

    /// The value of a legal position.
    pub(in crate::tables) fn value(
        &self,
        to_move: Side,
        king: Square,
        other: Square,
        squares: &Squares,
    ) -> Result<Option<Relative>, Damage> {
        let (code, excess) = self.long_code(to_move, king, other, squares)?;
        let value = self.layout.scale(to_move).decode(code);
        Ok(value.map(|value| value.longer(excess)))
    }

    /// The code of a legal position.
    #[cfg(test)]
    fn code(
        &self,
        to_move: Side,
        king: Square,
        other: Square,
        squares: &Squares,
    ) -> Result<Code, Damage> {
        Ok(self.long_code(to_move, king, other, squares)?.0)
    }

    /// The code of a legal position, and by how many double plies it is exceeded.
    fn long_code(
        &self,
        to_move: Side,
        king: Square,
        other: Square,
        squares: &Squares,
    ) -> Result<(Code, u8), Damage> {
        let mut place = self.layout.place(king, squares);
        let mut other = place.symmetry.of(other);
        if !self.layout.kings.partners(place.king).contains(other) {
            // The leading king is on the diagonal and the other above it: reflect.
            other = Turn::TRANSPOSE.of(other);
            place.row = self.layout.transposed(place.row);
        }
        let partners = self.layout.kings.partners(place.king);
        let block = self.cached(self.layout.block_of(place.slice, place.king, place.row))?;
        let at = |row: usize, other: Square| {
            let below = Bitboard((1u64 << other as u32) - 1);
            self.layout.offset(place.king, row) + (partners & below).count()
        };
        let bytes = &block.bytes;
        let here = at(place.row, other);
        let here = to_move.pick(here, bytes.len() / 2 + here);
        if self.layout.wide && is_long(bytes[here]) {
            let before = bytes[..here].iter().filter(|&&code| is_long(code)).count();
            return Ok((bytes[here], block.excess[before]));
        }
        let code = match bytes[here] {
            ILLEGAL if to_move == Side::Black => self
                .layout
                .foretelling(place.slice, place.king, place.row)
                .map_or(ILLEGAL, |row| row.foretold_on(other, |row, other| bytes[at(row, other)])),
            told => told,
        };
        Ok((code, 0))
    }

    /// The codes of a row of positions, by the square of Black's king; illegal ones are marked.
    pub(in crate::tables) fn row(
        &self,
        to_move: Side,
        king: Square,
        squares: &Squares,
    ) -> Result<[Code; 64], Damage> {
        let mut place = self.layout.place(king, squares);
        let read = |(slice, king, row): (usize, usize, usize)| -> Result<[Code; 64], Damage> {
            let block = self.cached(self.layout.block_of(slice, king, row))?;
            if block.rows.get().is_none()
                && self.layout.pieces > 0
                && block.asked.fetch_add(1, Ordering::Relaxed) < ROW_BY_ROW
            {
                return Ok(self.layout.row_of(&block.bytes, (slice, king, row), to_move));
            }
            let rows = block.rows.get_or_init(|| self.layout.rows_of(block.number, &block.bytes));
            let at = if self.layout.pieces == 0 { king } else { self.layout.row_in_block(row) };
            Ok(rows[to_move as usize][at])
        };
        let mut codes = read(place.row_number())?;
        if self.layout.is_halved(self.layout.kings.square(place.king)) {
            place.row = self.layout.transposed(place.row);
            let image = Turn::TRANSPOSE.read(&read(place.row_number())?);
            for above in above_diagonal() {
                codes[above as usize] = image[above as usize];
            }
        }
        Ok(place.symmetry.read(&codes))
    }

    /// All rows of a block, and by how many double plies their codes are exceeded, where some are.
    /// About 0.5 µs a row.
    pub(in crate::tables) fn block_rows(&self, number: usize) -> Result<BlockRows, Damage> {
        let mut bytes = self.read_whole(number)?;
        let block = self.layout.block(number);
        let excess = bytes.split_off(2 * self.layout.block_len(&block));
        let rows = self.layout.rows_of(number, &bytes);
        let mut exceeded = None;
        if !excess.is_empty() {
            let rows = exceeded.insert(rows.each_ref().map(|side| vec![[0; 64]; side.len()]));
            let partners: Vec<Square> =
                block.kings.clone().flat_map(|king| self.layout.kings.partners(king)).collect();
            let long = bytes.iter().enumerate().filter(|(_, code)| is_long(**code));
            for ((at, _), excess) in long.zip(excess) {
                let (side, within) = (at / (bytes.len() / 2), at % (bytes.len() / 2));
                let (row, square) = (within / partners.len(), within % partners.len());
                rows[side][row][partners[square] as usize] = excess;
            }
        }
        let (slice, king, first) = (block.slice, block.kings.start, block.rows.start);
        Ok(BlockRows { slice, king, first, rows, exceeded })
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

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::super::draft::Draft;
    use super::super::shelf::in_memory;
    use super::super::source::{Ahead, Next, Source};
    use super::*;
    use crate::limits::Budget;
    use crate::tables::Metric;
    use crate::tables::index::symmetry::KingSquares;
    use crate::tables::solve::build::solve;
    use pretty_assertions::assert_eq;

    /// A signature's table in memory and packed.
    fn solved(name: &str) -> (Arc<RawTable>, Vec<u8>) {
        let material: Material = name.parse().unwrap();
        let mut tables = HashMap::new();
        let mut last = None;
        for next in material.closure() {
            let layout = Arc::new(Layout::new(next));
            let mut draft = Draft::new(&layout, Kind::Whole, Ok(None));
            let raw = solve(&layout, Metric::Mate, &tables, None, &mut draft, &Budget::default())
                .unwrap()
                .raw;
            let raw = Arc::new(raw.unwrap());
            tables.insert(next, Source::Raw(Arc::clone(&raw)));
            last = Some((raw, draft.finish().unwrap().into_bytes().unwrap()));
        }
        last.unwrap()
    }

    fn packed(name: &str, image: Vec<u8>) -> Result<Packed, Damage> {
        Packed::new(name.parse().unwrap(), Kind::Whole, Image::Heap(image))
    }

    #[test]
    fn packing_loses_nothing() {
        for name in ["KvK", "KQvK", "KPvK", "KRvKN", "KNNvK"] {
            let (raw, image) = solved(name);
            let table = packed(name, image).unwrap();
            table.verify().unwrap();
            let unpacked = table.unpack().unwrap();
            let layout = &raw.layout;
            for slice in 0..layout.slices() {
                for (king, row) in
                    (0..layout.kings.count()).flat_map(|k| (0..layout.rows()).map(move |r| (k, r)))
                {
                    if !layout.in_order(row) {
                        continue;
                    }
                    for to_move in Side::ALL {
                        assert_eq!(
                            unpacked.stored(to_move, slice, king, row),
                            raw.stored(to_move, slice, king, row)
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn rows_and_single_positions_agree_with_the_table_in_memory() {
        for name in ["KRvKN", "KRvKB", "KNNvK", "KPvK"] {
            let (raw, image) = solved(name);
            let table = packed(name, image).unwrap();
            let layout = &raw.layout;
            // Any square for White's king, so that rows are turned into place.
            for king in Square::ALL {
                for row in (0..layout.rows()).step_by(61) {
                    let mut squares = layout.squares(king as usize % layout.slices(), row);
                    if layout.kings == KingSquares::Board && row % 2 == 0 {
                        squares = squares.map(Square::flip_horizontal);
                    }
                    if layout.occupied(king, &squares).is_none() {
                        continue;
                    }
                    for to_move in Side::ALL {
                        let expected = raw.row(to_move, king, &squares);
                        assert_eq!(
                            table.row(to_move, king, &squares).unwrap(),
                            expected,
                            "{name} {king} {squares:?}"
                        );
                        for other in
                            Square::ALL.into_iter().filter(|&s| expected[s as usize] != ILLEGAL)
                        {
                            let code = table.code(to_move, king, other, &squares).unwrap();
                            assert_eq!(
                                code, expected[other as usize],
                                "{name} {king} {other} {squares:?}"
                            );
                        }
                    }
                }
            }
        }
    }

    /// Slices stored as a group, and read block by block, are those in memory.
    #[test]
    fn a_group_of_slices_is_read_as_the_table_is() {
        let (raw, _) = solved("KRvKP");
        let layout = &*raw.layout;
        let group = 3..6;
        let slice = |slice: usize| raw.slices[slice].clone().unwrap();
        let packed: Vec<_> =
            group.clone().map(|n| (PackedSlice::new(layout, n, &slice(n)), 30)).collect();
        let file = in_memory(layout, &group, &packed).unwrap();
        file.verify().unwrap();
        assert_eq!((file.slices(), file.has(2), file.has(3), file.has(6)), (3, false, true, false));
        assert!(file.unpack_slice(2).is_err() && file.unpack_slice(6).is_err());
        let raw = group.clone().map(|n| (n, Next::Raw(slice(n)))).collect();
        let stored = group.map(|n| (n, Next::Packed(&file))).collect();
        let [raw, stored] = [raw, stored].map(|slices| Ahead { layout, slices });
        let places = (3..6).flat_map(|slice| (0..layout.rows()).map(move |row| (slice, row)));
        for ((slice, row), mirrored) in places.flat_map(|place| [(place, false), (place, true)]) {
            let mut squares = layout.squares(slice, row);
            if mirrored {
                squares = squares.map(Square::flip_horizontal);
            }
            for (king, side) in Square::ALL.into_iter().flat_map(|k| Side::ALL.map(|s| (k, s))) {
                if layout.occupied(king, &squares).is_some() {
                    let rows = [&raw, &stored].map(|ahead| ahead.row(side, king, &squares));
                    let [raw, stored] = rows.map(Result::unwrap);
                    assert_eq!(raw, stored, "{king} {squares:?}");
                }
            }
        }
    }

    #[test]
    fn every_flipped_bit_and_every_cut_is_found() {
        let (_, image) = solved("KRvK");
        let whole = packed("KRvK", image.clone()).unwrap();
        whole.verify().unwrap();
        let accepted = |image: Vec<u8>| packed("KRvK", image).and_then(|table| table.verify());
        for at in (0..HEADER + 40 * ENTRY).chain((HEADER..image.len()).step_by(7)) {
            let mut flipped = image.clone();
            flipped[at] ^= 1 << (at % 8);
            assert!(accepted(flipped).is_err(), "byte {at}");
        }
        for length in (0..image.len()).step_by(101).chain([0, HEADER - 1, HEADER, image.len() - 1])
        {
            assert!(accepted(image[..length].to_vec()).is_err(), "cut to {length}");
        }
        let mut longer = image.clone();
        longer.push(0);
        assert_eq!(accepted(longer), Err(Damage::Length));
        assert_eq!(packed("KQvK", image).map(drop), Err(Damage::Signature));
    }
}
