//! `theta prove`: proof by subgoals.

use super::{Context, Exit, PositionArgs, counted, write_whole};
use crate::aim::Aim;
use crate::chess::board::Board;
use crate::chess::{Profile, fen};
use crate::pioneer::image::Horizon;
use crate::solve::{Goal, Link, Proof, Prover, Zones};
use anyhow::Context as _;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

/// Arguments of `theta prove`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  theta prove '5rk1/5Npp/8/3Q4/8/8/8/7K w - -' --cert mate.cert && theta verify mate.cert"
)]
pub struct Args {
    #[command(flatten)]
    positions: PositionArgs,
    /// The aim to prove, of the form AF φ [default: whatever can be proved, the win first].
    #[arg(long)]
    aim: Option<String>,
    /// The first horizon of the zones in plies; it grows while time remains.
    #[arg(long, value_name = "H", default_value_t = 4)]
    horizon: u32,
    /// The attacker's moves: zones first and all moves at last, zones only, or all moves at once.
    #[arg(long, value_enum, default_value_t = ZonesArg::First)]
    zones: ZonesArg,
    /// Writes the certificate of a win, a hold or a draw.
    #[arg(long, value_name = "FILE")]
    cert: Option<PathBuf>,
}

/// How zones limit the attacker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ZonesArg {
    /// Zones first, all moves at last.
    First,
    /// Zones only.
    Only,
    /// All moves at once.
    Off,
}

/// The report of one position.
#[derive(Debug, Serialize)]
struct Report {
    fen: String,
    proved: bool,
    claim: Option<String>,
    first: Option<String>,
    links: Vec<Link>,
    positions: u64,
    seconds: f64,
    stop: Option<crate::limits::StopReason>,
    certificate: Option<String>,
}

impl Args {
    /// Runs the command.
    ///
    /// # Errors
    /// Bad input, an aim of another form, or output that cannot be written.
    pub fn run(&self, context: &Context) -> anyhow::Result<Exit> {
        let goal = match &self.aim {
            Some(text) => Some(Goal::of(Aim::parse(text).context("--aim")?).context("--aim")?),
            None => None,
        };
        let tables = context.tables()?;
        let zones = match self.zones {
            ZonesArg::First => Zones::First,
            ZonesArg::Only => Zones::Only,
            ZonesArg::Off => Zones::Off,
        };
        self.positions.for_each(context, Profile::Fide, |batch| {
            let board = Board::from_vector(&batch.position)?;
            let budget = context.budget();
            let mut prover = Prover::new(&tables, &budget, Horizon::new(self.horizon), zones);
            let proof = match &goal {
                Some(goal) => prover.prove_aim(&board, goal),
                None => prover.prove(&board),
            };
            let mut certificate = None;
            if let (Some(path), Some(proved)) = (&self.cert, &proof.certificate) {
                write_whole(path, |out| proved.write(out))?;
                certificate = Some(path.display().to_string());
            }
            context.clear_progress();
            let report = Report {
                fen: fen(&batch.position),
                proved: proof.complete,
                claim: proof.certificate.as_ref().map(|c| c.claim.to_string()),
                first: proof.first.and_then(|m| board.find(m)).map(|m| board.san(m)),
                positions: proof.positions,
                seconds: budget.elapsed().as_secs_f64(),
                stop: proof.stop,
                certificate,
                links: proof.links.clone(),
            };
            if context.global.json {
                context.print_json(&report)?
            } else {
                print_text(&report, context)?
            }
            Ok(exit(&proof, goal.is_some()))
        })
    }
}

fn exit(proof: &Proof, asked: bool) -> Exit {
    let something = !asked && (!proof.links.is_empty() || proof.certificate.is_some());
    if proof.complete || something { Exit::Yes } else { Exit::Undecided }
}

fn print_text(report: &Report, context: &Context) -> anyhow::Result<()> {
    let mut out = context.out();
    match (&report.claim, report.links.first()) {
        (Some(claim), _) => writeln!(out, "proved: {claim}")?,
        (None, Some(link)) => writeln!(out, "proved: {} in at most {} plies", link.claim, link.plies)?,
        (None, None) => {
            let why = report.stop.map_or_else(String::new, |s| format!(" ({s})"));
            writeln!(out, "nothing proved{why}")?;
        }
    }
    if let Some(first) = &report.first {
        writeln!(out, "first move: {first}")?;
    }
    for link in &report.links {
        let moves = link.horizon.map_or("all moves".to_string(), |h| format!("zones of {h} plies"));
        let ends = if link.ends == 0 { String::new() } else { format!(", {} ends", link.ends) };
        let indent = "  ".repeat(link.depth);
        writeln!(out, "{indent}{}: in at most {} plies{ends}, {moves}", link.claim, link.plies)?;
        writeln!(out, "{indent}  {}", link.aim)?;
        if link.depth > 0 {
            writeln!(out, "{indent}  from {}", link.fen)?;
        }
    }
    writeln!(out, "{}, {:.1} s", counted(report.positions, "position", "positions"), report.seconds)?;
    out.flush()?;
    Ok(())
}
