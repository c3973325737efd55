//! What a problem asks for: `#3`, `s#2`, `h#2.5`, `ser-h=7`.

use std::fmt;
use std::str::FromStr;

/// The most moves that a stipulation may ask for: more than any problem known.
pub const MAX_MOVES: u16 = 250;

/// Who plays for the aim, and in which order the sides move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The side to move reaches the aim against every defence: `#n`.
    Direct,
    /// The side to move compels the other one to reach the aim: `s#n`.
    SelfPlay,
    /// As a selfmate, but either side must reach the aim at once where it can: `r#n`.
    Reflex,
    /// As a reflexmate, with that duty on the defender alone: `semi-r#n`.
    SemiReflex,
    /// Both sides play together for the aim of the side that moves last: `h#n`.
    Help,
    /// Both play together until the last move of the side that then compels the other: `hs#n`.
    HelpSelf,
    /// One side makes all the moves: `ser-#n`.
    Series,
    /// One side makes n moves in a row, then the other reaches the aim at once: `ser-h#n`.
    SeriesHelp,
    /// One side makes n moves in a row, then the other must reach the aim at once: `ser-s#n`.
    SeriesSelf,
}

impl Kind {
    /// Every kind with what is written before the aim.
    pub const ALL: [(Self, &'static str); 9] = [
        (Self::Direct, ""),
        (Self::SelfPlay, "s"),
        (Self::Reflex, "r"),
        (Self::SemiReflex, "semi-r"),
        (Self::Help, "h"),
        (Self::HelpSelf, "hs"),
        (Self::Series, "ser-"),
        (Self::SeriesHelp, "ser-h"),
        (Self::SeriesSelf, "ser-s"),
    ];

    /// What is written before the aim.
    pub fn prefix(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, prefix)| prefix)
    }

    /// Whether the play may begin with half a move: `h#2.5`.
    pub fn may_be_halved(self) -> bool {
        matches!(self, Self::Help | Self::HelpSelf)
    }

    /// Whether the opponent of the side that begins resists: such a problem has keys and variations.
    pub fn is_adversarial(self) -> bool {
        matches!(self, Self::Direct | Self::SelfPlay | Self::Reflex | Self::SemiReflex)
    }
}

/// What the play ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Goal {
    /// The side to move is in check and has no legal move.
    Mate,
    /// The side to move is not in check and has no legal move.
    Stalemate,
}

impl Goal {
    /// How composers write it.
    pub fn sign(self) -> char {
        match self {
            Self::Mate => '#',
            Self::Stalemate => '=',
        }
    }

    /// In words.
    pub fn word(self) -> &'static str {
        match self {
            Self::Mate => "mate",
            Self::Stalemate => "stalemate",
        }
    }
}

/// A stipulation of so many moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bounded {
    /// Who plays for the aim.
    pub kind: Kind,
    /// The aim.
    pub goal: Goal,
    /// Whole moves, at least one (in `h#0.5` none).
    pub moves: u16,
    /// Half a move more, before the others.
    pub half: bool,
}

impl Bounded {
    /// How many plies at the beginning are moves of one side in a row; 0 where the sides alternate.
    pub fn series_plies(&self) -> usize {
        let in_a_row = matches!(self.kind, Kind::Series | Kind::SeriesHelp | Kind::SeriesSelf);
        if in_a_row { usize::from(self.moves) } else { 0 }
    }
}

/// What a problem asks for. It is written as composers write it, and what is printed is read again:
///
/// ```
/// use theta_chess::problem::{Goal, Kind, Stipulation};
///
/// let stipulation: Stipulation = "h#2.5".parse()?;
/// let Stipulation::Bounded(bounded) = stipulation else { panic!("no study") };
/// assert_eq!((bounded.kind, bounded.goal, bounded.moves), (Kind::Help, Goal::Mate, 2));
/// assert_eq!(stipulation.to_string(), "h#2.5");
/// assert!("h#0".parse::<Stipulation>().is_err());
/// # Ok::<(), theta_chess::problem::StipulationError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stipulation {
    /// An aim within so many moves.
    Bounded(Bounded),
    /// A study: White wins, `+`.
    Win,
    /// A study: White holds, `=`.
    Draw,
}

/// What is wrong with a stipulation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StipulationError {
    /// Nothing is written.
    #[error("no stipulation; write one such as #2, s#3, r#2, h#2.5, hs#2, ser-h#7, =3, + or =")]
    Empty,
    /// No `#` and no `=` in it.
    #[error("stipulation `{0}` has no aim: # is mate, = is stalemate, as in #2, h#3, ser-h=5")]
    NoGoal(String),
    /// A kind of problem that is not known.
    #[error(
        "`{0}` is no kind of problem; known before # or = are nothing (direct), s, r, semi-r, h, \
         hs, ser-, ser-h and ser-s"
    )]
    Kind(String),
    /// No number follows the aim.
    #[error("stipulation `{0}` does not say in how many moves, as in #2")]
    NoNumber(String),
    /// What follows the aim is no number of moves.
    #[error("`{0}` is no number of moves; write a whole number, or in helpmates one such as 2.5")]
    Number(String),
    /// Zero moves.
    #[error("a problem in 0 moves asks for nothing; the fewest are 1, in helpmates 0.5")]
    Zero,
    /// More moves than are counted.
    #[error("{0} moves are more than {MAX_MOVES}")]
    TooMany(String),
    /// Half a move where the kind has none.
    #[error("half moves are for h and hs alone, not for `{0}`")]
    Half(String),
}

