//! The table of mates: how many are proved, of which length, in which time; beside Stockfish's `go mate` where it is
//! installed. `cargo bench --bench mates [-- SECONDS]`: CPU seconds for each position and program (default 5), one thread,
//! 1 GiB; medians are by the clock. Every win is counted only after its strategy has been built over all replies.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use theta_chess::chess::board::Board;
use theta_chess::limits::{Budget, Limits};
use theta_chess::search::{Options, Outcome, mate_in, no_probe, solve};

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
            let length = line.split_once("dm ").map(|(_, rest)| rest.split(';').next().expect("a length").trim());
            Problem { fen, moves: length.map_or(2, |n| n.parse().expect("a number")) }
        })
        .collect()
}

/// CPU seconds a process has used, all its threads; `None` where the system does not tell.
fn cpu_seconds(process: u32) -> Option<f64> {
    let mut total = 0.0;
    for task in std::fs::read_dir(format!("/proc/{process}/task")).ok()? {
        let text = std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        total += text.split_whitespace().next()?.parse::<f64>().ok()? / 1e9;
    }
    Some(total)
}

/// Measures CPU time for the limits (wall-clock time where CPU time is not told), which ticks too coarsely for medians.
struct Stopwatch {
    process: u32,
    cpu: Option<f64>,
    wall: Instant,
}

impl Stopwatch {
    fn of(process: u32) -> Self {
        Self { process, cpu: cpu_seconds(process), wall: Instant::now() }
    }

    fn seconds(&self) -> f64 {
        match (self.cpu, cpu_seconds(self.process)) {
            (Some(before), Some(now)) => now - before,
            _ => self.clock(),
        }
    }

    fn clock(&self) -> f64 {
        self.wall.elapsed().as_secs_f64()
    }
}

/// One row of the table for one program.
#[derive(Default)]
struct Row {
    solved: usize,
    shortest: usize,
    times: Vec<f64>,
}

impl Row {
    fn add(&mut self, solved: bool, shortest: bool, seconds: f64) {
        self.solved += usize::from(solved);
        self.shortest += usize::from(shortest);
        self.times.push(seconds);
    }

    fn text(&mut self) -> String {
        self.times.sort_by(f64::total_cmp);
        let (median, slowest) = (self.times[self.times.len() / 2], self.times[self.times.len() - 1]);
        format!("{:>4} {:>9} {median:>9.4} {slowest:>9.3}", self.solved, self.shortest)
    }
}

fn ours(problem: &Problem, seconds: f64, row: &mut Row) {
    let root = Board::from_fen(&problem.fen).expect("a legal position");
    let wall = Duration::from_secs_f64(4.0 * seconds);
    let limits = Limits { time: Some(wall), threads: 1, ..Limits::default() };
    let options = Options { shorten: Duration::from_secs_f64(seconds / 2.0), ..Options::default() };
    let watch = Stopwatch::of(std::process::id());
    let outcome: Outcome = if problem.moves <= 5 {
        mate_in(&root, 2 * problem.moves - 1, &options, &Budget::new(limits))
    } else {
        solve(&root, &options, &no_probe, &Budget::new(limits))
    };
    let (time, clock) = (watch.seconds(), watch.clock());
    let certified = |win: &&theta_chess::search::Win| win.strategy(&root, &no_probe, &Budget::default()).is_ok();
    let win = outcome.win.as_ref().filter(certified);
    if let Some(win) = win {
        let truth = 2 * problem.moves - 1;
        assert!(win.plies >= truth && (!win.shortest || win.plies == truth), "{}: {} plies", problem.fen, win.plies);
    }
    row.add(win.is_some() && time <= 1.5 * seconds, win.is_some_and(|w| w.shortest), clock);
}

struct Stockfish {
    process: Child,
    lines: Receiver<String>,
}

impl Stockfish {
    fn start() -> Option<Self> {
        let name = ["stockfish", "/usr/games/stockfish"].into_iter();
        let spawn = |name| Command::new(name).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok();
        let mut process = name.filter_map(spawn).next()?;
        let output = BufReader::new(process.stdout.take()?);
        let (send, lines) = channel();
        std::thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
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
        let watch = Stopwatch::of(self.process.id());
        self.tell(&format!("position fen {} 0 1\ngo mate {}", problem.fen, problem.moves));
        let mut lines = Vec::new();
        while watch.seconds() <= seconds {
            match self.lines.recv_timeout(Duration::from_millis(50)) {
                Ok(line) if line.starts_with("bestmove") => {
                    let time = watch.clock();
                    let mate = |l: &String| l.contains(&format!("score mate {} ", problem.moves));
                    let found = lines.iter().any(mate);
                    return row.add(found, found, time);
                }
                Ok(line) => lines.push(line),
                Err(_) => {}
            }
        }
        self.tell("stop");
        self.wait_for("bestmove", Duration::from_secs(60));
        row.add(false, false, watch.clock());
    }
}

impl Drop for Stockfish {
    fn drop(&mut self) {
        self.tell("quit");
        let _ = self.process.wait();
    }
}

fn main() {
    let seconds = std::env::args().filter_map(|a| a.parse().ok()).next().unwrap_or(5.0);
    let all: Vec<Problem> = problems("mates_in_2.epd").into_iter().chain(problems("mates.epd")).collect();
    let mut stockfish = Stockfish::start();
    println!("{:<14} {:>4} {:>9} {:>9} {:>9}   (seconds)", "moves", "won", "shortest", "median", "slowest");
    for (from, to) in [(1, 2), (3, 5), (6, 10), (11, u16::MAX)] {
        let (mut own, mut theirs) = (Row::default(), Row::default());
        let group: Vec<&Problem> = all.iter().filter(|p| (from..=to).contains(&p.moves)).collect();
        for problem in &group {
            ours(problem, seconds, &mut own);
            if let Some(engine) = &mut stockfish {
                engine.solve(problem, seconds, &mut theirs);
            }
        }
        let name = if to == u16::MAX {
            format!("{from}– of {}", group.len())
        } else {
            format!("{from}–{to} of {}", group.len())
        };
        println!("{name:<14} {}   theta", own.text());
        if stockfish.is_some() {
            println!("{:<14} {}   Stockfish", "", theirs.text());
        }
    }
}
