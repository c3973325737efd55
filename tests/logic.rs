//! `theta sat` and `theta check` as a stranger uses them.

use crate::program::{Ran, run, run_with};
use pretty_assertions::assert_eq;
use serde_json::Value;
use theta_chess::aim::Aim;
use theta_chess::check::{Rules, check};
use theta_chess::chess::{Position, Profile, Side};
use theta_chess::{Budget, Limits};

fn json(ran: &Ran) -> Value {
    ran.json().remove(0)
}

#[test]
fn sat_answers_with_its_exit_code() {
    let yes = run_with(&["sat", "-"], b"AG EF p & EG ~p");
    assert_eq!((yes.code, yes.err.as_str()), (0, ""));
    assert!(yes.out.starts_with("satisfiable: a model of "), "{}", yes.out);
    // A dead end without p is a model, but no total one.
    assert_eq!(run_with(&["sat", "-"], b"AX AF p & ~AF p").code, 0);
    let no = run_with(&["sat", "-", "--total"], b"AX AF p & ~AF p");
    assert_eq!(no.code, 1);
    assert!(no.out.starts_with("unsatisfiable"), "{}", no.out);
    assert_eq!(run_with(&["sat", "-"], b"AX F").code, 0);
    assert_eq!(run_with(&["sat", "-", "--total"], b"AX F").code, 1);
    let undecided = run_with(&["sat", "-", "--time", "0", "--json"], b"p");
    assert_eq!(undecided.code, 3);
    assert_eq!(json(&undecided)["stop"], "time");
    assert_eq!(json(&undecided)["satisfiable"], Value::Null);
}

#[test]
fn models_come_as_json_and_dot() {
    let report = json(&run_with(&["sat", "-", "--json", "--model", "json"], b"p & ~q & AX F"));
    assert_eq!(report["satisfiable"], true);
    assert_eq!(report["verified"], true);
    assert_eq!(report["model_states"], 1);
    assert_eq!(
        report["model"],
        serde_json::json!({"root": 0, "states": [{"true": ["p"], "successors": []}]})
    );
    let dot = run_with(&["sat", "-", "--model", "dot"], b"p & EX ~p");
    assert!(dot.out.starts_with("digraph"), "{}", dot.out);
    assert!(dot.err.contains("satisfiable"), "{}", dot.err);
}

#[test]
fn what_is_no_formula_is_refused_with_its_place() {
    for (text, told) in [
        (&b""[..], "line 1, column 1: expected a formula"),
        (b"(p & q", "line 1, column 7: expected an operator or `)`"),
        (b"p &\n & q", "line 2, column 2: expected a formula, found `&`"),
        (b"p & \xFF", "line 1, column 5: the text is not UTF-8"),
        (b"let a = a; a", "cyclic"),
    ] {
        let ran = run_with(&["sat", "-"], text);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{text:?}");
        assert!(ran.err.contains(told), "{}", ran.err);
    }
    assert_eq!(run(&["sat", "no such file"]).code, 2);
    assert_eq!(run(&["sat", "/"]).code, 2);
}

