//! At which vertices of a finite Kripke structure a CTL formula is true; dead ends allowed
//! (docs/theory.md §1).
//!
//! Each distinct subformula is evaluated once, operands first, as a set of vertices. `U` under `E`
//! is a backward search from its goal; under `A` a vertex joins when its count of successors
//! outside has come down to zero, so a dead end joins only as a goal. The other operators are
//! duals. O(|formula| · (V + E)) time with
//! |formula| the number of distinct subformulas and their operands; V/8 bytes for each set that is still needed, 8·V
//! bytes for the counters and the worklist.
//!
//! What stands below one of the many disjuncts of a disjunction over cubes is evaluated only at the
//! vertices where the cube is true (`plan`, `local`), and these are found by looking labels up
//! (`cubes`): a formula that lists the 10^5 states of a system is checked in time about its length
//! plus that of the structure.
//!
//! # References
//! E. M. Clarke, E. A. Emerson, A. P. Sistla, *Automatic verification of finite-state concurrent
//! systems using temporal logic specifications* (1986); A. Arnold, P. Crubille, *A linear algorithm
//! to solve fixed-point equations on transition systems* (1988), for the counters.

mod cubes;
mod local;
mod plan;

use crate::ctl::{Arena, Id, Node, Path};
use crate::kripke::{Kripke, VertexSet};
use crate::limits::{Budget, StopReason};
use hashbrown::HashMap;
use plan::{Plan, Role};

/// Steps between two looks at the budget.
const STEPS: usize = 1 << 14;
/// So many uses are never used up.
const FOR_EVER: u32 = 1 << 31;

/// The vertices at which `formula` is true. The structure's symbol `s` is the arena's `Symbol(s)`;
/// variables beyond the structure's symbols are false everywhere.
///
/// # Errors
/// The limit that was reached; nothing is known then.
pub fn satisfying(
    arena: &Arena,
    formula: Id,
    kripke: &Kripke,
    budget: &Budget,
) -> Result<VertexSet, StopReason> {
    Checker::new(arena, formula, kripke, budget).run()
}

/// Whether `formula` is true at the root of the structure; as [`satisfying`].
///
/// # Errors
/// The limit that was reached.
///
/// ```
/// use theta_chess::{ctl, kripke::Builder, limits::Budget, modelcheck};
/// let mut arena = ctl::Arena::new();
/// let p = arena.symbol("p");
/// let formula = ctl::parse(&mut arena, "~p & AX p & AX AX F")?;
/// // Two vertices; at the second, where p holds, the path ends.
/// let mut builder = Builder::new(1);
/// let (first, last) = (builder.vertex(), builder.vertex());
/// builder.edge(first, last);
/// builder.label(last, p.0);
/// let model = builder.build(first);
/// assert_eq!(modelcheck::holds(&arena, formula, &model, &Budget::default()), Ok(true));
/// # Ok::<(), ctl::ParseError>(())
/// ```
pub fn holds(
    arena: &Arena,
    formula: Id,
    kripke: &Kripke,
    budget: &Budget,
) -> Result<bool, StopReason> {
    Ok(satisfying(arena, formula, kripke, budget)?.contains(kripke.root()))
}

/// The vertices of a subformula, as long as somebody needs them.
#[derive(Default)]
struct Value {
    set: VertexSet,
    /// Operand places in formulas not yet evaluated.
    uses: u32,
}

struct Checker<'a> {
    arena: &'a Arena,
    kripke: &'a Kripke,
    budget: &'a Budget,
    /// The subformulas, operands first; the formula itself last.
    order: Vec<Id>,
    /// By id: the place in `order` and `values`.
    places: Vec<u32>,
    values: Vec<Value>,
    plan: Plan,
    /// Truth of local subformulas at vertices, by place and vertex.
    memory: HashMap<(u32, u32), bool>,
    /// Bytes of the sets held.
    held: u64,
    worklist: Vec<u32>,
    counters: Vec<u32>,
    steps: usize,
}

