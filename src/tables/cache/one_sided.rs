//! Tables of one side to move: a quarter smaller than whole ones.
//!
//! Such a file has the positions of a whole table with White, the first-named side, to move. What a
//! position with Black to move is worth is the best that Black's moves lead to, each of them a
//! position of White's or of a table of fewer men or pawns. They lie near each other, so that probes of
//! both sides take up to a fifth longer on average, and up to twice as long where the whole table's
//! blocks would be at hand (`cargo bench --bench tables stored`). Values are the same. Nothing is built
//! from such tables, nor are rows or slices read from them: for that a table is solved whole.
//!
//! Tables of up to four men are small, and larger ones are built from them; wide tables have
//! distances beyond a byte of both sides in one part: both are copied whole.

use hashbrown::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::chess::board::Board;
use crate::chess::{Side, Value};
use crate::limits::Budget;

use super::store::Store;
use super::tables::Tables;
use super::trust::{Provenance, Trust};
use crate::tables::TableError;
use crate::tables::file::damage::Damage;
use crate::tables::file::draft::{Draft, Finished};
use crate::tables::file::format::Kind;
use crate::tables::file::packed::Packed;
use crate::tables::index::material::Material;
use crate::tables::index::probe::Query;
use crate::tables::solve::memory::MEN_IN_MEMORY;

/// Blocks that are copied between two looks at the budget.
const AT_ONCE: usize = 4096;

/// Random positions of a table of one side that are compared with those two plies ahead: some
/// seconds.
const SAMPLED: u64 = 10_000;

/// The tables of one side at hand.
#[derive(Debug, Default)]
pub(in crate::tables) struct OneSided(RwLock<Known>);

#[derive(Debug, Default)]
struct Known {
    tables: HashMap<Material, Arc<Packed>>,
    /// Signatures all of whose positions are at hand, some of one side only; and those that were
    /// looked for in vain.
    ready: HashSet<Material>,
    absent: HashSet<Material>,
}

impl OneSided {
    fn read(&self) -> RwLockReadGuard<'_, Known> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Known> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn get(&self, material: Material) -> Option<Arc<Packed>> {
        self.read().tables.get(&material).cloned()
    }

    pub(in crate::tables) fn put(&self, material: Material, packed: Packed) {
        self.write().tables.insert(material, Arc::new(packed));
    }

    /// Forgets a damaged table; whether there was one.
    pub(in crate::tables) fn forget(&self, material: Material) -> bool {
        let mut known = self.write();
        known.ready.clear();
        known.tables.remove(&material).is_some()
    }

    pub(in crate::tables) fn count(&self) -> usize {
        self.read().tables.len()
    }

    /// Has each of them keep up to so many bytes of what it decompresses.
    pub(in crate::tables) fn widen(&self, bytes: u64) {
        self.read().tables.values().for_each(|packed| packed.widen(bytes));
    }
}

/// A table in the directory that [`Tables::write_one_sided`] was given.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Written {
    /// The signature, as printed.
    pub material: String,
    /// The file.
    pub path: PathBuf,
    /// Bytes of the file.
    pub bytes: u64,
    /// Bytes of the whole table.
    pub whole_bytes: u64,
    /// Whether it holds one side to move alone; else it is a copy.
    pub one_sided: bool,
}

impl Tables {
    /// As [`Tables::ensure`] for [`Tables::probe`] alone, which tables of one side do for.
    ///
    /// # Errors
    /// As [`Tables::ensure`].
    pub fn ensure_values(&self, material: Material, budget: &Budget) -> Result<(), TableError> {
        if !self.is_ready(material) && self.rests_on_one_side(material, budget) {
            return Ok(());
        }
        self.ensure(material, budget)
    }

