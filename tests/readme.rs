//! Every output shown in the README and the guide was printed by the program: the `console` blocks
//! are run again and compared. Times are not compared.

use crate::program::Sandbox;
use pretty_assertions::assert_eq;
use std::fs;
use std::path::Path;

/// The commands of a document's `console` blocks with the output shown below each.
fn shown(document: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join(document)).unwrap();
    let mut found: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| inside) {
            found.push((command.to_string(), String::new()));
        } else if inside {
            let (_, output) = found.last_mut().expect("a console block begins with a command");
            output.push_str(line);
            output.push('\n');
        }
    }
    found
}

/// The text with every number of seconds replaced.
fn without_times(text: &str) -> String {
    let mut out = String::new();
    for word in text.split_inclusive([' ', '\n']) {
        let seconds = word.trim_end().trim_matches(['(', ',', ')']).parse::<f64>().is_ok()
            && word.contains('.');
        out.push_str(if seconds { "#.## " } else { word });
    }
    out
}

#[test]
fn the_documents_show_what_the_program_prints() {
    let sandbox = Sandbox::new();
    let examples = ["README.md", "docs/guide.md"].map(shown);
    assert!(examples.iter().all(|runs| runs.len() >= 5), "the documents show real runs");
    for (command, expected) in examples.into_iter().flatten() {
        let printed = sandbox.run(&command).out;
        assert_eq!(without_times(&printed), without_times(&expected), "$ {command}");
    }
}
