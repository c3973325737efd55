//! Aims decided from the position outwards, listing only the positions they need.
//!
//! Leg(y⁰) of a full board cannot be listed, but some aims do not ask for it: those that look a
//! fixed number of plies ahead (only `AX` and `EX`), those that ask whether such a thing can be
//! reached (`E[s U φ]`), which a breadth-first search answers as soon as it is, and under all rules
//! those that ask whether it can be avoided for ever (`E[φ R s]`), and the negations of both. The
//! searches are complete: where they end, they have listed all that can be reached.

mod forever;
mod line;
mod together;
mod tree;

use super::Rules;
use super::fixpoint::{Shape, Step};
use crate::aim::Aim;
use crate::chess::board::Board;
use crate::chess::{Interner, Packed, Profile, Side, Vector, successors};
use crate::ctl::{Arena, Id, Node, Path};
use crate::kripke::VertexSet;
use crate::limits::{Budget, StopReason};
use std::cell::OnceCell;
use std::collections::{HashMap, VecDeque};

/// Operators may be nested so deep: the evaluation is recursive.
const HEIGHT: u32 = 500;

/// Where several obligations meet, a formula may have so many disjunctions: each is one more level
/// of recursion.
const CHOICES: usize = 2000;

/// What to look for.
#[derive(Clone, Copy)]
enum Plan {
    /// A formula without `U` and `R`, at the root.
    Ahead(Id),
    /// The same where several obligations may meet, with one side's choices.
    Together(Id),
    /// `E[hold U goal]`, or (true) its negation; both formulas without `U` and `R`.
    Reach(Id, Id, bool),
    /// `E[goal R hold]`, goal first, or (true) its negation; both formulas without `U` and `R`.
    Forever(Id, Id, bool),
}

/// Decides one aim at one position.
pub(super) struct Local<'a> {
    aim: &'a Aim,
    /// The aim's arena with normal forms.
    arena: Arena,
    plan: Plan,
    rules: Rules,
    profile: Profile,
    budget: &'a Budget,
    positions: Interner,
    /// Truth of formulas that begin with `AX` or `EX`, by formula and position.
    known: HashMap<(Id, u32), bool>,
    /// Whether formulas can be satisfied together, by formulas and position.
    sets: HashMap<(Box<[Id]>, u32), bool>,
    /// Branches of such questions looked at.
    branches: u64,
    /// What was reached, and for each position that one from which it was first met.
    reached: Option<u32>,
    before: Vec<u32>,
    /// The line that goes on for ever.
    kept: Option<forever::Path>,
    /// Bytes of lists that were made for the path of that search.
    waiting: usize,
}

/// A position while it is looked at; what it needs is worked out once.
struct Visit {
    id: u32,
    y: Vector,
    successors: OnceCell<Vec<u32>>,
    label: OnceCell<Vec<u64>>,
}

impl<'a> Local<'a> {
    /// `None` if the aim is not of these kinds.
    pub(super) fn new(
        root: &Vector,
        aim: &'a Aim,
        rules: Rules,
        profile: Profile,
        budget: &'a Budget,
    ) -> Option<Self> {
        let mut arena = aim.arena().clone();
        let plan = plan(&mut arena, aim.formula(), rules)?;
        let mut positions = Interner::new(root.men());
        positions.insert(&Packed::from(root));
        let (known, sets) = (HashMap::new(), HashMap::new());
        Some(Self {
            aim,
            arena,
            plan,
            rules,
            profile,
            budget,
            positions,
            known,
            sets,
            branches: 0,
            reached: None,
            before: Vec::new(),
            kept: None,
            waiting: 0,
        })
    }

    /// The answer.
    pub(super) fn run(&mut self) -> Result<bool, StopReason> {
        self.look_at_budget()?;
        match self.plan {
            Plan::Ahead(formula) => self.truth(formula, &self.visit(0)),
            Plan::Together(formula) => self.together(vec![formula], &self.visit(0)),
            Plan::Reach(hold, goal, negated) => Ok(self.reach(hold, goal)? != negated),
            Plan::Forever(goal, hold, negated) => Ok(self.forever(goal, hold)? != negated),
        }
    }

