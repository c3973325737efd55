//! What a slice is: a placement of the pawns, with at most one officer of the attacker; and a place
//! in it.
//!
//! Colours are turned so that the attacker, whose win is the question, is below and its pawns go up
//! the board. With the attacker Black the board is mirrored.

use super::bits::{KING, Officer, attacks_down, attacks_up, bit};
use crate::chess::Side;
use crate::chess::board::{Bitboard, Board, BySide, Position as _, Role, Sides};

/// A slice: the men that stand still, and the kind of the one that moves about beside the kings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    /// The attacker's pawns.
    pub ours: u64,
    /// The defender's pawns.
    pub theirs: u64,
    /// The attacker's officer.
    pub officer: Officer,
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
    /// Whether the attacker is to move.
    pub ours: bool,
}

impl Key {
    /// All pawns.
    pub(super) fn pawns(&self) -> u64 {
        self.ours | self.theirs
    }

    /// Whether the officer's square is part of a place: rows over it then, else over the
    /// defender's king.
    pub(super) fn is_large(&self) -> bool {
        self.officer != Officer::None
    }

    /// The number of rows a side to move.
    pub(super) fn rows(&self) -> usize {
        if self.is_large() { 4096 } else { 64 }
    }

    /// The row and the bit of a place.
    pub(super) fn index(&self, p: &Place) -> (usize, u64) {
        if self.is_large() {
            (usize::from(p.king) << 6 | usize::from(p.other), bit(p.man))
        } else {
            (usize::from(p.king), bit(p.other))
        }
    }

    /// Whether the side not to move has left its king safe, and all men stand apart. Pawns are
    /// taken to be where pawns can be.
    pub(super) fn is_legal(&self, p: &Place) -> bool {
        let (king, other) = (bit(p.king), bit(p.other));
        let man = if self.is_large() { bit(p.man) } else { 0 };
        let apart = (king | other | man).count_ones() == 2 + u32::from(self.is_large())
            && self.pawns() & (king | other | man) == 0
            && KING[usize::from(p.king)] & other == 0;
        apart
            && if p.ours { !self.checks_defender(p) } else { attacks_down(self.theirs) & king == 0 }
    }

    /// Whether the defender's king is attacked.
    pub(super) fn checks_defender(&self, p: &Place) -> bool {
        let other = bit(p.other);
        attacks_up(self.ours) & other != 0
            || self.is_large()
                && self.officer.attacks(p.man, self.pawns() | bit(p.king) | other) & other != 0
    }

    /// The slice and the place of a board with kings, pawns and at most one officer of the
    /// attacker; none for other men or with castling rights. A right to capture en passant is left
    /// out.
    pub fn of(board: &Board, attacker: Side) -> Option<(Self, Place)> {
        let (chess, men) = (board.chess(), board.chess().board());
        if chess.castles().any() {
            return None;
        }
        let turn = |set: Bitboard| {
            if attacker == Side::White { set.0 } else { set.0.swap_bytes() }
        };
        let [ours, theirs] = [attacker, attacker.other()].map(|side| men.men_of(side));
        let roles = [
            (Role::Queen, Officer::Queen),
            (Role::Rook, Officer::Rook),
            (Role::Bishop, Officer::Bishop),
            (Role::Knight, Officer::Knight),
        ];
        let mut officer = (Officer::None, 0);
        for (role, kind) in roles {
            match (men.by_role(role) & ours).count() {
                0 => {}
                1 if officer.0 == Officer::None => {
                    officer = (kind, turn(men.by_role(role)).trailing_zeros() as u8);
                }
                _ => return None,
            }
            if (men.by_role(role) & theirs).any() {
                return None;
            }
        }
        let of = |role, side| turn(men.by_role(role) & side);
        let key =
            Self { ours: of(Role::Pawn, ours), theirs: of(Role::Pawn, theirs), officer: officer.0 };
        let place = Place {
            king: of(Role::King, ours).trailing_zeros() as u8,
            other: of(Role::King, theirs).trailing_zeros() as u8,
            man: officer.1,
            ours: chess.side_to_move() == attacker,
        };
        Some((key, place))
    }
}
