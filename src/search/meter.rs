//! Counts the positions visited and ends work at the end of its slice or of the budget.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

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

/// What several meters draw their steps from: one slice and one budget for all of them.
#[derive(Debug)]
pub(super) struct Pool {
    drawn: AtomicU64,
    /// Visited before, and where the slice ends.
    before: u64,
    until: u64,
    /// Bytes of what they build, all together.
    growing: AtomicU64,
    /// Somebody has the answer.
    over: AtomicBool,
}

impl Pool {
    /// Ends what all meters count, as the end of the slice does.
    pub(super) fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
    }
}

/// One budget, shared by the searches of one question.
pub(super) struct Meter<'a> {
    budget: &'a Budget,
    visited: u64,
    until: u64,
    /// Bytes held throughout, and bytes of what is being built.
    fixed: u64,
    growing: u64,
    /// Where steps are drawn from, [`PATIENCE`] at a time, if others draw there too.
    pool: Option<&'a Pool>,
    /// What ends the slice when it becomes true.
    ended: Option<&'a AtomicBool>,
}

impl<'a> Meter<'a> {
    /// `bytes` is what the searches hold in memory throughout.
    pub(super) fn new(budget: &'a Budget, bytes: u64) -> Self {
        Self {
            budget,
            visited: 0,
            until: u64::MAX,
            fixed: bytes,
            growing: 0,
            pool: None,
            ended: None,
        }
    }

    pub(super) fn budget(&self) -> &'a Budget {
        self.budget
    }

    pub(super) fn visited(&self) -> u64 {
        self.visited
    }

    /// What is being built has this size now.
    pub(super) fn growing(&mut self, bytes: u64) {
        if let Some(pool) = self.pool {
            pool.growing.fetch_add(bytes.wrapping_sub(self.growing), Ordering::Relaxed);
        }
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

    /// What is left of this slice, for several meters.
    pub(super) fn pool(&self) -> Pool {
        Pool {
            drawn: AtomicU64::new(0),
            before: self.visited,
            until: self.until,
            growing: AtomicU64::new(0),
            over: AtomicBool::new(false),
        }
    }

    /// A meter of its own for one of several threads. It counts from zero.
    pub(super) fn member(&self, pool: &'a Pool) -> Self {
        Self { visited: 0, until: u64::MAX, growing: 0, pool: Some(pool), ..*self }
    }

    /// The meter of one of several threads, with slices that end when `flag` becomes true, too.
    pub(super) fn ended_by(self, flag: &'a AtomicBool) -> Self {
        Self { ended: Some(flag), ..self }
    }

    /// The same count within another budget.
    pub(super) fn within(self, budget: &'a Budget) -> Self {
        Self { budget, ..self }
    }

    /// One position more.
    pub(super) fn step(&mut self) -> Result<(), Halt> {
        self.visited += 1;
        if self.visited.is_multiple_of(PATIENCE) {
            match self.pool {
                Some(pool) => self.draw(pool)?,
                None => {
                    self.check()?;
                    if self.visited >= self.until {
                        return Err(Halt::Slice);
                    }
                }
            }
        }
        Ok(())
    }

    /// So many positions more.
    pub(super) fn steps(&mut self, positions: u64) -> Result<(), Halt> {
        (0..positions).try_for_each(|_| self.step())
    }

    /// As many steps more as a thread draws at once.
    fn draw(&self, pool: &Pool) -> Result<(), Halt> {
        let drawn = pool.drawn.fetch_add(PATIENCE, Ordering::Relaxed) + PATIENCE;
        let visited = pool.before + drawn;
        let bytes = self.fixed + pool.growing.load(Ordering::Relaxed);
        self.budget.check(visited, bytes).map_err(Halt::Stop)?;
        let is_ended = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        let over = is_ended(&pool.over) || self.ended.is_some_and(is_ended);
        if over || visited >= pool.until || self.visited >= self.until {
            Err(Halt::Slice)
        } else {
            Ok(())
        }
    }
}
