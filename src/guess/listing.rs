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

use super::compact::Compact;
use super::hold::{at_sight, is_bare};
use super::key::{KeyMap, arrival, is_plain, key_after, key_of};
use super::restriction::Restriction;
use super::small::Small;
use crate::aim::Goal;
use crate::chess::board::{Board, ChessMove, Color, MoveList, Position};
use crate::limits::{Budget, StopReason};
use crate::search::mate_in_one;
use std::collections::HashMap;
use std::sync::Arc;

/// The end of a list of edges, and no node.
pub(super) const NO: u32 = u32::MAX;
/// In the table of moves: a move that the restriction leaves out.
const LEFT_OUT: u32 = u32::MAX - 1;
/// Positions listed between two looks at the budget.
const PATIENCE: u32 = 128;
/// Positions of the plain search that an exit has to lose to.
pub(super) const EXIT_SEARCH: u16 = 60;
/// What a position of a small search costs, in positions stored.
const SMALL_COST: usize = 3;
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Waits to be listed.
    Open,
    /// Its moves are listed.
    Spread,
    /// Won by its moves.
    Won,
    /// Won at sight: mate in one, or by a small search. `depth` holds the plies to mate at most.
    Known,
    /// All its moves are refuted.
    Lost,
}

/// A position with the attacker to move: 32 bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Own {
    pub(super) place: Compact,
    /// The list of moves that a reply leads here from.
    parents: u32,
    /// Moves of the attacker from the root; of a position won at sight the plies to mate at most.
    pub(super) depth: u16,
    /// Moves that are not refuted.
    alive: u8,
    pub(super) state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Live,
    Won,
    Dead,
}

/// A position after a move of the attacker's: 8 bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Play {
    /// The list of positions that have this move.
    owners: u32,
    /// Replies that do not lead to a won position yet.
    waiting: u8,
    /// All replies.
    pub(super) replies: u8,
    pub(super) fate: Fate,
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
    pub(super) attacker: Color,
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
}

