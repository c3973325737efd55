//! A refutation made from the deaths of a tableau: each becomes a few clauses of the book.
//!
//! Demands die by a step: their formulas contradict each other at the successor. Sets of formulas
//! that never keep a promise die by induction on the union of the sets.

use super::book::{ClauseId, Lit, Node, TRUE};
use super::formula::Names;
use super::prover::Found;
use super::scribe::{Scribe, Use};
use crate::ctl::{Arena, Id, Path};
use crate::limits::{Budget, StopReason};
use crate::tableau::closure::{Closure, Kind, NodeId};
use crate::tableau::search::Death;
use hashbrown::HashMap;

/// Deaths between two looks at the budget.
const STEPS: usize = 64;

/// See the module.
pub(super) struct Replay<'a, 'b> {
    pub(super) scribe: &'a mut Scribe<'b>,
    pub(super) names: &'a mut Names,
    pub(super) arena: &'a Arena,
    pub(super) closure: &'a Closure,
    budget: &'a Budget,
    /// By node of the closure; 0 for none yet.
    literals: Vec<Lit>,
    /// A formula that became a conjunction or disjunction, by its node.
    sources: HashMap<NodeId, Id>,
    /// What is known of cores: the clause, or none if they contradict each other anyway.
    cores: HashMap<Vec<Lit>, Option<ClauseId>>,
}

impl<'a, 'b> Replay<'a, 'b> {
    pub(super) fn new(
        scribe: &'a mut Scribe<'b>,
        names: &'a mut Names,
        arena: &'a Arena,
        closure: &'a Closure,
        budget: &'a Budget,
    ) -> Self {
        let mut sources = HashMap::new();
        for &(id, node) in &closure.sources {
            if matches!(closure.kind(node), Kind::And | Kind::Or) {
                sources.entry(node).or_insert(id);
            }
        }
        let literals = vec![0; closure.len()];
        let cores = HashMap::new();
        Self { scribe, names, arena, closure, budget, literals, sources, cores }
    }

    /// The literal of a node of the closure. Parts have smaller numbers, so no deep recursion
    /// arises where nodes are asked for in ascending order.
    fn literal(&mut self, node: NodeId) -> Lit {
        if self.literals[node as usize] == 0 {
            let literal = self.new_literal(node);
            self.literals[node as usize] = literal;
        }
        self.literals[node as usize]
    }

    fn new_literal(&mut self, node: NodeId) -> Lit {
        if let Some(&id) = self.sources.get(&node) {
            return self.names.literal(self.scribe.book(), self.arena, id);
        }
        let closure = self.closure;
        match closure.kind(node) {
            Kind::True => TRUE,
            Kind::False => -TRUE,
            Kind::Literal => {
                let (variable, sign) = closure.literal(node);
                let name = self.arena.name(crate::ctl::Symbol(variable));
                let atom = self.scribe.book().atom(name);
                if sign { atom } else { -atom }
            }
            Kind::Cube | Kind::And => {
                let parts: Vec<Lit> =
                    closure.parts(node).iter().map(|&p| self.literal(p)).collect();
                self.scribe.book().and(&parts)
            }
            Kind::Or => {
                let parts: Vec<Lit> =
                    closure.parts(node).iter().map(|&p| self.literal(p)).collect();
                self.scribe.book().or(&parts)
            }
            Kind::Next(path) => {
                let operand = self.literal(closure.operand(node));
                match path {
                    Path::All => self.scribe.book().all_next(operand),
                    Path::Some => self.scribe.book().some_next(operand),
                }
            }
            Kind::Until(path) => {
                let [a, b] = closure.operands(node).map(|o| self.literal(o));
                match path {
                    Path::All => self.scribe.book().all_until(a, b),
                    Path::Some => self.scribe.book().some_until(a, b),
                }
            }
            Kind::Release(path) => {
                let [a, b] = closure.operands(node).map(|o| self.literal(o));
                match path.dual() {
                    Path::All => -self.scribe.book().all_until(-a, -b),
                    Path::Some => -self.scribe.book().some_until(-a, -b),
                }
            }
        }
    }

