//! The tableau as an engine: the printed formulas are built and decided as they stand, and the
//! model is read back as a strategy.
//!
//! # References
//! * R. V. Khelemendik, *On the solution of chess positions using computational tree logic*, §5: a
//!   satisfying model is a strategy (docs/theory.md §7); the corrected formulas are those of
//!   docs/theory.md §8.

use super::super::question::Question;
use super::super::verdict::is_least;
use super::super::{CertificateError, Engine, Evidence, Verdict};
use crate::certificate::Strategy;
use crate::chess::board::{Board, move_of};
use crate::chess::{Interner, Move, Packed, Side, Value, Vector, fen, in_check};
use crate::ctl::{Arena, Symbol};
use crate::game::{Game, Literal};
use crate::hold::hold;
use crate::kripke::{Kripke, Rows};
use crate::limits::{Budget, StopReason};
use crate::strategy::{BuildError, win};
use crate::tableau::{self, Answer, Method, satisfiable};
use crate::theta::{LabelError, Theta, build, position_of_label, variables};

/// Decides Θ1, Θ3, and then Hold2 and Hold4, of which Θ2* is made, by the general tableau.
pub(super) fn solve(question: &Question) -> Verdict {
    let Question { options, budget, .. } = *question;
    let root = question.vector();
    let stopped =
        |reason, positions| Verdict::stopped(question, Engine::Tableau, reason, positions);
    let game = match Game::explore(root, options.profile, budget) {
        Ok(game) => game,
        Err(end) => return stopped(end.reason, end.positions),
    };
    let positions = u64::from(game.len());
    let decided = decide(&game, budget).and_then(|models| {
        let literal = if options.literal { Some(literal(&game, budget)?) } else { None };
        Ok((models, literal))
    });
    match decided {
        Ok((models, literal)) => {
            let winner = if let [one] = models.as_slice() { Some(one) } else { None };
            let value = winner.map_or(Value::Draw, |model| Value::Wins(model.owner, model.plies()));
            let best = winner.and_then(|model| model.first(root)).into_iter().collect();
            Verdict {
                value: Some(value),
                // A model need not mate as quickly as can be; mate on the board, or in one ply, is
                // the shortest there is.
                shortest: is_least(value),
                best,
                stop: None,
                literal,
                evidence: Evidence::Models(models),
                ..stopped(StopReason::Exhausted, positions)
            }
        }
        Err(reason) => stopped(reason, positions),
    }
}

/// The model of Θ1 or of Θ3, else those of Hold2 and Hold4.
fn decide(game: &Game, budget: &Budget) -> Result<Vec<ModelStrategy>, StopReason> {
    for (theta, owner) in [(Theta::One, Side::White), (Theta::Three, Side::Black)] {
        if let Some(model) = model(game, theta, owner, budget)? {
            return Ok(vec![model]);
        }
    }
    let mut holds = Vec::new();
    for (theta, owner) in [(Theta::Hold2, Side::White), (Theta::Hold4, Side::Black)] {
        // One of Θ1, Θ2*, Θ3 is satisfiable (docs/theory.md §8): without a model here the tableau
        // is at fault.
        holds.push(model(game, theta, owner, budget)?.ok_or(StopReason::Exhausted)?);
    }
    Ok(holds)
}

fn model(
    game: &Game,
    theta: Theta,
    owner: Side,
    budget: &Budget,
) -> Result<Option<ModelStrategy>, StopReason> {
    let mut arena = Arena::new();
    match answer(game, theta, &mut arena, budget)? {
        None => Ok(None),
        Some(model) => {
            let symbols = variables(&mut arena);
            let strategy = ModelStrategy::read(&model, &symbols, owner)
                .expect("a model of Θ is labelled by positions");
            Ok(Some(strategy))
        }
    }
}

fn answer(
    game: &Game,
    theta: Theta,
    arena: &mut Arena,
    budget: &Budget,
) -> Result<Option<Kripke>, StopReason> {
    let formula = build(arena, theta, game);
    let options = tableau::Options { method: Method::Tableau, ..Default::default() };
    match satisfiable(arena, formula, &options, budget).answer {
        Answer::Unsatisfiable => Ok(None),
        Answer::Unknown(reason) => Err(reason),
        Answer::Satisfiable(model) => Ok(Some(model.expect("the tableau answers with a model"))),
    }
}

/// The printed formulas decided literally.
fn literal(game: &Game, budget: &Budget) -> Result<Literal, StopReason> {
    let is_satisfiable = |theta| Ok(answer(game, theta, &mut Arena::new(), budget)?.is_some());
    Ok(Literal {
        theta1: is_satisfiable(Theta::One)?,
        theta2: is_satisfiable(Theta::Two)?,
        theta3: is_satisfiable(Theta::Three)?,
        theta4: is_satisfiable(Theta::Four)?,
    })
}

/// A model read back as positions: where the model has several vertices for one position, the moves
/// of all of them.
///
/// Every vertex of a model of Hold2 or Hold4 holds, so any of its moves does. Of a model of Θ1 or
/// Θ3 the move of least rank is taken, so that a position answered in several ways is answered in
/// one.
#[derive(Debug)]
pub struct ModelStrategy {
    owner: Side,
    /// The root first.
    positions: Interner,
    moves: Rows,
    /// Plies to mate in the game in which the owner has the model's moves only; [`NEVER`] if it
    /// cannot mate in it.
    ranks: Vec<u32>,
}

