//! The conditions of rules: a small language of places, numbers and statements about a placement of
//! men.
//!
//! Distances in plies take the side to move into account, as page 4.6 asks: the king that is to
//! move gets where it wants one ply sooner. So two kings of different sides are never equally far,
//! and "closer" with `<` and with `≤` (the two scans differ) mean the same.

use crate::chess::Side;
use crate::chess::board::{Bitboard, Board, Piece, Rank, Role, Square, attacks};
use crate::tables::{Material, Placement};

/// A man of the material: its number in [`Material::men_in_order`].
pub type Man = u8;

/// Where something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// A man's square.
    Man(Man),
    /// A square.
    Square(Square),
    /// The square on which a pawn promotes if it goes straight on.
    Queening(Man),
    /// The square in front of a pawn.
    Ahead(Man),
}

/// A number.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Number {
    /// As written; files a–h are 1–8.
    Constant(i32),
    /// `file(X)`, 1 to 8.
    File(Place),
    /// `rank(X)`, 1 to 8.
    Rank(Place),
    /// `distance(X, Y)`: a king's moves on an empty board.
    Distance(Place, Place),
    /// `plies(K, X)`: the ply, counted from now, with which this king arrives on an empty board; 0
    /// or −1 when it is there.
    Plies(Man, Place),
    /// `plies to rank(K, n)`: the same for a rank.
    PliesToRank(Man, i32),
    /// `moves(P)`: the moves the pawn needs to promote on an empty board, its double step used.
    Moves(Man),
    /// `queens(P)`: the ply, counted from now, with which it promotes if it only runs.
    Queens(Man),
    /// A sum.
    Plus(Box<Number>, Box<Number>),
    /// A difference.
    Minus(Box<Number>, Box<Number>),
}

/// How two numbers are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `>=`
    GreaterEqual,
    /// `>`
    Greater,
}

/// A statement about a position.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Condition {
    /// Always true.
    True,
    /// `white to move`, `black to move`
    ToMove(bool),
    /// `white in check`, `black in check`
    Check(bool),
    /// `stalemate`: the side to move has no move and is not in check.
    Stalemate,
    /// `kings in opposition`: two apart on a rank, file or diagonal.
    Opposition,
    /// `kings in distant opposition`: four or six apart on a rank, file or diagonal.
    DistantOpposition,
    /// `en passant`: a pawn can be captured en passant now.
    EnPassant,
    /// `X on {e4, h8}`
    On(Place, Bitboard),
    /// `k in square of P`: on an empty board the king catches the pawn that only runs.
    InSquare(Man, Man),
    /// `k closer to P than K`: it would arrive sooner.
    Closer(Man, Place, Man),
    /// `X attacked by white`: a man of the side attacks the place (pins do not matter).
    Attacked(Place, bool),
    /// `X beside Y`: a king's move apart.
    Beside(Place, Place),
    /// `X in front of P`: on the pawn's file, ahead of it.
    InFront(Place, Man),
    /// `P queens with check`: a queen on the queening square, the other men where they are, attacks
    /// the enemy king.
    QueensWithCheck(Man),
    /// `queen of P falls to queen of p`: with queens on both queening squares, `p`'s side to move
    /// can check `P`'s king from a safe square and attack `P`'s queen at once, or take it.
    QueenFalls(Man, Man),
    /// A comparison, `1 <= x <= 3` among them: pairs of neighbours must compare.
    Compare(Vec<Number>, Vec<Comparison>),
    /// Not.
    Not(Box<Condition>),
    /// All of them.
    All(Vec<Condition>),
    /// One of them at least.
    Any(Vec<Condition>),
}

impl Comparison {
    fn opposite(self) -> Self {
        match self {
            Self::Less => Self::GreaterEqual,
            Self::LessEqual => Self::Greater,
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::GreaterEqual => Self::Less,
            Self::Greater => Self::LessEqual,
        }
    }

    fn holds(self, left: i32, right: i32) -> bool {
        match self {
            Self::Less => left < right,
            Self::LessEqual => left <= right,
            Self::Equal => left == right,
            Self::NotEqual => left != right,
            Self::GreaterEqual => left >= right,
            Self::Greater => left > right,
        }
    }
}

/// A placement seen by the conditions: with its pieces. Built once a material, lent to every
/// evaluation.
#[derive(Debug, Clone)]
pub struct Scene {
    /// The material.
    pub material: Material,
    pieces: Vec<Piece>,
}

fn distance(a: Square, b: Square) -> i32 {
    a.distance(b) as i32
}

impl Scene {
    /// The scene of a material.
    pub fn new(material: Material) -> Self {
        Self { material, pieces: material.men_in_order() }
    }

