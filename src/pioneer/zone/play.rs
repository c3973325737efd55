//! The moves that zones give a side to play at a node.
//!
//! # References
//! M. M. Botvinnik, *On the cybernetic goal of the game*, 1975, "Forming zones and searching" ;
//! docs/theory.md §13.

use super::image::{Horizon, Image};
use super::linked::{Goal, first_steps, forks, linked_zones};
use super::members::{Zone, moves_within, variable_horizon};
use super::store::BundleId;
use crate::chess::Side;
use crate::chess::board::{Bitboard, Board, BySide, ChessMove, Position, Role, Square, move_of};
use crate::chess::worth::at_stake;
use crate::pioneer::geometry::exchange::{Crossing, crossing};
use crate::pioneer::geometry::men::Men;
use crate::pioneer::geometry::route::Purpose;

/// The steps (origin, destinations) that zones ask for, in the order of their worth.
#[derive(Debug, Default)]
pub struct Steps {
    wanted: Vec<(Square, Square)>,
}

impl Steps {
    /// Asks for a step.
    pub fn add(&mut self, from: Square, to: Square) {
        if !self.wanted.contains(&(from, to)) {
            self.wanted.push((from, to));
        }
    }

    fn add_all(&mut self, from: Square, to: Bitboard) {
        to.into_iter().for_each(|to| self.add(from, to));
    }

    /// The legal moves among them, in their order. A pawn promotes to a queen, and to a knight
    /// where that gives check.
    pub fn legal(&self, board: &Board) -> Vec<ChessMove> {
        let legal = board.legal_moves();
        let mut moves = Vec::new();
        for &(from, to) in &self.wanted {
            for m in &legal {
                let step = move_of(m);
                if (step.from(), step.to()) != (from as u8, to as u8) {
                    continue;
                }
                let worth = match m.promotion() {
                    None | Some(Role::Queen) => true,
                    Some(Role::Knight) => board.after(*m).in_check(),
                    _ => false,
                };
                if worth {
                    moves.push(*m);
                }
            }
        }
        moves
    }
}

/// The steps of the side to move in the zones that are in play. `last` is the square of the
/// opponent's last capture: an exchange begun there is carried on. Forks come next: a step that
/// serves two goals costs neither of them time.
pub fn steps(image: &mut Image, zones: &[BundleId], last: Option<Square>) -> Steps {
    let (men, turn, horizon) = (*image.men(), image.turn(), image.horizon());
    let mut steps = Steps::default();
    if let Some(square) = last {
        men.controllers(square, turn).into_iter().for_each(|from| steps.add(from, square));
    }
    let zones: Vec<_> = zones.iter().filter_map(|&id| image.zone(id)).collect();
    fork(&men, &zones, turn, &mut steps);
    for zone in &zones {
        if zone.plus() == turn {
            advance(&men, zone, horizon, &mut steps)
        } else {
            oppose(&men, zone, &mut steps)
        }
    }
    for zone in zones.iter().filter(|z| z.plus() == turn) {
        assist(&men, zone, horizon, &mut steps);
    }
    steps
}

/// (+): the attacker's next step on each route that can begin, unless it costs as much as it can
/// win; captures by men that control the zone's squares.
fn advance(men: &Men, zone: &Zone, horizon: Horizon, steps: &mut Steps) {
    let stem = &zone.stem;
    for route in
        stem.routes.routes.iter().filter(|r| r.starts_now(men) && r.moves <= horizon.moves())
    {
        let to = route.trajectory.alpha(1);
        let hopeless = at_stake(stem.piece.role) >= stem.stake()
            && crossing(men, stem.from, to) == Crossing::Lost;
        if !hopeless {
            steps.add(stem.from, to);
        }
    }
    for support in zone.supports(men, false).iter().filter(|s| s.order == 2) {
        if men.of_side(zone.plus().other()).contains(support.to) {
            steps.add(support.from, support.to);
        }
    }
}

/// (+): unblocking and linked zones, where the attacker does not get through by itself.
fn assist(men: &Men, zone: &Zone, horizon: Horizon, steps: &mut Steps) {
    for (from, to) in zone.unblocks(men) {
        steps.add_all(from, to);
    }
    for (from, to) in first_steps(&linked_zones(men, zone, horizon)) {
        steps.add(from, to);
    }
}

/// (−): captures of the attacker, retreats of the target, and the first steps of first negations
/// that are in time.
fn oppose(men: &Men, zone: &Zone, steps: &mut Steps) {
    let stem = &zone.stem;
    for negation in zone.negations(true) {
        let from = negation.route.trajectory.from();
        let to = negation.route.trajectory.alpha(1);
        let at_once = negation.route.moves == 1 && negation.part.purpose == Purpose::Control;
        let useful = !at_once || men.of_side(zone.plus()).contains(negation.part.square);
        if useful && negation.route.starts_now(men) {
            steps.add(from, to);
        }
    }
    if stem.routes.routes.iter().any(|r| r.moves <= 2) {
        steps.add_all(stem.to, zone.retreats(men));
    }
    for support in zone.supports(men, true).iter().filter(|s| s.order == 3) {
        if men.of_side(zone.plus()).contains(support.to) {
            steps.add(support.from, support.to);
        }
    }
}

/// Fork trajectories: steps that approach two goals at once, one of them beyond its own horizon.
fn fork(men: &Men, zones: &[std::rc::Rc<Zone>], turn: Side, steps: &mut Steps) {
    for from in men.of_side(turn) {
        let mut goals = Vec::new();
        for zone in zones.iter().filter(|z| z.stem.from != from) {
            let hostile = zone.plus() != turn;
            for part in zone.parts().iter().filter(|p| p.index > 0 && p.purpose == Purpose::Control)
            {
                let moves = moves_within(variable_horizon(part.index), hostile);
                goals.push(Goal { square: part.square, moves });
            }
        }
        for fork in forks(men, from, &goals) {
            steps.add(from, fork.common[0]);
        }
    }
}

/// Whether an attack is one that the zones look at: a king does not hunt a king.
pub fn makes_sense(attacker: Role, target: Option<Role>) -> bool {
    attacker != Role::King || target != Some(Role::King)
}

/// The material of one side less the other's, in pawns, kings left out.
pub fn balance(board: &Board, side: Side) -> i32 {
    let count = |side: Side| -> i32 {
        let men = board.chess().board();
        let roles = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
        roles
            .into_iter()
            .map(|r| at_stake(r) * (men.men_of(side) & men.by_role(r)).count() as i32)
            .sum()
    };
    count(side) - count(side.other())
}
