//! Slices with several officers, of one side or of both: their exits.
//!
//! Which officers move about is in [`super::key`], how rows are laid out in [`super::shape`]. With
//! two officers a slice has 33.6 million positions, both sides to move, and takes 4 MiB a level;
//! with three (*vast*) 2.1 thousand million and 256 MiB.
//!
//! For wins the attacker's promotion to a queen leads to a slice with one officer more, and beside one
//! officer against one also to a slice with that at rest, a sixty-fourth as large ([`super::second`]); other
//! promotions, and those beside more officers than slices have, prove nothing. For holds the
//! attacker's promotion wins but where the new man can be taken at once with an open position after
//! it, whatever it is, or where the attacker is in check still; where it had pawns alone, the slices
//! after all four promotions may be looked into. The defender's own promotions save nothing there;
//! where wins are proved they save but where the new man is taken at once and the rest is won.

use super::bits::{KING, Officer, RANK_2, RANK_7, attacks_down, attacks_up, between, bit, squares};
use super::children::{our_pushes, their_pushes, without};
use super::exits::{Hope, Library, Mode, class, open_after, won_after};
use super::fixpoint::Exits;
use super::guess::is_ahead;
use super::key::Key;
use super::moves::{has_second, second};
use super::rows::{Sets, kings_open, kings_won};
use super::second::{at_rest_taken, rest_taken, seconds};
use super::shape::{Row, Shape, gathered};
use super::turned::{Turned, without_axis};
use rayon::prelude::*;
use std::sync::Arc;

/// The slices after captures of officers, and promotions.
pub(super) fn children(key: &Key) -> Vec<Key> {
    let mut list = Vec::new();
    for number in 0..key.kind() {
        list.push(key.after_capture(number));
        list.extend(taken_by_pawn(key, number).map(|(_, child)| child));
    }
    list.extend(queens(key).map(|(_, _, child)| child));
    list.extend(seconds(key).map(|(_, _, child)| child));
    list.extend(rest_taken(key));
    list.extend(squares(key.ours & RANK_7).filter_map(|from| first_officers(key, from)).flatten());
    list
}

/// The slices after a promotion, to whatever it is, where the attacker has pawns alone against one
/// officer.
fn first_officers(key: &Key, from: u8) -> Option<[Key; 4]> {
    let rest = Key { ours: key.ours & !bit(from), ..*key };
    let fits = key.kind() == 1 && !key.is_large();
    fits.then(|| Officer::promoted(from + 8).map(|officer| Key { officer, ..rest }))
}

/// Where pawns take the officer of a number without promoting, and the slice after it.
fn taken_by_pawn(key: &Key, number: usize) -> impl Iterator<Item = (u8, Key)> + use<> {
    let child = key.after_capture(number);
    let ours = key.movers().nth(number).is_some_and(|man| man.ours);
    let (key, takers) = (*key, if ours { key.theirs } else { key.ours });
    squares(takers).flat_map(move |from| {
        let to = if ours { attacks_down(bit(from)) } else { attacks_up(bit(from)) };
        squares(to & !key.pawns() & !(0xff << 56) & !0xff).map(move |to| {
            let pawns = takers & !bit(from) | bit(to);
            let after =
                if ours { Key { theirs: pawns, ..child } } else { Key { ours: pawns, ..child } };
            (to, after)
        })
    })
}

/// The attacker's promotions to a queen by a step: where, the slice without the pawn, and the slice
/// after it.
fn queens(key: &Key) -> impl Iterator<Item = (u8, Key, Key)> + use<> {
    let key = *key;
    squares(key.ours & RANK_7).filter_map(move |from| {
        let rest = Key { ours: key.ours & !bit(from), ..key };
        Some((from + 8, rest, rest.with_queen()?))
    })
}

