//! Holding strategies from a policy: of all closed sets that the owner's safe moves allow, a small
//! one.
//!
//! The set is closed under every reply, so its size is the owner's to choose, and no way of
//! choosing is best everywhere: where checks, captures and exchanges decide, a handful of positions
//! is enough, and a proof search finds them ([`super::closure`]); where the owner can leave most of
//! its men alone, the move with the fewest new replies closes soon; where it is driven around for
//! ever (knight against rook), the set is (its set-ups × the opponent's placements), and it should
//! come back to set-ups that it knows and that rarely fail. All three are tried with growing
//! limits; the last without. Positions are folded by symmetry ([`crate::chess::Turn`]).
//!
//! # References
//! * R. V. Khelemendik, *On the solution of chess positions using computational tree logic*, §5
//!   (docs/theory.md §8: Hold2 and Hold4).

use super::closure::close;
use super::defence::{Defence, Sight};
use super::growth::{Grown, Order, grow};
use crate::certificate::Strategy;
use crate::chess::board::{BySide, ChessMove, Position as _, move_of};
use crate::chess::{Board, Move, Side, cannot_be_mated, fen};
use crate::limits::Budget;
use crate::strategy::{BETWEEN_CHECKS, BuildError, Rules, name, needed, texts};

/// Positions of the sets, and of the proof searches, that are tried before the last.
const LIMITS: [usize; 2] = [1 << 10, 1 << 13];

/// Positions of a set that is still a small one: some 4 s.
const SMALL: usize = 1 << 18;

/// A small holding strategy of `owner` from `root`.
///
/// `policy` lists the moves that hold in any position with the owner to move that can arise; one of
/// them is enough, all give the smallest strategy. Lines end where the owner cannot be mated any
/// more, and with `rules` where one says so. Cost per position: the policy, and the replies of some
/// of its moves; about 40 bytes.
///
/// # Errors
/// The policy's own, or a [`BuildError`] when it does not hold or the budget ends.
pub fn hold<E: From<BuildError>>(
    rules: Option<&dyn Rules>,
    root: &Board,
    owner: Side,
    budget: &Budget,
    policy: &mut impl FnMut(&Board) -> Result<Vec<Move>, E>,
) -> Result<Strategy, E> {
    let task = &mut Task { root, owner, rules, budget, policy, asked: 0 };
    let strategy = match small(task)? {
        Some(strategy) => strategy,
        None => whole(task)?,
    };
    Ok(match rules {
        Some(rules) => {
            let cited = texts(Some(rules), &needed(&strategy, rules));
            strategy.citing(cited)
        }
        None => strategy,
    })
}

/// The same if a quarter of a million positions are enough, no rule ending lines.
///
/// # Errors
/// As for [`hold`].
pub fn hold_small<E: From<BuildError>>(
    root: &Board,
    owner: Side,
    budget: &Budget,
    policy: &mut impl FnMut(&Board) -> Result<Vec<Move>, E>,
) -> Result<Option<Strategy>, E> {
    let task = &mut Task { root, owner, rules: None, budget, policy, asked: 0 };
    match small(task)? {
        Some(strategy) => Ok(Some(strategy)),
        None => Ok(match known_set_ups(task, SMALL)? {
            Grown::Closed(strategy) => Some(*strategy),
            Grown::Failed | Grown::TooLarge => None,
        }),
    }
}

fn small<E: From<BuildError>>(task: &mut Task<E>) -> Result<Option<Strategy>, E> {
    let (root, owner, starts) = (task.root, task.owner, task.starts());
    for limit in LIMITS {
        if let Some(strategy) = close(root, owner, &starts, task, limit)? {
            return Ok(Some(strategy));
        }
        for order in [Order::FewestReplies, Order::KnownSetUps] {
            if let Grown::Closed(strategy) = grow(root, owner, &starts, task, order, limit)? {
                return Ok(Some(*strategy));
            }
        }
    }
    Ok(None)
}

fn known_set_ups<E: From<BuildError>>(task: &mut Task<E>, limit: usize) -> Result<Grown, E> {
    let (root, owner, starts) = (task.root, task.owner, task.starts());
    grow(root, owner, &starts, task, Order::KnownSetUps, limit)
}

/// Without a limit of positions.
fn whole<E: From<BuildError>>(task: &mut Task<E>) -> Result<Strategy, E> {
    match known_set_ups(task, usize::MAX)? {
        Grown::Closed(strategy) => Ok(*strategy),
        Grown::Failed | Grown::TooLarge => unreachable!("a certain set without a limit closes"),
    }
}

