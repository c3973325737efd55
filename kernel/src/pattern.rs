//! Patterns: many positions at once.
//!
//! A [`Pattern`] names its men exactly, and for each the squares on which it may stand; the kings it
//! knows together, with the side to move. It stands for every position without castling rights
//! whose men can be matched with its own, each on one of its squares. What legal moves make of it is
//! in `follow`.

use super::legal::Side;
use super::sets::{kind, side};
use super::vector::{Vector, code};

/// The first and the last row.
pub(crate) const LAST: u64 = 0xff00_0000_0000_00ff;

/// A man and the squares on which it may stand (bit 0 = a1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Man {
    /// Its code, 2..=6 or 8..=12: no king.
    pub code: u8,
    /// Its squares.
    pub squares: u64,
}

impl Man {
    pub(crate) fn is_fixed(&self) -> bool {
        self.squares.is_power_of_two()
    }

    pub(crate) fn is_pawn(&self) -> bool {
        kind(self.code) == code::PAWN
    }
}

/// The side to move and both kings: for each side to move (White first) and square of White's king
/// the squares of Black's. 1 KB.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kings(pub Box<[[u64; 64]; 2]>);

impl Kings {
    /// None.
    pub fn none() -> Self {
        Self(Box::new([[0; 64]; 2]))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.iter().flatten().all(|&black| black == 0)
    }

    /// Whether all of these are among the others.
    pub fn within(&self, other: &Self) -> bool {
        self.0.iter().flatten().zip(other.0.iter().flatten()).all(|(a, b)| a & !b == 0)
    }

    /// Those with this side to move.
    pub fn of(&self, to_move: Side) -> &[u64; 64] {
        &self.0[to_move as usize]
    }

    /// Takes others in.
    pub fn add(&mut self, other: &Self) {
        for (row, more) in self.0.iter_mut().flatten().zip(other.0.iter().flatten()) {
            *row |= more;
        }
    }

    /// The squares of each king.
    pub fn squares(&self) -> [u64; 2] {
        let mut found = [0; 2];
        for row in self.0.iter() {
            for (white, &black) in row.iter().enumerate().filter(|(_, black)| **black != 0) {
                found[0] |= 1 << white;
                found[1] |= black;
            }
        }
        found
    }
}

/// Many positions at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// The men without the kings.
    pub men: Vec<Man>,
    /// The side to move and the kings.
    pub kings: Kings,
}

impl Pattern {
    /// The pattern of one position; none where there are castling rights or a mark.
    pub fn of(y: &Vector) -> Option<Self> {
        if (65..=68).any(|j| y[j] != 0) {
            return None;
        }
        let (mut men, mut kings, mut at) = (Vec::new(), Kings::none(), [0; 2]);
        for (square, &code) in y.squares().iter().enumerate().filter(|(_, code)| **code != 0) {
            match kind(code) {
                code::KING => at[side(code) as usize] = square,
                _ => men.push(Man { code, squares: 1 << square }),
            }
        }
        kings.0[Side::to_move(y) as usize][at[0]] = 1 << at[1];
        Some(Self { men, kings })
    }

    /// Whether its men can stand where they are said to: no kings among them, each somewhere, pawns
    /// neither on the first nor on the last row.
    pub fn is_sound(&self) -> bool {
        self.men.iter().all(|man| {
            let officer = matches!(kind(man.code), code::QUEEN..=code::KNIGHT);
            man.code <= code::PAWN + code::BLACK
                && man.squares != 0
                && (officer || man.is_pawn() && man.squares & LAST == 0)
        })
    }

    /// The men's codes in order: what two patterns have in common if one is within the other.
    pub fn material(&self) -> Vec<u8> {
        let mut men: Vec<u8> = self.men.iter().map(|man| man.code).collect();
        men.sort_unstable();
        men
    }

    /// Whether the men can be matched with another pattern's so that each stands on squares of its
    /// match, and the kings are among the other's.
    pub fn within(&self, other: &Self) -> bool {
        if self.men.len() != other.men.len() || !self.kings.within(&other.kings) {
            return false;
        }
        let fits = |a: usize, b: usize| {
            let (a, b) = (&self.men[a], &other.men[b]);
            a.code == b.code && a.squares & !b.squares == 0
        };
        // Whom each of the other's men is matched with; a path of changes for every man of ours.
        let count = self.men.len();
        let mut matched: Vec<Option<usize>> = vec![None; count];
        for start in 0..count {
            let (mut from, mut queue, mut next) = (vec![None; count], vec![start], 0);
            let mut free = None;
            while free.is_none() && next < queue.len() {
                let man = queue[next];
                next += 1;
                for at in (0..count).filter(|&at| fits(man, at)) {
                    if from[at].is_none() {
                        from[at] = Some(man);
                        match matched[at] {
                            Some(other) => queue.push(other),
                            None => free = free.or(Some(at)),
                        }
                    }
                }
            }
            let Some(mut at) = free else { return false };
            while let Some(man) = from[at] {
                let before = matched.iter().position(|&other| other == Some(man));
                matched[at] = Some(man);
                match before {
                    Some(before) => at = before,
                    None => break,
                }
            }
        }
        // Pawns that meet there must meet here.
        let of = |at: usize| matched[at].unwrap_or(at);
        (0..count).all(|white| {
            (0..count).all(|black| !other.meet(white, black) || self.meet(of(white), of(black)))
        })
    }

    /// Whether these are a white and a black pawn that meet on their file: the white one stands
    /// below the other in every position of the pattern. So it is wherever the regions say so, the
    /// lowest and the highest squares of the one below those of the other; and as neither can pass
    /// the other, it stays so.
    pub(crate) fn meet(&self, white: usize, black: usize) -> bool {
        let (one, other) = (&self.men[white], &self.men[black]);
        let file = |set: u64| (set | set >> 32) & 0xffff_ffff;
        let file = |set: u64| (file(set) | file(set) >> 16) & 0xffff;
        let file = |set: u64| (file(set) | file(set) >> 8) & 0xff;
        one.code == code::PAWN
            && other.code == code::PAWN + code::BLACK
            && file(one.squares | other.squares).is_power_of_two()
            && one.squares.trailing_zeros() < other.squares.trailing_zeros()
            && one.squares.leading_zeros() > other.squares.leading_zeros()
    }
}
