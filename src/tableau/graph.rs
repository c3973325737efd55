//! The and-or graph of the tableau: prestates (or-nodes) and states (and-nodes), each made once.
//!
//! A *prestate* is a set of formulas demanded of one vertex. Its *alternatives* are ways to meet
//! them; what an alternative demands of the successors is a *state*, shared by all prestates that
//! lead to the same demands. A state has one successor prestate for every `EX φ`: φ and the ψ of
//! every `AX ψ`.
//!
//! About 100 bytes per prestate, 80 per state, 16 per alternative, and 4 per formula in a key.

use super::closure::{Closure, Kind, NodeId};
use super::labeller::Demands;
use crate::ctl::Path;
use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

/// A prestate of a [`Graph`].
pub(super) type PrestateId = u32;
/// A state of a [`Graph`].
pub(super) type StateId = u32;

/// Part of a pool: start and length.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Span {
    start: u32,
    len: u32,
}

impl Span {
    fn of<T>(self, pool: &[T]) -> &[T] {
        &pool[self.start as usize..][..self.len as usize]
    }

    fn push<T: Copy>(pool: &mut Vec<T>, items: &[T]) -> Self {
        let start = u32::try_from(pool.len()).expect("fewer than 2^32 entries in keys");
        pool.extend_from_slice(items);
        Self { start, len: items.len() as u32 }
    }
}

/// One way to meet a prestate's formulas.
#[derive(Debug, Clone, Copy)]
pub(super) struct Alternative {
    pub(super) state: StateId,
    fulfilled: Span,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Prestate {
    key: Span,
    eventualities: Span,
    /// The eventualities in the order in which their promises are due.
    queue: Span,
    pub(super) alternatives: Vec<Alternative>,
    /// The states that have it as a successor.
    pub(super) parents: Vec<StateId>,
    /// Unsatisfiable.
    pub(super) dead: bool,
    /// It has no alternatives but those listed.
    pub(super) exhausted: bool,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct State {
    key: Span,
    alls: u32,
    successors: Span,
    /// The prestates that have it as an alternative.
    pub(super) owners: Vec<PrestateId>,
    /// A successor is dead.
    pub(super) dead: bool,
    /// Its successors are listed.
    pub(super) expanded: bool,
}

/// See the module.
pub(super) struct Graph<'c> {
    closure: &'c Closure,
    pub(super) prestates: Vec<Prestate>,
    pub(super) states: Vec<State>,
    alternatives: u64,
    keys: Vec<NodeId>,
    successors: Vec<PrestateId>,
    prestate_table: HashTable<PrestateId>,
    state_table: HashTable<StateId>,
    hasher: DefaultHashBuilder,
    in_key: Vec<bool>,
}

impl<'c> Graph<'c> {
    pub(super) fn new(closure: &'c Closure) -> Self {
        Self {
            closure,
            prestates: Vec::new(),
            states: Vec::new(),
            alternatives: 0,
            keys: Vec::new(),
            successors: Vec::new(),
            prestate_table: HashTable::new(),
            state_table: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            in_key: vec![false; closure.len()],
        }
    }

    /// Bytes held, roughly.
    pub(super) fn bytes(&self) -> u64 {
        let (prestates, states) = (self.prestates.len() as u64, self.states.len() as u64);
        prestates * 140
            + states * 110
            + self.alternatives * 20
            + (self.keys.capacity() + self.successors.capacity()) as u64 * 4
    }

    /// Prestates and states, the size of the graph.
    pub(super) fn len(&self) -> usize {
        self.prestates.len() + self.states.len()
    }

    pub(super) fn formulas(&self, prestate: PrestateId) -> &[NodeId] {
        self.prestates[prestate as usize].key.of(&self.keys)
    }

    /// The untils among the formulas, ascending.
    pub(super) fn eventualities(&self, prestate: PrestateId) -> &[NodeId] {
        self.prestates[prestate as usize].eventualities.of(&self.keys)
    }

