//! Where a rule fails: what its counter-examples have in common, and the weakest exception that
//! makes it true.
//!
//! Every position in which the rule applies is described by the truth of each condition of a
//! vocabulary; positions of one description cannot be told apart, so only the descriptions are
//! kept, with how often the rule is right and wrong on each. An exception is a disjunction of short
//! conjunctions that covers every wrong description. Each is grown by a beam search for the fewest
//! right positions given up per counter-example covered; at the end conjuncts and disjuncts that
//! are not needed are dropped. No exception in the vocabulary can give up fewer positions than
//! those whose description a counter-example shares: the bound that is reported.
//!
//! # References
//! J. Fürnkranz, *Separate-and-conquer rule learning*, Artificial Intelligence Review 13 (1999).

use hashbrown::HashMap;

use crate::chess::Value;
use crate::limits::Budget;
use crate::tables::{Placement, TableError, Tables};

use super::check::{Check, Counterexample, check};
use super::{Condition, Rule, Scene};

/// The most conditions of a vocabulary that are used.
const WORDS: usize = 256;
/// Literals in a term, at most.
const LONGEST: usize = 6;
/// Terms grown side by side.
const BEAM: usize = 8;
/// Terms that are taken apart again, at most.
const REFINEMENTS: usize = 12;
/// Terms of an exception, at most.
const TERMS: usize = 48;
/// From this many terms on a term's price doubles with each: what is left is covered coarsely, in
/// few words.
const MANY: usize = 28;

type Mask = [u64; WORDS / 64];

/// Counter-examples with something in common.
#[derive(Debug, Clone)]
pub struct Group {
    /// What holds in all of them.
    pub common: Condition,
    /// How many there are (not counting those of earlier groups).
    pub wrong: u64,
    /// In how many positions it holds too, but the rule is right.
    pub right: u64,
    /// The first of them in the order of the table.
    pub example: Counterexample,
}

/// What can be done about a rule that fails.
#[derive(Debug, Clone)]
pub struct Repair {
    /// Its counter-examples by what they have in common.
    pub groups: Vec<Group>,
    /// The rule with its exception, and its proof; none if the vocabulary has no words for it.
    pub corrected: Option<(Rule, Check)>,
    /// The positions at most in which any exception of this vocabulary could leave the rule in
    /// force.
    pub at_most: u64,
}

/// Positions of one description.
struct Row {
    mask: Mask,
    right: u64,
    wrong: u64,
    example: Option<Counterexample>,
}

/// A word of the vocabulary, or its negation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Literal {
    word: usize,
    holds: bool,
}

impl Literal {
    fn covers(self, mask: &Mask) -> bool {
        (mask[self.word / 64] >> (self.word % 64) & 1 == 1) == self.holds
    }
}

#[derive(Debug, Clone, Default)]
struct Term(Vec<Literal>);

impl Term {
    fn covers(&self, mask: &Mask) -> bool {
        self.0.iter().all(|literal| literal.covers(mask))
    }

    fn condition(&self, words: &[Condition]) -> Condition {
        let one = |literal: &Literal| {
            let word = words[literal.word].clone();
            if literal.holds { word } else { word.negated() }
        };
        let mut list: Vec<Condition> = self.0.iter().map(one).collect();
        if list.len() == 1 { list.remove(0) } else { Condition::All(list) }
    }
}

/// A term being grown, with the rows it covers.
#[derive(Clone)]
struct Refinement {
    term: Term,
    rows: Vec<u32>,
    wrong: u64,
    right: u64,
}

struct Cover<'a> {
    rows: &'a [Row],
    /// Words that are not constant over the rows.
    words: Vec<usize>,
    /// What a term costs beside the right positions it gives up.
    price: f64,
    left: Vec<bool>,
}

