//! Linear coordinates L = 8(y−1)+x and the four symmetries, by the printed formulas.

use crate::chess::board::Square;

/// L of a square: a1 = 1 … h8 = 64.
pub fn linear(square: Square) -> u8 {
    square as u8 + 1
}

/// The square of L.
///
/// # Panics
/// If L is not 1 to 64.
pub fn square_of(l: u8) -> Square {
    Square::new(u32::from(l) - 1)
}

/// x of L, 1 to 8.
pub fn x(l: u8) -> u8 {
    (l - 1) % 8 + 1
}

/// y of L, 1 to 8.
pub fn y(l: u8) -> u8 {
    (l - 1) / 8 + 1
}

/// The flanks exchanged: L' = L + 9 − 2x.
pub fn flank(l: u8) -> u8 {
    l + 9 - 2 * x(l)
}

/// The ranks mirrored, for the exchange of colours: L' = L + 8(9 − 2y).
pub fn colour(l: u8) -> u8 {
    (i16::from(l) + 8 * (9 - 2 * i16::from(y(l)))) as u8
}

/// Mirrored in the diagonal a1–h8: L' = 8L − 63y + 56.
pub fn diagonal_a1h8(l: u8) -> u8 {
    (8 * i16::from(l) - 63 * i16::from(y(l)) + 56) as u8
}

/// Mirrored in the diagonal h1–a8: L' = 63y + 9 − 8L.
pub fn diagonal_h1a8(l: u8) -> u8 {
    (63 * i16::from(y(l)) + 9 - 8 * i16::from(l)) as u8
}

/// Symmetries used together, in this order: colour (the men change sides too), flank, the two
/// diagonals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Symmetry {
    /// The colours are exchanged.
    pub colour: bool,
    /// The flanks are exchanged.
    pub flank: bool,
    /// Mirrored in a1–h8 (only without pawns).
    pub a1h8: bool,
    /// Mirrored in h1–a8 (only without pawns).
    pub h1a8: bool,
}

impl Symmetry {
    /// Those that keep the colours: two with pawns, all eight of the board without.
    pub fn of_board(pawns: bool) -> Vec<Self> {
        let mut all = Vec::new();
        for (a1h8, h1a8) in [(false, false), (true, false), (false, true), (true, true)] {
            for flank in [false, true] {
                all.push(Self { colour: false, flank, a1h8, h1a8 });
            }
        }
        all.truncate(if pawns { 2 } else { 8 });
        all
    }

    /// Where L goes.
    pub fn image(self, mut l: u8) -> u8 {
        for (used, mirror) in [
            (self.colour, colour as fn(u8) -> u8),
            (self.flank, flank),
            (self.a1h8, diagonal_a1h8),
            (self.h1a8, diagonal_h1a8),
        ] {
            if used {
                l = mirror(l);
            }
        }
        l
    }

    /// Where L came from: each mirror undoes itself, the last first.
    pub fn original(self, mut l: u8) -> u8 {
        for (used, mirror) in [
            (self.h1a8, diagonal_h1a8 as fn(u8) -> u8),
            (self.a1h8, diagonal_a1h8),
            (self.flank, flank),
            (self.colour, colour),
        ] {
            if used {
                l = mirror(l);
            }
        }
        l
    }
}

impl std::fmt::Display for Symmetry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = [
            (self.colour, "colour"),
            (self.flank, "flank"),
            (self.a1h8, "a1-h8"),
            (self.h1a8, "h1-a8"),
        ];
        let used: Vec<&str> =
            names.iter().filter(|(used, _)| *used).map(|&(_, name)| name).collect();
        f.write_str(if used.is_empty() { "none" } else { "" })?;
        f.write_str(&used.join(" "))
    }
}
