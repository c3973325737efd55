//! `theta problem`: chess problems solved as composers read them.

mod batch;
mod study;

use super::{Context, Exit, PositionArgs, write_whole};
use anyhow::{Context as _, bail, ensure};
use batch::Found;
use clap::ValueEnum;
use std::io::Write;
use std::path::{Path, PathBuf};
use theta_chess::chess::{Outcome, Position, Profile, Side};
use theta_chess::export::problem::{Letters, Sheet, json, sheet, text};
use theta_chess::problem::{
    Bounded, Edit, Kind, Solved, Status, Stipulation, Unproved, Wishes, prove_keys, solve,
    usual_mover,
};

/// Arguments of `theta problem`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    theta problem '2B5/8/2pNpKp1/2BkPb2/1PpP3n/P5rp/8/1N6 w - -' --stip '#2' --tries --set\n  \
    theta problem '4K2n/3P1P2/4k3/3p4/8/8/8/8 b - -' --stip 'h#2'\n\n\
    Stipulations are #n (mate), =n (stalemate) and, before them, s (selfmate), r (reflexmate), semi-r, h (helpmate), \
    hs (helpselfmate), ser-, ser-h and ser-s; h and hs take half moves (h#2.5). Studies are + and =.\n\
    The side to move in the FEN begins: in h#n that is the side that is mated, composers' Black. Castling and \
    en passant are possible where the FEN says so; in --popeye castling is possible where king and rook stand at \
    home.\n\
    Exit codes: 0 sound (C+), 1 not sound, 2 bad input, 3 undecided within the limits.")]
pub struct Args {
    #[command(flatten)]
    positions: PositionArgs,
    /// A file in the input language of Popeye, English or German; `-` is standard input.
    #[arg(long, value_name = "FILE", group = "PositionArgs")]
    popeye: Option<PathBuf>,
    /// A file of games with the tags FEN and Stipulation (and Solutions); `-` is standard input.
    #[arg(long, value_name = "FILE", group = "PositionArgs")]
    pgn: Option<PathBuf>,
    /// What is asked for, such as #2, s#3, h#2.5, ser-h=7, +; a line of --epd may have its own
    /// (opcode `stip`).
    #[arg(long, value_name = "STIPULATION", allow_hyphen_values = true)]
    stip: Option<String>,
    /// Show tries with at most so many refutations [1 where no number is given].
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1")]
    tries: Option<u16>,
    /// Show set play: what would follow if the other side began.
    #[arg(long)]
    set: bool,
    /// How many solutions are intended; a line of --epd may have its own (opcode `sols`).
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    solutions: u16,
    /// Show at most so many solutions.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u16).range(1..))]
    most: u16,
    /// Show keys alone, without variations.
    #[arg(long)]
    keys: bool,
    /// A twin, made by a change of the diagram, and solved after it: `move a4 c2`, `exchange a4 c2`,
    /// `add n f1`, `remove h2`, `stipulation h#2`; may be given several times.
    #[arg(long, value_name = "CHANGE", action = clap::ArgAction::Append)]
    twin: Vec<String>,
    /// The letters of the pieces in moves.
    #[arg(long, value_enum, default_value_t)]
    letters: LettersArg,
    /// The form of the result.
    #[arg(long, value_enum, default_value_t, conflicts_with = "json")]
    format: Format,
    /// Write to this file the certificate that these keys, and no other first moves, solve it (direct
    /// problems and selfmates).
    #[arg(long, value_name = "FILE")]
    cert: Option<PathBuf>,
}

/// The form of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Format {
    /// Lines of text.
    #[default]
    Text,
    /// A LaTeX document with the package `diagram`.
    Latex,
    /// A page with diagrams and solutions.
    Html,
    /// The diagram with the stipulation beneath.
    Svg,
    /// A game with the solution as its variations.
    Pgn,
}

/// The letters of the pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum LettersArg {
    /// K Q R B N.
    #[default]
    English,
    /// K Q R B S.
    Composers,
    /// K D T L S.
    German,
    /// R D T F C.
    French,
    /// R D T A C.
    Spanish,
    /// ♔ ♕ ♖ ♗ ♘.
    Figurines,
}

