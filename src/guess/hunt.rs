//! Many guesses in turns: which one is listed on, and how far.
//!
//! Every guess starts with a few thousand positions, then twice as many each time. Once games have
//! grown large, those that go deep with few positions come first: slow growth means a finite game.
//! A guess that is refuted leaves looser ones behind ([`super::learn`]).
//!
//! # References
//! * J. P. A. Levin, *Universal sequential search problems*, 1973 (shares of time for many
//!   candidates, doubled).

use super::batch::{self, batch, side_by_side};
use super::hold::{self, Fortress};
use super::learn::lessons;
use super::levels::{Plan, plan};
use super::listing::{End, Listing, Quest};
use super::restriction::Restriction;
use super::starts::{Start, starts};
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
    /// Moves down to where its listing is, and positions listed.
    depth: u16,
    listed: u64,
    /// Somebody is at it.
    taken: bool,
}

impl Guess {
    /// Depth reached for the positions listed: large where the game grows slowly, whatever small searches
    /// cost beside it.
    fn growth(&self) -> f32 {
        f32::from(self.depth) / (self.listed as f32).ln()
    }
}

#[derive(Debug, Default)]
struct Pool {
    guesses: Vec<Guess>,
    seen: HashSet<(Restriction, Quest)>,
    bytes: u64,
    listed: u64,
    tried: u64,
    /// Positions of the turn before that were too many.
    debt: u64,
}

/// All guesses for one attacker from one position.
#[derive(Debug)]
pub struct Hunt {
    root: Board,
    attacker: Side,
    keep: Option<Arc<Goal>>,
    /// What tells a holder of few men.
    tables: Option<LeafTables>,
    /// Whether refuted guesses leave looser ones behind.
    learns: bool,
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
    fn of(root: &Board, attacker: Side, pool: Pool) -> Self {
        let pool = Mutex::new(pool);
        Self { root: root.clone(), attacker, keep: None, tables: None, learns: true, pool }
    }

    /// The guesses, none tried yet.
    pub fn new(root: &Board, attacker: Side) -> Self {
        let mut pool = Pool::default();
        for Start { rules, handicap, .. } in starts(root, attacker) {
            pool.add(rules, Quest::Mate, handicap);
        }
        Self::of(root, attacker, pool)
    }

    /// Those of the guesses that are tried first, each alone: its name, and a hunt that learns nothing
    /// from its refutation.
    pub fn alone(root: &Board, attacker: Side) -> Vec<(&'static str, Self)> {
        let one = |Start { name, rules, handicap }| {
            let mut pool = Pool::default();
            pool.add(rules, Quest::Mate, handicap);
            (name, Self { learns: false, ..Self::of(root, attacker, pool) })
        };
        starts(root, attacker).into_iter().map(one).collect()
    }

