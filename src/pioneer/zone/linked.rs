//! Linked zones: formed only when they change the result on a square of another zone.
//!
//! # References
//! M. M. Botvinnik, *On the cybernetic goal of the game*, 1975, "The search for linked zones" and
//! figure 6; docs/theory.md §13.

use std::rc::Rc;

use super::image::Horizon;
use super::members::{Stem, Zone};
use crate::chess::board::{Bitboard, Role, Square, attacks};
use crate::pioneer::geometry::exchange::{Crossing, crossing};
use crate::pioneer::geometry::men::Men;
use crate::pioneer::geometry::route::{Purpose, Routes};

/// A zone whose stem serves another zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linked {
    /// Its stem; the target is the square [`Linked::square`], or the man it draws away.
    pub stem: Stem,
    /// The square of the other zone where it changes the result.
    pub square: Square,
    /// 1: linked to a zone of attack; 2: linked to that linked zone.
    pub degree: u8,
}

/// Links of a higher degree are not looked for.
const DEEPEST: u8 = 2;

/// How many routes a linked stem keeps.
const ROUTES: usize = 2;

/// The linked zones of an attack: for every square of the stem that the attacker cannot enter
/// safely, the men of its side that could change this within the horizon — by controlling the
/// square, barring a defender's line, drawing the defender away, or going out of the way.
pub fn linked_zones(men: &Men, zone: &Zone, horizon: Horizon) -> Vec<Linked> {
    let mut found = Vec::new();
    for route in &zone.stem.routes.routes {
        for own in route.own {
            unblock(men, zone, own, &mut found);
        }
        let mut there = *men;
        for i in 1..=route.trajectory.moves() {
            let (from, to) = (route.trajectory.alpha(i - 1), route.trajectory.alpha(i));
            if crossing(&there, from, to) == Crossing::Lost {
                improve(&there, zone, (from, to), horizon, 1, &mut found);
            }
            there = there.moved(from, to);
        }
    }
    found.dedup();
    found
}

/// A man in the way leaves it in one move: a stem of one move from its square.
fn unblock(men: &Men, zone: &Zone, own: Square, found: &mut Vec<Linked>) {
    let piece = men.at(own).expect("a man in the way");
    for to in men.steps_from(own) & !zone.path() {
        push(
            men,
            Linked { stem: stem(men, own, piece, to, 1, Purpose::Unblock), square: own, degree: 1 },
            found,
        );
    }
}

/// Looks for men that make the step (from → to) safe.
fn improve(
    men: &Men,
    zone: &Zone,
    step: (Square, Square),
    horizon: Horizon,
    degree: u8,
    found: &mut Vec<Linked>,
) {
    let (from, to) = step;
    let plus = zone.plus();
    let hostile = men.attackers(to, plus.other(), men.occupied().without(from));
    let longest = horizon.moves();
    for helper in men.of_side(plus).without(from).without(zone.stem.from) {
        let piece = men.at(helper).expect("a man of this side");
        if !men.controllers(to, plus).contains(helper) {
            let control = stem(men, helper, piece, to, longest, Purpose::Control);
            let posts =
                control.routes.routes.iter().map(|r| r.trajectory.alpha(r.trajectory.moves() - 1));
            if posts
                .into_iter()
                .any(|post| post != helper && is_better(&men.moved(helper, post), step))
            {
                link(men, zone, Linked { stem: control, square: to, degree }, horizon, found);
            }
        }
        for defender in hostile {
            let bars = attacks::between(defender, to) & !men.occupied();
            for bar in bars.into_iter().filter(|&b| is_better(&men.moved(helper, b), step)) {
                let block = stem(men, helper, piece, bar, longest.min(2), Purpose::Block);
                link(men, zone, Linked { stem: block, square: to, degree }, horizon, found);
            }
            let mut gone = *men;
            gone.remove(defender);
            if piece.role != Role::King && is_better(&gone, step) {
                let decoy = stem(men, helper, piece, defender, longest.min(2), Purpose::Decoy);
                link(men, zone, Linked { stem: decoy, square: to, degree }, horizon, found);
            }
        }
    }
}

fn is_better(men: &Men, (from, to): (Square, Square)) -> bool {
    crossing(men, from, to).is_passable()
}

fn stem(
    men: &Men,
    from: Square,
    piece: crate::chess::board::Piece,
    to: Square,
    longest: u8,
    purpose: Purpose,
) -> Stem {
    let routes = Rc::new(Routes::find(men, piece, from, to, longest, purpose, ROUTES));
    let target = men.at(to).filter(|p| p.side != piece.side);
    Stem { piece, from, to, purpose, target, routes }
}

/// Adds a linked zone, and those of the next degree where its own way is not safe.
fn link(men: &Men, zone: &Zone, linked: Linked, horizon: Horizon, found: &mut Vec<Linked>) {
    let degree = linked.degree;
    let first =
        linked.stem.routes.routes.first().map(|r| (r.trajectory.from(), r.trajectory.alpha(1)));
    if !push(men, linked, found) || degree == DEEPEST {
        return;
    }
    if let Some(step) = first.filter(|&(from, to)| crossing(men, from, to) == Crossing::Lost) {
        improve(men, zone, step, horizon, degree + 1, found);
    }
}

