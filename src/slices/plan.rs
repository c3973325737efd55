//! What an ending would take: the placements of its pawns that can come about, counted before a
//! slice is solved.

use super::bits::Officer;
use super::engine::{Analysis, Unfit};
use super::exits::children;
use super::key::Key;
use crate::chess::Side;
use crate::chess::board::Board;
use hashbrown::HashSet;

/// Placements that are counted before the rest is left out: about a second.
const MOST: usize = 200_000;

/// Slices that can come about from a position, for one attacker.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Plan {
    /// Slices of kings and pawns.
    pub small: u64,
    /// Slices with an officer that come about by a promotion in one of them. (Those that pawn moves
    /// and captures lead to from there are more, and seldom needed.)
    pub large: u64,
    /// Whether all were counted; else there are more.
    pub whole: bool,
}

impl Plan {
    /// Positions of these slices, both sides to move: 8,192 and 524,288 each.
    pub fn positions(&self) -> u64 {
        (self.small << 13) + (self.large << 19)
    }

    /// Bytes of these slices, amply: three levels of kings and pawns, two with an officer.
    pub fn bytes(&self) -> u64 {
        self.small * 4096 + self.large * (140 << 10)
    }

    /// Seconds of one thread that it takes to solve each of them once: 0.1 ms and 1 ms.
    pub fn seconds(&self) -> f64 {
        self.small as f64 * 1e-4 + self.large as f64 * 1e-3
    }
}

/// Counts the slices that can come about from a position with an attacker; at most a second.
///
/// # Errors
/// When slices do not know the men or the rights.
pub fn plan(board: &Board, attacker: Side) -> Result<Plan, Unfit> {
    Analysis::suits(board)?;
    let Some((root, _)) = Key::of(board, attacker) else {
        // The defender has the officer: until it is gone nothing is solved for this attacker.
        return Ok(Plan { whole: true, ..Plan::default() });
    };
    let mut seen: HashSet<Key> = HashSet::from_iter([root]);
    let mut agenda = vec![root];
    let mut plan = Plan { whole: true, ..Plan::default() };
    while let Some(key) = agenda.pop() {
        if seen.len() >= MOST {
            plan.whole = false;
            break;
        }
        for child in children(&key) {
            let promoted = key.officer == Officer::None
                && child.officer == Officer::Queen
                && child.theirs == key.theirs
                && child.ours & !key.ours == 0;
            let still = child.officer == key.officer || child.officer == Officer::None;
            let new = (promoted || still) && seen.insert(child);
            if new && still {
                agenda.push(child);
            }
        }
    }
    plan.large = seen.iter().filter(|key| key.is_large()).count() as u64;
    plan.small = seen.len() as u64 - plan.large;
    Ok(plan)
}
