//! The search with zones: short, deep and full of belief. It proves nothing; it finds the lines
//! worth proving.
//!
//! A zone is formed at the node where play in it begins, by moves that are not played
//! (pseudo-moves: the attacker is set on its trajectory's squares to see who acts on them), and
//! carried down the line in the image. Attacks that come into view below are noted at their node
//! and become zones on the way up, if the attacker has the time; defences against them that had to
//! begin earlier are handed to the nodes above, which search them before they return. A side that
//! has nothing to do in its zones pauses; two pauses end a line.
//!
//! Lines get longer while some were cut for their length; the tree is kept, and what is settled is
//! not searched again. The experience of the past cuts lines and comes first in the order of moves.
//!
//! # References
//! M. M. Botvinnik, *On the cybernetic goal of the game*, 1975, from "Forming zones and searching"
//! to "Spare time"; docs/theory.md §13.

use super::experience::Experience;
use super::tree::{End, Step, Tree, WIN};
use crate::chess::Side;
use crate::chess::board::{Board, ChessMove, Square, move_of};
use crate::chess::worth::at_stake;
use crate::limits::{Budget, StopReason};
use crate::pioneer::geometry::exchange::exchange;
use crate::pioneer::zone::groups::{groups, stems, threats};
use crate::pioneer::zone::image::{Horizon, Image};
use crate::pioneer::zone::play::{balance, steps};
use crate::pioneer::zone::store::BundleId;

/// A line the search believes in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its steps from the root.
    pub steps: Vec<Step>,
    /// What the side to move at the root wins by it, in pawns; [`WIN`] and above is mate or a won
    /// ending.
    pub gain: i32,
}

/// What the search found.
#[derive(Debug, Default)]
pub struct Found {
    /// The best line of each group of zones that was searched, best first. Empty when there is
    /// nothing to attack.
    pub lines: Vec<Line>,
    /// The tree of each group, in the order in which they were searched.
    pub trees: Vec<Tree>,
    /// The moves made, all groups and lengths together: a tree's moves are made again when its
    /// lines may be longer.
    pub made: u64,
    /// Why it ended before all was searched.
    pub stop: Option<StopReason>,
}

/// The bounds of the search.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// H_L.
    pub horizon: Horizon,
    /// T_L: the longest line in plies, pauses counted.
    pub line: usize,
    /// The most moves that may be made for one group of zones.
    pub made: u64,
    /// The replies that are followed.
    pub replies: Replies,
}

/// What the other side may reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replies {
    /// Its moves in the zones, and a pause for all others: what is found is believed.
    Zones,
    /// Every move, those of the zones first: see [`Tree::proves`].
    All,
}

impl Bounds {
    /// Lines up to four times the horizon, at most 4,000 moves.
    pub fn of(horizon: Horizon) -> Self {
        Self {
            horizon,
            line: 4 * usize::from(horizon.plies().max(2)),
            made: 4_000,
            replies: Replies::Zones,
        }
    }
}

/// Searches the zones of both sides from a position, the most valuable targets first, until no more
/// can be won.
pub fn search(
    board: &Board,
    bounds: Bounds,
    experience: &dyn Experience,
    budget: &Budget,
) -> Found {
    let mut image = Image::new(board, bounds.horizon);
    let us = board.side_to_move();
    let (ours, _) = stems(&mut image, us);
    let threats = threats(&mut image, us);
    let mut found = Found::default();
    let most = experience.known(board).most * WIN;
    let mut won = 0;
    for group in groups(&mut image, &ours, !threats.is_empty()) {
        let enough = group.stake <= won || found.lines.iter().any(|line| line.gain >= most);
        if found.stop.is_some() || enough {
            break;
        }
        let zones: Vec<BundleId> = group.stems.iter().chain(&threats).copied().collect();
        let line = believe(board, &mut image, &zones, bounds, experience, budget, &mut found);
        won = won.max(line.gain);
        found.lines.push(line);
    }
    found.lines.sort_by_key(|line| std::cmp::Reverse(line.gain));
    found
}

/// The best line with these zones in play, longer and longer lines while some were cut for their
/// length. The tree and a limit that was met are added to `found`.
pub fn believe(
    board: &Board,
    image: &mut Image,
    zones: &[BundleId],
    bounds: Bounds,
    experience: &dyn Experience,
    budget: &Budget,
    found: &mut Found,
) -> Line {
    let mut play = Play::new(board, image, bounds, experience, budget, found.made);
    let mut best = None;
    for line in (1..=bounds.line.max(1)).step_by(2) {
        let longer = play.line(zones, line);
        let stopped = play.stop.is_some();
        if !stopped || best.is_none() {
            best = Some(longer);
        }
        if stopped || play.cuts == 0 {
            break;
        }
    }
    found.made += play.made;
    found.stop = play.stop.filter(|&stop| stop != StopReason::Exhausted);
    found.trees.push(play.tree);
    best.expect("the first length was searched")
}

