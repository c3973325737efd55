//! Slices: pawn endings of any size.
mod bits;
mod engine;
mod exits;
mod fixpoint;
mod guess;
mod hold;
mod key;
mod moves;
mod play;
mod refine;
mod rows;
mod store;

pub use bits::Officer;
pub use engine::{Analysis, Known, Unfit, Work};
pub use key::{Key, Place};
pub use play::Winner;

use crate::chess::board::{Board, Color};
use crate::limits::Budget;

/// Temporary.
pub fn try_one(board: &Board, attacker: Color, budget: &Budget) -> String {
    let Some(spot) = Key::of(board, attacker) else { return "no".into() };
    let mut prover = refine::Prover::default();
    let mut r = format!("{:?}", prover.prove(&spot, budget));
    if r.contains("Exhausted") { r += &format!("hold {:?}", prover.hold(&spot, budget)); }
    format!("{r:?} slices {:?} solves {:?} bytes {} stuck {}", prover.store.count, prover.store.solves, prover.store.bytes(), prover.stuck)
}

/// Temporary.
pub fn try_win(board: &Board, attacker: Color, budget: &Budget) -> Option<Result<(), crate::limits::StopReason>> {
    let spot = Key::of(board, attacker)?;
    let mut prover = refine::Prover::default();
    let mut r = prover.prove(&spot, budget);
    if r.is_err() && prover.hold(&spot, budget).is_ok() { r = Err(crate::limits::StopReason::Positions); }
    assert_eq!(prover.stuck, 0);
    Some(r)
}

/// Temporary: the moves of a position as from, to, promotion (codes of the pieces).
pub fn try_moves(board: &Board, attacker: Color) -> Option<Vec<(u8, u8, u8)>> {
    let (key, place) = Key::of(board, attacker)?;
    let mut out = Vec::new();
    moves::steps(&key, &place, &mut out);
    let turn = if attacker == Color::White { 0 } else { 56 };
    Some(out.iter().map(|s| (s.from ^ turn, s.to ^ turn, if s.promotion == Officer::None { 0 } else { s.promotion as u8 + 1 })).collect())
}
