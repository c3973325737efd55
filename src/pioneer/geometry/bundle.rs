//! Bundles: all trajectories of one piece between two squares of an empty board.
//!
//! The tables are laid on α0 and αk and added; the squares whose sum is the length are the
//! α-squares. With rings the addition is an intersection: the α_i-squares (RESULT of the source)
//! are ring i of α0 ∩ ring n−i of αk.
//!
//! # References
//! B. M. Stilman, *Forming the set of bundles of trajectories*, appendix 1 of M. M. Botvinnik, *On
//! the cybernetic goal of the game*, 1975; docs/theory.md §13.

use crate::chess::Side;
use std::ops::ControlFlow;

use super::tables::Table;
use super::trajectory::{LONGEST, Opening, Trajectory, promotion_rank};
use crate::chess::board::{Bitboard, Piece, Rank, Role, Square};

/// A bundle, given by four of the six stored parameters: which piece, from where, where to, in how
/// many moves at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bundle {
    /// The piece on α0.
    pub piece: Piece,
    /// α0.
    pub from: Square,
    /// αk.
    pub to: Square,
    /// The greatest length in moves.
    pub longest: u8,
}

/// What receives trajectories one by one, and may break off.
type Visit<'a> = dyn FnMut(Trajectory) -> ControlFlow<()> + 'a;

impl Bundle {
    /// Visits every trajectory: by length, shortest ones before joined ones, then those that begin
    /// with castling or with a pawn's two squares. Their number grows fast with the length (a
    /// king's fourteen moves have billions), so the visitor can break off.
    pub fn visit(&self, mut visit: impl FnMut(Trajectory) -> ControlFlow<()>) -> ControlFlow<()> {
        for moves in 1..=self.longest.min(LONGEST as u8) {
            self.exactly(moves, &mut visit)?;
        }
        self.after_opening(&mut visit)
    }

    /// The first `limit` trajectories.
    pub fn take(&self, limit: usize) -> Vec<Trajectory> {
        let mut found = Vec::new();
        let _ = self.visit(|t| {
            if found.len() == limit {
                return ControlFlow::Break(());
            }
            found.push(t);
            ControlFlow::Continue(())
        });
        found
    }

    /// Visits the trajectories of exactly `moves` plain moves.
    pub fn exactly(&self, moves: u8, visit: &mut Visit<'_>) -> ControlFlow<()> {
        if self.from == self.to || moves == 0 || usize::from(moves) > LONGEST {
            return ControlFlow::Continue(());
        }
        let start = Trajectory::start(self.piece, self.from);
        match Table::of(self.piece.side, self.piece.role) {
            Some(table) if table.number(self.from, self.to) == Some(moves) => {
                self.leg(start, self.to, moves, visit)
            }
            None if moves <= 2 => self.leg(start, self.to, moves, visit),
            _ => self.joined(moves, visit),
        }
    }

    /// Extends `path` by a shortest trajectory of `left` moves to `to`.
    fn leg(
        &self,
        path: Trajectory,
        to: Square,
        left: u8,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        if left == 0 {
            return if path.is_meaningless() { ControlFlow::Continue(()) } else { visit(path) };
        }
        let role = path.role_at(path.moves());
        for square in next_alphas(self.piece.side, role, path.to(), to, left) {
            self.leg(path.then(square), to, left - 1, visit)?;
        }
        ControlFlow::Continue(())
    }

    /// Trajectories made of two shortest ones that join on a square, each once: at its first
    /// possible join.
    fn joined(&self, moves: u8, visit: &mut Visit<'_>) -> ControlFlow<()> {
        for first in 1..moves {
            for (join, promotion) in self.joins(first, moves - first) {
                let start = Trajectory::start(self.piece, self.from);
                self.leg(start, join, first, &mut |path| {
                    let mut path = path;
                    path.promotion = promotion;
                    self.leg(path, self.to, moves - first, &mut |whole| {
                        let earlier = (1..first)
                            .any(|i| self.is_join(whole.alpha(usize::from(i)), i, moves - i));
                        if earlier { ControlFlow::Continue(()) } else { visit(whole) }
                    })
                })?;
            }
        }
        ControlFlow::Continue(())
    }

    fn is_join(&self, square: Square, first: u8, second: u8) -> bool {
        self.piece.role != Role::Pawn && self.join_squares(first, second).contains(square)
    }

