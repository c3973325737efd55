//! `theta sat`: satisfiability of a CTL formula, with a model or a refutation.

mod refutation;

use super::{Context, Exit, counted};
use anyhow::Context as _;
use refutation::Written;
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::time::Duration;
use theta_chess::ctl::{Arena, Atoms, Id, ParseError, Parsed, Symbol, lookalike, parse_reader};
use theta_chess::kripke::{Kripke, write_dot};
use theta_chess::limits::{Budget, StopReason};
use theta_chess::tableau::{
    Answer, Method, Options, Outcome, Refutation, RefuteError, refute, satisfiable,
};

/// Arguments of `theta sat`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A formula is made of variables, the constants T and F, and, strongest first: the \
    prefixes ~ AX EX AG EG AF EF, then & then | then -> then <->. A[p U q] and E[p U q] are \
    bracketed, and so are W (weak until) and R (release). The signs ! && || /\\ \\/ => <=> and the \
    words not, and, or, implies, iff are read too, as are the paper's ¬ ∧ ∨ → ∀○ ∃□ ∀(p◇q). \
    `let name = formula;` defines a name before its use; # begins a comment.\n\n\
    Exit code 0: satisfiable (with --valid: valid; with --check: accepted), 1: not, 2: no formula, \
    3: undecided.\n\n\
    Examples:\n  echo 'AG EF p & EG ~p' | theta sat - --model dot\n  \
    echo 'AG EF p & AF AG ~p' | theta sat - --proof no.ref\n  \
    echo 'AG EF p & AF AG ~p' | theta sat - --check no.ref\n  \
    theta formula '7k/6Q1/6K1/8/8/8/8/8 b - -' --theta 1 | theta sat -"
)]
pub struct Args {
    /// The file with the formula; `-` is standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
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

/// `--model`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ModelFormat {
    /// Graphviz.
    Dot,
    /// `{"root": 0, "states": [{"true": ["p"], "successors": [1]}, …]}`
    Json,
    /// Nothing.
    None,
}

/// What came of reading the formula.
enum Formula {
    /// The formula.
    Read(Id),
    /// A limit came first.
    Stopped(StopReason),
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
    seconds: f64,
    /// Whether the model checker confirmed the model.
    verified: bool,
    /// Why there is no answer, or no refutation though one was asked for.
    stop: Option<StopReason>,
    /// The refutation that was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    refutation: Option<Written>,
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
            seconds: budget.elapsed().as_secs_f64(),
            verified: model.is_some(),
            stop,
            refutation: None,
        }
    }
}

