//! `theta dead`: who can still mate, by any sequence of legal moves.

use super::{Context, Exit, PositionArgs, counted, write_whole};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use theta_chess::certificate::Reach;
use theta_chess::chess::{Move, Position, Profile, Side, move_number};
use theta_chess::dead::{Answer, Chances, ask, shorter};
use theta_chess::limits::{Budget, StopReason};

/// Arguments of `theta dead`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    theta dead '4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -'\n  \
    theta dead '8/8/8/8/8/5k2/8/4B2K w - -' --json\n\n\
    By any sequence of legal moves, of both sides: nobody need play well. Where neither side can mate the position is dead.")]
pub struct Args {
    #[command(flatten)]
    positions: PositionArgs,
    /// Write the certificate of what is decided to this file: the moves to a mate, or a set of
    /// positions that no legal move leaves.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["epd", "puzzles"])]
    cert: Option<PathBuf>,
}

/// The report of one position.
#[derive(Debug, Serialize)]
struct Report {
    fen: String,
    white_can_mate: Option<bool>,
    black_can_mate: Option<bool>,
    /// Neither side can mate (FIDE Laws 5.2.2).
    dead: Option<bool>,
    /// The moves to a mate: White's if it can mate, else Black's.
    line: Option<Vec<String>>,
    white: OfSide,
    black: OfSide,
    /// What the game ends as when this side's flag falls (FIDE Laws 6.9).
    white_flag: Option<&'static str>,
    black_flag: Option<&'static str>,
    stop: Option<StopReason>,
    positions: u64,
    seconds: f64,
    certificate: Option<String>,
}

/// What is known of a side.
#[derive(Debug, Serialize)]
struct OfSide {
    /// The moves to its mate.
    line: Option<Vec<String>>,
    /// Positions listed in the proof that it never mates.
    listed: Option<u64>,
    /// Patterns in it; with none of either the men alone prove it.
    patterns: Option<u64>,
    /// In words.
    words: String,
}

impl OfSide {
    fn new(side: Side, answer: &Answer, root: &Position) -> Self {
        let (line, closed, words) = match answer {
            Answer::Unknown(stop) => {
                (None, None, format!("whether {side} can mate is not decided: {stop}"))
            }
            Answer::Known(Reach::Line(moves)) => (Some(moves), None, mates(side, moves, root)),
            Answer::Known(Reach::Never(closed)) => {
                let (listed, patterns) = (closed.positions.len(), closed.patterns.len());
                let why = match (listed, patterns) {
                    (0, 0) => "the men do not suffice".to_string(),
                    (1, 0) => "no move leads on".to_string(),
                    (_, 0) => format!("play leads to {listed} positions, and none is a mate"),
                    _ => format!(
                        "no legal move leads out of {}, and none of them holds a mate",
                        counted(patterns as u64, "pattern of positions", "patterns of positions")
                    ),
                };
                (None, Some((listed, patterns)), format!("{side} can never mate: {why}"))
            }
        };
        Self {
            line: line.map(|moves| moves.iter().map(Move::to_string).collect()),
            listed: closed.map(|(listed, _)| listed as u64),
            patterns: closed.map(|(_, patterns)| patterns as u64),
            words,
        }
    }
}

/// How a side mates, in words.
fn mates(side: Side, moves: &[Move], root: &Position) -> String {
    if moves.is_empty() {
        return format!("{side} has mated");
    }
    let mut board = root.board();
    let first = board.side_to_move();
    let mut text = format!("{side} can still mate:");
    for (ply, &m) in moves.iter().enumerate() {
        let Some(legal) = board.find(m) else { break };
        if ply == 0 || board.side_to_move() == Side::White {
            text += &format!(" {}", move_number(ply as u32, first));
        }
        text += &format!(" {}", board.san(legal));
        board.play(legal);
    }
    text
}

