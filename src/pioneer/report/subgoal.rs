//! Subgoals: what the zones of a position propose, as ranked CTL aims with the trajectories that
//! justify them.
//!
//! # References
//! M. M. Botvinnik, *On the cybernetic goal of the game*, 1975; R. V. Khelemendik on reduced aims,
//! docs/theory.md §§7 and 13.

use crate::chess::Side;
use std::rc::Rc;

use super::paths::paths;
pub use super::paths::{Part, Path};
use super::{aims, words};
use crate::aim::Goal;
use crate::chess::board::{Bitboard, Board, Piece, Role, Square};
use crate::limits::{Budget, StopReason};
use crate::pioneer::geometry::exchange::Control;
use crate::pioneer::geometry::men::Men;
use crate::pioneer::geometry::route::Purpose;
use crate::pioneer::search::experience::Unlearned;
use crate::pioneer::search::tree::Tree;
use crate::pioneer::search::{Bounds, Found, Line, Step, WIN, believe};
use crate::pioneer::zone::groups::threats;
use crate::pioneer::zone::image::{Horizon, Image};
use crate::pioneer::zone::linked::{Linked, linked_zones};
use crate::pioneer::zone::play::{balance, makes_sense};
use crate::pioneer::zone::store::BundleId;
use crate::pioneer::zone::{Work, Zone, complexes};

/// What kind of aim a subgoal is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Mate the king on the square.
    Mate,
    /// Promote the pawn on the square.
    Promote,
    /// Win the man on the square, or as much as it is worth.
    Win,
    /// Reach an ending small enough for tables, by the capture on the square.
    Table,
    /// Control the square.
    Control,
    /// Occupy the square.
    Occupy,
}

/// A proposed aim.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Subgoal {
    /// The kind.
    pub kind: Kind,
    /// The square it is about, 0 = a1 to 63 = h8.
    pub square: u8,
    /// The claim in words.
    pub claim: String,
    /// The aim; as text in JSON.
    pub aim: Goal,
    /// m_k: what is at stake, in pawns.
    pub stake: i32,
    /// What the search with zones believes is won, in pawns; 200 and more is mate.
    pub believed: i32,
    /// The line it believes in, in SAN; `--` is a pause.
    pub line: Vec<String>,
    /// The number of the group of zones (complex zone) it belongs to: goals of different groups are
    /// independent.
    pub group: usize,
    /// The trajectories, the stem's first.
    pub paths: Vec<Path>,
}

/// Everything the zones have to say about a position.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Proposal {
    /// The horizon that was used, in plies.
    pub horizon: Horizon,
    /// The side to move, for which the subgoals are.
    #[serde(serialize_with = "crate::chess::serialize_name")]
    pub side: Side,
    /// The subgoals, most promising first.
    pub subgoals: Vec<Subgoal>,
    /// What the other side threatens, in words.
    pub threats: Vec<String>,
    /// Trajectory squares controlled by each side.
    pub control: Control,
    /// K = K_w / K_b, none if Black controls nothing.
    pub ratio: Option<f64>,
    /// Moves of all trees.
    pub tree: u64,
    /// Moves that the search made, some again and again as lines got longer.
    #[serde(skip)]
    pub made: u64,
    /// What forming the zones cost.
    pub work: Work,
    /// Why the search was cut short.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<StopReason>,
    /// Things worth knowing: why there is nothing to propose, a horizon that was lowered.
    pub remarks: Vec<String>,
}

/// At most this many subgoals are searched and reported; the others would be the same with less at
/// stake.
const AT_MOST: usize = 12;

/// The moves that may be made for one subgoal.
const MADE: u64 = 4_000;

/// Endings up to this many men are for tables.
const TABLE_MEN: usize = 5;

