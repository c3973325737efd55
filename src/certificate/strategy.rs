//! One side's strategy: a move for its owner in every position that can arise.

use super::rows::Rows;
use super::{Closed, Form};
use crate::chess::board::move_of;
use crate::chess::{Board, Interner, Move, Packed, Side, Turn, Vector};
use std::sync::{Arc, OnceLock};
use theta_kernel::Spot;

/// The owner's answer in one position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// The owner's move; `None` where the owner is stalemated (holding strategies only).
    pub play: Option<Move>,
    /// Plies to mate (or to the aim) at most, the owner to move; 0 in a holding strategy.
    pub rank: u32,
}

/// Positions with the owner to move, and its answers. Memory: the interner's bytes per position and 8
/// more.
#[derive(Debug, Clone)]
pub(super) struct Moves {
    pub(super) positions: Interner,
    pub(super) answers: Vec<Answer>,
}

/// One side's strategy from a root.
#[derive(Debug, Clone)]
pub struct Strategy {
    pub(super) root: Vector,
    pub(super) owner: Side,
    pub(super) wins: bool,
    /// Whether an answer stands for all images of its position ([`Turn`]); positions are then kept
    /// at home.
    pub(super) folded: bool,
    /// Of a set only once they are asked for.
    moves: OnceLock<Moves>,
    /// The positions after the owner's moves instead.
    pub(super) set: Option<Arc<Rows>>,
    /// The texts of the rules that end lines.
    pub(super) cited: Vec<String>,
    /// What makes moves needless: a set that no legal move leaves, in which the owner is not mated.
    pub(super) closed: Option<Arc<Closed>>,
}

impl Strategy {
    /// A strategy with these moves. Nothing is checked.
    pub(super) fn of_moves(root: Vector, owner: Side, wins: bool, moves: Moves) -> Self {
        debug_assert_eq!(moves.answers.len(), moves.positions.len());
        Self { moves: moves.into(), ..Self::bare(root, owner, wins) }
    }

    /// A strategy of which no moves are known yet; a hold is folded.
    fn bare(root: Vector, owner: Side, wins: bool) -> Self {
        Self {
            root,
            owner,
            wins,
            folded: !wins,
            moves: OnceLock::new(),
            set: None,
            cited: Vec::new(),
            closed: None,
        }
    }

    /// The same with each position for itself.
    pub(super) fn unfolded(self) -> Self {
        Self { folded: false, ..self }
    }

    /// A holding strategy that plays these moves, each in its position. Nothing is checked.
    pub(crate) fn holding(
        root: &Board,
        owner: Side,
        plays: impl IntoIterator<Item = (Packed, Move)>,
    ) -> Self {
        let root = root.vector();
        let mut positions = Interner::new(root.men());
        let mut answers = Vec::new();
        for (p, play) in plays {
            if positions.insert(&p).1 {
                answers.push(Answer { play: Some(play), rank: 0 });
            }
        }
        Self::of_moves(root, owner, false, Moves { positions, answers }).unfolded()
    }

    /// A holding strategy with these answers, one for each position and all its images, in the
    /// order of the positions. Nothing is checked.
    pub(crate) fn holding_folded(
        root: Vector,
        owner: Side,
        positions: Interner,
        answers: Vec<Answer>,
    ) -> Self {
        Self::of_moves(root, owner, false, Moves { positions, answers })
    }

    /// A winning strategy with these answers, in the order of the positions. Nothing is checked.
    pub(crate) fn winning(
        root: Vector,
        owner: Side,
        positions: Interner,
        answers: Vec<Answer>,
    ) -> Self {
        Self::of_moves(root, owner, true, Moves { positions, answers })
    }

    /// A hold as a set: positions with the opponent to move, each the one of its images that is at home
    /// ([`Turn::home`]), in pieces; after every reply to one of them the owner has a move that leads into the
    /// set, or to where it cannot be mated. Nothing is checked. A small set gets its moves at once, for then it
    /// is written with them.
    pub(crate) fn holding_set(
        root: Vector,
        owner: Side,
        pieces: impl Iterator<Item = Vec<Spot>>,
    ) -> Self {
        Self::of_set(root, owner, false, Rows::holding(pieces))
    }

    /// A win as a set: positions with the opponent to move and their plies to mate, in pieces; after every
    /// reply to one of them the owner has a move that leads to another, of fewer plies. The rest as with
    /// [`Strategy::holding_set`]; none where a position has more men than slices know.
    pub(crate) fn winning_set(
        root: Vector,
        owner: Side,
        pieces: impl Iterator<Item = Vec<(u32, Packed)>>,
    ) -> Option<Self> {
        Some(Self::of_set(root, owner, true, Rows::winning(pieces)?))
    }

    fn of_set(root: Vector, owner: Side, wins: bool, set: Rows) -> Self {
        if set.positions() <= Form::Either.most() as u64 {
            return Self::of_moves(root, owner, wins, set.moves(&root, owner, wins));
        }
        Self { set: Some(Arc::new(set)), ..Self::bare(root, owner, wins) }
    }

