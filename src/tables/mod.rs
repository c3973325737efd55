//! Tables of a fixed material: every legal position, perfectly indexed, solved backwards with exact
//! distance to mate in plies.
//!
//! The rooms, each of which imports only those above it:
//!
//! * `index`: the perfect index. A material signature becomes a layout (slice, side to move, king,
//!   row, column), a board a query into it, and a position's value one byte.
//! * `file`: those bytes at rest. A table is written slice by slice, compressed in blocks with
//!   checksums, and mapped into memory to be read.
//! * `solve`: retrograde analysis. Moves that leave a slice are looked up in the tables of smaller
//!   signatures; the rest is a least fixpoint over sets of positions, level by level.
//! * `cache`: the tables at hand ([`Tables`]), in memory, in the cache directory or solved when
//!   they are asked for, and what is asked of a whole table: statistics, samples, placements.
//!
//! A question runs through them in this order: [`Tables::value`] turns the board into a query
//! (`index`), looks for the table or the part of it at hand (`cache`), reads its file (`file`), or
//! solves it first (`solve`) and writes it down.
//!
//! # References
//! * docs/theory.md §11 (algorithm B): the levels and the conversion metric.

mod cache;
mod file;
mod index;
mod solve;

pub use cache::one_sided::Written;
pub use cache::placement::Placement;
pub use cache::stats::{SideStats, Stats};
pub use cache::stored::{Portion, TableInfo};
pub use cache::tables::Tables;
pub use cache::trust::{Estimate, Provenance, Trust};
pub use cache::visit::Sampler;
pub use cache::wins::Posted;
pub(crate) use cache::wins::transpose;
pub use cache::work::Task;
pub use file::damage::Damage;
pub use file::format::VERSION as FILE_VERSION;
pub use index::material::{MAX_MEN, MAX_STORED_MEN, Material};
pub(crate) use solve::share::{Crossing, Others, Report};

use std::path::PathBuf;

use crate::limits::StopReason;

/// What a table's distances count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Metric {
    /// Plies to mate with best play: the rank in Θ1 (Θ3).
    #[default]
    Mate,
    /// Plies to mate, or to the winner's first capture or promotion that keeps the win
    /// (docs/theory.md §11). A capture or promotion by the loser that stays lost counts two plies.
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
    #[error("{men} men: tables end at {MAX_STORED_MEN}, kings included")]
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
    /// of up to five men has such; tables of six men without pawns hold longer ones, tables with
    /// pawns do not.
    #[error("{material} has mates too long for a byte of its table")]
    TooDeep {
        /// The signature.
        material: Material,
    },
    /// This is not done with tables of more than five men.
    #[error("{material}: {what} ends at tables of {MAX_MEN} men")]
    TooLarge {
        /// The signature.
        material: Material,
        /// What was asked for.
        what: &'static str,
    },
}
