//! The trajectories of a subgoal as they are told and drawn.
//!
//! # References
//! docs/theory.md §13.

use std::rc::Rc;

use super::words;
use crate::chess::Side;
use crate::chess::board::Square;
use crate::pioneer::geometry::men::Men;
use crate::pioneer::geometry::trajectory::Trajectory;
use crate::pioneer::zone::Zone;
use crate::pioneer::zone::linked::Linked;

/// What a path is in its zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// The attack itself.
    Stem,
    /// First negation: against the stem.
    Negation,
    /// Second and third negation: for or against a negation, one move away.
    Support,
    /// A retreat of the target.
    Retreat,
    /// The stem of a linked zone.
    Linked,
}

/// As it is called: `stem`, `negation`, ….
impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Stem => "stem",
            Self::Negation => "negation",
            Self::Support => "support",
            Self::Retreat => "retreat",
            Self::Linked => "linked",
        })
    }
}

/// One trajectory of a subgoal, drawn and in words.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Path {
    /// What it is in the zone.
    pub part: Part,
    /// Whose man goes.
    #[serde(serialize_with = "crate::chess::serialize_name")]
    pub side: Side,
    /// The α-squares, α0 first, 0 = a1 to 63 = h8.
    pub alphas: Vec<u8>,
    /// The β-squares.
    pub betas: Vec<u8>,
    /// True length in moves.
    pub moves: u8,
    /// The trajectory in words.
    pub words: String,
}

/// How many paths of each part are kept: a drawing with more is no help.
const PATHS: usize = 6;

/// The trajectories of zones, those of each part by length.
pub(in crate::pioneer) fn paths(
    men: &Men,
    zones: &[Rc<Zone>],
    linked: &[Linked],
    us: Side,
) -> Vec<Path> {
    let mut paths = Vec::new();
    let path = |part, side: Side, t: &Trajectory, moves, words| Path {
        part,
        side,
        alphas: t.alphas().iter().map(|&s| s as u8).collect(),
        betas: (0..t.moves()).flat_map(|i| t.betas(i)).map(|s| s as u8).collect(),
        moves,
        words,
    };
    let step = |from: Square, to: Square| {
        let piece = men.at(from).expect("a man on its square");
        Trajectory::start(piece, from).then(to)
    };
    for zone in zones {
        let stem = &zone.stem;
        for r in &stem.routes.routes {
            paths.push(path(Part::Stem, us, &r.trajectory, r.moves, words::stem_route(stem, r)));
        }
        for n in zone.negations(false) {
            let piece = n.route.trajectory.piece;
            let words = words::negation(piece, &n.route, n.part.purpose);
            paths.push(path(Part::Negation, us.other(), &n.route.trajectory, n.route.moves, words));
        }
        for s in zone.supports(men, false) {
            let side = if s.order == 2 { us } else { us.other() };
            paths.push(path(Part::Support, side, &step(s.from, s.to), 1, words::support(men, &s)));
        }
        for to in zone.retreats(men) {
            let piece = zone.stem.target.expect("a target retreats");
            let words = format!("{} may retreat to {to}", words::man(piece, zone.stem.to));
            paths.push(path(Part::Retreat, us.other(), &step(zone.stem.to, to), 1, words));
        }
    }
    for l in linked {
        let r = &l.stem.routes.routes[0];
        paths.push(path(Part::Linked, l.stem.piece.side, &r.trajectory, r.moves, words::linked(l)));
    }
    paths.sort_by_key(|p| (p.part, p.moves));
    paths.dedup_by(|a, b| a.words == b.words);
    let mut kept = Vec::new();
    for part in [Part::Stem, Part::Negation, Part::Support, Part::Retreat, Part::Linked] {
        let mut seen: Vec<&Path> = Vec::new();
        for p in paths.iter().filter(|p| p.part == part) {
            if seen.len() < PATHS && !seen.iter().any(|s| s.words == p.words) {
                seen.push(p);
            }
        }
        kept.extend(seen.into_iter().cloned());
    }
    kept
}
