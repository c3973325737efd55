//! The checker against a naive evaluator that follows the definitions of page 1.1 by iteration to a
//! fixpoint.

use super::*;
use crate::ctl::testing::trees;
use crate::ctl::{Symbol, parse};
use crate::kripke::Builder;
use crate::limits::Limits;
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use std::time::Duration;

fn structures() -> impl Strategy<Value = Kripke> {
    (1..8_u32).prop_flat_map(|vertices| {
        let edges = prop::collection::vec((0..vertices, 0..vertices), 0..14);
        let labels = prop::collection::vec((0..vertices, 0..3_u32), 0..12);
        (edges, labels).prop_map(move |(edges, labels)| {
            let mut builder = Builder::new(3);
            (0..vertices).for_each(|_| {
                builder.vertex();
            });
            edges.iter().for_each(|&(from, to)| builder.edge(from, to));
            labels.iter().for_each(|&(vertex, symbol)| builder.label(vertex, symbol));
            builder.build(0)
        })
    })
}

/// Truth by the recursive definition; fixpoints by plain iteration from below or above with the
/// unfoldings φ U ψ = ψ ∨ (φ ∧ not a dead end ∧ ○(φ U ψ)) and φ R ψ = ψ ∧ (φ ∨ dead end ∨ ○(φ R
/// ψ)).
fn naive(arena: &Arena, id: Id, k: &Kripke) -> Vec<bool> {
    let each = |truth: &dyn Fn(usize) -> bool| {
        (0..k.vertices() as usize).map(truth).collect::<Vec<bool>>()
    };
    let of = |a: Id| naive(arena, a, k);
    let next = |path: Path, set: &[bool], v: usize| {
        let mut successors = k.successors(v as u32).iter().map(|&to| set[to as usize]);
        if path == Path::All { successors.all(|b| b) } else { successors.any(|b| b) }
    };
    let dead = |v: usize| k.successors(v as u32).is_empty();
    let fixpoint = |start: bool, step: &dyn Fn(&[bool], usize) -> bool| {
        let mut set = each(&|_| start);
        loop {
            let new = each(&|v| step(&set, v));
            if new == set {
                return set;
            }
            set = new;
        }
    };
    let until = |path: Path, a: &[bool], b: &[bool]| {
        fixpoint(false, &|set, v| b[v] || a[v] && !dead(v) && next(path, set, v))
    };
    let release = |path: Path, a: &[bool], b: &[bool]| {
        fixpoint(true, &|set, v| b[v] && (a[v] || dead(v) || next(path, set, v)))
    };
    let constant = |value: bool| each(&|_| value);
    match arena.get(id) {
        Node::True => constant(true),
        Node::False => constant(false),
        Node::Var(symbol) => each(&|v| k.holds(v as u32, symbol.0)),
        Node::Not(a) => of(a).into_iter().map(|b| !b).collect(),
        Node::And(operands) => {
            let values: Vec<_> = operands.iter().map(|&a| of(a)).collect();
            each(&|v| values.iter().all(|value| value[v]))
        }
        Node::Or(operands) => {
            let values: Vec<_> = operands.iter().map(|&a| of(a)).collect();
            each(&|v| values.iter().any(|value| value[v]))
        }
        Node::Implies(a, b) => {
            let (a, b) = (of(a), of(b));
            each(&|v| !a[v] || b[v])
        }
        Node::Iff(a, b) => {
            let (a, b) = (of(a), of(b));
            each(&|v| a[v] == b[v])
        }
        Node::Next(path, a) => {
            let a = of(a);
            each(&|v| next(path, &a, v))
        }
        Node::Globally(path, a) => release(path, &constant(false), &of(a)),
        Node::Finally(path, a) => until(path, &constant(true), &of(a)),
        Node::Until(path, a, b) => until(path, &of(a), &of(b)),
        Node::Release(path, a, b) => release(path, &of(a), &of(b)),
        Node::WeakUntil(path, a, b) => {
            let (a, b) = (of(a), of(b));
            release(path, &b, &each(&|v| a[v] || b[v]))
        }
    }
}

fn set_of(truth: &[bool]) -> VertexSet {
    let mut set = VertexSet::empty(truth.len() as u32);
    truth.iter().enumerate().filter(|(_, b)| **b).for_each(|(v, _)| {
        set.insert(v as u32);
    });
    set
}

fn arena() -> Arena {
    let mut arena = Arena::new();
    (0..3).for_each(|i| assert_eq!(arena.symbol(&format!("p{i}")), Symbol(i)));
    arena
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn agrees_with_the_definitions(tree in trees(3, 5), kripke in structures()) {
        let mut arena = arena();
        let id = tree.build(&mut arena);
        let expected = set_of(&naive(&arena, id, &kripke));
        prop_assert_eq!(&satisfying(&arena, id, &kripke, &Budget::default()).unwrap(), &expected);

        let normal = arena.nnf(id);
        prop_assert!(arena.is_nnf(normal));
        prop_assert_eq!(&satisfying(&arena, normal, &kripke, &Budget::default()).unwrap(), &expected);

        let negated = arena.nnf_not(id);
        prop_assert_eq!(satisfying(&arena, negated, &kripke, &Budget::default()).unwrap(), not(expected));
    }
}

