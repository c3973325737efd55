//! What an engine knows of the positions below the root: enough to rate every move and to build the
//! certificate.

use super::engines::slice_proof::{Proof, opened, plainly};
use super::{Bound, ModelStrategy};
use crate::certificate::{Certificate, Strategy};
use crate::chess::Value;
use crate::chess::board::Board;
use crate::chess::cannot_be_mated;
use crate::chess::{Move, Packed, Profile, Side, Vector};
use crate::game::{Graph, Values};
use crate::guess::Found;
use crate::hold::hold;
use crate::limits::Budget;
use crate::prove::{CertificateError, Rated, certificate, rate, table_value};
use crate::search::{Fortress, LeafTables, Outcome, Win};
use crate::strategy::{Rules, SyzygyRules};
use crate::tables::Tables;
use std::sync::{Arc, Mutex};

/// The most bytes of decompressed tables that are kept while a strategy is written.
const KEPT: u64 = 1 << 29;

/// Bytes of decompressed tables that are kept within a budget: an eighth of its memory.
pub(super) fn kept(budget: &Budget) -> u64 {
    budget.limits().memory.map_or(KEPT, |bytes| KEPT.min(bytes / 8))
}

/// An engine's knowledge.
#[derive(Debug)]
pub(super) enum Evidence {
    /// Nothing that a certificate could be made from.
    None,
    /// The graph of all legal play and its values.
    Graph(Box<dyn Graph>, Values),
    /// Tables of the material.
    Tables(Arc<Tables>),
    /// Syzygy tables, which are believed.
    Syzygy(SyzygyRules),
    /// A graph whose leaves, and all positions beyond them, are in tables.
    GraphOnTables(Box<dyn Graph>, Values, Arc<Tables>),
    /// A plan or two closed regions, and the tables at their ends.
    Search(Box<Outcome>, LeafTables),
    /// The winner's strategy, or White's and Black's of a draw, as models of the formulas. They
    /// know no values but the root's.
    Models(Vec<ModelStrategy>),
    /// The certificate itself, made with the proof.
    Ready(Box<Certificate>),
    /// A win by a guess, of which there was no time to write the strategy down.
    Guess(Box<Found>),
    /// What slices have proved, of which there was no time to write the strategy down.
    Slices(Arc<Mutex<Proof>>),
    /// A side's hold by pieces that stand.
    Fortress(Box<Mutex<Fortress>>),
    /// What two methods know: of a side that holds the first that does may say how.
    Joined(Box<[Evidence; 2]>),
}

impl Evidence {
    /// The value of a position, if the engine knows it.
    pub(super) fn value_of(&self, board: &Board) -> Option<Value> {
        match self {
            Self::Tables(tables) => table_value(tables, board),
            _ => self.value(&board.packed()),
        }
    }

    /// The same of a packed position.
    fn value(&self, p: &Packed) -> Option<Value> {
        match self {
            // Whatever is played in a dead position, it stays one.
            Self::Ready(ready) => {
                let shut = ready.strategies.iter().filter(|s| s.closed().is_some()).count();
                (shut == 2).then_some(Value::Draw)
            }
            Self::None
            | Self::Search(..)
            | Self::Models(_)
            | Self::Guess(_)
            | Self::Slices(_)
            | Self::Fortress(_)
            | Self::Joined(_) => None,
            Self::Graph(graph, values) => graph_value(&**graph, values, p),
            Self::Syzygy(tables) => tables.value(p),
            Self::Tables(tables) => table_value(tables, &Board::of_legal(p)),
            Self::GraphOnTables(graph, values, tables) => graph_value(&**graph, values, p)
                .or_else(|| table_value(tables, &Board::of_legal(p))),
        }
    }

    /// Every legal move of a position with the value after it, the best first.
    pub(super) fn rate(&self, y: &Vector, profile: Profile) -> Vec<Rated> {
        rate(|p| self.value(p), y, profile)
    }

    /// The certificate of a decided position. Lines also end where a proved rule says the value,
    /// and the certificate cites it. (A search and models of formulas cite what they were given.)
    ///
    /// # Errors
    /// When the engine does not know a position on the way, or a limit of the budget is reached.
    pub(super) fn certificate(
        &self,
        rules: Option<&dyn Rules>,
        root: &Board,
        value: Value,
        budget: &Budget,
    ) -> Result<Certificate, CertificateError> {
        budget.progress().stage("building the certificate", None);
        self.widen(kept(budget));
        match self {
            Self::Search(outcome, leaves) => match &outcome.win {
                Some(win) => won(win, leaves, root, budget),
                None => self.draw(root, budget),
            },
            Self::Ready(ready) => Ok((**ready).clone()),
            Self::Models(models) => modelled(models, root, budget),
            Self::Guess(found) => {
                let (strategy, plies) = found.strategy(root, budget)?;
                Ok(Certificate::of_win(strategy, plies))
            }
            Self::Slices(proof) => opened(proof).certificate(budget),
            Self::Syzygy(tables) => {
                certificate(&|board| self.value_of(board), Some(tables), root, value, budget)
            }
            Self::Joined(_) if value == Value::Draw => self.draw(root, budget),
            // Lines of a win by tables are the shortest; a draw's are not measured.
            Self::Tables(_) if value == Value::Draw && rules.is_none() => {
                let known = |board: &Board| self.value_of(board);
                let drawn = (Some(value.outcome()), Some(Side::White));
                plainly(root, drawn, budget, |part| certificate(&known, None, root, value, part))
            }
            _ => certificate(&|board| self.value_of(board), rules, root, value, budget),
        }
    }

