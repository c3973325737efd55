//! A position with its hash key, kept up to date move by move.
//!
//! # References
//! A. L. Zobrist, *A new hashing method with application for game playing*, 1970.

use super::prospect::Style;
use crate::chess::Side;
use crate::chess::board::{Board, BySide, Chess, ChessMove, File, Position, Role, Sides, Square};

/// A position and its 64-bit key (about 140 bytes, copied at every move). Equal positions in the
/// `fide` sense have equal keys; different ones share a key with probability 2⁻⁶⁴.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) board: Board,
    pub(super) key: u64,
    /// 1..=8 while an en-passant capture is legal on that file, else 0.
    mark: u8,
}

const fn splitmix(seed: u64) -> u64 {
    let mut z = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x1234_5678_9abc_def1);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Keys of the twelve men on the 64 squares, then 64 for castling rooks, then 9 for en-passant
/// files.
static KEYS: [u64; 14 * 64] = {
    let mut keys = [0; 14 * 64];
    let mut i = 0;
    while i < keys.len() {
        keys[i] = splitmix(i as u64 + 1);
        i += 1;
    }
    keys[13 * 64] = 0; // no mark
    keys
};
const BLACK_TO_MOVE: u64 = splitmix(0x7e7a);
const BLACK_ATTACKS: u64 = splitmix(0x7e7b);
const FOR_MATERIAL: u64 = splitmix(0x7e7c);
const FOR_THREATS: u64 = splitmix(0x7e7d);
const FOR_PRESSING: u64 = splitmix(0x7e7e);
const FOR_FLIGHTS: u64 = 0xf119;

fn man(side: Side, role: Role, at: Square) -> u64 {
    KEYS[(side.pick(6, 0) + role as usize - 1) * 64 + at as usize]
}

fn mark(file: u8) -> u64 {
    KEYS[13 * 64 + file as usize]
}

/// What the key of a position in a game with so few flights has beside that in the game of all moves.
pub(super) fn with_flights(flights: Option<u8>) -> u64 {
    flights.map_or(0, |most| splitmix(FOR_FLIGHTS + u64::from(most)))
}

fn legal_mark(chess: &Chess) -> u8 {
    if chess.maybe_ep_square().is_none() {
        0
    } else {
        chess.legal_ep_square().map_or(0, |s| s.file() as u8 + 1)
    }
}

impl Node {
    /// The position as a question about one attacker, asked in one style, who may leave so many flights:
    /// what is learned of other questions has other keys.
    pub(super) fn attacked_by(
        board: &Board,
        attacker: Side,
        style: Style,
        flights: Option<u8>,
    ) -> Self {
        let mut node = Self::with_white_attacking(board.clone());
        if attacker == Side::Black {
            node.key ^= BLACK_ATTACKS;
        }
        node.key ^= match style {
            Style::Sharp => 0,
            Style::Threats => FOR_THREATS,
            Style::Material => FOR_MATERIAL,
            Style::Pressing => FOR_PRESSING,
        };
        node.key ^= with_flights(flights);
        node
    }

    pub(super) fn chess(&self) -> &Chess {
        self.board.chess()
    }

    fn with_white_attacking(board: Board) -> Self {
        let chess = board.chess();
        let mark_file = legal_mark(chess);
        let mut key = mark(mark_file);
        for (square, piece) in chess.board().men() {
            key ^= man(piece.side, piece.role, square);
        }
        for rook in chess.castles().castling_rights() {
            key ^= KEYS[12 * 64 + rook as usize];
        }
        if chess.side_to_move() == Side::Black {
            key ^= BLACK_TO_MOVE;
        }
        Self { board, key, mark: mark_file }
    }

    /// The key of the position after a legal move, without making the move: `None` where rights or
    /// marks may change with it.
    pub(super) fn key_after(&self, m: ChessMove) -> Option<u64> {
        let ChessMove::Normal { role, from, to, capture, promotion } = m else { return None };
        let double = role == Role::Pawn && (from as i32 - to as i32).abs() == 16;
        if double || !self.chess().castles().is_empty() {
            return None;
        }
        let us = self.chess().side_to_move();
        let taken = capture.map_or(0, |taken| man(us.other(), taken, to));
        let moved = man(us, role, from) ^ man(us, promotion.unwrap_or(role), to);
        Some(self.key ^ mark(self.mark) ^ BLACK_TO_MOVE ^ moved ^ taken)
    }

    /// The position after a legal move.
    pub(super) fn after(&self, m: ChessMove) -> Self {
        let us = self.chess().side_to_move();
        let mut key = self.key ^ mark(self.mark) ^ BLACK_TO_MOVE;
        match m {
            ChessMove::Normal { role, from, to, capture, promotion } => {
                key ^= man(us, role, from) ^ man(us, promotion.unwrap_or(role), to);
                if let Some(taken) = capture {
                    key ^= man(us.other(), taken, to);
                }
            }
            ChessMove::EnPassant { from, to } => {
                let taken = Square::from_coords(to.file(), from.rank());
                key ^= man(us, Role::Pawn, from)
                    ^ man(us, Role::Pawn, to)
                    ^ man(us.other(), Role::Pawn, taken);
            }
            ChessMove::Castle { king, rook } => {
                let file = |short, long| if rook > king { short } else { long };
                let square = |file| Square::from_coords(file, king.rank());
                key ^=
                    man(us, Role::King, king) ^ man(us, Role::King, square(file(File::G, File::C)));
                key ^=
                    man(us, Role::Rook, rook) ^ man(us, Role::Rook, square(file(File::F, File::D)));
            }
            ChessMove::Put { .. } => unreachable!("chess has no drops"),
        }
        let board = self.board.after(m);
        let rights = |board: &Board| board.chess().castles().castling_rights();
        for rook in rights(&self.board) ^ rights(&board) {
            key ^= KEYS[12 * 64 + rook as usize];
        }
        let mark_file = legal_mark(board.chess());
        Self { board, key: key ^ mark(mark_file), mark: mark_file }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(node: &Node, attacker: Side, depth: u32) {
        for m in node.board.legal_moves() {
            assert!(node.key_after(m).is_none_or(|key| key == node.after(m).key), "{m:?}");
        }
        assert_eq!(
            node.key,
            Node::attacked_by(&node.board, attacker, Style::Material, None).key,
            "{:?}",
            node.board
        );
        if depth > 0 {
            for m in node.board.legal_moves() {
                walk(&node.after(m), attacker, depth - 1);
            }
        }
    }

    #[test]
    fn the_key_kept_by_moves_is_the_key_from_scratch() {
        for fen in [
            "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6",
            "r3k2r/8/8/8/3pP3/8/8/R3K2R b KQkq e3",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - -",
        ] {
            let board = Board::from_fen(fen).unwrap();
            for attacker in [Side::White, Side::Black] {
                walk(&Node::attacked_by(&board, attacker, Style::Material, None), attacker, 2);
            }
        }
    }

    #[test]
    fn a_mark_without_a_legal_capture_leaves_no_trace_in_the_key() {
        let key = |fen: &str| {
            Node::attacked_by(&Board::from_fen(fen).unwrap(), Side::White, Style::Sharp, None).key
        };
        let pinned = "8/8/8/K2pP2r/8/8/8/7k w - d6"; // the capture would open the fifth rank
        assert_eq!(key(pinned), key("8/8/8/K2pP2r/8/8/8/7k w - -"));
        assert_ne!(key("8/8/8/3pP3/8/K7/8/7k w - d6"), key("8/8/8/3pP3/8/K7/8/7k w - -"));
    }
}
