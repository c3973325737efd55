//! Literals, clauses in one array, and watch lists.

/// A propositional literal: twice the variable, plus one if negated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Lit(u32);

impl Lit {
    pub(super) fn new(variable: u32, sign: bool) -> Self {
        Self(2 * variable + u32::from(!sign))
    }

    pub(super) fn variable(self) -> u32 {
        self.0 / 2
    }

    /// True for a plain literal, false for a negated one.
    pub(super) fn sign(self) -> bool {
        self.0 & 1 == 0
    }

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

impl std::ops::Not for Lit {
    type Output = Self;

    fn not(self) -> Self {
        Self(self.0 ^ 1)
    }
}

/// Clauses one after the other in one array, named by where they begin; the word before a clause
/// holds its length and two flags.
#[derive(Debug, Default)]
pub(super) struct Clauses {
    words: Vec<Lit>,
}

const WATCHED: u32 = 1;
const TAINTED: u32 = 2;

impl Clauses {
    fn push(&mut self, clause: &[Lit], flags: u32) -> u32 {
        self.words.push(Lit((clause.len() as u32) << 2 | flags));
        let at = u32::try_from(self.words.len()).expect("fewer than 2^32 literals in clauses");
        self.words.extend_from_slice(clause);
        at
    }

    pub(super) fn add(&mut self, clause: &[Lit]) -> u32 {
        self.push(clause, WATCHED)
    }

    /// A clause that stands in the watch lists; `tainted`: it follows from the query's local
    /// clauses only.
    pub(super) fn add_watched(&mut self, clause: &[Lit], tainted: bool) -> u32 {
        self.push(clause, WATCHED | if tainted { TAINTED } else { 0 })
    }

    /// A clause that only serves as a reason.
    pub(super) fn add_unwatched(&mut self, clause: &[Lit], tainted: bool) -> u32 {
        self.push(clause, if tainted { TAINTED } else { 0 })
    }

    fn len_of(&self, at: u32) -> usize {
        (self.words[at as usize - 1].0 >> 2) as usize
    }

    pub(super) fn tainted(&self, at: u32) -> bool {
        self.words[at as usize - 1].0 & TAINTED != 0
    }

    pub(super) fn get(&self, at: u32) -> &[Lit] {
        &self.words[at as usize..][..self.len_of(at)]
    }

    pub(super) fn get_mut(&mut self, at: u32) -> &mut [Lit] {
        let len = self.len_of(at);
        &mut self.words[at as usize..][..len]
    }

    /// The clauses that stand in the watch lists.
    pub(super) fn watched(&self) -> impl Iterator<Item = (u32, &[Lit])> {
        let mut next = 1_u32;
        std::iter::from_fn(move || {
            while (next as usize) <= self.words.len() {
                let at = next;
                let len = self.len_of(at);
                next += len as u32 + 1;
                if self.words[at as usize - 1].0 & WATCHED != 0 {
                    return Some((at, self.get(at)));
                }
            }
            None
        })
    }

    pub(super) fn clear(&mut self) {
        self.words.clear();
    }

    pub(super) fn bytes(&self) -> usize {
        self.words.capacity() * 4
    }
}

/// A clause to look at when a literal becomes false.
#[derive(Debug, Clone, Copy)]
pub(super) struct Watch {
    pub(super) at: u32,
    pub(super) local: bool,
    /// Another literal of the clause: while it is true the clause need not be looked at.
    pub(super) blocker: Lit,
}

/// The clauses watching each literal.
#[derive(Debug)]
pub(super) struct Watches {
    lists: Vec<Vec<Watch>>,
}

impl Watches {
    pub(super) fn new(literals: usize) -> Self {
        Self { lists: vec![Vec::new(); literals] }
    }

    pub(super) fn add(&mut self, lit: Lit, watch: Watch) {
        self.lists[lit.index()].push(watch);
    }

    /// Removes a local clause from a literal's list.
    pub(super) fn remove(&mut self, lit: Lit, at: u32) {
        let list = &mut self.lists[lit.index()];
        if let Some(found) = list.iter().rposition(|w| w.local && w.at == at) {
            list.swap_remove(found);
        }
    }

    pub(super) fn take(&mut self, lit: Lit) -> Vec<Watch> {
        std::mem::take(&mut self.lists[lit.index()])
    }

    pub(super) fn put_back(&mut self, lit: Lit, list: Vec<Watch>) {
        debug_assert!(
            self.lists[lit.index()].is_empty(),
            "nothing watches a literal just falsified"
        );
        self.lists[lit.index()] = list;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn lits(codes: &[u32]) -> Vec<Lit> {
        codes.iter().map(|&code| Lit(code)).collect()
    }

    #[test]
    fn clauses_keep_their_literals_and_flags() {
        let mut clauses = Clauses::default();
        let kept = clauses.add(&lits(&[2, 5, 8]));
        let reason = clauses.add_unwatched(&lits(&[3]), true);
        let tainted = clauses.add_watched(&lits(&[1, 4]), true);
        assert_eq!(clauses.get(kept), lits(&[2, 5, 8]));
        assert_eq!(clauses.get(reason), lits(&[3]));
        assert_eq!([kept, reason, tainted].map(|at| clauses.tainted(at)), [false, true, true]);
        assert_eq!(clauses.watched().map(|(at, _)| at).collect::<Vec<_>>(), [kept, tainted]);
        clauses.get_mut(kept).swap(0, 2);
        assert_eq!(clauses.get(kept), lits(&[8, 5, 2]));
        clauses.clear();
        assert_eq!(clauses.watched().count(), 0);
    }

    #[test]
    fn only_local_clauses_are_taken_off_the_watch() {
        let mut watches = Watches::new(10);
        let watch = |at, local| Watch { at, local, blocker: Lit(0) };
        watches.add(Lit(4), watch(7, false));
        watches.add(Lit(4), watch(7, true));
        watches.remove(Lit(4), 7);
        watches.remove(Lit(4), 7);
        let left = watches.take(Lit(4));
        assert_eq!(left.iter().map(|w| (w.at, w.local)).collect::<Vec<_>>(), [(7, false)]);
        assert!(watches.take(Lit(4)).is_empty());
        watches.put_back(Lit(4), left);
        assert_eq!(watches.take(Lit(4)).len(), 1);
    }

    #[test]
    fn negation_turns_the_sign() {
        let lit = Lit::new(3, true);
        assert_eq!((lit.variable(), lit.sign()), (3, true));
        assert_eq!(((!lit).variable(), (!lit).sign()), (3, false));
        assert_eq!(!!lit, lit);
    }
}
