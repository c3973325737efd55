//! Aims that a strategy can be asked to force: `AF φ`, where φ looks at a position and at most some
//! moves beyond it.
//!
//! # References
//! R. V. Khelemendik, *On the solution of chess positions using computational tree logic*, §5
//! (reduced aims); specification pages 1.5 and 1.7.

use super::{Aim, Atom};
use crate::chess::board::Board;
use crate::chess::{Profile, Side, Vector, successors};
use crate::ctl::{Id, Node, Path};

/// Why an aim is no goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GoalError {
    /// The aim has another form.
    #[error("only aims of the form AF φ can be forced")]
    Form,
    /// φ speaks of whole paths, or of some move only.
    #[error("in AF φ, φ may look ahead with AX only (outside of ~, -> and <->)")]
    Body,
    /// φ looks too many moves ahead to be tested in position after position.
    #[error("in AF φ, φ may look at most {MOST_AHEAD} moves ahead")]
    TooFar,
}

/// The deepest nesting of `AX`: four moves are about a million positions.
const MOST_AHEAD: usize = 4;

/// What is to be reached: φ of `AF φ`.
#[derive(Debug, Clone)]
pub struct Goal {
    aim: Aim,
    body: Id,
}

/// A position as φ sees it: what stands where, and the positions after each legal move.
trait Place: Sized {
    fn vector(&self) -> Vector;
    fn next(&self) -> Vec<Self>;
    fn can_move(&self) -> bool;
}

/// By the rules as the paper states them: what `verify` uses.
impl Place for Vector {
    fn vector(&self) -> Vector {
        *self
    }

    fn next(&self) -> Vec<Self> {
        successors(Profile::Fide, self).into_iter().map(|(_, z)| z).collect()
    }

    fn can_move(&self) -> bool {
        !self.next().is_empty()
    }
}

/// By the fast board: what searches use.
impl Place for Board {
    fn vector(&self) -> Vector {
        self.vector()
    }

    fn next(&self) -> Vec<Self> {
        self.legal_moves().into_iter().map(|m| self.after(m)).collect()
    }

    fn can_move(&self) -> bool {
        !self.legal_moves().is_empty()
    }
}

/// Two goals are equal if their aims are.
impl PartialEq for Goal {
    fn eq(&self, other: &Self) -> bool {
        self.aim == other.aim
    }
}

impl Eq for Goal {}

/// The aim as text.
impl std::fmt::Display for Goal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.aim.fmt(f)
    }
}

/// The aim as text.
impl serde::Serialize for Goal {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Goal {
    /// The goal `AF body`, made of parts that have the right form.
    pub(super) fn new(aim: Aim, body: Id) -> Self {
        Self { aim, body }
    }

    /// The goal of an aim.
    ///
    /// # Errors
    /// When the aim has not the form that [`GoalError`] asks for.
    pub fn of(aim: Aim) -> Result<Self, GoalError> {
        let Node::Finally(Path::All, body) = aim.arena().get(aim.formula()) else {
            return Err(GoalError::Form);
        };
        let goal = Self { aim, body };
        match goal.looks_ahead(body) {
            None => Err(GoalError::Body),
            Some(moves) if moves > MOST_AHEAD => Err(GoalError::TooFar),
            Some(_) => Ok(goal),
        }
    }

    /// The aim.
    pub fn aim(&self) -> &Aim {
        &self.aim
    }

    /// Whether the goal is nothing but the mate of one side: `AF mate(side)`.
    pub fn is_mate_of(&self, side: Side) -> bool {
        self.atom(self.body) == Some(&Atom::Mate(side))
    }

    fn atom(&self, id: Id) -> Option<&Atom> {
        match self.aim.arena().get(id) {
            Node::Var(symbol) => self.aim.atoms().get(symbol.0 as usize),
            _ => None,
        }
    }

    /// How many moves a formula looks ahead; none if it does so in another way than by `AX`.
    fn looks_ahead(&self, id: Id) -> Option<usize> {
        match self.aim.arena().get(id) {
            Node::And(ids) | Node::Or(ids) => ids
                .iter()
                .map(|&id| self.looks_ahead(id))
                .try_fold(0, |most, moves| Some(most.max(moves?))),
            Node::Next(Path::All, inner) => Some(self.looks_ahead(inner)? + 1),
            _ => self.is_of_one_position(id).then_some(0),
        }
    }

