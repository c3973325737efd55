//! Moves as they are written.

use super::{Move, Side, code};

/// The text is no move in UCI notation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a move in UCI notation (like e2e4 or a7a8q)")]
pub struct MoveTextError;

/// A move in UCI notation: `e2e4`, `a7a8q`; castling is the king's step of two squares.
///
/// ```
/// use theta_chess::chess::parse_move;
///
/// assert_eq!(parse_move("e7e8q").unwrap().to_string(), "e7e8q");
/// assert!(parse_move("e2").is_err() && parse_move("e2e2").is_err());
/// ```
///
/// # Errors
/// When the text is no such move.
pub fn parse_move(text: &str) -> Result<Move, MoveTextError> {
    let square = |file: u8, rank: u8| match (file, rank) {
        (b'a'..=b'h', b'1'..=b'8') => Ok((rank - b'1') * 8 + file - b'a'),
        _ => Err(MoveTextError),
    };
    let promotion = |letter: u8| match letter {
        b'q' => Ok(code::QUEEN),
        b'r' => Ok(code::ROOK),
        b'b' => Ok(code::BISHOP),
        b'n' => Ok(code::KNIGHT),
        _ => Err(MoveTextError),
    };
    let (squares, promotion) = match *text.as_bytes() {
        [a, b, c, d] => ([a, b, c, d], 0),
        [a, b, c, d, letter] => ([a, b, c, d], promotion(letter)?),
        _ => return Err(MoveTextError),
    };
    let [a, b, c, d] = squares;
    Move::from_bits(Move::new(square(a, b)?, square(c, d)?, promotion).bits()).ok_or(MoveTextError)
}

/// The number before a move: `3.` or `3...`. `ply` counts from 0 at the root, where `first` is to
/// move; the root's move has number 1.
///
/// ```
/// use theta_chess::chess::{Side, move_number};
///
/// assert_eq!(move_number(4, Side::White), "3.");
/// assert_eq!(move_number(0, Side::Black), "1...");
/// ```
pub fn move_number(ply: u32, first: Side) -> String {
    let at = ply + u32::from(first == Side::Black);
    format!("{}{}", at / 2 + 1, if at.is_multiple_of(2) { "." } else { "..." })
}
