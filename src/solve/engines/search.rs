//! Proof search as an engine, with tables at its leaves: up to four men, and five where they are
//! stored.

use super::super::question::Question;
use super::super::{Bound, CertificateError, Engine, Evidence, Verdict};
use crate::aim::Goal;
use crate::certificate::{Certificate, Claim, Closed, Strategy};
use crate::chess::board::{Board, move_of};
use crate::chess::{Position, Side};
use crate::chess::{UNMEASURED, Value, cannot_be_mated};
use crate::guess::{Found, Guesses};
use crate::limits::{Budget, StopReason};
use crate::search::{Aside, LeafTables, Options, Outcome, Pursuit, Solved, Threads};
use crate::strategy::BuildError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Plies of the mates that are looked for before anything else, and the positions that may cost.
const SHORT_MATE: (u16, u64) = (5, 50_000);

/// Bytes of bounds that a search can learn in a second, amply.
const FILLED_A_SECOND: f64 = 48e6;

/// How long it may take at least to write down the strategy of a guess's plan.
const GRACE: Duration = Duration::from_secs(1);

/// Where slices know a win, a mate is looked for some times as long as finding the win took, and for some
/// time at least.
const PATIENCE: u32 = 3;
const LEAST: Duration = Duration::from_secs(2);

/// How long a win is made shorter where no time is set.
const UNASKED: Duration = Duration::from_secs(10);

/// Proof search of one position, with what it has learned so far.
pub(in crate::solve) struct Searcher {
    root: Position,
    board: Board,
    leaves: LeafTables,
    options: Options,
    pursuit: Pursuit,
    /// Guesses at either side's win, in turns with the search or beside it.
    guesses: Arc<Guesses>,
    /// Whether nothing but the guesses is tried.
    alone: bool,
    /// Sides that nothing can mate, with the proof.
    shut: [Option<Arc<Closed>>; 2],
    /// Whether a win is made shorter, or proved shortest, for as long as there is time.
    shortest: bool,
    /// Whether no win is made shorter.
    hasty: bool,
    positions: u64,
}

impl Searcher {
    /// A search that has learned nothing. Memory: a quarter of the budget's, 1 GiB at most,
    /// and no more than its time can fill: pages touched cost time.
    pub(in crate::solve) fn new(question: &Question) -> Self {
        let Question { kept, budget, .. } = *question;
        let (rules, outlook) = (question.endings(), kept.outlook.clone());
        let limits = budget.limits();
        let threads = Threads::new(if limits.positions.is_some() { 1 } else { limits.threads });
        let learned = kept.learned.clone();
        let mut options = Options { rules, outlook, threads, learned, ..Options::default() };
        if let Some(left) = budget.remaining() {
            let filled = (left.as_secs_f64() * FILLED_A_SECOND) as u64;
            options.table_bytes = options.table_bytes.min(filled.max(1 << 24));
        }
        let leaves = LeafTables::new(Arc::clone(question.tables()), question.options.table_men);
        let mut leaves = leaves.within(budget);
        // A limit on positions asks for the same answer every time, the shortest win for its length.
        if limits.positions.is_none() && !question.options.shortest {
            leaves = leaves.with_endings(&question.board());
        }
        let guesses = Guesses::new(&question.board(), options.wins, options.holds);
        Self {
            root: *question.root,
            board: question.board(),
            pursuit: Pursuit::new(&options, budget),
            guesses: Arc::new(guesses.ended_by(&leaves)),
            leaves,
            alone: false,
            shut: [None, None],
            shortest: question.options.shortest,
            hasty: false,
            options,
            positions: 0,
        }
    }

    /// A search that tries only moves after which a goal holds.
    pub(super) fn keeping(question: &Question, keep: &Arc<Goal>) -> Self {
        let guesses = Guesses::new(&question.board(), [true; 2], [true; 2]).keeping(keep);
        Self { alone: true, guesses: Arc::new(guesses), ..Self::new(question) }
    }

    /// The same search, which need not look for mates of sides that nothing can mate.
    pub(super) fn knowing(&mut self, shut: [Option<Arc<Closed>>; 2]) {
        for (side, known) in shut.iter().map(Option::is_some).enumerate() {
            self.options.shut[side] = known;
            self.options.wins[1 - side] &= !known;
            self.options.holds[side] &= !known;
        }
        if shut.iter().any(Option::is_some) {
            self.guess_anew();
        }
        self.shut = shut;
    }

