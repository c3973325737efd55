//! How much memory a large slice takes, and what of it is paged to disk where there is less.

use super::columns::RANGE;
use super::planes::PAGE;
use super::share::Share;
use crate::tables::index::layout::Layout;

/// Bytes a row, of the rows of one range of the log, that a thread has beside its larger sets: some
/// columns, encoded and compressed.
const STREAMED: u64 = 64;
/// The same while the exits are looked up: columns by ply, and the words that are filled in.
const BEGUN: u64 = 128;
/// So many pages suffice for those that the moves from one page lead to.
const FEWEST_PAGES: u64 = 256;

/// What a process's share of a slice needs, in bytes.
pub(super) struct Needs {
    /// Of one set.
    plane: u64,
    /// Sets: two for each part of its own, one for each part at its border.
    planes: u64,
    threads: u64,
    /// Pages that each thread holds at least where some sets are in files.
    pages: u64,
    /// While the exits are looked up, beside the sets.
    first: u64,
    /// In a ply, beside the sets.
    at_work: u64,
}

/// How the memory is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Room {
    /// How many sets are in memory.
    pub(super) planes: usize,
    /// Pages of the others that each thread holds.
    pub(super) pages: usize,
}

impl Needs {
    /// `children` is what the tables take that captures lead to.
    pub(super) fn new(layout: &Layout, share: &Share, children: u64) -> Self {
        let rows = layout.rows() as u64;
        let range = rows.min(RANGE as u64);
        let own = share.own().len() as u64;
        let threads = (rayon::current_num_threads() as u64).min(2 * own).max(1);
        Self {
            plane: rows * 8,
            planes: own * 4 + share.border().len() as u64,
            threads,
            pages: (2 * rows.div_ceil(PAGE as u64)).min(FEWEST_PAGES),
            first: children + threads.min(own) * range * BEGUN,
            at_work: threads * (rows * 8 + rows / 8 + range * STREAMED),
        }
    }

    /// All in memory.
    pub(super) fn most(&self) -> u64 {
        with_slack(self.planes * self.plane + self.first.max(self.at_work))
    }

    /// All sets in files.
    pub(super) fn least(&self) -> u64 {
        with_slack(self.first.max(self.at_work + self.fewest()))
    }

    /// What will be allocated under a limit: all in memory, or as much as there is.
    pub(super) fn within(&self, limit: Option<u64>) -> u64 {
        match limit {
            Some(limit) if limit <= self.most() => self.least().max(limit.saturating_sub(1)),
            _ => self.most(),
        }
    }

    pub(super) fn room(&self, limit: Option<u64>) -> Room {
        let page = PAGE as u64 * 8;
        let Some(limit) = limit.filter(|&limit| limit <= self.most()) else {
            return Room { planes: self.planes as usize, pages: 1 };
        };
        let limit = limit / 33 * 32;
        let rest = limit.saturating_sub(self.first.max(self.at_work + self.fewest()));
        let planes = (rest / self.plane).min(self.planes);
        let left = limit.saturating_sub(self.at_work + planes * self.plane);
        let useful = (self.planes - planes) * self.plane;
        let pages = (left / self.threads).min(useful) / page;
        Room { planes: planes as usize, pages: pages.max(self.pages) as usize }
    }

    /// Bytes of the fewest pages.
    fn fewest(&self) -> u64 {
        self.threads * self.pages * PAGE as u64 * 8
    }

    /// How many sets there are.
    pub(super) fn planes(&self) -> usize {
        self.planes as usize
    }
}

/// What the allocator and all else takes.
fn with_slack(bytes: u64) -> u64 {
    bytes / 32 * 33
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn less_memory_means_fewer_sets_in_memory() {
        let layout = Layout::new("KRNvKNN".parse().unwrap());
        let needs = Needs::new(&layout, &Share::all(layout.kings), 1 << 30);
        assert_eq!(needs.room(None), Room { planes: 40, pages: 1 });
        assert_eq!(needs.room(Some(needs.most() + 1)).planes, 40);
        let mut last = 40;
        for gigabytes in (2..6).rev() {
            let room = needs.room(Some(gigabytes << 30));
            assert!(room.planes < last && room.pages >= 256, "{room:?}");
            let held = room.planes as u64 * needs.plane;
            let pages = room.pages as u64 * needs.threads * PAGE as u64 * 8;
            assert!(held + needs.first < gigabytes << 30);
            assert!(held + pages + needs.at_work < gigabytes << 30);
            last = room.planes;
        }
        assert_eq!(needs.within(Some(1 << 20)), needs.least());
        assert!(needs.within(Some(4 << 30)) < 4 << 30);
        let half = Needs::new(&layout, &Share::new(layout.kings, (0, 2)), 1 << 30);
        assert!(half.most() < needs.most() * 3 / 4);
    }
}
