//! Squares as bits of a word, seen by the attacker, whose pawns go up the board: a1 = bit 0.

pub(super) use crate::chess::board::attacks::king_steps as spread;
use crate::chess::board::{Bitboard, Square, attacks};

/// The square of a bit's number.
pub(super) const fn bit(square: u8) -> u64 {
    1 << square
}

const A_FILE: u64 = 0x0101_0101_0101_0101;
const NOT_A: u64 = !A_FILE;
const NOT_H: u64 = !(A_FILE << 7);
/// The rank from which a defender's pawn promotes by one step, and the attacker's.
pub(super) const RANK_2: u64 = 0xff00;
/// See [`RANK_2`].
pub(super) const RANK_7: u64 = RANK_2 << 40;

const fn king_table() -> [u64; 64] {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        table[square as usize] = spread(bit(square));
        square += 1;
    }
    table
}

/// The squares a king's step away.
pub(super) static KING: [u64; 64] = king_table();

/// The squares that pawns going up the board attack.
pub(super) const fn attacks_up(pawns: u64) -> u64 {
    (pawns << 9) & NOT_A | (pawns << 7) & NOT_H
}

/// The squares that pawns going down the board attack.
pub(super) const fn attacks_down(pawns: u64) -> u64 {
    (pawns >> 7) & NOT_A | (pawns >> 9) & NOT_H
}

/// The squares of a set, ascending.
pub(super) fn squares(mut set: u64) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let square = (set != 0).then(|| set.trailing_zeros() as u8)?;
        set &= set - 1;
        Some(square)
    })
}

/// The squares between two squares of a line, without these.
pub(super) fn between(a: u8, b: u8) -> u64 {
    attacks::between(Square::new(a.into()), Square::new(b.into())).0
}

/// The squares of a line's eight rays from a square, nearest first, as far as `reach` goes.
pub(super) fn each_ray(from: u8, reach: u64, mut each: impl FnMut(u8, u64)) {
    for (at, ray) in RAYS[usize::from(from)].iter().enumerate() {
        let (mut left, mut passed) = (reach & ray, 0);
        while left != 0 {
            let up = at < 4;
            let square = if up { left.trailing_zeros() } else { 63 - left.leading_zeros() } as u8;
            each(square, passed);
            passed |= bit(square);
            left &= !bit(square);
        }
    }
}

/// By square: its rays, the four that go to higher squares first.
static RAYS: [[u64; 8]; 64] = ray_table();

const fn ray_table() -> [[u64; 8]; 64] {
    const STEPS: [(i32, i32); 8] =
        [(1, 0), (-1, 1), (0, 1), (1, 1), (-1, 0), (1, -1), (0, -1), (-1, -1)];
    let mut table = [[0; 8]; 64];
    let mut square = 0;
    while square < 64 {
        let mut ray = 0;
        while ray < 8 {
            let (mut file, mut rank) = (square % 8 + STEPS[ray].0, square / 8 + STEPS[ray].1);
            while file >= 0 && file < 8 && rank >= 0 && rank < 8 {
                table[square as usize][ray] |= bit((8 * rank + file) as u8);
                file += STEPS[ray].0;
                rank += STEPS[ray].1;
            }
            ray += 1;
        }
        square += 1;
    }
    table
}

/// The larger of the distances in files and in ranks: a king's steps on an empty board.
pub(super) fn distance(a: u8, b: u8) -> u8 {
    let (files, ranks) = ((a & 7).abs_diff(b & 7), (a >> 3).abs_diff(b >> 3));
    files.max(ranks)
}

/// The squares of one colour: that of a1, and so of a8 where the board is turned over.
const EVEN: u64 = 0xaa55_aa55_aa55_aa55;

/// A man beside king and pawns, the stronger first. Bishops differ by the colour of their squares, so
/// that no slice has rows for squares that its bishops never come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Officer {
    /// None: kings and pawns alone.
    None,
    /// A queen.
    Queen,
    /// A rook.
    Rook,
    /// A knight.
    Knight,
    /// A bishop on squares of the colour of a1.
    Bishop,
    /// A bishop on the other squares.
    OddBishop,
}

