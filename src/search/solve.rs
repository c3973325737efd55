//! Both sides' wins and holds, in turns of growing length, until one of them decides the position.

use super::answer::{Options, Outcome, Win, told_win};
use super::attack::Attack;
use super::bounds::Bounds;
use super::confined::Confined;
use super::holder::{Holder, is_shared};
use super::meter::{Halt, Meter};
use super::plan::Plan;
use super::prospect::Style;
use super::task::{Aside, Probe, Task};
use crate::chess::Side;
use crate::chess::board::Board;
use crate::limits::{Budget, StopReason};
use std::sync::atomic::Ordering;

/// Positions of the first turn; each round has twice as many.
pub(super) const FIRST_TURN: u64 = 20_000;
/// Positions of a glance by all moves: a hundredth of a second. (One at kings with few flights has twice as many.)
pub const GLANCE: u64 = 20_000;
/// Positions of the first look for a forced mate: a quarter of a second. (Of 42 mates in 6 to 10,
/// proof numbers alone find half within 101,000 positions, 31 within 300,000, 39 within 2,500,000.)
const OPENING: u64 = 300_000;
/// Positions of the look for a mate of a king with few flights before that.
const CONFINED: u64 = 200_000;
/// Positions of the first look depth-first, after that: for short mates of a king that has flights.
const FIRST_DEEP: u64 = 200_000;
/// Of a limit on positions the first look takes this part at most.
pub(super) const OPENING_PART: u64 = 8;
/// Mates up to this many plies are looked for depth-first before anything else.
const SHORT: u16 = 5;
/// With a smaller proof number at the root a mate seems near (12 to 53 in slow mates, 141 to 1,431 in
/// fortresses); anything else then gets one of so many parts of a turn.
const NEAR: u32 = 100;
const FEW: u64 = 16;
/// What looking depth-first for the shortest mate gets then: one of so many parts.
const DEEP: u64 = 8;
const LAST_NEAR: u64 = FIRST_TURN << 8;
/// A position of the method aside costs about as much as so many of an attack.
pub(super) const ASIDE_SHARE: u64 = 6;

/// The table's size: what the options ask for, within a quarter of the budget's memory. The rest is for
/// what is listed beside the search, for slices, and for the tables it ends in.
pub(super) fn table_bytes(options: &Options, budget: &Budget) -> u64 {
    let cap = budget.limits().memory.map_or(u64::MAX, |memory| memory / 4);
    options.table_bytes.min(cap)
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
        confined: Confined::new(root, task, &options.threads),
        holds: Side::ALL.map(|side| Holder::new(root, side, options, probe)),
        meter,
        turn: FIRST_TURN,
    };
    let mut stop = solver.open(bounds).and_then(|()| solver.run(bounds)).err();
    if let Some(near) = options.near.as_ref()
        && stop == Some(StopReason::Time)
        && solver.is_mate_near(bounds)
    {
        solver.meter = solver.meter.within(near);
        stop = solver.run(bounds).err();
    }
    solver.told_by_aside();
    if let Some(winner) = solver.winner() {
        options.won.store(true, Ordering::Relaxed);
        solver.tell_win(winner);
        let budget = options.rest.as_ref().unwrap_or(budget);
        let left = budget.remaining().map(|left| left.saturating_sub(options.reserve));
        let time = left.map_or(options.shorten, |left| left.min(options.shorten));
        // A win that ends where no length is known has none that could be shorter.
        if solver.attacks[winner].plan.as_ref().is_none_or(Plan::is_measured) {
            let visited =
                solver.shorten(bounds, winner, &budget.part(time).after(solver.meter.visited()));
            solver.meter.spend(visited);
        }
        solver.attacks[winner].plan.iter().for_each(|plan| plan.tell(bounds));
    }
    solver.outcome(stop)
}

/// A turn of each attempt to hold, by so many threads; whether more turns may help. Who has nothing of
/// their own to do help the others.
fn hold_all(
    mut holds: Vec<&mut Holder>,
    threads: usize,
    turn: u64,
    meter: &mut Meter,
) -> Result<bool, StopReason> {
    let at_once = if is_shared(turn) { threads } else { threads.min(holds.len()) };
    let end = hold_by(&holds.iter().map(|one| &**one).collect::<Vec<_>>(), at_once, turn, meter);
    holds.iter_mut().for_each(|one| one.settle());
    end
}