/// The exits of a slice; 10 ms with two officers, one or two seconds with three.
pub(super) fn exits(key: &Key, library: &impl Library, out: &mut Exits) {
    let shape = Shape::of(key);
    for ours in [true, false] {
        pawns_taken(key, &shape, ours, library, out);
        for number in 0..key.kind() {
            if key.movers().nth(number).is_some_and(|man| man.ours != ours) {
                officer_taken(key, &shape, ours, number, library, out);
            }
        }
    }
    at_rest_taken(key, library, out);
    for push in our_pushes(key) {
        if !is_blank(&push.child, true, library) {
            won_after(key, &push, library, class(&push, library, out));
        }
    }
    for push in their_pushes(key) {
        if !is_blank(&push.child, false, library) {
            open_after(key, &push, library, &mut out.saves);
        }
    }
    match library.mode() {
        Mode::Prove => {
            new_queen(key, &shape, library, out);
            if has_second(key) {
                new_second(key, &shape, library, out);
            }
            for from in squares(key.theirs & RANK_2) {
                new_rival(key, &shape, from, library, out);
            }
        }
        Mode::Hold => promotions(key, &shape, library, out),
    }
}

/// One side's rows of exits, and the sets that moves of that side lead to.
fn rows(out: &mut Exits, ours: bool) -> &mut Vec<u64> {
    if ours { &mut out.wins } else { &mut out.saves }
}

/// Whether moves of a side into a slice add nothing, for it is not at hand: its sets are too large
/// to be made for that.
fn is_blank(child: &Key, ours: bool, library: &impl Library) -> bool {
    let adds = ours == (library.mode() == Mode::Prove);
    adds && child.is_vast() && library.at_hand(child).is_none()
}

/// Kings and officers of a side (`ours`: the attacker's) take the other's pawns.
fn pawns_taken(key: &Key, shape: &Shape, ours: bool, library: &impl Library, out: &mut Exits) {
    let out = rows(out, ours);
    for at in squares(if ours { key.theirs } else { key.own() }) {
        let child = if ours { without(key, at) } else { key.without_own(at) };
        if is_blank(&child, ours, library) {
            continue;
        }
        let sets = library.sets(&child);
        let after = if ours { &sets.won } else { &sets.open };
        shape.add(key.pawns(), out, |row| {
            takes(key, shape, row, ours, at, |next| after[next.number()])
        });
    }
}

/// Squares of the axis with which a side takes what stands on a square of a row, by what the rows
/// after it say.
#[inline]
fn takes(
    key: &Key,
    shape: &Shape,
    row: &Row,
    ours: bool,
    at: u8,
    after: impl Fn(&Row) -> u64,
) -> u64 {
    let own = if ours { row.king } else { row.other };
    let mut found = 0;
    if KING[usize::from(at)] & bit(own) != 0 {
        found |= after(&row.with_king(ours, at));
    }
    let occupied = key.pawns() | row.occupied();
    for (number, officer) in shape.fixed(ours) {
        let from = row.men()[number];
        if officer.attacks(from, occupied) & bit(at) != 0 {
            found |= after(&row.moved(number, at)) & !between(from, at);
        }
    }
    if shape.axis.ours == ours && after(row) & bit(at) != 0 {
        found |= shape.axis.officer.attacks(at, occupied);
    }
    found
}

/// A side takes the other's officer of a number.
fn officer_taken(
    key: &Key,
    shape: &Shape,
    ours: bool,
    number: usize,
    library: &impl Library,
    out: &mut Exits,
) {
    let sets = library.sets(&key.after_capture(number));
    let after = if ours { &sets.won } else { &sets.open };
    let out = rows(out, ours);
    if number == 0 {
        let turned = Turned::of(key, shape, ours, after);
        shape.add(key.pawns(), out, |row| turned.axis_taken(row) & !key.pawns() & !row.occupied());
    } else {
        // The officer's own square is where it is taken.
        let fixed = number - 1;
        shape.add(key.pawns(), out, |row| {
            let read = |next: &Row| after[next.without(fixed).number()];
            takes(key, shape, row, ours, row.men()[fixed], read)
        });
    }
    for (to, child) in taken_by_pawn(key, number) {
        let sets = library.sets(&child);
        let after = if ours { &sets.won } else { &sets.open };
        shape.add(key.pawns(), out, |row| {
            if number > 0 {
                let taken = row.men()[number - 1] == to;
                return if taken { after[row.without(number - 1).number()] } else { 0 };
            }
            let full = without_axis(key, row);
            let taken = row.occupied() & bit(to) == 0 && after[full >> 6] & 1 << (full & 63) != 0;
            if taken { bit(to) } else { 0 }
        });
    }
    promoting_captures(key, shape, ours, number, library.mode(), out);
}

