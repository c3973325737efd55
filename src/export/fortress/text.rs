//! A fortress as text.

use super::super::counted;
use super::super::stages::wrapped;
use super::{Answer, Break, Ends, Fate, Fortress, Kind, Man, Squares};
use crate::chess::{Side, move_number};
use std::io::{self, Write};

/// Breaks of a kind that are named; the others are as many as is said.
const BREAKS: usize = 8;
/// Answers to a break that are named.
const ANSWERS: usize = 3;

/// Writes a fortress: what stands, what is tried against it, how lines end.
///
/// # Errors
/// Those of `out`.
pub fn write(told: &Fortress, out: &mut impl Write) -> io::Result<()> {
    let (owner, other) = (told.owner, told.owner.other());
    if told.dead {
        writeln!(
            out,
            "{owner} holds: no legal moves of both sides lead to a mate of {owner}'s king"
        )?;
        line("", "as long as nothing is taken and nothing promotes:", "", out)?;
        return men(told, out);
    }
    let positions = counted(told.positions, "position", "positions");
    let standing = &told.standing;
    if standing.positions > 0 && standing.checks == standing.positions {
        writeln!(out, "{owner} holds by perpetual check: a proof of {positions}")?;
    } else {
        writeln!(out, "{owner} holds a fortress: a proof of {positions}")?;
    }
    if let Some(first) = &told.first {
        writeln!(out, "plays: {} {first}", move_number(0, Side::to_move(&told.root)))?;
    }
    if !standing.entry.is_empty() {
        line("it stands after", &numbered(told).join(" "), "", out)?;
    }
    let outside = match told.outside() {
        0 => String::new(),
        _ => format!(" in {} of them", standing.positions),
    };
    let stands = format!(
        "it stands{outside}, no man of {owner}'s being taken and none of its pawns moving:"
    );
    line("", &stands, "", out)?;
    men(told, out)?;
    for (kind, title) in [
        (Kind::Takes, format!("captures by {other}")),
        (Kind::Offers, format!("offers by {other} that are accepted")),
        (Kind::Pawn, format!("moves of {other}'s pawns")),
    ] {
        let breaks: Vec<_> = told.breaks.iter().filter(|found| found.kind == kind).collect();
        if breaks.is_empty() {
            writeln!(out, "{title}: none")?;
            continue;
        }
        writeln!(out, "{title}, and what meets them:")?;
        breaks.iter().take(BREAKS).try_for_each(|found| write_break(found, out))?;
        if let Some(left) = breaks.len().checked_sub(BREAKS).filter(|left| *left > 0) {
            writeln!(out, "  and {}", counted(left as u64, "other", "others"))?;
        }
    }
    line("how lines end:", &ends(&told.ends), "", out)?;
    told.relies_on.iter().try_for_each(|text| line("relies on", text, "", out))
}

/// One or more lines of a title and a text.
fn line(title: &str, text: &str, indent: &str, out: &mut impl Write) -> io::Result<()> {
    let mut words = text.split(' ');
    let title = if title.is_empty() { words.next().unwrap_or_default() } else { title };
    wrapped(title, words, indent, out)
}

/// The moves to where it stands, with their numbers.
fn numbered(told: &Fortress) -> Vec<String> {
    let first = Side::to_move(&told.root);
    let number = |(ply, san): (usize, &String)| {
        let number = move_number(ply as u32, first);
        if ply > 0 && number.ends_with("...") { san.clone() } else { format!("{number} {san}") }
    };
    told.standing.entry.iter().enumerate().map(number).collect()
}

/// `king e1`, `rooks a1 h1`.
fn name(man: &Man) -> String {
    let all = man.home.len() as u32;
    let some = if man.count < all { format!("{} of the ", man.count) } else { String::new() };
    format!("{some}{}{} {}", man.kind, plural(man.home), man.home)
}

fn plural(men: Squares) -> &'static str {
    if men.len() > 1 { "s" } else { "" }
}

/// Where the owner's men are, and the other side's king and locked pawns.
fn men(told: &Fortress, out: &mut impl Write) -> io::Result<()> {
    let (standing, other) = (&told.standing, told.owner.other());
    for man in standing.men.iter().filter(|man| !man.is_still()) {
        let keeps = if man.count > 1 { "keep to" } else { "keeps to" };
        line(&format!("{} {keeps}", name(man)), &man.keeps_to.to_string(), "  ", out)?;
    }
    for man in standing.men.iter().filter(|man| man.is_still() && !man.is_pawn()) {
        writeln!(out, "  {} {} never moves", man.kind, man.keeps_to)?;
    }
    let still = standing.men.iter().filter(|man| man.is_still() && man.is_pawn());
    never_move("pawn", Squares(still.fold(0, |set, man| set | man.keeps_to.0)), out)?;
    line(&format!("{other}'s king reaches"), &standing.king.to_string(), "  ", out)?;
    never_move(&format!("{other}'s pawn"), standing.locked, out)
}

fn never_move(title: &str, pawns: Squares, out: &mut impl Write) -> io::Result<()> {
    let verb = if pawns.len() > 1 { "move" } else { "moves" };
    match pawns.is_empty() {
        true => Ok(()),
        false => line(&format!("{title}{} {pawns} never", plural(pawns)), verb, "  ", out),
    }
}

fn write_break(found: &Break, out: &mut impl Write) -> io::Result<()> {
    let several = found.answers.len() > 1;
    let mut words: Vec<String> =
        found.answers.iter().take(ANSWERS).map(|answer| in_words(answer, several)).collect();
    if let Some(left) = found.answers.len().checked_sub(ANSWERS).filter(|left| *left > 0) {
        words.push(format!("and {left} other ways"));
    }
    let times = counted(found.times, "position", "positions");
    line(&format!("{} ({times}):", found.play), &words.join("; "), "  ", out)
}

fn in_words(answer: &Answer, several: bool) -> String {
    let play = answer.play.as_deref().unwrap_or_default();
    let times = if several { format!(" ({})", answer.times) } else { String::new() };
    match (answer.fate, &answer.men) {
        (Fate::Stands, _) => format!("{play}{times}, the fortress stands"),
        (Fate::Falls, Some(men)) => format!("{play}{times}, held without it: {men}"),
        (Fate::Falls, None) => format!("{play}{times}, held without it"),
        (Fate::Stalemate, _) => format!("stalemate{times}"),
        (Fate::Over, _) => format!("{play}{times}, and the game is over"),
        (Fate::Harmless, _) => format!("{play}{times}, too little is left to mate"),
        (Fate::Cited, _) => format!("a rule or table that is cited{times}"),
    }
}

fn ends(ends: &Ends) -> String {
    let said = [
        (ends.stalemates, "in stalemate"),
        (ends.mates, "in mate of the other king"),
        (ends.harmless, "with too little left to mate"),
        (ends.cited, "by a rule or table that is cited"),
    ];
    let some = said.iter().filter(|(times, _)| *times > 0);
    let words: Vec<String> = some.map(|(times, how)| format!("{times} {how}")).collect();
    if words.is_empty() {
        "none does, all come back to where they were".to_owned()
    } else {
        format!("{}; the others come back to where they were", words.join(", "))
    }
}
