//! A table of five men solved for what follows; no engine.
//!
//! Where three officers are left beside a few pawns, the pawns tend to go, and what remains is in one
//! table without pawns: some ten CPU seconds. The search ends in it, and without it would have to come
//! to the mate, which may be forty moves away. So it is solved once a short search has not decided.

use super::super::Verdict;
use super::super::question::Question;
use super::search::Searcher;
use crate::chess::board::{Role, piece_of};
use crate::chess::{Side, Vector};
use crate::tables::{MAX_MEN, Material};
use std::time::Duration;

/// Men of positions for which such a table is solved, at most: with more pawns they stay too long.
const MOST_MEN: usize = 8;

/// With less time than this nothing is solved: the table may take a third of it.
const PATIENCE: Duration = Duration::from_secs(20);

/// The search before it, and the table at most, as parts of the time that is left.
const BEFORE: u32 = 12;
const AT_MOST: u32 = 3;

/// Where nothing limits the time, for how long the search comes first.
const SHORTLY: Duration = Duration::from_secs(5);

/// The search for a short time, and if that does not decide, the table of the officers alone. The
/// verdict of that search, if it decides; else the positions that it visited.
pub(super) fn decide(searcher: &mut Searcher, question: &Question) -> Result<Verdict, u64> {
    let Some(material) = wanted(question) else { return Err(0) };
    let budget = question.budget;
    let shortly = budget.remaining().map_or(SHORTLY, |left| left / BEFORE);
    let searched = searcher.solve(&budget.part(shortly));
    if searched.value.is_some() {
        return Ok(searched);
    }
    let part = budget.remaining().map(|left| budget.part(left / AT_MOST));
    budget.progress().note(&format!("solving the table {material}, which the search may end in"));
    // Without it everything goes on as before.
    let _ = question.tables().ensure(material, part.as_ref().unwrap_or(budget));
    Err(searched.positions)
}

/// The table to be solved: three officers, of both sides, beside one pawn or more.
fn wanted(question: &Question) -> Option<Material> {
    let Question { root, budget, options, .. } = *question;
    let limits = budget.limits();
    let in_time = budget.remaining().is_none_or(|left| left >= PATIENCE);
    let asked = options.table_men >= MAX_MEN && limits.positions.is_none() && in_time;
    if !asked || root.men() > MOST_MEN {
        return None;
    }
    let alone = without_pawns(question.vector());
    let tables = question.tables();
    let fits = || {
        let bytes = tables.bytes_needed(alone);
        limits.memory.is_none_or(|most| bytes <= most / 2)
    };
    (root.men() > MAX_MEN
        && alone.men() == MAX_MEN
        && alone.list().any(|man| man.0 == Side::Black)
        && !tables.is_at_hand(alone, budget)
        && fits())
    .then_some(alone)
}

/// The signature of a position's kings and officers.
fn without_pawns(root: &Vector) -> Material {
    let men = root.squares().iter().filter_map(|&c| piece_of(c)).map(|p| (p.side, p.role));
    Material::new(men.filter(|man| man.1 != Role::Pawn)).0
}
