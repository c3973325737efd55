//! Are the promises kept? The nested fixpoint over the and-or graph.
//!
//! A *pair* is a prestate and an until among its formulas. The least fixpoint of "an alternative
//! keeps the promise on the spot, or hands the until on to successors that keep it" ranks the
//! pairs; it is computed with counters, in time linear in the graph. Around it goes a greatest
//! fixpoint that drops alternatives with a dropped successor or an unranked promise, and prestates
//! without alternatives.
//!
//! # References
//! E. A. Emerson, *Temporal and modal logic* (1990), for the conditions; W. F. Dowling, J. H.
//! Gallier, *Linear-time algorithms for testing the satisfiability of propositional Horn formulae*
//! (1984), for counters.

use super::closure::{Closure, NodeId};
use super::graph::{Alternative, Graph, PrestateId, StateId};
use crate::ctl::Path;
use std::collections::BTreeMap;

const NONE: u32 = u32::MAX;

/// The prestates at which an until is not known to be kept, oldest first.
pub(super) struct Open {
    pub(super) until: NodeId,
    pub(super) prestates: Vec<PrestateId>,
}

/// The outcome of a check.
pub(super) enum Checked {
    /// The root has a model.
    Kept(Witnesses),
    /// Groups of prestates that can never keep a common promise, with the until.
    Hopeless(Vec<(NodeId, Vec<PrestateId>)>),
    /// Further alternatives may help where promises are open; fewest first.
    Open(Vec<Open>),
}

/// For every prestate of the model and each of its untils, the alternative to take.
pub(super) struct Witnesses {
    index: Vec<u32>,
    pairs: Vec<u32>,
    chosen: Vec<Option<Alternative>>,
    any: Vec<Option<Alternative>>,
}

impl Witnesses {
    /// The alternative that leads to the promise of the prestate's `nth` until on a shortest way,
    /// or (`None`) any good one.
    pub(super) fn choose(&self, prestate: PrestateId, nth: Option<usize>) -> Alternative {
        let local = self.index[prestate as usize] as usize;
        let choice = match nth {
            Some(nth) => self.chosen[self.pairs[local] as usize + nth],
            None => self.any[local],
        };
        choice.expect("prestates of the model keep their promises")
    }
}

/// Checks the part of the graph that the root reaches.
pub(super) fn check(graph: &Graph<'_>, closure: &Closure, root: PrestateId) -> Checked {
    let part = Part::new(graph, closure, root);
    let hopeless = part.hopeless();
    if !hopeless.is_empty() {
        return Checked::Hopeless(hopeless);
    }
    part.kept()
}

/// The prestates that the root reaches, with their living alternatives and pairs numbered.
struct Part<'g> {
    graph: &'g Graph<'g>,
    closure: &'g Closure,
    reached: Vec<PrestateId>,
    /// The number of a prestate among those reached.
    index: Vec<u32>,
    /// Where each reached prestate's alternatives begin; one more at the end.
    firsts: Vec<u32>,
    alternatives: Vec<Alternative>,
    /// Where each reached prestate's pairs begin; one more at the end.
    pairs: Vec<u32>,
    /// For every alternative and until of its prestate: the pair, the alternative, and how many
    /// pairs of successors it waits for.
    items: Vec<(u32, u32, u32)>,
    /// The items that wait for a pair, as linked lists.
    heads: Vec<u32>,
    links: Vec<(u32, u32)>,
}

impl<'g> Part<'g> {
    fn new(graph: &'g Graph<'g>, closure: &'g Closure, root: PrestateId) -> Self {
        let mut part = Self {
            graph,
            closure,
            reached: vec![root],
            index: vec![NONE; graph.prestates.len()],
            firsts: Vec::new(),
            alternatives: Vec::new(),
            pairs: Vec::new(),
            items: Vec::new(),
            heads: Vec::new(),
            links: Vec::new(),
        };
        part.index[root as usize] = 0;
        part.reach();
        part.wire();
        part
    }

    fn reach(&mut self) {
        let (mut at, mut pairs) = (0, 0);
        while at < self.reached.len() {
            let prestate = self.reached[at];
            self.firsts.push(self.alternatives.len() as u32);
            self.pairs.push(pairs);
            pairs += self.graph.eventualities(prestate).len() as u32;
            for alternative in self.graph.alive(prestate) {
                self.alternatives.push(alternative);
                for &successor in self.graph.successors(alternative.state) {
                    if self.index[successor as usize] == NONE {
                        self.index[successor as usize] = self.reached.len() as u32;
                        self.reached.push(successor);
                    }
                }
            }
            at += 1;
        }
        self.firsts.push(self.alternatives.len() as u32);
        self.pairs.push(pairs);
    }

