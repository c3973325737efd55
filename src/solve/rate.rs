//! The value after every legal move. Where tables or a listed graph know it, one solution tells
//! all, and slices of one officer at most nearly all. Elsewhere the root is solved first: its key is
//! rated by its own proof, never again; then, with two officers, slices tell what they know, and the
//! other moves have a search each, in rounds of growing length.

use super::engines::auto::{Attempt, are_tables_too_slow, listed, tabled};
use super::engines::{slices, syzygy};
use super::question::Question;
use super::questions::{Answer, Questions};
use super::{Engine, Rated, SolveError, Solver, Verdict};
use crate::chess::{Position, Profile, UNMEASURED, Value, in_check, successors};
use crate::limits::{Budget, StopReason};
use crate::prove::NoMate;
use crate::slices::Analysis;
use std::collections::BTreeSet;
use std::time::Duration;

/// What a move's first search may take; undecided moves are searched again, each time twice as
/// long.
const FIRST_SHARE: Duration = Duration::from_secs(1);
/// What each has before slices are asked.
const AT_ONCE: Duration = Duration::from_millis(200);
/// The root's own solution has one of so many parts of a budget; fewer where slices come after it.
const PART: u32 = 3;
const SHORT_PART: u32 = 8;
/// How long slices may take where nothing is limited.
const SLICES: Duration = Duration::from_secs(60);
/// Positions that the root's own solution may visit where nothing is limited: some seconds.
const ROOT: u64 = 1_000_000;
/// Positions that the question "does this move mate as soon?" may visit.
const AS_SOON: u64 = 50_000;

/// The moves as far as they are rated.
struct Rating<'a> {
    solver: &'a Solver,
    root: &'a Position,
    rated: Vec<Rated>,
    /// The moves that are not rated yet: their places, and the positions after them.
    open: Vec<(usize, Position)>,
    /// Positions visited so far.
    spent: u64,
    /// Hears of each move when its value is proved.
    found: &'a mut dyn FnMut(&Rated),
    relies_on: BTreeSet<String>,
}

/// Every legal move with the value after it, as far as it is decided.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Ratings {
    /// The moves, the best first.
    pub moves: Vec<Rated>,
    /// The Syzygy tables that some of the values rest on, as in [`Verdict::relies_on`].
    pub relies_on: Vec<String>,
}

impl From<Vec<Rated>> for Ratings {
    fn from(moves: Vec<Rated>) -> Self {
        Self { moves, relies_on: Vec::new() }
    }
}

impl Solver {
    /// Every legal move of a position with the value of the position after it, the best first.
    ///
    /// Where the position is in tables or can be listed, one solution tells all. Else the root is
    /// solved first, and the other moves are searched one by one, in rounds of growing length, until
    /// all are decided or the budget ends; none has more than its share of what is left.
    ///
    /// ```
    /// use theta_chess::{Limits, Solver, Value};
    ///
    /// let root = "7k/8/5K2/8/8/8/6Q1/8 w - -".parse()?;
    /// let rated = Solver::default().rate(&root, &Limits::seconds(60))?;
    /// assert_eq!(rated[0].play.to_string(), "g2g7");
    /// assert_eq!(rated.last().map(|worst| worst.value), Some(Some(Value::Draw)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Solver::solve`].
    pub fn rate(
        &self,
        root: &Position,
        limits: impl Into<Budget>,
    ) -> Result<Vec<Rated>, SolveError> {
        Ok(self.rate_each(root, limits, &mut |_| ())?.moves)
    }

