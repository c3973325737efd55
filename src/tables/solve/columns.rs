//! Sets of positions as columns, and the log on disk in which they are kept while a large slice is
//! being solved.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use xxhash_rust::xxh3::xxh3_64;

use crate::chess::Side;
use crate::chess::board::{Bitboard, Square};
use crate::tables::TableError;

/// Rows that stand together in the log.
pub(super) const RANGE: usize = 1 << 18;

/// Positions with one king number: rows in order, each with its squares of Black's king. 12 bytes a
/// row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Columns {
    rows: Vec<u32>,
    squares: Vec<Bitboard>,
}

impl Columns {
    pub(super) fn with_capacity(rows: usize) -> Self {
        Self { rows: Vec::with_capacity(rows), squares: Vec::with_capacity(rows) }
    }

    pub(super) fn push(&mut self, row: usize, squares: Bitboard) {
        self.rows.push(row as u32);
        self.squares.push(squares);
    }

    /// Adds a position of the last row or of a later one.
    pub(super) fn add(&mut self, row: usize, square: Square) {
        if self.rows.last() == Some(&(row as u32)) {
            self.squares.last_mut().expect("as many as rows").add(square);
        } else {
            self.push(row, Bitboard::from_square(square));
        }
    }

    pub(super) fn shrink(&mut self) {
        self.rows.shrink_to_fit();
        self.squares.shrink_to_fit();
    }

    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.squares.clear();
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, Bitboard)> + '_ {
        self.rows.iter().copied().zip(self.squares.iter().copied())
    }

    /// How many positions these are.
    pub(super) fn positions(&self) -> u64 {
        self.squares.iter().map(|squares| squares.count() as u64).sum()
    }

    /// The parts with rows of one range of the log each.
    fn by_range(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let mut start = 0;
        std::iter::from_fn(move || {
            let range = *self.rows.get(start)? as usize / RANGE;
            let end =
                start + self.rows[start..].partition_point(|&row| row as usize / RANGE == range);
            Some(std::mem::replace(&mut start, end)..end)
        })
    }

    /// How far each row is from the one before, seven bits a byte, the last byte of each below 128;
    /// then the squares. Usually 9 bytes a row.
    fn encode(&self, part: Range<usize>) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(part.len() * 9 + 8);
        let mut last = self.rows[part.start] as usize / RANGE * RANGE;
        for &row in &self.rows[part.clone()] {
            let mut step = row as usize - last;
            last = row as usize;
            while step >= 128 {
                bytes.push(step as u8 | 128);
                step >>= 7;
            }
            bytes.push(step as u8);
        }
        for squares in &self.squares[part] {
            bytes.extend_from_slice(&squares.0.to_le_bytes());
        }
        bytes
    }

    /// Appends what [`Columns::encode`] has written of so many rows; whether it was that.
    fn decode(&mut self, bytes: &[u8], range: usize, count: usize) -> bool {
        let Some(words) = count.checked_mul(8).and_then(|len| bytes.len().checked_sub(len)) else {
            return false;
        };
        let (steps, words) = bytes.split_at(words);
        let (mut row, mut step, mut shift) = (range * RANGE, 0, 0);
        let before = self.rows.len();
        for &byte in steps {
            step |= usize::from(byte & 127) << shift;
            shift += 7;
            if byte < 128 {
                row += step;
                self.rows.push(row as u32);
                (step, shift) = (0, 0);
            }
            if shift > 28 {
                return false;
            }
        }
        let word = |bytes: &[u8; 8]| Bitboard(u64::from_le_bytes(*bytes));
        self.squares.extend(words.as_chunks().0.iter().map(word));
        shift == 0 && self.rows.len() == before + count && row < (range + 1) * RANGE
    }
}

/// What the columns of a frame are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Positions that are never lost, because of a move that leaves the slice.
    Saved = 1,
    /// Positions that win (odd plies) or do not lose sooner (even plies) by leaving the slice.
    Exit = 2,
    /// Positions decided in this ply.
    Level = 3,
    /// No columns: all of the ply before this mark is in the file; `ply` is 1 more, so that 0 says
    /// that the exits are.
    End = 4,
}

/// A frame's head: kind, side to move, ply, range, rows, bytes, checksum of the bytes and of the
/// head.
const HEAD: usize = 32;

/// What a frame holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name {
    pub(super) kind: Kind,
    pub(super) side: Side,
    pub(super) ply: u16,
}

