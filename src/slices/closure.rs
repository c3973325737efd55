//! Several officers: slices are large and few, unlike those of pawn endings (three pawns that have
//! five squares each to go stand in some 200 ways, four that meet in some 800). So every slice that a root
//! can come to is solved once, when all that it reads is, and nothing is guessed.
//!
//! For holds all of them are solved, but for promotions, which the attacker wins unless the new man
//! is taken at once ([`super::several`]); those of pawns alone are solved too once all else is given
//! up. First the defender's pawns stand still but for captures, and none of them may be lost; then some
//! may be; then they move too: what is held without something is held. The less a hold may lose, the fewer
//! positions its strategy leads to.
//!
//! For wins of three officers the attacker's pawns stand still but for captures: what is won
//! without their moves is won. For wins of two all are solved but for promotions beside an officer, where
//! the refinement ([`super::refine`]) has not come to an end in a second or two: it solves a slice
//! some ten times while it learns which exits matter.
//!
//! Cost: a slice with two officers 0.1 to 0.4 CPU s and 4 MiB, with three 2 to 12 CPU s and 256 MiB,
//! others 2 ms at most.

use super::key::Key;
use super::moves::Spot;
use super::refine::Prover;
use super::rows::Sets;
use super::store::UPPER;
use crate::limits::{Budget, StopReason};
use hashbrown::HashSet;
use std::sync::Arc;

/// Slices with one officer or none that are solved at most; exits into others are given up.
const MOST: usize = 1 << 15;

/// Slices with two officers that are solved for a win at most.
const MOST_DUELS: usize = 1200;

/// What is solved below a slice; of holds the smallest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Below {
    /// For holds, the defender's pawns standing still and not lost.
    HoldPawns,
    /// For holds, the defender's pawns standing still.
    HoldStill,
    /// For holds.
    Hold,
    /// For wins, the attacker's pawns standing still.
    Still,
    /// For wins, all but promotions beside an officer.
    Win,
}

/// Bytes that a slice takes when it is solved: its sets, and beside them its exits and what is newly won.
fn bytes(key: &Key) -> u64 {
    40 * key.rows() as u64
}

impl Prover {
    /// Proves that the attacker does not win a position with several officers; `Exhausted` where the
    /// bound says that it may. What has been solved stays for the next time.
    pub(super) fn hold_several(&mut self, spot: &Spot, budget: &Budget) -> Result<(), StopReason> {
        let all = [Below::HoldPawns, Below::HoldStill, Below::Hold];
        // With three officers each way takes seconds: there are two.
        let ways = if spot.0.is_vast() { &all[1..] } else { &all };
        if self.hold_in(spot, ways, budget)? { Ok(()) } else { Err(StopReason::Exhausted) }
    }

    /// Whether the attacker is proved not to win a position with several officers though the defender's pawns
    /// stand still but for captures: a quarter of what a win takes, or less.
    pub(super) fn hold_still(&mut self, spot: &Spot, budget: &Budget) -> Result<bool, StopReason> {
        self.hold_in(spot, &[Below::HoldPawns, Below::HoldStill], budget)
    }

