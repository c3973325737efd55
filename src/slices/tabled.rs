//! Slices read from tables of up to five men that are at hand: all their positions are decided.

use super::bits::{Officer, squares};
use super::key::{Key, Place};
use super::rows::Sets;
use crate::chess::board::{Role, Square};
use crate::chess::{Outcome, Side};
use crate::limits::Budget;
use crate::tables::{MAX_MEN, Material, Posted, Tables};

/// The won positions of a slice, if its table is at hand: some 5 ns a position, so 3 ms with one
/// officer and 0.2 s with two. Tables of four men with several officers are solved for it. Not of
/// slices with a man at rest, which are many of the same table, nor of like officers. Three officers
/// without pawns take 2 to 3 CPU s, a tenth of what solving them takes.
pub(super) fn read(key: &Key, tables: &Tables) -> Option<Sets> {
    if key.is_vast() && key.pawns() == 0 {
        return read_vast(key, tables);
    }
    let is_twin = key.mate != Officer::None && key.mate == key.officer
        || key.peer != Officer::None && key.peer == key.rival;
    let count = key.kind() + key.pawns().count_ones() as usize;
    if key.is_below() || key.is_vast() || is_twin || count + 2 > MAX_MEN {
        return None;
    }
    let men = men(key);
    if key.is_several() && count + 2 < MAX_MEN {
        let (material, _) = Material::new(men.iter().map(|man| (man.0, man.1)));
        tables.ensure(material, &Budget::default()).ok()?;
    }
    let mut sets = Sets::nothing(key);
    let found = tables.outcomes(&men, &Budget::default(), |ending| {
        if ending.outcome != Outcome::Wins(Side::White) {
            return;
        }
        let [king, other] = ending.kings.map(|square| square as u8);
        let [first, second] = ending.free.map(|square| square as u8);
        let ours = ending.to_move == Side::White;
        let (row, bit) = key.index(&Place { king, other, men: [first, second, 0], ours });
        if ours {
            sets.open[row] &= !bit;
        } else {
            sets.won[row] |= bit;
        }
    });
    // A damaged table is solved anew where it is asked for; here slices do without it.
    found.is_ok_and(|found| found).then_some(sets)
}

/// Three officers alone.
fn read_vast(key: &Key, tables: &Tables) -> Option<Sets> {
    let men = men(key).into_iter().map(|(side, role, _)| (side, role)).collect::<Vec<_>>();
    let found = tables.wins_of_pieces(men.try_into().ok()?, &Budget::default());
    let [own, other] = found.ok().flatten()?;
    let mut sets = Sets::nothing(key);
    sets.open.iter_mut().zip(own).for_each(|(open, won)| *open &= !won);
    Some(Sets { won: other, ..sets })
}

/// The men of a slice beside the kings. The attacker's colour does not matter: it is White here.
fn men(key: &Key) -> Vec<Posted> {
    let pawns = |set: u64, side: Side| {
        squares(set).map(move |at| (side, Role::Pawn, Some(Square::new(at.into()))))
    };
    let officer = |officer: Officer, side: Side| role(officer).map(|role| (side, role, None));
    key.movers()
        .filter_map(|man| officer(man.officer, if man.ours { Side::White } else { Side::Black }))
        .chain(pawns(key.ours, Side::White))
        .chain(pawns(key.theirs, Side::Black))
        .collect()
}

fn role(officer: Officer) -> Option<Role> {
    Some(match officer {
        Officer::None => return None,
        Officer::Knight => Role::Knight,
        Officer::Bishop => Role::Bishop,
        Officer::Rook => Role::Rook,
        Officer::Queen => Role::Queen,
    })
}
