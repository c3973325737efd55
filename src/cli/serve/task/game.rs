//! A game in PGN: its positions, and where the proved value changed.

use super::solve::Told;
use super::work::{Attempt, Step, Task, internal, request};
use crate::cli::input::BYTE_ORDER_MARK;
use crate::cli::pgn::{Game, Gather};
use crate::cli::serve::asked::Asked;
use crate::cli::serve::error::ApiError;
use pgn_reader::Reader;
use serde::Serialize;
use std::time::Duration;
use theta_chess::chess::board::{Board, move_of};
use theta_chess::chess::{Position, Value, fen};
use theta_chess::limits::Budget;

request! {
    /// A game, the first of a file or another one.
    Request {
        /// The file.
        pgn: String,
        /// The number of the game in it, from 1 (1).
        #[serde(default)]
        game: Option<u64>,
    }
}

/// Games whose titles are told.
const TITLES: usize = 200;
/// Seconds for a position where nothing else is asked for.
const EACH: f64 = 2.0;
/// Positions of a game that are looked at.
const POSITIONS: usize = 600;

/// What a file has.
#[derive(Serialize)]
pub struct Listing {
    games: u64,
    titles: Vec<String>,
    game: u64,
    title: String,
    /// Why the rest of the game could not be read.
    fault: Option<String>,
    positions: Vec<Place>,
}

/// A position of a game.
#[derive(Clone, Serialize)]
struct Place {
    ply: usize,
    /// The move that led here, with its number.
    played: Option<String>,
    uci: Option<String>,
    fen: String,
}

/// A position with what is proved of it.
#[derive(Serialize)]
struct Entry {
    game: u64,
    ply: usize,
    played: Option<String>,
    uci: Option<String>,
    /// Whether the last proved value was another one.
    changed: bool,
    #[serde(flatten)]
    told: Told,
}

/// The positions of a game without what is proved of them, at once.
///
/// # Errors
/// A file without that game.
pub fn listing(request: &Request) -> Result<Listing, ApiError> {
    Ok(read(request)?.0)
}

/// A file with one of its games.
fn read(request: &Request) -> Result<(Listing, Vec<Board>), ApiError> {
    let bytes = request.pgn.as_bytes();
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let (mut reader, wanted) = (Reader::new(bytes), request.game.unwrap_or(1));
    let (mut games, mut titles, mut found) = (0, Vec::new(), None);
    let bad = |error: String| ApiError::bad("bad_pgn", error);
    while let Some(game) = reader.read_game(&mut Gather).map_err(|error| bad(error.to_string()))? {
        games += u64::from(game.any);
        if game.any && titles.len() < TITLES {
            titles.push(game.name(games));
        }
        if game.any && games == wanted {
            found = Some(game);
        }
    }
    let game = found.ok_or_else(|| match games {
        0 => bad("no game in it".into()),
        n => bad(format!("it has {n} games, not {wanted}")),
    })?;
    let (positions, boards) = places(&game);
    let fault = game.fault.as_ref().map(|fault| format!("{fault}; the rest is left out"));
    if positions.is_empty() {
        return Err(bad(fault.unwrap_or_else(|| "no position in it".into())));
    }
    let title = game.name(wanted);
    Ok((Listing { games, titles, game: wanted, title, fault, positions }, boards))
}

fn places(game: &Game) -> (Vec<Place>, Vec<Board>) {
    let (mut places, mut boards): (Vec<Place>, Vec<Board>) = (Vec::new(), Vec::new());
    for (ply, (played, board)) in game.positions().take(POSITIONS).enumerate() {
        let after = fen(&board.vector());
        let played_uci = boards.last().and_then(|before: &Board| {
            let m = *before
                .legal_moves()
                .iter()
                .find(|&&m| before.after(m).packed() == board.packed())?;
            Some(move_of(&m).to_string())
        });
        places.push(Place { ply, played: played.cloned(), uci: played_uci, fen: after });
        boards.push(board.clone());
    }
    (places, boards)
}

/// The work.
pub struct Play {
    listing: Listing,
    boards: Vec<Board>,
    asked: Asked,
    each: f64,
}

impl Play {
    /// # Errors
    /// A request that cannot be read.
    pub fn new(request: Request) -> Result<Self, ApiError> {
        let (asked, (listing, boards)) = (request.limits()?, read(&request)?);
        Ok(Self { listing, boards, each: asked.time.unwrap_or(EACH), asked })
    }
}

/// What is told at the end.
#[derive(Serialize)]
struct Summary<'a> {
    games: u64,
    titles: &'a [String],
    game: u64,
    title: &'a str,
    fault: Option<&'a str>,
    positions: usize,
    /// The plies at which the proved value changed.
    changes: Vec<usize>,
}

impl Task for Play {
    fn asked(&self) -> Asked {
        // The time is that of a position; all of them may take as long as the server allows.
        Asked { time: Some(1e6), ..self.asked }
    }

    fn run(&mut self, at: &mut Attempt<'_>, budget: &Budget) -> Result<Step, ApiError> {
        let (mut last, mut changes, mut solved) = (None, Vec::new(), 0);
        for (place, board) in self.listing.positions.iter().zip(&self.boards) {
            if budget.check(0, 0).is_err() {
                break;
            }
            let part = budget.part(Duration::from_secs_f64(self.each));
            let solver = &at.desk.solver;
            let verdict = solver.solve(&Position::from(board), &part).map_err(internal)?;
            let outcome = verdict.value().map(Value::outcome);
            let changed = outcome.is_some() && last.is_some() && outcome != last;
            last = outcome.or(last);
            if changed {
                changes.push(place.ply);
            }
            solved += 1;
            let Place { ply, played, uci, .. } = place.clone();
            let (game, told) = (self.listing.game, Told::of(&verdict));
            at.tell("position", &Entry { game, ply, played, uci, changed, told });
        }
        let Listing { games, titles, game, title, fault, .. } = &self.listing;
        at.tell(
            "result",
            &Summary {
                games: *games,
                titles,
                game: *game,
                title,
                fault: fault.as_deref(),
                positions: solved,
                changes,
            },
        );
        Ok(Step::Over)
    }
}
