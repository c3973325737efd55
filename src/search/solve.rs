//! Both sides' wins and holds, in turns of growing length, until one of them decides the position.

use super::answer::{Options, Outcome, Win, told_win};
use super::attack::Attack;
use super::bounds::Bounds;
use super::holding::Holding;
use super::meter::{Halt, Meter};
use super::plan::Plan;
use super::prospect::Style;
use super::task::{Aside, Probe, Task};
use crate::chess::Side;
use crate::chess::board::Board;
use crate::limits::{Budget, StopReason};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

/// Positions of the first turn; each round has twice as many.
pub(super) const FIRST_TURN: u64 = 20_000;
/// Positions of the first look for a forced mate: a quarter of a second. (Of 42 mates in 6 to 10,
/// proof numbers alone find half within 101,000 positions, 31 within 300,000, 39 within 2,500,000.)
const OPENING: u64 = 300_000;
/// Of a limit on positions the first look takes this part at most.
pub(super) const OPENING_PART: u64 = 8;
/// Mates up to this many plies are looked for depth-first before anything else.
const SHORT: u16 = 5;
/// Where it is to be brief: times as many positions as finding a win took that making it shorter
/// may visit, and what it may always visit: a second or two.
const PATIENCE: u64 = 3;
const LEAST: u64 = 2_000_000;
/// A turn of the method aside is cut into so many shares for each thread: they end together.
const SHARES: usize = 2;
/// A position of the method aside costs about as much as so many of an attack.
pub const ASIDE_SHARE: u64 = 6;

/// The table's size: what the options ask for, within the budget's memory.
pub(super) fn table_bytes(options: &Options, budget: &Budget) -> u64 {
    let cap = budget.limits().memory.map_or(u64::MAX, |memory| memory / 4 * 3);
    options.table_bytes.min(cap)
}

/// The part of a budget for making a win shorter that so many positions have found.
pub fn little_more(positions: u64, options: &Options, budget: &Budget) -> Budget {
    let left = budget.after(positions);
    if options.brief { left.at_most((positions * PATIENCE).max(LEAST)) } else { left }
}

/// Decides a position by proof search: a win of either side with a plan, or holds of both. Wins
/// come first for the side to move. Memory: the table of bounds, plans and regions; a limit is an
/// answer, with what is proved.
pub fn solve(root: &Board, options: &Options, probe: &Probe, budget: &Budget) -> Outcome {
    if let Err(stop) = budget.check(0, 0) {
        return Outcome { stop: Some(stop), ..Outcome::default() };
    }
    solve_with(&mut Bounds::new(table_bytes(options, budget)), root, options, probe, budget)
}

pub(super) fn solve_with(
    bounds: &mut Bounds,
    root: &Board,
    options: &Options,
    probe: &Probe,
    budget: &Budget,
) -> Outcome {
    let meter = Meter::new(budget, bounds.bytes());
    let mover = root.side_to_move();
    let task = Task::mate(mover).with_probe(probe).with_rules(options.rules.as_deref());
    let task = task.with_outlook(options.outlook.as_deref());
    let attack =
        |attacker| Attack::new(root, Task { attacker, ..task }).with_threads(&options.threads);
    let mut solver = Solver {
        options,
        attacks: [attack(mover), attack(mover.other())],
        holds: Side::ALL.map(|side| Holding::new(root, side, options, probe)),
        meter,
    };
    let stop = solver.run(bounds).err();
    if let Some(winner) = solver.winner() {
        options.won.store(true, Ordering::Relaxed);
        solver.tell_win(winner);
        let left = budget.remaining().map(|left| left.saturating_sub(options.reserve));
        let time = left.map_or(options.shorten, |left| left.min(options.shorten));
        let more = little_more(solver.spent(), options, &budget.part(time));
        let visited = solver.shorten(bounds, winner, &more);
        solver.meter.spend(visited);
    }
    solver.outcome(stop)
}

