//! The table of `docs/kernel.md` says how many lines have to be believed: they are counted here.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Lines of code: neither blank nor a comment, tests left out.
fn lines(path: &Path) -> usize {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    code.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with("//")).count()
}

fn rust_files(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_path_buf()];
    }
    let mut found = Vec::new();
    for entry in std::fs::read_dir(path).unwrap_or_else(|e| panic!("{}: {e}", path.display())) {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(rust_files(&path));
        } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("tests.rs") {
            found.push(path);
        }
    }
    found
}

/// The rows of a table: path in backquotes, lines.
fn stated(text: &str) -> BTreeMap<String, usize> {
    let row = |line: &str| {
        let mut cells = line.strip_prefix("| `")?.split(" | ");
        let path = cells.next()?.trim_end_matches('`').to_string();
        Some((path, cells.next()?.trim().replace(',', "").parse().ok()?))
    };
    text.lines().filter_map(row).collect()
}

#[test]
fn the_trusted_lines_are_counted() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = std::fs::read_to_string(root.join("docs/kernel.md")).unwrap();
    let stated = stated(&text);
    let mut counted = BTreeMap::new();
    for path in stated.keys() {
        let files = rust_files(&root.join(path));
        counted.insert(path.clone(), files.iter().map(|file| lines(file)).sum::<usize>());
    }
    let exact = |path: &str| path.starts_with("kernel/");
    for (path, &count) in &counted {
        let told = stated[path];
        // What stands around the kernel grows with the program: to a tenth.
        let fits =
            if exact(path) { told == count } else { told.abs_diff(count) <= count / 10 + 20 };
        assert!(fits, "docs/kernel.md says {told} lines of {path}, there are {count}");
    }
    let files = rust_files(&root.join("kernel/src"));
    assert_eq!(
        counted.keys().filter(|p| exact(p)).count(),
        files.len(),
        "every file of the kernel"
    );
    let all: usize = files.iter().map(|file| lines(file)).sum();
    assert!(text.contains(&format!("{all} lines in all")), "there are {all} lines in all");
}

#[test]
fn the_kernel_depends_on_nothing() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = std::fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let dependencies = manifest.split("[dependencies]").nth(1).unwrap();
    let own = dependencies.split("\n[").next().unwrap();
    assert_eq!(own.trim(), "", "dependencies of the kernel");
    assert!(!manifest.contains("dev-dependencies") && !manifest.contains("build-dependencies"));
    for file in rust_files(&root.join("src")) {
        let text = std::fs::read_to_string(&file).unwrap();
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let code = text.split("#[cfg(test)]").next().unwrap();
        for forbidden in ["std::time", "std::fs", "std::net", "std::process", "std::env", "unsafe "]
        {
            let main = name == "main.rs" && forbidden != "unsafe ";
            let comment = |l: &str| l.trim().starts_with("//");
            let used = code.lines().any(|l| !comment(l) && l.contains(forbidden));
            assert!(main || !used, "{name} uses {forbidden}");
        }
    }
}