fn push(men: &Men, linked: Linked, found: &mut Vec<Linked>) -> bool {
    let known = |l: &Linked| l.stem.from == linked.stem.from && l.stem.to == linked.stem.to;
    let dead = linked.stem.routes.routes.is_empty() || found.iter().any(known);
    if !dead {
        debug_assert!(men.of_side(linked.stem.piece.side).contains(linked.stem.from));
        found.push(linked);
    }
    !dead
}

/// The first steps of linked zones, (from, to).
pub fn first_steps(linked: &[Linked]) -> impl Iterator<Item = (Square, Square)> + '_ {
    linked
        .iter()
        .flat_map(|l| &l.stem.routes.routes)
        .map(|r| (r.trajectory.from(), r.trajectory.alpha(1)))
}

/// A fork: trajectories of one man to several goals that begin alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fork {
    /// Where the man stands.
    pub from: Square,
    /// The common squares after α0.
    pub common: Vec<Square>,
    /// The goals at the ends of the different tails, at least two, one of them beyond its own
    /// horizon.
    pub goals: Vec<Square>,
}

/// A goal of a man with the moves it has to reach it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Goal {
    /// The square.
    pub square: Square,
    /// The moves available by the horizon.
    pub moves: u8,
}

/// Forks of one man: while it goes along the common part of n trajectories it approaches n goals at
/// once, so a common part of c ≤ n−1 moves costs nothing and a goal may lie c moves beyond its
/// horizon.
pub fn forks(men: &Men, from: Square, goals: &[Goal]) -> Vec<Fork> {
    let mut found = Vec::new();
    let Some(piece) = men.at(from) else { return found };
    let free = |s: &Square| !men.of_side(piece.side).contains(*s);
    let near = |at: Square, left: &[Goal], used: u8, extra: u8| -> Vec<Goal> {
        let reach = |g: &&Goal| {
            crate::pioneer::geometry::bundle::distance(piece, at, g.square)
                .is_some_and(|n| n + used <= g.moves + extra)
        };
        left.iter().filter(reach).copied().collect()
    };
    for first in attacks::attacks(from, piece, men.occupied()).into_iter().filter(free) {
        let one = near(first, goals, 1, 1);
        let beyond = |g: &&Goal| {
            crate::pioneer::geometry::bundle::distance(piece, from, g.square)
                .is_some_and(|n| n > g.moves)
        };
        if distinct(&one) >= 2 && one.iter().any(|g| beyond(&g)) {
            found.push(Fork {
                from,
                common: vec![first],
                goals: one.iter().map(|g| g.square).collect(),
            });
        }
    }
    found
}

fn distinct(goals: &[Goal]) -> usize {
    goals.iter().map(|g| g.square).collect::<Bitboard>().count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::board::Board;
    use crate::pioneer::zone::image::Image;
    use pretty_assertions::assert_eq;

    fn attack(fen: &str, from: Square, to: Square, horizon: u32) -> (Men, Rc<Zone>, Horizon) {
        let horizon = Horizon::new(horizon);
        let mut image = Image::new(&Board::from_fen(fen).unwrap(), horizon);
        let ids: Vec<_> = image.live().collect();
        let zone = ids
            .into_iter()
            .filter_map(|id| image.zone(id))
            .find(|z| (z.stem.from, z.stem.to) == (from, to));
        (*image.men(), zone.expect("a zone"), horizon)
    }

    #[test]
    fn a_second_attacker_is_brought_up() {
        // The rook on d1 attacks the pawn d5, which the king guards; the other rook doubles behind
        // it.
        let (men, zone, horizon) =
            attack("8/8/3k4/3p4/8/8/7R/3R2K1 w - - 0 1", Square::D1, Square::D5, 4);
        let linked = linked_zones(&men, &zone, horizon);
        let doubling =
            linked.iter().find(|l| l.stem.from == Square::H2).expect("the rook on h2 takes part");
        assert_eq!(
            (doubling.stem.purpose, doubling.square, doubling.degree),
            (Purpose::Control, Square::D5, 1)
        );
        assert!(linked.iter().all(|l| l.stem.from != Square::G1), "the king is too far away");
    }

    #[test]
    fn a_man_in_the_way_goes_out_of_it() {
        let (men, zone, horizon) =
            attack("3r2k1/8/8/8/8/3N4/8/3R2K1 w - - 0 1", Square::D1, Square::D8, 4);
        let linked = linked_zones(&men, &zone, horizon);
        assert!(
            linked.iter().any(|l| l.stem.from == Square::D3 && l.stem.purpose == Purpose::Unblock)
        );
    }

    #[test]
    fn the_king_of_reti_forks() {
        // After 1.Kg7 Kb6 2.Kf6 h4: e5 is common to the ways to f4 and to d6.
        let men = Men::of(&Board::from_fen("8/8/1kP2K2/8/7p/8/8/8 w - - 0 1").unwrap());
        let goals = [Goal { square: Square::F4, moves: 1 }, Goal { square: Square::D6, moves: 1 }];
        let found = forks(&men, Square::F6, &goals);
        assert!(found.contains(&Fork {
            from: Square::F6,
            common: vec![Square::E5],
            goals: vec![Square::F4, Square::D6]
        }));
        assert!(
            found.iter().all(|f| f.common == [Square::E5]),
            "no other square serves both: {found:?}"
        );
    }
}
