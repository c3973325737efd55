//! A piece of work that somebody waits for: what it has said so far, and who listens.
//!
//! Everything that a job says stays in its log, so that whoever comes later, a page that was loaded
//! anew for instance, hears it from the beginning. Of the progress only the last word is kept.

use super::error::ApiError;
use super::held::Held;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use theta_chess::limits::Progress;
use tokio::sync::watch;

/// How a job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It waits for a thread.
    Queued,
    /// It is being worked at.
    Running,
    /// It has ended, with a result.
    Done,
    /// It was stopped, by its client or because nobody listened any more.
    Stopped,
    /// It has ended with an error.
    Failed,
}

impl State {
    /// Whether nothing more will be said.
    pub fn is_over(self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }
}

/// One thing that a job has said.
#[derive(Debug, Clone)]
pub struct Event {
    /// Its number, from 1.
    pub number: u64,
    pub name: &'static str,
    /// JSON on one line.
    pub data: Arc<RawValue>,
}

/// What a job has said, and what came of it.
struct Log {
    events: Vec<Event>,
    /// The last word on the progress; not among the events.
    progress: Option<Event>,
    last: u64,
    bytes: usize,
    state: State,
    result: Option<Arc<RawValue>>,
    /// What was told of its certificate.
    certificate: Option<Arc<RawValue>>,
    error: Option<ApiError>,
    held: Option<Arc<Held>>,
    /// When it was over.
    over: Option<Instant>,
    /// When somebody last listened.
    heard: Instant,
}

/// A job.
pub struct Job {
    /// Its name: 32 hexadecimal digits that nobody guesses.
    pub id: String,
    pub kind: &'static str,
    pub client: IpAddr,
    /// The request as it was sent, as far as it is JSON.
    pub request: Value,
    /// Ends the work.
    pub stop: Arc<AtomicBool>,
    log: Mutex<Log>,
    listeners: AtomicUsize,
    news: watch::Sender<u64>,
}

impl Job {
    /// A job that waits.
    pub fn new(id: String, kind: &'static str, client: IpAddr, request: Value) -> Self {
        let log = Log {
            events: Vec::new(),
            progress: None,
            last: 0,
            bytes: 0,
            state: State::Queued,
            result: None,
            certificate: None,
            error: None,
            held: None,
            over: None,
            heard: Instant::now(),
        };
        let (stop, listeners) = (Arc::default(), AtomicUsize::new(0));
        let news = watch::Sender::new(0);
        Self { id, kind, client, request, stop, log: Mutex::new(log), listeners, news }
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says something.
    pub fn tell(&self, name: &'static str, data: &impl Serialize) {
        if let Ok(data) = to_raw_value(data) {
            self.say(name, data.into());
        }
    }

    /// Says something that is JSON already.
    pub fn say(&self, name: &'static str, data: Arc<RawValue>) {
        let mut log = self.log();
        if log.state.is_over() {
            return;
        }
        log.last += 1;
        match name {
            "started" => log.state = State::Running,
            "result" => log.result = Some(Arc::clone(&data)),
            "certificate" => log.certificate = Some(Arc::clone(&data)),
            _ => {}
        }
        let length = data.get().len();
        let event = Event { number: log.last, name, data };
        if name == "progress" {
            log.progress = Some(event);
        } else {
            log.bytes += length;
            log.events.push(event);
        }
        self.news.send_replace(log.last);
    }

    /// Ends the job with an error.
    pub fn fail(&self, error: ApiError) {
        self.tell("error", &error);
        self.log().error = Some(error);
        self.end(State::Failed);
    }

    /// Ends the job.
    pub fn end(&self, state: State) {
        self.tell("end", &serde_json::json!({"state": state}));
        let mut log = self.log();
        if log.over.is_none() {
            (log.state, log.over) = (state, Some(Instant::now()));
        }
    }

    /// Keeps what can be downloaded or walked through.
    pub fn hold(&self, held: Held) {
        let mut log = self.log();
        log.bytes += held.bytes();
        log.held = Some(Arc::new(held));
    }

    /// What can be downloaded or walked through.
    pub fn held(&self) -> Option<Arc<Held>> {
        self.log().held.clone()
    }

    pub fn state(&self) -> State {
        self.log().state
    }

    /// The result, if it has been told.
    pub fn result(&self) -> Option<Arc<RawValue>> {
        self.log().result.clone()
    }

    /// What was told of its certificate.
    pub fn certificate(&self) -> Option<Arc<RawValue>> {
        self.log().certificate.clone()
    }

    pub fn error(&self) -> Option<ApiError> {
        self.log().error.clone()
    }

    /// The last word on the progress.
    pub fn progress(&self) -> Option<Arc<RawValue>> {
        Some(Arc::clone(&self.log().progress.as_ref()?.data))
    }

    /// Bytes that it keeps in memory, about.
    pub fn bytes(&self) -> usize {
        self.log().bytes
    }

    /// What was said after the event of this number, and whether that is all there will be.
    pub fn since(&self, number: u64) -> (Vec<Event>, bool) {
        let log = self.log();
        let first = log.events.partition_point(|event| event.number <= number);
        let mut events: Vec<Event> = log.events[first..].to_vec();
        events.extend(log.progress.iter().filter(|event| event.number > number).cloned());
        events.sort_by_key(|event| event.number);
        (events, log.state.is_over())
    }

    /// Tells of what is new.
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.news.subscribe()
    }

