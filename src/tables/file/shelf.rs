//! The solved slices of a table that is not whole yet, some together in a file of their own.
//!
//! A large table is solved group by group of slices ([`groups`]), and each group is stored as soon
//! as it is solved: what one process has solved another one reads, and whatever ends the work loses
//! no more than the groups that were being solved. The file of a group ([`super::format`]) lies
//! under a name with the numbers of its slices, `KRPvKR.8-9.slices`; when the whole table has its
//! name these files go.

use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::damage::Damage;
use super::draft::{Draft, Finished};
use super::format::{Kind, PackedSlice};
use super::image::Image;
use super::packed::Packed;
use crate::tables::TableError;
use crate::tables::index::layout::Layout;
use crate::tables::index::material::Material;
use crate::tables::index::value::DEEP;

/// How the names of files begin that are being written.
pub(in crate::tables) const TEMPORARY: &str = ".building-";

/// A file under a temporary name, removed when it is dropped.
pub(in crate::tables) fn temporary(directory: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(TEMPORARY).tempfile_in(directory)
}

/// The file of a group of slices, each with its longest distance in plies.
fn written(
    layout: &Layout,
    group: &Range<usize>,
    solved: &[(PackedSlice, u16)],
    file: Option<NamedTempFile>,
) -> Result<Finished, TableError> {
    let mut draft = Draft::group(layout, group.clone(), file);
    for (packed, longest) in solved {
        // The header says on which scale the bytes are.
        draft.push(packed, if layout.deep { DEEP.max(*longest) } else { *longest })?;
    }
    draft.finish()
}

/// A group of slices kept in memory, to be read block by block as one in a file is.
pub(in crate::tables) fn in_memory(
    layout: &Layout,
    group: &Range<usize>,
    solved: &[(PackedSlice, u16)],
) -> Result<Packed, TableError> {
    let image = Image::Heap(written(layout, group, solved, None)?.into_bytes()?);
    let material = layout.material;
    Packed::new(material, Kind::Group, image)
        .map_err(|damage| TableError::Damaged { material, damage })
}

/// Where the solved slices of one signature lie.
#[derive(Debug, Clone)]
pub(in crate::tables) struct Shelf {
    directory: PathBuf,
    material: Material,
}

impl Shelf {
    pub(in crate::tables) fn new(directory: &Path, material: Material) -> Self {
        Self { directory: directory.to_owned(), material }
    }

    /// The file of a group of slices.
    pub(in crate::tables) fn path(&self, group: &Range<usize>) -> PathBuf {
        self.directory.join(format!("{}.{}-{}.slices", self.material, group.start, group.end - 1))
    }

    /// A stored group, every byte checked; `None` if it is not stored. A damaged file is set aside.
    pub(in crate::tables) fn load(&self, group: &Range<usize>) -> Option<Result<Packed, Damage>> {
        let path = self.path(group);
        let read = Packed::new(self.material, Kind::Group, Image::open(&path)?);
        let whole = |packed: Packed| {
            packed.check()?;
            if group.clone().all(|slice| packed.has(slice)) {
                Ok(packed)
            } else {
                Err(Damage::Length)
            }
        };
        let read = read.and_then(whole);
        if read.is_err() {
            // If it cannot be renamed, it is written over.
            let _ = fs::rename(&path, path.with_extension("slices.damaged"));
        }
        Some(read)
    }

    /// Stores a group, each slice with its longest distance in plies, and returns it as stored.
    ///
    /// # Errors
    /// [`TableError::Cache`] when it cannot be written.
    pub(in crate::tables) fn put(
        &self,
        layout: &Layout,
        group: &Range<usize>,
        solved: &[(PackedSlice, u16)],
    ) -> Result<Packed, TableError> {
        let path = self.path(group);
        let refused = |error| TableError::Cache { path: path.clone(), error };
        let file = temporary(&self.directory).map_err(refused)?;
        match written(layout, group, solved, Some(file))? {
            Finished::Disk(file) => {
                file.persist(&path).map_err(|error| refused(error.error))?;
            }
            Finished::Memory(_, error) => {
                return Err(refused(error.unwrap_or_else(|| io::ErrorKind::StorageFull.into())));
            }
        }
        let gone = || TableError::Damaged { material: self.material, damage: Damage::SetAside };
        let image = Image::open(&path).ok_or_else(gone)?;
        Packed::new(self.material, Kind::Group, image)
            .map_err(|damage| TableError::Damaged { material: self.material, damage })
    }

    /// Removes the files of all groups.
    pub(in crate::tables) fn clear(&self) {
        let start = format!("{}.", self.material);
        for entry in fs::read_dir(&self.directory).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with(&start) && name.ends_with(".slices") {
                // Another process may have removed it first.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}
