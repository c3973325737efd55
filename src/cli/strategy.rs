//! `theta strategy`: the model as a tree of moves.

use super::choices::EngineArg;
use super::intake::{self, Intake};
use super::{Context, Exit, read_fen, write_whole};
use anyhow::Context as _;
use std::io::{self, Write};
use std::ops::ControlFlow::{self, Break, Continue};
use std::path::{Path, PathBuf};
use theta_chess::certificate::{Certificate, Claim};
use theta_chess::chess::{Position, Profile, Side, Value};
use theta_chess::export::{Outline, dot, html, json, pgn, svg, text};
use theta_chess::solve::{CertificateError, Engine, Options, Solver};
use theta_chess::verify::{Rejection, verify_with};

/// Arguments of `theta strategy`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    theta strategy '7k/8/5K2/8/8/8/6Q1/8 b - -'\n  \
    theta strategy '7k/8/5K2/8/8/8/6Q1/8 b - -' --format html -o kqk.html\n  \
    theta strategy --from kqk.cert --format pgn --depth 5\n\n\
    In the text and the PGN, [7] names a position and = [7] says that the line goes on as written there.")]
pub struct Args {
    /// The position in FEN, counters optional, quoted or as separate words.
    #[arg(num_args = 1.., required_unless_present = "from", conflicts_with = "from")]
    fen: Vec<String>,
    /// Read the strategy from a certificate, which is verified first; `-` is standard input.
    #[arg(long, value_name = "CERT")]
    from: Option<PathBuf>,
    /// The form in which the strategy is written.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Follow only this many moves of the side whose strategy it is.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    /// The side whose strategy is shown [default: the winner; in a draw both sides].
    #[arg(long, value_enum)]
    side: Option<SideArg>,
    /// How many bytes of strategy an HTML page may carry. The page says what is left out.
    #[arg(long, value_name = "SIZE", value_parser = super::context::parse_size_usize, default_value = "4M")]
    size_limit: usize,
    /// The engine that decides.
    #[arg(long, value_enum, default_value_t, conflicts_with = "from")]
    engine: EngineArg,
    /// Try only moves of the owner's that lead to positions where φ holds, such as `count(P) = 8`.
    #[arg(long, value_name = "φ", conflicts_with = "from")]
    keep: Option<String>,
    /// Prove what rests on the Syzygy tables of --syzygy by our own tables too.
    #[arg(long, conflicts_with = "from")]
    self_contained: bool,
    /// Draw the position alone: a diagram (--format svg) that does not tell the solution.
    #[arg(long)]
    no_arrows: bool,
    /// Write to this file, whole or not at all.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    explain: super::explain::Explain,
}

/// `--format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
enum Format {
    /// An indented tree.
    #[default]
    Text,
    /// A game with variations; a draw's two strategies are two games.
    Pgn,
    /// One object per strategy, positions referred to by number.
    Json,
    /// A graph for Graphviz.
    Dot,
    /// A diagram of the position: the owner's move, or the replies to choose from.
    Svg,
    /// A page to walk through, complete in one file.
    Html,
    /// The certificate.
    Cert,
}

/// `--side`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum SideArg {
    White,
    Black,
}

impl From<SideArg> for Side {
    fn from(arg: SideArg) -> Self {
        match arg {
            SideArg::White => Self::White,
            SideArg::Black => Self::Black,
        }
    }
}

/// A certificate, and whether it is proved beside it that no mate takes fewer plies.
pub(super) struct Certified {
    pub(super) certificate: Certificate,
    pub(super) shortest: bool,
}

/// What was looked for, or how the command ends without it.
pub(super) type Found<T> = ControlFlow<Exit, T>;

/// Solves a position and builds its certificate. When a limit is reached first, the user has been
/// told so.
///
/// # Errors
/// An engine that cannot be asked, or fails.
pub(super) fn solve_certified(
    root: &Position,
    engine: Engine,
    keep: Option<&str>,
    context: &Context,
) -> anyhow::Result<Found<Certified>> {
    let solver = context.solver()?.with_engine(engine);
    certified_by(solver, root, keep, context)
}

/// As [`solve_certified`], with this solver.
fn certified_by(
    mut solver: Solver,
    root: &Position,
    keep: Option<&str>,
    context: &Context,
) -> anyhow::Result<Found<Certified>> {
    let budget = context.question_budget();
    if let Some(keep) = keep {
        solver = solver.with_keep(super::context::kept(keep)?);
    }
    let verdict = solver.solve(root, &budget)?;
    context.name_faults();
    verdict.relies_on().iter().for_each(|words| context.say(&format!("relies on {words}")));
    match verdict.certificate_within(budget.with_at_least(verdict.grace())) {
        Ok(certificate) => {
            let plies = verdict.value().and_then(Value::plies);
            let as_soon = matches!(certificate.claim, Claim::Wins(_, n) if Some(n) == plies);
            let shortest = verdict.is_shortest() && as_soon;
            Ok(Continue(Certified { certificate, shortest }))
        }
        Err(CertificateError::Undecided) => {
            context.say(&format!("no strategy: {}", super::headline::headline(&verdict.report())));
            Ok(Break(Exit::Undecided))
        }
        Err(stopped @ CertificateError::Stopped(_)) => {
            context.say(&stopped.to_string());
            Ok(Break(Exit::Undecided))
        }
        Err(error) => Err(error).context("no strategy"),
    }
}

