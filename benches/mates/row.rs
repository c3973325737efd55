//! One row of a table: a group of positions, solved one after the other.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use theta_chess::certificate::Certificate;
use theta_chess::chess::Value;
use theta_chess::limits::{Budget, Limits, Progress};
use theta_chess::solve::Verdict;
use theta_chess::verify::verify;

use crate::corpus::Problem;

/// What one program has come to.
#[derive(Default)]
pub struct Row {
    pub won: usize,
    /// Won at the length that the collection states, or sooner.
    pub stated: usize,
    /// Stockfish claims every mate to be the shortest; it proves none.
    pub shortest: usize,
    pub verified: usize,
    /// Until a win was first found, seconds.
    pub times: Vec<f64>,
    /// All together, seconds of processor time and of the clock.
    pub cpu: f64,
    pub wall: f64,
}

/// What the columns of [`Row::text`] are.
pub fn head() -> String {
    let [won, stated, shortest, verified] = ["won", "stated", "shortest", "verified"];
    let [median, slowest, cpu, wall] = ["median", "slowest", "CPU s", "wall s"];
    format!(
        "{:<24} {won:>4} {stated:>7} {shortest:>8} {verified:>8} {median:>9} {slowest:>9} {cpu:>7} \
         {wall:>8}   (median and slowest: seconds until found)",
        "positions"
    )
}

impl Row {
    pub fn text(&mut self, name: &str, program: &str) -> String {
        self.times.sort_by(f64::total_cmp);
        let (median, slowest) =
            (self.times[self.times.len() / 2], self.times[self.times.len() - 1]);
        format!(
            "{name:<24} {:>4} {:>7} {:>8} {:>8} {median:>9.4} {slowest:>9.3} {:>7.1} {:>8.1}   {program}",
            self.won, self.stated, self.shortest, self.verified, self.cpu, self.wall
        )
    }

    /// Solves a position for so many seconds of processor time, and verifies what is found.
    pub fn add(&mut self, problem: &Problem, seconds: f64, solve: &dyn Fn(&Budget) -> Verdict) {
        let limits = Limits::default().with_memory(1 << 30).with_threads(1);
        let start = Instant::now();
        let (stop, over) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let found = Arc::new(Found { start, at: Mutex::new(None) });
        let begun = cpu(start);
        let watch = {
            let (stop, over) = (Arc::clone(&stop), Arc::clone(&over));
            std::thread::spawn(move || {
                while !over.load(Ordering::Relaxed) && cpu(start) - begun < seconds {
                    std::thread::sleep(Duration::from_millis(5));
                }
                stop.store(true, Ordering::Relaxed);
            })
        };
        let budget =
            Budget::new(limits).with_interrupt(stop).with_progress(Arc::clone(&found) as Arc<_>);
        let verdict = solve(&budget);
        let (all, wall) = (cpu(start) - begun, start.elapsed().as_secs_f64());
        over.store(true, Ordering::Relaxed);
        watch.join().expect("it watches");
        self.cpu += all;
        self.wall += wall;
        let at = found.at.lock().expect("unpoisoned").map_or(all, |at| at - begun);
        self.times.push(at);
        let is_answer =
            verdict.value().is_some() || verdict.aim().is_some() && !verdict.is_refuted();
        let certificate = is_answer.then(|| verdict.certificate().ok()).flatten();
        let proved = self.tell(problem, &verdict, certificate.is_some());
        let verified = certificate.as_ref().is_some_and(accepts);
        assert!(verified || certificate.is_none(), "{}: not accepted", problem.fen);
        self.verified += usize::from(verified);
        println!(
            "# {proved}\tcertified {verified}\tfound {at:.3} s\tall {all:.3} s\t{}",
            problem.fen
        );
    }

    /// Counts what is proved; in words.
    fn tell(&mut self, problem: &Problem, verdict: &Verdict, is_certified: bool) -> String {
        let Some(value) = verdict.value() else {
            self.won += usize::from(is_certified);
            return if is_certified { "the aim".into() } else { "-".into() };
        };
        let Value::Wins(side, plies) = value else { panic!("{}: {value:?}", problem.fen) };
        assert_eq!(side, problem.board().side_to_move(), "{}", problem.fen);
        let shortest = verdict.is_shortest();
        self.won += 1;
        self.shortest += usize::from(shortest);
        if let Some(moves) = problem.moves {
            let truth = u32::from(2 * moves - 1);
            let is_true = plies >= truth && (!shortest || plies == truth);
            assert!(is_true || !problem.is_exact, "{}: {plies} plies", problem.fen);
            self.stated += usize::from(plies <= truth);
        }
        match value.plies() {
            Some(plies) => {
                format!("{side} wins in {}{plies} plies", if shortest { "" } else { "≤ " })
            }
            None => format!("{side} wins"),
        }
    }
}

fn accepts(certificate: &Certificate) -> bool {
    let mut file = Vec::new();
    certificate.write(&mut file).expect("memory takes all");
    verify(&file[..], &mut |_| true)
        .is_ok_and(|verdict| verdict.is_some_and(|v| v.claim == certificate.claim))
}

/// Seconds of processor time that this process has taken, to the nanosecond; the clock's where the
/// system does not say.
fn cpu(start: Instant) -> f64 {
    let of_thread = |entry: std::io::Result<std::fs::DirEntry>| -> Option<u64> {
        let text = std::fs::read_to_string(entry.ok()?.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse().ok()
    };
    let threads = std::fs::read_dir("/proc/self/task").ok();
    let nanoseconds: Option<u64> = threads.and_then(|all| all.map(of_thread).sum());
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |n| n as f64 / 1e9)
}

/// Notes when a win is first found.
struct Found {
    start: Instant,
    at: Mutex<Option<f64>>,
}

impl Progress for Found {
    fn stage(&self, _name: &str, _total: Option<u64>) {}

    fn advance(&self, _done: u64) {}

    fn note(&self, _text: &str) {}

    fn proved(&self, fact: &str) {
        if fact.contains(" wins") {
            self.at.lock().expect("unpoisoned").get_or_insert_with(|| cpu(self.start));
        }
    }
}
