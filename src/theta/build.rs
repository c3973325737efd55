//! The formulas built straight into an arena.

use super::Leg;
use super::formula::{Formulas, Name, Op, Pen, Theta};
use super::variables::{POSITION_VARIABLES, VARIABLES, literals};
use crate::chess::Vector;
use crate::ctl::{Arena, Id, Node, Symbol};
use std::convert::Infallible;

/// The symbols of p0..p270 in an arena, made if new.
pub fn variables(arena: &mut Arena) -> Vec<Symbol> {
    (0..VARIABLES).map(|k| arena.symbol(&format!("p{k}"))).collect()
}

/// Builds a formula over Leg(y⁰); [`crate::ctl::parse`] of its text gives the same id in the same
/// arena.
///
/// P(y) is one conjunction of 269 shared literals, built once a position. O(269·positions + edges)
/// time; about 1.1 KB a position and 8 bytes an edge.
pub fn build<L: Leg>(arena: &mut Arena, theta: Theta, leg: &L) -> Id {
    let formulas = Formulas::new(leg);
    let symbols = variables(arena);
    let atoms: Vec<Id> = symbols.into_iter().map(|symbol| arena.add(Node::Var(symbol))).collect();
    let literal = |&atom: &Id| [arena.not(atom), atom];
    let cube_literals: Vec<[Id; 2]> =
        atoms[..POSITION_VARIABLES as usize].iter().map(literal).collect();
    let mut cube = Vec::with_capacity(cube_literals.len());
    let mut position = |y: &Vector| {
        cube.clear();
        cube.extend(literals(y).zip(&cube_literals).map(|(bit, ids)| ids[usize::from(bit)]));
        arena.and(&cube)
    };
    let positions = (0..leg.positions()).map(|id| position(&leg.vector(id))).collect();
    let mut pen = ArenaPen {
        arena,
        formulas: &formulas,
        atoms,
        positions,
        operands: Vec::new(),
        open: Vec::new(),
    };
    let Ok(()) = pen.name(Name::Formula(theta));
    pen.operands[0]
}

/// An operator whose operands are still coming in.
struct Open {
    op: Op,
    /// Where its operands begin.
    from: usize,
    /// How many it takes.
    arity: usize,
}

struct ArenaPen<'a, L> {
    arena: &'a mut Arena,
    formulas: &'a Formulas<'a, L>,
    atoms: Vec<Id>,
    positions: Vec<Id>,
    operands: Vec<Id>,
    open: Vec<Open>,
}

impl<L: Leg> ArenaPen<'_, L> {
    /// Takes an operand in, and finishes the operators that it completes.
    fn operand(&mut self, id: Id) {
        self.operands.push(id);
        while let Some(&Open { op, from, arity }) = self.open.last() {
            let operands = &self.operands[from..];
            if operands.len() < arity {
                return;
            }
            let id = self.arena.add(match op {
                Op::Not => Node::Not(operands[0]),
                Op::Next(path) => Node::Next(path, operands[0]),
                Op::Globally(path) => Node::Globally(path, operands[0]),
                Op::Finally(path) => Node::Finally(path, operands[0]),
                Op::And(_) => Node::And(operands),
                Op::Or(_) => Node::Or(operands),
            });
            self.operands.truncate(from);
            self.operands.push(id);
            self.open.pop();
        }
    }
}

impl<L: Leg> Pen for ArenaPen<'_, L> {
    type Error = Infallible;

    fn operator(&mut self, op: Op) -> Result<(), Infallible> {
        let arity = match op {
            Op::And(n) | Op::Or(n) => n as usize,
            _ => 1,
        };
        self.open.push(Open { op, from: self.operands.len(), arity });
        Ok(())
    }

    fn constant(&mut self, value: bool) -> Result<(), Infallible> {
        let id = if value { self.arena.truth() } else { self.arena.falsity() };
        self.operand(id);
        Ok(())
    }

    fn variable(&mut self, k: u32) -> Result<(), Infallible> {
        self.operand(self.atoms[k as usize]);
        Ok(())
    }

    fn name(&mut self, name: Name) -> Result<(), Infallible> {
        match name {
            Name::Position(id) => {
                self.operand(self.positions[id as usize]);
                Ok(())
            }
            _ => self.formulas.body(name, self),
        }
    }
}