impl Args {
    /// Runs the command.
    ///
    /// # Errors
    /// Bad input, or output that cannot be written.
    pub fn run(&self, context: &Context) -> anyhow::Result<Exit> {
        if self.explain.wanted() && self.from.is_none() {
            let root = read_fen(&self.fen.join(" "), Profile::Fide)?;
            return self.explain.run(
                &root,
                self.engine.into(),
                self.side.map(Side::from),
                self.output.as_deref(),
                context,
            );
        }
        let found = match &self.from {
            Some(path) => read_verified(path, context)?,
            None => {
                let root = read_fen(&self.fen.join(" "), Profile::Fide)?;
                let options = Options::default()
                    .with_engine(self.engine.into())
                    .with_self_contained(self.self_contained);
                let solver = context.solver_on_syzygy()?.with_options(options);
                certified_by(solver, &root, self.keep.as_deref(), context)?
            }
        };
        let Certified { mut certificate, shortest } = match found {
            Continue(certified) => certified,
            Break(exit) => return Ok(exit),
        };
        if self.explain.wanted() {
            let (side, output) = (self.side.map(Side::from), self.output.as_deref());
            return self.explain.of_certificate(&certificate, side, output, context);
        }
        anyhow::ensure!(
            self.format == Format::Cert || certificate.cited().is_empty(),
            "Syzygy tables end its lines, so there is no whole strategy to show; --self-contained \
             proves it without them, --format cert writes it as it is"
        );
        if let Some(side) = self.side.map(Side::from) {
            let claim = certificate.claim;
            let Some(own) = certificate.of_side(side) else {
                context.say(&format!("no strategy for {side}: {claim}"));
                return Ok(Exit::No);
            };
            certificate = own;
        }
        let certified = Certified { certificate, shortest };
        context.clear_progress();
        match &self.output {
            Some(path) => write_whole(path, |out| self.write(&certified, context, out))?,
            None if self.format == Format::Cert => {
                write_whole(Path::new("-"), |out| self.write(&certified, context, out))?;
            }
            None => self.write(&certified, context, &mut context.out())?,
        }
        Ok(Exit::Yes)
    }

    fn write(
        &self,
        Certified { certificate, shortest }: &Certified,
        context: &Context,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let format = if context.global.json && self.format == Format::Text {
            Format::Json
        } else {
            self.format
        };
        let owners = certificate.strategies.iter().map(|s| s.owner());
        let outline = |owner| {
            let outline = Outline::new(certificate, owner, self.depth);
            outline.expect("a strategy of its owner").with_shortest(*shortest)
        };
        match format {
            Format::Cert => return certificate.write(out),
            Format::Html => {
                return html::write(&owners.map(outline).collect::<Vec<_>>(), self.size_limit, out);
            }
            Format::Svg => {
                let root = certificate.root();
                let shown = owners
                    .clone()
                    .find(|&owner| owner == Side::to_move(root))
                    .or_else(|| owners.clone().next());
                let outline = Outline::new(certificate, shown.expect("a strategy"), Some(1))
                    .expect("of its owner");
                let mut marks = svg::Marks::of_root(&outline);
                if self.no_arrows {
                    marks.arrows.clear();
                }
                return svg::write(root, &marks, out);
            }
            Format::Text | Format::Pgn | Format::Json | Format::Dot => {}
        }
        for (k, outline) in owners.map(outline).enumerate() {
            if k > 0 && format == Format::Text {
                writeln!(out)?;
            }
            match format {
                Format::Text => text::write(&outline, out)?,
                Format::Pgn => pgn::write(&outline, out)?,
                Format::Json => json::write(&outline, out)?,
                Format::Dot => dot::write(&outline, out)?,
                Format::Svg | Format::Html | Format::Cert => unreachable!("written above"),
            }
        }
        out.flush()
    }
}

/// The certificate in a file, if `verify` accepts it.
fn read_verified(path: &Path, context: &Context) -> anyhow::Result<Found<Certified>> {
    let name = path.display().to_string();
    let budget = context.budget();
    let bytes = match intake::read(path, &budget)? {
        Intake::Whole(bytes, _) => bytes,
        Intake::Stopped(stop) => {
            context.say(&format!("{name}: not read to the end: {stop}"));
            return Ok(Break(Exit::Undecided));
        }
        Intake::Rejected(fault) if Rejection::from(fault.clone()).is_unreadable() => {
            return Err(anyhow::Error::new(fault).context(name));
        }
        Intake::Rejected(fault) => {
            context.error(&format!("{name} is rejected: {fault}"));
            return Ok(Break(Exit::No));
        }
    };
    budget.progress().stage("checking positions", None);
    let mut go_on = |done: u64| {
        budget.progress().advance(done);
        budget.check(done, 0).is_ok()
    };
    let citations = super::cited::Citations::new(false, context)?;
    let mut prove = |texts: &[String]| citations.prove(texts, &budget, context);
    match verify_with(&bytes, budget.limits().threads, &mut prove, &mut go_on) {
        Err(error) if error.is_unreadable() => Err(anyhow::Error::new(error).context(name)),
        Err(error) => {
            context.error(&format!("{name} is rejected: {error}"));
            Ok(Break(Exit::No))
        }
        Ok(None) => {
            context.say(&format!("{name}: not checked to the end"));
            Ok(Break(Exit::Undecided))
        }
        Ok(Some(proved)) if !proved.rules.is_empty() => {
            anyhow::bail!("{name}: proved rules end its lines, so it has no whole strategy to show")
        }
        Ok(Some(_)) => {
            // That fewer plies are not enough is no part of a certificate.
            let certificate = Certificate::read(bytes.as_slice())?;
            Ok(Continue(Certified { certificate, shortest: false }))
        }
    }
}
