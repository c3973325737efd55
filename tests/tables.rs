//! Own tables against truth made elsewhere, and against accidents.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::program::{self, Ran, run_in, theta};
use pretty_assertions::assert_eq;
use theta_chess::chess::board::Board;
use theta_chess::chess::{Side, Value};
use theta_chess::game::{Compact, Graph, Values};
use theta_chess::limits::{Budget, Limits, Progress, StopReason};
use theta_chess::tables::{Material, TableError, Tables};

/// FEN, value, plies and material of the positions in `positions/endgames_60.tsv`.
fn endgames() -> impl Iterator<Item = (&'static str, Value, &'static str)> {
    include_str!("../positions/endgames_60.tsv").lines().skip(2).map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        let mover = if fields[0].contains(" w ") { Side::White } else { Side::Black };
        let plies = || fields[3].trim_start_matches('-').parse().unwrap();
        let value = match fields[1] {
            "win" => Value::Wins(mover, plies()),
            "loss" => Value::Wins(mover.other(), plies()),
            "draw" => Value::Draw,
            other => panic!("{other}"),
        };
        (fields[0], value, fields[4])
    })
}

#[test]
fn sixty_labelled_endgames() {
    let tables = Tables::in_memory();
    for (fen, value, material) in endgames() {
        let board = Board::from_fen(fen).unwrap();
        assert_eq!(Tables::material_of(&board).unwrap().to_string(), material);
        assert_eq!(tables.value(&board, &Budget::default()).unwrap(), Some(value), "{fen}");
    }
}

#[test]
fn a_capture_en_passant_can_be_forced_or_decide() {
    let tables = Tables::in_memory();
    let value = |fen: &str| {
        tables.value(&Board::from_fen(fen).unwrap(), &Budget::default()).unwrap().unwrap()
    };
    // Every position one ply below has its own value; the marked position must be the best of them.
    for fen in [
        "8/8/8/8/k1pP3K/8/8/8 b - d3 0 1",
        "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",
        "8/8/8/K7/1pP5/8/8/k7 b - c3 0 1",
    ] {
        let board = Board::from_fen(fen).unwrap();
        let moves = board.legal_moves();
        assert!(moves.iter().any(|m| m.is_en_passant()), "{fen}");
        let after = |m: &theta_chess::chess::board::ChessMove| {
            tables.value(&board.after(*m), &Budget::default()).unwrap().unwrap().before()
        };
        let best =
            moves.iter().map(after).max_by_key(|v| v.preference(board.side_to_move())).unwrap();
        assert_eq!(value(fen), best, "{fen}");
    }
}

/// Every stored value is the best of the values one ply on: the definition of the game's value,
/// checked move by move with an independent move generator.
#[test]
fn every_value_is_the_best_of_its_successors() {
    let tables = Tables::in_memory();
    let budget = Budget::default();
    for name in ["KQvK", "KRvK", "KPvK"] {
        let material = name.parse().unwrap();
        tables.ensure(material, &budget).unwrap();
        let wrong = Mutex::new(BTreeSet::new());
        tables
            .visit(material, &budget, |board, value| {
                let after = |m| tables.value(&board.after(m), &budget).unwrap().unwrap().before();
                let mover = board.side_to_move();
                let moves = board.legal_moves().into_iter();
                let best = moves.map(after).max_by_key(|v| v.preference(mover));
                let mated = Value::Wins(mover.other(), 0);
                let stuck = if board.in_check() { mated } else { Value::Draw };
                if best.unwrap_or(stuck) != value {
                    wrong.lock().unwrap().insert(theta_chess::chess::fen(&board.vector()));
                }
            })
            .unwrap();
        assert_eq!(wrong.into_inner().unwrap(), BTreeSet::new(), "{name}");
    }
}

