//! Aims put to positions (docs/guide.md, `theta check`): are they true of all legal play, can one
//! side see to them?
//!
//! [`Rules::All`] asks whether the aim is true at y⁰ in Leg(y⁰), by model checking.
//! [`Rules::Owner`] asks whether `Init ∧ Rules ∧ AG EX T ∧ aim` is satisfiable, where a model lets
//! the owner pick one move at each turn and gives the other side every move. Aims with one
//! obligation at a time (no position must satisfy two temporal formulas at once) are decided by fixpoints over the positions (`fixpoint`), all others by the
//! tableau, on the formula itself (`formula`). Aims that look a few plies ahead or ask for
//! something to be reached are decided without listing all of Leg(y⁰) (`local`).

mod fixpoint;
mod formula;
mod leg;
mod line;
mod local;
mod states;
mod tree;

use crate::aim::Aim;
use crate::chess::{Profile, Side, Vector};
use crate::game::Game;
use crate::limits::{Budget, StopReason};
use crate::modelcheck;
use crate::tableau::{self, Answer, Options};
use fixpoint::{Fixpoints, Shape};
use leg::Leg;
pub use line::Line;
use local::Local;
pub use states::{States, states};
pub use tree::{Shown, Tree, shown};

/// Who chooses the moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rules {
    /// Every legal move of both sides is there.
    All,
    /// This side picks one move at each turn (Rules1 for White, Rules3 for Black).
    Owner(Side),
}

/// How an answer was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// A search outwards from the position, listing only what the aim needs.
    Local,
    /// The model checker on Leg(y⁰).
    ModelChecking,
    /// Fixpoints over Leg(y⁰) with the owner's choices.
    Fixpoints,
    /// The tableau, on the formula.
    Tableau,
}

/// An answer, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Checked {
    /// Whether the aim is true (satisfiable).
    pub answer: Result<bool, StopReason>,
    /// The method that answered, or was stopped; none if already the listing of positions was
    /// stopped.
    pub method: Option<Method>,
    /// Positions listed.
    pub positions: u64,
    /// Under all rules a line that shows why: a witness where the aim is true, a counter-example
    /// where it is false. None where the answer hangs on every line, not on one.
    pub line: Option<Line>,
}

/// Puts an aim to a position. Lists all of Leg(y⁰), unless the aim looks a fixed number of plies
/// ahead or asks for something to be reached.
pub fn check(root: &Vector, aim: &Aim, rules: Rules, profile: Profile, budget: &Budget) -> Checked {
    if let Some(mut local) = Local::new(root, aim, rules, profile, budget) {
        let answer = local.run();
        // The line is an extra: without time for it the answer stands.
        let line = answer.ok().and_then(|answer| local.line(answer).ok()).flatten();
        return Checked { answer, method: Some(Method::Local), positions: local.positions(), line };
    }
    let game = match Game::explore(root, profile, budget) {
        Ok(game) => game,
        Err(stopped) => {
            return Checked {
                answer: Err(stopped.reason),
                method: None,
                positions: stopped.positions,
                line: None,
            };
        }
    };
    let positions = u64::from(game.len());
    match Leg::new(&game, aim, budget) {
        Ok(leg) => {
            let (answer, method) = on_leg(&leg, aim, rules, budget);
            let shown = answer.ok().filter(|_| rules == Rules::All);
            let line = shown.and_then(|answer| shown_by(&leg, aim, answer, budget).ok()).flatten();
            Checked { answer, method, positions, line }
        }
        Err(stop) => Checked { answer: Err(stop), method: None, positions, line: None },
    }
}

/// The line that shows an answer of the model checker.
fn shown_by(
    leg: &Leg<'_>,
    aim: &Aim,
    answer: bool,
    budget: &Budget,
) -> Result<Option<Line>, StopReason> {
    let mut arena = aim.arena().clone();
    let formula = if answer { arena.nnf(aim.formula()) } else { arena.nnf_not(aim.formula()) };
    line::on_leg(leg, &arena, formula, budget)
}

fn on_leg(
    leg: &Leg<'_>,
    aim: &Aim,
    rules: Rules,
    budget: &Budget,
) -> (Result<bool, StopReason>, Option<Method>) {
    let owner = match rules {
        Rules::All => {
            let answer = modelcheck::holds(aim.arena(), aim.formula(), &leg.kripke, budget);
            return (answer, Some(Method::ModelChecking));
        }
        Rules::Owner(owner) => owner,
    };
    match by_fixpoints(leg, aim, owner, budget) {
        Some(answer) => (answer, Some(Method::Fixpoints)),
        None => (by_tableau(leg, aim, owner, budget), Some(Method::Tableau)),
    }
}

/// The answer by fixpoints; `None` if the aim is not of their form.
fn by_fixpoints(
    leg: &Leg<'_>,
    aim: &Aim,
    owner: Side,
    budget: &Budget,
) -> Option<Result<bool, StopReason>> {
    let mut arena = aim.arena().clone();
    let normal = arena.nnf(aim.formula());
    let shape = Shape::of(&arena, normal);
    if !shape.is_single(&arena, normal) {
        return None;
    }
    let fixpoints = Fixpoints { arena: &arena, leg, shape: &shape, owner, budget };
    Some(fixpoints.satisfiable(normal).map(|set| set.contains(leg.kripke.root())))
}

fn by_tableau(leg: &Leg<'_>, aim: &Aim, owner: Side, budget: &Budget) -> Result<bool, StopReason> {
    let mut arena = aim.arena().clone();
    let question = formula::rules_and_aim(leg, aim, owner, &mut arena, budget)?;
    let options = Options { total: true, ..Options::default() };
    match tableau::satisfiable(&mut arena, question, &options, budget).answer {
        Answer::Satisfiable(_) => Ok(true),
        Answer::Unsatisfiable => Ok(false),
        Answer::Unknown(stop) => Err(stop),
    }
}

#[cfg(test)]
mod tests;
