//! Holds written down: closed sets of positions, found a row of 64 at a time.
//!
//! A certificate of a hold by slices lists positions after the holder's moves, so that each reply to
//! one of them has an answer that leads to another; which, it does not say. What slices have proved to
//! be held is closed in this sense, but much larger than what comes about. So the set is grown from
//! the root: all replies to what is in it are positions to be answered, and those that no move leads
//! back into it from are answered by one that does not leave what is held.
//!
//! Inside a slice replies and answers are found by words ([`super::inside`]), some 0.1 µs a row;
//! captures and promotions one by one, 1 µs each; what no slice has as boards, 10 µs each.
//!
//! Any answer that holds will do, but the set shall be small. What takes a pawn is preferred: the fewer
//! there are, the fewer are the slices that lines lead through. Then comes an answer that stays in the slice,
//! for that is there already, and of these the one to a set-up of the holder's men that it has used most, and
//! that fails least ([`crate::hold`]). Where the attacker has pawns alone against an officer, what is held
//! *firmly* comes first, every new officer being taken at once: a single rook that comes about has half a
//! million positions with a bishop, drawn though they are.
//!
//! A slice is met on two sides: as the attacker's, who is proved not to win it, or with colours turned,
//! where the holder is proved to win. Either way the positions in the set have the attacker to move.
//!
//! Memory: 3 MiB of set-ups for each slice met, and 1 KiB for each 64 rows of which one is used.

mod answers;

use super::bits::{Officer, squares};
use super::children::{our_pushes, their_pushes};
use super::closed_set::ClosedSet;
use super::key::{Key, Place};
use super::moves::{self, Goal, Step};
use super::play::written;
use super::refine::Prover;
use super::region::{Exit, Found, Region};
use super::rows::Sets;
use super::store::{Store, UPPER};
use crate::chess::board::Board;
use crate::chess::{Packed, Side, cannot_be_mated, fen};
use crate::limits::{Budget, StopReason};
use hashbrown::{HashMap, HashSet};
use std::sync::Arc;

/// Why a set does not close.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotClosed {
    /// The end of the budget.
    #[error("the set is not closed: {0}")]
    Stopped(StopReason),
    /// A position in which slices know no move that holds.
    #[error("slices know no move that holds in {0}")]
    NotHeld(String),
}

/// Rows between two looks at the budget.
const BETWEEN_CHECKS: u64 = 1 << 12;

/// Pawns beside which it is asked what is held firmly: three stand in some 200 ways, which take a
/// millisecond each.
const FIRM_PAWNS: u32 = 3;

/// Where a position stands: the slice that is met, and its place there.
type Spot = (u32, Place);

/// A closed set that grows.
pub(super) struct Closing<'a> {
    wins: &'a Store,
    holds: &'a Store,
    attacker: Side,
    regions: Vec<Region>,
    /// None where nothing is proved of a slice.
    numbers: HashMap<(Key, bool), Option<u32>>,
    /// Positions of the set that no slice has: with a right to take in passing, or of other men.
    odd: HashSet<Packed>,
    /// Those to be answered of which the same is true.
    odd_asked: HashSet<Packed>,
    boards: Vec<Board>,
    asked: Vec<Board>,
    /// Positions of the set.
    count: u64,
    steps: Vec<Step>,
    looked: u64,
    /// Solves pawns alone against an officer for holds in which no new officer comes about.
    firm: Prover,
    budget: &'a Budget,
}

impl<'a> Closing<'a> {
    pub(super) fn new(
        wins: &'a Store,
        holds: &'a Store,
        attacker: Side,
        budget: &'a Budget,
    ) -> Self {
        Self {
            wins,
            holds,
            attacker,
            regions: Vec::new(),
            numbers: HashMap::new(),
            odd: HashSet::new(),
            odd_asked: HashSet::new(),
            boards: Vec::new(),
            asked: Vec::new(),
            count: 0,
            steps: Vec::new(),
            looked: 0,
            firm: Prover::default(),
            budget,
        }
    }

