//! Refinement for holds: the attacker is proved not to win.
//!
//! The attacker's best is bounded from above: exits into slices that are not at hand are won there.
//! Where the bound still says *won* but the guess says *held*, a strategy of the defender is walked
//! that stays among the held positions, and the exits that it rests on are demanded. Going round
//! inside a slice is holding, so no ranks are needed: what is outside a least fixpoint above the
//! truth is outside the truth.
//!
//! When the defender promotes, it holds if it wins: that is demanded of the slice with colours
//! turned, as a win; against an officer of the attacker's, as a hold of the slice with both. Where
//! nothing is left that way, its queen holds against the attacker's pawns too, in slices that are a
//! hundred times as large.

use super::bits::Officer;
use super::children::{MET, queened, queened_place, rivalled};
use super::key::{Key, Place};
use super::moves::{Goal, Spot, Step, steps};
use super::refine::{Demand, Prover};
use super::store::GIVEN_UP;
use crate::limits::{Budget, StopReason};
use hashbrown::{HashMap, HashSet};

/// Positions of a slice that are walked, once something to demand has been found.
const ENOUGH: usize = 1 << 10;

/// What a hold rests on: held positions of other slices, and won ones of turned slices.
#[derive(Default)]
struct Needs {
    held: Demands,
    won: Demands,
}

/// The defender's new queen (or knight): the turned position, which it has to win, or one with an
/// officer of the attacker's or pawns alone, which it has to hold.
enum Queen {
    Wins(Spot),
    Holds(Spot),
}

/// Demands by slice, each once.
#[derive(Default)]
struct Demands {
    lists: HashMap<Key, Vec<Demand>>,
    met: HashSet<Spot>,
}

impl Demands {
    fn add(&mut self, spot: &Spot, level: u8) {
        if self.met.insert(*spot) {
            self.lists.entry(spot.0).or_default().push(Demand { place: spot.1, level });
        }
    }

    fn is_empty(&self) -> bool {
        self.lists.is_empty()
    }
}

impl Prover {
    /// Proves that the attacker does not win a position; `Exhausted` where even hope is given up.
    pub(super) fn hold(&mut self, spot: &Spot, budget: &Budget) -> Result<(), StopReason> {
        if spot.0.is_several() {
            return self.hold_several(spot, budget);
        }
        self.store.meets |= spot.0.is_large();
        loop {
            let level = self.store.hold_level(spot);
            match level {
                0 => return Ok(()),
                GIVEN_UP if self.store.knows(&spot.0) => return Err(StopReason::Exhausted),
                _ => {}
            }
            let level = level.min(GIVEN_UP - 1);
            self.hold_all(&spot.0, &mut vec![Demand { place: spot.1, level }], budget)?;
        }
    }

    /// Works until all places are held (true), or the level of one has risen (false).
    fn hold_all(
        &mut self,
        key: &Key,
        demands: &mut Vec<Demand>,
        budget: &Budget,
    ) -> Result<bool, StopReason> {
        if key.is_several() {
            for demand in demands.iter() {
                self.hold_closed(&(*key, demand.place), budget)?;
            }
            demands.retain(|d| !self.store.is_held(key, &d.place));
            return Ok(demands.is_empty());
        }
        self.store.add(key);
        let mut first = true;
        loop {
            demands.retain(|d| !self.store.is_held(key, &d.place));
            if demands.is_empty() {
                return Ok(true);
            }
            if !first && !self.store.is_stale(key, true) {
                self.stuck += 1;
                return Err(StopReason::Exhausted);
            }
            first = false;
            budget.check(self.store.visited(), self.store.bytes())?;
            self.store.solve_hold(key);
            demands.retain(|d| !self.store.is_held(key, &d.place));
            if demands.iter().any(|d| self.store.hold_level(&(*key, d.place)) > d.level) {
                return Ok(false);
            }
            let needs = self.needs(key, demands);
            self.meet(needs, budget)?;
        }
    }