/// A search of one group of zones.
pub(in crate::pioneer) struct Play<'a> {
    pub(in crate::pioneer) image: &'a mut Image,
    bounds: Bounds,
    experience: &'a dyn Experience,
    budget: &'a Budget,
    pub(in crate::pioneer) root: Side,
    start: i32,
    pub(in crate::pioneer) tree: Tree,
    /// The present line: nodes of the tree and their positions.
    pub(in crate::pioneer) line: Vec<(usize, Board)>,
    /// The plies a line may have at present.
    longest: usize,
    made: u64,
    before: u64,
    /// New attacks taken in on the present line.
    pub(in crate::pioneer) taken_in: usize,
    /// Lines cut for their length.
    cuts: u64,
    pub(in crate::pioneer) stop: Option<StopReason>,
}

/// What both sides have already, as values for the side that moves at the root.
pub(in crate::pioneer) type Window = (i32, i32);

impl<'a> Play<'a> {
    fn new(
        board: &Board,
        image: &'a mut Image,
        bounds: Bounds,
        experience: &'a dyn Experience,
        budget: &'a Budget,
        before: u64,
    ) -> Self {
        let root = board.side_to_move();
        Self {
            image,
            bounds,
            experience,
            budget,
            root,
            start: balance(board, root),
            tree: Tree::new(),
            line: vec![(0, board.clone())],
            longest: 0,
            made: 0,
            before,
            taken_in: 0,
            cuts: 0,
            stop: None,
        }
    }

    /// The best line of at most so many plies.
    fn line(&mut self, zones: &[BundleId], longest: usize) -> Line {
        (self.longest, self.cuts) = (longest, 0);
        let gain = self.node(zones, None, false, (-WIN, WIN));
        Line { steps: self.tree.line(0), gain }
    }

    pub(in crate::pioneer) fn at(&self) -> usize {
        self.line.last().expect("the root stays").0
    }

    fn board(&self) -> &Board {
        &self.line.last().expect("the root stays").1
    }

    fn sign(&self) -> i32 {
        if self.board().side_to_move() == self.root { 1 } else { -1 }
    }

    /// What is known of a position, for the side that moves at the root; a win is worth [`WIN`] or,
    /// as a mate, more.
    fn known(&self, board: &Board) -> Window {
        let known = self.experience.known(board);
        let value = |outcome: i32| if outcome.abs() == 1 { 2 * WIN * outcome } else { 0 };
        let (least, most) = match (known.least, known.most) {
            (1, _) => (WIN, WIN),
            (_, -1) => (-WIN, -WIN),
            (least, most) => (value(least), value(most)),
        };
        if board.side_to_move() == self.root { (least, most) } else { (-most, -least) }
    }

    /// Minimax at the present node, unless it is settled.
    pub(in crate::pioneer) fn node(
        &mut self,
        zones: &[BundleId],
        last: Option<Square>,
        paused: bool,
        window: Window,
    ) -> i32 {
        let at = self.at();
        if let Some(value) = self.tree.settled(at, zones, window.0, window.1) {
            return value;
        }
        let cuts = self.cuts;
        let (least, most) = self.known(self.board());
        let narrow = (window.0.max(least), window.1.min(most));
        let value = match self.end(zones, last, narrow) {
            Some((end, value)) => {
                let node = self.tree.node(at);
                (node.end, node.best) = (Some(end), None);
                value
            }
            None => {
                self.tree.node(at).end = None;
                self.best(zones, last, paused, narrow)
            }
        };
        let value = value.clamp(least, most);
        self.tree.note(at, zones, narrow, value, cuts == self.cuts && self.stop.is_none());
        value
    }

    /// The best of the moves and of a pause.
    fn best(
        &mut self,
        zones: &[BundleId],
        last: Option<Square>,
        paused: bool,
        (mut low, mut high): Window,
    ) -> i32 {
        let (at, sign, in_check) = (self.at(), self.sign(), self.board().in_check());
        let moves = self.moves(zones, last, (low, high));
        let free = sign < 0 && self.bounds.replies == Replies::All;
        let mut best: Option<i32> = None;
        let mut tried: Vec<ChessMove> = Vec::new();
        let mut chosen = None;
        loop {
            let node = self.tree.node(at);
            let next = moves.iter().chain(&node.handed).find(|m| !tried.contains(m)).copied();
            let step = match next {
                Some(m) => Step::Move(m),
                None if in_check || paused || free => break,
                None => Step::Pause,
            };
            let Some((reply, value)) = self.descend(step, zones, (low, high)) else { break };
            if best.is_none_or(|b| sign * value > sign * b) {
                (best, chosen) = (Some(value), Some(reply));
            }
            if sign > 0 {
                low = low.max(value);
            } else {
                high = high.min(value);
            }
            if low >= high || self.stop.is_some() || step == Step::Pause {
                break;
            }
            tried.extend(next);
        }
        let stay = self.gain();
        if paused && !in_check && low < high && best.is_none_or(|b| sign * stay > sign * b) {
            (best, chosen) = (Some(stay), None);
        }
        self.tree.node(at).best = chosen;
        best.unwrap_or(stay)
    }