    /// Grows the set from all roots until it is closed.
    ///
    /// # Errors
    /// Why it does not close.
    pub(super) fn run(mut self, roots: &[Board]) -> Result<ClosedSet, NotClosed> {
        for root in roots {
            self.look()?;
            if root.side_to_move() == self.attacker {
                self.replies(root)?;
            } else {
                self.ask(root.clone())?;
            }
        }
        while let Some(work) = self.next() {
            self.look()?;
            match work {
                Work::Board(board) => self.replies(&board)?,
                Work::Asked(boards) => boards.iter().try_for_each(|board| {
                    self.look()?;
                    self.answer(board)
                })?,
                Work::Replies(region) => self.each_reply(region)?,
                Work::Answers(region) => self.each_answer(region)?,
            }
        }
        Ok(ClosedSet {
            attacker: self.attacker,
            slices: self.regions.iter().map(Region::listed).collect(),
            odd: self.odd.into_iter().collect(),
        })
    }

    /// What is to be done next: replies first, so that much is in the set when answers are chosen.
    fn next(&mut self) -> Option<Work> {
        let waits = |of: fn(&Region) -> &Found| move |region: &Region| of(region).waits();
        if let Some(board) = self.boards.pop() {
            return Some(Work::Board(board));
        }
        if let Some(at) = self.regions.iter().rposition(waits(|region| &region.set)) {
            return Some(Work::Replies(at as u32));
        }
        if let Some(at) = self.regions.iter().rposition(waits(|region| &region.asked)) {
            return Some(Work::Answers(at as u32));
        }
        (!self.asked.is_empty()).then(|| Work::Asked(std::mem::take(&mut self.asked)))
    }

    fn look(&mut self) -> Result<(), NotClosed> {
        self.looked += 1;
        if self.looked.is_multiple_of(BETWEEN_CHECKS) {
            self.budget.progress().advance(self.count);
            self.budget.check(self.count, self.bytes()).map_err(NotClosed::Stopped)?;
        }
        Ok(())
    }

    fn bytes(&self) -> u64 {
        self.regions.iter().map(Region::bytes).sum::<u64>()
            + self.firm.store.bytes()
            + 64 * (self.odd.len() + self.odd_asked.len()) as u64
    }

    fn owner(&self) -> Side {
        self.attacker.other()
    }

    /// The side whose win a slice is about.
    fn about(&self, turned: bool) -> Side {
        if turned { self.owner() } else { self.attacker }
    }

    /// The number of a slice that is met; none where nothing is proved of it.
    fn region(&mut self, key: &Key, turned: bool) -> Option<u32> {
        if let Some(&number) = self.numbers.get(&(*key, turned)) {
            return number;
        }
        let sets = self.sets_of(key, turned);
        let number = sets.map(|sets| {
            let firm = self.firm_of(key, turned);
            self.regions.push(Region::new(key, turned, sets, firm));
            self.regions.len() as u32 - 1
        });
        self.numbers.insert((*key, turned), number);
        number
    }

    /// What is proved of a slice; of small ones as tables know it.
    fn sets_of(&self, key: &Key, turned: bool) -> Option<Arc<Sets>> {
        let level = if turned { 0 } else { UPPER };
        match self.holds.nodes.get(key) {
            Some(node) => node.sets[level].clone(),
            None if key.is_vast() => None,
            None => self.holds.read(key).map(Arc::new),
        }
    }

    /// What is held firmly of few pawns alone against an officer; elsewhere no difference is made.
    fn firm_of(&mut self, key: &Key, turned: bool) -> Option<Arc<Sets>> {
        let is_fit = !turned && !key.is_large() && key.is_several() && key.kind() == 1;
        if !is_fit || key.pawns().count_ones() > FIRM_PAWNS {
            return None;
        }
        self.firm.solved(key, self.budget).ok()
    }

    /// The number of a slice of which something is proved without a look into tables.
    fn solved(&mut self, key: &Key, turned: bool) -> Option<u32> {
        let level = if turned { 0 } else { UPPER };
        let is_solved = || self.holds.nodes.get(key).is_some_and(|node| node.sets[level].is_some());
        let is_known = self.numbers.contains_key(&(*key, turned)) || is_solved();
        if is_known { self.region(key, turned) } else { None }
    }