    /// The men, in the order in which conditions number them.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    fn piece(&self, man: Man) -> Piece {
        self.pieces[usize::from(man)]
    }

    fn occupied(&self, p: &Placement) -> Bitboard {
        p.squares[..self.pieces.len()].iter().copied().collect()
    }

    fn up(&self, pawn: Man) -> i32 {
        self.piece(pawn).side.pick(8, -8)
    }

    fn queening(&self, p: &Placement, pawn: Man) -> Square {
        let rank = self.piece(pawn).side.pick(Rank::Eighth, Rank::First);
        Square::from_coords(p.squares[usize::from(pawn)].file(), rank)
    }

    fn square(&self, p: &Placement, place: Place) -> Square {
        match place {
            Place::Man(man) => p.squares[usize::from(man)],
            Place::Square(square) => square,
            Place::Queening(pawn) => self.queening(p, pawn),
            Place::Ahead(pawn) => {
                let square = p.squares[usize::from(pawn)];
                square.offset(self.up(pawn)).unwrap_or(square)
            }
        }
    }

    /// Plies of `moves` moves by a side, counted from now.
    fn plies(&self, p: &Placement, side: Side, moves: i32) -> i32 {
        2 * moves - i32::from(p.to_move == side)
    }

    /// The moves a pawn needs.
    fn moves(&self, p: &Placement, pawn: Man) -> i32 {
        let square = p.squares[usize::from(pawn)];
        let rank = self.piece(pawn).side.pick(square.rank(), square.rank().flip_vertical()) as i32;
        (7 - rank).min(5)
    }

    fn in_square(&self, p: &Placement, king: Man, pawn: Man) -> bool {
        let far = distance(p.squares[usize::from(king)], self.queening(p, pawn));
        let first = p.to_move == self.piece(king).side;
        far - i32::from(first) <= self.moves(p, pawn)
    }

    fn attacked(&self, p: &Placement, at: Square, by: Side, occupied: Bitboard) -> bool {
        self.pieces.iter().zip(p.squares).any(|(&piece, from)| {
            piece.side == by && from != at && attacks::attacks(from, piece, occupied).contains(at)
        })
    }

    fn in_check(&self, p: &Placement, side: Side) -> bool {
        self.attacked(p, p.squares[side.pick(0, 1)], side.other(), self.occupied(p))
    }

    /// A queen of `pawn`'s side on its queening square, the pawn gone.
    fn promoted(&self, p: &Placement, pawn: Man) -> (Square, Bitboard) {
        let at = self.queening(p, pawn);
        let mut occupied = self.occupied(p);
        occupied.discard(p.squares[usize::from(pawn)]);
        occupied.add(at);
        (at, occupied)
    }

    fn queens_with_check(&self, p: &Placement, pawn: Man) -> bool {
        let (at, occupied) = self.promoted(p, pawn);
        let king = p.squares[self.piece(pawn).side.pick(1, 0)];
        at != king && attacks::queen_attacks(at, occupied).contains(king)
    }

    fn queen_falls(&self, p: &Placement, pawn: Man, other: Man) -> bool {
        let (king, theirs): (usize, usize) = self.piece(pawn).side.pick((0, 1), (1, 0));
        let (king, theirs) = (p.squares[king], p.squares[theirs]);
        let (mine, hunter) = (self.queening(p, pawn), self.queening(p, other));
        let mut occupied = self.occupied(p);
        for man in [pawn, other] {
            occupied.discard(p.squares[usize::from(man)]);
        }
        let occupied = occupied | Bitboard::from(mine) | Bitboard::from(hunter);
        let reach = attacks::queen_attacks(hunter, occupied);
        if reach.contains(mine) {
            return true;
        }
        let without = occupied & !Bitboard::from(hunter);
        let safe = |s: Square| {
            let taken_by_king = distance(s, king) == 1 && distance(s, theirs) > 1;
            !taken_by_king && !attacks::queen_attacks(mine, without).contains(s)
        };
        (reach & !occupied).into_iter().any(|s| {
            let sees = attacks::queen_attacks(s, without | Bitboard::from(s));
            // Through the king: when it steps aside, the queen behind it is lost.
            let through =
                attacks::queen_attacks(s, (without | Bitboard::from(s)) & !Bitboard::from(king));
            safe(s) && sees.contains(king) && through.contains(mine)
        })
    }

    fn number(&self, p: &Placement, number: &Number) -> i32 {
        match number {
            Number::Constant(n) => *n,
            Number::File(place) => self.square(p, *place).file() as i32 + 1,
            Number::Rank(place) => self.square(p, *place).rank() as i32 + 1,
            Number::Distance(a, b) => distance(self.square(p, *a), self.square(p, *b)),
            Number::Plies(king, place) => {
                let moves = distance(p.squares[usize::from(*king)], self.square(p, *place));
                self.plies(p, self.piece(*king).side, moves)
            }
            Number::PliesToRank(king, rank) => {
                let moves = (p.squares[usize::from(*king)].rank() as i32 + 1 - rank).abs();
                self.plies(p, self.piece(*king).side, moves)
            }
            Number::Moves(pawn) => self.moves(p, *pawn),
            Number::Queens(pawn) => self.plies(p, self.piece(*pawn).side, self.moves(p, *pawn)),
            Number::Plus(a, b) => self.number(p, a) + self.number(p, b),
            Number::Minus(a, b) => self.number(p, a) - self.number(p, b),
        }
    }

    /// Whether a condition holds. About 5 ns for each comparison, 30 ns for each question of
    /// attack, 500 ns for `stalemate`.
    pub fn holds(&self, p: &Placement, condition: &Condition) -> bool {
        let side = |white: bool| if white { Side::White } else { Side::Black };
        match condition {
            Condition::True => true,
            Condition::ToMove(white) => p.to_move == side(*white),
            Condition::Check(white) => self.in_check(p, side(*white)),
            Condition::Stalemate => !self.in_check(p, p.to_move) && self.immobile(p),
            Condition::Opposition => self.opposed(p, |apart| apart == 2),
            Condition::DistantOpposition => self.opposed(p, |apart| apart == 4 || apart == 6),
            Condition::EnPassant => p.mark.is_some(),
            Condition::On(place, squares) => squares.contains(self.square(p, *place)),
            Condition::InSquare(king, pawn) => self.in_square(p, *king, *pawn),
            Condition::Closer(king, place, other) => {
                let plies = |man: Man| {
                    let moves = distance(p.squares[usize::from(man)], self.square(p, *place));
                    self.plies(p, self.piece(man).side, moves)
                };
                plies(*king) < plies(*other)
            }
            Condition::Attacked(place, white) => {
                self.attacked(p, self.square(p, *place), side(*white), self.occupied(p))
            }
            Condition::Beside(a, b) => distance(self.square(p, *a), self.square(p, *b)) == 1,
            Condition::InFront(place, pawn) => {
                let (square, at) = (self.square(p, *place), p.squares[usize::from(*pawn)]);
                let ahead = square.rank() as i32 - at.rank() as i32;
                square.file() == at.file() && ahead * self.up(*pawn) > 0
            }
            Condition::QueensWithCheck(pawn) => self.queens_with_check(p, *pawn),
            Condition::QueenFalls(pawn, other) => self.queen_falls(p, *pawn, *other),
            Condition::Compare(numbers, signs) => {
                let pairs = numbers.windows(2).zip(signs);
                pairs.into_iter().all(|(pair, sign)| {
                    sign.holds(self.number(p, &pair[0]), self.number(p, &pair[1]))
                })
            }
            Condition::Not(inner) => !self.holds(p, inner),
            Condition::All(list) => list.iter().all(|c| self.holds(p, c)),
            Condition::Any(list) => list.iter().any(|c| self.holds(p, c)),
        }
    }

    fn opposed(&self, p: &Placement, apart: impl Fn(i32) -> bool) -> bool {
        let (a, b) = (p.squares[0], p.squares[1]);
        let files = (a.file() as i32 - b.file() as i32).abs();
        let ranks = (a.rank() as i32 - b.rank() as i32).abs();
        (files == 0 || ranks == 0 || files == ranks) && apart(files.max(ranks))
    }

    fn immobile(&self, p: &Placement) -> bool {
        Board::of_legal(&p.packed(self.material)).legal_moves().is_empty()
    }
}

