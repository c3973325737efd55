//! The verdict and its report (the fields of `theta solve --json`, spec page 6).

use super::{Engine, Evidence};
use crate::chess::board::Board;
use crate::chess::{Move, Profile, Side, Vector, fen};
use crate::game::{Literal, Value};
use crate::limits::{Budget, StopReason};
use serde::Serialize;

/// The formula that is satisfiable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Formula {
    /// White wins.
    #[serde(rename = "theta1")]
    Theta1,
    /// A draw: Θ2* = Θ4*.
    #[serde(rename = "theta2+theta4")]
    Theta2And4,
    /// Black wins.
    #[serde(rename = "theta3")]
    Theta3,
    /// Not decided within the limits.
    #[serde(rename = "unknown")]
    Unknown,
}

/// What is proved of a position whose value is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Bound {
    /// White holds: Θ3 is not satisfiable.
    #[serde(rename = "white holds")]
    WhiteHolds,
    /// Black holds: Θ1 is not satisfiable.
    #[serde(rename = "black holds")]
    BlackHolds,
}

/// The answer to one position.
#[derive(Debug)]
pub struct Verdict {
    /// The position.
    pub root: Vector,
    /// The value, if decided. The plies of a win are an upper bound unless `shortest`.
    pub value: Option<Value>,
    /// Whether the plies of a win are proved to be the fewest.
    pub shortest: bool,
    /// The best first moves.
    pub best: Vec<Move>,
    /// Whether `best` names all of them.
    pub best_complete: bool,
    /// The links of the chain of aims that proves a win, in words and as aims; empty where another
    /// method does.
    pub chain: Vec<String>,
    /// What is proved when the value is not known.
    pub bounds: Vec<Bound>,
    /// Why it stopped, when not decided.
    pub stop: Option<StopReason>,
    /// The engine that decided.
    pub engine: Engine,
    /// Positions visited.
    pub positions: u64,
    /// Seconds taken.
    pub seconds: f64,
    /// The satisfiability of the printed formulas, if asked for.
    pub literal: Option<Literal>,
    /// What the certificate is made from.
    pub evidence: Evidence,
}

impl Verdict {
    /// A verdict that says nothing yet.
    pub(super) fn undecided(root: &Vector, budget: &Budget) -> Self {
        Self {
            root: *root,
            value: None,
            shortest: false,
            best: Vec::new(),
            best_complete: false,
            chain: Vec::new(),
            bounds: Vec::new(),
            stop: None,
            engine: Engine::Auto,
            positions: 0,
            seconds: budget.elapsed().as_secs_f64(),
            literal: None,
            evidence: Evidence::None,
        }
    }

    /// A verdict of an engine that ended at a limit and proved nothing.
    pub(super) fn stopped(
        root: &Vector,
        engine: Engine,
        reason: StopReason,
        positions: u64,
        budget: &Budget,
    ) -> Self {
        Self { stop: Some(reason), engine, positions, ..Self::undecided(root, budget) }
    }

    /// A verdict of an engine that knows the exact value of every position it leads to.
    pub(super) fn decided(
        root: &Vector,
        engine: Engine,
        value: Value,
        evidence: Evidence,
        positions: u64,
        profile: Profile,
        budget: &Budget,
    ) -> Self {
        let best = evidence.best(root, profile);
        Self {
            value: Some(value),
            shortest: true,
            best_complete: best.is_some(),
            best: best.unwrap_or_default(),
            evidence,
            engine,
            positions,
            ..Self::undecided(root, budget)
        }
    }

    /// The formula that is satisfiable.
    pub fn formula(&self) -> Formula {
        match self.value {
            Some(Value::Wins(Side::White, _)) => Formula::Theta1,
            Some(Value::Wins(Side::Black, _)) => Formula::Theta3,
            Some(Value::Draw) => Formula::Theta2And4,
            None => Formula::Unknown,
        }
    }

    /// The report, from which text and JSON are printed.
    pub fn report(&self) -> Report {
        let plies = match self.value {
            Some(Value::Wins(_, plies)) => Some(plies),
            _ => None,
        };
        let board = Board::from_vector(&self.root).ok();
        let san = |m: &Move| board.as_ref().and_then(|b| b.find(*m).map(|legal| b.san(legal)));
        Report {
            fen: fen(&self.root),
            verdict: self.formula(),
            value: match self.value {
                Some(Value::Wins(Side::White, _)) => Some("white"),
                Some(Value::Wins(Side::Black, _)) => Some("black"),
                Some(Value::Draw) => Some("draw"),
                None => None,
            },
            mate_plies: plies.filter(|_| self.shortest),
            mate_plies_at_most: plies.filter(|_| !self.shortest),
            best: self.best.iter().map(Move::to_string).collect(),
            best_complete: self.best_complete,
            best_san: self.best.iter().filter_map(san).collect(),
            chain: self.chain.clone(),
            bounds: self.bounds.clone(),
            stop: self.stop,
            engine: self.engine,
            positions: self.positions,
            seconds: self.seconds,
            peak_bytes: crate::limits::peak_memory(),
            certificate: None,
            literal: self.literal,
        }
    }
}

/// The fields of `theta solve --json`.
#[derive(Debug, Clone, Serialize)]
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
    /// What is proved when unknown.
    pub bounds: Vec<Bound>,
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