impl Cover<'_> {
    fn worth(&self, refined: &Refinement) -> f64 {
        refined.wrong as f64 / (refined.right as f64 + self.price)
    }

    /// Right and wrong positions (those not yet covered) among rows, by word that holds.
    fn counts(&self, rows: &[u32]) -> Vec<[u64; 2]> {
        let mut counts = vec![[0u64; 2]; WORDS];
        for &at in rows {
            let row = &self.rows[at as usize];
            let wrong = if self.left[at as usize] { row.wrong } else { 0 };
            for (block, &mask) in row.mask.iter().enumerate() {
                let mut mask = mask;
                while mask != 0 {
                    let word = 64 * block + mask.trailing_zeros() as usize;
                    counts[word][0] += row.right;
                    counts[word][1] += wrong;
                    mask &= mask - 1;
                }
            }
        }
        counts
    }

    /// The best terms one literal longer.
    fn longer(&self, refined: &Refinement) -> Vec<(Literal, u64, u64)> {
        let counts = self.counts(&refined.rows);
        let mut found = Vec::new();
        for &word in &self.words {
            if refined.term.0.iter().any(|l| l.word == word) {
                continue;
            }
            let [right, wrong] = counts[word];
            for (holds, right, wrong) in
                [(true, right, wrong), (false, refined.right - right, refined.wrong - wrong)]
            {
                if wrong > 0 && right < refined.right {
                    found.push((Literal { word, holds }, right, wrong));
                }
            }
        }
        let worth =
            |&(_, right, wrong): &(Literal, u64, u64)| wrong as f64 / (right as f64 + self.price);
        found.sort_by(|a, b| worth(b).total_cmp(&worth(a)));
        found.truncate(BEAM);
        found
    }

    fn grown(&self, refined: &Refinement, literal: Literal, right: u64, wrong: u64) -> Refinement {
        let mut term = refined.term.clone();
        term.0.push(literal);
        let rows = refined
            .rows
            .iter()
            .copied()
            .filter(|&at| literal.covers(&self.rows[at as usize].mask))
            .collect();
        Refinement { term, rows, wrong, right }
    }

    /// The term that covers the most counter-examples for what it gives up.
    fn best_term(&self) -> Option<Term> {
        let wrong = self
            .rows
            .iter()
            .zip(&self.left)
            .filter(|(_, left)| **left)
            .map(|(row, _)| row.wrong)
            .sum();
        let right = self.rows.iter().map(|row| row.right).sum();
        let all = Refinement {
            term: Term::default(),
            rows: (0..self.rows.len() as u32).collect(),
            wrong,
            right,
        };
        let mut beam = vec![all];
        let mut best: Option<Refinement> = None;
        for _ in 0..LONGEST {
            let mut next: Vec<Refinement> = Vec::new();
            for refined in &beam {
                for (literal, right, wrong) in self.longer(refined) {
                    let same = |s: &Refinement| s.right == right && s.wrong == wrong;
                    if !next.iter().any(same) {
                        next.push(self.grown(refined, literal, right, wrong));
                    }
                }
            }
            next.sort_by(|a, b| self.worth(b).total_cmp(&self.worth(a)));
            next.truncate(BEAM);
            if let Some(first) = next.first()
                && best.as_ref().is_none_or(|known| self.worth(first) > self.worth(known))
            {
                best = Some(first.clone());
            }
            beam = next;
        }
        best.map(|refined| refined.term)
    }

    /// Terms that cover every wrong row; `None` if the words do not suffice: a position cannot be
    /// told from all others.
    fn terms(&mut self) -> Option<Vec<Term>> {
        let mut terms = Vec::new();
        while self.left.contains(&true) {
            if terms.len() == TERMS {
                return None;
            }
            self.price *= if terms.len() < MANY { 1.0 } else { 2.0 };
            let term = self.best_term()?;
            for (row, left) in self.rows.iter().zip(&mut self.left) {
                *left &= !term.covers(&row.mask);
            }
            terms.push(term);
        }
        Some(terms)
    }

    fn given_up(&self, terms: &[Term]) -> u64 {
        let covered = |row: &&Row| terms.iter().any(|term| term.covers(&row.mask));
        self.rows.iter().filter(covered).map(|row| row.right).sum()
    }

    /// Replaces the dearest terms by several that give up less, as long as each new term saves
    /// enough.
    fn refined(&mut self, mut terms: Vec<Term>, right: u64) -> Vec<Term> {
        let enough = (right / 500).max(1);
        for _ in 0..REFINEMENTS {
            let total = self.given_up(&terms);
            let saved = |at: usize| {
                let others: Vec<Term> = terms
                    .iter()
                    .enumerate()
                    .filter(|(i, _)| *i != at)
                    .map(|(_, t)| t.clone())
                    .collect();
                (total - self.given_up(&others), others)
            };
            let Some((_, others)) = (0..terms.len()).map(saved).max_by_key(|(saved, _)| *saved)
            else {
                return terms;
            };
            self.left = self
                .rows
                .iter()
                .map(|r| r.wrong > 0 && !others.iter().any(|t| t.covers(&r.mask)))
                .collect();
            self.price = 1.0;
            let Some(more) = self.terms() else { return terms };
            let finer = self.pruned([others, more].concat());
            let added = finer.len().saturating_sub(terms.len()) as u64;
            if finer.len() > TERMS || self.given_up(&finer) + enough * (1 + added) > total {
                return terms;
            }
            terms = finer;
        }
        terms
    }

    fn complete(&self, terms: &[Term]) -> bool {
        self.rows
            .iter()
            .all(|row| row.wrong == 0 || terms.iter().any(|term| term.covers(&row.mask)))
    }

    /// Drops the terms that are not needed, then the literals whose loss costs nothing.
    fn pruned(&self, mut terms: Vec<Term>) -> Vec<Term> {
        for at in (0..terms.len()).rev() {
            let mut fewer = terms.clone();
            fewer.remove(at);
            if self.complete(&fewer) {
                terms = fewer;
            }
        }
        for at in 0..terms.len() {
            for literal in (0..terms[at].0.len()).rev() {
                let mut shorter = terms.clone();
                shorter[at].0.remove(literal);
                if !shorter[at].0.is_empty() && self.given_up(&shorter) <= self.given_up(&terms) {
                    terms = shorter;
                }
            }
        }
        terms
    }
}