/// Something to do beside the attacks.
enum Job<'s, 'a> {
    /// So many positions of the method aside.
    Guess(&'s dyn Aside, u64),
    Hold(&'s mut Holding<'a>),
}

/// What came of a job: whether more turns may help.
enum Done {
    Guessed(bool),
    Held(Result<bool, StopReason>),
}

impl Job<'_, '_> {
    fn run(self, turn: u64, meter: &mut Meter) -> Done {
        match self {
            Self::Guess(method, share) => {
                let visited = method.turn(share / ASIDE_SHARE, meter.budget());
                meter.spend(visited.unwrap_or(0));
                Done::Guessed(visited.is_some())
            }
            Self::Hold(holding) => Done::Held(holding.turn(meter, turn)),
        }
    }
}

/// Does all jobs, by so many threads, until one has decided the position.
fn do_all(
    jobs: Vec<Job>,
    threads: usize,
    turn: u64,
    meter: &mut Meter,
    decided: &(dyn Fn() -> bool + Sync),
) -> Vec<Done> {
    if threads < 2 || jobs.len() < 2 {
        let jobs = jobs.into_iter().take_while(|_| !decided());
        return jobs.map(|job| job.run(turn, meter)).collect();
    }
    meter.slice(u64::MAX);
    let (pool, jobs) = (meter.pool(), Mutex::new(jobs.into_iter()));
    let next = || jobs.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || {
        let (mut own, mut done) = (meter.member(&pool), Vec::new());
        while let Some(job) = next().filter(|_| !decided()) {
            done.push(job.run(turn, &mut own));
        }
        (done, own.visited())
    };
    let (mut done, mut visited) = (Vec::new(), 0);
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let own = work();
        let join = |thread: std::thread::ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        for (more, steps) in std::iter::once(own).chain(others.into_iter().map(join)) {
            done.extend(more);
            visited += steps;
        }
    });
    meter.spend(visited);
    done
}