    /// The moves of the zones (all evasions in check) and the planned ones, in the order in which
    /// they are searched: those that lead at once to what is known to be enough, from any zone or
    /// none; the best one of shorter lines; the planned ones; the others; those that lose the man
    /// on its square, and last those that are known to bring nothing.
    fn moves(
        &mut self,
        zones: &[BundleId],
        last: Option<Square>,
        (low, high): Window,
    ) -> Vec<ChessMove> {
        let board = self.board().clone();
        let (legal, ours) = (board.legal_moves(), self.sign() > 0);
        let wanted = i32::from(if ours { high } else { -low } >= WIN);
        let mut planned = Vec::new();
        let mut moves = if board.in_check() {
            let mut evasions = legal.to_vec();
            evasions.sort_by_key(|m| m.capture().map_or(0, |role| -at_stake(role)));
            evasions
        } else {
            planned = self.experience.planned(&board, wanted);
            steps(self.image, zones, last).legal(&board)
        };
        let known = |m: &ChessMove| {
            let (least, most) = self.known(&board.after(*m));
            if ours { (least >= high, most <= low) } else { (most <= low, least >= high) }
        };
        let enough: Vec<ChessMove> = legal.iter().filter(|m| known(m).0).copied().collect();
        let free = self.bounds.replies == Replies::All && !ours;
        let others = enough.iter().chain(&planned).chain(legal.iter().filter(|_| free));
        for m in others {
            if !moves.contains(m) {
                moves.push(*m);
            }
        }
        let best = self.tree.nodes()[self.at()].best.map(|best| self.tree.nodes()[best].step);
        let men = self.image.men();
        moves.sort_by_cached_key(|m| {
            let step = move_of(m);
            let (from, to) =
                (Square::new(u32::from(step.from())), Square::new(u32::from(step.to())));
            match known(m) {
                (true, _) => 0,
                (_, true) => 5,
                _ if best == Some(Step::Move(*m)) => 1,
                _ if exchange(men, from, to) < 0 => 4,
                _ => 3 - u8::from(planned.contains(m)),
            }
        });
        moves
    }

    /// The material won since the root by the root's side.
    fn gain(&self) -> i32 {
        balance(self.board(), self.root) - self.start
    }

    /// Why the line ends here, if it does, and its value.
    fn end(
        &mut self,
        zones: &[BundleId],
        last: Option<Square>,
        (low, high): Window,
    ) -> Option<(End, i32)> {
        let board = self.board();
        if board.legal_moves().is_empty() {
            let depth = self.line.len() as i32;
            return Some((
                End::Over,
                if board.in_check() { -self.sign() * (2 * WIN - depth) } else { 0 },
            ));
        }
        if low >= high && self.line.len() > 1 {
            return Some((End::Known, low));
        }
        let stakes: i32 =
            zones.iter().filter_map(|&id| self.image.stem(id)).map(|s| s.stake()).sum();
        let gain = self.gain();
        if self.line.len() > self.longest {
            self.cuts += 1;
            return Some((End::Length, gain + self.sign() * self.recapture(last)));
        }
        if stakes > 0 && gain.abs() >= stakes && !self.board().in_check() {
            return Some((End::Hope, gain));
        }
        if self.made >= self.bounds.made {
            self.stop = Some(StopReason::Exhausted);
        } else {
            self.stop = self.budget.check(self.before + self.made, 0).err();
        }
        self.stop.map(|_| (End::Stopped, gain))
    }

    /// What the side to move still wins in an exchange that the line's end interrupts.
    fn recapture(&self, last: Option<Square>) -> i32 {
        let Some(square) = last else { return 0 };
        let men = self.image.men();
        let takers = men.controllers(square, self.board().side_to_move()).into_iter();
        takers.map(|from| exchange(men, from, square)).max().unwrap_or(0).max(0)
    }

    /// Takes a step, searches below it, and searches again with the attacks that came into view and
    /// have the time. The node it led to and its value; none where it is no step.
    fn descend(&mut self, step: Step, zones: &[BundleId], window: Window) -> Option<(usize, i32)> {
        let after = match step {
            Step::Move(m) => self.board().after(m),
            Step::Pause => self.board().passed()?,
        };
        self.made += u64::from(step != Step::Pause);
        let reply = self.tree.reply(self.at(), step);
        let new = self.image.play(&after);
        let zones = match step {
            Step::Move(m) => self.carried(zones, &m),
            Step::Pause => zones.to_vec(),
        };
        self.line.push((reply, after));
        let value = match step {
            Step::Move(m) => {
                let capture = m.is_capture().then(|| Square::new(u32::from(move_of(&m).to())));
                let value = self.node(&zones, capture, false, window);
                self.again(value, &zones, new, capture, window)
            }
            Step::Pause => self.node(&zones, None, true, window),
        };
        self.line.pop();
        self.image.undo();
        Some((reply, value))
    }
}

#[cfg(test)]
mod tests;
