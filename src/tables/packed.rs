//! A solved table in compressed form, ready for probing: the reader of [`super::format`].

use std::sync::{Arc, Mutex};

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use crate::chess::board::{Bitboard, Color, Square};

use super::format::{ENTRY, HEADER, MAGIC, VERSION};
use super::layout::{Layout, Squares};
use super::mapped::Mapped;
use super::material::Material;
use super::raw::{RawSlice, RawTable};
use super::symmetry::{KingSquares, Symmetry, above_diagonal};
use super::value::{Code, ILLEGAL};

/// Decompressed blocks kept per table: at most 4 KiB each.
const CACHED_BLOCKS: usize = 1024;

/// What is wrong with a table file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// The file is shorter or longer than its header says, or has no whole header.
    #[error("its length is wrong")]
    Length,
    /// It does not begin like a table file.
    #[error("it is no table file")]
    Magic,
    /// It was written in another format.
    #[error("it has another format version")]
    Version,
    /// It is another signature's table.
    #[error("it holds another signature")]
    Signature,
    /// The header or the directory does not match its checksum.
    #[error("the checksum of its directory does not match")]
    Directory,
    /// A block does not match its checksum or cannot be decompressed.
    #[error("the checksum of block {0} does not match")]
    Block(usize),
    /// Another thread has just found it damaged.
    #[error("it has just been set aside")]
    SetAside,
}

