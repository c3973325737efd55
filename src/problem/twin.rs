//! Diagrams of problems, and their twins: the same diagram with a man moved, added or taken away.

use super::stipulation::{Bounded, Kind, Stipulation, StipulationError};
use crate::chess::{FenError, Position, Profile, Side, Vector, code};
use std::fmt;
use std::str::FromStr;

/// The men on the 64 squares, a1 to h8, as codes; 0 is an empty square. A diagram need not be a legal
/// position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Diagram {
    men: [u8; 64],
}

/// A change of a diagram or of its stipulation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// The man on the first square stands on the second: `move a4 c2`. What stood there is gone.
    Move(u8, u8),
    /// The men on two squares change places: `exchange a4 c2`.
    Exchange(u8, u8),
    /// A man, by its FEN letter, is added: `add n f1`.
    Add(u8, u8),
    /// The man on a square is taken away: `remove h2`.
    Remove(u8),
    /// Something else is asked for: `stipulation h#2`.
    Ask(Stipulation),
}

/// What is wrong with a twin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TwinError {
    /// No change that is known.
    #[error(
        "`{0}` is no twin; write move a4 c2, exchange a4 c2, add n f1, remove h2 or stipulation h#2"
    )]
    Unknown(String),
    /// No square.
    #[error("`{0}` is no square")]
    Square(String),
    /// No letter of a man.
    #[error("`{0}` is no man; write one of KQRBNPkqrbnp")]
    Man(String),
    /// The stipulation.
    #[error(transparent)]
    Stipulation(#[from] StipulationError),
    /// Nobody stands there.
    #[error("no man stands on {0}")]
    Empty(String),
}

/// The name of a square, 0 (a1) to 63 (h8).
fn name(square: u8) -> String {
    format!("{}{}", (b'a' + square % 8) as char, square / 8 + 1)
}

/// Reads the name of a square.
pub(super) fn read_square(text: &str) -> Result<u8, TwinError> {
    match *text.to_ascii_lowercase().as_bytes() {
        [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => Ok((rank - b'1') * 8 + (file - b'a')),
        _ => Err(TwinError::Square(text.chars().take(20).collect())),
    }
}

impl FromStr for Edit {
    type Err = TwinError;

    fn from_str(text: &str) -> Result<Self, TwinError> {
        let unknown = || TwinError::Unknown(text.chars().take(60).collect());
        let words: Vec<&str> = text.split_whitespace().collect();
        let word = words.first().map(|word| word.to_ascii_lowercase()).unwrap_or_default();
        match (word.as_str(), &words[1.min(words.len())..]) {
            ("move", [from, to]) => Ok(Self::Move(read_square(from)?, read_square(to)?)),
            ("exchange", [one, other]) => {
                Ok(Self::Exchange(read_square(one)?, read_square(other)?))
            }
            ("add", [man, at]) => {
                let code = match man.as_bytes() {
                    [letter] => code::LETTERS.iter().position(|known| known == letter),
                    _ => None,
                };
                let code = code.ok_or_else(|| TwinError::Man(man.chars().take(20).collect()))?;
                Ok(Self::Add(code as u8 + 1, read_square(at)?))
            }
            ("remove", [at]) => Ok(Self::Remove(read_square(at)?)),
            ("stipulation", asked) if !asked.is_empty() => Ok(Self::Ask(asked.concat().parse()?)),
            _ => Err(unknown()),
        }
    }
}

impl fmt::Display for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = |man: u8| char::from(code::LETTERS[usize::from(man) - 1]);
        match self {
            Self::Move(from, to) => write!(f, "move {} {}", name(*from), name(*to)),
            Self::Exchange(one, other) => write!(f, "exchange {} {}", name(*one), name(*other)),
            Self::Add(man, at) => write!(f, "add {} {}", letter(*man), name(*at)),
            Self::Remove(at) => write!(f, "remove {}", name(*at)),
            Self::Ask(stipulation) => write!(f, "stipulation {stipulation}"),
        }
    }
}

impl From<&Position> for Diagram {
    fn from(position: &Position) -> Self {
        let mut men = [0; 64];
        men.copy_from_slice(position.vector().squares());
        Self { men }
    }
}

impl Diagram {
    /// An empty board.
    pub fn empty() -> Self {
        Self { men: [0; 64] }
    }

    /// The code of the man on a square, 0 (a1) to 63 (h8); 0 where it is empty.
    pub fn man(&self, square: u8) -> u8 {
        self.men[usize::from(square)]
    }

    /// Puts a man of this code on a square.
    pub fn put(&mut self, square: u8, man: u8) {
        self.men[usize::from(square)] = man;
    }

