//! The user's Syzygy tables as leaves: what rests on them says so, and certificates cite them.

use crate::program::{Ran, finish, run, theta};
use pretty_assertions::assert_eq;
use std::fs;
use std::path::Path;

const TABLES: &str = "tests/data/syzygy";

/// Five men, in the tables; our own of these men takes a while to build.
const ROOT: &str = "8/8/8/3r4/8/1k6/8/K5QR w - -";

/// Six men: White takes the pawn and is in the tables.
const LEAF: &str = "3rk3/8/8/7p/8/8/7R/K5Q1 w - -";

fn json(args: &[&str]) -> serde_json::Value {
    let ran = run(args);
    ran.json().pop().unwrap_or_else(|| panic!("{args:?}: {}", ran.err))
}

/// The checksum at the end of a file.
fn checksum(name: &str) -> String {
    let bytes = fs::read(format!("{TABLES}/{name}.rtbw")).unwrap();
    bytes[bytes.len() - 16..].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes the certificate of a position that the tables decide.
fn certified(fen: &str, file: &Path) -> Ran {
    let file = file.to_str().unwrap();
    let ran = run(&[
        "solve",
        fen,
        "--syzygy",
        TABLES,
        "--cert",
        file,
        "--positions",
        "300000",
        "--threads",
        "1",
    ]);
    assert_eq!(ran.code, 0, "{} {}", ran.out, ran.err);
    ran
}

#[test]
fn a_position_in_the_tables_is_decided_at_once_and_says_on_what_it_rests() {
    let words = format!("Syzygy KQRvKR, checksum {}", checksum("KQRvKR"));
    let answer = json(&["solve", ROOT, "--syzygy", TABLES, "--json"]);
    assert_eq!(answer["value"], "white");
    assert_eq!(answer["relies_on"], serde_json::json!([words]));
    assert!(answer["mate_plies"].is_null() && answer["mate_plies_at_most"].is_null(), "{answer}");
    let text = run(&["solve", ROOT, "--syzygy", TABLES]).out;
    assert!(text.starts_with("Θ1: White wins\n"), "{text}");
    assert!(text.contains(&format!("\nrelies on {words}\n")), "{text}");
    let moves = run(&["moves", ROOT, "--syzygy", TABLES]).out;
    assert!(moves.contains("Qb1+    g1b1   White wins\n"), "{moves}");
    assert!(moves.contains("Qd4     g1d4   draw\n"), "{moves}");
    assert!(moves.contains("relies on Syzygy KQRvKR, checksum"), "{moves}");
}

#[test]
fn a_certificate_that_cites_a_table_is_checked_against_it_or_not_at_all() {
    let dir = tempfile::tempdir().unwrap();
    for (fen, name) in [(ROOT, "root.cert"), (LEAF, "leaf.cert")] {
        let file = dir.path().join(name);
        let told = certified(fen, &file);
        assert!(told.out.contains("relies on Syzygy KQRvKR"), "{}", told.out);
        let file = file.to_str().unwrap();
        let ran = run(&["verify", file, "--syzygy", TABLES]);
        assert_eq!(ran.code, 0, "{} {}", ran.out, ran.err);
        assert!(ran.out.contains("White wins; relying on Syzygy KQRvKR"), "{}", ran.out);
        let report = json(&["verify", file, "--syzygy", TABLES, "--json"]);
        assert_eq!(report["rules"][0]["checked_against"], "Syzygy");
        assert_eq!(report["claim"], "White wins");
        assert_eq!(report["relies_on"].as_array().unwrap().len(), 1);
        // Without the file it cannot be said.
        let ran = run(&["verify", file]);
        assert_eq!(ran.code, 3, "{} {}", ran.out, ran.err);
        assert!(ran.err.contains("relies on Syzygy KQRvKR"), "{}", ran.err);
        let empty = dir.path().join("empty");
        fs::create_dir_all(&empty).unwrap();
        let ran = run(&["verify", file, "--syzygy", empty.to_str().unwrap()]);
        assert_eq!(ran.code, 3, "{} {}", ran.out, ran.err);
        assert!(ran.err.contains("no file of this table"), "{}", ran.err);
    }
}

/// Verifies a changed certificate whose checksum is made anew.
fn verify_sealed(file: &Path, mut bytes: Vec<u8>) -> Ran {
    let end = bytes.len() - 8;
    let whole = xxhash_rust::xxh3::xxh3_64(&bytes[..end]);
    bytes[end..].copy_from_slice(&whole.to_le_bytes());
    fs::write(file, bytes).unwrap();
    run(&["verify", file.to_str().unwrap(), "--syzygy", TABLES])
}

#[test]
fn a_citation_of_another_file_is_not_accepted() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("root.cert");
    certified(ROOT, &file);
    let mut bytes = fs::read(&file).unwrap();
    let sum = checksum("KQRvKR").into_bytes();
    let at = bytes.windows(sum.len()).position(|part| part == sum.as_slice()).unwrap();
    bytes[at] = if bytes[at] == b'0' { b'1' } else { b'0' };
    let ran = verify_sealed(&file, bytes);
    assert_eq!(ran.code, 3, "{} {}", ran.out, ran.err);
    assert!(ran.err.contains("the file at hand has the checksum"), "{}", ran.err);
}

