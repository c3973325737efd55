//! Everything that legal moves make of a pattern.
//!
//! What follows is worked out on the safe side: whatever a legal move does in one of a pattern's
//! positions is among what [`Pattern::arrivals`], [`Pattern::kings_after`] and [`Pattern::events`]
//! say. The converse is not needed.
//!
//! * A man with one square is *fixed*: it stands there in every position, so it blocks. So does a
//!   king with one square. Nothing else blocks.
//! * A move of an officer that captures nothing keeps the men; so does a king's. All other moves are
//!   *events*: a pawn's moves, captures and promotions. What comes of an event is another pattern.
//! * A king avoids squares that fixed men attack: a line counts only where nobody can enter it but
//!   the kings, and these are known.

use super::dead::dead_men;
use super::legal::Side;
use super::mating::{Cause, mates};
use super::pattern::{Kings, LAST, Man, Pattern};
use super::sets::{attacks, beside, between, kind, side, squares};
use super::vector::code;

/// What a pattern's men do to each other.
pub(crate) struct Sight {
    /// Squares that are occupied in every position.
    pub(crate) fixed: u64,
    /// Squares that a man other than a king may occupy.
    any: u64,
}

/// What comes of an event.
pub struct Event {
    /// The positions after it.
    pub pattern: Pattern,
    /// Whether one of them may be a mate of the side that is asked about.
    pub mates: bool,
}

impl Pattern {
    pub(crate) fn sight(&self) -> Sight {
        let fixed = self.men.iter().filter(|man| man.is_fixed()).map(|man| man.squares);
        let kings = self.kings.squares().into_iter().filter(|at| at.is_power_of_two());
        Sight {
            fixed: fixed.chain(kings).fold(0, |all, at| all | at),
            any: self.men.iter().fold(0, |all, man| all | man.squares),
        }
    }

    /// The squares to which a man can go without capturing; of a pawn only those on which it stays
    /// one.
    pub fn arrivals(&self, man: usize) -> u64 {
        self.quiet(man, &self.sight())
    }

    fn quiet(&self, at: usize, sight: &Sight) -> u64 {
        let man = &self.men[at];
        if man.is_pawn() {
            let steps = squares(man.squares).map(|from| self.steps(at, from, sight));
            return steps.fold(0, |all, [one, two]| all | one | two) & !LAST;
        }
        let seen = squares(man.squares).fold(0, |all, s| all | attacks(man.code, s, sight.fixed));
        seen & !sight.fixed
    }

    /// The squares one and two steps ahead of a pawn, where it can go there.
    fn steps(&self, at: usize, from: usize, sight: &Sight) -> [u64; 2] {
        let white = side(self.men[at].code) == Side::White;
        let ahead = |set: u64| if white { set << 8 } else { set >> 8 };
        let free = |to: u64| if to & !sight.fixed != 0 && self.may_pass(at, to) { to } else { 0 };
        let one = free(ahead(1 << from));
        let home = if white { from / 8 == 1 } else { from / 8 == 6 };
        [one, if home && one != 0 { free(ahead(one)) } else { 0 }]
    }

    /// Whether each enemy pawn that the pawn meets can stand beyond this square.
    fn may_pass(&self, at: usize, to: u64) -> bool {
        let white = side(self.men[at].code) == Side::White;
        (0..self.men.len()).all(|other| {
            let there = self.men[other].squares;
            if white {
                !self.meet(at, other) || there & !(to | (to - 1)) != 0
            } else {
                !self.meet(other, at) || there & (to - 1) != 0
            }
        })
    }

    /// Where the attacker's king must stand for a king of this side to be safe from the fixed men,
    /// for each square.
    fn screens(&self, of: Side, sight: &Sight) -> [u64; 64] {
        let mut needed = [u64::MAX; 64];
        for man in self.men.iter().filter(|man| man.is_fixed() && side(man.code) != of) {
            let at = man.squares.trailing_zeros() as usize;
            for square in squares(attacks(man.code, at, sight.any & !man.squares)) {
                needed[square] &= between(at, square);
            }
        }
        needed
    }

    /// Leaves out the kings that stand in check of fixed men after their own side's move.
    fn without_checks(&mut self) {
        let sight = self.sight();
        let white = self.screens(Side::White, &sight);
        let black = self.screens(Side::Black, &sight);
        let [white_to_move, black_to_move] = &mut *self.kings.0;
        for (at, row) in black_to_move.iter_mut().enumerate() {
            *row &= white[at];
        }
        for (at, row) in white_to_move.iter_mut().enumerate() {
            let safe = squares(*row).filter(|&square| black[square] >> at & 1 != 0);
            *row = safe.fold(0, |all, square| all | 1 << square);
        }
    }

