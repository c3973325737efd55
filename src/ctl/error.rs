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

/// Why a text is no formula, with the line where that shows.
#[derive(Debug, thiserror::Error)]
#[error("{fault}")]
pub struct ParseError {
    fault: Box<Fault>,
    excerpt: Option<Box<Excerpt>>,
}

impl ParseError {
    pub(super) fn new(fault: Fault, excerpt: Option<Excerpt>) -> Self {
        Self { fault: Box::new(fault), excerpt: excerpt.map(Box::new) }
    }

    /// What is wrong.
    pub fn fault(&self) -> &Fault {
        &self.fault
    }

    /// What is wrong, to keep.
    pub fn into_fault(self) -> Fault {
        *self.fault
    }

    /// The line with the fault; none where the text could not be read.
    pub fn excerpt(&self) -> Option<&Excerpt> {
        self.excerpt.as_deref()
    }

    /// The fault, and on the lines below it its line of the text with a caret.
    ///
    /// ```
    /// use theta_chess::ctl::{Arena, parse};
    /// let error = parse(&mut Arena::new(), "AG (p ->\n  & q)").unwrap_err();
    /// let told = "line 2, column 3: expected a formula, found `&`\n  2 |   & q)\n    |   ^";
    /// assert_eq!(error.pointed(), told);
    /// ```
    pub fn pointed(&self) -> String {
        match &self.excerpt {
            Some(excerpt) => format!("{self}\n{excerpt}"),
            None => self.to_string(),
        }
    }
}

/// A line of a text with a caret under one of its characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The number of the line, from 1.
    pub line: u32,
    /// The line; of a long one what stands near the caret, with `…` for the rest.
    pub text: String,
    /// So many characters of `text` stand before the caret.
    pub before: usize,
}

/// Characters of a line shown before and behind a caret.
const SHOWN: [usize; 2] = [60, 40];

impl Excerpt {
    /// The line around a byte of a text, which may be a piece of a longer one.
    pub(super) fn of(line: u32, text: &str, at: usize, is_whole: bool) -> Self {
        let plain = |c: char| if c.is_control() { ' ' } else { c };
        let start = text[..at].rfind('\n').map(|newline| newline + 1);
        let head: Vec<char> = text[start.unwrap_or(0)..at].chars().map(plain).collect();
        let rest = text[at..].split('\n').next().unwrap_or_default().trim_end_matches('\r');
        let from = head.len().saturating_sub(SHOWN[0]);
        let mut shown = String::new();
        if from > 0 || start.is_none() && !is_whole {
            shown.push('…');
        }
        shown.extend(&head[from..]);
        let before = shown.chars().count();
        shown.extend(rest.chars().take(SHOWN[1]).map(plain));
        if rest.chars().nth(SHOWN[1]).is_some() {
            shown.push('…');
        }
        Self { line, text: shown, before }
    }
}

impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.line.to_string();
        writeln!(f, "  {number} | {}", self.text.trim_end())?;
        write!(f, "  {} | {}^", " ".repeat(number.len()), " ".repeat(self.before))
    }
}

/// What is wrong with a text.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
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
