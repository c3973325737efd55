//! What a search for a closed set is told by the one who asks for it.

use crate::chess::Board;
use crate::chess::board::ChessMove;

/// What a position with the owner to move says at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sight {
    /// The owner holds; no move of the set is needed.
    Held,
    /// The owner is mated, or the position is given up.
    Lost,
    /// Nothing.
    Open,
}

/// What is known of the positions in which one side, the owner of the set, tries to hold.
pub trait Defence {
    /// Why a search ends early.
    type Error;

    /// Whether the moves that may be played are known to hold, so that no position of a set is ever
    /// lost: an exact policy, as against the look ahead of a proof search.
    const CERTAIN: bool;

    /// What a position with the owner to move says at once. (That it has no legal move is seen
    /// without this.)
    fn sight(&self, board: &Board) -> Sight;

    /// Whether the owner needs no more moves; the opponent is to move.
    fn is_over(&self, board: &Board) -> bool;

    /// Whether the owner is known to be lost; the opponent is to move.
    fn is_lost(&self, board: &Board) -> bool;

    /// What a position with the opponent to move says at once: both of the above.
    fn sight_after(&self, board: &Board) -> Sight {
        if self.is_lost(board) {
            Sight::Lost
        } else if self.is_over(board) {
            Sight::Held
        } else {
            Sight::Open
        }
    }

    /// The positions after the opponent's moves in which the owner needs an answer.
    fn replies(&self, board: &Board) -> Vec<Board> {
        board.successors().collect()
    }

    /// The owner's legal moves, and whether each may be played as far as is known without making
    /// it; none where the owner is stalemated. `bytes` are held by the search.
    ///
    /// # Errors
    /// When a limit is reached.
    fn options(&mut self, board: &Board, bytes: u64)
    -> Result<Vec<(ChessMove, bool)>, Self::Error>;
}
