//! Whatever is in the table of bounds is true of the position, however the search came there and
//! whatever it forgot.

use super::answer::Options;
use super::bounds::{Bounds, Known, NEVER};
use super::crew::Threads;
use super::learned::Learned;
use super::node::Node;
use super::prospect::Style;
use super::pursuit::Pursuit;
use super::solve::{solve, solve_with};
use super::task::{Aside, AsideTurn, no_probe};
use crate::chess::board::Board;
use crate::chess::{Side, Value};
use crate::limits::{Budget, Limits, StopReason};
use crate::tables::{Material, Tables};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Plies to mate by a side, if it can force mate.
fn distance(truth: Value, attacker: Side) -> Option<u16> {
    truth.won_by(attacker).map(|plies| plies as u16)
}

/// Checks every entry about a position; how many there are.
fn check_entries(bounds: &Bounds, board: &Board, truth: Value) -> u64 {
    let mut found = 0;
    for attacker in Side::ALL {
        // Of a game with fewer moves only what is won is true of all.
        for most in 0..3 {
            let key = Node::attacked_by(board, attacker, Style::Sharp, Some(most)).key;
            if let Some(known) = bounds.get(key).filter(|known| known.upper != NEVER) {
                let plies = distance(truth, attacker).expect("a win");
                assert!(known.upper >= plies, "{board:?} {truth:?} {known:?}");
                found += 1;
            }
        }
        for style in [Style::Sharp, Style::Threats, Style::Material] {
            let Some(known) = bounds.get(Node::attacked_by(board, attacker, style, None).key)
            else {
                continue;
            };
            found += 1;
            match distance(truth, attacker) {
                Some(plies) => assert!(
                    (known.lower..=known.upper).contains(&plies),
                    "{board:?} {truth:?} {known:?}"
                ),
                None => assert_eq!(known.upper, NEVER, "{board:?} {truth:?} {known:?}"),
            }
        }
    }
    found
}

/// Searches from random positions into one table of bounds, then holds all of it against the
/// material's table.
fn all_bounds_are_true(
    material: Material,
    roots: usize,
    positions: u64,
    bytes: u64,
    threads: usize,
) -> u64 {
    let tables = Tables::in_memory();
    let mut bounds = Bounds::new(bytes);
    let threads = Threads::new(threads);
    let options = Options { shorten: Duration::MAX, threads, ..Options::default() };
    for root in Tables::sample(material, 3).take(roots) {
        let budget = Budget::new(Limits::default().with_positions(positions).with_threads(1));
        solve_with(&mut bounds, &root, &options, &no_probe, &budget);
    }
    let found = AtomicU64::new(0);
    for m in material.closure() {
        let each = |board: &Board, truth: Value| {
            found.fetch_add(check_entries(&bounds, board, truth), Ordering::Relaxed);
        };
        tables.visit(m, &Budget::default(), each).unwrap();
    }
    found.into_inner()
}

#[test]
fn every_bound_of_three_men_is_true() {
    for (material, bytes) in
        [("KRvK", 1 << 20), ("KQvK", 1 << 16), ("KPvK", 1 << 20), ("KPvK", 1 << 16)]
    {
        for threads in [1, 3] {
            let found = all_bounds_are_true(material.parse().unwrap(), 12, 10_000, bytes, threads);
            assert!(found > 300, "{material}: {found}");
        }
    }
}

#[test]
fn a_win_is_as_long_as_its_strategy() {
    // Mates in 6 and 7 as they are found first, before they are made shorter.
    for fen in ["8/4p3/1N2N3/8/5K2/2pk1P2/2prrpP1/2BbbB2 w - -", "6qk/8/4PK2/5pQ1/8/8/6p1/8 w - -"]
    {
        let root = Board::from_fen(fen).unwrap();
        let budget = Budget::new(Limits::default().with_positions(600_000));
        let options = Options { shorten: Duration::ZERO, holds: [false; 2], ..Options::default() };
        let win = solve(&root, &options, &no_probe, &budget).win.expect(fen);
        let (_, plies) = win.strategy(&root, &no_probe, &Budget::default()).expect("a strategy");
        assert_eq!(u32::from(win.plies), plies, "{fen}");
    }
}

