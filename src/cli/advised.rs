//! Advice for the search: moves of a file, and an engine that is asked.

use super::input::each_line;
use super::{Context, write_whole};
use std::path::PathBuf;
use std::sync::Arc;
use theta_chess::advice::{Adviser, UciEngine};
use theta_chess::chess::{Position, Profile};

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
    /// Write the moves that were proved to win with advice to this file, each with its position: what
    /// --advice reads.
    #[arg(long, value_name = "FILE")]
    keep_advice: Option<PathBuf>,
}

impl AdviceArgs {
    /// Whoever is to be asked, if anybody is.
    ///
    /// # Errors
    /// A file that cannot be read or gives no advice, or an engine that cannot be started.
    pub fn adviser(&self, context: &Context) -> anyhow::Result<Option<Arc<Adviser>>> {
        if self.adviser.is_none() && self.advice.is_none() {
            anyhow::ensure!(
                self.keep_advice.is_none(),
                "--keep-advice has nothing to keep without --adviser or --advice"
            );
            return Ok(None);
        }
        let mut adviser = Adviser::default();
        if let Some(path) = &self.advice {
            each_line(path, Profile::Fide, |position, line| Ok(adviser.add(position, line)?))?;
        }
        if let Some(command) = &self.adviser {
            let threads = context.budget().limits().threads;
            adviser = adviser.with_engine(UciEngine::start(command, threads)?);
        }
        Ok(Some(Arc::new(adviser)))
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
