//! What a slice is: a placement of the pawns, with at most one officer of each side that moves about;
//! and a place in it.
//!
//! An attacker with two officers may leave one of them where it is, *at rest*: it guards and gives
//! check, but does not move. What is won without its moves is won; so slices with a man at rest
//! bound the wins from below, and holds never rest on them.
//!
//! Colours are turned so that the attacker, whose win is the question, is below and its pawns go up
//! the board. With the attacker Black the board is mirrored.

use super::bits::{KING, Officer, attacks_down, attacks_up, between, bit, squares};
use crate::chess::Side;
use crate::chess::board::{Bitboard, Board, BySide, Position as _, Role, Sides};

/// A slice: the men that stand still, and the kinds of those that move about beside the kings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    /// The attacker's pawns.
    pub ours: u64,
    /// The defender's pawns.
    pub theirs: u64,
    /// The attacker's officer.
    pub officer: Officer,
    /// The defender's officer; only where the attacker has one too.
    pub rival: Officer,
    /// A second officer of the attacker's, which does not move.
    pub still: Officer,
    /// Its square; 0 where there is none.
    pub at: u8,
}

/// A position of a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The attacker's king (0 = a1).
    pub king: u8,
    /// The defender's king.
    pub other: u8,
    /// The attacker's officer; 0 where there is none.
    pub man: u8,
    /// The defender's officer; 0 where there is none.
    pub foe: u8,
    /// Whether the attacker is to move.
    pub ours: bool,
}

impl Key {
    /// Pawns alone, with or without an officer of the attacker's.
    pub(super) const fn new(ours: u64, theirs: u64, officer: Officer) -> Self {
        Self { ours, theirs, officer, rival: Officer::None, still: Officer::None, at: 0 }
    }

    /// All men that stand still: pawns, and the attacker's man at rest.
    pub(super) fn pawns(&self) -> u64 {
        self.ours | self.theirs | self.rest()
    }

    /// The square of the attacker's man at rest.
    pub(super) fn rest(&self) -> u64 {
        if self.still == Officer::None { 0 } else { bit(self.at) }
    }

    /// The attacker's men that stand still.
    pub(super) fn own(&self) -> u64 {
        self.ours | self.rest()
    }

    /// The slice without the attacker's man that stands still on a square.
    pub(super) fn without_own(&self, at: u8) -> Self {
        if self.rest() == bit(at) {
            Self { still: Officer::None, at: 0, ..*self }
        } else {
            Self { ours: self.ours & !bit(at), ..*self }
        }
    }

    /// Whether the officer's square is part of a place: rows over it then, else over the
    /// defender's king.
    pub(super) fn is_large(&self) -> bool {
        self.officer != Officer::None
    }

    /// Whether both sides have an officer.
    pub(super) fn is_duel(&self) -> bool {
        self.rival != Officer::None
    }

    /// Whether the values of its positions are bounds from below only.
    pub(super) fn is_below(&self) -> bool {
        self.still != Officer::None
    }

    /// 0 for kings and pawns, 1 with an officer, 2 with one of each side.
    pub(super) fn kind(&self) -> usize {
        usize::from(self.is_large()) + usize::from(self.is_duel())
    }

    /// The number of rows a side to move.
    pub(super) fn rows(&self) -> usize {
        [1 << 6, 1 << 12, 1 << 18][self.kind()]
    }

    /// The row and the bit of a place.
    pub(super) fn index(&self, p: &Place) -> (usize, u64) {
        let kings = usize::from(p.king) << 6 | usize::from(p.other);
        if self.is_duel() {
            (kings << 6 | usize::from(p.foe), bit(p.man))
        } else if self.is_large() {
            (kings, bit(p.man))
        } else {
            (usize::from(p.king), bit(p.other))
        }
    }

    /// The place of a bit's number in a row.
    pub(super) fn place(&self, row: usize, square: u8, ours: bool) -> Place {
        let [high, middle, low] = [row >> 12, row >> 6 & 63, row & 63].map(|n| n as u8);
        match self.kind() {
            0 => Place { king: low, other: square, man: 0, foe: 0, ours },
            1 => Place { king: middle, other: low, man: square, foe: 0, ours },
            _ => Place { king: high, other: middle, man: square, foe: low, ours },
        }
    }

