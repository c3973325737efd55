//! Positions with the owner to move, numbered: what searches for closed sets keep.

use crate::certificate::{Answer, Strategy};
use crate::chess::board::Position as _;
use crate::chess::{Board, Interner, Move, Packed, Side, Turn};

/// A set of positions; if folded, one image stands for all. Bytes per position: the interner's, and 1
/// if folded.
pub(super) struct Places {
    owner: Side,
    positions: Interner,
    /// From home to the image that was met first; none if not folded.
    turns: Option<Vec<Turn>>,
}

impl Places {
    pub(super) fn new(root: &Board, owner: Side, folded: bool) -> Self {
        let men = root.chess().board().occupied().count();
        Self { owner, positions: Interner::new(men), turns: folded.then(Vec::new) }
    }

    pub(super) fn len(&self) -> usize {
        self.positions.len()
    }

    pub(super) fn bytes(&self) -> u64 {
        self.positions.memory() + self.turns.as_ref().map_or(0, Vec::capacity) as u64
    }

    fn home(&self, board: &Board) -> (Turn, Packed) {
        let p = board.packed();
        let turn = if self.turns.is_some() { Turn::home(&p, self.owner) } else { Turn::NONE };
        (turn, turn.position(&p))
    }

    pub(super) fn get(&self, board: &Board) -> Option<u32> {
        self.positions.get(&self.home(board).1)
    }

    /// The number of a position, and whether it is new.
    pub(super) fn insert(&mut self, board: &Board) -> (u32, bool) {
        let (turn, p) = self.home(board);
        let (id, new) = self.positions.insert(&p);
        if let (true, Some(turns)) = (new, &mut self.turns) {
            turns.push(turn.back());
        }
        (id, new)
    }

    /// The position as it was met first.
    pub(super) fn packed(&self, id: u32) -> Packed {
        let turn = self.turns.as_ref().map_or(Turn::NONE, |turns| turns[id as usize]);
        turn.position(&self.positions.at(id))
    }

    /// The same as a board.
    pub(super) fn board(&self, id: u32) -> Board {
        Board::of_legal(&self.packed(id))
    }

    /// The strategy of a folded set that plays these moves, each in the position as it was met first;
    /// none where the owner is stalemated.
    pub(super) fn strategy(
        self,
        root: &Board,
        plays: impl IntoIterator<Item = Option<Move>>,
    ) -> Strategy {
        let home = |(play, turn): (Option<Move>, &Turn)| Answer {
            play: play.map(|m| turn.back().play(m)),
            rank: 0,
        };
        let turns = self.turns.as_deref().unwrap_or_default();
        let answers: Vec<Answer> = plays.into_iter().zip(turns).map(home).collect();
        Strategy::holding_folded(root.vector(), self.owner, self.positions, answers)
    }
}
