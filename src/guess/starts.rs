//! The restrictions that are tried first, in the order of what each has won alone.

use super::restriction::{ANY, Kinds, Restriction, closed_jail};
use crate::chess::Side;
use crate::chess::board::{Board, BySide, Position, Role};

/// How dear a guess is: the larger, the later it gets its positions.
pub(super) type Handicap = f32;

/// A guess that is tried first.
pub(super) struct Start {
    /// What it renounces, in words that name no square. In a jail are the defender's men that are shut in: none
    /// may leave.
    pub(super) name: &'static str,
    pub(super) rules: Restriction,
    pub(super) handicap: Handicap,
}

fn start(name: &'static str, rules: Restriction, handicap: Handicap) -> Start {
    Start { name, rules, handicap }
}

/// The guesses for an attacker. Of those that say the same of a position it is the first.
pub(super) fn starts(root: &Board, attacker: Side) -> Vec<Start> {
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
        start("jail, king still, no man lost", Restriction { jail, ..frozen_quiet }, 0.6),
        start(
            "king still, safe squares, no captures, two moves first",
            Restriction { widens: true, ..safe },
            0.6,
        ),
        start(
            "jail, king still, safe squares, no captures in it",
            Restriction { jail, no_capture_on: jail, ..safe },
            0.6,
        ),
        start("no man lost, 4 replies", Restriction { replies: 4, ..quiet }, 0.8),
        start(
            "jail of pieces, king still, no man lost",
            Restriction { jail: jail & pieces, ..frozen_quiet },
            0.8,
        ),
        start("jail, king still, safe squares, no captures", Restriction { jail, ..safe }, 0.8),
        start("king still, safe squares, no captures", safe, 1.2),
        start(
            "king still, no man lost, two moves first",
            Restriction { widens: true, ..frozen_quiet },
            1.5,
        ),
        start("4 replies", Restriction { replies: 4, ..none }, 1.5),
        start("king still, no man lost", frozen_quiet, 1.5),
        start("jail, no man lost, 1 flight", Restriction { jail, flights: 1, ..quiet }, 1.5),
        start(
            "king alone, all men jailed, exits mated at once",
            Restriction { exit_search: 0, ..walk },
            1.5,
        ),
        start("king alone, all men jailed", walk, 1.5),
        start("king still, what moves not lost, two moves first", capturable, 2.0),
        start("jail, no man lost, 4 replies", Restriction { jail, replies: 4, ..quiet }, 2.0),
        start("jail, no man lost, 2 flights", Restriction { jail, flights: 2, ..quiet }, 2.0),
        start("jail", Restriction { jail, ..none }, 2.5),
        start("jail, no flight", Restriction { jail, flights: 0, ..none }, 2.5),
        start("king alone, all men jailed, a look at each", Restriction { look: 10, ..walk }, 3.0),
        start(
            "jail, king still, no man lost, 3 exits",
            Restriction { jail, exits: 3, ..frozen_quiet },
            3.0,
        ),
        start("king still, no man lost, 3 exits", Restriction { exits: 3, ..frozen_quiet }, 4.0),
        start(
            "jail, no man lost, 4 replies, 2 exits",
            Restriction { jail, replies: 4, exits: 2, ..quiet },
            4.0,
        ),
    ];
    let mut seen = std::collections::HashSet::new();
    all.retain(|start| seen.insert(start.rules));
    all
}
