//! Sides that nothing can mate, in passing: dead positions are drawn at once, and whom nothing can
//! mate holds.
//!
//! A few hundred positions and some patterns ([`Effort::Passing`]), a millisecond or two: most
//! positions show a mate of either side at once, and then nothing more is tried.

use super::super::question::Question;
use super::super::{Engine, Evidence, Verdict};
use crate::certificate::{Certificate, Closed, Reach, Strategy};
use crate::chess::board::move_of;
use crate::chess::{Side, Value};
use crate::dead::{Answer, Effort, ask_one};
use std::sync::Arc;

/// White's proof that nothing can mate it, and Black's; and how many positions were looked at.
pub(super) fn ask(question: &Question) -> ([Option<Arc<Closed>>; 2], u64) {
    let mut looked_at = 0;
    let shut = Side::ALL.map(|side| {
        let left = question.budget.after(looked_at);
        let (answer, more) = ask_one(question.root, side.other(), Effort::Passing, &left);
        looked_at += more;
        match answer {
            Answer::Known(Reach::Never(closed)) => Some(closed),
            _ => None,
        }
    });
    (shut, looked_at)
}

/// The verdict of a dead position: a draw, whatever is played.
pub(super) fn dead(question: &Question, white: Arc<Closed>, black: Arc<Closed>) -> Verdict {
    let root = *question.vector();
    let of_white = Strategy::shut(root, Side::White, white);
    let of_black = Strategy::shut(root, Side::Black, black);
    let moves = question.board().legal_moves();
    Verdict {
        value: Some(Value::Draw),
        best: moves.iter().map(move_of).collect(),
        best_complete: true,
        evidence: Evidence::Ready(Box::new(Certificate::of_draw(of_white, of_black))),
        ..Verdict::undecided(*question.root, Engine::Search, question.budget)
    }
}