    fn alternatives_of(&self, local: usize) -> std::ops::Range<usize> {
        self.firsts[local] as usize..self.firsts[local + 1] as usize
    }

    fn wire(&mut self) {
        self.heads = vec![NONE; self.pairs[self.reached.len()] as usize];
        for local in 0..self.reached.len() {
            let untils = self.graph.eventualities(self.reached[local]);
            for at in self.alternatives_of(local) {
                let alternative = self.alternatives[at];
                let kept = self.graph.fulfilled(alternative);
                for (nth, &until) in untils.iter().enumerate() {
                    let item = self.items.len() as u32;
                    let mut waits = 0;
                    if !kept.contains(&until) {
                        for pair in self.handed_on(alternative.state, until) {
                            self.links.push((self.heads[pair as usize], item));
                            self.heads[pair as usize] = self.links.len() as u32 - 1;
                            waits += 1;
                        }
                        // Not expanded yet: it waits for ever.
                        waits = waits.max(1);
                    }
                    self.items.push((self.pairs[local] + nth as u32, at as u32, waits));
                }
            }
        }
    }

    /// The pairs of successors to which a state hands an until on.
    fn handed_on(&self, state: StateId, until: NodeId) -> Vec<u32> {
        let successors = self.graph.successors(state);
        match self.closure.eventuality(until) {
            Some((Path::All, _)) => successors.iter().map(|&s| self.pair(s, until)).collect(),
            _ => {
                let via = self
                    .graph
                    .somes(state)
                    .iter()
                    .zip(successors)
                    .find(|&(&some, _)| some == until);
                via.map(|(_, &s)| self.pair(s, until)).into_iter().collect()
            }
        }
    }

    fn pair(&self, prestate: PrestateId, until: NodeId) -> u32 {
        let nth =
            self.graph.eventualities(prestate).binary_search(&until).expect("an until handed on");
        self.pairs[self.index[prestate as usize] as usize] + nth as u32
    }

    /// Ranks the pairs, using only alternatives that are `usable`, with these pairs given; answers
    /// for every pair the item that ranked it (or [`NONE`]) and whether it is ranked.
    fn rank(&self, usable: &[bool], given: impl Iterator<Item = u32>) -> (Vec<u32>, Vec<bool>) {
        let mut ranked = vec![false; self.heads.len()];
        let mut by = vec![NONE; self.heads.len()];
        let mut waits: Vec<u32> = self.items.iter().map(|&(_, _, w)| w).collect();
        let mut queue: Vec<u32> = Vec::new();
        for pair in given {
            if !std::mem::replace(&mut ranked[pair as usize], true) {
                queue.push(pair);
            }
        }
        for (item, &(pair, alternative, wait)) in self.items.iter().enumerate() {
            if wait == 0
                && usable[alternative as usize]
                && !std::mem::replace(&mut ranked[pair as usize], true)
            {
                by[pair as usize] = item as u32;
                queue.push(pair);
            }
        }
        let mut at = 0;
        while at < queue.len() {
            let mut link = self.heads[queue[at] as usize];
            at += 1;
            while link != NONE {
                let (next, item) = self.links[link as usize];
                link = next;
                let (pair, alternative, _) = self.items[item as usize];
                waits[item as usize] -= 1;
                if waits[item as usize] == 0
                    && usable[alternative as usize]
                    && !std::mem::replace(&mut ranked[pair as usize], true)
                {
                    by[pair as usize] = item;
                    queue.push(pair);
                }
            }
        }
        (by, ranked)
    }

    /// Groups of prestates that cannot keep a promise even if every prestate that may get further
    /// alternatives keeps all of its own.
    fn hopeless(&self) -> Vec<(NodeId, Vec<PrestateId>)> {
        let open = |local: &usize| {
            let prestate = &self.graph.prestates[self.reached[*local] as usize];
            let unexpanded = |a: &Alternative| !self.graph.states[a.state as usize].expanded;
            !prestate.exhausted
                || self.alternatives[self.alternatives_of(*local)].iter().any(unexpanded)
        };
        let given =
            (0..self.reached.len()).filter(open).flat_map(|l| self.pairs[l]..self.pairs[l + 1]);
        let (_, ranked) = self.rank(&vec![true; self.alternatives.len()], given);
        self.unranked(&ranked).into_iter().collect()
    }

