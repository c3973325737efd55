//! What a position says to its holder without its moves being tried.

use super::graph::State;
use crate::chess::Side;
use crate::chess::board::{Board, Position};
use crate::chess::worth::{balance, in_pawns};

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
    let now = balance(board.chess().board(), holder) + taken.unwrap_or(0);
    if now < floor { State::Lost } else { State::Open }
}
