//! FENs as people write them: fields may be missing, counters may follow, and what is wrong is said
//! exactly. The position itself is read by the kernel.

use super::{PositionError, Profile, Vector};
use theta_kernel::{FenFault, code};

/// The most characters of a FEN that is read: 71 for the board, and room for the other fields and
/// spaces.
const MAX_LENGTH: usize = 160;

/// Why a text is no position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FenError {
    /// The text is empty.
    #[error("empty FEN")]
    Empty,
    /// A byte that no FEN has.
    #[error("FEN has a character outside printable ASCII")]
    NotAscii,
    /// Longer than any FEN.
    #[error("FEN is longer than {MAX_LENGTH} characters")]
    TooLong,
    /// More than six fields.
    #[error("FEN has more than six fields")]
    TooManyFields,
    /// The side-to-move field is missing.
    #[error("FEN has no side to move")]
    NoSideToMove,
    /// Not eight ranks.
    #[error("the board has not 8 ranks but {0}")]
    Ranks(usize),
    /// A rank without exactly eight squares.
    #[error("rank {0} does not have 8 squares")]
    RankLength(usize),
    /// A letter that is no piece.
    #[error("`{0}` is no piece")]
    Piece(char),
    /// A side to move other than w and b.
    #[error("side to move is `{0}`, not w or b")]
    Side(String),
    /// A castling field other than `-` or letters of KQkq, each at most once.
    #[error("castling field `{0}` is not - or letters of KQkq")]
    Castling(String),
    /// An en-passant field other than `-` or a square.
    #[error("en-passant field `{0}` is not - or a square on rank 3 or 6")]
    EnPassantField(String),
    /// An en-passant square on the rank of the wrong side.
    #[error("en-passant square `{0}` is on the wrong rank for the side to move")]
    EnPassantRank(String),
    /// A counter that is no number.
    #[error("counter `{0}` is not a number")]
    Counter(String),
    /// The fields are well formed, the position is not legal.
    #[error(transparent)]
    Position(#[from] PositionError),
}

/// Reads a FEN. The two counters may be missing, and castling and en-passant fields too (`-` is
/// assumed). In `fide` an en-passant mark that allows no legal capture is dropped.
///
/// # Errors
/// The first fault found, in the order of the fields, then of [`super::check_input`].
pub fn parse_fen(text: &str, profile: Profile) -> Result<Vector, FenError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(FenError::Empty);
    }
    if !text.bytes().all(|b| (0x20..0x7f).contains(&b) || b == b'\t') {
        return Err(FenError::NotAscii);
    }
    if text.len() > MAX_LENGTH {
        return Err(FenError::TooLong);
    }
    let fields: Vec<&str> = text.split_ascii_whitespace().collect();
    if fields.len() > 6 {
        return Err(FenError::TooManyFields);
    }
    let field = |k: usize| fields.get(k).copied().unwrap_or("-");
    let four = [field(0), field(1), field(2), field(3)];
    let own = |k: usize| field(k).to_string();
    let read = theta_kernel::parse_fen(&four.join(" "), profile);
    let counter = || fields.iter().skip(4).find(|counter| counter.parse::<u32>().is_err());
    match (read, counter()) {
        (Err(FenFault::Board | FenFault::Fields), _) => Err(board_fault(field(0))),
        (Err(FenFault::Side), _) if fields.len() < 2 => Err(FenError::NoSideToMove),
        (Err(FenFault::Side), _) => Err(FenError::Side(own(1))),
        (Err(FenFault::Castling), _) => Err(FenError::Castling(own(2))),
        (Err(FenFault::EnPassant), _) => Err(match field(3).as_bytes() {
            [b'a'..=b'h', b'3' | b'6'] => FenError::EnPassantRank(own(3)),
            _ => FenError::EnPassantField(own(3)),
        }),
        (_, Some(counter)) => Err(FenError::Counter((*counter).to_string())),
        (Err(FenFault::Position(fault)), None) => Err(fault.into()),
        (Ok(y), None) => Ok(y),
    }
}

/// What is wrong with the field of the men.
fn board_fault(board: &str) -> FenError {
    let ranks: Vec<&str> = board.split('/').collect();
    if ranks.len() != 8 {
        return FenError::Ranks(ranks.len());
    }
    let digit = |letter: char| letter.to_digit(9).filter(|&d| d > 0);
    for (down, rank) in ranks.iter().enumerate() {
        let strange =
            |&c: &char| digit(c).is_none() && !code::LETTERS.iter().any(|&l| char::from(l) == c);
        if let Some(letter) = rank.chars().find(strange) {
            return FenError::Piece(letter);
        }
        if rank.chars().map(|c| digit(c).unwrap_or(1)).sum::<u32>() != 8 {
            return FenError::RankLength(8 - down);
        }
    }
    FenError::Ranks(8)
}
