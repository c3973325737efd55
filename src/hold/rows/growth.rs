//! A closed set grown on rows, one move of its owner for each position.
//!
//! A row that is reached gets moves by the order of the attempt: the best one for the squares of the
//! attacker's king for which it is not refuted, the next for what is left. Where none is left, the
//! holder is lost with the king there: the moves that led there are taken back, and those positions
//! choose again (a least fixpoint, run on the fly). When nothing that moves lead to waits any more,
//! the set is closed.
//!
//! Where the men keep to a region, what leads out of it is an exit: taken for held at first, for most of
//! what is reached on the way is taken back. Exits are decided when the set is closed but for them, as
//! many at a time as the outpost likes, in order at least until one is not held; what is not is lost, and the
//! growth goes on. So what is handed over rests on no exit that was not decided.
//!
//! Memory: see [`Rows`]; a row stands for up to 64 positions, mostly 15 to 30, and takes some 50 bytes
//! for each. Cost: some 150 ns for each move of a row that is made, and each row is looked at again
//! for squares that come later.
//!
//! # References
//! * X. Liu, S. A. Smolka, *Simple linear-time algorithms for minimal fixed points*, 1998 (local
//!   fixpoints).
//! * E. Bleicher, *Freezer*, 2003 (fortresses by regions of the men).

use super::super::growth::{Grown, Order};
use super::super::set_ups::SetUps;
use super::moves::Step;
use super::set::{Exit, Judged, Origin, Outpost, Play, Rows};
use super::stay::{Phase, Stay};
use crate::chess::board::{Board, BySide, Men, Position as _, Role, Sides};
use crate::chess::{Side, Turn};
use std::collections::VecDeque;

/// Whether all positions are such as rows have: without rights to castle or to take in passing.
pub fn has_rows(starts: &[Board]) -> bool {
    let may_castle = |board: &Board| Side::ALL.iter().any(|&s| board.chess().may_castle(s));
    starts.iter().all(|board| !board.has_mark() && !may_castle(board))
}

/// What an attempt to grow a set on rows allows.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    /// Positions in which the owner's balance of material, in pawns, is smaller are given up.
    pub floor: i32,
    /// How the owner chooses among the moves that are allowed.
    pub order: Order,
    /// Which of its moves are.
    pub stay: Stay,
    /// The number of rows at most.
    pub rows: usize,
    /// Whether the starts are held each for itself, not all together.
    pub each: bool,
}

/// Grows a set in which `owner` holds all of `starts`, positions with the owner to move that have
/// rows ([`has_rows`]), until it is closed, has failed, or is too large. Where starts are held each for
/// itself the set holds those that are in it.
///
/// # Errors
/// Those of the outpost.
pub fn grow_rows<O: Outpost>(
    root: &Board,
    owner: Side,
    starts: &[Board],
    terms: Terms,
    outpost: &mut O,
) -> Result<Grown, O::Error> {
    let men = root.chess().board();
    let mut growth = Growth {
        outpost,
        terms,
        rows: Rows::new(men.occupied().count(), owner, terms.floor),
        starts: Vec::new(),
        agenda: VecDeque::new(),
        news: Vec::new(),
        exits: Vec::new(),
        set_ups: SetUps::new(owner),
    };
    starts.iter().for_each(|start| growth.start(start));
    growth.run(root)
}

/// Positions that have turned out lost: in a row with the holder to move, or with the attacker.
enum News {
    Own(u32, u64),
    Other(u32, u64),
}

struct Growth<'a, O> {
    outpost: &'a mut O,
    terms: Terms,
    rows: Rows,
    /// The positions that must hold.
    starts: Vec<(u32, u64)>,
    /// Rows that may wait for moves, the newest last.
    agenda: VecDeque<u32>,
    news: Vec<News>,
    /// Rows with positions that are taken for held.
    exits: Vec<u32>,
    set_ups: SetUps,
}

/// A move with what is known of it.
struct Choice {
    step: Step,
    judged: Judged,
    set_up: u64,
    merit: f32,
}

