//! Solving a signature and all it depends on.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;

use crate::limits::Budget;

use super::exits::Exits;
use super::layout::Layout;
use super::material::Material;
use super::raw::RawTable;
use super::solve::SliceSolver;
use super::{Metric, TableError};

/// Solves one signature whose children are solved.
pub(super) fn solve(
    material: Material,
    metric: Metric,
    tables: &HashMap<Material, Arc<RawTable>>,
    budget: &Budget,
) -> Result<RawTable, TableError> {
    let layout = Arc::new(Layout::new(material));
    let exits = Exits::new(&layout, metric, tables);
    let mut table = RawTable::empty(Arc::clone(&layout));
    for batch in layout.batches() {
        let done: Result<Vec<_>, TableError> =
            batch.clone().into_par_iter().map(|s| SliceSolver::new(&exits, &table, s).solve(budget)).collect();
        for (slice, (codes, _longest)) in batch.zip(done?) {
            table.slices[slice] = Some(codes);
        }
    }
    Ok(table)
}
