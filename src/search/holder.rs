//! One side's hold: attempts from the root, and from what its first moves lead to.
//!
//! Where the attacker may promote to four kinds of men, or take in three ways, no single order of moves
//! holds everything, though one after the other each reply is held with little work. So the first
//! moves make a tree of the holder's choices and the attacker's replies, and positions of it with the holder to
//! move are attempted for themselves. Next comes what seems cheapest: a position costs as much as the next,
//! twice as long turn of its attempts, or as the cheapest of the holder's moves, whose unheld replies are
//! each taken for as dear as the dearest. What is closed once ends all later lines.
//!
//! Soundness: where the holder has a move after which all replies are held, that move joins the
//! union of closed sets, and the union stays closed.
//!
//! # References
//! * A. Martelli, U. Montanari, *Additive AND/OR graphs*, 1973; N. J. Nilsson, *Principles of Artificial
//!   Intelligence*, 1980, §3.2 (AO*: what is cheapest is looked into next).

use super::answer::{Options, told_hold};
use super::holding::{Attempted, Holding, Shares};
use super::known::Known;
use super::meter::Meter;
use super::region::{Judge, Region, balance_then};
use super::solve::FIRST_TURN;
use super::task::Probe;
use crate::certificate::Strategy;
use crate::chess::board::{Board, ChessMove, move_of};
use crate::chess::{Move, Packed, Side};
use crate::hold::Sight;
use crate::limits::StopReason;
use hashbrown::HashMap;

/// Turns from which the first moves are looked into: what is simple is held before.
const BEGIN: u64 = FIRST_TURN << 7;
/// The tree has as many moves as the attempts at the root took, and one of so many of a turn at least.
const SHARE: u64 = 2;
/// Where the hold is all that is asked for, the tree begins at one of so many, and has so many times as many
/// moves.
const ENOUGH: u64 = 4;
/// Moves of the holder on the way to a position at most.
const DEPTH: u8 = 3;
/// Positions of the tree at most, some 300 bytes each and 100 for each reply.
const MOST: usize = 1 << 13;
/// What a move of the holder's leads to is taken for so many times as dear.
const DEEPER: u64 = 4;
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
}

/// The attempts at a position, wherever in the tree it stands.
struct Attempts<'a> {
    holding: Option<Holding<'a>>,
    /// How long the next turn is.
    next: u64,
    /// How much dearer it is taken to be: what the holder has lost since the root, in pawns.
    dear: u64,
}

/// A move of the holder's; at a root with the attacker to move none.
struct Way {
    play: Option<Move>,
    /// The positions after the replies.
    replies: Vec<u32>,
}

impl Attempts<'_> {
    fn cost(&self) -> u64 {
        let is_untried = self.holding.is_none() && self.next == FIRST_TURN;
        let next = if is_untried { UNTRIED } else { self.next };
        next.saturating_mul(self.dear)
    }
}

/// What is known of one side's holding.
pub(super) struct Holder<'a> {
    pub(super) side: Side,
    options: &'a Options,
    probe: &'a Probe<'a>,
    known: Known,
    /// The root first.
    nodes: Vec<Node>,
    /// Those of the tree, by position and depth.
    ids: HashMap<(Packed, u8), u32>,
    /// What is attempted, the root first.
    attempts: Vec<Attempts<'a>>,
    places: HashMap<Packed, u32>,
    /// The region that was found.
    pub(super) region: Option<Box<Region>>,
}

impl<'a> Holder<'a> {
    pub(super) fn new(
        root: &Board,
        side: Side,
        options: &'a Options,
        probe: &'a Probe<'a>,
    ) -> Self {
        let mut holder = Self {
            side,
            options,
            probe,
            known: Known::default(),
            nodes: Vec::new(),
            ids: HashMap::new(),
            attempts: Vec::new(),
            places: HashMap::new(),
            region: None,
        };
        holder.add(root, 0);
        holder
    }

    /// A turn of attempts from the root, then as much of what its first moves lead to; whether longer
    /// turns may help.
    pub(super) fn turn(&mut self, meter: &mut Meter, turn: u64) -> Result<bool, StopReason> {
        let before = meter.visited();
        let is_open = match self.attempt(0, meter, turn)? {
            Attempted::Held(set) => return Ok(self.found(Some(*set), meter)),
            Attempted::Open => true,
            Attempted::Failed => false,
        };
        let more = if self.options.enough == Some(self.side) { ENOUGH } else { 1 };
        if turn < BEGIN / more {
            return Ok(true);
        }
        let spent = meter.visited() - before;
        Ok(self.first_moves(meter, more * spent.max(turn / SHARE))?.unwrap_or(is_open))
    }

    /// So many steps at what the first moves lead to; whether more may help, none if nothing is left.
    fn first_moves(&mut self, meter: &mut Meter, steps: u64) -> Result<Option<bool>, StopReason> {
        let until = meter.visited() + steps;
        while meter.visited() < until && !self.known.parts.borrow().is_full() {
            self.price();
            if self.nodes[0].cost == 0 {
                return Ok(Some(self.found(None, meter)));
            }
            let Some(id) = self.cheapest() else { return Ok(None) };
            self.work(id, meter)?;
        }
        Ok(Some(true))
    }

    /// Keeps what holds the root.
    fn found(&mut self, set: Option<Strategy>, meter: &Meter) -> bool {
        let root = &self.nodes[0].board;
        let set = set.unwrap_or_else(|| Strategy::holding(root, self.side, []));
        let region = Region::new(set, self.known.sets(root, self.side), self.options.rules.clone());
        self.region = Some(Box::new(region));
        meter.budget().progress().proved(&told_hold(self.side));
        false
    }

