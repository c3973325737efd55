//! Tables of six men: solved with their levels in a log ([`super::levels`]), and written from it
//! king by king, so that a table never lies in memory as a whole.

use hashbrown::HashMap;
use std::path::Path;

use rayon::prelude::*;

use crate::chess::Side;
use crate::limits::Budget;

use super::columns::RANGE;
use super::exits::Exits;
use super::frames::{Kind, Name};
use super::levels::Levels;
use super::log::Log;
use super::memory::needs;
use super::share::{Others, Share};
use crate::tables::file::draft::Draft;
use crate::tables::file::format::PackedSlice;
use crate::tables::file::source::Source;
use crate::tables::index::layout::Layout;
use crate::tables::index::material::Material;
use crate::tables::index::value::{Code, ILLEGAL, Relative, Scale};
use crate::tables::{Metric, TableError};

/// Ranges of rows that are written at a time.
const RANGES_AT_ONCE: usize = 2;

/// A large slice whose levels are all in the log.
pub(in crate::tables) struct Solved {
    layout: Layout,
    log: Log,
    longest: u16,
    /// Whether some of the log was found, or is of other processes.
    pub(in crate::tables) found: bool,
}

/// Solves a pawnless signature, or goes on with what is in its log, in this directory. `children`
/// gives the tables of its captures, to be read where there is no log yet. `others` solve parts of
/// it where there are any: they call this too, with the same directory, and process 0 alone is
/// given the slice.
///
/// # Errors
/// The budget's end: the log stays and the same call goes on with it. Or what the disk says.
pub(in crate::tables) fn solve(
    material: Material,
    children: impl FnOnce() -> Result<HashMap<Material, Source>, TableError>,
    directory: &Path,
    others: Option<&dyn Others>,
    budget: &Budget,
) -> Result<Option<Solved>, TableError> {
    let layout = std::sync::Arc::new(Layout::new(material));
    let all = Share::all(layout.kings);
    let share = others.map_or(all, |others| Share::new(layout.kings, others.place()));
    let needs = needs(&layout, &share);
    budget.check(0, needs.within(budget.limits().memory))?;
    if let Some(others) = others {
        if others.place().0 == 0 {
            Log::wait_until_free(directory, budget)?;
        }
        others.meet([0, 0])?;
    }
    let log = Log::open(directory, &share)?;
    let found = others.is_some() || log.plies().is_some();
    let exits = || Ok(Exits::new(&layout, Metric::Mate, &children()?));
    let levels = Levels::start(&layout, exits, (log, share), others, &needs, budget)?;
    let (mut log, longest) = levels.solve(budget)?;
    if let Some(others) = others {
        // All have to let go of it before it can be read as a whole.
        let plies = log.plies();
        drop(log);
        others.meet([0, 0])?;
        if others.place().0 != 0 {
            return Ok(None);
        }
        log = Log::open(directory, &all)?;
        if log.plies() != plies {
            return Err(log.unseen());
        }
    }
    Ok(Some(Solved { layout: Layout::of_longest(material, longest), log, longest, found }))
}

/// Rows of codes, and of what they are exceeded by.
type Codes = (Vec<[Code; 64]>, Vec<[u8; 64]>);

/// The codes of some rows of one king number, and by how many double plies a wide table's are
/// exceeded. 128 bytes a row and side.
struct Rows {
    first: usize,
    sides: [Codes; 2],
}

impl Solved {
    pub(in crate::tables) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Writes the table. About 2 µs a row.
    ///
    /// # Errors
    /// The budget's end, or what the disk says.
    pub(in crate::tables) fn write(
        &self,
        draft: &mut Draft,
        budget: &Budget,
    ) -> Result<(), TableError> {
        let rows = self.layout.rows();
        let starts: Vec<usize> = (0..rows).step_by(RANGE).collect();
        for king in 0..self.layout.kings.count() {
            for group in starts.chunks(RANGES_AT_ONCE) {
                budget.check(0, 0)?;
                let packed: Result<Vec<PackedSlice>, TableError> =
                    group.par_iter().map(|&first| self.pack(king, first)).collect();
                packed?.iter().try_for_each(|slice| draft.push(slice, self.longest))?;
            }
        }
        Ok(())
    }

