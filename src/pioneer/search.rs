//! The search with zones: short, deep and full of belief. It proves nothing; it finds the lines worth proving.
//!
//! A zone is formed at the node where play in it begins, by moves that are not played (pseudo-moves: the attacker is
//! set on its trajectory's squares to see who acts on them), and carried down the line in the image. Attacks that come
//! into view below are noted at their node and become zones on the way up, if the attacker has the time; defences
//! against them that had to begin earlier are handed to the nodes above, which search them before they return.
//! A side that has nothing to do in its zones pauses; two pauses end a line.
//!
//! # References
//! M. M. Botvinnik, *On the cybernetic goal of the game*, 1975, from "Forming zones and searching" to "Spare time";
//! specification page 3.5.

use super::exchange::value;
use super::groups::{groups, stems, threats};
use super::image::{Horizon, Image};
use super::play::{balance, makes_sense, steps};
use super::store::BundleId;
use crate::chess::Move;
use crate::chess::board::{Board, ChessMove, Color, Position, Square, move_of};
use crate::limits::{Budget, StopReason};

/// The worth of a win that needs no more play, in pawns: the king's.
pub const WIN: i32 = 200;

/// One step of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A move.
    Move(ChessMove),
    /// The side to move has nothing to do in the zones in play: spare time, of use elsewhere.
    Pause,
}

/// A line the search believes in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its steps from the root.
    pub steps: Vec<Step>,
    /// What the side to move at the root wins by it, in pawns; [`WIN`] and above is mate or a won ending.
    pub gain: i32,
}

/// What the search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The best line of each group of zones that was searched, best first. Empty when there is nothing to attack.
    pub lines: Vec<Line>,
    /// The size of the trees in moves, all groups and lengths together; pauses are not moves.
    pub tree: u64,
    /// Why it ended before all was searched.
    pub stop: Option<StopReason>,
}

/// Knows the value of some positions for certain: tables, proved rules. For the side to move: win, draw or loss as +1,
/// 0, −1.
pub type Oracle<'a> = dyn Fn(&Board) -> Option<i32> + 'a;

/// The bounds of the search.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// H_L.
    pub horizon: Horizon,
    /// T_L: the longest line in plies, pauses counted.
    pub line: usize,
    /// The most moves the tree may have for one group of zones.
    pub tree: u64,
}

impl Bounds {
    /// Lines up to four times the horizon, trees of at most 4,000 moves.
    pub fn of(horizon: Horizon) -> Self {
        Self { horizon, line: 4 * usize::from(horizon.plies().max(2)), tree: 4_000 }
    }
}

/// Attacks that come into view take part only if they need this many moves at most: a longer way leaves the target time.
const NEW_ATTACK_MOVES: u8 = 2;

/// On one line new attacks are taken in at most this often: each time everything below is searched again.
const NEW_ATTACKS: usize = 2;

/// Searches the zones of both sides from a position, the most valuable targets first.
pub fn search(board: &Board, bounds: Bounds, oracle: &Oracle<'_>, budget: &Budget) -> Found {
    let mut image = Image::new(board, bounds.horizon);
    let us = board.chess().turn();
    let (ours, _) = stems(&mut image, us);
    let threats = threats(&mut image, us);
    let mut found = Found { lines: Vec::new(), tree: 0, stop: None };
    let mut won = 0;
    for group in groups(&mut image, &ours, !threats.is_empty()) {
        if found.stop.is_some() || group.stake <= won {
            break;
        }
        let zones: Vec<BundleId> = group.stems.iter().chain(&threats).copied().collect();
        let line = believe(board, &mut image, &zones, bounds, oracle, budget, &mut found);
        won = won.max(line.gain);
        found.lines.push(line);
    }
    found.lines.sort_by_key(|line| std::cmp::Reverse(line.gain));
    found
}

/// The best line with these zones in play, longer and longer lines while some were cut for their length. The tree and a
/// limit that was met are added to `found`.
pub fn believe(
    board: &Board,
    image: &mut Image,
    zones: &[BundleId],
    bounds: Bounds,
    oracle: &Oracle<'_>,
    budget: &Budget,
    found: &mut Found,
) -> Line {
    let (mut best, before) = (None, found.tree);
    for line in (1..=bounds.line.max(1)).step_by(2) {
        let tree = bounds.tree.saturating_sub(found.tree - before);
        let mut play = Play::new(board, image, Bounds { line, tree, ..bounds }, oracle, budget, found.tree);
        let found_line = play.line(zones);
        found.tree += play.tree;
        found.stop = play.stop.filter(|&stop| stop != StopReason::Exhausted);
        let finished = play.stop.is_some() || !play.cut;
        if play.stop.is_none() || best.is_none() {
            best = Some(found_line);
        }
        if finished {
            break;
        }
    }
    best.expect("the first length was searched")
}

