//! Truth at a vertex, on demand.
//!
//! Every pair of a subformula and a vertex is evaluated at most once, save what is cheaper to
//! evaluate than to remember: literals, cubes, and what consists of nothing else. So the time stays
//! within O(|formula| · (vertices + edges)), and is far less where few pairs are asked for.

use super::Checker;
use super::plan::Role;
use crate::ctl::{Id, Node, Path};
use crate::limits::StopReason;

/// Subformulas of at most this height over literals and cubes are evaluated anew each time.
const CHEAP: u8 = 1;

impl Checker<'_> {
    /// Whether a subformula that is planned for is true at a vertex.
    pub(super) fn holds_at(&mut self, id: Id, vertex: u32) -> Result<bool, StopReason> {
        let label = self.kripke.label(vertex);
        if let Some(truth) = self.plan.cubes.holds(id, label) {
            return Ok(truth);
        }
        let place = self.place(id);
        if self.plan.roles[place] == Role::Global {
            return Ok(self.values[place].set.contains(vertex));
        }
        if self.plan.heights[place] <= CHEAP {
            return self.evaluate_at(id, vertex);
        }
        if let Some(&truth) = self.memory.get(&(place as u32, vertex)) {
            return Ok(truth);
        }
        let truth = self.evaluate_at(id, vertex)?;
        self.memory.insert((place as u32, vertex), truth);
        Ok(truth)
    }

    fn evaluate_at(&mut self, id: Id, vertex: u32) -> Result<bool, StopReason> {
        self.step()?;
        let (arena, kripke) = (self.arena, self.kripke);
        Ok(match arena.get(id) {
            Node::True => true,
            Node::False => false,
            Node::Var(symbol) => kripke.holds(vertex, symbol.0),
            Node::Not(a) => !self.holds_at(a, vertex)?,
            Node::Implies(a, b) => !self.holds_at(a, vertex)? || self.holds_at(b, vertex)?,
            Node::Iff(a, b) => self.holds_at(a, vertex)? == self.holds_at(b, vertex)?,
            // Cubes tell most: they come first.
            Node::And(parts) => {
                let is_cube = |&p: &Id| self.plan.cubes.contains(p);
                let (cubes, rest): (Vec<Id>, Vec<Id>) = parts.iter().copied().partition(is_cube);
                self.all_at(cubes.into_iter().chain(rest), vertex)?
            }
            Node::Or(_) if self.plan.indexes.contains_key(&id) => {
                let others = self.plan.indexes[&id].others.clone();
                self.indexed_at(id, vertex)? || self.any_at(others.into_iter(), vertex)?
            }
            Node::Or(parts) => self.any_at(parts.iter().copied(), vertex)?,
            Node::Next(path, a) => {
                for &next in kripke.successors(vertex) {
                    if self.holds_at(a, next)? == (path == Path::Some) {
                        return Ok(path == Path::Some);
                    }
                }
                path == Path::All
            }
            other => unreachable!("{other:?} is a fixpoint and evaluated globally"),
        })
    }

    fn all_at(
        &mut self,
        mut parts: impl Iterator<Item = Id>,
        vertex: u32,
    ) -> Result<bool, StopReason> {
        parts.try_fold(true, |all, p| Ok(all && self.holds_at(p, vertex)?))
    }

    fn any_at(
        &mut self,
        mut parts: impl Iterator<Item = Id>,
        vertex: u32,
    ) -> Result<bool, StopReason> {
        parts.try_fold(false, |any, p| Ok(any || self.holds_at(p, vertex)?))
    }

    /// Whether one of the disjuncts with a cube of an indexed disjunction is true at a vertex.
    pub(super) fn indexed_at(&mut self, id: Id, vertex: u32) -> Result<bool, StopReason> {
        let candidates =
            self.plan.indexes[&id].candidates(&self.plan.cubes, self.kripke.label(vertex));
        self.any_at(candidates.into_iter(), vertex)
    }
}
