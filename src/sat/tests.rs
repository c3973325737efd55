//! Answers against exhaustion; proofs against a checker of ten lines.

use super::{Answer, Cnf, ProofError, ProofFormat, prove, solve};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::io::{self, Write};

fn cnf(variables: u32, clauses: &[Vec<i32>]) -> Cnf {
    let mut cnf = Cnf::new(variables);
    clauses.iter().for_each(|clause| cnf.add(clause.iter().copied()));
    cnf
}

/// One pigeon too many: unsatisfiable, and no unit propagation shows it.
fn pigeons(holes: i32) -> Cnf {
    let at = |pigeon: i32, hole: i32| pigeon * holes + hole + 1;
    let mut cnf = Cnf::new(((holes + 1) * holes) as u32);
    for pigeon in 0..=holes {
        cnf.add((0..holes).map(|hole| at(pigeon, hole)));
        for other in 0..pigeon {
            (0..holes).for_each(|hole| cnf.add([-at(pigeon, hole), -at(other, hole)]));
        }
    }
    cnf
}

fn proof(cnf: &Cnf, format: ProofFormat) -> (Answer, String) {
    let mut text = Vec::new();
    let answer = prove(cnf, format, &mut text).unwrap();
    (answer, String::from_utf8(text).unwrap())
}

/// Checks an LRAT proof without RAT steps: under the negation of each new clause, the named clauses
/// become unit one after the other, and the last one is false.
fn lrat_accepts(cnf: &Cnf, proof: &str) -> bool {
    let mut clauses: BTreeMap<i64, Vec<i32>> =
        (1..).zip(cnf.clauses().map(<[i32]>::to_vec)).collect();
    for line in proof.lines() {
        let mut words = line.split(' ');
        let id: i64 = words.next().unwrap().parse().unwrap();
        let rest: Vec<&str> = words.collect();
        if rest[0] == "d" {
            rest[1..].iter().for_each(|id| drop(clauses.remove(&id.parse().unwrap())));
            continue;
        }
        let numbers: Vec<i64> = rest.iter().map(|n| n.parse().unwrap()).collect();
        let mut parts = numbers.split(|&n| n == 0);
        let clause: Vec<i32> = parts.next().unwrap().iter().map(|&n| n as i32).collect();
        let mut false_now: Vec<i32> = clause.clone();
        let mut refuted = false;
        for hint in parts.next().unwrap() {
            let Some(named) = clauses.get(hint) else { return false };
            let open: Vec<i32> = named.iter().copied().filter(|l| !false_now.contains(l)).collect();
            match open[..] {
                [] => refuted = true,
                [unit] => false_now.push(-unit),
                _ => return false,
            }
        }
        if !refuted {
            return false;
        }
        if clause.is_empty() {
            return true;
        }
        clauses.insert(id, clause);
    }
    false
}

#[test]
fn pigeons_do_not_fit() {
    let formula = pigeons(5);
    assert_eq!(solve(&formula), Answer::Unsatisfiable);
    let (answer, lrat) = proof(&formula, ProofFormat::Lrat);
    assert_eq!(answer, Answer::Unsatisfiable);
    assert!(lrat_accepts(&formula, &lrat));
    assert!(!lrat_accepts(&pigeons(6), &lrat), "a proof of something else");
    let cut: String =
        lrat.split_inclusive('\n').rev().skip(1).collect::<Vec<_>>().into_iter().rev().collect();
    assert!(!lrat_accepts(&formula, &cut), "a proof that stops short");
    let (_, drat) = proof(&formula, ProofFormat::Drat);
    assert_eq!(drat.lines().last(), Some("0"), "ends with the empty clause");
}

#[test]
fn the_smallest_formulas() {
    assert_eq!(solve(&Cnf::new(0)), Answer::Satisfiable(Vec::new()));
    assert_eq!(
        solve(&Cnf::new(2)),
        Answer::Satisfiable(vec![false; 2]),
        "variables that no clause names"
    );
    assert_eq!(solve(&cnf(1, &[vec![]])), Answer::Unsatisfiable);
    assert_eq!(solve(&cnf(3, &[vec![3], vec![-1]])), Answer::Satisfiable(vec![false, false, true]));
    for format in [ProofFormat::Drat, ProofFormat::Lrat] {
        let contradiction = cnf(1, &[vec![1], vec![-1]]);
        assert_eq!(proof(&contradiction, format).0, Answer::Unsatisfiable);
    }
    let mut text = Vec::new();
    cnf(2, &[vec![1, -2], vec![]]).write_dimacs(&["why".into()], &mut text).unwrap();
    assert_eq!(String::from_utf8(text).unwrap(), "c why\np cnf 2 2\n1 -2 0\n0\n");
}

/// A disk that is full.
struct Full;

impl Write for Full {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::StorageFull.into())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_proof_that_cannot_be_written_is_an_error() {
    for format in [ProofFormat::Drat, ProofFormat::Lrat] {
        match prove(&pigeons(4), format, &mut Full) {
            Err(ProofError::Output(error)) => assert_eq!(error.kind(), io::ErrorKind::StorageFull),
            other => panic!("{format:?}: {other:?}"),
        }
    }
}

/// Takes so many bytes and no more.
struct Patience(usize);

impl Write for Patience {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::TimedOut)?;
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_writer_out_of_patience_ends_a_search_that_would_take_years() {
    for format in [ProofFormat::Drat, ProofFormat::Lrat] {
        match prove(&pigeons(20), format, &mut Patience(300_000)) {
            Err(ProofError::Output(error)) => assert_eq!(error.kind(), io::ErrorKind::TimedOut),
            other => panic!("{format:?}: {other:?}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn answers_are_those_of_exhaustion(clauses in prop::collection::vec(
        prop::collection::vec((1..=6_i32).prop_flat_map(|v| prop_oneof![Just(v), Just(-v)]), 1..4), 0..40)) {
        let formula = cnf(6, &clauses);
        let values = |bits: u32| -> Vec<bool> { (0..6).map(|k| bits >> k & 1 == 1).collect() };
        let expected = (0..64).any(|bits| formula.holds(&values(bits)));
        prop_assert_eq!(solve(&formula).is_satisfiable(), expected);
        let (answer, lrat) = proof(&formula, ProofFormat::Lrat);
        prop_assert_eq!(answer.is_satisfiable(), expected);
        prop_assert_eq!(lrat_accepts(&formula, &lrat), !expected);
        prop_assert_eq!(proof(&formula, ProofFormat::Drat).0.is_satisfiable(), expected);
    }
}
