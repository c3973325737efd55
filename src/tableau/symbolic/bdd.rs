//! Reduced ordered binary decision diagrams: just the operations a fixpoint over sets of states
//! needs.
//!
//! Diagrams share all their nodes, so equal functions are equal handles. Results of operations are
//! remembered in a direct-mapped table. Nothing is freed while an operation runs; [`Bdds::collect`]
//! gives back, between operations, what its roots do not reach. 12 bytes per node, 4 to 8 in the
//! table of nodes, and up to 16 in that of results.
//!
//! The recursion is as deep as there are levels: callers with thousands of levels need a large
//! stack.
//!
//! # References
//! R. E. Bryant, *Graph-based algorithms for Boolean function manipulation* (1986); K. S. Brace, R.
//! L. Rudell, R. E. Bryant, *Efficient implementation of a BDD package* (1990), for the two tables;
//! J. R. Burch, E. M. Clarke, D. E. Long, *Symbolic model checking with partitioned transition
//! relations* (1991), for the conjunction that quantifies as it goes.

use crate::limits::{Budget, StopReason};

/// A diagram of its [`Bdds`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Bdd(u32);

impl Bdd {
    pub(super) const FALSE: Self = Self(0);
    pub(super) const TRUE: Self = Self(1);

    fn is_constant(self) -> bool {
        self.0 < 2
    }
}

/// The level of a constant: below all others.
const BOTTOM: u32 = u32::MAX;
/// The level of a node that was given back.
const FREE: u32 = u32::MAX - 1;
/// No node.
const NIL: u32 = u32::MAX;
/// Steps between two looks at the budget.
const STEPS: u64 = 1 << 14;
/// The tables of results has between so many entries, as powers of two.
const RESULTS: (u32, u32) = (12, 22);
/// A collection is due when there are as many nodes as this, or twice as many as the last one left.
/// Tests collect all the time, to see that nothing in use is given back.
const GARBAGE: usize = if cfg!(test) { 1 << 6 } else { 1 << 18 };

#[derive(Debug, Clone, Copy)]
struct Node {
    level: u32,
    low: Bdd,
    high: Bdd,
}

/// A remembered result: operation and operands, and what came of them.
#[derive(Debug, Clone, Copy)]
struct Remembered {
    key: [u32; 3],
    result: Bdd,
}

const NOTHING: Remembered = Remembered { key: [NIL; 3], result: Bdd::FALSE };

/// Operations, as the third word of a key; a conjunction that quantifies has the cube there.
const AND: u32 = NIL - 1;
const OR: u32 = NIL - 2;
const DOWN: u32 = NIL - 3;

/// A set of diagrams.
pub(super) struct Bdds {
    nodes: Vec<Node>,
    /// Open addressing by linear probing; a power of two, at most half full.
    unique: Vec<u32>,
    free: Vec<u32>,
    results: Vec<Remembered>,
    /// Nodes left by the last collection.
    survivors: usize,
    /// By node: the last search that found no way to truth through it.
    vain: Vec<u32>,
    searches: u32,
    steps: u64,
    budget: Budget,
}

type Result<T = Bdd> = std::result::Result<T, StopReason>;

impl Bdds {
    pub(super) fn new(budget: Budget) -> Self {
        let constant = |value| Node { level: BOTTOM, low: value, high: value };
        Self {
            nodes: vec![constant(Bdd::FALSE), constant(Bdd::TRUE)],
            unique: vec![NIL; 1 << RESULTS.0],
            free: Vec::new(),
            results: vec![NOTHING; 1 << RESULTS.0],
            survivors: 0,
            vain: Vec::new(),
            searches: 0,
            steps: 0,
            budget,
        }
    }

    /// From now on keeps to another budget.
    pub(super) fn set_budget(&mut self, budget: Budget) {
        self.budget = budget;
    }

