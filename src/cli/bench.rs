//! `theta bench`: a fixed workload, its speed, and a signature that changes only when behaviour
//! does.

use super::{Context, Exit};
use anyhow::Context as _;
use serde::Serialize;
use std::io::Write;
use std::time::Instant;
use theta_chess::chess::{Profile, parse_fen, perft};
use theta_chess::game::{Game, Values};
use theta_chess::limits::{Budget, Limits, StopReason};
use theta_chess::solve::{Engine, Solver};
use theta_chess::tables::{Material, Tables};
use theta_chess::verify::verify;
use xxhash_rust::xxh3::Xxh3;

/// Arguments of `theta bench`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  theta bench --threads 1")]
pub struct Args {}

/// One part of the workload.
#[derive(Debug, Serialize)]
struct Row {
    name: &'static str,
    positions: u64,
    seconds: f64,
    positions_per_second: u64,
}

/// The report.
#[derive(Debug, Serialize)]
struct Report {
    parts: Vec<Row>,
    positions: u64,
    seconds: f64,
    signature: String,
}

struct Bench<'a> {
    context: &'a Context,
    /// `--threads`, and no other limit: the workload is fixed.
    budget: Budget,
    rows: Vec<Row>,
    hash: Xxh3,
}

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -";
const ROOK: &str = "8/8/8/8/8/1k6/7R/K7 b - -";
const WALL: &str = "4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -";

impl Bench<'_> {
    /// Runs one part; it answers with the positions it worked through and adds what it found to the
    /// signature.
    fn part(
        &mut self,
        name: &'static str,
        work: impl FnOnce(&Budget, &mut Xxh3) -> anyhow::Result<u64>,
    ) -> anyhow::Result<()> {
        self.context.explain(name);
        let start = Instant::now();
        let positions = work(&self.budget, &mut self.hash)?;
        let seconds = start.elapsed().as_secs_f64();
        self.hash.update(&positions.to_le_bytes());
        self.rows.push(Row {
            name,
            positions,
            seconds,
            positions_per_second: (positions as f64 / seconds) as u64,
        });
        Ok(())
    }
}

impl Args {
    /// Runs the command.
    ///
    /// # Errors
    /// Output that cannot be written.
    pub fn run(&self, context: &Context) -> anyhow::Result<Exit> {
        let budget = context.budget();
        let threads = budget.limits().threads;
        let budget = budget.limited(Limits::default().with_threads(threads));
        let mut bench = Bench { context, budget, rows: Vec::new(), hash: Xxh3::new() };
        if let Err(error) = run_parts(&mut bench) {
            if context.interrupted() || error.downcast_ref::<StopReason>().is_some() {
                return Ok(Exit::Interrupted);
            }
            return Err(error);
        }
        context.clear_progress();
        let report = Report {
            positions: bench.rows.iter().map(|r| r.positions).sum(),
            seconds: bench.rows.iter().map(|r| r.seconds).sum(),
            signature: format!("{:016x}", bench.hash.digest()),
            parts: bench.rows,
        };
        print(&report, context)
    }
}

fn run_parts(bench: &mut Bench<'_>) -> anyhow::Result<()> {
    bench.part("paper's move sets (perft 3)", |_, _| {
        Ok(perft(Profile::Fide, &parse_fen(KIWIPETE, Profile::Fide)?, 3))
    })?;
    bench.part("graph and fixpoints, KRvK", |budget, hash| {
        let game = Game::explore(&parse_fen(ROOK, Profile::Fide)?, Profile::Fide, budget)?;
        let values = Values::of(&game);
        (0..game.len()).for_each(|id| hash.update(format!("{:?}", values.value(id)).as_bytes()));
        Ok(game.len().into())
    })?;
    bench.part("table KRvKN with its sub-tables", |budget, hash| {
        let material: Material = "KRvKN".parse()?;
        let tables = Tables::in_memory();
        tables.ensure(material, budget)?;
        let stats = tables.stats(material, theta_chess::tables::Metric::Mate, false, budget)?;
        let text = format!("{stats:?}");
        hash.update(text.as_bytes());
        Ok(10_780_728 + 12_535_256)
    })?;
    bench.part("certificates written and verified", |budget, hash| {
        let solver = Solver::default().with_engine(Engine::Graph);
        let mut positions = 0;
        for fen in [ROOK, WALL] {
            let verdict = solver.solve(&fen.parse()?, budget)?;
            let certificate = verdict.certificate_within(budget)?;
            let mut bytes = Vec::new();
            certificate.write(&mut bytes)?;
            hash.update(&bytes);
            positions += verify(bytes.as_slice(), &mut |_| true)?.context("abandoned")?.positions;
        }
        Ok(positions)
    })
}

fn print(report: &Report, context: &Context) -> anyhow::Result<Exit> {
    if context.global.json {
        context.print_json(report)?;
        return Ok(Exit::Yes);
    }
    let mut out = context.out();
    for row in &report.parts {
        writeln!(
            out,
            "{:<36}{:>12} positions {:>8.3} s {:>12} positions/s",
            row.name, row.positions, row.seconds, row.positions_per_second
        )?;
    }
    writeln!(out, "{:<36}{:>12} positions {:>8.3} s", "total", report.positions, report.seconds)?;
    writeln!(out, "signature {}", report.signature)?;
    out.flush()?;
    Ok(Exit::Yes)
}
