//! `theta moves --unique`: the puzzle-maker's question. Along the main line, is each move of the
//! side to move the only one that keeps the value (win, draw or loss)? Slower wins count as duals,
//! unless only the shortest mate is asked for.

use super::rate::Rater;
use super::{Context, Exit};
use serde::Serialize;
use std::collections::HashSet;
use std::io::Write;
use theta_chess::chess::Value;
use theta_chess::chess::board::{Board, move_of};
use theta_chess::chess::{Packed, Position};
use theta_chess::solve::{Rated, Verdict};

/// A move of the main line.
#[derive(Debug, Serialize)]
struct Step {
    /// UCI notation.
    uci: String,
    /// Algebraic notation.
    san: String,
    /// Whether the puzzle's side makes it (else it is the reply that resists longest).
    owner: bool,
    /// The other moves that keep the value, in algebraic notation; empty for a reply.
    duals: Vec<String>,
    /// The other moves of which it is not known.
    open: Vec<String>,
}

impl Step {
    /// Whether the move is the only one; `None` when not known.
    fn unique(&self) -> Option<bool> {
        if self.duals.is_empty() && !self.open.is_empty() {
            None
        } else {
            Some(self.duals.is_empty())
        }
    }
}

/// The answer for one position.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    fen: String,
    /// The line's name for the position.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// Whether the first move is the only one that keeps the value; null when not known.
    first_unique: Option<bool>,
    /// Whether every move of the side is; null when not known.
    unique: Option<bool>,
    /// The main line, to the end of the game, to a position that was there before, or to where the
    /// proof ends.
    line: Vec<Step>,
}

/// A puzzle: whose it is, and what counts as a dual.
pub(super) struct Puzzle<'a> {
    pub(super) rater: Rater<'a>,
    /// Only moves that mate as quickly count.
    pub(super) shortest: bool,
    pub(super) verdict: &'a Verdict,
}

impl Puzzle<'_> {
    /// Follows the main line.
    ///
    /// # Errors
    /// A position that cannot be played on, or a table that cannot be built.
    pub(super) fn report(&self, root: &Position, id: Option<String>) -> anyhow::Result<Report> {
        let mut board = root.board();
        let (owner, mut line, mut seen) =
            (board.side_to_move(), Vec::new(), HashSet::<Packed>::new());
        let mut ended = true;
        while seen.insert(board.packed()) {
            let rated = self.rater.rate(self.verdict, &Position::from(&board))?;
            let Some(best) = rated.first() else { break };
            let ours = board.side_to_move() == owner;
            // Of a reply it must be known that none resists longer.
            if best.value.is_none() || !ours && rated.iter().any(|r| r.value.is_none()) {
                ended = false;
                break;
            }
            let step = self.step(&board, &rated, ours);
            line.push(step);
            let legal = board.find(best.play).expect("a rated move is legal");
            board.play(legal);
        }
        let own = || line.iter().filter(|step| step.owner).map(Step::unique);
        let unique = match (own().any(|u| u == Some(false)), own().all(|u| u == Some(true))) {
            // One dual is enough for a no; a yes needs the whole line.
            (true, _) => Some(false),
            (_, true) if ended && !line.is_empty() => Some(true),
            _ => None,
        };
        let first_unique = line.first().and_then(Step::unique);
        Ok(Report { fen: root.to_string(), id, first_unique, unique, line })
    }

    fn step(&self, board: &Board, rated: &[Rated], ours: bool) -> Step {
        let best = &rated[0];
        let (mut duals, mut open) = (Vec::new(), Vec::new());
        for other in rated[1..].iter().filter(|_| ours) {
            let san =
                || board.find(other.play).map_or_else(|| other.play.to_string(), |m| board.san(m));
            match self.is_dual(board, best, other) {
                Some(true) => duals.push(san()),
                Some(false) => {}
                None => open.push(san()),
            }
        }
        let legal = board.find(best.play).expect("a rated move is legal");
        Step { uci: move_of(&legal).to_string(), san: board.san(legal), owner: ours, duals, open }
    }

    /// Whether another move is as good as the best.
    fn is_dual(&self, board: &Board, best: &Rated, other: &Rated) -> Option<bool> {
        match (best.value?, other.value) {
            (Value::Wins(side, plies), value) if self.shortest && side == board.side_to_move() => {
                match value {
                    Some(Value::Wins(same, longer)) if same == side => {
                        if longer <= plies {
                            Some(true)
                        } else if other.shortest {
                            Some(false)
                        } else {
                            self.rater.mates_within(board, board.find(other.play)?, plies)
                        }
                    }
                    Some(_) => Some(false),
                    None => self.rater.mates_within(board, board.find(other.play)?, plies),
                }
            }
            (best, value) => Some(value?.winner() == best.winner()),
        }
    }
}

impl Report {
    /// Prints the answer: yes 0, no 1, not known 3.
    ///
    /// # Errors
    /// Output that cannot be written.
    pub(super) fn print(&self, context: &Context) -> anyhow::Result<Exit> {
        context.clear_progress();
        if context.global.json {
            context.print_json(self)?;
        } else {
            let mut out = context.out();
            let answer = |known: Option<bool>| {
                known.map_or("not known", |yes| if yes { "yes" } else { "no" })
            };
            writeln!(out, "first move unique: {}", answer(self.first_unique))?;
            writeln!(out, "all moves unique: {}", answer(self.unique))?;
            for step in &self.line {
                write!(out, "{}{}", if step.owner { "" } else { "    " }, step.san)?;
                for (word, moves) in [("also", &step.duals), ("not decided", &step.open)] {
                    if !moves.is_empty() {
                        write!(out, "  {word}: {}", moves.join(" "))?;
                    }
                }
                writeln!(out)?;
            }
            out.flush()?;
        }
        Ok(match self.unique {
            Some(true) => Exit::Yes,
            Some(false) => Exit::No,
            None => Exit::Undecided,
        })
    }
}
