//! The one answer: what is proved of a position, why no more, and what proves it.

use super::question::Question;
use super::{CertificateError, Engine, Evidence, Rated, Secured};
use crate::certificate::Certificate;
use crate::chess::Value;
use crate::chess::board::Board;
use crate::chess::{Move, Position, Profile, Side};
use crate::game::Literal;
use crate::limits::{Budget, StopReason};
use crate::prove::{Link, best};
use crate::strategy::Rules;
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;

/// The formula that is satisfiable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Formula {
    /// White wins.
    #[serde(rename = "theta1")]
    Theta1,
    /// A draw: Θ2* = Θ4*.
    #[serde(rename = "theta2+theta4")]
    Theta2And4,
    /// Black wins.
    #[serde(rename = "theta3")]
    Theta3,
    /// Not decided within the limits.
    #[serde(rename = "unknown")]
    Unknown,
}

/// What is proved of a position whose value is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Bound {
    /// White holds: Θ3 is not satisfiable.
    #[serde(rename = "white holds")]
    WhiteHolds,
    /// Black holds: Θ1 is not satisfiable.
    #[serde(rename = "black holds")]
    BlackHolds,
}

impl Bound {
    /// The side that holds.
    pub fn side(self) -> Side {
        if self == Self::WhiteHolds { Side::White } else { Side::Black }
    }

    /// The bound that says that a side holds.
    pub fn of(side: Side) -> Self {
        if side == Side::White { Self::WhiteHolds } else { Self::BlackHolds }
    }
}

/// The answer to one position: its value if that is decided, else what is proved, with the evidence
/// that certificates are made from. Everything that it says is proved.
#[derive(Debug)]
pub struct Verdict {
    pub(super) root: Position,
    pub(super) profile: Profile,
    pub(super) value: Option<Value>,
    pub(super) shortest: bool,
    pub(super) best: Vec<Move>,
    pub(super) best_complete: bool,
    /// The aim of a proof that was asked for an aim, or found no value.
    pub(super) aim: Option<String>,
    pub(super) refuted: bool,
    /// Whether what was asked is answered.
    pub(super) answered: bool,
    pub(super) links: Vec<Link>,
    /// The strongest aim short of mate.
    pub(super) secured: Option<Box<Secured>>,
    pub(super) bounds: Vec<Bound>,
    pub(super) stop: Option<StopReason>,
    pub(super) engine: Engine,
    pub(super) positions: u64,
    pub(super) seconds: f64,
    pub(super) literal: Option<Literal>,
    /// Why what is proved has no certificate.
    pub(super) uncertified: Option<String>,
    pub(super) evidence: Evidence,
    /// The Syzygy tables that it rests on, in words.
    pub(super) relies_on: Vec<String>,
    /// The proved rules that certificates may cite.
    pub(super) rules: Option<Arc<dyn Rules>>,
}

/// Whether no win can be shorter: mate on the board, or in one ply.
pub(super) fn is_least(value: Value) -> bool {
    matches!(value, Value::Wins(_, 0 | 1))
}

/// How long a certificate may take at least.
const GRACE: Duration = Duration::from_secs(1);

impl Verdict {
    /// A verdict that says nothing yet.
    pub(super) fn undecided(root: Position, engine: Engine, budget: &Budget) -> Self {
        Self {
            root,
            profile: Profile::Fide,
            value: None,
            shortest: false,
            best: Vec::new(),
            best_complete: false,
            aim: None,
            refuted: false,
            answered: false,
            links: Vec::new(),
            secured: None,
            bounds: Vec::new(),
            stop: None,
            engine,
            positions: 0,
            seconds: budget.elapsed().as_secs_f64(),
            literal: None,
            uncertified: None,
            evidence: Evidence::None,
            relies_on: Vec::new(),
            rules: None,
        }
    }

    /// A verdict of an engine that ended at a limit and proved nothing.
    pub(super) fn stopped(
        question: &Question,
        engine: Engine,
        reason: StopReason,
        positions: u64,
    ) -> Self {
        let nothing = Self::undecided(*question.root, engine, question.budget);
        let profile = question.options.profile;
        Self { profile, stop: Some(reason), positions, ..nothing }
    }

    /// A verdict of an engine that knows the exact value of every position it leads to.
    pub(super) fn decided(
        question: &Question,
        engine: Engine,
        value: Value,
        evidence: Evidence,
        positions: u64,
    ) -> Self {
        let profile = question.options.profile;
        let best = best(&evidence.rate(question.vector(), profile));
        Self {
            profile,
            value: Some(value),
            shortest: true,
            best_complete: best.is_some(),
            best: best.unwrap_or_default(),
            evidence,
            positions,
            ..Self::undecided(*question.root, engine, question.budget)
        }
    }

    /// The position that was asked about.
    pub fn root(&self) -> &Position {
        &self.root
    }

    /// The value, if it is decided. The plies of a win are an upper bound unless
    /// [`Verdict::is_shortest`].
    pub fn value(&self) -> Option<Value> {
        self.value
    }

    /// Whether the plies of a win are proved to be the fewest.
    pub fn is_shortest(&self) -> bool {
        self.shortest
    }

    /// First moves that are proved to keep the value: of a win those that mate as soon as the
    /// verdict says, of a draw those that hold. Empty where the value is not decided, and mostly
    /// where the side to move loses.
    pub fn first_moves(&self) -> &[Move] {
        &self.best
    }

    /// Whether [`Verdict::first_moves`] names all of the best moves.
    pub fn names_all_best(&self) -> bool {
        self.best_complete
    }

    /// The aim that was asked for, or the best one that is proved where the value is not.
    pub fn aim(&self) -> Option<&str> {
        self.aim.as_deref()
    }

