//! What the exits of a slice say of its positions, a row at a time.
//!
//! An exit leads into another slice: a pawn's step, a capture, a promotion. The sets read are those
//! of one level of knowledge ([`super::store`]); where they are subsets of the truth for one level,
//! so is what is made of them: every rule below is monotone in them.
//!
//! *Legality* is that of the position after the move: a set has no illegal position in it, so that
//! a move which leaves the own king in check is no exit. Squares that a pawn passes over are
//! excluded by hand.
//!
//! *En passant*: after a double step the value joins that of the capture's slice. Where the
//! attacker stepped, each legal capture has to be won too; that a capture would lift a stalemate is
//! left out, which makes the set of won positions smaller at most. (An upper bound has to add it.)
//!
//! *The defender's promotion* counts as lost for the attacker unless the new man is taken at once
//! by king or officer and the rest is won, which is the same whatever the pawn became.
//!
//! *The attacker's second officer*: after a promotion to a queen the officer stays at rest in the
//! slice that it leads to ([`super::key`]), where the defender has an officer or that of the attacker
//! may not win alone; else, and for other promotions, it proves nothing.
//!
//! For the defender's holds the same is asked of upper bounds ([`Mode::Hold`]): a stalemate that a
//! capture en passant would lift counts as won, the attacker may promote to any of the four
//! officers, a second officer wins, and the defender's new queen saves only where the defender is
//! proved to win with it, in the slice that the board turned round leads to, or where it is proved to
//! hold with it, against an officer of the attacker's or (once all else is given up) pawns alone; then
//! so does a new knight against an officer.

use super::bits::{KING, Officer, RANK_2, RANK_7, bit, squares};
use super::children::{
    MET, Push, officer_lost, our_pushes, promotions, queened, queened_place, rivalled,
    their_pushes, without,
};
use super::fixpoint::Exits;
use super::key::{Key, Place};
use super::rows::{Sets, each_check, kings_open, legal_open, legal_won_into};
use super::second::{new_second, officer_taken_by_rest};
use super::shape::Shape;
use super::stalemates::stalemates;
use std::sync::Arc;

/// From which side the sets approach the truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// What is called won is won.
    Prove,
    /// What is called not won is not won.
    Hold,
}

/// Where the sets of other slices are found.
pub(super) trait Library {
    /// Whether a slice is at hand.
    fn has(&self, key: &Key) -> bool;

    /// What the sets are for.
    fn mode(&self) -> Mode;

    /// The slice in which the defender is the attacker, for [`Mode::Hold`]: what is proved (or
    /// guessed) to be won there. None where nothing is known.
    fn turned(&self, key: &Key) -> Option<Arc<Sets>>;

    /// Whether holds look into promotions by which the defender does not win: the slices after them
    /// are a hundred times as dear as others.
    fn meets(&self) -> bool;

    /// The sets of a slice.
    fn sets(&self, key: &Key) -> Arc<Sets>;

    /// The same if it is at hand.
    fn at_hand(&self, key: &Key) -> Option<Arc<Sets>>;

    /// What is taken of wins in slices that are not at hand.
    fn hope(&self) -> Hope;
}

/// What is taken of a slice that is not at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Hope {
    /// That nothing is won.
    Nothing,
    /// What is guessed.
    Guess,
    /// That everything is won.
    All,
}

/// The exits of a slice with the sets that a library has of its children. About 10 µs for kings and
/// pawns; with an officer about 20 µs a child.
pub(super) fn exits(key: &Key, stuck: &[(u32, u64)], library: &impl Library, out: &mut Exits) {
    out.clear(key);
    legal_won_into(key, &mut out.saves);
    out.saves.iter_mut().for_each(|rows| *rows = !*rows);
    for &(row, bits) in stuck {
        out.saves[row as usize] |= bits;
    }
    if key.is_several() {
        super::several::exits(key, library, out);
    } else if key.is_large() {
        large(key, library, out);
    } else {
        out.takes.clear();
        out.takes.resize(64, 0);
        small(key, library, out);
    }
}

