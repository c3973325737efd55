//! From a board to its place in a table.

use crate::chess::Side;
use crate::chess::board::{Bitboard, Board, BySide, Position, Role, Sides, Square};

use super::layout::{Layout, MAX_OTHERS, Squares};
use super::material::{MAX_STORED_MEN, Material};

/// A position in the terms of its signature's table: colours exchanged and ranks mirrored if Black
/// is the first-named side. A mark for en passant is left out.
#[derive(Debug, Clone, Copy)]
pub(in crate::tables) struct Query {
    pub(in crate::tables) material: Material,
    pub(in crate::tables) to_move: Side,
    /// White's king (the first-named side's).
    pub(in crate::tables) king: Square,
    /// Black's king.
    pub(in crate::tables) other: Square,
    men: [(Side, Role, Square); MAX_OTHERS],
}

impl Query {
    /// `None` where no table can hold the position: too many men, or castling rights.
    pub(in crate::tables) fn new(board: &Board) -> Option<Self> {
        let chess = board.chess();
        let on_board = chess.board();
        if on_board.occupied().count() > MAX_STORED_MEN || chess.castles().any() {
            return None;
        }
        let mut men = [(Side::White, Role::Pawn, Square::A1); MAX_OTHERS];
        let mut count = 0;
        for square in on_board.occupied() & !on_board.by_role(Role::King) {
            let piece = on_board.man(square)?;
            men[count] = (piece.side, piece.role, square);
            count += 1;
        }
        let (material, flip) =
            Material::new(men[..count].iter().map(|&(side, role, _)| (side, role)));
        let king = |side| (on_board.by_role(Role::King) & on_board.men_of(side)).first();
        let (mut white, mut black, mut to_move) =
            (king(Side::White)?, king(Side::Black)?, chess.side_to_move());
        if flip {
            (white, black) = (black.flip_vertical(), white.flip_vertical());
            to_move = to_move.other();
            for (side, _, square) in &mut men[..count] {
                *side = side.other();
                *square = square.flip_vertical();
            }
        }
        Some(Self { material, to_move, king: white, other: black, men })
    }

    /// The men that are no kings.
    pub(in crate::tables) fn men(&self) -> impl Iterator<Item = (Side, Role, Square)> + '_ {
        self.men[..self.material.men() - 2].iter().copied()
    }

    /// The squares of the men in the order of the layout.
    pub(in crate::tables) fn squares(&self, layout: &Layout) -> Squares {
        let mut squares = [Square::A1; MAX_OTHERS];
        let mut used = Bitboard::EMPTY;
        for (slot, wanted) in squares.iter_mut().zip(&layout.men) {
            let fits = |m: &&(Side, Role, Square)| {
                m.0 == wanted.side && m.1 == wanted.role && !used.contains(m.2)
            };
            let found = self.men[..layout.men.len()]
                .iter()
                .find(fits)
                .expect("the signature names these men");
            used.add(found.2);
            *slot = found.2;
        }
        squares
    }
}
