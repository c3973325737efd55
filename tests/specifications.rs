//! `theta sat` on specifications of several parts, as a stranger uses it.

use crate::program::{run, run_with};
use pretty_assertions::assert_eq;
use serde_json::json;

const DOOR: &str = "formulas/specifications/door.ctl";

fn door() -> String {
    format!("{}/{DOOR}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_core_names_what_contradicts_itself() {
    let ran = run(&["sat", &door(), "--core", "--json"]);
    assert_eq!(ran.code, 1);
    let parts = json!([
        {"specification": "answered", "formula": "AG (call -> AF open)"},
        {"specification": "safe", "formula": "AG (open -> ~moving)"},
        {"specification": "busy, 1", "formula": "EG (call & moving)"},
    ]);
    assert_eq!(ran.json()[0]["core"], json!({"of": 5, "minimal": true, "conjuncts": parts}));
    // Where there is a model there is no core, and a limit leaves all in.
    let some = run_with(&["sat", "-", "--core", "--json"], "p & EF q");
    assert_eq!((some.code, some.json()[0].get("core")), (0, None));
    let valid = run_with(&["sat", "-", "--valid", "--core"], "p & q & r -> q");
    let told = "core: 2 of 4 conjuncts; without any one of them there is a model\n  q\n  ~q\n";
    assert!(valid.code == 0 && valid.out.ends_with(told), "{}", valid.out);
    let alone = run_with(&["sat", "-", "--core"], "r & AG (EF p & AG ~p)");
    assert!(alone.out.contains("core: 1 of 2 conjuncts; it has no model by itself"));
}

#[test]
fn many_conjuncts_are_cut_down_by_a_refutation_first() {
    let mut text: Vec<String> = (0..300).map(|k| format!("AG (p{k} -> AX p{})", k + 1)).collect();
    text.insert(70, "EF (a & AX ~a)".into());
    text.insert(150, "AG (a -> EX a)".into());
    text.insert(151, "AG EX T".into());
    let ran = run_with(&["sat", "-", "--core", "--json"], text.join("\n & "));
    let core = &ran.json()[0]["core"];
    assert_eq!((&core["of"], &core["minimal"]), (&json!(303), &json!(true)), "{}", ran.err);
    let formulas: Vec<&str> = core["conjuncts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["formula"].as_str().unwrap())
        .collect();
    assert_eq!(formulas, ["EF (a & AX ~a)", "AG (a -> EX a)"]);
}

#[test]
fn specifications_are_decided_each_together_and_in_pairs() {
    let text = "spec a = AG p; spec b = EF ~p; spec c = q & ~q; spec d = r;";
    let each = run_with(&["sat", "-", "--each", "--json"], text);
    assert_eq!(each.code, 1);
    let told: Vec<_> = each
        .json()
        .iter()
        .map(|r| (r["specification"].clone(), r["satisfiable"].clone()))
        .collect();
    let is = |name: &str, yes: bool| (json!(name), json!(yes));
    assert_eq!(told, [is("a", true), is("b", true), is("c", false), is("d", true)]);
    let pairs = run_with(&["sat", "-", "--pairwise"], text);
    assert_eq!(
        (pairs.code, pairs.out.as_str()),
        (1, "c has no model\na and b have no model\n4 specifications in pairs: 2 contradictions\n")
    );
    assert_eq!(run_with(&["sat", "-", "--together"], text).code, 1);
    assert_eq!(run_with(&["sat", "-", "--each", "--pairwise"], text).code, 2);
    let open = run_with(&["sat", "-", "--pairwise", "--time", "0"], "spec a = p; spec b = q;");
    assert_eq!(open.code, 3, "{}", open.out);
    // Specifications without names have numbers.
    let smv = run_with(&["sat", "-", "--pairwise"], "SPEC AG p\nCTLSPEC NAME b := AF q;\nSPEC !p");
    assert!(smv.out.starts_with("specification 1 and specification 3 have no model\n"));
}

#[test]
fn a_lint_names_what_is_implied_and_what_does_not_matter() {
    let text = "SPEC AG (req -> AF ack)\nCTLSPEC NAME quiet := AG !req\nSPEC EF (p xor q)";
    let ran = run_with(&["sat", "-", "--redundant", "--json"], text);
    assert_eq!(ran.code, 1);
    let quiet = json!({"specification": "quiet", "formula": "AG (!req)"});
    assert_eq!(
        ran.json()[0]["remarks"],
        json!([{
            "specification": "specification 1",
            "formula": "AG (req -> AF ack)",
            "remark": "implied",
            "by": [quiet],
        }])
    );
    let vacuous = run_with(&["sat", "-", "--redundant"], "AG ((req -> AF ack) & ~req) & EF ack");
    let told = "  `AF ack` does not matter: AG ((req -> F) & ~req) is implied too\n";
    assert!(vacuous.code == 1 && vacuous.out.contains(told), "{}", vacuous.out);
    assert_eq!(run_with(&["sat", "-", "--redundant"], "p & EF ~p").code, 0);
    assert_eq!(run_with(&["sat", "-", "--redundant"], "p & ~p").code, 1);
    assert_eq!(run_with(&["sat", "-", "--redundant", "--time", "0"], "p & q").code, 3);
}

#[test]
fn nusmv_files_are_known_by_their_name_or_their_first_word() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.smv");
    // NuSMV reads (q <-> q) -> T, theta q <-> (q -> T).
    let text = "q <-> q -> TRUE -- a comment";
    std::fs::write(&path, text).unwrap();
    let valid = |args: &[&str]| run_with(&[&["sat", "--valid"], args].concat(), text).code;
    let file = path.to_str().unwrap();
    assert_eq!((valid(&[file]), valid(&["-", "--syntax", "smv"]), valid(&["-"])), (0, 0, 1));
    assert_eq!(valid(&[file, "--syntax", "theta"]), 1);
    let theta = "7k/6Q1/5K2/8/8/8/8/8 b - -";
    for form in ["compact", "expanded"] {
        let smv = run(&["formula", theta, "--theta", "1", "--syntax", "smv", "--form", form]);
        let ran = run_with(&["sat", "-"], &smv.out);
        assert_eq!(ran.code, 0, "{} {}", ran.out, ran.err);
    }
    let wrong = run_with(&["sat", "-"], "SPEC AG (p &\n  | q)");
    let told = "line 2, column 3: expected a formula, found `|`\n  2 |   | q)\n    |   ^\n";
    assert!(wrong.code == 2 && wrong.err.ends_with(told), "{}", wrong.err);
}

#[test]
fn models_are_drawn() {
    let formula = "AG (req -> AF ack) & EF (req & ~ack) & AG EX T";
    let svg = run_with(&["sat", "-", "--model", "svg"], formula);
    assert!(svg.code == 0 && svg.out.starts_with("<svg") && svg.err.contains("satisfiable"));
    assert!(svg.out.contains("AF ack: "), "{}", svg.out);
    let html = run_with(&["sat", "-", "--model", "html", "--total"], formula);
    assert!(html.out.starts_with("<!doctype html>") && html.out.contains("Promises kept"));
    let aut = run_with(&["sat", "-", "--model", "aut"], formula);
    assert!(aut.out.starts_with("des (0, "), "{}", aut.out);
    // Nothing is drawn where there is no model, or of a model that is too large.
    let none = run_with(&["sat", "-", "--model", "svg"], "p & ~p");
    assert_eq!((none.code, none.out.as_str()), (1, ""));
    let long = format!("{}p", "EX (~r & ".repeat(600)) + &")".repeat(600);
    let long = run_with(&["sat", "-", "--model", "html"], long);
    assert_eq!((long.code, long.out.as_str()), (2, ""), "{}", long.err);
    assert!(long.err.contains("--model json, dot or aut"), "{}", long.err);
}

#[test]
fn a_smallest_model_is_known_to_be_one() {
    let formula = "EX (p & EX (q & ~p & EX r)) & AG ~(q & r) & AG (r -> AX F)";
    let ran = run_with(&["sat", "-", "--smallest", "--json", "--model", "json"], formula);
    let report = &ran.json()[0];
    assert_eq!((&report["model_states"], &report["least"]), (&json!(3), &json!(true)));
    assert_eq!(report["model"]["states"].as_array().unwrap().len(), 3);
    let told = run_with(&["sat", "-", "--smallest=1"], formula).out;
    assert!(!told.contains("no model has fewer"), "{told}");
    let told = run_with(&["sat", "-", "--smallest=4"], formula).out;
    assert!(told.contains("a model of 3 states, checked, no model has fewer"), "{told}");
    assert_eq!(run_with(&["sat", "-", "--smallest=0"], formula).code, 2);
}

#[test]
fn what_shows_an_aim_is_drawn_on_boards() {
    let boards = |text: &str| text.matches("viewBox=\"0 0 400 400\"").count();
    // A line to the mate, a line that repeats itself, a tree of all replies.
    let mate = ["check", "7k/8/5K2/8/8/8/6Q1/8 w - -", "EX mate(black)", "--model", "svg"];
    let line = run(&mate);
    assert!(line.code == 0 && line.err.contains("true") && boards(&line.out) == 2, "{}", line.out);
    let wall = "4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -";
    let never = run(&["check", wall, "AF mate(white)", "--model", "html"]);
    assert!(never.code == 1 && never.out.contains("goes on as"), "{}", never.out);
    let tree = ["check", "k7/8/1K6/8/8/8/8/7R b - -", "AX EX mate(black)", "--model", "svg"];
    let all = run(&tree);
    assert_eq!((all.code, boards(&all.out)), (0, 3), "{}", all.out);
    let always = ["check", wall, "AG ~mate(white)", "--model", "svg", "--boards", "7"];
    let cut = run(&always);
    assert!(cut.code == 0 && boards(&cut.out) == 7 && cut.out.contains(" more)"), "{}", cut.out);
    assert_eq!(
        run(&["check", wall, "AF mate(white)", "--rules", "white", "--model", "svg"]).code,
        2
    );
}
