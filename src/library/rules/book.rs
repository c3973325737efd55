//! Rules that are proved, ready to end lines of searches, trees and certificates.

use crate::chess::board::Board;
use crate::chess::{Packed, Side, Turn};
use crate::limits::Budget;
use crate::strategy::{End, Rules};
use crate::tables::{Material, Placement, TableError, Tables};

use super::kept::Kept;
use super::{Check, Rule, Scene, check};
use std::path::Path;

/// A rule that holds without exception.
#[derive(Debug, Clone)]
struct Proved {
    scene: Scene,
    rule: Rule,
    /// The longest mate among its positions.
    longest: u32,
}

/// Proved rules. Nothing enters that was not put to every legal position of its material.
#[derive(Debug, Clone, Default)]
pub struct RuleBook {
    rules: Vec<Proved>,
    /// Bit n: some rule is about n men.
    men: u64,
}

impl RuleBook {
    /// Proves rules against the tables; the names of those that fail, or never apply, are returned
    /// too.
    ///
    /// # Errors
    /// As [`Tables::ensure`].
    pub fn prove(
        tables: &Tables,
        rules: &[Rule],
        budget: &Budget,
    ) -> Result<(Self, Vec<String>), TableError> {
        Self::prove_by(rules, |rule| check(tables, rule, 0, budget))
    }

    /// As [`RuleBook::prove`]; what an earlier run has found out is read from below a cache
    /// directory, and what is found out now is kept there.
    ///
    /// # Errors
    /// As [`Tables::ensure`].
    pub fn prove_or_recall(
        cache: Option<&Path>,
        tables: &Tables,
        rules: &[Rule],
        budget: &Budget,
    ) -> Result<(Self, Vec<String>), TableError> {
        let Some(kept) = cache.map(Kept::below) else { return Self::prove(tables, rules, budget) };
        Self::prove_by(rules, |rule| match kept.recall(rule) {
            Some(known) => Ok(known),
            None => {
                let found = check(tables, rule, 0, budget)?;
                kept.keep(rule, &found);
                Ok(found)
            }
        })
    }

    fn prove_by<E>(
        rules: &[Rule],
        mut check: impl FnMut(&Rule) -> Result<Check, E>,
    ) -> Result<(Self, Vec<String>), E> {
        let (mut book, mut failed) = (Self::default(), Vec::new());
        for rule in rules {
            let check = check(rule)?;
            if check.is_proved() {
                book.men |= 1 << rule.material.men();
                let scene = Scene::new(rule.material);
                book.rules.push(Proved { scene, rule: rule.clone(), longest: check.longest });
            } else {
                failed.push(rule.name.clone());
            }
        }
        Ok((book, failed))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The rules about a material.
    pub fn about(&self, material: Material) -> impl Iterator<Item = (&Scene, &Rule)> {
        self.rules.iter().filter(move |p| p.rule.material == material).map(|p| (&p.scene, &p.rule))
    }

    /// The rule that says it of this very image, with the shortest bound.
    fn end_of(&self, board: &Board, owner: Side, wins: bool) -> Option<End> {
        let mover = board.side_to_move();
        let said = Placement::views(board).flat_map(|(material, placement, mirrored)| {
            let white = if mirrored { Side::Black } else { Side::White };
            let says = move |p: &&Proved| {
                p.rule.material == material
                    && p.rule.conclusion.settles(white, mover, owner, wins) == Some(true)
                    && p.rule.applies(&p.scene, &placement)
            };
            let numbered = |(number, p): (usize, &Proved)| End {
                rule: number as u32,
                plies: if wins { p.longest } else { 0 },
            };
            self.rules.iter().enumerate().filter(move |(_, p)| says(p)).map(numbered)
        });
        said.min_by_key(|end| end.plies)
    }
}

impl Rules for RuleBook {
    /// About 0.5 µs for a position of a rule's number of men, 2 ns for others.
    fn end(&self, p: &Packed, owner: Side, wins: bool) -> Option<End> {
        if self.men >> p.len() & 1 == 0 {
            return None;
        }
        Turn::allowed(p)
            .find_map(|turn| self.end_of(&Board::of_legal(&turn.position(p)), owner, wins))
    }

    fn text(&self, rule: u32) -> String {
        let text = self.rules[rule as usize].rule.to_string();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}
