//! Cubes, conjunctions of many literals, and the disjuncts that hold them.
//!
//! A formula that lists the states of a system has disjunctions over 10^5 cubes. To test every cube
//! at every vertex would take their product; here the cubes of a disjunction that mention the same
//! variables are kept in a hash table, and a vertex's label is looked up in it. 16 bytes for every
//! 64 symbols, and about 12 more, a cube.
//!
//! # References
//! V. Srinivasan, S. Suri, G. Varghese, *Packet classification using tuple space search* (1999):
//! one table for each set of places that is tested.

use crate::ctl::{Arena, Id, Node};
use crate::kripke::Kripke;
use hashbrown::{DefaultHashBuilder, HashTable};
use std::collections::HashMap;
use std::hash::BuildHasher;

/// A conjunction of at least so many literals is a cube.
const CUBE_LITERALS: usize = 8;
/// A disjunction of at least so many disjuncts with cubes is looked up.
const INDEXED: usize = 24;
/// A disjunction whose cubes mention more different sets of variables is not.
const TABLES: usize = 16;

/// All cubes of a formula, by id, as the symbols they mention and those they make true: `2 · words`
/// words each.
#[derive(Debug, Default)]
pub(super) struct Cubes {
    words: usize,
    starts: HashMap<Id, u32>,
    pool: Vec<u64>,
}

impl Cubes {
    pub(super) fn new(arena: &Arena, formulas: &[Id], kripke: &Kripke) -> Self {
        let words = kripke.symbols().div_ceil(64) as usize;
        let mut cubes = Self { words, ..Self::default() };
        for &id in formulas {
            if let Node::And(literals) = arena.get(id)
                && literals.len() >= CUBE_LITERALS
            {
                cubes.add(arena, id, literals, kripke.symbols());
            }
        }
        cubes
    }

    /// Adds a conjunction if it is a cube over symbols of the structure, without contradiction.
    fn add(&mut self, arena: &Arena, id: Id, literals: &[Id], symbols: u32) {
        let start = self.pool.len();
        self.pool.resize(start + 2 * self.words, 0);
        for &literal in literals {
            let known = match arena.get(literal) {
                Node::Var(symbol) => Some((symbol.0, true)),
                Node::Not(a) => match arena.get(a) {
                    Node::Var(symbol) => Some((symbol.0, false)),
                    _ => None,
                },
                _ => None,
            };
            let (mask, values) = self.pool[start..].split_at_mut(self.words);
            let consistent =
                known.filter(|&(symbol, _)| symbol < symbols).is_some_and(|(symbol, value)| {
                    let (word, bit) = (symbol as usize / 64, 1 << (symbol % 64));
                    let fits = mask[word] & bit == 0 || (values[word] & bit != 0) == value;
                    mask[word] |= bit;
                    values[word] |= if value { bit } else { 0 };
                    fits
                });
            if !consistent {
                self.pool.truncate(start);
                return;
            }
        }
        self.starts.insert(id, u32::try_from(start).expect("fewer than 2^32 words of cubes"));
    }

    pub(super) fn contains(&self, id: Id) -> bool {
        self.starts.contains_key(&id)
    }

    /// The symbols that a cube mentions, and those that it makes true.
    fn get(&self, id: Id) -> Option<(&[u64], &[u64])> {
        let start = *self.starts.get(&id)? as usize;
        Some(self.pool[start..start + 2 * self.words].split_at(self.words))
    }

    /// Whether a cube is true under a label; `None` if the formula is no cube.
    pub(super) fn holds(&self, id: Id, label: &[u64]) -> Option<bool> {
        let (mask, values) = self.get(id)?;
        Some(
            mask.iter()
                .zip(values)
                .zip(label)
                .all(|((mask, values), label)| label & mask == *values),
        )
    }

    /// The cube that a disjunct is or has as a conjunct.
    pub(super) fn of_disjunct(&self, arena: &Arena, disjunct: Id) -> Option<Id> {
        if self.contains(disjunct) {
            return Some(disjunct);
        }
        match arena.get(disjunct) {
            Node::And(parts) => parts.iter().copied().find(|&p| self.contains(p)),
            _ => None,
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        (self.pool.capacity() * 8 + self.starts.capacity() * 12) as u64
    }
}

/// The cubes of one disjunction that mention the same symbols.
#[derive(Debug)]
struct Table {
    mask: Box<[u64]>,
    /// Places in `disjuncts`.
    entries: HashTable<u32>,
}

/// A disjunction's disjuncts that hold cubes.
#[derive(Debug)]
pub(super) struct Index {
    tables: Vec<Table>,
    /// Each with its cube.
    disjuncts: Vec<(Id, Id)>,
    /// The other disjuncts.
    pub(super) others: Vec<Id>,
    hasher: DefaultHashBuilder,
}

impl Index {
    /// The index of a disjunction, if it is worth one.
    pub(super) fn new(arena: &Arena, cubes: &Cubes, disjunction: &[Id]) -> Option<Self> {
        let mut index = Self {
            tables: Vec::new(),
            disjuncts: Vec::new(),
            others: Vec::new(),
            hasher: Default::default(),
        };
        for &disjunct in disjunction {
            match cubes.of_disjunct(arena, disjunct) {
                Some(cube) => index.disjuncts.push((disjunct, cube)),
                None => index.others.push(disjunct),
            }
        }
        (index.disjuncts.len() >= INDEXED && index.fill(cubes)).then_some(index)
    }

    fn fill(&mut self, cubes: &Cubes) -> bool {
        let values = |cube: Id| cubes.get(cube).expect("a cube").1;
        for (at, &(_, cube)) in (0..).zip(&self.disjuncts) {
            let (mask, value) = cubes.get(cube).expect("a cube");
            let table = match self.tables.iter().position(|t| *t.mask == *mask) {
                Some(found) => found,
                None if self.tables.len() == TABLES => return false,
                None => {
                    self.tables.push(Table { mask: mask.into(), entries: HashTable::new() });
                    self.tables.len() - 1
                }
            };
            let hash = self.hasher.hash_one(value);
            let rehash = |&at: &u32| self.hasher.hash_one(values(self.disjuncts[at as usize].1));
            self.tables[table].entries.insert_unique(hash, at, rehash);
        }
        true
    }

    /// The disjuncts whose cubes are true under a label.
    pub(super) fn candidates(&self, cubes: &Cubes, label: &[u64]) -> Vec<Id> {
        let mut found = Vec::new();
        let mut masked = Vec::with_capacity(label.len());
        for table in &self.tables {
            masked.clear();
            masked.extend(label.iter().zip(&table.mask).map(|(label, mask)| label & mask));
            let hash = self.hasher.hash_one(&masked[..]);
            for &at in table.entries.iter_hash(hash) {
                let (disjunct, cube) = self.disjuncts[at as usize];
                if cubes.holds(cube, label) == Some(true) {
                    found.push(disjunct);
                }
            }
        }
        found
    }

    pub(super) fn disjuncts(&self) -> impl Iterator<Item = Id> + '_ {
        self.disjuncts.iter().map(|&(disjunct, _)| disjunct)
    }

    pub(super) fn bytes(&self) -> u64 {
        let entries: usize = self.tables.iter().map(|t| t.entries.allocation_size()).sum();
        (entries + 8 * self.disjuncts.capacity()) as u64
    }
}
