//! `theta export`: the game, the model or a bounded statement for other tools.

use super::choices::ProofFormatArg;
use super::length::{LONG, say_length};
use super::strategy::{Found, SideArg, solve_certified};
use super::{Context, Exit, read_fen, write_whole};
use anyhow::Context as _;
use serde::Serialize;
use std::io::{self, Write};
use std::ops::ControlFlow::{Break, Continue};
use std::path::{Path, PathBuf};
use theta_chess::certificate::Form;
use theta_chess::chess::{Position, Profile, Side, Vector, fen};
use theta_chess::export::{Outline, Unrolled, coq, graph, horn, smv};
use theta_chess::game::Game;
use theta_chess::limits::{Budget, StopReason};
use theta_chess::sat::{Cnf, ProofError, ProofFormat, prove};
use theta_chess::solve::Engine;

/// Arguments of `theta export`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    theta export '4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -' --format gm -o wall.gm\n  \
    theta export '7k/8/8/5K2/8/8/6Q1/8 w - -' --format smv | NuSMV /dev/stdin\n  \
    theta export '7k/8/8/5K2/8/8/6Q1/8 w - -' --format qdimacs --plies 3 | depqbf\n  \
    theta export '7k/8/8/5K2/8/8/6Q1/8 w - -' --format dimacs --plies 2 -o no.cnf --proof no.drat\n  \
    theta export '8/8/8/3k4/8/8/8/KQ6 w - -' --format coq -o queen.v")]
pub struct Args {
    /// The position in FEN, counters optional, quoted or as separate words.
    #[arg(num_args = 1.., required = true)]
    fen: Vec<String>,
    /// The form.
    #[arg(long, value_enum)]
    format: Format,
    /// The side that wants to mate (in smv: whose strategy) [default: White; in smv: the winner, in
    /// a draw White].
    #[arg(long, value_enum)]
    side: Option<SideArg>,
    /// The number of plies in dimacs and qdimacs.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(0..=200))]
    plies: u32,
    /// Write to this file, whole or not at all.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Decide the formula (horn or dimacs) too, and write the refutation to this file: of horn that
    /// the side can force mate, of dimacs that it has no mate within N plies.
    #[arg(long, value_name = "FILE", requires = "output")]
    proof: Option<PathBuf>,
    /// The form of the refutation.
    #[arg(long, value_enum, default_value_t, requires = "proof")]
    proof_format: ProofFormatArg,
}

/// `--format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// PGSolver's parity game: player 0 wins from vertex 0 when the side can force mate.
    Gm,
    /// Aldebaran's labelled transition system of all legal play.
    Aut,
    /// NuSMV: the model of the verdict, with the paper's aim as its specification.
    Smv,
    /// A picture of all legal play for Graphviz.
    Dot,
    /// "The side mates within N plies" as a propositional formula, satisfiable when it is true.
    Dimacs,
    /// The same as a quantified formula, one block for each ply.
    Qdimacs,
    /// "The side can force mate" as a Horn formula, unsatisfiable when it is true.
    Horn,
    /// The verdict as a theorem of Coq with its certificate, proved by computation (`proof/`).
    Coq,
}

/// What is written, or why there is nothing to write.
enum Subject {
    Game(Game),
    Quantified(Unrolled),
    Formula(Cnf, String),
    Model(theta_chess::certificate::Certificate, Side),
    /// The text of the theorem.
    Theorem(Vec<u8>),
}

/// The outcome of `--proof`.
#[derive(Serialize)]
struct Decided {
    fen: String,
    #[serde(serialize_with = "theta_chess::chess::serialize_side")]
    side: Side,
    format: &'static str,
    variables: u32,
    clauses: usize,
    satisfiable: bool,
    /// What that means of the position.
    meaning: String,
    /// The file of the refutation, or null.
    proof: Option<String>,
    proof_format: ProofFormat,
}

