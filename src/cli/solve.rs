//! `theta solve`: which of Θ1, Θ2*=Θ4*, Θ3 is satisfiable.

use super::advised::AdviceArgs;
use super::choices::EngineArg;
use super::cited::RuleArgs;
use super::headline::{headline, print_relied};
use super::{Context, Exit, PositionArgs};
use super::{counted, write_whole};
use serde::Serialize;
use std::io::{self, Write};
use std::ops::ControlFlow::{Break, Continue};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use theta_chess::certificate::Certificate;
use theta_chess::chess::{Board, Profile};
use theta_chess::library::endgames::built_in;
use theta_chess::library::striving::Nearness;
use theta_chess::limits::StopReason;
use theta_chess::solve::{Annotation, CertificateError, Options, Report, Verdict};
use theta_chess::tables::Tables;

/// Arguments of `theta solve`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    theta solve '7k/8/5K2/8/8/8/6Q1/8 w - -' --literal --cert kqk.cert\n  \
    head -9 positions/mates_in_2.epd | theta solve -\n  \
    theta solve --puzzles positions/puzzles.csv --json\n\n\
    After `best:` stand all first moves that keep the value (and mate as soon); after `plays:` \
    those that are proved to, where others may do it too.\n\n\
    In a batch, what a line claims (EPD operations bm, am, dm, ce, pv) is held against the proved result, and the line's id is printed.")]
pub struct Args {
    #[command(flatten)]
    positions: PositionArgs,
    /// A file of games: every position of the main lines, and where the proved value changed; `-`
    /// is standard input.
    #[arg(long, value_name = "FILE", group = "PositionArgs")]
    pgn: Option<PathBuf>,
    /// The engine that decides.
    #[arg(long, value_enum, default_value_t)]
    engine: EngineArg,
    /// Add the satisfiability of the printed Θ1..Θ4 (explores the whole graph).
    #[arg(long)]
    literal: bool,
    /// Try only moves of the owner's that lead to positions where φ holds, such as `count(P) = 8`. What
    /// is proved holds without that too; what is not is unknown.
    #[arg(long, value_name = "φ")]
    keep: Option<String>,
    /// Make a win shorter, or prove that it is the shortest, for as long as the limits allow. Without
    /// this it may take a few times as long as finding the win took.
    #[arg(long)]
    shortest: bool,
    /// The rules: the laws of chess, or the paper as printed.
    #[arg(long, value_enum, default_value = "fide")]
    profile: ProfileArg,
    /// Write the certificate to this file. If the value stays undecided, the certificate proves that
    /// one side holds, or else the strongest aim that is proved.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["epd", "puzzles", "pgn"])]
    cert: Option<PathBuf>,
    #[command(flatten)]
    advice: AdviceArgs,
    #[command(flatten)]
    rules: RuleArgs,
    /// Prove what rests on the Syzygy tables of --syzygy by our own tables too, so that the
    /// certificate needs nobody; what cannot be replaced stays named.
    #[arg(long)]
    self_contained: bool,
    /// The search asks endgame tables of at most so many men, kings included; 2 for none. Tables of
    /// five men are asked only if they are in the cache already; they are not built for the search.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u8).range(2..=5))]
    table_men: u8,
    /// Begin every line of a batch afresh. Else what the search proves of positions is kept from line to
    /// line, and from position to position of a game; not with --positions, where every line is to
    /// have the same answer wherever it stands.
    #[arg(long)]
    afresh: bool,
    /// Search first where a won position of these tables or of the endgame library is near. Wins may
    /// become shorter; on average more positions are visited.
    #[arg(long)]
    strive: bool,
}

/// The report of a position, with what its line claimed.
#[derive(Serialize)]
struct Judged {
    #[serde(flatten)]
    report: Report,
    /// A first move that looks best where none is proved.
    #[serde(skip_serializing_if = "Option::is_none")]
    guess: Option<String>,
    #[serde(skip)]
    guess_san: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    epd: Option<Annotation>,
}

impl Judged {
    fn new(verdict: &Verdict, report: Report, epd: Option<Annotation>) -> Self {
        let board = verdict.root().board();
        let open = verdict.value().is_none();
        let guess = if open { verdict.guess() } else { None };
        let guess_san = guess.and_then(|m| board.find(m)).map(|legal| board.san(legal));
        Self { report, guess: guess.map(|m| m.to_string()), guess_san, epd }
    }
}

/// Claims of the lines, counted: they agree with what is proved, differ from it, or are not
/// decided.
#[derive(Default)]
struct Tally([u64; 3]);