/// Pawns take an officer and promote: what is not looked into counts for the side that does not
/// have to prove.
fn promoting_captures(
    key: &Key,
    shape: &Shape,
    ours: bool,
    number: usize,
    mode: Mode,
    out: &mut [u64],
) {
    if ours != (mode == Mode::Hold) {
        return;
    }
    let taken =
        if ours { attacks_up(key.ours) & 0xff << 56 } else { attacks_down(key.theirs) & 0xff };
    if taken == 0 {
        return;
    }
    shape.add(key.pawns(), out, |row| match number {
        0 => taken,
        _ if taken & bit(row.men()[number - 1]) != 0 => !0,
        _ => 0,
    });
}

/// The attacker promotes to a queen, where wins are proved. Where the slice after it is not at hand,
/// the new queen wins, as far as it is guessed, unless it can be taken at once.
fn new_queen(key: &Key, shape: &Shape, library: &impl Library, out: &mut Exits) {
    for (to, rest, child) in queens(key) {
        // The pawn still stands on its square.
        let taken = key.pawns() | bit(to);
        if let Some(sets) = library.at_hand(&child) {
            shape.add(taken, &mut out.wins, |row| {
                gathered(&sets.won, row, to, !taken & !row.occupied())
            });
            continue;
        }
        let hope = library.hope();
        if hope == Hope::All || hope == Hope::Guess && is_ahead(&child) {
            let kings = kings_won(&rest);
            shape.add(taken, &mut out.wins, |row| {
                let safe = kings[usize::from(row.king)] & bit(row.other) != 0;
                if safe { hoped(&rest, shape, row, to, hope) & !taken } else { 0 }
            });
        }
    }
}

/// The attacker promotes to a queen, which moves from then on in place of the officer that did. Where
/// the slice after it is not at hand, the new queen wins, as far as it is guessed, unless it can be
/// taken at once.
fn new_second(key: &Key, shape: &Shape, library: &impl Library, out: &mut Exits) {
    for from in squares(key.ours & RANK_7) {
        let (to, rest) = (from + 8, Key { ours: key.ours & !bit(from), ..*key });
        // The pawn still stands on its square.
        let taken = key.pawns() | bit(to);
        let mut unseen = !taken;
        for (_, man, child) in seconds(key).filter(|(at, _, _)| *at == to) {
            let Some(sets) = library.at_hand(&child) else { continue };
            unseen &= !bit(man);
            shape.add(taken | bit(man), &mut out.wins, |row| {
                if sets.won[row.number()] & bit(to) != 0 { bit(man) } else { 0 }
            });
        }
        let hope = library.hope();
        // Wherever the officer stays.
        let queen = second(&rest, from);
        if hope == Hope::All || hope == Hope::Guess && is_ahead(&queen) {
            let kings = kings_won(&rest);
            shape.add(taken, &mut out.wins, |row| {
                let safe = kings[usize::from(row.king)] & bit(row.other) != 0;
                if safe { hoped(&rest, shape, row, to, hope) & unseen } else { 0 }
            });
        }
    }
}

/// The squares of the axis from which a promotion is taken to win.
fn hoped(rest: &Key, shape: &Shape, row: &Row, to: u8, hope: Hope) -> u64 {
    let occupied = rest.pawns() | bit(to) | row.occupied();
    let mut wins = !shape.checks(row, false, row.king, occupied);
    if hope == Hope::Guess {
        wins &= !shape.checks(row, false, to, occupied);
        if KING[usize::from(row.other)] & bit(to) != 0 && KING[usize::from(row.king)] & bit(to) == 0
        {
            wins &= shape.checks(row, true, to, occupied);
        }
    }
    wins
}

