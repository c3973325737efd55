//! What the tables say about the positions of a row.

use crate::chess::board::{Board, Piece, code_of, move_of};
use crate::chess::{Move, Outcome, Side, Value, Vector, code, fen};
use crate::limits::Budget;
use crate::tables::{Material, TableError, Tables};

use super::class::{Class, men};
use super::row::{Answer, Play, Row};

/// A position in which a row is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// The row's number in its class, from 1.
    pub row: usize,
    /// The position.
    pub fen: String,
    /// What is wrong.
    pub what: String,
}

/// What the tables say of one position with one side to move.
#[derive(Debug, Clone, Default)]
pub(super) struct Truth {
    /// Who wins; none: not legal.
    pub(super) outcome: Option<Outcome>,
    /// The moves that keep the value of a position that is not lost, with the plies to mate of
    /// those that win.
    pub(super) keep: Vec<(Play, u32)>,
    /// Every legal move keeps it (or it is lost, or over).
    pub(super) free: bool,
}

/// The board of men on these L; none if that is no legal position.
pub(super) fn board_of(pieces: &[Piece], men: &[u8], to_move: Side) -> Option<Board> {
    let mut y = Vector::EMPTY;
    for (&piece, &l) in pieces.iter().zip(men) {
        y[usize::from(l)] = code_of(piece);
    }
    y[0] = to_move.pick(0, 1);
    Board::from_vector(&y).ok()
}

/// A move by the man's place in the row.
fn play(m: Move, men: &[u8]) -> Option<Play> {
    let man = men.iter().position(|&l| l == m.from() + 1)? as u8;
    let under = if m.promotion() == code::QUEEN { 0 } else { m.promotion() };
    Some(Play { man, delta: m.to() as i8 - m.from() as i8, under })
}

/// Asks the tables, which must be at hand. About 5 µs.
pub(super) fn truth(
    tables: &Tables,
    pieces: &[Piece],
    men: &[u8],
    to_move: Side,
) -> Result<Truth, TableError> {
    let Some(board) = board_of(pieces, men, to_move) else { return Ok(Truth::default()) };
    let Some(value) = tables.probe(&board)? else { return Ok(Truth::default()) };
    let outcome = value.outcome();
    let mut truth = Truth { outcome: Some(outcome), keep: Vec::new(), free: true };
    if outcome == Outcome::Wins(to_move.other()) {
        return Ok(truth);
    }
    for m in &board.legal_moves() {
        let after = tables.probe(&board.after(*m))?.map(Value::before);
        match after {
            Some(after) if after.outcome() == outcome => {
                let plies = after.plies().unwrap_or(0);
                truth.keep.extend(play(move_of(m), men).map(|play| (play, plies)));
            }
            _ => truth.free = false,
        }
    }
    Ok(truth)
}

/// What is wrong with an answer, if anything.
fn fault(answer: Answer, truth: &Truth, mover: Side) -> Option<String> {
    let word = |outcome: Option<Outcome>| outcome.map_or("no legal position", |o| o.word(mover));
    if answer.outcome != truth.outcome {
        let (said, is) = (word(answer.outcome), word(truth.outcome));
        return Some(format!("the row says {said}, it is {is}"));
    }
    let keeps = |play: Play| truth.keep.iter().any(|(kept, _)| *kept == play);
    answer
        .play
        .filter(|&play| !keeps(play))
        .map(|play| format!("the move {play} does not keep the value"))
}

fn check_row(
    tables: &Tables,
    pieces: &[Piece],
    row: &Row,
) -> Result<Option<(String, String)>, TableError> {
    let frame = row.frame(pieces);
    for shift in frame.shifts() {
        let Some(subset) = row.parts[frame.part(&row.formula, shift)] else { continue };
        let men: Vec<u8> = row.men.iter().map(|&l| shift.apply(l)).collect();
        for (side, answer) in [(Side::White, subset.white), (Side::Black, subset.black)] {
            if let Some(what) = fault(answer, &truth(tables, pieces, &men, side)?, side) {
                let board =
                    board_of(pieces, &men, side).or_else(|| board_of(pieces, &men, side.other()));
                let position =
                    board.map_or_else(|| format!("{men:?}"), |board| fen(&board.vector()));
                return Ok(Some((position, what)));
            }
        }
    }
    Ok(None)
}

/// The rows of a class that contradict the tables, each with the first position in which it does.
///
/// # Errors
/// As [`Tables::ensure`].
pub fn contradictions(
    tables: &Tables,
    class: &Class,
    budget: &Budget,
) -> Result<Vec<Contradiction>, TableError> {
    prepare(tables, class.material, budget)?;
    let pieces = men(class.material);
    let mut found = Vec::new();
    for (at, row) in class.rows.iter().enumerate() {
        budget.check(0, 0).map_err(TableError::Stopped)?;
        if let Some((fen, what)) = check_row(tables, &pieces, row)? {
            found.push(Contradiction { row: at + 1, fen, what });
        }
    }
    Ok(found)
}

/// Makes the tables of a material at hand, and those one move away.
pub(super) fn prepare(
    tables: &Tables,
    material: Material,
    budget: &Budget,
) -> Result<(), TableError> {
    material.closure().into_iter().try_for_each(|m| tables.ensure(m, budget))
}

impl Class {
    /// The positions its rows stand for, symmetric images not counted.
    pub fn positions(&self) -> usize {
        let pieces = men(self.material);
        self.rows.iter().map(|row| row.sizes(&pieces).iter().sum::<usize>()).sum()
    }
}

impl Row {
    /// The sizes of the four parts; 0 where a part is not known.
    pub fn sizes(&self, pieces: &[Piece]) -> [usize; 4] {
        let frame = self.frame(pieces);
        let mut sizes = [0; 4];
        for shift in frame.shifts() {
            let part = frame.part(&self.formula, shift);
            sizes[part] += usize::from(self.parts[part].is_some());
        }
        sizes
    }
}
