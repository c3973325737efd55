//! The one integration-test binary: every file beside this one is a module of it.

mod chess;
mod floors;
mod tables;
mod trajectories;
