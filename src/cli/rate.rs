//! What is proved after each move of a main line: what the root's engine knows, and where it knows
//! nothing, what [`Solver::rate_unknown`] finds within a small budget.

use super::Context;
use theta_chess::chess::Position;
use theta_chess::chess::board::{Board, ChessMove};
use theta_chess::limits::Budget;
use theta_chess::search;
use theta_chess::solve::{Rated, Solver, Verdict};

/// Positions that the search of one move may visit, where `--positions` says nothing else: a tenth
/// of a second or two.
const POSITIONS: u64 = 20_000;

/// Rates moves.
pub(super) struct Rater<'a> {
    pub(super) solver: &'a Solver,
    pub(super) context: &'a Context,
}

impl Rater<'_> {
    /// Every legal move of a position, the best first.
    ///
    /// # Errors
    /// When a table cannot be built.
    pub(super) fn rate(&self, verdict: &Verdict, at: &Position) -> anyhow::Result<Vec<Rated>> {
        let rated = verdict.rate(at);
        let unknown = rated.iter().filter(|r| r.value.is_none()).count() as u64;
        let whole = self.context.budget();
        let positions = whole.limits().positions.unwrap_or(POSITIONS * unknown);
        Ok(self.solver.rate_unknown(at, rated, &whole.with_positions(positions))?)
    }

    /// A budget for each of so many moves.
    fn share(&self, moves: usize) -> impl Fn() -> Budget {
        let whole = self.context.budget();
        let whole = whole.with_positions(whole.limits().positions.unwrap_or(POSITIONS));
        let time = whole.limits().time.map(|time| time / moves as u32);
        move || whole.part(time.unwrap_or(std::time::Duration::MAX))
    }

    /// Whether the side to move of `board` mates within `plies` plies after this move, whatever the
    /// reply; `None` where the search is not finished.
    pub(super) fn mates_within(&self, board: &Board, m: ChessMove, plies: u32) -> Option<bool> {
        let after = board.after(m);
        let replies = after.legal_moves();
        if replies.is_empty() || plies < 2 {
            return Some(replies.is_empty() && after.in_check());
        }
        let options = search::Options { table_bytes: 64 << 20, ..search::Options::default() };
        let (budget, within) =
            (self.share(replies.len()), (plies - 1).min(u32::from(u16::MAX)) as u16);
        let mut answer = Some(true);
        for reply in replies {
            let outcome = search::mate_in(&after.after(reply), within, &options, &budget());
            match (outcome.win, outcome.stop) {
                (Some(_), _) => {}
                (None, None) => return Some(false),
                (None, Some(_)) => answer = None,
            }
        }
        answer
    }
}
