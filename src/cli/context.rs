//! What every command needs: the global options, the budget, stdout and stderr.

mod syzygy;

use super::Exit;
use super::bars::{Bars, plain};
use super::sober::Sober;
use anyhow::{Context as _, bail};
use clap::{Args, ValueEnum};
use std::io::{self, IsTerminal, Write};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;
use theta_chess::aim::{Aim, Goal};
use theta_chess::chess::Position;
use theta_chess::limits::{Budget, Limits};
use theta_chess::oracle::Oracle;
use theta_chess::solve::Solver;
use theta_chess::tables::Tables;

/// Options that every command takes.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// Print one JSON object per result, one per line.
    #[arg(long, global = true)]
    pub json: bool,
    /// Print no messages on stderr but errors.
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Say more on stderr.
    #[arg(short, long, global = true)]
    pub verbose: bool,
    /// Draw no progress bars (they appear on a terminal only).
    #[arg(long, global = true)]
    pub no_progress: bool,
    /// When to use colours.
    #[arg(long, global = true, value_enum, default_value_t = ColorWhen::Auto, value_name = "WHEN")]
    pub color: ColorWhen,
    /// Worker threads [default: one per core].
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Memory that an engine may take, in bytes or with K, M, G (e.g. 4G).
    #[arg(long, global = true, value_name = "SIZE", value_parser = parse_size)]
    pub memory: Option<u64>,
    /// Time for the answer: a number of seconds (5, 0.5), or one with a unit (500ms, 5s, 2m, 1h)
    /// [default: none; 60 s for solve, prove, moves and strategy where stdout is a terminal].
    #[arg(long, global = true, value_name = "SECONDS", value_parser = parse_seconds)]
    pub time: Option<Duration>,
    /// Positions that may be visited: a number (1000000, 1_000_000, 1e6), or one with K, M or G
    /// (thousands, millions, milliards).
    #[arg(long, global = true, value_name = "N", value_parser = parse_count)]
    pub positions: Option<u64>,
    /// Where built tables are kept; `none` keeps them in memory [default: the platform's cache
    /// directory].
    #[arg(long, global = true, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// Syzygy tables of the user's; may be given several times [default: SYZYGY_PATH]. What rests on
    /// them says so.
    #[arg(long, global = true, value_name = "DIR", action = clap::ArgAction::Append)]
    pub syzygy: Vec<PathBuf>,
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ColorWhen {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Reads a size: digits and an optional K, M, G or T (powers of 1024).
fn parse_size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match text[digits.len()..]
        .to_ascii_uppercase()
        .trim_end_matches("IB")
        .trim_end_matches('B')
    {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err("a size is a number of bytes, or one with K, M or G".into()),
    };
    let number: u64 = digits
        .parse()
        .map_err(|_| "a size is a number of bytes, or one with K, M or G".to_string())?;
    number.checked_mul(1 << shift).ok_or_else(|| "too large".into())
}

/// The same for what has to fit into memory.
pub(super) fn parse_size_usize(text: &str) -> Result<usize, String> {
    usize::try_from(parse_size(text)?).map_err(|_| "too large".into())
}

/// Reads a time: a number of seconds, or one with a unit.
fn parse_seconds(text: &str) -> Result<Duration, String> {
    let fault = || "a time is a number of seconds, such as 5 or 0.5, or 500ms, 5s, 2m, 1h";
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text[number.len()..].to_ascii_lowercase().as_str() {
        "" | "s" | "sec" | "seconds" => 1.0,
        "ms" => 0.001,
        "m" | "min" | "minutes" => 60.0,
        "h" | "hours" => 3600.0,
        _ => return Err(fault().into()),
    };
    let seconds: f64 = number.parse().map_err(|_| fault())?;
    Duration::try_from_secs_f64(seconds * unit).map_err(|_| fault().into())
}

