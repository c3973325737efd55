//! Sets of squares, in words and in JSON.

use super::super::svg::square_name;
use crate::chess::board::Bitboard;
use serde::{Serialize, Serializer};
use std::fmt;

/// From so many squares on a set is told by what is missing.
const MOST: usize = 44;

/// A set of squares, bit 0 = a1. In JSON it is the list of their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Squares(pub u64);

impl Squares {
    /// The squares, 0 = a1, row by row.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        Bitboard(self.0).into_iter().map(|square| square as u8)
    }

    /// How many there are.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Runs of neighbours in a row, first and last.
    fn runs(self) -> Vec<(u8, u8)> {
        let mut runs: Vec<(u8, u8)> = Vec::new();
        for square in self.iter() {
            match runs.last_mut() {
                Some((_, last)) if *last + 1 == square && square % 8 != 0 => *last = square,
                _ => runs.push((square, square)),
            }
        }
        runs
    }
}

impl Serialize for Squares {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(self.iter().map(square_name))
    }
}

impl fmt::Display for Squares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.len() == 64 {
            return f.write_str("every square");
        }
        if self.len() >= MOST {
            return write!(f, "every square but {}", Self(!self.0));
        }
        let word = |&(first, last): &(u8, u8)| match last - first {
            0 => square_name(first),
            1 => format!("{} {}", square_name(first), square_name(last)),
            _ => format!("{}–{}", square_name(first), square_name(last)),
        };
        f.write_str(&self.runs().iter().map(word).collect::<Vec<_>>().join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn runs_end_with_the_row_and_large_sets_are_told_by_what_is_missing() {
        let told = |squares: u64| Squares(squares).to_string();
        assert_eq!(told(0b0000_0001_1110_0111), "a1–c1 f1–h1 a2");
        assert_eq!(told(0b0110_0010_1000_0000), "h1 b2 f2 g2");
        assert_eq!(told(u64::MAX), "every square");
        assert_eq!(told(!0b111), "every square but a1–c1");
        assert_eq!(serde_json::to_string(&Squares(5)).unwrap(), r#"["a1","c1"]"#);
    }
}
