//! The search with zones, and the moves that it proposes to others.
//!
//! * `tree`: each move of each line once, kept from one length of lines to the next.
//! * `experience`: what is known of a position beforehand.
//! * `lines`: the search itself.
//! * `attacks`: attacks that come into view during the search.
//! * `propose`: moves worth trying, as bit sets, for the nodes of a proof search.

mod attacks;
pub mod experience;
mod lines;
pub mod propose;
pub mod tree;

pub use lines::{Bounds, Found, Line, Replies, believe, search};
pub use tree::{End, Node, Step, Tree, WIN};
