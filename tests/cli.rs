//! The program as a stranger uses it: outputs, exit codes, bad input.

use crate::program::{run, run_with};
use pretty_assertions::assert_eq;
use serde_json::Value;
use std::fs;
use std::io::Write as _;

const MATE: &str = "7k/8/5K2/8/8/8/6Q1/8 w - -";
const WALL: &str = "4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -";

#[test]
fn solve_prints_the_verdict() {
    let ran = run(&["solve", MATE]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(
        ran.out.starts_with("Θ1: White wins, mate in 1 ply (1 move)\nbest: Qg7#\n"),
        "{}",
        ran.out
    );
    let words = run(&["solve", "7k/8/5K2/8/8/8/6Q1/8", "w", "-", "-"]);
    assert_eq!(words.out.lines().next(), ran.out.lines().next());
}

#[test]
fn solve_json_has_the_fields_of_the_contract() {
    let ran = run(&["solve", "--json", "--literal", WALL]);
    let report = &ran.json()[0];
    assert_eq!(report["verdict"], "theta2+theta4");
    assert_eq!(report["value"], "draw");
    assert_eq!(report["engine"], "graph");
    assert_eq!(
        report["literal"],
        serde_json::json!({"theta1": false, "theta2": true, "theta3": false, "theta4": true})
    );
    for field in [
        "fen",
        "mate_plies",
        "mate_plies_at_most",
        "best",
        "best_complete",
        "bounds",
        "stop",
        "positions",
        "seconds",
        "peak_bytes",
        "certificate",
    ] {
        assert!(report.get(field).is_some(), "{field} is missing");
    }
}

#[test]
fn certificates_are_written_verified_and_rejected() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("mate.cert");
    let name = path.to_str().unwrap();
    assert_eq!(run(&["solve", MATE, "--cert", name]).code, 0);
    let accepted = run(&["verify", name]);
    assert_eq!(accepted.code, 0);
    assert!(
        accepted.out.starts_with("accepted: 7k/8/5K2/8/8/8/6Q1/8 w - -: White wins in 1 plies"),
        "{}",
        accepted.out
    );
    let mut bytes = fs::read(&path).unwrap();
    bytes.pop();
    fs::write(&path, &bytes).unwrap();
    let rejected = run(&["verify", "--json", name]);
    assert_eq!((rejected.code, &rejected.json()[0]["accepted"]), (1, &Value::Bool(false)));
    fs::write(&path, b"no certificate\n").unwrap();
    assert_eq!(run(&["verify", name]).code, 2);
    assert_eq!(run(&["verify", dir.path().to_str().unwrap()]).code, 2);
    assert_eq!(run(&["verify", dir.path().join("missing").to_str().unwrap()]).code, 2);
    assert_eq!(
        run(&["solve", MATE, "--cert", dir.path().join("no/such/dir").to_str().unwrap()]).code,
        2
    );
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "nothing is left behind");
}

/// What is no ordinary file is written to, not replaced: else a certificate sent to a device would
/// destroy it.
#[cfg(unix)]
#[test]
fn what_cannot_be_written_does_not_hide_the_answer() {
    let ran = run(&["solve", "7k/8/5K2/8/8/8/6Q1/8 w - -", "--cert", "/no/such/place/x.cert"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.out.contains("White wins"), "{} {}", ran.out, ran.err);
    assert!(!ran.out.contains("certificate"), "{}", ran.out);
    assert!(ran.err.contains("cannot write /no/such/place/x.cert"), "{}", ran.err);
}

#[test]
fn links_are_followed_and_pipes_kept() {
    use std::os::unix::fs::FileTypeExt as _;
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    fs::write(path("old.cert"), b"old").unwrap();
    std::os::unix::fs::symlink(path("old.cert"), path("link.cert")).unwrap();
    assert_eq!(run(&["solve", MATE, "--cert", path("link.cert").to_str().unwrap()]).code, 0);
    assert!(fs::symlink_metadata(path("link.cert")).unwrap().is_symlink());
    assert_eq!(run(&["verify", path("old.cert").to_str().unwrap()]).code, 0);

    let pipe = path("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read(pipe).unwrap()
    });
    assert_eq!(run(&["solve", MATE, "--cert", pipe.to_str().unwrap()]).code, 0);
    assert_eq!(reader.join().unwrap(), fs::read(path("old.cert")).unwrap());
    assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
}