impl Tally {
    fn add(&mut self, annotation: &Annotation) {
        for claim in &annotation.claims {
            self.0[claim.agrees.map_or(2, |agrees| usize::from(!agrees))] += 1;
        }
    }

    fn say(&self, context: &Context) {
        let [agree, differ, open] = self.0;
        if agree + differ + open > 0 {
            context.say(&format!(
                "claims of the lines: {agree} agree, {differ} differ, {open} not decided"
            ));
        }
    }
}

/// `--profile`.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub enum ProfileArg {
    /// The laws of chess.
    Fide,
    /// The paper's rules as printed.
    Paper,
}

impl From<ProfileArg> for Profile {
    fn from(arg: ProfileArg) -> Self {
        match arg {
            ProfileArg::Fide => Self::Fide,
            ProfileArg::Paper => Self::Paper,
        }
    }
}

impl Args {
    /// Runs the command.
    ///
    /// # Errors
    /// Bad input, or output that cannot be written.
    pub fn run(&self, context: &Context) -> anyhow::Result<Exit> {
        let profile = self.profile.into();
        anyhow::ensure!(
            self.cert.is_none() || profile == Profile::Fide,
            "certificates are of the fide profile only; leave out --profile paper"
        );
        let options = Options::default()
            .with_engine(self.engine.into())
            .with_profile(profile)
            .with_literal(self.literal)
            .with_shortest(self.shortest)
            .with_self_contained(self.self_contained)
            .with_table_men(self.table_men.into());
        let learns = !self.afresh && context.global.positions.is_none();
        if let Some(path) = &self.pgn {
            return super::pgn::run(path, options, learns, context);
        }
        let rules = self.rules.book(context)?;
        if self.rules.wanted() && rules.is_none() {
            return Ok(Exit::Undecided);
        }
        let mut solver = context.solver_on_syzygy()?.with_options(options);
        if let Some(rules) = &rules {
            solver = solver.with_rules(Arc::clone(rules));
        }
        if let Some(keep) = &self.keep {
            solver = solver.with_keep(super::context::kept(keep)?);
        }
        let adviser = match self.advice.adviser(context)? {
            Continue(adviser) => adviser,
            Break(exit) => return Ok(exit),
        };
        if let Some(adviser) = &adviser {
            solver = solver.with_adviser(Arc::clone(adviser));
        }
        if self.strive {
            let nearness = Nearness::new(self.table_men.min(4).into(), &built_in());
            solver = solver.with_outlook(Arc::new(nearness));
        }
        if learns && self.positions.are_many() {
            solver = solver.learning();
        }
        let mut tally = Tally::default();
        let exit = self.positions.for_each(context, profile, |batch| {
            let budget = context.question_budget();
            let verdict = solver.solve(&batch.position, &budget)?;
            let mut report = verdict.report();
            let mut exit = if verdict.value().is_some() { Exit::Yes } else { Exit::Undecided };
            let mut unwritten = None;
            if let Some(path) = &self.cert {
                match verdict.certificate_within(budget.with_at_least(verdict.grace())) {
                    Err(CertificateError::Undecided) => {
                        context.say(&format!(
                            "{}; {} is not written",
                            CertificateError::Undecided,
                            path.display()
                        ));
                    }
                    Ok(certificate) => {
                        unwritten = write(&verdict, &certificate, &mut report, path).err();
                    }
                    Err(stopped @ CertificateError::Stopped(_)) => {
                        context.error(&format!("{stopped}; {} is not written", path.display()));
                        exit = Exit::Undecided;
                    }
                    Err(error) => return Err(blamed(error, &batch.position.board(), context)),
                }
            }
            context.clear_progress();
            context.name_faults();
            let judged = Judged::new(&verdict, report, verdict.judge(&batch.operations));
            judged.epd.iter().for_each(|annotation| tally.add(annotation));
            if context.global.json {
                context.print_json(&judged)?;
            } else {
                print_text(&judged, batch.line.is_some(), &mut context.out())?;
            }
            if batch.line.is_none()
                && let Some(advice) = advice(&verdict, context)
            {
                context.say(&advice);
            }
            // A full disk does not make the answer unknown: it is told first.
            unwritten.map_or(Ok(exit), Err)
        })?;
        tally.say(context);
        if let Some(adviser) = &adviser {
            self.advice.finish(adviser, context)?;
        }
        Ok(exit)
    }
}

/// Writes the certificate to its file, and that of what is secured beside it.
fn write(
    verdict: &Verdict,
    certificate: &Certificate,
    report: &mut Report,
    path: &Path,
) -> anyhow::Result<()> {
    write_whole(path, |out| certificate.write(out))?;
    report.certificate = Some(path.display().to_string());
    write_secured(verdict, report, path)
}

