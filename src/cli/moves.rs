//! `theta moves`: the value and distance after every legal move; with `--unique` the puzzle-maker's
//! question, whether the moves of the main line are the only ones.

use super::choices::EngineArg;
use super::headline::{plies_text, print_relied};
use super::pgn::{Game, for_each_game};
use super::solve::ProfileArg;
use super::{Context, Exit, PositionArgs};
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;
use theta_chess::chess::board::Board;
use theta_chess::chess::{Position, Profile, Value};
use theta_chess::limits::StopReason;
use theta_chess::solve::{Options, Puzzle, Rated, Ratings, Solver, Step, value_word};

/// Arguments of `theta moves`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    theta moves '8/8/8/8/8/1k6/7R/K7 b - -'\n  \
    theta moves --unique 'k7/8/1K6/8/8/8/6q1/2R5 w - -'\n\n\
    Where no table covers the position, it is solved first and its best move is rated by that proof; \
    then every other move is searched by itself, and is printed as soon as its value is proved. \
    Without --time and --positions this goes on until every move is decided.\n\n\
    With --unique every \"yes\" and every \"no\" is proved: a move is named after \"also\" if it is \
    proved to do as well, and after \"not decided\" if the limits ended before that was known.")]
pub struct Args {
    #[command(flatten)]
    positions: PositionArgs,
    /// A file of games: every move in every position of the main lines; `-` is standard input.
    #[arg(long, value_name = "FILE", group = "PositionArgs", conflicts_with = "unique")]
    pgn: Option<PathBuf>,
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
    /// Rest nothing on the Syzygy tables of --syzygy where our own tables can be solved instead.
    #[arg(long)]
    self_contained: bool,
    /// With --unique: count only moves that mate as quickly as the best.
    #[arg(long, requires = "unique")]
    shortest: bool,
}

/// One move of the report.
#[derive(Debug, Serialize)]
pub(super) struct MoveRow {
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
    /// Where the value is not known: plies after the move within which it is proved not to mate.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_mate_plies: Option<u32>,
    /// A reply that shows it, in algebraic notation.
    #[serde(skip_serializing_if = "Option::is_none")]
    refuted_by: Option<String>,
    /// Plies after the move for which that reply shows it: fewer than `no_mate_plies` where more was
    /// proved without naming a reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    refuted_plies: Option<u32>,
}

/// The report of one position.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    pub(super) fen: String,
    /// The line's name for the position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<String>,
    pub(super) moves: Vec<MoveRow>,
    /// The Syzygy tables that some of the values rest on; left out where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) relies_on: Vec<String>,
}

/// The report of `--unique`.
#[derive(Debug, Serialize)]
struct Unique<'a> {
    fen: String,
    /// The line's name for the position.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// Whether the first move is the only one that keeps the value; null when not known.
    first_unique: Option<bool>,
    /// Whether every move of the side is; null when not known.
    unique: Option<bool>,
    line: &'a [Step],
    /// Why something is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    stop: Option<StopReason>,
}

impl Args {
    /// Runs the command.
    ///
    /// # Errors
    /// Bad input, or output that cannot be written.
    pub fn run(&self, context: &Context) -> anyhow::Result<Exit> {
        let profile = self.profile.into();
        let options = Options::default()
            .with_engine(self.engine.into())
            .with_profile(profile)
            .with_self_contained(self.self_contained);
        let solver = context.solver_on_syzygy()?.with_options(options);
        if let Some(path) = &self.pgn {
            anyhow::ensure!(
                profile == Profile::Fide,
                "games are played by the laws of chess; leave out --profile paper"
            );
            return for_each_game(path, context, |game, count| {
                rate_game(game, count, &solver, context)
            });
        }
        self.positions.for_each(context, profile, |batch| {
            let (root, id) = (&batch.position, batch.operations.id());
            if batch.line.is_some() && !context.global.json {
                let name = id.as_deref().map_or_else(String::new, |id| format!("  {id}"));
                context.clear_progress();
                context.print(format!("{root}{name}\n").as_bytes())?;
            }
            if self.unique {
                return self.puzzle(root, id, &solver, context);
            }
            rate(root, id, &solver, context)
        })
    }

    /// Half of the budget goes to the root at most; the questions about other moves have the rest.
    fn puzzle(
        &self,
        root: &Position,
        id: Option<String>,
        solver: &Solver,
        context: &Context,
    ) -> anyhow::Result<Exit> {
        let budget = context.question_budget();
        let half = budget.remaining().map_or_else(|| budget.clone(), |left| budget.part(left / 2));
        let verdict = solver.solve(root, &half)?;
        let puzzle = solver.puzzle(&verdict, self.shortest, &budget)?;
        context.clear_progress();
        if context.global.json {
            let Puzzle { first_unique, unique, stop, .. } = puzzle;
            let (fen, line) = (root.to_string(), &puzzle.line[..]);
            context.print_json(&Unique { fen, id, first_unique, unique, line, stop })?;
        } else {
            let mut out = context.out();
            print_puzzle(&puzzle, &mut out)?;
            out.flush()?;
        }
        Ok(match puzzle.unique {
            Some(true) => Exit::Yes,
            Some(false) => Exit::No,
            None => Exit::Undecided,
        })
    }
}

