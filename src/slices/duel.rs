//! Slices in which both sides have an officer: their exits and their fixpoint.
//!
//! Rows are over the attacker's officer; the kings and the defender's officer are fixed in a row. So
//! all that blocks the attacker's lines is known in a row. The defender's lines are blocked by the
//! attacker's officer too, which is another in every bit: where its line passes squares, the bits of
//! these squares are left out.
//!
//! A slice has 33.6 million positions, both sides to move, 4 MiB a level.

use super::bits::{
    KING, Officer, RANK_2, RANK_7, attacks_down, attacks_up, between, bit, each_ray, squares,
};
use super::exits::{
    Library, Mode, bare, class, join, new_officer, officer_lost, open_after, our_pushes,
    their_pushes, without, won_after,
};
use super::fixpoint::Exits;
use super::key::Key;
use super::moves::officer_gone;
use super::rows::{Log, Sets, each_check, kings_won};
use super::second::{new_second, rest_taken};

/// Calls `each` with the kings and officers of the defender that touch nothing of `taken`: row,
/// king, other, foe.
pub(super) fn triples(taken: u64, mut each: impl FnMut(usize, u8, u8, u8)) {
    super::exits::pairs(taken, |row, king, other| {
        for foe in squares(!taken & !bit(king) & !bit(other)) {
            each(row << 6 | usize::from(foe), king, other, foe);
        }
    });
}

/// A row by its men.
fn row(king: u8, other: u8, foe: u8) -> usize {
    usize::from(king) << 12 | usize::from(other) << 6 | usize::from(foe)
}

/// The slice without the defender's officer.
fn alone(key: &Key) -> Key {
    Key { rival: Officer::None, ..*key }
}

/// Where an attacker's pawn takes the defender's officer without promoting, and the slice after it.
fn foe_taken(key: &Key) -> impl Iterator<Item = (u8, Key)> {
    let key = *key;
    squares(key.ours).flat_map(move |from| {
        squares(attacks_up(bit(from)) & !key.pawns() & !(0xff << 56))
            .map(move |to| (to, Key { ours: key.ours & !bit(from) | bit(to), ..alone(&key) }))
    })
}

/// The slices after captures of officers.
pub(super) fn children(key: &Key) -> Vec<Key> {
    let mut list = vec![alone(key)];
    list.extend(foe_taken(key).map(|(_, child)| child));
    if let Some(rest) = officer_gone(key) {
        list.push(rest);
        list.extend(officer_lost(key).into_iter().filter(|(to, _)| *to >= 8).map(|(_, k)| k));
    }
    list.extend(rest_taken(key).into_iter().map(|(_, child)| child));
    list
}

/// Rows in which the defender may be stalemated: its king has no legal step, and its officer none
/// to a square beside it.
pub(super) fn suspects(key: &Key, legal: &[u64], look: &mut impl FnMut(usize, u64)) {
    let kings = kings_won(key);
    each_check(key, key.pawns(), &kings, |at, check, occupied| {
        let (king, other, foe) = ((at >> 12) as u8, (at >> 6 & 63) as u8, (at & 63) as u8);
        if attacks_up(key.ours) & bit(other) != 0 {
            return;
        }
        let mut left = !check & !occupied;
        for next in squares(KING[usize::from(other)]) {
            left &= !legal[row(king, next, foe)];
        }
        if left == 0 {
            return;
        }
        let mut steps = key.rival.attacks(foe, occupied);
        if key.rival != Officer::Knight {
            steps &= KING[usize::from(foe)];
        }
        for next in squares(steps & !occupied) {
            left &= !legal[row(king, other, next)];
        }
        if left != 0 {
            look(at, left);
        }
    });
}

/// The exits of a slice; about 10 ms.
///
/// For holds the attacker's promotion wins but where the new man can be taken at once with an open
/// position after it, whatever it is. The taking of its officer saves where it has no pawn left, or a
/// table knows that it does not win with the pawns alone.
/// The defender's own promotions save nothing.
pub(super) fn exits(key: &Key, library: &impl Library, out: &mut Exits) {
    for at in squares(key.theirs) {
        let sets = library.sets(&without(key, at));
        triples(key.pawns(), |this, king, other, foe| {
            if sets.won[this] & bit(at) != 0 {
                let occupied = key.pawns() | bit(king) | bit(other) | bit(foe);
                out.wins[this] |= key.officer.attacks(at, occupied);
            }
            if KING[usize::from(at)] & bit(king) != 0 {
                out.wins[this] |= sets.won[row(at, other, foe)];
            }
        });
    }
    foe_exits(key, library, out);
    for push in our_pushes(key) {
        won_after(key, &push, library, class(&push, library, out));
    }
    match library.mode() {
        Mode::Prove => new_second(key, library, out),
        Mode::Hold => promotions(key, library, out),
    }
    for at in squares(key.own()) {
        let sets = library.sets(&key.without_own(at));
        triples(key.pawns(), |this, king, other, foe| {
            if KING[usize::from(at)] & bit(other) != 0 {
                out.saves[this] |= sets.open[row(king, at, foe)];
            }
            let occupied = key.pawns() | bit(king) | bit(other);
            if key.rival.attacks(foe, occupied) & bit(at) != 0 {
                out.saves[this] |= sets.open[row(king, other, at)] & !between(foe, at);
            }
        });
    }
    for push in their_pushes(key) {
        open_after(key, &push, library, &mut out.saves);
    }
    if library.mode() == Mode::Hold {
        if key.ours == 0 {
            officer_taken(key, library, out);
        } else if let Some(held) = library.outnumbered(key) {
            officer_taken_for(key, &held, out);
        }
        return;
    }
    for from in squares(key.theirs & RANK_2) {
        new_officer(key, from, library, out);
    }
    officer_taken(key, library, out);
}