    /// Nodes in use.
    pub(super) fn len(&self) -> usize {
        self.nodes.len() - self.free.len()
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        let words = self.unique.capacity() + self.free.capacity() + self.vain.capacity();
        (self.nodes.capacity() * size_of::<Node>()
            + self.results.len() * size_of::<Remembered>()
            + 4 * words) as u64
    }

    fn level(&self, f: Bdd) -> u32 {
        self.nodes[f.0 as usize].level
    }

    /// The level tested first and the two cofactors by it; `None` for a constant.
    pub(super) fn split(&self, f: Bdd) -> Option<(u32, Bdd, Bdd)> {
        let Node { level, low, high } = self.nodes[f.0 as usize];
        (level != BOTTOM).then_some((level, low, high))
    }

    /// The cofactors of `f` by a level not below its own.
    fn cofactors(&self, f: Bdd, level: u32) -> (Bdd, Bdd) {
        let node = self.nodes[f.0 as usize];
        if node.level == level { (node.low, node.high) } else { (f, f) }
    }

    fn slot(&self, node: &Node) -> usize {
        let mixed = mix([node.level, node.low.0, node.high.0]);
        mixed as usize & (self.unique.len() - 1)
    }

    /// The node of these cofactors, which lie below the level.
    fn node(&mut self, level: u32, low: Bdd, high: Bdd) -> Bdd {
        if low == high {
            return low;
        }
        let node = Node { level, low, high };
        let mut slot = self.slot(&node);
        while self.unique[slot] != NIL {
            let found = self.nodes[self.unique[slot] as usize];
            if (found.level, found.low, found.high) == (level, low, high) {
                return Bdd(self.unique[slot]);
            }
            slot = (slot + 1) & (self.unique.len() - 1);
        }
        let id = match self.free.pop() {
            Some(id) => {
                self.nodes[id as usize] = node;
                id
            }
            None => {
                self.nodes.push(node);
                u32::try_from(self.nodes.len() - 1).expect("the memory ends before the ids")
            }
        };
        self.unique[slot] = id;
        if 2 * self.len() > self.unique.len() {
            self.grow();
        }
        Bdd(id)
    }

    fn grow(&mut self) {
        let size = 2 * self.unique.len();
        self.rehash(size);
        if self.results.len() < size.min(1 << RESULTS.1) {
            self.results = vec![NOTHING; size.min(1 << RESULTS.1)];
        }
    }

    fn rehash(&mut self, size: usize) {
        self.unique.clear();
        self.unique.resize(size, NIL);
        for id in 2..self.nodes.len() {
            if self.nodes[id].level == FREE {
                continue;
            }
            let mut slot = self.slot(&self.nodes[id]);
            while self.unique[slot] != NIL {
                slot = (slot + 1) & (size - 1);
            }
            self.unique[slot] = id as u32;
        }
    }

    /// Whether [`Bdds::collect`] is worth its time.
    pub(super) fn is_due(&self) -> bool {
        self.len() > GARBAGE.max(2 * self.survivors)
    }

    /// Gives back the nodes that the roots do not reach, and forgets all results.
    pub(super) fn collect(&mut self, roots: impl Iterator<Item = Bdd>) {
        let mut reached = vec![false; self.nodes.len()];
        let mut pending: Vec<Bdd> = roots.collect();
        while let Some(f) = pending.pop() {
            if !f.is_constant() && !std::mem::replace(&mut reached[f.0 as usize], true) {
                let Node { low, high, .. } = self.nodes[f.0 as usize];
                pending.extend([low, high]);
            }
        }
        self.free.clear();
        for id in (2..self.nodes.len()).rev() {
            if !reached[id] {
                self.nodes[id].level = FREE;
                self.free.push(id as u32);
            }
        }
        self.rehash(self.unique.len());
        self.results.fill(NOTHING);
        self.survivors = self.len();
    }

    /// The function that is true where the variable of this level is.
    pub(super) fn variable(&mut self, level: u32) -> Bdd {
        self.node(level, Bdd::FALSE, Bdd::TRUE)
    }