/// The subgoals of the side to move.
pub fn propose(board: &Board, horizon: Horizon, budget: &Budget) -> Proposal {
    let us = board.side_to_move();
    let mut image = Image::new(board, horizon);
    let mut seen = Found::default();
    let against = threats(&mut image, us);
    let mut goals = Vec::new();
    let playable = !board.legal_moves().is_empty();
    let targets = if playable { targets(&mut image, us) } else { Vec::new() };
    let groups = complexes(&targets.iter().map(|t| t.extent).collect::<Vec<_>>());
    for (i, target) in targets.iter().enumerate().take(AT_MOST) {
        if seen.stop.is_some() {
            break;
        }
        let zones: Vec<BundleId> = target.stems.iter().chain(&against).copied().collect();
        let bounds = Bounds { made: MADE, ..Bounds::of(horizon) };
        let line = believe(board, &mut image, &zones, bounds, &Unlearned, budget, &mut seen);
        let group = groups.iter().position(|members| members.contains(&i)).unwrap_or(0);
        Goals { board, image: &mut image, us, group }.add(target, &line, &mut goals);
    }
    let rank = |g: &Subgoal| {
        (-g.believed, -g.stake, g.paths.first().map_or(u8::MAX, |p| p.moves), g.kind, g.square)
    };
    goals.sort_by_key(rank);
    let control = control(&mut image);
    let threats = against
        .iter()
        .filter_map(|&id| image.stem(id))
        .map(|s| words::stem_route(&s, &s.routes.routes[0]));
    Proposal {
        horizon,
        side: us,
        threats: threats.collect(),
        ratio: control.ratio(),
        control,
        tree: seen.trees.iter().map(Tree::moves).sum(),
        made: seen.made,
        stop: seen.stop,
        remarks: remarks(board, horizon, goals.is_empty()),
        subgoals: goals,
        work: image.work,
    }
}

/// K over all trajectories within the horizon.
fn control(image: &mut Image) -> Control {
    let ids: Vec<BundleId> = image.live().collect();
    let men = *image.men();
    let mut steps = Vec::new();
    for stem in ids.into_iter().filter_map(|id| image.stem(id)) {
        for route in &stem.routes.routes {
            for square in route.trajectory.ahead() {
                let near = |side: Side| {
                    men.of_side(side)
                        .into_iter()
                        .filter(move |&f| men.steps_from(f).contains(square))
                };
                steps.extend(Side::ALL.into_iter().flat_map(near).map(|from| (from, square)));
            }
        }
    }
    steps.sort_unstable();
    steps.dedup();
    Control::count(&men, steps)
}

fn remarks(board: &Board, horizon: Horizon, nothing: bool) -> Vec<String> {
    let mut remarks = Vec::new();
    let side = board.side_to_move();
    if board.legal_moves().is_empty() {
        let how = if board.in_check() { "is mated" } else { "is stalemated" };
        remarks.push(format!("{side} {how}: there is nothing to propose"));
    } else if horizon.moves() == 0 {
        remarks
            .push("with a horizon of 0 no man sees another: there are no trajectories".to_string());
    } else if nothing {
        let why = if board.has_bare_king(board.side_to_move().other()) {
            "the other side has its king only"
        } else {
            "no target lies within the horizon"
        };
        remarks.push(format!(
            "{side} has nothing to attack ({why}): try a larger horizon, or `solve`"
        ));
    }
    if board.in_check() && !board.legal_moves().is_empty() {
        remarks.push(format!("{side} is in check: every evasion belongs to the zone of its king"));
    }
    remarks
}

/// One thing to go for, with all stems towards it.
struct Target {
    square: Square,
    purpose: Purpose,
    stake: i32,
    stems: Vec<BundleId>,
    extent: Bitboard,
}

/// The targets of one side, most valuable first, the nearest first among equals. A pawn that
/// promotes is its own target.
fn targets(image: &mut Image, us: Side) -> Vec<Target> {
    let ids: Vec<BundleId> = image.live().collect();
    let mut targets: Vec<(u8, Target)> = Vec::new();
    for id in ids {
        let Some(stem) = image.stem(id).filter(|s| s.piece.side == us) else { continue };
        if !makes_sense(stem.piece.role, stem.target.map(|t| t.role)) {
            continue;
        }
        let square = if stem.purpose == Purpose::Promote { stem.from } else { stem.to };
        let near = stem.routes.routes[0].moves;
        let extent = stem
            .routes
            .routes
            .iter()
            .fold(Bitboard::from(stem.from), |all, r| all | r.trajectory.ahead());
        match targets.iter_mut().find(|(_, t)| t.square == square && t.purpose == stem.purpose) {
            Some((nearest, target)) => {
                *nearest = near.min(*nearest);
                target.stems.push(id);
                target.extent |= extent;
            }
            None => {
                let target = Target {
                    square,
                    purpose: stem.purpose,
                    stake: stem.stake(),
                    stems: vec![id],
                    extent,
                };
                targets.push((near, target));
            }
        }
    }
    targets.sort_by_key(|(near, t)| (-t.stake, *near, t.square));
    targets.into_iter().map(|(_, target)| target).collect()
}

