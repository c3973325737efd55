//! All positions that a holding strategy brings about, breadth first, with every man followed from
//! the root.
//!
//! Which man of the root a man is, is the same on every way to a position unless two of a kind can
//! change places: such men are told together. (The ways from the root make a graph whose loops
//! permute the men; told together are the orbits.)
//!
//! Of positions that have lost all pawns, and with them the fortress of an owner who had some, one of
//! eight images is enough, as in the strategy itself.

use super::Ends;
use crate::certificate::Strategy;
use crate::chess::board::{Bitboard, Board, BySide as _, ChessMove, Position as _, Role};
use crate::chess::{Interner, Side, Turn, cannot_be_mated};
use crate::limits::{Budget, StopReason};
use std::collections::HashMap;

/// Positions between two looks at the budget.
const BETWEEN_CHECKS: usize = 1 << 10;
/// Structures that are asked whether play in them may go on for ever.
const CANDIDATES: usize = 8;
/// The first position has none before it.
const NOTHING: u32 = u32::MAX;
/// Where a row of men is longer than the men that are left.
const NOBODY: u8 = u8::MAX;

/// What stands while a fortress stands: the owner's pawns where they are, and its other men, however
/// they move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Structure {
    pawns: u64,
    officers: [u8; 4],
}

const OFFICERS: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];

impl Structure {
    pub(super) fn of(board: &Board, owner: Side) -> Self {
        let men = board.chess().board();
        let own = men.men_of(owner);
        let officers = OFFICERS.map(|role| (own & men.by_role(role)).count() as u8);
        Self { pawns: (own & men.pawns()).0, officers }
    }
}

/// The squares of a side's men.
pub(super) fn own(board: &Board, side: Side) -> u64 {
    board.chess().board().men_of(side).0
}

/// The man of the root on a square, by the row of all.
pub(super) fn man_on(men: u64, row: &[u8], square: u8) -> u8 {
    row[(men & ((1 << square) - 1)).count_ones() as usize]
}

/// The row of an image.
pub(super) fn turned(row: &[u8], men: u64, turn: Turn) -> Vec<u8> {
    let squares = Bitboard(men).into_iter().map(|square| turn.square(square as u8));
    let mut placed: Vec<(u8, u8)> = squares.zip(row.iter().copied()).collect();
    placed.sort_unstable();
    placed.into_iter().map(|(_, man)| man).collect()
}

/// The positions with the owner to move. About 30 bytes each and one for each of its men.
pub(super) struct Survey<'a> {
    pub(super) strategy: &'a Strategy,
    pub(super) owner: Side,
    positions: Interner,
    /// The position before each, on a shortest way from the root.
    before: Vec<u32>,
    /// For each position a row: for each of the owner's men, in the order of their squares, which
    /// man of the root it is.
    men: Vec<u8>,
    /// Men of the owner's at the root, the length of a row.
    stride: usize,
    /// For each man of the root one that it may change places with, itself at last.
    joined: Vec<u8>,
    /// The structure of each position.
    structures: Vec<u32>,
    known: HashMap<Structure, u32>,
    /// The structures by number, and the positions of each.
    counts: Vec<(Structure, u64)>,
    /// Whether one image stands for all of a position without pawns.
    folds: bool,
    pub(super) ends: Ends,
}

/// Whether one image may stand for all of a position without pawns: where the strategy's answers do,
/// and such a position has another structure than the root.
pub(super) fn may_fold(strategy: &Strategy, root: &Board) -> bool {
    strategy.folded() && Structure::of(root, strategy.owner()).pawns != 0
}

impl<'a> Survey<'a> {
    /// # Errors
    /// The end of the budget.
    pub(super) fn new(
        strategy: &'a Strategy,
        root: &Board,
        folds: bool,
        budget: &Budget,
    ) -> Result<Self, StopReason> {
        let owner = strategy.owner();
        let stride = own(root, owner).count_ones() as usize;
        let mut survey = Self {
            strategy,
            owner,
            positions: Interner::new(root.packed().len()),
            before: Vec::new(),
            men: Vec::new(),
            stride,
            joined: (0..stride as u8).collect(),
            structures: Vec::new(),
            known: HashMap::new(),
            counts: Vec::new(),
            folds,
            ends: Ends::default(),
        };
        let row: Vec<u8> = (0..stride as u8).collect();
        if root.side_to_move() == owner {
            survey.reach(root, NOTHING, &row);
        } else {
            survey.answer_replies(root, NOTHING, &row);
        }
        let mut at = 0;
        while at < survey.positions.len() {
            if at.is_multiple_of(BETWEEN_CHECKS) {
                budget.check(at as u64, survey.bytes())?;
            }
            survey.expand(at as u32);
            at += 1;
        }
        Ok(survey)
    }

