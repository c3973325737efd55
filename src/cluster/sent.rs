//! Tasks on their way from process 0 to those that do them.

use crate::tables::{TableError, Task};

/// A task on its way: its process, its signature, its slices (an empty range for the whole table),
/// its positions.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(super) struct Sent {
    pub(super) process: u64,
    material: String,
    slices: (u64, u64),
    positions: u64,
    pub(super) seconds: f64,
}

impl Sent {
    pub(super) fn new(process: usize, task: &Task) -> Self {
        let slices = task.slices.as_ref().map_or((0, 0), |s| (s.start as u64, s.end as u64));
        Self {
            process: process as u64,
            material: task.material.to_string(),
            slices,
            positions: task.positions,
            seconds: 0.0,
        }
    }

    /// The report that it is done.
    pub(super) fn after(self, seconds: f64) -> Self {
        Self { seconds, ..self }
    }

    pub(super) fn task(&self) -> Result<Task, TableError> {
        let slices = self.slices.0 as usize..self.slices.1 as usize;
        Ok(Task {
            material: self.material.parse()?,
            slices: (!slices.is_empty()).then_some(slices),
            positions: self.positions,
        })
    }
}

/// Which process does which tasks of a step: the longest first, each to the one with the least to
/// do. What all do together goes to each.
pub(super) fn share(tasks: &[Task], processes: usize) -> Vec<(usize, &Task)> {
    let mut order: Vec<&Task> = tasks.iter().collect();
    order.sort_by_key(|task| std::cmp::Reverse(task.positions));
    let mut loads = vec![0u64; processes];
    let mut shared = Vec::with_capacity(order.len());
    for task in order {
        if processes > 1 && task.is_shared() {
            shared.extend((0..processes).map(|process| (process, task)));
            continue;
        }
        let process = (0..processes).min_by_key(|&process| loads[process]).unwrap_or(0);
        loads[process] += 1 + task.positions;
        shared.push((process, task));
    }
    shared
}

/// Tasks in lots: small ones together, large ones, each of which takes all threads, alone.
pub(super) fn lots(tasks: impl Iterator<Item = Sent>) -> impl Iterator<Item = Vec<Sent>> {
    let (small, large): (Vec<Sent>, Vec<Sent>) =
        tasks.partition(|sent| sent.task().is_ok_and(|task| task.is_small()));
    std::iter::once(small)
        .filter(|lot| !lot.is_empty())
        .chain(large.into_iter().map(|task| vec![task]))
}
