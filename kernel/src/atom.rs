//! Chess atoms and their truth on a position.

use super::attack::{attacked, safe_black_king, safe_white_king};
use super::legal::Side;
use super::vector::{Vector, code};
use std::fmt;

/// The most terms of a sum.
pub const MAX_TERMS: usize = 64;

/// A statement about one position.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Atom {
    /// `white_to_move`, `black_to_move`
    ToMove(Side),
    /// `mate(side)`: this side is mated (it is to move, in check and without a legal move).
    Mate(Side),
    /// `stalemate`: the side to move is not in check and has no legal move.
    Stalemate,
    /// `check(side)`: this side's king is attacked, whoever is to move.
    Check(Side),
    /// `on(P, e4)`: this man (the code of a square's contents) stands on this square (1..=64).
    On(u8, u8),
    /// `attacked(e4, side)`: a man of this side attacks the square (1..=64); pins do not matter,
    /// nor who stands there.
    Attacked(u8, Side),
    /// `can_castle(K)`: the side still has the right to castle to that wing (the bit of y67 or
    /// y68), as FEN has it.
    CanCastle(Side, u8),
    /// `count(q) <= 1`, `material(white) - material(black) >= 3`
    Compare(Sum, Comparison, Sum),
}

/// How two sums are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `=`
    Equal,
    /// `>=`
    GreaterEqual,
    /// `>`
    Greater,
}

/// A sum of terms, each added or (true) subtracted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Sum(pub Vec<(bool, Term)>);

/// A number that depends on the position.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Term {
    /// A number as written.
    Number(i32),
    /// `count(q)`: how many of these men (a code 1..=12) are on the board.
    Count(u8),
    /// `material(side)`: its men's worth, queen 9, rook 5, bishop and knight 3, pawn 1.
    Material(Side),
}

/// Worth of the codes K Q R B N P.
const WORTH: [i64; 6] = [0, 9, 5, 3, 3, 1];

impl Term {
    fn value(&self, y: &Vector) -> i64 {
        let count = |man: u8| y.squares().iter().filter(|&&c| c == man).count() as i64;
        match self {
            Self::Number(number) => i64::from(*number),
            Self::Count(man) => count(*man),
            Self::Material(side) => {
                let first =
                    if *side == Side::White { code::KING } else { code::KING + code::BLACK };
                y.squares()
                    .iter()
                    .filter_map(|c| WORTH.get(usize::from(c.wrapping_sub(first))))
                    .sum()
            }
        }
    }
}

impl Sum {
    fn value(&self, y: &Vector) -> i64 {
        self.0.iter().map(|(minus, term)| if *minus { -term.value(y) } else { term.value(y) }).sum()
    }
}

impl Atom {
    /// Whether its truth depends on there being a legal move.
    pub fn speaks_of_the_end(&self) -> bool {
        matches!(self, Self::Mate(_) | Self::Stalemate)
    }

    /// Whether its truth on this position depends on there being a legal move.
    pub(crate) fn asks_for_moves(&self, y: &Vector) -> bool {
        match self {
            Self::Mate(side) => Side::to_move(y) == *side && in_check(y, *side),
            Self::Stalemate => !in_check(y, Side::to_move(y)),
            _ => false,
        }
    }

    /// Its truth on a position, where `can_move` tells whether the side to move has a legal move.
    /// At most about 100 ns.
    pub fn holds(&self, y: &Vector, can_move: bool) -> bool {
        let to_move = Side::to_move(y);
        match self {
            Self::ToMove(side) => to_move == *side,
            Self::Mate(side) => to_move == *side && !can_move && in_check(y, *side),
            Self::Stalemate => !can_move && !in_check(y, to_move),
            Self::Check(side) => in_check(y, *side),
            Self::On(man, square) => y[usize::from(*square)] == *man,
            Self::Attacked(square, side) => attacked(y, usize::from(*square), *side == Side::White),
            Self::CanCastle(side, wing) => {
                y[if *side == Side::White { 67 } else { 68 }] & wing != 0
            }
            Self::Compare(left, comparison, right) => {
                comparison.holds(left.value(y), right.value(y))
            }
        }
    }
}

fn in_check(y: &Vector, side: Side) -> bool {
    match side {
        Side::White => !safe_white_king(y),
        Side::Black => !safe_black_king(y),
    }
}

impl Comparison {
    fn holds(self, left: i64, right: i64) -> bool {
        match self {
            Self::Less => left < right,
            Self::LessEqual => left <= right,
            Self::Equal => left == right,
            Self::GreaterEqual => left >= right,
            Self::Greater => left > right,
        }
    }
}

impl Atom {
    /// Whether its squares, men, wings and sums are such that [`Atom::holds`] can look at them.
    pub(crate) fn is_sound(&self) -> bool {
        let man = |c: u8| (1..=12).contains(&c);
        let square = |s: u8| (1..=64).contains(&s);
        let sum = |sum: &Sum| {
            let sound = |term: &Term| !matches!(term, Term::Count(c) if !man(*c));
            (1..=MAX_TERMS).contains(&sum.0.len()) && sum.0.iter().all(|(_, term)| sound(term))
        };
        match self {
            Self::On(c, s) => man(*c) && square(*s),
            Self::Attacked(s, _) => square(*s),
            Self::CanCastle(_, wing) => matches!(wing, 1 | 2),
            Self::Compare(left, _, right) => sum(left) && sum(right),
            Self::ToMove(_) | Self::Mate(_) | Self::Stalemate | Self::Check(_) => true,
        }
    }

