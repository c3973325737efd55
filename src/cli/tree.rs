//! `theta subgoals --tree`: the tree of the search with zones, whole.

use super::cited::{proved, read_rules};
use super::explain::can_arise;
use super::{Context, Exit};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use theta_chess::chess::board::Board;
use theta_chess::chess::fen;
use theta_chess::export::searched;
use theta_chess::library::explain::Leaves;
use theta_chess::pioneer::image::Horizon;
use theta_chess::pioneer::search::{Bounds, Replies, search};

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
                line: searched::san(&tree.line(0), board),
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
            searched::write(board, &found, &leaves, &mut out)?;
            out.flush()?;
        }
        Ok(if found.stop.is_some() { Exit::Undecided } else { Exit::Yes })
    }
}
