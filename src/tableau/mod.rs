//! Satisfiability of CTL formulas over models that need not be total, with models.
//!
//! An and-or tableau, grown on the fly with global caching, whose labels are found by a
//! demand-driven clause-learning search:
//!
//! * `closure`: the formula as a graph of nodes, fixpoints unfolded truly at dead ends; the bodies
//!   of the root's `AG` conjuncts are axioms of every label instead of formulas carried along.
//! * `labeller`, `clauses`, `cubes`: what can hold together at one vertex. Conflicts are learned
//!   across vertices; of a disjunction over 10^5 cubes the possible disjuncts are looked up in a
//!   decision tree.
//! * `graph`, `search`: prestates (demands on a vertex) and states (demands on its successors),
//!   each made once; what makes a successor unsatisfiable is excluded as a combination of `AX` and
//!   `EX` everywhere.
//! * `promises`: the nested fixpoint that tells which untils are kept, with counters; an until kept
//!   nowhere is refuted by induction, or besieged at all its prestates together.
//! * `model`: reads off a model, which the model checker then checks.
//!
//! Beside it stands a second method, `symbolic`: a fixpoint over sets of vertices kept as decision
//! diagrams. The `portfolio` runs both. A formula without temporal operators is a matter for clauses
//! (`propositional`).
//!
//! # The choice of method
//! Compared on paper: elimination on all Hintikka sets (always exponential), a fixpoint with binary
//! decision diagrams (exponential on independent eventualities and long countdowns), parity games
//! (automata products at each vertex). An on-the-fly tableau visits only what a model needs; what
//! it lacks, pruning of unsatisfiable branching, the learned clauses give; where models are large
//! but regular the diagrams are better. Neither shares more with the other than the normal form. A
//! third method, the naive fixpoint over types, serves the tests as an oracle.
//!
//! # References
//! E. A. Emerson, J. Y. Halpern (1985), E. A. Emerson (1990): tableaux for CTL. R. Goré, F. Widmann
//! (2009): on-the-fly and-or graphs. R. Goré, J. Thomson, F. Widmann, *An experimental comparison
//! of theorem provers for CTL* (2011): the families. R. Goré, C. Kikkert, *CEGAR-tableaux* (2021):
//! successors' conflicts as clauses. A. R. Bradley, *SAT-based model checking without unrolling*
//! (2011), for induction relative to what is stuck.

mod clauses;
mod closure;
mod cubes;
mod graph;
mod labeller;
mod model;
mod node;
mod portfolio;
mod promises;
mod propositional;
mod refuter;
mod search;
mod symbolic;

use crate::ctl::{Arena, Id};
use crate::kripke::Kripke;
use crate::limits::{Budget, StopReason};
use crate::modelcheck;
use closure::Closure;
use refuter::Evidence;
pub use refuter::{Refutation, RefuteError, Size};
use search::{Search, Verdict};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How to decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Ask for a total model: the formula is conjoined with `AG EX T`.
    pub total: bool,
    /// Which method decides.
    pub method: Method,
    /// Once the symbolic fixpoint has decided that there are models, one is read off and checked
    /// for so long, or for as long as it took to decide if that is longer. Five seconds by default.
    pub patience: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { total: false, method: Method::Auto, patience: Duration::from_secs(5) }
    }
}

/// A decision method.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Both: the tableau first, soon the fixpoint beside it; the first answer counts.
    #[default]
    Auto,
    /// The on-the-fly tableau.
    Tableau,
    /// The fixpoint over sets of vertices as decision diagrams. Refuses very large formulas.
    Symbolic,
    /// Clauses, for formulas without temporal operators; others are left to [`Method::Auto`].
    Clauses,
}

/// Is the formula satisfiable?
#[derive(Debug, Clone)]
pub enum Answer {
    /// Yes. The model, whose symbols are the arena's, was confirmed by the model checker. There is
    /// none if the symbolic fixpoint found that the formula has models, but none could be read off
    /// and checked within [`Options::patience`]: it may be too large.
    Satisfiable(Option<Kripke>),
    /// No model satisfies it.
    Unsatisfiable,
    /// The budget was used up.
    Unknown(StopReason),
}

/// An answer and how it was found.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The answer.
    pub answer: Answer,
    /// The method that found it; [`Method::Auto`] if none did.
    pub method: Method,
    /// States and prestates that the tableau made, or rounds of the symbolic elimination.
    pub states: u64,
    /// Promises (untils at prestates) that were open when the tableau ended.
    pub open_promises: u64,
}

