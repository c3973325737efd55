//! The question, the answer, and the order of the methods.

use super::helpmate::{Search, Style, helpmate, is_mate};
use super::invariant::{Pawns, close};
use super::material::dead_material;
use crate::certificate::{Closed, Mates, Reach};
use crate::chess::{Board, Interner, Move, Position, Side};
use crate::limits::{Budget, StopReason};
use std::sync::Arc;
use theta_kernel::Pattern;

/// What is known of a side's chances to mate, by any sequence of legal moves of both sides.
#[derive(Debug, Clone)]
pub enum Answer {
    /// Whether it can, proved.
    Known(Reach),
    /// Not decided.
    Unknown(StopReason),
}

impl Answer {
    /// Whether the side can mate, if that is decided.
    pub fn can(&self) -> Option<bool> {
        match self {
            Self::Known(reach) => Some(matches!(reach, Reach::Line(_))),
            Self::Unknown(_) => None,
        }
    }

    fn reach(&self) -> Option<Reach> {
        match self {
            Self::Known(reach) => Some(reach.clone()),
            Self::Unknown(_) => None,
        }
    }
}

/// Both sides' chances.
#[derive(Debug, Clone)]
pub struct Chances {
    /// White's.
    pub white: Answer,
    /// Black's.
    pub black: Answer,
    /// Positions and patterns looked at.
    pub positions: u64,
}

impl Chances {
    /// Whether the position is dead, if that is decided.
    pub fn is_dead(&self) -> Option<bool> {
        match (self.white.can(), self.black.can()) {
            (Some(false), Some(false)) => Some(true),
            (Some(true), _) | (_, Some(true)) => Some(false),
            _ => None,
        }
    }

    /// The certificate of what is decided; none if nothing is.
    pub fn certificate(&self, root: &Position) -> Option<Mates> {
        let (white, black) = (self.white.reach(), self.black.reach());
        let decided = white.is_some() || black.is_some();
        decided.then(|| Mates { root: *root.vector(), white, black })
    }
}

/// How much may be tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// Until it is decided or nothing is left to try: some seconds at most.
    Full,
    /// Some milliseconds: what an engine tries in passing. Patterns only.
    Passing,
}

/// One attempt, limited by the positions or patterns that it may take.
#[derive(Clone, Copy)]
enum Attempt {
    Mate(Style, usize),
    Close(Pawns, usize),
}

/// The methods in their order: cheap ones first, each again with a larger limit.
const FULL: &[Attempt] = &[
    Attempt::Mate(Style::Strip, 3000),
    Attempt::Mate(Style::Block, 1000),
    Attempt::Close(Pawns::Frozen, 20),
    Attempt::Close(Pawns::Mobile, 50),
    Attempt::Mate(Style::Strip, 20_000),
    Attempt::Mate(Style::Block, 10_000),
    Attempt::Close(Pawns::Frozen, 300),
    Attempt::Close(Pawns::Mobile, 300),
    Attempt::Mate(Style::Strip, 300_000),
    Attempt::Mate(Style::Block, 300_000),
    Attempt::Close(Pawns::Frozen, 1500),
    Attempt::Mate(Style::Strip, 3_000_000),
    Attempt::Mate(Style::Block, 2_000_000),
];

/// Positions of a list for which patterns are tried: a shorter proof.
const LONG: usize = 100;

/// What is tried in passing.
const PASSING: &[Attempt] = &[
    Attempt::Mate(Style::Strip, 300),
    Attempt::Close(Pawns::Frozen, 10),
    Attempt::Close(Pawns::Mobile, 30),
];

/// Whether each side can still mate. Positions of games take 0.5 ms, locked ones some milliseconds,
/// the hardest known ones seconds.
///
/// ```
/// use theta_chess::Limits;
/// use theta_chess::dead::ask;
///
/// let locked = "4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -".parse()?;
/// assert_eq!(ask(&locked, &Limits::default()).is_dead(), Some(true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn ask(root: &Position, limits: impl Into<Budget>) -> Chances {
    let budget = limits.into();
    let (white, first) = ask_one(root, Side::White, Effort::Full, &budget);
    let (black, second) = ask_one(root, Side::Black, Effort::Full, &budget.after(first));
    Chances { white, black, positions: first + second }
}

