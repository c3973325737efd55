//! The set of a configuration, and its partition by the influence of the edges.
//!
//! All shifts of a stored position that keep every man on the board, and pawns where pawns may
//! stand, form a rectangle of shifts. One vertical and one horizontal edge may make themselves
//! felt, each over so many columns or rows of shifts nearest to it; that is the partition formula.
//! It cuts the set into four parts: 1 under the influence of the vertical edge alone, 2 of the
//! horizontal edge alone, 3 of both (a corner), 4 of none.

use super::square::{x, y};

/// A shift of all men, to the right and up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shift {
    /// Files to the right.
    pub dx: i8,
    /// Ranks up.
    pub dy: i8,
}

/// Which of two opposite edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// The left or lower one (x = 1, y = 1).
    Low,
    /// The right or upper one.
    High,
}

/// A partition formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Formula {
    /// The vertical edge, and how many columns of shifts nearest to it are under its influence.
    pub vertical: (Edge, u8),
    /// The horizontal edge, and how many rows.
    pub horizontal: (Edge, u8),
}

/// One of the four parts, by its number less one.
pub type Part = usize;

/// The rectangle of shifts of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// Least and greatest shift to the right.
    pub dx: (i8, i8),
    /// Least and greatest shift up.
    pub dy: (i8, i8),
}

impl Frame {
    /// The shifts of men on these L, of which those marked are pawns.
    pub fn new(men: &[u8], is_pawn: impl Fn(usize) -> bool) -> Self {
        let mut frame = Self { dx: (-7, 7), dy: (-7, 7) };
        for (at, &l) in men.iter().enumerate() {
            let (file, rank) = (x(l) as i8, y(l) as i8);
            let (lowest, highest) = if is_pawn(at) { (2, 7) } else { (1, 8) };
            frame.dx = (frame.dx.0.max(1 - file), frame.dx.1.min(8 - file));
            frame.dy = (frame.dy.0.max(lowest - rank), frame.dy.1.min(highest - rank));
        }
        frame
    }

    /// How many shifts there are.
    pub fn size(&self) -> usize {
        let width = |(low, high): (i8, i8)| (i16::from(high) - i16::from(low) + 1).max(0) as usize;
        width(self.dx) * width(self.dy)
    }

    /// All shifts, row by row from below.
    pub fn shifts(&self) -> impl Iterator<Item = Shift> + use<> {
        let (dx, dy) = (self.dx, self.dy);
        (dy.0..=dy.1).flat_map(move |dy| (dx.0..=dx.1).map(move |dx| Shift { dx, dy }))
    }

    /// Whether a shift keeps all men in place.
    pub fn contains(&self, shift: Shift) -> bool {
        (self.dx.0..=self.dx.1).contains(&shift.dx) && (self.dy.0..=self.dy.1).contains(&shift.dy)
    }

    /// The part that a shift belongs to.
    pub fn part(&self, formula: &Formula, shift: Shift) -> Part {
        let under = |(edge, width): (Edge, u8), (low, high): (i8, i8), at: i8| {
            let away = if edge == Edge::Low { at - low } else { high - at };
            away < width as i8
        };
        let vertical = under(formula.vertical, self.dx, shift.dx);
        let horizontal = under(formula.horizontal, self.dy, shift.dy);
        match (vertical, horizontal) {
            (true, false) => 0,
            (false, true) => 1,
            (true, true) => 2,
            (false, false) => 3,
        }
    }
}

impl Shift {
    /// L after the shift; the frame must allow it.
    pub fn apply(self, l: u8) -> u8 {
        (l as i8 + self.dx + 8 * self.dy) as u8
    }
}
