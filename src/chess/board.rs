//! The fast board: the one file that adapts shakmaty. Engines that need bitboards, attack sets, SAN
//! or UCI take them from here; `verify` and `theta` use the paper's own predicates instead. Here
//! alone shakmaty's colours are translated: everything else speaks of a [`Side`].

use super::{
    FenError, Move, Packed, PackedError, PositionError, Profile, Side, Vector, check_input, code,
    parse_fen,
};

use shakmaty::zobrist::Zobrist64;
pub use shakmaty::{
    Bitboard, Chess, File, Move as ChessMove, MoveList, Position, Rank, Role, Square,
};
use shakmaty::{
    ByColor, ByRole, CastlingMode, Color, EnPassantMode, FromSetup, Setup, san::SanPlus,
};

/// A legal position as bitboards, with a fast generator of legal moves (shakmaty's `Chess`, about
/// 130 bytes). En-passant marks are read and written as in the `fide` profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Board(Chess);

const ROLES: [Role; 6] =
    [Role::King, Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn];

/// A man: whose, and of which kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Piece {
    /// Whose man it is.
    pub side: Side,
    /// Its kind.
    pub role: Role,
}

impl Piece {
    /// A side's man of a kind.
    pub const fn new(side: Side, role: Role) -> Self {
        Self { side, role }
    }

    /// Its letter: upper case for White, as in a FEN.
    pub fn char(self) -> char {
        self.to_shakmaty().char()
    }

    fn from_shakmaty(piece: shakmaty::Piece) -> Self {
        Self::new(side_of(piece.color), piece.role)
    }

    fn to_shakmaty(self) -> shakmaty::Piece {
        self.role.of(color_of(self.side))
    }
}

/// The code 1..=12 of a piece.
pub fn code_of(piece: Piece) -> u8 {
    let white =
        ROLES.iter().position(|&r| r == piece.role).expect("every role has a code") as u8 + 1;
    piece.side.pick(white, white + code::BLACK)
}

/// The piece of a code 1..=12.
pub fn piece_of(c: u8) -> Option<Piece> {
    let role = *ROLES.get((c as usize).wrapping_sub(1) % 6)?;
    match c {
        1..=6 => Some(Piece::new(Side::White, role)),
        7..=12 => Some(Piece::new(Side::Black, role)),
        _ => None,
    }
}

fn color_of(side: Side) -> Color {
    side.pick(Color::White, Color::Black)
}

fn side_of(color: Color) -> Side {
    color.fold_wb(Side::White, Side::Black)
}

/// What shakmaty's position says of a side.
pub trait Sides {
    /// The side to move.
    fn side_to_move(&self) -> Side;

    /// Whether a side has a right to castle.
    fn may_castle(&self, side: Side) -> bool;
}

impl Sides for Chess {
    #[inline]
    fn side_to_move(&self) -> Side {
        side_of(self.turn())
    }

    fn may_castle(&self, side: Side) -> bool {
        self.castles().has_color(color_of(side))
    }
}

/// Men on squares, as bit sets (shakmaty's `Board`, 64 bytes).
pub type Men = shakmaty::Board;

/// The men on shakmaty's board, by side.
pub trait BySide {
    /// The squares of a side's men.
    fn men_of(&self, side: Side) -> Bitboard;

    /// The squares on which men of this side and kind stand.
    fn standing(&self, piece: Piece) -> Bitboard;

    /// The man on a square.
    fn man(&self, square: Square) -> Option<Piece>;

    /// Every man with its square, from a1 to h8.
    fn men(&self) -> impl Iterator<Item = (Square, Piece)>;

    /// The square of a side's king.
    fn king(&self, side: Side) -> Option<Square>;

    /// The side's men that attack a square, were these squares occupied.
    fn attackers(&self, square: Square, side: Side, occupied: Bitboard) -> Bitboard;

    /// Puts a man on a square, in place of what stands there.
    fn place(&mut self, square: Square, piece: Piece);

    /// The men packed, White to move and without any right; any number of kings will do. About 30 ns
    /// for few men.
    fn packed(&self) -> Packed;

    /// The men of a packed position.
    fn of_packed(packed: &Packed) -> Self;
}

impl BySide for Men {
    #[inline]
    fn men_of(&self, side: Side) -> Bitboard {
        self.by_color(color_of(side))
    }

