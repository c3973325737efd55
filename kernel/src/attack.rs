//! Attack predicates: the paper's §3 (docs/theory.md §3), `SafeWKing` and its five parts.
//!
//! Each predicate is written once, for White, under the paper's name, over [`Eyes`]; Black's are
//! the same read through `Eyes<true>`. The step tables hold fK, fN and the rays fR, fB with their
//! edge conditions PK, PN, PRl, PBl worked out at compile time; a square 0 stands for "the
//! condition is false".

use super::vector::{Eyes, Vector, code, flip, xg, xv};

/// Steps (file, rank) of fK in the paper's order l = 1..8: i+9, i+7, i−9, i−7, i+1, i+8, i−1, i−8.
const KING_STEPS: [(i8, i8); 8] =
    [(1, 1), (-1, 1), (-1, -1), (1, -1), (1, 0), (0, 1), (-1, 0), (0, -1)];
/// Steps of fN, l = 1..8: i+10, i+17, i+15, i+6, i−10, i−17, i−15, i−6.
const KNIGHT_STEPS: [(i8, i8); 8] =
    [(2, 1), (1, 2), (-1, 2), (-2, 1), (-2, -1), (-1, -2), (1, -2), (2, -1)];
/// Directions of fR, l = 1..4: i+k, i−8k, i+8k, i−k.
const ROOK_STEPS: [(i8, i8); 4] = [(1, 0), (0, -1), (0, 1), (-1, 0)];
/// Directions of fB, l = 1..4: i+k+8k, i+k−8k, i−k+8k, i−k−8k.
const BISHOP_STEPS: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];

const fn step(i: usize, (dx, dy): (i8, i8), k: i8) -> u8 {
    let (x, y) = (xv(i) as i8 + dx * k, xg(i) as i8 + dy * k);
    if x >= 1 && x <= 8 && y >= 1 && y <= 8 { ((y - 1) * 8 + x) as u8 } else { 0 }
}

const fn leaper(steps: [(i8, i8); 8]) -> [[u8; 8]; 65] {
    let mut table = [[0; 8]; 65];
    let mut i = 1;
    while i <= 64 {
        let mut l = 0;
        while l < 8 {
            table[i][l] = step(i, steps[l], 1);
            l += 1;
        }
        i += 1;
    }
    table
}

const fn rays(steps: [(i8, i8); 4]) -> [[[u8; 8]; 4]; 65] {
    let mut table = [[[0; 8]; 4]; 65];
    let mut i = 1;
    while i <= 64 {
        let mut l = 0;
        while l < 4 {
            let mut k = 1;
            while k <= 7 {
                table[i][l][k - 1] = step(i, steps[l], k as i8);
                k += 1;
            }
            l += 1;
        }
        i += 1;
    }
    table
}

/// `F_K[i][l-1]` = fK(i, l) where PK(i, l), else 0.
pub(super) static F_K: [[u8; 8]; 65] = leaper(KING_STEPS);
/// `F_N[i][l-1]` = fN(i, l) where PN(i, l), else 0.
pub(super) static F_N: [[u8; 8]; 65] = leaper(KNIGHT_STEPS);
/// `F_R[i][l-1][k-1]` = fR(i, l, k) where PRl(i, l, k), else 0.
pub(super) static F_R: [[[u8; 8]; 4]; 65] = rays(ROOK_STEPS);
/// `F_B[i][l-1][k-1]` = fB(i, l, k) where PBl(i, l, k), else 0.
pub(super) static F_B: [[[u8; 8]; 4]; 65] = rays(BISHOP_STEPS);

const BLACK_KING: u8 = code::BLACK + code::KING;
const BLACK_QUEEN: u8 = code::BLACK + code::QUEEN;
const BLACK_ROOK: u8 = code::BLACK + code::ROOK;
const BLACK_BISHOP: u8 = code::BLACK + code::BISHOP;
const BLACK_KNIGHT: u8 = code::BLACK + code::KNIGHT;
const BLACK_PAWN: u8 = code::BLACK + code::PAWN;

