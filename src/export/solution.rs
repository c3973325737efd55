//! A mate as composers write it ([`crate::solve::Attack`]), as indented text.

use super::counted;
use crate::chess::{Side, move_number};
use crate::solve::{Attack, Defence, Menace};
use std::io::{self, Write};

/// Writes the key with `!` where it is the only one, the threat or "zugzwang", every defence that
/// the threat does not meet with its answer, and the others as "any other". Moves in brackets mate
/// as soon.
///
/// # Errors
/// Those of `out`.
pub fn write(side: Side, key: &Attack, out: &mut impl Write) -> io::Result<()> {
    let moves = u64::from(key.plies).div_ceil(2);
    writeln!(out, "{side} mates in {}", counted(moves, "move", "moves"))?;
    let mark = if key.also.is_empty() { "!" } else { "" };
    let mut printer = Printer { side, out };
    printer.attack(key, mark, 0, 0)
}

struct Printer<'a, W> {
    side: Side,
    out: &'a mut W,
}

impl<W: Write> Printer<'_, W> {
    fn number(&self, ply: u32) -> String {
        move_number(ply, self.side) + " "
    }

    /// An attacking move at the end of a line, and what follows further in.
    fn attack(&mut self, told: &Attack, mark: &str, ply: u32, indent: usize) -> io::Result<()> {
        let also = match &told.also[..] {
            [] => String::new(),
            list => format!(" ({})", list.join(", ")),
        };
        write!(self.out, "{}{}{mark}{also}", self.number(ply), told.san)?;
        match &told.menace {
            Menace::Check => writeln!(self.out)?,
            Menace::Zugzwang => writeln!(self.out, " zugzwang")?,
            Menace::Threat(threat) => {
                writeln!(self.out, " threatens {}{}", self.number(ply + 2), threat.san)?
            }
        }
        for Defence { sans, answer } in &told.defences {
            let number = self.number(ply + 1);
            write!(self.out, "{:indent$}{number}{} ", "", sans.join(", "), indent = indent + 2)?;
            self.attack(answer, "", ply + 2, indent + 2)?;
        }
        if let Menace::Threat(threat) = &told.menace
            && told.others > 0
        {
            let any = if told.defences.is_empty() { "any" } else { "any other" };
            let number = self.number(ply + 1);
            write!(self.out, "{:indent$}{number}{any} ", "", indent = indent + 2)?;
            self.attack(threat, "", ply + 2, indent + 2)?;
        }
        Ok(())
    }
}
