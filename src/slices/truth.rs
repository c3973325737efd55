//! What is true of slices that a win is written down through ([`super::winning`]): of small ones the tables
//! know all, but not in ranks of one slice.
//!
//! So they are closed once more: exits are taken to win as tables say, and what the table says is won the
//! defender does not save. On the way to the shortest mate the distance falls with each move, so all that
//! is won gets a rank, except where the attacker needs an officer that no slice at hand has: that is played
//! as a board, by the table.

use super::children::children;
use super::exits::{Hope, Library, Mode, exits};
use super::fixpoint::Exits;
use super::key::Key;
use super::rows::{Log, Sets, legal_open};
use super::stalemates::stalemates;
use super::store::{Level, Store};
use hashbrown::HashMap;
use std::sync::Arc;

/// What tables say of slices, or what is proved of them. With one officer reading a slice takes 1 ms, with
/// two 0.2 CPU s.
pub(super) struct Truth<'a> {
    store: &'a Store,
    /// None where nothing is known.
    sets: HashMap<Key, Option<Arc<Sets>>>,
    bytes: u64,
}

impl<'a> Truth<'a> {
    pub(super) fn new(store: &'a Store) -> Self {
        Self { store, sets: HashMap::new(), bytes: 0 }
    }

    /// Bytes held, what the store has too among them.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What is known of a slice; of kings and officers with men at rest what follows from these.
    pub(super) fn of(&mut self, key: &Key) -> Option<Arc<Sets>> {
        if let Some(known) = self.sets.get(key) {
            return known.clone();
        }
        let sets = match self.store.nodes.get(key) {
            Some(node) => node.sets[0].clone(),
            None if key.is_vast() => None,
            None if !key.is_below() => self.store.read(key).map(Arc::new),
            None if has_no_pawn(key) => Some(Arc::new(self.closed(key).0)),
            None => None,
        };
        self.bytes += sets.as_ref().map_or(0, |sets| sets.bytes());
        self.sets.insert(*key, sets.clone());
        sets
    }

    /// A slice closed by what is true of its children: what has ranks, the ranks, and from where exits
    /// win.
    pub(super) fn closed(&mut self, key: &Key) -> (Sets, Log, Vec<u64>) {
        let is_read = |child: &Key| {
            child.kind() <= key.kind().max(1) && (!child.is_below() || has_no_pawn(child))
        };
        for child in children(key).iter().filter(|child| is_read(child)) {
            self.of(child);
        }
        let table = if key.is_below() { None } else { self.sets.get(key).cloned().flatten() };
        let stuck = match &table {
            Some(_) => Vec::new(),
            None => stalemates(key, &legal_open(key)),
        };
        let library = Known { proved: self.store.proved(key), sets: &self.sets };
        let mut exits_of = Exits::default();
        exits(key, &stuck, &library, &mut exits_of);
        if let Some(table) = table {
            exits_of.takes.fill(0);
            exits_of.saves.iter_mut().zip(&table.won).for_each(|(saves, won)| *saves = !won);
        }
        exits_of.ranked(key)
    }
}

fn has_no_pawn(key: &Key) -> bool {
    key.ours | key.theirs == 0
}

/// What is known of slices, as a slice reads it.
struct Known<'a> {
    proved: Level<'a>,
    sets: &'a HashMap<Key, Option<Arc<Sets>>>,
}

impl Library for Known<'_> {
    fn has(&self, key: &Key) -> bool {
        self.at_hand(key).is_some()
    }

    fn mode(&self) -> Mode {
        self.proved.mode()
    }

    fn turned(&self, key: &Key) -> Option<Arc<Sets>> {
        self.proved.turned(key)
    }

    fn meets(&self) -> bool {
        self.proved.meets()
    }

    fn sets(&self, key: &Key) -> Arc<Sets> {
        self.at_hand(key).unwrap_or_else(|| self.proved.sets(key))
    }

    fn at_hand(&self, key: &Key) -> Option<Arc<Sets>> {
        self.sets.get(key).cloned().flatten()
    }

    fn hope(&self) -> Hope {
        self.proved.hope()
    }
}
