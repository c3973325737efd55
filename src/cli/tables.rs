//! `theta tables`: building, counting, listing and checking our own tables.

mod together;

use super::{Context, Exit, counted};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;
use theta_chess::chess::{Position, Side};
use theta_chess::slices::plan;
use theta_chess::tables::{
    MAX_MEN, Material, Metric, SideStats, Stats, TableError, TableInfo, Tables, Written,
};
use together::Together;

/// Arguments of `theta tables`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  theta tables build KRK KPK\n  theta tables stats KRK\n  theta tables list\n  theta tables plan '8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - -'"
)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Build tables, and all they depend on, into the cache.
    Build {
        /// Signatures, as KRvKN or KRKN; `3`, `4` or `5` stands for all signatures
        /// of so many men. Those of six men are built by name.
        #[arg(required = true, value_name = "MAT")]
        materials: Vec<String>,
        #[command(flatten)]
        together: Together,
    },
    /// Count a table's positions by value and distance.
    Stats {
        /// The signature, as KRvKN or KRKN.
        #[arg(value_name = "MAT")]
        material: Material,
        /// What the distance counts: plies to mate, or to mate or a winning capture or promotion.
        #[arg(long, value_enum, default_value_t = MetricArg::Mate)]
        metric: MetricArg,
        /// Count positions that are symmetric images of each other once.
        #[arg(long, value_enum, default_value_t = Switch::Off)]
        symmetry: Switch,
    },
    /// What a pawn ending would take: the placements of its pawns, positions, bytes and time, before
    /// anything is solved.
    Plan {
        /// The position.
        #[arg(value_name = "FEN")]
        position: Position,
    },
    /// Write tables, and all they depend on, into another directory with the positions of one side
    /// to move alone: a quarter smaller; the other side's values come from a look one ply ahead.
    OneSided {
        /// Signatures, as for `build`. What is not in the cache is built first.
        #[arg(required = true, value_name = "MAT")]
        materials: Vec<String>,
        /// The directory; made if it is not there.
        #[arg(long, value_name = "DIR")]
        to: PathBuf,
    },
    /// List the tables in the cache.
    List,
    /// Check every byte of the tables in the cache; damaged files are set aside.
    Verify,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum MetricArg {
    Mate,
    Conversion,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Switch {
    On,
    Off,
}

impl Args {
    /// Runs the command.
    ///
    /// # Errors
    /// Bad signatures, an unusable cache, or output that cannot be written.
    pub fn run(&self, context: &Context) -> anyhow::Result<Exit> {
        let cache = context.cache()?;
        let tables = Tables::open(cache.as_deref())?;
        match &self.command {
            Command::Build { materials, together } => match together.alone() {
                true => build(&tables, materials, cache.is_some(), context),
                false => together.build(tables, cache.as_deref(), &signatures(materials)?, context),
            },
            Command::Stats { material, metric, symmetry } => {
                let metric =
                    if *metric == MetricArg::Mate { Metric::Mate } else { Metric::Conversion };
                match tables.stats(*material, metric, *symmetry == Switch::On, &context.budget()) {
                    Ok(stats) => print_stats(*material, metric, &stats, context),
                    Err(error) => failed(&error, context),
                }
            }
            Command::Plan { position } => print_plan(position, context),
            Command::OneSided { materials, to } => one_sided(&tables, materials, to, context),
            Command::List => print_list(&tables.stored(false)?, context),
            Command::Verify => verify(&tables, context),
        }
    }
}

/// A limit is an answer (exit 3); anything else is an error.
fn failed(error: &TableError, context: &Context) -> anyhow::Result<Exit> {
    context.error(&error.to_string());
    Ok(if matches!(error, TableError::Stopped(_)) { Exit::Undecided } else { Exit::BadInput })
}

/// What is planned for one side's win.
#[derive(Serialize)]
struct Planned {
    attacker: &'static str,
    slices: u64,
    slices_with_officer: u64,
    slices_with_two_officers: u64,
    slices_with_three_officers: u64,
    all_counted: bool,
    fits: bool,
    positions: u64,
    bytes: u64,
    seconds: f64,
}

fn print_plan(position: &Position, context: &Context) -> anyhow::Result<Exit> {
    for (attacker, side) in [("White", Side::White), ("Black", Side::Black)] {
        let plan = plan(&position.board(), side)?;
        let memory = context.global.memory.unwrap_or(u64::MAX);
        let fits = plan.whole && plan.bytes() <= memory;
        let planned = Planned {
            attacker,
            slices: plan.small,
            slices_with_officer: plan.large,
            slices_with_two_officers: plan.duels,
            slices_with_three_officers: plan.vast,
            all_counted: plan.whole,
            fits,
            positions: plan.positions(),
            bytes: plan.bytes(),
            seconds: plan.seconds(),
        };
        if context.global.json {
            context.print_json(&planned)?;
            continue;
        }
        let more = if plan.whole { "" } else { "more than " };
        let several = [(plan.duels, "two"), (plan.vast, "three")];
        let of = |(slices, officers)| format!(" and {slices} with {officers} officers");
        let several: String =
            several.into_iter().filter(|(slices, _)| *slices > 0).map(of).collect();
        let text = format!(
            "{attacker} wins? {more}{} placements of the pawns and {} with an officer{several}: \
             {more}{} positions, {} MiB, {:.1} s if all are needed{}\n",
            plan.small,
            plan.large,
            planned.positions,
            planned.bytes >> 20,
            planned.seconds,
            if fits { "" } else { "; they do not fit: only what a proof rests on is solved" }
        );
        context.print(text.as_bytes())?;
    }
    Ok(Exit::Yes)
}

/// The signatures that are named.
fn signatures(names: &[String]) -> anyhow::Result<Vec<Material>> {
    let mut wanted = Vec::new();
    for text in names {
        match text.parse() {
            Ok(men @ 3..=5) => wanted.extend(Material::all(men)),
            _ => wanted.push(text.parse()?),
        }
    }
    Ok(wanted)
}

/// A table that was built.
#[derive(Serialize)]
struct Built {
    material: String,
    seconds: f64,
}

impl Built {
    fn print(&self, context: &Context) -> anyhow::Result<Exit> {
        if context.global.json {
            return context.print_json(self).map(|()| Exit::Yes);
        }
        let text = format!("{:<9} ready after {:.3} s\n", self.material, self.seconds);
        context.print(text.as_bytes())
    }
}

fn build(
    tables: &Tables,
    materials: &[String],
    into_cache: bool,
    context: &Context,
) -> anyhow::Result<Exit> {
    let wanted = signatures(materials)?;
    let budget = context.budget();
    let many = say_plan(tables, &wanted, (1, threads(context, 1)), context);
    context.tell_stages();
    let all = wanted.len();
    for (done, material) in wanted.into_iter().enumerate() {
        let start = Instant::now();
        if many {
            context.say(&format!("{} of {all}: {material}", done + 1));
        }
        if let Err(error) = tables.ensure(material, &budget) {
            return failed(&error, context);
        }
        context.clear_progress();
        // Why is in the notes; whoever only asks for a value can do without the file, whoever
        // builds cannot.
        anyhow::ensure!(
            !into_cache || tables.is_stored(material),
            "the table {material} could not be stored"
        );
        let seconds = start.elapsed().as_secs_f64();
        Built { material: material.to_string(), seconds }.print(context)?;
    }
    Ok(Exit::Yes)
}

/// Writes tables of one side to move.
fn one_sided(
    tables: &Tables,
    materials: &[String],
    to: &Path,
    context: &Context,
) -> anyhow::Result<Exit> {
    let same = |cache: PathBuf| {
        cache.canonicalize().is_ok_and(|cache| to.canonicalize().is_ok_and(|to| to == cache))
    };
    anyhow::ensure!(
        !context.cache()?.is_some_and(same),
        "{} is the cache itself: name another directory",
        to.display()
    );
    let budget = context.budget();
    let (mut told, mut failed_to_print) = (BTreeSet::new(), None);
    context.tell_stages();
    for material in signatures(materials)? {
        let written = tables.write_one_sided(material, to, &budget, &mut |written| {
            // What several depend on is told once.
            if told.insert(written.material.clone()) {
                context.clear_progress();
                let printed = print_written(written, context);
                failed_to_print = failed_to_print.take().or(printed.err());
            }
        });
        if let Err(error) = written {
            return failed(&error, context);
        }
        if let Some(error) = failed_to_print {
            return Err(error);
        }
    }
    context.clear_progress();
    Ok(Exit::Yes)
}

fn print_written(written: &Written, context: &Context) -> anyhow::Result<()> {
    if context.global.json {
        return context.print_json(written);
    }
    let Written { material, bytes, whole_bytes, .. } = written;
    let kind = if written.one_sided {
        format!("one side to move (both: {whole_bytes})")
    } else {
        "both sides to move".to_owned()
    };
    context.print(format!("{material:<9}{bytes:>12} bytes  {kind}\n").as_bytes()).map(drop)
}

/// Threads of each of so many processes on this machine.
fn threads(context: &Context, processes: usize) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    context.global.threads.map_or((cores / processes).max(1), usize::from)
}

