//! A CTL aim over chess atoms, put to a position, and the positions at which it holds.

use super::work::{Attempt, Step, Task, internal, position, request, shown};
use crate::cli::check::{Question, Report, RulesArg};
use crate::cli::serve::asked::Asked;
use crate::cli::serve::error::ApiError;
use serde::Serialize;
use theta_chess::aim::Aim;
use theta_chess::check::states;
use theta_chess::chess::{Position, Profile, fen};
use theta_chess::limits::Budget;

request! {
    /// An aim put to a position.
    Request {
        /// The position: FEN, counters optional, underscores for spaces.
        fen: String,
        /// The aim, as `theta check` reads it.
        aim: String,
        /// Who chooses the moves: all, white or black (all).
        #[serde(default)]
        rules: Option<RulesArg>,
    }
}

/// Bytes of an aim.
const MAX_AIM: usize = 10_000;
/// Positions that are named.
const NAMED: usize = 100;

/// The work.
pub struct Check {
    root: Position,
    aim: Aim,
    rules: RulesArg,
    asked: Asked,
}

/// The report, with what the program prints, and where the aim holds.
#[derive(Serialize)]
struct Told<'a> {
    #[serde(flatten)]
    report: Report<'a>,
    /// The answer in words.
    text: String,
    /// The line that shows it, with move numbers.
    line_san: String,
    states: Option<Named>,
    /// Why the positions are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    states_why: Option<String>,
}

/// The positions of all legal play at which the aim holds.
#[derive(Serialize)]
struct Named {
    positions: u64,
    holds: u64,
    fens: Vec<String>,
}

impl Check {
    /// # Errors
    /// A request that cannot be read.
    pub fn new(request: Request) -> Result<Self, ApiError> {
        if request.aim.len() > MAX_AIM {
            let error = format!("an aim of more than {MAX_AIM} bytes: `theta check --aim FILE`");
            return Err(ApiError::too_large(error));
        }
        let aim = Aim::parse(&request.aim).map_err(|error| {
            ApiError::bad("bad_aim", format!("the aim `{}`: {error}", shown(&request.aim)))
        })?;
        let (root, rules) = (position(&request.fen)?, request.rules.unwrap_or(RulesArg::All));
        Ok(Self { root, aim, rules, asked: request.limits()? })
    }
}

impl Task for Check {
    fn asked(&self) -> Asked {
        self.asked
    }

    fn run(&mut self, at: &mut Attempt<'_>, budget: &Budget) -> Result<Step, ApiError> {
        let text = self.aim.to_string();
        let (root, aim) = (&self.root, &self.aim);
        let asked = Question { root, aim, rules: self.rules, profile: Profile::Fide };
        // The answer has most of the time; the list of positions what is left.
        let most =
            budget.remaining().map_or_else(|| budget.clone(), |left| budget.part(left / 4 * 3));
        let solver = at.desk.solver.clone();
        let report = asked.report(&text, || Ok(solver), &most).map_err(internal)?;
        let found = states(root.vector(), aim, Profile::Fide, NAMED, budget);
        let (named, why) = match found {
            Ok(found) => {
                let fens = found.first.iter().map(fen).collect();
                (Some(Named { positions: found.positions, holds: found.holds, fens }), None)
            }
            Err(stop) => (None, Some(format!("too many positions to list: {stop}"))),
        };
        at.tell(
            "result",
            &Told {
                text: report.text(false),
                line_san: report.line_text().to_string(),
                report,
                states: named,
                states_why: why,
            },
        );
        Ok(Step::Over)
    }
}
