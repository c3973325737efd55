//! The tableau against families of known status, known traps, and the oracle on random formulas.

mod random;
mod refutations;
mod shrink;

use super::{Answer, Method, Options, explicit, satisfiable};
use crate::ctl::{Arena, Id, Syntax, parse, to_text};
use crate::limits::Budget;
use crate::modelcheck;
use pretty_assertions::assert_eq;
use random::Random;
use shrink::shrink;

/// The answer to a text; a model must be verified.
fn decide(text: &str, total: bool, method: Method) -> bool {
    let mut arena = Arena::new();
    let formula = parse(&mut arena, text).unwrap();
    decide_formula(&mut arena, formula, total, method)
}

fn decide_formula(arena: &mut Arena, formula: Id, total: bool, method: Method) -> bool {
    let options = Options { total, method, ..Options::default() };
    match satisfiable(arena, formula, &options, &Budget::default()).answer {
        Answer::Satisfiable(model) => {
            let text = || to_text(arena, formula, Syntax::Ascii);
            let model = model.unwrap_or_else(|| panic!("no model of {}, {method:?}", text()));
            assert_eq!(
                modelcheck::holds(arena, formula, &model, &Budget::default()),
                Ok(true),
                "{}",
                text()
            );
            assert!(
                !total || (0..model.vertices()).all(|v| !model.successors(v).is_empty()),
                "{}",
                text()
            );
            true
        }
        Answer::Unsatisfiable => false,
        Answer::Unknown(stop) => panic!("{stop}"),
    }
}

const METHODS: &[Method] = &[Method::Auto, Method::Tableau, Method::Symbolic];

#[test]
fn families_have_their_known_status() {
    let text = include_str!("../../formulas/families/instances.tsv");
    for line in text.lines().skip(2) {
        let [family, n, status, formula] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let n: u32 = n.parse().unwrap();
        if family.starts_with("counter") && n > 8 || n > 32 {
            continue;
        }
        assert_eq!(decide(formula, true, Method::Tableau), status == "sat", "{family} {n}");
    }
}

/// Those that were slow once (formulas/families/README.md), small ones by each method.
#[test]
fn slow_families_have_their_known_status() {
    let text = include_str!("../../formulas/families/slow.tsv");
    for line in text.lines().skip(2) {
        let [family, n, status, formula] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let n: u32 = n.parse().unwrap();
        let total = !family.starts_with("k_");
        assert_eq!(decide(formula, total, Method::Tableau), status == "sat", "{family} {n}");
        // Pigeons are hard for diagrams that have claims between them.
        let is_crowded = family.starts_with("pigeons") || family.starts_with("k_ph");
        if !is_crowded || n <= 3 {
            assert_eq!(decide(formula, total, Method::Symbolic), status == "sat", "{family} {n}");
        }
    }
}

#[test]
fn models_of_processes_are_small() {
    let text = include_str!("../../formulas/families/slow.tsv");
    // A vertex for each set of calls would be 16 times 4.
    for (family, most) in [("elevator", 40), ("round_robin", 40), ("philosophers", 40)] {
        let line = text.lines().rfind(|line| line.split('\t').next() == Some(family));
        let formula = line.and_then(|line| line.split('\t').nth(3)).unwrap();
        let mut arena = Arena::new();
        let formula = parse(&mut arena, formula).unwrap();
        let options = Options { total: true, method: Method::Symbolic, ..Options::default() };
        match satisfiable(&mut arena, formula, &options, &Budget::default()).answer {
            Answer::Satisfiable(Some(model)) => {
                assert!(model.vertices() <= most, "{family}: {} vertices", model.vertices());
            }
            answer => panic!("{family}: {answer:?}"),
        }
    }
}

#[test]
fn traps_for_the_unwary() {
    // (formula, satisfiable, satisfiable in a total model)
    let cases = [
        ("AX AF p & ~AF p", true, false),
        ("AX AF p & ~AF p & EX T", false, false),
        ("AX F", true, false),
        ("AX F & EX T", false, false),
        ("AG EF p & AG (p -> AX F)", true, false),
        ("AF p & AG ~p", false, false),
        ("AG AF p & AG AF ~p", true, true),
        ("AG AX AF p & AG EX T", true, true),
        ("AG EX AF p & EG ~p", true, true),
        ("A[p U q] & AG ~q", false, false),
        ("E[p U q] & AG (p -> ~q) & ~q & AG (q -> AX F)", true, false),
        ("EG p & AG (p -> AX ~p)", true, false),
        ("EG p & AG (p -> EX ~p)", true, true),
        ("AG (p -> AX q) & AG (q -> AX p) & p & AF (~p & ~q)", false, false),
        ("A[p W q] & ~A[p W q]", false, false),
        ("A[p R q] & EF ~q & AG ~p", false, false),
        ("AG (p | AX p) & AG (~p | AX ~p) & AG EF p & AG EF ~p", true, true),
        ("AG EF p & AG EF ~p & AG AF p", true, true),
        ("E[p U A[q U r]] & AG ~r", false, false),
        ("AF AG p & AG AF ~p", false, false),
        ("AF EG p & AG AF ~p", false, false),
    ];
    for &method in METHODS {
        for (formula, anywhere, total) in cases {
            assert_eq!(decide(formula, false, method), anywhere, "{formula} ({method:?})");
            assert_eq!(
                decide(formula, true, method),
                total,
                "{formula} in a total model ({method:?})"
            );
        }
    }
}

