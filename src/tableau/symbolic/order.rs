//! An order of variables that keeps what belongs together close together.
//!
//! Decision diagrams are small when variables that depend on one another are neighbours. Given the
//! groups that should be neighbours, each variable moves to the mean centre of its groups, again
//! and again; the best arrangement met is kept. O(rounds · (entries + n log n)).
//!
//! # References
//! F. A. Aloul, I. L. Markov, K. A. Sakallah, *FORCE: a fast and easy-to-implement
//! variable-ordering heuristic* (2003).

use crate::limits::{Budget, StopReason};

/// More rounds than this gain nothing.
const ROUNDS: usize = 200;
/// So many rounds without gain end the search.
const PATIENCE: usize = 12;
/// What the pairs that a variable is in weigh together, at most: a group of more weighs one.
const PAIRS: f64 = 1.0;
/// Entries of groups that all rounds together look at: where groups overlap as much as in deeply
/// nested untils, a few rounds have to do.
const WORK: usize = 200_000_000;

/// Variables that should be close to one another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) members: Vec<u32>,
    /// Whether they are those of a condition on all vertices, and not a claim with what is claimed.
    pub(super) is_condition: bool,
}

impl Group {
    fn is_pair(&self) -> bool {
        self.is_condition && self.members.len() == 2
    }
}

/// The place of each of `count` variables, given what should be close to one another. The given
/// numbering breaks ties.
///
/// # Errors
/// The limit that was reached.
pub(super) fn places(
    count: usize,
    groups: &[Group],
    budget: &Budget,
) -> Result<Vec<u32>, StopReason> {
    let entries: usize = groups.iter().map(|g| g.members.len()).sum();
    let weights = weights(count, groups);
    let mut places: Vec<u32> = (0..count as u32).collect();
    let mut best = (span(&places, groups, &weights), places.clone());
    let mut stale = 0;
    for _ in 0..ROUNDS.min(WORK / (entries + 1) + 1) {
        budget.check(0, 4 * entries as u64)?;
        places = pulled(&places, groups, &weights);
        let span = span(&places, groups, &weights);
        if span < best.0 {
            best = (span, places.clone());
            stale = 0;
        } else {
            stale += 1;
            if stale == PATIENCE {
                break;
            }
        }
    }
    Ok(best.1)
}

/// How much each group counts.
fn weights(count: usize, groups: &[Group]) -> Vec<f64> {
    let mut pairs = vec![0_u32; count];
    for &variable in groups.iter().filter(|group| group.is_pair()).flat_map(|g| &g.members) {
        pairs[variable as usize] += 1;
    }
    let weight = |group: &Group| match group.members[..] {
        [a, b] if group.is_pair() => PAIRS / f64::from(pairs[a as usize].max(pairs[b as usize])),
        _ => 1.0,
    };
    groups.iter().map(weight).collect()
}

/// How far the groups stretch, all together.
fn span(places: &[u32], groups: &[Group], weights: &[f64]) -> f64 {
    let stretch = |(group, weight): (&Group, &f64)| {
        let at = || group.members.iter().map(|&v| places[v as usize]);
        weight * f64::from(at().max().unwrap_or(0) - at().min().unwrap_or(0))
    };
    groups.iter().zip(weights).map(stretch).sum()
}

/// Every variable at the mean of the centres of its groups.
fn pulled(places: &[u32], groups: &[Group], weights: &[f64]) -> Vec<u32> {
    let mut pulls = vec![(0.0, 0.0); places.len()];
    for (group, weight) in groups.iter().zip(weights) {
        let centre = group.members.iter().map(|&v| f64::from(places[v as usize])).sum::<f64>();
        let centre = centre / group.members.len() as f64;
        for &v in &group.members {
            let (sum, total) = &mut pulls[v as usize];
            *sum += weight * centre;
            *total += weight;
        }
    }
    let target = |v: u32| match pulls[v as usize] {
        (_, 0.0) => f64::from(places[v as usize]),
        (sum, weight) => sum / weight,
    };
    let mut order: Vec<u32> = (0..places.len() as u32).collect();
    order.sort_by(|&a, &b| {
        target(a).total_cmp(&target(b)).then(places[a as usize].cmp(&places[b as usize]))
    });
    let mut moved = vec![0; places.len()];
    (0..).zip(order).for_each(|(place, v)| moved[v as usize] = place);
    moved
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn group(members: &[u32], is_condition: bool) -> Group {
        Group { members: members.to_vec(), is_condition }
    }

    #[test]
    fn partners_far_apart_come_together() {
        // Bits 0..16 in a row, and the partner of bit i is 16 + i.
        let mut groups: Vec<Group> = (0..16).map(|i| group(&[i, 16 + i], false)).collect();
        groups.extend((0..15).map(|i| group(&[i, i + 1], true)));
        let identity: Vec<u32> = (0..32).collect();
        let places = places(32, &groups, &Budget::default()).unwrap();
        let span = |places: &[u32]| span(places, &groups, &weights(32, &groups));
        assert!(span(&places) * 4.0 < span(&identity), "{places:?}");
        let mut sorted = places;
        sorted.sort_unstable();
        assert_eq!(sorted, identity);
    }

    #[test]
    fn many_pairs_do_not_outweigh_a_group() {
        // No two of 0..16 together, and each with a partner and a third.
        let mut groups: Vec<Group> = (0..16).map(|i| group(&[i, 16 + i, 32 + i], true)).collect();
        groups.extend((0..16).flat_map(|i| (0..i).map(move |j| group(&[i, j], true))));
        let places = places(48, &groups, &Budget::default()).unwrap();
        for group in &groups[..16] {
            let at = || group.members.iter().map(|&v| places[v as usize]);
            assert!(at().max().unwrap() - at().min().unwrap() < 12, "{places:?}");
        }
    }

    #[test]
    fn without_groups_nothing_moves() {
        assert_eq!(places(4, &[], &Budget::default()).unwrap(), [0, 1, 2, 3]);
    }
}
