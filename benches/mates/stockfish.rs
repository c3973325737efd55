//! The same mates by Stockfish.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::corpus::Problem;
use crate::row::Row;

/// Stockfish, if it is installed.
pub struct Stockfish {
    process: Child,
    lines: Receiver<String>,
}

impl Stockfish {
    pub fn start() -> Option<Self> {
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

    /// `go mate`: whether it says a mate of the stated length. It proves none.
    pub fn solve(&mut self, problem: &Problem, seconds: f64, row: &mut Row) {
        self.tell("ucinewgame\nisready");
        self.wait_for("readyok", Duration::from_secs(60));
        let start = Instant::now();
        let milliseconds = (1000.0 * seconds) as u64;
        let moves = problem.moves.expect("a mate of so many moves");
        let position = format!("position fen {} 0 1", problem.fen);
        self.tell(&format!("{position}\ngo mate {moves} movetime {milliseconds}"));
        let lines = self
            .wait_for("bestmove", Duration::from_secs_f64(2.0 * seconds + 60.0))
            .unwrap_or_default();
        let wall = start.elapsed().as_secs_f64();
        row.times.push(wall);
        row.wall += wall;
        let mate = format!("score mate {moves} ");
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
