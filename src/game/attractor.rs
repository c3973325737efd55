//! Attractors: from where a set of positions is reached, level by level, backwards.

use super::graph::Graph;
use crate::limits::{Budget, StopReason};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU16, Ordering};

/// Positions of a level per parallel task.
const TASK: usize = 4096;

/// When a position enters an attractor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    /// The winner, to move after an odd number of plies, needs one move into it; the opponent must
    /// have no other.
    Alternating,
    /// All moves lead into it, whoever is to move.
    Forced,
}

/// Attractors on one graph, disjoint, so that they share marks and counters: 4 bytes a position.
pub(super) struct Attractor<'a> {
    graph: &'a dyn Graph,
    budget: &'a Budget,
    unmarked: u16,
    mark: Vec<AtomicU16>,
    /// Moves that do not lead into an attractor yet.
    left: Vec<AtomicU16>,
}

impl<'a> Attractor<'a> {
    /// Nothing has entered; `unmarked` says so.
    pub(super) fn new(
        graph: &'a dyn Graph,
        unmarked: u16,
        budget: &'a Budget,
    ) -> Result<Self, StopReason> {
        let count = graph.positions();
        budget.check(0, graph.memory() + 4 * u64::from(count))?;
        let mark =
            std::iter::repeat_with(|| AtomicU16::new(unmarked)).take(count as usize).collect();
        let left = (0..count).map(|id| AtomicU16::new(graph.degree(id))).collect();
        Ok(Self { graph, budget, unmarked, mark, left })
    }

    /// The marks of all positions.
    pub(super) fn into_marks(self) -> Vec<u16> {
        self.mark.into_iter().map(AtomicU16::into_inner).collect()
    }

    /// Adds the attractor of `start`, positions with the plies after which they enter; what enters
    /// after n plies is marked with `code(n)`.
    pub(super) fn draw_in(
        &mut self,
        mut start: Vec<(u32, u32)>,
        entry: Entry,
        code: impl Fn(u32) -> u16,
    ) -> Result<(), StopReason> {
        start.sort_unstable_by(|a, b| b.cmp(a));
        let (mut level, mut plies) = (Vec::new(), 0);
        loop {
            while let Some((_, id)) = start.pop_if(|(at, _)| *at == plies) {
                self.mark[id as usize].store(code(plies), Ordering::Relaxed);
                level.push(id);
            }
            if level.is_empty() && start.is_empty() {
                return Ok(());
            }
            self.budget
                .check(0, self.graph.memory() + 4 * (self.mark.len() + level.len()) as u64)?;
            level.sort_unstable();
            plies += 1;
            let one_is_enough = entry == Entry::Alternating && plies % 2 == 1;
            level = self.before(&level, one_is_enough, code(plies));
        }
    }

    /// The positions that enter now, because of moves into `level`.
    fn before(&self, level: &[u32], one_is_enough: bool, code: u16) -> Vec<u32> {
        let work = |part: &[u32]| {
            let mut found = Vec::new();
            self.graph.for_each_predecessor(part, &mut |id| {
                if self.enters(id, one_is_enough, code) {
                    found.push(id);
                }
            });
            found
        };
        if self.budget.limits().threads > 1 && level.len() > TASK {
            let parts: Vec<Vec<u32>> = level.par_chunks(TASK).map(work).collect();
            parts.concat()
        } else {
            work(level)
        }
    }

    /// Notes a move of a position into the last level; whether the position enters by it. It enters
    /// once.
    fn enters(&self, id: u32, one_is_enough: bool, code: u16) -> bool {
        let mark = &self.mark[id as usize];
        if one_is_enough {
            return mark
                .compare_exchange(self.unmarked, code, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok();
        }
        if mark.load(Ordering::Relaxed) != self.unmarked {
            return false;
        }
        let last = self.left[id as usize].fetch_sub(1, Ordering::Relaxed) == 1;
        if last {
            mark.store(code, Ordering::Relaxed);
        }
        last
    }
}