/// A shortest line to a mate that takes fewer moves than this one does, looked for among the first
/// so many positions that play leads to; `Some(None)` if there is none, `None` if that is not known.
/// About 1 µs a position.
pub fn shorter(
    root: &Position,
    winner: Side,
    line: &[Move],
    most: usize,
    limits: impl Into<Budget>,
) -> Option<Option<Vec<Move>>> {
    match helpmate(&root.board(), winner, Style::Level, most, &limits.into()).0 {
        Ok(Search::Mate(found)) => Some((found.len() < line.len()).then_some(found)),
        _ => None,
    }
}

/// Whether one side can still mate, and how many positions and patterns were looked at.
pub fn ask_one(root: &Position, winner: Side, effort: Effort, budget: &Budget) -> (Answer, u64) {
    if let Err(stop) = budget.check(0, 0) {
        return (Answer::Unknown(stop), 0);
    }
    let board = root.board();
    if dead_material(board.chess(), winner.other()) && !is_mate(&board, winner) {
        return (never(Interner::new(board.packed().len()), Vec::new()), 0);
    }
    let attempts = if effort == Effort::Full { FULL } else { PASSING };
    let mut spent = 0;
    for &attempt in attempts {
        let left = budget.after(spent);
        let (found, looked_at) = attempt.run(root, &board, winner, &left);
        spent += looked_at;
        match found {
            Ok(Some(answer)) => {
                let left = budget.after(spent);
                let (answer, more) = briefer(answer, root, winner, &left);
                return (answer, spent + more);
            }
            Ok(None) => {}
            Err(stop) => return (Answer::Unknown(stop), spent),
        }
    }
    (Answer::Unknown(StopReason::Exhausted), spent)
}

fn never(positions: Interner, patterns: Vec<Pattern>) -> Answer {
    Answer::Known(Reach::Never(Arc::new(Closed { positions, patterns })))
}

/// A shorter proof by patterns, where a long list has proved it.
fn briefer(answer: Answer, root: &Position, winner: Side, budget: &Budget) -> (Answer, u64) {
    let bytes = match &answer {
        Answer::Known(Reach::Never(closed)) if closed.positions.len() > LONG => closed.bytes(),
        _ => return (answer, 0),
    };
    let mut spent = 0;
    for attempt in [Attempt::Close(Pawns::Frozen, 20), Attempt::Close(Pawns::Mobile, 50)] {
        let (found, grown) = attempt.run(root, &root.board(), winner, &budget.after(spent));
        spent += grown;
        if let Ok(Some(Answer::Known(Reach::Never(closed)))) = found
            && closed.bytes() < bytes
        {
            return (Answer::Known(Reach::Never(closed)), spent);
        }
    }
    (answer, spent)
}

impl Attempt {
    /// The answer if there is one, and how many positions or patterns were looked at.
    fn run(
        self,
        root: &Position,
        board: &Board,
        winner: Side,
        budget: &Budget,
    ) -> (Result<Option<Answer>, StopReason>, u64) {
        match self {
            Self::Mate(style, most) => {
                let (found, met) = helpmate(board, winner, style, most, budget);
                let answer = found.map(|found| match found {
                    Search::Mate(line) => Some(Answer::Known(Reach::Line(line))),
                    Search::Closed(met) => Some(never(met, Vec::new())),
                    Search::Open => None,
                });
                (answer, met)
            }
            Self::Close(pawns, most) => match Pattern::of(root.vector()) {
                Some(pattern) => {
                    let (closed, grown) = close(pattern, winner.other(), pawns, most, budget);
                    let listed = || Interner::new(root.men());
                    (closed.map(|closed| closed.map(|set| never(listed(), set))), grown)
                }
                None => (Ok(None), 0),
            },
        }
    }
}
