//! What a position is worth with best play by both sides; there is no fifty-move rule.

use super::Side;
use serde::Serialize;

/// Plies from which on the length of a win is not known: it rests on what says who wins and not how
/// soon. More than any mate of seven men takes (1,097 plies, by the tables of all of them), and few
/// enough to be counted with in 16 bits.
pub const UNMEASURED: u32 = 20_000;

/// The value of a position with best play.
///
/// ```
/// use theta_chess::chess::{Outcome, Side, Value};
///
/// let mate_in_two = Value::Wins(Side::White, 3);
/// assert_eq!(mate_in_two.before(), Value::Wins(Side::White, 4));
/// assert_eq!((mate_in_two.won_by(Side::White), mate_in_two.won_by(Side::Black)), (Some(3), None));
/// assert_eq!(mate_in_two.outcome(), Outcome::Wins(Side::White));
/// assert!(mate_in_two.preference(Side::White) > Value::Draw.preference(Side::White));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum Value {
    /// The side mates in this many plies at best (the rank in the least fixpoint); the other side
    /// cannot avoid it. 0: the other side is mated.
    Wins(#[serde(serialize_with = "crate::chess::serialize_side")] Side, u32),
    /// Both sides can hold for ever.
    Draw,
}

impl Value {
    /// Who wins, if anybody.
    pub fn outcome(self) -> Outcome {
        match self {
            Self::Wins(side, _) => Outcome::Wins(side),
            Self::Draw => Outcome::Draw,
        }
    }

    /// The side that wins, if one does.
    pub fn winner(self) -> Option<Side> {
        self.outcome().winner()
    }

    /// The plies to mate; none for a draw, and where nothing is known of the length
    /// ([`UNMEASURED`]).
    pub fn plies(self) -> Option<u32> {
        match self {
            Self::Wins(_, plies) => Some(plies).filter(|&plies| plies < UNMEASURED),
            Self::Draw => None,
        }
    }

    /// The plies to mate by this side, if it wins.
    pub fn won_by(self, side: Side) -> Option<u32> {
        match self {
            Self::Wins(winner, plies) if winner == side => Some(plies),
            _ => None,
        }
    }

    /// The value of a position from which the best move leads to one of this value.
    #[must_use]
    pub fn before(self) -> Self {
        match self {
            Self::Wins(side, plies) => Self::Wins(side, plies + 1),
            Self::Draw => Self::Draw,
        }
    }

    /// The value after a move that keeps one of this value: the inverse of [`Value::before`]. What
    /// is not measured stays so.
    #[must_use]
    pub fn after(self) -> Self {
        match self {
            Self::Wins(side, plies) if plies > UNMEASURED => Self::Wins(side, plies - 1),
            Self::Wins(side, UNMEASURED) => Self::Wins(side, UNMEASURED),
            Self::Wins(side, plies) => Self::Wins(side, plies.saturating_sub(1)),
            Self::Draw => Self::Draw,
        }
    }

    /// Orders values by the preference of a side: quick wins first, then slow wins, draws, slow
    /// losses, quick losses; larger is better.
    pub fn preference(self, side: Side) -> i64 {
        const WIN: i64 = 1 << 32;
        match self {
            Self::Wins(winner, plies) if winner == side => WIN - i64::from(plies),
            Self::Wins(_, plies) => i64::from(plies) - WIN,
            Self::Draw => 0,
        }
    }
}

/// A value without its distance: who wins, if anybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// This side wins.
    Wins(Side),
    /// Nobody does.
    Draw,
}

impl Outcome {
    /// Who wins.
    pub fn winner(self) -> Option<Side> {
        match self {
            Self::Wins(side) => Some(side),
            Self::Draw => None,
        }
    }

    /// Whether this side wins.
    pub fn is_win_of(self, side: Side) -> bool {
        self == Self::Wins(side)
    }

    /// `won`, `drawn` or `lost`, as this side sees it.
    pub fn word(self, side: Side) -> &'static str {
        match self.sign(side) {
            1 => "won",
            0 => "drawn",
            _ => "lost",
        }
    }

    /// 1 for a win of this side, 0 for a draw, −1 for a loss.
    pub fn sign(self, side: Side) -> i32 {
        match self {
            Self::Wins(winner) => {
                if winner == side {
                    1
                } else {
                    -1
                }
            }
            Self::Draw => 0,
        }
    }

    /// The outcome with the colours exchanged.
    #[must_use]
    pub fn exchanged(self) -> Self {
        match self {
            Self::Wins(side) => Self::Wins(side.other()),
            Self::Draw => Self::Draw,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_in_order_of_preference() {
        let (white, black) = (Side::White, Side::Black);
        let order = [
            Value::Wins(white, 0),
            Value::Wins(white, u32::MAX),
            Value::Draw,
            Value::Wins(black, 500),
            Value::Wins(black, 1),
        ];
        for pair in order.windows(2) {
            assert!(pair[0].preference(white) > pair[1].preference(white));
            assert!(pair[0].preference(black) < pair[1].preference(black));
        }
    }
}