    /// All men of a place.
    pub(super) fn occupied(&self, p: &Place) -> u64 {
        let man = if self.is_large() { bit(p.man) } else { 0 };
        let foe = if self.is_duel() { bit(p.foe) } else { 0 };
        self.pawns() | bit(p.king) | bit(p.other) | man | foe
    }

    /// Whether the side not to move has left its king safe, and all men stand apart. Pawns are
    /// taken to be where pawns can be.
    pub(super) fn is_legal(&self, p: &Place) -> bool {
        let (king, other) = (bit(p.king), bit(p.other));
        let moving = 2 + u32::from(self.is_large()) + u32::from(self.is_duel());
        let occupied = self.occupied(p);
        let apart = occupied.count_ones() == self.pawns().count_ones() + moving
            && KING[usize::from(p.king)] & other == 0;
        apart
            && if p.ours {
                !self.checks_defender(p)
            } else {
                attacks_down(self.theirs) & king == 0
                    && self.rival.attacks(p.foe, occupied) & king == 0
            }
    }

    /// Whether the defender's king is attacked.
    pub(super) fn checks_defender(&self, p: &Place) -> bool {
        let other = bit(p.other);
        attacks_up(self.ours) & other != 0
            || self.is_large() && self.officer.attacks(p.man, self.occupied(p)) & other != 0
            || self.is_below() && self.still.attacks(self.at, self.occupied(p)) & other != 0
    }

    /// By the defender's king on a square and the occupied squares but for the attacker's officer:
    /// the squares of that officer with which the man at rest gives check.
    pub(super) fn rest_checks(&self, other: u8, occupied: u64) -> u64 {
        if self.is_below() && self.still.attacks(self.at, occupied) & bit(other) != 0 {
            !between(self.at, other)
        } else {
            0
        }
    }

    /// The slice and the place of a board with kings, pawns and at most one officer a side, the
    /// defender's only beside one of the attacker's; none for other men or with castling rights. A
    /// right to capture en passant is left out.
    pub fn of(board: &Board, attacker: Side) -> Option<(Self, Place)> {
        Self::readings(board, attacker).next().filter(|(key, _)| !key.is_below())
    }

    /// All slices with this board: two where the attacker has two officers, one of which is taken
    /// to be at rest, the lesser of them first.
    pub(super) fn readings(
        board: &Board,
        attacker: Side,
    ) -> impl Iterator<Item = (Self, Place)> + use<> {
        let (chess, men) = (board.chess(), board.chess().board());
        let turn = move |set: Bitboard| {
            if attacker == Side::White { set.0 } else { set.0.swap_bytes() }
        };
        let [ours, theirs] = [attacker, attacker.other()].map(|side| men.men_of(side));
        let roles = [
            (Role::Knight, Officer::Knight),
            (Role::Bishop, Officer::Bishop),
            (Role::Rook, Officer::Rook),
            (Role::Queen, Officer::Queen),
        ];
        let officers = |side: Bitboard| -> Vec<(Officer, u8)> {
            let of = |(role, kind)| {
                squares(turn(men.by_role(role) & side)).map(move |square| (kind, square))
            };
            roles.into_iter().flat_map(of).collect()
        };
        let (own, other) = (officers(ours), officers(theirs));
        let fits = !chess.castles().any()
            && own.len() <= 2
            && other.len() <= 1
            && (other.is_empty() || !own.is_empty());
        let of = |role, side| turn(men.by_role(role) & side);
        let [pawns, other_pawns] = [ours, theirs].map(|side| of(Role::Pawn, side));
        let [king, other_king] =
            [ours, theirs].map(|side| of(Role::King, side).trailing_zeros() as u8);
        let (rival, foe) = other.first().copied().unwrap_or((Officer::None, 0));
        let to_move = chess.side_to_move() == attacker;
        let count = if fits { own.len().max(1) } else { 0 };
        (0..count).map(move |first| {
            let none = (Officer::None, 0);
            let (still, at) = if own.len() == 2 { own[first] } else { none };
            let (officer, man) =
                own.get(own.len().wrapping_sub(1 + first)).copied().unwrap_or(none);
            let key = Self { ours: pawns, theirs: other_pawns, officer, rival, still, at };
            (key, Place { king, other: other_king, man, foe, ours: to_move })
        })
    }
}
