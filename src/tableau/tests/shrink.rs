//! Makes a counterexample small: parts are dropped as long as it stays one.

use crate::ctl::{Arena, Id, Node};

/// A formula no part of which can be left out, or replaced by a constant, without `is_bad` becoming
/// false.
pub(super) fn shrink(
    arena: &mut Arena,
    formula: Id,
    mut is_bad: impl FnMut(&mut Arena, Id) -> bool,
) -> Id {
    let mut best = formula;
    'smaller: loop {
        let parts: Vec<Id> = arena.subformulas(best).collect();
        for part in parts {
            let mut substitutes: Vec<Id> = arena.operands(part).to_vec();
            substitutes.extend([arena.truth(), arena.falsity()]);
            for substitute in substitutes {
                let candidate = replace(arena, best, part, substitute);
                if size(arena, candidate) < size(arena, best) && is_bad(arena, candidate) {
                    best = candidate;
                    continue 'smaller;
                }
            }
        }
        return best;
    }
}

/// The nodes of a formula written out.
fn size(arena: &Arena, formula: Id) -> usize {
    1 + arena.operands(formula).iter().map(|&o| size(arena, o)).sum::<usize>()
}

/// The formula with every occurrence of a part replaced.
fn replace(arena: &mut Arena, formula: Id, part: Id, by: Id) -> Id {
    if formula == part {
        return by;
    }
    let operands: Vec<Id> = arena.operands(formula).to_vec();
    let new: Vec<Id> = operands.iter().map(|&o| replace(arena, o, part, by)).collect();
    if new == operands {
        return formula;
    }
    let node = match arena.get(formula) {
        Node::And(_) => return arena.and(&new),
        Node::Or(_) => return arena.or(&new),
        Node::Not(_) => Node::Not(new[0]),
        Node::Next(path, _) => Node::Next(path, new[0]),
        Node::Globally(path, _) => Node::Globally(path, new[0]),
        Node::Finally(path, _) => Node::Finally(path, new[0]),
        Node::Implies(..) => Node::Implies(new[0], new[1]),
        Node::Iff(..) => Node::Iff(new[0], new[1]),
        Node::Until(path, ..) => Node::Until(path, new[0], new[1]),
        Node::WeakUntil(path, ..) => Node::WeakUntil(path, new[0], new[1]),
        Node::Release(path, ..) => Node::Release(path, new[0], new[1]),
        Node::True | Node::False | Node::Var(_) => {
            unreachable!("a formula without operands has no new ones")
        }
    };
    arena.add(node)
}
