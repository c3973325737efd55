//! Forced mates by moves that leave the defender's king few flights.
//!
//! Most composed mates, and many of those that arise in play, keep the king where it is: every move of
//! the attacker, check or quiet, leaves it no flight or one. A search that knows only such moves looks
//! a few moves further in the same time. What it wins is won; what it does not find says nothing.
//!
//! Of 57 mates in 6 to 20, proof numbers find 19 with at most one flight in 25,000 positions, and others
//! with none or two; depth-first search with none or one finds mates in 6 to 12 at their length
//! (docs/benchmarks.md, "Mates of a king with few flights").
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
/// Depth-first search leaves no more.
const DEPTH_FIRST: u8 = 1;
/// Parts of a turn: proof numbers with each of them, and depth-first with two.
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
            if most <= DEPTH_FIRST {
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

#[cfg(test)]
mod tests {
    use super::super::checks::has_more_flights;
    use super::*;
    use crate::chess::board::move_of;
    use crate::limits::{Budget, Limits};

    const MATES: &str = include_str!("../../positions/mates.epd");

    /// A position of the collection and the plies of its mate.
    fn mate(id: &str) -> (Board, u16) {
        let line = MATES.lines().find(|line| line.contains(id)).expect("a row of the collection");
        let (fen, rest) = line.split_once(" dm ").expect("a length");
        let moves: u16 = rest.split(';').next().unwrap().parse().expect("a number of moves");
        (Board::from_fen(fen).unwrap(), 2 * moves - 1)
    }

    /// The plan of the shortest win that turns of so many positions find one after the other.
    fn shortest(root: &Board, turns: u32, positions: u64) -> Option<Plan> {
        let budget = Budget::new(Limits::default().with_threads(1));
        let (mut bounds, task) = (Bounds::new(1 << 24), Task::mate(root.side_to_move()));
        let mut meter = Meter::new(&budget, bounds.bytes());
        let mut confined = Confined::new(root, task, &Threads::default());
        let mut best: Option<Plan> = None;
        for _ in 0..turns {
            let found = best.as_ref().map(Plan::plies);
            let plan = confined.turn(&mut bounds, &mut meter, positions, found).unwrap();
            best = plan.or(best);
        }
        best
    }

    #[test]
    fn mates_of_a_king_with_few_flights_are_found_at_their_length() {
        for id in ["mt-049", "mt-058", "mt-062", "mt-067", "mt-068", "mt-077", "mt-083", "mt-092"] {
            let (root, plies) = mate(id);
            let plan = shortest(&root, 4, 200_000).unwrap_or_else(|| panic!("{id} is not won"));
            assert_eq!(plan.plies(), plies, "{id}");
            // The plan is one of the restricted game, and its own moves are found again in it.
            let first = plan.own_play(&root).unwrap_or_else(|| panic!("{id} has no first move"));
            let play = root.legal_moves().into_iter().find(|m| move_of(m) == first);
            let next = root.after(play.expect("a legal move"));
            assert!(!has_more_flights(next.chess(), FLIGHTS[2]), "{id}: {first}");
        }
    }

    #[test]
    fn a_king_that_every_move_leaves_flights_is_not_looked_for() {
        let root = Board::from_fen("8/8/8/3k4/8/8/8/R3K3 w - -").unwrap();
        assert!(shortest(&root, 2, 20_000).is_none());
    }
}
