//! Whatever is in the table of bounds is true of the position, however the search came there and
//! whatever it forgot.

use super::answer::Options;
use super::bounds::{Bounds, NEVER};
use super::node::Node;
use super::prospect::Style;
use super::solve::solve_with;
use super::task::no_probe;
use crate::chess::board::Board;
use crate::chess::{Side, Value};
use crate::limits::{Budget, Limits};
use crate::tables::{Material, Tables};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Plies to mate by a side, if it can force mate.
fn distance(truth: Value, attacker: Side) -> Option<u16> {
    truth.won_by(attacker).map(|plies| plies as u16)
}

/// Checks every entry about a position; how many there are.
fn check_entries(bounds: &Bounds, board: &Board, truth: Value) -> u64 {
    let mut found = 0;
    for attacker in Side::ALL {
        for style in [Style::Sharp, Style::Material] {
            let Some(known) = bounds.get(Node::attacked_by(board, attacker, style).key) else {
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
fn all_bounds_are_true(material: Material, roots: usize, positions: u64, bytes: u64) -> u64 {
    let tables = Tables::in_memory();
    let mut bounds = Bounds::new(bytes);
    let options = Options { shorten: Duration::MAX, ..Options::default() };
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
        let found = all_bounds_are_true(material.parse().unwrap(), 12, 10_000, bytes);
        assert!(found > 300, "{material}: {found}");
    }
}

#[test]
#[ignore = "all entries of searches in seven four-man endgames, minutes"]
fn every_bound_of_four_men_is_true() {
    for material in ["KRvKN", "KQvKR", "KBNvK", "KPvKP", "KPPvK", "KRvKP", "KNvKP"] {
        for bytes in [1 << 16, 1 << 26] {
            let found = all_bounds_are_true(material.parse().unwrap(), 60, 200_000, bytes);
            assert!(found > 300, "{material}: {found}");
        }
    }
}
