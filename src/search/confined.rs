//! Forced mates by moves that leave the defender's king few flights.
//!
//! Most composed mates, and many of those that arise in play, keep the king where it is: every move of
//! the attacker, check or quiet, leaves it no flight or one. A search that knows only such moves looks
//! a few moves further in the same time. What it wins is won; what it does not find says nothing.
//!
//! # References
//! * *Popeye*, its option `maxflightsquares` (the same restriction, given by a person).
//! * `docs/theory.md`, section 16: why a win by some of the winner's moves is a win.

use super::attack::Attack;
use super::bounds::{Bounds, NEVER};
use super::crew::Threads;
use super::meter::Meter;
use super::plan::Plan;
use super::prospect::Style;
use super::solve::{unless_over, unless_slice};
use super::task::Task;
use crate::chess::board::Board;
use crate::limits::StopReason;

/// The most flights that are left, in the order in which they are tried.
const FLIGHTS: [u8; 3] = [1, 0, 2];
/// A turn is for proof numbers with each of them, and depth-first with the two smaller ones.
const PARTS: u64 = 5;
/// Plies that are looked ahead at first.
const HORIZON: u16 = 31;
/// Mates of more plies are not looked for depth-first.
const DEEPEST: u16 = 41;

/// One side's attempts to mate a king that has few flights, one for each number of them.
pub(super) struct Confined<'a>([Attack<'a>; FLIGHTS.len()]);

impl<'a> Confined<'a> {
    pub(super) fn new(board: &Board, task: Task<'a>, threads: &Threads) -> Self {
        let attack = |most| Attack::new(board, task.with_flights(most)).with_threads(threads);
        Self(FLIGHTS.map(|most| attack(most).looking_ahead(HORIZON)))
    }

    /// A turn of about so many positions: the plan of a win in fewer plies than `found`, if there is
    /// one.
    pub(super) fn turn(
        &mut self,
        bounds: &mut Bounds,
        meter: &mut Meter,
        positions: u64,
        found: Option<u16>,
    ) -> Result<Option<Plan>, StopReason> {
        let part = positions / PARTS;
        for (attack, most) in self.0.iter_mut().zip(FLIGHTS) {
            attack.beaten = found.unwrap_or(NEVER);
            let end = match found {
                Some(_) => attack.shorten(bounds, meter, part, false),
                None => {
                    meter.slice(part);
                    attack.prove(bounds, meter, Style::Sharp)
                }
            };
            unless_over(end)?;
            if most < FLIGHTS.len() as u8 - 1 {
                meter.slice(part);
                unless_slice(attack.deepen(bounds, meter, DEEPEST))?;
            }
            if let Some(plan) = attack.plan.take() {
                return Ok(Some(plan));
            }
        }
        Ok(None)
    }
}