impl Report {
    fn new(root: &Position, chances: &Chances, seconds: f64) -> Self {
        let (white, black) = (&chances.white, &chances.black);
        let of = |side, answer| OfSide::new(side, answer, root);
        let (of_white, of_black) = (of(Side::White, white), of(Side::Black, black));
        let over = root.board().legal_moves().is_empty();
        let flag = |opponent: &Answer, wins: &'static str| {
            let can = opponent.can().filter(|_| !over);
            can.map(|can| if can { wins } else { "draw" })
        };
        let stop = [white, black].into_iter().find_map(|answer| match answer {
            Answer::Unknown(stop) => Some(*stop),
            Answer::Known(_) => None,
        });
        Self {
            fen: root.to_string(),
            white_can_mate: white.can(),
            black_can_mate: black.can(),
            dead: chances.is_dead(),
            line: of_white.line.clone().or_else(|| of_black.line.clone()),
            white: of_white,
            black: of_black,
            white_flag: flag(black, "black wins"),
            black_flag: flag(white, "white wins"),
            stop,
            positions: chances.positions,
            seconds,
            certificate: None,
        }
    }

    /// All of it.
    fn text(&self, out: &mut impl Write) -> std::io::Result<()> {
        writeln!(out, "{}\n{}", self.white.words, self.black.words)?;
        match self.dead {
            Some(true) => {
                writeln!(out, "a dead position: the game is drawn (FIDE Laws 5.2.2)")?;
            }
            Some(false) => writeln!(out, "no dead position (FIDE Laws 5.2.2)")?,
            None => {}
        }
        let flags = [("White", self.white_flag), ("Black", self.black_flag)];
        for (side, ends) in flags.iter().filter(|_| self.dead != Some(true)) {
            if let Some(ends) = ends {
                let ends = ends.replace("white", "White").replace("black", "Black");
                writeln!(out, "if {side}'s flag falls: {ends} (6.9)")?;
            }
        }
        if let Some(path) = &self.certificate {
            writeln!(out, "certificate: {path}")?;
        }
        Ok(())
    }

    /// The same in a line, for batches.
    fn short(&self) -> String {
        let of = |side: &str, can: Option<bool>| match can {
            Some(true) => format!("{side} can mate"),
            Some(false) => format!("{side} can never mate"),
            None => format!("{side} not decided"),
        };
        let dead = if self.dead == Some(true) { "; dead" } else { "" };
        let (white, black) = (of("White", self.white_can_mate), of("Black", self.black_can_mate));
        format!("{}: {white}, {black}{dead}", self.fen)
    }
}

/// Positions in which a shorter line is looked for: a tenth of a second.
const LEVELS: usize = 100_000;

/// Takes shorter lines to the mates where they are found soon.
fn shorten(chances: &mut Chances, root: &Position, budget: &Budget) {
    for (side, answer) in [(Side::White, &mut chances.white), (Side::Black, &mut chances.black)] {
        if let Answer::Known(Reach::Line(line)) = answer
            && let Some(Some(better)) = shorter(root, side, line, LEVELS, budget)
        {
            *line = better;
        }
    }
}

impl Args {
    /// Runs the command.
    ///
    /// # Errors
    /// Bad input, or output that cannot be written.
    pub fn run(&self, context: &Context) -> anyhow::Result<Exit> {
        self.positions.for_each(context, Profile::Fide, |batch| {
            let budget = context.question_budget();
            budget.progress().stage("looking for mates", None);
            let mut chances = ask(&batch.position, &budget);
            if batch.line.is_none() {
                shorten(&mut chances, &batch.position, &budget);
            }
            context.clear_progress();
            let seconds = budget.elapsed().as_secs_f64();
            let mut report = Report::new(&batch.position, &chances, seconds);
            if let (Some(path), Some(mates)) = (&self.cert, chances.certificate(&batch.position)) {
                write_whole(path, |out| mates.write(out))?;
                report.certificate = Some(path.display().to_string());
            }
            if context.global.json {
                context.print_json(&report)?;
            } else {
                let mut out = context.out();
                match batch.line {
                    Some(_) => writeln!(out, "{}", report.short())?,
                    None => report.text(&mut out)?,
                }
                out.flush()?;
            }
            Ok(if report.stop.is_some() { Exit::Undecided } else { Exit::Yes })
        })
    }
}
