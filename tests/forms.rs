//! `strategy`, `export`, `uci` and `solve --pgn` as a stranger uses them.

use crate::program::{run, run_with};
use pretty_assertions::assert_eq;
use serde_json::Value;
use std::fs;

const KQK: &str = "8/8/8/3k4/8/8/8/KQ6 w - -";
const MATE: &str = "7k/8/8/5K2/8/8/6Q1/8 w - -";
const WALL: &str = "4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -";

#[test]
fn a_certificate_gives_the_same_strategy() {
    let certificate = run(&["strategy", KQK, "--format", "cert"]);
    assert_eq!((certificate.code, certificate.err.as_str()), (0, ""));
    for format in ["text", "pgn", "json", "dot", "html", "svg"] {
        let direct = run(&["strategy", KQK, "--format", format]);
        let read = run_with(&["strategy", "--from", "-", "--format", format], &certificate.bytes);
        assert_eq!(direct.code, 0);
        // That no mate is shorter is proved beside the certificate, which cannot say so.
        let alike =
            |text: &str| text.replace("in at most ", "in ").replace("\"shortest\":true,", "");
        assert!(alike(&direct.out) == alike(&read.out), "{format}");
        assert!(!direct.out.contains("in at most"), "{format}: a proved distance stays proved");
    }
    let verified = run_with(&["verify", "-"], &certificate.bytes);
    assert!(verified.out.starts_with("accepted: "), "{}", verified.out);
}

#[test]
fn nothing_is_shown_of_a_certificate_that_does_not_verify() {
    let mut bytes = run(&["strategy", KQK, "--format", "cert"]).bytes;
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    let damaged = run_with(&["strategy", "--from", "-"], &bytes);
    assert_eq!((damaged.code, damaged.out.as_str()), (1, ""));
    assert!(damaged.err.contains("rejected"), "{}", damaged.err);
    let foreign = run_with(&["strategy", "--from", "-"], b"something else");
    assert_eq!((foreign.code, foreign.out.as_str()), (2, ""));
    assert_eq!(run(&["strategy", "--from", "no such file"]).code, 2);
    assert_eq!(run(&["strategy"]).code, 2);
}

#[test]
fn sides_and_limits() {
    assert_eq!(run(&["strategy", MATE, "--side", "black"]).code, 1);
    assert_eq!(run(&["strategy", MATE, "--positions", "0"]).code, 3);
    assert_eq!(run(&["strategy", MATE, "--depth", "0"]).code, 2);
    let held = run(&["strategy", WALL, "--side", "black", "--json"]);
    let document: Value = serde_json::from_slice(&held.bytes).unwrap();
    assert_eq!(document["formula"], "hold4");
    assert_eq!(document["claim"], "Black holds");
    assert_eq!(run(&["strategy", WALL, "--json"]).out.lines().count(), 2);
}

#[test]
fn files_are_written_whole_or_not_at_all() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("page.html");
    let name = path.to_str().unwrap();
    let written = run(&["strategy", MATE, "--format", "html", "-o", name]);
    assert_eq!((written.code, written.out.as_str()), (0, ""));
    assert!(fs::read_to_string(&path).unwrap().ends_with("</html>\n"));
    fs::write(&path, "kept").unwrap();
    assert_eq!(run(&["strategy", MATE, "--positions", "0", "-o", name]).code, 3);
    assert_eq!(fs::read_to_string(&path).unwrap(), "kept");
    let nowhere = dir.path().join("no/such/folder/file");
    assert_eq!(run(&["strategy", MATE, "-o", nowhere.to_str().unwrap()]).code, 2);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "no temporary file stays");
}

#[test]
fn exports_answer_with_a_file_or_a_code() {
    for format in ["gm", "aut", "smv", "dot", "horn", "dimacs", "qdimacs", "coq"] {
        let ran = run(&["export", WALL, "--format", format]);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{format}");
        assert!(!ran.out.is_empty());
        assert_eq!(
            run(&["export", WALL, "--format", format, "--positions", "0"]).code,
            3,
            "{format}"
        );
        assert_eq!(run(&["export", "8/8 w", "--format", format]).code, 2, "{format}");
    }
}

#[test]
fn uci_over_a_pipe() {
    let ran = run_with(
        &["uci"],
        b"uci\nposition fen 7k/8/5K2/8/8/8/6Q1/8 w - - 0 1\ngo movetime 5000\nisready\nquit\n",
    );
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(ran.out.contains("uciok\n") && ran.out.contains("readyok\n"));
    assert_eq!(ran.out.matches("bestmove ").count(), 1, "{}", ran.out);
}

