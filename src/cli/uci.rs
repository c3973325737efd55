//! `theta uci`: an engine for any chess program that speaks the universal chess interface.
//!
//! Two threads think: one asks [`theta_chess::solve`] for a proof, the other searches shallowly for a
//! move in case there is none in time. The thread that reads the input never waits for either for
//! long, so `stop`, `isready` and `quit` are answered at any moment.

mod protocol;
mod think;

use super::{Context, Exit};
use protocol::{Go, Request};
use std::collections::HashSet;
use std::io::{self, BufRead, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use theta_chess::aim::Goal;
use theta_chess::chess::board::{Board, move_of};
use theta_chess::chess::{Move, Packed, parse_move};
use theta_chess::library::openings::Book;
use theta_chess::limits::Progress;
use theta_chess::oracle::Oracle;
use theta_chess::solve::{Solver, Verdict};

/// Arguments of `theta uci`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  printf 'position fen 7k/8/5K2/8/8/8/6Q1/8 w - -\\ngo mate 5\\n' | theta uci"
)]
pub struct Args {}

impl Args {
    /// Runs the command.
    ///
    /// # Errors
    /// None but the solver's set-up: what is wrong in the input is answered on the line.
    pub fn run(&self, context: &Context) -> anyhow::Result<Exit> {
        let port = Arc::new(Port::new(Box::new(io::stdout())));
        let mut settings = Settings::default();
        if let Some(bytes) = context.global.memory {
            settings.memory = bytes;
        }
        if let Some(threads) = context.global.threads {
            settings.threads = threads.into();
        }
        settings.oracle = context.oracle()?.cloned();
        // Syzygy tables come in where the position is not in them itself.
        Session::new(port, Solver::new(context.tables()?), settings).serve(io::stdin().lock());
        Ok(Exit::Yes)
    }
}

/// The initial position.
pub(super) const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

/// Where the answers go. Lines of several threads do not mix.
struct Port {
    out: Mutex<Box<dyn Write + Send>>,
    closed: AtomicBool,
}

impl Port {
    fn new(out: Box<dyn Write + Send>) -> Self {
        Self { out: Mutex::new(out), closed: AtomicBool::new(false) }
    }

    /// Sends a line. When nobody reads any more, the session ends.
    fn send(&self, line: &str) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
            self.closed.store(true, Ordering::SeqCst);
        }
    }

    fn remark(&self, text: &str) {
        self.send(&format!("info string {}", text.replace(['\n', '\r'], " ")));
    }
}

/// Remarks of the engines go to the program; it draws no bars.
impl Progress for Port {
    fn stage(&self, _name: &str, _total: Option<u64>) {}
    fn advance(&self, _done: u64) {}
    fn note(&self, text: &str) {
        self.remark(text);
    }
}

/// What the options set.
#[derive(Debug, Clone)]
struct Settings {
    /// Bytes an engine may take.
    memory: u64,
    threads: usize,
    multi_pv: usize,
    /// Play from the book while it knows the position.
    own_book: bool,
    /// Someone studies the position: what the book says is no answer to that.
    analysis: bool,
    /// The book of `BookFile`.
    book: Option<Arc<Book>>,
    /// What the owner's moves must keep where a proof is looked for.
    keep: Option<Arc<Goal>>,
    /// Syzygy tables: for positions in them they choose among the moves of which nothing is proved;
    /// for others they end the lines of proofs, which then say so.
    oracle: Option<Arc<Oracle>>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            memory: 2 << 30,
            threads: std::thread::available_parallelism().map_or(1, Into::into),
            multi_pv: 1,
            own_book: false,
            analysis: false,
            book: None,
            keep: None,
            oracle: None,
        }
    }
}

/// Thinking that goes on.
struct Thinking {
    stop: Arc<AtomicBool>,
    /// While set the answer is kept back: `infinite`, or pondering.
    hold: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

struct Session {
    port: Arc<Port>,
    solver: Solver,
    settings: Settings,
    board: Board,
    /// Positions of the game before the present one.
    seen: HashSet<Packed>,
    /// The last proof: it usually answers the rest of the game.
    proof: Arc<Mutex<Option<Arc<Verdict>>>>,
    thinking: Option<Thinking>,
}

impl Session {
    fn new(port: Arc<Port>, solver: Solver, settings: Settings) -> Self {
        let board = Board::from_fen(START).expect("the initial position");
        Self {
            port,
            solver,
            settings,
            board,
            seen: HashSet::new(),
            proof: Arc::default(),
            thinking: None,
        }
    }

