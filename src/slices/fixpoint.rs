//! The least fixpoint inside one slice, by half-sweeps.
//!
//! Given: positions won already (a subset of what is to be found), for the attacker the positions
//! that an exit wins, for the defender those that an exit saves. In turn, all the attacker's rows
//! are brought up to date, then all the defender's. A position with the defender to move is won
//! where no exit saves it, it is no stalemate, and every step of the king inside the slice leads to
//! a position won in an earlier half-sweep; one with the attacker to move where an exit wins, or a
//! step inside the slice leads to one won in an earlier half-sweep. So the number of the step, the
//! *rank*, falls strictly along the attacker's play: the set is the least fixpoint above the given
//! one, and well-founded.

use super::bits::{KING, bit, spread, squares};
use super::key::Key;
use super::rows::{Log, Sets};
use super::spread::Fresh;

/// What the exits of a slice say of its positions, row by row.
#[derive(Debug, Default)]
pub(super) struct Exits {
    /// The attacker is to move and an exit wins. (Bits of illegal positions mean nothing.)
    pub(super) wins: Vec<u64>,
    /// The same of quiet pawn moves into slices that are at hand, and into those that are not: they
    /// are tried later, for they only put off what has to be shown.
    pub(super) later: [Vec<u64>; 2],
    /// The defender is to move and an exit is not won by the attacker, or it is stalemate. Bits of
    /// illegal positions are set.
    pub(super) saves: Vec<u64>,
    /// Of kings and pawns alone: squares with an attacker's pawn that the defender's king takes
    /// with an open position after it.
    pub(super) takes: Vec<u64>,
    /// Room for what is newly won of slices with several officers.
    fresh: Fresh,
    /// Whether a slice was closed under `saves` already, so that only new wins matter.
    seen: bool,
}

impl Exits {
    /// Makes room for a slice's rows. What is solved but once has nothing that is tried later.
    pub(super) fn clear(&mut self, key: &Key) {
        let (rows, later) = (key.rows(), if key.is_vast() { 0 } else { key.rows() });
        let [near, far] = &mut self.later;
        for (list, rows) in [(&mut self.wins, rows), (near, later), (far, later)] {
            list.clear();
            list.resize(rows, 0);
        }
        self.seen = false;
    }

    /// A slice closed under them from nothing, with the ranks, and the positions from which an exit wins.
    pub(super) fn ranked(mut self, key: &Key) -> (Sets, Log, Vec<u64>) {
        (0..self.later.len()).for_each(|class| self.admit(class));
        let mut log = Log::default();
        log.reset(key.rows());
        let mut sets = Sets::nothing(key);
        close(key, &mut self, &mut sets, &mut log);
        log.shrink();
        (sets, log, self.wins)
    }

    /// Counts the moves of a class that are tried later with the others.
    pub(super) fn admit(&mut self, class: usize) {
        self.wins.iter_mut().zip(&self.later[class]).for_each(|(wins, later)| *wins |= later);
    }
}

/// Closes the sets of a slice under its exits; 1 ns a position, most of it the officer's fills.
/// What is found is noted in the log, in two steps or more.
pub(super) fn close(key: &Key, exits: &mut Exits, sets: &mut Sets, log: &mut Log) {
    if key.is_several() {
        let mut fresh = std::mem::take(&mut exits.fresh);
        super::spread::close(key, exits, &mut fresh, exits.seen, sets, log);
        (exits.fresh, exits.seen) = (fresh, true);
    } else if key.is_large() {
        close_large(key, exits, exits.seen, sets, log);
        exits.seen = true;
    } else {
        close_small(key, exits, sets, log)
    }
}

fn close_small(key: &Key, exits: &Exits, sets: &mut Sets, log: &mut Log) {
    let kings = !key.pawns();
    loop {
        let mut changed = false;
        for king in squares(kings) {
            let at = usize::from(king);
            let mut wins = exits.wins[at];
            for next in squares(KING[at] & kings) {
                wins |= sets.won[usize::from(next)];
            }
            let new = sets.open[at] & wins;
            if new != 0 {
                sets.open[at] &= !new;
                changed = true;
            }
        }
        let mut found = false;
        for king in squares(kings) {
            let at = usize::from(king);
            let held = exits.saves[at] | spread_of(sets.open[at] | exits.takes[at]);
            let new = !held & !sets.won[at];
            if new != 0 {
                sets.won[at] |= new;
                log.note(at, new);
                found = true;
            }
        }
        log.step += 1;
        if !changed && !found {
            return;
        }
    }
}

/// The squares from which a king steps into a set.
fn spread_of(set: u64) -> u64 {
    // A square of the set itself is reached from another one only.
    spread(set)
}

/// Closes a slice with an officer. If it was closed under these `saves` before (`seen`), only what
/// new wins change is looked at.
fn close_large(key: &Key, exits: &Exits, seen: bool, sets: &mut Sets, log: &mut Log) {
    let pawns = key.pawns();
    let kings = !pawns;
    // By the attacker's king: the defender's kings whose rows have to be looked at.
    let mut stale = [0_u64; 64];
    for king in squares(kings) {
        let at = usize::from(king);
        for other in squares(kings & !KING[at] & !bit(king)) {
            let row = at << 6 | usize::from(other);
            let new = sets.open[row] & exits.wins[row];
            if new != 0 {
                sets.open[row] &= !new;
                stale[at] |= KING[usize::from(other)] & kings;
            }
            if !seen {
                // All rows once, for the exits that save may have become fewer.
                stale[at] |= bit(other);
            }
        }
    }
    let mut fresh: Vec<(u16, u64)> = Vec::new();
    loop {
        fresh.clear();
        for king in squares(kings) {
            let at = usize::from(king);
            for other in squares(std::mem::take(&mut stale[at])) {
                let row = at << 6 | usize::from(other);
                let mut left = !(exits.saves[row] | sets.won[row]);
                for next in squares(KING[usize::from(other)]) {
                    if left == 0 {
                        break;
                    }
                    left &= !sets.open[at << 6 | usize::from(next)];
                }
                if left != 0 {
                    sets.won[row] |= left;
                    log.note(row, left);
                    fresh.push((row as u16, left));
                }
            }
        }
        log.step += 1;
        if fresh.is_empty() {
            return;
        }
        for &(row, won) in &fresh {
            push(key, usize::from(row), won, sets, &mut stale);
        }
    }
}

/// The attacker's positions that lead into newly won ones of a row.
fn push(key: &Key, row: usize, won: u64, sets: &mut Sets, stale: &mut [u64; 64]) {
    let (king, other) = (row >> 6, row & 63);
    let mut win = |king: usize, wins: u64| {
        let row = king << 6 | other;
        let new = sets.open[row] & wins;
        if new != 0 {
            sets.open[row] &= !new;
            stale[king] |= KING[other];
        }
    };
    for from in squares(KING[king]) {
        win(usize::from(from), won);
    }
    let occupied = key.pawns() | 1 << king | 1 << other;
    win(king, key.officer.reach(won, occupied));
}
