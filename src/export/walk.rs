//! One position of a strategy at a time: what its owner plays there, and every reply.
//!
//! An [`Outline`](super::Outline) numbers a whole strategy first. Who walks through one needs a
//! look-up for each move only, however large it is.

use super::outline::{End, MoveText, OutlineError};
use crate::aim::{Aim, Goal};
use crate::certificate::{Certificate, Claim};
use crate::chess::board::{Board, ChessMove, move_of};
use crate::chess::{Packed, Side, bare_king, cannot_be_mated, fen};
use serde::Serialize;

/// A move and where it leads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Leg {
    /// The move.
    #[serde(flatten)]
    pub text: MoveText,
    /// Plies to mate (in the strategy of an aim, to the aim) at most after it; `None` in a holding
    /// strategy.
    pub mate_plies: Option<u32>,
    /// The position after it.
    pub fen: String,
}

/// A position of a strategy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stop {
    /// The position.
    pub fen: String,
    /// Whose strategy it is.
    #[serde(serialize_with = "crate::chess::serialize_side")]
    pub owner: Side,
    /// The owner's move. `None` where the opponent is to move, and where the game is over.
    pub play: Option<Leg>,
    /// Plies to mate (in the strategy of an aim, to the aim) at most from here; `None` in a holding
    /// strategy.
    pub mate_plies: Option<u32>,
    /// How the game ends, after the owner's move.
    pub end: Option<End>,
    /// The opponent's moves after the owner's, the one that resists longest first.
    pub replies: Vec<Leg>,
}

/// A strategy that is walked through.
struct Walk<'a> {
    certificate: &'a Certificate,
    strategy: &'a crate::certificate::Strategy,
    goal: Option<Goal>,
}

/// One position of a certificate's strategy, the root where none is given; `None` where the strategy
/// does not lead there. One look-up and about a microsecond for each reply.
///
/// # Errors
/// When the certificate has no strategy of that side, or one that is none.
pub fn step(
    certificate: &Certificate,
    owner: Side,
    at: Option<&Board>,
) -> Result<Option<Stop>, OutlineError> {
    let strategy = certificate.strategies.iter().find(|s| s.owner() == owner);
    let strategy = strategy.ok_or(OutlineError::NoStrategy(owner))?;
    let broken = |_| OutlineError::Broken("a position is none");
    let goal = match certificate.aim.as_deref() {
        None => None,
        Some(text) => {
            let aim = Aim::parse(text).ok().and_then(|aim| Goal::of(aim).ok());
            Some(aim.ok_or(OutlineError::Broken("its aim is not of the form AF φ"))?)
        }
    };
    let root = Board::from_packed(&Packed::from(strategy.root())).map_err(broken)?;
    let board = at.unwrap_or(&root);
    let walk = Walk { certificate, strategy, goal };
    if board.side_to_move() != owner {
        // Only the root's moves are asked for where the opponent is to move.
        return Ok((board.packed() == root.packed()).then(|| walk.stop(board, None)));
    }
    let Some(answer) = strategy.answer(&board.packed()) else {
        let ended = board.packed() == root.packed() && walk.end(board).is_some();
        return Ok(ended.then(|| walk.stop(board, None)));
    };
    let play =
        answer.play.map(|m| board.find(m).ok_or(OutlineError::Broken("a move is not legal")));
    Ok(Some(walk.stop(board, play.transpose()?)))
}

impl Walk<'_> {
    fn stop(&self, board: &Board, play: Option<ChessMove>) -> Stop {
        let after = play.map_or_else(|| board.clone(), |m| board.after(m));
        let end = self.end(&after);
        let mut replies = Vec::new();
        if end.is_none() && after.side_to_move() != self.strategy.owner() {
            replies = after.legal_moves().iter().map(|&m| self.leg(&after, m)).collect();
            replies.sort_by_key(|leg| std::cmp::Reverse(leg.mate_plies));
        }
        Stop {
            fen: fen(&board.vector()),
            owner: self.strategy.owner(),
            play: play.map(|m| self.leg(board, m)),
            mate_plies: self.plies(board),
            end,
            replies,
        }
    }

    fn leg(&self, board: &Board, m: ChessMove) -> Leg {
        let after = board.after(m);
        Leg {
            text: MoveText { uci: move_of(&m).to_string(), san: board.san(m) },
            mate_plies: self.plies(&after),
            fen: fen(&after.vector()),
        }
    }

    /// Plies to the end at most, as the strategy knows it where its owner is to move.
    fn plies(&self, board: &Board) -> Option<u32> {
        if !self.strategy.wins() {
            return None;
        }
        if self.end(board).is_some() {
            return Some(0);
        }
        if board.side_to_move() == self.strategy.owner() {
            return Some(self.strategy.answer(&board.packed())?.rank);
        }
        if board.packed() == Packed::from(self.strategy.root())
            && let Claim::Wins(_, plies) | Claim::Forces(_, plies) = self.certificate.claim
        {
            return Some(plies);
        }
        let after = |m: &ChessMove| self.plies(&board.after(*m));
        let longest = board.legal_moves().iter().filter_map(after).max();
        longest.map(|plies| plies + 1)
    }

    fn end(&self, board: &Board) -> Option<End> {
        if self.goal.as_ref().is_some_and(|goal| goal.holds(board)) {
            return Some(End::Aim);
        }
        if board.legal_moves().is_empty() {
            return Some(if board.in_check() { End::Mate } else { End::Stalemate });
        }
        let owner = self.strategy.owner();
        if self.strategy.wins() {
            return None;
        }
        if self.strategy.closed().is_some() {
            return Some(End::Shut);
        }
        if !cannot_be_mated(&board.vector(), owner) {
            return None;
        }
        let bare = bare_king(&board.vector(), owner.other());
        Some(if bare { End::BareKing } else { End::LoneMinor })
    }
}
