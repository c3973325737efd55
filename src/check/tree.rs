//! Trees of play that show an answer where no single line does: `AX`, `AF`, `AG` speak of every line.
//!
//! The normal form that is true at the root is unfolded. A position carries the formulas that are to
//! be true there; a conjunction asks for all its operands, a disjunction for one that is true, `AX`
//! for all moves, `EX` for one; an until that is not fulfilled and a release that is not ended go on.
//! Breadth first, so that what is left out is far from the root; a position that stands in the tree
//! with the same formulas is not unfolded again, which closes the circles of `AG`.

use super::leg::Leg;
use super::line::{Line, move_between};
use super::local::Local;
use super::{Checked, Rules};
use crate::aim::Aim;
use crate::chess::{Move, Packed, Profile, Vector};
use crate::ctl::{Arena, Id, Node, Path};
use crate::game::Game;
use crate::kripke::VertexSet;
use crate::limits::{Budget, StopReason};
use crate::modelcheck::satisfying;
use std::collections::HashMap;

/// A position of a tree of play.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shown {
    /// The position.
    pub position: Vector,
    /// The place of the position before it, and the move from there; a final position that repeats
    /// itself has none.
    pub before: Option<(usize, Option<Move>)>,
    /// After it play goes on as after the position at this place.
    pub like: Option<usize>,
    /// So many positions that follow are not shown.
    pub left_out: usize,
}

/// A tree of play, its root first, each position after the one before it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tree {
    /// The positions.
    pub positions: Vec<Shown>,
}

impl Tree {
    /// The positions of a line.
    ///
    /// # Panics
    /// When the line is of another position.
    pub fn of_line(root: &Vector, line: &Line, profile: Profile) -> Self {
        let mut positions = vec![Shown::new(*root, None)];
        for (place, m) in line.moves.iter().enumerate() {
            let list = crate::chess::successors(profile, &positions[place].position);
            let (_, y) = list.into_iter().find(|(own, _)| own == m).expect("a move of the line");
            positions.push(Shown::new(y, Some((place, Some(*m)))));
        }
        let last = positions.len() - 1;
        positions[last].like = line.repeats_from;
        Self { positions }
    }
}

impl Shown {
    fn new(position: Vector, before: Option<(usize, Option<Move>)>) -> Self {
        Self { position, before, like: None, left_out: 0 }
    }
}

/// The line or the tree that shows an answer under all rules ([`Rules::All`]), of at most so many
/// positions; none if there is no answer. Lists all of Leg(y⁰) unless the answer was found locally
/// and only needs what is near.
///
/// # Errors
/// The limit that was reached.
pub fn shown(
    root: &Vector,
    aim: &Aim,
    checked: &Checked,
    profile: Profile,
    most: usize,
    budget: &Budget,
) -> Result<Option<Tree>, StopReason> {
    let Ok(answer) = checked.answer else { return Ok(None) };
    if let Some(line) = &checked.line {
        return Ok(Some(Tree::of_line(root, line, profile)));
    }
    let mut arena = aim.arena().clone();
    let formula = if answer { arena.nnf(aim.formula()) } else { arena.nnf_not(aim.formula()) };
    if let Some(local) = Local::new(root, aim, Rules::All, profile, budget)
        && Local::can_unfold(&arena, formula)
    {
        return unfold(local.with_arena(arena.clone()), &arena, formula, profile, most).map(Some);
    }
    let game = Game::explore(root, profile, budget).map_err(|stopped| stopped.reason)?;
    let leg = Leg::new(&game, aim, budget)?;
    let truths = Truths { arena: &arena, leg: &leg, budget, sets: HashMap::new() };
    unfold(truths, &arena, formula, profile, most).map(Some)
}

/// Who knows what is true where.
pub(super) trait Knows {
    /// Whether a formula of the normal form is true at a position.
    fn holds(&mut self, formula: Id, at: u32) -> Result<bool, StopReason>;

    /// The positions that follow.
    fn next(&mut self, at: u32) -> Result<Vec<u32>, StopReason>;

    /// The position.
    fn position(&self, at: u32) -> Packed;

    /// Of these positions one from which an until is fulfilled soonest, or a release goes on.
    fn nearest(&mut self, formula: Id, among: &[u32]) -> Result<Option<u32>, StopReason>;
}

/// What is true on the listed graph.
struct Truths<'a> {
    arena: &'a Arena,
    leg: &'a Leg<'a>,
    budget: &'a Budget,
    sets: HashMap<Id, VertexSet>,
}

impl Truths<'_> {
    fn set(&mut self, formula: Id) -> Result<&VertexSet, StopReason> {
        if !self.sets.contains_key(&formula) {
            let set = satisfying(self.arena, formula, &self.leg.kripke, self.budget)?;
            self.sets.insert(formula, set);
        }
        Ok(&self.sets[&formula])
    }
}

