//! From a listed game that is won to a plan: the plies to mate of every won position, and the
//! attacker's move in every position that can arise.
//!
//! The plies are computed backward from the mates, level by level, so that they are the shortest
//! within what is listed; positions won at sight come in with the plies of their own small proofs.
//!
//! # References
//! * K. Thompson, *Retrograde analysis of certain endgames*, 1986.

use super::graph::{Fate, State};
use super::key::key_of;
use super::listing::Listing;
use super::restriction::Restriction;
use super::small::Small;
use crate::aim::Goal;
use crate::chess::Move;
use crate::chess::board::{Board, move_of};
use crate::search::mate_in_one;
use std::collections::HashMap;
use std::sync::Arc;

/// No mate within what is listed.
const FAR: u16 = u16::MAX;

/// The attacker's move in every position that can arise, with the plies to mate at most, which fall
/// by two at least from one position to the next. About 16 bytes a position.
#[derive(Debug, Clone)]
pub struct Plan {
    pub(super) moves: HashMap<u64, (Move, u16)>,
    /// Plies from the root at most.
    pub(super) plies: u16,
    /// What was renounced.
    pub(super) rules: Restriction,
    /// What a person has asked to be kept.
    pub(super) keep: Option<Arc<Goal>>,
}

impl Plan {
    /// Plies to mate at most.
    pub fn plies(&self) -> u16 {
        self.plies
    }

    /// The number of positions with a move of their own.
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// Whether no move is needed.
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// What the attacker has renounced, in words.
    pub fn renounced(&self) -> String {
        self.rules.to_string()
    }

    /// The attacker's move in a position of the plan.
    pub fn play(&self, board: &Board) -> Option<Move> {
        self.moves.get(&key_of(board)).map(|&(play, _)| play)
    }

    fn note(&mut self, key: u64, play: Move, plies: u16) -> bool {
        let known = self.moves.entry(key).or_insert((play, FAR));
        let better = plies < known.1;
        if better {
            *known = (play, plies);
        }
        better
    }
}

/// Plies to mate at most of every position with the attacker to move, and of every move.
struct Levels {
    own: Vec<u16>,
    plays: Vec<u16>,
}

impl Levels {
    fn of(listing: &Listing) -> Self {
        let mut own = vec![FAR; listing.own.len()];
        let mut plays = vec![FAR; listing.plays.len()];
        let mut waiting: Vec<u8> = listing.plays.iter().map(|play| play.replies).collect();
        // Positions and moves by their plies; mates first.
        let mut queue: Vec<(Vec<u32>, Vec<u32>)> = vec![(Vec::new(), Vec::new())];
        for (id, play) in listing.plays.iter().enumerate() {
            if play.fate == Fate::Won && play.replies == 0 {
                queue[0].1.push(id as u32);
            }
        }
        let at = |queue: &mut Vec<_>, level: u16| {
            let level = usize::from(level);
            if queue.len() <= level {
                queue.resize_with(level + 1, Default::default);
            }
            level
        };
        for (id, position) in listing.own.iter().enumerate() {
            if position.state == State::Known {
                let level = at(&mut queue, position.depth);
                queue[level].0.push(id as u32);
            }
        }
        let mut level = 0u16;
        while usize::from(level) < queue.len() {
            let (positions, moves) = std::mem::take(&mut queue[usize::from(level)]);
            for id in positions {
                if own[id as usize] != FAR {
                    continue;
                }
                own[id as usize] = level;
                for play in listing.parents(id) {
                    let waiting = &mut waiting[play as usize];
                    *waiting -= 1;
                    if *waiting == 0 {
                        let next = at(&mut queue, level + 1);
                        queue[next].1.push(play);
                    }
                }
            }
            for id in moves {
                plays[id as usize] = level;
                for owner in listing.owners(id) {
                    if own[owner as usize] == FAR {
                        let next = at(&mut queue, level + 1);
                        queue[next].0.push(owner);
                    }
                }
            }
            level += 1;
        }
        Self { own, plays }
    }
}

/// Plies to mate at most from the root within what is listed.
pub(super) fn plies(listing: &Listing) -> Option<u16> {
    let levels = Levels::of(listing);
    longest(listing, &levels)
}

fn longest(listing: &Listing, levels: &Levels) -> Option<u16> {
    let plies = listing.roots.iter().map(|&id| levels.own[id as usize]).max().unwrap_or(0);
    // A defender that is to move at the root has a move before the first.
    (plies != FAR).then(|| plies + u16::from(!listing.starts()))
}

/// The plan of a listed game whose root is won; `None` if it is not, or two positions share a key.
pub(super) fn plan(listing: &Listing) -> Option<Plan> {
    let levels = Levels::of(listing);
    let plies = longest(listing, &levels)?;
    let mut plan =
        Plan { moves: HashMap::new(), plies, rules: listing.rules, keep: listing.keep.clone() };
    let mut small = Small::new(listing.attacker);
    let mut stack = listing.roots.clone();
    while let Some(id) = stack.pop() {
        let board = listing.board(id);
        let level = levels.own[id as usize];
        let own = &listing.own[id as usize];
        // A position that is found to be won at sight after its moves were listed may have a shorter
        // win by them.
        if own.state == State::Known && own.depth == level {
            if level == 1 {
                let play = mate_in_one(board.chess())?;
                plan.note(key_of(&board), move_of(&play), 1);
            } else {
                follow_small(listing, &mut small, &board, &mut plan)?;
            }
            continue;
        }
        let best = board.legal_moves().into_iter().filter_map(|m| {
            if listing.wrong_with_move(id, &board, &m).is_some() {
                return None;
            }
            let play = listing.find_play(&board, &m)?;
            (levels.plays[play as usize] < level).then_some((levels.plays[play as usize], m))
        });
        let (_, m) = best.min_by_key(|&(level, _)| level)?;
        if !plan.note(key_of(&board), move_of(&m), level) {
            continue;
        }
        let next = board.after(m);
        for reply in next.legal_moves() {
            let child = listing.find(&next.after(reply))?;
            if levels.own[child as usize] >= level {
                return None;
            }
            stack.push(child);
        }
    }
    Some(plan)
}

/// The moves of a small proof.
fn follow_small(
    listing: &Listing,
    small: &mut Small,
    board: &Board,
    plan: &mut Plan,
) -> Option<()> {
    let most = listing.rules.exit_search.max(listing.rules.look);
    small.mates(board, most)?;
    for (board, play, plies) in small.steps(board) {
        plan.note(key_of(&board), move_of(&play), plies);
    }
    Some(())
}
