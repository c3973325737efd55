//! What is guessed of a slice that has not been looked into: races of passed pawns by the rule of
//! the square, else one pawn more. A guess orders the work and proves nothing.

use super::bits::{
    KING, Officer, RANK_2, attacks_down, attacks_up, bit, distance, spread, squares,
};
use super::key::{Key, Place};
use super::rows::{Sets, kings_open, kings_won};
use super::shape::{Row, Shape};

const fn within_table() -> [[u64; 9]; 64] {
    let mut table = [[0; 9]; 64];
    let mut square = 0;
    while square < 64 {
        let (mut set, mut steps) = (bit(square), 0);
        while steps < 9 {
            table[square as usize][steps] = set;
            set |= spread(set);
            steps += 1;
        }
        square += 1;
    }
    table
}

/// By square and number: the squares at most so many king's steps away.
static WITHIN: [[u64; 9]; 64] = within_table();

/// A runner that never comes.
const NEVER: usize = 9;

/// A pawn that no other pawn stops, seen with its own side going up the board: where it promotes,
/// and in how many steps.
#[derive(Clone, Copy)]
struct Runner {
    end: u8,
    steps: usize,
}

/// The pawns of `ours`, going up, that no pawn stops. Squares are turned back by `turn`.
fn runners(ours: u64, theirs: u64, turn: u8) -> impl Iterator<Item = Runner> {
    squares(ours).filter_map(move |pawn| {
        let mut ahead = bit(pawn);
        for _ in 0..6 {
            ahead |= ahead << 8;
        }
        ahead &= !bit(pawn);
        // Ranks up to the pawn's own do not matter.
        let zone = (spread(ahead) | ahead) & !0 << (8 * (pawn / 8 + 1));
        let free = theirs & zone == 0 && ours & ahead == 0;
        let steps = usize::from(7 - pawn / 8) - usize::from(pawn / 8 == 1);
        free.then_some(Runner { end: (56 + pawn % 8) ^ turn, steps })
    })
}

/// By number of steps: the squares of the other king from which it does not catch some runner of at
/// most so many steps; `late` where that king moves first.
fn free_runs(list: &[Runner], late: bool) -> [u64; NEVER] {
    let mut free = [0; NEVER];
    for runner in list {
        let caught = WITHIN[usize::from(runner.end)][(runner.steps + usize::from(late)).min(8)];
        free.iter_mut().skip(runner.steps).for_each(|squares| *squares |= !caught);
    }
    free
}

/// The guess for all positions of a slice.
pub(super) fn guess(key: &Key) -> Sets {
    if key.is_several() {
        guess_several(key)
    } else if key.is_large() {
        guess_large(key)
    } else {
        guess_small(key)
    }
}

fn guess_small(key: &Key) -> Sets {
    let ours: Vec<Runner> = runners(key.ours, key.theirs, 0).collect();
    let theirs: Vec<Runner> = runners(key.theirs.swap_bytes(), key.ours.swap_bytes(), 56).collect();
    let more = if key.ours.count_ones() > key.theirs.count_ones() { !0 } else { 0 };
    let mut sets = Sets { open: kings_open(key).to_vec(), won: kings_won(key).to_vec() };
    for ours_first in [true, false] {
        let mine = free_runs(&ours, !ours_first);
        let other = free_runs(&theirs, ours_first);
        for king in squares(!key.pawns()) {
            let at = usize::from(king);
            let soonest = (0..NEVER).find(|&n| other[n] & bit(king) != 0).unwrap_or(NEVER + 2);
            // When the attacker's pawn has promoted, the defender's is two steps from it at least.
            let latest = soonest.saturating_sub(usize::from(!ours_first)).min(NEVER);
            let by_race = if latest == 0 { 0 } else { mine[latest - 1] };
            let wins = if soonest > NEVER { by_race | more } else { by_race };
            if ours_first {
                sets.open[at] &= !wins;
            } else {
                sets.won[at] &= wins;
            }
        }
    }
    sets
}

fn guess_large(key: &Key) -> Sets {
    let mut sets = Sets { open: super::rows::legal_open(key), won: super::rows::legal_won(key) };
    for king in squares(!key.pawns()) {
        for other in squares(!key.pawns() & !bit(king) & !KING[usize::from(king)]) {
            let row = usize::from(king) << 6 | usize::from(other);
            if is_likely(key, king, other, true) {
                sets.open[row] = 0;
            }
            if is_likely(key, king, other, false) {
                sets.won[row] &= !hanging(key, king, other);
            } else {
                sets.won[row] = 0;
            }
        }
    }
    sets
}

