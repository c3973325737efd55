//! `theta moves --unique`: the puzzle-maker's question. Along the main line, is each move of the side to move the only one
//! that keeps the value (win, draw or loss)? Slower wins count as duals.

use super::{Context, Exit};
use crate::chess::board::{Board, move_of};
use crate::chess::{Packed, Profile, Side, Vector, fen};
use crate::game::Value;
use crate::solve::{Evidence, Rated};
use serde::Serialize;
use std::collections::HashSet;
use std::io::Write;

/// A move of the main line.
#[derive(Debug, Serialize)]
struct Step {
    /// UCI notation.
    uci: String,
    /// Algebraic notation.
    san: String,
    /// Whether the puzzle's side makes it (else it is the reply that resists longest).
    owner: bool,
    /// The other moves that keep the value, in algebraic notation; empty for a reply.
    duals: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Report {
    fen: String,
    /// Whether the first move is the only one that keeps the value; null when not known.
    first_unique: Option<bool>,
    /// Whether every move of the side is; null when not known.
    unique: Option<bool>,
    /// The main line, to the end of the game or to a position that was there before.
    line: Vec<Step>,
}

/// Who wins, without the distance; the puzzle turns on this alone.
fn winner(rated: &Rated) -> Option<Option<Side>> {
    rated.value.map(|value| match value {
        Value::Wins(side, _) => Some(side),
        Value::Draw => None,
    })
}

fn report(root: &Vector, evidence: &Evidence, profile: Profile) -> Option<Report> {
    let mut board = Board::from_vector(root).ok()?;
    let (owner, mut line, mut seen) = (board.side_to_move(), Vec::new(), HashSet::<Packed>::new());
    let mut known = true;
    while seen.insert(board.packed()) {
        let rated = evidence.rate(&board.vector(), profile);
        if rated.iter().any(|r| r.value.is_none()) {
            known = false;
            break;
        }
        let Some(best) = rated.first() else { break };
        let ours = board.side_to_move() == owner;
        let keeps = rated[1..].iter().filter(|r| ours && winner(r) == winner(best));
        let duals = keeps.filter_map(|r| Some(board.san(board.find(r.play)?))).collect();
        let legal = board.find(best.play)?;
        line.push(Step { uci: move_of(&legal).to_string(), san: board.san(legal), owner: ours, duals });
        board.play(legal);
    }
    let sole = |step: &Step| step.duals.is_empty();
    let all = line.iter().all(sole);
    Some(Report {
        fen: fen(root),
        first_unique: line.first().map(sole),
        // One dual is enough for a no; a yes needs the whole line.
        unique: (!line.is_empty() && (known || !all)).then_some(all),
        line,
    })
}

/// Prints the answer for one position: yes 0, no 1, not known 3.
///
/// # Errors
/// Output that cannot be written.
pub(super) fn run(root: &Vector, evidence: &Evidence, profile: Profile, context: &Context) -> anyhow::Result<Exit> {
    let report = report(root, evidence, profile).ok_or_else(|| anyhow::anyhow!("the position cannot be played on"))?;
    context.clear_progress();
    if context.global.json {
        context.print_json(&report)?;
    } else {
        let mut out = context.out();
        let answer = |known: Option<bool>| known.map_or("not known", |yes| if yes { "yes" } else { "no" });
        writeln!(out, "first move unique: {}", answer(report.first_unique))?;
        writeln!(out, "all moves unique: {}", answer(report.unique))?;
        for step in &report.line {
            let duals = step.duals.join(" ");
            let note = if duals.is_empty() { String::new() } else { format!("  also: {duals}") };
            writeln!(out, "{}{}{note}", if step.owner { "" } else { "    " }, step.san)?;
        }
        out.flush()?;
    }
    Ok(match report.unique {
        Some(true) => Exit::Yes,
        Some(false) => Exit::No,
        None => Exit::Undecided,
    })
}
