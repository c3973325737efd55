//! Direct mate within a number of plies: depth-first search of the AND/OR tree, shortest first.
//!
//! Positions are searched with the number of plies left, so there are no cycles and every bound
//! that is stored holds for the position itself. Checks are tried first, in the order of the
//! replies they leave; the defender tries the move that refuted the attacker's last try.
//!
//! # References
//! * D. E. Knuth, R. W. Moore, *An analysis of alpha-beta pruning*, 1975.
//! * S. G. Akl, M. M. Newborn, *The principal continuation and the killer heuristic*, 1977.

use super::bounds::{Bounds, Known};
use super::checks::{Checks, has_more_flights, mate_in_one};
use super::crew::Crew;
use super::meter::{Halt, Meter};
use super::node::Node;
use crate::chess::board::{ChessMove, Position};

/// With so many plies left threads that share a search keep apart: below, marks cost more than what
/// is done twice.
const SHARED: u16 = 5;

/// A search for mates, with what it has learned so far.
pub(super) struct MateSearch {
    /// The flights that the attacker may leave, as [`Task::flights`](super::task::Task).
    flights: Option<u8>,
    /// By plies left: the defender's last refutation.
    killers: Vec<Option<ChessMove>>,
    /// Defender's refutations by from and to square.
    history: Vec<u32>,
}

fn from_to(m: ChessMove) -> usize {
    m.from().map_or(0, |s| s as usize) * 64 + m.to() as usize
}

/// Where bounds are kept and work is counted.
pub(super) struct Desk<'a, 'b> {
    pub(super) bounds: &'a mut Bounds,
    pub(super) meter: &'a mut Meter<'b>,
    /// Other threads at the same question.
    pub(super) crew: Option<&'a Crew>,
}

impl<'a, 'b> Desk<'a, 'b> {
    /// The desk of one thread.
    pub(super) fn of_one(bounds: &'a mut Bounds, meter: &'a mut Meter<'b>) -> Self {
        Self { bounds, meter, crew: None }
    }
}

impl MateSearch {
    pub(super) fn new(flights: Option<u8>) -> Self {
        Self { flights, killers: vec![None; 256], history: vec![0; 64 * 64] }
    }

    /// Whether the attacker mates within `plies`: odd when the attacker is to move, else even.
    ///
    /// # Errors
    /// The end of the slice or of the budget.
    pub(super) fn within(
        &mut self,
        desk: &mut Desk,
        node: &Node,
        plies: u16,
    ) -> Result<bool, Halt> {
        if plies % 2 == 1 { self.attack(desk, node, plies) } else { self.defend(desk, node, plies) }
    }

    /// Whether the side to move mates within `plies` (odd).
    fn attack(&mut self, desk: &mut Desk, node: &Node, plies: u16) -> Result<bool, Halt> {
        desk.meter.step()?;
        if plies == 1 {
            return Ok(mate_in_one(node.chess()).is_some());
        }
        let known = desk.bounds.get(node.key).unwrap_or(Known::NOTHING);
        if let Some(answer) = known.within(plies) {
            return Ok(answer);
        }
        let before = desk.meter.visited();
        if known.lower <= 1 && mate_in_one(node.chess()).is_some() {
            desk.bounds.put(node.key, Known { upper: 1, lower: 1, ..known }, 1);
            return Ok(true);
        }
        let mut upper = None;
        let mut children = self.ordered_attack(desk.bounds, node, plies);
        let crew = desk.crew.filter(|_| plies >= SHARED);
        let (mut next, mut put_off) = (0, children.len());
        while next < children.len() {
            let key = children[next].1.key;
            // What another thread is at comes last: by then it may be decided.
            if next < put_off && crew.is_some_and(|crew| crew.at(key) > 0) {
                children[next..].rotate_left(1);
                put_off -= 1;
                continue;
            }
            let child = &children[next].1;
            crew.inspect(|crew| crew.enter(key));
            let mated = self.defend(desk, child, plies - 1)?;
            crew.inspect(|crew| {
                crew.leave(key);
            });
            if mated {
                upper = Some(desk.bounds.get(key).map_or(plies, |k| k.upper.min(plies - 1) + 1));
                break;
            }
            next += 1;
        }
        let found = match upper {
            Some(upper) => Known { upper, ..known },
            None => Known { lower: plies + 2, ..known },
        };
        desk.bounds.put(node.key, found, desk.meter.visited() - before);
        Ok(upper.is_some())
    }

