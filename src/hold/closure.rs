//! A small closed set by proof search.
//!
//! A position's cost is how many positions are left to be answered below it: the least over the
//! owner's moves, the sum over the replies; 1 for a position not looked at yet, 0 for one that is
//! answered, that stands on the path (going in circles is holding) or in which the owner cannot be
//! mated any more; hopeless where the owner is lost. Depth-first with thresholds, this follows
//! checks, captures and exchanges first, as they leave few replies.
//!
//! A position that goes back to the path is answered only if the path is. Each answer knows the
//! highest place of the path that it rests on; it becomes final with the answer of that place, and
//! is taken back when some place between fails. So the set that is handed over is closed by itself,
//! although cycles are cut where they are met.
//!
//! # References
//! * A. Nagai, *Df-pn algorithm for searching AND/OR trees and its applications*, 2002
//!   (thresholds).
//! * R. E. Tarjan, *Depth-first search and linear graph algorithms*, 1972 (the highest place
//!   reached).
//! * X. Liu, S. A. Smolka, *Simple linear-time algorithms for minimal fixed points*, 1998 (local
//!   fixpoints).

use super::defence::{Defence, Sight};
use super::places::Places;
use crate::certificate::Strategy;
use crate::chess::board::{ChessMove, move_of};
use crate::chess::{Board, Move, Side};

/// Of the owner's moves only so many are looked at: those that leave the fewest replies.
const WIDTH: usize = 6;
/// Longer lines are given up, so that the stack stays small.
const LONGEST: usize = 200;
const HOPELESS: u32 = 1 << 24;
/// The place of an answer that rests on no path.
const FINAL: u32 = u32::MAX;

/// A strategy of `owner` that holds in `starts` by the rules of a defence, unless the search takes
/// more than `limit` positions. Positions that the rules call held have no answer in it. Cost:
/// `limit` times a few move generations; about 40 bytes for each of a few dozen positions seen from
/// every position searched, and some 500 for its moves.
///
/// # Errors
/// Those of the defence.
pub fn close<D: Defence>(
    root: &Board,
    owner: Side,
    starts: &[Board],
    defence: &mut D,
    limit: usize,
) -> Result<Option<Strategy>, D::Error> {
    let seen = Places::new(root, owner, true);
    let mut closure = Closure {
        defence,
        seen,
        nodes: Vec::new(),
        path: Vec::new(),
        answered: Vec::new(),
        left: limit,
        kept: Vec::new(),
        replies: Vec::new(),
    };
    for start in starts {
        let id = closure.number(start);
        while closure.node(id).cost != 0 {
            closure.search(id, HOPELESS)?;
            if closure.left == 0 || closure.node(id).cost >= HOPELESS {
                return Ok(None);
            }
        }
    }
    Ok(Some(closure.collect(root, owner, starts)))
}

/// No moves are kept.
const NONE: u32 = u32::MAX;

/// A position of the owner's. 24 bytes.
struct Node {
    cost: u32,
    /// Of an answered position: the highest place of the path that it rests on, or [`FINAL`]. Of
    /// one on the path: its place.
    place: u32,
    on_path: bool,
    /// Whether the rules call it held: it needs no answer.
    held: bool,
    /// Whether nothing need be answered after its best move. (What a defence knows may be more when it is
    /// asked again, or less while others ask it.)
    over: bool,
    /// How many moves are kept, from which on; whether there were more than those.
    moves: u8,
    is_cut: bool,
    first: u32,
    best: Option<Move>,
}

/// A move that may be played, and the positions that it leaves to be answered.
struct Try {
    play: ChessMove,
    left: Vec<u32>,
    /// Whether the owner needs no more moves after it.
    over: bool,
    /// The highest place that the answers to the others rest on.
    place: u32,
}

/// A move that was looked at, and all positions after the replies: so many, from one on.
struct Kept {
    play: ChessMove,
    first: u32,
    replies: u8,
}

struct Closure<'a, D> {
    defence: &'a mut D,
    seen: Places,
    nodes: Vec<Node>,
    path: Vec<u32>,
    /// Answered positions that rest on the path, in the order of their answers.
    answered: Vec<u32>,
    /// Positions that may still be searched.
    left: usize,
    /// The moves of positions that were searched, and what they lead to: many are searched again.
    kept: Vec<Kept>,
    replies: Vec<u32>,
}

