//! What tablebase clients ask: the fields of lichess's tablebase server.
//!
//! A draw here is a game that nobody can win: there is no fifty-move rule, and nothing is cursed or
//! blessed. Distances to mate are of our own tables and proofs.
//!
//! # References
//! * The documentation of *lila-tablebase*: the fields, their order and what is unknown.

use super::asked::Asked;
use super::desk::Desk;
use super::error::ApiError;
use super::task::{Attempt, Step, Task};
use serde::Serialize;
use std::cmp::Reverse;
use theta_chess::chess::board::{Board, ChessMove, Position as _, move_of};
use theta_chess::chess::{Side, Value};
use theta_chess::limits::Budget;
use theta_chess::solve::Solver;
use theta_chess::tables::{TableError, Tables};

/// Who wins, as the side to move sees it; the worst for it first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Category {
    Loss,
    Unknown,
    Draw,
    Win,
}

/// What is known of a position.
#[derive(Debug, Clone, Serialize)]
struct About {
    checkmate: bool,
    stalemate: bool,
    variant_win: bool,
    variant_loss: bool,
    insufficient_material: bool,
    dtz: Option<i32>,
    precise_dtz: Option<i32>,
    dtm: Option<i32>,
    dtw: Option<i32>,
    dtc: Option<i32>,
    category: Category,
}

/// A move and what is known after it.
#[derive(Debug, Clone, Serialize)]
struct Reply {
    uci: String,
    san: String,
    zeroing: bool,
    conversion: bool,
    #[serde(flatten)]
    after: About,
}

/// The answer about a position.
#[derive(Debug, Clone, Serialize)]
pub struct Standard {
    #[serde(flatten)]
    about: About,
    moves: Vec<Reply>,
}

/// A move of the main line.
#[derive(Debug, Clone, Serialize)]
struct Played {
    uci: String,
    san: String,
    dtz: Option<i32>,
    precise_dtz: Option<i32>,
    dtm: Option<i32>,
}

/// A line of best play.
#[derive(Debug, Clone, Serialize)]
pub struct Mainline {
    dtz: Option<i32>,
    precise_dtz: Option<i32>,
    dtm: Option<i32>,
    mainline: Vec<Played>,
    /// `w`, `b` or null.
    winner: Option<char>,
}

impl About {
    fn of(board: &Board, value: Option<Value>, dtz: Option<Dtz>) -> Self {
        let (over, check) = (board.legal_moves().is_empty(), board.in_check());
        let insufficient = board.chess().is_insufficient_material();
        let value = if over && !check || insufficient { Some(Value::Draw) } else { value };
        let (mover, category) = (board.side_to_move(), |value| match value {
            None => Category::Unknown,
            Some(Value::Draw) => Category::Draw,
            Some(Value::Wins(side, _)) if side == board.side_to_move() => Category::Win,
            Some(Value::Wins(..)) => Category::Loss,
        });
        Self {
            checkmate: over && check,
            stalemate: over && !check,
            variant_win: false,
            variant_loss: false,
            insufficient_material: insufficient,
            dtz: dtz.map(|dtz| dtz.0),
            precise_dtz: dtz.and_then(|dtz| dtz.1.then_some(dtz.0)),
            dtm: value.and_then(|value| distance(value, mover)),
            dtw: None,
            dtc: None,
            category: category(value),
        }
    }
}

/// Plies to a zeroing move, and whether that is exact.
type Dtz = (i32, bool);

/// Plies to mate, negative where the side to move loses; 0 in a draw, null where it is mated.
fn distance(value: Value, mover: Side) -> Option<i32> {
    match value {
        Value::Draw => Some(0),
        Value::Wins(_, 0 | theta_chess::chess::UNMEASURED..) => None,
        Value::Wins(side, plies) => {
            let plies = i32::try_from(plies).ok()?;
            Some(if side == mover { plies } else { -plies })
        }
    }
}

/// Values as the caller finds them.
type Values<'a> = dyn FnMut(&Board) -> Result<Option<Value>, ApiError> + 'a;

/// The answer where every value is at hand: tables that need not be solved. About a microsecond for
/// each move.
///
/// # Errors
/// A damaged table.
pub fn at_hand(board: &Board, desk: &Desk) -> Result<Option<Standard>, ApiError> {
    if !desk.is_ready(board) {
        return Ok(None);
    }
    let mut probe = |board: &Board| {
        desk.tables().probe(board).map_err(|error| ApiError::internal(error.to_string()))
    };
    let all = answer(board, desk, &mut probe)?;
    Ok((all.about.category != Category::Unknown).then_some(all))
}

/// A question that needs more than a look: tables that are solved first, or a search.
pub struct Ask {
    pub board: Board,
    /// Whether the line of best play is wanted, not the moves.
    pub mainline: bool,
    pub time: Option<f64>,
}

/// Seconds that a client of tables waits where it does not say.
const PATIENCE: f64 = 5.0;
/// The same where a table is solved for it.
const TABLE: f64 = 60.0;
/// Men of the largest tables that are solved because somebody asks.
const SOLVED: usize = 4;

impl Task for Ask {
    fn asked(&self) -> Asked {
        // Solving a small table takes a while, once.
        let usual = if self.rank() <= SOLVED { TABLE } else { PATIENCE };
        Asked { time: Some(self.time.unwrap_or(usual)), ..Asked::default() }
    }

    fn rank(&self) -> usize {
        self.board.chess().board().occupied().count()
    }