impl<'a> Checker<'a> {
    fn new(arena: &'a Arena, formula: Id, kripke: &'a Kripke, budget: &'a Budget) -> Self {
        let mut order: Vec<Id> = arena.subformulas(formula).collect();
        order.reverse();
        let mut places = vec![u32::MAX; formula.index() + 1];
        for (place, id) in order.iter().enumerate() {
            places[id.index()] = place as u32;
        }
        let plan = Plan::new(arena, &order, |id| places[id.index()] as usize, kripke);
        let mut values: Vec<Value> = order.iter().map(|_| Value::default()).collect();
        for (place, &id) in order.iter().enumerate() {
            // What local subformulas refer to is kept to the end.
            let uses = match plan.roles[place] {
                Role::Global => 1,
                Role::Local => FOR_EVER,
                Role::Unused => continue,
            };
            for operand in arena.operands(id) {
                let value = &mut values[places[operand.index()] as usize];
                value.uses = value.uses.saturating_add(uses);
            }
        }
        let (worklist, counters, memory) = (Vec::new(), Vec::new(), HashMap::new());
        Self {
            arena,
            kripke,
            budget,
            order,
            places,
            values,
            plan,
            memory,
            held: 0,
            worklist,
            counters,
            steps: 0,
        }
    }

    fn place(&self, id: Id) -> usize {
        self.places[id.index()] as usize
    }

    fn run(mut self) -> Result<VertexSet, StopReason> {
        for place in 0..self.order.len() {
            if self.plan.roles[place] != Role::Global {
                continue;
            }
            self.look_at_budget()?;
            let set = self.evaluate(self.order[place])?;
            self.held += set.bytes();
            self.values[place].set = set;
        }
        Ok(self.values.pop().expect("a formula is its own subformula").set)
    }

    fn look_at_budget(&self) -> Result<(), StopReason> {
        let scratch = (self.worklist.capacity() + self.counters.capacity()) * size_of::<u32>();
        let remembered = self.memory.capacity() * 13;
        self.budget.check(0, self.held + self.plan.bytes() + (scratch + remembered) as u64)
    }

    /// Counts a step; looks at the budget now and then.
    fn step(&mut self) -> Result<(), StopReason> {
        self.steps += 1;
        if self.steps.is_multiple_of(STEPS) { self.look_at_budget() } else { Ok(()) }
    }

    /// The value of an operand, to keep: moved out at its last use, copied before.
    fn take(&mut self, id: Id) -> VertexSet {
        let value = &mut self.values[self.places[id.index()] as usize];
        if value.uses < FOR_EVER {
            value.uses -= 1;
        }
        if value.uses > 0 {
            return value.set.clone();
        }
        self.held -= value.set.bytes();
        std::mem::take(&mut value.set)
    }

    /// Shows the value of an operand to `look`, and drops it at its last use.
    fn look(&mut self, id: Id, look: impl FnOnce(&VertexSet)) {
        let value = &mut self.values[self.places[id.index()] as usize];
        look(&value.set);
        if value.uses < FOR_EVER {
            value.uses -= 1;
        }
        if value.uses == 0 {
            self.held -= value.set.bytes();
            value.set = VertexSet::default();
        }
    }

