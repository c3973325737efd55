//! The adviser's moves, and the replies to them that looks leave open.
//!
//! A position with the winner to move that looks leave open has the adviser's moves. They are tried in the
//! adviser's order, each reply to a move that stays open in turn. So that a line which gets nowhere
//! makes way for the next move, the engine's moves that are looked at are counted: of those that a position has
//! left, the first move's replies get seven eighths, the second's seven eighths of what is left then, and
//! so on; a move of the file gets all. When that is not enough all begins again with twice as many; what
//! has been looked at or proved is not looked at again.
//!
//! A move that leads back into the line that is followed wins nothing there.

use super::Proof;
use super::look::suits_slices;
use crate::advice::Proposal;
use crate::chess::board::Board;
use crate::chess::{Move, Packed, fen};
use crate::limits::StopReason;
use std::collections::{HashMap, HashSet};

/// Moves that are looked at in the first turn of a round.
const FIRST: u64 = 256;
/// One of so many moves is kept for the other candidates while one is tried.
const OTHERS: u64 = 8;
/// With so many replies open of which the file says nothing, a position is looked at longer itself.
const MANY: usize = 3;
/// How many times the adviser is quicker than a look.
const QUICKER: u32 = 4;
/// What a proposed move is worth at least, in hundredths of a pawn: who has less wins nothing.
const WORTH: i32 = 150;
/// Moves of the winner's, one after the other, that are taken from the adviser.
const DEEPEST: usize = 150;

/// An advised move.
struct Candidate {
    play: Move,
    /// The reply that the adviser expects.
    expected: Option<Move>,
    replies: Replies,
}

/// What looks have left open.
enum Replies {
    /// Nothing was looked at.
    Unseen,
    /// The positions after these replies, the expected one first.
    Open(Vec<Board>),
    /// The move does not win.
    Refuted,
}

/// The advised moves of a position, those of the file first.
struct Advised {
    candidates: Vec<Candidate>,
    /// Whether the engine has been asked.
    asked: bool,
}

/// What is advised.
#[derive(Default)]
pub(super) struct Tree {
    advised: HashMap<Packed, Advised>,
    /// What could not be proved since something was proved last.
    failed: HashSet<Packed>,
    /// The positions of the line that is followed.
    line: HashSet<Packed>,
    /// Moves that may be looked at.
    left: u64,
    /// Whether they were too few.
    short: bool,
}

