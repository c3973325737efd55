//! How the tests run `theta`, in one place.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// What a run left.
pub struct Ran {
    /// The exit code.
    pub code: i32,
    /// Standard output.
    pub bytes: Vec<u8>,
    /// The same as text.
    pub out: String,
    /// Standard error.
    pub err: String,
    /// How long it took.
    pub time: Duration,
}

impl Ran {
    /// The JSON objects that were printed, one per line.
    pub fn json(&self) -> Vec<serde_json::Value> {
        let read = |line: &str| {
            serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line} {}", self.err))
        };
        self.out.lines().map(read).collect()
    }
}

/// The program.
pub fn path() -> PathBuf {
    assert_cmd::cargo::cargo_bin("theta")
}

/// The program with these arguments, not started yet.
pub fn theta(args: &[&str]) -> Command {
    let mut command = Command::new(path());
    command.args(args);
    command
}

/// Runs a command to its end.
pub fn finish(command: Command, input: impl AsRef<[u8]>) -> Ran {
    let start = Instant::now();
    let output =
        assert_cmd::Command::from_std(command).write_stdin(input.as_ref()).output().unwrap();
    Ran {
        code: output.status.code().expect("not killed"),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        bytes: output.stdout,
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
        time: start.elapsed(),
    }
}

/// Runs the program, which refuses the arguments with exit code 2 and says why.
pub fn refused(args: &[&str], why: &str) {
    let Ran { code, out, err, .. } = run(args);
    assert_eq!(code, 2, "{args:?}: {out}{err}");
    assert!(out.is_empty() && err.contains(why), "{args:?}: {out}{err}");
}

/// Runs the program without a cache and with this standard input.
pub fn run_with(args: &[&str], input: impl AsRef<[u8]>) -> Ran {
    let mut command = theta(&["--cache", "none"]);
    command.args(args);
    finish(command, input)
}

/// Runs the program without a cache.
pub fn run(args: &[&str]) -> Ran {
    run_with(args, "")
}

/// Runs the program with its tables kept in a directory.
pub fn run_in(cache: &Path, args: &[&str]) -> Ran {
    let mut command = theta(args);
    command.arg("--cache").arg(cache);
    finish(command, "")
}

/// A directory in which the commands of documents and help texts are run as they stand: `theta` is
/// on the path, and the files that they name are there.
pub struct Sandbox {
    dir: tempfile::TempDir,
    path: String,
}

impl Sandbox {
    pub fn new() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let path =
            format!("{}:{}", path().parent().unwrap().display(), std::env::var("PATH").unwrap());
        let dir = tempfile::tempdir().unwrap();
        for name in ["formulas", "positions", "tests"] {
            symlink(root.join(name), dir.path().join(name)).unwrap();
        }
        Self { dir, path }
    }

    /// Runs a shell's command line.
    pub fn run(&self, line: &str) -> Ran {
        let mut shell = Command::new("sh");
        shell.args(["-c", line]).current_dir(self.dir.path()).env("PATH", &self.path);
        shell.env("XDG_CACHE_HOME", self.dir.path());
        finish(shell, "")
    }
}