    /// Makes the closure's nodes known, and proves that they mean what the formulas do that they
    /// came from.
    pub(super) fn prepare(&mut self) -> Result<(), StopReason> {
        for node in 0..self.closure.len() as NodeId {
            if !matches!(self.closure.kind(node), Kind::Next(_)) {
                self.literal(node);
            }
        }
        for &(id, node) in &self.closure.sources {
            let is_temporal = !matches!(
                self.arena.get(id),
                crate::ctl::Node::And(_)
                    | crate::ctl::Node::Or(_)
                    | crate::ctl::Node::Not(_)
                    | crate::ctl::Node::Var(_)
                    | crate::ctl::Node::True
                    | crate::ctl::Node::False
            );
            if !is_temporal {
                continue;
            }
            let from = self.names.literal(self.scribe.book(), self.arena, id);
            let to = self.literal(node);
            let kind = self.closure.kind(node);
            if matches!(self.arena.get(id), crate::ctl::Node::Next(Path::All, _))
                && kind == Kind::And
            {
                self.distribute(from, node)?;
            } else if from != to {
                self.equate(from, to)?;
            }
        }
        self.oppose()
    }

    /// The tableau knows which nodes are each other's negation whatever the order of their parts.
    fn oppose(&mut self) -> Result<(), StopReason> {
        for node in 0..self.closure.len() as NodeId {
            let dual = self.closure.dual(node);
            let kind = self.closure.kind(node);
            if dual < node && matches!(kind, Kind::Next(_) | Kind::Until(_) | Kind::Release(_)) {
                let (literal, dual) = (self.literal(node), self.literal(dual));
                self.equate(literal, -dual)?;
            }
        }
        Ok(())
    }

    pub(super) fn equate(&mut self, from: Lit, to: Lit) -> Result<(), StopReason> {
        let done = self.scribe.equate(from, to)?;
        debug_assert!(done, "a formula and its normal form are equivalent");
        Ok(())
    }

    /// `AX` of a conjunction is the conjunction of the `AX`.
    fn distribute(&mut self, whole: Lit, node: NodeId) -> Result<(), StopReason> {
        let parts: Vec<Lit> = self.closure.parts(node).iter().map(|&p| -self.literal(p)).collect();
        self.scribe.distribute(-whole, &parts)
    }

    /// Follows the deaths, in order.
    pub(super) fn follow(&mut self, deaths: &[Death]) -> Result<(), StopReason> {
        for (at, death) in deaths.iter().enumerate() {
            if at.is_multiple_of(STEPS) {
                self.budget.check(0, self.scribe.book().bytes())?;
                self.budget.progress().advance(at as u64);
            }
            match death {
                Death::Demands { demands, core } => self.demands(demands, core)?,
                Death::Promise { until, sets } => self.promise(*until, sets)?,
            }
        }
        Ok(())
    }

    /// The clause against a core, if it needs one; `None` if nothing contradicts it.
    fn core(&mut self, core: &[NodeId]) -> Result<Option<Option<ClauseId>>, StopReason> {
        let mut key: Vec<Lit> = core.iter().map(|&n| self.literal(n)).collect();
        key.sort_unstable();
        key.dedup();
        if let Some(&known) = self.cores.get(&key) {
            return Ok(Some(known));
        }
        let found = match self.scribe.refute(&key)? {
            Found::Clause(clause) => Some(clause),
            Found::Trivial => None,
            Found::Nothing => {
                debug_assert!(false, "a core is contradictory");
                return Ok(None);
            }
        };
        self.cores.insert(key, found);
        Ok(Some(found))
    }

    fn demands(&mut self, demands: &[NodeId], core: &[NodeId]) -> Result<(), StopReason> {
        let Some(clause) = self.core(core)? else { return Ok(()) };
        let mut there = TRUE;
        let mut literals = Vec::with_capacity(demands.len());
        let mut plan = Vec::with_capacity(demands.len() + 1);
        for &demand in demands {
            let literal = self.literal(demand);
            if literal < 0 {
                plan.push(Use::Link(-literal));
            } else if let Node::Next(a) = self.scribe.book().nodes[literal as usize - 1] {
                there = a;
            }
            if !literals.contains(&-literal) {
                literals.push(-literal);
            }
        }
        plan.extend(clause.map(Use::There));
        let done = self.scribe.step(there, &literals, &plan);
        debug_assert!(done.is_some(), "what a core forbids cannot be demanded");
        Ok(())
    }

    fn promise(&mut self, until: NodeId, sets_of: &[Vec<NodeId>]) -> Result<(), StopReason> {
        let path = self.closure.eventuality(until).map(|(path, _)| path);
        let until = self.literal(until);
        let sets: Vec<Vec<Lit>> =
            sets_of.iter().map(|set| set.iter().map(|&n| self.literal(n)).collect()).collect();
        let members: Vec<Lit> = sets.iter().map(|set| self.scribe.book().and(set)).collect();
        let union = self.scribe.book().or(&members);
        let done = if path == Some(Path::All) {
            let ways = self.ways(sets_of);
            self.on_some_path(union, until, &ways, &members)?
        } else {
            self.on_all_paths(union, until, &sets, &members)?
        };
        debug_assert!(done, "a promise that is not kept is refuted");
        if done {
            // Then no vertex satisfies any of the sets.
            self.scribe.refute(&[union])?;
        }
        Ok(())
    }