    /// The blocks of one king number and one range of rows.
    fn pack(&self, king: usize, first: usize) -> Result<PackedSlice, TableError> {
        let rows = self.rows(king, first)?;
        let layout = &self.layout;
        let end = first + rows.sides[0].0.len();
        let blocks = layout.block_of(0, king, first)..layout.block_of(0, king, end - 1) + 1;
        let stored =
            |side: Side, _: usize, row: usize| &rows.sides[side as usize].0[row - rows.first];
        let excess =
            |side: Side, _: usize, row: usize| &rows.sides[side as usize].1[row - rows.first];
        Ok(PackedSlice::of_blocks(layout, blocks, stored, excess))
    }

    /// The codes of a range of rows, from the log: what is legal and in no level is drawn.
    fn rows(&self, king: usize, first: usize) -> Result<Rows, TableError> {
        let layout = &self.layout;
        let count = RANGE.min(layout.rows());
        let empty = || (vec![[ILLEGAL; 64]; count], vec![[0; 64]; count]);
        let mut rows = Rows { first, sides: [empty(), empty()] };
        let square = layout.kings.square(king);
        for row in (first..first + count).filter(|&row| layout.in_order(row)) {
            let squares = layout.squares(0, row);
            let Some(occupied) = layout.occupied(square, &squares) else { continue };
            let masks = layout.masks(square, &squares, occupied);
            for side in Side::ALL {
                for other in masks.legal(side) {
                    rows.sides[side as usize].0[row - first][other as usize] = Scale::USUAL.draw;
                }
            }
        }
        for name in self.log.names(king).into_iter().filter(|name| name.kind == Kind::Level) {
            let Name { side, ply, .. } = name;
            let value = if ply % 2 == 1 { Relative::Win(ply) } else { Relative::Loss(ply) };
            let too_deep = TableError::TooDeep { material: layout.material };
            let (code, excess) = value.in_wide().ok_or(too_deep)?;
            let (codes, excesses) = &mut rows.sides[side as usize];
            for (row, bits) in self.log.read(king, name, Some(first / RANGE))?.iter() {
                let at = row as usize - first;
                for other in bits {
                    codes[at][other as usize] = code;
                    excesses[at][other as usize] = excess;
                }
            }
        }
        Ok(rows)
    }

    /// How many bytes the log has.
    pub(in crate::tables) fn log_bytes(&self) -> u64 {
        self.log.bytes()
    }

    /// Removes the log, when the table is stored.
    pub(in crate::tables) fn remove_log(self) {
        self.log.remove();
    }
}

