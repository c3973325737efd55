//! A move where nothing is proved: an alpha-beta search on material and places. What it says is a
//! guess, and nothing that is proved rests on it.
//!
//! Null windows behind the first move, a table of positions, a pass as a first try against a
//! threat, fewer plies for quiet moves that come late, and the moves first that were good before.
//!
//! # References
//! * D. E. Knuth, R. W. Moore, *An analysis of alpha-beta pruning* (1975).
//! * T. A. Marsland, *A review of game-tree pruning* (1986): principal variation search, tables,
//!   killers, the history of moves.
//! * C. Donninger, *Null move and deep search* (1993).

mod memo;

use crate::chess::board::{Board, BySide, ChessMove, Position, Role, Sides, move_of};
use crate::chess::worth::in_centipawns;
use crate::chess::{Move, Packed, Side};
use memo::{Kind, Memo};
use std::collections::HashSet;

/// Centipawns.
pub type Score = i32;

const MATE: Score = 100_000;
/// Deeper than any iteration goes.
const MAX_PLY: usize = 64;
/// Quiet moves from this one on are searched less deep first.
const LATE: usize = 4;

/// What an iteration found.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Guess {
    /// Plies that were looked ahead, captures at the end not counted.
    pub depth: u32,
    /// What the side to move is believed to be ahead; near 100,000 a mate is seen.
    pub score: Score,
    /// The moves expected, the first is the choice; at least one.
    pub line: Vec<Move>,
    /// Positions visited so far.
    pub nodes: u64,
}

/// The search was stopped.
struct Stopped;

/// The search, with what it knows of the game. Memory: 6 MiB for the table of positions.
///
/// ```
/// use std::collections::HashSet;
/// use theta_chess::chess::Board;
/// use theta_chess::player::Chooser;
///
/// let board = Board::from_fen("4k3/8/8/3q4/4P3/8/8/4K3 w - -")?;
/// let (seen, moves) = (HashSet::new(), board.legal_moves());
/// let guess = Chooser::new(&seen, &|_| false).deepen(&board, &moves, 3, 1, &mut |_, _| ());
/// assert_eq!(guess.map(|guess| guess.line[0].to_string()).as_deref(), Some("e4d5"));
/// # Ok::<(), theta_chess::chess::FenError>(())
/// ```
pub struct Chooser<'a> {
    seen: &'a HashSet<Packed>,
    stop: &'a dyn Fn(u64) -> bool,
    nodes: u64,
    /// `lines[ply]` is the best line found from that ply on.
    lines: Vec<Vec<Move>>,
    memo: Memo,
    /// Quiet moves that refuted something at this ply: the last two.
    killers: Vec<[Option<Move>; 2]>,
    /// How often a quiet move was good, by its squares.
    history: Vec<Score>,
}

impl<'a> Chooser<'a> {
    /// A search in a game: to meet one of the positions `seen` again counts as a draw. `stop` is
    /// asked every thousand positions, with their number, whether to stop.
    pub fn new(seen: &'a HashSet<Packed>, stop: &'a dyn Fn(u64) -> bool) -> Self {
        Self {
            seen,
            stop,
            nodes: 0,
            lines: vec![Vec::new(); MAX_PLY + 1],
            memo: Memo::new(),
            killers: vec![[None; 2]; MAX_PLY + 1],
            history: vec![0; 64 * 64],
        }
    }

