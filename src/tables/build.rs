//! Solving one signature, slice by slice.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;

use crate::limits::Budget;

use super::exits::Exits;
use super::format::{File, PackedSlice};
use super::layout::Layout;
use super::material::Material;

use super::raw::{RawSlice, RawTable};
use super::solve::SliceSolver;
use super::source::Source;
use super::value::TOO_DEEP;
use super::{Metric, TableError};

/// Tables of at most this many men are kept in memory, one byte a position, while others need them.
pub(super) const MEN_IN_MEMORY: usize = 4;

/// A solved table.
pub(super) struct Solved {
    /// Its file.
    pub(super) file: File,
    /// The table in memory, if it is small ([`MEN_IN_MEMORY`]).
    pub(super) raw: Option<RawTable>,
}

/// Solves one signature whose children are solved. Peak memory: [`build_bytes`].
pub(super) fn solve(
    material: Material,
    metric: Metric,
    children: &HashMap<Material, Source>,
    budget: &Budget,
) -> Result<Solved, TableError> {
    let layout = Arc::new(Layout::new(material));
    budget.check(layout.positions(), build_bytes(&layout))?;
    let exits = Exits::new(&layout, metric, children);
    let mut table = RawTable::empty(Arc::clone(&layout));
    let mut packed: Vec<PackedSlice> = Vec::with_capacity(layout.slices());
    let mut longest = 0;
    let batches = layout.batches();
    for (at, batch) in batches.iter().enumerate() {
        let solved: Result<Vec<(RawSlice, PackedSlice, u16)>, TableError> = batch
            .clone()
            .into_par_iter()
            .map(|slice| {
                let (codes, longest) = SliceSolver::new(&exits, &table, slice).solve(budget)?;
                let packed = PackedSlice::new(&layout, slice, &codes);
                Ok((codes, packed, longest))
            })
            .collect();
        for (slice, (codes, small, plies)) in batch.clone().zip(solved?) {
            table.slices[slice] = Some(codes);
            packed.push(small);
            longest = longest.max(plies);
        }
        // A batch reads whole tables where its pawns promote.
        children.values().for_each(Source::release);
        // A pawn move leads two batches back at most.
        if material.men() > MEN_IN_MEMORY && at > 1 {
            for slice in batches[at - 2].clone() {
                table.slices[slice] = None;
            }
        }
    }
    if longest + 1 >= TOO_DEEP {
        return Err(TableError::TooDeep { material });
    }
    let raw = (material.men() <= MEN_IN_MEMORY).then_some(table);
    Ok(Solved { file: File::new(&layout, longest, packed), raw })
}

/// Solves some slices of a signature: those that pawn moves lead to must be among them, and `children` must hold what
/// captures and promotions lead to.
pub(super) fn solve_slices(
    layout: &Arc<Layout>,
    wanted: &[bool],
    children: &HashMap<Material, Source>,
    budget: &Budget,
) -> Result<RawTable, TableError> {
    let exits = Exits::new(layout, Metric::Mate, children);
    let mut table = RawTable::empty(Arc::clone(layout));
    for batch in layout.batches() {
        let slices = batch.into_par_iter().filter(|&slice| wanted[slice]);
        let solved: Result<Vec<(usize, RawSlice, u16)>, TableError> = slices
            .map(|slice| SliceSolver::new(&exits, &table, slice).solve(budget).map(|(codes, ply)| (slice, codes, ply)))
            .collect();
        for (slice, codes, longest) in solved? {
            if longest + 1 >= TOO_DEEP {
                return Err(TableError::TooDeep { material: layout.material });
            }
            table.slices[slice] = Some(codes);
        }
    }
    Ok(table)
}

/// About how many bytes solving a signature takes at its peak, the tables it depends on left out: the slices
/// being solved (104 bytes a row and side) and those kept for the next, and the compressed result.
pub(super) fn build_bytes(layout: &Layout) -> u64 {
    let rows = (layout.rows() * layout.kings.count()) as u64;
    let at_once = rayon::current_num_threads().min(layout.batches().iter().map(|b| b.len()).max().unwrap_or(1));
    let kept = if layout.material.has_pawns() { 2 * at_once } else { 0 };
    rows * 2 * (104 * at_once + 64 * kept) as u64 + layout.positions() / 2
}
