//! A refutation guided by what the symbolic fixpoint took away when.
//!
//! As long as the clauses known do not refute the root, the prover finds a vertex that they allow.
//! The fixpoint took it away at some time: because successors that it claims had all been taken away
//! before — then the prover refutes their formulas, or finds one of them, which is excluded first —
//! or because its successors cannot keep a promise. That is a matter for induction: once for each
//! time, with the vertices that could keep it then as a formula. So every vertex found is excluded
//! by a clause, each later one was taken away earlier, and the work ends.

use super::RefuteError;
use super::book::{ALIVE, ClauseId, Lit, Node, TRUE};
use super::formula::Names;
use super::prover::Found;
use super::scribe::{Scribe, Use};
use crate::ctl::{self as formula, Arena, Id, Path};
use crate::limits::Budget;
use crate::tableau::symbolic::{Atom, Branch, Elimination, Reason};
use hashbrown::HashMap;

/// Vertices between two looks at the budget.
const STEPS: u64 = 64;

/// Which atoms a vertex claims.
type Vertex = Box<[bool]>;

/// See the module.
pub(super) struct Guide<'a, 'b> {
    scribe: &'a mut Scribe<'b>,
    names: &'a mut Names,
    arena: &'a Arena,
    elimination: &'a Elimination<'a>,
    budget: &'a Budget,
    /// By atom.
    literals: Vec<Lit>,
    /// The promises refuted so far, by time.
    refuted: HashMap<usize, ()>,
    steps: u64,
}

impl<'a, 'b> Guide<'a, 'b> {
    pub(super) fn new(
        scribe: &'a mut Scribe<'b>,
        names: &'a mut Names,
        arena: &'a Arena,
        elimination: &'a Elimination<'a>,
        budget: &'a Budget,
    ) -> Self {
        let mut literals = Vec::new();
        let mut preferred = Vec::new();
        for &atom in elimination.atoms() {
            let book = scribe.book();
            let literal = match atom {
                Atom::Variable(symbol) => book.atom(arena.name(symbol)),
                Atom::Alive => ALIVE,
                Atom::Next(path, operand) => {
                    let operand = names.literal(book, arena, operand);
                    match path {
                        Path::All => book.all_next(operand),
                        Path::Some => book.some_next(operand),
                    }
                }
            };
            literals.push(literal);
            preferred.push(-literal);
        }
        // A vertex should claim as little as it can.
        scribe.prover.prefer(preferred);
        let refuted = HashMap::new();
        Self { scribe, names, arena, elimination, budget, literals, refuted, steps: 0 }
    }

    /// The fixpoint splits `AX` of a conjunction and `EX` of a disjunction into atoms; these are the
    /// clauses that say so.
    pub(super) fn prepare(&mut self, normal: Id) -> Result<(), RefuteError> {
        let formulas: Vec<Id> = self.arena.subformulas(normal).collect();
        for &id in formulas.iter().rev() {
            let formula::Node::Next(path, operand) = self.arena.get(id) else { continue };
            let mut leaves = Vec::new();
            let mut pending = vec![operand];
            while let Some(id) = pending.pop() {
                match (path, self.arena.get(id)) {
                    (Path::All, formula::Node::And(parts))
                    | (Path::Some, formula::Node::Or(parts)) => pending.extend(parts),
                    _ => leaves.push(id),
                }
            }
            if leaves == [operand] {
                continue;
            }
            let sign = if path == Path::All { -1 } else { 1 };
            let whole = sign * self.names.literal(self.scribe.book(), self.arena, id);
            let mut parts = Vec::new();
            for leaf in leaves {
                let leaf = sign * self.names.literal(self.scribe.book(), self.arena, leaf);
                parts.push(self.scribe.book().some_next(leaf));
            }
            self.scribe.distribute(whole, &parts)?;
        }
        Ok(())
    }

    /// The clause against the root.
    pub(super) fn root(&mut self, root: Lit) -> Result<(), RefuteError> {
        while self.found(&[root])?.is_none() {
            let vertex = self.vertex();
            self.exclude(vertex, usize::MAX)?;
        }
        Ok(())
    }

    /// What contradicts these literals: a clause, or (0) they contradict each other.
    fn found(&mut self, assumptions: &[Lit]) -> Result<Option<ClauseId>, RefuteError> {
        self.steps += 1;
        if self.steps.is_multiple_of(STEPS) {
            self.budget.check(0, self.scribe.book().bytes())?;
            self.budget.progress().advance(self.steps);
        }
        Ok(match self.scribe.refute(assumptions)? {
            Found::Clause(clause) => Some(clause),
            Found::Trivial => Some(0),
            Found::Nothing => None,
        })
    }