#[test]
fn threads_find_the_length_that_one_finds() {
    // Mates in 6 and 7, longer than what one thread looks for by itself.
    for (fen, plies) in [
        ("8/4p3/1N2N3/8/5K2/2pk1P2/2prrpP1/2BbbB2 w - -", 11),
        ("6qk/8/4PK2/5pQ1/8/8/6p1/8 w - -", 13),
    ] {
        let root = Board::from_fen(fen).unwrap();
        let found = [1, 4].map(|threads| {
            // Threads go two ways: each has as many as one has alone.
            let most = 600_000 * threads as u64;
            let budget = Budget::new(Limits::default().with_positions(most));
            let options = Options {
                shorten: Duration::MAX,
                holds: [false; 2],
                threads: Threads::new(threads),
                ..Options::default()
            };
            let outcome = solve(&root, &options, &no_probe, &budget);
            // Each thread draws 1024 positions at a time, and one may draw when the rest is used.
            assert!(outcome.positions < most + 2 * 1024 * 4, "{}", outcome.positions);
            outcome.win.map(|win| (win.plies, win.shortest))
        });
        assert_eq!(found[0], found[1], "{fen}");
        assert_eq!(found[0], Some((plies, true)), "{fen}");
    }
}

#[test]
fn threads_stop_when_they_are_told_to() {
    let root = Board::from_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -").unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let budget = Budget::default().with_interrupt(Arc::clone(&stop));
    let options = Options { threads: Threads::new(3), ..Options::default() };
    let outcome = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(100));
            stop.store(true, Ordering::Relaxed);
        });
        solve(&root, &options, &no_probe, &budget)
    });
    assert_eq!(outcome.stop, Some(StopReason::Interrupted));
    assert!(outcome.win.is_none());
}

#[test]
#[ignore = "all entries of searches in seven four-man endgames, minutes"]
fn every_bound_of_four_men_is_true() {
    for material in ["KRvKN", "KQvKR", "KBNvK", "KPvKP", "KPPvK", "KRvKP", "KNvKP"] {
        for bytes in [1 << 16, 1 << 26] {
            let found = all_bounds_are_true(material.parse().unwrap(), 60, 200_000, bytes, 1);
            assert!(found > 300, "{material}: {found}");
        }
    }
}

/// A method that has found a win of White's in so many plies, and no shorter one.
#[derive(Debug)]
struct Winner(u16);

impl Aside for Winner {
    fn turn(&self, _: u64, _: usize, _: &Budget) -> AsideTurn {
        AsideTurn { visited: 0, open: false }
    }

    fn has_decided(&self) -> bool {
        true
    }

    fn won(&self) -> Option<(Side, u16)> {
        Some((Side::White, self.0))
    }

    fn shorten(&self, side: Side, plies: u16, _: u64, _: usize, _: &Budget) -> AsideTurn {
        assert!(side == Side::White && plies <= self.0);
        AsideTurn { visited: 0, open: false }
    }

    fn holds(&self) -> [bool; 2] {
        [false; 2]
    }
}

#[test]
fn a_win_of_another_method_is_made_shorter_or_proved_the_shortest() {
    // A mate in five plies.
    let root = Board::from_fen("7k/8/8/8/8/8/R7/1R3K2 b - -").unwrap();
    let budget = Budget::new(Limits::default().with_positions(400_000).with_threads(1));
    let truth = solve(&root, &Options::default(), &no_probe, &budget).win.expect("a win");
    assert!(truth.shortest);
    for longer in [40, 2, 0] {
        let plies = truth.plies + longer;
        let aside = Some(Arc::new(Winner(plies)) as Arc<dyn Aside>);
        let options = Options { wins: [true; 2], aside, ..Options::default() };
        let outcome = solve(&root, &options, &no_probe, &budget);
        assert_eq!(outcome.at_least[Side::White as usize], truth.plies, "{longer}");
        let shorter = outcome.win.map(|win| win.plies);
        assert_eq!(shorter, (longer > 0).then_some(truth.plies), "{longer}");
    }
}

