//! Decisions: the first demanded disjunction that is still open gets a disjunct.
//!
//! A small one is a clause, and its cheapest disjunct that is not seen to be false is decided. A
//! wide or indexed one is looked through only here, where it is demanded: one possible disjunct is
//! a consequence, none a conflict.

use super::{Labeller, Reason, Values, WIDE};
use crate::tableau::clauses::Lit;
use crate::tableau::closure::{Kind, NodeId, Shape};

/// How deep a disjunct is looked into before it is decided.
const PEEK: u32 = 3;
/// Of a conjunction no more parts than this are looked at.
const PEEK_WIDTH: usize = 64;

impl Labeller<'_> {
    /// Whether an exclusion keeps an undecided node from being true.
    fn is_guarded(&self, node: NodeId) -> bool {
        let lit = self.lit(node);
        let stops = |at: &u32| {
            self.kept.get(*at).iter().all(|l| *l == !lit || self.values[l.index()] == -1)
        };
        self.guards[lit.index()].iter().any(stops)
    }

    /// Decides the first demanded disjunction that is still open; nothing is left to propagate if
    /// none is. False on conflict.
    pub(super) fn decide(&mut self, preferred: &[NodeId]) -> bool {
        for &node in preferred {
            if self.value(node) == 0 && !self.surely_false(node, PEEK) {
                self.choose(node);
                return true;
            }
        }
        while self.frontier < self.trail.len() {
            let lit = self.trail[self.frontier];
            if let Some(node) = self.node(lit) {
                match self.closure.shape(node) {
                    Shape::Any(parts) if parts.len() <= WIDE => {
                        if let Some(part) = self.best_open(node, parts) {
                            self.choose(part);
                            return true;
                        }
                    }
                    Shape::Any(_) | Shape::Indexed(..) => {
                        let before = self.trail.len();
                        if !self.look_up(node) {
                            return false;
                        }
                        if self.trail.len() > before {
                            return true;
                        }
                    }
                    _ => {}
                }
            }
            self.frontier += 1;
        }
        self.decide_promise();
        true
    }

    pub(super) fn choose(&mut self, node: NodeId) {
        self.new_level();
        self.assign(self.lit(node), Reason::Given);
    }

    /// The disjunct to decide, unless one is true already.
    fn best_open(&self, node: NodeId, parts: &[NodeId]) -> Option<NodeId> {
        if parts.iter().any(|&p| self.value(p) == 1) {
            return None;
        }
        let mut open: Vec<NodeId> = parts.iter().copied().filter(|&p| self.value(p) == 0).collect();
        // The promise of an until is its first part.
        if self.closure.eventuality(node).is_none() {
            open.sort_by_key(|&p| self.closure.cost(p));
        }
        open.iter().copied().find(|&p| !self.surely_false(p, PEEK)).or(open.first().copied())
    }

    /// Whether a node is seen to be false by looking a little way into it.
    fn surely_false(&self, node: NodeId, depth: u32) -> bool {
        match self.value(node) {
            1 => return false,
            -1 => return true,
            _ if self.is_guarded(node) => return true,
            _ => {}
        }
        match self.closure.shape(node) {
            Shape::Cube(literals) => literals.iter().any(|&l| self.value(l) == -1),
            Shape::All(parts) if depth > 0 => {
                parts.iter().take(PEEK_WIDTH).any(|&p| self.surely_false(p, depth - 1))
            }
            Shape::Any(parts) if depth > 0 && parts.len() <= PEEK_WIDTH / 8 => {
                parts.iter().all(|&p| self.surely_false(p, depth - 1))
            }
            Shape::Indexed(parts, index) if depth > 0 => {
                let mut possible = false;
                let visit = |i: u32| {
                    possible = !self.surely_false(parts[i as usize], depth - 1);
                    !possible
                };
                index.visit(&Values(&self.values), visit, |_, _| {});
                !possible
            }
            _ => false,
        }
    }

    /// Finds the disjuncts of a wide or indexed disjunction that may be true: none is a conflict,
    /// one is implied, of several the first is decided. Nothing happens if one is true already.
    fn look_up(&mut self, node: NodeId) -> bool {
        let (mut open, mut done) = (Vec::new(), false);
        let mut why = vec![!self.lit(node)];
        let mut clashes = Vec::new();
        let mut visit = |part: NodeId| {
            match self.value(part) {
                1 => done = true,
                -1 => clashes.push(self.lit(part)),
                _ => match self.clash(part) {
                    Some(literal) => clashes.push(literal),
                    None => open.push(part),
                },
            }
            !done && open.len() < 2
        };
        match self.closure.shape(node) {
            Shape::Indexed(parts, index) => index.visit(
                &Values(&self.values),
                |i| visit(parts[i as usize]),
                |variable, value| why.push(Lit::new(variable, !value)),
            ),
            // A true disjunct first: it spares a decision.
            Shape::Any(parts) => {
                if parts.iter().any(|&p| self.value(p) == 1) {
                    return true;
                }
                parts.iter().all(|&p| visit(p));
            }
            _ => {}
        }
        if done {
            return true;
        }
        if open.len() >= 2 {
            self.choose(open[0]);
            return true;
        }
        why.extend(clashes);
        why.sort_unstable();
        why.dedup();
        match open.first() {
            Some(&only) => {
                let lit = self.lit(only);
                why.insert(0, lit);
                let at = self.local.add_unwatched(&why, false);
                self.assign(lit, Reason::Local(at));
                true
            }
            None => {
                self.conflict = why;
                self.conflict_local = false;
                false
            }
        }
    }

    /// A false literal of the cube that a disjunct is or holds.
    fn clash(&self, disjunct: NodeId) -> Option<Lit> {
        match self.closure.shape(disjunct) {
            Shape::Cube(literals) => {
                literals.iter().map(|&l| self.lit(l)).find(|l| self.values[l.index()] == -1)
            }
            Shape::All(parts) => {
                let cube = parts.iter().find(|&&p| self.closure.kind(p) == Kind::Cube)?;
                self.clash(*cube)
            }
            _ => None,
        }
    }

    /// A block whose demands are all made must have one of its promises kept.
    fn decide_promise(&mut self) {
        let open = self.blocks.iter().find_map(|block| {
            let made = block.demands.iter().all(|&d| self.value(d) == 1);
            let kept = block.promises.iter().any(|&p| self.value(p) == 1);
            if made && !kept {
                block.promises.iter().copied().find(|&p| self.value(p) == 0)
            } else {
                None
            }
        });
        if let Some(promise) = open {
            self.choose(promise);
        }
    }
}