    /// The same search, which need not look for a side's hold any more, nor for a win against it: another
    /// method has proved the hold.
    pub(super) fn spare(&mut self, side: Side) {
        self.options.holds[side as usize] = false;
        self.options.wins[side.other() as usize] = false;
        self.guesses.spare(side, true);
    }

    /// Has the search look for a win of this side's alone, and make none shorter.
    pub(super) fn only_win(&mut self, side: Side) {
        self.hasty = true;
        self.spare(side);
        self.options.holds = [false; 2];
    }

    /// Has the search look for a side's win and hold alone, and end when it has proved either.
    pub(super) fn only(&mut self, side: Side) {
        self.options.enough = Some(side);
        self.options.wins[side.other() as usize] = false;
        self.options.holds[side.other() as usize] = false;
    }

    /// The search that looks for all that it can again.
    pub(super) fn spare_nobody(&mut self) {
        self.options.enough = None;
        for side in Side::ALL {
            let open = self.shut[side as usize].is_none();
            self.options.holds[side as usize] = open;
            self.options.wins[side.other() as usize] = open;
            self.guesses.spare(side, false);
        }
    }

    /// Has lines end in what is decided beside the search.
    pub(super) fn beside(&self, solved: Arc<dyn Solved>) {
        self.leaves.beside(solved);
    }

    /// Has lines end there no more. What rests on it is forgotten.
    pub(super) fn alone(&mut self, budget: &Budget) {
        if self.leaves.alone() {
            self.pursuit.keep_nothing();
            self.pursuit = Pursuit::new(&self.options, budget);
            self.guess_anew();
        }
    }

    fn guess_anew(&mut self) {
        let guesses = Guesses::new(&self.board, self.options.wins, self.options.holds);
        self.guesses = Arc::new(guesses.ended_by(&self.leaves));
    }

    /// The threads that it uses: they may be changed while it runs.
    pub(super) fn threads(&self) -> Threads {
        self.options.threads.clone()
    }

