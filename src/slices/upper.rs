//! Bounds from above, for holds: what is outside them is proved not to be won.

use super::exits::exits;
use super::fixpoint::{Exits, close};
use super::key::{Key, Place};
use super::moves::{Goal, Spot};
use super::rows::Sets;
use super::store::{Bold, CLASSES, FEARED, GIVEN_UP, HOPED, LEVELS, Level, Store, UPPER};
use std::sync::Arc;

/// Whether holds are asked of a slice: not where the attacker has a man at rest, whose moves are left
/// out.
fn can_hold(key: &Key) -> bool {
    !key.is_below()
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
        can_hold(key) && sets.map_or(key.ours == 0 && !key.is_large(), |sets| !sets.has(key, place))
    }

    /// Solves a slice at hand for holds, at each level.
    pub(super) fn solve_hold(&mut self, key: &Key) {
        self.solve_at(key, &[HOPED, FEARED, UPPER]);
    }

    /// Whether a slice was solved for holds.
    pub(super) fn has_upper(&self, key: &Key) -> bool {
        self.nodes.get(key).is_some_and(|node| node.sets[UPPER].is_some())
    }

    /// Solves a slice at hand at one proved level, for wins (0) or for holds ([`UPPER`]): all that it
    /// reads is solved or given up, so that nothing is to be guessed.
    pub(super) fn solve_once(&mut self, key: &Key, level: usize) {
        self.solve_at(key, &[level]);
        // It is not looked into again: what is guessed is what is proved.
        let guessed = match level {
            0 if key.is_vast() => 1..LEVELS,
            UPPER if key.is_several() => LEVELS..UPPER,
            _ => 0..0,
        };
        if let Some(node) = self.nodes.get_mut(key).filter(|node| !node.exact) {
            node.closed |= level == 0;
            let proved = node.sets[level].clone();
            node.sets[guessed.clone()].fill(proved);
            node.changed[guessed].fill(self.clock);
        }
        if key.is_vast() {
            self.exits = Exits::default();
        }
    }

    /// Solves a slice at levels of which each is above the one before.
    fn solve_at(&mut self, key: &Key, levels: &[usize]) {
        if self.nodes.get(key).is_some_and(|node| node.exact) {
            return;
        }
        let mut node = self.nodes.remove(key).expect("taken in before");
        self.solves[key.kind()] += 1;
        self.clock += 1;
        let mut exits_of = std::mem::take(&mut self.exits);
        let mut log = std::mem::take(&mut self.log);
        // What is so large is not kept beside what comes of it; nor is it where nothing is proved to be won,
        // which can be made anew.
        let is_nothing = self.common.is_none() && key.is_several() && node.changed[0] == 0;
        let is_spent = levels == [0] || key.is_vast() || levels == [UPPER] && is_nothing;
        let mut sets = match node.sets[0].take_if(|_| is_spent) {
            Some(own) => {
                self.bytes -= if self.common.is_none() { own.bytes() } else { 0 };
                Arc::try_unwrap(own).unwrap_or_else(|own| Sets::clone(&own))
            }
            None => node.lower(key),
        };
        for (at, &level) in levels.iter().enumerate() {
            // Ranks of what is so large are found when a strategy needs them.
            log.reset(if key.is_several() { 0 } else { key.rows() });
            exits(
                key,
                &node.stuck,
                &Level { store: self, level, bold: Bold::Giving, large: key.is_large() },
                &mut exits_of,
            );
            (0..CLASSES - 1).for_each(|class| exits_of.admit(class));
            close(key, &mut exits_of, &mut sets, &mut log);
            let is_last = at + 1 == levels.len();
            let found = if is_last { std::mem::take(&mut sets) } else { sets.clone() };
            self.put(&mut node, level, found);
        }
        self.exits = exits_of;
        self.log = log;
        self.nodes.insert(*key, node);
    }
}
