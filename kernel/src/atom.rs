//! Chess atoms and their truth on a position.

use super::attack::{F_K, attacked, safe_black_king, safe_white_king};
use super::legal::Side;
use super::moves::{black_moves, white_moves};
use super::vector::{Move, Profile, Vector, code};

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
    /// `flights(side)`: the squares next to its king that hold no man of its own and are not attacked
    /// once the king has left, whoever is to move. At most about 400 ns.
    Flights(Side),
    /// `moves(side)`: its legal moves, were it its turn: castling among them, a promotion once for
    /// each man that the pawn may become, en passant where the mark is its own. About 2 to 5 µs.
    Moves(Side),
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
                y.squares().iter().filter_map(|&c| WORTH.get(kind(c, *side))).sum()
            }
            Self::Flights(side) => flights(y, *side),
            Self::Moves(side) => mobility(y, *side),
        }
    }
}

/// Which of a side's men K Q R B N P, from 0 on, a code stands for; of no man of its, a larger number.
fn kind(c: u8, side: Side) -> usize {
    let first = if side == Side::White { code::KING } else { code::KING + code::BLACK };
    usize::from(c.wrapping_sub(first))
}

fn flights(y: &Vector, side: Side) -> i64 {
    let Some(at) = y.squares().iter().position(|&c| kind(c, side) == 0) else { return 0 };
    let mut left = *y;
    left[at + 1] = code::EMPTY;
    let is_flight = |to: &&u8| {
        let to = usize::from(**to);
        to != 0 && kind(left[to], side) >= WORTH.len() && !attacked(&left, to, side == Side::Black)
    };
    F_K[at + 1].iter().filter(is_flight).count() as i64
}

fn mobility(y: &Vector, side: Side) -> i64 {
    let mut count = 0;
    let mut one = |_: Move, _: &Vector| count += 1;
    match side {
        Side::White => white_moves(Profile::Fide, y, &mut one),
        Side::Black => black_moves(Profile::Fide, y, &mut one),
    }
    count
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
    /// At most about 100 ns, 400 ns more for each term `flights` and 5 µs for each `moves`.
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
    /// All five.
    pub const ALL: [Self; 5] =
        [Self::Less, Self::LessEqual, Self::Equal, Self::GreaterEqual, Self::Greater];

    /// How it is written.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Equal => "=",
            Self::GreaterEqual => ">=",
            Self::Greater => ">",
        }
    }

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

    /// Reads an atom as a certificate writes it: as [`Atom::words`].
    pub(crate) fn read(text: &str) -> Option<Self> {
        if let Some((_, atom)) = FIXED.iter().find(|(fixed, _)| *fixed == text) {
            return Some(atom.clone());
        }
        let words: Vec<&str> = text.split(' ').collect();
        let atom = match words[..] {
            ["on", man, square] => Self::On(read_man(man)?, read_square(square)?),
            ["attacked", square, "white"] => Self::Attacked(read_square(square)?, Side::White),
            ["attacked", square, "black"] => Self::Attacked(read_square(square)?, Side::Black),
            ["compare", ref words @ ..] => {
                let sign = |word: &&str| Comparison::ALL.into_iter().find(|c| c.sign() == *word);
                let at = words.iter().position(|word| sign(word).is_some())?;
                let (left, right) = (read_sum(&words[..at])?, read_sum(&words[at + 1..])?);
                Self::Compare(left, sign(&words[at])?, right)
            }
            _ => return None,
        };
        Some(atom)
    }

    /// The words of an atom in a certificate.
    pub(crate) fn words(&self) -> String {
        let square = |s: u8| Move::new(s.wrapping_sub(1), 0, 0).to_string()[..2].to_string();
        match self {
            Self::On(man, at) => format!("on {} {}", letter(*man), square(*at)),
            Self::Attacked(at, Side::White) => format!("attacked {} white", square(*at)),
            Self::Attacked(at, Side::Black) => format!("attacked {} black", square(*at)),
            Self::Compare(left, comparison, right) => {
                format!("compare {} {} {}", left.words(), comparison.sign(), right.words())
            }
            fixed => {
                let found = FIXED.iter().find(|(_, atom)| atom == fixed);
                found.map_or_else(String::new, |(words, _)| words.to_string())
            }
        }
    }
}

/// The atoms that are always written alike.
const FIXED: [(&str, Atom); 11] = [
    ("white_to_move", Atom::ToMove(Side::White)),
    ("black_to_move", Atom::ToMove(Side::Black)),
    ("mate white", Atom::Mate(Side::White)),
    ("mate black", Atom::Mate(Side::Black)),
    ("stalemate", Atom::Stalemate),
    ("check white", Atom::Check(Side::White)),
    ("check black", Atom::Check(Side::Black)),
    ("can_castle K", Atom::CanCastle(Side::White, 2)),
    ("can_castle Q", Atom::CanCastle(Side::White, 1)),
    ("can_castle k", Atom::CanCastle(Side::Black, 2)),
    ("can_castle q", Atom::CanCastle(Side::Black, 1)),
];

impl Sum {
    fn words(&self) -> String {
        let word = |(minus, term): &(bool, Term)| {
            let sign = if *minus { '-' } else { '+' };
            match term {
                Term::Number(number) => format!("{sign} {number}"),
                Term::Count(man) => format!("{sign} count {}", letter(*man)),
                Term::Material(Side::White) => format!("{sign} material white"),
                Term::Material(Side::Black) => format!("{sign} material black"),
                Term::Flights(Side::White) => format!("{sign} flights white"),
                Term::Flights(Side::Black) => format!("{sign} flights black"),
                Term::Moves(Side::White) => format!("{sign} moves white"),
                Term::Moves(Side::Black) => format!("{sign} moves black"),
            }
        };
        self.0.iter().map(word).collect::<Vec<_>>().join(" ")
    }
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

fn read_sum(mut words: &[&str]) -> Option<Sum> {
    let mut terms = Vec::new();
    while let [sign @ ("+" | "-"), rest @ ..] = words {
        let (term, after) = match rest {
            ["count", man, after @ ..] => (Term::Count(read_man(man)?), after),
            ["material", "white", after @ ..] => (Term::Material(Side::White), after),
            ["material", "black", after @ ..] => (Term::Material(Side::Black), after),
            ["flights", "white", after @ ..] => (Term::Flights(Side::White), after),
            ["flights", "black", after @ ..] => (Term::Flights(Side::Black), after),
            ["moves", "white", after @ ..] => (Term::Moves(Side::White), after),
            ["moves", "black", after @ ..] => (Term::Moves(Side::Black), after),
            [number, after @ ..] => {
                let value: i32 = number.parse().ok()?;
                (Term::Number((value.to_string() == *number).then_some(value)?), after)
            }
            [] => return None,
        };
        terms.push((*sign == "-", term));
        words = after;
    }
    words.is_empty().then_some(Sum(terms))
}
