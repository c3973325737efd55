//! Reflections of the board that the laws of chess do not notice.
//!
//! Without pawns and castling rights every one of the eight reflections and turns of the square
//! carries legal moves to legal moves, checks to checks and mates to mates; with pawns the exchange
//! of the wings does (a for h); with a castling right none but the identity. So what is proved of a
//! position holds for its images.

use super::legal::Side;
use super::packed::Packed;
use super::vector::Move;
use std::cmp::Ordering;

/// A reflection or turn of the board: the files exchanged (bit 0), then the ranks (bit 1), then the
/// mirror in the diagonal a1–h8 (bit 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Turn(u8);

const FILES: u8 = 1;
const RANKS: u8 = 2;
const DIAGONAL: u8 = 4;

/// White's and Black's pawns among the codes.
const PAWNS: [u8; 2] = [6, 12];

impl Turn {
    /// Nothing is moved.
    pub const NONE: Self = Self(0);
    /// The files are exchanged: a for h.
    pub const MIRROR_FILES: Self = Self(FILES);
    /// The ranks are exchanged: 1 for 8.
    pub const MIRROR_RANKS: Self = Self(RANKS);
    /// The mirror in the diagonal a1–h8.
    pub const TRANSPOSE: Self = Self(DIAGONAL);
    /// All eight by their numbers: without and with exchanged files, then the other mirrors of
    /// ranks, then those with a transposition.
    pub const ALL: [Self; Self::COUNT] =
        [Self(0), Self(1), Self(2), Self(3), Self(4), Self(5), Self(6), Self(7)];

    /// The turns that the laws do not notice in positions with these men: all eight, two, or one.
    pub fn allowed(p: &Packed) -> impl Iterator<Item = Self> {
        let castling = p.state >> 1 & 15 != 0;
        let pawns = p.each_man().any(|(_, code)| PAWNS.contains(&code));
        let count = if castling {
            1
        } else if pawns {
            2
        } else {
            8
        };
        (0..count).map(Self)
    }

    /// The number of turns.
    pub const COUNT: usize = 8;

    /// A number below [`Turn::COUNT`], different for each turn.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Where a square (0 = a1 … 63 = h8) goes.
    #[must_use]
    pub const fn square(self, square: u8) -> u8 {
        let mut to = square;
        if self.0 & FILES != 0 {
            to ^= 7;
        }
        if self.0 & RANKS != 0 {
            to ^= 56;
        }
        if self.0 & DIAGONAL != 0 { to >> 3 | (to & 7) << 3 } else { to }
    }

    /// The turn that takes back this one.
    #[must_use]
    pub const fn back(self) -> Self {
        if self.0 & DIAGONAL == 0 {
            return self;
        }
        Self(DIAGONAL | self.0 >> 1 & 1 | (self.0 & 1) << 1)
    }

    /// The image of a move.
    #[must_use]
    pub const fn play(self, m: Move) -> Move {
        Move::new(self.square(m.from()), self.square(m.to()), m.promotion())
    }

    /// The image of a position. About 20 ns for few men.
    #[must_use]
    pub fn position(self, p: &Packed) -> Packed {
        if self == Self::NONE {
            return *p;
        }
        let mut list = [(0, 0); 32];
        let mut occupied = 0;
        for (slot, (square, code)) in list.iter_mut().zip(p.each_man()) {
            *slot = (self.square(square), code);
            occupied |= 1u64 << slot.0;
        }
        let list = &mut list[..p.len()];
        list.sort_unstable();
        let codes = list.iter().rev().fold(0, |codes, &(_, code)| codes << 4 | u128::from(code));
        let mut state = p.state;
        if self.0 & FILES != 0 {
            for shift in [5, 9] {
                let file = p.state >> shift & 15;
                let image = if file == 0 { 0 } else { 9 - file };
                state = state & !(15 << shift) | image << shift;
            }
        }
        Packed { occupied, men: codes, state }
    }

