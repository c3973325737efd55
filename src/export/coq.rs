//! A certificate as a theorem of Coq, proved by computation with the checker of `proof/`.
//!
//! What is written is not believed: Coq runs the proved checker on it. The theorem speaks of the
//! FEN and the claim that stand in its statement, and of nothing else in the file.

use crate::chess::{Packed, Side, fen};
use std::fmt;
use std::io::{self, Write};
use theta_kernel::{Certificate, Claim, Kind, Section};

/// Why a certificate cannot be written as a theorem.
#[derive(Debug)]
pub enum CoqError {
    /// The proved checker does not cover it: what it is that it does not know.
    NotCovered(&'static str),
    /// The writer's.
    Output(io::Error),
}

impl fmt::Display for CoqError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotCovered(what) => write!(f, "the proved checker does not cover {what}"),
            Self::Output(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CoqError {}

impl From<io::Error> for CoqError {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// Whether the proved checker covers a certificate.
///
/// # Errors
/// What it does not know.
pub fn covered(certificate: &Certificate<'_>) -> Result<(), CoqError> {
    if !certificate.rules.is_empty() {
        return Err(CoqError::NotCovered("rules"));
    }
    if !matches!(certificate.claim, Claim::Wins(..) | Claim::Holds(_) | Claim::Draw) {
        return Err(CoqError::NotCovered("this claim"));
    }
    if certificate.sections.iter().any(|section| section.kind == Kind::Never) {
        return Err(CoqError::NotCovered("closed sets"));
    }
    if certificate.sections.iter().any(|section| section.kind.is_by_slices()) {
        return Err(CoqError::NotCovered("sections by slices"));
    }
    Ok(())
}

/// Writes the theorem of a certificate of version 4: wins, holds and draws. Sections up to symmetry
/// stay so: Coq writes them out. An entry takes 24 bytes, with more than four men about 100.
///
/// # Errors
/// What the proved checker does not cover; the writer's.
pub fn write(certificate: &Certificate<'_>, out: &mut dyn Write) -> Result<(), CoqError> {
    covered(certificate)?;
    let text = fen(&certificate.root);
    let claim = match certificate.claim {
        Claim::Wins(side, plies) => format!("Wins {side} {plies}"),
        Claim::Holds(side) => format!("Holds {side}"),
        _ => "Draw".to_string(),
    };
    writeln!(out, "(** {text}: {}. *)\n", certificate.claim)?;
    out.write_all(
        b"From Coq Require Import Uint63 List String.\n\
          From Theta Require Import Games Rules Checker Certified.\n\
          Import ListNotations.\nOpen Scope uint63_scope.\n\n",
    )?;
    let mut sections = Vec::new();
    for (number, section) in certificate.sections.iter().enumerate() {
        let kind = if section.kind == Kind::Win { "Win" } else { "Hold" };
        write_entries(certificate, section, number, out)?;
        let entries = format!("entries_{number}");
        let folded = section.kind == Kind::Folded;
        let entries = if folded { format!("(unfolded {entries})") } else { entries };
        sections.push(format!("{kind} {} {entries}", section.owner));
    }
    writeln!(out, "Theorem proved : means (from_fen \"{text}\"%string) ({claim}).")?;
    writeln!(out, "Proof.\n  apply certified with (l := [{}]).", sections.join("; "))?;
    out.write_all(b"  vm_cast_no_check (eq_refl true).\nQed.\n\nPrint Assumptions proved.\n")?;
    Ok(())
}

/// Writes the entries of a section, in parts, since Coq reads long lists at great cost.
fn write_entries(
    certificate: &Certificate<'_>,
    section: &Section,
    number: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    const PART: usize = 1000;
    let mut parts = Vec::new();
    for (index, entry) in certificate.entries(section).enumerate() {
        if index % PART == 0 {
            let end = if index > 0 { "].\n\n" } else { "" };
            let name = format!("part_{number}_{}", parts.len());
            writeln!(out, "{end}Definition {name} : list entry := [")?;
            parts.push(name);
        } else {
            out.write_all(b";\n")?;
        }
        let bits = entry.play.map_or(0, |m| m.bits());
        match packed(&entry.position, bits) {
            Some(code) => write!(out, "  q {code}")?,
            None => write_entry(&entry.position, bits, out)?,
        }
    }
    let end = if parts.is_empty() { "" } else { "].\n\n" };
    let parts = parts.join("; ");
    writeln!(out, "{end}Definition entries_{number} : list entry := List.concat [{parts}].\n")
}

/// The code of a man on the proof's boards: Black's are 8 more than White's there, 6 more here.
fn man(code: u8) -> u8 {
    if code > 6 { code + 2 } else { code }
}

/// An entry of at most four men without castling rights as one number of 60 bits: four times square
/// and man, Black to move, the mark, the move. `q` of `proof/theories/Certified.v` reads it.
fn packed(p: &Packed, bits: u16) -> Option<u64> {
    let state = u64::from(p.state);
    if p.each_man().count() > 4 || state >> 1 & 15 != 0 {
        return None;
    }
    let men = (0..).zip(p.each_man()).fold(0, |sum, (place, (square, code))| {
        sum | (u64::from(square) | u64::from(man(code)) << 6) << (10 * place)
    });
    // At most one of the marks stands.
    let mark = (state >> 5 | state >> 9) & 15;
    Some(men | (state & 1) << 40 | mark << 41 | u64::from(bits) << 45)
}

fn write_entry(p: &Packed, bits: u16, out: &mut dyn Write) -> io::Result<()> {
    let mut rows = [0u32; 8];
    for (square, code) in p.each_man() {
        rows[usize::from(square >> 3)] |= u32::from(man(code)) << (4 * (square & 7));
    }
    let state = |shift: u32, mask: u16| p.state >> shift & mask;
    out.write_all(b"  e")?;
    rows.iter().try_for_each(|row| write!(out, " {row}"))?;
    let (white, black) = (state(5, 15), state(9, 15));
    let to_move = if p.white_to_move() { Side::White } else { Side::Black };
    write!(
        out,
        " {} {white} {black} {} {} {bits}",
        to_move == Side::Black,
        state(1, 3),
        state(3, 3)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn theorem(name: &str) -> Result<String, CoqError> {
        let path = format!("{}/kernel/tests/data/{name}.cert", env!("CARGO_MANIFEST_DIR"));
        let bytes = std::fs::read(path).unwrap();
        let mut out = Vec::new();
        write(&Certificate::read(&bytes).unwrap(), &mut out)?;
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn a_mate_in_one_is_one_entry() {
        let text = theorem("en-passant").unwrap();
        // Rooks e1, f1, the king h1; the pawns d5, e5; Nb7, Rh7; Ke8; the mark on the d file.
        assert!(
            text.contains("\n  e 271777792 0 0 0 450560 0 805306448 589824 false 0 4 0 0 "),
            "{text}"
        );
        assert!(text.contains(
            "Theorem proved : means (from_fen \"4k3/1N5R/8/3pP3/8/8/8/4RR1K w - d6\"%string) \
             (Wins White 1)."
        ));
        assert!(text.contains("certified with (l := [Win White entries_0])"));
    }

    #[test]
    fn a_draw_has_two_sections() {
        let text = theorem("dead").unwrap();
        assert!(text.contains("(Draw)"), "{text}");
        assert!(
            text.contains("[Hold White (unfolded entries_0); Hold Black (unfolded entries_1)]"),
            "{text}"
        );
    }

    #[test]
    fn what_the_proved_checker_does_not_cover_is_refused() {
        for name in ["rule-win", "shut-king", "can-both", "aim-queen"] {
            assert!(matches!(theorem(name), Err(CoqError::NotCovered(_))), "{name}");
        }
    }
}
