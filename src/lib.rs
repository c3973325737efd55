//! Chess positions solved by satisfiability.
//!
//! `theta_chess` takes a legal chess position, builds the CTL formulas Θ1–Θ4 = Init ∧ Rules ∧ Aim
//! (R. V. Khelemendik, *On the solution of chess positions using computational tree logic*),
//! decides which is satisfiable — White wins, draw, Black wins — and hands over the satisfying
//! model as a strategy that an independent checker ([`fn@verify`]) accepts.
//!
//! Ask, have it proved, have the proof checked:
//!
//! ```
//! use theta_chess::{Limits, Solver, verify};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let verdict = Solver::default().solve(&"8/8/8/3k4/8/8/8/KQ6 w - -".parse()?, &Limits::seconds(60))?;
//! let certificate = verdict.certificate()?;
//! verify(&certificate)?;
//! # assert_eq!(verdict.value().and_then(|value| value.plies()), Some(17));
//! # Ok(())
//! # }
//! ```
//!
//! A limit is an answer: a verdict without a value says what is proved ([`Verdict::bounds`]) and why
//! it stopped ([`Verdict::stop`]).
//!
//! The modules are floors of a house: a file imports lower floors and its own submodules only
//! (`tests/floors.rs` enforces it, `docs/architecture.md` shows it). The feature `cli`, on by
//! default, is the program; the library needs none of its dependencies.

pub mod advice;
pub mod aim;
pub mod certificate;
pub mod check;
pub mod chess;
pub mod cluster;
pub mod ctl;
pub mod dead;
pub mod export;
pub mod game;
pub mod guess;
pub mod hold;
pub mod kripke;
pub mod library;
pub mod limits;
pub mod modelcheck;
pub mod oracle;
pub mod pioneer;
pub mod player;
pub mod problem;
mod prove;
pub mod refutation;
pub mod sat;
pub mod search;
pub mod slices;
pub mod solve;
pub mod specification;
pub mod strategy;
pub mod tableau;
pub mod tables;
pub mod theta;
pub mod verify;

pub use aim::{Aim, Goal};
pub use certificate::{Certificate, Claim};
pub use chess::{Move, Outcome, Position, Side, Value};
pub use limits::{Budget, Limits, StopReason};
pub use solve::{Bound, CertificateError, Engine, Options, SolveError, Solver, Verdict};
pub use tables::Tables;

use verify::{Accepted, Rejection};

/// Checks a certificate from scratch, as it would be written to a file: the laws of chess, stated
/// once more in the checker, are all that is believed. Certificates that cite proved rules are
/// checked by [`verify::verify_with`], which also takes more threads than one. About 3 to 20 µs a
/// position.
///
/// # Errors
/// The first fault found.
pub fn verify(certificate: &Certificate) -> Result<Accepted, Rejection> {
    let mut bytes = Vec::new();
    certificate.write(&mut bytes).expect("memory takes what is written");
    let accepted = verify::verify(bytes.as_slice(), &mut |_| true)?;
    Ok(accepted.expect("nobody abandons the check"))
}

/// The examples of `docs/rust.md`, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/rust.md")]
struct GuideForRust;
