//! One side's attempts to hold a position, in turns of growing length.

use super::answer::Options;
use super::known::Known;
use super::meter::{Halt, Meter};
use super::parts::Granted;
use super::region::Judge;
use super::task::Probe;
use crate::certificate::Strategy;
use crate::chess::Side;
use crate::chess::board::Board;
use crate::hold::{Order, Stay, Terms};
use crate::limits::StopReason;

/// Positions of the largest region tried: its attempt takes some 300 MB at most.
const LARGEST_REGION: u64 = 1 << 18;
/// A position of a region costs about as much as so many of an attack: all replies to all moves are
/// made.
const HOLD_SHARE: u64 = 256;
/// Where men have many moves a position of a region costs more: an attempt may make one of so many
/// moves of a turn.
const HOLD_MOVES: u64 = 2;
/// An attempt that keeps to a region may make one of so many moves of any other: most of them fail soon.
const REGION_SHARE: u64 = 4;
/// What a holder may lose in its attempts, in pawns.
const ALLOWANCES: [i32; 5] = [0, 1, 3, 9, 1000];

/// How a turn has ended.
pub(super) enum Attempted {
    /// With a closed set; its lines end in what is known.
    Held(Box<Strategy>),
    /// Longer turns may help.
    Open,
    /// Every choice has failed.
    Failed,
}

/// What of an attempt goes to what.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shares {
    /// Parts may make one of so many of the moves of an attempt where all moves are free.
    parts: u64,
    /// A search for a circle may make one of so many, with one position for so many, at most so many.
    circle: u64,
    positions: u64,
    most: usize,
}

impl Shares {
    /// Of a fortress: circles are small.
    pub(super) const ROOT: Self = Self { parts: 8, circle: 4, positions: 512, most: 1 << 14 };
    /// Of what exchanges and promotions near a root lead to, where much is won back by force: some
    /// seconds at most.
    pub(super) const NEAR: Self = Self { parts: 2, circle: 2, positions: 16, most: 1 << 15 };
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

/// One side's attempts to hold a position.
pub(super) struct Holding<'a> {
    root: Board,
    side: Side,
    options: &'a Options,
    probe: &'a Probe<'a>,
    /// How sets are grown on rows, one way after the other.
    manners: Vec<(Order, Stay)>,
    /// Allowances with which every choice has failed, whatever the size.
    failed: usize,
    /// What was granted to parts in vain.
    granted: Granted,
    shares: Shares,
}

impl<'a> Holding<'a> {
    pub(super) fn new(
        root: &Board,
        side: Side,
        options: &'a Options,
        probe: &'a Probe<'a>,
        shares: Shares,
    ) -> Self {
        let regions = Stay::regions(root, side).into_iter();
        let mut manners: Vec<_> = regions.map(|stay| (Order::Quiet, stay)).collect();
        manners.extend([Order::Quiet, Order::KnownSetUps].map(|order| (order, Stay::ANYWHERE)));
        Self {
            root: root.clone(),
            side,
            options,
            probe,
            manners,
            failed: 0,
            granted: Granted::new(),
            shares,
        }
    }

    /// Attempts with sets of at most the size of a turn, half of it with each larger allowance.
    pub(super) fn turn(
        &mut self,
        meter: &mut Meter,
        known: &Known,
        turn: u64,
    ) -> Result<Attempted, StopReason> {
        // What others tried with less says nothing.
        std::mem::swap(&mut known.parts.borrow_mut().open, &mut self.granted);
        let end = self.attempts(meter, known, turn);
        std::mem::swap(&mut known.parts.borrow_mut().open, &mut self.granted);
        end
    }

    fn attempts(
        &mut self,
        meter: &mut Meter,
        known: &Known,
        turn: u64,
    ) -> Result<Attempted, StopReason> {
        let mut open = false;
        let (first, size) = (self.failed, Size::of(turn));
        for (i, &allowance) in ALLOWANCES.iter().enumerate().skip(first) {
            let rules = self.options.rules.as_ref();
            let judge = Judge::new(&self.root, self.side, allowance, self.probe, rules);
            let size =
                Size { positions: size.positions >> (i - first), steps: size.steps >> (i - first) };
            let end = self.attempt(judge, size, meter, known);
            meter.growing(0);
            match end {
                Ok(Some(set)) => return Ok(Attempted::Held(Box::new(set))),
                // What fails with little to lose fails again: larger regions need larger
                // allowances.
                Ok(None) if !open => self.failed += 1,
                Ok(None) => {}
                Err(Halt::Slice) => open = true,
                Err(Halt::Stop(stop)) => return Err(stop),
            }
        }
        Ok(if open { Attempted::Open } else { Attempted::Failed })
    }

    /// One attempt by what a judge knows, in every order of moves; none if every choice has failed.
    fn attempt(
        &self,
        judge: Judge,
        size: Size,
        meter: &mut Meter,
        known: &Known,
    ) -> Result<Option<Strategy>, Halt> {
        let few = ((size.steps / self.shares.positions) as usize).clamp(64, self.shares.most);
        meter.slice(size.steps / self.shares.circle);
        known.walls.borrow_mut().grant(size.steps / 2);
        match judge.circle(&self.root, meter, few, known) {
            Ok(Some(set)) => return Ok(Some(set)),
            Ok(None) | Err(Halt::Slice) => {}
            Err(stop) => return Err(stop),
        }
        let has_rows = judge.has_rows(&self.root);
        let on_rows: &[_] = if has_rows { &self.manners } else { &[] };
        for &(order, stay) in on_rows {
            let steps = if stay == Stay::ANYWHERE { size.steps } else { size.steps / REGION_SHARE };
            meter.slice(steps);
            let terms =
                Terms { floor: judge.floor, order, stay, rows: size.positions, each: false };
            // What fails on rows may have a move that rows leave out.
            match judge.grow_on_rows(
                &self.root,
                terms,
                meter,
                known,
                size.steps / self.shares.parts,
            ) {
                Ok(None) | Err(Halt::Slice) => {}
                end => return end,
            }
        }
        let orders = [Order::FewestReplies, Order::Quiet, Order::KnownSetUps];
        let one_by_one = if has_rows { &orders[..1] } else { &orders[..] };
        for &order in one_by_one {
            meter.slice(size.steps);
            match judge.grow(&self.root, order, meter, size.positions, known) {
                Err(Halt::Slice) => {}
                end => return end,
            }
        }
        Err(Halt::Slice)
    }
}
