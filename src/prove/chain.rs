//! Chains of reduced aims: "from here the class C1 is forced", then from every position of C1 that
//! can arise the next aim, down to mate or to tables.
//!
//! Every proved link is kept in a [`Book`], in the order of completion. A link is complete when
//! every position it may end in is won by tables or by links that were complete before it; so "the
//! oldest link that knows the position" is a policy that never runs in a circle: along a line the
//! number of the link never rises, and within a link its plies fall.
//!
//! # References
//! R. V. Khelemendik, *On the solution of chess positions using computational tree logic*, §5 (the
//! method of successive approximations); docs/theory.md §7.

use super::aim_prover::{AimProver, Attempt, Reached, Target};
use super::strive::{Strive, strivings};
use crate::aim::Goal;
use crate::chess::Side;
use crate::chess::board::{Board, BySide, Piece, Position, Role};
use crate::chess::{Move, Outcome, Packed, Value};
use crate::pioneer::aims;
use crate::pioneer::play::balance;
use crate::pioneer::propose::Targets;
use crate::pioneer::subgoal::{Kind, propose};
use crate::search::{Plan, quickest};
use std::collections::HashMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// An aim as it is carried from position to position of a class.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Want {
    /// Mate, or a table position that is won.
    Win(Targets),
    /// A queen more, for a move at least.
    Queen,
    /// So much more material, for a move at least.
    Gain(i32),
    /// A position or an ending that is known to be won.
    Strive(Rc<Strive>),
}

impl Want {
    /// The aim from a position on; none for a win.
    pub(super) fn aim(&self, board: &Board) -> Option<Goal> {
        let (side, us) = (board.side_to_move(), board.side_to_move());
        match self {
            Self::Win(_) => None,
            Self::Queen => {
                let queens =
                    (board.chess().board().men_of(us) & board.chess().board().queens()).count();
                Some(aims::at_least(Piece::new(us, Role::Queen), queens + 1))
            }
            Self::Gain(gain) => Some(aims::ahead(side, balance(board, side) + gain)),
            Self::Strive(strive) => Some(strive.aim.clone()),
        }
    }

    /// Whether it makes sense here.
    fn fits(&self, board: &Board) -> bool {
        let men = board.chess().board();
        let us = board.side_to_move();
        match self {
            Self::Win(_) => true,
            Self::Queen => (men.men_of(us) & men.pawns()).any(),
            Self::Strive(_) => true,
            Self::Gain(gain) => *gain > 0 && men.men_of(us.other()).count() > 1,
        }
    }

    /// Whether it may work from other positions too.
    fn is_general(&self) -> bool {
        !matches!(self, Self::Strive(strive) if !strive.ways.is_empty())
    }

    /// The claim in words, for one position or a class of them.
    pub(super) fn words(&self, side: Side) -> String {
        match self {
            Self::Win(_) => format!("{side} mates, or reaches an ending that tables call won"),
            Self::Queen => format!("{side} promotes a pawn"),
            Self::Gain(1) => format!("{side} wins a pawn or more"),
            Self::Gain(gain) => format!("{side} wins material, {gain} pawns' worth or more"),
            Self::Strive(strive) => strive.claim.clone(),
        }
    }
}

/// A proved link: from one position an aim is forced.
pub(super) struct Proved {
    pub(super) from: Board,
    pub(super) want: Want,
    /// The claim with its squares, where it is about one position.
    pub(super) claim: Option<String>,
    pub(super) reached: Reached,
    /// The links that take over where this one may end.
    pub(super) next: Vec<usize>,
}

/// Why a position with the attacker to move is won.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Won {
    /// Tables say so, or a proved rule.
    Known,
    /// By the link of this number.
    Link(usize),
}

/// What is known of a position with the attacker to move before a link is looked for.
enum Known {
    /// It is won.
    Won(Won),
    /// Tables say that it is not won.
    NotWon,
    /// Nothing.
    Open,
}

/// The links proved so far, oldest first.
#[derive(Default)]
pub(super) struct Book {
    pub(super) links: Vec<Proved>,
    /// What is forced from the root, but leads no further yet.
    pub(super) partial: Vec<Proved>,
    won: HashMap<Packed, usize>,
    /// Positions given up in this round.
    failed: HashMap<Packed, usize>,
    /// By depth in the chain: what worked last.
    worked: Vec<Option<Want>>,
}

/// How long a chain may get.
const DEEPEST: usize = 5;
/// A move of the zones' search costs about as much as so many positions of the proof search.
const PROPOSING: u64 = 64;
/// Subgoals tried at one position, and positions that one link may end in.
const SUBGOALS: usize = 4;
const ENDS: usize = 600;
/// Striving for one aim may take such a part of a share: there are several, and the general aims
/// come after them.
const STRIVING: u64 = 4;
/// How many shares of work a position, or a class before its size counts, may take.
const CHAIN: u64 = 8;
/// How long the root's link is made shorter: the shorter it is, the fewer positions it ends in.
const SHORTEN: Duration = Duration::from_millis(200);

impl Book {
    /// What failed may be tried again.
    pub(super) fn forget_failures(&mut self) {
        self.failed.clear();
    }

