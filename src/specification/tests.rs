//! Cores and redundancy against their definitions, on random specifications.

use super::*;
use crate::ctl::testing::trees;
use crate::ctl::{Syntax, parse, to_text};
use pretty_assertions::assert_eq;
use proptest::prelude::*;

fn satisfiable(arena: &mut Arena, parts: &[Id]) -> bool {
    let all = arena.and(parts);
    !unsatisfiable(arena, all, &Options::default(), &Budget::default()).unwrap()
}

fn told(texts: &[&str], total: bool) -> Vec<String> {
    let mut arena = Arena::new();
    let parts: Vec<Id> = texts.iter().map(|text| parse(&mut arena, text).unwrap()).collect();
    let options = Options { total, ..Options::default() };
    let lint = redundant(&mut arena, &parts, &options, &Budget::default()).unwrap().unwrap();
    assert!(lint.undecided.is_empty());
    let text = |id| to_text(&arena, id, Syntax::Ascii);
    let remarks = lint.remarks.iter().map(|(at, remark)| match remark {
        Remark::Valid => format!("{at} valid"),
        Remark::Implied(by) => format!("{at} by {by:?}"),
        Remark::Vacuous { subformula, sharper } => {
            format!("{at} not {}: {}", text(*subformula), text(*sharper))
        }
    });
    remarks.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn a_core_has_no_model_and_every_smaller_set_has(
        forest in prop::collection::vec(trees(2, 2), 1..12)
    ) {
        let mut arena = Arena::new();
        let parts: Vec<Id> = forest.iter().map(|tree| tree.build(&mut arena)).collect();
        let found = core(&mut arena, &parts, &Options::default(), &Budget::default()).unwrap();
        let Some(Core { parts: found, minimal }) = found else {
            prop_assert!(satisfiable(&mut arena, &parts));
            return Ok(());
        };
        prop_assert!(minimal && found.is_sorted());
        let chosen: Vec<Id> = found.iter().map(|&place| parts[place]).collect();
        prop_assert!(!satisfiable(&mut arena, &chosen));
        for out in (0..chosen.len()).filter(|_| chosen.len() > 1) {
            let mut fewer = chosen.clone();
            fewer.remove(out);
            prop_assert!(satisfiable(&mut arena, &fewer));
        }
    }

    #[test]
    fn conjuncts_are_the_formula(tree in trees(3, 4)) {
        let mut arena = Arena::new();
        let formula = tree.build(&mut arena);
        let parts = conjuncts(&mut arena, formula);
        let all = arena.and(&parts);
        let same = arena.add(Node::Iff(formula, all));
        let differ = arena.not(same);
        prop_assert!(!satisfiable(&mut arena, &[differ]));
    }

    /// What is said to be implied is, and what is said not to matter does not.
    #[test]
    fn remarks_are_true(forest in prop::collection::vec(trees(2, 2), 1..5)) {
        let mut arena = Arena::new();
        let parts: Vec<Id> = forest.iter().map(|tree| tree.build(&mut arena)).collect();
        let found = redundant(&mut arena, &parts, &Options::default(), &Budget::default()).unwrap();
        for (at, remark) in found.into_iter().flat_map(|lint| lint.remarks) {
            let (by, conclusion) = match remark {
                Remark::Valid => (Vec::new(), parts[at]),
                Remark::Implied(by) => (by, parts[at]),
                Remark::Vacuous { sharper, .. } => ((0..parts.len()).collect(), sharper),
            };
            let mut with: Vec<Id> = by.iter().map(|&place| parts[place]).collect();
            with.push(arena.not(conclusion));
            prop_assert!(!satisfiable(&mut arena, &with));
        }
    }
}

#[test]
fn what_is_said_twice_and_what_never_happens() {
    let spec = ["AG (req -> AF ack)", "AG ~req", "AG (p | ~p)", "EF ack"];
    assert_eq!(
        told(&spec, false),
        ["0 by [1]", "2 valid"],
        "that there is no request implies that each is answered"
    );
    assert_eq!(
        told(&["AG ((req -> AF ack) & ~req)", "EF ack"], false),
        ["0 not AF ack: AG ((req -> F) & ~req)"]
    );
    // At a dead end AX says nothing.
    assert_eq!(told(&["AX p", "AX (p | q)"], false), ["1 by [0]"]);
    assert_eq!(told(&["EX T", "p"], true), ["0 valid"]);
    assert_eq!(told(&["p", "q"], false), [""; 0]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// The least model is one, in either reading, and the oracle of all graphs of two states with
    /// one variable agrees on whether fewer than three states are enough.
    #[test]
    fn least_models_are_models_and_least(tree in trees(1, 3), total in any::<bool>()) {
        let mut arena = Arena::new();
        let formula = tree.build(&mut arena);
        let budget = Budget::default();
        let options = Options { total, ..Options::default() };
        let answer = tableau::satisfiable(&mut arena, formula, &options, &budget).answer;
        let Answer::Satisfiable(Some(model)) = answer else { return Ok(()) };
        let small = smallest(&mut arena, formula, &model, total, 4, &budget).unwrap();
        let count = small.model.vertices();
        prop_assert!(count <= model.vertices() && (small.least || count > 4));
        let is_total = (0..count).all(|v| !small.model.successors(v).is_empty());
        prop_assert!(is_total || !total);
        prop_assert!(crate::modelcheck::holds(&arena, formula, &small.model, &budget).unwrap());
        let fewest = (1..=2).find(|&n| has_model(&arena, formula, n, total));
        prop_assert_eq!(fewest.unwrap_or(3), count.min(3));
    }
}

/// Whether some graph of `n` states over the first variable satisfies the formula.
fn has_model(arena: &Arena, formula: Id, n: u32, total: bool) -> bool {
    (0..1_u32 << (n * n + n)).any(|code| {
        let mut builder = crate::kripke::Builder::new(1);
        for _ in 0..n {
            builder.vertex();
        }
        for i in 0..n {
            if code >> (n * n + i) & 1 == 1 {
                builder.label(i, 0);
            }
            (0..n).filter(|j| code >> (i * n + j) & 1 == 1).for_each(|j| builder.edge(i, j));
        }
        let graph = builder.build(0);
        (!total || (0..n).all(|v| !graph.successors(v).is_empty()))
            && crate::modelcheck::holds(arena, formula, &graph, &Budget::default()).unwrap()
    })
}
