//! Rules that cut lines, as claims: a condition over a material and the value that follows from it.
//! Each is put to every legal position of its material, against the exact tables; nothing is
//! believed.
//!
//! # References
//! * A. D. Yudin, *The endgame library of the program PIONEER*, §3.19–3.20: the absolute criterion
//!   and the two sufficient criteria (docs/theory.md §14).
//! * J. Fürnkranz, *Separate-and-conquer rule learning* (1999): how exceptions are put into words
//!   ([`repair`]).

mod book;
mod check;
mod cited;
mod collection;
mod condition;
mod kept;
mod print;
mod read;
mod repair;
#[cfg(test)]
mod tests;

pub use book::RuleBook;
pub use check::{Check, Counterexample, check};
pub use cited::{CitedError, MAX_CITED, prove_cited, read_cited};
pub use collection::{BUILT_IN, Collection, vocabulary};
pub use condition::{Comparison, Condition, Man, Number, Place, Scene};
pub use print::Shown;
pub use read::{RuleError, parse_condition, parse_rules};
pub use repair::{Group, Repair, repair};

use crate::chess::{Outcome, Side};
use crate::tables::{Material, Placement};

/// What a rule says the value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Conclusion {
    /// This side wins.
    Wins(Side),
    /// A draw.
    Draw,
    /// This side has at least a draw.
    Holds(Side),
    /// The side to move wins.
    MoverWins,
    /// The side to move has at least a draw.
    MoverHolds,
    /// The side to move loses.
    MoverLoses,
}

impl Conclusion {
    /// Is this the truth in a position of this outcome?
    pub fn is_true(self, to_move: Side, outcome: Outcome) -> bool {
        let Outcome::Wins(winner) = outcome else {
            return matches!(self, Self::Draw | Self::Holds(_) | Self::MoverHolds);
        };
        match self {
            Self::Wins(side) | Self::Holds(side) => side == winner,
            Self::Draw => false,
            Self::MoverWins | Self::MoverHolds => to_move == winner,
            Self::MoverLoses => to_move != winner,
        }
    }

    /// What it says of the owner, `white` being the side that the rule calls White: that it wins
    /// (`wins`) or else holds, that it does not, or nothing.
    pub fn settles(self, white: Side, mover: Side, owner: Side, wins: bool) -> Option<bool> {
        let in_rule = |side| if side == Side::White { white } else { white.other() };
        let won_by = |winner: Side| Some(winner == owner);
        let held_by = |holder: Side| match (holder == owner, wins) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        };
        match self {
            Self::Wins(side) => won_by(in_rule(side)),
            Self::MoverWins => won_by(mover),
            Self::MoverLoses => won_by(mover.other()),
            Self::Draw => Some(!wins),
            Self::Holds(side) => held_by(in_rule(side)),
            Self::MoverHolds => held_by(mover),
        }
    }
}

/// A rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Its name.
    pub name: String,
    /// What it says, in a sentence.
    pub says: String,
    /// The men on the board; the first-named side is White in the rule (for Black it holds
    /// mirrored).
    pub material: Material,
    /// When it applies.
    pub condition: Condition,
    /// When it does not apply after all.
    pub exception: Option<Condition>,
    /// What follows.
    pub conclusion: Conclusion,
}

impl Rule {
    /// Does it apply to this placement of its material?
    pub fn applies(&self, scene: &Scene, placement: &Placement) -> bool {
        scene.holds(placement, &self.condition)
            && !self.exception.as_ref().is_some_and(|exception| scene.holds(placement, exception))
    }
}
