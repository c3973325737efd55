//! Counting: more clauses than there are places for their literals.
//!
//! That n + 1 pigeons do not fit into n holes takes a search by clauses exponential time. Here it
//! is seen: of clauses that share no open literal each needs a true literal of its own, and of
//! literals that exclude one another in pairs no two are true. So if the open literals are parted
//! into sets of such, and the clauses cannot be matched with different sets, they do not hold
//! together; those that augmenting paths reach in vain, with the clauses by which their literals
//! exclude one another, are to blame.
//!
//! Two literals exclude one another where each makes a literal false of a clause that has only two
//! open ones. Looked at only after some conflicts, then after twice as many, and, once it has
//! helped in a query, before every decision. O(c + d²) for c clauses and d open literals, of which
//! there may be no more than [`OPEN`].
//!
//! # References
//! P. Hall, *On representatives of subsets* (1935); A. Haken, *The intractability of resolution*
//! (1985); W. Cook, C. R. Coullard, G. Turán, *On the complexity of cutting-plane proofs* (1987),
//! for counting as a way out.

use super::Labeller;
use crate::tableau::clauses::Lit;
use crate::tableau::closure::{Kind, NONE};
use hashbrown::{HashMap, HashSet};

/// Conflicts of a query before the first count. Tests count from the beginning, so that random
/// formulas are counted too.
const FIRST: u64 = if cfg!(test) { 0 } else { 50 };
/// With more open literals nothing is counted.
const OPEN: usize = 2000;
/// No more pairs of literals than this are looked at.
const PAIRS: usize = 1 << 18;

/// When to count.
#[derive(Debug, Default)]
pub(super) struct Schedule {
    /// Conflicts in this query.
    pub(super) conflicts: u64,
    /// Conflicts at the last count.
    last: u64,
    /// Whether counting has helped in this query.
    helped: bool,
}

impl Schedule {
    /// One conflict more.
    pub(super) fn conflict(&mut self) {
        self.conflicts += 1;
    }

    fn is_due(&self) -> bool {
        self.helped || self.conflicts >= if self.last == 0 { FIRST } else { 2 * self.last }
    }
}

/// For a pair of literals, the smaller first, the clause by which no more than one is true.
type Exclusions = HashMap<(Lit, Lit), u32>;

fn pair(a: Lit, b: Lit) -> (Lit, Lit) {
    (a.min(b), a.max(b))
}

/// Clauses that share no open literal, and these parted into sets of which at most one is true.
#[derive(Default)]
struct Pigeons {
    clauses: Vec<u32>,
    /// By clause: the sets its open literals are in.
    choices: Vec<Vec<usize>>,
    /// The sets: literals, each with the place of its clause.
    sets: Vec<Vec<(Lit, usize)>>,
}

