//! An account of a strategy as text.

use super::super::counted;
use super::{Account, Met, Stage};
use crate::chess::{Side, move_number};
use std::io::{self, Write};

/// Replies to the first move that are named; the others resist less.
const REPLIES: usize = 12;
/// Ways to leave a stage that are named.
const EXITS: usize = 8;
/// Columns of a line of moves.
const COLUMNS: usize = 100;

/// Writes an account: the key and what meets the replies, the line, the stages, the corresponding
/// squares.
///
/// # Errors
/// Those of `out`.
pub fn write(told: &Account, out: &mut impl Write) -> io::Result<()> {
    let claim = match (told.wins, told.mate_plies_at_most) {
        (true, Some(plies)) => format!("wins, mate in at most {}", counted_plies(plies)),
        (true, None) => "wins".to_owned(),
        (false, _) => "holds".to_owned(),
    };
    writeln!(
        out,
        "{} {claim}: a proof of {}, {}",
        told.owner,
        counted(told.positions, "position", "positions"),
        counted(told.placements, "placement of the pawns", "placements of the pawns"),
    )?;
    let second = match &told.key {
        Some(key) => {
            let name = if told.wins { "key" } else { "plays" };
            writeln!(out, "{name}: {} {key}", move_number(0, told.first))?;
            1
        }
        None => 0,
    };
    told.replies.iter().take(REPLIES).try_for_each(|met| reply(told, met, second, out))?;
    if let Some(left) = told.replies.len().checked_sub(REPLIES).filter(|left| *left > 0) {
        writeln!(out, "  and {}", counted(left as u64, "other reply", "other replies"))?;
    }
    if !told.line.is_empty() {
        let moves = numbered(&told.line, told.first);
        wrapped("a line of the longest resistance:", moves.iter().map(String::as_str), "", out)?;
    }
    for (number, stage) in told.stages.iter().enumerate() {
        write_stage(told, number + 1, stage, out)?;
    }
    if !told.corresponding.is_empty() {
        let (own, other) = (told.owner, told.owner.other());
        let title = format!(
            "corresponding squares of the proof ({own}'s king–{other}'s, {other} to move):"
        );
        let pairs: Vec<String> =
            told.corresponding.iter().map(|(own, other)| format!("{own}–{other}")).collect();
        wrapped(&title, pairs.iter().map(String::as_str), "", out)?;
    }
    Ok(())
}

fn counted_plies(plies: u32) -> String {
    counted(plies.into(), "ply", "plies")
}

/// Moves with their numbers.
fn numbered(line: &[String], first: Side) -> Vec<String> {
    let number = |ply: usize, san: &String| {
        let black = (ply % 2 == 1) != (first == Side::Black);
        if black && ply > 0 {
            san.clone()
        } else {
            format!("{} {san}", move_number(ply as u32, first))
        }
    };
    line.iter().enumerate().map(|(ply, san)| number(ply, san)).collect()
}

/// A title and words, in lines of so many columns.
pub(in crate::export) fn wrapped<'a>(
    title: &str,
    words: impl Iterator<Item = &'a str>,
    indent: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut line = format!("{indent}{title}");
    for word in words {
        if line.chars().count() + 1 + word.chars().count() > COLUMNS {
            writeln!(out, "{line}")?;
            line = format!("{indent}  {word}");
        } else {
            line.push(' ');
            line.push_str(word);
        }
    }
    writeln!(out, "{line}")
}

/// A text in lines of so many columns, broken at spaces.
pub(in crate::export) fn lines(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= columns => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn reply(told: &Account, met: &Met, ply: u32, out: &mut impl Write) -> io::Result<()> {
    write!(out, "  {} {}", move_number(ply, told.first), met.reply)?;
    if let Some(answer) = &met.answer {
        let number = move_number(ply + 1, told.first);
        match number.ends_with("...") {
            true => write!(out, " {answer}")?,
            false => write!(out, " {number} {answer}")?,
        }
    }
    match met.mate_plies_at_most {
        Some(plies) => writeln!(out, " (mate in at most {})", counted_plies(plies)),
        None => writeln!(out),
    }
}

fn write_stage(
    told: &Account,
    number: usize,
    stage: &Stage,
    out: &mut impl Write,
) -> io::Result<()> {
    let own = told.owner;
    write!(out, "stage {number}: {}", stage.men)?;
    if stage.plies > 0 {
        let last = stage.from + stage.plies - 1;
        let name = |ply| move_number(ply, told.first).trim_end_matches('.').to_owned();
        match (name(stage.from), name(last)) {
            (from, to) if from == to => write!(out, ", move {from}")?,
            (from, to) => write!(out, ", moves {from} to {to}")?,
        }
    }
    writeln!(out, "{}", if stage.locked { "; no pawn can move" } else { "" })?;
    if stage.king.len() > 1 {
        wrapped(&format!("{own}'s king:"), stage.king.iter().map(String::as_str), "  ", out)?;
    }
    if !stage.pawns.is_empty() {
        wrapped("pawn moves:", stage.pawns.iter().map(String::as_str), "  ", out)?;
    }
    if let Some(end) = &stage.end {
        writeln!(out, "  ended by {end}")?;
    }
    writeln!(
        out,
        "  over all replies: {}, {}",
        counted(stage.positions, "position", "positions"),
        counted(stage.placements, "placement of the pawns", "placements of the pawns"),
    )?;
    for side in [own, own.other()] {
        let exits: Vec<_> = stage.exits.iter().filter(|exit| exit.side == side).collect();
        let named = exits.iter().take(EXITS);
        let mut words: Vec<String> =
            named.map(|exit| format!("{} ({}),", exit.what, exit.times)).collect();
        let Some(last) = words.last_mut() else { continue };
        last.pop();
        if let Some(left) = exits.len().checked_sub(EXITS).filter(|left| *left > 0) {
            words.push(format!("and {left} other ways"));
        }
        wrapped(&format!("{side} leaves it:"), words.iter().map(String::as_str), "  ", out)?;
    }
    Ok(())
}
