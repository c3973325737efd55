//! The directory that all processes share: each can write there, and all mean the same one.

use std::fs::{self, File, TryLockError};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use super::ClusterError;
use crate::limits::Budget;

/// How long what another machine writes may take to be seen here.
const SEEN_WITHIN: Duration = Duration::from_secs(10);
const LOOK: Duration = Duration::from_millis(50);
/// The file that process 0 holds locked while it builds: it names the run.
const MARKER: &str = ".together";

/// The directory as one process sees it.
pub(super) struct Place<'a> {
    directory: &'a Path,
    process: usize,
}

/// Held by process 0 as long as it builds; the file goes with it.
pub(super) struct Marker {
    pub(super) run: u64,
    path: PathBuf,
    _locked: File,
}

impl Drop for Marker {
    fn drop(&mut self) {
        // What stays behind is not locked and stops nobody.
        let _ = fs::remove_file(&self.path);
    }
}

impl<'a> Place<'a> {
    pub(super) fn new(directory: &'a Path, process: usize) -> Self {
        Self { directory, process }
    }

    fn fault(&self, fault: String) -> ClusterError {
        let directory = self.directory.to_owned();
        ClusterError::Directory { process: self.process, directory, fault }
    }

    /// # Errors
    /// [`ClusterError::Directory`] where no file can be made.
    pub(super) fn is_writable(&self) -> Result<(), ClusterError> {
        tempfile::tempfile_in(self.directory)
            .map(drop)
            .map_err(|error| self.fault(format!("no file can be made: {error}")))
    }

    /// Marks the directory with a name for this run.
    ///
    /// # Errors
    /// [`ClusterError::Directory`] while another run builds there.
    pub(super) fn mark(&self) -> Result<Marker, ClusterError> {
        let path = self.directory.join(MARKER);
        let refused = |error: io::Error| self.fault(error.to_string());
        let mut options = File::options();
        let mut file = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(refused)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(self.fault("other processes build there already".to_owned()));
            }
            Err(TryLockError::Error(error)) => return Err(refused(error)),
        }
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let run = (since.as_nanos() as u64) ^ u64::from(std::process::id()) << 44;
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| file.write_all(format!("{run:016x}\n").as_bytes()))
            .and_then(|()| file.sync_all())
            .map_err(refused)?;
        Ok(Marker { run, path, _locked: file })
    }

    /// # Errors
    /// [`ClusterError::Directory`] when process 0 has marked another one for this run.
    pub(super) fn is_that_of(&self, run: u64, budget: &Budget) -> Result<(), ClusterError> {
        let (start, expected) = (Instant::now(), format!("{run:016x}\n"));
        while fs::read_to_string(self.directory.join(MARKER)).ok().as_ref() != Some(&expected) {
            if start.elapsed() > SEEN_WITHIN {
                return Err(self.fault("it is not the directory of process 0".to_owned()));
            }
            budget.check(0, 0)?;
            std::thread::sleep(LOOK);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_run_at_a_time_and_all_in_the_same_directory() {
        let [one, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let first = Place::new(one.path(), 0);
        let marker = first.mark().unwrap();
        let refused = first.mark().err().unwrap().to_string();
        assert!(refused.ends_with("other processes build there already"), "{refused}");
        let budget = Budget::default();
        Place::new(one.path(), 1).is_that_of(marker.run, &budget).unwrap();
        let hurried = Budget::new(crate::limits::Limits::default().with_time(LOOK));
        assert!(Place::new(other.path(), 1).is_that_of(marker.run, &hurried).is_err());
        drop(marker);
        first.mark().unwrap();
        assert!(Place::new(&one.path().join("nowhere"), 1).is_writable().is_err());
    }
}