/// The report with a model beside it.
#[derive(Serialize)]
struct WithModel<'a, M> {
    #[serde(flatten)]
    report: &'a Report,
    model: M,
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
        let decided = match self.read(context, &mut arena, &budget, &mut bytes_read)? {
            Formula::Read(formula) => {
                let asked = if self.valid { arena.not(formula) } else { formula };
                if let Some(path) = &self.check {
                    return refutation::verify(path, &arena, asked, self.total, &budget, context);
                }
                self.decide(&mut arena, asked, &budget)?
            }
            Formula::Stopped(stop) => Outcome {
                answer: Answer::Unknown(stop),
                method: Default::default(),
                states: 0,
                open_promises: 0,
            }
            .into(),
        };
        let Decided { outcome, refutation, unfinished } = decided;
        context.clear_progress();
        let mut report = Report::of(&outcome, self.valid, bytes_read, &budget);
        report.stop = report.stop.or(unfinished);
        if let (Some(refutation), Some(path)) = (&refutation, &self.proof) {
            report.refutation = Some(refutation::write(refutation, path)?);
            report.seconds = budget.elapsed().as_secs_f64();
        }
        let model = match &outcome.answer {
            Answer::Satisfiable(model) => model.as_ref(),
            _ => None,
        };
        let model = model.map(|model| Model { model, arena: &arena });
        self.print(context, &report, model)?;
        if unfinished.is_some() {
            return Ok(Exit::Undecided);
        }
        Ok(match report.valid.or(report.satisfiable) {
            Some(true) => Exit::Yes,
            Some(false) => Exit::No,
            None => Exit::Undecided,
        })
    }

    /// Decides a formula, with a refutation if that is asked for.
    fn decide(&self, arena: &mut Arena, asked: Id, budget: &Budget) -> anyhow::Result<Decided> {
        budget.progress().stage("states", None);
        // A model that is asked for is waited for.
        let patience = match self.model {
            ModelFormat::None => Options::default().patience,
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

    /// Reads the formula, unless a limit comes first.
    fn read(
        &self,
        context: &Context,
        arena: &mut Arena,
        budget: &Budget,
        read: &mut u64,
    ) -> anyhow::Result<Formula> {
        let name = self.file.display().to_string();
        let stdin = self.file.as_os_str() == "-";
        let (source, length): (Box<dyn Read>, _) = if stdin {
            (Box::new(io::stdin().lock()), None)
        } else {
            let file = File::open(&self.file).with_context(|| name.clone())?;
            let length = file.metadata().with_context(|| name.clone())?.len();
            (Box::new(file), Some(length))
        };
        budget.progress().stage("reading bytes", length);
        let watched = Watched { source, budget, read };
        match parse_reader(arena, watched, Atoms::Names) {
            Ok(parsed) => {
                warn_of_lookalikes(context, arena, &parsed);
                Ok(match budget.check(0, arena.bytes()) {
                    Ok(()) => Formula::Read(parsed.formula),
                    Err(stop) => Formula::Stopped(stop),
                })
            }
            Err(ParseError::Io(error)) => match error.downcast::<StopReason>() {
                Ok(stop) => Ok(Formula::Stopped(stop)),
                Err(error) => Err(anyhow::Error::new(error).context(name)),
            },
            Err(error) => Err(anyhow::Error::new(error).context(if stdin {
                "standard input".into()
            } else {
                name
            })),
        }
    }

    fn print(
        &self,
        context: &Context,
        report: &Report,
        model: Option<Model<'_>>,
    ) -> anyhow::Result<()> {
        match (context.global.json, self.model, model) {
            (true, ModelFormat::Json, model) => context.print_json(&WithModel { report, model }),
            (true, ModelFormat::Dot, model) => {
                let dot = model.map(|model| {
                    let mut dot = Vec::new();
                    model.write_dot(&mut dot).map(|()| dot)
                });
                let model = dot.transpose()?.map(String::from_utf8).transpose()?;
                context.print_json(&WithModel { report, model })
            }
            (true, ModelFormat::None, _) => context.print_json(report),
            // The refutation has gone to stdout.
            (false, ModelFormat::None, _)
                if report.refutation.as_ref().is_some_and(Written::is_stdout) =>
            {
                context.say(&headline(report));
                Ok(())
            }
            (false, ModelFormat::None, _) => {
                context.print(format!("{}\n", headline(report)).as_bytes()).map(drop)
            }
            (false, _, None) => {
                context.say(&headline(report));
                Ok(())
            }
            (false, format, Some(model)) => {
                context.say(&headline(report));
                if format == ModelFormat::Json {
                    return context.print_json(&model);
                }
                let mut out = context.out();
                model.write_dot(&mut out)?;
                out.flush()?;
                Ok(())
            }
        }
    }
}

/// Says which variables look like constants or operators.
fn warn_of_lookalikes(context: &Context, arena: &Arena, parsed: &Parsed) {
    for &(symbol, place) in &parsed.variables {
        let name = arena.name(symbol);
        if let Some(meant) = lookalike(name) {
            context.say(&format!("{place}: `{name}` is read as a variable; `{meant}` is meant?"));
        }
    }
}

/// The verdict as a line, and where its refutation is.
pub(super) fn headline(report: &Report) -> String {
    match &report.refutation {
        Some(written) => format!("{}\n{}", verdict(report), written.line()),
        None => verdict(report),
    }
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
            format!("satisfiable: a model of {}, checked ({searched})", plural(states.into()))
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

/// A reader that keeps to the budget and shows how far it is.
struct Watched<'a, R> {
    source: R,
    budget: &'a Budget,
    read: &'a mut u64,
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.budget.check(0, 0).map_err(io::Error::other)?;
        let count = self.source.read(to)?;
        *self.read += count as u64;
        self.budget.progress().advance(*self.read);
        Ok(count)
    }
}

/// A model with the names of its variables.
struct Model<'a> {
    model: &'a Kripke,
    arena: &'a Arena,
}

impl Model<'_> {
    fn names(&self, state: u32) -> impl Iterator<Item = &str> {
        self.model.true_symbols(state).map(|symbol| self.arena.name(Symbol(symbol)))
    }

    fn write_dot(&self, out: &mut impl Write) -> io::Result<()> {
        write_dot(self.model, |state| self.names(state).collect::<Vec<_>>().join(", "), out)
    }
}

impl Serialize for Model<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("root", &self.model.root())?;
        map.serialize_entry("states", &States(self))?;
        map.end()
    }
}

/// The states of a model, written one by one.
struct States<'a>(&'a Model<'a>);

impl Serialize for States<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct State<'a> {
            r#true: Vec<&'a str>,
            successors: &'a [u32],
        }
        let Model { model, .. } = self.0;
        let state =
            |v| State { r#true: self.0.names(v).collect(), successors: model.successors(v) };
        serializer.collect_seq((0..model.vertices()).map(state))
    }
}
