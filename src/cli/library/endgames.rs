//! `theta library probe|check|generate`: the endgame library.

use super::failed;
use crate::cli::{Context, Exit, read_fen, write_whole};
use anyhow::{Context as _, bail};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use theta_chess::chess::board::Board;
use theta_chess::chess::{Move, Outcome, Profile, Side, Value};
use theta_chess::library::endgames::{
    BUILT_IN, Class, Found, Row, Shape, built_in, contradictions, find, generate, parse_classes,
};
use theta_chess::tables::{Material, Tables};

/// Arguments of `theta library probe`.
#[derive(Debug, clap::Args)]
pub struct ProbeArgs {
    /// The position; whose move it is matters only for the exact value.
    #[arg(required = true, num_args = 1..)]
    fen: Vec<String>,
    /// A library [default: the one that comes with the program].
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
}

/// Arguments of `theta library check`.
#[derive(Debug, clap::Args)]
pub struct CheckArgs {
    /// A library [default: the classes of three and four men that come with the program; those of
    /// five men are in `positions/library/endgames_five.txt`, and take the tables of five men].
    library: Option<PathBuf>,
}

/// Arguments of `theta library generate`.
#[derive(Debug, clap::Args)]
pub struct GenerateArgs {
    /// Classes, as KPvK; rows are printed with the positions they stand for.
    #[arg(required = true, value_name = "MAT")]
    materials: Vec<Material>,
    /// Rows of a class at most: those that stand for the most positions.
    #[arg(long, default_value_t = 20)]
    rows: usize,
    /// Configurations of at most so many files.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=8))]
    files: u8,
    /// And so many ranks.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=8))]
    ranks: u8,
    /// All rows whose known parts have these sizes, as 3/0/1/18, instead.
    #[arg(long, value_name = "1/2/3/4", value_parser = parse_sizes)]
    sizes: Option<[usize; 4]>,
    /// Where the library goes.
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

fn parse_sizes(text: &str) -> Result<[usize; 4], String> {
    let numbers: Result<Vec<usize>, _> = text.split('/').map(str::parse).collect();
    let wrong = |_| "four numbers, as 3/0/1/18".to_owned();
    numbers
        .map_err(|e| wrong(e.to_string()))?
        .try_into()
        .map_err(|v: Vec<usize>| wrong(v.len().to_string()))
}

pub fn read_library(path: Option<&Path>) -> anyhow::Result<Vec<Class>> {
    match path {
        None => Ok(built_in()),
        Some(path) => {
            let name = || path.display().to_string();
            let text = std::fs::read_to_string(path).with_context(name)?;
            parse_classes(&text).with_context(name)
        }
    }
}

#[derive(Serialize)]
struct SideReport {
    value: Option<&'static str>,
    #[serde(rename = "move")]
    play: Option<String>,
    exact: Option<&'static str>,
    plies: Option<u32>,
}

#[derive(Serialize)]
struct ProbeReport {
    fen: String,
    found: bool,
    class: Option<String>,
    row: Option<usize>,
    stored: Option<String>,
    symmetry: Option<String>,
    shift: Option<[i8; 2]>,
    subset: Option<usize>,
    agrees: Option<bool>,
    white: SideReport,
    black: SideReport,
}

/// The winner's name, or `draw`.
fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Draw => "draw",
        Outcome::Wins(Side::White) => "white",
        Outcome::Wins(Side::Black) => "black",
    }
}

impl ProbeArgs {
    /// Looks a position up.
    ///
    /// # Errors
    /// A bad FEN, a bad library, an unusable cache.
    pub fn run(&self, context: &Context) -> anyhow::Result<Exit> {
        let position = read_fen(&self.fen.join(" "), Profile::Fide)?;
        let board = position.board();
        let classes = read_library(self.library.as_deref())?;
        let found = find(&classes, &board);
        let tables = context.tables()?;
        let side = |mover: Side| -> Result<SideReport, theta_chess::tables::TableError> {
            let mut y = *position.vector();
            y[0] = u8::from(mover == Side::Black);
            (y[65], y[66]) = (0, 0);
            let told = found.as_ref().map(|f| f.of(mover));
            let exact = match Board::from_vector(&y) {
                Ok(board) => tables.value(&board, &context.budget())?,
                Err(_) => None,
            };
            let san = |m: Move| {
                let board = Board::from_vector(&y).ok()?;
                Some(board.san(board.find(m)?))
            };
            Ok(SideReport {
                value: told.and_then(|told| told.outcome).map(word),
                play: told.and_then(|told| told.play).and_then(san),
                exact: exact.map(|value| word(value.outcome())),
                plies: exact.and_then(Value::plies),
            })
        };
        let (white, black) = match (side(Side::White), side(Side::Black)) {
            (Ok(white), Ok(black)) => (white, black),
            (Err(error), _) | (_, Err(error)) => return failed(error, context),
        };
        context.clear_progress();
        let agrees = |s: &SideReport| s.exact.is_none() || s.value == s.exact;
        let stored = |f: &Found| {
            let class = classes.iter().find(|class| class.material == f.material)?;
            let row: &Row = &class.rows[f.row - 1];
            Some(row.columns(&class.men()).join(" "))
        };
        let report = ProbeReport {
            fen: position.to_string(),
            found: found.is_some(),
            class: found.as_ref().map(|f| f.material.to_string()),
            row: found.as_ref().map(|f| f.row),
            stored: found.as_ref().and_then(stored),
            symmetry: found.as_ref().map(|f| f.symmetry.to_string()),
            shift: found.as_ref().map(|f| [f.shift.dx, f.shift.dy]),
            subset: found.as_ref().map(|f| f.part + 1),
            agrees: found.as_ref().map(|_| agrees(&white) && agrees(&black)),
            white,
            black,
        };
        if context.global.json {
            context.print_json(&report)?;
        } else {
            report.print(&mut context.out())?;
        }
        Ok(if report.found { Exit::Yes } else { Exit::No })
    }
}

