//! The tables in the cache directory: listed and checked, put there, set aside when they are
//! damaged.

use std::io;
use std::path::PathBuf;

use tempfile::NamedTempFile;

use crate::limits::{Budget, StopReason};

use super::store::Store;
use super::tables::{Entry, Tables};
use crate::tables::TableError;
use crate::tables::file::damage::Damage;
use crate::tables::file::draft::Finished;
use crate::tables::file::format::Kind;
use crate::tables::file::image::Image;
use crate::tables::file::packed::Packed;
use crate::tables::index::material::{MAX_MEN, Material};
use crate::tables::solve::memory::{MEN_IN_MEMORY, bytes_to_solve};

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
    /// Whether it holds the positions with the first-named side to move alone.
    pub one_sided: bool,
    /// What is wrong with it, if anything.
    pub damage: Option<String>,
    /// Whether every value was compared with those that its moves lead to; not of six men, nor of
    /// one side to move.
    pub checked: bool,
}

/// What is known of a file that was read; with `aside`, a damaged one is set aside.
fn info(
    store: &Store,
    material: Material,
    kind: Kind,
    read: &Result<Packed, Damage>,
    aside: bool,
) -> TableInfo {
    let path = store.path(material, kind);
    let bytes = std::fs::metadata(&path).map_or(0, |data| data.len());
    let material_name = material.to_string();
    let mut info = TableInfo {
        material: material_name,
        path,
        bytes,
        longest: None,
        part: None,
        one_sided: kind == Kind::OneSided,
        damage: None,
        checked: false,
    };
    match read {
        Ok(packed) => {
            info.longest = Some(packed.longest());
            let portion = || Portion { solved: packed.slices(), of: packed.layout.slices() };
            info.part = (kind == Kind::Part).then(portion);
        }
        Err(damage) => {
            info.damage = Some(damage.to_string());
            if aside
                && *damage != Damage::Version
                && let Ok(aside) = store.set_aside(material, kind)
            {
                info.path = aside;
            }
        }
    }
    info
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

    /// The tables in the cache directory; with `verify`, the checksum of every block is checked and
    /// a damaged file set aside.
    ///
    /// # Errors
    /// [`TableError::Cache`] when the directory cannot be read.
    pub fn stored(&self, verify: bool) -> Result<Vec<TableInfo>, TableError> {
        let Some(store) = &self.store else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for (material, kind) in self.list(store)? {
            let read = store.load(material, kind).unwrap_or(Err(Damage::Length));
            let whole = |packed: Packed| packed.verify().map(|()| packed);
            let checked = if verify { read.and_then(whole) } else { read };
            found.push(info(store, material, kind, &checked, verify));
        }
        Ok(found)
    }

    /// The tables in the cache directory, every value of each compared with those that its moves
    /// lead to: a table that passes is right, whoever wrote it (of six men, every block is checked and
    /// random positions are compared, and a note says so). Wrong and damaged files are set
    /// aside. What a table depends on and is not stored is solved. With the reason why it ended
    /// early, if it did.
    ///
    /// # Errors
    /// [`TableError::Cache`] when the directory cannot be read.
    pub fn verify_stored(
        &self,
        budget: &Budget,
        each: &mut dyn FnMut(&TableInfo),
    ) -> Result<Option<StopReason>, TableError> {
        let Some(store) = &self.store else { return Ok(None) };
        let tables = self.checking();
        let mut listed = self.list(store)?;
        // Those that others' captures and promotions lead to come first.
        listed.sort_by_key(|(m, _)| (m.men() > MEN_IN_MEMORY).then(|| (m.men(), m.pawns())));
        for (material, kind) in listed {
            let read = match tables.checked(store, material, kind, budget) {
                Err(TableError::Stopped(reason)) => return Ok(Some(reason)),
                Err(TableError::Damaged { material: of, damage }) if of == material => Err(damage),
                read => Ok(read?),
            };
            // A part goes when the whole table comes, which another one may have needed.
            if kind == Kind::Part && read.is_err() && !store.path(material, kind).exists() {
                continue;
            }
            let mut info = info(store, material, kind, &read, true);
            let sampled = info.one_sided || material.is_one_large_slice();
            info.checked = info.damage.is_none() && !sampled;
            each(&info);
            match (read, kind) {
                (Ok(packed), Kind::Whole) => tables.put(material, Entry::new(packed, None)),
                (Ok(packed), Kind::OneSided) => tables.one_sided.put(material, packed),
                _ => {}
            }
        }
        Ok(None)
    }

    /// A stored table or part, every value checked; what it depends on is made ready first. What is
    /// wrong with it is [`TableError::Damaged`], with its own signature.
    fn checked(
        &self,
        store: &Store,
        material: Material,
        kind: Kind,
        budget: &Budget,
    ) -> Result<Packed, TableError> {
        self.forget_raw(&material.children());
        let read = || store.load(material, kind).unwrap_or(Err(Damage::Length));
        let packed = || read().map_err(|damage| TableError::Damaged { material, damage });
        if kind == Kind::OneSided {
            self.check_one_sided(packed()?, budget)?;
            return packed();
        }
        if material.is_one_large_slice() {
            material.children().into_iter().try_for_each(|child| self.ensure(child, budget))?;
            self.check_large(packed()?, budget)?;
            return packed();
        }
        budget.check(0, bytes_to_solve(&[material], budget.limits().memory))?;
        material.children().into_iter().try_for_each(|child| self.ensure(child, budget))?;
        // Files of six men are too large to be read into memory first.
        let read = if material.men() > MAX_MEN {
            store.load(material, kind)
        } else {
            store.read(material, kind)
        };
        let packed = read
            .unwrap_or(Err(Damage::Length))
            .map_err(|damage| TableError::Damaged { material, damage })?;
        match kind {
            Kind::Whole => self.check_values(&packed, budget)?,
            _ => self.check_part(&packed, budget)?,
        }
        Ok(packed)
    }

    fn list(&self, store: &Store) -> Result<Vec<(Material, Kind)>, TableError> {
        let cache = |error| TableError::Cache { path: store.directory().to_owned(), error };
        store.list().map_err(cache)
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

    /// Sets a damaged file aside and says so. One of another format is written over when its table
    /// has been built anew.
    pub(in crate::tables) fn note_damage(
        &self,
        store: &Store,
        material: Material,
        kind: Kind,
        damage: Damage,
        budget: &Budget,
    ) {
        let path = store.path(material, kind);
        if damage == Damage::Version {
            return budget.progress().note(&format!("{}: {damage}; built anew", path.display()));
        }
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