    /// Whether the aim that was asked for is proved to be out of reach, whatever is played.
    pub fn is_refuted(&self) -> bool {
        self.refuted
    }

    /// Whether the question is answered: the value is decided, or the aim that was asked for is
    /// proved or refuted.
    pub fn is_answered(&self) -> bool {
        self.answered || self.value.is_some()
    }

    /// The links of the chain of aims that proves it, the root's first; empty where another method
    /// does.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// What is proved where the value is not decided.
    pub fn bounds(&self) -> &[Bound] {
        &self.bounds
    }

    /// Why it stopped, where it has not decided or where a win may still be shorter.
    pub fn stop(&self) -> Option<StopReason> {
        self.stop
    }

    /// What it rests on beside the laws of chess and our own tables: Syzygy tables, each with the
    /// checksum of its file. They are believed, not proved.
    pub fn relies_on(&self) -> &[String] {
        &self.relies_on
    }

    /// The engine that decided.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// Positions visited.
    pub fn positions(&self) -> u64 {
        self.positions
    }

    /// Seconds taken.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// The satisfiability of the printed formulas, if it was asked for.
    pub fn literal(&self) -> Option<Literal> {
        self.literal
    }

    /// The formula that is satisfiable.
    pub fn formula(&self) -> Formula {
        match self.value {
            Some(Value::Wins(Side::White, _)) => Formula::Theta1,
            Some(Value::Wins(Side::Black, _)) => Formula::Theta3,
            Some(Value::Draw) => Formula::Theta2And4,
            None => Formula::Unknown,
        }
    }

    /// The certificate of what is proved: the value, else the aim that was asked for, else that one
    /// side holds, else what is [secured](Verdict::secured). What is
    /// proved needs no more time for it; [`Verdict::certificate_within`] limits it all the same.
    ///
    /// ```
    /// use theta_chess::{Limits, Solver, verify};
    ///
    /// let verdict =
    ///     Solver::default().solve(&"7k/8/5K2/8/8/8/6Q1/8 w - -".parse()?, &Limits::seconds(60))?;
    /// let proved = verify(&verdict.certificate()?)?;
    /// assert_eq!(proved.claim.to_string(), "White wins in 1 plies");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When nothing is proved, or the engine's knowledge makes no strategy: a mistake in the engine.
    pub fn certificate(&self) -> Result<Certificate, CertificateError> {
        self.certificate_within(Budget::default())
    }

    /// As [`Verdict::certificate`], within limits. What is proved is not lost because the proof took
    /// all of the time: writing it down may take a second more. That may be too little
    /// ([`Verdict::grace`]).
    ///
    /// # Errors
    /// As [`Verdict::certificate`], and when a limit is reached before the strategy is whole.
    pub fn certificate_within(
        &self,
        limits: impl Into<Budget>,
    ) -> Result<Certificate, CertificateError> {
        let budget = limits.into().with_at_least(GRACE);
        if let (true, Some(why)) = (matches!(self.evidence, Evidence::None), &self.uncertified) {
            return Err(CertificateError::Unbuilt(why.clone()));
        }
        let board = self.root.board();
        match self.value {
            Some(value) => self.evidence.certificate(self.rules.as_deref(), &board, value, &budget),
            None => match self.evidence.of_bounds(&self.bounds, &board, &budget) {
                Err(CertificateError::Undecided) if let Some(secured) = self.secured() => {
                    Ok(secured.certificate.clone())
                }
                proved => proved,
            },
        }
    }

    /// How long the certificate may take where it is what is asked for, if the time is over: a
    /// second, and four times as long as the proof where the value is decided, for strategies that
    /// slices play, or that end in tables, may have millions of positions.
    pub fn grace(&self) -> Duration {
        match self.value {
            Some(_) => GRACE.max(Duration::from_secs_f64(4.0 * self.seconds)),
            None => GRACE,
        }
    }

    /// The value of a position that play from the root can lead to, where the evidence says it: in
    /// tables and in listed graphs it does.
    pub fn value_of(&self, board: &Board) -> Option<Value> {
        if Position::from(board) == self.root { self.value } else { self.evidence.value_of(board) }
    }

    /// Every legal move of a position that play from the root can lead to, with the value after it
    /// where the evidence says it, the best first. The root's first moves are always rated.
    pub fn rate(&self, position: &Position) -> Vec<Rated> {
        let y = position.vector();
        let mut rated = self.evidence.rate(y, self.profile);
        if *position == self.root {
            let after = self.value.map(Value::after);
            for known in rated.iter_mut().filter(|r| r.value.is_none()) {
                if self.best.contains(&known.play) {
                    (known.value, known.shortest) = (after, self.shortest);
                }
            }
            let side = position.side_to_move();
            rated.sort_by_key(|r| r.merit(side));
        }
        rated
    }

    /// Within how many plies a side is proved not to mate; 0 where nothing is known.
    pub fn no_mate_within(&self, side: Side) -> u32 {
        self.evidence.at_least(side).saturating_sub(1)
    }

    /// A line of the longest resistance from the root of a win that a search proved, complete to
    /// mate; none where the evidence is of another kind, or its strategy takes longer than the
    /// limits allow.
    pub fn main_line(&self, limits: impl Into<Budget>) -> Option<Vec<Move>> {
        let wins =
            matches!((self.value, &self.evidence), (Some(Value::Wins(..)), Evidence::Search(..)));
        let certificate = wins.then(|| self.certificate_within(limits).ok()).flatten()?;
        certificate.strategies.first().map(crate::certificate::Strategy::main_line)
    }
}
