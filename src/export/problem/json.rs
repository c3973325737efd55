//! A solved problem as one JSON object.

use crate::chess::{Position, Side};
use crate::limits::StopReason;
use crate::problem::{Attack, Script, Solution, Solved, Status, Variation};
use serde::Serialize;

/// What `theta problem --json` prints of a bounded stipulation.
#[derive(Debug, Serialize)]
pub struct Report<'a> {
    fen: String,
    /// The problem's name in its file.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    stipulation: String,
    /// The stipulation in words.
    task: String,
    /// The same in CTL over the game graph.
    formula: String,
    /// The side that begins.
    #[serde(serialize_with = "crate::chess::serialize_side")]
    mover: Side,
    status: Status,
    intended: usize,
    solutions: &'a [Solution],
    /// Whether there are more than are listed.
    more: bool,
    short: &'a [Solution],
    /// Plies of the short solutions, or null.
    short_plies: Option<usize>,
    set_variations: &'a [Variation],
    set_lines: &'a [Solution],
    tries: &'a [Attack],
    duals: usize,
    positions: u64,
    stop: Option<StopReason>,
}

impl<'a> Report<'a> {
    /// The report of a problem; `id` is its name in its file.
    pub fn new(position: &Position, id: Option<&'a str>, solved: &'a Solved) -> Self {
        Self {
            fen: position.to_string(),
            id,
            stipulation: solved.stipulation.to_string(),
            task: super::text::task(solved),
            formula: Script::new(&solved.stipulation).formula(solved.mover),
            mover: solved.mover,
            status: solved.status(),
            intended: solved.intended,
            solutions: &solved.solutions,
            more: solved.more,
            short: &solved.short,
            short_plies: solved.short_plies,
            set_variations: &solved.set_variations,
            set_lines: &solved.set_lines,
            tries: &solved.tries,
            duals: solved.duals,
            positions: solved.positions,
            stop: solved.stop,
        }
    }
}
