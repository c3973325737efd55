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
use crate::limits::StopReason;
use crate::tables::{MAX_MEN, Material};
use std::time::Duration;

/// Pawns of positions for which such a table is solved, at most: of more some stay too long.
const MOST_PAWNS: usize = 3;

/// With less time than this nothing is solved: the table may take a third of it.
const PATIENCE: Duration = Duration::from_secs(20);

/// The search before it, and the table at most, as parts of the time that is left.
const BEFORE: u32 = 12;
const AT_MOST: u32 = 3;

/// Where nothing limits the time, for how long the search comes first.
const SHORTLY: Duration = Duration::from_secs(5);

/// The search for a short time, and if that does not decide, the table of the officers alone. The
/// verdict of that search, if it decides or the user ends the work; else the positions that it
/// visited.
pub(super) fn decide(searcher: &mut Searcher, question: &Question) -> Result<Verdict, u64> {
    let Some(material) = wanted(question) else { return Err(0) };
    let budget = question.budget;
    let shortly = budget.remaining().map_or(SHORTLY, |left| left / BEFORE);
    let searched = searcher.solve(&budget.part(shortly));
    if searched.value.is_some() || searched.stop == Some(StopReason::Interrupted) {
        return Ok(searched);
    }
    let part = budget.remaining().map(|left| budget.part(left / AT_MOST));
    budget.progress().note(&format!("solving the table {material}, which the search may end in"));
    // Without it everything goes on as before.
    let _ = question.tables().ensure(material, part.as_ref().unwrap_or(budget));
    Err(searched.positions)
}

/// The table to be solved, where there is time and memory for it and it is not at hand.
fn wanted(question: &Question) -> Option<Material> {
    let Question { root, budget, options, .. } = *question;
    let limits = budget.limits();
    let in_time = budget.remaining().is_none_or(|left| left >= PATIENCE);
    if options.table_men < MAX_MEN || limits.positions.is_some() || !in_time {
        return None;
    }
    let (alone, tables) = (three_officers(root.vector())?, question.tables());
    let fits = |bytes: u64| limits.memory.is_none_or(|most| bytes <= most / 2);
    (!tables.is_at_hand(alone, budget) && fits(tables.bytes_needed(alone))).then_some(alone)
}

/// Whether the table of three officers alone is at hand.
pub(super) fn is_at_hand(question: &Question) -> bool {
    three_officers(question.root.vector())
        .is_some_and(|alone| question.tables().is_at_hand(alone, question.budget))
}

/// The signature of the kings and officers of a position with one pawn to three: three officers, not
/// all of one side.
fn three_officers(root: &Vector) -> Option<Material> {
    let men = root.squares().iter().filter_map(|&c| piece_of(c)).map(|p| (p.side, p.role));
    let alone = Material::new(men.filter(|man| man.1 != Role::Pawn)).0;
    let both = alone.list().any(|man| man.0 == Side::Black);
    let pawns = root.men().checked_sub(alone.men())?;
    (alone.men() == MAX_MEN && both && (1..=MOST_PAWNS).contains(&pawns)).then_some(alone)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Profile, parse_fen};

    #[test]
    fn three_officers_of_both_sides_beside_a_few_pawns() {
        for (fen, table) in [
            ("7r/7b/4kN2/6P1/8/4K3/8/8 b - -", Some("KRBvKN")),
            ("5k2/7p/8/6bB/4P3/3R1P2/8/7K b - -", Some("KRBvKB")),
            // No pawn; four pawns; two officers; four; all of one side.
            ("7r/7b/4kN2/8/8/4K3/8/8 b - -", None),
            ("7r/7b/4kN2/6P1/8/4K3/PPP5/8 b - -", None),
            ("7r/8/4kN2/6P1/8/4K3/8/8 b - -", None),
            ("6rr/7b/4kN2/6P1/8/4K3/8/8 b - -", None),
            ("7r/6nb/4k3/6P1/8/4K3/8/8 b - -", None),
        ] {
            let found =
                three_officers(&parse_fen(fen, Profile::Fide).unwrap()).map(|m| m.to_string());
            assert_eq!(found.as_deref(), table, "{fen}");
        }
    }
}
