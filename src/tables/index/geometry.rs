//! Chess on a row: which squares of Black's king make a legal position, and where Black's king is
//! attacked.

use crate::chess::Side;
use crate::chess::board::{Bitboard, Piece, Rank, Role, Square, attacks};

use super::layout::{Layout, Squares};
use super::material::MAX_STORED_MEN;

/// The squares of Black's king, sorted by what they mean in a row whose other men are fixed.
#[derive(Debug, Clone, Copy)]
pub(in crate::tables) struct Masks {
    /// Legal with White to move: Black's king is on a free square and not attacked.
    pub(in crate::tables) white_to_move: Bitboard,
    /// Legal with Black to move: Black's king is on a free square and White's king is not attacked.
    pub(in crate::tables) black_to_move: Bitboard,
    /// White attacks Black's king.
    pub(in crate::tables) black_in_check: Bitboard,
    /// Black attacks White's king (a slider may be shut off by Black's own king).
    pub(in crate::tables) white_in_check: Bitboard,
}

impl Masks {
    /// The legal squares with this side to move.
    pub(in crate::tables) fn legal(&self, to_move: Side) -> Bitboard {
        to_move.pick(self.white_to_move, self.black_to_move)
    }

    /// The squares with this side in check.
    pub(in crate::tables) fn in_check(&self, side: Side) -> Bitboard {
        side.pick(self.white_in_check, self.black_in_check)
    }
}

/// What a man attacks.
#[inline]
pub(in crate::tables) fn attacks_of(
    side: Side,
    role: Role,
    from: Square,
    occupied: Bitboard,
) -> Bitboard {
    attacks::attacks(from, Piece { side, role }, occupied)
}

/// Every square a king on one of `kings` attacks.
#[inline]
pub(in crate::tables) fn king_steps(kings: Bitboard) -> Bitboard {
    Bitboard(attacks::king_steps(kings.0))
}

impl Layout {
    /// The squares of White's king and all men but Black's king, `None` if two stand on one square.
    pub(in crate::tables) fn occupied(&self, king: Square, squares: &Squares) -> Option<Bitboard> {
        let mut occupied = Bitboard::from_square(king);
        for &square in &squares[..self.men.len()] {
            if occupied.contains(square) {
                return None;
            }
            occupied = occupied.with_const(Bitboard::from_square(square));
        }
        Some(occupied)
    }

    /// Sorts the squares of Black's king for a row. `occupied` as from [`Layout::occupied`].
    pub(in crate::tables) fn masks(
        &self,
        king: Square,
        squares: &Squares,
        occupied: Bitboard,
    ) -> Masks {
        let mut attacked = Bitboard::EMPTY;
        let mut shields = Bitboard::FULL;
        for (man, &square) in self.men.iter().zip(squares) {
            let reach = attacks_of(man.side, man.role, square, occupied);
            if man.side == Side::White {
                attacked |= reach;
            } else if reach.contains(king) {
                // Only Black's king in between can stop the check; nothing stops a knight or a
                // pawn.
                shields &= attacks::between(square, king);
            }
        }
        let free = !(occupied | attacks::king_attacks(king));
        Masks {
            white_to_move: free & !attacked,
            black_to_move: free & shields,
            black_in_check: attacked,
            white_in_check: !shields,
        }
    }
}

impl Layout {
    /// Squares of Black's king with which the king of the side to move certainly has a step onto a
    /// free square, in a row: a quick look before [`Layout::has_move`].
    pub(in crate::tables) fn king_steps_free(
        &self,
        to_move: Side,
        king: Square,
        squares: &Squares,
    ) -> Bitboard {
        let Some(occupied) = self.occupied(king, squares) else { return Bitboard::EMPTY };
        if to_move == Side::Black {
            return king_steps(self.masks(king, squares, occupied).white_to_move);
        }
        // Black's king can only shield White's from more.
        let without = occupied ^ Bitboard::from_square(king);
        let black = self.men.iter().zip(squares).filter(|(man, _)| man.side == Side::Black);
        let attacked = black.fold(Bitboard::EMPTY, |all, (man, &square)| {
            all | attacks_of(man.side, man.role, square, without)
        });
        let steps = attacks::king_attacks(king) & !occupied & !attacked;
        steps.into_iter().fold(Bitboard::EMPTY, |all, to| {
            all | !(attacks::king_attacks(to) | Bitboard::from_square(to))
        })
    }