/// Rates every move in every position of a game's main line.
fn rate_game(game: &Game, count: u64, solver: &Solver, context: &Context) -> anyhow::Result<Exit> {
    let (name, mut exit) = (game.name(count), Exit::Yes);
    for (played, board) in game.positions() {
        let root = Position::from(board);
        let id = played.map_or_else(|| name.clone(), |played| format!("{name}: {played}"));
        if !context.global.json {
            context.print(format!("{id}: {root}\n").as_bytes())?;
        }
        exit = exit.worst(rate(&root, Some(id), solver, context)?);
        if context.interrupted() {
            return Ok(Exit::Interrupted);
        }
    }
    Ok(exit)
}

/// Rates every move; in text each is printed when its value is proved, the open ones at the end.
fn rate(
    root: &Position,
    id: Option<String>,
    solver: &Solver,
    context: &Context,
) -> anyhow::Result<Exit> {
    let (board, json) = (root.board(), context.global.json);
    let mut told = Vec::new();
    let mut failed = Ok(());
    let mut tell = |rated: &Rated| {
        if !json && failed.is_ok() {
            context.clear_progress();
            failed = print_rows(&[row(&board, rated)], context);
            told.push(rated.play);
        }
    };
    let Ratings { moves: rated, relies_on, .. } =
        solver.rate_each(root, context.question_budget(), &mut tell)?;
    failed?;
    context.clear_progress();
    context.name_faults();
    let rows = rated.iter().filter(|r| !told.contains(&r.play)).map(|r| row(&board, r));
    let moves: Vec<MoveRow> = rows.collect();
    if json {
        context.print_json(&Report { fen: root.to_string(), id, moves, relies_on })?;
    } else if rated.is_empty() {
        context.print(b"no legal move\n")?;
    } else {
        print_rows(&moves, context)?;
        print_relied(&relies_on, &mut context.out())?;
    }
    let decided = rated.iter().all(|r| r.value.is_some());
    Ok(if decided { Exit::Yes } else { Exit::Undecided })
}

/// A move as it is told.
pub(super) fn row(board: &Board, r: &Rated) -> MoveRow {
    let legal = board.find(r.play);
    let (value, plies) = (r.value.map(value_word), r.value.and_then(Value::plies));
    let (mate_plies, mate_plies_at_most) = if r.shortest { (plies, None) } else { (None, plies) };
    let after = legal.map(|m| board.after(m));
    let bound = r.no_mate.filter(|_| value.is_none());
    let refuted = bound.and_then(|bound| bound.reply);
    let reply = refuted.map(|(reply, _)| reply).zip(after);
    MoveRow {
        uci: r.play.to_string(),
        san: legal.map_or_else(|| r.play.to_string(), |m| board.san(m)),
        value,
        mate_plies,
        mate_plies_at_most,
        no_mate_plies: bound.map(|bound| bound.plies),
        refuted_by: reply.and_then(|(reply, after)| after.find(reply).map(|m| after.san(m))),
        refuted_plies: refuted.map(|(_, plies)| plies),
    }
}

fn print_rows(rows: &[MoveRow], context: &Context) -> anyhow::Result<()> {
    let mut out = context.out();
    for row in rows {
        let most = if row.mate_plies.is_none() { "at most " } else { "" };
        let text = match (row.value, row.mate_plies.or(row.mate_plies_at_most)) {
            (Some(_), Some(0)) => "mate".to_string(),
            (Some("white"), Some(plies)) => {
                format!("White wins, mate in {most}{}", plies_text(plies))
            }
            (Some(_), Some(plies)) => format!("Black wins, mate in {most}{}", plies_text(plies)),
            (Some("draw"), None) => "draw".to_string(),
            (Some("white"), None) => "White wins".to_string(),
            (Some(_), None) => "Black wins".to_string(),
            (None, _) => unknown(row),
        };
        writeln!(out, "{:<8}{:<6} {text}", row.san, row.uci)?;
    }
    out.flush()?;
    Ok(())
}

/// What is proved of a move whose value is not known.
fn unknown(row: &MoveRow) -> String {
    let Some(plies) = row.no_mate_plies else { return "unknown".into() };
    let reply = match (row.refuted_by.as_deref(), row.refuted_plies) {
        (Some(reply), Some(shown)) if shown < plies => {
            format!("; {reply} refutes one within {}", plies_text(shown))
        }
        (Some(reply), _) => format!(": {reply}"),
        (None, _) => String::new(),
    };
    format!("unknown, but no mate within {}{reply}", plies_text(plies))
}

fn print_puzzle(puzzle: &Puzzle, out: &mut impl Write) -> io::Result<()> {
    let why = puzzle.stop.map_or_else(String::new, |stop| format!(" ({stop})"));
    let answer = |known: Option<bool>| match known {
        Some(true) => "yes".to_string(),
        Some(false) => "no".to_string(),
        None => format!("not known{why}"),
    };
    writeln!(out, "first move unique: {}", answer(puzzle.first_unique))?;
    writeln!(out, "all moves unique: {}", answer(puzzle.unique))?;
    for step in &puzzle.line {
        write!(out, "{}{}", if step.owner { "" } else { "    " }, step.san)?;
        for (word, moves) in [("also", &step.duals), ("not decided", &step.open)] {
            if !moves.is_empty() {
                write!(out, "  {word}: {}", moves.join(" "))?;
            }
        }
        writeln!(out)?;
    }
    Ok(())
}
