//! Wins proved with advice: a file or another engine proposes the winner's moves, and what remains
//! after every reply is proved by the search, by slices, or with more advice.
//!
//! A position with the winner to move is first asked of the other engines for a little time. Where
//! they do not decide it the adviser's moves are tried one after the other: all replies are asked in
//! the same way, several at a time, and those that stay open are advised in turn, the one that the
//! adviser expects first. What a line has already passed is not won by coming back to it. If nothing is
//! left to be tried all begins again with more time for each position, and what is proved stays.
//!
//! A move that is kept for a position leads to positions whose moves were kept before, so that the
//! strategy has no circle; it is built over every reply like any other.
//!
//! # References
//! * docs/theory.md §16: the winner may be told what to play, for the other side has all its moves.

use super::super::question::{Kept, Question};
use super::super::{Bound, Engine, Evidence, Options, SolveError, Verdict};
use super::{auto, search, slices, tables};
use crate::advice::{Adviser, Proposal};
use crate::certificate::{Certificate, Strategy};
use crate::chess::board::{Board, Position as _};
use crate::chess::{Move, Packed, Position, Side, Value, fen};
use crate::limits::{Budget, Limits, StopReason};
use crate::search::Learned;
use crate::strategy::{BuildError, win};
use crate::tables::MAX_MEN;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What the first look at a position takes at least and at most; in between a part of the time.
const LOOK: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(2));
/// The first look is this part of the time there is.
const PART: u32 = 60;
/// How much longer a look is in each round, and how much longer slices may take than a search.
const LONGER: u32 = 4;
/// With so many replies open the position itself is looked at longer before it is advised.
const MANY: usize = 3;
/// Slices of two officers are asked where there are no more pawns than so many.
const FEW_PAWNS: usize = 5;
/// The adviser's moves that are tried in a position.
const MOVES: usize = 4;
/// What a proposed move is worth at least, in hundredths of a pawn: who has less wins nothing.
const WORTH: i32 = 150;
/// Moves of the winner's, one after the other, that are taken from the adviser.
const DEEPEST: usize = 150;
/// Bytes that a position takes in the book of what is won.
const BYTES: u64 = 64;

/// Decides with advice: a win of the side that the adviser prefers. What the other engines decide in
/// the first look is told as they do.
///
/// # Errors
/// When another engine than the search is asked for, or a table cannot be built.
pub(in crate::solve) fn solve(
    question: &Question,
    adviser: &Adviser,
) -> Result<Verdict, SolveError> {
    if !matches!(question.options.engine, Engine::Auto | Engine::Search) || !question.is_fide() {
        return Err(SolveError::AdviceEngine);
    }
    let (root, budget) = (question.board(), question.budget);
    let look = budget.remaining().map_or(LOOK.1, |left| (left / PART).clamp(LOOK.0, LOOK.1));
    let first = auto::solve(&question.within(&budget.part(look * LONGER)))?;
    if first.value.is_some() || first.stop == Some(StopReason::Interrupted) {
        return Ok(first);
    }
    budget.progress().stage("proving what the adviser plays", None);
    let mut proof = Proof::new(question, adviser, &root, look);
    proof.positions = first.positions;
    let stop = loop {
        match proof.round(&root) {
            Err(stop) => break stop,
            Ok(true) => return proof.verdict(&root, first),
            Ok(false) if proof.is_idle() => break StopReason::Exhausted,
            Ok(false) => proof.look *= LONGER,
        }
    };
    Ok(Verdict { stop: Some(stop), positions: proof.positions, ..first })
}

/// What a look at a position with the winner to move has come to.
enum Seen {
    /// It is won, by this strategy.
    Won(Strategy),
    /// It is proved not to be won.
    NotWon,
    /// Neither.
    Open,
}

