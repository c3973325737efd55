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
    /// Men that no slice has: the attacker's second officer.
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
        for to in squares(KING[usize::from(p.king)] & !key.ours & !man) {
            self.piece(p.king, to, Place { king: to, ..next });
        }
        if key.is_large() {
            let occupied = key.pawns() | bit(p.king) | bit(p.other);
            let free = !key.ours & !bit(p.king) & !bit(p.other);
            for to in squares(key.officer.attacks(p.man, occupied) & free) {
                self.piece(p.man, to, Place { man: to, ..next });
            }
        }
        let empty = !(key.pawns() | bit(p.king) | bit(p.other) | man);
        for from in squares(key.ours) {
            self.pawn(from, empty, next);
        }
    }

    /// King or officer goes to a square, which may hold a pawn.
    fn piece(&mut self, from: u8, to: u8, next: Place) {
        let taken = self.key.theirs & bit(to);
        let key = Key { theirs: self.key.theirs & !taken, ..*self.key };
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
    }

    fn promote(&mut self, from: u8, to: u8, rest: Key, next: Place) {
        for promotion in OFFICERS {
            let goal = if self.key.is_large() {
                // Only the pawns can check the attacker's king.
                legal(rest, next).map(|_| Goal::Beyond)
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
        let man = if key.is_large() { bit(p.man) } else { 0 };
        let next = Place { ours: true, ..p };
        let bare = Key { officer: Officer::None, ..key };
        for to in squares(KING[usize::from(p.other)] & !key.theirs) {
            let moved = Place { other: to, ..next };
            let goal = if bit(to) & man != 0 {
                one(legal(bare, Place { man: 0, ..moved }))
            } else if bit(to) & key.ours != 0 {
                one(legal(Key { ours: key.ours & !bit(to), ..key }, moved))
            } else {
                legal(key, moved).map(|(_, place)| Goal::Here(place))
            };
            self.push(p.other, to, goal);
        }
        let empty = !(key.pawns() | bit(p.king) | bit(p.other) | man);
        for from in squares(key.theirs) {
            self.pawn(from, empty, next);
            for to in squares(attacks_down(bit(from)) & man) {
                let taken = Place { man: 0, ..next };
                if to < 8 {
                    let rest = Key { theirs: key.theirs & !bit(from), ..bare };
                    self.promote(from, to, rest, taken);
                } else {
                    let theirs = key.theirs & !bit(from) | bit(to);
                    self.push(from, to, one(legal(Key { theirs, ..bare }, taken)));
                }
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
            self.push(
                from,
                to,
                one(legal(Key { ours: key.ours & !bit(to), theirs, ..rest }, next)),
            );
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
            let occupied = rest.pawns() | bit(next.king) | bit(next.other);
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
