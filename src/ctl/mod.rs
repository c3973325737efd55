//! CTL formulas: hash-consed arena, parser, printers, normal forms.

mod arena;
mod nnf;

pub use arena::{Arena, Id, Node, Path, Subformulas, Symbol};
