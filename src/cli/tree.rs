//! `theta subgoals --tree`: the tree of the search with zones, whole.

use super::cited::{proved, read_rules};
use super::context::counted;
use super::explain::{can_arise, number, reason};
use super::{Context, Exit};
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;
use theta_chess::chess::board::Board;
use theta_chess::chess::{Side, fen};
use theta_chess::library::explain::{Goal, Leaves};
use theta_chess::pioneer::image::Horizon;
use theta_chess::pioneer::search::{Bounds, End, Found, Node, Replies, Step, Tree, WIN, search};

/// Arguments of `theta subgoals --tree`.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "The tree of the search")]
pub struct TreeArgs {
    /// Show the tree of the search with zones instead: each move that it made, and what ended each
    /// line. Lines end where tables or proved rules know the value, or where the zones have no more
    /// to hope for.
    #[arg(long, conflicts_with_all = ["svg", "library"])]
    tree: bool,
    /// Follow every reply of the other side, not only those in the zones: the tree is then a proof,
    /// if all its lines end in what is known.
    #[arg(long, requires = "tree")]
    every_reply: bool,
    /// Men of the largest table that may end a line, kings included; 2 for none.
    #[arg(long, value_name = "N", default_value_t = 3, requires = "tree",
          value_parser = clap::value_parser!(u8).range(2..=5))]
    leaf_men: u8,
    /// Rules that may end lines [default: those that come with the program]. Each is proved first;
    /// the others are left out.
    #[arg(long, value_name = "FILE", requires = "tree")]
    rules: Option<PathBuf>,
    /// End no line by a rule.
    #[arg(long, requires = "tree", conflicts_with = "rules")]
    no_rules: bool,
}

#[derive(Serialize)]
struct Report {
    fen: String,
    horizon: Horizon,
    trees: Vec<TreeReport>,
    /// Moves made, those made again in longer lines included.
    made: u64,
}

#[derive(Serialize)]
struct TreeReport {
    moves: u64,
    /// What the side to move wins, in pawns; 200 and more is a won ending or mate.
    value: i32,
    /// Whether every reply is answered and every line ends in what is known.
    proved: bool,
    line: Vec<String>,
}

impl TreeArgs {
    /// Whether `--tree` was given.
    pub fn wanted(&self) -> bool {
        self.tree
    }

    /// Searches a position and shows the trees.
    ///
    /// # Errors
    /// Bad rules, an unusable cache, output that cannot be written.
    pub fn run(&self, board: &Board, horizon: Horizon, context: &Context) -> anyhow::Result<Exit> {
        let rules = if self.no_rules { Vec::new() } else { read_rules(self.rules.as_deref())? };
        let rules: Vec<_> =
            rules.into_iter().filter(|rule| can_arise(board, rule.material)).collect();
        let Some(book) = proved(&rules, self.rules.is_some(), context)? else {
            return Ok(Exit::Undecided);
        };
        let (tables, budget) = (context.tables()?, context.budget());
        let leaves = Leaves::new(&tables, &book, &[], self.leaf_men.into(), &budget);
        let replies = if self.every_reply { Replies::All } else { Replies::Zones };
        let bounds = Bounds { replies, ..Bounds::of(horizon) };
        let found = search(board, bounds, &leaves, &budget);
        context.clear_progress();
        if context.global.json {
            let trees = found.trees.iter().map(|tree| TreeReport {
                moves: tree.moves(),
                value: tree.nodes()[0].value,
                proved: tree.proves(board, &leaves),
                line: san(&tree.line(0), board),
            });
            let fen = fen(&board.vector());
            context.print_json(&Report {
                fen,
                horizon,
                trees: trees.collect(),
                made: found.made,
            })?;
        } else {
            let mut out = context.out();
            print(board, &found, &leaves, &mut out)?;
            out.flush()?;
        }
        Ok(if found.stop.is_some() { Exit::Undecided } else { Exit::Yes })
    }
}

/// A line in standard notation; `--` is a pause.
fn san(line: &[Step], board: &Board) -> Vec<String> {
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
        Step::Pause => ("--".to_owned(), board.passed().expect("nobody pauses in check")),
    }
}

fn print(
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
