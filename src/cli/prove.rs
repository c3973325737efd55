//! `theta prove`: proof by subgoals.

use super::cited::RuleArgs;
use super::headline::print_relied;
use super::strategy::SideArg;
use super::{Context, Exit, PositionArgs, counted, write_whole};
use anyhow::Context as _;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use theta_chess::aim::{Aim, Goal};
use theta_chess::chess::{Profile, Side, UNMEASURED, Value};
use theta_chess::library::endgames::built_in;
use theta_chess::limits::{Budget, StopReason};
use theta_chess::pioneer::image::Horizon;
use theta_chess::solve::{CertificateError, Link, Options, Verdict, Zones, value_word};

/// Arguments of `theta prove`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  theta prove '2r4k/6pp/8/6N1/8/1Q6/8/7K w - -' --cert mate.cert && theta verify mate.cert\n  \
    theta prove 'r3k3/2N5/8/8/8/8/5PPP/6K1 b - -' --side white --aim 'AF count(r) = 0'\n\n\
    Exit code: 0 when the aim, or without --aim the value of the position, is proved; 1 when the aim is proved to be \
    out of reach; 3 when neither, also if some other aim is proved and shown."
)]
pub struct Args {
    #[command(flatten)]
    positions: PositionArgs,
    /// The aim to prove, of the form AF φ [default: whatever can be proved, the value first].
    #[arg(long)]
    aim: Option<String>,
    /// The side that shall reach the aim [default: the side to move]. If it is the side that is not
    /// to move, an answer is looked for to each possible move of the opponent.
    #[arg(long, value_enum)]
    side: Option<SideArg>,
    /// How many plies ahead the zones look at first. The horizon grows while time remains.
    #[arg(long, value_name = "H", default_value_t = 4)]
    horizon: u32,
    /// Which moves of the attacker are tried. The defender always has all of its legal moves.
    #[arg(long, value_enum, default_value_t = ZonesArg::Auto)]
    zones: ZonesArg,
    /// Use endgame tables of at most so many men, kings included (3 to 5).
    #[arg(long, value_name = "MEN", default_value_t = 5, value_parser = clap::value_parser!(u8).range(3..=5))]
    table_men: u8,
    /// Also aim at won positions of the endgame library that are close, and at endings one capture
    /// away that tables know to be won.
    #[arg(long)]
    strive: bool,
    /// Try only moves of the owner's that lead to positions where φ holds, such as `count(P) = 8`.
    /// What is proved holds without that too; what is not is unknown.
    #[arg(long, value_name = "φ", conflicts_with_all = ["strive", "zones"])]
    keep: Option<String>,
    #[command(flatten)]
    rules: RuleArgs,
    /// Prove what rests on the Syzygy tables of --syzygy by our own tables too.
    #[arg(long)]
    self_contained: bool,
    /// Write the certificate of the win, the draw or the aim to this file.
    #[arg(long, value_name = "FILE")]
    cert: Option<PathBuf>,
}

/// How zones limit the attacker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ZonesArg {
    /// Zones or all moves, whichever was measured to be better for such positions.
    Auto,
    /// The moves of the zones first, and all moves if these do not suffice.
    First,
    /// Only the moves of the zones; that nothing is found then proves nothing.
    Only,
    /// All moves from the start.
    Off,
}

impl From<ZonesArg> for Zones {
    fn from(arg: ZonesArg) -> Self {
        match arg {
            ZonesArg::Auto => Self::Auto,
            ZonesArg::First => Self::First,
            ZonesArg::Only => Self::Only,
            ZonesArg::Off => Self::Off,
        }
    }
}

/// The report of one position.
#[derive(Debug, Serialize)]
struct Report {
    fen: String,
    /// Whether the aim, or without one the value, is proved.
    proved: bool,
    /// Whether the aim is proved to be out of reach.
    refuted: bool,
    /// `white`, `draw`, `black` or null.
    value: Option<&'static str>,
    /// Plies to mate at most.
    plies: Option<u32>,
    /// Whether the side to move is proved never to be mated, where the value is not decided.
    holds: bool,
    /// The aim that was asked for, or the best one that is proved where the value is not.
    aim: Option<String>,
    /// What is proved, in words.
    claim: Option<String>,
    first: Option<String>,
    /// The Syzygy tables that it rests on; left out where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    relies_on: Vec<String>,
    links: Vec<Link>,
    positions: u64,
    seconds: f64,
    stop: Option<StopReason>,
    certificate: Option<String>,
}

impl Args {
    /// Runs the command.
    ///
    /// # Errors
    /// Bad input, an aim of another form, or output that cannot be written.
    pub fn run(&self, context: &Context) -> anyhow::Result<Exit> {
        let goal = match &self.aim {
            Some(text) => Some(Goal::of(Aim::parse(text).context("--aim")?).context("--aim")?),
            None => None,
        };
        let horizon = Horizon::new(self.horizon);
        if self.horizon != u32::from(horizon.plies()) {
            context.say(&format!("horizon {} is taken as {}", self.horizon, horizon.plies()));
        }
        let options = Options::default()
            .with_horizon(horizon)
            .with_zones(self.zones.into())
            .with_table_men(self.table_men.into())
            .with_self_contained(self.self_contained);
        let mut solver = context.solver_on_syzygy()?.with_options(options);
        if let Some(rules) = self.rules.book(context)? {
            solver = solver.with_rules(rules);
        }
        if self.strive {
            solver = solver.striving(built_in());
        }
        if let Some(keep) = &self.keep {
            solver = solver.with_keep(super::context::kept(keep)?);
        }
        self.positions.for_each(context, Profile::Fide, |batch| {
            let root = &batch.position;
            let budget = context.question_budget();
            budget.progress().stage("looking for a proof", None);
            let side = self.side.map_or(root.side_to_move(), Side::from);
            let proof = match &goal {
                Some(goal) => solver.prove_aim(root, side, goal, &budget)?,
                None => solver.prove(root, side, self.cert.is_some(), &budget)?,
            };
            let certificate = self.write_certificate(&proof, &budget, context)?;
            context.clear_progress();
            context.name_faults();
            let mut report = report(&proof, goal.is_some());
            (report.certificate, report.seconds) = (certificate, budget.elapsed().as_secs_f64());
            if context.global.json {
                context.print_json(&report)?
            } else {
                print_text(&report, context)?
            }
            Ok(exit(&report))
        })
    }

