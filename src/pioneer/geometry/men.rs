//! The men on a board as bit sets that can be changed freely: for exchanges and "what if"
//! questions, where no legality is needed. 72 bytes, copied.

use crate::chess::Side;
use crate::chess::board::{Bitboard, Board, Piece, Position, Role, Square, attacks};

/// Where the men stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Men {
    sides: [Bitboard; 2],
    roles: [Bitboard; 6],
    /// The en-passant target that the side to move may capture on.
    pub passant: Option<Square>,
    /// The rooks with which castling is still allowed.
    pub castling: Bitboard,
}

impl Men {
    /// The men of a position.
    pub fn of(board: &Board) -> Self {
        let men = board.chess().board();
        Self {
            sides: [men.white(), men.black()],
            roles: Role::ALL.map(|role| men.by_role(role)),
            passant: board.chess().maybe_ep_square(),
            castling: board.chess().castles().castling_rights(),
        }
    }

    /// All occupied squares.
    pub fn occupied(&self) -> Bitboard {
        self.sides[0] | self.sides[1]
    }

    /// The squares of one side's men.
    pub fn of_side(&self, side: Side) -> Bitboard {
        self.sides[side as usize]
    }

    /// The squares of one kind of men, both sides.
    pub fn of_role(&self, role: Role) -> Bitboard {
        self.roles[role as usize - 1]
    }

    /// The man on a square.
    pub fn at(&self, square: Square) -> Option<Piece> {
        let side = Side::ALL.into_iter().find(|&c| self.of_side(c).contains(square))?;
        let role = Role::ALL.into_iter().find(|&r| self.of_role(r).contains(square))?;
        Some(Piece { side, role })
    }

    /// The king's square.
    pub fn king(&self, side: Side) -> Option<Square> {
        (self.of_side(side) & self.of_role(Role::King)).first()
    }

    /// Takes whatever stands on a square away.
    pub fn remove(&mut self, square: Square) {
        for set in self.sides.iter_mut().chain(&mut self.roles) {
            set.discard(square);
        }
    }

    /// Puts a man on a square, in place of what stood there.
    pub fn put(&mut self, square: Square, piece: Piece) {
        self.remove(square);
        self.sides[piece.side as usize].add(square);
        self.roles[piece.role as usize - 1].add(square);
    }

    /// The men after the man on `from` stands on `to`.
    #[must_use]
    pub fn moved(mut self, from: Square, to: Square) -> Self {
        if let Some(piece) = self.at(from) {
            self.remove(from);
            self.put(to, piece);
        }
        self
    }

    /// The men of `side` that could capture on `square`, were these squares occupied.
    pub fn attackers(&self, square: Square, side: Side, occupied: Bitboard) -> Bitboard {
        let [pawn, knight, bishop, rook, queen, king] = self.roles;
        let straight = attacks::rook_attacks(square, occupied) & (rook | queen);
        let slanted = attacks::bishop_attacks(square, occupied) & (bishop | queen);
        let leaps =
            (attacks::knight_attacks(square) & knight) | (attacks::king_attacks(square) & king);
        let pawns = attacks::pawn_attacks(side.other(), square) & pawn;
        (straight | slanted | leaps | pawns) & self.of_side(side) & occupied
    }

    /// The men of `side` one move away from capturing on `square`.
    pub fn controllers(&self, square: Square, side: Side) -> Bitboard {
        self.attackers(square, side, self.occupied())
    }

    /// The squares that the man on `from` attacks.
    pub fn attacks_from(&self, from: Square) -> Bitboard {
        self.at(from)
            .map_or(Bitboard::EMPTY, |piece| attacks::attacks(from, piece, self.occupied()))
    }

    /// The squares that the man on `from` may step to in one move, kings' safety and pins left out.
    pub fn steps_from(&self, from: Square) -> Bitboard {
        let Some(piece) = self.at(from) else { return Bitboard::EMPTY };
        let reach = self.attacks_from(from) & !self.of_side(piece.side);
        if piece.role != Role::Pawn {
            return reach;
        }
        let passant = self.passant.map_or(Bitboard::EMPTY, Bitboard::from);
        (reach & (self.of_side(piece.side.other()) | passant)) | self.pushes_from(from, piece.side)
    }

    fn pushes_from(&self, from: Square, side: Side) -> Bitboard {
        let up = side.pick(8, -8);
        let free = |s: &Square| !self.occupied().contains(*s);
        let Some(one) = from.offset(up).filter(free) else { return Bitboard::EMPTY };
        let home = from.rank()
            == side.pick(crate::chess::board::Rank::Second, crate::chess::board::Rank::Seventh);
        let two = one.offset(up).filter(free).filter(|_| home);
        Bitboard::from(one) | two.map_or(Bitboard::EMPTY, Bitboard::from)
    }
}
