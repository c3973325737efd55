//! Models with few states.
//!
//! Bisimilar states are made one. Then a propositional solver is asked for a model of n states, for n
//! = 1, 2, …: with a variable for each label and edge, and for each subformula of the normal form at
//! each state one that implies it. An until has ranks: with n states it is kept within n − 1 steps,
//! so rank k says "within k steps"; a release is a greatest fixpoint and needs none. States are
//! numbered breadth first, so that each but the root has an edge from one before it.
//!
//! # References
//! B. Finkbeiner, S. Schewe, *Bounded synthesis* (2013): models of a given size, with ranks, by
//! constraints.

use crate::ctl::{Arena, Id, Node, Path};
use crate::kripke::{Builder, Kripke, quotient};
use crate::limits::{Budget, StopReason};
use crate::modelcheck;
use crate::sat::{Answer, Cnf, solve_while};
use hashbrown::HashMap;

/// Literals of a question to the solver, at most.
const MOST_LITERALS: usize = 4_000_000;
/// States of a model in which bisimilar ones are looked for: it may take so many rounds.
const MOST_STATES: u32 = 4000;

/// A model with few states.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Small {
    /// It; the model checker has confirmed it.
    pub model: Kripke,
    /// No model has fewer states.
    pub least: bool,
}

/// A model with few states, made from one that is there: its quotient, and, as far as `states` and
/// the budget allow, the least one of at most so many states. With `total` it has no dead end, as
/// long as the model given has none.
///
/// The size of the question grows with states² times the formula; beyond 4 million literals it is
/// not asked. Nor are bisimilar states looked for among more than 4000.
///
/// # Errors
/// The limit that was reached before even the quotient was checked.
///
/// ```
/// use theta_chess::ctl::{Arena, parse};
/// use theta_chess::limits::Budget;
/// use theta_chess::specification::smallest;
/// use theta_chess::tableau::{Answer, Options, satisfiable};
/// let mut arena = Arena::new();
/// let formula = parse(&mut arena, "AG (EX p & EX ~p) & AF q")?;
/// let budget = Budget::default();
/// let Answer::Satisfiable(Some(model)) =
///     satisfiable(&mut arena, formula, &Options::default(), &budget).answer
/// else {
///     panic!("it has a model")
/// };
/// let small = smallest(&mut arena, formula, &model, false, 8, &budget)?;
/// assert_eq!((small.model.vertices(), small.least), (2, true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn smallest(
    arena: &mut Arena,
    formula: Id,
    model: &Kripke,
    total: bool,
    states: u32,
    budget: &Budget,
) -> Result<Small, StopReason> {
    let mut small = Small { model: model.clone(), least: false };
    if model.vertices() <= MOST_STATES {
        let merged = quotient(model);
        if modelcheck::holds(arena, formula, &merged, budget)? {
            small.model = merged;
        } else {
            debug_assert!(false, "bisimilar states satisfy the same formulas");
        }
    }
    let normal = arena.nnf(formula);
    for n in 1..small.model.vertices() {
        budget.progress().stage("states of a model", Some(u64::from(states)));
        if n > states || budget.check(0, 0).is_err() {
            return Ok(small);
        }
        let Some(question) = Question::new(arena, normal, n, total) else { return Ok(small) };
        let goes_on = || budget.check(0, 0).is_ok();
        match solve_while(&question.cnf, goes_on) {
            None => return Ok(small),
            Some(Answer::Unsatisfiable) => {}
            Some(Answer::Satisfiable(values)) => {
                let found = question.model(&values, arena.symbols() as u32);
                let is_one = modelcheck::holds(arena, formula, &found, budget) == Ok(true);
                debug_assert!(is_one, "what the constraints describe is a model");
                if is_one {
                    small = Small { model: found, least: true };
                }
                return Ok(small);
            }
        }
    }
    small.least = true;
    Ok(small)
}

/// The constraints that describe the models of n states.
struct Question {
    cnf: Cnf,
    n: u32,
    /// The first edge's variable; row by row.
    edges: i32,
    /// The first label's variable of each symbol.
    labels: HashMap<u32, i32>,
}

/// The clauses are gathered first: a formula in conjunctive normal form is made for so many
/// variables.
#[derive(Default)]
struct Clauses {
    variables: i32,
    clauses: Vec<Vec<i32>>,
    literals: usize,
}

impl Clauses {
    /// So many variables in a row; the first of them.
    fn fresh(&mut self, count: u32) -> i32 {
        let first = self.variables + 1;
        self.variables += count as i32;
        first
    }

    fn add(&mut self, clause: &[i32]) {
        self.literals += clause.len();
        self.clauses.push(clause.to_vec());
    }
}

impl Question {
    /// The question for `n` states; none if it is too large.
    fn new(arena: &Arena, normal: Id, n: u32, total: bool) -> Option<Self> {
        let mut order: Vec<Id> = arena.subformulas(normal).collect();
        order.reverse();
        let clauses = Clauses::default();
        let mut writer =
            Writer { n, clauses, edges: 0, labels: HashMap::new(), truths: HashMap::new() };
        writer.edges = writer.clauses.fresh(n * n);
        writer.graph(total);
        for id in order {
            writer.formula(arena, id);
            if writer.clauses.literals > MOST_LITERALS {
                return None;
            }
        }
        let root = writer.truths[&normal];
        writer.clauses.add(&[root]);
        let mut cnf = Cnf::new(writer.clauses.variables as u32);
        writer.clauses.clauses.iter().for_each(|clause| cnf.add(clause.iter().copied()));
        Some(Self { cnf, n, edges: writer.edges, labels: writer.labels })
    }

