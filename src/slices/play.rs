//! The moves of a strategy, read off solved slices.
//!
//! A winner plays to the lowest rank inside a slice, or an exit that is won. A holder may play any
//! move after which the opponent is proved not to win.

use super::bits::Officer;
use super::key::{Key, Place};
use super::moves::{Goal, Spot, Step, steps};
use super::rows::Log;
use super::store::Store;
use crate::chess::board::{Board, BySide, ChessMove, Position as _, move_of};
use crate::chess::{Move, Packed, Side, Value};
use crate::limits::{Budget, StopReason};
use hashbrown::HashMap;

/// What the slices have to say of a position for one attacker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    Won,
    Held,
    Nothing,
}

/// What is proved of a position, whether a pawn may be taken en passant or not: `store` knows wins,
/// `holds` holds.
pub(super) fn said(store: &Store, holds: &Store, board: &Board, attacker: Side) -> Said {
    let ends = board.legal_moves();
    if ends.is_empty() {
        let mated = board.in_check() && board.side_to_move() != attacker;
        return if mated { Said::Won } else { Said::Held };
    }
    let takes = ends.iter().filter(|m| m.is_en_passant());
    let taken: Vec<Said> = takes.map(|&m| said(store, holds, &board.after(m), attacker)).collect();
    // A position whose only moves are captures en passant is no stalemate.
    let plain =
        if taken.len() < ends.len() { Some(quiet(store, holds, board, attacker)) } else { None };
    let mut all = taken.into_iter().chain(plain);
    let (one, every) = if board.side_to_move() == attacker {
        (Said::Won, Said::Held)
    } else {
        (Said::Held, Said::Won)
    };
    let mut whole = true;
    for value in &mut all {
        if value == one {
            return one;
        }
        whole &= value == every;
    }
    if whole { every } else { Said::Nothing }
}

/// The same with rights to capture en passant left out.
fn quiet(store: &Store, holds: &Store, board: &Board, attacker: Side) -> Said {
    if board.chess().board().men_of(attacker).count() == 1 {
        return Said::Held;
    }
    if let Some(value) = store.tabled(board) {
        let won = matches!(value, Value::Wins(side, _) if side == attacker);
        return if won { Said::Won } else { Said::Held };
    }
    for (key, place) in Key::readings(board, attacker) {
        if store.is_won(&key, &place) {
            return Said::Won;
        }
        if holds.is_held(&key, &place) {
            return Said::Held;
        }
    }
    // With an officer of its own the defender may be proved to win.
    match Key::of(board, attacker.other()) {
        Some((key, place)) if holds.is_won(&key, &place) => Said::Held,
        _ => Said::Nothing,
    }
}

/// The plies in which a win is taken to end that no table knows: it is preferred to those that tables
/// know to be long, for the strategy of a long win leads through the better part of its table.
const USUAL: u32 = 60;

/// Plays won positions. Keeps the ranks of slices that it has met, within a limit of bytes.
#[derive(Debug)]
pub struct Winner<'a> {
    store: &'a Store,
    attacker: Side,
    /// The ranks of slices met lately, and before that.
    logs: [HashMap<Key, Log>; 2],
    /// Those of slices with three officers, which take seconds: they are not given up.
    vast: HashMap<Key, Log>,
    /// Plies to mate by this play, of positions with the winner to move.
    plies: HashMap<Packed, u32>,
    /// Bytes of each of the two, and what they may take together.
    bytes: [u64; 2],
    most: u64,
}

impl<'a> Winner<'a> {
    pub(super) fn new(store: &'a Store, side: Side, most: u64) -> Self {
        let logs = [HashMap::new(), HashMap::new()];
        let (vast, plies) = (HashMap::new(), HashMap::new());
        Self { store, attacker: side, logs, vast, plies, bytes: [0; 2], most }
    }

    /// Whose wins are played.
    pub(super) fn side(&self) -> Side {
        self.attacker
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.bytes.iter().sum::<u64>() + self.vast.values().map(Log::bytes).sum::<u64>()
    }

    /// The winner's move; none where it is not proved to win, or is not to move. A slice that has
    /// not been met is solved once more, 0.1 to 1 ms.
    pub fn play(&mut self, board: &Board) -> Option<Move> {
        if board.side_to_move() != self.attacker {
            return None;
        }
        if let Some(value @ Value::Wins(side, _)) = self.store.tabled(board) {
            return if side == self.attacker { self.shortest(board, value) } else { None };
        }
        let wins = |m: &ChessMove| {
            said(self.store, self.store, &board.after(*m), self.attacker) == Said::Won
        };
        if board.has_mark()
            && let Some(m) = board.legal_moves().iter().find(|m| m.is_en_passant() && wins(m))
        {
            return Some(move_of(m));
        }
        // Of several readings the first that wins is followed, so that play never goes back from it to
        // the other. The ranks know more than the sets, if slices that exits lead to have changed.
        let readings = Key::readings(board, self.attacker);
        let mut known = readings.into_iter().filter(|(key, _)| self.store.knows(key)).peekable();
        if known.peek().is_some() {
            let step = known.find_map(|(key, place)| self.step(board, &key, &place))?;
            Some(written(&step, self.attacker))
        } else {
            // The defender has a new officer, which is taken at once.
            let mut moves = board.legal_moves();
            moves.sort_by_key(|m| !m.is_capture());
            moves.iter().find(|m| wins(m)).map(move_of)
        }
    }

