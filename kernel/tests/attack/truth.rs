//! What is true of a position: by the game tree, or by enumerating all that can come about.

use crate::board::Board;
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

/// Whether the side mates in this many plies: by the tree, for a few plies.
pub fn mates(y: &Board, white: bool, plies: u32) -> bool {
    let moves = y.moves();
    if moves.is_empty() {
        return y.white != white && y.in_check(y.white);
    }
    if plies == 0 {
        return false;
    }
    let won = |z: &Board| mates(z, white, plies - 1);
    if y.white == white {
        moves.iter().any(|(_, z)| won(z))
    } else {
        moves.iter().all(|(_, z)| won(z))
    }
}

/// Whether the side is mated.
pub fn mated(y: &Board, white: bool) -> bool {
    y.white == white && y.in_check(white) && y.moves().is_empty()
}
