//! Guesses for the holder: which of its moves a fortress needs.
//!
//! The holder keeps a few moves (its king's, no pawn's, none beyond a region), the opponent all. The
//! game is listed as for mates; a position is lost when the holder is mated, has fallen below a
//! balance of material, or has no kept move left, and what is not lost when nothing is left to list
//! is held for ever (a greatest fixpoint). A region that fails tells by which square: the move that
//! was left out where the refutation needed it ([`super::learn`]).
//!
//! # References
//! * E. Bleicher, *Freezer*, 2003: a person fixes the pawns and the regions, the program proves.
//! * M. Guid, I. Bratko, *Detecting fortresses in chess*, 2012.

use super::graph::{Fate, State};
use super::key::key_of;
use super::listing::Listing;
use super::restriction::{Kinds, Restriction};
use crate::certificate::Strategy;
use crate::chess::board::{
    Bitboard, Board, BySide, ChessMove, Piece, Position, Role, attacks, move_of,
};
use crate::chess::worth::balance;
use crate::chess::{Move, Outcome, Side};
use crate::hold::hold;
use crate::limits::Budget;
use crate::search::LeafTables;
use crate::strategy::BuildError;
use std::collections::HashMap;

/// A closed set of positions: the holder's move in each.
#[derive(Debug, Clone)]
pub struct Fortress {
    holder: Side,
    moves: HashMap<u64, Move>,
    rules: Restriction,
    /// What tells how few men are held.
    tables: Option<LeafTables>,
}

impl Fortress {
    /// The set that a listing has come to: the positions that its moves lead to.
    pub(super) fn of(listing: &Listing) -> Option<Self> {
        let mut moves = HashMap::new();
        let mut stack = listing.roots.clone();
        while let Some(id) = stack.pop() {
            let state = listing.own[id as usize].state;
            if state == State::Known {
                continue;
            }
            let board = listing.board(id);
            let key = key_of(&board);
            if moves.contains_key(&key) {
                continue;
            }
            let kept = board.legal_moves().into_iter().filter_map(|m| {
                if listing.wrong_with_move(id, &board, &m).is_some() {
                    return None;
                }
                let play = listing.plays[listing.find_play(&board, &m)? as usize];
                (play.fate != Fate::Dead).then_some((play.fate != Fate::Won, m.is_zeroing(), m))
            });
            let (live, _, m) = kept.min_by_key(|&(live, zeroing, _)| (live, zeroing))?;
            if live && state == State::Won {
                return None;
            }
            moves.insert(key, move_of(&m));
            let next = board.after(m);
            if next.has_bare_king(listing.attacker.other()) {
                continue;
            }
            for reply in next.legal_moves() {
                stack.push(listing.find(&next.after(reply))?);
            }
        }
        let tables = listing.tables.clone();
        Some(Self { holder: listing.attacker, moves, rules: listing.rules, tables })
    }

    /// The side that holds.
    pub fn holder(&self) -> Side {
        self.holder
    }

    /// The number of positions with a move of their own.
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// Whether no move is needed.
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// What the holder has renounced, in words.
    pub fn renounced(&self) -> String {
        self.rules.to_string()
    }

    /// The holder's move in a position of the set.
    pub fn play(&self, board: &Board) -> Option<Move> {
        self.moves.get(&key_of(board)).copied()
    }

    /// The holder's moves in a position: that of the set, else all that tables call safe.
    fn plays(&self, board: &Board, budget: &Budget) -> Vec<Move> {
        if let Some(play) = self.play(board) {
            return vec![play];
        }
        let lost = Outcome::Wins(self.holder.other());
        let tables = self.tables.as_ref();
        let beyond =
            |again| tables.map_or_else(Vec::new, |tables| tables.holding(budget, board, again));
        let at_hand = beyond(false);
        if !at_hand.is_empty() {
            return at_hand;
        }
        let worth = |next: &Board| Some(tables?.probe(budget, next)?.outcome());
        let safe = |m: &ChessMove| {
            let next = board.after(*m);
            next.has_bare_king(self.holder.other()) || worth(&next).is_some_and(|w| w != lost)
        };
        let all: Vec<Move> = board.legal_moves().iter().filter(|m| safe(m)).map(move_of).collect();
        if all.is_empty() { beyond(true) } else { all }
    }

    /// The holding strategy.
    ///
    /// # Errors
    /// When the budget ends, or the set is not closed: a mistake of the guess.
    pub fn strategy(&self, root: &Board, budget: &Budget) -> Result<Strategy, BuildError> {
        hold(None, root, self.holder, budget, &mut |board| Ok(self.plays(board, budget)))
    }
}

/// A guess for a holder, the balance below which it gives up, and its handicap.
pub(super) type Start = (Restriction, i32, f32);

/// What a holder may lose of its balance, in pawns, and how dear that is.
const ALLOWANCES: [(i32, f32); 3] = [(0, 1.0), (3, 1.5), (100, 2.0)];

/// The guesses for a holder.
pub(super) fn starts(root: &Board, holder: Side) -> Vec<Start> {
    let none = Restriction::NONE;
    let still = Restriction { movers: Kinds::ALL.without(Role::Pawn), ..none };
    let quiet = Restriction { no_capture_on: u64::MAX, ..still };
    let king = Restriction { movers: Kinds::only(Role::King), ..none };
    let near = Restriction { yard: home(root, holder), king_yard: ring(root, holder), ..still };
    let at_home = Restriction { yard: home(root, holder), king_yard: home(root, holder), ..still };
    let ways = [
        (Restriction { no_capture_on: u64::MAX, ..king }, 1.0),
        (quiet, 1.0),
        (Restriction { widens: true, ..quiet }, 1.0),
        (at_home, 1.2),
        (king, 1.2),
        (Restriction { widens: true, ..still }, 1.5),
        (Restriction { takes: true, ..near }, 1.6),
        (Restriction { widens: true, ..none }, 2.0),
    ];
    let now = balance(root.chess().board(), holder);
    let with = |(rules, dear): (Restriction, f32)| {
        ALLOWANCES.map(|(allowance, more)| (rules, now - allowance, dear * more))
    };
    ways.into_iter().flat_map(with).collect()
}

/// Where the holder's king is, and where it could go on an empty board.
fn ring(root: &Board, holder: Side) -> u64 {
    let king = root.chess().board().king(holder).expect("a king");
    (attacks::king_attacks(king) | Bitboard::from(king)).0
}

/// Where the holder's men are, and where they can go with one move: the squares of a first region.
fn home(root: &Board, holder: Side) -> u64 {
    let men = root.chess().board();
    let own = men.men_of(holder);
    let mut squares = own;
    for from in own & !men.pawns() {
        let role = men.role_at(from).expect("a man");
        squares |= attacks::attacks(from, Piece::new(holder, role), men.occupied());
    }
    squares.0
}