    /// Demands what a hold rests on, one after the other, until one fails.
    fn meet(&mut self, needs: Needs, budget: &Budget) -> Result<bool, StopReason> {
        let order = |(k, demands): &(Key, Vec<Demand>)| {
            let doubt = demands.iter().map(|d| d.level).max();
            let men = k.pawns().count_ones();
            (std::cmp::Reverse(doubt), k.is_large(), men, k.ours, k.theirs, k.officer)
        };
        let mut held: Vec<_> = needs.held.lists.into_iter().collect();
        held.sort_by_key(order);
        for (key, mut demands) in held {
            if !self.hold_all(&key, &mut demands, budget)? {
                return Ok(false);
            }
        }
        let mut won: Vec<_> = needs.won.lists.into_iter().collect();
        won.sort_by_key(order);
        for (key, mut demands) in won {
            if !self.settle(&key, &mut demands, budget)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What the defender's strategy of the lowest level rests on.
    fn needs(&mut self, key: &Key, demands: &[Demand]) -> Needs {
        let mut needs = Needs::default();
        let mut stack: Vec<Place> = demands.iter().map(|d| d.place).collect();
        let mut buffer = std::mem::take(&mut self.steps);
        let mut visited = std::mem::take(&mut self.visited);
        visited.clear();
        while let Some(place) = stack.pop() {
            if self.store.is_held(key, &place) || !visited.insert(place) {
                continue;
            }
            // The rest is seen when the slice has been solved with what is found.
            if visited.len() > ENOUGH && !(needs.held.is_empty() && needs.won.is_empty()) {
                break;
            }
            steps(key, &place, &mut buffer);
            if place.ours {
                for step in &buffer {
                    match &step.goal {
                        Goal::Here(next) => stack.push(*next),
                        goal => self.need(goal, &mut needs),
                    }
                }
                continue;
            }
            let merits =
                buffer.iter().filter_map(|s| Some((self.merit(key, &place, s, &visited)?, s)));
            match merits.min_by_key(|(merit, _)| *merit) {
                Some((_, Step { goal: Goal::Here(next), .. })) => stack.push(*next),
                Some((_, step)) => match self.queen(key, &place, step) {
                    Some(Queen::Wins(spot)) => {
                        let level = self.store.level(&spot);
                        if level > 0 {
                            needs.won.add(&spot, level);
                        }
                    }
                    Some(Queen::Holds(spot)) => {
                        let goal = Goal::All([Some(spot), None, None]);
                        self.need(&goal, &mut needs);
                    }
                    None => self.need(&step.goal, &mut needs),
                },
                None => {}
            }
        }
        (self.steps, self.visited) = (buffer, visited);
        needs
    }

    /// How good a defender's move is, 0 the best; none where it is given up.
    fn merit(&self, key: &Key, place: &Place, step: &Step, visited: &HashSet<Place>) -> Option<u8> {
        let (level, inside) = match &step.goal {
            _ if step.promotion != Officer::None => match self.queen(key, place, step)? {
                Queen::Wins(spot) => (self.store.level(&spot), false),
                Queen::Holds(spot) => (self.store.hold_level(&spot), false),
            },
            Goal::Here(next) => (self.store.hold_level(&(*key, *next)), true),
            goal => (self.store.goal_hold_level(goal), false),
        };
        let known = matches!(&step.goal, Goal::Here(next) if visited.contains(next));
        let merit = level << 2 | u8::from(!known) << 1 | u8::from(!inside);
        (level < GIVEN_UP).then_some(if level == 0 { 0 } else { merit })
    }

    /// What the defender's promotion leads to, if it is looked into.
    fn queen(&self, key: &Key, place: &Place, step: &Step) -> Option<Queen> {
        let takes = key.is_large() && step.to == place.men[0];
        let meets = self.store.meets;
        if key.is_large() && !takes {
            let officer = MET.into_iter().find(|officer| meets && *officer == step.promotion)?;
            let next = Place { ours: true, ..place.moved(1, step.to) };
            let spot = (rivalled(key, step.from, officer)?, next);
            return spot.0.is_legal(&spot.1).then_some(Queen::Holds(spot));
        }
        if step.promotion != Officer::Queen {
            return None;
        }
        let rest = Key::new(key.ours, key.theirs & !(1 << step.from), Officer::None);
        let next = Place { ours: true, ..*place };
        let won = (queened(&rest), queened_place(&next, step.to));
        if takes || !meets {
            return Some(Queen::Wins(won));
        }
        let held = (rivalled(key, step.from, Officer::Queen)?, next.with_first(step.to));
        if !held.0.is_legal(&held.1) || self.store.level(&won) <= self.store.hold_level(&held) {
            return Some(Queen::Wins(won));
        }
        Some(Queen::Holds(held))
    }

    /// Demands a goal outside the slice.
    fn need(&self, goal: &Goal, needs: &mut Needs) {
        let store = &self.store;
        let mut demand = |spot: &Spot| {
            let level = store.hold_level(spot);
            if level > 0 && !spot.0.is_below() {
                needs.held.add(spot, level);
            }
        };
        match goal {
            // One spot that is not won is enough.
            Goal::All(list) => {
                let best = list.iter().flatten().min_by_key(|s| store.hold_level(s));
                best.into_iter().for_each(&mut demand);
            }
            Goal::Any(list) => list.iter().flatten().for_each(&mut demand),
            Goal::Here(_) | Goal::Beyond => {}
        }
    }
}
