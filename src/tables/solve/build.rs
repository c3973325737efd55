//! Solving one signature, slice by slice.

use hashbrown::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use crate::limits::Budget;

use super::exits::Exits;
use super::memory::{at_once, is_read_in_blocks, is_small, room_for_recent};
use super::recent::{Recent, reached_by_pawns};
use super::slice::SliceSolver;
use crate::tables::file::damage::Damage;
use crate::tables::file::draft::Draft;
use crate::tables::file::format::PackedSlice;
use crate::tables::file::packed::Packed;
use crate::tables::file::shelf::{Shelf, in_memory};
use crate::tables::file::source::{Ahead, Next, Source};
use crate::tables::index::layout::Layout;
use crate::tables::index::material::Material;
use crate::tables::index::raw::{RawSlice, RawTable};
use crate::tables::index::value::DEEP;
use crate::tables::{Metric, TableError};

/// A solved slice that others need.
#[derive(Debug)]
enum Kept {
    Raw(Arc<RawSlice>),
    Packed(PackedSlice),
    /// In a file, with others, or in memory in that form.
    Stored(Arc<Packed>),
}

/// The solved slices of a signature. Bytes: those of small tables ([`MEN_IN_MEMORY`]) as
/// [`RawSlice`], of large ones compressed, about a third of that, and only as long as other slices
/// need them; with a [`Shelf`] they are in files.
pub(in crate::tables) struct Slices {
    layout: Arc<Layout>,
    kept: HashMap<usize, Kept>,
    /// Some of them as they are, too.
    recent: Recent,
    shelf: Option<Shelf>,
    /// Whether some were found on the shelf.
    found: bool,
}

impl Slices {
    pub(in crate::tables) fn none(layout: &Arc<Layout>) -> Self {
        let (layout, recent) = (Arc::clone(layout), Recent::default());
        Self { layout, kept: HashMap::new(), recent, shelf: None, found: false }
    }

    /// The same, each group of slices stored as soon as it is solved.
    fn on(self, shelf: Option<&Shelf>) -> Self {
        Self { shelf: shelf.cloned(), ..self }
    }

    fn damaged(&self, damage: Damage) -> TableError {
        TableError::Damaged { material: self.layout.material, damage }
    }

    /// Adds a slice that was solved before.
    pub(in crate::tables) fn put(&mut self, slice: usize, codes: RawSlice) {
        self.kept.insert(slice, Kept::Raw(Arc::new(codes)));
    }

    /// Takes a group of slices from the shelf, if it is there. A damaged file counts as none.
    ///
    /// # Errors
    /// [`TableError::TooDeep`] when its bytes are on the loser's scale and this table's are not.
    fn fetch(
        &mut self,
        group: &Range<usize>,
        budget: &Budget,
    ) -> Result<Option<Arc<Packed>>, TableError> {
        let Some((shelf, read)) = self.shelf.as_ref().and_then(|s| Some((s, s.load(group)?)))
        else {
            return Ok(None);
        };
        let stored = match read {
            Ok(stored) => Arc::new(stored),
            Err(damage) => {
                let path = shelf.path(group);
                budget.progress().note(&format!("{}: {damage}; solved anew", path.display()));
                return Ok(None);
            }
        };
        if stored.layout.deep && !self.layout.deep {
            return Err(TableError::TooDeep { material: self.layout.material });
        }
        self.stored(group, &stored);
        self.found = true;
        Ok(Some(stored))
    }

    fn stored(&mut self, group: &Range<usize>, file: &Arc<Packed>) {
        let kept = group.clone().map(|slice| (slice, Kept::Stored(Arc::clone(file))));
        self.kept.extend(kept);
    }

    /// The codes of a slice, on this table's scale.
    fn raw(&self, slice: usize) -> Result<Arc<RawSlice>, TableError> {
        let damaged = |damage| self.damaged(damage);
        let (raw, deep) = match self.kept.get(&slice).expect("slices are solved in order") {
            Kept::Raw(codes) => return Ok(Arc::clone(codes)),
            Kept::Packed(packed) => {
                let first = slice * self.layout.blocks_per_slice();
                let read = |block| packed.read(&self.layout, slice, block - first);
                (self.layout.unpack(slice, read).map_err(damaged)?, self.layout.deep)
            }
            Kept::Stored(file) => (file.unpack_slice(slice).map_err(damaged)?, file.layout.deep),
        };
        let raw = if deep == self.layout.deep { Some(raw) } else { raw.on_losers_scale() };
        raw.map(Arc::new).ok_or(TableError::TooDeep { material: self.layout.material })
    }

