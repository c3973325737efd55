//! Every "unsatisfiable" has a refutation that the checker accepts; damaged ones are rejected, or
//! right nevertheless.

use super::random::Random;
use crate::ctl::{Arena, Id, Node, Path, Syntax, parse, to_text};
use crate::limits::Budget;
use crate::refutation::{Accepted, Fault, Rejected, check};
use crate::tableau::{Answer, Method, Options, Size, refute, satisfiable};
use pretty_assertions::assert_eq;

const METHODS: [Method; 2] = [Method::Tableau, Method::Symbolic];

/// The refutation of a formula and its size; none if it has a model.
fn refutation(
    arena: &mut Arena,
    formula: Id,
    total: bool,
    method: Method,
) -> Option<(String, Size)> {
    let options = Options { total, method, ..Options::default() };
    let (outcome, refutation) = refute(arena, formula, &options, &Budget::default())
        .unwrap_or_else(|e| panic!("{}: {e}", to_text(arena, formula, Syntax::Ascii)));
    assert_eq!(matches!(outcome.answer, Answer::Unsatisfiable), refutation.is_some());
    refutation.map(|refutation| {
        let mut text = Vec::new();
        let size = refutation.write(&mut text).unwrap();
        assert_eq!(size.bytes, text.len() as u64);
        (String::from_utf8(text).unwrap(), size)
    })
}

fn checked(text: &str, arena: &Arena, formula: Id) -> Result<Accepted, Rejected> {
    check(text.as_bytes(), arena, formula, &mut |_| true)
}

/// Refutes random formulas; answers how many of them had no model.
fn refute_random(seed: u64, formulas: u32) -> u32 {
    let mut random = Random::new(seed);
    let mut refuted = 0;
    for _ in 0..formulas {
        let mut arena = Arena::new();
        let (formula, total) = random.question(&mut arena);
        let found = METHODS.map(|method| refutation(&mut arena, formula, total, method));
        let text = || to_text(&arena, formula, Syntax::Ascii);
        assert_eq!(found[0].is_some(), found[1].is_some(), "{total} {}", text());
        for (refutation, size) in found.into_iter().flatten() {
            match checked(&refutation, &arena, formula) {
                Ok(accepted) => {
                    let Accepted { total: of_total, nodes, steps } = accepted;
                    assert_eq!((of_total, nodes, steps), (total, size.nodes, size.steps));
                }
                Err(fault) => panic!("{fault} in the refutation of {}\n{refutation}", text()),
            }
            refuted += 1;
        }
    }
    refuted / 2
}

#[test]
fn random_formulas_without_models_are_refuted() {
    let refuted = refute_random(0x5EED_2EF5, 600);
    assert!(refuted > 150, "{refuted}");
}

#[test]
#[ignore = "50,000 formulas, minutes"]
fn random_formulas_without_models_are_refuted_at_length() {
    let refuted = refute_random(0xACCE_55ED_BEEF, 50_000);
    println!("{refuted} of 50000 refuted, twice each");
    assert!(refuted > 10_000);
}

/// Refutes the families up to a size by both methods.
fn refute_families(largest: u32, largest_counter: u32) {
    let text = include_str!("../../../formulas/families/instances.tsv");
    for line in text.lines().skip(2) {
        let [family, n, status, formula] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let n: u32 = n.parse().unwrap();
        let largest = if family.starts_with("counter") { largest_counter } else { largest };
        if status != "unsat" || n > largest {
            continue;
        }
        for (total, method) in [(true, METHODS[0]), (true, METHODS[1]), (false, METHODS[0])] {
            let mut arena = Arena::new();
            let formula = parse(&mut arena, formula).unwrap();
            let found = refutation(&mut arena, formula, total, method);
            assert!(found.is_some() || !total, "{family} {n}");
            if let Some((text, _)) = found {
                checked(&text, &arena, formula).unwrap_or_else(|e| panic!("{family} {n}: {e}"));
            }
        }
    }
}

#[test]
fn the_families_are_refuted() {
    refute_families(5, 4);
}

#[test]
#[ignore = "all sizes: a minute in release"]
fn the_families_are_refuted_at_length() {
    refute_families(u32::MAX, 14);
}

/// The formula that a refutation names as refuted, read off its own definitions; none if they make
/// no sense.
fn named(arena: &mut Arena, text: &str) -> Option<Id> {
    let truth = arena.truth();
    let alive = arena.add(Node::Next(Path::Some, truth));
    let mut nodes = vec![truth, alive];
    for line in text.lines().skip(2) {
        let (kind, rest) = line.split_once(' ')?;
        if kind == "p" {
            nodes.push(parse(arena, rest).ok()?);
            continue;
        }
        if !matches!(kind, "a" | "x" | "e" | "u" | "f") {
            continue;
        }
        let literal = |arena: &mut Arena, word: &str| {
            let number: i64 = word.parse().ok()?;
            let node = *nodes.get(number.unsigned_abs().checked_sub(1)? as usize)?;
            Some(if number < 0 { arena.not(node) } else { node })
        };
        let parts: Option<Vec<Id>> = rest.split(' ').map(|word| literal(arena, word)).collect();
        let parts = parts?;
        match (kind, parts.as_slice()) {
            ("f", [root]) => return Some(*root),
            ("a", parts) => nodes.push(arena.and(parts)),
            ("x", [a]) => nodes.push(arena.add(Node::Next(Path::Some, *a))),
            ("e", [a, b]) => {
                let until = arena.add(Node::Until(Path::Some, *a, *b));
                nodes.extend([until, arena.add(Node::Next(Path::Some, until))]);
            }
            ("u", [a, b]) => {
                let until = arena.add(Node::Until(Path::All, *a, *b));
                let fails = arena.not(until);
                nodes.extend([until, arena.add(Node::Next(Path::Some, fails))]);
            }
            _ => return None,
        }
    }
    None
}