#[test]
fn dead_ends() {
    let mut builder = Builder::new(3);
    let only = builder.vertex();
    builder.label(only, 0);
    let kripke = builder.build(only);
    for (text, truth) in [
        ("AX F", true),
        ("EX T", false),
        ("AG p0 & EG p0 & AF p0 & EF p0", true),
        ("AF p1 | EF p1 | AG p1 | EG p1", false),
        ("A[p0 U p1] | E[p0 U p1]", false),
        ("A[p1 U p0] & E[p1 U p0]", true),
        ("A[p0 W p1] & E[p0 W p1] & A[p1 R p0] & E[p1 R p0]", true),
        ("AG EX T", false),
    ] {
        let mut arena = arena();
        let id = parse(&mut arena, text).unwrap();
        assert_eq!(holds(&arena, id, &kripke, &Budget::default()), Ok(truth), "{text}");
    }
}

#[test]
fn a_budget_of_nothing_decides_nothing() {
    let mut builder = Builder::new(1);
    let only = builder.vertex();
    let kripke = builder.build(only);
    let mut arena = Arena::new();
    let truth = arena.truth();
    let budget = Budget::new(Limits::default().with_time(Duration::ZERO));
    assert_eq!(satisfying(&arena, truth, &kripke, &budget), Err(StopReason::Time));
}

#[test]
fn a_long_chain_needs_no_call_stack() {
    const LENGTH: u32 = 100_000;
    let mut builder = Builder::new(1);
    (0..LENGTH).for_each(|_| {
        builder.vertex();
    });
    (1..LENGTH).for_each(|v| builder.edge(v - 1, v));
    builder.label(LENGTH - 1, 0);
    let kripke = builder.build(0);
    let mut arena = arena();
    let id = parse(&mut arena, "AF p0 & ~EX AG ~p0").unwrap();
    assert_eq!(holds(&arena, id, &kripke, &Budget::default()), Ok(true));
    let deep = parse(&mut arena, &format!("{}p0", "EX ".repeat(LENGTH as usize / 50))).unwrap();
    assert_eq!(holds(&arena, deep, &kripke, &Budget::default()), Ok(false));
}

/// A disjunction over all labels of `bits` symbols, each with a step to the next but one or to
/// where the first symbol is true, and one disjunct without a cube; with until and nested steps
/// below.
fn listing(bits: u32) -> String {
    let cube = |code: u32| -> String {
        (0..bits)
            .map(|b| format!("{}p{b}", if code >> b & 1 == 1 { "" } else { "~" }))
            .collect::<Vec<_>>()
            .join(" & ")
    };
    let states = 1 << bits;
    let disjunct = |code: u32| {
        let next = cube((code * 5 + 1) % states);
        match code % 4 {
            0 => format!("({} & (AX ({next}) | EX p0))", cube(code)),
            1 => format!("({} & EX (p1 | AX (p2 & EX T)))", cube(code)),
            2 => format!("({} & E[p3 U p4] & AX ~({next}))", cube(code)),
            _ => format!("({})", cube(code)),
        }
    };
    (0..states).filter(|code| code % 7 != 3).map(disjunct).collect::<Vec<_>>().join(" | ")
        + " | AX p5"
}

#[test]
fn disjunctions_over_cubes_are_looked_up_rightly() {
    let text = listing(8);
    let mut arena = Arena::new();
    let formula = parse(&mut arena, &format!("({text}) & EF ~({text})")).unwrap();
    let order: Vec<Id> = arena.subformulas(formula).collect();
    let mut state = 12_345_u32;
    let mut random = move |n: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) % n
    };
    let mut trues = 0;
    for _ in 0..20 {
        let mut builder = Builder::new(8);
        (0..40).for_each(|_| {
            builder.vertex();
        });
        (0..70).for_each(|_| builder.edge(random(40), random(40)));
        (0..160).for_each(|_| builder.label(random(40), random(8)));
        let kripke = builder.build(0);
        assert!(
            Plan::new(
                &arena,
                &reversed(&order),
                |id| reversed(&order).binary_search(&id).unwrap(),
                &kripke
            )
            .indexes
            .len()
                == 1
        );
        let found = satisfying(&arena, formula, &kripke, &Budget::default()).unwrap();
        let expected = naive(&arena, formula, &kripke);
        assert_eq!((0..40).map(|v| found.contains(v)).collect::<Vec<_>>(), expected);
        trues += expected.iter().filter(|&&b| b).count();
    }
    assert!((50..750).contains(&trues), "{trues}");
}

fn reversed(order: &[Id]) -> Vec<Id> {
    order.iter().rev().copied().collect()
}
