//! The formula, or the specifications, that `theta sat` reads.

use super::Context;
use anyhow::Context as _;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use theta_chess::ctl::{
    Arena, Atoms, Fault, Notation, ParseError, Parsed, lookalike, parse_reader,
};
use theta_chess::limits::{Budget, StopReason};

/// `--syntax`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum SyntaxArg {
    /// NuSMV's if the text begins with SPEC, CTLSPEC or MODULE or the file is named `….smv`, else
    /// theta's.
    Auto,
    /// theta's own.
    Theta,
    /// NuSMV's: `<->` is stronger than `->`, names may have `.`, `#` and `-`; of a module its
    /// specifications, `DEFINE` and boolean variables are read.
    Smv,
}

impl SyntaxArg {
    fn notation(self, file: &Path) -> Notation {
        match self {
            Self::Auto if file.extension().is_some_and(|e| e.eq_ignore_ascii_case("smv")) => {
                Notation::Smv
            }
            Self::Auto => Notation::Auto,
            Self::Theta => Notation::Theta,
            Self::Smv => Notation::Smv,
        }
    }
}

/// What came of reading.
pub(super) enum Input {
    /// What the text says.
    Read(Parsed),
    /// A limit came first.
    Stopped(StopReason),
}

/// Reads a file (`-` is standard input), unless a limit comes first.
pub(super) fn read(
    path: &Path,
    syntax: SyntaxArg,
    context: &Context,
    arena: &mut Arena,
    budget: &Budget,
    read: &mut u64,
) -> anyhow::Result<Input> {
    let stdin = path.as_os_str() == "-";
    let name = if stdin { "standard input".into() } else { path.display().to_string() };
    let (source, length): (Box<dyn Read>, _) = if stdin {
        (Box::new(io::stdin().lock()), None)
    } else {
        let file = File::open(path).with_context(|| name.clone())?;
        let length = file.metadata().with_context(|| name.clone())?.len();
        (Box::new(file), Some(length))
    };
    budget.progress().stage("reading bytes", length);
    let watched = Watched { source, budget, read };
    match parse_reader(arena, watched, Atoms::Names, syntax.notation(path)) {
        Ok(parsed) => {
            warn_of_lookalikes(context, arena, &parsed);
            Ok(match budget.check(0, arena.bytes()) {
                Ok(()) => Input::Read(parsed),
                Err(stop) => Input::Stopped(stop),
            })
        }
        Err(error) => fault(error, name),
    }
}

/// A limit, or the error as it is told: with its line of the text.
fn fault(error: ParseError, name: String) -> anyhow::Result<Input> {
    let told = error.pointed();
    match error.into_fault() {
        Fault::Io(error) => match error.downcast::<StopReason>() {
            Ok(stop) => Ok(Input::Stopped(stop)),
            Err(error) => Err(anyhow::Error::new(error).context(name)),
        },
        _ => Err(anyhow::anyhow!("{name}: {told}")),
    }
}

/// Says which variables look like constants or operators.
fn warn_of_lookalikes(context: &Context, arena: &Arena, parsed: &Parsed) {
    for &(symbol, place) in &parsed.variables {
        let name = arena.name(symbol);
        if let Some(meant) = lookalike(name) {
            context.say(&format!("{place}: `{name}` is read as a variable; `{meant}` is meant?"));
        }
    }
}

/// A reader that keeps to the budget and shows how far it is.
struct Watched<'a, R> {
    source: R,
    budget: &'a Budget,
    read: &'a mut u64,
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.budget.check(0, 0).map_err(io::Error::other)?;
        let count = self.source.read(to)?;
        *self.read += count as u64;
        self.budget.progress().advance(*self.read);
        Ok(count)
    }
}