/// Whether a move promotes to less than a queen where the queen holds too: endings with rooks,
/// bishops and knights have larger closed sets.
fn is_needless(play: Move, safe: &[Move]) -> bool {
    const QUEEN: u8 = 2;
    play.promotion() > QUEEN && safe.contains(&Move::new(play.from(), play.to(), QUEEN))
}

/// What has to be held, and how the owner may.
pub(super) struct Task<'a, E> {
    root: &'a Board,
    owner: Side,
    rules: Option<&'a dyn Rules>,
    budget: &'a Budget,
    policy: &'a mut dyn FnMut(&Board) -> Result<Vec<Move>, E>,
    /// Positions that the policy was asked about.
    asked: u64,
}

impl<E: From<BuildError>> Task<'_, E> {
    /// The positions with the owner to move that have to be held.
    fn starts(&self) -> Vec<Board> {
        if self.is_over(self.root) {
            Vec::new()
        } else if self.root.side_to_move() == self.owner {
            vec![self.root.clone()]
        } else {
            self.replies(self.root)
        }
    }

    /// Whether a rule says that the owner is never mated.
    fn is_ruled(&self, board: &Board) -> bool {
        self.rules.is_some_and(|rules| rules.end(&board.packed(), self.owner, false).is_some())
    }

    /// The owner's legal moves, and whether each is to be played; none when stalemated. `bytes` are
    /// held by the caller.
    fn rated(&mut self, board: &Board, bytes: u64) -> Result<Vec<(ChessMove, bool)>, E> {
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
        let mut moves: Vec<_> =
            legal.into_iter().map(|m| (m, safe.contains(&move_of(&m)))).collect();
        match safe.iter().find(|&&play| moves.iter().all(|(m, _)| move_of(m) != play)) {
            _ if safe.is_empty() => {
                // What a policy asks knows nothing once the budget has ended.
                self.budget.check(self.asked, bytes).map_err(BuildError::Stopped)?;
                Err(not_held().into())
            }
            Some(&play) => Err(BuildError::Illegal(name(&board.packed()), play).into()),
            None => {
                moves.iter_mut().for_each(|(m, held)| *held &= !is_needless(move_of(m), &safe));
                Ok(moves)
            }
        }
    }
}

impl<E: From<BuildError>> Defence for Task<'_, E> {
    type Error = E;
    const CERTAIN: bool = true;

    /// Only a rule knows more than the policy.
    fn sight(&self, board: &Board) -> Sight {
        if self.is_ruled(board) { Sight::Held } else { Sight::Open }
    }

    fn is_over(&self, board: &Board) -> bool {
        let men = board.chess().board();
        let [own, theirs] = [self.owner, self.owner.other()].map(|side| men.men_of(side).count());
        // Most positions have more men: the lemma itself need not be asked.
        let few = theirs == 1 || (own, theirs) == (1, 2);
        few && cannot_be_mated(&board.vector(), self.owner) || self.is_ruled(board)
    }

    /// What the policy plays holds.
    fn is_lost(&self, _: &Board) -> bool {
        false
    }

    fn replies(&self, board: &Board) -> Vec<Board> {
        board.successors().filter(|reply| !self.is_ruled(reply)).collect()
    }

    fn options(&mut self, board: &Board, bytes: u64) -> Result<Vec<(ChessMove, bool)>, E> {
        self.rated(board, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::{Limits, StopReason};
    use pretty_assertions::assert_eq;

    /// A policy that knows the root's moves alone.
    fn short_sighted(budget: &Budget) -> Option<BuildError> {
        let root = Board::from_fen("8/8/8/8/8/2k5/8/K2q4 w - -").expect("a position");
        let mut policy = |board: &Board| {
            let known = board.packed() == root.packed();
            let moves = board.legal_moves().into_iter().filter(|_| known);
            Ok::<_, BuildError>(moves.map(|m| move_of(&m)).collect())
        };
        hold(None, &root, Side::White, budget, &mut policy).err()
    }

    #[test]
    fn what_is_not_known_after_the_end_of_the_budget_is_no_mistake_of_the_policy() {
        let error = short_sighted(&Budget::default());
        assert!(matches!(error, Some(BuildError::NotHeld(_))), "{error:?}");
        let ended = Budget::new(Limits { positions: Some(1), ..Limits::default() });
        assert_eq!(short_sighted(&ended), Some(BuildError::Stopped(StopReason::Positions)));
    }
}
