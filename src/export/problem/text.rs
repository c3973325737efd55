//! Solutions as text, the moves of each variation on a line.

use super::Letters;
use crate::chess::Side;
use crate::export::counted;
use crate::problem::{Attack, Kind, Ply, Solution, Solved, Status, Variation};
use std::io::{self, Write};

/// Writes set play, tries, keys or lines, and the verdict.
///
/// # Errors
/// Those of `out`.
pub fn write(solved: &Solved, letters: Letters, out: &mut impl Write) -> io::Result<()> {
    write_play(solved, letters, out)?;
    writeln!(out, "{}", verdict(solved))
}

/// Writes set play, tries, and keys or lines.
///
/// # Errors
/// Those of `out`.
pub fn write_play(solved: &Solved, letters: Letters, out: &mut impl Write) -> io::Result<()> {
    let mut printer = Printer { solved, letters, out };
    printer.set_play()?;
    for told in &solved.tries {
        printer.attack(told, 0, "?", 0)?;
    }
    for solution in &solved.short {
        printer.solution(solution, None)?;
    }
    // What is short is a solution within the full length too, where the aim counts early.
    let told = if solved.stipulation.kind.is_adversarial() && !solved.short.is_empty() {
        &[][..]
    } else {
        &solved.solutions[..]
    };
    let numbered = told.len() > 1 && !solved.stipulation.kind.is_adversarial();
    for (index, solution) in told.iter().enumerate() {
        printer.solution(solution, numbered.then_some(index + 1))?;
    }
    if solved.more {
        writeln!(printer.out, "and more")?;
    }
    Ok(())
}

/// Whether it is sound, and what is wrong where it is not, in one line.
pub fn verdict(solved: &Solved) -> String {
    let adversarial = solved.stipulation.kind.is_adversarial();
    let many = |count: usize| match adversarial {
        true => counted(count as u64, "key", "keys"),
        false => counted(count as u64, "solution", "solutions"),
    };
    let more = if solved.more { "more than " } else { "" };
    let found = format!("{more}{}", many(solved.solutions.len()));
    let intended = solved.intended;
    let stop = solved.stop.map_or_else(String::new, |stop| format!(" ({stop})"));
    let said = match solved.status() {
        Status::Sound => format!("C+: {found}"),
        Status::Dual => {
            format!("C+: {found}, {}", counted(solved.duals as u64, "dual", "duals"))
        }
        Status::Cook => format!("cook: {found}, {intended} intended"),
        Status::Missing => format!("{found}, {intended} intended"),
        Status::NoSolution => format!("no solution: {}", solved.stipulation),
        Status::ShortSolution => {
            let plies = solved.short_plies.unwrap_or_default();
            format!("short solution: {}", counted(plies as u64, "ply", "plies"))
        }
        Status::Undecided => return format!("undecided{stop}: {found} so far"),
    };
    if stop.is_empty() { said } else { format!("{said}; not all is told{stop}") }
}

struct Printer<'a, W> {
    solved: &'a Solved,
    letters: Letters,
    out: &'a mut W,
}

