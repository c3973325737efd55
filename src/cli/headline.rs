//! A verdict in one line.

use super::counted;
use std::io::{self, Write};
use theta_chess::solve::{Bound, Formula, Report};

/// The first line of a verdict: the formula and what it means.
pub(super) fn headline(report: &Report) -> String {
    let (formula, meaning) = match report.verdict {
        Formula::Theta1 => ("Θ1", "White wins"),
        Formula::Theta3 => ("Θ3", "Black wins"),
        Formula::Theta2And4 => return "Θ2* = Θ4*: a draw, both sides can hold for ever".into(),
        Formula::Unknown => {
            let why = report.stop.map_or_else(String::new, |s| format!(" ({s})"));
            let proved: Vec<&str> = report.bounds.iter().map(bound_text).collect();
            let rest = if proved.is_empty() {
                String::new()
            } else {
                format!("; proved: {}", proved.join(", "))
            };
            return format!("unknown{why}{rest}");
        }
    };
    let distance = match (report.mate_plies, report.mate_plies_at_most) {
        (Some(0), _) => ", mate on the board".into(),
        (Some(plies), _) => format!(", mate in {}", plies_text(plies)),
        (None, Some(plies)) => format!(", mate in at most {}", plies_text(plies)),
        (None, None) => String::new(),
    };
    format!("{formula}: {meaning}{distance}")
}

fn bound_text(bound: &Bound) -> &'static str {
    match bound {
        Bound::WhiteHolds => "White holds (Hold2)",
        Bound::BlackHolds => "Black holds (Hold4)",
    }
}

/// Plies with the winner's moves: "13 plies (7 moves)".
pub(super) fn plies_text(plies: u32) -> String {
    let moves = counted(plies.div_ceil(2).into(), "move", "moves");
    format!("{} ({moves})", counted(plies.into(), "ply", "plies"))
}

/// What an answer rests on beside the laws of chess and our own tables, a line each.
pub(super) fn print_relied(relies_on: &[String], out: &mut impl Write) -> io::Result<()> {
    relies_on.iter().try_for_each(|words| writeln!(out, "relies on {words}"))?;
    out.flush()
}
