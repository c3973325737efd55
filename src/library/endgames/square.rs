//! Linear coordinates L = 8(y−1)+x and the four symmetries, by the printed formulas.

use crate::chess::Turn;
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

/// What brings a position into the library's form: the exchange of the colours (the men change
/// sides too), then a symmetry of the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Symmetry {
    /// The colours are exchanged, and the ranks mirrored.
    pub colour: bool,
    /// The symmetry of the board.
    pub turn: Turn,
}

/// The symmetries of the board in the printed order, each as the printed mirrors that make it up in
/// turn: the flanks exchanged, the mirror in a1–h8, the mirror in h1–a8. The first two serve where
/// there are pawns.
const PRINTED: [(Turn, &str); Turn::COUNT] = [
    (Turn::NONE, ""),
    (Turn::MIRROR_FILES, "flank"),
    (Turn::TRANSPOSE, "a1-h8"),
    (Turn::ALL[5], "flank a1-h8"),
    (Turn::ALL[7], "h1-a8"),
    (Turn::ALL[6], "flank h1-a8"),
    (Turn::ALL[3], "a1-h8 h1-a8"),
    (Turn::MIRROR_RANKS, "flank a1-h8 h1-a8"),
];

impl Symmetry {
    /// Those that keep the colours: two with pawns, all eight of the board without.
    pub fn of_board(pawns: bool) -> Vec<Self> {
        let count = if pawns { 2 } else { Turn::COUNT };
        PRINTED[..count].iter().map(|&(turn, _)| Self { colour: false, turn }).collect()
    }

    /// Where L goes.
    pub fn image(self, l: u8) -> u8 {
        let l = if self.colour { colour(l) } else { l };
        self.turn.square(l - 1) + 1
    }

    /// Where L came from.
    pub fn original(self, l: u8) -> u8 {
        let l = self.turn.back().square(l - 1) + 1;
        if self.colour { colour(l) } else { l }
    }
}

impl std::fmt::Display for Symmetry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let printed = PRINTED.iter().find(|(turn, _)| *turn == self.turn);
        let board = printed.map_or("", |(_, mirrors)| mirrors);
        f.write_str(match (self.colour, board) {
            (false, "") => "none",
            (true, "") => "colour",
            (true, _) => "colour ",
            (false, _) => "",
        })?;
        f.write_str(board)
    }
}