    /// Has the tables that strategies end in keep more of what they decompress.
    fn widen(&self, bytes: u64) {
        match self {
            Self::Search(_, leaves) => leaves.widen(bytes),
            Self::Tables(tables) | Self::GraphOnTables(_, _, tables) => tables.widen(bytes),
            _ => {}
        }
    }

    /// The certificate of what is proved where the value is not: an aim, or that one side holds.
    ///
    /// # Errors
    /// When nothing of the kind is proved, or a limit of the budget is reached.
    pub(super) fn of_bounds(
        &self,
        bounds: &[Bound],
        root: &Board,
        budget: &Budget,
    ) -> Result<Certificate, CertificateError> {
        match (self, bounds.first()) {
            (Self::Ready(ready), _) => Ok((**ready).clone()),
            (_, Some(bound)) => Ok(Certificate::of_hold(self.hold(bound.side(), root, budget)?)),
            (_, None) => Err(CertificateError::Undecided),
        }
    }

    /// The certificate of both sides' holds; with threads each is written by one, in half of the memory.
    fn draw(&self, root: &Board, budget: &Budget) -> Result<Certificate, CertificateError> {
        let hold = |side: Side, budget: &Budget| self.hold(side, root, budget);
        let (white, black) = if budget.limits().threads < 2 {
            (hold(Side::White, budget), hold(Side::Black, budget))
        } else {
            let half = budget.memory_of(2);
            std::thread::scope(|scope| {
                // One of them tells how far it is.
                let black = scope.spawn(|| hold(Side::Black, &half.quietly()));
                let white = hold(Side::White, &half);
                (white, black.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            })
        };
        Ok(Certificate::of_draw(white?, black?))
    }

    /// A side's strategy that holds.
    ///
    /// # Errors
    /// When it is not proved that the side holds, or a limit of the budget is reached.
    pub(super) fn hold(
        &self,
        side: Side,
        root: &Board,
        budget: &Budget,
    ) -> Result<Strategy, CertificateError> {
        match self {
            Self::Joined(both) => {
                // That one does not know how is not why the other has not told.
                both[0].hold(side, root, budget).or_else(|first| {
                    both[1].hold(side, root, budget).map_err(|second| match second {
                        CertificateError::Undecided => first,
                        second => second,
                    })
                })
            }
            Self::Slices(proof) => opened(proof).holding(side, budget),
            Self::Fortress(fortress) => {
                let fortress = opened(fortress);
                let own = fortress.holder() == side;
                let strategy = if own { fortress.strategy(budget) } else { Ok(None) };
                strategy.map_err(CertificateError::Stopped)?.ok_or(CertificateError::Undecided)
            }
            Self::Ready(ready) => {
                let own = |s: &&Strategy| s.owner() == side && !s.wins();
                ready.strategies.iter().find(own).cloned().ok_or(CertificateError::Undecided)
            }
            Self::Search(outcome, leaves) => {
                let region = outcome.holds[usize::from(side == Side::Black)].as_ref();
                let leaves = leaves.clone().waiting();
                let known = |board: &Board| leaves.probe(budget, board);
                let mut beyond = |board: &Board, again| leaves.holding(budget, board, again);
                match region {
                    Some(region) => {
                        Ok(region.strategy_beyond(root, &known, &mut beyond, budget)?)
                    }
                    // Whom nothing can mate needs no move.
                    None if cannot_be_mated(&root.vector(), side) => {
                        hold(None, root, side, budget, &mut |_| Ok(Vec::new()))
                    }
                    None => Err(CertificateError::Undecided),
                }
            }
            _ => Err(CertificateError::Undecided),
        }
    }

    /// Moves with which the side to move holds, as far as they are known without a strategy being
    /// written.
    pub(super) fn holding_moves(&self, board: &Board, budget: &Budget) -> Vec<Move> {
        let side = board.side_to_move();
        match self {
            Self::Search(outcome, leaves) => {
                let region = outcome.holds[usize::from(side == Side::Black)].as_ref();
                region.map_or_else(Vec::new, |region| {
                    region.plays(board, &|board| leaves.probe(budget, board))
                })
            }
            Self::Ready(ready) => {
                let own = ready.strategies.iter().filter(|s| s.owner() == side && !s.wins());
                own.filter_map(|own| own.answer(&board.packed())?.play).collect()
            }
            Self::Slices(proof) => opened(proof).holding_moves(),
            Self::Fortress(fortress) => opened(fortress).play().into_iter().collect(),
            Self::Joined(both) => {
                let known = both.iter().map(|one| one.holding_moves(board, budget));
                known.into_iter().find(|moves| !moves.is_empty()).unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }

    /// Plies that a side's shortest mate is proved to take at least.
    pub(super) fn at_least(&self, side: Side) -> u32 {
        match self {
            Self::Search(outcome, _) => outcome.at_least[usize::from(side == Side::Black)].into(),
            Self::Joined(both) => both[0].at_least(side).max(both[1].at_least(side)),
            _ => 0,
        }
    }
}

/// The certificate of a win that a search has proved.
fn won(
    win: &Win,
    leaves: &LeafTables,
    root: &Board,
    budget: &Budget,
) -> Result<Certificate, CertificateError> {
    let known = |board: &Board| leaves.probe(budget, board);
    let written =
        leaves.winning(win.side, |beyond| win.strategy_beyond(root, &known, beyond, budget));
    let (strategy, plies) = written?;
    Ok(Certificate::of_win(strategy, plies))
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
