//! `theta sat`: satisfiability of a CTL formula, with a model or a refutation.

mod input;
mod model;
mod parts;
mod refutation;

use super::{Context, Exit, counted};
use input::{Input, SyntaxArg};
use model::ModelFormat;
use parts::CoreReport;
pub(super) use parts::Parts;
use refutation::Written;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;
use theta_chess::ctl::{Arena, Id, Parsed};
use theta_chess::kripke::Kripke;
use theta_chess::limits::{Budget, StopReason};
use theta_chess::tableau::{
    Answer, Method, Options, Outcome, Refutation, RefuteError, refute, satisfiable,
};

/// Arguments of `theta sat`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A formula is made of variables, the constants T and F, and, strongest first: the \
    prefixes ~ AX EX AG EG AF EF, then & then | (and xor, xnor) then -> then <->. A[p U q] and \
    E[p U q] are bracketed, and so are W (weak until) and R (release). The signs ! && || /\\ \\/ => \
    <=> and the words TRUE, FALSE, not, and, or, implies, iff are read too, as are the paper's \
    ¬ ∧ ∨ → ∀○ ∃□ ∀(p◇q). `let name = formula;` defines a name before its use, `spec name = formula;` \
    is one of several specifications; # and -- begin a comment. A text that begins with SPEC, CTLSPEC \
    or MODULE is read as NuSMV reads it.\n\n\
    Exit code 0: satisfiable (with --valid: valid; with --check: accepted), 1: not, 2: no formula, \
    3: undecided.\n\n\
    Examples:\n  echo 'AG EF p & EG ~p' | theta sat - --model dot\n  \
    echo 'AG EF p & AF AG ~p' | theta sat - --proof no.ref\n  \
    echo 'AG EF p & AF AG ~p' | theta sat - --check no.ref\n  \
    echo 'spec a = AG p; spec b = EF q; spec c = EF ~p;' | theta sat - --core\n  \
    theta formula '7k/6Q1/6K1/8/8/8/8/8 b - -' --theta 1 | theta sat -"
)]
pub struct Args {
    /// The file with the formula; `-` is standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// How the file is to be read.
    #[arg(long, value_enum, default_value_t = SyntaxArg::Auto, value_name = "SYNTAX")]
    syntax: SyntaxArg,
    /// Of several specifications, decide each on its own.
    #[arg(long, conflicts_with_all = ["together", "pairwise", "model", "proof", "check"])]
    each: bool,
    /// Of several specifications, decide whether all can be true together (done unless --each or
    /// --pairwise is given).
    #[arg(long, conflicts_with = "pairwise")]
    together: bool,
    /// Of several specifications, name the pairs that contradict each other.
    #[arg(long, conflicts_with_all = ["model", "proof", "check", "valid", "core"])]
    pairwise: bool,
    /// Where there is no model, name a smallest set of conjuncts that has none: without any one of
    /// them there is one.
    #[arg(long, conflicts_with = "check")]
    core: bool,
    /// Name the conjuncts that the others imply, and in the other conjuncts the subformulas that do
    /// not matter. Exit code 0: there are none, 1: some.
    #[arg(long, conflicts_with_all = ["each", "pairwise", "valid", "core", "model", "proof", "check"])]
    redundant: bool,
    /// Ask for a total model: every state has a successor (conjoins AG EX T).
    #[arg(long)]
    total: bool,
    /// Ask whether the formula is valid: true in every model. A model that is reported then is one
    /// in which the formula is false.
    #[arg(long)]
    valid: bool,
    /// Which method decides: the tableau, the symbolic fixpoint (for formulas that are not very
    /// large), or both.
    #[arg(long, value_enum, default_value_t = Engine::Auto, value_name = "ENGINE")]
    engine: Engine,
    /// Print the model that was found; the verdict then goes to stderr, also where there is no model
    /// (with --json, the model goes into the object, and is null where there is none).
    #[arg(long, value_enum, default_value_t = ModelFormat::None, value_name = "FORMAT")]
    model: ModelFormat,
    /// Look for a model with few states: the least one, if it has at most so many (8).
    #[arg(long, value_name = "STATES", num_args = 0..=1, default_missing_value = "8",
          require_equals = true, conflicts_with_all = ["each", "pairwise", "redundant", "check"],
          value_parser = clap::value_parser!(u32).range(1..=64))]
    smallest: Option<u32>,
    /// Where there is no model, write the reason to this file: a refutation that --check and other
    /// programs can follow (docs/refutation.md). Takes up to five times as long.
    #[arg(long, value_name = "REFUTATION", conflicts_with = "check")]
    proof: Option<PathBuf>,
    /// Check that this file refutes the formula (with --valid: its negation; with --total: at least
    /// for total models). Nothing is decided anew.
    #[arg(long, value_name = "REFUTATION", conflicts_with_all = ["engine", "model"])]
    check: Option<PathBuf>,
}

