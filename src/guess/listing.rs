//! A restricted game, listed breadth first, with wins and refutations propagated at once.
//!
//! Two kinds of nodes: positions with the attacker to move, kept in 24 bytes to be taken up again;
//! positions after its moves, kept as a key and two counters. A position of the attacker's is won
//! when one of its moves is, and a move when every reply to it leads to a won position (the least
//! fixpoint of the attractor, computed while the graph grows). A position is refuted when all its
//! moves are. What is neither when nothing is left to list is a draw of the restricted game: a
//! statement about the restriction, never about the position.
//!
//! Memory: about 33 bytes a position, 8 a move, 8 an edge and 17 a key in each of two tables; 100
//! to 200 bytes a position in all. Speed: 0.2 to 0.6 million positions a second.
//!
//! # References
//! * W. F. Dowling, J. H. Gallier, *Linear-time algorithms for testing the satisfiability of
//!   propositional Horn formulae*, 1984 (counters and back edges).
//! * X. Liu, S. A. Smolka, *Simple linear-time algorithms for minimal fixed points*, 1998 (on the
//!   fly).

use super::graph::{Fate, Own, Play, State, follow};
use super::key::{KeyMap, arrival, is_plain, key_after, key_of};
use super::restriction::Restriction;
use super::small::Small;
use crate::aim::Goal;
use crate::chess::Side;
use crate::chess::board::{Board, ChessMove};
use crate::limits::{Budget, StopReason};
use crate::search::LeafTables;
use std::collections::HashMap;
use std::sync::Arc;

mod propagate;
mod spread;

/// In the table of moves: a move that the restriction leaves out.
const LEFT_OUT: u32 = u32::MAX - 1;
/// Positions listed between two looks at the budget.
const PATIENCE: u32 = 128;
/// What a position of a small search costs, in positions stored.
const SMALL_COST: usize = 3;
/// What it takes in time, in positions listed.
const SMALL_TIME: u64 = 2;
/// So many moves and replies made cost as much as a position of a long mate.
pub(super) const MADE: u64 = 60;
/// Moves that are followed at a time where the listing widens, at first.
const WIDTH: usize = 2;

/// What the owner of the moves is after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Quest {
    /// To mate.
    Mate,
    /// Never to be mated, and never to fall below this balance of material, in pawns: positions
    /// below it are given up, which only restricts its own choice.
    Hold(i32),
}

/// How a turn of listing ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The root is won.
    Won,
    /// Nothing is left to list, and the root is not won.
    Refuted,
    /// As many positions are stored as were allowed.
    Full,
    /// The budget has ended.
    Stopped(StopReason),
}

/// The restricted game as far as it is listed.
#[derive(Debug)]
pub(super) struct Listing {
    pub(super) rules: Restriction,
    /// The side whose moves are restricted: the one that is to mate, or to hold.
    pub(super) attacker: Side,
    quest: Quest,
    /// What must hold after each of its moves, if a person has said so.
    pub(super) keep: Option<Arc<Goal>>,
    /// Positions that must all be won.
    pub(super) roots: Vec<u32>,
    /// Whether the moves of the roots are exempt from the rules on the move itself.
    exempt: bool,
    pub(super) own: Vec<Own>,
    pub(super) plays: Vec<Play>,
    /// Edges from a reply's position back to the move: (move, next edge of the same position).
    pub(super) replied: Vec<[u32; 2]>,
    /// Edges from a move back to the positions that have it: (position, next edge).
    pub(super) played: Vec<[u32; 2]>,
    own_keys: KeyMap,
    play_keys: KeyMap,
    /// The first position that may wait to be listed.
    cursor: u32,
    /// Positions whose first moves have failed, to be widened.
    again: Vec<u32>,
    /// Moves that a widened position follows at a time.
    width: usize,
    /// Moves tried in widened positions.
    tried: HashMap<u32, u8>,
    /// Tables that decide positions of few men, and what they may cost.
    pub(super) tables: Option<LeafTables>,
    budget: Option<Budget>,
    /// What exits have come to.
    exits: HashMap<u64, Option<u16>>,
    small: Small,
    /// The moves of the position being listed, their keys and numbers.
    keyed: Vec<(ChessMove, u64, Option<u32>)>,
    /// Wins to be propagated: positions.
    won: Vec<u32>,
    /// Refuted positions to be propagated.
    lost: Vec<u32>,
    /// No position with so many moves of the attacker behind it is listed further.
    deepest: u16,
    /// Whether won positions are listed on, for shorter ways.
    thorough: bool,
    /// Positions listed.
    pub(super) listed: u64,
    /// Moves and replies made.
    made: u64,
}

