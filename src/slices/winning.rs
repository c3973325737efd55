//! Wins written down: the positions after the winner's moves, found a row of 64 at a time.
//!
//! A certificate of a win by slices lists positions with the defender to move, so that each reply to one of
//! them has an answer that leads to another of lower rank; which, it does not say. The set is grown from
//! the root: all replies to what is in it are to be answered, inside a slice by rows
//! ([`super::sweep`]), by exits one by one, 1 µs each; what no slice has as boards, some 10 µs each. Small
//! slices that tables know have ranks of their own ([`super::truth`]).
//!
//! Every move out of a slice takes a man off or a pawn on, so slices come in an order that never goes
//! back: each is swept once, when all that leads to it is known. The plies to mate are counted the other
//! way round ([`super::plies`]).
//!
//! Memory: some 70 bytes for each row and rank that is used, with the attacker to move and with the
//! defender; beside what one slice takes while it is swept.

use super::bits::{Officer, squares};
use super::children::their_pushes;
use super::closed::after;
use super::inside::Inside;
use super::key::{Key, Place};
use super::met::{Lead, Odd, Pushed, Slice, Stage};
use super::moves::{self, Goal, Spot, Step};
use super::play::{Winner, worst};
use super::plies::{Places, WinningSet, count};
use super::rows::{Log, Sets, kings_open};
use super::store::Store;
use super::sweep::{Lost, Sweep};
use super::truth::Truth;
use crate::chess::board::Board;
use crate::chess::{Packed, Side, fen};
use crate::limits::{Budget, StopReason};
use hashbrown::HashMap;
use std::sync::Arc;

/// Why a win is not written down.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotWritten {
    /// The end of the budget.
    #[error("the strategy is not finished: {0}")]
    Stopped(#[from] StopReason),
    /// A position in which slices know no move that wins.
    #[error("slices know no move that wins in {0}")]
    NotWon(String),
    /// A position whose plies to mate do not come to an end.
    #[error("the win does not come to an end in {0}")]
    Endless(String),
}

/// Rows between two looks at the budget.
const BETWEEN_CHECKS: u64 = 1 << 12;

/// The men, and the steps that pawns have left: each move that cannot be taken back makes it less.
const LARGEST: usize = 32 + 16 * 6;

/// A winning set that grows.
pub(super) struct Growing<'a> {
    pub(super) store: &'a Store,
    pub(super) attacker: Side,
    winner: Winner<'a>,
    pub(super) slices: Vec<Slice>,
    /// None where nothing is proved of a slice.
    numbers: HashMap<Key, Option<u32>>,
    truth: Truth<'a>,
    pub(super) odd: HashMap<Packed, Odd>,
    pub(super) stages: Vec<Stage>,
    waiting: Vec<Vec<Board>>,
    pushed: Vec<(u32, u64)>,
    rows: u64,
    looked: u64,
    budget: &'a Budget,
}

impl<'a> Growing<'a> {
    pub(super) fn new(store: &'a Store, winner: Winner<'a>, budget: &'a Budget) -> Self {
        Self {
            store,
            attacker: winner.side(),
            winner,
            slices: Vec::new(),
            numbers: HashMap::new(),
            truth: Truth::new(store),
            odd: HashMap::new(),
            stages: (0..=LARGEST).map(|_| Stage::default()).collect(),
            waiting: vec![Vec::new(); LARGEST + 1],
            pushed: Vec::new(),
            rows: 0,
            looked: 0,
            budget,
        }
    }

    /// Grows the set until every reply is answered, and counts the plies.
    ///
    /// # Errors
    /// The end of the budget, or a position that is not proved to be won.
    pub(super) fn run(mut self, root: &Board) -> Result<WinningSet, NotWritten> {
        if root.side_to_move() == self.attacker {
            self.ask(root.clone());
        } else {
            self.put(root.clone())?;
        }
        for stage in (0..=LARGEST).rev() {
            while let Some(board) = self.waiting[stage].pop() {
                self.look()?;
                if board.side_to_move() == self.attacker {
                    self.answer(&board)?;
                } else {
                    board.successors().for_each(|next| self.ask(next));
                }
                self.stages[stage].boards.push(board);
            }
            for at in 0..self.stages[stage].slices.len() {
                self.sweep(self.stages[stage].slices[at])?;
            }
        }
        count(self, root)
    }

    pub(super) fn look(&mut self) -> Result<(), NotWritten> {
        self.looked += 1;
        if self.looked.is_multiple_of(BETWEEN_CHECKS) {
            self.budget.progress().advance(self.rows);
            self.budget.check(self.rows, self.bytes())?;
        }
        Ok(())
    }

