//! Building tables from nothing, and probing them. `cargo bench --bench tables`.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::path::Path;
use theta_chess::chess::Board;
use theta_chess::limits::Budget;
use theta_chess::tables::{Material, Tables};

/// Each signature with everything it depends on.
fn building(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("build");
    group.sample_size(10);
    for name in ["KRvK", "KRvKN", "KQvKR", "KBNvK", "KRvKP", "KRPvK"] {
        let material: Material = name.parse().expect("a signature");
        group.bench_function(name, |bencher| {
            bencher.iter_batched(
                Tables::in_memory,
                |tables| tables.ensure(material, &Budget::default()).map(|()| tables),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

fn probing(criterion: &mut Criterion) {
    let budget = Budget::default();
    let material: Material = "KRvKN".parse().expect("a signature");
    let boards: Vec<Board> = Tables::sample(material, 1).take(1000).collect();
    let directory = tempfile::tempdir().expect("a temporary directory");
    let solved = Tables::open(Some(directory.path())).expect("a cache");
    solved.ensure(material, &budget).expect("no limits");
    let mut group = criterion.benchmark_group("probe 1000 random KRvKN");
    group.throughput(Throughput::Elements(boards.len() as u64));
    let probe = |tables: &Tables| {
        boards.iter().filter(|b| tables.probe(b).is_ok_and(|v| v.is_some())).count()
    };
    group.bench_function("solved here", |bencher| bencher.iter(|| black_box(probe(&solved))));
    group.bench_function("opened from disk, blocks cold", |bencher| {
        let open = || {
            let tables = Tables::open(Some(directory.path())).expect("a cache");
            tables.ensure(material, &budget).expect("no limits");
            tables
        };
        bencher.iter_batched(open, |tables| probe(&tables), BatchSize::PerIteration);
    });
    group.finish();
    // What a user waits for when the table is there: the cache opened, the closure found, one value
    // read.
    criterion.bench_function("one position, tables stored", |bencher| {
        bencher.iter(|| {
            let tables = Tables::open(Some(directory.path())).expect("a cache");
            tables.value(black_box(&boards[0]), &budget).expect("no limits")
        });
    });
    // The same where only a part of the table is there, as an earlier process left it.
    for (name, fen) in
        [("KPvKP", "8/6p1/8/1P6/8/8/8/K6k w - -"), ("KPPvK", "8/8/8/1P3P2/8/8/8/K6k w - -")]
    {
        let board = Board::from_fen(fen).expect("a position");
        let open = || {
            let tables = Tables::open(Some(directory.path())).expect("a cache");
            tables.ensure_for(black_box(&board), &budget).expect("no limits");
            tables
        };
        drop(open());
        criterion.bench_function(&format!("one position of {name}, parts stored"), |bencher| {
            bencher.iter(|| open().probe(&board).expect("no damage"));
        });
    }
}

/// Probing stored tables of five men, whole or of one side to move, where the directory
/// `THETA_TABLES` has some: random positions, and those after a move that takes nothing, whose blocks
/// are partly at hand. Each round opens the tables anew.
fn probing_stored(criterion: &mut Criterion) {
    let Some(directory) = std::env::var_os("THETA_TABLES") else { return };
    let directory = Path::new(&directory);
    let mut group = criterion.benchmark_group("stored");
    group.sample_size(10);
    for name in ["KRPvKR", "KRBvKN", "KQRvKR", "KRvKP", "KBNvKP"] {
        let material: Material = name.parse().expect("a signature");
        let stored = Tables::open(Some(directory)).expect("a cache");
        if !stored.is_at_hand(material, &Budget::default()) {
            continue;
        }
        let random: Vec<Board> = Tables::sample(material, 1).take(20_000).collect();
        let quiet = |b: &Board| {
            let moves = b.legal_moves().into_iter().filter(|m| !m.is_capture());
            moves.filter(|m| !m.is_promotion()).map(|m| b.after(m)).collect::<Vec<_>>()
        };
        let after: Vec<Board> = random[..4000].iter().flat_map(quiet).collect();
        for (kind, boards) in [("random", random), ("after a move", after)] {
            group.throughput(Throughput::Elements(boards.len() as u64));
            group.bench_function(format!("{name}, {kind}"), |bencher| {
                let open = || {
                    let tables = Tables::open(Some(directory)).expect("a cache");
                    tables.ensure_values(material, &Budget::default()).expect("no limits");
                    tables
                };
                let probe = |tables: Tables| {
                    boards.iter().filter(|b| tables.probe(b).is_ok_and(|v| v.is_some())).count()
                };
                bencher.iter_batched(open, probe, BatchSize::PerIteration);
            });
        }
    }
    group.finish();
}

/// Walking through all positions of a table, as `theta compare --all` does before it asks the
/// oracle.
fn visiting(criterion: &mut Criterion) {
    let budget = Budget::default();
    let tables = Tables::in_memory();
    let mut group = criterion.benchmark_group("visit");
    group.sample_size(10);
    for (name, positions) in [("KRvKN", 2_915_128), ("KPvK", 165_676)] {
        let material: Material = name.parse().expect("a signature");
        tables.ensure(material, &budget).expect("no limits");
        group.throughput(Throughput::Elements(positions));
        group.bench_function(name, |bencher| {
            let each = |board: &Board, value| {
                black_box((board, value));
            };
            bencher.iter(|| tables.visit(material, &budget, each));
        });
    }
    group.finish();
}

criterion_group!(benches, building, probing, probing_stored, visiting);
criterion_main!(benches);
