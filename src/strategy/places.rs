//! Positions with the owner to move, folded by symmetry: what the builders of holding strategies
//! number.

use super::{Answer, Strategy};
use crate::chess::board::Position as _;
use crate::chess::{Board, Interner, Move, Packed, Side, Turn};

/// A set of positions in which one image stands for all. Bytes per position: the interner's and 1.
pub(super) struct Places {
    owner: Side,
    positions: Interner,
    /// From home to the image that was met first.
    turns: Vec<Turn>,
}

impl Places {
    pub(super) fn new(root: &Board, owner: Side) -> Self {
        let men = root.chess().board().occupied().count();
        Self { owner, positions: Interner::new(men), turns: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.turns.len()
    }

    pub(super) fn bytes(&self) -> u64 {
        self.positions.memory() + self.turns.capacity() as u64
    }

    fn home(&self, board: &Board) -> (Turn, Packed) {
        let p = board.packed();
        let turn = Turn::home(&p, self.owner);
        (turn, turn.position(&p))
    }

    pub(super) fn get(&self, board: &Board) -> Option<u32> {
        self.positions.get(&self.home(board).1)
    }

    /// The number of a position, and whether it is new.
    pub(super) fn insert(&mut self, board: &Board) -> (u32, bool) {
        let (turn, p) = self.home(board);
        let (id, new) = self.positions.insert(&p);
        if new {
            self.turns.push(turn.back());
        }
        (id, new)
    }

    /// The position as it was met first.
    pub(super) fn board(&self, id: u32) -> Board {
        Board::of_legal(&self.turns[id as usize].position(&self.positions.at(id)))
    }

    /// The strategy that plays these moves, each in the position as it was met first; none where
    /// the owner is stalemated.
    pub(super) fn strategy(
        self,
        root: &Board,
        plays: impl IntoIterator<Item = Option<Move>>,
    ) -> Strategy {
        let home = |(play, turn): (Option<Move>, &Turn)| Answer {
            play: play.map(|m| turn.back().play(m)),
            rank: 0,
        };
        let answers: Vec<Answer> = plays.into_iter().zip(&self.turns).map(home).collect();
        debug_assert_eq!(answers.len(), self.positions.len());
        let (owner, positions) = (self.owner, self.positions);
        Strategy {
            root: root.vector(),
            owner,
            wins: false,
            folded: true,
            positions,
            answers,
            cited: Vec::new(),
        }
    }
}
