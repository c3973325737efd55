//! Solutions as composers read them: keys, threats, variations, lines.

use super::stipulation::Bounded;
use crate::chess::Side;
use crate::limits::StopReason;
use serde::Serialize;

/// One move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Ply {
    /// Algebraic notation, with English letters.
    pub san: String,
    /// UCI notation.
    pub uci: String,
    /// Who plays it.
    #[serde(serialize_with = "crate::chess::serialize_side")]
    pub side: Side,
}

/// A move of the side that compels, and what follows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Attack {
    /// The move.
    #[serde(flatten)]
    pub ply: Ply,
    /// Plies to the aim at most, this one counted.
    pub plies: usize,
    /// What would follow if the defender could pass; in a try or after a key. Several fulfil the
    /// stipulation as quickly.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub threats: Vec<Attack>,
    /// Whether nothing is threatened, and the defender suffers from having to move.
    pub zugzwang: bool,
    /// The defences that meet a threat and allow nothing quicker, by the defender's men; those
    /// with the same answers together.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub variations: Vec<Variation>,
    /// Defences against which nothing helps: the move is a try.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refutations: Vec<Ply>,
}

/// Defences with the same answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Variation {
    /// The defender's moves.
    pub defences: Vec<Ply>,
    /// Whether these moves reach the aim themselves, as in a selfmate.
    pub reached: bool,
    /// Whether the aim is reached sooner than the stipulation allows.
    pub short: bool,
    /// The answers, all of them equally quick: more than one are duals.
    pub answers: Vec<Attack>,
}

/// One solution.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Solution {
    /// The moves that both sides choose together; none in a direct problem.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub line: Vec<Ply>,
    /// The key with what follows; none where the line ends with the aim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub play: Option<Attack>,
}

/// What is found of a problem's soundness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// As many solutions as intended, none of them too short, and no duals.
    Sound,
    /// As many keys as intended, but somewhere a choice of continuations.
    Dual,
    /// More solutions than intended.
    Cook,
    /// Fewer solutions than intended, but some.
    Missing,
    /// No solution.
    NoSolution,
    /// It can be solved in fewer moves.
    ShortSolution,
    /// A limit was reached before the solutions were known.
    Undecided,
}

impl Status {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Sound => "sound",
            Self::Dual => "sound, with duals",
            Self::Cook => "cook",
            Self::Missing => "fewer solutions than intended",
            Self::NoSolution => "no solution",
            Self::ShortSolution => "short solution",
            Self::Undecided => "undecided",
        }
    }
}

/// What is asked besides the stipulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wishes {
    /// Tries with at most so many refutations; none for 0.
    pub tries: usize,
    /// What would be played if the other side began.
    pub set_play: bool,
    /// How many solutions are intended, at least one.
    pub intended: usize,
    /// How many solutions are told at most.
    pub most: usize,
    /// Whether variations are told, and not only keys.
    pub variations: bool,
}

impl Default for Wishes {
    /// One solution intended, a thousand told, with variations; no tries and no set play.
    fn default() -> Self {
        Self { tries: 0, set_play: false, intended: 1, most: 1000, variations: true }
    }
}

/// What was found.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Solved {
    /// The stipulation.
    pub stipulation: Bounded,
    /// The side that begins.
    pub mover: Side,
    /// The solutions of full length; where there is a short one, those too.
    pub solutions: Vec<Solution>,
    /// The shortest solutions, where they take fewer plies.
    pub short: Vec<Solution>,
    /// Plies of the short solutions.
    pub short_plies: Option<usize>,
    /// Whether there are more solutions than are told.
    pub more: bool,
    /// What would be played if the other side began: lines, or variations in a play without a key.
    pub set_lines: Vec<Solution>,
    /// The same for adversarial problems.
    pub set_variations: Vec<Variation>,
    /// Moves that are refuted, but by few defences.
    pub tries: Vec<Attack>,
    /// Choices among the continuations after the keys; in threats they are not counted.
    pub duals: usize,
    /// Positions visited.
    pub positions: u64,
    /// How many solutions were intended.
    pub intended: usize,
    /// Whether every solution is known.
    pub complete: bool,
    /// The limit that was reached, in the search or while its result was told.
    pub stop: Option<StopReason>,
}

impl Solved {
    /// What is found of the problem's soundness.
    pub fn status(&self) -> Status {
        let found = self.solutions.len();
        if !self.short.is_empty() {
            Status::ShortSolution
        } else if found > self.intended {
            Status::Cook
        } else if !self.complete {
            Status::Undecided
        } else if found == 0 {
            Status::NoSolution
        } else if found < self.intended {
            Status::Missing
        } else if self.duals > 0 {
            Status::Dual
        } else {
            Status::Sound
        }
    }
}

impl Attack {
    /// Choices among the continuations.
    pub(super) fn duals(&self) -> usize {
        let of = |variation: &Variation| {
            usize::from(variation.answers.len() > 1)
                + variation.answers.iter().map(Attack::duals).sum::<usize>()
        };
        self.variations.iter().map(of).sum()
    }
}
