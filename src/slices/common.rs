//! What several provers of one attacker's wins share: the sets that each has proved.
//!
//! Only proofs go from one to another, never guesses: a set of proved wins is one whoever found it,
//! and the union of two is one too, for each was closed under the rules with sets of other slices
//! that are subsets of those shared here. So every prover may take all of them in whenever it likes.
//!
//! The most recent sets of a slice contain all that were handed in before; a prover sees by the
//! pointer whether there is anything new. A slice costs its sets once, whoever holds them, and some
//! 100 bytes; handing in or taking out costs some 50 ns under one of 64 locks.

use super::key::Key;
use super::rows::Sets;
use super::store::{Node, Store};
use hashbrown::HashMap;
use std::hash::BuildHasher as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The locks.
const SHARDS: usize = 64;

/// What is shared of a slice.
#[derive(Debug, Clone)]
pub(super) struct Shared {
    /// What is proved.
    pub(super) sets: Arc<Sets>,
    /// The slices that its exits read.
    pub(super) children: Arc<[Key]>,
    /// Where the defender is stalemated.
    pub(super) stuck: Arc<[(u32, u64)]>,
    /// Whether it was read, so that the sets are the truth.
    pub(super) exact: bool,
}

type Shard = HashMap<Key, Shared>;

/// Proved wins by slice, for all threads.
#[derive(Debug)]
pub(super) struct Common {
    shards: Vec<Mutex<Shard>>,
    hasher: hashbrown::DefaultHashBuilder,
    bytes: AtomicU64,
}

impl Default for Common {
    fn default() -> Self {
        Self {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            hasher: hashbrown::DefaultHashBuilder::default(),
            bytes: AtomicU64::new(0),
        }
    }
}

impl Common {
    fn shard(&self, key: &Key) -> MutexGuard<'_, Shard> {
        let at = (self.hasher.hash_one(key) >> 32) as usize % SHARDS;
        // Entries are put in whole: a thread that has panicked leaves none half written.
        self.shards[at].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What others have added to a slice since its sets were `own`.
    pub(super) fn newer(&self, key: &Key, own: Option<&Arc<Sets>>) -> Option<Shared> {
        let shard = self.shard(key);
        let found = shard.get(key)?;
        let known = own.is_some_and(|own| Arc::ptr_eq(own, &found.sets));
        (!known).then(|| found.clone())
    }

    /// Hands in what is proved of a slice. Returns it with what others have proved.
    pub(super) fn hand_in(&self, key: &Key, own: &Shared) -> Arc<Sets> {
        let mut shard = self.shard(key);
        let Some(found) = shard.get_mut(key) else {
            shard.insert(*key, own.clone());
            self.bytes.fetch_add(own.sets.bytes() + 100, Ordering::Relaxed);
            return Arc::clone(&own.sets);
        };
        // The pointer changes only when something is added: it tells the others that there is news.
        if !own.sets.is_within(&found.sets) {
            found.sets = match found.sets.is_within(&own.sets) {
                true => Arc::clone(&own.sets),
                false => Arc::new(found.sets.joined(&own.sets)),
            };
        }
        Arc::clone(&found.sets)
    }

    /// Bytes held, the sets of all slices.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Calls `each` with all slices.
    pub(super) fn each(&self, mut each: impl FnMut(&Key)) {
        for shard in &self.shards {
            let keys: Vec<Key> = {
                let shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
                shard.keys().copied().collect()
            };
            keys.iter().for_each(&mut each);
        }
    }
}

impl Store {
    /// Takes what is proved from others, and gives them what is, from now on.
    pub(super) fn share(&mut self, common: &Arc<Common>) {
        if self.common.is_some() {
            return;
        }
        self.clock += 1;
        for (key, node) in &mut self.nodes {
            node.hand_in(key, common, self.clock);
            // They are counted there.
            self.bytes -= node.sets[0].as_ref().map_or(0, |sets| sets.bytes());
        }
        self.common = Some(Arc::clone(common));
    }

    /// Takes in everything that others have proved.
    pub(super) fn take_all(&mut self) {
        if let Some(common) = self.common.clone() {
            common.each(|key| self.refresh(key));
        }
    }

    /// Takes in what others have proved of a slice.
    pub(super) fn refresh(&mut self, key: &Key) {
        let Some(common) = &self.common else { return };
        let node = self.nodes.get_mut(key);
        if node.as_ref().is_some_and(|node| node.exact) {
            return;
        }
        let own = node.as_ref().and_then(|node| node.sets[0].as_ref());
        let Some(shared) = common.newer(key, own) else { return };
        self.clock += 1;
        if let Some(node) = node {
            node.sets[0] = Some(shared.sets);
            node.changed[0] = self.clock;
            node.reopen();
        } else {
            self.insert(key, Node::new(shared, self.clock));
        }
    }
}

impl Node {
    /// Gives others what is proved, and takes what they have proved, at a time.
    pub(super) fn hand_in(&mut self, key: &Key, common: &Common, clock: u64) {
        let Some(sets) = self.sets[0].take() else { return };
        let (children, stuck) = (Arc::clone(&self.children), Arc::clone(&self.stuck));
        let own = Shared { sets, children, stuck, exact: self.exact };
        let all = common.hand_in(key, &own);
        if !Arc::ptr_eq(&all, &own.sets) && all != own.sets {
            self.changed[0] = clock;
            self.reopen();
        }
        self.sets[0] = Some(all);
    }

    /// Has what is proved be closed again: a union of closed sets need not be.
    fn reopen(&mut self) {
        self.solved[0] = 0;
    }
}
