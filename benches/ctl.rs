//! CTL text: bytes per second of parsing and printing, formulas per second of normal forms, and
//! model checking against the size of the structure.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::fmt::Write;
use std::hint::black_box;
use std::io::sink;
use theta_chess::ctl::{Arena, Atoms, Notation, Syntax, parse, parse_reader, write_formula};
use theta_chess::kripke::{Kripke, Rows};
use theta_chess::limits::Budget;
use theta_chess::modelcheck::satisfying;

/// Definitions of complete cubes over 269 variables, as the compact form of Θ has them, all
/// different.
fn cubes(count: u32) -> String {
    let mut text = String::new();
    for cube in 0..count {
        write!(text, "let P{cube} = ").unwrap();
        for variable in 0..269 {
            let sign =
                if cube.wrapping_mul(2_654_435_761) >> (variable % 32) & 1 == 0 { "~" } else { "" };
            let and = if variable == 0 { "" } else { " & " };
            write!(text, "{and}{sign}p{variable}").unwrap();
        }
        text.push_str(";\n");
    }
    text.push('T');
    text
}

/// Temporal formulas of some thirty nodes each, in one conjunction.
fn small(count: u32) -> String {
    let clause = |i: u32| {
        let (p, q, r) = (i % 97, i % 89, i % 83);
        format!(
            "AG (p{p} & ~p{q} -> A[p{r} U (EX p{q} | AF ~p{p})]) | E[p{q} R (p{p} <-> EG p{r})]"
        )
    };
    (0..count).map(|i| format!("({})", clause(i))).collect::<Vec<_>>().join(" &\n")
}

fn text(c: &mut Criterion) {
    let mut group = c.benchmark_group("ctl text");
    group.sample_size(20);
    for (name, text) in [("cubes", cubes(4000)), ("small", small(50_000))] {
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(BenchmarkId::new("parse", name), |b| {
            b.iter(|| {
                parse_reader(
                    &mut Arena::new(),
                    black_box(text.as_bytes()),
                    Atoms::Names,
                    Notation::Auto,
                )
                .unwrap()
            });
        });
    }
    let mut arena = Arena::new();
    let text = small(50_000);
    let formula = parse(&mut arena, &text).unwrap();
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("print", |b| {
        b.iter(|| write_formula(&arena, formula, Syntax::Ascii, &mut sink()).unwrap())
    });
    group.throughput(Throughput::Elements(arena.len() as u64));
    group.bench_function("nnf", |b| b.iter(|| black_box(&mut arena.clone()).nnf(formula)));
    group.finish();
}

/// A structure of `vertices` vertices with four pseudo-random successors each; symbol 0 at every
/// 97th.
fn random(vertices: u32) -> Kripke {
    let mut rows = Rows::default();
    let mut state = 1_u32;
    for _ in 0..vertices {
        for _ in 0..4 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            rows.push(((u64::from(state) * u64::from(vertices)) >> 32) as u32);
        }
        rows.end_row();
    }
    let mut kripke = Kripke::new(rows, 1, 0);
    (0..vertices).step_by(97).for_each(|vertex| kripke.set(vertex, 0));
    kripke
}

fn modelcheck(c: &mut Criterion) {
    let mut group = c.benchmark_group("modelcheck");
    group.sample_size(10);
    let mut arena = Arena::new();
    let formula = parse(&mut arena, "AG EF p & A[AF p U EG ~p]").unwrap();
    for vertices in [10_000, 100_000, 1_000_000] {
        let kripke = random(vertices);
        group.throughput(Throughput::Elements(u64::from(vertices)));
        group.bench_function(BenchmarkId::from_parameter(vertices), |b| {
            b.iter(|| satisfying(&arena, formula, black_box(&kripke), &Budget::default()).unwrap());
        });
    }
    group.finish();
}

criterion_group!(benches, text, modelcheck);
criterion_main!(benches);
