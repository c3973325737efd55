//! Tables solved in part: only the slices that one position and all that can arise from it need.
//!
//! With two pawns a whole table and all that it depends on would take seconds, the slices that the
//! pawns can reach much less. They are kept in the cache directory, so that the next question about
//! them only reads.

use hashbrown::HashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;

use crate::chess::board::{Board, Role};
use crate::limits::Budget;

use super::tables::Tables;
use crate::tables::TableError;
use crate::tables::file::draft::Draft;
use crate::tables::file::format::{Kind, PackedSlice};
use crate::tables::file::packed::Packed;
use crate::tables::file::source::Source;
use crate::tables::index::layout::Layout;
use crate::tables::index::material::Material;
use crate::tables::index::probe::Query;
use crate::tables::index::raw::RawTable;
use crate::tables::solve::build::{Slices, solve_some};
use crate::tables::solve::memory::MEN_IN_MEMORY;
use crate::tables::solve::reach::{Reached, reachable};

impl Tables {
    /// As [`Tables::ensure`] for a position that [`Tables::material_at_hand`] knows, and all that can
    /// arise from it. Of four-man signatures
    /// with two pawns only the slices that its pawns can reach are solved, and kept in the cache
    /// directory; when that has been done once and a position with other pawns is asked for, the
    /// whole table is solved. A tenth of a millisecond at least where all is at hand.
    ///
    /// # Errors
    /// As [`Tables::ensure`].
    pub fn ensure_for(&self, board: &Board, budget: &Budget) -> Result<(), TableError> {
        let Some(query) = Query::new(board) else { return Ok(()) };
        if self.material_at_hand(board, budget).is_none() {
            return Ok(());
        }
        let prepared = self.prepare(&query, budget).and_then(|()| self.probe(board).map(drop));
        match prepared {
            Err(error @ TableError::Damaged { .. }) => {
                budget.progress().note(&format!("{error}; set aside, built anew"));
                self.prepare(&query, budget)
            }
            done => done,
        }
    }

    fn prepare(&self, query: &Query, budget: &Budget) -> Result<(), TableError> {
        let material = query.material;
        let pawns = query.men().filter(|man| man.1 == Role::Pawn).count();
        let checked = self.trust == super::trust::Trust::Checked;
        if checked
            || pawns < 2
            || material.men() > MEN_IN_MEMORY
            || self.is_at_hand(material, budget)
        {
            return self.ensure_values(material, budget);
        }
        let layout = self
            .parts
            .get(material)
            .map_or_else(|| Arc::new(Layout::new(material)), |p| Arc::clone(&p.layout));
        let slice = layout.slice(&query.squares(&layout)).0;
        let is_ready = || self.parts.read().ready.contains(&(material, slice));
        if is_ready() {
            return Ok(());
        }
        let solving = self.lock();
        let men: Vec<_> = query.men().collect();
        let reached = reachable(&men);
        let (pawned, plain): (Vec<Material>, Vec<Material>) =
            material.closure().into_iter().partition(Material::has_pawns);
        self.solve_missing(&plain, budget)?;
        let pawned: Vec<Material> =
            pawned.into_iter().filter(|&m| !self.is_kept(m, budget)).collect();
        for &m in pawned.iter().filter(|&&m| self.parts.get(m).is_none()) {
            if let Some(part) = self.stored_part(m, budget) {
                self.parts.put(m, part);
            }
        }
        if pawned
            .iter()
            .any(|m| reached.get(m).is_some_and(|wanted| self.missing(wanted).contains(&true)))
        {
            if self.parts.read().grown.contains(&material) {
                drop(solving);
                return self.ensure(material, budget);
            }
            self.solve_parts(&pawned, &reached, budget)?;
            self.parts.write().grown.insert(material);
        }
        self.parts.write().ready.insert((material, slice));
        Ok(())
    }

    /// Which of the wanted slices are not at hand.
    fn missing(&self, wanted: &Reached) -> Vec<bool> {
        let part = self.parts.get(wanted.layout.material);
        let held = |slice: usize| part.as_ref().is_some_and(|part| part.has(slice));
        wanted.slices.iter().enumerate().map(|(slice, &wanted)| wanted && !held(slice)).collect()
    }