impl Choice {
    /// How many of these positions are new after the move.
    fn fresh(&self, kings: u64) -> u32 {
        let Judged { kings: held, over, asked } = self.judged;
        (kings & held & !over & !asked).count_ones()
    }
}

impl<O: Outpost> Growth<'_, O> {
    fn start(&mut self, board: &Board) {
        let mut men = board.chess().board().clone();
        let king = men.king(self.rows.holder.other()).expect("a king");
        men.discard_piece_at(king);
        let id = self.rows.own(&men);
        let kings = 1 << king as u32;
        self.rows.own[id as usize].asked |= kings;
        self.starts.push((id, kings));
        self.wait(id);
    }

    fn wait(&mut self, id: u32) {
        let row = &mut self.rows.own[id as usize];
        if row.open() != 0 && !std::mem::replace(&mut row.waits, true) {
            self.agenda.push_back(id);
        }
    }

    fn run(mut self, root: &Board) -> Result<Grown, O::Error> {
        loop {
            while let Some(news) = self.news.pop() {
                match news {
                    News::Own(id, kings) => self.lost_before(id, kings),
                    News::Other(id, kings) => self.take_back(id, kings),
                }
            }
            if !self.has_starts() {
                return Ok(Grown::Failed);
            }
            let Some(id) = self.agenda.pop_back().or_else(|| self.again()) else {
                if self.decide_exits()? {
                    return Ok(Grown::Closed(Box::new(self.rows.strategy(root, &self.starts))));
                }
                continue;
            };
            self.rows.own[id as usize].waits = false;
            if self.rows.len() > self.terms.rows {
                return Ok(Grown::TooLarge);
            }
            let moves = self.choose(id)?;
            self.outpost.spent(moves, self.rows.bytes() + self.set_ups.bytes())?;
        }
    }

    /// Whether what must be held is not lost; of starts that are held each for itself those that are lost
    /// are given up.
    fn has_starts(&mut self) -> bool {
        let (own, before) = (&self.rows.own, self.starts.len());
        self.starts.retain(|(id, kings)| own[*id as usize].lost & kings == 0);
        if self.terms.each { !self.starts.is_empty() } else { self.starts.len() == before }
    }

    /// Positions of a row that wait for a move and that moves lead to.
    fn due(&self, id: u32) -> u64 {
        let open = self.rows.own[id as usize].open();
        let own = self.starts.iter().filter(|start| start.0 == id);
        let starts = own.fold(0, |all, start| all | start.1);
        if open & !starts == 0 { open } else { open & (starts | self.rows.wanted(id)) }
    }

    /// A row that waits although nobody has said so: it was not wanted for a while.
    fn again(&mut self) -> Option<u32> {
        for id in 0..self.rows.len() as u32 {
            if self.rows.own[id as usize].open() != 0 && self.due(id) != 0 {
                self.wait(id);
            }
        }
        self.agenda.pop_back()
    }

    /// The positions from which a move leads to what the holder has lost are lost too.
    fn lost_before(&mut self, id: u32, kings: u64) {
        for i in 0..self.rows.own[id as usize].origins.len() {
            let origin = self.rows.own[id as usize].origins[i];
            let from = &mut self.rows.other[origin.row() as usize];
            let new = origin.across(kings) & from.asked & !from.safe & !from.lost;
            if new != 0 {
                from.lost |= new;
                self.news.push(News::Other(origin.row(), new));
            }
        }
    }

    /// Moves that lead to what is lost are taken back.
    fn take_back(&mut self, id: u32, kings: u64) {
        self.rows.other[id as usize].wanted &= !kings;
        let origins = std::mem::take(&mut self.rows.other[id as usize].origins);
        let mut left = Vec::new();
        for from in origins {
            let row = &mut self.rows.own[from as usize];
            let (mut gone, mut stays) = (0, false);
            for play in row.plays.iter_mut().filter(|play| play.to == id) {
                gone |= play.kings & kings;
                play.kings &= !kings;
                stays |= play.kings != 0;
            }
            row.plays.retain(|play| play.kings != 0);
            row.settled &= !gone;
            if stays {
                left.push(from);
            }
            self.wait(from);
        }
        self.rows.other[id as usize].origins = left;
    }

    /// Positions that others hold without this set are settled. Where the men keep to a region, the
    /// set does not go on beyond it: the others are exits. What is left of those that are due.
    fn end_at_parts(&mut self, id: u32, men: &Men, due: u64) -> Result<u64, O::Error> {
        let own = &self.rows.own[id as usize];
        let (is_entry, new) = (own.is_entry, due & !own.parted);
        if new == 0 {
            return Ok(due);
        }
        let is_exit = is_entry && self.terms.stay.phase().is_some();
        let held = self.outpost.part(men, new, is_entry && !is_exit)? & new;
        let own = &mut self.rows.own[id as usize];
        own.parted |= new;
        own.settled |= held;
        let exits = if is_exit { new & !held } else { 0 };
        if exits != 0 {
            own.settled |= exits;
            own.assumed |= exits;
            self.exits.push(id);
        }
        Ok(due & !(held | exits))
    }

    /// Decides exits that the set leads to, as many as the outpost likes. Whether all are held. Where the set
    /// leads is found anew each time, which is not counted: up to a third of the time where many fail.
    fn decide_exits(&mut self) -> Result<bool, O::Error> {
        if self.exits.is_empty() {
            return Ok(true);
        }
        let reached = self.rows.reached(&self.starts);
        let asked_of = |id: &u32| self.rows.own[*id as usize].assumed & reached[*id as usize];
        let ids: Vec<u32> = self.exits.iter().copied().filter(|id| asked_of(id) != 0).collect();
        let asked: Vec<Exit> =
            ids.iter().map(|id| (self.rows.own_row(*id).men, asked_of(id))).collect();
        let decided = self.outpost.decide(&asked)?;
        let mut failed = decided.len() < asked.len();
        for ((id, (_, asked)), held) in ids.into_iter().zip(asked).zip(decided) {
            let lost = asked & !held;
            let own = &mut self.rows.own[id as usize];
            own.assumed &= !asked;
            own.settled &= !lost;
            self.lose(id, lost);
            failed |= lost != 0;
        }
        let own = &self.rows.own;
        self.exits.retain(|&id| own[id as usize].assumed != 0);
        Ok(!failed)
    }

    /// Gives the positions of a row that wait their moves; how many were made to do so.
    fn choose(&mut self, id: u32) -> Result<u64, O::Error> {
        let due = self.due(id);
        if due == 0 {
            return Ok(0);
        }
        let row = self.rows.own_row(id);
        let due = self.end_at_parts(id, &row.men, due)?;
        if due == 0 {
            return Ok(0);
        }
        let steps = row.holders(due);
        let mut made = steps.len() as u64;
        let stuck = due & !steps.iter().fold(0, |all, step| all | step.kings);
        let mated = if row.is_sure() { stuck & !row.unchecked() } else { stuck };
        self.rows.own[id as usize].settled |= stuck & !mated;
        let mut open = due & !stuck;
        let (stay, men) = (self.terms.stay, row.men.occupied().count());
        let allowed = steps.into_iter().filter(|s| stay.allows(s, s.men.occupied().count() < men));
        let choices: Vec<Choice> = allowed.filter_map(|step| self.rate(step)).collect();
        while open != 0 {
            let fitting = choices.iter().filter(|choice| choice.judged.kings & open != 0);
            let best = fitting.reduce(|a, b| if self.is_better(b, a, open) { b } else { a });
            let Some(choice) = best else { break };
            let kings = choice.judged.kings & open;
            open &= !kings;
            made += self.follow(id, choice, kings);
        }
        self.lose(id, mated | open);
        Ok(made)
    }

    fn lose(&mut self, id: u32, kings: u64) {
        if kings != 0 {
            self.rows.own[id as usize].lost |= kings;
            self.news.push(News::Own(id, kings));
        }
    }

    /// A move with what is known of it; none if it is refuted for every square of the king.
    fn rate(&mut self, step: Step) -> Option<Choice> {
        let mut judged = self.rows.judge(&step, self.outpost);
        if self.terms.stay.must_end(&step) {
            judged.kings &= judged.over;
        }
        let held = judged.kings != 0;
        let set_up = self.set_ups.of_men(&step.men, Turn::NONE);
        self.set_ups.see(set_up, held);
        let merit = if judged.over != 0 { f32::MAX } else { self.set_ups.merit(set_up) };
        held.then_some(Choice { step, judged, set_up, merit })
    }

    /// Whether a move is better than another for these squares of the king.
    fn is_better(&self, one: &Choice, than: &Choice, open: u64) -> bool {
        let fresh = |c: &Choice| c.fresh(open);
        let frugal = |c: &Choice| (fresh(c), c.step.zeroing);
        let by_merit = one.merit.total_cmp(&than.merit);
        match self.terms.order {
            Order::FewestReplies => frugal(one) < frugal(than),
            Order::Quiet => {
                let active = |c: &Choice| c.step.zeroing && c.merit < f32::MAX;
                let by_rest = active(than).cmp(&active(one));
                by_rest.then(by_merit).then(fresh(than).cmp(&fresh(one))).is_gt()
            }
            Order::Waiting => {
                let active = |c: &Choice| (c.step.zeroing, c.step.role != Role::King);
                let by_rest = active(than).cmp(&active(one));
                by_rest.then(fresh(than).cmp(&fresh(one))).is_gt()
            }
            Order::KnownSetUps => {
                let is_known = |c: &Choice| fresh(c) == 0;
                let by_known = is_known(one).cmp(&is_known(than));
                by_known.then(by_merit).then(frugal(than).cmp(&frugal(one))).is_gt()
            }
        }
    }

    /// Plays a move for these squares of the king, and takes in the replies; how many these are.
    fn follow(&mut self, id: u32, choice: &Choice, kings: u64) -> u64 {
        self.set_ups.choose(choice.set_up);
        let to = self.rows.other(&choice.step.men);
        let own = &mut self.rows.own[id as usize];
        own.settled |= kings;
        own.plays.push(Play { play: choice.step.play, to, kings });
        let other = &mut self.rows.other[to as usize];
        other.origins.push(id);
        let new = kings & !other.asked & !choice.judged.over;
        other.asked |= kings;
        other.wanted |= kings;
        if new == 0 { 0 } else { self.replies(to, new) }
    }

    /// Takes in the positions after the attacker's moves.
    fn replies(&mut self, from: u32, kings: u64) -> u64 {
        let row = self.rows.other_row(from);
        let (holder, phase) = (self.rows.holder, self.terms.stay.phase());
        let material = Phase::of(&row.men, holder).material;
        // A region ends with the phase that it was drawn in; else it matters that a man is taken.
        let is_entry = |men: &Men| {
            let now = Phase::of(men, holder);
            phase.map_or(now.material != material, |phase| now != phase)
        };
        let (by_king, by_men) = (row.of_king(kings), row.attackers(kings));
        for (men, to) in &by_king {
            self.reach(men, *to, Origin::by_king(from), is_entry(men));
        }
        for step in &by_men {
            let origin = Origin::by_man(from, step.kings);
            self.reach(&step.men, step.kings, origin, is_entry(&step.men));
        }
        (by_king.len() + by_men.len()) as u64
    }

    fn reach(&mut self, men: &Men, kings: u64, origin: Origin, is_entry: bool) {
        let id = self.rows.own(men);
        self.rows.own[id as usize].is_entry |= is_entry;
        self.rows.link(id, kings, origin);
        let lost = self.rows.own[id as usize].lost & kings;
        if lost != 0 {
            self.news.push(News::Own(id, lost));
        }
        self.wait(id);
    }
}