    fn model(&self, values: &[bool], symbols: u32) -> Kripke {
        let holds = |variable: i32| values[variable as usize - 1];
        let mut builder = Builder::new(symbols);
        for _ in 0..self.n {
            builder.vertex();
        }
        for i in 0..self.n {
            for j in (0..self.n).filter(|j| holds(self.edges + (i * self.n + j) as i32)) {
                builder.edge(i, j);
            }
            for (&symbol, &first) in &self.labels {
                if holds(first + i as i32) {
                    builder.label(i, symbol);
                }
            }
        }
        builder.build(0)
    }
}

/// Writes the constraints.
struct Writer {
    n: u32,
    clauses: Clauses,
    edges: i32,
    labels: HashMap<u32, i32>,
    /// The first state's variable of each subformula: it implies the subformula there.
    truths: HashMap<Id, i32>,
}

impl Writer {
    fn edge(&self, i: u32, j: u32) -> i32 {
        self.edges + (i * self.n + j) as i32
    }

    fn graph(&mut self, total: bool) {
        for j in 1..self.n {
            let clause: Vec<i32> = (0..j).map(|i| self.edge(i, j)).collect();
            self.clauses.add(&clause);
        }
        for i in (0..self.n).filter(|_| total) {
            let clause: Vec<i32> = (0..self.n).map(|j| self.edge(i, j)).collect();
            self.clauses.add(&clause);
        }
    }

    fn formula(&mut self, arena: &Arena, id: Id) {
        let n = self.n;
        let of = |writer: &Self, id: Id, i: u32| writer.truths[&id] + i as i32;
        if let Node::Var(symbol) = arena.get(id) {
            let first = self.clauses.fresh(n);
            self.labels.insert(symbol.0, first);
            self.truths.insert(id, first);
            return;
        }
        let first = self.clauses.fresh(n);
        self.truths.insert(id, first);
        for i in 0..n {
            let this = first + i as i32;
            match arena.get(id) {
                Node::True | Node::Var(_) => {}
                Node::False => self.clauses.add(&[-this]),
                // Of a variable, in normal form: the variable is its own truth.
                Node::Not(a) => self.clauses.add(&[-this, -of(self, a, i)]),
                Node::And(parts) => {
                    for &part in parts {
                        self.clauses.add(&[-this, of(self, part, i)]);
                    }
                }
                Node::Or(parts) => {
                    let mut clause = vec![-this];
                    clause.extend(parts.iter().map(|&part| of(self, part, i)));
                    self.clauses.add(&clause);
                }
                Node::Next(path, a) => {
                    let a = self.truths[&a];
                    self.next(&[-this], path, i, a);
                }
                Node::Release(path, a, b) => {
                    // b, and a or the same at the next states.
                    let (now, always) = (of(self, a, i), of(self, b, i));
                    self.clauses.add(&[-this, always]);
                    match path {
                        Path::All => self.next(&[-this, now], Path::All, i, first),
                        Path::Some => {
                            // At a dead end the path ends.
                            let goes_on = self.some_next(i, first);
                            for j in 0..n {
                                let edge = self.edge(i, j);
                                self.clauses.add(&[-this, now, -edge, goes_on]);
                            }
                        }
                    }
                }
                Node::Until(..) => {}
                Node::Implies(..)
                | Node::Iff(..)
                | Node::Globally(..)
                | Node::Finally(..)
                | Node::WeakUntil(..) => unreachable!("not in normal form"),
            }
        }
        if let Node::Until(path, a, b) = arena.get(id) {
            self.until(first, path, self.truths[&a], self.truths[&b]);
        }
    }

    /// If no literal of `unless` is true, some or all successors have the formula whose first
    /// state's variable this is.
    fn next(&mut self, unless: &[i32], path: Path, i: u32, formula: i32) {
        let mut clause = unless.to_vec();
        match path {
            Path::Some => {
                clause.push(self.some_next(i, formula));
                self.clauses.add(&clause);
            }
            Path::All => {
                for j in 0..self.n {
                    let edge = self.edge(i, j);
                    clause.truncate(unless.len());
                    clause.extend([-edge, formula + j as i32]);
                    self.clauses.add(&clause);
                }
            }
        }
    }

    /// A variable that implies that some successor has the formula.
    fn some_next(&mut self, i: u32, formula: i32) -> i32 {
        let (some, first) = (self.clauses.fresh(1), self.clauses.fresh(self.n));
        let mut clause = vec![-some];
        clause.extend((0..self.n).map(|j| first + j as i32));
        self.clauses.add(&clause);
        for j in 0..self.n {
            let (this, edge) = (first + j as i32, self.edge(i, j));
            self.clauses.add(&[-this, edge]);
            self.clauses.add(&[-this, formula + j as i32]);
        }
        some
    }

    /// Ranks: within k steps, for k from 0 to n − 1.
    fn until(&mut self, first: i32, path: Path, a: i32, b: i32) {
        let n = self.n;
        let mut before = b;
        for _ in 1..n {
            let within = self.clauses.fresh(n);
            for i in 0..n {
                let (this, goal) = (within + i as i32, b + i as i32);
                self.clauses.add(&[-this, goal, a + i as i32]);
                let some = match path {
                    Path::Some => self.some_next(i, before),
                    Path::All => {
                        self.next(&[-this, goal], Path::All, i, before);
                        // A dead end keeps no promise.
                        let edges: Vec<i32> = (0..n).map(|j| self.edge(i, j)).collect();
                        self.clauses.add(&[&[-this, goal], edges.as_slice()].concat());
                        continue;
                    }
                };
                self.clauses.add(&[-this, goal, some]);
            }
            before = within;
        }
        for i in 0..n as i32 {
            self.clauses.add(&[-(first + i), before + i]);
        }
    }
}
