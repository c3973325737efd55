//! Chooses engines, combines their answers, returns one [`Verdict`] with its evidence.

mod evidence;
mod graph;
mod verdict;

pub use evidence::{CertificateError, Evidence, Rated};
pub use verdict::{Bound, Formula, Report, Verdict};

use crate::chess::{Profile, Vector};
use crate::limits::Budget;

/// The engine that decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// Chooses for each position.
    #[default]
    Auto,
    /// Leg(y⁰) listed and solved by fixpoints: the reference.
    Graph,
}

impl std::fmt::Display for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Graph => "graph",
        })
    }
}

/// What is asked of [`solve`].
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// The engine.
    pub engine: Engine,
    /// The rules.
    pub profile: Profile,
    /// Whether the satisfiability of the printed Θ1..Θ4 is wanted too (needs the graph).
    pub literal: bool,
}

/// Decides which of Θ1, Θ2* (= Θ4*), Θ3 is satisfiable. A limit is an answer: the verdict is then unknown, with what
/// is proved and why it stopped.
pub fn solve(root: &Vector, options: &Options, budget: &Budget) -> Verdict {
    graph::solve(root, options, budget)
}