    fn write_certificate(
        &self,
        proof: &Verdict,
        budget: &Budget,
        context: &Context,
    ) -> anyhow::Result<Option<String>> {
        let Some(path) = &self.cert else { return Ok(None) };
        match proof.certificate_within(budget) {
            Ok(proved) => {
                write_whole(path, |out| proved.write(out))?;
                return Ok(Some(path.display().to_string()));
            }
            Err(CertificateError::Undecided) => {
                context.say("no certificate: nothing is proved");
            }
            Err(error) => context.say(&format!("no certificate: {error}")),
        }
        Ok(None)
    }
}

fn exit(report: &Report) -> Exit {
    match (report.proved, report.refuted) {
        (true, _) => Exit::Yes,
        (_, true) => Exit::No,
        _ => Exit::Undecided,
    }
}

fn report(proof: &Verdict, asked: bool) -> Report {
    let (board, value) = (proof.root().board(), proof.value());
    let answered = proof.is_answered() && !proof.is_refuted();
    let first = proof.first_moves().first().and_then(|m| board.find(*m));
    Report {
        fen: proof.root().to_string(),
        proved: if asked { answered } else { value.is_some() },
        refuted: proof.is_refuted(),
        value: value.map(value_word),
        plies: value.and_then(Value::plies),
        holds: !proof.bounds().is_empty(),
        aim: proof.aim().map(str::to_string),
        claim: claim(proof),
        first: first.map(|m| board.san(m)),
        relies_on: proof.relies_on().to_vec(),
        links: proof.links().to_vec(),
        positions: proof.positions(),
        seconds: 0.0,
        stop: proof.stop(),
        certificate: None,
    }
}

/// What is proved, in a sentence.
fn claim(proof: &Verdict) -> Option<String> {
    let value = proof.value().map(|value| match value {
        Value::Wins(side, 0) => format!("{side} wins, mate on the board"),
        Value::Wins(side, UNMEASURED..) => format!("{side} wins"),
        Value::Wins(side, plies) if proof.is_shortest() => format!("{side} wins in {plies} plies"),
        Value::Wins(side, plies) => format!("{side} wins in at most {plies} plies"),
        Value::Draw => "draw: both sides hold".to_string(),
    });
    let value = value.or_else(|| {
        proof.bounds().first().map(|bound| format!("{} holds, a draw at least", bound.side()))
    });
    // A win is told by all its links; else the first says what is proved, and the others are about
    // single defences.
    let links = if proof.value().is_some() { proof.links().len() } else { 1 };
    let mut told: Vec<String> = Vec::new();
    for link in proof.links().iter().take(links) {
        let from = if link.positions > 1 {
            format!(" from each of {} positions", link.positions)
        } else {
            String::new()
        };
        told.push(format!("{}{from} in at most {} plies", link.claim, link.plies));
    }
    let chain = told.join(", then ");
    match (value, chain.is_empty()) {
        (Some(value), true) => Some(value),
        (Some(value), false) => Some(format!("{value}: {chain}")),
        (None, false) => Some(chain),
        (None, true) if proof.is_refuted() => {
            Some("the aim is out of reach, whatever is played".to_string())
        }
        (None, true) if proof.is_answered() => Some("the aim holds already".to_string()),
        (None, true) => None,
    }
}

fn print_text(report: &Report, context: &Context) -> anyhow::Result<()> {
    let mut out = context.out();
    let why = report.stop.map_or_else(String::new, |s| format!(" ({s})"));
    match &report.claim {
        Some(claim) if report.refuted => writeln!(out, "refuted: {claim}")?,
        Some(claim) => writeln!(out, "proved: {claim}")?,
        None => writeln!(out, "nothing proved{why}")?,
    }
    if let (Some(aim), false) = (&report.aim, report.refuted) {
        writeln!(out, "aim: {aim}")?;
    }
    if report.claim.is_some() && !report.proved && !report.refuted {
        writeln!(out, "the value of the position is not decided{why}")?;
    }
    if let Some(first) = &report.first {
        writeln!(out, "first move: {first}")?;
    }
    for link in &report.links {
        print_link(link, &mut out)?;
    }
    print_relied(&report.relies_on, &mut out)?;
    writeln!(
        out,
        "{}, {:.1} s",
        counted(report.positions, "position", "positions"),
        report.seconds
    )?;
    out.flush()?;
    Ok(())
}

fn print_link(link: &Link, out: &mut impl Write) -> std::io::Result<()> {
    let moves = link.horizon.map_or("all moves".to_string(), |h| format!("zones of {h} plies"));
    let ends = if link.ends == 0 {
        String::new()
    } else {
        format!(", {}", counted(link.ends as u64, "end", "ends"))
    };
    let from = counted(link.positions as u64, "position", "positions");
    let indent = "  ".repeat(link.depth);
    writeln!(out, "{indent}{}. {}", link.depth + 1, link.claim)?;
    writeln!(out, "{indent}   from {from}, in at most {} plies{ends}, {moves}", link.plies)?;
    writeln!(out, "{indent}   e.g. {}", link.fen)?;
    writeln!(out, "{indent}   {}", link.aim)
}