impl Listing {
    /// The restricted game from a position, nothing listed yet.
    pub(super) fn new(root: &Board, attacker: Color, quest: Quest, rules: Restriction) -> Self {
        let mut listing = Self {
            rules,
            attacker,
            quest,
            keep: None,
            roots: Vec::new(),
            exempt: quest == Quest::Mate && root.chess().turn() == attacker,
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
            exits: HashMap::new(),
            small: Small::new(attacker),
            keyed: Vec::new(),
            won: Vec::new(),
            lost: Vec::new(),
            deepest: u16::MAX,
            thorough: false,
            listed: 0,
        };
        if root.chess().turn() == attacker {
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

    /// The same game listed for shorter wins: breadth first to so many moves of the attacker, won
    /// positions too.
    pub(super) fn thorough(root: &Board, attacker: Color, rules: Restriction, moves: u16) -> Self {
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

    /// Moves of the attacker down to where the listing is now.
    pub(super) fn depth(&self) -> u16 {
        self.own
            .get(self.cursor as usize)
            .map_or(0, |own| if own.state == State::Known { 0 } else { own.depth })
    }

    fn is_won(&self) -> bool {
        let won = |&id: &u32| matches!(self.own[id as usize].state, State::Won | State::Known);
        self.roots.iter().all(won)
    }

    /// Lists on until the root is won, nothing is left, `positions` are stored, or the budget ends.
    /// A thorough listing does not end at a win.
    pub(super) fn run(&mut self, positions: usize, budget: &Budget, held: u64) -> End {
        let mut patience = 0;
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
        self.own[id as usize].place.board(self.attacker == Color::White)
    }

    /// The number of a position with the attacker to move, if it is stored.
    pub(super) fn find(&self, board: &Board) -> Option<u32> {
        self.own_keys.get(key_of(board))
    }

    /// The number of a move from a position, if it is stored.
    pub(super) fn find_play(&self, board: &Board, m: &ChessMove) -> Option<u32> {
        let number = self.play_keys.get(self.play_key(board, key_of(board), m))?;
        (number != LEFT_OUT).then_some(number)
    }

    fn play_key(&self, board: &Board, key: u64, m: &ChessMove) -> u64 {
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

    /// Lists all moves of a position.
    fn spread(&mut self, id: u32) {
        let board = self.board(id);
        let key = key_of(&board);
        let depth = self.own[id as usize].depth + 1;
        self.own[id as usize].state = State::Spread;
        // All keys first, then all look-ups: the processor waits for many at a time.
        let mut keyed = std::mem::take(&mut self.keyed);
        keyed.clear();
        for m in board.legal_moves() {
            if self.wrong_with_move(id, &board, &m).is_none() {
                keyed.push((m, self.play_key(&board, key, &m), None));
            }
        }
        for (_, key, number) in &mut keyed {
            *number = self.play_keys.get(*key);
        }
        for &(m, key, number) in &keyed {
            if self.follow(id, &board, m, key, number, depth) && !self.thorough {
                break;
            }
        }
        self.keyed = keyed;
        self.conclude(id);
    }

    /// Lists the next few moves of a position, those with the fewest replies first.
    fn widen(&mut self, id: u32) {
        let board = self.board(id);
        let key = key_of(&board);
        let depth = self.own[id as usize].depth + 1;
        self.own[id as usize].state = State::Spread;
        let mut moves = Vec::new();
        for m in board.legal_moves() {
            if self.wrong_with_move(id, &board, &m).is_none() {
                let next = board.after(m);
                let replies = next.legal_moves();
                if self.is_kept(&next, &m, &replies) {
                    moves.push((self.promise(&m, &replies), m));
                }
            }
        }
        moves.sort_by_key(|&(promise, _)| promise);
        let before = usize::from(self.tried.get(&id).copied().unwrap_or(0));
        let mut tried = before;
        for &(_, m) in moves.iter().skip(before) {
            tried += 1;
            let key = self.play_key(&board, key, &m);
            if self.follow(id, &board, m, key, self.play_keys.get(key), depth) {
                break;
            }
            if usize::from(self.own[id as usize].alive) >= self.width {
                break;
            }
        }
        self.tried.insert(id, if tried >= moves.len() { u8::MAX } else { tried as u8 });
        self.conclude(id);
    }

    /// What a move is sorted by, the best first: the fewest replies for mates; for holds no captures
    /// and pawn moves while there are others, then the fewest replies, so that men are exchanged or
    /// the opponent is kept in check.
    fn promise(&self, m: &ChessMove, replies: &MoveList) -> (bool, usize) {
        (self.quest != Quest::Mate && m.is_zeroing(), replies.len())
    }

    fn is_kept(&self, next: &Board, m: &ChessMove, replies: &MoveList) -> bool {
        if self.keep.as_ref().is_some_and(|goal| !goal.holds(next)) {
            return false;
        }
        if replies.is_empty() {
            return next.in_check() || self.quest != Quest::Mate;
        }
        let wrong = self.rules.judged(next, m.to(), replies).filter(|(_, wrong)| wrong.is_some());
        wrong.count() <= usize::from(self.rules.exits)
            && self.rules.wrong_with_number(replies).is_none()
    }

    /// A position without a move that may win is refuted, unless it has moves that were not tried.
    fn conclude(&mut self, id: u32) {
        let own = &mut self.own[id as usize];
        if own.state != State::Spread || own.alive > 0 {
            return;
        }
        if self.rules.widens && self.tried.get(&id).is_some_and(|&tried| tried != u8::MAX) {
            self.again.push(id);
            return;
        }
        own.state = State::Lost;
        self.lost.push(id);
    }

    /// Gives a position one of its moves; whether it is won by it.
    fn follow(
        &mut self,
        id: u32,
        board: &Board,
        m: ChessMove,
        key: u64,
        number: Option<u32>,
        depth: u16,
    ) -> bool {
        let play = match number {
            Some(LEFT_OUT) => return false,
            Some(play) => play,
            None => {
                let play = self.new_play(board, m, depth);
                self.play_keys.insert(key, play);
                if play == LEFT_OUT {
                    return false;
                }
                play
            }
        };
        let fate = self.plays[play as usize].fate;
        if fate == Fate::Dead {
            return false;
        }
        let next =
            std::mem::replace(&mut self.plays[play as usize].owners, self.played.len() as u32);
        self.played.push([id, next]);
        let own = &mut self.own[id as usize];
        own.alive += 1;
        if fate == Fate::Won && own.state != State::Won {
            own.state = State::Won;
            self.won.push(id);
        }
        fate == Fate::Won
    }

    /// Stores a move and the positions after the replies to it.
    fn new_play(&mut self, board: &Board, m: ChessMove, depth: u16) -> u32 {
        let next = board.after(m);
        let replies = next.legal_moves();
        if !self.is_kept(&next, &m, &replies) || !self.all_exits_lose(&next, &m, &replies) {
            return LEFT_OUT;
        }
        let id = self.plays.len() as u32;
        if self.quest != Quest::Mate && is_bare(&next, !self.attacker) {
            self.plays.push(Play { owners: NO, waiting: 0, replies: 0, fate: Fate::Won });
            return id;
        }
        let plain = is_plain(next.chess());
        let key = key_of(&next);
        let (them, first) = (!self.attacker, self.replied.len());
        let mut waiting = 0;
        let mut fate = Fate::Live;
        for reply in &replies {
            let kept = plain.then(|| key_after(key, them, reply)).flatten();
            let child = match kept.and_then(|key| self.own_keys.get(key)) {
                Some(child) => child,
                None => {
                    let after = next.after(*reply);
                    let key = kept.unwrap_or_else(|| key_of(&after));
                    match self.own_keys.get(key) {
                        Some(child) => child,
                        None => self.intern(&after, key, depth, true),
                    }
                }
            };
            match self.own[child as usize].state {
                State::Lost => fate = Fate::Dead,
                State::Won | State::Known => {}
                State::Open | State::Spread => waiting += 1,
            }
            self.replied.push([id, child]);
        }
        if fate == Fate::Dead {
            self.replied.truncate(first);
        } else {
            for edge in first..self.replied.len() {
                let child = self.replied[edge][1] as usize;
                self.replied[edge][1] =
                    std::mem::replace(&mut self.own[child].parents, edge as u32);
            }
            if waiting == 0 {
                fate = Fate::Won;
            }
        }
        self.plays.push(Play { owners: NO, waiting, replies: replies.len() as u8, fate });
        id
    }

    /// Whether every reply that breaks a rule loses to a small plain search.
    fn all_exits_lose(&mut self, next: &Board, m: &ChessMove, replies: &MoveList) -> bool {
        if self.rules.exits == 0 {
            return true;
        }
        let rules = self.rules;
        for (reply, wrong) in rules.judged(next, m.to(), replies) {
            if wrong.is_none() {
                continue;
            }
            let after = next.after(*reply);
            let key = key_of(&after);
            let known = match self.exits.get(&key) {
                Some(known) => *known,
                None => {
                    let found = self.small.mates(&after, EXIT_SEARCH);
                    self.exits.insert(key, found);
                    found
                }
            };
            let Some(plies) = known else { return false };
            match self.own_keys.get(key) {
                None => {
                    self.push(&after, key, plies, State::Known);
                }
                Some(id) => self.known(id, plies),
            }
        }
        true
    }

    /// A position stored before turns out to be won.
    fn known(&mut self, id: u32, plies: u16) {
        let own = &mut self.own[id as usize];
        if matches!(own.state, State::Open | State::Spread) {
            (own.state, own.depth) = (State::Known, plies);
            self.won.push(id);
        }
    }

    fn push(&mut self, board: &Board, key: u64, depth: u16, state: State) -> u32 {
        let id = self.own.len() as u32;
        let place = Compact::of(board);
        self.own.push(Own { place, parents: NO, depth, alive: 0, state });
        self.own_keys.insert(key, id);
        id
    }

    /// Stores a position with the attacker to move.
    fn intern(&mut self, board: &Board, key: u64, depth: u16, look: bool) -> u32 {
        if let Quest::Hold(floor) = self.quest {
            return self.push(board, key, depth, at_sight(board, self.attacker, floor));
        }
        if look && self.keep.is_none() {
            let plies = match self.rules.look {
                0 => mate_in_one(board.chess()).map(|_| 1),
                positions => self.small.mates(board, positions),
            };
            if let Some(plies) = plies {
                return self.push(board, key, plies, State::Known);
            }
        }
        self.push(board, key, depth, State::Open)
    }

    /// Carries wins and refutations to all that they decide.
    fn propagate(&mut self) {
        loop {
            if let Some(id) = self.won.pop() {
                self.won_position(id);
            } else if let Some(id) = self.lost.pop() {
                self.lost_position(id);
            } else {
                return;
            }
        }
    }

    fn won_position(&mut self, id: u32) {
        let mut edge = self.own[id as usize].parents;
        while edge != NO {
            let [play, next] = self.replied[edge as usize];
            edge = next;
            let entry = &mut self.plays[play as usize];
            if entry.fate != Fate::Live {
                continue;
            }
            entry.waiting -= 1;
            if entry.waiting > 0 {
                continue;
            }
            entry.fate = Fate::Won;
            let mut owner = entry.owners;
            while owner != NO {
                let [id, next] = self.played[owner as usize];
                owner = next;
                let own = &mut self.own[id as usize];
                if matches!(own.state, State::Spread | State::Open) {
                    own.state = State::Won;
                    self.won.push(id);
                }
            }
        }
    }

    fn lost_position(&mut self, id: u32) {
        let mut edge = self.own[id as usize].parents;
        while edge != NO {
            let [play, next] = self.replied[edge as usize];
            edge = next;
            let entry = &mut self.plays[play as usize];
            if entry.fate != Fate::Live {
                continue;
            }
            entry.fate = Fate::Dead;
            let mut owner = entry.owners;
            while owner != NO {
                let [id, next] = self.played[owner as usize];
                owner = next;
                self.own[id as usize].alive -= 1;
                // A position that is just being listed is concluded at its end.
                self.conclude(id);
            }
        }
    }
}

fn follow(edges: &[[u32; 2]], first: u32) -> impl Iterator<Item = u32> {
    let mut edge = first;
    std::iter::from_fn(move || {
        if edge == NO {
            return None;
        }
        let [to, next] = edges[edge as usize];
        edge = next;
        Some(to)
    })
}