/// The descriptions of the positions in which the rule applies.
fn rows(
    tables: &Tables,
    rule: &Rule,
    words: &[Condition],
    budget: &Budget,
) -> Result<Vec<Row>, TableError> {
    let scene = Scene::new(rule.material);
    type Rows = HashMap<Mask, Row>;
    let add = |rows: &mut Rows, placement: &Placement, value: Value| {
        if !rule.applies(&scene, placement) {
            return;
        }
        let mut mask = Mask::default();
        for (word, condition) in words.iter().enumerate() {
            mask[word / 64] |= u64::from(scene.holds(placement, condition)) << (word % 64);
        }
        let row = rows.entry(mask).or_insert(Row { mask, right: 0, wrong: 0, example: None });
        if rule.conclusion.is_true(placement.to_move, value.outcome()) {
            row.right += 1;
        } else {
            row.wrong += 1;
            row.example.get_or_insert(Counterexample { placement: *placement, value });
        }
    };
    let join = |mut a: Rows, b: Rows| {
        for (mask, row) in b {
            match a.entry(mask) {
                hashbrown::hash_map::Entry::Vacant(entry) => {
                    entry.insert(row);
                }
                hashbrown::hash_map::Entry::Occupied(mut entry) => {
                    let known = entry.get_mut();
                    (known.right, known.wrong) = (known.right + row.right, known.wrong + row.wrong);
                    known.example = known.example.or(row.example);
                }
            }
        }
        a
    };
    let mut rows: Vec<Row> =
        tables.fold(rule.material, budget, Rows::new, add, join)?.into_values().collect();
    rows.sort_unstable_by_key(|row| row.mask);
    Ok(rows)
}

/// Looks for what a rule's counter-examples have in common and for the weakest exception in the
/// words of a vocabulary ([`vocabulary`](super::vocabulary)); the corrected rule is checked on
/// every position before it is handed out. Two passes over the positions, about 2 µs for each one
/// the rule applies to.
///
/// # Errors
/// As [`Tables::ensure`].
pub fn repair(
    tables: &Tables,
    rule: &Rule,
    words: &[Condition],
    budget: &Budget,
) -> Result<Repair, TableError> {
    let words = &words[..words.len().min(WORDS)];
    let rows = rows(tables, rule, words, budget)?;
    let holds = |word: usize, row: &Row| Literal { word, holds: true }.covers(&row.mask);
    let varies = |&word: &usize| rows.iter().any(|row| holds(word, row) != holds(word, &rows[0]));
    let right: u64 = rows.iter().map(|row| row.right).sum();
    let mut cover = Cover {
        rows: &rows,
        words: (0..words.len()).filter(varies).collect(),
        price: (right as f64 / 10_000.0).max(1.0),
        left: rows.iter().map(|row| row.wrong > 0).collect(),
    };
    let at_most = rows.iter().filter(|row| row.wrong == 0).map(|row| row.right).sum();
    let Some(terms) = cover.terms() else {
        return Ok(Repair { groups: Vec::new(), corrected: None, at_most });
    };
    let terms = cover.pruned(terms);
    let terms = cover.refined(terms, right);
    let mut list: Vec<Condition> = terms.iter().map(|term| term.condition(words)).collect();
    list.extend(rule.exception.clone());
    let exception = if list.len() == 1 { list.remove(0) } else { Condition::Any(list) };
    let mut corrected = rule.clone();
    corrected.name = format!("{}-corrected", rule.name);
    corrected.exception = Some(exception);
    let proof = check(tables, &corrected, 0, budget)?;
    let corrected = proof.is_proved().then_some((corrected, proof));
    Ok(Repair { groups: groups(&rows, &terms, words), corrected, at_most })
}

/// The counter-examples by the term that covers them first.
fn groups(rows: &[Row], terms: &[Term], words: &[Condition]) -> Vec<Group> {
    let mut taken = vec![false; rows.len()];
    let mut groups = Vec::new();
    for term in terms {
        let (mut wrong, mut right, mut example) = (0, 0, None);
        for (row, taken) in rows.iter().zip(&mut taken).filter(|(row, _)| term.covers(&row.mask)) {
            right += row.right;
            if !std::mem::replace(taken, true) {
                wrong += row.wrong;
                example = example.or(row.example);
            }
        }
        if let Some(example) = example {
            groups.push(Group { common: term.condition(words), wrong, right, example });
        }
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group.wrong));
    groups
}
