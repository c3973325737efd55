//! Chess positions solved by satisfiability.
//!
//! `theta_chess` takes a legal chess position, builds the CTL formulas Θ1–Θ4 = Init ∧ Rules ∧ Aim
//! (R. V. Khelemendik, *On the solution of chess positions using computational tree logic*),
//! decides which is satisfiable — White wins, draw, Black wins — and hands over the satisfying
//! model as a strategy that an independent checker ([`verify`]) accepts.
//!
//! The modules are floors of a house: a file imports lower floors and its own submodules only
//! (`tests/floors.rs` enforces it).

pub mod aim;
pub mod check;
pub mod chess;
pub mod ctl;
pub mod export;
pub mod game;
pub mod kripke;
pub mod library;
pub mod limits;
pub mod modelcheck;
pub mod oracle;
pub mod pioneer;
pub mod sat;
pub mod search;
pub mod solve;
pub mod strategy;
pub mod tableau;
pub mod tables;
pub mod theta;
pub mod verify;
