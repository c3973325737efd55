//! Every signature of up to five men: slices on demand are what the tables say.

use super::*;
use crate::tables::Material;
use pretty_assertions::assert_eq;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The men of the signatures of three to five men.
fn signatures() -> Vec<Vec<u8>> {
    let man = |(side, role)| code_of(Piece::new(side, role));
    let men = |material: Material| men_of(&material.list().map(man).collect::<Vec<_>>());
    (3..=5).flat_map(Material::all).map(men).collect()
}

#[test]
fn there_are_145_signatures() {
    assert_eq!(signatures().len(), 145);
}

/// What has been compared of a signature.
#[derive(Default)]
struct Compared {
    /// Roots that were asked about, and those that were decided.
    roots: u64,
    decided: u64,
    /// More positions of the roots' slices that turned out to be decided.
    beside: u64,
}

/// Random roots of a signature, either side to move and up; some slices have several of them.
fn compare(men: &[u8], roots: u64, tables: &Tables, random: &mut Random) -> Compared {
    let officers = men.iter().filter(|&&man| ![K, 0].contains(&(man % 6))).count();
    // Of slices with several officers, which are large, a few are solved.
    let of_slice = [1, 2, 6, roots][officers];
    let limit = Duration::from_secs(if officers > 2 { 120 } else { 10 });
    let (mut analysis, mut found) = (Analysis::new(), Compared::default());
    while found.roots < roots {
        let first = random.board(men);
        for number in 0..of_slice {
            let root = if number == 0 { first.clone() } else { moved(&first, random) };
            let budget = Budget::new(Limits { time: Some(limit), ..Limits::default() });
            analysis.pursue(&root, &budget);
            found.roots += 1;
            found.decided += u64::from(agrees(&analysis, &root, tables));
        }
        for _ in 0..500 {
            found.beside += u64::from(agrees(&analysis, &moved(&first, random), tables));
        }
        if analysis.work().bytes > 1 << 30 {
            analysis = Analysis::new();
        }
    }
    found
}

/// The same pawns, all else elsewhere: legal, so never with a pawn that has just gone two squares.
fn moved(board: &Board, random: &mut Random) -> Board {
    loop {
        let mut p = Packed { occupied: 0, men: 0, state: random.below(2) as u16 };
        let men: Vec<(u8, u8)> = board.packed().each_man().collect();
        for &(square, man) in &men {
            let square = if man % 6 == 0 { square } else { random.below(64) as u8 };
            if p.occupied & bit(square) == 0 {
                p = p.with(square, man);
            }
        }
        if p.len() == men.len()
            && let Ok(board) = Board::from_packed(&p)
        {
            return board;
        }
    }
}

/// Whether a position is decided; then as the tables say.
fn agrees(analysis: &Analysis, board: &Board, tables: &Tables) -> bool {
    let Some(known) = analysis.known(board) else { return false };
    let value = tables.value(board, &Budget::default()).unwrap().expect("few men");
    assert_eq!(known, value.outcome(), "{}", crate::chess::fen(&board.vector()));
    true
}

/// `TABLES=DIR`, a cache directory in which `theta tables build 5` has stored the tables, spares their
/// solving.
#[test]
#[ignore = "10,000 roots of every signature of up to five men, 43 minutes in release with TABLES=DIR"]
fn slices_are_the_tables_on_every_signature() {
    let directory = std::env::var_os("TABLES").map(std::path::PathBuf::from);
    let tables = Tables::open(directory.as_deref()).unwrap();
    let [roots, decided, beside] = [const { AtomicU64::new(0) }; 3];
    let threads = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let started = std::time::Instant::now();
    let list = signatures();
    threads.install(|| {
        list.par_iter().with_max_len(1).enumerate().for_each(|(at, men)| {
            let mut random = Random(0x0e5c + 977 * at as u64);
            let found = compare(men, 70, &tables, &mut random);
            let name = Tables::material_of(&random.board(men)).expect("five men at most");
            println!(
                "{name}: {} of {} roots decided, {} beside, {:.0?}",
                found.decided,
                found.roots,
                found.beside,
                started.elapsed()
            );
            for (sum, more) in [&roots, &decided, &beside].into_iter().zip([
                found.roots,
                found.decided,
                found.beside,
            ]) {
                sum.fetch_add(more, Ordering::Relaxed);
            }
        });
    });
    let sums = [roots, decided, beside].map(AtomicU64::into_inner);
    println!("{} of {} roots decided, {} positions beside: all agree", sums[1], sums[0], sums[2]);
    assert!(sums[0] > 10_000 && sums[1] > sums[0] / 10 * 9, "{sums:?}");
}