/// What is known of the positions with the winner to move.
struct Proof<'a> {
    question: &'a Question<'a>,
    adviser: &'a Adviser,
    owner: Side,
    /// The bounds that each thread has learned.
    kept: Vec<Kept>,
    /// Positions that are won, and the winner's move; none where a table or a rule is enough.
    won: HashMap<Packed, Option<Move>>,
    /// Positions that are not.
    lost: HashSet<Packed>,
    /// How long positions that are open have been looked at.
    seen: HashMap<Packed, Duration>,
    /// What the adviser has proposed in this round.
    proposed: HashMap<Packed, Vec<Proposal>>,
    /// What could not be proved in this round, since something was proved last.
    failed: HashSet<Packed>,
    /// The positions of the line.
    line: HashSet<Packed>,
    /// How long a position is looked at.
    look: Duration,
    /// Whether a look in this round has come to nothing.
    open: bool,
    positions: u64,
}

impl<'a> Proof<'a> {
    fn new(question: &'a Question<'a>, adviser: &'a Adviser, root: &Board, look: Duration) -> Self {
        let threads = question.budget.limits().threads.max(1);
        let learning = || Kept { learned: Some(Learned::default()), ..question.kept.clone() };
        let mut proof = Self {
            question,
            adviser,
            owner: root.side_to_move(),
            kept: std::iter::repeat_with(learning).take(threads).collect(),
            won: HashMap::new(),
            lost: HashSet::new(),
            seen: HashMap::new(),
            proposed: HashMap::new(),
            failed: HashSet::new(),
            line: HashSet::new(),
            look,
            open: false,
            positions: 0,
        };
        // Who is advised to move, or else is worth more, is the one to win.
        let best = proof.proposals(root).first().copied();
        if best.is_none_or(|best| best.score.is_some_and(|score| score < 0)) {
            proof.owner = proof.owner.other();
        }
        proof
    }

    /// Whether more time for each position would change nothing.
    fn is_idle(&self) -> bool {
        !self.open
    }

    /// The limits, with what is kept here.
    fn check(&self) -> Result<(), StopReason> {
        let bytes = BYTES * (self.won.len() + self.lost.len() + self.seen.len()) as u64;
        self.question.budget.progress().advance(self.won.len() as u64);
        self.question.budget.check(self.positions, bytes)
    }

    /// One round: whether the root is won.
    fn round(&mut self, root: &Board) -> Result<bool, StopReason> {
        self.open = false;
        self.failed.clear();
        self.line.clear();
        self.proposed.clear();
        if root.side_to_move() == self.owner {
            return self.prove(root);
        }
        let replies: Vec<Board> = root.successors().collect();
        match self.look_at(&replies)? {
            Some(open) => self.prove_each(&replies, &open),
            None => Ok(false),
        }
    }

    /// Whether a position with the winner to move is won.
    fn prove(&mut self, board: &Board) -> Result<bool, StopReason> {
        let key = board.packed();
        if self.won.contains_key(&key) {
            return Ok(true);
        }
        let hopeless = self.lost.contains(&key) || self.failed.contains(&key);
        if hopeless || self.line.len() >= DEEPEST {
            return Ok(false);
        }
        self.line.insert(key);
        let proved = self.prove_by_advice(board);
        self.line.remove(&key);
        if proved == Ok(false) {
            self.failed.insert(key);
        }
        proved
    }

