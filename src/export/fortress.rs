//! What a fortress consists of: a holding strategy told by what stands and what is tried against it.
//!
//! All is read off the strategy itself, whatever engine has found it. A fortress *stands* while none
//! of the owner's men is taken and none of its pawns moves; where play may go on for ever so, it is
//! told which squares each of the owner's men keeps to, which pawns of the opponent's never move, and
//! what meets the *breaks*: replies that take a man, give one up that is taken, or move a pawn. A hold
//! that never rests (a pawn ending that goes over into others) is no fortress.
//!
//! Two passes over the strategy's positions, each in time linear in their number: one follows all
//! lines from the root (`survey`), one looks at the positions in which the fortress stands
//! (`inside`); ten to fifteen microseconds a position. Nothing is proved here.

mod inside;
mod picture;
mod shut;
mod squares;
mod survey;
#[cfg(test)]
mod tests;
mod text;

pub use picture::draw;
pub use squares::Squares;
pub use text::write;

use crate::certificate::Strategy;
use crate::chess::board::{Board, Role};
use crate::chess::{Side, Vector};
use crate::limits::{Budget, StopReason};
use inside::Inside;
use serde::Serialize;
use survey::{Survey, may_fold};

/// A fortress as it is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fortress {
    /// Whose it is.
    #[serde(serialize_with = "crate::chess::serialize_side")]
    pub owner: Side,
    /// The position.
    #[serde(skip)]
    pub root: Vector,
    /// Positions of the strategy with the owner to move; none is needed where nothing can mate.
    pub positions: u64,
    /// Whether no legal moves of both sides lead to a mate of the owner.
    pub dead: bool,
    /// The owner's first move, if it is to move.
    pub first: Option<String>,
    /// What stands.
    pub standing: Standing,
    /// What the opponent may try while it stands.
    pub breaks: Vec<Break>,
    /// How lines end. Those that do not end come back to where they were.
    pub ends: Ends,
    /// The rules and tables that end lines.
    pub relies_on: Vec<String>,
}

/// What stands while a fortress stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Standing {
    /// Moves from the root to where it stands; none if it stands at the root.
    pub entry: Vec<String>,
    /// Positions with the owner to move.
    pub positions: u64,
    /// In how many of them the owner gives check.
    pub checks: u64,
    /// The owner's men.
    pub men: Vec<Man>,
    /// The squares of the opponent's king.
    pub king: Squares,
    /// The opponent's pawns that never move.
    pub locked: Squares,
}

/// A man of the owner's, or several that can change places.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Man {
    #[serde(skip)]
    role: Role,
    /// Its kind: `king`, `queen` and so on.
    pub kind: &'static str,
    /// How many there are.
    pub count: u32,
    /// Where they stand at the root.
    pub home: Squares,
    /// Where they stand while the fortress stands.
    pub keeps_to: Squares,
}

impl Man {
    /// Whether they stand still.
    pub fn is_still(&self) -> bool {
        self.keeps_to.len() <= self.count as usize
    }

    /// Whether they are pawns.
    pub fn is_pawn(&self) -> bool {
        self.role == Role::Pawn
    }
}

/// What a reply changes for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// It takes a man.
    Takes,
    /// The man that moves is taken: an offer that is accepted.
    Offers,
    /// A pawn moves.
    Pawn,
}

/// A reply that changes something for good, in all positions in which it is possible.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Break {
    /// What it changes.
    pub kind: Kind,
    /// The move, such as `Rxa4`.
    #[serde(rename = "move")]
    pub play: String,
    /// Where it goes.
    #[serde(skip)]
    pub square: u8,
    /// The first position in which it is possible.
    pub example: String,
    /// In how many positions it is possible.
    pub times: u64,
    /// What meets it, the most frequent answer first.
    pub answers: Vec<Answer>,
}

/// What meets a break.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// The owner's move; none where the game or the line is over.
    #[serde(rename = "move")]
    pub play: Option<String>,
    /// How often.
    pub times: u64,
    /// What becomes of the fortress.
    pub fate: Fate,
    /// The men that are left where it falls, the first time.
    pub men: Option<String>,
}

/// What becomes of a fortress after a break and its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Fate {
    /// It stands as before.
    Stands,
    /// The owner holds without it.
    Falls,
    /// The owner is stalemated.
    Stalemate,
    /// The opponent is mated or stalemated.
    Over,
    /// The opponent has too little left to mate.
    Harmless,
    /// A proved rule or a table ends the line.
    Cited,
}

/// Lines of the whole strategy, by how they end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Ends {
    /// Somebody is stalemated.
    pub stalemates: u64,
    /// The opponent is mated.
    pub mates: u64,
    /// The opponent has too little left to mate.
    pub harmless: u64,
    /// A proved rule or a table says so.
    pub cited: u64,
}

impl Fortress {
    /// Tells a holding strategy; none if it wins, or is no fortress.
    ///
    /// # Errors
    /// The end of the budget.
    pub fn new(strategy: &Strategy, budget: &Budget) -> Result<Option<Self>, StopReason> {
        let Ok(root) = Board::from_vector(strategy.root()) else { return Ok(None) };
        if strategy.wins() {
            return Ok(None);
        }
        if let Some(closed) = strategy.closed() {
            let standing = shut::standing(closed, &root, strategy.owner());
            return Ok(standing.map(|standing| Self::of(strategy, standing)));
        }
        Self::read(strategy, &root, may_fold(strategy, &root), budget)
    }

    /// Reads a fortress off the positions that a strategy brings about.
    fn read(
        strategy: &Strategy,
        root: &Board,
        folds: bool,
        budget: &Budget,
    ) -> Result<Option<Self>, StopReason> {
        let survey = Survey::new(strategy, root, folds, budget)?;
        let Some(structure) = survey.lasting(root) else { return Ok(None) };
        let inside = Inside::of(&survey, structure, budget)?;
        let (mut standing, breaks) = inside.told(root);
        if !survey.stands(structure, root)
            && let Some(first) = survey.of_structure(structure).next()
        {
            standing.entry = survey.line_to(root, first);
        }
        let play = survey.play(root).filter(|_| root.side_to_move() == strategy.owner());
        Ok(Some(Self {
            positions: survey.len() as u64,
            first: play.map(|legal| root.san(legal)),
            breaks,
            ends: survey.ends,
            ..Self::of(strategy, standing)
        }))
    }

    fn of(strategy: &Strategy, standing: Standing) -> Self {
        Self {
            owner: strategy.owner(),
            root: *strategy.root(),
            positions: 0,
            dead: strategy.closed().is_some(),
            first: None,
            standing,
            breaks: Vec::new(),
            ends: Ends::default(),
            relies_on: strategy.cited().to_vec(),
        }
    }

    /// Positions in which it does not stand: before it is built, and after it has fallen.
    pub fn outside(&self) -> u64 {
        self.positions.saturating_sub(self.standing.positions)
    }
}