/// A refutation kept until it is whole; at the end of the budget it takes no more, and the search
/// for it ends.
struct Refutation {
    bytes: Vec<u8>,
    budget: Budget,
}

impl Write for Refutation {
    fn write(&mut self, step: &[u8]) -> io::Result<usize> {
        self.budget.check(0, self.bytes.len() as u64).map_err(io::Error::other)?;
        self.bytes.write(step)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Args {
    /// Runs the command.
    ///
    /// # Errors
    /// Bad input, or output that cannot be written.
    pub fn run(&self, context: &Context) -> anyhow::Result<Exit> {
        anyhow::ensure!(
            self.proof.is_none() || matches!(self.format, Format::Horn | Format::Dimacs),
            "--proof goes with --format horn and --format dimacs"
        );
        let root = read_fen(&self.fen.join(" "), Profile::Fide)?;
        let subject = match self.format {
            Format::Smv => match self.model(&root, context)? {
                Continue(subject) => subject,
                Break(exit) => return Ok(exit),
            },
            Format::Coq => match theorem(&root, context)? {
                Continue(subject) => subject,
                Break(exit) => return Ok(exit),
            },
            _ => match self.explore(root.vector(), context) {
                Ok(subject) => subject,
                Err(reason) => {
                    context.clear_progress();
                    context.say(&format!("nothing written: {reason}"));
                    return Ok(Exit::Undecided);
                }
            },
        };
        context.clear_progress();
        if matches!(&subject, Subject::Game(game) if game.len() > LONG) {
            say_length(context, &context.budget(), |out| self.write(&subject, out));
        }
        match self.output.as_deref().unwrap_or(Path::new("-")) {
            path if path.as_os_str() == "-" => {
                let mut out = context.out();
                self.write(&subject, &mut out)?;
                out.flush()?;
            }
            path => write_whole(path, |out| self.write(&subject, out))?,
        }
        match (&self.proof, &subject) {
            (Some(path), Subject::Formula(cnf, _)) => {
                self.decide(root.vector(), cnf, path, context)
            }
            _ => Ok(Exit::Yes),
        }
    }

    /// Decides a formula and writes the refutation, if there is one.
    fn decide(
        &self,
        root: &Vector,
        cnf: &Cnf,
        path: &Path,
        context: &Context,
    ) -> anyhow::Result<Exit> {
        let mut refutation = Refutation { bytes: Vec::new(), budget: context.budget() };
        let satisfiable = match prove(cnf, self.proof_format.into(), &mut refutation) {
            Ok(answer) => answer.is_satisfiable(),
            Err(ProofError::Output(error)) => {
                context.say(&format!("no proof: {error}"));
                return Ok(Exit::Undecided);
            }
            Err(rejected) => return Err(rejected.into()),
        };
        if !satisfiable {
            write_whole(path, |out| out.write_all(&refutation.bytes)).context("the proof")?;
        }
        let (owner, plies) = (self.owner(), self.plies);
        let decided = Decided {
            fen: fen(root),
            side: owner,
            format: if self.format == Format::Horn { "horn" } else { "dimacs" },
            variables: cnf.variables(),
            clauses: cnf.len(),
            satisfiable,
            meaning: match (self.format, satisfiable) {
                (Format::Horn, false) => format!("{owner} can force mate"),
                (Format::Horn, true) => format!("{owner} cannot force mate"),
                (_, false) => format!("{owner} has no mate within {plies} plies"),
                (_, true) => format!("{owner} mates within {plies} plies"),
            },
            proof: (!satisfiable).then(|| path.display().to_string()),
            proof_format: self.proof_format.into(),
        };
        if context.global.json {
            context.print_json(&decided)?;
        } else {
            let word = if satisfiable { "satisfiable" } else { "unsatisfiable" };
            let mut out = context.out();
            writeln!(
                out,
                "{word} ({} variables, {} clauses): {}",
                decided.variables, decided.clauses, decided.meaning
            )?;
            match &decided.proof {
                Some(path) => writeln!(out, "proof: {path}, accepted by varisat's checker")?,
                None => writeln!(out, "no proof: the formula has a model")?,
            }
            out.flush()?;
        }
        Ok(if satisfiable { Exit::No } else { Exit::Yes })
    }

    fn owner(&self) -> Side {
        self.side.map_or(Side::White, Side::from)
    }

    fn explore(&self, root: &Vector, context: &Context) -> Result<Subject, StopReason> {
        let budget = context.budget();
        budget.check(0, 0)?;
        let bounded = || Unrolled::new(root, self.owner(), self.plies, &budget);
        let game = || Game::explore(root, Profile::Fide, &budget).map_err(|stopped| stopped.reason);
        Ok(match self.format {
            Format::Dimacs => {
                let unrolled = bounded()?;
                Subject::Formula(
                    unrolled.formula(),
                    format!("{}: satisfiable exactly when that is true", unrolled.title()),
                )
            }
            Format::Qdimacs => Subject::Quantified(bounded()?),
            Format::Horn => {
                let game = game()?;
                Subject::Formula(
                    horn::formula(&game, self.owner()),
                    horn::title(&game, self.owner()),
                )
            }
            _ => Subject::Game(game()?),
        })
    }

    fn model(&self, root: &Position, context: &Context) -> anyhow::Result<Found<Subject>> {
        let certificate = match solve_certified(root, Engine::Auto, None, context)? {
            Continue(certified) => certified.certificate,
            Break(exit) => return Ok(Break(exit)),
        };
        let side = self.side.map_or(certificate.strategies[0].owner(), Side::from);
        if certificate.strategies.iter().all(|s| s.owner() != side) {
            context.say(&format!("no strategy for {side}: {}", certificate.claim));
            return Ok(Break(Exit::No));
        }
        Ok(Continue(Subject::Model(certificate, side)))
    }

    fn write(&self, subject: &Subject, out: &mut dyn Write) -> io::Result<()> {
        match (subject, self.format) {
            (Subject::Game(game), Format::Gm) => graph::write_parity_game(game, self.owner(), out),
            (Subject::Game(game), Format::Aut) => graph::write_aut(game, out),
            (Subject::Game(game), _) => graph::write_dot(game, out),
            (Subject::Quantified(unrolled), _) => unrolled.write_qdimacs(out),
            (Subject::Theorem(text), _) => out.write_all(text),
            (Subject::Formula(cnf, title), _) => cnf.write_dimacs(std::slice::from_ref(title), out),
            (Subject::Model(certificate, side), _) => {
                let outline =
                    Outline::new(certificate, *side, None).expect("the strategy was looked up");
                smv::write(&outline, out)
            }
        }
    }
}

/// The verdict with its certificate as a theorem. A closed set, which the proved checker does not
/// cover, is replaced by a strategy that proof search finds.
fn theorem(root: &Position, context: &Context) -> anyhow::Result<Found<Subject>> {
    let mut bytes = match file(root, Engine::Auto, context)? {
        Continue(bytes) => bytes,
        Break(exit) => return Ok(Break(exit)),
    };
    if coq::covered(&theta_kernel::Certificate::read(&bytes)?).is_err() {
        bytes = match file(root, Engine::Search, context)? {
            Continue(bytes) => bytes,
            Break(exit) => return Ok(Break(exit)),
        };
    }
    let mut text = Vec::new();
    coq::write(&theta_kernel::Certificate::read(&bytes)?, &mut text)?;
    Ok(Continue(Subject::Theorem(text)))
}

/// The certificate that this engine finds, as a file.
fn file(root: &Position, engine: Engine, context: &Context) -> anyhow::Result<Found<Vec<u8>>> {
    let certificate = match solve_certified(root, engine, None, context)? {
        Continue(certified) => certified.certificate,
        Break(exit) => return Ok(Break(exit)),
    };
    let mut bytes = Vec::new();
    certificate.write_as(Form::Moves, &mut bytes)?;
    Ok(Continue(bytes))
}
