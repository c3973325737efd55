//! Whether a side may be mated in a pattern's positions, after a move of which the cause is known.
//!
//! For each square x of the loser's king, the attacker's king known: nine conditions, that x is
//! attacked, and that each square beside x is attacked or blocked by the loser's own men. Each man
//! of the attacker fulfils some of them from each of its squares, each man of the loser one at
//! most. If no choice of a square for each man fulfils all, none of these positions is a mate. What
//! stands in a line's way counts only where it stands always; that the loser might capture or
//! interpose does not count at all: both err on the safe side.
//!
//! That x is attacked needs a cause in the last move, since the side that moved was not giving
//! check before it: a man that arrived gives check, or a line was opened by what left it.

use super::legal::Side;
use super::pattern::{Kings, Pattern};
use super::sets::{attacks, beside, between, side, squares};

/// What the last move of the attacker was.
#[derive(Default)]
pub(crate) struct Cause<'a> {
    /// Men that may have arrived on these squares.
    pub(crate) arrived: Vec<(usize, u64)>,
    /// Squares that a man may have left; none: the man was captured.
    pub(crate) left: Vec<(Option<usize>, u64)>,
    /// The kings before a move of the attacker's king.
    pub(crate) before: Option<&'a Kings>,
}

/// One of the attacker's men on one of its squares.
struct Post {
    man: usize,
    square: usize,
    seen: u64,
}

/// Whether the loser, to move, may be mated in one of the positions.
pub(crate) fn mates(pattern: &Pattern, loser: Side, cause: &Cause<'_>) -> bool {
    let is_fixed = |at: u64| at.is_power_of_two();
    let fixed = pattern.men.iter().map(|man| man.squares).filter(|&at| is_fixed(at));
    let fixed = fixed.fold(0, |all, at| all | at);
    let (mut posts, mut blockers) = (Vec::new(), Vec::new());
    for (at, man) in pattern.men.iter().enumerate() {
        if side(man.code) == loser {
            blockers.push(if is_fixed(man.squares) { man.squares } else { man.squares & !fixed });
            continue;
        }
        let post = |s| Post { man: at, square: s, seen: attacks(man.code, s, fixed) };
        posts.extend(squares(man.squares).map(post));
    }
    let seen = posts.iter().fold(0, |all, post| all | post.seen);
    let held = seen | blockers.iter().fold(0, |all, at| all | at);
    let may = |loser_at: usize, king: usize| {
        seen >> loser_at & 1 != 0
            && beside(loser_at) & !(held | beside(king)) == 0
            && Shape { posts: &posts, blockers: &blockers, loser_at, king }.may(loser, cause)
    };
    pattern.kings.of(loser).iter().enumerate().any(|(white, &black)| {
        squares(black).any(|black| match loser {
            Side::White => may(white, black),
            Side::Black => may(black, white),
        })
    })
}

/// A square of the loser's king, one of the attacker's, and the other men.
struct Shape<'a> {
    posts: &'a [Post],
    blockers: &'a [u64],
    loser_at: usize,
    king: usize,
}

impl Shape<'_> {
    /// Whether a choice of squares fulfils all conditions.
    fn may(&self, loser: Side, cause: &Cause<'_>) -> bool {
        let zone: Vec<usize> = squares(beside(self.loser_at) | 1 << self.loser_at).collect();
        let mask = |set: u64| {
            zone.iter()
                .enumerate()
                .fold(0, |mask, (bit, &s)| mask | ((set >> s & 1) as usize) << bit)
        };
        // For each man the sets of conditions that it may fulfil.
        let mut choices: Vec<Vec<usize>> = Vec::new();
        for men in self.posts.chunk_by(|a, b| a.man == b.man) {
            choices.push(men.iter().map(|post| mask(self.fulfilled(post, loser, cause))).collect());
        }
        let beside_it = beside(self.loser_at);
        for &at in self.blockers {
            choices.push(squares(at & beside_it).map(|s| mask(1 << s)).collect());
        }
        let full = (1 << zone.len()) - 1;
        let by_king = mask(beside(self.king) & beside_it);
        let most = choices.iter().flatten().fold(by_king, |all, mask| all | mask);
        if most != full {
            return false;
        }
        let mut reached = [false; 512];
        reached[by_king] = true;
        for mut men in choices {
            men.sort_unstable();
            men.dedup();
            for state in (0..=full).filter(|&state| reached[state]).collect::<Vec<_>>() {
                men.iter().for_each(|mask| reached[state | mask] = true);
            }
        }
        reached[full]
    }

    /// What a man attacks from a square, the king's own only where the last move is the cause.
    fn fulfilled(&self, post: &Post, loser: Side, cause: &Cause<'_>) -> u64 {
        if post.square == self.loser_at || post.square == self.king {
            return 0;
        }
        let open = |s: &usize| between(post.square, *s) >> self.king & 1 == 0;
        let near = beside(self.loser_at) | 1 << self.loser_at;
        let seen = squares(post.seen & near).filter(open).fold(0, |all, s| all | 1u64 << s);
        if self.caused(post, loser, cause) { seen } else { seen & !(1 << self.loser_at) }
    }

    fn caused(&self, post: &Post, loser: Side, cause: &Cause<'_>) -> bool {
        let line = between(post.square, self.loser_at);
        let arrived = |&(man, to): &(usize, u64)| man == post.man && to >> post.square & 1 != 0;
        let opened =
            |&(man, from): &(Option<usize>, u64)| man != Some(post.man) && from & line != 0;
        let stepped = |before: &Kings| {
            let mut from = squares(beside(self.king) & line);
            from.any(|from| match loser {
                Side::White => before.of(Side::Black)[self.loser_at] >> from & 1 != 0,
                Side::Black => before.of(Side::White)[from] >> self.loser_at & 1 != 0,
            })
        };
        cause.arrived.iter().any(arrived)
            || cause.left.iter().any(opened)
            || cause.before.is_some_and(stepped)
    }
}
