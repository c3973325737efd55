//! Building tables from nothing, and probing them. `cargo bench --bench tables`.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
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
    let probe = |tables: &Tables| boards.iter().filter(|b| tables.probe(b).is_ok_and(|v| v.is_some())).count();
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
}

criterion_group!(benches, building, probing);
criterion_main!(benches);
