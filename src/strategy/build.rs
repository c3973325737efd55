//! Strategies built from a policy: the engine says what the owner plays, the builder follows every reply.
//!
//! # References
//! * R. V. Khelemendik, *On the solution of chess positions using computational tree logic*, §5: a satisfying model is a
//!   first move and a reply to every reply (spec pages 1.5 and 1.7).

use super::{Answer, Strategy};
use crate::chess::board::{Color, Position as _, color_of};
use crate::chess::{Board, Interner, Move, Packed, Side, fen};
use hashbrown::HashMap;

/// Why a policy is no strategy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// The policy names a move that is not legal.
    #[error("the policy plays {1}, which is not legal in {0}")]
    Illegal(String, Move),
    /// A winning policy comes back to a position it was in.
    #[error("the policy runs in a circle through {0}")]
    Cycle(String),
    /// A winning policy ends without mate.
    #[error("the policy ends without mate in {0}")]
    NoMate(String),
    /// A holding policy has no move, or is mated.
    #[error("the policy does not hold in {0}")]
    NotHeld(String),
}

fn name(p: &Packed) -> String {
    p.vector().map_or_else(|_| "an unreadable position".into(), |y| fen(&y))
}

/// A position of the owner's whose replies are being followed.
struct Frame {
    id: u32,
    /// The first of this frame's replies on the shared stack.
    replies: usize,
    /// The largest rank among the replies that are done.
    longest: u32,
}

const OPEN: u32 = u32::MAX;

struct WinBuilder<'a, P> {
    owner: Side,
    policy: &'a mut P,
    positions: Interner,
    answers: Vec<Answer>,
    frames: Vec<Frame>,
    stack: Vec<Packed>,
}

/// The winning strategy of `owner` from `root` that a policy plays, and the plies to mate it needs at most.
///
/// `policy` names the owner's move in any position with the owner to move that can arise. Ranks are computed from
/// the leaves up, so they are exact for the policy, and shortest if the policy is. Every position is visited once; cost
/// per position: one move generation and the replies' look-ups.
///
/// # Errors
/// The policy's own, or a [`BuildError`] when it does not win.
pub fn win<E: From<BuildError>>(
    root: &Board,
    owner: Side,
    policy: &mut impl FnMut(&Board) -> Result<Move, E>,
) -> Result<(Strategy, u32), E> {
    let vector = root.vector();
    let mut builder = WinBuilder {
        owner,
        policy,
        positions: Interner::new(vector.men()),
        answers: Vec::new(),
        frames: Vec::new(),
        stack: Vec::new(),
    };
    let plies = if root.side_to_move() == owner {
        builder.run(vec![root.packed()])?
    } else {
        let replies = replies(root);
        if replies.is_empty() {
            if !root.in_check() {
                return Err(BuildError::NoMate(fen(&vector)).into());
            }
            0
        } else {
            builder.run(replies)? + 1
        }
    };
    let (positions, answers) = (builder.positions, builder.answers);
    Ok((Strategy { root: vector, owner, wins: true, positions, answers }, plies))
}

fn replies(board: &Board) -> Vec<Packed> {
    board.legal_moves().into_iter().map(|m| board.after(m).packed()).collect()
}

fn after<E: From<BuildError>>(board: &Board, m: Move) -> Result<Board, E> {
    let legal = board.find(m).ok_or_else(|| BuildError::Illegal(fen(&board.vector()), m))?;
    Ok(board.after(legal))
}

impl<P> WinBuilder<'_, P> {
    /// Follows all of `roots`; the largest rank among them.
    fn run<E: From<BuildError>>(&mut self, roots: Vec<Packed>) -> Result<u32, E>
    where
        P: FnMut(&Board) -> Result<Move, E>,
    {
        self.stack = roots;
        let mut longest = 0;
        loop {
            let floor = self.frames.last().map_or(0, |f| f.replies);
            if self.stack.len() > floor {
                let p = self.stack.pop().expect("above the floor");
                if let Some(rank) = self.visit(&p)? {
                    match self.frames.last_mut() {
                        Some(frame) => frame.longest = frame.longest.max(rank),
                        None => longest = longest.max(rank),
                    }
                }
                continue;
            }
            let Some(done) = self.frames.pop() else { return Ok(longest) };
            let rank = done.longest + 2;
            self.answers[done.id as usize].rank = rank;
            match self.frames.last_mut() {
                Some(frame) => frame.longest = frame.longest.max(rank),
                None => longest = longest.max(rank),
            }
        }
    }

    /// The rank of a position of the owner's if known at once; else opens a frame for it.
    fn visit<E: From<BuildError>>(&mut self, p: &Packed) -> Result<Option<u32>, E>
    where
        P: FnMut(&Board) -> Result<Move, E>,
    {
        let (id, new) = self.positions.insert(p);
        if !new {
            return match self.answers[id as usize].rank {
                OPEN => Err(BuildError::Cycle(name(p)).into()),
                rank => Ok(Some(rank)),
            };
        }
        let board = Board::of_legal(p);
        debug_assert_eq!(board.side_to_move(), self.owner);
        if board.legal_moves().is_empty() {
            return Err(BuildError::NoMate(name(p)).into());
        }
        let play = (self.policy)(&board)?;
        let next = after::<E>(&board, play)?;
        let replies = replies(&next);
        if replies.is_empty() {
            if !next.in_check() {
                return Err(BuildError::NoMate(name(&next.packed())).into());
            }
            self.answers.push(Answer { play: Some(play), rank: 1 });
            return Ok(Some(1));
        }
        self.answers.push(Answer { play: Some(play), rank: OPEN });
        self.frames.push(Frame { id, replies: self.stack.len(), longest: 0 });
        self.stack.extend(replies);
        Ok(None)
    }
}

