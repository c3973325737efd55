//! The slices at hand and what is known of each, in levels.
//!
//! Level 0, *lower*: positions proved won; an exit into a slice that is not at hand is not won
//! there. Level 1: won, if the guess for exits not at hand is true. Level 2, *optimistic*: won, if
//! every exit not at hand is won. Each level is the fixpoint of the slice above the one before, so
//! the sets are nested; only level 0 is a proof, and it never shrinks: the slices that exits lead
//! to have fewer or more advanced pawns, so the union of all level 0 sets is a set of wins by
//! induction over this order, and inside a slice by ranks ([`super::fixpoint`]).
//!
//! For the defender's holds there are three more, from the other side, nested too. *Hoped*: won,
//! if no exit that is not at hand is. *Feared*: won, if the guess for such exits is true. *Upper*:
//! won, if all of them are; what is outside this set is proved not to be won. Everything that no
//! slice knows is won in them.
//!
//! Nothing is handed upward when a slice changes: it carries the time of its last change at each
//! level, and one that reads it is stale when that is later than its own last solution.

use super::children::children;
use super::common::{Common, Shared};
use super::exits::{Hope, Library, Mode, exits};
use super::fixpoint::{Exits, close};
use super::key::{Key, Place};
use super::moves::{Goal, Spot};
use super::rows::{Log, Sets};
use super::stalemates::stalemates;
use super::tabled::read;
use super::unseen::Unseen;
use super::witness::{self, Witness};
use crate::chess::board::{Board, Position as _};
use crate::chess::{Side, Value};
use crate::tables::{MAX_MEN, Tables};
use hashbrown::{HashMap, HashSet};
use std::sync::Arc;

/// The classes of the attacker's exits: captures and promotions, quiet pawn moves into slices at
/// hand, and into others.
pub(super) const CLASSES: usize = 3;
/// In what order positions of a slice are won: those proved; those guessed as far as slices at hand
/// go, so that these are used again; the others guessed, those where the officer is given up last;
/// those hoped for.
const PHASES: [(usize, Bold); 5] =
    [(0, Bold::Giving), (1, Bold::Near), (1, Bold::Keeping), (1, Bold::Giving), (2, Bold::Giving)];
/// The number of levels.
pub(super) const LEVELS: usize = 3;
/// The level of a position that even the optimist gives up.
pub(super) const GIVEN_UP: u8 = LEVELS as u8;

/// Won even if the defender hopes for the best.
pub(super) const HOPED: usize = LEVELS;
/// Won as far as the defender guesses.
pub(super) const FEARED: usize = LEVELS + 1;
/// Not proved to be held.
pub(super) const UPPER: usize = LEVELS + 2;
const ALL: usize = LEVELS + 3;

/// A slice that has been looked into.
#[derive(Debug)]
pub(super) struct Node {
    /// By level; the optimist's are only there once they were asked for.
    pub(super) sets: [Option<Arc<Sets>>; ALL],
    pub(super) children: Arc<[Key]>,
    pub(super) stuck: Arc<[(u32, u64)]>,
    /// When each level was solved, and when it last changed.
    pub(super) solved: [u64; ALL],
    pub(super) changed: [u64; ALL],
    /// Whether it was read from a table, so that all levels are the truth.
    pub(super) exact: bool,
    /// Whether it was solved for wins when all that it reads was.
    pub(super) closed: bool,
}

impl Node {
    /// A slice of which so much is known since a time.
    pub(super) fn new(Shared { sets, children, stuck, exact }: Shared, clock: u64) -> Self {
        // What is read is the truth at every level.
        let at = |level| (exact || level == 0).then(|| Arc::clone(&sets));
        let changed = std::array::from_fn(|level| if exact || level == 0 { clock } else { 0 });
        Self {
            sets: std::array::from_fn(at),
            children,
            stuck,
            solved: [0; ALL],
            changed,
            exact,
            closed: false,
        }
    }

    /// A copy of what is proved to be won; of several officers it is not kept where that is nothing.
    pub(super) fn lower(&self, key: &Key) -> Sets {
        self.sets[0].as_ref().map_or_else(|| Sets::nothing(key), |sets| Sets::clone(sets))
    }
}