/// The attacker's promotions, for holds.
fn promotions(key: &Key, library: &impl Library, out: &mut Exits) {
    for from in squares(key.ours & RANK_7) {
        let to = from + 8;
        let rest = Key { ours: key.ours & !bit(from), ..*key };
        let sets = library.sets(&rest);
        triples(key.pawns() | bit(to), |this, king, other, foe| {
            let mut saved = 0;
            if KING[usize::from(to)] & bit(other) != 0 {
                saved |= sets.open[row(king, to, foe)];
            }
            let occupied = rest.pawns() | bit(king) | bit(other);
            if key.rival.attacks(foe, occupied) & bit(to) != 0 {
                saved |= sets.open[row(king, other, to)] & !between(foe, to);
            }
            out.wins[this] |= !saved & !bit(to);
        });
        for foe in squares(attacks_up(bit(from)) & !key.pawns()) {
            super::exits::pairs(key.pawns() | bit(foe), |pair, _, _| {
                out.wins[pair << 6 | usize::from(foe)] = !0;
            });
        }
    }
}

/// The attacker takes the defender's officer.
fn foe_exits(key: &Key, library: &impl Library, out: &mut Exits) {
    let sets = library.sets(&alone(key));
    triples(key.pawns(), |this, king, other, foe| {
        let pair = this >> 6;
        if sets.won[pair] & bit(foe) != 0 {
            out.wins[this] |= key.officer.attacks(foe, key.pawns() | bit(king) | bit(other));
        }
        if KING[usize::from(foe)] & bit(king) != 0 {
            out.wins[this] |= sets.won[usize::from(foe) << 6 | usize::from(other)];
        }
    });
    for (to, child) in foe_taken(key) {
        let sets = library.sets(&child);
        super::exits::pairs(key.pawns() | bit(to), |pair, _, _| {
            out.wins[pair << 6 | usize::from(to)] |= sets.won[pair];
        });
    }
}

/// The attacker's officer is taken: without one at rest all is over. What takes and promotes saves.
fn officer_taken(key: &Key, library: &impl Library, out: &mut Exits) {
    let pawns = attacks_down(key.theirs);
    let promoting = if pawns & 0xff & key.rest() != 0 { !0 } else { pawns & 0xff };
    triples(key.pawns(), |this, _, _, _| out.saves[this] |= promoting);
    let Some(_) = officer_gone(key) else {
        let guarded = attacks_up(key.ours);
        triples(key.pawns(), |this, king, other, foe| {
            out.saves[this] |= KING[usize::from(other)] & !KING[usize::from(king)] & !guarded;
            if guarded & bit(other) == 0 {
                let occupied = key.pawns() | bit(king) | bit(other);
                out.saves[this] |= key.rival.attacks(foe, occupied) | pawns;
            }
        });
        return;
    };
    let sets = library.sets(&bare(key));
    let rest = key.rest();
    triples(key.pawns(), |this, king, other, foe| {
        let mut saves = 0;
        for man in squares(KING[usize::from(other)] & !key.pawns()) {
            if sets.open[row(king, man, foe)] & rest != 0 {
                saves |= bit(man);
            }
        }
        let occupied = key.pawns() | bit(king) | bit(other);
        for man in squares(key.rival.attacks(foe, occupied) & !occupied) {
            if sets.open[row(king, other, man)] & rest != 0 {
                saves |= bit(man);
            }
        }
        out.saves[this] |= saves;
    });
    for (to, child) in officer_lost(key).into_iter().filter(|(to, _)| *to >= 8) {
        let sets = library.sets(&child);
        triples(key.pawns() | bit(to), |this, _, _, _| {
            if sets.open[this] & rest != 0 {
                out.saves[this] |= bit(to);
            }
        });
    }
    for (_, child) in rest_taken(key) {
        join(&mut out.saves, &library.sets(&child).open);
    }
}

