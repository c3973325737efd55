//! What a slice is: a placement of the pawns, with the officers that move about; and a place in it.
//!
//! The officers are three at most, two of a side at most. They come in one order: the attacker's,
//! the stronger first, then the defender's. Rows are over the squares of the first of them, the
//! *axis*; the others are fixed in a row.
//!
//! An attacker with several officers may leave all but one of them where they are, *at rest*, if the
//! defender has one at most: they guard and give check, but do not move. What is won without their moves is
//! won; so slices with men at rest bound the wins from below, and holds never rest on them. Such a slice
//! is 64 times as small as with one more that moves.
//!
//! Colours are turned so that the attacker, whose win is the question, is below and its pawns go up
//! the board. With the attacker Black the board is mirrored.

use super::bits::{KING, Officer, attacks_down, attacks_up, bit, squares};
use super::rest::Rest;
use crate::chess::board::{Bitboard, Board, BySide, Piece, Position as _, Role, Sides, code_of};
use crate::chess::{Packed, Side};

/// Officers that move about in a slice, at most.
pub(super) const MOVERS: usize = 3;

/// Who is an officer, the stronger first.
const ROLES: [(Role, Officer); 5] = [
    (Role::Queen, Officer::Queen),
    (Role::Rook, Officer::Rook),
    (Role::Knight, Officer::Knight),
    (Role::Bishop, Officer::Bishop),
    (Role::Bishop, Officer::OddBishop),
];

/// A slice: the men that stand still, and the kinds of those that move about beside the kings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    /// The attacker's pawns.
    pub ours: u64,
    /// The defender's pawns.
    pub theirs: u64,
    /// The attacker's officer.
    pub officer: Officer,
    /// Its second one, no stronger; only beside the first.
    pub mate: Officer,
    /// The defender's officer.
    pub rival: Officer,
    /// Its second one, no stronger; only beside the first.
    pub peer: Officer,
    /// Officers of the attacker's that do not move.
    pub rest: Rest,
}

/// A position of a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The attacker's king (0 = a1).
    pub king: u8,
    /// The defender's king.
    pub other: u8,
    /// The officers that move about, in the slice's order; 0 where there is none.
    pub men: [u8; MOVERS],
    /// Whether the attacker is to move.
    pub ours: bool,
}

/// An officer that moves about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mover {
    pub(super) officer: Officer,
    /// Whether it is the attacker's.
    pub(super) ours: bool,
}

impl Place {
    /// The place without an officer, by its number.
    pub(super) fn without(mut self, number: usize) -> Self {
        self.men[number..].rotate_left(1);
        self.men[MOVERS - 1] = 0;
        self
    }

    /// The place with one officer more, which comes first.
    pub(super) fn with_first(mut self, square: u8) -> Self {
        self.men.rotate_right(1);
        self.men[0] = square;
        self
    }

    /// The place with an officer on another square.
    pub(super) fn moved(mut self, number: usize, square: u8) -> Self {
        self.men[number] = square;
        self
    }
}

impl Key {
    /// Pawns alone, with or without an officer of the attacker's.
    pub(super) const fn new(ours: u64, theirs: u64, officer: Officer) -> Self {
        let none = Officer::None;
        Self { ours, theirs, officer, mate: none, rival: none, peer: none, rest: Rest::NONE }
    }

    /// The officers that move about, in order.
    pub(super) fn movers(&self) -> impl Iterator<Item = Mover> + use<> {
        let of = |ours| move |officer| Mover { officer, ours };
        let own = [self.officer, self.mate].map(of(true));
        own.into_iter()
            .chain([self.rival, self.peer].map(of(false)))
            .filter(|mover| mover.officer != Officer::None)
    }

    /// The slice without the officer of that number.
    pub(super) fn without_mover(&self, number: usize) -> Self {
        let own =
            usize::from(self.officer != Officer::None) + usize::from(self.mate != Officer::None);
        let mut key = *self;
        match (number < own, number == 0 || number == own) {
            (true, true) => (key.officer, key.mate) = (self.mate, Officer::None),
            (true, false) => key.mate = Officer::None,
            (false, true) => (key.rival, key.peer) = (self.peer, Officer::None),
            (false, false) => key.peer = Officer::None,
        }
        key
    }

    /// The slice after the officer of that number has been taken: in place of the attacker's only one
    /// that moves about the strongest at rest does then.
    pub(super) fn after_capture(&self, number: usize) -> Self {
        match self.rest.first() {
            Some((officer, at)) if number == 0 => {
                Self { officer, rest: self.rest.without(bit(at)), ..*self }
            }
            _ => self.without_mover(number),
        }
    }

