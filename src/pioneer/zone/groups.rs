//! Which zones are searched together: the stems of both sides, grouped into complex zones.
//!
//! # References
//! M. M. Botvinnik, *On the cybernetic goal of the game*, 1975, "Forming complex zones" and the
//! principle of one win; docs/theory.md §13.

use super::image::Image;
use super::members::complexes;
use super::play::makes_sense;
use super::store::BundleId;
use crate::chess::Side;
use crate::chess::board::{Bitboard, Role, Square};
use crate::chess::worth::at_stake;
use crate::pioneer::geometry::exchange::exchange;
use crate::pioneer::geometry::route::Purpose;

/// A group with more stems than this is searched target by target.
const STEMS_AT_ONCE: usize = 6;

/// The other side's attacks that win something at once, most valuable first: they are in play
/// whatever is tried.
pub fn threats(image: &mut Image, us: Side) -> Vec<BundleId> {
    stems(image, us).1.iter().filter(|s| s.urgent).map(|s| s.id).take(STEMS_AT_ONCE).collect()
}

/// A stem that may be played for.
pub(in crate::pioneer) struct Candidate {
    id: BundleId,
    target: Square,
    stake: i32,
    urgent: bool,
    extent: Bitboard,
}

/// The stems of the side to move and of the other, most valuable target first.
pub(in crate::pioneer) fn stems(image: &mut Image, us: Side) -> (Vec<Candidate>, Vec<Candidate>) {
    let ids: Vec<BundleId> = image.live().collect();
    let mut all = [Vec::new(), Vec::new()];
    for id in ids {
        let Some(stem) =
            image.stem(id).filter(|s| makes_sense(s.piece.role, s.target.map(|t| t.role)))
        else {
            continue;
        };
        let first = &stem.routes.routes[0];
        let urgent = match stem.purpose {
            Purpose::Promote => first.own.is_empty(),
            _ => first.moves == 1 && exchange(image.men(), stem.from, stem.to) > 0,
        };
        let extent = stem
            .routes
            .routes
            .iter()
            .fold(stem.from.into(), |all: Bitboard, r| all | r.trajectory.ahead());
        let candidate = Candidate { id, target: stem.to, stake: stem.stake(), urgent, extent };
        all[usize::from(stem.piece.side != us)].push(candidate);
    }
    for side in &mut all {
        side.sort_by_key(|c| (std::cmp::Reverse(c.stake), !c.urgent, c.id));
    }
    let [ours, theirs] = all;
    (ours, theirs)
}

/// Zones that are searched together.
pub(in crate::pioneer) struct Group {
    pub(in crate::pioneer) stems: Vec<BundleId>,
    pub(in crate::pioneer) stake: i32,
}

/// The complex zones of one side, largest target first; those with many stems target by target. A
/// side with nothing to attack but something to lose gets one group without stems of its own.
pub(in crate::pioneer) fn groups(
    image: &mut Image,
    ours: &[Candidate],
    threatened: bool,
) -> Vec<Group> {
    let extents: Vec<Bitboard> = ours
        .iter()
        .map(|c| image.zone(c.id).map_or(c.extent, |zone| zone.extent() & c.extent))
        .collect();
    let mut groups = Vec::new();
    for members in complexes(&extents) {
        let members: Vec<&Candidate> = members.iter().map(|&i| &ours[i]).collect();
        let mut push = |members: &[&Candidate]| {
            let stake = members.iter().map(|c| c.stake).max().unwrap_or(0);
            groups.push(Group {
                stems: members.iter().take(STEMS_AT_ONCE).map(|c| c.id).collect(),
                stake,
            });
        };
        if members.len() <= STEMS_AT_ONCE {
            push(&members);
            continue;
        }
        let targets: Bitboard = members.iter().map(|c| c.target).collect();
        for target in targets {
            push(&members.iter().filter(|c| c.target == target).copied().collect::<Vec<_>>());
        }
    }
    if threatened {
        groups.push(Group { stems: Vec::new(), stake: at_stake(Role::Queen) });
    }
    groups.sort_by_key(|g| std::cmp::Reverse(g.stake));
    groups
}
