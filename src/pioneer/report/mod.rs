//! What the zones of a position propose, in aims and in words.
//!
//! * `words`: trajectories and zones in words.
//! * `aims`: the aims that zones lead to.
//! * `paths`: the trajectories of a subgoal as they are told and drawn.
//! * `subgoal`: subgoals as ranked aims.

pub mod aims;
pub mod paths;
pub mod subgoal;
pub mod words;
