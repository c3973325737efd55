//! Chess: the vector y, squares, FEN, the paper's predicates and move sets, and one file that adapts shakmaty.

pub mod board;