    /// Positions listed so far.
    pub(super) fn positions(&self) -> u64 {
        self.positions.len() as u64
    }

    fn look_at_budget(&self) -> Result<(), StopReason> {
        // An entry of the first map takes 12 bytes and its share of free places; one of the second
        // holds a set of formulas besides.
        let maps = 24 * self.known.capacity()
            + 80 * self.sets.capacity()
            + size_of::<u32>() * self.before.capacity()
            + self.waiting;
        self.budget.check(self.positions() - 1, self.positions.memory() + maps as u64)
    }

    fn visit(&self, id: u32) -> Visit {
        let y = self.positions.at(id).vector().expect("an interned position");
        Visit { id, y, successors: OnceCell::new(), label: OnceCell::new() }
    }

    /// Breadth first from the root, over positions where `hold` is true, to one where `goal` is.
    fn reach(&mut self, hold: Id, goal: Id) -> Result<bool, StopReason> {
        self.budget.progress().stage("searching positions", None);
        let mut queue = VecDeque::from([0_u32]);
        let mut seen = Seen::default();
        seen.insert(0);
        while let Some(id) = queue.pop_front() {
            let visit = self.visit(id);
            if self.truth(goal, &visit)? {
                self.reached = Some(id);
                return Ok(true);
            }
            if self.truth(hold, &visit)? {
                for &z in self.successors(&visit)? {
                    if seen.insert(z) {
                        self.before.resize(self.before.len().max(z as usize + 1), 0);
                        self.before[z as usize] = id;
                        queue.push_back(z);
                    }
                }
            }
        }
        Ok(false)
    }

