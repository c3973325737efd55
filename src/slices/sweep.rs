//! A win inside one slice, as it is written down ([`super::winning`]): which of its positions after
//! the winner's moves are needed, found by rows of 64, from the highest rank down.
//!
//! The rank of a position with the defender to move is the step in which the slice's fixpoint wins it
//! ([`super::fixpoint`]); with the attacker to move it is the least that a move leads to, 0 where an exit
//! wins. After each reply the rank is lower than before. A position is answered when the sweep comes to its
//! own rank, so that all that leads to it is known by then: any listed position of a rank lower than all of
//! these answers it, and only where there is none one more is listed, of the least rank, which answers as
//! many as possible. So each is answered once, and play falls in rank.
//!
//! Memory while a slice is swept: 28 bytes a row and 16 for each row and rank that is met.

use super::bits::{bit, squares};
use super::inside::Inside;
use super::key::Key;
use super::rows::{Log, kings_open};

/// Positions of a row.
pub(super) type Entry = (usize, u64);

/// A slice whose win is written down.
#[derive(Debug)]
pub(super) struct Sweep {
    inside: Inside,
    /// Where the defender's king may stand in positions with the attacker to move.
    kings: [u64; 64],
    /// The ranks with the defender to move.
    ranks: Log,
    /// From where an exit wins.
    wins: Vec<u64>,
    /// The attacker is to move and has to win.
    asked: Vec<u64>,
    /// The same, by the rank below which an answer has to be.
    bounds: Log,
    /// The defender is to move: positions of the strategy, by rank.
    listed: Log,
    /// By rank: what is to be answered, and whose replies are to be looked at.
    waiting: Vec<Vec<Entry>>,
    fresh: Vec<Vec<Entry>>,
    found: Vec<(u32, u64)>,
}

/// A position that no move is proved to win, as its row and square.
pub(super) type Lost = (usize, u8);

impl Sweep {
    /// Nothing is asked yet; ranks and exits as the store knows them.
    pub(super) fn new(key: &Key, (ranks, wins): (Log, Vec<u64>)) -> Self {
        let top = ranks.step as usize + 1;
        let empty = || {
            let mut log = Log::default();
            log.reset(key.rows());
            log
        };
        Self {
            inside: Inside::of(key),
            kings: kings_open(key),
            ranks,
            wins,
            asked: vec![0; key.rows()],
            bounds: empty(),
            listed: empty(),
            waiting: vec![Vec::new(); top],
            fresh: vec![Vec::new(); top],
            found: Vec::new(),
        }
    }

    /// The ranks, from the highest down; at the last exits win.
    pub(super) fn levels(&self) -> impl Iterator<Item = u32> + use<> {
        (0..self.fresh.len() as u32).rev()
    }

    /// The legal positions of a row with the attacker to move.
    fn legal(&self, row: usize) -> u64 {
        self.inside.legal(row, &self.kings, true)
    }

    /// Positions with the attacker to move have to be won, by an answer of a rank below `bound` inside the
    /// slice. Illegal ones are left out.
    ///
    /// # Errors
    /// One that is not proved to be won.
    pub(super) fn ask(&mut self, row: usize, bits: u64, bound: u32) -> Result<(), Lost> {
        let bits = if bits == 0 { 0 } else { bits & self.legal(row) };
        if bits == 0 {
            return Ok(());
        }
        self.bounds.step = bound;
        self.bounds.add(row, bits);
        let new = bits & !self.asked[row];
        self.asked[row] |= new;
        let lost = self.wait(row, new);
        if lost == 0 { Ok(()) } else { Err((row, lost.trailing_zeros() as u8)) }
    }

    /// Positions wait for the sweep to come to their rank; those that have none.
    fn wait(&mut self, row: usize, bits: u64) -> u64 {
        let by_exit = bits & self.wins[row];
        if by_exit != 0 {
            self.waiting[0].push((row, by_exit));
        }
        let mut left = bits & !by_exit;
        if left == 0 {
            return 0;
        }
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        let mut offer = |rank: u32, hit: u64| {
            if hit != 0 {
                found.push((rank, hit));
            }
        };
        for (rank, to) in self.ranks.of_row(row) {
            offer(rank, left & self.inside.within(row, true, to));
        }
        self.inside.across(row, true, |to, blocked| {
            for (rank, bits) in self.ranks.of_row(to) {
                offer(rank, left & bits & !blocked);
            }
        });
        found.sort_unstable_by_key(|(rank, _)| *rank);
        for (rank, hit) in &found {
            let hit = left & hit;
            if hit != 0 {
                self.waiting[*rank as usize].push((row, hit));
                left &= !hit;
            }
        }
        self.found = found;
        left
    }