    fn bytes(&self) -> u64 {
        self.truth.bytes() + 70 * self.rows + 96 * self.odd.len() as u64 + self.winner.bytes()
    }

    /// The number of a slice; none where nothing is proved of it, or a table knows it.
    fn slice(&mut self, key: &Key) -> Option<u32> {
        if let Some(&number) = self.numbers.get(key) {
            return number;
        }
        let number = self.sets_of(key).map(|(sets, exact)| {
            self.slices.push(Slice {
                key: *key,
                inside: Inside::of(key),
                kings: kings_open(key),
                sets,
                exact,
                asked: Vec::new(),
                put: HashMap::new(),
                pushes: Arc::default(),
                places: Default::default(),
                by_exit: HashMap::new(),
            });
            let number = self.slices.len() as u32 - 1;
            self.stages[left(key)].slices.push(number);
            number
        });
        self.numbers.insert(*key, number);
        number
    }

    /// What is proved of a slice; or else what has ranks of what a table says, and that it is so.
    fn sets_of(&mut self, key: &Key) -> Option<(Arc<Sets>, bool)> {
        match self.store.nodes.get(key) {
            Some(node) if !node.exact => node.sets[0].clone().map(|sets| (sets, false)),
            _ => self.truth.of(key).map(|_| (Arc::new(self.truth.closed(key).0), true)),
        }
    }

    /// The ranks of a slice, and from where exits win.
    fn ranked(&mut self, number: u32) -> (Log, Vec<u64>) {
        let Slice { key, exact, .. } = self.slices[number as usize];
        if !exact {
            return self.store.ranked(&key);
        }
        let (_, ranks, wins) = self.truth.closed(&key);
        (ranks, wins)
    }

    /// A position in slices, if it is won there. A right to take in passing is left out.
    pub(super) fn locate(&mut self, board: &Board) -> Option<(u32, Place)> {
        Key::readings(board, self.attacker).into_iter().find_map(|spot| self.won(&spot))
    }

    fn won(&mut self, (key, place): &Spot) -> Option<(u32, Place)> {
        let number = self.slice(key)?;
        self.slices[number as usize].sets.has(key, place).then_some((number, *place))
    }

    /// Where a position with the attacker to move stands.
    pub(super) fn lead(&mut self, board: Board) -> Lead {
        // A right to take in passing is one move more, but it may be the only one.
        let plain = !board.has_mark() || board.legal_moves().iter().any(|m| !m.is_en_passant());
        match if plain { self.locate(&board) } else { None } {
            Some((slice, place)) => Lead::Slice(slice, place),
            None => Lead::Board(board),
        }
    }

    /// A position with the attacker to move has to be won.
    fn ask(&mut self, board: Board) {
        let lead = self.lead(board);
        self.ask_at(lead);
    }

    fn ask_at(&mut self, lead: Lead) {
        match lead {
            Lead::Slice(number, place) => {
                let slice = &mut self.slices[number as usize];
                slice.asked.push(slice.key.index(&place));
            }
            Lead::Board(board) => self.meet(board),
        }
    }

    /// A board is looked at when its turn comes.
    fn meet(&mut self, board: Board) {
        if self.odd.try_insert(board.packed(), Odd::default()).is_ok() {
            self.waiting[left_of(&board)].push(board);
        }
    }

    /// Where a position of the strategy with the defender to move stands. With a right to take in passing
    /// it is another position.
    pub(super) fn home(&mut self, board: &Board) -> Lead {
        match if board.has_mark() { None } else { self.locate(board) } {
            Some((number, place)) => Lead::Slice(number, place),
            None => Lead::Board(board.clone()),
        }
    }

    /// A position with the defender to move belongs to the strategy.
    fn put(&mut self, board: Board) -> Result<(), NotWritten> {
        match self.home(&board) {
            Lead::Slice(number, place) => self.put_at(number, &place),
            Lead::Board(board) if board.legal_moves().is_empty() && !board.in_check() => {
                return Err(not_won(&board));
            }
            Lead::Board(board) => self.meet(board),
        }
        Ok(())
    }

    fn put_at(&mut self, number: u32, place: &Place) {
        let slice = &mut self.slices[number as usize];
        let (row, bit) = slice.key.index(place);
        *slice.put.entry(row).or_default() |= bit;
    }

