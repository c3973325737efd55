//! Both sides' wins and holds, in turns of growing length, until one of them decides the position.

use super::answer::{Options, Outcome, Win, told_hold, told_win};
use super::attack::Attack;
use super::bounds::Bounds;
use super::meter::{Halt, Meter};
use super::plan::Plan;
use super::prospect::Style;
use super::region::{Judge, Region};
use super::task::{Probe, Task};
use crate::chess::board::Board;
use crate::chess::{Move, Side};
use crate::hold::Order;
use crate::limits::{Budget, StopReason};
use std::time::Duration;

/// Positions of the first turn; each round has twice as many.
const FIRST_TURN: u64 = 20_000;
/// Positions of the first look for a forced mate: a quarter of a second. (Of 42 mates in 6 to 10,
/// proof numbers alone find half within 101,000 positions, 31 within 300,000, 39 within 2,500,000.)
const OPENING: u64 = 300_000;
/// Positions of a glance: a hundredth of a second.
const GLANCE: u64 = 20_000;
/// With fewer there is none: a meter looks at its limits about as often.
const LEAST_GLANCE: u64 = 1_000;
/// Of a limit on positions the first look takes this part at most.
const OPENING_PART: u64 = 8;
/// Mates up to this many plies are looked for depth-first before anything else.
const SHORT: u16 = 5;
/// Positions of the largest region tried: its attempt takes some 300 MB at most.
const LARGEST_REGION: u64 = 1 << 18;
/// A position of a region costs about as much as so many of an attack: all replies to all moves are
/// made.
const HOLD_SHARE: u64 = 256;
/// Where it is to be brief: times as many positions as finding a win took that making it shorter
/// may visit, and what it may always visit: a second or two.
const PATIENCE: u64 = 3;
const LEAST: u64 = 2_000_000;
/// A position of the method aside costs about as much as so many of an attack.
pub const ASIDE_SHARE: u64 = 6;
/// Positions of the longest search for a circle: some seconds.
const LARGEST_CIRCLE: usize = 1 << 14;
/// Where men have many moves a position of a region costs more: an attempt may make one of so many
/// moves of a turn.
const HOLD_MOVES: u64 = 2;
/// What a holder may lose in its attempts, in pawns.
const ALLOWANCES: [i32; 5] = [0, 1, 3, 9, 1000];

/// The table's size: what the options ask for, within the budget's memory.
fn table_bytes(options: &Options, budget: &Budget) -> u64 {
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
    let attack = |attacker| Attack::new(root, Task { attacker, ..task });
    let mut solver = Solver {
        root,
        options,
        probe,
        attacks: [attack(mover), attack(mover.other())],
        holds: [None, None],
        attempts: [0; 2],
        meter,
    };
    let stop = solver.run(bounds).err();
    if let Some(winner) = solver.winner() {
        solver.tell_win(winner);
        let left = budget.remaining().map(|left| left.saturating_sub(options.reserve));
        let time = left.map_or(options.shorten, |left| left.min(options.shorten));
        let more = little_more(solver.meter.visited(), options, &budget.part(time));
        let visited = solver.shorten(bounds, winner, &more);
        solver.meter.spend(visited);
    }
    solver.outcome(stop)
}

struct Solver<'a> {
    root: &'a Board,
    options: &'a Options,
    probe: &'a Probe<'a>,
    /// The attack of the side to move first.
    attacks: [Attack<'a>; 2],
    /// Regions found: White's, Black's.
    holds: [Option<Box<Region>>; 2],
    /// Attempts to hold that have failed for good, by side.
    attempts: [usize; 2],
    meter: Meter<'a>,
}

/// How large an attempt to hold may grow: the positions of a region, and the moves made for it.
#[derive(Debug, Clone, Copy)]
struct Size {
    positions: usize,
    steps: u64,
}

impl Size {
    fn of(turn: u64) -> Self {
        let positions = (turn / HOLD_SHARE).min(LARGEST_REGION) as usize;
        Self { positions, steps: turn / HOLD_MOVES }
    }
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
        aside || self.holds[side as usize].is_some() || self.options.shut[side as usize]
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
            if let Some(method) = aside {
                match method.turn(turn / ASIDE_SHARE, self.meter.budget()) {
                    Some(visited) => (open, _) = (true, self.meter.spend(visited)),
                    None => aside = None,
                }
                if method.has_decided() {
                    return Err(StopReason::Exhausted);
                }
                unless_slice(self.meter.check())?;
            }
            for side in [self.root.side_to_move(), self.root.side_to_move().other()] {
                if self.options.holds[side as usize] && !self.is_held(side) {
                    open |= self.hold(side, Size::of(turn))?;
                }
            }
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