/// Where a bound and an aim are proved, the certificate of the aim goes to a file beside that of the
/// bound: `win.cert` has `win.secured.cert` at its side.
fn write_secured(verdict: &Verdict, report: &mut Report, path: &Path) -> anyhow::Result<()> {
    let (Some(secured), Some(told)) = (verdict.secured(), &mut report.secured) else {
        return Ok(());
    };
    if verdict.bounds().is_empty() || path == Path::new("-") {
        return Ok(());
    }
    let ending = path.extension().map_or_else(String::new, |end| format!(".{}", end.display()));
    let beside = path.with_extension(format!("secured{ending}"));
    write_whole(&beside, |out| secured.certificate().write(out))?;
    told.certificate = Some(beside.display().to_string());
    Ok(())
}

/// What to try next where a position is not decided.
fn advice(verdict: &Verdict, context: &Context) -> Option<String> {
    if verdict.value().is_some() {
        return None;
    }
    let limit = match verdict.stop()? {
        StopReason::Time => match context.default_time() {
            Some(time) => format!(
                "{} s are the limit in a terminal; --time 10m or so may decide it",
                time.as_secs()
            ),
            None => "more --time may decide it".to_string(),
        },
        StopReason::Memory => "more --memory may decide it".to_string(),
        StopReason::Positions => "more --positions may decide it".to_string(),
        StopReason::Interrupted => return None,
        StopReason::Exhausted => "no method is left that may decide it".to_string(),
    };
    Some(format!(
        "{limit}; `theta prove` asks what else can be forced, `theta moves` about each move"
    ))
}

/// Why there is no certificate; where the engine's moves are no strategy, stored tables may be
/// wrong, and those that are get named and set aside.
fn blamed(error: CertificateError, board: &Board, context: &Context) -> anyhow::Error {
    let audit = || {
        let material = Tables::material_of(board)?;
        context.tables().ok()?.audit(material, &context.budget()).ok()
    };
    let wrong = match error {
        CertificateError::Build(_) | CertificateError::Gap(_) => audit().unwrap_or_default(),
        _ => Vec::new(),
    };
    let error = anyhow::Error::new(error).context("no certificate");
    if wrong.is_empty() {
        return error;
    }
    let tables = wrong.join("; ");
    error.context(format!("{tables}; set aside: run the command again, and it is built anew"))
}

fn print_text(
    Judged { report, epd, guess_san, .. }: &Judged,
    one_line: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    const BOLD: &str = "\x1b[1m";
    const PLAIN: &str = "\x1b[0m";
    let best = if report.best_complete { "best" } else { "plays" };
    if one_line {
        write!(
            out,
            "{}\t{BOLD}{}{PLAIN}\t{}",
            report.fen,
            headline(report),
            report.best_san.join(" ")
        )?;
        if !report.relies_on.is_empty() {
            write!(out, "\trelies on {}", report.relies_on.join(", "))?;
        }
        epd.iter().try_for_each(|annotation| write!(out, "\t{annotation}"))?;
        writeln!(out)?;
        return out.flush();
    }
    writeln!(out, "{BOLD}{}{PLAIN}", headline(report))?;
    if !report.best_san.is_empty() {
        writeln!(out, "{best}: {}", report.best_san.join(" "))?;
    }
    if let Some(secured) = &report.secured {
        let plies = counted(secured.plies.into(), "ply", "plies");
        let first = secured.first_san.iter().map(|san| format!(": {san}")).collect::<String>();
        writeln!(out, "proved: {}, in at most {plies}{first}", secured.claim)?;
    }
    if let Some(san) = guess_san {
        writeln!(out, "a guess, not proved: {san}")?;
    }
    for link in &report.chain {
        writeln!(out, "{link}")?;
    }
    print_relied(&report.relies_on, out)?;
    if let Some(literal) = report.literal {
        let word = |b: bool| if b { "satisfiable" } else { "unsatisfiable" };
        writeln!(
            out,
            "as printed: Θ1 {}, Θ2 {}, Θ3 {}, Θ4 {}",
            word(literal.theta1),
            word(literal.theta2),
            word(literal.theta3),
            word(literal.theta4)
        )?;
    }
    if let Some(path) = &report.certificate {
        writeln!(out, "certificate: {path}")?;
    }
    if let Some(path) = report.secured.as_ref().and_then(|secured| secured.certificate.as_ref()) {
        writeln!(out, "certificate of what is secured: {path}")?;
    }
    writeln!(
        out,
        "engine {}, {}, {:.2} s",
        report.engine,
        counted(report.positions, "position", "positions"),
        report.seconds
    )?;
    out.flush()
}
