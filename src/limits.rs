//! Budgets, stop reasons and progress: a limit is an answer, not an error.
//!
//! Every engine takes a [`Budget`] and calls [`Budget::check`] every few thousand steps. What ends
//! it early is a [`StopReason`], which travels up into the verdict.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Why an engine stopped before it had decided.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize, thiserror::Error,
)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The wall-clock budget (`--time`) is used up.
    #[error("time limit reached")]
    Time,
    /// The memory budget (`--memory`) is used up.
    #[error("memory limit reached")]
    Memory,
    /// The position budget (`--positions`) is used up.
    #[error("position limit reached")]
    Positions,
    /// The user interrupted the work (Ctrl-C, `stop`).
    #[error("interrupted")]
    Interrupted,
    /// The engine's method is exhausted without an answer (it is incomplete on this question).
    #[error("method exhausted")]
    Exhausted,
}

/// The limits a user may set. `None` means unlimited.
///
/// ```
/// use theta_chess::limits::Limits;
///
/// let limits = Limits::seconds(60).with_memory(1 << 30).with_positions(1_000_000);
/// assert_eq!(limits.positions, Some(1_000_000));
/// assert_eq!(limits.time.map(|time| time.as_secs()), Some(60));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Wall-clock time from the start of the budget.
    pub time: Option<Duration>,
    /// Bytes that the engine's own structures may take.
    pub memory: Option<u64>,
    /// Positions (or states) that may be visited.
    pub positions: Option<u64>,
    /// Worker threads, at least 1.
    pub threads: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: None, memory: None, positions: None, threads: cores() }
    }
}

/// The cores that this process may use. The system is asked once: that takes some 100 µs.
fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

impl Limits {
    /// So many seconds, and nothing else is limited.
    pub fn seconds(seconds: u64) -> Self {
        Self::default().with_time(Duration::from_secs(seconds))
    }

    /// These limits with so much time.
    #[must_use]
    pub fn with_time(self, time: Duration) -> Self {
        Self { time: Some(time), ..self }
    }

    /// These limits with so many bytes for the engine's own structures.
    #[must_use]
    pub fn with_memory(self, bytes: u64) -> Self {
        Self { memory: Some(bytes), ..self }
    }

    /// These limits with so many positions that may be visited.
    #[must_use]
    pub fn with_positions(self, positions: u64) -> Self {
        Self { positions: Some(positions), ..self }
    }

    /// These limits with so many worker threads, at least one.
    #[must_use]
    pub fn with_threads(self, threads: usize) -> Self {
        Self { threads: threads.max(1), ..self }
    }
}

/// Receives progress events; the command line draws bars from them, the library's default ignores
/// them.
pub trait Progress: Send + Sync {
    /// A new stage of work begins; `total` units are expected, if known.
    fn stage(&self, name: &str, total: Option<u64>);
    /// `done` units of the current stage are finished.
    fn advance(&self, done: u64);
    /// A remark for the user (which engine runs, why it changed).
    fn note(&self, text: &str);
    /// A fact is proved of the position that is asked about, and the work goes on: a sentence whose
    /// first word is the side, such as `White holds: it is never mated`. What comes later may be
    /// stronger. It is a remark unless the receiver knows better.
    fn proved(&self, fact: &str) {
        self.note(&format!("proved so far: {fact}"));
    }
}

/// The progress receiver that ignores everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn stage(&self, _name: &str, _total: Option<u64>) {}
    fn advance(&self, _done: u64) {}
    fn note(&self, _text: &str) {}
    fn proved(&self, _fact: &str) {}
}

/// A running budget: limits, a start time, an interrupt flag and a progress receiver. Cheap to
/// clone.
#[derive(Clone)]
pub struct Budget {
    limits: Limits,
    start: Instant,
    interrupt: Arc<AtomicBool>,
    cancels: Vec<Arc<AtomicBool>>,
    progress: Arc<dyn Progress>,
}

impl std::fmt::Debug for Budget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Budget")
            .field("limits", &self.limits)
            .field("start", &self.start)
            .finish_non_exhaustive()
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self::new(Limits::default())
    }
}

impl From<Limits> for Budget {
    /// A budget that starts now.
    fn from(limits: Limits) -> Self {
        Self::new(limits)
    }
}

impl From<&Limits> for Budget {
    /// A budget that starts now.
    fn from(limits: &Limits) -> Self {
        Self::new(*limits)
    }
}

impl From<&Budget> for Budget {
    /// The same budget: it goes on running.
    fn from(budget: &Budget) -> Self {
        budget.clone()
    }
}