    /// Whether a signature's table and those it depends on are at hand, some of them of one side
    /// only. About 50 ns once the answer is known.
    pub(in crate::tables) fn rests_on_one_side(&self, material: Material, budget: &Budget) -> bool {
        // What has to be checked first is not at hand.
        let Some(store) = self.store.as_ref().filter(|_| self.trust != Trust::Checked) else {
            return false;
        };
        let known = self.one_sided.read();
        if known.ready.contains(&material) {
            return true;
        }
        if known.absent.contains(&material) {
            return false;
        }
        drop(known);
        let closure = material.closure();
        let has_file = |m: &Material| store.path(*m, Kind::OneSided).exists();
        let found = closure.iter().any(has_file) && self.is_readable(store, &closure, budget);
        let mut known = self.one_sided.write();
        let noted = if found { &mut known.ready } else { &mut known.absent };
        noted.insert(material);
        found
    }

    /// Whether some tables of a list are of one side, and all others whole.
    fn is_readable(&self, store: &Store, closure: &[Material], budget: &Budget) -> bool {
        let missing: Vec<Material> =
            closure.iter().copied().filter(|&m| !self.is_kept(m, budget)).collect();
        let readable = missing.iter().all(|&m| self.has_one_side(store, m, budget));
        readable
            && !missing.is_empty()
            && (self.trust != Trust::Sampled || self.sample_stored(closure).is_ok())
    }

    /// Whether a table of one side is at hand, or can be fetched from the store.
    fn has_one_side(&self, store: &Store, material: Material, budget: &Budget) -> bool {
        if self.one_sided.get(material).is_some() {
            return true;
        }
        match store.load(material, Kind::OneSided) {
            None => false,
            Some(Ok(packed)) => {
                self.note_origin(material, Provenance::Believed);
                self.one_sided.put(material, packed);
                true
            }
            Some(Err(damage)) => {
                self.note_damage(store, material, Kind::OneSided, damage, budget);
                false
            }
        }
    }

    /// The value of a position by a table of one side, if that and those below it are at hand; a
    /// mark for en passant may be left out or not.
    ///
    /// # Errors
    /// [`TableError::Damaged`] when a table turns out to be damaged; it is set aside.
    pub(in crate::tables) fn one_sided_value(
        &self,
        board: &Board,
        query: &Query,
    ) -> Result<Option<Value>, TableError> {
        let Some(packed) = self.one_sided.get(query.material) else { return Ok(None) };
        if query.to_move == Side::Black {
            return self.best_of_moves(board);
        }
        let squares = query.squares(&packed.layout);
        let value = packed
            .value(query.to_move, query.king, query.other, &squares)
            .map_err(|damage| self.damaged(query.material, damage))?;
        Ok(value.map(|value| value.of(board.side_to_move())))
    }

    /// The best that the moves of a position lead to, if the values of all are at hand.
    pub(in crate::tables) fn best_of_moves(
        &self,
        board: &Board,
    ) -> Result<Option<Value>, TableError> {
        let (mover, mut best) = (board.side_to_move(), None::<Value>);
        for m in &board.legal_moves() {
            let Some(after) = self.probe(&board.after(*m))? else { return Ok(None) };
            let both = best.into_iter().chain([after.before()]);
            best = both.max_by_key(|value| value.preference(mover));
        }
        Ok(Some(best.unwrap_or_else(|| match board.in_check() {
            true => Value::Wins(mover.other(), 0),
            false => Value::Draw,
        })))
    }

    /// Writes the table of a signature, and all that it depends on, into another directory, of one
    /// side to move where that is smaller (small and wide tables are copied whole); what is not at hand
    /// is solved first. Tables that are there already stay. Some 0.3 GB a second.
    ///
    /// # Errors
    /// As [`Tables::ensure`], and [`TableError::Cache`] when the directory cannot be written.
    pub fn write_one_sided(
        &self,
        material: Material,
        directory: &Path,
        budget: &Budget,
        each: &mut dyn FnMut(&Written),
    ) -> Result<(), TableError> {
        let failed = |error| TableError::Cache { path: directory.to_owned(), error };
        let store = Store::open(directory).map_err(failed)?;
        self.ensure(material, budget)?;
        for next in material.closure() {
            let small = next.men() <= MEN_IN_MEMORY || self.packed(next)?.layout.wide;
            let kind = if small { Kind::Whole } else { Kind::OneSided };
            each(&self.write_into(&store, next, kind, budget)?);
        }
        Ok(())
    }

