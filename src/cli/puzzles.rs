//! Puzzles as lichess publishes them:
//! `PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags`.
//!
//! The FEN is the position before the opponent's last move, the first of `Moves`; the rest is the
//! solution. A puzzle becomes a position with EPD operations: `id`, `bm` (the solution's first
//! move), `pv` (all of it), `dm` from the theme `mateIn3`, and `rating`.
//!
//! # References
//! * <https://database.lichess.org/#puzzles>

use theta_chess::chess::board::Board;
use theta_chess::chess::{FenError, Operations, Position, parse_move};

/// What is wrong with a line.
#[derive(Debug, thiserror::Error)]
pub enum PuzzleError {
    /// Fewer columns than the position needs.
    #[error("no FEN and Moves in this line")]
    Columns,
    /// The FEN.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// No solution.
    #[error("the puzzle has no solution: Moves needs the opponent's move and an answer")]
    Unsolved,
    /// A move that cannot be played.
    #[error("`{0}` is not legal")]
    Illegal(String),
}

/// Which column holds what.
#[derive(Debug, Clone)]
pub struct Columns {
    id: Option<usize>,
    fen: usize,
    moves: usize,
    rating: Option<usize>,
    themes: Option<usize>,
}

impl Default for Columns {
    fn default() -> Self {
        Self { id: Some(0), fen: 1, moves: 2, rating: Some(3), themes: Some(7) }
    }
}

impl Columns {
    /// The columns as a header names them; none if the line is no header.
    pub fn of_header(line: &str) -> Option<Self> {
        let names: Vec<&str> = fields(line).collect();
        let at = |name: &str| names.iter().position(|n| n.eq_ignore_ascii_case(name));
        Some(Self {
            id: at("PuzzleId"),
            fen: at("FEN")?,
            moves: at("Moves")?,
            rating: at("Rating"),
            themes: at("Themes"),
        })
    }

    /// The position to solve, after the opponent's move, and what the line says of it.
    pub fn read(&self, line: &str) -> Result<(Position, Operations), PuzzleError> {
        let fields: Vec<&str> = fields(line).collect();
        let field = |at: usize| fields.get(at).copied().filter(|f| !f.is_empty());
        let mut board = Board::from_fen(field(self.fen).ok_or(PuzzleError::Columns)?)?;
        let moves: Vec<&str> = field(self.moves).ok_or(PuzzleError::Columns)?.split(' ').collect();
        let [first, solution @ ..] = moves.as_slice() else { return Err(PuzzleError::Unsolved) };
        let legal = |board: &Board, text: &str| {
            let m = parse_move(text).ok().and_then(|m| board.find(m));
            m.ok_or_else(|| PuzzleError::Illegal(text.to_string()))
        };
        let m = legal(&board, first)?;
        board.play(m);
        let mut operations = Operations::default();
        operations.push("bm", [solution.first().ok_or(PuzzleError::Unsolved)?.to_string()]);
        operations.push("pv", solution.iter().map(ToString::to_string));
        let themes = self.themes.and_then(field).unwrap_or("");
        let mate =
            themes.split(' ').find_map(|theme| theme.strip_prefix("mateIn")?.parse::<u32>().ok());
        // The theme's greatest number stands for "five or more".
        if let Some(moves) = mate.filter(|&moves| moves < 5) {
            operations.push("dm", [moves.to_string()]);
        }
        let mut named = |opcode: &str, column: Option<usize>| {
            if let Some(text) = column.and_then(field) {
                operations.push(opcode, [text.to_string()]);
            }
        };
        named("id", self.id);
        named("rating", self.rating);
        let mut after = board.clone();
        for text in solution {
            let m = legal(&after, text)?;
            after.play(m);
        }
        Ok((Position::from(&board), operations))
    }
}

/// The fields of a line; none of them holds a comma.
fn fields(line: &str) -> impl Iterator<Item = &str> {
    line.trim_end_matches(['\r', '\n'])
        .trim_start_matches('\u{feff}')
        .split(',')
        .map(|field| field.trim().trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    const HEADER: &str =
        "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags";
    const LINE: &str = "000hf,r1bqk2r/pp1nbNp1/2p1p2p/8/2BP4/1PN3P1/P3QP1P/3R1RK1 b kq - 0 19,e8f7 e2e6 f7f8 e6f7,1575,76,92,\
                        656,mate mateIn2 middlegame short,https://lichess.org/71ygsFeE/black#38,";

    #[test]
    fn a_puzzle_is_the_position_after_the_opponents_move() {
        for columns in [Columns::default(), Columns::of_header(HEADER).unwrap()] {
            let (position, operations) = columns.read(LINE).unwrap();
            assert_eq!(
                position.to_string(),
                "r1bq3r/pp1nbkp1/2p1p2p/8/2BP4/1PN3P1/P3QP1P/3R1RK1 w - -"
            );
            assert_eq!(operations.id().as_deref(), Some("000hf"));
            assert_eq!(operations.operands("bm").unwrap(), ["e2e6"]);
            assert_eq!(operations.operands("pv").unwrap(), ["e2e6", "f7f8", "e6f7"]);
            assert_eq!(operations.operands("dm").unwrap(), ["2"]);
            assert_eq!(operations.operands("rating").unwrap(), ["1575"]);
        }
        let turned = Columns::of_header("FEN,Moves,PuzzleId").unwrap();
        assert!(turned.read("7k/8/8/5K2/8/8/6Q1/8 b - - 0 1,h8h7 g2g6,x").is_ok());
        assert!(Columns::of_header(LINE).is_none());
    }

    #[test]
    fn what_is_wrong_is_named() {
        let error = |line: &str| Columns::default().read(line).unwrap_err().to_string();
        assert_eq!(error("x,,"), "no FEN and Moves in this line");
        assert_eq!(
            error(&LINE.replace("e8f7 e2e6 f7f8 e6f7", "e8f7")),
            "the puzzle has no solution: Moves needs the opponent's move and an answer"
        );
        assert_eq!(error(&LINE.replace("e8f7", "e8f6")), "`e8f6` is not legal");
        assert_eq!(error(&LINE.replace("f7f8", "f7f6")), "`f7f6` is not legal");
        assert!(
            error("x,8/8 w - -,e2e4 e7e5").contains("rank")
                || !error("x,8/8 w - -,e2e4 e7e5").is_empty()
        );
    }
}