fn small(key: &Key, library: &impl Library, out: &mut Exits) {
    for at in squares(key.theirs) {
        let row = library.sets(&without(key, at)).won[usize::from(at)];
        squares(KING[usize::from(at)]).for_each(|king| out.wins[usize::from(king)] |= row);
    }
    for push in our_pushes(key) {
        won_after(key, &push, library, class(&push, library, out));
    }
    let queens = library.mode() == Mode::Prove;
    let looked = |(_, child): &(u8, Key)| !queens || child.officer == Officer::Queen;
    for (to, child) in promotions(key).filter(looked) {
        let sets = library.sets(&child);
        for king in squares(!key.pawns() & !bit(to)) {
            let mut wins = 0;
            for other in squares(!key.pawns() & !bit(to)) {
                wins |= (sets.won[usize::from(king) << 6 | usize::from(other)] >> to & 1) << other;
            }
            out.wins[usize::from(king)] |= wins;
        }
    }
    for at in squares(key.ours) {
        let sets = library.sets(&Key { ours: key.ours & !bit(at), ..*key });
        for king in squares(!key.pawns()) {
            out.takes[usize::from(king)] |= sets.open[usize::from(king)] & bit(at);
        }
    }
    for push in their_pushes(key) {
        open_after(key, &push, library, &mut out.saves);
    }
    for from in squares(key.theirs & RANK_2) {
        let rest = without(key, from);
        let legal = kings_open(&rest);
        if library.mode() == Mode::Hold {
            held_by_queen(&rest, from - 8, library, |king, held| {
                out.saves[usize::from(king)] |= legal[usize::from(king)] & held;
            });
            if library.meets() {
                held_against_queen(key, from, library, out);
            }
            continue;
        }
        let (to, won) = (bit(from - 8), library.sets(&rest));
        for king in squares(!key.pawns() & !to) {
            let at = usize::from(king);
            let taken = if KING[at] & to != 0 { won.won[usize::from(from - 8)] } else { 0 };
            out.saves[at] |= legal[at] & !to & !taken;
        }
    }
}

/// Where the wins by an attacker's pawn move are noted.
pub(super) fn class<'a>(push: &Push, library: &impl Library, out: &'a mut Exits) -> &'a mut [u64] {
    match push.takes {
        true => &mut out.wins,
        false if out.later[0].is_empty() => &mut out.wins,
        false => &mut out.later[usize::from(!library.has(&push.child))],
    }
}

/// Calls `each` with squares of the attacker's king, and those of the defender's where it wins with
/// a new queen.
fn held_by_queen(rest: &Key, to: u8, library: &impl Library, mut each: impl FnMut(u8, u64)) {
    let key = queened(rest);
    let Some(sets) = library.turned(&key) else { return };
    for king in squares(!rest.pawns() & !bit(to)) {
        let mut held = 0;
        for other in squares(!rest.pawns() & !bit(to)) {
            let place = queened_place(&Place { king, other, men: [0; 3], ours: true }, to);
            let (row, square) = key.index(&place);
            if sets.won[row] & square != 0 {
                held |= bit(other);
            }
        }
        each(king, held);
    }
}

/// The defender promotes to a queen, with which it holds against the attacker's pawns.
fn held_against_queen(key: &Key, from: u8, library: &impl Library, out: &mut Exits) {
    let Some(child) = rivalled(key, from, Officer::Queen) else { return };
    let (to, sets) = (from - 8, library.sets(&child));
    pairs(key.pawns() | bit(to), |row, king, other| {
        out.saves[usize::from(king)] |= (sets.open[row] >> to & 1) << other;
    });
}

/// Adds to `out` the positions won by the attacker's pawn move, the defender to move after it: with
/// each capture en passant won too.
pub(super) fn won_after(key: &Key, push: &Push, library: &impl Library, out: &mut [u64]) {
    let sets = library.sets(&push.child);
    if push.via == 0 {
        return join(out, &sets.won);
    }
    let mut won = sets.won.clone();
    if library.mode() == Mode::Hold && !push.taken.is_empty() {
        for (row, bits) in stalemates(&push.child, &legal_open(&push.child)) {
            won[row as usize] |= bits;
        }
    }
    for key in &push.taken {
        let sets = library.sets(key);
        won.iter_mut().zip(&sets.open).for_each(|(won, open)| *won &= !open);
    }
    join_apart(key, push.via, &won, out);
}

/// Adds to `out` the positions not won after the defender's pawn move, the attacker to move: not by
/// a capture en passant either.
pub(super) fn open_after(key: &Key, push: &Push, library: &impl Library, out: &mut [u64]) {
    let sets = library.sets(&push.child);
    if push.via == 0 {
        return join(out, &sets.open);
    }
    let mut open = sets.open.clone();
    for key in &push.taken {
        let sets = library.sets(key);
        open.iter_mut().zip(&sets.won).for_each(|(open, won)| *open &= !won);
    }
    join_apart(key, push.via, &open, out);
}

/// Adds rows of a child. Where a man of the child's stands in a king's way its rows are empty, so
/// that nothing has to be left out but rows that are illegal here too.
pub(super) fn join(out: &mut [u64], rows: &[u64]) {
    out.iter_mut().zip(rows).for_each(|(out, row)| *out |= row);
}

/// The same but for positions with a man on squares that a pawn passes.
fn join_apart(key: &Key, via: u64, rows: &[u64], out: &mut [u64]) {
    if key.is_several() {
        Shape::of(key).add(key.pawns() | via, out, |row| rows[row.number()] & !via);
    } else if key.is_large() {
        pairs(key.pawns() | via, |row, _, _| out[row] |= rows[row] & !via);
    } else {
        for king in squares(!key.pawns() & !via) {
            out[usize::from(king)] |= rows[usize::from(king)] & !via;
        }
    }
}

