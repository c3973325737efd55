//! First guesses of proof numbers: how far a side seems from winning.

use super::checks::mate_in_one;
use crate::chess::Side;
use crate::chess::board::{
    Board, BySide, Chess, Piece, Position, Rank, Role, Square, attacks, passed,
};
use crate::chess::worth::in_pawns;

/// How the proof search spends its first guesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// Few replies are good: forced mates.
    Sharp,
    /// As sharp, and what neither checks nor threatens mate looks worse: another thread's way to the
    /// same mates.
    Threats,
    /// Material and advanced pawns are good: won endings.
    Material,
    /// The same, but material counts half and idle moves look worse: another thread's way to the same
    /// wins.
    Pressing,
}

impl Style {
    /// Whether it looks for forced mates.
    pub(super) fn is_sharp(self) -> bool {
        matches!(self, Self::Sharp | Self::Threats)
    }

    /// The order of the other threads, where one follows this one.
    pub(super) fn other(self) -> Self {
        match self {
            Self::Sharp => Self::Threats,
            Self::Threats => Self::Sharp,
            Self::Material => Self::Pressing,
            Self::Pressing => Self::Material,
        }
    }
}

/// Strengths are counted in so many parts of a pawn's worth.
const PARTS: i32 = 4;
const PIECES: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];
/// Quarter pawns of a pawn by the steps to its promotion, 1 to 6.
const PAWN: [i32; 7] = [0, 28, 20, 12, 8, 6, 4];

fn strength(board: &Board, side: Side) -> i32 {
    let men = board.chess().board();
    let own = men.men_of(side);
    let count = |role: Role| (men.by_role(role) & own).count() as i32;
    let pieces: i32 = PIECES.iter().map(|&role| PARTS * in_pawns(role) * count(role)).sum();
    let last = if side == Side::White { Rank::Eighth } else { Rank::First };
    let pawns = (men.by_role(Role::Pawn) & own).into_iter();
    pieces
        + pawns.map(|s| PAWN[(s.rank() as i32 - last as i32).unsigned_abs() as usize]).sum::<i32>()
}

/// What is missing to a clearly won balance (ten pawns' worth), in half pawns.
pub(super) fn missing(board: &Board, attacker: Side) -> u32 {
    let balance = strength(board, attacker) - strength(board, attacker.other());
    ((40 - balance).max(0) / 2) as u32
}

/// The attacker's pieces that reach the squares around the defender's king: what a refutation of
/// the attack has to deal with.
pub(super) fn near(board: &Board, attacker: Side) -> u32 {
    let men = board.chess().board();
    let ring = attacks::king_attacks(men.king(attacker.other()).expect("a king each"));
    let pieces = men.men_of(attacker) & !men.kings() & !men.pawns();
    let reaches = |&from: &Square| {
        let role = men.role_at(from).expect("a man");
        (attacks::attacks(from, Piece::new(attacker, role), men.occupied()) & ring).any()
    };
    pieces.into_iter().filter(reaches).count() as u32
}

/// What a position without check costs more, the defender to move, if nothing is threatened: a mate
/// at once, were the defender to pass.
const IDLE: u32 = 2;

/// The cost of that in a position with the defender to move.
pub(super) fn idle(chess: &Chess) -> u32 {
    if chess.is_check() || passed(chess).is_some_and(|chess| mate_in_one(&chess).is_some()) {
        0
    } else {
        IDLE
    }
}
