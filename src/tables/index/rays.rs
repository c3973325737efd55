//! Where a piece goes, ray by ray from its square outwards: who walks along a ray learns as he goes
//! what would stand in the way.

use std::sync::LazyLock;

use crate::chess::board::{Bitboard, Role, Square, attacks};

/// The rays of a piece on one square; of a knight, each square by itself.
#[derive(Debug, Clone)]
struct Star {
    squares: [Square; 28],
    /// Where each ray ends in `squares`; those that are not there end at once.
    ends: [u8; 8],
}

/// A queen's, a rook's, a bishop's and a knight's rays from every square, in this order. 36 bytes a
/// square and kind.
static STARS: LazyLock<[[Star; 64]; 4]> = LazyLock::new(|| {
    [Role::Queen, Role::Rook, Role::Bishop, Role::Knight]
        .map(|role| Square::ALL.map(|from| Star::new(role, from)))
});

impl Star {
    fn new(role: Role, from: Square) -> Self {
        let mut star = Self { squares: [from; 28], ends: [0; 8] };
        let reach = match role {
            Role::Queen => attacks::queen_attacks(from, Bitboard::EMPTY),
            Role::Rook => attacks::rook_attacks(from, Bitboard::EMPTY),
            Role::Bishop => attacks::bishop_attacks(from, Bitboard::EMPTY),
            _ => attacks::knight_attacks(from),
        };
        let mut count = 0;
        let mut ray = 0;
        let near = if role == Role::Knight { reach } else { reach & attacks::king_attacks(from) };
        for first in near {
            // What the first square stands in the way of lies behind it.
            let behind = |s: &Square| attacks::between(from, *s).contains(first);
            let mut squares: Vec<Square> = [first]
                .into_iter()
                .chain(reach.into_iter().filter(|s| role != Role::Knight && behind(s)))
                .collect();
            squares.sort_by_key(|&s| attacks::between(from, s).count());
            for square in squares {
                star.squares[count] = square;
                count += 1;
            }
            star.ends[ray] = count as u8;
            ray += 1;
        }
        star.ends[ray..].fill(count as u8);
        star
    }
}

/// The rays of a piece (no king, no pawn) from a square, on an empty board.
#[inline]
pub(in crate::tables) fn rays(role: Role, from: Square) -> impl Iterator<Item = &'static [Square]> {
    let kind = match role {
        Role::Queen => 0,
        Role::Rook => 1,
        Role::Bishop => 2,
        _ => 3,
    };
    let star = &STARS[kind][from as usize];
    let mut start = 0;
    star.ends.iter().map(move |&end| {
        let ray = &star.squares[start..usize::from(end)];
        start = usize::from(end);
        ray
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn rays_hold_what_a_piece_attacks_in_order() {
        for from in Square::ALL {
            for (role, reach) in [
                (Role::Queen, attacks::queen_attacks(from, Bitboard::EMPTY)),
                (Role::Rook, attacks::rook_attacks(from, Bitboard::EMPTY)),
                (Role::Bishop, attacks::bishop_attacks(from, Bitboard::EMPTY)),
                (Role::Knight, attacks::knight_attacks(from)),
            ] {
                let mut seen = Bitboard::EMPTY;
                for ray in rays(role, from) {
                    let mut passed = Bitboard::EMPTY;
                    for &to in ray {
                        assert_eq!(attacks::between(from, to), passed, "{role:?} {from} {to}");
                        passed.add(to);
                    }
                    assert!(seen.is_disjoint(passed));
                    seen |= passed;
                }
                assert_eq!(seen, reach, "{role:?} {from}");
            }
        }
    }
}
