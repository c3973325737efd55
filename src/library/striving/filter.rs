//! The filters and measures of striving.

use crate::chess::Side;
use crate::chess::board::{Piece, Role, Square};
use crate::pioneer::bundle::distance;

use super::Planned;

type Men = [(Piece, Square)];

/// SH^P: for each file 10·(white pawns) + (black pawns), zeros trimmed on both ends.
pub fn pawn_template(men: &Men) -> Vec<u8> {
    let mut files = [0u8; 8];
    for (piece, square) in men.iter().filter(|(piece, _)| piece.role == Role::Pawn) {
        files[square.file() as usize] += piece.side.pick(10, 1);
    }
    let first = files.iter().position(|&n| n > 0).unwrap_or(8);
    let last = files.iter().rposition(|&n| n > 0).map_or(first, |at| at + 1);
    files[first..last].to_vec()
}

/// Filter 1, where there are two pawns or more: a pawn changes its file by capturing only, so other
/// patterns are out of reach. The symmetries are the caller's: both positions are in the same terms
/// here.
pub(super) fn same_pattern(a: &Men, c: &Men) -> bool {
    let pawns = a.iter().filter(|(piece, _)| piece.role == Role::Pawn).count();
    pawns < 2 || pawn_template(a) == pawn_template(c)
}

fn parity(square: Square) -> u32 {
    (square.file() as u32 + square.rank() as u32) & 1
}

/// Filter 2, one bishop each: Z = x_w + y_w + x_b + y_b has the same parity in both.
pub fn bishops_agree(a: &Men, c: &Men) -> bool {
    let z = |men: &Men| -> Option<u32> {
        let of = |side: Side| {
            let mut found =
                men.iter().filter(move |(p, _)| p.role == Role::Bishop && p.side == side);
            let only = found.next()?.1;
            found.next().is_none().then_some(parity(only))
        };
        Some((of(Side::White)? + of(Side::Black)?) & 1)
    };
    match (z(a), z(c)) {
        (Some(a), Some(c)) => a == c,
        _ => true,
    }
}

/// The squares of one kind of men, in order.
fn of_kind(men: &Men, kind: Piece) -> Vec<Square> {
    let mut squares: Vec<Square> =
        men.iter().filter(|(p, _)| *p == kind).map(|&(_, s)| s).collect();
    squares.sort_unstable();
    squares
}

/// The kinds of men, each once.
fn kinds(men: &Men) -> Vec<Piece> {
    let mut kinds: Vec<Piece> = Vec::new();
    for (piece, _) in men {
        if !kinds.contains(piece) {
            kinds.push(*piece);
        }
    }
    kinds
}

/// Filter 3: pawns on exactly A's files and not behind A's, bishops on A's colours.
pub(super) fn fits_set(a: &Men, c: &Men) -> bool {
    kinds(a).into_iter().all(|kind| {
        let (mut here, mut there) = (of_kind(a, kind), of_kind(c, kind));
        match kind.role {
            Role::Pawn => {
                let by_file = |s: &Square| (s.file(), s.rank());
                here.sort_by_key(by_file);
                there.sort_by_key(by_file);
                let ahead = |from: &Square, to: &Square| {
                    kind.side.pick(from.rank() <= to.rank(), from.rank() >= to.rank())
                };
                here.iter()
                    .zip(&there)
                    .all(|(from, to)| from.file() == to.file() && ahead(from, to))
            }
            Role::Bishop => {
                let dark = |list: &[Square]| list.iter().filter(|s| parity(**s) == 0).count();
                dark(&here) == dark(&there)
            }
            _ => true,
        }
    })
}

/// 2σ: the squares whose contents differ. With σ = ½ Σ c_i, a man's move counts 1.
pub fn mismatch(a: &Men, b: &Men) -> u32 {
    let mut contents: [[Option<Piece>; 64]; 2] = [[None; 64]; 2];
    for (board, men) in contents.iter_mut().zip([a, b]) {
        for &(piece, square) in men {
            board[square as usize] = Some(piece);
        }
    }
    contents[0].iter().zip(&contents[1]).filter(|(a, b)| a != b).count() as u32
}

/// The shortest ways that carry A's men to B's squares, on an empty board, like men assigned to
/// each other as is shortest in sum; none if some man cannot get there.
pub(super) fn ways(a: &Men, b: &Men) -> Option<Vec<Planned>> {
    let mut planned = Vec::new();
    for kind in kinds(a) {
        let (mut here, mut there) = (of_kind(a, kind), of_kind(b, kind));
        let staying: Vec<Square> = here.iter().copied().filter(|s| there.contains(s)).collect();
        here.retain(|s| !staying.contains(s));
        there.retain(|s| !staying.contains(s));
        planned.extend(shortest(kind, &here, &mut there)?.1);
    }
    Some(planned)
}

/// Tries every assignment; there are three like men at most in a table's class.
fn shortest(kind: Piece, here: &[Square], there: &mut Vec<Square>) -> Option<(u32, Vec<Planned>)> {
    let Some((&from, rest)) = here.split_first() else { return Some((0, Vec::new())) };
    let mut best: Option<(u32, Vec<Planned>)> = None;
    for at in 0..there.len() {
        let to = there.remove(at);
        if let Some(moves) =
            distance(kind, from, to).filter(|_| kind.role != Role::Pawn || from.file() == to.file())
            && let Some((sum, mut list)) = shortest(kind, rest, there)
            && best.as_ref().is_none_or(|(known, _)| sum + u32::from(moves) < *known)
        {
            list.push(Planned { piece: kind, from, to, moves });
            best = Some((sum + u32::from(moves), list));
        }
        there.insert(at, to);
    }
    best
}
