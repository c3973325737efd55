//! The fast board: the one file that adapts shakmaty. Engines that need bitboards, attack sets, SAN
//! or UCI take them from here; `verify` and `theta` use the paper's own predicates instead.

use super::{
    FenError, Move, Packed, PackedError, PositionError, Profile, Side, Vector, check_input, code,
    parse_fen,
};

use shakmaty::zobrist::Zobrist64;
pub use shakmaty::{
    Bitboard, Chess, Color, File, Move as ChessMove, MoveList, Piece, Position, Rank, Role, Square,
    attacks,
};
use shakmaty::{ByColor, ByRole, CastlingMode, EnPassantMode, FromSetup, Setup, san::SanPlus};

/// A legal position as bitboards, with a fast generator of legal moves (shakmaty's `Chess`, about
/// 130 bytes). En-passant marks are read and written as in the `fide` profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Board(Chess);

const ROLES: [Role; 6] =
    [Role::King, Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn];

/// The code 1..=12 of a piece.
pub fn code_of(piece: Piece) -> u8 {
    let white =
        ROLES.iter().position(|&r| r == piece.role).expect("every role has a code") as u8 + 1;
    if piece.color == Color::White { white } else { white + code::BLACK }
}

/// The piece of a code 1..=12.
pub fn piece_of(c: u8) -> Option<Piece> {
    let role = *ROLES.get((c as usize).wrapping_sub(1) % 6)?;
    match c {
        1..=6 => Some(Piece { color: Color::White, role }),
        7..=12 => Some(Piece { color: Color::Black, role }),
        _ => None,
    }
}

/// The colour of a side.
pub fn color_of(side: Side) -> Color {
    if side == Side::White { Color::White } else { Color::Black }
}

/// The side of a colour.
pub fn side_of(color: Color) -> Side {
    if color == Color::White { Side::White } else { Side::Black }
}

/// The library's move of shakmaty's: castling becomes the king's two-square step.
pub fn move_of(m: &ChessMove) -> Move {
    let (from, to) = match *m {
        ChessMove::Castle { king, rook } => {
            let to = if rook > king { king as u8 + 2 } else { king as u8 - 2 };
            return Move::new(king as u8, to, 0);
        }
        _ => (m.from().expect("no drops in chess"), m.to()),
    };
    let promotion = m.promotion().map_or(0, |role| code_of(Piece { color: Color::White, role }));
    Move::new(from as u8, to as u8, promotion)
}

/// The same men with the other side to move, and no en-passant capture; none where the side that was
/// to move is in check. About 200 ns.
pub fn passed(chess: &Chess) -> Option<Chess> {
    let mut setup = chess.to_setup(EnPassantMode::Always);
    setup.ep_square = None;
    setup.swap_turn();
    Chess::from_setup(setup, CastlingMode::Standard)
        .or_else(shakmaty::PositionError::ignore_too_much_material)
        .or_else(shakmaty::PositionError::ignore_impossible_check)
        .ok()
}

/// A legal move in standard algebraic notation, with check and mate signs.
pub fn san(chess: &Chess, m: ChessMove) -> String {
    SanPlus::from_move(chess.clone(), m).to_string()
}

impl Board {
    /// The board of an input position.
    ///
    /// # Errors
    /// The first invariant that fails ([`check_input`]).
    pub fn from_vector(y: &Vector) -> Result<Self, PositionError> {
        check_input(y)?;
        Ok(Self::of_legal(&Packed::from(y)))
    }

    /// The board of a FEN, `fide` profile.
    ///
    /// # Errors
    /// As [`parse_fen`].
    pub fn from_fen(text: &str) -> Result<Self, FenError> {
        Ok(Self::of_legal(&Packed::from(&parse_fen(text, Profile::Fide)?)))
    }

    /// The board of a packed position. About 200 ns.
    ///
    /// # Errors
    /// When the bytes are no legal position.
    pub fn from_packed(packed: &Packed) -> Result<Self, PackedError> {
        check_input(&packed.vector()?).map_err(|_| PackedError)?;
        Ok(Self::of_legal(packed))
    }

