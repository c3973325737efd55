//! Values of positions, and the byte that holds one.
//!
//! The byte's order is the order of preference of the side to move, so that the best of several moves is the
//! largest byte: 0 illegal; 1..=127 lost in 0, 2, …, 252 plies; 128 drawn; 129..=255 won in 253, 251, …, 1.

/// What a position is worth to the side to move, with best play by both; there is no fifty-move rule.
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

    /// Orders values by the preference of the side to move: quick wins first, then slow wins, draws, slow
    /// losses, quick losses; larger is better.
    pub fn preference(self) -> i32 {
        match self {
            Self::Win(plies) => 0x1_0000 - i32::from(plies),
            Self::Draw => 0,
            Self::Loss(plies) => i32::from(plies) - 0x1_0000,
        }
    }
}

/// A value as a byte.
pub(super) type Code = u8;

/// No legal position.
pub(super) const ILLEGAL: Code = 0;
/// Mated.
pub(super) const MATED: Code = 1;
/// Drawn.
pub(super) const DRAW: Code = 128;
/// The first ply whose loss no byte can hold.
pub(super) const TOO_DEEP: u16 = 254;

/// Lost in `plies` (even, below [`TOO_DEEP`]).
pub(super) fn loss(plies: u16) -> Code {
    debug_assert!(plies.is_multiple_of(2) && plies < TOO_DEEP);
    1 + (plies / 2) as u8
}

/// Won in `plies` (odd, below [`TOO_DEEP`]).
pub(super) fn win(plies: u16) -> Code {
    debug_assert!(plies % 2 == 1 && plies < TOO_DEEP);
    255 - ((plies - 1) / 2) as u8
}

/// The plies of a won or lost code; 0 for a draw.
pub(super) fn plies(code: Code) -> u16 {
    match decode(code) {
        Some(Value::Win(plies) | Value::Loss(plies)) => plies,
        _ => 0,
    }
}

/// The value a code stands for, `None` for [`ILLEGAL`].
pub(super) fn decode(code: Code) -> Option<Value> {
    match code {
        ILLEGAL => None,
        1..DRAW => Some(Value::Loss(2 * u16::from(code - 1))),
        DRAW => Some(Value::Draw),
        _ => Some(Value::Win(2 * u16::from(255 - code) + 1)),
    }
}

/// The code for the side that moves into a position of this code; illegal stays illegal. The slowest win,
/// in 253 plies, would come out as a draw: the solver refuses it ([`TOO_DEEP`]) before it gets here.
pub(super) fn before(code: Code) -> Code {
    match code {
        ILLEGAL => ILLEGAL,
        1..=DRAW => 0u8.wrapping_sub(code),
        _ => 1u8.wrapping_sub(code),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn codes_hold_every_value_in_order_of_preference() {
        assert_eq!(decode(loss(0)), Some(Value::Loss(0)));
        assert_eq!(decode(loss(252)), Some(Value::Loss(252)));
        assert_eq!(decode(win(1)), Some(Value::Win(1)));
        assert_eq!(decode(win(253)), Some(Value::Win(253)));
        let values: Vec<i32> = (1..=255).map(|c| decode(c).unwrap().preference()).collect();
        assert!(values.is_sorted());
    }

    #[test]
    fn one_ply_back_agrees_with_the_values() {
        for code in (1..=255u8).filter(|&c| c != win(253)) {
            assert_eq!(decode(before(code)), Some(decode(code).unwrap().before()), "code {code}");
        }
        assert_eq!(before(ILLEGAL), ILLEGAL);
    }
}
