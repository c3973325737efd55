//! A book by position: what to play, and how likely.

use std::collections::BTreeMap;

use crate::chess::board::{Board, ChessMove, move_of};
use crate::chess::{Move, Side};

use super::tree::Tree;

/// A move of a book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BookMove {
    /// The move; castling as the king's move onto its own rook, as Polyglot spells it.
    pub play: Move,
    /// How often it is to be played, relative to the others of its position; 0 never.
    pub weight: u16,
    /// For Polyglot's learning; kept as it was read.
    pub learn: u32,
}

/// A book, by Polyglot's key of the position. 12 bytes a move, and about 40 a position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Book {
    pub(super) positions: BTreeMap<u64, Vec<BookMove>>,
}

/// A legal move in Polyglot's spelling.
fn spelling(m: &ChessMove) -> Move {
    match *m {
        ChessMove::Castle { king, rook } => Move::new(king as u8, rook as u8, 0),
        _ => move_of(m),
    }
}

/// Weight of a move of the best value in its position.
const BEST: u16 = 100;

impl Book {
    /// How many positions it knows.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether it knows none.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// How many moves it knows.
    pub fn moves(&self) -> usize {
        self.positions.values().map(Vec::len).sum()
    }

    /// The book of opening trees: in every position the moves of the best value for the side to
    /// move have the same weight, the others none. Where lines of several trees meet, the best
    /// value of each move counts.
    pub fn of_trees(trees: &[Tree]) -> Self {
        let mut values: BTreeMap<u64, (Side, Vec<(Move, i8)>)> = BTreeMap::new();
        for tree in trees {
            let walked = tree.walk(|board, i, m| {
                let side = board.side_to_move();
                let (_, known) = values.entry(board.polyglot_key()).or_insert((side, Vec::new()));
                let (play, value) = (spelling(m), tree.lib(i).value);
                match known.iter_mut().find(|(known, _)| *known == play) {
                    Some((_, best)) => *best = side.pick((*best).max(value), (*best).min(value)),
                    None => known.push((play, value)),
                }
            });
            debug_assert!(walked.is_ok(), "a tree holds legal moves");
        }
        let weighed = |(key, (side, moves)): (u64, (Side, Vec<(Move, i8)>))| {
            let good = |value: i8| side.pick(value, -value);
            let best = moves.iter().map(|&(_, value)| good(value)).max();
            let weight = |value| if Some(good(value)) == best { BEST } else { 0 };
            let list = moves
                .into_iter()
                .map(|(play, v)| BookMove { play, weight: weight(v), learn: 0 })
                .collect();
            (key, list)
        };
        Self { positions: values.into_iter().map(weighed).collect() }
    }

    /// The legal book moves of a position with their weights, heaviest first.
    pub fn moves_of(&self, board: &Board) -> Vec<(ChessMove, u16)> {
        let Some(known) = self.positions.get(&board.polyglot_key()) else { return Vec::new() };
        let legal = board.legal_moves();
        let of = |entry: &BookMove| {
            let m = legal.iter().find(|m| spelling(m) == entry.play)?;
            Some((*m, entry.weight))
        };
        let mut found: Vec<(ChessMove, u16)> = known.iter().filter_map(of).collect();
        found.sort_by_key(|&(_, weight)| std::cmp::Reverse(weight));
        found
    }

    /// A move of the book, drawn by weight with the given random number; none out of the book.
    pub fn choose(&self, board: &Board, random: u64) -> Option<ChessMove> {
        let moves = self.moves_of(board);
        let sum: u64 = moves.iter().map(|&(_, weight)| u64::from(weight)).sum();
        let mut at = random.checked_rem(sum)?;
        for (m, weight) in moves {
            match at.checked_sub(u64::from(weight)) {
                Some(rest) => at = rest,
                None => return Some(m),
            }
        }
        None
    }
}
