//! The smallest tree: searches under a limit that grows, and the tree read off the one that finds
//! it.

use hashbrown::HashMap;

use crate::chess::board::{Board, ChessMove, move_of};
use crate::chess::{Packed, fen};
use crate::limits::{Budget, Limits, StopReason};
use crate::pioneer::image::Horizon;
use crate::tables::TableError;

use super::Goal;
use super::leaf::{Leaves, Look};
use super::search::{LARGEST, NEVER, Search, Striver};
use super::tree::{Branch, Node, NodeKind, Tree};

/// What came of a search.
#[derive(Debug)]
pub struct Explained {
    /// The tree, if there is one.
    pub tree: Option<Tree>,
    /// The cost up to which there is none.
    pub none_below: u32,
    /// Positions looked at.
    pub positions: u64,
    /// Why the search ended without a tree.
    pub stop: Option<StopReason>,
}

/// Looks for the smallest tree that shows a goal, up to 4096 moves. With a striver the owner's
/// moves are limited first at every size: such a tree is found sooner, and may be larger than the
/// smallest.
///
/// # Errors
/// As [`Tables::ensure`](crate::tables::Tables::ensure); a budget that ends is told in the answer.
pub fn explain(
    root: &Board,
    goal: Goal,
    leaves: &Leaves<'_>,
    striver: Option<Striver<'_>>,
    budget: &Budget,
) -> Result<Explained, TableError> {
    let mut searches = vec![Search::new(leaves, goal, None, None, budget)];
    if striver.is_some() {
        searches.insert(0, Search::new(leaves, goal, striver, None, budget));
    }
    grow(root, searches, budget)
}

/// Looks for the smallest tree in which the owner plays moves of its zones within a horizon only;
/// the other side plays all of its own, so that the tree is a proof all the same. That there is
/// none says little.
///
/// # Errors
/// As [`explain`].
pub fn explain_in_zones(
    root: &Board,
    goal: Goal,
    leaves: &Leaves<'_>,
    horizon: Horizon,
    budget: &Budget,
) -> Result<Explained, TableError> {
    grow(root, vec![Search::new(leaves, goal, None, Some(horizon), budget)], budget)
}

/// Puts a limit that grows to each search in turn.
fn grow(
    root: &Board,
    mut searches: Vec<Search<'_>>,
    budget: &Budget,
) -> Result<Explained, TableError> {
    let (mut limit, mut none_below) = (4, 0);
    while limit <= LARGEST {
        budget.progress().stage(&format!("trees of {limit} moves"), None);
        for at in 0..searches.len() {
            match searches[at].cost(root, limit) {
                Ok(NEVER) => {}
                Ok(_) => {
                    let positions = searches.iter().map(|search| search.positions).sum();
                    // The tree is read off what is known already; that must not fail on the same
                    // limit.
                    let unlimited = Budget::new(Limits::default());
                    let mut found = searches.swap_remove(at).within(&unlimited);
                    return Ok(Explained {
                        tree: Some(read(&mut found, root)?),
                        none_below,
                        positions,
                        stop: None,
                    });
                }
                Err(TableError::Stopped(reason)) => {
                    let positions = searches.iter().map(|search| search.positions).sum();
                    return Ok(Explained { tree: None, none_below, positions, stop: Some(reason) });
                }
                Err(error) => return Err(error),
            }
        }
        none_below = limit;
        if searches[0].known(root, root.packed())?.moves == NEVER {
            break;
        }
        limit += limit.div_ceil(4);
    }
    let positions = searches.iter().map(|search| search.positions).sum();
    Ok(Explained { tree: None, none_below, positions, stop: None })
}

/// Reads the smallest tree off a search that found one.
fn read(search: &mut Search<'_>, root: &Board) -> Result<Tree, TableError> {
    let goal = search.goal();
    let mut reader = Reader { search, numbers: HashMap::new(), nodes: Vec::new() };
    reader.node(root)?;
    Ok(Tree::new(goal, reader.nodes))
}

struct Reader<'a, 'b> {
    search: &'a mut Search<'b>,
    numbers: HashMap<Packed, usize>,
    nodes: Vec<Node>,
}

impl Reader<'_, '_> {
    fn node(&mut self, board: &Board) -> Result<usize, TableError> {
        let key = board.packed();
        if let Some(&known) = self.numbers.get(&key) {
            return Ok(known);
        }
        let number = self.nodes.len();
        self.numbers.insert(key, number);
        let goal = self.search.goal();
        let look = self.search.leaves().look(board, goal)?;
        let empty = NodeKind::Replies(Vec::new());
        self.nodes.push(Node { fen: fen(&board.vector()), kind: empty });
        let kind = match look {
            Look::Reached(leaf) => NodeKind::Leaf(leaf),
            _ if board.side_to_move() == goal.owner => {
                let m = self.search.choice(board)?.expect("a tree was found");
                NodeKind::Own(self.branch(board, &m)?)
            }
            _ => {
                let moves = board.legal_moves();
                NodeKind::Replies(
                    moves.iter().map(|m| self.branch(board, m)).collect::<Result<_, _>>()?,
                )
            }
        };
        self.nodes[number].kind = kind;
        Ok(number)
    }

    fn branch(&mut self, board: &Board, m: &ChessMove) -> Result<Branch, TableError> {
        let to = self.node(&board.after(*m))?;
        Ok(Branch { play: move_of(m).to_string(), san: board.san(*m), to })
    }
}
