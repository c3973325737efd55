//! Sets of squares as 64 bits (a1 = bit 0): where a man attacks, and what lies between two squares.

use super::attack::{F_B, F_R};
use super::legal::Side;
use super::vector::code;

/// The squares of a set, a1 = 0 … h8 = 63.
pub(crate) fn squares(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let square = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(square)
    })
}

const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;

/// The squares beside a square.
pub(crate) fn beside(square: usize) -> u64 {
    let here = 1u64 << square;
    let row = here | (here & !FILE_H) << 1 | (here & !FILE_A) >> 1;
    (row | row << 8 | row >> 8) & !here
}

fn knight(square: usize) -> u64 {
    let here = 1u64 << square;
    let (right, left) = ((here & !FILE_H) << 1, (here & !FILE_A) >> 1);
    let (far_right, far_left) = ((right & !FILE_H) << 1, (left & !FILE_A) >> 1);
    let (one, two) = (far_right | far_left, right | left);
    one << 8 | one >> 8 | two << 16 | two >> 16
}

fn pawn(side: Side, square: usize) -> u64 {
    let here = 1u64 << square;
    let row = (here & !FILE_H) << 1 | (here & !FILE_A) >> 1;
    if side == Side::White { row << 8 } else { row >> 8 }
}

fn lines(rays: &[[u8; 8]; 4], blockers: u64) -> u64 {
    let mut seen = 0;
    for ray in rays {
        for &j in ray.iter().take_while(|&&j| j != 0) {
            seen |= 1 << (j - 1);
            if blockers >> (j - 1) & 1 != 0 {
                break;
            }
        }
    }
    seen
}

/// The squares that a man attacks from a square, blockers included.
pub(crate) fn attacks(man: u8, square: usize, blockers: u64) -> u64 {
    let rook = || lines(&F_R[square + 1], blockers);
    let bishop = || lines(&F_B[square + 1], blockers);
    match kind(man) {
        code::QUEEN => rook() | bishop(),
        code::ROOK => rook(),
        code::BISHOP => bishop(),
        code::KNIGHT => knight(square),
        code::PAWN => pawn(side(man), square),
        _ => beside(square),
    }
}

/// The squares strictly between two squares on one line.
pub(crate) fn between(a: usize, b: usize) -> u64 {
    let apart = |from: usize, to: usize| to as i32 - from as i32;
    let (dx, dy) = (apart(a % 8, b % 8), apart(a / 8, b / 8));
    if dx != 0 && dy != 0 && dx.abs() != dy.abs() {
        return 0;
    }
    let step = 8 * dy.signum() + dx.signum();
    (1..dx.abs().max(dy.abs())).fold(0, |set, n| set | 1 << (a as i32 + n * step))
}

/// A man's kind, as White's code.
pub(crate) fn kind(man: u8) -> u8 {
    if man > code::BLACK { man - code::BLACK } else { man }
}

/// A man's side.
pub(crate) fn side(man: u8) -> Side {
    if man > code::BLACK { Side::Black } else { Side::White }
}
