//! What a verdict rests on, where Syzygy tables have been given; and the same verdict without them.
//!
//! Which tables a proof rests on is read off its certificate: those that end its lines. So it is
//! made as soon as there is a verdict.

use super::engines::syzygy::words;
use super::question::Kept;
use super::{Evidence, SolveError, Solver, Verdict};
use crate::chess::{UNMEASURED, Value};
use crate::limits::Budget;
use crate::prove::CertificateError;
use crate::strategy::Citation;
use crate::tables::{MAX_MEN, Material, TableError};

/// How often a proof without Syzygy tables is tried: each time more of our own are there.
const ATTEMPTS: usize = 4;

impl Solver {
    /// The verdict with the Syzygy tables that it rests on; the length of a win is then not known.
    pub(super) fn with_citations(&self, mut verdict: Verdict, budget: &Budget) -> Verdict {
        let may_cite = matches!(
            verdict.evidence,
            Evidence::Search(..)
                | Evidence::Syzygy(_)
                | Evidence::Ready(_)
                | Evidence::Slices(_)
                | Evidence::Fortress(_)
                | Evidence::Joined(_)
        );
        let Some(tables) = self.kept.syzygy.as_ref().filter(|_| may_cite) else { return verdict };
        let plies = match verdict.certificate_within(budget) {
            Ok(certificate) => {
                let cited = certificate.cited();
                let tables = cited.into_iter().filter(|text| Citation::read(text).is_some());
                verdict.relies_on = tables.map(words).collect();
                certificate.strategies.iter().map(|strategy| strategy.longest()).max()
            }
            Err(CertificateError::Undecided) => None,
            Err(_) => {
                // It cannot be told which.
                verdict.relies_on =
                    vec![format!("some of {} Syzygy tables", tables.oracle().files())];
                None
            }
        };
        if let (Some(Value::Wins(side, _)), false) = (verdict.value, verdict.relies_on.is_empty()) {
            let plies = plies.unwrap_or(0).max(UNMEASURED);
            (verdict.value, verdict.shortest) = (Some(Value::Wins(side, plies)), false);
        }
        verdict
    }

    /// Replaces what rests on Syzygy tables by own proofs, as far as the budget allows: `ask` puts
    /// the same question again. What cannot be replaced stays named.
    ///
    /// # Errors
    /// As [`Solver::solve`].
    pub(super) fn self_contained(
        &self,
        budget: &Budget,
        mut verdict: Verdict,
        ask: impl Fn(&Self, &Budget) -> Result<Verdict, SolveError>,
    ) -> Result<Verdict, SolveError> {
        for _ in 0..ATTEMPTS {
            let left = budget.after(verdict.positions);
            if verdict.relies_on.is_empty() || left.check(0, 0).is_err() {
                return Ok(verdict);
            }
            let named: Vec<&str> = verdict.relies_on.iter().filter_map(|w| table_of(w)).collect();
            let own = named.iter().filter_map(|name| name.parse::<Material>().ok());
            let own: Vec<Material> = own.filter(|material| material.men() <= MAX_MEN).collect();
            if own.is_empty() {
                break;
            }
            budget.progress().note(&format!("own tables in the place of {}", named.join(", ")));
            for material in own {
                match self.kept.tables.ensure_values(material, &left.without_positions()) {
                    Ok(()) => {}
                    Err(TableError::Stopped(_)) => return Ok(verdict),
                    Err(error) => return Err(SolveError::Tables(error)),
                }
            }
            let next = ask(self, &left)?;
            if !next.is_answered() && verdict.is_answered() {
                break;
            }
            verdict = next;
        }
        if verdict.relies_on.is_empty() {
            return Ok(verdict);
        }
        // Tables of more men than ours: without any of them.
        let alone = Self { kept: Kept { syzygy: None, ..self.kept.afresh() }, ..self.clone() };
        let next = ask(&alone, &budget.after(verdict.positions))?;
        Ok(if next.is_answered() { next } else { verdict })
    }
}

/// The name of the table that words about it begin with.
fn table_of(words: &str) -> Option<&str> {
    words.strip_prefix("Syzygy ")?.split(',').next()
}
