//! Speed of the proof search: a mate in four depth-first, a long mate by proof numbers, a blockade
//! closed.

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;
use theta_chess::chess::board::Board;
use theta_chess::limits::Budget;
use theta_chess::search::{Options, mate_in, no_probe, solve};

fn searching(c: &mut Criterion) {
    let options = Options { table_bytes: 1 << 26, shorten: Duration::ZERO, ..Options::default() };
    let board = |fen: &str| Board::from_fen(fen).expect("a legal position");
    let mut group = c.benchmark_group("search");
    group.sample_size(10);
    let four = board("7k/1p3p2/4pNpB/1b2K3/3p4/8/8/8 w - -");
    group.bench_function("mate in 4", |b| {
        b.iter(|| black_box(mate_in(&four, 7, &options, &Budget::default())))
    });
    let ten = board("1N6/3Bpp2/1p3p2/bN1k4/3P3n/3K3p/p5p1/6nq w - -");
    group.bench_function("mate in 10", |b| {
        b.iter(|| black_box(solve(&ten, &options, &no_probe, &Budget::default())))
    });
    let wall = board("4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -");
    let holds = Options { wins: [false; 2], ..options.clone() };
    group.bench_function("wall", |b| {
        b.iter(|| black_box(solve(&wall, &holds, &no_probe, &Budget::default())))
    });
    group.finish();
}

criterion_group!(benches, searching);
criterion_main!(benches);
