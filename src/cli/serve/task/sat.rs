//! Satisfiability of a CTL formula: a model with what is true in each state, or the conjuncts that
//! contradict one another.

use super::work::{Attempt, Step, Task, request};
use crate::cli::sat::{Parts, Report, headline};
use crate::cli::serve::asked::Asked;
use crate::cli::serve::error::ApiError;
use serde::Serialize;
use std::time::Duration;
use theta_chess::ctl::{Arena, Atoms, Id, Notation, Parsed, Symbol, lookalike, parse_reader};
use theta_chess::export::model::{Facts, Layout, MOST_STATES, Picture};
use theta_chess::kripke::Kripke;
use theta_chess::limits::{Budget, StopReason};
use theta_chess::specification::smallest;
use theta_chess::tableau::{Answer, Options, satisfiable};

request! {
    /// A formula.
    Request {
        /// The formula, as `theta sat` reads it.
        formula: String,
        /// Ask for a model without dead ends.
        #[serde(default)]
        total: Option<bool>,
        /// Ask whether the formula is true in every model.
        #[serde(default)]
        valid: Option<bool>,
    }
}

/// Bytes of a formula.
const MAX_TEXT: usize = 256 << 10;
/// States up to which a least model is looked for.
const SMALL: u32 = 6;

/// The work.
pub struct Sat {
    arena: Arena,
    parsed: Parsed,
    warnings: Vec<String>,
    bytes: u64,
    total: bool,
    valid: bool,
    asked: Asked,
}

/// The report with its model, or the reason why there is none.
#[derive(Serialize)]
struct Told {
    #[serde(flatten)]
    report: Report,
    /// The line that the program prints.
    headline: String,
    /// Variables that look like something else.
    warnings: Vec<String>,
    subformulas: Vec<String>,
    model: Option<Model>,
    /// Why a model is not shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    model_why: Option<String>,
    /// Why there is no model.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<Reason>,
}

/// A model, and where its states are drawn.
#[derive(Serialize)]
struct Model {
    #[serde(flatten)]
    facts: Facts,
    layout: Layout,
}

/// Conjuncts that cannot all be true.
#[derive(Serialize)]
struct Reason {
    core: Vec<String>,
    /// Whether none of them can be left out.
    minimal: bool,
    words: String,
}

impl Sat {
    /// # Errors
    /// A request that cannot be read.
    pub fn new(request: Request) -> Result<Self, ApiError> {
        let text = &request.formula;
        if text.len() > MAX_TEXT {
            let error = format!("a formula of more than {} KiB: `theta sat FILE`", MAX_TEXT >> 10);
            return Err(ApiError::too_large(error));
        }
        let mut arena = Arena::new();
        let parsed = parse_reader(&mut arena, text.as_bytes(), Atoms::Names, Notation::Auto)
            .map_err(|error| ApiError::bad("bad_formula", error.to_string()))?;
        let warning = |&(symbol, place): &(Symbol, _)| {
            let name = arena.name(symbol);
            let meant = lookalike(name)?;
            Some(format!("{place}: `{name}` is read as a variable; `{meant}` is meant?"))
        };
        let warnings = parsed.variables.iter().filter_map(warning).take(20).collect();
        let (total, valid) = (request.total.unwrap_or(false), request.valid.unwrap_or(false));
        let (bytes, asked) = (text.len() as u64, request.limits()?);
        Ok(Self { arena, parsed, warnings, bytes, total, valid, asked })
    }

    fn options(&self) -> Options {
        // The model is waited for.
        Options { total: self.total, patience: Duration::MAX, ..Options::default() }
    }

    /// Conjuncts that contradict one another, none of which can be left out.
    fn reason(&mut self, budget: &Budget) -> Option<Reason> {
        let options = self.options();
        let parts = Parts::of(&mut self.arena, &self.parsed, self.valid);
        let found = parts.core(&mut self.arena, &options, budget)?;
        let words = match (found.conjuncts.len(), found.of) {
            (1, 1) => "no state satisfies it".to_string(),
            (1, all) => format!("one of the {all} conjuncts has no model by itself"),
            (n, all) if n == all => format!("its {all} conjuncts cannot all be true"),
            (n, all) => format!("{n} of the {all} conjuncts cannot all be true"),
        };
        let core = found.conjuncts.iter().map(|part| part.line()).collect();
        Some(Reason { core, minimal: found.minimal, words })
    }

    /// The model with what is true in each state.
    fn model(&mut self, asked: Id, model: &Kripke, budget: &Budget) -> Result<Shown, StopReason> {
        let small = smallest(&mut self.arena, asked, model, self.total, SMALL, budget)?.model;
        let picture = Picture::new(&mut self.arena, asked, &small, budget)?;
        let Picture { mut facts, layout, .. } = picture;
        Ok((std::mem::take(&mut facts.subformulas), Model { facts, layout }))
    }
}

/// The subformulas and the model.
type Shown = (Vec<String>, Model);

impl Task for Sat {
    fn asked(&self) -> Asked {
        self.asked
    }

    fn rank(&self) -> usize {
        self.arena.len()
    }

    fn is_quick(&self) -> bool {
        self.arena.len() < 10_000
    }

    fn run(&mut self, at: &mut Attempt<'_>, budget: &Budget) -> Result<Step, ApiError> {
        budget.progress().stage("states", None);
        let asked =
            if self.valid { self.arena.not(self.parsed.formula) } else { self.parsed.formula };
        let options = self.options();
        let outcome = satisfiable(&mut self.arena, asked, &options, budget);
        let mut report = Report::of(&outcome, self.valid, self.bytes, budget);
        if at.quick && matches!(outcome.answer, Answer::Unknown(_)) {
            return Ok(Step::GoOn);
        }
        let (mut subformulas, mut shown, mut model_why, mut reason) =
            (Vec::new(), None, None, None);
        match &outcome.answer {
            Answer::Satisfiable(Some(model)) if model.vertices() <= MOST_STATES => {
                match self.model(asked, model, budget) {
                    Ok((texts, model)) => {
                        report.show_states(model.facts.states.len() as u32);
                        (subformulas, shown) = (texts, Some(model));
                    }
                    Err(stop) => model_why = Some(stop.to_string()),
                }
            }
            Answer::Satisfiable(Some(model)) => {
                model_why = Some(format!("{} states are too many to draw", model.vertices()));
            }
            Answer::Satisfiable(None) => model_why = Some("it was not written down in time".into()),
            Answer::Unsatisfiable => reason = self.reason(budget),
            Answer::Unknown(_) => {}
        }
        let told = Told {
            headline: headline(&report),
            report,
            warnings: std::mem::take(&mut self.warnings),
            subformulas,
            model: shown,
            model_why,
            reason,
        };
        at.tell("result", &told);
        Ok(Step::Over)
    }
}
