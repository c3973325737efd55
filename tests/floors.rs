//! The floors of the house: a front imports lower floors and its own submodules, nothing else.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// What each front may import, beside itself. `main` and `cli` may import all.
const KNOWS: &[(&str, &[&str])] = &[
    ("ctl", &[]),
    ("kripke", &[]),
    ("chess", &[]),
    ("limits", &[]),
    ("sat", &[]),
    ("modelcheck", &["ctl", "kripke", "limits"]),
    ("tableau", &["ctl", "kripke", "limits", "sat", "modelcheck"]),
    ("aim", &["ctl", "chess"]),
    ("theta", &["ctl", "chess"]),
    ("oracle", &["chess"]),
    ("game", &["chess", "kripke", "aim", "limits", "theta"]),
    ("check", &["chess", "ctl", "kripke", "limits", "modelcheck", "tableau", "aim", "game"]),
    ("tables", &["chess", "limits"]),
    ("strategy", &["chess", "aim", "limits"]),
    ("search", &["chess", "aim", "limits", "tables", "strategy"]),
    ("verify", &["chess", "aim", "strategy"]),
    ("pioneer", &["chess", "aim", "limits"]),
    ("library", &["chess", "pioneer", "tables", "strategy", "search", "limits", "aim", "ctl"]),
];

/// Fronts that only one importer may draw from the outside world.
const SOLE_IMPORTERS: &[(&str, &str)] =
    &[("varisat", "sat"), ("varisat_lrat", "sat"), ("shakmaty_syzygy", "oracle")];

fn rust_files(dir: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
}

fn front_of(path: &Path, src: &Path) -> String {
    let rest = path.strip_prefix(src).unwrap();
    let first = rest.components().next().unwrap().as_os_str().to_str().unwrap();
    first.trim_end_matches(".rs").to_string()
}

/// The fronts named after `crate::` in the code of a file (comments left out).
fn imports(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        let code = line.split("//").next().unwrap();
        for (at, _) in code.match_indices("crate::") {
            let rest = &code[at + "crate::".len()..];
            if let Some(group) = rest.strip_prefix('{') {
                panic!("write one `use crate::front::…` per front, not a group: {{{group}");
            }
            found.push(rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect());
        }
    }
    found
}

#[test]
fn imports_go_down() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let knows: BTreeMap<&str, &[&str]> = KNOWS.iter().copied().collect();
    let mut files = Vec::new();
    rust_files(&src, &mut files);
    let mut wrong = Vec::new();
    for file in &files {
        let front = front_of(file, &src);
        let text = fs::read_to_string(file).unwrap();
        for (krate, owner) in SOLE_IMPORTERS {
            if front != *owner
                && text.lines().any(|l| l.trim_start().starts_with(&format!("use {krate}")))
            {
                wrong.push(format!("{} imports {krate}, which only `{owner}` may", file.display()));
            }
        }
        let Some(allowed) = knows.get(front.as_str()) else { continue };
        for import in imports(&text) {
            if import != front && !allowed.contains(&import.as_str()) {
                wrong.push(format!("{} (front `{front}`) imports `{import}`", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "imports that do not go down:\n{}", wrong.join("\n"));
}

#[test]
fn every_front_has_a_floor() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let upper = ["lib", "main", "cli", "solve", "export"];
    for entry in fs::read_dir(&src).unwrap() {
        let front = front_of(&entry.unwrap().path(), &src);
        assert!(
            upper.contains(&front.as_str()) || KNOWS.iter().any(|(name, _)| *name == front),
            "front `{front}` stands on no floor: add it to KNOWS"
        );
    }
}
