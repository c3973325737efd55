//! Where a position of a signature lives: slice (pawn squares), king number, row (squares of the
//! other pieces), column (square of Black's king).
//!
//! A *row* is the unit of all work: White's king and every man but Black's king are fixed, and a
//! 64-bit word (or 64 bytes) holds one bit (or value) per square of Black's king. Without pawns
//! White's king is turned into the triangle a1–d1–d4; with pawns there is one *slice* per placement
//! of the pawns (up to mirroring the files), solved on its own, because pawns never move back.

use crate::chess::board::{Bitboard, Rank, Role, Square};

use super::material::{MAX_STORED_MEN, Material};
use super::place::{Leaving, Place};
use super::symmetry::KingSquares;
use super::value::{DEEP, Scale};
use crate::chess::symmetry::Images;
use crate::chess::{Side, Turn};

/// Men beside the two kings, at most.
pub(in crate::tables) const MAX_OTHERS: usize = MAX_STORED_MEN - 2;

/// Squares of the men beside the kings, in the order of [`Layout::men`]; unused ones are a1.
pub(in crate::tables) type Squares = [Square; MAX_OTHERS];

/// A man that is no king.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tables) struct Man {
    pub(in crate::tables) side: Side,
    pub(in crate::tables) role: Role,
}

/// The geometry of one signature.
#[derive(Debug)]
pub(in crate::tables) struct Layout {
    pub(in crate::tables) material: Material,
    /// The men beside the kings: pieces first, then pawns; White's before Black's; strongest first.
    pub(in crate::tables) men: Vec<Man>,
    /// How many of `men` are pieces (not pawns).
    pub(in crate::tables) pieces: usize,
    pub(in crate::tables) kings: KingSquares,
    /// Whether the second-named side loses in more plies than usual bytes can hold.
    pub(in crate::tables) deep: bool,
    /// Whether the longest losses and wins that bytes can hold stand for longer ones too (six men).
    pub(in crate::tables) wide: bool,
    /// Man i is of the same kind as man i + 1.
    alike: [bool; MAX_OTHERS],
    /// Pawn squares of every slice, most advanced pawns first: a slice comes after those its pawn
    /// moves lead to.
    slices: Vec<[Square; MAX_OTHERS]>,
    /// By the pawn squares read as a number in base 64: twice the slice, plus 1 if the files are
    /// mirrored.
    slice_of: Vec<u32>,
}

impl Layout {
    pub(in crate::tables) fn new(material: Material) -> Self {
        let (mut men, pawns): (Vec<Man>, Vec<Man>) = material
            .list()
            .map(|(side, role)| Man { side, role })
            .partition(|man| man.role != Role::Pawn);
        let pieces = men.len();
        men.extend(pawns);
        let alike = std::array::from_fn(|i| i + 1 < men.len() && men[i] == men[i + 1]);
        let kings = if material.has_pawns() { KingSquares::Board } else { KingSquares::Triangle };
        let mut layout = Self {
            material,
            men,
            pieces,
            kings,
            deep: false,
            wide: false,
            alike,
            slices: Vec::new(),
            slice_of: Vec::new(),
        };
        layout.number_slices();
        layout
    }

    /// The same, for a table in which the second-named side loses in up to 254 plies.
    pub(in crate::tables) fn of_deep(material: Material) -> Self {
        Self { deep: true, ..Self::new(material) }
    }

    /// The layout of the table whose longest mate takes so many plies.
    pub(in crate::tables) fn of_longest(material: Material, plies: u16) -> Self {
        let (long, large) = (plies >= DEEP, material.is_one_large_slice());
        Self { deep: long && !large, wide: long && large, ..Self::new(material) }
    }

    /// What the bytes of a side to move mean.
    pub(in crate::tables) fn scale(&self, to_move: Side) -> Scale {
        if self.deep && to_move == Side::Black { Scale::LOSER } else { Scale::USUAL }
    }

