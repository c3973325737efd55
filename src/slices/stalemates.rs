//! Positions of a slice in which the defender has no move and is not in check.

use super::bits::{KING, Officer, attacks_up, bit, spread, squares};
use super::key::Key;
use super::moves::steps;
use super::rows::{each_check, kings_open, kings_won, legal_open};
use super::several;

/// Positions in which the defender is stalemated: row and bits. (A right to capture en passant is
/// no part of a position here.)
pub(super) fn stalemates(key: &Key) -> Vec<(u32, u64)> {
    let mut found = Vec::new();
    let mut buffer = Vec::new();
    let mut look = |row: usize, suspects: u64| {
        let mut stuck = 0;
        for square in squares(suspects) {
            let place = key.place(row, square, false);
            steps(key, &place, &mut buffer);
            if buffer.is_empty() && !key.checks_defender(&place) {
                stuck |= bit(square);
            }
        }
        if stuck != 0 {
            found.push((row as u32, stuck));
        }
    };
    if key.is_several() {
        several::suspects(key, &legal_open(key), &mut look);
        return found;
    }
    let open = kings_open(key);
    let won = kings_won(key);
    if !key.is_large() {
        for king in squares(!key.pawns()) {
            let at = usize::from(king);
            let suspects = won[at] & !spread(open[at]) & !attacks_up(key.ours);
            if suspects != 0 {
                look(at, suspects);
            }
        }
        return found;
    }
    let legal = legal_open(key);
    each_check(key, key.pawns(), &won, |row, check, occupied| {
        let (at, king, other) = (row >> 6 << 6, (row >> 6) as u8, (row & 63) as u8);
        let mut suspects = !check & !occupied;
        if attacks_up(key.ours) & bit(other) != 0 {
            return;
        }
        // A pawn on no line with its king may step where nothing stands: the officer stands there.
        let free = key.theirs & !Officer::Queen.attacks(other, 0);
        let steps = free >> 8 & !key.pawns() & !bit(king) & !bit(other);
        match steps.count_ones() {
            0 => {}
            1 => suspects &= steps,
            _ => return,
        }
        for next in squares(KING[usize::from(other)]) {
            suspects &= !legal[at | usize::from(next)];
        }
        if suspects != 0 {
            look(row, suspects);
        }
    });
    found
}