#[test]
fn a_claim_that_the_table_denies_is_rejected() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("root.cert");
    certified(ROOT, &file);
    // The same certificate for a position that the table calls a draw.
    let mut bytes = fs::read(&file).unwrap();
    let drawn = "8/8/8/3r4/3Q4/1k6/8/K6R b - -";
    let at = bytes.windows(ROOT.len()).position(|part| part == ROOT.as_bytes()).unwrap();
    bytes.splice(at..at + ROOT.len(), drawn.bytes());
    let ran = verify_sealed(&file, bytes);
    assert_eq!(ran.code, 1, "{} {}", ran.out, ran.err);
}

#[test]
fn directories_and_files_that_are_no_tables_are_told() {
    let ran = run(&["solve", ROOT, "--syzygy", "/no/such/place"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("/no/such/place"), "{}", ran.err);
    let dir = tempfile::tempdir().unwrap();
    let copy = |place: &str, name: &str, change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = fs::read(format!("{TABLES}/{name}.rtbw")).unwrap();
        change(&mut bytes);
        fs::create_dir_all(dir.path().join(place)).unwrap();
        fs::write(dir.path().join(place).join(format!("{name}.rtbw")), bytes).unwrap();
    };
    copy("broken", "KQvKR", &|bytes| bytes.truncate(5000));
    copy("broken", "KRvKR", &|bytes| *bytes = b"half a download".to_vec());
    copy("broken", "KQRvK", &|bytes| bytes.clear());
    copy("unfilled", "KQRvKR", &|bytes| bytes[200_000..200_064].fill(0));
    let [broken, unfilled] = ["broken", "unfilled"].map(|place| dir.path().join(place));
    let (broken, there) = (broken.to_str().unwrap(), unfilled.to_str().unwrap());
    // Damaged tables decide nothing; others are taken from where they are whole.
    let places = ["--syzygy", broken, "--syzygy", there, "--syzygy", TABLES];
    let limits = ["solve", ROOT, "--positions", "100", "--threads", "1"];
    let ran = run(&[&limits[..], &places].concat());
    assert!(!ran.out.contains("relies on"), "{} {}", ran.out, ran.err);
    for (name, fault) in [
        ("KQRvKR.rtbw", "another checksum"),
        ("KQvKR.rtbw", "not whole"),
        ("KRvKR.rtbw", "no Syzygy table"),
        ("KQRvK.rtbw", "empty"),
    ] {
        let told = ran.err.lines().any(|line| line.contains(name) && line.contains(fault));
        assert!(told, "{name}: {}", ran.err);
    }
    // Nor does it speak against a certificate.
    let file = dir.path().join("leaf.cert");
    certified(LEAF, &file);
    let ran = run(&["verify", file.to_str().unwrap(), "--syzygy", there]);
    assert_eq!(ran.code, 3, "{} {}", ran.out, ran.err);
}

/// A directory that is there and cannot be read, whoever asks: a link to itself.
#[cfg(unix)]
#[test]
fn directories_out_of_reach_are_named_and_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let loops = dir.path().join("loops");
    std::os::unix::fs::symlink(&loops, &loops).unwrap();
    let ran = run(&["solve", ROOT, "--syzygy", loops.to_str().unwrap(), "--syzygy", TABLES]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("relies on Syzygy KQRvKR"), "{} {}", ran.out, ran.err);
    let told = ran.err.lines().any(|l| l.contains("loops") && l.ends_with("not used"));
    assert!(told, "{}", ran.err);
    // What the environment names may be missing.
    let mut command = theta(&["--cache", "none", "solve", ROOT]);
    let list = std::env::join_paths([&dir.path().join("absent"), Path::new(TABLES)]).unwrap();
    command.env("SYZYGY_PATH", list);
    let ran = finish(command, "");
    assert!(ran.out.contains("relies on Syzygy KQRvKR"), "{} {}", ran.out, ran.err);
    assert!(ran.err.contains("absent is no directory; not used"), "{}", ran.err);
}

#[test]
fn tables_are_found_by_the_environment_too_and_in_several_directories() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = theta(&["--cache", "none", "solve", ROOT]);
    let list = std::env::join_paths([dir.path(), Path::new(TABLES)]).unwrap();
    command.env("SYZYGY_PATH", list);
    let ran = finish(command, "");
    assert!(ran.out.contains("relies on Syzygy KQRvKR"), "{} {}", ran.out, ran.err);
    let empty = dir.path().to_str().unwrap();
    let ran = run(&["prove", ROOT, "--syzygy", empty, "--syzygy", TABLES]);
    assert!(ran.out.contains("proved: White wins\n"), "{} {}", ran.out, ran.err);
    assert!(ran.out.contains("relies on Syzygy KQRvKR"), "{} {}", ran.out, ran.err);
}

#[test]
fn what_our_own_tables_tell_at_once_rests_on_nobody() {
    let ran = run(&["solve", "8/8/8/8/8/1k6/7R/K7 b - -", "--syzygy", TABLES]);
    assert!(ran.out.contains("mate in 30 plies"), "{}", ran.out);
    assert!(!ran.out.contains("relies on"), "{}", ran.out);
}

#[test]
#[ignore = "builds the tables of five men: a minute"]
fn a_proof_can_be_had_that_rests_on_nobody() {
    let dir = tempfile::tempdir().unwrap();
    for fen in [ROOT, LEAF] {
        let file = dir.path().join("own.cert");
        let file = file.to_str().unwrap();
        let args = ["solve", fen, "--syzygy", TABLES, "--self-contained", "--cert", file];
        let ran = run(&args);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(!ran.out.contains("relies on"), "{}", ran.out);
        assert!(ran.out.contains("White wins, mate in"), "{}", ran.out);
        assert_eq!(run(&["verify", file]).code, 0);
    }
}
