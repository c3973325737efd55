//! The graph of all legal play as an engine.

use super::super::question::Question;
use super::super::{Engine, Evidence, Verdict};
use crate::game::{Literal, Values, explore};
use crate::limits::StopReason;

/// Decides by listing Leg(y⁰) and its two least fixpoints.
pub(in crate::solve) fn solve(question: &Question) -> Verdict {
    let Question { options, budget, .. } = *question;
    let stopped = |reason, positions| Verdict::stopped(question, Engine::Graph, reason, positions);
    let graph = match explore(question.vector(), options.profile, budget) {
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
    let verdict = Verdict::decided(question, Engine::Graph, value, evidence, positions);
    Verdict { literal, ..verdict }
}
