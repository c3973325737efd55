//! Nodes and edges of a restricted game: what is known of positions and moves.

use super::compact::Compact;

/// The end of a list of edges, and no node.
pub(super) const NO: u32 = u32::MAX;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Waits to be listed.
    Open,
    /// Its moves are listed.
    Spread,
    /// Won by its moves.
    Won,
    /// Won at sight: mate in one, or by a small search. `depth` holds the plies to mate at most.
    Known,
    /// All its moves are refuted.
    Lost,
}

/// A position with the attacker to move: 32 bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Own {
    pub(super) place: Compact,
    /// The list of moves that a reply leads here from.
    pub(super) parents: u32,
    /// Moves of the attacker from the root; of a position won at sight the plies to mate at most.
    pub(super) depth: u16,
    /// Moves that are not refuted.
    pub(super) alive: u8,
    pub(super) state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Live,
    Won,
    Dead,
}

/// A position after a move of the attacker's: 8 bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Play {
    /// The list of positions that have this move.
    pub(super) owners: u32,
    /// Replies that do not lead to a won position yet.
    pub(super) waiting: u8,
    /// All replies.
    pub(super) replies: u8,
    pub(super) fate: Fate,
}

/// The nodes that a list of edges leads to: each edge is a node and the next edge of the list.
pub(super) fn follow(edges: &[[u32; 2]], first: u32) -> impl Iterator<Item = u32> {
    let mut edge = first;
    std::iter::from_fn(move || {
        if edge == NO {
            return None;
        }
        let [to, next] = edges[edge as usize];
        edge = next;
        Some(to)
    })
}
