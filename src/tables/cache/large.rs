//! Tables of six men: solved when they are named, and used where they are at hand.

use hashbrown::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use rayon::prelude::*;
use tempfile::TempDir;

use crate::chess::board::Board;
use crate::limits::Budget;

use super::tables::{Entry, Tables};
use super::trust::{Provenance, Trust};
use crate::tables::TableError;
use crate::tables::file::damage::Damage;
use crate::tables::file::draft::Draft;
use crate::tables::file::format::Kind;
use crate::tables::file::packed::Packed;
use crate::tables::file::source::Source;
use crate::tables::index::material::{MAX_MEN, Material};
use crate::tables::index::probe::Query;
use crate::tables::solve::large;
use crate::tables::solve::share::Others;

/// Random positions of a table that are compared with their successors, and how many of them one
/// thread takes at a time.
const SAMPLED: u64 = 1_000_000;
const SAMPLED_AT_ONCE: u64 = 100;

/// Where the log of an unfinished table is kept.
enum Place {
    /// Beside the tables: it outlives the process.
    Kept(PathBuf),
    /// In a directory without tables, or where nothing that is found is believed.
    Passing(TempDir),
}

impl Tables {
    /// The signature of a position whose value can be had: [`Tables::covers`] it, or it has six men
    /// and its table, built by name, is at hand with those it depends on. A microsecond for
    /// positions of six men whose table is not.
    pub fn material_at_hand(&self, board: &Board, budget: &Budget) -> Option<Material> {
        let material = Query::new(board)?.material;
        (material.men() <= MAX_MEN || self.is_at_hand(material, budget)).then_some(material)
    }

    /// Solves a signature of six men whose children are at hand, and stores it. Its log lies beside
    /// the tables until then, so that the same call goes on where an interrupted one was. Of several
    /// processes that solve it together process 0 stores it.
    pub(in crate::tables) fn build_large(
        &self,
        material: Material,
        others: Option<&dyn Others>,
        budget: &Budget,
    ) -> Result<(), TableError> {
        let place = self.log_place(material)?;
        let path = match &place {
            Place::Kept(path) => path.as_path(),
            Place::Passing(directory) => directory.path(),
        };
        let children = || self.raw_children(material);
        let Some(solved) = large::solve(material, children, path, others, budget)? else {
            return Ok(());
        };
        let log = solved.log_bytes().div_ceil(1 << 20);
        budget.progress().stage(&format!("writing {material} from a log of {log} MiB"), None);
        let refused =
            |error| TableError::Cache { path: self.path(material).unwrap_or_default(), error };
        let mut draft = match self.temporary().map_err(refused)? {
            Some(file) => Draft::large(solved.layout(), Kind::Whole, file),
            None => Draft::new(solved.layout(), Kind::Whole, Ok(None)),
        };
        solved.write(&mut draft, budget)?;
        let image = self.keep(material, Kind::Whole, draft.finish()?, budget)?;
        let packed = Packed::new(material, Kind::Whole, self.unchanging(image))
            .map_err(|damage| self.damaged(material, damage))?;
        let origin = if solved.found { Provenance::Believed } else { Provenance::Solved };
        self.note_origin(material, origin);
        self.put(material, Entry::new(packed, None));
        if self.is_stored(material) {
            solved.remove_log();
        }
        Ok(())
    }

    /// Looks at a stored table of six men: every block, and random positions, each compared with
    /// those that its moves lead to. Comparing every value would take its codes of one side to move
    /// in memory, ten gigabytes. About 0.1 ms a position.
    ///
    /// # Errors
    /// [`TableError::Damaged`] with the position that is wrong, or the budget's end.
    pub(in crate::tables) fn check_large(
        &self,
        packed: Packed,
        budget: &Budget,
    ) -> Result<(), TableError> {
        let material = packed.layout.material;
        let damaged = |damage| TableError::Damaged { material, damage };
        budget.progress().stage(&format!("checking table {material}"), None);
        packed.verify().map_err(damaged)?;
        self.put(material, Entry::new(packed, None));
        self.compare_samples(material, SAMPLED, budget)?;
        budget.progress().note(&format!(
            "{material}: every block is sound, and {SAMPLED} random positions have the values that \
             their moves lead to; of six men not every value is compared"
        ));
        Ok(())
    }

    /// Compares so many random positions of a table at hand with those that their moves lead to.
    ///
    /// # Errors
    /// [`TableError::Damaged`] with the position that is wrong, or the budget's end.
    pub(in crate::tables) fn compare_samples(
        &self,
        material: Material,
        count: u64,
        budget: &Budget,
    ) -> Result<(), TableError> {
        (0..count / SAMPLED_AT_ONCE).into_par_iter().try_for_each(|seed| {
            budget.check(0, 0)?;
            for board in Self::sample(material, seed).take(SAMPLED_AT_ONCE as usize) {
                if !self.follows(&board)? {
                    let damage = Damage::Value(board.packed());
                    return Err(TableError::Damaged { material, damage });
                }
            }
            Ok(())
        })
    }

    fn log_place(&self, material: Material) -> Result<Place, TableError> {
        let (made, near) = match &self.store {
            Some(store) if self.trust != Trust::Checked => {
                return Ok(Place::Kept(store.log(material)));
            }
            Some(store) => (store.temporary_directory(), store.directory().to_owned()),
            None => (tempfile::tempdir(), std::env::temp_dir()),
        };
        made.map(Place::Passing).map_err(|error| TableError::Cache { path: near, error })
    }

    /// The tables that captures lead to, one byte a position: each position is asked for about once
    /// for every man that can take.
    fn raw_children(&self, material: Material) -> Result<HashMap<Material, Source>, TableError> {
        let raw = |child: Material| match self.source(child)? {
            Source::Packed(packed) => {
                let raw = packed.unpack().map_err(|damage| self.damaged(child, damage))?;
                Ok((child, Source::Raw(Arc::new(raw))))
            }
            raw => Ok((child, raw)),
        };
        material.children().into_iter().map(raw).collect()
    }
}
