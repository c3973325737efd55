//! Who works at what: a bounded number of threads, and a queue that is fair between clients.
//!
//! There are two lanes. In the quick lane every job has two short attempts, the first of a few
//! milliseconds; the first attempts come before the second ones, and positions of few men before
//! others. What is not decided by them goes on in the slow lane. So an easy question is answered
//! soon however many hard ones wait. In both lanes the addresses of the clients take turns, and each thread has a
//! pool of its own for what an engine does in parallel: a job cannot take another's threads.

use super::desk::Desk;
use super::error::ApiError;
use super::job::{Job, Reporter, State};
use super::task::{Attempt, Step, Task};
use std::collections::VecDeque;
use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Jobs that wait for a quick attempt, at most: those of one client, and of all.
const QUICK: [usize; 2] = [128, 256];
/// Jobs that wait in the slow lane, at most: those of one client, and of all.
const SLOW: [usize; 2] = [32, 64];
/// Threads of the quick lane.
const QUICK_THREADS: usize = 2;
/// Bytes of a thread's stack.
const STACK: usize = 32 << 20;
/// How long the quick attempts at a job take at most, one after the other.
const SHORT: [Duration; 2] = [Duration::from_millis(4), Duration::from_millis(30)];

/// A job with its work.
struct Entry {
    job: Arc<Job>,
    task: Box<dyn Task>,
    /// Quick attempts that were made.
    attempts: usize,
}

impl Entry {
    /// Its place in the quick lane.
    fn rank(&self) -> (usize, usize) {
        (self.attempts, self.task.rank())
    }
}

/// Waiting jobs of clients that take turns.
#[derive(Default)]
struct Lane {
    clients: VecDeque<(IpAddr, VecDeque<Entry>)>,
    waiting: usize,
}

impl Lane {
    /// Whether one more of a client's jobs may wait.
    fn has_room(&self, client: IpAddr, [own, all]: [usize; 2]) -> bool {
        let mine = self.clients.iter().find(|(address, _)| *address == client);
        self.waiting < all && mine.is_none_or(|(_, entries)| entries.len() < own)
    }

    /// Puts a job behind the client's others, and before those that are harder.
    fn push(&mut self, entry: Entry, by_rank: bool) {
        self.waiting += 1;
        let client = entry.job.client;
        match self.clients.iter_mut().find(|(address, _)| *address == client) {
            None => self.clients.push_back((client, VecDeque::from([entry]))),
            Some((_, entries)) => {
                let rank = entry.rank();
                let place = entries.iter().position(|other| by_rank && other.rank() > rank);
                entries.insert(place.unwrap_or(entries.len()), entry);
            }
        }
    }

    /// The next job; its client comes last then.
    fn pop(&mut self) -> Option<Entry> {
        let (client, mut entries) = self.clients.pop_front()?;
        let entry = entries.pop_front();
        if !entries.is_empty() {
            self.clients.push_back((client, entries));
        }
        self.waiting -= usize::from(entry.is_some());
        entry
    }
}

#[derive(Default)]
struct Lanes {
    quick: Lane,
    slow: Lane,
    closed: bool,
}

/// The queue.
pub struct Queue {
    lanes: Mutex<Lanes>,
    /// Something waits in the quick lane, in the slow one.
    signals: [Condvar; 2],
}

impl Queue {
    /// A queue with its threads at work.
    ///
    /// # Errors
    /// When the system gives no more threads.
    pub fn start(desk: Arc<Desk>, workers: usize) -> std::io::Result<Arc<Self>> {
        let queue = Arc::new(Self { lanes: Mutex::default(), signals: Default::default() });
        for number in 0..QUICK_THREADS + workers {
            let (queue, desk) = (Arc::clone(&queue), Arc::clone(&desk));
            let quick = number < QUICK_THREADS;
            let name = if quick { "quick" } else { "slow" };
            thread::Builder::new()
                .name(format!("{name}-{number}"))
                .stack_size(STACK)
                .spawn(move || queue.work(&desk, quick))?;
        }
        Ok(queue)
    }

