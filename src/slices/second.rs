//! Slices with more officers of the attacker's, all but one at rest ([`super::key`]): the promotions
//! that lead to them, and what becomes of them when an officer is taken.

use super::bits::{KING, Officer, RANK_7, attacks_down, attacks_up, bit, squares};
use super::children::officer_lost;
use super::exits::{Hope, Library, join, pairs};
use super::fixpoint::Exits;
use super::guess::is_likely;
use super::key::Key;
use super::moves::{has_second, second};
use super::rows::kings_won;

/// The slices after a defender's pawn takes a man at rest without promoting.
pub(super) fn rest_taken(key: &Key) -> Vec<Key> {
    let taken = |from: u8| {
        let after = move |at: u8| {
            let theirs = key.theirs & !bit(from) | bit(at);
            Key { theirs, rest: key.rest.without(bit(at)), ..*key }
        };
        squares(attacks_down(bit(from)) & key.rest.squares() & !0xff).map(after)
    };
    squares(key.theirs).flat_map(taken).collect()
}

/// Where the attacker may promote to a queen beside its officer: there, the square of the officer,
/// and the slice after it.
pub(super) fn seconds(key: &Key) -> impl Iterator<Item = (u8, u8, Key)> {
    let key = *key;
    let from = if has_second(&key) { key.ours & RANK_7 } else { 0 };
    squares(from).flat_map(move |from| {
        let rest = Key { ours: key.ours & !bit(from), ..key };
        squares(key.officer.home() & !rest.pawns() & !bit(from) & !bit(from + 8))
            .map(move |man| (from + 8, man, second(&rest, man)))
    })
}

/// The attacker promotes beside its officer, which stays at rest. Where the slice after it is not at
/// hand, the new queen wins, as far as it is guessed, unless it can be taken at once.
pub(super) fn new_second(key: &Key, library: &impl Library, out: &mut Exits) {
    let from = if has_second(key) { key.ours & RANK_7 } else { 0 };
    for from in squares(from) {
        let (to, rest) = (from + 8, Key { ours: key.ours & !bit(from), ..*key });
        let mut unseen = !0;
        for (_, man, child) in seconds(key).filter(|(at, _, _)| *at == to) {
            let Some(sets) = library.at_hand(&child) else { continue };
            unseen &= !bit(man);
            let won = |row: usize| if sets.won[row] & bit(to) != 0 { bit(man) } else { 0 };
            pairs(key.pawns() | bit(to), |row, _, _| out.wins[row] |= won(row));
        }
        let hope = library.hope();
        if hope != Hope::Nothing {
            let mut add = |row: usize, wins: u64| out.wins[row] |= wins & unseen;
            hoped_second(key, &rest, to, hope, &mut add);
        }
    }
}

/// By row: the squares of the officer from which the promotion on `to` is taken to win; the same as
/// is guessed of the position after it.
fn hoped_second(key: &Key, rest: &Key, to: u8, hope: Hope, add: &mut impl FnMut(usize, u64)) {
    let legal = kings_won(rest);
    let queen = Key { officer: Officer::Queen, ..*rest };
    // The squares of the officer with which the queen is not taken.
    let safe = |king: u8, other: u8, occupied: u64| {
        if hope == Hope::All {
            return !0;
        } else if !is_likely(&queen, king, other, false) {
            return 0;
        }
        let guarded = KING[usize::from(king)] | attacks_up(rest.ours);
        if (KING[usize::from(other)] & !guarded) & bit(to) == 0 {
            return !0;
        }
        key.officer.attacks(to, occupied) | rest.rest.attacks_past(to, occupied)
    };
    // The pawn still stands on its square, where the officer is not.
    let taken = key.pawns() | bit(to);
    pairs(taken, |row, king, other| {
        if legal[usize::from(king)] & bit(other) != 0 {
            let occupied = rest.pawns() | bit(king) | bit(other);
            add(row, safe(king, other, occupied) & !taken);
        }
    });
}

/// An officer at rest is taken by a pawn. What promotes by that saves.
pub(super) fn at_rest_taken(key: &Key, library: &impl Library, out: &mut Exits) {
    for child in rest_taken(key) {
        join(&mut out.saves, &library.sets(&child).open);
    }
    if attacks_down(key.theirs) & 0xff & key.rest.squares() != 0 {
        out.saves.fill(!0);
    }
}

/// Beside men at rest the other officer is taken, or one of those by a pawn. What promotes by that saves.
pub(super) fn officer_taken_by_rest(key: &Key, library: &impl Library, out: &mut Exits) {
    let (sets, next) =
        (library.sets(&key.after_capture(0)), key.rest.first().map_or(0, |man| bit(man.1)));
    pairs(key.pawns(), |row, king, other| {
        for man in squares(KING[usize::from(other)] & !key.pawns()) {
            if sets.open[usize::from(king) << 6 | usize::from(man)] & next != 0 {
                out.saves[row] |= bit(man);
            }
        }
        out.saves[row] |= attacks_down(key.theirs) & 0xff;
    });
    for (to, child) in officer_lost(key).into_iter().filter(|(to, _)| *to >= 8) {
        let sets = library.sets(&child);
        pairs(key.pawns() | bit(to), |row, _, _| {
            if sets.open[row] & next != 0 {
                out.saves[row] |= bit(to);
            }
        });
    }
    at_rest_taken(key, library, out);
}