impl Outcome {
    /// Stopped before anything was found.
    fn stopped(stop: StopReason) -> Self {
        Self { answer: Answer::Unknown(stop), method: Method::Auto, states: 0, open_promises: 0 }
    }
}

/// Decides whether a formula is satisfiable, and in the positive case builds a model.
///
/// Complete and terminating; exponential time and space in the worst case. The tableau takes about
/// 250 bytes per prestate and state, and 4 per formula in their keys; the symbolic fixpoint about
/// 30 per node of a diagram. Every model is checked by [`modelcheck`]. A limit of the budget gives
/// [`Answer::Unknown`]; `states` and `open_promises` then say how far it got.
///
/// ```
/// use theta_chess::ctl::{Arena, parse};
/// use theta_chess::limits::Budget;
/// use theta_chess::tableau::{Answer, Options, satisfiable};
/// let mut arena = Arena::new();
/// let formula = parse(&mut arena, "AX AF p & ~AF p")?;
/// let mut ask = |total| {
///     let options = Options { total, ..Options::default() };
///     satisfiable(&mut arena, formula, &options, &Budget::default()).answer
/// };
/// // At a dead end everything is true of all successors; with a successor it is a contradiction.
/// assert!(matches!(ask(false), Answer::Satisfiable(Some(_))));
/// assert!(matches!(ask(true), Answer::Unsatisfiable));
/// # Ok::<(), theta_chess::ctl::ParseError>(())
/// ```
pub fn satisfiable(arena: &mut Arena, formula: Id, options: &Options, budget: &Budget) -> Outcome {
    let normal = arena.nnf(formula);
    let question = Question::new(arena, formula, normal, options);
    match options.method {
        Method::Auto | Method::Clauses => portfolio::decide(&question, budget),
        Method::Tableau => question.by_tableau(budget),
        Method::Symbolic => question.by_symbolic(budget),
    }
}

/// As [`satisfiable`]; where there is no model, a refutation is found too, which
/// [`crate::refutation::check`] accepts once it is written.
///
/// Takes up to four times as long as deciding alone, and 100 bytes more for each vertex that was
/// found impossible.
///
/// # Errors
/// When a limit is reached after the formula was decided.
///
/// ```
/// use theta_chess::ctl::{Arena, parse};
/// use theta_chess::limits::Budget;
/// use theta_chess::tableau::{Options, refute};
/// let mut arena = Arena::new();
/// let formula = parse(&mut arena, "EG p & AF ~p")?;
/// let (_, refutation) = refute(&mut arena, formula, &Options::default(), &Budget::default())?;
/// let mut text = Vec::new();
/// refutation.expect("it has no model").write(&mut text)?;
/// theta_chess::refutation::check(text.as_slice(), &arena, formula, &mut |_| true)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn refute(
    arena: &mut Arena,
    formula: Id,
    options: &Options,
    budget: &Budget,
) -> Result<(Outcome, Option<Refutation>), RefuteError> {
    let (normal, parts) = arena.nnf_with_parts(formula);
    let question = Question {
        deaths: Some(Mutex::default()),
        ..Question::new(arena, formula, normal, options)
    };
    let mut outcome = match options.method {
        Method::Symbolic => {
            Outcome { method: Method::Symbolic, ..Outcome::stopped(StopReason::Exhausted) }
        }
        Method::Tableau => question.by_tableau(budget),
        Method::Auto | Method::Clauses => portfolio::decide(&question, budget),
    };
    let refute = |evidence: &Evidence<'_>| {
        let normal = (normal, parts.as_slice());
        refuter::refute(question.arena, formula, normal, options.total, evidence, budget)
    };
    let refutation = match (outcome.method, &outcome.answer) {
        (Method::Symbolic, Answer::Unsatisfiable | Answer::Unknown(_)) => {
            let found = symbolic::eliminate(&question, budget, |elimination| {
                (elimination.rounds(), refute(&Evidence::Symbolic(elimination)))
            });
            match found {
                Ok(Some((rounds, refutation))) => {
                    outcome = Outcome {
                        answer: Answer::Unsatisfiable,
                        method: Method::Symbolic,
                        states: rounds,
                        open_promises: 0,
                    };
                    refutation?
                }
                Ok(None) => return Ok((question.by_symbolic(budget), None)),
                Err(stop) => return Ok((Outcome::stopped(stop), None)),
            }
        }
        (_, Answer::Satisfiable(_) | Answer::Unknown(_)) => return Ok((outcome, None)),
        (Method::Clauses, _) => refute(&Evidence::Propositional)?,
        _ => {
            let closure = question.closure(budget)?;
            let deaths = question.deaths.as_ref().and_then(|deaths| deaths.lock().ok());
            let deaths = deaths.map_or_else(Vec::new, |mut deaths| std::mem::take(&mut *deaths));
            refute(&Evidence::Tableau(&closure, &deaths))?
        }
    };
    Ok((outcome, Some(refutation)))
}

