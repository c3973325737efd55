//! A look at a single position: whether the advised side wins it, by the search, tables or slices.

use super::super::super::question::{Kept, Question};
use super::super::super::{Bound, Engine, Options, Verdict};
use super::super::{auto, search, slices, tables};
use super::{LONGER, Proof};
use crate::certificate::Strategy;
use crate::chess::board::{Board, Position as _};
use crate::chess::{Position, Side, Value};
use crate::limits::{Budget, Limits, StopReason};
use crate::slices::Analysis;
use crate::tables::MAX_MEN;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Slices of two officers are asked where there are no more pawns than so many.
const FEW_PAWNS: usize = 6;

/// What a look at a position with the winner to move has come to.
enum Seen {
    /// It is won, by this strategy.
    Won(Box<Strategy>),
    /// It is proved not to be won.
    NotWon,
    /// Neither.
    Open,
}

impl Proof<'_> {
    /// Looks at positions with the winner to move, the replies to a move: those that stay open, or none
    /// where one is not won. Where a file says what to play, that is tried before anything is searched.
    pub(super) fn look_at(
        &mut self,
        replies: Vec<Board>,
    ) -> Result<Option<Vec<Board>>, StopReason> {
        if replies.iter().any(|reply| self.lost.contains(&reply.packed())) {
            return Ok(None);
        }
        let is_seen = |proof: &Self, reply: &Board| {
            let seen = proof.seen.get(&reply.packed()).is_some_and(|&time| time >= proof.look);
            seen || !proof.adviser.listed(reply).is_empty()
        };
        let is_won = |proof: &Self, reply: &Board| proof.won.contains_key(&reply.packed());
        for reply in &replies {
            if !is_won(self, reply) && self.slices.knows(reply) {
                self.ask_slices(reply, self.slices_time())?;
            }
        }
        let unseen: Vec<&Board> =
            replies.iter().filter(|reply| !is_won(self, reply) && !is_seen(self, reply)).collect();
        for (i, seen) in self.look_at_once(&unseen, self.look)? {
            self.take(unseen[i], seen, self.look);
        }
        if replies.iter().any(|reply| self.lost.contains(&reply.packed())) {
            return Ok(None);
        }
        Ok(Some(replies.into_iter().filter(|reply| !is_won(self, reply)).collect()))
    }

    /// Looks longer at a position, at one of two officers and few pawns by slices first.
    pub(super) fn look_longer(&mut self, board: &Board) -> Result<(), StopReason> {
        let (time, slices) = (self.look * LONGER, self.slices_time());
        if self.seen.get(&board.packed()).is_none_or(|&seen| seen < time) {
            if suits_slices(board) && self.ask_slices(board, slices)? {
                return Ok(());
            }
            for (_, seen) in self.look_at_once(&[board], time)? {
                self.take(board, seen, time);
            }
        }
        Ok(())
    }

    /// How long slices are asked about a position.
    fn slices_time(&self) -> Duration {
        self.slices_part.max(self.look * LONGER)
    }

    /// Asks slices about a position: whether they win it.
    fn ask_slices(&mut self, board: &Board, time: Duration) -> Result<bool, StopReason> {
        self.check()?;
        let budget = self.question.budget.quietly().memory_of(2).part(time);
        let question = Question { root: &Position::from(board), budget: &budget, ..*self.question };
        let strategy = self.slices.ask(&question);
        let is_won = strategy.is_some();
        if let Some(strategy) = strategy {
            self.take(board, Seen::Won(Box::new(strategy)), time);
        }
        self.check()?;
        Ok(is_won)
    }

    /// Takes in what a look has come to.
    fn take(&mut self, board: &Board, seen: Seen, time: Duration) {
        let key = board.packed();
        match seen {
            Seen::Won(strategy) => {
                // What was known before comes first, so that lines run in no circle.
                for (p, answer) in strategy.iter() {
                    self.won.entry(p).or_insert(answer.play);
                }
                self.won.entry(key).or_insert(None);
            }
            Seen::NotWon => {
                self.lost.insert(key);
            }
            Seen::Open => {
                self.open = true;
                self.seen.insert(key, time);
            }
        }
    }

    /// Looks at several positions, each for so much time.
    fn look_at_once(
        &mut self,
        boards: &[&Board],
        time: Duration,
    ) -> Result<Vec<(usize, Seen)>, StopReason> {
        self.check()?;
        let left = self.question.budget.after(self.positions);
        let (looks, positions) =
            look_at_once(&self.question.within(&left), &self.kept, self.owner, boards, time);
        self.positions += positions;
        self.check()?;
        Ok(looks)
    }
}