    fn lanes(&self) -> MutexGuard<'_, Lanes> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a job on.
    ///
    /// # Errors
    /// When too many wait.
    pub fn submit(&self, job: Arc<Job>, task: Box<dyn Task>) -> Result<(), ApiError> {
        let entry = Entry { job, task, attempts: 0 };
        let mut lanes = self.lanes();
        let quick = entry.task.is_quick();
        let (client, limits) = (entry.job.client, if quick { QUICK } else { SLOW });
        let lane = if quick { &mut lanes.quick } else { &mut lanes.slow };
        if !lane.has_room(client, limits) {
            return Err(ApiError::busy());
        }
        entry.job.tell("queued", &serde_json::json!({"ahead": lane.waiting}));
        lane.push(entry, quick);
        drop(lanes);
        self.signals[usize::from(!quick)].notify_one();
        Ok(())
    }

    /// No more work is begun.
    pub fn close(&self) {
        self.lanes().closed = true;
        self.signals.iter().for_each(Condvar::notify_all);
    }

    /// The next job of a lane; `None` at the end.
    fn next(&self, quick: bool) -> Option<Entry> {
        let mut lanes = self.lanes();
        loop {
            if lanes.closed {
                return None;
            }
            let lane = if quick { &mut lanes.quick } else { &mut lanes.slow };
            if let Some(entry) = lane.pop() {
                return Some(entry);
            }
            lanes = self.signals[usize::from(!quick)]
                .wait(lanes)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// What a thread does for its life.
    fn work(&self, desk: &Desk, quick: bool) {
        // Without a pool of its own it shares the program's.
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(desk.threads_of_a_job())
            .stack_size(STACK)
            .build()
            .ok();
        while let Some(mut entry) = self.next(quick) {
            let step = || match &pool {
                Some(pool) => pool.install(|| attempt(&mut entry, desk, quick)),
                None => attempt(&mut entry, desk, quick),
            };
            match catch_unwind(AssertUnwindSafe(step)) {
                Ok(Step::Over) => {}
                Ok(Step::GoOn) if quick => self.again(entry),
                Ok(Step::GoOn) => self.go_on(entry),
                Err(_) => entry.job.fail(ApiError::internal("a mistake in theta ended this job")),
            }
        }
    }

    /// After a quick attempt a job has the next one, or waits in the slow lane.
    fn again(&self, mut entry: Entry) {
        entry.attempts += 1;
        if entry.attempts == SHORT.len() || entry.job.result().is_some() {
            return self.go_on(entry);
        }
        let mut lanes = self.lanes();
        if !lanes.closed {
            lanes.quick.push(entry, true);
            self.signals[0].notify_one();
        }
    }

    /// A job that was not decided quickly, or has more to do, waits in the slow lane.
    fn go_on(&self, entry: Entry) {
        let mut lanes = self.lanes();
        if lanes.closed {
            return drop(lanes);
        }
        // What has its result already only wants its certificate.
        let begun = entry.job.result().is_some();
        if !begun && !lanes.slow.has_room(entry.job.client, SLOW) {
            drop(lanes);
            return entry.job.fail(ApiError::busy());
        }
        entry.job.tell("queued", &serde_json::json!({"ahead": lanes.slow.waiting}));
        lanes.slow.push(entry, false);
        drop(lanes);
        self.signals[1].notify_one();
    }
}

/// Works at a job once.
fn attempt(entry: &mut Entry, desk: &Desk, quick: bool) -> Step {
    let Entry { job, task, attempts } = entry;
    let stopped = || job.stop.load(Ordering::SeqCst);
    if stopped() && job.state() == State::Queued {
        job.end(State::Stopped);
        return Step::Over;
    }
    if !quick && job.state() == State::Queued {
        job.tell("started", &serde_json::json!({}));
    }
    let budget = desk.budget(task.asked(), Arc::clone(&job.stop));
    let mut attempt = Attempt::new(Arc::clone(job), desk, quick);
    let outcome = if quick {
        task.run(&mut attempt, &budget.part(SHORT[*attempts]))
    } else {
        task.run(&mut attempt, &budget.with_progress(Arc::new(Reporter::new(Arc::clone(job)))))
    };
    match outcome {
        Err(error) => job.fail(error),
        Ok(Step::GoOn) => {
            return Step::GoOn;
        }
        Ok(Step::Over) => {
            attempt.finish();
            job.end(if stopped() { State::Stopped } else { State::Done });
        }
    }
    Step::Over
}