    fn bytes(&self) -> u64 {
        self.positions.memory() + (self.men.capacity() + 8 * self.before.capacity()) as u64
    }

    pub(super) fn len(&self) -> usize {
        self.positions.len()
    }

    pub(super) fn board(&self, id: u32) -> Board {
        Board::of_legal(&self.positions.at(id))
    }

    /// The owner's move in a position; none where it is stalemated.
    pub(super) fn play(&self, board: &Board) -> Option<ChessMove> {
        board.find(self.strategy.answer(&board.packed())?.play?)
    }

    /// The men of a position, by the row of all.
    pub(super) fn row(&self, id: u32) -> &[u8] {
        &self.men[id as usize * self.stride..][..self.stride]
    }

    /// The row after a move of the owner's.
    pub(super) fn row_after(&self, row: &[u8], before: &Board, after: &Board) -> Vec<u8> {
        let (old, new) = (own(before, self.owner), own(after, self.owner));
        let king = |board: &Board| board.chess().board().king(self.owner).map_or(0, |s| s as u8);
        let (from, to) = (king(before), king(after));
        let gone = old & !new;
        // Castling moves two men: the king is told from the rook by where it stands.
        let other = (gone & !(1 << from)).trailing_zeros() as u8;
        let man = |square: u8| match (old >> square & 1, square == to) {
            (1, _) => man_on(old, row, square),
            (_, true) => man_on(old, row, from),
            _ => man_on(old, row, other),
        };
        Bitboard(new).into_iter().map(|square| man(square as u8)).collect()
    }

    /// Whether the opponent, to move, can mate no more.
    pub(super) fn is_over(&self, board: &Board) -> bool {
        let few = own(board, self.owner.other()).count_ones() <= 2;
        few && cannot_be_mated(&board.vector(), self.owner)
    }

    fn expand(&mut self, id: u32) {
        let board = self.board(id);
        let Some(legal) = self.play(&board) else {
            self.ends.stalemates += 1;
            return;
        };
        let after = board.after(legal);
        let row = self.row_after(self.row(id), &board, &after);
        self.answer_replies(&after, id, &row);
    }

    /// Takes in what every reply leads to.
    fn answer_replies(&mut self, after: &Board, id: u32, row: &[u8]) {
        let replies = after.legal_moves();
        if replies.is_empty() {
            let end =
                if after.in_check() { &mut self.ends.mates } else { &mut self.ends.stalemates };
            *end += 1;
            return;
        }
        if self.is_over(after) {
            self.ends.harmless += 1;
            return;
        }
        let men = own(after, self.owner);
        for reply in replies {
            let next = after.after(reply);
            if self.strategy.find(&next.packed()).is_none() {
                self.ends.cited += 1;
                continue;
            }
            let left = Bitboard(own(&next, self.owner)).into_iter();
            let row: Vec<u8> = left.map(|square| man_on(men, row, square as u8)).collect();
            self.reach(&next, id, &row);
        }
    }

    fn reach(&mut self, board: &Board, before: u32, row: &[u8]) {
        let packed = board.packed();
        let folded = self.folds && board.chess().board().pawns().is_empty();
        let (id, row) = if folded {
            let turn = Turn::home(&packed, self.owner);
            let row = turned(row, own(board, self.owner), turn);
            (self.positions.insert(&turn.position(&packed)), row)
        } else {
            (self.positions.insert(&packed), row.to_vec())
        };
        match id {
            (_, true) => self.take_in(board, before, &row),
            (id, false) => {
                let start = id as usize * self.stride;
                for (at, man) in row.into_iter().enumerate() {
                    self.join(self.men[start + at], man);
                }
            }
        }
    }

