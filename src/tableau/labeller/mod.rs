//! The propositional part of the tableau: finds the labels of a vertex at which given formulas
//! hold.
//!
//! A conflict-driven clause-learning search over the nodes of the closure, driven by demand: a node
//! is true when it is demanded at the vertex; only demanded disjunctions are decided, so what is
//! not needed stays undecided and labels stay small. Clauses that exclude combinations of nodes at
//! *any* vertex (learned here, or by the tableau from unsatisfiable successors) are kept for ever
//! and serve every later label; clauses that hold for one query only are *local*, and nothing
//! derived from them survives the query.
//!
//! * `propagate`: consequences.
//! * `decide`: which disjunct is tried.
//! * `count`: more clauses than places for their literals.
//! * `learn`: what a conflict teaches.
//! * `justify`: what a label demands of the successors.
//!
//! Levels: 0 = the axioms and their consequences, 1 = the query's formulas and local clauses, 2… =
//! decisions. Per closure node: 26 bytes, its two watch lists, and its clause if it is a
//! disjunction.
//!
//! # References
//! J. P. Marques-Silva, K. A. Sakallah, *GRASP* (1996) and M. Moskewicz et al., *Chaff* (2001) for
//! learning and watched literals; D. A. Plaisted, S. Greenbaum, *A structure-preserving clause form
//! translation* (1986) for the one-sided clauses; N. Eén, N. Sörensson, *An extensible SAT-solver*
//! (2003) for assumptions.

mod count;
mod decide;
mod justify;
mod learn;
mod propagate;
#[cfg(test)]
mod tests;

use super::clauses::{Clauses, Lit, Watches};
use super::closure::{Closure, Kind, NodeId, Shape};
use super::cubes::Assignment;
use crate::limits::{Budget, StopReason};
use count::Schedule;

/// Only so many kept clauses are propagated; later exclusions merely stand guard, and nothing more
/// is learned for ever. A hundred thousand clauses `not both AX P and AX Q` under a label that
/// holds `AX Q` would otherwise make all those `AX P` false, one by one, for every label.
const WATCHED: usize = 300;
/// A node that is conjunct of more conjunctions than this does not tell them when it is false.
const MANY_PARENTS: usize = 64;
/// Disjunctions of more disjuncts are no clauses: they are looked through only where they are
/// demanded.
const WIDE: usize = 64;
/// Decisions, conflicts and literals made true between two looks at the budget.
const STEPS: usize = 1 << 12;

/// Why a literal is true.
#[derive(Debug, Clone, Copy)]
enum Reason {
    /// An axiom, an assumption or a decision.
    Given,
    /// That this literal is true.
    Implied(Lit),
    /// All other literals of a kept clause are false.
    Kept(u32),
    /// All other literals of a clause of this query are false.
    Local(u32),
}

/// A clause of one query: not all of `demands` are true, or one of `promises` is.
#[derive(Debug, Clone, Default)]
pub(super) struct Block {
    pub(super) demands: Vec<NodeId>,
    pub(super) promises: Vec<NodeId>,
    /// Whether it is true at every vertex, so that conflicts it leads to are not local to the
    /// query.
    pub(super) lasting: bool,
}

/// The answer to a query.
#[derive(Debug)]
pub(super) enum Answer {
    /// The formulas hold together; the label stands on the trail until the next query.
    Label,
    /// They do not: a subset of them that is to blame.
    Conflict {
        /// The subset.
        core: Vec<NodeId>,
        /// Whether the query's local clauses are to blame too.
        local: bool,
    },
    /// A limit was reached first. What was learned for every label is kept; the query may be asked
    /// again.
    Stopped(StopReason),
}

/// What a label demands of the successors.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Demands {
    /// ψ for every `AX ψ`, ascending; empty at a dead end.
    pub(super) all: Vec<NodeId>,
    /// φ for every `EX φ`, ascending; without `T` if there are others.
    pub(super) some: Vec<NodeId>,
}

pub(super) struct Labeller<'c> {
    pub(super) closure: &'c Closure,
    /// 1 true, -1 false, 0 undecided, by literal.
    values: Vec<i8>,
    levels: Vec<u32>,
    reasons: Vec<Reason>,
    trail: Vec<Lit>,
    /// Where each level above 0 begins on the trail, and how far the disjunctions were decided
    /// then.
    limits: Vec<(usize, usize)>,
    head: usize,
    frontier: usize,
    kept: Clauses,
    local: Clauses,
    watches: Watches,
    /// Exclusions that are only looked at when the literal becomes true: each stands at one of its
    /// literals that is not true.
    guards: Vec<Vec<u32>>,
    /// Exclusions and learned clauses kept so far.
    kept_count: usize,
    /// The conjunctions a node is conjunct of.
    parents: Vec<Vec<NodeId>>,
    /// Consequences found that hold at every vertex.
    units: Vec<Lit>,
    /// No vertex satisfies the axioms.
    broken: bool,
    blocks: Vec<Block>,
    seen: Vec<bool>,
    marks: Vec<u32>,
    stamp: u32,
    conflict: Vec<Lit>,
    conflict_local: bool,
    schedule: Schedule,
    /// Queries answered.
    pub(super) queries: u64,
    /// What ends a query.
    budget: Budget,
    /// Steps since the last look at the budget.
    steps: usize,
}

