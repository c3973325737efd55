//! The formulas that a refutation names, and which of them the refuted formula is.

use super::clauses::Lit;
use crate::ctl::{self, Arena, Id, Path};
use std::collections::HashMap;

/// The node of the constant `T`, and that of `EX T`.
pub(super) const TRUE: Lit = 1;
pub(super) const ALIVE: Lit = 2;

/// What a node says.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Node {
    True,
    Atom(String),
    And(Vec<Lit>),
    Next(Lit),
    SomeUntil(Lit, Lit),
    AllUntil(Lit, Lit),
}

/// The nodes, numbered from 1, and the first number of each.
#[derive(Debug)]
pub(super) struct Nodes {
    nodes: Vec<Node>,
    numbers: HashMap<Node, Lit>,
}

impl Nodes {
    pub(super) fn new() -> Self {
        let mut nodes = Self { nodes: Vec::new(), numbers: HashMap::new() };
        nodes.add(Node::True);
        nodes.add(Node::Next(TRUE));
        nodes
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Adds a node; answers its number, if there is room for it.
    pub(super) fn add(&mut self, node: Node) -> Option<Lit> {
        let number = Lit::try_from(self.nodes.len() + 1).ok()?;
        self.numbers.entry(node.clone()).or_insert(number);
        self.nodes.push(node);
        Some(number)
    }

    /// The literal of a number, if its node is there.
    pub(super) fn literal(&self, number: i64) -> Option<Lit> {
        let literal = Lit::try_from(number).ok()?;
        self.get(literal).map(|_| literal)
    }

    /// The node of a literal.
    pub(super) fn get(&self, literal: Lit) -> Option<&Node> {
        self.nodes.get((literal.unsigned_abs() as usize).checked_sub(1)?)
    }

    /// The literal φ if this literal is `EX φ`.
    pub(super) fn operand_of_next(&self, literal: Lit) -> Option<Lit> {
        match self.get(literal)? {
            Node::Next(operand) if literal > 0 => Some(*operand),
            _ => None,
        }
    }

    /// The literal of a formula, if each node that it needs is there. No recursion: operands have
    /// smaller ids.
    pub(super) fn literal_of(&self, arena: &Arena, formula: Id) -> Option<Lit> {
        let mut literals: HashMap<Id, Lit> = HashMap::new();
        let mut order: Vec<Id> = arena.subformulas(formula).collect();
        order.reverse();
        for id in order {
            let literal = self.one(arena, id, |operand| literals[&operand])?;
            literals.insert(id, literal);
        }
        literals.get(&formula).copied()
    }

    /// The literal of a formula, given those of its operands.
    fn one(&self, arena: &Arena, id: Id, of: impl Fn(Id) -> Lit) -> Option<Lit> {
        let find = |node: Node| self.numbers.get(&node).copied();
        let and = |parts: Vec<Lit>| find(Node::And(parts));
        let until = |path: Path, a: Lit, b: Lit| match path {
            Path::All => find(Node::AllUntil(a, b)),
            Path::Some => find(Node::SomeUntil(a, b)),
        };
        let not = |literal: Lit| -literal;
        match arena.get(id) {
            ctl::Node::True => Some(TRUE),
            ctl::Node::False => Some(-TRUE),
            ctl::Node::Var(symbol) => find(Node::Atom(arena.name(symbol).to_owned())),
            ctl::Node::Not(a) => Some(-of(a)),
            ctl::Node::And(parts) => and(parts.iter().map(|&p| of(p)).collect()),
            ctl::Node::Or(parts) => and(parts.iter().map(|&p| -of(p)).collect()).map(not),
            ctl::Node::Implies(a, b) => and(vec![of(a), -of(b)]).map(not),
            ctl::Node::Iff(a, b) => {
                let (only_a, only_b) = (and(vec![of(a), -of(b)])?, and(vec![of(b), -of(a)])?);
                and(vec![-only_a, -only_b])
            }
            ctl::Node::Next(Path::Some, a) => find(Node::Next(of(a))),
            ctl::Node::Next(Path::All, a) => find(Node::Next(-of(a))).map(not),
            ctl::Node::Finally(path, a) => until(path, TRUE, of(a)),
            ctl::Node::Globally(path, a) => until(path.dual(), TRUE, -of(a)).map(not),
            ctl::Node::Until(path, a, b) => until(path, of(a), of(b)),
            ctl::Node::Release(path, a, b) => until(path.dual(), -of(a), -of(b)).map(not),
            ctl::Node::WeakUntil(path, a, b) => {
                let neither = and(vec![-of(a), -of(b)])?;
                until(path.dual(), -of(b), neither).map(not)
            }
        }
    }
}
