//! The aims that zones lead to.
//!
//! # References
//! R. V. Khelemendik, *On the solution of chess positions using computational tree logic*, §5
//! (reduced aims); docs/theory.md §7 and docs/guide.md.

use crate::aim::{self, Atom, Goal};
use crate::chess::Side;
use crate::chess::board::{Piece, Role, Square, code_of};
use crate::pioneer::geometry::men::Men;

/// A side is so many pawns' worth ahead at least, and still is after the next reply.
pub fn ahead(us: Side, least: i32) -> Goal {
    Goal::lasting(aim::ahead(us, least), us)
}

/// The owner of these men has at least so many of them, and still has after the next reply.
pub fn at_least(piece: Piece, least: usize) -> Goal {
    Goal::lasting(aim::at_least(code_of(piece), least as i32), piece.side)
}

/// A man stands on a square, and still does after the next reply.
pub fn stands(piece: Piece, square: Square) -> Goal {
    Goal::lasting(on(piece, square), piece.side)
}

/// A man stands on a square.
pub fn on(piece: Piece, square: Square) -> Atom {
    Atom::On(code_of(piece), square as u8 + 1)
}

/// A side mates.
pub fn mate(us: Side) -> Goal {
    Goal::mate_of(us.other())
}

/// A side attacks a square that the other side does not attack.
pub fn control(us: Side, square: Square) -> Goal {
    Goal::control(square as u8 + 1, us)
}

/// Exactly these men are on the board.
pub fn signature(men: &Men) -> Goal {
    let roles = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn];
    let pieces = Side::ALL.into_iter().flat_map(|side| roles.map(|role| Piece::new(side, role)));
    Goal::all_of(pieces.map(|piece| {
        let count = (men.of_side(piece.side) & men.of_role(piece.role)).count();
        aim::exactly(code_of(piece), count as i32)
    }))
}