    /// Whether the attacker of a slice has nothing to win with.
    fn is_dead(key: &Key, turned: bool) -> bool {
        !turned && key.ours == 0 && !key.is_large()
    }

    /// A position in slices, if it is held there. A right to take in passing is left out.
    fn locate(&mut self, board: &Board) -> Option<Spot> {
        [false, true].into_iter().find_map(|turned| {
            let (key, place) = Key::of(board, self.about(turned))?;
            let number = self.region(&key, turned)?;
            let won = self.regions[number as usize].sets.has(&key, &place);
            (won == turned).then_some((number, place))
        })
    }

    fn is_known(&self, turned: bool, key: &Key, place: &Place) -> bool {
        if turned { self.holds.is_won(key, place) } else { self.holds.is_held(key, place) }
    }

    fn is_in(&self, (region, place): &Spot) -> bool {
        let region = &self.regions[*region as usize];
        let (row, bit) = region.key.index(place);
        region.set.of_row(row) & bit != 0
    }

    fn ask_at(&mut self, (region, place): &Spot) {
        let region = &mut self.regions[*region as usize];
        let (row, bit) = region.key.index(place);
        region.ask(row, bit);
    }

    fn put_at(&mut self, (region, place): &Spot) {
        let region = &mut self.regions[*region as usize];
        let (row, bit) = region.key.index(place);
        self.count += region.put(row, bit);
    }

    /// Puts a position into the set that no slice has.
    fn put_odd(&mut self, z: Board) {
        self.count += 1;
        self.odd.insert(z.packed());
        self.boards.push(z);
    }

    /// All replies to a position of the set.
    fn replies(&mut self, z: &Board) -> Result<(), NotClosed> {
        z.successors().try_for_each(|y| self.ask(y))
    }

    /// A position with the holder to move is to be answered.
    fn ask(&mut self, y: Board) -> Result<(), NotClosed> {
        let moves = y.legal_moves();
        if moves.is_empty() {
            return if y.in_check() { Err(not_held(&y)) } else { Ok(()) };
        }
        if cannot_be_mated(&y.vector(), self.owner()) {
            return Ok(());
        }
        if !moves.iter().all(|m| m.is_en_passant())
            && let Some(spot) = self.locate(&y)
        {
            self.ask_at(&spot);
        } else if self.odd_asked.insert(y.packed()) {
            self.asked.push(y);
        }
        Ok(())
    }

    /// The attacker's moves from all new positions of a slice's set.
    fn each_reply(&mut self, number: u32) -> Result<(), NotClosed> {
        let pushes = self.pushes(number);
        let at = number as usize;
        for (row, bits) in self.regions[at].set.take() {
            self.look()?;
            let Region { key, turned, inside, .. } = self.regions[at];
            let ours = !turned;
            let region = &mut self.regions[at];
            inside.across(row, ours, |to, blocked| region.ask(to, bits & !blocked));
            region.ask(row, inside.within(row, ours, bits));
            let mut loud = self.captures_in_row(number, row, bits);
            for exit in pushes.iter() {
                let bits = bits & !inside.with_man_on(row, exit.via);
                let Some(child) = exit.region.map(|at| &mut self.regions[at as usize]) else {
                    loud |= bits;
                    continue;
                };
                // What is not held after the step alone is so after a capture in passing, which may be
                // the only move too.
                let plain = if exit.passes { child.free_to_move(row, bits) } else { bits };
                loud |= bits & !plain & child.legal(row);
                child.ask(row, plain);
            }
            for square in squares(loud) {
                self.replies_outside(number, &key.place(row, square, ours))?;
            }
        }
        Ok(())
    }