    /// As [`Solver::rate`]; `found` hears of each move when its value is proved, where they are not
    /// all known at once.
    ///
    /// # Errors
    /// As [`Solver::solve`].
    pub fn rate_each(
        &self,
        root: &Position,
        limits: impl Into<Budget>,
        found: &mut dyn FnMut(&Rated),
    ) -> Result<Ratings, SolveError> {
        let (options, budget) = (&self.options, &limits.into());
        let fide = options.profile == Profile::Fide;
        let question = Question { root, kept: &self.kept, options, budget };
        let by_syzygy = matches!(options.engine, Engine::Auto | Engine::Tables);
        if let (true, false, Some(tables)) = (by_syzygy, options.self_contained, question.syzygy())
            && let Some(verdict) = syzygy::solve(&question)
        {
            let moves = verdict.rate(root);
            let relies_on = syzygy::relied_on(&tables, root, &moves);
            return Ok(Ratings { moves, relies_on });
        }
        let has_table = self.has_table(root, budget) && !are_tables_too_slow(&question);
        let attempt = match options.engine {
            Engine::Auto if fide && has_table => tabled(&question)?,
            Engine::Auto if fide => listed(&question),
            Engine::Search | Engine::Slices | Engine::Subgoals if fide => Attempt::TooLarge(0),
            _ => Attempt::Done(Box::new(self.solve(root, budget)?)),
        };
        let spent = match attempt {
            Attempt::Done(verdict) => return Ok(verdict.rate(root).into()),
            Attempt::TooLarge(positions) => positions,
        };
        let fits = slices::fits(&question);
        let officers = if fits { Analysis::officers(&question.board()) } else { 0 };
        let by_slices = match options.engine {
            Engine::Auto => fits && officers < 2,
            engine => engine == Engine::Slices && fits,
        };
        if by_slices {
            let rated = slices::rate(&question);
            rated.iter().filter(|r| r.value.is_some()).for_each(&mut *found);
            return Ok(rated.into());
        }
        let mut rating = Rating::new(self, root, spent, found);
        // Slices of two officers take seconds and know many moves at once; of three they take too long.
        let with_slices = options.engine == Engine::Auto && officers == 2;
        rating.by_root(budget, if with_slices { SHORT_PART } else { PART })?;
        if with_slices {
            // Short mates first: slices know no lengths.
            let part = budget.remaining().map_or_else(|| budget.clone(), |t| budget.part(t / PART));
            rating.round(&part, AT_ONCE)?;
            rating.by_slices(&question);
        }
        rating.in_rounds(budget)?;
        let side = root.side_to_move();
        rating.rated.sort_by_key(|r| r.merit(side));
        Ok(Ratings { moves: rating.rated, relies_on: rating.relies_on.into_iter().collect() })
    }
}

impl<'a> Rating<'a> {
    /// What stands on the board after a move is known at once.
    fn new(
        solver: &'a Solver,
        root: &'a Position,
        spent: u64,
        found: &'a mut dyn FnMut(&Rated),
    ) -> Self {
        let profile = solver.options.profile;
        let (mut rated, mut open) = (Vec::new(), Vec::new());
        for (play, z) in successors(profile, root.vector()) {
            let mut this = Rated::unknown(play);
            if successors(profile, &z).is_empty() {
                let mate = Value::Wins(root.side_to_move(), 0);
                this.value = Some(if in_check(&z) { mate } else { Value::Draw });
                this.shortest = true;
                found(&this);
            } else if let Ok(after) = Position::try_from(z) {
                open.push((rated.len(), after));
            }
            rated.push(this);
        }
        Self { solver, root, rated, open, spent, found, relies_on: BTreeSet::new() }
    }

    /// Notes the value after a move.
    fn know(&mut self, i: usize, value: Value, shortest: bool) {
        (self.rated[i].value, self.rated[i].shortest) = (Some(value), shortest);
        (self.found)(&self.rated[i]);
    }

    fn forget_known(&mut self) {
        let rated = &self.rated;
        self.open.retain(|(i, _)| rated[*i].value.is_none());
    }

    /// Solves the root with one of so many parts of the budget. Of a mate the other moves are asked
    /// whether they mate as soon.
    fn by_root(&mut self, budget: &Budget, part: u32) -> Result<(), SolveError> {
        let left = budget.after(self.spent);
        if left.check(0, 0).is_err() || self.open.is_empty() {
            return Ok(());
        }
        let positions = left.limits().positions.map(|n| n / u64::from(part));
        let share = match (left.remaining(), positions) {
            (Some(time), Some(positions)) => left.part(time / part).with_positions(positions),
            (Some(time), None) => left.part(time / part),
            (None, positions) => left.with_positions(positions.unwrap_or(ROOT)),
        };
        let verdict = self.solve(self.root, &share)?;
        let (side, Some(value)) = (self.root.side_to_move(), verdict.value) else { return Ok(()) };
        for (i, _) in self.open.clone() {
            let best = verdict.best.contains(&self.rated[i].play);
            match value {
                Value::Wins(winner, _) if winner != side => self.know(i, value.after(), false),
                Value::Wins(..) if best => self.know(i, value.after(), verdict.shortest),
                Value::Draw if best => self.know(i, Value::Draw, true),
                _ => {}
            }
        }
        self.forget_known();
        match value {
            Value::Wins(winner, plies) if winner == side && plies < UNMEASURED => {
                self.as_soon(plies, budget)
            }
            _ => Ok(()),
        }
    }

