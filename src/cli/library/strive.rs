//! `theta library strive`: close library positions of equal material.

use super::endgames::read_library;
use crate::cli::{Context, Exit, read_fen};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use theta_chess::chess::board::Board;
use theta_chess::chess::{Profile, Side};
use theta_chess::library::endgames::built_in;
use theta_chess::library::striving::{Bounds, Close, Filters, Planned, strive};
use theta_chess::pioneer::image::Horizon;

/// Arguments of `theta library strive`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The position; the side to move strives.
    #[arg(required = true, num_args = 1..)]
    fen: Vec<String>,
    /// σmax: men that may stand elsewhere.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(0..=8))]
    sigma: u8,
    /// Δmax: the lengths of their trajectories in plies.
    #[arg(long, default_value_t = 12)]
    delta: u16,
    /// The horizon within which the other side's trajectories must be in the picture, in plies.
    #[arg(long, value_name = "H", default_value_t = 6)]
    horizon: u32,
    /// How many close positions are shown.
    #[arg(long, default_value_t = 10)]
    show: usize,
    /// A library [default: the one that comes with the program].
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
}

/// A close position as it is reported.
#[derive(Debug, Serialize)]
pub struct Report {
    class: String,
    row: usize,
    men: String,
    sigma: f64,
    delta: u32,
    /// Its value for the side that strives, the other side to move.
    value: Option<&'static str>,
    in_picture: bool,
    ways: Vec<String>,
    /// The aim, as `theta check` and `theta prove` read it.
    pub aim: String,
}

#[derive(Serialize)]
struct JsonReport {
    fen: String,
    filters: Filters,
    close: Vec<Report>,
}

fn way(way: &Planned) -> String {
    format!("{}{}-{} ({})", way.piece.char(), way.from, way.to, way.moves)
}

/// The aim to have these men on these squares, the other side to move.
fn aim(close: &Close, mover: Side) -> String {
    let on = |(piece, square): &(
        theta_chess::chess::board::Piece,
        theta_chess::chess::board::Square,
    )| { format!("on({}, {square})", piece.char()) };
    let men: Vec<String> = close.men.iter().map(on).collect();
    format!("{} & {}", men.join(" & "), mover.pick("black_to_move", "white_to_move"))
}

/// The close positions that the side to move may strive for: of the best value among them, and not
/// lost.
pub fn closest(board: &Board, show: usize) -> anyhow::Result<Vec<Report>> {
    let (us, classes) = (board.side_to_move(), built_in());
    let found = strive(&classes, board, Bounds::USUAL);
    let wanted =
        |close: &&Close| close.in_picture && close.outcome().is_some_and(|o| o.sign(us) >= 0);
    let outcomes = found.close.iter().filter(wanted).filter_map(Close::outcome);
    let best = outcomes.max_by_key(|o| o.sign(us));
    let chosen = found.close.iter().filter(wanted).filter(|close| close.outcome() == best);
    Ok(chosen.take(show).map(|close| report(close, board.side_to_move())).collect())
}

fn report(close: &Close, mover: Side) -> Report {
    let men: Vec<String> =
        close.men.iter().map(|(piece, square)| format!("{}{square}", piece.char())).collect();
    Report {
        class: close.material.to_string(),
        row: close.row,
        men: men.join(" "),
        sigma: f64::from(close.twice_sigma) / 2.0,
        delta: close.delta,
        value: close.outcome().map(|outcome| outcome.word(mover)),
        in_picture: close.in_picture,
        ways: close.planned.iter().map(way).collect(),
        aim: aim(close, mover),
    }
}

impl Report {
    /// One line for people.
    pub fn line(&self) -> String {
        let seen =
            if self.in_picture { "" } else { ", the other side's way is not in the picture" };
        let value = self.value.unwrap_or("no legal position");
        let ways =
            if self.ways.is_empty() { "stands already".to_owned() } else { self.ways.join(" ") };
        format!(
            "{} ({value}): σ {}, Δ {}: {ways}  [class {}, row {}{seen}]",
            self.men, self.sigma, self.delta, self.class, self.row
        )
    }
}

impl Args {
    /// Looks for close positions.
    ///
    /// # Errors
    /// A bad FEN, a bad library.
    pub fn run(&self, context: &Context) -> anyhow::Result<Exit> {
        let position = read_fen(&self.fen.join(" "), Profile::Fide)?;
        let board = position.board();
        let classes = read_library(self.library.as_deref())?;
        let bounds = Bounds {
            twice_sigma: 2 * u32::from(self.sigma),
            delta: self.delta.into(),
            horizon: Horizon::new(self.horizon),
        };
        let found = strive(&classes, &board, bounds);
        let mover = board.side_to_move();
        let close: Vec<Report> =
            found.close.iter().take(self.show).map(|close| report(close, mover)).collect();
        let exit = if close.is_empty() { Exit::No } else { Exit::Yes };
        if context.global.json {
            let report = JsonReport { fen: position.to_string(), filters: found.filters, close };
            context.print_json(&report)?;
            return Ok(exit);
        }
        let mut out = context.out();
        let f = found.filters;
        writeln!(
            out,
            "configurations {}: {} with this pattern of pawns, {} with such bishops; positions {}: {} within reach of \
             pawns and bishops, {} with σ ≤ {}, {} with Δ ≤ {}",
            f.configurations,
            f.after_pawn_pattern,
            f.after_bishops,
            f.positions,
            f.after_set,
            f.after_mismatch,
            self.sigma,
            f.after_difference,
            self.delta
        )?;
        close.iter().try_for_each(|close| writeln!(out, "{}", close.line()))?;
        out.flush()?;
        Ok(exit)
    }
}
