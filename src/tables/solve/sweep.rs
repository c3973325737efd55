//! One step of a piece from all its squares at once: the rows that differ in this piece alone are
//! walked ray by ray, and what stands further along a ray is carried from square to square. Where
//! many of these rows are asked for, that takes a tenth of what following each piece by itself does.
//!
//! Along a ray, what can be reached from a square is what is on the next one, and what can be
//! reached from there, unless Black's king is on it; nothing where another man is. Both steps of the
//! solver are that: un-moves carry the positions of a level back to where the piece may have come
//! from, and moves find the positions where the opponent escapes.
//!
//! A *line* is the 64 rows that differ in their last piece, which lie together. A *plane* is the 4096
//! rows that differ in another piece and in the last one: 64 lines, which are walked together. Rows
//! with two men on one square must be empty in what is given; in what comes out they may hold
//! anything.

use std::sync::LazyLock;

use super::back::Level;
use crate::chess::board::{Bitboard, Role, Square, attacks};

/// A word for each square of a piece.
pub(super) type Line = [Bitboard; 64];

const NOTHING: Line = [Bitboard::EMPTY; 64];

/// The directions of a rook, then those of a bishop, as steps of file and rank.
const DIRECTIONS: [(i32, i32); 8] =
    [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)];

/// By direction: all squares, each after the next one in that direction, and whether there is none.
static WALKS: LazyLock<[[(Square, bool); 64]; 8]> =
    LazyLock::new(|| DIRECTIONS.map(|(file, rank)| walk(file, rank)));

fn walk(file: i32, rank: i32) -> [(Square, bool); 64] {
    let beyond = |square: Square| {
        let (f, r) = (square.file() as i32 + file, square.rank() as i32 + rank);
        ((0..8).contains(&f) && (0..8).contains(&r)).then(|| Square::new((8 * r + f) as u32))
    };
    let mut squares = [(Square::A1, true); 64];
    let mut count = 0;
    for end in Square::ALL.into_iter().filter(|&square| beyond(square).is_none()) {
        let mut at = Some(end);
        while let Some(square) = at {
            squares[count] = (square, square == end);
            count += 1;
            at = Square::ALL.into_iter().find(|&near| beyond(near) == Some(square));
        }
    }
    squares
}

fn walks(role: Role) -> &'static [[(Square, bool); 64]] {
    match role {
        Role::Queen => &WALKS[..],
        Role::Rook => &WALKS[..4],
        Role::Bishop => &WALKS[4..],
        _ => &[],
    }
}

/// All squares but each one.
const BUT_ONE: [u64; 64] = {
    let mut words = [0; 64];
    let mut square = 0;
    while square < 64 {
        words[square] = !(1 << square);
        square += 1;
    }
    words
};

/// What a piece on each square can step to of `level`, given by its square. No piece passes a square
/// of `shut`, nor the one where Black's king is. About 0.1 µs for a rook.
pub(super) fn sweep_line(role: Role, level: &Line, shut: Bitboard) -> Line {
    let mut reached = NOTHING;
    if role == Role::Knight {
        for from in Square::ALL {
            let steps = attacks::knight_attacks(from).into_iter();
            reached[from as usize] =
                steps.fold(Bitboard::EMPTY, |all, to| all | level[to as usize]);
        }
        return reached;
    }
    // Where Black's king may be for a piece to pass a square.
    let mut pass = BUT_ONE.map(Bitboard);
    shut.into_iter().for_each(|square| pass[square as usize] = Bitboard::EMPTY);
    if matches!(role, Role::Queen | Role::Rook) {
        along_ranks(level, &pass, &mut reached);
        across_ranks::<0>(level, &pass, &mut reached);
    }
    if matches!(role, Role::Queen | Role::Bishop) {
        across_ranks::<1>(level, &pass, &mut reached);
        across_ranks::<-1>(level, &pass, &mut reached);
    }
    reached
}