/// A formula to be decided.
struct Question<'a> {
    arena: &'a Arena,
    /// As it was asked: models are checked against this.
    original: Id,
    /// Its negation normal form.
    formula: Id,
    options: Options,
    started: Instant,
    /// Where the tableau leaves what it knows of why there is no model, if that is wanted.
    deaths: Option<Mutex<Vec<search::Death>>>,
}

impl<'a> Question<'a> {
    fn new(arena: &'a Arena, original: Id, formula: Id, options: &Options) -> Self {
        let (options, started) = (*options, Instant::now());
        Self { arena, original, formula, options, started, deaths: None }
    }

    fn closure(&self, budget: &Budget) -> Result<Closure, StopReason> {
        Closure::new(self.arena, self.formula, self.options.total, budget)
    }

    fn search<'c>(&self, closure: &'c Closure) -> Search<'c> {
        let mut search = Search::new(closure);
        search.log = self.deaths.as_ref().map(|_| Vec::new());
        search
    }

    fn by_tableau(&self, budget: &Budget) -> Outcome {
        let closure = match self.closure(budget) {
            Ok(closure) => closure,
            Err(stop) => return Outcome::stopped(stop),
        };
        let mut search = self.search(&closure);
        let verdict = search.run(budget);
        self.tableau_outcome(&mut search, verdict, budget)
    }

    fn tableau_outcome(
        &self,
        search: &mut Search<'_>,
        verdict: Result<Verdict, StopReason>,
        budget: &Budget,
    ) -> Outcome {
        let answer = match verdict {
            Ok(Verdict::Unsatisfiable) => {
                if let Some(Ok(mut deaths)) = self.deaths.as_ref().map(Mutex::lock) {
                    *deaths = search.log.take().unwrap_or_default();
                }
                Answer::Unsatisfiable
            }
            Ok(Verdict::Satisfiable(witnesses)) => match model::extract(search, &witnesses, budget)
            {
                Ok(model) => self.confirm(model, budget),
                Err(stop) => Answer::Unknown(stop),
            },
            Err(stop) => Answer::Unknown(stop),
        };
        let (states, open_promises) = (search.graph.len() as u64, search.open_promises as u64);
        Outcome { answer, method: Method::Tableau, states, open_promises }
    }

    fn by_symbolic(&self, budget: &Budget) -> Outcome {
        self.symbolic_outcome(symbolic::decide(self, budget), budget)
    }

    fn symbolic_outcome(&self, finding: symbolic::Finding, budget: &Budget) -> Outcome {
        let answer = match finding.satisfiable {
            // The fixpoint is the proof; the model may be too large to be had.
            Ok(true) => {
                match finding.model.map(|model| self.confirm(model, &budget.part(self.patience())))
                {
                    Some(Answer::Unknown(StopReason::Time)) | None => Answer::Satisfiable(None),
                    Some(answer) => answer,
                }
            }
            Ok(false) => Answer::Unsatisfiable,
            Err(stop) => Answer::Unknown(stop),
        };
        Outcome { answer, method: Method::Symbolic, states: finding.rounds, open_promises: 0 }
    }

    /// How long a model may take that is not needed for the answer.
    fn patience(&self) -> Duration {
        self.options.patience.max(self.started.elapsed())
    }

    /// Checks a model.
    fn confirm(&self, model: Kripke, budget: &Budget) -> Answer {
        let is_total = || (0..model.vertices()).all(|v| !model.successors(v).is_empty());
        match modelcheck::holds(self.arena, self.original, &model, budget) {
            Ok(true) if !self.options.total || is_total() => Answer::Satisfiable(Some(model)),
            Ok(_) => {
                debug_assert!(false, "what was read off as a model is none");
                Answer::Unknown(StopReason::Exhausted)
            }
            Err(stop) => Answer::Unknown(stop),
        }
    }
}

#[cfg(test)]
mod explicit;
#[cfg(test)]
mod tests;
