//! Helpmates: a line of legal moves, of both sides, that ends in mate; or all that play can lead to.
//!
//! Best first: the next position is the one with the least 4 h + plies, where h guesses how far the
//! mate is. A position is met once (whole positions are compared). Dead material is not followed.
//! So when nothing is left to look at, the positions met are a closed set without a mate.
//!
//! Ways to guess. [`Style::Strip`] counts the loser's men above all: with a bare king against
//! something that mates nearly every way leads on. [`Style::Block`] does not: some mates need the
//! loser's own men beside its king.
//!
//! # References
//! * P. Hart, N. Nilsson, B. Raphael, *A formal basis for the heuristic determination of minimum
//!   cost paths*, IEEE Trans. SSC 4 (1968): best-first search; here h is no lower bound, and the
//!   line found is not the shortest, but with [`Style::Level`].
//! * M. Ambrona, *A practical algorithm for chess unwinnability*, FUN 2022: that a search for
//!   helpmates with well-chosen rewards decides nearly all positions of games.

use super::material::dead_material;
use crate::chess::board::{
    Bitboard, Board, BySide, Chess, Piece, Position as _, Role, Square, attacks, move_of,
};
use crate::chess::{Interner, Move, Side};
use crate::limits::{Budget, StopReason};

/// What the guess counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// The loser's men, before all.
    Strip,
    /// What hems the loser's king in.
    Block,
    /// Nothing: breadth first, so that the first mate found is a nearest one.
    Level,
}

/// What a search for a helpmate came to.
pub(super) enum Search {
    /// The moves from the root to the mate.
    Mate(Vec<Move>),
    /// Every position that play leads to, dead material left out; none is a mate.
    Closed(Interner),
    /// So many positions were met, and there are more.
    Open,
}

/// A position met: how it was reached.
#[derive(Clone, Copy)]
struct Met {
    parent: u32,
    play: Move,
    plies: u16,
}

/// Looks for a mate of `winner.other()` among at most so many positions, and says how many were met.
/// About 1 µs and 60 bytes a position.
///
/// # Errors
/// A limit of the budget.
pub(super) fn helpmate(
    root: &Board,
    winner: Side,
    style: Style,
    most: usize,
    budget: &Budget,
) -> (Result<Search, StopReason>, u64) {
    let mut met = Interner::new(root.packed().len());
    met.insert(&root.packed());
    if is_mate(root, winner) {
        return (Ok(Search::Mate(Vec::new())), 1);
    }
    let mut how = vec![Met { parent: 0, play: Move::new(0, 1, 0), plies: 0 }];
    let mut queue = Queue::default();
    queue.push(0, 0);
    let mut looked_at = 0u64;
    while let Some(id) = queue.pop() {
        looked_at += 1;
        if looked_at.is_multiple_of(64) {
            let bytes = met.memory() + 20 * how.len() as u64;
            if let Err(stop) = budget.check(met.len() as u64, bytes) {
                return (Err(stop), met.len() as u64);
            }
        }
        let board = Board::of_legal(&met.at(id));
        let plies = how[id as usize].plies.saturating_add(1);
        for m in board.legal_moves() {
            let play = move_of(&m);
            let next = board.after(m);
            if dead_material(next.chess(), winner.other()) {
                continue;
            }
            let (at, new) = met.insert(&next.packed());
            if !new {
                continue;
            }
            how.push(Met { parent: id, play, plies });
            let count = how.len() as u64;
            if is_mate(&next, winner) {
                return (Ok(Search::Mate(line(&how, at))), count);
            }
            if how.len() > most {
                return (Ok(Search::Open), count);
            }
            let far = distance(next.chess(), winner, style);
            queue.push(4 * far + usize::from(plies), at);
        }
    }
    let count = met.len() as u64;
    (Ok(Search::Closed(met)), count)
}

/// Whether the winner has mated.
pub(super) fn is_mate(board: &Board, winner: Side) -> bool {
    board.side_to_move() != winner && board.in_check() && board.legal_moves().is_empty()
}

/// The moves that led to a position.
fn line(how: &[Met], mut at: u32) -> Vec<Move> {
    let mut moves = Vec::new();
    while at != 0 {
        moves.push(how[at as usize].play);
        at = how[at as usize].parent;
    }
    moves.reverse();
    moves
}

/// A queue by small numbers, the last in first out among equals.
#[derive(Default)]
struct Queue {
    buckets: Vec<Vec<u32>>,
    least: usize,
}