/// The guess for a position with an officer.
pub(super) fn is_won(key: &Key, place: &Place) -> bool {
    let (king, other) = (place.king, place.other);
    if key.is_several() {
        let (shape, (row, square)) = (Shape::of(key), key.index(place));
        return is_ahead(key) && (place.ours || hit(key, &shape, &shape.row(row)) & square == 0);
    }
    is_likely(key, king, other, place.ours)
        && (place.ours || hanging(key, king, other) & bit(place.men[0]) == 0)
}

/// Where the defender takes the officer at once: beside its king, unguarded, or by a pawn.
fn hanging(key: &Key, king: u8, other: u8) -> u64 {
    let by_rest = key.rest.attacked(key.pawns() | bit(king) | bit(other));
    let guarded = KING[usize::from(king)] | attacks_up(key.ours) | by_rest;
    KING[usize::from(other)] & !guarded | attacks_down(key.theirs)
}

fn guess_several(key: &Key) -> Sets {
    let mut sets = Sets { open: super::rows::legal_open(key), won: super::rows::legal_won(key) };
    if !is_ahead(key) {
        sets.won.fill(0);
        return sets;
    }
    sets.open.fill(0);
    let shape = Shape::of(key);
    shape.each(key.pawns(), |number, row| sets.won[number] &= !hit(key, &shape, row));
    sets
}

/// What a man is worth, in pawns.
fn worth(officer: Officer) -> u32 {
    match officer {
        Officer::None => 0,
        Officer::Queen => 9,
        Officer::Rook => 5,
        Officer::Knight | Officer::Bishop | Officer::OddBishop => 3,
    }
}

/// Whether the attacker has two pawns' worth more, and can win at all where it has no pawn.
pub(super) fn is_ahead(key: &Key) -> bool {
    let at_rest: u32 = key.rest.men().iter().map(|man| worth(man.0)).sum();
    let officers = worth(key.officer) + worth(key.mate) + at_rest;
    let rivals = worth(key.rival) + worth(key.peer);
    let enough = key.ours != 0 || officers > 3 + rivals;
    key.is_large()
        && enough
        && officers + key.ours.count_ones() >= rivals + key.theirs.count_ones() + 2
}

/// Where the defender takes the attacker's first officer with gain: unguarded, or by a lesser man.
fn hit(key: &Key, shape: &Shape, row: &Row) -> u64 {
    let (king, other) = (usize::from(row.king), usize::from(row.other));
    let occupied = key.pawns() | row.occupied();
    let mut guarded = KING[king] | attacks_up(key.ours) | key.rest.attacked(occupied);
    for (number, officer) in shape.fixed(true) {
        guarded |= officer.attacks(row.men()[number], occupied);
    }
    let mut hit = KING[other] & !guarded | attacks_down(key.theirs);
    for (number, officer) in shape.fixed(false) {
        let lines = officer.attacks(row.men()[number], occupied);
        let lesser = worth(officer) < worth(key.officer);
        hit |= if lesser { lines } else { lines & !guarded };
    }
    hit
}

/// The guess for positions with an officer, wherever that stands.
pub(super) fn is_likely(key: &Key, king: u8, other: u8, ours: bool) -> bool {
    let last = key.theirs & RANK_2;
    let near = key.theirs & (RANK_2 << 8 | RANK_2);
    match key.officer {
        Officer::Queen if ours => {
            let slow = last.count_ones() == 1 && held_by_king(last, king, other);
            near.count_ones() <= 1 && !slow
        }
        Officer::Queen => last & !(bit(king) << 8) == 0 && near.count_ones() <= 2,
        Officer::Rook => near == 0,
        _ => (key.ours != 0 || key.is_below()) && near == 0,
    }
}

/// Whether a defender's pawn one step from promotion, on the file of a rook or a bishop, is held by
/// its king while the attacker's is far away.
fn held_by_king(pawn: u64, king: u8, other: u8) -> bool {
    let square = pawn.trailing_zeros() as u8;
    let end = square & 7;
    let file = [0, 2, 5, 7].contains(&end);
    file && distance(other, end) <= 2 && distance(king, end) > 4
}
