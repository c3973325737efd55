//! The table of mates: how many are won, how many at the stated length, how many proved shortest,
//! with a certificate that `verify` accepts, and in which time; beside Stockfish's `go mate` where
//! it is installed. `cargo bench --bench mates [-- SECONDS [FROM TO]]`: seconds of processor time
//! for each position and program (default 5), and the lengths of the mates in moves. One thread, 1
//! GiB, tables of the cache directory; what `theta --threads 1 --memory 1G solve FEN --shortest`
//! does. (Where the system does not tell a process its processor time, seconds of the clock.) Every
//! length is held against the collection's.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use theta_chess::certificate::Certificate;
use theta_chess::chess::Value;
use theta_chess::limits::{Budget, Limits, Progress};
use theta_chess::solve::Solver;
use theta_chess::verify::verify;

struct Problem {
    fen: String,
    moves: u16,
}

fn problems(file: &str) -> Vec<Problem> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("positions").join(file);
    let text = std::fs::read_to_string(path).expect("the collection is in positions/");
    let lines = text.lines().filter(|l| !l.starts_with('#') && !l.trim().is_empty());
    lines
        .map(|line| {
            let fen = line.split_whitespace().take(4).collect::<Vec<_>>().join(" ");
            let length = line
                .split_once("dm ")
                .map(|(_, rest)| rest.split(';').next().expect("a length").trim());
            Problem { fen, moves: length.map_or(2, |n| n.parse().expect("a number")) }
        })
        .collect()
}

/// One row of the table for one program.
#[derive(Default)]
struct Row {
    won: usize,
    /// Won at the length that the collection states.
    stated: usize,
    /// Stockfish claims every mate to be the shortest; it proves none.
    shortest: usize,
    verified: usize,
    times: Vec<f64>,
}

impl Row {
    fn text(&mut self) -> String {
        self.times.sort_by(f64::total_cmp);
        let (median, slowest) =
            (self.times[self.times.len() / 2], self.times[self.times.len() - 1]);
        format!(
            "{:>4} {:>7} {:>9} {:>9} {median:>9.4} {slowest:>9.3}",
            self.won, self.stated, self.shortest, self.verified
        )
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
        if fact.contains("wins, mate in") {
            self.at.lock().expect("unpoisoned").get_or_insert_with(|| cpu(self.start));
        }
    }
}

fn ours(solver: &Solver, problem: &Problem, seconds: f64, row: &mut Row) {
    let root = problem.fen.parse().expect("a legal position");
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
    let verdict = solver.solve(&root, &budget).expect("a position to search");
    let all = cpu(start) - begun;
    over.store(true, Ordering::Relaxed);
    watch.join().expect("it watches");
    let certificate = verdict.value().and_then(|_| verdict.certificate().ok());
    let mut proved = "-".to_string();
    if let Some(value) = verdict.value() {
        let truth = u32::from(2 * problem.moves - 1);
        let Value::Wins(side, plies) = value else { panic!("{}: {value:?}", problem.fen) };
        assert!(
            plies >= truth && (!verdict.is_shortest() || plies == truth),
            "{}: {plies} plies",
            problem.fen
        );
        proved = format!("{side} {}{plies}", if verdict.is_shortest() { "" } else { "≤ " });
        row.won += 1;
        row.stated += usize::from(plies == truth);
        row.shortest += usize::from(verdict.is_shortest());
        let at = found.at.lock().expect("unpoisoned").unwrap_or(begun + all);
        row.times.push(at - begun);
    } else {
        row.times.push(all);
    }
    let verified = certificate.as_ref().is_some_and(accepts);
    assert!(verified || certificate.is_none(), "{}: the certificate is not accepted", problem.fen);
    row.verified += usize::from(verified);
    let seconds = row.times.last().expect("just pushed");
    println!(
        "# mate in {}\t{proved} plies\tcertified {verified}\tfound {seconds:.3} s\tall {all:.3} s\t{}",
        problem.moves, problem.fen
    );
}

struct Stockfish {
    process: Child,
    lines: Receiver<String>,
}