    /// Reads an atom as a certificate of version 4 writes it: the words of [`Atom::words`].
    pub(crate) fn read(words: &[&str]) -> Option<Self> {
        let atom = match words {
            ["white_to_move"] => Self::ToMove(Side::White),
            ["black_to_move"] => Self::ToMove(Side::Black),
            ["mate", side] => Self::Mate(read_side(side)?),
            ["stalemate"] => Self::Stalemate,
            ["check", side] => Self::Check(read_side(side)?),
            ["on", man, square] => Self::On(read_man(man)?, read_square(square)?),
            ["attacked", square, side] => Self::Attacked(read_square(square)?, read_side(side)?),
            ["can_castle", "K"] => Self::CanCastle(Side::White, 2),
            ["can_castle", "Q"] => Self::CanCastle(Side::White, 1),
            ["can_castle", "k"] => Self::CanCastle(Side::Black, 2),
            ["can_castle", "q"] => Self::CanCastle(Side::Black, 1),
            ["compare", words @ ..] => {
                let at = words.iter().position(|word| read_comparison(word).is_some())?;
                let (left, right) = (read_sum(&words[..at])?, read_sum(&words[at + 1..])?);
                Self::Compare(left, read_comparison(words[at])?, right)
            }
            _ => return None,
        };
        atom.is_sound().then_some(atom)
    }

    /// As a certificate of version 4 writes it.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Compare(left, comparison, right) => {
                format!("compare {} {comparison} {}", left.words(), right.words())
            }
            other => other.to_string().replace(['(', ')', ','], " ").split_whitespace().fold(
                String::new(),
                |text, word| {
                    if text.is_empty() { word.into() } else { text + " " + word }
                },
            ),
        }
    }
}

impl Sum {
    fn words(&self) -> String {
        let word = |(minus, term): &(bool, Term)| {
            let sign = if *minus { '-' } else { '+' };
            match term {
                Term::Number(number) => format!("{sign} {number}"),
                Term::Count(man) => format!("{sign} count {}", letter(*man)),
                Term::Material(side) => format!("{sign} material {}", name(*side)),
            }
        };
        self.0.iter().map(word).collect::<Vec<_>>().join(" ")
    }
}

fn read_side(word: &str) -> Option<Side> {
    match word {
        "white" => Some(Side::White),
        "black" => Some(Side::Black),
        _ => None,
    }
}

fn name(side: Side) -> &'static str {
    if side == Side::White { "white" } else { "black" }
}

fn read_man(word: &str) -> Option<u8> {
    code::LETTERS.iter().position(|&l| word.as_bytes() == [l]).map(|at| at as u8 + 1)
}

fn letter(man: u8) -> char {
    code::LETTERS.get(usize::from(man).wrapping_sub(1)).map_or('?', |&l| l as char)
}

fn read_square(word: &str) -> Option<u8> {
    match word.as_bytes() {
        [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => Some(8 * (rank - b'1') + (file - b'a') + 1),
        _ => None,
    }
}

fn read_comparison(word: &str) -> Option<Comparison> {
    [
        Comparison::Less,
        Comparison::LessEqual,
        Comparison::Equal,
        Comparison::GreaterEqual,
        Comparison::Greater,
    ]
    .into_iter()
    .find(|c| c.to_string() == word)
}

fn read_sum(mut words: &[&str]) -> Option<Sum> {
    let mut terms = Vec::new();
    while let [sign, rest @ ..] = words {
        let minus = match *sign {
            "+" => false,
            "-" => true,
            _ => return None,
        };
        let (term, after) = match rest {
            ["count", man, after @ ..] => (Term::Count(read_man(man)?), after),
            ["material", side, after @ ..] => (Term::Material(read_side(side)?), after),
            [number, after @ ..] => {
                let value: i32 = number.parse().ok()?;
                (Term::Number((value.to_string() == *number).then_some(value)?), after)
            }
            [] => return None,
        };
        terms.push((minus, term));
        words = after;
    }
    Some(Sum(terms))
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Equal => "=",
            Self::GreaterEqual => ">=",
            Self::Greater => ">",
        })
    }
}

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (minus, term)) in self.0.iter().enumerate() {
            f.write_str(match (at, minus) {
                (0, false) => "",
                (0, true) => "0 - ",
                (_, false) => " + ",
                (_, true) => " - ",
            })?;
            match term {
                Term::Number(number) => write!(f, "{number}")?,
                Term::Count(man) => write!(f, "count({})", letter(*man))?,
                Term::Material(side) => write!(f, "material({})", name(*side))?,
            }
        }
        Ok(())
    }
}

/// As aims are written (`on(P, e4)`).
impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let square = |s: u8| {
            let s = s.wrapping_sub(1);
            format!("{}{}", (b'a' + s % 8) as char, (b'1' + s / 8 % 8) as char)
        };
        match self {
            Self::ToMove(side) => write!(f, "{}_to_move", name(*side)),
            Self::Mate(side) => write!(f, "mate({})", name(*side)),
            Self::Stalemate => f.write_str("stalemate"),
            Self::Check(side) => write!(f, "check({})", name(*side)),
            Self::On(man, at) => write!(f, "on({}, {})", letter(*man), square(*at)),
            Self::Attacked(at, side) => write!(f, "attacked({}, {})", square(*at), name(*side)),
            Self::CanCastle(side, wing) => {
                let right = if *wing == 2 { 'K' } else { 'Q' };
                let right = if *side == Side::White { right } else { right.to_ascii_lowercase() };
                write!(f, "can_castle({right})")
            }
            Self::Compare(left, comparison, right) => write!(f, "{left} {comparison} {right}"),
        }
    }
}