impl ProbeReport {
    fn print(&self, out: &mut impl Write) -> anyhow::Result<()> {
        for (name, side) in [("WHITE", &self.white), ("BLACK", &self.black)] {
            let value = match side.value {
                Some("draw") => "DRAW",
                Some("white") => "WHITE WINS",
                Some(_) => "BLACK WINS",
                None if self.found => "no legal position",
                None => "not in the library",
            };
            let by = side.play.as_ref().map(|play| format!(" BY {play}")).unwrap_or_default();
            let exact = match (side.exact, side.plies) {
                (None, _) => "no table".to_owned(),
                (Some("draw"), _) => "draw".to_owned(),
                (Some(winner), plies) => format!("{winner} wins in {} plies", plies.unwrap_or(0)),
            };
            writeln!(out, "{name} TO PLAY: {value}{by}  (exactly: {exact})")?;
        }
        if let (Some(class), Some(row), Some(stored)) = (&self.class, self.row, &self.stored) {
            let [dx, dy] = self.shift.unwrap_or_default();
            let symmetry = self.symmetry.as_deref().unwrap_or_default();
            let subset = self.subset.unwrap_or_default();
            writeln!(
                out,
                "class {class}, row {row} ({stored}), subset {subset}: shifted {dx:+} files {dy:+} ranks, symmetry {symmetry}"
            )?;
        }
        out.flush()?;
        Ok(())
    }
}

#[derive(Serialize)]
struct CheckReport<'a> {
    class: String,
    rows: usize,
    positions: usize,
    wrong: Vec<WrongRow<'a>>,
}

#[derive(Serialize)]
struct WrongRow<'a> {
    row: usize,
    fen: &'a str,
    what: &'a str,
}

impl CheckArgs {
    /// Puts every row to the tables.
    ///
    /// # Errors
    /// A bad library, an unusable cache.
    pub fn run(&self, context: &Context) -> anyhow::Result<Exit> {
        let classes = match &self.library {
            // Those of five men would have their tables built: their file can be named.
            None => parse_classes(BUILT_IN)?,
            some => read_library(some.as_deref())?,
        };
        let tables = context.tables()?;
        let mut exit = Exit::Yes;
        let (mut rows, mut positions) = (0, 0);
        for class in &classes {
            let wrong = match contradictions(&tables, class, &context.budget()) {
                Ok(wrong) => wrong,
                Err(error) => return failed(error, context),
            };
            context.clear_progress();
            exit = exit.worst(if wrong.is_empty() { Exit::Yes } else { Exit::No });
            (rows, positions) = (rows + class.rows.len(), positions + class.positions());
            if context.global.json {
                let of = wrong
                    .iter()
                    .map(|c| WrongRow { row: c.row, fen: &c.fen, what: &c.what })
                    .collect();
                context.print_json(&CheckReport {
                    class: class.material.to_string(),
                    rows: class.rows.len(),
                    positions: class.positions(),
                    wrong: of,
                })?;
                continue;
            }
            let mut out = context.out();
            writeln!(
                out,
                "{:<8} {:>4} rows {:>7} positions, {} wrong",
                class.material.to_string(),
                class.rows.len(),
                class.positions(),
                wrong.len()
            )?;
            for c in &wrong {
                writeln!(out, "  row {} rejected: {}: {}", c.row, c.fen, c.what)?;
            }
            out.flush()?;
        }
        if !context.global.json {
            context.print(
                format!("{rows} rows stand for {positions} positions, symmetries not counted\n")
                    .as_bytes(),
            )?;
        }
        Ok(exit)
    }
}

impl GenerateArgs {
    /// Makes rows from the tables.
    ///
    /// # Errors
    /// An unusable cache, output that cannot be written.
    pub fn run(&self, context: &Context) -> anyhow::Result<Exit> {
        let tables: std::sync::Arc<Tables> = context.tables()?;
        let shape = Shape { files: self.files, ranks: self.ranks };
        let mut classes: Vec<Class> = Vec::new();
        for &material in &self.materials {
            let rows = match generate(
                &tables,
                material,
                shape,
                self.rows,
                self.sizes,
                &context.budget(),
            ) {
                Ok(rows) => rows,
                Err(error) => return failed(error, context),
            };
            context.clear_progress();
            let covered: usize = rows.iter().map(|(_, covered)| covered).sum();
            context.say(&format!("{material}: {} rows stand for {covered} positions", rows.len()));
            classes.push(Class { material, rows: rows.into_iter().map(|(row, _)| row).collect() });
        }
        if classes.iter().all(|class| class.rows.is_empty()) {
            bail!(
                "no row: no configuration of this shape has a partition formula that says something"
            );
        }
        write_whole(&self.output, |out| {
            writeln!(
                out,
                "# theta's endgame library, written from exact tables by `theta library generate`."
            )?;
            writeln!(
                out,
                "# A row: squares in pairs, values and first moves as A. D. Yudin coded them | the edges that make"
            )?;
            writeln!(
                out,
                "# themselves felt and how far | for each known part its number, White's value and move, Black's."
            )?;
            classes.iter().try_for_each(|class| write!(out, "{class}"))
        })?;
        Ok(Exit::Yes)
    }
}
