//! An engine that speaks the Universal Chess Interface, in a process of its own.
//!
//! # References
//! * R. Huber and S. Meyer-Kahlen, *Universal Chess Interface* (2000, revised April 2006).

use super::adviser::Proposal;
use crate::chess::board::Board;
use crate::chess::{Move, fen, parse_move};
use crate::limits::Budget;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long an engine may take to say that it is ready, or to stop.
const READY: Duration = Duration::from_secs(30);
/// How often the limits are looked at while it thinks.
const LOOK: Duration = Duration::from_millis(20);
/// What it may take longer to answer than it was told to think.
const LATE: Duration = Duration::from_secs(10);
/// Moves that it is asked for.
const LINES: usize = 4;
/// What a mate in no moves would be worth.
const MATE: i32 = 1_000_000;

/// Why an engine gives no advice.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// No words, or a program that cannot be run.
    #[error("the adviser `{command}` cannot be started: {why}")]
    Start {
        /// The command.
        command: String,
        /// The system's reason.
        why: String,
    },
    /// It does not speak UCI.
    #[error("the adviser `{0}` does not answer as a UCI engine")]
    Mute(String),
    /// It has stopped answering, or ended.
    #[error("the adviser `{0}` has ended, or answers no more")]
    Gone(String),
}

/// A running engine. It ends with this value.
#[derive(Debug)]
pub struct UciEngine {
    command: String,
    process: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl UciEngine {
    /// Starts an engine: a program and its arguments, separated by blanks (no shell reads them). It is
    /// told to use so many threads, and to name several moves.
    ///
    /// # Errors
    /// When the program cannot be run, or does not answer as a UCI engine.
    pub fn start(command: &str, threads: usize) -> Result<Self, EngineError> {
        let fail = |why: String| EngineError::Start { command: command.to_string(), why };
        let mut words = command.split_whitespace();
        let program = words.next().ok_or_else(|| fail("no program is named".to_string()))?;
        let spawned = Command::new(program)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let mut process = spawned.map_err(|error| fail(error.to_string()))?;
        let input = process.stdin.take();
        let output = BufReader::new(process.stdout.take().expect("its output is piped"));
        let (send, lines) = channel();
        std::thread::spawn(move || {
            output.lines().map_while(Result::ok).try_for_each(|line| send.send(line))
        });
        let mut engine = Self { command: command.to_string(), process, input, lines };
        let mute = |_| EngineError::Mute(command.to_string());
        engine.tell("uci").and_then(|()| engine.wait_for("uciok", READY)).map_err(mute)?;
        engine
            .tell(&format!(
                "setoption name Threads value {threads}\nsetoption name MultiPV value {LINES}\nisready"
            ))
            .and_then(|()| engine.wait_for("readyok", READY))
            .map_err(mute)?;
        Ok(engine)
    }

    fn gone(&self) -> EngineError {
        EngineError::Gone(self.command.clone())
    }

    fn tell(&mut self, text: &str) -> Result<(), EngineError> {
        let input = self.input.as_mut();
        let told = input.map(|input| writeln!(input, "{text}").and_then(|()| input.flush()));
        told.and_then(Result::ok).ok_or_else(|| self.gone())
    }

    /// Reads up to a line that begins with a word.
    fn wait_for(&self, word: &str, time: Duration) -> Result<(), EngineError> {
        let start = Instant::now();
        while let Some(left) = time.checked_sub(start.elapsed()) {
            let line = self.lines.recv_timeout(left).map_err(|_| self.gone())?;
            if line.split_whitespace().next() == Some(word) {
                return Ok(());
            }
        }
        Err(self.gone())
    }

    /// The moves that it proposes after so much time, the best first; legal ones only. Ends early with
    /// the budget.
    ///
    /// # Errors
    /// When it has ended, or does not answer.
    pub fn propose(
        &mut self,
        board: &Board,
        think: Duration,
        budget: &Budget,
    ) -> Result<Vec<Proposal>, EngineError> {
        let text = fen(&board.vector());
        self.tell(&format!("position fen {text} 0 1\ngo movetime {}", think.as_millis().max(1)))?;
        let (start, mut ranked, mut stopped) = (Instant::now(), [None; LINES], None);
        loop {
            match self.lines.recv_timeout(LOOK) {
                Ok(line) if line.starts_with("bestmove") => {
                    if ranked.iter().all(Option::is_none) {
                        ranked[0] = best_move(&line, board);
                    }
                    return Ok(ranked.into_iter().flatten().collect());
                }
                Ok(line) => {
                    if let Some((rank, proposal)) = read_line(&line, board) {
                        ranked[rank] = Some(proposal);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.gone()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if stopped.is_none() && (budget.check(0, 0).is_err() || start.elapsed() > think + LATE)
            {
                self.tell("stop")?;
                stopped = Some(Instant::now());
            }
            if stopped.is_some_and(|stopped| stopped.elapsed() > READY) {
                return Err(self.gone());
            }
        }
    }
}

impl Drop for UciEngine {
    fn drop(&mut self) {
        // Whoever does not listen is ended.
        let _ = self.tell("quit");
        self.input = None;
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(500) {
            if !matches!(self.process.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(LOOK);
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A legal move of a line.
fn legal(word: &str, board: &Board) -> Option<Move> {
    parse_move(word).ok().filter(|play| board.find(*play).is_some())
}

/// `bestmove e2e4 ponder e7e5`: a move of which no score is known.
fn best_move(line: &str, board: &Board) -> Option<Proposal> {
    let play = legal(line.split_whitespace().nth(1)?, board)?;
    Some(Proposal { play, score: None, reply: None })
}

/// `info … multipv 2 score cp 35 … pv e2e4 e7e5 …`: the place of the line, from 0, and its proposal.
fn read_line(line: &str, board: &Board) -> Option<(usize, Proposal)> {
    let mut words = line.split_whitespace();
    if words.next() != Some("info") {
        return None;
    }
    let (mut rank, mut score) = (1, None);
    loop {
        match words.next()? {
            "string" => return None,
            "multipv" => rank = words.next()?.parse().ok()?,
            "score" => score = Some(read_score(words.next()?, words.next()?)?),
            "pv" => break,
            _ => {}
        }
    }
    let play = legal(words.next()?, board)?;
    let reply = words.next().and_then(|word| parse_move(word).ok());
    let place = (1..=LINES).contains(&rank).then(|| rank - 1)?;
    Some((place, Proposal { play, score, reply }))
}

/// `cp 35` in hundredths of a pawn, `mate 3` and `mate -3` in moves.
fn read_score(kind: &str, number: &str) -> Option<i32> {
    let number = number.parse::<i32>().ok()?.clamp(-MATE / 2, MATE / 2);
    match kind {
        "cp" => Some(number),
        "mate" if number > 0 => Some(MATE - number),
        "mate" => Some(-MATE - number),
        _ => None,
    }
}
