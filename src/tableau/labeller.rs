//! The propositional part of the tableau: finds the labels of a vertex at which given formulas hold.
//!
//! A conflict-driven clause-learning search over the nodes of the closure, driven by demand: a node is true
//! when it is demanded at the vertex; only demanded disjunctions are decided, so what is not needed stays
//! undecided and labels stay small. Clauses that exclude combinations of nodes at *any* vertex (learned here,
//! or by the tableau from unsatisfiable successors) are kept for ever and serve every later label; clauses that
//! hold for one query only are *local*, and nothing derived from them survives the query.
//!
//! Levels: 0 = the axioms and their consequences, 1 = the query's formulas and local clauses, 2… = decisions.
//! Per closure node: 26 bytes, its two watch lists, and its clause if it is a disjunction.
//!
//! # References
//! J. P. Marques-Silva, K. A. Sakallah, *GRASP* (1996) and M. Moskewicz et al., *Chaff* (2001) for learning and
//! watched literals; D. A. Plaisted, S. Greenbaum, *A structure-preserving clause form translation* (1986) for
//! the one-sided clauses; N. Eén, N. Sörensson, *An extensible SAT-solver* (2003) for assumptions.

use super::clauses::{Clauses, Lit, Watch, Watches};
use super::closure::{Closure, Kind, NONE, NodeId, Shape};
use super::cubes::Assignment;
use crate::ctl::Path;

