//! One way to ask: a [`Solver`] with [`Options`] and limits gives a [`Verdict`] with its evidence.
//!
//! | file | what it is for |
//! |---|---|
//! | `engine` | the names of the engines |
//! | `options` | what is asked, beside the position and the limits |
//! | `engines/` | the engines, each behind the same question and the same answer |
//! | `verdict` | the answer: the value or what else is proved, with certificates on demand |
//! | `evidence` | what an engine knows below the root: ratings and certificates are made from it |
//! | `secured` | the strongest aim that is proved where the value is not, and a guess at the move |
//! | `citing` | the Syzygy tables that a verdict rests on, and proofs without them |
//! | `solution` | a mate in a few moves as composers write it |
//! | `report` | the answer as it is printed |
//! | `claims` | what EPD lines say, held against the answer |
//! | `rate` | the value after every legal move |
//! | `puzzle` | whether the moves of the main line are the only ones |
//! | `question` | what an engine is asked, and what is kept between questions |
//! | `questions` | single questions about moves, asked within one budget |
//!
//! How data runs through: [`Solver::solve`] makes a question of the position, the options and the
//! budget and asks an engine, mostly `auto`, which tries tables, a short mate, the graph, and then
//! proof search beside chains of aims. The engine answers with a verdict; nothing in it is believed
//! later: [`Verdict::certificate`] makes of the evidence a strategy over every reply, which
//! [`mod@crate::verify`] checks from scratch.

mod citing;
mod claims;
mod engine;
mod engines;
mod evidence;
mod options;
mod puzzle;
mod question;
mod questions;
mod rate;
mod report;
mod secured;
mod solution;
mod verdict;

pub use crate::prove::{CertificateError, Link, NoMate, Rated, Zones};
pub use claims::{Annotation, LineClaim};
pub use engine::{Engine, UnknownEngine};
pub use engines::tableau::ModelStrategy;
pub use options::Options;
pub use puzzle::{Puzzle, Step};
pub use rate::Ratings;
pub use report::{Report, SecuredReport, value_word};
pub use secured::Secured;
pub use solution::{Attack, Defence, Menace};
pub use verdict::{Bound, Formula, Verdict};

use crate::advice::Adviser;
use crate::aim::Goal;
use crate::chess::{Position, Profile, Side};
use crate::library::endgames::Class;
use crate::limits::Budget;
use crate::oracle::Oracle;
use crate::search::{Learned, Outlook};
use crate::strategy::{Rules, SyzygyRules};
use crate::tables::{MAX_MEN, MAX_STORED_MEN, TableError, Tables};
use evidence::Evidence;
use question::{Kept, Question};
use std::path::Path;
use std::sync::Arc;

/// Why an engine cannot be asked this question at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// Tables end at five men, those aside that were built by name.
    #[error(
        "{men} men: tables end at {MAX_MEN}, but for those of {MAX_STORED_MEN} built by name; use \
         another engine"
    )]
    TooManyMen {
        /// Men on the board.
        men: usize,
    },
    /// Tables, search and subgoals know the laws of chess only.
    #[error("the tables, search and subgoals engines know the fide profile only")]
    Profile,
    /// The printed formulas speak of all of Leg(y⁰).
    #[error("--literal needs the whole graph; use --engine graph, tableau or auto")]
    Literal,
    /// Slices know kings and pawns, and one other man a side.
    #[error("{0}; use another engine")]
    Slices(crate::slices::Unfit),
    /// What is to be kept does not hold where the play begins.
    #[error("the position itself violates `{keep}`, which is to be kept")]
    NotKept {
        /// The condition.
        keep: String,
    },
    /// No first move keeps it.
    #[error("no move of {side}'s leads to a position where `{keep}` holds")]
    NothingKeeps {
        /// The side to move.
        side: crate::chess::Side,
        /// The condition.
        keep: String,
    },
    /// Restricted moves are for the search.
    #[error("what is to be kept restricts the search: use engine search or auto")]
    KeepEngine,
    /// Advice is for the search.
    #[error("advice is for the search: use engine search or auto")]
    AdviceEngine,
    /// Advice and restricted moves together.
    #[error("advice cannot be limited to moves that keep something")]
    AdviceKept,
    /// A table could not be built or read.
    #[error(transparent)]
    Tables(TableError),
}

