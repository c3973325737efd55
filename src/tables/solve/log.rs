//! The log on disk in which everything of a large slice is kept while it is being solved, and what
//! of it crosses between processes that solve it together.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::columns::Columns;
use super::frames::{Frames, Kind, Name, damaged, frame, framed, head, unframe};
use super::share::Share;
use crate::chess::Side;
use crate::limits::Budget;
use crate::tables::TableError;

/// How long processes of a run that was ended may take to let go of its log, and how often it is
/// tried.
const LET_GO_WITHIN: Duration = Duration::from_secs(10);
const LOOK: Duration = Duration::from_millis(50);

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
                    Frames::new(tempfile::tempfile_in(directory)?)
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

    /// Waits until no process of an earlier run has the log open: one that has lost another ends
    /// within moments, but until then it writes. To be called before the processes of this run open
    /// it.
    ///
    /// # Errors
    /// [`TableError::Cache`] when it is still in use after ten seconds, or the budget's end.
    pub(super) fn wait_until_free(directory: &Path, budget: &Budget) -> Result<(), TableError> {
        let start = Instant::now();
        loop {
            match std::fs::create_dir_all(directory).and_then(|()| lock(directory, false)) {
                Ok(_) => return Ok(()),
                Err(error)
                    if error.kind() == io::ErrorKind::WouldBlock
                        && start.elapsed() < LET_GO_WITHIN =>
                {
                    budget.check(0, 0)?;
                    std::thread::sleep(LOOK);
                }
                Err(error) => {
                    return Err(TableError::Cache { path: directory.to_owned(), error });
                }
            }
        }
    }

    /// Forgets what was written after so many plies; everything with `None`.
    pub(super) fn cut(&mut self, plies: Option<u16>) -> Result<(), TableError> {
        let cut = |king: usize| -> io::Result<()> {
            let mut frames = self.frames(king);
            let file = frames.file.try_clone()?;
            *frames = Frames::read(file, plies)?.0;
            if plies.is_none() {
                frames.clear();
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
            self.frames(king).clear();
        }
    }

    /// That the log does not hold what other processes have written of it.
    pub(super) fn unseen(&self) -> TableError {
        self.failed(io::Error::other("what another process has logged is not seen"))
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
        let (mut frames, mark) = Frames::read(file, self.plies).map_err(failed)?;
        if mark != self.plies {
            return Err(self.unseen());
        }
        let black = |name: &Name| name.kind == Kind::Level && name.side == Side::Black;
        for name in frames.names().into_iter().filter(black) {
            for range in frames.ranges(name) {
                let read = frames.bytes(name, Some(range)).map_err(failed)?;
                if Some(name.ply + 1) == self.plies {
                    for (place, bytes) in &read {
                        self.receive(king, &[&head(name, place)[..], bytes].concat())?;
                    }
                }
                each(&unframe(&read).map_err(failed)?)?;
            }
        }
        Ok(())
    }

    /// Marks the end of the exits (0) or of a ply (1 more than its number) for this process's kings.
    pub(super) fn end(&mut self, plies: u16) -> Result<(), TableError> {
        let end = |king: usize| self.frames(king).mark(plies);
        self.own.clone().try_for_each(end).map_err(|error| self.failed(error))?;
        self.plies = Some(plies);
        Ok(())
    }

    /// The names of the frames of a king, in order.
    pub(super) fn names(&self, king: usize) -> Vec<Name> {
        self.frames(king).names()
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

    /// Removes a log that nobody uses, if there is one: the process that stored its table ended
    /// before it could.
    pub(super) fn remove_left(directory: &Path) {
        if directory.is_dir() && lock(directory, false).is_ok() {
            let _ = std::fs::remove_dir_all(directory);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::board::Bitboard;
    use crate::tables::index::symmetry::KingSquares;
    use pretty_assertions::assert_eq;

    const NAME: Name = Name { kind: Kind::Level, side: Side::Black, ply: 0 };

    fn share(process: usize) -> Share {
        Share::new(KingSquares::Triangle, (process, 2))
    }

    /// The log of one of two processes after a ply.
    fn written(directory: &Path, process: usize) -> Log {
        let mut log = Log::open(directory, &share(process)).unwrap();
        log.end(0).unwrap();
        let mut level = Columns::default();
        level.push(5, Bitboard(9));
        for king in share(process).own() {
            log.append(king, NAME, &level, drop).unwrap();
        }
        log.end(1).unwrap();
        log
    }

    /// A shared directory may show what another machine has written late: then all that is missing
    /// would be taken for open.
    #[test]
    fn what_another_process_has_logged_is_all_there_or_refused() {
        let directory = tempfile::tempdir().unwrap();
        let (log, other) = (written(directory.path(), 0), written(directory.path(), 1));
        let king = share(1).own().start;
        let mut seen = 0;
        let mut count = |level: &Columns| {
            seen += level.positions();
            Ok(())
        };
        log.take_over(king, &mut count).unwrap();
        log.take_over(king, count).unwrap();
        assert_eq!(seen, 4);
        let whole = other.frames(king).end;
        let file = open_file(&directory.path().join(name_of(king))).unwrap();
        file.set_len(whole - 1).unwrap();
        let refused = log.take_over(king, |_| Ok(())).unwrap_err().to_string();
        assert!(refused.contains("is not seen"), "{refused}");
    }

    #[test]
    fn a_run_waits_for_the_processes_of_the_one_before() {
        let directory = tempfile::tempdir().unwrap();
        let held = Log::open(directory.path(), &share(1)).unwrap();
        let short = crate::limits::Limits::default().with_time(LOOK);
        let stopped = Log::wait_until_free(directory.path(), &short.into());
        assert!(matches!(stopped, Err(TableError::Stopped(_))));
        drop(held);
        Log::wait_until_free(directory.path(), &Budget::default()).unwrap();
    }
}
