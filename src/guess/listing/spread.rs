//! Listing a position: which of its moves are kept, and where the replies lead.

use super::super::compact::Compact;
use super::super::graph::{Fate, NO, Own, Play, State};
use super::super::key::{is_plain, key_after, key_of};
use super::super::sight::at_sight;
use super::{LEFT_OUT, Listing, Quest};
use crate::chess::Outcome;
use crate::chess::board::{Board, ChessMove, MoveList};
use crate::search::mate_in_one;

impl Listing {
    /// Lists all moves of a position.
    pub(super) fn spread(&mut self, id: u32) {
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
    pub(super) fn widen(&mut self, id: u32) {
        let board = self.board(id);
        let key = key_of(&board);
        let depth = self.own[id as usize].depth + 1;
        self.own[id as usize].state = State::Spread;
        let mut moves = Vec::new();
        for m in board.legal_moves() {
            if self.wrong_with_move(id, &board, &m).is_none() {
                let next = board.after(m);
                let replies = next.legal_moves();
                self.made += 1 + replies.len() as u64;
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
        if self.rules.wrong_with_number(replies).is_some() {
            return false;
        }
        let exits = usize::from(self.rules.exits);
        let wrong = self.rules.judged(next, m.to(), replies).filter(|(_, wrong)| wrong.is_some());
        wrong.take(exits + 1).count() <= exits
    }

    /// A position without a move that may win is refuted, unless it has moves that were not tried.
    pub(super) fn conclude(&mut self, id: u32) {
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
        if fate == Fate::Won && matches!(own.state, State::Open | State::Spread) {
            own.state = State::Won;
            self.won.push(id);
        }
        fate == Fate::Won
    }

    /// Stores a move and the positions after the replies to it.
    fn new_play(&mut self, board: &Board, m: ChessMove, depth: u16) -> u32 {
        let next = board.after(m);
        let replies = next.legal_moves();
        self.made += 1 + replies.len() as u64;
        if !self.is_kept(&next, &m, &replies) || !self.all_exits_lose(&next, &m, &replies) {
            return LEFT_OUT;
        }
        // A win that is still to be carried must not count for this move a second time.
        self.carry_wins();
        let id = self.plays.len() as u32;
        if self.quest != Quest::Mate && next.has_bare_king(self.attacker.other()) {
            self.plays.push(Play { owners: NO, waiting: 0, replies: 0, fate: Fate::Won });
            return id;
        }
        let plain = is_plain(next.chess());
        let key = key_of(&next);
        let (them, first) = (self.attacker.other(), self.replied.len());
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
                    let found = self.mates(&after, rules.exit_search);
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

    /// Plies to mate at most by a small search of so many positions; with none, whether the next move mates.
    fn mates(&mut self, board: &Board, positions: u16) -> Option<u16> {
        match positions {
            0 => mate_in_one(board.chess()).map(|_| 1),
            _ => self.small.mates(board, positions),
        }
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

    /// What tables say of a position to its holder.
    fn told(&self, board: &Board) -> Option<State> {
        let (tables, budget) = (self.tables.as_ref()?, self.budget.as_ref()?);
        let lost = Outcome::Wins(self.attacker.other());
        let is_lost = tables.probe(budget, board)?.outcome() == lost;
        Some(if is_lost { State::Lost } else { State::Known })
    }

    /// Stores a position with the attacker to move.
    pub(super) fn intern(&mut self, board: &Board, key: u64, depth: u16, look: bool) -> u32 {
        if let Quest::Hold(floor) = self.quest {
            let state = self.told(board).unwrap_or_else(|| at_sight(board, self.attacker, floor));
            return self.push(board, key, depth, state);
        }
        if look
            && self.keep.is_none()
            && let Some(plies) = self.mates(board, self.rules.look)
        {
            return self.push(board, key, plies, State::Known);
        }
        self.push(board, key, depth, State::Open)
    }
}