/// Where the bytes are.
#[derive(Debug)]
pub(super) enum Image {
    Heap(Vec<u8>),
    File(Mapped),
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

type CacheSlot = Mutex<Option<(usize, Arc<[Code]>)>>;

/// A compressed table, ready for probing.
#[derive(Debug)]
pub(super) struct Packed {
    pub(super) layout: Arc<Layout>,
    image: Image,
    cache: Vec<CacheSlot>,
}

fn number(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(*bytes[at..].first_chunk().expect("the length was checked"))
}

impl Packed {
    /// Reads the header and the directory of a table's bytes and checks them against their checksums, not
    /// the blocks: those are checked as they are read.
    pub(super) fn new(material: Material, image: Image) -> Result<Self, Damage> {
        if image.len() < HEADER {
            return Err(Damage::Length);
        }
        if image[..8] != MAGIC {
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
        let layout = Arc::new(Layout::new(material));
        let data = HEADER + layout.blocks() * ENTRY;
        let expected = (data as u64).checked_add(number(&image, 40));
        if number(&image, 32) != layout.blocks() as u64 || expected != Some(image.len() as u64) {
            return Err(Damage::Length);
        }
        if number(&image, 48) != xxh3_64(&image[HEADER..data]) {
            return Err(Damage::Directory);
        }
        let cache = std::iter::repeat_with(CacheSlot::default).take(CACHED_BLOCKS).collect();
        Ok(Self { layout, image, cache })
    }

    /// The longest distance in the table, in plies.
    pub(super) fn longest(&self) -> u16 {
        u16::from_le_bytes([self.image[12], self.image[13]])
    }

    /// Gives back the memory of the file's pages, which count as the process's while they are mapped.
    pub(super) fn release(&self) {
        if let Image::File(mapped) = &self.image {
            mapped.release();
        }
    }

    /// Checks every block.
    pub(super) fn verify(&self) -> Result<(), Damage> {
        (0..self.layout.blocks()).into_par_iter().try_for_each(|number| self.read(number).map(drop))
    }

    /// Decompresses a block.
    fn read(&self, block: usize) -> Result<Vec<Code>, Damage> {
        let entry = |at: usize| number(&self.image, HEADER + at * ENTRY) as usize;
        let (start, end) = (if block == 0 { 0 } else { entry(block - 1) }, entry(block));
        let data = &self.image[HEADER + self.layout.blocks() * ENTRY..];
        let packed = data.get(start..end).ok_or(Damage::Block(block))?;
        if xxh3_64(packed) != number(&self.image, HEADER + block * ENTRY + 8) {
            return Err(Damage::Block(block));
        }
        let length = self.layout.block_len(&self.layout.block(block));
        if packed.len() == length {
            return Ok(packed.to_vec());
        }
        let mut raw = vec![0; length];
        match lz4_flex::block::decompress_into(packed, &mut raw) {
            Ok(written) if written == length => Ok(raw),
            _ => Err(Damage::Block(block)),
        }
    }

    /// A block through the cache.
    fn cached(&self, block: usize) -> Result<Arc<[Code]>, Damage> {
        let mut slot = self.cache[block % CACHED_BLOCKS].lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match &*slot {
            Some((held, codes)) if *held == block => Ok(Arc::clone(codes)),
            _ => {
                let codes: Arc<[Code]> = self.read(block)?.into();
                *slot = Some((block, Arc::clone(&codes)));
                Ok(codes)
            }
        }
    }

    /// Where a row begins in its block.
    fn offset(&self, king: usize, row: usize) -> usize {
        if self.layout.pieces == 0 {
            (0..king).map(|k| self.layout.kings.partners(k).count()).sum()
        } else {
            (row - self.layout.first_in_order(row & !63)) * self.layout.kings.partners(king).count()
        }
    }

    /// The code of a legal position.
    pub(super) fn code(&self, to_move: Color, king: Square, other: Square, squares: &Squares) -> Result<Code, Damage> {
        let mut place = self.layout.place(king, squares);
        let mut other = place.symmetry.square(other);
        if !self.layout.kings.partners(place.king).contains(other) {
            // The leading king is on the diagonal and the other above it: reflect.
            other = Symmetry::TRANSPOSE.square(other);
            place.row = self.layout.transposed(place.row);
        }
        let partners = self.layout.kings.partners(place.king);
        let codes = self.cached(self.layout.block_of(to_move, place.slice, place.king, place.row))?;
        let below = Bitboard((1u64 << other as u32) - 1);
        Ok(codes[self.offset(place.king, place.row) + (partners & below).count()])
    }

    /// The codes of a row of positions, by the square of Black's king; illegal ones are marked.
    pub(super) fn row(&self, to_move: Color, king: Square, squares: &Squares) -> Result<[Code; 64], Damage> {
        let place = self.layout.place(king, squares);
        let read = |row: usize| self.cached(self.layout.block_of(to_move, place.slice, place.king, row));
        let stored = self.spread(&read(place.row)?, place.king, place.row);
        let mut codes = stored;
        let square = self.layout.kings.square(place.king);
        if on_diagonal(&self.layout, square) {
            let image = self.layout.transposed(place.row);
            let image = Symmetry::TRANSPOSE.read(&self.spread(&read(image)?, place.king, image));
            for above in above_diagonal() {
                codes[above as usize] = image[above as usize];
            }
        }
        let inside = squares.map(|square| place.symmetry.square(square));
        keep_legal(&self.layout, to_move, square, &inside, &mut codes);
        Ok(place.symmetry.read(&codes))
    }

    /// The stored bytes of a row, one per square.
    fn spread(&self, block: &[Code], king: usize, row: usize) -> [Code; 64] {
        let mut codes = [ILLEGAL; 64];
        let start = self.offset(king, row);
        for (square, &code) in self.layout.kings.partners(king).into_iter().zip(&block[start..]) {
            codes[square as usize] = code;
        }
        codes
    }

    /// The whole table in memory, one byte a position.
    pub(super) fn unpack(&self) -> Result<RawTable, Damage> {
        let layout = &self.layout;
        let slices: Result<Vec<_>, Damage> =
            (0..layout.slices()).into_par_iter().map(|slice| self.unpack_slice(slice).map(Some)).collect();
        Ok(RawTable { layout: Arc::clone(layout), slices: slices? })
    }

    /// One slice in memory.
    pub(super) fn unpack_slice(&self, slice: usize) -> Result<RawSlice, Damage> {
        let layout = &self.layout;
        let side = |to_move: Color| -> Result<Vec<Vec<Code>>, Damage> {
            let mut block = (usize::MAX, Vec::new());
            let mut kings = Vec::with_capacity(layout.kings.count());
            for king in 0..layout.kings.count() {
                let mut codes = vec![ILLEGAL; layout.rows() * 64];
                for row in (0..layout.rows()).filter(|&row| layout.in_order(row)) {
                    let number = layout.block_of(to_move, slice, king, row);
                    if block.0 != number {
                        block = (number, self.read(number)?);
                    }
                    codes[row * 64..][..64].copy_from_slice(&self.spread(&block.1, king, row));
                }
                self.complete(to_move, slice, king, &mut codes);
                kings.push(codes);
            }
            Ok(kings)
        };
        let (white, black) = rayon::join(|| side(Color::White), || side(Color::Black));
        Ok(RawSlice { sides: [white?, black?] })
    }

    /// Fills in what the file leaves out: squares above the diagonal, and which positions are illegal.
    fn complete(&self, to_move: Color, slice: usize, king: usize, codes: &mut [Code]) {
        let layout = &self.layout;
        let square = layout.kings.square(king);
        let rows = || (0..layout.rows()).filter(|&row| layout.in_order(row));
        if on_diagonal(layout, square) {
            for row in rows() {
                let image = layout.transposed(row);
                for above in above_diagonal() {
                    codes[row * 64 + above as usize] = codes[image * 64 + Symmetry::TRANSPOSE.square(above) as usize];
                }
            }
        }
        for row in rows() {
            let codes: &mut [Code; 64] = codes[row * 64..].first_chunk_mut().expect("rows are 64 codes");
            keep_legal(layout, to_move, square, &layout.squares(slice, row), codes);
        }
    }
}

fn on_diagonal(layout: &Layout, king: Square) -> bool {
    layout.kings == KingSquares::Triangle && king.file() as u8 == king.rank() as u8
}

/// Marks the illegal positions of a row.
fn keep_legal(layout: &Layout, to_move: Color, king: Square, squares: &Squares, codes: &mut [Code; 64]) {
    let legal = layout
        .occupied(king, squares)
        .map_or(Bitboard::EMPTY, |occupied| layout.masks(king, squares, occupied).legal(to_move));
    for square in !legal {
        codes[square as usize] = ILLEGAL;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::super::Metric;
    use super::super::build::solve;
    use super::super::source::Source;
    use super::*;
    use crate::limits::Budget;
    use pretty_assertions::assert_eq;

    /// A signature's table in memory and packed.
    fn solved(name: &str) -> (Arc<RawTable>, Vec<u8>) {
        let material: Material = name.parse().unwrap();
        let mut tables = HashMap::new();
        let mut last = None;
        for next in material.closure() {
            let solved = solve(next, Metric::Mate, &tables, &Budget::default()).unwrap();
            let raw = Arc::new(solved.raw.unwrap());
            tables.insert(next, Source::Raw(Arc::clone(&raw)));
            last = Some((raw, solved.file.into_bytes()));
        }
        last.unwrap()
    }

    fn packed(name: &str, image: Vec<u8>) -> Result<Packed, Damage> {
        Packed::new(name.parse().unwrap(), Image::Heap(image))
    }

    #[test]
    fn packing_loses_nothing() {
        for name in ["KQvK", "KPvK", "KRvKN", "KNNvK"] {
            let (raw, image) = solved(name);
            let table = packed(name, image).unwrap();
            table.verify().unwrap();
            let unpacked = table.unpack().unwrap();
            let layout = &raw.layout;
            for slice in 0..layout.slices() {
                for (king, row) in (0..layout.kings.count()).flat_map(|k| (0..layout.rows()).map(move |r| (k, r))) {
                    if !layout.in_order(row) {
                        continue;
                    }
                    for to_move in Color::ALL {
                        assert_eq!(unpacked.stored(to_move, slice, king, row), raw.stored(to_move, slice, king, row));
                    }
                }
            }
        }
    }

    #[test]
    fn rows_and_single_positions_agree_with_the_table_in_memory() {
        for name in ["KRvKN", "KNNvK", "KPvK"] {
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
                    for to_move in Color::ALL {
                        let expected = raw.row(to_move, king, &squares);
                        assert_eq!(table.row(to_move, king, &squares).unwrap(), expected, "{name} {king} {squares:?}");
                        for other in Square::ALL.into_iter().filter(|&s| expected[s as usize] != ILLEGAL) {
                            let code = table.code(to_move, king, other, &squares).unwrap();
                            assert_eq!(code, expected[other as usize], "{name} {king} {other} {squares:?}");
                        }
                    }
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
        for length in (0..image.len()).step_by(101).chain([0, HEADER - 1, HEADER, image.len() - 1]) {
            assert!(accepted(image[..length].to_vec()).is_err(), "cut to {length}");
        }
        let mut longer = image.clone();
        longer.push(0);
        assert_eq!(accepted(longer), Err(Damage::Length));
        assert_eq!(packed("KQvK", image).map(drop), Err(Damage::Signature));
    }
}