impl Queue {
    fn push(&mut self, key: usize, id: u32) {
        if self.buckets.len() <= key {
            self.buckets.resize_with(key + 1, Vec::new);
        }
        self.least = self.least.min(key);
        self.buckets[key].push(id);
    }

    fn pop(&mut self) -> Option<u32> {
        while let Some(bucket) = self.buckets.get_mut(self.least) {
            if let Some(id) = bucket.pop() {
                return Some(id);
            }
            self.least += 1;
        }
        None
    }
}

/// A guess at how far the mate is.
fn distance(chess: &Chess, winner: Side, style: Style) -> usize {
    let board = chess.board();
    let (own, theirs) = (board.men_of(winner), board.men_of(winner.other()));
    let (Some(king), Some(target)) = (board.king(winner), board.king(winner.other())) else {
        return 0;
    };
    let has = |role: Role| (own & board.by_role(role)).any();
    let edge = |x: u32| x.min(7 - x) as usize;
    let (file, rank) = (edge(u32::from(target.file())), edge(u32::from(target.rank())));
    let apart = king.distance(target) as usize;
    let mut far = apart.saturating_sub(2);
    if own.count() == 2 && (own & (board.bishops() | board.knights())).any() {
        return far + lone(chess, winner, own, theirs);
    }
    let minors = (own & (board.bishops() | board.knights())).count();
    if has(Role::Queen) || has(Role::Rook) {
        far += file.min(rank);
    } else {
        far += file + rank;
        let ahead = |s: Square| {
            let rank = u32::from(s.rank()) as usize;
            if winner == Side::White { 7 - rank } else { rank }
        };
        match (own & board.pawns()).into_iter().map(ahead).min() {
            Some(steps) => far += 2 + 2 * steps,
            None => far += 2 * (4usize.saturating_sub(minors)),
        }
    }
    far += escapes(chess, winner, own, theirs);
    match style {
        Style::Strip => far + 4 * (theirs.count() - 1),
        Style::Level => 0,
        Style::Block => far,
    }
}

/// The squares to which the loser's king may go.
fn escapes(chess: &Chess, winner: Side, own: Bitboard, theirs: Bitboard) -> usize {
    let board = chess.board();
    let Some(target) = board.king(winner.other()) else { return 0 };
    let mut seen = Bitboard::EMPTY;
    let occupied = board.occupied() ^ Bitboard::from_square(target);
    for role in Role::ALL {
        for square in own & board.by_role(role) {
            seen |= attacks::attacks(square, Piece::new(winner, role), occupied);
        }
    }
    (attacks::king_attacks(target) & !seen & !theirs).count()
}

/// The same where the winner has one bishop or knight and nothing else: the mate is in a corner that
/// a bishop attacks, and needs one of the loser's men beside its king, which must not be able to
/// help.
fn lone(chess: &Chess, winner: Side, own: Bitboard, theirs: Bitboard) -> usize {
    let board = chess.board();
    let Some(target) = board.king(winner.other()) else { return 0 };
    let bishops = own & board.bishops();
    let corners = [Square::A1, Square::H1, Square::A8, Square::H8];
    let fits = |corner: &&Square| {
        bishops.is_empty() || (bishops.is_disjoint(Bitboard::LIGHT_SQUARES) != corner.is_light())
    };
    let corner =
        corners.iter().filter(fits).map(|c| c.distance(target) as usize).min().unwrap_or(0);
    let other = if bishops.is_disjoint(Bitboard::LIGHT_SQUARES) {
        Bitboard::LIGHT_SQUARES
    } else {
        Bitboard::DARK_SQUARES
    };
    let useful = match bishops.any() {
        true => board.knights() | board.bishops() & other,
        false => board.knights() | board.bishops() | board.rooks(),
    };
    let near = (theirs & useful).into_iter().map(|s| s.distance(target) as usize).min();
    let ahead = |s: Square| {
        let rank = u32::from(s.rank()) as usize;
        if winner == Side::White { rank } else { 7 - rank }
    };
    let pawn = |s: Square| s.distance(target) as usize + 2 * ahead(s).saturating_sub(1);
    let pawns = (theirs & board.pawns()).into_iter().map(pawn).min();
    let block = near.unwrap_or(16).min(pawns.unwrap_or(16));
    let rest = theirs.count().saturating_sub(2);
    corner + 2 * escapes(chess, winner, own, theirs) + block + 4 * rest
}
