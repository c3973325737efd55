//! What the zones of a position propose, in aims and in words.
//!
//! * `words`: trajectories, zones and aims in words and in the syntax of aims.
//! * `paths`: the trajectories of a subgoal as they are told and drawn.
//! * `subgoal`: subgoals as ranked aims.

pub mod paths;
pub mod subgoal;
pub mod words;