    /// Appends a group that was fetched to a table's file.
    fn push(
        &self,
        group: &Range<usize>,
        file: &Packed,
        draft: &mut Draft,
    ) -> Result<(), TableError> {
        for slice in group.clone() {
            let packed = if file.layout.deep == self.layout.deep {
                file.packed_slice(slice).map_err(|damage| self.damaged(damage))?
            } else {
                PackedSlice::new(&self.layout, slice, &*self.raw(slice)?)
            };
            draft.push(&packed, file.longest())?;
        }
        Ok(())
    }

    /// What the pawns of a slice can move into.
    fn ahead(&self, slice: usize) -> Result<Ahead<'_>, TableError> {
        let ahead = self.layout.ahead(slice).into_iter();
        let read = |next| match (self.recent.get(next), self.kept.get(&next)) {
            (Some(codes), _) => Ok(Next::Raw(Arc::clone(codes))),
            (_, Some(Kept::Stored(file))) if is_read_in_blocks(&self.layout) => {
                Ok(Next::Packed(file))
            }
            _ => self.raw(next).map(Next::Raw),
        };
        let slices: Result<_, TableError> = ahead.map(|next| Ok((next, read(next)?))).collect();
        Ok(Ahead { layout: &self.layout, slices: slices? })
    }

    /// Keeps a solved group in memory, compressed.
    fn keep_packed(
        &mut self,
        group: &Range<usize>,
        packed: Vec<(PackedSlice, u16)>,
    ) -> Result<(), TableError> {
        if is_read_in_blocks(&self.layout) {
            let file = Arc::new(in_memory(&self.layout, group, &packed)?);
            self.stored(group, &file);
        } else {
            let kept = packed.into_iter().map(|(packed, _)| Kept::Packed(packed));
            self.kept.extend(group.clone().zip(kept));
        }
        Ok(())
    }

    /// Keeps a solved group: on the shelf, or in memory where there is none or it refuses.
    fn keep(
        &mut self,
        group: &Range<usize>,
        solved: Vec<Solved>,
        budget: &Budget,
    ) -> Result<(), TableError> {
        if self.shelf.is_none() && is_small(self.layout.material) {
            self.kept.extend(group.clone().zip(solved.into_iter().map(Solved::kept)));
            return Ok(());
        }
        let mut packed: Vec<(PackedSlice, u16)> = Vec::with_capacity(solved.len());
        for (slice, solved) in group.clone().zip(solved) {
            packed.push((solved.packed, solved.longest));
            solved.codes.into_iter().for_each(|codes| self.recent.put(slice, codes));
        }
        let Some(shelf) = &self.shelf else { return self.keep_packed(group, packed) };
        match shelf.put(&self.layout, group, &packed) {
            Ok(file) => self.stored(group, &Arc::new(file)),
            Err(error @ TableError::Cache { .. }) => {
                budget.progress().note(&format!("slices are kept in memory only: {error}"));
                self.shelf = None;
                self.keep_packed(group, packed)?;
            }
            Err(error) => return Err(error),
        }
        Ok(())
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

/// A table that was solved.
pub(in crate::tables) struct Built {
    /// In memory, if it is small.
    pub(in crate::tables) raw: Option<RawTable>,
    /// Whether slices were read that were solved before.
    pub(in crate::tables) found: bool,
}

/// Solves one signature whose children are solved, and writes it into a draft. With a shelf each
/// group of slices of a large table is stored as soon as it is solved, and those that are stored
/// already are taken from there. Peak memory: [`super::memory`].
pub(in crate::tables) fn solve(
    layout: &Arc<Layout>,
    metric: Metric,
    children: &HashMap<Material, Source>,
    shelf: Option<&Shelf>,
    draft: &mut Draft,
    budget: &Budget,
) -> Result<Built, TableError> {
    budget.check(layout.positions(), 0)?;
    let exits = Exits::new(layout, metric, children);
    let mut slices = Slices::none(layout).on(shelf);
    slices.recent = Recent::new(room_for_recent(layout, budget.limits().memory));
    let small = is_small(layout.material);
    let last_reader = layout.last_readers();
    for batch in layout.batches() {
        for group in groups_of(batch.clone(), layout) {
            if let Some(file) = slices.fetch(&group, budget)? {
                slices.push(&group, &file, draft)?;
                continue;
            }
            let solved = solve_group(&slices, group.clone(), &exits, budget)?;
            solved.iter().try_for_each(|solved| draft.push(&solved.packed, solved.longest))?;
            slices.keep(&group, solved, budget)?;
            // Large children are read block by block, where a pawn promotes.
            children.values().for_each(Source::release);
        }
        if !small {
            slices.kept.retain(|&slice, _| last_reader[slice] >= batch.end);
        }
    }
    let found = slices.found;
    Ok(Built { raw: small.then(|| slices.into_raw()), found })
}

/// The unit of work on a large table: solves one of its [`groups`] and stores it, if it is not
/// stored. The groups that it depends on must be stored.
///
/// # Errors
/// [`Damage::SetAside`] when one of those is not there, and [`TableError::Cache`] when the group
/// cannot be stored.
pub(in crate::tables) fn solve_stored(
    layout: &Arc<Layout>,
    group: &Range<usize>,
    children: &HashMap<Material, Source>,
    shelf: &Shelf,
    budget: &Budget,
) -> Result<(), TableError> {
    let mut slices = Slices::none(layout).on(Some(shelf));
    if slices.fetch(group, budget)?.is_some() {
        return Ok(());
    }
    let ahead: HashSet<usize> = group.clone().flat_map(|slice| layout.ahead(slice)).collect();
    for other in groups(layout).iter().filter(|other| ahead.iter().any(|s| other.contains(s))) {
        if slices.fetch(other, budget)?.is_none() {
            return Err(slices.damaged(Damage::SetAside));
        }
    }
    let exits = Exits::new(layout, Metric::Mate, children);
    let solved = solve_group(&slices, group.clone(), &exits, budget)?;
    let packed: Vec<(PackedSlice, u16)> =
        solved.into_iter().map(|solved| (solved.packed, solved.longest)).collect();
    shelf.put(layout, group, &packed).map(drop)
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
        for (slice, solved) in
            group.iter().zip(solve_group(slices, group.iter().copied(), &exits, budget)?)
        {
            done(*slice, &solved.packed, solved.longest)?;
            slices.kept.insert(*slice, solved.kept());
        }
    }
    Ok(())
}

