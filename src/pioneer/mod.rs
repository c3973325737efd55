//! PIONEER: trajectories, zones and exchanges, as a source of aims and of moves worth trying.

pub mod bundle;
pub mod tables;
pub mod trajectory;