/// Answers questions about positions, and keeps between them what is dear: tables, proved rules.
/// Cheap to clone; clones share what is kept.
///
/// ```
/// use theta_chess::solve::{Engine, Options, Solver};
/// use theta_chess::{Limits, Side, Value};
///
/// let solver = Solver::default().with_options(Options::default().with_engine(Engine::Graph));
/// let verdict = solver.solve(&"8/8/8/8/8/1k6/7R/K7 b - -".parse()?, &Limits::seconds(60))?;
/// assert_eq!(verdict.value(), Some(Value::Wins(Side::White, 30)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Solver {
    kept: Kept,
    options: Options,
}

impl Default for Solver {
    /// A solver whose tables are built in memory when they are needed.
    fn default() -> Self {
        Self::new(Tables::in_memory())
    }
}

impl Solver {
    /// A solver on these tables.
    pub fn new(tables: impl Into<Arc<Tables>>) -> Self {
        Self { kept: Kept::new(tables.into()), options: Options::default() }
    }

    /// A solver whose tables are kept in a directory.
    ///
    /// # Errors
    /// When the directory cannot be used.
    pub fn with_cache(directory: &Path) -> Result<Self, TableError> {
        Ok(Self::new(Tables::open(Some(directory))?))
    }

    /// The same solver with these options.
    #[must_use]
    pub fn with_options(self, options: Options) -> Self {
        Self { options, kept: self.kept.afresh() }
    }

    /// What the search proves of positions is kept from one question to the next: positions of one
    /// game have much in common. The answer may then depend on what was asked before, though what it
    /// says is proved all the same.
    #[must_use]
    pub fn learning(self) -> Self {
        Self { kept: Kept { learned: Some(Learned::default()), ..self.kept }, ..self }
    }

    /// The same solver with another engine.
    #[must_use]
    pub fn with_engine(self, engine: Engine) -> Self {
        let options = self.options.with_engine(engine);
        self.with_options(options)
    }

    /// Proved rules may end lines of the search; certificates then cite them.
    #[must_use]
    pub fn with_rules(self, rules: Arc<dyn Rules>) -> Self {
        Self { kept: Kept { rules: Some(rules), ..self.kept.afresh() }, ..self }
    }

    /// Positions that Syzygy tables know end lines where our own tables, up to four men and five
    /// where they are stored, do not. What then rests on them says so
    /// ([`Verdict::relies_on`]), and certificates cite them.
    #[must_use]
    pub fn with_syzygy(self, oracle: Arc<Oracle>) -> Self {
        let syzygy = Some(SyzygyRules::new(oracle));
        Self { kept: Kept { syzygy, ..self.kept.afresh() }, ..self }
    }

    /// The owner's moves must lead to positions where φ of a goal `AF φ` holds. Only that is tried:
    /// a win or a hold that is found is one outright; where none is found the answer is unknown.
    #[must_use]
    pub fn with_keep(self, keep: Arc<Goal>) -> Self {
        Self { kept: Kept { keep: Some(keep), ..self.kept }, ..self }
    }

    /// The winner plays what an adviser proposes, and what remains is proved. Only a win is looked for; what
    /// the engines decide at once without advice is told as they do.
    #[must_use]
    pub fn with_adviser(self, adviser: Arc<Adviser>) -> Self {
        Self { kept: Kept { adviser: Some(adviser), ..self.kept }, ..self }
    }

    /// The search orders its work by an outlook.
    #[must_use]
    pub fn with_outlook(self, outlook: Arc<dyn Outlook>) -> Self {
        Self { kept: Kept { outlook: Some(outlook), ..self.kept }, ..self }
    }

    /// Close won positions of the endgame library, and endings one capture away that tables call
    /// won, become links of the chains that prove by subgoals.
    #[must_use]
    pub fn striving(self, library: impl Into<Arc<[Class]>>) -> Self {
        Self { kept: Kept { library: Some(library.into()), ..self.kept }, ..self }
    }

    /// The options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The tables.
    pub fn tables(&self) -> &Arc<Tables> {
        &self.kept.tables
    }

    /// Whether tables are to decide a position: of at most [`MAX_MEN`] men, or of more where one is
    /// at hand.
    fn has_table(&self, position: &Position, budget: &Budget) -> bool {
        position.men() <= MAX_MEN
            || self.tables().material_at_hand(&position.board(), budget).is_some()
    }