    /// The slice with a queen of the attacker's more, which comes first; none where that are more
    /// officers than slices have.
    pub(super) fn with_queen(&self) -> Option<Self> {
        let fits = self.mate == Officer::None && self.kind() < MOVERS && !self.is_below();
        fits.then_some(Self { officer: Officer::Queen, mate: self.officer, ..*self })
    }

    /// All men that stand still: pawns, and the attacker's men at rest.
    pub(super) fn pawns(&self) -> u64 {
        self.own() | self.theirs
    }

    /// The attacker's men that stand still.
    pub(super) fn own(&self) -> u64 {
        self.ours | self.rest.squares()
    }

    /// The slice without the attacker's man that stands still on a square.
    pub(super) fn without_own(&self, at: u8) -> Self {
        let taken = bit(at);
        Self { ours: self.ours & !taken, rest: self.rest.without(taken), ..*self }
    }

    /// Whether the attacker has an officer that moves about.
    pub(super) fn is_large(&self) -> bool {
        self.officer != Officer::None
    }

    /// Whether the defender has an officer, or the attacker two that move about: [`super::several`].
    pub(super) fn is_several(&self) -> bool {
        self.rival != Officer::None || self.mate != Officer::None
    }

    /// Whether it has so many positions that it is solved but once: three officers.
    pub(super) fn is_vast(&self) -> bool {
        self.kind() == MOVERS
    }

    /// Whether the values of its positions are bounds from below only.
    pub(super) fn is_below(&self) -> bool {
        !self.rest.is_empty()
    }

    /// The number of officers that move about.
    pub(super) fn kind(&self) -> usize {
        let men = [self.officer, self.mate, self.rival, self.peer];
        men.into_iter().filter(|&man| man != Officer::None).count()
    }

    /// The number of rows a side to move.
    pub(super) fn rows(&self) -> usize {
        1 << (6 * self.kind().max(1) + if self.kind() > 0 { 6 } else { 0 })
    }

    /// The row and the bit of a place.
    pub(super) fn index(&self, p: &Place) -> (usize, u64) {
        let kind = self.kind();
        if kind == 0 {
            return (usize::from(p.king), bit(p.other));
        }
        let kings = usize::from(p.king) << 6 | usize::from(p.other);
        let row = p.men[1..kind].iter().fold(kings, |row, &man| row << 6 | usize::from(man));
        (row, bit(p.men[0]))
    }

    /// The place of a bit's number in a row.
    pub(super) fn place(&self, mut row: usize, square: u8, ours: bool) -> Place {
        let kind = self.kind();
        let mut men = [0; MOVERS];
        if kind == 0 {
            return Place { king: row as u8, other: square, men, ours };
        }
        men[0] = square;
        let mut low = || {
            let square = (row & 63) as u8;
            row >>= 6;
            square
        };
        men[1..kind].iter_mut().rev().for_each(|man| *man = low());
        let (other, king) = (low(), low());
        Place { king, other, men, ours }
    }

    /// The codes of the officers that move about, with colours as on the board; 0 where there is none.
    pub(super) fn codes(&self, attacker: Side) -> [u8; MOVERS] {
        let mut codes = [0; MOVERS];
        for (code, man) in codes.iter_mut().zip(self.movers()) {
            let side = if man.ours { attacker } else { attacker.other() };
            let role = ROLES.into_iter().find(|(_, kind)| *kind == man.officer);
            *code = role.map_or(0, |(role, _)| code_of(Piece::new(side, role)));
        }
        codes
    }

    /// A place with colours as they are on the board.
    pub(super) fn packed(&self, place: &Place, attacker: Side) -> Packed {
        let white = place.ours == (attacker == Side::White);
        let turn = if attacker == Side::White { 0 } else { 56 };
        let state = Packed::state(u8::from(!white), 0, 0, 0, 0);
        let mut p = Packed { occupied: 0, men: 0, state };
        let mut put = |ours: bool, role: Role, square: u8| {
            let side = if ours { attacker } else { attacker.other() };
            p = p.with(square ^ turn, code_of(Piece::new(side, role)));
        };
        put(true, Role::King, place.king);
        put(false, Role::King, place.other);
        squares(self.ours).for_each(|at| put(true, Role::Pawn, at));
        squares(self.theirs).for_each(|at| put(false, Role::Pawn, at));
        let resting = self.rest.men().iter().map(|&(officer, at)| (officer, true, at));
        let moving = self.men(place).map(|(man, at)| (man.officer, man.ours, at));
        for (officer, ours, at) in moving.chain(resting) {
            let role = ROLES.into_iter().find(|(_, kind)| *kind == officer);
            role.into_iter().for_each(|(role, _)| put(ours, role, at));
        }
        p
    }

    /// The board of a legal place.
    pub(super) fn board(&self, place: &Place, attacker: Side) -> Board {
        Board::of_legal(&self.packed(place, attacker))
    }

