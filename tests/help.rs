//! Every command's `--help` has an example, and the examples work as they stand.

use crate::program::Sandbox;

/// The fixed workload of `bench` takes 20 seconds in the dev profile; `tests/tools/formats.py` runs
/// it. `serve` goes on for ever; `tests/serve.rs` runs it.
const NOT_RUN: [&str; 2] = ["theta bench", "theta serve"];

fn help(sandbox: &Sandbox, command: &str) -> String {
    let ran = sandbox.run(&format!("theta {command} --help"));
    assert_eq!(ran.code, 0, "{command}");
    ran.out
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
    let found = sandbox.run(&format!("command -v {program}")).code == 0;
    if found { command.to_string() } else { command[..at].to_string() }
}

#[test]
fn the_examples_of_every_command_work() {
    let sandbox = Sandbox::new();
    let commands = commands(&help(&sandbox, ""));
    assert!(commands.len() >= 16, "{commands:?}");
    for command in commands {
        let examples = examples(&help(&sandbox, &command));
        assert!(!examples.is_empty(), "theta {command} --help shows no example");
        for example in examples {
            assert!(example.contains(&format!("theta {command}")), "{example}");
            if NOT_RUN.iter().any(|start| example.starts_with(start)) {
                continue;
            }
            let run = sandbox.run(&runnable(&sandbox, &example));
            // 1 is the answer no; depqbf and cadical answer 10 and 20.
            assert!(matches!(run.code, 0 | 1 | 10 | 20), "$ {example}\n{} {}", run.code, run.err);
            assert!(!run.err.contains("error:"), "$ {example}\n{}", run.err);
            assert!(
                !run.out.is_empty() || example.contains(" -o ") || example.contains(" > "),
                "$ {example}"
            );
        }
    }
}