    /// The guesses how a side may hold, none tried yet.
    pub fn for_hold(root: &Board, holder: Side) -> Self {
        let mut pool = Pool::default();
        for (rules, floor, handicap) in hold::starts(root, holder) {
            pool.add(rules, Quest::Hold(floor), handicap);
        }
        Self::of(root, holder, pool)
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
    /// moves, by what that costs), or the budget ends. What a turn lists too many the next lists
    /// less. Games that outgrow the memory are given up, the dearest first. The guesses go on in
    /// batches, by so many threads: which ones, and how far, does not depend on the threads.
    pub fn work(&self, positions: u64, threads: usize, budget: &Budget) -> Spell {
        let memory = budget.limits().memory.map_or(MEMORY, |most| (most / 4).min(MEMORY));
        let listing_budget = budget.limited(budget.limits().with_memory(memory));
        let mut spent = std::mem::take(&mut self.pool().debt);
        while spent < positions {
            if let Err(stop) = budget.check(self.listed(), 0) {
                return Spell::Ended(stop);
            }
            let (jobs, held) = self.take(positions - spent);
            if jobs.is_empty() {
                return Spell::Ended(StopReason::Exhausted);
            }
            let work = |job: Job| job.run(&listing_budget, held);
            let done = side_by_side(threads, jobs, work, |done| done.success.is_some());
            let mut ended = None;
            for done in done {
                spent += done.cost;
                if let End::Stopped(stop) = done.end {
                    ended = Some(stop);
                }
                if let Some(success) = self.put(done) {
                    return success;
                }
            }
            match ended {
                Some(StopReason::Memory) => self.pool().give_up(memory / 2),
                Some(stop) => return Spell::Ended(stop),
                None => {}
            }
        }
        self.pool().debt = spent - positions;
        Spell::Open
    }

    /// The guesses whose turn it is, for so many positions, and the bytes of all games.
    fn take(&self, positions: u64) -> (Vec<Job>, u64) {
        let mut pool = self.pool();
        let next = pool.next();
        let costs = next.iter().map(|&number| {
            let guess = &pool.guesses[number];
            let listed = guess.listing.as_ref().map_or(0, |listing| listing.work());
            guess.allowance.saturating_sub(listed) as u64
        });
        let size = batch(costs, positions);
        let held = pool.bytes;
        let jobs = next.into_iter().take(size).map(|number| {
            let guess = &mut pool.guesses[number];
            guess.taken = true;
            let (rules, quest, allowance) = (guess.rules, guess.quest, guess.allowance);
            let listing = guess.listing.take();
            pool.bytes -= listing.as_ref().map_or(0, |l| l.bytes());
            if listing.is_none() {
                pool.tried += 1;
            }
            let listing = listing.unwrap_or_else(|| {
                let new = Listing::new(&self.root, self.attacker, quest, rules);
                Box::new(new.keeping(self.keep.clone()).ended_by(self.tables.clone()))
            });
            Job { number, quest, allowance, listing }
        });
        (jobs.collect(), held)
    }

    /// Takes back a guess after its turn; what it has proved.
    fn put(&self, done: Done) -> Option<Spell> {
        let mut pool = self.pool();
        pool.listed += done.listed;
        if done.success.is_some() {
            return done.success;
        }
        let guess = &mut pool.guesses[done.number];
        let (handicap, quest) = (guess.handicap, guess.quest);
        if matches!(done.end, End::Refuted | End::Won) {
            guess.allowance = usize::MAX;
        } else {
            guess.taken = false;
            guess.depth = done.listing.depth();
            guess.listed = done.listing.listed.max(2);
            guess.allowance = done.listing.work().max(guess.allowance) * 2;
            let bytes = done.listing.bytes();
            guess.listing = Some(done.listing);
            pool.bytes += bytes;
        }
        let learned = if self.learns { done.learned } else { Vec::new() };
        for (i, rules) in learned.into_iter().enumerate() {
            pool.add(rules, quest, handicap * (LESSON + NEXT_LESSON * i as f32));
        }
        None
    }
}

/// A turn of one guess.
struct Job {
    number: usize,
    quest: Quest,
    allowance: usize,
    listing: Box<Listing>,
}

/// What came of it.
struct Done {
    number: usize,
    listing: Box<Listing>,
    end: End,
    /// Positions listed or looked at, and what that has cost.
    listed: u64,
    cost: u64,
    /// What it has proved.
    success: Option<Spell>,
    /// Looser guesses that a refutation teaches.
    learned: Vec<Restriction>,
}

impl Job {
    /// Lists on; `held` is the bytes of all games before.
    fn run(self, budget: &Budget, held: u64) -> Done {
        let Self { number, quest, allowance, mut listing } = self;
        let (before, cost) = (listing.listed, listing.cost());
        let held = held.saturating_sub(listing.bytes());
        let end = listing.run(allowance, budget, held);
        let mut done = Done {
            number,
            end,
            listed: listing.listed - before,
            cost: listing.cost() - cost,
            success: None,
            learned: Vec::new(),
            listing,
        };
        match end {
            End::Won => done.success = success(quest, &done.listing),
            End::Refuted => {
                let lessons = lessons(&done.listing);
                done.listed += lessons.looked;
                done.cost += lessons.cost;
                done.learned = lessons.looser;
            }
            End::Full | End::Stopped(_) => {}
        }
        done
    }
}

/// What a listing has proved that is at its end.
fn success(quest: Quest, listing: &Listing) -> Option<Spell> {
    match quest {
        Quest::Mate => Some(Spell::Won(Box::new(plan(listing)?))),
        Quest::Hold(_) => Some(Spell::Held(Box::new(Fortress::of(listing)?))),
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
                listed: 2,
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

    /// The guesses that wait for a turn, that with the cheapest first.
    fn next(&self) -> Vec<usize> {
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
        let open = self.guesses.iter().enumerate().filter(|(_, guess)| !guess.taken);
        let mut open: Vec<(f32, usize)> = open.map(|(i, guess)| (cost(guess), i)).collect();
        let order = |a: &(f32, usize), b: &(f32, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        if open.len() > batch::MOST {
            open.select_nth_unstable_by(batch::MOST, order);
            open.truncate(batch::MOST);
        }
        open.sort_by(order);
        open.into_iter().map(|(_, i)| i).collect()
    }
}
