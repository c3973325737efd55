//! What an engine knows of the positions below the root: enough to rate every move and to build the certificate.

use super::search::probe;
use super::{ModelStrategy, board_value, table_value};
use crate::chess::board::{Board, move_of};
use crate::chess::{Move, Packed, Profile, Side, Vector, fen, successors};
use crate::game::{Graph, Value, Values};
use crate::limits::{Budget, StopReason};
use crate::search::Outcome;
use crate::strategy::{BuildError, Certificate, Strategy, hold, win};
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
    Search(Box<Outcome>, Arc<Tables>),
    /// The winner's strategy, or White's and Black's of a draw, as models of the formulas. They know no values but the root's.
    Models(Vec<ModelStrategy>),
}

/// A legal move with the value of the position after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rated {
    /// The move.
    pub play: Move,
    /// The value after it; `None` when not known.
    pub value: Option<Value>,
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
    Build(#[from] BuildError),
}

/// Counts the positions of a strategy and checks the budget now and then.
pub(super) struct Meter<'a> {
    budget: &'a Budget,
    positions: u64,
}

impl<'a> Meter<'a> {
    pub(super) fn new(budget: &'a Budget) -> Self {
        Self { budget, positions: 0 }
    }

    pub(super) fn tick(&mut self) -> Result<(), StopReason> {
        self.positions += 1;
        if self.positions.is_multiple_of(1024) {
            self.budget.progress().advance(self.positions);
            // A position takes about 40 bytes while the strategy is built.
            self.budget.check(self.positions, self.positions * 40)?;
        }
        Ok(())
    }
}

impl Evidence {
    /// The value of a position, if the engine knows it.
    pub fn value(&self, p: &Packed) -> Option<Value> {
        match self {
            Self::None | Self::Search(..) | Self::Models(_) => None,
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
        let after = |(play, z): (Move, Vector)| Rated { play, value: self.value(&Packed::from(&z)) };
        let mut list: Vec<Rated> = successors(profile, y).into_iter().map(after).collect();
        let side = Side::to_move(y);
        list.sort_by_key(|rated| merit(rated.value, side));
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
    /// When the value is unknown, the engine does not know a position on the way, or a limit of the budget is reached.
    pub fn certificate(&self, root: &Board, value: Value, budget: &Budget) -> Result<Certificate, CertificateError> {
        budget.progress().stage("building the certificate", None);
        if let Self::Search(outcome, tables) = self {
            return searched(outcome, tables, root, budget);
        }
        if let Self::Models(models) = self {
            return modelled(models, root);
        }
        match value {
            Value::Wins(owner, _) => {
                let mut meter = Meter::new(budget);
                let (strategy, plies) = win(root, owner, &mut |board| {
                    meter.tick()?;
                    self.fastest(board, owner)
                })?;
                Ok(Certificate::of_win(strategy, plies))
            }
            Value::Draw => {
                let white = self.holding(root, Side::White, budget)?;
                Ok(Certificate::of_draw(white, self.holding(root, Side::Black, budget)?))
            }
        }
    }

    fn holding(&self, root: &Board, owner: Side, budget: &Budget) -> Result<Strategy, CertificateError> {
        let mut meter = Meter::new(budget);
        hold(root, owner, &mut |board| {
            meter.tick()?;
            self.safe(board, owner)
        })
    }

    /// The values after each legal move of a board.
    fn after(&self, board: &Board) -> Result<Vec<(Move, Value)>, CertificateError> {
        let moves = board.legal_moves().into_iter();
        moves
            .map(|m| {
                let next = board.after(m);
                let value = self.value_of(&next).ok_or_else(|| CertificateError::Gap(fen(&next.vector())))?;
                Ok((move_of(&m), value))
            })
            .collect()
    }

    fn fastest(&self, board: &Board, owner: Side) -> Result<Move, CertificateError> {
        let moves = self.after(board)?;
        let wins = moves.iter().filter_map(|(m, value)| match value {
            Value::Wins(side, plies) if *side == owner => Some((*plies, *m)),
            _ => None,
        });
        let (_, play) = wins.min().ok_or_else(|| BuildError::NoMate(fen(&board.vector())))?;
        Ok(play)
    }

    fn safe(&self, board: &Board, owner: Side) -> Result<Vec<Move>, CertificateError> {
        let lost = |value: &Value| matches!(value, Value::Wins(side, _) if *side != owner);
        Ok(self.after(board)?.into_iter().filter(|(_, value)| !lost(value)).map(|(m, _)| m).collect())
    }
}

/// The certificate of what a search has proved.
fn searched(
    outcome: &Outcome,
    tables: &Tables,
    root: &Board,
    budget: &Budget,
) -> Result<Certificate, CertificateError> {
    let known = |board: &Board| probe(tables, budget, board);
    if let Some(found) = &outcome.win {
        let (strategy, plies) = found.strategy(root, &known)?;
        return Ok(Certificate::of_win(strategy, plies));
    }
    match &outcome.holds {
        [Some(white), Some(black)] => {
            Ok(Certificate::of_draw(white.strategy(root, &known)?, black.strategy(root, &known)?))
        }
        _ => Err(CertificateError::Undecided),
    }
}

fn graph_value(graph: &dyn Graph, values: &Values, p: &Packed) -> Option<Value> {
    graph.find(p).map(|id| values.value(id))
}

/// Sorts values by what they are worth to a side: its quickest win first, its quickest loss last, unknown before losses.
fn merit(value: Option<Value>, side: Side) -> (u8, i64) {
    match value {
        Some(Value::Wins(winner, plies)) if winner == side => (0, i64::from(plies)),
        Some(Value::Draw) => (1, 0),
        None => (2, 0),
        Some(Value::Wins(_, plies)) => (3, -i64::from(plies)),
    }
}

/// The certificate of one winning model, or of two holding ones.
fn modelled(models: &[ModelStrategy], root: &Board) -> Result<Certificate, CertificateError> {
    match models {
        [one] => {
            let (strategy, plies) = one.winning(root)?;
            Ok(Certificate::of_win(strategy, plies))
        }
        [white, black] => Ok(Certificate::of_draw(white.holding(root)?, black.holding(root)?)),
        _ => Err(CertificateError::Undecided),
    }
}
