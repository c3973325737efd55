//! What striving is worth to the proof search: the same endgames of 5 to 8 men proved with
//! * `mates`: no knowledge but mate;
//! * `three`, `four`: won positions of the tables of so many men end lines (the subgoals that are
//!   struck for);
//! * `near3`, `near4`: as before, and the search looks first where a won position of tables or
//!   library is near ([`Nearness`]).
//!
//!
//! and by chains of subgoals (`theta prove`), without and with striving for close won positions of
//! the library and for won endings one capture away, tables of three and of four men at hand.
//!
//! `cargo bench --bench striving [-- POSITIONS]`: positions that may be visited for each (default
//! 200,000). A proof counts only when its strategy has been built over all replies. Sums of
//! positions and of plies (to mate at most) are over the endgames that both of a pair prove.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use theta_chess::Position;
use theta_chess::chess::Board;
use theta_chess::chess::Value;
use theta_chess::library::endgames::built_in;
use theta_chess::library::striving::Nearness;
use theta_chess::limits::{Budget, Limits};
use theta_chess::search::{self, only_wins_of, solve};
use theta_chess::solve::{Options, Solver};
use theta_chess::tables::Tables;

const MODES: [(&str, usize, bool); 5] = [
    ("mates", 2, false),
    ("three", 3, false),
    ("near3", 3, true),
    ("four", 4, false),
    ("near4", 4, true),
];

/// Which modes are held against each other: what the tables' positions are worth as ends, and what
/// nearness adds.
const PAIRS: [(usize, usize); 4] = [(0, 1), (1, 3), (1, 2), (3, 4)];

/// Positions visited, and plies to mate at most.
type Cost = (u64, u64);
/// The cost of a proof, if there is one.
type Run = Option<Cost>;

fn endgames() -> Vec<(String, Board)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("positions/endgames_5to8.epd");
    let text = std::fs::read_to_string(path).expect("the collection is in positions/");
    let lines = text.lines().filter(|l| !l.starts_with('#') && !l.trim().is_empty());
    let one = |line: &str| {
        let fen = line.split_whitespace().take(4).collect::<Vec<_>>().join(" ");
        let kind = line.split('"').nth(1).expect("c0 names the kind").to_owned();
        (kind, Board::from_fen(&fen).expect("a legal position"))
    };
    lines.map(one).collect()
}

fn attempt(board: &Board, (men, near): (usize, bool), limit: u64, tables: &Tables) -> Run {
    let limits = Limits::default().with_positions(limit).with_threads(1);
    let budget = Budget::new(limits);
    let unlimited = Budget::default();
    let outlook = || Arc::new(Nearness::new(men, &built_in())) as Arc<_>;
    let options = search::Options {
        shorten: Duration::ZERO,
        table_bytes: 64 << 20,
        outlook: near.then(outlook),
        ..only_wins_of(board.side_to_move())
    };
    let probe = |b: &Board| -> Option<Value> {
        let small = b.packed().len() <= men && men > 2;
        small.then(|| tables.value(b, &unlimited).ok().flatten()).flatten()
    };
    let outcome = solve(board, &options, &probe, &budget);
    let win = outcome.win?;
    win.strategy(board, &probe, &unlimited).ok()?;
    Some((outcome.positions, win.plies.into()))
}

/// What chains of subgoals prove: the cost, and whether a link was striven for.
fn chain(
    board: &Board,
    table_men: usize,
    strive: bool,
    limit: u64,
    tables: &Arc<Tables>,
) -> Option<(u64, bool)> {
    let limits = Limits::default().with_positions(limit).with_threads(1);
    let options = Options::default().with_table_men(table_men);
    let mut solver = Solver::new(Arc::clone(tables)).with_options(options);
    if strive {
        solver = solver.striving(built_in());
    }
    let root = Position::from(board);
    let proof = solver.prove(&root, root.side_to_move(), true, limits).expect("the laws of chess");
    proof.value().and_then(|_| proof.certificate().ok())?;
    let striven =
        |claim: &str| claim.contains("won library position") || claim.contains("won by the table");
    Some((proof.positions(), proof.links().iter().any(|link| striven(&link.claim))))
}

fn chains(endgames: &[(String, Board)], limit: u64, tables: &Arc<Tables>) {
    println!(
        "\n{:<8} {:<10} {:>6} {:>9} {:>14}",
        "tables", "chains", "proved", "striven", "positions"
    );
    for men in [3, 4] {
        let runs = [false, true].map(|strive| {
            endgames
                .iter()
                .map(|(_, board)| chain(board, men, strive, limit, tables))
                .collect::<Vec<_>>()
        });
        let common = |at: &usize| runs.iter().all(|run| run[*at].is_some());
        let both: Vec<usize> = (0..endgames.len()).filter(common).collect();
        for (name, run) in ["plain", "striving"].into_iter().zip(&runs) {
            let proved = run.iter().flatten().count();
            let striven = run.iter().flatten().filter(|(_, striven)| *striven).count();
            let positions: u64 = both.iter().filter_map(|&at| Some(run[at]?.0)).sum();
            println!(
                "{men:<8} {name:<10} {proved:>6} {striven:>9} {:>14}",
                format!("{positions} ({})", both.len())
            );
        }
    }
}

fn main() {
    let limit = std::env::args().filter_map(|a| a.parse().ok()).next().unwrap_or(200_000);
    let tables = Arc::new(Tables::in_memory());
    let endgames = endgames();
    let mut kinds: BTreeMap<&str, Vec<[Run; 5]>> = BTreeMap::new();
    for (kind, board) in &endgames {
        let runs = MODES.map(|(_, men, near)| attempt(board, (men, near), limit, &tables));
        kinds.entry(kind).or_default().push(runs);
        kinds.entry("all").or_default().push(runs);
    }
    println!(
        "{:<8} {:>3}  proved by {}",
        "kind",
        "",
        MODES.map(|m| format!("{:>7}", m.0)).join("")
    );
    for (kind, list) in &kinds {
        let proved = |mode: usize| list.iter().filter(|runs| runs[mode].is_some()).count();
        println!(
            "{kind:<8} {:>3}            {}",
            list.len(),
            [0, 1, 2, 3, 4].map(|m| format!("{:>7}", proved(m))).join("")
        );
    }
    println!(
        "\n{:<8} {:<14} {:>4} {:>22} {:>6} {:>15}",
        "kind", "pair", "both", "positions", "ratio", "plies"
    );
    for (kind, list) in &kinds {
        for (a, b) in PAIRS {
            let both: Vec<_> = list.iter().filter_map(|runs| Some((runs[a]?, runs[b]?))).collect();
            let sum = |of: fn(&(Cost, Cost)) -> u64| both.iter().map(of).sum::<u64>();
            let (pa, pb) = (sum(|r| r.0.0), sum(|r| r.1.0));
            let plies = format!("{} {}", sum(|r| r.0.1), sum(|r| r.1.1));
            let pair = format!("{} {}", MODES[a].0, MODES[b].0);
            let ratio = pb as f64 / (pa as f64).max(1.0);
            println!(
                "{kind:<8} {pair:<14} {:>4} {:>22} {ratio:>6.2} {plies:>15}",
                both.len(),
                format!("{pa} {pb}")
            );
        }
    }
    chains(&endgames, limit, &tables);
}
