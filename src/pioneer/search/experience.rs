//! The experience of the past, as the search asks for it: what is known for certain of a position,
//! and the moves that striving plans.
//!
//! # References
//! A. D. Yudin, *The endgame library of the program PIONEER*, §3.10–3.20 (docs/theory.md §14).

use crate::chess::board::{Board, ChessMove};

/// What is known of a position, for the side to move: it gets at least and at most so much; −1 a
/// loss, 0 a draw, 1 a win.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// At least.
    pub least: i32,
    /// At most.
    pub most: i32,
}

impl Known {
    /// Nothing.
    pub const NOTHING: Self = Self { least: -1, most: 1 };

    /// The value itself.
    pub const fn exactly(value: i32) -> Self {
        Self { least: value, most: value }
    }
}

/// Tables, proved rules, the endgame library.
pub trait Experience {
    /// What is known of a position that is not over. The search cuts its lines by it, so it must be
    /// true.
    fn known(&self, board: &Board) -> Known;

    /// The moves on planned trajectories: towards close positions in which the side to move is
    /// known to get at least `wanted`. They are tried whether zones ask for them or not.
    fn planned(&self, board: &Board, wanted: i32) -> Vec<ChessMove>;
}

/// No experience.
#[derive(Debug, Clone, Copy)]
pub struct Unlearned;

impl Experience for Unlearned {
    fn known(&self, _: &Board) -> Known {
        Known::NOTHING
    }

    fn planned(&self, _: &Board, _: i32) -> Vec<ChessMove> {
        Vec::new()
    }
}
