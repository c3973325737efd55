//! Chess atoms and their truth on a position.

use crate::chess::{Side, Vector, attacked, code, safe_black_king, safe_white_king};

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
