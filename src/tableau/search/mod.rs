//! The search: grows the and-or graph only as far as the answer needs.
//!
//! * A prestate gets its first alternative when a state leads to it; another one only when all its
//!   alternatives died or a promise cannot be kept with those it has.
//! * What makes a successor unsatisfiable is reduced to a core, and the core excluded as a
//!   combination of `AX` and `EX` at every vertex: one clause prunes all labels to come.
//! * Promises are checked ([`super::promises`]) when nothing is left to expand, and each time the
//!   graph has grown by half, so that all checks together cost a constant factor over the last one.
//!
//! # Why it is right
//! *Elimination is sound.* A prestate dies when no label is left, a state when a successor is dead;
//! a set of prestates dies when none can keep its promise even if every prestate with alternatives
//! still to come could. Every vertex that satisfies a prestate satisfies the demands of one of its
//! alternatives and keeps every promise that this one keeps — a [`Block`] excludes later
//! alternatives only if they demand as much and keep no further promise — so by induction on the
//! distance to the promise, satisfiable prestates never die. *A graph that passes the check has a
//! model*: see [`super::model`]. *It ends*: there are finitely many prestates and alternatives, and
//! each round adds or kills one.
//!
//! # References
//! E. A. Emerson, J. Y. Halpern, *Decision procedures and expressiveness in the temporal logic of
//! branching time* (1985) and E. A. Emerson, *Temporal and modal logic* (1990), for the and-or
//! tableau and elimination; R. Goré, F. Widmann, *An optimal on-the-fly tableau-based decision
//! procedure for PDL-satisfiability* (2009) for global caching; E. Giunchiglia, A. Tacchella, F.
//! Giunchiglia, *SAT-based decision procedures for classical modal logics* (2002) and R. Goré, C.
//! Kikkert, *CEGAR-tableaux* (2021) for successors' conflicts learned as clauses.

mod siege;

use super::closure::{Closure, NodeId};
use super::graph::{Alternative, Graph, PrestateId, StateId};
use super::labeller::{Answer, Block, Labeller};
use super::promises::Witnesses;
use crate::ctl::Path;
use crate::limits::{Budget, StopReason};
use std::collections::{HashMap, HashSet};

/// Queries between two looks at the budget.
const STEPS: u64 = 256;
/// Demands excluded as a combination at every vertex, however many there are.
const SHORT: usize = 8;
/// Longer ones are excluded everywhere as long as there are fewer.
const MANY: usize = 500;

/// The promises are checked first when the graph is larger than this.
const FIRST_CHECK: usize = 1000;

/// The end of a search.
pub(super) enum Verdict {
    /// Satisfiable: which alternative keeps which promise.
    Satisfiable(Witnesses),
    Unsatisfiable,
}

pub(super) struct Search<'c> {
    pub(super) closure: &'c Closure,
    pub(super) labeller: Labeller<'c>,
    pub(super) graph: Graph<'c>,
    pub(super) root: PrestateId,
    /// States to expand, the next one last.
    stack: Vec<StateId>,
    /// Prestates whose last alternative died.
    orphans: Vec<PrestateId>,
    /// Why a prestate is dead: formulas of it that cannot hold together.
    cores: HashMap<PrestateId, Vec<NodeId>>,
    excluded: HashSet<Vec<NodeId>>,
    /// Why a state is dead, where that is long: demands that cannot be made together. Beyond the
    /// first such clauses they are used only where their state is an alternative: thousands of long
    /// clauses cost every label more than they spare.
    lasting: HashMap<StateId, Vec<NodeId>>,
    /// Sets of formulas that induction was tried on, with the promise.
    tried: HashSet<(NodeId, Vec<NodeId>)>,
    /// Whether wide open promises are pressed from the oldest prestate on.
    turn: bool,
    /// The size of the graph at which the promises are checked again.
    next_check: usize,
    /// Promises open at the last check.
    pub(super) open_promises: usize,
    /// Why prestates and states died, in order, if that is to be kept.
    pub(super) log: Option<Vec<Death>>,
}

/// Why something cannot be at any vertex.
#[derive(Debug, Clone)]
pub(super) enum Death {
    /// These demands, because these formulas that they put into one successor contradict each
    /// other.
    Demands {
        /// `AX φ`, `EX φ`
        demands: Vec<NodeId>,
        /// The formulas.
        core: Vec<NodeId>,
    },
    /// Each of these sets of formulas, because where one of them holds, the promise of an until is
    /// not kept and a successor on the way to it has one of them again.
    Promise {
        /// The until.
        until: NodeId,
        /// The sets.
        sets: Vec<Vec<NodeId>>,
    },
}