    /// The kings after a king's move to one of these squares.
    fn kings_to(&self, mover: Side, to: u64) -> Kings {
        let mut after = Kings::none();
        for (white, &black) in self.kings.of(mover).iter().enumerate() {
            if black == 0 {
                continue;
            }
            if mover == Side::White {
                for square in squares(beside(white) & to) {
                    after.0[1][square] |= black & !beside(square) & !(1 << square);
                }
            } else {
                let reached = squares(black).fold(0, |all, square| all | beside(square));
                after.0[0][white] |= reached & to & !beside(white) & !(1 << white);
            }
        }
        after
    }

    /// The kings after a move of another man that may stand on these squares.
    fn kings_beside(&self, mover: Side, man: u64) -> Kings {
        let mut after = Kings::none();
        let free = if man.is_power_of_two() { !man } else { u64::MAX };
        for (white, &black) in self.kings.of(mover).iter().enumerate() {
            if free >> white & 1 != 0 {
                after.0[mover.other() as usize][white] = black & free;
            }
        }
        after
    }

    /// The same men with other kings, as far as their own side's move can have led there.
    fn with(&self, kings: Kings) -> Self {
        let mut pattern = Self { men: self.men.clone(), kings };
        pattern.without_checks();
        pattern
    }

    /// A side's moves that are no events: what comes of the king's, what of the other men's, and
    /// where these arrive.
    fn quiet_moves(&self, mover: Side) -> (Self, Self, Vec<(usize, u64)>) {
        let sight = self.sight();
        let own = self.kings.squares()[mover as usize];
        let by_king = self.with(self.kings_to(mover, !(sight.fixed & !own)));
        let mine = self.men.iter().enumerate().filter(|(_, man)| side(man.code) == mover);
        let mut arrived: Vec<(usize, u64)> =
            mine.map(|(at, man)| (at, self.quiet(at, &sight) & man.squares)).collect();
        arrived.retain(|&(_, to)| to != 0);
        let stays = arrived.is_empty();
        let by_man = if stays { Kings::none() } else { self.kings_beside(mover, 0) };
        (by_king, self.with(by_man), arrived)
    }

    /// The side to move and the kings after every move that is no event.
    pub fn kings_after(&self) -> Kings {
        let mut all = Kings::none();
        for mover in [Side::White, Side::Black] {
            let (by_king, by_man, _) = self.quiet_moves(mover);
            all.add(&by_king.kings);
            all.add(&by_man.kings);
        }
        all
    }

    /// Whether a move that is no event may mate the loser.
    pub fn quiet_mate(&self, loser: Side) -> bool {
        let (by_king, by_man, arrived) = self.quiet_moves(loser.other());
        let left = arrived.iter().map(|&(at, _)| (Some(at), self.men[at].squares)).collect();
        let king = Cause { before: Some(&self.kings), ..Cause::default() };
        mates(&by_king, loser, &king)
            || mates(&by_man, loser, &Cause { arrived, left, before: None })
    }

    /// Every capture, promotion and move of a pawn; ends early when `emit` answers `false`. What
    /// comes of a double step and the capture in passing that answers it is one event more.
    pub fn events(&self, loser: Side, emit: &mut dyn FnMut(Event) -> bool) -> bool {
        [Side::White, Side::Black].into_iter().all(|mover| {
            self.kings.of(mover).iter().all(|&black| black == 0)
                || self.king_takes(mover, loser, emit)
                    && self.men_take(mover, loser, emit)
                    && self.pawns_step(mover, loser, emit)
        })
    }

    fn king_takes(&self, mover: Side, loser: Side, emit: &mut dyn FnMut(Event) -> bool) -> bool {
        (0..self.men.len()).all(|at| {
            let taken = self.men[at];
            if side(taken.code) == mover {
                return true;
            }
            let others = self.sight().fixed & !taken.squares;
            let own = self.kings.squares()[mover as usize];
            let mut men = self.men.clone();
            men.remove(at);
            let kings = self.kings_to(mover, taken.squares & !(others & !own));
            let pattern = Self { men, kings: Kings::none() }.with(kings);
            let cause = Cause { before: Some(&self.kings), ..Cause::default() };
            self.hand_on(pattern, mover, loser, &cause, emit)
        })
    }

