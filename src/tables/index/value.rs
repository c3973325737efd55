//! Values of positions, and the byte that holds one.
//!
//! The byte's order is the order of preference of the side to move, so that the best of several
//! moves is the largest byte: 0 illegal; 1..=127 lost in 0, 2, …, 252 plies; 128 drawn; 129..=255
//! won in 253, 251, …, 1. Where one side loses in up to 254 plies (KPPvKP), its draw moves up by
//! one: see [`Scale`].

/// What a position is worth to the side to move, with best play by both; there is no fifty-move
/// rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Value {
    /// The side to move mates in this many plies (odd, 1 = mates at once) at best.
    Win(u16),
    /// Neither side can force mate.
    Draw,
    /// The side to move is mated in this many plies (even, 0 = it is mated) at best.
    Loss(u16),
}

impl Value {
    /// The value for the side that moved into a position of this value.
    #[must_use]
    pub fn before(self) -> Self {
        match self {
            Self::Win(plies) => Self::Loss(plies + 1),
            Self::Draw => Self::Draw,
            Self::Loss(plies) => Self::Win(plies + 1),
        }
    }

    /// Orders values by the preference of the side to move: quick wins first, then slow wins,
    /// draws, slow losses, quick losses; larger is better.
    pub fn preference(self) -> i32 {
        match self {
            Self::Win(plies) => 0x1_0000 - i32::from(plies),
            Self::Draw => 0,
            Self::Loss(plies) => i32::from(plies) - 0x1_0000,
        }
    }
}

/// A value as a byte.
pub(in crate::tables) type Code = u8;

/// No legal position.
pub(in crate::tables) const ILLEGAL: Code = 0;
/// Mated.
pub(in crate::tables) const MATED: Code = 1;
/// The plies from which on a table of the usual scales is refused: the loss before a win in 253 has
/// no byte there.
pub(in crate::tables) const DEEP: u16 = 253;

/// Lost in `plies` (even, at most [`Scale::longest_loss`]).
pub(in crate::tables) fn loss(plies: u16) -> Code {
    debug_assert!(plies.is_multiple_of(2) && plies <= 254);
    1 + (plies / 2) as u8
}

/// Won in `plies` (odd, at most [`Scale::longest_win`]).
pub(in crate::tables) fn win(plies: u16) -> Code {
    debug_assert!(plies % 2 == 1);
    255 - ((plies - 1) / 2) as u8
}

/// What the bytes of one side to move mean: which of them is the draw. Losses are below it, wins
/// above.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tables) struct Scale {
    pub(in crate::tables) draw: Code,
}

impl Scale {
    /// Losses to 252 plies, wins to 253.
    pub(in crate::tables) const USUAL: Self = Self { draw: 128 };
    /// Losses to 254 plies, wins to 251.
    pub(in crate::tables) const LOSER: Self = Self { draw: 129 };

    pub(in crate::tables) fn longest_loss(self) -> u16 {
        2 * u16::from(self.draw - 2)
    }

    pub(in crate::tables) fn longest_win(self) -> u16 {
        2 * u16::from(254 - self.draw) + 1
    }

    /// The value a code stands for, `None` for [`ILLEGAL`].
    pub(in crate::tables) fn decode(self, code: Code) -> Option<Value> {
        match code {
            ILLEGAL => None,
            _ if code < self.draw => Some(Value::Loss(2 * u16::from(code - 1))),
            _ if code == self.draw => Some(Value::Draw),
            _ => Some(Value::Win(2 * u16::from(255 - code) + 1)),
        }
    }

    /// The plies of a won or lost code; 0 for a draw.
    pub(in crate::tables) fn plies(self, code: Code) -> u16 {
        match self.decode(code) {
            Some(Value::Win(plies) | Value::Loss(plies)) => plies,
            _ => 0,
        }
    }

    /// The code, on the scale of the side that moves into a position of this code; illegal stays
    /// illegal. Not for [`Scale::unspeakable`].
    pub(in crate::tables) fn before(self, code: Code, mover: Self) -> Code {
        match code {
            ILLEGAL => ILLEGAL,
            _ if code < self.draw => 0u8.wrapping_sub(code),
            _ if code == self.draw => mover.draw,
            _ => 1u8.wrapping_sub(code),
        }
    }

    /// Whether the value before this one is too deep for the scale of the side that moves into it.
    pub(in crate::tables) fn unspeakable(self, code: Code, mover: Self) -> bool {
        match self.decode(code) {
            Some(Value::Win(plies)) => plies + 1 > mover.longest_loss(),
            Some(Value::Loss(plies)) => plies + 1 > mover.longest_win(),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn codes_hold_every_value_in_order_of_preference() {
        for (scale, last_loss, first_win) in [(Scale::USUAL, 252, 253), (Scale::LOSER, 254, 251)] {
            assert_eq!((scale.longest_loss(), scale.longest_win()), (last_loss, first_win));
            assert_eq!(scale.decode(MATED), Some(Value::Loss(0)));
            assert_eq!(scale.decode(loss(last_loss)), Some(Value::Loss(last_loss)));
            assert_eq!(scale.decode(win(1)), Some(Value::Win(1)));
            assert_eq!(scale.decode(win(first_win)), Some(Value::Win(first_win)));
            assert_eq!(scale.decode(scale.draw), Some(Value::Draw));
            let values: Vec<i32> =
                (1..=255).map(|c| scale.decode(c).unwrap().preference()).collect();
            assert!(values.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }

    #[test]
    fn one_ply_back_agrees_with_the_values() {
        let mut unspeakable = Vec::new();
        for (from, mover) in [
            (Scale::USUAL, Scale::USUAL),
            (Scale::USUAL, Scale::LOSER),
            (Scale::LOSER, Scale::USUAL),
        ] {
            for code in 1..=255u8 {
                let value = from.decode(code).unwrap();
                if from.unspeakable(code, mover) {
                    unspeakable.push((mover, value));
                } else {
                    assert_eq!(
                        mover.decode(from.before(code, mover)),
                        Some(value.before()),
                        "code {code}"
                    );
                }
            }
            assert_eq!(from.before(ILLEGAL, mover), ILLEGAL);
        }
        let usual = [(Scale::USUAL, Value::Win(253))];
        assert_eq!(
            unspeakable,
            [&usual[..], &[(Scale::LOSER, Value::Loss(252)), (Scale::USUAL, Value::Loss(254))]]
                .concat()
        );
    }
}
