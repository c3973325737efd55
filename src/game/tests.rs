//! The two forms of Leg(y⁰) against each other: the same positions, the same moves, the same value
//! and rank everywhere.

use super::king_rows::KingRows;
use super::{Compact, Game, Graph, Literal, Values};
use crate::chess::Value;
use crate::chess::{Board, Packed, Profile, Vector, parse_fen};
use crate::limits::{Budget, Limits, StopReason};
use pretty_assertions::assert_eq;

fn fide(fen: &str) -> Vector {
    parse_fen(fen, Profile::Fide).unwrap()
}

/// Blocked pawns with other men, and finished games: the FENs of `positions/theta_corpus.tsv`.
fn corpus() -> impl Iterator<Item = &'static str> {
    let rows = include_str!("../../positions/theta_corpus.tsv")
        .lines()
        .filter(|line| !line.starts_with('#'));
    rows.skip(1).map(|row| row.split('\t').next().unwrap())
}

/// Moves, counted, and values of every position of `compact`, which `game` has too.
fn assert_alike(game: &Game, compact: &Compact, name: &str) {
    let (stored, made) = (Values::of(game), Values::of(compact));
    let numbers: Vec<Option<u32>> =
        (0..game.len()).map(|id| compact.find(&game.position(id))).collect();
    assert_eq!(numbers.iter().flatten().count(), compact.positions() as usize, "{name}");
    let mut before = vec![Vec::new(); compact.positions() as usize];
    for (id, number) in (0..).zip(&numbers) {
        let Some(number) = *number else { continue };
        let p = game.position(id);
        assert_eq!(made.value(number), stored.value(id), "{name}: {p:?}");
        assert_eq!(usize::from(compact.degree(number)), game.successors(id).len(), "{name}: {p:?}");
        let within = game.successors(id).iter().filter_map(|&next| numbers[next as usize]);
        within.for_each(|next| before[next as usize].push(number));
    }
    for (target, expected) in (0..).zip(&mut before) {
        let mut found = Vec::new();
        compact.for_each_predecessor(&[target], &mut |id| found.push(id));
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(&found, expected, "{name}: before {target}");
    }
}

fn whole(fen: &str) {
    let game = Game::explore(&fide(fen), Profile::Fide, &Budget::default()).unwrap();
    let compact = Compact::explore(&fide(fen), &Budget::default()).unwrap();
    assert_eq!(compact.positions(), game.len(), "{fen}");
    assert_alike(&game, &compact, fen);
    let (stored, made, root) = (Values::of(&game), Values::of(&compact), compact.root());
    assert_eq!(root, compact.find(&game.position(0)).unwrap());
    assert_eq!(Literal::of(&compact, &made, root), Literal::of(&game, &stored, 0), "{fen}");
}

/// The positions at most `plies` plies from a root; a move out of them counts as one into a draw.
fn cut(fen: &str, plies: usize) {
    let root = Packed::from(&fide(fen));
    let mut rows = KingRows::new(root.len());
    let mut level = vec![root];
    for ply in 0..=plies {
        let mut next = Vec::new();
        for p in std::mem::take(&mut level) {
            rows.insert(&p);
            let board = Board::of_legal(&p);
            if ply < plies {
                next.extend(board.legal_moves().into_iter().map(|m| board.after(m).packed()));
            }
        }
        next.sort_unstable();
        next.dedup();
        level = next;
    }
    rows.number();
    let outside = |p: &Packed| rows.find(p).is_none().then_some(Value::Draw);
    let game = Game::explore_to(&fide(fen), Profile::Fide, &Budget::default(), &outside).unwrap();
    let compact = Compact::numbered(rows, &root, &Budget::default()).unwrap();
    assert_alike(&game, &compact, fen);
}

#[test]
fn the_corpus_with_moves_stored_and_made() {
    assert_eq!(corpus().map(whole).count(), 216);
}

/// Castling with both sides' rights, en passant, promotions with and without capture, pins, mates.
#[test]
fn the_first_plies_of_rich_positions() {
    for (fen, plies) in [
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -", 2),
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq -", 3),
        ("8/8/8/1k1p4/1pPP4/1P6/8/1K6 b - c3", 7),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -", 4),
        ("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - -", 2),
        ("7k/5K2/8/6R1/8/8/8/8 w - -", 7),
    ] {
        cut(fen, plies);
    }
}

#[test]
#[ignore = "up to three million positions, two minutes"]
fn endgames_with_moves_stored_and_made() {
    for fen in
        ["8/8/8/8/8/1k6/7R/K7 b - -", "4k3/8/8/8/8/8/8/4K2R w K -", "8/8/8/8/8/5k1p/7P/7K w - -"]
    {
        whole(fen);
    }
}

#[test]
fn limits_end_the_listing_and_the_fixpoints() {
    let root = fide("8/8/8/8/8/1k6/7R/K7 b - -");
    let limits = |positions, memory| {
        let mut limits = Limits::default();
        (limits.positions, limits.memory) = (positions, memory);
        Budget::new(limits)
    };
    let reason = |budget: &Budget| Compact::explore(&root, budget).unwrap_err().reason;
    assert_eq!(reason(&limits(Some(1000), None)), StopReason::Positions);
    assert_eq!(reason(&limits(None, Some(1 << 16))), StopReason::Memory);
    let small = Compact::explore(&fide(corpus().last().unwrap()), &Budget::default()).unwrap();
    assert_eq!(Values::within(&small, &limits(None, Some(1))).unwrap_err(), StopReason::Memory);
}