    /// Whether the side to move is mated within `plies` (even), whatever it does.
    fn defend(&mut self, desk: &mut Desk, node: &Node, plies: u16) -> Result<bool, Halt> {
        desk.meter.step()?;
        let known = desk.bounds.get(node.key).unwrap_or(Known::NOTHING);
        if let Some(answer) = known.within(plies) {
            return Ok(answer);
        }
        let before = desk.meter.visited();
        // A refutation that has served once mostly serves again: the other moves are not generated then.
        let killer = self.killers[usize::from(plies) % 256]
            .filter(|&killer| plies > 0 && node.chess().is_legal(killer));
        let mut upper = 0;
        if let Some(killer) = killer {
            match self.reply(desk, node, killer, plies)? {
                Some(plies) => upper = plies,
                None => return Ok(self.refuted(desk, node, known, (killer, plies), before)),
            }
        }
        let mut moves = node.chess().legal_moves();
        if moves.is_empty() {
            return Ok(node.chess().is_check());
        }
        if plies == 0 {
            return Ok(false);
        }
        moves.retain(|&mut m| Some(m) != killer);
        for i in 0..moves.len() {
            self.next_defence(&mut moves[i..]);
            let m = moves[i];
            let Some(mated_in) = self.reply(desk, node, m, plies)? else {
                return Ok(self.refuted(desk, node, known, (m, plies), before));
            };
            upper = upper.max(mated_in);
        }
        desk.bounds.put(node.key, Known { upper, ..known }, desk.meter.visited() - before);
        Ok(true)
    }

    /// The plies of the mate, at most `plies`, in spite of this move of the defender's; `None` where it
    /// refutes.
    fn reply(
        &mut self,
        desk: &mut Desk,
        node: &Node,
        m: ChessMove,
        plies: u16,
    ) -> Result<Option<u16>, Halt> {
        if plies == 2 {
            desk.meter.step()?;
            let next = node.board.after(m);
            return Ok(mate_in_one(next.chess()).map(|_| 2));
        }
        let child = node.after(m);
        let is_mated = self.attack(desk, &child, plies - 1)?;
        let upper = || desk.bounds.get(child.key).map_or(plies, |k| k.upper.min(plies - 1) + 1);
        Ok(is_mated.then(upper))
    }

    /// What is learned of a position in which a move of the defender's has refuted a mate within so many
    /// plies: none there.
    fn refuted(
        &mut self,
        desk: &mut Desk,
        node: &Node,
        known: Known,
        (m, plies): (ChessMove, u16),
        before: u64,
    ) -> bool {
        self.killers[usize::from(plies) % 256] = Some(m);
        self.history[from_to(m)] += u32::from(plies);
        let known = Known { lower: plies + 2, ..known };
        desk.bounds.put(node.key, known, desk.meter.visited() - before);
        false
    }

    /// Brings the most promising of the defender's moves to the front. Mostly the first one refutes,
    /// so that sorting them all would be in vain.
    fn next_defence(&self, moves: &mut [ChessMove]) {
        let worth = |m: ChessMove| self.history[from_to(m)] + if m.is_capture() { 8 } else { 0 };
        let (mut best, mut most) = (0, worth(moves[0]));
        for (i, &m) in moves.iter().enumerate().skip(1) {
            let now = worth(m);
            if now > most {
                (best, most) = (i, now);
            }
        }
        // The others keep their order.
        moves[..=best].rotate_right(1);
    }

    /// The attacker's moves with the positions after them, the most forcing first.
    fn ordered_attack(&self, bounds: &Bounds, node: &Node, plies: u16) -> Vec<(u32, Node)> {
        let checks = Checks::new(node.chess());
        let mut children = Vec::with_capacity(48);
        for m in node.chess().legal_moves() {
            let child = node.after(m);
            if self.flights.is_some_and(|most| has_more_flights(child.chess(), most)) {
                continue;
            }
            let checking = checks.given_by(node.chess(), m);
            let mut rank = if checking { 0 } else { 1000 };
            if plies > 3 || checking {
                rank += 4 * child.chess().legal_moves().len() as u32;
            }
            if m.is_capture() || m.is_promotion() {
                rank = rank.saturating_sub(2);
            }
            if let Some(known) = bounds.get(child.key) {
                match known.within(plies - 1) {
                    Some(true) => return vec![(0, child)],
                    Some(false) => continue,
                    None => {}
                }
            }
            children.push((rank, child));
        }
        children.sort_by_key(|&(rank, _)| rank);
        children
    }
}
