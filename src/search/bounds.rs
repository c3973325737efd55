//! What is known of positions: bounds on the distance to the goal, and proof numbers, in a table of
//! fixed size.
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

/// 16 bytes as four words: 32 bits of the key (26 or more others choose the cluster); the proof
/// number with six bits of work; the disproof number; the bounds. A zero upper bound marks a free
/// place.
type Entry = [u32; 4];
const CLUSTER: usize = 4;

/// The table. A wrong match needs two positions that agree in all of about 56 bits of key (1 GiB):
/// a proof is rebuilt move by move before it is handed out, so that a collision can cost a result
/// but never falsify a win.
#[derive(Debug)]
pub(super) struct Bounds {
    /// Arrays of integers, so that the system hands out zeroed pages as they are touched.
    clusters: Vec<[Entry; CLUSTER]>,
}

const LOW26: u32 = IMPOSSIBLE;

fn lower(entry: &Entry) -> u16 {
    entry[3] as u16
}

fn upper(entry: &Entry) -> u16 {
    (entry[3] >> 16) as u16
}

impl Bounds {
    /// A table of at most `bytes` (at least 64 KiB are taken).
    pub(super) fn new(bytes: u64) -> Self {
        let wanted = (bytes.max(1 << 16) / size_of::<[Entry; CLUSTER]>() as u64) as usize;
        Self { clusters: vec![[[0; 4]; CLUSTER]; wanted] }
    }

    pub(super) fn bytes(&self) -> u64 {
        (self.clusters.len() * size_of::<[Entry; CLUSTER]>()) as u64
    }

    fn at(&self, key: u64) -> (usize, u32) {
        let cluster = ((u128::from(key) * self.clusters.len() as u128) >> 64) as usize;
        (cluster, key as u32)
    }

    pub(super) fn get(&self, key: u64) -> Option<Known> {
        let (cluster, check) = self.at(key);
        let entry = self.clusters[cluster].iter().find(|e| e[0] == check && upper(e) != 0)?;
        // Goals are seen without the table: what stands in it takes a ply at least.
        Some(Known {
            lower: lower(entry).max(1),
            upper: upper(entry),
            proof: entry[1] & LOW26,
            disproof: entry[2],
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
        let same = cluster.iter().position(|e| e[0] == check && upper(e) != 0);
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
        cluster[place] = [
            check,
            known.proof.min(LOW26) | effort << 26,
            known.disproof,
            u32::from(low) | u32::from(high) << 16,
        ];
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