impl Proof<'_> {
    /// Turns that grow until positions with the winner to move are all won, or nothing is left to be tried.
    pub(super) fn prove_all(&mut self, boards: &[Board]) -> Result<bool, StopReason> {
        let mut turn = FIRST;
        loop {
            self.tree.failed.clear();
            (self.tree.left, self.tree.short) = (turn, false);
            if self.prove_each(boards)? {
                return Ok(true);
            }
            if !self.tree.short {
                return Ok(false);
            }
            turn = turn.saturating_mul(2);
        }
    }

    fn prove_each(&mut self, boards: &[Board]) -> Result<bool, StopReason> {
        for board in boards {
            if !self.prove(board)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a position with the winner to move is won.
    fn prove(&mut self, board: &Board) -> Result<bool, StopReason> {
        let key = board.packed();
        if self.won.contains_key(&key) {
            return Ok(true);
        }
        let hopeless = self.lost.contains(&key) || self.tree.failed.contains(&key);
        if hopeless || self.tree.line.len() >= DEEPEST || !self.tree.line.insert(key) {
            return Ok(false);
        }
        let short = std::mem::take(&mut self.tree.short);
        let proved = self.follow(board);
        self.tree.line.remove(&key);
        if proved == Ok(false) && !self.tree.short {
            self.tree.failed.insert(key);
        }
        self.tree.short |= short;
        proved
    }

    /// The adviser's moves in the last position of the line, one after the other.
    fn follow(&mut self, board: &Board) -> Result<bool, StopReason> {
        let (key, adviser) = (board.packed(), self.adviser);
        if suits_slices(board) {
            self.look_longer(board)?;
        }
        self.tree.advised.entry(key).or_insert_with(|| {
            let unseen = |&play| Candidate { play, expected: None, replies: Replies::Unseen };
            Advised { candidates: adviser.listed(board).iter().map(unseen).collect(), asked: false }
        });
        let mut number = 0;
        while !self.won.contains_key(&key) {
            if number == self.tree.advised[&key].candidates.len() {
                if !self.ask(board) {
                    return Ok(false);
                }
                continue;
            }
            // What a file says is not doubted: lines of it are as long as they are.
            let is_listed = number < self.adviser.listed(board).len();
            let reserve = if is_listed { 0 } else { self.tree.left / OTHERS };
            self.tree.left -= reserve;
            let proved = self.go_on(board, number)?;
            self.tree.left += reserve;
            if proved {
                break;
            }
            number += 1;
        }
        Ok(true)
    }

    /// Asks the engine for moves, if it has not been asked; whether it was.
    fn ask(&mut self, board: &Board) -> bool {
        if self.tree.advised[&board.packed()].asked {
            return false;
        }
        if self.tree.left == 0 {
            self.tree.short = true;
            return false;
        }
        let proposals = self.adviser.ask(board, self.look / QUICKER, self.question.budget);
        let listed = self.adviser.listed(board);
        let is_worth = |proposal: &Proposal| {
            proposal.score.is_none_or(|score| score >= WORTH) && !listed.contains(&proposal.play)
        };
        let mut proposals: Vec<Proposal> = proposals.into_iter().filter(is_worth).collect();
        // A move after which all is won needs no more proof.
        proposals.sort_by_key(|proposal| !self.is_done(board, proposal.play));
        let unseen =
            |p: Proposal| Candidate { play: p.play, expected: p.reply, replies: Replies::Unseen };
        let advised = self.tree.advised.get_mut(&board.packed()).expect("it is followed");
        advised.candidates.extend(proposals.into_iter().map(unseen));
        advised.asked = true;
        true
    }

    /// Whether all replies to a move are known to be won.
    fn is_done(&self, board: &Board, play: Move) -> bool {
        let next = board.find(play).map(|m| board.after(m));
        let is_won = |reply: Board| self.won.contains_key(&reply.packed());
        next.is_some_and(|next| next.successors().all(is_won))
    }

    /// Whether a move allows a return to a position of the line.
    fn leads_back(&self, board: &Board, play: Move) -> bool {
        let next = board.find(play).map(|m| board.after(m));
        let is_passed = |reply: Board| self.tree.line.contains(&reply.packed());
        next.is_some_and(|next| next.successors().any(is_passed))
    }

    /// Goes on with an advised move: whether the position is won.
    fn go_on(&mut self, board: &Board, number: usize) -> Result<bool, StopReason> {
        let key = board.packed();
        let Candidate { play, expected, ref replies } = self.tree.advised[&key].candidates[number];
        if self.leads_back(board, play) {
            return Ok(false);
        }
        let is_listed = self.adviser.listed(board).contains(&play);
        let open = match replies {
            Replies::Refuted => return Ok(false),
            Replies::Open(open) => open.clone(),
            Replies::Unseen if self.tree.left == 0 && !is_listed => {
                self.tree.short = true;
                return Ok(false);
            }
            Replies::Unseen => {
                self.tree.left -= u64::from(!is_listed);
                let open = self.try_move(board, play, expected)?;
                let seen = open.clone().map_or(Replies::Refuted, Replies::Open);
                let advised = self.tree.advised.get_mut(&key).expect("it is followed");
                advised.candidates[number].replies = seen;
                let Some(open) = open else { return Ok(false) };
                let is_new = |reply: &&Board| self.adviser.listed(reply).is_empty();
                if open.iter().filter(is_new).count() >= MANY {
                    self.look_longer(board)?;
                }
                open
            }
        };
        if self.won.contains_key(&key) {
            return Ok(true);
        }
        let proved = self.prove_each(&open)?;
        if proved {
            self.keep(board, play);
        }
        Ok(proved)
    }

    /// Looks at the replies to a move: the positions after those that are open; none where the move does not
    /// win.
    fn try_move(
        &mut self,
        board: &Board,
        play: Move,
        expected: Option<Move>,
    ) -> Result<Option<Vec<Board>>, StopReason> {
        let Some(m) = board.find(play) else { return Ok(None) };
        let next = board.after(m);
        let replies: Vec<Board> = next.successors().collect();
        if replies.is_empty() && !next.in_check() {
            return Ok(None);
        }
        let Some(mut open) = self.look_at(replies)? else { return Ok(None) };
        let expected = expected.and_then(|reply| Some(next.after(next.find(reply)?).packed()));
        open.sort_by_key(|reply| Some(reply.packed()) != expected);
        self.tell(board, play, &format!("{} replies are open", open.len()));
        Ok(Some(open))
    }

    /// Keeps a move that is proved to win, unless a strategy that was found meanwhile has another.
    fn keep(&mut self, board: &Board, play: Move) {
        if self.won.contains_key(&board.packed()) {
            return;
        }
        self.won.insert(board.packed(), Some(play));
        self.adviser.prove(board, play);
        // What was in vain may be proved by what is known now.
        self.tree.failed.clear();
        self.tell(board, play, "is won");
    }

    /// Notes what has come of a move.
    fn tell(&self, board: &Board, play: Move, words: &str) {
        let san = board.find(play).map_or_else(|| play.to_string(), |m| board.san(m));
        let (deep, text) = (self.tree.line.len(), fen(&board.vector()));
        self.question.budget.progress().note(&format!("{deep}. {text} {san}: {words}"));
    }
}