struct Values<'a>(&'a [i8]);

impl Assignment for Values<'_> {
    fn value(&self, variable: u32) -> Option<bool> {
        match self.0[Lit::new(variable, true).index()] {
            0 => None,
            v => Some(v > 0),
        }
    }
}

impl<'c> Labeller<'c> {
    pub(super) fn new(closure: &'c Closure) -> Self {
        let variables = closure.variables() as usize + closure.len();
        let mut labeller = Self {
            closure,
            values: vec![0; 2 * variables],
            levels: vec![0; variables],
            reasons: vec![Reason::Given; variables],
            trail: Vec::new(),
            limits: Vec::new(),
            head: 0,
            frontier: 0,
            kept: Clauses::default(),
            local: Clauses::default(),
            watches: Watches::new(2 * variables),
            guards: vec![Vec::new(); 2 * variables],
            kept_count: 0,
            parents: vec![Vec::new(); closure.len()],
            units: Vec::new(),
            broken: false,
            blocks: Vec::new(),
            seen: vec![false; variables],
            marks: vec![0; closure.len()],
            stamp: 0,
            conflict: Vec::new(),
            conflict_local: false,
            schedule: Schedule::default(),
            queries: 0,
            budget: Budget::default(),
            steps: 0,
        };
        labeller.define();
        labeller
    }

    /// From now on queries keep to this budget.
    pub(super) fn set_budget(&mut self, budget: &Budget) {
        self.budget = budget.clone();
    }

    /// Bytes held, roughly.
    pub(super) fn bytes(&self) -> u64 {
        self.closure.bytes()
            + (self.kept.bytes() + self.local.bytes() + self.closure.len() * 90) as u64
    }

    /// The literal that says a node is true.
    fn lit(&self, node: NodeId) -> Lit {
        if self.closure.kind(node) == Kind::Literal {
            let (variable, sign) = self.closure.literal(node);
            Lit::new(variable, sign)
        } else {
            Lit::new(self.closure.variables() + node, true)
        }
    }

    /// The node a literal says is true, unless it is a propositional literal or says that a node is
    /// false.
    fn node(&self, lit: Lit) -> Option<NodeId> {
        if lit.sign() { lit.variable().checked_sub(self.closure.variables()) } else { None }
    }

    pub(super) fn value(&self, node: NodeId) -> i8 {
        self.values[self.lit(node).index()]
    }

    /// Sets up the clauses of the disjunctions, the conjunctions of each node, and the axioms.
    fn define(&mut self) {
        let closure = self.closure;
        for node in 0..closure.len() as NodeId {
            match closure.shape(node) {
                Shape::Any(parts) if parts.len() <= WIDE => {
                    let mut clause = vec![!self.lit(node)];
                    clause.extend(parts.iter().map(|&p| self.lit(p)));
                    let at = self.kept.add(&clause);
                    self.watch(at, false, &clause);
                }
                Shape::All(parts) => {
                    for &part in parts {
                        let list = &mut self.parents[part as usize];
                        if list.len() <= MANY_PARENTS {
                            list.push(node);
                        }
                    }
                }
                _ => {}
            }
        }
        self.parents.iter_mut().filter(|p| p.len() > MANY_PARENTS).for_each(|p| *p = Vec::new());
        self.units.push(self.lit(Closure::TRUE));
        self.units.push(!self.lit(Closure::FALSE));
        let axioms: Vec<Lit> = closure.axioms.iter().map(|&a| self.lit(a)).collect();
        self.units.extend(axioms);
        self.settle();
    }

    /// Back to level 0, with every consequence found since.
    fn settle(&mut self) {
        self.backtrack(0);
        while let Some(unit) = self.units.pop() {
            match self.values[unit.index()] {
                0 => self.assign(unit, Reason::Given),
                1 => {}
                _ => self.broken = true,
            }
            if !self.propagate() {
                self.broken = true;
            }
        }
    }

