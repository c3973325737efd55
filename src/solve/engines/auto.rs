//! The choice between the engines.

use super::super::question::Question;
use super::super::{SolveError, Verdict};
use super::{beside, fortress, graph, leaves, search, shut, slices, subgoals, syzygy, tables};
use crate::chess::board::Board;
use crate::limits::StopReason;
use crate::search::GLANCE;
use crate::tables::{MAX_MEN, TableError};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Edges of Leg(y⁰) that are looked at before a position is given up as too large for the graph:
/// some tenths of a second.
const SMALL_GRAPH: u64 = 200_000;

/// What looking for a forced mate before slices are solved may take, as [`GLANCE`]: a quarter of a second.
const BEFORE_SLICES: u64 = 100_000;
/// Edges that are looked at before the first glance at forced mates: a few thousandths.
const TINY_GRAPH: u64 = 10_000;

/// How long a position of five men is searched before its tables are solved, at most.
const BEFORE_TABLES: Duration = Duration::from_secs(10);

/// What came of an engine that suits small positions only.
pub(in crate::solve) enum Attempt {
    /// Its verdict (unknown, if the time was over).
    Done(Box<Verdict>),
    /// The position is too large for it; so many positions were visited in vain.
    TooLarge(u64),
}

/// Tables if the men allow, or where one of six men is at hand; else a mate in a few moves, the
/// graph if it is small, slices beside the search where they fit, and proof search for the rest, which
/// may end in a table that is solved for it.
/// Before five-man tables that would have to be solved come a mate in a few moves, the slices of a
/// pawn ending and a short search, unless the shortest win is asked for; where there is no time for
/// such tables slices of several officers come in their place.
pub(super) fn solve(question: &Question) -> Result<Verdict, SolveError> {
    let Question { root, budget, .. } = *question;
    if question.options.literal || !question.is_fide() {
        return Ok(graph::solve(question));
    }
    let quick = root.men() < MAX_MEN || tables::at_hand(question);
    if quick && let Attempt::Done(verdict) = tabled(question)? {
        return Ok(*verdict);
    }
    if let Some(verdict) = syzygy::solve(question) {
        return Ok(verdict);
    }
    let races = subgoals::races(budget);
    // A table of bounds larger than the search's share of the memory would end it at once.
    let share = if races { subgoals::memory_share(budget) } else { budget.clone() };
    let mut searcher = search::Searcher::new(&question.within(&share));
    if let Some(verdict) = searcher.short_mate(budget) {
        return Ok(verdict);
    }
    let mut spent = searcher.positions();
    if root.men() <= MAX_MEN
        && !quick
        && !are_tables_too_slow(&question.within(&budget.after(spent)))
    {
        if !question.options.shortest {
            let left = budget.after(spent);
            match before_tables(&mut searcher, &question.within(&left)) {
                Attempt::Done(verdict) => {
                    return Ok(Verdict { positions: verdict.positions + spent, ..*verdict });
                }
                Attempt::TooLarge(positions) => spent += positions,
            }
        }
        match tabled(&question.within(&budget.after(spent)))? {
            Attempt::Done(verdict) => return Ok(*verdict),
            Attempt::TooLarge(positions) => spent += positions,
        }
    }
    for edges in [TINY_GRAPH, SMALL_GRAPH] {
        match listed_within(&question.within(&budget.after(spent)), edges) {
            Attempt::Done(verdict) => return Ok(*verdict),
            Attempt::TooLarge(positions) => spent += positions,
        }
        if edges == TINY_GRAPH {
            spent += searcher.glance(GLANCE, &budget.after(spent));
        }
    }
    let (shut, looked_at) = shut::ask(&question.within(&budget.after(spent)));
    spent += looked_at;
    if let [Some(white), Some(black)] = shut {
        return Ok(Verdict { positions: spent, ..shut::dead(question, white, black) });
    }
    searcher.knowing(shut);
    // What a glance has won the search wins again at once, and then makes it shorter.
    let is_won = |searcher: &search::Searcher| searcher.won().load(Ordering::Relaxed);
    if !is_won(&searcher) {
        match leaves::decide(&mut searcher, &question.within(&budget.after(spent))) {
            Ok(verdict) => return Ok(Verdict { positions: verdict.positions + spent, ..verdict }),
            Err(positions) => spent += positions,
        }
    }
    let mut half = None;
    if !is_won(&searcher) {
        match fortress::decide(&mut searcher, &question.within(&budget.after(spent))) {
            Some(beside::Outcome::Done(verdict)) => return Ok(*verdict),
            Some(beside::Outcome::Open(verdict)) => {
                spent += verdict.positions;
                half = Some(*verdict).filter(|verdict| !verdict.bounds.is_empty());
            }
            None => {}
        }
    }
    let left = budget.after(spent);
    let is_open = half.is_none() && !is_won(&searcher);
    let mut asked = if is_open { slices::Asked::of(&question.within(&left)) } else { None };
    if asked.is_some() {
        spent += searcher.glance(BEFORE_SLICES, &left);
        asked = asked.filter(|_| !is_won(&searcher));
    }
    if let Some(asked) = asked {
        let outcome = beside::decide(asked, &mut searcher, &question.within(&left));
        match outcome {
            beside::Outcome::Done(verdict) => return Ok(*verdict),
            beside::Outcome::Open(verdict) => {
                spent += verdict.positions;
                half = Some(*verdict).filter(|verdict| !verdict.bounds.is_empty());
            }
        }
    }
    budget.progress().note("too many positions to list: searching for a proof");
    let rest = question.within(&left);
    let verdict = if races {
        subgoals::race(&mut searcher, &rest)
    } else {
        subgoals::in_turn(searcher, &rest)
    };
    let verdict = match half {
        Some(half) if verdict.value.is_none() => {
            subgoals::joined(Verdict { positions: 0, ..half }, verdict, &rest)
        }
        _ => verdict,
    };
    Ok(Verdict { positions: verdict.positions + spent, ..verdict })
}