    /// Reads requests until `quit`, the end of the input, or until nobody reads the answers.
    fn serve(&mut self, mut input: impl BufRead) {
        let mut line = Vec::new();
        while !self.port.closed.load(Ordering::SeqCst) {
            line.clear();
            // A line without end is read in pieces, none of which means anything.
            match input.by_ref().take(1 << 20).read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => break,
                Ok(_) => {}
            }
            if !self.answer(Request::parse(&String::from_utf8_lossy(&line))) {
                break;
            }
        }
        self.finish();
    }

    /// Whether to go on.
    fn answer(&mut self, request: Request) -> bool {
        match request {
            Request::Uci => self.introduce(),
            Request::IsReady => self.port.send("readyok"),
            Request::NewGame => {
                self.finish();
                self.seen.clear();
                *self.proof.lock().unwrap_or_else(PoisonError::into_inner) = None;
            }
            Request::SetOption(name, value) => self.set_option(&name, &value),
            Request::Position(fen, moves) => {
                self.finish();
                self.set_position(fen.as_deref(), &moves);
            }
            Request::Go(go) => {
                self.finish();
                self.go(*go);
            }
            Request::Stop => self.finish(),
            Request::PonderHit => {
                if let Some(thinking) = &self.thinking {
                    thinking.hold.store(false, Ordering::SeqCst);
                    thinking.thread.thread().unpark();
                }
            }
            Request::Quit => return false,
            Request::Nothing => {}
            Request::Wrong(why) => self.port.remark(&format!("error: {why}")),
        }
        true
    }

    fn introduce(&self) {
        let lines = [
            format!("id name theta {}", env!("CARGO_PKG_VERSION")),
            "id author the theta developers".to_string(),
            format!(
                "option name Hash type spin default {} min 1 max 1048576",
                self.settings.memory >> 20
            ),
            format!(
                "option name Threads type spin default {} min 1 max 1024",
                self.settings.threads
            ),
            "option name SyzygyPath type string default <empty>".to_string(),
            "option name MultiPV type spin default 1 min 1 max 256".to_string(),
            "option name UCI_AnalyseMode type check default false".to_string(),
            "option name Ponder type check default false".to_string(),
            "option name OwnBook type check default false".to_string(),
            "option name BookFile type string default <empty>".to_string(),
            "option name Keep type string default <empty>".to_string(),
            "uciok".to_string(),
        ];
        lines.iter().for_each(|line| self.port.send(line));
    }

    fn set_option(&mut self, name: &str, value: &str) {
        let number = value.parse::<u64>().ok();
        match (name.to_ascii_lowercase().as_str(), number) {
            ("hash", Some(n @ 1..=1_048_576)) => self.settings.memory = n << 20,
            ("threads", Some(n @ 1..=1024)) => self.settings.threads = n as usize,
            ("multipv", Some(n @ 1..=256)) => self.settings.multi_pv = n as usize,
            ("syzygypath", _) => self.set_syzygy(value),
            ("ponder", _) => {}
            ("uci_analysemode", _) if matches!(value, "true" | "false") => {
                self.settings.analysis = value == "true"
            }
            ("ownbook", _) if matches!(value, "true" | "false") => {
                self.settings.own_book = value == "true"
            }
            ("bookfile", _) => self.set_book(value),
            ("keep", _) => self.set_keep(value),
            ("hash" | "threads" | "multipv" | "uci_analysemode" | "ownbook", _) => {
                self.port.remark(&format!("error: {name} cannot be `{value}`"))
            }
            _ => self.port.remark(&format!("error: no option `{name}`")),
        }
    }