/// Tables from which on it is said beforehand what they take.
const MANY: usize = 10;

/// Says what is to be done where it is much; whether it is. `processes` do it, each with so many
/// threads.
fn say_plan(
    tables: &Tables,
    wanted: &[Material],
    (processes, threads): (usize, usize),
    context: &Context,
) -> bool {
    let needs = tables.estimate_together(wanted, processes, context.global.memory);
    let (solve, stored) = (needs.solve.len(), needs.check.len());
    let large = needs.solve.iter().filter(|m| m.men() > MAX_MEN).count() as u64;
    if solve < MANY && large == 0 {
        return false;
    }
    let (seconds, packed) = (needs.seconds(), needs.file_bytes());
    let threads = (processes * threads) as u64;
    let each = match processes {
        1 => String::new(),
        many => format!(" in each of {many} processes"),
    };
    context.say(&format!(
        "{} to solve, {stored} stored already: {} million positions, about {} on {} and {} in the \
         cache, {} MiB of memory at most{each}; interrupted, it goes on where it was when the \
         command is given again",
        counted(solve as u64, "table", "tables"),
        needs.to_solve.div_ceil(1_000_000),
        counted((seconds / threads).div_ceil(60).max(1), "minute", "minutes"),
        counted(threads, "thread", "threads"),
        if packed < 1e9 {
            format!("{:.0} MB", (packed / 1e6).ceil())
        } else {
            format!("{:.1} GB", packed / 1e9)
        },
        needs.bytes.div_ceil(1 << 20),
    ));
    let logged = needs.solve.iter().filter(|m| m.men() > MAX_MEN && !m.has_pawns()).count() as u64;
    if logged > 0 {
        context.say(&format!(
            "{} of six men without pawns: while one is solved, its log takes as much of the disk \
             again, or more",
            counted(logged, "table", "tables"),
        ));
    }
    if large > logged {
        context.say(&format!(
            "{} of six men with pawns: its slices take as much of the disk again until it is whole",
            counted(large - logged, "table", "tables"),
        ));
    }
    solve >= MANY
}

