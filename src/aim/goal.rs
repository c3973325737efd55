//! Aims that a strategy can be asked to force: `AF φ`, where φ looks at a position and at most some
//! moves beyond it.
//!
//! # References
//! R. V. Khelemendik, *On the solution of chess positions using computational tree logic*, §5
//! (reduced aims); docs/theory.md §§5 and 7.

use super::{Aim, Atom};
use crate::chess::board::Board;
use crate::chess::{Side, Vector};
use crate::ctl::{Id, Node, Path};
use std::collections::HashMap;
use theta_kernel::{AimFault, MAX_AHEAD, MAX_NODES, MAX_TERMS, Node as Step, Place};

/// Why an aim is no goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GoalError {
    /// The aim has another form.
    #[error("only aims of the form AF φ can be forced")]
    Form,
    /// φ speaks of whole paths, or of some move only.
    #[error(
        "in AF φ, φ may look ahead with AX only (outside of ~ and <->, and to the right of ->)"
    )]
    Body,
    /// φ looks too many moves ahead to be tested in position after position.
    #[error("in AF φ, φ may look at most {MAX_AHEAD} moves ahead")]
    TooFar,
    /// φ is too large to be tested in position after position.
    #[error(
        "in AF φ, φ has at most {MAX_NODES} subformulas, with at most {MAX_TERMS} terms in a sum"
    )]
    TooLarge,
}

/// What is to be reached: φ of `AF φ`.
#[derive(Debug, Clone)]
pub struct Goal {
    aim: Aim,
    /// φ as the kernel sees it.
    nodes: theta_kernel::Aim,
}

/// By the fast board: what searches use.
impl Place for Board {
    fn vector(&self) -> Vector {
        self.vector()
    }

    fn after(&self) -> Vec<Self> {
        self.legal_moves().into_iter().map(|m| self.after(m)).collect()
    }

    fn has_move(&self) -> bool {
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
    /// The goal of an aim made of parts that have the right form.
    ///
    /// # Panics
    /// With more than [`MAX_NODES`] subformulas.
    pub(super) fn new(aim: Aim) -> Self {
        Self::of(aim).expect("an aim made of parts that have the right form, and not too large")
    }

    /// The goal of an aim.
    ///
    /// # Errors
    /// When the aim has not the form that [`GoalError`] asks for.
    pub fn of(aim: Aim) -> Result<Self, GoalError> {
        let Node::Finally(Path::All, body) = aim.arena().get(aim.formula()) else {
            return Err(GoalError::Form);
        };
        let nodes = theta_kernel::Aim::new(steps(&aim, body)?).map_err(|fault| match fault {
            AimFault::TooFar => GoalError::TooFar,
            AimFault::Negated => GoalError::Body,
            _ => GoalError::TooLarge,
        })?;
        Ok(Self { aim, nodes })
    }

    /// The aim.
    pub fn aim(&self) -> &Aim {
        &self.aim
    }

    /// φ as the kernel sees it, and as certificates carry it.
    pub fn nodes(&self) -> &theta_kernel::Aim {
        &self.nodes
    }

    /// Whether the goal is nothing but the mate of one side: `AF mate(side)`.
    pub fn is_mate_of(&self, side: Side) -> bool {
        self.nodes.nodes().last() == Some(&Step::Atom(Atom::Mate(side)))
    }

    /// Whether φ looks beyond the position with `AX`. Then a strategy that forces it is a model of
    /// `AF φ` with the owner's choices, but a model may exist without one: [`Goal::holds`] asks for
    /// φ after all of the owner's moves where a model asks for the chosen one.
    pub fn looks_ahead(&self) -> bool {
        self.nodes.nodes().iter().any(|node| matches!(node, Step::Next(_)))
    }

    /// Whether φ holds. `AX` is read as "after every legal move", whoever is to move: that is more
    /// than a strategy needs where it is the mover, so it errs on the safe side. A final position
    /// repeats itself (page 1.5).
    pub fn holds(&self, board: &Board) -> bool {
        self.nodes.holds_at(board)
    }

    /// As [`Goal::holds`], by the paper's own rules (no outside move generator).
    pub fn holds_by_the_paper(&self, y: &Vector) -> bool {
        self.nodes.holds_at(y)
    }
}

/// φ as the kernel's nodes: subformulas before what is made of them, chains cut into pairs.
fn steps(aim: &Aim, body: Id) -> Result<Vec<Step>, GoalError> {
    let arena = aim.arena();
    let mut ids: Vec<Id> = arena.subformulas(body).take(MAX_NODES + 1).collect();
    if ids.len() > MAX_NODES {
        return Err(GoalError::TooLarge);
    }
    ids.reverse();
    let mut steps = Vec::new();
    let mut numbers: HashMap<Id, u32> = HashMap::new();
    let add = |steps: &mut Vec<Step>, step: Step| {
        steps.push(step);
        steps.len() as u32 - 1
    };
    for id in ids {
        let at = |id: &Id| numbers[id];
        let number = match arena.get(id) {
            Node::True => add(&mut steps, Step::Constant(true)),
            Node::False => add(&mut steps, Step::Constant(false)),
            Node::Var(symbol) => {
                let atom = aim.atoms().get(symbol.0 as usize).ok_or(GoalError::Body)?;
                add(&mut steps, Step::Atom(atom.clone()))
            }
            Node::Not(a) => add(&mut steps, Step::Not(at(&a))),
            Node::Iff(a, b) => add(&mut steps, Step::Iff(at(&a), at(&b))),
            Node::Implies(a, b) => {
                let not = add(&mut steps, Step::Not(at(&a)));
                add(&mut steps, Step::Or(not, at(&b)))
            }
            Node::Next(Path::All, a) => add(&mut steps, Step::Next(at(&a))),
            Node::And(parts) => chain(&mut steps, parts.iter().map(at), Step::And),
            Node::Or(parts) => chain(&mut steps, parts.iter().map(at), Step::Or),
            _ => return Err(GoalError::Body),
        };
        if steps.len() > MAX_NODES {
            return Err(GoalError::TooLarge);
        }
        numbers.insert(id, number);
    }
    Ok(steps)
}

fn chain(
    steps: &mut Vec<Step>,
    mut parts: impl Iterator<Item = u32>,
    join: fn(u32, u32) -> Step,
) -> u32 {
    let first = parts.next().expect("a chain has parts");
    parts.fold(first, |left, right| {
        steps.push(join(left, right));
        steps.len() as u32 - 1
    })
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
