//! Tests of tables at hand.

use super::*;
use crate::chess::Side;
use pretty_assertions::assert_eq;

fn value(tables: &Tables, fen: &str) -> Value {
    tables.value(&Board::from_fen(fen).unwrap(), &Budget::default()).unwrap().unwrap()
}

#[test]
fn known_values() {
    let tables = Tables::in_memory();
    for (fen, expected) in [
        ("7k/8/5K2/8/8/8/6Q1/8 w - - 0 1", Value::Wins(Side::White, 1)),
        ("8/2R5/8/8/7k/3K4/8/4n3 w - - 0 1", Value::Wins(Side::White, 79)),
        // Colours exchanged: the stronger side is Black.
        ("4N3/8/3k4/7K/8/8/2r5/8 b - - 0 1", Value::Wins(Side::Black, 79)),
        ("8/8/8/8/8/2k5/2p5/2K5 w - - 0 1", Value::Draw),
    ] {
        assert_eq!(value(&tables, fen), expected, "{fen}");
    }
}

#[test]
fn castling_rights_are_not_covered() {
    let board = Board::from_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1").unwrap();
    assert!(!Tables::covers(&board));
    assert_eq!(Tables::in_memory().probe(&board).unwrap(), None);
}
