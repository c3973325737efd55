//! A rule put to every legal position of its material.

use crate::chess::Value;
use crate::limits::Budget;
use crate::tables::{Placement, TableError, Tables};

use super::{Rule, Scene};

/// A position in which a rule applies and is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counterexample {
    /// The position.
    pub placement: Placement,
    /// Its value.
    pub value: Value,
}

/// What came of a rule on every legal position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Check {
    /// The legal positions of the material, all symmetric images and en-passant marks counted.
    pub legal: u64,
    /// Those in which the rule applies.
    pub applies: u64,
    /// Those in which it applies and is wrong.
    pub wrong: u64,
    /// The longest mate among the positions in which it applies, in plies.
    pub longest: u32,
    /// The first of its counter-examples in the order of the table, as many as were asked for.
    pub counterexamples: Vec<Counterexample>,
}

impl Check {
    /// Proved: it applies somewhere and is never wrong.
    pub fn is_proved(&self) -> bool {
        self.applies > 0 && self.wrong == 0
    }

    fn join(mut self, other: Self, keep: usize) -> Self {
        self.legal += other.legal;
        self.applies += other.applies;
        self.wrong += other.wrong;
        self.longest = self.longest.max(other.longest);
        let room = keep.saturating_sub(self.counterexamples.len());
        self.counterexamples.extend(other.counterexamples.into_iter().take(room));
        self
    }
}

/// Puts a rule to every legal position of its material and keeps at most `keep` counter-examples.
/// About 50 ns a position and core; 16 bytes a counter-example kept.
///
/// # Errors
/// As [`Tables::ensure`].
pub fn check(
    tables: &Tables,
    rule: &Rule,
    keep: usize,
    budget: &Budget,
) -> Result<Check, TableError> {
    let checked = check_all(tables, &[rule], keep, budget)?;
    Ok(checked.into_iter().next().unwrap_or_default())
}

/// As [`check`], for rules about one material in one walk over its positions.
///
/// # Errors
/// As [`Tables::ensure`].
pub(super) fn check_all(
    tables: &Tables,
    rules: &[&Rule],
    keep: usize,
    budget: &Budget,
) -> Result<Vec<Check>, TableError> {
    let Some(first) = rules.first() else { return Ok(Vec::new()) };
    let scene = Scene::new(first.material);
    let add = |sums: &mut Vec<Check>, placement: &Placement, value: Value| {
        for (sum, rule) in sums.iter_mut().zip(rules) {
            sum.legal += 1;
            if !rule.applies(&scene, placement) {
                continue;
            }
            sum.applies += 1;
            if let Some(plies) = value.plies() {
                sum.longest = sum.longest.max(plies);
            }
            if !rule.conclusion.is_true(placement.to_move, value.outcome()) {
                sum.wrong += 1;
                if sum.counterexamples.len() < keep {
                    sum.counterexamples.push(Counterexample { placement: *placement, value });
                }
            }
        }
    };
    let none = || vec![Check::default(); rules.len()];
    let join =
        |a: Vec<Check>, b: Vec<Check>| a.into_iter().zip(b).map(|(a, b)| a.join(b, keep)).collect();
    tables.fold(first.material, budget, none, add, join)
}