/// Removes a log that nobody uses, of a table that is stored.
pub(in crate::tables) fn remove_left_log(directory: &Path) {
    Log::remove_left(directory);
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Barrier, Mutex};

    use super::*;
    use crate::limits::{Limits, StopReason};
    use crate::tables::file::format::Kind as File;
    use crate::tables::solve::build;
    use crate::tables::solve::room::Needs;
    use crate::tables::solve::share::{Crossing, Report};

    fn bytes(draft: Draft) -> Vec<u8> {
        draft.finish().unwrap().into_bytes().unwrap()
    }

    /// A signature's table as [`build::solve`] makes it, and the tables of its children.
    fn usual(name: &str) -> (Vec<u8>, HashMap<Material, Source>) {
        let mut tables = HashMap::new();
        let mut file = Vec::new();
        for material in name.parse::<Material>().unwrap().closure() {
            let layout = Arc::new(Layout::new(material));
            let mut draft = Draft::new(&layout, File::Whole, Ok(None));
            let raw =
                build::solve(&layout, Metric::Mate, &tables, None, &mut draft, &Budget::default());
            tables.extend(raw.unwrap().raw.map(|raw| (material, Source::Raw(Arc::new(raw)))));
            file = bytes(draft);
        }
        (file, tables)
    }

    fn by_levels(
        name: &str,
        children: &HashMap<Material, Source>,
        directory: &Path,
        budget: &Budget,
    ) -> Result<Vec<u8>, TableError> {
        let given = || Ok(children.clone());
        let solved = solve(name.parse().unwrap(), given, directory, None, budget)?.unwrap();
        let mut draft = Draft::new(solved.layout(), File::Whole, Ok(None));
        solved.write(&mut draft, &Budget::default())?;
        Ok(bytes(draft))
    }

    #[test]
    fn levels_give_the_same_file() {
        for name in ["KQvK", "KRvK", "KBNvK", "KQvKR", "KRvKN", "KRRvK", "KNNvK"] {
            let directory = tempfile::tempdir().unwrap();
            let (file, children) = usual(name);
            let found = by_levels(name, &children, directory.path(), &Budget::default()).unwrap();
            assert!(found == file, "{name}");
        }
    }

    /// Needs of a signature: how much memory makes it page.
    fn needed(name: &str) -> Needs {
        let layout = Layout::new(name.parse().unwrap());
        needs(&layout, &Share::all(layout.kings))
    }

    #[test]
    fn little_memory_gives_the_same_file() {
        for name in ["KQvKR", "KRRvK", "KNNvK"] {
            let directory = tempfile::tempdir().unwrap();
            let (file, children) = usual(name);
            let least = Limits::default().with_memory(needed(name).least() + 1);
            let found = by_levels(name, &children, directory.path(), &least.into()).unwrap();
            assert!(found == file, "{name}");
            let less = Limits::default().with_memory(needed(name).least());
            let refused = by_levels(name, &children, directory.path(), &less.into());
            assert!(matches!(refused, Err(TableError::Stopped(StopReason::Memory))), "{name}");
        }
    }

    #[test]
    #[ignore = "three tables of five men by all ways: 6 minutes"]
    fn levels_give_the_same_file_of_five_men() {
        for name in ["KRBvKN", "KRRvKR", "KBBvKN"] {
            let (file, children) = usual(name);
            let needed = needed(name);
            let some = (needed.least() + needed.most()) / 2;
            for memory in [None, Some(needed.least() + 1), Some(some)] {
                let directory = tempfile::tempdir().unwrap();
                let limits = memory.map_or(Limits::default(), |m| Limits::default().with_memory(m));
                let found = by_levels(name, &children, directory.path(), &limits.into()).unwrap();
                assert!(found == file, "{name} with {memory:?}");
            }
            for processes in [2, 3] {
                let directory = tempfile::tempdir().unwrap();
                let found = shared(name, &children, directory.path(), processes, None);
                assert!(found.unwrap() == file, "{name} by {processes}");
            }
        }
    }

    /// Processes as threads, which hear of each other through one table of what was said.
    struct Round {
        process: usize,
        said: Arc<Said>,
    }

    #[derive(Default)]
    struct Said {
        reports: Mutex<Vec<Vec<Report>>>,
        sent: Mutex<Vec<Vec<Crossing>>>,
        all: Vec<Barrier>,
        /// The round after which one of them is gone.
        until: Option<usize>,
    }

    impl Round {
        fn count(&self) -> usize {
            self.said.reports.lock().unwrap().len()
        }
    }

    impl Others for Round {
        fn place(&self) -> (usize, usize) {
            (self.process, self.count())
        }

        fn send(&self, process: usize, crossing: Crossing) {
            self.said.sent.lock().unwrap()[process].push(crossing);
        }

        fn meet(&self, report: Report) -> Result<(Vec<Report>, Vec<Crossing>), TableError> {
            let mut reports = self.said.reports.lock().unwrap();
            reports[self.process].push(report);
            let round = reports[self.process].len() - 1;
            drop(reports);
            if self.said.until == Some(round) {
                return Err(StopReason::Interrupted.into());
            }
            self.said.all[0].wait();
            let crossings = std::mem::take(&mut self.said.sent.lock().unwrap()[self.process]);
            self.said.all[1].wait();
            let reports = self.said.reports.lock().unwrap();
            Ok((reports.iter().map(|of| of[round]).collect(), crossings))
        }
    }

    fn shared(
        name: &str,
        children: &HashMap<Material, Source>,
        directory: &Path,
        processes: usize,
        until: Option<usize>,
    ) -> Result<Vec<u8>, TableError> {
        let said = Arc::new(Said {
            reports: Mutex::new(vec![Vec::new(); processes]),
            sent: Mutex::new(vec![Vec::new(); processes]),
            all: (0..2).map(|_| Barrier::new(processes)).collect(),
            until,
        });
        let one = |process: usize| {
            let others = Round { process, said: Arc::clone(&said) };
            let given = || Ok(children.clone());
            let material = name.parse().unwrap();
            solve(material, given, directory, Some(&others), &Budget::default())
        };
        let one = &one;
        let solved: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..processes).map(|p| scope.spawn(move || one(p))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let solved: Result<Vec<Option<Solved>>, TableError> = solved.into_iter().collect();
        let solved = solved?.swap_remove(0).unwrap();
        let mut draft = Draft::new(solved.layout(), File::Whole, Ok(None));
        solved.write(&mut draft, &Budget::default())?;
        Ok(bytes(draft))
    }

    /// By any number of processes; and stopped after some rounds, by another number.
    #[test]
    fn processes_share_a_slice() {
        for (name, first, then, until) in
            [("KQvKR", 2, 3, 10), ("KRRvK", 3, 1, 3), ("KRvKN", 4, 2, 21), ("KQvK", 12, 5, 2)]
        {
            let (file, children) = usual(name);
            let directory = tempfile::tempdir().unwrap();
            assert!(shared(name, &children, directory.path(), first, Some(until)).is_err());
            let found = shared(name, &children, directory.path(), then, None).unwrap();
            assert!(found == file, "{name} by {first}, then by {then}");
        }
    }

    /// Stopped after every few plies, by a log cut anywhere.
    #[test]
    fn a_log_that_ends_anywhere_is_gone_on_with() {
        let (file, children) = usual("KQvKR");
        let whole = tempfile::tempdir().unwrap();
        by_levels("KQvKR", &children, whole.path(), &Budget::default()).unwrap();
        for (at, cut) in [0.0, 0.2, 0.5, 0.9, 0.99, 1.0].into_iter().enumerate() {
            let part = tempfile::tempdir().unwrap();
            for king in 0..10 {
                let name = format!("king-{king}");
                let mut log = std::fs::read(whole.path().join(&name)).unwrap();
                if king == at {
                    log.truncate((log.len() as f64 * cut) as usize);
                }
                std::fs::write(part.path().join(&name), log).unwrap();
            }
            let found = by_levels("KQvKR", &children, part.path(), &Budget::default());
            assert!(found.unwrap() == file, "cut to {cut}");
        }
    }

    #[test]
    fn a_damaged_log_and_a_second_process_are_refused() {
        let (_, children) = usual("KQvK");
        let directory = tempfile::tempdir().unwrap();
        let budget = Budget::default();
        by_levels("KQvK", &children, directory.path(), &budget).unwrap();
        let path = directory.path().join("king-3");
        let mut log = std::fs::read(&path).unwrap();
        log[40] ^= 1;
        std::fs::write(&path, &log).unwrap();
        let message = |found: Result<Vec<u8>, TableError>| found.unwrap_err().to_string();
        let damaged = by_levels("KQvK", &children, directory.path(), &budget);
        assert!(message(damaged).contains("is damaged"));
        let layout = Layout::new("KQvK".parse().unwrap());
        let _held = Log::open(directory.path(), &Share::all(layout.kings)).unwrap();
        let second = by_levels("KQvK", &children, directory.path(), &budget);
        assert!(message(second).contains("another process"));
        let stopped = by_levels(
            "KQvK",
            &children,
            tempfile::tempdir().unwrap().path(),
            &Limits::seconds(0).into(),
        );
        assert!(matches!(stopped, Err(TableError::Stopped(_))));
    }
}
