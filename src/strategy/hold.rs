//! Holding strategies from a policy: of all closed sets that the owner's safe moves allow, a small one.
//!
//! The set is closed under every reply, so its size is the owner's to choose, and no way of choosing is best everywhere:
//! where checks, captures and exchanges decide, a handful of positions is enough, and a proof search finds them
//! ([`super::closure`]); where the owner can leave most of its men alone, the move with the fewest new replies closes
//! soon; where it is driven around for ever (knight against rook), the set is (its set-ups × the opponent's placements),
//! and it should come back to set-ups that it knows and that rarely fail. All three are tried with growing limits; the
//! last without. Positions are folded by symmetry ([`Turn`]).
//!
//! # References
//! * R. V. Khelemendik, *On the solution of chess positions using computational tree logic*, §5 (spec page 1.8: Hold2
//!   and Hold4).

use super::build::{self, BETWEEN_CHECKS, BuildError, name};
use super::closure::close;
use super::rules::{Rules, needed, texts};
use super::{Answer, Strategy, cannot_be_mated};
use crate::chess::board::{ChessMove, Color, Position as _, Role, color_of, move_of};
use crate::chess::{Board, Interner, Move, Packed, Side, Turn, fen};
use crate::limits::Budget;
use hashbrown::HashMap;
use std::collections::VecDeque;

/// Positions of the sets, and of the proof searches, that are tried before the last.
const LIMITS: [usize; 2] = [1 << 10, 1 << 13];

/// A small holding strategy of `owner` from `root`.
///
/// `policy` lists the moves that hold in any position with the owner to move that can arise; one of them is enough,
/// all give the smallest strategy. Lines end where the owner cannot be mated any more. Cost per position: the policy,
/// and the replies of some of its moves; about 40 bytes.
///
/// # Errors
/// The policy's own, or a [`BuildError`] when it does not hold or the budget ends.
pub fn hold<E: From<BuildError>>(
    root: &Board,
    owner: Side,
    budget: &Budget,
    policy: &mut impl FnMut(&Board) -> Result<Vec<Move>, E>,
) -> Result<Strategy, E> {
    hold_with(None, root, owner, budget, policy)
}

/// As [`hold`], with lines that also end where a rule says that the owner is never mated.
///
/// # Errors
/// As [`hold`].
pub fn hold_with<E: From<BuildError>>(
    rules: Option<&dyn Rules>,
    root: &Board,
    owner: Side,
    budget: &Budget,
    policy: &mut impl FnMut(&Board) -> Result<Vec<Move>, E>,
) -> Result<Strategy, E> {
    let mut strategy = smallest(&mut Task { root, owner, rules, budget, policy, asked: 0 })?;
    if let Some(rules) = rules {
        strategy.cited = texts(Some(rules), &needed(&strategy, rules));
    }
    Ok(strategy)
}

fn smallest<P, E: From<BuildError>>(task: &mut Task<P>) -> Result<Strategy, E>
where
    P: FnMut(&Board) -> Result<Vec<Move>, E>,
{
    for limit in LIMITS {
        if let Some(strategy) = close(task, limit)? {
            return Ok(strategy);
        }
        for temper in [Temper::Frugal, Temper::Homely] {
            if let Some(strategy) = Growth::new(task, temper).grow(task, limit)? {
                return Ok(strategy);
            }
        }
    }
    let last = Growth::new(task, Temper::Homely).grow(task, usize::MAX)?;
    Ok(last.expect("closed without a limit"))
}

/// What has to be held, and how the owner may.
pub(super) struct Task<'a, P> {
    pub(super) root: &'a Board,
    pub(super) owner: Side,
    rules: Option<&'a dyn Rules>,
    budget: &'a Budget,
    policy: &'a mut P,
    /// Positions that the policy was asked about.
    asked: u64,
}

