//! A closed set grown from the root, one move of its owner for each position.
//!
//! A position that is reached gets a move by the order of the attempt. Where it is not certain that
//! the owner's moves hold, a position in which the owner turns out lost takes back the moves that
//! led to it (a least fixpoint, run on the fly). When no position waits for a move any more, the set
//! is closed.
//!
//! Memory: 8 bytes a position beside its packed position; where moves may be taken back about 160,
//! and 4 for each reply.
//!
//! # References
//! * X. Liu, S. A. Smolka, *Simple linear-time algorithms for minimal fixed points*, 1998 (local
//!   fixpoints).

use super::defence::{Defence, Sight};
use super::places::Places;
use super::set_ups::SetUps;
use crate::certificate::Strategy;
use crate::chess::board::{ChessMove, Role, move_of};
use crate::chess::{Board, Move, Side};
use std::collections::VecDeque;

/// How the owner chooses among the moves that are not refuted; the rest decides where that is the
/// same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The move that brings the fewest new positions: exchanges, then shuffling.
    FewestReplies,
    /// No capture and no pawn move while there are others: a blockade stays as it is.
    Quiet,
    /// The king's moves before all others: behind a wall it waits.
    Waiting,
    /// The move to the set-up of the owner's men that it has used most and that fails least: a
    /// fortress.
    KnownSetUps,
}

/// How an attempt ended.
#[derive(Debug)]
pub enum Grown {
    /// The set is closed.
    Closed(Box<Strategy>),
    /// Every choice allowed has failed.
    Failed,
    /// The set has outgrown its limit.
    TooLarge,
}

/// Grows a set in which the owner holds all of `starts`, positions with the owner to move, until it
/// is closed, has failed, or has more than `limit` positions.
///
/// # Errors
/// Those of the defence.
pub fn grow<D: Defence>(
    root: &Board,
    owner: Side,
    starts: &[Board],
    defence: &mut D,
    order: Order,
    limit: usize,
) -> Result<Grown, D::Error> {
    let mut growth = Growth {
        defence,
        owner,
        order,
        places: Places::new(root, owner, D::CERTAIN),
        states: Vec::new(),
        plays: Vec::new(),
        links: Vec::new(),
        roots: Vec::new(),
        agenda: VecDeque::new(),
        lost: Vec::new(),
        set_ups: SetUps::new(owner),
    };
    growth.roots = starts.iter().map(|board| growth.number(board)).collect();
    growth.run(root, limit)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Waits for a move.
    Open,
    /// Has its move.
    Chosen,
    /// Holds without a move of the set.
    Safe,
    /// Lost or given up.
    Lost,
}

/// What a move that may be taken back is tied to.
#[derive(Debug, Default)]
struct Links {
    /// The positions after the opponent's replies to the move.
    next: Box<[u32]>,
    /// Positions whose move leads here (some may have chosen again since).
    from: Vec<u32>,
}

struct Growth<'a, D> {
    defence: &'a mut D,
    owner: Side,
    order: Order,
    places: Places,
    states: Vec<State>,
    plays: Vec<Option<Move>>,
    /// Empty where the moves are certain to hold.
    links: Vec<Links>,
    /// The positions that must all hold.
    roots: Vec<u32>,
    /// Positions that may wait for a move.
    agenda: VecDeque<u32>,
    /// Lost positions whose predecessors have not chosen again.
    lost: Vec<u32>,
    set_ups: SetUps,
}

/// A move that is not refuted.
struct Choice {
    play: ChessMove,
    next: Board,
    /// The owner needs no more moves after it.
    over: bool,
    /// The set-up after it, where that counts.
    set_up: Option<u64>,
    /// How many of the positions after the replies are new, where that counts.
    fresh: usize,
}

