//! Checking moves and mate in one, without generating the other moves.

use crate::chess::Side;
use crate::chess::board::{
    Bitboard, BySide, Chess, ChessMove, Piece, Position, Rank, Role, Sides, Square, attacks,
};

/// What a move needs to give check in one position.
#[derive(Debug)]
pub struct Checks {
    king: Square,
    /// Squares from which a knight, bishop, rook, pawn of ours would check.
    knight: Bitboard,
    bishop: Bitboard,
    rook: Bitboard,
    pawn: Bitboard,
    /// Our men that stand alone between a line piece of ours and their king.
    screens: Bitboard,
}

impl Checks {
    /// For the side to move. About 50 ns.
    pub fn new(chess: &Chess) -> Self {
        let (board, us) = (chess.board(), chess.side_to_move());
        let king = board.king(us.other()).expect("a king each");
        let (occupied, own) = (board.occupied(), board.men_of(us));
        let (bishop, rook) =
            (attacks::bishop_attacks(king, occupied), attacks::rook_attacks(king, occupied));
        let rooks =
            own & (board.rooks() | board.queens()) & attacks::rook_attacks(king, Bitboard::EMPTY);
        let bishops = own
            & (board.bishops() | board.queens())
            & attacks::bishop_attacks(king, Bitboard::EMPTY);
        let mut screens = Bitboard::EMPTY;
        for slider in rooks | bishops {
            let between = attacks::between(king, slider) & occupied;
            if !between.more_than_one() {
                screens |= between & own;
            }
        }
        Self {
            king,
            knight: attacks::knight_attacks(king),
            bishop,
            rook,
            pawn: attacks::pawn_attacks(us.other(), king),
            screens,
        }
    }

    fn squares(&self, role: Role) -> Bitboard {
        match role {
            Role::Knight => self.knight,
            Role::Bishop => self.bishop,
            Role::Rook => self.rook,
            Role::Queen => self.bishop | self.rook,
            Role::Pawn => self.pawn,
            Role::King => Bitboard::EMPTY,
        }
    }

    /// Whether a legal move of the position gives check.
    pub fn given_by(&self, chess: &Chess, m: ChessMove) -> bool {
        match m {
            ChessMove::Normal { role, from, to, promotion: None, .. } => {
                self.squares(role).contains(to)
                    || self.screens.contains(from) && !attacks::aligned(self.king, from, to)
            }
            _ => {
                let mut next = chess.clone();
                next.play_unchecked(m);
                next.is_check()
            }
        }
    }
}

/// Whether the side to move, which is in check, is mated. What is not in check may be called mated
/// where it is stalemated.
pub fn is_mated(chess: &Chess) -> bool {
    flight_squares(chess).next().is_none() && chess.legal_moves().is_empty()
}

/// The squares that the king of the side to move may step to, those of its castlings apart.
fn flight_squares(chess: &Chess) -> impl Iterator<Item = Square> {
    let (board, us) = (chess.board(), chess.side_to_move());
    let king = board.king(us).expect("a king each");
    let without_king = board.occupied().without(king);
    let near = attacks::king_attacks(king) & !board.men_of(us);
    near.into_iter().filter(move |&to| board.attackers(to, us.other(), without_king).is_empty())
}

/// Whether the king of the side to move may step to more squares than so many: its flights. Some 10 ns for
/// each square that is looked at.
pub(super) fn has_more_flights(chess: &Chess, most: u8) -> bool {
    flight_squares(chess).nth(usize::from(most)).is_some()
}

/// A move that mates at once, if there is one. Usually well under a microsecond: only moves that
/// give check are made.
pub fn mate_in_one(chess: &Chess) -> Option<ChessMove> {
    each_check(chess, &mut |_, next| is_mated(next))
}

/// Visits the legal moves that give check, each with the position after it, until one is accepted: that
/// move. A pawn promotes to queen and knight only: a rook or bishop never mates where a queen does not.
pub(super) fn each_check(
    chess: &Chess,
    accepts: &mut impl FnMut(ChessMove, &Chess) -> bool,
) -> Option<ChessMove> {
    let (board, us) = (chess.board(), chess.side_to_move());
    let checks = Checks::new(chess);
    let (occupied, own) = (board.occupied(), board.men_of(us));
    let mut is_accepted = |m: ChessMove| after_check(chess, us, m).is_some_and(|c| accepts(m, &c));
    for from in own & !board.pawns() {
        let role = board.role_at(from).expect("an own man");
        let reach = attacks::attacks(from, Piece::new(us, role), occupied) & !own & !board.kings();
        let aims = if checks.screens.contains(from) {
            reach & (checks.squares(role) | !attacks::ray(checks.king, from))
        } else {
            reach & checks.squares(role)
        };
        for to in aims {
            let m =
                ChessMove::Normal { role, from, capture: board.role_at(to), to, promotion: None };
            if is_accepted(m) {
                return Some(m);
            }
        }
    }
    if let Some(m) = pawn_check(chess, &checks, &mut is_accepted) {
        return Some(m);
    }
    if chess.may_castle(us)
        && let Some(m) = castlings(chess).find(|&m| is_accepted(m))
    {
        return Some(m);
    }
    if chess.maybe_ep_square().is_some() {
        chess.en_passant_moves().into_iter().find(|&m| is_accepted(m))
    } else {
        None
    }
}

