//! Stored tables checked before they are believed.
//!
//! A file in the cache directory may have been changed and given a fitting checksum. What is proved
//! with tables (the rules that certificates cite) is proved with tables that were checked first:
//! read into memory, where nobody changes them any more, and every value compared with those that
//! its moves lead to ([`consistent`]). Engines believe stored tables, but look at some positions of
//! each table that they open.

use hashbrown::HashMap;
use std::path::PathBuf;
use std::sync::PoisonError;

use crate::chess::board::Board;
use crate::limits::Budget;

use super::tables::{Entry, Tables};
use super::trust::{Estimate, Provenance, Trust};
use crate::tables::TableError;
use crate::tables::file::damage::Damage;
use crate::tables::file::format::Kind;
use crate::tables::file::packed::Packed;
use crate::tables::index::material::{MAX_MEN, Material};
use crate::tables::solve::consistent;
use crate::tables::solve::memory::{bytes_of_each, bytes_to_solve};

/// Positions that are sampled of a table when it is opened.
const SAMPLES: usize = 8;

/// A seed of its own for each signature.
fn seed_of(material: Material) -> u64 {
    let mix = |h: u64, b: u8| h.wrapping_mul(31).wrapping_add(b.into());
    material.to_string().bytes().fold(1, mix)
}

impl Tables {
    /// The same tables, believed so far.
    #[must_use]
    pub fn with_trust(mut self, trust: Trust) -> Self {
        self.trust = trust;
        self
    }

    /// Where the table of a signature comes from, and those it depends on: the least trusted of
    /// them. Those that are not at hand count as solved.
    pub fn provenance(&self, material: Material) -> Provenance {
        let known = self.origins.read().unwrap_or_else(PoisonError::into_inner);
        let of = |m: &Material| known.get(m).copied().unwrap_or(Provenance::Solved);
        material.closure().iter().map(of).max().unwrap_or(Provenance::Solved)
    }

    /// What [`Tables::ensure`] of these signatures would take. A millisecond for each table.
    pub fn estimate(&self, materials: &[Material]) -> Estimate {
        self.estimate_together(materials, 1, None)
    }

    /// What they take when so many processes solve them together, each under this limit of memory.
    pub fn estimate_together(
        &self,
        materials: &[Material],
        processes: usize,
        memory: Option<u64>,
    ) -> Estimate {
        let mut closure: Vec<Material> = Vec::new();
        for material in materials.iter().flat_map(|m| m.closure()) {
            if !closure.contains(&material) && !self.is_ready(material) {
                closure.push(material);
            }
        }
        let (check, solve): (Vec<Material>, Vec<Material>) =
            closure.into_iter().partition(|&m| self.is_stored(m));
        let layout = crate::tables::index::layout::Layout::new;
        let positions_of = |list: &[Material]| list.iter().map(|&m| layout(m).positions()).sum();
        let to_solve: u64 = positions_of(&solve);
        let six = solve.iter().copied().filter(|m| m.men() > MAX_MEN);
        let (pawned, six): (Vec<Material>, Vec<Material>) = six.partition(Material::has_pawns);
        let positions = to_solve + positions_of(&check);
        let stored = |m: &Material| self.path(*m).and_then(|path| path.metadata().ok());
        let files: u64 = check.iter().filter_map(stored).map(|data| data.len()).sum();
        let checking =
            if self.trust == Trust::Checked { bytes_to_solve(&check, None) + files } else { 0 };
        let bytes = bytes_of_each(&solve, memory, processes).max(checking);
        let (to_solve_of_six, to_solve_of_six_with_pawns) =
            (positions_of(&six), positions_of(&pawned));
        Estimate {
            solve,
            check,
            bytes,
            positions,
            to_solve,
            to_solve_of_six,
            to_solve_of_six_with_pawns,
        }
    }

    /// The file of a signature's table, if there is a cache directory.
    pub fn path(&self, material: Material) -> Option<PathBuf> {
        Some(self.store.as_ref()?.path(material, Kind::Whole))
    }

    /// Makes tables available that are checked or solved, each after those it depends on.
    pub(in crate::tables) fn ensure_checked(
        &self,
        closure: &[Material],
        budget: &Budget,
    ) -> Result<(), TableError> {
        for &material in closure {
            if self.get(material).is_some() {
                continue;
            }
            budget.check(0, bytes_to_solve(&[material], budget.limits().memory))?;
            self.forget_raw(&material.children());
            if !self.take_checked(material, budget)? {
                budget.progress().stage(&format!("table {material}"), None);
                self.build(material, budget)?;
            }
        }
        Ok(())
    }