    /// An allowed turn that brings the side's king home: to the left half, without pawns to the
    /// triangle a1–d1–d4 (on its diagonal, the side's other men and then all men decide). All
    /// images of a position come home to the same one.
    pub fn home(p: &Packed, side: Side) -> Self {
        let allowed = Self::allowed(p).count();
        let own = |code: u8| (code > 6) == (side == Side::Black);
        let king = p
            .each_man()
            .find(|&(_, code)| code % 6 == 1 && own(code))
            .map_or(0, |(square, _)| square);
        if allowed == 1 {
            return Self::NONE;
        }
        let mut turn = if king & 7 > 3 { FILES } else { 0 };
        if allowed == 2 {
            return Self(turn);
        }
        if king >> 3 > 3 {
            turn |= RANKS;
        }
        let at = Self(turn).square(king);
        let mirrored = match (at >> 3).cmp(&(at & 7)) {
            Ordering::Equal => {
                let bits = |turn: Self| {
                    p.each_man().filter(|m| own(m.1)).fold(0u64, |b, m| b | 1 << turn.square(m.0))
                };
                let (here, there) = (Self(turn), Self(turn | DIAGONAL));
                // All images have to come home to the same place: a tie is broken by the whole
                // position.
                bits(there)
                    .cmp(&bits(here))
                    .then_with(|| there.position(p).cmp(&here.position(p)))
                    .is_lt()
            }
            above => above == Ordering::Greater,
        };
        Self(if mirrored { turn | DIAGONAL } else { turn })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Profile, Vector, in_check, parse_fen, successors};
    use std::collections::BTreeSet;

    fn image(turn: Turn, y: &Vector) -> Vector {
        turn.position(&Packed::from(y)).vector().unwrap()
    }

    #[test]
    fn allowed_turns_carry_moves_to_moves_and_checks_to_checks() {
        for (text, turns) in [
            ("8/8/8/3qk3/8/8/2K5/Q7 b - -", 8),
            ("8/8/8/8/3k4/8/1n6/R3K3 w - -", 8),
            ("8/8/8/3pP3/8/8/6k1/K7 w - d6", 2),
            ("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - -", 2),
            ("r3k3/8/8/8/8/8/8/4K3 b q -", 1),
        ] {
            let y = parse_fen(text, Profile::Fide).unwrap();
            let allowed: Vec<Turn> = Turn::allowed(&Packed::from(&y)).collect();
            assert_eq!(allowed.len(), turns, "{text}");
            for turn in allowed {
                let turned = image(turn, &y);
                assert_eq!(image(turn.back(), &turned), y, "{text} {turn:?}");
                assert_eq!(in_check(&turned), in_check(&y));
                let moves = |y: &Vector| -> BTreeSet<(u16, Packed)> {
                    successors(Profile::Fide, y)
                        .iter()
                        .map(|(m, z)| (m.bits(), Packed::from(z)))
                        .collect()
                };
                let carried = successors(Profile::Fide, &y);
                let carried = carried
                    .iter()
                    .map(|(m, z)| (turn.play(*m).bits(), turn.position(&Packed::from(z))));
                assert_eq!(carried.collect::<BTreeSet<_>>(), moves(&turned), "{text} {turn:?}");
            }
        }
    }

    #[test]
    fn images_come_home_to_one_place() {
        for text in [
            "8/8/8/3qk3/8/8/2K5/Q7 b - -",
            "8/8/R7/8/8/2k5/1n6/5K2 b - -",
            "8/8/4k3/8/2K5/8/5R2/8 w - -",
            "8/8/8/3pP3/8/8/6k1/K7 w - d6",
        ] {
            let p = Packed::from(&parse_fen(text, Profile::Fide).unwrap());
            for side in [Side::White, Side::Black] {
                let home = |p: &Packed| Turn::home(p, side).position(p);
                for turn in Turn::allowed(&p) {
                    assert_eq!(home(&turn.position(&p)), home(&p), "{text} {turn:?}");
                }
            }
        }
    }
}
