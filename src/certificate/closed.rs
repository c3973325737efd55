//! Closed sets and lines: what any legal moves of both sides can lead to.

use super::sealed::{seal, side, write_head};
use crate::chess::{Interner, Move, Side, Vector};
use std::io::{self, Write};
use std::sync::Arc;
use theta_kernel::{Claim, Pattern};

/// Positions and patterns that no legal move leaves, in which one side is never mated. Nothing is
/// checked here: the kernel does that.
#[derive(Debug, Clone)]
pub struct Closed {
    /// Positions, each listed.
    pub positions: Interner,
    /// Many positions at once, each.
    pub patterns: Vec<Pattern>,
}

impl Closed {
    /// Bytes that it takes in a file, about.
    pub fn bytes(&self) -> u64 {
        let of = |pattern: &Pattern| {
            let rows = pattern.kings.0.iter().flatten().filter(|&&row| row != 0).count();
            17 + 9 * pattern.men.len() + 8 * rows
        };
        self.positions.memory() + self.patterns.iter().map(of).sum::<usize>() as u64
    }

    /// Writes the section: the side is its owner.
    pub(super) fn write(&self, out: &mut impl Write, owner: Side) -> io::Result<()> {
        out.write_all(&[b'N', side(owner)])?;
        out.write_all(&(self.positions.len() as u32).to_le_bytes())?;
        for id in 0..self.positions.len() as u32 {
            let mut bytes = [0; 34];
            let used = self.positions.at(id).write(&mut bytes);
            out.write_all(&bytes[..used])?;
        }
        out.write_all(&(self.patterns.len() as u32).to_le_bytes())?;
        self.patterns.iter().try_for_each(|pattern| write_pattern(out, pattern))
    }
}

fn write_pattern(out: &mut impl Write, pattern: &Pattern) -> io::Result<()> {
    out.write_all(&[pattern.men.len() as u8])?;
    for man in &pattern.men {
        if man.squares.is_power_of_two() {
            out.write_all(&[man.code, man.squares.trailing_zeros() as u8])?;
        } else {
            out.write_all(&[man.code | 128])?;
            out.write_all(&man.squares.to_le_bytes())?;
        }
    }
    for rows in pattern.kings.0.iter() {
        let set = |set: u64, at: usize| if rows[at] == 0 { set } else { set | 1 << at };
        out.write_all(&(0..64).fold(0, set).to_le_bytes())?;
        for row in rows.iter().filter(|&&row| row != 0) {
            out.write_all(&row.to_le_bytes())?;
        }
    }
    Ok(())
}

/// Whether a side can mate by any legal moves of both sides, and what proves it.
#[derive(Debug, Clone)]
pub enum Reach {
    /// The moves from the root to the mate.
    Line(Vec<Move>),
    /// A closed set without one.
    Never(Arc<Closed>),
}

/// Who can mate, as a certificate: at least one side's answer.
#[derive(Debug, Clone)]
pub struct Mates {
    /// The position.
    pub root: Vector,
    /// White's.
    pub white: Option<Reach>,
    /// Black's.
    pub black: Option<Reach>,
}

impl Mates {
    /// The claim.
    pub fn claim(&self) -> Claim {
        let can = |reach: &Option<Reach>| reach.as_ref().map(|r| matches!(r, Reach::Line(_)));
        Claim::Mates(can(&self.white), can(&self.black))
    }

    /// Writes the certificate.
    ///
    /// # Errors
    /// The writer's.
    pub fn write(&self, out: impl Write) -> io::Result<()> {
        seal(out, |out| {
            write_head(out, &self.root, self.claim())?;
            writeln!(out)?;
            for (winner, reach) in [(Side::White, &self.white), (Side::Black, &self.black)] {
                match reach {
                    None => {}
                    Some(Reach::Never(closed)) => closed.write(out, winner.other())?,
                    Some(Reach::Line(moves)) => {
                        out.write_all(&[b'L', side(winner)])?;
                        out.write_all(&(moves.len() as u32).to_le_bytes())?;
                        for play in moves {
                            out.write_all(&play.bits().to_le_bytes())?;
                        }
                    }
                }
            }
            Ok(())
        })
    }
}
