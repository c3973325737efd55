//! Chess problems by kind: all solutions with their variations, and the certificate of the keys.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;
use theta_chess::Limits;
use theta_chess::chess::Position;
use theta_chess::problem::{Bounded, Stipulation, Wishes, prove_keys, solve};

/// One of each kind, of ordinary size.
const PROBLEMS: [(&str, &str); 8] = [
    ("#2", "2B5/8/2pNpKp1/2BkPb2/1PpP3n/P5rp/8/1N6 w - -"),
    ("#3", "1b3q1n/2pb2r1/4P3/r3pp2/3PP2p/P1NkPNP1/Q2B4/R3K2R w KQ -"),
    ("s#2", "6b1/Qp1PPqp1/n2K1pPB/2N3R1/4p1P1/1P2k1nB/1PR1pN1b/4r1r1 w - -"),
    ("s#3", "2K3nr/1PPpp2p/3R3p/3pNPkP/3P4/3PP2Q/8/3B4 w - -"),
    ("r#2", "4B3/4p3/4k3/2P1q1P1/4Q3/1p5p/1P5P/1RN1K1NR w K -"),
    ("h#2", "8/1B6/3p1P1q/4ppB1/1p3b2/1Pk3p1/2P4p/1K6 b - -"),
    ("h#3", "8/4N3/2p1kB2/3b4/5P2/2K5/8/8 b - -"),
    ("ser-h#6", "8/8/4K3/8/2kpn3/2rb2B1/8/8 b - -"),
];

fn read(fen: &str, asked: &str) -> (Position, Bounded) {
    let Ok(Stipulation::Bounded(bounded)) = asked.parse() else { panic!("{asked} is bounded") };
    (fen.parse().expect("a legal position"), bounded)
}

fn problems(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("problem");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(2))
        .warm_up_time(Duration::from_millis(100));
    for (asked, fen) in PROBLEMS {
        let (position, bounded) = read(fen, asked);
        group.bench_function(BenchmarkId::new("solve", asked), |bencher| {
            bencher.iter(|| {
                let found = solve(&position, &bounded, &Wishes::default(), Limits::default());
                black_box(found.solutions.len())
            });
        });
    }
    for (asked, fen) in &PROBLEMS[..4] {
        let (position, bounded) = read(fen, asked);
        group.bench_function(BenchmarkId::new("certify", *asked), |bencher| {
            bencher.iter(|| {
                let keys = prove_keys(&position, &bounded, Limits::default());
                black_box(keys.map(|keys| keys.delays.len()).ok())
            });
        });
    }
    group.finish();
}

criterion_group!(benches, problems);
criterion_main!(benches);
