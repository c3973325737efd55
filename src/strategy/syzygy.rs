//! The user's Syzygy files as what ends lines: each table is a rule that speaks of all positions
//! with its men.
//!
//! The text names the table and the checksum of its file, so that whoever checks the certificate
//! can put the same question to the same file. A table says who wins and not how soon: its wins
//! count as [`UNMEASURED`] plies.
//!
//! What our own tables tell at once is not asked of the files: positions of few men, and tables
//! that are stored.

use super::rules::{End, Rules};
use crate::chess::{Board, Outcome, Packed, Side, UNMEASURED, Value};
use crate::limits::Budget;
use crate::oracle::Oracle;
use crate::slices::Witness;
use crate::tables::Tables;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What the name of such a rule begins with.
const PREFIX: &str = "rule syzygy:";

/// A table that a text cites.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Citation<'a> {
    /// Its name, such as `KRPvKR`.
    pub table: &'a str,
    /// The checksum of its file.
    pub checksum: &'a str,
}

impl<'a> Citation<'a> {
    /// Reads a rule's text; none if it is another kind of rule.
    pub fn read(text: &'a str) -> Option<Self> {
        let (table, checksum) = text.strip_prefix(PREFIX)?.split_once(" checksum ")?;
        let digits = checksum.bytes().all(|b| b.is_ascii_hexdigit());
        (digits && checksum.len() == 32).then_some(Self { table, checksum })
    }

    /// For people: `Syzygy KRPvKR, checksum …`.
    pub fn words(&self) -> String {
        format!("Syzygy {}, checksum {}", self.table, self.checksum)
    }
}

/// Syzygy tables that end lines.
#[derive(Debug, Clone)]
pub struct SyzygyRules {
    oracle: Arc<Oracle>,
    own: Option<Own>,
    /// Tables that are not asked.
    left_out: BTreeSet<u32>,
}

/// Our own tables, which are asked first.
#[derive(Debug, Clone)]
struct Own {
    tables: Arc<Tables>,
    /// Men of those that are built when they are needed, and of those that are used where they are
    /// stored.
    built: usize,
    stored: usize,
}

impl SyzygyRules {
    /// All tables.
    pub fn new(oracle: Arc<Oracle>) -> Self {
        Self { oracle, own: None, left_out: BTreeSet::new() }
    }

    /// The same, silent about positions of at most `built` men, and of at most `stored` men where
    /// our own table is stored.
    #[must_use]
    pub fn after(self, tables: Arc<Tables>, built: usize, stored: usize) -> Self {
        Self { own: Some(Own { tables, built, stored }), ..self }
    }

    /// The same without some tables, by name.
    #[must_use]
    pub fn without<'a>(mut self, names: impl IntoIterator<Item = &'a str>) -> Self {
        self.left_out.extend(names.into_iter().filter_map(|name| self.oracle.find(name)));
        self
    }

    /// The tables.
    pub fn oracle(&self) -> &Arc<Oracle> {
        &self.oracle
    }

    /// The outcome of a position and the number of the table that says so.
    pub fn outcome(&self, p: &Packed) -> Option<(u32, Outcome)> {
        let own = self.own.as_ref();
        if p.len() > self.oracle.men() || own.is_some_and(|own| p.len() <= own.built) {
            return None;
        }
        let board = Board::of_legal(p);
        if own.is_some_and(|own| p.len() <= own.stored && own.knows(&board)) {
            return None;
        }
        let number = self.oracle.number(&board).filter(|n| !self.left_out.contains(n))?;
        Some((number, self.oracle.probe(&board).ok()?))
    }

    /// The value of a position, its length not being known.
    pub fn value(&self, p: &Packed) -> Option<Value> {
        Some(match self.outcome(p)?.1 {
            Outcome::Wins(side) => Value::Wins(side, UNMEASURED),
            Outcome::Draw => Value::Draw,
        })
    }
}

impl Own {
    fn knows(&self, board: &Board) -> bool {
        let material = Tables::material_of(board);
        material.is_some_and(|material| self.tables.is_at_hand(material, &Budget::default()))
    }
}

impl Witness for SyzygyRules {
    fn outcome(&self, p: &Packed) -> Option<Outcome> {
        self.outcome(p).map(|(_, outcome)| outcome)
    }
}

impl Rules for SyzygyRules {
    fn end(&self, p: &Packed, owner: Side, wins: bool) -> Option<End> {
        let (rule, outcome) = self.outcome(p)?;
        let plies = if wins { UNMEASURED } else { 0 };
        let holds = !outcome.is_win_of(owner.other());
        let said = if wins { outcome.is_win_of(owner) } else { holds };
        said.then_some(End { rule, plies })
    }

