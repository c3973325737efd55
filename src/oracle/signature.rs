//! Which men a table is about.

use crate::chess::Side;
use crate::chess::board::{Board, BySide, Position as _, Role};

/// The kinds of men in the order of the names.
const KINDS: [(char, Role); 6] = [
    ('K', Role::King),
    ('Q', Role::Queen),
    ('R', Role::Rook),
    ('B', Role::Bishop),
    ('N', Role::Knight),
    ('P', Role::Pawn),
];

/// The number of men of each kind: White's, Black's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Signature([[u8; KINDS.len()]; 2]);

impl Signature {
    /// The men on a board.
    pub(super) fn of(board: &Board) -> Self {
        let men = board.chess().board();
        Self([Side::White, Side::Black].map(|side| {
            KINDS.map(|(_, role)| (men.men_of(side) & men.by_role(role)).count() as u8)
        }))
    }

    /// The men that a name such as `KRPvKR` tells; none where it is no table's: each side has a
    /// king, and there are three to seven men.
    pub(super) fn read(name: &str) -> Option<Self> {
        let (white, black) = name.split_once('v')?;
        let side = |text: &str| {
            let mut counts = [0; KINDS.len()];
            for letter in text.chars() {
                counts[KINDS.iter().position(|(known, _)| *known == letter)?] += 1_u8;
                if counts.iter().sum::<u8>() > super::MOST_MEN as u8 {
                    return None;
                }
            }
            (counts[0] == 1).then_some(counts)
        };
        let signature = Self([side(white)?, side(black)?]);
        (3..=super::MOST_MEN).contains(&signature.men()).then_some(signature)
    }

    /// The number of men, kings included.
    pub(super) fn men(self) -> usize {
        self.0.as_flattened().iter().map(|&count| usize::from(count)).sum()
    }

    /// The same men with colours exchanged.
    pub(super) fn exchanged(self) -> Self {
        let [white, black] = self.0;
        Self([black, white])
    }
}