    /// Deepens until it is stopped, `depth` is reached, or the game ends in every line. In each
    /// iteration the best line is found, then the best that begins with another move, and so on for
    /// `count` lines; `found` hears of each with its rank from 1. `moves` are the legal moves
    /// of `board` to choose from; the first is the answer if there is no time at all. Costs a
    /// search for each line. `None` where there is no move.
    pub fn deepen(
        &mut self,
        board: &Board,
        moves: &[ChessMove],
        depth: u32,
        count: usize,
        found: &mut dyn FnMut(usize, &Guess),
    ) -> Option<Guess> {
        let mut order = moves.to_vec();
        order.sort_by_key(|m| -interest(m));
        let first = vec![move_of(order.first()?)];
        let mut best = Guess { depth: 0, score: 0, line: first, nodes: 0 };
        'deeper: for depth in 1..=depth.min(MAX_PLY as u32 - 1) {
            let mut above = MATE;
            for rank in 0..count.min(order.len()) {
                // The moves of the lines above stand at the front, in the order of their ranks.
                let Ok(score) = self.root(board, &order[rank..], depth) else { break 'deeper };
                // What is remembered from deeper searches may favour a move that came second.
                above = above.min(score);
                let score = above;
                let guess = Guess { depth, score, line: self.lines[0].clone(), nodes: self.nodes };
                found(rank + 1, &guess);
                if let Some(at) = order.iter().position(|m| move_of(m) == guess.line[0]) {
                    order[rank..=at].rotate_right(1);
                }
                if rank == 0 {
                    best = guess;
                }
            }
            if best.score.abs() >= MATE - depth as Score {
                break;
            }
        }
        best.nodes = self.nodes;
        Some(best)
    }

    fn root(&mut self, board: &Board, moves: &[ChessMove], depth: u32) -> Result<Score, Stopped> {
        let mut alpha = -MATE;
        self.lines[0].clear();
        for (i, &m) in moves.iter().enumerate() {
            let after = board.after(m);
            let mut score = alpha + 1;
            if i > 0 {
                score = -self.search(&after, depth - 1, 1, -alpha - 1, -alpha)?;
            }
            if score > alpha {
                score = -self.search(&after, depth - 1, 1, -MATE, -alpha)?;
            }
            if score > alpha || self.lines[0].is_empty() {
                alpha = alpha.max(score);
                self.keep(0, m);
            }
        }
        Ok(alpha)
    }

    fn keep(&mut self, ply: usize, m: ChessMove) {
        let (head, tail) = self.lines.split_at_mut(ply + 1);
        head[ply].clear();
        head[ply].push(move_of(&m));
        head[ply].extend_from_slice(&tail[0]);
    }

    fn search(
        &mut self,
        board: &Board,
        depth: u32,
        ply: usize,
        alpha: Score,
        beta: Score,
    ) -> Result<Score, Stopped> {
        self.lines[ply].clear();
        self.nodes += 1;
        if self.nodes.is_multiple_of(1024) && (self.stop)(self.nodes) {
            return Err(Stopped);
        }
        let mut moves = board.legal_moves();
        if moves.is_empty() {
            return Ok(if board.in_check() { ply as Score - MATE } else { 0 });
        }
        if ply <= 2 && self.seen.contains(&board.packed()) {
            return Ok(0);
        }
        let in_check = board.in_check();
        if depth == 0 && !in_check || ply + 1 >= MAX_PLY {
            return self.quiet(board, alpha, beta);
        }
        let (key, narrow) = (board.polyglot_key(), beta - alpha == 1);
        let known = self.memo.get(key, ply);
        if let Some(score) = known.filter(|_| narrow).and_then(|e| e.decides(depth, alpha, beta)) {
            return Ok(score.clamp(alpha, beta));
        }
        if narrow && !in_check && self.passes(board, depth, ply, beta)? {
            return Ok(beta);
        }
        let first = known.and_then(|entry| entry.best);
        moves.sort_by_cached_key(|m| -self.promise(m, ply, first));
        let (mut best, mut now) = (None, alpha);
        for (i, m) in moves.into_iter().enumerate() {
            let after = board.after(m);
            let late = i >= LATE && depth >= 3 && !in_check && is_quiet(&m) && !after.in_check();
            let score = self.window(&after, depth, ply, (now, beta), i > 0, late)?;
            if score > now {
                (now, best) = (score, Some(move_of(&m)));
                self.keep(ply, m);
            }
            if score >= beta {
                self.note_cut(&m, depth, ply);
                self.memo.put((key, ply), (beta, Kind::AtLeast), depth, best);
                return Ok(beta);
            }
        }
        let kind = if now > alpha { Kind::Exact } else { Kind::AtMost };
        self.memo.put((key, ply), (now, kind), depth, best.or(first));
        Ok(now)
    }

