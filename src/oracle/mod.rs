//! Outside truth: Syzygy tables, for comparisons and, when the user gives them, as leaves.
//!
//! The only importer of `shakmaty-syzygy`. A file is read through and held against its own checksum
//! before a value is taken from it; what is damaged, half there or no table at all is named
//! ([`Oracle::faults`]) and not used.
//!
//! * `signature`: which men a file is about.
//! * `files`: what is found in directories, and whether it is whole.
//! * `checksum`: the checksum at the end of a file.
//!
//! # References
//! * R. de Man, *Syzygy endgame tablebases*, 2013.

mod checksum;
mod files;
mod signature;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use shakmaty_syzygy::filesystem::OsFilesystem;
use shakmaty_syzygy::{SyzygyError, Tablebase, Wdl};

use crate::chess::Outcome;
use crate::chess::board::{Board, Chess, Position as _};
use files::{CheckedFiles, Findings};
use signature::Signature;

/// Men of the largest tables that there are, kings included.
pub const MOST_MEN: usize = 7;

/// Why the oracle has no answer.
#[derive(Debug, thiserror::Error)]
pub enum OracleError {
    /// There is no such directory.
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

/// Whether a name is mistaken, rather than what it names out of reach.
fn is_no_directory(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// A table's file.
#[derive(Debug)]
struct Entry {
    name: String,
    path: PathBuf,
}

/// The Syzygy tables of some directories.
#[derive(Debug)]
pub struct Oracle {
    tables: Tablebase<Chess>,
    files: Vec<Entry>,
    /// By the men, either side's first.
    numbers: HashMap<Signature, u32>,
    /// What cannot be a table, seen without opening it for use.
    refused: Vec<String>,
    findings: Arc<Findings>,
    men: usize,
}

impl Oracle {
    /// Looks through a directory; the tables are opened when they are first probed.
    ///
    /// # Errors
    /// [`OracleError::Directory`].
    pub fn open(directory: &Path) -> Result<Self, OracleError> {
        Self::open_all(&[directory.to_owned()])
    }

    /// Looks through directories. Where several have a table the first one's is taken. One that is
    /// there but may not be read is named ([`Oracle::faults`]) and left out.
    ///
    /// # Errors
    /// [`OracleError::Directory`].
    pub fn open_all(directories: &[PathBuf]) -> Result<Self, OracleError> {
        let findings = Arc::new(Findings::default());
        let system = OsFilesystem::new();
        let checked = CheckedFiles { system, findings: Arc::clone(&findings) };
        let mut oracle = Self {
            tables: Tablebase::with_filesystem(Arc::new(checked)),
            files: Vec::new(),
            numbers: HashMap::new(),
            refused: Vec::new(),
            findings,
            men: 0,
        };
        for directory in directories {
            let mut paths = match oracle.list(directory) {
                Ok(paths) => paths,
                Err(error) if is_no_directory(&error) => {
                    return Err(OracleError::Directory { path: directory.clone(), error });
                }
                Err(error) => {
                    oracle.refused.push(format!("{}: {error}", directory.display()));
                    continue;
                }
            };
            paths.sort();
            paths.retain(|path| path.extension().is_some_and(|extension| extension == "rtbw"));
            paths.iter().for_each(|path| oracle.take(path));
        }
        Ok(oracle)
    }

    /// Looks through a list of directories, separated as the system separates paths.
    ///
    /// # Errors
    /// [`OracleError::Directory`].
    pub fn open_list(directories: &str) -> Result<Self, OracleError> {
        let paths = std::env::split_paths(directories);
        Self::open_all(&paths.filter(|path| !path.as_os_str().is_empty()).collect::<Vec<_>>())
    }

    /// What is in a directory. Entries that cannot be read are noted and left out.
    fn list(&mut self, directory: &Path) -> io::Result<Vec<PathBuf>> {
        let mut paths = Vec::new();
        for entry in std::fs::read_dir(directory)? {
            match entry {
                Ok(entry) => paths.push(entry.path()),
                Err(error) => self.refused.push(format!("{}: {error}", directory.display())),
            }
        }
        Ok(paths)
    }

    /// Takes a file in, or notes why it cannot be a table.
    fn take(&mut self, path: &Path) {
        let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let Some(signature) = Signature::read(name) else {
            self.refused.push(format!("{}: its name is no table's", path.display()));
            return;
        };
        if self.numbers.contains_key(&signature) {
            return;
        }
        let added = match files::fault(path) {
            Some(fault) => Err(fault),
            None => self.tables.add_file(path).map_err(|error| error.to_string()),
        };
        if let Err(fault) = added {
            self.refused.push(format!("{}: {fault}", path.display()));
            return;
        }
        // Without its file of distances a table says who wins all the same.
        let distances = path.with_extension("rtbz");
        if distances.is_file() {
            let _ = self.tables.add_file(&distances);
        }
        let number = self.files.len() as u32;
        self.numbers.insert(signature, number);
        self.numbers.insert(signature.exchanged(), number);
        self.men = self.men.max(signature.men());
        self.files.push(Entry { name: name.to_owned(), path: path.to_owned() });
    }

    /// How many tables there are.
    pub fn files(&self) -> usize {
        self.files.len()
    }

    /// Men of the largest of them, kings included; 0 where there are none.
    pub fn men(&self) -> usize {
        self.men
    }

    /// What is wrong with files that look like tables, as far as is known by now, a line each. Some
    /// are found out when they are first needed.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = self.refused.clone();
        faults.extend(self.findings.faults());
        faults
    }

    /// The number of the table for a board's men, if it is there.
    pub fn number(&self, board: &Board) -> Option<u32> {
        self.numbers.get(&Signature::of(board)).copied()
    }

    /// The number of the table of this name, such as `KRPvKR`.
    pub fn find(&self, name: &str) -> Option<u32> {
        self.numbers.get(&Signature::read(name)?).copied()
    }

    /// A table's name, such as `KRPvKR`.
    pub fn name(&self, number: u32) -> &str {
        &self.files[number as usize].name
    }

    /// A table's checksum in hexadecimal digits, as its file states it and as it is; the file is
    /// read through the first time.
    ///
    /// # Errors
    /// [`OracleError::Damaged`].
    pub fn checksum(&self, number: u32) -> Result<String, OracleError> {
        let path = &self.files[number as usize].path;
        let sum = self.findings.check(path);
        let sum = sum.map_err(|e| OracleError::Damaged(format!("{}: {e}", path.display())))?;
        Ok(sum.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// Plies to the next capture or pawn move with best play under the fifty-move rule, positive
    /// where the side to move wins, and whether the number is exact (else it may be one too small);
    /// `None` where the files of distances are not there, or say nothing.
    pub fn dtz(&self, board: &Board) -> Option<(i32, bool)> {
        self.number(board)?;
        let dtz = self.tables.probe_dtz(board.chess()).ok()?;
        Some((i32::from(dtz.ignore_rounding()), dtz.precise().is_some()))
    }

    /// The outcome of a position without the fifty-move rule (a "cursed" win is a win), marks for en
    /// passant respected. About 1 µs if neighbouring positions are asked for together. It rests on
    /// the table of these men, and where a capture is best on those of fewer.
    ///
    /// # Errors
    /// When there is no table, or it cannot be read.
    pub fn probe(&self, board: &Board) -> Result<Outcome, OracleError> {
        let number = match self.number(board) {
            None if board.chess().board().occupied().count() == 2 => return Ok(Outcome::Draw),
            None => return Err(OracleError::Missing),
            Some(number) => number,
        };
        let mover = board.side_to_move();
        match self.tables.probe_wdl_after_zeroing(board.chess()) {
            Ok(Wdl::Win | Wdl::CursedWin) => Ok(Outcome::Wins(mover)),
            Ok(Wdl::Draw) => Ok(Outcome::Draw),
            Ok(Wdl::Loss | Wdl::BlessedLoss) => Ok(Outcome::Wins(mover.other())),
            Err(SyzygyError::Castling) => Err(OracleError::Castling),
            Err(SyzygyError::TooManyPieces | SyzygyError::MissingTable { .. }) => {
                Err(OracleError::Missing)
            }
            Err(error) => {
                // Whichever of the files it was: this one cannot be used without it.
                let path = &self.files[number as usize].path;
                if self.findings.check(path).is_ok() {
                    self.findings.refuse(path, error.to_string());
                }
                Err(OracleError::Damaged(error.to_string()))
            }
        }
    }
}
