//! Table files in a cache directory.
//!
//! A file is written under a temporary name, flushed to the device, renamed into place, and the directory
//! flushed: whatever happens, the name stands for a whole table or for none, and processes that build the
//! same table at the same time each put down a whole one. Files that turn out damaged are renamed aside.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::format::File;
use super::mapped::Mapped;
use super::material::{MAX_MEN, Material};
use super::packed::{Damage, Image, Packed};

const EXTENSION: &str = "theta";
const TEMPORARY: &str = ".building-";
/// Temporary files older than this were left behind by a process that died.
const STALE: Duration = Duration::from_secs(3600);

/// A directory of table files.
#[derive(Debug)]
pub(super) struct Store {
    directory: PathBuf,
}

impl Store {
    /// Uses a directory, made if it is not there. Temporary files left behind in it are removed.
    pub(super) fn open(directory: &Path) -> io::Result<Self> {
        fs::create_dir_all(directory)?;
        let store = Self { directory: directory.to_owned() };
        store.sweep();
        Ok(store)
    }

    fn sweep(&self) {
        let Ok(entries) = fs::read_dir(&self.directory) else { return };
        for entry in entries.flatten() {
            let old = entry
                .metadata()
                .and_then(|data| data.modified())
                .is_ok_and(|changed| SystemTime::now().duration_since(changed).is_ok_and(|age| age > STALE));
            if old && entry.file_name().to_string_lossy().starts_with(TEMPORARY) {
                // Another process may have swept it first.
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// The directory.
    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    /// The file of a signature.
    pub(super) fn path(&self, material: Material) -> PathBuf {
        self.directory.join(format!("{material}.{EXTENSION}"))
    }

    /// The stored table, if there is one.
    pub(super) fn load(&self, material: Material) -> Option<Result<Packed, Damage>> {
        Some(Packed::new(material, self.map(material)?))
    }

    /// The bytes of a table file.
    pub(super) fn map(&self, material: Material) -> Option<Image> {
        Mapped::open(&self.path(material)).ok().map(Image::File)
    }

    /// Writes a table file.
    pub(super) fn save(&self, material: Material, table: &File) -> io::Result<()> {
        let mut file = tempfile::Builder::new().prefix(TEMPORARY).tempfile_in(&self.directory)?;
        table.write(&mut file)?;
        file.as_file().sync_all()?;
        file.persist(self.path(material)).map_err(|error| error.error)?;
        fs::File::open(&self.directory)?.sync_all()
    }

    /// Renames a damaged file out of the way and returns its new name.
    pub(super) fn set_aside(&self, material: Material) -> io::Result<PathBuf> {
        let path = self.path(material);
        let aside = path.with_extension(format!("{EXTENSION}.damaged"));
        fs::rename(path, &aside)?;
        Ok(aside)
    }

    /// The signatures that have a file, in order.
    pub(super) fn list(&self) -> io::Result<Vec<Material>> {
        let mut found: Vec<Material> = Vec::new();
        for entry in fs::read_dir(&self.directory)? {
            let path = entry?.path();
            let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
            if path.extension().is_some_and(|e| e == EXTENSION)
                && let Some(material) = stem.and_then(|s| s.parse().ok())
                && self.path(material) == path
            {
                found.push(material);
            }
        }
        found.sort_by_key(|m| (m.men(), m.to_string()));
        debug_assert!(found.iter().all(|m| m.men() <= MAX_MEN));
        Ok(found)
    }
}