/// Reads a count: digits, perhaps parted by `_`; in scientific notation; or with K, M or G.
fn parse_count(text: &str) -> Result<u64, String> {
    let fault = || "a count is a whole number, such as 1000000, 1_000_000, 1e6 or 1M".to_string();
    let digits: String = text.chars().filter(|&c| c != '_').collect();
    let (number, unit) = match digits.chars().last().map(|c| c.to_ascii_uppercase()) {
        Some('K') => (&digits[..digits.len() - 1], 1_000),
        Some('M') => (&digits[..digits.len() - 1], 1_000_000),
        Some('G') => (&digits[..digits.len() - 1], 1_000_000_000),
        _ => (&digits[..], 1),
    };
    if let Ok(whole) = number.parse::<u64>() {
        return whole.checked_mul(unit).ok_or_else(fault);
    }
    let count = number.parse::<f64>().map_err(|_| fault())? * unit as f64;
    let is_whole = count >= 0.0 && count.fract() == 0.0 && count < u64::MAX as f64;
    if is_whole { Ok(count as u64) } else { Err(fault()) }
}

/// How long work may take to end cleanly after a signal.
const PATIENCE: Duration = Duration::from_millis(1800);

/// How long somebody in a terminal waits for an answer without having said so.
const WAITING: Duration = Duration::from_secs(60);

/// What a command runs in.
pub struct Context {
    /// The global options.
    pub global: Global,
    interrupt: Arc<AtomicBool>,
    progress: Arc<Bars>,
    oracle: OnceLock<Arc<Oracle>>,
    /// The damaged Syzygy tables that were named.
    faults: Mutex<Vec<String>>,
}