    fn evaluate(&mut self, id: Id) -> Result<VertexSet, StopReason> {
        let vertices = self.kripke.vertices();
        if self.plan.cubes.contains(id) {
            return self.where_cube(id);
        }
        if self.plan.indexes.contains_key(&id) {
            return self.where_indexed(id);
        }
        Ok(match self.arena.get(id) {
            Node::True => VertexSet::full(vertices),
            Node::False => VertexSet::empty(vertices),
            Node::Var(symbol) => self.kripke.vertices_with(symbol.0),
            Node::Not(a) => self.take_not(a),
            Node::And(operands) => {
                let mut set = self.take(operands[0]);
                operands[1..].iter().for_each(|&a| self.look(a, |value| set.intersect(value)));
                set
            }
            Node::Or(operands) => {
                let mut set = self.take(operands[0]);
                operands[1..].iter().for_each(|&a| self.look(a, |value| set.unite(value)));
                set
            }
            Node::Implies(a, b) => {
                let mut set = self.take_not(a);
                self.look(b, |value| set.unite(value));
                set
            }
            Node::Iff(a, b) => {
                let mut set = self.take_not(a);
                self.look(b, |value| set.toggle(value));
                set
            }
            Node::Next(Path::Some, a) => {
                let set = self.take(a);
                self.some_next(&set)?
            }
            Node::Next(Path::All, a) => {
                let outside = self.take_not(a);
                not(self.some_next(&outside)?)
            }
            // ~E[T U ~φ], ~A[T U ~φ]
            Node::Globally(path, a) => {
                let outside = self.take_not(a);
                not(self.until(path.dual(), None, outside)?)
            }
            Node::Finally(path, a) => {
                let goal = self.take(a);
                self.until(path, None, goal)?
            }
            Node::Until(path, a, b) => {
                let (hold, goal) = (self.take(a), self.take(b));
                self.until(path, Some(hold), goal)?
            }
            // ~E[~φ U ~ψ], ~A[~φ U ~ψ]
            Node::Release(path, a, b) => {
                let (hold, goal) = (self.take_not(a), self.take_not(b));
                not(self.until(path.dual(), Some(hold), goal)?)
            }
            // ~E[~ψ U ~φ & ~ψ], ~A[~ψ U ~φ & ~ψ]
            Node::WeakUntil(path, a, b) => {
                let mut goal = self.take_not(a);
                let hold = self.take_not(b);
                goal.intersect(&hold);
                not(self.until(path.dual(), Some(hold), goal)?)
            }
        })
    }

    fn where_cube(&mut self, id: Id) -> Result<VertexSet, StopReason> {
        let mut set = VertexSet::empty(self.kripke.vertices());
        for vertex in 0..self.kripke.vertices() {
            self.step()?;
            if self.plan.cubes.holds(id, self.kripke.label(vertex)) == Some(true) {
                set.insert(vertex);
            }
        }
        Ok(set)
    }

    fn where_indexed(&mut self, id: Id) -> Result<VertexSet, StopReason> {
        let mut set = VertexSet::empty(self.kripke.vertices());
        for other in self.plan.indexes[&id].others.clone() {
            self.look(other, |value| set.unite(value));
        }
        for vertex in 0..self.kripke.vertices() {
            if !set.contains(vertex) && self.indexed_at(id, vertex)? {
                set.insert(vertex);
            }
        }
        Ok(set)
    }

    fn take_not(&mut self, id: Id) -> VertexSet {
        not(self.take(id))
    }

    /// The vertices with a successor in `set`.
    fn some_next(&mut self, set: &VertexSet) -> Result<VertexSet, StopReason> {
        let mut found = VertexSet::empty(set.universe());
        for vertex in set.iter() {
            self.step()?;
            for &before in self.kripke.predecessors(vertex) {
                found.insert(before);
            }
        }
        Ok(found)
    }

    /// The vertices where `hold U goal` is true on some or on all paths; no `hold` means `T`.
    fn until(
        &mut self,
        path: Path,
        hold: Option<VertexSet>,
        goal: VertexSet,
    ) -> Result<VertexSet, StopReason> {
        let kripke = self.kripke;
        self.counters.clear();
        if path == Path::All {
            self.counters.extend((0..kripke.vertices()).map(|v| kripke.successors(v).len() as u32));
        }
        self.worklist.clear();
        self.worklist.extend(goal.iter());
        let mut found = goal;
        while let Some(vertex) = self.worklist.pop() {
            self.step()?;
            for &before in kripke.predecessors(vertex) {
                if let Some(outside) = self.counters.get_mut(before as usize) {
                    *outside -= 1;
                    if *outside > 0 {
                        continue;
                    }
                }
                if hold.as_ref().is_none_or(|hold| hold.contains(before)) && found.insert(before) {
                    self.worklist.push(before);
                }
            }
        }
        Ok(found)
    }
}

fn not(mut set: VertexSet) -> VertexSet {
    set.complement();
    set
}

#[cfg(test)]
mod tests;