impl<P> Task<'_, P> {
    /// The positions with the owner to move that have to be held.
    pub(super) fn starts(&self) -> Vec<Board> {
        if self.is_over(self.root) {
            Vec::new()
        } else if self.root.side_to_move() == self.owner {
            vec![self.root.clone()]
        } else {
            self.replies(self.root).collect()
        }
    }

    /// Whether the owner needs no more moves.
    pub(super) fn is_over(&self, board: &Board) -> bool {
        let men = board.chess().board();
        // Most positions have more men: the lemma itself need not be asked.
        let few = |side| men.by_color(color_of(side)).count() <= 2;
        few(self.owner.other()) && cannot_be_mated(&board.vector(), self.owner) || self.is_ruled(board)
    }

    /// Whether a rule says that the owner is never mated.
    fn is_ruled(&self, board: &Board) -> bool {
        self.rules.is_some_and(|rules| rules.end(&board.packed(), self.owner, false).is_some())
    }

    /// The positions after each reply that need an answer.
    pub(super) fn replies(&self, board: &Board) -> impl Iterator<Item = Board> {
        build::replies(board).filter(|reply| !self.is_ruled(reply))
    }

    /// The owner's legal moves, and whether each holds; none when stalemated. `bytes` are held by the caller.
    pub(super) fn moves<E: From<BuildError>>(&mut self, board: &Board, bytes: u64) -> Result<Vec<(ChessMove, bool)>, E>
    where
        P: FnMut(&Board) -> Result<Vec<Move>, E>,
    {
        if self.asked.is_multiple_of(BETWEEN_CHECKS) {
            self.budget.progress().advance(self.asked);
            self.budget.check(self.asked, bytes).map_err(BuildError::Stopped)?;
        }
        self.asked += 1;
        let legal = board.legal_moves();
        if legal.is_empty() && !board.in_check() {
            return Ok(Vec::new());
        }
        let not_held = || BuildError::NotHeld(fen(&board.vector()));
        let safe = if legal.is_empty() { Vec::new() } else { (self.policy)(board)? };
        let moves: Vec<_> = legal.into_iter().map(|m| (m, safe.contains(&move_of(&m)))).collect();
        match safe.iter().find(|&&play| moves.iter().all(|(m, _)| move_of(m) != play)) {
            _ if safe.is_empty() => Err(not_held().into()),
            Some(&play) => Err(BuildError::Illegal(name(&board.packed()), play).into()),
            None => Ok(moves),
        }
    }
}

/// Positions with the owner to move, folded by symmetry. Bytes per position: the interner's and 1.
pub(super) struct Places {
    owner: Side,
    positions: Interner,
    /// From home to the image that was met first.
    turns: Vec<Turn>,
}

impl Places {
    pub(super) fn new(root: &Board, owner: Side) -> Self {
        let men = root.chess().board().occupied().count();
        Self { owner, positions: Interner::new(men), turns: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.turns.len()
    }

    pub(super) fn bytes(&self) -> u64 {
        self.positions.memory() + self.turns.capacity() as u64
    }

    fn home(&self, board: &Board) -> (Turn, Packed) {
        let p = board.packed();
        let turn = Turn::home(&p, self.owner);
        (turn, turn.position(&p))
    }

    pub(super) fn has(&self, board: &Board) -> bool {
        self.positions.get(&self.home(board).1).is_some()
    }

    /// The number of a position, and whether it is new.
    pub(super) fn insert(&mut self, board: &Board) -> (u32, bool) {
        let (turn, p) = self.home(board);
        let (id, new) = self.positions.insert(&p);
        if new {
            self.turns.push(turn.back());
        }
        (id, new)
    }

    /// The position as it was met first.
    pub(super) fn board(&self, id: u32) -> Board {
        Board::of_legal(&self.turns[id as usize].position(&self.positions.at(id)))
    }

    /// The strategy that plays these moves, each in the position as it was met first.
    pub(super) fn strategy(self, root: &Board, plays: impl IntoIterator<Item = Option<ChessMove>>) -> Strategy {
        let home = |(play, turn): (Option<ChessMove>, &Turn)| Answer {
            play: play.map(|m| turn.back().play(move_of(&m))),
            rank: 0,
        };
        let answers: Vec<Answer> = plays.into_iter().zip(&self.turns).map(home).collect();
        debug_assert_eq!(answers.len(), self.positions.len());
        let (owner, positions) = (self.owner, self.positions);
        Strategy { root: root.vector(), owner, wins: false, folded: true, positions, answers, cited: Vec::new() }
    }
}

/// How the owner chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Temper {
    /// The move that brings the fewest new positions.
    Frugal,
    /// The move to the set-up of its men that it has used most and that fails least.
    Homely,
}

/// What is known of a set-up of the owner's men, after the owner's move.
#[derive(Debug, Clone, Copy, Default)]
struct SetUp {
    /// Moves to it that were seen, and those of them that hold.
    seen: u32,
    safe: u32,
    /// Moves to it that were chosen.
    used: u32,
}