/// The rays to both sides.
#[inline]
fn along_ranks(level: &Line, pass: &Line, reached: &mut Line) {
    for first in (0..64).step_by(8) {
        let (mut west, mut east) = (Bitboard::EMPTY, Bitboard::EMPTY);
        for file in 0..8 {
            let (from_a, from_h) = (first + file, first + 7 - file);
            reached[from_a] |= west;
            west = level[from_a] | west & pass[from_a];
            reached[from_h] |= east;
            east = level[from_h] | east & pass[from_h];
        }
    }
}

/// The rays up and down that go `FILES` files aside a rank (up: to the right).
#[inline]
fn across_ranks<const FILES: isize>(level: &Line, pass: &Line, reached: &mut Line) {
    let (mut up, mut down) = ([Bitboard::EMPTY; 8], [Bitboard::EMPTY; 8]);
    for rank in 0..8 {
        let (top, bottom) = (56 - 8 * rank, 8 * rank);
        rank_of_rays::<FILES>(top, &mut up, level, pass, reached);
        // Down, the same rays go the other way.
        match FILES {
            0 => rank_of_rays::<0>(bottom, &mut down, level, pass, reached),
            1 => rank_of_rays::<-1>(bottom, &mut down, level, pass, reached),
            _ => rank_of_rays::<1>(bottom, &mut down, level, pass, reached),
        }
    }
}

/// One rank of eight rays: `ahead` is what each of its squares can reach in this direction, and
/// becomes that of the next rank's.
#[inline]
fn rank_of_rays<const FILES: isize>(
    first: usize,
    ahead: &mut [Bitboard; 8],
    level: &Line,
    pass: &Line,
    reached: &mut Line,
) {
    let mut here = [Bitboard::EMPTY; 8];
    for file in 0..8 {
        let square = first + file;
        reached[square] |= ahead[file];
        here[file] = level[square] | ahead[file] & pass[square];
    }
    let none = Bitboard::EMPTY;
    *ahead = match FILES {
        0 => here,
        1 => [here[1], here[2], here[3], here[4], here[5], here[6], here[7], none],
        _ => [none, here[0], here[1], here[2], here[3], here[4], here[5], here[6]],
    };
}

/// Work space for the steps of a piece that is not the last one of its rows: 64 KiB.
pub(super) struct Lines {
    /// By the square of the piece, and that of the last piece.
    level: Box<[Line; 64]>,
    reached: Box<[Line; 64]>,
    /// Squares of the piece with anything in `level`, and in `reached`.
    filled: Bitboard,
    marked: Bitboard,
    /// Rows of a level by another square than their first: empty between uses.
    pub(super) planes: Vec<Level>,
}

impl Default for Lines {
    fn default() -> Self {
        let nothing = || Box::new([NOTHING; 64]);
        let (level, reached) = (nothing(), nothing());
        let (filled, marked) = (Bitboard::EMPTY, Bitboard::EMPTY);
        Self { level, reached, filled, marked, planes: vec![Level::new(); 64] }
    }
}

impl Lines {
    /// Adds to the level.
    #[inline]
    pub(super) fn add(&mut self, piece: Square, last: Square, bits: Bitboard) {
        self.level[piece as usize][last as usize] |= bits;
        self.filled.add(piece);
    }

    /// As [`sweep_line`], for each square of the last piece, past which nothing goes either. Hands
    /// what is reached to `mark`, by the square of the piece a line of the last piece's, and leaves
    /// the plane empty. A rook takes some 10 µs where the plane is full.
    pub(super) fn sweep(
        &mut self,
        role: Role,
        shut: Bitboard,
        mut mark: impl FnMut(Square, &Line),
    ) {
        if role == Role::Knight {
            self.leap();
        }
        for squares in walks(role) {
            self.slide(squares, shut);
        }
        for piece in std::mem::take(&mut self.filled) {
            self.level[piece as usize] = NOTHING;
        }
        for piece in std::mem::take(&mut self.marked) {
            let reached = &mut self.reached[piece as usize];
            mark(piece, reached);
            *reached = NOTHING;
        }
    }

