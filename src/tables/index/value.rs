//! Values of positions, and the byte that holds one.
//!
//! The byte's order is the order of preference of the side to move, so that the best of several
//! moves is the largest byte: 0 illegal; 1..=127 lost in 0, 2, …, 252 plies; 128 drawn; 129..=255
//! won in 253, 251, …, 1. Where one side loses in up to 254 plies (KPPvKP), its draw moves up by
//! one: see [`Scale`]. In a wide table (six men, [`Layout::wide`]) the slowest loss and the slowest
//! win of the bytes stand for all longer ones too, and how much longer they are is kept beside them.
//!
//! [`Layout::wide`]: super::layout::Layout::wide

use wide::u8x16;

use crate::chess::board::Bitboard;
use crate::chess::{Side, Value};

/// A value as the side to move sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tables) enum Relative {
    /// The side to move mates in this many plies (odd, 1 = mates at once) at best.
    Win(u16),
    /// Neither side can force mate.
    Draw,
    /// The side to move is mated in this many plies (even, 0 = it is mated) at best.
    Loss(u16),
}

impl Relative {
    /// The value, where this side is to move.
    pub(in crate::tables) fn of(self, to_move: Side) -> Value {
        match self {
            Self::Win(plies) => Value::Wins(to_move, plies.into()),
            Self::Draw => Value::Draw,
            Self::Loss(plies) => Value::Wins(to_move.other(), plies.into()),
        }
    }
}

impl Relative {
    /// The value so many double plies further from its end.
    pub(in crate::tables) fn longer(self, excess: u8) -> Self {
        let more = 2 * u16::from(excess);
        match self {
            Self::Win(plies) => Self::Win(plies + more),
            Self::Draw => Self::Draw,
            Self::Loss(plies) => Self::Loss(plies + more),
        }
    }

    /// The code of a wide table, and by how many double plies the value exceeds it; `None` where it
    /// is too long for that.
    pub(in crate::tables) fn in_wide(self) -> Option<(Code, u8)> {
        let scale = Scale::USUAL;
        let split = |plies: u16, most: u16| {
            let excess = u8::try_from(plies.saturating_sub(most) / 2).ok()?;
            Some((plies.min(most), excess))
        };
        Some(match self {
            Self::Win(plies) => {
                let (plies, excess) = split(plies, scale.longest_win())?;
                (win(plies), excess)
            }
            Self::Draw => (scale.draw, 0),
            Self::Loss(plies) => {
                let (plies, excess) = split(plies, scale.longest_loss())?;
                (loss(plies), excess)
            }
        })
    }
}

/// Whether a code of a wide table may stand for more plies than it says.
#[inline]
pub(in crate::tables) fn is_long(code: Code) -> bool {
    const LOSS: Code = Scale::USUAL.draw - 1;
    const WIN: Code = Scale::USUAL.draw + 1;
    matches!(code, LOSS | WIN)
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
    pub(in crate::tables) fn decode(self, code: Code) -> Option<Relative> {
        match code {
            ILLEGAL => None,
            _ if code < self.draw => Some(Relative::Loss(2 * u16::from(code - 1))),
            _ if code == self.draw => Some(Relative::Draw),
            _ => Some(Relative::Win(2 * u16::from(255 - code) + 1)),
        }
    }

    /// The plies of a won or lost code; 0 for a draw.
    pub(in crate::tables) fn plies(self, code: Code) -> u16 {
        match self.decode(code) {
            Some(Relative::Win(plies) | Relative::Loss(plies)) => plies,
            _ => 0,
        }
    }

    /// The code, on the scale of the side that moves into a position of this code; illegal stays
    /// illegal. Not for [`Scale::unspeakable`].
    pub(in crate::tables) fn before(self, code: Code, mover: Self) -> Code {
        if code == self.draw {
            return mover.draw;
        }
        // Of a loss or an illegal position 256 − code, of a win 257 − code.
        u8::from(code > self.draw).wrapping_sub(code)
    }

    /// [`Scale::before`] of every code of a row.
    #[inline]
    pub(in crate::tables) fn before_each(self, codes: &mut [Code; 64], mover: Self) {
        if self == Self::USUAL && mover == Self::USUAL {
            // With the draw known, sixteen codes take four instructions.
            codes.iter_mut().for_each(|code| *code = Self::USUAL.before(*code, Self::USUAL));
        } else {
            codes.iter_mut().for_each(|code| *code = self.before(*code, mover));
        }
    }

    /// Whether the value before this one is too deep for the scale of the side that moves into it.
    pub(in crate::tables) fn unspeakable(self, code: Code, mover: Self) -> bool {
        match self.decode(code) {
            Some(Relative::Win(plies)) => plies + 1 > mover.longest_loss(),
            Some(Relative::Loss(plies)) => plies + 1 > mover.longest_win(),
            _ => false,
        }
    }
}

