//! Which subformulas are evaluated at all vertices, and which only where somebody asks.
//!
//! What stands below a disjunct with a cube matters only at the vertices where the cube is true:
//! few. Such a subformula is *local*: its truth is found vertex by vertex on demand and remembered.
//! All others are *global*: evaluated once as a set of vertices. Fixpoints are always global, and
//! so is what nests too deep to be followed by recursion.

use super::cubes::{Cubes, Index};
use crate::ctl::{Arena, Id, Node};
use crate::kripke::Kripke;
use std::collections::HashMap;

/// Local subformulas of more levels are global instead.
const DEPTH: u8 = 48;

/// How a subformula is evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Not at all (yet).
    Unused,
    /// Where asked.
    Local,
    /// At all vertices.
    Global,
}

/// See the module. By place in the order of the subformulas, operands first.
pub(super) struct Plan {
    pub(super) roles: Vec<Role>,
    /// Whether what stands below it is local.
    pub(super) indexes: HashMap<Id, Index>,
    pub(super) cubes: Cubes,
    /// How many levels of local evaluation it takes; 0 for cubes and literals.
    pub(super) heights: Vec<u8>,
}

impl Plan {
    /// `order`: the subformulas, operands first, the formula last; `place`: the place of each.
    pub(super) fn new(
        arena: &Arena,
        order: &[Id],
        place: impl Fn(Id) -> usize,
        kripke: &Kripke,
    ) -> Self {
        let cubes = Cubes::new(arena, order, kripke);
        let mut indexes = HashMap::new();
        for &id in order {
            if let Node::Or(disjuncts) = arena.get(id)
                && let Some(index) = Index::new(arena, &cubes, disjuncts)
            {
                indexes.insert(id, index);
            }
        }
        let mut plan =
            Self { roles: vec![Role::Unused; order.len()], indexes, cubes, heights: Vec::new() };
        plan.heights = plan.heights(arena, order, &place);
        *plan.roles.last_mut().expect("a formula is its own subformula") = Role::Global;
        for (at, &id) in order.iter().enumerate().rev() {
            plan.assign(arena, id, at, &place);
        }
        plan
    }

    fn heights(&self, arena: &Arena, order: &[Id], place: &impl Fn(Id) -> usize) -> Vec<u8> {
        let mut heights = vec![0_u8; order.len()];
        for (at, &id) in order.iter().enumerate() {
            let below = || {
                arena
                    .operands(id)
                    .iter()
                    .map(|&o| heights[place(o)])
                    .max()
                    .map_or(0, |h| h.saturating_add(1))
            };
            heights[at] = match arena.get(id) {
                Node::True | Node::False | Node::Var(_) => 0,
                Node::Not(a) if matches!(arena.get(a), Node::Var(_)) => 0,
                _ if self.cubes.contains(id) => 0,
                Node::Not(_)
                | Node::And(_)
                | Node::Or(_)
                | Node::Implies(..)
                | Node::Iff(..)
                | Node::Next(..) => below(),
                // Fixpoints are global: looked up.
                _ => 0,
            };
        }
        heights
    }

    /// Hands a subformula's role down to its operands.
    fn assign(&mut self, arena: &Arena, id: Id, at: usize, place: &impl Fn(Id) -> usize) {
        let role = self.roles[at];
        if role == Role::Unused || self.cubes.contains(id) {
            return;
        }
        let Self { roles, heights, .. } = self;
        let mut need = |operand: Id, role: Role| {
            let at = place(operand);
            let is_fixpoint = matches!(
                arena.get(operand),
                Node::Until(..)
                    | Node::Release(..)
                    | Node::WeakUntil(..)
                    | Node::Globally(..)
                    | Node::Finally(..)
            );
            let role = if is_fixpoint || heights[at] > DEPTH { Role::Global } else { role };
            if roles[at] != Role::Global {
                roles[at] = role;
            }
        };
        match self.indexes.get(&id) {
            Some(index) => {
                index.disjuncts().for_each(|d| need(d, Role::Local));
                index.others.iter().for_each(|&d| need(d, role));
            }
            None => arena.operands(id).iter().for_each(|&o| need(o, role)),
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.cubes.bytes()
            + self.indexes.values().map(Index::bytes).sum::<u64>()
            + 2 * self.roles.len() as u64
    }
}
