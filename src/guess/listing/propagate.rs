//! Wins and refutations carried to all that they decide.

use super::super::graph::{Fate, NO, State, follow};
use super::Listing;

impl Listing {
    /// Carries wins and refutations to all that they decide.
    pub(super) fn propagate(&mut self) {
        loop {
            if let Some(id) = self.won.pop() {
                self.won_position(id);
            } else if let Some(id) = self.lost.pop() {
                self.lost_position(id);
            } else {
                return;
            }
        }
    }

    /// Carries wins alone: what is being listed may not be concluded yet.
    pub(super) fn carry_wins(&mut self) {
        while let Some(id) = self.won.pop() {
            self.won_position(id);
        }
    }

    fn won_position(&mut self, id: u32) {
        for play in follow(&self.replied, self.own[id as usize].parents) {
            let entry = &mut self.plays[play as usize];
            if entry.fate != Fate::Live {
                continue;
            }
            entry.waiting -= 1;
            if entry.waiting > 0 {
                continue;
            }
            entry.fate = Fate::Won;
            for id in follow(&self.played, entry.owners) {
                let own = &mut self.own[id as usize];
                if matches!(own.state, State::Spread | State::Open) {
                    own.state = State::Won;
                    self.won.push(id);
                }
            }
        }
    }

    fn lost_position(&mut self, id: u32) {
        let mut edge = self.own[id as usize].parents;
        while edge != NO {
            let [play, next] = self.replied[edge as usize];
            edge = next;
            let entry = &mut self.plays[play as usize];
            if entry.fate != Fate::Live {
                continue;
            }
            entry.fate = Fate::Dead;
            let mut owner = entry.owners;
            while owner != NO {
                let [id, next] = self.played[owner as usize];
                owner = next;
                self.own[id as usize].alive -= 1;
                // A position that is just being listed is concluded at its end.
                self.conclude(id);
            }
        }
    }
}
