//! What can be wrong with a table file.

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
    /// Another thread has just found it damaged.
    #[error("it has just been set aside")]
    SetAside,
}
