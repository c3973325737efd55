//! Who can still mate: known positions, the certificates of the answers, and the command.

use crate::program::{run, run_with};
use theta_chess::certificate::Claim;
use theta_chess::dead::{Effort, ask, ask_one};
use theta_chess::verify::verify;
use theta_chess::{Budget, Limits, Position, Side};

const KNOWN: &str = include_str!("data/unwinnable.tsv");
const LOCKED: &str = "4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -";
const WHITE_ONLY: &str = "7b/1k5B/7b/8/1p1p1p1p/1PpP1P1P/2P3K1/N7 b - -";

/// The rows that are not as the file says.
fn faults(text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for (number, row) in text.lines().enumerate().filter(|(_, row)| !row.starts_with('#')) {
        let (class, fen) = row.split_once('\t').unwrap();
        let check = || -> Result<(), Box<dyn std::error::Error>> {
            let root: Position = fen.parse()?;
            let chances = ask(&root, Budget::default());
            let said = [&chances.white, &chances.black].map(|answer| answer.can());
            let expected = [0, 1].map(|side| Some(class.as_bytes()[side] != b'-'));
            if said != expected {
                return Err(format!("{said:?}").into());
            }
            let mut bytes = Vec::new();
            chances.certificate(&root).ok_or("nothing to certify")?.write(&mut bytes)?;
            let accepted = verify(&bytes, &mut |_| true)?.ok_or("abandoned")?;
            if accepted.claim != Claim::Mates(said[0], said[1]) {
                return Err(accepted.claim.to_string().into());
            }
            Ok(())
        };
        if let Err(fault) = check() {
            faults.push(format!("row {}: {row}: {fault}", number + 1));
        }
    }
    faults
}

#[test]
fn known_positions_are_answered_and_certified() {
    let faults = faults(KNOWN);
    assert!(KNOWN.lines().count() > 30);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// `UNWINNABLE=FILE`: class, tab, FEN; all 902 rows of CHA's vectors take half a minute.
#[test]
#[ignore = "needs a file: UNWINNABLE=vectors.tsv cargo test --release -- --ignored all_vectors"]
fn all_vectors() {
    let Ok(path) = std::env::var("UNWINNABLE") else { return };
    let faults = faults(&std::fs::read_to_string(path).unwrap());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn what_is_tried_in_passing_is_never_wrong() {
    for row in KNOWN.lines().filter(|row| !row.starts_with('#')) {
        let (class, fen) = row.split_once('\t').unwrap();
        let root: Position = fen.parse().unwrap();
        for (side, at) in [(Side::White, 0), (Side::Black, 1)] {
            let (answer, positions) = ask_one(&root, side, Effort::Passing, &Budget::default());
            let right = answer.can().is_none_or(|can| can == (class.as_bytes()[at] != b'-'));
            assert!(right && positions < 500, "{row} {side}: {answer:?}");
        }
    }
}

#[test]
fn limits_are_answers() {
    let root: Position = LOCKED.parse().unwrap();
    for limits in [Limits::default().with_positions(0), Limits::default().with_positions(100)] {
        let chances = ask(&root, limits);
        assert_eq!((chances.is_dead(), chances.certificate(&root).is_none()), (None, true));
    }
    let none = Limits::default().with_memory(1000);
    assert_eq!(ask(&root, none).white.can(), None);
}

#[test]
fn the_command_says_who_can_mate() {
    let dead = run(&["dead", LOCKED]);
    assert_eq!(dead.code, 0);
    assert!(
        dead.out.contains("a dead position: the game is drawn (FIDE Laws 5.2.2)"),
        "{}",
        dead.out
    );
    let json = run(&["dead", WHITE_ONLY, "--json"]).json().remove(0);
    assert_eq!(json["white_can_mate"], true);
    assert_eq!(json["black_can_mate"], false);
    assert_eq!(json["dead"], false);
    assert_eq!(json["white_flag"], "draw");
    assert_eq!(json["black_flag"], "white wins");
    assert!(json["line"].as_array().is_some_and(|line| line.len() > 5), "{json}");
    assert_eq!(json["black"]["line"], serde_json::Value::Null);
    let mated = run(&["dead", "7k/5Q2/6K1/8/8/8/8/8 w - -"]);
    assert!(mated.out.contains("White can still mate: 1. "), "{}", mated.out);
}

#[test]
fn bad_input_and_limits_have_their_exit_codes() {
    assert_eq!(run(&["dead", "4k3/8/8/8/8/8/8/8 w - -"]).code, 2);
    assert_eq!(run(&["dead", LOCKED, "--positions", "0"]).code, 3);
    assert_eq!(run(&["dead"]).code, 2);
    assert_eq!(run(&["dead", LOCKED, "--cert", "/nowhere/at/all"]).code, 2);
    let lines = format!("{LOCKED}\nnonsense\n# remark\n{WHITE_ONLY} id \"x\";\n");
    let batch = run_with(&["dead", "-"], &lines);
    assert_eq!(batch.code, 2);
    assert!(batch.err.contains("line 2"), "{}", batch.err);
    let out: Vec<&str> = batch.out.lines().collect();
    assert_eq!(out[0], format!("{LOCKED}: White can never mate, Black can never mate; dead"));
    assert_eq!(out[1], format!("{WHITE_ONLY}: White can mate, Black can never mate"));
}

/// Dead positions are drawn without a search; a certificate says why.
#[test]
fn solve_knows_dead_positions() {
    for fen in [LOCKED, "1b1k4/p1p1p1p1/P1P1P1P1/p1p1p1p1/8/8/P1P1P1P1/3K4 w - -"] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.cert");
        let file = path.to_str().unwrap();
        let limit = ["solve", fen, "--positions", "60000", "--cert", file, "--json"];
        let json = run(&limit).json().remove(0);
        assert_eq!(json["value"], "draw", "{json}");
        let checked = run(&["verify", file]);
        assert!(checked.out.starts_with(&format!("accepted: {fen}: draw (")), "{}", checked.out);
        for format in ["text", "pgn", "json", "dot", "svg", "html"] {
            let shown = run(&["strategy", fen, "--positions", "60000", "--format", format]);
            assert_eq!(shown.code, 0, "{format}: {}", shown.err);
        }
    }
}

#[test]
fn certificates_are_accepted_and_damaged_ones_are_not() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.cert");
    let file = path.to_str().unwrap();
    assert_eq!(run(&["dead", WHITE_ONLY, "--cert", file]).code, 0);
    let checked = run(&["verify", file]);
    assert_eq!(checked.code, 0);
    let start = format!("accepted: {WHITE_ONLY}: White can mate, Black can never mate (");
    assert!(checked.out.starts_with(&start), "{}", checked.out);
    let bytes = std::fs::read(&path).unwrap();
    for at in [bytes.len() - 20, bytes.len() - 9, bytes.len() / 2] {
        let mut bad = bytes.clone();
        bad[at] ^= 1;
        std::fs::write(&path, &bad).unwrap();
        assert_eq!(run(&["verify", file]).code, 1, "byte {at}");
    }
}