    /// The function that is true where the variable of this level is not.
    pub(super) fn negated(&mut self, level: u32) -> Bdd {
        self.node(level, Bdd::TRUE, Bdd::FALSE)
    }

    /// The conjunction of the variables of these levels: what a conjunction quantifies.
    pub(super) fn cube(&mut self, levels: &[u32]) -> Bdd {
        let mut sorted = levels.to_vec();
        sorted.sort_unstable();
        sorted.iter().rev().fold(Bdd::TRUE, |below, &level| self.node(level, Bdd::FALSE, below))
    }

    fn recall(&self, key: [u32; 3]) -> Option<Bdd> {
        let found = &self.results[mix(key) as usize & (self.results.len() - 1)];
        (found.key == key).then_some(found.result)
    }

    fn remember(&mut self, key: [u32; 3], result: Bdd) -> Bdd {
        let slot = mix(key) as usize & (self.results.len() - 1);
        self.results[slot] = Remembered { key, result };
        result
    }

    fn step(&mut self) -> Result<()> {
        self.steps += 1;
        if self.steps.is_multiple_of(STEPS) { self.look_at_budget() } else { Ok(()) }
    }

    /// Ends the work if a limit is reached.
    pub(super) fn look_at_budget(&self) -> Result<()> {
        self.budget.check(self.len() as u64, self.bytes())
    }

    /// `f & g`
    pub(super) fn and(&mut self, f: Bdd, g: Bdd) -> Result {
        if f == g || g == Bdd::TRUE {
            return Ok(f);
        }
        if f == Bdd::TRUE {
            return Ok(g);
        }
        if f == Bdd::FALSE || g == Bdd::FALSE {
            return Ok(Bdd::FALSE);
        }
        self.join(AND, f, g)
    }

    /// `f | g`
    pub(super) fn or(&mut self, f: Bdd, g: Bdd) -> Result {
        if f == g || g == Bdd::FALSE {
            return Ok(f);
        }
        if f == Bdd::FALSE {
            return Ok(g);
        }
        if f == Bdd::TRUE || g == Bdd::TRUE {
            return Ok(Bdd::TRUE);
        }
        self.join(OR, f, g)
    }

    fn join(&mut self, op: u32, f: Bdd, g: Bdd) -> Result {
        let (f, g) = (f.min(g), f.max(g));
        let key = [f.0, g.0, op];
        if let Some(known) = self.recall(key) {
            return Ok(known);
        }
        self.step()?;
        let level = self.level(f).min(self.level(g));
        let ((f0, f1), (g0, g1)) = (self.cofactors(f, level), self.cofactors(g, level));
        let (low, high) = if op == AND {
            (self.and(f0, g0)?, self.and(f1, g1)?)
        } else {
            (self.or(f0, g0)?, self.or(f1, g1)?)
        };
        let result = self.node(level, low, high);
        Ok(self.remember(key, result))
    }

    /// `∃ cube. f & g`, for a [`cube`](Bdds::cube) of variables.
    pub(super) fn and_exists(&mut self, f: Bdd, g: Bdd, cube: Bdd) -> Result {
        if f == Bdd::FALSE || g == Bdd::FALSE {
            return Ok(Bdd::FALSE);
        }
        let (f, g) = (f.min(g), f.max(g));
        let level = self.level(f).min(self.level(g));
        let mut cube = cube;
        while self.level(cube) < level {
            cube = self.nodes[cube.0 as usize].high;
        }
        if cube == Bdd::TRUE {
            return self.and(f, g);
        }
        let key = [f.0, g.0, cube.0];
        if let Some(known) = self.recall(key) {
            return Ok(known);
        }
        self.step()?;
        let ((f0, f1), (g0, g1)) = (self.cofactors(f, level), self.cofactors(g, level));
        let low = self.and_exists(f0, g0, cube)?;
        let result = if self.level(cube) > level {
            let high = self.and_exists(f1, g1, cube)?;
            self.node(level, low, high)
        } else if low == Bdd::TRUE {
            low
        } else {
            let high = self.and_exists(f1, g1, cube)?;
            self.or(low, high)?
        };
        Ok(self.remember(key, result))
    }

