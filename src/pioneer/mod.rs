//! PIONEER: trajectories, zones and exchanges, as a source of aims and of moves worth trying.
//!
//! Nothing here proves anything: aims and moves are proposed, and proved or refuted elsewhere. The
//! rooms, each of which imports only those above it:
//!
//! * `geometry`: how pieces travel. Tables of the least number of moves, bundles of trajectories on
//!   the empty board, routes on the real one, exchanges on a square.
//! * `zone`: a stem trajectory with what negates and supports it, and all zones of a position as
//!   one mathematical image that is carried down a line.
//! * `search`: the search with zones, its tree and what experience tells it; and the proposals that
//!   a proof search asks for at each node.
//! * `report`: subgoals as ranked aims, with the trajectories that justify them, in words.
//!
//! A position runs through them in this order: [`subgoal::propose`] forms its image (`zone`) from
//! the routes of its men (`geometry`), lets the search judge the stems (`search`), and turns the
//! lines found into aims (`report`).

mod geometry;
mod report;
pub mod search;
pub mod zone;

pub use geometry::{bundle, exchange, men, route, tables, trajectory};
pub use report::{aims, paths, subgoal, words};
pub use search::{experience, propose, tree};
pub use zone::{groups, image, linked, play, store};
