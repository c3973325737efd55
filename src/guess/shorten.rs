//! A win is made shorter: restricted games are listed breadth first, won positions too.
//!
//! The first win is seldom the shortest: a guess does not go on where a position is won. Listed
//! again, won positions too, its restriction gives the shortest win that it allows. What others
//! allow may be shorter still, so that those that are tried first are listed beside it, all of them
//! only down to the length that is to be beaten; so are they where not a guess has won. They go on
//! in turns of doubled length, the cheapest next turn first.

use super::batch::{batch, side_by_side};
use super::hunt::FIRST;
use super::levels::{Plan, plan, plies};
use super::listing::{End, Listing};
use super::restriction::Restriction;
use super::starts::{Handicap, starts};
use crate::aim::Goal;
use crate::chess::Side;
use crate::chess::board::Board;
use crate::limits::{Budget, StopReason};
use std::sync::Arc;

/// How dear the restriction is that has won.
const WINNER: Handicap = 0.25;
/// Bytes of all games together, at most.
const MEMORY: u64 = 2 << 30;

/// The attacker's moves of a win in so many plies.
fn moves(plies: u16) -> u16 {
    plies.div_ceil(2)
}

/// A restriction that is listed for a shorter win.
#[derive(Debug)]
struct Try {
    rules: Restriction,
    handicap: Handicap,
    /// None before its first turn, and where it is at its end or was given up.
    listing: Option<Box<Listing>>,
    /// Positions that may be stored at the end of its next turn.
    allowance: usize,
    /// Nothing is left to list, or it was given up.
    ended: bool,
}

impl Try {
    fn bytes(&self) -> u64 {
        self.listing.as_ref().map_or(0, |listing| listing.bytes())
    }
}

/// A turn of one try, and what came of it.
struct Turn {
    number: usize,
    listing: Box<Listing>,
    allowance: usize,
    end: End,
    /// Positions listed, and what that has cost.
    listed: u64,
    cost: u64,
    /// The plies of its shortest win.
    plies: Option<u16>,
}

/// What came of a turn of all.
#[derive(Debug)]
pub(super) struct Shortened {
    /// Positions listed.
    pub(super) listed: u64,
    /// A shorter win.
    pub(super) plan: Option<Plan>,
    /// Whether more turns may help.
    pub(super) open: bool,
}

/// Restricted games in which a shorter win is looked for.
#[derive(Debug)]
pub(super) struct Shortening {
    root: Board,
    attacker: Side,
    keep: Option<Arc<Goal>>,
    tries: Vec<Try>,
    /// The plies that are to be beaten.
    best: u16,
    /// Positions of the turn before that were too many.
    debt: u64,
    /// Positions listed, all turns together.
    listed: u64,
}

impl Shortening {
    /// The games in which wins of fewer plies than so many are looked for, that of the guess that
    /// has won first, if one has.
    pub(super) fn new(root: &Board, attacker: Side, plies: u16, won: Option<&Plan>) -> Self {
        // Nothing is widened where all is listed.
        let whole = |rules: Restriction| Restriction { widens: false, ..rules };
        let winner = won.map(|plan| (plan.rules, WINNER));
        let mut tries: Vec<Try> = Vec::new();
        let first = starts(root, attacker).into_iter().map(|start| (start.rules, start.handicap));
        for (rules, handicap) in winner.into_iter().chain(first) {
            let rules = whole(rules);
            if tries.iter().all(|one| one.rules != rules) {
                tries.push(Try { rules, handicap, listing: None, allowance: FIRST, ended: false });
            }
        }
        let keep = won.and_then(|plan| plan.keep.clone());
        Self { root: root.clone(), attacker, keep, tries, best: plies, debt: 0, listed: 0 }
    }