/// Slices by key.
#[derive(Debug, Default)]
pub(super) struct Store {
    pub(super) nodes: HashMap<Key, Node>,
    /// What is taken of slices that are not at hand.
    pub(super) unseen: Unseen,
    pub(super) clock: u64,
    pub(super) bytes: u64,
    pub(super) exits: Exits,
    /// Ranks of the slice that was solved last.
    pub(super) log: Log,
    /// The first step of each level in it, by class of the attacker's exits.
    pub(super) starts: [[u32; CLASSES]; PHASES.len()],
    /// The placements of pawns at hand.
    pawns: HashSet<[u64; 2]>,
    /// Slices of kings and pawns, with an officer, with two, with three; and how often each was
    /// solved.
    pub(super) count: [u64; 4],
    pub(super) solves: [u64; 4],
    /// Whether holds look into promotions by which the defender does not win: where the root has an
    /// officer, or where all else is given up.
    pub(super) meets: bool,
    /// What other provers of the same attacker have proved.
    pub(super) common: Option<Arc<Common>>,
    /// Where small slices are read.
    tables: Option<Arc<Tables>>,
    /// Who else knows small slices, and the attacker's colour.
    witness: Option<(Arc<dyn Witness>, Side)>,
}

/// The positions of so many slices with no officer, one, two, three.
pub(super) fn positions(slices: [u64; 4]) -> u64 {
    let of = |(officers, number): (usize, u64)| match officers {
        0 => number << 13,
        _ => number << (13 + 6 * officers),
    };
    slices.into_iter().enumerate().map(of).sum()
}

/// The sets of one level.
pub(super) struct Level<'a> {
    pub(super) store: &'a Store,
    pub(super) level: usize,
    pub(super) bold: Bold,
    /// Whether the slice that reads has an officer.
    pub(super) large: bool,
}

/// What may be guessed of positions that the attacker plays for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Bold {
    /// Values of slices at hand, if the officer is kept.
    Near,
    /// All that is guessed, if the officer is kept.
    Keeping,
    /// All that is guessed.
    Giving,
}

impl Level<'_> {
    fn at_hand_at(&self, key: &Key, level: usize) -> Option<Arc<Sets>> {
        self.store.nodes.get(key).and_then(|n| n.sets[level].as_ref()).map(Arc::clone)
    }
}

impl Library for Level<'_> {
    fn has(&self, key: &Key) -> bool {
        self.store.has(key)
    }

    fn mode(&self) -> Mode {
        if self.level < LEVELS { Mode::Prove } else { Mode::Hold }
    }

    fn turned(&self, key: &Key) -> Option<Arc<Sets>> {
        let level = UPPER - self.level;
        match self.store.nodes.get(key).and_then(|node| node.sets[level].as_ref()) {
            Some(sets) => Some(Arc::clone(sets)),
            None => (level > 0).then(|| self.store.unseen.sets(key, level)),
        }
    }

    fn meets(&self) -> bool {
        self.store.meets
    }

    fn sets(&self, key: &Key) -> Arc<Sets> {
        // Nor is anything hoped for when pawns alone are left against an officer.
        let given = self.large && !key.is_large() && (self.bold < Bold::Giving || key.is_several());
        let given = given && self.level < LEVELS;
        let level = if given { 0 } else { self.level };
        match self.store.nodes.get(key).and_then(|n| n.sets[level].as_ref()) {
            Some(sets) => Arc::clone(sets),
            None if self.bold == Bold::Near => {
                self.at_hand_at(key, 0).unwrap_or_else(|| self.store.unseen.sets(key, 0))
            }
            None => self.store.unseen.sets(key, level),
        }
    }

    fn at_hand(&self, key: &Key) -> Option<Arc<Sets>> {
        self.at_hand_at(key, self.level)
    }

    fn hope(&self) -> Hope {
        match self.level {
            _ if self.bold == Bold::Near => Hope::Nothing,
            0 | HOPED => Hope::Nothing,
            1 | FEARED => Hope::Guess,
            _ => Hope::All,
        }
    }
}

impl Store {
    /// Gives back what only orders the work, of slices with an officer; it comes back when they are
    /// solved again. Not in the middle of a proof: the levels change.
    pub(super) fn trim(&mut self) {
        self.unseen.clear();
        let solved =
            |(key, node): &(&Key, &mut Node)| key.kind() > 0 && !key.is_vast() && !node.exact;
        for (_, node) in self.nodes.iter_mut().filter(solved) {
            for level in (1..ALL).filter(|&level| level != UPPER) {
                // What several levels share was counted once.
                let freed = node.sets[level].take().and_then(Arc::into_inner);
                self.bytes -= freed.map_or(0, |sets| sets.bytes());
            }
        }
    }

    /// Whether a slice has been looked into here: not merely taken from other provers, whose guesses
    /// are not known.
    pub(super) fn has(&self, key: &Key) -> bool {
        self.nodes.get(key).is_some_and(|node| node.sets[1].is_some() || node.solved[0] > 0)
    }

    /// Whether a slice with these pawns, the attacker's first, is at hand as it stands or turned.
    pub(super) fn has_pawns(&self, pawns: [u64; 2]) -> bool {
        let [ours, theirs] = pawns;
        self.pawns.contains(&pawns)
            || self.pawns.contains(&[theirs.swap_bytes(), ours.swap_bytes()])
    }

