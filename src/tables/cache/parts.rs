//! The parts at hand: of some signatures the slices that a position needed.

use hashbrown::{HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::tables::file::damage::Damage;
use crate::tables::file::packed::Packed;
use crate::tables::index::material::Material;
use crate::tables::index::probe::Query;
use crate::tables::index::value::Relative;

/// The parts at hand.
#[derive(Debug, Default)]
pub(in crate::tables) struct Parts(RwLock<Known>);

#[derive(Debug, Default)]
pub(super) struct Known {
    tables: HashMap<Material, Arc<Packed>>,
    /// Slices from which everything that can arise is at hand.
    pub(super) ready: HashSet<(Material, usize)>,
    /// Signatures of which a part had to be solved here: when that does not do, the whole table is
    /// solved.
    pub(super) grown: HashSet<Material>,
}

impl Parts {
    pub(super) fn read(&self) -> RwLockReadGuard<'_, Known> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn write(&self) -> RwLockWriteGuard<'_, Known> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn get(&self, material: Material) -> Option<Arc<Packed>> {
        self.read().tables.get(&material).cloned()
    }

    pub(super) fn put(&self, material: Material, part: Packed) {
        self.write().tables.insert(material, Arc::new(part));
    }

    /// Forgets a part: it is damaged, or the whole table has come.
    pub(in crate::tables) fn forget(&self, material: Material) {
        let mut known = self.write();
        known.tables.remove(&material);
        known.ready.clear();
    }

    /// The value of a position, if its slice is at hand.
    pub(in crate::tables) fn value(&self, query: &Query) -> Result<Option<Relative>, Damage> {
        let Some(part) = self.get(query.material) else { return Ok(None) };
        let squares = query.squares(&part.layout);
        if !part.has(part.layout.slice(&squares).0) {
            return Ok(None);
        }
        part.value(query.to_move, query.king, query.other, &squares)
    }
}