fn castlings(chess: &Chess) -> impl Iterator<Item = ChessMove> {
    chess.legal_moves().into_iter().filter(|m| m.is_castle())
}

/// A check by a pawn, other than en passant, that is accepted.
fn pawn_check(
    chess: &Chess,
    checks: &Checks,
    is_accepted: &mut impl FnMut(ChessMove) -> bool,
) -> Option<ChessMove> {
    let (board, us) = (chess.board(), chess.side_to_move());
    let last = if us == Side::White { Rank::Eighth } else { Rank::First };
    let home = if us == Side::White { Rank::Second } else { Rank::Seventh };
    let forward = if us == Side::White { 8 } else { -8 };
    for from in board.pawns() & board.men_of(us) {
        let mut reach = attacks::pawn_attacks(us, from) & board.men_of(us.other()) & !board.kings();
        let step = from.offset(forward).expect("no pawn on the last rank");
        if !board.occupied().contains(step) {
            reach.add(step);
            if from.rank() == home {
                let double = step.offset(forward).expect("inside the board");
                if !board.occupied().contains(double) {
                    reach.add(double);
                }
            }
        }
        let promotes = step.rank() == last;
        if !promotes && !checks.screens.contains(from) {
            reach &= checks.pawn;
        }
        for to in reach {
            let m = |promotion| ChessMove::Normal {
                role: Role::Pawn,
                from,
                capture: board.role_at(to),
                to,
                promotion,
            };
            let roles: &[Option<Role>] =
                if promotes { &[Some(Role::Queen), Some(Role::Knight)] } else { &[None] };
            if let Some(&role) = roles.iter().find(|&&role| is_accepted(m(role))) {
                return Some(m(role));
            }
        }
    }
    None
}

/// The position after a pseudo-legal move, if that leaves our king safe and gives check.
fn after_check(chess: &Chess, us: Side, m: ChessMove) -> Option<Chess> {
    let mut next = chess.clone();
    next.play_unchecked(m);
    let board = next.board();
    let own_king = board.king(us).expect("a king each");
    let is_check =
        next.is_check() && board.attackers(own_king, us.other(), board.occupied()).is_empty();
    is_check.then_some(next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::board::Board;

    fn walk(chess: &Chess, depth: u32) {
        let checks = Checks::new(chess);
        let legal = chess.legal_moves();
        let mut mate = false;
        for &m in &legal {
            let mut next = chess.clone();
            next.play_unchecked(m);
            assert_eq!(checks.given_by(chess, m), next.is_check(), "{chess:?} {m:?}");
            mate |= next.is_checkmate();
            if next.is_check() {
                assert_eq!(is_mated(&next), next.is_checkmate());
            }
            if depth > 0 {
                walk(&next, depth - 1);
            }
        }
        let found = mate_in_one(chess);
        assert_eq!(found.is_some(), mate, "{chess:?}");
        if let Some(m) = found {
            assert!(legal.contains(&m), "{chess:?} {m:?}");
        }
    }

    #[test]
    fn checks_and_mates_in_one_agree_with_making_every_move() {
        for (fen, depth) in [
            ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -", 2),
            ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -", 3),
            ("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - -", 2),
            ("6k1/8/6KP/8/8/8/8/7R w - -", 3),
            ("5k2/7R/5K2/8/8/8/8/4R3 w - -", 2),
            ("8/8/8/8/8/8/5k1p/4R2K b - -", 3),
            ("3k4/8/3K4/8/8/8/8/R3R3 w - -", 2),
            ("8/8/8/8/4k3/8/1P6/R3K2R w KQ -", 2),
            ("7k/5P2/6K1/8/8/8/8/8 w - -", 3),
            ("5rk1/5p1p/7N/8/8/8/8/K5R1 b - -", 2),
        ] {
            walk(Board::from_fen(fen).unwrap().chess(), depth);
        }
    }
}