    /// The greatest set of prestates with a good alternative each.
    fn kept(&self) -> Checked {
        let mut usable = vec![true; self.alternatives.len()];
        let mut left: Vec<u32> =
            (0..self.reached.len()).map(|l| self.alternatives_of(l).len() as u32).collect();
        let mut dropped: Vec<u32> =
            (0..self.reached.len() as u32).filter(|&l| left[l as usize] == 0).collect();
        let mut first_ranked: Option<Vec<bool>> = None;
        for (at, alternative) in self.alternatives.iter().enumerate() {
            if !self.graph.states[alternative.state as usize].expanded {
                self.discard(at, &mut usable, &mut left, &mut dropped);
            }
        }
        loop {
            self.drop_all(&mut usable, &mut left, &mut dropped);
            let (by, ranked) = self.rank(&usable, std::iter::empty());
            let mut steady = true;
            for (at, alternative) in self.alternatives.iter().enumerate() {
                if usable[at] && !self.keeps(alternative.state, &ranked) {
                    self.discard(at, &mut usable, &mut left, &mut dropped);
                    steady = false;
                }
            }
            if left[0] == 0 {
                return self.open(first_ranked.as_ref().unwrap_or(&ranked));
            }
            if steady {
                return Checked::Kept(self.witnesses(&usable, &by));
            }
            first_ranked.get_or_insert(ranked);
        }
    }

    fn discard(&self, at: usize, usable: &mut [bool], left: &mut [u32], dropped: &mut Vec<u32>) {
        if std::mem::replace(&mut usable[at], false) {
            let local = self.firsts.partition_point(|&f| f as usize <= at) - 1;
            left[local] -= 1;
            if left[local] == 0 {
                dropped.push(local as u32);
            }
        }
    }

    /// Discards the alternatives that lead to dropped prestates.
    fn drop_all(&self, usable: &mut [bool], left: &mut [u32], dropped: &mut Vec<u32>) {
        while let Some(local) = dropped.pop() {
            for &state in &self.graph.prestates[self.reached[local as usize] as usize].parents {
                for &owner in &self.graph.states[state as usize].owners {
                    let owner = self.index[owner as usize];
                    if owner == NONE {
                        continue;
                    }
                    for at in self.alternatives_of(owner as usize) {
                        if self.alternatives[at].state == state {
                            self.discard(at, usable, left, dropped);
                        }
                    }
                }
            }
        }
    }

    /// Whether all that the state hands on is ranked.
    fn keeps(&self, state: StateId, ranked: &[bool]) -> bool {
        let is = |path: Path| {
            move |n: &&NodeId| self.closure.eventuality(**n).is_some_and(|(p, _)| p == path)
        };
        let untils = self.graph.alls(state).iter().filter(is(Path::All));
        let mut untils = untils.chain(self.graph.somes(state).iter().filter(is(Path::Some)));
        untils.all(|&until| self.handed_on(state, until).iter().all(|&pair| ranked[pair as usize]))
    }

    fn witnesses(&self, usable: &[bool], by: &[u32]) -> Witnesses {
        let alternative = |item: &u32| {
            let (_, at, _) = *self.items.get(*item as usize)?;
            Some(self.alternatives[at as usize])
        };
        let any = (0..self.reached.len())
            .map(|l| self.alternatives_of(l).find(|&at| usable[at]).map(|at| self.alternatives[at]))
            .collect();
        Witnesses {
            index: self.index.clone(),
            pairs: self.pairs.clone(),
            chosen: by.iter().map(alternative).collect(),
            any,
        }
    }

    fn open(&self, ranked: &[bool]) -> Checked {
        let mut open: Vec<Open> = self
            .unranked(ranked)
            .into_iter()
            .map(|(until, mut prestates)| {
                prestates.sort_unstable();
                Open { until, prestates }
            })
            .collect();
        open.sort_by_key(|o| o.prestates.len());
        Checked::Open(open)
    }

    /// The prestates with unranked pairs, by until.
    fn unranked(&self, ranked: &[bool]) -> BTreeMap<NodeId, Vec<PrestateId>> {
        let mut groups: BTreeMap<NodeId, Vec<PrestateId>> = BTreeMap::new();
        for (local, &prestate) in self.reached.iter().enumerate() {
            for (nth, &until) in self.graph.eventualities(prestate).iter().enumerate() {
                if !ranked[self.pairs[local] as usize + nth] {
                    groups.entry(until).or_default().push(prestate);
                }
            }
        }
        groups
    }
}
