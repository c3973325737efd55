//! Black's values foretold from White's, so that a file keeps only those that come out otherwise.
//!
//! With Black to move, the moves of Black's king stay in the row, and those of Black's last piece
//! (in tables of up to five men its only one) in the block of 64 rows that are stored together. The
//! best of them is what the table says, unless Black does better by a capture, a pawn move or a
//! move of another piece. A capture is foretold to draw where it leaves White no stronger side.
//! What is foretold need not be right: a file holds the code wherever it is not (a quarter of the
//! positions of KRPvKR, a twentieth in KRBvKN), and both sides of writing and reading foretell the
//! same from the same stored codes. About 0.3 µs a row and 60 ns a row that a piece can reach.

use std::borrow::Borrow;

use crate::chess::Side;
use crate::chess::board::{Bitboard, Role, Square, attacks};

use super::block::row_of_block;
use crate::tables::index::geometry::{Masks, attacks_of};
use crate::tables::index::layout::{Layout, Man, Squares};
use crate::tables::index::moves::Least;
use crate::tables::index::value::{Code, ILLEGAL, MATED, squares_with};

/// How much stronger White must be, in pawns, than Black for a capture not to be taken for a draw.
const STRONGER: u32 = 3;

/// What a man is worth in pawns.
fn worth(role: Role) -> u32 {
    match role {
        Role::Queen => 9,
        Role::Rook => 5,
        Role::Bishop | Role::Knight => 3,
        Role::Pawn => 1,
        Role::King => 0,
    }
}

/// A row whose values with Black to move are asked for.
pub(super) struct Row<'a> {
    pub(super) layout: &'a Layout,
    /// The number of White's king.
    pub(super) king: usize,
    pub(super) row: usize,
    pub(super) squares: Squares,
    /// As from [`Layout::occupied`].
    pub(super) occupied: Bitboard,
    pub(super) masks: Masks,
}