/// The table and the graph share nothing but the move generator of the graph: 20 million positions
/// listed forwards from one.
#[test]
#[ignore = "all of KQvKR as a graph, three minutes and 400 MB"]
fn the_graph_of_four_men_agrees_with_their_table() {
    let root = Board::from_fen("8/8/8/8/3k4/8/1r6/6KQ w - - 0 1").unwrap();
    let budget = Budget::default();
    let graph = Compact::explore(&root.vector(), &budget).unwrap();
    let values = Values::of(&graph);
    let tables = Tables::in_memory();
    let (compared, unreached) = (AtomicU64::new(0), AtomicU64::new(0));
    for name in ["KQvKR", "KQvK", "KRvK"] {
        let agrees = |board: &Board, value: Value| {
            // From the root Black is the rook's side, which the tables of KRvK call White.
            let exchanged = name == "KRvK";
            let board = if exchanged { mirrored(board) } else { board.clone() };
            let Some(id) = graph.find(&board.packed()) else {
                unreached.fetch_add(1, Ordering::Relaxed);
                return;
            };
            let expected = match value {
                Value::Wins(side, plies) if exchanged => Value::Wins(side.other(), plies),
                _ => value,
            };
            assert_eq!(values.value(id), expected, "{:?}", board.packed());
            compared.fetch_add(1, Ordering::Relaxed);
        };
        tables.visit(name.parse().unwrap(), &budget, agrees).unwrap();
    }
    // One position of each class of symmetric ones; some positions no move leads to.
    let (compared, unreached) = (compared.into_inner(), unreached.into_inner());
    assert!(
        compared > 2_500_000 && unreached < compared / 1000,
        "{compared} compared, {unreached} not in Leg(y0)"
    );
}

/// The same position with the sides exchanged.
fn mirrored(board: &Board) -> Board {
    Board::from_vector(&board.vector().mirrored()).unwrap()
}

/// Keeps what it is told.
#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl Progress for Notes {
    fn stage(&self, _: &str, _: Option<u64>) {}
    fn advance(&self, _: u64) {}
    fn note(&self, text: &str) {
        self.0.lock().unwrap().push(text.to_owned());
    }
}

const MATE_IN_79: &str = "8/2R5/8/8/7k/3K4/8/4n3 w - - 0 1";

#[test]
fn a_damaged_file_is_named_set_aside_and_built_anew() {
    let cache = tempfile::tempdir().unwrap();
    let board = Board::from_fen(MATE_IN_79).unwrap();
    let value = |budget: &Budget| {
        let tables = Tables::open(Some(cache.path())).unwrap();
        tables.value(&board, budget).unwrap().unwrap()
    };
    assert_eq!(value(&Budget::default()), Value::Wins(Side::White, 79));
    let path = cache.path().join("KRvKN.theta");
    let good = fs::read(&path).unwrap();
    let flip = |at: usize| {
        let mut bytes = good.clone();
        bytes[at] ^= 16;
        bytes
    };
    // In the directory; cut short; every block. The last is found only when the block is read.
    let mut blocks = good.clone();
    let data = blocks.len() / 2;
    blocks[data..].iter_mut().for_each(|byte| *byte ^= 1);
    for damaged in [flip(70), good[..good.len() - 9].to_vec(), Vec::new(), blocks] {
        fs::write(&path, &damaged).unwrap();
        let notes = Arc::new(Notes::default());
        assert_eq!(
            value(&Budget::default().with_progress(Arc::clone(&notes) as _)),
            Value::Wins(Side::White, 79)
        );
        let told = notes.0.lock().unwrap().join("\n");
        assert!(told.contains("KRvKN") && told.contains("set aside"), "{told}");
        assert!(fs::read(&path).unwrap() == good, "built anew");
        let aside = cache.path().join("KRvKN.theta.damaged");
        assert!(fs::read(&aside).unwrap() == damaged, "set aside");
        fs::remove_file(aside).unwrap();
    }
}

#[test]
fn a_cache_that_cannot_be_written_is_done_without() {
    let parent = tempfile::tempdir().unwrap();
    let file = parent.path().join("file");
    fs::write(&file, "no directory").unwrap();
    assert!(matches!(Tables::open(Some(&file)), Err(TableError::Cache { .. })));
    let gone = parent.path().join("gone");
    let tables = Tables::open(Some(&gone)).unwrap();
    fs::remove_dir(&gone).unwrap();
    let notes = Arc::new(Notes::default());
    let budget = Budget::default().with_progress(Arc::clone(&notes) as _);
    let board = Board::from_fen(MATE_IN_79).unwrap();
    assert_eq!(tables.value(&board, &budget).unwrap(), Some(Value::Wins(Side::White, 79)));
    assert!(notes.0.lock().unwrap().iter().any(|note| note.contains("kept in memory only")));
}

#[test]
fn limits_are_answers() {
    let stopped = |limits: Limits| {
        let tables = Tables::in_memory();
        match tables.ensure("KRvKN".parse().unwrap(), &Budget::new(limits)) {
            Err(TableError::Stopped(reason)) => reason,
            other => panic!("{other:?}"),
        }
    };
    let limits = Limits::default();
    assert_eq!(stopped(limits.with_time(Duration::ZERO)), StopReason::Time);
    assert_eq!(stopped(limits.with_memory(1 << 20)), StopReason::Memory);
    assert_eq!(stopped(limits.with_positions(1000)), StopReason::Positions);
}

