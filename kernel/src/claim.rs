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
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wins(side, plies) => write!(f, "{side} wins in {plies} plies"),
            Self::Holds(side) => write!(f, "{side} holds"),
            Self::Draw => f.write_str("draw"),
            Self::Forces(side, plies) => write!(f, "{side} forces the aim in {plies} plies"),
        }
    }
}

impl Claim {
    /// Reads a claim; only what [`Claim`] prints is one.
    pub fn read(text: &str) -> Option<Self> {
        let words: Vec<&str> = text.split(' ').take(8).collect();
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
            _ => return None,
        };
        Some(claim)
    }

    /// The sections that prove it: whether they are wins, and their owners in order.
    pub fn sections(&self) -> (bool, Vec<Side>) {
        match *self {
            Self::Wins(side, _) | Self::Forces(side, _) => (true, vec![side]),
            Self::Holds(side) => (false, vec![side]),
            Self::Draw => (false, vec![Side::White, Side::Black]),
        }
    }
}

/// A number below 2^32, written in decimal digits without a sign or needless zeros.
pub(crate) fn number(text: &str) -> Option<u32> {
    let canonical =
        text.bytes().all(|b| b.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    if canonical { text.parse().ok() } else { None }
}
