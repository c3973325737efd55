//! Leg(y⁰) as a Kripke structure whose labels are the atoms of an aim.

use crate::aim::Aim;
use crate::chess::{Packed, Profile, Side};
use crate::game::Game;
use crate::kripke::{Kripke, Rows};
use crate::limits::{Budget, StopReason};

/// Positions between two looks at the budget.
const STEP: u32 = 1 << 13;

/// The structure: a vertex for each position, with the game's numbering; final positions repeat
/// themselves (docs/theory.md §5), so there is no dead end. Beside the game, 8 bytes per edge and
/// 16 bytes per position, for up to 64 atoms.
pub(super) struct Leg<'a> {
    game: &'a Game,
    pub(super) kripke: Kripke,
}

impl<'a> Leg<'a> {
    pub(super) fn new(game: &'a Game, aim: &Aim, budget: &Budget) -> Result<Self, StopReason> {
        let mut rows = Rows::default();
        for id in 0..game.len() {
            if id.is_multiple_of(STEP) {
                budget.check(0, game.memory() + rows.bytes())?;
            }
            match game.successors(id) {
                [] => rows.push(id),
                successors => successors.iter().for_each(|&z| rows.push(z)),
            }
            rows.end_row();
        }
        let mut kripke = Kripke::new(rows, aim.atoms().len() as u32, 0);
        budget.progress().stage("evaluating atoms", Some(u64::from(game.len())));
        for id in 0..game.len() {
            if id.is_multiple_of(STEP) {
                budget.check(0, game.memory() + kripke.bytes())?;
                budget.progress().advance(u64::from(id));
            }
            let label = aim.label(&game.vector(id), || !game.successors(id).is_empty());
            kripke.set_label(id, &label);
        }
        Ok(Self { game, kripke })
    }

    pub(super) fn position(&self, id: u32) -> Packed {
        self.game.position(id)
    }

    pub(super) fn profile(&self) -> Profile {
        self.game.profile()
    }

    pub(super) fn side_to_move(&self, id: u32) -> Side {
        self.game.side_to_move(id)
    }

    pub(super) fn is_final(&self, id: u32) -> bool {
        self.game.successors(id).is_empty()
    }

    /// Bytes held by the game and the structure.
    pub(super) fn bytes(&self) -> u64 {
        self.game.memory() + self.kripke.bytes()
    }
}
