//! From a proof in a table that forgets to a complete plan: the attacker's move in every position
//! that can arise.

use super::answer::told_win;
use super::bounds::{Bounds, Known, NEVER};
use super::checks::mate_in_one;
use super::forced;
use super::mate::Desk;
use super::meter::Halt;
use super::node::{Node, with_flights};
use super::pn::ProofSearch;
use super::prospect::Style;
use super::task::{Distance, Probe, Task};
use crate::chess::Move;
use crate::chess::Side;
use crate::chess::board::{Board, ChessMove, Position, Sides, move_of};
use std::collections::HashMap;

/// The attacker's move and the plies to its goal at most, in every position of a proof with the
/// attacker to move that no probe and no rule decides. About 24 bytes a position. The plies fall
/// with every move, so that the plan ends.
#[derive(Debug, Clone)]
pub struct Plan {
    attacker: Side,
    style: Style,
    flights: Option<u8>,
    plies: u16,
    /// Whether a line ends in a win of which no length is known: it counts as a short one.
    unmeasured: bool,
    moves: HashMap<u64, (Move, u16)>,
    /// Of a plan that leaves few flights all its positions, by their keys, with the plies left at most.
    won: Vec<(u64, u16)>,
    ends: Vec<Board>,
}

impl Plan {
    /// The side whose plan this is.
    pub fn attacker(&self) -> Side {
        self.attacker
    }

    /// Whether the plies are told, or else those of lines that end in a win of which no length is known
    /// are left out.
    pub fn is_measured(&self) -> bool {
        !self.unmeasured
    }

    /// That the attacker wins, as [`Progress::proved`](crate::limits::Progress::proved) is told.
    pub(super) fn told(&self) -> String {
        told_win(self.attacker, Some(self.plies).filter(|_| self.is_measured()))
    }

    /// Plies from the root to the goal at most.
    pub fn plies(&self) -> u16 {
        self.plies
    }

    /// The style of the search that found it.
    pub(super) fn style(&self) -> Style {
        self.style
    }

    /// What is won with few flights is won by all moves, in as many plies: searches of positions that the
    /// plan leads to are told.
    pub(super) fn tell(&self, bounds: &mut Bounds) {
        for &(key, upper) in self.won.iter().filter(|&&(_, upper)| upper > 0) {
            let key = key ^ with_flights(self.flights);
            let known = bounds.get(key).unwrap_or(Known { lower: 1, ..Known::NOTHING });
            bounds.put(key, Known { upper: upper.min(known.upper), ..known }, 1);
        }
    }

    /// The number of positions with a move of their own.
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// Whether no move is needed, or all come from probes.
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// The positions in which the plan reaches a goal other than mate, each once.
    pub fn ends(&self) -> &[Board] {
        &self.ends
    }

    /// The attacker's own move in a position of the plan, none elsewhere.
    pub fn own_play(&self, board: &Board) -> Option<Move> {
        self.moves
            .get(&Node::attacked_by(board, self.attacker, self.style, self.flights).key)
            .map(|&(play, _)| play)
    }

    /// The attacker's move in a position of the plan; where the plan has none, the quickest win
    /// that `probe` knows.
    pub fn play(&self, board: &Board, probe: &Probe) -> Option<Move> {
        self.own_play(board).or_else(|| quickest(board, probe))
    }
}

/// The quickest winning move by a probe of the positions after each; `None` where the probe knows
/// no win. Where it knows the position itself, the first move that is as quick: half of the probes.
pub fn quickest(board: &Board, probe: &Probe) -> Option<Move> {
    let mover = board.side_to_move();
    if let Some(plies) = probe(board).and_then(|value| value.won_by(mover)) {
        let is_quickest = |m: &&ChessMove| {
            let after = probe(&board.after(**m)).and_then(|value| value.won_by(mover));
            after.is_some_and(|left| left + 1 == plies)
        };
        if let Some(play) = board.legal_moves().iter().find(is_quickest) {
            return Some(move_of(play));
        }
    }
    let lost_in = |m: &ChessMove| {
        let next = board.after(*m);
        if next.legal_moves().is_empty() {
            return next.in_check().then_some(0);
        }
        probe(&next)?.won_by(mover)
    };
    let moves = board.legal_moves();
    let best = moves
        .iter()
        .filter_map(|m| Some((lost_in(m)?, move_of(m))))
        .min_by_key(|&(plies, _)| plies)?;
    Some(best.1)
}

