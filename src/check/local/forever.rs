//! `E[goal R hold]` from the position outwards: is there a line along which `hold` is true for ever, or
//! until `goal` is true with it?
//!
//! Depth first over the positions where `hold` is true; a position that stands on the path already
//! closes a circle, and the line goes round it for ever. Where the search ends without one, no
//! circle can be reached, so that every line leaves `hold`. Moves that lead back come first, which
//! finds most circles within four plies: each side steps out and back.
//!
//! # References
//! R. E. Tarjan, *Depth-first search and linear graph algorithms* (1972): a graph has a circle if
//! and only if depth-first search meets a vertex that is still on its path.

use super::{Local, Seen};
use crate::chess::{Packed, code};
use crate::ctl::Id;
use crate::limits::StopReason;
use hashbrown::HashMap;

/// A position on the path.
struct Stop {
    id: u32,
    /// What may follow, the best last.
    left: Vec<u32>,
}

/// Positions from the root on, and where on them the line goes on for ever.
pub(super) type Path = (Vec<u32>, Option<usize>);

impl Local<'_> {
    /// Whether such a line begins at the root; it is kept. About 1 µs a position and what the
    /// formulas cost.
    pub(super) fn forever(&mut self, goal: Id, hold: Id) -> Result<bool, StopReason> {
        self.budget.progress().stage("searching positions", None);
        if !self.truth(hold, &self.visit(0))? {
            return Ok(false);
        }
        let mut seen = Seen::default();
        let mut path: Vec<Stop> = Vec::new();
        let mut at: HashMap<u32, usize> = HashMap::new();
        let mut next = Some(0);
        while let Some(id) = next {
            let visit = self.visit(id);
            seen.insert(id);
            at.insert(id, path.len());
            if self.truth(goal, &visit)? {
                self.kept = Some((ids(&path, id), None));
                return Ok(true);
            }
            let mut left = self.successors(&visit)?.to_vec();
            if let Some((&z, back)) = left.iter().find_map(|z| Some((z, *at.get(z)?))) {
                let mut line = ids(&path, id);
                line.push(z);
                self.kept = Some((line, Some(back)));
                return Ok(true);
            }
            let earlier = path.len().checked_sub(2).map(|k| path[k].id);
            left.sort_by_cached_key(|&z| std::cmp::Reverse(self.strays(id, z, earlier)));
            self.waiting += size_of_val(&left[..]) + size_of::<Stop>();
            path.push(Stop { id, left });
            next = self.advance(hold, &mut seen, &mut path, &mut at)?;
        }
        Ok(false)
    }

    /// The next position where `hold` is true that was not looked at; leaves those behind that have
    /// none.
    fn advance(
        &mut self,
        hold: Id,
        seen: &mut Seen,
        path: &mut Vec<Stop>,
        at: &mut HashMap<u32, usize>,
    ) -> Result<Option<u32>, StopReason> {
        while let Some(stop) = path.last_mut() {
            match stop.left.pop() {
                Some(z) if seen.contains(z) => {}
                Some(z) if self.truth(hold, &self.visit(z))? => return Ok(Some(z)),
                Some(z) => {
                    seen.insert(z);
                }
                None => {
                    at.remove(&stop.id);
                    path.pop();
                }
            }
        }
        Ok(None)
    }

    /// How far a move leads away from a circle: whether it cannot be taken back, and on how many
    /// squares the position after it differs from the one three plies earlier.
    fn strays(&self, from: u32, to: u32, earlier: Option<u32>) -> (bool, usize) {
        let [from, to] = [from, to].map(|id| self.positions.at(id));
        let lasting = from.len() != to.len() || pawns(&from) != pawns(&to);
        let other = earlier.map_or(from, |id| self.positions.at(id));
        let differs = |a: &Packed, b: &Packed| {
            a.each_man().filter(|man| !b.each_man().any(|other| other == *man)).count()
        };
        (lasting, differs(&to, &other))
    }
}

/// The squares of the pawns.
fn pawns(position: &Packed) -> u64 {
    let pawn = |c: u8| c == code::PAWN || c == code::PAWN + code::BLACK;
    position.each_man().filter(|(_, c)| pawn(*c)).fold(0, |set, (square, _)| set | 1 << square)
}

fn ids(path: &[Stop], last: u32) -> Vec<u32> {
    path.iter().map(|stop| stop.id).chain([last]).collect()
}
