//! Limits are kept, and answered: by another engine where there is one, else by what is proved and
//! why it stopped.

use crate::program::{Ran, run, run_with};
use pretty_assertions::assert_eq;
use serde_json::Value;
use std::time::Duration;

/// The opening position but one: nothing can be proved of it.
const OPEN: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq -";
/// Five men, mate in two. KRPvKR takes far more memory than is given below.
const FIVE: &str = "6k1/6P1/5K2/8/8/8/r7/3R4 w - -";
/// Five men, mate in four.
const FIVE_LONGER: &str = "r7/1P6/8/8/4K3/7k/4R3/8 w - -";
/// Many men, mate in two.
const TWO: &str = "1K5n/8/3p1N1p/8/2R3BP/2Bpp1k1/5pnr/5b1r w - -";

struct Solved {
    code: i32,
    report: Value,
    err: String,
    time: Duration,
}

fn solve(args: &[&str]) -> Solved {
    let Ran { code, bytes, err, time, .. } = run(&[&["--json", "solve"], args].concat());
    let report = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
    Solved { code, report, err, time }
}

#[test]
fn five_men_without_memory_for_their_table_are_searched() {
    let ran = solve(&[FIVE_LONGER, "--memory", "40M", "--time", "60"]);
    assert_eq!(
        (ran.code, &ran.report["value"], &ran.report["engine"]),
        (0, &"white".into(), &"search".into())
    );
    assert!(ran.err.contains("no table is at hand"), "{}", ran.err);
    assert_eq!(ran.report["mate_plies"], 7);
    // A mate in two needs no table.
    let ran = solve(&[FIVE]);
    assert_eq!(
        (ran.code, &ran.report["mate_plies"], &ran.report["best_complete"]),
        (0, &3.into(), &true.into())
    );
}

#[test]
fn few_positions_reach_the_search() {
    for positions in ["3000", "20000", "60000"] {
        let ran = solve(&[TWO, "--positions", positions]);
        assert_eq!(
            (ran.code, &ran.report["value"]),
            (0, &"white".into()),
            "{positions}: {}",
            ran.report
        );
        let five = solve(&[FIVE, "--positions", positions]);
        assert_eq!(
            (five.code, &five.report["value"]),
            (0, &"white".into()),
            "{positions}: {}",
            five.report
        );
    }
    let ran = solve(&[OPEN, "--positions", "30000"]);
    assert_eq!(
        (ran.code, &ran.report["stop"], &ran.report["engine"]),
        (3, &"positions".into(), &"search".into())
    );
    let visited = ran.report["positions"].as_u64().unwrap();
    assert!((20_000..=32_000).contains(&visited), "{visited}");
}

#[test]
fn time_ends_with_what_is_proved() {
    for engine in ["auto", "search", "graph"] {
        for threads in ["1", "2"] {
            let ran = solve(&[OPEN, "--time", "0.3", "--threads", threads, "--engine", engine]);
            assert_eq!(
                (ran.code, &ran.report["stop"]),
                (3, &"time".into()),
                "{engine}: {}",
                ran.report
            );
            assert_eq!(
                (&ran.report["value"], &ran.report["verdict"]),
                (&Value::Null, &"unknown".into())
            );
            assert!(ran.report["bounds"].is_array());
            // Far above what it takes on a machine with other work: an engine that does not look at
            // the clock runs on.
            assert!(ran.time < Duration::from_secs(20), "{engine}: {:?}", ran.time);
        }
    }
    let ran = solve(&["k7/2p5/8/1P1P4/8/PPP5/8/K7 w - -", "--positions", "0"]);
    assert_eq!((ran.code, &ran.report["stop"]), (3, &"positions".into()));
}

#[test]
fn memory_is_kept() {
    let limits = ["--memory", "32M", "--positions", "400000", "--threads", "1"];
    let ran = solve(&[&[OPEN, "--engine", "search"][..], &limits].concat());
    assert_eq!(ran.code, 3, "{}", ran.report);
    let peak = ran.report["peak_bytes"].as_u64().unwrap();
    assert!(peak < 64 << 20, "{peak}");
    let none = solve(&[OPEN, "--memory", "0"]);
    assert_eq!((none.code, &none.report["stop"]), (3, &"memory".into()));
}

/// White is a queen for two pawns ahead, with sixteen men on the board.
const AHEAD: &str = "r4rk1/pp3ppp/2p5/8/8/2P5/PP1Q1PPP/R4RK1 w - -";

#[test]
fn what_is_proved_of_a_position_that_is_not_decided_is_said_and_certified() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("aim.cert");
    let args = [AHEAD, "--positions", "30000", "--threads", "1", "--cert", file.to_str().unwrap()];
    let ran = solve(&args);
    assert_eq!((ran.code, &ran.report["verdict"]), (3, &"unknown".into()));
    let secured = &ran.report["secured"];
    assert_eq!(secured["side"], "white");
    assert!(secured["claim"].as_str().unwrap().contains("ahead"), "{secured}");
    assert!(secured["aim"].as_str().unwrap().starts_with("AF "), "{secured}");
    assert!(ran.report["guess"].as_str().is_some_and(|m| m.len() >= 4), "{}", ran.report);
    assert!(ran.err.contains("more --positions"), "{}", ran.err);
    let verified = run(&["verify", file.to_str().unwrap()]);
    assert_eq!(verified.code, 0, "{}", verified.err);
    assert!(verified.out.contains("White forces"), "{}", verified.out);
    // Where a side is proved to hold too, both have their certificates.
    let bound = "3N4/8/8/8/8/2kP4/8/R3K2R w KQ -";
    let args = [bound, "--positions", "10000", "--threads", "1", "--cert", file.to_str().unwrap()];
    let ran = solve(&args);
    assert_eq!(ran.report["bounds"].as_array().map(Vec::len), Some(1), "{}", ran.report);
    let beside = directory.path().join("aim.secured.cert");
    let told = &ran.report["secured"]["certificate"];
    assert_eq!(told.as_str(), beside.to_str(), "{}", ran.report);
    for (path, claim) in [(&file, "White holds"), (&beside, "White forces")] {
        let verified = run(&["verify", path.to_str().unwrap()]);
        assert!(verified.code == 0 && verified.out.contains(claim), "{}", verified.out);
    }
    // What is decided is not guessed at.
    let ran = solve(&[TWO]);
    assert!(ran.report.get("guess").is_none() && ran.report.get("secured").is_none());
}

#[test]
fn notes_on_a_batch_name_the_position() {
    let lines = format!("{FIVE}\n{AHEAD}\n");
    let ran = run_with(&["solve", "-", "--positions", "20000", "--threads", "1"], lines.as_bytes());
    let note = format!("theta: line 2, {AHEAD}: too many positions to list");
    assert!(ran.err.contains(&note), "{}", ran.err);
}