/// The squares for whose codes `flags`, which is given sixteen codes at a time, sets the highest bit
/// of their byte: some 16 instructions a row.
#[inline]
fn squares_flagged(codes: &[Code; 64], flags: impl Fn(u8x16) -> u8x16) -> Bitboard {
    let mut bits = 0;
    for (at, sixteen) in codes.as_chunks::<16>().0.iter().enumerate() {
        bits |= u64::from(flags(u8x16::new(*sixteen)).to_bitmask()) << (16 * at);
    }
    Bitboard(bits)
}

/// The squares with this code.
#[inline]
pub(in crate::tables) fn squares_with(codes: &[Code; 64], code: Code) -> Bitboard {
    squares_flagged(codes, |sixteen| sixteen.simd_eq(u8x16::splat(code)))
}

/// The squares with this code or a higher one.
#[inline]
pub(in crate::tables) fn squares_from(codes: &[Code; 64], code: Code) -> Bitboard {
    squares_flagged(codes, |sixteen| sixteen.max(u8x16::splat(code)).simd_eq(sixteen))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Side;
    use pretty_assertions::assert_eq;

    fn preference(value: Relative) -> i64 {
        value.of(Side::White).preference(Side::White)
    }

    /// The value for the side that moved into a position of this value.
    fn before(value: Relative) -> Relative {
        match value {
            Relative::Win(plies) => Relative::Loss(plies + 1),
            Relative::Draw => Relative::Draw,
            Relative::Loss(plies) => Relative::Win(plies + 1),
        }
    }

    #[test]
    fn codes_hold_every_value_in_order_of_preference() {
        for (scale, last_loss, first_win) in [(Scale::USUAL, 252, 253), (Scale::LOSER, 254, 251)] {
            assert_eq!((scale.longest_loss(), scale.longest_win()), (last_loss, first_win));
            assert_eq!(scale.decode(MATED), Some(Relative::Loss(0)));
            assert_eq!(scale.decode(loss(last_loss)), Some(Relative::Loss(last_loss)));
            assert_eq!(scale.decode(win(1)), Some(Relative::Win(1)));
            assert_eq!(scale.decode(win(first_win)), Some(Relative::Win(first_win)));
            assert_eq!(scale.decode(scale.draw), Some(Relative::Draw));
            let values: Vec<i64> =
                (1..=255).map(|c| preference(scale.decode(c).unwrap())).collect();
            assert!(values.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }

    #[test]
    fn wide_codes_give_every_value_back() {
        let values = (0..=762).step_by(2).map(Relative::Loss);
        for value in values.chain((1..=763).step_by(2).map(Relative::Win)).chain([Relative::Draw]) {
            let (code, excess) = value.in_wide().unwrap();
            assert_eq!(Scale::USUAL.decode(code).map(|short| short.longer(excess)), Some(value));
            assert!(excess == 0 || is_long(code));
        }
        assert_eq!((Relative::Loss(764).in_wide(), Relative::Win(765).in_wide()), (None, None));
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
                        Some(before(value)),
                        "code {code}"
                    );
                }
            }
            assert_eq!(from.before(ILLEGAL, mover), ILLEGAL);
        }
        let usual = [(Scale::USUAL, Relative::Win(253))];
        assert_eq!(
            unspeakable,
            [
                &usual[..],
                &[(Scale::LOSER, Relative::Loss(252)), (Scale::USUAL, Relative::Loss(254))]
            ]
            .concat()
        );
    }

    #[test]
    fn codes_are_compared_sixteen_at_a_time() {
        for code in 0..=255u8 {
            for first in (0..=255u8).step_by(64) {
                let codes: [Code; 64] = std::array::from_fn(|at| first + at as u8);
                let squares = |so: &dyn Fn(Code) -> bool| {
                    (0..64).filter(|&at| so(codes[at])).fold(0u64, |set, at| set | 1 << at)
                };
                assert_eq!(squares_with(&codes, code).0, squares(&|c| c == code), "{code}");
                assert_eq!(squares_from(&codes, code).0, squares(&|c| c >= code), "{code}");
            }
        }
    }
}
