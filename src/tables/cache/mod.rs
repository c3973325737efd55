//! The tables at hand, and what is asked of a whole table.
//!
//! * `store`: the cache directory: files under temporary names, renamed into place.
//! * `tables`: finds a table in memory or in the store, or solves it; answers about positions.
//! * `parts`: of some signatures, the slices that are at hand.
//! * `partial`: solves the slices that one position needs, where the whole table would take long.
//! * `stored`: the store's tables listed, checked, fetched and set aside.
//! * `trust`: how far stored tables are believed, and where a table came from.
//! * `checked`: stored tables checked as far as they are not believed.
//! * `one_sided`: tables of one side to move: written, and read with a look one ply ahead.
//! * `stats`: positions counted by value and distance.
//! * `large`: tables of six men, built by name.
//! * `visit`: all positions of a table walked through, and random ones drawn.
//! * `work`: building as tasks that can be done apart, each by another process.
//! * `wins`: the won positions in which some men stand still, as bits.
//! * `placement`: positions by the squares of their men, all images included.

mod checked;
mod large;
pub(super) mod one_sided;
pub(super) mod partial;
pub(super) mod parts;
pub(super) mod placement;
pub(super) mod stats;
pub(super) mod store;
pub(super) mod stored;
pub(super) mod tables;
pub(super) mod trust;
pub(super) mod visit;
pub(super) mod wins;
pub(super) mod work;
