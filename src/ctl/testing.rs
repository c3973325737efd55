//! Random formulas for property tests.

use super::{Arena, Id, Node, Path};
use proptest::prelude::*;

/// A formula as a tree, to be built in any arena.
#[derive(Debug, Clone)]
pub(crate) enum Tree {
    Constant(bool),
    Var(u8),
    Unary(u8, Path, Box<Tree>),
    Binary(u8, Path, Box<Tree>, Box<Tree>),
    Nary(bool, Vec<Tree>),
}

/// Formulas over the variables `p0..p(variables-1)`, of all connectives, up to `depth` deep.
pub(crate) fn trees(variables: u8, depth: u32) -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![1 => any::<bool>().prop_map(Tree::Constant), 6 => (0..variables).prop_map(Tree::Var)];
    let path = || prop_oneof![Just(Path::All), Just(Path::Some)];
    leaf.prop_recursive(depth, 48, 3, move |inner| {
        let boxed = || inner.clone().prop_map(Box::new);
        prop_oneof![
            4 => (0..4_u8, path(), boxed()).prop_map(|(op, path, a)| Tree::Unary(op, path, a)),
            3 => (0..5_u8, path(), boxed(), boxed()).prop_map(|(op, path, a, b)| Tree::Binary(op, path, a, b)),
            2 => (any::<bool>(), prop::collection::vec(inner.clone(), 2..4))
                .prop_map(|(conjunction, operands)| Tree::Nary(conjunction, operands)),
        ]
    })
}

impl Tree {
    pub(crate) fn build(&self, arena: &mut Arena) -> Id {
        match self {
            Self::Constant(true) => arena.truth(),
            Self::Constant(false) => arena.falsity(),
            Self::Var(index) => arena.var(&format!("p{index}")),
            Self::Unary(op, path, a) => {
                let a = a.build(arena);
                arena.add(match op {
                    0 => Node::Not(a),
                    1 => Node::Next(*path, a),
                    2 => Node::Globally(*path, a),
                    _ => Node::Finally(*path, a),
                })
            }
            Self::Binary(op, path, a, b) => {
                let (a, b) = (a.build(arena), b.build(arena));
                arena.add(match op {
                    0 => Node::Implies(a, b),
                    1 => Node::Iff(a, b),
                    2 => Node::Until(*path, a, b),
                    3 => Node::WeakUntil(*path, a, b),
                    _ => Node::Release(*path, a, b),
                })
            }
            Self::Nary(conjunction, operands) => {
                let operands: Vec<Id> =
                    operands.iter().map(|operand| operand.build(arena)).collect();
                if *conjunction { arena.and(&operands) } else { arena.or(&operands) }
            }
        }
    }
}
