//! Wins proved with advice: a file or another engine proposes the winner's moves, and what remains
//! after every reply is proved by the search, by slices, or with more advice.
//!
//! | file | what it is for |
//! |---|---|
//! | `look` | single positions, asked of the search, tables and slices for a little time |
//! | `tree` | the adviser's moves, the replies to them that looks leave open, and which to go on with |
//!
//! If nothing is left to be tried all begins again with more time for each position, and what is proved
//! stays. A move that is kept for a position leads to positions whose moves were kept before, so that
//! the strategy has no circle; it is built over every reply like any other.
//!
//! # References
//! * docs/theory.md §16: the winner may be told what to play, for the other side has all its moves.

mod look;
mod tree;

use super::super::question::{Kept, Question};
use super::super::{Engine, Evidence, SolveError, Verdict};
use super::auto;
use super::slices::Wins;
use crate::advice::{Adviser, Proposal};
use crate::certificate::Certificate;
use crate::chess::board::Board;
use crate::chess::{Move, Packed, Side, Value, fen};
use crate::limits::StopReason;
use crate::search::Learned;
use crate::strategy::{BuildError, win};
use std::collections::{HashMap, HashSet};
use std::time::Duration;
use tree::Tree;

/// What the first look at a position takes at least and at most; in between a part of the time.
const LOOK: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(2));
/// The first look is this part of the time there is.
const PART: u32 = 60;
/// How much longer a look is in each round, and how much longer slices may take than a search.
const LONGER: u32 = 4;
/// Bytes that a position takes in the book of what is won, of which half may be empty.
const BYTES: u64 = 2 * size_of::<(Packed, Option<Move>)>() as u64;

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
    /// Slices of two officers.
    slices: Wins,
    /// The part of the time that slices may take at a time.
    slices_part: Duration,
    /// How long positions that are open have been looked at.
    seen: HashMap<Packed, Duration>,
    /// What is advised, as far as it has been asked for in this round.
    tree: Tree,
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
            owner: adviser.winner().unwrap_or(root.side_to_move()),
            kept: std::iter::repeat_with(learning).take(threads).collect(),
            won: adviser.known().iter().map(|(p, play)| (*p, Some(*play))).collect(),
            lost: HashSet::new(),
            slices: Wins::new(root.side_to_move()),
            slices_part: question.budget.remaining().map_or(Duration::ZERO, |left| left / PART),
            seen: HashMap::new(),
            tree: Tree::default(),
            look,
            open: false,
            positions: 0,
        };
        // Who is advised to move, or else is worth more, is the one to win.
        let score = |proposal: &Proposal| proposal.score.unwrap_or(0);
        let is_better = || Some(adviser.ask(root, look, question.budget).first().map(score)? >= 0);
        let is_told = adviser.winner().is_some() || !adviser.listed(root).is_empty();
        if !is_told && is_better() != Some(true) {
            proof.owner = proof.owner.other();
        }
        Self { slices: Wins::new(proof.owner), ..proof }
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
        self.tree = Tree::default();
        if root.side_to_move() == self.owner {
            return self.prove_all(std::slice::from_ref(root));
        }
        match self.look_at(root.successors().collect())? {
            Some(open) => self.prove_all(&open),
            None => Ok(false),
        }
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

#[cfg(test)]
mod tests {
    use super::super::super::Solver;
    use super::*;
    use crate::certificate::Claim;
    use crate::chess::{Operations, Position, parse_move};
    use crate::limits::{Budget, Limits};
    use crate::verify;

    const ROOT: &str = "7k/8/5K2/8/8/8/Q7/8 w - -";
    const THEN: &str = "8/7k/5K2/8/8/8/6Q1/8 w - -";

    fn adviser(lines: &[(&str, &str)]) -> Adviser {
        let mut adviser = Adviser::default();
        for (fen, moves) in lines {
            adviser.add(&fen.parse().unwrap(), &Operations::parse(moves)).unwrap();
        }
        adviser
    }

    /// The verdict where looks at positions see nothing, and how many moves were proved to win.
    fn advised(root: &str, adviser: &Adviser) -> (Option<Verdict>, usize) {
        let (root, solver) = (root.parse().unwrap(), Solver::default());
        let budget = Budget::new(Limits { threads: 2, ..Limits::default() });
        let Solver { kept, options, .. } = &solver;
        let question = Question { root: &root, kept, options, budget: &budget };
        let mut proof = Proof::new(&question, adviser, &root.board(), Duration::ZERO);
        let proved = proof.round(&root.board()).expect("nothing stops it");
        let first = || Verdict::undecided(root, Engine::Search, &budget);
        let verdict = proved.then(|| proof.verdict(&root.board(), first()).unwrap());
        (verdict, adviser.proved().len())
    }

    #[test]
    fn what_is_advised_is_proved_over_every_reply() {
        let lines = adviser(&[(ROOT, "bm Qg2;"), (THEN, "bm Qa2 g2g7;")]);
        let (verdict, proved) = advised(ROOT, &lines);
        let verdict = verdict.expect("Qg2 Kh7 Qg7 is mate");
        assert_eq!((verdict.value(), proved), (Some(Value::Wins(Side::White, 3)), 2));
        let accepted = verify(&verdict.certificate().unwrap()).unwrap();
        assert_eq!(accepted.claim, Claim::Wins(Side::White, 3));
        let black = "7k/8/5K2/8/8/8/6Q1/8 b - -";
        let (verdict, proved) = advised(black, &adviser(&[(THEN, "bm Qg7;")]));
        let verdict = verdict.expect("the side that is advised is the one to win");
        assert_eq!((verdict.value(), proved), (Some(Value::Wins(Side::White, 2)), 1));
    }

    #[test]
    fn what_is_known_is_not_proved_again_and_not_believed() {
        let then: Position = THEN.parse().unwrap();
        let known = |play: &str| {
            let mut adviser = adviser(&[(ROOT, "bm Qg2;")]);
            adviser.know(Side::White, [(then.board().packed(), parse_move(play).unwrap())]);
            advised(ROOT, &adviser)
        };
        let (verdict, proved) = known("g2g7");
        assert_eq!((verdict.unwrap().value(), proved), (Some(Value::Wins(Side::White, 3)), 1));
        let (verdict, _) = known("g2a2");
        assert_eq!(verdict.unwrap().value(), None, "after Qa2 nothing is known");
    }

    #[test]
    fn advice_that_does_not_win_proves_nothing() {
        for lines in [
            // No word about the position after Kh7.
            &[(ROOT, "bm Qg2;")] as &[_],
            // Stalemate.
            &[(ROOT, "bm Qf7;")],
            // Round and round.
            &[
                (ROOT, "bm Qa3;"),
                ("8/7k/5K2/8/8/Q7/8/8 w - -", "bm Qa2;"),
                ("6k1/8/5K2/8/8/Q7/8/8 w - -", "bm Qa2+;"),
            ],
        ] {
            let (verdict, proved) = advised(ROOT, &adviser(lines));
            assert!(verdict.is_none() && proved == 0, "{lines:?}");
        }
    }
}
