//! Moves as they are written.

use super::Side;

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