    /// Changes the men. A change of the stipulation changes nothing here.
    ///
    /// # Errors
    /// Where no man stands that is to be moved or taken away.
    pub fn edit(&mut self, edit: &Edit) -> Result<(), TwinError> {
        let stands = |men: &[u8; 64], at: u8| match men[usize::from(at)] {
            0 => Err(TwinError::Empty(name(at))),
            man => Ok(man),
        };
        match *edit {
            Edit::Move(from, to) => {
                let man = stands(&self.men, from)?;
                self.put(from, 0);
                self.put(to, man);
            }
            Edit::Exchange(one, other) => {
                let (a, b) = (stands(&self.men, one)?, stands(&self.men, other)?);
                self.put(one, b);
                self.put(other, a);
            }
            Edit::Add(man, at) => self.put(at, man),
            Edit::Remove(at) => {
                stands(&self.men, at)?;
                self.put(at, 0);
            }
            Edit::Ask(_) => {}
        }
        Ok(())
    }

    /// The legal position with this side to move. Castling is possible where king and rook stand at
    /// home, composers' convention; or as the four letters of a FEN say.
    ///
    /// # Errors
    /// What is not legal in it.
    pub fn position(&self, side: Side, castling: Option<&str>) -> Result<Position, FenError> {
        self.after(side, castling, None)
    }

    /// The same after a pawn's double step over this square.
    ///
    /// # Errors
    /// As [`Diagram::position`]; and where no such step can have been made.
    pub fn after(
        &self,
        side: Side,
        castling: Option<&str>,
        passed: Option<u8>,
    ) -> Result<Position, FenError> {
        let mut text = String::new();
        for rank in (0..8).rev() {
            let mut gap = 0;
            for file in 0..8 {
                match self.men[rank * 8 + file] {
                    0 => gap += 1,
                    man => {
                        if gap > 0 {
                            text.push_str(&gap.to_string());
                        }
                        gap = 0;
                        text.push(code::LETTERS[usize::from(man) - 1].into());
                    }
                }
            }
            if gap > 0 {
                text.push_str(&gap.to_string());
            }
            text.push(if rank > 0 { '/' } else { ' ' });
        }
        text.push(if side == Side::White { 'w' } else { 'b' });
        let rights: String = match castling {
            Some(wanted) => wanted.chars().filter(|&c| self.at_home(c)).collect(),
            None => "KQkq".chars().filter(|&c| self.at_home(c)).collect(),
        };
        text.push(' ');
        text.push_str(if rights.is_empty() { "-" } else { &rights });
        text.push(' ');
        text.push_str(&passed.map_or_else(|| "-".into(), name));
        Position::parse(&text, Profile::Fide)
    }

    /// Whether king and rook stand where this castling right wants them.
    fn at_home(&self, right: char) -> bool {
        let (rank, king, rook) = match right.is_ascii_uppercase() {
            true => (0, b'K', b'R'),
            false => (56, b'k', b'r'),
        };
        let file = if right.eq_ignore_ascii_case(&'k') { 7 } else { 0 };
        let is = |square: usize, letter: u8| {
            let man = usize::from(self.men[square]);
            man > 0 && code::LETTERS[man - 1] == letter
        };
        is(rank + 4, king) && is(rank + file, rook)
    }
}

/// The castling letters of a position's FEN.
pub fn castling_of(y: &Vector) -> String {
    let text = crate::chess::fen(y);
    text.split(' ').nth(2).unwrap_or("-").to_string()
}

/// The side that begins in composers' diagrams, which name no side to move.
pub fn usual_mover(stipulation: &Stipulation) -> Side {
    let Stipulation::Bounded(Bounded { kind, half, .. }) = *stipulation else { return Side::White };
    match kind {
        Kind::Help if !half => Side::Black,
        Kind::HelpSelf if half => Side::Black,
        Kind::SeriesHelp => Side::Black,
        _ => Side::White,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twins_are_read_and_made() {
        let root: Position = "8/8/8/8/8/2K5/1Q6/k7 b - -".parse().unwrap();
        let mut diagram = Diagram::from(&root);
        for text in ["move b2 h8", "exchange h8 a1", "add r e8", "remove e8", "add P d2"] {
            let edit: Edit = text.parse().unwrap();
            assert_eq!(edit.to_string(), text);
            diagram.edit(&edit).unwrap();
        }
        let made = diagram.position(Side::White, None).unwrap();
        assert_eq!(made.to_string(), "7k/8/8/8/8/2K5/3P4/Q7 w - -");
        assert_eq!("stipulation h#2".parse::<Edit>().unwrap().to_string(), "stipulation h#2");
        for text in ["", "turn a1", "move a1", "move a9 b1", "add x a1", "stipulation x#1"] {
            assert!(text.parse::<Edit>().is_err(), "{text}");
        }
        assert_eq!(diagram.edit(&Edit::Remove(63 - 8)), Err(TwinError::Empty("h7".into())));
    }

    #[test]
    fn castling_is_possible_at_home() {
        let root: Position = "r3k3/8/8/8/8/8/8/4K2R w - -".parse().unwrap();
        let diagram = Diagram::from(&root);
        let fen = |castling| diagram.position(Side::White, castling).unwrap().to_string();
        assert!(fen(None).ends_with("w Kq -"));
        assert!(fen(Some("q")).ends_with("w q -"));
        assert!(fen(Some("-")).ends_with("w - -"));
    }
}