/// Calls `each` with the pairs of kings that touch nothing of `taken`: row, king, other.
pub(super) fn pairs(taken: u64, mut each: impl FnMut(usize, u8, u8)) {
    for king in squares(!taken) {
        for other in squares(!taken & !bit(king) & !KING[usize::from(king)]) {
            each(usize::from(king) << 6 | usize::from(other), king, other);
        }
    }
}

fn large(key: &Key, library: &impl Library, out: &mut Exits) {
    for at in squares(key.theirs) {
        let sets = library.sets(&without(key, at));
        pairs(key.pawns(), |row, king, other| {
            if sets.won[row] & bit(at) != 0 {
                let occupied = key.pawns() | bit(king) | bit(other);
                out.wins[row] |= key.officer.attacks(at, occupied);
            }
            if KING[usize::from(at)] & bit(king) != 0 {
                out.wins[row] |= sets.won[usize::from(at) << 6 | usize::from(other)];
            }
        });
    }
    for push in our_pushes(key) {
        won_after(key, &push, library, class(&push, library, out));
    }
    for at in squares(key.own()) {
        let sets = library.sets(&key.without_own(at));
        for king in squares(!key.pawns() & !KING[usize::from(at)]) {
            let open = sets.open[usize::from(king) << 6 | usize::from(at)];
            for other in squares(KING[usize::from(at)] & !key.pawns()) {
                out.saves[usize::from(king) << 6 | usize::from(other)] |= open;
            }
        }
    }
    for push in their_pushes(key) {
        open_after(key, &push, library, &mut out.saves);
    }
    if library.mode() == Mode::Prove {
        for from in squares(key.theirs & RANK_2) {
            new_officer(key, from, library, out);
        }
        new_second(key, library, out);
    } else {
        for from in squares(key.ours & RANK_7) {
            let to = bit(from) << 8;
            pairs(key.pawns() | to, |row, _, _| out.wins[row] |= !to);
        }
        for from in squares(key.theirs & RANK_2) {
            let officers = MET.into_iter().filter(|_| library.meets());
            for child in officers.filter_map(|officer| rivalled(key, from, officer)) {
                let (to, sets) = (from - 8, library.sets(&child));
                pairs(key.pawns() | bit(to), |row, _, _| {
                    out.saves[row] |= sets.open[row << 6 | usize::from(to)] & !bit(to);
                });
            }
        }
    }
    officer_taken(key, library, out);
}

/// A defender's pawn promotes by a step.
fn new_officer(key: &Key, from: u8, library: &impl Library, out: &mut Exits) {
    let rest = without(key, from);
    let to = from - 8;
    let sets = library.sets(&rest);
    let mut kings = kings_open(&rest);
    kings.iter_mut().for_each(|others| *others &= !bit(to) & !bit(from));
    (kings[usize::from(from)], kings[usize::from(to)]) = (0, 0);
    each_check(key, rest.pawns() | bit(to), &kings, |row, check, occupied| {
        let mut taken = 0;
        if sets.won[row] & bit(to) != 0 {
            taken |= key.officer.attacks(to, occupied);
        }
        if KING[row >> 6] & bit(to) != 0 {
            taken |= sets.won[usize::from(to) << 6 | row & 63];
        }
        out.saves[row] |= !check & !occupied & !taken;
    });
}

/// The officer is taken by the defender's king or a pawn.
fn officer_taken(key: &Key, library: &impl Library, out: &mut Exits) {
    if key.is_below() {
        return officer_taken_by_rest(key, library, out);
    }
    let sets = library.sets(&key.after_capture(0));
    pairs(key.pawns(), |row, king, other| {
        out.saves[row] |= KING[usize::from(other)] & sets.open[usize::from(king)];
    });
    for (to, child) in officer_lost(key) {
        if library.mode() == Mode::Hold && to < 8 {
            held_by_queen(&child, to, library, |king, held| {
                for other in squares(held) {
                    out.saves[usize::from(king) << 6 | usize::from(other)] |= bit(to);
                }
            });
            continue;
        }
        let sets = library.sets(&child);
        let legal = kings_open(&child);
        pairs(key.pawns() | bit(to), |row, king, other| {
            let won = if to < 8 {
                // The new man is taken by the king.
                legal[usize::from(king)] & bit(other) == 0
                    || KING[usize::from(king)] & bit(to) != 0
                        && sets.won[usize::from(to)] & bit(other) != 0
            } else {
                sets.open[usize::from(king)] & bit(other) == 0
            };
            if !won {
                out.saves[row] |= bit(to);
            }
        });
    }
}
