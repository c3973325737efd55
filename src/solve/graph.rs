//! The graph of all legal play as an engine.

use super::{Engine, Evidence, Options, Verdict};
use crate::chess::Vector;
use crate::game::{Literal, Values, explore};
use crate::limits::{Budget, StopReason};

/// Decides by listing Leg(y⁰) and its two least fixpoints.
pub(super) fn solve(root: &Vector, options: &Options, budget: &Budget) -> Verdict {
    let stopped =
        |reason, positions| Verdict::stopped(root, Engine::Graph, reason, positions, budget);
    let graph = match explore(root, options.profile, budget) {
        Ok(graph) => graph,
        Err(end) => return stopped(end.reason, end.positions),
    };
    budget.progress().stage("solving backwards", None);
    let (id, positions) = (graph.root(), u64::from(graph.positions()));
    let solved = Values::within(&*graph, budget).and_then(|values| {
        let literal =
            options.literal.then(|| Literal::within(&*graph, &values, id, budget)).transpose()?;
        Ok::<_, StopReason>((values, literal))
    });
    let (values, literal) = match solved {
        Ok(solved) => solved,
        Err(reason) => return stopped(reason, positions),
    };
    let value = values.value(id);
    let evidence = Evidence::Graph(graph, values);
    let verdict =
        Verdict::decided(root, Engine::Graph, value, evidence, positions, options.profile, budget);
    Verdict { literal, ..verdict }
}
