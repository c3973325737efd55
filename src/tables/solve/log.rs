//! The log on disk in which everything of a large slice is kept while it is being solved, and what
//! of it crosses between processes that solve it together.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use xxhash_rust::xxh3::xxh3_64;

use super::columns::{Columns, RANGE};
use super::share::Share;
use crate::chess::Side;
use crate::tables::TableError;

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

    /// A frame, its head first.
    fn append(&mut self, name: Name, place: Place, frame: &[u8]) -> io::Result<()> {
        let place = Place { at: self.end + HEAD as u64, ..place };
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(frame)?;
        self.end += frame.len() as u64;
        if name.kind != Kind::End {
            self.places.entry(name).or_default().push(place);
        }
        Ok(())
    }

    /// The bytes of the frames of one name, those of one range or all, in order.
    fn bytes(&mut self, name: Name, range: Option<usize>) -> io::Result<Vec<(Place, Vec<u8>)>> {
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
fn framed(name: Name, columns: &Columns, part: Range<usize>) -> io::Result<(Place, Vec<u8>)> {
    let (range, rows) = (columns.rows[part.start] / RANGE as u32, part.len() as u32);
    let bytes = zstd::bulk::compress(&columns.encode(part), 1)?;
    let place = Place { range, rows, at: 0, bytes: bytes.len() as u32, sum: xxh3_64(&bytes) };
    Ok((place, [&head(name, &place)[..], &bytes].concat()))
}

fn damaged() -> io::Error {
    let text = "the log of an unfinished table is damaged; remove it";
    io::Error::new(io::ErrorKind::InvalidData, text)
}

/// Appends the columns of frames.
fn unframe(frames: &[(Place, Vec<u8>)]) -> io::Result<Columns> {
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

/// The log of a large slice: for each king number a file of frames, each with a checksum. It says
/// everything of the slice that has been found, ply by ply, and outlives the process: see
/// [`Log::plies`]. A process that solves a share of the slice writes the files of its own kings; for
/// the kings of others it has passing files of what they have sent.
#[derive(Debug)]
pub(super) struct Log {
    directory: PathBuf,
    kings: Vec<Mutex<Frames>>,
    /// Whose files are this process's own.
    own: Range<usize>,
    /// Plies that are in the log as a whole; `None` where not even the exits are.
    plies: Option<u16>,
    /// Held while the log is in use.
    _lock: File,
}

fn open_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

fn lock(directory: &Path, shared: bool) -> io::Result<File> {
    let lock = open_file(&directory.join("lock"))?;
    match if shared { lock.try_lock_shared() } else { lock.try_lock() } {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => {
            let text = "another process is solving this table";
            Err(io::Error::new(io::ErrorKind::WouldBlock, text))
        }
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn name_of(king: usize) -> String {
    format!("king-{king}")
}

impl Log {
    /// Opens or makes the log in a directory, as one process's share of it. [`Log::plies`] says how
    /// far this share came; [`Log::cut`] must follow.
    ///
    /// # Errors
    /// [`TableError::Cache`], also where another process uses the log.
    pub(super) fn open(directory: &Path, share: &Share) -> Result<Self, TableError> {
        let open = || -> io::Result<Self> {
            std::fs::create_dir_all(directory)?;
            let lock = lock(directory, share.is_part())?;
            let mut marks = Vec::new();
            let mut kings = Vec::new();
            for king in 0..share.kings() {
                let frames = if share.own().contains(&king) {
                    let (frames, mark) =
                        Frames::read(open_file(&directory.join(name_of(king)))?, None)?;
                    marks.push(mark);
                    frames
                } else {
                    Frames {
                        file: tempfile::tempfile_in(directory)?,
                        places: BTreeMap::new(),
                        end: 0,
                    }
                };
                kings.push(Mutex::new(frames));
            }
            let plies = marks.into_iter().min().flatten();
            Ok(Self {
                directory: directory.to_owned(),
                kings,
                own: share.own(),
                plies,
                _lock: lock,
            })
        };
        open().map_err(|error| TableError::Cache { path: directory.to_owned(), error })
    }

    /// Forgets what was written after so many plies; everything with `None`.
    pub(super) fn cut(&mut self, plies: Option<u16>) -> Result<(), TableError> {
        let cut = |king: usize| -> io::Result<()> {
            let mut frames = self.frames(king);
            let file = frames.file.try_clone()?;
            *frames = Frames::read(file, plies)?.0;
            if plies.is_none() {
                (frames.end, frames.places) = (0, BTreeMap::new());
            }
            frames.file.set_len(frames.end)
        };
        self.own.clone().try_for_each(cut).map_err(|error| self.failed(error))?;
        self.plies = plies;
        Ok(())
    }

    /// How many plies are in the log as a whole, the mates being one; `None` where not even the
    /// exits are.
    pub(super) fn plies(&self) -> Option<u16> {
        self.plies
    }

    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    pub(super) fn failed(&self, error: io::Error) -> TableError {
        TableError::Cache { path: self.directory.clone(), error }
    }

    fn frames(&self, king: usize) -> MutexGuard<'_, Frames> {
        self.kings[king].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes columns, range by range: about 300 MB a second. `send` is given each frame.
    pub(super) fn append(
        &self,
        king: usize,
        name: Name,
        columns: &Columns,
        mut send: impl FnMut(Vec<u8>),
    ) -> Result<(), TableError> {
        for part in columns.by_range() {
            let written = framed(name, columns, part).and_then(|(place, frame)| {
                self.frames(king).append(name, place, &frame)?;
                Ok(frame)
            });
            send(written.map_err(|error| self.failed(error))?);
        }
        Ok(())
    }

    /// Takes a frame that another process has sent, of one of its kings.
    pub(super) fn receive(&self, king: usize, frame: &[u8]) -> Result<(), TableError> {
        let read = frame.first_chunk().and_then(|bytes| self::frame(bytes, 0));
        let foreign = king < self.kings.len() && !self.own.contains(&king);
        match read {
            Some((name, place)) if foreign => self.frames(king).append(name, place, frame),
            _ => Err(damaged()),
        }
        .map_err(|error| self.failed(error))
    }

    /// Forgets what others have sent.
    pub(super) fn forget_received(&self) {
        for king in (0..self.kings.len()).filter(|king| !self.own.contains(king)) {
            let mut frames = self.frames(king);
            frames.places.clear();
            frames.end = 0;
        }
    }

    /// Takes over what another process has written of one of its kings, as far as the log goes as a
    /// whole, and calls `each` with the columns of each level of Black's. The last one is kept as if
    /// it had been sent.
    pub(super) fn take_over(
        &self,
        king: usize,
        mut each: impl FnMut(&Columns) -> Result<(), TableError>,
    ) -> Result<(), TableError> {
        let failed = |error| self.failed(error);
        let file = File::open(self.directory.join(name_of(king))).map_err(failed)?;
        let mut frames = Frames::read(file, self.plies).map_err(failed)?.0;
        let names: Vec<Name> = frames.places.keys().copied().collect();
        let black = |name: &Name| name.kind == Kind::Level && name.side == Side::Black;
        for name in names.into_iter().filter(black) {
            for (place, bytes) in frames.bytes(name, None).map_err(failed)? {
                if Some(name.ply + 1) == self.plies {
                    self.receive(king, &[&head(name, &place)[..], &bytes].concat())?;
                }
                each(&unframe(&[(place, bytes)]).map_err(failed)?)?;
            }
        }
        Ok(())
    }

    /// Marks the end of the exits (0) or of a ply (1 more than its number) for this process's kings.
    pub(super) fn end(&mut self, plies: u16) -> Result<(), TableError> {
        let name = Name { kind: Kind::End, side: Side::White, ply: plies };
        let place = Place { range: 0, rows: 0, at: 0, bytes: 0, sum: xxh3_64(&[]) };
        let mark = head(name, &place);
        let end = |king: usize| self.frames(king).append(name, place, &mark);
        self.own.clone().try_for_each(end).map_err(|error| self.failed(error))?;
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
        let frames = self.frames(king).bytes(name, range);
        frames.and_then(|frames| unframe(&frames)).map_err(|error| self.failed(error))
    }

    /// How many bytes the log has.
    pub(super) fn bytes(&self) -> u64 {
        self.own.clone().map(|king| self.frames(king).end).sum()
    }

    /// Removes the log: its table is stored.
    pub(super) fn remove(self) {
        // What cannot be removed is in nobody's way.
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}
