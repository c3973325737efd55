//! Which guesses win how many mates alone.

use std::collections::BTreeMap;
use theta_chess::guess::{Hunt, Spell};
use theta_chess::limits::{Budget, Limits};

use crate::corpus::Problem;

/// What one guess has won: mates, those no longer than stated, those that no other wins, and positions listed
/// in all.
#[derive(Default)]
struct Alone {
    asked: usize,
    won: usize,
    stated: usize,
    only: usize,
    listed: u64,
}

/// Every guess that is tried first, alone, on mates, for about what listing so many positions costs.
pub fn table(problems: &[Problem], positions: u64) {
    let mut table: BTreeMap<&str, Alone> = BTreeMap::new();
    let mut by_any = 0;
    for problem in problems {
        let root = problem.board();
        let mut winners = Vec::new();
        for (name, hunt) in Hunt::alone(&root, root.side_to_move()) {
            let budget = Budget::new(Limits::default().with_memory(1 << 30).with_threads(1));
            let spell = hunt.work(positions, 1, &budget);
            let row = table.entry(name).or_default();
            row.asked += 1;
            row.listed += hunt.listed();
            if let Spell::Won(plan) = spell {
                let moves = problem.moves.expect("a mate of so many moves");
                row.won += 1;
                row.stated += usize::from(plan.plies() < 2 * moves);
                winners.push(name);
            }
        }
        by_any += usize::from(!winners.is_empty());
        if let [only] = winners[..] {
            table.get_mut(only).expect("it was asked").only += 1;
        }
    }
    println!("\nrestrictions alone, {positions} positions for each of {} mates", problems.len());
    let [asked, won, stated, only, listed] = ["asked", "won", "stated", "only it", "listed"];
    println!("{:<56} {asked:>5} {won:>4} {stated:>7} {only:>8} {listed:>10}", "renounced");
    let mut rows: Vec<_> = table.into_iter().collect();
    rows.sort_by_key(|(_, row)| std::cmp::Reverse(row.won));
    for (name, Alone { asked, won, stated, only, listed }) in rows {
        println!("{name:<56} {asked:>5} {won:>4} {stated:>7} {only:>8} {listed:>10}");
    }
    println!("{:<56} {:>5} {by_any:>4}", "any of them", problems.len());
}
