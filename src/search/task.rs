//! What a proof search is asked: who attacks, with which moves, towards which goal, and what is
//! known beforehand.

use super::checks::has_more_flights;
use crate::chess::board::{Board, MoveList};
use crate::chess::{Side, UNMEASURED, Value};
use crate::limits::Budget;
use crate::strategy::Rules;

/// The attacker's moves that may be used in a position: legal moves, all or some of them.
pub type Moves<'a> = dyn Fn(&Board) -> MoveList + Sync + 'a;
/// A property of positions.
pub type Goal<'a> = dyn Fn(&Board) -> bool + Sync + 'a;
/// The value of a position with its exact distance to mate, where it is known (tables).
pub type Probe<'a> = dyn Fn(&Board) -> Option<Value> + Sync + 'a;

/// The probe that knows nothing.
pub fn no_probe(_: &Board) -> Option<Value> {
    None
}

/// How far a position looks from one that is known to be won. It orders the search's work; it
/// decides nothing.
pub trait Outlook: std::fmt::Debug + Send + Sync {
    /// About the positions that a proof of the attacker's win will take beyond what the search
    /// guesses by itself.
    fn beyond(&self, board: &Board, attacker: Side) -> u32;
}

/// What a turn of another method came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AsideTurn {
    /// Positions visited.
    pub visited: u64,
    /// Whether more turns may help.
    pub open: bool,
}

/// Another method that gets turns between those of the search.
pub trait Aside: std::fmt::Debug + Send + Sync {
    /// Works on about so many positions, by so many threads.
    fn turn(&self, positions: u64, threads: usize, budget: &Budget) -> AsideTurn;

    /// Whether it has decided the position: the search then ends, but for a shorter win.
    fn has_decided(&self) -> bool;

    /// The winner and the plies at most, if it has found a win.
    fn won(&self) -> Option<(Side, u16)>;

    /// Looks for a win of a side in fewer plies than so many, in about so many positions.
    fn shorten(
        &self,
        side: Side,
        plies: u16,
        positions: u64,
        threads: usize,
        budget: &Budget,
    ) -> AsideTurn;

    /// Whether it has proved that White and that Black hold.
    fn holds(&self) -> [bool; 2];
}

/// The attacker tries to reach the goal by force; the defender has all its legal moves.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// The side that tries.
    pub(super) attacker: Side,
    /// The attacker's moves; `None`: all of them.
    pub moves: Option<&'a Moves<'a>>,
    /// The attacker's moves may leave the defender's king no more flights than so many; `None`: any
    /// number.
    pub(super) flights: Option<u8>,
    /// The goal, tested in every position whoever moves; `None`: the defender is mated. A game that
    /// ends elsewhere has failed.
    pub goal: Option<&'a Goal<'a>>,
    /// Known values. Used when the goal is mate only: a draw or a loss ends the attempt, a win
    /// counts with its distance, if that is known.
    pub probe: &'a Probe<'a>,
    /// Proved rules: where one says that the attacker wins or the defender holds, the line ends.
    /// Used as the probe is.
    pub rules: Option<&'a dyn Rules>,
    /// What orders the work beside the search's own guesses.
    pub outlook: Option<&'a dyn Outlook>,
}

/// Plies that a win of unknown length counts as, so that it is found whatever the horizon: the least lower
/// bound of a position that is looked at without being searched. The strategy that is made of it counts
/// the plies anew.
pub(super) const SHORTLY: u16 = 3;

/// How far the goal is, where that is known beforehand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Distance {
    /// So many plies with best play.
    Exactly(u16),
    /// So many at most.
    AtMost(u16),
    /// It is reached, in how many plies is not known.
    Somehow,
    /// It cannot be reached.
    Never,
}

impl Distance {
    /// The plies to it at most, if it is known to be reached within `plies`.
    pub(super) fn within(self, plies: u16) -> Option<u16> {
        match self {
            Self::Exactly(n) | Self::AtMost(n) if n <= plies => Some(n),
            Self::Somehow if SHORTLY <= plies => Some(SHORTLY),
            _ => None,
        }
    }
}

impl<'a> Task<'a> {
    /// Mate by all moves, nothing known beforehand.
    pub fn mate(attacker: Side) -> Self {
        Self {
            attacker,
            moves: None,
            flights: None,
            goal: None,
            probe: &no_probe,
            rules: None,
            outlook: None,
        }
    }

    /// The same task with known values.
    #[must_use]
    pub fn with_probe(self, probe: &'a Probe<'a>) -> Self {
        Self { probe, ..self }
    }

    /// The same task with lines that proved rules may end.
    #[must_use]
    pub fn with_rules(self, rules: Option<&'a dyn Rules>) -> Self {
        Self { rules, ..self }
    }

    /// The same task with its work ordered by an outlook.
    #[must_use]
    pub fn with_outlook(self, outlook: Option<&'a dyn Outlook>) -> Self {
        Self { outlook, ..self }
    }

    /// The same task with the attacker's moves restricted. A failure then says nothing about the
    /// unrestricted task.
    #[must_use]
    pub fn with_moves(self, moves: &'a Moves<'a>) -> Self {
        Self { moves: Some(moves), ..self }
    }

    /// The same task where the defender's king is left no more flights than so many. What is won is won
    /// in the unrestricted task too; a failure says nothing about it.
    #[must_use]
    pub(super) fn with_flights(self, most: u8) -> Self {
        Self { flights: Some(most), ..self }
    }

    /// The same attacker with another goal than mate.
    #[must_use]
    pub fn with_goal(self, goal: &'a Goal<'a>) -> Self {
        Self { goal: Some(goal), ..self }
    }

    /// The moves that the search follows in a position.
    pub(super) fn moves_in(&self, board: &Board) -> MoveList {
        if board.side_to_move() != self.attacker {
            return board.legal_moves();
        }
        let mut moves = self.moves.map_or_else(|| board.legal_moves(), |moves| moves(board));
        if let Some(most) = self.flights {
            moves.retain(|m| !has_more_flights(board.after(*m).chess(), most));
        }
        moves
    }

    /// The distance to the goal by the probe, else by a rule.
    pub(super) fn known_distance(&self, board: &Board) -> Option<Distance> {
        if self.goal.is_some() {
            return None;
        }
        let Some(value) = (self.probe)(board) else { return self.ruled_distance(board) };
        Some(match value.won_by(self.attacker) {
            Some(UNMEASURED..) => Distance::Somehow,
            Some(plies) => Distance::Exactly(plies.try_into().ok()?),
            None => Distance::Never,
        })
    }

    fn ruled_distance(&self, board: &Board) -> Option<Distance> {
        let (rules, p) = (self.rules?, board.packed());
        match rules.end(&p, self.attacker, true) {
            Some(end) if end.plies >= UNMEASURED => Some(Distance::Somehow),
            Some(end) => Some(Distance::AtMost(end.plies.try_into().ok()?)),
            None => rules.end(&p, self.attacker.other(), false).map(|_| Distance::Never),
        }
    }
}
