//! Building tables as tasks that can be done apart, each by another process: what there is to do, in
//! steps of which each needs earlier ones alone, and doing one task.
//!
//! A task is a whole small table, a group of slices of a large one, or putting the slices of a large
//! one together. Tasks speak to each other through the cache directory alone, and one that is done
//! already costs a look at its file: whatever ends the work, the same steps go on from there.

use hashbrown::HashMap;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::tables::{Tables, on_either_scale};
use crate::limits::Budget;
use crate::tables::TableError;
use crate::tables::index::layout::Layout;
use crate::tables::index::material::Material;
use crate::tables::solve::build::{groups, solve_stored};
use crate::tables::solve::memory::{MEN_IN_MEMORY, bytes_to_solve};
use crate::tables::solve::share::Others;

/// How long a file of another process may take to be seen in a directory that is shared.
const SEEN_WITHIN: Duration = Duration::from_secs(10);

const UNWRITTEN: &str = "it could not be written there";

/// One piece of the work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// The signature.
    pub material: Material,
    /// The slices to solve; `None` for the whole table, which of a large one is to put its slices
    /// together.
    pub slices: Option<Range<usize>>,
    /// Positions that it solves or copies, both sides to move: how long it takes beside others.
    pub positions: u64,
}

impl Task {
    /// Whether all processes do it together, each a share of its parts: a table of six men without
    /// pawns.
    pub fn is_shared(&self) -> bool {
        self.material.is_one_large_slice()
    }

    /// Whether it is one of those that [`Tables::perform`] does side by side, a thread each; all
    /// threads work on another one.
    pub fn is_small(&self) -> bool {
        self.material.men() <= MEN_IN_MEMORY
    }
}

impl std::fmt::Display for Task {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.slices {
            None => write!(f, "{}", self.material),
            Some(slices) => {
                write!(f, "{} slices {}-{}", self.material, slices.start, slices.end - 1)
            }
        }
    }
}

/// Putting slices together costs about this part of solving them.
const COPYING: u64 = 50;

/// Whether a table is solved group by group of its slices, each of which is stored.
fn has_groups(material: Material) -> bool {
    material.men() > MEN_IN_MEMORY && !material.is_one_large_slice()
}

/// Places tasks on steps.
#[derive(Default)]
struct Steps {
    steps: Vec<Vec<Task>>,
    /// The step after which a table is whole.
    whole: HashMap<Material, usize>,
}

impl Steps {
    fn place(&mut self, step: usize, task: Task) {
        if self.steps.len() <= step {
            self.steps.resize(step + 1, Vec::new());
        }
        self.steps[step].push(task);
    }

    fn add(&mut self, material: Material) {
        let children = material.children();
        let first = children.iter().filter_map(|m| self.whole.get(m)).max().map_or(0, |s| s + 1);
        let layout = Layout::new(material);
        let positions = layout.positions();
        let last = if has_groups(material) { self.add_slices(&layout, first) + 1 } else { first };
        let copying = if last == first { 1 } else { COPYING };
        self.whole.insert(material, last);
        self.place(last, Task { material, slices: None, positions: positions / copying });
    }

    /// Adds the groups of a large table; the step of the last of them.
    fn add_slices(&mut self, layout: &Layout, first: usize) -> usize {
        let a_slice = layout.positions() / layout.slices() as u64;
        let mut step_of = vec![first; layout.slices()];
        let mut last = first;
        for group in groups(layout) {
            let ahead = group.clone().flat_map(|slice| layout.ahead(slice));
            let step = ahead.map(|next| step_of[next] + 1).max().unwrap_or(first);
            step_of[group.clone()].fill(step);
            last = last.max(step);
            let positions = a_slice * group.len() as u64;
            self.place(step, Task { material: layout.material, slices: Some(group), positions });
        }
        last
    }
}

impl Tables {
    /// What has to be done for the tables of these signatures and all they depend on, but for what
    /// is at hand: in steps, each of tasks that need those of earlier steps alone.
    pub fn steps(&self, wanted: &[Material], budget: &Budget) -> Vec<Vec<Task>> {
        let mut steps = Steps::default();
        for closure in wanted.iter().map(Material::closure) {
            for material in closure {
                if !steps.whole.contains_key(&material) && !self.is_kept(material, budget) {
                    steps.add(material);
                }
            }
        }
        steps.steps
    }

    /// Does some tasks of one step, those of earlier steps being done, in the cache directory. Calls
    /// `done` after each, with the seconds it took.
    ///
    /// # Errors
    /// As [`Tables::ensure`], and [`TableError::Cache`] when nothing can be written, or a table that
    /// an earlier step should have left in the directory is not there.
    pub fn perform(
        &self,
        tasks: &[Task],
        budget: &Budget,
        done: &(dyn Fn(&Task, f64) + Sync),
    ) -> Result<(), TableError> {
        let _solving = self.lock();
        let (small, large): (Vec<&Task>, Vec<&Task>) =
            tasks.iter().partition(|task| task.is_small());
        let one = |task: &Task| -> Result<(), TableError> {
            let start = Instant::now();
            self.perform_one(task, budget)?;
            done(task, start.elapsed().as_secs_f64());
            Ok(())
        };
        small.into_par_iter().try_for_each(one)?;
        for task in large {
            self.forget_raw(&task.material.children());
            one(task)?;
        }
        Ok(())
    }