    /// The vertex that the prover has just found.
    fn vertex(&self) -> Vertex {
        self.literals.iter().map(|&l| self.scribe.prover.is_true(l)).collect()
    }

    fn gone(&self, vertex: &Vertex) -> Option<usize> {
        self.elimination.gone(|atom| vertex[atom])
    }

    /// φ for each `AX φ` that a vertex claims.
    fn demands(&mut self, vertex: &Vertex) -> Vec<Lit> {
        self.claims(vertex, Path::All)
    }

    fn claims(&mut self, vertex: &Vertex, wanted: Path) -> Vec<Lit> {
        let mut claims = Vec::new();
        for (at, &atom) in self.elimination.atoms().iter().enumerate() {
            if let Atom::Next(path, operand) = atom
                && vertex[at]
                && path == wanted
            {
                claims.push(self.names.literal(self.scribe.book(), self.arena, operand));
            }
        }
        claims
    }

    /// Excludes a vertex that was taken away before `limit`.
    fn exclude(&mut self, vertex: Vertex, limit: usize) -> Result<(), RefuteError> {
        let mut pending = vec![(vertex, limit)];
        while let Some((vertex, limit)) = pending.last() {
            let limit = *limit;
            let vertex = vertex.clone();
            let Some(time) = self.gone(&vertex).filter(|&time| time < limit) else {
                return Err(RefuteError::Lost);
            };
            let targets = match self.elimination.reason(time) {
                Reason::Successor(None) => vec![TRUE],
                Reason::Successor(Some(operand)) => {
                    vec![self.names.literal(self.scribe.book(), self.arena, operand)]
                }
                Reason::Promise(until, path) => {
                    let until = self.names.literal(self.scribe.book(), self.arena, until);
                    self.promise(time, until, path)?;
                    match path {
                        Path::Some => vec![until],
                        Path::All => self.targets(&vertex),
                    }
                }
            };
            match self.supply(&vertex, &targets, time)? {
                None => drop(pending.pop()),
                Some(successor) => pending.push((successor, time)),
            }
        }
        Ok(())
    }

    /// The successors a vertex needs: one for each `EX φ` it claims, or any.
    fn targets(&mut self, vertex: &Vertex) -> Vec<Lit> {
        let mut targets = self.claims(vertex, Path::Some);
        targets.push(TRUE);
        targets
    }

    /// Excludes a vertex that has no successor for one of the targets, or answers such a successor,
    /// which was taken away before `time`.
    fn supply(
        &mut self,
        vertex: &Vertex,
        targets: &[Lit],
        time: usize,
    ) -> Result<Option<Vertex>, RefuteError> {
        let demands = self.demands(vertex);
        let mut earlier = None;
        for &target in targets {
            let mut assumed = vec![target];
            assumed.extend(&demands);
            if let Some(clause) = self.found(&assumed)? {
                self.step(clause, target, &assumed, None)?;
                return Ok(None);
            }
            let successor = self.vertex();
            if earlier.is_none() && self.gone(&successor).is_some_and(|gone| gone < time) {
                earlier = Some(successor);
            }
        }
        earlier.map(Some).ok_or(RefuteError::Lost)
    }

    /// The clause that no vertex demands a successor that satisfies all of `assumed`, which
    /// `clause` refutes there, or makes a vertex of `EX …`, the node given.
    fn step(
        &mut self,
        clause: ClauseId,
        target: Lit,
        assumed: &[Lit],
        into: Option<Lit>,
    ) -> Result<(), RefuteError> {
        let core: Vec<Lit> = match clause {
            0 => assumed.to_vec(),
            _ => self.scribe.book().literals(clause).iter().map(|&l| -l).collect(),
        };
        let there = if core.contains(&target) { target } else { TRUE };
        let book = self.scribe.book();
        let some = book.some_next(there);
        let mut literals = vec![-some];
        let mut plan = Vec::new();
        for &formula in assumed.iter().filter(|&&f| f != there && core.contains(&f)) {
            let all = book.all_next(formula);
            if literals.contains(&-all) {
                continue;
            }
            literals.push(-all);
            plan.push(Use::Link(-all));
        }
        if clause != 0 {
            plan.push(Use::There(clause));
        }
        if let Some(next) = into {
            literals.push(next);
            plan.push(Use::Link(next));
        }
        match self.scribe.step(there, &literals, &plan) {
            Some(_) => Ok(()),
            None => Err(RefuteError::Lost),
        }
    }

