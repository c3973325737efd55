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

    /// The owner's moves that may be played, the lost ones left out. Not asked where no move is
    /// legal.
    ///
    /// # Errors
    /// When a limit is reached.
    fn moves(&mut self, board: &Board, bytes: u64) -> Result<Vec<ChessMove>, Self::Error> {
        let mut moves = self.options(board, bytes)?;
        moves.retain(|&(m, held)| held && !self.is_lost(&board.after(m)));
        Ok(moves.into_iter().map(|(m, _)| m).collect())
    }
}
