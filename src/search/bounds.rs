//! What is known of positions: bounds on the distance to the goal, and proof numbers, in a table
//! that grows to a fixed size.
//!
//! A bound holds for the position, however it was reached: no entry depends on the path (the search
//! below is on positions with a number of plies left, which has no cycles). Entries may be lost by
//! replacement, never falsified.
//!
//! Threads share the table without locks: the words of an entry are atomic, and an entry whose words
//! do not belong together is taken for that of no position.
//!
//! # References
//! R. M. Hyatt, T. Mann, *A lock-less transposition table implementation for parallel search*, 2002;
//! D. M. Breuker, J. W. H. M. Uiterwijk, H. J. van den Herik, *Replacement schemes for
//! transposition tables*, 1994.

use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// No upper bound: not known to be won.
pub(super) const NEVER: u16 = u16::MAX;

/// The largest proof or disproof number; numbers saturate below it, it itself means "impossible".
pub(super) const IMPOSSIBLE: u32 = (1 << 26) - 1;

/// What is known of one position: the attacker needs at least `lower` and at most `upper` plies
/// with best play.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) lower: u16,
    pub(super) upper: u16,
    /// Proof number of the last question that was left open here, 1 when none was.
    pub(super) proof: u32,
    /// Disproof number of the last question that was left open here.
    pub(super) disproof: u32,
}

impl Known {
    pub(super) const NOTHING: Self = Self { lower: 0, upper: NEVER, proof: 1, disproof: 1 };

    /// Whether the goal is reached within `plies`, if that is known.
    pub(super) fn within(&self, plies: u16) -> Option<bool> {
        if self.upper <= plies {
            Some(true)
        } else if self.lower > plies {
            Some(false)
        } else {
            None
        }
    }
}

/// 16 bytes as two words, as [`Entry`] packs them. A free place is all zeroes.
type Place = [AtomicU64; 2];
const CLUSTER: usize = 4;
type Cluster = [Place; CLUSTER];
/// The table begins with no fewer clusters (4 MiB) unless it may have no more.
const FIRST: usize = 1 << 16;
/// It grows by this power of two each time, in all by at most the sixth.
const STEP: u32 = 2;
const STEPS: u32 = 6;
/// Places that a thread takes before it tells the others.
const TOLD: usize = 256;

const LOW26: u32 = IMPOSSIBLE;

/// What stands in one place: 32 bits of the key (others choose the cluster) and the last six bits
/// of the cluster's number at full size, the bounds, both numbers, and the work as a power of two.
/// A zero upper bound marks a free place.
#[derive(Debug, Clone, Copy)]
struct Entry {
    check: Check,
    lower: u16,
    upper: u16,
    proof: u32,
    disproof: u32,
    effort: u32,
}

impl Entry {
    /// The key's bits are stored with those of the other word folded into them: two halves that two
    /// threads have written at the same time do not fit, and what they make belongs to no position.
    fn words(self) -> [u64; 2] {
        let bounds = u32::from(self.lower) | u32::from(self.upper) << 16;
        let proof = self.proof.min(LOW26) | self.effort << 26;
        let disproof = self.disproof.min(LOW26) | self.check.last << 26;
        let numbers = u64::from(proof) | u64::from(disproof) << 32;
        let key = self.check.key ^ folded(numbers);
        [u64::from(key) | u64::from(bounds) << 32, numbers]
    }

    fn read(place: &Place) -> Self {
        let [first, numbers] = [&place[0], &place[1]].map(|word| word.load(Ordering::Relaxed));
        let (bounds, proof, disproof) =
            ((first >> 32) as u32, numbers as u32, (numbers >> 32) as u32);
        Self {
            check: Check { key: first as u32 ^ folded(numbers), last: disproof >> 26 },
            lower: bounds as u16,
            upper: (bounds >> 16) as u16,
            proof: proof & LOW26,
            disproof: disproof & LOW26,
            effort: proof >> 26,
        }
    }

    fn write(self, place: &Place) {
        for (word, value) in place.iter().zip(self.words()) {
            word.store(value, Ordering::Relaxed);
        }
    }

    fn is_of(&self, check: Check) -> bool {
        self.check == check && self.upper != 0
    }

    fn is_free(&self) -> bool {
        self.upper == 0
    }

