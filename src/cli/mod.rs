//! The command line (docs/guide.md): arguments, printing, exit codes.
//!
//! Results go to stdout, messages and progress to stderr. Each command is a file with its arguments
//! (`Args`) and a `run` that prints and answers with an [`Exit`].

mod accounts;
mod advised;
mod bars;
mod bench;
mod check;
mod choices;
mod cited;
mod compare;
mod context;
mod dead;
mod explain;
mod export;
mod formula;
mod headline;
mod input;
mod intake;
mod length;
mod library;
mod moves;
mod pgn;
mod problem;
mod puzzles;
mod sat;
#[cfg(feature = "serve")]
mod serve;
mod sober;
mod solve;
mod squares;
mod strategy;
mod tables;
mod tree;
mod uci;
mod verify;

mod prove;
mod subgoals;

use clap::{CommandFactory, Parser, Subcommand};
pub use context::{Context, Global, counted, write_whole};
pub use input::{PositionArgs, read_fen};
use std::io;
use std::process::ExitCode;
use theta_kernel::Plain;

/// How a command ended; the process's exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// 0: the question was answered yes, or the work is done.
    Yes,
    /// 1: answered no.
    No,
    /// 2: bad input or usage.
    BadInput,
    /// 3: undecided within the limits.
    Undecided,
    /// 130: interrupted.
    Interrupted,
}

impl Exit {
    fn code(self) -> u8 {
        match self {
            Self::Yes => 0,
            Self::No => 1,
            Self::BadInput => 2,
            Self::Undecided => 3,
            Self::Interrupted => 130,
        }
    }

    /// The exit of a batch: the highest in the order interrupted, 2, 1, 3, 0.
    #[must_use]
    pub fn worst(self, other: Self) -> Self {
        let order = [Self::Interrupted, Self::BadInput, Self::No, Self::Undecided, Self::Yes];
        let rank = |e: Self| order.iter().position(|&o| o == e);
        if rank(other) < rank(self) { other } else { self }
    }
}

/// Chess positions solved by satisfiability: the verdict, its formula, and a strategy that is
/// checked.
#[derive(Debug, Parser)]
#[command(
    name = "theta",
    version,
    max_term_width = 110,
    propagate_version = true,
    arg_required_else_help = true
)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Decide which of Θ1 (White wins), Θ2*=Θ4* (draw), Θ3 (Black wins) is satisfiable.
    Solve(solve::Args),
    /// Prove by subgoals: chains of reduced aims, one certificate.
    Prove(prove::Args),
    /// Propose aims: trajectories, zones and the moves worth trying.
    Subgoals(subgoals::Args),
    /// Say who can still mate by any legal moves, and whether the position is dead.
    Dead(dead::Args),
    /// Show key squares and corresponding squares of a pawn ending.
    Squares(squares::Args),
    /// Rate every legal move: the value and the distance after it.
    Moves(moves::Args),
    /// Solve a chess problem: #n, s#n, r#n, h#n, hs#n, ser-#n and more, printed as composers do.
    Problem(problem::Args),
    /// Print Θ1..Θ4, Hold2, Hold4 or Θ2* as text.
    Formula(formula::Args),
    /// Print the strategy: one move for its owner, every reply to it.
    Strategy(strategy::Args),
    /// Write the game, the model or a bounded statement for other tools.
    Export(export::Args),
    /// Show it all on a page of this machine, and answer programs: tablebase clients and others.
    #[cfg(feature = "serve")]
    Serve(serve::Args),
    /// Be an engine for chess programs (universal chess interface).
    Uci(uci::Args),
    /// Decide whether a CTL formula is satisfiable, with a model.
    Sat(sat::Args),
    /// Put a CTL aim over chess atoms to a position.
    Check(check::Args),
    /// Check a certificate from scratch.
    Verify(verify::Args),
    /// Run a fixed workload: its speed, and a signature that changes only when behaviour does.
    Bench(bench::Args),
    /// Compare with Syzygy tables: a line per disagreement, and totals.
    Compare(compare::Args),
    /// Build, count, list and check our own tables.
    Tables(tables::Args),
    /// The experience of the past: rules proved or refuted with all their counter-examples.
    Library(library::Args),
    /// Print a completion script for a shell.
    #[command(after_help = "Example:\n  theta completions bash > theta.bash")]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page (roff).
    #[command(after_help = "Example:\n  theta man > theta.1")]
    Man,
}

impl Command {
    fn run(&self, context: &Context) -> anyhow::Result<Exit> {
        match self {
            Self::Solve(args) => args.run(context),
            Self::Prove(args) => args.run(context),
            Self::Subgoals(args) => args.run(context),
            Self::Dead(args) => args.run(context),
            Self::Squares(args) => args.run(context),
            Self::Moves(args) => args.run(context),
            Self::Problem(args) => args.run(context),
            Self::Formula(args) => args.run(context),
            Self::Strategy(args) => args.run(context),
            Self::Export(args) => args.run(context),
            #[cfg(feature = "serve")]
            Self::Serve(args) => args.run(context),
            Self::Uci(args) => args.run(context),
            Self::Sat(args) => args.run(context),
            Self::Check(args) => args.run(context),
            Self::Verify(args) => args.run(context),
            Self::Bench(args) => args.run(context),
            Self::Compare(args) => args.run(context),
            Self::Tables(args) => args.run(context),
            Self::Library(args) => args.run(context),
            Self::Completions { shell } => {
                let mut text = Vec::new();
                clap_complete::generate(*shell, &mut Cli::command(), "theta", &mut text);
                context.print(&text)
            }
            Self::Man => {
                let mut text = Vec::new();
                clap_mangen::Man::new(Cli::command()).render(&mut text)?;
                context.print(&text)
            }
        }
    }
}

/// Runs the program with the process's arguments.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // A closed pipe while the help is printed is nobody's mistake.
            let _ = error.print();
            return ExitCode::from(
                if error.use_stderr() { Exit::BadInput } else { Exit::Yes }.code(),
            );
        }
    };
    let context = match Context::new(&cli.global) {
        Ok(context) => context,
        Err(error) => {
            eprintln!("theta: {}", Plain(&format!("{error:#}")));
            return ExitCode::from(Exit::BadInput.code());
        }
    };
    let exit = cli.command.run(&context).unwrap_or_else(|error| {
        let broken_pipe = error.chain().any(|cause| {
            cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
        });
        if broken_pipe {
            return Exit::Yes;
        }
        context.error(&format!("{error:#}"));
        Exit::BadInput
    });
    let interrupted = exit == Exit::Undecided && context.interrupted();
    ExitCode::from(if interrupted { Exit::Interrupted } else { exit }.code())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_batch_ends_with_its_worst() {
        assert_eq!(Exit::Yes.worst(Exit::Undecided), Exit::Undecided);
        assert_eq!(Exit::Undecided.worst(Exit::No), Exit::No);
        assert_eq!(Exit::BadInput.worst(Exit::No), Exit::BadInput);
    }
}
