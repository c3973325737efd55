//! A trajectory: the squares a piece stops on (α) and passes over (β) on its way.
//!
//! # References
//! M. M. Botvinnik, *On the cybernetic goal of the game*, 1975, appendices 1 and 3; docs/theory.md
//! §13.

use crate::chess::Side;
use std::fmt;

use crate::chess::board::{Bitboard, Piece, Rank, Role, Square, attacks};

/// No trajectory is longer: two shortest ones of the king, seven moves each.
pub const LONGEST: usize = 14;

/// What the first move of a trajectory is, where it is not a plain one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Opening {
    /// A move that the piece makes on an empty board.
    Plain,
    /// A pawn's two squares.
    TwoSteps,
    /// Castling, seen from the king or from the rook.
    Castling,
}

/// A path of one piece over the empty board, 24 bytes, copied freely.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Trajectory {
    squares: [Square; LONGEST + 1],
    moves: u8,
    /// The piece on α0.
    pub piece: Piece,
    /// What a pawn becomes on its promotion rank, if the trajectory comes there.
    pub promotion: Option<Role>,
    /// The kind of the first move.
    pub opening: Opening,
}

impl Trajectory {
    /// The trajectory of no moves.
    pub fn start(piece: Piece, from: Square) -> Self {
        Self {
            squares: [from; LONGEST + 1],
            moves: 0,
            piece,
            promotion: None,
            opening: Opening::Plain,
        }
    }

    /// The same trajectory with one more move.
    ///
    /// # Panics
    /// Beyond [`LONGEST`] moves.
    #[must_use]
    pub fn then(mut self, to: Square) -> Self {
        self.moves += 1;
        self.squares[usize::from(self.moves)] = to;
        self
    }

    /// Its α-squares, α0 first.
    pub fn alphas(&self) -> &[Square] {
        &self.squares[..=usize::from(self.moves)]
    }

    /// α_i.
    pub fn alpha(&self, i: usize) -> Square {
        self.alphas()[i]
    }

    /// Its length on the empty board, in moves.
    pub fn moves(&self) -> usize {
        usize::from(self.moves)
    }

    /// α0.
    pub fn from(&self) -> Square {
        self.squares[0]
    }

    /// α_k.
    pub fn to(&self) -> Square {
        self.squares[usize::from(self.moves)]
    }

    /// The index of the α-square on which a pawn promotes.
    pub fn promotes_at(&self) -> Option<usize> {
        (self.piece.role == Role::Pawn)
            .then(|| self.alphas().iter().position(|s| s.rank() == promotion_rank(self.piece.side)))
            .flatten()
    }

    /// The role of the moving piece when it leaves α_i.
    pub fn role_at(&self, i: usize) -> Role {
        match (self.promotes_at(), self.promotion) {
            (Some(at), Some(role)) if i >= at => role,
            _ => self.piece.role,
        }
    }

    /// The β-squares between α_i and α_{i+1}: none for leapers.
    pub fn betas(&self, i: usize) -> Bitboard {
        attacks::between(self.squares[i], self.squares[i + 1])
    }

    /// All its α-squares but α0, and all its β-squares.
    pub fn ahead(&self) -> Bitboard {
        (0..self.moves()).fold(Bitboard::EMPTY, |all, i| {
            all | self.betas(i) | Bitboard::from(self.squares[i + 1])
        })
    }

    /// Whether a square is visited twice, or a ranging piece stops for nothing: three α-squares in
    /// a row on a line.
    pub fn is_meaningless(&self) -> bool {
        let mut seen = Bitboard::from(self.from());
        for i in 0..self.moves() {
            let step = self.betas(i) | Bitboard::from(self.squares[i + 1]);
            if (seen & step).any() || self.stops_for_nothing(i) {
                return true;
            }
            seen |= step;
        }
        false
    }

    fn stops_for_nothing(&self, i: usize) -> bool {
        i > 0
            && matches!(self.role_at(i - 1), Role::Queen | Role::Rook | Role::Bishop)
            && attacks::ray(self.squares[i - 1], self.squares[i]).contains(self.squares[i + 1])
    }
}

/// The rank on which pawns of this side promote.
pub fn promotion_rank(side: Side) -> Rank {
    side.pick(Rank::Eighth, Rank::First)
}

impl fmt::Display for Trajectory {
    /// `Ra1-a5-e5`, a promoting pawn's stop as `c8Q`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.piece.role != Role::Pawn {
            write!(f, "{}", self.piece.role.upper_char())?;
        }
        for (i, square) in self.alphas().iter().enumerate() {
            write!(f, "{}{square}", if i == 0 { "" } else { "-" })?;
            if self.promotes_at() == Some(i) {
                write!(f, "{}", self.promotion.map_or('=', Role::upper_char))?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Trajectory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
