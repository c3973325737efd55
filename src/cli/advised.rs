//! Advice for the search: moves of a file, and an engine that is asked.

use super::input::each_line;
use super::intake::{self, Intake};
use super::{Context, Exit, write_whole};
use anyhow::Context as _;
use std::ops::ControlFlow::{self, Break, Continue};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use theta_chess::advice::{Adviser, UciEngine};
use theta_chess::certificate::{Certificate, Claim, Strategy};
use theta_chess::chess::{Position, Profile};
use theta_chess::verify::verify_with;

/// `--adviser`, `--advice` and `--keep-advice`.
#[derive(Debug, Clone, clap::Args)]
pub struct AdviceArgs {
    /// An engine that speaks UCI, such as `stockfish`: the winner plays what it proposes, and theta
    /// proves what remains after every reply. Program and arguments, separated by blanks.
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["keep", "literal", "pgn"])]
    adviser: Option<String>,
    /// A file of positions with the winner's moves (EPD operation bm): they are tried first.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["keep", "literal", "pgn"])]
    advice: Option<PathBuf>,
    /// A certificate of a win, which is checked first: what it wins is not proved again. May be given
    /// several times.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["keep", "literal", "pgn"])]
    proved: Vec<PathBuf>,
    /// Write the moves that were proved to win with advice to this file, each with its position: what
    /// --advice reads.
    #[arg(long, value_name = "FILE")]
    keep_advice: Option<PathBuf>,
}

impl AdviceArgs {
    /// Whoever is to be asked, if anybody is; how the command ends where a limit came first.
    ///
    /// # Errors
    /// A file that cannot be read or gives no advice, or an engine that cannot be started.
    pub fn adviser(
        &self,
        context: &Context,
    ) -> anyhow::Result<ControlFlow<Exit, Option<Arc<Adviser>>>> {
        if self.adviser.is_none() && self.advice.is_none() && self.proved.is_empty() {
            anyhow::ensure!(
                self.keep_advice.is_none(),
                "--keep-advice has nothing to keep without --adviser, --advice or --proved"
            );
            return Ok(Continue(None));
        }
        let mut adviser = Adviser::default();
        if let Some(path) = &self.advice {
            each_line(path, Profile::Fide, |position, line| Ok(adviser.add(position, line)?))?;
        }
        for path in &self.proved {
            let name = path.display();
            let Some(strategy) = win(path, context).with_context(|| name.to_string())? else {
                context.say(&format!("{name}: not checked to the end"));
                return Ok(Break(Exit::Undecided));
            };
            let winner = strategy.owner();
            anyhow::ensure!(
                adviser.winner().is_none_or(|side| side == winner),
                "{name}: a win of {winner}, where others are of {}",
                winner.other()
            );
            let moves = strategy.iter().filter_map(|(p, answer)| Some((p, answer.play?)));
            adviser.know(winner, moves);
        }
        if let Some(command) = &self.adviser {
            let threads = context.budget().limits().threads;
            adviser = adviser.with_engine(UciEngine::start(command, threads)?);
        }
        Ok(Continue(Some(Arc::new(adviser))))
    }

    /// Keeps what was proved, and says what became of the engine.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn finish(&self, adviser: &Adviser, context: &Context) -> anyhow::Result<()> {
        if let Some(fault) = adviser.fault() {
            context.error(&fault.to_string());
        }
        let Some(path) = &self.keep_advice else { return Ok(()) };
        write_whole(path, |out| {
            for (board, play) in adviser.proved() {
                let san = board.find(play).map_or_else(|| play.to_string(), |m| board.san(m));
                writeln!(out, "{} bm {san};", Position::from(&board))?;
            }
            Ok(())
        })
    }
}

/// The strategy of a certificate of a win, once it is checked; none where a limit came first.
///
/// # Errors
/// What is no such certificate, or not accepted.
fn win(path: &Path, context: &Context) -> anyhow::Result<Option<Strategy>> {
    let budget = context.budget();
    let bytes = match intake::read(path, &budget)? {
        Intake::Whole(bytes, _) => bytes,
        Intake::Rejected(fault) => return Err(fault.into()),
        Intake::Stopped(_) => return Ok(None),
    };
    budget.progress().stage("checking what is proved", None);
    let memory = bytes.len() as u64;
    let mut no_rules = |_: &[String]| Err("rules are not proved here".into());
    let mut go_on = |done| budget.check(done, memory).is_ok();
    let threads = budget.limits().threads;
    let Some(accepted) = verify_with(&bytes, threads, &mut no_rules, &mut go_on)? else {
        return Ok(None);
    };
    anyhow::ensure!(matches!(accepted.claim, Claim::Wins(..)), "this certificate proves no win");
    let strategies = Certificate::read(&bytes)?.strategies;
    strategies.into_iter().next().context("it has no strategy").map(Some)
}
