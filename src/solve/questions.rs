//! Questions about single moves, where the root's value is proved but not the values after the
//! other moves: "does this move mate within so many plies?", "does it win, hold or lose?".
//!
//! Nothing is answered that is not proved; a question that the limits leave open stays open.

use super::{Engine, SolveError, Solver, Verdict};
use crate::chess::Value;
use crate::chess::board::{Board, ChessMove, move_of};
use crate::chess::{Move, Position, Side};
use crate::limits::{Budget, StopReason};
use crate::search::{Options, Pursuit, no_probe};
use std::time::Duration;

/// The positions of a question's first attempt; each further attempt may visit twice as many.
const FIRST: u64 = 20_000;
/// The positions of the last attempt at one question, where the user has set no limit at all: some
/// seconds.
const LAST: u64 = 640_000;
/// Bytes for what the questions about mates learn from one another.
const LEARNED: u64 = 128 << 20;

/// What a question came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    /// Proved.
    Yes,
    /// Proved not to be so.
    No,
    /// Open when the limits were reached.
    Open,
}

/// Asks questions within one budget; what is learned from one serves the next.
pub(super) struct Questions<'a> {
    solver: &'a Solver,
    budget: Budget,
    pursuit: Pursuit,
    /// Positions visited so far.
    spent: u64,
    /// Why a question was left open, the last reason.
    pub(super) stop: Option<StopReason>,
}

impl<'a> Questions<'a> {
    pub(super) fn new(solver: &'a Solver, budget: Budget) -> Self {
        let options = Options { table_bytes: LEARNED, ..Options::default() };
        let pursuit = Pursuit::new(&options, &budget);
        Self { solver, budget, pursuit, spent: 0, stop: None }
    }

    /// Whether anything may still be asked.
    fn check(&mut self) -> bool {
        let end = self.budget.check(self.spent, 0).err();
        self.stop = end.or(self.stop);
        end.is_none()
    }

    /// Asks every question, those that are left open again with more work, until all are answered
    /// or the limits end it. `attempt` answers one question within so many positions.
    pub(super) fn ask<Q>(
        &mut self,
        questions: &[Q],
        attempt: impl FnMut(&mut Self, &Q, &Budget) -> Result<Answer, SolveError>,
    ) -> Result<Vec<Answer>, SolveError> {
        self.ask_for(questions, Answer::Open, attempt)
    }

    /// The same, ended by the first answer that is looked for.
    pub(super) fn ask_for<Q>(
        &mut self,
        questions: &[Q],
        wanted: Answer,
        mut attempt: impl FnMut(&mut Self, &Q, &Budget) -> Result<Answer, SolveError>,
    ) -> Result<Vec<Answer>, SolveError> {
        let mut answers = vec![Answer::Open; questions.len()];
        let limited = self.budget.remaining().is_some() || self.budget.limits().positions.is_some();
        let (mut positions, mut open) = (FIRST, questions.len());
        while open > 0 && (limited || positions <= LAST) {
            for i in 0..questions.len() {
                if answers[i] != Answer::Open {
                    continue;
                }
                if !self.check() {
                    return Ok(answers);
                }
                let part = self.share(open, positions);
                answers[i] = attempt(self, &questions[i], &part)?;
                if answers[i] != Answer::Open && answers[i] == wanted {
                    return Ok(answers);
                }
            }
            open = answers.iter().filter(|answer| **answer == Answer::Open).count();
            positions *= 2;
        }
        if open > 0 {
            self.stop = self.stop.or(Some(StopReason::Positions));
        }
        Ok(answers)
    }

    /// A share of what is left for one of so many questions.
    fn share(&self, questions: usize, positions: u64) -> Budget {
        let left = self.left();
        let part = match left.remaining() {
            Some(time) => left.part(time / questions as u32),
            None => left.part(Duration::MAX),
        };
        part.at_most(positions)
    }

    /// Whether the side to move mates within `plies`, beginning with this move, whatever the reply;
    /// if not, a reply that refutes it.
    pub(super) fn mates(
        &mut self,
        board: &Board,
        m: ChessMove,
        plies: u32,
        budget: &Budget,
    ) -> (Answer, Option<Move>) {
        let after = board.after(m);
        let replies = after.legal_moves();
        if replies.is_empty() {
            return (if after.in_check() { Answer::Yes } else { Answer::No }, None);
        }
        if plies < 3 {
            return (Answer::No, replies.first().map(move_of));
        }
        let (mut answer, before) = (Answer::Yes, self.spent);
        for reply in replies {
            let left = budget.after(self.spent - before);
            match self.mate_in(&after.after(reply), plies - 2, &left).0 {
                Answer::Yes => {}
                Answer::No => return (Answer::No, Some(move_of(&reply))),
                Answer::Open => answer = Answer::Open,
            }
        }
        (answer, None)
    }

    /// Whether the side to move mates within `plies`, and if so the fewest plies and a first move.
    pub(super) fn mate_in(
        &mut self,
        board: &Board,
        plies: u32,
        budget: &Budget,
    ) -> (Answer, Option<(u32, Move)>) {
        let most = plies.min(u32::from(u16::MAX - 2)) as u16;
        let outcome = self.pursuit.mate_in(board, most, budget);
        self.spent += outcome.positions;
        match (outcome.win, outcome.stop) {
            (Some(win), _) if win.plies <= most => {
                let first = win.plan.play(board, &no_probe);
                (Answer::Yes, first.map(|first| (win.plies.into(), first)))
            }
            (None, None) if u32::from(most) == plies => (Answer::No, None),
            _ => (Answer::Open, None),
        }
    }

    /// Positions visited so far.
    pub(super) fn spent(&self) -> u64 {
        self.spent
    }

    /// What is left of the budget.
    pub(super) fn left(&self) -> Budget {
        self.budget.after(self.spent)
    }

    /// What is proved of the position after a move, by an engine of its own.
    pub(super) fn after(
        &mut self,
        board: &Board,
        m: ChessMove,
        budget: &Budget,
    ) -> Result<Verdict, SolveError> {
        let after = Position::from(&board.after(m));
        let options = self.solver.options();
        let engine = match options.engine {
            Engine::Auto if !self.solver.has_table(&after, budget) => Engine::Search,
            engine => engine,
        };
        let verdict = self.solver.solve_with(&after, &options.with_engine(engine), budget)?;
        self.spent += verdict.positions;
        Ok(verdict)
    }
}

/// Whether a side wins a position, as far as a verdict proves it.
pub(super) fn wins(verdict: &Verdict, side: Side) -> Answer {
    let other_holds = verdict.bounds.iter().any(|bound| bound.side() != side);
    match verdict.value {
        Some(Value::Wins(winner, _)) if winner == side => Answer::Yes,
        Some(_) => Answer::No,
        None if other_holds => Answer::No,
        None => Answer::Open,
    }
}

/// Whether a side holds a position, as far as a verdict proves it.
pub(super) fn holds(verdict: &Verdict, side: Side) -> Answer {
    match verdict.value {
        Some(Value::Wins(winner, _)) if winner != side => Answer::No,
        Some(_) => Answer::Yes,
        None if verdict.bounds.iter().any(|bound| bound.side() == side) => Answer::Yes,
        None => Answer::Open,
    }
}
