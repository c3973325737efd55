//! Lines of play that show an answer: a witness of what is true, a counter-example to what is not.
//!
//! Under all rules an aim is true of a whole tree of play; where its truth, or its falsehood, hangs
//! on one path (`E` is true, `A` is false), that path is shown. The normal form is followed from the
//! root: a disjunction to an operand that is true, a conjunction to the first operand that speaks of
//! a path, `EX` to a successor, `E[h U g]` along a shortest path to g, `E[g R h]` to where g ends it,
//! else round a circle. Where every path counts there is nothing more to show.
//!
//! # References
//! E. M. Clarke, O. Grumberg, K. L. McMillan, X. Zhao, *Efficient generation of counterexamples and
//! witnesses in symbolic model checking* (1995).

use super::leg::Leg;
use crate::chess::board::{Board, move_of};
use crate::chess::{Move, Packed, Profile, successors};
use crate::ctl::{Arena, Id, Node, Path};
use crate::kripke::VertexSet;
use crate::limits::{Budget, StopReason};
use crate::modelcheck::satisfying;
use std::collections::VecDeque;

/// Operators that are followed down, and operands of one that are looked at.
const STEPS: usize = 64;

/// A line from the root that shows why an aim is true, or is not.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Line {
    /// The moves.
    pub moves: Vec<Move>,
    /// After them the position after so many of the moves is there again, and the line goes on for
    /// ever.
    pub repeats_from: Option<usize>,
}

impl Line {
    /// A line that ends.
    pub fn ending(moves: Vec<Move>) -> Self {
        Self { moves, repeats_from: None }
    }

    /// The line through these positions; none where it has no move.
    pub(super) fn through(
        path: &[Packed],
        back_to: Option<usize>,
        profile: Profile,
    ) -> Option<Self> {
        let step = |pair: &[Packed]| move_between(&pair[0], &pair[1], profile);
        let moves: Vec<Move> = path.windows(2).map_while(step).collect();
        // A final position repeats itself without a move.
        let repeats_from = back_to.filter(|_| moves.len() + 1 == path.len());
        (!moves.is_empty()).then_some(Self { moves, repeats_from })
    }
}

pub(super) fn move_between(from: &Packed, to: &Packed, profile: Profile) -> Option<Move> {
    match profile {
        Profile::Fide => {
            let board = Board::of_legal(from);
            let leads = |m: &crate::chess::board::ChessMove| board.after(*m).packed() == *to;
            board.legal_moves().into_iter().find(leads).map(|m| move_of(&m))
        }
        Profile::Paper => {
            let list = successors(profile, &from.vector().ok()?);
            list.into_iter().find(|(_, z)| Packed::from(z) == *to).map(|(m, _)| m)
        }
    }
}

/// For each formula of a normal form whether its truth may hang on one path.
pub(super) fn speaks_of_a_path(arena: &Arena, formula: Id) -> Vec<bool> {
    let mut speaks = vec![false; formula.index() + 1];
    let mut order: Vec<Id> = arena.subformulas(formula).collect();
    order.reverse();
    for id in order {
        speaks[id.index()] = match arena.get(id) {
            Node::Next(path, _) | Node::Until(path, ..) | Node::Release(path, ..) => {
                path == Path::Some
            }
            Node::And(_) | Node::Or(_) => arena.operands(id).iter().any(|a| speaks[a.index()]),
            _ => false,
        };
    }
    speaks
}

/// A walk through the listed graph along a formula that is true where it stands.
struct Walk<'a> {
    arena: &'a Arena,
    leg: &'a Leg<'a>,
    budget: &'a Budget,
    path: Vec<u32>,
    /// Where on the path it closes a circle.
    back_to: Option<usize>,
}

/// The line that shows the truth of a normal form at the root.
pub(super) fn on_leg(
    leg: &Leg<'_>,
    arena: &Arena,
    formula: Id,
    budget: &Budget,
) -> Result<Option<Line>, StopReason> {
    let mut walk = Walk { arena, leg, budget, path: vec![leg.kripke.root()], back_to: None };
    let speaks = speaks_of_a_path(arena, formula);
    let mut now = Some(formula);
    for _ in 0..STEPS {
        match now.filter(|id| speaks[id.index()]) {
            Some(id) => now = walk.follow(id, &speaks)?,
            None => break,
        }
    }
    let path: Vec<Packed> = walk.path.iter().map(|&id| leg.position(id)).collect();
    Ok(Line::through(&path, walk.back_to, leg.profile()))
}

impl Walk<'_> {
    fn here(&self) -> u32 {
        self.path[self.path.len() - 1]
    }

    fn set(&self, formula: Id) -> Result<VertexSet, StopReason> {
        satisfying(self.arena, formula, &self.leg.kripke, self.budget)
    }

    /// Goes on as a formula says; the formula that is true at the end of the path.
    fn follow(&mut self, formula: Id, speaks: &[bool]) -> Result<Option<Id>, StopReason> {
        let here = self.here();
        match self.arena.get(formula) {
            Node::And(parts) => Ok(parts.iter().copied().find(|a| speaks[a.index()])),
            Node::Or(parts) => {
                for &part in parts.iter().take(STEPS) {
                    if self.set(part)?.contains(here) {
                        return Ok(Some(part));
                    }
                }
                Ok(None)
            }
            Node::Next(_, a) => {
                let set = self.set(a)?;
                let next = self.leg.kripke.successors(here).iter().find(|&&z| set.contains(z));
                self.path.extend(next);
                Ok(next.map(|_| a))
            }
            Node::Until(_, hold, goal) => {
                let (hold, ends) = (self.set(hold)?, self.set(goal)?);
                Ok(self.walk_to(&hold, &ends).then_some(goal))
            }
            Node::Release(_, goal, hold) => {
                let (all, mut ends) = (self.set(formula)?, self.set(goal)?);
                ends.intersect(&self.set(hold)?);
                if self.walk_to(&all, &ends) {
                    return Ok(Some(goal));
                }
                self.walk_round(&all);
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// Takes a shortest way over vertices of one set to one of another; whether there is one.
    fn walk_to(&mut self, over: &VertexSet, ends: &VertexSet) -> bool {
        let kripke = &self.leg.kripke;
        let start = self.here();
        let mut before = vec![u32::MAX; kripke.vertices() as usize];
        before[start as usize] = start;
        let mut queue = VecDeque::from([start]);
        while let Some(v) = queue.pop_front() {
            if ends.contains(v) {
                let mut way = vec![v];
                while way[way.len() - 1] != start {
                    way.push(before[way[way.len() - 1] as usize]);
                }
                self.path.extend(way.iter().rev().skip(1));
                return true;
            }
            for &z in kripke.successors(v).iter().filter(|_| over.contains(v)) {
                if before[z as usize] == u32::MAX {
                    before[z as usize] = v;
                    queue.push_back(z);
                }
            }
        }
        false
    }

    /// Stays within a set, each of whose vertices has a successor in it, until a vertex comes again.
    fn walk_round(&mut self, within: &VertexSet) {
        let first = self.path.len() - 1;
        let mut seen = VertexSet::empty(self.leg.kripke.vertices());
        while seen.insert(self.here()) {
            let mut next = self.leg.kripke.successors(self.here()).iter();
            let Some(&z) = next.find(|&&z| within.contains(z)) else { return };
            self.path.push(z);
        }
        let last = self.here();
        self.back_to = self.path[first..].iter().position(|&v| v == last).map(|k| k + first);
    }
}