#[test]
fn depth_is_no_danger() {
    let nested =
        |(open, close): (&str, &str)| format!("{}p{}", open.repeat(100_000), close.repeat(100_000));
    let all = [
        ("~(q | ", ")"),
        ("AX (q & ", ")"),
        ("EX (q & ", ")"),
        ("AG (q | ", ")"),
        ("A[q U (r & ", ")]"),
    ];
    for text in all.map(nested) {
        let ran = run_with(&["sat", "-", "--model", "dot"], text.as_bytes());
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
    let open = run_with(&["sat", "-"], "(".repeat(100_000).as_bytes());
    assert_eq!(open.code, 2);
}

#[test]
fn every_engine_answers() {
    for (engine, decided) in [("auto", "tableau"), ("tableau", "tableau"), ("symbolic", "symbolic")]
    {
        let ask = |total: &[&str]| {
            let ran = run_with(
                &[&["sat", "-", "--json", "--engine", engine], total].concat(),
                b"AX AF p & ~AF p",
            );
            (ran.code, json(&ran))
        };
        let (code, report) = ask(&[]);
        assert_eq!(
            (code, &report["engine"], &report["verified"]),
            (0, &decided.into(), &true.into())
        );
        let (code, report) = ask(&["--total"]);
        assert_eq!(
            (code, &report["engine"], &report["verified"]),
            (1, &decided.into(), &false.into())
        );
    }
    // Too many variables for decision diagrams.
    let wide: Vec<String> = (0..5000).map(|i| format!("x{i}")).collect();
    let refused =
        run_with(&["sat", "-", "--json", "--engine", "symbolic"], wide.join(" | ").as_bytes());
    assert_eq!((refused.code, &json(&refused)["stop"]), (3, &"exhausted".into()));
    assert_eq!(run_with(&["sat", "-"], wide.join(" | ").as_bytes()).code, 0);
}

#[test]
fn a_limit_tells_how_far_it_got() {
    let text = "p & ".repeat(5000) + "q";
    let read = run_with(&["sat", "-", "--memory", "1K"], text.as_bytes());
    assert_eq!(read.code, 3);
    assert!(
        read.out.starts_with("unknown: memory limit reached (20001 bytes read, "),
        "{}",
        read.out
    );
}

const ROOK: &str = "k7/8/1K6/8/8/8/8/7R w - -";
const WALL: &str = "4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -";

#[test]
fn check_puts_aims_to_positions() {
    let dead = run_with(&["check", WALL, "~EF (mate(white) | mate(black))"], b"");
    assert_eq!(dead.code, 0);
    assert!(dead.out.starts_with("true"), "{}", dead.out);
    let walk = run(&["check", WALL, "AF on(K, e2)", "--json"]);
    assert_eq!((walk.code, json(&walk)["answer"].clone()), (1, Value::Bool(false)));
    let white = run(&["check", WALL, "AF on(K, e2)", "--rules", "white"]);
    assert!(white.code == 0 && white.out.starts_with("yes: White has a strategy"), "{}", white.out);
    let several =
        run(&["check", WALL, "EX on(K, e2) & EX on(K, d1)", "--rules", "white", "--json"]);
    assert_eq!((several.code, json(&several)["universal"].clone()), (1, Value::Bool(false)));
    assert_eq!(json(&several)["method"], "local");
    let lasting = "EX on(K, e2) & EX (on(K, d1) | EG on(K, d1))";
    let several = run(&["check", WALL, lasting, "--rules", "white", "--json"]);
    assert_eq!((several.code, &json(&several)["method"]), (1, &"tableau".into()));
    let limit = run(&["check", ROOK, "AG EF mate(black)", "--positions", "100", "--json"]);
    assert_eq!((limit.code, json(&limit)["stop"].clone()), (3, Value::from("positions")));
}

#[test]
fn check_takes_batches_and_aims_from_files() {
    let aim = concat!(env!("CARGO_MANIFEST_DIR"), "/formulas/aims/dead_position.ctl");
    let lines = format!("{WALL}\nnonsense\n8/8/8/4k3/8/8/4K3/8 w - -\n");
    let batch = run_with(&["check", "-", "--aim", aim], lines.as_bytes());
    assert_eq!(batch.code, 2);
    assert_eq!(batch.out.lines().filter(|line| line.contains("\ttrue")).count(), 2);
    assert!(batch.err.contains("line 2"), "{}", batch.err);
    for wrong in [
        &["check", WALL][..],
        &["check", WALL, "AF mated"],
        &["check", "x", "stalemate"],
        &["check"],
    ] {
        assert_eq!(run(wrong).code, 2, "{wrong:?}");
    }
}

#[test]
fn validity_is_asked_of_the_negation() {
    let valid = run_with(&["sat", "-", "--valid"], b"AG p -> AX AG p");
    assert_eq!(valid.code, 0);
    assert!(valid.out.starts_with("valid ("), "{}", valid.out);
    let not = run_with(&["sat", "-", "--valid", "--json", "--model", "json"], b"AF p -> EG p");
    assert_eq!(not.code, 1);
    assert_eq!((&json(&not)["valid"], &json(&not)["verified"]), (&false.into(), &true.into()));
    assert_eq!(json(&run_with(&["sat", "-", "--json"], b"p")).get("valid"), None);
}

#[test]
fn stdout_carries_the_format_that_is_asked_for() {
    for format in ["dot", "json"] {
        let none = run_with(&["sat", "-", "--model", format], b"p & ~p");
        assert_eq!((none.code, none.out.as_str()), (1, ""));
        assert!(none.err.contains("unsatisfiable"), "{}", none.err);
        let null = run_with(&["sat", "-", "--model", format, "--json"], b"EX p & AX ~p");
        assert_eq!(json(&null)["model"], Value::Null);
    }
}

#[test]
fn names_that_look_like_operators_are_pointed_out() {
    let ran = run_with(&["sat", "-"], b"False & AGp");
    assert_eq!(ran.code, 0);
    for told in ["column 1: `False` is read as a variable; `F`", "column 9: `AGp`", "`AG p`"] {
        assert!(ran.err.contains(told), "{told} in {}", ran.err);
    }
}

#[test]
fn one_method_alone_repeats_itself() {
    let text = b"AG (p -> EX q) & AG (q -> EX (p & r) & EX ~r) & AG EF (p & ~r) & p";
    let states = |engine| {
        json(&run_with(&["sat", "-", "--engine", engine, "--json"], text))["states"].clone()
    };
    for engine in ["tableau", "symbolic"] {
        assert_eq!(states(engine), states(engine), "{engine}");
    }
}

/// Pigeons in holes, one more than there are: without temporal operators, and with one.
fn pigeons(count: u32) -> String {
    let at = |p, h| format!("p{p}h{h}");
    let mut clauses: Vec<String> =
        (0..count).map(|p| (1..count).map(|h| at(p, h)).collect::<Vec<_>>().join(" | ")).collect();
    for h in 1..count {
        for p in 0..count {
            clauses.extend((0..p).map(|q| format!("~{} | ~{}", at(p, h), at(q, h))));
        }
    }
    format!("({})", clauses.join(") & ("))
}

#[test]
fn clauses_and_diagrams_decide_what_has_no_temporal_operators() {
    for threads in ["1", "2"] {
        let ran = run_with(&["sat", "-", "--threads", threads], pigeons(9));
        assert_eq!(ran.code, 1, "{}", ran.err);
    }
    let total = run_with(&["sat", "-", "--total", "--json", "--model", "json"], b"p & (q | ~p)");
    assert_eq!(
        json(&total)["model"],
        serde_json::json!({"root": 0, "states": [{"true": ["p", "q"], "successors": [0]}]})
    );
}

/// Clauses of three literals, as many as make them hard: nothing but trying helps.
fn random_clauses(variables: u64, count: usize) -> String {
    let mut state = 1_u64;
    let mut below = |n: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    let mut clause = || {
        let mut literal = |_| {
            let variable = below(variables);
            format!("{}p{variable}", if below(2) == 1 { "~" } else { "" })
        };
        format!("({})", (0..3).map(&mut literal).collect::<Vec<_>>().join(" | "))
    };
    (0..count).map(|_| clause()).collect::<Vec<_>>().join(" & ")
}

#[test]
fn limits_hold_inside_one_label_and_while_setting_up() {
    let deep = |n: u32| (0..n).fold("q".to_string(), |inner, i| format!("A[{inner} U p{i}]"));
    for (engine, text) in [("tableau", random_clauses(400, 1720)), ("symbolic", deep(800))] {
        let ran = run_with(&["sat", "-", "--engine", engine, "--time", "0.5", "--json"], &text);
        assert_eq!((ran.code, &json(&ran)["stop"]), (3, &"time".into()), "{}", ran.err);
    }
}

/// Under `AX` the proof search asks more than a model does where the owner is to move: what it cannot
/// force may still be satisfiable.
#[test]
fn what_cannot_be_forced_after_every_move_may_have_a_model() {
    let rows = [
        ("AF (white_to_move & AX on(K, e2))", 0),
        ("AF (black_to_move & AX AX on(K, c1))", 0),
        ("AF (white_to_move & AX AX on(K, a8))", 1),
        ("AF (white_to_move & AX on(k, e7))", 1),
        ("AF (black_to_move & AX on(K, e8))", 1),
    ];
    for (aim, code) in rows {
        let ran = run(&["check", WALL, aim, "--rules", "white", "--json"]);
        let aim = Aim::parse(aim).unwrap();
        let root: Position = WALL.parse().unwrap();
        let rules = Rules::Owner(Side::White);
        let by_all =
            check(root.vector(), &aim, rules, Profile::Fide, &Budget::new(Limits::default()));
        assert_eq!(by_all.answer, Ok(code == 0), "{aim}");
        assert_eq!(ran.code, code, "{aim}: {}", ran.out);
    }
}

#[test]
fn check_shows_why() {
    let morphy = "kbK5/pp6/1P6/8/8/8/8/R7 w - -";
    let strategy = run(&["check", morphy, "AF mate(black)", "--rules", "white", "--json"]);
    let report = &strategy.json()[0];
    assert_eq!((strategy.code, &report["answer"]), (0, &true.into()), "{report}");
    assert_eq!((&report["first"], &report["plies"]), (&"a1a6".into(), &3.into()), "{report}");
    assert!(report["positions"].as_u64().unwrap() < 10_000, "{report}");
    let witness = run(&["check", morphy, "EF mate(black)"]);
    assert!(witness.out.contains("witness: 1. "), "{}", witness.out);
    assert!(witness.out.lines().nth(1).unwrap().ends_with('#'), "{}", witness.out);
    let refuted = run(&["check", morphy, "AG ~check(black)"]);
    assert!(refuted.out.contains("counter-example: 1. "), "{}", refuted.out);
    // What no strategy reaches is refuted by the other methods.
    let out_of_reach = run(&["check", WALL, "AF count(P) = 7", "--rules", "white"]);
    assert_eq!(out_of_reach.code, 1, "{}", out_of_reach.out);
}

#[test]
fn an_answer_without_a_model_has_a_refutation() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("no.ref");
    let path = file.to_str().unwrap();
    let formula = b"AG (p -> EX q) & AG ~q & EF p";
    for engine in ["auto", "tableau", "symbolic"] {
        let args = ["sat", "-", "--proof", path, "--engine", engine];
        let ran = run_with(&args, formula);
        assert_eq!(ran.code, 1, "{}", ran.err);
        assert!(ran.out.contains("\nrefutation: "), "{}", ran.out);
        let accepted = run_with(&["sat", "-", "--check", path], formula);
        assert_eq!(accepted.code, 0, "{}", accepted.err);
        assert!(accepted.out.starts_with("accepted: no model ("), "{}", accepted.out);
    }
    let other = run_with(&["sat", "-", "--check", path], b"AG (p -> EX q) & AG ~q & EF q");
    assert_eq!((other.code, other.out.contains("of another formula")), (1, true));
    let text = std::fs::read_to_string(path).unwrap();
    std::fs::write(path, text.trim_end().rsplit_once('\n').unwrap().0.to_owned() + "\n").unwrap();
    let cut = run_with(&["sat", "-", "--check", path, "--json"], formula);
    assert_eq!((cut.code, &json(&cut)["accepted"]), (1, &Value::Bool(false)));
    assert!(json(&cut)["step"].as_u64().is_some());
    std::fs::write(path, "not a refutation\n").unwrap();
    assert_eq!(run_with(&["sat", "-", "--check", path], formula).code, 2);
}

