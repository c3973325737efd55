//! Trajectories and zones in words.
//!
//! # References
//! docs/theory.md §13 (terms).

use crate::chess::Side;
use crate::chess::board::{Bitboard, Piece, Role, Square};
use crate::pioneer::geometry::men::Men;
use crate::pioneer::geometry::route::{Purpose, Route};
use crate::pioneer::zone::linked::Linked;
use crate::pioneer::zone::{Stem, Support};

/// The English name of a kind of man.
pub fn name(role: Role) -> &'static str {
    match role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    }
}

/// `white`, `black`, as the atoms have them.
fn side_atom(side: Side) -> &'static str {
    side.pick("white", "black")
}

fn moves(n: u8) -> String {
    if n == 1 { "1 move".into() } else { format!("{n} moves") }
}

fn squares(set: Bitboard) -> String {
    set.into_iter().map(|s| s.to_string()).collect::<Vec<_>>().join(", ")
}

/// A stem's route: who goes where, how, for what, and what stands in the way.
pub fn stem_route(stem: &Stem, route: &Route) -> String {
    let end = match (stem.purpose, stem.target) {
        (Purpose::Promote, _) => format!("promotes on {}", stem.to),
        (_, Some(target)) => format!("attacks the {} on {}", name(target.role), stem.to),
        _ => format!("{} {}", verb(stem.purpose), stem.to),
    };
    let mut text = format!(
        "{} {} in {} by {}",
        man(stem.piece, stem.from),
        end,
        moves(route.moves),
        route.trajectory
    );
    if route.foes.any() {
        text.push_str(&format!(", capturing on {} in passing", squares(route.foes)));
    }
    if route.own.any() {
        text.push_str(&format!(", once its own man on {} is gone", squares(route.own)));
    }
    text
}

fn verb(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Attack => "attacks",
        Purpose::Promote => "promotes on",
        Purpose::Control => "controls",
        Purpose::Block => "bars",
        Purpose::Unblock => "clears the way by going to",
        Purpose::Decoy => "draws away or removes the defender on",
        Purpose::Retreat => "retreats to",
    }
}

/// A negating trajectory.
pub fn negation(piece: Piece, route: &Route, purpose: Purpose) -> String {
    let (from, to) = (route.trajectory.from(), route.trajectory.to());
    format!(
        "{} {} {to} in {} by {}",
        man(piece, from),
        verb(purpose),
        moves(route.moves),
        route.trajectory
    )
}

/// A second or third negation.
pub fn support(men: &Men, support: &Support) -> String {
    let piece = men.at(support.from).expect("a supporting man");
    format!("{} controls {}", man(piece, support.from), support.to)
}

/// A linked zone.
pub fn linked(linked: &Linked) -> String {
    let stem = &linked.stem;
    let route = &stem.routes.routes[0];
    let purpose = match stem.purpose {
        Purpose::Unblock => format!("clears {} by {}", linked.square, route.trajectory),
        Purpose::Decoy => format!(
            "goes for the defender of {} on {} by {}",
            linked.square, stem.to, route.trajectory
        ),
        Purpose::Block => {
            format!(
                "bars the defender's line to {} on {} by {}",
                linked.square, stem.to, route.trajectory
            )
        }
        _ => format!("brings its control to {} by {}", linked.square, route.trajectory),
    };
    format!("{} {purpose} (linked zone of degree {})", man(stem.piece, stem.from), linked.degree)
}

/// `the white rook d1`.
pub fn man(piece: Piece, square: Square) -> String {
    format!("{} {} {square}", side_atom(piece.side), name(piece.role))
}

/// The material of a position as a table is called: `KRvKN`.
pub fn table_name(men: &Men) -> String {
    let letters = |side: Side| -> String {
        [Role::King, Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn]
            .into_iter()
            .flat_map(|role| {
                std::iter::repeat_n(
                    role.upper_char(),
                    (men.of_side(side) & men.of_role(role)).count(),
                )
            })
            .collect()
    };
    format!("{}v{}", letters(Side::White), letters(Side::Black))
}
