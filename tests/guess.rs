//! `--keep` and guesses from outside: what is proved under a restriction is certified without it, and
//! a restriction that cannot be meant is refused by name.

use crate::program::{Ran, refused, run};

const KQK: &str = "7k/8/5K2/8/8/8/6Q1/8 w - -";
/// Mate in two with the pawn, or with the rook.
const ROOKS: &str = "7k/8/8/8/8/8/R7/1R5K w - -";

#[test]
fn restrictions_that_cannot_be_meant_are_refused() {
    for command in ["solve", "prove", "strategy"] {
        let keep = |phi: &str, why: &str| refused(&[command, KQK, "--keep", phi], why);
        keep("count(Q) = 2", "the position itself violates `count(Q) = 2`");
        keep("white_to_move", "no move of White's leads to a position where `white_to_move` holds");
        keep("count(Q) =", "--keep `count(Q) =`");
        keep("AG count(Q) = 1", "--keep `AG count(Q) = 1`");
        keep("AX AX AX AX AX AX AX AX AX T", "--keep");
    }
    refused(&["solve", KQK, "--keep", "count(Q) = 1", "--engine", "tables"], "use engine search");
}

#[test]
fn what_holds_everywhere_restricts_nothing() {
    let Ran { code, out, err, .. } = run(&["solve", KQK, "--keep", "T", "-v"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("mate in 1 ply"), "{out}");
    assert!(err.contains("all moves are tried"), "{err}");
}

#[test]
fn a_kept_win_is_certified_outright() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("kept.cert");
    let path = file.to_str().unwrap();
    let Ran { code, out, err, .. } =
        run(&["prove", ROOKS, "--keep", "count(R) = 2", "--cert", path]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("White wins in at most 3 plies"), "{out}");
    assert_eq!(run(&["verify", path]).code, 0);
}

#[test]
fn an_aim_is_proved_by_kept_moves() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("aim.cert");
    let path = file.to_str().unwrap();
    let queen = "8/P7/8/8/8/8/k7/2K5 w - -";
    let args = ["prove", queen, "--aim", "AF count(Q) = 1", "--keep", "on(K, c1)", "--cert", path];
    let Ran { code, out, err, .. } = run(&args);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("White forces the aim in at most 1 plies"), "{out}");
    assert_eq!(run(&["verify", path]).code, 0);
    // Without the pawn's moves it stays open: not refuted.
    let args = ["prove", queen, "--aim", "AF count(Q) = 1", "--keep", "on(P, a7)"];
    let Ran { code, out, .. } = run(&[&args[..], &["--positions", "20000"]].concat());
    assert_eq!(code, 3, "{out}");
}
