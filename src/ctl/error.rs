//! What can be wrong with CTL text, and where.

use std::fmt;
use std::io;

/// A place in a text; lines and columns (in characters) count from 1 and stop at 2^32 − 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

impl Place {
    /// The first character of a text.
    pub const START: Self = Self { line: 1, column: 1 };
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Why a text is no formula.
#[derive(Debug, thiserror::Error)]
pub enum ParseError {
    /// The text could not be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The text is not UTF-8.
    #[error("{0}: the text is not UTF-8")]
    NotUtf8(Place),
    /// Something else should stand here.
    #[error("{place}: expected {expected}, found {found}")]
    Syntax {
        /// Where.
        place: Place,
        /// What may stand here.
        expected: String,
        /// What stands here.
        found: String,
    },
    /// A name is defined by itself.
    #[error("{place}: the definition of `{name}` is cyclic: it uses `{name}`")]
    Cyclic {
        /// Where the name is used.
        place: Place,
        /// The name.
        name: String,
    },
    /// A name is defined after its use, so that the earlier use is of an unknown name, or of a
    /// cycle.
    #[error(
        "{place}: `{name}` was used ({first_use}) before this definition; definitions stand before use and are not cyclic"
    )]
    UsedBefore {
        /// Where the definition begins.
        place: Place,
        /// The name.
        name: String,
        /// Where it was used first.
        first_use: Place,
    },
    /// A name is defined twice.
    #[error("{place}: `{name}` is already defined ({first})")]
    Redefined {
        /// Where the second definition begins.
        place: Place,
        /// The name.
        name: String,
        /// Where the first one stands.
        first: Place,
    },
    /// A name is longer than [`MAX_NAME`](super::MAX_NAME) bytes.
    #[error("{0}: a name of more than {max} bytes", max = super::MAX_NAME)]
    LongName(Place),
}