    /// Excludes, at every vertex, that all these nodes are true together.
    pub(super) fn exclude(&mut self, nodes: &[NodeId]) {
        self.end_query();
        let mut clause: Vec<Lit> = nodes.iter().map(|&n| !self.lit(n)).collect();
        clause.sort_unstable();
        clause.dedup();
        if clause.iter().any(|l| self.values[l.index()] == 1) {
            return;
        }
        clause.retain(|l| self.values[l.index()] == 0);
        match clause.as_slice() {
            [] => self.broken = true,
            [unit] => {
                self.units.push(*unit);
                self.settle();
            }
            [first, ..] => {
                let first = *first;
                let at = self.kept.add(&clause);
                self.kept_count += 1;
                if self.kept_count < WATCHED {
                    self.watch(at, false, &clause);
                } else {
                    self.guards[(!first).index()].push(at);
                }
            }
        }
    }

    /// Forgets the label and all that was local to the last query.
    pub(super) fn end_query(&mut self) {
        self.backtrack(0);
        for (at, clause) in self.local.watched() {
            self.watches.remove(clause[0], at);
            self.watches.remove(clause[1], at);
        }
        self.local.clear();
        self.blocks.clear();
        self.settle();
    }

    /// Whether `formulas` can hold at a vertex together with the axioms, all that was excluded, and
    /// the `blocks`; the `preferred` nodes are tried first.
    pub(super) fn query(
        &mut self,
        formulas: &[NodeId],
        blocks: Vec<Block>,
        preferred: &[NodeId],
    ) -> Answer {
        self.end_query();
        self.queries += 1;
        self.schedule = Schedule::default();
        if self.broken {
            return Answer::Conflict { core: Vec::new(), local: false };
        }
        self.new_level();
        self.frontier = 0;
        for &formula in formulas {
            let lit = self.lit(formula);
            match self.values[lit.index()] {
                0 => self.assign(lit, Reason::Given),
                1 => {}
                _ => {
                    self.conflict = vec![lit];
                    self.conflict_local = false;
                    return self.core(Some(formula), formulas);
                }
            }
        }
        if !self.propagate() {
            return self.core(None, formulas);
        }
        for block in &blocks {
            if !self.add_block(block) {
                return self.core(None, formulas);
            }
        }
        self.blocks = blocks;
        self.search(formulas, preferred)
    }

    /// After a label: one more, of the same formulas and blocks and one block more.
    pub(super) fn again(
        &mut self,
        formulas: &[NodeId],
        block: Block,
        preferred: &[NodeId],
    ) -> Answer {
        self.backtrack(1);
        if !self.add_block(&block) {
            return self.core(None, formulas);
        }
        self.blocks.push(block);
        self.search(formulas, preferred)
    }

    fn search(&mut self, formulas: &[NodeId], preferred: &[NodeId]) -> Answer {
        loop {
            let before = self.trail.len();
            let consistent = self.propagate() && self.count() && self.decide(preferred);
            self.steps += 1 + self.trail.len().saturating_sub(before);
            if self.steps > STEPS {
                self.steps = 0;
                if let Err(stop) = self.budget.check(0, self.bytes()) {
                    self.end_query();
                    return Answer::Stopped(stop);
                }
            }
            if consistent && self.head == self.trail.len() {
                return Answer::Label;
            }
            if !consistent {
                self.schedule.conflict();
                if !self.resolve() {
                    return self.core(None, formulas);
                }
            }
        }
    }

    fn add_block(&mut self, block: &Block) -> bool {
        let mut clause: Vec<Lit> = block.demands.iter().map(|&d| !self.lit(d)).collect();
        clause.extend(block.promises.iter().map(|&p| self.lit(p)));
        self.add_local(clause, !block.lasting)
    }

    /// Adds a clause of this query at level 1; false on conflict.
    fn add_local(&mut self, mut clause: Vec<Lit>, tainted: bool) -> bool {
        clause.sort_unstable();
        clause.dedup();
        if clause.iter().any(|l| self.values[l.index()] == 1)
            || clause.windows(2).any(|w| w[0] == !w[1])
        {
            // True at level 1 already, hence for the whole query.
            return true;
        }
        // Undecided literals first: those are watched.
        clause.sort_by_key(|l| self.values[l.index()] != 0);
        let undecided = clause.iter().filter(|l| self.values[l.index()] == 0).count();
        match undecided {
            0 => {
                self.conflict = clause;
                self.conflict_local = tainted;
                false
            }
            1 => {
                let at = self.local.add_unwatched(&clause, tainted);
                self.assign(clause[0], Reason::Local(at));
                self.propagate()
            }
            _ => {
                let at = self.local.add_watched(&clause, tainted);
                self.watch(at, true, &clause);
                true
            }
        }
    }
}
