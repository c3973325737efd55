//! Clauses that follow from the book by propositional reasoning, with their proofs.
//!
//! A conflict-driven clause-learning search under assumptions, over the clauses of the book that
//! speak of one vertex. Every clause learned is entered into the book with the clauses from which
//! unit propagation derives it. Only variables that the formulas assumed depend on are decided, as
//! long as that is enough for a conflict.
//!
//! # References
//! N. Eén, N. Sörensson, *An extensible SAT-solver* (2003), for the search under assumptions; L.
//! Cruz-Filipe et al., *Efficient certified RAT verification* (2017), for hints.

mod learn;

use super::book::{Book, ClauseId, Lit, Node, Why};
use super::heap::Heap;
use crate::limits::{Budget, StopReason};
use hashbrown::HashMap;

/// Decisions between two looks at the budget.
const STEPS: u64 = 256;
/// Conflicts until the first restart.
const RESTART: u64 = 100;
/// Learned clauses kept at first.
const LEARNED: usize = 4000;
/// Conjunctions of more parts are wide: they are not made false because a part is, but only tried;
/// and which part of one that is false to make false is looked up when nothing else is left to
/// decide. A formula of the game has thousands that nobody asks for.
const WIDE: usize = 12;
/// No clause.
const NONE: ClauseId = 0;

/// What came of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// A clause of negated assumptions holds everywhere.
    Clause(ClauseId),
    /// A literal and its negation were assumed.
    Trivial,
    /// Nothing contradicts the assumptions.
    Nothing,
}

#[derive(Debug, Clone, Copy)]
struct Watch {
    clause: ClauseId,
    blocker: Lit,
}

/// See the module.
pub(super) struct Prover<'b> {
    pub(super) book: Book,
    budget: &'b Budget,
    /// By literal: 1 true, -1 false, 0 open.
    values: Vec<i8>,
    /// By node.
    levels: Vec<u32>,
    reasons: Vec<ClauseId>,
    places: Vec<u32>,
    phases: Vec<bool>,
    seen: Vec<bool>,
    trail: Vec<Lit>,
    limits: Vec<usize>,
    head: usize,
    watches: Vec<Vec<Watch>>,
    /// Clauses of the book before this one are watched.
    loaded: ClauseId,
    heap: Heap,
    /// Learned clauses that may be forgotten, with how many levels they spanned.
    learned: Vec<(u32, ClauseId)>,
    room: usize,
    conflicts: u64,
    /// The empty clause.
    empty: Option<ClauseId>,
    /// Which clauses are watched already.
    watched: Vec<bool>,
    steps: u64,
    /// Where the search for another literal to watch ended in long clauses.
    places_in: HashMap<ClauseId, usize>,
    /// Literals that are decided so, and before others.
    preferred: Vec<Lit>,
}

fn at(lit: Lit) -> usize {
    2 * lit.unsigned_abs() as usize + usize::from(lit < 0)
}

fn var(lit: Lit) -> usize {
    lit.unsigned_abs() as usize
}

impl<'b> Prover<'b> {
    pub(super) fn new(book: Book, budget: &'b Budget) -> Self {
        Self {
            book,
            budget,
            values: vec![0; 2],
            levels: vec![0],
            reasons: vec![NONE],
            places: vec![0],
            phases: vec![false],
            seen: vec![false],
            trail: Vec::new(),
            limits: Vec::new(),
            head: 0,
            watches: vec![Vec::new(); 2],
            loaded: 1,
            heap: Heap::default(),
            learned: Vec::new(),
            room: LEARNED,
            conflicts: 0,
            empty: None,
            watched: Vec::new(),
            steps: 0,
            places_in: HashMap::new(),
            preferred: Vec::new(),
        }
    }

    /// From now on assignments that contradict nothing make these literals true where they can, and
    /// do not depend on other nodes where these decide them.
    pub(super) fn prefer(&mut self, literals: Vec<Lit>) {
        self.preferred = literals;
    }

    fn value(&self, lit: Lit) -> i8 {
        self.values[at(lit)]
    }

    /// Whether an assignment that contradicts nothing, just found, makes a literal true.
    pub(super) fn is_true(&self, lit: Lit) -> bool {
        self.value(lit) == 1
    }

    fn level(&self) -> usize {
        self.limits.len()
    }

    /// Takes note of what is new in the book.
    fn load(&mut self) {
        self.backtrack(0);
        let nodes = self.book.nodes.len() + 1;
        self.values.resize(2 * nodes, 0);
        self.watches.resize_with(2 * nodes, Vec::new);
        self.levels.resize(nodes, 0);
        self.reasons.resize(nodes, NONE);
        self.places.resize(nodes, 0);
        self.phases.resize(nodes, false);
        self.seen.resize(nodes, false);
        self.heap.grow(nodes);
        while (self.loaded as usize) < self.book.clauses() {
            let clause = self.loaded;
            self.loaded += 1;
            let is_watched = self.watched.get(clause as usize).copied().unwrap_or(false);
            if !is_watched && !self.book.is_edge(clause) {
                self.attach(clause);
            }
        }
    }

