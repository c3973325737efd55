//! One side's attempts to hold, in turns of growing length.

use super::answer::{Options, told_hold};
use super::meter::{Halt, Meter};
use super::parts::Parts;
use super::region::{Judge, Region};
use super::task::Probe;
use super::walls::Walls;
use crate::chess::Side;
use crate::chess::board::Board;
use crate::hold::{Order, Stay, Terms};
use crate::limits::StopReason;
use std::cell::RefCell;

/// Positions of the largest region tried: its attempt takes some 300 MB at most.
const LARGEST_REGION: u64 = 1 << 18;
/// A position of a region costs about as much as so many of an attack: all replies to all moves are
/// made.
const HOLD_SHARE: u64 = 256;
/// Positions of the longest search for a circle: some seconds.
const LARGEST_CIRCLE: usize = 1 << 14;
/// Where men have many moves a position of a region costs more: an attempt may make one of so many
/// moves of a turn.
const HOLD_MOVES: u64 = 2;
/// An attempt that keeps to a region may make one of so many moves of any other: most of them fail soon.
const REGION_SHARE: u64 = 4;
/// Parts may make one of so many moves that an attempt where all moves are free may make.
const PART_SHARE: u64 = 8;
/// What a holder may lose in its attempts, in pawns.
const ALLOWANCES: [i32; 5] = [0, 1, 3, 9, 1000];

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

/// What is known of one side's holding.
pub(super) struct Holding<'a> {
    pub(super) side: Side,
    root: &'a Board,
    options: &'a Options,
    probe: &'a Probe<'a>,
    /// What is known of walls of pawns.
    walls: RefCell<Walls>,
    /// How sets are grown on rows, one way after the other.
    manners: Vec<(Order, Stay)>,
    /// What is known of positions after captures.
    parts: RefCell<Parts>,
    /// The region that was found.
    pub(super) region: Option<Box<Region>>,
    /// Allowances with which every choice has failed, whatever the size.
    failed: usize,
}

impl<'a> Holding<'a> {
    pub(super) fn new(
        root: &'a Board,
        side: Side,
        options: &'a Options,
        probe: &'a Probe<'a>,
    ) -> Self {
        let regions = Stay::regions(root, side).into_iter();
        let mut manners: Vec<_> = regions.map(|stay| (Order::Quiet, stay)).collect();
        manners.extend([Order::Quiet, Order::KnownSetUps].map(|order| (order, Stay::ANYWHERE)));
        Self {
            side,
            root,
            options,
            probe,
            walls: RefCell::default(),
            manners,
            parts: RefCell::default(),
            region: None,
            failed: 0,
        }
    }

    /// Attempts with regions of at most the size of a turn, half of it with each larger allowance;
    /// whether larger regions may help.
    pub(super) fn turn(&mut self, meter: &mut Meter, turn: u64) -> Result<bool, StopReason> {
        let mut open = false;
        let (first, size) = (self.failed, Size::of(turn));
        for (i, &allowance) in ALLOWANCES.iter().enumerate().skip(first) {
            let rules = self.options.rules.as_ref();
            let judge = Judge::new(self.root, self.side, allowance, self.probe, rules);
            let size =
                Size { positions: size.positions >> (i - first), steps: size.steps >> (i - first) };
            let end = self.attempt(judge, size, meter);
            meter.growing(0);
            match end {
                Ok(Some(region)) => {
                    self.region = Some(region);
                    meter.budget().progress().proved(&told_hold(self.side));
                    return Ok(false);
                }
                // What fails with little to lose fails again: larger regions need larger
                // allowances.
                Ok(None) if !open => self.failed += 1,
                Ok(None) => {}
                Err(Halt::Slice) => open = true,
                Err(Halt::Stop(stop)) => return Err(stop),
            }
        }
        Ok(open)
    }

    /// One attempt by what a judge knows, in every order of moves; none if every choice has failed.
    fn attempt(
        &self,
        judge: Judge,
        size: Size,
        meter: &mut Meter,
    ) -> Result<Option<Box<Region>>, Halt> {
        let few = (size.positions / 4).clamp(64, LARGEST_CIRCLE);
        meter.slice(size.steps / 4);
        self.walls.borrow_mut().grant(size.steps / 2);
        match judge.circle(self.root, meter, few, &self.walls) {
            Ok(Some(region)) => return Ok(Some(Box::new(region))),
            Ok(None) | Err(Halt::Slice) => {}
            Err(stop) => return Err(stop),
        }
        let has_rows = judge.has_rows(self.root);
        let on_rows: &[_] = if has_rows { &self.manners } else { &[] };
        for &(order, stay) in on_rows {
            let steps = if stay == Stay::ANYWHERE { size.steps } else { size.steps / REGION_SHARE };
            meter.slice(steps);
            let parts = &mut self.parts.borrow_mut();
            let terms = Terms { floor: judge.floor, order, stay, rows: size.positions };
            // What fails on rows may have a move that rows leave out.
            match judge.grow_on_rows(self.root, terms, meter, parts, size.steps / PART_SHARE) {
                Ok(None) | Err(Halt::Slice) => {}
                end => return end,
            }
        }
        let orders = [Order::FewestReplies, Order::Quiet, Order::KnownSetUps];
        let one_by_one = if has_rows { &orders[..1] } else { &orders[..] };
        for &order in one_by_one {
            meter.slice(size.steps);
            match judge.grow(self.root, order, meter, size.positions) {
                Err(Halt::Slice) => {}
                end => return end,
            }
        }
        Err(Halt::Slice)
    }
}