    /// The score of a position after a move: behind the first move with a null window, late quiet
    /// moves less deep, and whole where that does not refute it.
    fn window(
        &mut self,
        after: &Board,
        depth: u32,
        ply: usize,
        (alpha, beta): (Score, Score),
        narrow: bool,
        late: bool,
    ) -> Result<Score, Stopped> {
        let rest = depth.saturating_sub(1);
        let mut score = alpha + 1;
        if late {
            score = -self.search(after, rest - 1, ply + 1, -alpha - 1, -alpha)?;
        }
        if narrow && score > alpha && beta - alpha > 1 {
            score = -self.search(after, rest, ply + 1, -alpha - 1, -alpha)?;
        }
        if score > alpha {
            score = -self.search(after, rest, ply + 1, -beta, -alpha)?;
        }
        Ok(score)
    }

    /// Whether the side to move stands so well that it could pass. (Not with king and pawns alone:
    /// zugzwang.)
    fn passes(
        &mut self,
        board: &Board,
        depth: u32,
        ply: usize,
        beta: Score,
    ) -> Result<bool, Stopped> {
        let men = board.chess().board();
        let pieces = men.men_of(board.side_to_move()) & !men.pawns();
        if depth < 3 || beta.abs() > MATE / 2 || pieces.count() < 2 || evaluate(board) < beta {
            return Ok(false);
        }
        let Some(passed) = board.passed() else { return Ok(false) };
        Ok(-self.search(&passed, depth - 3, ply + 1, -beta, -beta + 1)? >= beta)
    }

    /// What to try first: what was best before, captures, what was good elsewhere.
    fn promise(&self, m: &ChessMove, ply: usize, first: Option<Move>) -> Score {
        let play = move_of(m);
        if Some(play) == first {
            return Score::MAX / 2;
        }
        if !is_quiet(m) {
            return (1 << 24) + interest(m);
        }
        if self.killers[ply].contains(&Some(play)) {
            return 1 << 20;
        }
        self.history[squares(play)].min(1 << 19)
    }

    /// A move was too good for the other side to allow it.
    fn note_cut(&mut self, m: &ChessMove, depth: u32, ply: usize) {
        let play = move_of(m);
        if is_quiet(m) {
            let [last, _] = self.killers[ply];
            if last != Some(play) {
                self.killers[ply] = [Some(play), last];
            }
            self.history[squares(play)] += (depth * depth) as Score;
        }
    }

    /// Captures and promotions only, until the position is quiet.
    fn quiet(&mut self, board: &Board, alpha: Score, beta: Score) -> Result<Score, Stopped> {
        self.nodes += 1;
        if self.nodes.is_multiple_of(1024) && (self.stop)(self.nodes) {
            return Err(Stopped);
        }
        let mut alpha = alpha.max(evaluate(board));
        if alpha >= beta {
            return Ok(beta);
        }
        let mut moves: Vec<ChessMove> = board
            .legal_moves()
            .into_iter()
            .filter(|m| m.is_capture() || m.is_promotion())
            .collect();
        moves.sort_by_key(|m| -interest(m));
        for m in moves {
            alpha = alpha.max(-self.quiet(&board.after(m), -beta, -alpha)?);
            if alpha >= beta {
                return Ok(beta);
            }
        }
        Ok(alpha)
    }
}

fn is_quiet(m: &ChessMove) -> bool {
    !m.is_capture() && !m.is_promotion()
}

fn squares(m: Move) -> usize {
    usize::from(m.from()) * 64 + usize::from(m.to())
}

/// What to try first: the greatest capture by the least man, promotions.
fn interest(m: &ChessMove) -> Score {
    let taken = m.capture().map_or(0, |role| 10 * in_centipawns(role) - in_centipawns(m.role()));
    taken + m.promotion().map_or(0, |role| 10 * in_centipawns(role))
}

