//! Each rule with what it must refuse.

use super::{Fault, check};
use crate::ctl::{Arena, parse};
use pretty_assertions::assert_eq;

/// What is said of a refutation of a formula: its steps, or the fault.
fn verdict(formula: &str, reading: &str, body: &str) -> Result<u64, String> {
    let mut arena = Arena::new();
    let formula = parse(&mut arena, formula).unwrap();
    let text = format!("theta refutation 1\nreading {reading}\n{body}");
    match check(text.as_bytes(), &arena, formula, &mut |_| true) {
        Ok(accepted) => Ok(accepted.steps),
        Err(rejected) => Err(rejected.to_string()),
    }
}

#[test]
fn propagation_takes_clauses_in_order() {
    let start = "p p\na 3 -3\nf 4\n";
    let is = |end: &str| verdict("p & ~p", "any", &format!("{start}{end}"));
    assert_eq!(is("c -4 0 4 5\nq 6\n"), Ok(2));
    assert_eq!(
        is("c -4 0 4\nq 6\n"),
        Err("line 6, step 1: the clauses named do not derive the new one".into())
    );
    assert_eq!(
        is("c -4 0 4 5 3\nq 6\n"),
        Err("line 6, step 1: clause 5 is false before the last clause named".into())
    );
    assert_eq!(is("c -4 0 4 4\nq 6\n"), Err("line 6, step 1: clause 4 is not unit here".into()));
    assert_eq!(is("c 0 4 5\nq 6\n"), Err("line 6, step 1: clause 4 is not unit here".into()));
    assert_eq!(
        is("c -4 4 0 4 5\nq 6\n"),
        Err("line 6, step 1: the new clause holds a literal and its negation".into())
    );
    assert_eq!(
        is("c -4 0\nq 6\n"),
        Err("line 6, step 1: the clauses named do not derive the new one".into())
    );
    assert_eq!(is("c -4 0 4 7\nq 6\n"), Err("line 6, step 1: 7 names no clause".into()));
    assert_eq!(
        is("c -4 0 4 2\nq 6\n"),
        Err("line 6, step 1: clause 2 speaks of two vertices".into())
    );
    assert_eq!(is("c -4 0 4 5\nd 6\nq 6\n"), Err("line 8, step 2: 6 names no clause".into()));
    assert_eq!(
        is("c -4 0 4 5\nq 4\n"),
        Err("line 7, step 2: clause 4 is no premise of this rule".into())
    );
    assert_eq!(
        is("c -4 0 4 5\nq 6\nd 1\n"),
        Err("line 8, step 2: there is more behind the last step".into())
    );
    assert_eq!(
        is("c -4 0 4 5\n"),
        Err("line 6, step 1: the refutation ends before its last step".into())
    );
    assert_eq!(is("c -5 0 4 5\n"), Err("line 6, step 1: -5 names no formula".into()));
    assert_eq!(is("c -4 4 5\n"), Err("line 6, step 1: the line is malformed".into()));
    assert_eq!(is("q 0\n"), Err("line 6, step 1: 0 names no clause".into()));
}

#[test]
fn a_step_needs_its_successor() {
    // Nodes: 3 p, 4 EX p, 5 EX ~p, 6 the conjunction of 4 and ~4.
    let start = "p p\nx 3\nx -3\na 4 -4\nf 6\n";
    let is = |end: &str| verdict("EX p & ~EX p", "any", &format!("{start}{end}"));
    // EX p -> EX T, by clause 1 there and clause 2.
    assert_eq!(is("n 3 -4 2 0 -1 2\nc -6 0 6 7\nq 9\n"), Ok(3));
    assert_eq!(
        is("n -3 -4 2 0 -1 2\n"),
        Err("line 8, step 1: the clause does not ask for this successor".into())
    );
    assert_eq!(
        is("n 3 2 0 -1 2\n"),
        Err("line 8, step 1: the clause does not ask for this successor".into())
    );
    assert_eq!(
        is("n 3 -4 2 0 -2 2\n"),
        Err("line 8, step 1: clause 2 speaks of two vertices".into())
    );
    assert_eq!(
        is("n 3 -4 2 0 1 2\n"),
        Err("line 8, step 1: the clauses named do not derive the new one".into())
    );
}

#[test]
fn induction_needs_its_premises() {
    // Node 4 is EF ~p, node 5 EX EF ~p; clauses 5 and 6 say that ~p or p & EX EF ~p makes EF ~p.
    let start = "p p\ne 1 -3\na -4 4\nf 6\n";
    let is = |end: &str| verdict("AG p & EF ~p", "any", &format!("{start}{end}"));
    assert_eq!(
        is("i -4 4 5 6\n"),
        Err("line 7, step 1: the refutation ends before its last step".into())
    );
    assert_eq!(
        is("i 3 4 5 6\n"),
        Err("line 7, step 1: clause 5 is no premise of this rule".into())
    );
    assert_eq!(is("i -4 3 5 6\n"), Err("line 7, step 1: 3 is no until".into()));
    assert_eq!(is("i -4 -4 5 6\n"), Err("line 7, step 1: -4 is no until".into()));
    assert_eq!(
        is("i -4 4 0 6\n"),
        Err("line 7, step 1: clause 0 is no premise of this rule".into())
    );
}

#[test]
fn only_an_always_holds_everywhere() {
    let start = "p p\ne 1 -3\na -4 4\nf 6\n";
    let is = |end: &str| verdict("AG p & EF ~p", "any", &format!("{start}{end}"));
    assert_eq!(is("g -4 0 9\nc -6 0 10 11\nq 12\n"), Ok(3));
    assert_eq!(is("g 4 0 10\n"), Err("line 7, step 1: 4 is no AG".into()));
    assert_eq!(is("g -3 0 10\n"), Err("line 7, step 1: -3 is no AG".into()));
    assert_eq!(is("g -4 0 3\n"), Err("line 7, step 1: clause 3 is no premise of this rule".into()));
}

#[test]
fn other_formulas_and_other_files_are_refused() {
    let body = "p p\na 3 -3\nf 4\nc -4 0 4 5\nq 6\n";
    assert_eq!(verdict("p & ~p", "any", body), Ok(2));
    assert_eq!(
        verdict("p & ~p", "total", body).unwrap_err(),
        "line 6, step 1: clause 4 is not unit here"
    );
    for other in ["~p & p", "p & ~q", "p", "EX (p & ~p)"] {
        assert_eq!(
            verdict(other, "any", body).unwrap_err(),
            "line 5: the refutation is of another formula"
        );
    }
    let mut arena = Arena::new();
    let formula = parse(&mut arena, "p").unwrap();
    for text in ["", "p p\n", "theta refutation 2\nreading any\n", "theta refutation 1\n"] {
        let rejected = check(text.as_bytes(), &arena, formula, &mut |_| true).unwrap_err();
        assert!(matches!(rejected.fault, Fault::Header | Fault::Cut), "{text}: {rejected}");
    }
}