impl From<LettersArg> for Letters {
    fn from(arg: LettersArg) -> Self {
        match arg {
            LettersArg::English => Self::English,
            LettersArg::Composers => Self::Composers,
            LettersArg::German => Self::German,
            LettersArg::French => Self::French,
            LettersArg::Spanish => Self::Spanish,
            LettersArg::Figurines => Self::Figurines,
        }
    }
}

/// One problem of the command line or of a file.
pub struct Posed {
    name: Option<String>,
    /// The twin's letter, where there are twins, and what makes it.
    twin: Option<char>,
    edits: String,
    position: Position,
    stipulation: Stipulation,
    intended: usize,
    /// What the file asks for besides the command line.
    set_play: bool,
    tries: usize,
}

impl Posed {
    /// Name and twin: `A. Composer, 1990 b) move a4 c2`.
    fn label(&self) -> Option<String> {
        let twin =
            self.twin.map(|letter| format!("{letter}) {}", self.edits).trim_end().to_string());
        let parts: Vec<String> = self.name.clone().into_iter().chain(twin).collect();
        (!parts.is_empty()).then(|| parts.join(" "))
    }
}

impl Args {
    /// Runs the command.
    ///
    /// # Errors
    /// Bad input, or output that cannot be written.
    pub fn run(&self, context: &Context) -> anyhow::Result<Exit> {
        let default: Option<Stipulation> = self.stip.as_deref().map(str::parse).transpose()?;
        let twins = self.twin.iter().map(|text| text.parse());
        let twins: Vec<Edit> = twins.collect::<Result<_, _>>()?;
        let intended = usize::from(self.solutions);
        let many = self.popeye.is_some() || self.pgn.is_some() || self.positions.epd.is_some();
        let alone = !many && twins.is_empty();
        ensure!(alone || self.cert.is_none(), "--cert is for one problem; give its FEN");
        let files = match (&self.popeye, &self.pgn) {
            (Some(path), _) => Some(batch::of_popeye(path, intended)?),
            (_, Some(path)) => Some(batch::of_pgn(path, default, intended)?),
            _ => None,
        };
        let (head, tail) = match self.format {
            Format::Html => (sheet::HTML_HEAD, sheet::HTML_TAIL),
            Format::Latex => (sheet::LATEX_HEAD, sheet::LATEX_TAIL),
            _ => ("", ""),
        };
        // Nothing is printed before the input is known to be good.
        let mut head = Some(head);
        let exit = match files {
            Some(found) => self.file(found, &mut head, context)?,
            None => self.positions.for_each(context, Profile::Fide, |line| {
                match (batch::of_line(line, default, intended, &twins), line.line) {
                    (Ok(posed), place) => {
                        let mut exit = Exit::Yes;
                        for posed in posed {
                            let named = place.is_some() || posed.twin.is_some();
                            exit = exit.worst(self.answer(&posed, named, &mut head, context)?);
                        }
                        Ok(exit)
                    }
                    (Err(error), Some(place)) => {
                        context.error(&format!("line {place}: {error:#}"));
                        Ok(Exit::BadInput)
                    }
                    (Err(error), None) => Err(error),
                }
            })?,
        };
        if head.is_none() {
            context.print(tail.as_bytes())?;
        }
        Ok(exit)
    }

    fn file(
        &self,
        found: Vec<Found>,
        head: &mut Option<&str>,
        context: &Context,
    ) -> anyhow::Result<Exit> {
        let mut exit = Exit::Yes;
        for posed in found {
            exit = exit.worst(match posed {
                Ok(posed) => self.answer(&posed, true, head, context)?,
                Err((place, error)) => {
                    context.error(&format!("{place}: {error:#}"));
                    Exit::BadInput
                }
            });
            if context.interrupted() {
                return Ok(Exit::Interrupted);
            }
        }
        Ok(exit)
    }