#[test]
fn too_little_memory_is_known_before_anything_is_solved() {
    let cache = tempfile::tempdir().unwrap();
    let tables = Tables::open(Some(cache.path())).unwrap();
    let material: Material = "KRvKP".parse().unwrap();
    let needed = tables.bytes_needed(material);
    assert!(needed > 20 << 20, "{needed}");
    let notes = Arc::new(Notes::default());
    let within = |memory: u64| {
        let limits = Limits::default().with_memory(memory);
        tables.ensure(material, &Budget::new(limits).with_progress(Arc::clone(&notes) as _))
    };
    assert!(matches!(within(needed), Err(TableError::Stopped(StopReason::Memory))));
    assert_eq!(tables.stored(false).unwrap().len(), 0);
    assert!(notes.0.lock().unwrap().join("").contains("KRvKP"));
    within(needed + 1).unwrap();
    assert_eq!(tables.bytes_needed(material), 0);
}

/// The most anonymous memory a build of one table held, while those it depends on were stored.
#[cfg(target_os = "linux")]
fn peak_of_build(name: &str, cache: &Path) -> u64 {
    let mut command = theta(&["tables", "build", name, "--cache"]);
    command.arg(cache).stdout(Stdio::null());
    let mut child = command.spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let status = fs::read_to_string(&status).unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("RssAnon"));
        let held: u64 =
            line.and_then(|line| line.split_ascii_whitespace().nth(1)?.parse().ok()).unwrap_or(0);
        peak = peak.max(held << 10);
        std::thread::sleep(Duration::from_millis(20));
    }
    peak
}

#[test]
#[cfg(target_os = "linux")]
#[ignore = "three tables of five men with what they depend on, three minutes in a release build"]
fn the_memory_that_a_table_takes_is_known_beforehand() {
    let cache = tempfile::tempdir().unwrap();
    let tables = Tables::open(Some(cache.path())).unwrap();
    for name in ["KRBvKN", "KRRvKN", "KRPvKR"] {
        let material: Material = name.parse().unwrap();
        for child in material.children() {
            Tables::open(Some(cache.path())).unwrap().ensure(child, &Budget::default()).unwrap();
        }
        let needed = tables.bytes_needed(material);
        let peak = peak_of_build(name, cache.path());
        assert!(peak.abs_diff(needed) < needed / 10, "{name}: {peak} of {needed}");
    }
}

const SYZYGY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/syzygy");

#[test]
fn three_men_agree_with_syzygy_whole() {
    let cache = tempfile::tempdir().unwrap();
    for material in Material::all(3) {
        let name = material.to_string();
        let Ran { code, out, .. } = run_in(
            cache.path(),
            &["compare", "--syzygy", SYZYGY, "--material", &name, "--all", "--json"],
        );
        let totals: serde_json::Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
        assert_eq!(code, 0, "{out}");
        assert!(totals["compared"].as_u64().unwrap() > 40_000, "{out}");
        assert_eq!(totals["agree"], totals["compared"]);
    }
    // There is no file for KBvKN.
    let missing =
        ["compare", "--syzygy", SYZYGY, "--material", "KBvKN", "--random", "20", "--json"];
    let Ran { code, out, .. } = run_in(cache.path(), &missing);
    let totals: serde_json::Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    assert_eq!((code, &totals["compared"], &totals["disagree"]), (3, &20.into(), &0.into()));
    assert!(totals["undecided"].as_u64().unwrap() > 0);
}

#[test]
fn the_printed_table_of_the_krkn_paper() {
    let cache = tempfile::tempdir().unwrap();
    let Ran { code, out, .. } = run_in(
        cache.path(),
        &["tables", "stats", "KRKN", "--metric", "conversion", "--symmetry", "on", "--json"],
    );
    assert_eq!(code, 0);
    let stats: serde_json::Value = serde_json::from_str(&out).unwrap();
    let rows = |name: &str| -> Vec<u64> {
        let map = stats[name].as_object().unwrap();
        let mut rows: Vec<(u16, u64)> =
            map.iter().map(|(k, v)| (k.parse().unwrap(), v.as_u64().unwrap())).collect();
        rows.sort_unstable();
        rows.into_iter().map(|(_, count)| count).collect()
    };
    assert_eq!(
        (&stats["legal_white"], &stats["legal_black"]),
        (&1_347_906.into(), &1_567_222.into())
    );
    let white = [
        378_518, 95_450, 46_269, 30_749, 20_055, 15_071, 11_740, 9_495, 8_562, 7_415, 6_308, 5_356,
        4_133, 3_356, 2_290, 1_621, 1_333, 1_046, 727, 556, 458, 373, 302, 178, 111, 18, 2,
    ];
    assert_eq!(rows("won_white_by_plies"), white);
    let black = [
        1_166, 54_552, 14_857, 15_246, 10_570, 9_294, 8_495, 7_724, 7_664, 7_904, 7_000, 6_082,
        5_122, 3_776, 2_919, 2_023, 1_580, 1_390, 1_006, 707, 544, 396, 286, 178, 135, 41, 13, 2,
    ];
    assert_eq!(rows("lost_black_by_plies"), black);
}

