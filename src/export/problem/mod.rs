//! Problems and their solutions as composers print them: text, JSON, diagrams as SVG, pages in HTML,
//! LaTeX for the package `diagram`, and PGN.

pub mod json;
mod letters;
mod pgn;
pub mod sheet;
pub mod text;

pub use letters::Letters;
pub use sheet::Sheet;
