//! Reads a model off a graph whose promises are kept.
//!
//! A vertex is a prestate with one of its untils as *focus*. It takes the alternative that leads to
//! the promise in focus on a shortest way, and the focus moves on with the until; where the promise
//! is kept, or the path is not the one the until is handed on along, the next of the successor's
//! untils in cyclic order comes into focus. So along every path each until is in focus again and
//! again until its promise is kept.

use super::closure::NodeId;
use super::graph::{Alternative, PrestateId};
use super::labeller::{Answer, Block};
use super::promises::Witnesses;
use super::search::Search;
use crate::ctl::Path;
use crate::kripke::{Builder, Kripke};
use crate::limits::{Budget, StopReason};
use std::collections::HashMap;

/// A model of the root, its vertices labelled with the variables of the closure.
pub(super) fn extract(
    search: &mut Search<'_>,
    witnesses: &Witnesses,
    budget: &Budget,
) -> Result<Kripke, StopReason> {
    search.labeller.set_budget(budget);
    let mut reader = Reader {
        search,
        witnesses,
        builder: Builder::default(),
        vertices: HashMap::new(),
        pending: Vec::new(),
        labels: HashMap::new(),
    };
    let root = reader.search.root;
    let focus = reader.next_focus(root, None);
    let root = reader.vertex(root, focus);
    let mut steps = 0_u64;
    while let Some((prestate, focus, vertex)) = reader.pending.pop() {
        steps += 1;
        if steps.is_multiple_of(256) {
            let search = &reader.search;
            budget.check(
                search.graph.len() as u64,
                search.graph.bytes() + search.labeller.bytes() + 60 * steps,
            )?;
        }
        reader.read(prestate, focus, vertex)?;
    }
    Ok(reader.builder.build(root))
}

struct Reader<'a, 'c> {
    search: &'a mut Search<'c>,
    witnesses: &'a Witnesses,
    builder: Builder,
    vertices: HashMap<(PrestateId, Option<NodeId>), u32>,
    pending: Vec<(PrestateId, Option<NodeId>, u32)>,
    labels: HashMap<(PrestateId, u32, Vec<NodeId>), Vec<u32>>,
}

impl Reader<'_, '_> {
    fn vertex(&mut self, prestate: PrestateId, focus: Option<NodeId>) -> u32 {
        if let Some(&found) = self.vertices.get(&(prestate, focus)) {
            return found;
        }
        let vertex = self.builder.vertex();
        self.vertices.insert((prestate, focus), vertex);
        self.pending.push((prestate, focus, vertex));
        vertex
    }

    /// The until of a prestate that comes after `last` in cyclic order.
    fn next_focus(&self, prestate: PrestateId, last: Option<NodeId>) -> Option<NodeId> {
        let untils = self.search.graph.eventualities(prestate);
        untils.iter().copied().find(|&u| Some(u) > last).or_else(|| untils.first().copied())
    }

    fn read(
        &mut self,
        prestate: PrestateId,
        focus: Option<NodeId>,
        vertex: u32,
    ) -> Result<(), StopReason> {
        let graph = &self.search.graph;
        let nth = focus.map(|f| {
            graph.eventualities(prestate).binary_search(&f).expect("the focus is an until here")
        });
        let alternative = self.witnesses.choose(prestate, nth);
        for variable in self.label(prestate, alternative)? {
            self.builder.label(vertex, variable);
        }
        let graph = &self.search.graph;
        let kept = focus.is_none_or(|f| graph.fulfilled(alternative).contains(&f));
        let path = focus.and_then(|f| self.search.closure.eventuality(f)).map(|(path, _)| path);
        let successors: Vec<_> = graph
            .somes(alternative.state)
            .iter()
            .copied()
            .zip(graph.successors(alternative.state).iter().copied())
            .collect();
        for (some, successor) in successors {
            let follows = !kept && (path == Some(Path::All) || Some(some) == focus);
            let focus = if follows { focus } else { self.next_focus(successor, focus) };
            let to = self.vertex(successor, focus);
            self.builder.edge(vertex, to);
        }
        Ok(())
    }

    /// The variables true in a label that makes the alternative's demands and keeps its promises.
    fn label(
        &mut self,
        prestate: PrestateId,
        alternative: Alternative,
    ) -> Result<Vec<u32>, StopReason> {
        let graph = &self.search.graph;
        let kept = graph.fulfilled(alternative);
        let key = (prestate, alternative.state, kept.to_vec());
        if let Some(found) = self.labels.get(&key) {
            return Ok(found.clone());
        }
        let mut formulas = graph.formulas(prestate).to_vec();
        formulas.extend(
            kept.iter()
                .filter_map(|&e| self.search.closure.eventuality(e))
                .map(|(_, promise)| promise),
        );
        formulas.extend(graph.demands(alternative.state));
        let state = alternative.state;
        // The label may lean on demands that the alternative does not make: then those are
        // excluded.
        let mut blocks = Vec::new();
        loop {
            let answer = self.search.labeller.query(&formulas, blocks.clone(), &[]);
            if let Answer::Stopped(stop) = answer {
                return Err(stop);
            }
            assert!(matches!(answer, Answer::Label), "a living alternative has a label");
            let demands = self.search.labeller.justify(&formulas);
            let excess = self.search.graph.excess(state, &demands);
            if excess.is_empty() {
                break;
            }
            blocks.extend(
                excess.into_iter().map(|node| Block { demands: vec![node], ..Block::default() }),
            );
        }
        let label: Vec<u32> = self.search.labeller.true_variables().collect();
        self.labels.insert(key, label.clone());
        Ok(label)
    }
}
