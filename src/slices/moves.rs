//! The moves of one position of a slice, and where they lead: this slice, or exits.
//!
//! The rows of [`super::kings`] and [`super::officer`] say the same for 64 positions at a time and
//! do not use this; the two are compared in the tests.

use super::bits::{KING, Officer, RANK_2, RANK_7, attacks_down, attacks_up, bit, squares};
use super::key::{Key, Place};

/// A position of a slice with its slice.
pub(super) type Spot = (Key, Place);

/// Where a move leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Goal {
    /// Another position of the same slice.
    Here(Place),
    /// Another slice; the attacker has won where all of the spots are won. The second and third
    /// come about by captures en passant.
    All([Option<Spot>; 3]),
    /// Another slice; the attacker has won where one of the spots is won: a capture en passant, or
    /// the defender's new officer is taken by king or officer.
    Any([Option<Spot>; 3]),
    /// Men that no slice has: a third officer of the attacker's, or a second one of equal rank.
    Beyond,
}

/// A legal move: from, to, and the officer it promotes to (none else).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) from: u8,
    pub(super) to: u8,
    pub(super) promotion: Officer,
    pub(super) goal: Goal,
}

const OFFICERS: [Officer; 4] = [Officer::Queen, Officer::Rook, Officer::Bishop, Officer::Knight];

/// Whether a slice's promotions beside its officer are looked at, which then stays at rest: where
/// the defender has an officer, or the attacker's alone may not win.
pub(super) fn has_second(key: &Key) -> bool {
    key.is_large()
        && !key.is_below()
        && (key.is_duel() || matches!(key.officer, Officer::Bishop | Officer::Knight))
}

/// The slice after a promotion to a queen beside the officer on a square, in `rest` the pawn is
/// gone.
pub(super) fn second(rest: &Key, man: u8) -> Key {
    Key { officer: Officer::Queen, still: rest.officer, at: man, ..*rest }
}

/// The slice without the officer that moves about: the one at rest is free to move then. None where
/// there is none and the defender has one.
pub(super) fn officer_gone(key: &Key) -> Option<Key> {
    let rest = Key { officer: key.still, still: Officer::None, at: 0, ..*key };
    (rest.is_large() || !rest.is_duel()).then_some(rest)
}

/// The legal moves of a position, a right to capture en passant left out. All four promotions are
/// listed.
pub(super) fn steps(key: &Key, p: &Place, out: &mut Vec<Step>) {
    out.clear();
    if p.ours { Ours { key, p, out }.all() } else { Theirs { key, p, out }.all() }
}

/// A spot if its position is legal.
fn legal(key: Key, place: Place) -> Option<Spot> {
    key.is_legal(&place).then_some((key, place))
}

fn one(spot: Option<Spot>) -> Option<Goal> {
    spot.map(|s| Goal::All([Some(s), None, None]))
}

/// The moves of the attacker.
struct Ours<'a> {
    key: &'a Key,
    p: &'a Place,
    out: &'a mut Vec<Step>,
}

