//! FEN ↔ y (docs/theory.md §2): the four fields that a certificate has.

use super::legal::{PositionError, check_input};
use super::moves::en_passant_possible;
use super::vector::{Profile, Vector, code};

/// Why a text is no position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FenFault {
    /// Not four fields, separated by one space.
    Fields,
    /// Not eight ranks of eight squares, or a letter that is no piece.
    Board,
    /// A side to move other than w and b.
    Side,
    /// A castling field other than `-` or letters of KQkq, each at most once.
    Castling,
    /// An en-passant field other than `-` or a square on the rank that a pawn has just passed.
    EnPassant,
    /// The fields are well formed, the position is not legal.
    Position(PositionError),
}

impl std::fmt::Display for FenFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Fields => "it has not four fields",
            Self::Board => "the board is not 8 ranks of 8 squares",
            Self::Side => "the side to move is not w or b",
            Self::Castling => "the castling field is not - or letters of KQkq",
            Self::EnPassant => "the en-passant field is not - or a square behind the pawn",
            Self::Position(fault) => return fault.fmt(f),
        })
    }
}

/// Reads the four fields of a FEN. In `fide` an en-passant mark that allows no legal capture is
/// dropped.
///
/// # Errors
/// The first fault found, in the order of the fields, then of [`check_input`].
pub fn parse_fen(text: &str, profile: Profile) -> Result<Vector, FenFault> {
    let fields: Vec<&str> = text.split(' ').collect();
    let [board, side, rights, passed] = fields[..] else { return Err(FenFault::Fields) };
    let mut y = Vector::EMPTY;
    place_men(&mut y, board).ok_or(FenFault::Board)?;
    y[0] = match side {
        "w" => 0,
        "b" => 1,
        _ => return Err(FenFault::Side),
    };
    (y[67], y[68]) = castling(rights).ok_or(FenFault::Castling)?;
    match (y.white_to_move(), passed.as_bytes()) {
        (_, b"-") => {}
        (true, [file @ b'a'..=b'h', b'6']) => y[66] = file - b'a' + 1,
        (false, [file @ b'a'..=b'h', b'3']) => y[65] = file - b'a' + 1,
        _ => return Err(FenFault::EnPassant),
    }
    check_input(&y).map_err(FenFault::Position)?;
    if profile == Profile::Fide && !en_passant_possible(&y) {
        (y[65], y[66]) = (0, 0);
    }
    Ok(y)
}

fn place_men(y: &mut Vector, board: &str) -> Option<()> {
    let ranks: Vec<&str> = board.split('/').collect();
    if ranks.len() != 8 {
        return None;
    }
    for (first, rank) in (0..64).step_by(8).rev().zip(ranks) {
        let mut file = 0;
        for letter in rank.bytes() {
            if let b'1'..=b'8' = letter {
                file += usize::from(letter - b'0');
            } else {
                let piece = code::LETTERS.iter().position(|&l| l == letter)?;
                file += 1;
                if file <= 8 {
                    y[first + file] = piece as u8 + 1;
                }
            }
        }
        if file != 8 {
            return None;
        }
    }
    Some(())
}

fn castling(field: &str) -> Option<(u8, u8)> {
    let mut rights = [0u8; 4];
    if field != "-" {
        for letter in field.chars() {
            let at = "QKqk".find(letter).filter(|&at| rights[at] == 0)?;
            rights[at] = 1;
        }
    }
    Some((rights[0] + 2 * rights[1], rights[2] + 2 * rights[3]))
}

/// The FEN of y without counters: `8/8/… w KQkq e6`. Inverse of [`parse_fen`] for `fide` vectors;
/// of a `paper` vector the stale mark of the side to move is lost.
pub fn fen(y: &Vector) -> String {
    let mut text = String::with_capacity(72);
    for rank in (0..8).rev() {
        let mut empty = 0u8;
        for file in 1..=9 {
            let there = if file <= 8 { y[8 * rank + file] } else { code::EMPTY };
            if empty > 0 && (there != code::EMPTY || file == 9) {
                text.push((b'0' + empty) as char);
                empty = 0;
            }
            match there {
                code::EMPTY => empty += 1,
                c => text.push(code::LETTERS[c as usize - 1] as char),
            }
        }
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
