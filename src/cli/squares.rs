//! `theta squares`: key squares and corresponding squares of a pawn ending.

use super::strategy::SideArg;
use super::{Context, Exit, read_fen, write_whole};
use anyhow::{Context as _, ensure};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use theta_chess::chess::{Position, Profile, Side};
use theta_chess::export::svg::{self, Marks};
use theta_chess::limits::{Budget, StopReason};
use theta_chess::slices::{Analysis, Known, Squares};

/// Arguments of `theta squares`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  theta squares '8/4k3/8/8/4P3/4K3/8/8 w - -'\n\n\
    On a key square the attacker's king wins wherever the other king is and whoever is to move, unless that king \
    attacks a pawn. On corresponding squares neither king wants to be to move: the attacker wins if the other side \
    is to move, and does not if it is to move itself.")]
pub struct Args {
    /// A position of kings and pawns; the kings may stand anywhere.
    #[arg(num_args = 1.., required = true)]
    fen: Vec<String>,
    /// The side whose win it is about [default: the side that wins the position, else the side to
    /// move].
    #[arg(long, value_enum)]
    side: Option<SideArg>,
    /// Draw them: `squares.svg` in this directory, key squares tinted, corresponding squares with
    /// the same number.
    #[arg(long, value_name = "DIR")]
    svg: Option<PathBuf>,
}

/// The report.
#[derive(Serialize)]
pub(super) struct Report {
    fen: String,
    #[serde(serialize_with = "theta_chess::chess::serialize_side")]
    attacker: Side,
    /// The key squares of the attacker's king.
    key: Vec<String>,
    corresponding: Vec<Corresponding>,
    /// Placements of the kings that are not decided.
    open: usize,
    stop: Option<StopReason>,
    svg: Option<String>,
}

/// A square of the attacker's king and those that correspond to it.
#[derive(Serialize)]
pub(super) struct Corresponding {
    king: String,
    other: Vec<String>,
}

impl Args {
    /// Runs the command.
    ///
    /// # Errors
    /// Bad input, other men than kings and pawns, or output that cannot be written.
    pub fn run(&self, context: &Context) -> anyhow::Result<Exit> {
        let root = read_fen(&self.fen.join(" "), Profile::Fide)?;
        let (mut report, found) =
            find(&root, self.side.map(Side::from), &context.question_budget())?;
        context.clear_progress();
        let drawn = self.svg.as_ref().map(|dir| draw(&root, &found, dir)).transpose()?;
        report.svg = drawn.map(|path| path.display().to_string());
        if context.global.json {
            context.print_json(&report)?;
        } else {
            print(&report, context)?;
        }
        Ok(if found.open == 0 { Exit::Yes } else { Exit::Undecided })
    }
}

/// The squares of a pawn ending, of this side's win or of the one that there is.
///
/// # Errors
/// Other men than kings and pawns.
pub(super) fn find(
    root: &Position,
    side: Option<Side>,
    budget: &Budget,
) -> anyhow::Result<(Report, Squares)> {
    let board = root.board();
    Analysis::suits(&board)?;
    let mut analysis = Analysis::new();
    let attacker = match side {
        Some(side) => side,
        None => {
            let share = budget.remaining().map_or(budget.clone(), |left| budget.part(left / 2));
            analysis.pursue(&board, &share);
            let wins = |side: &Side| analysis.wins(&board, *side) == Known::Wins;
            Side::ALL.into_iter().find(wins).unwrap_or(root.side_to_move())
        }
    };
    let found = analysis.squares(&board, attacker, budget);
    let found = found.context("squares are about kings and pawns alone")?;
    let report = Report {
        fen: root.to_string(),
        attacker,
        key: found.key.iter().map(|&square| name(square)).collect(),
        corresponding: found.corresponding.iter().map(named).collect(),
        open: found.open,
        stop: found.stop,
        svg: None,
    };
    Ok((report, found))
}

fn name(square: u8) -> String {
    format!("{}{}", (b'a' + square % 8) as char, square / 8 + 1)
}

fn named((king, others): &(u8, Vec<u8>)) -> Corresponding {
    Corresponding { king: name(*king), other: others.iter().map(|&at| name(at)).collect() }
}

fn print(report: &Report, context: &Context) -> anyhow::Result<()> {
    let mut out = context.out();
    let (us, them) = (report.attacker, report.attacker.other());
    let none = || "none".to_string();
    let keys = if report.key.is_empty() { none() } else { report.key.join(" ") };
    writeln!(out, "key squares of {us}'s king: {keys}")?;
    if report.corresponding.is_empty() {
        writeln!(out, "no corresponding squares")?;
    } else {
        writeln!(out, "corresponding squares ({us}'s king: {them}'s)")?;
    }
    for Corresponding { king, other } in &report.corresponding {
        writeln!(out, "{king}: {}", other.join(" "))?;
    }
    if report.open > 0 {
        let why = report.stop.map_or_else(String::new, |stop| format!(" ({stop})"));
        writeln!(out, "not decided: {} placements of the kings{why}", report.open)?;
    }
    if let Some(path) = &report.svg {
        writeln!(out, "picture: {path}")?;
    }
    out.flush()?;
    Ok(())
}

/// Draws the squares; those of the attacker's king that have the same corresponding ones share a
/// number with these.
fn draw(root: &Position, found: &Squares, dir: &std::path::Path) -> anyhow::Result<PathBuf> {
    std::fs::create_dir_all(dir).with_context(|| dir.display().to_string())?;
    ensure!(dir.is_dir(), "{}: no directory", dir.display());
    let mut numbers: BTreeMap<&[u8], usize> = BTreeMap::new();
    for (_, others) in &found.corresponding {
        let next = numbers.len() + 1;
        numbers.entry(others).or_insert(next);
    }
    let us = found.attacker;
    let own = found
        .corresponding
        .iter()
        .map(|(king, others)| (*king, us, numbers[others.as_slice()].to_string()));
    let mut theirs: BTreeMap<u8, Vec<String>> = BTreeMap::new();
    let mut sets: Vec<_> = numbers.iter().collect();
    sets.sort_by_key(|(_, number)| **number);
    for (others, number) in sets {
        for &other in *others {
            theirs.entry(other).or_default().push(number.to_string());
        }
    }
    let others = theirs.into_iter().map(|(at, list)| (at, us.other(), list.join(",")));
    let marks = Marks {
        tinted: found.key.clone(),
        labels: own.chain(others).collect(),
        flipped: us == Side::Black,
        ..Marks::default()
    };
    let path = dir.join("squares.svg");
    write_whole(&path, |out| svg::write(root.vector(), &marks, out))?;
    Ok(path)
}