/// The JSON of page 6, White being the first-named side.
#[derive(Serialize)]
struct StatsReport<'a> {
    material: String,
    metric: &'a str,
    legal_white: u64,
    legal_black: u64,
    won_white_by_plies: &'a BTreeMap<u16, u64>,
    lost_black_by_plies: &'a BTreeMap<u16, u64>,
    won_black_by_plies: &'a BTreeMap<u16, u64>,
    lost_white_by_plies: &'a BTreeMap<u16, u64>,
    draws_white: u64,
    draws_black: u64,
    /// Among the draws.
    stalemated_white: u64,
    stalemated_black: u64,
    /// Conversion only: positions of smaller tables that the winner's captures and promotions lead
    /// into, lost for the side to move.
    #[serde(skip_serializing_if = "Option::is_none")]
    converted_black: Option<u64>,
    /// The longest distance in plies, and a position that has it.
    longest: Option<u16>,
    longest_fen: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    converted_white: Option<u64>,
}

fn print_stats(
    material: Material,
    metric: Metric,
    stats: &Stats,
    context: &Context,
) -> anyhow::Result<Exit> {
    context.clear_progress();
    let name = if metric == Metric::Mate { "mate" } else { "conversion" };
    if context.global.json {
        context.print_json(&StatsReport {
            material: material.to_string(),
            metric: name,
            legal_white: stats.white.legal,
            legal_black: stats.black.legal,
            won_white_by_plies: &stats.white.won,
            lost_black_by_plies: &stats.black.lost,
            won_black_by_plies: &stats.black.won,
            lost_white_by_plies: &stats.white.lost,
            draws_white: stats.white.drawn,
            draws_black: stats.black.drawn,
            stalemated_white: stats.white.stalemated,
            stalemated_black: stats.black.stalemated,
            longest: stats.longest.as_ref().map(|(plies, _)| *plies),
            longest_fen: stats.longest.as_ref().map(|(_, board)| Position::from(board).to_string()),
            converted_black: stats.converted.map(|(_, black)| black),
            converted_white: stats.converted.map(|(white, _)| white),
        })?;
        return Ok(Exit::Yes);
    }
    let mut out = context.out();
    writeln!(out, "{material}, plies to {name}")?;
    for (side, counts) in [("White", &stats.white), ("Black", &stats.black)] {
        let won: u64 = counts.won.values().sum();
        let lost: u64 = counts.lost.values().sum();
        let (legal, drawn, stalemated) = (counts.legal, counts.drawn, counts.stalemated);
        let mated = counts.lost.get(&0).copied().unwrap_or(0);
        writeln!(
            out,
            "\n{side} to move: {legal} legal, {won} won, {drawn} drawn ({stalemated} stalemated), {lost} lost ({mated} mated)"
        )?;
        print_rows(&mut out, "won in", counts, |c| &c.won)?;
        print_rows(&mut out, "lost in", counts, |c| &c.lost)?;
    }
    if let Some((plies, board)) = &stats.longest {
        writeln!(out, "\nlongest: {plies} plies to {name}, {}", Position::from(board))?;
    }
    if let Some((white, black)) = stats.converted {
        writeln!(out, "\njust converted (captured or promoted), Black to move and lost: {black}")?;
        writeln!(out, "just converted (captured or promoted), White to move and lost: {white}")?;
    }
    out.flush()?;
    Ok(Exit::Yes)
}

