//! `theta formula`: the text of a formula.

use super::length::{Bounded, LONG, say_length};
use super::solve::ProfileArg;
use super::{Context, Exit, read_fen};
use anyhow::bail;
use std::io::{self, Write};
use theta_chess::chess::Position;
use theta_chess::ctl::Syntax;
use theta_chess::game::Game;
use theta_chess::theta::{Form, Theta, write};

/// Arguments of `theta formula`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  theta formula '7k/6Q1/6K1/8/8/8/8/8 b - -' --theta 1 --syntax unicode\n  \
                  theta formula '7k/6Q1/6K1/8/8/8/8/8 b - -' --theta 2 | theta sat -"
)]
pub struct Args {
    /// The position in FEN, counters optional, quoted or as separate words; `-` reads it from
    /// standard input.
    #[arg(num_args = 1.., required = true)]
    fen: Vec<String>,
    /// Which formula.
    #[arg(long, value_enum, value_name = "FORMULA")]
    theta: ThetaArg,
    /// Each part defined once and named, or everything written out (every edge then costs 1.6 KB or
    /// more).
    #[arg(long, value_enum, default_value = "compact")]
    form: FormArg,
    /// The notation. `theta sat` reads ascii and unicode.
    #[arg(long, value_enum, default_value = "ascii")]
    syntax: SyntaxArg,
    /// A whole document for LaTeX, with the position and what the variables mean.
    #[arg(long)]
    document: bool,
    /// The rules: the laws of chess, or the paper as printed.
    #[arg(long, value_enum, default_value = "fide")]
    profile: ProfileArg,
}

/// `--theta`.
#[derive(Debug, Clone, Copy, clap::ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ThetaArg {
    /// Θ1: White has a strategy that mates.
    #[value(name = "1")]
    #[serde(rename = "1")]
    One,
    /// Θ2 as printed: White is never mated and does not mate on every path.
    #[value(name = "2")]
    #[serde(rename = "2")]
    Two,
    /// Θ3: Black has a strategy that mates.
    #[value(name = "3")]
    #[serde(rename = "3")]
    Three,
    /// Θ4 as printed: Black is never mated and does not mate on every path.
    #[value(name = "4")]
    #[serde(rename = "4")]
    Four,
    /// White can hold for ever.
    Hold2,
    /// Black can hold for ever.
    Hold4,
    /// Θ2* = Θ4*: both can hold for ever.
    Draw,
}

/// `--form`.
#[derive(Debug, Clone, Copy, clap::ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum FormArg {
    /// Each P(y) defined once and named.
    Compact,
    /// Everything written out.
    Expanded,
    /// As compact, with dots for what repeats itself: for people, nothing reads it.
    Sketch,
}

/// `--syntax`.
#[derive(Debug, Clone, Copy, clap::ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum SyntaxArg {
    /// `AG (~p0 & …)`
    Ascii,
    /// The paper's signs.
    Unicode,
    /// Lines of LaTeX mathematics.
    Latex,
    /// A module for NuSMV.
    Smv,
}

impl From<ThetaArg> for Theta {
    fn from(arg: ThetaArg) -> Self {
        match arg {
            ThetaArg::One => Self::One,
            ThetaArg::Two => Self::Two,
            ThetaArg::Three => Self::Three,
            ThetaArg::Four => Self::Four,
            ThetaArg::Hold2 => Self::Hold2,
            ThetaArg::Hold4 => Self::Hold4,
            ThetaArg::Draw => Self::Draw,
        }
    }
}

impl From<FormArg> for Form {
    fn from(arg: FormArg) -> Self {
        match arg {
            FormArg::Compact => Self::Compact,
            FormArg::Expanded => Self::Expanded,
            FormArg::Sketch => Self::Sketch,
        }
    }
}

impl From<SyntaxArg> for Syntax {
    fn from(arg: SyntaxArg) -> Self {
        match arg {
            SyntaxArg::Ascii => Self::Ascii,
            SyntaxArg::Unicode => Self::Unicode,
            SyntaxArg::Latex => Self::Latex,
            SyntaxArg::Smv => Self::Smv,
        }
    }
}

/// What stands in a document before the formula.
const PREAMBLE: &str = include_str!("formula.tex");

impl Args {
    /// What stands in a document before the formula.
    fn begin_document(&self, root: &Position, out: &mut impl Write) -> io::Result<()> {
        let name = match self.theta {
            ThetaArg::One => r"\Theta_1",
            ThetaArg::Two => r"\Theta_2",
            ThetaArg::Three => r"\Theta_3",
            ThetaArg::Four => r"\Theta_4",
            ThetaArg::Hold2 => r"\mathrm{Hold}_2",
            ThetaArg::Hold4 => r"\mathrm{Hold}_4",
            ThetaArg::Draw => r"\Theta_2^{*}",
        };
        let fen = root.to_string();
        out.write_all(PREAMBLE.replace("@@name@@", name).replace("@@fen@@", &fen).as_bytes())
    }

    /// Runs the command.
    ///
    /// # Errors
    /// Bad input, or output that cannot be written.
    pub fn run(&self, context: &Context) -> anyhow::Result<Exit> {
        let profile = self.profile.into();
        if self.document && !matches!(self.syntax, SyntaxArg::Latex) {
            bail!("--document is for --syntax latex");
        }
        if matches!((self.form, self.syntax), (FormArg::Sketch, SyntaxArg::Smv)) {
            bail!("a sketch is for people: another program needs --form compact or expanded");
        }
        let text = if self.fen == ["-"] {
            io::read_to_string(io::stdin().lock())?
        } else {
            self.fen.join(" ")
        };
        let root = read_fen(text.trim(), profile)?;
        let budget = context.budget();
        let stopped = |why: &str| {
            context.clear_progress();
            context.say(&format!("formula not complete: {why}"));
            Ok(Exit::Undecided)
        };
        let game = match Game::explore(root.vector(), profile, &budget) {
            Ok(game) => game,
            Err(end) => return stopped(&end.to_string()),
        };
        context.clear_progress();
        let (formula, form, syntax) = (self.theta.into(), self.form.into(), self.syntax.into());
        if game.len() > LONG && !matches!(self.form, FormArg::Sketch) {
            say_length(context, &budget, |out| write(formula, &game, form, syntax, out));
        }
        let mut out = Bounded { out: io::stdout().lock(), budget };
        let written = if self.document {
            self.begin_document(&root, &mut out)
                .and_then(|()| write(formula, &game, form, syntax, &mut out))
                .and_then(|()| writeln!(out, "\n\\end{{document}}"))
        } else {
            write(formula, &game, form, syntax, &mut out)
        };
        match written {
            Ok(()) => Ok(Exit::Yes),
            Err(error) => match out.budget.check(0, 0) {
                Err(reason) if error.kind() != io::ErrorKind::BrokenPipe => {
                    stopped(&reason.to_string())
                }
                _ => Err(error.into()),
            },
        }
    }
}
