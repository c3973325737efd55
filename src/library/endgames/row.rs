//! A stored position with its values, as the source codes it and as our files have it.
//!
//! The source's columns: the squares joined in pairs, then for White and for Black to move rmmnn: r
//! = 0 won, 1 drawn, 2 lost for the side to move; from and to squares; 6666 ("b9–b9") where any
//! reasonable move will do. Our files add the partition formula and, for each of the four parts,
//! the values and first moves, a move as a man (its place in the row, from 1) and the difference l1
//! − l0:
//!
//! ```text
//! 1415 4332 01407 13224 | right 1 top 0 | 1 0 1-8 1 4-8 | 4 1 - 1 -
//! ```

use std::fmt;
use std::str::FromStr;

use crate::chess::board::{Piece, Role};
use crate::chess::{Outcome, Side};

use super::set::{Edge, Formula, Frame, Part, Shift};
use super::square::y;

/// "b9–b9": no move need be named.
pub const FREE: u16 = 6666;

/// A first move, wherever the position stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Play {
    /// The man, by its place in the row, from 0.
    pub man: u8,
    /// l1 − l0.
    pub delta: i8,
    /// What a pawn becomes on the last rank if not a queen (White's code: 3 R, 4 B, 5 N); else 0.
    pub under: u8,
}

/// The outcome with one side to move, and its first move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// Who wins; `None`: no legal position with this side to move.
    pub outcome: Option<Outcome>,
    /// The first move; none where it need not be named.
    pub play: Option<Play>,
}

/// What one part of the set has in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subset {
    /// White to move.
    pub white: Answer,
    /// Black to move.
    pub black: Answer,
}

/// A row of a class: a stored position, the partition formula of its set, and the parts that are
/// known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// L of the men: White's king, White's others from the strongest, Black's king, Black's others;
    /// like men by rising L.
    pub men: Vec<u8>,
    /// The partition formula.
    pub formula: Formula,
    /// Parts 1 to 4; none: not known.
    pub parts: [Option<Subset>; 4],
}

/// Why a text is no row.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RowError {
    /// Not the columns that a row has.
    #[error("a row is: squares in pairs, two values, | edges | parts; {0}")]
    Form(String),
    /// The men do not stand where men may stand.
    #[error(
        "the squares {0:?} are not distinct squares 1 to 64 with pawns on ranks 2 to 7, like men in order"
    )]
    Squares(Vec<u8>),
    /// The printed columns do not say what the parts say.
    #[error("the columns `{columns}` contradict part {part}: `{parts}`")]
    Columns {
        /// The two columns.
        columns: String,
        /// What they should be.
        parts: String,
        /// The part of the stored position.
        part: usize,
    },
}

impl Row {
    /// The frame of the set.
    pub fn frame(&self, pieces: &[Piece]) -> Frame {
        Frame::new(&self.men, |at| pieces[at].role == Role::Pawn)
    }

    /// The configuration: Δi = L1 − Li+1.
    pub fn configuration(men: &[u8]) -> impl Iterator<Item = i8> + '_ {
        men[1..].iter().map(|&l| men[0] as i8 - l as i8)
    }

    /// The part of the stored position, and what is known of it.
    pub fn own_part(&self, pieces: &[Piece]) -> (Part, Option<Subset>) {
        let part = self.frame(pieces).part(&self.formula, Shift { dx: 0, dy: 0 });
        (part, self.parts[part])
    }

    /// The number rmmnn of an answer in the stored position, with five digits.
    fn column(&self, answer: Answer, mover: Side) -> String {
        let Some(value) = answer.outcome.map(|outcome| digit(outcome, mover)) else {
            return "-".to_owned();
        };
        match answer.play {
            Some(play) => {
                let from = self.men[usize::from(play.man)];
                format!("{value}{from:02}{:02}", from as i8 + play.delta)
            }
            None => format!("{value}{FREE}"),
        }
    }

    /// The printed coding of the stored position: squares in pairs, then the two values.
    pub fn columns(&self, pieces: &[Piece]) -> Vec<String> {
        let pair = |pair: &[u8]| pair.iter().map(|l| format!("{l:02}")).collect::<String>();
        let mut columns: Vec<String> = self.men.chunks(2).map(pair).collect();
        match self.own_part(pieces).1 {
            Some(own) => columns
                .extend([self.column(own.white, Side::White), self.column(own.black, Side::Black)]),
            None => columns.extend(["-".to_owned(), "-".to_owned()]),
        }
        columns
    }

    /// The text of the row.
    pub fn text(&self, pieces: &[Piece]) -> String {
        let edge = |(edge, width): (Edge, u8), names: [&str; 2]| {
            format!("{} {width}", names[edge as usize])
        };
        let mut text = self.columns(pieces).join(" ");
        let vertical = edge(self.formula.vertical, ["left", "right"]);
        let horizontal = edge(self.formula.horizontal, ["bottom", "top"]);
        text.push_str(&format!(" | {vertical} {horizontal}"));
        for (at, part) in self.parts.iter().enumerate() {
            if let Some(part) = part {
                let (white, black) = (part.white.text(Side::White), part.black.text(Side::Black));
                text.push_str(&format!(" | {} {white} {black}", at + 1));
            }
        }
        text
    }

    /// Reads a row of men of these kinds.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str, pieces: &[Piece]) -> Result<Self, RowError> {
        let form = |what: &str| RowError::Form(what.to_owned());
        let mut fields = text.split('|').map(str::trim);
        let columns: Vec<&str> =
            fields.next().unwrap_or_default().split_ascii_whitespace().collect();
        let pairs = pieces.len().div_ceil(2);
        if columns.len() != pairs + 2 {
            return Err(form(&format!("{} columns, not {}", columns.len(), pairs + 2)));
        }
        let men = men(&columns[..pairs].concat(), pieces)?;
        let formula = formula(fields.next().unwrap_or_default())
            .ok_or_else(|| form("the edges are wrong"))?;
        let mut parts = [None; 4];
        for field in fields {
            let (number, subset) = subset(field)
                .ok_or_else(|| RowError::Form(format!("the part `{field}` is wrong")))?;
            let plays = [subset.white.play, subset.black.play];
            let slot = parts.get_mut(number).filter(|slot| slot.is_none());
            if slot.is_none()
                || plays.iter().flatten().any(|play| usize::from(play.man) >= pieces.len())
            {
                return Err(RowError::Form(format!("the part `{field}` is wrong")));
            }
            parts[number] = Some(subset);
        }
        let row = Self { men, formula, parts };
        let written = columns.join(" ");
        let expected = row.columns(pieces).join(" ");
        if written != expected {
            let part = row.own_part(pieces).0 + 1;
            return Err(RowError::Columns { columns: written, parts: expected, part });
        }
        Ok(row)
    }
}