#[test]
fn processes_share_a_cache() {
    let cache = tempfile::tempdir().unwrap();
    let build = || {
        let mut command = theta(&["tables", "build", "KRvKN", "--cache"]);
        command.arg(cache.path()).stdout(Stdio::null()).spawn().unwrap()
    };
    let mut running = [build(), build(), build()];
    assert!(running.iter_mut().all(|child| child.wait().unwrap().success()));
    let Ran { code, out, .. } = run_in(cache.path(), &["tables", "verify"]);
    assert_eq!(code, 0, "{out}");
    // KvK, KNvK, KRvK and KRvKN; no temporary file is left.
    assert_eq!((out.lines().count(), fs::read_dir(cache.path()).unwrap().count()), (4, 4), "{out}");
}

/// Pawns that can pass each other: only a part of KPvKP is solved, and kept.
const RACE: &str = "8/6p1/8/1P6/8/8/8/K6k w - - 0 1";

#[test]
fn processes_add_to_the_same_parts() {
    let cache = tempfile::tempdir().unwrap();
    let fens = [RACE, "8/p7/8/1P6/8/8/8/K6k w - - 0 1", "8/8/4p3/8/2P5/8/8/K6k w - - 0 1"];
    let values = |fens: &[&str]| -> Vec<String> {
        let solve = |fen: &&str| {
            let mut command = theta(&["solve", "--json", fen, "--cache"]);
            command.arg(cache.path()).stdout(Stdio::piped()).spawn().unwrap()
        };
        let running: Vec<Child> = fens.iter().map(solve).collect();
        let value = |child: Child| {
            let output = child.wait_with_output().unwrap();
            let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(report["engine"], "tables");
            format!("{} {}", report["value"], report["mate_plies"])
        };
        running.into_iter().map(value).collect()
    };
    let together = values(&fens);
    let Ran { code, out, .. } = run_in(cache.path(), &["tables", "verify"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.lines().any(|line| line.starts_with("KPvKP ") && line.contains("part: ")), "{out}");
    // Whoever renamed last may have left out what another one added meanwhile; nobody is misled by
    // it.
    let one_by_one: Vec<String> = fens.iter().flat_map(|fen| values(&[fen])).collect();
    assert_eq!(one_by_one, together);
}

/// A theta that can write files of 100 blocks of 512 or 1024 bytes: this stands for a full disk,
/// writing fails in the middle of a table.
#[cfg(unix)]
fn on_a_full_disk(args: &[&str], cache: &Path) -> (i32, String) {
    // The shell ignores the signal that would end the process.
    let script = "trap '' XFSZ; ulimit -f 100; exec \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", script, "sh"]).arg(program::path()).args(args).arg("--cache").arg(cache);
    let ran = program::finish(command, "");
    (ran.code, ran.err)
}

