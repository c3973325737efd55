//! What a certificate claims of its root.

use super::legal::Side;
use std::fmt;

/// What a certificate claims about its root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// The side mates in at most this many plies, whatever the other does (Θ1, Θ3).
    Wins(Side, u32),
    /// The side is never mated (Hold2, Hold4).
    Holds(Side),
    /// Both sides hold (Θ2* = Θ4*).
    Draw,
    /// The side reaches φ of the certificate's aim `AF φ` in at most this many plies, whatever the
    /// other does. What follows then is not said.
    Forces(Side, u32),
    /// Which first moves of the side win in at most this many plies, the first one counted, and that
    /// no other does. The moves are not part of the claim: the check finds them.
    Keys(Side, u32),
    /// The same of φ of the certificate's aim `AF φ`.
    AimKeys(Side, u32),
    /// Whether White, and whether Black, can mate by any legal moves of both sides; of one of them
    /// nothing may be said.
    Mates(Option<bool>, Option<bool>),
}

/// What has to be proved in a section, each for one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// The side wins, or reaches the aim.
    Win,
    /// The side does not lose (the aim is not reached) in so many plies.
    Delay,
    /// The side is never mated if it plays well.
    Hold,
    /// The side mates at the end of a line.
    Line,
    /// The side is never mated, whatever is played.
    Never,
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wins(side, plies) => write!(f, "{side} wins in {plies} plies"),
            Self::Holds(side) => write!(f, "{side} holds"),
            Self::Draw => f.write_str("draw"),
            Self::Forces(side, plies) => write!(f, "{side} forces the aim in {plies} plies"),
            Self::Keys(side, plies) => write!(f, "{side}'s keys in {plies} plies"),
            Self::AimKeys(side, plies) => write!(f, "{side}'s keys to the aim in {plies} plies"),
            Self::Mates(white, black) => {
                let can = |side: Side, can: Option<bool>| {
                    can.map(|can| format!("{side} can {}", if can { "mate" } else { "never mate" }))
                };
                let parts = [can(Side::White, *white), can(Side::Black, *black)];
                f.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
            }
        }
    }
}

impl Claim {
    /// Reads a claim; only what [`Claim`] prints is one.
    pub fn read(text: &str) -> Option<Self> {
        if let Some(mates) = CAN.into_iter().find(|mates| mates.to_string() == text) {
            return Some(mates);
        }
        let words: Vec<&str> = text.split(' ').take(9).collect();
        let side = |word: &str| match word {
            "White" => Some(Side::White),
            "Black" => Some(Side::Black),
            _ => None,
        };
        let claim = match words[..] {
            ["draw"] => Self::Draw,
            [who, "holds"] => Self::Holds(side(who)?),
            [who, "wins", "in", plies, "plies"] => Self::Wins(side(who)?, number(plies)?),
            [who, "forces", "the", "aim", "in", plies, "plies"] => {
                Self::Forces(side(who)?, number(plies)?)
            }
            [whose, "keys", "in", plies, "plies"] => {
                Self::Keys(side(whose.strip_suffix("'s")?)?, number(plies)?)
            }
            [whose, "keys", "to", "the", "aim", "in", plies, "plies"] => {
                Self::AimKeys(side(whose.strip_suffix("'s")?)?, number(plies)?)
            }
            _ => return None,
        };
        Some(claim)
    }

    /// Whether it speaks of an aim.
    pub(crate) fn has_aim(&self) -> bool {
        matches!(self, Self::Forces(..) | Self::AimKeys(..))
    }

    /// Whether rules may end the lines that prove it.
    pub(crate) fn may_cite(&self) -> bool {
        matches!(self, Self::Wins(..) | Self::Holds(_) | Self::Draw)
    }

    /// The sections that prove it, in order: what each has to prove, and for whom.
    pub fn sections(&self) -> Vec<(Task, Side)> {
        let mates = |side: Side, can: Option<bool>| {
            can.map(|can| if can { (Task::Line, side) } else { (Task::Never, side.other()) })
        };
        match *self {
            Self::Wins(side, _) | Self::Forces(side, _) => vec![(Task::Win, side)],
            Self::Keys(side, _) | Self::AimKeys(side, _) => {
                vec![(Task::Win, side), (Task::Delay, side.other())]
            }
            Self::Holds(side) => vec![(Task::Hold, side)],
            Self::Draw => vec![(Task::Hold, Side::White), (Task::Hold, Side::Black)],
            Self::Mates(white, black) => {
                let both = [mates(Side::White, white), mates(Side::Black, black)];
                both.into_iter().flatten().collect()
            }
        }
    }
}

/// What can be said of who can mate.
const CAN: [Claim; 8] = [
    Claim::Mates(Some(true), None),
    Claim::Mates(Some(false), None),
    Claim::Mates(None, Some(true)),
    Claim::Mates(None, Some(false)),
    Claim::Mates(Some(true), Some(true)),
    Claim::Mates(Some(true), Some(false)),
    Claim::Mates(Some(false), Some(true)),
    Claim::Mates(Some(false), Some(false)),
];

/// A number below 2^32, written in decimal digits without a sign or needless zeros.
pub(crate) fn number(text: &str) -> Option<u32> {
    let canonical =
        text.bytes().all(|b| b.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    if canonical { text.parse().ok() } else { None }
}
