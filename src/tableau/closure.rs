//! The closure of a formula: every formula a label may hold, as a dense graph of nodes.
//!
//! A node's *shape* is what its truth at a vertex means for the other nodes at the same vertex: a
//! literal, a conjunction, a disjunction, or an atom (`AX φ`, `EX φ`), which speaks of the
//! successors only. A fixpoint has the shape of its unfolding, which is true at dead ends too
//! (docs/theory.md §1):
//!
//! ```text
//! A[φ U ψ] = ψ | φ & EX T & AX A[φ U ψ]      E[φ U ψ] = ψ | φ & EX E[φ U ψ]
//! A[φ R ψ] = ψ & (φ | AX A[φ R ψ])           E[φ R ψ] = ψ & (φ | AX F | EX E[φ R ψ])
//! ```
//!
//! A conjunction of many literals becomes a [`Shape::Cube`]; a disjunction of many disjuncts that
//! hold cubes is indexed by a decision tree ([`super::cubes`]). 28 bytes per node and 4 per child.

use super::cubes::CubeIndex;
pub(super) use super::node::{NONE, NodeId};
use crate::ctl::{Arena, Id, Node, Path};
use crate::limits::{Budget, StopReason};
use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

/// Formulas between two looks at the budget.
const STEPS: usize = 1 << 12;
/// A conjunction of at least so many literals is a cube.
const CUBE_LITERALS: usize = 12;
/// A disjunction of at least so many disjuncts, nearly all of which hold cubes, is indexed.
const INDEXED_DISJUNCTS: usize = 24;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    True,
    False,
    Literal,
    Cube,
    And,
    Or,
    Next(Path),
    Until(Path),
    Release(Path),
}

