//! The explicit graph as an engine.

use super::{Engine, Evidence, Options, Verdict};
use crate::chess::Vector;
use crate::game::{Game, Literal, Values};
use crate::limits::{Budget, StopReason};

/// Decides by listing Leg(y⁰) and its two least fixpoints.
pub(super) fn solve(root: &Vector, options: &Options, budget: &Budget) -> Verdict {
    let mut verdict = Verdict {
        root: *root,
        value: None,
        shortest: false,
        best: Vec::new(),
        best_complete: false,
        bounds: Vec::new(),
        stop: None,
        engine: Engine::Graph,
        positions: 0,
        seconds: 0.0,
        literal: None,
        evidence: Evidence::None,
    };
    if let Err(reason) = budget.check(0, 0) {
        return stopped(verdict, reason, 0, budget);
    }
    let game = match Game::explore(root, options.profile, budget) {
        Ok(game) => game,
        Err(end) => return stopped(verdict, end.reason, end.positions, budget),
    };
    budget.progress().stage("solving backwards", None);
    let values = Values::of(&game);
    verdict.positions = u64::from(game.len());
    verdict.value = Some(values.value(0));
    verdict.shortest = true;
    verdict.literal = options.literal.then(|| Literal::of(&game, &values, 0));
    verdict.evidence = Evidence::Graph(Box::new((game, values)));
    verdict.best = verdict.evidence.best(root, options.profile).unwrap_or_default();
    verdict.best_complete = true;
    verdict.seconds = budget.elapsed().as_secs_f64();
    verdict
}

fn stopped(mut verdict: Verdict, reason: StopReason, positions: u64, budget: &Budget) -> Verdict {
    verdict.stop = Some(reason);
    verdict.positions = positions;
    verdict.seconds = budget.elapsed().as_secs_f64();
    verdict
}