    /// The links that a link's claim rests on, itself included, oldest first.
    pub(super) fn closure(&self, root: usize) -> Vec<usize> {
        let mut used = vec![false; self.links.len()];
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            if !std::mem::replace(&mut used[id], true) {
                stack.extend(&self.links[id].next);
            }
        }
        (0..self.links.len()).filter(|&id| used[id]).collect()
    }

    /// The attacker's move: a table's where tables know a win, else that of the oldest of the
    /// links.
    pub(super) fn play(
        &self,
        links: &[usize],
        board: &Board,
        probe: &(dyn Fn(&Board) -> Option<Value> + Sync),
    ) -> Option<Move> {
        let won = Outcome::Wins(board.side_to_move());
        if probe(board).is_some_and(|value| value.outcome() == won) {
            return quickest(board, probe);
        }
        let own = |&id: &usize| self.links[id].reached.plan.own_play(board);
        links.iter().find_map(own).or_else(|| quickest(board, probe))
    }
}

/// Looks for chains.
pub(super) struct Chains<'p, 'a> {
    pub(super) aim_prover: &'p mut AimProver<'a>,
    pub(super) book: &'p mut Book,
    /// The positions of one attempt at the root; deeper ones get less.
    pub(super) slice: u64,
    /// When a table takes over.
    pub(super) until: Option<Instant>,
    /// What a class has cost so far earns its next position a part of that.
    pub(super) earned: u64,
}

impl Chains<'_, '_> {
    /// What tables, rules or the book say of a position.
    fn known(&self, board: &Board) -> Known {
        let us = board.side_to_move();
        if let Some(value) = self.aim_prover.probe()(board) {
            let won = value.outcome() == Outcome::Wins(us);
            return if won { Known::Won(Won::Known) } else { Known::NotWon };
        }
        if self
            .aim_prover
            .rules
            .as_ref()
            .is_some_and(|rules| rules.end(&board.packed(), us, true).is_some())
        {
            return Known::Won(Won::Known);
        }
        match self.book.won.get(&board.packed()) {
            Some(&link) => Known::Won(Won::Link(link)),
            None => Known::Open,
        }
    }

    /// Whether a position with the attacker to move is won, by the links proved now or before.
    /// Gives up when `limit` positions have been visited since the start of the proof.
    pub(super) fn win(&mut self, board: &Board, depth: usize, limit: u64) -> Option<Won> {
        match self.known(board) {
            Known::Won(won) => return Some(won),
            Known::NotWon => return None,
            Known::Open => {}
        }
        let key = board.packed();
        if self.book.failed.get(&key).is_some_and(|&tried| tried <= depth) {
            return None;
        }
        let link = self.by_some_link(board, depth, limit);
        match link {
            Some(link) => self.book.won.insert(key, link),
            None => self.book.failed.insert(key, depth),
        };
        link.map(Won::Link)
    }

    /// Tries what is striven for, what worked for the last position at this depth, mate, a win by
    /// all men, and the zones' subgoals.
    fn by_some_link(&mut self, board: &Board, depth: usize, limit: u64) -> Option<usize> {
        let deadline = (self.aim_prover.positions + self.share(depth) * CHAIN, limit);
        let mut tried = Vec::new();
        for strive in self.strivings(board, depth) {
            if let Some(link) =
                self.unless_tried(board, (Want::Strive(strive), None), depth, deadline, &mut tried)
            {
                return Some(link);
            }
        }
        let worked = self.book.worked.get(depth).cloned().flatten();
        // At the root the general search has a turn of its own.
        let by_all = (depth > 0).then_some(Want::Win(Targets::Men));
        for want in worked.into_iter().chain([Want::Win(Targets::King)]).chain(by_all) {
            if let Some(link) = self.unless_tried(board, (want, None), depth, deadline, &mut tried)
            {
                return Some(link);
            }
        }
        let subgoals = if depth < DEEPEST { self.subgoals(board, depth) } else { Vec::new() };
        for (want, claim) in subgoals {
            if let Some(link) = self.unless_tried(board, (want, claim), depth, deadline, &mut tried)
            {
                return Some(link);
            }
        }
        None
    }

    fn unless_tried(
        &mut self,
        board: &Board,
        (want, claim): (Want, Option<String>),
        depth: usize,
        (deadline, limit): (u64, u64),
        tried: &mut Vec<Want>,
    ) -> Option<usize> {
        if tried.contains(&want) || !want.fits(board) || self.over(deadline.min(limit)) {
            return None;
        }
        tried.push(want.clone());
        let link = self.by(board, want.clone(), claim, depth, limit)?;
        self.book.worked.resize(DEEPEST + 1, None);
        self.book.worked[depth] = Some(want).filter(Want::is_general);
        Some(link)
    }

