//! The collections.

use std::path::Path;
use theta_chess::chess::Board;

/// A position, and what its collection says of it.
pub struct Problem {
    pub fen: String,
    /// The length of its mate in moves.
    pub moves: Option<u16>,
    /// Whether there is none shorter.
    pub is_exact: bool,
}

impl Problem {
    pub fn board(&self) -> Board {
        Board::from_fen(&self.fen).expect("a legal position")
    }
}

/// The positions of a file: `dm` states the length of the shortest mate, `bm #` that of some mate.
pub fn problems(file: &str) -> Vec<Problem> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("positions").join(file);
    let text = std::fs::read_to_string(path).expect("the collection is in positions/");
    let lines = text.lines().filter(|l| !l.starts_with('#') && !l.trim().is_empty());
    let number = |line: &str, word: &str| {
        let (_, rest) = line.split_once(word)?;
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
        Some(digits.parse().expect("a number"))
    };
    lines
        .map(|line| Problem {
            fen: line.split_whitespace().take(4).collect::<Vec<_>>().join(" "),
            moves: number(line, " dm ").or_else(|| number(line, " bm #")),
            is_exact: line.contains(" dm "),
        })
        .collect()
}

/// Mates in 1 to 20 moves, all of stated length.
pub fn mates() -> Vec<Problem> {
    let two = |problem| Problem { moves: Some(2), is_exact: true, ..problem };
    problems("mates_in_2.epd").into_iter().map(two).chain(problems("mates.epd")).collect()
}