    fn number_slices(&mut self) {
        let pawns = self.men.len() - self.pieces;
        let squares = |code: usize| -> [Square; MAX_OTHERS] {
            std::array::from_fn(|i| {
                if i < pawns {
                    Square::new((code >> (6 * (pawns - 1 - i)) & 63) as u32)
                } else {
                    Square::A1
                }
            })
        };
        let mut found: Vec<[Square; MAX_OTHERS]> = Vec::new();
        for code in 0..1usize << (6 * pawns) {
            let at = squares(code);
            let on_board = |s: &Square| !Bitboard::BACKRANKS.contains(*s);
            let distinct = (1..pawns).all(|i| !at[..i].contains(&at[i]));
            if at[..pawns].iter().all(on_board) && distinct && self.canonical_pawns(at).0 == at {
                found.push(at);
            }
        }
        found.sort_by_key(|at| self.steps_left(at));
        self.slice_of = vec![u32::MAX; 1 << (6 * pawns)];
        for (number, at) in found.iter().enumerate() {
            let code = self.pawn_code(at);
            self.slice_of[code] = 2 * number as u32;
        }
        for code in 0..1usize << (6 * pawns) {
            let (canonical, mirrored) = self.canonical_pawns(squares(code));
            let even = self.slice_of[self.pawn_code(&canonical)] & !1;
            self.slice_of[code] = even | u32::from(mirrored);
        }
        self.slices = found;
    }

    fn pawn_code(&self, pawns: &[Square; MAX_OTHERS]) -> usize {
        pawns[..self.men.len() - self.pieces].iter().fold(0, |code, &s| code << 6 | s as usize)
    }

    /// Like pawns put in order.
    fn ordered_pawns(&self, mut at: [Square; MAX_OTHERS]) -> [Square; MAX_OTHERS] {
        for (i, j) in [(0, 1), (1, 2), (0, 1), (2, 3), (1, 2), (0, 1)] {
            if self.pieces + j < self.men.len() && self.alike[self.pieces + i] && at[i] > at[j] {
                at.swap(i, j);
            }
        }
        at
    }

    /// The mirror image of a pawn placement, like pawns in order.
    fn mirrored_pawns(&self, mut at: [Square; MAX_OTHERS]) -> [Square; MAX_OTHERS] {
        for square in &mut at[..self.men.len() - self.pieces] {
            *square = square.flip_horizontal();
        }
        self.ordered_pawns(at)
    }

    /// The smaller of a pawn placement and its mirror image, like pawns in order; and was it the
    /// image? The first pawn's file decides before its square does, so that a lone pawn stands on
    /// files a–d.
    fn canonical_pawns(&self, at: [Square; MAX_OTHERS]) -> ([Square; MAX_OTHERS], bool) {
        let (plain, image) = (self.ordered_pawns(at), self.mirrored_pawns(at));
        let key = |at: &[Square; MAX_OTHERS]| (at[0].file(), *at);
        if self.kings == KingSquares::Board && key(&image) < key(&plain) {
            (image, true)
        } else {
            (plain, false)
        }
    }

    /// Ranks the pawns of a slice still have to go, in all: every pawn move without capture lowers
    /// it.
    fn steps_left(&self, pawns: &[Square; MAX_OTHERS]) -> u32 {
        let step = |(man, square): (&Man, &Square)| {
            7 - man.side.pick(square.rank(), square.rank().flip_vertical()) as u32
        };
        self.men[self.pieces..].iter().zip(pawns).map(step).sum()
    }

    /// The number of slices; 1 without pawns.
    pub(in crate::tables) fn slices(&self) -> usize {
        self.slices.len()
    }

    /// The size of the index, both sides to move: an upper bound of the legal positions stored.
    pub(in crate::tables) fn positions(&self) -> u64 {
        let pairs: usize =
            (0..self.kings.count()).map(|king| self.kings.partners(king).count()).sum();
        2 * (self.slices() * pairs * self.rows_in_order()) as u64
    }

    /// How many rows have like pieces in order.
    fn rows_in_order(&self) -> usize {
        let mut rows = 1;
        let mut alike = 0;
        for piece in 0..self.pieces {
            alike = if piece > 0 && self.alike[piece - 1] { alike + 1 } else { 0 };
            rows = rows * (64 - alike) / (alike + 1);
        }
        rows
    }