    /// Reads the stored table of a signature into memory, checks it and puts it on the shelf.
    /// Whether there was a right one; a wrong one is set aside.
    fn take_checked(&self, material: Material, budget: &Budget) -> Result<bool, TableError> {
        let Some(store) = &self.store else { return Ok(false) };
        // Not every value of six men can be compared in memory: such a table is solved anew.
        if material.men() > MAX_MEN {
            return Ok(false);
        }
        let damage = match store.read(material, Kind::Whole) {
            None => return Ok(false),
            Some(Err(damage)) => damage,
            Some(Ok(packed)) => match self.check_values(&packed, budget) {
                Ok(()) => {
                    self.note_origin(material, Provenance::Checked);
                    self.put(material, Entry::new(packed, None));
                    return Ok(true);
                }
                Err(TableError::Damaged { material: of, damage }) if of == material => damage,
                Err(error) => return Err(error),
            },
        };
        self.note_damage(store, material, Kind::Whole, damage, budget);
        Ok(false)
    }

    /// Checks every value of a table whose children are at hand.
    pub(in crate::tables) fn check_values(
        &self,
        packed: &Packed,
        budget: &Budget,
    ) -> Result<(), TableError> {
        let material = packed.layout.material;
        if packed.slices() < packed.layout.slices() {
            return Err(TableError::Damaged { material, damage: Damage::Length });
        }
        budget.progress().stage(&format!("checking table {material}"), None);
        consistent::check(packed, &self.children(material)?, budget)
    }

    /// Checks every value of a stored part of a table, against tables that are made ready first.
    pub(in crate::tables) fn check_part(
        &self,
        part: &Packed,
        budget: &Budget,
    ) -> Result<(), TableError> {
        let material = part.layout.material;
        material.children().into_iter().try_for_each(|child| self.ensure(child, budget))?;
        let children = self.children(material)?;
        let gap = |slice: usize| part.layout.ahead(slice).into_iter().any(|next| !part.has(next));
        if (0..part.layout.slices()).any(|slice| part.has(slice) && gap(slice)) {
            return Err(TableError::Damaged { material, damage: Damage::Length });
        }
        consistent::check(part, &children, budget)
    }

    pub(in crate::tables) fn note_origin(&self, material: Material, origin: Provenance) {
        self.origins.write().unwrap_or_else(PoisonError::into_inner).insert(material, origin);
    }

    /// Compares some positions of the stored tables of a list, all at hand, with their successors.
    ///
    /// # Errors
    /// [`TableError::Damaged`] of the table that is wrong, or of one that it depends on and that
    /// cannot be read; it is set aside.
    pub(in crate::tables) fn sample_stored(&self, closure: &[Material]) -> Result<(), TableError> {
        let believed = |material: &&Material| {
            let origins = self.origins.read().unwrap_or_else(PoisonError::into_inner);
            origins.get(*material) == Some(&Provenance::Believed)
        };
        let fresh = |material: &&Material| {
            let mut sampled = self.sampled.write().unwrap_or_else(PoisonError::into_inner);
            sampled.insert(**material)
        };
        for &material in closure.iter().filter(believed).filter(fresh) {
            for board in Self::sample(material, seed_of(material)).take(SAMPLES) {
                if !self.follows(&board)? {
                    return Err(self.damaged(material, Damage::Value(board.packed())));
                }
            }
        }
        Ok(())
    }

    /// Whether the value of a position is the best that its moves lead to, all tables at hand.
    pub(in crate::tables) fn follows(&self, board: &Board) -> Result<bool, TableError> {
        let Some(value) = self.probe(board)? else { return Ok(true) };
        let expected = self.best_of_moves(board)?;
        Ok(expected.is_none_or(|expected| value == expected))
    }

    /// The first stored table that is wrong among those that a signature rests on, fully checked; it
    /// is set aside. Their message names the file.
    ///
    /// # Errors
    /// The budget's end.
    pub fn audit(&self, material: Material, budget: &Budget) -> Result<Vec<String>, TableError> {
        let checked = self.checking();
        let mut wrong: HashMap<Material, String> = HashMap::new();
        for m in material.closure() {
            let stored = checked.path(m).filter(|path| path.is_file());
            if !checked.take_checked(m, budget)? {
                if let Some(path) = stored {
                    let text = format!("the stored table {m} is wrong: {}", path.display());
                    wrong.insert(m, text);
                }
                checked.build(m, budget)?;
            }
        }
        Ok(wrong.into_values().collect())
    }
}