impl<D: Defence> Growth<'_, D> {
    /// The number of a position with the owner to move. A new one is looked at and, unless that
    /// decides it, waits for a move.
    fn number(&mut self, board: &Board) -> u32 {
        let (id, new) = self.places.insert(board);
        if new {
            let sight = if D::CERTAIN { Sight::Open } else { self.defence.sight(board) };
            self.plays.push(None);
            self.states.push(match sight {
                Sight::Held => State::Safe,
                Sight::Lost => State::Lost,
                Sight::Open => State::Open,
            });
            if !D::CERTAIN {
                self.links.push(Links::default());
            }
            if sight == Sight::Open {
                self.agenda.push_back(id);
            }
        }
        id
    }

    /// About the bytes held.
    fn bytes(&self) -> u64 {
        let each = size_of::<Option<Move>>() + size_of::<u32>();
        let answers =
            if D::CERTAIN { self.plays.capacity() * each } else { self.plays.len() * 160 };
        self.places.bytes() + self.set_ups.bytes() + answers as u64
    }

    fn run(mut self, root: &Board, limit: usize) -> Result<Grown, D::Error> {
        loop {
            // First the moves that lead to lost positions are taken back.
            if !self.take_back(limit)? {
                return Ok(Grown::TooLarge);
            }
            if self.roots.iter().any(|&id| self.state(id) == State::Lost) {
                return Ok(Grown::Failed);
            }
            // Then a position that still waits, and that moves still lead to, gets its move.
            let Some(id) = self.next() else {
                return Ok(Grown::Closed(Box::new(self.strategy(root))));
            };
            if self.state(id) != State::Open || !self.is_wanted(id) {
                continue;
            }
            if self.places.len() > limit {
                return Ok(Grown::TooLarge);
            }
            self.choose(id)?;
        }
    }

    fn state(&self, id: u32) -> State {
        self.states[id as usize]
    }

    /// A position that may wait for a move: the newest, so that lines are followed to their ends.
    /// Only where certain moves are to bring few positions the oldest: then sets stay small.
    fn next(&mut self) -> Option<u32> {
        if D::CERTAIN && self.order == Order::FewestReplies {
            return self.agenda.pop_front();
        }
        let newest = self.agenda.pop_back();
        if D::CERTAIN { newest } else { newest.or_else(|| self.next_open()) }
    }

    /// An open position that can be reached.
    fn next_open(&mut self) -> Option<u32> {
        let open = |&id: &u32| self.state(id) == State::Open;
        let waiting: Vec<u32> = self.reached().into_iter().filter(open).collect();
        self.agenda.extend(waiting);
        self.agenda.pop_back()
    }

    /// Whether some move that still stands leads to a position.
    fn is_wanted(&self, id: u32) -> bool {
        let leads_here =
            |&p: &u32| self.state(p) == State::Chosen && self.links[p as usize].next.contains(&id);
        D::CERTAIN
            || self.roots.contains(&id)
            || self.links[id as usize].from.iter().any(leads_here)
    }

    /// The positions that can be reached from the roots by the moves chosen.
    fn reached(&self) -> Vec<u32> {
        let mut seen = vec![false; self.states.len()];
        let mut stack = self.roots.clone();
        let mut list = Vec::new();
        while let Some(id) = stack.pop() {
            if !std::mem::replace(&mut seen[id as usize], true) {
                list.push(id);
                stack.extend_from_slice(&self.links[id as usize].next);
            }
        }
        list
    }

    /// The closed set.
    fn strategy(self, root: &Board) -> Strategy {
        if D::CERTAIN {
            return self.places.strategy(root, self.plays);
        }
        let reached = self.reached().into_iter();
        let chosen =
            reached.filter_map(|id| Some((self.places.packed(id), self.plays[id as usize]?)));
        Strategy::holding(root, self.owner, chosen)
    }

    /// Positions whose move leads to a lost one choose again. That looks at new positions, lost
    /// ones above all: whether they have not outgrown the set.
    fn take_back(&mut self, limit: usize) -> Result<bool, D::Error> {
        while let Some(id) = self.lost.pop() {
            for p in std::mem::take(&mut self.links[id as usize].from) {
                let stands = self.state(p) == State::Chosen;
                if stands && self.links[p as usize].next.contains(&id) {
                    if self.places.len() > limit.saturating_mul(4) {
                        return Ok(false);
                    }
                    self.choose(p)?;
                }
            }
        }
        Ok(true)
    }

    /// Gives a position a move; without one it is a stalemate where all legal moves hold, and lost
    /// otherwise.
    fn choose(&mut self, id: u32) -> Result<(), D::Error> {
        let board = self.places.board(id);
        let (state, play, next) = match self.best(&board)? {
            Some(choice) => {
                if let Some(set_up) = choice.set_up {
                    self.set_ups.choose(set_up);
                }
                let next = self.follow(id, &choice);
                (State::Chosen, Some(move_of(&choice.play)), next)
            }
            None if D::CERTAIN => (State::Safe, None, Box::default()),
            None => {
                self.lost.push(id);
                (State::Lost, None, Box::default())
            }
        };
        (self.states[id as usize], self.plays[id as usize]) = (state, play);
        if !D::CERTAIN {
            self.links[id as usize].next = next;
        }
        Ok(())
    }

    /// Takes in the positions after the replies to a move, and ties them to it.
    fn follow(&mut self, id: u32, choice: &Choice) -> Box<[u32]> {
        let replies = if choice.over { Vec::new() } else { self.defence.replies(&choice.next) };
        let next: Box<[u32]> = replies.iter().map(|board| self.number(board)).collect();
        if !D::CERTAIN {
            for &reply in &next {
                self.links[reply as usize].from.push(id);
                // New positions that turn out lost are seen here again.
                if self.state(reply) == State::Lost && self.lost.last() != Some(&reply) {
                    self.lost.push(reply);
                }
            }
        }
        next
    }

    /// The move that suits the order best; none when all are refuted.
    fn best(&mut self, board: &Board) -> Result<Option<Choice>, D::Error> {
        let by_set_ups = self.order == Order::KnownSetUps;
        let (mut best, mut certain) = (None, Vec::new());
        let bytes = self.bytes();
        for (play, held) in self.defence.options(board, bytes)? {
            let next = board.after(play);
            let over = held && self.defence.is_over(&next);
            if D::CERTAIN && over {
                return Ok(Some(Choice { play, next, over, set_up: None, fresh: 0 }));
            }
            let fresh = if held && !over { self.fresh(&next) } else { held.then_some(0) };
            let set_up = by_set_ups.then(|| self.set_ups.key(&next));
            if let Some(set_up) = set_up {
                self.set_ups.see(set_up, fresh.is_some());
            }
            let Some(fresh) = fresh else { continue };
            let choice = Choice { play, next, over, set_up, fresh };
            if D::CERTAIN {
                certain.push(choice);
            } else if best.as_ref().is_none_or(|b| self.is_better(&choice, b)) {
                best = Some(choice);
            }
        }
        // Certain moves are compared when all set-ups have been seen.
        for choice in certain {
            if best.as_ref().is_none_or(|b| self.is_better(&choice, b)) {
                best = Some(choice);
            }
        }
        Ok(best)
    }

    /// How many of the positions after the replies are new, 0 where that does not count; none if
    /// the owner is lost in one of them.
    fn fresh(&self, next: &Board) -> Option<usize> {
        if D::CERTAIN && self.order == Order::KnownSetUps {
            return Some(0);
        }
        let replies = self.defence.replies(next);
        let mut fresh = 0;
        let mut refuted = !D::CERTAIN && !replies.is_empty() && self.defence.is_lost(next);
        for reply in &replies {
            match self.places.get(reply) {
                Some(known) => refuted |= self.state(known) == State::Lost,
                None => fresh += 1,
            }
        }
        (!refuted).then_some(fresh)
    }

    fn is_better(&self, one: &Choice, other: &Choice) -> bool {
        let zeroing = |c: &Choice| c.play.is_zeroing();
        let frugal = |c: &Choice| (c.fresh, zeroing(c));
        let waiting = |c: &Choice| (zeroing(c), c.play.role() != Role::King, c.fresh);
        let merit = |c: &Choice| c.set_up.map_or(0.0, |set_up| self.set_ups.merit(set_up));
        let merit_or_end = |c: &Choice| {
            if c.over || c.next.legal_moves().is_empty() { f32::MAX } else { merit(c) }
        };
        match self.order {
            // Among certain moves that are alike the first is played, among set-ups the last.
            Order::FewestReplies if D::CERTAIN => one.fresh < other.fresh,
            Order::KnownSetUps if D::CERTAIN => merit(one).total_cmp(&merit(other)).is_ge(),
            Order::FewestReplies => frugal(one) < frugal(other),
            Order::Quiet => (zeroing(one), one.fresh) < (zeroing(other), other.fresh),
            Order::Waiting => waiting(one) < waiting(other),
            Order::KnownSetUps => {
                let by_merit = merit_or_end(one).total_cmp(&merit_or_end(other));
                by_merit.then(frugal(other).cmp(&frugal(one))).is_gt()
            }
        }
    }
}
