//! PIONEER: trajectories, zones and exchanges, as a source of aims and of moves worth trying.

mod attacks;
pub mod bundle;
pub mod exchange;
pub mod experience;
pub mod groups;
pub mod image;
pub mod linked;
pub mod men;
pub mod paths;
pub mod play;
pub mod propose;
pub mod route;
pub mod search;
pub mod store;
pub mod subgoal;
pub mod tables;
pub mod trajectory;
pub mod tree;
pub mod words;
pub mod zone;