    /// Whether one of these holds is found, the first ones tried first.
    fn hold_in(
        &mut self,
        spot: &Spot,
        ways: &[Below],
        budget: &Budget,
    ) -> Result<bool, StopReason> {
        for &below in ways {
            self.close_for_holds(&spot.0, below, budget)?;
            if self.store.is_held(&spot.0, &spot.1) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Solves the slice of a position for holds, and all that it reads.
    pub(super) fn hold_closed(&mut self, spot: &Spot, budget: &Budget) -> Result<(), StopReason> {
        self.close_for_holds(&spot.0, Below::Hold, budget)
    }

    /// The slice solved for holds, with all that it reads.
    pub(super) fn solved(&mut self, key: &Key, budget: &Budget) -> Result<Arc<Sets>, StopReason> {
        self.close_for_holds(key, Below::Hold, budget)?;
        Ok(self.store.nodes[key].sets[UPPER].clone().expect("a solved slice"))
    }

    fn close_for_holds(
        &mut self,
        root: &Key,
        below: Below,
        budget: &Budget,
    ) -> Result<(), StopReason> {
        let is_done = |own: &Self, key: &Key| {
            let renounced = own.renouncing.get(key);
            own.store.has_upper(key) && renounced.is_none_or(|&solved| solved >= below)
        };
        if is_done(self, root) {
            return Ok(());
        }
        for key in &self.below(root, below, budget)? {
            if is_done(self, key) {
                continue;
            }
            budget.check(self.store.visited(), self.store.bytes() + bytes(key))?;
            self.store.add(key);
            self.store.solve_once(key, UPPER);
            // Without pawns of the defender's there is nothing to be solved anew.
            let renounces =
                below == Below::HoldPawns || below == Below::HoldStill && key.is_several();
            if renounces && key.theirs != 0 {
                self.renouncing.insert(*key, below);
            } else {
                self.renouncing.remove(key);
            }
        }
        Ok(())
    }

    /// Solves a slice of three officers for wins.
    pub(super) fn close_below(&mut self, key: &Key, budget: &Budget) -> Result<(), StopReason> {
        for key in &self.below(key, Below::Still, budget)? {
            if key.is_vast() && self.store.has(key) {
                continue;
            }
            budget.check(self.store.visited(), self.store.bytes() + bytes(key))?;
            self.store.add(key);
            self.store.solve_once(key, 0);
        }
        Ok(())
    }

    /// Solves a slice of two officers for wins, and all that it reads, promotions beside an officer left
    /// out; nothing where that are too many. What has been solved stays for the next time.
    ///
    /// # Errors
    /// The end of the budget; of memory before anything is solved, where it will not suffice.
    pub(super) fn close_for_wins(&mut self, root: &Key, budget: &Budget) -> Result<(), StopReason> {
        if self.closing.as_ref().is_none_or(|(key, _)| key != root) {
            let mut order = self.below(root, Below::Win, budget)?;
            if order.iter().filter(|key| key.kind() > 1).count() > MOST_DUELS {
                order.clear();
            }
            self.closing = Some((*root, order.into()));
        }
        let order = self.closing.as_ref().map_or_else(Arc::default, |(_, order)| Arc::clone(order));
        for key in order.iter() {
            if self.store.is_closed(key) {
                continue;
            }
            budget.check(self.store.visited(), self.store.bytes() + bytes(key))?;
            self.store.add(key);
            self.store.solve_once(key, 0);
        }
        Ok(())
    }

    /// The slices that a root can come to, each after those that it reads.
    fn below(&mut self, root: &Key, below: Below, budget: &Budget) -> Result<Vec<Key>, StopReason> {
        let (mut order, mut seen) = (Vec::new(), HashSet::new());
        let (mut small, mut held) = (0, 0_u64);
        let mut stack = vec![(*root, false)];
        while let Some((key, left)) = stack.pop() {
            if left {
                order.push(key);
                continue;
            }
            if key.is_below() || !seen.insert(key) || key.kind() < 2 && small >= MOST {
                continue;
            }
            small += usize::from(key.kind() < 2);
            held += if self.store.knows(&key) { 0 } else { 16 * key.rows() as u64 };
            budget.check(self.store.visited(), self.store.bytes() + held)?;
            stack.push((key, true));
            let children = super::children::children(&key);
            let meets = self.store.meets;
            let children =
                children.into_iter().filter(|child| is_needed(&key, child, below, meets));
            stack.extend(children.map(|child| (child, false)));
        }
        Ok(order)
    }
}

/// Whether a slice that another of three officers reads is solved before it, where the attacker's pawns
/// stand still.
pub(super) fn is_read_still(key: &Key, child: &Key) -> bool {
    is_needed(key, child, Below::Still, false)
}

/// Whether a slice that another reads is solved before it. Where queens are met, so is what pawns
/// alone become against an officer.
fn is_needed(key: &Key, child: &Key, below: Below, meets: bool) -> bool {
    let first = meets && !key.is_large();
    let more = key.kind() > 0 && child.kind() > key.kind() && !first;
    let men = |key: &Key| key.kind() as u32 + key.pawns().count_ones();
    let is_kept = child.theirs.count_ones() == key.theirs.count_ones();
    match below {
        Below::Hold => !more,
        Below::Win => child.kind() <= key.kind().max(1),
        Below::HoldPawns if !is_kept => false,
        // What is small is solved with all moves that are left.
        Below::HoldPawns | Below::HoldStill => {
            !more && (!child.is_several() || men(child) < men(key) || child.theirs == key.theirs)
        }
        // Pawns alone win seldom against officers.
        _ if child.is_several() && !child.is_large() => false,
        Below::Still => {
            child.kind() <= key.kind() && (men(child) < men(key) || child.ours == key.ours)
        }
    }
}