impl Stockfish {
    fn start() -> Option<Self> {
        let name = ["stockfish", "/usr/games/stockfish"].into_iter();
        let spawn =
            |name| Command::new(name).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok();
        let mut process = name.filter_map(spawn).next()?;
        let output = BufReader::new(process.stdout.take()?);
        let (send, lines) = channel();
        std::thread::spawn(move || {
            output.lines().map_while(Result::ok).try_for_each(|line| send.send(line))
        });
        let mut engine = Self { process, lines };
        engine.tell("setoption name Threads value 1\nsetoption name Hash value 1024\nisready");
        engine.wait_for("readyok", Duration::from_secs(60)).map(|_| engine)
    }

    fn tell(&mut self, text: &str) {
        let input = self.process.stdin.as_mut().expect("piped");
        writeln!(input, "{text}").expect("the engine listens");
    }

    /// The lines up to the one that starts with `word`, or `None` when that takes too long.
    fn wait_for(&self, word: &str, time: Duration) -> Option<Vec<String>> {
        let start = Instant::now();
        let mut seen = Vec::new();
        while let Some(left) = time.checked_sub(start.elapsed()) {
            seen.push(self.lines.recv_timeout(left).ok()?);
            if seen.last().is_some_and(|l| l.starts_with(word)) {
                return Some(seen);
            }
        }
        None
    }

    fn solve(&mut self, problem: &Problem, seconds: f64, row: &mut Row) {
        self.tell("ucinewgame\nisready");
        self.wait_for("readyok", Duration::from_secs(60));
        let start = Instant::now();
        let milliseconds = (1000.0 * seconds) as u64;
        let position = format!("position fen {} 0 1", problem.fen);
        self.tell(&format!("{position}\ngo mate {} movetime {milliseconds}", problem.moves));
        let lines = self
            .wait_for("bestmove", Duration::from_secs_f64(2.0 * seconds + 60.0))
            .unwrap_or_default();
        row.times.push(start.elapsed().as_secs_f64());
        let mate = format!("score mate {} ", problem.moves);
        let found = usize::from(lines.iter().any(|line| line.contains(&mate)));
        row.won += found;
        row.stated += found;
        row.shortest += found;
    }
}

impl Drop for Stockfish {
    fn drop(&mut self) {
        self.tell("quit");
        let _ = self.process.wait();
    }
}

fn main() {
    let numbers: Vec<f64> = std::env::args().filter_map(|a| a.parse().ok()).collect();
    let seconds = numbers.first().copied().unwrap_or(5.0);
    let asked = match numbers[..] {
        [_, from, to, ..] => from as u16..=to as u16,
        _ => 1..=u16::MAX,
    };
    let all: Vec<Problem> =
        problems("mates_in_2.epd").into_iter().chain(problems("mates.epd")).collect();
    let mut stockfish = Stockfish::start();
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("the first thread pool");
    let places = directories::ProjectDirs::from("", "", "theta-chess").expect("a home directory");
    let solver = Solver::with_cache(places.cache_dir()).expect("a cache directory");
    let options = solver.options().with_shortest(true);
    let solver = solver.with_options(options);
    let mut table = Vec::new();
    for (from, to) in [(1, 2), (3, 5), (6, 10), (11, u16::MAX)] {
        let (mut own, mut theirs) = (Row::default(), Row::default());
        let of_row = |p: &&Problem| (from..=to).contains(&p.moves) && asked.contains(&p.moves);
        let group: Vec<&Problem> = all.iter().filter(of_row).collect();
        if group.is_empty() {
            continue;
        }
        for problem in &group {
            ours(&solver, problem, seconds, &mut own);
            if let Some(engine) = &mut stockfish {
                engine.solve(problem, seconds, &mut theirs);
            }
        }
        let name = if to == u16::MAX {
            format!("{from}– of {}", group.len())
        } else {
            format!("{from}–{to} of {}", group.len())
        };
        table.push(format!("{name:<14} {}   theta", own.text()));
        if stockfish.is_some() {
            table.push(format!("{:<14} {}   Stockfish", "", theirs.text()));
        }
    }
    let head = ["won", "stated", "shortest", "verified", "median", "slowest"];
    println!(
        "{:<14} {:>4} {:>7} {:>9} {:>9} {:>9} {:>9}   (seconds until found)",
        "moves", head[0], head[1], head[2], head[3], head[4], head[5]
    );
    table.iter().for_each(|line| println!("{line}"));
}