struct Solver<'a> {
    options: &'a Options,
    /// The attack of the side to move first.
    attacks: [Attack<'a>; 2],
    /// White's and Black's attempts to hold.
    holds: [Holding<'a>; 2],
    meter: Meter<'a>,
}

/// The end of a slice is no end of the work.
fn unless_slice(result: Result<(), Halt>) -> Result<(), StopReason> {
    match result {
        Err(Halt::Stop(stop)) => Err(stop),
        Ok(()) | Err(Halt::Slice) => Ok(()),
    }
}

impl Solver<'_> {
    fn winner(&self) -> Option<usize> {
        self.attacks.iter().position(|a| a.plan.is_some())
    }

    /// The positions that finding the win took: where threads went two ways, those of one.
    fn spent(&self) -> u64 {
        let visited = self.meter.visited();
        if self.options.threads.get() > 1 { visited / 2 } else { visited }
    }

    /// Tells the user of a win, and how long it takes at most.
    fn tell_win(&self, winner: usize) {
        let Attack { task, plan, .. } = &self.attacks[winner];
        if let Some(plan) = plan {
            self.meter.budget().progress().proved(&told_win(task.attacker, plan.plies()));
        }
    }

    fn is_decided(&self) -> bool {
        self.winner().is_some() || Side::ALL.iter().all(|&side| self.is_held(side))
    }

    /// Whether a side holds with evidence: a region, or what the method aside has.
    fn is_held(&self, side: Side) -> bool {
        let aside = self.options.aside.as_ref().is_some_and(|aside| aside.holds()[side as usize]);
        aside || self.holds[side as usize].region.is_some() || self.options.shut[side as usize]
    }

    /// Whether a side is proved never to be mated. (A region is looked for all the same: it is the
    /// evidence.)
    fn is_safe(&self, side: Side) -> bool {
        self.is_held(side)
            || self.attacks.iter().any(|a| a.task.attacker == side.other() && a.refuted)
    }

    fn run(&mut self, bounds: &mut Bounds) -> Result<(), StopReason> {
        self.open(bounds)?;
        let mut turn = FIRST_TURN;
        let mut aside = self.options.aside.as_deref();
        while !self.is_decided() {
            let mut open = false;
            for i in [0, 1] {
                let attacker = self.attacks[i].task.attacker;
                if self.options.wins[attacker as usize]
                    && !self.attacks[i].is_settled()
                    && !self.is_safe(attacker.other())
                {
                    open |= self.attack(bounds, i, if i == 0 { turn } else { turn / 4 })?;
                }
                if self.is_decided() {
                    return Ok(());
                }
            }
            open |= self.aside(turn, &mut aside)?;
            if self.is_decided() {
                return Ok(());
            }
            if !open {
                return Err(StopReason::Exhausted);
            }
            turn = turn.saturating_mul(2);
        }
        Ok(())
    }

    /// A turn of what goes on beside the attacks: guesses, and attempts to hold. Whether more turns
    /// may help. The threads take these jobs as they come.
    fn aside(&mut self, turn: u64, method: &mut Option<&dyn Aside>) -> Result<bool, StopReason> {
        let threads = self.options.threads.get();
        let mover = self.attacks[0].task.attacker;
        let asked = Side::ALL.map(|s| self.options.holds[s as usize] && !self.is_held(s));
        let shares = if threads > 1 { SHARES * threads } else { 1 };
        let [white, black] = &mut self.holds;
        let mut holds = if mover == Side::White { [white, black] } else { [black, white] };
        let methods = method.iter().flat_map(|&method| std::iter::repeat_n(method, shares));
        let mut jobs: Vec<Job> = methods.map(|m| Job::Guess(m, turn / shares as u64)).collect();
        let guesses = jobs.len();
        holds.iter_mut().filter(|h| asked[h.side as usize]).for_each(|h| jobs.push(Job::Hold(h)));
        if threads > 1 {
            jobs.rotate_left(guesses); // the longest first
        }
        let decided = || self.options.aside.as_ref().is_some_and(|method| method.has_decided());
        let done = do_all(jobs, threads, turn, &mut self.meter, &decided);
        let guessed = done.iter().any(|d| matches!(d, Done::Guessed(open) if *open));
        if !guessed {
            *method = None;
        }
        if decided() {
            return Err(StopReason::Exhausted);
        }
        unless_slice(self.meter.check())?;
        let mut open = guessed;
        for held in done {
            if let Done::Held(end) = held {
                open |= end?;
            }
        }
        Ok(open)
    }

    /// Before anything else the side to move looks for a forced mate: most that are found at all
    /// are found in so little time.
    fn open(&mut self, bounds: &mut Bounds) -> Result<(), StopReason> {
        let attack = &mut self.attacks[0];
        if self.options.wins[attack.task.attacker as usize] && attack.has_pieces() {
            let limit = self.meter.budget().limits().positions.unwrap_or(u64::MAX);
            let each = OPENING.min(limit / OPENING_PART);
            self.meter.slice(each * self.options.threads.get() as u64);
            match attack.prove(bounds, &mut self.meter, Style::Sharp) {
                Err(Halt::Stop(StopReason::Exhausted)) => {}
                end => unless_slice(end)?,
            }
        }
        Ok(())
    }

    /// A turn of an attack; whether more turns may help.
    fn attack(
        &mut self,
        bounds: &mut Bounds,
        i: usize,
        positions: u64,
    ) -> Result<bool, StopReason> {
        let attack = &mut self.attacks[i];
        self.meter.slice(positions / 4);
        unless_slice(attack.deepen(bounds, &mut self.meter, SHORT + 6))?;
        if attack.plan.is_some() {
            return Ok(false);
        }
        let mut open = false;
        // Without a piece the attacker has to promote first.
        let sharp = if attack.has_pieces() { positions / 4 * 3 } else { positions / 16 };
        let threads = self.options.threads.get() as u64;
        for (style, share) in
            [(Style::Sharp, sharp * threads), (Style::Material, positions - sharp)]
        {
            self.meter.slice(share);
            match attack.prove(bounds, &mut self.meter, style) {
                Err(Halt::Stop(StopReason::Exhausted)) => {}
                result => {
                    unless_slice(result)?;
                    open = true;
                }
            }
        }
        Ok(open)
    }

    /// Makes the win shorter while the budget lasts, from below depth-first and by proof numbers
    /// for the lengths between; the positions visited.
    fn shorten(&mut self, bounds: &mut Bounds, winner: usize, budget: &Budget) -> u64 {
        let mut meter = Meter::new(budget, bounds.bytes());
        budget.progress().stage("looking for a shorter mate", None);
        let mut turn = FIRST_TURN;
        while !self.attacks[winner].is_settled() {
            let attack = &mut self.attacks[winner];
            let before = attack.plan.as_ref().map(Plan::plies);
            let above = attack.shorten(bounds, &mut meter, turn);
            meter.slice(turn);
            let below = attack.deepen(bounds, &mut meter, u16::MAX - 2);
            if attack.plan.as_ref().map(Plan::plies) != before {
                self.tell_win(winner);
            }
            if unless_slice(below).and(unless_slice(above)).is_err() {
                break;
            }
            turn = turn.saturating_mul(2);
        }
        meter.visited()
    }

    fn outcome(mut self, stop: Option<StopReason>) -> Outcome {
        let safe = [Side::White, Side::Black].map(|c| self.is_safe(c));
        let mut at_least = [0; 2];
        for attack in &self.attacks {
            at_least[attack.task.attacker as usize] = attack.lower;
        }
        let win = self.attacks.iter_mut().find_map(|attack| {
            let shortest = attack.is_settled();
            let plan = attack.plan.take()?;
            let rules = self.options.rules.clone();
            Some(Win { side: attack.task.attacker, plies: plan.plies(), shortest, plan, rules })
        });
        let positions = self.meter.visited();
        Outcome { win, holds: self.holds.map(|h| h.region), safe, at_least, positions, stop }
    }
}
