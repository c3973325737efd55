//! The oracle of the tests: the greatest set of Hintikka types, computed naively from the
//! definitions.
//!
//! A type says which variables, `AX φ`, `EX φ` and unfoldings of fixpoints hold at a vertex, and
//! whether the vertex is a dead end; the truth of every subformula follows. Exponential in their
//! number, and quadratic in the number of types: only for tiny formulas. Shares nothing with the
//! tableau but the arena.

use crate::ctl::{Arena, Id, Node, Path};
use std::collections::HashMap;

/// More base bits than this are refused.
const MAX_BITS: usize = 9;

struct Types {
    /// Truth of every subformula in every type, by subformula.
    truth: Vec<Vec<bool>>,
    alive: Vec<bool>,
    /// Demands on the successors: subformula, whether every successor is meant, where it holds.
    nexts: Vec<(usize, Path, Vec<bool>)>,
    untils: Vec<Until>,
}

/// An until: where it holds, where its first operand does, where its second does.
struct Until {
    path: Path,
    holds: Vec<bool>,
    first: Vec<bool>,
    second: Vec<bool>,
}

/// Whether the formula (in negation normal form) has a model; `None` if it is too large to tell.
pub(super) fn satisfiable(arena: &Arena, formula: Id, total: bool) -> Option<bool> {
    let mut subs: Vec<Id> = arena.subformulas(formula).collect();
    subs.sort_unstable();
    let place: HashMap<Id, usize> = subs.iter().enumerate().map(|(i, &id)| (id, i)).collect();
    let is_base = |id: &&Id| {
        matches!(
            arena.get(**id),
            Node::Var(_) | Node::Next(..) | Node::Until(..) | Node::Release(..)
        )
    };
    let base: Vec<Id> = subs.iter().filter(is_base).copied().collect();
    if base.len() > MAX_BITS {
        return None;
    }
    let types = types(arena, &subs, &place, &base, total);
    let left = eliminate(&types);
    let root = place[&formula];
    Some((0..left.len()).any(|t| left[t] && types.truth[root][t]))
}

fn types(
    arena: &Arena,
    subs: &[Id],
    place: &HashMap<Id, usize>,
    base: &[Id],
    total: bool,
) -> Types {
    let mut truth = vec![Vec::new(); subs.len()];
    let mut bits = Vec::new();
    let mut alive = Vec::new();
    for code in 0..1_usize << (base.len() + 1) {
        let lives = code & 1 == 1;
        let bit = |id: Id| code >> (1 + base.binary_search(&id).unwrap()) & 1 == 1;
        let dead_end_ok = base.iter().all(|&id| match arena.get(id) {
            Node::Next(path, _) | Node::Until(path, ..) | Node::Release(path, ..) => {
                bit(id) == (path == Path::All)
            }
            _ => true,
        });
        if !lives && (total || !dead_end_ok) {
            continue;
        }
        let mut holds: Vec<bool> = Vec::new();
        for &id in subs {
            let of = |id: Id| holds[place[&id]];
            holds.push(match arena.get(id) {
                Node::True => true,
                Node::False => false,
                Node::Var(_) | Node::Next(..) => bit(id),
                Node::Not(a) => !of(a),
                Node::And(ids) => ids.iter().all(|&i| of(i)),
                Node::Or(ids) => ids.iter().any(|&i| of(i)),
                Node::Until(_, a, b) => of(b) || (of(a) && lives && bit(id)),
                Node::Release(Path::All, a, b) => of(b) && (of(a) || bit(id)),
                Node::Release(Path::Some, a, b) => of(b) && (of(a) || !lives || bit(id)),
                other => panic!("{other:?} is not in normal form"),
            });
        }
        for (list, value) in truth.iter_mut().zip(holds) {
            list.push(value);
        }
        bits.push(code >> 1);
        alive.push(lives);
    }
    let column = |id: Id| -> Vec<bool> { truth[place[&id]].clone() };
    let negated = |id: Id| -> Vec<bool> { truth[place[&id]].iter().map(|v| !v).collect() };
    let mut nexts = Vec::new();
    let mut untils = Vec::new();
    for (at, &id) in base.iter().enumerate() {
        let bit: Vec<bool> = bits.iter().map(|code| code >> at & 1 == 1).collect();
        match arena.get(id) {
            Node::Next(path, a) => nexts.push((place[&a], path, bit)),
            Node::Until(path, a, b) => {
                nexts.push((place[&id], path, bit));
                untils.push(Until { path, holds: column(id), first: column(a), second: column(b) });
            }
            Node::Release(path, a, b) => {
                nexts.push((place[&id], path, bit));
                untils.push(Until {
                    path: path.dual(),
                    holds: negated(id),
                    first: negated(a),
                    second: negated(b),
                });
            }
            _ => {}
        }
    }
    Types { truth, alive, nexts, untils }
}

fn eliminate(types: &Types) -> Vec<bool> {
    let count = types.alive.len();
    // `t` may have `u` as a successor.
    let edge = |t: usize, u: usize| {
        types.alive[t]
            && types.nexts.iter().all(|(sub, path, bit)| match path {
                Path::All => !bit[t] || types.truth[*sub][u],
                Path::Some => bit[t] || !types.truth[*sub][u],
            })
    };
    let edges: Vec<Vec<usize>> =
        (0..count).map(|t| (0..count).filter(|&u| edge(t, u)).collect()).collect();
    // Whether every successor that `t` must have is found in `set`.
    let supplied = |t: usize, set: &[bool]| {
        let found = |want: &dyn Fn(usize) -> bool| edges[t].iter().any(|&u| set[u] && want(u));
        !types.alive[t]
            || (found(&|_| true)
                && types.nexts.iter().all(|(sub, path, bit)| match path {
                    Path::All => bit[t] || found(&|u| !types.truth[*sub][u]),
                    Path::Some => !bit[t] || found(&|u| types.truth[*sub][u]),
                }))
    };
    let mut left = vec![true; count];
    loop {
        let mut next: Vec<bool> = (0..count).map(|t| left[t] && supplied(t, &left)).collect();
        for Until { path, holds, first, second } in &types.untils {
            let mut kept: Vec<bool> = (0..count).map(|t| next[t] && second[t]).collect();
            loop {
                let joins = |t: usize| {
                    let onward = match path {
                        Path::Some => edges[t].iter().any(|&u| kept[u]),
                        Path::All => types.alive[t] && supplied(t, &kept),
                    };
                    next[t] && first[t] && onward
                };
                let new: Vec<usize> = (0..count).filter(|&t| !kept[t] && joins(t)).collect();
                if new.is_empty() {
                    break;
                }
                new.into_iter().for_each(|t| kept[t] = true);
            }
            for t in 0..count {
                next[t] &= !holds[t] || kept[t];
            }
        }
        if next == left {
            return left;
        }
        left = next;
    }
}
