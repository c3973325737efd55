//! Retrograde analysis: a signature solved slice by slice, after the signatures below it.
//!
//! * `exits`: captures, promotions and pawn moves, whose outcomes are known already.
//! * `back`: one step back, on 64 positions at a time; `sweep`: of a piece from all its squares.
//! * `slice`: the least fixpoint over one slice, a level per ply.
//! * `levels`: the same fixpoint for a slice too large for that, two bits a position; `begin` is
//!   its first step, `part` and `planes` its bits in memory or in files, `room` which of them where.
//! * `share`: the parts of such a slice, and what crosses between processes that share it.
//! * `columns`, `frames`, `log`: what it finds, logged on disk ply by ply.
//! * `large`: a table of six men, by levels, and written from their log.
//! * `build`: all slices of a signature in the order in which pawns move, or some of them.
//! * `recent`: slices just solved, in memory for those that read them next.
//! * `consistent`: is a solved table right? Every value against its moves.
//! * `reach`: the slices that play from one position can lead to.
//! * `memory`: how much memory all that will take.

mod back;
mod begin;
pub(super) mod build;
mod columns;
pub(super) mod consistent;
pub(super) mod exits;
mod frames;
pub(super) mod large;
mod levels;
mod log;
pub(super) mod memory;
mod part;
mod planes;
pub(super) mod reach;
mod recent;
mod room;
pub(super) mod share;
pub(super) mod slice;
mod sweep;