impl Row<'_> {
    /// The codes with Black to move, by the square of Black's king, as far as `white` lets them be
    /// foretold: the legal codes with White to move of a row of the same block, other squares than
    /// the stored ones marked illegal.
    pub(super) fn foretold<R: Borrow<[Code; 64]>>(&self, white: impl Fn(usize) -> R) -> [Code; 64] {
        let mut least = Least::NONE;
        let mut draws = Bitboard::EMPTY;
        least.step(white(self.row).borrow());
        let last = self.layout.pieces.checked_sub(1);
        if let Some(piece) = last.filter(|&piece| self.layout.men[piece].side == Side::Black) {
            let from = self.squares[piece];
            let reach = self.reach(piece, self.occupied);
            let leaving = self.layout.leaving(self.row, piece);
            for to in reach & !self.occupied {
                let row = leaving.to(to);
                if row_of_block(row) == row_of_block(self.row) {
                    least.take(white(row).borrow(), attacks::between(from, to));
                }
            }
        }
        for victim in self.worth_taking() {
            draws |= self.takers(victim);
        }
        self.decide(&least.codes(), draws)
    }

    /// The same for one square of Black's king. `white` gives the stored code with White to move in
    /// a row of the same block, legal or not; it is asked for legal ones. About 0.3 µs.
    pub(super) fn foretold_on(&self, other: Square, white: impl Fn(usize, Square) -> Code) -> Code {
        let stored = self.layout.kings.partners(self.king);
        let steps = attacks::king_attacks(other) & stored & self.masks.legal(Side::White);
        let by_king = steps.into_iter().map(|to| white(self.row, to));
        let last = self.layout.pieces.checked_sub(1);
        let piece = last.filter(|&piece| self.layout.men[piece].side == Side::Black);
        let by_piece = piece.into_iter().flat_map(|piece| {
            let from = self.squares[piece];
            let to = self.reach(piece, self.occupied) & !self.occupied;
            to.into_iter().filter_map(move |to| self.row_after(piece, from, to, other))
        });
        let least = by_king.chain(by_piece.map(|row| white(row, other))).min();
        let reached = least.unwrap_or(ILLEGAL);
        let (of, mover) = (self.layout.scale(Side::White), self.layout.scale(Side::Black));
        let code = match reached {
            ILLEGAL if self.masks.in_check(Side::Black).contains(other) => MATED,
            ILLEGAL => mover.draw,
            _ if of.unspeakable(reached, mover) => mover.draw,
            _ => of.before(reached, mover),
        };
        let taken = || self.worth_taking().any(|man| self.takers(man).contains(other));
        let draws = code < mover.draw && taken();
        if draws { mover.draw } else { code }
    }

    /// The row of the same block that Black's piece goes to, if that leaves Black's king, here,
    /// unattacked and is not barred by it.
    fn row_after(&self, piece: usize, from: Square, to: Square, other: Square) -> Option<usize> {
        let row = self.layout.moved(self.row, piece, to);
        let barred = to == other || attacks::between(from, to).contains(other);
        if barred || row_of_block(row) != row_of_block(self.row) {
            return None;
        }
        let occupied = self.occupied ^ Bitboard::from_square(from) ^ Bitboard::from_square(to);
        let mut white = (0..self.layout.men.len())
            .filter(|&man| self.layout.men[man].side == Side::White)
            .map(|man| self.reach(man, occupied));
        let near = attacks::king_attacks(self.layout.kings.square(self.king)).contains(other);
        (!near && !white.any(|reach| reach.contains(other))).then_some(row)
    }

    fn decide(&self, reached: &[Code; 64], draws: Bitboard) -> [Code; 64] {
        let (white, black) = (self.layout.scale(Side::White), self.layout.scale(Side::Black));
        let mut codes = *reached;
        white.before_each(&mut codes, black);
        codes.iter_mut().for_each(|code| *code = if *code == ILLEGAL { black.draw } else { *code });
        if white != black {
            let unsaid = reached.iter().map(|&code| white.unspeakable(code, black));
            let unsaid = codes.iter_mut().zip(unsaid).filter(|(_, unsaid)| *unsaid);
            unsaid.for_each(|(code, _)| *code = black.draw);
        }
        for square in squares_with(reached, ILLEGAL) & self.masks.in_check(Side::Black) {
            codes[square as usize] = MATED;
        }
        for square in draws {
            codes[square as usize] = codes[square as usize].max(black.draw);
        }
        codes
    }

    fn reach(&self, man: usize, occupied: Bitboard) -> Bitboard {
        let Man { side, role } = self.layout.men[man];
        attacks_of(side, role, self.squares[man], occupied)
    }

    /// White's men without whom White is no stronger than Black: from the signature alone.
    fn worth_taking(&self) -> impl Iterator<Item = usize> {
        let men = &self.layout.men;
        let of = |side: Side| {
            men.iter().filter(|man| man.side == side).map(|man| worth(man.role)).sum::<u32>()
        };
        let (white, black) = (of(Side::White), of(Side::Black));
        let white_men = (0..men.len()).filter(|&man| men[man].side == Side::White);
        white_men.filter(move |&man| white - worth(men[man].role) <= black + STRONGER)
    }

    /// Where Black's king stands next to this man of White's, undefended, or lets a man of Black's
    /// take it.
    fn takers(&self, victim: usize) -> Bitboard {
        let at = self.squares[victim];
        let without = self.occupied ^ Bitboard::from_square(at);
        let men = || (0..self.layout.men.len()).filter(|&man| man != victim);
        let side = |man: usize| self.layout.men[man].side;
        let own = men().filter(|&man| side(man) == Side::White);
        let defended = own
            .fold(attacks::king_attacks(self.layout.kings.square(self.king)), |all, man| {
                all | self.reach(man, without)
            });
        if defended.contains(at) {
            return Bitboard::EMPTY;
        }
        let others = men().filter(|&man| side(man) == Side::Black);
        let taking = others.filter(|&man| self.reach(man, self.occupied).contains(at));
        let open = |man: usize| !attacks::between(self.squares[man], at);
        let by_men = taking.fold(Bitboard::EMPTY, |all, man| all | open(man));
        attacks::king_attacks(at) | (by_men & !self.masks.in_check(Side::Black))
    }
}