    /// For each set the ways to demand a successor at which all of it holds: the formula that an
    /// `EX` asks for, and those that `AX` asks for.
    fn ways(&mut self, sets: &[Vec<NodeId>]) -> Vec<Vec<(Lit, Vec<Lit>)>> {
        let has = |path, n| self.closure.find_next(path, n).is_some();
        let mut ways = Vec::new();
        for set in sets {
            let mut found = Vec::new();
            for via in std::iter::once(Closure::TRUE).chain(set.iter().copied()) {
                let rest: Vec<NodeId> = set.iter().copied().filter(|&f| f != via).collect();
                if has(Path::Some, via) && rest.iter().all(|&f| has(Path::All, f)) {
                    found.push((via, rest));
                }
            }
            ways.push(found);
        }
        let mut literals = |n: NodeId| self.literal(n);
        let mut way = |(via, rest): (NodeId, Vec<NodeId>)| {
            (literals(via), rest.into_iter().map(&mut literals).collect())
        };
        ways.into_iter().map(|set| set.into_iter().map(&mut way).collect()).collect()
    }

    /// `A[a U b]` fails in the union: there is always a successor in it again.
    fn on_some_path(
        &mut self,
        union: Lit,
        until: Lit,
        ways: &[Vec<(Lit, Vec<Lit>)>],
        members: &[Lit],
    ) -> Result<bool, StopReason> {
        let again = self.scribe.book().some_next(union);
        for (ways, &member) in ways.iter().zip(members) {
            for (via, rest) in ways {
                let some = self.scribe.book().some_next(*via);
                let mut literals = vec![-some];
                let mut plan = Vec::new();
                for &formula in rest {
                    let all = self.scribe.book().all_next(formula);
                    literals.push(-all);
                    plan.push(Use::Link(-all));
                }
                plan.extend(self.membership(member, union));
                plan.push(Use::Link(again));
                literals.push(again);
                let done = self.scribe.step(*via, &literals, &plan);
                debug_assert!(done.is_some(), "the demands put a successor into the union");
            }
        }
        Ok(self.scribe.induction(union, until)?.is_some())
    }

    /// How a vertex with all formulas of a member is found to be in the union.
    fn membership(&mut self, member: Lit, union: Lit) -> Vec<Use> {
        let book = self.scribe.book();
        let first = |node: Lit| book.firsts[node as usize - 1];
        let mut plan = Vec::new();
        if let Some(Node::And(_)) = book.nodes.get(member.unsigned_abs() as usize - 1)
            && member > 0
        {
            plan.push(Use::There(first(member)));
        }
        if union != member
            && let Node::And(parts) = &book.nodes[-union as usize - 1]
        {
            let at = parts.iter().position(|&p| p == -member).expect("a member of the union");
            plan.push(Use::There(first(-union) + 1 + at as u32));
        }
        plan
    }

    /// `E[a U b]` fails in the union: every successor on the way is in it again.
    fn on_all_paths(
        &mut self,
        union: Lit,
        until: Lit,
        sets: &[Vec<Lit>],
        members: &[Lit],
    ) -> Result<bool, StopReason> {
        let book = self.scribe.book();
        // Where the until holds outside of the union.
        let outside = book.and(&[until, -union]);
        let escape = book.some_next(outside);
        let first = book.firsts[outside as usize - 1];
        for (set, &member) in sets.iter().zip(members) {
            let mut literals = vec![-escape];
            let mut plan = vec![Use::There(first + 1), Use::There(first + 2)];
            for &formula in set.iter().filter(|&&f| f != until) {
                let all = self.scribe.book().all_next(formula);
                literals.push(-all);
                plan.push(Use::Link(-all));
            }
            plan.extend(self.membership(member, union));
            let done = self.scribe.step(outside, &literals, &plan);
            debug_assert!(done.is_some(), "the demands keep successors in the union");
        }
        // Where the until fails, it fails at the successors.
        let plan = [Use::There(first + 1), Use::Link(until + 1)];
        self.scribe.step(outside, &[-escape, until + 1], &plan);
        Ok(self.scribe.induction(-outside, until)?.is_some())
    }
}
