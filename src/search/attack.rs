//! One side's attempt to win: shortest mates from below, proof numbers from above, and a plan.

use super::bounds::{Bounds, NEVER};
use super::mate::{Desk, MateSearch};
use super::meter::{Halt, Meter};
use super::node::Node;
use super::plan::{Plan, extract};
use super::pn::ProofSearch;
use super::task::Task;
use crate::chess::board::{Board, Position};
use crate::limits::StopReason;

/// The longest win looked for, in plies, by proof numbers. Wins of tables and beyond are longer only at their ends.
const LONGEST: u16 = 400;

/// What is known of one side's winning.
pub(super) struct Attack<'a> {
    pub(super) task: Task<'a>,
    root: Node,
    mates: MateSearch,
    proofs: ProofSearch<'a>,
    /// Fewer plies than this are proved not to be enough.
    pub(super) lower: u16,
    /// The plan of a win, with its length.
    pub(super) plan: Option<Plan>,
    /// The attacker is proved not to win at all.
    pub(super) refuted: bool,
    /// Plies that proof numbers look at first.
    horizon: u16,
}

impl<'a> Attack<'a> {
    pub(super) fn new(board: &Board, task: Task<'a>) -> Self {
        let root = Node::attacked_by(board, task.attacker);
        let first = if board.chess().turn() == task.attacker { 1 } else { 0 };
        Self {
            refuted: task.goal.is_none() && board.chess().board().by_color(task.attacker).count() == 1,
            task,
            root,
            mates: MateSearch::new(),
            proofs: ProofSearch::new(task),
            lower: first,
            plan: None,
            horizon: 101,
        }
    }

    /// Whether nothing is left to find out.
    pub(super) fn is_settled(&self) -> bool {
        self.refuted || self.plan.as_ref().is_some_and(|plan| plan.plies() <= self.lower)
    }

    /// Whether depth-first search may be used: it knows mates by all moves only.
    fn is_plain(&self) -> bool {
        self.task.goal.is_none() && self.task.moves.is_none()
    }

    /// Deepens the search for the shortest mate while its slice lasts and it is below `deepest` plies.
    pub(super) fn deepen(&mut self, bounds: &mut Bounds, meter: &mut Meter, deepest: u16) -> Result<(), Halt> {
        if !self.is_plain() {
            return Ok(());
        }
        while !self.is_settled() && self.lower <= deepest {
            let mut desk = Desk { bounds, meter };
            if self.mates.within(&mut desk, &self.root, self.lower)? {
                return self.won(bounds, meter, self.lower);
            }
            self.lower += 2;
        }
        Ok(())
    }

    /// Looks for any win by proof numbers.
    pub(super) fn prove(&mut self, bounds: &mut Bounds, meter: &mut Meter) -> Result<(), Halt> {
        let parity = self.lower % 2;
        while !self.is_settled() && self.plan.is_none() {
            let plies = self.horizon - (self.horizon + parity) % 2;
            let known = self.proofs.decide(&mut Desk { bounds, meter }, &self.root, plies)?;
            if known.upper <= plies {
                return self.won(bounds, meter, known.upper);
            }
            self.lower = self.lower.max(plies + 2);
            self.refuted |= known.lower == NEVER;
            if self.horizon >= LONGEST {
                return Err(Halt::Stop(StopReason::Exhausted));
            }
            self.horizon = (self.horizon * 2).min(LONGEST);
        }
        Ok(())
    }

    /// Looks for a win two plies shorter than the plan's, or proves that there is none.
    pub(super) fn shorten(&mut self, bounds: &mut Bounds, meter: &mut Meter) -> Result<(), Halt> {
        while !self.is_settled() {
            let Some(plan) = &self.plan else { return Ok(()) };
            let plies = plan.plies() - 2;
            let known = self.proofs.decide(&mut Desk { bounds, meter }, &self.root, plies)?;
            if known.upper <= plies {
                self.won(bounds, meter, known.upper)?;
            } else {
                self.lower = plies + 2;
            }
        }
        Ok(())
    }

    /// A win is found: rebuilds its plan, whatever the slice.
    fn won(&mut self, bounds: &mut Bounds, meter: &mut Meter, plies: u16) -> Result<(), Halt> {
        meter.slice(u64::MAX);
        let mut desk = Desk { bounds, meter };
        if let Some(plan) = extract(&mut desk, &self.task, &self.root, plies)? {
            self.plan = Some(plan);
        }
        Ok(())
    }
}