impl SetUp {
    /// The share of its moves that hold, weighed by how well known it is.
    fn merit(self) -> f32 {
        let share = (self.safe + 1) as f32 / (self.seen + 2) as f32;
        share * (1.0 + self.used as f32).ln_1p()
    }
}

/// A set that grows until it is closed.
struct Growth {
    temper: Temper,
    color: Color,
    places: Places,
    plays: Vec<Option<ChessMove>>,
    /// Positions without an answer.
    agenda: VecDeque<u32>,
    set_ups: HashMap<u64, SetUp>,
}

/// A move of the owner's that holds.
struct Choice {
    play: ChessMove,
    next: Board,
    set_up: u64,
}

impl Growth {
    fn new<P>(task: &Task<P>, temper: Temper) -> Self {
        let mut growth = Self {
            temper,
            color: color_of(task.owner),
            places: Places::new(task.root, task.owner),
            plays: Vec::new(),
            agenda: VecDeque::new(),
            set_ups: HashMap::new(),
        };
        task.starts().iter().for_each(|board| growth.add(board));
        growth
    }

    fn add(&mut self, board: &Board) {
        let (id, new) = self.places.insert(board);
        if new {
            self.plays.push(None);
            self.agenda.push_back(id);
        }
    }

    fn bytes(&self) -> u64 {
        let each = size_of::<Option<ChessMove>>() + size_of::<u32>();
        self.places.bytes() + (self.plays.capacity() * each + self.set_ups.capacity() * 24) as u64
    }

    /// The strategy, unless the set outgrows the limit.
    fn grow<P, E: From<BuildError>>(mut self, task: &mut Task<P>, limit: usize) -> Result<Option<Strategy>, E>
    where
        P: FnMut(&Board) -> Result<Vec<Move>, E>,
    {
        loop {
            let next = match self.temper {
                Temper::Frugal => self.agenda.pop_front(),
                Temper::Homely => self.agenda.pop_back(),
            };
            let Some(id) = next else { return Ok(Some(self.places.strategy(task.root, self.plays))) };
            if self.places.len() > limit {
                return Ok(None);
            }
            let board = self.places.board(id);
            let moves = task.moves(&board, self.bytes())?;
            if let Some(choice) = self.choose(task, &board, moves) {
                self.plays[id as usize] = Some(choice.play);
                if !task.is_over(&choice.next) {
                    task.replies(&choice.next).for_each(|reply| self.add(&reply));
                }
            }
        }
    }

    /// The move to play; none when stalemated.
    fn choose<P>(&mut self, task: &Task<P>, board: &Board, moves: Vec<(ChessMove, bool)>) -> Option<Choice> {
        let mut choices = Vec::with_capacity(moves.len());
        for (play, safe) in moves {
            let next = board.after(play);
            if safe && task.is_over(&next) {
                return Some(Choice { play, next, set_up: 0 });
            }
            let set_up = if self.temper == Temper::Homely { self.set_up(&next, task.owner) } else { 0 };
            if self.temper == Temper::Homely {
                let known = self.set_ups.entry(set_up).or_default();
                known.seen += 1;
                known.safe += u32::from(safe);
            }
            if safe {
                choices.push(Choice { play, next, set_up });
            }
        }
        let choice = match self.temper {
            Temper::Frugal => choices.into_iter().min_by_key(|c| self.fresh(task, &c.next)),
            Temper::Homely => {
                let merit = |c: &Choice| self.set_ups[&c.set_up].merit();
                choices.into_iter().max_by(|a, b| merit(a).total_cmp(&merit(b)))
            }
        }?;
        if let Some(known) = self.set_ups.get_mut(&choice.set_up) {
            known.used += 1;
        }
        Some(choice)
    }

    /// The squares of the owner's men, folded, as a hash.
    fn set_up(&self, board: &Board, owner: Side) -> u64 {
        let turn = Turn::home(&board.packed(), owner);
        let men = board.chess().board();
        let own = men.by_color(self.color);
        let key = |role: Role| (men.by_role(role) & own).into_iter().fold(0, |k, s| k | 1u64 << turn.square(s as u8));
        Role::ALL
            .iter()
            .fold(0, |hash: u64, &role| (hash.rotate_left(23) ^ key(role)).wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    /// How many positions the opponent's replies would bring in.
    fn fresh<P>(&self, task: &Task<P>, next: &Board) -> usize {
        task.replies(next).filter(|board| !self.places.has(board)).count()
    }
}
