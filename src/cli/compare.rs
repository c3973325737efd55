//! `theta compare`: agreement with Syzygy tables.

use super::{Context, Exit, PositionArgs};
use anyhow::Context as _;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use theta_chess::chess::{Board, Outcome, Position, Profile, Side, Value, fen};
use theta_chess::oracle::{Oracle, OracleError};
use theta_chess::solve::Solver;
use theta_chess::tables::{Material, TableError, Tables};

/// Arguments of `theta compare`.
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("source").required(true).args(["fen", "epd", "material"]))]
#[command(after_help = "Without the fifty-move rule: a cursed win counts as a win.\n\
    With --material --all every legal position is compared, one of each class of symmetric ones, with and\n\
    without each legal mark for en passant.\n\n\
    Examples:\n  theta compare --syzygy tests/data/syzygy '8/8/8/8/8/1k6/7R/K7 b - -'\n  \
    theta compare --syzygy tests/data/syzygy --material KRK --random 1000")]
pub struct Args {
    /// The position in FEN; `-` reads one per line from standard input.
    #[arg(num_args = 1..)]
    fen: Vec<String>,
    /// A file with a position per line (EPD or FEN); `-` is standard input.
    #[arg(long, value_name = "FILE")]
    epd: Option<PathBuf>,
    /// A signature whose own table is compared.
    #[arg(long, value_name = "MAT")]
    material: Option<Material>,
    /// So many random positions of the signature.
    #[arg(long, value_name = "N", requires = "material", conflicts_with = "all")]
    random: Option<usize>,
    /// The seed of the random positions.
    #[arg(long, value_name = "S", default_value_t = 1, requires = "random")]
    seed: u64,
    /// All positions of the signature (the default).
    #[arg(long, requires = "material")]
    all: bool,
}

/// The totals, the closing line of `--json`.
#[derive(Debug, Serialize)]
struct Totals {
    compared: u64,
    agree: u64,
    disagree: u64,
    undecided: u64,
}

/// A disagreement, or a position that one side has no answer to.
#[derive(Debug, Serialize)]
struct Difference {
    fen: String,
    /// What the side to move has by our value: `win`, `draw` or `loss`.
    own: Option<&'static str>,
    /// The same by the oracle's.
    syzygy: Option<&'static str>,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

/// Compares and keeps count, from many threads.
struct Comparison<'a> {
    oracle: Arc<Oracle>,
    context: &'a Context,
    agree: AtomicU64,
    disagree: AtomicU64,
    undecided: AtomicU64,
    /// The first failure to print.
    printed: Mutex<anyhow::Result<()>>,
}

impl Args {
    /// Runs the command.
    ///
    /// # Errors
    /// No usable Syzygy directory, bad input, or output that cannot be written.
    pub fn run(&self, context: &Context) -> anyhow::Result<Exit> {
        let oracle = context.oracle()?.context("compare needs --syzygy DIR")?;
        anyhow::ensure!(oracle.files() > 0, "no Syzygy tables to compare with");
        let zero = AtomicU64::default;
        let comparison = Comparison {
            oracle: Arc::clone(oracle),
            context,
            agree: zero(),
            disagree: zero(),
            undecided: zero(),
            printed: Mutex::new(Ok(())),
        };
        let tables = context.tables()?;
        let exit = match self.material {
            Some(material) => self.compare_material(&tables, material, &comparison)?,
            None => self.compare_positions(tables, &comparison)?,
        };
        comparison.close(exit)
    }

    fn compare_material(
        &self,
        tables: &Tables,
        material: Material,
        comparison: &Comparison<'_>,
    ) -> anyhow::Result<Exit> {
        let budget = comparison.context.budget();
        let done = match self.random {
            None => tables.visit(material, &budget, |board, value| {
                comparison.add(board, Some(value.outcome()))
            }),
            Some(count) => tables.ensure(material, &budget).and_then(|()| {
                Tables::sample(material, self.seed).take(count).try_for_each(|board| {
                    budget.check(0, 0)?;
                    let value = tables.value(&board, &budget)?;
                    comparison.add(&board, value.map(Value::outcome));
                    Ok(())
                })
            }),
        };
        match done {
            Ok(()) => Ok(Exit::Yes),
            Err(error @ TableError::Stopped(_)) => {
                comparison.context.say(&error.to_string());
                Ok(Exit::Undecided)
            }
            Err(error) => Err(error.into()),
        }
    }