impl Condition {
    /// The condition and another.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::True, other) | (other, Self::True) => other,
            (Self::All(mut list), Self::All(more)) => {
                list.extend(more);
                Self::All(list)
            }
            (Self::All(mut list), other) => {
                list.push(other);
                Self::All(list)
            }
            (first, other) => Self::All(vec![first, other]),
        }
    }

    /// The opposite, without a `not` where words or signs have an opposite of their own.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Not(inner) => *inner,
            Self::ToMove(white) => Self::ToMove(!white),
            Self::Compare(numbers, signs) if signs.len() == 1 => {
                Self::Compare(numbers, vec![signs[0].opposite()])
            }
            other => Self::Not(Box::new(other)),
        }
    }
}

/// The letter of a man in a material, with a number where there are several: `K`, `p`, `P1`, `P2`.
pub fn name_of(pieces: &[Piece], man: Man) -> String {
    let at = usize::from(man);
    let letter = pieces[at].char();
    let alike = |range: &[Piece]| range.iter().filter(|&&p| p == pieces[at]).count();
    if alike(pieces) == 1 {
        letter.to_string()
    } else {
        format!("{letter}{}", 1 + alike(&pieces[..at]))
    }
}

/// The role and side must be these for the man to be asked such a thing.
pub(super) fn is_king(pieces: &[Piece], man: Man) -> bool {
    pieces[usize::from(man)].role == Role::King
}

/// As [`is_king`].
pub(super) fn is_pawn(pieces: &[Piece], man: Man) -> bool {
    pieces[usize::from(man)].role == Role::Pawn
}
