//! Aims that a proof search can go for: `AF φ`, where φ looks at a position and at most some moves beyond it.
//!
//! # References
//! R. V. Khelemendik, *On the solution of chess positions using computational tree logic*, §5 (reduced aims);
//! specification pages 1.5 and 1.7.

use crate::aim::Aim;
use crate::chess::board::Board;
use crate::ctl::{Id, Node, Path};

/// Why an aim is no goal of a proof search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GoalError {
    /// The aim has another form.
    #[error("`prove` takes aims of the form AF φ")]
    Form,
    /// φ speaks of whole paths, or of some move only.
    #[error("in AF φ, φ may look ahead with AX only (outside of ~, -> and <->)")]
    Body,
}

/// What is to be reached: φ of `AF φ`.
#[derive(Debug, Clone)]
pub struct Goal {
    aim: Aim,
    body: Id,
}

impl Goal {
    /// The goal of an aim.
    ///
    /// # Errors
    /// When the aim has not the form that [`GoalError`] asks for.
    pub fn of(aim: Aim) -> Result<Self, GoalError> {
        let Node::Finally(Path::All, body) = aim.arena().get(aim.formula()) else { return Err(GoalError::Form) };
        let goal = Self { aim, body };
        if goal.looks_ahead(body) { Ok(goal) } else { Err(GoalError::Body) }
    }

    /// The aim.
    pub fn aim(&self) -> &Aim {
        &self.aim
    }

    /// Whether the goal is nothing but mate: `AF mate(side)`.
    pub fn is_mate(&self) -> bool {
        let atom = |id: Id| match self.aim.arena().get(id) {
            Node::Var(symbol) => self.aim.atoms().get(symbol.0 as usize),
            _ => None,
        };
        matches!(atom(self.body), Some(crate::aim::Atom::Mate(_)))
    }

    fn looks_ahead(&self, id: Id) -> bool {
        match self.aim.arena().get(id) {
            Node::And(ids) | Node::Or(ids) => ids.iter().all(|&id| self.looks_ahead(id)),
            Node::Next(Path::All, inner) => self.looks_ahead(inner),
            _ => self.is_of_one_position(id),
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

    /// Whether φ holds. `AX` is read as "after every legal move", whoever is to move: that is more than a strategy needs
    /// where it is the mover, so it errs on the safe side. A final position repeats itself (page 1.5).
    pub fn holds(&self, board: &Board) -> bool {
        self.eval(self.body, board)
    }

    fn eval(&self, id: Id, board: &Board) -> bool {
        match self.aim.arena().get(id) {
            Node::True => true,
            Node::False => false,
            Node::Var(symbol) => {
                self.aim.atoms()[symbol.0 as usize].holds(&board.vector(), !board.legal_moves().is_empty())
            }
            Node::Not(a) => !self.eval(a, board),
            Node::And(ids) => ids.iter().all(|&id| self.eval(id, board)),
            Node::Or(ids) => ids.iter().any(|&id| self.eval(id, board)),
            Node::Implies(a, b) => !self.eval(a, board) || self.eval(b, board),
            Node::Iff(a, b) => self.eval(a, board) == self.eval(b, board),
            Node::Next(Path::All, a) => {
                let moves = board.legal_moves();
                if moves.is_empty() {
                    self.eval(a, board)
                } else {
                    moves.iter().all(|m| self.eval(a, &board.after(*m)))
                }
            }
            _ => unreachable!("checked when the goal was made"),
        }
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
        assert!(goal("AF mate(black)").unwrap().is_mate());
        assert!(!goal("AF (on(K, e1) & AX on(K, e1))").unwrap().is_mate());
    }

    #[test]
    fn looking_ahead() {
        let safe = goal("AF (count(Q) >= 1 & black_to_move & AX count(Q) >= 1)").unwrap();
        let holds = |fen: &str| safe.holds(&Board::from_fen(fen).unwrap());
        assert!(holds("7k/8/8/3Q4/8/8/8/K7 b - - 0 1"));
        assert!(!holds("8/8/4k3/3Q4/8/8/8/K7 b - - 0 1"), "the king takes the queen");
        assert!(!holds("7k/8/8/3Q4/8/8/8/K7 w - - 0 1"));
        assert!(holds("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), "stalemate repeats itself");
    }
}
