//! One side's hold: attempts from the root, and from what its first moves lead to.
//!
//! Each turn has attempts at the root, then as much of the tree of first moves ([`FirstMoves`]). Threads that
//! have nothing else to do work at the tree too, each with what it knows for itself; what is closed
//! once ends all later lines.
//!
//! Soundness: where the holder has a move after which all replies are held, that move joins the
//! union of closed sets, and the union stays closed, whichever thread has found which of them.

use super::answer::{Options, told_hold};
use super::endings::lock;
use super::first_moves::{FirstMoves, Next, Work, looked_into};
use super::holding::{Attempted, Holding, Shares};
use super::known::Known;
use super::meter::Meter;
use super::region::Region;
use super::solve::{FIRST_TURN, unless_slice};
use super::task::Probe;
use crate::certificate::Strategy;
use crate::chess::Side;
use crate::chess::board::Board;
use crate::limits::StopReason;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Turns from which the first moves are looked into: what is simple is held before.
const BEGIN: u64 = FIRST_TURN << 7;
/// The tree has as many moves as the attempts at the root took, and one of so many of a turn at least.
const SHARE: u64 = 2;
/// Where the hold is all that is asked for, the tree begins at one of so many, and has so many times as many
/// moves. Threads that have nothing else to do begin as soon.
const ENOUGH: u64 = 4;
/// How long a thread waits where others are at all there is.
const WAIT: Duration = Duration::from_millis(1);

/// What a thread knows for itself.
#[derive(Default)]
struct Desk {
    known: Known,
    /// How many of the tree's facts it keeps.
    kept: usize,
}

/// What is known of one side's holding.
pub(super) struct Holder<'a> {
    pub(super) side: Side,
    board: Board,
    options: &'a Options,
    probe: &'a Probe<'a>,
    root: Mutex<Holding<'a>>,
    tree: Mutex<FirstMoves<'a>>,
    /// Desks at which nobody is.
    desks: Mutex<Vec<Desk>>,
    /// Moves made for the tree in all, and with how many it is left.
    made: AtomicU64,
    until: AtomicU64,
    /// Whether the turn has ended, and whether the root is held.
    is_over: AtomicBool,
    is_held: AtomicBool,
    /// The set that holds the root, unless the tree does.
    set: Mutex<Option<Box<Strategy>>>,
    /// The region that was found.
    pub(super) region: Option<Box<Region>>,
}

impl<'a> Holder<'a> {
    pub(super) fn new(
        root: &Board,
        side: Side,
        options: &'a Options,
        probe: &'a Probe<'a>,
    ) -> Self {
        Self {
            side,
            board: root.clone(),
            options,
            probe,
            root: Mutex::new(Holding::new(root, side, options, probe, Shares::ROOT)),
            tree: Mutex::new(FirstMoves::new(root, side, options, probe)),
            desks: Mutex::new(Vec::new()),
            made: AtomicU64::new(0),
            until: AtomicU64::new(0),
            is_over: AtomicBool::new(true),
            is_held: AtomicBool::new(false),
            set: Mutex::new(None),
            region: None,
        }
    }

    /// Lets others help in the turn that comes, if it is long enough.
    pub(super) fn begin(&self, turn: u64) {
        let until = if is_shared(turn) { u64::MAX } else { 0 };
        self.until.store(until, Ordering::Relaxed);
        self.is_over.store(false, Ordering::Relaxed);
    }

    /// A turn of attempts from the root, then as much of what its first moves lead to; whether longer
    /// turns may help.
    pub(super) fn turn(&self, meter: &mut Meter, turn: u64) -> Result<bool, StopReason> {
        let _over = Over(self);
        let mut desk = self.desk();
        let end = self.turn_at(&mut desk, meter, turn);
        lock(&self.desks).push(desk);
        end
    }

    fn turn_at(&self, desk: &mut Desk, meter: &mut Meter, turn: u64) -> Result<bool, StopReason> {
        let before = meter.visited();
        let end = lock(&self.root).turn(meter, &desk.known, turn)?;
        let is_open = matches!(end, Attempted::Open);
        if let Attempted::Held(set) = end {
            *lock(&self.set) = Some(set);
            self.found(meter);
        }
        let more = if self.options.enough == Some(self.side) { ENOUGH } else { 1 };
        if self.is_held() || turn < BEGIN / more {
            return Ok(!self.is_held());
        }
        let steps = more * (meter.visited() - before).max(turn / SHARE);
        let made = self.made.load(Ordering::Relaxed);
        self.until.store(made + steps, Ordering::Relaxed);
        let may_help = self.first_moves(desk, meter)?.unwrap_or(is_open);
        Ok(may_help && !self.is_held())
    }

    /// Helps with the tree until the turn ends; that more may help is for the turn to say.
    pub(super) fn help(&self, meter: &mut Meter) -> Result<bool, StopReason> {
        let mut desk = self.desk();
        let mut end = Ok(Some(true));
        while let (Ok(Some(_)), false) = (&end, self.is_over.load(Ordering::Relaxed)) {
            std::thread::sleep(WAIT);
            end = self.first_moves(&mut desk, meter);
        }
        lock(&self.desks).push(desk);
        end.map(|_| false)
    }

    fn desk(&self) -> Desk {
        lock(&self.desks).pop().unwrap_or_default()
    }

    /// What becomes true when the root is held.
    pub(super) fn held(&self) -> &AtomicBool {
        &self.is_held
    }

    /// Whether the root is held.
    fn is_held(&self) -> bool {
        self.is_held.load(Ordering::Relaxed)
    }