    /// Watches a clause, at level 0.
    fn attach(&mut self, clause: ClauseId) {
        if self.empty.is_some() {
            return;
        }
        let values = &self.values;
        let literals = self.book.literals_mut(clause);
        if literals.iter().any(|&l| values[at(l)] == 1) && literals.len() > 1 {
            return;
        }
        literals.sort_by_key(|&l| values[at(l)] < 0);
        let open = literals.iter().filter(|&&l| values[at(l)] >= 0).count();
        match (open, literals.len()) {
            (0, _) => self.derive_empty(clause),
            (1, 1) => {
                let unit = literals[0];
                if values[at(unit)] == 0 {
                    self.assign(unit, clause);
                    self.settle();
                }
            }
            (1, _) => {
                let unit = literals[0];
                self.assign_unit(unit, clause);
                self.settle();
            }
            _ => {
                let (a, b) = (literals[0], literals[1]);
                let whole = self.wide_whole(clause);
                if whole.is_none_or(|n| a == -n) {
                    self.watches[at(a)].push(Watch { clause, blocker: b });
                }
                if whole.is_none_or(|n| b == -n) {
                    self.watches[at(b)].push(Watch { clause, blocker: a });
                }
            }
        }
    }

    /// The wide conjunction of which the clause says that it implies a part.
    fn wide_whole(&self, clause: ClauseId) -> Option<Lit> {
        match self.book.why(clause) {
            Why::Definition(node) if node > 0 && self.book.literals(clause).len() == 2 => {
                let is_wide = matches!(
                    &self.book.nodes[node as usize - 1],
                    Node::And(parts) if parts.len() > WIDE
                );
                is_wide.then_some(node as Lit)
            }
            _ => None,
        }
    }

    /// Consequences at level 0.
    fn settle(&mut self) {
        if let Some(conflict) = self.propagate() {
            self.derive_empty(conflict);
        }
    }

    /// A clause all of whose literals are false at level 0.
    fn derive_empty(&mut self, conflict: ClauseId) {
        let mut hints: Vec<i32> =
            self.book.literals(conflict).iter().map(|&l| self.reasons[var(l)] as i32).collect();
        hints.push(conflict as i32);
        self.empty = Some(self.book.clause(&[], &hints, Why::Propagation));
    }

    /// At level 0, the only literal of a clause that is not false; it becomes a clause of its own.
    fn assign_unit(&mut self, lit: Lit, clause: ClauseId) {
        let others = self.book.literals(clause).iter().filter(|&&l| l != lit);
        let mut hints: Vec<i32> = others.map(|&l| self.reasons[var(l)] as i32).collect();
        hints.push(clause as i32);
        let unit = self.book.clause(&[lit], &hints, Why::Propagation);
        self.assign(lit, unit);
    }

    fn assign(&mut self, lit: Lit, reason: ClauseId) {
        debug_assert_eq!(self.value(lit), 0);
        self.values[at(lit)] = 1;
        self.values[at(-lit)] = -1;
        let v = var(lit);
        self.levels[v] = self.level() as u32;
        self.reasons[v] = reason;
        self.places[v] = self.trail.len() as u32;
        self.trail.push(lit);
        self.touch(lit);
    }

    /// What the value of a node depends on may be decided now.
    fn touch(&mut self, lit: Lit) {
        let (values, heap) = (&self.values, &mut self.heap);
        let mut add = |l: Lit| {
            if values[at(l)] == 0 {
                heap.push(var(l) as u32);
            }
        };
        match &self.book.nodes[var(lit) - 1] {
            Node::And(parts) if lit < 0 && parts.len() <= WIDE => {
                parts.iter().for_each(|&p| add(p));
            }
            Node::SomeUntil(a, b) | Node::AllUntil(a, b) => {
                [*a, *b].into_iter().for_each(&mut add);
                add(var(lit) as Lit + 1);
            }
            _ => {}
        }
    }

    fn backtrack(&mut self, level: usize) {
        if self.limits.len() <= level {
            return;
        }
        let start = self.limits[level];
        self.limits.truncate(level);
        for lit in self.trail.drain(start..) {
            self.values[at(lit)] = 0;
            self.values[at(-lit)] = 0;
            self.phases[var(lit)] = lit > 0;
            self.heap.push(var(lit) as u32);
        }
        self.head = start;
    }

