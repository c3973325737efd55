//! Many guesses in turns: which one is listed on, and how far.
//!
//! Every guess starts with a few thousand positions, then twice as many each time. Once games have
//! grown large, those that go deep with few positions come first: slow growth means a finite game.
//! A guess that is refuted leaves looser ones behind ([`super::learn`]).
//!
//! # References
//! * J. P. A. Levin, *Universal sequential search problems*, 1973 (shares of time for many
//!   candidates, doubled).

use super::hold::{self, Fortress};
use super::learn::{Lessons, lessons};
use super::levels::{Plan, plan};
use super::listing::{End, Listing, Quest};
use super::restriction::Restriction;
use super::starts::starts;
use crate::aim::Goal;
use crate::chess::Side;
use crate::chess::board::Board;
use crate::limits::{Budget, StopReason};
use crate::search::LeafTables;
use std::collections::HashSet;
use std::sync::{Arc, Mutex};

/// Positions of a first turn.
pub(super) const FIRST: usize = 4_000;
/// From so many positions on growth is compared.
const COMPARED: usize = 32_000;
/// Guesses that grow slowest and get more, and how much sooner their turn comes.
const FAVOURED: usize = 3;
const FAVOUR: f32 = 0.25;
/// How much dearer a lesson is than what it was learned from, and than the lesson before it.
const LESSON: f32 = 1.25;
const NEXT_LESSON: f32 = 0.12;
/// Bytes of all games together, at most.
const MEMORY: u64 = 2 << 30;
/// Restrictions tried at most.
const MOST: usize = 20_000;

/// A restriction under trial.
#[derive(Debug)]
struct Guess {
    rules: Restriction,
    quest: Quest,
    handicap: f32,
    /// Positions that its next turn may store.
    allowance: usize,
    listing: Option<Box<Listing>>,
    /// Moves down to where its listing is.
    depth: u16,
    /// Somebody is at it.
    taken: bool,
}

impl Guess {
    /// Depth reached for the positions stored: large where the game grows slowly.
    fn growth(&self) -> f32 {
        f32::from(self.depth) / (self.allowance as f32).ln()
    }
}

#[derive(Debug, Default)]
struct Pool {
    guesses: Vec<Guess>,
    seen: HashSet<(Restriction, Quest)>,
    bytes: u64,
    listed: u64,
    tried: u64,
}

/// All guesses for one attacker from one position. Several threads may work at it.
#[derive(Debug)]
pub struct Hunt {
    root: Board,
    attacker: Side,
    keep: Option<Arc<Goal>>,
    /// What tells a holder of few men.
    tables: Option<LeafTables>,
    pool: Mutex<Pool>,
}

/// What a spell of work came to.
#[derive(Debug)]
pub enum Spell {
    /// A win: the plan is whole.
    Won(Box<Plan>),
    /// A hold: the set is closed.
    Held(Box<Fortress>),
    /// The positions of this spell are used up.
    Open,
    /// No guess is left, or the budget has ended.
    Ended(StopReason),
}

impl Hunt {
    /// The guesses, none tried yet.
    pub fn new(root: &Board, attacker: Side) -> Self {
        let mut pool = Pool::default();
        for (rules, handicap) in starts(root, attacker) {
            pool.add(rules, Quest::Mate, handicap);
        }
        Self { root: root.clone(), attacker, keep: None, tables: None, pool: Mutex::new(pool) }
    }

    /// The guesses how a side may hold, none tried yet.
    pub fn for_hold(root: &Board, holder: Side) -> Self {
        let mut pool = Pool::default();
        for (rules, floor, handicap) in hold::starts(root, holder) {
            pool.add(rules, Quest::Hold(floor), handicap);
        }
        Self {
            root: root.clone(),
            attacker: holder,
            keep: None,
            tables: None,
            pool: Mutex::new(pool),
        }
    }

    /// The same guesses how to hold, with tables where few men are left.
    #[must_use]
    pub fn ended_by(self, tables: &LeafTables) -> Self {
        Self { tables: Some(tables.clone()), ..self }
    }

    /// The same guesses, and before them none, with the owner's moves limited to those after which
    /// a goal holds.
    #[must_use]
    pub fn keeping(self, keep: &Arc<Goal>) -> Self {
        {
            let mut pool = self.pool();
            if let Some(quest) = pool.guesses.first().map(|guess| guess.quest) {
                for widens in [false, true] {
                    pool.add(Restriction { widens, ..Restriction::NONE }, quest, 0.5);
                }
            }
        }
        Self { keep: Some(Arc::clone(keep)), ..self }
    }

    fn pool(&self) -> std::sync::MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Positions listed so far, all guesses together.
    pub fn listed(&self) -> u64 {
        self.pool().listed
    }

    /// Restrictions tried so far.
    pub fn tried(&self) -> u64 {
        self.pool().tried
    }