fn men(digits: &str, pieces: &[Piece]) -> Result<Vec<u8>, RowError> {
    let bad = || {
        RowError::Form(format!(
            "the squares `{digits}` are not {} numbers of two digits",
            pieces.len()
        ))
    };
    if digits.len() != 2 * pieces.len() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(bad());
    }
    let men: Vec<u8> =
        digits.as_bytes().chunks(2).map(|d| 10 * (d[0] - b'0') + d[1] - b'0').collect();
    let fits = |at: usize| {
        let l = men[at];
        let on_board =
            (1..=64).contains(&l) && (pieces[at].role != Role::Pawn || (2..=7).contains(&y(l)));
        on_board
            && !men[..at].contains(&l)
            && (at == 0 || pieces[at] != pieces[at - 1] || men[at - 1] < l)
    };
    if (0..men.len()).all(fits) { Ok(men) } else { Err(RowError::Squares(men)) }
}

/// `right 1 top 0`
fn formula(text: &str) -> Option<Formula> {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let [vertical, width, horizontal, height] = words[..] else { return None };
    let edge = |word: &str, names: [&str; 2]| match names.iter().position(|name| *name == word)? {
        0 => Some(Edge::Low),
        _ => Some(Edge::High),
    };
    let size = |text: &str| text.parse::<u8>().ok().filter(|&n| n <= 8);
    Some(Formula {
        vertical: (edge(vertical, ["left", "right"])?, size(width)?),
        horizontal: (edge(horizontal, ["bottom", "top"])?, size(height)?),
    })
}

/// `4 0 1+9 2 -`: part, value and move for White, for Black.
fn subset(text: &str) -> Option<(usize, Subset)> {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let (number, rest) = words.split_first()?;
    let number: usize = number.parse().ok().filter(|n| (1..=4).contains(n))?;
    let mut rest = rest.iter().copied();
    let mut answer = |mover: Side| match rest.next()? {
        "x" => Some(Answer { outcome: None, play: None }),
        value => {
            let outcome = outcome(value, mover)?;
            let play = match rest.next()? {
                "-" => None,
                text => Some(text.parse().ok()?),
            };
            Some(Answer { outcome: Some(outcome), play })
        }
    };
    let subset = Subset { white: answer(Side::White)?, black: answer(Side::Black)? };
    rest.next().is_none().then_some((number - 1, subset))
}

/// The source's digit of an outcome: 0 won, 1 drawn, 2 lost for the side to move.
fn digit(outcome: Outcome, mover: Side) -> u8 {
    (1 - outcome.sign(mover)) as u8
}

/// The outcome of a digit, with this side to move.
fn outcome(digit: &str, mover: Side) -> Option<Outcome> {
    match digit {
        "0" => Some(Outcome::Wins(mover)),
        "1" => Some(Outcome::Draw),
        "2" => Some(Outcome::Wins(mover.other())),
        _ => None,
    }
}

impl Answer {
    /// As it stands in our files, for this side to move.
    fn text(self, mover: Side) -> String {
        match (self.outcome.map(|outcome| digit(outcome, mover)), self.play) {
            (None, _) => "x".to_owned(),
            (Some(value), None) => format!("{value} -"),
            (Some(value), Some(play)) => format!("{value} {play}"),
        }
    }
}

/// Letters of underpromotions by White's code.
const UNDER: [char; 6] = [' ', ' ', ' ', 'R', 'B', 'N'];

impl fmt::Display for Play {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:+}", self.man + 1, self.delta)?;
        if self.under > 0 { write!(f, "={}", UNDER[usize::from(self.under)]) } else { Ok(()) }
    }
}

impl FromStr for Play {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (text, under) = match text.split_once('=') {
            None => (text, 0),
            Some((text, letter)) => {
                let under = UNDER.iter().position(|&c| letter == c.to_string() && c != ' ');
                (text, under.ok_or(())? as u8)
            }
        };
        let sign = text.find(['+', '-']).ok_or(())?;
        let (man, delta) = text.split_at(sign);
        let man: u8 = man.parse().map_err(|_| ())?;
        let delta: i8 = delta.parse().map_err(|_| ())?;
        if man == 0 || delta == 0 || delta.abs() > 63 {
            return Err(());
        }
        Ok(Self { man: man - 1, delta, under })
    }
}
