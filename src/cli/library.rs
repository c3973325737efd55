//! `theta library`: the experience of the past, as claims that are checked.

mod endgames;
mod openings;
mod rules;
mod strive;

pub use endgames::read_library;
pub use openings::read_book;
pub use strive::{Report, closest};

use super::{Context, Exit};
use theta_chess::tables::TableError;

/// Arguments of `theta library`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  theta library probe '8/8/8/8/8/1k6/1P6/1K6 w - -'")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Prove rules or refute them: every legal position of their material against the exact tables.
    Rules(rules::Args),
    /// Look a position up in the endgame library: value and first move for either side to move, and
    /// why.
    Probe(endgames::ProbeArgs),
    /// Put every row of an endgame library to the tables; rows that contradict them are rejected.
    Check(endgames::CheckArgs),
    /// Look for library positions of equal material that are close, and the trajectories that lead
    /// there.
    Strive(strive::Args),
    /// Write an endgame library from the tables.
    Generate(endgames::GenerateArgs),
    /// Opening trees and Polyglot books: build, show, convert.
    Openings(openings::Args),
}

impl Args {
    /// Runs the command.
    ///
    /// # Errors
    /// Bad input, an unusable cache, or output that cannot be written.
    pub fn run(&self, context: &Context) -> anyhow::Result<Exit> {
        match &self.command {
            Command::Rules(args) => args.run(context),
            Command::Probe(args) => args.run(context),
            Command::Check(args) => args.run(context),
            Command::Strive(args) => args.run(context),
            Command::Generate(args) => args.run(context),
            Command::Openings(args) => args.run(context),
        }
    }
}

/// A limit is an answer (exit 3); anything else is an error.
fn failed(error: TableError, context: &Context) -> anyhow::Result<Exit> {
    match error {
        TableError::Stopped(reason) => {
            context.error(&format!("undecided: {reason}"));
            Ok(Exit::Undecided)
        }
        error => Err(error.into()),
    }
}