    /// The board of a packed position known to be legal (packed by this library from a legal one).
    /// May panic if it is not.
    pub(crate) fn of_legal(packed: &Packed) -> Self {
        let mut roles = ByRole::new_with(|_| Bitboard::EMPTY);
        let mut colors = ByColor::new_with(|_| Bitboard::EMPTY);
        let mut men = packed.men;
        for square in Bitboard(packed.occupied) {
            let piece = piece_of((men & 15) as u8).expect("a code of a man");
            roles.get_mut(piece.role).add(square);
            colors.get_mut(piece.color).add(square);
            men >>= 4;
        }
        let mut setup = Setup::empty();
        setup.board =
            shakmaty::Board::try_from_bitboards(roles, colors).expect("men on distinct squares");
        setup.turn = if packed.white_to_move() { Color::White } else { Color::Black };
        let bits = |shift: u32, mask: u16| packed.state >> shift & mask;
        for (bit, square) in [(1, Square::A1), (2, Square::H1), (3, Square::A8), (4, Square::H8)] {
            if bits(bit, 1) != 0 {
                setup.castling_rights.add(square);
            }
        }
        let (mark, rank) = if packed.white_to_move() {
            (bits(9, 15), Rank::Sixth)
        } else {
            (bits(5, 15), Rank::Third)
        };
        if mark != 0 {
            setup.ep_square = Some(Square::from_coords(File::new(u32::from(mark) - 1), rank));
        }
        Self(
            Chess::from_setup(setup, CastlingMode::Standard)
                .or_else(shakmaty::PositionError::ignore_too_much_material)
                .or_else(shakmaty::PositionError::ignore_impossible_check)
                .expect("a legal position"),
        )
    }

    /// The packed position, `fide` marks. About 30 ns for few men.
    pub fn packed(&self) -> Packed {
        let board = self.0.board();
        let occupied = board.occupied().0;
        let mut men = 0u128;
        for color in Color::ALL {
            let own = board.by_color(color);
            for (k, &role) in ROLES.iter().enumerate() {
                let c = k as u128 + 1 + if color == Color::White { 0 } else { 6 };
                for square in own & board.by_role(role) {
                    let below = occupied & ((1u64 << square as u32) - 1);
                    men |= c << (4 * below.count_ones());
                }
            }
        }
        let rights = self.0.castles().castling_rights();
        let right = |square: Square| u8::from(rights.contains(square));
        let mark = self
            .0
            .maybe_ep_square()
            .and(self.0.legal_ep_square())
            .map_or(0, |s| s.file() as u8 + 1);
        let white = self.0.turn() == Color::White;
        let state = Packed::state(
            u8::from(!white),
            if white { 0 } else { mark },
            if white { mark } else { 0 },
            right(Square::A1) + 2 * right(Square::H1),
            right(Square::A8) + 2 * right(Square::H8),
        );
        Packed { occupied, men, state }
    }

    /// The vector y, `fide` profile.
    pub fn vector(&self) -> Vector {
        self.packed().vector().expect("a board packs to a vector")
    }

    /// shakmaty's position, for attack queries and tablebase probes.
    pub fn chess(&self) -> &Chess {
        &self.0
    }

    /// The side to move.
    pub fn side_to_move(&self) -> Side {
        side_of(self.0.turn())
    }

    /// The legal moves, as shakmaty's, ready for [`Board::play`].
    pub fn legal_moves(&self) -> MoveList {
        self.0.legal_moves()
    }

    /// The legal move with this from, to and promotion, if there is one.
    pub fn find(&self, m: Move) -> Option<ChessMove> {
        self.legal_moves().into_iter().find(|candidate| move_of(candidate) == m)
    }

    /// Plays a legal move of this position.
    pub fn play(&mut self, m: ChessMove) {
        self.0.play_unchecked(m);
    }

    /// The position after a legal move of this position.
    #[must_use]
    pub fn after(&self, m: ChessMove) -> Self {
        let mut next = self.clone();
        next.play(m);
        next
    }

    /// The positions after each legal move, in the order of [`Board::legal_moves`].
    pub fn successors(&self) -> impl Iterator<Item = Self> + '_ {
        self.legal_moves().into_iter().map(|m| self.after(m))
    }

    /// The same men with the other side to move; none where that is no legal position (the mover is
    /// in check).
    pub fn passed(&self) -> Option<Self> {
        passed(&self.0).map(Self)
    }

    /// The position's key in Polyglot's opening books (M. Van den Bergh, *Book formats*).
    pub fn polyglot_key(&self) -> u64 {
        let key: Zobrist64 = self.0.zobrist_hash(EnPassantMode::PseudoLegal);
        key.0
    }

    /// Whether a side has nothing but its king ([`super::bare_king`], by bit sets).
    pub fn has_bare_king(&self, side: Side) -> bool {
        self.0.board().by_color(color_of(side)).count() == 1
    }

    /// Whether the side to move is in check.
    pub fn in_check(&self) -> bool {
        self.0.is_check()
    }

    /// The move in standard algebraic notation, with check and mate signs.
    pub fn san(&self, m: ChessMove) -> String {
        san(&self.0, m)
    }

    /// Reads a move in standard algebraic notation.
    pub fn parse_san(&self, text: &str) -> Option<ChessMove> {
        let san: shakmaty::san::San = text.trim_end_matches(['+', '#', '!', '?']).parse().ok()?;
        san.to_move(&self.0).ok()
    }
}
