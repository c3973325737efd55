//! How far stored tables are believed, and where a table came from.

use crate::tables::index::material::Material;

/// How far stored tables are believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Trust {
    /// Some positions of each are compared with their successors when it is opened: about a
    /// millisecond a table. What engines do.
    #[default]
    Sampled,
    /// Every value of each is checked before the first is used. What proofs need.
    Checked,
    /// They are believed.
    Blind,
}

/// Where a table in use comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Provenance {
    /// Solved by this process.
    Solved,
    /// Stored, and every value checked.
    Checked,
    /// Stored, and not checked.
    Believed,
}

impl std::fmt::Display for Provenance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Solved => "tables solved now",
            Self::Checked => "stored tables, checked",
            Self::Believed => "stored tables, not checked",
        })
    }
}

/// What making a table ready would take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Estimate {
    /// Tables to be solved, each after those it depends on.
    pub solve: Vec<Material>,
    /// Stored tables to be read and checked.
    pub check: Vec<Material>,
    /// Bytes of memory at the peak, true to about a tenth for tables of five men; of several
    /// processes, of the one that takes most.
    pub bytes: u64,
    /// Positions to be solved or checked.
    pub positions: u64,
    /// Those of the tables that have to be solved.
    pub to_solve: u64,
    /// Of these, those of tables of six men without pawns.
    pub to_solve_of_six: u64,
    /// Those of tables of six men with pawns.
    pub to_solve_of_six_with_pawns: u64,
}

/// Positions of the index that a processor solves in a second, and bytes that a stored one takes: of
/// all tables of up to five men (beside other work; 34 million in KRPvKR with all it needs on a quiet
/// machine), of KRNvKNN, and of KNNNvKP.
const SPEED: [u64; 3] = [22_000_000, 8_800_000, 6_200_000];
const PACKED: [f64; 3] = [0.1846, 0.29, 0.31];

impl Estimate {
    /// Seconds of one processor, to solve what is not stored.
    pub fn seconds(&self) -> u64 {
        self.kinds().iter().zip(SPEED).map(|(positions, speed)| positions / speed).sum()
    }

    /// Bytes of the files of what is not stored.
    pub fn file_bytes(&self) -> f64 {
        self.kinds().iter().zip(PACKED).map(|(&positions, size)| positions as f64 * size).sum()
    }

    /// Positions to be solved of tables of five men and fewer, of six without pawns, and of six with pawns.
    fn kinds(&self) -> [u64; 3] {
        let (six, pawned) = (self.to_solve_of_six, self.to_solve_of_six_with_pawns);
        [self.to_solve - six - pawned, six, pawned]
    }
}
