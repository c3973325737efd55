//! Where nothing can mate whatever both sides play: the squares of the men, as the closed set of
//! positions names them.

use super::squares::Squares;
use super::{Man, Standing};
use crate::certificate::Closed;
use crate::chess::board::{Board, Role, piece_of};
use crate::chess::{Side, code};
use crate::export::svg::role_name;
use theta_kernel::Pattern;

/// A man and the squares that it is known to reach.
struct Place {
    code: u8,
    home: u8,
    squares: u64,
}

/// The men of the side that cannot be mated, and the other king and pawns, as long as nothing is
/// taken and nothing promotes. None where the set does not know the position.
pub(super) fn standing(closed: &Closed, root: &Board, owner: Side) -> Option<Standing> {
    let of_root = Pattern::of(&root.vector())?;
    let mut places: Vec<Place> = of_root
        .men
        .iter()
        .map(|man| Place {
            code: man.code,
            home: man.squares.trailing_zeros() as u8,
            squares: man.squares,
        })
        .collect();
    let (mut kings, home_kings) = (of_root.kings.squares(), of_root.kings.squares());
    let listed = (0..closed.positions.len() as u32)
        .filter_map(|id| Pattern::of(&closed.positions.at(id).vector().ok()?));
    let material = of_root.material();
    for pattern in closed.patterns.iter().cloned().chain(listed) {
        if pattern.material() != material {
            continue;
        }
        let reached = pattern.kings.squares();
        kings = [kings[0] | reached[0], kings[1] | reached[1]];
        for man in &pattern.men {
            spread(&mut places, man.code, man.squares);
        }
    }
    let own = usize::from(owner == Side::Black);
    let king = Man {
        role: Role::King,
        kind: role_name(Role::King),
        count: 1,
        home: Squares(home_kings[own]),
        keeps_to: Squares(kings[own]),
    };
    Some(Standing {
        entry: Vec::new(),
        positions: closed.positions.len() as u64,
        checks: 0,
        men: std::iter::once(king).chain(men(&places, owner)).collect(),
        king: Squares(kings[1 - own]),
        locked: locked(&places, owner.other()),
    })
}

/// A man of some kind may stand on these squares: it is one of those that are known to reach some of
/// them, else it may be any.
fn spread(places: &mut [Place], code: u8, squares: u64) {
    let near = |place: &Place| place.code == code && place.squares & squares != 0;
    let any = !places.iter().any(near);
    for place in places.iter_mut().filter(|p| p.code == code) {
        if any || place.squares & squares != 0 {
            place.squares |= squares;
        }
    }
}

fn is_of(place: &Place, side: Side) -> bool {
    (place.code <= code::BLACK) == (side == Side::White)
}

/// A side's men without the king; those with the same squares together.
fn men(places: &[Place], side: Side) -> Vec<Man> {
    let mut list: Vec<Man> = Vec::new();
    for place in places.iter().filter(|p| is_of(p, side)) {
        let Some(piece) = piece_of(place.code) else { continue };
        let same = |man: &&mut Man| man.role == piece.role && man.keeps_to.0 & place.squares != 0;
        match list.iter_mut().find(same) {
            Some(man) => {
                man.count += 1;
                man.home.0 |= 1 << place.home;
                man.keeps_to.0 |= place.squares;
            }
            None => list.push(Man {
                role: piece.role,
                kind: role_name(piece.role),
                count: 1,
                home: Squares(1 << place.home),
                keeps_to: Squares(place.squares),
            }),
        }
    }
    list.sort_by_key(|man| std::cmp::Reverse(man.role));
    list
}

/// The pawns of a side that never move.
fn locked(places: &[Place], side: Side) -> Squares {
    let pawn = |p: &&Place| piece_of(p.code).is_some_and(|piece| piece.role == Role::Pawn);
    let own = places.iter().filter(|p| is_of(p, side)).filter(pawn);
    Squares(own.filter(|p| p.squares.is_power_of_two()).fold(0, |set, p| set | p.squares))
}