    /// Decides which of Θ1, Θ2* (= Θ4*), Θ3 is satisfiable. A limit is an answer: the verdict is
    /// then unknown, with what is proved and why it stopped. The limits are [`Limits`], whose time
    /// begins now, or a running [`Budget`].
    ///
    /// [`Limits`]: crate::limits::Limits
    ///
    /// # Errors
    /// When the engine cannot be asked this, or a table cannot be built.
    pub fn solve(&self, root: &Position, limits: impl Into<Budget>) -> Result<Verdict, SolveError> {
        self.solve_with(root, &self.options, &limits.into())
    }

    fn solve_with(
        &self,
        root: &Position,
        options: &Options,
        budget: &Budget,
    ) -> Result<Verdict, SolveError> {
        let question = Question { root, kept: &self.kept, options, budget };
        if let Err(reason) = budget.check(0, 0) {
            return Ok(Verdict::stopped(&question, options.engine, reason, 0));
        }
        let verdict = engines::ask(&question)?;
        // An engine may have had a part of the time, and know that alone.
        let seconds = budget.elapsed().as_secs_f64();
        let verdict = Verdict { rules: self.kept.rules.clone(), seconds, ..verdict };
        let verdict = self.with_citations(verdict, budget);
        if !options.self_contained || verdict.relies_on.is_empty() {
            return Ok(verdict);
        }
        let once = Options { self_contained: false, ..*options };
        self.self_contained(budget, verdict, |solver, left| solver.solve_with(root, &once, left))
    }

    /// Proves by subgoals as much as it can for a side, whoever is to move: the value, else the best
    /// reduced aim. With `certify` certificates of draws and of wins by tables are made too: they
    /// may take longer than the proof.
    ///
    /// # Errors
    /// When the rules of the game are the paper's: zones know the laws of chess only.
    pub fn prove(
        &self,
        root: &Position,
        side: Side,
        certify: bool,
        limits: impl Into<Budget>,
    ) -> Result<Verdict, SolveError> {
        self.by_subgoals(root, side, None, certify, &limits.into())
    }

    /// Proves, or refutes, an aim of the form `AF φ` for a side, whoever is to move.
    ///
    /// ```
    /// use theta_chess::{Aim, Goal, Limits, Side, Solver};
    ///
    /// let root = "8/P7/8/8/8/8/k7/2K5 w - -".parse()?;
    /// let queen = Goal::of(Aim::parse("AF count(Q) = 1")?)?;
    /// let verdict = Solver::default().prove_aim(&root, Side::White, &queen, &Limits::seconds(60))?;
    /// assert!(verdict.is_answered() && !verdict.is_refuted());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Solver::prove`].
    pub fn prove_aim(
        &self,
        root: &Position,
        side: Side,
        goal: &Goal,
        limits: impl Into<Budget>,
    ) -> Result<Verdict, SolveError> {
        self.by_subgoals(root, side, Some(goal), true, &limits.into())
    }

    fn by_subgoals(
        &self,
        root: &Position,
        side: Side,
        goal: Option<&Goal>,
        certify: bool,
        budget: &Budget,
    ) -> Result<Verdict, SolveError> {
        if self.options.profile != Profile::Fide {
            return Err(SolveError::Profile);
        }
        if let Some(keep) = &self.kept.keep
            && !engines::kept::is_idle(keep)
        {
            let question = Question { root, kept: &self.kept, options: &self.options, budget };
            return match goal {
                None => engines::kept::solve(&question, keep),
                Some(goal) => engines::kept::prove_aim(&question, keep, side, goal),
            };
        }
        let verdict = self.by_subgoals_once(root, side, goal, certify, budget);
        if !self.options.self_contained || verdict.relies_on.is_empty() {
            return Ok(verdict);
        }
        self.self_contained(budget, verdict, |solver, left| {
            Ok(solver.by_subgoals_once(root, side, goal, certify, left))
        })
    }

    fn by_subgoals_once(
        &self,
        root: &Position,
        side: Side,
        goal: Option<&Goal>,
        certify: bool,
        budget: &Budget,
    ) -> Verdict {
        let question = Question { root, kept: &self.kept, options: &self.options, budget };
        let known = if goal.is_none() { engines::syzygy::solve(&question) } else { None };
        let certify = certify || self.kept.syzygy.is_some();
        let verdict =
            known.unwrap_or_else(|| engines::subgoals::prove(&question, side, goal, certify));
        let verdict = Verdict { rules: self.kept.rules.clone(), ..verdict };
        self.with_citations(verdict, budget)
    }
}
