//! Every command's `--help` has an example, and the examples work as they stand.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};

/// The fixed workload of `bench` takes 20 seconds in the dev profile; `tests/tools/formats.py` runs
/// it.
const NOT_RUN: [&str; 1] = ["theta bench"];

struct Sandbox {
    dir: tempfile::TempDir,
    path: String,
}

impl Sandbox {
    fn new() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let theta = assert_cmd::cargo::cargo_bin("theta");
        let path =
            format!("{}:{}", theta.parent().unwrap().display(), std::env::var("PATH").unwrap());
        let dir = tempfile::tempdir().unwrap();
        for name in ["formulas", "positions", "tests"] {
            symlink(root.join(name), dir.path().join(name)).unwrap();
        }
        Self { dir, path }
    }

    fn run(&self, command: &str) -> Output {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).current_dir(self.dir.path()).env("PATH", &self.path);
        shell.env("XDG_CACHE_HOME", self.dir.path()).output().unwrap()
    }

    fn help(&self, command: &str) -> String {
        let output = self.run(&format!("theta {command} --help"));
        assert!(output.status.success(), "{command}");
        String::from_utf8(output.stdout).unwrap()
    }
}

fn commands(help: &str) -> Vec<String> {
    let list = help.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1);
    let names = list
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(String::from)
        .collect()
}

/// The lines below `Example:` or `Examples:`.
fn examples(help: &str) -> Vec<String> {
    let after = help.lines().skip_while(|line| !line.trim_start().starts_with("Example")).skip(1);
    after.take_while(|line| line.starts_with("  ")).map(|line| line.trim().to_string()).collect()
}

/// The command without a last part that needs a program which is not here. A bar inside quotes is
/// no pipe.
fn runnable(sandbox: &Sandbox, command: &str) -> String {
    let pipe = command
        .rmatch_indices(" | ")
        .find(|(at, _)| command[..*at].matches('\'').count().is_multiple_of(2));
    let Some((at, bar)) = pipe else { return command.to_string() };
    let program = command[at + bar.len()..].split(' ').next().expect("split gives a part");
    let found = sandbox.run(&format!("command -v {program}")).status.success();
    if found { command.to_string() } else { command[..at].to_string() }
}

#[test]
fn the_examples_of_every_command_work() {
    let sandbox = Sandbox::new();
    let commands = commands(&sandbox.help(""));
    assert!(commands.len() >= 16, "{commands:?}");
    for command in commands {
        let help = sandbox.help(&command);
        let examples = examples(&help);
        assert!(!examples.is_empty(), "theta {command} --help shows no example");
        for example in examples {
            assert!(example.contains(&format!("theta {command}")), "{example}");
            if NOT_RUN.iter().any(|start| example.starts_with(start)) {
                continue;
            }
            let run = sandbox.run(&runnable(&sandbox, &example));
            let said = String::from_utf8_lossy(&run.stderr);
            // 1 is the answer no; depqbf and cadical answer 10 and 20.
            assert!(
                matches!(run.status.code(), Some(0 | 1 | 10 | 20)),
                "$ {example}\n{:?} {said}",
                run.status
            );
            assert!(!said.contains("error:"), "$ {example}\n{said}");
            assert!(
                !run.stdout.is_empty() || example.contains(" -o ") || example.contains(" > "),
                "$ {example}"
            );
        }
    }
}
