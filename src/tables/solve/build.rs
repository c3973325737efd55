//! Solving one signature, slice by slice.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;

use crate::limits::Budget;

use super::exits::Exits;
use super::slice::SliceSolver;
use crate::tables::file::draft::Draft;
use crate::tables::file::format::PackedSlice;
use crate::tables::file::source::Source;
use crate::tables::index::layout::Layout;
use crate::tables::index::material::Material;
use crate::tables::index::raw::{Ahead, RawSlice, RawTable};
use crate::tables::index::value::DEEP;
use crate::tables::{Metric, TableError};

/// Tables of at most this many men are kept in memory, one byte a position, while others need them.
pub(in crate::tables) const MEN_IN_MEMORY: usize = 4;

/// A solved slice that others need.
#[derive(Debug)]
enum Kept {
    Raw(Arc<RawSlice>),
    Packed(PackedSlice),
}

/// The solved slices of a signature. Bytes: those of small tables ([`MEN_IN_MEMORY`]) as
/// [`RawSlice`], of large ones compressed, about a third of that, and only as long as other slices
/// need them.
pub(in crate::tables) struct Slices {
    layout: Arc<Layout>,
    kept: HashMap<usize, Kept>,
}

impl Slices {
    pub(in crate::tables) fn none(layout: &Arc<Layout>) -> Self {
        Self { layout: Arc::clone(layout), kept: HashMap::new() }
    }

    fn in_memory(&self) -> bool {
        self.layout.material.men() <= MEN_IN_MEMORY
    }

    /// Adds a slice that was solved before.
    pub(in crate::tables) fn put(&mut self, slice: usize, codes: RawSlice) {
        self.kept.insert(slice, Kept::Raw(Arc::new(codes)));
    }

    /// What the pawns of a slice can move into.
    fn ahead(&self, slice: usize) -> Result<Ahead<'_>, TableError> {
        let raw = |next: usize| {
            let codes = match self.kept.get(&next).expect("slices are solved in order") {
                Kept::Raw(codes) => Arc::clone(codes),
                Kept::Packed(packed) => {
                    let first = next * self.layout.blocks_per_slice();
                    let codes = self
                        .layout
                        .unpack(next, |block| packed.read(&self.layout, next, block - first));
                    Arc::new(codes.map_err(|damage| TableError::Damaged {
                        material: self.layout.material,
                        damage,
                    })?)
                }
            };
            Ok((next, codes))
        };
        let slices: Result<_, TableError> = self.layout.ahead(slice).into_iter().map(raw).collect();
        Ok(Ahead { layout: &self.layout, slices: slices? })
    }

    /// The whole table in memory, or as much as there is of it.
    pub(in crate::tables) fn into_raw(mut self) -> RawTable {
        let mut table = RawTable::empty(Arc::clone(&self.layout));
        for (slice, place) in table.slices.iter_mut().enumerate() {
            if let Some(Kept::Raw(codes)) = self.kept.remove(&slice) {
                *place = Some(codes);
            }
        }
        table
    }
}

/// Solves one signature whose children are solved, and writes it into a draft. Returns the table in
/// memory if it is small ([`MEN_IN_MEMORY`]). Peak memory: [`super::memory`].
pub(in crate::tables) fn solve(
    layout: &Arc<Layout>,
    metric: Metric,
    children: &HashMap<Material, Source>,
    draft: &mut Draft,
    budget: &Budget,
) -> Result<Option<RawTable>, TableError> {
    budget.check(layout.positions(), 0)?;
    let exits = Exits::new(layout, metric, children);
    let mut slices = Slices::none(layout);
    let last_reader = layout.last_readers();
    for batch in layout.batches() {
        for group in batch.clone().collect::<Vec<_>>().chunks(at_once(layout)) {
            solve_group(&mut slices, group, &exits, budget, |_, packed, longest| {
                draft.push(packed, longest)
            })?;
            // Large children are read block by block, where a pawn promotes.
            children.values().for_each(Source::release);
        }
        if !slices.in_memory() {
            slices.kept.retain(|&slice, _| last_reader[slice] >= batch.end);
        }
    }
    Ok(slices.in_memory().then(|| slices.into_raw()))
}