/// A refutation with one thing changed: a line left out, doubled, moved or cut off behind; a number
/// negated, made larger or smaller, replaced by another of the file, or left out.
fn damaged(random: &mut Random, text: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    if lines.len() < 2 {
        return text.to_owned();
    }
    let pick = |random: &mut Random, n: usize| random.below(n as u64) as usize;
    let at = 1 + pick(random, lines.len() - 1);
    let other = 1 + pick(random, lines.len() - 1);
    let donor: Vec<String> = lines[other].split(' ').map(str::to_owned).collect();
    match random.below(10) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(other, lines[at].clone()),
        2 => lines.swap(at, other),
        3 => lines.truncate(at),
        kind => {
            let mut words: Vec<String> = lines[at].split(' ').map(str::to_owned).collect();
            let spot = pick(random, words.len());
            let number: Option<i64> = words[spot].parse().ok();
            match (kind, number) {
                (4, Some(n)) => words[spot] = (-n).to_string(),
                (5, Some(n)) => words[spot] = (n + 1).to_string(),
                (6, Some(n)) => words[spot] = (n - 1).to_string(),
                (7, _) => drop(words.remove(spot)),
                (8, _) => words.insert(spot, donor[pick(random, donor.len())].clone()),
                _ => words[spot] = donor[pick(random, donor.len())].clone(),
            }
            lines[at] = words.join(" ");
        }
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Damages so many refutations. One that is still accepted, whatever formula it names now, must be
/// of a formula without a model.
fn damage(seed: u64, mutants: u32) -> (u32, u32) {
    let mut random = Random::new(seed);
    let (mut rejected, mut right) = (0, 0);
    while rejected + right < mutants {
        let mut arena = Arena::new();
        let size = 4 + random.below(16) as u32;
        let formula = random.constrained(&mut arena, &["p", "q"], size, 4);
        let total = random.below(2) == 0;
        let method = METHODS[random.below(2) as usize];
        let Some((text, _)) = refutation(&mut arena, formula, total, method) else { continue };
        for _ in 0..20 {
            let mut other = text.clone();
            for _ in 0..1 + random.below(2) {
                other = damaged(&mut random, &other);
            }
            let Some(named) = named(&mut arena, &other) else {
                assert!(checked(&other, &arena, formula).is_err());
                rejected += 1;
                continue;
            };
            match checked(&other, &arena, named) {
                Err(_) => rejected += 1,
                Ok(Accepted { total, .. }) => {
                    let options = Options { total, ..Options::default() };
                    let answer =
                        satisfiable(&mut arena, named, &options, &Budget::default()).answer;
                    assert!(
                        matches!(answer, Answer::Unsatisfiable),
                        "{}\n{other}",
                        to_text(&arena, named, Syntax::Ascii)
                    );
                    right += 1;
                }
            }
        }
    }
    (rejected, right)
}

#[test]
fn damaged_refutations_are_rejected_or_right() {
    let (rejected, right) = damage(0xDA4A_6ED5, 1000);
    assert!(rejected > 500 && right > 20, "{rejected} rejected, {right} right");
}

#[test]
#[ignore = "100,000 damaged refutations, a minute in release"]
fn damaged_refutations_are_rejected_or_right_at_length() {
    let (rejected, right) = damage(0x1DEA_6ED5, 100_000);
    println!("{rejected} rejected, {right} right nevertheless");
}

#[test]
fn a_refutation_of_another_formula_is_rejected() {
    let mut arena = Arena::new();
    let formula = parse(&mut arena, "EG p & AF ~p").unwrap();
    let (text, _) = refutation(&mut arena, formula, false, Method::Tableau).unwrap();
    let other = parse(&mut arena, "EG p & AF ~q").unwrap();
    let fault = |text: &str, formula| checked(text, &arena, formula).unwrap_err();
    assert!(matches!(fault(&text, other).fault, Fault::OtherFormula));
    // Cut at each line, and in the middle of each.
    for (at, _) in text.match_indices('\n').filter(|&(at, _)| at + 1 < text.len()) {
        let cut = fault(&text[..at + 1], formula);
        assert!(matches!(cut.fault, Fault::Cut | Fault::Header), "{cut}");
        assert!(matches!(fault(&text[..at], formula).fault, Fault::Cut | Fault::Header));
    }
}

#[test]
fn the_reading_is_part_of_the_refutation() {
    let mut arena = Arena::new();
    let formula = parse(&mut arena, "AX F").unwrap();
    let (text, _) = refutation(&mut arena, formula, true, Method::Tableau).unwrap();
    assert!(checked(&text, &arena, formula).unwrap().total);
    let any = text.replace("reading total", "reading any");
    assert!(checked(&any, &arena, formula).is_err(), "AX F holds at a dead end");
}