impl<'c> Search<'c> {
    pub(super) fn new(closure: &'c Closure) -> Self {
        let mut graph = Graph::new(closure);
        let root = graph.prestate(closure.start.clone());
        Self {
            closure,
            labeller: Labeller::new(closure),
            graph,
            root,
            stack: Vec::new(),
            orphans: vec![root],
            cores: HashMap::new(),
            excluded: HashSet::new(),
            lasting: HashMap::new(),
            tried: HashSet::new(),
            turn: false,
            next_check: FIRST_CHECK,
            open_promises: 0,
            log: None,
        }
    }

    /// Keeps in mind why something died.
    fn note(&mut self, death: impl FnOnce(&Self) -> Death) {
        if self.log.is_some() {
            let death = death(self);
            self.log.iter_mut().for_each(|log| log.push(death.clone()));
        }
    }

    /// Decides the root. After a limit was reached it may be called again, and goes on.
    pub(super) fn run(&mut self, budget: &Budget) -> Result<Verdict, StopReason> {
        let mut steps = 0_u64;
        budget.check(0, 0)?;
        self.labeller.set_budget(budget);
        loop {
            steps += 1;
            if steps.is_multiple_of(STEPS) {
                self.look_at(budget)?;
                budget.progress().advance(self.graph.len() as u64);
            }
            if self.graph.prestates[self.root as usize].dead {
                return Ok(Verdict::Unsatisfiable);
            }
            if let Some(prestate) = self.orphans.pop() {
                if self.is_orphan(prestate) && self.is_wanted(prestate) {
                    self.ask_first(prestate).inspect_err(|_| self.orphans.push(prestate))?;
                }
            } else if self.graph.len() > self.next_check || self.stack.is_empty() {
                self.next_check = self.graph.len() + self.graph.len() / 2 + 1000;
                match self.check(budget)? {
                    Some(witnesses) => return Ok(Verdict::Satisfiable(witnesses)),
                    None => continue,
                }
            } else if let Some(state) = self.stack.pop() {
                self.expand(state).inspect_err(|_| self.stack.push(state))?;
            }
        }
    }

    fn look_at(&self, budget: &Budget) -> Result<(), StopReason> {
        budget.check(self.graph.len() as u64, self.graph.bytes() + self.labeller.bytes())
    }

    fn is_orphan(&self, prestate: PrestateId) -> bool {
        !self.graph.prestates[prestate as usize].dead && self.graph.alive(prestate).next().is_none()
    }

    /// Whether a living state leads there.
    fn is_wanted(&self, prestate: PrestateId) -> bool {
        let parents = &self.graph.prestates[prestate as usize].parents;
        prestate == self.root || parents.iter().any(|&s| !self.graph.states[s as usize].dead)
    }

    fn expand(&mut self, state: StateId) -> Result<(), StopReason> {
        let owned = |s: StateId| {
            let owners = &self.graph.states[s as usize].owners;
            owners.iter().any(|&o| !self.graph.prestates[o as usize].dead)
        };
        if self.graph.states[state as usize].dead || !owned(state) {
            return Ok(());
        }
        self.graph.expand(state);
        for i in 0..self.graph.successors(state).len() {
            let successor = self.graph.successors(state)[i];
            if self.graph.prestates[successor as usize].dead {
                self.kill_state(state, successor);
            } else if self.is_orphan(successor) {
                self.ask_first(successor)?;
            }
            if self.graph.states[state as usize].dead {
                break;
            }
        }
        Ok(())
    }

    /// Asks for an alternative of a prestate that has none. The promises that have been open longest
    /// are kept first: were it always the same ones, the others might wait for ever.
    fn ask_first(&mut self, prestate: PrestateId) -> Result<(), StopReason> {
        let promise = |&u: &NodeId| self.closure.eventuality(u).map(|(_, promise)| promise);
        let preferred: Vec<NodeId> =
            self.graph.queue(prestate).iter().filter_map(promise).collect();
        self.ask(prestate, &preferred, 1)
    }

    /// Asks for up to `count` more alternatives of a prestate, if possible such that make the
    /// `preferred` nodes true. Those found before a limit is reached are kept.
    fn ask(
        &mut self,
        prestate: PrestateId,
        preferred: &[NodeId],
        count: usize,
    ) -> Result<(), StopReason> {
        let first = self.graph.alive(prestate).next().is_none();
        let formulas = self.graph.formulas(prestate).to_vec();
        let mut blocks = self.lasting(prestate);
        blocks.extend(self.graph.alive(prestate).map(|a| self.block(prestate, a)));
        let mut answer = self.labeller.query(&formulas, blocks, preferred);
        let mut found = 0;
        while let Answer::Label = answer {
            let alternative = self.add_label(prestate, &formulas);
            let dead = self.graph.states[alternative.state as usize].dead;
            found += usize::from(!dead);
            if found == count {
                return Ok(());
            }
            let block = if dead {
                self.why_dead(alternative.state)
            } else {
                self.block(prestate, alternative)
            };
            answer = self.labeller.again(&formulas, block, preferred);
        }
        match answer {
            Answer::Stopped(stop) => return Err(stop),
            Answer::Conflict { core, local } if !local || (first && found == 0) => {
                self.kill(prestate, core)
            }
            _ => self.graph.prestates[prestate as usize].exhausted = true,
        }
        Ok(())
    }