impl Budget {
    /// A budget that starts now, with no interrupt and silent progress.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            start: Instant::now(),
            interrupt: Arc::new(AtomicBool::new(false)),
            cancels: Vec::new(),
            progress: Arc::new(Silent),
        }
    }

    /// The same budget, stopped when `flag` becomes true.
    #[must_use]
    pub fn with_interrupt(mut self, flag: Arc<AtomicBool>) -> Self {
        self.interrupt = flag;
        self
    }

    /// The same budget, reporting to `progress`.
    #[must_use]
    pub fn with_progress(mut self, progress: Arc<dyn Progress>) -> Self {
        self.progress = progress;
        self
    }

    /// The same budget for a question that the user has not asked: nothing is told of it.
    #[must_use]
    pub fn quietly(&self) -> Self {
        self.clone().with_progress(Arc::new(Silent))
    }

    /// A budget for a part of the work: the same interrupt and progress, at most `time` from now
    /// and never longer than this budget.
    #[must_use]
    pub fn part(&self, time: Duration) -> Self {
        let left = self.remaining().map_or(time, |r| r.min(time));
        Self {
            limits: Limits { time: Some(left), ..self.limits },
            start: Instant::now(),
            ..self.clone()
        }
    }

    /// The same budget, started at the same moment, with other limits.
    #[must_use]
    pub fn limited(&self, limits: Limits) -> Self {
        Self { limits, ..self.clone() }
    }

    /// The same budget with so many positions, more or fewer than it had.
    #[must_use]
    pub fn with_positions(&self, positions: u64) -> Self {
        self.limited(self.limits.with_positions(positions))
    }

    /// The same budget without a limit on positions.
    #[must_use]
    pub fn without_positions(&self) -> Self {
        self.limited(Limits { positions: None, ..self.limits })
    }

    /// The same budget with at most so many positions.
    #[must_use]
    pub fn at_most(&self, positions: u64) -> Self {
        self.with_positions(self.limits.positions.map_or(positions, |n| n.min(positions)))
    }

    /// What is left of the budget after so many positions.
    #[must_use]
    pub fn after(&self, positions: u64) -> Self {
        let left = self.limits.positions.map(|n| n.saturating_sub(positions));
        self.limited(Limits { positions: left, ..self.limits })
    }

    /// The same budget with a share of its memory: one of so many.
    #[must_use]
    pub fn memory_of(&self, parts: u64) -> Self {
        self.limited(Limits {
            memory: self.limits.memory.map(|bytes| bytes / parts),
            ..self.limits
        })
    }

    /// The same budget, of which at least so much time is left: what is proved is not lost because
    /// the time that it took was all there was.
    #[must_use]
    pub fn with_at_least(&self, time: Duration) -> Self {
        match self.remaining() {
            Some(left) if left < time => {
                Self { limits: self.limits.with_time(time), start: Instant::now(), ..self.clone() }
            }
            _ => self.clone(),
        }
    }

    /// As [`Budget::with_at_least`], and though the user has interrupted the work: for writing down
    /// what is proved. What a rival has cancelled stays so.
    #[must_use]
    pub fn with_grace(&self, time: Duration) -> Self {
        if self.interrupt.load(Ordering::Relaxed) {
            self.part(time).with_interrupt(Arc::default()).with_at_least(time)
        } else {
            self.with_at_least(time)
        }
    }

    /// The same budget for one of several methods that race: it is stopped by the interrupt, and
    /// when `flag` becomes true. What stopped it before goes on stopping it.
    #[must_use]
    pub fn cancelled_by(&self, flag: Arc<AtomicBool>) -> Self {
        let mut part = self.clone();
        part.cancels.push(flag);
        part
    }

    /// The limits as set.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Time since the budget started.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Time left, `None` when unlimited, zero when used up.
    pub fn remaining(&self) -> Option<Duration> {
        self.limits.time.map(|t| t.saturating_sub(self.start.elapsed()))
    }

    /// The interrupt flag, to share with a signal handler.
    pub fn interrupt_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.interrupt)
    }

    /// The progress receiver.
    pub fn progress(&self) -> &dyn Progress {
        &*self.progress
    }

    /// Ends the work when a limit is reached. `positions` = visited so far, `bytes` = held by the
    /// engine now. Reads the clock (about 25 ns): call it every few thousand steps, not every step.
    ///
    /// # Errors
    /// The first limit that is used up. A budget of zero is used up from the start.
    pub fn check(&self, positions: u64, bytes: u64) -> Result<(), StopReason> {
        let raised = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        if raised(&self.interrupt) || self.cancels.iter().any(|flag| raised(flag)) {
            return Err(StopReason::Interrupted);
        }
        if self.limits.positions.is_some_and(|limit| positions >= limit) {
            return Err(StopReason::Positions);
        }
        if self.limits.memory.is_some_and(|limit| bytes >= limit) {
            return Err(StopReason::Memory);
        }
        if self.limits.time.is_some_and(|limit| self.start.elapsed() >= limit) {
            return Err(StopReason::Time);
        }
        Ok(())
    }
}

/// The most memory this process has held so far, in bytes; `None` where the system does not tell.
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    let kib: u64 = line.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}
