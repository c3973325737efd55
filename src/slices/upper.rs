//! Bounds from above, for holds: what is outside them is proved not to be won.

use super::exits::exits;
use super::fixpoint::close;
use super::key::{Key, Place};
use super::moves::{Goal, Spot};
use super::rows::Sets;
use super::store::{Bold, CLASSES, FEARED, GIVEN_UP, HOPED, LEVELS, Level, Store, UPPER};

/// Whether holds are asked of a slice level by level: not where the attacker has a man at rest, whose
/// moves are left out, nor where both sides have an officer ([`super::closure`]).
fn can_hold(key: &Key) -> bool {
    !key.is_below() && !key.is_duel()
}

impl Store {
    /// The level of a hold: 0 proved, 1 by the guess, 2 by hope, else given up.
    pub(super) fn hold_level(&self, (key, place): &Spot) -> u8 {
        if !can_hold(key) {
            return GIVEN_UP;
        }
        let node = self.nodes.get(key);
        let lost = |level: usize| match node.and_then(|n| n.sets[level].as_ref()) {
            Some(sets) => sets.has(key, place),
            None => self.unseen.is_won(key, place, level),
        };
        [UPPER, FEARED, HOPED].into_iter().position(|l| !lost(l)).unwrap_or(LEVELS) as u8
    }

    /// The same of what a move leads to outside the slice; a second officer of the attacker wins.
    pub(super) fn goal_hold_level(&self, goal: &Goal) -> u8 {
        match goal {
            Goal::All(list) => {
                list.iter().flatten().map(|s| self.hold_level(s)).min().unwrap_or(GIVEN_UP)
            }
            Goal::Any(list) => list.iter().flatten().map(|s| self.hold_level(s)).max().unwrap_or(0),
            Goal::Here(_) | Goal::Beyond => GIVEN_UP,
        }
    }

    /// Whether a legal position is proved not to be won.
    pub(super) fn is_held(&self, key: &Key, place: &Place) -> bool {
        let sets = self.nodes.get(key).and_then(|node| node.sets[UPPER].as_ref());
        sets.map_or(key.ours == 0 && !key.is_large(), |sets| !sets.has(key, place))
    }

    /// Solves a slice at hand for holds, at each level.
    pub(super) fn solve_hold(&mut self, key: &Key) {
        self.solve_from_above(key, &[HOPED, FEARED, UPPER]);
    }

    /// Whether a slice was solved for holds.
    pub(super) fn has_upper(&self, key: &Key) -> bool {
        self.nodes.get(key).is_some_and(|node| node.sets[UPPER].is_some())
    }

    /// Solves a slice at hand for holds at the proved level alone: all that it reads is solved or
    /// given up, so that nothing is to be guessed.
    pub(super) fn solve_upper(&mut self, key: &Key) {
        self.solve_from_above(key, &[UPPER]);
    }

    /// Solves a slice at levels of holds, each above the one before.
    fn solve_from_above(&mut self, key: &Key, levels: &[usize]) {
        if self.nodes.get(key).is_some_and(|node| node.exact) {
            return;
        }
        let mut node = self.nodes.remove(key).expect("taken in before");
        self.solves[key.kind()] += 1;
        self.clock += 1;
        let mut exits_of = std::mem::take(&mut self.exits);
        let mut log = std::mem::take(&mut self.log);
        let mut sets = Sets::clone(node.sets[0].as_ref().expect("level 0 is always there"));
        for &level in levels {
            log.reset(key.rows());
            exits(
                key,
                &node.stuck,
                &Level { store: self, level, bold: Bold::Giving, large: key.is_large() },
                &mut exits_of,
            );
            (0..CLASSES - 1).for_each(|class| exits_of.admit(class));
            close(key, &mut exits_of, &mut sets, &mut log);
            self.put(&mut node, level, sets.clone());
        }
        self.exits = exits_of;
        self.log = log;
        self.nodes.insert(*key, node);
    }
}
