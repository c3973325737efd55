//! Attacks on `verify`: each was seen to hurt it once, or is of their kind, and has its answer.

use super::program::theta;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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