    /// `f` with every variable replaced by that of the next level; `f` tests even levels only.
    pub(super) fn down(&mut self, f: Bdd) -> Result {
        let Some((level, low, high)) = self.split(f) else { return Ok(f) };
        debug_assert!(level.is_multiple_of(2));
        let key = [f.0, f.0, DOWN];
        if let Some(known) = self.recall(key) {
            return Ok(known);
        }
        self.step()?;
        let (low, high) = (self.down(low)?, self.down(high)?);
        let result = self.node(level + 1, low, high);
        Ok(self.remember(key, result))
    }

    /// The levels a function depends on, ascending.
    pub(super) fn support(&self, f: Bdd) -> Vec<u32> {
        let mut seen = std::collections::HashSet::new();
        let mut levels = Vec::new();
        let mut pending = vec![f];
        while let Some(f) = pending.pop() {
            if let Some((level, low, high)) = self.split(f)
                && seen.insert(f)
            {
                levels.push(level);
                pending.extend([low, high]);
            }
        }
        levels.sort_unstable();
        levels.dedup();
        levels
    }

    /// Whether an assignment satisfies the function.
    pub(super) fn holds(&self, f: Bdd, value: impl Fn(u32) -> bool) -> bool {
        let mut at = f;
        while let Some((level, low, high)) = self.split(at) {
            at = if value(level) { high } else { low };
        }
        at == Bdd::TRUE
    }

    /// A satisfying assignment: the levels at which it is true are passed to `each`. `forced` says
    /// of some levels what they must be (1 true, -1 false, 0 free); a free one is as it is
    /// `preferred` to be wherever that is possible. False if there is none.
    pub(super) fn satisfy(
        &mut self,
        f: Bdd,
        forced: impl Fn(u32) -> i8,
        preferred: impl Fn(u32) -> bool,
        mut each: impl FnMut(u32),
    ) -> bool {
        self.vain.resize(self.nodes.len(), 0);
        self.searches = self.searches.checked_add(1).unwrap_or_else(|| {
            self.vain.fill(0);
            1
        });
        // Nodes with the side taken, and whether the other one is still to be tried.
        let mut way: Vec<(Bdd, bool, bool)> = Vec::new();
        let mut at = f;
        loop {
            // Down on the preferred side first, as far as it goes.
            while let Some((level, low, high)) = self.split(at) {
                if self.vain[at.0 as usize] == self.searches {
                    break;
                }
                let (is_high, is_free) = match forced(level) {
                    0 if low == Bdd::FALSE || high == Bdd::FALSE => (low == Bdd::FALSE, false),
                    0 => (preferred(level), true),
                    value => (value > 0, false),
                };
                way.push((at, is_high, is_free));
                at = if is_high { high } else { low };
            }
            if at == Bdd::TRUE {
                break;
            }
            // Back to where the other side is still to be tried.
            at = loop {
                let Some((node, was_high, is_free)) = way.pop() else { return false };
                if is_free {
                    let Node { low, high, .. } = self.nodes[node.0 as usize];
                    way.push((node, !was_high, false));
                    break if was_high { low } else { high };
                }
                self.vain[node.0 as usize] = self.searches;
            };
        }
        way.iter()
            .filter(|(_, is_high, _)| *is_high)
            .for_each(|(node, ..)| each(self.level(*node)));
        true
    }
}

/// Spreads three words over one.
fn mix([a, b, c]: [u32; 3]) -> u64 {
    let word =
        (u64::from(a) << 32 | u64::from(b)) ^ u64::from(c).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let product = word.wrapping_mul(0xD6E8_FEB8_6659_FD93);
    (product ^ product >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 20
}

#[cfg(test)]
mod tests;