/// Where a frame's bytes are.
#[derive(Debug, Clone, Copy)]
struct Place {
    range: u32,
    rows: u32,
    at: u64,
    bytes: u32,
    sum: u64,
}

fn head(name: Name, place: &Place) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[0] = name.kind as u8;
    head[1] = name.side as u8;
    head[2..4].copy_from_slice(&name.ply.to_le_bytes());
    head[4..8].copy_from_slice(&place.range.to_le_bytes());
    head[8..12].copy_from_slice(&place.rows.to_le_bytes());
    head[12..16].copy_from_slice(&place.bytes.to_le_bytes());
    head[16..24].copy_from_slice(&place.sum.to_le_bytes());
    let sum = xxh3_64(&head[..24]);
    head[24..].copy_from_slice(&sum.to_le_bytes());
    head
}

/// The frame that a head, read at `at`, begins; `None` where it is none.
fn frame(head: &[u8; HEAD], at: u64) -> Option<(Name, Place)> {
    let number =
        |from: usize| u32::from_le_bytes(*head[from..].first_chunk().expect("in the head"));
    let wide = |from: usize| u64::from_le_bytes(*head[from..].first_chunk().expect("in the head"));
    let kinds = [Kind::Saved, Kind::Exit, Kind::Level, Kind::End];
    let kind = kinds.into_iter().find(|&kind| kind as u8 == head[0])?;
    let side = Side::ALL.into_iter().find(|&side| side as u8 == head[1])?;
    let name = Name { kind, side, ply: u16::from_le_bytes([head[2], head[3]]) };
    let place = Place {
        range: number(4),
        rows: number(8),
        at: at + HEAD as u64,
        bytes: number(12),
        sum: wide(16),
    };
    (wide(24) == xxh3_64(&head[..24])).then_some((name, place))
}

/// The frames of one king number, one file.
#[derive(Debug)]
struct Frames {
    file: File,
    places: BTreeMap<Name, Vec<Place>>,
    end: u64,
}

impl Frames {
    /// Reads the heads of the whole frames of a file, as far as there are any. Returns the last mark
    /// [`Kind::End`] among them.
    fn read(file: File, last: Option<u16>) -> io::Result<(Self, Option<u16>)> {
        let mut frames = Self { file, places: BTreeMap::new(), end: 0 };
        let length = frames.file.metadata()?.len();
        let (mut at, mut mark, mut open) = (0, None, Vec::new());
        while last.is_none() || mark != last {
            let mut bytes = [0; HEAD];
            frames.file.seek(SeekFrom::Start(at))?;
            if at + HEAD as u64 > length || frames.file.read_exact(&mut bytes).is_err() {
                break;
            }
            let Some((name, place)) = frame(&bytes, at) else { break };
            at = place.at + u64::from(place.bytes);
            if at > length {
                break;
            }
            if name.kind == Kind::End {
                for (name, place) in open.drain(..) {
                    frames.places.entry(name).or_default().push(place);
                }
                (mark, frames.end) = (Some(name.ply), at);
            } else {
                open.push((name, place));
            }
        }
        Ok((frames, mark))
    }

    fn append(&mut self, name: Name, place: Place, bytes: &[u8]) -> io::Result<()> {
        let place = Place { at: self.end + HEAD as u64, ..place };
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(&head(name, &place))?;
        self.file.write_all(bytes)?;
        self.end = place.at + bytes.len() as u64;
        if name.kind != Kind::End {
            self.places.entry(name).or_default().push(place);
        }
        Ok(())
    }
}

/// The log of a large slice: for each king number a file of frames, each with a checksum. It says
/// everything of the slice that has been found, ply by ply, and outlives the process: see
/// [`Log::plies`].
#[derive(Debug)]
pub(super) struct Log {
    directory: PathBuf,
    kings: Vec<Mutex<Frames>>,
    /// Plies that are in the log as a whole; `None` where not even the exits are.
    plies: Option<u16>,
    /// Held while the log is in use.
    _lock: File,
}

