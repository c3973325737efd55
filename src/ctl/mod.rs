//! CTL formulas: hash-consed arena, parser, printers, normal forms.

mod arena;
mod error;
mod lexer;
mod lookalike;
mod nnf;
mod parser;
pub(crate) mod print;
mod scope;

pub use arena::{Arena, Id, Node, Path, Subformulas, Symbol};
pub use error::{Excerpt, Fault, ParseError, Place};
pub use lexer::MAX_NAME;
pub use lookalike::lookalike;
pub use parser::{Atoms, Notation, Parsed, Specification, parse, parse_reader};
pub use print::{Syntax, to_short_text, to_text, write_formula};

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