impl Ours<'_> {
    fn push(&mut self, from: u8, to: u8, goal: Option<Goal>) {
        if let Some(goal) = goal {
            self.out.push(Step { from, to, promotion: Officer::None, goal });
        }
    }

    fn all(&mut self) {
        let (key, p) = (*self.key, *self.p);
        let man = if key.is_large() { bit(p.man) } else { 0 };
        let next = Place { ours: false, ..p };
        for to in squares(KING[usize::from(p.king)] & !key.own() & !man) {
            self.piece(p.king, to, Place { king: to, ..next });
        }
        if key.is_large() {
            let free = !key.own() & !bit(p.king) & !bit(p.other);
            for to in squares(key.officer.attacks(p.man, key.occupied(&p)) & free) {
                self.piece(p.man, to, Place { man: to, ..next });
            }
        }
        let empty = !key.occupied(&p);
        for from in squares(key.ours) {
            self.pawn(from, empty, next);
        }
    }

    /// Whether the defender's officer stands on a square.
    fn is_foe(&self, square: u8) -> bool {
        self.key.is_duel() && self.p.foe == square
    }

    /// King or officer goes to a square, which may hold a pawn or the defender's officer.
    fn piece(&mut self, from: u8, to: u8, next: Place) {
        let taken = self.key.theirs & bit(to);
        let key = Key { theirs: self.key.theirs & !taken, ..*self.key };
        if self.is_foe(to) {
            let rest = Key { rival: Officer::None, ..key };
            return self.push(from, to, one(legal(rest, Place { foe: 0, ..next })));
        }
        let spot = legal(key, next);
        let goal = if taken != 0 { one(spot) } else { spot.map(|(_, place)| Goal::Here(place)) };
        self.push(from, to, goal);
    }

    fn pawn(&mut self, from: u8, empty: u64, next: Place) {
        let key = *self.key;
        let rest = Key { ours: key.ours & !bit(from), ..key };
        let to = from + 8;
        if empty & bit(to) != 0 {
            if bit(from) & RANK_7 != 0 {
                self.promote(from, to, rest, next);
            } else {
                self.push(from, to, one(legal(Key { ours: rest.ours | bit(to), ..rest }, next)));
                if bit(from) & RANK_2 != 0 && empty & bit(to + 8) != 0 {
                    self.double(from, rest, next);
                }
            }
        }
        for to in squares(attacks_up(bit(from)) & key.theirs) {
            let ours = rest.ours | bit(to);
            self.push(
                from,
                to,
                one(legal(Key { ours, theirs: key.theirs & !bit(to), ..rest }, next)),
            );
        }
        if key.is_duel() {
            let bare = Key { rival: Officer::None, ..rest };
            let next = Place { foe: 0, ..next };
            for to in squares(attacks_up(bit(from)) & bit(self.p.foe)) {
                if to >= 56 {
                    self.promote(from, to, bare, next);
                } else {
                    self.push(
                        from,
                        to,
                        one(legal(Key { ours: bare.ours | bit(to), ..bare }, next)),
                    );
                }
            }
        }
    }

    fn promote(&mut self, from: u8, to: u8, rest: Key, next: Place) {
        for promotion in OFFICERS {
            let goal = if self.key.is_large() {
                // The new man may stand between the defender's officer and the king.
                let blocked = Key { ours: rest.ours | bit(to), ..rest };
                let beyond = legal(blocked, next).map(|_| Goal::Beyond);
                if promotion == Officer::Queen
                    && has_second(self.key)
                    && rest.is_duel() == self.key.is_duel()
                {
                    let next = Place { man: to, ..next };
                    beyond.and_then(|_| one(legal(second(&rest, self.p.man), next)))
                } else {
                    beyond
                }
            } else {
                one(legal(Key { officer: promotion, ..rest }, Place { man: to, ..next }))
            };
            if let Some(goal) = goal {
                self.out.push(Step { from, to, promotion, goal });
            }
        }
    }

    fn double(&mut self, from: u8, rest: Key, next: Place) {
        let to = from + 16;
        let Some(spot) = legal(Key { ours: rest.ours | bit(to), ..rest }, next) else { return };
        let mut all = [Some(spot), None, None];
        let beside = (bit(to) << 1 & !bit(32) | bit(to) >> 1 & !bit(23)) & self.key.theirs;
        for (at, taker) in squares(beside).enumerate() {
            let theirs = self.key.theirs & !bit(taker) | bit(from + 8);
            all[at + 1] = legal(Key { theirs, ..rest }, Place { ours: true, ..next });
        }
        self.push(from, to, Some(Goal::All(all)));
    }
}

/// The moves of the defender.
struct Theirs<'a> {
    key: &'a Key,
    p: &'a Place,
    out: &'a mut Vec<Step>,
}

