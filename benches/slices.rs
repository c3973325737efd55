//! Speed of the slices: endings decided from nothing, and a strategy read off solved slices.

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use theta_chess::chess::Side;
use theta_chess::chess::board::Board;
use theta_chess::limits::{Budget, Limits};
use theta_chess::slices::Analysis;

fn slicing(c: &mut Criterion) {
    let board = |fen: &str| Board::from_fen(fen).expect("a legal position");
    let budget = || Budget::new(Limits::default().with_threads(1));
    let pursued = |root: &Board| {
        let mut analysis = Analysis::new();
        analysis.pursue(root, &budget());
        analysis
    };
    let mut group = c.benchmark_group("slices");
    group.sample_size(10);
    let lasker = board("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - -");
    group.bench_function("Lasker and Reichhelm", |b| b.iter(|| black_box(pursued(&lasker))));
    let breakthrough = board("8/ppp5/8/PPP5/8/8/8/1k5K w - -");
    group.bench_function("breakthrough", |b| b.iter(|| black_box(pursued(&breakthrough))));
    let wall = board("4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -");
    group.bench_function("wall", |b| b.iter(|| black_box(pursued(&wall))));
    let solved = pursued(&lasker);
    group.bench_function("plies to mate", |b| {
        b.iter(|| black_box(solved.winner(Side::White, 1 << 28).plies(&lasker, &budget())))
    });
    group.finish();
}

criterion_group!(benches, slicing);
criterion_main!(benches);