/// Looks at positions with the winner to move, several at the same time, each with its part of the
/// threads and what its thread has learned; when one is found not to be won the others are left. What
/// came of each that was looked at, by its number, and how many positions that took.
fn look_at_once(
    question: &Question,
    kept: &[Kept],
    owner: Side,
    boards: &[&Board],
    time: Duration,
) -> (Vec<(usize, Seen)>, u64) {
    let workers = kept.len().min(boards.len()).max(1);
    let each = Limits { threads: kept.len() / workers, ..*question.budget.limits() };
    let over = Arc::new(AtomicBool::new(false));
    let budget = question.budget.quietly().limited(each).memory_of(4 * workers as u64);
    let budget = budget.cancelled_by(Arc::clone(&over));
    let (next, done) = (AtomicUsize::new(0), Mutex::new((Vec::new(), 0)));
    let work = |kept: &Kept| {
        while !over.load(Ordering::Relaxed) {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(board) = boards.get(i) else { break };
            let question = Question { kept, budget: &budget, ..*question };
            let (seen, positions) = look(&question, owner, board, time);
            // It may have been given up.
            let is_left = over.load(Ordering::Relaxed) && matches!(seen, Seen::Open);
            over.fetch_or(matches!(seen, Seen::NotWon), Ordering::Relaxed);
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            done.1 += positions;
            if !is_left {
                done.0.push((i, seen));
            }
        }
    };
    std::thread::scope(|scope| {
        kept.iter().take(workers).for_each(|kept| drop(scope.spawn(|| work(kept))));
    });
    done.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Looks at a position with the winner to move, for so much time: by the search for the win, then by tables
/// and slices, where they fit, for some times as long. Also says how many positions that took.
fn look(question: &Question, owner: Side, board: &Board, time: Duration) -> (Seen, u64) {
    let position = Position::from(board);
    let (part, longer) = (question.budget.part(time), question.budget.part(time * LONGER));
    let options = Options { engine: Engine::Auto, shortest: false, ..*question.options };
    let question = Question { root: &position, options: &options, budget: &longer, ..*question };
    let tabled = position.men() < MAX_MEN || tables::at_hand(&question);
    let mut positions = 0;
    if !tabled {
        let mut searcher = search::Searcher::new(&question.within(&part));
        let short = searcher.short_mate(&part);
        searcher.only_win(owner);
        let verdict = short.unwrap_or_else(|| searcher.solve(&part));
        positions += verdict.positions;
        let seen = seen(&verdict, owner, &longer);
        if !matches!(seen, Seen::Open) {
            return (seen, positions);
        }
    }
    if !tabled && !is_solved_soon(&question) {
        return (Seen::Open, positions);
    }
    match auto::solve(&question) {
        Ok(verdict) => {
            let seen = seen(&verdict, owner, &question.budget.with_at_least(time));
            (seen, positions + verdict.positions)
        }
        // A table that cannot be built is told of where it is asked for.
        Err(_) => (Seen::Open, positions),
    }
}

/// Whether tables or slices may solve a position in a few seconds.
fn is_solved_soon(question: &Question) -> bool {
    let is_simple = || slices::fits(question) && !slices::is_several(question);
    question.root.men() <= MAX_MEN || is_simple()
}

/// Whether a position has two officers and so few pawns that slices may solve it in some ten seconds.
pub(super) fn suits_slices(board: &Board) -> bool {
    let pawns = board.chess().board().pawns().count();
    Analysis::officers(board) == 2 && !Analysis::has_rest(board) && pawns <= FEW_PAWNS
}

/// What a verdict says of a position.
fn seen(verdict: &Verdict, owner: Side, budget: &Budget) -> Seen {
    match verdict.value {
        Some(Value::Wins(side, _)) if side == owner => {
            let certificate = verdict.certificate_within(budget).ok();
            let strategy =
                certificate.and_then(|certificate| certificate.strategies.into_iter().next());
            strategy.map_or(Seen::Open, |strategy| Seen::Won(Box::new(strategy)))
        }
        Some(_) => Seen::NotWon,
        None if verdict.bounds.contains(&Bound::of(owner.other())) => Seen::NotWon,
        None => Seen::Open,
    }
}
