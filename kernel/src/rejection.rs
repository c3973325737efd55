//! Why a certificate is rejected, and what is asked of every position in one.

use super::claim::Claim;
use super::format::FormatError;
use super::legal::{Side, check_input};
use super::meter::Abandoned;
use super::moves::{en_passant_possible, has_move, in_check};
use super::packed::Packed;
use super::text::Plain;
use super::vector::{Move, Profile, Vector};
use std::fmt;

/// Why a certificate is rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rejection {
    /// It cannot be read as a certificate, or is damaged.
    Format(FormatError),
    /// The sections do not fit the claim.
    Sections(Claim),
    /// Rules that it cites are not proved.
    Rules(String),
    /// An entry's position is not legal.
    Position(u64),
    /// An entry's position has the wrong side to move.
    NotOwnersMove(u64, String),
    /// A position of a section by slices has the owner to move.
    OwnersMove(u64, String),
    /// A position of a hold by slices is not the image that stands for all of its images.
    NotHome(u64, String),
    /// In a position of a winning strategy by slices the game is over, without a mate.
    NoReply(u64, String),
    /// A position is answered twice.
    Twice(u64, String),
    /// The owner's move is not legal.
    IllegalMove(u64, String, Move),
    /// The owner has no move where one is needed.
    NoMove(u64, String),
    /// A move is given where the owner is stalemated.
    NeedlessMove(u64, String),
    /// The owner's move ends the game in a winning strategy, but not in mate (or not in the aim).
    Stalemate(u64, String, Move),
    /// A reply is not answered.
    MissingReply(String),
    /// The owner is mated in a holding strategy, or sooner than a delay says.
    OwnerMated(String),
    /// The aim is reached where a delay says that it is not.
    Reached(String),
    /// The root is not covered.
    ForeignRoot(String),
    /// The root needs more plies than claimed.
    TooSlow {
        /// Plies that the strategy needs.
        needed: u32,
        /// Plies that are claimed.
        claimed: u32,
    },
    /// A rank that 32 bits do not hold.
    TooLong,
    /// A line does not end in mate.
    NoMate(String),
    /// A pattern that a legal move may leave, or with a mate that is not excluded.
    Pattern(u64, &'static str),
    /// The check was abandoned: nothing is said.
    Abandoned,
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Format(why) => why.fmt(f),
            Self::Sections(claim) => {
                write!(f, "the claim `{claim}` is not what the sections prove")
            }
            Self::Rules(why) => write!(f, "the rules it cites are not proved: {}", Plain(why)),
            Self::Position(n) => write!(f, "entry {n}: not a legal position"),
            Self::NotOwnersMove(n, y) => write!(f, "entry {n}: the owner is not to move in {y}"),
            Self::OwnersMove(n, y) => write!(f, "entry {n}: the owner is to move in {y}"),
            Self::NotHome(n, y) => {
                write!(f, "entry {n}: {y} is not the image that stands for all of its images")
            }
            Self::NoReply(n, y) => write!(f, "entry {n}: no reply is left in {y}"),
            Self::Twice(n, y) => write!(f, "entry {n}: {y} is answered twice"),
            Self::IllegalMove(n, y, m) => write!(f, "entry {n}: {m} is not legal in {y}"),
            Self::NoMove(n, y) => write!(f, "entry {n}: no move is given in {y}"),
            Self::NeedlessMove(n, y) => write!(f, "entry {n}: a move is given in stalemate, {y}"),
            Self::Stalemate(n, y, m) => {
                write!(f, "entry {n}: {m} in {y} ends the game, but not as claimed")
            }
            Self::MissingReply(y) => write!(f, "the reply that leads to {y} is not answered"),
            Self::OwnerMated(y) => write!(f, "the owner is mated in {y}"),
            Self::Reached(y) => write!(f, "the aim is reached in {y}"),
            Self::ForeignRoot(y) => write!(f, "the root {y} is not what the strategy answers"),
            Self::TooSlow { needed, claimed } => {
                write!(f, "the root needs {needed} plies, {claimed} are claimed")
            }
            Self::TooLong => f.write_str("a line is longer than 32 bits can say"),
            Self::NoMate(y) => write!(f, "the line ends in {y}, which is not the mate claimed"),
            Self::Pattern(n, why) => write!(f, "entry {n}: a pattern: {why}"),
            Self::Abandoned => f.write_str("the check was abandoned"),
        }
    }
}

impl std::error::Error for Rejection {}

impl Rejection {
    /// Whether the file is no certificate at all (rather than a wrong or damaged one).
    pub fn is_unreadable(&self) -> bool {
        matches!(self, Self::Format(FormatError::NotACertificate | FormatError::Version(_)))
    }
}

impl From<Abandoned> for Rejection {
    fn from(_: Abandoned) -> Self {
        Self::Abandoned
    }
}

impl From<FormatError> for Rejection {
    fn from(fault: FormatError) -> Self {
        Self::Format(fault)
    }
}

/// Whether this side is mated.
pub(crate) fn is_mated(y: &Vector, side: Side) -> bool {
    Side::to_move(y) == side && in_check(y) && !has_move(Profile::Fide, y)
}

/// A position that may stand in a certificate of this root.
pub(crate) fn legal(p: &Packed, root: &Vector, number: u64) -> Result<Vector, Rejection> {
    let illegal = || Rejection::Position(number);
    let y = p.vector().map_err(|_| illegal())?;
    let marked = y[65] != 0 || y[66] != 0;
    if check_input(&y).is_err() || y.men() > root.men() || marked && !en_passant_possible(&y) {
        return Err(illegal());
    }
    Ok(y)
}
