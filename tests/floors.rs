//! The floors of the house: a file imports lower floors and the inside of its own front, nothing
//! else. One ordered list says which front stands where; the table in `docs/architecture.md` is held
//! against it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Every front with its floor, from the ground up. A front may import those of lower floors only,
/// so that the drawing of the house has neither a circle nor an arrow that points upwards. The
/// program stands on the roof and sees the library as any other user does.
const FLOORS: &[(u8, &str)] = &[
    (0, "ctl"),
    (0, "kripke"),
    (0, "chess"),
    (0, "limits"),
    (0, "sat"),
    (1, "advice"),
    (1, "modelcheck"),
    (1, "refutation"),
    (1, "aim"),
    (1, "theta"),
    (1, "oracle"),
    (1, "player"),
    (1, "tables"),
    (2, "cluster"),
    (2, "tableau"),
    (2, "game"),
    (2, "slices"),
    (2, "pioneer"),
    (2, "certificate"),
    (3, "check"),
    (3, "dead"),
    (3, "specification"),
    (3, "strategy"),
    (4, "verify"),
    (4, "hold"),
    (5, "search"),
    (6, "guess"),
    (6, "library"),
    (6, "problem"),
    (7, "prove"),
    (8, "solve"),
    (9, "export"),
    (10, PROGRAM),
];

/// The program: `src/main.rs` and `src/cli`.
const PROGRAM: &str = "cli";

/// What only one front may draw from the outside world. (shakmaty's `Color` is translated where
/// shakmaty is: everything else speaks of a `Side`.)
const SOLE_IMPORTERS: &[(&str, &str)] = &[
    ("varisat", "sat"),
    ("varisat_lrat", "sat"),
    ("shakmaty_syzygy", "oracle"),
    ("Color", "chess"),
    ("timely", "cluster"),
];

/// Packages that serve the program only.
const OF_THE_PROGRAM: &[&str] = &[
    "anstream",
    "anyhow",
    "axum",
    "clap",
    "clap_complete",
    "clap_mangen",
    "ctrlc",
    "directories",
    "futures_util",
    "hyper",
    "hyper_util",
    "indicatif",
    "tokio",
];

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

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

/// The front that a file belongs to; none for the library's root, which declares them all.
fn front_of(file: &Path) -> Option<String> {
    let rest = file.strip_prefix(src()).unwrap().to_path_buf();
    let first = rest.components().next().unwrap().as_os_str().to_str().unwrap();
    match first.trim_end_matches(".rs") {
        "lib" => None,
        "main" => Some(PROGRAM.into()),
        front => Some(front.into()),
    }
}

/// The code of a file line by line, comments left out.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(|line| line.split("//").next().unwrap())
}

/// The fronts named after `crate::`, or, by the program, after `theta_chess::`.
fn imports(text: &str, root: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in code(text) {
        for (at, _) in line.match_indices(root) {
            let rest = &line[at + root.len()..];
            if let Some(group) = rest.strip_prefix('{') {
                panic!("write one `use {root}front::…` per front, not a group: {{{group}");
            }
            found.push(rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect());
        }
    }
    found
}

/// Whether a line of code names a package: `use clap::…`, `clap::Args`.
fn names(line: &str, package: &str) -> bool {
    let path = format!("{package}::");
    line.match_indices(&path)
        .any(|(at, _)| !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':'))
}

/// Every import of one file that does not go down.
fn wrong_imports(file: &Path, floors: &BTreeMap<&str, u8>) -> Vec<String> {
    let Some(front) = front_of(file) else { return Vec::new() };
    let text = fs::read_to_string(file).unwrap();
    let name = file.strip_prefix(src()).unwrap().display();
    let of_program = front == PROGRAM;
    let root = if of_program { "theta_chess::" } else { "crate::" };
    let mut wrong = Vec::new();
    for import in imports(&text, root) {
        let own = !of_program && import == front;
        let floor = floors.get(import.as_str()).filter(|_| import != PROGRAM);
        // What is no front is a name that the root of the library hands on.
        let lower = floor.map_or(of_program, |floor| *floor < floors[front.as_str()]);
        if !own && !lower {
            wrong.push(format!("{name} (front `{front}`) imports `{import}`"));
        }
    }
    for line in code(&text) {
        for (package, owner) in SOLE_IMPORTERS {
            if front != *owner && names(line, package) {
                wrong.push(format!("{name} names {package}, which only `{owner}` may"));
            }
        }
        for package in OF_THE_PROGRAM {
            if !of_program && names(line, package) {
                wrong.push(format!("{name} names {package}, which only the program may"));
            }
        }
    }
    wrong
}

#[test]
fn imports_go_down() {
    let floors: BTreeMap<&str, u8> = FLOORS.iter().map(|&(floor, front)| (front, floor)).collect();
    let mut files = Vec::new();
    rust_files(&src(), &mut files);
    let wrong: Vec<String> = files.iter().flat_map(|file| wrong_imports(file, &floors)).collect();
    assert!(wrong.is_empty(), "imports that do not go down:\n{}", wrong.join("\n"));
}

#[test]
fn the_list_names_every_front_once_from_the_ground_up() {
    assert!(FLOORS.is_sorted_by_key(|(floor, _)| floor));
    let mut listed: Vec<&str> = FLOORS.iter().map(|(_, front)| *front).collect();
    listed.sort_unstable();
    let mut there: Vec<String> =
        fs::read_dir(src()).unwrap().filter_map(|entry| front_of(&entry.unwrap().path())).collect();
    there.sort_unstable();
    there.dedup();
    assert_eq!(listed, there, "FLOORS and the folders of src/");
}

/// The table of a document: floor, front, one job.
fn table(document: &str) -> Vec<(u8, String)> {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(document)).unwrap();
    let rows = text.lines().skip_while(|line| !line.starts_with("| floor | front |")).skip(2);
    let read = |line: &str| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        assert!(cells.len() >= 5 && !cells[3].is_empty(), "a front without a job: {line}");
        (cells[1].parse().unwrap(), cells[2].trim_matches('`').to_string())
    };
    rows.take_while(|line| line.starts_with('|')).map(read).collect()
}

#[test]
fn the_architecture_shows_the_same_floors() {
    let list: Vec<(u8, String)> =
        FLOORS.iter().map(|&(floor, front)| (floor, front.to_string())).collect();
    assert_eq!(table("docs/architecture.md"), list);
}