    fn write_into(
        &self,
        store: &Store,
        material: Material,
        kind: Kind,
        budget: &Budget,
    ) -> Result<Written, TableError> {
        let (packed, one_sided) = (self.packed(material)?, kind == Kind::OneSided);
        let path = store.path(material, kind);
        let failed = |error| TableError::Cache { path: path.clone(), error };
        if !matches!(store.load(material, kind), Some(Ok(_))) {
            budget.progress().stage(&format!("writing table {material}"), None);
            let file = store.temporary().map_err(failed)?;
            let mut draft = Draft::large(&packed.layout, kind, file);
            let blocks = packed.layout.blocks();
            for start in (0..blocks).step_by(AT_ONCE) {
                budget.check(0, 0)?;
                let range = start..blocks.min(start + AT_ONCE);
                let copied = packed
                    .copied(range, one_sided)
                    .map_err(|damage| self.damaged(material, damage))?;
                draft.push(&copied, packed.longest())?;
            }
            let Finished::Disk(file) = draft.finish()? else {
                return Err(TableError::Damaged { material, damage: Damage::Length });
            };
            store.publish(material, kind, file).map_err(|refused| failed(refused.error))?;
        }
        let bytes = path.metadata().map_err(failed)?.len();
        let (name, whole_bytes) = (material.to_string(), packed.bytes());
        Ok(Written { material: name, path, bytes, whole_bytes, one_sided })
    }