/// The plan of a proved root, or `None` when the proof cannot be rebuilt (which a hash collision
/// could cause).
///
/// # Errors
/// The end of the slice or of the budget.
pub(super) fn extract(
    desk: &mut Desk,
    task: &Task,
    style: Style,
    root: &Node,
    plies: u16,
) -> Result<Option<Plan>, Halt> {
    let mut extraction = Extraction {
        task: *task,
        search: ProofSearch::new(*task, style),
        plan: Plan {
            attacker: task.attacker,
            style,
            flights: task.flights,
            plies,
            unmeasured: false,
            moves: HashMap::new(),
            won: Vec::new(),
            ends: Vec::new(),
        },
        ends: HashMap::new(),
        steps: HashMap::new(),
        stack: Vec::new(),
    };
    let done = if root.chess().side_to_move() == task.attacker {
        extraction.stack.push((root.clone(), plies));
        true
    } else {
        let known = Known { upper: plies, ..Known::NOTHING };
        extraction.push_replies(desk, root.key, root, known)?
    };
    let complete = done && extraction.run(desk)?;
    // What a rule that knows no length ends counts as short: the bound of the proof is kept then.
    if complete && task.rules.is_none() {
        let counted = extraction.counted(root);
        extraction.plan.plies = counted.map_or(plies, |counted| counted.min(plies));
    }
    extraction.plan.ends = extraction.ends.into_values().collect();
    Ok(complete.then_some(extraction.plan))
}

/// What follows a position of a plan.
enum Step {
    /// The goal, in so many plies.
    End(u16),
    /// These positions, one for each reply.
    Replies(Vec<u64>),
}

struct Extraction<'a> {
    task: Task<'a>,
    search: ProofSearch<'a>,
    plan: Plan,
    ends: HashMap<u64, Board>,
    /// How the play goes on from positions with the attacker to move, and from the root.
    steps: HashMap<u64, Step>,
    /// Positions with the attacker to move, and the plies they may take.
    stack: Vec<(Node, u16)>,
}

