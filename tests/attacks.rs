//! Attacks on `verify`: each was seen to hurt it once, or is of their kind, and has its answer.

use super::program::theta;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use zstd::zstd_safe::{DParameter, FrameFormat};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/attacks")
}

/// The exit code and all that is printed.
fn verdict(command: &mut Command) -> (Option<i32>, String) {
    let run = command.output().unwrap();
    let printed = [run.stdout, run.stderr].concat();
    (run.status.code(), String::from_utf8(printed).unwrap())
}

#[test]
fn every_attack_has_its_answer() {
    let expected = std::fs::read_to_string(folder().join("expected.tsv")).unwrap();
    let mut seen = 0;
    for line in expected.lines().filter(|line| !line.starts_with('#')) {
        let [file, code, text] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let path = folder().join(file);
        let path = path.to_str().unwrap();
        for form in [&[][..], &["--json"][..]] {
            let arguments =
                [&["--cache", "none", "--time", "2", "verify", path][..], form].concat();
            let (found, printed) = verdict(&mut theta(&arguments));
            assert_eq!(found, code.parse().ok(), "{file}: {printed}");
            let steers = |c: char| theta_kernel::steers(c) && c != '\n';
            assert!(!printed.contains(steers), "{file}: {printed:?}");
            if form.is_empty() {
                assert!(printed.contains(text), "{file}: `{text}` is not in: {printed}");
            }
        }
        seen += 1;
    }
    assert!(seen >= 30, "{seen} attacks");
}