    /// What becomes true when a win is proved, though the search goes on to make it shorter.
    pub(super) fn won(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.options.won)
    }

    /// Positions visited by the last question.
    pub(in crate::solve) fn positions(&self) -> u64 {
        self.positions
    }

    /// A mate in a few moves by the side to move, with all the moves that mate as soon: thousandths
    /// of a second.
    pub(in crate::solve) fn short_mate(&mut self, budget: &Budget) -> Option<Verdict> {
        let (plies, most) = SHORT_MATE;
        let little = budget.at_most(most);
        let outcome = self.pursuit.mate_in(&self.board, plies, &little);
        self.positions += outcome.positions;
        let plies = outcome.win.as_ref()?.plies;
        let mut verdict = self.verdict(outcome, budget);
        if let Some((moves, visited)) = self.pursuit.mating_moves(&self.board, plies, &little) {
            (verdict.best, verdict.best_complete) = (moves, true);
            self.positions += visited;
        }
        Some(Verdict { positions: self.positions, ..verdict })
    }

    /// A look for a forced mate in some three times as many positions, which is told at once and found
    /// again by [`Searcher::solve`]; the positions visited.
    pub(in crate::solve) fn glance(&mut self, positions: u64, budget: &Budget) -> u64 {
        let leaves = self.leaves.clone();
        let known = |b: &Board| leaves.probe(budget, b);
        let visited = self.pursuit.glance(&self.board, &self.options, &known, positions, budget);
        if leaves.slices_have_told() {
            self.pursuit.keep_nothing();
        }
        visited
    }

    /// Decides by proof search and by guesses: a win with a plan, or two closed regions. A win is
    /// made shorter for three quarters of the budget's time at most, and unless the shortest is
    /// asked for with only a few times as many positions as finding it took; a tenth of the time is left for the
    /// certificate.
    pub(in crate::solve) fn solve(&mut self, budget: &Budget) -> Verdict {
        self.solve_within(budget, budget)
    }

    /// As [`Searcher::solve`] for a part of a budget: a win is made shorter within the whole.
    pub(super) fn solve_within(&mut self, part: &Budget, budget: &Budget) -> Verdict {
        budget.progress().stage("searching for a proof", None);
        self.positions = 0;
        (self.options.shorten, self.options.brief) = (UNASKED, !self.shortest);
        if let Some(left) = budget.remaining() {
            (self.options.shorten, self.options.reserve) = (left / 4 * 3, left / 10);
        } else if self.shortest {
            self.options.shorten = Duration::MAX;
        }
        if self.hasty {
            self.options.shorten = Duration::ZERO;
        }
        // What is proved at the last moment still has to be certified.
        let tenth_kept = |b: &Budget| b.remaining().map(|left| b.part(left - left / 10));
        self.options.rest = Some(tenth_kept(budget).unwrap_or_else(|| budget.clone()));
        let start = budget.elapsed();
        let mut outcome = self.search(tenth_kept(part).as_ref().unwrap_or(part));
        self.positions += outcome.positions;
        let by_slices = self.leaves.slices_have_told();
        if by_slices
            && !self.hasty
            && outcome.win.as_ref().is_some_and(|win| !win.plan.is_measured())
        {
            let time = (PATIENCE * (budget.elapsed() - start)).max(LEAST).min(self.options.shorten);
            outcome = self.down_to_mate(&budget.part(time)).unwrap_or(outcome);
        }
        let shorter =
            |found: &Found| outcome.win.as_ref().is_none_or(|win| found.plan.plies() < win.plies);
        while let Some(found) = self.guesses.take().filter(shorter) {
            if let Some(verdict) = self.guessed(found, &outcome, budget) {
                return verdict;
            }
        }
        match self.held(&outcome, part, budget) {
            Some(verdict) => verdict,
            None => self.verdict(outcome, budget),
        }
    }

    /// As [`Searcher::solve_within`], with more of the time for as long as a mate seems near.
    pub(super) fn solve_while_near(
        &mut self,
        part: &Budget,
        near: Option<Budget>,
        budget: &Budget,
    ) -> Verdict {
        self.options.near = near;
        let verdict = self.solve_within(part, budget);
        self.options.near = None;
        verdict
    }

    /// The search and the guesses, in turns. Threads go from one to the other together: each of them
    /// is faster with two, and a mate that the search finds in a moment is not found later because
    /// half of the machine is at guesses.
    fn search(&mut self, budget: &Budget) -> Outcome {
        let leaves = self.leaves.clone();
        let longest = self.options.near.clone().unwrap_or_else(|| budget.clone());
        let known = |b: &Board| leaves.probe(&longest, b);
        if self.alone {
            return self.guess_alone(budget);
        }
        self.options.aside = Some(Arc::clone(&self.guesses) as Arc<dyn Aside>);
        let outcome = self.pursuit.solve(&self.board, &self.options, &known, budget);
        if self.leaves.slices_have_told() {
            self.pursuit.keep_nothing();
        }
        outcome
    }

    /// The same win searched for down to mate or tables, where slices were known to win: perhaps it is a
    /// short one. What was learned before rests on slices.
    fn down_to_mate(&mut self, budget: &Budget) -> Option<Outcome> {
        let leaves = self.leaves.clone().without_endings();
        let known = |b: &Board| leaves.probe(budget, b);
        let options = Options { learned: None, ..self.options.clone() };
        self.pursuit.keep_nothing();
        self.pursuit = Pursuit::new(&options, budget);
        let outcome = self.pursuit.solve(&self.board, &options, &known, budget);
        self.positions += outcome.positions;
        outcome.win.is_some().then_some(outcome)
    }

    /// The guesses alone; a win is made shorter.
    fn guess_alone(&self, budget: &Budget) -> Outcome {
        let threads = budget.limits().threads;
        self.guesses.run(threads, budget);
        if self.guesses.won().is_some() {
            self.options.won.store(true, Ordering::Relaxed);
            self.guesses.shorten_all(threads, &budget.part(self.options.shorten));
        }
        let listed = self.guesses.listed();
        let stop = budget.check(listed, 0).err().or(Some(StopReason::Exhausted));
        Outcome { stop, positions: listed, ..Outcome::default() }
    }

    /// The verdict of a win by a guess, after a search that knows what is too short. None if its
    /// plan is no strategy. Where no time is left to write the strategy down, the win is told all
    /// the same (every reply was followed when the plan was made), and the strategy is made with
    /// the certificate.
    fn guessed(&self, found: Found, outcome: &Outcome, budget: &Budget) -> Option<Verdict> {
        let (side, most) = (found.side, u32::from(found.plan.plies()));
        budget.progress().note(&format!(
            "a guess has won in {most} plies, renouncing: {}",
            found.plan.renounced()
        ));
        let play = found.plan.play(&self.board).filter(|_| side == self.board.side_to_move());
        let (evidence, plies) = match found.strategy(&self.board, &budget.with_grace(GRACE)) {
            Ok((strategy, plies)) => {
                (Evidence::Ready(Box::new(Certificate::of_win(strategy, plies))), plies)
            }
            Err(BuildError::Stopped(_)) => (Evidence::Guess(Box::new(found)), most),
            Err(_) => return None,
        };
        Some(Verdict {
            value: Some(Value::Wins(side, plies)),
            // Nothing is shorter than a mate at once.
            shortest: plies <= 1 || u32::from(outcome.at_least[side as usize]) >= plies,
            best: play.into_iter().collect(),
            positions: self.positions,
            evidence,
            ..Verdict::undecided(self.root, Engine::Search, budget)
        })
    }

    /// The verdict where a guess has found how a side holds, or nothing can mate it: a draw if the
    /// other one holds too, by a guess or by a region of the search. A draw may take the whole budget
    /// to be written down; the hold of one side, after which others go on, only what is left of the
    /// part.
    fn held(&self, outcome: &Outcome, part: &Budget, budget: &Budget) -> Option<Verdict> {
        let fortresses = self.guesses.fortresses();
        let others =
            fortresses.iter().all(Option::is_none) && self.shut.iter().all(Option::is_none);
        if outcome.win.is_some() || others {
            return None;
        }
        let is_held = |i: usize| {
            fortresses[i].is_some() || self.shut[i].is_some() || outcome.holds[i].is_some()
        };
        let budget = if is_held(0) && is_held(1) { budget } else { part };
        let known = |b: &Board| self.leaves.probe(budget, b);
        let strategy = |i: usize| {
            let by_guess = fortresses[i].as_ref().map(|f| f.strategy(&self.board, budget));
            let by_region = || {
                let mut beyond = |b: &Board, again| self.leaves.holding(budget, b, again);
                let region = outcome.holds[i].as_ref()?;
                Some(region.strategy_beyond(&self.board, &known, &mut beyond, budget))
            };
            let side = if i == 0 { Side::White } else { Side::Black };
            let shut = self.shut[i].as_ref();
            let shut = shut.map(|set| Strategy::shut(*self.root.vector(), side, Arc::clone(set)));
            shut.or_else(|| by_guess.or_else(by_region).and_then(Result::ok))
        };
        let own = usize::from(self.board.side_to_move() == Side::Black);
        let undecided = Verdict {
            positions: self.positions,
            ..Verdict::undecided(self.root, Engine::Search, budget)
        };
        match [strategy(0), strategy(1)] {
            [Some(white), Some(black)] => {
                let first = [&white, &black][own].answer(&self.board.packed());
                // Whom nothing can mate may play anything: the other side's hold answers it.
                let all = self.shut[own].is_some();
                let moves = self.board.legal_moves().into_iter().map(|m| move_of(&m));
                let first = first.and_then(|answer| answer.play);
                Some(Verdict {
                    value: Some(Value::Draw),
                    best: moves.filter(|m| all || first == Some(*m)).collect(),
                    best_complete: all,
                    evidence: Evidence::Ready(Box::new(Certificate::of_draw(white, black))),
                    ..undecided
                })
            }
            [Some(one), None] | [None, Some(one)] => Some(Verdict {
                bounds: vec![Bound::of(one.owner())],
                stop: outcome.stop,
                evidence: Evidence::Ready(Box::new(Certificate::of_hold(one))),
                ..undecided
            }),
            [None, None] => None,
        }
    }

    fn verdict(&self, outcome: Outcome, budget: &Budget) -> Verdict {
        let known = |b: &Board| self.leaves.probe(budget, b);
        let mut unmeasured = None;
        let mut verdict = Verdict {
            positions: outcome.positions,
            stop: outcome.stop,
            ..Verdict::undecided(self.root, Engine::Search, budget)
        };
        if let Some(win) = &outcome.win {
            verdict.value = Some(Value::Wins(win.side, win.plies.into()));
            verdict.shortest = win.shortest;
            if win.side == self.board.side_to_move() {
                verdict.best = win.plan.play(&self.board, &known).into_iter().collect();
            }
            unmeasured = Some(win.side).filter(|_| !win.plan.is_measured());
        } else if let [Some(white), Some(black)] = &outcome.holds {
            verdict.value = Some(Value::Draw);
            let own = if self.board.side_to_move() == Side::White { white } else { black };
            verdict.best = own.plays(&self.board, &known);
        } else {
            // A hold counts where there is evidence: a closed region, or that nothing can mate.
            let holds = |side: Side| {
                outcome.holds[usize::from(side == Side::Black)].is_some()
                    || cannot_be_mated(self.root.vector(), side)
            };
            let sides = Side::ALL.into_iter().filter(|side| holds(*side));
            verdict.bounds = sides.map(Bound::of).collect();
        }
        if verdict.value.is_some() && verdict.shortest {
            verdict.stop = None;
        }
        verdict.evidence = Evidence::Search(Box::new(outcome), self.leaves.clone());
        match unmeasured {
            Some(side) => self.measured(side, verdict, budget),
            None => verdict,
        }
    }

    /// A win of which no length is known before its strategy is written: with the length that it has.
    fn measured(&self, side: Side, verdict: Verdict, budget: &Budget) -> Verdict {
        let won = Value::Wins(side, UNMEASURED);
        let grace = budget.with_grace(GRACE);
        let verdict = Verdict { value: Some(won), stop: None, ..verdict };
        match verdict.evidence.certificate(None, &self.board, won, &grace) {
            Ok(certificate) => {
                let Claim::Wins(_, plies) = certificate.claim else { return verdict };
                let (value, ready) = (Value::Wins(side, plies), Box::new(certificate));
                Verdict { value: Some(value), evidence: Evidence::Ready(ready), ..verdict }
            }
            Err(CertificateError::Stopped(_)) => verdict,
            Err(error) => Verdict {
                positions: verdict.positions,
                uncertified: Some(error.to_string()),
                ..Verdict::undecided(self.root, Engine::Search, budget)
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Solver;
    use super::*;
    use crate::certificate::Claim;
    use crate::limits::Limits;
    use crate::verify;

    /// A search of a position after its guesses, and the budget of both: so many positions.
    fn guessing(fen: &str, positions: u64) -> (Searcher, Budget) {
        let (root, solver) = (fen.parse().unwrap(), Solver::default());
        let budget = Budget::new(Limits::default().with_positions(positions));
        let Solver { kept, options, .. } = &solver;
        let searcher = Searcher::new(&Question { root: &root, kept, options, budget: &budget });
        searcher.guesses.run(1, &budget);
        (searcher, budget)
    }

    fn used_up() -> Budget {
        Budget::new(Limits::default().with_positions(0))
    }

    #[test]
    fn a_hold_of_one_side_is_written_down_within_its_part() {
        // Perpetual check.
        let (searcher, whole) = guessing("r4rk1/5p1p/8/4Q3/8/q7/q4PPP/6K1 w - -", 100_000);
        let found = searcher.guesses.fortresses().map(|fortress| fortress.is_some());
        assert_eq!(found, [true, false]);
        let outcome = Outcome::default();
        assert!(searcher.held(&outcome, &used_up(), &whole).is_none());
        let half = searcher.held(&outcome, &whole, &whole).expect("White holds");
        assert_eq!(half.bounds, [Bound::of(Side::White)]);
    }

    #[test]
    fn a_win_found_in_a_part_is_made_shorter_in_the_whole_though_it_has_no_end() {
        // A mate in 7.
        let root = "5Q2/7k/q3K1p1/7p/4Q2P/5P2/8/8 w - -".parse().unwrap();
        let solver = Solver::default();
        let solver = solver.clone().with_options(solver.options().with_shortest(true));
        let budget = Budget::new(Limits::default().with_threads(1));
        let Solver { kept, options, .. } = &solver;
        let mut searcher = Searcher::new(&Question { root: &root, kept, options, budget: &budget });
        searcher.solve_within(&budget.at_most(10_000), &budget);
        let rest = searcher.options.rest.expect("what it is made shorter within");
        assert_eq!((rest.remaining(), rest.limits().positions), (None, None));
    }

    #[test]
    fn a_win_by_a_guess_is_told_though_nothing_is_left_to_write_it_down() {
        // A mate in 13 from the collection that comes with matetb.
        let (searcher, budget) = guessing("8/8/1p6/1p6/1p6/1p6/pppbK3/rbk3N1 w - -", 200_000);
        let found = searcher.guesses.take().expect("a win by a guess");
        let most = u32::from(found.plan.plies());
        let outcome = Outcome::default();
        let told = searcher.guessed(found.clone(), &outcome, &used_up()).expect("a win");
        assert_eq!(told.value(), Some(Value::Wins(Side::White, most)));
        assert!(matches!(told.evidence, Evidence::Guess(_)));
        let written = searcher.guessed(found, &outcome, &budget).expect("a win");
        assert!(matches!(written.evidence, Evidence::Ready(_)));
        for verdict in [told, written] {
            let certificate = verdict.certificate().expect("a certificate");
            assert_eq!(verify(&certificate).expect("accepted").claim, certificate.claim);
            let Some(Value::Wins(side, plies)) = verdict.value() else { panic!("no win") };
            let claimed =
                matches!(certificate.claim, Claim::Wins(by, n) if by == side && n <= plies);
            assert!(claimed, "{}", certificate.claim);
        }
    }
}
