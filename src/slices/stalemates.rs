//! Positions of a slice in which the defender has no move and is not in check.

use super::bits::{KING, Officer, attacks_up, bit, spread, squares};
use super::key::Key;
use super::moves::steps;
use super::rows::{each_check, kings_won};
use super::several;

/// Positions in which the defender is stalemated: row and bits. (A right to capture en passant is
/// no part of a position here.) `legal` are the legal positions with the attacker to move.
pub(super) fn stalemates(key: &Key, legal: &[u64]) -> Vec<(u32, u64)> {
    if key.is_several() {
        return several::suspects(key, legal, |row, suspects| stuck(key, row, suspects));
    }
    let mut found = Vec::new();
    let mut look = |row, suspects| found.extend(stuck(key, row, suspects));
    let won = kings_won(key);
    if !key.is_large() {
        for king in squares(!key.pawns()) {
            let at = usize::from(king);
            let suspects = won[at] & !spread(legal[at]) & !attacks_up(key.ours);
            if suspects != 0 {
                look(at, suspects);
            }
        }
        return found;
    }
    each_check(key, key.pawns(), &won, |row, check, occupied| {
        let (at, king, other) = (row >> 6 << 6, (row >> 6) as u8, (row & 63) as u8);
        let mut suspects = key.officer.home() & !check & !occupied;
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

/// The row with those of its suspects that are stalemates, if there are any.
fn stuck(key: &Key, row: usize, suspects: u64) -> Option<(u32, u64)> {
    let mut buffer = Vec::new();
    let mut is_stuck = |square: u8| {
        let place = key.place(row, square, false);
        steps(key, &place, &mut buffer);
        buffer.is_empty() && !key.checks_defender(&place)
    };
    let stuck =
        squares(suspects).filter(|&at| is_stuck(at)).fold(0, |all, square| all | bit(square));
    (stuck != 0).then_some((row as u32, stuck))
}