#[test]
#[cfg(unix)]
fn a_full_disk_leaves_whole_parts_or_none() {
    let cache = tempfile::tempdir().unwrap();
    let (code, errors) = on_a_full_disk(&["solve", RACE], cache.path());
    assert_eq!(code, 0, "the value does not depend on the cache: {errors}");
    assert!(errors.contains("a part of table KQvKP is kept in memory only"), "{errors}");
    let Ran { code, out, .. } = run_in(cache.path(), &["tables", "verify"]);
    assert_eq!(code, 0, "{out}");
    assert!(!out.contains("KQvKP"), "{out}");
    // What a part is checked against has been solved and stored meanwhile.
    let names = fs::read_dir(cache.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = names.filter(|name| name.to_string_lossy().starts_with('.')).collect();
    assert!(left.is_empty(), "temporary files are left: {left:?}");
}

#[test]
#[cfg(unix)]
fn a_full_disk_leaves_whole_tables_or_none() {
    let cache = tempfile::tempdir().unwrap();
    let limited = |args: &[&str]| on_a_full_disk(args, cache.path());
    let (code, errors) = limited(&["tables", "build", "KRvKN"]);
    assert_eq!(code, 2, "{errors}");
    assert!(
        errors.contains("cannot be written") && errors.contains("KRvKN could not be stored"),
        "{errors}"
    );
    let Ran { code, out, .. } = run_in(cache.path(), &["tables", "verify", "--json"]);
    assert_eq!((code, out.lines().count()), (0, 3), "the small tables only: {out}");
    assert_eq!(fs::read_dir(cache.path()).unwrap().count(), 3, "no temporary file is left");
    let (code, errors) = limited(&["solve", MATE_IN_79]);
    assert_eq!(code, 0, "the value does not depend on the cache: {errors}");
    assert!(errors.contains("kept in memory only"), "{errors}");
}

#[test]
fn what_is_no_table_is_named() {
    let cache = tempfile::tempdir().unwrap();
    for name in ["KKvK", "KXvK", "KQRBvKRN", "", "KRvN"] {
        for command in [&["tables", "build", name][..], &["tables", "stats", name]] {
            let Ran { code, err: errors, .. } = run_in(cache.path(), command);
            assert_eq!(code, 2, "{errors}");
            assert!(errors.contains("signature") || errors.contains("tables end at 6"), "{errors}");
        }
    }
    let Ran { code, .. } = run_in(cache.path(), &["tables", "build", "KRvKN", "--memory", "8M"]);
    assert_eq!(code, 3, "too little memory");
}

/// Kills the build at random moments; whatever is left behind must be whole tables (or parts) or
/// none.
#[test]
#[ignore = "kills 120 builds, a minute"]
fn a_killed_build_leaves_no_damaged_table() {
    kill(&["tables", "build", "3", "KRvKP", "KQPvK", "KBPvK", "KNPvK"], &["theta"]);
    // What has no pawns is there after a few runs: the parts are solved time and again.
    kill(&["solve", RACE], &["part"]);
}

/// Runs a command sixty times and kills it; what it leaves in files with these extensions is
/// removed after each.
fn kill(args: &[&str], extensions: &[&str]) {
    let cache = tempfile::tempdir().unwrap();
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let (mut kept, mut unfinished) = (0, 0);
    for _ in 0..60 {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut command = theta(args);
        command.arg("--cache").arg(cache.path()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(state >> 33 & 0x1ff));
        child.kill().unwrap();
        unfinished += usize::from(!child.wait().unwrap().success());
        let Ran { code, out, .. } = run_in(cache.path(), &["tables", "verify", "--json"]);
        assert_eq!(code, 0, "{out}");
        kept += out.lines().count();
        // Begin anew every time, but leave the temporary files of the dead lying about.
        for entry in fs::read_dir(cache.path()).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|e| extensions.iter().any(|x| e == *x)) {
                fs::remove_file(path).unwrap();
            }
        }
    }
    assert!(unfinished > 15, "too few builds were killed in the middle: {unfinished}");
    assert!(kept > 60, "too few tables were finished before the kill: {kept}");
}

#[test]
fn a_long_build_says_beforehand_what_it_takes() {
    let ran = program::run(&["tables", "build", "5", "--positions", "1", "--threads", "2"]);
    assert_eq!(ran.code, 3);
    assert!(ran.err.contains("146 tables to solve, 0 stored already"), "{}", ran.err);
    assert!(ran.err.contains("on 2 threads") && ran.err.contains("6.9 GB"), "{}", ran.err);
    assert!(ran.err.contains("1 of 110: "), "{}", ran.err);
}

/// What is said of memory is what will be taken with these options.
#[test]
fn the_plan_of_six_men_goes_by_memory_and_processes() {
    let plan = |more: &[&str]| {
        let cache = tempfile::tempdir().unwrap();
        let build = ["tables", "build", "KRNvKNN", "--positions", "1", "--threads", "1", "--cache"];
        let ran = program::run(&[&build[..], &[cache.path().to_str().unwrap()], more].concat());
        let (before, _) = ran.err.split_once(" MiB of memory at most").expect(&ran.err);
        let megabytes: u64 = before.rsplit(' ').next().unwrap().parse().unwrap();
        (megabytes, ran.err.contains("at most in each of 2 processes"))
    };
    let all = plan(&[]);
    assert!(all.0 > 6_000 && !all.1, "{all:?}");
    let paged = plan(&["--memory", "2G"]);
    assert!(paged.0 <= 2_048 && !paged.1, "{paged:?}");
    let two = plan(&["--processes", "2"]);
    assert!(two.0 < all.0 * 3 / 4 && two.1, "{two:?}");
    // More than it takes is not taken.
    assert_eq!(plan(&["--processes", "2", "--memory", "8G"]), two);
}