/// A mate in six ("mt-049" of positions/mates.epd).
const SIX: &str = "8/4p3/1N2N3/8/5K2/2pk1P2/2prrpP1/2BbbB2 w - -";

/// Along the plan of a mate each position is won as if it stood alone, at a fraction of the cost.
#[test]
fn what_is_learned_of_one_position_serves_the_next() {
    let shorten = Duration::from_secs(60);
    let alone = Options { table_bytes: 1 << 24, shorten, brief: true, ..Options::default() };
    let kept = Options { learned: Some(Learned::default()), ..alone.clone() };
    let budget = Budget::new(Limits::default().with_positions(2_000_000).with_threads(1));
    let ask = |board: &Board, options: &Options| {
        Pursuit::new(options, &budget).solve(board, options, &no_probe, &budget)
    };
    let mut board = Board::from_fen(SIX).unwrap();
    let (mut afresh, mut learned) = (0, 0);
    for ply in 0..6 {
        let [one, two] = [ask(&board, &alone), ask(&board, &kept)];
        let [fresh, known] = [&one, &two].map(|outcome| outcome.win.as_ref().expect("a win"));
        assert_eq!(fresh.side, known.side, "ply {ply}");
        if ply > 0 {
            (afresh, learned) = (afresh + one.positions, learned + two.positions);
        }
        let mut file = Vec::new();
        let strategy = known.strategy(&board, &no_probe, &budget).unwrap();
        let certificate = crate::certificate::Certificate::of_win(strategy.0, strategy.1);
        certificate.write(&mut file).unwrap();
        assert!(crate::verify::verify(&file[..], &mut |_| true).unwrap().is_some(), "ply {ply}");
        let play = known.plan.own_play(&board).and_then(|play| board.find(play));
        let reply = board.legal_moves().first().copied();
        let Some(legal) = play.or(reply) else { break };
        board.play(legal);
    }
    assert!(4 * learned < afresh, "{learned} with what was learned, {afresh} without");
}

#[test]
fn a_table_that_does_not_fit_or_is_full_is_not_taken_again() {
    let learned = Learned::default();
    assert!(learned.take(1 << 16).is_none());
    learned.keep(Bounds::new(1 << 16));
    assert!(learned.take(1 << 20).is_none(), "a larger one is to be had");
    learned.keep(Bounds::new(1 << 20));
    assert!(learned.take(1 << 16).is_none(), "memory is limited");
    let mut bounds = Bounds::new(1 << 16);
    assert_eq!(bounds.filled(), 0.0);
    learned.keep(bounds.shared());
    assert!(learned.take(1 << 16).is_some());
    for key in 0..4096_u64 {
        bounds.put(
            key.wrapping_mul(0x9e37_79b9_7f4a_7c15),
            Known { lower: 1, ..Known::NOTHING },
            1,
        );
    }
    assert!(bounds.filled() > 0.5, "{}", bounds.filled());
    learned.keep(bounds);
    assert!(learned.take(1 << 16).is_none(), "full");
}

/// A part that ends at once, of a minute: whether a mate that takes longer is found.
fn is_won_in_no_time(while_near: bool) -> bool {
    let root =
        Board::from_fen("2R1n1qr/5p2/3P1b2/3pp1pn/5p1N/5P2/2R2K2/3k4 w - -").expect("a mate in 15");
    let budget = Budget::new(Limits::default().with_threads(1)).part(Duration::from_secs(60));
    let near = while_near.then(|| budget.clone());
    let brief = Duration::from_millis(10);
    let options = Options { near, shorten: Duration::ZERO, ..Options::default() };
    let outcome = solve(&root, &options, &no_probe, &budget.part(brief));
    assert!(while_near || outcome.stop == Some(StopReason::Time));
    outcome.win.is_some()
}

#[test]
fn a_search_goes_on_for_longer_while_a_mate_seems_near() {
    assert!(!is_won_in_no_time(false));
    assert!(is_won_in_no_time(true));
}
