//! The tree that is shown: positions once each, the owner's one move, every reply.

use crate::chess::Side;
use crate::chess::board::Board;
use crate::chess::{fen, parse_move};
use crate::tables::TableError;

use super::Goal;
use super::leaf::{Leaf, Leaves, Look};

/// A move of the tree and where it leads.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Branch {
    /// UCI notation.
    #[serde(rename = "move")]
    pub play: String,
    /// Standard algebraic notation.
    pub san: String,
    /// The number of the node it leads to.
    pub to: usize,
}

/// What stands at a node.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeKind {
    /// The line ends here.
    Leaf(Leaf),
    /// The owner's move.
    Own(Branch),
    /// Every reply.
    Replies(Vec<Branch>),
}

/// A position of the tree.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Node {
    /// The position.
    pub fen: String,
    /// What stands there.
    #[serde(flatten)]
    pub kind: NodeKind,
}

/// A readable proof; node 0 is the root.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Tree {
    /// White is the owner.
    pub white: bool,
    /// The owner wins, or else holds.
    pub wins: bool,
    /// The positions.
    pub nodes: Vec<Node>,
}

impl Tree {
    /// A tree of these nodes, the root first.
    pub(super) fn new(goal: Goal, nodes: Vec<Node>) -> Self {
        Self { white: goal.owner == Side::White, wins: goal.wins, nodes }
    }

    /// The goal.
    pub fn goal(&self) -> Goal {
        Goal { owner: if self.white { Side::White } else { Side::Black }, wins: self.wins }
    }

    /// How many moves there are, transpositions once.
    pub fn moves(&self) -> usize {
        let of = |node: &Node| match &node.kind {
            NodeKind::Leaf(_) => 0,
            NodeKind::Own(_) => 1,
            NodeKind::Replies(list) => list.len(),
        };
        self.nodes.iter().map(of).sum()
    }

    /// What is wrong with the tree, if anything: it is walked with the legal moves and its leaves
    /// alone.
    ///
    /// # Errors
    /// As [`Tables::ensure`](crate::tables::Tables::ensure).
    pub fn fault(&self, leaves: &Leaves<'_>) -> Result<Option<String>, TableError> {
        for (at, node) in self.nodes.iter().enumerate() {
            let Ok(board) = Board::from_fen(&node.fen) else {
                return Ok(Some(format!("node {at} is no position")));
            };
            let own = board.side_to_move() == self.goal().owner;
            let (branches, complete): (&[Branch], bool) = match &node.kind {
                NodeKind::Leaf(leaf) => {
                    if leaves.look(&board, self.goal())? != Look::Reached(leaf.clone()) {
                        return Ok(Some(format!("node {at} is not the leaf it says")));
                    }
                    continue;
                }
                NodeKind::Own(branch) => (std::slice::from_ref(branch), own),
                NodeKind::Replies(list) => (list, !own && list.len() == board.legal_moves().len()),
            };
            let leads = |branch: &Branch| {
                let m = parse_move(&branch.play).ok().and_then(|m| board.find(m))?;
                let target = self.nodes.get(branch.to)?;
                (fen(&board.after(m).vector()) == target.fen).then_some(())
            };
            let distinct: std::collections::HashSet<&String> =
                branches.iter().map(|b| &b.play).collect();
            if !complete
                || distinct.len() != branches.len()
                || branches.iter().any(|b| leads(b).is_none())
            {
                return Ok(Some(format!("node {at} does not answer every move")));
            }
        }
        Ok(self.has_cycle().then(|| "a line returns to a position of its own".to_owned()))
    }

    /// Whether some node is reached from itself.
    fn has_cycle(&self) -> bool {
        // 0 not seen, 1 on the path, 2 done.
        let mut state = vec![0u8; self.nodes.len()];
        let mut path: Vec<(usize, usize)> = vec![(0, 0)];
        state[0] = 1;
        while let Some((node, next)) = path.pop() {
            let branches: &[Branch] = match &self.nodes[node].kind {
                NodeKind::Leaf(_) => &[],
                NodeKind::Own(branch) => std::slice::from_ref(branch),
                NodeKind::Replies(list) => list,
            };
            let Some(branch) = branches.get(next) else {
                state[node] = 2;
                continue;
            };
            path.push((node, next + 1));
            match state[branch.to] {
                0 => {
                    state[branch.to] = 1;
                    path.push((branch.to, 0));
                }
                1 => return true,
                _ => {}
            }
        }
        false
    }
}