    /// A holding strategy of whom nothing can mate, whatever is played. Nothing is checked.
    pub fn shut(root: Vector, owner: Side, closed: Arc<Closed>) -> Self {
        Self { folded: false, closed: Some(closed), ..Self::bare(root, owner, false) }
    }

    /// The set that makes the owner's moves needless, if there is one.
    pub fn closed(&self) -> Option<&Closed> {
        self.closed.as_deref()
    }

    /// The same strategy, citing these rules.
    #[must_use]
    pub(crate) fn citing(self, cited: Vec<String>) -> Self {
        Self { cited, ..self }
    }

    /// The root position.
    pub fn root(&self) -> &Vector {
        &self.root
    }

    /// The side whose strategy this is.
    pub fn owner(&self) -> Side {
        self.owner
    }

    /// Whether it wins (else it holds).
    pub fn wins(&self) -> bool {
        self.wins
    }

    /// The proved rules that end lines, each whole in one line: such a line goes no further than
    /// the first position that a rule speaks of.
    pub fn cited(&self) -> &[String] {
        &self.cited
    }

    /// The largest rank: plies that its longest line takes at most, from where the owner is to move.
    pub fn longest(&self) -> u32 {
        let ranks = || self.moves().answers.iter().map(|answer| answer.rank);
        if self.wins { ranks().max().unwrap_or(0) } else { 0 }
    }

    /// The moves; those of a set are worked out the first time, some 5 µs a position.
    pub(super) fn moves(&self) -> &Moves {
        self.moves.get_or_init(|| match &self.set {
            Some(set) => set.moves(&self.root, self.owner, self.wins),
            None => Moves { positions: Interner::new(self.root.men()), answers: Vec::new() },
        })
    }

    /// Whether it has more positions than so many.
    pub(super) fn is_longer(&self, most: usize) -> bool {
        match &self.set {
            Some(_) => most < usize::MAX,
            None => self.len() > most,
        }
    }

    /// The number of positions with the owner to move.
    pub fn len(&self) -> usize {
        self.moves().answers.len()
    }

    /// Whether no move of the owner is needed: the game is over at the root, or decided by the bare
    /// king or a rule.
    pub fn is_empty(&self) -> bool {
        self.set.is_none() && self.len() == 0
    }

    /// Whether an answer stands for all images of its position ([`Turn`]).
    pub fn folded(&self) -> bool {
        self.folded
    }

    /// The owner's answer in a position of the strategy.
    pub fn answer(&self, p: &Packed) -> Option<Answer> {
        if let (Some(set), None, false) = (&self.set, self.moves.get(), self.wins) {
            return set.answer(p, self.owner);
        }
        let turn = self.turn(p);
        let Moves { positions, answers } = self.moves();
        let answer = answers[positions.get(&turn.position(p))? as usize];
        Some(Answer { play: answer.play.map(|m| turn.back().play(m)), ..answer })
    }

    /// How a position is turned to stand in the strategy.
    pub(super) fn turn(&self, p: &Packed) -> Turn {
        if self.folded { Turn::home(p, self.owner) } else { Turn::NONE }
    }

    /// The number of a position of the strategy, below [`Strategy::len`], and the turn that leads
    /// to it from the position of that number ([`Turn::NONE`] if not folded).
    pub fn find(&self, p: &Packed) -> Option<(u32, Turn)> {
        let turn = self.turn(p);
        Some((self.moves().positions.get(&turn.position(p))?, turn.back()))
    }

    /// The position of a number (one of its images, if folded), and its answer.
    ///
    /// # Panics
    /// If no position has it.
    pub fn at(&self, id: u32) -> (Packed, Answer) {
        (self.moves().positions.at(id), self.moves().answers[id as usize])
    }

    /// A line of the longest resistance from the root of a winning strategy, complete to mate
    /// unless a rule ends it; empty for a holding one. Costs a look at each reply.
    pub fn main_line(&self) -> Vec<Move> {
        let mut line = Vec::new();
        let Ok(mut board) = Board::from_vector(self.root()) else { return line };
        while self.wins() {
            let next = if board.side_to_move() == self.owner {
                self.answer(&board.packed()).and_then(|answer| answer.play)
            } else {
                let rank =
                    |m: &Move| Some(self.answer(&board.after(board.find(*m)?).packed())?.rank);
                board
                    .legal_moves()
                    .iter()
                    .map(move_of)
                    .filter(|m| rank(m).is_some())
                    .max_by_key(rank)
            };
            let Some(legal) = next.and_then(|play| board.find(play)) else { break };
            board.play(legal);
            line.extend(next);
        }
        line
    }

    /// Every position with its answer, in order of discovery.
    pub fn iter(&self) -> impl Iterator<Item = (Packed, Answer)> + '_ {
        let Moves { positions, answers } = self.moves();
        answers.iter().enumerate().map(|(id, answer)| (positions.at(id as u32), *answer))
    }
}