    fn compare_positions(
        &self,
        tables: Arc<Tables>,
        comparison: &Comparison<'_>,
    ) -> anyhow::Result<Exit> {
        let solver = Solver::new(tables);
        let positions =
            PositionArgs { fen: self.fen.clone(), epd: self.epd.clone(), puzzles: None };
        positions.for_each(comparison.context, Profile::Fide, |batch| {
            let board = batch.position.board();
            // Without the file there is nothing to compare with, and nothing worth solving for.
            let own = match comparison.oracle.probe(&board) {
                Ok(_) => solved(&solver, &batch.position, comparison.context)?,
                Err(_) => None,
            };
            comparison.add(&board, own);
            Ok(Exit::Yes)
        })
    }
}

/// An outcome as the side to move sees it.
fn word(outcome: Outcome, mover: Side) -> &'static str {
    match outcome {
        Outcome::Draw => "draw",
        Outcome::Wins(side) if side == mover => "win",
        Outcome::Wins(_) => "loss",
    }
}

/// The outcome that the engines find.
fn solved(
    solver: &Solver,
    position: &Position,
    context: &Context,
) -> anyhow::Result<Option<Outcome>> {
    let verdict = solver.solve(position, context.budget())?;
    Ok(verdict.value().map(Value::outcome))
}

impl Comparison<'_> {
    fn add(&self, board: &Board, own: Option<Outcome>) {
        let theirs = self.oracle.probe(board);
        let count = |counter: &AtomicU64| counter.fetch_add(1, Ordering::Relaxed);
        match (own, &theirs) {
            (Some(own), Ok(theirs)) if own == *theirs => {
                count(&self.agree);
                return;
            }
            (Some(_), Ok(_)) => count(&self.disagree),
            _ => count(&self.undecided),
        };
        let word = |outcome| word(outcome, board.side_to_move());
        let difference = Difference {
            fen: fen(&board.vector()),
            own: own.map(word),
            syzygy: theirs.as_ref().ok().copied().map(word),
            why: theirs.err().as_ref().map(OracleError::to_string),
        };
        let mut printed = self.printed.lock().expect("no holder panics");
        if printed.is_ok() {
            *printed = self.print(&difference);
        }
    }

    fn print(&self, difference: &Difference) -> anyhow::Result<()> {
        if self.context.global.json {
            return self.context.print_json(difference);
        }
        let why = difference.why.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
        let mut out = self.context.out();
        writeln!(
            out,
            "{}: own {}, syzygy {}{why}",
            difference.fen,
            difference.own.unwrap_or("undecided"),
            difference.syzygy.unwrap_or("undecided")
        )?;
        out.flush()?;
        Ok(())
    }

    /// Prints the totals; `exit` is how the source of positions ended.
    fn close(self, exit: Exit) -> anyhow::Result<Exit> {
        self.context.clear_progress();
        self.context.name_faults();
        self.printed.into_inner().expect("no holder panics")?;
        let [agree, disagree, undecided] =
            [self.agree, self.disagree, self.undecided].map(AtomicU64::into_inner);
        let totals = Totals { compared: agree + disagree + undecided, agree, disagree, undecided };
        if self.context.global.json {
            self.context.print_json(&totals)?;
        } else {
            let compared = totals.compared;
            let line = format!(
                "{compared} compared, {agree} agree, {disagree} disagree, {undecided} undecided\n"
            );
            self.context.print(line.as_bytes())?;
        }
        let disagreed = if totals.disagree > 0 { Exit::No } else { Exit::Yes };
        let undecided = if totals.undecided > 0 { Exit::Undecided } else { Exit::Yes };
        Ok(exit.worst(disagreed).worst(undecided))
    }
}