/// Solves some slices of a small signature: those that pawn moves lead to must be among them or
/// solved before, and `children` must hold what captures and promotions lead to. Hands each one to
/// `done`, with its longest distance.
pub(in crate::tables) fn solve_some(
    slices: &mut Slices,
    wanted: &[bool],
    children: &HashMap<Material, Source>,
    budget: &Budget,
    mut done: impl FnMut(usize, &PackedSlice, u16) -> Result<(), TableError>,
) -> Result<(), TableError> {
    let layout = Arc::clone(&slices.layout);
    let exits = Exits::new(&layout, Metric::Mate, children);
    for batch in layout.batches() {
        let group: Vec<usize> = batch.filter(|&slice| wanted[slice]).collect();
        solve_group(slices, &group, &exits, budget, &mut done)?;
    }
    Ok(())
}

/// Solves slices that do not depend on each other.
fn solve_group(
    slices: &mut Slices,
    group: &[usize],
    exits: &Exits,
    budget: &Budget,
    mut done: impl FnMut(usize, &PackedSlice, u16) -> Result<(), TableError>,
) -> Result<(), TableError> {
    let layout = Arc::clone(&slices.layout);
    let in_memory = slices.in_memory();
    let solved: Result<Vec<_>, TableError> = group
        .par_iter()
        .map(|&slice| {
            let (codes, longest) =
                SliceSolver::new(&layout, exits, slice).solve(slices.ahead(slice)?, budget)?;
            if longest >= DEEP && !layout.deep {
                return Err(TableError::TooDeep { material: layout.material });
            }
            let packed = PackedSlice::new(&layout, slice, &codes);
            Ok((packed, in_memory.then_some(codes), longest))
        })
        .collect();
    for (&slice, (packed, codes, longest)) in group.iter().zip(solved?) {
        done(slice, &packed, longest)?;
        slices
            .kept
            .insert(slice, codes.map_or(Kept::Packed(packed), |codes| Kept::Raw(Arc::new(codes))));
    }
    Ok(())
}

/// How many slices are solved at the same time: large ones one by one, since all threads work on
/// each.
pub(in crate::tables) fn at_once(layout: &Layout) -> usize {
    (512 / layout.rows()).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Side;
    use crate::tables::file::format::Kind;

    /// No small table is deep: they are solved with both kinds of bytes and compared.
    #[test]
    fn the_losers_scale_says_the_same() {
        let solved = |layout: Layout, children: &HashMap<Material, Source>| {
            let layout = Arc::new(layout);
            let mut draft = Draft::new(&layout, Kind::Whole, Ok(None));
            Arc::new(
                solve(&layout, Metric::Mate, children, &mut draft, &Budget::default())
                    .unwrap()
                    .unwrap(),
            )
        };
        for name in ["KRvKN", "KPvKP"] {
            let mut children = HashMap::new();
            for material in name.parse::<Material>().unwrap().closure() {
                let usual = solved(Layout::new(material), &children);
                let deep = solved(Layout::of_deep(material), &children);
                let mut drawn = 0;
                for (slice, to_move) in
                    (0..usual.slices.len()).flat_map(|s| Side::ALL.map(|c| (s, c)))
                {
                    let codes = |of: &RawTable| {
                        of.slices[slice].as_ref().unwrap().sides[to_move as usize].concat()
                    };
                    let scales = [&usual, &deep].map(|table| table.layout.scale(to_move));
                    for (a, b) in codes(&usual).into_iter().zip(codes(&deep)) {
                        assert_eq!(
                            scales[0].decode(a),
                            scales[1].decode(b),
                            "{material}, slice {slice}"
                        );
                        drawn += u32::from(a != b);
                    }
                }
                assert!(
                    drawn > 0 || material.men() < 3,
                    "{material}: the bytes of Black's draws differ"
                );
                children.insert(material, Source::Raw(usual));
            }
        }
    }
}