    fn over(&self, limit: u64) -> bool {
        self.aim_prover.check().is_err()
            || self.aim_prover.positions >= limit
            || self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// What is near and known to be won, where that is asked for.
    fn strivings(&mut self, board: &Board, depth: usize) -> Vec<Rc<Strive>> {
        match &self.aim_prover.library {
            Some(classes) if depth < DEEPEST => strivings(board, classes, self.aim_prover.leaf_men),
            _ => Vec::new(),
        }
    }

    /// The aims that the zones propose, the most valuable first.
    fn subgoals(&mut self, board: &Board, depth: usize) -> Vec<(Want, Option<String>)> {
        let part = self.aim_prover.part(self.share(depth) / PROPOSING);
        let proposal = propose(board, self.aim_prover.horizon, &part);
        self.aim_prover.positions += proposal.made * PROPOSING;
        let mut wants: Vec<(i32, Want, Option<String>)> = Vec::new();
        for goal in &proposal.subgoals {
            let want = match goal.kind {
                Kind::Promote => Want::Queen,
                Kind::Win if (1..crate::pioneer::search::WIN).contains(&goal.believed) => {
                    Want::Gain(goal.believed)
                }
                Kind::Win => Want::Gain(goal.stake),
                _ => continue,
            };
            let claim = (depth == 0).then(|| goal.claim.clone());
            if wants.iter().all(|(_, known, _)| *known != want) {
                wants.push((goal.stake.max(goal.believed), want, claim));
            }
        }
        wants.sort_by_key(|(worth, ..)| std::cmp::Reverse(*worth));
        let proposed = wants.into_iter().take(SUBGOALS).map(|(_, want, claim)| (want, claim));
        // A pawn may be further from its promotion than the zones look.
        proposed.chain([(Want::Queen, None)]).collect()
    }

    fn share(&self, depth: usize) -> u64 {
        (self.slice >> depth.min(4)).max(self.earned)
    }

    /// Proves one link and, unless it is the last, whatever follows from its ends.
    fn by(
        &mut self,
        board: &Board,
        want: Want,
        claim: Option<String>,
        depth: usize,
        limit: u64,
    ) -> Option<usize> {
        let goal = want.aim(board);
        let target = match (&goal, &want) {
            (Some(goal), Want::Strive(strive)) => Target::Strive(goal, strive),
            (Some(goal), _) => Target::Goal(goal),
            (None, Want::Win(targets)) => Target::Win(*targets),
            (None, _) => unreachable!("only a win has no aim"),
        };
        let known = self.book.partial.iter().position(|p| depth == 0 && p.want == want);
        let reached = match known.map(|at| self.book.partial.swap_remove(at)) {
            Some(known) => known.reached,
            None => {
                let part = if matches!(want, Want::Strive(_)) { STRIVING } else { 1 };
                let share =
                    (self.share(depth) / part).min(limit.saturating_sub(self.aim_prover.positions));
                let shorten = if depth == 0 { SHORTEN } else { Duration::ZERO };
                let us = board.side_to_move();
                match self.aim_prover.reach(board, us, target, share, shorten) {
                    Attempt::Reached(reached) => *reached,
                    Attempt::Refuted | Attempt::Open => return None,
                }
            }
        };
        let mut link = Proved { from: board.clone(), want, claim, reached, next: Vec::new() };
        if goal.is_some() && !self.goes_on(&mut link, depth, limit) {
            if depth == 0 {
                self.book.partial.push(link);
            }
            return None;
        }
        self.book.links.push(link);
        Some(self.book.links.len() - 1)
    }

    /// Whether every position that a link may end in is won in turn. A large class gets more time,
    /// but not beyond `limit`.
    fn goes_on(&mut self, link: &mut Proved, depth: usize, limit: u64) -> bool {
        let Some(starts) = starts(&link.reached.plan, link.from.side_to_move()) else {
            return false;
        };
        let began = self.aim_prover.positions;
        let share = self.share(depth);
        let limit = limit.min(began + share * CHAIN + share * starts.len() as u64 / 8);
        let before = self.earned;
        let goes_on = starts.iter().all(|start| {
            self.earned = (self.aim_prover.positions - began) / 4;
            match self.win(start, depth + 1, limit) {
                Some(Won::Known) => {}
                Some(Won::Link(next)) => link.next.push(next),
                None => return false,
            }
            true
        });
        self.earned = before;
        link.next.sort_unstable();
        link.next.dedup();
        goes_on
    }
}

/// The positions with the attacker to move that follow the ends of a plan; none if there are too
/// many, or if one of the ends is a stalemate.
fn starts(plan: &Plan, us: Side) -> Option<Vec<Board>> {
    let mut starts: HashMap<Packed, Board> = HashMap::new();
    let mut order = Vec::new();
    let mut add = |board: Board| {
        let key = board.packed();
        if starts.insert(key, board).is_none() {
            order.push(key);
        }
    };
    for end in plan.ends() {
        let replies = end.legal_moves();
        if end.side_to_move() == us {
            add(end.clone());
        } else if replies.is_empty() && !end.in_check() {
            return None;
        } else {
            replies.iter().for_each(|m| add(end.after(*m)));
        }
    }
    let stalemate = |board: &Board| board.legal_moves().is_empty();
    if order.len() > ENDS || starts.values().any(stalemate) {
        return None;
    }
    Some(order.into_iter().filter_map(|key| starts.remove(&key)).collect())
}
