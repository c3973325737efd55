//! `theta library openings`: opening trees and Polyglot books.

use crate::cli::{Context, Exit, write_whole};
use anyhow::{Context as _, bail};
use serde::Serialize;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use theta_chess::chess::board::Board;
use theta_chess::chess::parse_move;
use theta_chess::library::openings::{
    Book, Builder, START, Tree, parse_trees, read_polyglot, write_polyglot,
};

/// Arguments of `theta library openings`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Gather the openings of games into trees, every move with its minimax value.
    Build {
        /// The games; `-` is standard input.
        #[arg(required = true, value_name = "PGN")]
        games: Vec<PathBuf>,
        /// Plies of a line at most.
        #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u16).range(1..=200))]
        plies: u16,
        /// Where the library goes: `.bin` is written as a Polyglot book, anything else as trees;
        /// `-` is standard output.
        #[arg(short, long, value_name = "FILE", default_value = "-")]
        output: PathBuf,
    },
    /// Print the book's moves after these moves from the initial position (UCI notation).
    Show {
        /// A book: trees, or Polyglot's `.bin`.
        #[arg(value_name = "BOOK")]
        book: PathBuf,
        /// Moves played.
        moves: Vec<String>,
    },
    /// Write a book in the other format.
    Convert {
        /// Trees.
        #[arg(value_name = "TREES")]
        book: PathBuf,
        /// The Polyglot book to write.
        #[arg(value_name = "BIN")]
        output: PathBuf,
    },
}

/// Reads a book: trees as text, or a Polyglot file by its name.
///
/// # Errors
/// A file that cannot be read or is damaged.
pub fn read_book(path: &Path) -> anyhow::Result<Book> {
    let name = || path.display().to_string();
    let bytes = std::fs::read(path).with_context(name)?;
    if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("bin")) {
        return read_polyglot(&bytes).with_context(name);
    }
    let text = String::from_utf8(bytes)
        .with_context(|| format!("{}: neither trees nor a .bin file", path.display()))?;
    Ok(Book::of_trees(&parse_trees(&text).with_context(name)?))
}

#[derive(Serialize)]
struct BuildReport {
    games: u64,
    faults: u64,
    trees: usize,
    entries: usize,
    positions: usize,
    output: String,
}

#[derive(Serialize)]
struct MoveReport {
    #[serde(rename = "move")]
    play: String,
    san: String,
    weight: u16,
    percent: f64,
}

impl Args {
    /// Runs the command.
    ///
    /// # Errors
    /// Files that cannot be read or written, damaged books, illegal moves.
    pub fn run(&self, context: &Context) -> anyhow::Result<Exit> {
        match &self.command {
            Command::Build { games, plies, output } => build(games, *plies, output, context),
            Command::Show { book, moves } => show(&read_book(book)?, moves, context),
            Command::Convert { book, output } => {
                let book = read_book(book)?;
                write_whole(output, |out| out.write_all(&write_polyglot(&book)))?;
                context.say(&format!(
                    "{} positions, {} moves: {}",
                    book.len(),
                    book.moves(),
                    output.display()
                ));
                Ok(Exit::Yes)
            }
        }
    }
}

fn build(games: &[PathBuf], plies: u16, output: &Path, context: &Context) -> anyhow::Result<Exit> {
    let mut builder = Builder::new(plies.into());
    let mut faults = 0;
    for path in games {
        let name = path.display();
        let fault = |fault| {
            faults += 1;
            context.error(&format!("{name}, {fault}; the moves before it are used"));
        };
        if path.as_os_str() == "-" {
            builder.read(std::io::stdin().lock(), fault)?;
        } else {
            let file = File::open(path).with_context(|| name.to_string())?;
            builder.read(file, fault).with_context(|| name.to_string())?;
        }
    }
    let trees = builder.trees();
    if trees.is_empty() {
        bail!("{} games, and no opening move in them", builder.games());
    }
    let book = Book::of_trees(&trees);
    write_library(&trees, &book, plies, output)?;
    let report = BuildReport {
        games: builder.games(),
        faults,
        trees: trees.len(),
        entries: trees.iter().map(Tree::len).sum(),
        positions: book.len(),
        output: output.display().to_string(),
    };
    if output.as_os_str() != "-" && context.global.json {
        context.print_json(&report)?;
    } else {
        let BuildReport { games, trees, entries, positions, output, .. } = report;
        context.say(&format!(
            "{games} games: {trees} trees, {entries} entries, {positions} positions: {output}"
        ));
    }
    Ok(if faults == 0 { Exit::Yes } else { Exit::BadInput })
}

fn write_library(trees: &[Tree], book: &Book, plies: u16, output: &Path) -> anyhow::Result<()> {
    if output.extension().is_some_and(|e| e.eq_ignore_ascii_case("bin")) {
        return write_whole(output, |out| out.write_all(&write_polyglot(book)));
    }
    write_whole(output, |out| {
        writeln!(
            out,
            "# theta's opening library: lines of {plies} plies at most; number, LIB, SON, BRAT"
        )?;
        trees.iter().try_for_each(|tree| write!(out, "{tree}"))
    })
}

fn show(book: &Book, moves: &[String], context: &Context) -> anyhow::Result<Exit> {
    let mut board = Board::from_fen(START).expect("the initial position");
    for text in moves {
        let m = parse_move(text).ok().and_then(|m| board.find(m));
        board.play(m.with_context(|| format!("the move `{text}` is not legal"))?);
    }
    let found = book.moves_of(&board);
    let sum: u64 = found.iter().map(|&(_, weight)| u64::from(weight)).sum();
    let report = |(m, weight): &(theta_chess::chess::board::ChessMove, u16)| MoveReport {
        play: theta_chess::chess::board::move_of(m).to_string(),
        san: board.san(*m),
        weight: *weight,
        percent: 100.0 * f64::from(*weight) / sum.max(1) as f64,
    };
    let mut out = context.out();
    for entry in found.iter().map(report) {
        if context.global.json {
            serde_json::to_writer(&mut out, &entry)?;
            writeln!(out)?;
        } else {
            writeln!(
                out,
                "{:<7} {}  {:>5.1} %  weight {}",
                entry.san, entry.play, entry.percent, entry.weight
            )?;
        }
    }
    out.flush()?;
    if found.is_empty() {
        context.say("out of the book");
        return Ok(Exit::No);
    }
    Ok(Exit::Yes)
}
