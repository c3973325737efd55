//! Zones: a stem trajectory with the trajectories that act on it.
//!
//! * `members`: one zone: its stem, the negations that stop the stem, and what supports either.
//! * `linked`: zones that change the result on a square of another zone, and forks.
//! * `store`: the bundles that exist on the present line, frozen where they have lost their sense.
//! * `image`: the mathematical image, all zones of a position, carried from node to node.
//! * `play`: the moves that zones give a side at a node.
//! * `groups`: which zones are searched together.

pub mod groups;
pub mod image;
pub mod linked;
pub mod members;
pub mod play;
pub mod store;

pub use members::{
    Negation, Part, Stem, Support, Work, Zone, complexes, moves_within, variable_horizon,
};
