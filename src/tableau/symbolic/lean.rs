//! The lean of a formula: the atoms whose truth at a vertex settles the truth of every subformula
//! there.
//!
//! Atoms are the variables, "this is no dead end", and the `AX φ` and `EX φ` of the formula and of
//! the unfoldings of its fixpoints (docs/theory.md §1; not the tableau's code, so that one may
//! check the other):
//!
//! ```text
//! A[φ U ψ] = ψ | φ & EX T & AX A[φ U ψ]      E[φ U ψ] = ψ | φ & EX E[φ U ψ]
//! A[φ R ψ] = ψ & (φ | AX A[φ R ψ])           E[φ R ψ] = ψ & (φ | ~EX T | EX E[φ R ψ])
//! ```
//!
//! The bodies of the root's `AG` conjuncts hold at every vertex and get no atoms of their own.
//! Atoms are claims: what is claimed must be upheld, what is not claimed may be true or not. Each
//! atom has two levels: the upper one for an `AX φ` claimed at the vertex before, the lower one for
//! the atom itself.

use super::bdd::{Bdd, Bdds};
use super::order::{self, Group};
use crate::ctl::{Arena, Id, Node, Path, Symbol};
use crate::limits::{Budget, StopReason};
use std::collections::HashMap;

/// Formulas with more atoms are refused.
const ATOMS: usize = 4000;
/// Formulas with more subformulas are refused.
const NODES: usize = 200_000;
/// Atoms between two looks at the budget.
const STEPS: usize = 64;

/// What an atom says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::tableau) enum Atom {
    Variable(Symbol),
    /// There is a successor.
    Alive,
    Next(Path, Id),
}

/// See the module.
pub(super) struct Lean<'a> {
    arena: &'a Arena,
    pub(super) atoms: Vec<Atom>,
    numbers: HashMap<Atom, u32>,
    /// The place of each atom in the order.
    places: Vec<u32>,
    /// True at every vertex.
    pub(super) axioms: Vec<Id>,
    /// True at the root.
    pub(super) start: Vec<Id>,
    /// The subformulas that the axioms and the start consist of, operands first.
    nodes: Vec<Id>,
    /// By subformula: where it is true.
    truths: HashMap<Id, Bdd>,
    total: bool,
}

impl<'a> Lean<'a> {
    /// The lean of a formula in negation normal form, in total models if `total`, with its atoms
    /// in order.
    ///
    /// # Errors
    /// [`StopReason::Exhausted`] if the formula is too large for this method, or the limit that was
    /// reached.
    pub(super) fn new(
        arena: &'a Arena,
        formula: Id,
        total: bool,
        budget: &Budget,
    ) -> Result<Self, StopReason> {
        let (mut lean, groups) = Self::of_atoms(arena, formula, total, budget)?;
        lean.places = order::places(lean.atoms.len(), &groups, budget)?;
        lean.turn_variables_up(&groups);
        Ok(lean)
    }

    /// Whether a formula is small enough; false also where a limit is reached first.
    pub(super) fn suits(arena: &'a Arena, formula: Id, total: bool, budget: &Budget) -> bool {
        Self::of_atoms(arena, formula, total, budget).is_ok()
    }

    /// The lean without an order, and the groups of atoms that should be close to one another.
    fn of_atoms(
        arena: &'a Arena,
        formula: Id,
        total: bool,
        budget: &Budget,
    ) -> Result<(Self, Vec<Group>), StopReason> {
        let (axioms, start) = split_root(arena, formula);
        let nodes = subformulas(arena, axioms.iter().chain(&start).copied())
            .ok_or(StopReason::Exhausted)?;
        let mut lean = Self {
            arena,
            atoms: Vec::new(),
            numbers: HashMap::new(),
            places: Vec::new(),
            axioms,
            start,
            nodes,
            truths: HashMap::new(),
            total,
        };
        let groups = lean.find_atoms(budget)?;
        if lean.atoms.len() > ATOMS {
            return Err(StopReason::Exhausted);
        }
        Ok((lean, groups))
    }