const NEVER: u32 = u32::MAX;

impl ModelStrategy {
    /// Reads the part of a model that its root reaches. `symbols` are those of p0..p270.
    ///
    /// # Errors
    /// When a label is no position.
    pub fn read(model: &Kripke, symbols: &[Symbol], owner: Side) -> Result<Self, LabelError> {
        let position = |v: u32| position_of_label(|k| model.holds(v, symbols[k as usize].0));
        let root = position(model.root())?;
        let mut positions = Interner::new(root.men());
        let mut ids = vec![NEVER; model.vertices() as usize];
        let mut queue = vec![model.root()];
        ids[model.root() as usize] = positions.insert(&Packed::from(&root)).0;
        let mut edges = Vec::new();
        while let Some(v) = queue.pop() {
            for &w in model.successors(v) {
                if ids[w as usize] == NEVER {
                    ids[w as usize] = positions.insert(&Packed::from(&position(w)?)).0;
                    queue.push(w);
                }
                edges.push((ids[v as usize], ids[w as usize]));
            }
        }
        // A position that stands still is final.
        edges.retain(|(from, to)| from != to);
        edges.sort_unstable();
        edges.dedup();
        let mut moves = Rows::default();
        let mut rest = edges.into_iter().peekable();
        for id in 0..positions.len() as u32 {
            while let Some((_, to)) = rest.next_if(|(from, _)| *from == id) {
                moves.push(to);
            }
            moves.end_row();
        }
        let ranks = ranks(owner, &positions, &moves);
        Ok(Self { owner, positions, moves, ranks })
    }

    /// Plies to mate from the root, at most.
    fn plies(&self) -> u32 {
        self.ranks[0]
    }

    /// The moves that the model makes on a board.
    fn moves_on(&self, board: &Board) -> Vec<(Move, u32)> {
        let Some(id) = self.positions.get(&board.packed()) else { return Vec::new() };
        let row = self.moves.row(id);
        let legal = board.legal_moves().into_iter();
        let step = |m| Some((move_of(&m), self.positions.get(&board.after(m).packed())?));
        legal.filter_map(step).filter(|(_, to)| row.contains(to)).collect()
    }

    /// The owner's move of least rank.
    fn fastest(&self, board: &Board) -> Option<Move> {
        self.moves_on(board)
            .into_iter()
            .min_by_key(|&(m, to)| (self.ranks[to as usize], m.bits()))
            .map(|(m, _)| m)
    }

    /// The owner's first move, if it is to move at the root.
    fn first(&self, root: &Vector) -> Option<Move> {
        let board = Board::from_vector(root).ok()?;
        if board.side_to_move() == self.owner { self.fastest(&board) } else { None }
    }

    /// The strategy, one move for each position, and the plies to mate it needs at most.
    ///
    /// # Errors
    /// When the model is no winning strategy.
    pub(in crate::solve) fn winning(
        &self,
        root: &Board,
        budget: &Budget,
    ) -> Result<(Strategy, u32), CertificateError> {
        win(None, root, self.owner, budget, &mut |board| {
            self.fastest(board).ok_or_else(|| BuildError::NoMate(fen(&board.vector())).into())
        })
    }

    /// The strategy, one move for each position.
    ///
    /// # Errors
    /// When the model is no holding strategy.
    pub(in crate::solve) fn holding(
        &self,
        root: &Board,
        budget: &Budget,
    ) -> Result<Strategy, CertificateError> {
        hold(None, root, self.owner, budget, &mut |board| {
            Ok(self.moves_on(board).into_iter().map(|(m, _)| m).collect())
        })
    }
}

/// The least fixpoint of "the other side is mated, or the owner has a move into it, or the other
/// side's every move leads into it", by steps backwards from the mates.
fn ranks(owner: Side, positions: &Interner, moves: &Rows) -> Vec<u32> {
    let ids = 0..positions.len() as u32;
    let mut ranks = vec![NEVER; positions.len()];
    let mut left: Vec<usize> = ids.clone().map(|id| moves.row(id).len()).collect();
    let owns = |id: u32| positions.at(id).white_to_move() == (owner == Side::White);
    let mated = |id: u32| {
        moves.row(id).is_empty() && in_check(&positions.at(id).vector().expect("a packed position"))
    };
    let mut level: Vec<u32> = ids.filter(|&id| !owns(id) && mated(id)).collect();
    level.iter().for_each(|&id| ranks[id as usize] = 0);
    let back = moves.transpose();
    let mut plies = 0;
    while !level.is_empty() {
        plies += 1;
        let mut next = Vec::new();
        for &before in level.iter().flat_map(|&id| back.row(id)) {
            let at = before as usize;
            left[at] -= 1;
            if ranks[at] == NEVER && (owns(before) || left[at] == 0) {
                ranks[at] = plies;
                next.push(before);
            }
        }
        level = next;
    }
    ranks
}
