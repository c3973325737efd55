//! The first moves of a hold: the holder's choices, the attacker's replies, and what is tried next.
//!
//! Where the attacker may promote to four kinds of men, or take in three ways, no single order of moves
//! holds everything, though one after the other each reply is held with little work. So the first
//! moves make a tree, and positions of it with the holder to move are attempted for themselves. Next comes what
//! seems cheapest: a position costs as much as the next, twice as long turn of its attempts, or as the
//! cheapest of the holder's moves, whose unheld replies are each taken for as dear as the dearest.
//!
//! Several threads may work at it: where one of them is, the work looks dearer to the others, who go
//! elsewhere.
//!
//! # References
//! * A. Martelli, U. Montanari, *Additive AND/OR graphs*, 1973; N. J. Nilsson, *Principles of Artificial
//!   Intelligence*, 1980, §3.2 (AO*: what is cheapest is looked into next).

use super::answer::Options;
use super::holding::{Attempted, Holding, Shares};
use super::known::Known;
use super::region::{Judge, balance_then};
use super::solve::FIRST_TURN;
use super::task::Probe;
use crate::certificate::Strategy;
use crate::chess::board::{Board, ChessMove, move_of};
use crate::chess::{Move, Packed, Side};
use crate::hold::Sight;
use hashbrown::HashMap;

/// Moves of the holder on the way to a position at most.
const DEPTH: u8 = 3;
/// Positions of the tree at most, some 300 bytes each and 100 for each reply.
const MOST: usize = 1 << 13;
/// What a move of the holder's leads to is taken for so many times as dear.
const DEEPER: u64 = 4;
/// What a thread is at is taken for so many times as dear.
const TAKEN: u64 = 4;
/// The most that is made of what the holder has lost, in pawns.
const DEAREST: i32 = 9;
/// What a position costs that was never tried: most replies are held at once.
const UNTRIED: u64 = FIRST_TURN >> 3;
/// What cannot be held this way.
const NEVER: u64 = u64::MAX;
/// In pawns: all that a holder has.
const ALL: i32 = 1000;

/// A position with the holder to move, or the root.
struct Node {
    board: Board,
    /// The holder's moves that led here.
    depth: u8,
    /// The number of its attempts.
    place: u32,
    /// The holder's moves, once they are looked into.
    ways: Vec<Way>,
    /// What holding it seems to cost: nothing where it is held.
    cost: u64,
    /// Whether something that nobody is at makes it cheaper.
    is_free: bool,
}

/// The attempts at a position, wherever in the tree it stands.
struct Attempts<'a> {
    holding: Option<Holding<'a>>,
    /// How long the next turn is.
    next: u64,
    /// How much dearer it is taken to be: what the holder has lost since the root, in pawns.
    dear: u64,
    /// Whether a thread is at them.
    is_taken: bool,
}

impl Attempts<'_> {
    fn cost(&self) -> u64 {
        let is_untried = self.holding.is_none() && !self.is_taken && self.next == FIRST_TURN;
        let next = if is_untried { UNTRIED } else { self.next };
        let taken = if self.is_taken { TAKEN } else { 1 };
        next.saturating_mul(self.dear).saturating_mul(taken)
    }
}

/// A move of the holder's; at a root with the attacker to move none.
struct Way {
    play: Option<Move>,
    /// The positions after the replies.
    replies: Vec<u32>,
}

/// A move of the holder's and the positions after the replies that are not held at sight.
pub(super) type Replies = (Option<Move>, Vec<Board>);

/// What a thread has to do.
pub(super) enum Next<'a> {
    /// Nothing: the root is held.
    Held,
    /// Nothing is left to be tried.
    Nothing,
    /// Others are at all there is.
    Wait,
    /// A turn of a position's attempts.
    Work(Box<Work<'a>>),
}

/// A turn of the attempts at a position.
pub(super) struct Work<'a> {
    id: u32,
    pub(super) board: Board,
    /// None at the root, the attempts of which are made elsewhere.
    pub(super) holding: Option<Holding<'a>>,
    pub(super) turn: u64,
    /// Whether its moves are looked into if it is not held.
    pub(super) is_new: bool,
}

/// What has been proved, for each thread to keep.
enum Fact {
    /// A closed set.
    Set(Box<Strategy>),
    /// A move after which every reply is held.
    Play(Packed, Move),
}