/// The holding strategy of `owner` from `root`.
///
/// `policy` lists moves that hold, in order of preference, in any position with the owner to move that can arise. Among
/// them the builder prefers one that brings no new position, then one that puts the owner's men where they have stood
/// most often already: an owner who shuttles between few set-ups closes the set after (set-ups × placements of the
/// opponent) positions, where free choice wanders through the whole endgame. Lines end where the opponent's king is
/// bare. Cost per position: the policy, and the replies of at most `COMPARED` moves.
///
/// # Errors
/// The policy's own, or a [`BuildError`] when it does not hold.
pub fn hold<E: From<BuildError>>(
    root: &Board,
    owner: Side,
    policy: &mut impl FnMut(&Board) -> Result<Vec<Move>, E>,
) -> Result<Strategy, E> {
    let vector = root.vector();
    let mut region = Region { color: color_of(owner), positions: Interner::new(vector.men()), set_ups: HashMap::new() };
    let mut answers: Vec<Answer> = Vec::new();
    if !region.decided(root) {
        if root.side_to_move() == owner {
            region.positions.insert(&root.packed());
        } else {
            region.add(&replies(root));
        }
    }
    while answers.len() < region.positions.len() {
        let board = Board::of_legal(&region.positions.at(answers.len() as u32));
        let play = region.answer(&board, policy)?;
        answers.push(Answer { play, rank: 0 });
    }
    Ok(Strategy { root: vector, owner, wins: false, positions: region.positions, answers })
}

/// How many of the owner's moves are compared in a position.
const COMPARED: usize = 6;

/// The closed set that grows around a holding strategy.
struct Region {
    color: Color,
    positions: Interner,
    /// How often the owner's men have been moved to these squares.
    set_ups: HashMap<u64, u32>,
}

/// A move of the owner's that holds.
struct Choice {
    play: Move,
    next: Board,
    set_up: u64,
    used: u32,
}

impl Region {
    /// Whether the owner is safe without a move more: the opponent has a bare king.
    fn decided(&self, board: &Board) -> bool {
        board.chess().board().by_color(self.color.other()).count() == 1
    }

    fn add(&mut self, positions: &[Packed]) {
        positions.iter().for_each(|p| {
            self.positions.insert(p);
        });
    }

    fn answer<E: From<BuildError>>(
        &mut self,
        board: &Board,
        policy: &mut impl FnMut(&Board) -> Result<Vec<Move>, E>,
    ) -> Result<Option<Move>, E> {
        if board.legal_moves().is_empty() {
            return if board.in_check() { Err(BuildError::NotHeld(fen(&board.vector())).into()) } else { Ok(None) };
        }
        let mut choices = Vec::new();
        for play in policy(board)? {
            let next = after::<E>(board, play)?;
            let set_up = next.chess().board().by_color(self.color).0;
            let used = self.set_ups.get(&set_up).copied().unwrap_or(0);
            choices.push(Choice { play, next, set_up, used });
        }
        choices.sort_by_key(|c| std::cmp::Reverse(c.used));
        choices.truncate(COMPARED);
        let weighed = choices.into_iter().map(|c| (self.fresh(&c.next), c));
        let best = weighed.min_by_key(|(fresh, c)| (!fresh.is_empty(), std::cmp::Reverse(c.used), fresh.len()));
        let (fresh, choice) = best.ok_or_else(|| BuildError::NotHeld(fen(&board.vector())))?;
        self.add(&fresh);
        *self.set_ups.entry(choice.set_up).or_default() += 1;
        Ok(Some(choice.play))
    }

    /// The positions that the opponent's replies would bring in.
    fn fresh(&self, next: &Board) -> Vec<Packed> {
        if self.decided(next) {
            return Vec::new();
        }
        replies(next).into_iter().filter(|p| self.positions.get(p).is_none()).collect()
    }
}
