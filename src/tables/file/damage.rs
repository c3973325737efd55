//! What can be wrong with a table file.

use crate::chess::{Packed, fen};

/// What is wrong with a table file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// The file is shorter or longer than its header says, or has no whole header.
    #[error("its length is wrong")]
    Length,
    /// It does not begin like a table file.
    #[error("it is no table file")]
    Magic,
    /// It was written in another format.
    #[error("it has another format version")]
    Version,
    /// It is another signature's table.
    #[error("it holds another signature")]
    Signature,
    /// The header or the directory does not match its checksum.
    #[error("the checksum of its directory does not match")]
    Directory,
    /// A block does not match its checksum or cannot be decompressed.
    #[error("the checksum of block {0} does not match")]
    Block(usize),
    /// The value of a position is not the best that its moves lead to: whole, but wrong.
    #[error("wrong: the value of {} does not follow from its moves", shown(.0))]
    Value(Packed),
    /// The longest distance is not the one that the header names: whole, but wrong.
    #[error("wrong: its longest mate is not the one it names")]
    Longest,
    /// Another thread has just found it damaged.
    #[error("it has just been set aside")]
    SetAside,
}

fn shown(p: &Packed) -> String {
    p.vector().map_or_else(|error| error.to_string(), |y| fen(&y))
}