impl Listing {
    /// The restricted game from a position, nothing listed yet.
    pub(super) fn new(root: &Board, attacker: Side, quest: Quest, rules: Restriction) -> Self {
        let mut listing = Self {
            rules,
            attacker,
            quest,
            keep: None,
            roots: Vec::new(),
            exempt: quest == Quest::Mate && root.side_to_move() == attacker,
            own: Vec::new(),
            plays: Vec::new(),
            replied: Vec::new(),
            played: Vec::new(),
            own_keys: KeyMap::default(),
            play_keys: KeyMap::default(),
            cursor: 0,
            again: Vec::new(),
            width: if quest == Quest::Mate { WIDTH } else { 1 },
            tried: HashMap::new(),
            tables: None,
            budget: None,
            exits: HashMap::new(),
            small: Small::new(attacker),
            keyed: Vec::new(),
            won: Vec::new(),
            lost: Vec::new(),
            deepest: u16::MAX,
            thorough: false,
            listed: 0,
            made: 0,
        };
        if root.side_to_move() == attacker {
            let id = listing.intern(root, key_of(root), 0, false);
            listing.roots.push(id);
        } else {
            for reply in root.legal_moves() {
                let next = root.after(reply);
                let id = listing.intern(&next, key_of(&next), 0, false);
                listing.roots.push(id);
            }
        }
        listing
    }

    /// The same game with one rule more: after each of the owner's moves, the first one too, the goal
    /// holds. No lesson takes that back.
    pub(super) fn keeping(self, keep: Option<Arc<Goal>>) -> Self {
        // Small searches know nothing of it.
        let rules = match keep {
            Some(_) => Restriction { exits: 0, look: 0, ..self.rules },
            None => self.rules,
        };
        Self { keep, rules, ..self }
    }

    /// The same game in which tables tell a holder what positions of few men are worth.
    pub(super) fn ended_by(self, tables: Option<LeafTables>) -> Self {
        Self { tables, ..self }
    }

    /// The same game listed for shorter wins: breadth first to so many moves of the attacker, won
    /// positions too.
    pub(super) fn thorough(root: &Board, attacker: Side, rules: Restriction, moves: u16) -> Self {
        let mut listing =
            Self::new(root, attacker, Quest::Mate, Restriction { widens: false, ..rules });
        listing.thorough = true;
        listing.limit(moves);
        listing
    }

    /// From now on only wins in fewer moves than so many are looked for. (A position one move from
    /// mate is seen when it is stored.)
    pub(super) fn limit(&mut self, moves: u16) {
        self.deepest = moves.saturating_sub(2);
    }

    /// Whether a reply that breaks a rule has been found to lose.
    pub(super) fn exit_loses(&self, next: &Board, reply: &ChessMove) -> bool {
        !self.exits.is_empty()
            && matches!(self.exits.get(&key_of(&next.after(*reply))), Some(Some(_)))
    }

    /// Whether the owner is to hold.
    pub(super) fn is_hold(&self) -> bool {
        self.quest != Quest::Mate
    }

    /// Whether the owner is to move at the root of a game for mate.
    pub(super) fn starts(&self) -> bool {
        self.exempt
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        let vectors = self.own.capacity() * size_of::<Own>()
            + self.plays.capacity() * size_of::<Play>()
            + (self.replied.capacity() + self.played.capacity()) * 8
            + self.exits.capacity() * 16;
        vectors as u64 + self.own_keys.bytes() + self.play_keys.bytes()
    }

    /// Positions stored, those of small searches counted by what they cost.
    pub(super) fn work(&self) -> usize {
        self.own.len() + self.small.expanded as usize * SMALL_COST
    }

    /// What the listing has cost, in positions listed where men have few moves: where they have many
    /// a position costs many times as much, and small searches take time and no memory.
    pub(super) fn cost(&self) -> u64 {
        self.listed.max(self.made / MADE) + self.small.expanded * SMALL_TIME
    }

    /// Moves of the attacker down to where the listing is now: to the last position listed or passed over
    /// that is not known to be won (of such a one the plies to mate are kept instead).
    pub(super) fn depth(&self) -> u16 {
        let before = self.own[..self.cursor as usize].iter().rev();
        let mut open = before.filter(|own| own.state != State::Known);
        open.next().map_or(0, |own| own.depth)
    }

    /// Whether all roots are won.
    pub(super) fn is_won(&self) -> bool {
        let won = |&id: &u32| matches!(self.own[id as usize].state, State::Won | State::Known);
        self.roots.iter().all(won)
    }