/// Makes the subgoals of a target.
struct Goals<'a> {
    board: &'a Board,
    image: &'a mut Image,
    us: Side,
    group: usize,
}

impl Goals<'_> {
    fn add(&mut self, target: &Target, line: &Line, goals: &mut Vec<Subgoal>) {
        let men = *self.image.men();
        let horizon = self.image.horizon();
        let zones: Vec<Rc<Zone>> =
            target.stems.iter().filter_map(|&id| self.image.zone(id)).collect();
        let linked: Vec<Linked> =
            zones.iter().flat_map(|z| linked_zones(&men, z, horizon)).collect();
        let (kind, claim, aim) = self.describe(&men, target, line.gain);
        let paths = paths(&men, &zones, &linked, self.us);
        let goal = Subgoal {
            kind,
            square: target.square as u8,
            claim,
            aim,
            stake: target.stake,
            believed: line.gain,
            line: self.in_san(line),
            group: self.group,
            paths,
        };
        self.add_table(&men, target, &goal, goals);
        self.add_squares(&zones, &linked, &goal, goals);
        goals.push(goal);
    }

    fn describe(&self, men: &Men, target: &Target, gain: i32) -> (Kind, String, Goal) {
        let (us, square) = (self.us, target.square);
        let side = us;
        if target.purpose == Purpose::Promote {
            let queen = Piece::new(us, Role::Queen);
            let now = (men.of_side(us) & men.of_role(Role::Queen)).count();
            let aim = aims::at_least(queen, now + 1);
            let claim = format!(
                "{side} promotes the pawn {square} and keeps the queen for at least a move"
            );
            return (Kind::Promote, claim, aim);
        }
        let role = men.at(square).map_or(Role::Pawn, |p| p.role);
        if role == Role::King {
            return (Kind::Mate, format!("{side} mates the king on {square}"), aims::mate(side));
        }
        let gain = if (1..WIN).contains(&gain) { gain } else { target.stake };
        let aim = aims::ahead(side, balance(self.board, side) + gain);
        let claim = format!(
            "{side} wins the {} on {square}, or {gain} in material that the next recapture does not take back",
            words::name(role)
        );
        (Kind::Win, claim, aim)
    }

    /// A capture that leaves few men: an ending that tables decide.
    fn add_table(&self, men: &Men, target: &Target, goal: &Subgoal, goals: &mut Vec<Subgoal>) {
        let left = men.occupied().count() - 1;
        if goal.kind != Kind::Win || left > TABLE_MEN {
            return;
        }
        let mut after = *men;
        after.remove(target.square);
        let name = words::table_name(&after);
        let claim = format!(
            "{} reaches {name} by the capture on {}: tables know its value",
            self.us, target.square
        );
        goals.push(Subgoal {
            kind: Kind::Table,
            claim,
            aim: aims::signature(&after),
            believed: goal.believed.min(0),
            ..goal.clone()
        });
    }

    /// The squares that the attack needs: those it cannot cross yet and could control by linked
    /// zones, and the last square before the target.
    fn add_squares(
        &self,
        zones: &[Rc<Zone>],
        linked: &[Linked],
        goal: &Subgoal,
        goals: &mut Vec<Subgoal>,
    ) {
        let side = self.us;
        let mut add = |kind: Kind, square: Square, claim: String, aim: Goal, paths: Vec<Path>| {
            let known = goals.iter().any(|g| g.kind == kind && g.square == square as u8);
            if !known && !paths.is_empty() {
                let (square, believed) = (square as u8, goal.believed.clamp(-WIN, 0));
                goals.push(Subgoal {
                    kind,
                    square,
                    claim,
                    aim,
                    stake: 0,
                    believed,
                    paths,
                    ..goal.clone()
                });
            }
        };
        for link in linked.iter().filter(|l| l.stem.purpose == Purpose::Control).take(1) {
            let claim = format!(
                "{side} controls {}, which the attack on {} must cross",
                link.square,
                name_of(goal.square)
            );
            let paths = goal
                .paths
                .iter()
                .filter(|p| matches!(p.part, Part::Stem | Part::Linked))
                .cloned()
                .collect();
            add(Kind::Control, link.square, claim, aims::control(side, link.square), paths);
        }
        let post = zones.iter().filter(|z| z.stem.purpose == Purpose::Attack).find_map(|zone| {
            let route = zone.stem.routes.routes.iter().find(|r| r.trajectory.moves() > 1)?;
            Some((zone.stem.piece, route.trajectory.alpha(route.trajectory.moves() - 1)))
        });
        if let Some((piece, square)) = post.filter(|(p, _)| p.role != Role::King) {
            let claim = format!(
                "{side} brings a {} to {square} and keeps it there for at least a move",
                words::name(piece.role)
            );
            let ends = |p: &&Path| p.part == Part::Stem && p.alphas.contains(&(square as u8));
            let paths = goal.paths.iter().filter(ends).cloned().collect();
            add(Kind::Occupy, square, claim, aims::stands(piece, square), paths);
        }
    }

    fn in_san(&self, line: &Line) -> Vec<String> {
        let mut board = self.board.clone();
        let mut text = Vec::new();
        for step in &line.steps {
            let Step::Move(m) = step else {
                let Some(passed) = board.passed() else { break };
                board = passed;
                text.push("--".to_string());
                continue;
            };
            text.push(board.san(*m));
            board.play(*m);
        }
        text
    }
}

