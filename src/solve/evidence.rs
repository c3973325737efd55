//! What an engine knows of the positions below the root: enough to rate every move and to build the
//! certificate.

use super::search::LeafTables;
use super::{ModelStrategy, board_value, table_value};
use crate::chess::board::{Board, move_of};
use crate::chess::{Move, Packed, Profile, Side, Vector, fen, successors};
use crate::game::{Graph, Value, Values};
use crate::limits::{Budget, StopReason};
use crate::search::Outcome;
use crate::strategy::{BuildError, Certificate, Rules, hold_with, win_with};
use crate::tables::Tables;
use std::sync::Arc;

/// An engine's knowledge.
#[derive(Debug)]
pub enum Evidence {
    /// Nothing that a certificate could be made from.
    None,
    /// The graph of all legal play and its values.
    Graph(Box<dyn Graph>, Values),
    /// Tables of the material.
    Tables(Arc<Tables>),
    /// A graph whose leaves, and all positions beyond them, are in tables.
    GraphOnTables(Box<dyn Graph>, Values, Arc<Tables>),
    /// A plan or two closed regions, and the tables at their ends.
    Search(Box<Outcome>, LeafTables),
    /// The winner's strategy, or White's and Black's of a draw, as models of the formulas. They
    /// know no values but the root's.
    Models(Vec<ModelStrategy>),
    /// The certificate itself, made with the proof.
    Ready(Box<Certificate>),
}

/// A legal move with the value of the position after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rated {
    /// The move.
    pub play: Move,
    /// The value after it; `None` when not known.
    pub value: Option<Value>,
    /// Whether the distance of a win is the shortest (else it is a bound).
    pub shortest: bool,
}

impl Rated {
    /// A move of which nothing is known.
    pub(super) fn unknown(play: Move) -> Self {
        Self { play, value: None, shortest: false }
    }

    /// Sorts moves by what they are worth to the side that makes them, the best first.
    pub(super) fn merit(&self, side: Side) -> (u8, i64) {
        match self.value {
            Some(Value::Wins(winner, plies)) if winner == side => (0, i64::from(plies)),
            Some(Value::Draw) => (1, 0),
            None => (2, 0),
            Some(Value::Wins(_, plies)) => (3, -i64::from(plies)),
        }
    }
}

/// Why no certificate can be given.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// The value is not known.
    #[error("the position is undecided: there is no strategy to certify")]
    Undecided,
    /// The engine does not know a position that it led to.
    #[error("the engine does not know {0}")]
    Gap(String),
    /// A limit was reached before the strategy was whole.
    #[error("the certificate is not finished: {0}")]
    Stopped(#[from] StopReason),
    /// The engine's moves are no strategy: a mistake in the engine.
    #[error("the engine's moves are no strategy: {0}")]
    Build(BuildError),
}

impl From<BuildError> for CertificateError {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Stopped(reason) => Self::Stopped(reason),
            error => Self::Build(error),
        }
    }
}

impl Evidence {
    /// The value of a position, if the engine knows it.
    pub fn value(&self, p: &Packed) -> Option<Value> {
        match self {
            Self::None | Self::Search(..) | Self::Models(_) | Self::Ready(_) => None,
            Self::Graph(graph, values) => graph_value(&**graph, values, p),
            Self::Tables(tables) => table_value(tables, p),
            Self::GraphOnTables(graph, values, tables) => {
                graph_value(&**graph, values, p).or_else(|| table_value(tables, p))
            }
        }
    }

    fn value_of(&self, board: &Board) -> Option<Value> {
        match self {
            Self::Tables(tables) => board_value(tables, board),
            _ => self.value(&board.packed()),
        }
    }

    /// Every legal move of a position with the value after it, the best first.
    pub fn rate(&self, y: &Vector, profile: Profile) -> Vec<Rated> {
        let after = |(play, z): (Move, Vector)| Rated {
            play,
            value: self.value(&Packed::from(&z)),
            shortest: true,
        };
        let mut list: Vec<Rated> = successors(profile, y).into_iter().map(after).collect();
        let side = Side::to_move(y);
        list.sort_by_key(|rated| rated.merit(side));
        list
    }

    /// The moves that are as good as the best, where the value after every move is known.
    pub fn best(&self, y: &Vector, profile: Profile) -> Option<Vec<Move>> {
        let rated = self.rate(y, profile);
        if rated.iter().any(|r| r.value.is_none()) {
            return None;
        }
        let best = rated.first().map(|r| r.value);
        Some(rated.iter().take_while(|r| Some(r.value) == best).map(|r| r.play).collect())
    }

    /// The certificate of a decided position.
    ///
    /// # Errors
    /// When the value is unknown, the engine does not know a position on the way, or a limit of the
    /// budget is reached.
    pub fn certificate(
        &self,
        root: &Board,
        value: Value,
        budget: &Budget,
    ) -> Result<Certificate, CertificateError> {
        self.certificate_with(None, root, value, budget)
    }

