//! Where an aim is true: the positions of all legal play.

use super::leg::Leg;
use crate::aim::Aim;
use crate::chess::{Profile, Vector};
use crate::game::Game;
use crate::limits::{Budget, StopReason};
use crate::modelcheck;

/// The positions of Leg(y⁰) at which an aim is true.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct States {
    /// Positions in Leg(y⁰).
    pub positions: u64,
    /// At so many of them the aim is true.
    pub holds: u64,
    /// The first of those, in the order in which play discovers them.
    pub first: Vec<Vector>,
}

/// Evaluates an aim at every position that legal play from a root can lead to, and names the first
/// `most` at which it is true. Lists all of Leg(y⁰).
///
/// # Errors
/// The limit that was reached.
pub fn states(
    root: &Vector,
    aim: &Aim,
    profile: Profile,
    most: usize,
    budget: &Budget,
) -> Result<States, StopReason> {
    let game = Game::explore(root, profile, budget).map_err(|stopped| stopped.reason)?;
    let leg = Leg::new(&game, aim, budget)?;
    let found = modelcheck::satisfying(aim.arena(), aim.formula(), &leg.kripke, budget)?;
    Ok(States {
        positions: u64::from(game.len()),
        holds: found.iter().count() as u64,
        first: found.iter().take(most).map(|id| game.vector(id)).collect(),
    })
}
