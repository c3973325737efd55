//! N. A. Krinitsky's position code, 194 bits, in the canonical form of docs/theory.md §12 (preface
//! of M. M. Botvinnik, *On the cybernetic goal of the game*, 1975).
//!
//! The side to move is always White: with Black to move the position is turned (ranks reflected,
//! colours exchanged). 64 bits say which squares a1, b1, … h8 are occupied; four bits a man say
//! what stands there; then one bit for Black's and one for White's right to castle, each present
//! only where it exists; zeros to the end.

use super::en_passant_possible;
use super::{PositionError, check_input};
use super::{Vector, code};

/// The length of a code in bits.
const BITS: usize = 194;

/// A position in Krinitsky's code, and whether the board was turned. 26 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KrinitskyCode {
    bytes: [u8; 25],
    /// Whether Black was to move, so that the code shows the mirrored position.
    pub turned: bool,
}

/// Why bits are no canonical code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CodeError {
    /// Not 194 characters 0 and 1.
    #[error("a code has 194 binary digits")]
    Length,
    /// More men than the code holds.
    #[error("more than 32 squares are occupied")]
    TooManyMen,
    /// 0010: White's pawn cannot be taken en passant with White to move.
    #[error("a white pawn is marked for en passant, and White is to move")]
    WhiteMark,
    /// Two pawns marked, or a mark that allows no capture.
    #[error("the en-passant mark is not the canonical one")]
    Mark,
    /// An unmoved rook off its home corner, or without its king at home.
    #[error("an unmoved rook stands where no castling right can exist")]
    Rook,
    /// A castling bit that contradicts the rooks, or bits after the end.
    #[error("castling bits or padding are not canonical")]
    Tail,
    /// The code describes an illegal position.
    #[error(transparent)]
    Position(#[from] PositionError),
}

/// White's plain codes in the order K Q R B N P; Black's are one more.
const PLAIN: [u8; 6] = [0b1110, 0b1100, 0b1000, 0b0110, 0b0100, 0b0000];
const MARKED_WHITE_PAWN: u8 = 0b0010;
const MARKED_BLACK_PAWN: u8 = 0b0011;
const UNMOVED_ROOK: u8 = 0b1010;

/// (square of the rook, component of the right, its bit, the king's home square).
const CASTLING: [(usize, usize, u8, usize); 4] =
    [(1, 67, 1, 5), (8, 67, 2, 5), (57, 68, 1, 61), (64, 68, 2, 61)];

struct Writer {
    bytes: [u8; 25],
    at: usize,
}

impl Writer {
    fn push(&mut self, bit: bool) {
        if bit {
            self.bytes[self.at / 8] |= 0x80 >> (self.at % 8);
        }
        self.at += 1;
    }
}

impl KrinitskyCode {
    /// The code of a legal `fide` position.
    ///
    /// # Errors
    /// When the position breaks an input invariant.
    pub fn encode(y: &Vector) -> Result<Self, PositionError> {
        check_input(y)?;
        let turned = !y.white_to_move();
        let seen = if turned { y.mirrored() } else { *y };
        let mut out = Writer { bytes: [0; 25], at: 0 };
        (1..=64).for_each(|i| out.push(seen[i] != code::EMPTY));
        for i in (1..=64).filter(|&i| seen[i] != code::EMPTY) {
            let four = code_at(&seen, i);
            (0..4).rev().for_each(|b| out.push(four >> b & 1 == 1));
        }
        for rights in [seen[68], seen[67]] {
            if rights != 0 {
                out.push(true);
            }
        }
        Ok(Self { bytes: out.bytes, turned })
    }

    /// The position. Inverse of [`KrinitskyCode::encode`].
    ///
    /// # Errors
    /// Whatever is not canonical or not legal.
    pub fn decode(&self) -> Result<Vector, CodeError> {
        let bit = |at: usize| self.bytes[at / 8] >> (7 - at % 8) & 1;
        let occupied: Vec<usize> = (1..=64).filter(|&i| bit(i - 1) == 1).collect();
        if occupied.len() > 32 {
            return Err(CodeError::TooManyMen);
        }
        let mut y = Vector::EMPTY;
        for (k, &i) in occupied.iter().enumerate() {
            let four = (0..4).fold(0, |value, b| value << 1 | bit(64 + 4 * k + b));
            put_code(&mut y, i, four)?;
        }
        check_rooks(&y)?;
        check_input(&y)?;
        if y[66] != 0 && !en_passant_possible(&y) {
            return Err(CodeError::Mark);
        }
        // Castling bits and padding: the canonical code of the position is the only one accepted.
        if Self::encode(&y)?.bytes != self.bytes {
            return Err(CodeError::Tail);
        }
        Ok(if self.turned { y.mirrored() } else { y })
    }

    /// Reads 194 binary digits.
    ///
    /// # Errors
    /// [`CodeError::Length`] for any other text.
    pub fn from_digits(digits: &str, turned: bool) -> Result<Self, CodeError> {
        if digits.len() != BITS {
            return Err(CodeError::Length);
        }
        let mut out = Writer { bytes: [0; 25], at: 0 };
        for digit in digits.bytes() {
            match digit {
                b'0' | b'1' => out.push(digit == b'1'),
                _ => return Err(CodeError::Length),
            }
        }
        Ok(Self { bytes: out.bytes, turned })
    }

    /// The 194 bits, first bit in the highest place of the first byte; the last six bits are zero.
    pub fn bytes(&self) -> &[u8; 25] {
        &self.bytes
    }
}

/// The 194 binary digits.
impl std::fmt::Display for KrinitskyCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (0..BITS).try_for_each(|at| write!(f, "{}", self.bytes[at / 8] >> (7 - at % 8) & 1))
    }
}

fn code_at(y: &Vector, i: usize) -> u8 {
    let c = y[i];
    let castles = CASTLING.iter().any(|&(square, j, right, _)| square == i && y[j] & right != 0);
    let black = u8::from(c > code::BLACK);
    if castles {
        UNMOVED_ROOK + black
    } else if y[66] != 0 && i == 32 + y[66] as usize {
        MARKED_BLACK_PAWN
    } else {
        PLAIN[(c as usize - 1) % 6] + black
    }
}

fn put_code(y: &mut Vector, i: usize, four: u8) -> Result<(), CodeError> {
    let colour = if four & 1 == 1 { code::BLACK } else { 0 };
    y[i] = match four {
        MARKED_WHITE_PAWN => return Err(CodeError::WhiteMark),
        MARKED_BLACK_PAWN => {
            if y[66] != 0 || super::xg(i) != 5 {
                return Err(CodeError::Mark);
            }
            y[66] = super::xv(i) as u8;
            code::BLACK + code::PAWN
        }
        _ if four & !1 == UNMOVED_ROOK => {
            let home =
                CASTLING.iter().find(|&&(square, j, ..)| square == i && (j == 68) == (colour != 0));
            let &(_, j, right, _) = home.ok_or(CodeError::Rook)?;
            y[j] |= right;
            code::ROOK + colour
        }
        _ => {
            let at =
                PLAIN.iter().position(|&p| p == four & !1).expect("all sixteen codes are covered");
            at as u8 + 1 + colour
        }
    };
    Ok(())
}

fn check_rooks(y: &Vector) -> Result<(), CodeError> {
    let stray = CASTLING.iter().any(|&(_, j, right, king)| {
        let colour = if j == 68 { code::BLACK } else { 0 };
        y[j] & right != 0 && y[king] != code::KING + colour
    });
    if stray { Err(CodeError::Rook) } else { Ok(()) }
}
