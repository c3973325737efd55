//! The user's Syzygy tables: where they are looked for, and what is said of those that are not used.

use super::Context;
use anyhow::Context as _;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError};
use theta_chess::oracle::Oracle;

impl Context {
    /// The directories of Syzygy tables: those of `--syzygy`, else of `SYZYGY_PATH`. The variable is
    /// set once for all commands, so what is not there (a disk that is not mounted) is named and
    /// left out.
    fn syzygy_directories(&self) -> Vec<PathBuf> {
        if !self.global.syzygy.is_empty() {
            return self.global.syzygy.clone();
        }
        let path = std::env::var_os("SYZYGY_PATH").unwrap_or_default();
        let named = std::env::split_paths(&path).filter(|dir| !dir.as_os_str().is_empty());
        let (there, missing): (Vec<_>, Vec<_>) = named.partition(|dir| dir.is_dir());
        missing.iter().for_each(|dir| {
            self.say(&format!("SYZYGY_PATH: {} is no directory; not used", dir.display()));
        });
        there
    }

    /// The user's Syzygy tables, if any are given. Files that cannot be tables are named, and left
    /// out.
    ///
    /// # Errors
    /// A directory that cannot be read.
    pub fn oracle(&self) -> anyhow::Result<Option<&Arc<Oracle>>> {
        if self.oracle.get().is_none() {
            let directories = self.syzygy_directories();
            if directories.is_empty() {
                return Ok(None);
            }
            let oracle = Oracle::open_all(&directories).context("Syzygy tables")?;
            if oracle.files() == 0 {
                let names: Vec<String> =
                    directories.iter().map(|dir| dir.display().to_string()).collect();
                self.say(&format!("{}: no Syzygy tables there", names.join(", ")));
            }
            // Another thread cannot have been quicker: commands begin with this.
            let _ = self.oracle.set(Arc::new(oracle));
            self.name_faults();
        }
        Ok(self.oracle.get())
    }

    /// Names the files of Syzygy tables that have turned out to be damaged since the last time.
    pub fn name_faults(&self) {
        let Some(oracle) = self.oracle.get() else { return };
        let mut named = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        for fault in oracle.faults() {
            if !named.contains(&fault) {
                self.stderr(&format!("{fault}; not used"));
                named.push(fault);
            }
        }
    }

    /// Whether damaged Syzygy tables were named.
    pub fn has_faults(&self) -> bool {
        !self.faults.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }
}