/// A node of the line being searched.
struct Node {
    board: Board,
    /// Moves handed up from below, to be searched here before the node returns.
    pending: Vec<ChessMove>,
    tried: Vec<ChessMove>,
}

struct Play<'a> {
    image: &'a mut Image,
    bounds: Bounds,
    oracle: &'a Oracle<'a>,
    budget: &'a Budget,
    root: Color,
    start: i32,
    nodes: Vec<Node>,
    tree: u64,
    before: u64,
    /// New attacks taken in on the present line.
    taken_in: usize,
    /// Whether a line was cut for its length.
    cut: bool,
    stop: Option<StopReason>,
}

/// A value for the root's side and the steps that lead to it, last first.
type Value = (i32, Vec<Step>);

impl<'a> Play<'a> {
    fn new(
        board: &Board,
        image: &'a mut Image,
        bounds: Bounds,
        oracle: &'a Oracle<'a>,
        budget: &'a Budget,
        before: u64,
    ) -> Self {
        let root = board.chess().turn();
        let nodes = vec![Node { board: board.clone(), pending: Vec::new(), tried: Vec::new() }];
        let start = balance(board, root);
        Self { image, bounds, oracle, budget, root, start, nodes, tree: 0, before, taken_in: 0, cut: false, stop: None }
    }

    fn line(&mut self, zones: &[BundleId]) -> Line {
        let (gain, mut steps) = self.node(zones, None, false, -2 * WIN, 2 * WIN);
        steps.reverse();
        Line { steps, gain }
    }

    fn board(&self) -> &Board {
        &self.nodes.last().expect("the root stays").board
    }

    fn sign(&self) -> i32 {
        if self.image.turn() == self.root { 1 } else { -1 }
    }

    /// Minimax at the present node, between the bounds that both sides have already.
    fn node(&mut self, zones: &[BundleId], last: Option<Square>, paused: bool, mut low: i32, mut high: i32) -> Value {
        if let Some(value) = self.settled(zones, last) {
            return (value, Vec::new());
        }
        let in_check = self.board().in_check();
        let moves = if in_check {
            let mut evasions = self.board().legal_moves().to_vec();
            evasions.sort_by_key(|m| m.capture().map_or(0, |role| -value(role)));
            evasions
        } else {
            steps(self.image, zones, last).legal(self.board())
        };
        let sign = self.sign();
        let mut best: Option<Value> = None;
        let mut consider = |value: Value, low: &mut i32, high: &mut i32| {
            let better = best.as_ref().is_none_or(|b| sign * value.0 > sign * b.0);
            if sign > 0 {
                *low = value.0.max(*low)
            } else {
                *high = value.0.min(*high)
            }
            if better {
                best = Some(value);
            }
        };
        self.node_mut().pending = moves;
        while let Some(m) = self.next_move() {
            let value = self.descend(m, zones, low, high);
            consider(value, &mut low, &mut high);
            if low >= high || self.stop.is_some() {
                break;
            }
        }
        if !in_check && low < high && self.stop.is_none() {
            let value = if paused { (self.gain(), Vec::new()) } else { self.pause(zones, low, high) };
            consider(value, &mut low, &mut high);
        }
        best.unwrap_or_else(|| (self.gain(), Vec::new()))
    }

    fn node_mut(&mut self) -> &mut Node {
        self.nodes.last_mut().expect("the root stays")
    }

    fn next_move(&mut self) -> Option<ChessMove> {
        let node = self.node_mut();
        while !node.pending.is_empty() {
            let m = node.pending.remove(0);
            if !node.tried.contains(&m) {
                node.tried.push(m);
                return Some(m);
            }
        }
        None
    }

    /// The material won since the root by the root's side.
    fn gain(&self) -> i32 {
        balance(self.board(), self.root) - self.start
    }

