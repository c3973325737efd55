//! Progress on stderr: bars on a terminal, and remarks.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use theta_chess::limits::Progress;
use theta_kernel::Plain;

/// How long nothing is said of what is proved so far: most questions are answered by then.
const SILENCE: Duration = Duration::from_secs(2);
/// Where stages are told without a terminal, a line at most so often.
const A_LINE: Duration = Duration::from_secs(60);

/// A message of several lines, none of which steers the terminal.
pub(super) fn plain(text: &str) -> String {
    text.split('\n').map(|line| Plain(line).to_string()).collect::<Vec<_>>().join("\n")
}

/// Progress bars and remarks on stderr.
pub(super) struct Bars {
    drawn: bool,
    notes: bool,
    now: Mutex<Now>,
}

/// What is going on.
struct Now {
    bar: Option<ProgressBar>,
    stage: String,
    /// The position of a batch that is being looked at.
    about: Option<String>,
    since: Instant,
    /// What is proved of it, and whether that was said.
    facts: Vec<(String, bool)>,
    /// When a stage was told last, if that is to be done.
    told: Option<Instant>,
}

impl Bars {
    /// Bars are drawn, or not; remarks are made, or not.
    pub(super) fn new(drawn: bool, notes: bool) -> Self {
        let now = Now {
            bar: None,
            stage: String::new(),
            about: None,
            since: Instant::now(),
            facts: Vec::new(),
            told: None,
        };
        Self { drawn, notes, now: Mutex::new(now) }
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where no bars are drawn, the stage is told once a minute from now on.
    pub(super) fn tell_stages(&self) {
        self.now().told = (self.notes && !self.drawn).then(Instant::now);
    }

    /// Removes the bar.
    pub(super) fn clear(&self) {
        self.now().clear();
    }

    /// What comes now is about another position.
    pub(super) fn turn_to(&self, about: String) {
        let mut now = self.now();
        (now.about, now.since) = (Some(about), Instant::now());
        now.facts.clear();
    }
}

impl Now {
    fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    /// Writes what is done, and what was proved last, beside the bar.
    fn caption(&self) {
        if let Some(bar) = &self.bar {
            let fact = self.facts.last().map_or_else(String::new, |(fact, _)| format!("; {fact}"));
            bar.set_message(format!("{}{fact}", self.stage));
        }
    }

    fn say(&mut self, text: &str) {
        self.clear();
        let about = self.about.as_ref().map_or_else(String::new, |about| format!("{about}: "));
        // Nothing can be done about a closed stderr.
        let _ = writeln!(io::stderr(), "theta: {about}{}", plain(text));
    }

    /// Says what is proved so far, if the work takes a while.
    fn say_facts(&mut self) {
        if self.since.elapsed() < SILENCE {
            return;
        }
        let untold: Vec<String> = self
            .facts
            .iter_mut()
            .filter(|(_, said)| !said)
            .map(|(fact, said)| {
                *said = true;
                format!("proved so far: {fact}")
            })
            .collect();
        untold.iter().for_each(|text| self.say(text));
    }
}

impl Progress for Bars {
    fn stage(&self, name: &str, total: Option<u64>) {
        let mut now = self.now();
        if self.notes {
            now.say_facts();
        }
        if now.told.is_some_and(|told| told.elapsed() >= A_LINE) {
            now.say(name);
            now.told = Some(Instant::now());
        }
        if !self.drawn {
            return;
        }
        now.clear();
        let style = match total {
            Some(_) => "{msg} {wide_bar} {human_pos}/{human_len} {elapsed}",
            None => "{spinner} {msg} {human_pos} ({per_sec}) {elapsed}",
        };
        let bar = total.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
        bar.set_style(ProgressStyle::with_template(style).expect("a valid template"));
        now.bar = Some(bar);
        now.stage = name.to_string();
        now.caption();
    }

    fn advance(&self, done: u64) {
        if let Some(bar) = &self.now().bar {
            bar.set_position(done);
        }
    }

    fn note(&self, text: &str) {
        if self.notes {
            let mut now = self.now();
            now.say_facts();
            now.say(text);
        }
    }

    fn proved(&self, fact: &str) {
        let mut now = self.now();
        if self.notes && now.facts.iter().all(|(known, _)| known != fact) {
            now.facts.push((fact.to_string(), false));
            now.caption();
            now.say_facts();
        }
    }
}
