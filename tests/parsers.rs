//! Every parser on input that no one meant for it: it reads or it refuses, and what it reads it
//! prints back. (FEN, moves and position codes: `chess.rs`; certificates: `certificates.rs`;
//! formulas: `src/ctl/tests.rs`; the UCI protocol: `src/cli/uci/protocol.rs`.)

use std::fs;
use std::sync::LazyLock;

use crate::program::run_with;
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use theta_chess::aim::Aim;
use theta_chess::chess::board::Board;
use theta_chess::chess::{Side, Value};
use theta_chess::limits::Budget;
use theta_chess::tables::{Material, Tables};

/// The bytes of a whole table of KRvK.
static ROOK: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let cache = tempfile::tempdir().unwrap();
    let tables = Tables::open(Some(cache.path())).unwrap();
    tables.ensure("KRvK".parse().unwrap(), &Budget::default()).unwrap();
    fs::read(cache.path().join("KRvK.theta")).unwrap()
});

proptest! {
    #[test]
    fn any_aim_is_read_or_refused(
        text in "([~&|()<>=;# ]|A|E|X|G|U|AG|EF|A\\[| U |\\]|mate|check|on|white|black|,|[a-hKQRBNPkqrbnp]|[0-9]{1,12}|\\PC){0,24}"
    ) {
        let _ = Aim::parse(&text);
    }

    #[test]
    fn any_signature_is_read_or_refused(text in "[KQRBNPkv]{0,9}|\\PC{0,8}") {
        if let Ok(material) = text.parse::<Material>() {
            prop_assert_eq!(material.to_string().parse::<Material>().unwrap(), material);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// A rook wins this in 21 plies, whatever stands in the file.
    #[test]
    fn any_table_file_is_whole_or_set_aside(
        at in any::<prop::sample::Index>(), bit in 0..8u8, cut in any::<bool>(), noise in prop::collection::vec(any::<u8>(), 0..99)
    ) {
        let mut bytes = ROOK.clone();
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        if cut {
            bytes.truncate(at);
            bytes.extend(noise);
        }
        let cache = tempfile::tempdir().unwrap();
        fs::write(cache.path().join("KRvK.theta"), &bytes).unwrap();
        let tables = Tables::open(Some(cache.path())).unwrap();
        let board = Board::from_fen("8/8/8/8/1k6/8/7R/K7 w - - 0 1").unwrap();
        prop_assert_eq!(tables.value(&board, &Budget::default()).unwrap(), Some(Value::Wins(Side::White, 21)));
    }

    /// Every command that reads a stream answers bytes from anywhere with an exit code of the
    /// contract.
    #[test]
    fn any_bytes_on_standard_input_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let fen = "7k/8/5K2/8/8/8/6Q1/8 w - -";
        for arguments in [
            &["solve", "--epd", "-"][..], &["solve", "--pgn", "-"], &["solve", "-"], &["moves", "-"], &["sat", "-"],
            &["verify", "-"], &["check", fen, "-"], &["compare", "--syzygy", "tests/data/syzygy", "--epd", "-"], &["uci"],
        ] {
            let ran = run_with(&[&["--time", "5"], arguments].concat(), bytes.clone());
            prop_assert!(matches!(ran.code, 0..=3), "{:?}: {} {}", arguments, ran.code, ran.err);
            prop_assert!(!ran.err.contains("panicked"), "{:?}: {}", arguments, ran.err);
        }
    }
}

#[test]
fn the_whole_file_has_the_value_too() {
    let cache = tempfile::tempdir().unwrap();
    fs::write(cache.path().join("KRvK.theta"), &*ROOK).unwrap();
    let tables = Tables::open(Some(cache.path())).unwrap();
    let board = Board::from_fen("8/8/8/8/1k6/8/7R/K7 w - - 0 1").unwrap();
    assert_eq!(
        tables.value(&board, &Budget::default()).unwrap(),
        Some(Value::Wins(Side::White, 21))
    );
}
