//! The alternation of a stipulation: whose choice each ply is, and where the aim counts.
//!
//! A stipulation is a formula over the game graph, bounded by its length; the script is that formula,
//! a turn for each ply (docs/theory.md, section 19). One engine decides them all.

use super::stipulation::{Bounded, Goal, Kind};
use crate::chess::Side;
use std::fmt::Write as _;

/// Whose choice a ply is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Choice {
    /// One move that leads on is enough: EX.
    Some,
    /// Every move must lead on, and there must be one: EX T and AX.
    Every,
}

/// One ply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Turn {
    /// Whose choice it is.
    pub choice: Choice,
    /// Whether the aim, reached by this ply, fulfils the stipulation.
    pub aims: bool,
    /// Whether the mover must reach the aim with this ply where it can: the reflex condition.
    pub duty: bool,
    /// Whether the same side moves again: the move may not give check, and the other side passes.
    pub series: bool,
}

const CHOOSE: Turn = Turn { choice: Choice::Some, aims: false, duty: false, series: false };
const REACH: Turn = Turn { aims: true, ..CHOOSE };
const SUFFER: Turn = Turn { choice: Choice::Every, aims: false, duty: false, series: false };
const COMPEL: Turn = Turn { aims: true, ..SUFFER };
const SERIES: Turn = Turn { series: true, ..CHOOSE };

/// The turns of a stipulation, first to last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    turns: Vec<Turn>,
    /// What the play ends with.
    pub goal: Goal,
    /// Whether the aim counts as soon as it is reached: what is fulfilled within so many plies is
    /// fulfilled within more. Else it counts at the last ply only.
    pub early: bool,
}

impl Script {
    /// The turns of a stipulation.
    pub fn new(of: &Bounded) -> Self {
        let n = usize::from(of.moves);
        let repeat = |turns: &[Turn], times: usize| turns.repeat(times);
        let mut turns = if of.half { vec![CHOOSE] } else { Vec::new() };
        turns.extend(match of.kind {
            Kind::Direct => {
                let mut turns = repeat(&[REACH, SUFFER], n);
                turns.pop();
                turns
            }
            Kind::SelfPlay => repeat(&[CHOOSE, COMPEL], n),
            Kind::Reflex => {
                repeat(&[Turn { duty: true, ..CHOOSE }, Turn { duty: true, ..COMPEL }], n)
            }
            Kind::SemiReflex => repeat(&[CHOOSE, Turn { duty: true, ..COMPEL }], n),
            Kind::Help => repeat(&[CHOOSE], 2 * n),
            Kind::HelpSelf => [repeat(&[CHOOSE], 2 * n - 1), vec![COMPEL]].concat(),
            Kind::Series => repeat(&[SERIES], n),
            Kind::SeriesHelp => [repeat(&[SERIES], n), vec![REACH]].concat(),
            Kind::SeriesSelf => [repeat(&[SERIES], n), vec![COMPEL]].concat(),
        });
        // The last move of a series may give check, for nobody passes any more.
        match of.kind {
            Kind::Series => turns[n - 1] = REACH,
            Kind::SeriesHelp | Kind::SeriesSelf => turns[n - 1] = CHOOSE,
            Kind::Help => *turns.last_mut().expect("a ply at least") = REACH,
            _ => {}
        }
        Self { turns, goal: of.goal, early: of.kind.is_adversarial() }
    }

    /// The script of what is left after the first ply: set play, played by the other side.
    #[must_use]
    pub fn without_first(&self) -> Self {
        Self { turns: self.turns[1..].to_vec(), ..self.clone() }
    }

    /// How many plies it has.
    pub fn plies(&self) -> usize {
        self.turns.len()
    }

    /// The turn at which so many plies are left, itself counted; from 1 to [`Script::plies`].
    pub fn turn(&self, left: usize) -> Turn {
        self.turns[self.turns.len() - left]
    }

    /// Moves of the side that makes the last ply and of the other one, in the last `left` plies.
    pub fn moves_left(&self, left: usize) -> (usize, usize) {
        let (mut own, mut other, mut ours) = (0, 0, true);
        for turn in self.turns[self.turns.len() - left..].iter().rev() {
            // A series turn is played by the side that plays the next one too.
            if own + other > 0 && !turn.series {
                ours = !ours;
            }
            *(if ours { &mut own } else { &mut other }) += 1;
        }
        (own, other)
    }