    /// Solves what is missing of the wanted slices of these signatures, which are not at hand as a
    /// whole.
    fn solve_parts(
        &self,
        pawned: &[Material],
        reached: &HashMap<Material, Reached>,
        budget: &Budget,
    ) -> Result<(), TableError> {
        let mut solved: HashMap<Material, Source> = HashMap::new();
        for group in Material::by_depth(pawned) {
            let parts = group.into_par_iter().map(|material| {
                // Pawns that block each other never promote: nothing of such tables is read.
                let none = || RawTable::empty(Arc::new(Layout::new(material)));
                let part =
                    reached.get(&material).map(|wanted| self.solve_part(wanted, &solved, budget));
                Ok((material, Source::Raw(Arc::new(part.unwrap_or_else(|| Ok(none()))?))))
            });
            let parts: Result<Vec<_>, TableError> = parts.collect();
            solved.extend(parts?);
        }
        Ok(())
    }

    /// Solves what is missing of one signature; `smaller` holds the parts that it depends on.
    /// Returns the wanted slices.
    fn solve_part(
        &self,
        wanted: &Reached,
        smaller: &HashMap<Material, Source>,
        budget: &Budget,
    ) -> Result<RawTable, TableError> {
        let material = wanted.layout.material;
        let missing = self.missing(wanted);
        let mut slices = Slices::none(&wanted.layout);
        if let Some(part) = self.parts.get(material) {
            for slice in (0..missing.len()).filter(|&slice| wanted.slices[slice] && !missing[slice])
            {
                slices.put(
                    slice,
                    part.unpack_slice(slice)
                        .map_err(|damage| self.damaged_part(material, damage))?,
                );
            }
        }
        if missing.contains(&true) {
            budget.progress().stage(&format!("a part of table {material}"), None);
            let source = |child| {
                Ok((child, smaller.get(&child).cloned().map_or_else(|| self.source(child), Ok)?))
            };
            let children =
                material.children().into_iter().map(source).collect::<Result<_, TableError>>()?;
            let mut fresh = BTreeMap::new();
            solve_some(&mut slices, &missing, &children, budget, |slice, packed, longest| {
                fresh.insert(slice, (packed.clone(), longest));
                Ok(())
            })?;
            self.keep_part(&wanted.layout, &fresh, budget)?;
        }
        Ok(slices.into_raw())
    }