fn hold_by(
    holds: &[&Holder],
    threads: usize,
    turn: u64,
    meter: &mut Meter,
) -> Result<bool, StopReason> {
    holds.iter().for_each(|one| one.begin(turn));
    let mut open = false;
    if threads < 2 {
        for one in holds {
            open |= one.turn(meter, turn)?;
        }
        return Ok(open);
    }
    meter.slice(u64::MAX);
    let (pool, counted) = (meter.pool(), &*meter);
    let work = &|at: usize| {
        let (mut end, mut visited) = (Ok(false), 0);
        // Its own first.
        for turned in [true, false] {
            for (_, one) in holds.iter().enumerate().filter(|&(i, _)| (i == at) == turned) {
                let mut own = counted.member(&pool).ended_by(one.held());
                let done = if turned { one.turn(&mut own, turn) } else { one.help(&mut own) };
                end = end.and_then(|open| Ok(open | done?));
                visited += own.visited();
            }
        }
        (end, visited)
    };
    let done: Vec<_> = std::thread::scope(|scope| {
        let jobs: Vec<_> = (0..threads).map(|at| scope.spawn(move || work(at))).collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        jobs.into_iter().map(join).collect()
    });
    meter.spend(done.iter().map(|&(_, visited)| visited).sum());
    for (end, _) in done {
        open |= end?;
    }
    Ok(open)
}