impl Context {
    /// Sets up the thread pool and the interrupt handler.
    pub(super) fn new(global: &Global) -> anyhow::Result<Self> {
        let interrupt = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&interrupt);
        ctrlc::set_handler(move || {
            // The second signal does not wait for the work to end cleanly.
            if flag.swap(true, Ordering::SeqCst) {
                std::process::exit(130);
            }
            // Nor does the first one for ever.
            std::thread::spawn(|| {
                std::thread::sleep(PATIENCE);
                std::process::exit(130);
            });
        })
        .context("no interrupt handler")?;
        if let Some(n) = global.threads {
            rayon::ThreadPoolBuilder::new()
                .num_threads(n.into())
                .build_global()
                .context("no thread pool")?;
        }
        let drawn = io::stderr().is_terminal() && !global.no_progress && !global.quiet;
        let progress = Arc::new(Bars::new(drawn, !global.quiet));
        let (oracle, faults) = (OnceLock::new(), Mutex::default());
        Ok(Self { global: global.clone(), interrupt, progress, oracle, faults })
    }

    /// The same with nothing printed, for work that somebody else reports on.
    #[cfg(feature = "serve")]
    pub fn hushed(&self) -> Self {
        let global = Global { json: true, quiet: true, verbose: false, ..self.global.clone() };
        Self {
            global,
            interrupt: Arc::clone(&self.interrupt),
            progress: Arc::new(Bars::new(false, false)),
            oracle: self.oracle.clone(),
            faults: Mutex::default(),
        }
    }

    /// Has the stages of long work told once a minute where no bar is drawn.
    pub(super) fn tell_stages(&self) {
        self.progress.tell_stages();
    }

    /// A budget that starts now, with the limits of the command line.
    pub fn budget(&self) -> Budget {
        let mut limits = Limits::default();
        (limits.time, limits.memory) = (self.global.time, self.global.memory);
        limits.positions = self.global.positions;
        if let Some(n) = self.global.threads {
            limits = limits.with_threads(n.into());
        }
        Budget::new(limits)
            .with_interrupt(Arc::clone(&self.interrupt))
            .with_progress(Arc::clone(&self.progress) as _)
    }

    /// As [`Context::budget`], for a question about one position: in a terminal somebody waits for the
    /// answer, and without `--time` or `--positions` it takes a minute at most.
    pub fn question_budget(&self) -> Budget {
        let budget = self.budget();
        match self.default_time() {
            Some(time) => budget.limited(budget.limits().with_time(time)),
            None => budget,
        }
    }

    /// The time limit of a question that has none, where there is one.
    pub fn default_time(&self) -> Option<Duration> {
        let unlimited = self.global.time.is_none() && self.global.positions.is_none();
        (unlimited && io::stdout().is_terminal()).then_some(WAITING)
    }

    /// Whether Ctrl-C was pressed.
    pub fn interrupted(&self) -> bool {
        self.interrupt.load(Ordering::SeqCst)
    }

    /// Stdout, with a large buffer; colours vanish when it is no terminal (or as `--color` says).
    pub fn out(&self) -> impl Write + use<> {
        let choice = match self.global.color {
            ColorWhen::Auto => anstream::AutoStream::choice(&io::stdout()),
            ColorWhen::Always => anstream::ColorChoice::Always,
            ColorWhen::Never => anstream::ColorChoice::Never,
        };
        let stream = anstream::AutoStream::new(io::stdout(), choice);
        io::BufWriter::with_capacity(1 << 16, Sober::new(stream))
    }

    /// Prints finished text.
    pub fn print(&self, text: &[u8]) -> anyhow::Result<Exit> {
        let mut out = self.out();
        out.write_all(text)?;
        out.flush()?;
        Ok(Exit::Yes)
    }

    /// Prints one JSON object on a line.
    pub fn print_json(&self, value: &impl serde::Serialize) -> anyhow::Result<()> {
        let mut out = self.out();
        serde_json::to_writer(&mut out, value)?;
        writeln!(out)?;
        out.flush()?;
        Ok(())
    }

    /// A message for the user on stderr, unless `--quiet`.
    pub fn say(&self, text: &str) {
        if !self.global.quiet {
            self.stderr(text);
        }
    }

    /// Notes from now on name this line of a batch and its position.
    pub fn turn_to(&self, line: u64, position: &Position) {
        self.progress.turn_to(format!("line {line}, {position}"));
    }

    /// Says what is odd about a position that is legal all the same.
    pub fn remark_on(&self, position: &Position) {
        oddities(position).iter().for_each(|oddity| self.say(oddity));
    }

    /// A message that appears with `--verbose` only.
    pub fn explain(&self, text: &str) {
        if self.global.verbose {
            self.stderr(text);
        }
    }

    /// An error message on stderr.
    pub fn error(&self, text: &str) {
        self.stderr(&format!("error: {text}"));
    }

    fn stderr(&self, text: &str) {
        self.progress.clear();
        // Nothing can be done about a closed stderr.
        let _ = writeln!(io::stderr(), "theta: {}", plain(text));
    }

    /// The directory of built tables: `--cache`, or the platform's; `None` for `--cache none`.
    pub fn cache(&self) -> anyhow::Result<Option<PathBuf>> {
        match &self.global.cache {
            Some(dir) if dir.as_os_str() == "none" => Ok(None),
            Some(dir) => Ok(Some(dir.clone())),
            None => match directories::ProjectDirs::from("", "", "theta-chess") {
                Some(dirs) => Ok(Some(dirs.cache_dir().to_path_buf())),
                None => {
                    bail!("this platform has no cache directory; give --cache DIR or --cache none")
                }
            },
        }
    }

    /// Our own tables, kept in the cache; in memory only, with a message, where that cannot be
    /// used.
    pub fn tables(&self) -> anyhow::Result<Arc<Tables>> {
        Ok(Arc::new(self.open_tables()?))
    }

    /// As [`Context::tables`], not shared yet.
    pub fn open_tables(&self) -> anyhow::Result<Tables> {
        let tables = Tables::open(self.cache()?.as_deref()).unwrap_or_else(|error| {
            self.say(&format!("{error}; tables are kept in memory only"));
            Tables::in_memory()
        });
        Ok(tables)
    }

    /// The engines, on the tables of [`Context::cache`].
    pub fn solver(&self) -> anyhow::Result<Solver> {
        Ok(Solver::new(self.tables()?))
    }

    /// The same with the user's Syzygy tables at their leaves.
    ///
    /// # Errors
    /// A directory that cannot be read.
    pub fn solver_on_syzygy(&self) -> anyhow::Result<Solver> {
        let solver = self.solver()?;
        Ok(match self.oracle()? {
            Some(oracle) => solver.with_syzygy(Arc::clone(oracle)),
            None => solver,
        })
    }

    /// Clears the progress bar before results are printed.
    pub fn clear_progress(&self) {
        self.progress.clear();
    }
}

/// What is odd about a position that is legal all the same.
pub(super) fn oddities(position: &Position) -> Vec<String> {
    let oddity = |side: &str, letters: Range<u8>| {
        let men = || position.vector().squares().iter().filter(|c| letters.contains(c));
        let pawns = men().filter(|&&c| c == letters.end - 1).count();
        let extra = men().count();
        match (pawns, extra) {
            (9.., _) => Some(format!("{side} has {pawns} pawns: no game leads to this position")),
            (_, 17..) => Some(format!("{side} has {extra} men: no game leads to this position")),
            _ => None,
        }
    };
    oddity("White", 1..7).into_iter().chain(oddity("Black", 7..13)).collect()
}

