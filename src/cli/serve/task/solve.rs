//! Which of Θ1, Θ2* = Θ4*, Θ3 is satisfiable, and the certificate of what is proved.

use super::verify::report_on;
use super::work::{Attempt, Step, Task, internal, position, request};
use crate::cli::headline::headline;
use crate::cli::serve::asked::Asked;
use crate::cli::serve::desk::Desk;
use crate::cli::serve::error::ApiError;
use crate::cli::serve::held::{Held, MAX_KEPT};
use serde::Serialize;
use serde_json::json;
use std::time::Duration;
use theta_chess::certificate::{Certificate, Claim};
use theta_chess::chess::{Position, Value};
use theta_chess::limits::Budget;
use theta_chess::solve::{CertificateError, Options, Report, Verdict};

request! {
    /// A position to decide.
    Request {
        /// The position: FEN, counters optional, underscores for spaces.
        fen: String,
        /// Make a win shorter, or prove that it is the shortest, while the limits allow.
        #[serde(default)]
        shortest: Option<bool>,
    }
}

/// The work.
pub struct Solve {
    root: Position,
    options: Options,
    asked: Asked,
    quick: bool,
    /// What was found; its certificate is still to be made.
    found: Option<Verdict>,
}

/// A report with what the program prints of it.
#[derive(Serialize)]
pub struct Told {
    #[serde(flatten)]
    pub report: Report,
    /// The first line that the program prints.
    pub headline: String,
    /// The best first moves in algebraic notation.
    pub best_san: Vec<String>,
    /// A first move that looks best where none is proved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guess: Option<String>,
    /// The same in algebraic notation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guess_san: Option<String>,
}

impl Told {
    pub fn of(verdict: &Verdict) -> Self {
        let report = verdict.report();
        let guess = if verdict.value().is_none() { verdict.guess() } else { None };
        let board = verdict.root().board();
        let guess_san = guess.and_then(|m| board.find(m)).map(|legal| board.san(legal));
        let (headline, best_san) = (headline(&report), report.best_san.clone());
        Self { report, headline, best_san, guess: guess.map(|m| m.to_string()), guess_san }
    }
}

impl Solve {
    /// # Errors
    /// A request that cannot be read.
    pub fn new(request: Request, desk: &Desk) -> Result<Self, ApiError> {
        let root = position(&request.fen)?;
        let options = Options::default().with_shortest(request.shortest.unwrap_or(false));
        // Whoever wants the shortest win does not want any win soon.
        let quick = !options.shortest && desk.suits_quick(&root.board());
        Ok(Self { root, options, asked: request.limits()?, quick, found: None })
    }
}

/// The options of a short attempt: it waits for no tables.
pub fn hasty(options: Options, root: &Position) -> Options {
    if root.men() > theta_chess::tables::MAX_MEN { options.with_table_men(2) } else { options }
}

impl Task for Solve {
    fn asked(&self) -> Asked {
        self.asked
    }

    fn rank(&self) -> usize {
        self.root.men()
    }

    fn is_quick(&self) -> bool {
        self.quick
    }

    fn run(&mut self, at: &mut Attempt<'_>, budget: &Budget) -> Result<Step, ApiError> {
        if let Some(verdict) = self.found.take() {
            certify(&verdict, at, budget);
            return Ok(Step::Over);
        }
        let options = if at.quick { hasty(self.options, &self.root) } else { self.options };
        let solver = at.desk.solver.clone().with_options(options);
        let verdict = solver.solve(&self.root, budget).map_err(internal)?;
        if at.quick && verdict.value().is_none() {
            return Ok(Step::GoOn);
        }
        at.tell("result", &Told::of(&verdict));
        if at.quick {
            at.finish();
            self.found = Some(verdict);
            return Ok(Step::GoOn);
        }
        certify(&verdict, at, budget);
        Ok(Step::Over)
    }
}

/// Makes the certificate of a verdict, has the kernel check it, and tells what came of it.
pub fn certify(verdict: &Verdict, at: &mut Attempt<'_>, budget: &Budget) {
    let none = |why: String| json!({"url": null, "why": why});
    let told = match certified(verdict, budget) {
        Err(why) => none(why),
        Ok(held) => {
            let sides: Vec<_> = held.sides().map(|side| side.to_string().to_lowercase()).collect();
            let budget = budget.with_at_least(GRACE);
            match report_on(held.file(), &at.desk.context, &budget) {
                Err(why) => none(why.error),
                Ok(report) => {
                    let url = format!("/api/v1/jobs/{}/certificate", at.job.id);
                    let bytes = held.file().len();
                    at.job.hold(held);
                    json!({"url": url, "bytes": bytes, "sides": sides, "verify": report})
                }
            }
        }
    };
    at.tell("certificate", &told);
}

/// How long the kernel may take at least.
const GRACE: Duration = Duration::from_secs(2);

/// The certificate of what a verdict proves, or why there is none.
pub fn certified(verdict: &Verdict, budget: &Budget) -> Result<Held, String> {
    let certificate = verdict.certificate_within(budget).map_err(|error| match error {
        CertificateError::Undecided => "nothing is proved that a certificate could show".into(),
        other => other.to_string(),
    })?;
    let shortest = is_shortest(verdict, &certificate);
    Held::of_certificate(certificate, shortest).ok_or_else(|| {
        format!(
            "its certificate is larger than {} MiB: `theta solve --cert FILE` writes it",
            MAX_KEPT >> 20
        )
    })
}

/// Whether it is proved that no mate is shorter than the certificate's.
fn is_shortest(verdict: &Verdict, certificate: &Certificate) -> bool {
    let plies = verdict.value().and_then(Value::plies);
    let as_soon = matches!(certificate.claim, Claim::Wins(_, n) if Some(n) == plies);
    verdict.is_shortest() && as_soon
}