pub(super) struct Solver<'a> {
    pub(super) options: &'a Options,
    /// The attack of the side to move first.
    pub(super) attacks: [Attack<'a>; 2],
    /// The attempts of the side to move to mate a king that has few flights.
    pub(super) confined: Confined<'a>,
    /// White's and Black's attempts to hold.
    holds: [Holder<'a>; 2],
    pub(super) meter: Meter<'a>,
    /// Positions of the turn that goes on or comes next.
    turn: u64,
}

/// The end of a slice is no end of the work.
pub(super) fn unless_slice(result: Result<(), Halt>) -> Result<(), StopReason> {
    match result {
        Err(Halt::Stop(stop)) => Err(stop),
        Ok(()) | Err(Halt::Slice) => Ok(()),
    }
}

/// The end of a slice, or of what there is to search, is no end of the work either.
pub(super) fn unless_over(result: Result<(), Halt>) -> Result<(), StopReason> {
    match result {
        Err(Halt::Stop(StopReason::Exhausted)) => Ok(()),
        result => unless_slice(result),
    }
}

impl Solver<'_> {
    fn winner(&self) -> Option<usize> {
        self.attacks.iter().position(|a| a.found().is_some())
    }

    /// Takes notice of the win that the method aside has found, if it has.
    pub(super) fn told_by_aside(&mut self) {
        if let Some((side, plies)) = self.options.aside.as_ref().and_then(|aside| aside.won()) {
            let attacks = &mut self.attacks;
            let attack = attacks.iter_mut().find(|attack| attack.task.attacker == side);
            attack.expect("an attack of each side").beaten = plies;
        }
    }

    /// The positions that finding the win took each thread.
    pub(super) fn spent(&self) -> u64 {
        self.meter.visited() / self.options.threads.get() as u64
    }

    /// Tells the user of a win, and how long it takes at most.
    pub(super) fn tell_win(&self, winner: usize) {
        let attack = &self.attacks[winner];
        let plan = attack.plan.as_ref().filter(|plan| !plan.is_measured());
        let beaten = || Some(told_win(attack.task.attacker, Some(attack.found()?)));
        let told = plan.map(Plan::told).or_else(beaten);
        told.into_iter().for_each(|told| self.meter.budget().progress().proved(&told));
    }

    fn is_decided(&self) -> bool {
        let aside = self.options.aside.as_ref().is_some_and(|aside| aside.has_decided());
        let is_enough = self.options.enough.is_some_and(|side| self.is_held(side));
        let is_drawn = Side::ALL.iter().all(|&side| self.is_held(side));
        aside || is_enough || is_drawn || self.winner().is_some()
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

    /// Turns until the position is decided. Where they are stopped they can go on later.
    fn run(&mut self, bounds: &mut Bounds) -> Result<(), StopReason> {
        let mut aside = self.options.aside.as_deref();
        while !self.is_decided() {
            let (turn, mut open) = (self.turn, false);
            for i in [0, 1] {
                let attacker = self.attacks[i].task.attacker;
                if self.options.wins[attacker as usize]
                    && !self.attacks[i].is_settled()
                    && !self.is_safe(attacker.other())
                {
                    let near = self.is_mate_near(bounds);
                    let others = if near { turn / FEW } else { turn / 4 };
                    open |= self.attack(bounds, i, if i == 0 { turn } else { others }, near)?;
                    if i == 0 && self.attacks[0].has_pieces() && self.winner().is_none() {
                        let positions = if near { turn / 2 } else { others };
                        let (attack, meter) = (&mut self.attacks[0], &mut self.meter);
                        attack.confine(&mut self.confined, bounds, meter, positions)?;
                    }
                }
                if self.is_decided() {
                    return Ok(());
                }
            }
            let holds = if self.is_mate_near(bounds) { turn / FEW } else { turn };
            open |= self.aside(turn, holds, &mut aside)?;
            if self.is_decided() {
                return Ok(());
            }
            if !open {
                return Err(StopReason::Exhausted);
            }
            self.turn = turn.saturating_mul(2);
        }
        Ok(())
    }

    /// Whether a forced mate by the side to move seems near: what else might come of the position
    /// then gets little, for so long as most mates take that are found at all.
    fn is_mate_near(&self, bounds: &Bounds) -> bool {
        let attack = &self.attacks[0];
        self.turn <= LAST_NEAR && attack.has_pieces() && attack.proof(bounds) < NEAR
    }

    /// A turn of what goes on beside the attacks: guesses, then attempts to hold. Whether more turns
    /// may help.
    fn aside(
        &mut self,
        turn: u64,
        holds: u64,
        method: &mut Option<&dyn Aside>,
    ) -> Result<bool, StopReason> {
        let threads = self.options.threads.get();
        if let Some(aside) = *method {
            let done = aside.turn(turn / ASIDE_SHARE, threads, self.meter.budget());
            self.meter.spend(done.visited);
            if !done.open {
                *method = None;
            }
            if aside.has_decided() {
                return Ok(true);
            }
        }
        unless_slice(self.meter.check())?;
        let asked = Side::ALL.map(|s| self.options.holds[s as usize] && !self.is_held(s));
        let mover = self.attacks[0].task.attacker;
        let mut holders: Vec<_> =
            self.holds.iter_mut().filter(|h| asked[h.side as usize]).collect();
        holders.sort_by_key(|holding| holding.side != mover);
        Ok(hold_all(holders, threads, holds, &mut self.meter)? | method.is_some())
    }

    /// Before anything else the side to move looks for a forced mate: most that are found at all
    /// are found in so little time. (What a glance has won is won again at once.)
    fn open(&mut self, bounds: &mut Bounds) -> Result<(), StopReason> {
        let (attack, meter) = (&mut self.attacks[0], &mut self.meter);
        if self.options.wins[attack.task.attacker as usize] && attack.has_pieces() {
            let part = meter.budget().limits().positions.unwrap_or(u64::MAX) / OPENING_PART;
            let threads = self.options.threads.get() as u64;
            meter.slice(GLANCE.min(part) * threads);
            unless_over(attack.prove(bounds, meter, Style::Sharp))?;
            if attack.plan.is_none() {
                attack.confine(&mut self.confined, bounds, meter, CONFINED.min(part))?;
            }
            meter.slice(OPENING.min(part) * threads);
            unless_over(attack.prove(bounds, meter, Style::Sharp))?;
            if attack.plan.is_none() {
                meter.slice(FIRST_DEEP.min(part));
                unless_slice(attack.deepen(bounds, meter, SHORT + 6))?;
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
        near: bool,
    ) -> Result<bool, StopReason> {
        let attack = &mut self.attacks[i];
        self.meter.slice(if near { positions / DEEP } else { positions / 4 });
        unless_slice(attack.deepen(bounds, &mut self.meter, SHORT + 6))?;
        if attack.plan.is_some() {
            return Ok(false);
        }
        let mut open = false;
        // Without a piece the attacker has to promote first.
        let sharp = match attack.has_pieces() {
            true if near => positions - positions / FEW,
            true => positions / 4 * 3,
            false => positions / 16,
        };
        let threads = self.options.threads.get() as u64;
        for (style, share) in [(Style::Sharp, sharp), (Style::Material, positions - sharp)] {
            self.meter.slice(share * threads);
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

    fn outcome(mut self, stop: Option<StopReason>) -> Outcome {
        let safe = [Side::White, Side::Black].map(|c| self.is_safe(c));
        let mut at_least = [0; 2];
        for attack in &self.attacks {
            at_least[attack.task.attacker as usize] = attack.lower;
        }
        let win = self.attacks.iter_mut().find_map(|attack| {
            let plan = attack.plan.take()?;
            let shortest = plan.is_measured() && plan.plies() <= attack.lower;
            let rules = self.options.rules.clone();
            Some(Win { side: attack.task.attacker, plies: plan.plies(), shortest, plan, rules })
        });
        let positions = self.meter.visited();
        Outcome { win, holds: self.holds.map(|h| h.region), safe, at_least, positions, stop }
    }
}
