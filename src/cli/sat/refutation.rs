//! `theta sat --proof` and `--check`: refutations written and checked.

use super::{Context, Exit, counted};
use crate::cli::context::write_whole;
use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use theta_chess::ctl::{Arena, Id};
use theta_chess::limits::{Budget, StopReason};
use theta_chess::refutation::{Accepted, Fault, Rejected, check};
use theta_chess::tableau::{Refutation, Size};

/// A refutation that was written.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Written {
    file: String,
    #[serde(flatten)]
    size: Size,
}

impl Written {
    pub(super) fn is_stdout(&self) -> bool {
        self.file == "-"
    }

    /// As a line.
    pub(super) fn line(&self) -> String {
        format!(
            "refutation: {} ({}, {})",
            self.file,
            counted(self.size.steps, "step", "steps"),
            counted(self.size.bytes, "byte", "bytes")
        )
    }
}

/// Writes a refutation, whole or not at all.
pub(super) fn write(refutation: &Refutation, path: &Path) -> anyhow::Result<Written> {
    let mut size = Size::default();
    write_whole(path, |out| {
        size = refutation.write(out)?;
        Ok(())
    })?;
    Ok(Written { file: path.display().to_string(), size })
}

/// What came of a check.
#[derive(Debug, Serialize, Deserialize)]
struct Report {
    accepted: bool,
    /// Whether it is about total models only.
    total: Option<bool>,
    nodes: Option<u64>,
    steps: Option<u64>,
    /// Why it is rejected, and where.
    reason: Option<String>,
    line: Option<u64>,
    step: Option<u64>,
    seconds: f64,
}

/// Checks a refutation of a formula; with `total`, one about total models will do.
pub(super) fn verify(
    path: &Path,
    arena: &Arena,
    formula: Id,
    total: bool,
    budget: &Budget,
    context: &Context,
) -> anyhow::Result<Exit> {
    let name = path.display().to_string();
    let text: Box<dyn BufRead> = if path.as_os_str() == "-" {
        Box::new(std::io::stdin().lock())
    } else {
        Box::new(BufReader::with_capacity(1 << 16, File::open(path).with_context(|| name.clone())?))
    };
    budget.progress().stage("checking lines", None);
    let mut stopped: Option<StopReason> = None;
    let mut goes_on = |line: u64| {
        budget.progress().advance(line);
        stopped = budget.check(0, 0).err();
        stopped.is_none()
    };
    let found = match goes_on(0) {
        true => check(text, arena, formula, &mut goes_on),
        false => Err(Rejected { line: 0, step: None, fault: Fault::Interrupted }),
    };
    context.clear_progress();
    let seconds = budget.elapsed().as_secs_f64();
    let report = match found {
        Ok(Accepted { total: true, .. }) if !total => Report {
            accepted: false,
            total: Some(true),
            nodes: None,
            steps: None,
            reason: Some("it is about total models only: say --total".into()),
            line: None,
            step: None,
            seconds,
        },
        Ok(Accepted { total, nodes, steps }) => Report {
            accepted: true,
            total: Some(total),
            nodes: Some(nodes),
            steps: Some(steps),
            reason: None,
            line: None,
            step: None,
            seconds,
        },
        Err(Rejected { fault: Fault::Interrupted, .. }) => {
            let why = stopped.map_or_else(String::new, |stop| format!(": {stop}"));
            context.say(&format!("{name}: not checked to the end{why}"));
            return Ok(Exit::Undecided);
        }
        Err(rejected) if matches!(rejected.fault, Fault::Input(_) | Fault::Header) => {
            return Err(anyhow::Error::new(rejected.fault).context(name));
        }
        Err(rejected) => Report {
            accepted: false,
            total: None,
            nodes: None,
            steps: None,
            reason: Some(rejected.to_string()),
            line: Some(rejected.line),
            step: rejected.step,
            seconds,
        },
    };
    print(&report, context)?;
    Ok(if report.accepted { Exit::Yes } else { Exit::No })
}

fn print(report: &Report, context: &Context) -> anyhow::Result<()> {
    if context.global.json {
        return context.print_json(report);
    }
    let line = match (&report.reason, report.nodes, report.steps) {
        (None, Some(nodes), Some(steps)) => {
            let models = if report.total == Some(true) { "no total model" } else { "no model" };
            format!(
                "accepted: {models} ({}, {}, {:.2} s)\n",
                counted(nodes, "formula", "formulas"),
                counted(steps, "step", "steps"),
                report.seconds
            )
        }
        (reason, ..) => format!("rejected: {}\n", reason.as_deref().unwrap_or_default()),
    };
    context.print(line.as_bytes()).map(drop)
}
