//! The one integration-test binary: every file beside this one is a module of it.

mod certificates;
mod chess;
mod cli;
mod examples;
mod floors;
mod forms;
mod help;
mod history;
mod holds;
mod imports;
mod json;
mod limits;
mod logic;
mod parsers;
mod program;
mod prove;
mod puzzles;
mod readme;
mod rules;
mod sat;
mod search;
mod solve;
mod tables;
mod theta;
mod theta_corpus;
mod trajectories;