    /// Makes the label just found an alternative of the prestate.
    fn add_label(&mut self, prestate: PrestateId, formulas: &[NodeId]) -> Alternative {
        let demands = self.labeller.justify(formulas);
        let kept = |e: NodeId| {
            self.closure.eventuality(e).is_some_and(|(_, p)| self.labeller.value(p) == 1)
        };
        let fulfilled: Vec<_> =
            self.graph.eventualities(prestate).iter().copied().filter(|&e| kept(e)).collect();
        let alternative = self.graph.add_alternative(prestate, &demands, &fulfilled);
        let state = alternative.state;
        if !self.graph.states[state as usize].expanded {
            self.stack.push(state);
        }
        alternative
    }

    /// What is known of the dead alternatives of a prestate and was not excluded everywhere.
    fn lasting(&self, prestate: PrestateId) -> Vec<Block> {
        let long = self.graph.dead(prestate).filter(|a| self.lasting.contains_key(&a.state));
        long.map(|a| self.why_dead(a.state)).collect()
    }

    /// Why a state is dead: demands that cannot be made together at any vertex.
    fn why_dead(&self, state: StateId) -> Block {
        Block { demands: self.lasting[&state].clone(), lasting: true, ..Block::default() }
    }

    /// What excludes an alternative and those it makes needless.
    fn block(&self, prestate: PrestateId, alternative: Alternative) -> Block {
        let kept = self.graph.fulfilled(alternative);
        let unkept = self.graph.eventualities(prestate).iter().filter(|e| !kept.contains(e));
        let promise = |e: &NodeId| self.closure.eventuality(*e).map(|(_, promise)| promise);
        Block {
            demands: self.graph.demands(alternative.state),
            promises: unkept.filter_map(promise).collect(),
            lasting: false,
        }
    }

    /// The prestate is unsatisfiable because of the formulas of `core`.
    fn kill(&mut self, prestate: PrestateId, core: Vec<NodeId>) {
        if std::mem::replace(&mut self.graph.prestates[prestate as usize].dead, true) {
            return;
        }
        if core.len() <= SHORT {
            self.exclude(core.clone());
        }
        self.cores.insert(prestate, core);
        for i in 0..self.graph.prestates[prestate as usize].parents.len() {
            let parent = self.graph.prestates[prestate as usize].parents[i];
            self.kill_state(parent, prestate);
        }
    }

    /// The state is unsatisfiable because this successor is.
    fn kill_state(&mut self, state: StateId, successor: PrestateId) {
        if std::mem::replace(&mut self.graph.states[state as usize].dead, true) {
            return;
        }
        let clause = self.demands_of(state, successor, &self.cores[&successor]);
        self.note(|search| Death::Demands {
            demands: clause.clone(),
            core: search.cores[&successor].clone(),
        });
        if clause.len() <= SHORT || self.lasting.len() < MANY {
            self.exclude(clause.clone());
        }
        if clause.len() > SHORT {
            self.lasting.insert(state, clause);
        }
        for i in 0..self.graph.states[state as usize].owners.len() {
            let owner = self.graph.states[state as usize].owners[i];
            if self.is_orphan(owner) {
                self.orphans.push(owner);
            }
        }
    }

    /// The demands of a state that put these formulas into a successor.
    fn demands_of(
        &self,
        state: StateId,
        successor: PrestateId,
        formulas: &[NodeId],
    ) -> Vec<NodeId> {
        let alls = self.graph.alls(state);
        let at = self
            .graph
            .successors(state)
            .iter()
            .position(|&s| s == successor)
            .expect("a successor of the state");
        let next =
            |path, n| self.closure.find_next(path, n).expect("a demand is a node of the closure");
        let mut some = Closure::ALIVE;
        let mut demands = Vec::with_capacity(formulas.len() + 1);
        for &formula in formulas {
            if alls.binary_search(&formula).is_ok() {
                demands.push(next(Path::All, formula));
            } else {
                some = next(Path::Some, self.graph.somes(state)[at]);
            }
        }
        demands.push(some);
        demands
    }

    fn exclude(&mut self, mut nodes: Vec<NodeId>) {
        nodes.sort_unstable();
        if !self.excluded.contains(&nodes) {
            self.labeller.exclude(&nodes);
            self.excluded.insert(nodes);
        }
    }
}

/// Whether an ascending list is part of another.
fn is_subset(part: &[NodeId], whole: &[NodeId]) -> bool {
    part.iter().all(|n| whole.binary_search(n).is_ok())
}