    /// What slices say of the open moves, in two thirds of the time.
    fn by_slices(&mut self, question: &Question) {
        let time = question.budget.remaining().map_or(SLICES, |left| left / 3 * 2);
        let budget = question.budget.part(time);
        for told in slices::rate(&question.within(&budget)) {
            let is_same = |&&(i, _): &&(usize, Position)| self.rated[i].play == told.play;
            if let (Some(value), Some(&(i, _))) = (told.value, self.open.iter().find(is_same)) {
                self.know(i, value, told.shortest);
            }
        }
        self.forget_known();
    }

    /// Asks the other moves whether they mate within as many plies; a reply refutes those that do
    /// not.
    fn as_soon(&mut self, plies: u32, budget: &Budget) -> Result<(), SolveError> {
        let board = self.root.board();
        let left = budget.after(self.spent);
        let part = left.remaining().map_or(Duration::MAX, |time| time / 4);
        let mut questions = Questions::new(self.solver, left.part(part));
        for (i, _) in &self.open {
            let Some(m) = board.find(self.rated[*i].play) else { continue };
            let share = questions.left().at_most(AS_SOON);
            if share.check(0, 0).is_err() {
                break;
            }
            let (answer, reply) = questions.mates(&board, m, plies, &share);
            if answer == Answer::No {
                // Plies are counted from the position after the move, as in the value.
                let plies = plies - 1;
                let reply = reply.map(|reply| (reply, plies));
                self.rated[*i].no_mate = Some(NoMate { plies, reply });
            }
        }
        self.spent += questions.spent();
        Ok(())
    }

    fn solve(&mut self, position: &Position, budget: &Budget) -> Result<Verdict, SolveError> {
        let options = &self.solver.options;
        let searched = options.engine == Engine::Auto
            && options.profile == Profile::Fide
            && !self.solver.has_table(position, budget);
        let engine = if searched { Engine::Search } else { options.engine };
        let verdict = self.solver.solve_with(position, &options.with_engine(engine), budget)?;
        self.spent += verdict.positions;
        self.relies_on.extend(verdict.relies_on.iter().cloned());
        Ok(verdict)
    }

    /// A search of its own for each move without a value, in rounds of growing length.
    fn in_rounds(&mut self, budget: &Budget) -> Result<(), SolveError> {
        let mut share = FIRST_SHARE;
        while self.round(budget, share)? {
            share *= 2;
        }
        Ok(())
    }

    /// A search of so much time for each move without a value; whether more time may help.
    fn round(&mut self, budget: &Budget, share: Duration) -> Result<bool, SolveError> {
        let mut again = Vec::new();
        let open = std::mem::take(&mut self.open);
        for (k, (i, after)) in open.iter().enumerate() {
            if budget.check(self.spent, 0).is_err() {
                again.extend_from_slice(&open[k..]);
                self.open = again;
                return Ok(false);
            }
            let part = part(budget, share, self.spent, open.len() - k);
            let verdict = self.solve(after, &part)?;
            match verdict.value {
                Some(value) => self.know(*i, value, verdict.shortest),
                None => self.bound(*i, &verdict),
            }
            // Only more time may still help.
            let late = matches!(verdict.stop, Some(StopReason::Time | StopReason::Positions));
            again.extend((verdict.value.is_none() && late).then_some((*i, *after)));
        }
        self.open = again;
        Ok(!self.open.is_empty())
    }

    /// Notes within how many plies a move is proved not to mate.
    fn bound(&mut self, i: usize, verdict: &Verdict) {
        // The side that has moved mates after an even number of plies.
        let plies = verdict.no_mate_within(self.root.side_to_move()) & !1;
        let known = self.rated[i].no_mate.unwrap_or(NoMate { plies: 0, reply: None });
        if plies > known.plies {
            self.rated[i].no_mate = Some(NoMate { plies, ..known });
        }
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

    #[test]
    fn slices_of_two_officers_tell_moves() {
        let root: Position = "8/6k1/8/5KP1/B6R/8/7P/8 b - -".parse().unwrap();
        let solver = Solver::default();
        let limits = Limits::default().with_threads(1).with_time(Duration::from_secs(100));
        let (budget, mut told) = (Budget::new(limits), 0);
        let mut found = |rated: &Rated| {
            assert!(matches!(rated.value, Some(Value::Wins(Side::White, _))), "{rated:?}");
            told += 1;
        };
        let mut rating = Rating::new(&solver, &root, 0, &mut found);
        let Solver { kept, options, .. } = &solver;
        rating.by_slices(&Question { root: &root, kept, options, budget: &budget });
        assert!(rating.open.is_empty());
        assert_eq!(rating.rated.len(), 3);
        assert_eq!(told, 3);
    }
}