impl Theirs<'_> {
    fn push(&mut self, from: u8, to: u8, goal: Option<Goal>) {
        if let Some(goal) = goal {
            self.out.push(Step { from, to, promotion: Officer::None, goal });
        }
    }

    fn all(&mut self) {
        let (key, p) = (*self.key, *self.p);
        let next = Place { ours: true, ..p };
        let foe = if key.is_duel() { bit(p.foe) } else { 0 };
        for to in squares(KING[usize::from(p.other)] & !key.theirs & !foe) {
            self.piece(p.other, to, Place { other: to, ..next });
        }
        if key.is_duel() {
            let free = !key.theirs & !bit(p.king) & !bit(p.other);
            for to in squares(key.rival.attacks(p.foe, key.occupied(&p)) & free) {
                self.piece(p.foe, to, Place { foe: to, ..next });
            }
        }
        let empty = !key.occupied(&p);
        let man = if key.is_large() { bit(p.man) } else { 0 };
        for from in squares(key.theirs) {
            self.pawn(from, empty, next);
            for to in squares(attacks_down(bit(from)) & (man | key.rest())) {
                let theirs = key.theirs & !bit(from) | if to < 8 { 0 } else { bit(to) };
                if to < 8 {
                    self.promote_taking(from, to, Key { theirs, ..key }, next);
                } else {
                    self.taking(from, to, Key { theirs, ..key }, next);
                }
            }
        }
    }

    /// King or officer goes to a square, which may hold a man of the attacker's.
    fn piece(&mut self, from: u8, to: u8, moved: Place) {
        let (key, square) = (*self.key, bit(to));
        if key.is_large() && self.p.man == to {
            self.taking(from, to, key, moved);
        } else if key.own() & square != 0 {
            self.push(from, to, one(legal(key.without_own(to), moved)));
        } else {
            self.push(from, to, legal(key, moved).map(|(_, place)| Goal::Here(place)));
        }
    }

    /// An officer of the attacker's is taken; `after` has the taker where it stands then. With no
    /// officer left against one the attacker wins nothing.
    fn taking(&mut self, from: u8, to: u8, after: Key, next: Place) {
        if after.rest() == bit(to) {
            return self.push(from, to, one(legal(after.without_own(to), next)));
        }
        let rest = Key { officer: after.still, still: Officer::None, at: 0, ..after };
        let man = if rest.is_large() { after.at } else { 0 };
        let spot = legal(rest, Place { man, ..next });
        let goal = spot.map(|spot| match officer_gone(&after) {
            Some(_) => Goal::All([Some(spot), None, None]),
            None => Goal::Any([None; 3]),
        });
        self.push(from, to, goal);
    }

    /// The same with a promotion; in `after` the pawn is gone.
    fn promote_taking(&mut self, from: u8, to: u8, after: Key, next: Place) {
        if !after.is_duel() && !after.is_below() {
            let bare = Key { officer: Officer::None, ..after };
            return self.promote(from, to, bare, Place { man: 0, ..next });
        }
        // Nothing is known of it.
        let man = if after.rest() == bit(to) {
            (after.without_own(to), next.man)
        } else {
            (Key { officer: after.still, still: Officer::None, at: 0, ..after }, after.at)
        };
        let blocked = Key { theirs: after.theirs | bit(to), ..man.0 };
        let man = if blocked.is_large() { man.1 } else { 0 };
        if blocked.is_legal(&Place { man, ..next }) {
            for promotion in OFFICERS {
                self.out.push(Step { from, to, promotion, goal: Goal::Any([None; 3]) });
            }
        }
    }

    fn pawn(&mut self, from: u8, empty: u64, next: Place) {
        let key = *self.key;
        let rest = Key { theirs: key.theirs & !bit(from), ..key };
        let to = from - 8;
        if empty & bit(to) != 0 {
            if bit(from) & RANK_2 != 0 {
                self.promote(from, to, rest, next);
            } else {
                self.push(
                    from,
                    to,
                    one(legal(Key { theirs: rest.theirs | bit(to), ..rest }, next)),
                );
                if bit(from) & RANK_7 != 0 && empty & bit(to - 8) != 0 {
                    self.double(from, rest, next);
                }
            }
        }
        for to in squares(attacks_down(bit(from)) & key.ours) {
            let theirs = rest.theirs | bit(to);
            let spot = legal(Key { ours: key.ours & !bit(to), theirs, ..rest }, next);
            self.push(from, to, one(spot));
        }
    }

    /// A new officer of the defender on `to`: won where it can be taken at once and the rest is
    /// won, whatever it is. In `rest` the pawn is gone.
    fn promote(&mut self, from: u8, to: u8, rest: Key, next: Place) {
        let blocked = Key { theirs: rest.theirs | bit(to), ..rest };
        if !blocked.is_legal(&next) {
            return;
        }
        let after = Place { ours: false, ..next };
        let mut any = [None; 3];
        if KING[usize::from(next.king)] & bit(to) != 0 {
            any[0] = legal(rest, Place { king: to, ..after });
        }
        if rest.is_large() {
            let occupied = rest.occupied(&next) & !bit(next.man);
            if rest.officer.attacks(to, occupied) & bit(next.man) != 0 {
                any[1] = legal(rest, Place { man: to, ..after });
            }
        }
        for promotion in OFFICERS {
            self.out.push(Step { from, to, promotion, goal: Goal::Any(any) });
        }
    }

    fn double(&mut self, from: u8, rest: Key, next: Place) {
        let to = from - 16;
        let Some(spot) = legal(Key { theirs: rest.theirs | bit(to), ..rest }, next) else { return };
        let mut any = [Some(spot), None, None];
        let beside = (bit(to) << 1 & !bit(40) | bit(to) >> 1 & !bit(31)) & self.key.ours;
        for (at, taker) in squares(beside).enumerate() {
            let ours = self.key.ours & !bit(taker) | bit(from - 8);
            any[at + 1] = legal(Key { ours, ..rest }, Place { ours: false, ..next });
        }
        self.push(from, to, Some(Goal::Any(any)));
    }
}