/// The name of a square 0..=63.
fn name_of(square: u8) -> Square {
    Square::new(u32::from(square))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aim::Aim;
    use pretty_assertions::assert_eq;

    fn proposal(fen: &str, horizon: u32) -> Proposal {
        propose(&Board::from_fen(fen).unwrap(), Horizon::new(horizon), &Budget::default())
    }

    #[test]
    fn every_aim_can_be_read() {
        for fen in [
            "5rk1/5ppp/p1Q1p3/1R6/q7/4b1P1/P2RPP1P/6K1 w - - 0 1",
            "7K/8/k1P5/7p/8/8/8/8 w - - 0 1",
            "4k3/8/8/3n4/8/8/8/3RK3 w - - 0 1",
            "8/6k1/8/6K1/ppp5/8/PPP5/8 b - - 0 1",
        ] {
            let found = proposal(fen, 4);
            assert!(!found.subgoals.is_empty(), "{fen}");
            for goal in &found.subgoals {
                let text = goal.aim.to_string();
                let read = Aim::parse(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
                assert_eq!(Goal::of(read).as_ref(), Ok(&goal.aim));
                assert!(!goal.paths.is_empty() && goal.paths[0].part == Part::Stem, "{goal:?}");
            }
        }
    }

    #[test]
    fn the_best_subgoal_comes_first() {
        let found = proposal("4k3/8/8/3n4/8/8/8/3RK3 w - - 0 1", 4);
        let best = &found.subgoals[0];
        assert_eq!((best.kind, best.square, best.believed), (Kind::Win, Square::D5 as u8, 3));
        assert_eq!(best.line[0], "Rxd5");
        assert!(found.subgoals.iter().any(|g| g.kind == Kind::Table && g.claim.contains("KRvK")));
        let mate = proposal("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 4);
        assert_eq!(
            (mate.subgoals[0].kind, &mate.subgoals[0].aim),
            (Kind::Mate, &Goal::mate_of(Side::Black))
        );
    }

    #[test]
    fn odd_positions_are_explained() {
        for (fen, horizon, word) in [
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", 6, "king only"),
            ("4k3/8/8/8/8/8/4p3/4K2R w - - 0 1", 0, "horizon of 0"),
            ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 4, "stalemated"),
            ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", 4, "is mated"),
            ("4k3/8/8/8/8/8/4r3/4K2R w - - 0 1", 4, "in check"),
        ] {
            let found = proposal(fen, horizon);
            assert!(found.remarks.iter().any(|r| r.contains(word)), "{fen}: {:?}", found.remarks);
        }
        let queens = proposal("6rk/6pp/8/8/QQQQ4/QQQQ4/Q7/K7 w - - 0 1", 2);
        assert!(!queens.subgoals.is_empty() && queens.subgoals.len() <= 3 * AT_MOST);
        let far = proposal("7K/8/k1P5/7p/8/8/8/8 w - - 0 1", 1000);
        assert_eq!(far.horizon.plies(), Horizon::LARGEST);
        assert!(!far.subgoals.is_empty());
    }
}
