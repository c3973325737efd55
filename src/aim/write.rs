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

impl Display for Atom {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::ToMove(side) => write!(f, "{}_to_move", word(*side)),
            Self::Mate(side) => write!(f, "mate({})", word(*side)),
            Self::Stalemate => f.write_str("stalemate"),
            Self::Check(side) => write!(f, "check({})", word(*side)),
            Self::On(man, square) => write!(f, "on({}, {})", letter(*man), Name(*square)),
            Self::Attacked(square, side) => {
                write!(f, "attacked({}, {})", Name(*square), word(*side))
            }
            Self::CanCastle(side, wing) => {
                let king = *wing == 2;
                let right = match side {
                    Side::White => ['Q', 'K'][usize::from(king)],
                    Side::Black => ['q', 'k'][usize::from(king)],
                };
                write!(f, "can_castle({right})")
            }
            Self::Compare(left, comparison, right) => write!(f, "{left} {comparison} {right}"),
        }
    }
}

impl Display for Sum {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (at, (minus, term)) in self.0.iter().enumerate() {
            // The first term of a sum is never subtracted.
            if at > 0 {
                f.write_str(if *minus { " - " } else { " + " })?;
            }
            write!(f, "{term}")?;
        }
        Ok(())
    }
}

impl Display for Term {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Count(man) => write!(f, "count({})", letter(*man)),
            Self::Material(side) => write!(f, "material({})", word(*side)),
        }
    }
}

impl Display for Comparison {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Equal => "=",
            Self::GreaterEqual => ">=",
            Self::Greater => ">",
        })
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
