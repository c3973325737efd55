//! The value after every legal move, also where no engine lists the positions: each move then has a
//! search of its own.

use super::engines::auto::{Attempt, listed, tabled};
use super::{Engine, Question, Rated, SolveError, Solver};
use crate::chess::Value;
use crate::chess::{Position, Profile, in_check, successors};
use crate::limits::{Budget, StopReason};
use crate::tables::MAX_MEN;
use std::time::Duration;

/// What a move's first search may take; undecided moves are searched again, each time twice as
/// long.
const FIRST_SHARE: Duration = Duration::from_secs(1);

impl Solver {
    /// Every legal move of a position with the value of the position after it, the best first.
    ///
    /// Where the position is in tables or can be listed, one solution tells all. Else the moves are
    /// searched one by one, in rounds of growing length, until all are decided or the budget ends;
    /// none has more than its share of what is left.
    ///
    /// # Errors
    /// As [`Solver::solve`].
    pub fn rate(
        &self,
        root: &Position,
        limits: impl Into<Budget>,
    ) -> Result<Vec<Rated>, SolveError> {
        let (options, budget) = (&self.options, &limits.into());
        let fide = options.profile == Profile::Fide;
        let question = Question { root, solver: self, options, budget };
        let attempt = match options.engine {
            Engine::Auto if fide && root.men() <= MAX_MEN => tabled(&question)?,
            Engine::Auto if fide => listed(&question),
            Engine::Search | Engine::Subgoals if fide => Attempt::TooLarge(0),
            _ => Attempt::Done(Box::new(self.solve(root, budget)?)),
        };
        let spent = match attempt {
            Attempt::Done(verdict) => return Ok(verdict.rate(root)),
            Attempt::TooLarge(positions) => positions,
        };
        let unknown = successors(options.profile, root.vector())
            .iter()
            .map(|(m, _)| Rated::unknown(*m))
            .collect();
        self.rate_unknown(root, unknown, &budget.after(spent))
    }

    /// The same where something is known already: a search of its own for each move without a
    /// value.
    ///
    /// # Errors
    /// As [`Solver::solve`].
    pub fn rate_unknown(
        &self,
        root: &Position,
        mut rated: Vec<Rated>,
        budget: &Budget,
    ) -> Result<Vec<Rated>, SolveError> {
        let options = &self.options;
        let mut open = Vec::new();
        for (m, z) in successors(options.profile, root.vector()) {
            let Some(i) = rated.iter().position(|r| r.play == m && r.value.is_none()) else {
                continue;
            };
            if successors(options.profile, &z).is_empty() {
                let mate = Value::Wins(root.side_to_move(), 0);
                let value = if in_check(&z) { mate } else { Value::Draw };
                (rated[i].value, rated[i].shortest) = (Some(value), true);
            } else if let Ok(after) = Position::try_from(z) {
                open.push((i, after));
            }
        }
        open.sort_by_key(|(i, _)| *i);
        let (mut share, mut spent) = (FIRST_SHARE, 0);
        while !open.is_empty() {
            let mut again = Vec::new();
            for (k, (i, after)) in open.iter().enumerate() {
                if budget.check(spent, 0).is_err() {
                    again.clear();
                    break;
                }
                let part = part(budget, share, spent, open.len() - k);
                let searched = options.engine == Engine::Auto
                    && options.profile == Profile::Fide
                    && after.men() > MAX_MEN;
                let engine = if searched { Engine::Search } else { options.engine };
                let verdict = self.solve_with(after, &options.with_engine(engine), &part)?;
                spent += verdict.positions;
                (rated[*i].value, rated[*i].shortest) = (verdict.value, verdict.shortest);
                // Only more time may still help.
                let late = matches!(verdict.stop, Some(StopReason::Time | StopReason::Positions));
                again.extend((verdict.value.is_none() && late).then_some((*i, *after)));
            }
            open = again;
            share *= 2;
        }
        let side = root.side_to_move();
        rated.sort_by_key(|r| r.merit(side));
        Ok(rated)
    }
}

/// A share of the time and positions that are left, for one of `moves`.
fn part(budget: &Budget, time: Duration, spent: u64, moves: usize) -> Budget {
    let moves = moves as u32;
    let time = budget.remaining().map_or(time, |left| time.min(left / moves));
    let part = budget.after(spent).part(time);
    match part.limits().positions {
        Some(left) => part.with_positions((left / u64::from(moves)).max(1)),
        None => part,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Side;
    use crate::limits::Limits;

    #[test]
    fn moves_of_positions_with_many_men_are_searched_one_by_one() {
        let root: Position = "6k1/5ppp/8/8/8/8/PPP4r/1K1R4 w - -".parse().unwrap();
        let solver = Solver::default();
        let limits = Limits::default().with_threads(1);
        let rated = solver.rate(&root, limits.with_positions(400_000)).unwrap();
        assert_eq!(rated.len(), successors(Profile::Fide, root.vector()).len());
        assert_eq!(
            (rated[0].play.to_string().as_str(), rated[0].value),
            ("d1d8", Some(Value::Wins(Side::White, 0)))
        );
        assert!(rated[0].shortest);
        // When the rook leaves the first rank, Black mates there, once it has taken the rook that
        // comes between.
        let lost = rated.iter().find(|r| r.play.to_string() == "d1d2").unwrap();
        assert_eq!(lost.value, Some(Value::Wins(Side::Black, 3)));
        // Without a budget only what stands on the board is known.
        let solver = solver.with_engine(Engine::Search);
        let rated = solver.rate(&root, limits.with_positions(0)).unwrap();
        assert_eq!(rated.iter().filter(|r| r.value.is_some()).count(), 1);
    }
}
