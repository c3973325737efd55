//! The value after every legal move, also where no engine lists the positions: each move then has a
//! search of its own.

use super::{Attempt, Engine, Options, Rated, SolveError, Solver, less};
use crate::chess::{Move, Profile, Side, Vector, in_check, successors};
use crate::game::Value;
use crate::limits::{Budget, Limits, StopReason};
use crate::tables::MAX_MEN;
use hashbrown::HashMap;
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
        root: &Vector,
        options: &Options,
        budget: &Budget,
    ) -> Result<Vec<Rated>, SolveError> {
        let fide = options.profile == Profile::Fide;
        let attempt = match options.engine {
            Engine::Auto if fide && root.men() <= MAX_MEN => self.tabled(root, budget)?,
            Engine::Auto if fide => self.listed(root, options, budget),
            Engine::Search | Engine::Subgoals if fide => Attempt::TooLarge(0),
            _ => Attempt::Done(Box::new(self.solve(root, options, budget)?)),
        };
        let spent = match attempt {
            Attempt::Done(verdict) => return Ok(verdict.evidence.rate(root, options.profile)),
            Attempt::TooLarge(positions) => positions,
        };
        let unknown =
            successors(options.profile, root).iter().map(|(m, _)| Rated::unknown(*m)).collect();
        self.rate_unknown(root, unknown, options, &less(budget, spent))
    }

    /// The same where something is known already: a search of its own for each move without a
    /// value.
    ///
    /// # Errors
    /// As [`Solver::solve`].
    pub fn rate_unknown(
        &self,
        root: &Vector,
        mut rated: Vec<Rated>,
        options: &Options,
        budget: &Budget,
    ) -> Result<Vec<Rated>, SolveError> {
        let after: HashMap<Move, Vector> = successors(options.profile, root).into_iter().collect();
        let mut open = Vec::new();
        for (i, reach) in rated.iter_mut().enumerate().filter(|(_, reach)| reach.value.is_none()) {
            let z = &after[&reach.play];
            if successors(options.profile, z).is_empty() {
                let mate = Value::Wins(Side::to_move(root), 0);
                (reach.value, reach.shortest) =
                    (Some(if in_check(z) { mate } else { Value::Draw }), true);
            } else {
                open.push(i);
            }
        }
        let (mut share, mut spent) = (FIRST_SHARE, 0);
        while !open.is_empty() {
            let mut again = Vec::new();
            for (k, &i) in open.iter().enumerate() {
                if budget.check(spent, 0).is_err() {
                    again.clear();
                    break;
                }
                let part = part(budget, share, spent, open.len() - k);
                let z = &after[&rated[i].play];
                let searched = options.engine == Engine::Auto
                    && options.profile == Profile::Fide
                    && z.men() > MAX_MEN;
                let engine = if searched { Engine::Search } else { options.engine };
                let verdict = self.solve(z, &Options { engine, ..*options }, &part)?;
                spent += verdict.positions;
                (rated[i].value, rated[i].shortest) = (verdict.value, verdict.shortest);
                // Only more time may still help.
                let late = matches!(verdict.stop, Some(StopReason::Time | StopReason::Positions));
                again.extend((verdict.value.is_none() && late).then_some(i));
            }
            open = again;
            share *= 2;
        }
        let side = Side::to_move(root);
        rated.sort_by_key(|r| r.merit(side));
        Ok(rated)
    }
}

/// A share of the time and positions that are left, for one of `moves`.
fn part(budget: &Budget, time: Duration, spent: u64, moves: usize) -> Budget {
    let moves = moves as u32;
    let time = budget.remaining().map_or(time, |left| time.min(left / moves));
    let positions =
        budget.limits().positions.map(|n| (n.saturating_sub(spent) / u64::from(moves)).max(1));
    let part = budget.part(time);
    part.limited(Limits { positions, ..*part.limits() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::parse_fen;
    use crate::tables::Tables;

    #[test]
    fn moves_of_positions_with_many_men_are_searched_one_by_one() {
        let root = parse_fen("6k1/5ppp/8/8/8/8/PPP4r/1K1R4 w - -", Profile::Fide).unwrap();
        let solver = Solver::new(Tables::in_memory().into());
        let budget =
            Budget::new(Limits { positions: Some(400_000), threads: 1, ..Limits::default() });
        let rated = solver.rate(&root, &Options::default(), &budget).unwrap();
        assert_eq!(rated.len(), successors(Profile::Fide, &root).len());
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
        let none = Budget::new(Limits { positions: Some(0), threads: 1, ..Limits::default() });
        let rated = solver
            .rate(&root, &Options { engine: Engine::Search, ..Options::default() }, &none)
            .unwrap();
        assert_eq!(rated.iter().filter(|r| r.value.is_some()).count(), 1);
    }
}
