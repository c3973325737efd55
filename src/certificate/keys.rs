//! Every first move judged: which win in time, and how each other one is met.

use super::file::write_blocks;
use super::sealed::{seal, write_head};
use super::strategy::Answer;
use crate::aim::Goal;
use crate::chess::{Interner, Packed, Side, Vector};
use std::io::{self, Write};
use theta_kernel::Claim;

/// Positions with a move and a rank each.
#[derive(Debug, Clone)]
pub struct Ranked {
    positions: Interner,
    answers: Vec<Answer>,
}

impl Ranked {
    /// None yet, of positions with at most so many men.
    pub fn new(men: usize) -> Self {
        Self { positions: Interner::new(men), answers: Vec::new() }
    }

    /// The answer in a position.
    pub fn get(&self, p: &Packed) -> Option<Answer> {
        Some(self.answers[self.positions.get(p)? as usize])
    }

    /// Puts an answer in a position, in place of any other.
    pub fn put(&mut self, p: &Packed, answer: Answer) {
        let (id, new) = self.positions.insert(p);
        if new {
            self.answers.push(answer);
        } else {
            self.answers[id as usize] = answer;
        }
    }

    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.answers.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }

    /// Bytes of memory.
    pub fn memory(&self) -> u64 {
        self.positions.memory() + 8 * self.answers.len() as u64
    }

    fn write(&self, out: &mut impl Write, kind: u8, owner: Side) -> io::Result<()> {
        write_blocks(out, kind, owner, &self.positions, &self.answers)
    }
}

/// The keys of a problem, as a certificate: after each of them the side to move wins (reaches the
/// aim) in so many plies, the key counted; after every other first move the other side delays that
/// for longer. Nothing is checked here: the kernel does that, and finds the keys.
#[derive(Debug, Clone)]
pub struct Keys {
    /// The position; the side to move is the one that is to win.
    pub root: Vector,
    /// Plies to mate or to the aim at most, the first move counted.
    pub plies: u32,
    /// The aim; mate where there is none.
    pub aim: Option<Goal>,
    /// The winner's answers, with the plies that each takes at most.
    pub wins: Ranked,
    /// The other side's, with the plies for which each delays the end.
    pub delays: Ranked,
}

impl Keys {
    /// The claim.
    pub fn claim(&self) -> Claim {
        let side = Side::to_move(&self.root);
        if self.aim.is_some() {
            Claim::AimKeys(side, self.plies)
        } else {
            Claim::Keys(side, self.plies)
        }
    }

    /// Writes the certificate.
    ///
    /// # Errors
    /// The writer's.
    pub fn write(&self, out: impl Write) -> io::Result<()> {
        let side = Side::to_move(&self.root);
        seal(out, |out| {
            write_head(out, &self.root, self.claim())?;
            let nodes = self.aim.as_ref().map_or_else(Vec::new, |aim| aim.nodes().lines());
            nodes.iter().try_for_each(|line| writeln!(out, "{line}"))?;
            writeln!(out)?;
            self.wins.write(out, b'W', side)?;
            self.delays.write(out, b'D', side.other())
        })
    }
}