const GAME: &str = "[White \"A\"]\n[Black \"B\"]\n[SetUp \"1\"]\n[FEN \"8/8/8/3k4/8/8/8/KQ6 w - - 0 1\"]\n\n\
    1. Qe1 Kd4 (1... Kc4 2. Qe5) {a slip:} 2. Qe3+ Kxe3 *\n";

#[test]
fn a_game_is_followed_and_the_slip_found() {
    let ran = run_with(&["solve", "--pgn", "-", "--json"], GAME.as_bytes());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let entries: Vec<Value> = ran.out.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let values: Vec<&str> = entries.iter().map(|e| e["value"].as_str().unwrap()).collect();
    assert_eq!(values, ["white", "white", "white", "draw", "draw"]);
    let changed: Vec<bool> = entries.iter().map(|e| e["changed"].as_bool().unwrap()).collect();
    assert_eq!(changed, [false, false, false, true, false]);
    assert_eq!(entries[3]["played"], "2. Qe3+");
    let text = run_with(&["solve", "--pgn", "-"], GAME.as_bytes());
    assert_eq!(
        text.out.lines().filter(|l| l.ends_with("<- the value changed")).count(),
        1,
        "{}",
        text.out
    );
}

#[test]
fn bad_games_are_named_and_the_others_read() {
    let deep = format!(
        "[FEN \"{MATE} 0 1\"]\n\n1. Kf6 {}{} *\n\n",
        "(1. Kg6 ".repeat(1000),
        ")".repeat(1000)
    );
    let illegal = format!("[FEN \"{MATE} 0 1\"]\n\n1. Kf6 Kh7 2. Qg9 Kh8 *\n\n");
    let wrong = "[FEN \"8/8/8/8 w\"]\n\n1. e4 *\n\n";
    let ran = run_with(
        &["solve", "--pgn", "-", "--json"],
        [deep.as_str(), &illegal, wrong, GAME].concat().as_bytes(),
    );
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("game 3: FEN `8/8/8/8 w`"), "{}", ran.err);
    let games: Vec<u64> = ran
        .out
        .lines()
        .map(|l| serde_json::from_str::<Value>(l).unwrap()["game"].as_u64().unwrap())
        .collect();
    assert_eq!(games.iter().filter(|&&g| g == 1).count(), 2);
    assert!(!games.contains(&3) && games.iter().filter(|&&g| g == 4).count() == 5, "{games:?}");
    for nothing in [&b""[..], b"\n\n", b"{a comment}", b"\xff\x00 ]"] {
        let ran = run_with(&["solve", "--pgn", "-"], nothing);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.err);
        assert!(ran.err.contains("no game in it"), "{}", ran.err);
    }
    assert_eq!(run(&["solve", "--pgn", "no such file"]).code, 2);
}

#[test]
fn unique_moves_and_duals() {
    // Taking the queen is the one move there is; of the bare kings' moves after it any draws.
    let forced = run(&["moves", "--unique", "--json", "8/8/8/8/8/6k1/1q6/K7 w - -"]);
    let answer: Value = serde_json::from_slice(&forced.bytes).unwrap();
    assert_eq!(
        (&answer["first_unique"], &answer["unique"]),
        (&Value::Bool(true), &Value::Bool(false)),
        "{answer}"
    );
    assert_eq!((forced.code, &answer["line"][0]["san"]), (1, &Value::from("Kxb2")));
    let queen = run(&["moves", "--unique", "--json", MATE]);
    let answer: Value = serde_json::from_slice(&queen.bytes).unwrap();
    assert_eq!((queen.code, &answer["unique"]), (1, &Value::Bool(false)));
    assert!(!answer["line"][0]["duals"].as_array().unwrap().is_empty());
    assert_eq!(answer["line"][1]["owner"], false);
}

#[test]
fn the_length_of_a_large_graph_is_said_first() {
    let ran = run(&["export", "8/8/8/8/8/1k6/7R/K7 b - -", "--format", "dot"]);
    let told = format!("theta: a text of {} bytes", ran.bytes.len());
    assert!(ran.code == 0 && ran.err.contains(&told), "{}", ran.err);
    assert_eq!(run(&["export", MATE, "--format", "dot", "-q"]).err, "");
}
