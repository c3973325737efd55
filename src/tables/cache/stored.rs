//! The tables in the cache directory: listed and checked, put there, set aside when they are
//! damaged.

use std::io;
use std::path::PathBuf;

use tempfile::NamedTempFile;

use crate::limits::Budget;

use super::store::Store;
use super::tables::Tables;
use crate::tables::TableError;
use crate::tables::file::damage::Damage;
use crate::tables::file::draft::Finished;
use crate::tables::file::format::Kind;
use crate::tables::file::packed::{Image, Packed};
use crate::tables::index::material::Material;

/// What is known of a stored table.
#[derive(Debug, Clone, serde::Serialize)]
pub struct TableInfo {
    /// The signature, as printed.
    pub material: String,
    /// The file.
    pub path: PathBuf,
    /// Bytes of the file; 0 if it cannot be read.
    pub bytes: u64,
    /// The longest distance to mate in plies.
    pub longest: Option<u16>,
    /// How much of the table the file holds, if it is a part.
    pub part: Option<Portion>,
    /// What is wrong with it, if anything.
    pub damage: Option<String>,
}

/// Some slices of a table: placements of its pawns, mirror images counted once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Portion {
    /// Slices in the file.
    pub solved: usize,
    /// Slices of the whole table.
    pub of: usize,
}

impl Tables {
    /// Whether the cache directory has the whole table of this signature.
    pub fn is_stored(&self, material: Material) -> bool {
        self.store.as_ref().is_some_and(|store| store.path(material, Kind::Whole).exists())
    }

    /// The tables in the cache directory; with `verify`, every block is checked and a damaged file
    /// set aside.
    ///
    /// # Errors
    /// [`TableError::Cache`] when the directory cannot be read.
    pub fn stored(&self, verify: bool) -> Result<Vec<TableInfo>, TableError> {
        let Some(store) = &self.store else { return Ok(Vec::new()) };
        let cache = |error| TableError::Cache { path: store.directory().to_owned(), error };
        let mut found = Vec::new();
        for (material, kind) in store.list().map_err(cache)? {
            let path = store.path(material, kind);
            let read = store.load(material, kind).unwrap_or(Err(Damage::Length));
            let checked =
                read.and_then(
                    |packed| if verify { packed.verify().map(|()| packed) } else { Ok(packed) },
                );
            let bytes = std::fs::metadata(&path).map_or(0, |data| data.len());
            let name = material.to_string();
            let mut info =
                TableInfo { material: name, path, bytes, longest: None, part: None, damage: None };
            match checked {
                Ok(packed) => {
                    info.longest = Some(packed.longest());
                    let portion =
                        || Portion { solved: packed.slices(), of: packed.layout.slices() };
                    info.part = (kind == Kind::Part).then(portion);
                }
                Err(damage) => {
                    info.damage = Some(damage.to_string());
                    if verify && let Ok(aside) = store.set_aside(material, kind) {
                        info.path = aside;
                    }
                }
            }
            found.push(info);
        }
        Ok(found)
    }

    /// A file under a temporary name, if there is a cache directory.
    pub(in crate::tables) fn temporary(&self) -> io::Result<Option<NamedTempFile>> {
        self.store.as_ref().map(Store::temporary).transpose()
    }

    /// Puts a finished file into the store, or notes why it stays in memory.
    pub(in crate::tables) fn keep(
        &self,
        material: Material,
        kind: Kind,
        file: Finished,
        budget: &Budget,
    ) -> Result<Image, TableError> {
        let Some(store) = &self.store else { return file.into_bytes().map(Image::Heap) };
        let (error, file) = match file {
            Finished::Memory(bytes, None) => return Ok(Image::Heap(bytes)),
            Finished::Memory(bytes, Some(error)) => (error, Finished::Memory(bytes, None)),
            Finished::Disk(file) => match store.publish(material, kind, file) {
                Ok(()) => {
                    let gone = || TableError::Damaged { material, damage: Damage::SetAside };
                    return store.map(material, kind).ok_or_else(gone);
                }
                Err(refused) => (refused.error, Finished::Disk(refused.file)),
            },
        };
        let (what, directory) =
            (if kind == Kind::Whole { "the" } else { "a part of" }, store.directory().display());
        budget.progress().note(&format!(
            "{what} table {material} is kept in memory only: {directory} cannot be written: {error}"
        ));
        file.into_bytes().map(Image::Heap)
    }

    /// Sets a damaged file aside and says so.
    pub(in crate::tables) fn note_damage(
        &self,
        store: &Store,
        material: Material,
        kind: Kind,
        damage: Damage,
        budget: &Budget,
    ) {
        let path = store.path(material, kind);
        let aside = store
            .set_aside(material, kind)
            .map_or_else(|e| e.to_string(), |p| p.display().to_string());
        budget
            .progress()
            .note(&format!("{}: {damage}; set aside as {aside}, built anew", path.display()));
    }

    /// The stored part of a table, if there is one and it is sound.
    pub(in crate::tables) fn stored_part(
        &self,
        material: Material,
        budget: &Budget,
    ) -> Option<Packed> {
        let store = self.store.as_ref()?;
        match store.load(material, Kind::Part)? {
            Ok(packed) => Some(packed),
            Err(damage) => {
                self.note_damage(store, material, Kind::Part, damage, budget);
                None
            }
        }
    }

    /// Forgets a damaged part and sets its file aside.
    pub(in crate::tables) fn damaged_part(&self, material: Material, damage: Damage) -> TableError {
        self.parts.forget(material);
        if let Some(store) = &self.store {
            // If it cannot be renamed, the next part is written over it.
            let _ = store.set_aside(material, Kind::Part);
        }
        TableError::Damaged { material, damage }
    }
}
