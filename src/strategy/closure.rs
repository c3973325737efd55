//! A small closed set by proof search: every safe move can be completed to a closed set, so only its cost is in question.
//!
//! A position's cost is how many positions are left to be answered below it: the least over the owner's moves, the sum
//! over the replies; 1 for a position not looked at yet, 0 for one that is answered, that stands on the path (going in
//! circles is holding) or in which the owner cannot be mated any more. Depth-first with thresholds, this follows
//! checks, captures and exchanges first, as they leave few replies.
//!
//! An answered position may rest on the path on which it was found. So the set is collected from the root afterwards,
//! and what turns out to be unanswered then is searched again: the set that is handed over is closed by itself.
//!
//! # References
//! * A. Nagai, *Df-pn algorithm for searching AND/OR trees and its applications*, 2002 (thresholds).

use super::Strategy;
use super::build::BuildError;
use super::hold::{Places, Task};
use crate::chess::board::ChessMove;
use crate::chess::{Board, Move};

/// Of the owner's moves only so many are looked at: those that leave the fewest replies.
const WIDTH: usize = 6;
/// Longer lines are given up, so that the stack stays small.
const LONGEST: usize = 200;
const HOPELESS: u32 = 1 << 24;

/// A holding strategy, unless the search takes more than `limit` positions.
pub(super) fn close<P, E: From<BuildError>>(task: &mut Task<P>, limit: usize) -> Result<Option<Strategy>, E>
where
    P: FnMut(&Board) -> Result<Vec<Move>, E>,
{
    let seen = Places::new(task.root, task.owner);
    let mut closure = Closure { task, seen, cost: Vec::new(), best: Vec::new(), path: Vec::new(), left: limit };
    let mut set = Places::new(closure.task.root, closure.task.owner);
    let mut plays = Vec::new();
    let mut agenda = closure.task.starts();
    while let Some(board) = agenda.pop() {
        if !set.insert(&board).1 {
            continue;
        }
        let id = closure.number(&board);
        if closure.cost[id as usize] != 0 && closure.search(id, HOPELESS)? != 0 {
            return Ok(None);
        }
        // The image that was met first in the search, so that its answer fits.
        let board = closure.seen.board(id);
        let play = closure.best[id as usize];
        plays.push((id, play));
        if let Some(play) = play {
            let next = board.after(play);
            if !closure.task.is_over(&next) {
                agenda.extend(closure.task.replies(&next));
            }
        }
    }
    let root = closure.task.root;
    let mut kept = Places::new(root, closure.task.owner);
    for &(id, _) in &plays {
        kept.insert(&closure.seen.board(id));
    }
    Ok(Some(kept.strategy(root, plays.into_iter().map(|(_, play)| play))))
}

/// A move that may be played, and the positions that it leaves to be answered.
struct Try {
    play: ChessMove,
    left: Vec<u32>,
}

struct Closure<'a, 'b, P> {
    task: &'a mut Task<'b, P>,
    seen: Places,
    cost: Vec<u32>,
    best: Vec<Option<ChessMove>>,
    path: Vec<u32>,
    /// Positions that may still be searched.
    left: usize,
}

impl<P> Closure<'_, '_, P> {
    fn number(&mut self, board: &Board) -> u32 {
        let (id, new) = self.seen.insert(board);
        if new {
            self.cost.push(1);
            self.best.push(None);
        }
        id
    }

    /// Searches a position until its cost is 0 or reaches the limit; its cost.
    fn search<E: From<BuildError>>(&mut self, id: u32, limit: u32) -> Result<u32, E>
    where
        P: FnMut(&Board) -> Result<Vec<Move>, E>,
    {
        self.left = self.left.saturating_sub(1);
        self.path.push(id);
        let mut options = self.expand(id)?;
        let cost = loop {
            let Some((at, least, second)) = self.cheapest(&options) else { break 0 };
            self.best[id as usize] = Some(options[at].play);
            if least == 0 || least >= limit || self.left == 0 || self.path.len() >= LONGEST {
                break least;
            }
            let left = &mut options[at].left;
            left.retain(|&reply| self.cost[reply as usize] > 0);
            // The dearest first: if it is too dear, the others need not be searched.
            let &reply = left.iter().max_by_key(|&&reply| self.cost[reply as usize]).expect("the cost is not 0");
            let others = least - self.cost[reply as usize];
            let share = limit.min(second.saturating_add(1 + second / 4)).saturating_sub(others).max(2);
            self.search(reply, share)?;
        };
        self.path.pop();
        self.cost[id as usize] = cost;
        Ok(cost)
    }

    /// The cheapest move, its cost, and that of the second.
    fn cheapest(&self, options: &[Try]) -> Option<(usize, u32, u32)> {
        let cost = |o: &Try| o.left.iter().fold(0, |sum: u32, &id| sum.saturating_add(self.cost[id as usize]));
        let (mut at, mut least, mut second) = (None, HOPELESS, HOPELESS);
        for (i, option) in options.iter().enumerate() {
            let cost = cost(option).min(HOPELESS - 1);
            if cost < least {
                (at, least, second) = (Some(i), cost, least);
            } else {
                second = second.min(cost);
            }
        }
        at.map(|at| (at, least, second))
    }

    /// The moves to look at; none when stalemated.
    fn expand<E: From<BuildError>>(&mut self, id: u32) -> Result<Vec<Try>, E>
    where
        P: FnMut(&Board) -> Result<Vec<Move>, E>,
    {
        let board = self.seen.board(id);
        let bytes = self.seen.bytes() + (self.cost.capacity() * (4 + size_of::<Option<ChessMove>>())) as u64;
        let moves = self.task.moves(&board, bytes)?;
        let mut next: Vec<(usize, ChessMove, Board)> = Vec::with_capacity(moves.len());
        for (play, _) in moves.into_iter().filter(|(_, safe)| *safe) {
            let after = board.after(play);
            if self.task.is_over(&after) {
                return Ok(vec![Try { play, left: Vec::new() }]);
            }
            next.push((after.legal_moves().len(), play, after));
        }
        next.sort_by_key(|(replies, ..)| *replies);
        next.truncate(WIDTH);
        let mut options = Vec::with_capacity(next.len());
        for (_, play, after) in next {
            let mut left = Vec::new();
            let replies: Vec<Board> = self.task.replies(&after).collect();
            for reply in replies {
                let id = self.number(&reply);
                if self.cost[id as usize] != 0 && !self.path.contains(&id) && !left.contains(&id) {
                    left.push(id);
                }
            }
            if left.is_empty() {
                return Ok(vec![Try { play, left }]);
            }
            options.push(Try { play, left });
        }
        Ok(options)
    }
}