/// Compares every method with the oracle on random formulas; answers how many were small enough,
/// and how many of those satisfiable.
fn compare_with_oracle(seed: u64, formulas: u32) -> (u32, u32) {
    let mut random = Random::new(seed);
    let (mut compared, mut positive) = (0, 0);
    for _ in 0..formulas {
        let mut arena = Arena::new();
        let size = 3 + random.below(14) as u32;
        let formula = random.constrained(&mut arena, &["p", "q"], size, 2);
        let total = random.below(2) == 0;
        let normal = arena.nnf(formula);
        let Some(expected) = explicit::satisfiable(&arena, normal, total) else { continue };
        compared += 1;
        positive += u32::from(expected);
        for &method in METHODS {
            let found = decide_formula(&mut arena, formula, total, method);
            assert_eq!(
                found,
                expected,
                "{} total: {total}, {method:?}",
                to_text(&arena, formula, Syntax::Ascii)
            );
        }
    }
    (compared, positive)
}

#[test]
fn agrees_with_the_oracle() {
    let (compared, positive) = compare_with_oracle(0x9E37_79B9_7F4A_7C15, 1500);
    assert!(
        compared > 500 && positive > 100 && compared - positive > 100,
        "{compared} compared, {positive} satisfiable"
    );
}

#[test]
#[ignore = "250,000 formulas, minutes"]
fn agrees_with_the_oracle_at_length() {
    let (compared, positive) = compare_with_oracle(0x1234_5678_9ABC_DEF1, 250_000);
    println!("{compared} compared, {positive} satisfiable");
    assert!(compared > 100_000);
}

/// Compares the tableau with the symbolic fixpoint on random formulas, half of them asked in total
/// models; answers how many were satisfiable. A counterexample is shrunk first.
fn compare_methods(seed: u64, formulas: u32) -> u32 {
    let mut random = Random::new(seed);
    let mut positive = 0;
    for _ in 0..formulas {
        let mut arena = Arena::new();
        let (formula, total) = random.question(&mut arena);
        let by = |arena: &mut Arena, formula| {
            [Method::Tableau, Method::Symbolic]
                .map(|method| decide_formula(arena, formula, total, method))
        };
        let [tableau, symbolic] = by(&mut arena, formula);
        positive += u32::from(tableau);
        if tableau != symbolic {
            let small = shrink(&mut arena, formula, |arena, f| by(arena, f)[0] != by(arena, f)[1]);
            panic!(
                "tableau {tableau}, symbolic {symbolic}, total {total}: {}",
                to_text(&arena, small, Syntax::Ascii)
            );
        }
    }
    positive
}

#[test]
fn the_methods_agree() {
    let positive = compare_methods(0xD1B5_4A32_D192_ED03, 1500);
    assert!((200..1300).contains(&positive), "{positive} satisfiable");
}

#[test]
#[ignore = "200,000 formulas, minutes"]
fn the_methods_agree_at_length() {
    let positive = compare_methods(0x0DDB_1A5E_5BAD_5EED, 200_000);
    println!("{positive} of 200000 satisfiable");
    assert!((20_000..180_000).contains(&positive));
}

/// Crowded formulas: some of few things are wanted, and most of them exclude one another. Answers
/// how many were satisfiable.
fn compare_on_crowds(seed: u64, formulas: u32) -> u32 {
    let mut random = Random::new(seed);
    let mut positive = 0;
    for _ in 0..formulas {
        let mut one = |operators: bool| {
            let operator = ["", "~", "EX ", "AX ", "EX ~", "EF ", "AG "][random.below(7) as usize];
            format!(
                "{}{}",
                if operators { operator } else { "" },
                ["p", "q", "r"][random.below(3) as usize]
            )
        };
        let things: Vec<String> = (0..6).map(|i| one(i > 1)).collect();
        let mut parts = Vec::new();
        for (i, a) in things.iter().enumerate() {
            for b in &things[..i] {
                if a != b && random.below(5) > 0 {
                    parts.push(format!("~({a} & {b})"));
                }
            }
        }
        for _ in 0..2 + random.below(2) {
            let wanted: Vec<String> = (0..2 + random.below(2))
                .map(|_| things[random.below(6) as usize].clone())
                .collect();
            parts.push(wanted.join(" | "));
        }
        let text = format!("EX T & ({})", parts.join(") & ("));
        let text = if random.below(2) == 0 { text } else { format!("EX T & AX ({text})") };
        let total = random.below(2) == 0;
        let tableau = decide(&text, total, Method::Tableau);
        assert_eq!(tableau, decide(&text, total, Method::Symbolic), "{text} total: {total}");
        positive += u32::from(tableau);
    }
    positive
}

#[test]
fn the_methods_agree_on_crowds() {
    let positive = compare_on_crowds(0x5EED_0FA1_1C20_0D5A, 1000);
    assert!((200..900).contains(&positive), "{positive} satisfiable");
}

#[test]
#[ignore = "100,000 formulas, a minute in release"]
fn the_methods_agree_on_crowds_at_length() {
    let positive = compare_on_crowds(0x7331_BEEF_0BAD_CAFE, 100_000);
    println!("{positive} of 100000 satisfiable");
    assert!((20_000..90_000).contains(&positive));
}

#[test]
fn counterexamples_are_shrunk() {
    let mut arena = Arena::new();
    let formula = parse(&mut arena, "AG (p -> E[q U AX (p & r)]) & EF (q | AX (p & ~r))").unwrap();
    let bad = |arena: &mut Arena, f| to_text(arena, f, Syntax::Ascii).contains("AX");
    let small = shrink(&mut arena, formula, bad);
    assert_eq!(to_text(&arena, small, Syntax::Ascii), "AX p");
}