    /// The adviser's moves in a position of the line, one after the other.
    fn prove_by_advice(&mut self, board: &Board) -> Result<bool, StopReason> {
        let mut proposals = self.proposals(board);
        // A move after which all is won needs no more proof.
        proposals.sort_by_key(|proposal| !self.is_done(board, proposal.play));
        for proposal in proposals {
            let Some(m) = board.find(proposal.play) else { continue };
            let next = board.after(m);
            let replies: Vec<Board> = next.successors().collect();
            let is_over = replies.is_empty() && !next.in_check();
            if is_over || replies.iter().any(|reply| self.line.contains(&reply.packed())) {
                continue;
            }
            let Some(mut open) = self.look_at(&replies)? else { continue };
            self.tell(board, proposal.play, &format!("{} replies are open", open.len()));
            if open.len() >= MANY && self.look_longer(board)? {
                return Ok(true);
            }
            let expected = proposal.reply.and_then(|reply| Some(next.after(next.find(reply)?)));
            let expected = expected.map(|board| board.packed());
            open.sort_by_key(|&i| Some(replies[i].packed()) != expected);
            if self.prove_each(&replies, &open)? {
                self.keep(board, proposal.play);
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn prove_each(&mut self, replies: &[Board], open: &[usize]) -> Result<bool, StopReason> {
        for &i in open {
            if !self.prove(&replies[i])? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether all replies to a move are known to be won.
    fn is_done(&self, board: &Board, play: Move) -> bool {
        let next = board.find(play).map(|m| board.after(m));
        next.is_some_and(|next| {
            next.successors().all(|reply| self.won.contains_key(&reply.packed()))
        })
    }

    /// Keeps a move that is proved to win.
    fn keep(&mut self, board: &Board, play: Move) {
        self.won.insert(board.packed(), Some(play));
        self.adviser.prove(board, play);
        // What was in vain may be proved by what is known now.
        self.failed.clear();
        self.tell(board, play, "is won");
    }

    /// Notes what has come of a move.
    fn tell(&self, board: &Board, play: Move, words: &str) {
        let san = board.find(play).map_or_else(|| play.to_string(), |m| board.san(m));
        let (deep, text) = (self.line.len(), fen(&board.vector()));
        self.question.budget.progress().note(&format!("{deep}. {text} {san}: {words}"));
    }

    /// The adviser's moves in a position: those that are worth a try, the best first.
    fn proposals(&mut self, board: &Board) -> Vec<Proposal> {
        let (adviser, budget) = (self.adviser, self.question.budget);
        let asked = self.proposed.entry(board.packed());
        let proposals = asked.or_insert_with(|| adviser.propose(board, self.look, budget));
        let is_worth = |proposal: &&Proposal| proposal.score.is_none_or(|score| score >= WORTH);
        proposals.iter().filter(is_worth).take(MOVES).copied().collect()
    }

    /// Looks at the replies to a move: the numbers of those that stay open, or none where one is not
    /// won. Where a file says what to play, that is tried before anything is searched.
    fn look_at(&mut self, replies: &[Board]) -> Result<Option<Vec<usize>>, StopReason> {
        let (mut open, mut unseen) = (Vec::new(), Vec::new());
        for (i, reply) in replies.iter().enumerate() {
            let key = reply.packed();
            if self.won.contains_key(&key) {
                continue;
            }
            if self.lost.contains(&key) {
                return Ok(None);
            }
            let seen = self.seen.get(&key).is_some_and(|&time| time >= self.look);
            if seen || !self.adviser.listed(reply).is_empty() {
                open.push(i);
            } else {
                unseen.push(i);
            }
        }
        let boards: Vec<&Board> = unseen.iter().map(|&i| &replies[i]).collect();
        let looks = self.look_at_once(&boards, self.look)?;
        let mut is_lost = false;
        for (i, seen) in looks {
            match self.take(boards[i], seen, self.look) {
                Some(true) => {}
                Some(false) => is_lost = true,
                None => open.push(unseen[i]),
            }
        }
        open.sort_unstable();
        Ok((!is_lost).then_some(open))
    }

    /// Looks longer at a position: whether it is won.
    fn look_longer(&mut self, board: &Board) -> Result<bool, StopReason> {
        let time = self.look * LONGER;
        if self.seen.get(&board.packed()).is_some_and(|&seen| seen >= time) {
            return Ok(false);
        }
        let looks = self.look_at_once(&[board], time)?;
        let mut won = false;
        for (_, seen) in looks {
            won = self.take(board, seen, time) == Some(true);
        }
        Ok(won)
    }

    /// Takes in what a look has come to: whether the position is won, if that is known.
    fn take(&mut self, board: &Board, seen: Seen, time: Duration) -> Option<bool> {
        let key = board.packed();
        match seen {
            Seen::Won(strategy) => {
                // What was known before comes first, so that lines run in no circle.
                for (p, answer) in strategy.iter() {
                    self.won.entry(p).or_insert(answer.play);
                }
                self.won.entry(key).or_insert(None);
                Some(true)
            }
            Seen::NotWon => {
                self.lost.insert(key);
                Some(false)
            }
            Seen::Open => {
                self.open = true;
                self.seen.insert(key, time);
                None
            }
        }
    }

    /// Looks at several positions at the same time, each with its part of the threads; when one is
    /// found not to be won the others are left.
    fn look_at_once(
        &mut self,
        boards: &[&Board],
        time: Duration,
    ) -> Result<Vec<(usize, Seen)>, StopReason> {
        self.check()?;
        let workers = self.kept.len().min(boards.len());
        let limits = *self.question.budget.limits();
        let each = Limits { threads: self.kept.len() / workers.max(1), ..limits };
        let over = Arc::new(AtomicBool::new(false));
        let budget = self.question.budget.after(self.positions).quietly().limited(each);
        let budget = budget.memory_of(2 * workers.max(1) as u64).cancelled_by(Arc::clone(&over));
        let (next, done) = (AtomicUsize::new(0), Mutex::new((Vec::new(), 0)));
        let (question, owner) = (self.question, self.owner);
        std::thread::scope(|scope| {
            for kept in self.kept.iter().take(workers) {
                scope.spawn(|| {
                    while !over.load(Ordering::Relaxed) {
                        let i = next.fetch_add(1, Ordering::Relaxed);
                        let Some(board) = boards.get(i) else { break };
                        let question = Question { kept, budget: &budget, ..*question };
                        let (seen, positions) = look(&question, owner, board, time);
                        if matches!(seen, Seen::NotWon) {
                            over.store(true, Ordering::Relaxed);
                        }
                        let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                        done.0.push((i, seen));
                        done.1 += positions;
                    }
                });
            }
        });
        let (looks, positions) = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.positions += positions;
        self.check()?;
        Ok(looks)
    }

    /// The verdict of a proof that is whole: the strategy is built over every reply.
    fn verdict(self, root: &Board, first: Verdict) -> Result<Verdict, SolveError> {
        let budget = self.question.budget;
        budget.progress().stage("building the certificate", None);
        let rules = self.question.endings();
        let mut policy = |board: &Board| {
            let play = self.won.get(&board.packed()).copied().flatten();
            play.ok_or_else(|| BuildError::NoMate(fen(&board.vector())))
        };
        let grace = budget.with_grace(LOOK.1 + budget.elapsed() / LONGER);
        let built = win(rules.as_deref(), root, self.owner, &grace, &mut policy);
        let undecided = Verdict { positions: self.positions, ..first };
        let (strategy, plies) = match built {
            Ok(built) => built,
            Err(BuildError::Stopped(stop)) => {
                return Ok(Verdict { stop: Some(stop), ..undecided });
            }
            Err(error) => {
                // Moves that are no strategy prove nothing.
                budget.progress().note(&format!("the advised moves are no strategy: {error}"));
                return Ok(Verdict { stop: Some(StopReason::Exhausted), ..undecided });
            }
        };
        let play = self.won.get(&root.packed()).copied().flatten();
        Ok(Verdict {
            value: Some(Value::Wins(self.owner, plies)),
            best: play.into_iter().collect(),
            positions: self.positions,
            evidence: Evidence::Ready(Box::new(Certificate::of_win(strategy, plies))),
            ..Verdict::undecided(*self.question.root, Engine::Search, budget)
        })
    }
}

/// Looks at a position with the winner to move, for so much time: the search for the win, and for the
/// other side's hold; then tables and slices, where they fit, for some times as long. Also says how
/// many positions that took.
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
        searcher.spare(owner);
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
    let (board, men) = (question.board(), question.root.men());
    let pawns = board.chess().board().pawns().count();
    men <= MAX_MEN
        || slices::fits(question) && (!slices::is_several(question) || pawns <= FEW_PAWNS)
}

/// What a verdict says of a position.
fn seen(verdict: &Verdict, owner: Side, budget: &Budget) -> Seen {
    match verdict.value {
        Some(Value::Wins(side, _)) if side == owner => {
            let certificate = verdict.certificate_within(budget).ok();
            let strategy =
                certificate.and_then(|certificate| certificate.strategies.into_iter().next());
            strategy.map_or(Seen::Open, Seen::Won)
        }
        Some(_) => Seen::NotWon,
        None if verdict.bounds.contains(&Bound::of(owner.other())) => Seen::NotWon,
        None => Seen::Open,
    }
}
