//! The formulas of the locked wall (768 positions, 3,808 edges): printed in both forms, built in an
//! arena.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::io::{self, Write};
use theta_chess::chess::{Profile, parse_fen};
use theta_chess::ctl::{Arena, Syntax};
use theta_chess::game::Game;
use theta_chess::limits::Budget;
use theta_chess::theta::{Form, Theta, build, write};

/// Counts the bytes and throws them away.
struct Count(u64);

impl Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn wall() -> Game {
    let root =
        parse_fen("4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -", Profile::Fide).expect("a FEN");
    Game::explore(&root, Profile::Fide, &Budget::default()).expect("small")
}

fn print(c: &mut Criterion) {
    let game = wall();
    let mut group = c.benchmark_group("print theta1 of the wall");
    for (name, form) in [("compact", Form::Compact), ("expanded", Form::Expanded)] {
        let run = || {
            let mut out = Count(0);
            write(Theta::One, &game, form, Syntax::Ascii, &mut out).expect("nothing fails");
            out.0
        };
        group.throughput(Throughput::Bytes(run()));
        group.bench_function(name, |b| b.iter(run));
    }
    group.finish();
}

fn arena(c: &mut Criterion) {
    let game = wall();
    let mut group = c.benchmark_group("build theta1 of the wall");
    group.throughput(Throughput::Elements(game.len().into()));
    group.bench_function("arena", |b| {
        b.iter(|| black_box(build(&mut Arena::new(), Theta::One, &game)))
    });
    group.finish();
}

criterion_group!(benches, print, arena);
criterion_main!(benches);
