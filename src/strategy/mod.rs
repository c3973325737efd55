//! The satisfying model as a strategy: one move for its owner, all moves for the other side.
//!
//! A model of Θ1 or Θ3 becomes a winning strategy: positions with the owner to move, the owner's
//! one move, and a rank — the plies to mate at most — that falls strictly along every line. A model
//! of Hold2 or Hold4 becomes a holding strategy: a closed set of positions in which the owner is
//! never mated. A draw is a pair of them. A reduced aim `AF φ` is won like mate: the ranks count
//! the plies until φ holds. [`Certificate`] is what goes into a file and what `verify` reads.

mod build;
mod closure;
mod file;
mod hold;
mod places;
mod rules;
mod set_ups;

pub use build::{BuildError, reach, win, win_with};
pub use closure::{Defence, Sight, close};
pub use hold::{hold, hold_with};
pub use rules::{End, Rules};
pub use set_ups::SetUps;
pub use theta_kernel::{Claim, FormatError};

use crate::chess::board::move_of;
pub use crate::chess::{bare_king, cannot_be_mated};

use crate::chess::{Board, Interner, Move, Packed, Side, Turn, Vector};

/// The owner's answer in one position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// The owner's move; `None` where the owner is stalemated (holding strategies only).
    pub play: Option<Move>,
    /// Plies to mate (or to the aim) at most, the owner to move; 0 in a holding strategy.
    pub rank: u32,
}

/// One side's strategy from a root. Memory: the interner's bytes per position and 8 more.
#[derive(Debug, Clone)]
pub struct Strategy {
    root: Vector,
    owner: Side,
    wins: bool,
    /// Whether an answer stands for all images of its position ([`Turn`]); positions are then kept
    /// at home.
    folded: bool,
    positions: Interner,
    answers: Vec<Answer>,
    /// The texts of the rules that end lines.
    cited: Vec<String>,
}

impl Strategy {
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
        Self { root, owner, wins: false, folded: false, positions, answers, cited: Vec::new() }
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

    /// The number of positions with the owner to move.
    pub fn len(&self) -> usize {
        self.answers.len()
    }

    /// Whether no move of the owner is needed: the game is over at the root, or decided by the bare
    /// king or a rule.
    pub fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }

    /// Whether an answer stands for all images of its position ([`Turn`]).
    pub fn folded(&self) -> bool {
        self.folded
    }

    /// The owner's answer in a position of the strategy.
    pub fn answer(&self, p: &Packed) -> Option<Answer> {
        let turn = self.turn(p);
        let answer = self.answers[self.positions.get(&turn.position(p))? as usize];
        Some(Answer { play: answer.play.map(|m| turn.back().play(m)), ..answer })
    }

    /// How a position is turned to stand in the strategy.
    fn turn(&self, p: &Packed) -> Turn {
        if self.folded { Turn::home(p, self.owner) } else { Turn::NONE }
    }

    /// The number of a position of the strategy, below [`Strategy::len`], and the turn that leads
    /// to it from the position of that number ([`Turn::NONE`] if not folded).
    pub fn find(&self, p: &Packed) -> Option<(u32, Turn)> {
        let turn = self.turn(p);
        Some((self.positions.get(&turn.position(p))?, turn.back()))
    }

    /// The position of a number (one of its images, if folded), and its answer.
    ///
    /// # Panics
    /// If no position has it.
    pub fn at(&self, id: u32) -> (Packed, Answer) {
        (self.positions.at(id), self.answers[id as usize])
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
        self.answers.iter().enumerate().map(|(id, answer)| (self.positions.at(id as u32), *answer))
    }
}

/// One or two strategies that together prove a claim about a root.
#[derive(Debug, Clone)]
pub struct Certificate {
    /// What is claimed.
    pub claim: Claim,
    /// The strategies: one for a win, a hold or an aim, White's and Black's for a draw.
    pub strategies: Vec<Strategy>,
    /// The aim that [`Claim::Forces`] speaks of, in the syntax that `check` reads.
    pub aim: Option<String>,
    /// Remarks for people, one line each (the intermediate aims of a chain, say). Not part of the
    /// proof.
    pub notes: Vec<String>,
}

impl Certificate {
    /// The certificate of a winning strategy that mates in at most `plies`.
    pub fn of_win(strategy: Strategy, plies: u32) -> Self {
        Self {
            claim: Claim::Wins(strategy.owner, plies),
            strategies: vec![strategy],
            aim: None,
            notes: Vec::new(),
        }
    }

    /// The certificate of a strategy that reaches φ of `aim` (`AF φ`) in at most `plies`.
    pub fn of_aim(strategy: Strategy, plies: u32, aim: String) -> Self {
        let claim = Claim::Forces(strategy.owner, plies);
        Self { claim, strategies: vec![strategy], aim: Some(aim), notes: Vec::new() }
    }

    /// The certificate of a holding strategy.
    pub fn of_hold(strategy: Strategy) -> Self {
        Self {
            claim: Claim::Holds(strategy.owner),
            strategies: vec![strategy],
            aim: None,
            notes: Vec::new(),
        }
    }

    /// The certificate of a draw: the strategies of White and Black.
    pub fn of_draw(white: Strategy, black: Strategy) -> Self {
        Self { claim: Claim::Draw, strategies: vec![white, black], aim: None, notes: Vec::new() }
    }

    /// The root position.
    pub fn root(&self) -> &Vector {
        self.strategies[0].root()
    }

    /// The rules that its strategies cite, each once.
    pub fn cited(&self) -> Vec<&str> {
        let mut cited: Vec<&str> = Vec::new();
        for text in self.strategies.iter().flat_map(|strategy| &strategy.cited) {
            if !cited.contains(&text.as_str()) {
                cited.push(text);
            }
        }
        cited
    }

    /// The certificate of one side's strategy alone, if this one has it; of a draw, that the side
    /// holds.
    #[must_use]
    pub fn of_side(self, side: Side) -> Option<Self> {
        let Self { claim, strategies, aim, notes } = self;
        let strategy = strategies.into_iter().find(|s| s.owner == side)?;
        let claim = if claim == Claim::Draw { Claim::Holds(side) } else { claim };
        Some(Self { claim, strategies: vec![strategy], aim, notes })
    }
}
