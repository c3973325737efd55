//! The fixpoints that decide the formulas on Leg(y⁰) (docs/theory.md §8).
//!
//! # References
//! * Algorithm B of *Computer generation of complete strategies for chess end-games*
//!   (docs/theory.md §11): the least fixpoint with ranks, by backward steps and counters.
//! * C. Löding, E. Grädel, W. Thomas, *Automata, Logics, and Infinite Games* (2002), ch. 2:
//!   attractors of reachability games.

use super::attractor::{Attractor, Entry};
use super::graph::Graph;
use crate::chess::{Side, Value};
use crate::limits::{Budget, StopReason};
use serde::Serialize;

/// The two least fixpoints, with ranks: 2 bytes a position.
#[derive(Debug, Clone)]
pub struct Values(Vec<u16>);

/// No side can force mate. Else twice the rank, plus one where the winner is Black: no position is
/// won by both.
const DRAW: u16 = u16::MAX;

impl Values {
    /// Solves both reachability games. O(positions + edges); each edge is looked at once.
    pub fn of(graph: &dyn Graph) -> Self {
        Self::within(graph, &Budget::default()).expect("no limits")
    }

    /// The same within a budget. Takes 4 bytes a position, and 4 for each position of the largest
    /// level.
    ///
    /// # Errors
    /// When a limit of the budget is reached first.
    pub fn within(graph: &dyn Graph, budget: &Budget) -> Result<Self, StopReason> {
        let mut games = Attractor::new(graph, DRAW, budget)?;
        for (winner, black) in [(Side::White, 0), (Side::Black, 1)] {
            let mated = graph.mates(winner.other()).into_iter().map(|id| (0, id));
            let known = graph.leaves().iter().filter_map(|&(id, value)| match value {
                Value::Wins(side, plies) if side == winner => Some((plies, id)),
                _ => None,
            });
            let code = |plies: u32| {
                u16::try_from(plies << 1 | black).expect("mates take fewer than 32,767 plies")
            };
            games.draw_in(mated.chain(known).collect(), Entry::Alternating, code)?;
        }
        Ok(Self(games.into_marks()))
    }

    /// The value of a position.
    pub fn value(&self, id: u32) -> Value {
        match self.0[id as usize] {
            DRAW => Value::Draw,
            code => Value::Wins(
                if code & 1 == 0 { Side::White } else { Side::Black },
                u32::from(code >> 1),
            ),
        }
    }

    /// Plies to mate by `winner` with best play, if that side can force mate.
    pub fn rank(&self, id: u32, winner: Side) -> Option<u32> {
        self.value(id).won_by(winner)
    }

    /// Whether a side can hold for ever: the other cannot force mate (Hold2 for White, Hold4 for
    /// Black).
    pub fn holds(&self, id: u32, side: Side) -> bool {
        self.rank(id, side.other()).is_none()
    }
}

/// Which of the printed formulas are satisfiable, read literally (docs/theory.md §8, erratum E4).
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
    /// The literal bits of a position. The graph must be whole.
    pub fn of(graph: &dyn Graph, values: &Values, id: u32) -> Self {
        Self::within(graph, values, id, &Budget::default()).expect("no limits")
    }

    /// The same within a budget. Takes as much memory as [`Values::within`].
    ///
    /// # Errors
    /// When a limit of the budget is reached first.
    pub fn within(
        graph: &dyn Graph,
        values: &Values,
        id: u32,
        budget: &Budget,
    ) -> Result<Self, StopReason> {
        assert!(graph.leaves().is_empty(), "the literal formulas speak of all of Leg(y⁰)");
        Ok(Self {
            theta1: values.rank(id, Side::White).is_some(),
            theta2: lingers(graph, values, id, Side::White, budget)?,
            theta3: values.rank(id, Side::Black).is_some(),
            theta4: lingers(graph, values, id, Side::Black, budget)?,
        })
    }
}

/// Whether `side` holds at `id` and some infinite path (a stalemate repeats itself) stays where it
/// holds and never meets the mated opponent: whether not every path from `id` leads to where it
/// does not hold or has mated.
fn lingers(
    graph: &dyn Graph,
    values: &Values,
    id: u32,
    side: Side,
    budget: &Budget,
) -> Result<bool, StopReason> {
    const FREE: u16 = u16::MAX;
    let mut paths = Attractor::new(graph, FREE, budget)?;
    let given_up = (0..graph.positions()).filter(|&v| !values.holds(v, side));
    let ends = given_up.chain(graph.mates(side.other())).map(|v| (0, v)).collect();
    paths.draw_in(ends, Entry::Forced, |_| 0)?;
    Ok(paths.into_marks()[id as usize] == FREE)
}