    /// A position with the defender to move belongs to the strategy; whether it is proved to be won.
    pub(super) fn put(&mut self, row: usize, bit: u64) -> bool {
        let rank = self.ranks.rank(row, bit);
        self.fresh[rank as usize].push((row, bit));
        rank > 0
    }

    /// Answers all positions of a rank, and returns those whose replies are to be looked at now. Where
    /// exits win those without an answer are returned.
    pub(super) fn answer(&mut self, rank: u32) -> Vec<Entry> {
        self.listed.step = rank;
        for (row, bits) in joined(std::mem::take(&mut self.fresh[rank as usize])) {
            self.list(row, bits, rank);
        }
        let mut by_exit = Vec::new();
        for (row, bits) in joined(std::mem::take(&mut self.waiting[rank as usize])) {
            let left = self.unanswered(row, bits);
            if rank > 0 {
                self.win(row, left, rank);
            } else if left != 0 {
                by_exit.push((row, left));
            }
        }
        if rank > 0 { joined(std::mem::take(&mut self.fresh[rank as usize])) } else { by_exit }
    }

    fn list(&mut self, row: usize, bits: u64, rank: u32) {
        let known = self.listed.of_row(row).take_while(|(step, _)| *step == rank);
        let new = bits & !known.fold(0, |all, (_, bits)| all | bits);
        if new != 0 {
            self.listed.add(row, new);
            self.fresh[rank as usize].push((row, new));
        }
    }

    /// Those of a row's positions that nothing listed answers, of a rank below all that lead to them.
    fn unanswered(&self, row: usize, bits: u64) -> u64 {
        let (mut all, mut without) = (bits, 0);
        for (bound, bits) in self.bounds.of_row(row) {
            let mut left = all & bits;
            if left == 0 {
                continue;
            }
            all &= !left;
            let below = |(rank, _): &(u32, u64)| *rank < bound;
            let here = self.listed.of_row(row).take_while(below).fold(0, |all, at| all | at.1);
            left &= !self.inside.within(row, true, here);
            self.inside.across(row, true, |to, blocked| {
                let there = self.listed.of_row(to).take_while(below);
                left &= there.fold(!0, |left, (_, bits)| left & !bits) | blocked;
            });
            without |= left;
            if all == 0 {
                break;
            }
        }
        without
    }

    /// Lists positions of a rank until all of a row's positions are answered, each time the row's that
    /// answer the most.
    fn win(&mut self, row: usize, mut left: u64, rank: u32) {
        while left != 0 {
            // How many are answered, where the answer is, and which they are.
            let mut best = (0, row, 0, 0);
            let mut offer = |to: usize, list: u64, hit: u64| {
                if hit.count_ones() > best.0 {
                    best = (hit.count_ones(), to, list, hit);
                }
            };
            let of = |row| self.ranks.of_row(row).filter(|at| at.0 == rank).fold(0, |a, b| a | b.1);
            self.inside.across(row, true, |to, blocked| {
                let hit = left & of(to) & !blocked;
                offer(to, hit, hit);
            });
            for to in squares(of(row) & self.inside.within(row, true, left)) {
                offer(row, bit(to), left & self.inside.within(row, true, bit(to)));
            }
            let (_, to, list, hit) = best;
            debug_assert_ne!(hit, 0, "a position waits for the rank of an answer");
            if hit == 0 {
                return;
            }
            self.list(to, list, rank);
            left &= !hit;
        }
    }

    /// What was asked, by bound, and what is listed, by rank: each with its row, lowest first.
    pub(super) fn done(self) -> [Vec<(u32, Entry)>; 2] {
        let rows = 0..self.asked.len();
        let mut asked = Vec::new();
        let mut listed = Vec::new();
        for row in rows.filter(|&row| self.asked[row] != 0) {
            let mut seen = 0;
            for (bound, bits) in self.bounds.of_row(row) {
                if bits & !seen != 0 {
                    asked.push((bound, (row, bits & !seen)));
                }
                seen |= bits;
            }
        }
        for row in 0..self.asked.len() {
            listed.extend(self.listed.of_row(row).map(|(rank, bits)| (rank, (row, bits))));
        }
        [&mut asked, &mut listed].into_iter().for_each(|list| list.sort_unstable());
        [asked, listed]
    }
}

/// Rows, each once.
fn joined(mut rows: Vec<Entry>) -> Vec<Entry> {
    rows.sort_unstable_by_key(|(row, _)| *row);
    rows.dedup_by(|(row, bits), (first, all)| {
        let same = row == first;
        if same {
            *all |= *bits;
        }
        same
    });
    rows
}
