//! What is true of a position: by the game tree, or by enumerating all that can come about.

use crate::board::{Board, Step};
use std::collections::HashMap;

/// All positions that can be reached from some root, and what may follow each.
pub struct Game {
    numbers: HashMap<Board, usize>,
    boards: Vec<Board>,
    after: Vec<Vec<usize>>,
}

impl Game {
    /// None if more than `most` positions can be reached.
    pub fn of(root: &Board, most: usize) -> Option<Self> {
        let mut game = Self {
            numbers: HashMap::from([(root.clone(), 0)]),
            boards: vec![root.clone()],
            after: Vec::new(),
        };
        while game.after.len() < game.boards.len() {
            let here = game.boards[game.after.len()].clone();
            let mut after = Vec::new();
            for (_, z) in here.moves() {
                let next = game.boards.len();
                let number = *game.numbers.entry(z.clone()).or_insert(next);
                if number == next {
                    game.boards.push(z);
                }
                after.push(number);
            }
            game.after.push(after);
            if game.boards.len() > most {
                return None;
            }
        }
        Some(game)
    }

    /// Whether any position is `wanted`.
    pub fn meets(&self, wanted: &dyn Fn(&Board) -> bool) -> bool {
        self.boards.iter().any(wanted)
    }

    /// Plies in which the side reaches what is `wanted` from the root, whatever the other does.
    pub fn plies(&self, white: bool, wanted: &dyn Fn(&Board) -> bool) -> Option<u32> {
        let mut plies: Vec<Option<u32>> =
            self.boards.iter().map(|y| wanted(y).then_some(0)).collect();
        for level in 1.. {
            let before = plies.clone();
            let mut new = 0;
            for (at, board) in self.boards.iter().enumerate() {
                if plies[at].is_some() || self.after[at].is_empty() {
                    continue;
                }
                let won = |&z: &usize| before[z].is_some();
                let reached = if board.white == white {
                    self.after[at].iter().any(won)
                } else {
                    self.after[at].iter().all(won)
                };
                if reached {
                    (plies[at], new) = (Some(level), new + 1);
                }
            }
            if new == 0 {
                break;
            }
        }
        plies[0]
    }
}

/// Whether the side reaches what is `wanted` in this many plies: by the tree, for a few plies.
pub fn reaches(y: &Board, white: bool, plies: u32, wanted: &dyn Fn(&Board) -> bool) -> bool {
    if wanted(y) {
        return true;
    }
    let moves = y.known_moves();
    if moves.is_empty() || plies == 0 {
        return false;
    }
    let won = |(_, z): &(Step, Board)| reaches(z, white, plies - 1, wanted);
    if y.white == white { moves.iter().any(won) } else { moves.iter().all(won) }
}

/// The plies in which each side mates, for all positions of at most three men that were asked for
/// and all that can follow: two bytes a position, so that a game is enumerated once for all roots.
#[derive(Default)]
pub struct Small {
    /// By [`key`]: 255 where White (Black) cannot mate.
    mates: HashMap<u64, [u8; 2]>,
}

/// A position of at most three men without castling rights, as a number.
fn key(y: &Board) -> u64 {
    let men = y.men.iter().enumerate().filter(|(_, c)| **c != b'.');
    let all = men.fold(1, |key, (at, &c)| (key << 6 | at as u64) << 7 | u64::from(c));
    (all << 7 | y.passed.map_or(64, |s| s as u64)) << 1 | u64::from(y.white)
}

impl Small {
    /// None of a position with more men or with castling rights. Plies in which White, and Black,
    /// mates.
    pub fn plies(&mut self, y: &Board) -> Option<[Option<u32>; 2]> {
        let men = y.men.iter().filter(|&&c| c != b'.').count();
        if men > 3 || y.rights.contains(&true) {
            return None;
        }
        if !self.mates.contains_key(&key(y)) {
            self.enumerate(y);
        }
        let plies = |n: u8| (n < 255).then_some(u32::from(n));
        Some(self.mates[&key(y)].map(plies))
    }

    fn enumerate(&mut self, root: &Board) {
        let (mut boards, mut numbers) = (vec![root.clone()], HashMap::from([(key(root), 0u32)]));
        let mut after: Vec<Vec<Result<u32, [u8; 2]>>> = Vec::new();
        while after.len() < boards.len() {
            let moves = boards[after.len()].moves();
            let number = |(_, z): (Step, Board)| {
                if let Some(&known) = self.mates.get(&key(&z)) {
                    return Err(known);
                }
                let next = boards.len() as u32;
                let number = *numbers.entry(key(&z)).or_insert(next);
                if number == next {
                    boards.push(z);
                }
                Ok(number)
            };
            after.push(moves.into_iter().map(number).collect());
        }
        let mut plies = vec![[255u8; 2]; boards.len()];
        for (side, white) in [(0, true), (1, false)] {
            for (at, y) in boards.iter().enumerate() {
                if mated(y, !white) {
                    plies[at][side] = 0;
                }
            }
            for level in 1..=254 {
                let reached = |next: &Result<u32, [u8; 2]>, plies: &[[u8; 2]]| {
                    next.map_or_else(|known| known, |z| plies[z as usize])[side] < level
                };
                for at in 0..boards.len() {
                    let own = boards[at].white == white;
                    if plies[at][side] < 255 || after[at].is_empty() || own != (level % 2 == 1) {
                        continue;
                    }
                    let won = if own {
                        after[at].iter().any(|next| reached(next, &plies))
                    } else {
                        after[at].iter().all(|next| reached(next, &plies))
                    };
                    if won {
                        plies[at][side] = level;
                    }
                }
                if level > 100 {
                    // No ending of three men takes longer than 56 plies.
                    break;
                }
            }
        }
        self.mates.extend(boards.iter().map(key).zip(plies));
    }
}

/// Whether the side is mated.
pub fn mated(y: &Board, white: bool) -> bool {
    y.white == white && y.in_check(white) && y.moves().is_empty()
}
