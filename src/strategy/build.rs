//! Strategies built from a policy: the engine says what the owner plays, the builder follows every
//! reply.
//!
//! # References
//! * R. V. Khelemendik, *On the solution of chess positions using computational tree logic*, §5: a
//!   satisfying model is a first move and a reply to every reply (docs/theory.md §§5 and 7).

use super::rules::{Rules, texts};
use crate::certificate::{Answer, Strategy};
use crate::chess::{Board, Interner, Move, Packed, Side, fen};
use crate::limits::{Budget, StopReason};
use std::collections::BTreeSet;

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
    #[error("the policy ends without mate (or its aim) in {0}")]
    NoMate(String),
    /// A holding policy has no move, or is mated.
    #[error("the policy does not hold in {0}")]
    NotHeld(String),
    /// A limit of the budget was reached before the strategy was whole.
    #[error("the strategy is not finished: {0}")]
    Stopped(#[from] StopReason),
}

/// Positions between two looks at the budget.
pub(crate) const BETWEEN_CHECKS: u64 = 256;

pub(crate) fn name(p: &Packed) -> String {
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
    budget: &'a Budget,
    /// Where the lines end; none: in mate.
    goal: Option<&'a dyn Fn(&Board) -> bool>,
    /// What else ends them, and the rules that did.
    rules: Option<&'a dyn Rules>,
    cited: BTreeSet<u32>,
    policy: &'a mut P,
    positions: Interner,
    answers: Vec<Answer>,
    frames: Vec<Frame>,
    stack: Vec<Packed>,
}

/// The winning strategy of `owner` from `root` that a policy plays, and the plies to mate it needs
/// at most.
///
/// `policy` names the owner's move in any position with the owner to move that can arise. With
/// `rules` lines also end where one says that the owner wins; the plies are then bounded by the
/// rule's. Ranks are computed from the leaves up, so they are exact for the policy, and shortest if
/// the policy is. Every position is visited once; cost per position: one move generation and the
/// replies' look-ups.
///
/// # Errors
/// The policy's own, or a [`BuildError`] when it does not win or the budget ends.
pub fn win<E: From<BuildError>>(
    rules: Option<&dyn Rules>,
    root: &Board,
    owner: Side,
    budget: &Budget,
    policy: &mut impl FnMut(&Board) -> Result<Move, E>,
) -> Result<(Strategy, u32), E> {
    towards(root, owner, Ends { goal: None, rules }, budget, policy)
}

/// As [`win`], with lines that end where `goal` holds, whoever is to move: the strategy of a
/// reduced aim. Mate is no end of its own.
///
/// # Errors
/// The policy's own, or a [`BuildError`] when it does not reach the goal.
pub fn reach<E: From<BuildError>>(
    root: &Board,
    owner: Side,
    goal: &dyn Fn(&Board) -> bool,
    budget: &Budget,
    policy: &mut impl FnMut(&Board) -> Result<Move, E>,
) -> Result<(Strategy, u32), E> {
    towards(root, owner, Ends { goal: Some(goal), rules: None }, budget, policy)
}

/// Where lines end: in a goal, or else in mate; and where a rule says that the owner wins.
struct Ends<'a> {
    goal: Option<&'a dyn Fn(&Board) -> bool>,
    rules: Option<&'a dyn Rules>,
}

fn towards<E: From<BuildError>>(
    root: &Board,
    owner: Side,
    ends: Ends<'_>,
    budget: &Budget,
    policy: &mut impl FnMut(&Board) -> Result<Move, E>,
) -> Result<(Strategy, u32), E> {
    let (vector, Ends { goal, rules }) = (root.vector(), ends);
    let mut builder = WinBuilder {
        owner,
        budget,
        goal,
        rules,
        cited: BTreeSet::new(),
        policy,
        positions: Interner::new(vector.men()),
        answers: Vec::new(),
        frames: Vec::new(),
        stack: Vec::new(),
    };
    let plies = if goal.is_some_and(|goal| goal(root)) {
        0
    } else if let Some(plies) = builder.ruled(&root.packed()) {
        plies
    } else if root.side_to_move() == owner {
        builder.run(vec![root.packed()])?
    } else {
        let replies: Vec<Packed> = root.successors().map(|b| b.packed()).collect();
        if replies.is_empty() {
            if !builder.is_mate(root) {
                return Err(BuildError::NoMate(fen(&vector)).into());
            }
            0
        } else {
            builder.run(replies)? + 1
        }
    };
    let (positions, answers, cited) =
        (builder.positions, builder.answers, texts(rules, &builder.cited));
    Ok((Strategy::winning(vector, owner, positions, answers).citing(cited), plies))
}

fn after<E: From<BuildError>>(board: &Board, m: Move) -> Result<Board, E> {
    let legal = board.find(m).ok_or_else(|| BuildError::Illegal(fen(&board.vector()), m))?;
    Ok(board.after(legal))
}

impl<P> WinBuilder<'_, P> {
    /// The plies to mate at most by a rule, which is cited.
    fn ruled(&mut self, p: &Packed) -> Option<u32> {
        let end = self.rules?.end(p, self.owner, true)?;
        self.cited.insert(end.rule);
        Some(end.plies)
    }

    /// Whether a position without moves ends a line well.
    fn is_mate(&self, board: &Board) -> bool {
        self.goal.is_none() && board.in_check()
    }

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
        if let Some(id) = self.positions.get(p) {
            return match self.answers[id as usize].rank {
                OPEN => Err(BuildError::Cycle(name(p)).into()),
                rank => Ok(Some(rank)),
            };
        }
        let board = Board::of_legal(p);
        debug_assert_eq!(board.side_to_move(), self.owner);
        if self.goal.is_some_and(|goal| goal(&board)) {
            return Ok(Some(0));
        }
        if let Some(plies) = self.ruled(p) {
            return Ok(Some(plies));
        }
        let (id, _) = self.positions.insert(p);
        if u64::from(id).is_multiple_of(BETWEEN_CHECKS) {
            let bytes =
                self.positions.memory() + (self.answers.capacity() * size_of::<Answer>()) as u64;
            self.budget.progress().advance(id.into());
            self.budget.check(id.into(), bytes).map_err(BuildError::Stopped)?;
        }
        let play = match (self.policy)(&board) {
            Err(_) if board.legal_moves().is_empty() => {
                return Err(BuildError::NoMate(name(p)).into());
            }
            play => play?,
        };
        let next = after::<E>(&board, play)?;
        let replies: Vec<Packed> = next.successors().map(|b| b.packed()).collect();
        let end = self.goal.is_some_and(|goal| goal(&next));
        if end || replies.is_empty() {
            if !end && !self.is_mate(&next) {
                return Err(BuildError::NoMate(name(&next.packed())).into());
            }
            self.answers.push(Answer { play: Some(play), rank: 1 });
            return Ok(Some(1));
        }
        if let Some(plies) = self.ruled(&next.packed()) {
            self.answers.push(Answer { play: Some(play), rank: plies + 1 });
            return Ok(Some(plies + 1));
        }
        self.answers.push(Answer { play: Some(play), rank: OPEN });
        self.frames.push(Frame { id, replies: self.stack.len(), longest: 0 });
        self.stack.extend(replies);
        Ok(None)
    }
}