    /// Looks at a stored table of one side: every block, and random positions, each compared with
    /// those two plies ahead.
    ///
    /// # Errors
    /// [`TableError::Damaged`] with the position that is wrong, or the budget's end.
    pub(in crate::tables) fn check_one_sided(
        &self,
        packed: Packed,
        budget: &Budget,
    ) -> Result<(), TableError> {
        let material = packed.layout.material;
        let below = material.children().into_iter();
        below
            .filter(|&child| self.one_sided.get(child).is_none())
            .try_for_each(|child| self.ensure(child, budget))?;
        budget.progress().stage(&format!("checking table {material}"), None);
        packed.verify().map_err(|damage| TableError::Damaged { material, damage })?;
        self.one_sided.put(material, packed);
        self.compare_samples(material, SAMPLED, budget)?;
        budget.progress().note(&format!(
            "{material}: every block is sound, and of {SAMPLED} random positions those with White to \
             move have the values that two plies lead to; of one side not every value is compared"
        ));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::TableInfo;
    use pretty_assertions::assert_eq;

    /// Tables of a signature and all below it, in memory; and a directory with them of one side.
    fn both(name: &str) -> (Tables, Material, tempfile::TempDir) {
        let (material, budget) = (name.parse::<Material>().unwrap(), Budget::default());
        let (whole, directory) = (Tables::in_memory(), tempfile::tempdir().unwrap());
        whole.ensure(material, &budget).unwrap();
        let store = Store::open(directory.path()).unwrap();
        for next in material.closure() {
            let written = whole.write_into(&store, next, Kind::OneSided, &budget).unwrap();
            assert!(written.bytes < written.whole_bytes, "{next}");
        }
        (whole, material, directory)
    }

    #[test]
    fn a_table_of_one_side_tells_the_same_values() {
        let budget = Budget::default();
        for name in ["KQvKR", "KPvKP"] {
            let (whole, material, directory) = both(name);
            let tables = Tables::open(Some(directory.path())).unwrap();
            assert!(tables.is_at_hand(material, &budget));
            tables.ensure_values(material, &budget).unwrap();
            assert!(tables.get(material).is_none(), "{name} was built");
            let mut mates = 0;
            for board in Tables::sample(material, 7).take(3_000) {
                let expected = whole.probe(&board).unwrap();
                assert_eq!(tables.probe(&board).unwrap(), expected, "{board:?}");
                mates += usize::from(matches!(expected, Some(Value::Wins(..))));
            }
            assert!(mates > 100, "{name}");
        }
    }

    #[test]
    #[ignore = "all tables of five men, whole in THETA_TABLES and of one side in THETA_ONE_SIDED: seconds"]
    fn tables_of_five_men_of_one_side_tell_the_same_values() {
        let open = |name: &str| Tables::open(Some(Path::new(&std::env::var(name).unwrap())));
        let [whole, tables] = ["THETA_TABLES", "THETA_ONE_SIDED"].map(|name| open(name).unwrap());
        for material in Material::all(5) {
            let budget = Budget::default();
            assert!(whole.is_whole_at_hand(material, &budget), "{material}");
            assert!(tables.rests_on_one_side(material, &budget), "{material}");
            for board in Tables::sample(material, 11).take(3_000) {
                let expected = whole.probe(&board).unwrap();
                assert!(expected.is_some(), "{board:?}");
                assert_eq!(tables.probe(&board).unwrap(), expected, "{board:?}");
            }
        }
    }

    #[test]
    fn captures_en_passant_and_ends_of_games_are_told_too() {
        let (whole, _, directory) = both("KPvKP");
        let tables = Tables::open(Some(directory.path())).unwrap();
        for fen in [
            "8/8/8/8/pP6/8/8/k1K5 b - b3",
            "8/8/8/pP6/8/8/8/K1k5 w - a6",
            // Stalemates; colours exchanged.
            "k7/P7/K7/8/8/8/8/8 b - -",
            "8/8/8/8/8/k7/p7/K7 w - -",
            "8/8/8/8/8/1k6/1p6/1K6 w - -",
        ] {
            let board = Board::from_fen(fen).unwrap();
            let (budget, value) = (Budget::default(), |t: &Tables, b: &Budget| t.value(&board, b));
            let expected = value(&whole, &budget).unwrap();
            assert_eq!(value(&tables, &budget).unwrap(), expected, "{fen}");
        }
    }

    #[test]
    fn a_damaged_table_of_one_side_is_set_aside_and_the_whole_one_built() {
        let (whole, material, directory) = both("KRvKN");
        let path = directory.path().join("KRvKN.one-sided");
        let mut bytes = std::fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle..].iter_mut().for_each(|byte| *byte ^= 0x55);
        std::fs::write(&path, bytes).unwrap();
        let tables = Tables::open(Some(directory.path())).unwrap();
        for board in Tables::sample(material, 3).take(500) {
            let value = tables.value(&board, &Budget::default()).unwrap();
            assert_eq!(value, whole.probe(&board).unwrap(), "{board:?}");
        }
        assert!(!path.exists() && tables.is_stored(material));
    }

    #[test]
    fn wrong_values_of_one_side_are_found() {
        let (whole, material, directory) = both("KRvKN");
        let damages = || {
            let (tables, mut found) = (Tables::open(Some(directory.path())).unwrap(), Vec::new());
            let each = &mut |info: &TableInfo| {
                assert!(info.one_sided && !info.checked);
                found.extend(info.damage.clone().map(|why| (info.material.clone(), why)));
            };
            assert_eq!(tables.verify_stored(&Budget::default(), each).unwrap(), None);
            found
        };
        assert_eq!(damages(), []);
        // Neighbouring blocks exchanged, with fitting checksums.
        let (packed, store) =
            (whole.packed(material).unwrap(), Store::open(directory.path()).unwrap());
        let mut draft = Draft::large(&packed.layout, Kind::OneSided, store.temporary().unwrap());
        for block in (0..packed.layout.blocks()).map(|block| block ^ 1) {
            draft.push(&packed.copied(block..block + 1, true).unwrap(), packed.longest()).unwrap();
        }
        let Finished::Disk(file) = draft.finish().unwrap() else { panic!("in memory") };
        store.publish(material, Kind::OneSided, file).unwrap();
        let found = damages();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].0, "KRvKN");
        assert!(found[0].1.contains("value"), "{}", found[0].1);
        assert!(!store.path(material, Kind::OneSided).exists());
    }
}