impl<D: Defence> Closure<'_, D> {
    fn node(&self, id: u32) -> &Node {
        &self.nodes[id as usize]
    }

    fn number(&mut self, board: &Board) -> u32 {
        let (id, new) = self.seen.insert(board);
        if new {
            let sight = self.defence.sight(board);
            let cost = match sight {
                Sight::Held => 0,
                Sight::Lost => HOPELESS,
                Sight::Open => 1,
            };
            let held = sight == Sight::Held;
            self.nodes.push(Node {
                cost,
                place: FINAL,
                on_path: false,
                held,
                over: false,
                moves: 0,
                is_cut: false,
                first: NONE,
                best: None,
            });
        }
        id
    }

    /// Searches a position until its cost is 0 or reaches the limit.
    fn search(&mut self, id: u32, limit: u32) -> Result<(), D::Error> {
        self.left = self.left.saturating_sub(1);
        let (place, since) = (self.path.len() as u32, self.answered.len());
        self.path.push(id);
        let node = &mut self.nodes[id as usize];
        (node.on_path, node.place) = (true, place);
        let (cost, rests_on) = self.decide(id, limit)?;
        self.path.pop();
        let node = &mut self.nodes[id as usize];
        (node.on_path, node.cost, node.place) = (false, cost, FINAL);
        if cost == 0 {
            self.answer(id, rests_on, since);
        } else {
            for taken_back in self.answered.drain(since..) {
                let node = &mut self.nodes[taken_back as usize];
                (node.cost, node.place) = (1, FINAL);
            }
        }
        Ok(())
    }

    /// A position at the end of the path is answered; the answers `since` it was entered may rest
    /// on it.
    fn answer(&mut self, id: u32, rests_on: u32, since: usize) {
        let own = self.path.len() as u32;
        if rests_on < own {
            self.answered.push(id);
            for &other in &self.answered[since..] {
                let node = &mut self.nodes[other as usize];
                node.place = node.place.min(rests_on);
            }
            return;
        }
        let nodes = &mut self.nodes;
        let mut kept = since;
        for at in since..self.answered.len() {
            let other = self.answered[at];
            if nodes[other as usize].place < own {
                self.answered[kept] = other;
                kept += 1;
            } else {
                nodes[other as usize].place = FINAL;
            }
        }
        self.answered.truncate(kept);
    }

    /// The cost of the position at the end of the path, at least `limit` if not 0; and the highest
    /// place that an answer rests on.
    fn decide(&mut self, id: u32, limit: u32) -> Result<(u32, u32), D::Error> {
        let tries = match self.again(id) {
            Some(tries) => Some(tries),
            None => self.expand(id)?,
        };
        let Some(mut tries) = tries else { return Ok((0, FINAL)) };
        loop {
            let (at, least, second) = self.cheapest(&mut tries);
            if least >= HOPELESS {
                return Ok((HOPELESS, FINAL));
            }
            let node = &mut self.nodes[id as usize];
            (node.best, node.over) = (Some(move_of(&tries[at].play)), tries[at].over);
            if least == 0 {
                return Ok((0, tries[at].place));
            }
            if least >= limit || self.left == 0 || self.path.len() >= LONGEST {
                return Ok((least.max(limit.min(HOPELESS - 1)), FINAL));
            }
            // The dearest first: if it is too dear, the others need not be searched.
            let left = &tries[at].left;
            let &reply =
                left.iter().max_by_key(|&&reply| self.node(reply).cost).expect("the cost is not 0");
            let others = least - self.node(reply).cost;
            let share =
                limit.min(second.saturating_add(1 + second / 4)).saturating_sub(others).max(2);
            self.search(reply, share)?;
        }
    }

    /// Forgets what is answered; the cheapest move, its cost, and that of the second.
    fn cheapest(&self, tries: &mut [Try]) -> (usize, u32, u32) {
        let (mut at, mut least, mut second) = (0, HOPELESS, HOPELESS);
        for (i, option) in tries.iter_mut().enumerate() {
            let mut cost = 0_u32;
            option.left.retain(|&id| {
                let node = self.node(id);
                cost = cost.saturating_add(node.cost);
                if node.cost == 0 {
                    option.place = option.place.min(node.place);
                }
                node.cost != 0
            });
            if cost < least {
                (at, least, second) = (i, cost, least);
            } else {
                second = second.min(cost);
            }
        }
        (at, least, second)
    }

    /// The moves that were looked at before; none if there are none, or if others come in the place of one
    /// that is hopeless now.
    fn again(&self, id: u32) -> Option<Vec<Try>> {
        let node = self.node(id);
        if node.first == NONE {
            return None;
        }
        let first = node.first as usize;
        let mut tries = Vec::with_capacity(WIDTH);
        for kept in &self.kept[first..first + usize::from(node.moves)] {
            match self.left_after(kept) {
                Some(option) => tries.push(option),
                None if node.is_cut => return None,
                None => {}
            }
        }
        Some(tries)
    }

    /// The moves to look at; none when stalemated.
    fn expand(&mut self, id: u32) -> Result<Option<Vec<Try>>, D::Error> {
        let board = self.seen.board(id);
        let bytes = self.seen.bytes()
            + (self.nodes.capacity() * size_of::<Node>()) as u64
            + (self.kept.capacity() * size_of::<Kept>() + self.replies.capacity() * 4) as u64;
        let legal = self.defence.options(&board, bytes)?;
        if legal.is_empty() {
            return Ok(if board.in_check() { Some(Vec::new()) } else { None });
        }
        let mut next = Vec::with_capacity(legal.len());
        for (play, _) in legal.into_iter().filter(|&(_, held)| held) {
            let after = board.after(play);
            match self.defence.sight_after(&after) {
                Sight::Lost => {}
                Sight::Held => {
                    let none = Vec::new();
                    return Ok(Some(vec![Try { play, left: none, over: true, place: FINAL }]));
                }
                Sight::Open => next.push((play, after.legal_moves(), after)),
            }
        }
        next.sort_by_key(|(_, replies, _)| replies.len());
        let (first, mut tries) = (self.kept.len(), Vec::with_capacity(WIDTH));
        let mut moves = next.into_iter();
        for (play, replies, after) in moves.by_ref() {
            let boards = replies.into_iter().map(|reply| after.after(reply));
            if let Some(option) = self.option(play, boards) {
                tries.push(option);
                if tries.len() == WIDTH {
                    break;
                }
            }
        }
        let node = &mut self.nodes[id as usize];
        (node.first, node.moves) = (first as u32, tries.len() as u8);
        node.is_cut = moves.len() > 0;
        Ok(Some(tries))
    }

    /// A move with what it leaves to be answered, unless that is hopeless; it is kept.
    fn option(&mut self, play: ChessMove, after: impl Iterator<Item = Board>) -> Option<Try> {
        let first = self.replies.len();
        for reply in after {
            let id = self.number(&reply);
            if self.node(id).cost >= HOPELESS {
                self.replies.truncate(first);
                return None;
            }
            if !self.replies[first..].contains(&id) {
                self.replies.push(id);
            }
        }
        let replies = (self.replies.len() - first) as u8;
        self.kept.push(Kept { play, first: first as u32, replies });
        self.left_after(self.kept.last().expect("just kept"))
    }

    /// A move that is kept with what it leaves to be answered now, unless that is hopeless.
    fn left_after(&self, kept: &Kept) -> Option<Try> {
        let mut option = Try { play: kept.play, left: Vec::new(), over: false, place: FINAL };
        let first = kept.first as usize;
        for &id in &self.replies[first..first + usize::from(kept.replies)] {
            let node = self.node(id);
            if node.cost >= HOPELESS {
                return None;
            }
            if node.on_path || node.cost == 0 {
                option.place = option.place.min(node.place);
            } else {
                option.left.push(id);
            }
        }
        Some(option)
    }

    /// The answers that can be reached from the starts.
    fn collect(&self, root: &Board, owner: Side, starts: &[Board]) -> Strategy {
        let mut set = Places::new(root, owner, true);
        let mut plays = Vec::new();
        let mut agenda: Vec<Board> = starts.to_vec();
        while let Some(board) = agenda.pop() {
            let id = self.seen.get(&board).expect("an answered position was seen");
            let board = self.seen.board(id);
            let &Node { held, over, best, .. } = self.node(id);
            if held || !set.insert(&board).1 {
                continue;
            }
            plays.push(best);
            let legal = best.filter(|_| !over).and_then(|m| board.find(m));
            if let Some(legal) = legal {
                agenda.extend(board.after(legal).successors());
            }
        }
        set.strategy(root, plays)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Packed;
    use hashbrown::HashSet;
    use std::cell::RefCell;
    use std::convert::Infallible;

    /// Knows some positions the first time that it is asked about them, and never again.
    #[derive(Default)]
    struct Forgets {
        asked: RefCell<HashSet<Packed>>,
        told: RefCell<[usize; 2]>,
    }

    impl Forgets {
        fn knows(&self, board: &Board, what: usize) -> bool {
            let p = board.packed();
            let known = p.occupied.is_multiple_of(3) && self.asked.borrow_mut().insert(p);
            self.told.borrow_mut()[what] += usize::from(known);
            known
        }
    }

    impl Defence for Forgets {
        type Error = Infallible;
        const CERTAIN: bool = false;

        fn sight(&self, board: &Board) -> Sight {
            if self.knows(board, 0) { Sight::Held } else { Sight::Open }
        }

        fn is_over(&self, board: &Board) -> bool {
            self.knows(board, 1)
        }

        fn is_lost(&self, _: &Board) -> bool {
            false
        }

        fn options(&mut self, board: &Board, _: u64) -> Result<Vec<(ChessMove, bool)>, Infallible> {
            Ok(board.legal_moves().into_iter().map(|m| (m, true)).collect())
        }
    }

    #[test]
    fn what_is_known_once_is_known_to_the_end() {
        let mut told = [0; 2];
        for fen in ["8/8/8/4k3/8/8/4K3/7R w - -", "8/8/8/2k5/8/3P4/3K4/r7 w - -"] {
            let root = Board::from_fen(fen).unwrap();
            let mut defence = Forgets::default();
            let set = close(&root, Side::White, std::slice::from_ref(&root), &mut defence, 2000);
            let Ok(Some(set)) = set else { panic!("{fen}: not closed") };
            for (p, answer) in set.iter() {
                let board = Board::of_legal(&p);
                assert!(answer.play.is_some() || board.legal_moves().is_empty(), "{board:?}");
            }
            let now = defence.told.into_inner();
            told = [0, 1].map(|what| told[what] + now[what]);
        }
        assert!(told.iter().all(|&told| told > 0), "{told:?}");
    }
}
