//! Attacks that come into view during the search, and the zones that are carried down a line.
//!
//! # References
//! M. M. Botvinnik, *On the cybernetic goal of the game*, 1975, "Forming zones and searching";
//! docs/theory.md §13.

use super::lines::{Play, Window};
use super::tree::{End, Step};
use crate::chess::board::{BySide, ChessMove, Position, Square, move_of};
use crate::chess::{Move, Side};
use crate::pioneer::geometry::exchange::exchange;
use crate::pioneer::zone::play::makes_sense;
use crate::pioneer::zone::store::BundleId;

/// Attacks that come into view take part only if they need this many moves at most: a longer way
/// leaves the target time.
const NEW_ATTACK_MOVES: u8 = 2;

/// On one line new attacks are taken in at most this often: each time everything below is searched
/// again.
const NEW_ATTACKS: usize = 2;

impl Play<'_> {
    /// Searches the present node again if attacks that came into view have the time and may change
    /// its value.
    pub(in crate::pioneer) fn again(
        &mut self,
        value: i32,
        zones: &[BundleId],
        new: Vec<BundleId>,
        last: Option<Square>,
        (low, high): Window,
    ) -> i32 {
        let at = self.at();
        let over = matches!(self.tree.nodes()[at].end, Some(End::Over | End::Known));
        if over || self.taken_in == NEW_ATTACKS || self.stop.is_some() {
            return value;
        }
        let line = self.tree.line(at);
        let root = self.root;
        let matters = |side: Side| if side == root { value < high } else { value > low };
        let mut added = Vec::new();
        for id in new {
            if !zones.contains(&id)
                && matters(self.image.store().get(id).piece.side)
                && self.has_time(id, &line)
            {
                added.push(id);
            }
        }
        if added.is_empty() {
            return value;
        }
        self.hand_up(&added);
        let zones: Vec<BundleId> = zones.iter().copied().chain(added).collect();
        self.taken_in += 1;
        let value = self.node(&zones, last, false, (low, high));
        self.taken_in -= 1;
        value
    }

    /// The zones in play after a move: those whose attacker moved go on from its new square, frozen
    /// ones are dropped.
    pub(in crate::pioneer) fn carried(
        &mut self,
        zones: &[BundleId],
        m: &ChessMove,
    ) -> Vec<BundleId> {
        let step = move_of(m);
        let (from, to) = (Square::new(u32::from(step.from())), Square::new(u32::from(step.to())));
        let live: Vec<BundleId> = self.image.live().collect();
        let mut carried = Vec::new();
        for &id in zones {
            let stored = *self.image.store().get(id);
            if live.contains(&id) {
                carried.push(id);
                continue;
            }
            let goes_on = self.image.store().at(to).find(|&next| {
                let other = self.image.store().get(next);
                other.frozen.is_none() && other.to == stored.to && other.purpose == stored.purpose
            });
            let moved = self.image.store().at(from).any(|old| old == id);
            if let Some(next) = goes_on.filter(|next| moved && !carried.contains(next)) {
                carried.push(next);
            }
        }
        carried
    }

    /// Whether an attack that came into view becomes a zone: its way is short, something is at
    /// stake, and in the best line its target stays long enough.
    fn has_time(&mut self, id: BundleId, line: &[Step]) -> bool {
        if self.image.store().get(id).frozen.is_some() {
            return false;
        }
        let Some(stem) = self.image.stem(id) else { return false };
        let needed = stem.routes.routes[0].moves;
        if needed > NEW_ATTACK_MOVES || !makes_sense(stem.piece.role, stem.target.map(|t| t.role)) {
            return false;
        }
        if needed == 1 && exchange(self.image.men(), stem.from, stem.to) <= 0 {
            return false;
        }
        let to_move = stem.piece.side == self.image.turn();
        let plies = 2 * usize::from(needed) - usize::from(to_move);
        let leaves = |s: &Step| matches!(s, Step::Move(m) if Square::new(u32::from(move_of(m).from())) == stem.to);
        let taken = |s: &Step| matches!(s, Step::Move(m) if Square::new(u32::from(move_of(m).to())) == stem.from);
        let stays = line.iter().position(|s| leaves(s) || taken(s)).unwrap_or(usize::MAX);
        stays >= plies
    }

    /// Hands the defences against new zones to the nodes above, as far back as a man could have
    /// begun them.
    fn hand_up(&mut self, zones: &[BundleId]) {
        let depth = self.line.len() - 1;
        for &id in zones {
            let Some(zone) = self.image.zone(id) else { continue };
            let late = zone.late_negations(self.image.men(), depth.div_ceil(2).min(2) as u8);
            for (negation, missing) in late {
                let t = &negation.route.trajectory;
                let step = Move::new(t.from() as u8, t.alpha(1) as u8, 0);
                for up in (0..depth.saturating_sub(2 * usize::from(missing) - 1)).rev() {
                    let (node, board) = &self.line[up];
                    if board.side_to_move() == zone.plus() {
                        continue;
                    }
                    if board.chess().board().man(t.from()) != Some(t.piece) {
                        break;
                    }
                    if let Some(m) = board.find(step) {
                        self.tree.node(*node).handed.push(m);
                    }
                }
            }
        }
    }
}