    /// Turns the order round if the other way more variables come before the claims that depend on
    /// them: then a valuation with given variables is found without going back.
    fn turn_variables_up(&mut self, groups: &[Group]) {
        let is_claim = |&&a: &&u32| matches!(self.atoms[a as usize], Atom::Next(..));
        let mut lead = 0.0;
        for group in groups {
            let place = |&a: &u32| f64::from(self.places[a as usize]);
            let (claims, variables): (Vec<f64>, Vec<f64>) = (
                group.members.iter().filter(is_claim).map(place).collect(),
                group.members.iter().filter(|a| !is_claim(a)).map(place).collect(),
            );
            if !variables.is_empty() {
                let centre = variables.iter().sum::<f64>() / variables.len() as f64;
                lead += claims.iter().map(|place| place - centre).sum::<f64>();
            }
        }
        if lead < 0.0 {
            let last = self.places.len() as u32 - 1;
            self.places.iter_mut().for_each(|place| *place = last - *place);
        }
    }

    fn number(&mut self, atom: Atom) -> u32 {
        let new = self.atoms.len() as u32;
        let number = *self.numbers.entry(atom).or_insert(new);
        if number == new {
            self.atoms.push(atom);
        }
        number
    }

    /// The number of an atom that the lean has.
    pub(super) fn number_of(&self, atom: Atom) -> u32 {
        self.numbers[&atom]
    }

    /// Numbers the atoms; answers which should be close to one another: those of each axiom, and
    /// those of the operand of each `AX` or `EX` with the atom itself.
    fn find_atoms(&mut self, budget: &Budget) -> Result<Vec<Group>, StopReason> {
        if !self.total {
            self.number(Atom::Alive);
        }
        let mut groups = Vec::new();
        let (mut done, mut entries) = (0, 0);
        let roots: Vec<Id> = self.axioms.iter().chain(&self.start).copied().collect();
        for root in roots {
            groups.push(Group { members: self.atoms_at(root), is_condition: true });
            while done < self.atoms.len() && self.atoms.len() <= ATOMS {
                if done.is_multiple_of(STEPS) {
                    budget.check(0, 4 * entries as u64)?;
                }
                if let Atom::Next(_, operand) = self.atoms[done] {
                    let mut members = self.atoms_at(operand);
                    members.push(done as u32);
                    entries += members.len();
                    groups.push(Group { members, is_condition: false });
                }
                done += 1;
            }
        }
        for Group { members, .. } in &mut groups {
            // Nearly every group has it: it would pull them all together.
            members.retain(|&a| self.atoms[a as usize] != Atom::Alive);
            members.sort_unstable();
            members.dedup();
        }
        groups.retain(|g| g.members.len() > 1);
        Ok(groups)
    }

    /// The atoms on which the truth of a formula at a vertex depends directly.
    fn atoms_at(&mut self, formula: Id) -> Vec<u32> {
        let mut found = Vec::new();
        let mut seen = std::collections::HashSet::new();
        let mut pending = vec![formula];
        while let Some(id) = pending.pop() {
            if !seen.insert(id) {
                continue;
            }
            match self.arena.get(id) {
                Node::Var(symbol) => found.push(self.number(Atom::Variable(symbol))),
                Node::Next(path, operand) => {
                    let atoms = self.next_atoms(path, operand);
                    let kept = atoms.into_iter().filter(|&a| !(self.total && a == Atom::Alive));
                    found.extend(kept.collect::<Vec<_>>().into_iter().map(|a| self.number(a)));
                }
                Node::Until(path, a, b) | Node::Release(path, a, b) => {
                    let number = self.number(Atom::Next(path, id));
                    found.push(number);
                    pending.extend([b, a]);
                }
                _ => pending.extend(self.arena.operands(id).iter().rev()),
            }
        }
        found
    }

    /// The atoms of which `AX operand` is the conjunction, or `EX operand` the disjunction.
    fn next_atoms(&self, path: Path, operand: Id) -> Vec<Atom> {
        let mut atoms = Vec::new();
        let mut pending = vec![operand];
        while let Some(id) = pending.pop() {
            match (path, self.arena.get(id)) {
                (Path::All, Node::And(parts)) | (Path::Some, Node::Or(parts)) => {
                    pending.extend(parts.iter().rev())
                }
                (Path::Some, Node::True) => atoms.push(Atom::Alive),
                _ => atoms.push(Atom::Next(path, id)),
            }
        }
        atoms
    }

    /// The level at which an atom is tested.
    pub(super) fn level(&self, atom: u32) -> u32 {
        2 * self.places[atom as usize] + 1
    }

    /// The level at which the claim of an `AX` at the vertex before is tested.
    pub(super) fn demand_level(&self, atom: u32) -> u32 {
        2 * self.places[atom as usize]
    }