    fn known(&self) -> Known {
        // Goals are seen without the table: what stands in it takes a ply at least.
        let (proof, disproof) = (self.proof, self.disproof);
        Known { lower: self.lower.max(1), upper: self.upper, proof, disproof }
    }
}

/// 32 bits that every bit of the second word changes.
fn folded(numbers: u64) -> u32 {
    numbers as u32 ^ ((numbers >> 32) as u32).rotate_left(13)
}

/// What tells an entry from others of its cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Check {
    key: u32,
    last: u32,
}

/// The clusters at one size. Zeroed pages of the system, handed out as they are touched.
#[derive(Debug)]
struct Clusters {
    places: Vec<Place>,
    /// Places before the first cluster: each cluster fills one line of the processor's cache.
    skipped: usize,
    /// The full size is this power of two times as many clusters.
    below: u32,
}

impl Clusters {
    fn new(clusters: usize, below: u32) -> Self {
        // (An aligned type would do, but the allocator writes zeroes for it, on every page.)
        let places: Vec<Place> = bytemuck::zeroed_vec((clusters + 1) * CLUSTER);
        let beyond = places.as_ptr().addr() / size_of::<Place>() % CLUSTER;
        Self { places, skipped: (CLUSTER - beyond) % CLUSTER, below }
    }

    fn len(&self) -> usize {
        self.places.len() / CLUSTER - 1
    }

    /// The cluster of a key, and what tells it from others there.
    fn at(&self, key: u64) -> (&Cluster, Check) {
        let full = ((u128::from(key) * (self.len() << self.below) as u128) >> 64) as usize;
        let check = Check { key: key as u32, last: (full & ((1 << STEPS) - 1)) as u32 };
        (self.cluster(full >> self.below), check)
    }

    fn cluster(&self, number: usize) -> &Cluster {
        let first = self.skipped + number * CLUSTER;
        let places = &self.places[first..first + CLUSTER];
        places.try_into().expect("as many places as a cluster has")
    }

    /// Four times as many clusters: the places of one go to the four that come of it.
    fn grown(&self) -> Self {
        let (old, below) = (self.below, self.below - STEP);
        let grown = Self::new(self.len() << STEP, below);
        for number in 0..self.len() {
            let entries = self.cluster(number).iter().map(Entry::read);
            for entry in entries.filter(|e| !e.is_free()) {
                let last = entry.check.last as usize & ((1 << old) - 1);
                let new = grown.cluster((number << old | last) >> below);
                // One cluster's places suffice unless threads write while it is copied.
                if let Some(free) = new.iter().find(|place| Entry::read(place).is_free()) {
                    entry.write(free);
                }
            }
        }
        grown
    }
}

/// What the threads at one table share.
#[derive(Debug)]
struct Shared {
    now: Mutex<Arc<Clusters>>,
    /// How often it has grown.
    grown: AtomicU32,
    /// Places taken, counted until the table has its full size.
    taken: AtomicUsize,
}

/// The table, or another hold of it ([`Bounds::shared`]) for another thread. A wrong match needs two
/// positions that agree in all of about 56 bits of key (1 GiB), or two halves of different entries
/// that fit by chance (2⁻³²): a proof is rebuilt move by move before it is handed out, so that a
/// collision can cost a result but never falsify a win.
///
/// A short search touches a short table: pages handed out by the system cost more than what a
/// search of some thousand positions does. The table has a 64th of its clusters at first and four
/// times as many whenever half of its places are taken; each thread takes the larger one when it
/// next writes.
#[derive(Debug)]
pub(super) struct Bounds {
    clusters: Arc<Clusters>,
    shared: Arc<Shared>,
    /// How often the table that is held has grown.
    grown: u32,
    /// Places taken that the others do not know of yet.
    taken: usize,
}

impl Bounds {
    /// A table of at most `bytes` (at least 64 KiB are taken).
    pub(super) fn new(bytes: u64) -> Self {
        let wanted = (bytes.max(1 << 16) / size_of::<Cluster>() as u64) as usize;
        let mut below = 0;
        while below < STEPS && wanted >> (below + STEP) >= FIRST {
            below += STEP;
        }
        let clusters = Arc::new(Clusters::new(wanted >> below, below));
        let shared = Shared {
            now: Mutex::new(Arc::clone(&clusters)),
            grown: AtomicU32::new(0),
            taken: AtomicUsize::new(0),
        };
        Self { clusters, shared: Arc::new(shared), grown: 0, taken: 0 }
    }

