//! Table files in a cache directory.
//!
//! A file is written under a temporary name, flushed to the device, renamed into place, and the
//! directory flushed: whatever happens, the name stands for a whole file or for none, and processes
//! that build the same table at the same time each put down a whole one. Files that turn out
//! damaged are renamed aside. A part of a table has a name of its own and goes when the whole table
//! comes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::{NamedTempFile, TempDir};

use crate::tables::file::damage::Damage;
use crate::tables::file::format::Kind;
use crate::tables::file::image::{Image, is_regular};
use crate::tables::file::packed::Packed;
use crate::tables::file::shelf::{Shelf, TEMPORARY, temporary};
use crate::tables::index::material::{MAX_STORED_MEN, Material};
use crate::tables::solve::large::remove_left_log;

/// Temporary files older than this were left behind by a process that died.
const STALE: Duration = Duration::from_secs(3600);

/// What the directory of the log of an unfinished table of six men ends in.
const LOG: &str = "levels";

/// A directory of table files.
#[derive(Debug, Clone)]
pub(in crate::tables) struct Store {
    directory: PathBuf,
}

impl Store {
    /// Uses a directory, made if it is not there. Temporary files left behind in it are removed, and
    /// logs of tables that are whole.
    pub(in crate::tables) fn open(directory: &Path) -> io::Result<Self> {
        fs::create_dir_all(directory)?;
        let store = Self { directory: directory.to_owned() };
        store.sweep();
        Ok(store)
    }

    fn sweep(&self) {
        let Ok(entries) = fs::read_dir(&self.directory) else { return };
        for entry in entries.flatten() {
            let old = entry.metadata().and_then(|data| data.modified()).is_ok_and(|changed| {
                SystemTime::now().duration_since(changed).is_ok_and(|age| age > STALE)
            });
            let (name, path) = (entry.file_name(), entry.path());
            if old && name.to_string_lossy().starts_with(TEMPORARY) {
                // Another process may have swept it first.
                let _ = fs::remove_file(&path);
                remove_left_log(&path);
            }
            let is_log = path.extension().is_some_and(|ending| ending == LOG);
            if is_log && path.with_extension(Kind::Whole.extension()).exists() {
                remove_left_log(&path);
            }
        }
    }

    /// The directory of the log of an unfinished table of six men.
    pub(in crate::tables) fn log(&self, material: Material) -> PathBuf {
        self.directory.join(format!("{material}.{LOG}"))
    }

    /// A directory under a temporary name, removed when it is dropped.
    pub(in crate::tables) fn temporary_directory(&self) -> io::Result<TempDir> {
        tempfile::Builder::new().prefix(TEMPORARY).tempdir_in(&self.directory)
    }

    /// The directory.
    pub(in crate::tables) fn directory(&self) -> &Path {
        &self.directory
    }

    /// The file of a signature.
    pub(in crate::tables) fn path(&self, material: Material, kind: Kind) -> PathBuf {
        self.directory.join(format!("{material}.{}", kind.extension()))
    }

    /// The stored table, if there is one. Blocks are checked as they are read; those of a part,
    /// which is small, now.
    pub(in crate::tables) fn load(
        &self,
        material: Material,
        kind: Kind,
    ) -> Option<Result<Packed, Damage>> {
        let read = Packed::new(material, kind, self.map(material, kind)?);
        Some(read.and_then(|packed| {
            if kind == Kind::Part { packed.check().map(|()| packed) } else { Ok(packed) }
        }))
    }

    /// The stored table read into memory, if there is one. Blocks are checked as they are read.
    pub(in crate::tables) fn read(
        &self,
        material: Material,
        kind: Kind,
    ) -> Option<Result<Packed, Damage>> {
        let path = self.path(material, kind);
        let bytes = is_regular(&path).then(|| fs::read(&path).ok())??;
        Some(Packed::new(material, kind, Image::Heap(bytes)))
    }

    /// The bytes of a table file, mapped where the system can do that.
    pub(in crate::tables) fn map(&self, material: Material, kind: Kind) -> Option<Image> {
        Image::open(&self.path(material, kind))
    }

    /// A file under a temporary name, to be published. It is removed when it is dropped.
    pub(in crate::tables) fn temporary(&self) -> io::Result<NamedTempFile> {
        temporary(&self.directory)
    }

    /// The solved slices of a table that is not whole yet.
    pub(in crate::tables) fn shelf(&self, material: Material) -> Shelf {
        Shelf::new(&self.directory, material)
    }

    /// Gives a file that has been written whole and flushed its name.
    pub(in crate::tables) fn publish(
        &self,
        material: Material,
        kind: Kind,
        file: NamedTempFile,
    ) -> Result<(), tempfile::PersistError> {
        file.persist(self.path(material, kind))?;
        if kind == Kind::Whole {
            // There need not be one.
            let _ = fs::remove_file(self.path(material, Kind::Part));
            self.shelf(material).clear();
        }
        // Only how soon the name is safe from a power failure hangs on this.
        let _ = fs::File::open(&self.directory).and_then(|directory| directory.sync_all());
        Ok(())
    }

    /// Renames a damaged file out of the way and returns its new name.
    pub(in crate::tables) fn set_aside(
        &self,
        material: Material,
        kind: Kind,
    ) -> io::Result<PathBuf> {
        let path = self.path(material, kind);
        let aside = path.with_extension(format!("{}.damaged", kind.extension()));
        fs::rename(path, &aside)?;
        Ok(aside)
    }

    /// The signatures that have a file, in order.
    pub(in crate::tables) fn list(&self) -> io::Result<Vec<(Material, Kind)>> {
        let mut found: Vec<(Material, Kind)> = Vec::new();
        for entry in fs::read_dir(&self.directory)? {
            let path = entry?.path();
            let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
            let Some(material) = stem.and_then(|s| s.parse().ok()) else { continue };
            found.extend(
                Kind::SINGLE
                    .into_iter()
                    .filter(|&kind| self.path(material, kind) == path)
                    .map(|kind| (material, kind)),
            );
        }
        found.sort_by_key(|(m, kind)| (m.men(), m.to_string(), *kind));
        debug_assert!(found.iter().all(|(m, _)| m.men() <= MAX_STORED_MEN));
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A process that has stored its table may be killed before its log is gone.
    #[test]
    fn the_log_of_a_stored_table_is_swept() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        for name in ["KRNvKNN.levels", "KBBvKNN.levels", "KRBvKNN.levels", "KRNvKBN.other"] {
            fs::create_dir(at(name)).unwrap();
            fs::write(at(name).join("king-0"), "frames").unwrap();
        }
        for name in ["KRNvKNN.theta", "KBBvKNN.theta", "KRNvKBN.theta"] {
            fs::write(at(name), "table").unwrap();
        }
        let in_use = fs::File::create(at("KBBvKNN.levels").join("lock")).unwrap();
        in_use.lock_shared().unwrap();
        Store::open(directory.path()).unwrap();
        assert!(!at("KRNvKNN.levels").exists());
        assert!(at("KBBvKNN.levels").join("king-0").exists(), "of a process at work");
        assert!(at("KRBvKNN.levels").join("king-0").exists(), "its table is not there");
        assert!(at("KRNvKBN.other").exists());
    }
}
