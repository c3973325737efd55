//! The moves of one position of a slice, and where they lead: this slice, or exits.
//!
//! The rows of [`super::exits`] and [`super::fixpoint`] say the same for 64 positions at a time and
//! do not use this; the two are compared in the tests.

use super::bits::{KING, Officer, RANK_2, RANK_7, attacks_down, attacks_up, bit, squares};
use super::key::{Key, Mover, Place};

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
    /// Another slice; the attacker has won where one of the spots is won: a capture en passant, the
    /// defender's new officer is taken by king or officer, or a position is read in two slices.
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

/// Whether a slice's promotions beside its officer are looked at with that at rest: where the
/// defender has no officer and the attacker's alone may not win, or the defender has one.
pub(super) fn has_second(key: &Key) -> bool {
    let is_weak = key.officer >= Officer::Knight;
    let duel = key.is_large() && key.mate == Officer::None && key.kind() == 2;
    let fits = if key.is_several() { duel } else { is_weak };
    fits && key.rest.has_room()
}

/// The slice after a promotion to a queen beside the officer on a square, in `rest` the pawn is
/// gone.
pub(super) fn second(rest: &Key, man: u8) -> Key {
    let still = rest.rest.with(rest.officer, man).expect("room for one more");
    Key { officer: Officer::Queen, rest: still, ..*rest }
}

/// The legal moves of a position, a right to capture en passant left out. All four promotions are
/// listed.
pub(super) fn steps(key: &Key, p: &Place, out: &mut Vec<Step>) {
    out.clear();
    let to = !0;
    if p.ours { Ours { key, p, to, out }.all() } else { Theirs { key, p, to, out }.all() }
}

/// The same of moves that leave the slice.
pub(super) fn exits(key: &Key, p: &Place, out: &mut Vec<Step>) {
    out.clear();
    let of = |ours: bool| key.men(p).filter(move |(man, _)| man.ours == ours);
    let men = |ours: bool| of(ours).fold(0, |all, (_, at)| all | bit(at));
    if p.ours {
        Ours { key, p, to: key.theirs | men(false), out }.all()
    } else {
        Theirs { key, p, to: key.own() | men(true), out }.all()
    }
}

/// A spot if its position is legal.
fn legal(key: Key, place: Place) -> Option<Spot> {
    key.is_legal(&place).then_some((key, place))
}

fn one(spot: Option<Spot>) -> Option<Goal> {
    spot.map(|s| Goal::All([Some(s), None, None]))
}

/// Where captures of a new officer lead, whatever it is: `step` promotes, of the attacker's beside an
/// officer or against one.
pub(super) fn taken_back(key: &Key, p: &Place, step: &Step) -> [Option<Spot>; 3] {
    if !p.ours {
        return if let Goal::Any(spots) = step.goal { spots } else { [None; 3] };
    }
    let to = step.to;
    let (mut rest, mut next) = (Key { ours: key.ours & !bit(step.from), ..*key }, *p);
    if let Some(number) = key.men(p).position(|(man, at)| !man.ours && at == to) {
        (rest, next) = (rest.without_mover(number), next.without(number));
    }
    let mut spots = [None; 3];
    if KING[usize::from(next.other)] & bit(to) != 0 {
        spots[0] = legal(rest, Place { other: to, ..next });
    }
    let foes = rest.men(&next).enumerate().filter(|(_, (man, _))| !man.ours);
    for (spot, (number, (man, at))) in spots[1..].iter_mut().zip(foes) {
        if man.officer.attacks(at, rest.occupied(&next)) & bit(to) != 0 {
            *spot = legal(rest, next.moved(number, to));
        }
    }
    spots
}

