//! Syzygy tables that the user has given, as an engine: they say who wins where our own tables do
//! not, and what rests on them says so.

use super::super::question::Question;
use super::super::{Engine, Evidence, Rated, Verdict};
use crate::chess::{Outcome, Packed, Position};
use crate::strategy::{Citation, Rules as _, SyzygyRules};
use std::collections::BTreeSet;

/// The value of a position that is in the tables, and not in our own that are at hand. The moves
/// that keep it are its best ones: which of them mates soonest is not known.
pub(in crate::solve) fn solve(question: &Question) -> Option<Verdict> {
    if !question.is_fide() || question.options.literal {
        return None;
    }
    let tables = question.syzygy()?;
    let value = tables.value(&Packed::from(question.vector()))?;
    let evidence = Evidence::Syzygy(tables);
    let verdict = Verdict::decided(question, Engine::Tables, value, evidence, 1);
    let is_win = matches!(value.outcome(), Outcome::Wins(_));
    Some(Verdict { shortest: !is_win, best_complete: verdict.best_complete && !is_win, ..verdict })
}

/// The tables that the values after a position's moves rest on, in words.
pub(in crate::solve) fn relied_on(
    tables: &SyzygyRules,
    root: &Position,
    rated: &[Rated],
) -> Vec<String> {
    let board = root.board();
    let after = |r: &Rated| Some(board.after(board.find(r.play)?).packed());
    let number = |r: &Rated| Some(tables.outcome(&after(r)?)?.0);
    let numbers: BTreeSet<u32> = rated.iter().filter_map(number).collect();
    numbers.into_iter().map(|number| words(&tables.text(number))).collect()
}

/// A citation in words.
pub(in crate::solve) fn words(text: &str) -> String {
    Citation::read(text).map_or_else(|| text.to_owned(), |citation| citation.words())
}