/// Learned clauses longer than this are forgotten after the query.
const KEEP: usize = 24;
/// Only so many kept clauses are propagated; later exclusions merely stand guard, and nothing more is learned
/// for ever. A hundred thousand clauses `not both AX P and AX Q` under a label that holds `AX Q` would
/// otherwise make all those `AX P` false, one by one, for every label.
const WATCHED: usize = 300;
/// A node that is conjunct of more conjunctions than this does not tell them when it is false.
const MANY_PARENTS: usize = 64;
/// Disjunctions of more disjuncts are no clauses: they are looked through only where they are demanded.
const WIDE: usize = 64;
/// How deep a disjunct is looked into before it is decided.
const PEEK: u32 = 3;
/// Of a conjunction no more parts than this are looked at.
const PEEK_WIDTH: usize = 64;

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
    /// Whether it is true at every vertex, so that conflicts it leads to are not local to the query.
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
    /// Where each level above 0 begins on the trail, and how far the disjunctions were decided then.
    limits: Vec<(usize, usize)>,
    head: usize,
    frontier: usize,
    kept: Clauses,
    local: Clauses,
    watches: Watches,
    /// Exclusions that are only looked at when the literal becomes true: each stands at one of its literals that
    /// is not true.
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
    /// Queries answered.
    pub(super) queries: u64,
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
            queries: 0,
        };
        labeller.define();
        labeller
    }

    /// Bytes held, roughly.
    pub(super) fn bytes(&self) -> u64 {
        (self.kept.bytes() + self.local.bytes() + self.closure.len() * 90) as u64
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

    /// The node a literal says is true, unless it is a propositional literal or says that a node is false.
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

    fn watch(&mut self, at: u32, local: bool, clause: &[Lit]) {
        let watch = |blocker| Watch { at, local, blocker };
        self.watches.add(clause[0], watch(clause[1]));
        self.watches.add(clause[1], watch(clause[0]));
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

    /// Whether `formulas` can hold at a vertex together with the axioms, all that was excluded, and the
    /// `blocks`; the `preferred` nodes are tried first.
    pub(super) fn query(&mut self, formulas: &[NodeId], blocks: Vec<Block>, preferred: &[NodeId]) -> Answer {
        self.end_query();
        self.queries += 1;
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
    pub(super) fn again(&mut self, formulas: &[NodeId], block: Block, preferred: &[NodeId]) -> Answer {
        self.backtrack(1);
        if !self.add_block(&block) {
            return self.core(None, formulas);
        }
        self.blocks.push(block);
        self.search(formulas, preferred)
    }

    fn search(&mut self, formulas: &[NodeId], preferred: &[NodeId]) -> Answer {
        loop {
            let consistent = self.propagate() && self.decide(preferred);
            if consistent && self.head == self.trail.len() {
                return Answer::Label;
            }
            if !consistent && !self.resolve() {
                return self.core(None, formulas);
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
        if clause.iter().any(|l| self.values[l.index()] == 1) || clause.windows(2).any(|w| w[0] == !w[1]) {
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

    fn new_level(&mut self) {
        self.limits.push((self.trail.len(), self.frontier));
    }

    fn assign(&mut self, lit: Lit, reason: Reason) {
        debug_assert_eq!(self.values[lit.index()], 0);
        self.values[lit.index()] = 1;
        self.values[(!lit).index()] = -1;
        let variable = lit.variable() as usize;
        self.levels[variable] = self.limits.len() as u32;
        self.reasons[variable] = reason;
        self.trail.push(lit);
    }

    fn backtrack(&mut self, level: usize) {
        if self.limits.len() <= level {
            return;
        }
        let (start, frontier) = self.limits[level];
        self.limits.truncate(level);
        for lit in self.trail.drain(start..) {
            self.values[lit.index()] = 0;
            self.values[(!lit).index()] = 0;
        }
        self.head = start.min(self.head);
        self.frontier = frontier;
    }

    /// Makes `lit` true because `because` is; false on conflict.
    fn imply(&mut self, because: Lit, lit: Lit) -> bool {
        match self.values[lit.index()] {
            0 => self.assign(lit, Reason::Implied(because)),
            1 => {}
            _ => {
                self.conflict.clear();
                self.conflict.extend([!because, lit]);
                self.conflict_local = false;
                return false;
            }
        }
        true
    }

    /// All consequences of the trail but those of indexed disjunctions; false on conflict.
    fn propagate(&mut self) -> bool {
        while self.head < self.trail.len() {
            let lit = self.trail[self.head];
            self.head += 1;
            if !self.unfold(lit) || !self.propagate_clauses(lit) || !self.pass_guards(lit) {
                return false;
            }
        }
        true
    }

    /// What the truth of a node means for its parts, and the falsity of a part for its conjunctions.
    fn unfold(&mut self, lit: Lit) -> bool {
        let closure = self.closure;
        if let Some(node) = self.node(lit) {
            if let Shape::All(parts) | Shape::Cube(parts) = closure.shape(node) {
                for &part in parts {
                    if !self.imply(lit, self.lit(part)) {
                        return false;
                    }
                }
            }
            if closure.kind(node) == Kind::Next(Path::Some) && !self.imply(lit, self.lit(Closure::ALIVE)) {
                return false;
            }
            let dual = closure.dual(node);
            return dual == NONE || self.imply(lit, !self.lit(dual));
        }
        let part = if lit.variable() >= closure.variables() {
            lit.variable() - closure.variables()
        } else {
            closure.literal_node(lit.variable(), !lit.sign())
        };
        if part == NONE {
            return true;
        }
        for i in 0..self.parents[part as usize].len() {
            let parent = self.parents[part as usize][i];
            if !self.imply(lit, !self.lit(parent)) {
                return false;
            }
        }
        true
    }

    fn propagate_clauses(&mut self, lit: Lit) -> bool {
        let falsified = !lit;
        let mut list = self.watches.take(falsified);
        let (mut from, mut to) = (0, 0);
        let mut consistent = true;
        while from < list.len() {
            let watch = list[from];
            from += 1;
            if self.values[watch.blocker.index()] == 1 {
                list[to] = watch;
                to += 1;
                continue;
            }
            let clauses = if watch.local { &mut self.local } else { &mut self.kept };
            let clause = clauses.get_mut(watch.at);
            if clause[0] == falsified {
                clause.swap(0, 1);
            }
            let first = clause[0];
            let replacement = || (2..clause.len()).find(|&i| self.values[clause[i].index()] != -1);
            if self.values[first.index()] != 1
                && let Some(next) = replacement()
            {
                clause.swap(1, next);
                let other = clause[1];
                self.watches.add(other, Watch { blocker: first, ..watch });
                continue;
            }
            list[to] = Watch { blocker: first, ..watch };
            to += 1;
            match self.values[first.index()] {
                1 => {}
                0 => {
                    let reason = if watch.local { Reason::Local(watch.at) } else { Reason::Kept(watch.at) };
                    self.assign(first, reason);
                }
                _ => {
                    self.conflict.clear();
                    self.conflict.extend_from_slice(clause);
                    self.conflict_local = watch.local && self.local.tainted(watch.at);
                    consistent = false;
                    break;
                }
            }
        }
        list.copy_within(from.., to);
        list.truncate(to + list.len() - from);
        self.watches.put_back(falsified, list);
        consistent
    }

    /// Moves the guards at a literal that has become true; false if one of them has no other place to stand.
    fn pass_guards(&mut self, lit: Lit) -> bool {
        let mut list = std::mem::take(&mut self.guards[lit.index()]);
        let mut consistent = true;
        list.retain(|&at| {
            let clause = self.kept.get(at);
            // In the clause the literals are negated: one that is not false has not become true.
            match clause.iter().find(|l| self.values[l.index()] != -1) {
                Some(&other) => {
                    self.guards[(!other).index()].push(at);
                    false
                }
                None => {
                    if consistent {
                        self.conflict.clear();
                        self.conflict.extend_from_slice(clause);
                        self.conflict_local = false;
                    }
                    consistent = false;
                    true
                }
            }
        });
        self.guards[lit.index()] = list;
        consistent
    }

    /// Whether an exclusion keeps an undecided node from being true.
    fn is_guarded(&self, node: NodeId) -> bool {
        let lit = self.lit(node);
        let stops = |at: &u32| self.kept.get(*at).iter().all(|l| *l == !lit || self.values[l.index()] == -1);
        self.guards[lit.index()].iter().any(stops)
    }

    /// Decides the first demanded disjunction that is still open; nothing is left to propagate if none is.
    /// False on conflict.
    fn decide(&mut self, preferred: &[NodeId]) -> bool {
        for &node in preferred {
            if self.value(node) == 0 && !self.surely_false(node, PEEK) {
                self.choose(node);
                return true;
            }
        }
        while self.frontier < self.trail.len() {
            let lit = self.trail[self.frontier];
            if let Some(node) = self.node(lit) {
                match self.closure.shape(node) {
                    Shape::Any(parts) if parts.len() <= WIDE => {
                        if let Some(part) = self.best_open(node, parts) {
                            self.choose(part);
                            return true;
                        }
                    }
                    Shape::Any(_) | Shape::Indexed(..) => {
                        let before = self.trail.len();
                        if !self.look_up(node) {
                            return false;
                        }
                        if self.trail.len() > before {
                            return true;
                        }
                    }
                    _ => {}
                }
            }
            self.frontier += 1;
        }
        self.decide_promise();
        true
    }

    fn choose(&mut self, node: NodeId) {
        self.new_level();
        self.assign(self.lit(node), Reason::Given);
    }

    /// The disjunct to decide, unless one is true already.
    fn best_open(&self, node: NodeId, parts: &[NodeId]) -> Option<NodeId> {
        if parts.iter().any(|&p| self.value(p) == 1) {
            return None;
        }
        let mut open: Vec<NodeId> = parts.iter().copied().filter(|&p| self.value(p) == 0).collect();
        // The promise of an until is its first part.
        if self.closure.eventuality(node).is_none() {
            open.sort_by_key(|&p| self.closure.cost(p));
        }
        open.iter().copied().find(|&p| !self.surely_false(p, PEEK)).or(open.first().copied())
    }

    /// Whether a node is seen to be false by looking a little way into it.
    fn surely_false(&self, node: NodeId, depth: u32) -> bool {
        match self.value(node) {
            1 => return false,
            -1 => return true,
            _ if self.is_guarded(node) => return true,
            _ => {}
        }
        match self.closure.shape(node) {
            Shape::Cube(literals) => literals.iter().any(|&l| self.value(l) == -1),
            Shape::All(parts) if depth > 0 => parts.iter().take(PEEK_WIDTH).any(|&p| self.surely_false(p, depth - 1)),
            Shape::Any(parts) if depth > 0 && parts.len() <= PEEK_WIDTH / 8 => {
                parts.iter().all(|&p| self.surely_false(p, depth - 1))
            }
            Shape::Indexed(parts, index) if depth > 0 => {
                let mut possible = false;
                let visit = |i: u32| {
                    possible = !self.surely_false(parts[i as usize], depth - 1);
                    !possible
                };
                index.visit(&Values(&self.values), visit, |_, _| {});
                !possible
            }
            _ => false,
        }
    }

    /// Finds the disjuncts of a wide or indexed disjunction that may be true: none is a conflict, one is implied,
    /// of several the first is decided. Nothing happens if one is true already.
    fn look_up(&mut self, node: NodeId) -> bool {
        let (mut open, mut done) = (Vec::new(), false);
        let mut why = vec![!self.lit(node)];
        let mut clashes = Vec::new();
        let mut visit = |part: NodeId| {
            match self.value(part) {
                1 => done = true,
                -1 => clashes.push(self.lit(part)),
                _ => match self.clash(part) {
                    Some(literal) => clashes.push(literal),
                    None => open.push(part),
                },
            }
            !done && open.len() < 2
        };
        match self.closure.shape(node) {
            Shape::Indexed(parts, index) => index.visit(
                &Values(&self.values),
                |i| visit(parts[i as usize]),
                |variable, value| why.push(Lit::new(variable, !value)),
            ),
            // A true disjunct first: it spares a decision.
            Shape::Any(parts) => {
                if parts.iter().any(|&p| self.value(p) == 1) {
                    return true;
                }
                parts.iter().all(|&p| visit(p));
            }
            _ => {}
        }
        if done {
            return true;
        }
        if open.len() >= 2 {
            self.choose(open[0]);
            return true;
        }
        why.extend(clashes);
        why.sort_unstable();
        why.dedup();
        match open.first() {
            Some(&only) => {
                let lit = self.lit(only);
                why.insert(0, lit);
                let at = self.local.add_unwatched(&why, false);
                self.assign(lit, Reason::Local(at));
                true
            }
            None => {
                self.conflict = why;
                self.conflict_local = false;
                false
            }
        }
    }

    /// A false literal of the cube that a disjunct is or holds.
    fn clash(&self, disjunct: NodeId) -> Option<Lit> {
        match self.closure.shape(disjunct) {
            Shape::Cube(literals) => literals.iter().map(|&l| self.lit(l)).find(|l| self.values[l.index()] == -1),
            Shape::All(parts) => {
                let cube = parts.iter().find(|&&p| self.closure.kind(p) == Kind::Cube)?;
                self.clash(*cube)
            }
            _ => None,
        }
    }

    /// A block whose demands are all made must have one of its promises kept.
    fn decide_promise(&mut self) {
        let open = self.blocks.iter().find_map(|block| {
            let made = block.demands.iter().all(|&d| self.value(d) == 1);
            let kept = block.promises.iter().any(|&p| self.value(p) == 1);
            if made && !kept { block.promises.iter().copied().find(|&p| self.value(p) == 0) } else { None }
        });
        if let Some(promise) = open {
            self.choose(promise);
        }
    }

    /// The literals that are false in the reason of a true literal, passed to `each`; answers whether the
    /// reason is local to the query.
    fn reason_of(&self, lit: Lit, mut each: impl FnMut(Lit)) -> bool {
        match self.reasons[lit.variable() as usize] {
            Reason::Given => false,
            Reason::Implied(because) => {
                each(!because);
                false
            }
            Reason::Kept(at) => {
                self.kept.get(at).iter().filter(|&&l| l != lit).for_each(|&l| each(l));
                false
            }
            Reason::Local(at) => {
                self.local.get(at).iter().filter(|&&l| l != lit).for_each(|&l| each(l));
                self.local.tainted(at)
            }
        }
    }

    fn level_of(&self, lit: Lit) -> usize {
        self.levels[lit.variable() as usize] as usize
    }

    /// Learns from the conflict and goes back to where the learned clause is of use; false if the conflict
    /// needs no decision.
    fn resolve(&mut self) -> bool {
        let level = self.conflict.iter().map(|&l| self.level_of(l)).max().unwrap_or(0);
        if level <= 1 {
            return false;
        }
        self.backtrack(level);
        let (clause, local) = self.learn(level);
        let back = clause[1..].iter().map(|&l| self.level_of(l)).max().unwrap_or(1).max(1);
        self.backtrack(back);
        let keep = !local && clause.len() <= KEEP && self.kept_count < WATCHED;
        let asserted = clause[0];
        let reason = match clause.len() {
            1 if !local => {
                self.units.push(asserted);
                Reason::Local(self.local.add_unwatched(&clause, false))
            }
            1 => Reason::Local(self.local.add_unwatched(&clause, true)),
            _ if keep => {
                self.kept_count += 1;
                let at = self.kept.add(&clause);
                self.watch(at, false, &clause);
                Reason::Kept(at)
            }
            _ => {
                let at = self.local.add_watched(&clause, local);
                self.watch(at, true, &clause);
                Reason::Local(at)
            }
        };
        self.assign(asserted, reason);
        true
    }

    /// The first-unique-implication-point clause, its asserted literal first and a literal of the highest other
    /// level second; and whether it is local.
    fn learn(&mut self, level: usize) -> (Vec<Lit>, bool) {
        let mut clause = vec![Lit::new(0, true)];
        let mut local = self.conflict_local;
        let mut pending = std::mem::take(&mut self.conflict);
        let mut open = 0;
        let mut at = self.trail.len();
        let mut touched = Vec::new();
        loop {
            for lit in pending.drain(..) {
                let variable = lit.variable() as usize;
                let of = self.level_of(lit);
                if of == 0 || std::mem::replace(&mut self.seen[variable], true) {
                    continue;
                }
                touched.push(variable);
                if of == level { open += 1 } else { clause.push(lit) }
            }
            let lit = loop {
                at -= 1;
                let lit = self.trail[at];
                if self.seen[lit.variable() as usize] && self.level_of(lit) == level {
                    break lit;
                }
            };
            open -= 1;
            if open == 0 {
                clause[0] = !lit;
                break;
            }
            local |= self.reason_of(lit, |l| pending.push(l));
        }
        touched.into_iter().for_each(|v| self.seen[v] = false);
        if clause.len() > 2 {
            let second = (1..clause.len()).max_by_key(|&i| self.level_of(clause[i])).unwrap_or(1);
            clause.swap(1, second);
        }
        self.conflict = pending;
        (clause, local)
    }

    /// Which of the query's formulas the conflict at level 1 (or 0) comes from.
    fn core(&mut self, refused: Option<NodeId>, formulas: &[NodeId]) -> Answer {
        let mut local = self.conflict_local;
        let mut pending = std::mem::take(&mut self.conflict);
        let mut touched = Vec::new();
        let mut given = Vec::new();
        while let Some(lit) = pending.pop() {
            let variable = lit.variable() as usize;
            if self.levels[variable] == 0 || std::mem::replace(&mut self.seen[variable], true) {
                continue;
            }
            touched.push(variable);
            let truth = !lit;
            if matches!(self.reasons[variable], Reason::Given) {
                given.push(truth);
            }
            local |= self.reason_of(truth, |l| pending.push(l));
        }
        touched.into_iter().for_each(|v| self.seen[v] = false);
        let mut core: Vec<NodeId> = formulas.iter().copied().filter(|&f| given.contains(&self.lit(f))).collect();
        core.extend(refused);
        core.sort_unstable();
        core.dedup();
        self.end_query();
        Answer::Conflict { core, local }
    }

    /// The variables that the label makes true.
    pub(super) fn true_variables(&self) -> impl Iterator<Item = u32> + '_ {
        let variables = self.closure.variables();
        self.trail.iter().filter(move |l| l.sign() && l.variable() < variables).map(|l| l.variable())
    }

    /// The demands of the label that `formulas`, the axioms and the blocks need: of every disjunction one true
    /// disjunct is followed, of an until its promise where it is true.
    pub(super) fn justify(&mut self, formulas: &[NodeId]) -> Demands {
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
                    Shape::Atom if closure.kind(node) == Kind::Next(Path::All) => all.push(closure.operand(node)),
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
                let best = parts.iter().copied().filter(|&p| holds(p)).min_by_key(|&p| closure.cost(p));
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
