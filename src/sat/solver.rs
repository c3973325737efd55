//! varisat, asked about a [`Cnf`].

use super::Cnf;
use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;
use varisat::{ExtendFormula, Lit, Solver, Var};
use varisat_lrat::WriteLrat;

/// Whether a formula is satisfiable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// It is: the value of each variable, the first variable's first.
    Satisfiable(Vec<bool>),
    /// It is not.
    Unsatisfiable,
}

impl Answer {
    /// Whether the formula is satisfiable.
    pub fn is_satisfiable(&self) -> bool {
        matches!(self, Self::Satisfiable(_))
    }
}

/// The form of a refutation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ProofFormat {
    /// Clauses added and deleted, in text: drat-trim, rate.
    #[default]
    Drat,
    /// The same with the clauses that each step follows from, in text: lrat-check, cake_lpr.
    Lrat,
}

/// Why there is no proof.
#[derive(Debug, thiserror::Error)]
pub enum ProofError {
    /// The proof could not be written.
    #[error("the proof cannot be written")]
    Output(#[source] io::Error),
    /// varisat's checker did not accept varisat's proof.
    #[error("the solver's own checker rejects its proof: {0}")]
    Rejected(#[source] varisat::solver::SolverError),
}

/// Decides a formula. Time is exponential at worst, linear for Horn formulas; it cannot be
/// interrupted.
///
/// # Panics
/// If varisat names a model that is none.
///
/// ```
/// use theta_chess::sat::{Answer, Cnf, solve};
/// let mut cnf = Cnf::new(2);
/// cnf.add([1, 2]);
/// cnf.add([-1]);
/// assert_eq!(solve(&cnf), Answer::Satisfiable(vec![false, true]));
/// cnf.add([-2]);
/// assert_eq!(solve(&cnf), Answer::Unsatisfiable);
/// ```
pub fn solve(cnf: &Cnf) -> Answer {
    let mut solver = Solver::new();
    load(&mut solver, cnf);
    let satisfiable = solver.solve().expect("nothing that can fail is attached");
    answer(&solver, cnf, satisfiable)
}

/// Decides a formula, as long as `goes_on` says so; `None` when it was ended. It is asked each time
/// that varisat has learned some hundred clauses, so a formula that needs none is decided whatever
/// it says.
///
/// # Panics
/// If varisat names a model that is none.
pub fn solve_while(cnf: &Cnf, goes_on: impl FnMut() -> bool) -> Option<Answer> {
    // varisat has no interrupt of its own; it ends when its proof cannot be written.
    let mut sink = Sink(goes_on);
    let mut solver = Solver::new();
    solver.write_proof(&mut sink, varisat::ProofFormat::BinaryDrat);
    load(&mut solver, cnf);
    let satisfiable = solver.solve().ok()?;
    Some(answer(&solver, cnf, satisfiable))
}

/// A writer that keeps nothing, and refuses more when it is told to.
struct Sink<F>(F);

impl<F: FnMut() -> bool> Write for Sink<F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if (self.0)() { Ok(bytes.len()) } else { Err(io::ErrorKind::Other.into()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Decides a formula and writes the refutation of an unsatisfiable one; varisat's checker has then
/// accepted every step. Takes about twice the time of [`solve`]; it ends as soon as `out` refuses a
/// byte, which is the way to interrupt it.
///
/// # Errors
/// When the proof cannot be written or is not accepted.
pub fn prove(cnf: &Cnf, format: ProofFormat, out: &mut dyn Write) -> Result<Answer, ProofError> {
    // varisat says only that writing failed; the reason is kept here.
    let fault = Rc::new(RefCell::new(None));
    let mut target = Watched { out, fault: Rc::clone(&fault) };
    let outcome = match format {
        ProofFormat::Drat => {
            let mut solver = Solver::new();
            solver.write_proof(&mut target, varisat::ProofFormat::Drat);
            solver.enable_self_checking();
            refute(solver, cnf)
        }
        ProofFormat::Lrat => {
            let mut lrat = WriteLrat::new(&mut target, false);
            let mut solver = Solver::new();
            solver.add_proof_processor(&mut lrat);
            refute(solver, cnf).inspect(|_| {
                // The writer watches its own errors.
                let _ = lrat.flush();
            })
        }
    };
    match fault.take() {
        Some(error) => Err(ProofError::Output(error)),
        None => outcome.map_err(ProofError::Rejected),
    }
}

fn refute(mut solver: Solver<'_>, cnf: &Cnf) -> Result<Answer, varisat::solver::SolverError> {
    load(&mut solver, cnf);
    let satisfiable = solver.solve()?;
    solver.close_proof()?;
    Ok(answer(&solver, cnf, satisfiable))
}

fn load(solver: &mut Solver, cnf: &Cnf) {
    let mut clause: Vec<Lit> = Vec::new();
    for literals in cnf.clauses() {
        clause.clear();
        clause.extend(literals.iter().map(|&literal| Lit::from_dimacs(literal as isize)));
        solver.add_clause(&clause);
    }
}

fn answer(solver: &Solver, cnf: &Cnf, satisfiable: bool) -> Answer {
    if !satisfiable {
        return Answer::Unsatisfiable;
    }
    // Variables in no clause are in no model of varisat's: any value will do.
    let mut values = vec![false; cnf.variables() as usize];
    for literal in solver.model().expect("a model of a satisfiable formula") {
        let at: Var = literal.var();
        values[at.index()] = literal.is_positive();
    }
    assert!(cnf.holds(&values), "a model makes every clause true");
    Answer::Satisfiable(values)
}

/// Keeps the first error of the writer inside.
struct Watched<'a> {
    out: &'a mut dyn Write,
    fault: Rc<RefCell<Option<io::Error>>>,
}

impl Watched<'_> {
    fn watch<T>(&self, result: io::Result<T>) -> io::Result<T> {
        result.map_err(|error| {
            let kind = error.kind();
            self.fault.borrow_mut().get_or_insert(error);
            kind.into()
        })
    }
}

impl Write for Watched<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let result = self.out.write(bytes);
        self.watch(result)
    }

    fn flush(&mut self) -> io::Result<()> {
        let result = self.out.flush();
        self.watch(result)
    }
}
