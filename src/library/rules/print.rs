//! Rules as text: what is printed here is read back.

use std::fmt::{self, Write};

use crate::chess::Side;
use crate::chess::board::Piece;

use super::condition::{Comparison, Condition, Number, Place, name_of};
use super::{Conclusion, Rule};

/// A condition with the men it speaks of.
pub struct Shown<'a> {
    /// The men of the material.
    pub pieces: &'a [Piece],
    /// The condition.
    pub condition: &'a Condition,
}

/// How strongly what stands around holds a condition: 0 nothing, 1 `or`, 2 `and`, 3 `not`.
type Strength = u8;

fn word(white: bool) -> &'static str {
    if white { "white" } else { "black" }
}

impl Shown<'_> {
    fn man(&self, man: u8) -> String {
        name_of(self.pieces, man)
    }

    fn place(&self, place: Place) -> String {
        match place {
            Place::Man(man) => self.man(man),
            Place::Square(square) => square.to_string(),
            Place::Queening(pawn) => format!("queening({})", self.man(pawn)),
            Place::Ahead(pawn) => format!("ahead({})", self.man(pawn)),
        }
    }

    fn number(&self, number: &Number) -> String {
        match number {
            Number::Constant(n) => n.to_string(),
            Number::File(place) => format!("file({})", self.place(*place)),
            Number::Rank(place) => format!("rank({})", self.place(*place)),
            Number::Distance(a, b) => format!("distance({}, {})", self.place(*a), self.place(*b)),
            Number::Plies(king, place) => {
                format!("plies({}, {})", self.man(*king), self.place(*place))
            }
            Number::PliesToRank(king, rank) => {
                format!("plies to rank({}, {rank})", self.man(*king))
            }
            Number::Moves(pawn) => format!("moves({})", self.man(*pawn)),
            Number::Queens(pawn) => format!("queens({})", self.man(*pawn)),
            Number::Plus(a, b) => format!("{} + {}", self.number(a), self.number(b)),
            Number::Minus(a, b) => format!("{} - {}", self.number(a), self.number(b)),
        }
    }

    fn write(&self, f: &mut impl Write, condition: &Condition, around: Strength) -> fmt::Result {
        match condition {
            Condition::True => f.write_str("true"),
            Condition::ToMove(white) => write!(f, "{} to move", word(*white)),
            Condition::Check(white) => write!(f, "{} in check", word(*white)),
            Condition::Stalemate => f.write_str("stalemate"),
            Condition::Opposition => f.write_str("kings in opposition"),
            Condition::DistantOpposition => f.write_str("kings in distant opposition"),
            Condition::EnPassant => f.write_str("en passant"),
            Condition::On(place, squares) => {
                let squares: Vec<String> = squares.into_iter().map(|s| s.to_string()).collect();
                write!(f, "{} on {{{}}}", self.place(*place), squares.join(", "))
            }
            Condition::InSquare(king, pawn) => {
                write!(f, "{} in square of {}", self.man(*king), self.man(*pawn))
            }
            Condition::Closer(king, place, other) => {
                write!(
                    f,
                    "{} closer to {} than {}",
                    self.man(*king),
                    self.place(*place),
                    self.man(*other)
                )
            }
            Condition::Attacked(place, white) => {
                write!(f, "{} attacked by {}", self.place(*place), word(*white))
            }
            Condition::Beside(a, b) => write!(f, "{} beside {}", self.place(*a), self.place(*b)),
            Condition::InFront(place, pawn) => {
                write!(f, "{} in front of {}", self.place(*place), self.man(*pawn))
            }
            Condition::QueensWithCheck(pawn) => write!(f, "{} queens with check", self.man(*pawn)),
            Condition::QueenFalls(pawn, other) => {
                write!(f, "queen of {} falls to queen of {}", self.man(*pawn), self.man(*other))
            }
            Condition::Compare(numbers, signs) => {
                f.write_str(&self.number(&numbers[0]))?;
                numbers[1..]
                    .iter()
                    .zip(signs)
                    .try_for_each(|(n, sign)| write!(f, " {sign} {}", self.number(n)))
            }
            Condition::Not(inner) => {
                f.write_str("not ")?;
                self.write(f, inner, 3)
            }
            Condition::All(list) => self.chain(f, list, " and ", 2, around),
            Condition::Any(list) => self.chain(f, list, " or ", 1, around),
        }
    }

    fn chain(
        &self,
        f: &mut impl Write,
        list: &[Condition],
        joint: &str,
        own: Strength,
        around: Strength,
    ) -> fmt::Result {
        let bracket = around >= own;
        f.write_str(if bracket { "(" } else { "" })?;
        for (at, part) in list.iter().enumerate() {
            f.write_str(if at > 0 { joint } else { "" })?;
            self.write(f, part, own)?;
        }
        f.write_str(if bracket { ")" } else { "" })
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, self.condition, 0)
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::GreaterEqual => ">=",
            Self::Greater => ">",
        })
    }
}

impl fmt::Display for Conclusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Wins(Side::White) => "white wins",
            Self::Wins(Side::Black) => "black wins",
            Self::Draw => "draw",
            Self::Holds(Side::White) => "white holds",
            Self::Holds(Side::Black) => "black holds",
            Self::MoverWins => "side to move wins",
            Self::MoverHolds => "side to move holds",
            Self::MoverLoses => "side to move loses",
        })
    }
}

/// The text that [`parse_rules`](super::parse_rules) reads.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pieces = self.material.men_in_order();
        let shown = |condition| Shown { pieces: &pieces, condition };
        write!(f, "rule {}", self.name)?;
        if !self.says.is_empty() {
            write!(f, " \"{}\"", self.says)?;
        }
        write!(f, "\nmaterial {}\nif ", self.material)?;
        match &self.condition {
            Condition::All(list) => {
                for (at, part) in list.iter().enumerate() {
                    f.write_str(if at > 0 { "\nand " } else { "" })?;
                    shown(part).write(f, part, 2)?;
                }
            }
            other => write!(f, "{}", shown(other))?,
        }
        match &self.exception {
            Some(Condition::Any(list)) => {
                for (at, part) in list.iter().enumerate() {
                    f.write_str(if at > 0 { "\n    or " } else { "\nunless " })?;
                    shown(part).write(f, part, 1)?;
                }
            }
            Some(exception) => write!(f, "\nunless {}", shown(exception))?,
            None => {}
        }
        writeln!(f, "\nthen {}", self.conclusion)
    }
}
