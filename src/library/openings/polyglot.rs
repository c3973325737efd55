//! Polyglot books: 16 bytes an entry, big-endian, sorted by key: key 8, move 2, weight 2, learn 4.
//!
//! A move has the square reached in bits 0–5, the square left in bits 6–11, the promotion (1 N, 2
//! B, 3 R, 4 Q) in bits 12–14; castling is the king's move onto its own rook.

use crate::chess::Move;

use super::book::{Book, BookMove};

/// What is wrong with a Polyglot file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// Not a whole number of entries.
    #[error("damaged: {0} bytes, not a multiple of 16")]
    Length(usize),
    /// Keys that do not rise.
    #[error("damaged: entry {0} has a smaller key than the entry before it")]
    Order(usize),
    /// Bits that are no move.
    #[error("damaged: entry {entry} has the move bits {bits:#06x}, which are no move")]
    Move {
        /// The entry, from 1.
        entry: usize,
        /// Its bits.
        bits: u16,
    },
    /// No entries at all.
    #[error("an empty file")]
    Empty,
}

/// Our code of a promotion (2 Q, 3 R, 4 B, 5 N; 0 none) as Polyglot's, and back.
const PROMOTIONS: [u8; 5] = [0, 5, 4, 3, 2];

fn bits(m: Move) -> u16 {
    let promotion = PROMOTIONS.iter().position(|&p| p == m.promotion()).unwrap_or(0) as u16;
    u16::from(m.to()) | u16::from(m.from()) << 6 | promotion << 12
}

fn move_of_bits(bits: u16) -> Option<Move> {
    let promotion = *PROMOTIONS.get(usize::from(bits >> 12))?;
    Move::from_bits(Move::new((bits >> 6 & 63) as u8, (bits & 63) as u8, promotion).bits())
}

/// Reads a Polyglot book.
///
/// # Errors
/// The first damage found.
pub fn read_polyglot(bytes: &[u8]) -> Result<Book, Damage> {
    if !bytes.len().is_multiple_of(16) {
        return Err(Damage::Length(bytes.len()));
    }
    if bytes.is_empty() {
        return Err(Damage::Empty);
    }
    let mut book = Book::default();
    let mut last = 0;
    for (at, entry) in bytes.chunks_exact(16).enumerate() {
        let field = |from: usize, to: usize| {
            entry[from..to].iter().fold(0u64, |n, &b| n << 8 | u64::from(b))
        };
        let (key, bits) = (field(0, 8), field(8, 10) as u16);
        if key < last {
            return Err(Damage::Order(at + 1));
        }
        last = key;
        let play = move_of_bits(bits).ok_or(Damage::Move { entry: at + 1, bits })?;
        let (weight, learn) = (field(10, 12) as u16, field(12, 16) as u32);
        book.positions.entry(key).or_default().push(BookMove { play, weight, learn });
    }
    Ok(book)
}

/// The bytes of a Polyglot book.
pub fn write_polyglot(book: &Book) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(16 * book.moves());
    for (key, list) in &book.positions {
        for entry in list {
            bytes.extend(key.to_be_bytes());
            bytes.extend(bits(entry.play).to_be_bytes());
            bytes.extend(entry.weight.to_be_bytes());
            bytes.extend(entry.learn.to_be_bytes());
        }
    }
    bytes
}
