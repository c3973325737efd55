//! Tables of six men: solved with their levels in a log ([`super::levels`]), and written from it
//! king by king, so that a table never lies in memory as a whole.

use std::collections::HashMap;
use std::path::Path;

use rayon::prelude::*;

use crate::chess::Side;
use crate::limits::Budget;

use super::columns::{Kind, Log, Name, RANGE};
use super::exits::Exits;
use super::levels::Levels;
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
}

/// Solves a pawnless signature, or goes on with what is in its log, in this directory. `children`
/// gives the tables of its captures, to be read where there is no log yet.
///
/// # Errors
/// The budget's end: the log stays and the same call goes on with it. Or what the disk says.
pub(in crate::tables) fn solve(
    material: Material,
    children: impl FnOnce() -> Result<HashMap<Material, Source>, TableError>,
    directory: &Path,
    budget: &Budget,
) -> Result<Solved, TableError> {
    let layout = std::sync::Arc::new(Layout::new(material));
    let log = Log::open(directory, layout.kings.count())?;
    let exits = || Ok(Exits::new(&layout, Metric::Mate, &children()?));
    let (log, longest) = Levels::start(&layout, exits, log, budget)?.solve(budget)?;
    Ok(Solved { layout: Layout::of_longest(material, longest), log, longest })
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::limits::Limits;
    use crate::tables::file::format::Kind as File;
    use crate::tables::solve::build;

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
        let solved = solve(name.parse().unwrap(), || Ok(children.clone()), directory, budget)?;
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

    #[test]
    #[ignore = "three tables of five men by both ways: 3 minutes"]
    fn levels_give_the_same_file_of_five_men() {
        for name in ["KRBvKN", "KRRvKR", "KBBvKN"] {
            let directory = tempfile::tempdir().unwrap();
            let (file, children) = usual(name);
            let found = by_levels(name, &children, directory.path(), &Budget::default()).unwrap();
            assert!(found == file, "{name}");
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
        let _held = Log::open(directory.path(), 10).unwrap();
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
