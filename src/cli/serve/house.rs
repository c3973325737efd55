//! The server's state: the desk, the queue, and the jobs that are remembered.

use super::desk::Desk;
use super::error::ApiError;
use super::job::Job;
use super::queue::Queue;
use super::task::{self, Task};
use serde_json::Value;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;

/// How long a job goes on when nobody listens.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a job is remembered when it is over.
const MEMORY: Duration = Duration::from_secs(600);
/// Bytes of a request that is repeated to those who ask about the job.
const MAX_REPEATED: usize = 16 << 10;
/// Jobs that are remembered, and the bytes that they may keep.
const MOST: usize = 512;
const BYTES: usize = 256 << 20;

/// The state.
pub struct House {
    pub desk: Arc<Desk>,
    queue: Arc<Queue>,
    jobs: Mutex<HashMap<String, Arc<Job>>>,
    /// Long answers that are being written side by side.
    pub writers: Arc<Semaphore>,
    names: [RandomState; 2],
    count: AtomicU64,
}

impl House {
    /// # Errors
    /// When the system gives no threads.
    pub fn open(desk: Desk) -> std::io::Result<Arc<Self>> {
        let desk = Arc::new(desk);
        let queue = Queue::start(Arc::clone(&desk), desk.workers())?;
        let own = Arc::clone(&desk);
        // Endings of three men, a fraction of a second: the easiest questions never wait for them.
        std::thread::spawn(move || own.prepare());
        Ok(Arc::new(Self {
            desk,
            queue,
            jobs: Mutex::default(),
            writers: Arc::new(Semaphore::new(2)),
            names: [RandomState::new(), RandomState::new()],
            count: AtomicU64::new(0),
        }))
    }

    fn jobs(&self) -> MutexGuard<'_, HashMap<String, Arc<Job>>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A name that nobody guesses: a keyed hash whose key the system chose at random.
    fn name(&self) -> String {
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        let [a, b] = [0, 1].map(|k| self.names[k].hash_one((count, k)));
        format!("{a:016x}{b:016x}")
    }

    /// Takes a request on.
    ///
    /// # Errors
    /// A request that cannot be read, or a queue that is full.
    pub fn submit(&self, kind: &str, body: &[u8], client: IpAddr) -> Result<Arc<Job>, ApiError> {
        let (kind, task) = task::of(kind, body, &self.desk)?;
        let request = match kind {
            "verify" => Value::Null,
            _ if body.len() > MAX_REPEATED => Value::Null,
            _ => serde_json::from_slice(body).unwrap_or_default(),
        };
        self.take_on(kind, task, request, client)
    }

    /// Takes work on.
    ///
    /// # Errors
    /// A queue that is full.
    pub fn take_on(
        &self,
        kind: &'static str,
        task: Box<dyn Task>,
        request: Value,
        client: IpAddr,
    ) -> Result<Arc<Job>, ApiError> {
        let job = Arc::new(Job::new(self.name(), kind, client, request));
        self.jobs().insert(job.id.clone(), Arc::clone(&job));
        if let Err(error) = self.queue.submit(Arc::clone(&job), task) {
            self.jobs().remove(&job.id);
            return Err(error);
        }
        Ok(job)
    }

    /// A job by its name.
    ///
    /// # Errors
    /// When there is none.
    pub fn job(&self, id: &str) -> Result<Arc<Job>, ApiError> {
        let job = self.jobs().get(id).cloned().ok_or_else(ApiError::no_job)?;
        job.hear();
        Ok(job)
    }

    /// Jobs that are not over.
    pub fn active(&self) -> usize {
        self.jobs().values().filter(|job| !job.state().is_over()).count()
    }

    /// Stops jobs that nobody listens to, and forgets old ones.
    pub fn tidy(&self) {
        let mut jobs = self.jobs();
        for job in jobs.values() {
            if !job.state().is_over() && job.is_deserted(PATIENCE) {
                job.stop.store(true, Ordering::SeqCst);
            }
        }
        jobs.retain(|_, job| job.over_for().is_none_or(|time| time < MEMORY));
        let mut bytes: usize = jobs.values().map(|job| job.bytes()).sum();
        let mut old: Vec<_> = jobs
            .values()
            .filter_map(|job| Some((job.over_for()?, job.id.clone(), job.bytes())))
            .collect();
        old.sort_by_key(|(time, ..)| *time);
        while (bytes > BYTES || jobs.len() > MOST)
            && let Some((_, id, own)) = old.pop()
        {
            jobs.remove(&id);
            bytes -= own;
        }
    }

    /// Stops everything.
    pub fn close(&self) {
        self.queue.close();
        self.jobs().values().for_each(|job| job.stop.store(true, Ordering::SeqCst));
    }
}
