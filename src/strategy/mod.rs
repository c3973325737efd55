//! Winning strategies built from a policy, and lines that proved rules end.
//!
//! * `build`: an engine says what the owner plays; every reply is followed, and the ranks are
//!   counted from the leaves up.
//! * `rules`: where a proved rule ends a line, and which of them a strategy rests on.
//! * `syzygy`: the user's Syzygy tables in the place of rules.

mod build;
mod rules;
mod syzygy;

pub(crate) use build::{BETWEEN_CHECKS, name};
pub use build::{BuildError, reach, win};
pub use rules::{End, Rules};
pub(crate) use rules::{needed, texts};
pub use syzygy::{Citation, CitedRules, MissingTable, SyzygyRules, WithSyzygy};