    /// The value, if the line ends here: mate, stalemate, known to the oracle, too long, or without hope.
    fn settled(&mut self, zones: &[BundleId], last: Option<Square>) -> Option<i32> {
        let board = self.board();
        if board.legal_moves().is_empty() {
            let depth = self.nodes.len() as i32;
            return Some(if board.in_check() { -self.sign() * (2 * WIN - depth) } else { 0 });
        }
        if self.nodes.len() > 1
            && let Some(value) = (self.oracle)(board)
        {
            return Some(self.sign() * value * WIN);
        }
        let stakes: i32 = zones.iter().filter_map(|&id| self.image.stem(id)).map(|s| s.stake()).sum();
        let gain = self.gain();
        if self.nodes.len() > self.bounds.line {
            self.cut = true;
            return Some(gain + self.sign() * self.recapture(last));
        }
        if stakes > 0 && gain.abs() >= stakes && !self.board().in_check() {
            return Some(gain);
        }
        if self.tree >= self.bounds.tree {
            self.stop = Some(StopReason::Exhausted);
        } else {
            self.stop = self.budget.check(self.before + self.tree, 0).err();
        }
        self.stop.map(|_| gain)
    }

    /// What the side to move still wins in an exchange that the line's end interrupts.
    fn recapture(&self, last: Option<Square>) -> i32 {
        let Some(square) = last else { return 0 };
        let men = self.image.men();
        let takers = men.controllers(square, self.image.turn()).into_iter();
        takers.map(|from| super::exchange::exchange(men, from, square)).max().unwrap_or(0).max(0)
    }

    /// Plays a move, searches below it, and searches again with the attacks that came into view and have the time.
    fn descend(&mut self, m: ChessMove, zones: &[BundleId], low: i32, high: i32) -> Value {
        self.tree += 1;
        let after = self.board().after(m);
        let capture = m.is_capture().then(|| Square::new(u32::from(move_of(&m).to())));
        let new = self.image.play(&after);
        let zones = self.carried(zones, &m);
        self.nodes.push(Node { board: after, pending: Vec::new(), tried: Vec::new() });
        let mut value = self.node(&zones, capture, false, low, high);
        let new = if self.taken_in < NEW_ATTACKS { new } else { Vec::new() };
        let added: Vec<BundleId> =
            new.into_iter().filter(|id| !zones.contains(id) && self.has_time(*id, &value.1)).collect();
        if !added.is_empty() && self.stop.is_none() {
            self.hand_up(&added);
            let zones: Vec<BundleId> = zones.iter().chain(&added).copied().collect();
            self.node_mut().tried.clear();
            self.taken_in += 1;
            value = self.node(&zones, capture, false, low, high);
            self.taken_in -= 1;
        }
        self.nodes.pop();
        self.image.undo();
        value.1.push(Step::Move(m));
        value
    }

    fn pause(&mut self, zones: &[BundleId], low: i32, high: i32) -> Value {
        let Some(after) = self.board().passed() else { return (self.gain(), Vec::new()) };
        self.image.play(&after);
        self.nodes.push(Node { board: after, pending: Vec::new(), tried: Vec::new() });
        let mut value = self.node(zones, None, true, low, high);
        self.nodes.pop();
        self.image.undo();
        value.1.push(Step::Pause);
        value
    }

    /// The zones in play after a move: those whose attacker moved go on from its new square, frozen ones are dropped.
    fn carried(&mut self, zones: &[BundleId], m: &ChessMove) -> Vec<BundleId> {
        let step = move_of(m);
        let (from, to) = (Square::new(u32::from(step.from())), Square::new(u32::from(step.to())));
        let live: Vec<BundleId> = self.image.live().collect();
        let mut carried = Vec::new();
        for &id in zones {
            let stored = *self.image.store().get(id);
            if live.contains(&id) {
                carried.push(id);
                continue;
            }
            let goes_on = self.image.store().at(to).find(|&next| {
                let other = self.image.store().get(next);
                other.frost.is_none() && other.to == stored.to && other.purpose == stored.purpose
            });
            let moved = self.image.store().at(from).any(|old| old == id);
            if let Some(next) = goes_on.filter(|next| moved && !carried.contains(next)) {
                carried.push(next);
            }
        }
        carried
    }

