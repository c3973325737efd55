//! The report of a verdict: the fields of `theta solve --json`.

use super::{Bound, Engine, Formula, Verdict};
use crate::chess::Move;
use crate::chess::Value;
use crate::game::Literal;
use crate::limits::{StopReason, peak_memory};
use crate::prove::Link;
use serde::Serialize;

/// A verdict as it is printed, in text or in JSON.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The position.
    pub fen: String,
    /// The formula that is satisfiable.
    pub verdict: Formula,
    /// `white`, `draw`, `black` or null.
    pub value: Option<&'static str>,
    /// Plies to mate with best play, or null.
    pub mate_plies: Option<u32>,
    /// An upper bound of the plies to mate where the fewest are not known, or null.
    pub mate_plies_at_most: Option<u32>,
    /// The best first moves, UCI notation.
    pub best: Vec<String>,
    /// Whether `best` names all of them.
    pub best_complete: bool,
    /// The same moves in algebraic notation, for the text output.
    #[serde(skip)]
    pub best_san: Vec<String>,
    /// The links of the chain of aims that proves a win; left out where another method does.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub chain: Vec<String>,
    /// The Syzygy tables that it rests on; left out where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub relies_on: Vec<String>,
    /// What is proved when unknown.
    pub bounds: Vec<Bound>,
    /// The strongest aim that is proved where the value is not; left out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secured: Option<SecuredReport>,
    /// Why it stopped, or null.
    pub stop: Option<StopReason>,
    /// The engine that decided.
    pub engine: Engine,
    /// Positions visited.
    pub positions: u64,
    /// Seconds taken.
    pub seconds: f64,
    /// The most memory the process has held, in bytes.
    pub peak_bytes: Option<u64>,
    /// Where the certificate was written, or null.
    pub certificate: Option<String>,
    /// The printed formulas' satisfiability, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub literal: Option<Literal>,
}

/// The strongest aim that is proved, as it is printed.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct SecuredReport {
    /// Whose aim it is: `white` or `black`.
    pub side: &'static str,
    /// What is reached, in words.
    pub claim: String,
    /// The aim, in the syntax that `check` reads.
    pub aim: String,
    /// Within so many plies at most.
    pub plies: u16,
    /// The move that leads to it, UCI notation, or null.
    pub first: Option<String>,
    /// Where its certificate was written; left out where the certificate of the verdict is this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<String>,
    /// The same move in algebraic notation, for the text output.
    #[serde(skip)]
    pub first_san: Option<String>,
}

/// A value in the word of the JSON contract.
pub fn value_word(value: Value) -> &'static str {
    use crate::chess::Side;
    match value {
        Value::Wins(Side::White, _) => "white",
        Value::Wins(Side::Black, _) => "black",
        Value::Draw => "draw",
    }
}

impl Verdict {
    /// The report, from which text and JSON are printed.
    pub fn report(&self) -> Report {
        let plies = self.value.and_then(Value::plies);
        let board = self.root.board();
        let san = |m: &Move| board.find(*m).map(|legal| board.san(legal));
        Report {
            fen: self.root.to_string(),
            verdict: self.formula(),
            value: self.value.map(value_word),
            mate_plies: plies.filter(|_| self.shortest),
            mate_plies_at_most: plies.filter(|_| !self.shortest),
            best: self.best.iter().map(Move::to_string).collect(),
            best_complete: self.best_complete,
            best_san: self.best.iter().filter_map(san).collect(),
            chain: self.links.iter().map(Link::note).collect(),
            relies_on: self.relies_on.clone(),
            bounds: self.bounds.clone(),
            secured: self.secured().map(|secured| SecuredReport {
                side: value_word(Value::Wins(secured.side, 0)),
                claim: secured.claim.clone(),
                aim: secured.aim.clone(),
                plies: secured.plies,
                first: secured.first.map(|m| m.to_string()),
                certificate: None,
                first_san: secured.first.as_ref().and_then(san),
            }),
            stop: self.stop,
            engine: self.engine,
            positions: self.positions,
            seconds: self.seconds,
            peak_bytes: peak_memory(),
            certificate: None,
            literal: self.literal,
        }
    }
}
