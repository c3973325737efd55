//! Refinement: slices are taken in and solved where the demanded position still rests on unknown
//! exits, until it is proved won or even the optimist gives it up.
//!
//! The pattern is abstraction refinement (E. Clarke, O. Grumberg, S. Jha, Y. Lu, H. Veith,
//! *Counterexample-guided abstraction refinement*, 2000): a strategy that wins at the lowest level
//! possible is walked, and the exits that it rests on are demanded of their slices, depth first.
//! A demand comes back when it is proved or its level has risen; the slice that made it is then
//! solved again. Every proof is a proof whatever order the demands come in.

use super::bits::Officer;
use super::closure::Below;
use super::key::{Key, Place};
use super::moves::{Goal, Spot, Step, steps};
use super::store::{GIVEN_UP, Store};
use crate::limits::{Budget, StopReason};
use hashbrown::{HashMap, HashSet};
use std::sync::Arc;

/// A position to be proved won, and the level at which it is taken to be won.
#[derive(Debug, Clone, Copy)]
pub(super) struct Demand {
    pub(super) place: Place,
    pub(super) level: u8,
}

/// Proves wins of the attacker.
#[derive(Debug, Default)]
pub(super) struct Prover {
    pub(super) store: Store,
    pub(super) steps: Vec<Step>,
    pub(super) visited: HashSet<Place>,
    /// Demands handed down that came back neither proved nor at a higher level: none, unless there
    /// is a mistake.
    pub(super) stuck: u64,
    /// Slices that were solved for holds in which the defender renounces something, and the kind of hold.
    pub(super) renouncing: HashMap<Key, Below>,
    /// The slice of two officers that is solved for wins with all that it reads, and these in order.
    pub(super) closing: Option<(Key, Arc<[Key]>)>,
    /// In which order demands of equal doubt are met: 0 the cheap ones first, 1 the dear ones;
    /// provers that share what they prove take different ones.
    pub(super) order: u64,
}

impl Prover {
    /// Proves the attacker's win in a position, if it can; `Exhausted` when the optimist gives up
    /// too.
    pub(super) fn prove(&mut self, spot: &Spot, budget: &Budget) -> Result<(), StopReason> {
        loop {
            let level = self.store.level(spot);
            match level {
                0 => return Ok(()),
                GIVEN_UP if self.store.has(&spot.0) => return Err(StopReason::Exhausted),
                _ => {}
            }
            let level = level.min(GIVEN_UP - 1);
            self.settle(&spot.0, &mut vec![Demand { place: spot.1, level }], budget)?;
        }
    }

    /// Works until all demands are proved (true), or the level of one has risen (false).
    pub(super) fn settle(
        &mut self,
        key: &Key,
        demands: &mut Vec<Demand>,
        budget: &Budget,
    ) -> Result<bool, StopReason> {
        if key.is_vast() {
            self.close_below(key, budget)?;
            demands.retain(|d| !self.store.is_won(key, &d.place));
            return Ok(demands.is_empty());
        }
        self.store.add(key);
        let mut first = true;
        loop {
            self.store.refresh(key);
            demands.retain(|d| !self.store.is_won(key, &d.place));
            if demands.is_empty() {
                return Ok(true);
            }
            if !first && !self.store.is_stale(key, false) {
                self.stuck += 1;
                return Err(StopReason::Exhausted);
            }
            budget.check(self.store.visited(), self.store.bytes())?;
            let places: Vec<Place> = demands.iter().map(|d| d.place).collect();
            self.store.solve(key, &places);
            demands.retain(|d| !self.store.is_won(key, &d.place));
            if demands.is_empty() {
                return Ok(true);
            }
            if demands.iter().any(|d| self.store.level(&(*key, d.place)) > d.level) {
                return Ok(false);
            }
            first = false;
            for (child, mut list) in self.walk(key, demands) {
                if !self.settle(&child, &mut list, budget)? {
                    break;
                }
            }
        }
    }

