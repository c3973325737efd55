//! The tree of a search, kept from one length of lines to the next: each move of each line once.
//!
//! What was searched to its ends for certain zones is settled, and is not searched again when lines
//! may be longer.
//!
//! # References
//! M. M. Botvinnik, *On the cybernetic goal of the game*, 1975, "Forming zones and searching";
//! docs/theory.md §13 (PIONEER's trees are counted in moves).

use super::experience::Experience;
use crate::chess::board::{Board, ChessMove};
use crate::pioneer::zone::store::BundleId;

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

/// Why a line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Mate or stalemate.
    Over,
    /// The experience of the past says what it is worth, or that it is worth no more than what is
    /// there already.
    Known,
    /// The formula of hope fails: as much is won or lost as is at stake.
    Hope,
    /// It is as long as lines may be.
    Length,
    /// The search was stopped.
    Stopped,
}

/// A position of the tree, with the step that led to it.
#[derive(Debug, Clone)]
pub struct Node {
    /// The step; a pause at the root.
    pub step: Step,
    /// The steps that were searched from here, in their order.
    pub replies: Vec<usize>,
    /// What it is worth to the side that moves at the root, in pawns.
    pub value: i32,
    /// The best of the replies; none where the line ends, or where to do nothing was best.
    pub best: Option<usize>,
    /// Why the line ends here, if it does.
    pub end: Option<End>,
    /// Moves handed up from below, to be searched here before the node returns.
    pub(in crate::pioneer) handed: Vec<ChessMove>,
    settled: Option<Settled>,
}

/// The value lies between `least` and `most`, as long as lines may be, with these zones in play.
#[derive(Debug, Clone)]
struct Settled {
    zones: Vec<BundleId>,
    least: i32,
    most: i32,
}

/// A tree; node 0 is the root. About 100 bytes a node.
#[derive(Debug, Clone)]
pub struct Tree {
    nodes: Vec<Node>,
    moves: u64,
}

impl Tree {
    pub(in crate::pioneer) fn new() -> Self {
        let mut tree = Self { nodes: Vec::new(), moves: 0 };
        tree.push(Step::Pause);
        tree
    }

    fn push(&mut self, step: Step) -> usize {
        let node = Node {
            step,
            replies: Vec::new(),
            value: 0,
            best: None,
            end: None,
            handed: Vec::new(),
            settled: None,
        };
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// The nodes, parents before children.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Its size in moves; pauses are not moves.
    pub fn moves(&self) -> u64 {
        self.moves
    }

    /// The believed line from a node on.
    pub fn line(&self, mut at: usize) -> Vec<Step> {
        let mut steps = Vec::new();
        while let Some(next) = self.nodes[at].best {
            steps.push(self.nodes[next].step);
            at = next;
        }
        steps
    }

    /// Whether it is a proof, given what is known: the side that moves at the root has a move at
    /// each of its nodes on the way, every move of the other side's has its reply, and each line
    /// ends in a position that is over, or known to be good enough. What is proved is that this
    /// side gets the root's value at least.
    pub fn proves(&self, root: &Board, experience: &dyn Experience) -> bool {
        self.covers(0, root, true, experience)
    }

    fn covers(&self, at: usize, board: &Board, own: bool, experience: &dyn Experience) -> bool {
        let node = &self.nodes[at];
        let least = || {
            let known = experience.known(board);
            WIN * if own { known.least } else { -known.most }
        };
        match node.end {
            Some(End::Over) => return node.value >= self.nodes[0].value,
            Some(End::Known) => return least() >= self.nodes[0].value,
            Some(_) => return false,
            None => {}
        }
        let reply = |m: &ChessMove| {
            node.replies.iter().copied().find(|&next| self.nodes[next].step == Step::Move(*m))
        };
        let covered = |m: &ChessMove| {
            reply(m).is_some_and(|next| self.covers(next, &board.after(*m), !own, experience))
        };
        let legal = board.legal_moves();
        let chosen = node.best.map(|best| self.nodes[best].step);
        if own {
            legal.iter().any(|m| chosen == Some(Step::Move(*m)) && covered(m))
        } else {
            legal.iter().all(covered)
        }
    }

    pub(in crate::pioneer) fn node(&mut self, at: usize) -> &mut Node {
        &mut self.nodes[at]
    }

    /// The node that a step leads to, made if it is new.
    pub(in crate::pioneer) fn reply(&mut self, at: usize, step: Step) -> usize {
        let known =
            self.nodes[at].replies.iter().copied().find(|&next| self.nodes[next].step == step);
        known.unwrap_or_else(|| {
            let next = self.push(step);
            self.moves += u64::from(step != Step::Pause);
            self.nodes[at].replies.push(next);
            next
        })
    }

    /// The value of a node that needs no more search between these bounds.
    pub(in crate::pioneer) fn settled(
        &self,
        at: usize,
        zones: &[BundleId],
        low: i32,
        high: i32,
    ) -> Option<i32> {
        let settled = self.nodes[at].settled.as_ref().filter(|s| s.zones == zones)?;
        match settled {
            Settled { least, most, .. } if least == most || *least >= high => Some(*least),
            Settled { most, .. } if *most <= low => Some(*most),
            _ => None,
        }
    }

    /// Notes that a search between these bounds came to a value; `whole` if no line was cut short.
    pub(in crate::pioneer) fn note(
        &mut self,
        at: usize,
        zones: &[BundleId],
        (low, high): (i32, i32),
        value: i32,
        whole: bool,
    ) {
        let node = &mut self.nodes[at];
        node.value = value;
        if whole {
            let least = if value <= low { i32::MIN } else { value };
            let most = if value >= high { i32::MAX } else { value };
            node.settled = Some(Settled { zones: zones.to_vec(), least, most });
        }
    }
}
