//! What a position says to its holder without its moves being tried.

use super::graph::State;
use crate::chess::Side;
use crate::chess::board::{Board, BySide, Position, Role};
use crate::chess::worth::in_pawns;

/// The balance of material for a side, in pawns.
pub(super) fn balance(board: &Board, side: Side) -> i32 {
    let men = board.chess().board();
    let worth = |side: Side| -> i32 {
        Role::ALL
            .iter()
            .map(|&role| in_pawns(role) * (men.by_role(role) & men.men_of(side)).count() as i32)
            .sum()
    };
    worth(side) - worth(side.other())
}

/// What a position says to its holder, who is to move.
pub(super) fn at_sight(board: &Board, holder: Side, floor: i32) -> State {
    let moves = board.legal_moves();
    if moves.is_empty() {
        return if board.in_check() { State::Lost } else { State::Known };
    }
    if board.has_bare_king(holder.other()) {
        return State::Known;
    }
    let taken = moves.iter().filter_map(|m| m.capture()).map(in_pawns).max();
    let now = balance(board, holder) + taken.unwrap_or(0);
    if now < floor { State::Lost } else { State::Open }
}
