//! Where the holder's men stay: squares that its quiet moves may lead to.
//!
//! A fortress mostly needs few of its owner's moves: the king steps to and fro, or one piece does.
//! Where all moves are free a set is followed far from that before it turns out lost, so small
//! regions come first. They only restrict the holder: what closes is a proof.
//!
//! # References
//! * E. Bleicher, *Freezer*, 2003 (a person says to which squares the men keep).

use super::moves::Step;
use crate::chess::Side;
use crate::chess::board::{Board, BySide as _, Men, Piece, Position as _, Role, Square, attacks};

/// What the holder's moves may be that take nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stay {
    /// The king's squares.
    king: u64,
    /// Those of pieces.
    pieces: u64,
    /// Squares that pieces do not leave.
    still: u64,
    /// Whether pawns step.
    pawns: bool,
    /// Whether they promote if they don't, where that ends the game.
    ends: bool,
    /// What there is while the men keep to their squares; none where they may go anywhere.
    phase: Option<Phase>,
}

/// What captures, promotions and the owner's pawn moves change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Phase {
    /// Men but the attacker's king, pawns counted twice.
    pub(super) material: usize,
    /// The holder's pawns.
    pawns: u64,
}

impl Phase {
    /// That of a row: all men but the attacker's king.
    pub(super) fn of(men: &Men, holder: Side) -> Self {
        let material = men.occupied().count() + men.pawns().count();
        Self { material, pawns: (men.pawns() & men.men_of(holder)).0 }
    }
}

impl Stay {
    /// All moves.
    pub const ANYWHERE: Self =
        Self { king: !0, pieces: !0, still: 0, pawns: true, ends: false, phase: None };

    /// The king's squares at most two steps from where it stands; all else stands still.
    fn king_alone(board: &Board, holder: Side) -> Self {
        let men = board.chess().board();
        let king = men.king(holder).map_or(0, |king| 1 << king as u32);
        let near = attacks::king_steps(king) | king;
        let phase = Phase::of(men, holder);
        Self {
            king: near | attacks::king_steps(near),
            pieces: 0,
            still: 0,
            pawns: false,
            ends: false,
            phase: Some(Phase { material: phase.material - 1, ..phase }),
        }
    }

    /// The king anywhere, and all else stands still; but pieces go to their posts, and pawns promote if that
    /// ends the game.
    pub fn standing(board: &Board, holder: Side, posts: u64) -> Self {
        Self { king: !0, pieces: posts, ends: true, ..Self::king_alone(board, holder) }
    }

    /// The same for each piece: it may go anywhere, and the other pieces stand still. None where there are
    /// not several.
    fn one_piece(board: &Board, holder: Side) -> Vec<Self> {
        let men = board.chess().board();
        let pieces = men.men_of(holder) & !men.pawns() & !men.kings();
        let alone = Self::king_alone(board, holder);
        let one = |piece: Square| Self { pieces: !0, still: pieces.without(piece).0, ..alone };
        if pieces.count() < 2 { Vec::new() } else { pieces.into_iter().map(one).collect() }
    }

    /// The king alone, and for pieces the squares that some of them stands on or attacks.
    fn near(board: &Board, holder: Side) -> Self {
        let men = board.chess().board();
        let own = men.men_of(holder) & !men.pawns() & !men.kings();
        let mut near = own;
        for role in [Role::Queen, Role::Rook, Role::Bishop, Role::Knight] {
            for square in men.by_role(role) & own {
                near |= attacks::attacks(square, Piece::new(holder, role), men.occupied());
            }
        }
        Self { pieces: near.0, ..Self::king_alone(board, holder) }
    }

    /// What is tried first, the smallest regions before larger ones.
    pub fn regions(board: &Board, holder: Side) -> Vec<Self> {
        let king = Self::king_alone(board, holder);
        let mut list = vec![king, king.with_pawns()];
        list.extend(Self::one_piece(board, holder));
        list.push(Self::near(board, holder));
        list
    }

    /// The same, and pawns step. Behind them other positions begin.
    fn with_pawns(self) -> Self {
        Self { pawns: true, ..self }
    }

    pub(super) fn phase(&self) -> Option<Phase> {
        self.phase
    }

    /// Whether a move may be played only where it ends the game.
    pub(super) fn must_end(&self, step: &Step) -> bool {
        self.ends && step.play.promotion() != 0
    }

    /// Whether a move may be played; `takes` says whether it captures.
    pub(super) fn allows(&self, step: &Step, takes: bool) -> bool {
        let [from, to] = [step.play.from(), step.play.to()].map(|square| 1 << square);
        takes
            || match step.role {
                Role::King => self.king & to != 0,
                Role::Pawn => self.pawns || self.must_end(step),
                _ => self.pieces & to != 0 && self.still & from == 0,
            }
    }
}
