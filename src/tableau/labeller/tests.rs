//! The labeller on small closures.

use super::*;
use crate::ctl::{Arena, parse};
use crate::limits::{Budget, Limits, StopReason};
use crate::tableau::closure::Closure;
use pretty_assertions::assert_eq;

fn closure(text: &str) -> (Arena, Closure) {
    let mut arena = Arena::new();
    let formula = parse(&mut arena, text).unwrap();
    let normal = arena.nnf(formula);
    let closure = Closure::new(&arena, normal, false, &Budget::default()).unwrap();
    (arena, closure)
}

/// The node of a variable's literal.
fn literal(arena: &mut Arena, closure: &Closure, name: &str, sign: bool) -> NodeId {
    closure.literal_node(arena.symbol(name).0, sign)
}

fn ask(labeller: &mut Labeller<'_>) -> Answer {
    let start = labeller.closure.start.clone();
    labeller.query(&start, Vec::new(), &[])
}

#[test]
fn a_label_has_the_consequences() {
    let (mut arena, closure) = closure("p & (~p | q) & (~q | r | s) & ~s");
    let mut labeller = Labeller::new(&closure);
    assert!(matches!(ask(&mut labeller), Answer::Label));
    let mut found: Vec<u32> = labeller.true_variables().collect();
    found.sort_unstable();
    assert_eq!(found, ["p", "q", "r"].map(|name| arena.symbol(name).0));
}

#[test]
fn a_conflict_names_the_formulas_to_blame() {
    let (mut arena, closure) = closure("p & q & r & AG (~p | ~q | s) & AG (~s | ~q)");
    let mut labeller = Labeller::new(&closure);
    let Answer::Conflict { core, local } = ask(&mut labeller) else {
        panic!("p, q and the axioms clash")
    };
    let mut blamed = ["p", "q"].map(|name| literal(&mut arena, &closure, name, true));
    blamed.sort_unstable();
    assert_eq!((core, local), (blamed.to_vec(), false));
    // Without q there is a label, and nothing of the conflict is left.
    let rest = ["p", "r"].map(|name| literal(&mut arena, &closure, name, true));
    assert!(matches!(labeller.query(&rest, Vec::new(), &[]), Answer::Label));
}

#[test]
fn a_label_is_not_looked_for_beyond_the_memory() {
    // Five random clauses of three literals for each variable.
    let mut state = 7_u32;
    let mut random = |n| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) % n
    };
    let mut literal = || format!("{}p{}", ["", "~"][random(2) as usize], random(100));
    let clauses: Vec<String> =
        (0..500).map(|_| [literal(), literal(), literal()].join(" | ")).collect();
    let (_, closure) = closure(&format!("({})", clauses.join(") & (")));
    let mut labeller = Labeller::new(&closure);
    let budget = |memory| Budget::new(Limits { memory, ..Limits::default() });
    labeller.set_budget(&budget(Some(1)));
    assert!(matches!(ask(&mut labeller), Answer::Stopped(StopReason::Memory)));
    labeller.set_budget(&budget(None));
    assert!(matches!(ask(&mut labeller), Answer::Conflict { local: false, .. }));
}

#[test]
fn blocks_last_for_their_query_only() {
    let (mut arena, closure) = closure("(p | q) & (~p | ~q)");
    let [p, q] = ["p", "q"].map(|name| literal(&mut arena, &closure, name, true));
    let mut labeller = Labeller::new(&closure);
    let block = |node| Block { demands: vec![node], ..Block::default() };
    let start = closure.start.clone();
    assert!(matches!(labeller.query(&start, vec![block(p)], &[]), Answer::Label));
    assert_eq!((labeller.value(p), labeller.value(q)), (-1, 1));
    assert!(matches!(labeller.again(&start, block(q), &[]), Answer::Conflict { local: true, .. }));
    assert!(matches!(labeller.query(&start, vec![block(q)], &[]), Answer::Label));
    assert_eq!((labeller.value(p), labeller.value(q)), (1, -1));
}