    /// The attacker's captures that are the same in all positions of a row; in which there are others, or
    /// promotions.
    fn captures_in_row(&mut self, number: u32, row: usize, bits: u64) -> u64 {
        let Region { key, turned, inside, .. } = self.regions[number as usize];
        let ours = !turned;
        if key.kind() == 0 {
            return bits & inside.loud(row, ours);
        }
        let mut loud = if inside.may_promote(ours) { bits } else { inside.axis_takes(row, ours) };
        inside.captures(row, ours, |child, row, blocked| {
            let bits = bits & !blocked;
            if Self::is_dead(&child, turned) {
                return;
            }
            let Some(at) = self.solved(&child, turned) else {
                loud |= bits;
                return;
            };
            let region = &mut self.regions[at as usize];
            let known = bits & !region.open(row);
            loud |= bits & !known & region.legal(row);
            region.ask(row, known);
        });
        bits & loud
    }

    /// The attacker's pawn moves out of a slice that promote nothing and take pawns only.
    fn pushes(&mut self, number: u32) -> Arc<[Exit]> {
        let region = &self.regions[number as usize];
        if let Some(pushes) = &region.pushes {
            return Arc::clone(pushes);
        }
        let (key, turned) = (region.key, region.turned);
        let list = if turned { their_pushes(&key) } else { our_pushes(&key) };
        let mut exits = Vec::new();
        for push in list {
            let region = self.region(&push.child, turned);
            exits.push(Exit { region, via: push.via, passes: push.passes() });
        }
        let exits: Arc<[Exit]> = exits.into();
        self.regions[number as usize].pushes = Some(Arc::clone(&exits));
        exits
    }

    /// The attacker's captures and promotions from one position.
    fn replies_outside(&mut self, number: u32, place: &Place) -> Result<(), NotClosed> {
        let Region { key, turned, .. } = self.regions[number as usize];
        let about = self.about(turned);
        let mut list = std::mem::take(&mut self.steps);
        moves::exits(&key, place, &mut list);
        let mut board = None;
        for step in &list {
            if step.promotion != Officer::None && self.takes_back(turned, &key, place, step) {
                continue;
            }
            match self.leads(turned, step) {
                Lead::Inside | Lead::Dead => {}
                Lead::Slice(spot) => self.ask_at(&spot),
                Lead::Elsewhere => {
                    let board = board.get_or_insert_with(|| key.board(place, about));
                    self.ask(after(board, step, about))?;
                }
            }
        }
        self.steps = list;
        Ok(())
    }

    /// Whether a new officer of the attacker's is taken at once: by a move that leads into the set, or
    /// else by one that holds, which is put there.
    fn takes_back(&mut self, turned: bool, key: &Key, place: &Place, step: &Step) -> bool {
        let mut held = None;
        for (key, place) in moves::taken_back(key, place, step).into_iter().flatten() {
            if !self.is_known(turned, &key, &place) {
                continue;
            }
            if Self::is_dead(&key, turned) {
                return true;
            }
            let Some(at) = self.region(&key, turned) else { continue };
            if self.is_in(&(at, place)) {
                return true;
            }
            held = held.or(Some((at, place)));
        }
        held.iter().for_each(|spot| self.put_at(spot));
        held.is_some()
    }

    /// Where a move leads, either side's.
    fn leads(&mut self, turned: bool, step: &Step) -> Lead {
        match &step.goal {
            Goal::Here(_) => Lead::Inside,
            Goal::All([Some((key, place)), None, None])
                if step.promotion == Officer::None && self.is_known(turned, key, place) =>
            {
                if Self::is_dead(key, turned) {
                    Lead::Dead
                } else {
                    self.region(key, turned).map_or(Lead::Elsewhere, |at| Lead::Slice((at, *place)))
                }
            }
            _ => Lead::Elsewhere,
        }
    }
}

/// Where a move leads.
enum Lead {
    Inside,
    /// The attacker has nothing left to win with.
    Dead,
    /// Another slice, in which it is held.
    Slice(Spot),
    /// Somewhere else, or it is not held.
    Elsewhere,
}

/// What is to be done.
enum Work {
    Board(Board),
    Asked(Vec<Board>),
    Replies(u32),
    Answers(u32),
}

fn not_held(board: &Board) -> NotClosed {
    NotClosed::NotHeld(fen(&board.vector()))
}

/// The board after a step.
pub(super) fn after(board: &Board, step: &Step, about: Side) -> Board {
    board.after(board.find(written(step, about)).expect("a legal move"))
}