    /// Notes what goes with a new position.
    fn take_in(&mut self, board: &Board, before: u32, row: &[u8]) {
        self.before.push(before);
        self.men.extend_from_slice(row);
        self.men.resize(self.before.len() * self.stride, NOBODY);
        let (next, structure) = (self.counts.len() as u32, Structure::of(board, self.owner));
        let number = *self.known.entry(structure).or_insert(next);
        if number == next {
            self.counts.push((structure, 0));
        }
        self.counts[number as usize].1 += 1;
        self.structures.push(number);
    }

    fn join(&mut self, a: u8, b: u8) {
        if a != b {
            let (a, b) = (self.class(a), self.class(b));
            self.joined[a.max(b) as usize] = a.min(b);
        }
    }

    /// The first of the men of the root that a man is told together with.
    pub(super) fn class(&self, mut man: u8) -> u8 {
        while self.joined[man as usize] != man {
            man = self.joined[man as usize];
        }
        man
    }

    /// The positions of a structure.
    pub(super) fn of_structure(&self, structure: u32) -> impl Iterator<Item = u32> + '_ {
        let numbered = self.structures.iter().enumerate();
        numbered.filter(move |(_, s)| **s == structure).map(|(id, _)| id as u32)
    }

    /// Whether a position with any side to move has this structure.
    pub(super) fn stands(&self, structure: u32, board: &Board) -> bool {
        self.known.get(&Structure::of(board, self.owner)) == Some(&structure)
    }

    /// The structure in which play may go on for ever: the root's, else of those that have most
    /// positions the first.
    pub(super) fn lasting(&self, root: &Board) -> Option<u32> {
        let first = self.known.get(&Structure::of(root, self.owner)).copied();
        // Of images it could not be told where the men stand.
        let told = |s: &u32| !self.folds || self.counts[*s as usize].0.pawns != 0;
        let mut others: Vec<u32> = (0..self.counts.len() as u32).filter(told).collect();
        others.sort_by_key(|s| std::cmp::Reverse(self.counts[*s as usize].1));
        let others = others.into_iter().filter(|s| Some(*s) != first).take(CANDIDATES);
        first.into_iter().chain(others).find(|&structure| self.lasts(structure))
    }

    /// Whether some line comes back to a position of this structure. (No line comes back to a
    /// structure that it has left.) Mostly the first line that is tried does.
    fn lasts(&self, structure: u32) -> bool {
        // Whether a position is on the line at present; none if it was not seen.
        let mut on_line: HashMap<u32, bool> = HashMap::new();
        for start in self.of_structure(structure) {
            let mut line = Vec::new();
            let mut next = Some(start);
            while next.is_some() || !line.is_empty() {
                if let Some(id) = next.take() {
                    match on_line.get(&id) {
                        Some(true) => return true,
                        Some(false) => {}
                        None => {
                            on_line.insert(id, true);
                            line.push((id, self.following(id, structure)));
                        }
                    }
                    continue;
                }
                let Some((id, rest)) = line.last_mut() else { break };
                next = rest.pop();
                if next.is_none() {
                    on_line.insert(*id, false);
                    line.pop();
                }
            }
        }
        false
    }

    /// The positions of the same structure that follow one.
    fn following(&self, id: u32, structure: u32) -> Vec<u32> {
        let board = self.board(id);
        let Some(legal) = self.play(&board) else { return Vec::new() };
        let after = board.after(legal);
        if self.is_over(&after) {
            return Vec::new();
        }
        let of_structure = |id: &u32| self.structures[*id as usize] == structure;
        let found = after.successors().filter_map(|next| self.positions.get(&next.packed()));
        found.filter(of_structure).collect()
    }

    /// The shortest line from the root to a position, in words.
    pub(super) fn line_to(&self, root: &Board, id: u32) -> Vec<String> {
        let mut ids = vec![id];
        while let Some(&last) = ids.last()
            && self.before[last as usize] != NOTHING
        {
            ids.push(self.before[last as usize]);
        }
        let (mut board, mut sans) = (root.clone(), Vec::new());
        for id in ids.into_iter().rev() {
            let target = self.positions.at(id);
            if board.side_to_move() == self.owner && board.packed() != target {
                let Some(legal) = self.play(&board) else { break };
                sans.push(board.san(legal));
                board.play(legal);
            }
            let moves = board.legal_moves();
            let reply = moves.into_iter().find(|m| board.after(*m).packed() == target);
            if let Some(reply) = reply {
                sans.push(board.san(reply));
                board.play(reply);
            }
        }
        sans
    }
}