    /// Works until a guess wins, about so many positions have been listed (fewer where men have many
    /// moves, by what that costs), or the budget ends. Games that outgrow the memory are given up,
    /// the dearest first.
    pub fn work(&self, positions: u64, budget: &Budget) -> Spell {
        let memory = budget.limits().memory.map_or(MEMORY, |most| (most / 4).min(MEMORY));
        let listing_budget = budget.limited(budget.limits().with_memory(memory));
        let mut spent = 0;
        while spent < positions {
            if let Err(stop) = budget.check(self.listed(), 0) {
                return Spell::Ended(stop);
            }
            let Some((number, mut listing, allowance)) = self.take() else {
                return Spell::Ended(StopReason::Exhausted);
            };
            let (before, cost) = (listing.listed, listing.cost());
            let held = self.pool().bytes;
            let end = listing.run(allowance, &listing_budget, held);
            spent += listing.cost() - cost;
            if end == End::Won
                && let Some(spell) = self.success(number, &listing)
            {
                self.pool().listed += listing.listed - before;
                return spell;
            }
            let learned = (end == End::Refuted).then(|| lessons(&listing));
            spent += learned.as_ref().map_or(0, |learned| learned.cost);
            self.put(number, listing, before, end, learned);
            match end {
                End::Stopped(StopReason::Memory) => self.pool().give_up(memory / 2),
                End::Stopped(stop) => return Spell::Ended(stop),
                _ => {}
            }
        }
        Spell::Open
    }

    /// What a listing has proved that is at its end.
    fn success(&self, number: usize, listing: &Listing) -> Option<Spell> {
        let quest = self.pool().guesses[number].quest;
        match quest {
            Quest::Mate => Some(Spell::Won(Box::new(plan(listing)?))),
            Quest::Hold(_) => Some(Spell::Held(Box::new(Fortress::of(listing)?))),
        }
    }

    /// The guess whose turn it is.
    fn take(&self) -> Option<(usize, Box<Listing>, usize)> {
        let mut pool = self.pool();
        let number = pool.next()?;
        let guess = &mut pool.guesses[number];
        guess.taken = true;
        let (rules, quest, allowance) = (guess.rules, guess.quest, guess.allowance);
        let listing = guess.listing.take();
        pool.bytes -= listing.as_ref().map_or(0, |l| l.bytes());
        if listing.is_none() {
            pool.tried += 1;
        }
        drop(pool);
        let listing = listing.unwrap_or_else(|| {
            let new = Listing::new(&self.root, self.attacker, quest, rules);
            Box::new(new.keeping(self.keep.clone()).ended_by(self.tables.clone()))
        });
        Some((number, listing, allowance))
    }

    fn put(
        &self,
        number: usize,
        listing: Box<Listing>,
        before: u64,
        end: End,
        learned: Option<Lessons>,
    ) {
        let mut pool = self.pool();
        pool.listed += listing.listed - before;
        let (handicap, quest) = (pool.guesses[number].handicap, pool.guesses[number].quest);
        let guess = &mut pool.guesses[number];
        if matches!(end, End::Refuted | End::Won) {
            guess.allowance = usize::MAX;
        } else {
            guess.taken = false;
            guess.depth = listing.depth();
            guess.allowance = listing.work().max(guess.allowance) * 2;
            let bytes = listing.bytes();
            guess.listing = Some(listing);
            pool.bytes += bytes;
        }
        let Some(learned) = learned else { return };
        pool.listed += learned.looked;
        for (i, rules) in learned.looser.into_iter().enumerate() {
            pool.add(rules, quest, handicap * (LESSON + NEXT_LESSON * i as f32));
        }
    }
}

impl Pool {
    fn add(&mut self, rules: Restriction, quest: Quest, handicap: f32) {
        if self.guesses.len() < MOST && self.seen.insert((rules, quest)) {
            self.guesses.push(Guess {
                rules,
                quest,
                handicap,
                allowance: FIRST,
                listing: None,
                depth: 0,
                taken: false,
            });
        }
    }

    /// Gives up the dearest games until the rest takes no more than so many bytes.
    fn give_up(&mut self, bytes: u64) {
        while self.bytes > bytes {
            let held = self.guesses.iter_mut().filter(|g| !g.taken && g.listing.is_some());
            let cost = |g: &Guess| g.allowance as f32 * g.handicap;
            let Some(dearest) = held.max_by(|a, b| cost(a).total_cmp(&cost(b))) else { return };
            self.bytes -= dearest.listing.take().map_or(0, |l| l.bytes());
            dearest.taken = true;
        }
    }

    /// The guess with the cheapest next turn.
    fn next(&self) -> Option<usize> {
        let mut growing: Vec<f32> = self
            .guesses
            .iter()
            .filter(|g| g.allowance >= COMPARED && g.allowance != usize::MAX)
            .map(Guess::growth)
            .collect();
        growing.sort_by(|a, b| b.total_cmp(a));
        let least = growing.get(FAVOURED - 1).copied().unwrap_or(f32::MIN);
        let cost = |guess: &Guess| {
            let cost = guess.allowance as f32 * guess.handicap;
            if guess.allowance >= COMPARED && guess.growth() >= least {
                cost * FAVOUR
            } else {
                cost
            }
        };
        let open = |(_, guess): &(usize, &Guess)| !guess.taken;
        let cheapest = self.guesses.iter().enumerate().filter(open);
        cheapest.min_by(|a, b| cost(a.1).total_cmp(&cost(b.1))).map(|(i, _)| i)
    }
}