impl Knows for Truths<'_> {
    fn holds(&mut self, formula: Id, at: u32) -> Result<bool, StopReason> {
        Ok(self.set(formula)?.contains(at))
    }

    fn next(&mut self, at: u32) -> Result<Vec<u32>, StopReason> {
        Ok(self.leg.kripke.successors(at).to_vec())
    }

    fn position(&self, at: u32) -> Packed {
        self.leg.position(at)
    }

    fn nearest(&mut self, formula: Id, among: &[u32]) -> Result<Option<u32>, StopReason> {
        let all = self.set(formula)?.clone();
        let starts: Vec<u32> = among.iter().copied().filter(|&z| all.contains(z)).collect();
        let Node::Until(_, _, goal) = self.arena.get(formula) else {
            return Ok(starts.first().copied());
        };
        // Breadth first from all of them at once; each carries where it began.
        let goal = self.set(goal)?.clone();
        let mut seen = VertexSet::empty(all.universe());
        let mut queue: Vec<(u32, u32)> = starts.iter().map(|&z| (z, z)).collect();
        let mut next = 0;
        while let Some(&(at, start)) = queue.get(next) {
            next += 1;
            if goal.contains(at) {
                return Ok(Some(start));
            }
            for &z in self.leg.kripke.successors(at) {
                if all.contains(z) && seen.insert(z) {
                    queue.push((z, start));
                }
            }
        }
        Ok(None)
    }
}

/// What a position asks of those that follow it.
#[derive(Default)]
struct Demands {
    of_all: Vec<Id>,
    of_some: Vec<Id>,
}

/// What formulas that are true at a position ask of those that follow.
fn demands(
    knows: &mut impl Knows,
    arena: &Arena,
    formulas: &[Id],
    at: u32,
) -> Result<Demands, StopReason> {
    let mut demands = Demands::default();
    let mut pending = formulas.to_vec();
    while let Some(id) = pending.pop() {
        match arena.get(id) {
            Node::And(parts) => pending.extend(parts),
            Node::Or(parts) => {
                // One without moves, if there is one.
                let is_now = |id: &&Id| matches!(arena.get(**id), Node::Var(_) | Node::Not(_));
                let order = parts.iter().filter(is_now).chain(parts.iter().filter(|p| !is_now(p)));
                for &part in order {
                    if knows.holds(part, at)? {
                        pending.push(part);
                        break;
                    }
                }
            }
            Node::Next(Path::All, a) => demands.of_all.push(a),
            Node::Next(Path::Some, a) => demands.of_some.push(a),
            Node::Until(path, hold, goal) => {
                if knows.holds(goal, at)? {
                    pending.push(goal);
                } else {
                    pending.push(hold);
                    demands.later(path, id);
                }
            }
            Node::Release(path, goal, hold) => {
                pending.push(hold);
                if knows.holds(goal, at)? {
                    pending.push(goal);
                } else {
                    demands.later(path, id);
                }
            }
            _ => {}
        }
    }
    Ok(demands)
}

impl Demands {
    fn later(&mut self, path: Path, formula: Id) {
        match path {
            Path::All => self.of_all.push(formula),
            Path::Some => self.of_some.push(formula),
        }
    }
}

/// Unfolds a formula that is true at position 0.
fn unfold(
    mut knows: impl Knows,
    arena: &Arena,
    formula: Id,
    profile: Profile,
    most: usize,
) -> Result<Tree, StopReason> {
    let at_root = knows.position(0);
    let vector = |p: &Packed| p.vector().expect("a position of the graph");
    let mut positions = vec![Shown::new(vector(&at_root), None)];
    let mut queue: Vec<(u32, Vec<Id>)> = vec![(0, vec![formula])];
    let mut known: HashMap<(u32, Vec<Id>), usize> = HashMap::new();
    let mut next = 0;
    while let Some((at, formulas)) = queue.get(next).cloned() {
        let place = next;
        next += 1;
        let demands = demands(&mut knows, arena, &formulas, at)?;
        if demands.of_all.is_empty() && demands.of_some.is_empty() {
            continue;
        }
        if let Some(&like) = known.get(&(at, formulas.clone())) {
            positions[place].like = Some(like);
            continue;
        }
        known.insert((at, formulas), place);
        for (z, wanted) in followers(&mut knows, arena, &demands, at)? {
            if queue.len() >= most {
                positions[place].left_out += 1;
                continue;
            }
            let (from, to) = (knows.position(at), knows.position(z));
            let m = if z == at { None } else { move_between(&from, &to, profile) };
            positions.push(Shown::new(vector(&to), Some((place, m))));
            queue.push((z, wanted));
        }
    }
    Ok(Tree { positions })
}

/// The positions that are to follow one, with what is to be true there.
fn followers(
    knows: &mut impl Knows,
    arena: &Arena,
    demands: &Demands,
    at: u32,
) -> Result<Vec<(u32, Vec<Id>)>, StopReason> {
    let successors = knows.next(at)?;
    let mut wanted: Vec<(u32, Vec<Id>)> = Vec::new();
    if !demands.of_all.is_empty() {
        wanted.extend(successors.iter().map(|&z| (z, demands.of_all.clone())));
    }
    for &some in &demands.of_some {
        let chosen = match arena.get(some) {
            Node::Until(..) | Node::Release(..) => knows.nearest(some, &successors)?,
            _ => {
                let mut found = None;
                for &z in &successors {
                    if found.is_none() && knows.holds(some, z)? {
                        found = Some(z);
                    }
                }
                found
            }
        };
        let Some(z) = chosen else { continue };
        match wanted.iter_mut().find(|(own, _)| *own == z) {
            Some((_, list)) => list.push(some),
            None => wanted.push((z, vec![some])),
        }
    }
    for (_, list) in &mut wanted {
        list.sort_unstable();
        list.dedup();
    }
    Ok(wanted)
}
