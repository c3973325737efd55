//! `theta check`: CTL aims over chess atoms, put to positions.

use super::solve::ProfileArg;
use super::{Context, Exit, PositionArgs, counted};
use anyhow::{Context as _, bail};
use serde::Serialize;
use std::fs::File;
use std::path::PathBuf;
use theta_chess::aim::Aim;
use theta_chess::check::{Checked, Method, Rules, check};
use theta_chess::chess::Side;
use theta_chess::limits::StopReason;

/// Arguments of `theta check`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit code 0: true, 1: false, 2: bad input, 3: undecided.\n\n\
    Atoms: white_to_move, black_to_move, mate(white|black), stalemate, check(white|black), on(P, e4),\n\
    attacked(e4, white|black), can_castle(K|Q|k|q), and comparisons (< <= = >= >) of sums of count(q),\n\
    material(white|black) and numbers.\n\n\
    Examples:\n  theta check '4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -' '~EF (mate(white) | mate(black))'\n  \
    theta check '7k/8/5K2/8/8/8/6Q1/8 w - -' 'AF mate(black)' --rules white")]
pub struct Args {
    /// The position in FEN (`-` reads one per line from standard input; left out with --epd), then
    /// the aim (left out with --aim).
    #[arg(value_name = "FEN AIM", num_args = 0..)]
    words: Vec<String>,
    /// A file with a position per line (EPD or FEN); `-` is standard input.
    #[arg(long, value_name = "FILE")]
    epd: Option<PathBuf>,
    /// A file with the aim, such as those of formulas/aims.
    #[arg(long, value_name = "FILE")]
    aim: Option<PathBuf>,
    /// Who chooses the moves.
    #[arg(long, value_enum, default_value_t = RulesArg::All)]
    rules: RulesArg,
    /// The rules: the laws of chess, or the paper as printed.
    #[arg(long, value_enum, default_value = "fide")]
    profile: ProfileArg,
}

/// `--rules`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum RulesArg {
    /// Every legal move is there: is the aim true at the position in Leg? A final position repeats
    /// itself.
    All,
    /// White picks one move at each turn: is Init ∧ Rules1 ∧ AG EX T ∧ AIM satisfiable?
    White,
    /// Black picks one move at each turn: is Init ∧ Rules3 ∧ AG EX T ∧ AIM satisfiable?
    Black,
}

impl From<RulesArg> for Rules {
    fn from(arg: RulesArg) -> Self {
        match arg {
            RulesArg::All => Self::All,
            RulesArg::White => Self::Owner(Side::White),
            RulesArg::Black => Self::Owner(Side::Black),
        }
    }
}

/// The report of one position.
#[derive(Debug, Serialize)]
struct Report<'a> {
    fen: String,
    aim: &'a str,
    rules: RulesArg,
    /// Whether the aim is true (all) or satisfiable (white, black).
    answer: Option<bool>,
    /// Whether the aim has no existential quantifier: then satisfiable means that the side has a
    /// strategy.
    universal: bool,
    method: Option<Method>,
    positions: u64,
    seconds: f64,
    stop: Option<StopReason>,
}

impl Args {
    /// Runs the command.
    ///
    /// # Errors
    /// Bad input, or output that cannot be written.
    pub fn run(&self, context: &Context) -> anyhow::Result<Exit> {
        let profile = self.profile.into();
        let mut words = self.words.clone();
        let aim = self.read_aim(&mut words)?;
        if words.is_empty() == self.epd.is_none() {
            bail!("give a position and an aim (--epd and --aim take their places)");
        }
        let text = aim.to_string();
        let universal = aim.is_universal();
        let positions = PositionArgs { fen: words, epd: self.epd.clone(), puzzles: None };
        positions.for_each(context, profile, |batch| {
            let budget = context.budget();
            let Checked { answer, method, positions } =
                check(batch.position.vector(), &aim, self.rules.into(), profile, &budget);
            let report = Report {
                fen: batch.position.to_string(),
                aim: &text,
                rules: self.rules,
                answer: answer.ok(),
                universal,
                method,
                positions,
                seconds: budget.elapsed().as_secs_f64(),
                stop: answer.err(),
            };
            context.clear_progress();
            if context.global.json {
                context.print_json(&report)?;
            } else {
                context.print(report.text(batch.line.is_some()).as_bytes())?;
            }
            Ok(match answer {
                Ok(true) => Exit::Yes,
                Ok(false) => Exit::No,
                Err(_) => Exit::Undecided,
            })
        })
    }

    /// The aim: from its file, or the last word.
    fn read_aim(&self, words: &mut Vec<String>) -> anyhow::Result<Aim> {
        if let Some(path) = &self.aim {
            let name = || path.display().to_string();
            return Aim::read(File::open(path).with_context(name)?).with_context(name);
        }
        let text = words.pop().context("an aim is missing")?;
        Aim::parse(&text).with_context(|| format!("the aim `{text}`"))
    }
}

impl Report<'_> {
    fn text(&self, one_line: bool) -> String {
        let side = match self.rules {
            RulesArg::All => None,
            RulesArg::White => Some("White"),
            RulesArg::Black => Some("Black"),
        };
        let stop = self.stop.map_or_else(String::new, |stop| format!(" ({stop})"));
        let answer = match (self.answer, side) {
            (None, _) => format!("unknown{stop}"),
            (Some(true), None) => "true: the aim holds in the graph of all legal play".into(),
            (Some(false), None) => {
                "false: the aim does not hold in the graph of all legal play".into()
            }
            (Some(true), Some(side)) if self.universal => format!("yes: {side} has a strategy"),
            (Some(false), Some(side)) if self.universal => format!("no: {side} has no strategy"),
            (Some(true), Some(side)) => {
                format!(
                    "satisfiable with {side}'s choices (the aim says E: a model may answer one move in several ways)"
                )
            }
            (Some(false), Some(side)) => format!("unsatisfiable, whatever {side} chooses"),
        };
        if one_line {
            return format!("{}\t{answer}\n", self.fen);
        }
        format!(
            "{answer}\n{}, {:.2} s\n",
            counted(self.positions, "position", "positions"),
            self.seconds
        )
    }
}