    fn run(&mut self, at: &mut Attempt<'_>, budget: &Budget) -> Result<Step, ApiError> {
        let few = self.rank() <= SOLVED;
        if let Some(material) = Tables::material_of(&self.board).filter(|_| few) {
            match at.desk.tables().ensure_values(material, budget) {
                Ok(()) | Err(TableError::Stopped(_)) => {}
                Err(error) => return Err(ApiError::internal(error.to_string())),
            }
        }
        if self.mainline {
            match mainline(&self.board, at.desk)? {
                Some(line) => at.tell("result", &line),
                None => return Err(ApiError::not_found("not in the tables")),
            }
            return Ok(Step::Over);
        }
        let answer = match at_hand(&self.board, at.desk)? {
            Some(answer) => answer,
            None => by_engines(&self.board, at.desk, &at.desk.solver, budget)?,
        };
        at.tell("result", &answer);
        Ok(Step::Over)
    }
}

/// The answer by the engines, as far as they know within the limits.
///
/// # Errors
/// An engine that cannot be asked.
fn by_engines(
    board: &Board,
    desk: &Desk,
    solver: &Solver,
    budget: &Budget,
) -> Result<Standard, ApiError> {
    let root = theta_chess::chess::Position::from(board);
    let rated = solver
        .rate_each(&root, budget, &mut |_| ())
        .map_err(|error| ApiError::internal(error.to_string()))?
        .moves;
    let (mover, mut known) = (board.side_to_move(), Vec::new());
    for one in &rated {
        if let Some(m) = board.find(one.play) {
            known.push((board.after(m).packed(), one.value));
        }
    }
    // The best of the moves is the position's value, if it wins or all are known.
    let best = rated.iter().filter_map(|one| one.value).max_by_key(|v| v.preference(mover));
    let wins = matches!(best, Some(Value::Wins(side, _)) if side == mover);
    let all_known = rated.iter().all(|one| one.value.is_some());
    let value = best.filter(|_| wins || all_known).map(Value::before);
    let own = board.packed();
    let mut look = |asked: &Board| {
        let packed = asked.packed();
        if packed == own {
            return Ok(if rated.is_empty() { mated(asked) } else { value });
        }
        Ok(known.iter().find(|(p, _)| *p == packed).and_then(|(_, value)| *value))
    };
    answer(board, desk, &mut look)
}

/// The value of a position without moves.
fn mated(board: &Board) -> Option<Value> {
    let lost = Value::Wins(board.side_to_move().other(), 0);
    Some(if board.in_check() { lost } else { Value::Draw })
}

fn answer(board: &Board, desk: &Desk, value: &mut Values<'_>) -> Result<Standard, ApiError> {
    let mut moves = Vec::new();
    for m in board.legal_moves() {
        let after = board.after(m);
        let about = About::of(&after, value(&after)?, desk.dtz(&after));
        moves.push(Reply {
            uci: move_of(&m).to_string(),
            san: board.san(m),
            zeroing: m.is_zeroing(),
            conversion: is_conversion(m),
            after: about,
        });
    }
    moves.sort_by_key(|reply| order(&reply.after, reply.zeroing));
    Ok(Standard { about: About::of(board, value(board)?, desk.dtz(board)), moves })
}

fn is_conversion(m: ChessMove) -> bool {
    m.is_capture() || m.is_promotion()
}

/// The place of a move: the worst for the opponent first; a lost one the sooner, a won one the later
/// the mate is.
fn order(after: &About, zeroing: bool) -> impl Ord + use<> {
    let plies = match after.category {
        Category::Loss => after.dtm.unwrap_or(if after.checkmate { 0 } else { i32::MIN }),
        _ => after.dtm.unwrap_or(0),
    };
    (after.category, Reverse(after.checkmate), Reverse(plies), !zeroing)
}

/// The line of best play of a position in tables that are at hand.
///
/// # Errors
/// A damaged table.
pub fn mainline(board: &Board, desk: &Desk) -> Result<Option<Mainline>, ApiError> {
    if !desk.is_ready(board) {
        return Ok(None);
    }
    let probe = |board: &Board| {
        desk.tables().probe(board).map_err(|error| ApiError::internal(error.to_string()))
    };
    let Some(value) = probe(board)? else { return Ok(None) };
    let (mut line, mut at) = (Vec::new(), board.clone());
    let winner = match value {
        Value::Wins(side, _) => Some(side),
        Value::Draw => None,
    };
    while winner.is_some() {
        let mover = at.side_to_move();
        let mut best: Option<(Value, ChessMove)> = None;
        for m in at.legal_moves() {
            let Some(after) = probe(&at.after(m))? else { continue };
            if best.is_none_or(|(value, _)| after.preference(mover) > value.preference(mover)) {
                best = Some((after, m));
            }
        }
        let Some((after, m)) = best else { break };
        let (uci, san) = (move_of(&m).to_string(), at.san(m));
        at.play(m);
        let dtz = desk.dtz(&at);
        line.push(Played {
            uci,
            san,
            dtz: dtz.map(|dtz| dtz.0),
            precise_dtz: dtz.and_then(|dtz| dtz.1.then_some(dtz.0)),
            dtm: distance(after, at.side_to_move()),
        });
    }
    let dtz = desk.dtz(board);
    Ok(Some(Mainline {
        dtz: dtz.map(|dtz| dtz.0),
        precise_dtz: dtz.and_then(|dtz| dtz.1.then_some(dtz.0)),
        dtm: distance(value, board.side_to_move()),
        mainline: line,
        winner: winner.map(|side| if side == Side::White { 'w' } else { 'b' }),
    }))
}
