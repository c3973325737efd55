//! Counting move sequences: how move sets are compared with published figures.

use super::{Profile, Vector, moves};

/// The number of move sequences of `depth` plies from y (perft).
pub fn perft(profile: Profile, y: &Vector, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut nodes = 0;
    moves(profile, y, &mut |_, z| {
        nodes += if depth == 1 { 1 } else { perft(profile, z, depth - 1) }
    });
    nodes
}