/// Whether solving the tables of five men takes longer than there is time for, where slices, which do
/// not know the shortest mate, may take a quarter of that or less (measured cold, CPU s: KRPvKR 12 and 46,
/// KBPvKN 5 and 42, KQvKRP 4 and 89).
pub(in crate::solve) fn are_tables_too_slow(question: &Question) -> bool {
    let Question { options, budget, .. } = *question;
    let Some(left) = budget.remaining() else { return false };
    if options.shortest || !slices::is_several(question) || !slices::fits(question) {
        return false;
    }
    let needs = question.tables().estimate(&[tables::material(question.vector())]);
    let threads = budget.limits().threads.max(1) as f64;
    needs.seconds() as f64 / threads > left.as_secs_f64()
}

/// What decides most positions of five men in less time than their tables take: slices of a pawn
/// ending, and a third of the budget's time for the search, some seconds at most.
fn before_tables(searcher: &mut search::Searcher, question: &Question) -> Attempt {
    let budget = question.budget;
    if let Some(verdict) = slices::first(question).filter(|verdict| verdict.value.is_some()) {
        return Attempt::Done(Box::new(verdict));
    }
    let time = budget.remaining().map_or(BEFORE_TABLES, |left| BEFORE_TABLES.min(left / 3));
    let positions = budget.limits().positions.map_or(u64::MAX, |n| n / 3);
    budget.progress().note("no table is at hand: searching first");
    let searched = searcher.solve(&budget.part(time).at_most(positions));
    if searched.value.is_some() || searched.stop == Some(StopReason::Interrupted) {
        return Attempt::Done(Box::new(searched));
    }
    let missing = question.tables().to_solve(tables::material(question.vector()), budget);
    let large = missing.iter().filter(|m| m.men() == MAX_MEN).count();
    if let (Some(last), 1..) = (missing.last(), large) {
        let megabytes = question.tables().bytes_needed(*last).div_ceil(1 << 20);
        budget.progress().note(&format!(
            "the table {last} and what it depends on are solved, as far as the position needs them: \
             {large} of five men at most, up to a CPU minute each, {megabytes} MiB of memory"
        ));
    }
    Attempt::TooLarge(searched.positions)
}

/// The answer of the tables, unless memory, positions or distances are too large for them.
pub(in crate::solve) fn tabled(question: &Question) -> Result<Attempt, SolveError> {
    let (why, positions) = match tables::solve(question) {
        Ok(verdict) => match verdict.stop {
            Some(reason @ (StopReason::Memory | StopReason::Positions)) => {
                (reason.to_string(), verdict.positions)
            }
            _ => return Ok(Attempt::Done(Box::new(verdict))),
        },
        Err(SolveError::Tables(error @ TableError::TooDeep { .. })) => (error.to_string(), 0),
        Err(error) => return Err(error),
    };
    question.budget.progress().note(&format!("no table ({why}): searching for a proof"));
    Ok(Attempt::TooLarge(positions))
}

/// The answer of the graph, unless it has too many positions to be listed in passing.
pub(in crate::solve) fn listed(question: &Question) -> Attempt {
    listed_within(question, SMALL_GRAPH)
}

/// The answer of the graph, unless it has more edges than that.
fn listed_within(question: &Question, edges: u64) -> Attempt {
    let budget = question.budget;
    let mut limit = edges / branching(&question.board());
    if let Some(positions) = budget.limits().positions {
        limit = limit.min(positions / 2);
    }
    let small = budget.with_positions(limit);
    let verdict = graph::solve(&question.within(&small));
    match verdict.stop {
        // The graph counts the positions that it knows; the limit speaks of those that it has
        // expanded.
        Some(StopReason::Positions | StopReason::Memory) => {
            Attempt::TooLarge(verdict.positions.min(limit))
        }
        _ => Attempt::Done(Box::new(verdict)),
    }
}

/// The moves of the side that has more of them, at the root and on average after its first moves;
/// at least 1.
fn branching(board: &Board) -> u64 {
    let moves = board.legal_moves();
    let replies: usize = moves.iter().map(|&m| board.after(m).legal_moves().len()).sum();
    (moves.len().max(replies / moves.len().max(1)).max(1)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::{Budget, Limits};
    use crate::solve::Solver;

    #[test]
    fn tables_for_which_there_is_no_time_are_not_begun() {
        let slow = |fen: &str, seconds: u64, shortest: bool| {
            let (root, mut solver) = (fen.parse().unwrap(), Solver::default());
            solver.options.shortest = shortest;
            let limits = Limits { threads: 1, ..Limits::default() };
            let budget = Budget::new(limits.with_time(Duration::from_secs(seconds)));
            let Solver { kept, options, .. } = &solver;
            are_tables_too_slow(&Question { root: &root, kept, options, budget: &budget })
        };
        let knight_against_bishop = "8/5k2/7p/5N1b/8/8/5K2/8 b - -";
        assert!(slow(knight_against_bishop, 15, false));
        assert!(!slow(knight_against_bishop, 15, true), "the shortest win is asked for");
        assert!(!slow(knight_against_bishop, 3600, false));
        let one_officer = "8/8/4k3/8/2pp4/8/3K4/6N1 w - -";
        assert!(!slow(one_officer, 15, false), "slices are asked first anyhow");
    }
}
