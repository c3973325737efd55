//! The trees of the search with zones ([`crate::pioneer::search`]) as indented text: each move that
//! it made, and what ended each line.

use super::counted;
use super::explained::{number, reason};
use crate::chess::Side;
use crate::chess::board::Board;
use crate::library::explain::{Goal, Leaves};
use crate::pioneer::search::{End, Found, Node, Step, Tree, WIN};
use std::io::{self, Write};

/// A line in standard notation; `--` is a pause.
pub fn san(line: &[Step], board: &Board) -> Vec<String> {
    let mut at = board.clone();
    let one = |step: &Step| {
        let (name, next) = played(&at, *step);
        at = next;
        name
    };
    line.iter().map(one).collect()
}

fn played(board: &Board, step: Step) -> (String, Board) {
    match step {
        Step::Move(m) => (board.san(m), board.after(m)),
        Step::Pause => ("--".to_owned(), board.passed().unwrap_or_else(|| board.clone())),
    }
}

/// Writes the trees of a search: whether each is a proof, and every line with what ended it.
///
/// # Errors
/// Those of `out`.
pub fn write(
    board: &Board,
    found: &Found,
    leaves: &Leaves<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let us = board.side_to_move();
    if found.trees.is_empty() {
        return writeln!(out, "{us} has nothing to play for: no tree");
    }
    for tree in &found.trees {
        let value = tree.nodes()[0].value;
        let how = if tree.proves(board, leaves) { "proved" } else { "believed" };
        let claim = match value {
            WIN.. => "wins".to_owned(),
            0 if how == "proved" => "holds".to_owned(),
            v => worth(v),
        };
        writeln!(out, "{how}: {} {claim}; tree of {}", us, counted(tree.moves(), "move", "moves"))?;
        let ply = usize::from(us == Side::Black);
        Printer { tree, leaves, us, first: ply, out }.replies(0, board, ply)?;
    }
    writeln!(out, "{} made, lines growing longer", counted(found.made, "move", "moves"))
}

/// What a value is to the side that moves at the root.
fn worth(value: i32) -> String {
    match value {
        WIN.. => "won".to_owned(),
        0 => "even".to_owned(),
        v if v <= -WIN => "lost".to_owned(),
        v => format!("{v:+} in material"),
    }
}

struct Printer<'a, W> {
    tree: &'a Tree,
    leaves: &'a Leaves<'a>,
    us: Side,
    /// The ply of the root: 1 where Black moves first.
    first: usize,
    out: &'a mut W,
}

impl<W: Write> Printer<'_, W> {
    /// The steps from a node, one line each with what follows by force; those that end for the same
    /// reason share one.
    fn replies(&mut self, at: usize, board: &Board, ply: usize) -> io::Result<()> {
        let indent = 2 * (ply - self.first);
        let mut ends: Vec<(String, Vec<String>)> = Vec::new();
        let mut open = Vec::new();
        for &next in &self.tree.nodes()[at].replies {
            let (name, after) = played(board, self.tree.nodes()[next].step);
            match self.why(&self.tree.nodes()[next], &after) {
                None => open.push((next, name, after)),
                Some(why) => match ends.iter_mut().find(|(known, _)| *known == why) {
                    Some((_, names)) => names.push(name),
                    None => ends.push((why, vec![name])),
                },
            }
        }
        let tries = open.len() > 1 && (ply - self.first).is_multiple_of(2);
        for (next, name, after) in open {
            let value = if tries {
                format!(" ({})", worth(self.tree.nodes()[next].value))
            } else {
                String::new()
            };
            writeln!(self.out, "{:indent$}{}{name}{value}", "", number(ply))?;
            self.replies(next, &after, ply + 1)?;
        }
        for (why, names) in ends {
            writeln!(self.out, "{:indent$}{}{} — {why}", "", number(ply), names.join(", "))?;
        }
        Ok(())
    }

    /// Why a line ends at a node, if it does.
    fn why(&self, node: &Node, board: &Board) -> Option<String> {
        let them = self.us.other();
        let goals = match node.value {
            WIN.. => [Goal { owner: self.us, wins: true }; 2],
            v if v <= -WIN => [Goal { owner: them, wins: true }; 2],
            _ => [self.us, them].map(|owner| Goal { owner, wins: false }),
        };
        let known =
            || goals.iter().find_map(|goal| self.leaves.reached(board, *goal).ok().flatten());
        Some(match node.end? {
            End::Over if board.in_check() => "mate".to_owned(),
            End::Over => "stalemate".to_owned(),
            End::Known => known().map_or_else(|| worth(node.value), |leaf| reason(&leaf)),
            End::Hope => format!("nothing left to hope for ({})", worth(node.value)),
            End::Length => format!("too long ({})", worth(node.value)),
            End::Stopped => "stopped".to_owned(),
        })
    }
}