    /// Lists on until the root is won, nothing is left, `positions` are stored, or the budget ends.
    /// A thorough listing does not end at a win.
    pub(super) fn run(&mut self, positions: usize, budget: &Budget, held: u64) -> End {
        let mut patience = 0;
        self.budget = self.tables.is_some().then(|| budget.clone());
        loop {
            if self.is_won() && !self.thorough {
                return End::Won;
            }
            if self.roots.iter().any(|&id| self.own[id as usize].state == State::Lost) {
                return End::Refuted;
            }
            if self.work() >= positions {
                return End::Full;
            }
            if patience == 0 {
                patience = PATIENCE;
                if let Err(stop) = budget.check(self.listed, held + self.bytes()) {
                    return End::Stopped(stop);
                }
            }
            patience -= 1;
            let Some(id) = self.next() else {
                let held = self.quest != Quest::Mate;
                return if held || self.is_won() { End::Won } else { End::Refuted };
            };
            self.listed += 1;
            if self.rules.widens {
                self.widen(id)
            } else {
                self.spread(id)
            }
            self.propagate();
        }
    }

    /// The next position worth listing.
    fn next(&mut self) -> Option<u32> {
        while let Some(id) = self.again.pop() {
            let waits = matches!(self.own[id as usize].state, State::Open | State::Spread);
            if waits && self.is_wanted(id) {
                return Some(id);
            }
        }
        while (self.cursor as usize) < self.own.len() {
            let id = self.cursor;
            self.cursor += 1;
            let own = &self.own[id as usize];
            if own.state == State::Open && own.depth < self.deepest && self.is_wanted(id) {
                return Some(id);
            }
        }
        self.missed().or_else(|| {
            let mates = self.quest == Quest::Mate;
            if self.rules.widens && mates { self.widest() } else { None }
        })
    }

    /// Positions that nothing led to when their turn came, and something does now.
    fn missed(&mut self) -> Option<u32> {
        self.again = (0..self.own.len() as u32)
            .rev()
            .filter(|&id| {
                let own = &self.own[id as usize];
                own.state == State::Open && own.depth < self.deepest && self.is_wanted(id)
            })
            .collect();
        self.again.pop()
    }

    /// Nothing is left to list with so few moves: every position gets some more.
    fn widest(&mut self) -> Option<u32> {
        self.width = self.width.saturating_mul(2);
        let open = |own: &Own| own.state == State::Spread;
        self.again = (0..self.own.len() as u32)
            .rev()
            .filter(|&id| open(&self.own[id as usize]))
            .filter(|id| self.tried.get(id).is_some_and(|&tried| tried != u8::MAX))
            .filter(|&id| self.is_wanted(id))
            .collect();
        self.again.pop()
    }

    /// Whether a move that may still win has a reply that leads here.
    fn is_wanted(&self, id: u32) -> bool {
        if self.roots.contains(&id) {
            return true;
        }
        let open = |id: u32| matches!(self.own[id as usize].state, State::Open | State::Spread);
        self.parents(id).any(|play| match self.plays[play as usize].fate {
            Fate::Dead => false,
            _ if self.thorough => true,
            Fate::Won => false,
            Fate::Live => self.owners(play).any(open),
        })
    }

    /// The moves that a reply leads here from.
    pub(super) fn parents(&self, id: u32) -> impl Iterator<Item = u32> {
        follow(&self.replied, self.own[id as usize].parents)
    }

    /// The positions that have this move.
    pub(super) fn owners(&self, play: u32) -> impl Iterator<Item = u32> {
        follow(&self.played, self.plays[play as usize].owners)
    }

    /// The board of a position.
    pub(super) fn board(&self, id: u32) -> Board {
        self.own[id as usize].place.board(self.attacker == Side::White)
    }

    /// The number of a position with the attacker to move, if it is stored.
    pub(super) fn find(&self, board: &Board) -> Option<u32> {
        self.own_keys.get(key_of(board))
    }

    /// Whether the move with this key is stored and kept.
    pub(super) fn keeps(&self, play_key: u64) -> bool {
        self.play_keys.get(play_key).is_some_and(|number| number != LEFT_OUT)
    }

    /// The number of a move from a position, if it is stored.
    pub(super) fn find_play(&self, board: &Board, m: &ChessMove) -> Option<u32> {
        let number = self.play_keys.get(self.play_key(board, key_of(board), m))?;
        (number != LEFT_OUT).then_some(number)
    }

    pub(super) fn play_key(&self, board: &Board, key: u64, m: &ChessMove) -> u64 {
        let kept = is_plain(board.chess()).then(|| key_after(key, self.attacker, m)).flatten();
        let next = kept.unwrap_or_else(|| key_of(&board.after(*m)));
        if self.rules.tells_arrivals() { next ^ arrival(m.to()) } else { next }
    }

    /// What is wrong with a move from a position, the exemption of the first move observed.
    pub(super) fn wrong_with_move(
        &self,
        id: u32,
        board: &Board,
        m: &ChessMove,
    ) -> Option<super::restriction::Atom> {
        let exempt = self.exempt && self.roots.contains(&id);
        if exempt { None } else { self.rules.wrong_with_move(board, m) }
    }
}