#[test]
fn bad_positions_are_bad_input() {
    let overlong = "k".repeat(100_000);

    for (fen, fault) in [
        ("", "empty FEN"),
        ("8/8/8/8/8/8/8/8 w - -", "White has no king"),
        ("4k3/8/8/8/8/8/8/3KR3 w - -", "Black is in check"),
        ("4k3/8/8/8/8/8/8/4K3 w KQkq -", "castling right"),
        ("nonsense", "no side to move"),
        (&overlong, "longer than 160 characters"),
    ] {
        let ran = run(&["solve", fen]);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{fen}");
        assert!(ran.err.starts_with("theta: error:") && ran.err.len() < 300, "{}", ran.err);
        if fen != "nonsense" {
            assert!(ran.err.contains(fault), "{fen}: {}", ran.err);
        }
    }
    assert_eq!(run(&["solve"]).code, 2);
    assert_eq!(run(&["no-such-command"]).code, 2);
    assert_eq!(run(&["--help"]).code, 0);
    assert_eq!(run(&["--version"]).code, 0);
}

#[test]
fn budgets_of_zero_are_undecided() {
    for limit in [["--time", "0"], ["--positions", "0"], ["--memory", "0"]] {
        let ran = run(&["solve", MATE, limit[0], limit[1]]);
        assert_eq!(ran.code, 3, "{limit:?}");
        assert!(ran.out.starts_with("unknown ("), "{}", ran.out);
    }
}

#[test]
fn a_batch_goes_on_after_a_bad_line() {
    let input = format!("# comment\n{MATE} bm Qg7; id \"one\";\n\nnot a position\n{WALL}\n");
    let ran = run_with(&["solve", "--json", "-"], input.as_bytes());
    assert_eq!(ran.code, 2);
    assert_eq!(ran.json().len(), 2);
    assert!(ran.err.contains("line 4"), "{}", ran.err);
    let bytes = run_with(&["solve", "-"], b"\xff\xfe\n");
    assert_eq!(bytes.code, 2);
    assert!(bytes.err.contains("line 1: not UTF-8"), "{}", bytes.err);
    let long = vec![b'x'; 200_000];
    assert!(run_with(&["solve", "-"], &long).err.contains("longer than"));
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(input.as_bytes()).unwrap();
    assert_eq!(run(&["solve", "--epd", file.path().to_str().unwrap()]).out.lines().count(), 2);
}

#[test]
fn moves_are_rated() {
    let ran = run(&["moves", "--json", "8/8/8/8/8/1k6/7R/K7 b - -"]);
    let report = &ran.json()[0];
    let rows: Vec<(&str, u64)> = report["moves"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| (m["san"].as_str().unwrap(), m["mate_plies"].as_u64().unwrap()))
        .collect();
    assert_eq!(rows, [("Kc4", 29), ("Kc3", 27), ("Kb4", 21), ("Ka4", 17), ("Ka3", 15)]);
}