    /// The untils among the formulas, those first whose promises have been open longest on the way
    /// by which the prestate was first reached.
    pub(super) fn queue(&self, prestate: PrestateId) -> &[NodeId] {
        self.prestates[prestate as usize].queue.of(&self.keys)
    }

    /// The untils of the prestate whose promises the alternative keeps on the spot.
    pub(super) fn fulfilled(&self, alternative: Alternative) -> &[NodeId] {
        alternative.fulfilled.of(&self.keys)
    }

    /// ψ for every `AX ψ` of a state.
    pub(super) fn alls(&self, state: StateId) -> &[NodeId] {
        let state = &self.states[state as usize];
        &state.key.of(&self.keys)[..state.alls as usize]
    }

    /// φ for every `EX φ` of a state; the successors are in the same order.
    pub(super) fn somes(&self, state: StateId) -> &[NodeId] {
        let state = &self.states[state as usize];
        &state.key.of(&self.keys)[state.alls as usize..]
    }

    pub(super) fn successors(&self, state: StateId) -> &[PrestateId] {
        self.states[state as usize].successors.of(&self.successors)
    }

    /// The alternatives of a prestate whose states are not dead.
    pub(super) fn alive(&self, prestate: PrestateId) -> impl Iterator<Item = Alternative> + '_ {
        let alternatives = &self.prestates[prestate as usize].alternatives;
        alternatives.iter().copied().filter(|a| !self.states[a.state as usize].dead)
    }

