//! Frames, of which the log of a large slice is made, and a file of them: columns of one range,
//! compressed, with a checksum each.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::columns::{Columns, RANGE};
use crate::chess::Side;
use crate::tables::file::format;

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
/// Of the form of the log. A program of another version of the log or of the tables, which may
/// number positions otherwise, takes no frame of it for one.
const VERSION: u64 = 1;

fn sum_of_head(head: &[u8]) -> u64 {
    xxh3_64_with_seed(head, VERSION << 32 | u64::from(format::VERSION))
}

/// What a frame holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name {
    pub(super) kind: Kind,
    pub(super) side: Side,
    pub(super) ply: u16,
}

/// Where a frame's bytes are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    range: u32,
    rows: u32,
    at: u64,
    bytes: u32,
    sum: u64,
}

pub(super) fn head(name: Name, place: &Place) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[0] = name.kind as u8;
    head[1] = name.side as u8;
    head[2..4].copy_from_slice(&name.ply.to_le_bytes());
    head[4..8].copy_from_slice(&place.range.to_le_bytes());
    head[8..12].copy_from_slice(&place.rows.to_le_bytes());
    head[12..16].copy_from_slice(&place.bytes.to_le_bytes());
    head[16..24].copy_from_slice(&place.sum.to_le_bytes());
    let sum = sum_of_head(&head[..24]);
    head[24..].copy_from_slice(&sum.to_le_bytes());
    head
}

/// The frame that a head, read at `at`, begins; `None` where it is none.
pub(super) fn frame(head: &[u8; HEAD], at: u64) -> Option<(Name, Place)> {
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
    (wide(24) == sum_of_head(&head[..24])).then_some((name, place))
}

/// The frames of one king number, one file.
#[derive(Debug)]
pub(super) struct Frames {
    pub(super) file: File,
    places: BTreeMap<Name, Vec<Place>>,
    pub(super) end: u64,
}

impl Frames {
    /// An empty file.
    pub(super) fn new(file: File) -> Self {
        Self { file, places: BTreeMap::new(), end: 0 }
    }

    /// Forgets all frames; the next one is written over the first.
    pub(super) fn clear(&mut self) {
        (self.end, self.places) = (0, BTreeMap::new());
    }

    /// The names of the frames, in order.
    pub(super) fn names(&self) -> Vec<Name> {
        self.places.keys().copied().collect()
    }

    /// The ranges of which there are frames of this name, in order.
    pub(super) fn ranges(&self, name: Name) -> Vec<usize> {
        self.places.get(&name).into_iter().flatten().map(|place| place.range as usize).collect()
    }

    /// Reads the heads of the whole frames of a file, as far as there are any. Returns the last mark
    /// [`Kind::End`] among them.
    pub(super) fn read(file: File, last: Option<u16>) -> io::Result<(Self, Option<u16>)> {
        let mut frames = Self::new(file);
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

    /// A frame, its head first.
    pub(super) fn append(&mut self, name: Name, place: Place, frame: &[u8]) -> io::Result<()> {
        let place = Place { at: self.end + HEAD as u64, ..place };
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(frame)?;
        self.end += frame.len() as u64;
        if name.kind != Kind::End {
            self.places.entry(name).or_default().push(place);
        }
        Ok(())
    }

    /// A mark [`Kind::End`].
    pub(super) fn mark(&mut self, plies: u16) -> io::Result<()> {
        let name = Name { kind: Kind::End, side: Side::White, ply: plies };
        let place = Place { range: 0, rows: 0, at: 0, bytes: 0, sum: xxh3_64(&[]) };
        self.append(name, place, &head(name, &place))
    }

    /// The bytes of the frames of one name, those of one range or all, in order.
    pub(super) fn bytes(
        &mut self,
        name: Name,
        range: Option<usize>,
    ) -> io::Result<Vec<(Place, Vec<u8>)>> {
        let wanted = |place: &&Place| range.is_none_or(|range| range == place.range as usize);
        let places = self.places.get(&name).into_iter().flatten().filter(wanted);
        let mut read = Vec::new();
        for &place in places {
            let mut bytes = vec![0; place.bytes as usize];
            self.file.seek(SeekFrom::Start(place.at))?;
            self.file.read_exact(&mut bytes)?;
            read.push((place, bytes));
        }
        Ok(read)
    }
}

/// Columns of one range as a frame: where it will be but for its place, and its bytes, head first.
pub(super) fn framed(
    name: Name,
    columns: &Columns,
    part: Range<usize>,
) -> io::Result<(Place, Vec<u8>)> {
    let (range, rows) = (columns.rows[part.start] / RANGE as u32, part.len() as u32);
    let bytes = zstd::bulk::compress(&columns.encode(part), 1)?;
    let place = Place { range, rows, at: 0, bytes: bytes.len() as u32, sum: xxh3_64(&bytes) };
    Ok((place, [&head(name, &place)[..], &bytes].concat()))
}

pub(super) fn damaged() -> io::Error {
    let text = "the log of an unfinished table is damaged; remove it";
    io::Error::new(io::ErrorKind::InvalidData, text)
}

/// Appends the columns of frames.
pub(super) fn unframe(frames: &[(Place, Vec<u8>)]) -> io::Result<Columns> {
    let mut columns = Columns::with_capacity(frames.iter().map(|(p, _)| p.rows as usize).sum());
    for (place, bytes) in frames {
        let rows = place.rows as usize;
        let raw = (xxh3_64(bytes) == place.sum)
            .then(|| zstd::bulk::decompress(bytes, rows * 13).ok())
            .flatten();
        if !raw.is_some_and(|raw| columns.decode(&raw, place.range as usize, rows)) {
            return Err(damaged());
        }
    }
    Ok(columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::board::Bitboard;
    use pretty_assertions::assert_eq;

    const NAME: Name = Name { kind: Kind::Level, side: Side::Black, ply: 0 };

    fn written() -> Frames {
        let mut frames = Frames::new(tempfile::tempfile().unwrap());
        let mut level = Columns::default();
        level.push(RANGE + 5, Bitboard(9));
        let (place, frame) = framed(NAME, &level, 0..1).unwrap();
        frames.append(NAME, place, &frame).unwrap();
        frames.mark(1).unwrap();
        frames.append(NAME, place, &frame).unwrap();
        frames
    }

    #[test]
    fn frames_are_read_up_to_the_last_mark() {
        let (mut frames, mark) = Frames::read(written().file, None).unwrap();
        assert_eq!((mark, frames.names()), (Some(1), vec![NAME]));
        let level = unframe(&frames.bytes(NAME, Some(1)).unwrap()).unwrap();
        assert_eq!(Vec::from_iter(level.iter()), [(RANGE as u32 + 5, Bitboard(9))]);
        assert!(frames.bytes(NAME, Some(0)).unwrap().is_empty());
    }

    #[test]
    fn frames_of_another_version_are_none() {
        let mut frames = written();
        let mut bytes = [0; HEAD];
        frames.file.rewind().unwrap();
        frames.file.read_exact(&mut bytes).unwrap();
        assert!(frame(&bytes, 0).is_some());
        let next = xxh3_64_with_seed(&bytes[..24], VERSION << 32 | u64::from(format::VERSION + 1));
        bytes[24..].copy_from_slice(&next.to_le_bytes());
        assert!(frame(&bytes, 0).is_none());
    }
}
