//! Games in PGN: every position of their main lines. `theta solve --pgn` shows where the proved
//! value changed, `theta moves --pgn` what each move leads to.

use super::headline::headline;
use super::input::BYTE_ORDER_MARK;
use super::{Context, Exit};
use anyhow::Context as _;
use pgn_reader::{RawTag, Reader, SanPlus, Skip, Visitor};
use serde::Serialize;
use std::fs::File;
use std::io::{self, Cursor, Read, Write};
use std::ops::ControlFlow;
use std::path::Path;
use theta_chess::chess::board::Board;
use theta_chess::chess::{Outcome as Ending, Position, Profile, Value, move_number};
use theta_chess::solve::{Options, Report, Solver};

/// The longest game that is read, in plies: longer than any game can be under the seventy-five-move
/// rule.
const MAX_PLIES: usize = 20_000;

/// A game's main line.
pub(super) struct Game {
    pub(super) title: String,
    root: Board,
    /// The moves as played, and the positions after them.
    moves: Vec<(String, Board)>,
    /// Why the rest of the game could not be read.
    pub(super) fault: Option<String>,
    /// Is there anything of a game here, a tag or a move? (A result alone stands in any text.)
    pub(super) any: bool,
}

impl Game {
    /// Has the game positions to solve? Not when there is no game, and not when its first position
    /// is wrong.
    fn is_playable(&self) -> bool {
        self.any && (self.fault.is_none() || !self.moves.is_empty())
    }

    /// The players and the event, or the number of the game.
    pub(super) fn name(&self, count: u64) -> String {
        if self.title.is_empty() { format!("game {count}") } else { self.title.clone() }
    }

    /// The positions of the main line with the moves that led to them; no move led to the first.
    pub(super) fn positions(&self) -> impl Iterator<Item = (Option<&String>, &Board)> {
        // A wrong FEN leaves no position to begin with.
        let root = (self.fault.is_none() || !self.moves.is_empty()).then_some((None, &self.root));
        root.into_iter().chain(self.moves.iter().map(|(text, board)| (Some(text), board)))
    }
}

/// Gathers the main line; variations are skipped, however deep.
pub(super) struct Gather;

#[derive(Default)]
pub(super) struct Tags {
    names: [String; 2],
    event: String,
    root: Option<Board>,
    fault: Option<String>,
    /// Is there any tag?
    any: bool,
}

impl Visitor for Gather {
    type Tags = Tags;
    type Movetext = Game;
    type Output = Game;

    fn begin_tags(&mut self) -> ControlFlow<Game, Tags> {
        ControlFlow::Continue(Tags::default())
    }

