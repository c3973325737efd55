//! A win by a guess is made shorter: its restriction is listed again, and others beside it.
//!
//! The first win is seldom the shortest: a listing does not go on where a position is won. Listed
//! again breadth first, won positions too, the same restriction gives the shortest win that it
//! allows. What others allow may be shorter still, so that a few of those that are tried first are
//! listed beside it, all of them only down to the length that is to be beaten.

use super::hunt::FIRST;
use super::levels::{Plan, plan, plies};
use super::listing::{End, Listing};
use super::restriction::Restriction;
use super::starts::starts;
use crate::chess::Side;
use crate::chess::board::Board;
use crate::limits::{Budget, StopReason};

/// Other restrictions that are listed beside the one that has won.
const OTHERS: usize = 7;
/// The one that has won gets so many times as many positions as another.
const FAVOUR: usize = 4;

/// Lists a winning guess again, and others beside it, for a shorter win: the shortest that was
/// found, and whether none within what the winning guess has renounced is shorter. Cost: the budget,
/// or until every listing has ended; 100 to 200 bytes a position.
pub fn shorten(
    root: &Board,
    attacker: Side,
    found: &Plan,
    budget: &Budget,
) -> (Option<Plan>, bool) {
    let mut shortening = Shortening::new(root, attacker, found);
    while shortening.round(budget).is_ok_and(|open| open) {}
    (shortening.plan(), shortening.tries[0].ended)
}

/// The attacker's moves of a win in so many plies.
fn moves(plies: u16) -> u16 {
    plies.div_ceil(2)
}

/// A restriction that is listed for a shorter win.
struct Try {
    /// None where it was given up, or has ended without the best win.
    listing: Option<Box<Listing>>,
    /// Positions that may be stored at the end of its next turn.
    allowance: usize,
    /// Nothing is left to list.
    ended: bool,
}

struct Shortening {
    /// The guess that has won first.
    tries: Vec<Try>,
    /// The plies that are to be beaten.
    best: u16,
    /// Which listing has a win in so many, if any has.
    winner: Option<usize>,
    /// Positions listed, all together.
    listed: u64,
}

impl Shortening {
    fn new(root: &Board, attacker: Side, found: &Plan) -> Self {
        // Nothing is widened where all is listed.
        let whole = |rules: Restriction| Restriction { widens: false, ..rules };
        let mut rules = vec![whole(found.rules)];
        for other in starts(root, attacker).into_iter().map(|(other, _)| whole(other)) {
            if rules.len() <= OTHERS && !rules.contains(&other) {
                rules.push(other);
            }
        }
        let tries = rules.into_iter().enumerate().map(|(i, rules)| {
            let listing = Listing::thorough(root, attacker, rules, moves(found.plies));
            Try {
                listing: Some(Box::new(listing.keeping(found.keep.clone()))),
                allowance: if i == 0 { FIRST * FAVOUR } else { FIRST },
                ended: false,
            }
        });
        Self { tries: tries.collect(), best: found.plies, winner: None, listed: 0 }
    }

    /// A turn of each listing; whether more turns may help.
    fn round(&mut self, budget: &Budget) -> Result<bool, StopReason> {
        let mut open = false;
        for i in 0..self.tries.len() {
            open |= self.turn(i, budget)?;
        }
        Ok(open)
    }

    /// A turn of one listing; whether it is still open.
    fn turn(&mut self, i: usize, budget: &Budget) -> Result<bool, StopReason> {
        let bytes = |one: &Try| one.listing.as_ref().map_or(0, |listing| listing.bytes());
        let held: u64 = self.tries.iter().map(bytes).sum();
        let one = &mut self.tries[i];
        let Some(listing) = one.listing.as_mut().filter(|_| !one.ended) else { return Ok(false) };
        let (before, held) = (listing.listed, held - listing.bytes());
        // A listing counts its positions from its own beginning.
        let end = listing.run(one.allowance, &budget.after(self.listed - before), held);
        self.listed += listing.listed - before;
        one.allowance = listing.work().max(one.allowance) * 2;
        one.ended = matches!(end, End::Won | End::Refuted);
        let (now, ended) = (plies(listing), one.ended);
        if let Some(now) = now.filter(|&now| now < self.best) {
            (self.best, self.winner) = (now, Some(i));
            let open = self.tries.iter_mut().filter_map(|one| one.listing.as_mut());
            open.for_each(|listing| listing.limit(moves(now)));
        }
        match end {
            End::Stopped(StopReason::Memory) if self.give_up() => Ok(true),
            End::Stopped(stop) => Err(stop),
            _ => {
                if ended && self.winner != Some(i) {
                    self.tries[i].listing = None;
                }
                Ok(!ended)
            }
        }
    }

    /// Gives up the largest listing, neither that of the guess that has won nor the best; whether
    /// there was one.
    fn give_up(&mut self) -> bool {
        let winner = self.winner;
        let spare = self.tries.iter_mut().enumerate().skip(1).filter(|&(i, _)| Some(i) != winner);
        let held = spare.filter_map(|(_, one)| Some((one.listing.as_ref()?.bytes(), one)));
        let Some((_, largest)) = held.max_by_key(|&(bytes, _)| bytes) else { return false };
        largest.listing = None;
        true
    }

    /// The best win, if it is shorter than the first.
    fn plan(&self) -> Option<Plan> {
        plan(self.tries[self.winner?].listing.as_ref()?)
    }
}
