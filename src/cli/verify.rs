//! `theta verify`: checks a certificate from scratch.

use super::{Context, Exit, counted};
use crate::chess::fen;
use crate::verify::verify;
use anyhow::Context as _;
use serde::Serialize;
use std::fs::File;
use std::io::{BufReader, Write};
use std::path::PathBuf;

/// Arguments of `theta verify`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  theta solve '7k/8/5K2/8/8/8/6Q1/8 w - -' --cert kqk.cert && theta verify kqk.cert")]
pub struct Args {
    /// The certificate; `-` is standard input.
    #[arg(value_name = "CERT")]
    file: PathBuf,
}

/// The report.
#[derive(Debug, Serialize)]
struct Report {
    accepted: bool,
    fen: Option<String>,
    claim: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    aim: Option<String>,
    positions: Option<u64>,
    reason: Option<String>,
    seconds: f64,
}

impl Args {
    /// Runs the command.
    ///
    /// # Errors
    /// A file that cannot be read or is no certificate.
    pub fn run(&self, context: &Context) -> anyhow::Result<Exit> {
        let budget = context.budget();
        let name = self.file.display().to_string();
        budget.progress().stage("checking positions", None);
        let mut go_on = |done: u64| {
            budget.progress().advance(done);
            budget.check(done, 0).is_ok()
        };
        let outcome = if name == "-" {
            verify(BufReader::new(std::io::stdin().lock()), &mut go_on)
        } else {
            let file = File::open(&self.file).with_context(|| name.clone())?;
            verify(BufReader::with_capacity(1 << 18, file), &mut go_on)
        };
        context.clear_progress();
        let seconds = budget.elapsed().as_secs_f64();
        let (report, exit) = match outcome {
            Err(error) if error.is_unreadable() => return Err(anyhow::Error::new(error).context(name)),
            Err(error) => {
                let reason = Some(error.to_string());
                (
                    Report { accepted: false, fen: None, claim: None, aim: None, positions: None, reason, seconds },
                    Exit::No,
                )
            }
            Ok(None) => {
                let why = budget.check(u64::MAX, 0).err().map_or_else(String::new, |s| s.to_string());
                context.say(&format!("{name}: not checked to the end: {why}"));
                return Ok(Exit::Undecided);
            }
            Ok(Some(proved)) => {
                proved.notes.iter().for_each(|note| context.explain(note));
                let report = Report {
                    accepted: true,
                    fen: Some(fen(&proved.root)),
                    claim: Some(proved.claim.to_string()),
                    aim: proved.aim,
                    positions: Some(proved.positions),
                    reason: None,
                    seconds,
                };
                (report, Exit::Yes)
            }
        };
        self.print(&report, context)?;
        Ok(exit)
    }

    fn print(&self, report: &Report, context: &Context) -> anyhow::Result<()> {
        if context.global.json {
            return context.print_json(report);
        }
        let mut out = context.out();
        match (&report.claim, &report.fen, &report.reason) {
            (Some(claim), Some(fen), _) => {
                let positions = report.positions.unwrap_or(0);
                writeln!(
                    out,
                    "accepted: {fen}: {claim}{} ({}, {:.2} s)",
                    report.aim.as_ref().map_or_else(String::new, |aim| format!(": {aim}")),
                    counted(positions, "position", "positions"),
                    report.seconds
                )?;
            }
            (_, _, reason) => writeln!(out, "rejected: {}", reason.as_deref().unwrap_or("no reason"))?,
        }
        out.flush()?;
        Ok(())
    }
}
