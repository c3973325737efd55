//! Outside truth: Syzygy tables, for comparisons and, when the user gives them, as leaves.
//!
//! The only importer of `shakmaty-syzygy`. Files up to `IN_MEMORY` are read whole, so that a probe
//! costs no system call; larger ones are read as they are needed.
//!
//! # References
//! * R. de Man, *Syzygy endgame tablebases*, 2013.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use shakmaty_syzygy::filesystem::{Filesystem, OsFilesystem, RandomAccessFile, ReadHint};
use shakmaty_syzygy::{SyzygyError, Tablebase, Wdl};

use crate::chess::Outcome;
use crate::chess::board::{Board, Chess};

/// Files up to this size are kept in memory.
const IN_MEMORY: u64 = 64 << 20;

/// Why the oracle has no answer.
#[derive(Debug, thiserror::Error)]
pub enum OracleError {
    /// The directory cannot be read, or holds a file that cannot be a table.
    #[error("{}: {error}", path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// There is no table for this material.
    #[error("no Syzygy table for this material")]
    Missing,
    /// Castling rights: the tables do not know them.
    #[error("Syzygy tables do not cover castling rights")]
    Castling,
    /// A table is damaged or cannot be read.
    #[error("Syzygy table: {0}")]
    Damaged(String),
}

/// A directory of Syzygy tables.
#[derive(Debug)]
pub struct Oracle {
    tables: Tablebase<Chess>,
    files: usize,
}

impl Oracle {
    /// Looks through a directory; the tables are opened when they are first probed.
    ///
    /// # Errors
    /// [`OracleError::Directory`].
    pub fn open(directory: &Path) -> Result<Self, OracleError> {
        let mut tables = Tablebase::with_filesystem(Arc::new(WholeFiles(OsFilesystem::new())));
        let files = tables
            .add_directory(directory)
            .map_err(|error| OracleError::Directory { path: directory.to_owned(), error })?;
        Ok(Self { tables, files })
    }

    /// Looks through a list of directories, separated as the system separates paths.
    ///
    /// # Errors
    /// [`OracleError::Directory`].
    pub fn open_list(directories: &str) -> Result<Self, OracleError> {
        let mut paths =
            std::env::split_paths(directories).filter(|path| !path.as_os_str().is_empty());
        let mut oracle = Self::open(&paths.next().unwrap_or_default())?;
        for path in paths {
            let added = oracle.tables.add_directory(&path);
            oracle.files += added.map_err(|error| OracleError::Directory { path, error })?;
        }
        Ok(oracle)
    }

    /// How many table files there are.
    pub fn files(&self) -> usize {
        self.files
    }

    /// The outcome of a position without the fifty-move rule (a "cursed" win is a win), marks for en
    /// passant respected. About 1 µs if neighbouring positions are asked for together.
    ///
    /// # Errors
    /// When there is no table, or it cannot be read.
    pub fn probe(&self, board: &Board) -> Result<Outcome, OracleError> {
        let mover = board.side_to_move();
        match self.tables.probe_wdl_after_zeroing(board.chess()) {
            Ok(Wdl::Win | Wdl::CursedWin) => Ok(Outcome::Wins(mover)),
            Ok(Wdl::Draw) => Ok(Outcome::Draw),
            Ok(Wdl::Loss | Wdl::BlessedLoss) => Ok(Outcome::Wins(mover.other())),
            Err(SyzygyError::Castling) => Err(OracleError::Castling),
            Err(SyzygyError::TooManyPieces | SyzygyError::MissingTable { .. }) => {
                Err(OracleError::Missing)
            }
            Err(error) => Err(OracleError::Damaged(error.to_string())),
        }
    }
}

/// The system's files, small ones read whole when they are opened.
struct WholeFiles(OsFilesystem);

impl Filesystem for WholeFiles {
    fn regular_file_size(&self, path: &Path) -> io::Result<u64> {
        self.0.regular_file_size(path)
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        self.0.read_dir(path)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn RandomAccessFile>> {
        if self.regular_file_size(path)? > IN_MEMORY {
            return self.0.open(path);
        }
        Ok(Box::new(WholeFile(std::fs::read(path)?)))
    }
}

struct WholeFile(Vec<u8>);

impl RandomAccessFile for WholeFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64, _hint: ReadHint) -> io::Result<usize> {
        let rest = usize::try_from(offset).ok().and_then(|at| self.0.get(at..)).unwrap_or_default();
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        Ok(length)
    }
}
