//! Slices read from tables of up to five men that are at hand: all their positions are decided.

use super::bits::{Officer, squares};
use super::key::Key;
use super::rows::{Sets, legal_open, legal_won};
use crate::chess::Side;
use crate::chess::board::{Role, Square};
use crate::limits::Budget;
use crate::tables::{MAX_MEN, Material, Posted, Tables};

/// The won positions of a slice, if its table is at hand: with one officer 1 ms, with two 0.2 CPU s,
/// with three a fifth of what solving them takes. Tables of four men with several officers are solved
/// for it. Not of slices with a man at rest, which are many of the same table.
pub(super) fn read(key: &Key, tables: &Tables) -> Option<Sets> {
    let count = key.kind() + key.pawns().count_ones() as usize;
    if key.is_below() || count + 2 > MAX_MEN {
        return None;
    }
    let men = men(key);
    if key.is_several() && count + 2 < MAX_MEN {
        let (material, _) = Material::new(men.iter().map(|man| (man.0, man.1)));
        tables.ensure(material, &Budget::default()).ok()?;
    }
    // A damaged table is solved anew where it is asked for; here slices do without it.
    let [own, mut won] = tables.wins(&men, &Budget::default()).ok().flatten()?;
    let mut open = legal_open(key);
    open.iter_mut().zip(own).for_each(|(open, own)| *open &= !own);
    // A table knows bishops on either colour.
    if key.movers().any(|man| man.officer.home() != !0) {
        won.iter_mut().zip(legal_won(key)).for_each(|(won, legal)| *won &= legal);
    }
    Some(Sets { open, won })
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
        Officer::Bishop | Officer::OddBishop => Role::Bishop,
        Officer::Rook => Role::Rook,
        Officer::Queen => Role::Queen,
    })
}
