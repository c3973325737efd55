//! The rules of chess a second time, slow and plain: letters on 64 squares, steps by file and rank.
//! Nothing of the kernel's rules is used.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::rc::Rc;

/// A position as a FEN has it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Board {
    /// a1, b1, … h8: a FEN letter or `.`.
    pub men: [u8; 64],
    pub white: bool,
    /// K, Q, k, q.
    pub rights: [bool; 4],
    /// The square passed by a double step, where a capture there is legal.
    pub passed: Option<usize>,
}

/// From, to, and what a pawn becomes (a small letter).
pub type Step = (usize, usize, Option<u8>);

type Known = HashMap<Board, Rc<[(Step, Board)]>, BuildHasherDefault<Words>>;

thread_local! {
    static KNOWN: RefCell<Known> = RefCell::default();
}

/// A quick hash of boards; nobody attacks the attack.
#[derive(Default)]
pub struct Words(u64);

impl Hasher for Words {
    fn write(&mut self, bytes: &[u8]) {
        for word in bytes.chunks(8) {
            let word = word.iter().fold(0, |n, &b| n << 8 | u64::from(b));
            self.0 = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

const LINES: [(i32, i32); 8] =
    [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)];
const JUMPS: [(i32, i32); 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

fn shifted(square: usize, (dx, dy): (i32, i32)) -> Option<usize> {
    let (x, y) = (square as i32 % 8 + dx, square as i32 / 8 + dy);
    ((0..8).contains(&x) && (0..8).contains(&y)).then_some((8 * y + x) as usize)
}

impl Board {
    pub fn parse(fen: &str) -> Option<Self> {
        let fields: Vec<&str> = fen.split(' ').collect();
        let [men, mover, rights, passed] = fields[..] else { return None };
        let mut board =
            Self { men: [b'.'; 64], white: mover == "w", rights: [false; 4], passed: None };
        if !["w", "b"].contains(&mover) {
            return None;
        }
        let rows: Vec<&str> = men.split('/').collect();
        if rows.len() != 8 {
            return None;
        }
        for (down, row) in rows.iter().enumerate() {
            let mut file = 0;
            for c in row.bytes() {
                match c {
                    b'1'..=b'8' => file += usize::from(c - b'0'),
                    _ if b"KQRBNPkqrbnp".contains(&c) && file < 8 => {
                        board.men[8 * (7 - down) + file] = c;
                        file += 1;
                    }
                    _ => return None,
                }
            }
            if file != 8 {
                return None;
            }
        }
        if rights != "-" {
            for c in rights.bytes() {
                board.rights[b"KQkq".iter().position(|&r| r == c)?] = true;
            }
        }
        if passed != "-" {
            let [file @ b'a'..=b'h', rank @ b'1'..=b'8'] = passed.as_bytes() else { return None };
            board.passed = Some(usize::from(rank - b'1') * 8 + usize::from(file - b'a'));
        }
        Some(board)
    }

    pub fn fen(&self) -> String {
        let mut text = String::new();
        for rank in (0..8).rev() {
            let mut empty = 0;
            for file in 0..8 {
                match self.men[8 * rank + file] {
                    b'.' => empty += 1,
                    c => {
                        if empty > 0 {
                            text += &empty.to_string();
                        }
                        empty = 0;
                        text.push(c as char);
                    }
                }
            }
            if empty > 0 {
                text += &empty.to_string();
            }
            if rank > 0 {
                text.push('/');
            }
        }
        text += if self.white { " w " } else { " b " };
        let rights: String =
            "KQkq".chars().zip(self.rights).filter(|(_, on)| *on).map(|(c, _)| c).collect();
        text += if rights.is_empty() { "-" } else { &rights };
        match self.passed {
            None => text += " -",
            Some(s) => {
                text.push(' ');
                text.push((b'a' + (s % 8) as u8) as char);
                text.push((b'1' + (s / 8) as u8) as char);
            }
        }
        text
    }

    fn own(&self, c: u8, white: bool) -> bool {
        c != b'.' && c.is_ascii_uppercase() == white
    }

    /// Whether a man of this side attacks the square.
    pub fn attacked(&self, square: usize, white: bool) -> bool {
        let man = |at: usize| {
            let c = self.men[at];
            if self.own(c, white) { c.to_ascii_lowercase() } else { b'.' }
        };
        let near = |steps: &[(i32, i32)], kind: u8| {
            steps.iter().filter_map(|&d| shifted(square, d)).any(|at| man(at) == kind)
        };
        let down = if white { -1 } else { 1 };
        if near(&LINES, b'k') || near(&JUMPS, b'n') || near(&[(1, down), (-1, down)], b'p') {
            return true;
        }
        LINES.iter().enumerate().any(|(n, &d)| {
            let mut at = square;
            while let Some(next) = shifted(at, d) {
                at = next;
                if self.men[at] != b'.' {
                    let slides = if n < 4 { [b'r', b'q'] } else { [b'b', b'q'] };
                    return slides.contains(&man(at));
                }
            }
            false
        })
    }

    pub fn in_check(&self, white: bool) -> bool {
        let king = if white { b'K' } else { b'k' };
        self.men.iter().position(|&c| c == king).is_some_and(|at| self.attacked(at, !white))
    }

    fn after(&self, (from, to, becomes): Step) -> Self {
        let mut z = self.clone();
        let c = z.men[from];
        let pawn = c.eq_ignore_ascii_case(&b'p');
        if pawn && from % 8 != to % 8 && z.men[to] == b'.' {
            z.men[from / 8 * 8 + to % 8] = b'.';
        }
        z.men[from] = b'.';
        z.men[to] = match becomes {
            Some(p) if self.white => p.to_ascii_uppercase(),
            Some(p) => p,
            None => c,
        };
        if c.eq_ignore_ascii_case(&b'k') && from.abs_diff(to) == 2 {
            let (corner, beside) =
                if to > from { (from + 3, from + 1) } else { (from - 4, from - 1) };
            z.men[beside] = z.men[corner];
            z.men[corner] = b'.';
        }
        for (right, squares) in [[4, 7], [4, 0], [60, 63], [60, 56]].iter().enumerate() {
            if squares.contains(&from) || squares.contains(&to) {
                z.rights[right] = false;
            }
        }
        z.white = !self.white;
        z.passed = (pawn && from.abs_diff(to) == 16).then_some((from + to) / 2);
        if z.passed.is_some() && !z.can_take_in_passing() {
            z.passed = None;
        }
        z
    }

    fn can_take_in_passing(&self) -> bool {
        let Some(to) = self.passed else { return false };
        self.candidates().iter().any(|&step| {
            step.1 == to
                && self.men[step.0].eq_ignore_ascii_case(&b'p')
                && step.0 % 8 != to % 8
                && !self.without_passed().after(step).in_check(self.white)
        })
    }

    /// The same, so that making a move asks no further question.
    fn without_passed(&self) -> Self {
        Self { passed: None, ..self.clone() }
    }

    fn candidates(&self) -> Vec<Step> {
        let mut found = Vec::new();
        for from in 0..64 {
            let c = self.men[from];
            if !self.own(c, self.white) {
                continue;
            }
            let free = |to: usize| !self.own(self.men[to], self.white);
            match c.to_ascii_lowercase() {
                b'k' => {
                    let near = LINES.iter().filter_map(|&d| shifted(from, d));
                    found.extend(near.filter(|&to| free(to)).map(|to| (from, to, None)));
                    self.castlings(from, &mut found);
                }
                b'n' => {
                    let near = JUMPS.iter().filter_map(|&d| shifted(from, d));
                    found.extend(near.filter(|&to| free(to)).map(|to| (from, to, None)));
                }
                b'p' => self.pawn(from, &mut found),
                kind => {
                    for (n, &d) in LINES.iter().enumerate() {
                        if kind == b'r' && n >= 4 || kind == b'b' && n < 4 {
                            continue;
                        }
                        let mut at = from;
                        while let Some(next) = shifted(at, d) {
                            at = next;
                            if free(at) {
                                found.push((from, at, None));
                            }
                            if self.men[at] != b'.' {
                                break;
                            }
                        }
                    }
                }
            }
        }
        // A king is never captured: the side that could is not to move in a legal position.
        found.retain(|&(_, to, _)| !self.men[to].eq_ignore_ascii_case(&b'k'));
        found
    }

    fn castlings(&self, from: usize, found: &mut Vec<Step>) {
        let home = if self.white { 4 } else { 60 };
        let rights = if self.white { [0, 1] } else { [2, 3] };
        let rook = if self.white { b'R' } else { b'r' };
        if from != home || self.in_check(self.white) {
            return;
        }
        let empty = |squares: &[usize]| squares.iter().all(|&s| self.men[s] == b'.');
        let short = self.rights[rights[0]] && self.men[home + 3] == rook;
        if short && empty(&[home + 1, home + 2]) && !self.attacked(home + 1, !self.white) {
            found.push((home, home + 2, None));
        }
        let long = self.rights[rights[1]] && self.men[home - 4] == rook;
        if long && empty(&[home - 1, home - 2, home - 3]) && !self.attacked(home - 1, !self.white) {
            found.push((home, home - 2, None));
        }
    }

    fn pawn(&self, from: usize, found: &mut Vec<Step>) {
        let up = if self.white { 1 } else { -1 };
        let mut add = |to: usize| {
            if !(8..56).contains(&to) {
                found.extend(b"qrbn".iter().map(|&p| (from, to, Some(p))));
            } else {
                found.push((from, to, None));
            }
        };
        if let Some(one) = shifted(from, (0, up)).filter(|&s| self.men[s] == b'.') {
            add(one);
            let first = if self.white { 1 } else { 6 };
            if from / 8 == first
                && let Some(two) = shifted(one, (0, up)).filter(|&s| self.men[s] == b'.')
            {
                add(two);
            }
        }
        for side in [-1, 1] {
            if let Some(to) = shifted(from, (side, up))
                && (self.own(self.men[to], !self.white) || self.passed == Some(to))
            {
                add(to);
            }
        }
    }

    /// The legal moves with the positions after them.
    pub fn moves(&self) -> Vec<(Step, Self)> {
        let all = self.candidates().into_iter().map(|step| (step, self.after(step)));
        all.filter(|(_, z)| !z.in_check(self.white)).collect()
    }

    /// As [`Board::moves`], remembered: most mutants lead to positions that others led to before.
    pub fn known_moves(&self) -> Rc<[(Step, Self)]> {
        KNOWN.with_borrow_mut(|known| {
            if known.len() > 300_000 {
                known.clear();
            }
            if let Some(moves) = known.get(self) {
                return Rc::clone(moves);
            }
            let moves: Rc<[(Step, Self)]> = self.moves().into();
            known.insert(self.clone(), Rc::clone(&moves));
            moves
        })
    }

    /// All that is asked of a position in a certificate.
    pub fn is_legal(&self) -> bool {
        let count = |c: u8| self.men.iter().filter(|&&m| m == c).count();
        let edge = (0..8).chain(56..64).any(|s| self.men[s].eq_ignore_ascii_case(&b'p'));
        if count(b'K') != 1 || count(b'k') != 1 || edge || count(b'.') < 32 {
            return false;
        }
        let homes =
            [(b'K', 4, b'R', 7), (b'K', 4, b'R', 0), (b'k', 60, b'r', 63), (b'k', 60, b'r', 56)];
        let at_home = homes
            .iter()
            .zip(self.rights)
            .all(|(&(k, at, r, corner), on)| !on || self.men[at] == k && self.men[corner] == r);
        if !at_home || self.in_check(!self.white) {
            return false;
        }
        let Some(s) = self.passed else { return true };
        let (rank, pawn) = if self.white { (5, b'p') } else { (2, b'P') };
        if s / 8 != rank {
            return false;
        }
        let (on, from) = if self.white { (s - 8, s + 8) } else { (s + 8, s - 8) };
        self.men[on] == pawn
            && self.men[s] == b'.'
            && self.men[from] == b'.'
            && self.can_take_in_passing()
    }

    /// The position in the looking-glass: 0–7, bit 0 files, bit 1 ranks, bit 2 the diagonal.
    pub fn image(&self, turn: usize) -> Self {
        let go = |s: usize| {
            let s = if turn & 1 != 0 { s ^ 7 } else { s };
            let s = if turn & 2 != 0 { s ^ 56 } else { s };
            if turn & 4 != 0 { s / 8 + s % 8 * 8 } else { s }
        };
        let mut z = self.clone();
        for s in 0..64 {
            z.men[go(s)] = self.men[s];
        }
        z.passed = self.passed.map(go);
        z
    }

    /// What stands for the position and its images.
    pub fn folded(&self) -> Self {
        let pawns = self.men.iter().any(|c| c.eq_ignore_ascii_case(&b'p'));
        let turns = if self.rights.contains(&true) {
            1
        } else if pawns {
            2
        } else {
            8
        };
        (0..turns).map(|turn| self.image(turn)).min().unwrap()
    }

    /// No sequence of moves mates the side.
    pub fn cannot_be_mated(&self, white: bool) -> bool {
        let of = |white: bool| -> Vec<u8> {
            let men = self.men.iter().filter(|&&c| self.own(c, white));
            men.map(|c| c.to_ascii_lowercase()).filter(|&c| c != b'k').collect()
        };
        let (own, other) = (of(white), of(!white));
        other.is_empty() || own.is_empty() && (other == [b'n'] || other == [b'b'])
    }
}