    /// Reads the book, or leaves the present one and says what is wrong.
    fn set_book(&mut self, path: &str) {
        if path.is_empty() || path == "<empty>" {
            self.settings.book = None;
            return;
        }
        match super::library::read_book(std::path::Path::new(path)) {
            Ok(book) => self.settings.book = Some(Arc::new(book)),
            Err(error) => self.port.remark(&format!("error: {error:#}")),
        }
    }

    /// Reads what is to be kept, or leaves it as it was and says what is wrong.
    fn set_keep(&mut self, text: &str) {
        if text.is_empty() || text == "<empty>" {
            self.settings.keep = None;
            return;
        }
        match super::context::kept(text) {
            Ok(keep) => self.settings.keep = Some(keep),
            Err(error) => self.port.remark(&format!("error: {error:#}")),
        }
    }

    /// The book's answer, where it has one that `go` allows; drawn by the clock, as PIONEER did.
    fn book_move(&self, go: &Go) -> Option<Move> {
        let settings = &self.settings;
        if !settings.own_book || settings.analysis || go.infinite || go.ponder || go.mate.is_some()
        {
            return None;
        }
        let now = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(0, |t| t.as_micros());
        let chosen = move_of(&settings.book.as_ref()?.choose(&self.board, now as u64)?);
        (go.searchmoves.is_empty() || go.searchmoves.contains(&chosen)).then_some(chosen)
    }

    fn set_syzygy(&mut self, directories: &str) {
        self.settings.oracle = None;
        if directories.is_empty() || directories == "<empty>" {
            return;
        }
        match Oracle::open_list(directories) {
            Ok(oracle) => {
                oracle
                    .faults()
                    .iter()
                    .for_each(|fault| self.port.remark(&format!("not used: {fault}")));
                self.port.remark(&format!(
                    "{} Syzygy files; what rests on them says so",
                    oracle.files()
                ));
                self.settings.oracle = Some(Arc::new(oracle));
            }
            Err(error) => self.port.remark(&format!("error: {error}")),
        }
    }

    /// Sets the position, or leaves the present one and says what is wrong.
    fn set_position(&mut self, fen: Option<&str>, moves: &[String]) {
        match read_position(fen.unwrap_or(START), moves) {
            Ok((board, seen)) => (self.board, self.seen) = (board, seen),
            Err(why) => self.port.remark(&format!("error: {why}; the position stays as it was")),
        }
    }

    fn go(&mut self, go: Go) {
        if let Some(chosen) = self.book_move(&go) {
            self.port.remark("from the book");
            self.port.send(&format!("bestmove {chosen}"));
            return;
        }
        let stop = Arc::new(AtomicBool::new(false));
        let hold = Arc::new(AtomicBool::new(go.infinite || go.ponder));
        let task = think::Task {
            board: self.board.clone(),
            seen: self.seen.clone(),
            go,
            settings: self.settings.clone(),
            solver: match &self.settings.keep {
                Some(keep) => self.solver.clone().with_keep(Arc::clone(keep)),
                None => self.solver.clone(),
            },
            proof: Arc::clone(&self.proof),
            port: Arc::clone(&self.port),
            stop: Arc::clone(&stop),
            hold: Arc::clone(&hold),
        };
        let thread = std::thread::spawn(move || task.run());
        self.thinking = Some(Thinking { stop, hold, thread });
    }

    /// Ends the thinking, if any; its answer has been sent when this returns.
    fn finish(&mut self) {
        if let Some(thinking) = self.thinking.take() {
            thinking.stop.store(true, Ordering::SeqCst);
            thinking.thread.thread().unpark();
            if thinking.thread.join().is_err() {
                self.port.remark("error: the engine failed; this is a mistake in theta");
                self.port.send("bestmove (none)");
            }
        }
    }
}

/// The position after these moves, and the positions before it.
fn read_position(fen: &str, moves: &[String]) -> Result<(Board, HashSet<Packed>), String> {
    let mut board = Board::from_fen(fen).map_err(|e| e.to_string())?;
    let mut seen = HashSet::new();
    for text in moves {
        let legal = parse_move(text).ok().and_then(|m| board.find(m));
        let m = legal.ok_or_else(|| format!("the move `{text}` is not legal"))?;
        seen.insert(board.packed());
        board.play(m);
    }
    Ok((board, seen))
}

#[cfg(test)]
mod tests;