    /// The move of the shortest mate, as tables know it, in a position of so much value.
    fn shortest(&self, board: &Board, value: Value) -> Option<Move> {
        let leads = |m: &&ChessMove| {
            self.store.tabled(&board.after(**m)).is_some_and(|after| after.before() == value)
        };
        board.legal_moves().iter().find(leads).map(move_of)
    }

    /// The plies to mate at most by this play, over every reply; none where the position is not
    /// proved to be won. Every position that can come about is played once, a few microseconds
    /// each.
    ///
    /// # Errors
    /// The end of the budget.
    pub fn plies(&mut self, board: &Board, budget: &Budget) -> Result<Option<u32>, StopReason> {
        let moves = board.legal_moves();
        if moves.is_empty() {
            let mated = board.in_check() && board.side_to_move() != self.attacker;
            return Ok(mated.then_some(0));
        }
        if board.side_to_move() != self.attacker {
            let mut most = 0;
            for m in moves {
                match self.plies(&board.after(m), budget)? {
                    Some(plies) => most = most.max(plies + 1),
                    None => return Ok(None),
                }
            }
            return Ok(Some(most));
        }
        let packed = board.packed();
        if let Some(&plies) = self.plies.get(&packed) {
            return Ok(Some(plies));
        }
        if self.plies.len().is_multiple_of(1 << 10) {
            budget.check(self.plies.len() as u64, self.bytes() + 40 * self.plies.len() as u64)?;
        }
        let next = self.play(board).and_then(|play| Some(board.after(board.find(play)?)));
        let Some(next) = next else { return Ok(None) };
        let plies = self.plies(&next, budget)?.map(|plies| plies + 1);
        if let Some(plies) = plies {
            self.plies.insert(packed, plies);
        }
        Ok(plies)
    }

    /// The move inside a slice, or out of it where that is proved to win.
    fn step(&mut self, board: &Board, key: &Key, place: &Place) -> Option<Step> {
        let mut list = Vec::new();
        steps(key, place, &mut list);
        let exit = |s: &&Step| match &s.goal {
            Goal::Here(_) | Goal::Beyond => false,
            goal => self.store.goal_level(goal) == 0,
        };
        let after = |step: &&Step| (self.plies_after(board, step), worst(&step.goal));
        if let Some(step) = list.iter().filter(exit).min_by_key(after) {
            return Some(*step);
        }
        let log = self.log(key);
        let rank = |step: &Step| match &step.goal {
            // The ranks know more than the set, if slices that exits lead to have changed since.
            Goal::Here(next) => {
                let (row, square) = key.index(next);
                Some(log.rank(row, square)).filter(|&rank| rank > 0)
            }
            _ => None,
        };
        list.iter().filter_map(|s| Some((rank(s)?, s))).min_by_key(|(r, _)| *r).map(|(_, s)| *s)
    }

    /// The plies to mate after a move, as tables know them; where they do not, [`USUAL`].
    fn plies_after(&self, board: &Board, step: &Step) -> u32 {
        let found = board.find(written(step, self.attacker));
        match found.and_then(|m| self.store.tabled(&board.after(m))) {
            Some(Value::Wins(side, plies)) if side == self.attacker => plies,
            _ => USUAL,
        }
    }

    /// The ranks of a slice. When they take half of what they may, those met before the last time
    /// that they did are given up: play goes to and fro between slices.
    fn log(&mut self, key: &Key) -> &Log {
        if key.is_vast() {
            let make = || self.store.ranks(key);
            return self.vast.entry(*key).or_insert_with(make);
        }
        let [lately, before] = &mut self.logs;
        if !lately.contains_key(key) {
            let kept = before.remove(key);
            self.bytes[1] -= kept.as_ref().map_or(0, Log::bytes);
            if self.bytes[0] > self.most / 2 {
                *before = std::mem::take(lately);
                self.bytes = [0, self.bytes[0]];
            }
            let log = kept.unwrap_or_else(|| self.store.ranks(key));
            self.bytes[0] += log.bytes();
            lately.insert(*key, log);
        }
        &self.logs[0][key]
    }
}

/// A step with colours as they are on the board.
pub(super) fn written(step: &Step, attacker: Side) -> Move {
    let turn = if attacker == Side::White { 0 } else { 56 };
    let promotion = match step.promotion {
        Officer::None => 0,
        Officer::Queen => 2,
        Officer::Rook => 3,
        Officer::Bishop | Officer::OddBishop => 4,
        Officer::Knight => 5,
    };
    Move::new(step.from ^ turn, step.to ^ turn, promotion)
}

/// How much is left to be won after a move, at most: the defender's officers, its pawns, the attacker's
/// officers.
pub(super) fn worst(goal: &Goal) -> (usize, u32, usize) {
    let of = |(key, _): &Spot| {
        let defenders = key.movers().filter(|mover| !mover.ours).count();
        (defenders, key.theirs.count_ones(), key.kind())
    };
    match goal {
        Goal::All(list) | Goal::Any(list) => {
            list.iter().flatten().map(of).max().unwrap_or_default()
        }
        Goal::Here(_) | Goal::Beyond => (0, 0, 0),
    }
}

/// The moves after which the attacker is proved not to win.
pub(super) fn holding(store: &Store, holds: &Store, board: &Board, attacker: Side) -> Vec<Move> {
    let held = |m: &&ChessMove| said(store, holds, &board.after(**m), attacker) == Said::Held;
    board.legal_moves().iter().filter(held).map(move_of).collect()
}
