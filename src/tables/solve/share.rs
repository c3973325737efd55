//! One large slice shared by several processes. Its parts are *(side to move, square of White's
//! king)*: Black's king is inside a row and the other men inside a part, so that only moves of
//! White's king lead from one part to another, to at most eight. A process solves the parts of some
//! neighbouring squares. What it needs of others is Black to move beside its own squares: their
//! levels, ply by ply, and from these which of their positions are open.

use std::ops::Range;

use crate::chess::board::attacks;
use crate::tables::TableError;
use crate::tables::index::symmetry::KingSquares;

/// A frame of the log that another process has sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Crossing {
    /// The king number that it is of.
    pub(crate) king: usize,
    pub(crate) frame: Vec<u8>,
}

/// What a process tells all others at the end of a round.
pub(crate) type Report = [u64; 2];

/// The other processes that solve parts of the same slice.
pub(crate) trait Others: Sync {
    /// This process's number, and how many there are.
    fn place(&self) -> (usize, usize);

    /// Sends a frame to a process; it has it when both have come to their next [`Others::meet`].
    fn send(&self, process: usize, crossing: Crossing);

    /// Waits until all have come to this round. What each reports, in order of the processes, and
    /// what was sent to this one.
    ///
    /// # Errors
    /// When that cannot be: a process is gone.
    fn meet(&self, report: Report) -> Result<(Vec<Report>, Vec<Crossing>), TableError>;
}

/// Which parts of a slice are a process's own.
#[derive(Debug, Clone, Copy)]
pub(super) struct Share {
    squares: KingSquares,
    process: usize,
    processes: usize,
}

impl Share {
    pub(super) fn new(squares: KingSquares, (process, processes): (usize, usize)) -> Self {
        Self { squares, process, processes }
    }

    pub(super) fn all(squares: KingSquares) -> Self {
        Self::new(squares, (0, 1))
    }

    /// How many king numbers there are in all.
    pub(super) fn kings(&self) -> usize {
        self.squares.count()
    }

    /// Whether there are other processes.
    pub(super) fn is_part(&self) -> bool {
        self.processes > 1
    }

    fn of(&self, process: usize) -> Range<usize> {
        let start = |process: usize| (process * self.kings()).div_ceil(self.processes);
        start(process)..start(process + 1)
    }

    /// The king numbers of this process.
    pub(super) fn own(&self) -> Range<usize> {
        self.of(self.process)
    }

    /// Whether White's king steps from one of the king numbers to the other.
    fn reaches(&self, from: usize, to: usize) -> bool {
        let steps = attacks::king_attacks(self.squares.square(from));
        steps.into_iter().any(|square| self.squares.normalise(square).0 == to)
    }

    /// The king numbers of others that White's king steps to from those of this process.
    pub(super) fn border(&self) -> Vec<usize> {
        let own = self.own();
        let foreign = (0..self.kings()).filter(|king| !own.contains(king));
        foreign.filter(|&to| own.clone().any(|from| self.reaches(from, to))).collect()
    }

    /// The other processes that need to know of this king number.
    pub(super) fn readers(&self, king: usize) -> Vec<usize> {
        let others = (0..self.processes).filter(|&process| process != self.process);
        others.filter(|&p| self.of(p).any(|from| self.reaches(from, king))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn every_king_is_of_one_process_and_borders_are_seen_from_both_sides() {
        for squares in [KingSquares::Triangle, KingSquares::Board] {
            for processes in 1..=12 {
                let share = |process| Share::new(squares, (process, processes));
                let owned: Vec<usize> = (0..processes).flat_map(|p| share(p).own()).collect();
                assert_eq!(owned, Vec::from_iter(0..squares.count()));
                for (reader, owner) in
                    (0..processes).flat_map(|p| (0..processes).map(move |q| (p, q)))
                {
                    for king in share(owner).own().filter(|_| reader != owner) {
                        let needs = share(reader).border().contains(&king);
                        assert_eq!(share(owner).readers(king).contains(&reader), needs);
                    }
                }
            }
        }
        assert_eq!(Share::new(KingSquares::Triangle, (0, 2)).own(), 0..5);
        assert!(Share::all(KingSquares::Triangle).border().is_empty());
    }
}
