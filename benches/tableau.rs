//! Satisfiability by family and size: growth, not only the constant, is what there is to watch.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;
use theta_chess::ctl::{Arena, parse};
use theta_chess::limits::Budget;
use theta_chess::tableau::{Options, satisfiable};

/// Larger counters take seconds: every model has 2^n states.
const LARGEST_COUNTER: u32 = 12;

fn families(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("tableau");
    group
        .sample_size(10)
        .measurement_time(Duration::from_millis(500))
        .warm_up_time(Duration::from_millis(100));
    let text = include_str!("../formulas/families/instances.tsv");
    for line in text.lines().skip(2) {
        let [family, n, _, formula] = line.split('\t').collect::<Vec<_>>()[..] else { continue };
        let size: u32 = n.parse().unwrap_or(0);
        if family.starts_with("counter") && size > LARGEST_COUNTER {
            continue;
        }
        group.bench_with_input(BenchmarkId::new(family, n), formula, |bencher, formula| {
            bencher.iter(|| {
                let mut arena = Arena::new();
                let id = parse(&mut arena, formula).expect("the families parse");
                let options = Options { total: true, ..Options::default() };
                black_box(satisfiable(&mut arena, id, &options, &Budget::default()).states)
            });
        });
    }
    group.finish();
}

criterion_group!(benches, families);
criterion_main!(benches);