impl Officer {
    /// The squares on which it may stand.
    #[inline]
    pub(super) const fn home(self) -> u64 {
        match self {
            Self::Bishop => EVEN,
            Self::OddBishop => !EVEN,
            _ => !0,
        }
    }

    /// What it is on the board turned over.
    pub(super) const fn turned(self) -> Self {
        match self {
            Self::Bishop => Self::OddBishop,
            Self::OddBishop => Self::Bishop,
            _ => self,
        }
    }

    /// What a pawn may become on a square.
    pub(super) const fn promoted(at: u8) -> [Self; 4] {
        let bishop = if EVEN & bit(at) != 0 { Self::Bishop } else { Self::OddBishop };
        [Self::Queen, Self::Rook, bishop, Self::Knight]
    }

    /// The squares that it attacks from a square.
    pub(super) fn attacks(self, from: u8, occupied: u64) -> u64 {
        let (from, occupied) = (Square::new(from.into()), Bitboard(occupied));
        match self {
            Self::None => 0,
            Self::Queen => attacks::queen_attacks(from, occupied).0,
            Self::Rook => attacks::rook_attacks(from, occupied).0,
            Self::Bishop | Self::OddBishop => attacks::bishop_attacks(from, occupied).0,
            Self::Knight => attacks::knight_attacks(from).0,
        }
    }

    /// The squares attacked from any square of a set, in which men do not block each other: the
    /// squares from which it comes into the set. About 30 ns.
    pub(super) fn reach(self, set: u64, occupied: u64) -> u64 {
        let free = !occupied;
        match self {
            Self::None => 0,
            Self::Queen => straight(set, free) | diagonal(set, free),
            Self::Rook => straight(set, free),
            Self::Bishop | Self::OddBishop => diagonal(set, free),
            Self::Knight => squares(set).fold(0, |all, s| all | self.attacks(s, 0)),
        }
    }
}

/// Fills in one direction (Kogge and Stone, 1973): the squares passed, the first blocked one with
/// them. `left` by so many bits, else right; `wrap` are the squares where a step may end.
#[inline(always)]
fn fill<const LEFT: bool>(set: u64, free: u64, by: u32, wrap: u64) -> u64 {
    let step = |x: u64, n: u32| if LEFT { x << n } else { x >> n };
    let mut on = free & wrap;
    let mut all = set;
    all |= on & step(all, by);
    on &= step(on, by);
    all |= on & step(all, 2 * by);
    on &= step(on, 2 * by);
    all |= on & step(all, 4 * by);
    wrap & step(all, by)
}

fn straight(set: u64, free: u64) -> u64 {
    fill::<true>(set, free, 8, !0)
        | fill::<false>(set, free, 8, !0)
        | fill::<true>(set, free, 1, NOT_A)
        | fill::<false>(set, free, 1, NOT_H)
}

fn diagonal(set: u64, free: u64) -> u64 {
    fill::<true>(set, free, 9, NOT_A)
        | fill::<false>(set, free, 9, NOT_H)
        | fill::<true>(set, free, 7, NOT_H)
        | fill::<false>(set, free, 7, NOT_A)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    /// A reproducible stream of words.
    fn random(state: &mut u64) -> u64 {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state
    }

    #[test]
    fn sets_reach_what_their_squares_attack() {
        let mut state = 0x9e37_79b9_7f4a_7c15;
        let officers = [Officer::Queen, Officer::Rook, Officer::Bishop, Officer::Knight];
        for _ in 0..2000 {
            let occupied = random(&mut state) & random(&mut state) & random(&mut state);
            let set = random(&mut state) & random(&mut state) & !occupied;
            for officer in officers {
                let one_by_one = squares(set).fold(0, |all, s| all | officer.attacks(s, occupied));
                assert_eq!(
                    officer.reach(set, occupied),
                    one_by_one,
                    "{officer:?} {set:x} {occupied:x}"
                );
            }
        }
    }
}