impl Labeller<'_> {
    /// Counts if that is due; false if there is a conflict.
    pub(super) fn count(&mut self) -> bool {
        if !self.schedule.is_due() {
            return true;
        }
        self.schedule.last = self.schedule.conflicts;
        let exclusions = self.exclusions();
        let Some(pigeons) = self.pigeons(&exclusions) else { return true };
        let Some(homeless) = pigeons.homeless() else { return true };
        self.schedule.helped = true;
        self.conflict = self.blame(&exclusions, &pigeons, &homeless);
        self.conflict_local = false;
        false
    }

    /// The open literals of a kept clause, unless one of its literals is true.
    fn open<'a>(&'a self, clause: &'a [Lit]) -> Option<impl Iterator<Item = Lit> + 'a> {
        let is_true = clause.iter().any(|l| self.values[l.index()] == 1);
        (!is_true).then(|| clause.iter().copied().filter(|l| self.values[l.index()] == 0))
    }

    fn exclusions(&self) -> Exclusions {
        let mut exclusions = HashMap::new();
        for (at, clause) in self.kept.watched() {
            let Some(mut open) = self.open(clause) else { continue };
            let (Some(a), Some(b), None) = (open.next(), open.next(), open.next()) else {
                continue;
            };
            if exclusions.len() > PAIRS {
                break;
            }
            let seconds = self.opponents(b);
            for first in self.opponents(a) {
                exclusions.extend(seconds.iter().map(|&second| (pair(first, second), at)));
            }
        }
        exclusions
    }

    /// Literals that make this one false.
    fn opponents(&self, lit: Lit) -> Vec<Lit> {
        let closure = self.closure;
        let mut opponents = vec![!lit];
        let mut add = |node| {
            opponents.push(!self.lit(node));
            if closure.dual(node) != NONE {
                opponents.push(self.lit(closure.dual(node)));
            }
        };
        if let Some(node) = self.node(lit) {
            add(node);
            if matches!(closure.kind(node), Kind::And | Kind::Cube) {
                closure.parts(node).iter().copied().for_each(add);
            }
        }
        opponents
    }

    fn pigeons(&self, exclusions: &Exclusions) -> Option<Pigeons> {
        let excluded: HashSet<Lit> = exclusions.keys().flat_map(|&(a, b)| [a, b]).collect();
        let mut pigeons = Pigeons::default();
        let mut taken: HashSet<Lit> = HashSet::new();
        for (at, clause) in self.kept.watched() {
            let Some(open) = self.open(clause) else { continue };
            let open: Vec<Lit> = open.collect();
            if !open.iter().all(|l| excluded.contains(l) && !taken.contains(l)) {
                continue;
            }
            taken.extend(&open);
            if taken.len() > OPEN {
                return None;
            }
            let pigeon = pigeons.clauses.len();
            let choose = |&lit: &Lit| pigeons.place(exclusions, lit, pigeon);
            let choices = open.iter().map(choose).collect();
            pigeons.clauses.push(at);
            pigeons.choices.push(choices);
        }
        Some(pigeons)
    }

    /// The false clause that says that these clauses cannot all be true.
    fn blame(&self, exclusions: &Exclusions, pigeons: &Pigeons, homeless: &[usize]) -> Vec<Lit> {
        let mut to_blame: Vec<u32> = homeless.iter().map(|&at| pigeons.clauses[at]).collect();
        for set in &pigeons.sets {
            let members: Vec<Lit> =
                set.iter().filter(|(_, at)| homeless.contains(at)).map(|&(lit, _)| lit).collect();
            for (i, &a) in members.iter().enumerate() {
                to_blame.extend(members[i + 1..].iter().map(|&b| exclusions[&pair(a, b)]));
            }
        }
        let is_false = |l: &&Lit| self.values[l.index()] == -1;
        let literals = to_blame.iter().flat_map(|&at| self.kept.get(at).iter().filter(is_false));
        let mut clause: Vec<Lit> = literals.copied().collect();
        clause.sort_unstable();
        clause.dedup();
        clause
    }
}

impl Pigeons {
    /// Puts a literal into the first set all of whose members exclude it.
    fn place(&mut self, exclusions: &Exclusions, lit: Lit, pigeon: usize) -> usize {
        let fits = |set: &Vec<(Lit, usize)>| {
            set.iter().all(|&(other, _)| exclusions.contains_key(&pair(lit, other)))
        };
        let place = self.sets.iter().position(fits).unwrap_or_else(|| {
            self.sets.push(Vec::new());
            self.sets.len() - 1
        });
        self.sets[place].push((lit, pigeon));
        place
    }

    /// Clauses that cannot be matched with different sets, if there are any.
    fn homeless(&self) -> Option<Vec<usize>> {
        let mut holders: Vec<Option<usize>> = vec![None; self.sets.len()];
        let mut places: Vec<Option<usize>> = vec![None; self.clauses.len()];
        for pigeon in 0..self.clauses.len() {
            // Breadth first over alternating paths: from which clause a set was reached.
            let mut via: Vec<Option<usize>> = vec![None; self.sets.len()];
            let mut reached = vec![pigeon];
            let mut next = 0;
            let free = loop {
                // Nothing more to be reached, and no free set met.
                let Some(&from) = reached.get(next) else { return Some(reached) };
                next += 1;
                let mut free = None;
                for &set in &self.choices[from] {
                    if via[set].is_none() {
                        via[set] = Some(from);
                        match holders[set] {
                            Some(holder) => reached.push(holder),
                            None => free = Some(set),
                        }
                    }
                }
                if let Some(free) = free {
                    break free;
                }
            };
            let mut set = Some(free);
            while let Some(to) = set {
                let from = via[to].expect("a set on the path");
                holders[to] = Some(from);
                set = places[from].replace(to);
            }
        }
        None
    }
}
