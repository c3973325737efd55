//! The restrictions that are tried first, in the order of what each has won alone.

use super::restriction::{ANY, Kinds, Restriction, closed_jail};
use crate::chess::Side;
use crate::chess::board::{Board, BySide, Position, Role};

/// How dear a guess is: the larger, the later it gets its positions.
pub(super) type Handicap = f32;

/// The guesses for an attacker, with their handicaps.
pub(super) fn starts(root: &Board, attacker: Side) -> Vec<(Restriction, Handicap)> {
    let jail = closed_jail(root, attacker.other());
    let men = root.chess().board();
    let pieces = !men.pawns().0;
    let own = men.men_of(attacker.other()).0;
    let none = Restriction::NONE;
    let frozen = Restriction { movers: Kinds::ALL.without(Role::King), ..none };
    let quiet = Restriction { uncapturable: Kinds::ALL, ..none };
    let frozen_quiet = Restriction { uncapturable: Kinds::ALL, ..frozen };
    let safe = Restriction { avoids_attacked: true, no_capture_on: u64::MAX, ..frozen };
    let capturable = Restriction { keeps_mover: true, widens: true, ..frozen };
    let walk = Restriction {
        movers: Kinds::only(Role::King),
        jail: own & (pieces | jail),
        exits: ANY,
        ..none
    };
    let mut all = vec![
        (Restriction { jail, ..frozen_quiet }, 0.6),
        (Restriction { widens: true, ..safe }, 0.6),
        (Restriction { jail, no_capture_on: jail, ..safe }, 0.6),
        (Restriction { replies: 4, ..quiet }, 0.8),
        (Restriction { jail: jail & pieces, ..frozen_quiet }, 0.8),
        (Restriction { jail, ..safe }, 0.8),
        (safe, 1.2),
        (Restriction { widens: true, ..frozen_quiet }, 1.5),
        (Restriction { replies: 4, ..none }, 1.5),
        (frozen_quiet, 1.5),
        (Restriction { jail, flights: 1, ..quiet }, 1.5),
        (Restriction { exit_search: 0, ..walk }, 1.5),
        (walk, 1.5),
        (capturable, 2.0),
        (Restriction { jail, replies: 4, ..quiet }, 2.0),
        (Restriction { jail, flights: 2, ..quiet }, 2.0),
        (Restriction { jail, ..none }, 2.5),
        (Restriction { jail, flights: 0, ..none }, 2.5),
        (Restriction { look: 10, ..walk }, 3.0),
        (Restriction { jail, exits: 3, ..frozen_quiet }, 3.0),
        (Restriction { exits: 3, ..frozen_quiet }, 4.0),
        (Restriction { jail, replies: 4, exits: 2, ..quiet }, 4.0),
    ];
    let mut seen = std::collections::HashSet::new();
    all.retain(|(rules, _)| seen.insert(*rules));
    all
}