    fn text(&self, rule: u32) -> String {
        // A file whose checksum cannot be read has ended no line.
        let checksum = self.oracle.checksum(rule).unwrap_or_default();
        format!("{PREFIX}{} checksum {checksum}", self.oracle.name(rule))
    }
}

/// Proved rules, and where these say nothing Syzygy tables.
#[derive(Debug)]
pub struct WithSyzygy {
    rules: Arc<dyn Rules>,
    tables: SyzygyRules,
}

/// The rules that a certificate cites, in its order: proved ones, and tables that are there.
#[derive(Debug)]
pub struct CitedRules {
    /// The proved ones, and for each its place in the certificate.
    proved: Option<(Box<dyn Rules>, Vec<u32>)>,
    tables: SyzygyRules,
    /// By the number of the table: its place in the certificate.
    places: BTreeMap<u32, u32>,
}

/// A table that is cited and not there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MissingTable {
    /// No file.
    #[error("{0}: no file of this table is at hand")]
    NoFile(String),
    /// Another file.
    #[error("{0}: the file at hand has the checksum {1}")]
    Other(String, String),
    /// A damaged file.
    #[error("{0}: {1}")]
    Damaged(String, String),
}

impl CitedRules {
    /// Splits the texts that a certificate cites: the places and texts of those that have to be
    /// proved, and those of tables.
    pub fn split(texts: &[String]) -> [Vec<(u32, String)>; 2] {
        let numbered = texts.iter().enumerate().map(|(place, text)| (place as u32, text.clone()));
        let (tables, rules) = numbered.partition(|(_, text)| Citation::read(text).is_some());
        [rules, tables]
    }

    /// Rules that are proved, with their places, and the tables that are cited. Every file is read
    /// through.
    ///
    /// # Errors
    /// Each table that is not there as it is cited.
    pub fn new(
        proved: Option<(Box<dyn Rules>, Vec<u32>)>,
        tables: &[(u32, String)],
        oracle: Arc<Oracle>,
    ) -> Result<Self, Vec<MissingTable>> {
        let (mut places, mut missing) = (BTreeMap::new(), Vec::new());
        for (place, text) in tables {
            let Some(citation) = Citation::read(text) else { continue };
            let fault = match oracle.find(citation.table) {
                None => MissingTable::NoFile(citation.words()),
                Some(number) => match oracle.checksum(number) {
                    Err(error) => MissingTable::Damaged(citation.words(), error.to_string()),
                    Ok(sum) if sum != citation.checksum => {
                        MissingTable::Other(citation.words(), sum)
                    }
                    Ok(_) => {
                        places.insert(number, *place);
                        continue;
                    }
                },
            };
            missing.push(fault);
        }
        let tables = SyzygyRules::new(oracle);
        if missing.is_empty() { Ok(Self { proved, tables, places }) } else { Err(missing) }
    }
}

impl Rules for CitedRules {
    fn end(&self, p: &Packed, owner: Side, wins: bool) -> Option<End> {
        if let Some((rules, places)) = &self.proved
            && let Some(end) = rules.end(p, owner, wins)
        {
            return Some(End { rule: places[end.rule as usize], ..end });
        }
        let end = self.tables.end(p, owner, wins)?;
        Some(End { rule: *self.places.get(&end.rule)?, ..end })
    }

    fn text(&self, rule: u32) -> String {
        let table = self.places.iter().find(|(_, place)| **place == rule);
        let proved = || {
            let (rules, places) = self.proved.as_ref()?;
            Some(rules.text(places.iter().position(|place| *place == rule)? as u32))
        };
        table.map_or_else(|| proved().unwrap_or_default(), |(number, _)| self.tables.text(*number))
    }
}

/// What is added to the numbers of tables.
const TABLES: u32 = 1 << 31;

impl WithSyzygy {
    /// Both, or the tables alone if there are no rules.
    pub fn join(rules: Option<Arc<dyn Rules>>, tables: SyzygyRules) -> Arc<dyn Rules> {
        match rules {
            Some(rules) => Arc::new(Self { rules, tables }),
            None => Arc::new(tables),
        }
    }
}

impl Rules for WithSyzygy {
    fn end(&self, p: &Packed, owner: Side, wins: bool) -> Option<End> {
        let by_table = || {
            let end = self.tables.end(p, owner, wins)?;
            Some(End { rule: end.rule | TABLES, ..end })
        };
        self.rules.end(p, owner, wins).or_else(by_table)
    }

    fn text(&self, rule: u32) -> String {
        match rule & TABLES {
            0 => self.rules.text(rule),
            _ => self.tables.text(rule & !TABLES),
        }
    }
}
