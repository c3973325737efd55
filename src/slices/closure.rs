//! Holds where both sides have an officer: every slice that a root can come to is solved once.
//!
//! Such slices are large and few, unlike those of pawn endings: three pawns that have five squares
//! each to go stand in some 200 ways. So nothing is guessed: a slice is solved when all that it
//! reads is, and bounds the attacker's wins from above. Left out are officers by promotion; the
//! attacker's win then, unless the new man is taken at once ([`super::duel`]).
//!
//! Cost: a slice with an officer of each side some 0.1 s and 8 MiB, others 2 ms at most.

use super::key::Key;
use super::moves::Spot;
use super::refine::Prover;
use crate::limits::{Budget, StopReason};
use hashbrown::HashSet;

/// Slices with fewer officers that are solved at most; exits into others win.
const MOST: usize = 4000;

/// Bytes of a slice with two officers that is solved for holds.
const BYTES: u64 = 8 << 20;

impl Prover {
    /// Proves that the attacker does not win a position in which both sides have an officer;
    /// `Exhausted` where the bound says that it may. What has been solved stays for the next time.
    pub(super) fn hold_duel(&mut self, spot: &Spot, budget: &Budget) -> Result<(), StopReason> {
        let order = self.below(&spot.0, budget)?;
        for key in &order {
            if self.store.has_upper(key) {
                continue;
            }
            budget.check(self.store.visited(), self.store.bytes())?;
            self.store.solve_upper(key);
        }
        match self.store.is_held(&spot.0, &spot.1) {
            true => Ok(()),
            false => Err(StopReason::Exhausted),
        }
    }

    /// The slices that a root can come to, each after those that it reads.
    fn below(&mut self, root: &Key, budget: &Budget) -> Result<Vec<Key>, StopReason> {
        let (mut order, mut seen) = (Vec::new(), HashSet::new());
        let (mut small, mut duels) = (0, 0_u64);
        let mut stack = vec![(*root, false)];
        while let Some((key, left)) = stack.pop() {
            if left {
                order.push(key);
                continue;
            }
            if key.is_below() || !seen.insert(key) || !key.is_duel() && small >= MOST {
                continue;
            }
            budget.check(self.store.visited(), self.store.bytes() + duels * BYTES)?;
            small += usize::from(!key.is_duel());
            duels += u64::from(key.is_duel() && !self.store.knows(&key));
            self.store.add(&key);
            stack.push((key, true));
            stack.extend(self.store.children(&key).iter().map(|child| (*child, false)));
        }
        Ok(order)
    }
}