    /// Somebody asks about the job.
    pub fn hear(&self) {
        self.log().heard = Instant::now();
    }

    /// Whether it is over, and since when.
    pub fn over_for(&self) -> Option<Duration> {
        Some(self.log().over?.elapsed())
    }

    /// Whether nobody has listened for so long.
    pub fn is_deserted(&self, patience: Duration) -> bool {
        self.listeners.load(Ordering::SeqCst) == 0 && self.log().heard.elapsed() > patience
    }
}

/// Somebody who listens to a job, as long as this is there.
pub struct Listener {
    pub job: Arc<Job>,
    /// The job ends when this listener goes: nobody else knows its name.
    pub alone: bool,
}

impl Listener {
    /// Begins to listen.
    pub fn new(job: Arc<Job>, alone: bool) -> Self {
        job.listeners.fetch_add(1, Ordering::SeqCst);
        Self { job, alone }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.job.hear();
        self.job.listeners.fetch_sub(1, Ordering::SeqCst);
        if self.alone {
            self.job.stop.store(true, Ordering::SeqCst);
        }
    }
}

/// Hands the progress of the engines on to a job, a few times in a second.
pub struct Reporter {
    job: Arc<Job>,
    start: Instant,
    now: Mutex<Now>,
}

/// What is being done.
#[derive(Default)]
struct Now {
    stage: Option<String>,
    total: Option<u64>,
    told: Option<Instant>,
    /// What is proved so far.
    facts: Vec<String>,
}

/// How often progress is told.
const OFTEN: Duration = Duration::from_millis(250);

impl Reporter {
    pub fn new(job: Arc<Job>) -> Self {
        Self { job, start: Instant::now(), now: Mutex::default() }
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn report(&self, now: &mut Now, done: Option<u64>) {
        now.told = Some(Instant::now());
        let seconds = (self.start.elapsed().as_secs_f64() * 100.0).round() / 100.0;
        let (stage, total) = (&now.stage, now.total);
        self.job.tell(
            "progress",
            &serde_json::json!({"stage": stage, "done": done, "total": total, "seconds": seconds}),
        );
    }
}

impl Progress for Reporter {
    fn stage(&self, name: &str, total: Option<u64>) {
        let mut now = self.now();
        (now.stage, now.total) = (Some(name.to_string()), total);
        if now.told.is_none_or(|told| told.elapsed() >= OFTEN) {
            self.report(&mut now, None);
        }
    }

    fn advance(&self, done: u64) {
        let mut now = self.now();
        if now.told.is_none_or(|told| told.elapsed() >= OFTEN) {
            self.report(&mut now, Some(done));
        }
    }

    fn note(&self, text: &str) {
        self.job.tell("note", &serde_json::json!({"text": text}));
    }

    fn proved(&self, fact: &str) {
        let mut now = self.now();
        if !now.facts.iter().any(|known| known == fact) {
            now.facts.push(fact.to_string());
            self.job.tell("proved", &serde_json::json!({"text": fact}));
        }
    }
}
