//! Striving for positions that rules or tables know: no list of them is needed, they are
//! recognised.

use crate::chess::board::{Board, ChessMove};

/// The first steps of the planned trajectories to positions of equal material that are `wanted` and
/// near: σ ≤ 2 and Δ ≤ 4 plies, two moves by men of the side to move, the other side's men standing
/// where they are. About a thousand positions are put to the question.
pub fn planned_moves(board: &Board, wanted: &dyn Fn(&Board) -> bool) -> Vec<ChessMove> {
    let quiet = |m: &ChessMove| !m.is_capture() && !m.is_promotion();
    let leads = |m: &&ChessMove| {
        let next = board.after(**m).passed();
        next.is_some_and(|next| {
            next.legal_moves().iter().any(|second| quiet(second) && wanted(&next.after(*second)))
        })
    };
    board.legal_moves().iter().filter(|m| quiet(m)).filter(leads).copied().collect()
}
