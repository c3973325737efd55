//! What a side comes out with where the value is not decided: the strongest aim that is proved, and
//! a guess at the move.

use super::Verdict;
use crate::certificate::Certificate;
use crate::chess::Side;
use crate::chess::{Move, Packed, Profile};
use crate::player::Chooser;
use std::collections::HashSet;

/// Positions that a guess at a first move may cost: some tenths of a second.
const GUESSED: u64 = 200_000;

/// The strongest aim short of mate that is proved for the side to move, with its certificate.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Secured {
    /// Whose aim it is.
    pub side: Side,
    /// What is reached, in words.
    pub claim: String,
    /// The aim, in the syntax that `check` reads.
    pub aim: String,
    /// Within so many plies at most.
    pub plies: u16,
    /// The move that leads to it.
    pub first: Option<Move>,
    pub(super) certificate: Certificate,
}

impl Secured {
    /// Its proof.
    pub fn certificate(&self) -> &Certificate {
        &self.certificate
    }
}

impl Verdict {
    /// The strongest aim that is proved for the side to move, where the value is not decided and
    /// chains of aims were tried. [`Verdict::certificate`] proves it where nothing stronger is
    /// proved.
    pub fn secured(&self) -> Option<&Secured> {
        self.secured.as_deref().filter(|_| self.value.is_none())
    }

    /// A first move that looks best where none is proved, by a shallow search: some tenths of a
    /// second, the same every time. Nothing is proved of it. `None` where there is no move, and
    /// by the paper's rules.
    pub fn guess(&self) -> Option<Move> {
        if self.profile != Profile::Fide {
            return None;
        }
        let board = self.root.board();
        let moves: Vec<_> = board.legal_moves().into_iter().collect();
        let (seen, over) = (HashSet::<Packed>::new(), |nodes| nodes >= GUESSED);
        let mut chooser = Chooser::new(&seen, &over);
        let guess = chooser.deepen(&board, &moves, u32::MAX, 1, &mut |_, _| ())?;
        guess.line.first().copied()
    }
}
