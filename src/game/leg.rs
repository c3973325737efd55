//! The explicit graph as the source of the formulas.

use super::Game;
use crate::chess::Vector;
use crate::theta::Leg;

impl Leg for Game {
    fn positions(&self) -> u32 {
        self.len()
    }

    fn vector(&self, id: u32) -> Vector {
        self.vector(id)
    }

    fn successors(&self, id: u32) -> &[u32] {
        self.successors(id)
    }
}