fn print_rows(
    out: &mut impl Write,
    title: &str,
    counts: &SideStats,
    rows: impl Fn(&SideStats) -> &BTreeMap<u16, u64>,
) -> anyhow::Result<()> {
    for (plies, count) in rows(counts) {
        writeln!(out, "  {title:<7} {plies:>3}  {count:>12}")?;
    }
    Ok(())
}

/// Checks every value of every stored table, and prints what came of each when it is done.
fn verify(tables: &Tables, context: &Context) -> anyhow::Result<Exit> {
    let (budget, start) = (context.budget(), Instant::now());
    let (mut checked, mut wrong, mut failed) = (0u64, 0u64, None);
    let stop = tables.verify_stored(&budget, &mut |info| {
        context.clear_progress();
        checked += u64::from(info.checked);
        wrong += u64::from(info.damage.is_some());
        failed = failed.take().or(print_list(std::slice::from_ref(info), context).err());
    })?;
    context.clear_progress();
    if let Some(error) = failed {
        return Err(error);
    }
    let (tables, seconds) = (counted(checked, "table", "tables"), start.elapsed().as_secs_f64());
    context.say(&format!(
        "{tables} right in every value (each compared with those its moves lead to), {wrong} wrong \
         or damaged, {seconds:.1} s"
    ));
    if let Some(reason) = stop {
        context.say(&format!("not checked to the end: {reason}"));
        return Ok(Exit::Undecided);
    }
    Ok(if wrong > 0 { Exit::No } else { Exit::Yes })
}

fn print_list(found: &[TableInfo], context: &Context) -> anyhow::Result<Exit> {
    let mut out = context.out();
    for info in found {
        if context.global.json {
            serde_json::to_writer(&mut out, info)?;
            writeln!(out)?;
            continue;
        }
        let part = info
            .part
            .map_or(String::new(), |part| format!("part: {} of {} slices, ", part.solved, part.of));
        let part = if info.one_sided { "one side to move, ".to_owned() } else { part };
        let state = match (&info.damage, info.longest) {
            (Some(damage), _) => format!("damaged: {damage} ({})", info.path.display()),
            (None, Some(plies)) => format!("{part}longest mate {plies} plies"),
            (None, None) => String::new(),
        };
        writeln!(out, "{:<9}{:>12} bytes  {state}", info.material, info.bytes)?;
    }
    out.flush()?;
    Ok(if found.iter().any(|info| info.damage.is_some()) { Exit::No } else { Exit::Yes })
}
