//! `theta verify`: checks a certificate from scratch.

use super::cited::Citations;
use super::context::write_whole;
use super::intake::{self, Intake};
use super::{Context, Exit, counted};
use anyhow::Context as _;
use serde::Serialize;
use std::cell::Cell;
use std::io::Write;
use std::path::PathBuf;
use theta_chess::certificate::{Certificate as Held, Claim, Form};
use theta_chess::chess::{UNMEASURED, fen};
use theta_chess::limits::{Budget, StopReason};
use theta_chess::strategy::Citation;
use theta_chess::verify::{Accepted, Rejection, memory, verify_read};
use theta_kernel::Certificate;

/// Arguments of `theta verify`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  theta solve '7k/8/5K2/8/8/8/6Q1/8 w - -' --cert kqk.cert && theta verify kqk.cert"
)]
pub struct Args {
    /// The certificate; `-` is standard input.
    #[arg(value_name = "CERT")]
    file: PathBuf,
    /// Believe the tables in the cache directory against which cited rules are proved; else every
    /// value of a stored table is checked before it is used.
    #[arg(long)]
    trust_cache: bool,
    /// Write an accepted certificate of format 1 to 3 as one of format 4, which `theta-verify`
    /// reads.
    #[arg(long, value_name = "FILE")]
    convert: Option<PathBuf>,
    /// With --convert: how strategies are written.
    #[arg(long, value_enum, value_name = "FORM", requires = "convert")]
    form: Option<Written>,
}

/// How a converted certificate writes strategies.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Written {
    /// With a move for each position, as `theta-proved` reads them.
    Moves,
    /// By slices: positions without moves, a tenth of the bytes or less.
    Slices,
}

impl From<Written> for Form {
    fn from(form: Written) -> Self {
        match form {
            Written::Moves => Self::Moves,
            Written::Slices => Self::Slices,
        }
    }
}

/// The report.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    accepted: bool,
    fen: Option<String>,
    claim: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    aim: Option<String>,
    /// Where keys are claimed, all of them in UCI notation.
    #[serde(skip_serializing_if = "Option::is_none")]
    keys: Option<Vec<String>>,
    positions: Option<u64>,
    /// The Syzygy tables that it relies on; each leaf was put to them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    relies_on: Vec<String>,
    /// The rules that it cites; they were proved against tables.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rules: Vec<Cited>,
    reason: Option<String>,
    seconds: f64,
}

/// What came of a check.
pub(super) enum Outcome {
    /// The claim is true.
    Accepted(Accepted),
    /// The certificate proves nothing.
    Rejected(Rejection),
    /// Not checked to the end: a limit, or a damaged table that it cites.
    Open(Option<StopReason>),
}

/// A rule that a certificate cites.
#[derive(Debug, Serialize)]
pub(super) struct Cited {
    rule: String,
    /// Positions in which it ended lines.
    positions: u64,
    /// "tables solved now", "stored tables, checked", "stored tables, not checked" or "Syzygy".
    checked_against: String,
}

impl Cited {
    fn of((rule, positions): (String, u64), citations: Option<&Citations>) -> Self {
        let checked_against =
            citations.map_or_else(String::new, |citations| citations.checked_against(&rule));
        Self { rule, positions, checked_against }
    }
}

impl Args {
    /// Runs the command.
    ///
    /// # Errors
    /// A file that cannot be read or is no certificate.
    pub fn run(&self, context: &Context) -> anyhow::Result<Exit> {
        let budget = context.budget();
        let name = self.file.display().to_string();
        let bytes = match intake::read(&self.file, &budget)? {
            Intake::Whole(bytes, None) => bytes,
            Intake::Whole(bytes, Some(version)) => {
                context.say(&format!("{name}: format {version}, checked as format 4"));
                bytes
            }
            Intake::Stopped(stop) => {
                context.say(&format!("{name}: not checked to the end: {stop}"));
                return Ok(Exit::Undecided);
            }
            Intake::Rejected(fault) => {
                let found = Outcome::Rejected(fault.into());
                return self.conclude(found, None, &name, &budget, context);
            }
        };
        let citations = Citations::new(self.trust_cache, context)?;
        let found = examine(&bytes, &citations, context, &budget);
        if let (Some(path), Outcome::Accepted(_)) = (&self.convert, &found) {
            match self.form {
                None => write_whole(path, |out| out.write_all(&bytes))?,
                Some(form) => {
                    let held = Held::read(&bytes).context("--form is for strategies")?;
                    write_whole(path, |out| held.write_as(form.into(), out))?;
                }
            }
        }
        self.conclude(found, Some(&citations), &name, &budget, context)
    }