    /// Answers a board as slices play it.
    fn answer(&mut self, board: &Board) -> Result<(), NotWritten> {
        let play = self.winner.play(board).and_then(|play| board.find(play));
        let next = board.after(play.ok_or_else(|| not_won(board))?);
        self.odd.entry(board.packed()).or_default().play = Some(next.packed());
        self.put(next)
    }

    /// Answers all that is to be won in a slice.
    fn sweep(&mut self, number: u32) -> Result<(), NotWritten> {
        let at = number as usize;
        let key = self.slices[at].key;
        let (asked, put) = {
            let slice = &mut self.slices[at];
            (std::mem::take(&mut slice.asked), std::mem::take(&mut slice.put))
        };
        if asked.is_empty() && put.is_empty() {
            return Ok(());
        }
        self.slices[at].pushes = self.pushes(&key);
        let mut sweep = Sweep::new(&key, self.ranked(number));
        let attacker = self.attacker;
        let lost =
            |(row, square): Lost| not_won(&key.board(&key.place(row, square, true), attacker));
        for (row, bits) in asked {
            sweep.ask(row, bits, u32::MAX).map_err(lost)?;
        }
        for (row, bits) in put {
            for square in squares(bits) {
                if !sweep.put(row, 1 << square) {
                    let place = key.place(row, square, false);
                    return Err(not_won(&key.board(&place, self.attacker)));
                }
            }
        }
        for rank in sweep.levels() {
            let rows = sweep.answer(rank);
            self.rows += rows.len() as u64;
            for (row, bits) in rows {
                self.look()?;
                if rank == 0 {
                    self.leave(number, row, bits)?;
                    continue;
                }
                let inside = self.slices[at].inside;
                let mut failed = None;
                let mut ask = |sweep: &mut Sweep, row, bits| {
                    failed = failed.or(sweep.ask(row, bits, rank).err());
                };
                inside.across(row, false, |to, blocked| ask(&mut sweep, to, bits & !blocked));
                ask(&mut sweep, row, inside.within(row, false, bits));
                if let Some(at) = failed {
                    return Err(lost(at));
                }
                self.replies_outside(number, row, bits);
            }
        }
        let [asked, listed] = sweep.done();
        self.slices[at].places = [Places::of(asked), Places::of(listed)];
        Ok(())
    }

    /// The defender's pawn moves out of a slice that promote nothing and take pawns only.
    fn pushes(&mut self, key: &Key) -> Arc<[Pushed]> {
        let list = their_pushes(key).into_iter();
        list.map(|push| Pushed { slice: self.slice(&push.child), via: push.via }).collect()
    }

    /// The defender's moves out of a slice from a row's positions.
    fn replies_outside(&mut self, number: u32, row: usize, bits: u64) {
        let mut pushed = std::mem::take(&mut self.pushed);
        let loud = self.pushed(number, row, bits, &mut pushed);
        for &(slice, bits) in &pushed {
            self.slices[slice as usize].asked.push((row, bits));
        }
        self.pushed = pushed;
        for square in squares(loud) {
            self.replies(number, row, square).into_iter().for_each(|lead| self.ask_at(lead));
        }
    }

    /// The defender's pawn moves from a row's positions to what is won without a capture in passing:
    /// slices, and from which positions. Returned are those in which it leaves the slice otherwise.
    pub(super) fn pushed(
        &self,
        number: u32,
        row: usize,
        bits: u64,
        out: &mut Vec<(u32, u64)>,
    ) -> u64 {
        let Slice { inside, pushes, .. } = &self.slices[number as usize];
        out.clear();
        let mut loud = bits & inside.loud(row, false);
        for push in pushes.iter() {
            let bits = bits & !inside.with_man_on(row, push.via);
            let Some(slice) = push.slice else {
                loud |= bits;
                continue;
            };
            let child = &self.slices[slice as usize];
            let legal = bits & child.legal(row);
            let won = legal & !child.sets.open[row];
            loud |= legal & !won;
            if won != 0 {
                out.push((slice, won));
            }
        }
        loud
    }

    /// Where the defender's moves out of a slice lead from one position.
    pub(super) fn replies(&mut self, number: u32, row: usize, square: u8) -> Vec<Lead> {
        let key = self.slices[number as usize].key;
        let place = key.place(row, square, false);
        let mut list = Vec::new();
        moves::exits(&key, &place, &mut list);
        let mut board = None;
        let mut leads = Vec::new();
        for step in &list {
            let spot = match &step.goal {
                Goal::All([Some(spot), None, None]) => self.won(spot),
                _ => None,
            };
            leads.push(match spot {
                Some((slice, place)) => Lead::Slice(slice, place),
                None => {
                    let board = board.get_or_insert_with(|| key.board(&place, self.attacker));
                    self.lead(after(board, step, self.attacker))
                }
            });
        }
        leads
    }

