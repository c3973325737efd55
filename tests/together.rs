//! Tables built by several processes: the same files as from one, a process that is killed is named
//! by the others, and the same command goes on.

use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::program::{self, run_in};
use pretty_assertions::assert_eq;

const MATERIAL: &str = "KRPvK";

/// The tables in a directory; a process that was killed leaves files with temporary names. Those that
/// are listed while a process builds may be gone, or have their name, when they are to be read.
fn tables(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap());
    let file = |entry: fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let read = if name.starts_with(".building-") { None } else { fs::read(entry.path()).ok() };
        Some((name, read?))
    };
    entries.filter_map(file).collect()
}

/// A list of processes on this machine whose ports are free now.
fn list(directory: &Path, count: usize) -> std::path::PathBuf {
    let listeners: Vec<_> = (0..count).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let line = |listener: &TcpListener| format!("{}\n", listener.local_addr().unwrap());
    let path = directory.join("hosts");
    fs::write(&path, listeners.iter().map(line).collect::<String>()).unwrap();
    path
}

/// One process of a list.
fn process(list: &Path, number: usize, cache: &Path, material: &str) -> Child {
    Command::new(program::path())
        .args(["tables", "build", material, "--no-progress", "--process", &number.to_string()])
        .arg("--hostfile")
        .arg(list)
        .arg("--cache")
        .arg(cache)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// What a process printed on stderr, and its exit code.
fn ended(child: Child) -> (String, Option<i32>) {
    let output = child.wait_with_output().unwrap();
    (String::from_utf8_lossy(&output.stderr).into_owned(), output.status.code())
}

#[test]
fn processes_started_here_make_the_same_files() {
    let [alone, three] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let ran = run_in(alone.path(), &["tables", "build", MATERIAL]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let ran = run_in(three.path(), &["tables", "build", MATERIAL, "--processes", "3"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with("KRPvK     ready after "), "{}", ran.out);
    assert!(tables(alone.path()) == tables(three.path()));
}

/// All processes solve a table of six men together, here through pages of files.
#[test]
#[ignore = "a table of six men twice: three CPU minutes, 2 GB of memory"]
fn processes_share_a_table_of_six_men() {
    let [alone, two] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let ran = run_in(alone.path(), &["tables", "build", "KQQQQvK", "--memory", "1G"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("of 40 sets of positions in memory"), "{}", ran.err);
    let arguments = ["tables", "build", "KQQQQvK", "--memory", "1G", "--processes", "2"];
    let ran = run_in(two.path(), &arguments);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(tables(alone.path()) == tables(two.path()));
}

#[test]
fn a_process_that_is_killed_is_named_and_the_command_goes_on() {
    let [cache, alone, lists] = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let hosts = list(lists.path(), 2);
    let zero = process(&hosts, 0, cache.path(), MATERIAL);
    let mut one = process(&hosts, 1, cache.path(), MATERIAL);
    let start = Instant::now();
    while tables(cache.path()).len() < 4 && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(2));
    }
    one.kill().unwrap();
    one.wait().unwrap();
    let (stderr, code) = ended(zero);
    // Unless all was done before the signal came.
    if code != Some(0) {
        assert_eq!(code, Some(3), "{stderr}");
        assert!(stderr.contains("process 1 at 127.0.0.1:"), "{stderr}");
        assert!(stderr.contains("is gone; what was finished is stored"), "{stderr}");
        assert!(!stderr.contains("panicked"), "{stderr}");
    }
    let hosts = list(lists.path(), 2);
    let both = [0, 1].map(|number| process(&hosts, number, cache.path(), MATERIAL));
    for (stderr, code) in both.map(ended) {
        assert_eq!(code, Some(0), "{stderr}");
    }
    run_in(alone.path(), &["tables", "build", MATERIAL]);
    assert!(tables(cache.path()) == tables(alone.path()));
}

#[test]
fn processes_that_do_not_belong_together_say_so() {
    let [cache, other, lists] = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let hosts = list(lists.path(), 2);
    let zero = process(&hosts, 0, cache.path(), MATERIAL);
    let one = process(&hosts, 1, other.path(), MATERIAL);
    let [(first, zero), (second, one)] = [zero, one].map(ended);
    assert_eq!((zero, one), (Some(3), Some(2)), "{first}{second}");
    assert!(second.contains("it is not the directory of process 0"), "{second}");

    let hosts = list(lists.path(), 2);
    let mut zero = process(&hosts, 0, cache.path(), MATERIAL);
    let (stderr, code) = ended(process(&hosts, 1, cache.path(), "KRvK"));
    assert_eq!(code, Some(2), "{stderr}");
    assert!(stderr.contains("was started for other tables"), "{stderr}");
    zero.kill().unwrap();
    zero.wait().unwrap();

    let hosts = hosts.to_str().unwrap();
    for (arguments, fault) in [
        (&["--hostfile", hosts, "--process", "2"][..], "process 2 of 2: they are counted from 0"),
        (&["--hostfile", "no/such/file", "--process", "0"], "host file no/such/file"),
        (&["--hostfile", hosts], "--process <I>"),
        (&["--processes", "0"], "invalid value '0'"),
    ] {
        let all = [&["tables", "build", MATERIAL], arguments].concat();
        let ran = run_in(cache.path(), &all);
        assert_eq!(ran.code, 2, "{arguments:?}");
        assert!(ran.err.contains(fault), "{arguments:?}: {}", ran.err);
    }
}