    /// The exits that a strategy of the lowest ranks rests on, by slice, the most doubtful first.
    fn walk(&mut self, key: &Key, demands: &[Demand]) -> Vec<(Key, Vec<Demand>)> {
        let mut found: HashMap<Key, Vec<Demand>> = HashMap::new();
        let mut stack: Vec<Place> = demands.iter().map(|d| d.place).collect();
        let mut buffer = std::mem::take(&mut self.steps);
        let mut visited = std::mem::take(&mut self.visited);
        visited.clear();
        let mut met: HashSet<Spot> = HashSet::new();
        let mut demand = |store: &Store, spot: &Spot| {
            let level = store.level(spot);
            if level > 0 && met.insert(*spot) {
                found.entry(spot.0).or_default().push(Demand { place: spot.1, level });
            }
        };
        while let Some(place) = stack.pop() {
            if self.store.is_won(key, &place) || !visited.insert(place) {
                continue;
            }
            steps(key, &place, &mut buffer);
            let chosen = if place.ours { self.choose(key, &buffer) } else { None };
            for step in buffer.iter().enumerate().filter(|(i, _)| !place.ours || Some(*i) == chosen)
            {
                match &step.1.goal {
                    Goal::Here(next) => stack.push(*next),
                    Goal::All(list) => list.iter().flatten().for_each(|s| demand(&self.store, s)),
                    Goal::Any(list) => {
                        let best = list.iter().flatten().min_by_key(|s| self.store.level(s));
                        best.into_iter().for_each(|s| demand(&self.store, s));
                    }
                    Goal::Beyond => {}
                }
            }
        }
        (self.steps, self.visited) = (buffer, visited);
        let mut list: Vec<_> = found.into_iter().collect();
        let doubt = |demands: &[Demand]| demands.iter().map(|d| d.level).max().unwrap_or(0);
        let cost = |key: &Key| (key.kind(), key.pawns().count_ones(), key.ours, key.theirs);
        list.sort_by(|(one, ones), (other, others)| {
            let by_cost = match self.order {
                0 => cost(one).cmp(&cost(other)),
                1 => cost(other).cmp(&cost(one)),
                order => mixed(one, order).cmp(&mixed(other, order)),
            };
            doubt(others).cmp(&doubt(ones)).then(by_cost)
        });
        list
    }

    /// The attacker's move of the lowest rank.
    fn choose(&self, key: &Key, list: &[Step]) -> Option<usize> {
        let rank = |step: &Step| match &step.goal {
            Goal::Here(next) if self.store.is_won(key, next) => Some(0),
            Goal::Here(next) => {
                let (row, bit) = key.index(next);
                Some(2 * self.store.log.rank(row, bit) + 1).filter(|&rank| rank > 1)
            }
            _ if !matches!(step.promotion, Officer::None | Officer::Queen) => None,
            goal => match self.store.goal_level(goal) {
                0 => Some(0),
                GIVEN_UP => None,
                level => {
                    let phase = match level {
                        1 if self.at_hand(goal) => 1,
                        1 if key.kind() == 1 => 2,
                        1 => 3,
                        _ => 4,
                    };
                    Some(2 * self.store.starts[phase][self.class(key, step)])
                }
            },
        };
        (0..list.len()).filter_map(|i| Some((rank(&list[i])?, i))).min().map(|(_, i)| i)
    }

    /// Whether all slices that a goal may lead to are at hand.
    fn at_hand(&self, goal: &Goal) -> bool {
        match goal {
            Goal::All(list) | Goal::Any(list) => {
                list.iter().flatten().all(|(key, _)| self.store.has(key))
            }
            Goal::Here(_) | Goal::Beyond => false,
        }
    }

    /// The class of an attacker's exit.
    fn class(&self, key: &Key, step: &Step) -> usize {
        let quiet = key.ours >> step.from & 1 != 0
            && step.promotion == Officer::None
            && (step.to - step.from).is_multiple_of(8);
        match &step.goal {
            Goal::All([Some((child, _)), ..]) if quiet => 1 + usize::from(!self.store.has(child)),
            _ => 0,
        }
    }
}

/// A number that orders slices in another way for each `order`.
fn mixed(key: &Key, order: u64) -> u64 {
    (key.ours ^ key.theirs.rotate_left(29) ^ key.rest.squares().rotate_left(47))
        .wrapping_mul(0x9e37_79b9_7f4a_7c15 ^ order << 1)
        .rotate_left(31)
}