    /// The officers of a place that move about, with their squares.
    pub(super) fn men(&self, p: &Place) -> impl Iterator<Item = (Mover, u8)> + use<> {
        self.movers().zip(p.men)
    }

    /// All men of a place.
    pub(super) fn occupied(&self, p: &Place) -> u64 {
        let still = self.pawns() | bit(p.king) | bit(p.other);
        self.men(p).fold(still, |all, (_, square)| all | bit(square))
    }

    /// Whether the side not to move has left its king safe, and all men stand apart. Pawns are
    /// taken to be where pawns can be.
    pub(super) fn is_legal(&self, p: &Place) -> bool {
        let (king, other) = (bit(p.king), bit(p.other));
        let moving = 2 + self.kind() as u32;
        let occupied = self.occupied(p);
        let apart = occupied.count_ones() == self.pawns().count_ones() + moving
            && KING[usize::from(p.king)] & other == 0
            && self.men(p).all(|(man, square)| man.officer.home() & bit(square) != 0);
        let attacked = |(mover, square): (Mover, u8)| {
            !mover.ours && mover.officer.attacks(square, occupied) & king != 0
        };
        apart
            && if p.ours {
                !self.checks_defender(p)
            } else {
                attacks_down(self.theirs) & king == 0 && !self.men(p).any(attacked)
            }
    }

    /// Whether the defender's king is attacked.
    pub(super) fn checks_defender(&self, p: &Place) -> bool {
        let (other, occupied) = (bit(p.other), self.occupied(p));
        attacks_up(self.ours) & other != 0
            || self.men(p).any(|(m, at)| m.ours && m.officer.attacks(at, occupied) & other != 0)
            || self.rest.attacks(p.other, occupied)
    }

    /// The slice and the place of a board with kings, pawns and as many officers as slices have;
    /// none for other men or with castling rights. A right to capture en passant is left out.
    pub fn of(board: &Board, attacker: Side) -> Option<(Self, Place)> {
        Self::readings(board, attacker).into_iter().find(|(key, _)| !key.is_below())
    }

    /// All slices with this board, a win in any of which is a win: where the attacker has officers
    /// and the defender one at most, first those in which one of them moves, then that in which all do,
    /// if they are two.
    ///
    /// They come in one order of all slices, so that play which follows the first that wins does not
    /// go to and fro between them: while it stays in one that one stays the same.
    pub(super) fn readings(board: &Board, attacker: Side) -> Vec<(Self, Place)> {
        let (chess, men) = (board.chess(), board.chess().board());
        let turn = move |set: Bitboard| {
            if attacker == Side::White { set.0 } else { set.0.swap_bytes() }
        };
        let [ours, theirs] = [attacker, attacker.other()].map(|side| men.men_of(side));
        let officers = |side: Bitboard| -> Vec<(Officer, u8)> {
            let of = |(role, kind): (Role, Officer)| {
                let at = turn(men.by_role(role) & side) & kind.home();
                squares(at).map(move |square| (kind, square))
            };
            ROLES.into_iter().flat_map(of).collect()
        };
        let (own, other) = (officers(ours), officers(theirs));
        let of = |role, side| turn(men.by_role(role) & side);
        let [ours, theirs] = [ours, theirs].map(|side| of(Role::Pawn, side));
        let kings = [attacker, attacker.other()].map(|side| of(Role::King, men.men_of(side)));
        let [king, other_king] = kings.map(|set| set.trailing_zeros() as u8);
        let read = |own: &[(Officer, u8)], rest: Rest| {
            let none = (Officer::None, 0);
            let man = |of: &[(Officer, u8)], at: usize| of.get(at).copied().unwrap_or(none);
            let mut men = [0; MOVERS];
            own.iter().chain(&other).zip(&mut men).for_each(|(man, square)| *square = man.1);
            let [(officer, _), (mate, _), (rival, _), (peer, _)] =
                [man(own, 0), man(own, 1), man(&other, 0), man(&other, 1)];
            let place =
                Place { king, other: other_king, men, ours: chess.side_to_move() == attacker };
            (Self { ours, theirs, officer, mate, rival, peer, rest }, place)
        };
        let mut list = Vec::new();
        if chess.castles().any() {
            return list;
        }
        if own.len() > 1 && other.len() <= 1 {
            let at_rest = |mover: usize| {
                let rest = own.iter().enumerate().filter(|man| man.0 != mover).map(|man| *man.1);
                Some(read(&own[mover..=mover], Rest::of(rest)?))
            };
            list.extend((0..own.len()).filter_map(at_rest));
            list.sort_unstable_by_key(|(key, _)| (key.officer, key.rest));
        }
        if own.len() <= 2 && other.len() <= 2 && own.len() + other.len() <= MOVERS {
            list.push(read(&own, Rest::NONE));
        }
        list
    }
}
