//! Lines and closed sets, checked by enumeration: a pattern is every position that it stands for.
//!
//! That asks for less than the document does, which errs on the safe side: what the kernel accepts
//! must be accepted here, and not the other way round.

use crate::board::{Board, Step};
use crate::naive::{Bytes, number, place, step};
use std::collections::HashSet;

/// Positions of a pattern that are enumerated at most, men overlapping and all.
const MOST: usize = 30_000;

pub struct Man {
    letter: u8,
    squares: Vec<usize>,
}

pub struct Pattern {
    men: Vec<Man>,
    /// Who is to move, White's king, Black's.
    kings: Vec<(bool, usize, usize)>,
}

/// A section `L`.
pub fn line(bytes: &mut Bytes<'_>) -> Option<Vec<Step>> {
    let count = bytes.number(4)?;
    if count > 65_536 {
        return None;
    }
    (0..count).map(|_| step(bytes.number(2)? as usize)?).collect()
}

fn set(bits: u64) -> Vec<usize> {
    (0..64).filter(|s| bits >> s & 1 == 1).collect()
}

fn pattern(bytes: &mut Bytes<'_>) -> Option<Pattern> {
    let count = bytes.number(1)?;
    let (mut men, mut kings) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let code = bytes.number(1)? as usize;
        let squares = match code / 128 {
            0 => vec![bytes.number(1)? as usize],
            _ => set(bytes.number(8)?),
        };
        let letter = *b".KQRBNPkqrbnp".get(code % 128)?;
        let row = |s: &usize| s / 8 == 0 || s / 8 == 7;
        let pawn_at_the_edge = b"Pp".contains(&letter) && squares.iter().any(row);
        if b".Kk".contains(&letter)
            || squares.iter().any(|&s| s > 63)
            || (squares.len() > 1) != (code > 127)
            || pawn_at_the_edge
        {
            return None;
        }
        men.push(Man { letter, squares });
    }
    for white in [true, false] {
        for king in set(bytes.number(8)?) {
            kings.extend(set(bytes.number(8)?).into_iter().map(|other| (white, king, other)));
        }
    }
    (count <= 30).then_some(Pattern { men, kings })
}

/// Both lists of a section `N`.
pub fn closed(bytes: &mut Bytes<'_>) -> Option<(Vec<Board>, Vec<Pattern>)> {
    let count = number(bytes)?;
    let positions = (0..count).map(|_| place(bytes)).collect::<Option<_>>()?;
    let count = number(bytes)?;
    let patterns = (0..count).map(|_| pattern(bytes)).collect::<Option<_>>()?;
    (count <= 65_536).then_some((positions, patterns))
}

impl Pattern {
    /// Whether pawns that meet stand in order.
    fn in_order(&self, at: &[usize]) -> bool {
        let pawns = |letter: u8| self.men.iter().enumerate().filter(move |m| m.1.letter == letter);
        pawns(b'P').all(|(n, one)| {
            pawns(b'p').all(|(m, other)| {
                let mut both = one.squares.iter().chain(&other.squares);
                let meet = both.all(|s| s % 8 == one.squares[0] % 8)
                    && one.squares[0] < other.squares[0]
                    && one.squares.last() < other.squares.last();
                !meet || at[n] < at[m]
            })
        })
    }

    /// Adds its positions; whether they are few enough.
    fn enumerate(&self, all: &mut HashSet<Board>) -> bool {
        let counts = self.men.iter().map(|man| man.squares.len());
        let many = counts.fold(self.kings.len(), |all, n| all.saturating_mul(n));
        if many > MOST {
            return false;
        }
        let mut places = vec![Vec::new()];
        for man in &self.men {
            let with = |at: &Vec<usize>, s: usize| [at.clone(), vec![s]].concat();
            let grow = |at: &Vec<usize>| man.squares.iter().map(|&s| with(at, s)).collect();
            places =
                places.iter().flat_map(|at: &Vec<usize>| -> Vec<Vec<usize>> { grow(at) }).collect();
        }
        for at in places.iter().filter(|at| self.in_order(at)) {
            for &(white, king, other) in &self.kings {
                let empty = [b'.'; 64];
                let mut y = Board { men: empty, white, rights: [false; 4], passed: None };
                let men = at.iter().zip(&self.men).map(|(&s, man)| (s, man.letter));
                let men: Vec<_> = men.chain([(king, b'K'), (other, b'k')]).collect();
                let free = men.iter().all(|&(s, letter)| {
                    let free = y.men[s] == b'.';
                    y.men[s] = letter;
                    free
                });
                if free && y.is_legal() {
                    all.insert(y);
                }
            }
        }
        true
    }
}

/// Whether the men alone say that this side is never mated.
pub fn dead(y: &Board, white: bool) -> bool {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for (s, &c) in y.men.iter().enumerate().filter(|(_, c)| !b".Kk".contains(c)) {
        let list = if c.is_ascii_uppercase() == white { &mut ours } else { &mut theirs };
        list.push((c.to_ascii_lowercase(), (s / 8 + s % 8) % 2));
    }
    let bishops = |colour: usize| {
        theirs.iter().all(|&man| man == (b'b', colour))
            && ours.iter().all(|&man| b"qr".contains(&man.0) || man == (b'b', colour))
    };
    let knight = theirs.len() == 1 && theirs[0].0 == b'n' && ours.iter().all(|man| man.0 == b'q');
    theirs.is_empty() || knight || bishops(0) || bishops(1)
}

pub fn is_mated(y: &Board, white: bool) -> bool {
    y.white == white && y.in_check(white) && y.known_moves().is_empty()
}

/// Whether the side is never mated from the root; `None` where patterns are too large.
pub fn never(root: &Board, white: bool, listed: &[Board], patterns: &[Pattern]) -> Option<bool> {
    let men = |y: &Board| y.men.iter().filter(|&&c| c != b'.').count();
    let mut set = HashSet::new();
    for y in listed {
        if !y.is_legal() || men(y) > men(root) || !set.insert(y.clone()) {
            return Some(false);
        }
    }
    let mut many = HashSet::new();
    if !patterns.iter().all(|pattern| pattern.enumerate(&mut many)) {
        return None;
    }
    // A mark that a pattern does not know brings its captures along.
    let covered = |y: &Board, passes: bool| -> bool {
        let held = |y: &Board| !is_mated(y, white) && (dead(y, white) || set.contains(y));
        let bare = Board { passed: None, ..y.clone() };
        let taken = |s: &Step, z: &Board| y.passed == Some(s.1) && men(z) < men(y);
        let inside = |z: &Board| held(z) || many.contains(z);
        held(y)
            || !is_mated(y, white)
                && y.rights == [false; 4]
                && many.contains(&bare)
                && (y.passed.is_none()
                    || passes
                        && y.known_moves()
                            .iter()
                            .filter(|(s, z)| b"Pp".contains(&y.men[s.0]) && taken(s, z))
                            .all(|(_, z)| inside(z)))
    };
    let leads = |y: &Board, passes| y.known_moves().iter().all(|(_, z)| covered(z, passes));
    Some(
        covered(root, false)
            && set.iter().all(|y| leads(y, false))
            && many.iter().all(|y| leads(y, true)),
    )
}