    /// The clause that where the until holds, the vertex could keep its promise at that time.
    fn promise(&mut self, time: usize, until: Lit, path: Path) -> Result<(), RefuteError> {
        if self.refuted.insert(time, ()).is_some() {
            return Ok(());
        }
        let kept = self.formula(&self.elimination.kept(time));
        let done = match path {
            Path::All => self.on_some_path(time, until, kept)?,
            Path::Some => self.on_all_paths(time, until, kept)?,
        };
        if done.is_some() { Ok(()) } else { Err(RefuteError::Lost) }
    }

    /// The formula that a diagram is.
    fn formula(&mut self, branches: &[Branch]) -> Lit {
        let mut formulas: Vec<Lit> = Vec::with_capacity(branches.len());
        for &branch in branches {
            let formula = match branch {
                Branch::Constant(value) => {
                    if value {
                        TRUE
                    } else {
                        -TRUE
                    }
                }
                Branch::Test(atom, low, high) => {
                    let test = self.literals[atom];
                    let [low, high] = [low, high].map(|b| formulas[b as usize]);
                    let book = self.scribe.book();
                    let part = |book: &mut super::book::Book, test: Lit, then: Lit| match then {
                        TRUE => test,
                        _ if then == -TRUE => -TRUE,
                        _ => book.and(&[test, then]),
                    };
                    match (part(book, -test, low), part(book, test, high)) {
                        (low, high) if low == -TRUE => high,
                        (low, high) if high == -TRUE => low,
                        (low, high) => book.or(&[low, high]),
                    }
                }
            };
            formulas.push(formula);
        }
        formulas.last().copied().unwrap_or(TRUE)
    }

    /// `A[a U b]`: outside of what could keep it there is always a successor outside again.
    fn on_some_path(
        &mut self,
        time: usize,
        until: Lit,
        kept: Lit,
    ) -> Result<Option<ClauseId>, RefuteError> {
        let outside = self.scribe.book().and(&[until, -kept]);
        let again = self.scribe.book().some_next(outside);
        let (a, b) = self.operands(until);
        while self.found(&[outside, b])?.is_none() {
            let vertex = self.vertex();
            self.exclude(vertex, time)?;
        }
        while self.found(&[outside, a, ALIVE, -again])?.is_none() {
            let vertex = self.vertex();
            if self.gone(&vertex).is_some_and(|gone| gone < time) {
                self.exclude(vertex, time)?;
                continue;
            }
            let demands = self.demands(&vertex);
            let mut is_done = false;
            for target in self.targets(&vertex) {
                let mut assumed = vec![target];
                assumed.extend(&demands);
                assumed.push(-outside);
                if let Some(clause) = self.found(&assumed)? {
                    assumed.pop();
                    self.step(clause, target, &assumed, Some(again))?;
                    is_done = true;
                    break;
                }
            }
            if !is_done {
                return Err(RefuteError::Lost);
            }
        }
        Ok(self.scribe.induction(outside, until)?)
    }

    /// `E[a U b]`: outside of what could keep it no successor could.
    fn on_all_paths(
        &mut self,
        time: usize,
        until: Lit,
        kept: Lit,
    ) -> Result<Option<ClauseId>, RefuteError> {
        let inside = self.scribe.book().and(&[until, kept]);
        let into = self.scribe.book().some_next(inside);
        let (a, b) = self.operands(until);
        // Where the until fails, it fails at the successors.
        let at = inside != until && inside > 0;
        let mut plan = Vec::new();
        if at && matches!(self.scribe.book().nodes[inside as usize - 1], Node::And(_)) {
            plan.push(Use::There(self.scribe.book().firsts[inside as usize - 1] + 1));
        }
        plan.push(Use::Link(until + 1));
        self.scribe.step(inside, &[-into, until + 1], &plan);
        while self.found(&[-inside, b])?.is_none() {
            let vertex = self.vertex();
            self.exclude(vertex, time)?;
        }
        while self.found(&[-inside, a, into])?.is_none() {
            let vertex = self.vertex();
            if self.gone(&vertex).is_some_and(|gone| gone < time) {
                self.exclude(vertex, time)?;
                continue;
            }
            let mut assumed = vec![inside];
            assumed.extend(self.demands(&vertex));
            let Some(clause) = self.found(&assumed)? else { return Err(RefuteError::Lost) };
            self.step(clause, inside, &assumed, None)?;
        }
        Ok(self.scribe.induction(-inside, until)?)
    }

    fn operands(&mut self, until: Lit) -> (Lit, Lit) {
        match self.scribe.book().nodes[until as usize - 1] {
            Node::AllUntil(a, b) | Node::SomeUntil(a, b) => (a, b),
            _ => (TRUE, TRUE),
        }
    }
}