    fn is_of_one_position(&self, id: Id) -> bool {
        let arena = self.aim.arena();
        arena.subformulas(id).all(|id| {
            matches!(
                arena.get(id),
                Node::True
                    | Node::False
                    | Node::Var(_)
                    | Node::Not(_)
                    | Node::And(_)
                    | Node::Or(_)
                    | Node::Implies(..)
                    | Node::Iff(..)
            )
        })
    }

    /// Whether φ holds. `AX` is read as "after every legal move", whoever is to move: that is more
    /// than a strategy needs where it is the mover, so it errs on the safe side. A final position
    /// repeats itself (page 1.5).
    pub fn holds(&self, board: &Board) -> bool {
        self.eval(self.body, board, &board.vector())
    }

    /// As [`Goal::holds`], by the paper's own rules (no outside move generator).
    pub fn holds_by_the_paper(&self, y: &Vector) -> bool {
        self.eval(self.body, y, y)
    }

    fn eval<P: Place>(&self, id: Id, at: &P, y: &Vector) -> bool {
        match self.aim.arena().get(id) {
            Node::True => true,
            Node::False => false,
            Node::Var(_) => {
                let atom = self.atom(id).expect("every variable of an aim is an atom");
                atom.holds(y, !atom.speaks_of_the_end() || at.can_move())
            }
            Node::Not(a) => !self.eval(a, at, y),
            // What looks ahead costs most and comes last.
            Node::And(ids) => self.cheap_first(ids).all(|id| self.eval(id, at, y)),
            Node::Or(ids) => self.cheap_first(ids).any(|id| self.eval(id, at, y)),
            Node::Implies(a, b) => !self.eval(a, at, y) || self.eval(b, at, y),
            Node::Iff(a, b) => self.eval(a, at, y) == self.eval(b, at, y),
            Node::Next(Path::All, a) => {
                let next = at.next();
                if next.is_empty() {
                    self.eval(a, at, y)
                } else {
                    next.iter().all(|z| self.eval(a, z, &z.vector()))
                }
            }
            _ => unreachable!("checked when the goal was made"),
        }
    }

    fn cheap_first<'a>(&'a self, ids: &'a [Id]) -> impl Iterator<Item = Id> + 'a {
        let ahead = |id: &Id| matches!(self.aim.arena().get(*id), Node::Next(..));
        ids.iter().copied().filter(move |id| !ahead(id)).chain(ids.iter().copied().filter(ahead))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goal(text: &str) -> Result<Goal, GoalError> {
        Goal::of(Aim::parse(text).unwrap())
    }

    #[test]
    fn forms() {
        assert_eq!(goal("AG on(K, e1)").unwrap_err(), GoalError::Form);
        assert_eq!(goal("AF EX on(K, e1)").unwrap_err(), GoalError::Body);
        assert_eq!(goal("AF ~AX on(K, e1)").unwrap_err(), GoalError::Body);
        assert_eq!(goal("AF AX AX AX AX AX mate(black)").unwrap_err(), GoalError::TooFar);
        assert!(goal("AF mate(black)").unwrap().is_mate_of(Side::Black));
        assert!(!goal("AF mate(black)").unwrap().is_mate_of(Side::White));
        assert!(!goal("AF (on(K, e1) & AX on(K, e1))").unwrap().is_mate_of(Side::White));
    }

    #[test]
    fn looking_ahead_by_either_rules() {
        let safe = goal("AF (count(Q) >= 1 & black_to_move & AX count(Q) >= 1)").unwrap();
        for (fen, expected) in [
            ("7k/8/8/3Q4/8/8/8/K7 b - - 0 1", true),
            ("8/8/4k3/3Q4/8/8/8/K7 b - - 0 1", false), // the king takes the queen
            ("7k/8/8/3Q4/8/8/8/K7 w - - 0 1", false),
            ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", true), // stalemate repeats itself
        ] {
            let board = Board::from_fen(fen).unwrap();
            assert_eq!(safe.holds(&board), expected, "{fen}");
            assert_eq!(safe.holds_by_the_paper(&board.vector()), expected, "{fen}");
        }
    }
}
