//! The fixpoints that decide the formulas on the explicit graph (spec page 1.8).
//!
//! # References
//! * Algorithm B, seed 003 (spec page 2.1): the least fixpoint with ranks, by backward steps and counters.
//! * C. Löding, E. Grädel, W. Thomas, *Automata, Logics, and Infinite Games* (2002), ch. 2: attractors of reachability games.

use super::Game;
use crate::chess::Side;
use crate::kripke::Rows;
use serde::Serialize;

/// The value of a position with best play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum Value {
    /// The side mates in this many plies (the rank in the least fixpoint).
    Wins(Side, u32),
    /// Both sides can hold for ever.
    Draw,
}

const NEVER: u16 = u16::MAX;

/// The two least fixpoints, with ranks: 4 bytes a position.
#[derive(Debug, Clone)]
pub struct Values {
    white: Vec<u16>,
    black: Vec<u16>,
}

impl Values {
    /// Solves both reachability games. O(positions + edges); each edge is looked at once a side.
    pub fn of(game: &Game) -> Self {
        let back = game.rows().transpose();
        Self { white: attractor(game, &back, Side::White), black: attractor(game, &back, Side::Black) }
    }

    /// The value of a position.
    pub fn value(&self, id: u32) -> Value {
        match (self.rank(id, Side::White), self.rank(id, Side::Black)) {
            (Some(plies), _) => Value::Wins(Side::White, plies),
            (_, Some(plies)) => Value::Wins(Side::Black, plies),
            _ => Value::Draw,
        }
    }

    /// Plies to mate by `winner` with best play, if that side can force mate.
    pub fn rank(&self, id: u32, winner: Side) -> Option<u32> {
        let ranks = if winner == Side::White { &self.white } else { &self.black };
        let rank = ranks[id as usize];
        (rank != NEVER).then_some(u32::from(rank))
    }

    /// Whether a side can hold for ever: the other cannot force mate (Hold2 for White, Hold4 for Black).
    pub fn holds(&self, id: u32, side: Side) -> bool {
        self.rank(id, side.other()).is_none()
    }
}

/// The least fixpoint of "the opponent is mated, or the winner is to move and some successor is in, or the opponent is
/// to move with moves and every successor is in"; the rank is the step at which a position enters.
fn attractor(game: &Game, back: &Rows, winner: Side) -> Vec<u16> {
    let n = game.len();
    let mut rank = vec![NEVER; n as usize];
    let mut left: Vec<u16> = (0..n).map(|id| game.successors(id).len() as u16).collect();
    let mut level: Vec<u32> = (0..n).filter(|&id| game.side_to_move(id) != winner && game.mated(id)).collect();
    let mut leaves = won_leaves(game, winner);
    let mut next = Vec::new();
    let mut plies = 0;
    while !level.is_empty() || !leaves.is_empty() {
        while let Some((_, id)) = leaves.pop_if(|(at, _)| *at == plies) {
            level.push(id);
        }
        for &id in &level {
            rank[id as usize] = plies;
        }
        for &id in &level {
            for &before in back.row(id) {
                if rank[before as usize] != NEVER {
                    continue;
                }
                if game.side_to_move(before) == winner {
                    // Entered now, so that it is not listed twice; the level's loop above writes it again.
                    rank[before as usize] = plies + 1;
                    next.push(before);
                } else {
                    left[before as usize] -= 1;
                    if left[before as usize] == 0 {
                        next.push(before);
                    }
                }
            }
        }
        level.clear();
        std::mem::swap(&mut level, &mut next);
        plies += 1;
    }
    rank
}

/// The leaves that `winner` wins, with their plies, the slowest first.
fn won_leaves(game: &Game, winner: Side) -> Vec<(u16, u32)> {
    let won = game.leaves.iter().filter_map(|&(id, value)| match value {
        Value::Wins(side, plies) if side == winner => Some((plies as u16, id)),
        _ => None,
    });
    let mut leaves: Vec<(u16, u32)> = won.collect();
    leaves.sort_unstable_by(|a, b| b.cmp(a));
    leaves
}

/// Which of the printed formulas are satisfiable, read literally (spec page 1.8, erratum E4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Literal {
    /// Θ1: White has a strategy that mates.
    pub theta1: bool,
    /// Θ2: White has a strategy that is never mated and does not mate on every path.
    pub theta2: bool,
    /// Θ3: Black has a strategy that mates.
    pub theta3: bool,
    /// Θ4: the mirror of Θ2.
    pub theta4: bool,
}

impl Literal {
    /// The literal bits of a position, the root being 0. The game must be whole.
    pub fn of(game: &Game, values: &Values, id: u32) -> Self {
        assert!(game.is_whole(), "the literal formulas speak of all of Leg(y⁰)");
        Self {
            theta1: values.rank(id, Side::White).is_some(),
            theta2: lingers(game, values, id, Side::White),
            theta3: values.rank(id, Side::Black).is_some(),
            theta4: lingers(game, values, id, Side::Black),
        }
    }
}

/// Whether `side` holds at `id` and some infinite path (a stalemate repeats itself) stays where it holds and never
/// meets the mated opponent. Searches depth first from `id` for a cycle or a stalemate.
fn lingers(game: &Game, values: &Values, id: u32, side: Side) -> bool {
    let allowed = |v: u32| values.holds(v, side) && !game.mated(v);
    if !allowed(id) {
        return false;
    }
    const NEW: u8 = 0;
    const OPEN: u8 = 1;
    const DONE: u8 = 2;
    let mut state = vec![NEW; game.len() as usize];
    let mut path = vec![(id, 0_usize)];
    state[id as usize] = OPEN;
    while let Some((v, at)) = path.last_mut() {
        if game.stalemate(*v) {
            return true;
        }
        let Some(&w) = game.successors(*v).get(*at) else {
            state[*v as usize] = DONE;
            path.pop();
            continue;
        };
        *at += 1;
        if !allowed(w) {
            continue;
        }
        match state[w as usize] {
            OPEN => return true,
            NEW => {
                state[w as usize] = OPEN;
                path.push((w, 0));
            }
            _ => {}
        }
    }
    false
}