    /// Where an atom is claimed.
    pub(super) fn atom(&self, bdds: &mut Bdds, atom: Atom) -> Bdd {
        match self.numbers.get(&atom) {
            Some(&number) => bdds.variable(self.level(number)),
            None => {
                debug_assert!(self.total && atom == Atom::Alive, "an atom of the lean");
                Bdd::TRUE
            }
        }
    }

    /// Where a subformula is true; after [`Lean::draw`].
    pub(super) fn truth(&self, formula: Id) -> Bdd {
        self.truths[&formula]
    }

    /// All truths, for a collection's roots.
    pub(super) fn truths(&self) -> impl Iterator<Item = Bdd> + '_ {
        self.truths.values().copied()
    }

    /// Draws the diagrams of all subformulas.
    pub(super) fn draw(&mut self, bdds: &mut Bdds) -> Result<(), StopReason> {
        for at in 0..self.nodes.len() {
            let id = self.nodes[at];
            let truth = self.draw_one(bdds, id)?;
            self.truths.insert(id, truth);
        }
        Ok(())
    }

    fn draw_one(&self, bdds: &mut Bdds, id: Id) -> Result<Bdd, StopReason> {
        let alive = |bdds: &mut Bdds| self.atom(bdds, Atom::Alive);
        let of = |id: Id| self.truth(id);
        Ok(match self.arena.get(id) {
            Node::True => Bdd::TRUE,
            Node::False => Bdd::FALSE,
            Node::Var(symbol) => self.atom(bdds, Atom::Variable(symbol)),
            Node::Not(a) => match self.arena.get(a) {
                Node::Var(symbol) => {
                    bdds.negated(self.level(self.number_of(Atom::Variable(symbol))))
                }
                other => unreachable!("~{other:?} in negation normal form"),
            },
            // From the last operand on: the diagrams grow from the bottom where operands come in
            // order.
            Node::And(parts) => {
                parts.iter().rev().try_fold(Bdd::TRUE, |all, &p| bdds.and(of(p), all))?
            }
            Node::Or(parts) => {
                parts.iter().rev().try_fold(Bdd::FALSE, |any, &p| bdds.or(of(p), any))?
            }
            Node::Next(path, operand) => {
                let mut truth = if path == Path::All { Bdd::TRUE } else { Bdd::FALSE };
                for atom in self.next_atoms(path, operand) {
                    let atom = self.atom(bdds, atom);
                    truth = if path == Path::All {
                        bdds.and(truth, atom)?
                    } else {
                        bdds.or(truth, atom)?
                    };
                }
                truth
            }
            Node::Until(path, a, b) => {
                let mut later = self.atom(bdds, Atom::Next(path, id));
                if path == Path::All {
                    let alive = alive(bdds);
                    later = bdds.and(later, alive)?;
                }
                later = bdds.and(of(a), later)?;
                bdds.or(of(b), later)?
            }
            Node::Release(path, a, b) => {
                let mut later = self.atom(bdds, Atom::Next(path, id));
                if path == Path::Some && !self.total {
                    let dead_end = bdds.negated(self.level(self.number_of(Atom::Alive)));
                    later = bdds.or(later, dead_end)?;
                }
                later = bdds.or(of(a), later)?;
                bdds.and(of(b), later)?
            }
            other => unreachable!("{other:?} in negation normal form"),
        })
    }
}

/// What holds everywhere and what holds at the root.
fn split_root(arena: &Arena, formula: Id) -> (Vec<Id>, Vec<Id>) {
    let (mut axioms, mut start) = (Vec::new(), Vec::new());
    let mut pending = vec![(formula, false)];
    while let Some((id, everywhere)) = pending.pop() {
        match arena.get(id) {
            Node::And(parts) => pending.extend(parts.iter().rev().map(|&p| (p, everywhere))),
            Node::Release(Path::All, never, body) if arena.get(never) == Node::False => {
                pending.push((body, true))
            }
            _ if everywhere => axioms.push(id),
            _ => start.push(id),
        }
    }
    (axioms, start)
}

/// The distinct subformulas of some formulas, operands first; `None` if there are too many.
fn subformulas(arena: &Arena, roots: impl Iterator<Item = Id>) -> Option<Vec<Id>> {
    let mut seen = std::collections::HashSet::new();
    let mut pending: Vec<Id> = roots.collect();
    while let Some(id) = pending.pop() {
        if seen.insert(id) {
            pending.extend(arena.operands(id));
        }
        if seen.len() > NODES {
            return None;
        }
    }
    let mut nodes: Vec<Id> = seen.into_iter().collect();
    nodes.sort_unstable();
    Some(nodes)
}
