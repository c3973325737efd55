//! Satisfiability of a CTL formula: a model with what is true in each state, or the conjuncts that
//! contradict one another.

use super::work::{Attempt, Step, Task, request};
use crate::cli::sat::{Report, headline};
use crate::cli::serve::asked::Asked;
use crate::cli::serve::error::ApiError;
use serde::Serialize;
use std::collections::HashMap;
use std::time::Duration;
use theta_chess::ctl::{Arena, Atoms, Id, Node, Symbol, Syntax, lookalike, parse_reader, to_text};
use theta_chess::kripke::Kripke;
use theta_chess::limits::{Budget, StopReason};
use theta_chess::modelcheck::satisfying;
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
/// States of a model that is drawn, and subformulas that are named.
const MAX_STATES: u32 = 500;
const MAX_SUBFORMULAS: usize = 200;
/// Characters of a subformula that is written out.
const MAX_SHOWN: usize = 400;
/// Conjuncts among which a contradiction is looked for.
const MAX_CONJUNCTS: usize = 60;

/// The work.
pub struct Sat {
    arena: Arena,
    formula: Id,
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

/// A model.
#[derive(Serialize)]
struct Model {
    root: u32,
    states: Vec<State>,
}

/// A state of a model.
#[derive(Serialize)]
struct State {
    /// The variables that are true in it.
    r#true: Vec<String>,
    successors: Vec<u32>,
    /// The subformulas that are true in it, by their places.
    holds: Vec<usize>,
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
        let parsed = parse_reader(&mut arena, text.as_bytes(), Atoms::Names)
            .map_err(|error| ApiError::bad("bad_formula", error.to_string()))?;
        let warning = |&(symbol, place): &(Symbol, _)| {
            let name = arena.name(symbol);
            let meant = lookalike(name)?;
            Some(format!("{place}: `{name}` is read as a variable; `{meant}` is meant?"))
        };
        let warnings = parsed.variables.iter().filter_map(warning).take(20).collect();
        let (total, valid) = (request.total.unwrap_or(false), request.valid.unwrap_or(false));
        let (bytes, asked) = (text.len() as u64, request.limits()?);
        Ok(Self { arena, formula: parsed.formula, warnings, bytes, total, valid, asked })
    }

    fn options(&self) -> Options {
        // The model is waited for.
        Options { total: self.total, patience: Duration::MAX, ..Options::default() }
    }

    /// Conjuncts that contradict one another: each is left out in turn, and stays out if what
    /// remains is still unsatisfiable.
    fn reason(&mut self, asked: Id, budget: &Budget) -> Reason {
        let conjuncts = match self.arena.get(asked) {
            Node::And(operands) => operands.to_vec(),
            _ => vec![asked],
        };
        let (all, mut core) = (conjuncts.len(), conjuncts);
        let mut minimal = all <= MAX_CONJUNCTS;
        let mut at = 0;
        while minimal && core.len() > 1 && at < core.len() {
            let left: Vec<Id> =
                core.iter().enumerate().filter(|(k, _)| *k != at).map(|(_, id)| *id).collect();
            let rest = self.arena.and(&left);
            let options = self.options();
            match satisfiable(&mut self.arena, rest, &options, budget).answer {
                Answer::Unsatisfiable => core = left,
                Answer::Satisfiable(_) => at += 1,
                Answer::Unknown(_) => minimal = false,
            }
        }
        let words = match (core.len(), all) {
            (1, 1) => "no state satisfies it".to_string(),
            (1, _) => format!("one of the {all} conjuncts has no model by itself"),
            (n, _) if n == all => format!("its {all} conjuncts cannot all be true"),
            (n, _) => format!("{n} of the {all} conjuncts cannot all be true"),
        };
        let lengths = self.lengths(asked);
        let core = core.iter().map(|&id| self.text(id, &lengths)).collect();
        Reason { core, minimal, words }
    }

    fn text(&self, id: Id, lengths: &Lengths) -> String {
        // What is shared is written out each time: a short formula may have a long text.
        let mut text = String::new();
        if lengths.get(&id).is_some_and(|&length| length <= MAX_SHOWN as u64 * 4) {
            text = to_text(&self.arena, id, Syntax::Ascii);
        }
        match text.char_indices().nth(MAX_SHOWN) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None if text.is_empty() => "…".to_string(),
            None => text,
        }
    }

    /// Symbols of each subformula written out, about; they may be astronomically many.
    fn lengths(&self, formula: Id) -> Lengths {
        let mut order: Vec<Id> = self.arena.subformulas(formula).collect();
        order.reverse();
        let mut lengths = Lengths::new();
        for id in order {
            let own = match self.arena.get(id) {
                Node::Var(symbol) => self.arena.name(symbol).len() as u64,
                _ => 2,
            };
            let below = self.arena.operands(id).iter().map(|below| lengths[below]);
            let length = below.fold(own, |sum: u64, n: u64| sum.saturating_add(n));
            lengths.insert(id, length);
        }
        lengths
    }

    /// The model with the subformulas that are true in each state.
    fn model(&self, asked: Id, model: &Kripke, budget: &Budget) -> Result<Shown, StopReason> {
        let places: Vec<Id> = self.arena.subformulas(asked).take(MAX_SUBFORMULAS).collect();
        let mut states: Vec<State> = (0..model.vertices())
            .map(|v| {
                let names = model.true_symbols(v).map(|s| self.arena.name(Symbol(s)).to_string());
                let successors = model.successors(v).to_vec();
                State { r#true: names.collect(), successors, holds: Vec::new() }
            })
            .collect();
        for (place, &id) in places.iter().enumerate() {
            for v in satisfying(&self.arena, id, model, budget)?.iter() {
                states[v as usize].holds.push(place);
            }
        }
        let lengths = self.lengths(asked);
        let texts = places.iter().map(|&id| self.text(id, &lengths)).collect();
        Ok((texts, Model { root: model.root(), states }))
    }
}

/// Symbols of subformulas written out.
type Lengths = HashMap<Id, u64>;

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
        let asked = if self.valid { self.arena.not(self.formula) } else { self.formula };
        let options = self.options();
        let outcome = satisfiable(&mut self.arena, asked, &options, budget);
        let report = Report::of(&outcome, self.valid, self.bytes, budget);
        if at.quick && matches!(outcome.answer, Answer::Unknown(_)) {
            return Ok(Step::GoOn);
        }
        let (mut subformulas, mut shown, mut model_why, mut reason) =
            (Vec::new(), None, None, None);
        match &outcome.answer {
            Answer::Satisfiable(Some(model)) if model.vertices() <= MAX_STATES => {
                match self.model(asked, model, budget) {
                    Ok((texts, model)) => (subformulas, shown) = (texts, Some(model)),
                    Err(stop) => model_why = Some(stop.to_string()),
                }
            }
            Answer::Satisfiable(Some(model)) => {
                model_why = Some(format!("{} states are too many to draw", model.vertices()));
            }
            Answer::Satisfiable(None) => model_why = Some("it was not written down in time".into()),
            Answer::Unsatisfiable => reason = Some(self.reason(asked, budget)),
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
