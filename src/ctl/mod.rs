//! CTL formulas: hash-consed arena, parser, printers, normal forms.

mod arena;

pub use arena::{Arena, Id, Node, Path, Symbol};
