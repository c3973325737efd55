//! A certificate put to the kernel.

use super::work::{Attempt, Step, Task, internal};
use crate::cli::Context;
use crate::cli::cited::Citations;
use crate::cli::serve::asked::Asked;
use crate::cli::serve::error::ApiError;
use crate::cli::serve::held::Held;
use crate::cli::verify::{Outcome, Report, examine};
use serde::Serialize;
use theta_chess::certificate::{Certificate, modern};
use theta_chess::limits::Budget;
use theta_chess::verify::Rejection;

/// The work.
pub struct Verify {
    /// The file, in format 4, or what is wrong with an older one.
    file: Result<Vec<u8>, Rejection>,
}

/// The report, and whose strategies the certificate has.
#[derive(Serialize)]
struct Told {
    #[serde(flatten)]
    report: Report,
    sides: Vec<String>,
}

impl Verify {
    /// # Errors
    /// Bytes that are no certificate.
    pub fn new(body: &[u8]) -> Result<Self, ApiError> {
        let file = modern(body).map(|bytes| bytes.into_owned()).map_err(Rejection::from);
        let file = file.and_then(|file| match Certificate::read(&file) {
            Err(error) if Rejection::from(error.clone()).is_unreadable() => Err(error.into()),
            _ => Ok(file),
        });
        match file {
            Err(error) if error.is_unreadable() => {
                Err(ApiError::bad("bad_certificate", error.to_string()))
            }
            file => Ok(Self { file }),
        }
    }
}

impl Task for Verify {
    fn asked(&self) -> Asked {
        Asked { time: Some(f64::from(u16::MAX)), ..Asked::default() }
    }

    fn run(&mut self, at: &mut Attempt<'_>, budget: &Budget) -> Result<Step, ApiError> {
        let (report, held) = match &self.file {
            Err(error) => (Report::of_fault(error, 0.0), None),
            Ok(file) => {
                let report = report_on(file, &at.desk.context, budget)?;
                let held = Certificate::read(file).ok().filter(|_| report.is_accepted());
                (report, held)
            }
        };
        let held = held.and_then(|certificate| Held::of_certificate(certificate, false));
        let sides = held.as_ref().map_or_else(Vec::new, |held| {
            held.sides().map(|side| side.to_string().to_lowercase()).collect()
        });
        if let Some(held) = held {
            at.job.hold(held);
        }
        at.tell("result", &Told { report, sides });
        Ok(Step::Over)
    }
}

/// What the kernel says of a certificate of format 4.
///
/// # Errors
/// Bytes that are none, or a limit.
pub fn report_on(file: &[u8], context: &Context, budget: &Budget) -> Result<Report, ApiError> {
    let citations = Citations::new(false, context).map_err(internal)?;
    match examine(file, &citations, context, budget) {
        Outcome::Rejected(error) if error.is_unreadable() => {
            Err(ApiError::bad("bad_certificate", error.to_string()))
        }
        Outcome::Rejected(error) => Ok(Report::of_fault(&error, budget.elapsed().as_secs_f64())),
        Outcome::Accepted(proved) => {
            Ok(Report::of_proof(proved, Some(&citations), budget.elapsed().as_secs_f64()))
        }
        Outcome::Open(stop) => {
            let why = stop.map_or_else(|| "abandoned".to_string(), |stop| stop.to_string());
            Err(ApiError::bad("bad_request", format!("not checked to the end: {why}")))
        }
    }
}