    /// Consequences of the trail; the clause that is false, if one is.
    fn propagate(&mut self) -> Option<ClauseId> {
        while self.head < self.trail.len() {
            let falsified = -self.trail[self.head];
            self.head += 1;
            let mut list = std::mem::take(&mut self.watches[at(falsified)]);
            let (mut from, mut to) = (0, 0);
            let mut conflict = None;
            while from < list.len() {
                let watch = list[from];
                from += 1;
                if self.value(watch.blocker) == 1 {
                    list[to] = watch;
                    to += 1;
                    continue;
                }
                let values = &self.values;
                let literals = self.book.literals_mut(watch.clause);
                if literals[0] == falsified {
                    literals.swap(0, 1);
                }
                let first = literals[0];
                let open = |i: &usize| values[at(literals[*i])] >= 0;
                let len = literals.len();
                let next = match values[at(first)] {
                    1 => None,
                    _ if len <= WIDE => (2..len).find(open),
                    // Where the last search ended: all before it was false then.
                    _ => {
                        let place = self.places_in.entry(watch.clause).or_insert(2);
                        let found = (*place..len).find(open).or_else(|| (2..*place).find(open));
                        *place = found.unwrap_or(2);
                        found
                    }
                };
                if let Some(next) = next {
                    literals.swap(1, next);
                    let other = literals[1];
                    self.watches[at(other)].push(Watch { blocker: first, ..watch });
                    continue;
                }
                list[to] = Watch { blocker: first, ..watch };
                to += 1;
                match values[at(first)] {
                    1 => {}
                    0 if self.limits.is_empty() => self.assign_unit(first, watch.clause),
                    0 => self.assign(first, watch.clause),
                    _ => {
                        conflict = Some(watch.clause);
                        break;
                    }
                }
            }
            list.copy_within(from.., to);
            list.truncate(to + list.len() - from);
            // Nothing comes to watch a literal that has just become false.
            self.watches[at(falsified)] = list;
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    /// Whether these literals contradict each other at every vertex.
    ///
    /// # Errors
    /// The limit that was reached.
    pub(super) fn refute(&mut self, assumptions: &[Lit]) -> Result<Found, StopReason> {
        self.load();
        self.heap.clear();
        for i in 0..self.preferred.len() {
            let literal = self.preferred[i];
            self.phases[var(literal)] = literal > 0;
        }
        let mut restart = self.conflicts + RESTART;
        let mut patience = RESTART;
        loop {
            if let Some(empty) = self.empty {
                return Ok(Found::Clause(empty));
            }
            if let Some(conflict) = self.propagate() {
                self.conflicts += 1;
                self.steps += 1;
                if self.level() == 0 {
                    self.derive_empty(conflict);
                } else if self.level() <= assumptions.len() {
                    return Ok(self.core(conflict, None));
                } else {
                    self.learn(conflict);
                }
                continue;
            }
            if self.conflicts >= restart {
                patience += patience / 4;
                restart = self.conflicts + patience;
                self.backtrack(0);
                self.forget();
                continue;
            }
            let next = match assumptions.get(self.level()) {
                Some(&assumed) => match self.value(assumed) {
                    -1 => return Ok(self.core(NONE, Some(assumed))),
                    1 => {
                        self.limits.push(self.trail.len());
                        continue;
                    }
                    _ => assumed,
                },
                None => match self.decision() {
                    Some(lit) => {
                        self.steps += 1;
                        if self.steps.is_multiple_of(STEPS) {
                            self.budget.check(0, self.book.bytes())?;
                        }
                        lit
                    }
                    None => return Ok(Found::Nothing),
                },
            };
            self.limits.push(self.trail.len());
            self.assign(next, NONE);
        }
    }

    fn decision(&mut self) -> Option<Lit> {
        let open = |values: &[i8], v: u32| values[at(v as Lit)] == 0;
        let mut found = self.heap.pop(|v| open(&self.values, v));
        if found.is_none()
            && let Some(part) = self.open_part()
        {
            return Some(part);
        }
        if found.is_none() {
            // All that was assumed is accounted for; clauses of other nodes may still object.
            let preferred = self.preferred.iter().map(|&l| var(l) as u32);
            preferred.filter(|&v| open(&self.values, v)).for_each(|v| self.heap.push(v));
            found = self.heap.pop(|v| open(&self.values, v));
        }
        if found.is_none() {
            (1..self.book.nodes.len() as u32 + 1)
                .filter(|&v| open(&self.values, v))
                .for_each(|v| self.heap.push(v));
            found = self.heap.pop(|v| open(&self.values, v));
        }
        found.map(|v| if self.phases[v as usize] { v as Lit } else { -(v as Lit) })
    }

    /// What makes false a wide conjunction that is to be false and has no false part yet.
    fn open_part(&self) -> Option<Lit> {
        self.trail.iter().filter(|&&lit| lit < 0).find_map(|&lit| {
            match &self.book.nodes[var(lit) - 1] {
                Node::And(parts) if parts.len() > WIDE => {
                    let is_false = parts.iter().any(|&p| self.value(p) < 0);
                    let open = || parts.iter().find(|&&p| self.value(p) == 0).map(|&p| -p);
                    if is_false { None } else { open() }
                }
                _ => None,
            }
        })
    }
}
