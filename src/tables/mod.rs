//! Tables of a fixed material: every legal position, perfectly indexed, solved backwards with exact
//! distance to mate in plies.
//!
//! # References
//! * Spec page 02 (R. V. Khelemendik's algorithm B): the levels and the conversion metric.

mod build;
mod draft;
mod exits;
mod format;
mod geometry;
mod layout;
mod mapped;
mod material;
mod memory;
mod packed;
mod parts;
mod placement;
mod probe;
mod raw;
mod reach;
mod shelf;
mod solve;
mod source;
mod stats;
mod store;
mod stored;
mod symmetry;
mod unpack;
mod value;
mod visit;

pub use material::{MAX_MEN, Material};
pub use packed::Damage;
pub use placement::Placement;
pub use shelf::Tables;
pub use stats::{SideStats, Stats};
pub use stored::{Portion, TableInfo};
pub use value::Value;
pub use visit::Sampler;

use std::path::PathBuf;

use crate::limits::StopReason;

/// What a table's distances count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Metric {
    /// Plies to mate with best play: the rank in Θ1 (Θ3).
    #[default]
    Mate,
    /// Plies to mate, or to the winner's first capture or promotion that keeps the win (spec page
    /// 2.2). A capture or promotion by the loser that stays lost counts two plies.
    Conversion,
}

/// Why there is no table, or no answer from one.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The text is no material signature.
    #[error("`{text}` is no material signature: {why} (write KRvKN or KRKN)")]
    Signature {
        /// The text as given.
        text: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// More men than tables can have.
    #[error("{men} men: tables end at {MAX_MEN}, kings included")]
    TooManyMen {
        /// Men, kings included.
        men: usize,
    },
    /// A stored table is damaged. It has been set aside, and the next [`Tables::ensure`] builds it
    /// anew.
    #[error("the table {material} is damaged: {damage}")]
    Damaged {
        /// The signature.
        material: Material,
        /// What is wrong.
        damage: Damage,
    },
    /// The cache directory cannot be used.
    #[error("cache directory {}: {error}", path.display())]
    Cache {
        /// The directory.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// A limit was reached before the table was solved.
    #[error("table not finished: {0}")]
    Stopped(StopReason),
    /// A mate takes more plies than a byte can hold: 254, or 252 for the first-named side. No table
    /// of up to five men has such.
    #[error("{material} has mates too long for a byte of its table")]
    TooDeep {
        /// The signature.
        material: Material,
    },
}
