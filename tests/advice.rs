//! Advice from outside: moves of a file, and of an engine that speaks UCI. theta is one itself.

use crate::program::{Ran, refused, run};
use std::fs;
use std::time::Duration;
use theta_chess::Limits;
use theta_chess::advice::UciEngine;
use theta_chess::chess::Position;
use theta_chess::limits::Budget;

const KQK: &str = "7k/8/5K2/8/8/8/6Q1/8 w - -";

#[test]
fn advice_that_cannot_be_meant_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let solve = |args: &[&str], why: &str| refused(&[&["solve", KQK][..], args].concat(), why);
    let file = |name: &str, text: &str| {
        let path = dir.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_string()
    };
    solve(&["--advice", &file("none.epd", "# nothing\n\n")], "no position in it");
    let good = format!("{KQK} bm Qg7;\n");
    let illegal = file("illegal.epd", &format!("{good}{KQK} bm Qe8;\n"));
    solve(&["--advice", &illegal], "line 2: Qe8 is no legal move here");
    solve(&["--advice", &file("mute.epd", &format!("{KQK} dm 1;\n"))], "the line names no move");
    solve(&["--advice", &file("bad.epd", "8/8/8 w - - bm Qe8;\n")], "line 1");
    solve(&["--advice", dir.path().join("missing").to_str().unwrap()], "missing");
    solve(&["--advice", dir.path().to_str().unwrap()], "is a directory");
    solve(&["--adviser", "no-such-program-as-this"], "cannot be started");
    solve(&["--adviser", ""], "no program is named");
    solve(&["--keep-advice", "x.epd"], "nothing to keep");
    let good = file("good.epd", &good);
    solve(&["--advice", &good, "--engine", "tables"], "use engine search");
    solve(&["--advice", &good, "--profile", "paper"], "use engine search");
    solve(&["--advice", &good, "--keep", "count(Q) = 1"], "cannot be used with");
}

#[test]
fn what_a_first_look_decides_needs_no_advice() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_string();
    let (advice, kept, cert) = (path("advice.epd"), path("kept.epd"), path("a.cert"));
    fs::write(&advice, format!("{KQK} bm Qg7;\n")).unwrap();
    let args = ["solve", KQK, "--advice", &advice, "--keep-advice", &kept, "--cert", &cert];
    let Ran { code, out, err, .. } = run(&args);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("mate in 1 ply"), "{out}");
    assert_eq!(run(&["verify", &cert]).code, 0);
    assert_eq!(fs::read_to_string(&kept).unwrap(), "");
}

#[test]
fn certificates_say_what_is_proved() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_string();
    let prove = |root: &str, name: &str| {
        let cert = path(name);
        assert_eq!(run(&["solve", root, "--cert", &cert]).code, 0, "{root}");
        cert
    };
    let white = prove(KQK, "white.cert");
    let black = prove("7K/8/5k2/8/8/8/6q1/8 b - -", "black.cert");
    let draw = prove("7k/8/5K2/8/8/8/8/8 w - -", "draw.cert");
    let cert = path("again.cert");
    let Ran { code, out, err, .. } = run(&["solve", KQK, "--proved", &white, "--cert", &cert]);
    assert_eq!(code, 0, "{out}{err}");
    assert_eq!(run(&["verify", &cert]).code, 0);
    let ran = run(&["--time", "0", "solve", KQK, "--proved", &white]);
    assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("white.cert: not checked to the end"), "{}", ran.err);

    let solve = |args: &[&str], why: &str| refused(&[&["solve", KQK][..], args].concat(), why);
    solve(&["--proved", &draw], "proves no win");
    solve(&["--proved", &white, "--proved", &black], "a win of Black, where others are of White");
    let epd = path("moves.epd");
    fs::write(&epd, format!("{KQK} bm Qg7;\n")).unwrap();
    solve(&["--proved", &epd], "moves.epd");
    let damaged = path("damaged.cert");
    let whole = fs::read(&white).unwrap();
    fs::write(&damaged, &whole[..whole.len() - 1]).unwrap();
    solve(&["--proved", &damaged], "damaged.cert");
    solve(&["--proved", &path("missing")], "missing");
}

#[test]
fn an_engine_proposes_moves_with_their_worth() {
    let command = format!("{} uci", env!("CARGO_BIN_EXE_theta"));
    let mut engine = UciEngine::start(&command, 1).expect("theta speaks UCI");
    let budget = Budget::new(Limits::seconds(60));
    let position: Position = KQK.parse().unwrap();
    let proposals = engine.propose(&position.board(), Duration::from_secs(5), &budget).unwrap();
    let best = proposals.first().expect("a move is proposed");
    assert_eq!(best.play.to_string(), "g2g7");
    assert!(best.score.is_none_or(|score| score > 100_000), "{best:?}");
    // Where the game is over nothing is proposed.
    let mated: Position = "7k/6Q1/5K2/8/8/8/8/8 b - -".parse().unwrap();
    let none = engine.propose(&mated.board(), Duration::from_millis(100), &budget).unwrap();
    assert!(none.is_empty(), "{none:?}");
}
