//! `theta moves`: the value and distance after every legal move.

use super::choices::EngineArg;
use super::headline::plies_text;
use super::rate::Rater;
use super::solve::ProfileArg;
use super::unique::Puzzle;
use super::{Context, Exit, PositionArgs};
use serde::Serialize;
use std::io::Write;
use theta_chess::chess::Position;
use theta_chess::chess::Value;
use theta_chess::solve::{Options, Rated, value_word};

/// Arguments of `theta moves`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    theta moves '8/8/8/8/8/1k6/7R/K7 b - -'\n  \
    theta moves --unique 'k7/8/1K6/8/8/8/6q1/2R5 w - -'\n\n\
    Where the engine knows the root only, each move is searched on its own: 20,000 positions, or --positions and a share of --time.")]
pub struct Args {
    #[command(flatten)]
    positions: PositionArgs,
    /// The engine that decides.
    #[arg(long, value_enum, default_value_t)]
    engine: EngineArg,
    /// The rules: the laws of chess, or the paper as printed.
    #[arg(long, value_enum, default_value = "fide")]
    profile: ProfileArg,
    /// Is the first move, and every move of that side on the main line, the only one that keeps the
    /// value? Lists the duals.
    #[arg(long)]
    unique: bool,
    /// With --unique: count only moves that mate as quickly as the best.
    #[arg(long, requires = "unique")]
    shortest: bool,
}

/// One move of the report.
#[derive(Debug, Serialize)]
struct MoveRow {
    /// UCI notation.
    uci: String,
    /// Algebraic notation.
    san: String,
    /// `white`, `draw`, `black` or null.
    value: Option<&'static str>,
    /// Plies to mate after the move, or null (a draw, unknown, or not the shortest known).
    mate_plies: Option<u32>,
    /// Plies to mate at most, where the shortest mate is not known, or null.
    mate_plies_at_most: Option<u32>,
}

/// The report of one position.
#[derive(Debug, Serialize)]
struct Report {
    fen: String,
    /// The line's name for the position.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    moves: Vec<MoveRow>,
}

impl Args {
    /// Runs the command.
    ///
    /// # Errors
    /// Bad input, or output that cannot be written.
    pub fn run(&self, context: &Context) -> anyhow::Result<Exit> {
        let profile = self.profile.into();
        let options = Options::default().with_engine(self.engine.into()).with_profile(profile);
        let solver = context.solver()?.with_options(options);
        self.positions.for_each(context, profile, |batch| {
            let budget = context.budget();
            let id = batch.operations.id();
            if batch.line.is_some() && !context.global.json {
                let name = id.as_deref().map_or_else(String::new, |id| format!("  {id}"));
                context.clear_progress();
                context.print(format!("{}{name}\n", batch.position).as_bytes())?;
            }
            if self.unique {
                let rater = Rater { solver: &solver, context };
                let verdict = solver.solve(&batch.position, &budget)?;
                let puzzle = Puzzle { rater, shortest: self.shortest, verdict: &verdict };
                return puzzle.report(&batch.position, id)?.print(context);
            }
            let rated = solver.rate(&batch.position, &budget)?;
            let report = report(&batch.position, id, &rated);
            context.clear_progress();
            if context.global.json {
                context.print_json(&report)?;
            } else {
                print_text(&report, context)?;
            }
            let decided = rated.iter().all(|r| r.value.is_some());
            Ok(if decided { Exit::Yes } else { Exit::Undecided })
        })
    }
}

fn report(position: &Position, id: Option<String>, rated: &[Rated]) -> Report {
    let board = position.board();
    let row = |r: &Rated| {
        let legal = board.find(r.play).map(|m| board.san(m));
        let (value, plies) = (r.value.map(value_word), r.value.and_then(Value::plies));
        let (mate_plies, mate_plies_at_most) =
            if r.shortest { (plies, None) } else { (None, plies) };
        let san = legal.unwrap_or_else(|| r.play.to_string());
        MoveRow { uci: r.play.to_string(), san, value, mate_plies, mate_plies_at_most }
    };
    Report { fen: position.to_string(), id, moves: rated.iter().map(row).collect() }
}

fn print_text(report: &Report, context: &Context) -> anyhow::Result<()> {
    let mut out = context.out();
    if report.moves.is_empty() {
        writeln!(out, "no legal move")?;
    }
    for row in &report.moves {
        let most = if row.mate_plies.is_none() { "at most " } else { "" };
        let text = match (row.value, row.mate_plies.or(row.mate_plies_at_most)) {
            (Some(_), Some(0)) => "mate".to_string(),
            (Some("white"), Some(plies)) => {
                format!("White wins, mate in {most}{}", plies_text(plies))
            }
            (Some(_), Some(plies)) => format!("Black wins, mate in {most}{}", plies_text(plies)),
            (Some(_), None) => "draw".to_string(),
            (None, _) => "unknown".to_string(),
        };
        writeln!(out, "{:<8}{:<6} {text}", row.san, row.uci)?;
    }
    out.flush()?;
    Ok(())
}
