//! What is done about promises that are not kept: they are refuted by induction, pressed one
//! prestate after another, or, where few prestates are left, besieged at all of them together.
//!
//! # References
//! A. R. Bradley, *SAT-based model checking without unrolling* (2011), for induction relative to
//! what is stuck.

use super::{Death, STEPS, Search, is_subset};
use crate::ctl::Path;
use crate::limits::{Budget, StopReason};
use crate::tableau::closure::{Closure, NodeId};
use crate::tableau::graph::{PrestateId, StateId};
use crate::tableau::labeller::{Answer, Block};
use crate::tableau::promises::{self, Checked, Open, Witnesses};
use std::collections::{BTreeSet, HashSet};

/// A promise open at no more prestates than this is besieged at all of them together.
const SIEGE: usize = 400;
/// Alternatives asked for between two looks at the budget.
const BATCH: usize = 64;

impl Search<'_> {
    /// Checks the promises: kills what cannot keep them, asks for further alternatives where that
    /// may help.
    pub(super) fn check(&mut self, budget: &Budget) -> Result<Option<Witnesses>, StopReason> {
        match promises::check(&self.graph, self.closure, self.root) {
            Checked::Kept(witnesses) => return Ok(Some(witnesses)),
            Checked::Hopeless(groups) => {
                for (until, group) in groups {
                    self.kill_hopeless(until, &group)?;
                }
            }
            Checked::Open(open) => {
                self.open_promises = open.iter().map(|o| o.prestates.len()).sum();
                let room = 1 + self.graph.len() / 2;
                if self.stack.is_empty() {
                    for one in &open {
                        if self.press(one, room, budget)? {
                            return Ok(None);
                        }
                    }
                    debug_assert!(false, "a promise is open and nothing can be asked");
                    return Err(StopReason::Exhausted);
                }
            }
        }
        Ok(None)
    }

    /// Makes progress with an open promise: a proof that it is never kept, or up to `room` new
    /// alternatives.
    fn press(&mut self, open: &Open, room: usize, budget: &Budget) -> Result<bool, StopReason> {
        let members: HashSet<PrestateId> = open.prestates.iter().copied().collect();
        if self.refute(open)? {
            return Ok(true);
        }
        if open.prestates.len() <= SIEGE {
            return self.besiege(open, &members, room, budget);
        }
        let promise = self.closure.eventuality(open.until).map(|(_, promise)| promise);
        let mut left = room;
        // Turn and turn about: the newest go deep, the oldest find a model that is near the root.
        self.turn = !self.turn;
        let count = open.prestates.len();
        for i in 0..count {
            let prestate = open.prestates[if self.turn { i } else { count - 1 - i }];
            if i.is_multiple_of(STEPS as usize) {
                self.look_at(budget)?;
            }
            let state = &self.graph.prestates[prestate as usize];
            if !state.dead && !state.exhausted {
                // Many at a time: a query costs more than a label.
                let count = 4 * state.alternatives.len().max(1);
                self.ask_many(prestate, promise.as_slice(), count, budget)?;
                left = left.saturating_sub(count);
            }
            if left == 0 {
                break;
            }
        }
        Ok(left < room)
    }

    /// Asks at each of the prestates whether a vertex may keep the promise, or hand it on to a
    /// successor that is not known to be stuck. Those that may get an alternative. If none may, all
    /// of them are dead: along the ways the promise is handed on, it is never kept.
    fn besiege(
        &mut self,
        open: &Open,
        members: &HashSet<PrestateId>,
        room: usize,
        budget: &Budget,
    ) -> Result<bool, StopReason> {
        let promise = self.closure.eventuality(open.until).map(|(_, promise)| promise);
        let mut stuck: BTreeSet<Vec<NodeId>> =
            members.iter().map(|&m| self.graph.formulas(m).to_vec()).collect();
        let mut cores = Vec::new();
        let mut escaped = 0;
        for &prestate in open.prestates.iter().rev() {
            if self.graph.prestates[prestate as usize].dead {
                continue;
            }
            self.look_at(budget)?;
            let formulas = self.graph.formulas(prestate).to_vec();
            let mut blocks = self.lasting(prestate);
            blocks.extend(stuck.iter().flat_map(|s| self.handing_on(open.until, s)));
            match self.labeller.query(&formulas, blocks, promise.as_slice()) {
                Answer::Label => {
                    self.add_label(prestate, &formulas);
                    escaped += 1;
                    if escaped == room {
                        return Ok(true);
                    }
                }
                Answer::Conflict { mut core, .. } => {
                    if let Err(at) = core.binary_search(&open.until) {
                        core.insert(at, open.until);
                    }
                    stuck.retain(|s| !is_subset(&core, s));
                    stuck.insert(core.clone());
                    cores.push((prestate, core));
                }
                Answer::Stopped(stop) => return Err(stop),
            }
        }
        if escaped == 0 {
            let sets = || stuck.into_iter().collect();
            self.note(|_| Death::Promise { until: open.until, sets: sets() });
            for (prestate, core) in cores {
                self.kill(prestate, core);
            }
        }
        Ok(true)
    }

    /// The ways a vertex that does not keep the promise of `until` may hand it on to a successor
    /// where all of `formulas` (which include it) hold, each as a block.
    fn handing_on(&self, until: NodeId, formulas: &[NodeId]) -> Vec<Block> {
        let Some((path, promise)) = self.closure.eventuality(until) else { return Vec::new() };
        let way = |via: Option<NodeId>| -> Option<Block> {
            let mut demands = vec![match via {
                Some(some) => self.closure.find_next(Path::Some, some)?,
                None => Closure::ALIVE,
            }];
            for &formula in formulas.iter().filter(|&&f| Some(f) != via) {
                demands.push(self.closure.find_next(Path::All, formula)?);
            }
            if path == Path::All && via == Some(until) {
                demands.push(self.closure.find_next(Path::All, until)?);
            }
            Some(Block { demands, promises: vec![promise], lasting: false })
        };
        match path {
            Path::Some => way(Some(until)).into_iter().collect(),
            Path::All => std::iter::once(None)
                .chain(formulas.iter().copied().map(Some))
                .filter_map(way)
                .collect(),
        }
    }

    /// Kills prestates none of which can keep a common promise: every alternative leads to another
    /// of them.
    fn kill_hopeless(&mut self, until: NodeId, group: &[PrestateId]) -> Result<(), StopReason> {
        let members: HashSet<PrestateId> = group.iter().copied().collect();
        let mut dead = Vec::new();
        for &prestate in group {
            let block = |state: StateId| {
                let mut successors = self.graph.successors(state).iter();
                let next = *successors.find(|s| members.contains(s)).expect("a hopeless successor");
                let demands = self.demands_of(state, next, self.graph.formulas(next));
                Block { demands, ..Block::default() }
            };
            let mut blocks = self.lasting(prestate);
            blocks.extend(self.graph.alive(prestate).map(|a| block(a.state)));
            match self.labeller.query(self.graph.formulas(prestate), blocks, &[]) {
                Answer::Conflict { core, .. } => dead.push((prestate, core)),
                Answer::Label => dead.push((prestate, self.graph.formulas(prestate).to_vec())),
                Answer::Stopped(stop) => return Err(stop),
            }
        }
        self.note(|search| Death::Promise {
            until,
            sets: group.iter().map(|&p| search.graph.formulas(p).to_vec()).collect(),
        });
        for (prestate, core) in dead {
            self.kill(prestate, core);
        }
        Ok(())
    }

    /// Tries to refute a promise by induction in one step, first from the until alone, then from
    /// what all the prestates have in common: if a vertex that satisfies these formulas and does
    /// not keep the promise hands all of them on to a successor on the way to it, the promise is
    /// never kept.
    fn refute(&mut self, open: &Open) -> Result<bool, StopReason> {
        let mut common = self.graph.formulas(open.prestates[0]).to_vec();
        for &prestate in &open.prestates {
            let formulas = self.graph.formulas(prestate);
            common.retain(|f| formulas.binary_search(f).is_ok());
        }
        let core = match self.induction(open.until, &[open.until])? {
            Some(core) => Some(core),
            None => self.induction(open.until, &common)?,
        };
        let Some(core) = core else { return Ok(false) };
        self.note(|_| Death::Promise { until: open.until, sets: vec![core.clone()] });
        let holders: Vec<PrestateId> = (0..self.graph.prestates.len() as PrestateId)
            .filter(|&p| is_subset(&core, self.graph.formulas(p)))
            .collect();
        for holder in holders {
            self.kill(holder, core.clone());
        }
        Ok(true)
    }

    /// The formulas to blame if the promise of `until` is never kept where `invariant` holds.
    fn induction(
        &mut self,
        until: NodeId,
        invariant: &[NodeId],
    ) -> Result<Option<Vec<NodeId>>, StopReason> {
        let question = (until, invariant.to_vec());
        if self.tried.contains(&question) {
            return Ok(None);
        }
        let blocks = self.handing_on(until, invariant);
        let refuted = match blocks.is_empty() {
            true => None,
            false => match self.labeller.query(invariant, blocks, &[]) {
                Answer::Label => None,
                Answer::Conflict { mut core, .. } => {
                    core.push(until);
                    core.sort_unstable();
                    core.dedup();
                    Some(core)
                }
                Answer::Stopped(stop) => return Err(stop),
            },
        };
        self.tried.insert(question);
        Ok(refuted)
    }

    /// As [`Search::ask`], with a look at the budget now and then.
    fn ask_many(
        &mut self,
        prestate: PrestateId,
        preferred: &[NodeId],
        count: usize,
        budget: &Budget,
    ) -> Result<(), StopReason> {
        let mut left = count;
        while left > 0 {
            self.look_at(budget)?;
            let some = left.min(BATCH);
            self.ask(prestate, preferred, some)?;
            left -= some;
            let state = &self.graph.prestates[prestate as usize];
            if state.dead || state.exhausted {
                break;
            }
        }
        Ok(())
    }
}
