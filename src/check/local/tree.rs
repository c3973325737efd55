//! What trees of play ask of the search outwards.

use super::super::tree::Knows;
use super::{Local, looks_ahead};
use crate::chess::Packed;
use crate::ctl::{Arena, Id, Node, Path};
use crate::limits::StopReason;

impl Local<'_> {
    /// Whether a formula is unfolded without knowing more than what can be seen a few plies ahead:
    /// at most one until or release, on all paths, and at the top.
    pub(in crate::check) fn can_unfold(arena: &Arena, formula: Id) -> bool {
        match arena.get(formula) {
            Node::Until(Path::All, a, b) | Node::Release(Path::All, a, b) => {
                looks_ahead(arena, a) && looks_ahead(arena, b)
            }
            _ => looks_ahead(arena, formula),
        }
    }

    /// The same search over another arena with the aim's formulas.
    pub(in crate::check) fn with_arena(mut self, arena: Arena) -> Self {
        self.arena = arena;
        self.known.clear();
        self
    }
}

impl Knows for Local<'_> {
    fn holds(&mut self, formula: Id, at: u32) -> Result<bool, StopReason> {
        self.truth(formula, &self.visit(at))
    }

    fn next(&mut self, at: u32) -> Result<Vec<u32>, StopReason> {
        Ok(self.successors(&self.visit(at))?.to_vec())
    }

    fn position(&self, at: u32) -> Packed {
        self.positions.at(at)
    }

    fn nearest(&mut self, _: Id, _: &[u32]) -> Result<Option<u32>, StopReason> {
        Ok(None)
    }
}
