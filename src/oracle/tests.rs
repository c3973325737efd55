//! Tables that are whole, and files that are not.

use super::*;
use crate::chess::{Position, Side};
use pretty_assertions::assert_eq;
use std::fs;

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/syzygy")
}

fn board(fen: &str) -> Board {
    fen.parse::<Position>().unwrap().board()
}

/// A position of king and rook against king: White wins.
const ROOK: &str = "8/8/8/8/8/1k6/7R/K7 w - -";

#[test]
fn files_state_the_checksum_that_they_have() {
    let oracle = Oracle::open(&data()).unwrap();
    assert!(oracle.files() >= 5);
    for number in 0..oracle.files() as u32 {
        assert_eq!(oracle.checksum(number).unwrap().len(), 32, "{}", oracle.name(number));
    }
    assert_eq!(oracle.faults(), Vec::<String>::new());
    assert_eq!(oracle.probe(&board(ROOK)).unwrap(), Outcome::Wins(Side::White));
}

#[test]
fn files_that_are_no_tables_are_named_and_not_used() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let whole = fs::read(data().join("KQvK.rtbw")).unwrap();
    fs::write(path("KQvK.rtbw"), &whole[..whole.len() / 2]).unwrap();
    fs::write(path("KRvK.rtbw"), "a text\n").unwrap();
    fs::write(path("KBvK.rtbw"), "").unwrap();
    fs::write(path("readme.rtbw"), &whole).unwrap();
    fs::create_dir(path("KNvK.rtbw")).unwrap();
    fs::write(path("notes.txt"), "of no interest").unwrap();
    let oracle = Oracle::open(dir.path()).unwrap();
    assert_eq!(oracle.files(), 0);
    let faults = oracle.faults();
    for (name, fault) in [
        ("KQvK", "not whole"),
        ("KRvK", "no Syzygy table"),
        ("KBvK", "empty"),
        ("KNvK", "not a file"),
        ("readme", "no table's"),
    ] {
        let told = faults.iter().any(|line| line.contains(name) && line.contains(fault));
        assert!(told, "{name}: {faults:?}");
    }
    assert!(matches!(oracle.probe(&board(ROOK)), Err(OracleError::Missing)));
    assert!(Oracle::open(&path("nowhere")).is_err());
}

#[test]
fn a_file_that_was_not_filled_gives_no_value() {
    let dir = tempfile::tempdir().unwrap();
    let mut bytes = fs::read(data().join("KRvK.rtbw")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 32].fill(0);
    fs::write(dir.path().join("KRvK.rtbw"), bytes).unwrap();
    let oracle = Oracle::open(dir.path()).unwrap();
    assert_eq!((oracle.files(), oracle.faults().len()), (1, 0));
    assert!(matches!(oracle.probe(&board(ROOK)), Err(OracleError::Damaged(_))));
    assert!(oracle.faults()[0].contains("another checksum"), "{:?}", oracle.faults());
    assert!(oracle.checksum(0).is_err());
}
