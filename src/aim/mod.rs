//! Aims: CTL formulas over chess atoms (docs/guide.md, "The atoms of an aim"), such as
//! `AF mate(black)` or `~E[~check(white) U count(q) > 1]`.
//!
//! * [`Atom`]: chess atoms and their truth on a position are the kernel's.
//! * `read`, `write`: aims from text and to text.
//! * `goal`: aims of the form `AF φ`, which a strategy can be asked to force.
//! * `make`: such aims made of atoms, without text.
//!
//! [`Aim::parse`] reads the text; each atom is a variable of the formula, and [`Aim::atoms`] says
//! what it means. [`Aim::label`] evaluates all atoms on a position.

mod goal;
mod make;
mod read;
mod write;

pub use goal::{Goal, GoalError};
pub use make::{ahead, at_least, exactly};
pub use read::{AimError, AtomFault};
pub use theta_kernel::{Atom, Comparison, Sum, Term};
pub use write::{atom_text, nodes_text};

use crate::chess::Vector;
use crate::ctl::{Arena, Id, Node, Path};

/// A formula and the meaning of its variables.
#[derive(Debug, Clone)]
pub struct Aim {
    arena: Arena,
    formula: Id,
    /// By symbol.
    atoms: Vec<Atom>,
}

impl Aim {
    /// The arena the formula lives in.
    pub fn arena(&self) -> &Arena {
        &self.arena
    }

    /// The formula.
    pub fn formula(&self) -> Id {
        self.formula
    }

    /// The atoms: variable `Symbol(s)` of the formula is true where `atoms()[s]` holds.
    pub fn atoms(&self) -> &[Atom] {
        &self.atoms
    }

    /// The atoms that hold on a position, as a mask: bit s of word s / 64 for atom s. `can_move`
    /// tells whether the side to move has a legal move; it is asked at most once.
    pub fn label(&self, y: &Vector, can_move: impl FnOnce() -> bool) -> Vec<u64> {
        let mut words = vec![0; self.atoms.len().div_ceil(64)];
        let ends = self.atoms.iter().any(Atom::speaks_of_the_end);
        let can_move = !ends || can_move();
        for (s, atom) in self.atoms.iter().enumerate() {
            words[s / 64] |= u64::from(atom.holds(y, can_move)) << (s % 64);
        }
        words
    }

    /// Whether the aim speaks of all paths only: its negation normal form has no existential
    /// quantifier. Then a model of it inside the rules of one side is a strategy, and picking one
    /// move of several keeps it a model.
    pub fn is_universal(&self) -> bool {
        let mut arena = self.arena.clone();
        let normal = arena.nnf(self.formula);
        !arena.subformulas(normal).any(|id| {
            matches!(
                arena.get(id),
                Node::Next(Path::Some, _)
                    | Node::Until(Path::Some, ..)
                    | Node::Release(Path::Some, ..)
            )
        })
    }
}

/// Two aims are equal if they are written alike.
impl PartialEq for Aim {
    fn eq(&self, other: &Self) -> bool {
        self.atoms == other.atoms && self.to_string() == other.to_string()
    }
}

impl Eq for Aim {}

#[cfg(test)]
mod tests;