/// A number with its unit: "1 position", "2 positions".
pub fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Writes a file whole or not at all: to a temporary name beside it, then renamed. A link is
/// followed; what is no ordinary file (a device, a pipe) is written to and not replaced. `-` is
/// stdout.
pub fn write_whole(
    path: &std::path::Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> anyhow::Result<()> {
    if path.as_os_str() == "-" {
        let mut out = io::BufWriter::new(io::stdout().lock());
        write(&mut out)?;
        out.flush()?;
        return Ok(());
    }
    let name = || format!("cannot write {}", path.display());
    let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if path.metadata().is_ok_and(|m| !m.is_file()) {
        let mut out = io::BufWriter::new(
            std::fs::OpenOptions::new().write(true).open(path).with_context(name)?,
        );
        write(&mut out).with_context(name)?;
        return out.flush().with_context(name);
    }
    let dir =
        path.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(std::path::Path::new("."));
    let mut file = io::BufWriter::new(temporary_in(dir).with_context(name)?);
    write(&mut file).with_context(name)?;
    let file = file.into_inner().map_err(io::IntoInnerError::into_error).with_context(name)?;
    file.as_file().sync_all().with_context(name)?;
    file.persist(path).with_context(name)?;
    Ok(())
}

/// A temporary file with the permissions of an ordinary new file.
fn temporary_in(dir: &std::path::Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(dir)
}

/// φ that is to be kept, as typed: any φ that `AF φ` could be asked for.
///
/// # Errors
/// When it cannot be read, speaks of whole paths or looks too far ahead. Lines and columns are those
/// of the text as typed.
pub(super) fn kept(text: &str) -> anyhow::Result<Arc<Goal>> {
    let read = || {
        // By itself first: the words around it would shift the columns, and could close its brackets.
        Aim::parse(text)?;
        anyhow::Ok(Goal::of(Aim::parse(&format!("AF ({text})"))?)?)
    };
    read().map(Arc::new).with_context(|| format!("--keep `{text}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_kept_aim_is_where_it_was_typed() {
        for (text, place) in [
            ("on(K, z9)", "line 1, column 1"),
            ("count(Q) = 1 & on(K, z9)", "line 1, column 16"),
            ("T) | (T", "column 2"),
            ("T &\n on(K, z9)", "line 2, column 2"),
        ] {
            let error = format!("{:#}", kept(text).unwrap_err());
            assert!(error.contains("--keep") && error.contains(place), "{text}: {error}");
        }
        assert!(kept("count(Q) = 1").is_ok());
    }

    #[test]
    fn times_have_units() {
        for (text, ms) in [("5", 5000), ("0.5", 500), ("500ms", 500), ("5s", 5000), ("2m", 120_000)]
        {
            assert_eq!(parse_seconds(text), Ok(Duration::from_millis(ms)), "{text}");
        }
        for text in ["", "s", "-1", "5 s", "5x", "nan", "inf"] {
            assert!(parse_seconds(text).unwrap_err().contains("5s"), "{text}");
        }
    }

    #[test]
    fn counts_are_read_as_people_write_them() {
        for (text, count) in [
            ("0", 0),
            ("1_000_000", 1_000_000),
            ("1e6", 1_000_000),
            ("2M", 2_000_000),
            ("1.5K", 1500),
        ] {
            assert_eq!(parse_count(text), Ok(count), "{text}");
        }
        for text in ["", "M", "-1", "0.5", "1e30", "many", "99999999999G"] {
            assert!(parse_count(text).unwrap_err().contains("1e6"), "{text}");
        }
    }

    #[test]
    fn sizes() {
        assert_eq!(parse_size("4G"), Ok(4 << 30));
        assert_eq!(parse_size("512MiB"), Ok(512 << 20));
        assert_eq!(parse_size("10"), Ok(10));
        assert!(
            parse_size("G").is_err()
                && parse_size("-1").is_err()
                && parse_size("99999999999G").is_err()
        );
    }

    #[test]
    fn seconds() {
        assert_eq!(parse_seconds("0.5"), Ok(Duration::from_millis(500)));
        assert!(
            parse_seconds("-1").is_err()
                && parse_seconds("nan").is_err()
                && parse_seconds("x").is_err()
        );
    }
}