/// Material, men towards the middle and pawns forwards; a bare king is driven to the edge and
/// approached.
fn evaluate(board: &Board) -> Score {
    let chess = board.chess();
    let men = chess.board();
    let mut score = 0;
    for (square, piece) in men.men() {
        let (file, rank) = (square.file() as i32, square.rank() as i32);
        let middle = 6 - (2 * file - 7).abs().max((2 * rank - 7).abs());
        let forward = if piece.side == Side::White { rank } else { 7 - rank };
        let place = match piece.role {
            Role::Pawn => 4 * forward * forward / 2 + middle,
            Role::Knight | Role::Bishop => 4 * middle,
            Role::Rook | Role::Queen => middle,
            Role::King if men.occupied().count() <= 10 => 4 * middle,
            Role::King => -6 * middle,
        };
        let value = in_centipawns(piece.role) + place;
        score += if piece.side == Side::White { value } else { -value };
    }
    score += driven(board, Side::White) - driven(board, Side::Black);
    if chess.side_to_move() == Side::White { score } else { -score }
}

/// What it is worth to this side that the other has a bare king at the edge, with its own king
/// near.
fn driven(board: &Board, side: Side) -> Score {
    let men = board.chess().board();
    if men.men_of(side.other()).count() > 1 || men.men_of(side).count() == 1 {
        return 0;
    }
    let (Some(own), Some(bare)) = (men.king(side), men.king(side.other())) else { return 0 };
    let edge = (2 * bare.file() as i32 - 7).abs().max((2 * bare.rank() as i32 - 7).abs());
    20 * edge - 10 * own.distance(bare) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(fen: &str, depth: u32) -> Guess {
        let board = Board::from_fen(fen).unwrap();
        let moves: Vec<ChessMove> = board.legal_moves().into_iter().collect();
        Chooser::new(&HashSet::new(), &|_| false)
            .deepen(&board, &moves, depth, 1, &mut |_, _| {})
            .unwrap()
    }

    #[test]
    fn it_sees_what_is_near() {
        assert_eq!(
            choose("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - -", 3).line[0].to_string(),
            "d1d8",
            "mate on the back rank"
        );
        assert_eq!(
            choose("4k3/8/8/3q4/4P3/8/8/4K3 w - -", 3).line[0].to_string(),
            "e4d5",
            "a queen for nothing"
        );
        assert!(choose("4k3/8/8/3p4/4P3/8/8/4K3 b - -", 4).score > 0);
    }

    #[test]
    fn several_lines_begin_with_several_moves() {
        let board = Board::from_fen("4k3/8/8/3q4/4P3/8/8/4K3 w - -").unwrap();
        let moves: Vec<ChessMove> = board.legal_moves().into_iter().collect();
        let mut lines = Vec::new();
        let mut found = |rank: usize, guess: &Guess| {
            lines.push((guess.depth, rank, guess.score, guess.line[0]))
        };
        let best = Chooser::new(&HashSet::new(), &|_| false)
            .deepen(&board, &moves, 3, 100, &mut found)
            .unwrap();
        assert_eq!(best.line[0].to_string(), "e4d5");
        assert_eq!(lines.len(), 3 * moves.len());
        for depth in lines.chunks(moves.len()) {
            assert!(depth.is_sorted_by_key(|&(_, rank, score, _)| (rank, -score)), "{depth:?}");
            let distinct: HashSet<Move> = depth.iter().map(|line| line.3).collect();
            assert_eq!(distinct.len(), moves.len());
        }
    }

    #[test]
    fn without_time_it_still_answers() {
        let board =
            Board::from_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -").unwrap();
        let moves: Vec<ChessMove> = board.legal_moves().into_iter().collect();
        let guess = Chooser::new(&HashSet::new(), &|_| true)
            .deepen(&board, &moves, 64, 1, &mut |_, _| {})
            .unwrap();
        assert!(board.find(guess.line[0]).is_some());
    }
}