    /// The other alternatives of a prestate.
    pub(super) fn dead(&self, prestate: PrestateId) -> impl Iterator<Item = Alternative> + '_ {
        let alternatives = &self.prestates[prestate as usize].alternatives;
        alternatives.iter().copied().filter(|a| self.states[a.state as usize].dead)
    }

    /// The prestate of these formulas, less those that hold anyway: axioms, and disjunctions one of
    /// whose disjuncts is in the set. Untils stay, because their promises must be followed.
    pub(super) fn prestate(&mut self, mut formulas: Vec<NodeId>) -> PrestateId {
        let closure = self.closure;
        formulas.sort_unstable();
        formulas.dedup();
        formulas.iter().for_each(|&f| self.in_key[f as usize] = true);
        let needless = |f: NodeId| match closure.kind(f) {
            Kind::True => true,
            Kind::Until(_) => false,
            Kind::Or => {
                closure.axioms.binary_search(&f).is_ok()
                    || closure.parts(f).iter().any(|&p| self.in_key[p as usize])
            }
            _ => closure.axioms.binary_search(&f).is_ok(),
        };
        let key: Vec<NodeId> = formulas.iter().copied().filter(|&f| !needless(f)).collect();
        formulas.iter().for_each(|&f| self.in_key[f as usize] = false);
        let hash = self.hasher.hash_one(&key);
        if let Some(&found) = self.prestate_table.find(hash, |&p| self.formulas(p) == key) {
            return found;
        }
        let id = self.prestates.len() as PrestateId;
        let eventualities: Vec<_> =
            key.iter().copied().filter(|&f| closure.eventuality(f).is_some()).collect();
        let prestate = Prestate {
            key: Span::push(&mut self.keys, &key),
            eventualities: Span::push(&mut self.keys, &eventualities),
            queue: Span::default(),
            ..Prestate::default()
        };
        self.prestates.push(prestate);
        let mut table = std::mem::take(&mut self.prestate_table);
        table.insert_unique(hash, id, |&p| self.hasher.hash_one(self.formulas(p)));
        self.prestate_table = table;
        id
    }

    /// Adds an alternative to a prestate; answers its state.
    pub(super) fn add_alternative(
        &mut self,
        prestate: PrestateId,
        demands: &Demands,
        fulfilled: &[NodeId],
    ) -> Alternative {
        let state = self.state(demands);
        let alternative = Alternative { state, fulfilled: Span::push(&mut self.keys, fulfilled) };
        self.prestates[prestate as usize].alternatives.push(alternative);
        self.states[state as usize].owners.push(prestate);
        self.alternatives += 1;
        alternative
    }

    fn state_key(&self, state: StateId) -> (&[NodeId], &[NodeId]) {
        (self.alls(state), self.somes(state))
    }

    fn state(&mut self, demands: &Demands) -> StateId {
        let key = (&*demands.all, &*demands.some);
        let hash = self.hasher.hash_one(key);
        if let Some(&found) = self.state_table.find(hash, |&s| self.state_key(s) == key) {
            return found;
        }
        let id = self.states.len() as StateId;
        let mut span = Span::push(&mut self.keys, &demands.all);
        span.len += Span::push(&mut self.keys, &demands.some).len;
        self.states.push(State { key: span, alls: demands.all.len() as u32, ..State::default() });
        let mut table = std::mem::take(&mut self.state_table);
        table.insert_unique(hash, id, |&s| self.hasher.hash_one(self.state_key(s)));
        self.state_table = table;
        id
    }

    /// Lists the successors of a state.
    pub(super) fn expand(&mut self, state: StateId) {
        if std::mem::replace(&mut self.states[state as usize].expanded, true) {
            return;
        }
        let alls = self.alls(state).to_vec();
        let somes = self.somes(state).to_vec();
        let mut successors = Vec::with_capacity(somes.len());
        for some in somes {
            let mut formulas = Vec::with_capacity(alls.len() + 1);
            formulas.extend_from_slice(&alls);
            formulas.push(some);
            let known = self.prestates.len();
            let successor = self.prestate(formulas);
            if successor as usize == known {
                self.line_up(successor, state);
            }
            if !successors.contains(&successor) || successors.len() > 64 {
                self.prestates[successor as usize].parents.push(state);
            }
            successors.push(successor);
        }
        self.states[state as usize].successors = Span::push(&mut self.successors, &successors);
    }

    /// Queues the eventualities of a new prestate: first those handed on by the state through which
    /// it is reached, in their old order, then those that are new.
    fn line_up(&mut self, prestate: PrestateId, state: StateId) {
        let eventualities = self.eventualities(prestate);
        if eventualities.is_empty() {
            return;
        }
        let mut queue: Vec<NodeId> = Vec::with_capacity(eventualities.len());
        if let Some(&owner) = self.states[state as usize].owners.first() {
            let alternatives = &self.prestates[owner as usize].alternatives;
            let kept = alternatives.iter().find(|a| a.state == state);
            let kept = kept.map_or(&[][..], |&a| self.fulfilled(a));
            let stays = |u: &NodeId| !kept.contains(u) && eventualities.binary_search(u).is_ok();
            queue.extend(self.queue(owner).iter().copied().filter(stays));
        }
        let old = queue.len();
        for &until in eventualities {
            if !queue[..old].contains(&until) {
                queue.push(until);
            }
        }
        self.prestates[prestate as usize].queue = Span::push(&mut self.keys, &queue);
    }

    /// The nodes `AX ψ` and `EX φ` of a state.
    pub(super) fn demands(&self, state: StateId) -> Vec<NodeId> {
        let next =
            |path, n| self.closure.find_next(path, n).expect("a demand is a node of the closure");
        let alls = self.alls(state).iter().map(|&n| next(Path::All, n));
        alls.chain(self.somes(state).iter().map(|&n| next(Path::Some, n))).collect()
    }

    /// The nodes of `demands` that the state does not make; at a dead end every `AX` is free.
    pub(super) fn excess(&self, state: StateId, demands: &Demands) -> Vec<NodeId> {
        let next =
            |path, n| self.closure.find_next(path, n).expect("a demand is a node of the closure");
        let (alls, somes) = self.state_key(state);
        let mut excess: Vec<NodeId> = Vec::new();
        if !somes.is_empty() {
            excess.extend(
                demands.all.iter().filter(|n| !alls.contains(n)).map(|&n| next(Path::All, n)),
            );
        }
        let alive = |n: NodeId| n == Closure::TRUE && !somes.is_empty();
        excess.extend(
            demands
                .some
                .iter()
                .filter(|&&n| !somes.contains(&n) && !alive(n))
                .map(|&n| next(Path::Some, n)),
        );
        excess
    }
}