impl<W: Write> Printer<'_, W> {
    fn set_play(&mut self) -> io::Result<()> {
        if self.solved.set_variations.is_empty() && self.solved.set_lines.is_empty() {
            return Ok(());
        }
        writeln!(self.out, "set play")?;
        for variation in &self.solved.set_variations {
            self.variation(variation, 1, 2)?;
        }
        for solution in &self.solved.set_lines {
            write!(self.out, "  ")?;
            // The first half of the first move is left out.
            self.line(solution, 1)?;
        }
        Ok(())
    }

    /// The number before a ply, counted from the first one of the problem.
    fn number(&self, ply: usize) -> String {
        let stipulation = self.solved.stipulation;
        let series = stipulation.series_plies();
        if ply < series {
            return format!("{}.", ply + 1);
        }
        let at = if series > 0 { 2 * series - 1 + (ply - series) } else { ply };
        let at = at + usize::from(stipulation.half);
        format!("{}{}", at / 2 + 1, if at.is_multiple_of(2) { "." } else { "..." })
    }

    fn solution(&mut self, solution: &Solution, number: Option<usize>) -> io::Result<()> {
        if let Some(number) = number {
            write!(self.out, "{number}) ")?;
        }
        self.line(solution, 0)
    }

    fn line(&mut self, solution: &Solution, first: usize) -> io::Result<()> {
        for (index, ply) in solution.line.iter().enumerate() {
            let number = self.number(first + index);
            let space = if index > 0 { " " } else { "" };
            let told = self.letters.write(&ply.san);
            // After a move of its own pair the number is not repeated.
            if number.ends_with("...") && index > 0 {
                write!(self.out, "{space}{told}")?;
            } else {
                write!(self.out, "{space}{number}{told}")?;
            }
        }
        match &solution.play {
            None => writeln!(self.out),
            Some(play) => {
                if !solution.line.is_empty() {
                    write!(self.out, " ")?;
                }
                self.attack(play, first + solution.line.len(), "!", 0)
            }
        }
    }

    /// An attacking move, and what follows on further lines.
    fn attack(&mut self, told: &Attack, ply: usize, mark: &str, indent: usize) -> io::Result<()> {
        let number = self.number(ply);
        write!(self.out, "{number}{}{mark}", self.letters.write(&told.ply.san))?;
        self.follow(told, ply, indent)
    }

    /// What follows an attacking move that is written already.
    fn follow(&mut self, told: &Attack, ply: usize, indent: usize) -> io::Result<()> {
        match &told.threats[..] {
            [] if told.zugzwang && told.plies > 1 => writeln!(self.out, " zugzwang")?,
            [] => writeln!(self.out)?,
            threats => {
                write!(self.out, " threat ")?;
                self.choices(threats, ply + 2, indent + 4)?;
            }
        }
        for variation in &told.variations {
            self.variation(variation, ply + 1, indent + 2)?;
        }
        if !told.refutations.is_empty() {
            let refutations = self.plies(&told.refutations);
            writeln!(self.out, "{:indent$}  but {}{refutations}!", "", self.number(ply + 1))?;
        }
        Ok(())
    }

    fn plies(&self, plies: &[Ply]) -> String {
        let moves: Vec<String> =
            plies.iter().map(|ply| self.letters.write(&ply.san).to_string()).collect();
        moves.join(", ")
    }

    fn variation(&mut self, told: &Variation, ply: usize, indent: usize) -> io::Result<()> {
        let number = self.number(ply);
        write!(self.out, "{:indent$}{number}{}", "", self.plies(&told.defences))?;
        if told.reached {
            return writeln!(self.out, "{}", if told.short { " (short)" } else { "" });
        }
        write!(self.out, " ")?;
        if told.answers.len() > 1 {
            write!(self.out, "dual ")?;
        }
        self.choices(&told.answers, ply + 1, indent)
    }

    /// Moves of which any one will do: those that end the play on one line, others below each other.
    fn choices(&mut self, told: &[Attack], ply: usize, indent: usize) -> io::Result<()> {
        let ends = |a: &Attack| a.threats.is_empty() && a.variations.is_empty();
        let plies: Vec<Ply> = told.iter().filter(|a| ends(a)).map(|a| a.ply.clone()).collect();
        let mut begun = false;
        if !plies.is_empty() {
            writeln!(self.out, "{}{}", self.number(ply), self.plies(&plies))?;
            begun = true;
        }
        for attack in told.iter().filter(|a| !ends(a)) {
            if begun {
                write!(self.out, "{:indent$}  or ", "")?;
            }
            self.attack(attack, ply, "", indent)?;
            begun = true;
        }
        Ok(())
    }
}

/// Who plays what, in a few words: "White mates in 2", "Black begins a helpmate in 3".
pub fn task(solved: &Solved) -> String {
    let (mover, stipulation) = (solved.mover, solved.stipulation);
    let other = mover.other();
    let goal = stipulation.goal.word();
    let moves = match (stipulation.moves, stipulation.half) {
        (0, _) => "half a move".into(),
        (n, true) => format!("{n}.5 moves"),
        (n, false) => counted(n.into(), "move", "moves"),
    };
    let play = |side: Side| format!("{side} plays {moves} in a row");
    match stipulation.kind {
        Kind::Direct => format!("{mover} to play and {goal} in {moves}"),
        Kind::SelfPlay => format!("{mover} to play and compel {other} to {goal} in {moves}"),
        Kind::Reflex => {
            format!("{mover} to play and compel {other} to {goal} in {moves}; who can {goal} must")
        }
        Kind::SemiReflex => {
            format!(
                "{mover} to play and compel {other} to {goal} in {moves}; {other} must if it can"
            )
        }
        Kind::Help => {
            let mated = if stipulation.half { other } else { mover };
            format!("{mover} begins and helps {} to {goal} in {moves}", mated.other())
        }
        Kind::HelpSelf => {
            let compels = if stipulation.half { other } else { mover };
            let compelled = compels.other();
            format!(
                "{mover} begins; both help until {compels} compels {compelled} to {goal}, {moves}"
            )
        }
        Kind::Series => format!("{}, the last one to {goal}", play(mover)),
        Kind::SeriesHelp => format!("{}, then {other} can {goal}", play(mover)),
        Kind::SeriesSelf => format!("{}, then {other} must {goal}", play(mover)),
    }
}