    /// The join squares for parts of these lengths, for a pawn with the role it takes there.
    fn joins(&self, first: u8, second: u8) -> Vec<(Square, Option<Role>)> {
        if self.piece.role != Role::Pawn {
            return self.join_squares(first, second).into_iter().map(|s| (s, None)).collect();
        }
        let pawn = self.piece.side.pick(Table::WhitePawn, Table::BlackPawn);
        let promoted =
            pawn.ring(self.from, first) & Bitboard::from_rank(promotion_rank(self.piece.side));
        let knight = promoted & Table::Knight.ring(self.to, second);
        let queen =
            promoted & (Table::Rook.ring(self.to, second) | Table::Seven.ring(self.to, second));
        let queens = queen.into_iter().map(|s| (s, Some(Role::Queen)));
        queens.chain(knight.into_iter().map(|s| (s, Some(Role::Knight)))).collect()
    }

    /// The squares where the numbers from both ends are `first` and `second`; for the queen in the
    /// combinations (rook, rook), (no. 7, rook) and (rook, no. 7).
    fn join_squares(&self, first: u8, second: u8) -> Bitboard {
        let sum =
            |a: Table, b: Table| a.ring(self.from, first) & b.reversed().ring(self.to, second);
        match Table::of(self.piece.side, self.piece.role) {
            Some(table) => sum(table, table),
            None => {
                sum(Table::Rook, Table::Rook)
                    | sum(Table::Seven, Table::Rook)
                    | sum(Table::Rook, Table::Seven)
            }
        }
    }

    /// Bundles whose first move is castling or a pawn's two squares.
    fn after_opening(&self, visit: &mut Visit<'_>) -> ControlFlow<()> {
        for (square, opening) in openings(self.piece, self.from) {
            let mut first = Trajectory::start(self.piece, self.from).then(square);
            first.opening = opening;
            if square == self.to && self.longest >= 1 {
                visit(first)?;
                continue;
            }
            let rest = Bundle {
                from: square,
                longest: self.longest.saturating_sub(1).min(LONGEST as u8 - 1),
                ..*self
            };
            for moves in 1..=rest.longest {
                rest.exactly(moves, &mut |tail| {
                    let mut whole = tail.alphas()[1..].iter().fold(first, |path, &s| path.then(s));
                    whole.promotion = tail.promotion;
                    if whole.is_meaningless() { ControlFlow::Continue(()) } else { visit(whole) }
                })?;
            }
        }
        ControlFlow::Continue(())
    }
}

/// The α-squares one move on from `at`, on shortest trajectories with `left` moves to go to `to`.
/// The queen's are those of the bishop, of the rook, and of "rook then bishop" and "bishop then
/// rook".
pub fn next_alphas(side: Side, role: Role, at: Square, to: Square, left: u8) -> Bitboard {
    let sum = |a: Table, b: Table| a.ring(at, 1) & b.reversed().ring(to, left - 1);
    let shortest =
        |t: Table| if t.number(at, to) == Some(left) { sum(t, t) } else { Bitboard::EMPTY };
    match Table::of(side, role) {
        Some(table) => shortest(table),
        None if left == 1 => shortest(Table::Rook) | shortest(Table::Bishop),
        None => {
            let mixed = sum(Table::Rook, Table::Seven)
                | (Table::Bishop.ring(at, 1) & Table::Rook.ring(to, left - 1));
            let straight = shortest(Table::Rook) | shortest(Table::Bishop);
            if left == 2 { mixed | straight } else { Bitboard::EMPTY }
        }
    }
}

/// The first moves that only a certain square allows: castling (king and rook) and the pawn's two
/// squares.
fn openings(piece: Piece, from: Square) -> Vec<(Square, Opening)> {
    let home = piece.side.pick(Rank::First, Rank::Eighth);
    let file = from.file().to_u32();
    let on = |file: u32| Square::from_coords(crate::chess::board::File::new(file), home);
    match piece.role {
        Role::Pawn if from.rank() == piece.side.pick(Rank::Second, Rank::Seventh) => {
            let to = Square::from_coords(from.file(), piece.side.pick(Rank::Fourth, Rank::Fifth));
            vec![(to, Opening::TwoSteps)]
        }
        Role::King if from == on(4) => vec![(on(6), Opening::Castling), (on(2), Opening::Castling)],
        Role::Rook if from.rank() == home && file == 0 => vec![(on(3), Opening::Castling)],
        Role::Rook if from.rank() == home && file == 7 => vec![(on(5), Opening::Castling)],
        _ => Vec::new(),
    }
}

/// The least length on an empty board, two-step moves and castling left out; none if there is no
/// trajectory. The queen's is 1 or 2.
pub fn distance(piece: Piece, from: Square, to: Square) -> Option<u8> {
    match Table::of(piece.side, piece.role) {
        Some(table) => table.number(from, to),
        None if from == to => Some(0),
        None => Some(
            if Table::Rook.number(from, to) == Some(1) || Table::Bishop.number(from, to) == Some(1)
            {
                1
            } else {
                2
            },
        ),
    }
}
