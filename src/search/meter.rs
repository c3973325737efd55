//! Counts the positions visited and ends work at the end of its slice or of the budget.

use crate::limits::{Budget, StopReason};

/// Why a search returned without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Halt {
    /// Its slice of work is done; it can be taken up again.
    Slice,
    /// A limit of the budget is reached.
    Stop(StopReason),
}

/// Steps between two looks at the clock.
const PATIENCE: u64 = 1024;

/// One budget, shared by the searches of one question.
pub(super) struct Meter<'a> {
    budget: &'a Budget,
    visited: u64,
    until: u64,
    /// Bytes held throughout, and bytes of what is being built.
    fixed: u64,
    growing: u64,
}

impl<'a> Meter<'a> {
    /// `bytes` is what the searches hold in memory throughout.
    pub(super) fn new(budget: &'a Budget, bytes: u64) -> Self {
        Self { budget, visited: 0, until: u64::MAX, fixed: bytes, growing: 0 }
    }

    pub(super) fn budget(&self) -> &'a Budget {
        self.budget
    }

    pub(super) fn visited(&self) -> u64 {
        self.visited
    }

    /// What is being built has this size now.
    pub(super) fn growing(&mut self, bytes: u64) {
        self.growing = bytes;
    }

    /// From now on `positions` may be visited before the slice ends.
    pub(super) fn slice(&mut self, positions: u64) {
        self.until = self.visited.saturating_add(positions);
    }

    /// Another method has visited so many positions.
    pub(super) fn spend(&mut self, positions: u64) {
        self.visited += positions;
    }

    /// Looks at the limits at once.
    pub(super) fn check(&self) -> Result<(), Halt> {
        self.budget.check(self.visited, self.fixed + self.growing).map_err(Halt::Stop)
    }

    /// One position more.
    pub(super) fn step(&mut self) -> Result<(), Halt> {
        self.visited += 1;
        if self.visited.is_multiple_of(PATIENCE) {
            self.check()?;
            if self.visited >= self.until {
                return Err(Halt::Slice);
            }
        }
        Ok(())
    }
}
