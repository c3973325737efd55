//! Steps from vertex to vertex: which claims of `AX` allow a successor in a set.
//!
//! A successor of a vertex must satisfy φ for every `AX φ` claimed there. The relation is kept in
//! parts, one for each `AX φ`, over the claim at the vertex and the atoms of the successor; a step
//! conjoins a set with part after part, and each atom of the successor is quantified away as soon
//! as no later part mentions it.
//!
//! # References
//! J. R. Burch, E. M. Clarke, D. E. Long, *Symbolic model checking with partitioned transition
//! relations* (1991); D. Geist, I. Beer, *Efficient model checking by automated ordering of
//! transition relation partitions* (1994).

use super::bdd::{Bdd, Bdds};
use super::lean::{Atom, Lean};
use crate::ctl::{Id, Path};
use crate::limits::StopReason;
use std::collections::{BTreeSet, HashMap};

/// An `AX φ`: φ holds at the successor if it is claimed.
#[derive(Debug, Clone, Copy)]
struct Part {
    relation: Bdd,
    /// The successor's atoms that no later part mentions.
    done: Bdd,
}

/// See the module.
pub(super) struct Transition {
    /// The successor's atoms that no part mentions.
    free: Bdd,
    parts: Vec<Part>,
}

impl Transition {
    pub(super) fn new(lean: &Lean<'_>, bdds: &mut Bdds) -> Result<Self, StopReason> {
        let mut relations = Vec::new();
        for (number, &atom) in (0..).zip(&lean.atoms) {
            if let Atom::Next(Path::All, operand) = atom {
                let claimed = bdds.negated(lean.demand_level(number));
                let relation = bdds.or(claimed, lean.truth(operand))?;
                bdds.look_at_budget()?;
                relations.push((operand, relation, bdds.support(lean.truth(operand))));
            }
        }
        relations.sort_by_key(|&(operand, ..)| operand);
        let ordered = arrange(relations);
        bdds.look_at_budget()?;
        let mut last: HashMap<u32, usize> = HashMap::new();
        for (at, (_, support)) in ordered.iter().enumerate() {
            last.extend(support.iter().map(|&level| (level, at)));
        }
        let mut done = vec![Vec::new(); ordered.len()];
        let mut free = Vec::new();
        for atom in 0..lean.atoms.len() as u32 {
            let level = lean.level(atom);
            match last.get(&level) {
                Some(&at) => done[at].push(level),
                None => free.push(level),
            }
        }
        let free = bdds.cube(&free);
        let part =
            |((relation, _), done): ((Bdd, _), Vec<u32>)| Part { relation, done: bdds.cube(&done) };
        Ok(Self { free, parts: ordered.into_iter().zip(done).map(part).collect() })
    }

    /// The vertices, as far as their claims of `AX` go, that may have a successor in `set`.
    pub(super) fn before(&self, bdds: &mut Bdds, set: Bdd) -> Result<Bdd, StopReason> {
        let mut step = bdds.and_exists(set, Bdd::TRUE, self.free)?;
        for part in &self.parts {
            step = bdds.and_exists(step, part.relation, part.done)?;
        }
        bdds.down(step)
    }

    /// Its diagrams, for a collection's roots.
    pub(super) fn roots(&self) -> impl Iterator<Item = Bdd> + '_ {
        self.parts.iter().flat_map(|p| [p.relation, p.done]).chain([self.free])
    }
}

/// The relations with the levels of the successor they mention, in such an order that these can go
/// early: next always the one with the fewest levels that others not yet taken mention too. Takes
/// O(m log n) time for n relations that mention m levels all together.
fn arrange(relations: Vec<(Id, Bdd, Vec<u32>)>) -> Vec<(Bdd, Vec<u32>)> {
    let mut mentions: HashMap<u32, Vec<usize>> = HashMap::new();
    for (at, (_, _, support)) in relations.iter().enumerate() {
        support.iter().for_each(|&level| mentions.entry(level).or_default().push(at));
    }
    let is_shared = |level: &&u32| mentions[*level].len() > 1;
    let mut shared: Vec<usize> =
        relations.iter().map(|(_, _, support)| support.iter().filter(is_shared).count()).collect();
    // How many relations not yet taken mention a level; the sum of their numbers is the last one.
    let mut left: HashMap<u32, (usize, usize)> =
        mentions.iter().map(|(&level, ats)| (level, (ats.len(), ats.iter().sum()))).collect();
    let key = |shared: &[usize], at: usize| (shared[at], relations[at].2.first().copied(), at);
    let mut queue: BTreeSet<_> = (0..relations.len()).map(|at| key(&shared, at)).collect();
    let mut order = Vec::with_capacity(relations.len());
    while let Some((_, _, at)) = queue.pop_first() {
        order.push(at);
        for level in &relations[at].2 {
            let (count, sum) = left.get_mut(level).expect("a level that a relation mentions");
            (*count, *sum) = (*count - 1, *sum - at);
            if *count == 1 {
                // The one relation that still mentions the level has it for itself now.
                let alone = *sum;
                queue.remove(&key(&shared, alone));
                shared[alone] -= 1;
                queue.insert(key(&shared, alone));
            }
        }
    }
    let mut relations: Vec<_> = relations.into_iter().map(Some).collect();
    let taken = |at: usize| relations[at].take().expect("each relation is taken once");
    order.into_iter().map(taken).map(|(_, relation, support)| (relation, support)).collect()
}
