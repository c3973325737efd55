//! The slices that a slice's exits lead to: pawns' steps and captures, captures by others, promotions.

use super::bits::{Officer, RANK_2, RANK_7, attacks_down, attacks_up, bit, squares};
use super::key::{Key, Place};
use super::second::{rest_taken, seconds};

/// A pawn's step or capture: whether it takes, what stands afterwards, the squares passed over, and
/// what captures en passant leave.
pub(super) struct Push {
    pub(super) takes: bool,
    pub(super) child: Key,
    pub(super) via: u64,
    pub(super) taken: Vec<Key>,
}

impl Push {
    /// Whether it may be taken in passing.
    pub(super) fn passes(&self) -> bool {
        !self.taken.is_empty()
    }
}

/// The attacker's pawn moves that promote nothing.
pub(super) fn our_pushes(key: &Key) -> Vec<Push> {
    let mut list = Vec::new();
    let empty = !key.pawns();
    for from in squares(key.ours & !RANK_7) {
        let rest = key.ours & !bit(from);
        let step = bit(from) << 8 & empty;
        if step != 0 {
            let child = Key { ours: rest | step, ..*key };
            list.push(Push { takes: false, child, via: 0, taken: vec![] });
        }
        let double = if bit(from) & RANK_2 != 0 { step << 8 & empty } else { 0 };
        if double != 0 {
            let beside = (double << 1 & !bit(32) | double >> 1 & !bit(23)) & key.theirs;
            let taken = squares(beside)
                .map(|taker| Key { ours: rest, theirs: key.theirs & !bit(taker) | step, ..*key })
                .collect();
            let child = Key { ours: rest | double, ..*key };
            list.push(Push { takes: false, child, via: step, taken });
        }
    }
    for from in squares(key.ours) {
        for to in squares(attacks_up(bit(from)) & key.theirs) {
            let ours = key.ours & !bit(from) | bit(to);
            let child = Key { ours, theirs: key.theirs & !bit(to), ..*key };
            list.push(Push { takes: true, child, via: 0, taken: vec![] });
        }
    }
    list
}

/// The key with colours exchanged and the board turned over.
pub(super) fn mirrored(key: &Key) -> Key {
    let (ours, theirs) = (key.theirs.swap_bytes(), key.ours.swap_bytes());
    let [officer, mate, rival, peer] =
        [key.officer, key.mate, key.rival, key.peer].map(Officer::turned);
    Key { ours, theirs, officer, mate, rival, peer, rest: key.rest.turned() }
}

/// The defender's pawn moves that promote nothing and take pawns only.
pub(super) fn their_pushes(key: &Key) -> Vec<Push> {
    let back = |push: Push| Push {
        takes: push.takes,
        child: mirrored(&push.child),
        via: push.via.swap_bytes(),
        taken: push.taken.iter().map(mirrored).collect(),
    };
    our_pushes(&mirrored(key)).into_iter().map(back).collect()
}

/// The slices that a slice's exits read, those of captures en passant with them.
pub(super) fn children(key: &Key) -> Vec<Key> {
    let mut list: Vec<Key> = our_pushes(key)
        .into_iter()
        .chain(their_pushes(key))
        .flat_map(|push| std::iter::once(push.child).chain(push.taken))
        .collect();
    list.extend(squares(key.theirs).map(|at| without(key, at)));
    list.extend(squares(key.own()).map(|at| key.without_own(at)));
    if key.is_several() {
        list.extend(super::several::children(key));
    } else if key.is_large() {
        list.extend(seconds(key).map(|(_, _, child)| child));
        list.extend(officer_lost(key).into_iter().map(|(_, child)| child));
        list.push(key.after_capture(0));
        list.extend(
            officer_lost(key).into_iter().filter(|(to, _)| *to < 8).map(|(_, rest)| queened(&rest)),
        );
        list.extend(rest_taken(key));
        for officer in MET {
            list.extend(squares(key.theirs & RANK_2).filter_map(|at| rivalled(key, at, officer)));
        }
    } else {
        list.extend(promotions(key).map(|(_, child)| child));
        list.extend(squares(key.theirs & RANK_2).map(|from| queened(&without(key, from))));
        let queens = |from| rivalled(key, from, Officer::Queen);
        list.extend(squares(key.theirs & RANK_2).filter_map(queens));
    }
    list.sort_by_key(|k| (k.ours, k.theirs, k.officer, k.mate, k.rival, k.peer, k.rest));
    list.dedup();
    list
}

/// The slice without a pawn of the defender's.
pub(super) fn without(key: &Key, at: u8) -> Key {
    Key { theirs: key.theirs & !bit(at), ..*key }
}

/// What holds look into, of what a pawn of the defender's may become against an officer: a knight may
/// give check or a fork.
pub(super) const MET: [Officer; 2] = [Officer::Queen, Officer::Knight];

/// Where the attacker promotes, and the slice after it.
pub(super) fn promotions(key: &Key) -> impl Iterator<Item = (u8, Key)> {
    let key = *key;
    squares(key.ours & RANK_7).flat_map(move |from| {
        Officer::promoted(from + 8)
            .map(|officer| (from + 8, Key { ours: key.ours & !bit(from), officer, ..key }))
    })
}

/// The slice in which the defender has a queen beside these pawns and is the attacker.
pub(super) fn queened(rest: &Key) -> Key {
    let Key { ours, theirs, .. } = mirrored(rest);
    Key::new(ours, theirs, Officer::Queen)
}

/// The slice in which the defender has an officer for a pawn, against the attacker's pawns and one
/// officer at most.
pub(super) fn rivalled(key: &Key, from: u8, rival: Officer) -> Option<Key> {
    let fits = !key.is_several() && !key.is_below();
    fits.then(|| Key { rival, ..without(key, from) })
}

/// The place in the slice of [`queened`] with the defender's queen on a square.
pub(super) fn queened_place(place: &Place, queen: u8) -> Place {
    let (king, other) = (place.other ^ 56, place.king ^ 56);
    Place { king, other, men: [queen ^ 56, 0, 0], ours: !place.ours }
}

/// Where a defender's pawn takes the officer, and the slice after it; where it promotes by that,
/// the slice without the pawn.
pub(super) fn officer_lost(key: &Key) -> Vec<(u8, Key)> {
    let mut list = Vec::new();
    for from in squares(key.theirs) {
        for to in squares(attacks_down(bit(from)) & !key.pawns()) {
            let new = if to < 8 { 0 } else { bit(to) };
            list.push((to, Key { theirs: key.theirs & !bit(from) | new, ..key.after_capture(0) }));
        }
    }
    list
}