/// King or officer of the defender's take the attacker's officer where the rest is held: by the
/// kings, the squares of the defender's officer from which it is.
fn officer_taken_for(key: &Key, held: &[u64], out: &mut Exits) {
    triples(key.pawns(), |this, king, other, foe| {
        let (kings, mut saves) = (usize::from(king) << 6, 0);
        for man in squares(KING[usize::from(other)] & !key.pawns() & !KING[usize::from(king)]) {
            if held[kings | usize::from(man)] & bit(foe) != 0 {
                saves |= bit(man);
            }
        }
        let occupied = key.pawns() | bit(king) | bit(other);
        saves |= key.rival.attacks(foe, occupied) & held[kings | usize::from(other)];
        out.saves[this] |= saves;
    });
}

/// Closes the sets of a slice under its exits; see [`super::fixpoint`]. Some 20 ms; where the
/// exits that save were `seen` before, only what new wins lead to is looked at.
pub(super) fn close(key: &Key, exits: &Exits, seen: bool, sets: &mut Sets, log: &mut Log) {
    let free = !key.pawns();
    // By the kings: the defender's officers whose rows have to be looked at.
    let mut stale = vec![0_u64; 4096];
    super::exits::pairs(key.pawns(), |pair, king, other| {
        let foes = free & !bit(king) & !bit(other);
        if !seen {
            stale[pair] = foes;
        }
        for foe in squares(foes) {
            let this = pair << 6 | usize::from(foe);
            let wins = exits.wins[this];
            if sets.open[this] & wins != 0 {
                win(key, this, wins, sets, &mut stale);
            }
        }
    });
    let mut fresh: Vec<(u32, u64)> = Vec::new();
    loop {
        fresh.clear();
        for (pair, foes) in stale.iter_mut().enumerate() {
            for foe in squares(std::mem::take(foes)) {
                let this = pair << 6 | usize::from(foe);
                let left = !(exits.saves[this] | sets.won[this]);
                let left = if left == 0 { 0 } else { lost(key, this, left, &sets.open) };
                if left != 0 {
                    sets.won[this] |= left;
                    log.note(this, left);
                    fresh.push((this as u32, left));
                }
            }
        }
        log.step += 1;
        if fresh.is_empty() {
            return;
        }
        for &(this, won) in &fresh {
            push(key, this as usize, won, sets, &mut stale);
        }
    }
}

/// Those of a row's positions in which no move inside the slice saves the defender.
#[inline]
fn lost(key: &Key, this: usize, mut left: u64, open: &[u64]) -> u64 {
    let (pair, other, foe) = (this >> 6 << 6, this >> 6 & 63, (this & 63) as u8);
    let kings = this >> 12 << 12;
    for next in squares(KING[other]) {
        left &= !open[kings | usize::from(next) << 6 | usize::from(foe)];
        if left == 0 {
            return 0;
        }
    }
    let occupied = key.pawns() | 1 << (this >> 12) | 1 << other;
    let reach = key.rival.attacks(foe, occupied);
    if key.rival == Officer::Knight {
        squares(reach).for_each(|to| left &= !open[pair | usize::from(to)]);
    } else {
        each_ray(foe, reach, |to, passed| left &= !open[pair | usize::from(to)] | passed);
    }
    left
}

/// The attacker's positions that lead into newly won ones of a row.
fn push(key: &Key, this: usize, won: u64, sets: &mut Sets, stale: &mut [u64]) {
    let (king, other, foe) = (this >> 12, this >> 6 & 63, (this & 63) as u8);
    let occupied = key.pawns() | 1 << king | 1 << other | bit(foe);
    for from in squares(KING[king]) {
        win(key, usize::from(from) << 12 | this & 0xfff, won, sets, stale);
    }
    win(key, this, key.officer.reach(won, occupied), sets, stale);
}

/// Notes that positions of a row with the attacker to move are won, and which rows with the defender
/// to move have to be looked at again.
#[inline]
fn win(key: &Key, this: usize, wins: u64, sets: &mut Sets, stale: &mut [u64]) {
    let new = sets.open[this] & wins;
    if new == 0 {
        return;
    }
    sets.open[this] &= !new;
    let (king, other, foe) = (this >> 12, this >> 6 & 63, (this & 63) as u8);
    let taken = key.pawns() | 1 << king | 1 << other;
    for from in squares(KING[other] & !taken & !KING[king] & !bit(foe)) {
        stale[king << 6 | usize::from(from)] |= bit(foe);
    }
    stale[king << 6 | other] |= key.rival.attacks(foe, taken) & !taken;
}