    /// Says what came of it.
    fn conclude(
        &self,
        outcome: Outcome,
        citations: Option<&Citations>,
        name: &str,
        budget: &Budget,
        context: &Context,
    ) -> anyhow::Result<Exit> {
        context.clear_progress();
        let seconds = budget.elapsed().as_secs_f64();
        let (report, exit) = match outcome {
            Outcome::Rejected(error) if error.is_unreadable() => {
                return Err(anyhow::Error::new(error).context(name.to_string()));
            }
            Outcome::Rejected(error) => (Report::of_fault(&error, seconds), Exit::No),
            Outcome::Open(stop) => {
                let why = stop.map_or_else(|| "abandoned".to_string(), |stop| stop.to_string());
                context.say(&format!("{name}: not checked to the end: {why}"));
                return Ok(Exit::Undecided);
            }
            Outcome::Accepted(proved) => {
                proved.notes.iter().for_each(|note| context.explain(note));
                (Report::of_proof(proved, citations, seconds), Exit::Yes)
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
                    "accepted: {fen}: {claim}{}{}{}{} ({}, {:.2} s)",
                    report.aim.as_ref().map_or_else(String::new, |aim| format!(": {aim}")),
                    listed(report.keys.as_deref()),
                    by_rules(&report.rules),
                    relied_on(&report.relies_on),
                    counted(positions, "position", "positions"),
                    report.seconds
                )?;
                for Cited { rule, positions, .. } in
                    report.rules.iter().filter(|_| context.global.verbose)
                {
                    writeln!(
                        out,
                        "  {} ended by {rule}",
                        counted(*positions, "position", "positions")
                    )?;
                }
            }
            (_, _, reason) => {
                writeln!(out, "rejected: {}", reason.as_deref().unwrap_or("no reason"))?
            }
        }
        out.flush()?;
        Ok(())
    }
}

impl Report {
    /// Whether the claim is proved.
    #[cfg(feature = "serve")]
    pub(super) fn is_accepted(&self) -> bool {
        self.accepted
    }

    /// Of a certificate that proves nothing.
    pub(super) fn of_fault(error: &Rejection, seconds: f64) -> Self {
        Self {
            accepted: false,
            fen: None,
            claim: None,
            aim: None,
            keys: None,
            positions: None,
            relies_on: Vec::new(),
            rules: Vec::new(),
            reason: Some(error.to_string()),
            seconds,
        }
    }

    /// Of a certificate that is accepted.
    pub(super) fn of_proof(proved: Accepted, citations: Option<&Citations>, seconds: f64) -> Self {
        let tables = proved.rules.iter().filter_map(|(text, _)| Citation::read(text));
        Self {
            accepted: true,
            fen: Some(fen(&proved.root)),
            relies_on: tables.map(|table| table.words()).collect(),
            claim: Some(claim(proved.claim)),
            aim: proved.aim,
            keys: proved.keys.map(|keys| keys.iter().map(ToString::to_string).collect()),
            positions: Some(proved.positions),
            rules: proved.rules.into_iter().map(|cited| Cited::of(cited, citations)).collect(),
            reason: None,
            seconds,
        }
    }
}

/// Has the kernel check a certificate of format 4.
pub(super) fn examine(
    bytes: &[u8],
    citations: &Citations,
    context: &Context,
    budget: &Budget,
) -> Outcome {
    budget.progress().stage("checking positions", None);
    let held = Cell::new(bytes.len() as u64);
    let mut go_on = |done: u64| {
        budget.progress().advance(done);
        budget.check(done, held.get()).is_ok()
    };
    let mut prove = |texts: &[String]| citations.prove(texts, budget, context);
    let outcome = Certificate::read(bytes).map_err(Rejection::from).and_then(|certificate| {
        // As many threads as there is memory for. A limit that is reached here is seen before any
        // work is done.
        let fits = |threads: &usize| {
            held.set(bytes.len() as u64 + memory(&certificate, *threads));
            budget.check(0, held.get()).is_ok()
        };
        match (1..=budget.limits().threads).rev().find(fits) {
            Some(threads) => verify_read(certificate, threads, &mut prove, &mut go_on),
            None => Ok(None),
        }
    });
    let stopped = budget.check(0, held.get()).err();
    context.name_faults();
    match outcome {
        // A line that a damaged table should have ended says nothing about the certificate.
        Err(_) if context.has_faults() && !cited_tables(bytes).is_empty() => Outcome::Open(None),
        Err(fault) => Outcome::Rejected(fault),
        Ok(None) => Outcome::Open(stopped),
        Ok(Some(accepted)) => Outcome::Accepted(accepted),
    }
}

/// The Syzygy tables that a certificate cites.
fn cited_tables(bytes: &[u8]) -> Vec<String> {
    let rules = Certificate::read(bytes).map_or_else(|_| Vec::new(), |read| read.rules);
    rules.into_iter().filter(|text| Citation::read(text).is_some()).collect()
}

/// What a rule that is a Syzygy table was checked against.
const SYZYGY: &str = "Syzygy";

/// What is claimed; without a length where a table that knows none ends a line.
fn claim(claim: Claim) -> String {
    match claim {
        Claim::Wins(side, UNMEASURED..) => format!("{side} wins"),
        claim => claim.to_string(),
    }
}

/// The keys that were found.
fn listed(keys: Option<&[String]>) -> String {
    match keys {
        None => String::new(),
        Some([]) => "; keys: none".into(),
        Some(keys) => format!("; keys: {}", keys.join(" ")),
    }
}

/// The Syzygy tables that a proof relies on.
fn relied_on(words: &[String]) -> String {
    if words.is_empty() { String::new() } else { format!("; relying on {}", words.join(", ")) }
}

/// How much of the proof is the rules': they were checked against tables, and not by the kernel.
fn by_rules(rules: &[Cited]) -> String {
    let rules: Vec<&Cited> = rules.iter().filter(|cited| cited.checked_against != SYZYGY).collect();
    if rules.is_empty() {
        return String::new();
    }
    let ended = counted(rules.iter().map(|cited| cited.positions).sum(), "position", "positions");
    let many = counted(rules.len() as u64, "proved rule", "proved rules");
    let believed = rules.iter().any(|cited| cited.checked_against == "stored tables, not checked");
    let against = if believed { "stored tables that were not checked" } else { "tables" };
    format!("; {ended} by {many}, checked against {against}")
}