    /// Before anything else the side to move looks for a forced mate: most that are found at all
    /// are found in so little time.
    fn open(&mut self, bounds: &mut Bounds) -> Result<(), StopReason> {
        let attack = &mut self.attacks[0];
        if self.options.wins[attack.task.attacker as usize] && attack.has_pieces() {
            let limit = self.meter.budget().limits().positions.unwrap_or(u64::MAX);
            self.meter.slice(OPENING.min(limit / OPENING_PART));
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
        for (style, share) in [(Style::Sharp, sharp), (Style::Material, positions - sharp)] {
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

    /// Attempts to hold with regions of at most this size, half of it with each larger allowance;
    /// whether larger regions may help.
    fn hold(&mut self, side: Side, size: Size) -> Result<bool, StopReason> {
        let mut open = false;
        let first = self.attempts[side as usize];
        for (i, &allowance) in ALLOWANCES.iter().enumerate().skip(first) {
            let rules = self.options.rules.as_ref();
            let judge = Judge::new(self.root, side, allowance, self.probe, rules);
            let size =
                Size { positions: size.positions >> (i - first), steps: size.steps >> (i - first) };
            let end = self.attempt(judge, size);
            self.meter.growing(0);
            match end {
                Ok(Some(region)) => {
                    self.holds[side as usize] = Some(region);
                    self.meter.budget().progress().proved(&told_hold(side));
                    return Ok(false);
                }
                // What fails with little to lose fails again: larger regions need larger
                // allowances.
                Ok(None) if !open => self.attempts[side as usize] += 1,
                Ok(None) => {}
                Err(Halt::Slice) => open = true,
                Err(Halt::Stop(stop)) => return Err(stop),
            }
        }
        Ok(open)
    }

    /// One attempt by what a judge knows, in every order of moves; none if every choice has failed.
    fn attempt(&mut self, judge: Judge, size: Size) -> Result<Option<Box<Region>>, Halt> {
        let few = (size.positions / 4).clamp(64, LARGEST_CIRCLE);
        self.meter.slice(size.steps / 4);
        match judge.circle(self.root, &mut self.meter, few) {
            Ok(Some(region)) => return Ok(Some(Box::new(region))),
            Ok(None) | Err(Halt::Slice) => {}
            Err(stop) => return Err(stop),
        }
        for order in [Order::FewestReplies, Order::Quiet, Order::KnownSetUps] {
            self.meter.slice(size.steps);
            match judge.grow(self.root, order, &mut self.meter, size.positions) {
                Err(Halt::Slice) => {}
                end => return end,
            }
        }
        Err(Halt::Slice)
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
        Outcome { win, holds: self.holds, safe, at_least, positions, stop }
    }
}

/// Looks for a mate by the side to move in at most `plies` plies, and nothing else: the
/// puzzle-maker's question. A win found is the shortest.
pub fn mate_in(root: &Board, plies: u16, options: &Options, budget: &Budget) -> Outcome {
    Pursuit::new(options, budget).mate_in(root, plies, budget)
}

/// Proves that the attacker of a task reaches its goal: any way, then a shorter one while
/// [`Options::shorten`] lasts. `at_least` of the outcome speaks of the task as restricted; the
/// defender is `safe` where the attacker never gets there.
pub fn achieve(root: &Board, task: &Task, options: &Options, budget: &Budget) -> Outcome {
    Pursuit::new(options, budget).achieve(root, task, options.shorten, budget)
}

/// One question from several roots, one after the other: what is learned from one serves the next.
/// The positions that a strategy leads to are much alike.
pub struct Pursuit {
    bounds: Bounds,
}

impl Pursuit {
    /// A pursuit that has learned nothing. Memory: [`Options::table_bytes`].
    pub fn new(options: &Options, budget: &Budget) -> Self {
        Self { bounds: Bounds::new(table_bytes(options, budget)) }
    }

    /// As the function [`mate_in`].
    pub fn mate_in(&mut self, root: &Board, plies: u16, budget: &Budget) -> Outcome {
        let mover = root.side_to_move();
        let mut meter = Meter::new(budget, self.bounds.bytes());
        let mut attack = Attack::new(root, Task::mate(mover));
        let stop =
            meter.check().and_then(|()| attack.deepen(&mut self.bounds, &mut meter, plies)).err();
        finish(attack, &meter, stop, mover)
    }

    /// All first moves after which the side to move mates within `plies` of the root, and the
    /// positions visited; `None` when the budget ends before every other move is refuted.
    pub fn mating_moves(
        &mut self,
        root: &Board,
        plies: u16,
        budget: &Budget,
    ) -> Option<(Vec<Move>, u64)> {
        let mut meter = Meter::new(budget, self.bounds.bytes());
        let moves = Attack::new(root, Task::mate(root.side_to_move()))
            .within(&mut self.bounds, &mut meter, plies)
            .ok()?;
        Some((moves, meter.visited()))
    }

    /// As the function [`solve`]. The probe must be the same every time, and no task may have been
    /// pursued.
    pub fn solve(
        &mut self,
        root: &Board,
        options: &Options,
        probe: &Probe,
        budget: &Budget,
    ) -> Outcome {
        match budget.check(0, 0) {
            Ok(()) => solve_with(&mut self.bounds, root, options, probe, budget),
            Err(stop) => Outcome { stop: Some(stop), ..Outcome::default() },
        }
    }

    /// A short look for a forced mate by the side to move: the positions visited. A win is told as
    /// progress, and stays in the table for [`Pursuit::solve`], which must be asked with the same
    /// options and the same probe.
    pub fn glance(
        &mut self,
        root: &Board,
        options: &Options,
        probe: &Probe,
        budget: &Budget,
    ) -> u64 {
        let mover = root.side_to_move();
        let task = Task::mate(mover).with_probe(probe).with_rules(options.rules.as_deref());
        let mut attack = Attack::new(root, task.with_outlook(options.outlook.as_deref()));
        let room = GLANCE.min(budget.limits().positions.unwrap_or(u64::MAX) / OPENING_PART);
        if !options.wins[mover as usize] || !attack.has_pieces() || room < LEAST_GLANCE {
            return 0;
        }
        let mut meter = Meter::new(budget, self.bounds.bytes());
        meter.slice(room);
        if attack.prove(&mut self.bounds, &mut meter, Style::Sharp).is_ok()
            && let Some(plan) = &attack.plan
        {
            budget.progress().proved(&told_win(mover, plan.plies()));
        }
        meter.visited()
    }

    /// As the function [`achieve`], a win being made shorter for so long. The task must be the same
    /// every time.
    pub fn achieve(
        &mut self,
        root: &Board,
        task: &Task,
        shorten: Duration,
        budget: &Budget,
    ) -> Outcome {
        let mut meter = Meter::new(budget, self.bounds.bytes());
        let mut attack = Attack::new(root, *task);
        let mut stop =
            meter.check().and_then(|()| in_turns(&mut attack, &mut self.bounds, &mut meter)).err();
        let mut visited = meter.visited();
        if attack.plan.is_some() {
            let part = budget.part(shorten);
            let mut meter = Meter::new(&part, self.bounds.bytes());
            let mut turn = FIRST_TURN;
            stop = loop {
                match attack.shorten(&mut self.bounds, &mut meter, turn) {
                    Err(Halt::Slice) => turn = turn.saturating_mul(2),
                    end => break end.err(),
                }
            };
            visited += meter.visited();
        }
        Outcome { positions: visited, ..finish(attack, &meter, stop, task.attacker) }
    }
}

/// Looks for any way to the goal of a task. Mates that moves are restricted for are sharp; what
/// other goals need is not known, so both styles get turns of growing length.
fn in_turns(attack: &mut Attack, bounds: &mut Bounds, meter: &mut Meter) -> Result<(), Halt> {
    if attack.task.goal.is_none() {
        return attack.prove(bounds, meter, Style::Sharp);
    }
    let mut turn = FIRST_TURN;
    loop {
        let mut open = false;
        for style in [Style::Sharp, Style::Material] {
            meter.slice(turn);
            match attack.prove(bounds, meter, style) {
                Ok(()) => return Ok(()),
                Err(Halt::Slice) => open = true,
                Err(Halt::Stop(StopReason::Exhausted)) => {}
                Err(stop) => return Err(stop),
            }
        }
        if !open {
            return Err(Halt::Stop(StopReason::Exhausted));
        }
        turn = turn.saturating_mul(2);
    }
}

fn finish(mut attack: Attack, meter: &Meter, stop: Option<Halt>, attacker: Side) -> Outcome {
    let mut outcome = Outcome { positions: meter.visited(), ..Outcome::default() };
    outcome.at_least[attacker as usize] = attack.lower;
    outcome.safe[attacker.other() as usize] = attack.refuted;
    if let Some(Halt::Stop(reason)) = stop {
        outcome.stop = Some(reason);
    }
    let shortest = attack.is_settled();
    let won = |plan: Plan| Win { side: attacker, plies: plan.plies(), shortest, plan, rules: None };
    outcome.win = attack.plan.take().map(won);
    outcome
}

/// The options that look for one side's win only.
pub fn only_wins_of(side: Side) -> Options {
    let mut options = Options { wins: [false; 2], holds: [false; 2], ..Options::default() };
    options.wins[side as usize] = true;
    options
}
