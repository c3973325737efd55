//! The rules that a certificate cites, proved from their texts.

use super::{Rule, RuleBook, RuleError, parse_rules};
use crate::limits::{Budget, StopReason};
use crate::tables::{TableError, Tables};

/// Why a cited rule is not accepted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CitedError {
    /// A text that cannot be read.
    #[error("{error} in `{text}`")]
    Unreadable {
        /// What is wrong.
        error: RuleError,
        /// The text.
        text: String,
    },
    /// A text that is not one rule.
    #[error("not one rule: `{0}`")]
    NotOne(String),
    /// A text longer than [`MAX_CITED`].
    #[error("a rule is longer than {MAX_CITED} bytes")]
    TooLong,
    /// Rules that do not hold without exception, by name.
    #[error("{0} does not hold")]
    Fails(String),
    /// A limit was reached first.
    #[error("not proved: {0}")]
    Stopped(StopReason),
    /// A table could not be built or read.
    #[error(transparent)]
    Tables(TableError),
}

/// The most bytes of a rule that a certificate cites.
pub const MAX_CITED: usize = 4096;

/// Reads the rules that a certificate cites.
///
/// # Errors
/// Which text is none, or is too long.
pub fn read_cited(texts: &[String]) -> Result<Vec<Rule>, CitedError> {
    let mut rules = Vec::new();
    for text in texts {
        if text.len() > MAX_CITED {
            return Err(CitedError::TooLong);
        }
        let unreadable = |error| CitedError::Unreadable { error, text: text.clone() };
        match &parse_rules(text).map_err(unreadable)?[..] {
            [rule] => rules.push(rule.clone()),
            _ => return Err(CitedError::NotOne(text.clone())),
        }
    }
    Ok(rules)
}

/// Proves the rules that a certificate cites on every position of their material: nothing that was
/// kept of earlier proofs is believed, and tables as far as they are trusted ([`Tables::with_trust`]
/// with [`crate::tables::Trust::Checked`] believes none). What [`crate::verify::verify_with`] asks
/// for.
///
/// # Errors
/// Which rule cannot be read, or does not hold, or that a limit was reached first.
pub fn prove_cited(
    texts: &[String],
    tables: &Tables,
    budget: &Budget,
) -> Result<RuleBook, CitedError> {
    let rules = read_cited(texts)?;
    match RuleBook::prove(tables, &rules, budget) {
        Ok((book, failed)) if failed.is_empty() => Ok(book),
        Ok((_, failed)) => Err(CitedError::Fails(failed.join(", "))),
        Err(TableError::Stopped(reason)) => Err(CitedError::Stopped(reason)),
        Err(error) => Err(CitedError::Tables(error)),
    }
}
