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

/// How long an engine may take to say that it is ready.
const READY: Duration = Duration::from_secs(10);
/// How long it may take to stop.
const STOP: Duration = Duration::from_secs(1);
/// How often the limits are looked at while it thinks.
const LOOK: Duration = Duration::from_millis(20);
/// What it may take longer to answer than it was told to think.
const LATE: Duration = Duration::from_secs(5);
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
            if stopped.is_some_and(|stopped| stopped.elapsed() > STOP) {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn start() -> Board {
        Board::from_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1").unwrap()
    }

    #[test]
    fn lines_of_an_engine_are_read() {
        let read = |line: &str| {
            let (place, proposal) = read_line(line, &start())?;
            Some((place, proposal.play.to_string(), proposal.score, proposal.reply))
        };
        let reply = parse_move("e7e5").ok();
        assert_eq!(
            read("info depth 9 seldepth 12 multipv 2 score cp 35 nodes 9 nps 9 pv e2e4 e7e5 g1f3"),
            Some((1, "e2e4".to_string(), Some(35), reply))
        );
        assert_eq!(
            read("info score mate 3 upperbound pv d2d4"),
            Some((0, "d2d4".to_string(), Some(MATE - 3), None))
        );
        for nothing in [
            "info string score cp 9 pv e2e4",
            "info depth 9 currmove e2e4 currmovenumber 1",
            "info multipv 5 score cp 1 pv e2e4",
            "info multipv 0 score cp 1 pv e2e4",
            "info score cp 9 pv e2e5",
            "info score cp many pv e2e4",
            "bestmove e2e4",
            "",
        ] {
            assert_eq!(read(nothing), None, "{nothing}");
        }
        let best = |line: &str| best_move(line, &start()).map(|proposal| proposal.play.to_string());
        assert_eq!(best("bestmove g1f3 ponder d7d5").as_deref(), Some("g1f3"));
        assert_eq!((best("bestmove (none)"), best("bestmove")), (None, None));
    }

    #[test]
    fn nearer_mates_are_worth_more() {
        let score = |kind: &str, number: &str| read_score(kind, number).unwrap();
        let rising = [
            score("mate", "0"),
            score("mate", "-2"),
            score("cp", "-900"),
            score("cp", "2000000"),
            score("mate", "9"),
            score("mate", "1"),
        ];
        assert!(rising.is_sorted_by(|a, b| a < b), "{rising:?}");
    }

    #[test]
    fn what_is_no_engine_is_refused() {
        let refused = |command: &str| UciEngine::start(command, 1).unwrap_err();
        assert!(matches!(refused(" "), EngineError::Start { .. }));
        assert!(matches!(refused("no-such-program-as-this"), EngineError::Start { .. }));
    }

    /// An engine of a few lines of shell.
    #[cfg(unix)]
    fn scripted(script: &str) -> Result<UciEngine, EngineError> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), script).unwrap();
        UciEngine::start(&format!("sh {}", file.path().display()), 1)
    }

    #[cfg(unix)]
    #[test]
    fn engines_that_fail_are_told_of() {
        assert!(matches!(scripted("exit 0"), Err(EngineError::Mute(_))));
        let ready =
            "read line; echo uciok; read line; read line; read line; echo readyok; read line;";
        let mut dead = scripted(ready).unwrap();
        let budget = Budget::default();
        let asked = dead.propose(&start(), Duration::from_millis(1), &budget);
        assert!(matches!(asked, Err(EngineError::Gone(_))), "{asked:?}");
        let answers = "read line; echo 'info score cp 20 pv e2e4'; echo bestmove e2e4; read line";
        let mut alive = scripted(&format!("{ready} {answers}")).unwrap();
        let moves = alive.propose(&start(), Duration::from_millis(1), &budget).unwrap();
        assert_eq!(moves.len(), 1);
        assert_eq!((moves[0].play.to_string().as_str(), moves[0].score), ("e2e4", Some(20)));
    }
}
