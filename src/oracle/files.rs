//! Files of Syzygy tables: which of those in a directory can be tables, and whether what stands in
//! them is what was written.
//!
//! A file that was cut, or that was never filled, has another checksum than the one at its end, and
//! is refused when it is opened. So no value comes from a damaged file.

use super::checksum::checksum;
use shakmaty_syzygy::filesystem::{Filesystem, OsFilesystem, RandomAccessFile, ReadHint};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Files up to this size are kept in memory.
const IN_MEMORY: u64 = 64 << 20;

/// The first bytes of a file of wins, draws and losses.
const MAGIC: [u8; 4] = [0x71, 0xe8, 0x23, 0x5d];

/// The checksum that stands at the end of a file.
pub(super) fn stated(path: &Path) -> io::Result<[u8; 16]> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::End(-16))?;
    let mut bytes = [0; 16];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Why a file cannot be a table, as far as its size and its first bytes tell.
pub(super) fn fault(path: &Path) -> Option<String> {
    let look = || -> io::Result<Option<&'static str>> {
        let about = path.metadata()?;
        if !about.is_file() {
            return Ok(Some("not a file"));
        }
        if about.len() == 0 {
            return Ok(Some("it is empty"));
        }
        let mut first = [0; 4];
        let whole = File::open(path)?.read_exact(&mut first);
        if whole.is_err() || first != MAGIC {
            return Ok(Some("it is no Syzygy table"));
        }
        // Tables come in blocks of 64 bytes, with 16 for the checksum.
        Ok((about.len() % 64 != 16).then_some("it is not whole"))
    };
    look().map_or_else(|error| Some(error.to_string()), |fault| fault.map(str::to_string))
}

/// What was found out about files: the checksums of those that are whole, and what is wrong with
/// others.
#[derive(Debug, Default)]
pub(super) struct Findings {
    seen: Mutex<HashMap<PathBuf, Result<[u8; 16], String>>>,
}

impl Findings {
    /// The checksum of a file that is whole. The file is read through once; about 1 GB a second.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn check(&self, path: &Path) -> Result<[u8; 16], String> {
        let known = || self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().get(path) {
            return found.clone();
        }
        let found = whole(path);
        known().entry(path.to_owned()).or_insert(found).clone()
    }

    /// Notes what is wrong with a file; it is not used any more.
    pub(super) fn refuse(&self, path: &Path, fault: String) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.insert(path.to_owned(), Err(fault));
    }

    /// What is wrong with the files that were looked into, by name.
    pub(super) fn faults(&self) -> Vec<String> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let faults = seen.iter().filter_map(|(path, found)| Some((path, found.as_ref().err()?)));
        let mut list: Vec<String> =
            faults.map(|(path, fault)| format!("{}: {fault}", path.display())).collect();
        list.sort();
        list
    }
}

/// The checksum of a file, if it is the one that the file states.
fn whole(path: &Path) -> Result<[u8; 16], String> {
    let sums = || -> io::Result<[[u8; 16]; 2]> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len().saturating_sub(16);
        Ok([stated(path)?, checksum(&mut file, length)?])
    };
    match sums() {
        Ok([stated, found]) if stated == found => Ok(found),
        Ok(_) => Err("damaged or not whole: it has another checksum than it states".into()),
        Err(error) => Err(error.to_string()),
    }
}

/// The system's files, checked when they are opened, and small ones read whole.
pub(super) struct CheckedFiles {
    pub(super) system: OsFilesystem,
    pub(super) findings: Arc<Findings>,
}

impl Filesystem for CheckedFiles {
    fn regular_file_size(&self, path: &Path) -> io::Result<u64> {
        self.system.regular_file_size(path)
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        self.system.read_dir(path)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn RandomAccessFile>> {
        self.findings
            .check(path)
            .map_err(|fault| io::Error::new(io::ErrorKind::InvalidData, fault))?;
        if self.regular_file_size(path)? > IN_MEMORY {
            return self.system.open(path);
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
