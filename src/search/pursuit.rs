//! One question from several roots, one after the other: what is learned from one serves the next.

use super::answer::{Options, Outcome, Win};
use super::attack::Attack;
use super::bounds::Bounds;
use super::confined::Confined;
use super::crew::Threads;
use super::learned::Learned;
use super::meter::{Halt, Meter};
use super::plan::Plan;
use super::prospect::Style;
use super::solve::{FIRST_TURN, OPENING_PART, solve_with, table_bytes};
use super::task::{Probe, Task};
use crate::chess::board::Board;
use crate::chess::{Move, Side};
use crate::limits::{Budget, StopReason};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// With fewer there is none: a meter looks at its limits about as often.
const LEAST_GLANCE: u64 = 1_000;

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
    threads: Threads,
    learned: Option<Learned>,
}

impl Drop for Pursuit {
    fn drop(&mut self) {
        if let Some(learned) = &self.learned {
            learned.keep(self.bounds.shared());
        }
    }
}

impl Pursuit {
    /// A pursuit that has learned nothing but what is kept ([`Options::learned`]). Memory:
    /// [`Options::table_bytes`].
    pub fn new(options: &Options, budget: &Budget) -> Self {
        let (bytes, learned) = (table_bytes(options, budget), options.learned.clone());
        let kept = learned.as_ref().and_then(|learned| learned.take(bytes));
        let bounds = kept.unwrap_or_else(|| Bounds::new(bytes));
        Self { bounds, threads: options.threads.clone(), learned }
    }

    /// Has what is learned not be kept for other questions.
    pub fn keep_nothing(&mut self) {
        self.learned = None;
    }

    /// As the function [`mate_in`].
    pub fn mate_in(&mut self, root: &Board, plies: u16, budget: &Budget) -> Outcome {
        let mover = root.side_to_move();
        let mut meter = Meter::new(budget, self.bounds.bytes());
        let mut attack = Attack::new(root, Task::mate(mover)).with_threads(&self.threads);
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

    /// As the function [`solve`](super::solve()). The probe must be the same every time, and no task may have been
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

    /// A short look for a forced mate by the side to move, by all moves in about so many positions and then
    /// by those that leave the king few flights: the positions visited. A win is told as
    /// progress, and stays in the table for [`Pursuit::solve`], which must be asked with the same
    /// options and the same probe.
    pub fn glance(
        &mut self,
        root: &Board,
        options: &Options,
        probe: &Probe,
        positions: u64,
        budget: &Budget,
    ) -> u64 {
        let mover = root.side_to_move();
        let task = Task::mate(mover).with_probe(probe).with_rules(options.rules.as_deref());
        let task = task.with_outlook(options.outlook.as_deref());
        let mut attack = Attack::new(root, task);
        let room = positions.min(budget.limits().positions.unwrap_or(u64::MAX) / OPENING_PART);
        if !options.wins[mover as usize] || !attack.has_pieces() || room < LEAST_GLANCE {
            return 0;
        }
        let mut meter = Meter::new(budget, self.bounds.bytes());
        meter.slice(room);
        let _ = attack.prove(&mut self.bounds, &mut meter, Style::Sharp);
        if attack.plan.is_none() {
            let mut confined = Confined::new(root, task, &Threads::default());
            let _ = attack.confine(&mut confined, &mut self.bounds, &mut meter, 2 * room);
        }
        if let Some(plan) = &attack.plan {
            budget.progress().proved(&plan.told());
            options.won.store(true, Ordering::Relaxed);
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
        let mut attack = Attack::new(root, *task).with_threads(&self.threads);
        let mut stop =
            meter.check().and_then(|()| in_turns(&mut attack, &mut self.bounds, &mut meter)).err();
        let mut visited = meter.visited();
        if attack.plan.is_some() {
            let part = budget.part(shorten);
            let mut meter = Meter::new(&part, self.bounds.bytes());
            let (mut turn, mut together) = (FIRST_TURN, false);
            stop = loop {
                match attack.shorten(&mut self.bounds, &mut meter, turn, together) {
                    Err(Halt::Slice) => (turn, together) = (turn.saturating_mul(2), !together),
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
