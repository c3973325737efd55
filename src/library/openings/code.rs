//! Moves with their values as printed: ±rmn, r the value, m and n the squares left and reached (1 =
//! a1 … 64 = h8): +21929 is Nc3–e4 with a decisive advantage for White.
//!
//! The source gives castling, and captures en passant, "special codes" without saying which. Here n
//! says what is special: 65 short and 66 long castling, 70 + file a capture en passant to that
//! file, 80 + 4·(files to the right + 1) + piece (0 queen, 1 rook, 2 bishop, 3 knight) a promotion.

use std::fmt;
use std::str::FromStr;

use crate::chess::board::{Board, ChessMove, Role, move_of};

/// A move with its value, coded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MoveCode {
    /// −2 Black has a decisive advantage, −1 Black is better, 0 equal, 1 White is better, 2 a
    /// decisive advantage.
    pub value: i8,
    /// The square left, 1 to 64.
    pub m: u8,
    /// The square reached, 1 to 64, or a special code.
    pub n: u8,
}

/// The text is no coded move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "not a coded move (±r, then two digits each for the squares left and reached: +21929, -11522, 00105)"
)]
pub struct CodeError;

const SHORT: u8 = 65;
const LONG: u8 = 66;
const PASSANT: u8 = 70;
const PROMOTION: u8 = 80;
const ROLES: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];

impl MoveCode {
    /// The code of a legal move.
    pub fn new(m: &ChessMove, value: i8) -> Self {
        let plain = move_of(m);
        let file = |square: u8| square % 8;
        let n = match *m {
            ChessMove::Castle { king, rook } => {
                if rook > king {
                    SHORT
                } else {
                    LONG
                }
            }
            ChessMove::EnPassant { to, .. } => PASSANT + to.file() as u8 + 1,
            _ => match m.promotion().and_then(|role| ROLES.iter().position(|&r| r == role)) {
                Some(piece) => {
                    PROMOTION + 4 * (file(plain.to()) + 1 - file(plain.from())) + piece as u8
                }
                None => plain.to() + 1,
            },
        };
        Self { value, m: plain.from() + 1, n }
    }

    /// The legal move of this code in a position.
    pub fn decode(self, board: &Board) -> Option<ChessMove> {
        let same = |m: &&ChessMove| {
            let code = Self::new(m, self.value);
            (code.m, code.n) == (self.m, self.n)
        };
        board.legal_moves().iter().find(same).copied()
    }

    /// The code as a number, ±rmmnn.
    pub fn number(self) -> i32 {
        let squares = 100 * i32::from(self.m) + i32::from(self.n);
        let value = 10_000 * i32::from(self.value.unsigned_abs()) + squares;
        if self.value < 0 { -value } else { value }
    }
}

impl fmt::Display for MoveCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.value.signum() {
            -1 => "-",
            1 => "+",
            _ => "",
        };
        write!(f, "{sign}{}{:02}{:02}", self.value.unsigned_abs(), self.m, self.n)
    }
}

impl FromStr for MoveCode {
    type Err = CodeError;

    fn from_str(text: &str) -> Result<Self, CodeError> {
        let digits = text.trim_start_matches(['+', '-']);
        if digits.len() != 5 || !digits.bytes().all(|b| b.is_ascii_digit()) || text.len() > 6 {
            return Err(CodeError);
        }
        let number =
            |range: std::ops::Range<usize>| digits[range].parse::<u8>().map_err(|_| CodeError);
        let (value, m, n) = (number(0..1)? as i8, number(1..3)?, number(3..5)?);
        let signed = text.len() == 6;
        let known =
            (1..=64).contains(&n) && n != m || matches!(n, SHORT | LONG | 71..=78 | 80..=91);
        if value > 2 || (value != 0) != signed || !(1..=64).contains(&m) || !known {
            return Err(CodeError);
        }
        Ok(Self { value: if text.starts_with('-') { -value } else { value }, m, n })
    }
}
