//! Positions packed for interning, hashing and files.

use super::vector::Vector;

/// A position in 32 bytes (in memory): the occupied squares, four bits (the code 1..=12) per man in
/// the order a1, b1, … h8, and 13 bits of state: bit 0 y0, bits 1–2 y67, 3–4 y68, 5–8 y65, 9–12
/// y66. Exact for every vector of up to 32 men, both profiles. In files and interners it takes `8 +
/// ⌈men/2⌉ + 2` bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Packed {
    /// Bit i−1 is set when square i is occupied.
    pub occupied: u64,
    /// The men's codes, the first in the lowest four bits.
    pub men: u128,
    /// Side to move, castling rights, en-passant marks.
    pub state: u16,
}

/// The bytes are no packed position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackedError;

impl std::fmt::Display for PackedError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("not a packed position")
    }
}

impl std::error::Error for PackedError {}

impl Packed {
    /// The state bits of these components.
    pub fn state(y0: u8, y65: u8, y66: u8, y67: u8, y68: u8) -> u16 {
        u16::from(y0)
            | u16::from(y67) << 1
            | u16::from(y68) << 3
            | u16::from(y65) << 5
            | u16::from(y66) << 9
    }

    /// Whether White is to move.
    pub fn white_to_move(&self) -> bool {
        self.state & 1 == 0
    }

    /// The number of men.
    pub fn len(&self) -> usize {
        self.occupied.count_ones() as usize
    }

    /// Whether the board is empty.
    pub fn is_empty(&self) -> bool {
        self.occupied == 0
    }

    /// The men: square (0 = a1 … 63 = h8) and code, in the order of the squares.
    pub fn each_man(&self) -> impl Iterator<Item = (u8, u8)> + use<> {
        let (mut occupied, mut men) = (self.occupied, self.men);
        std::iter::from_fn(move || {
            let man =
                (occupied != 0).then_some((occupied.trailing_zeros() as u8, (men & 15) as u8))?;
            occupied &= occupied - 1;
            men >>= 4;
            Some(man)
        })
    }

    /// The same with a man more, on a free square (0 = a1).
    #[must_use]
    pub fn with(&self, square: u8, code: u8) -> Self {
        let bit = 1u64 << square;
        let below = 4 * (self.occupied & (bit - 1)).count_ones();
        let low = (1u128 << below) - 1;
        let men = self.men & low | u128::from(code) << below | (self.men & !low) << 4;
        Self { occupied: self.occupied | bit, men, state: self.state }
    }

    /// The same without the man of an occupied square (0 = a1).
    #[must_use]
    pub fn without(&self, square: u8) -> Self {
        let bit = 1u64 << square;
        let below = 4 * (self.occupied & (bit - 1)).count_ones();
        let low = (1u128 << below) - 1;
        let men = self.men & low | self.men >> below >> 4 << below;
        Self { occupied: self.occupied & !bit, men, state: self.state }
    }

    /// Bytes written by [`Packed::write`] for this many men.
    pub const fn bytes(men: usize) -> usize {
        8 + men.div_ceil(2) + 2
    }

    /// Writes the position to the start of `out`, little-endian: occupied, men, state. Returns the
    /// bytes written.
    pub fn write(&self, out: &mut [u8]) -> usize {
        let men_bytes = self.len().div_ceil(2);
        out[..8].copy_from_slice(&self.occupied.to_le_bytes());
        out[8..8 + men_bytes].copy_from_slice(&self.men.to_le_bytes()[..men_bytes]);
        out[8 + men_bytes..10 + men_bytes].copy_from_slice(&self.state.to_le_bytes());
        10 + men_bytes
    }

    /// Reads a position from the start of `bytes`, and how many bytes it took.
    ///
    /// # Errors
    /// Too few bytes, or more than 32 men.
    pub fn read(bytes: &[u8]) -> Result<(Self, usize), PackedError> {
        let occupied =
            u64::from_le_bytes(bytes.get(..8).ok_or(PackedError)?.try_into().expect("eight bytes"));
        let men_bytes = (occupied.count_ones() as usize).div_ceil(2);
        let end = Self::bytes(occupied.count_ones() as usize);
        if men_bytes > 16 || bytes.len() < end {
            return Err(PackedError);
        }
        let mut men = [0; 16];
        men[..men_bytes].copy_from_slice(&bytes[8..8 + men_bytes]);
        let state = u16::from_le_bytes([bytes[end - 2], bytes[end - 1]]);
        Ok((Self { occupied, men: u128::from_le_bytes(men), state }, end))
    }

    /// The vector.
    ///
    /// # Errors
    /// A code or a state that no vector has.
    pub fn vector(&self) -> Result<Vector, PackedError> {
        let mut y = Vector::EMPTY;
        for (square, code) in self.each_man() {
            if !(1..=12).contains(&code) {
                return Err(PackedError);
            }
            y[usize::from(square) + 1] = code;
        }
        // No bits of men beyond the last one.
        let men = self.men.checked_shr(4 * self.len() as u32).unwrap_or(0);
        let bits = |shift: u32, mask: u16| (self.state >> shift & mask) as u8;
        (y[0], y[67], y[68], y[65], y[66]) =
            (bits(0, 1), bits(1, 3), bits(3, 3), bits(5, 15), bits(9, 15));
        if men != 0 || self.state >> 13 != 0 || y[65] > 8 || y[66] > 8 {
            return Err(PackedError);
        }
        Ok(y)
    }
}

impl From<&Vector> for Packed {
    /// # Panics
    /// With more than 32 men (no input position has them).
    fn from(y: &Vector) -> Self {
        let (mut occupied, mut men, mut count) = (0u64, 0u128, 0);
        for (at, c) in y.each_man() {
            occupied |= 1 << at;
            men |= u128::from(c).checked_shl(4 * count).unwrap_or(0);
            count += 1;
        }
        assert!(count <= 32, "at most 32 men");
        Self { occupied, men, state: Self::state(y[0], y[65], y[66], y[67], y[68]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Profile, parse_fen};

    #[test]
    fn men_taken_out_and_put_back() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
            "8/8/8/8/8/1k6/7R/K7 b - -",
            "k6Q/8/8/8/pP6/P7/8/7K b - b3",
        ] {
            let y = parse_fen(fen, Profile::Fide).unwrap();
            let p = Packed::from(&y);
            let men: Vec<(u8, u8)> = p.each_man().collect();
            assert_eq!(men.len(), y.men());
            for &(square, code) in &men {
                assert_eq!(y[square as usize + 1], code);
                let less = p.without(square);
                let mut rest = men.clone();
                rest.retain(|man| man.0 != square);
                assert_eq!(less.each_man().collect::<Vec<_>>(), rest);
                assert_eq!(less.with(square, code), p);
            }
        }
    }
}