    /// The number of a position so many moves of the holder's from the root.
    fn add(&mut self, board: &Board, depth: u8) -> u32 {
        let fresh = self.nodes.len() as u32;
        let id = *self.ids.entry((board.packed(), depth)).or_insert(fresh);
        if id == fresh {
            let place = self.place(board);
            let cost = self.attempts[place as usize].cost();
            let (board, ways) = (board.clone(), Vec::new());
            self.nodes.push(Node { board, depth, place, ways, cost });
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
            self.attempts.push(Attempts { holding: None, next: FIRST_TURN, dear });
        }
        place
    }

    fn attempt(&mut self, id: u32, meter: &mut Meter, turn: u64) -> Result<Attempted, StopReason> {
        let (side, options, probe) = (self.side, self.options, self.probe);
        let Node { board, place, .. } = &self.nodes[id as usize];
        let shares = if id == 0 { Shares::ROOT } else { Shares::NEAR };
        let holding = &mut self.attempts[*place as usize].holding;
        let holding =
            holding.get_or_insert_with(|| Holding::new(board, side, options, probe, shares));
        holding.turn(meter, &self.known, turn)
    }

    /// One turn of a position's attempts; where it does not hold, its moves are looked into too.
    fn work(&mut self, id: u32, meter: &mut Meter) -> Result<(), StopReason> {
        let node = &self.nodes[id as usize];
        let (place, turn) = (node.place as usize, self.attempts[node.place as usize].next);
        if self.known.parts.borrow().has(&node.board) {
            self.nodes[id as usize].cost = 0;
            return Ok(());
        }
        // The root's own attempts are made elsewhere.
        let end = if id == 0 { Attempted::Failed } else { self.attempt(id, meter, turn)? };
        let node = &mut self.nodes[id as usize];
        match end {
            Attempted::Held(set) => {
                self.known.parts.borrow_mut().keep(&set);
                node.cost = 0;
                return Ok(());
            }
            Attempted::Open => self.attempts[place].next = turn.saturating_mul(2),
            Attempted::Failed => self.attempts[place].next = NEVER,
        }
        if node.ways.is_empty() && node.depth < DEPTH && self.nodes.len() < MOST {
            self.open(id, meter)?;
        }
        Ok(())
    }

    /// Looks into the moves of a position.
    fn open(&mut self, id: u32, meter: &mut Meter) -> Result<(), StopReason> {
        let Node { board, depth, .. } = &self.nodes[id as usize];
        let (board, depth) = (board.clone(), *depth + 1);
        let mut ways = Vec::new();
        if board.side_to_move() == self.side {
            for m in board.legal_moves() {
                ways.extend(self.way(Some(m), &board.after(m), depth));
            }
        } else {
            ways.extend(self.way(None, &board, depth));
        }
        meter.slice(u64::MAX);
        let made = ways.iter().map(|way| way.replies.len() as u64 + 1).sum();
        self.nodes[id as usize].ways = ways;
        super::solve::unless_slice(meter.steps(made))
    }

    /// A move with its replies, unless one of these is lost at sight.
    fn way(&mut self, m: Option<ChessMove>, next: &Board, depth: u8) -> Option<Way> {
        let root = &self.nodes[0].board;
        let judge = Judge::new(root, self.side, ALL, self.probe, self.options.rules.as_ref());
        let mut way = Way { play: m.map(|m| move_of(&m)), replies: Vec::new() };
        if judge.is_safe_after(next) {
            return Some(way);
        }
        let replies: Vec<Board> = next.successors().collect();
        let sights: Vec<Sight> = replies.iter().map(|reply| judge.at_sight(reply)).collect();
        if judge.is_lost_after(next) || sights.contains(&Sight::Lost) {
            return None;
        }
        let open = replies.iter().zip(sights).filter(|(_, sight)| *sight == Sight::Open);
        way.replies = open.map(|(reply, _)| self.add(reply, depth)).collect();
        Some(way)
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
            let own = self.attempts[node.place as usize].cost();
            let best = self.best(node).map(|(cost, way)| (cost.min(own), way.play));
            let (cost, play) = best.unwrap_or((own, None));
            if let (0, Some(play)) = (cost, play) {
                self.known.parts.borrow_mut().add(&node.board, play);
            }
            self.nodes[id].cost = cost;
        }
    }

    /// Where work seems to pay most, unless nothing is left.
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
            id = way.replies.iter().copied().max_by_key(|&id| self.nodes[id as usize].cost)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Outcome, Value};
    use crate::limits::Budget;
    use crate::search::task::no_probe;
    use crate::tables::{Material, Tables};

    /// Positions that are held by their first moves alone, of so many; each is held in truth.
    fn held(material: &str, positions: usize, steps: u64) -> usize {
        let (tables, options) = (Tables::in_memory(), Options::default());
        let material: Material = material.parse().unwrap();
        tables.ensure(material, &Budget::default()).unwrap();
        let mut found = 0;
        for root in Tables::sample(material, 5).take(positions) {
            for side in Side::ALL {
                let budget = Budget::default();
                let mut meter = Meter::new(&budget, 0);
                let mut holder = Holder::new(&root, side, &options, &no_probe);
                holder.first_moves(&mut meter, steps).unwrap();
                let Some(region) = &holder.region else { continue };
                let truth: Value = tables.probe(&root).unwrap().unwrap();
                assert_ne!(truth.outcome(), Outcome::Wins(side.other()), "{root:?}");
                let strategy = region.strategy(&root, &no_probe, &budget).unwrap();
                assert_eq!(strategy.owner(), side);
                found += 1;
            }
        }
        found
    }

    #[test]
    fn what_first_moves_hold_is_held() {
        let found = [held("KRvKB", 12, 40_000), held("KPvKP", 12, 40_000)];
        assert!(found[0] >= 4 && found[1] >= 8, "{found:?}");
    }
}