    fn leap(&mut self) {
        for to in self.filled {
            for from in attacks::knight_attacks(to) {
                unite(&mut self.reached[from as usize], &self.level[to as usize]);
                self.marked.add(from);
            }
        }
    }

    fn slide(&mut self, squares: &[(Square, bool); 64], shut: Bitboard) {
        let mut ahead = NOTHING;
        let mut any = false;
        for &(square, first) in squares {
            any &= !first;
            if any {
                unite(&mut self.reached[square as usize], &ahead);
                self.marked.add(square);
            }
            if shut.contains(square) {
                any = false;
            } else if any {
                let king = Bitboard::from_square(square);
                for (ahead, &level) in ahead.iter_mut().zip(&self.level[square as usize]) {
                    *ahead = level | ahead.without_const(king);
                }
            } else if self.filled.contains(square) {
                (ahead, any) = (self.level[square as usize], true);
            }
            ahead[square as usize] = Bitboard::EMPTY;
        }
    }
}

fn unite(all: &mut Line, more: &Line) {
    all.iter_mut().zip(more).for_each(|(all, &more)| *all |= more);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::index::rays::rays;
    use pretty_assertions::assert_eq;

    const ROLES: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];

    /// A third of the words are empty, the others have some squares.
    fn word(seed: &mut u64) -> Bitboard {
        let mut next = || {
            *seed ^= *seed << 13;
            *seed ^= *seed >> 7;
            *seed ^= *seed << 17;
            *seed
        };
        if next() % 3 == 0 { Bitboard::EMPTY } else { Bitboard(next() & next()) }
    }

    /// What one piece can step to, square by square.
    fn stepped(role: Role, from: Square, level: &Line, shut: Bitboard) -> Bitboard {
        let mut reached = Bitboard::EMPTY;
        for ray in rays(role, from) {
            let mut passed = Bitboard::EMPTY;
            for &to in ray {
                if shut.contains(to) {
                    break;
                }
                reached |= level[to as usize].without_const(passed);
                passed.add(to);
            }
        }
        reached
    }

    #[test]
    fn a_line_is_swept_as_each_piece_steps() {
        let mut seed = 0x5eed_0001;
        for _ in 0..200 {
            let shut = word(&mut seed) & word(&mut seed);
            let mut level = [(); 64].map(|()| word(&mut seed));
            shut.into_iter().for_each(|square| level[square as usize] = Bitboard::EMPTY);
            for role in ROLES {
                let swept = sweep_line(role, &level, shut);
                for from in Square::ALL {
                    let expected = stepped(role, from, &level, shut);
                    assert_eq!(swept[from as usize], expected, "{role:?} {from}");
                }
            }
        }
    }

    #[test]
    fn a_plane_is_swept_as_each_line_with_the_last_piece_in_the_way() {
        let mut seed = 0x5eed_0002;
        let mut plane = Lines::default();
        for round in 0..40 {
            let shut = word(&mut seed) & word(&mut seed);
            for role in ROLES {
                let mut lines = [NOTHING; 64];
                for last in Square::ALL {
                    for piece in !(shut | Bitboard::from_square(last)) {
                        // Few lines of a plane, or all.
                        if round % 2 == 0 || (piece as usize + last as usize).is_multiple_of(7) {
                            let bits = word(&mut seed);
                            lines[last as usize][piece as usize] = bits;
                            if bits.any() {
                                plane.add(piece, last, bits);
                            }
                        }
                    }
                }
                let mut swept = [NOTHING; 64];
                plane.sweep(role, shut, |piece, line| {
                    for last in Square::ALL {
                        swept[last as usize][piece as usize] = line[last as usize];
                    }
                });
                for last in Square::ALL {
                    let shut = shut | Bitboard::from_square(last);
                    for from in !shut {
                        let expected = stepped(role, from, &lines[last as usize], shut);
                        let found = swept[last as usize][from as usize];
                        assert_eq!(found, expected, "{role:?} {from}, last piece on {last}");
                    }
                }
            }
        }
    }
}