    /// Does a task that is shared, as the others do; process 0 stores the table.
    pub(crate) fn perform_together(
        &self,
        task: &Task,
        others: &dyn Others,
        budget: &Budget,
    ) -> Result<(), TableError> {
        let _solving = self.lock();
        let material = task.material;
        self.forget_raw(&material.children());
        for child in material.children() {
            self.wait_for(child, budget)?;
        }
        self.build_large(material, Some(others), budget)?;
        let stored = others.place().0 != 0 || self.is_stored(material);
        stored.then_some(()).ok_or_else(|| self.without(material, UNWRITTEN))
    }

    fn perform_one(&self, task: &Task, budget: &Budget) -> Result<(), TableError> {
        let material = task.material;
        if self.is_kept(material, budget) {
            return Ok(());
        }
        budget.check(0, bytes_to_solve(&[material], budget.limits().memory))?;
        for child in material.children() {
            self.wait_for(child, budget)?;
        }
        let Some(group) = &task.slices else { return self.build_stored(material, budget) };
        let shelf = self
            .shelf(material)
            .ok_or_else(|| self.without(material, "slices need a directory that is believed"))?;
        budget.progress().stage(&task.to_string(), None);
        let children = self.children(material)?;
        let attempt =
            |layout: Layout| solve_stored(&Arc::new(layout), group, &children, &shelf, budget);
        on_either_scale(material, attempt)
    }

    /// Builds a table that must be in the directory afterwards.
    fn build_stored(&self, material: Material, budget: &Budget) -> Result<(), TableError> {
        budget.progress().stage(&format!("table {material}"), None);
        self.build(material, budget)?;
        let written = self.is_stored(material).then_some(());
        written.ok_or_else(|| self.without(material, UNWRITTEN))
    }

    /// Takes a table from the directory, where another process has stored it.
    fn wait_for(&self, material: Material, budget: &Budget) -> Result<(), TableError> {
        let start = Instant::now();
        while !self.is_kept(material, budget) {
            if start.elapsed() > SEEN_WITHIN {
                return Err(self.without(material, "what another process stored is not seen"));
            }
            budget.check(0, 0)?;
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    fn without(&self, material: Material, fault: &str) -> TableError {
        let path = self.path(material).unwrap_or_default();
        TableError::Cache { path, error: io::Error::other(fault) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashbrown::HashSet;
    use pretty_assertions::assert_eq;
    use std::fs;

    fn bytes(directory: &std::path::Path) -> Vec<(String, Vec<u8>)> {
        let mut files: Vec<_> = fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap())
            .map(|e| (e.file_name().to_string_lossy().into_owned(), fs::read(e.path()).unwrap()))
            .collect();
        files.sort();
        files
    }

    #[test]
    fn a_step_needs_earlier_steps_alone() {
        let tables = Tables::in_memory();
        let wanted = ["KRPvKR", "KPPvKP", "KRNvKNN", "KNNNvKP"].map(|name| name.parse().unwrap());
        let steps = tables.steps(&wanted, &Budget::default());
        let mut whole: HashSet<Material> = HashSet::new();
        let mut solved: HashSet<(Material, usize)> = HashSet::new();
        for step in &steps {
            for task in step {
                let needed = task.material.children();
                assert!(needed.iter().all(|child| whole.contains(child)), "{task}");
                let layout = Layout::new(task.material);
                let slices = match &task.slices {
                    Some(group) => group.clone().flat_map(|s| layout.ahead(s)).collect(),
                    None if !has_groups(task.material) => Vec::new(),
                    None => (0..layout.slices()).collect(),
                };
                assert!(slices.iter().all(|&s| solved.contains(&(task.material, s))), "{task}");
            }
            for task in step {
                match &task.slices {
                    None => assert!(whole.insert(task.material), "{task} twice"),
                    Some(group) => {
                        solved.extend(group.clone().map(|slice| (task.material, slice)));
                    }
                }
            }
        }
        assert!(wanted.iter().all(|material| whole.contains(material)));
    }

    /// Two processes that take turns at the tasks leave the same bytes as one that builds it all.
    #[test]
    fn tasks_done_apart_make_the_same_files() {
        let [apart, together] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let material: Material = "KPvKP".parse().unwrap();
        let budget = Budget::default();
        let open = |directory: &tempfile::TempDir| Tables::open(Some(directory.path())).unwrap();
        let both = [open(&apart), open(&apart)];
        let steps = both[0].steps(&[material], &budget);
        for (at, task) in steps.iter().flatten().enumerate() {
            both[at % 2].perform(std::slice::from_ref(task), &budget, &|_, _| {}).unwrap();
        }
        open(&together).ensure(material, &budget).unwrap();
        assert!(bytes(apart.path()) == bytes(together.path()));
        assert_eq!(both[0].steps(&[material], &budget), Vec::<Vec<Task>>::new());
    }
}