impl Extraction<'_> {
    fn run(&mut self, desk: &mut Desk) -> Result<bool, Halt> {
        while let Some((node, plies)) = self.stack.pop() {
            desk.meter.step()?;
            if self.plan.moves.get(&node.key).is_some_and(|&(_, known)| known <= plies) {
                continue;
            }
            let end = if self.is_end(&node) { Some(0) } else { self.known_plies(&node, plies) };
            if let Some(left) = end {
                self.steps.entry(node.key).or_insert(Step::End(left));
                continue;
            }
            let Some((play, known)) = self.choose(desk, &node, plies)? else { return Ok(false) };
            self.plan.moves.insert(node.key, (move_of(&play), known.upper + 1));
            let next = node.after(play);
            if self.task.flights.is_some() {
                self.plan.won.extend([(node.key, known.upper + 1), (next.key, known.upper)]);
            }
            if self.is_end(&next) || known.upper == 0 {
                self.steps.insert(node.key, Step::End(1));
            } else if !self.push_replies(desk, node.key, &next, known)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The plies of the longest line of the plan. Proofs know bounds only, which may be larger: the
    /// lines of a win that was looked for within a hundred plies may all be shorter.
    fn counted(&self, root: &Node) -> Option<u16> {
        let mut order: Vec<(u16, u64)> =
            self.plan.moves.iter().map(|(&key, &(_, plies))| (plies, key)).collect();
        order.sort_unstable();
        let mut counted: HashMap<u64, u16> = HashMap::new();
        let longest = |counted: &HashMap<u64, u16>, replies: &[u64]| {
            let left = |key: &u64| match self.steps.get(key) {
                Some(Step::End(plies)) => Some(*plies),
                _ => counted.get(key).copied(),
            };
            replies.iter().map(left).try_fold(0, |most, left| Some(most.max(left?)))
        };
        for (_, key) in order {
            let plies = match self.steps.get(&key)? {
                Step::End(plies) => *plies,
                Step::Replies(replies) => longest(&counted, replies)? + 2,
            };
            counted.insert(key, plies);
        }
        match self.steps.get(&root.key)? {
            Step::Replies(replies) if root.chess().side_to_move() != self.task.attacker => {
                Some(longest(&counted, replies)? + 1)
            }
            _ => counted.get(&root.key).copied(),
        }
    }

    /// The plies to the goal at most, where that is known beforehand to be within `plies`.
    fn known_plies(&mut self, node: &Node, plies: u16) -> Option<u16> {
        let distance = self.task.known_distance(&node.board)?;
        let within = distance.within(plies);
        self.plan.unmeasured |= within.is_some() && distance == Distance::Somehow;
        within
    }

    /// Notes a position that satisfies a goal other than mate.
    fn is_end(&mut self, node: &Node) -> bool {
        let end = self.task.goal.is_some_and(|goal| goal(&node.board));
        if end {
            self.ends.entry(node.key).or_insert_with(|| node.board.clone());
        }
        end
    }

    /// A move after which the goal is reached within `plies − 1`, the quickest known, and what is
    /// known after it.
    fn choose(
        &mut self,
        desk: &mut Desk,
        node: &Node,
        plies: u16,
    ) -> Result<Option<(ChessMove, Known)>, Halt> {
        let is_plain = self.task.goal.is_none() && self.task.moves.is_none();
        if is_plain && let Some(play) = mate_in_one(node.chess()) {
            return Ok(Some((play, Known { lower: 0, upper: 0, ..Known::NOTHING })));
        }
        let forced = if is_plain { forced::mate(node.chess(), self.task.flights) } else { None };
        let forced = forced.filter(|&(_, mated_in)| mated_in <= plies).map(|(play, mated_in)| {
            let upper = mated_in - 1;
            (play, Known { lower: 2, upper, ..Known::NOTHING })
        });
        // Nothing is quicker.
        if forced.is_some_and(|(_, known)| known.upper <= 2) {
            return Ok(forced);
        }
        let known = self.quickest_known(desk, node, plies);
        if let Some(found) = forced.into_iter().chain(known).min_by_key(|(_, known)| known.upper) {
            return Ok(Some(found));
        }
        self.search.decide(desk, node, plies)?; // lost from the table: prove it again
        if let Some(found) = self.quickest_known(desk, node, plies) {
            return Ok(Some(found));
        }
        for play in self.task.moves_in(&node.board) {
            let known = self.search.decide(desk, &node.after(play), plies - 1)?;
            if known.upper < plies {
                return Ok(Some((play, known)));
            }
        }
        Ok(None)
    }

    fn quickest_known(&self, desk: &Desk, node: &Node, plies: u16) -> Option<(ChessMove, Known)> {
        let moves = self.task.moves_in(&node.board).into_iter();
        let known = moves.map(|play| (play, self.search.look(desk, &node.after(play))));
        known.filter(|(_, known)| known.upper < plies).min_by_key(|(_, known)| known.upper)
    }

    /// All replies to a position of the defender's that is known to be lost, each with the plies
    /// left after it. `from` is the position that they follow: before the attacker's move, or the
    /// root.
    fn push_replies(
        &mut self,
        desk: &Desk,
        from: u64,
        node: &Node,
        known: Known,
    ) -> Result<bool, Halt> {
        if let Some(left) = self.known_plies(node, known.upper) {
            self.steps.insert(from, Step::End(left + 1));
            return Ok(true);
        }
        let replies = node.board.legal_moves();
        if replies.is_empty() {
            self.steps.insert(from, Step::End(1));
            return Ok(self.task.goal.is_none() && node.chess().is_check());
        }
        let mut keys = Vec::with_capacity(replies.len());
        for reply in replies {
            let next = node.after(reply);
            keys.push(next.key);
            let upper = desk.bounds.get(next.key).map_or(NEVER, |k| k.upper);
            self.stack.push((next, upper.min(known.upper - 1)));
        }
        self.steps.insert(from, Step::Replies(keys));
        Ok(true)
    }
}
