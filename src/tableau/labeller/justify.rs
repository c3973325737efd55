//! What a label demands of the successors: not all that it makes true, only what its formulas need.

use super::{Demands, Labeller, Values};
use crate::ctl::Path;
use crate::tableau::closure::{Closure, Kind, NodeId, Shape};

impl Labeller<'_> {
    /// The variables that the label makes true.
    pub(in crate::tableau) fn true_variables(&self) -> impl Iterator<Item = u32> + '_ {
        let variables = self.closure.variables();
        self.trail
            .iter()
            .filter(move |l| l.sign() && l.variable() < variables)
            .map(|l| l.variable())
    }

    /// The demands of the label that `formulas`, the axioms and the blocks need: of every
    /// disjunction one true disjunct is followed, of an until its promise where it is true.
    pub(in crate::tableau) fn justify(&mut self, formulas: &[NodeId]) -> Demands {
        self.stamp += 1;
        let closure = self.closure;
        let mut pending: Vec<NodeId> = formulas.iter().chain(&closure.axioms).copied().collect();
        let mut choices = Vec::new();
        let (mut all, mut some) = (Vec::new(), Vec::new());
        loop {
            while let Some(node) = pending.pop() {
                if std::mem::replace(&mut self.marks[node as usize], self.stamp) == self.stamp {
                    continue;
                }
                match closure.shape(node) {
                    Shape::All(parts) => pending.extend(parts),
                    Shape::Any(_) | Shape::Indexed(..) => choices.push(node),
                    Shape::Atom if closure.kind(node) == Kind::Next(Path::All) => {
                        all.push(closure.operand(node))
                    }
                    Shape::Atom => some.push(closure.operand(node)),
                    _ => {}
                }
            }
            if let Some(node) = choices.pop() {
                pending.extend(self.support(node));
            } else if let Some(promise) = self.unmarked_promise() {
                pending.push(promise);
            } else {
                break;
            }
        }
        if some.is_empty() {
            all.clear();
        }
        if some.len() > 1 {
            some.retain(|&s| s != Closure::TRUE);
        }
        all.sort_unstable();
        some.sort_unstable();
        Demands { all, some }
    }

    /// The true disjunct to follow, unless one is followed already.
    fn support(&self, node: NodeId) -> Option<NodeId> {
        let closure = self.closure;
        let marked = |p: NodeId| self.marks[p as usize] == self.stamp;
        match closure.shape(node) {
            Shape::Any(parts) => {
                let holds = |p: NodeId| self.value(p) == 1;
                if closure.eventuality(node).is_some() && holds(parts[0]) {
                    return Some(parts[0]);
                }
                if parts.iter().any(|&p| marked(p) && holds(p)) {
                    return None;
                }
                let best =
                    parts.iter().copied().filter(|&p| holds(p)).min_by_key(|&p| closure.cost(p));
                Some(best.expect("a demanded disjunction has a true disjunct"))
            }
            Shape::Indexed(parts, index) => {
                let mut found = None;
                let visit = |i: u32| {
                    found = Some(parts[i as usize]).filter(|&p| self.value(p) == 1);
                    found.is_none()
                };
                index.visit(&Values(&self.values), visit, |_, _| {});
                Some(found.expect("a demanded disjunction has a true disjunct"))
            }
            _ => None,
        }
    }

    /// A true promise of a block whose demands are all followed and none of whose promises is.
    fn unmarked_promise(&self) -> Option<NodeId> {
        let marked = |p: NodeId| self.marks[p as usize] == self.stamp;
        self.blocks.iter().find_map(|block| {
            let made = block.demands.iter().all(|&d| marked(d));
            if !made || block.promises.iter().any(|&p| marked(p) && self.value(p) == 1) {
                return None;
            }
            block.promises.iter().copied().find(|&p| self.value(p) == 1)
        })
    }
}