#[test]
fn refutations_are_written_beside_their_formulas() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str| dir.path().join(name).to_str().unwrap().to_string();
    let (cnf, proof) = (file("mate.cnf"), file("mate.drat"));
    let within = [
        "export", MATE, "--format", "dimacs", "--side", "black", "--plies", "3", "-o", &cnf,
        "--proof", &proof, "--json",
    ];
    let ran = run(&within);
    let decided = &ran.json()[0];
    let meaning = Value::from("Black has no mate within 3 plies");
    assert_eq!(
        (ran.code, &decided["satisfiable"], &decided["meaning"]),
        (0, &Value::Bool(false), &meaning)
    );
    let head = format!("p cnf {} {}\n", decided["variables"], decided["clauses"]);
    assert!(fs::read_to_string(&cnf).unwrap().contains(&head));
    assert!(fs::read_to_string(&proof).unwrap().ends_with("0\n"));

    let none = file("none.lrat");
    let bounded = [
        "export",
        MATE,
        "--format",
        "dimacs",
        "--plies",
        "1",
        "-o",
        &cnf,
        "--proof",
        &none,
        "--proof-format",
        "lrat",
    ];
    let ran = run(&bounded);
    assert_eq!(ran.code, 1, "there is a mate in one: nothing to refute");
    assert!(
        ran.out.contains("satisfiable") && !std::path::Path::new(&none).exists(),
        "{}",
        ran.out
    );
    assert_eq!(run(&["export", MATE, "--format", "gm", "-o", &cnf, "--proof", &none]).code, 2);
    assert_eq!(
        run(&["export", MATE, "--format", "horn", "--proof", &none]).code,
        2,
        "the formula needs a file of its own"
    );
}

#[test]
fn completions_and_man_page() {
    assert!(run(&["completions", "bash"]).out.contains("theta"));
    assert!(run(&["man"]).out.contains(".TH theta"));
    assert_eq!(run(&["completions", "no-shell"]).code, 2);
}

#[test]
fn a_rule_that_fails_is_named_and_not_used() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("lie.rule");
    std::fs::write(&path, "rule lie \"all win\" material KPvK if white to move then white wins")
        .unwrap();
    let (rules, draw) = (path.to_str().unwrap(), "8/8/8/3k4/8/8/3P4/3K4 b - -");
    let told = run(&["solve", draw, "--rules", rules]);
    assert_eq!((told.code, told.err.contains("not used: lie")), (0, true), "{}", told.err);
    assert!(told.out.starts_with("Θ2*"), "{}", told.out);
}

#[test]
fn positions_are_read_as_people_paste_them() {
    // A line of EPD, and a byte-order mark before it.
    let line = format!("{MATE} bm Qg7#; id \"a\";");
    assert_eq!(run(&["solve", &line]).code, 0);
    assert_eq!(run_with(&["solve", "--epd", "-"], format!("\u{feff}{line}\n")).code, 0);
    assert_eq!(run(&["solve", &format!("\u{feff}{MATE}")]).code, 0);
    let game = format!("\u{feff}[FEN \"{MATE} 0 1\"]\n\n1. Qg7# *\n");
    assert_eq!(run_with(&["solve", "--pgn", "-"], &game).code, 0);
    let moves = run_with(&["moves", "--pgn", "-"], &game);
    assert_eq!(moves.code, 0, "{}", moves.err);
    assert!(moves.out.ends_with("no legal move\n"), "{}", moves.out);
    assert!(moves.out.starts_with("game 1: 7k/8/5K2/8/8/8/6Q1/8 w - -\nQg7#"), "{}", moves.out);
    // Nothing to solve is bad input, whatever the format.
    for format in ["--epd", "--pgn"] {
        for text in ["", "\n# nothing\n", "* 1-0"] {
            assert_eq!(run_with(&["solve", format, "-"], text).code, 2, "{format} {text:?}");
        }
    }
    let odd = run(&["solve", "4k3/P7/P7/P7/P7/P7/P7/PPP1K3 w - -", "--time", "0"]);
    assert_eq!(odd.code, 2, "a pawn on the first rank");
    let odd = run(&["solve", "4k3/PPP5/PPP5/PPP5/8/8/8/4K3 w - -", "--time", "0"]);
    assert!(odd.err.contains("White has 9 pawns"), "{}", odd.err);
}

#[test]
fn what_no_file_can_decide_is_not_solved() {
    // Six men, and no such file: undecided at once, however large the position.
    let ran = run(&["compare", "--syzygy", "tests/data/syzygy", "8/5pk1/8/8/8/8/1R3PK1/1r6 w - -"]);
    assert_eq!(ran.code, 3);
    assert!(ran.out.contains("no Syzygy table for this material"), "{}", ran.out);
}