    /// The squares of the pawns in a slice.
    pub(in crate::tables) fn pawns_of(&self, slice: usize) -> &[Square] {
        &self.slices[slice][..self.men.len() - self.pieces]
    }

    /// The slices in batches: each depends on earlier batches alone.
    pub(in crate::tables) fn batches(&self) -> Vec<std::ops::Range<usize>> {
        let mut batches: Vec<std::ops::Range<usize>> = Vec::new();
        let mut steps = None;
        for (number, pawns) in self.slices.iter().enumerate() {
            let left = Some(self.steps_left(pawns));
            match batches.last_mut() {
                Some(batch) if left == steps => batch.end = number + 1,
                _ => batches.push(number..number + 1),
            }
            steps = left;
        }
        batches
    }

    /// The slices that pawn moves without capture lead to from this one, each once.
    pub(in crate::tables) fn ahead(&self, slice: usize) -> Vec<usize> {
        let squares = self.squares(slice, 0);
        let pawns: Bitboard = self.pawns_of(slice).iter().copied().collect();
        let mut found = Vec::new();
        for man in self.pieces..self.men.len() {
            let (first, step) = self.men[man].side.pick((Rank::Second, 8), (Rank::Seventh, -8));
            let mut after = squares;
            for _ in 0..if squares[man].rank() == first { 2 } else { 1 } {
                after[man] = after[man].offset(step).expect("pawns stand on ranks 2 to 7");
                if pawns.contains(after[man]) || Bitboard::BACKRANKS.contains(after[man]) {
                    break;
                }
                found.push(self.slice(&after).0);
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// By slice: the last one whose pawns can move into it; 0 if there is none.
    pub(in crate::tables) fn last_readers(&self) -> Vec<usize> {
        let mut last = vec![0; self.slices()];
        for slice in 0..self.slices() {
            self.ahead(slice).into_iter().for_each(|next| last[next] = slice);
        }
        last
    }

    /// Is this slice its own mirror image (so that it holds every position twice)?
    pub(in crate::tables) fn is_mirror_of_itself(&self, slice: usize) -> bool {
        self.kings == KingSquares::Board
            && self.mirrored_pawns(self.slices[slice]) == self.slices[slice]
    }

    /// Rows per king number (and slice): 64 to the number of pieces.
    pub(in crate::tables) fn rows(&self) -> usize {
        1 << (6 * self.pieces)
    }

    /// The squares of the men in a row of a slice.
    #[inline]
    pub(in crate::tables) fn squares(&self, slice: usize, row: usize) -> Squares {
        let mut squares = [Square::A1; MAX_OTHERS];
        for (i, square) in squares[..self.pieces].iter_mut().enumerate() {
            *square = Square::new((row >> self.shift(i) & 63) as u32);
        }
        squares[self.pieces..self.men.len()].copy_from_slice(self.pawns_of(slice));
        squares
    }

    /// Where the square of a piece stands in a row, in bits.
    #[inline]
    pub(in crate::tables) fn shift(&self, piece: usize) -> usize {
        6 * (self.pieces - 1 - piece)
    }

    /// The row of given piece squares; like pieces are put in order first.
    #[inline]
    pub(in crate::tables) fn row(&self, mut squares: Squares) -> usize {
        let mut order = |pairs: &[(usize, usize)]| {
            for &(i, j) in pairs {
                if j < self.pieces && self.alike[i] && squares[i] > squares[j] {
                    squares.swap(i, j);
                }
            }
        };
        order(&[(0, 1), (1, 2), (0, 1)]);
        if self.pieces > 3 {
            order(&[(2, 3), (1, 2), (0, 1)]);
        }
        squares[..self.pieces].iter().fold(0, |row, &square| row << 6 | square as usize)
    }

    /// Has this piece no like one beside it?
    #[inline]
    pub(in crate::tables) fn is_lone(&self, piece: usize) -> bool {
        !self.alike[piece] && (piece == 0 || !self.alike[piece - 1])
    }

    /// The first of two like pieces, of which this is one, where there are just two and at most one
    /// other piece follows them.
    pub(in crate::tables) fn first_of_pair(&self, piece: usize) -> Option<usize> {
        let first = if self.alike[piece] { piece } else { piece.checked_sub(1)? };
        let more = first > 0 && self.alike[first - 1] || self.alike[first + 1];
        (self.alike[first] && !more && self.pieces - first <= 3).then_some(first)
    }

    /// The row after piece `piece` of this row has gone to `to`.
    #[inline]
    pub(in crate::tables) fn moved(&self, row: usize, piece: usize, to: Square) -> usize {
        self.leaving(row, piece).to(to)
    }

    /// The rows that piece `piece` of this row goes to.
    #[inline]
    pub(in crate::tables) fn leaving(&self, row: usize, piece: usize) -> Leaving {
        if self.is_lone(piece) {
            let shift = self.shift(piece);
            return Leaving { rest: row & !(63 << shift), others: [64; 3], count: 0, shift };
        }
        self.leaving_others(row, piece)
    }

    /// The same of a piece that has like ones beside it.
    fn leaving_others(&self, row: usize, piece: usize) -> Leaving {
        let (mut first, mut last) = (piece, piece);
        while first > 0 && self.alike[first - 1] {
            first -= 1;
        }
        while last + 1 < self.pieces && self.alike[last] {
            last += 1;
        }
        let mut others = [64; MAX_OTHERS - 1];
        let mut rest = row;
        let mut count = 0;
        for other in first..=last {
            let shift = self.shift(other);
            if other != piece {
                others[count] = row >> shift & 63;
                count += 1;
            }
            rest &= !(63 << shift);
        }
        Leaving { rest, others, count, shift: self.shift(last) }
    }

    /// Are like pieces in order in this row? Other rows are never used: the position lives in the
    /// row with the pieces in order (so k like pieces take C(64, k) rows, not 64^k).
    #[inline]
    pub(in crate::tables) fn in_order(&self, row: usize) -> bool {
        let at = |i: usize| row >> self.shift(i) & 63;
        (1..self.pieces).all(|i| !self.alike[i - 1] || at(i - 1) < at(i))
    }

    /// The first row in order among the 64 rows from `first` on, which differ in their last piece
    /// alone.
    pub(in crate::tables) fn first_in_order(&self, first: usize) -> usize {
        if self.pieces < 2 {
            return first;
        }
        let at = |piece: usize| first >> self.shift(piece) & 63;
        let last = self.pieces - 1;
        if (1..last).any(|i| self.alike[i - 1] && at(i - 1) >= at(i)) {
            return first + 64;
        }
        if self.alike[last - 1] { first + at(last - 1) + 1 } else { first }
    }

    /// The row of the position reflected in the diagonal a1–h8 (pawnless tables).
    pub(in crate::tables) fn transposed(&self, row: usize) -> usize {
        self.row(self.squares(0, row).map(Square::flip_diagonal))
    }

    /// The slice of these pawns, and whether the files are mirrored there. The pawns must stand on
    /// ranks 2–7.
    #[inline]
    pub(in crate::tables) fn slice(&self, squares: &Squares) -> (usize, bool) {
        let code =
            squares[self.pieces..self.men.len()].iter().fold(0, |code, &s| code << 6 | s as usize);
        let found = self.slice_of[code];
        ((found >> 1) as usize, found & 1 == 1)
    }

    /// Where a position lives. The pawns must stand on ranks 2–7 and not on one another.
    pub(in crate::tables) fn place(&self, king: Square, squares: &Squares) -> Place {
        let (slice, symmetry, number) = match self.kings {
            KingSquares::Triangle => {
                let (number, symmetry) = self.kings.normalise(king);
                (0, symmetry, number)
            }
            KingSquares::Board => {
                let (slice, mirrored) = self.slice(squares);
                let symmetry = if mirrored { Turn::MIRROR_FILES } else { Turn::NONE };
                (slice, symmetry, symmetry.of(king) as usize)
            }
        };
        let row = if symmetry == Turn::NONE {
            self.row(*squares)
        } else {
            self.row(squares.map(|square| symmetry.of(square)))
        };
        Place { slice, king: number, row, symmetry }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn layout(name: &str) -> Layout {
        Layout::new(name.parse().unwrap())
    }

    #[test]
    fn slices_of_pawn_signatures() {
        for (name, slices) in
            [("KRvK", 1), ("KPvK", 24), ("KPPvK", 576), ("KPvKP", 1128), ("KRPvKR", 24)]
        {
            assert_eq!(layout(name).slices(), slices, "{name}");
        }
    }

    #[test]
    fn batches_come_after_what_pawn_moves_lead_to() {
        let layout = layout("KPvKP");
        let mut seen = 0;
        let mut left = 0;
        for batch in layout.batches() {
            assert_eq!(batch.start, seen);
            seen = batch.end;
            let steps = layout.steps_left(&layout.slices[batch.start]);
            assert!(steps > left);
            assert!(batch.clone().all(|s| layout.steps_left(&layout.slices[s]) == steps));
            assert!(batch.clone().flat_map(|s| layout.ahead(s)).all(|s| s < batch.start));
            left = steps;
        }
        assert_eq!(seen, layout.slices());
    }

    #[test]
    fn pawns_go_one_step_or_two_where_the_way_is_free() {
        let layout = layout("KPvKP");
        let ahead = |white, black| {
            let slice = layout.slice(&[white, black, Square::A1, Square::A1]).0;
            let pawns = |s: usize| (layout.pawns_of(s)[0], layout.pawns_of(s)[1]);
            let mut found: Vec<_> = layout.ahead(slice).into_iter().map(pawns).collect();
            found.sort_unstable();
            found
        };
        assert_eq!(
            ahead(Square::B2, Square::C3),
            [(Square::B2, Square::C2), (Square::B3, Square::C3), (Square::B4, Square::C3)]
        );
        assert_eq!(
            ahead(Square::B2, Square::B4),
            [(Square::B2, Square::B3), (Square::B3, Square::B4)]
        );
        assert_eq!(ahead(Square::B7, Square::B2), []);
        assert_eq!(ahead(Square::B4, Square::B5), []);
    }

    #[test]
    fn rows_in_order_are_counted() {
        for name in ["KRNvKN", "KRRvKR", "KNNNvK", "KRvKNN", "KNNNvKP", "KPvKP"] {
            let layout = layout(name);
            let found = (0..layout.rows()).filter(|&row| layout.in_order(row)).count();
            assert_eq!(layout.rows_in_order(), found, "{name}");
        }
        assert_eq!(layout("KQQQQvK").positions(), 2 * 462 * 635_376);
    }

    #[test]
    fn a_row_gives_its_squares_back() {
        for name in [
            "KQRvKR", "KRRvKR", "KQQQvK", "KRPvKR", "KPvKP", "KBPvK", "KRNvKNN", "KNNvKNN",
            "KQQQQvK",
        ] {
            let layout = layout(name);
            for row in (0..layout.rows()).step_by(37).filter(|&r| layout.in_order(r)) {
                let slice = row % layout.slices();
                let squares = layout.squares(slice, row);
                let king = layout.kings.square(row % layout.kings.count());
                let place = layout.place(king, &squares);
                assert_eq!(
                    (place.slice, place.row, place.symmetry),
                    (slice, row, Turn::NONE),
                    "{name}"
                );
                assert_eq!(layout.kings.square(place.king), king);
            }
        }
    }

    #[test]
    fn like_pieces_and_mirrored_pawns_share_a_row() {
        let krrkr = layout("KRRvKR");
        let (a, b) = (
            [Square::B3, Square::G7, Square::H8, Square::A1],
            [Square::G7, Square::B3, Square::H8, Square::A1],
        );
        assert_eq!(krrkr.place(Square::B1, &a).row, krrkr.place(Square::B1, &b).row);
        let kppk = layout("KPPvK");
        let a = kppk.place(Square::B1, &[Square::B3, Square::G7, Square::A1, Square::A1]);
        let b = kppk.place(Square::G1, &[Square::B7, Square::G3, Square::A1, Square::A1]);
        assert_eq!((a.slice, a.king), (b.slice, b.king));
        assert!(a.symmetry != b.symmetry);
    }
}