    /// The same table for another thread.
    pub(super) fn shared(&self) -> Self {
        let (clusters, shared) = (Arc::clone(&self.clusters), Arc::clone(&self.shared));
        Self { clusters, shared, grown: self.grown, taken: 0 }
    }

    /// What the table takes at its full size.
    pub(super) fn bytes(&self) -> u64 {
        ((self.clusters.len() << self.clusters.below) * size_of::<Cluster>()) as u64
    }

    /// Which part of its full size is taken, about: some clusters are looked at.
    pub(super) fn filled(&self) -> f64 {
        const LOOKED_AT: usize = 1 << 10;
        let all = self.clusters.len();
        let looked_at = LOOKED_AT.min(all);
        let cluster = |k: usize| self.clusters.cluster(k * (all / looked_at));
        let places = (0..looked_at).flat_map(|k| cluster(k).iter().map(Entry::read));
        let taken = places.filter(|entry| !entry.is_free()).count() as f64;
        taken / ((looked_at * CLUSTER) << self.clusters.below) as f64
    }

    /// Has the processor fetch what stands under these keys, all of it at the same time: a look-up
    /// waits for memory, and decides where to go on by what it finds.
    pub(super) fn fetch(&self, keys: impl Iterator<Item = u64>) {
        let first = |key| self.clusters.at(key).0[0][0].load(Ordering::Relaxed);
        std::hint::black_box(keys.map(first).fold(0, |all, word| all ^ word));
    }

    pub(super) fn get(&self, key: u64) -> Option<Known> {
        let (cluster, check) = self.clusters.at(key);
        cluster.iter().map(Entry::read).find(|e| e.is_of(check)).map(|e| e.known())
    }

    /// Stores `known`, and says what is known then: bounds already there are kept if tighter. `work`
    /// is the number of positions spent on it. What took no work displaces nothing that took some:
    /// it is found again at once.
    pub(super) fn put(&mut self, key: u64, known: Known, work: u64) -> Known {
        debug_assert!(known.upper > 0, "an upper bound of zero is a goal, seen without a table");
        self.catch_up();
        let (cluster, check) = self.clusters.at(key);
        let effort = (64 - work.leading_zeros()).min(63);
        let Known { lower, upper, proof, disproof } = known;
        let mut new = Entry { check, lower, upper, proof, disproof, effort };
        let mut cheapest: Option<(&Place, i32)> = None;
        for place in cluster {
            let old = Entry::read(place);
            if old.is_of(check) {
                new.lower = new.lower.max(old.lower);
                new.upper = new.upper.min(old.upper);
                new.effort = new.effort.max(old.effort);
                new.write(place);
                return new.known();
            }
            let worth = if old.is_free() { -1 } else { old.effort as i32 };
            if cheapest.is_none_or(|(_, least)| worth < least) {
                cheapest = Some((place, worth));
            }
        }
        let (place, worth) = cheapest.expect("a cluster has places");
        if work > 0 || worth <= 0 {
            new.write(place);
            if worth < 0 {
                self.take();
            }
        }
        known
    }

    /// A free place was taken: the table grows when half of all are.
    fn take(&mut self) {
        if self.clusters.below == 0 {
            return;
        }
        self.taken += 1;
        if self.taken < TOLD {
            return;
        }
        let taken = self.shared.taken.fetch_add(self.taken, Ordering::Relaxed) + self.taken;
        self.taken = 0;
        if taken > self.clusters.places.len() / 2 {
            let mut now = self.shared.now.lock().unwrap_or_else(PoisonError::into_inner);
            if Arc::ptr_eq(&now, &self.clusters) {
                *now = Arc::new(self.clusters.grown());
                self.shared.grown.fetch_add(1, Ordering::Release);
            }
            drop(now);
            self.follow();
        }
    }

    /// Takes the table that another thread has made larger, if one has.
    pub(super) fn catch_up(&mut self) {
        if self.shared.grown.load(Ordering::Acquire) != self.grown {
            self.follow();
        }
    }

