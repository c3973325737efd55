//! Lines that end before mate, where a proved rule says of a position what the owner wants.
//!
//! A strategy knows nothing of how rules are proved: it is given those that are, and cites the text
//! of each that ended a line. Whoever checks a certificate proves the cited rules again.
//!
//! # References
//! A. D. Yudin, *The endgame library of the program PIONEER*, §3.19–3.20 (docs/theory.md §14):
//! rules that cut lines.

use crate::certificate::{Answer, Strategy};
use crate::chess::{Board, Packed, Side, cannot_be_mated};
use std::collections::BTreeSet;

/// A line that a rule ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End {
    /// The rule's number.
    pub rule: u32,
    /// Plies to mate at most, by the longest mate among all positions of the rule; 0 where it is a
    /// hold.
    pub plies: u32,
}

/// Proved rules.
pub trait Rules: std::fmt::Debug + Send + Sync {
    /// Whether a rule says that the owner wins (`wins`), or else that it is never mated. What is
    /// said of a position is said of its images under [`Turn`](crate::chess::Turn).
    fn end(&self, p: &Packed, owner: Side, wins: bool) -> Option<End>;

    /// The text of a rule, whole and in one line that begins with the word `rule`.
    fn text(&self, rule: u32) -> String;
}

/// The texts of the rules of these numbers.
pub(crate) fn texts(rules: Option<&dyn Rules>, numbers: &BTreeSet<u32>) -> Vec<String> {
    rules.map_or_else(Vec::new, |rules| numbers.iter().map(|&rule| rules.text(rule)).collect())
}

/// The rules that a holding strategy needs.
pub(crate) fn needed(strategy: &Strategy, rules: &dyn Rules) -> BTreeSet<u32> {
    let owner = strategy.owner();
    let root = Board::of_legal(&Packed::from(strategy.root()));
    let mut found = BTreeSet::new();
    // Whether the line goes on, a rule that ends it being noted.
    let mut open = |board: &Board| match rules.end(&board.packed(), owner, false) {
        Some(end) => {
            found.insert(end.rule);
            false
        }
        None => true,
    };
    let moved = |(p, answer): (Packed, Answer)| {
        let board = Board::of_legal(&p);
        Some(board.after(board.find(answer.play?)?))
    };
    let first = (open(&root) && root.side_to_move() != owner).then_some(root);
    for next in strategy.iter().filter_map(moved).chain(first) {
        if !cannot_be_mated(&next.vector(), owner) && open(&next) {
            next.successors().for_each(|reply| {
                open(&reply);
            });
        }
    }
    found
}