    /// As [`Evidence::certificate`]; lines also end where a proved rule says the value, and the
    /// certificate cites it. (A search and models of formulas cite what they were given.)
    ///
    /// # Errors
    /// As [`Evidence::certificate`].
    pub fn certificate_with(
        &self,
        rules: Option<&dyn Rules>,
        root: &Board,
        value: Value,
        budget: &Budget,
    ) -> Result<Certificate, CertificateError> {
        budget.progress().stage("building the certificate", None);
        if let Self::Search(outcome, leaves) = self {
            return searched(outcome, leaves, root, budget);
        }
        if let Self::Ready(certificate) = self {
            return Ok((**certificate).clone());
        }
        if let Self::Models(models) = self {
            return modelled(models, root, budget);
        }
        match value {
            Value::Wins(owner, _) => {
                let (strategy, plies) =
                    win_with(rules, root, owner, budget, &mut |board| self.fastest(board, owner))?;
                Ok(Certificate::of_win(strategy, plies))
            }
            Value::Draw => {
                let hold = |owner| {
                    hold_with(rules, root, owner, budget, &mut |board| self.safe(board, owner))
                };
                Ok(Certificate::of_draw(hold(Side::White)?, hold(Side::Black)?))
            }
        }
    }

    /// The certificate of half a draw, where the value is not decided: the side that is proved to
    /// hold, by a closed region. None where nothing of the kind is proved.
    pub fn half(
        &self,
        root: &Board,
        budget: &Budget,
    ) -> Option<Result<Certificate, CertificateError>> {
        let Self::Search(outcome, leaves) = self else { return None };
        let region = outcome.holds.iter().flatten().next()?;
        let strategy = region.strategy(root, &|board| leaves.probe(budget, board), budget);
        Some(strategy.map(Certificate::of_hold).map_err(CertificateError::from))
    }

    /// The values after each legal move of a board.
    fn after(&self, board: &Board) -> Result<Vec<(Move, Value)>, CertificateError> {
        let moves = board.legal_moves().into_iter();
        moves
            .map(|m| {
                let next = board.after(m);
                let value = self
                    .value_of(&next)
                    .ok_or_else(|| CertificateError::Gap(fen(&next.vector())))?;
                Ok((move_of(&m), value))
            })
            .collect()
    }

    /// The first move that mates soonest. The value of the position itself says how soon, so that
    /// the moves after the first such one need not be looked up.
    fn fastest(&self, board: &Board, owner: Side) -> Result<Move, CertificateError> {
        let gap = |board: &Board| CertificateError::Gap(fen(&board.vector()));
        let no_mate = || BuildError::NoMate(fen(&board.vector()));
        let soonest = match self.value_of(board).ok_or_else(|| gap(board))? {
            Value::Wins(side, plies) if side == owner => {
                plies.checked_sub(1).ok_or_else(no_mate)?
            }
            _ => return Err(no_mate().into()),
        };
        for m in board.legal_moves() {
            let next = board.after(m);
            if self.value_of(&next).ok_or_else(|| gap(&next))? == Value::Wins(owner, soonest) {
                return Ok(move_of(&m));
            }
        }
        Err(no_mate().into())
    }

    fn safe(&self, board: &Board, owner: Side) -> Result<Vec<Move>, CertificateError> {
        let lost = |value: &Value| matches!(value, Value::Wins(side, _) if *side != owner);
        Ok(self
            .after(board)?
            .into_iter()
            .filter(|(_, value)| !lost(value))
            .map(|(m, _)| m)
            .collect())
    }
}

/// The certificate of what a search has proved.
fn searched(
    outcome: &Outcome,
    leaves: &LeafTables,
    root: &Board,
    budget: &Budget,
) -> Result<Certificate, CertificateError> {
    let known = |board: &Board| leaves.probe(budget, board);
    if let Some(found) = &outcome.win {
        let (strategy, plies) = found.strategy(root, &known, budget)?;
        return Ok(Certificate::of_win(strategy, plies));
    }
    match &outcome.holds {
        [Some(white), Some(black)] => {
            let white = white.strategy(root, &known, budget)?;
            Ok(Certificate::of_draw(white, black.strategy(root, &known, budget)?))
        }
        _ => Err(CertificateError::Undecided),
    }
}

fn graph_value(graph: &dyn Graph, values: &Values, p: &Packed) -> Option<Value> {
    graph.find(p).map(|id| values.value(id))
}

/// The certificate of one winning model, or of two holding ones.
fn modelled(
    models: &[ModelStrategy],
    root: &Board,
    budget: &Budget,
) -> Result<Certificate, CertificateError> {
    match models {
        [one] => {
            let (strategy, plies) = one.winning(root, budget)?;
            Ok(Certificate::of_win(strategy, plies))
        }
        [white, black] => {
            Ok(Certificate::of_draw(white.holding(root, budget)?, black.holding(root, budget)?))
        }
        _ => Err(CertificateError::Undecided),
    }
}