/// What the truth of a node means at its own vertex.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape<'a> {
    Constant,
    Literal,
    Cube(&'a [NodeId]),
    All(&'a [NodeId]),
    Any(&'a [NodeId]),
    /// A disjunction that is looked up in an index: its disjuncts and the index.
    Indexed(&'a [NodeId], &'a CubeIndex),
    /// `AX` or `EX`.
    Atom,
}

/// See the module.
pub(super) struct Closure {
    kinds: Vec<Kind>,
    /// The operands: (variable, sign), or one or two nodes.
    args: Vec<[u32; 2]>,
    /// Where the children of the node's shape lie in `pool`: (start, length).
    parts: Vec<[u32; 2]>,
    pool: Vec<NodeId>,
    /// The node of the negation, where the closure has it.
    duals: Vec<NodeId>,
    /// How much a label is burdened by choosing this node.
    costs: Vec<u32>,
    /// The negated and the plain literal node of each variable.
    literals: Vec<[NodeId; 2]>,
    /// The indexes of disjunctions; a disjunction's first argument is the place of its own, or
    /// [`NONE`].
    indexes: Vec<CubeIndex>,
    table: HashTable<NodeId>,
    hasher: DefaultHashBuilder,
    variables: u32,
    /// Formulas true at every vertex of every model: the bodies of the root's `AG` conjuncts.
    pub(super) axioms: Vec<NodeId>,
    /// The other conjuncts of the root.
    pub(super) start: Vec<NodeId>,
    /// Which node each subformula of the normal form became, operands first; for refutations.
    pub(super) sources: Vec<(Id, NodeId)>,
}

impl Closure {
    /// The closure of a formula in negation normal form; with `total`, of `formula & AG EX T`.
    pub(super) fn new(
        arena: &Arena,
        formula: Id,
        total: bool,
        budget: &Budget,
    ) -> Result<Self, StopReason> {
        let mut closure = Self {
            kinds: Vec::new(),
            args: Vec::new(),
            parts: Vec::new(),
            pool: Vec::new(),
            duals: Vec::new(),
            costs: Vec::new(),
            literals: Vec::new(),
            indexes: Vec::new(),
            table: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            variables: arena.symbols() as u32,
            axioms: Vec::new(),
            start: Vec::new(),
            sources: Vec::new(),
        };
        closure.add(Kind::True, [0, 0]);
        closure.add(Kind::False, [0, 0]);
        // `EX T` and `AX F` exist in every closure: every unfolding may speak of dead ends.
        closure.next(Path::Some, Self::TRUE);
        closure.next(Path::All, Self::FALSE);
        let root = closure.translate(arena, formula, budget)?;
        closure.split_root(root, total);
        closure.link_duals();
        closure.index_disjunctions(budget)?;
        Ok(closure)
    }

    /// Bytes held, roughly.
    pub(super) fn bytes(&self) -> u64 {
        let sources = 8 * self.sources.capacity();
        (36 * self.kinds.capacity() + 4 * self.pool.capacity() + sources) as u64
    }

    pub(super) const TRUE: NodeId = 0;
    pub(super) const FALSE: NodeId = 1;
    /// `EX T`: this is no dead end.
    pub(super) const ALIVE: NodeId = 2;

    pub(super) fn len(&self) -> usize {
        self.kinds.len()
    }

    /// The number of propositional variables.
    pub(super) fn variables(&self) -> u32 {
        self.variables
    }

    pub(super) fn kind(&self, node: NodeId) -> Kind {
        self.kinds[node as usize]
    }

    /// The variable and the sign (true: positive) of a literal node.
    pub(super) fn literal(&self, node: NodeId) -> (u32, bool) {
        debug_assert_eq!(self.kind(node), Kind::Literal);
        let [variable, sign] = self.args[node as usize];
        (variable, sign == 1)
    }

    /// The node of a literal, or [`NONE`].
    pub(super) fn literal_node(&self, variable: u32, sign: bool) -> NodeId {
        self.literals[variable as usize][usize::from(sign)]
    }

    /// The operand of an `AX` or `EX` node.
    pub(super) fn operand(&self, node: NodeId) -> NodeId {
        debug_assert!(matches!(self.kind(node), Kind::Next(_)));
        self.args[node as usize][0]
    }

    /// The two operands of an until or release.
    pub(super) fn operands(&self, node: NodeId) -> [NodeId; 2] {
        debug_assert!(matches!(self.kind(node), Kind::Until(_) | Kind::Release(_)));
        self.args[node as usize]
    }

    /// For an until: its quantifier and its second operand, the promise to be kept.
    pub(super) fn eventuality(&self, node: NodeId) -> Option<(Path, NodeId)> {
        match self.kind(node) {
            Kind::Until(path) => Some((path, self.args[node as usize][1])),
            _ => None,
        }
    }

    pub(super) fn dual(&self, node: NodeId) -> NodeId {
        self.duals[node as usize]
    }

    pub(super) fn cost(&self, node: NodeId) -> u32 {
        self.costs[node as usize]
    }

    pub(super) fn shape(&self, node: NodeId) -> Shape<'_> {
        match self.kind(node) {
            Kind::True | Kind::False => Shape::Constant,
            Kind::Literal => Shape::Literal,
            Kind::Next(_) => Shape::Atom,
            Kind::Cube => Shape::Cube(self.parts(node)),
            Kind::And | Kind::Release(_) => Shape::All(self.parts(node)),
            Kind::Until(_) => Shape::Any(self.parts(node)),
            Kind::Or => match self.args[node as usize][0] {
                NONE => Shape::Any(self.parts(node)),
                index => Shape::Indexed(self.parts(node), &self.indexes[index as usize]),
            },
        }
    }

    pub(super) fn parts(&self, node: NodeId) -> &[NodeId] {
        let [start, len] = self.parts[node as usize];
        &self.pool[start as usize..][..len as usize]
    }

    /// The node `AX operand` or `EX operand`, if the closure has it.
    pub(super) fn find_next(&self, path: Path, operand: NodeId) -> Option<NodeId> {
        self.find(Kind::Next(path), &[operand, 0])
    }

    /// The operands by which a node is known: a slice for `And`, `Or`, `Cube`, else its two words.
    fn key(&self, node: NodeId) -> (Kind, &[u32]) {
        let kind = self.kind(node);
        match kind {
            Kind::And | Kind::Or | Kind::Cube => (kind, self.parts(node)),
            _ => (kind, &self.args[node as usize]),
        }
    }

    fn find(&self, kind: Kind, key: &[u32]) -> Option<NodeId> {
        let hash = self.hasher.hash_one((kind, key));
        self.table.find(hash, |&n| self.key(n) == (kind, key)).copied()
    }

    fn push(&mut self, kind: Kind, args: [u32; 2], parts: [u32; 2], cost: u32) -> NodeId {
        let node = self.kinds.len() as NodeId;
        self.kinds.push(kind);
        self.args.push(args);
        self.parts.push(parts);
        self.costs.push(cost);
        let mut table = std::mem::take(&mut self.table);
        let hash = self.hasher.hash_one(self.key(node));
        table.insert_unique(hash, node, |&n| self.hasher.hash_one(self.key(n)));
        self.table = table;
        node
    }

    fn add(&mut self, kind: Kind, args: [u32; 2]) -> NodeId {
        let cost = match kind {
            Kind::Next(Path::All) => 1,
            Kind::Next(Path::Some) => 3,
            _ => 0,
        };
        self.find(kind, &args).unwrap_or_else(|| self.push(kind, args, [0, 0], cost))
    }

    fn add_slice(&mut self, kind: Kind, children: &[NodeId]) -> NodeId {
        if let Some(found) = self.find(kind, children) {
            return found;
        }
        let parts = self.store(children);
        let cost = self.slice_cost(kind, children);
        self.push(kind, [NONE; 2], parts, cost)
    }

    fn store(&mut self, children: &[NodeId]) -> [u32; 2] {
        let start = u32::try_from(self.pool.len()).expect("fewer than 2^32 children");
        self.pool.extend_from_slice(children);
        [start, children.len() as u32]
    }

    fn slice_cost(&self, kind: Kind, children: &[NodeId]) -> u32 {
        let costs = children.iter().map(|&c| self.cost(c));
        match kind {
            Kind::Cube => 0,
            Kind::And => costs.fold(0, u32::saturating_add),
            _ => costs.min().unwrap_or(0).saturating_add(1),
        }
    }

    fn lit(&mut self, variable: u32, sign: bool) -> NodeId {
        self.add(Kind::Literal, [variable, u32::from(sign)])
    }

    fn and(&mut self, mut children: Vec<NodeId>) -> NodeId {
        children.sort_unstable();
        children.dedup();
        children.retain(|&c| c != Self::TRUE);
        if children.contains(&Self::FALSE) {
            return Self::FALSE;
        }
        let literals = children.iter().filter(|&&c| self.kind(c) == Kind::Literal).count();
        if literals >= CUBE_LITERALS {
            let (cube, mut rest): (Vec<_>, Vec<_>) =
                children.into_iter().partition(|&c| self.kind(c) == Kind::Literal);
            rest.push(self.add_slice(Kind::Cube, &cube));
            rest.sort_unstable();
            children = rest;
        }
        match *children {
            [] => Self::TRUE,
            [one] => one,
            _ => self.add_slice(Kind::And, &children),
        }
    }

    fn or(&mut self, mut children: Vec<NodeId>) -> NodeId {
        children.sort_unstable();
        children.dedup();
        children.retain(|&c| c != Self::FALSE);
        if children.contains(&Self::TRUE) {
            return Self::TRUE;
        }
        match *children {
            [] => Self::FALSE,
            [one] => one,
            _ => self.add_slice(Kind::Or, &children),
        }
    }

    /// `AX` distributes over conjunction, at dead ends too. Once only: distributed all the way
    /// down, n nested `AX (φ & AX (…))` would have n²/2 nodes.
    fn next(&mut self, path: Path, operand: NodeId) -> NodeId {
        match (path, self.kind(operand)) {
            (Path::All, Kind::True) => Self::TRUE,
            (Path::Some, Kind::False) => Self::FALSE,
            (Path::All, Kind::And) => {
                let parts = self.parts(operand).to_vec();
                let nexts =
                    parts.into_iter().map(|p| self.add(Kind::Next(Path::All), [p, 0])).collect();
                self.and(nexts)
            }
            _ => self.add(Kind::Next(path), [operand, 0]),
        }
    }

    fn until(&mut self, path: Path, left: NodeId, right: NodeId) -> NodeId {
        let kind = Kind::Until(path);
        if left == Self::FALSE || right == Self::TRUE || right == Self::FALSE {
            return right;
        }
        // AF AF φ = AF φ, EF EF φ = EF φ
        if left == Self::TRUE
            && self.kind(right) == kind
            && self.args[right as usize][0] == Self::TRUE
        {
            return right;
        }
        if let Some(found) = self.find(kind, &[left, right]) {
            return found;
        }
        let cost = self.cost(right).saturating_add(2);
        let node = self.push(kind, [left, right], [0, 0], cost);
        let next = self.add(Kind::Next(path), [node, 0]);
        let later = match path {
            Path::All => self.and(vec![left, Self::ALIVE, next]),
            Path::Some => self.and(vec![left, next]),
        };
        // The promise comes first: labels keep promises as early as they can.
        self.parts[node as usize] = self.store(&[right, later]);
        node
    }

    fn release(&mut self, path: Path, left: NodeId, right: NodeId) -> NodeId {
        let kind = Kind::Release(path);
        if left == Self::TRUE || right == Self::TRUE || right == Self::FALSE {
            return right;
        }
        // AG AG φ = AG φ, EG EG φ = EG φ
        if left == Self::FALSE
            && self.kind(right) == kind
            && self.args[right as usize][0] == Self::FALSE
        {
            return right;
        }
        if let Some(found) = self.find(kind, &[left, right]) {
            return found;
        }
        let cost = self.cost(right).saturating_add(if path == Path::All { 2 } else { 4 });
        let node = self.push(kind, [left, right], [0, 0], cost);
        let next = self.add(Kind::Next(path), [node, 0]);
        let later = match path {
            Path::All => self.or(vec![left, next]),
            Path::Some => {
                let dead_end = self.add(Kind::Next(Path::All), [Self::FALSE, 0]);
                self.or(vec![left, dead_end, next])
            }
        };
        self.parts[node as usize] = self.store(&[right, later]);
        node
    }

    /// Children have smaller ids than parents, so one pass upwards suffices and any depth of
    /// nesting is fine.
    fn translate(
        &mut self,
        arena: &Arena,
        formula: Id,
        budget: &Budget,
    ) -> Result<NodeId, StopReason> {
        let mut needed = vec![false; formula.index() + 1];
        needed[formula.index()] = true;
        for index in (0..=formula.index()).rev() {
            if needed[index] {
                arena.operands(Id::from_index(index)).iter().for_each(|c| needed[c.index()] = true);
            }
        }
        let mut done = vec![NONE; formula.index() + 1];
        for index in (0..=formula.index()).filter(|&i| needed[i]) {
            if index.is_multiple_of(STEPS) {
                budget.check(0, arena.bytes() + self.bytes())?;
            }
            let of = |id: Id| done[id.index()];
            done[index] = match arena.get(Id::from_index(index)) {
                Node::True => Self::TRUE,
                Node::False => Self::FALSE,
                Node::Var(symbol) => self.lit(symbol.0, true),
                Node::Not(id) => {
                    let Node::Var(symbol) = arena.get(id) else {
                        panic!("a formula in negation normal form")
                    };
                    self.lit(symbol.0, false)
                }
                Node::And(ids) => self.and(ids.iter().map(|&i| of(i)).collect()),
                Node::Or(ids) => self.or(ids.iter().map(|&i| of(i)).collect()),
                Node::Next(path, id) => self.next(path, of(id)),
                Node::Until(path, a, b) => self.until(path, of(a), of(b)),
                Node::Release(path, a, b) => self.release(path, of(a), of(b)),
                other => panic!("{other:?} is not in negation normal form"),
            };
        }
        let root = done[formula.index()];
        self.sources = (0..).map(Id::from_index).zip(done).filter(|&(_, n)| n != NONE).collect();
        Ok(root)
    }

    /// Separates what holds everywhere from what holds at the root.
    fn split_root(&mut self, root: NodeId, total: bool) {
        let mut pending = vec![(root, false)];
        if total {
            pending.push((Self::ALIVE, true));
        }
        while let Some((node, everywhere)) = pending.pop() {
            match self.kind(node) {
                Kind::And => pending.extend(self.parts(node).iter().map(|&c| (c, everywhere))),
                Kind::Release(Path::All) if self.args[node as usize][0] == Self::FALSE => {
                    pending.push((self.args[node as usize][1], true));
                }
                _ if everywhere => self.axioms.push(node),
                _ => self.start.push(node),
            }
        }
        for list in [&mut self.axioms, &mut self.start] {
            list.sort_unstable();
            list.dedup();
        }
    }

    /// Operands have smaller ids than the nodes they are known by, so one pass upwards finds every
    /// dual.
    fn link_duals(&mut self) {
        self.duals = vec![NONE; self.len()];
        for node in 0..self.len() as NodeId {
            let dual = self.find_dual(node);
            self.duals[node as usize] = dual.unwrap_or(NONE);
        }
        let literal = |v, sign| self.find(Kind::Literal, &[v, sign]).unwrap_or(NONE);
        self.literals = (0..self.variables).map(|v| [literal(v, 0), literal(v, 1)]).collect();
    }

    fn find_dual(&self, node: NodeId) -> Option<NodeId> {
        let dual = |n: NodeId| Some(self.duals[n as usize]).filter(|&d| d != NONE);
        let [a, b] = self.args[node as usize];
        match self.kind(node) {
            Kind::True => Some(Self::FALSE),
            Kind::False => Some(Self::TRUE),
            Kind::Literal => self.find(Kind::Literal, &[a, 1 - b]),
            Kind::Next(path) => self.find_next(path.dual(), dual(a)?),
            Kind::Until(path) => self.find(Kind::Release(path.dual()), &[dual(a)?, dual(b)?]),
            Kind::Release(path) => self.find(Kind::Until(path.dual()), &[dual(a)?, dual(b)?]),
            kind @ (Kind::And | Kind::Or) if self.parts(node).len() <= 64 => {
                let mut children: Vec<_> =
                    self.parts(node).iter().map(|&c| dual(c)).collect::<Option<_>>()?;
                children.sort_unstable();
                self.find(if kind == Kind::And { Kind::Or } else { Kind::And }, &children)
            }
            _ => None,
        }
    }

    fn index_disjunctions(&mut self, budget: &Budget) -> Result<(), StopReason> {
        for node in 0..self.len() as NodeId {
            if self.kind(node) != Kind::Or || self.parts(node).len() < INDEXED_DISJUNCTS {
                continue;
            }
            let cubes: Vec<&[NodeId]> = self.parts(node).iter().map(|&d| self.cube_of(d)).collect();
            if cubes.iter().filter(|c| !c.is_empty()).count() * 8 >= cubes.len() * 7 {
                let index = CubeIndex::new(&cubes, |n| self.literal(n), &self.literals);
                self.args[node as usize][0] = self.indexes.len() as u32;
                self.indexes.push(index);
                budget.check(0, self.bytes())?;
            }
        }
        Ok(())
    }

    /// The literals of the cube a disjunct is or holds as a conjunct; none if it holds none.
    fn cube_of(&self, disjunct: NodeId) -> &[NodeId] {
        match self.kind(disjunct) {
            Kind::Cube => self.parts(disjunct),
            Kind::And => self
                .parts(disjunct)
                .iter()
                .find(|&&c| self.kind(c) == Kind::Cube)
                .map_or(&[], |&c| self.parts(c)),
            _ => &[],
        }
    }
}