#[test]
fn exclusions_last_beyond_those_that_are_propagated() {
    // Of 40 variables no two may be true together: 780 exclusions, most of which only stand guard.
    let names: Vec<String> = (0..40).map(|i| format!("x{i}")).collect();
    let (mut arena, closure) = closure(&format!("({}) & y", names.join(" | ")));
    let nodes: Vec<NodeId> =
        names.iter().map(|name| literal(&mut arena, &closure, name, true)).collect();
    let mut labeller = Labeller::new(&closure);
    let mut excluded = 0;
    for (i, &a) in nodes.iter().enumerate() {
        for &b in &nodes[..i] {
            labeller.exclude(&[a, b]);
            excluded += 1;
        }
    }
    assert!(excluded > 2 * WATCHED);
    for (i, &a) in nodes.iter().enumerate() {
        assert!(matches!(labeller.query(&[a], Vec::new(), &[]), Answer::Label));
        let b = nodes[(7 * i + 3) % 40];
        let answer = labeller.query(&[a, b], Vec::new(), &[]);
        assert_eq!(a == b, matches!(answer, Answer::Label), "{i}");
        assert_eq!(a != b, matches!(answer, Answer::Conflict { local: false, .. }), "{i}");
    }
}

#[test]
fn a_label_demands_no_more_than_it_needs() {
    let (mut arena, closure) = closure("EX T & (AX p | q) & AX r & (EX p -> s)");
    let mut labeller = Labeller::new(&closure);
    assert!(matches!(ask(&mut labeller), Answer::Label));
    let start = closure.start.clone();
    let r = literal(&mut arena, &closure, "r", true);
    assert_eq!(labeller.justify(&start), Demands { all: vec![r], some: vec![Closure::TRUE] });
}

#[test]
fn at_a_dead_end_nothing_is_demanded() {
    let (_, closure) = closure("AX p & AX ~p");
    let mut labeller = Labeller::new(&closure);
    assert!(matches!(ask(&mut labeller), Answer::Label));
    let start = closure.start.clone();
    assert_eq!(labeller.justify(&start), Demands::default());
}

/// So many pigeons in eleven holes, and somebody asleep; a pigeon in a hole is what `at` says.
fn pigeons(count: usize, at: impl Fn(usize, usize) -> String) -> String {
    let mut parts = vec!["z".to_owned()];
    for i in 0..count {
        parts.push((0..11).map(|j| at(i, j)).collect::<Vec<_>>().join(" | "));
        let others = |j| (0..i).map(move |other| (other, j));
        let apart = |(other, j)| format!("~({} & {})", at(i, j), at(other, j));
        parts.extend((0..11).flat_map(others).map(apart));
    }
    format!("({})", parts.join(") & ("))
}

#[test]
fn pigeons_are_counted() {
    let ways: [fn(usize, usize) -> String; 3] = [
        |i, j| format!("p{i}_{j}"),
        |i, j| format!("EX p{i}_{j}"),
        |i, j| format!("{} p{i}_{j}", if i < j { "AX" } else { "EX" }),
    ];
    for at in ways {
        let (mut arena, closure) = closure(&pigeons(12, at));
        let z = literal(&mut arena, &closure, "z", true);
        let mut labeller = Labeller::new(&closure);
        // Without counting this takes some 10^5 conflicts.
        match ask(&mut labeller) {
            Answer::Conflict { core, local: false } => assert!(!core.contains(&z)),
            answer => panic!("{answer:?}"),
        }
        assert!(labeller.schedule.conflicts < 300, "{}", labeller.schedule.conflicts);
    }
}

#[test]
fn as_many_pigeons_as_holes_have_room() {
    for count in [1, 10, 11] {
        let (_, closure) = closure(&pigeons(count, |i, j| format!("p{i}_{j}")));
        assert!(matches!(ask(&mut Labeller::new(&closure)), Answer::Label));
    }
}
