//! Several threads at one question: who is where, and when to give up what somebody else has
//! answered.
//!
//! All threads search the same question from its root and share the table of bounds. What keeps
//! them apart is a mark on every position that a thread is in: to the others it looks harder than it
//! is (a virtual loss), so that they go elsewhere unless there is nothing else to do. Marks are kept
//! beside the table: no number that is stored depends on where a thread happened to be. When a
//! position is decided below which others are at work, these are told, and return to above it.
//!
//! # References
//! * T. Kaneko, *Parallel depth first proof number search*, 2010 (threads that share a table, with
//!   virtual proof and disproof numbers).
//! * J. Pawlewicz, R. B. Hayward, *Scalable parallel DFPN search*, 2013.
//! * J.-C. Weill, *The ABDADA distributed minimax search algorithm*, 1996 (moves that another thread
//!   is at are put off: `mate` does so).

use super::mate::Desk;
use super::meter::Halt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicUsize, Ordering};

/// Marks: positions share one by chance, which makes some look harder than they need.
const MARKS: usize = 1 << 15;

/// How many threads a search may use, at present: whoever holds it may change it.
#[derive(Debug, Clone)]
pub struct Threads(Arc<AtomicUsize>);

impl Threads {
    /// So many, at least one.
    pub fn new(threads: usize) -> Self {
        Self(Arc::new(AtomicUsize::new(threads.max(1))))
    }

    /// The number at present.
    pub fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// Changes the number, for what begins from now on.
    pub fn set(&self, threads: usize) {
        self.0.store(threads.max(1), Ordering::Relaxed);
    }
}

impl Default for Threads {
    fn default() -> Self {
        Self::new(1)
    }
}

/// What the threads at one question tell each other.
#[derive(Debug)]
pub(super) struct Crew {
    /// Threads in the positions of each mark.
    marks: Vec<AtomicU8>,
    /// How often a position was decided that others were in.
    news: AtomicU32,
}

impl Crew {
    fn new() -> Self {
        Self { marks: bytemuck::zeroed_vec(MARKS), news: AtomicU32::new(0) }
    }

    fn mark(&self, key: u64) -> &AtomicU8 {
        // The low bits choose nothing else: the table's clusters go by the high ones.
        &self.marks[key as usize % MARKS]
    }

    /// A thread enters a position.
    pub(super) fn enter(&self, key: u64) {
        self.mark(key).fetch_add(1, Ordering::Relaxed);
    }

    /// It leaves; whether others are still there.
    pub(super) fn leave(&self, key: u64) -> bool {
        self.mark(key).fetch_sub(1, Ordering::Relaxed) > 1
    }

    /// Threads in a position.
    pub(super) fn at(&self, key: u64) -> u32 {
        u32::from(self.mark(key).load(Ordering::Relaxed))
    }

    /// Tells the others that a position they are in is decided.
    pub(super) fn tell(&self) {
        self.news.fetch_add(1, Ordering::Relaxed);
    }

    /// How often that was told.
    pub(super) fn news(&self) -> u32 {
        self.news.load(Ordering::Relaxed)
    }
}

/// Puts a question to workers at the same time, each in a thread of its own, and gives the first
/// answer. The slice is that of all together: a thread draws positions from it as it goes.
///
/// # Errors
/// The end of the slice or of the budget, when nobody has an answer.
pub(super) fn together<W: Send, T: Send>(
    desk: &mut Desk,
    workers: &mut [W],
    ask: impl Fn(&mut W, &mut Desk) -> Result<T, Halt> + Sync,
) -> Result<T, Halt> {
    let [first, others @ ..] = workers else { unreachable!("nobody was asked") };
    if others.is_empty() {
        return ask(first, desk);
    }
    let (crew, pool) = (Crew::new(), desk.meter.pool());
    let one = |worker: &mut W, desk: &mut Desk| {
        let answer = ask(worker, desk);
        if !matches!(answer, Err(Halt::Slice)) {
            pool.end();
        }
        answer
    };
    let (mut answer, visited) = std::thread::scope(|scope| {
        let threads: Vec<_> = others
            .iter_mut()
            .map(|worker| {
                let (mut bounds, mut meter) = (desk.bounds.shared(), desk.meter.member(&pool));
                let (one, crew) = (&one, &crew);
                scope.spawn(move || {
                    let mut desk =
                        Desk { bounds: &mut bounds, meter: &mut meter, crew: Some(crew) };
                    let answer = one(worker, &mut desk);
                    (answer, meter.visited())
                })
            })
            .collect();
        let mut meter = desk.meter.member(&pool);
        let mut own = Desk { bounds: desk.bounds, meter: &mut meter, crew: Some(&crew) };
        let mut answer = one(first, &mut own);
        let mut visited = meter.visited();
        for thread in threads {
            let (other, more) =
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            visited += more;
            let better = match (&answer, &other) {
                (Ok(_), _) => false,
                (Err(Halt::Slice), _) => true,
                (Err(_), other) => other.is_ok(),
            };
            if better {
                answer = other;
            }
        }
        (answer, visited)
    });
    desk.bounds.catch_up();
    desk.meter.spend(visited);
    if answer.is_err()
        && let Err(stop) = desk.meter.check()
    {
        answer = Err(stop);
    }
    answer
}