/// `--engine`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Engine {
    /// The tableau first, soon both side by side; the first answer counts.
    Auto,
    /// The on-the-fly tableau.
    Tableau,
    /// The fixpoint over sets of states as decision diagrams.
    Symbolic,
}

impl From<Engine> for Method {
    fn from(engine: Engine) -> Self {
        match engine {
            Engine::Auto => Self::Auto,
            Engine::Tableau => Self::Tableau,
            Engine::Symbolic => Self::Symbolic,
        }
    }
}

/// The report.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Report {
    satisfiable: Option<bool>,
    /// With --valid: whether the formula is. `satisfiable` then speaks of its negation.
    #[serde(skip_serializing_if = "Option::is_none")]
    valid: Option<bool>,
    /// Bytes of the text read.
    bytes_read: u64,
    /// The method that decided; `auto` if none did.
    engine: Method,
    /// States the tableau made, or rounds of the symbolic elimination.
    states: u64,
    /// Promises open when the tableau stopped.
    open_promises: u64,
    /// States of the model.
    model_states: Option<u32>,
    /// With --smallest: no model has fewer states.
    #[serde(skip_serializing_if = "Option::is_none")]
    least: Option<bool>,
    seconds: f64,
    /// Whether the model checker confirmed the model.
    verified: bool,
    /// Why there is no answer, or no refutation though one was asked for.
    stop: Option<StopReason>,
    /// The refutation that was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    refutation: Option<Written>,
    /// Conjuncts that have no model together, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    core: Option<CoreReport>,
}

/// What came of deciding.
struct Decided {
    outcome: Outcome,
    refutation: Option<Refutation>,
    /// Why there is no refutation.
    unfinished: Option<StopReason>,
}

impl From<Outcome> for Decided {
    fn from(outcome: Outcome) -> Self {
        Self { outcome, refutation: None, unfinished: None }
    }
}

impl Report {
    /// Of an outcome; with `valid` the negation of the formula was asked about.
    pub(super) fn of(outcome: &Outcome, valid: bool, bytes_read: u64, budget: &Budget) -> Self {
        let (satisfiable, model, stop) = match &outcome.answer {
            Answer::Unsatisfiable => (Some(false), None, None),
            Answer::Satisfiable(model) => (Some(true), model.as_ref(), None),
            Answer::Unknown(stop) => (None, None, Some(*stop)),
        };
        Self {
            satisfiable,
            valid: satisfiable.filter(|_| valid).map(|satisfiable| !satisfiable),
            bytes_read,
            engine: outcome.method,
            states: outcome.states,
            open_promises: outcome.open_promises,
            model_states: model.map(Kripke::vertices),
            least: None,
            seconds: budget.elapsed().as_secs_f64(),
            verified: model.is_some(),
            stop,
            refutation: None,
            core: None,
        }
    }
}

impl Report {
    /// A model of so many states is shown.
    #[cfg(feature = "serve")]
    pub(super) fn show_states(&mut self, states: u32) {
        self.model_states = Some(states);
    }

    fn exit(&self) -> Exit {
        match self.valid.or(self.satisfiable) {
            Some(true) => Exit::Yes,
            Some(false) => Exit::No,
            None => Exit::Undecided,
        }
    }
}

impl Args {
    /// Runs the command.
    ///
    /// # Errors
    /// A file that cannot be read, or that is no formula.
    pub fn run(&self, context: &Context) -> anyhow::Result<Exit> {
        let budget = context.budget();
        let mut arena = Arena::new();
        let mut bytes_read = 0;
        let input =
            input::read(&self.file, self.syntax, context, &mut arena, &budget, &mut bytes_read)?;
        let parsed = match input {
            Input::Read(parsed) => parsed,
            Input::Stopped(stop) => return self.stopped(stop, bytes_read, &budget, context),
        };
        let asked = if self.valid { arena.not(parsed.formula) } else { parsed.formula };
        if let Some(path) = &self.check {
            return refutation::verify(path, &arena, asked, self.total, &budget, context);
        }
        if self.pairwise {
            return self.pairwise(&mut arena, &parsed, &budget, context);
        }
        if self.redundant {
            return self.redundant(&mut arena, &parsed, &budget, context);
        }
        if self.each {
            return self.each(&mut arena, &parsed, &budget, context);
        }
        let decided = self.decide(&mut arena, asked, &budget)?;
        let Decided { mut outcome, refutation, unfinished } = decided;
        let least = self.make_small(&mut arena, asked, &mut outcome, &budget);
        context.clear_progress();
        let mut report = Report::of(&outcome, self.valid, bytes_read, &budget);
        report.least = least;
        report.stop = report.stop.or(unfinished);
        if let (Some(refutation), Some(path)) = (&refutation, &self.proof) {
            report.refutation = Some(refutation::write(refutation, path)?);
            report.seconds = budget.elapsed().as_secs_f64();
        }
        if self.core && matches!(outcome.answer, Answer::Unsatisfiable) {
            let parts = Parts::of(&mut arena, &parsed, self.valid);
            report.core = parts.core(&mut arena, &self.options(), &budget);
            report.seconds = budget.elapsed().as_secs_f64();
        }
        let model = match &outcome.answer {
            Answer::Satisfiable(model) => model.as_ref(),
            _ => None,
        };
        self.print(context, &report, model.map(|model| (&mut arena, asked, model)), &budget)?;
        if unfinished.is_some() {
            return Ok(Exit::Undecided);
        }
        Ok(report.exit())
    }