/// A solved slice.
struct Solved {
    packed: PackedSlice,
    /// Of a small table, or as far as others will read them soon.
    codes: Option<RawSlice>,
    /// The longest distance in plies.
    longest: u16,
}

impl Solved {
    fn kept(self) -> Kept {
        self.codes.map_or(Kept::Packed(self.packed), |codes| Kept::Raw(Arc::new(codes)))
    }
}

/// Solves slices that do not depend on each other.
fn solve_group(
    slices: &Slices,
    group: impl IntoIterator<Item = usize>,
    exits: &Exits,
    budget: &Budget,
) -> Result<Vec<Solved>, TableError> {
    let layout = &slices.layout;
    let group: Vec<usize> = group.into_iter().collect();
    group
        .into_par_iter()
        .map(|slice| {
            let (codes, longest) =
                SliceSolver::new(layout, exits, slice).solve(slices.ahead(slice)?, budget)?;
            if longest >= DEEP && !layout.deep {
                return Err(TableError::TooDeep { material: layout.material });
            }
            let packed = PackedSlice::new(layout, slice, &codes);
            let codes = if is_small(layout.material) {
                Some(codes)
            } else {
                slices.recent.has_room().then(|| reached_by_pawns(layout, codes))
            };
            Ok(Solved { packed, codes, longest })
        })
        .collect()
}

fn groups_of(batch: Range<usize>, layout: &Layout) -> impl Iterator<Item = Range<usize>> {
    let (step, end) = (at_once(layout), batch.end);
    batch.step_by(step).map(move |start| start..end.min(start + step))
}

/// The slices of a table in groups that are solved at the same time, in order: each group depends on
/// earlier ones alone.
pub(in crate::tables) fn groups(layout: &Layout) -> Vec<Range<usize>> {
    layout.batches().into_iter().flat_map(|batch| groups_of(batch, layout)).collect()
}

#[cfg(test)]
mod tests;
