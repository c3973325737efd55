//! A legal position: what engines are asked about.

use super::board::Board;
use super::{FenError, PositionError, Profile, Side, Vector, check_input, fen, parse_fen};
use std::fmt;
use std::str::FromStr;

/// A legal position, legal by construction: read from a FEN, or checked when it is made of a
/// [`Vector`]. 69 bytes.
///
/// ```
/// use theta_chess::chess::{Position, Side};
///
/// let position: Position = "8/8/8/3k4/8/8/8/KQ6 w - -".parse()?;
/// assert_eq!((position.side_to_move(), position.men()), (Side::White, 3));
/// assert!("8/8/8/8/8/8/8/KQ6 w - -".parse::<Position>().is_err(), "Black has no king");
/// # Ok::<(), theta_chess::chess::FenError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position(Vector);

impl Position {
    /// Reads a FEN under the rules of a profile; `text.parse()` does so under those of `fide`.
    ///
    /// # Errors
    /// As [`parse_fen`].
    pub fn parse(text: &str, profile: Profile) -> Result<Self, FenError> {
        parse_fen(text, profile).map(Self)
    }

    /// The paper's vector y of 69 components.
    pub fn vector(&self) -> &Vector {
        &self.0
    }

    /// The position as bitboards. About 200 ns.
    pub fn board(&self) -> Board {
        Board::from_vector(&self.0).expect("a position is legal by construction")
    }

    /// The side to move.
    pub fn side_to_move(&self) -> Side {
        Side::to_move(&self.0)
    }

    /// How many men stand on the board, kings included.
    pub fn men(&self) -> usize {
        self.0.men()
    }
}

impl FromStr for Position {
    type Err = FenError;

    fn from_str(text: &str) -> Result<Self, FenError> {
        Self::parse(text, Profile::Fide)
    }
}

impl TryFrom<Vector> for Position {
    type Error = PositionError;

    fn try_from(y: Vector) -> Result<Self, PositionError> {
        check_input(&y)?;
        Ok(Self(y))
    }
}

impl From<&Board> for Position {
    fn from(board: &Board) -> Self {
        Self(board.vector())
    }
}

impl From<Position> for Vector {
    fn from(position: Position) -> Self {
        position.0
    }
}

impl fmt::Display for Position {
    /// The FEN without counters.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&fen(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_legal() {
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
        let position: Position = fen.parse().unwrap();
        assert_eq!(position.to_string(), fen);
        assert_eq!(Position::from(&position.board()), position);
        assert_eq!(Position::try_from(*position.vector()), Ok(position));
        let mut broken = *position.vector();
        broken[5] = 0;
        assert!(Position::try_from(broken).is_err(), "White has no king");
        // Whatever stands in a vector, it is refused and not stumbled over.
        for j in 0..=68 {
            for value in [2, 4, 9, 13, 127, 255] {
                let mut corrupt = *position.vector();
                corrupt[j] = value;
                if let Ok(legal) = Position::try_from(corrupt) {
                    assert_eq!(legal.board().packed().len(), legal.men());
                }
            }
        }
        for (component, value) in [(0, 2), (30, 13), (65, 9), (66, 255), (67, 4), (68, 255)] {
            let mut corrupt = *position.vector();
            corrupt[component] = value;
            let refused = Position::try_from(corrupt).unwrap_err();
            assert_eq!(refused, PositionError::Component(component));
        }
    }
}