    /// Whether an attack that came into view becomes a zone: its way is short, something is at stake, and in the best
    /// line its target stays long enough.
    fn has_time(&mut self, id: BundleId, line: &[Step]) -> bool {
        if self.image.store().get(id).frost.is_some() {
            return false;
        }
        let Some(stem) = self.image.stem(id) else { return false };
        let needed = stem.routes.routes[0].moves;
        if needed > NEW_ATTACK_MOVES || !makes_sense(stem.piece.role, stem.target.map(|t| t.role)) {
            return false;
        }
        if needed == 1 && super::exchange::exchange(self.image.men(), stem.from, stem.to) <= 0 {
            return false;
        }
        let to_move = stem.piece.color == self.image.turn();
        let plies = 2 * usize::from(needed) - usize::from(to_move);
        let leaves = |s: &Step| matches!(s, Step::Move(m) if Square::new(u32::from(move_of(m).from())) == stem.to);
        let taken = |s: &Step| matches!(s, Step::Move(m) if Square::new(u32::from(move_of(m).to())) == stem.from);
        let stays = line.iter().rev().position(|s| leaves(s) || taken(s)).unwrap_or(usize::MAX);
        stays >= plies
    }

    /// Hands the defences against new zones to the nodes above, as far back as a man could have begun them.
    fn hand_up(&mut self, zones: &[BundleId]) {
        let depth = self.nodes.len() - 1;
        for &id in zones {
            let Some(zone) = self.image.zone(id) else { continue };
            let late = zone.late_negations(self.image.men(), depth.div_ceil(2).min(2) as u8);
            for (negation, missing) in late {
                let t = &negation.route.trajectory;
                let step = Move::new(t.from() as u8, t.alpha(1) as u8, 0);
                for up in (0..depth.saturating_sub(2 * usize::from(missing) - 1)).rev() {
                    let board = &self.nodes[up].board;
                    if board.chess().turn() == zone.plus() {
                        continue;
                    }
                    if board.chess().board().piece_at(t.from()) != Some(t.piece) {
                        break;
                    }
                    if let Some(m) = board.find(step) {
                        self.nodes[up].pending.push(m);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn find(fen: &str, horizon: u32) -> (Found, Vec<String>) {
        let board = Board::from_fen(fen).unwrap();
        let found = search(&board, Bounds::of(Horizon::new(horizon)), &|_| None, &Budget::default());
        let mut names = Vec::new();
        let mut at = board;
        for step in found.lines.first().map_or(&[][..], |l| &l.steps) {
            let Step::Move(m) = step else {
                at = at.passed().unwrap();
                names.push("pause".to_string());
                continue;
            };
            names.push(at.san(*m));
            at.play(*m);
        }
        (found, names)
    }

    #[test]
    fn wins_what_hangs_and_leaves_what_is_guarded() {
        let (found, line) = find("4k3/8/8/3n4/8/8/8/3RK3 w - - 0 1", 4);
        assert_eq!((found.lines[0].gain, line[0].as_str()), (3, "Rxd5"));
        let (found, _) = find("4k3/8/4p3/3n4/8/8/8/3RK3 w - - 0 1", 2);
        assert_eq!(found.lines[0].gain, 0);
    }

    #[test]
    fn finds_mates_and_forks() {
        let (found, line) = find("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 4);
        assert!(found.lines[0].gain >= WIN);
        assert_eq!(line, ["Rd8#"]);
        let (found, line) = find("r3k3/8/8/1N6/8/8/8/4K3 w - - 0 1", 4);
        assert_eq!((found.lines[0].gain, line[0].as_str()), (5, "Nc7+"), "{line:?}");
    }

    #[test]
    fn nothing_to_attack_nothing_found() {
        let (found, _) = find("4k3/8/8/8/8/8/8/4K3 w - - 0 1", 6);
        assert_eq!(found, Found { lines: Vec::new(), tree: 0, stop: None });
        let (found, _) = find("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", 0);
        assert!(found.lines.is_empty());
    }

    #[test]
    fn a_side_saves_what_is_attacked() {
        let (found, line) = find("4k3/8/8/3p4/4N3/8/8/4K3 w - - 0 1", 2);
        assert!(found.lines[0].gain >= 0, "the knight is attacked and saved: {line:?}");
        assert!(line[0].starts_with('N'), "{line:?}");
    }

    #[test]
    fn trees_are_bounded() {
        let board = Board::from_fen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1").unwrap();
        let bounds = Bounds { tree: 300, ..Bounds::of(Horizon::new(4)) };
        let found = search(&board, bounds, &|_| None, &Budget::default());
        assert!(!found.lines.is_empty());
        assert!(found.tree <= 300 * found.lines.len() as u64 + 64, "{}", found.tree);
    }
}
