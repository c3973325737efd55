//! The text of Θ1 to Θ4 of a position.

use super::work::{Attempt, Step, Task, position, request};
use crate::cli::formula::{FormArg, SyntaxArg, ThetaArg};
use crate::cli::serve::asked::Asked;
use crate::cli::serve::error::ApiError;
use crate::cli::serve::held::{Capped, Held};
use serde::Serialize;
use std::io::{self, Write};
use theta_chess::chess::{Position, Profile};
use theta_chess::game::Game;
use theta_chess::limits::Budget;
use theta_chess::theta::write;

request! {
    /// A formula of a position.
    Request {
        /// The position: FEN, counters optional, underscores for spaces.
        fen: String,
        /// Which formula: 1, 2, 3, 4, hold2, hold4 or draw.
        theta: ThetaArg,
        /// compact, expanded or sketch (compact).
        #[serde(default)]
        form: Option<FormArg>,
        /// ascii, unicode, latex or smv (ascii).
        #[serde(default)]
        syntax: Option<SyntaxArg>,
    }
}

/// Bytes of a text that is kept.
const MAX_TEXT: usize = 8 << 20;
/// Bytes up to which a longer one is counted.
const MAX_COUNTED: u64 = 1 << 30;
/// Characters that are shown at once.
const HEAD: usize = 4_000;

/// The work.
pub struct Print {
    root: Position,
    theta: ThetaArg,
    form: FormArg,
    syntax: SyntaxArg,
    asked: Asked,
}

/// What is told of it.
#[derive(Serialize)]
struct Told {
    fen: String,
    theta: ThetaArg,
    form: FormArg,
    syntax: SyntaxArg,
    /// Positions that the formula speaks of.
    positions: u64,
    /// Bytes of the text, or those that were counted before a limit.
    bytes: u64,
    /// Whether all of it was counted.
    complete: bool,
    /// How it begins.
    head: String,
    /// Where the whole text is, if it is not too long.
    url: Option<String>,
}

impl Print {
    /// # Errors
    /// A request that cannot be read.
    pub fn new(request: Request) -> Result<Self, ApiError> {
        let root = position(&request.fen)?;
        let form = request.form.unwrap_or(FormArg::Compact);
        let syntax = request.syntax.unwrap_or(SyntaxArg::Ascii);
        if matches!((form, syntax), (FormArg::Sketch, SyntaxArg::Smv)) {
            let why = "a sketch is for people: smv needs the form compact or expanded";
            return Err(ApiError::bad("bad_request", why));
        }
        Ok(Self { root, theta: request.theta, form, syntax, asked: request.limits()? })
    }
}

impl Task for Print {
    fn asked(&self) -> Asked {
        self.asked
    }

    fn run(&mut self, at: &mut Attempt<'_>, budget: &Budget) -> Result<Step, ApiError> {
        let game = Game::explore(self.root.vector(), Profile::Fide, budget).map_err(|end| {
            ApiError::too_large(format!("the positions of this formula are not listed: {end}"))
        })?;
        let mut counted = Counted { kept: Capped::new(MAX_TEXT, budget.clone()), bytes: 0, budget };
        let (theta, form, syntax) = (self.theta.into(), self.form.into(), self.syntax.into());
        let complete = write(theta, &game, form, syntax, &mut counted).is_ok();
        let Counted { kept, bytes, .. } = counted;
        let text = String::from_utf8_lossy(&kept.bytes).into_owned();
        let whole = complete && bytes == text.len() as u64;
        let url = whole.then(|| format!("/api/v1/jobs/{}/text", at.job.id));
        at.tell(
            "result",
            &Told {
                fen: self.root.to_string(),
                theta: self.theta,
                form: self.form,
                syntax: self.syntax,
                positions: u64::from(game.len()),
                bytes,
                complete,
                head: text.chars().take(HEAD).collect(),
                url,
            },
        );
        if whole {
            at.job.hold(Held::Text(text));
        }
        Ok(Step::Over)
    }
}

/// Keeps the beginning and counts the rest.
struct Counted<'a> {
    kept: Capped,
    bytes: u64,
    budget: &'a Budget,
}

impl Write for Counted<'_> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        if self.bytes == self.kept.bytes.len() as u64 {
            // What does not fit any more is only counted.
            let _ = self.kept.write(piece);
        }
        let before = self.bytes;
        self.bytes += piece.len() as u64;
        if before >> 20 != self.bytes >> 20 {
            self.budget.check(0, 0).map_err(io::Error::other)?;
        }
        if self.bytes > MAX_COUNTED {
            return Err(io::Error::other("longer than is counted"));
        }
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