    /// The positions after each legal move; a final position repeats itself.
    fn successors<'v>(&mut self, visit: &'v Visit) -> Result<&'v [u32], StopReason> {
        if visit.successors.get().is_none() {
            self.look_at_budget()?;
            self.budget.progress().advance(self.positions());
            let p = self.positions.at(visit.id);
            let mut list: Vec<u32> = match self.profile {
                Profile::Fide => {
                    let board = Board::of_legal(&p);
                    let moves = board.legal_moves();
                    moves
                        .into_iter()
                        .map(|m| self.positions.insert(&board.after(m).packed()).0)
                        .collect()
                }
                Profile::Paper => {
                    let list = successors(self.profile, &visit.y);
                    list.iter().map(|(_, z)| self.positions.insert(&Packed::from(z)).0).collect()
                }
            };
            if list.is_empty() {
                list.push(visit.id);
            }
            let _ = visit.successors.set(list);
        }
        Ok(visit.successors.get().expect("set above"))
    }

    fn atom(&mut self, symbol: u32, visit: &Visit) -> Result<bool, StopReason> {
        if visit.label.get().is_none() {
            let needed = self.aim.atoms().iter().any(|atom| atom.speaks_of_the_end());
            let can_move = !needed || self.successors(visit)? != [visit.id];
            let _ = visit.label.set(self.aim.label(&visit.y, || can_move));
        }
        let label = visit.label.get().expect("set above");
        Ok(label[symbol as usize / 64] >> (symbol % 64) & 1 == 1)
    }

    fn truth(&mut self, formula: Id, visit: &Visit) -> Result<bool, StopReason> {
        match self.arena.get(formula) {
            Node::True => Ok(true),
            Node::False => Ok(false),
            Node::Var(symbol) => self.atom(symbol.0, visit),
            Node::Not(a) => Ok(!self.truth(a, visit)?),
            Node::And(_) => Ok(!self.any_operand(formula, false, visit)?),
            Node::Or(_) => self.any_operand(formula, true, visit),
            Node::Next(path, a) => {
                if let Some(&known) = self.known.get(&(formula, visit.id)) {
                    return Ok(known);
                }
                let some = self.step(path).is_some_successor(Side::to_move(&visit.y), self.owner());
                let mut truth = !some;
                for &z in self.successors(visit)? {
                    let next = self.visit(z);
                    if self.truth(a, &next)? == some {
                        truth = some;
                        break;
                    }
                }
                self.known.insert((formula, visit.id), truth);
                Ok(truth)
            }
            node => unreachable!("{node:?} is not of the plan"),
        }
    }

    /// Whether some operand has this truth.
    fn any_operand(&mut self, formula: Id, truth: bool, visit: &Visit) -> Result<bool, StopReason> {
        for k in 0..self.arena.operands(formula).len() {
            let operand = self.arena.operands(formula)[k];
            if self.truth(operand, visit)? == truth {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn owner(&self) -> Side {
        match self.rules {
            Rules::All => Side::White,
            Rules::Owner(owner) => owner,
        }
    }

    fn step(&self, path: Path) -> Step {
        match (self.rules, path) {
            (Rules::All, Path::All) => Step::All,
            (Rules::All, Path::Some) => Step::Some,
            (Rules::Owner(_), path) => Step::of(path),
        }
    }
}

/// Positions seen, among a growing number.
#[derive(Default)]
struct Seen(VertexSet);

impl Seen {
    /// Adds a position; whether it is new.
    fn insert(&mut self, id: u32) -> bool {
        if id >= self.0.universe() {
            let mut larger = VertexSet::empty((id + 1).next_power_of_two());
            self.0.iter().for_each(|old| {
                larger.insert(old);
            });
            self.0 = larger;
        }
        self.0.insert(id)
    }

    fn contains(&self, id: u32) -> bool {
        id < self.0.universe() && self.0.contains(id)
    }
}

fn plan(arena: &mut Arena, formula: Id, rules: Rules) -> Option<Plan> {
    let normal = arena.nnf(formula);
    match rules {
        Rules::Owner(_) => {
            if Shape::of(arena, normal).is_single(arena, normal) {
                return plan_of(arena, normal);
            }
            let is_choice = |id: &Id| matches!(arena.get(*id), Node::Or(_));
            let choices = arena.subformulas(normal).filter(is_choice).count();
            (choices <= CHOICES && looks_ahead(arena, normal)).then_some(Plan::Together(normal))
        }
        Rules::All => plan_of_all(arena, normal).or_else(|| {
            let negation = arena.nnf_not(formula);
            match plan_of_all(arena, negation) {
                Some(Plan::Reach(hold, goal, _)) => Some(Plan::Reach(hold, goal, true)),
                Some(Plan::Forever(goal, hold, _)) => Some(Plan::Forever(goal, hold, true)),
                _ => None,
            }
        }),
    }
}

/// As [`plan_of`], where every move is there: some line may also avoid a thing for ever.
fn plan_of_all(arena: &Arena, normal: Id) -> Option<Plan> {
    match arena.get(normal) {
        Node::Release(Path::Some, goal, hold)
            if looks_ahead(arena, hold) && looks_ahead(arena, goal) =>
        {
            Some(Plan::Forever(goal, hold, false))
        }
        _ => plan_of(arena, normal),
    }
}

fn plan_of(arena: &Arena, normal: Id) -> Option<Plan> {
    if looks_ahead(arena, normal) {
        return Some(Plan::Ahead(normal));
    }
    match arena.get(normal) {
        Node::Until(Path::Some, hold, goal)
            if looks_ahead(arena, hold) && looks_ahead(arena, goal) =>
        {
            Some(Plan::Reach(hold, goal, false))
        }
        _ => None,
    }
}

/// Whether a formula has neither `U` nor `R`, and is not too deep.
fn looks_ahead(arena: &Arena, formula: Id) -> bool {
    let mut order: Vec<Id> = arena.subformulas(formula).collect();
    if order.iter().any(|&id| matches!(arena.get(id), Node::Until(..) | Node::Release(..))) {
        return false;
    }
    order.reverse();
    let mut height = vec![0_u32; formula.index() + 1];
    for id in order {
        let below = arena.operands(id).iter().map(|a| height[a.index()] + 1).max();
        height[id.index()] = below.unwrap_or(0);
    }
    height[formula.index()] <= HEIGHT
}
