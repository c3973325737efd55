//! A problem while its commands are read.

use super::fault::PopeyeError;
use crate::chess::{FenError, Position, Side};
use crate::problem::stipulation::Stipulation;
use crate::problem::twin::{Diagram, Edit};

/// What a problem says so far.
pub(super) struct Draft {
    pub(super) line: usize,
    pub(super) name: Vec<String>,
    pub(super) diagram: Diagram,
    pub(super) stipulation: Option<Stipulation>,
    pub(super) twins: Vec<(bool, Vec<Edit>)>,
    pub(super) zero: bool,
    pub(super) set_play: bool,
    pub(super) tries: bool,
    pub(super) refutations: usize,
    pub(super) white: bool,
    /// The square over which a pawn has just made its double step.
    pub(super) passed: Option<u8>,
    /// Kings and rooks that may not castle, by their squares.
    pub(super) moved: Vec<u8>,
    pub(super) fault: Option<PopeyeError>,
    pub(super) any: bool,
}

impl Draft {
    /// A problem that begins on this line.
    pub(super) fn new(line: usize) -> Self {
        Self {
            line,
            name: Vec::new(),
            diagram: Diagram::empty(),
            stipulation: None,
            twins: Vec::new(),
            zero: false,
            set_play: false,
            tries: false,
            refutations: 1,
            white: false,
            passed: None,
            moved: Vec::new(),
            fault: None,
            any: false,
        }
    }

    /// The position of a diagram: castling but for whoever has moved, and the capture in passing that
    /// the last move allows.
    pub(super) fn position(&self, diagram: &Diagram, side: Side) -> Result<Position, FenError> {
        let lost = |squares: [u8; 2]| squares.iter().any(|square| self.moved.contains(square));
        let rights = [('K', [4, 7]), ('Q', [4, 0]), ('k', [60, 63]), ('q', [60, 56])];
        let kept = rights.into_iter().filter(|(_, squares)| !lost(*squares));
        let kept: String = kept.map(|(right, _)| right).collect();
        diagram.after(side, Some(&kept), self.passed)
    }
}
