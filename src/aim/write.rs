//! Atoms as text, in the spelling that [`super::Aim::parse`] reads and that names the variables of
//! a formula.

use super::Aim;
use super::atom::{Atom, Comparison, Sum, Term};
use crate::chess::{Side, code};
use crate::ctl::{Syntax, to_text};
use std::fmt::{self, Display, Formatter};

/// The formula in plain letters, with no more brackets than it needs.
impl Display for Aim {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&to_text(&self.arena, self.formula, Syntax::Ascii))
    }
}

/// An atom as it is written.
pub(super) struct Spelled<'a>(pub(super) &'a Atom);

impl Display for Spelled<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Atom::ToMove(side) => write!(f, "{}_to_move", word(*side)),
            Atom::Mate(side) => write!(f, "mate({})", word(*side)),
            Atom::Stalemate => f.write_str("stalemate"),
            Atom::Check(side) => write!(f, "check({})", word(*side)),
            Atom::On(man, square) => write!(f, "on({}, {})", letter(*man), Name(*square)),
            Atom::Attacked(square, side) => {
                write!(f, "attacked({}, {})", Name(*square), word(*side))
            }
            Atom::CanCastle(side, wing) => {
                let king = usize::from(*wing == 2);
                let right = match side {
                    Side::White => ['Q', 'K'][king],
                    Side::Black => ['q', 'k'][king],
                };
                write!(f, "can_castle({right})")
            }
            Atom::Compare(left, comparison, right) => {
                sum(f, left)?;
                write!(f, " {} ", sign(*comparison))?;
                sum(f, right)
            }
        }
    }
}

fn sum(f: &mut Formatter<'_>, sum: &Sum) -> fmt::Result {
    for (at, (minus, term)) in sum.0.iter().enumerate() {
        // The first term of a sum is never subtracted.
        if at > 0 {
            f.write_str(if *minus { " - " } else { " + " })?;
        }
        match term {
            Term::Number(number) => write!(f, "{number}")?,
            Term::Count(man) => write!(f, "count({})", letter(*man))?,
            Term::Material(side) => write!(f, "material({})", word(*side))?,
        }
    }
    Ok(())
}

fn sign(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Less => "<",
        Comparison::LessEqual => "<=",
        Comparison::Equal => "=",
        Comparison::GreaterEqual => ">=",
        Comparison::Greater => ">",
    }
}

fn word(side: Side) -> &'static str {
    match side {
        Side::White => "white",
        Side::Black => "black",
    }
}

/// The letter of a man's code 1..=12.
fn letter(man: u8) -> char {
    code::LETTERS.get(usize::from(man).wrapping_sub(1)).map_or('?', |&letter| letter as char)
}

/// The name of a square 1..=64.
struct Name(u8);

impl Display for Name {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let at = self.0.wrapping_sub(1) & 63;
        write!(f, "{}{}", (b'a' + at % 8) as char, at / 8 + 1)
    }
}