    /// Whether the side that is to move with so many plies left is the one that makes the last ply.
    pub fn is_last_mover(&self, left: usize) -> bool {
        let changes = self.turns[self.turns.len() - left..self.turns.len() - 1].iter();
        changes.filter(|turn| !turn.series).count() % 2 == 0
    }

    /// The formula in CTL over the game graph, the side to move given. `PX φ` stands for: after some
    /// move that gives no check, and a pass of the other side, φ.
    pub fn formula(&self, mover: Side) -> String {
        let last = if self.is_last_mover(self.plies()) { mover } else { mover.other() };
        let suffers = if last == Side::White { "black" } else { "white" };
        let other = if last == Side::White { "white" } else { "black" };
        let aim = |side: &str| match self.goal {
            Goal::Mate => format!("mate({side})"),
            Goal::Stalemate => format!("stalemate({side})"),
        };
        let mut text = String::new();
        for turn in self.turns.iter().rev() {
            let reached = if turn.aims { aim(suffers) } else { String::new() };
            let next = match (reached.is_empty(), text.is_empty()) {
                (false, true) => reached.clone(),
                (true, _) => std::mem::take(&mut text),
                (false, false) => format!("{reached} | {text}"),
            };
            text.clear();
            let _ = match (turn.choice, turn.duty) {
                (Choice::Some, false) if turn.series => write!(text, "PX ({next})"),
                (Choice::Some, false) => write!(text, "EX ({next})"),
                (Choice::Some, true) => write!(text, "~EX {} & EX ({next})", aim(other)),
                (Choice::Every, false) => write!(text, "EX T & AX ({next})"),
                (Choice::Every, true) => write!(text, "(EX {reached} | EX T & AX ({next}))"),
            };
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Stipulation;

    fn script(text: &str) -> Script {
        match text.parse() {
            Ok(Stipulation::Bounded(bounded)) => Script::new(&bounded),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn scripts_are_as_long_as_the_play() {
        for (text, plies) in [
            ("#1", 1),
            ("#3", 5),
            ("s#2", 4),
            ("r#2", 4),
            ("h#2", 4),
            ("h#2.5", 5),
            ("h#0.5", 1),
            ("hs#1", 2),
            ("hs#2.5", 5),
            ("ser-#4", 4),
            ("ser-h#4", 5),
            ("ser-s#1", 2),
        ] {
            assert_eq!(script(text).plies(), plies, "{text}");
        }
    }

    #[test]
    fn moves_are_counted_by_side() {
        assert_eq!(script("#3").moves_left(5), (3, 2));
        assert_eq!(script("h#2.5").moves_left(5), (3, 2));
        assert_eq!(script("s#2").moves_left(4), (2, 2));
        assert_eq!(script("ser-#4").moves_left(4), (4, 0));
        assert_eq!(script("ser-h#4").moves_left(5), (1, 4));
        assert_eq!(script("ser-h#4").moves_left(2), (1, 1));
        assert!(script("#3").is_last_mover(5) && !script("h#3").is_last_mover(6));
        assert!(!script("ser-h#4").is_last_mover(5) && script("ser-#4").is_last_mover(3));
    }

    #[test]
    fn formulas_are_the_stipulations() {
        for (text, mover, formula) in [
            ("#1", Side::White, "EX (mate(black))"),
            ("#2", Side::Black, "EX (mate(white) | EX T & AX (EX (mate(white))))"),
            ("s#1", Side::White, "EX (EX T & AX (mate(white)))"),
            (
                "r#1",
                Side::White,
                "~EX mate(black) & EX ((EX mate(white) | EX T & AX (mate(white))))",
            ),
            ("h#1", Side::Black, "EX (EX (mate(black)))"),
            ("h=1.5", Side::White, "EX (EX (EX (stalemate(black))))"),
            ("hs#1", Side::White, "EX (EX T & AX (mate(white)))"),
            ("ser-#2", Side::White, "PX (EX (mate(black)))"),
            ("ser-h#2", Side::Black, "PX (EX (EX (mate(black))))"),
        ] {
            assert_eq!(script(text).formula(mover), formula, "{text}");
        }
    }
}