    /// Nothing was decided: a limit came while the formula was read.
    fn stopped(
        &self,
        stop: StopReason,
        bytes_read: u64,
        budget: &Budget,
        context: &Context,
    ) -> anyhow::Result<Exit> {
        let outcome = Outcome {
            answer: Answer::Unknown(stop),
            method: Method::default(),
            states: 0,
            open_promises: 0,
        };
        context.clear_progress();
        let report = Report::of(&outcome, self.valid, bytes_read, budget);
        self.print(context, &report, None, budget)?;
        Ok(Exit::Undecided)
    }

    /// As the questions are asked where no model is printed.
    fn options(&self) -> Options {
        Options { total: self.total, method: self.engine.into(), ..Options::default() }
    }

    /// Decides a formula, with a refutation if that is asked for.
    fn decide(&self, arena: &mut Arena, asked: Id, budget: &Budget) -> anyhow::Result<Decided> {
        budget.progress().stage("states", None);
        // A model that is asked for is waited for.
        let patience = match (self.model, self.smallest) {
            (ModelFormat::None, None) => Options::default().patience,
            _ => Duration::MAX,
        };
        let options = Options { total: self.total, method: self.engine.into(), patience };
        if self.proof.is_none() {
            return Ok(satisfiable(arena, asked, &options, budget).into());
        }
        match refute(arena, asked, &options, budget) {
            Ok((outcome, refutation)) => Ok(Decided { outcome, refutation, unfinished: None }),
            Err(RefuteError::Stopped(stop)) => {
                // The formula was decided before.
                let outcome = Outcome {
                    answer: Answer::Unsatisfiable,
                    method: options.method,
                    states: 0,
                    open_promises: 0,
                };
                Ok(Decided { outcome, refutation: None, unfinished: Some(stop) })
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// The verdict as a line, where its refutation is, and which conjuncts contradict one another.
pub(super) fn headline(report: &Report) -> String {
    let mut text = verdict(report);
    if let Some(written) = &report.refutation {
        text = format!("{text}\n{}", written.line());
    }
    if let Some(core) = &report.core {
        text = format!("{text}\n{}", core.text());
    }
    text
}

fn verdict(report: &Report) -> String {
    let plural = |n: u64| counted(n, "state", "states");
    let searched = match report.engine {
        Method::Symbolic => {
            format!(
                "{} of the symbolic fixpoint, {:.2} s",
                counted(report.states, "round", "rounds"),
                report.seconds
            )
        }
        Method::Clauses => format!("clauses, {:.2} s", report.seconds),
        _ => format!("{} searched, {:.2} s", plural(report.states), report.seconds),
    };
    match (report.satisfiable, report.model_states) {
        (Some(false), _) if report.valid.is_some() => format!("valid ({searched})"),
        (Some(true), states) if report.valid.is_some() => {
            let model = states.map_or_else(String::new, |states| {
                format!(": false in a model of {}, checked", plural(states.into()))
            });
            format!("not valid{model} ({searched})")
        }
        (Some(true), Some(states)) => {
            let least = match report.least {
                Some(true) => ", no model has fewer",
                _ => "",
            };
            format!(
                "satisfiable: a model of {}, checked{least} ({searched})",
                plural(states.into())
            )
        }
        (Some(true), None) => {
            format!(
                "satisfiable: no model was written down in time; --model waits for one ({searched})"
            )
        }
        (Some(false), _) if report.stop.is_some() => {
            let why = report.stop.map_or_else(String::new, |stop| stop.to_string());
            format!("unsatisfiable, but no refutation was written: {why} ({:.2} s)", report.seconds)
        }
        (Some(false), _) => format!("unsatisfiable ({searched})"),
        (None, _) => {
            let why = report.stop.map_or_else(String::new, |stop| format!(": {stop}"));
            let open = match report.open_promises {
                0 => String::new(),
                n => format!(", {} open", counted(n, "promise", "promises")),
            };
            let read = counted(report.bytes_read, "byte", "bytes");
            format!("unknown{why} ({read} read, {searched}{open})")
        }
    }
}