    /// Has this side a legal move (captures en passant left out) in this position? One position at
    /// a time, about 100 ns: where a stalemate must be told from a draw.
    pub(in crate::tables) fn has_move(
        &self,
        to_move: Side,
        king: Square,
        other: Square,
        squares: &Squares,
    ) -> bool {
        let (own, enemy) = to_move.pick((king, other), (other, king));
        let kings = [(to_move, Role::King, own), (to_move.other(), Role::King, enemy)];
        let mut all = [kings[0]; MAX_STORED_MEN];
        let listed = self
            .men
            .iter()
            .zip(squares)
            .map(|(man, &square)| (man.side, man.role, square))
            .chain(kings);
        all.iter_mut().zip(listed).for_each(|(slot, man)| *slot = man);
        let men = &all[..self.men.len() + 2];
        let of =
            |side: Side| men.iter().filter(move |m| m.0 == side).map(|m| m.2).collect::<Bitboard>();
        let (own_men, enemy_men) = (of(to_move), of(to_move.other()));
        let occupied = own_men | enemy_men;
        let safe = |from: Square, to: Square, role: Role| {
            let occupied = (occupied ^ Bitboard::from_square(from)) | Bitboard::from_square(to);
            let king = if role == Role::King { to } else { own };
            !men.iter().any(|&(side, role, at)| {
                side != to_move && at != to && attacks_of(side, role, at, occupied).contains(king)
            })
        };
        men.iter().filter(|m| m.0 == to_move).any(|&(side, role, from)| {
            let reach = attacks_of(side, role, from, occupied);
            let targets = if role == Role::Pawn {
                (reach & enemy_men) | pawn_steps(side, from, occupied)
            } else {
                reach & !own_men
            };
            targets.into_iter().any(|to| safe(from, to, role))
        })
    }
}

/// The squares a pawn may step to without capturing.
fn pawn_steps(side: Side, from: Square, occupied: Bitboard) -> Bitboard {
    let ahead = |set: Bitboard| set.shift(side.pick(8, -8)) & !occupied;
    let one = ahead(Bitboard::from_square(from));
    one | ahead(one & Bitboard::from_rank(side.pick(Rank::Third, Rank::Sixth)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn a_king_may_shield_the_other_from_its_own_rook() {
        let layout = Layout::new("KNvKR".parse().unwrap_or_else(|_| unreachable!()));
        // Printed stronger side first, KRvKN: White's rook, Black's knight.
        assert_eq!(layout.material.to_string(), "KRvKN");
        let kqkr = Layout::new("KQvKR".parse().unwrap());
        let squares = [Square::H8, Square::A1, Square::A1, Square::A1];
        let occupied = kqkr.occupied(Square::D1, &squares).unwrap();
        let masks = kqkr.masks(Square::D1, &squares, occupied);
        assert_eq!(
            masks.black_to_move,
            Bitboard::from(Square::B1),
            "only b1 shields d1 from a1 (c1 is adjacent)"
        );
        assert!(masks.in_check(Side::White).contains(Square::A8));
        assert!(!masks.legal(Side::White).contains(Square::A8), "attacked by the queen");
        assert!(masks.legal(Side::White).contains(Square::B1));
    }

    #[test]
    fn king_steps_of_a_set() {
        for square in Square::ALL {
            assert_eq!(king_steps(Bitboard::from(square)), attacks::king_attacks(square));
        }
        let pair = Bitboard::from(Square::A1) | Bitboard::from(Square::H8);
        assert_eq!(
            king_steps(pair),
            attacks::king_attacks(Square::A1) | attacks::king_attacks(Square::H8)
        );
    }
}
