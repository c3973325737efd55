//! The tableau against families of known status, known traps, and the oracle on random formulas.

use super::{Answer, Method, Options, explicit, satisfiable};
use crate::ctl::{Arena, Id, Node, Path, Syntax, parse, to_text};
use crate::limits::Budget;
use crate::modelcheck;
use pretty_assertions::assert_eq;

/// The answer to a text; a model must be verified.
fn decide(text: &str, total: bool, method: Method) -> bool {
    let mut arena = Arena::new();
    let formula = parse(&mut arena, text).unwrap();
    decide_formula(&mut arena, formula, total, method)
}

fn decide_formula(arena: &mut Arena, formula: Id, total: bool, method: Method) -> bool {
    let options = Options { total, method };
    match satisfiable(arena, formula, &options, &Budget::default()).answer {
        Answer::Satisfiable { model, verified } => {
            let text = || to_text(arena, formula, Syntax::Ascii);
            assert!(verified, "a model of {} was not verified", text());
            assert_eq!(modelcheck::holds(arena, formula, &model, &Budget::default()), Ok(true), "{}", text());
            assert!(!total || (0..model.vertices()).all(|v| !model.successors(v).is_empty()), "{}", text());
            true
        }
        Answer::Unsatisfiable => false,
        Answer::Unknown(stop) => panic!("{stop}"),
    }
}

const METHODS: &[Method] = &[Method::Tableau];

#[test]
fn families_have_their_known_status() {
    let text = include_str!("../../formulas/families.tsv");
    for line in text.lines().skip(2) {
        let [family, n, status, formula] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let n: u32 = n.parse().unwrap();
        if family.starts_with("counter") && n > 8 || n > 32 {
            continue;
        }
        assert_eq!(decide(formula, true, Method::Tableau), status == "sat", "{family} {n}");
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
            assert_eq!(decide(formula, true, method), total, "{formula} in a total model ({method:?})");
        }
    }
}

/// A small deterministic source of random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    fn formula(&mut self, arena: &mut Arena, size: u32) -> Id {
        if size <= 1 {
            let var = arena.var(["p", "q"][self.below(2) as usize]);
            return if self.below(2) == 0 { var } else { arena.not(var) };
        }
        let path = if self.below(2) == 0 { Path::All } else { Path::Some };
        let kind = self.below(12);
        if kind < 5 {
            let a = self.formula(arena, size - 1);
            return arena.add(match kind {
                0 | 1 => Node::Next(path, a),
                2 => Node::Globally(path, a),
                3 => Node::Finally(path, a),
                _ => Node::Not(a),
            });
        }
        let left = 1 + self.below(u64::from(size) - 1) as u32;
        let a = self.formula(arena, left);
        let b = self.formula(arena, (size - left).max(1));
        match kind {
            5 | 6 => arena.and(&[a, b]),
            7 => arena.or(&[a, b]),
            8 => arena.add(Node::Implies(a, b)),
            9 | 10 => arena.add(Node::Until(path, a, b)),
            _ => arena.add(if self.below(2) == 0 { Node::Release(path, a, b) } else { Node::WeakUntil(path, a, b) }),
        }
    }
}

/// Compares every method with the oracle on random formulas; answers how many were small enough, and how many
/// of those satisfiable.
fn compare(seed: u64, formulas: u32) -> (u32, u32) {
    let mut random = Random(seed);
    let (mut compared, mut positive) = (0, 0);
    for _ in 0..formulas {
        let mut arena = Arena::new();
        let size = 3 + random.below(14) as u32;
        let mut formula = random.formula(&mut arena, size);
        // Conjoined invariants make unsatisfiable formulas common.
        for _ in 0..random.below(3) {
            let body = random.formula(&mut arena, 4);
            let always = arena.add(Node::Globally(Path::All, body));
            formula = arena.and(&[formula, always]);
        }
        let total = random.below(2) == 0;
        let normal = arena.nnf(formula);
        let Some(expected) = explicit::satisfiable(&arena, normal, total) else { continue };
        compared += 1;
        positive += u32::from(expected);
        for &method in METHODS {
            let found = decide_formula(&mut arena, formula, total, method);
            assert_eq!(found, expected, "{} total: {total}, {method:?}", to_text(&arena, formula, Syntax::Ascii));
        }
    }
    (compared, positive)
}

#[test]
fn agrees_with_the_oracle() {
    let (compared, positive) = compare(0x9E37_79B9_7F4A_7C15, 1500);
    assert!(
        compared > 500 && positive > 100 && compared - positive > 100,
        "{compared} compared, {positive} satisfiable"
    );
}

#[test]
#[ignore = "100,000 formulas, minutes"]
fn agrees_with_the_oracle_at_length() {
    let (compared, positive) = compare(0x1234_5678_9ABC_DEF1, 250_000);
    println!("{compared} compared, {positive} satisfiable");
    assert!(compared > 100_000);
}