/// A defender's pawn promotes by a step, where wins are proved.
fn new_rival(key: &Key, shape: &Shape, from: u8, library: &impl Library, out: &mut Exits) {
    let rest = without(key, from);
    let to = from - 8;
    let sets = library.sets(&rest);
    let kings = kings_open(&rest);
    shape.add(key.pawns() | bit(to), &mut out.saves, |row| {
        if kings[usize::from(row.king)] & bit(row.other) == 0 {
            return 0;
        }
        let occupied = rest.pawns() | bit(to) | row.occupied();
        let checked = shape.checks(row, true, row.other, occupied);
        let taken = takes(&rest, shape, row, true, to, |next| sets.won[next.number()]);
        !checked & !occupied & !taken
    });
}

/// The attacker's promotions by a step, for holds.
fn promotions(key: &Key, shape: &Shape, library: &impl Library, out: &mut Exits) {
    for from in squares(key.ours & RANK_7) {
        let to = from + 8;
        let taken = key.pawns() | bit(to);
        let looked = library.meets().then(|| first_officers(key, from)).flatten();
        let at_hand = |keys: [Key; 4]| keys.iter().map(|child| library.at_hand(child)).collect();
        if let Some(all) = looked.and_then(at_hand) {
            let all: Vec<Arc<Sets>> = all;
            shape.add(taken, &mut out.wins, |row| {
                let won = |sets: &Arc<Sets>| gathered(&sets.won, row, to, !taken & !row.occupied());
                all.iter().fold(0, |wins, sets| wins | won(sets))
            });
            continue;
        }
        let rest = Key { ours: key.ours & !bit(from), ..*key };
        let sets = library.sets(&rest);
        shape.add(taken, &mut out.wins, |row| {
            let occupied = rest.pawns() | bit(to) | row.occupied();
            let saved = takes(&rest, shape, row, false, to, |next| sets.open[next.number()])
                | shape.checks(row, false, row.king, occupied);
            !saved & !bit(to)
        });
    }
}

/// What `look` finds in rows in which the defender may be stalemated, all threads together: its king has
/// no legal step, the axis no move, and its fixed officers none to a square beside them.
pub(super) fn suspects(
    key: &Key,
    legal: &[u64],
    look: impl Fn(usize, u64) -> Option<(u32, u64)> + Sync,
) -> Vec<(u32, u64)> {
    let (shape, kings) = (Shape::of(key), kings_won(key));
    let of_king = |king: u8| {
        let mut found = Vec::new();
        shape.each_of(king, key.pawns(), &mut |this, row| {
            let apart = kings[usize::from(row.king)] & bit(row.other) != 0;
            if apart && attacks_up(key.ours) & bit(row.other) == 0 {
                let left = suspected(key, &shape, legal, this, row);
                found.extend(if left == 0 { None } else { look(this, left) });
            }
        });
        found
    };
    let kings: Vec<u8> = squares(!key.pawns()).collect();
    kings.into_par_iter().flat_map_iter(of_king).collect()
}

/// Those of a row's positions in which neither king nor axis has a legal step, nor a fixed officer to a
/// square beside it.
#[inline]
fn suspected(key: &Key, shape: &Shape, legal: &[u64], this: usize, row: &Row) -> u64 {
    let mut left = shape.axis.officer.home();
    for next in squares(KING[usize::from(row.other)]) {
        left &= !legal[row.with_king(false, next).number()];
        if left == 0 {
            return 0;
        }
    }
    let occupied = key.pawns() | row.occupied();
    left &= !occupied & !shape.checks(row, true, row.other, occupied);
    for (number, officer) in shape.fixed(false) {
        let at = row.men()[number];
        let mut steps = officer.attacks(at, occupied) & !occupied;
        if officer != Officer::Knight {
            steps &= KING[usize::from(at)];
        }
        for next in squares(steps) {
            left &= !legal[row.moved(number, next).number()];
        }
    }
    if !shape.axis.ours && left != 0 {
        left &= !shape.axis.officer.reach(legal[this], occupied);
    }
    left
}
