//! `Init ∧ Rules ∧ aim` as a formula, for the tableau.
//!
//! P(y) is written with fewer variables than the paper's 271: the bits of y's number in Leg(y⁰),
//! and the aim's atoms with their truth at y. The Rules are those of docs/theory.md §5; `AG EX T`
//! is left to the tableau's option. 4 bytes per literal of P(y) and per edge.

use super::leg::Leg;
use crate::aim::Aim;
use crate::chess::Side;
use crate::ctl::{Arena, Id, Node, Path, Symbol};
use crate::limits::{Budget, StopReason};

/// Positions between two looks at the budget.
const STEP: u32 = 1 << 10;

/// The formula, in `arena`, a copy of the aim's.
///
/// # Errors
/// The limit that was reached.
pub(super) fn rules_and_aim(
    leg: &Leg<'_>,
    aim: &Aim,
    owner: Side,
    arena: &mut Arena,
    budget: &Budget,
) -> Result<Id, StopReason> {
    let atoms = aim.atoms().len() as u32;
    let positions = leg.kripke.vertices();
    let look = |id: u32, arena: &Arena| match id % STEP {
        0 => budget.check(0, leg.bytes() + arena.bytes()),
        _ => Ok(()),
    };
    let mut places = Vec::with_capacity(positions as usize);
    for id in 0..positions {
        look(id, arena)?;
        places.push(place(arena, leg, atoms, id));
    }
    let mut turns = Vec::with_capacity(positions as usize);
    for id in 0..positions {
        look(id, arena)?;
        turns.push(turn(arena, leg, &places, owner, id));
    }
    let any_turn = arena.or(&turns);
    let rules = arena.add(Node::Globally(Path::All, any_turn));
    Ok(arena.and(&[places[leg.kripke.root() as usize], rules, aim.formula()]))
}

/// P(y): the literals of the number, then those of the atoms.
fn place(arena: &mut Arena, leg: &Leg<'_>, atoms: u32, id: u32) -> Id {
    let bits = u32::BITS - (leg.kripke.vertices() - 1).leading_zeros();
    let mut literals = Vec::with_capacity((bits + atoms) as usize);
    for bit in 0..bits {
        let variable = arena.var(&format!("number{bit}"));
        literals.push(if id >> bit & 1 == 1 { variable } else { arena.not(variable) });
    }
    for atom in 0..atoms {
        let variable = arena.add(Node::Var(Symbol(atom)));
        literals.push(if leg.kripke.holds(id, atom) { variable } else { arena.not(variable) });
    }
    arena.and(&literals)
}

/// WM1(y) or BM1(y) (owner White), WM2(y) or BM2(y) (owner Black). A final position is its own
/// successor.
fn turn(arena: &mut Arena, leg: &Leg<'_>, places: &[Id], owner: Side, id: u32) -> Id {
    let successors: Vec<Id> =
        leg.kripke.successors(id).iter().map(|&z| places[z as usize]).collect();
    let mut parts = vec![places[id as usize]];
    if leg.is_final(id) || leg.side_to_move(id) == owner {
        let choices: Vec<Id> =
            successors.iter().map(|&z| arena.add(Node::Next(Path::All, z))).collect();
        parts.push(arena.or(&choices));
    } else {
        parts.extend(successors.iter().map(|&z| arena.add(Node::Next(Path::Some, z))));
        let any = arena.or(&successors);
        parts.push(arena.add(Node::Next(Path::All, any)));
    }
    arena.and(&parts)
}