    fn follow(&mut self) {
        let now = self.shared.now.lock().unwrap_or_else(PoisonError::into_inner);
        self.clusters = Arc::clone(&now);
        self.grown = self.shared.grown.load(Ordering::Acquire);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_only_tighten() {
        let mut bounds = Bounds::new(1 << 16);
        let known = |lower, upper| Known { lower, upper, proof: 3, disproof: 4 };
        bounds.put(77, known(3, NEVER), 1);
        bounds.put(77, known(1, 9), 1);
        assert_eq!(bounds.get(77), Some(known(3, 9)));
        assert_eq!(bounds.get(77).unwrap().within(2), Some(false));
        assert_eq!(bounds.get(77).unwrap().within(9), Some(true));
        assert_eq!(bounds.get(77).unwrap().within(5), None);
        assert_eq!(bounds.get(78), None);
        bounds.put(79, known(0, 9), 1);
        assert_eq!(bounds.get(79).unwrap().within(0), Some(false), "a goal would not stand here");
    }

    #[test]
    fn nothing_is_lost_when_the_table_grows() {
        let mut bounds = Bounds::new(1 << 26);
        let key = |n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let (before, many) = (bounds.clusters.len(), 300_000);
        for n in 1..=many {
            bounds.put(key(n), Known { lower: (n % 1000) as u16 + 1, ..Known::NOTHING }, 1);
        }
        assert!(bounds.clusters.len() > before, "it has grown");
        let kept = |n: &u64| bounds.get(key(*n)).is_some_and(|k| k.lower == (n % 1000) as u16 + 1);
        // Clusters that were full before it grew have given places up.
        assert!((1..=many).filter(kept).count() as u64 > many / 10 * 9);
        assert!((many + 1..2 * many).all(|n| bounds.get(key(n)).is_none()));
    }

    #[test]
    fn threads_that_share_a_table_find_what_any_of_them_has_written() {
        let bounds = Bounds::new(1 << 26);
        let key = |n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let many = 200_000;
        // All write about the same positions, each something else that holds; halves must not mix.
        let write = |thread: u16| {
            let mut bounds = bounds.shared();
            for n in 1..=many {
                let lower = (n % 1000) as u16 + 1 + thread;
                let proof = u32::from(lower) * 3;
                bounds.put(key(n), Known { lower, upper: NEVER, proof, disproof: 1 }, 1);
            }
        };
        std::thread::scope(|scope| {
            (0..4).for_each(|thread| {
                scope.spawn(move || write(thread));
            });
        });
        let mut last = bounds.shared();
        last.catch_up();
        assert!(last.clusters.len() > bounds.clusters.len(), "it has grown");
        let found = (1..=many).filter(|&n| {
            last.get(key(n)).is_some_and(|known| {
                let least = (n % 1000) as u16 + 1;
                assert!((least..least + 4).contains(&known.lower), "{n}: {known:?}");
                assert!((least..least + 4).any(|l| known.proof == u32::from(l) * 3));
                true
            })
        });
        assert!(found.count() as u64 > many / 10 * 9);
        assert!((many + 1..2 * many).all(|n| last.get(key(n)).is_none()));
    }

    #[test]
    fn halves_of_two_entries_belong_to_nobody() {
        let mut bounds = Bounds::new(1 << 16);
        let known = |lower| Known { lower, upper: NEVER, proof: 9, disproof: 9 };
        bounds.put(7, known(3), 1);
        let (cluster, check) = bounds.clusters.at(7);
        let old = cluster.iter().find(|p| Entry::read(p).is_of(check)).expect("just written");
        let torn = Entry { proof: 500, ..Entry::read(old) }.words()[1];
        old[1].store(torn, Ordering::Relaxed);
        assert_eq!(bounds.get(7), None);
    }

    #[test]
    fn what_took_no_work_displaces_nothing() {
        let mut bounds = Bounds::new(1 << 16);
        for n in 1..=4 {
            bounds.put(n, Known { lower: n as u16, ..Known::NOTHING }, 1);
        }
        bounds.put(5, Known::NOTHING, 0);
        assert_eq!(bounds.get(5), None);
        assert!((1..=4).all(|n| bounds.get(n).is_some()));
    }

    #[test]
    fn a_full_table_gives_up_the_cheapest_entry() {
        let mut bounds = Bounds::new(1 << 16);
        // The high bits choose the cluster, so small keys share the first one.
        for n in 1..=5 {
            bounds.put(
                n,
                Known { lower: n as u16, ..Known::NOTHING },
                if n == 2 { 1 } else { 1000 },
            );
        }
        assert_eq!(bounds.get(2), None);
        for n in [1, 3, 4, 5] {
            assert_eq!(bounds.get(n).unwrap().lower, n as u16);
        }
    }
}