/// The squares PR (or PB) lets a line piece on i see along one ray: up to and including the first
/// man.
pub(super) fn ray<'a, const M: bool>(
    y: &'a Eyes<M>,
    squares: &'a [u8; 8],
) -> impl Iterator<Item = (usize, u8)> + 'a {
    let mut blocked = false;
    squares.iter().take_while(|&&j| j != 0).map_while(move |&j| {
        if blocked {
            return None;
        }
        let there = y.at(j as usize);
        blocked = there != code::EMPTY;
        Some((j as usize, there))
    })
}

/// `SafeWKingN`: no knight of the other side attacks square i.
pub(super) fn safe_white_king_n<const M: bool>(y: &Eyes<M>, i: usize) -> bool {
    !F_N[i].iter().any(|&j| j != 0 && y.at(j as usize) == BLACK_KNIGHT)
}

/// `SafeWKingP`: no pawn of the other side attacks square i.
pub(super) fn safe_white_king_p<const M: bool>(y: &Eyes<M>, i: usize) -> bool {
    let l1 = xg(i) <= 6 && xv(i) >= 2 && y.at(i + 7) == BLACK_PAWN;
    let l2 = xg(i) <= 6 && xv(i) <= 7 && y.at(i + 9) == BLACK_PAWN;
    !l1 && !l2
}

/// `SafeWKingK`: the other king does not touch square i.
pub(super) fn safe_white_king_k<const M: bool>(y: &Eyes<M>, i: usize) -> bool {
    !F_K[i].iter().any(|&j| j != 0 && y.at(j as usize) == BLACK_KING)
}

/// `SafeWKingRQ`: no rook or queen of the other side sees square i along a rank or file.
pub(super) fn safe_white_king_rq<const M: bool>(y: &Eyes<M>, i: usize) -> bool {
    !F_R[i].iter().any(|squares| ray(y, squares).any(|(_, c)| c == BLACK_ROOK || c == BLACK_QUEEN))
}

/// `SafeWKingBQ`: no bishop or queen of the other side sees square i along a diagonal.
pub(super) fn safe_white_king_bq<const M: bool>(y: &Eyes<M>, i: usize) -> bool {
    !F_B[i]
        .iter()
        .any(|squares| ray(y, squares).any(|(_, c)| c == BLACK_BISHOP || c == BLACK_QUEEN))
}

/// The five conditions of `SafeWKing` for any square i.
pub(super) fn safe_white_square<const M: bool>(y: &Eyes<M>, i: usize) -> bool {
    safe_white_king_n(y, i)
        && safe_white_king_p(y, i)
        && safe_white_king_k(y, i)
        && safe_white_king_rq(y, i)
        && safe_white_king_bq(y, i)
}

/// `SafeWKing`: White's king is not attacked. True when there is no king.
pub(super) fn safe_white_king_seen<const M: bool>(y: &Eyes<M>) -> bool {
    let king = if M { code::BLACK + code::KING } else { code::KING };
    match y.0.squares().iter().position(|&c| c == king) {
        None => true,
        Some(at) => safe_white_square(y, if M { flip(at + 1) } else { at + 1 }),
    }
}

/// `SafeWKing(y)`: White's king is not attacked. About 50 ns.
pub fn safe_white_king(y: &Vector) -> bool {
    safe_white_king_seen(&Eyes::<false>(*y))
}

/// `SafeBKing(y)`: Black's king is not attacked.
pub fn safe_black_king(y: &Vector) -> bool {
    safe_white_king_seen(&Eyes::<true>(*y))
}

/// Whether a man of the given side attacks square i (1..=64), pins not considered.
pub fn attacked(y: &Vector, i: usize, by_white: bool) -> bool {
    if by_white {
        !safe_white_square(&Eyes::<true>(*y), flip(i))
    } else {
        !safe_white_square(&Eyes::<false>(*y), i)
    }
}