    /// Works at what the first moves lead to, as far as is left; whether more may help, none if
    /// nothing can be tried any more.
    fn first_moves(&self, desk: &mut Desk, meter: &mut Meter) -> Result<Option<bool>, StopReason> {
        let is_left = || self.made.load(Ordering::Relaxed) < self.until.load(Ordering::Relaxed);
        while is_left() && !self.is_held() && !desk.known.parts.borrow().is_full() {
            let next = lock(&self.tree).next(&desk.known, &mut desk.kept);
            match next {
                Next::Held => self.found(meter),
                Next::Nothing => return Ok(None),
                Next::Wait => std::thread::sleep(WAIT),
                Next::Work(work) => self.work(*work, desk, meter)?,
            }
        }
        Ok(Some(true))
    }

    /// One turn of a position's attempts; where it does not hold, its moves are looked into too.
    fn work(&self, mut work: Work<'a>, desk: &Desk, meter: &mut Meter) -> Result<(), StopReason> {
        let before = meter.visited();
        let end = match &mut work.holding {
            Some(holding) => holding.turn(meter, &desk.known, work.turn)?,
            None => Attempted::Failed,
        };
        let mut moves = Vec::new();
        if work.is_new && !matches!(end, Attempted::Held(_)) {
            moves = looked_into(&self.board, &work.board, self.side, self.options, self.probe);
            let made = moves.iter().map(|(_, replies)| replies.len() as u64 + 1).sum();
            meter.slice(u64::MAX);
            unless_slice(meter.steps(made))?;
        }
        self.made.fetch_add(meter.visited() - before, Ordering::Relaxed);
        lock(&self.tree).done(work, end, moves);
        Ok(())
    }

    /// Tells that the root is held, the first time.
    fn found(&self, meter: &Meter) {
        if !self.is_held.swap(true, Ordering::Relaxed) {
            meter.budget().progress().proved(&told_hold(self.side));
        }
    }

    /// Puts together what holds the root, if it is held: what all threads know.
    pub(super) fn settle(&mut self) {
        if !self.is_held() || self.region.is_some() {
            return;
        }
        let mut desks = std::mem::take(&mut *lock(&self.desks)).into_iter();
        let mut known = desks.next().unwrap_or_default().known;
        desks.for_each(|desk| known.join(desk.known));
        let none = || Strategy::holding(&self.board, self.side, []);
        let set = lock(&self.set).take().map_or_else(none, |set| *set);
        let sets = known.sets(&self.board, self.side);
        self.region = Some(Box::new(Region::new(set, sets, self.options.rules.clone())));
    }
}

/// Ends a turn, however it ends.
struct Over<'h, 'a>(&'h Holder<'a>);

impl Drop for Over<'_, '_> {
    fn drop(&mut self) {
        self.0.until.store(0, Ordering::Relaxed);
        self.0.is_over.store(true, Ordering::Relaxed);
    }
}

/// Whether a turn is long enough for several threads.
pub(super) fn is_shared(turn: u64) -> bool {
    turn >= BEGIN / ENOUGH
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Outcome, Value};
    use crate::limits::Budget;
    use crate::search::task::no_probe;
    use crate::tables::{Material, Tables};

    /// Works at the first moves alone, by so many threads.
    fn first_moves(holder: &mut Holder, steps: u64, threads: usize, budget: &Budget) {
        let meter = Meter::new(budget, 0);
        let pool = meter.pool();
        holder.begin(0);
        holder.until.store(steps, Ordering::Relaxed);
        let work = |helps: bool| {
            let mut own = meter.member(&pool).ended_by(holder.held());
            if helps {
                return holder.help(&mut own).map(|_| ());
            }
            let _over = Over(holder);
            let mut desk = holder.desk();
            let end = holder.first_moves(&mut desk, &mut own);
            lock(&holder.desks).push(desk);
            end.map(|_| ())
        };
        let ends: Vec<_> = std::thread::scope(|scope| {
            let jobs: Vec<_> = (0..threads).map(|at| scope.spawn(move || work(at > 0))).collect();
            jobs.into_iter().map(|job| job.join().unwrap()).collect()
        });
        assert!(ends.iter().all(Result::is_ok), "{ends:?}");
        holder.settle();
    }

    /// Positions that are held by their first moves alone, of so many; each is held in truth.
    fn held(material: &str, positions: usize, steps: u64, threads: usize) -> usize {
        let (tables, options) = (Tables::in_memory(), Options::default());
        let material: Material = material.parse().unwrap();
        tables.ensure(material, &Budget::default()).unwrap();
        let mut found = 0;
        for root in Tables::sample(material, 5).take(positions) {
            for side in Side::ALL {
                let budget = Budget::default();
                let mut holder = Holder::new(&root, side, &options, &no_probe);
                first_moves(&mut holder, steps, threads, &budget);
                let Some(region) = &holder.region else { continue };
                let truth: Value = tables.probe(&root).unwrap().unwrap();
                assert_ne!(truth.outcome(), Outcome::Wins(side.other()), "{root:?}");
                let strategy = region.strategy(&root, &no_probe, &budget).unwrap();
                assert_eq!(strategy.owner(), side);
                found += 1;
            }
        }
        found
    }

    #[test]
    fn what_first_moves_hold_is_held() {
        for threads in [1, 3] {
            let held = |material| held(material, 12, 40_000, threads);
            let found = [held("KRvKB"), held("KPvKP")];
            assert!(found[0] >= 4 && found[1] >= 8, "{found:?}");
        }
    }
}