    #[inline]
    fn standing(&self, piece: Piece) -> Bitboard {
        self.by_piece(piece.to_shakmaty())
    }

    #[inline]
    fn man(&self, square: Square) -> Option<Piece> {
        self.piece_at(square).map(Piece::from_shakmaty)
    }

    fn men(&self) -> impl Iterator<Item = (Square, Piece)> {
        self.iter().map(|(square, piece)| (square, Piece::from_shakmaty(piece)))
    }

    #[inline]
    fn king(&self, side: Side) -> Option<Square> {
        self.king_of(color_of(side))
    }

    #[inline]
    fn attackers(&self, square: Square, side: Side, occupied: Bitboard) -> Bitboard {
        self.attacks_to(square, color_of(side), occupied)
    }

    fn place(&mut self, square: Square, piece: Piece) {
        self.set_piece_at(square, piece.to_shakmaty());
    }

    fn packed(&self) -> Packed {
        let occupied = self.occupied().0;
        let mut men = 0u128;
        for side in Side::ALL {
            let own = self.men_of(side);
            for (k, &role) in ROLES.iter().enumerate() {
                let c = k as u128 + 1 + side.pick(0, 6);
                for square in own & self.by_role(role) {
                    let below = occupied & ((1u64 << square as u32) - 1);
                    men |= c << (4 * below.count_ones());
                }
            }
        }
        Packed { occupied, men, state: 0 }
    }

    fn of_packed(packed: &Packed) -> Self {
        let mut roles = ByRole::new_with(|_| Bitboard::EMPTY);
        let mut colors = ByColor::new_with(|_| Bitboard::EMPTY);
        let mut men = packed.men;
        for square in Bitboard(packed.occupied) {
            let piece = piece_of((men & 15) as u8).expect("a code of a man");
            roles.get_mut(piece.role).add(square);
            colors.get_mut(color_of(piece.side)).add(square);
            men >>= 4;
        }
        Self::try_from_bitboards(roles, colors).expect("men on distinct squares")
    }
}

/// Attack sets: shakmaty's, those that depend on a colour asked by side.
pub mod attacks {
    use super::{Bitboard, Piece, Side, Square, color_of};

    pub use shakmaty::attacks::{
        aligned, between, bishop_attacks, king_attacks, knight_attacks, queen_attacks, ray,
        rook_attacks,
    };

    /// All squares one king's step from a set (a1 = bit 0), the set itself only where two of its
    /// squares touch.
    #[inline]
    pub const fn king_steps(set: u64) -> u64 {
        let beside = beside(set);
        let row = set | beside;
        beside | row << 8 | row >> 8
    }

    /// All squares beside one of a set, on the same rank.
    #[inline]
    pub const fn beside(set: u64) -> u64 {
        const A_FILE: u64 = 0x0101_0101_0101_0101;
        (set & !(A_FILE << 7)) << 1 | (set & !A_FILE) >> 1
    }

    /// The squares that a side's pawn attacks from a square.
    #[inline]
    pub fn pawn_attacks(side: Side, from: Square) -> Bitboard {
        shakmaty::attacks::pawn_attacks(color_of(side), from)
    }

    /// The squares that a man attacks from a square, these squares being occupied.
    #[inline]
    pub fn attacks(from: Square, piece: Piece, occupied: Bitboard) -> Bitboard {
        shakmaty::attacks::attacks(from, piece.to_shakmaty(), occupied)
    }
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
    let promotion = m.promotion().map_or(0, |role| code_of(Piece::new(Side::White, role)));
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
        let mut setup = Setup::empty();
        setup.board = Men::of_packed(packed);
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

    /// The board of shakmaty's position, which must be of this kind of chess.
    pub(crate) fn of_chess(chess: &Chess) -> Self {
        Self(chess.clone())
    }

    /// The packed position, `fide` marks. About 30 ns for few men.
    pub fn packed(&self) -> Packed {
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
        Packed { state, ..self.0.board().packed() }
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
        self.0.side_to_move()
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

    /// Whether a pawn has just passed a square, so that it may perhaps be taken en passant.
    pub fn has_mark(&self) -> bool {
        self.0.maybe_ep_square().is_some()
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
        self.0.board().men_of(side).count() == 1
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
