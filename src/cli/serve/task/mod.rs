//! The kinds of work: what each is asked, and what it tells.

mod check;
mod explain;
mod formula;
mod game;
mod moves;
mod sat;
mod solve;
mod squares;
mod strategy;
mod subgoals;
mod verify;
mod work;

use super::desk::Desk;
use super::error::ApiError;
pub use game::listing;
pub use work::{Attempt, Field, Step, Task, position, read, shown};

/// Makes the work of a request; the kind is the last part of the address.
///
/// # Errors
/// No such kind, or a request that cannot be read.
pub fn of(kind: &str, body: &[u8], desk: &Desk) -> Result<Made, ApiError> {
    Ok(match kind {
        "solve" => made("solve", solve::Solve::new(read(body)?, desk)?),
        "moves" => made("moves", moves::Moves::new(read(body)?, desk)?),
        "strategy" => made("strategy", strategy::Show::new(read(body)?)?),
        "subgoals" => made("subgoals", subgoals::Propose::new(read(body)?)?),
        "explain" => made("explain", explain::Explain::new(read(body)?)?),
        "formula" => made("formula", formula::Print::new(read(body)?)?),
        "check" => made("check", check::Check::new(read(body)?)?),
        "sat" => made("sat", sat::Sat::new(read(body)?)?),
        "squares" => made("squares", squares::Find::new(read(body)?)?),
        "game" => made("game", game::Play::new(read(body)?)?),
        "verify" => made("verify", verify::Verify::new(body)?),
        _ => return Err(ApiError::not_found(format!("no such work: `{}`", shown(kind)))),
    })
}

/// The name of a kind, with the work.
pub type Made = (&'static str, Box<dyn Task>);

fn made(kind: &'static str, task: impl Task + 'static) -> Made {
    (kind, Box::new(task))
}

/// The requests of all kinds with their fields.
pub const REQUESTS: &[(&str, &[Field])] = &[
    ("solve", solve::Request::FIELDS),
    ("moves", moves::Request::FIELDS),
    ("strategy", strategy::Request::FIELDS),
    ("subgoals", subgoals::Request::FIELDS),
    ("explain", explain::Request::FIELDS),
    ("formula", formula::Request::FIELDS),
    ("check", check::Request::FIELDS),
    ("sat", sat::Request::FIELDS),
    ("squares", squares::Request::FIELDS),
    ("game", game::Request::FIELDS),
];
