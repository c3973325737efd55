//! Studies, put to the engines that decide values.

use super::Posed;
use crate::cli::{Context, headline};
use serde::Serialize;
use std::io::Write;
use theta_chess::chess::{Outcome, Side, Value};
use theta_chess::problem::Status;
use theta_chess::solve::value_word;

/// The report of a study.
#[derive(Serialize)]
struct Study {
    fen: String,
    /// The problem's name in its file.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    stipulation: String,
    status: Status,
    /// Who wins, or null.
    value: Option<&'static str>,
    /// The best first moves in UCI notation.
    best: Vec<String>,
    stop: Option<theta_chess::StopReason>,
}

/// Decides whether White wins, or holds and no more.
///
/// # Errors
/// Tables that cannot be read, or output that cannot be written.
pub fn solve(posed: &Posed, claimed: Outcome, context: &Context) -> anyhow::Result<Status> {
    let solver = context.solver_on_syzygy()?;
    let verdict = solver.solve(&posed.position, context.question_budget())?;
    context.clear_progress();
    let status = match verdict.value().map(Value::outcome) {
        None => Status::Undecided,
        Some(outcome) if outcome == claimed => Status::Sound,
        Some(Outcome::Wins(Side::White)) => Status::Cook,
        Some(_) => Status::NoSolution,
    };
    let report = verdict.report();
    if context.global.json {
        context.print_json(&Study {
            fen: posed.position.to_string(),
            id: posed.label(),
            stipulation: posed.stipulation.to_string(),
            status,
            value: verdict.value().map(value_word),
            best: report.best.clone(),
            stop: verdict.stop(),
        })?;
        return Ok(status);
    }
    let mut out = context.out();
    writeln!(out, "{}", headline::headline(&report))?;
    if !report.best_san.is_empty() {
        writeln!(out, "best: {}", report.best_san.join(" "))?;
    }
    let said = match (status, claimed) {
        (Status::Sound, Outcome::Draw) => "White holds, as stipulated",
        (Status::Sound, _) => "White wins, as stipulated",
        (Status::Cook, _) => "more than stipulated: White wins",
        (Status::Undecided, _) => "undecided",
        _ => "no solution",
    };
    writeln!(out, "{said}")?;
    out.flush()?;
    Ok(status)
}
