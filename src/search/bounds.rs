//! What is known of positions: bounds on the distance to the goal, and proof numbers, in a table
//! that grows to a fixed size.
//!
//! A bound holds for the position, however it was reached: no entry depends on the path (the search
//! below is on positions with a number of plies left, which has no cycles). Entries may be lost by
//! replacement, never falsified.
//!
//! # References
//! D. M. Breuker, J. W. H. M. Uiterwijk, H. J. van den Herik, *Replacement schemes for
//! transposition tables*, 1994.

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

/// 16 bytes as four words: 32 bits of the key (others choose the cluster); the proof number with six
/// bits of work; the disproof number with the last six bits of the cluster's number at full size;
/// the bounds. A zero upper bound marks a free place.
type Entry = [u32; 4];
const CLUSTER: usize = 4;
/// The table begins with no fewer clusters (4 MiB) unless it may have no more.
const FIRST: usize = 1 << 16;
/// It grows by this power of two each time, in all by at most the sixth.
const STEP: u32 = 2;
const STEPS: u32 = 6;

/// The table. A wrong match needs two positions that agree in all of about 56 bits of key (1 GiB):
/// a proof is rebuilt move by move before it is handed out, so that a collision can cost a result
/// but never falsify a win.
///
/// A short search touches a short table: pages handed out by the system cost more than what a
/// search of some thousand positions does. The table has a 64th of its clusters at first and four
/// times as many whenever half of its places are taken.
#[derive(Debug)]
pub(super) struct Bounds {
    /// Arrays of integers, so that the system hands out zeroed pages as they are touched.
    clusters: Vec<[Entry; CLUSTER]>,
    /// The full size is this power of two times as many clusters.
    below: u32,
    /// Places taken, counted until the table has its full size.
    taken: usize,
}

const LOW26: u32 = IMPOSSIBLE;

fn lower(entry: &Entry) -> u16 {
    entry[3] as u16
}

fn upper(entry: &Entry) -> u16 {
    (entry[3] >> 16) as u16
}

/// What tells an entry from others of its cluster.
#[derive(Debug, Clone, Copy)]
struct Check {
    key: u32,
    last: u32,
}

impl Check {
    fn is_of(self, entry: &Entry) -> bool {
        entry[0] == self.key && entry[2] >> 26 == self.last && upper(entry) != 0
    }
}

impl Bounds {
    /// A table of at most `bytes` (at least 64 KiB are taken).
    pub(super) fn new(bytes: u64) -> Self {
        let wanted = (bytes.max(1 << 16) / size_of::<[Entry; CLUSTER]>() as u64) as usize;
        let mut below = 0;
        while below < STEPS && wanted >> (below + STEP) >= FIRST {
            below += STEP;
        }
        Self { clusters: vec![[[0; 4]; CLUSTER]; wanted >> below], below, taken: 0 }
    }

    /// What the table takes at its full size.
    pub(super) fn bytes(&self) -> u64 {
        ((self.clusters.len() << self.below) * size_of::<[Entry; CLUSTER]>()) as u64
    }

    /// The cluster of a key, and what tells it from others there.
    fn at(&self, key: u64) -> (usize, Check) {
        let full = ((u128::from(key) * (self.clusters.len() << self.below) as u128) >> 64) as usize;
        (full >> self.below, Check { key: key as u32, last: (full & ((1 << STEPS) - 1)) as u32 })
    }

    /// Four times as many clusters: the places of one go to the four that come of it.
    fn grow(&mut self) {
        let (old, below) = (self.below, self.below - STEP);
        let mut clusters = vec![[[0; 4]; CLUSTER]; self.clusters.len() << STEP];
        for (number, cluster) in self.clusters.iter().enumerate() {
            for entry in cluster.iter().filter(|e| upper(e) != 0) {
                let last = (entry[2] >> 26) as usize & ((1 << old) - 1);
                let new: &mut [Entry; CLUSTER] = &mut clusters[(number << old | last) >> below];
                let free = new.iter_mut().find(|e| upper(e) == 0).expect("of one cluster only");
                *free = *entry;
            }
        }
        (self.clusters, self.below) = (clusters, below);
    }

    pub(super) fn get(&self, key: u64) -> Option<Known> {
        let (cluster, check) = self.at(key);
        let entry = self.clusters[cluster].iter().find(|e| check.is_of(e))?;
        // Goals are seen without the table: what stands in it takes a ply at least.
        Some(Known {
            lower: lower(entry).max(1),
            upper: upper(entry),
            proof: entry[1] & LOW26,
            disproof: entry[2] & LOW26,
        })
    }

    /// Stores `known`; `work` is the number of positions spent on it. Bounds already there are kept
    /// if tighter. What took no work displaces nothing that took some: it is found again at once.
    pub(super) fn put(&mut self, key: u64, known: Known, work: u64) {
        debug_assert!(known.upper > 0, "an upper bound of zero is a goal, seen without a table");
        let (index, check) = self.at(key);
        let cluster = &mut self.clusters[index];
        let mut effort = (64 - work.leading_zeros()).min(63);
        let (mut low, mut high) = (known.lower, known.upper);
        let same = cluster.iter().position(|e| check.is_of(e));
        if let Some(at) = same {
            low = low.max(lower(&cluster[at]));
            high = high.min(upper(&cluster[at]));
            effort = effort.max(cluster[at][1] >> 26);
        }
        let worth = |e: &Entry| if upper(e) == 0 { -1 } else { (e[1] >> 26) as i32 };
        let cheapest =
            || (0..CLUSTER).min_by_key(|&i| worth(&cluster[i])).expect("a cluster has places");
        let place = same.unwrap_or_else(cheapest);
        if work == 0 && same.is_none() && worth(&cluster[place]) > 0 {
            return;
        }
        let free = upper(&cluster[place]) == 0;
        cluster[place] = [
            check.key,
            known.proof.min(LOW26) | effort << 26,
            known.disproof.min(LOW26) | check.last << 26,
            u32::from(low) | u32::from(high) << 16,
        ];
        self.taken += usize::from(free);
        if self.below > 0 && self.taken > self.clusters.len() * CLUSTER / 2 {
            self.grow();
        }
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
