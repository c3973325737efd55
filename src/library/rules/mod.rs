//! Rules that cut lines, as claims: a condition over a material and the value that follows from it.
//! Each is put to every legal position of its material, against the exact tables; nothing is
//! believed.
//!
//! # References
//! * A. D. Yudin, *The endgame library of the program PIONEER*, §3.19–3.20: the absolute criterion
//!   and the two sufficient criteria (spec page 4.6).
//! * J. Fürnkranz, *Separate-and-conquer rule learning* (1999): how exceptions are put into words
//!   ([`repair`]).

mod book;
mod check;
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
pub use collection::{BUILT_IN, Collection, vocabulary};
pub use condition::{Comparison, Condition, Man, Number, Place, Scene};
pub use print::Shown;
pub use read::{RuleError, parse_condition, parse_rules};
pub use repair::{Group, Repair, repair};

use crate::chess::board::Color;
use crate::tables::{Material, Placement, Value};

/// What a rule says the value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Conclusion {
    /// White (true) or Black wins.
    Wins(bool),
    /// A draw.
    Draw,
    /// White (true) or Black has at least a draw.
    Holds(bool),
    /// The side to move wins.
    MoverWins,
    /// The side to move has at least a draw.
    MoverHolds,
    /// The side to move loses.
    MoverLoses,
}

impl Conclusion {
    /// Is this the truth in a position of this value (seen by the side to move)?
    pub fn is_true(self, to_move: Color, value: Value) -> bool {
        let white_wins = match value {
            Value::Win(_) => to_move == Color::White,
            Value::Loss(_) => to_move == Color::Black,
            Value::Draw => return matches!(self, Self::Draw | Self::Holds(_) | Self::MoverHolds),
        };
        match self {
            Self::Wins(white) | Self::Holds(white) => white == white_wins,
            Self::Draw => false,
            Self::MoverWins | Self::MoverHolds => matches!(value, Value::Win(_)),
            Self::MoverLoses => matches!(value, Value::Loss(_)),
        }
    }

    /// What it says of the owner, `white` being the side that the rule calls White: that it wins
    /// (`wins`) or else holds, that it does not, or nothing.
    pub fn settles(self, white: Color, mover: Color, owner: Color, wins: bool) -> Option<bool> {
        let side = |is_white: bool| if is_white { white } else { white.other() };
        let won_by = |winner: Color| Some(winner == owner);
        let held_by = |holder: Color| match (holder == owner, wins) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        };
        match self {
            Self::Wins(is_white) => won_by(side(is_white)),
            Self::MoverWins => won_by(mover),
            Self::MoverLoses => won_by(mover.other()),
            Self::Draw => Some(!wins),
            Self::Holds(is_white) => held_by(side(is_white)),
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