impl FromStr for Stipulation {
    type Err = StipulationError;

    fn from_str(text: &str) -> Result<Self, StipulationError> {
        let shown = || text.chars().take(40).collect::<String>();
        let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let plain = plain.to_lowercase();
        match plain.as_str() {
            "" => return Err(StipulationError::Empty),
            "+" => return Ok(Self::Win),
            "=" => return Ok(Self::Draw),
            _ => {}
        }
        let at = plain.find(['#', '=']).ok_or_else(|| StipulationError::NoGoal(shown()))?;
        let (prefix, rest) = plain.split_at(at);
        let kind = Kind::ALL.iter().find(|(_, known)| *known == prefix).map(|(kind, _)| *kind);
        let kind = kind.ok_or_else(|| StipulationError::Kind(prefix.chars().take(40).collect()))?;
        let goal = if rest.starts_with('#') { Goal::Mate } else { Goal::Stalemate };
        let (moves, half) = read_moves(&rest[1..], shown)?;
        if half && !kind.may_be_halved() {
            return Err(StipulationError::Half(shown()));
        }
        // Half a move alone is the mating move of a helpmate; a helpselfmate has none without it.
        if moves == 0 && !(half && kind == Kind::Help) {
            return Err(StipulationError::Zero);
        }
        Ok(Self::Bounded(Bounded { kind, goal, moves, half }))
    }
}

/// Whole moves, and whether there is half a move more.
fn read_moves(text: &str, all: impl Fn() -> String) -> Result<(u16, bool), StipulationError> {
    if text.is_empty() {
        return Err(StipulationError::NoNumber(all()));
    }
    let whole = text.strip_suffix(".5").or_else(|| text.strip_suffix(",5"));
    let whole = whole.or_else(|| text.strip_suffix('½'));
    let (digits, half) = (whole.unwrap_or(text), whole.is_some());
    let shown = || text.chars().take(40).collect::<String>();
    if half && digits.is_empty() {
        return Ok((0, true));
    }
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(StipulationError::Number(shown()));
    }
    match digits.parse::<u16>() {
        Ok(moves) if moves <= MAX_MOVES => Ok((moves, half)),
        _ => Err(StipulationError::TooMany(shown())),
    }
}

impl fmt::Display for Bounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let half = if self.half { ".5" } else { "" };
        write!(f, "{}{}{}{half}", self.kind.prefix(), self.goal.sign(), self.moves)
    }
}

impl fmt::Display for Stipulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bounded(bounded) => bounded.fmt(f),
            Self::Win => f.write_str("+"),
            Self::Draw => f.write_str("="),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn stipulations_are_read_as_composers_write_them() {
        for (text, printed) in [
            ("#3", "#3"),
            (" s # 2 ", "s#2"),
            ("R#2", "r#2"),
            ("semi-r#3", "semi-r#3"),
            ("h#2½", "h#2.5"),
            ("h#0.5", "h#0.5"),
            ("hs#3", "hs#3"),
            ("ser-#12", "ser-#12"),
            ("ser-h=7", "ser-h=7"),
            ("ser-s#5", "ser-s#5"),
            ("=4", "=4"),
            ("=", "="),
            ("+", "+"),
        ] {
            let read: Stipulation = text.parse().unwrap();
            assert_eq!(read.to_string(), printed);
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let fault = |text: &str| text.parse::<Stipulation>().unwrap_err().to_string();
        for (text, said) in [
            ("", "no stipulation"),
            ("mate in 3", "has no aim"),
            ("x#3", "`x` is no kind of problem"),
            ("ser#3", "`ser` is no kind of problem"),
            ("#", "in how many moves"),
            ("h=", "in how many moves"),
            ("#0", "0 moves"),
            ("hs#0.5", "0 moves"),
            ("#-1", "`-1` is no number"),
            ("##2", "`#2` is no number"),
            ("#2.7", "`2.7` is no number"),
            ("#2.5", "half moves are for h and hs"),
            ("#251", "more than 250"),
            ("#99999999999999999999", "more than 250"),
        ] {
            assert!(fault(text).contains(said), "{text}: {}", fault(text));
        }
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read_again(
            kind in 0..Kind::ALL.len(), mate: bool, moves in 1..=MAX_MOVES, half: bool,
        ) {
            let kind = Kind::ALL[kind].0;
            let goal = if mate { Goal::Mate } else { Goal::Stalemate };
            let half = half && kind.may_be_halved();
            let stipulation = Stipulation::Bounded(Bounded { kind, goal, moves, half });
            prop_assert_eq!(stipulation.to_string().parse(), Ok(stipulation));
        }

        #[test]
        fn no_text_is_stumbled_over(text in "\\PC*") {
            let _ = text.parse::<Stipulation>();
        }
    }
}
