//! Certificates of what is known exactly: the value of every position that can arise is known, from
//! tables or from a listed graph, so that the moves follow from the values.

use crate::certificate::Certificate;
use crate::chess::Value;
use crate::chess::board::{Board, move_of};
use crate::chess::{Move, Packed, Profile, Side, Vector, fen, successors};
use crate::hold::hold;
use crate::limits::{Budget, StopReason};
use crate::strategy::{BuildError, Rules, win};
use crate::tables::Tables;

/// Why no certificate can be given.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CertificateError {
    /// The value is not known.
    #[error("the position is undecided: there is no strategy to certify")]
    Undecided,
    /// The engine does not know a position that it led to.
    #[error("the engine does not know {0}")]
    Gap(String),
    /// A limit was reached before the strategy was whole.
    #[error("the certificate is not finished: {0}")]
    Stopped(#[from] StopReason),
    /// There was no certificate when it was proved.
    #[error("{0}")]
    Unbuilt(String),
    /// The engine's moves are no strategy: a mistake in the engine.
    #[error("the engine's moves are no strategy: {0}")]
    Build(BuildError),
}

impl From<BuildError> for CertificateError {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Stopped(reason) => Self::Stopped(reason),
            error => Self::Build(error),
        }
    }
}

/// The certificate of a value, where `known` says the value of every position that can arise. Lines
/// also end where a proved rule says the value; the certificate then cites it.
///
/// # Errors
/// When `known` does not know a position on the way, or a limit of the budget is reached.
pub fn certificate(
    known: &dyn Fn(&Board) -> Option<Value>,
    rules: Option<&dyn Rules>,
    root: &Board,
    value: Value,
    budget: &Budget,
) -> Result<Certificate, CertificateError> {
    match value {
        Value::Wins(owner, _) => {
            let (strategy, plies) =
                win(rules, root, owner, budget, &mut |board| fastest(known, board, owner))?;
            Ok(Certificate::of_win(strategy, plies))
        }
        Value::Draw => {
            let holds =
                |owner| hold(rules, root, owner, budget, &mut |board| safe(known, board, owner));
            Ok(Certificate::of_draw(holds(Side::White)?, holds(Side::Black)?))
        }
    }
}

fn value(
    known: &dyn Fn(&Board) -> Option<Value>,
    board: &Board,
) -> Result<Value, CertificateError> {
    known(board).ok_or_else(|| CertificateError::Gap(fen(&board.vector())))
}

/// The first move that mates soonest. The value of the position itself says how soon, so that the
/// moves after the first such one need not be looked up.
fn fastest(
    known: &dyn Fn(&Board) -> Option<Value>,
    board: &Board,
    owner: Side,
) -> Result<Move, CertificateError> {
    let no_mate = || BuildError::NoMate(fen(&board.vector()));
    let soonest = match value(known, board)? {
        Value::Wins(side, plies) if side == owner => plies.checked_sub(1).ok_or_else(no_mate)?,
        _ => return Err(no_mate().into()),
    };
    for m in board.legal_moves() {
        if value(known, &board.after(m))? == Value::Wins(owner, soonest) {
            return Ok(move_of(&m));
        }
    }
    Err(no_mate().into())
}

/// The moves after which the owner still does not lose.
fn safe(
    known: &dyn Fn(&Board) -> Option<Value>,
    board: &Board,
    owner: Side,
) -> Result<Vec<Move>, CertificateError> {
    let mut safe = Vec::new();
    for m in board.legal_moves() {
        if !matches!(value(known, &board.after(m))?, Value::Wins(side, _) if side != owner) {
            safe.push(move_of(&m));
        }
    }
    Ok(safe)
}

/// A legal move with the value of the position after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rated {
    /// The move.
    pub play: Move,
    /// The value after it; `None` when not known.
    pub value: Option<Value>,
    /// Whether the distance of a win is the shortest (else it is a bound).
    pub shortest: bool,
    /// Where the value is not known: within how many plies the move is proved not to mate.
    pub no_mate: Option<NoMate>,
}

/// The side that has moved does not mate within so many plies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoMate {
    /// Plies, counted from the position after the move.
    pub plies: u32,
    /// A reply that shows it, where one is known, and for how many plies it does: fewer where more
    /// was proved since without naming a reply.
    pub reply: Option<(Move, u32)>,
}

impl Rated {
    /// A move of which nothing is known.
    pub fn unknown(play: Move) -> Self {
        Self { play, value: None, shortest: false, no_mate: None }
    }

    /// Sorts moves by what they are worth to the side that makes them, the best first.
    pub fn merit(&self, side: Side) -> (u8, i64) {
        match self.value {
            Some(Value::Wins(winner, plies)) if winner == side => (0, i64::from(plies)),
            Some(Value::Draw) => (1, 0),
            None => (2, 0),
            Some(Value::Wins(_, plies)) => (3, -i64::from(plies)),
        }
    }
}

/// Every legal move of a position with the exact value after it where `known` says one, the best
/// first.
pub fn rate(known: impl Fn(&Packed) -> Option<Value>, y: &Vector, profile: Profile) -> Vec<Rated> {
    let after = |(play, z): (Move, Vector)| Rated {
        play,
        value: known(&Packed::from(&z)),
        shortest: true,
        no_mate: None,
    };
    let mut list: Vec<Rated> = successors(profile, y).into_iter().map(after).collect();
    let side = Side::to_move(y);
    list.sort_by_key(|rated| rated.merit(side));
    list
}

/// The moves that are as good as the best, where the value after every move is known.
pub fn best(rated: &[Rated]) -> Option<Vec<Move>> {
    if rated.iter().any(|r| r.value.is_none()) {
        return None;
    }
    let best = rated.first().map(|r| r.value);
    Some(rated.iter().take_while(|r| Some(r.value) == best).map(|r| r.play).collect())
}

/// The value of a position from tables that are at hand.
pub fn table_value(tables: &Tables, board: &Board) -> Option<Value> {
    // A damaged table is reported by `ensure`; here it only means that the value is not known.
    tables.probe(board).ok().flatten()
}