    fn tag(&mut self, tags: &mut Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<Game> {
        let text = value.decode_utf8_lossy().into_owned();
        tags.any = true;
        match name {
            b"White" => tags.names[0] = text,
            b"Black" => tags.names[1] = text,
            b"Event" => tags.event = text,
            b"FEN" => match Board::from_fen(&text) {
                Ok(board) => tags.root = Some(board),
                Err(error) => tags.fault = Some(format!("FEN `{text}`: {error}")),
            },
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Tags) -> ControlFlow<Game, Game> {
        let start = || Board::from_fen(super::uci::START).expect("the initial position");
        let named = |name: &String| !matches!(name.as_str(), "" | "?");
        let players = if tags.names.iter().any(named) { tags.names.join(" - ") } else { "".into() };
        let title: Vec<String> = [players, tags.event].into_iter().filter(named).collect();
        ControlFlow::Continue(Game {
            title: title.join(", "),
            root: tags.root.unwrap_or_else(start),
            moves: Vec::new(),
            fault: tags.fault,
            any: tags.any,
        })
    }

    fn san(&mut self, game: &mut Game, san: SanPlus) -> ControlFlow<Game> {
        game.any = true;
        if game.fault.is_some() {
            return ControlFlow::Continue(());
        }
        let board = game.moves.last().map_or(&game.root, |(_, board)| board);
        let legal = board.parse_san(&san.san.to_string());
        match legal {
            Some(m) if game.moves.len() < MAX_PLIES => {
                let text = format!("{}{}", number(game, game.moves.len()), board.san(m));
                let after = board.after(m);
                game.moves.push((text, after));
            }
            Some(_) => game.fault = Some(format!("longer than {MAX_PLIES} plies")),
            None => {
                game.fault = Some(format!("{}{san} is not legal", number(game, game.moves.len())))
            }
        }
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _game: &mut Game) -> ControlFlow<Game, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn end_game(&mut self, game: Game) -> Game {
        game
    }
}

/// The number before a move: `3. ` or `3... `, counted from the root.
fn number(game: &Game, ply: usize) -> String {
    move_number(ply as u32, game.root.side_to_move()) + " "
}

/// One position of a game.
#[derive(Serialize)]
struct Entry {
    /// The game's number in the file, from 1.
    game: u64,
    /// Plies from the game's first position.
    ply: usize,
    /// The move that led here, with its number; null at the first position.
    played: Option<String>,
    /// Whether the last proved value of this game was another one: the move gave something away.
    changed: bool,
    #[serde(flatten)]
    report: Report,
}

/// Solves every position of the main lines in a PGN file; `-` is standard input. What the search
/// proves of positions may be kept for the next ones.
///
/// # Errors
/// A file that cannot be read, or output that cannot be written.
pub(super) fn run(
    path: &Path,
    options: Options,
    learns: bool,
    context: &Context,
) -> anyhow::Result<Exit> {
    anyhow::ensure!(
        options.profile == Profile::Fide,
        "games are played by the laws of chess; leave out --profile paper"
    );
    let solver = context.solver()?.with_options(options);
    let solver = if learns { solver.learning() } else { solver };
    for_each_game(path, context, |game, count| solve_game(game, count, &solver, context))
}

/// Shows every game of a PGN file in turn; `-` is standard input.
///
/// # Errors
/// A file that cannot be read, or what `show` fails with.
pub(super) fn for_each_game(
    path: &Path,
    context: &Context,
    mut show: impl FnMut(&Game, u64) -> anyhow::Result<Exit>,
) -> anyhow::Result<Exit> {
    let name = path.display().to_string();
    let input: Box<dyn Read> = if name == "-" {
        Box::new(io::stdin().lock())
    } else {
        Box::new(File::open(path).with_context(|| name.clone())?)
    };
    let mut reader = Reader::new(without_mark(input).with_context(|| name.clone())?);
    let (mut exit, mut count) = (Exit::Yes, 0);
    while let Some(game) = reader.read_game(&mut Gather).with_context(|| name.clone())? {
        count += u64::from(game.any);
        if game.is_playable() {
            exit = exit.worst(show(&game, count)?);
        }
        if let Some(fault) = &game.fault {
            context
                .error(&format!("{name}, game {count}: {fault}; the rest of the game is left out"));
            exit = exit.worst(Exit::BadInput);
        }
        if context.interrupted() {
            return Ok(Exit::Interrupted);
        }
    }
    anyhow::ensure!(count > 0, "{name}: no game in it");
    Ok(exit)
}

/// The input without the byte-order mark that it may begin with.
fn without_mark(mut input: Box<dyn Read>) -> io::Result<impl Read> {
    let mut start = Vec::new();
    input.by_ref().take(BYTE_ORDER_MARK.len() as u64).read_to_end(&mut start)?;
    if start == BYTE_ORDER_MARK {
        start.clear();
    }
    Ok(Cursor::new(start).chain(input))
}

fn solve_game(game: &Game, count: u64, solver: &Solver, context: &Context) -> anyhow::Result<Exit> {
    let mut exit = Exit::Yes;
    let mut last: Option<Ending> = None;
    if !context.global.json {
        let mut out = context.out();
        writeln!(out, "{}", game.name(count))?;
        out.flush()?;
    }
    for (ply, (played, board)) in game.positions().enumerate() {
        let verdict = solver.solve(&Position::from(board), context.budget())?;
        let outcome = verdict.value().map(Value::outcome);
        let changed = outcome.is_some() && last.is_some() && outcome != last;
        last = outcome.or(last);
        exit = exit.worst(if outcome.is_some() { Exit::Yes } else { Exit::Undecided });
        context.clear_progress();
        print(
            &Entry { game: count, ply, played: played.cloned(), changed, report: verdict.report() },
            context,
        )?;
        if context.interrupted() {
            return Ok(Exit::Interrupted);
        }
    }
    Ok(exit)
}

fn print(entry: &Entry, context: &Context) -> anyhow::Result<()> {
    if context.global.json {
        return context.print_json(entry);
    }
    let mut out = context.out();
    let played = entry.played.as_deref().unwrap_or("-");
    let mark = if entry.changed { "  <- the value changed" } else { "" };
    let best = match entry.report.best_san.as_slice() {
        [] => String::new(),
        moves => format!("; best {}", moves.join(" ")),
    };
    writeln!(out, "{played:<12} {}{best}{mark}", headline(&entry.report))?;
    out.flush()?;
    Ok(())
}