    /// Solves one problem; `named` says whether its position and name are printed too.
    fn answer(
        &self,
        posed: &Posed,
        named: bool,
        head: &mut Option<&str>,
        context: &Context,
    ) -> anyhow::Result<Exit> {
        if named && !context.global.json && self.format == Format::Text {
            let name = posed.label().map_or_else(String::new, |name| format!("  {name}"));
            let (position, stipulation) = (posed.position, posed.stipulation);
            context.clear_progress();
            context.print(format!("{position}  {stipulation}{name}\n").as_bytes())?;
        }
        let status = match posed.stipulation {
            Stipulation::Bounded(bounded) => self.solve(posed, &bounded, head, context)?,
            Stipulation::Win | Stipulation::Draw => {
                ensure!(
                    self.format == Format::Text,
                    "studies are printed as text or --json; theta strategy draws their trees"
                );
                let claimed = match posed.stipulation {
                    Stipulation::Draw => Outcome::Draw,
                    _ => Outcome::Wins(Side::White),
                };
                study::solve(posed, claimed, context)?
            }
        };
        Ok(match status {
            Status::Sound | Status::Dual => Exit::Yes,
            Status::Undecided => Exit::Undecided,
            Status::Cook | Status::Missing | Status::NoSolution | Status::ShortSolution => Exit::No,
        })
    }

    fn solve(
        &self,
        posed: &Posed,
        bounded: &Bounded,
        head: &mut Option<&str>,
        context: &Context,
    ) -> anyhow::Result<Status> {
        remark(posed, bounded, context);
        let budget = context.question_budget();
        let certificate = self.cert.as_deref();
        if certificate.is_some() && !matches!(bounded.kind, Kind::Direct | Kind::SelfPlay) {
            bail!("--cert: {}", Unproved::Kind(*bounded));
        }
        ensure!(
            !self.set || bounded.series_plies() < 2,
            "--set: in {bounded} one side makes all the moves, and there is no set play"
        );
        let mut wishes = Wishes::default();
        wishes.tries = usize::from(self.tries.unwrap_or(0)).max(posed.tries);
        wishes.set_play = self.set || posed.set_play;
        wishes.intended = posed.intended;
        wishes.most = self.most.into();
        wishes.variations = !self.keys;
        budget.progress().stage(&format!("solving {bounded}"), None);
        let solved = solve(&posed.position, bounded, &wishes, &budget);
        context.clear_progress();
        if let Some(text) = head.take() {
            context.print(text.as_bytes())?;
        }
        self.print(posed, &solved, context)?;
        if let Some(path) = certificate.filter(|_| solved.complete) {
            certify(posed, bounded, path, context)?;
        }
        Ok(solved.status())
    }

    fn print(&self, posed: &Posed, solved: &Solved, context: &Context) -> anyhow::Result<()> {
        let (name, letters) = (posed.label(), self.letters.into());
        if context.global.json {
            return context.print_json(&json::Report::new(
                &posed.position,
                name.as_deref(),
                solved,
            ));
        }
        let sheet = Sheet { position: &posed.position, name: name.as_deref(), solved, letters };
        let mut out = context.out();
        match self.format {
            Format::Text => text::write(solved, letters, &mut out)?,
            Format::Latex => sheet.write_latex(&mut out)?,
            Format::Html => sheet.write_html(&mut out)?,
            Format::Svg => sheet.write_svg(&mut out)?,
            Format::Pgn => sheet.write_pgn(&mut out)?,
        }
        Ok(out.flush()?)
    }
}

/// Says where the side to move is not the one that begins in a composer's diagram.
fn remark(posed: &Posed, bounded: &Bounded, context: &Context) {
    let help = matches!(bounded.kind, Kind::Help | Kind::HelpSelf | Kind::SeriesHelp);
    let (mover, usual) = (posed.position.side_to_move(), usual_mover(&posed.stipulation));
    if help && mover != usual {
        context.say(&format!(
            "{mover} begins, as the FEN says; composers' diagrams with {bounded} have {usual} begin"
        ));
    }
}

/// Writes the certificate of the keys, and that no other first move solves.
fn certify(posed: &Posed, bounded: &Bounded, path: &Path, context: &Context) -> anyhow::Result<()> {
    let budget = context.question_budget();
    budget.progress().stage("certifying", None);
    let keys = prove_keys(&posed.position, bounded, &budget).context("no certificate")?;
    write_whole(path, |out| keys.write(out))?;
    context.clear_progress();
    context.say(&format!("{}: {}, proved", path.display(), keys.claim()));
    Ok(())
}
