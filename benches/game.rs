//! The main path: move generation, exploration, fixpoints, certificates.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use theta_chess::chess::{Board, Profile, parse_fen, successors};
use theta_chess::game::{Compact, Game, Graph, Values};
use theta_chess::limits::{Budget, Limits};
use theta_chess::solve::{Engine, Solver};
use theta_chess::verify::verify;

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -";
const ROOK: &str = "8/8/8/8/8/1k6/7R/K7 b - -";

fn one_thread() -> Budget {
    Budget::new(Limits::default().with_threads(1))
}

fn moves(c: &mut Criterion) {
    let mut group = c.benchmark_group("moves");
    for (name, fen) in [("kiwipete", KIWIPETE), ("three men", ROOK)] {
        let y = parse_fen(fen, Profile::Fide).unwrap();
        let board = Board::from_vector(&y).unwrap();
        group.throughput(Throughput::Elements(board.legal_moves().len() as u64));
        group.bench_function(format!("paper's predicates, {name}"), |b| {
            b.iter(|| successors(Profile::Fide, black_box(&y)).len());
        });
        group.bench_function(format!("bitboards, {name}"), |b| {
            b.iter(|| {
                let moves = black_box(&board).legal_moves().into_iter();
                moves.map(|m| board.after(m).packed().occupied).fold(0, |a, o| a ^ o)
            });
        });
    }
}

fn graph(c: &mut Criterion) {
    let y = parse_fen(ROOK, Profile::Fide).unwrap();
    let game = Game::explore(&y, Profile::Fide, &one_thread()).unwrap();
    let mut group = c.benchmark_group("graph");
    group.sample_size(10).throughput(Throughput::Elements(game.len().into()));
    group.bench_function("moves stored: explore KRvK", |b| {
        b.iter(|| Game::explore(&y, Profile::Fide, &one_thread()).unwrap());
    });
    group.bench_function("moves stored: fixpoints KRvK", |b| {
        b.iter(|| Values::within(black_box(&game), &one_thread()).unwrap());
    });
    let compact = Compact::explore(&y, &one_thread()).unwrap();
    assert_eq!(compact.positions(), game.len());
    group.bench_function("moves made: explore KRvK", |b| {
        b.iter(|| Compact::explore(&y, &one_thread()).unwrap());
    });
    group.bench_function("moves made: fixpoints KRvK", |b| {
        b.iter(|| Values::within(black_box(&compact), &one_thread()).unwrap());
    });
}

fn certificates(c: &mut Criterion) {
    let solver = Solver::default().with_engine(Engine::Tables);
    let verdict = solver.solve(&ROOK.parse().unwrap(), one_thread()).unwrap();
    let mut bytes = Vec::new();
    verdict.certificate_within(one_thread()).unwrap().write(&mut bytes).unwrap();
    let mut group = c.benchmark_group("certificate");
    group.bench_function("build KRvK", |b| {
        b.iter(|| verdict.certificate_within(one_thread()).unwrap())
    });
    group.bench_function("verify KRvK", |b| {
        b.iter_batched(
            || bytes.as_slice(),
            |file| verify(file, &mut |_| true).unwrap(),
            BatchSize::SmallInput,
        );
    });
}

criterion_group!(benches, moves, graph, certificates);
criterion_main!(benches);
