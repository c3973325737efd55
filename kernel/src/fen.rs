//! FEN ↔ y (docs/theory.md §2).

use super::legal::{PositionError, check_input};
use super::moves::en_passant_possible;
use super::vector::{Profile, Vector, code};

/// The most characters of a FEN that is read: 71 for the board, and room for the other fields and
/// spaces.
pub const MAX_LENGTH: usize = 160;

/// Why a text is no position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FenError {
    /// The text is empty.
    Empty,
    /// A byte that no FEN has.
    NotAscii,
    /// Longer than any FEN.
    TooLong,
    /// More than six fields.
    TooManyFields,
    /// The side-to-move field is missing.
    NoSideToMove,
    /// Not eight ranks.
    Ranks(usize),
    /// A rank without exactly eight squares.
    RankLength(usize),
    /// A letter that is no piece.
    Piece(char),
    /// A side to move other than w and b.
    Side(String),
    /// A castling field other than `-` or letters of KQkq, each at most once.
    Castling(String),
    /// An en-passant field other than `-` or a square.
    EnPassantField(String),
    /// An en-passant square on the rank of the wrong side.
    EnPassantRank(String),
    /// A counter that is no number.
    Counter(String),
    /// The fields are well formed, the position is not legal.
    Position(PositionError),
}

impl std::fmt::Display for FenError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Empty => f.write_str("empty FEN"),
            Self::NotAscii => f.write_str("FEN has a character outside printable ASCII"),
            Self::TooLong => write!(f, "FEN is longer than {MAX_LENGTH} characters"),
            Self::TooManyFields => f.write_str("FEN has more than six fields"),
            Self::NoSideToMove => f.write_str("FEN has no side to move"),
            Self::Ranks(n) => write!(f, "the board has not 8 ranks but {n}"),
            Self::RankLength(n) => write!(f, "rank {n} does not have 8 squares"),
            Self::Piece(c) => write!(f, "`{c}` is no piece"),
            Self::Side(s) => write!(f, "side to move is `{s}`, not w or b"),
            Self::Castling(s) => write!(f, "castling field `{s}` is not - or letters of KQkq"),
            Self::EnPassantField(s) => {
                write!(f, "en-passant field `{s}` is not - or a square on rank 3 or 6")
            }
            Self::EnPassantRank(s) => {
                write!(f, "en-passant square `{s}` is on the wrong rank for the side to move")
            }
            Self::Counter(s) => write!(f, "counter `{s}` is not a number"),
            Self::Position(fault) => fault.fmt(f),
        }
    }
}

impl std::error::Error for FenError {}

impl From<PositionError> for FenError {
    fn from(fault: PositionError) -> Self {
        Self::Position(fault)
    }
}

/// Reads a FEN. The two counters may be missing, and castling and en-passant fields too (`-` is
/// assumed). In `fide` an en-passant mark that allows no legal capture is dropped.
///
/// # Errors
/// The first fault found, in the order of the fields, then of [`check_input`].
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
    let mut y = Vector::EMPTY;
    place_men(&mut y, fields[0])?;
    y[0] = match fields.get(1).copied() {
        None => return Err(FenError::NoSideToMove),
        Some("w") => 0,
        Some("b") => 1,
        Some(other) => return Err(FenError::Side(other.to_string())),
    };
    (y[67], y[68]) = castling(field(2))?;
    mark_en_passant(&mut y, field(3))?;
    for counter in fields.iter().skip(4) {
        if counter.parse::<u32>().is_err() {
            return Err(FenError::Counter((*counter).to_string()));
        }
    }
    check_input(&y)?;
    if profile == Profile::Fide && !en_passant_possible(&y) {
        (y[65], y[66]) = (0, 0);
    }
    Ok(y)
}

fn place_men(y: &mut Vector, board: &str) -> Result<(), FenError> {
    let ranks: Vec<&str> = board.split('/').collect();
    if ranks.len() != 8 {
        return Err(FenError::Ranks(ranks.len()));
    }
    for (down, rank) in ranks.iter().enumerate() {
        let first = 8 * (7 - down);
        let mut file = 0;
        for letter in rank.chars() {
            match letter {
                '1'..='8' => file += letter as usize - '0' as usize,
                _ => {
                    let found = code::LETTERS.iter().position(|&l| l as char == letter);
                    let piece = found.ok_or(FenError::Piece(letter))?;
                    file += 1;
                    if file <= 8 {
                        y[first + file] = piece as u8 + 1;
                    }
                }
            }
        }
        if file != 8 {
            return Err(FenError::RankLength(8 - down));
        }
    }
    Ok(())
}

fn castling(field: &str) -> Result<(u8, u8), FenError> {
    let mut rights = [0u8; 4];
    if field != "-" {
        for letter in field.chars() {
            let at = "QKqk".find(letter).filter(|&at| rights[at] == 0);
            rights[at.ok_or_else(|| FenError::Castling(field.to_string()))?] = 1;
        }
    }
    Ok((rights[0] + 2 * rights[1], rights[2] + 2 * rights[3]))
}

fn mark_en_passant(y: &mut Vector, field: &str) -> Result<(), FenError> {
    if field == "-" {
        return Ok(());
    }
    let (file, rank) = match field.as_bytes() {
        [file @ b'a'..=b'h', rank @ (b'3' | b'6')] => (file - b'a' + 1, *rank),
        _ => return Err(FenError::EnPassantField(field.to_string())),
    };
    match (y.white_to_move(), rank) {
        (true, b'6') => y[66] = file,
        (false, b'3') => y[65] = file,
        _ => return Err(FenError::EnPassantRank(field.to_string())),
    }
    Ok(())
}

/// The FEN of y without counters: `8/8/… w KQkq e6`. Inverse of [`parse_fen`] for `fide` vectors;
/// of a `paper` vector the stale mark of the side to move is lost.
pub fn fen(y: &Vector) -> String {
    let mut text = String::with_capacity(72);
    for rank in (0..8).rev() {
        let mut empty = 0;
        for file in 1..=8 {
            match y[8 * rank + file] {
                code::EMPTY => empty += 1,
                c => {
                    push_count(&mut text, &mut empty);
                    text.push(code::LETTERS[c as usize - 1] as char);
                }
            }
        }
        push_count(&mut text, &mut empty);
        if rank > 0 {
            text.push('/');
        }
    }
    text.push_str(if y.white_to_move() { " w " } else { " b " });
    let rights = [(67, 2, 'K'), (67, 1, 'Q'), (68, 2, 'k'), (68, 1, 'q')];
    let before = text.len();
    text.extend(rights.iter().filter(|(j, bit, _)| y[*j] & bit != 0).map(|(_, _, letter)| *letter));
    if text.len() == before {
        text.push('-');
    }
    text.push(' ');
    let (file, rank) = if y.white_to_move() { (y[66], '6') } else { (y[65], '3') };
    if file == 0 {
        text.push('-');
    } else {
        text.push((b'a' + file - 1) as char);
        text.push(rank);
    }
    text
}

fn push_count(text: &mut String, empty: &mut u8) {
    if *empty > 0 {
        text.push((b'0' + *empty) as char);
        *empty = 0;
    }
}