impl Log {
    /// Opens or makes the log of so many king numbers in a directory. What was not written to the
    /// end of a ply is forgotten.
    ///
    /// # Errors
    /// [`TableError::Cache`], also where another process uses the log.
    pub(super) fn open(directory: &Path, kings: usize) -> Result<Self, TableError> {
        let cache = |error| TableError::Cache { path: directory.to_owned(), error };
        let file = |name: &str| {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(false);
            options.open(directory.join(name))
        };
        let open = || -> io::Result<Self> {
            std::fs::create_dir_all(directory)?;
            let lock = file("lock")?;
            lock.try_lock().map_err(|_| {
                io::Error::new(io::ErrorKind::WouldBlock, "another process is solving this table")
            })?;
            let name = |king: usize| format!("king-{king}");
            let marks: io::Result<Vec<Option<u16>>> =
                (0..kings).map(|king| Ok(Frames::read(file(&name(king))?, None)?.1)).collect();
            let plies = marks?.into_iter().min().flatten();
            let read = |king: usize| -> io::Result<Mutex<Frames>> {
                let mut frames = Frames::read(file(&name(king))?, plies)?.0;
                if plies.is_none() {
                    (frames.end, frames.places) = (0, BTreeMap::new());
                }
                frames.file.set_len(frames.end)?;
                Ok(Mutex::new(frames))
            };
            let kings: io::Result<_> = (0..kings).map(read).collect();
            Ok(Self { directory: directory.to_owned(), kings: kings?, plies, _lock: lock })
        };
        open().map_err(cache)
    }

    /// How many plies are in the log as a whole, the mates being one; `None` where not even the
    /// exits are.
    pub(super) fn plies(&self) -> Option<u16> {
        self.plies
    }

    fn failed(&self, error: io::Error) -> TableError {
        TableError::Cache { path: self.directory.clone(), error }
    }

    fn frames(&self, king: usize) -> std::sync::MutexGuard<'_, Frames> {
        self.kings[king].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes columns, range by range: about 300 MB a second.
    pub(super) fn append(
        &self,
        king: usize,
        name: Name,
        columns: &Columns,
    ) -> Result<(), TableError> {
        for part in columns.by_range() {
            let raw = columns.encode(part.clone());
            let bytes = zstd::bulk::compress(&raw, 1).map_err(|error| self.failed(error))?;
            let place = Place {
                range: columns.rows[part.start] / RANGE as u32,
                rows: part.len() as u32,
                at: 0,
                bytes: bytes.len() as u32,
                sum: xxh3_64(&bytes),
            };
            self.frames(king).append(name, place, &bytes).map_err(|error| self.failed(error))?;
        }
        Ok(())
    }

    /// Marks the end of the exits (0) or of a ply (1 more than its number) for all kings.
    pub(super) fn end(&mut self, plies: u16) -> Result<(), TableError> {
        let name = Name { kind: Kind::End, side: Side::White, ply: plies };
        let place = Place { range: 0, rows: 0, at: 0, bytes: 0, sum: xxh3_64(&[]) };
        for king in 0..self.kings.len() {
            self.frames(king).append(name, place, &[]).map_err(|error| self.failed(error))?;
        }
        self.plies = Some(plies);
        Ok(())
    }

    /// The names of the frames of a king, in order.
    pub(super) fn names(&self, king: usize) -> Vec<Name> {
        self.frames(king).places.keys().copied().collect()
    }

    /// Reads the columns of one name, those of one range or all, in order.
    pub(super) fn read(
        &self,
        king: usize,
        name: Name,
        range: Option<usize>,
    ) -> Result<Columns, TableError> {
        let places = self.frames(king).places.get(&name).cloned().unwrap_or_default();
        let wanted = |place: &&Place| range.is_none_or(|range| range == place.range as usize);
        let wanted: Vec<&Place> = places.iter().filter(wanted).collect();
        let mut columns = Columns::with_capacity(wanted.iter().map(|p| p.rows as usize).sum());
        for place in wanted {
            let mut bytes = vec![0; place.bytes as usize];
            {
                let mut frames = self.frames(king);
                let found = frames.file.seek(SeekFrom::Start(place.at));
                found
                    .and_then(|_| frames.file.read_exact(&mut bytes))
                    .map_err(|error| self.failed(error))?;
            }
            let rows = place.rows as usize;
            let raw = (xxh3_64(&bytes) == place.sum)
                .then(|| zstd::bulk::decompress(&bytes, rows * 13).ok())
                .flatten();
            if !raw.is_some_and(|raw| columns.decode(&raw, place.range as usize, rows)) {
                let text = "the log of an unfinished table is damaged; remove it";
                return Err(self.failed(io::Error::new(io::ErrorKind::InvalidData, text)));
            }
        }
        Ok(columns)
    }

    /// How many bytes the log has.
    pub(super) fn bytes(&self) -> u64 {
        (0..self.kings.len()).map(|king| self.frames(king).end).sum()
    }

    /// Removes the log: its table is stored.
    pub(super) fn remove(self) {
        // What cannot be removed is in nobody's way.
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}
