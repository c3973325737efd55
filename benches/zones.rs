//! What Botvinnik's zones are worth to the proof search: the same aims proved with the attacker
//! limited to its zones (`only`), zones first and all moves at last (`first`), and all moves at
//! once (`off`). `cargo bench --bench zones [-- POSITIONS]`: positions that may be visited for each
//! aim (default 200,000). Every proof is counted only after its certificate has been built over all
//! replies. Sums are over the aims that all three prove.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use theta_chess::aim::Goal;
use theta_chess::chess::Board;
use theta_chess::limits::Limits;
use theta_chess::pioneer::aims;
use theta_chess::pioneer::play::balance;
use theta_chess::solve::{Options, Solver, Zones};
use theta_chess::tables::Tables;

/// What is to be proved of every position of a collection.
enum Aims {
    /// The side to move mates; tables of so many men count.
    Mate(usize),
    /// The side to move wins so much material that the next recapture does not take back.
    Gain(i32),
}

const MODES: [(Zones, &str); 3] =
    [(Zones::Only, "only"), (Zones::First, "first"), (Zones::Off, "off")];

fn positions(file: &str) -> Vec<Board> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("positions").join(file);
    let text = std::fs::read_to_string(path).expect("the collection is in positions/");
    let lines = text.lines().filter(|l| !l.starts_with('#') && !l.trim().is_empty());
    let fen = |line: &str| line.split_whitespace().take(4).collect::<Vec<_>>().join(" ");
    lines.map(|line| Board::from_fen(&fen(line)).expect("a legal position")).collect()
}

fn goal(board: &Board, wanted: &Aims) -> Goal {
    let us = board.side_to_move();
    match wanted {
        Aims::Mate(_) => aims::mate(us),
        Aims::Gain(gain) => aims::ahead(us, balance(board, us) + gain),
    }
}

/// Positions visited and seconds, if the aim was proved.
fn attempt(
    board: &Board,
    aims: &Aims,
    zones: Zones,
    limit: u64,
    tables: &Arc<Tables>,
) -> (bool, u64, f64) {
    let limits = Limits::default().with_positions(limit).with_threads(1);
    let table_men = match aims {
        Aims::Mate(men) => *men,
        Aims::Gain(_) => 3,
    };
    let options = Options::default().with_zones(zones).with_table_men(table_men);
    let solver = Solver::new(Arc::clone(tables)).with_options(options);
    let (root, goal) = (theta_chess::Position::from(board), goal(board, aims));
    let start = Instant::now();
    let proof = solver.prove_aim(&root, root.side_to_move(), &goal, limits);
    let proof = proof.expect("the laws of chess");
    (proof.certificate().is_ok(), proof.positions(), start.elapsed().as_secs_f64())
}

fn main() {
    let limit = std::env::args().filter_map(|a| a.parse().ok()).next().unwrap_or(200_000);
    let tables = Arc::new(Tables::in_memory());
    println!(
        "{:<22} {:>5} {:<6} {:>6} {:>12} {:>9}",
        "collection", "aims", "zones", "proved", "positions", "seconds"
    );
    for (name, file, aims) in [
        ("mates", "mates.epd", Aims::Mate(2)),
        ("tactics, 2 pawns", "tactics.epd", Aims::Gain(2)),
        ("endgames, tables of 3", "endgames_dm.epd", Aims::Mate(3)),
    ] {
        let boards = positions(file);
        let runs: Vec<Vec<_>> = MODES
            .iter()
            .map(|(zones, _)| {
                boards.iter().map(|b| attempt(b, &aims, *zones, limit, &tables)).collect()
            })
            .collect();
        let by_all = |i: &usize| runs.iter().all(|run| run[*i].0);
        let common: Vec<usize> = (0..boards.len()).filter(by_all).collect();
        for ((_, mode), run) in MODES.iter().zip(&runs) {
            let proved = run.iter().filter(|r| r.0).count();
            let visited: u64 = common.iter().map(|&i| run[i].1).sum();
            let seconds: f64 = common.iter().map(|&i| run[i].2).sum();
            println!(
                "{name:<22} {:>5} {mode:<6} {proved:>6} {visited:>12} {seconds:>9.2}",
                boards.len()
            );
        }
    }
}