#[test]
fn a_refutation_of_total_models_is_no_more() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("no.ref");
    let path = file.to_str().unwrap();
    assert_eq!(run_with(&["sat", "-", "--proof", path], b"AX F").code, 0);
    assert!(!file.exists(), "there is a model");
    assert_eq!(run_with(&["sat", "-", "--total", "--proof", path], b"AX F").code, 1);
    let any = run_with(&["sat", "-", "--check", path], b"AX F");
    assert_eq!((any.code, any.out.contains("--total")), (1, true), "{}", any.out);
    let total = run_with(&["sat", "-", "--check", path, "--total"], b"AX F");
    assert!(total.out.starts_with("accepted: no total model"), "{}", total.out);
    // With --valid both are about the negation.
    assert_eq!(run_with(&["sat", "-", "--valid", "--proof", path], b"AG p -> EG p").code, 0);
    assert_eq!(run_with(&["sat", "-", "--valid", "--check", path], b"AG p -> EG p").code, 0);
    assert_eq!(run_with(&["sat", "-", "--check", path], b"AG p -> EG p").code, 1);
}

#[test]
fn a_refutation_is_written_whole_or_not_at_all() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("no such folder/no.ref");
    let ran = run_with(&["sat", "-", "--proof", path.to_str().unwrap()], b"p & ~p");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("cannot write"), "{}", ran.err);
    let to_stdout = run_with(&["sat", "-", "--proof", "-"], b"p & ~p");
    assert!(to_stdout.out.starts_with("theta refutation 1\n"), "{}", to_stdout.out);
    assert!(to_stdout.err.contains("unsatisfiable"), "{}", to_stdout.err);
    if std::path::Path::new("/dev/full").exists() {
        let full = run_with(&["sat", "-", "--proof", "/dev/full"], b"p & ~p");
        assert_eq!(full.code, 2, "{}", full.err);
    }
    let stopped = run_with(&["sat", "-", "--check", "-", "--time", "0"], b"p & ~p");
    assert_eq!(stopped.code, 3, "{}", stopped.err);
}