    /// Whether a slice was solved for wins when all that it reads was, or is known exactly.
    pub(super) fn is_closed(&self, key: &Key) -> bool {
        self.nodes.get(key).is_some_and(|node| node.exact || node.closed)
    }

    /// Whether something is known of a slice.
    pub(super) fn knows(&self, key: &Key) -> bool {
        self.nodes.contains_key(key)
    }

    /// Positions of the slices solved so far, each time a slice was.
    pub(super) fn visited(&self) -> u64 {
        positions(self.solves)
    }

    /// Bytes held, without what is shared with other provers.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes + self.unseen.bytes()
    }

    /// The level of a position: the first at which it is won.
    pub(super) fn level(&self, (key, place): &Spot) -> u8 {
        let node = self.nodes.get(key);
        for level in 0..LEVELS {
            let won = match node.and_then(|n| n.sets[level].as_ref()) {
                Some(sets) => sets.has(key, place),
                None => self.unseen.is_won(key, place, level),
            };
            if won {
                return level as u8;
            }
        }
        GIVEN_UP
    }

    /// The level of what a move leads to outside the slice.
    pub(super) fn goal_level(&self, goal: &Goal) -> u8 {
        match goal {
            Goal::All(list) => list.iter().flatten().map(|s| self.level(s)).max().unwrap_or(0),
            Goal::Any(list) => {
                list.iter().flatten().map(|s| self.level(s)).min().unwrap_or(GIVEN_UP)
            }
            Goal::Here(_) | Goal::Beyond => GIVEN_UP,
        }
    }

    /// Whether a legal position is proved won.
    pub(super) fn is_won(&self, key: &Key, place: &Place) -> bool {
        let sets = self.nodes.get(key).and_then(|node| node.sets[0].as_ref());
        sets.is_some_and(|sets| sets.has(key, place))
    }

    /// Whether a child has changed since the slice was solved for wins or (`hold`) for holds.
    pub(super) fn is_stale(&self, key: &Key, hold: bool) -> bool {
        let Some(node) = self.nodes.get(key) else { return true };
        let (since, levels) =
            if hold { (node.solved[UPPER], ALL) } else { (node.solved[0], LEVELS) };
        since == 0
            || node.children.iter().any(|child| {
                self.nodes
                    .get(child)
                    .is_some_and(|c| c.changed[..levels].iter().any(|&t| t > since))
            })
    }

    /// Whether more is proved of a child than when the slice was solved.
    fn has_news(&self, node: &Node) -> bool {
        let since = node.solved[0];
        let newer = |child: &Key| self.nodes.get(child).is_some_and(|c| c.changed[0] > since);
        since == 0 || node.children.iter().any(newer)
    }

    /// Keeps the sets of a level, and notes whether they have changed. What is proved to be held stays
    /// so, though a solution that gives more up does not find it again: what other slices have proved rests
    /// on it, and their strategies lead through it.
    pub(super) fn put(&mut self, node: &mut Node, level: usize, mut sets: Sets) {
        if level == UPPER
            && let Some(known) = &node.sets[level]
        {
            sets.narrow(known);
        }
        if node.sets[level].as_deref() != Some(&sets) {
            if node.sets[level].is_none() {
                self.bytes += sets.bytes();
            }
            node.sets[level] = Some(Arc::new(sets));
            node.changed[level] = self.clock;
        }
        node.solved[level] = self.clock;
    }

    /// Has small slices read from tables at hand. What is at hand already stays as it is.
    pub(super) fn read_from(&mut self, tables: &Arc<Tables>) {
        self.tables = Some(Arc::clone(tables));
    }

    /// Has small slices that no table at hand knows read from a witness.
    pub(super) fn cite(&mut self, witness: &Arc<dyn Witness>, attacker: Side) {
        self.witness = Some((Arc::clone(witness), attacker));
    }

    /// A slice as tables or the witness know it.
    pub(super) fn read(&self, key: &Key) -> Option<Sets> {
        let by_tables = self.tables.as_ref().and_then(|tables| read(key, tables));
        let witness = self.witness.as_ref();
        by_tables.or_else(|| witness.and_then(|(w, side)| witness::read(key, *side, w.as_ref())))
    }

    /// What a table at hand knows of a position.
    pub(super) fn tabled(&self, board: &Board) -> Option<Value> {
        let few = board.chess().board().occupied().count() <= MAX_MEN;
        self.tables.as_ref().filter(|_| few)?.probe(board).ok().flatten()
    }

    pub(super) fn insert(&mut self, key: &Key, node: Node) {
        self.bytes += 400;
        self.count[key.kind()] += 1;
        self.pawns.insert([key.ours, key.theirs]);
        self.nodes.insert(*key, node);
    }

    /// Takes a slice in.
    pub(super) fn add(&mut self, key: &Key) {
        self.refresh(key);
        if self.knows(key) {
            return;
        }
        let shared = match self.read(key) {
            Some(sets) => Shared {
                sets: Arc::new(sets),
                children: Arc::default(),
                stuck: Arc::default(),
                exact: true,
            },
            None => {
                let sets = Sets::nothing(key);
                let stuck = stalemates(key, &sets.open).into();
                let children = children(key).into();
                Shared { sets: Arc::new(sets), children, stuck, exact: false }
            }
        };
        self.bytes += if self.common.is_none() { shared.sets.bytes() } else { 0 };
        // What is read is known better than it was guessed; of others nothing is known yet.
        self.clock += 1;
        let mut node = Node::new(shared, self.clock);
        if !node.exact {
            node.changed[0] = 0;
        } else if let Some(common) = &self.common {
            node.hand_in(key, common, self.clock);
        }
        self.insert(key, node);
    }

    /// Solves a slice at hand at levels up to where all of `wanted` are won, at least the first
    /// two; ranks are in the log afterwards, from level 1 on.
    pub(super) fn solve(&mut self, key: &Key, wanted: &[Place]) {
        if key.is_vast() {
            return self.solve_once(key, 0);
        }
        if self.nodes.get(key).is_some_and(|node| node.exact) {
            return;
        }
        if self.common.is_some() {
            let children = Arc::clone(&self.nodes[key].children);
            children.iter().for_each(|child| self.refresh(child));
        }
        let mut node = self.nodes.remove(key).expect("taken in before");
        self.solves[key.kind()] += 1;
        self.clock += 1;
        let mut exits_of = std::mem::take(&mut self.exits);
        let mut log = std::mem::take(&mut self.log);
        log.reset(key.rows());
        self.starts = [[u32::MAX / 4; CLASSES]; PHASES.len()];
        let mut sets = node.lower(key);
        for (phase, (level, bold)) in PHASES.into_iter().enumerate() {
            if level == 0 && !self.has_news(&node) {
                node.solved[0] = self.clock;
                continue;
            }
            // Officers are given up for pawns alone where the defender has none.
            if bold == Bold::Keeping && key.kind() != 1 {
                continue;
            }
            let library = Level { store: self, level, bold, large: key.is_large() };
            exits(key, &node.stuck, &library, &mut exits_of);
            for class in 0..CLASSES {
                self.starts[phase][class] = log.step;
                if class > 0 {
                    exits_of.admit(class - 1);
                }
                let apart = level > 0 && (key.is_large() || class > 0);
                if apart || class + 1 == CLASSES {
                    close(key, &mut exits_of, &mut sets, &mut log);
                }
            }
            if bold < Bold::Giving {
                continue;
            }
            if level == 0 {
                log.reset(key.rows());
            }
            self.put(&mut node, level, sets.clone());
            if let Some(common) = self.common.as_ref().filter(|_| level == 0) {
                node.hand_in(key, common, self.clock);
            }
            let is_enough = wanted.iter().all(|p| sets.has(key, p));
            if is_enough && (level > 0 || node.sets[1].is_some()) {
                if level == 0 {
                    // What is guessed only has to be no less than what is proved.
                    self.lift(&mut node, &sets);
                }
                break;
            }
        }
        self.exits = exits_of;
        self.log = log;
        self.nodes.insert(*key, node);
    }

    /// Adds what is proved of a slice to what is guessed of it.
    fn lift(&self, node: &mut Node, proved: &Sets) {
        for level in 1..LEVELS {
            let Some(guessed) = node.sets[level].as_ref() else { continue };
            if !proved.is_within(guessed) {
                node.sets[level] = Some(Arc::new(guessed.joined(proved)));
                node.changed[level] = self.clock;
            }
        }
    }

    /// The ranks of the lowest level, solved once more, for the strategy.
    ///
    /// # Panics
    /// If the slice is not at hand.
    pub(super) fn ranks(&self, key: &Key) -> Log {
        self.ranked(key).0
    }

    /// The same, with the positions from which an exit wins.
    ///
    /// # Panics
    /// If the slice is not at hand.
    pub(super) fn ranked(&self, key: &Key) -> (Log, Vec<u64>) {
        let mut exits_of = Exits::default();
        let library = self.proved(key);
        exits(key, &self.nodes[key].stuck, &library, &mut exits_of);
        let (_, ranks, wins) = exits_of.ranked(key);
        (ranks, wins)
    }

    /// What is proved of slices, as a slice reads it.
    pub(super) fn proved(&self, key: &Key) -> Level<'_> {
        Level { store: self, level: 0, bold: Bold::Giving, large: key.is_large() }
    }
}