    /// Adds solved slices to the part at hand and in the cache directory, where another process may
    /// have added some.
    fn keep_part(
        &self,
        layout: &Layout,
        fresh: &BTreeMap<usize, (PackedSlice, u16)>,
        budget: &Budget,
    ) -> Result<(), TableError> {
        let material = layout.material;
        // Either may have slices that the other lacks: what others added, and what could not be
        // written.
        let held = [self.stored_part(material, budget).map(Arc::new), self.parts.get(material)];
        let mut draft = Draft::new(layout, Kind::Part, self.temporary());
        for slice in 0..layout.slices() {
            match (fresh.get(&slice), held.iter().flatten().find(|held| held.has(slice))) {
                (Some((packed, longest)), _) => draft.push(packed, *longest)?,
                (None, Some(held)) => {
                    let packed = held
                        .packed_slice(slice)
                        .map_err(|damage| self.damaged_part(material, damage))?;
                    draft.push(&packed, held.longest())?;
                }
                (None, None) => draft.push(&PackedSlice::absent(layout), 0)?,
            }
        }
        let image = self.keep(material, Kind::Part, draft.finish()?, budget)?;
        let part = Packed::new(material, Kind::Part, image)
            .map_err(|damage| self.damaged_part(material, damage))?;
        self.parts.put(material, part);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Value;
    use crate::limits::Progress;
    use pretty_assertions::assert_eq;
    use std::fs;
    use std::path::Path;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Some line of play from a position, always the move of this number (modulo their count).
    fn line(root: &Board, number: usize, plies: usize) -> Vec<Board> {
        let mut line = vec![root.clone()];
        while line.len() < plies {
            let board = line.last().expect("not empty");
            let moves = board.legal_moves();
            let Some(&play) = moves.get(number * line.len() % moves.len().max(1)) else { break };
            let next = board.after(play);
            line.push(next);
        }
        line
    }

    fn value(tables: &Tables, board: &Board) -> Value {
        tables.probe(board).unwrap().unwrap_or_else(|| panic!("{board:?} is not at hand"))
    }

    /// The best for the side to move of the values after each move.
    fn best_of_moves(tables: &Tables, board: &Board) -> Value {
        let moves = board.legal_moves();
        let after = moves.iter().map(|&m| value(tables, &board.after(m)).before());
        let mover = board.side_to_move();
        let stuck = if board.in_check() { Value::Wins(mover.other(), 0) } else { Value::Draw };
        after.max_by_key(|v| v.preference(mover)).unwrap_or(stuck)
    }

    #[test]
    fn a_part_is_whole_for_all_that_its_position_leads_to() {
        // Pawns that pass each other, with captures; pawns that block each other for good.
        for fen in ["8/p7/8/1P6/8/8/8/K6k w - -", "8/p7/8/8/8/8/P7/K6k w - -"] {
            let tables = Tables::in_memory();
            let root = Board::from_fen(fen).unwrap();
            tables.ensure_for(&root, &Budget::default()).unwrap();
            assert!(!tables.is_ready("KPvKP".parse().unwrap()), "only a part is solved");
            let mut seen = 0;
            for number in 0..400 {
                for board in &line(&root, number, 40) {
                    assert_eq!(value(&tables, board), best_of_moves(&tables, board), "{board:?}");
                    seen += 1;
                }
            }
            assert!(seen > 4000, "{seen}");
            // A placement that the position does not lead to is not at hand.
            let elsewhere = Board::from_fen("8/6p1/8/1P6/8/8/8/K6k w - -").unwrap();
            assert_eq!(tables.probe(&elsewhere).unwrap(), None);
        }
    }

    /// Counts what is solved, and keeps what is said.
    #[derive(Default)]
    struct Witness(AtomicUsize, Mutex<Vec<String>>);

    impl Progress for Witness {
        fn stage(&self, _: &str, _: Option<u64>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
        fn advance(&self, _: u64) {}
        fn note(&self, text: &str) {
            self.1.lock().unwrap().push(text.to_owned());
        }
    }

    /// The value of a position in a cache directory opened anew, how many tables or parts were
    /// solved for it, and the notes.
    fn opened(cache: &Path, fen: &str) -> (Value, usize, String) {
        let witness = Arc::new(Witness::default());
        let budget = Budget::default().with_progress(Arc::clone(&witness) as _);
        let tables = Tables::open(Some(cache)).unwrap();
        let board = Board::from_fen(fen).unwrap();
        tables.ensure_for(&board, &budget).unwrap();
        let notes = witness.1.lock().unwrap().join("\n");
        (value(&tables, &board), witness.0.load(Ordering::Relaxed), notes)
    }

    const RACE: &str = "8/6p1/8/1P6/8/8/8/K6k w - -";
    const PASSED: &str = "8/p7/8/1P6/8/8/8/K6k w - -";

    #[test]
    fn what_is_solved_once_is_read_the_next_time() {
        let cache = tempfile::tempdir().unwrap();
        let (first, solved, _) = opened(cache.path(), RACE);
        assert!(solved > 5, "{solved}");
        assert_eq!(opened(cache.path(), RACE), (first, 0, String::new()));
        // Other pawns are added to the files; both are there then.
        let (second, solved, _) = opened(cache.path(), PASSED);
        assert!((1..=6).contains(&solved), "{solved}");
        assert_eq!(opened(cache.path(), RACE), (first, 0, String::new()));
        assert_eq!(opened(cache.path(), PASSED), (second, 0, String::new()));
        // Whatever can arise is in the files as well.
        let tables = Tables::open(Some(cache.path())).unwrap();
        let root = Board::from_fen(RACE).unwrap();
        tables.ensure_for(&root, &Budget::default()).unwrap();
        for board in (0..50).flat_map(|number| line(&root, number, 40)) {
            assert_eq!(value(&tables, &board), best_of_moves(&tables, &board), "{board:?}");
        }
        let parts: Vec<_> =
            tables.stored(true).unwrap().into_iter().filter(|info| info.part.is_some()).collect();
        let names: Vec<&str> = parts.iter().map(|info| &*info.material).collect();
        assert_eq!(names, ["KPvK", "KBvKP", "KNvKP", "KPvKP", "KQvKP", "KRvKP"]);
        assert!(parts.iter().all(
            |info| info.damage.is_none() && info.part.is_some_and(|part| part.solved < part.of)
        ));
        // The whole table takes the place of its part.
        let pawn = "KPvK".parse().unwrap();
        tables.ensure(pawn, &Budget::default()).unwrap();
        let stored = tables.stored(false).unwrap();
        let of_pawn: Vec<_> =
            stored.iter().filter(|info| info.material == "KPvK").map(|info| info.part).collect();
        assert_eq!(of_pawn, [None]);
        assert_eq!(opened(cache.path(), PASSED), (second, 0, String::new()));
    }

    #[test]
    fn a_damaged_part_is_named_set_aside_and_solved_anew() {
        let cache = tempfile::tempdir().unwrap();
        let expected = opened(cache.path(), RACE).0;
        let path = cache.path().join("KPvKP.part");
        let good = fs::read(&path).unwrap();
        let flipped = |at: usize| {
            let mut bytes = good.clone();
            bytes[at] ^= 16;
            bytes
        };
        let whole = fs::read(cache.path().join("KRvK.theta")).unwrap();
        let cut = good[..good.len() - 1].to_vec();
        for damaged in [flipped(13), flipped(70), flipped(good.len() - 5), cut, Vec::new(), whole] {
            fs::write(&path, &damaged).unwrap();
            let (value, solved, notes) = opened(cache.path(), RACE);
            assert_eq!((value, solved), (expected, 1), "only what is damaged is solved");
            assert!(notes.contains("KPvKP.part") && notes.contains("set aside"), "{notes}");
            assert!(fs::read(&path).unwrap() == good, "solved anew");
            assert!(
                fs::read(cache.path().join("KPvKP.part.damaged")).unwrap() == damaged,
                "set aside"
            );
        }
    }

    #[test]
    fn a_file_of_another_format_is_written_over() {
        let cache = tempfile::tempdir().unwrap();
        let expected = opened(cache.path(), RACE).0;
        let path = cache.path().join("KPvKP.part");
        let good = fs::read(&path).unwrap();
        let mut older = good.clone();
        older[8..12].copy_from_slice(&1u32.to_le_bytes());
        fs::write(&path, &older).unwrap();
        let (value, solved, notes) = opened(cache.path(), RACE);
        assert_eq!((value, solved), (expected, 1));
        assert!(notes.contains("another format version; built anew"), "{notes}");
        assert!(fs::read(&path).unwrap() == good, "solved anew");
        assert!(!cache.path().join("KPvKP.part.damaged").exists());
    }

    #[test]
    fn what_another_process_wrote_over_is_not_lost_here() {
        let [cache, other] = std::array::from_fn(|_| tempfile::tempdir().unwrap());
        let root = Board::from_fen(RACE).unwrap();
        let tables = Tables::open(Some(cache.path())).unwrap();
        tables.ensure_for(&root, &Budget::default()).unwrap();
        opened(other.path(), PASSED);
        fs::copy(other.path().join("KPvK.part"), cache.path().join("KPvK.part")).unwrap();
        // This one needs other slices of KPvK: they are added to both.
        let pair = Board::from_fen("8/8/8/2P4P/8/8/8/K6k w - -").unwrap();
        tables.ensure_for(&pair, &Budget::default()).unwrap();
        for board in [&root, &pair]
            .into_iter()
            .flat_map(|root| (0..50).flat_map(|number| line(root, number, 40)))
        {
            assert_eq!(value(&tables, &board), best_of_moves(&tables, &board), "{board:?}");
        }
    }

    #[test]
    fn a_part_is_never_taken_for_a_table() {
        let cache = tempfile::tempdir().unwrap();
        let expected = opened(cache.path(), RACE).0;
        fs::rename(cache.path().join("KPvKP.part"), cache.path().join("KPvKP.theta")).unwrap();
        let (value, solved, notes) = opened(cache.path(), RACE);
        assert_eq!((value, solved), (expected, 1));
        assert!(notes.contains("it is no table file"), "{notes}");
    }

    #[test]
    #[ignore = "parts against whole tables in KPvKP and KPPvK, a minute"]
    fn parts_agree_with_whole_tables() {
        let whole = Tables::in_memory();
        for text in ["KPvKP", "KPPvK"] {
            let material: Material = text.parse().unwrap();
            whole.ensure(material, &Budget::default()).unwrap();
            for root in Tables::sample(material, 5).take(10) {
                let part = Tables::in_memory();
                part.ensure_for(&root, &Budget::default()).unwrap();
                for number in 0..50 {
                    for board in line(&root, number, 60) {
                        assert_eq!(
                            value(&part, &board),
                            value(&whole, &board),
                            "{root:?} {board:?}"
                        );
                    }
                }
            }
        }
    }
}