    /// Answers positions of a row by moves out of the slice: to what is in the set already, or else to
    /// where the defender has the least left.
    fn leave(&mut self, number: u32, row: usize, bits: u64) -> Result<(), NotWritten> {
        let key = self.slices[number as usize].key;
        *self.slices[number as usize].by_exit.entry(row).or_default() |= bits;
        for square in squares(bits) {
            let place = key.place(row, square, true);
            let best = self.exits(&key, &place).into_iter().min_by_key(|exit| exit.merit);
            let Exit { step, spot, .. } =
                best.ok_or_else(|| not_won(&key.board(&place, self.attacker)))?;
            match spot {
                Some((slice, place)) => self.put_at(slice, &place),
                None => {
                    let board = key.board(&place, self.attacker);
                    self.put(after(&board, &step, self.attacker))?;
                }
            }
        }
        Ok(())
    }

    /// The attacker's moves out of a slice that win, those to lesser officers only where there are no
    /// others.
    pub(super) fn exits(&mut self, key: &Key, place: &Place) -> Vec<Exit> {
        let mut list = Vec::new();
        moves::exits(key, place, &mut list);
        let is_lesser = |step: &Step| step.promotion > Officer::Queen;
        let (lesser, usual): (Vec<Step>, Vec<Step>) = list.into_iter().partition(is_lesser);
        let exits: Vec<Exit> = usual.iter().filter_map(|step| self.exit(step)).collect();
        if exits.is_empty() {
            return lesser.iter().filter_map(|step| self.exit(step)).collect();
        }
        exits
    }

    fn exit(&mut self, step: &Step) -> Option<Exit> {
        let spot = match &step.goal {
            Goal::All([Some(spot), None, None]) => self.won(spot),
            Goal::Any(list) => list.iter().flatten().find_map(|spot| self.won(spot)),
            _ => None,
        };
        if spot.is_none() && !self.is_true(&step.goal) {
            return None;
        }
        let (there, exact) = spot.as_ref().map_or((false, true), |(number, place)| {
            let slice = &self.slices[*number as usize];
            let (row, bit) = slice.key.index(place);
            (slice.put.get(&row).is_some_and(|bits| bits & bit != 0), slice.exact)
        });
        Some(Exit { step: *step, spot, merit: (!there, exact, worst(&step.goal)) })
    }

    /// Whether a move out of a slice wins.
    fn is_true(&mut self, goal: &Goal) -> bool {
        let mut wins =
            |(key, place): &Spot| self.truth.of(key).is_some_and(|sets| sets.has(key, place));
        match goal {
            Goal::All(list) => list.iter().flatten().all(&mut wins),
            Goal::Any(list) => list.iter().flatten().any(&mut wins),
            Goal::Here(_) | Goal::Beyond => false,
        }
    }
}

/// A move out of a slice that wins.
pub(super) struct Exit {
    pub(super) step: Step,
    /// Where it leads; none where the pawn may be taken in passing, or no slice has a rank for it.
    pub(super) spot: Option<(u32, Place)>,
    /// The less the better: whether the strategy does not have it yet, whether a table knows it, what the
    /// defender has left.
    merit: (bool, bool, (usize, u32, usize)),
}

/// The men of a slice, and the steps that its pawns have left.
fn left(key: &Key) -> usize {
    let men = key.pawns().count_ones() + key.kind() as u32 + 2;
    let ours = squares(key.ours).map(|at| 7 - u32::from(at >> 3));
    let theirs = squares(key.theirs).map(|at| u32::from(at >> 3));
    (men + ours.chain(theirs).sum::<u32>()) as usize
}

/// The same of a board.
fn left_of(board: &Board) -> usize {
    use crate::chess::board::{BySide, Position as _};
    let men = board.chess().board();
    let steps = |side: Side| {
        let pawns = squares((men.pawns() & men.men_of(side)).0);
        pawns.map(move |at| u32::from(if side == Side::White { 7 - (at >> 3) } else { at >> 3 }))
    };
    let all = men.occupied().count() as u32;
    (all + Side::ALL.into_iter().flat_map(steps).sum::<u32>()) as usize
}

fn not_won(board: &Board) -> NotWritten {
    NotWritten::NotWon(fen(&board.vector()))
}