/// What `verify -` says of this input, which goes on until nobody reads it.
fn endless(head: &[u8], rest: &[u8]) -> (Option<i32>, String) {
    let mut child = theta(&["--time", "1", "--memory", "64M", "verify", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let feed = |bytes: &[u8], pipe: &mut std::process::ChildStdin| pipe.write_all(bytes).is_ok();
    if feed(head, &mut pipe) {
        while feed(rest, &mut pipe) {}
    }
    drop(pipe);
    let run = child.wait_with_output().unwrap();
    let printed = [run.stdout, run.stderr].concat();
    (run.status.code(), String::from_utf8(printed).unwrap())
}

#[test]
fn input_without_an_end() {
    let root =
        "theta-certificate 2\nroot 7k/8/5K2/8/8/8/6Q1/8 w - -\nclaim White wins in 1 plies\n";
    let (code, printed) = endless(b"", b"yes\n");
    assert_eq!(code, Some(2), "{printed}");
    let (code, printed) = endless(format!("{root}note ").as_bytes(), &[b'x'; 4096]);
    assert!(code == Some(1) && printed.contains("a line is too long"), "{code:?} {printed}");
    let (code, printed) = endless(root.as_bytes(), b"note x\n");
    assert!(code == Some(1) && printed.contains("more than 1000"), "{code:?} {printed}");
    // Well-formed entries for ever: the memory limit ends it, or the time.
    let mut body = format!("{root}\nWw").into_bytes();
    body.extend([0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0]);
    let entry = [&1u64.to_le_bytes()[..], &[1, 0, 0, 0x40, 0]].concat();
    let (code, printed) = endless(&body, &entry.repeat(1000));
    assert!(code == Some(3) && printed.contains("limit reached"), "{code:?} {printed}");
}

#[test]
fn what_is_no_file() {
    let (code, printed) = verdict(&mut theta(&["verify", folder().to_str().unwrap()]));
    assert_eq!(code, Some(2), "{printed}");
    let (code, printed) = verdict(&mut theta(&["verify", "/nowhere/at-all.cert"]));
    assert_eq!(code, Some(2), "{printed}");
}

#[cfg(unix)]
#[test]
fn a_pipe_nobody_writes_to_ends_with_the_time() {
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("KRvK.theta");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let (code, printed) = verdict(&mut theta(&["--time", "0.3", "verify", pipe.to_str().unwrap()]));
    assert!(code == Some(3) && printed.contains("time limit reached"), "{code:?} {printed}");
    // In the cache directory it is no table.
    let cache = dir.path().to_str().unwrap();
    let (code, printed) =
        verdict(&mut theta(&["--cache", cache, "solve", "8/8/8/8/8/1k6/7R/K7 b - -"]));
    assert!(code == Some(0) && printed.contains("30 plies"), "{code:?} {printed}");
}

/// What a reader gets of a file that is written anew while it reads: the beginning of one
/// certificate and the end of another.
#[cfg(unix)]
#[test]
fn a_certificate_that_is_rewritten_while_it_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let make = |name: &str, fen: &str| {
        let path = dir.path().join(name);
        let (code, printed) = verdict(&mut theta(&[
            "--cache",
            "none",
            "solve",
            fen,
            "--cert",
            path.to_str().unwrap(),
        ]));
        assert_eq!(code, Some(0), "{printed}");
        std::fs::read(path).unwrap()
    };
    let before = make("a.cert", "8/8/8/8/8/1k6/7R/K7 b - -");
    let after = make("b.cert", "8/8/8/8/8/2k5/7R/K7 b - -");
    let pipe = dir.path().join("pipe.cert");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for (cut, code, text) in [
        (before.len() / 2, 1, "rejected"),
        (before.len() - 8, 1, "rejected"),
        // Before the first byte was read, and after the last.
        (0, 0, "8/8/8/8/8/2k5/7R/K7 b - -: White wins"),
        (before.len(), 0, "8/8/8/8/8/1k6/7R/K7 b - -: White wins"),
    ] {
        let reader = theta(&["--cache", "none", "--time", "20", "verify", pipe.to_str().unwrap()])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut writer = std::fs::OpenOptions::new().write(true).open(&pipe).unwrap();
        let written = writer.write_all(&before[..cut]).and_then(|()| {
            writer.flush()?;
            writer.write_all(after.get(cut..).filter(|_| cut < before.len()).unwrap_or_default())
        });
        drop(writer);
        let run = reader.wait_with_output().unwrap();
        let printed = String::from_utf8([run.stdout, run.stderr].concat()).unwrap();
        assert!(written.is_ok() || code == 1, "{written:?}");
        assert!(run.status.code() == Some(code) && printed.contains(text), "{cut}: {printed}");
    }
}

/// A stored table with one false value and every checksum right.
fn forge(path: &Path, block: usize) {
    // Positions of the first part of a block of KPvK: half of the 3612 pairs of kings, White's pawn
    // on one square, White to move.
    const PART: usize = 3612 / 2;
    // The lengths of the first three parts.
    const HEAD: usize = 6;
    let mut file = std::fs::read(path).unwrap();
    let number =
        |file: &[u8], at: usize| u64::from_le_bytes(file[at..at + 8].try_into().unwrap()) as usize;
    let blocks = number(&file, 32);
    let data = 64 + 16 * blocks;
    let start = if block == 0 { 0 } else { number(&file, 64 + 16 * (block - 1)) };
    let end = number(&file, 64 + 16 * block);
    let mut bytes = file[data + start..data + end].to_vec();
    let packed = usize::from(u16::from_le_bytes([bytes[0], bytes[1]]));
    let dictionary = include_bytes!("../src/tables/file/white.dict");
    let mut reader = zstd::bulk::Decompressor::with_dictionary(dictionary).unwrap();
    reader.set_parameter(DParameter::Format(FrameFormat::Magicless)).unwrap();
    let mut codes = reader.decompress(&bytes[HEAD..HEAD + packed], PART).unwrap();
    // A draw with White to move, somewhere in the middle, becomes a win at once; what it foretells
    // for Black goes wrong with it.
    let draw = codes.iter().skip(PART / 2).position(|&code| code == 128).unwrap() + PART / 2;
    codes[draw] = 255;
    // A part of its full length stands as it is.
    bytes.splice(HEAD..HEAD + packed, codes);
    bytes[..2].copy_from_slice(&(PART as u16).to_le_bytes());
    file.splice(data + start..data + end, bytes.iter().copied());
    let longer = PART - packed;
    for later in block..blocks {
        let moved = (number(&file, 64 + 16 * later) + longer) as u64;
        file[64 + 16 * later..][..8].copy_from_slice(&moved.to_le_bytes());
    }
    let sum = |bytes: &[u8]| theta_kernel::xxh3_64(bytes).unwrap().to_le_bytes();
    let of_block = sum(&bytes);
    file[64 + 16 * block + 8..][..8].copy_from_slice(&of_block);
    let whole = (number(&file, 40) + longer) as u64;
    file[40..48].copy_from_slice(&whole.to_le_bytes());
    let of_directory = sum(&file[64..data]);
    file[48..56].copy_from_slice(&of_directory);
    let of_head = sum(&file[..56]);
    file[56..64].copy_from_slice(&of_head);
    std::fs::write(path, file).unwrap();
}

/// A false value in a stored table, with every checksum right: what `solve` says where it stumbles
/// over it, and that the next run is right again.
#[test]
fn a_forged_table_is_named_where_no_certificate_can_be_made() {
    use theta_chess::chess::board::Board;
    use theta_chess::limits::Budget;
    use theta_chess::tables::Tables;
    let (dir, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let cache = dir.path().to_str().unwrap();
    let (code, printed) = verdict(&mut theta(&["--cache", cache, "tables", "build", "KPvK"]));
    assert_eq!(code, Some(0), "{printed}");
    let table = dir.path().join("KPvK.theta");
    forge(&table, 20);
    // Which position it is: the one with White to move whose value is another.
    let (forged, right) = (Tables::open(Some(dir.path())).unwrap(), Tables::in_memory());
    let material = "KPvK".parse().unwrap();
    let budget = Budget::default();
    right.ensure(material, &budget).unwrap();
    let found = std::sync::Mutex::new(None);
    let look = |board: &Board, value| {
        let forged_here = board.side_to_move() == theta_chess::chess::Side::White;
        if forged_here && right.value(board, &budget).unwrap() != Some(value) {
            *found.lock().unwrap() = Some(theta_chess::chess::fen(&board.vector()));
        }
    };
    forged.visit(material, &budget, look).unwrap();
    let fen = found.into_inner().unwrap().expect("a position with a false value");
    let certificate = out.path().join("a.cert");
    let arguments = ["--cache", cache, "solve", &fen, "--cert", certificate.to_str().unwrap()];
    let (code, printed) = verdict(&mut theta(&arguments));
    assert!(code != Some(0) && !certificate.exists(), "{fen}: {code:?} {printed}");
    let path = table.to_str().unwrap();
    for part in ["the stored table KPvK is wrong", path, "run the command again"] {
        assert!(printed.contains(part), "`{part}` is not in: {printed}");
    }
    let (code, printed) = verdict(&mut theta(&arguments));
    assert!(code == Some(0) && printed.contains("a draw"), "{printed}");
    assert_eq!(verdict(&mut theta(&["verify", certificate.to_str().unwrap()])).0, Some(0));
}

/// Notes of a certificate come from whoever wrote it; in a page they are text.
#[test]
fn nothing_in_a_page_comes_alive() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.cert");
    let text = path.to_str().unwrap();
    let (code, printed) = verdict(&mut theta(&[
        "--cache",
        "none",
        "solve",
        "7k/8/5K2/8/8/8/6Q1/8 w - -",
        "--cert",
        text,
    ]));
    assert_eq!(code, Some(0), "{printed}");
    let file = std::fs::read(&path).unwrap();
    let end = file.windows(2).position(|w| w == b"\n\n").unwrap() + 1;
    let evil = "note </script><script>alert(1)</script><!-- <script <img src=x onerror=alert(1)>\n";
    let mut changed = [&file[..end], evil.as_bytes(), &file[end..file.len() - 8]].concat();
    changed.extend(theta_kernel::xxh3_64(&changed).unwrap().to_le_bytes());
    std::fs::write(&path, changed).unwrap();
    let page = |name: &str| {
        let (code, page) = verdict(&mut theta(&["strategy", "--from", text, "--format", name]));
        assert_eq!(code, Some(0), "{page}");
        page
    };
    let html = page("html");
    assert!(html.contains("alert(1)"), "the note is shown");
    for alive in ["<script>alert", "<!-- <script", "<img src=x", "</script><script>a"] {
        assert!(!html.contains(alive), "`{alive}` in the page");
    }
    assert!(!page("svg").contains("<script"));
}
