//! Rules that are proved, ready to end lines of searches, trees and certificates.

use crate::chess::board::Board;
use crate::chess::{Packed, Side, Turn};
use crate::limits::Budget;
use crate::strategy::{End, Rules};
use crate::tables::{Material, Placement, TableError, Tables};

use super::check::check_all;
use super::kept::Kept;
use super::{Rule, Scene, check};
use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// A rule that holds without exception, or that an earlier run found to hold.
#[derive(Debug, Clone)]
struct Proved {
    scene: Scene,
    rule: Rule,
    /// The longest mate among its positions, once it is proved; `None` if the proof failed.
    longest: OnceLock<Option<u32>>,
}

/// What a rule that was only recalled is proved with when it is used first.
#[derive(Debug, Clone)]
struct Prover {
    tables: Arc<Tables>,
    budget: Budget,
}

/// Proved rules. None says anything before it was put to every legal position of its material, by
/// this process.
#[derive(Debug, Clone, Default)]
pub struct RuleBook {
    rules: Vec<Proved>,
    prover: Option<Prover>,
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
        let mut proofs = HashMap::new();
        for rule in rules {
            if proofs.contains_key(&rule.material) {
                continue;
            }
            let alike: Vec<&Rule> = rules.iter().filter(|r| r.material == rule.material).collect();
            let found = check_all(tables, &alike, 0, budget)?;
            proofs.insert(rule.material, VecDeque::from(found));
        }
        let (mut book, mut failed) = (Self::default(), Vec::new());
        for rule in rules {
            let alike = proofs.get_mut(&rule.material);
            let found = alike.and_then(VecDeque::pop_front).unwrap_or_default();
            if found.is_proved() {
                book.add(rule, Some(found.longest));
            } else {
                failed.push(rule.name.clone());
            }
        }
        Ok((book, failed))
    }

    /// As [`RuleBook::prove`], with what earlier runs have found out and kept below a cache
    /// directory. What is kept is not believed: a rule that is said to fail is left out, and one that
    /// is said to hold is proved when it first has something to say.
    ///
    /// # Errors
    /// As [`Tables::ensure`].
    pub fn prove_or_recall(
        cache: Option<&Path>,
        tables: &Arc<Tables>,
        rules: &[Rule],
        budget: &Budget,
    ) -> Result<(Self, Vec<String>), TableError> {
        let Some(kept) = cache.map(Kept::below) else { return Self::prove(tables, rules, budget) };
        let prover = Prover { tables: Arc::clone(tables), budget: budget.clone() };
        let (mut book, mut failed) = (Self { prover: Some(prover), ..Self::default() }, Vec::new());
        for rule in rules {
            match kept.recall(rule) {
                Some(known) if known.is_proved() => book.add(rule, None),
                Some(_) => failed.push(rule.name.clone()),
                None => {
                    let found = check(tables, rule, 0, budget)?;
                    kept.keep(rule, &found);
                    if found.is_proved() {
                        book.add(rule, Some(found.longest));
                    } else {
                        failed.push(rule.name.clone());
                    }
                }
            }
        }
        Ok((book, failed))
    }

    /// Takes the proved rules of another book in as well.
    pub fn join(&mut self, other: &Self) {
        self.men |= other.men;
        self.rules.extend(other.rules.iter().cloned());
    }

    fn add(&mut self, rule: &Rule, longest: Option<u32>) {
        self.men |= 1 << rule.material.men();
        let proof = OnceLock::new();
        if longest.is_some() {
            proof.get_or_init(|| longest);
        }
        let scene = Scene::new(rule.material);
        self.rules.push(Proved { scene, rule: rule.clone(), longest: proof });
    }

    /// The longest mate among a rule's positions if it holds; it is proved now if it was not. About
    /// a second the first time, for four men.
    fn longest(&self, proved: &Proved) -> Option<u32> {
        *proved.longest.get_or_init(|| {
            let Prover { tables, budget } = self.prover.as_ref()?;
            let found = check(tables, &proved.rule, 0, budget).ok()?;
            found.is_proved().then_some(found.longest)
        })
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The rules about a material.
    pub fn about(&self, material: Material) -> impl Iterator<Item = (&Scene, &Rule)> {
        let of = move |p: &&Proved| p.rule.material == material && self.longest(p).is_some();
        self.rules.iter().filter(of).map(|p| (&p.scene, &p.rule))
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
            let ended = move |(number, p): (usize, &Proved)| {
                let longest = says(&p).then(|| self.longest(p))??;
                Some(End { rule: number as u32, plies: if wins { longest } else { 0 } })
            };
            self.rules.iter().enumerate().filter_map(ended)
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
