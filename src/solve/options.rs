//! What is asked of a [`Solver`](super::Solver), beside the position and the limits.

use super::Engine;
use crate::chess::Profile;
use crate::pioneer::image::Horizon;
use crate::prove::{ProveOptions, Zones};
use crate::tables::MAX_MEN;

/// Options of a [`Solver`](super::Solver). Each has a default; the methods set one and give the rest
/// back as they were.
///
/// ```
/// use theta_chess::solve::{Engine, Options};
///
/// let options = Options::default().with_engine(Engine::Search).with_table_men(4);
/// assert_eq!(options.engine, Engine::Search);
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Options {
    /// The engine that decides.
    pub engine: Engine,
    /// The rules of the game: the laws of chess, or the paper's as printed.
    pub profile: Profile,
    /// Whether the satisfiability of the printed Θ1 to Θ4 is wanted too (needs the whole graph).
    pub literal: bool,
    /// Whether a win is made shorter, or proved the shortest, for as long as the limits allow; else
    /// a few times as long as finding it took.
    pub shortest: bool,
    /// Whether what rests on Syzygy tables is proved by our own as well, as far as can be.
    pub self_contained: bool,
    /// Men of the largest tables at the leaves of searches, kings included: 2 for none, 5 at most.
    pub table_men: usize,
    /// The first horizon of the zones in proofs by subgoals.
    pub horizon: Horizon,
    /// Where the attacker's moves come from in proofs by subgoals.
    pub zones: Zones,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            engine: Engine::Auto,
            profile: Profile::Fide,
            literal: false,
            shortest: false,
            self_contained: false,
            table_men: MAX_MEN,
            horizon: Horizon::new(4),
            zones: Zones::Auto,
        }
    }
}

impl Options {
    /// The engine that decides.
    #[must_use]
    pub fn with_engine(self, engine: Engine) -> Self {
        Self { engine, ..self }
    }

    /// The rules of the game.
    #[must_use]
    pub fn with_profile(self, profile: Profile) -> Self {
        Self { profile, ..self }
    }

    /// Whether the satisfiability of the printed Θ1 to Θ4 is wanted too.
    #[must_use]
    pub fn with_literal(self, literal: bool) -> Self {
        Self { literal, ..self }
    }

    /// Whether a win is made shorter, or proved the shortest, for as long as the limits allow.
    #[must_use]
    pub fn with_shortest(self, shortest: bool) -> Self {
        Self { shortest, ..self }
    }

    /// Whether what rests on Syzygy tables is proved by our own as well, as far as can be.
    #[must_use]
    pub fn with_self_contained(self, self_contained: bool) -> Self {
        Self { self_contained, ..self }
    }

    /// Men of the largest tables at the leaves of searches; more than five are five.
    #[must_use]
    pub fn with_table_men(self, men: usize) -> Self {
        Self { table_men: men.min(MAX_MEN), ..self }
    }

    /// The first horizon of the zones in proofs by subgoals.
    #[must_use]
    pub fn with_horizon(self, horizon: Horizon) -> Self {
        Self { horizon, ..self }
    }

    /// Where the attacker's moves come from in proofs by subgoals.
    #[must_use]
    pub fn with_zones(self, zones: Zones) -> Self {
        Self { zones, ..self }
    }

    /// What a proof by subgoals is told of them.
    pub(super) fn of_proof(&self, certify: bool) -> ProveOptions {
        ProveOptions {
            horizon: self.horizon,
            zones: self.zones,
            table_men: self.table_men,
            certify,
        }
    }
}