/// The tree.
pub(super) struct FirstMoves<'a> {
    side: Side,
    options: &'a Options,
    probe: &'a Probe<'a>,
    /// The root first.
    nodes: Vec<Node>,
    /// Those of the tree, by position and depth.
    ids: HashMap<(Packed, u8), u32>,
    /// What is attempted, the root first.
    attempts: Vec<Attempts<'a>>,
    places: HashMap<Packed, u32>,
    facts: Vec<Fact>,
}

impl<'a> FirstMoves<'a> {
    pub(super) fn new(
        root: &Board,
        side: Side,
        options: &'a Options,
        probe: &'a Probe<'a>,
    ) -> Self {
        let mut tree = Self {
            side,
            options,
            probe,
            nodes: Vec::new(),
            ids: HashMap::new(),
            attempts: Vec::new(),
            places: HashMap::new(),
            facts: Vec::new(),
        };
        tree.add(root, 0);
        tree
    }

    /// What a thread does next, which knows what it kept before and keeps the rest now.
    pub(super) fn next(&mut self, known: &Known, kept: &mut usize) -> Next<'a> {
        loop {
            self.price();
            self.tell(known, kept);
            if self.nodes[0].cost == 0 {
                return Next::Held;
            }
            let Some(id) = self.cheapest() else { return Next::Nothing };
            let node = &mut self.nodes[id as usize];
            if !node.is_free {
                return Next::Wait;
            }
            if known.parts.borrow().has(&node.board) {
                node.cost = 0;
                continue;
            }
            return Next::Work(Box::new(self.work(id)));
        }
    }

    /// Has a thread keep what it does not know yet.
    fn tell(&self, known: &Known, kept: &mut usize) {
        let mut parts = known.parts.borrow_mut();
        for fact in &self.facts[*kept..] {
            match fact {
                Fact::Set(set) => parts.keep(set),
                Fact::Play(p, play) => parts.add(p, *play),
            }
        }
        *kept = self.facts.len();
    }

    /// Hands out the attempts at a position.
    fn work(&mut self, id: u32) -> Work<'a> {
        let node = &self.nodes[id as usize];
        let attempts = &mut self.attempts[node.place as usize];
        attempts.is_taken = true;
        let (side, options, probe) = (self.side, self.options, self.probe);
        let new = || Holding::new(&node.board, side, options, probe, Shares::NEAR);
        let holding = (id > 0).then(|| attempts.holding.take().unwrap_or_else(new));
        let is_new = node.ways.is_empty() && node.depth < DEPTH && self.nodes.len() < MOST;
        Work { id, board: node.board.clone(), holding, turn: attempts.next, is_new }
    }

    /// Takes back the attempts at a position: how they have ended, and what its moves lead to if these
    /// were looked into.
    pub(super) fn done(&mut self, work: Work<'a>, end: Attempted, moves: Vec<Replies>) {
        let node = &mut self.nodes[work.id as usize];
        let attempts = &mut self.attempts[node.place as usize];
        (attempts.holding, attempts.is_taken) = (work.holding, false);
        match end {
            Attempted::Held(set) => {
                node.cost = 0;
                self.facts.push(Fact::Set(set));
            }
            Attempted::Open => attempts.next = work.turn.saturating_mul(2),
            Attempted::Failed => attempts.next = NEVER,
        }
        let depth = node.depth + 1;
        let way = |(play, replies): Replies| Way {
            play,
            replies: replies.iter().map(|reply| self.add(reply, depth)).collect(),
        };
        let ways: Vec<Way> = moves.into_iter().map(way).collect();
        if !ways.is_empty() {
            self.nodes[work.id as usize].ways = ways;
        }
    }

    /// The number of a position so many moves of the holder's from the root.
    fn add(&mut self, board: &Board, depth: u8) -> u32 {
        let fresh = self.nodes.len() as u32;
        let id = *self.ids.entry((board.packed(), depth)).or_insert(fresh);
        if id == fresh {
            let place = self.place(board);
            let cost = self.attempts[place as usize].cost();
            let (board, ways) = (board.clone(), Vec::new());
            self.nodes.push(Node { board, depth, place, ways, cost, is_free: true });
        }
        id
    }

    /// The number of a position's attempts.
    fn place(&mut self, board: &Board) -> u32 {
        let fresh = self.attempts.len() as u32;
        let place = *self.places.entry(board.packed()).or_insert(fresh);
        if place == fresh {
            let has = |board: &Board| balance_then(board, self.side, &board.legal_moves());
            let lost = self.nodes.first().map_or(0, |root| has(&root.board) - has(board));
            let dear = 1 + lost.clamp(0, DEAREST) as u64;
            let next = FIRST_TURN;
            self.attempts.push(Attempts { holding: None, next, dear, is_taken: false });
        }
        place
    }

    /// The move of a position by which it seems to be held best, and what that seems to cost. Few replies count
    /// for more than their sum says: what shuts the attacker in is what holds.
    fn best<'b>(&self, node: &'b Node) -> Option<(u64, &'b Way)> {
        let weighed = node.ways.iter().map(|way| {
            let costs = way.replies.iter().map(|&id| self.nodes[id as usize].cost);
            let open = costs.filter(|&cost| cost > 0);
            let (count, most) = open.fold((0, 0), |(n, most), cost| (n + 1, most.max(cost)));
            let cost = most.saturating_mul(count);
            (cost.saturating_mul(count * count), cost.saturating_mul(DEEPER), way)
        });
        let best = weighed.min_by_key(|&(weight, ..)| weight);
        best.map(|(_, cost, way)| (cost, way))
    }

    /// Finds out what each position seems to cost, the last first.
    fn price(&mut self) {
        for id in (0..self.nodes.len()).rev() {
            let node = &self.nodes[id];
            if node.cost == 0 {
                continue;
            }
            let attempts = &self.attempts[node.place as usize];
            let own = attempts.cost();
            let (mut cost, mut is_free, mut play) = (own, !attempts.is_taken, None);
            if let Some((least, way)) = self.best(node).filter(|&(least, _)| least < own) {
                (cost, play) = (least, way.play);
                is_free = self.open(way).any(|reply| reply.is_free);
            }
            if let (0, Some(play)) = (cost, play) {
                self.facts.push(Fact::Play(node.board.packed(), play));
            }
            (self.nodes[id].cost, self.nodes[id].is_free) = (cost, is_free);
        }
    }

    /// What a move leaves to be held.
    fn open<'b>(&'b self, way: &'b Way) -> impl Iterator<Item = &'b Node> {
        way.replies.iter().map(|&id| &self.nodes[id as usize]).filter(|node| node.cost > 0)
    }

    /// Where work seems to pay most, unless nothing is left: where nobody is, if there is such a place.
    fn cheapest(&self) -> Option<u32> {
        let mut id = 0;
        loop {
            let node = &self.nodes[id as usize];
            if node.cost == NEVER {
                return None;
            }
            if self.attempts[node.place as usize].cost() == node.cost {
                return Some(id);
            }
            let (_, way) = self.best(node)?;
            let dearest = |&id: &u32| {
                let node = &self.nodes[id as usize];
                (node.is_free && node.cost > 0, node.cost)
            };
            id = way.replies.iter().copied().max_by_key(dearest)?;
        }
    }
}

/// The moves of a position after which no reply is lost at sight, with the replies that are not held either.
pub(super) fn looked_into(
    root: &Board,
    board: &Board,
    side: Side,
    options: &Options,
    probe: &Probe,
) -> Vec<Replies> {
    let judge = Judge::new(root, side, ALL, probe, options.rules.as_ref());
    if board.side_to_move() != side {
        return replies(judge, None, board).into_iter().collect();
    }
    let moves = board.legal_moves();
    moves.into_iter().filter_map(|m| replies(judge, Some(m), &board.after(m))).collect()
}

fn replies(judge: Judge, m: Option<ChessMove>, next: &Board) -> Option<Replies> {
    let play = m.map(|m| move_of(&m));
    if judge.is_safe_after(next) {
        return Some((play, Vec::new()));
    }
    let all: Vec<Board> = next.successors().collect();
    let sights: Vec<Sight> = all.iter().map(|reply| judge.at_sight(reply)).collect();
    if judge.is_lost_after(next) || sights.contains(&Sight::Lost) {
        return None;
    }
    let open = all.into_iter().zip(sights).filter(|(_, sight)| *sight == Sight::Open);
    Some((play, open.map(|(reply, _)| reply).collect()))
}