    /// From now on only wins in fewer plies than so many are looked for.
    pub(super) fn beat(&mut self, plies: u16) {
        if plies < self.best {
            self.best = plies;
            let open = self.tries.iter_mut().filter_map(|one| one.listing.as_mut());
            open.for_each(|listing| listing.limit(moves(plies)));
        }
    }

    /// Lists about so many positions. What a turn lists too many the next lists less.
    pub(super) fn turn(&mut self, positions: u64, threads: usize, budget: &Budget) -> Shortened {
        let memory = budget.limits().memory.map_or(MEMORY, |most| (most / 4).min(MEMORY));
        let listing_budget = budget.limited(budget.limits().with_memory(memory));
        let mut spent = std::mem::take(&mut self.debt);
        let mut all = Shortened { listed: 0, plan: None, open: true };
        while spent < positions && all.open {
            if budget.check(self.listed, 0).is_err() {
                return Shortened { open: false, ..all };
            }
            let held: u64 = self.tries.iter().map(Try::bytes).sum();
            let jobs = self.take(positions - spent);
            all.open = !jobs.is_empty();
            let best = self.best;
            let work = |turn: Turn| turn.run(&listing_budget, held, best);
            for turn in side_by_side(threads, jobs, work, |_| false) {
                spent += turn.cost;
                all.listed += turn.listed;
                self.listed += turn.listed;
                match turn.end {
                    End::Stopped(StopReason::Memory) => self.tries[turn.number].ended = true,
                    End::Stopped(_) => all.open = false,
                    _ => {}
                }
                all.plan = self.put(turn).or(all.plan);
            }
        }
        self.debt = spent.saturating_sub(positions);
        all
    }

    /// The tries whose turn it is, for so many positions.
    fn take(&mut self, positions: u64) -> Vec<Turn> {
        let mut next: Vec<usize> =
            (0..self.tries.len()).filter(|&i| !self.tries[i].ended).collect();
        let dear = |one: &Try| one.allowance as f32 * one.handicap;
        next.sort_by(|&a, &b| dear(&self.tries[a]).total_cmp(&dear(&self.tries[b])));
        let size = batch(next.iter().map(|&i| self.tries[i].allowance as u64 / 2), positions);
        let (root, attacker, keep, best) = (&self.root, self.attacker, &self.keep, self.best);
        let tries = &mut self.tries;
        let one = |number: usize| {
            let one = &mut tries[number];
            let listing = one.listing.take().unwrap_or_else(|| {
                let listing = Listing::thorough(root, attacker, one.rules, moves(best));
                Box::new(listing.keeping(keep.clone()))
            });
            let allowance = one.allowance;
            Turn { number, listing, allowance, end: End::Full, listed: 0, cost: 0, plies: None }
        };
        next.into_iter().take(size).map(one).collect()
    }

    /// Takes back a try after its turn; its win, if that is the shortest now.
    fn put(&mut self, turn: Turn) -> Option<Plan> {
        let shorter = turn.plies.filter(|&plies| plies < self.best);
        let plan = shorter.and_then(|_| plan(&turn.listing));
        let one = &mut self.tries[turn.number];
        one.ended |= matches!(turn.end, End::Won | End::Refuted);
        one.allowance = turn.listing.work().max(one.allowance) * 2;
        if !one.ended {
            one.listing = Some(turn.listing);
        }
        let plan = plan?;
        self.beat(plan.plies());
        Some(plan)
    }
}

impl Turn {
    /// Lists on; `held` is the bytes of all games before, `best` the plies that are to be beaten.
    fn run(mut self, budget: &Budget, held: u64, best: u16) -> Self {
        let listing = &mut self.listing;
        listing.limit(moves(best));
        let (before, cost) = (listing.listed, listing.cost());
        let held = held.saturating_sub(listing.bytes());
        self.end = listing.run(self.allowance, budget, held);
        self.listed = listing.listed - before;
        self.cost = listing.cost() - cost;
        self.plies = if listing.is_won() { plies(listing) } else { None };
        self
    }
}