/// The moves of the attacker.
struct Ours<'a> {
    key: &'a Key,
    p: &'a Place,
    /// Where king and officers may go.
    to: u64,
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
        let next = Place { ours: false, ..p };
        let own = key.men(&p).filter(|(man, _)| man.ours).fold(key.own(), |all, m| all | bit(m.1));
        for to in squares(KING[usize::from(p.king)] & !own & self.to) {
            self.piece(p.king, to, Place { king: to, ..next });
        }
        let free = !own & !bit(p.king) & !bit(p.other) & self.to;
        let occupied = key.occupied(&p);
        for (number, (man, from)) in key.men(&p).enumerate().filter(|(_, (man, _))| man.ours) {
            for to in squares(man.officer.attacks(from, occupied) & free) {
                self.piece(from, to, next.moved(number, to));
            }
        }
        for from in squares(key.ours) {
            self.pawn(from, !occupied, next);
        }
    }

    /// The defender's officer on a square, by its number.
    fn foe(&self, square: u8) -> Option<usize> {
        self.key.men(self.p).position(|(man, at)| !man.ours && at == square)
    }

    /// King or officer goes to a square, which may hold a pawn or an officer of the defender's.
    fn piece(&mut self, from: u8, to: u8, next: Place) {
        if let Some(number) = self.foe(to) {
            let rest = self.key.without_mover(number);
            return self.push(from, to, one(legal(rest, next.without(number))));
        }
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
        for to in squares(attacks_up(bit(from))) {
            let Some(number) = self.foe(to) else { continue };
            let (bare, next) = (rest.without_mover(number), next.without(number));
            if to >= 56 {
                self.promote(from, to, bare, next);
            } else {
                self.push(from, to, one(legal(Key { ours: bare.ours | bit(to), ..bare }, next)));
            }
        }
    }

    /// In `rest` the pawn is gone, and what it takes.
    fn promote(&mut self, from: u8, to: u8, rest: Key, next: Place) {
        for promotion in Officer::promoted(to) {
            if let Some(goal) = self.promoted(to, rest, next, promotion) {
                self.out.push(Step { from, to, promotion, goal });
            }
        }
    }

    fn promoted(&self, to: u8, rest: Key, next: Place, promotion: Officer) -> Option<Goal> {
        if self.key.kind() == 0 {
            return one(legal(Key { officer: promotion, ..rest }, next.with_first(to)));
        }
        // The new man may stand between the defender's officer and the king.
        legal(Key { ours: rest.ours | bit(to), ..rest }, next)?;
        let takes = rest.kind() < self.key.kind();
        if promotion != Officer::Queen || takes {
            return Some(Goal::Beyond);
        }
        let second = has_second(self.key).then(|| second(&rest, next.men[0]));
        let resting = second.and_then(|child| legal(child, next.moved(0, to)));
        let both = rest.with_queen().filter(|_| self.key.is_several());
        let moving = both.and_then(|child| legal(child, next.with_first(to)));
        match (resting, moving) {
            (None, None) if second.is_some() || both.is_some() => None,
            (None, None) => Some(Goal::Beyond),
            (Some(one), None) | (None, Some(one)) => Some(Goal::All([Some(one), None, None])),
            // The small slice first.
            (resting, moving) => Some(Goal::Any([resting, moving, None])),
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
    /// Where king and officers may go.
    to: u64,
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
        let foes = |all, (man, at): (Mover, u8)| if man.ours { all } else { all | bit(at) };
        let own = key.men(&p).fold(key.theirs, foes);
        for to in squares(KING[usize::from(p.other)] & !own & self.to) {
            self.piece(p.other, to, Place { other: to, ..next });
        }
        let free = !own & !bit(p.king) & !bit(p.other) & self.to;
        let occupied = key.occupied(&p);
        for (number, (man, from)) in key.men(&p).enumerate().filter(|(_, (man, _))| !man.ours) {
            for to in squares(man.officer.attacks(from, occupied) & free) {
                self.piece(from, to, next.moved(number, to));
            }
        }
        for from in squares(key.theirs) {
            self.pawn(from, !occupied, next);
            for to in squares(attacks_down(bit(from))) {
                if self.man(to).is_none() && key.rest.squares() & bit(to) == 0 {
                    continue;
                }
                let theirs = key.theirs & !bit(from) | if to < 8 { 0 } else { bit(to) };
                if to < 8 {
                    self.promote_taking(from, to, Key { theirs, ..key }, next);
                } else {
                    self.taking(from, to, Key { theirs, ..key }, next);
                }
            }
        }
    }

    /// The attacker's officer that moves about and stands on a square, by its number.
    fn man(&self, square: u8) -> Option<usize> {
        self.key.men(self.p).position(|(man, at)| man.ours && at == square)
    }

    /// King or officer goes to a square, which may hold a man of the attacker's.
    fn piece(&mut self, from: u8, to: u8, moved: Place) {
        let (key, square) = (*self.key, bit(to));
        if self.man(to).is_some() {
            self.taking(from, to, key, moved);
        } else if key.own() & square != 0 {
            self.push(from, to, one(legal(key.without_own(to), moved)));
        } else {
            self.push(from, to, legal(key, moved).map(|(_, place)| Goal::Here(place)));
        }
    }

    /// An officer of the attacker's is taken; `after` has the taker where it stands then.
    fn taking(&mut self, from: u8, to: u8, after: Key, next: Place) {
        let (key, place) = self.without(to, after, next);
        self.push(from, to, one(legal(key, place)));
    }

    /// Without the attacker's officer on a square. If it is not one at rest, the strongest of those
    /// may move then.
    fn without(&self, to: u8, after: Key, next: Place) -> Spot {
        match self.man(to) {
            Some(number) => {
                let place = match after.rest.first() {
                    Some((_, at)) => next.moved(number, at),
                    None => next.without(number),
                };
                (after.after_capture(number), place)
            }
            None => (after.without_own(to), next),
        }
    }

    /// The same with a promotion; in `after` the pawn is gone.
    fn promote_taking(&mut self, from: u8, to: u8, after: Key, next: Place) {
        let (key, place) = self.without(to, after, next);
        if key.kind() == 0 {
            return self.promote(from, to, key, place);
        }
        // Nothing is known of it.
        let blocked = Key { theirs: key.theirs | bit(to), ..key };
        if blocked.is_legal(&place) {
            for promotion in Officer::promoted(to) {
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
        let own = rest.men(&next).enumerate().filter(|(_, (man, _))| man.ours);
        for (spot, (number, (man, at))) in any[1..].iter_mut().zip(own) {
            if man.officer.attacks(at, rest.occupied(&next)) & bit(to) != 0 {
                *spot = legal(rest, after.moved(number, to));
            }
        }
        for promotion in Officer::promoted(to) {
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
