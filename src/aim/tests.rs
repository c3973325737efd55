use super::*;
use crate::chess::{Profile, parse_fen, successors};
use pretty_assertions::assert_eq;
use std::fs;
use std::path::Path as FilePath;

/// The truth of one atom on a position.
fn truth(atom: &str, fen: &str) -> bool {
    let aim = Aim::parse(atom).unwrap_or_else(|e| panic!("{e}"));
    let y = parse_fen(fen, Profile::Fide).unwrap();
    aim.label(&y, || !successors(Profile::Fide, &y).is_empty())[0] & 1 == 1
}

#[test]
fn atoms_on_positions() {
    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    const FOOLS_MATE: &str = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq -";
    const STALEMATE: &str = "7k/5Q2/6K1/8/8/8/8/8 b - -";
    for (fen, yes, no) in [
        (
            START,
            &[
                "white_to_move",
                "on(P, e2)",
                "on(q, d8)",
                "attacked(f3, white)",
                "attacked(e6, black)",
                "can_castle(K)",
                "can_castle(q)",
                "count(p) = 8",
                "material(white) = 39",
                "material(white) - material(black) >= 0",
                "count(P) + count(p) > 15",
                "2 < count(N) + 1",
                "flights(white) + flights(black) = 0",
                "moves(white) + moves(black) = 40",
                "material(black) - 40 < -0",
            ][..],
            &[
                "black_to_move",
                "on(P, e4)",
                "attacked(e4, white)",
                "check(white)",
                "stalemate",
                "count(Q) >= 2",
            ][..],
        ),
        (
            FOOLS_MATE,
            &["mate(white)", "check(white)", "moves(white) = 0", "moves(black) = 38"],
            &["mate(black)", "stalemate", "check(black)"],
        ),
        (
            STALEMATE,
            &["stalemate", "count(Q) = 1", "moves(black) = 0"],
            &["mate(black)", "check(black)", "can_castle(k)"],
        ),
        // Castling is among the moves of White's king and rook.
        (
            "4k3/8/8/8/8/8/8/R3K3 w Q -",
            &["can_castle(Q)", "moves(white) = 16", "moves(black) = 5"],
            &["can_castle(K)"],
        ),
        // A promotion counts four times, en passant where the pawn may be taken.
        ("8/P7/8/8/8/8/8/k1K5 w - -", &["moves(white) = 7", "moves(black) = 1"], &[]),
        ("4k3/8/8/8/3pP3/8/8/4K3 b - e3", &["moves(black) = 7", "moves(white) = 6"], &[]),
        // Black may go to f8 or take on f7; along the line of the check is no flight.
        (
            "4k3/5N2/3K4/8/8/4R3/8/8 b - -",
            &["flights(black) = 2", "flights(white) = 6"],
            &["flights(black) > 2"],
        ),
    ] {
        yes.iter().for_each(|atom| assert!(truth(atom, fen), "{atom} in {fen}"));
        no.iter().for_each(|atom| assert!(!truth(atom, fen), "{atom} in {fen}"));
    }
}

#[test]
fn of_a_set_one_member_is_meant() {
    for (text, told) in [
        ("AF on(k, {g8, h8})", "AF (on(k, g8) | on(k, h8))"),
        ("on({Q, R}, {a1,a1,b2})", "on(Q, a1) | on(Q, b2) | on(R, a1) | on(R, b2)"),
        ("~attacked({f7}, white) & check(black)", "~attacked(f7, white) & check(black)"),
        ("~on(k, {g8, h8}) | stalemate", "~(on(k, g8) | on(k, h8)) | stalemate"),
        ("on(k, {g8, h8}) | on(k, g8)", "(on(k, g8) | on(k, h8)) | on(k, g8)"),
    ] {
        let aim = Aim::parse(text).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(aim.to_string(), told);
        assert_eq!(Aim::parse(told).unwrap(), aim);
    }
}

#[test]
fn faults_are_told() {
    for (text, told) in [
        ("AF mated", "line 1, column 4: `mated` is no chess atom: the atoms are white_to_move"),
        ("AF on(X, e4)", "line 1, column 4: `on(X, e4)` is no chess atom: `X` is no man's letter"),
        ("on(P, e9)", "`e9` is no square"),
        ("on(P)", "it takes two arguments, a man and a square"),
        ("check(red)", "`red` is neither `white` nor `black`"),
        (
            "can_castle(k) & can_castle(x)",
            "column 17: `can_castle(x)` is no chess atom: `x` is no castling right",
        ),
        ("on(k, {})", "expected an argument, found `}`"),
        ("on(k, {g8 h8})", "expected `,` or `}`, found `h8`"),
        ("on(k, {g8, z9})", "`z9` is no square"),
        ("count({q, r}) < 2", "expected no sum and no comparison with a set, found `<`"),
        ("0 < count({q, r})", "expected no set in a sum or a comparison, found `{`"),
        ("AF {g8}", "expected a formula, found `{`"),
        (
            &format!("on({0}, {0}, {0})", "{a, b, c, d, e, f, g, h, i, j, k, l}"),
            "expected smaller sets",
        ),
        ("count(q)", "a number must be compared"),
        ("count(q) <= stalemate", "`stalemate` is no number"),
        ("1 < count(q) < 3", "a comparison is: sum, one of"),
        ("count(q) < 99999999999", "`99999999999` is no number"),
        ("AF (mate(white)", "expected an operator or `)`"),
    ] {
        let error = Aim::parse(text).unwrap_err().to_string();
        assert!(error.contains(told), "{text}: {error}");
    }
}

#[test]
fn universal_aims() {
    for (text, universal) in [
        ("AF mate(black)", true),
        ("~EF mate(white) & AG ~check(white)", true),
        ("~A[stalemate U mate(black)]", false),
        ("AG EF mate(white)", false),
        ("EX T -> stalemate", true),
    ] {
        assert_eq!(Aim::parse(text).unwrap().is_universal(), universal, "{text}");
    }
}

#[test]
fn the_examples_are_aims() {
    let folder = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("formulas/aims");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let aim = Aim::read(fs::File::open(&path).unwrap())
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let again = Aim::parse(&aim.to_string()).unwrap();
        assert_eq!(again.to_string(), aim.to_string());
        count += 1;
    }
    assert!(count >= 8, "{count} examples");
}
