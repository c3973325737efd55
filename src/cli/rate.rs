//! What is proved after each legal move: what the verdict's engine knows, and where it knows nothing, a search of its own for
//! each move.

use super::Context;
use crate::chess::board::{Board, ChessMove};
use crate::chess::{Move, Profile, Side, Vector, successors};
use crate::limits::{Budget, Limits};
use crate::search;
use crate::solve::{Engine, Evidence, Options, Rated, Solver, merit};

/// Positions that the search of one move may visit, where `--positions` says nothing else: a tenth of a second or two.
const POSITIONS: u64 = 20_000;

/// Rates moves.
pub(super) struct Rater<'a> {
    pub(super) solver: &'a Solver,
    pub(super) options: &'a Options,
    pub(super) context: &'a Context,
}

impl Rater<'_> {
    /// Every legal move of a position, the best first.
    ///
    /// # Errors
    /// When a table cannot be built.
    pub(super) fn rate(&self, evidence: &Evidence, y: &Vector) -> anyhow::Result<Vec<Rated>> {
        let rated = evidence.rate(y, self.options.profile);
        let unknown = rated.iter().filter(|r| r.value.is_none()).count();
        let mut list = rated;
        if unknown == 0 {
            return Ok(list);
        }
        let after: Vec<(Move, Vector)> = successors(self.options.profile, y);
        let budget = self.share(unknown);
        for reach in list.iter_mut().filter(|reach| reach.value.is_none()) {
            let Some((_, z)) = after.iter().find(|(play, _)| *play == reach.play) else { continue };
            let verdict = self.solver.solve(z, &self.each(), &budget())?;
            (reach.value, reach.shortest) = (verdict.value, verdict.shortest);
        }
        let side = Side::to_move(y);
        list.sort_by_key(|reach| merit(reach.value, side));
        Ok(list)
    }

    /// The engine for one move: what `auto` came to at the root, without listing what is known to be too much.
    fn each(&self) -> Options {
        let searched = self.options.engine == Engine::Auto && self.options.profile == Profile::Fide;
        Options { engine: if searched { Engine::Search } else { self.options.engine }, ..*self.options }
    }

    /// A budget for each of so many moves.
    fn share(&self, moves: usize) -> impl Fn() -> Budget {
        let whole = self.context.budget();
        let positions = Some(whole.limits().positions.unwrap_or(POSITIONS));
        let time = whole.limits().time.map(|time| time / moves as u32);
        let limits = Limits { positions, time, ..*whole.limits() };
        move || whole.limited(limits).part(time.unwrap_or(std::time::Duration::MAX))
    }

    /// Whether the side to move of `board` mates within `plies` plies after this move, whatever the reply; `None` where the
    /// search is not finished.
    pub(super) fn mates_within(&self, board: &Board, m: ChessMove, plies: u32) -> Option<bool> {
        let after = board.after(m);
        let replies = after.legal_moves();
        if replies.is_empty() || plies < 2 {
            return Some(replies.is_empty() && after.in_check());
        }
        let options = search::Options { table_bytes: 64 << 20, ..search::Options::default() };
        let (budget, within) = (self.share(replies.len()), (plies - 1).min(u32::from(u16::MAX)) as u16);
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
