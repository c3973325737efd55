//! The letters that moves are written with.

use std::fmt;

/// A set of letters for king, queen, rook, bishop and knight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Letters {
    /// K Q R B N.
    #[default]
    English,
    /// K Q R B S: as English-speaking composers write, so that no knight is taken for "night".
    Composers,
    /// K D T L S.
    German,
    /// R D T F C.
    French,
    /// R D T A C.
    Spanish,
    /// Chess figurines of Unicode.
    Figurines,
}

impl Letters {
    /// The letters of king, queen, rook, bishop and knight.
    fn set(self) -> [char; 5] {
        match self {
            Self::English => ['K', 'Q', 'R', 'B', 'N'],
            Self::Composers => ['K', 'Q', 'R', 'B', 'S'],
            Self::German => ['K', 'D', 'T', 'L', 'S'],
            Self::French => ['R', 'D', 'T', 'F', 'C'],
            Self::Spanish => ['R', 'D', 'T', 'A', 'C'],
            Self::Figurines => ['♔', '♕', '♖', '♗', '♘'],
        }
    }

    /// A move in English algebraic notation, with these letters.
    ///
    /// ```
    /// use theta_chess::export::problem::Letters;
    ///
    /// assert_eq!(Letters::German.write("Nbxd7+").to_string(), "Sbxd7+");
    /// assert_eq!(Letters::German.write("e8=Q#").to_string(), "e8=D#");
    /// assert_eq!(Letters::German.write("O-O").to_string(), "O-O");
    /// ```
    pub fn write(self, san: &str) -> impl fmt::Display {
        let english = Self::English.set();
        let letter = |c: char| match english.iter().position(|&known| known == c) {
            Some(at) => self.set()[at],
            None => c,
        };
        san.chars().map(letter).collect::<String>()
    }
}