    fn men_take(&self, mover: Side, loser: Side, emit: &mut dyn FnMut(Event) -> bool) -> bool {
        let sight = self.sight();
        let of = |mine: bool| {
            let side_of = move |(_, man): &(usize, &Man)| (side(man.code) == mover) == mine;
            self.men.iter().enumerate().filter(side_of).collect::<Vec<_>>()
        };
        for (at, man) in of(true) {
            let seen: Vec<(usize, u64)> =
                squares(man.squares).map(|s| (s, attacks(man.code, s, sight.fixed))).collect();
            for (other, taken) in of(false) {
                let others = sight.fixed & !taken.squares;
                let reached = taken.squares & !others;
                let to = seen.iter().fold(0, |all, (_, seen)| all | seen & reached);
                let from = |to: u64| {
                    let sources = seen.iter().filter(move |(_, seen)| seen & to != 0);
                    sources.fold(0, |all, &(s, _)| all | 1u64 << s)
                };
                // What meets a pawn, and what it becomes, depends on the square.
                let each: Vec<u64> = match man.is_pawn() {
                    true => squares(to).map(|s| 1 << s).collect(),
                    false => Some(to).filter(|&to| to != 0).into_iter().collect(),
                };
                for to in each {
                    if !self.arrive(mover, loser, (at, from(to)), Some(other), to, 0, emit) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// A man leaves its squares for others, where it may become another one.
    #[allow(clippy::too_many_arguments, reason = "one event: who, whence, whither, whom")]
    fn arrive(
        &self,
        mover: Side,
        loser: Side,
        (at, from): (usize, u64),
        taken: Option<usize>,
        to: u64,
        also_left: u64,
        emit: &mut dyn FnMut(Event) -> bool,
    ) -> bool {
        let man = self.men[at];
        let last = if mover == Side::White { to >> 56 != 0 } else { to & 0xff != 0 };
        let own = man.code - kind(man.code);
        let becomes = match man.is_pawn() && last {
            true => (code::QUEEN..=code::KNIGHT).map(|c| c + own).collect(),
            false => vec![man.code],
        };
        becomes.into_iter().all(|code| {
            let mut men = self.men.clone();
            men[at] = Man { code, squares: to };
            let mut index = at;
            if let Some(taken) = taken {
                men.remove(taken);
                index -= usize::from(taken < at);
            }
            let kings = self.kings_beside(mover, to);
            let pattern = Self { men, kings: Kings::none() }.with(kings);
            let mut left = vec![(Some(index), from)];
            left.push((None, also_left));
            let cause = Cause { arrived: vec![(index, to)], left, before: None };
            self.hand_on(pattern, mover, loser, &cause, emit)
        })
    }

    fn pawns_step(&self, mover: Side, loser: Side, emit: &mut dyn FnMut(Event) -> bool) -> bool {
        let sight = self.sight();
        let own = |man: &Man| man.is_pawn() && side(man.code) == mover;
        (0..self.men.len()).filter(|&at| own(&self.men[at])).all(|at| {
            squares(self.men[at].squares).all(|from| {
                let [one, two] = self.steps(at, from, &sight);
                let from = 1 << from;
                // What stays on its squares is no event.
                let left = [one, two].map(|to| to & !self.men[at].squares);
                left.into_iter()
                    .filter(|&to| to != 0)
                    .all(|to| self.arrive(mover, loser, (at, from), None, to, 0, emit))
                    && (two == 0 || self.passed(mover, loser, at, (from, one, two), emit))
            })
        })
    }

    /// A double step from a square over another to a third, and the capture in passing that answers
    /// it.
    fn passed(
        &self,
        mover: Side,
        loser: Side,
        at: usize,
        (from, over, to): (u64, u64, u64),
        emit: &mut dyn FnMut(Event) -> bool,
    ) -> bool {
        // The kings after the double step, and the other side to move.
        let mut stepped = Self { kings: Kings::none(), ..self.clone() };
        stepped.men[at].squares = to;
        let stepped = stepped.with(self.kings_beside(mover, to));
        let sees = |man: &Man| {
            let seen = |s| attacks(man.code, s, 0) & over != 0;
            man.is_pawn() && side(man.code) != mover && squares(man.squares).any(seen)
        };
        (0..self.men.len()).filter(|&taker| sees(&self.men[taker])).all(|taker| {
            let man = self.men[taker];
            let source = squares(man.squares).filter(|&s| attacks(man.code, s, 0) & over != 0);
            let source = source.fold(0, |all, s| all | 1u64 << s);
            stepped.arrive(mover.other(), loser, (taker, source), Some(at), over, from | to, emit)
        })
    }

    /// An event, unless no position comes of it or none that matters.
    fn hand_on(
        &self,
        pattern: Self,
        mover: Side,
        loser: Side,
        cause: &Cause<'_>,
        emit: &mut dyn FnMut(Event) -> bool,
    ) -> bool {
        if pattern.kings.is_empty() {
            return true;
        }
        if dead_men(pattern.men.iter().map(|man| (man.code, man.squares)), loser) {
            return true;
        }
        let mates = mover != loser && mates(&pattern, loser, cause);
        emit(Event { pattern, mates })
    }
}
