//! Choices of the library as values of options: the library knows nothing of command lines.

use clap::ValueEnum;
use clap::builder::PossibleValue;
use std::fmt;
use theta_chess::sat::ProofFormat;
use theta_chess::solve::Engine;

/// `--engine`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct EngineArg(Engine);

impl ValueEnum for EngineArg {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [EngineArg; Engine::ALL.len()] = {
            let mut all = [EngineArg(Engine::Auto); Engine::ALL.len()];
            let mut at = 0;
            while at < all.len() {
                all[at] = EngineArg(Engine::ALL[at]);
                at += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name()).help(self.0.summary()))
    }
}

impl fmt::Display for EngineArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<EngineArg> for Engine {
    fn from(arg: EngineArg) -> Self {
        arg.0
    }
}

/// `--proof-format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum ProofFormatArg {
    /// Clauses added and deleted, in text: drat-trim, rate.
    #[default]
    Drat,
    /// The same with the clauses that each step follows from, in text: lrat-check, cake_lpr.
    Lrat,
}

impl From<ProofFormatArg> for ProofFormat {
    fn from(arg: ProofFormatArg) -> Self {
        match arg {
            ProofFormatArg::Drat => Self::Drat,
            ProofFormatArg::Lrat => Self::Lrat,
        }
    }
}
